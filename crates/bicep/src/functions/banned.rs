//! Functions of the template language that have a syntax of their own in Bicep.

/// The names, and the code of the hint.
const BANNED: &[(&str, &str)] = &[
    ("add", "BCP069"),
    ("and", "BCP069"),
    ("coalesce", "BCP069"),
    ("createArray", "BCP101"),
    ("createObject", "BCP102"),
    ("div", "BCP069"),
    ("equals", "BCP069"),
    ("greater", "BCP069"),
    ("greaterOrEquals", "BCP069"),
    ("if", "BCP100"),
    ("less", "BCP069"),
    ("lessOrEquals", "BCP069"),
    ("mod", "BCP069"),
    ("mul", "BCP069"),
    ("not", "BCP069"),
    ("or", "BCP069"),
    ("parameters", "BCP061"),
    ("sub", "BCP069"),
    ("variables", "BCP060"),
];

/// The code of the hint for a function of the template language that Bicep has a syntax for.
#[must_use]
pub fn banned(name: &str) -> Option<&'static str> {
    let row = BANNED.binary_search_by(|(known, _)| (*known).cmp(name)).ok()?;
    BANNED.get(row).map(|(_, code)| *code)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_sorted_because_they_are_searched_by_halves() {
        assert!(BANNED.is_sorted());
        assert_eq!(banned("createArray"), Some("BCP101"));
        assert_eq!(banned("length"), None);
    }
}
