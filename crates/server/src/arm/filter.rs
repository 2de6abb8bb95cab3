//! `$filter`: comparisons such as `resourceType eq 'A.B/c'`, joined by `and`.

use crate::api_error::ApiError;
use crate::routed_request::RoutedRequest;

/// What a list is narrowed by: names, as the handler spells them, and the values that they have to have.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Filter(Vec<(&'static str, String)>);

impl Filter {
    /// Reads the filter of a request, which may compare these names.
    pub(super) fn of(call: &RoutedRequest, names: &[&'static str]) -> Result<Filter, ApiError> {
        match call.query.get("$filter").map(str::trim).filter(|text| !text.is_empty()) {
            Some(text) => Filter::parse(text, names).ok_or_else(|| {
                let message = format!(
                    "the filter `{text}` is not understood; it compares `{}` with `eq 'VALUE'`, joined by `and`",
                    names.join("`, `")
                );
                ApiError::new("InvalidFilterInQueryString", message)
            }),
            None => Ok(Filter::default()),
        }
    }

    fn parse(text: &str, names: &[&'static str]) -> Option<Filter> {
        let mut found = Vec::new();
        let mut rest = text;
        loop {
            let (name, after) = word(rest)?;
            let name = names.iter().find(|known| known.eq_ignore_ascii_case(name))?;
            let (operator, after) = word(after)?;
            if !operator.eq_ignore_ascii_case("eq") {
                return None;
            }
            let (value, after) = quoted(after.trim_start())?;
            found.push((*name, value));
            if after.trim().is_empty() {
                return Some(Filter(found));
            }
            let (and, after) = word(after)?;
            if !and.eq_ignore_ascii_case("and") {
                return None;
            }
            rest = after;
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The value that a name has to have, if it has to.
    pub(super) fn get(&self, name: &str) -> Option<&str> {
        self.0.iter().find(|(known, _)| *known == name).map(|(_, value)| value.as_str())
    }

    /// The same without tags, which are compared in a way of their own.
    pub(super) fn without_tags(&self) -> Filter {
        let others = self.0.iter().filter(|(name, _)| !["tagName", "tagValue"].contains(name));
        Filter(others.cloned().collect())
    }

    /// Whether something passes, of which `value` tells what the names are. Case does not count.
    pub(super) fn passes<'v>(&self, value: impl Fn(&str) -> Option<&'v str>) -> bool {
        self.0.iter().all(|(name, wanted)| value(name).is_some_and(|it| it.eq_ignore_ascii_case(wanted)))
    }
}

/// The first word of a text, and what follows.
fn word(text: &str) -> Option<(&str, &str)> {
    let text = text.trim_start();
    let end = text.find(char::is_whitespace)?;
    text.split_at_checked(end)
}

/// A text in single quotes, in which two of them stand for one, and what follows.
fn quoted(text: &str) -> Option<(String, &str)> {
    let mut rest = text.strip_prefix('\'')?;
    let mut value = String::new();
    loop {
        let (part, after) = rest.split_once('\'')?;
        value.push_str(part);
        match after.strip_prefix('\'') {
            Some(more) => {
                value.push('\'');
                rest = more;
            }
            None => return Some((value, after)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comparisons_are_joined_by_and() {
        let names = &["resourceType", "name"];
        let filter = Filter::parse("RESOURCETYPE eq 'A.B/c' and name EQ 'it''s'", names).unwrap();
        assert_eq!((filter.get("resourceType"), filter.get("name")), (Some("A.B/c"), Some("it's")));
        assert!(filter.passes(|name| Some(if name == "name" { "IT'S" } else { "a.b/C" })));
        assert!(!filter.passes(|name| (name == "name").then_some("it's")));
        for wrong in [
            "name",
            "name eq",
            "name eq x",
            "name ne 'x'",
            "size eq 'x'",
            "name eq 'x' or name eq 'y'",
            "name eq 'x",
        ] {
            assert_eq!(Filter::parse(wrong, names), None, "{wrong}");
        }
    }
}
