//! Values for what a template reads and nobody can know, by what the template says of it.

use arm::deployment::ReadMember;
use arm::template::TypeWord;
use arm::{ObjectBuilder, Value};

use super::generated_properties::{Values, generate_text};

/// A value for what is read; recursion is as deep as what was found of it.
pub(super) fn made_value(read: &ReadMember, name: &str, label: &str, own: &dyn Values) -> Value {
    if read.items > 0 {
        return Value::array((0..read.items).map(|at| made_item(read, at, name, label, own)).collect());
    }
    let named = read.parts.iter().filter_map(|part| Some((part.name.clone()?, part)));
    let members: Vec<_> = named
        .map(|(name, part)| (name.clone(), made_value(part, &name, &format!("{label}/{name}"), own)))
        .collect();
    match read.word {
        _ if !members.is_empty() => Value::object(members),
        Some(TypeWord::Bool) => Value::Bool(true),
        Some(TypeWord::Int) => Value::Int(1),
        Some(TypeWord::Array) => Value::array(Vec::new()),
        Some(TypeWord::Object) => Value::object(members),
        Some(TypeWord::String) | None => Value::text(generate_text(own, name, label)),
    }
}

fn made_item(read: &ReadMember, at: usize, name: &str, label: &str, own: &dyn Values) -> Value {
    let item = read.parts.iter().find(|part| part.name.is_none());
    item.map_or(Value::Null, |item| made_value(item, name, &format!("{label}/{at}"), own))
}

/// A value with the members that are read and that it lacks. What it has stays, also if it is of another kind than what is read.
pub(super) fn with_read(value: &Value, read: &[ReadMember], label: &str, own: &dyn Values) -> Value {
    let Some(object) = value.as_object().filter(|_| !value.is_secret()) else { return value.clone() };
    let mut members = ObjectBuilder::default();
    for (name, member) in object {
        members.insert(name.clone(), member.clone());
    }
    for part in read {
        let Some(name) = &part.name else { continue };
        let label = format!("{label}/{name}");
        let member = match object.get(name) {
            None | Some(Value::Null) => made_value(part, name, &label, own),
            Some(Value::Array(items)) => {
                let item = part.parts.iter().find(|part| part.name.is_none());
                let inside = item.map_or(&[][..], |item| &item.parts);
                let there = items.items().iter().enumerate();
                let there = there.map(|(at, item)| with_read(item, inside, &format!("{label}/{at}"), own));
                let lacking = items.items().len()..part.items;
                let made = lacking.map(|at| made_item(part, at, name, &label, own));
                Value::array(there.chain(made).collect())
            }
            // Recursion is as deep as what was found.
            Some(member) => with_read(member, &part.parts, &label, own),
        };
        members.set(name.clone(), member);
    }
    members.finish()
}

#[cfg(test)]
mod tests {
    use machine::records::parse;

    use super::*;

    struct Named;

    impl Values for Named {
        fn id(&self) -> &str {
            "/x"
        }

        fn name(&self) -> &str {
            "own"
        }

        fn location(&self) -> &str {
            "eastus"
        }

        fn hex(&self, label: &str, _: usize) -> String {
            format!("hex:{label}")
        }

        fn key(&self, label: &str) -> String {
            format!("key:{label}")
        }

        fn guid(&self, label: &str) -> String {
            format!("guid:{label}")
        }

        fn address(&self) -> String {
            "203.0.113.1".to_owned()
        }
    }

    fn member(name: &str, parts: Vec<ReadMember>) -> ReadMember {
        ReadMember { name: Some(name.into()), word: None, parts, items: 0 }
    }

    #[track_caller]
    fn check(value: &str, read: &[ReadMember], expect: &str) {
        assert_eq!(with_read(&parse(value).unwrap(), read, "", &Named).to_json(), expect, "{value}");
    }

    #[test]
    fn what_is_read_and_not_there_is_made_up() {
        let identity = || vec![member("identity", vec![member("principalId", Vec::new())])];
        check("{}", &identity(), r#"{"identity":{"principalId":"guid:/identity/principalId"}}"#);
        check(
            r#"{"identity": {"type": "a"}}"#,
            &identity(),
            r#"{"identity":{"type":"a","principalId":"guid:/identity/principalId"}}"#,
        );
        check(r#"{"Identity": {"PrincipalId": "b"}}"#, &identity(), r#"{"Identity":{"PrincipalId":"b"}}"#);
        check(
            r#"{"identity": null}"#,
            &identity(),
            r#"{"identity":{"principalId":"guid:/identity/principalId"}}"#,
        );
    }

    #[test]
    fn what_is_there_stays_whatever_is_read_of_it() {
        let read = [member("a", vec![member("b", Vec::new())])];
        for value in [r#"{"a":"text"}"#, r#"{"a":1}"#, r#"{"a":[1]}"#, r#"{"a":{"b":false}}"#] {
            check(value, &read, value);
        }
        let secret = parse(r#"{"c":1}"#).unwrap().secret();
        assert_eq!(with_read(&secret, &read, "", &Named), secret);
    }

    #[test]
    fn lists_have_as_many_items_as_are_read() {
        let item = ReadMember { name: None, ..member("", vec![member("id", Vec::new())]) };
        let read = [ReadMember { items: 2, ..member("list", vec![item]) }];
        check("{}", &read, r#"{"list":[{"id":"/x/list/0"},{"id":"/x/list/1"}]}"#);
        check(r#"{"list":[{"id":"own"}]}"#, &read, r#"{"list":[{"id":"own"},{"id":"/x/list/1"}]}"#);
        check(
            r#"{"list":[{},{},{}]}"#,
            &read,
            r#"{"list":[{"id":"/x/list/0"},{"id":"/x/list/1"},{"id":"/x/list/2"}]}"#,
        );
    }

    #[test]
    fn a_value_is_of_the_kind_that_the_template_says() {
        let of = |word| ReadMember { word, ..member("flag", Vec::new()) };
        let made = |word| made_value(&of(word), "flag", "", &Named).to_json();
        assert_eq!(made(Some(TypeWord::Bool)), "true");
        assert_eq!(made(Some(TypeWord::Int)), "1");
        assert_eq!(made(Some(TypeWord::Array)), "[]");
        assert_eq!(made(Some(TypeWord::Object)), "{}");
        assert_eq!(made(None), r#""own""#);
    }
}
