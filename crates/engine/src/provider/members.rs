//! Values with members added at the end of a way, which is how rows of tables say what services add.

use std::borrow::Cow;

use arm::{ObjectBuilder, Value};

/// A value with a member at the end of a way, unless there is one; what is on the way and not an object stays as it is.
pub(super) fn with(value: &Value, path: &[&str], make: impl FnOnce() -> Value) -> Value {
    let Some((first, rest)) = path.split_first() else { return value.clone() };
    let object = value.as_object();
    if object.is_none() && !value.is_null() {
        return value.clone();
    }
    let old = object.and_then(|object| object.get(first));
    if old.is_some() && rest.is_empty() {
        return value.clone();
    }
    let inner = match rest {
        [] => make(),
        // Recursion is as deep as the way is long.
        rest => with(old.unwrap_or(&Value::Null), rest, make),
    };
    let mut members = ObjectBuilder::default();
    for (name, member) in object.into_iter().flatten() {
        members.insert(name.clone(), member.clone());
    }
    members.set((*first).into(), inner);
    members.finish()
}

/// Makes what is added to a value, by the way that was gone; nothing if it needs what is not there.
pub(super) type AdditionMaker<'m> = dyn FnMut(&Value, &str) -> Option<Value> + 'm;

/// The text of a row with what it takes from the value that it is added to; none if that is not there.
pub(super) fn with_own_values<'h>(holds: &'h str, value: &Value) -> Option<Cow<'h, str>> {
    let Some((before, rest)) = holds.split_once("{.") else { return Some(Cow::Borrowed(holds)) };
    let (path, after) = rest.split_once('}')?;
    let found = path.split('.').try_fold(value, |value, part| match value {
        Value::Array(items) => items.items().get(part.parse::<usize>().ok()?),
        value => value.as_object()?.get(part),
    })?;
    let text = found.as_str().filter(|text| !text.is_empty())?;
    Some(Cow::Owned(format!("{before}{text}{}", with_own_values(after, value)?)))
}

/// A value with what is made at the ends of a way on which `*` stands for all items of a list. The maker is told the way that was gone.
pub(super) fn with_all(
    value: &Value,
    path: &[&str],
    gone: &mut String,
    make: &mut AdditionMaker<'_>,
) -> Value {
    let Some(star) = path.iter().position(|part| *part == "*") else {
        let label = format!("{gone}{}", path.join("/"));
        return match make(value, &label) {
            Some(made) => with(value, path, || made),
            None => value.clone(),
        };
    };
    let (before, after) = path.split_at_checked(star).unwrap_or((path, &[]));
    let list = before.iter().try_fold(value, |value, name| value.as_object()?.get(name));
    let Some(items) = list.and_then(Value::as_array) else { return value.clone() };
    let after = after.get(1..).unwrap_or_default();
    let start = gone.len();
    let filled = items.iter().enumerate().map(|(at, item)| {
        gone.truncate(start);
        gone.push_str(&format!("{}/{at}/", before.join("/")));
        // Recursion is as deep as the way is long.
        with_all(item, after, gone, make)
    });
    let filled = Value::array(filled.collect());
    gone.truncate(start);
    replaced(value, before, &filled)
}

/// A value with another one at the end of a way that it has.
fn replaced(value: &Value, path: &[&str], new: &Value) -> Value {
    let Some((first, rest)) = path.split_first() else { return new.clone() };
    let mut members = ObjectBuilder::default();
    for (name, member) in value.as_object().into_iter().flatten() {
        let member =
            if name.eq_ignore_ascii_case(first) { replaced(member, rest, new) } else { member.clone() };
        members.insert(name.clone(), member);
    }
    members.finish()
}
