//! What every value that crossed a boundary is: no two readers see something else in it.

use arm::Value;
use arm::template::OpenType;
use contract::Terms as _;

/// The first thing that readers do not agree on, with its path; none if they agree.
pub(super) fn first(value: &Value) -> Option<String> {
    if !value.is_ambiguous() {
        return None;
    }
    let breaches = OpenType.admit(value.clone()).err()?;
    let breach = breaches.first()?;
    Some(format!("`{}`: {}", breach.target("$"), breach.message))
}
