//! Expressions of licences, as manifests write them: `(MIT OR Apache-2.0) AND Unicode-3.0`.

use std::iter::Peekable;
use std::str::SplitWhitespace;

/// How deep parentheses may be nested.
const DEEPEST: usize = 16;

/// Whether some choice among the licences of an expression is allowed as a whole; nothing if it is no expression.
pub(super) fn is_allowed(expression: &str, allowed: &[&str]) -> Option<bool> {
    // Old manifests write a slash where `OR` is meant.
    let text = expression.replace('/', " OR ").replace('(', " ( ").replace(')', " ) ");
    let mut reader = ExpressionReader { words: text.split_whitespace().peekable(), allowed };
    let is_allowed = reader.alternatives(DEEPEST)?;
    reader.words.next().is_none().then_some(is_allowed)
}

struct ExpressionReader<'a> {
    words: Peekable<SplitWhitespace<'a>>,
    allowed: &'a [&'a str],
}

impl ExpressionReader<'_> {
    fn alternatives(&mut self, depth: usize) -> Option<bool> {
        let mut any = self.parts(depth)?;
        while self.words.next_if_eq(&"OR").is_some() {
            any |= self.parts(depth)?;
        }
        Some(any)
    }

    fn parts(&mut self, depth: usize) -> Option<bool> {
        let mut all = self.one(depth)?;
        while self.words.next_if_eq(&"AND").is_some() {
            all &= self.one(depth)?;
        }
        Some(all)
    }

    fn one(&mut self, depth: usize) -> Option<bool> {
        match self.words.next()? {
            "(" => {
                let inner = self.alternatives(depth.checked_sub(1)?)?;
                (self.words.next()? == ")").then_some(inner)
            }
            "OR" | "AND" | "WITH" | ")" => None,
            licence if self.words.next_if_eq(&"WITH").is_some() => {
                let licence = format!("{licence} WITH {}", self.words.next()?);
                Some(self.allowed.contains(&licence.as_str()))
            }
            licence => Some(self.allowed.contains(&licence)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_choice_must_be_allowed_as_a_whole() {
        let allowed = ["MIT", "ISC", "Apache-2.0 WITH LLVM-exception"];
        for (expression, expected) in [
            ("MIT", Some(true)),
            ("GPL-3.0", Some(false)),
            ("GPL-3.0 OR MIT", Some(true)),
            ("GPL-3.0/MIT", Some(true)),
            ("GPL-3.0 AND MIT", Some(false)),
            ("MIT AND ISC", Some(true)),
            ("GPL-3.0 AND MIT OR ISC", Some(true)),
            ("GPL-3.0 AND (MIT OR ISC)", Some(false)),
            ("(MIT OR GPL-3.0) AND ISC", Some(true)),
            ("Apache-2.0", Some(false)),
            ("Apache-2.0 WITH LLVM-exception", Some(true)),
            ("", None),
            ("MIT OR", None),
            ("(MIT", None),
            ("MIT)", None),
            ("MIT ISC", None),
        ] {
            assert_eq!(is_allowed(expression, &allowed), expected, "{expression}");
        }
        assert_eq!(is_allowed(&format!("{}MIT{}", "(".repeat(99), ")".repeat(99)), &allowed), None);
    }
}
