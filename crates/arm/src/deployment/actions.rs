//! What is done with what, by names such as `Our.Things/things/write`, and the sets of them that roles have.

use crate::Caseless as _;
use crate::Value;

/// How many patterns a set may have.
const MOST: usize = 100;
/// The longest pattern.
const LONGEST: usize = 200;

/// Actions that are allowed, and those of them that are not.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ActionSet {
    allowed: Vec<Pattern>,
    denied: Vec<Pattern>,
}

/// A name of actions in which `*` stands for any text.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Pattern(String);

/// Why there is no set of actions.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ActionError {
    /// A pattern is not one.
    #[error("`{}` is no pattern of actions; expected a type and what is done, such as `Our.Things/things/write` or `*/read`", diagnostics::bound::name(.0))]
    Pattern(String),
    /// There are too many.
    #[error("a role has more than {MOST} patterns of actions")]
    TooMany,
}

impl Pattern {
    fn parse(text: &str) -> Option<Pattern> {
        let is_part = |part: &str| {
            !part.is_empty() && part.bytes().all(|it| it.is_ascii_alphanumeric() || b"*._-".contains(&it))
        };
        let is_pattern = text.len() <= LONGEST && text.split('/').all(is_part);
        // What is done is always behind a type, unless everything is meant.
        (is_pattern && (text == "*" || text.contains('/'))).then(|| Pattern(text.caseless()))
    }

    /// Whether it stands for a name in lower case.
    fn fits(&self, name: &str) -> bool {
        let mut pieces = self.0.split('*');
        let Some(mut rest) = pieces.next().and_then(|first| name.strip_prefix(first)) else { return false };
        let mut pieces: Vec<&str> = pieces.collect();
        // Without a star the first piece is all of it.
        let Some(last) = pieces.pop() else { return rest.is_empty() };
        for piece in pieces {
            let Some((_, behind)) = rest.split_once(piece) else { return false };
            rest = behind;
        }
        rest.ends_with(last)
    }
}

impl ActionSet {
    /// The actions of some patterns without those of others.
    pub fn new<'p>(
        allowed: impl IntoIterator<Item = &'p str>,
        denied: impl IntoIterator<Item = &'p str>,
    ) -> Result<ActionSet, ActionError> {
        let read = |patterns: &mut dyn Iterator<Item = &'p str>| {
            let all = patterns.take(MOST + 1);
            let all =
                all.map(|text| Pattern::parse(text).ok_or_else(|| ActionError::Pattern(text.to_owned())));
            let all = all.collect::<Result<Vec<_>, _>>()?;
            if all.len() > MOST { Err(ActionError::TooMany) } else { Ok(all) }
        };
        Ok(ActionSet { allowed: read(&mut allowed.into_iter())?, denied: read(&mut denied.into_iter())? })
    }

    /// Whether something may be done with what is of a type.
    pub fn allows(&self, kind: &str, what: &str) -> bool {
        let name = format!("{kind}/{what}").caseless();
        let fits = |patterns: &[Pattern]| patterns.iter().any(|pattern| pattern.fits(&name));
        fits(&self.allowed) && !fits(&self.denied)
    }

    /// The patterns of what is allowed, in lower case.
    pub fn allowed(&self) -> impl Iterator<Item = &str> {
        self.allowed.iter().map(|pattern| pattern.0.as_str())
    }

    /// The patterns of what is not allowed although the others say so, in lower case.
    pub fn denied(&self) -> impl Iterator<Item = &str> {
        self.denied.iter().map(|pattern| pattern.0.as_str())
    }

    /// The set as JSON: `{"actions", "notActions"}`.
    pub fn to_value(&self) -> Value {
        let list = |patterns: &[Pattern]| {
            Value::array(patterns.iter().map(|pattern| Value::text(pattern.0.as_str())).collect())
        };
        Value::object([("actions", list(&self.allowed)), ("notActions", list(&self.denied))])
    }

    /// The set that was written; none if it cannot be read.
    pub fn from_value(value: &Value) -> Option<ActionSet> {
        let list = |name: &str| {
            let items = value.as_object()?.get(name)?.as_array()?.iter();
            items.map(Value::as_str).collect::<Option<Vec<_>>>()
        };
        ActionSet::new(list("actions")?, list("notActions")?).ok()
    }
}

/// The type of what a path names, and the last part of it if that is a collection or an action and no name.
pub fn type_of_path<'p>(path: impl IntoIterator<Item = &'p str>) -> (String, Option<&'p str>) {
    let parts: Vec<&str> = path.into_iter().collect();
    let is = |part: Option<&&str>, word: &str| part.is_some_and(|part| part.eq_ignore_ascii_case(word));
    let of_provider = parts.iter().rposition(|part| part.eq_ignore_ascii_case("providers"));
    let of_provider = of_provider.and_then(|at| Some((*parts.get(at + 1)?, parts.get(at + 2..)?)));
    let (namespace, rest) = match of_provider {
        Some(found) => found,
        None if is(parts.first(), "subscriptions") => ("Microsoft.Resources", parts.as_slice()),
        None if is(parts.first(), "planes") => ("Planes", parts.get(1..).unwrap_or_default()),
        None if is(parts.first(), "tendon") => ("Tendon", parts.get(1..).unwrap_or_default()),
        None => ("Tendon", parts.as_slice()),
    };
    let types = rest.iter().step_by(2).fold(namespace.to_owned(), |all, part| format!("{all}/{part}"));
    (types, rest.last().copied().filter(|_| rest.len() % 2 == 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_star_stands_for_any_text() {
        let set = ActionSet::new(["*/read", "Our.*/things/*", "A.B/c/write"], ["*/secrets/*"]).unwrap();
        for (kind, what) in [
            ("Any.Thing/at", "read"),
            ("our.things/Things", "write"),
            ("Our.Things/things", "listKeys/action"),
            ("a.b/C", "WRITE"),
        ] {
            assert!(set.allows(kind, what), "{kind}/{what}");
        }
        for (kind, what) in [
            ("Any.Thing/at", "write"),
            ("Any.Thing/at", "reader"),
            ("Your.Things/things", "write"),
            ("Our.Things/others", "write"),
            ("A.B/c/d", "write"),
            ("Our.Things/things/secrets", "read"),
        ] {
            assert!(!set.allows(kind, what), "{kind}/{what}");
        }
        assert!(ActionSet::new(["*"], []).unwrap().allows("A.B/c", "delete"));
        assert!(!ActionSet::new(["a*a/b"], []).unwrap().allows("a", "b"));
        assert!(!ActionSet::default().allows("A.B/c", "read"));
    }

    #[test]
    fn a_pattern_has_a_type_and_what_is_done() {
        for wrong in ["", "read", "/read", "a//b", "a/b/", "a b/c", "a/b?", "ä/read"] {
            assert_eq!(ActionSet::new([wrong], []), Err(ActionError::Pattern(wrong.to_owned())));
        }
        assert_eq!(ActionSet::new(std::iter::repeat("*"), []), Err(ActionError::TooMany));
    }

    #[test]
    fn a_set_is_kept_and_read_again() {
        let set = ActionSet::new(["*/read", "A.B/c/*"], ["A.B/c/delete"]).unwrap();
        assert_eq!(ActionSet::from_value(&set.to_value()), Some(set));
        assert_eq!(ActionSet::from_value(&Value::Null), None);
    }

    #[test]
    fn a_path_names_something_of_a_type() {
        let of = |path: &'static str| {
            let (kind, last) = type_of_path(path.split('/').filter(|part| !part.is_empty()));
            format!("{kind} {}", last.unwrap_or("-"))
        };
        let group = "/subscriptions/S/resourceGroups/G";
        assert_eq!(of(group), "Microsoft.Resources/subscriptions/resourceGroups -");
        assert_eq!(of("/subscriptions"), "Microsoft.Resources/subscriptions subscriptions");
        for (rest, expected) in [
            ("/providers/A.B/c/d", "A.B/c -"),
            ("/providers/A.B/c/d/e/f", "A.B/c/e -"),
            ("/providers/A.B/c/d/providers/E.F/g/h", "E.F/g -"),
            ("/providers/A.B/c/d/listKeys", "A.B/c/listKeys listKeys"),
            ("/providers/A.B/c", "A.B/c c"),
        ] {
            let path: &'static str = Box::leak(format!("{group}{rest}").into_boxed_str());
            assert_eq!(of(path), expected);
        }
        assert_eq!(of("/tendon/tokens/x"), "Tendon/tokens -");
        assert_eq!(of("/metrics"), "Tendon/metrics metrics");
        assert_eq!(of("/planes/radius/local/resourceGroups/g"), "Planes/radius/resourceGroups -");
        assert_eq!(of("/subscriptions/S/providers"), "Microsoft.Resources/subscriptions/providers providers");
    }
}
