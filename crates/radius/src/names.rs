//! The forms of names: namespaces, types, versions, capabilities, properties, locations.

/// Most characters of a name, and of a part of a namespace.
const MOST: usize = 63;

/// `MyCompany.Resources`: two parts, each a capital letter and then at least one letter or digit.
pub(crate) fn is_namespace(text: &str) -> bool {
    match text.split_once('.') {
        Some((company, product)) => is_capability(company) && is_capability(product),
        None => false,
    }
}

/// `myWidgets`: a small letter and then at least one letter or digit.
pub(crate) fn is_type_name(text: &str) -> bool {
    (2..=MOST).contains(&text.len())
        && text.starts_with(|c: char| c.is_ascii_lowercase())
        && is_alphanumeric(text)
}

/// `ManualResourceProvisioning`: a capital letter and then at least one letter or digit.
pub(crate) fn is_capability(text: &str) -> bool {
    (2..=MOST).contains(&text.len())
        && text.starts_with(|c: char| c.is_ascii_uppercase())
        && is_alphanumeric(text)
}

/// `2025-01-01` or `2025-01-01-preview`; whether there is such a day is another question.
pub(crate) fn is_api_version(text: &str) -> bool {
    let date = text.strip_suffix("-preview").unwrap_or(text);
    date.len() == 10
        && date.bytes().enumerate().all(|(at, byte)| match at {
            4 | 7 => byte == b'-',
            _ => byte.is_ascii_digit(),
        })
}

/// Whether the date of a version is in the calendar.
pub(crate) fn is_day(version: &str) -> bool {
    let date = version.strip_suffix("-preview").unwrap_or(version);
    let node = contract::Node::Text(date);
    contract::format::Format::Date.holds(&node)
}

/// A name that needs no quotes in Bicep, or only for a dash.
pub(crate) fn is_plain_property(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'))
}

/// `global`: a letter and then letters or digits, at most 63.
pub(crate) fn is_location(text: &str) -> bool {
    text.len() <= MOST && text.starts_with(|c: char| c.is_ascii_alphabetic()) && is_alphanumeric(text)
}

fn is_alphanumeric(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_alphanumeric())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(is: fn(&str) -> bool, good: &[&str], bad: &[&str]) {
        for text in good {
            assert!(is(text), "{text}");
        }
        for text in bad {
            assert!(!is(text), "{text}");
        }
    }

    #[test]
    fn a_namespace_has_two_parts_with_capitals() {
        let good = ["MyCompany.Resources", "Company1.Resources2", "Ab.Cd"];
        let bad = [
            "",
            ".",
            "myCompany.Resources",
            "MyCompany.resources",
            "MyCompanyResources",
            "1Company.Resources",
            "My-Company.Resources",
            "A.B.C",
            "Ab.Cd.Ef",
            "A.Bc",
            "MyCompany.",
            ".Resources",
            "Ä1.Bc",
        ];
        check(is_namespace, &good, &bad);
    }

    #[test]
    fn a_type_name_begins_small() {
        check(
            is_type_name,
            &["widgets", "widgets2", "myWidgets"],
            &["", "w", "Widgets", "2widgets", "my-widgets", "my_widgets", "wä"],
        );
    }

    #[test]
    fn a_version_is_a_date_perhaps_a_preview() {
        let good = ["2023-10-01", "2023-10-01-preview", "2025-99-99"];
        let bad = [
            "",
            "20231001",
            "23-10-01",
            "2023-10-01-beta",
            "2023-10-01-preview-preview",
            "2023-1-01",
            "2023-10-01 ",
        ];
        check(is_api_version, &good, &bad);
        check(is_day, &["2024-02-29", "2023-10-01-preview"], &["2025-13-45", "2025-02-30-preview"]);
    }

    #[test]
    fn a_capability_begins_with_a_capital() {
        check(is_capability, &["Synchronous", "Sync2"], &["", "synchronous", "2Sync", "Sync-Async"]);
    }
}
