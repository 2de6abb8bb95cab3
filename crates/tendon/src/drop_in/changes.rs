//! What differs between the resources of two snapshots, as the public Bicep command tells it.
//!
//! Objects are compared member by member and arrays by their longest common part. Members have paths with dots; the
//! elements of an array are changes inside it, by index.

use std::cmp::Ordering;
use std::collections::HashMap;

use arm::Caseless as _;
use arm::Value;
use smol_str::SmolStr;

/// A resource that differs.
#[derive(Debug)]
pub(super) struct ResourceDifference<'v> {
    /// The id, or the type of a resource of an extension, which has no id.
    pub(super) id: &'v str,
    pub(super) kind: ChangeDetail<'v>,
}

/// How a resource differs.
#[derive(Debug)]
pub(super) enum ChangeDetail<'v> {
    Delete(&'v Value),
    Create(&'v Value),
    /// It has other properties.
    Modify(Vec<PropertyDifference<'v>>),
    /// It stays as it is.
    Keep,
}

/// A property that differs.
#[derive(Debug)]
pub(super) struct PropertyDifference<'v> {
    /// Names with dots, the index of an element, or nothing for an array inside an array.
    pub(super) path: String,
    pub(super) delta: Delta<'v>,
}

/// How a property differs.
#[derive(Debug)]
pub(super) enum Delta<'v> {
    Delete(&'v Value),
    Create(&'v Value),
    /// It has another value.
    Replace(&'v Value, &'v Value),
    /// It is an element of an array, and differs inside.
    Inside(Vec<PropertyDifference<'v>>),
    /// It is an array with other elements.
    Array(Vec<PropertyDifference<'v>>),
}

/// How many pairs of elements are compared to find what two arrays have in common; beyond it, they are paired from the end.
const MAX_PAIRS: usize = 1 << 18;

/// An element of an array with its number, see [`numbered`].
type Element<'v> = (&'v Value, usize);

/// The resources that differ, in the order of their ids.
pub(super) fn between<'v>(before: &'v [Value], after: &'v [Value]) -> Vec<ResourceDifference<'v>> {
    let (before, after) = (by_key(before), by_key(after));
    let (mut before, mut after) = (before.iter().peekable(), after.iter().peekable());
    let mut changes = Vec::new();
    loop {
        let order = match (before.peek(), after.peek()) {
            (None, None) => return changes,
            (Some(_), None) => Ordering::Less,
            (None, Some(_)) => Ordering::Greater,
            (Some((old, _)), Some((new, _))) => old.cmp(new),
        };
        let old = if order.is_le() { before.next() } else { None };
        let new = if order.is_ge() { after.next() } else { None };
        match (old, new) {
            (Some((_, old)), Some((_, new))) => {
                let properties = properties(old, new);
                if !properties.is_empty() {
                    changes
                        .push(ResourceDifference { id: label(new), kind: ChangeDetail::Modify(properties) });
                }
            }
            (Some((_, old)), None) => {
                changes.push(ResourceDifference { id: label(old), kind: ChangeDetail::Delete(old) })
            }
            (None, Some((_, new))) => {
                changes.push(ResourceDifference { id: label(new), kind: ChangeDetail::Create(new) })
            }
            (None, None) => {}
        }
    }
}

/// Resources with what they are recognised by: their ids, or for those of extensions their types and identifiers.
fn by_key(resources: &[Value]) -> Vec<(String, &Value)> {
    let key = |resource: &Value| match member(resource, "id") {
        Some(id) => id.to_json().caseless(),
        None => {
            let part = |name| member(resource, name).map(Value::to_json).unwrap_or_default();
            format!("{} {}", part("type"), part("identifiers"))
        }
    };
    let mut keyed: Vec<_> = resources.iter().map(|resource| (key(resource), resource)).collect();
    keyed.sort_by(|(one, _), (other, _)| one.cmp(other));
    keyed
}

fn member<'v>(value: &'v Value, name: &str) -> Option<&'v Value> {
    value.as_object()?.iter().find(|(key, _)| key == name).map(|(_, value)| value)
}

fn label(resource: &Value) -> &str {
    member(resource, "id").or_else(|| member(resource, "type")).and_then(Value::as_str).unwrap_or_default()
}

/// The properties of two values that differ; two values that are not objects differ as a whole.
fn properties<'v>(before: &'v Value, after: &'v Value) -> Vec<PropertyDifference<'v>> {
    let mut found = Vec::new();
    compare(String::new(), before, after, &mut found);
    found
}

/// What differs of one property.
pub(super) fn of_property<'v>(
    path: &str,
    before: &'v Value,
    after: &'v Value,
) -> Vec<PropertyDifference<'v>> {
    let mut found = Vec::new();
    compare(path.to_owned(), before, after, &mut found);
    found
}

/// Recursion is bounded by how deep a value may nest.
fn compare<'v>(path: String, before: &'v Value, after: &'v Value, found: &mut Vec<PropertyDifference<'v>>) {
    match (before, after) {
        (Value::Object(_), Value::Object(_)) => {
            let (old, new) = (members(before), members(after));
            let below = |name: &str| if path.is_empty() { name.to_owned() } else { format!("{path}.{name}") };
            for (name, value) in before.as_object().into_iter().flatten() {
                match new.get(name.as_str()) {
                    Some(other) => compare(below(name), value, other, found),
                    None => found.push(PropertyDifference { path: below(name), delta: Delta::Delete(value) }),
                }
            }
            for (name, value) in after.as_object().into_iter().flatten() {
                if !old.contains_key(name.as_str()) {
                    found.push(PropertyDifference { path: below(name), delta: Delta::Create(value) });
                }
            }
        }
        (Value::Array(old), Value::Array(new)) => {
            let elements = elements(old.items(), new.items());
            if !elements.is_empty() {
                found.push(PropertyDifference { path, delta: Delta::Array(elements) });
            }
        }
        _ if canonical(before) == canonical(after) => {}
        _ => found.push(PropertyDifference { path, delta: Delta::Replace(before, after) }),
    }
}

/// The members of an object by their exact names.
fn members(value: &Value) -> HashMap<&str, &Value> {
    value.as_object().into_iter().flatten().map(|(name, value)| (name.as_str(), value)).collect()
}

/// The text that two values share if they are equal in JSON: names of members are compared exactly, in any order.
fn canonical(value: &Value) -> String {
    match value {
        Value::Array(items) => {
            let items: Vec<String> = items.items().iter().map(canonical).collect();
            format!("[{}]", items.join(","))
        }
        Value::Object(members) => {
            let text = |(name, value): &(SmolStr, Value)| format!("{name:?}:{}", canonical(value));
            let mut members: Vec<String> = members.iter().map(text).collect();
            members.sort_unstable();
            format!("{{{}}}", members.join(","))
        }
        leaf => leaf.to_json(),
    }
}

/// Values with a number each, which equal ones share.
fn numbered<'v>(values: &'v [Value], known: &mut HashMap<String, usize>) -> Vec<Element<'v>> {
    let mut number = |value| {
        let next = known.len();
        *known.entry(canonical(value)).or_insert(next)
    };
    values.iter().map(|value| (value, number(value))).collect()
}

/// The elements of two arrays that differ.
fn elements<'v>(before: &'v [Value], after: &'v [Value]) -> Vec<PropertyDifference<'v>> {
    let mut known = HashMap::new();
    let (before, after) = (numbered(before, &mut known), numbered(after, &mut known));
    let same = |((_, one), (_, other)): &(&Element<'_>, &Element<'_>)| one == other;
    let head = before.iter().zip(&after).take_while(same).count();
    let (old, new) = (before.get(head..).unwrap_or_default(), after.get(head..).unwrap_or_default());
    let tail = old.iter().rev().zip(new.iter().rev()).take_while(same).count();
    let old = old.get(..old.len() - tail).unwrap_or_default();
    let new = new.get(..new.len() - tail).unwrap_or_default();
    let pairs = pairs(old, new);
    let mut found = Vec::new();
    let (mut next_old, mut next_new) = (0, 0);
    // The end of both arrays closes the last gap.
    for (to_old, to_new) in pairs.into_iter().chain([(old.len(), new.len())]) {
        for (index, (value, _)) in old.iter().enumerate().take(to_old).skip(next_old) {
            found.push(PropertyDifference { path: (head + index).to_string(), delta: Delta::Delete(value) });
        }
        for (index, (value, _)) in new.iter().enumerate().take(to_new).skip(next_new) {
            found.push(PropertyDifference { path: (head + index).to_string(), delta: Delta::Create(value) });
        }
        if let (Some((one, _)), Some((other, _))) = (old.get(to_old), new.get(to_new)) {
            let inside = properties(one, other);
            if !inside.is_empty() {
                found.push(PropertyDifference {
                    path: (head + to_new).to_string(),
                    delta: Delta::Inside(inside),
                });
            }
        }
        (next_old, next_new) = (to_old + 1, to_new + 1);
    }
    found
}

/// The elements that belong together, in order: equal ones, and on the way back from the end also two objects or two arrays,
/// because what differs inside of them says more.
fn pairs(old: &[Element<'_>], new: &[Element<'_>]) -> Vec<(usize, usize)> {
    let lengths = CommonLengths::of(old, new);
    let (mut i, mut j) = (old.len(), new.len());
    let mut pairs = Vec::new();
    while let (Some(a), Some(b)) = (i.checked_sub(1), j.checked_sub(1)) {
        let (Some((one, number)), Some((other, same))) = (old.get(a), new.get(b)) else { break };
        let alike =
            matches!((one, other), (Value::Object(_), Value::Object(_)) | (Value::Array(_), Value::Array(_)));
        if alike || number == same {
            pairs.push((a, b));
            (i, j) = (a, b);
        } else if lengths.at(i, b) > lengths.at(a, j) {
            j = b;
        } else {
            i = a;
        }
    }
    pairs.reverse();
    pairs
}

/// How many elements the beginnings of two arrays have in common, for each pair of lengths.
struct CommonLengths {
    width: usize,
    table: Vec<u32>,
}

impl CommonLengths {
    fn of(old: &[Element<'_>], new: &[Element<'_>]) -> CommonLengths {
        let width = new.len() + 1;
        if old.len().saturating_mul(new.len()) > MAX_PAIRS {
            return CommonLengths { width, table: Vec::new() };
        }
        let mut lengths = CommonLengths { width, table: vec![0; width * (old.len() + 1)] };
        for (a, (_, one)) in old.iter().enumerate() {
            for (b, (_, other)) in new.iter().enumerate() {
                let length = match one == other {
                    true => lengths.at(a, b) + 1,
                    false => lengths.at(a, b + 1).max(lengths.at(a + 1, b)),
                };
                if let Some(place) = lengths.table.get_mut((a + 1) * width + b + 1) {
                    *place = length;
                }
            }
        }
        lengths
    }

    fn at(&self, old: usize, new: usize) -> u32 {
        self.table.get(old * self.width + new).copied().unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use document::{Document, FileId, ReadLimits};

    use super::*;

    fn value(json: &str) -> Value {
        let document =
            Document::from_json(json.as_bytes().to_vec(), FileId::NONE, &ReadLimits::DEFAULT).unwrap();
        Value::from_view(document.root()).unwrap()
    }

    fn said(properties: &[PropertyDifference<'_>]) -> String {
        let one = |property: &PropertyDifference<'_>| {
            let what = match &property.delta {
                Delta::Delete(value) => format!("-{}", value.to_json()),
                Delta::Create(value) => format!("+{}", value.to_json()),
                Delta::Replace(before, after) => format!("{}=>{}", before.to_json(), after.to_json()),
                Delta::Inside(properties) => format!("({})", said(properties)),
                Delta::Array(elements) => format!("[{}]", said(elements)),
            };
            format!("{}:{what}", property.path)
        };
        properties.iter().map(one).collect::<Vec<_>>().join(" ")
    }

    #[track_caller]
    fn check(before: &str, after: &str, expect: &str) {
        assert_eq!(said(&properties(&value(before), &value(after))), expect);
    }

    #[test]
    fn members_are_compared_by_exact_name_in_any_order() {
        check(r#"{"a":1,"b":{"c":[1]}}"#, r#"{"b":{"c":[1]},"a":1}"#, "");
        check(r#"{"a":{"b":1,"c":2}}"#, r#"{"a":{"b":"1","d":3}}"#, r#"a.b:1=>"1" a.c:-2 a.d:+3"#);
        check(r#"{"a":1}"#, r#"{"A":1}"#, "a:-1 A:+1");
        check(r#"{"a":{}}"#, r#"{"a":[]}"#, "a:{}=>[]");
    }

    #[test]
    fn elements_are_compared_by_what_arrays_have_in_common() {
        check(r#"{"a":[1,2,3]}"#, r#"{"a":[1,9,2,3]}"#, "a:[1:+9]");
        check(r#"{"a":[1,2,3]}"#, r#"{"a":[1,3]}"#, "a:[1:-2]");
        check(r#"{"a":[1,2,3,4]}"#, r#"{"a":[0,2,4,5]}"#, "a:[0:-1 0:+0 2:-3 3:+5]");
    }

    #[test]
    fn objects_and_arrays_that_differ_are_paired_from_the_end() {
        check(r#"{"a":[{"n":1},{"n":2}]}"#, r#"{"a":[{"n":1},{"n":3}]}"#, "a:[1:(n:2=>3)]");
        check(r#"{"a":[{"n":1}]}"#, r#"{"a":[{"n":2},{"n":3}]}"#, r#"a:[0:+{"n":2} 1:(n:1=>3)]"#);
        check(r#"{"a":[[1]]}"#, r#"{"a":[[2]]}"#, "a:[0:(:[0:-1 0:+2])]");
    }

    #[test]
    fn long_arrays_are_compared_without_a_table() {
        let list = |from: usize| {
            let items: Vec<String> = (from..from + 2000).map(|number| number.to_string()).collect();
            value(&format!("[{}]", items.join(",")))
        };
        let (before, after) = (list(0), list(1));
        let (before, after) = (numbered_items(&before), numbered_items(&after));
        assert!(CommonLengths::of(&before, &after).table.is_empty());
    }

    fn numbered_items(list: &Value) -> Vec<Element<'_>> {
        numbered(list.as_array().unwrap(), &mut HashMap::new())
    }

    #[test]
    fn resources_are_recognised_by_their_ids_in_any_case() {
        let before = [value(r#"{"id":"/B","n":1}"#), value(r#"{"id":"/a","n":1}"#), value(r#"{"type":"T"}"#)];
        let after = [value(r#"{"id":"/c"}"#), value(r#"{"id":"/b","n":2}"#), value(r#"{"type":"T"}"#)];
        let changes = between(&before, &after);
        let said: Vec<String> = changes
            .iter()
            .map(|change| match &change.kind {
                ChangeDetail::Delete(_) => format!("-{}", change.id),
                ChangeDetail::Create(_) => format!("+{}", change.id),
                ChangeDetail::Modify(properties) => format!("{} {}", change.id, said(properties)),
                ChangeDetail::Keep => change.id.to_owned(),
            })
            .collect();
        assert_eq!(said, ["-/a", r#"/b id:"/B"=>"/b" n:1=>2"#, "+/c"]);
    }
}
