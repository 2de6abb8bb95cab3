//! Patterns of schemas: those of ECMA-262, as OpenAPI has them, and those that only Go's `regexp` reads, as Radius does.

use contract::pattern::{Pattern, PatternError, PatternSyntax};

/// Compiles a pattern. What both dialects read means what ECMA-262 says.
pub(crate) fn pattern(text: &str) -> Result<Pattern, PatternError> {
    Pattern::new(PatternSyntax::Ecma, text).or_else(|error| {
        Pattern::new(PatternSyntax::Re2, text).map_err(|_| PatternError {
            // Schemas are not combined.
            hint: error.hint.filter(|hint| !hint.contains("allOf")),
            ..error
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_of_both_dialects_are_read() {
        for (text, good, bad) in [
            (r"^\d+$", "12", "١٢"),
            (r"\u0041", "A", "a"),
            ("(?i)^abc$", "ABC", "AB"),
            ("^(?P<name>a+)$", "aa", "b"),
            (r"\A[[:alpha:]]+\z", "abc", "a1"),
        ] {
            let pattern = pattern(text).unwrap();
            assert!(pattern.is_match(good.as_bytes()), "{text} {good}");
            assert!(!pattern.is_match(bad.as_bytes()), "{text} {bad}");
        }
    }

    #[test]
    fn what_no_dialect_reads_is_an_error_without_advice_that_schemas_cannot_follow() {
        for text in ["[unclosed", "(?=a)b", r"(a)\1", "a**"] {
            let error = pattern(text).unwrap_err();
            assert!(error.hint.is_none_or(|hint| !hint.contains("allOf")), "{text}");
        }
    }
}
