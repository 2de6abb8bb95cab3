//! Bodies of requests that change the registry of Radius, besides resources: what all of them have in common.

use crate::attack::Dialect::Registry;
use crate::attack::{Attack, Class};
use crate::value::{Value, number, object};

pub(super) fn attacks() -> Vec<Attack> {
    let honest = || object([("location", "global".into()), ("tags", object([("a", "1".into())]))]);
    let attack = |name: &str, class: Class, bad: Value| {
        Attack::new(format!("registry: {name}"), class, bad, honest()).only(&[Registry])
    };
    let text = honest().json_text().unwrap_or_default();
    let raw = |more: &str| Value::Raw(text.replacen('{', &format!("{{{more}, "), 1).into_bytes());
    let megabyte = "m".repeat(1 << 20);
    vec![
        attack("a member more", Class::Extra, honest().with("colour", "red")).at("colour"),
        attack(
            "a member in another case",
            Class::OddName,
            honest().without("location").with("Location", "x"),
        )
        .at("Location"),
        attack("location in two cases", Class::TwiceInAnotherCase, honest().after("LOCATION", 5))
            .at("LOCATION"),
        attack("properties in two cases", Class::TwiceInAnotherCase, honest().after("Properties", 5))
            .at("Properties"),
        attack("location twice", Class::TwiceExactly, raw("\"location\": \"x\"")),
        attack("location twice, with an escape", Class::TwiceExactly, raw("\"l\\u006fcation\": 5")),
        attack("location as a number", Class::WrongType, honest().with("location", 5)).at("location"),
        attack("location as a list", Class::WrongType, honest().with("location", ["x".into()]))
            .at("location"),
        attack("tags as a text", Class::WrongType, honest().with("tags", "x")).at("tags"),
        attack("a tag as a number", Class::WrongType, honest().with("tags", object([("a", 5.into())])))
            .at("tags.a"),
        attack("properties as a number", Class::WrongType, honest().with("properties", 5)).at("properties"),
        attack(
            "properties as a list",
            Class::WrongType,
            honest().with("properties", Value::Array(Vec::new())),
        )
        .at("properties"),
        attack(
            "a property more",
            Class::Extra,
            honest().with("properties", object([("schemas", object([])), ("kind", "AccessKey".into())])),
        )
        .at("schemas"),
        attack("a name of 1 MB", Class::Size, honest().with(&megabyte, 1)),
        attack(
            "a location that is a number out of range",
            Class::Number,
            honest().with("location", number("1e400")),
        )
        .at("location"),
        attack("no character", Class::Encoding, Value::Raw(b"{\"location\": \"a\xff\"}".to_vec())),
        attack("half a surrogate pair", Class::Encoding, Value::Raw(b"{\"location\": \"\\ud800\"}".to_vec())),
        attack("a word behind", Class::TextBehind, Value::Raw(format!("{text} x").into_bytes())),
        attack("a list", Class::WrongType, Value::Array(Vec::new())).at(""),
        attack("a text", Class::WrongType, "x".into()).at(""),
        attack("null", Class::Null, Value::Null).at(""),
    ]
}
