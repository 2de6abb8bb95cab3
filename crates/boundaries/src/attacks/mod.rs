//! The attacks, by class.

mod entries;
mod names;
mod numbers;
mod schemas;
mod shapes;
mod sizes;
mod texts;

use crate::attack::{Attack, SECRET};
use crate::value::{Value, object};

/// The honest widget that most attacks begin with: everything that is required, and a secret.
pub fn widget() -> Value {
    object([("name", "abc".into()), ("count", 3.into()), ("sec", SECRET.into())])
}

/// All attacks.
pub fn all() -> Vec<Attack> {
    let mut attacks = Vec::new();
    attacks.extend(shapes::attacks());
    attacks.extend(names::attacks());
    attacks.extend(numbers::attacks());
    attacks.extend(sizes::attacks());
    attacks.extend(texts::attacks());
    attacks.extend(entries::attacks());
    attacks.extend(schemas::attacks());
    attacks
}
