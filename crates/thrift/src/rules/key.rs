//! Annotation keys: `vt.elem.gt` to a way into the type and a validator at its end.

use super::table::{VALIDATORS, Validator, find};

/// A step from a container to its parts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum KeyStep {
    /// The elements of a list or set.
    Elem,
    /// The keys of a map.
    Key,
    /// The values of a map.
    Value,
}

impl KeyStep {
    pub(super) fn name(self) -> &'static str {
        match self {
            KeyStep::Elem => "elem",
            KeyStep::Key => "key",
            KeyStep::Value => "value",
        }
    }

    fn parse(name: &str) -> Option<KeyStep> {
        [KeyStep::Elem, KeyStep::Key, KeyStep::Value].into_iter().find(|part| part.name() == name)
    }
}

/// A key that is a rule.
#[derive(Clone, Debug)]
pub(super) struct RuleKey {
    pub(super) chain: Vec<KeyStep>,
    pub(super) validator: &'static Validator,
    /// Whether the value is literal, whatever it looks like.
    pub(super) escaped: bool,
}

/// What a key turned out to be.
#[derive(Debug)]
pub(super) enum Key {
    Rule(RuleKey),
    /// Begins like a rule, but is none: what is wrong and what to do.
    Bad(String, Option<String>),
    /// Looks like a misspelt prefix.
    NearMiss(&'static str),
    /// An annotation that is for others, and no rule.
    Foreign,
}

/// The prefixes that all mean the same.
const PREFIXES: [&str; 3] = ["vt", "validate", "validator"];

pub(super) fn parse(key: &str) -> Key {
    let Some((prefix, rest)) = key.split_once('.') else {
        return match PREFIXES.contains(&key) {
            true => Key::Bad(
                format!("`{key}` names no validator"),
                Some(format!("write `{key}.` and a validator")),
            ),
            false => Key::Foreign,
        };
    };
    if !PREFIXES.contains(&prefix) {
        return near_miss(prefix, rest);
    }
    let mut chain = Vec::new();
    let mut parts = rest.split('.').peekable();
    while let Some(name) = parts.next() {
        if parts.peek().is_some() {
            match KeyStep::parse(name) {
                Some(part) => chain.push(part),
                None => {
                    let parts = ["elem", "key", "value"];
                    let near = diagnostics::suggest(name, parts)
                        .or_else(|| parts.into_iter().find(|part| name.starts_with(part)));
                    return Key::Bad(
                        format!(
                            "`{name}` leads nowhere: only `elem`, `key` and `value` can stand before a validator"
                        ),
                        near.map(|near| format!("did you mean `{near}`?")),
                    );
                }
            }
            continue;
        }
        return last(name, chain);
    }
    Key::Bad(format!("`{key}` names no validator"), None)
}

fn last(name: &str, chain: Vec<KeyStep>) -> Key {
    if let Some(validator) = find(name) {
        return Key::Rule(RuleKey { chain, validator, escaped: false });
    }
    if let Some(base) = name.strip_suffix("_escape")
        && let Some(validator) = find(base)
    {
        return match validator.escapes {
            true => Key::Rule(RuleKey { chain, validator, escaped: true }),
            false => Key::Bad(format!("`{base}` has nothing to escape"), Some(format!("write `{base}`"))),
        };
    }
    if KeyStep::parse(name).is_some() {
        let hint = format!("write a validator behind it: `{name}.gt`");
        return Key::Bad(format!("`{name}` names no validator"), Some(hint));
    }
    Key::Bad(format!("there is no validator `{name}`"), did_you_mean(name))
}

/// What was probably meant by a name that no validator has, given without its prefix.
pub fn did_you_mean(name: &str) -> Option<String> {
    let other = OTHER_NAMES.iter().find(|(names, _)| names.split(' ').any(|other| other == name));
    other.map(|(_, ours)| format!("did you mean {ours}?")).or_else(|| {
        let names = VALIDATORS.iter().map(|validator| validator.name).chain(["elem", "key", "value"]);
        diagnostics::suggest(name, names).map(|near| format!("did you mean `{near}`?"))
    })
}

/// What validators are called elsewhere, and what they are called here.
const OTHER_NAMES: &[(&str, &str)] = &[
    ("gte min_value minimum at_least", "`ge`"),
    ("lte max_value maximum at_most", "`le`"),
    ("min", "`ge` for a number, or `min_size` for a length"),
    ("max", "`le` for a number, or `max_size` for a length"),
    ("greater greater_than exclusive_minimum", "`gt`"),
    ("less less_than exclusive_maximum", "`lt`"),
    ("equal equals", "`eq`"),
    ("not_equal not_equals neq", "`ne`"),
    ("range between", "`ge` and `le`"),
    ("len length size count", "`min_size` and `max_size`"),
    ("min_len min_length min_items min_pairs minlen minLength minItems", "`min_size`"),
    ("max_len max_length max_items max_pairs maxlen maxLength maxItems", "`max_size`"),
    ("min_runes min_chars", "`min_rune_size`"),
    ("max_runes max_chars", "`max_rune_size`"),
    ("not_empty nonempty non_empty no_empty", "`min_size = \"1\"`"),
    ("regex regexp match matches re", "`pattern`"),
    ("required not_null notnull non_null nonnull not_none nonnil present", "`not_nil`"),
    ("one_of oneof enum any_of values choices", "`in`"),
    ("none_of not_one_of", "`not_in`"),
    ("starts_with has_prefix", "`prefix`"),
    ("ends_with has_suffix", "`suffix`"),
    ("defined valid_enum", "`defined_only`"),
    ("element elements items item each", "`elem.` and a validator"),
    ("keys", "`key.` and a validator"),
    ("unique_items uniqueItems distinct uniq", "`unique`"),
    ("msg error err", "`message`"),
    ("secret sensitive mask password", "`redact`"),
    ("expr expression cel", "`assert`, which stands behind a struct"),
    ("email", "`format = \"email\"`"),
    ("uuid", "`format = \"uuid\"`"),
    ("uri url", "`format = \"uri\"`"),
    ("ip ipv4", "`format = \"ipv4\"`"),
    ("ipv6", "`format = \"ipv6\"`"),
    ("hostname host", "`format = \"hostname\"`"),
    ("date", "`format = \"date\"`"),
    ("datetime date_time timestamp", "`format = \"date-time\"`"),
];

/// Prefixes that people write by mistake; whoever does believes to be protected.
fn near_miss(prefix: &str, rest: &str) -> Key {
    let first = rest.split('.').next().unwrap_or(rest);
    let is_rule = KeyStep::parse(first).is_some() || find(first).is_some();
    let near = matches!(prefix, "vld" | "valid" | "validation" | "validators" | "vts" | "VT" | "Vt" | "v")
        || diagnostics::suggest(prefix, PREFIXES).is_some();
    if is_rule && near { Key::NearMiss("vt") } else { Key::Foreign }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rule(key: &str) -> (Vec<&'static str>, &'static str, bool) {
        match parse(key) {
            Key::Rule(rule) => {
                (rule.chain.iter().map(|part| part.name()).collect(), rule.validator.name, rule.escaped)
            }
            other => panic!("{key}: {other:?}"),
        }
    }

    #[track_caller]
    fn bad(key: &str, message: &str, hint: Option<&str>) {
        match parse(key) {
            Key::Bad(found, help) => {
                assert!(found.contains(message), "{found}");
                assert_eq!(help.as_deref(), hint);
            }
            other => panic!("{key}: {other:?}"),
        }
    }

    #[test]
    fn prefixes_mean_the_same() {
        for prefix in PREFIXES {
            assert_eq!(rule(&format!("{prefix}.gt")), (vec![], "gt", false));
        }
    }

    #[test]
    fn chains_lead_to_parts_of_any_depth() {
        assert_eq!(rule("vt.value.elem.key.min_size"), (vec!["value", "elem", "key"], "min_size", false));
    }

    #[test]
    fn escape_belongs_to_the_last_name() {
        assert_eq!(rule("vt.elem.eq_escape"), (vec!["elem"], "eq", true));
        bad("vt.gt_escape", "nothing to escape", Some("write `gt`"));
    }

    #[test]
    fn unknown_names_get_a_suggestion() {
        bad("vt.nosuch", "no validator `nosuch`", None);
        bad("vt.min_sise", "no validator", Some("did you mean `min_size`?"));
        bad("vt.gte", "no validator", Some("did you mean `ge`?"));
        bad("vt.min", "no validator", Some("did you mean `ge` for a number, or `min_size` for a length?"));
        bad("vt.len", "no validator", Some("did you mean `min_size` and `max_size`?"));
        bad("vt.elem.regex", "no validator", Some("did you mean `pattern`?"));
        bad("vt.required", "no validator", Some("did you mean `not_nil`?"));
        bad("vt.email", "no validator", Some("did you mean `format = \"email\"`?"));
        bad("vt.element.gt", "leads nowhere", Some("did you mean `elem`?"));
        bad("vt.elem", "names no validator", Some("write a validator behind it: `elem.gt`"));
    }

    #[test]
    fn other_names_are_none_of_ours_and_named_once() {
        let mut seen = Vec::new();
        for name in OTHER_NAMES.iter().flat_map(|(names, _)| names.split(' ')) {
            assert!(find(name).is_none() && !seen.contains(&name), "{name}");
            seen.push(name);
        }
    }

    #[test]
    fn annotations_of_others_are_left_alone() {
        assert!(matches!(parse("go.tag"), Key::Foreign));
        assert!(matches!(parse("api.query"), Key::Foreign));
        assert!(matches!(parse("deprecated"), Key::Foreign));
    }

    #[test]
    fn misspelt_prefixes_are_noticed() {
        assert!(matches!(parse("vld.gt"), Key::NearMiss("vt")));
        assert!(matches!(parse("valid.min_size"), Key::NearMiss("vt")));
    }
}
