//! Members that the REST API gives a meaning in every resource, of other kinds than it says.

use crate::attack::Dialect::Envelope;
use crate::attack::{Attack, Class};
use crate::value::{Value, number, object};

pub(super) fn attacks() -> Vec<Attack> {
    let honest = || {
        object([
            ("location", "eastus".into()),
            ("tags", object([("a", "x".into())])),
            ("kind", "big".into()),
            ("sku", object([("name", "S1".into())])),
            ("zones", ["1".into()].into()),
            ("properties", object([("x", 1.into())])),
        ])
    };
    let attack = |name: String, class: Class, bad: Value, path: &str| {
        Attack::new(format!("envelope: {name}"), class, bad, honest()).only(&[Envelope]).at(path)
    };
    let kinds: [(&str, Value); 6] = [
        ("a number", 5.into()),
        ("a fraction", number("0.5")),
        ("a truth value", true.into()),
        ("a text", "x".into()),
        // A template may write a tag or a zone as a number: its text is meant.
        ("a list", [Value::from([5.into()])].into()),
        ("an object", object([("a", object([("b", 5.into())]))])),
    ];
    let mut out = Vec::new();
    for (member, fits) in [
        ("location", "a text"),
        ("kind", "a text"),
        ("managedBy", "a text"),
        ("tags", ""),
        ("zones", ""),
        ("sku", "an object"),
        ("plan", "an object"),
        ("identity", "an object"),
        ("extendedLocation", "an object"),
        ("properties", "an object"),
    ] {
        for (kind, value) in kinds.iter().filter(|(kind, _)| *kind != fits) {
            let path = match (member, *kind) {
                ("tags", "an object") => "tags.a",
                ("zones", "a list") => "zones[0]",
                _ => member,
            };
            let name = format!("{member} as {kind}");
            out.push(attack(name, Class::WrongType, honest().with(member, value.clone()), path));
        }
    }
    let tags = |value: Value| honest().with("tags", object([("a", "x".into()), ("b", value)]));
    for (kind, value) in kinds.iter().filter(|(kind, _)| matches!(*kind, "a list" | "an object")) {
        out.push(attack(format!("a tag as {kind}"), Class::WrongType, tags(value.clone()), "tags.b"));
    }
    let both = object([("a", "x".into()), ("A", "y".into())]);
    out.push(attack(
        "a tag in two cases".to_owned(),
        Class::TwiceInAnotherCase,
        honest().with("tags", both),
        "tags",
    ));
    for (name, other) in [("location", "Location"), ("tags", "TAGS"), ("kind", "Kind")] {
        let bad = honest().after(other, 5);
        out.push(attack(format!("{name} in two cases"), Class::TwiceInAnotherCase, bad, name));
    }
    out
}
