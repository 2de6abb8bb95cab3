//! Functions of the template language that Bicep has another way to write for.

use syntax::Span;

use crate::codes::{self, DiagnosticCode};
use crate::finding::Finding;

/// The names, the code of the diagnostic, and the operator where there is one.
const BANNED: &[(&str, DiagnosticCode, &str)] = &[
    ("add", codes::OPERATOR_FUNCTION, "+"),
    ("and", codes::OPERATOR_FUNCTION, "&&"),
    ("coalesce", codes::OPERATOR_FUNCTION, "??"),
    ("createArray", codes::CREATE_ARRAY_FUNCTION, ""),
    ("createObject", codes::CREATE_OBJECT_FUNCTION, ""),
    ("div", codes::OPERATOR_FUNCTION, "/"),
    ("equals", codes::OPERATOR_FUNCTION, "=="),
    ("greater", codes::OPERATOR_FUNCTION, ">"),
    ("greaterOrEquals", codes::OPERATOR_FUNCTION, ">="),
    ("if", codes::IF_FUNCTION, "? :"),
    ("less", codes::OPERATOR_FUNCTION, "<"),
    ("lessOrEquals", codes::OPERATOR_FUNCTION, "<="),
    ("mod", codes::OPERATOR_FUNCTION, "%"),
    ("mul", codes::OPERATOR_FUNCTION, "*"),
    ("not", codes::OPERATOR_FUNCTION, "!"),
    ("or", codes::OPERATOR_FUNCTION, "||"),
    ("parameters", codes::PARAMETERS_FUNCTION, ""),
    ("sub", codes::OPERATOR_FUNCTION, "-"),
    ("variables", codes::VARIABLES_FUNCTION, ""),
];

/// A function of the template language that Bicep has another way to write for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Banned {
    name: &'static str,
    code: DiagnosticCode,
    operator: &'static str,
}

impl Banned {
    /// What is wrong where the function is called.
    pub(crate) fn at(&self, span: Span) -> Finding {
        self.code.at(span, &[&self.name, &self.operator])
    }
}

/// The function of the template language with a name, if Bicep has another way to write for it.
#[must_use]
pub(crate) fn banned(name: &str) -> Option<Banned> {
    let row = BANNED.binary_search_by(|(known, ..)| (*known).cmp(name)).ok()?;
    let (name, code, operator) = *BANNED.get(row)?;
    Some(Banned { name, code, operator })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_sorted_because_they_are_searched_by_halves() {
        assert!(BANNED.is_sorted_by_key(|(name, ..)| *name));
        let hint = banned("add").and_then(|it| it.at(Span::default()).hint);
        assert_eq!(hint.as_deref(), Some("use the operator `+`"));
        assert!(banned("length").is_none());
    }
}
