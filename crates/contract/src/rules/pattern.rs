//! `pattern`: a regular expression matches somewhere in the text.

use super::{RuleExample, RuleInfo};
use crate::pattern::Pattern;
use value::Kinds;

pub(crate) const INFO: RuleInfo = RuleInfo {
    name: "pattern",
    applies_to: Kinds::STRINGS,
    summary: "A regular expression matches somewhere in the text.",
    details: "Anchor with `^` and `$` to match the whole text. Matching takes linear time whatever the pattern. JSON \
              contracts write ECMA-262 patterns; `re2` and `bre` are the keywords for the dialects of Go and of \
              POSIX basic expressions as GNU sed reads them.",
    examples: &[
        RuleExample {
            contract: r#"{"pattern": "[0-9]+"}"#,
            holds: &[r#""a1b""#],
            breaks: &[r#""ab""#, r#""""#],
        },
        RuleExample {
            contract: r#"{"pattern": "^\\w{2,4}$"}"#,
            holds: &[r#""ab_1""#],
            breaks: &[r#""é1""#, r#""abcde""#],
        },
        RuleExample { contract: r#"{"re2": "^[^[]+$"}"#, holds: &[r#""a""#], breaks: &[r#""[""#] },
        RuleExample { contract: r#"{"bre": "^a\\{2\\}+$"}"#, holds: &[r#""aa+""#], breaks: &[r#""aaaa""#] },
    ],
};

pub(super) fn demand(_: &Pattern, wanted: &str) -> String {
    format!("must match the pattern {wanted}")
}
