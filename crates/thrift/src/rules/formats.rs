//! Well-known formats as patterns: what `vt.format` asks for.
//!
//! Patterns mean the same on bytes and in every language that code is generated for, and so does what is made of
//! them. They accept what the formats of contracts accept, which a test holds them to, with one exception: a leap
//! second is only known at 23:59 UTC, written with a `Z`.

use contract::format::Format;

/// The formats that a string can be asked to have.
pub(super) const FORMATS: &[Format] = &[
    Format::Date,
    Format::DateTime,
    Format::Duration,
    Format::Email,
    Format::Hostname,
    Format::Ipv4,
    Format::Ipv6,
    Format::Time,
    Format::Uri,
    Format::Uuid,
];

const DATE: &str = "(?:[0-9]{4}-(?:(?:0[13578]|1[02])-(?:0[1-9]|[12][0-9]|3[01])|(?:0[469]|11)-(?:0[1-9]|[12][0-9]|30)|\
                    02-(?:0[1-9]|1[0-9]|2[0-8]))|(?:[0-9]{2}(?:0[48]|[2468][048]|[13579][26])|\
                    (?:[02468][048]|[13579][26])00)-02-29)";
const MINUTES: &str = "(?:[01][0-9]|2[0-3]):[0-5][0-9]";
const IPV4: &str =
    "(?:(?:25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])\\.){3}(?:25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])";
const LABEL: &str = "[0-9A-Za-z](?:[0-9A-Za-z-]{0,61}[0-9A-Za-z])?";
const ATOM: &str = "[0-9A-Za-z!#$%&'*+/=?^_`{|}~-]+";

/// The patterns that a text must match, all of them; none for a format that is not known here.
pub(super) fn patterns(format: Format) -> Vec<String> {
    match format {
        Format::Date => vec![format!("^{DATE}$")],
        Format::Time => vec![format!("^{}$", time())],
        Format::DateTime => vec![format!("^{DATE}[Tt]{}$", time())],
        Format::Duration => vec![duration()],
        Format::Email => vec![
            format!(
                "^(?:{ATOM}(?:\\.{ATOM})*|\"(?:[ !#-\\[\\]-~]|\\\\[ -~])*\")@(?:{LABEL}(?:\\.{LABEL})*|\\[(?:{IPV4}|(?i:ipv6):{})\\])$",
                ipv6()
            ),
            "^.{1,64}@[^@]*$".to_owned(),
            "^.{0,254}$".to_owned(),
        ],
        Format::Hostname => vec![format!("^{LABEL}(?:\\.{LABEL})*$"), "^.{0,253}$".to_owned()],
        Format::Ipv4 => vec![format!("^{IPV4}$")],
        Format::Ipv6 => vec![format!("^{}$", ipv6())],
        Format::Uri => vec![uri()],
        Format::Uuid => vec!["^[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}$".to_owned()],
        _ => Vec::new(),
    }
}

fn time() -> String {
    format!("(?:{MINUTES}:[0-5][0-9](?:\\.[0-9]+)?(?:[Zz]|[+-]{MINUTES})|23:59:60(?:\\.[0-9]+)?[Zz])")
}

fn duration() -> String {
    // Units that are neighbours, from any of them on.
    let units = |[a, b, c]: [char; 3]| {
        format!("(?:[0-9]+{a}(?:[0-9]+{b}(?:[0-9]+{c})?)?|[0-9]+{b}(?:[0-9]+{c})?|[0-9]+{c})")
    };
    let (date, time) = (units(['Y', 'M', 'D']), units(['H', 'M', 'S']));
    format!("^P(?:[0-9]+W|{date}(?:T{time})?|T{time})$")
}

fn ipv6() -> String {
    let group = "[0-9A-Fa-f]{1,4}";
    let last = format!("(?:{group}:{group}|{IPV4})");
    // So many groups before the gap, at most, and what stands behind it.
    let gap = |before: usize, after: String| match before {
        0 => format!("::{after}"),
        1 => format!("(?:{group})?::{after}"),
        _ => format!("(?:(?:{group}:){{0,{}}}{group})?::{after}", before - 1),
    };
    let mut forms = vec![format!("(?:{group}:){{6}}{last}")];
    for before in 0..=4 {
        let after = 5 - before;
        forms.push(match after {
            0 => gap(before, last.clone()),
            _ => gap(before, format!("(?:{group}:){{{after}}}{last}")),
        });
    }
    forms.push(gap(5, last));
    forms.push(gap(6, group.to_owned()));
    forms.push(gap(7, String::new()));
    format!("(?:{})", forms.join("|"))
}

fn uri() -> String {
    let name = "A-Za-z0-9._~!$&'()*+,;=-";
    let encoded = "%[0-9A-Fa-f]{2}";
    let part = format!("(?:[:@{name}]|{encoded})");
    let path = format!("(?:[/:@{name}]|{encoded})*");
    let query = format!("(?:[/?:@{name}]|{encoded})*");
    let literal = format!("\\[(?:{}|[vV][0-9A-Fa-f]+\\.[:{name}]+)\\]", ipv6());
    let authority =
        format!("(?:(?:[:{name}]|{encoded})*@)?(?:{literal}|(?:[{name}]|{encoded})*)(?::[0-9]*)?");
    format!(
        "^[A-Za-z][A-Za-z0-9+.-]*:(?://{authority}(?:/{path})?|/(?:{part}{path})?|(?:{part}{path})?)(?:\\?{query})?(?:#{query})?$"
    )
}

#[cfg(test)]
mod tests {
    use contract::Node;
    use contract::pattern::{Pattern, PatternSyntax};
    use proptest::prelude::*;

    use super::*;

    fn is_of(format: Format, text: &str) -> bool {
        patterns(format)
            .iter()
            .all(|it| Pattern::new(PatternSyntax::Re2, it).unwrap().is_match(text.as_bytes()))
    }

    /// Texts that are near enough to a format to be of it, or nearly so.
    fn near(format: Format) -> &'static str {
        match format {
            Format::Date => "[0-9]{4}-[01][0-9]-[0-3][0-9]",
            Format::DateTime => {
                "[0-9]{4}-0[1-9]-[0-2][0-9][Tt ][0-2][0-9]:[0-6][0-9]:[0-5][0-9](\\.[0-9]{0,3})?([zZ]|[+-][0-2][0-9]:[0-6][0-9])"
            }
            Format::Time => {
                "[0-2][0-9]:[0-6][0-9]:[0-5][0-9](\\.[0-9]{0,3})?([zZ]?|[+-][0-2][0-9]:[0-6][0-9])"
            }
            Format::Duration => "P([0-9]{1,2}[YMDW]){0,3}(T([0-9]{1,2}[HMS]){0,3})?",
            Format::Email => {
                "([a-c.]{0,3}|[a-b]{60,66}|\"[a@\\\\\" ]{0,3}\")@([a-c.-]{0,5}|\\[(IPv6:|ipv6:)?[0-9a:.]{0,9}\\])"
            }
            Format::Hostname => "[a-cA-C0-9.-]{0,8}|[a-z]{60,65}(\\.[a-z]{60,63}){0,4}",
            Format::Ipv4 => "([0-9]{1,3}\\.){3}[0-9]{1,3}",
            Format::Ipv6 => {
                "[0-9a-f:.]{0,20}|(::)?([0-9a-f]{1,4}:){0,7}(:[0-9a-f]{1,4}){0,7}|([0-9a-f]{1,3}:){0,7}:?([0-9]{1,3}\\.){3}[0-9]{1,3}"
            }
            Format::Uri => {
                "[a1]{0,2}:(/{0,3})([a:@%2F/?#\\[\\].]{0,8}|\\[([0-9a:]{0,6}|v1\\.[a:]{0,2})\\](:[0-9a]{0,2})?)[/?#a%2\\[]{0,4}"
            }
            Format::Uuid => "[0-9a-fA-Fg]{8}(-[0-9a-f]{4}){2,3}-[0-9a-f]{12}",
            _ => ".{0,4}",
        }
    }

    #[test]
    fn every_format_has_its_patterns() {
        for format in FORMATS {
            assert!(!patterns(*format).is_empty(), "{format}");
        }
    }

    #[test]
    fn leap_seconds_are_written_with_a_z() {
        assert!(is_of(Format::Time, "23:59:60Z"));
        assert!(!is_of(Format::Time, "22:59:60Z"));
        assert!(!is_of(Format::Time, "00:59:60+01:00"));
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(400))]

        #[test]
        fn patterns_accept_what_contracts_accept(
            (format, text) in proptest::sample::select(FORMATS)
                .prop_flat_map(|format| (Just(format), proptest::string::string_regex(near(format)).unwrap()))
        ) {
            prop_assert_eq!(is_of(format, &text), format.holds(&Node::Text(&text)), "{} {:?}", format, text);
        }

        #[test]
        fn patterns_refuse_what_contracts_refuse(text in "\\PC{0,12}\\n?") {
            for format in FORMATS {
                prop_assert_eq!(is_of(*format, &text), format.holds(&Node::Text(&text)), "{} {:?}", format, text);
            }
        }
    }
}
