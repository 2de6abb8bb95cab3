//! What a put would change of a resource that is there. What a service adds by itself is no change.

use arm::Caseless as _;
use arm::{ObjectBuilder, Value};

/// A resource before and after a put. Where both are the same, they are equal.
pub(crate) struct BeforeAfter {
    /// What is there. Where the template has a secret that differs, what is there counts as one.
    pub(crate) before: Value,
    /// What would be there.
    pub(crate) after: Value,
}

/// What a put of a body would make of a state. Members that the body does not have stay: the service gave them, or keeps them.
pub(crate) fn change(live: &Value, body: &Value) -> BeforeAfter {
    let (before, after) = align(live, body, ComparisonRule::Top);
    BeforeAfter { before, after }
}

/// Where in a resource something stands, as far as that changes how it is compared.
#[derive(Clone, Copy, PartialEq, Eq)]
enum ComparisonRule {
    Top,
    /// `West US` is `westus`.
    Location,
    /// What is not named here is gone.
    Tags,
    Elsewhere,
}

/// Both sides of a value. Recursion is bounded by how deep a value may nest.
fn align(live: &Value, wanted: &Value, place: ComparisonRule) -> (Value, Value) {
    let same = || (live.clone(), live.clone());
    match (live, wanted) {
        (_, Value::Secret(_)) => match live.expose() == wanted.expose() {
            true => same(),
            // Both are secrets, so that what is shown is only that they differ.
            false => (live.clone().secret(), wanted.clone()),
        },
        (Value::Secret(_), _) if live.expose() == *wanted => same(),
        (Value::Object(_), Value::Object(_)) => object(live, wanted, place),
        (Value::Array(_), Value::Array(_)) => array(live, wanted),
        _ if is_same(live, wanted, place) => same(),
        _ => (live.clone(), wanted.clone()),
    }
}

fn object(live: &Value, wanted: &Value, place: ComparisonRule) -> (Value, Value) {
    let (mut before, mut after) = (ObjectBuilder::default(), ObjectBuilder::default());
    let (live, wanted) = (live.as_object(), wanted.as_object());
    for (name, member) in live.into_iter().flatten() {
        let (old, new) = match wanted.and_then(|wanted| wanted.get(name)) {
            Some(wanted) => {
                let (old, new) = align(member, wanted, below(place, name));
                (old, Some(new))
            }
            None if place == ComparisonRule::Tags => (member.clone(), None),
            None => (member.clone(), Some(member.clone())),
        };
        before.insert(name.clone(), old);
        if let Some(new) = new {
            after.insert(name.clone(), new);
        }
    }
    let is_new = |name: &str| live.is_none_or(|live| live.get(name).is_none());
    for (name, member) in wanted.into_iter().flatten().filter(|(name, _)| is_new(name)) {
        if let Some(member) = visible(member) {
            after.insert(name.clone(), member);
        }
    }
    (before.finish(), after.finish())
}

fn below(place: ComparisonRule, name: &str) -> ComparisonRule {
    match place {
        ComparisonRule::Top if name.eq_ignore_ascii_case("location") => ComparisonRule::Location,
        ComparisonRule::Top if name.eq_ignore_ascii_case("tags") => ComparisonRule::Tags,
        ComparisonRule::Top | ComparisonRule::Location | ComparisonRule::Tags | ComparisonRule::Elsewhere => {
            ComparisonRule::Elsewhere
        }
    }
}

/// What would be seen of something new: services do not show secrets, so that nobody can tell whether one is there already. An object or a list
/// of nothing else is not seen either.
fn visible(value: &Value) -> Option<Value> {
    if !value.has_secret() {
        return Some(value.clone());
    }
    match value {
        Value::Object(object) => {
            let mut members = ObjectBuilder::default();
            for (name, member) in &**object {
                if let Some(member) = visible(member) {
                    members.insert(name.clone(), member);
                }
            }
            let members = members.finish();
            members.as_object().is_some_and(|members| !members.is_empty()).then_some(members)
        }
        Value::Array(list) => {
            let items: Vec<Value> = list.items().iter().filter_map(visible).collect();
            (!items.is_empty()).then(|| Value::array(items))
        }
        _ => None,
    }
}

/// Lists: items are the same if they have the same name, or else if they stand at the same place.
fn array(live: &Value, wanted: &Value) -> (Value, Value) {
    let (old, new) = (live.as_array().unwrap_or_default(), wanted.as_array().unwrap_or_default());
    let (old_names, new_names) = (names(old), names(new));
    let by_name = |name: &str, names: &Option<Vec<String>>, items: &[Value]| -> Option<Value> {
        let at = names.as_ref()?.iter().position(|other| other == name)?;
        items.get(at).cloned()
    };
    if let (Some(old_names), Some(_)) = (&old_names, &new_names)
        && old.len() == new.len()
    {
        // The service may have them in another order.
        let pairs: Option<Vec<(Value, Value)>> = old
            .iter()
            .zip(old_names)
            .map(|(item, name)| {
                Some(align(item, &by_name(name, &new_names, new)?, ComparisonRule::Elsewhere))
            })
            .collect();
        if let Some(pairs) = pairs {
            let (before, after) = pairs.into_iter().unzip();
            return (Value::array(before), Value::array(after));
        }
    }
    if old.len() == new.len() {
        let pairs = old.iter().zip(new).map(|(old, new)| align(old, new, ComparisonRule::Elsewhere));
        let (before, after): (Vec<Value>, Vec<Value>) = pairs.unzip();
        return (Value::array(before), Value::array(after));
    }
    // What stays keeps what the service added to it.
    let after = new.iter().enumerate().map(|(at, item)| {
        let name = new_names.as_ref().and_then(|names| names.get(at));
        match name.and_then(|name| by_name(name, &old_names, old)) {
            Some(old) => align(&old, item, ComparisonRule::Elsewhere).1,
            None => visible(item).unwrap_or(Value::Null),
        }
    });
    (live.clone(), Value::array(after.collect()))
}

/// The names of items, in lower case; none if not all have one of their own.
fn names(items: &[Value]) -> Option<Vec<String>> {
    let name = |item: &Value| Some(item.as_object()?.get("name")?.as_str()?.caseless());
    let names: Vec<String> = items.iter().map(name).collect::<Option<_>>()?;
    let distinct: std::collections::BTreeSet<&String> = names.iter().collect();
    (distinct.len() == names.len()).then_some(names)
}

fn is_same(live: &Value, wanted: &Value, place: ComparisonRule) -> bool {
    if live == wanted {
        return true;
    }
    let (Some(live), Some(wanted)) = (live.as_str(), wanted.as_str()) else {
        return live.to_json() == wanted.to_json();
    };
    if place == ComparisonRule::Location {
        let plain = |text: &str| text.replace(' ', "").caseless();
        return plain(live) == plain(wanted);
    }
    // Ids do not depend on case.
    let is_id =
        wanted.starts_with('/') && wanted.contains("/providers/") || wanted.starts_with("/subscriptions/");
    is_id && live.eq_ignore_ascii_case(wanted)
}

#[cfg(test)]
mod tests {
    use engine::records::parse;

    use super::*;

    #[track_caller]
    fn check(live: &str, body: &str, before: &str, after: &str) {
        let change = change(&parse(live).unwrap(), &parse(body).unwrap());
        assert_eq!((change.before.to_json(), change.after.to_json()), (before.to_owned(), after.to_owned()));
    }

    #[track_caller]
    fn unchanged(live: &str, body: &str) {
        check(live, body, live, live);
    }

    #[test]
    fn what_the_service_adds_is_no_change() {
        unchanged(
            r#"{"id":"/x","etag":"1","location":"westus","properties":{"a":1,"provisioningState":"Succeeded","b":{"c":1,"d":2}}}"#,
            r#"{"location":"West US","properties":{"a":1,"b":{"c":1}}}"#,
        );
        unchanged(
            r#"{"s":[{"name":"b","id":"/2","p":2},{"name":"a","id":"/1"}]}"#,
            r#"{"s":[{"name":"a"},{"name":"b","p":2}]}"#,
        );
        unchanged(r#"{"s":[{"p":1,"q":2},{"p":3}]}"#, r#"{"s":[{"p":1},{"p":3}]}"#);
        unchanged(
            r#"{"id":"/subscriptions/S/resourcegroups/G/providers/A.B/c/d"}"#,
            r#"{"id":"/subscriptions/s/resourceGroups/g/providers/A.B/c/d"}"#,
        );
    }

    #[test]
    fn what_the_template_says_otherwise_is_a_change() {
        check(
            r#"{"p":{"a":1,"z":0}}"#,
            r#"{"p":{"a":2,"b":3}}"#,
            r#"{"p":{"a":1,"z":0}}"#,
            r#"{"p":{"a":2,"z":0,"b":3}}"#,
        );
        check(
            r#"{"tags":{"a":"1","b":"2"}}"#,
            r#"{"tags":{"a":"1"}}"#,
            r#"{"tags":{"a":"1","b":"2"}}"#,
            r#"{"tags":{"a":"1"}}"#,
        );
        check(r#"{"s":[1,2]}"#, r#"{"s":[1,3]}"#, r#"{"s":[1,2]}"#, r#"{"s":[1,3]}"#);
        check(
            r#"{"s":[{"name":"a","id":"/1"},{"name":"b"}]}"#,
            r#"{"s":[{"name":"a"}]}"#,
            r#"{"s":[{"name":"a","id":"/1"},{"name":"b"}]}"#,
            r#"{"s":[{"name":"a","id":"/1"}]}"#,
        );
        check(r#"{"a":"West US"}"#, r#"{"a":"westus"}"#, r#"{"a":"West US"}"#, r#"{"a":"westus"}"#);
        check(r#"{"a":1}"#, r#"{"a":"1"}"#, r#"{"a":1}"#, r#"{"a":"1"}"#);
    }

    #[test]
    fn secrets_that_are_not_shown_cannot_be_compared() {
        let secret = |text: &str| Value::text(text).secret();
        let live = parse(r#"{"p":{"shown":"one","same":"same"}}"#).unwrap();
        let body = Value::object([(
            "p",
            Value::object([("hidden", secret("x")), ("shown", secret("two")), ("same", secret("same"))]),
        )]);
        let change = change(&live, &body);
        let member = |value: &Value, name: &str| value.as_object()?.get("p")?.as_object()?.get(name).cloned();
        assert_eq!(member(&change.after, "hidden"), None);
        assert_eq!(member(&change.after, "same"), member(&change.before, "same"));
        let (before, after) =
            (member(&change.before, "shown").unwrap(), member(&change.after, "shown").unwrap());
        assert!(before.is_secret() && after.is_secret() && before != after);
    }
}
