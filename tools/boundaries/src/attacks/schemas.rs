//! Attacks with documents that are contracts themselves, and with what providers answer.

use crate::attack::Dialect::{Answer, Change, Outside, Rules, Schema, Unregistered};
use crate::attack::{Attack, Class, SECRET};
use crate::value::{Value, number, object};

pub(super) fn attacks() -> Vec<Attack> {
    let mut out = types();
    out.extend(changes());
    out.extend(contracts());
    out.extend(answers());
    out.extend(unregistered());
    out.extend(outside_extensions());
    out
}

fn text() -> Value {
    object([("type", "string".into())])
}

/// The value is the schema of a version of a Radius type.
fn types() -> Vec<Attack> {
    let schema = |properties: Value| object([("type", "object".into()), ("properties", properties)]);
    let honest = || schema(object([("size", text())]));
    let attack = |name: &str, class: Class, bad: Value| {
        Attack::new(format!("type: {name}"), class, bad, honest()).only(&[Schema])
    };
    let property = |value: Value| schema(object([("size", value)]));
    let deep = |levels: usize| property((0..levels).fold(text(), |inner, _| schema(object([("a", inner)]))));
    let mut out = vec![
        attack("properties that differ in case", Class::TwiceInAnotherCase, schema(object([("size", text()), ("Size", text())])))
            .at("Size"),
        attack("built-in property in another case", Class::TwiceInAnotherCase, schema(object([("Environment", text())])))
            .at("Environment"),
        attack("built-in property in capitals", Class::TwiceInAnotherCase, schema(object([("CONNECTIONS", text())])))
            .at("CONNECTIONS"),
        attack(
            "properties that differ in case, deeper",
            Class::TwiceInAnotherCase,
            property(schema(object([("a", text()), ("A", text())]))),
        )
        .at("size"),
        attack("default of another type", Class::Default, property(text().with("default", 5))).at("size"),
        attack("default outside the enumeration", Class::Default, property(text().with("enum", ["a".into()]).with("default", "b")))
            .at("size"),
        attack("default that is too short", Class::Default, property(text().with("minLength", 3).with("default", "b")))
            .at("size"),
        attack(
            "default of a sensitive property",
            Class::Secret,
            property(text().with("x-radius-sensitive", true).with("minLength", 99).with("default", SECRET)),
        )
        .at("size"),
        attack("default that is null", Class::Null, property(text().with("default", Value::Null))).at("size"),
        attack(
            "default of a number out of range",
            Class::Number,
            property(object([("type", "number".into()), ("default", number("1e400"))])),
        )
        .at("size"),
        attack("no type", Class::Missing, property(object([]))).at("size"),
        attack("unknown type", Class::Enum, property(object([("type", "text".into())]))).at("size"),
        attack("type that is a list", Class::WrongType, property(object([("type", ["string".into()].into())]))).at("size"),
        attack("unknown keyword", Class::Extra, property(text().with("minLenght", 3))).at("size"),
        attack("keyword of another type", Class::WrongType, property(text().with("minLength", "3"))).at("size"),
        attack("negative length", Class::Bound, property(text().with("minLength", -1))).at("size"),
        attack("pattern that is none", Class::Pattern, property(text().with("pattern", "("))).at("size"),
        attack("pattern with a look-behind", Class::Pattern, property(text().with("pattern", "(?<=a)b"))).at("size"),
        attack("enumeration without values", Class::Enum, property(text().with("enum", Value::Array(Vec::new())))).at("size"),
        attack("enumeration of other types", Class::Enum, property(text().with("enum", [5.into()]))).at("size"),
        attack("reference to nothing", Class::Extra, property(object([("$ref", "#/definitions/none".into())]))).at("size"),
        attack("properties that are a list", Class::WrongType, object([("type", "object".into()), ("properties", Value::Array(Vec::new()))])),
        attack("required that is unknown", Class::Missing, honest().with("required", ["colour".into()])),
        attack("required that is a text", Class::WrongType, honest().with("required", "size")),
        attack("schema that is a text", Class::WrongType, "string".into()),
        attack("schema that is a list", Class::WrongType, Value::Array(Vec::new())),
        attack("600 levels", Class::Depth, deep(600)),
        attack("a name of 1 MB without a type", Class::Size, schema(object([(&"m".repeat(1 << 20), object([]))]))),
        attack(
            "20,000 properties without a type",
            Class::Size,
            schema(Value::Object((0..20_000).map(|it| (format!("p{it}"), object([]))).collect())),
        ),
        attack("twice exactly", Class::TwiceExactly, Value::Raw(br#"{"type": "object", "properties": {"size": {"type": "string"}, "size": {"type": "string"}}}"#.to_vec())),
        attack("not UTF-8", Class::Encoding, Value::Raw(b"{\"type\": \"object\", \"properties\": {\"s\xff\": {\"type\": \"string\"}}}".to_vec())),
        attack("text behind", Class::TextBehind, Value::Raw(br#"{"type": "object"} x"#.to_vec())),
    ];
    for levels in [25, 28, 30, 31, 32, 55, 58, 60, 61, 62, 63, 64] {
        out.push(attack(&format!("{levels} levels"), Class::Depth, deep(levels)).either());
    }
    for (name, odd) in [("NUL", "\0"), ("line break", "a\nb"), ("empty", ""), ("control", "\u{1b}[2J")] {
        out.push(attack(
            &format!("property named {name} without a type"),
            Class::OddName,
            schema(object([(odd, object([]))])),
        ));
    }
    out
}

/// The value is a new schema of a type that has a resource: `size` is `abc`, `count` is 3, `tags` are `a` and `b`, `inner` has a `leaf` that is `x`, and `key` is `k`.
fn changes() -> Vec<Attack> {
    let whole = || object([("type", "integer".into())]);
    let inner = |leaf: Value| object([("type", "object".into()), ("properties", object([("leaf", leaf)]))]);
    let texts = || object([("type", "array".into()), ("items", text())]);
    let honest = || {
        object([
            ("environment", text()),
            ("size", text()),
            ("count", whole()),
            ("tags", texts()),
            ("inner", inner(text())),
            ("key", text()),
        ])
    };
    let schema = |properties: Value| {
        object([("type", "object".into()), ("required", ["size".into()].into()), ("properties", properties)])
    };
    let attack = |name: &str, class: Class, bad: Value, good: Value| {
        Attack::new(format!("change: {name}"), class, bad, good).only(&[Change])
    };
    let of = |name: &str, class: Class, property: &str, bad: Value, good: Value| {
        attack(name, class, schema(honest().with(property, bad)), schema(honest().with(property, good)))
            .at(property)
    };
    let mut out = vec![
        of("another type", Class::WrongType, "size", whole(), text().with("minLength", 1)),
        of("a number becomes a text", Class::WrongType, "count", text(), whole().with("minimum", 1)),
        of("items of another type", Class::WrongType, "tags", texts().with("items", whole()), texts()),
        of(
            "a list becomes an object",
            Class::WrongType,
            "tags",
            object([("type", "object".into())]),
            texts(),
        ),
        of(
            "an object becomes a map of numbers",
            Class::WrongType,
            "inner",
            object([("type", "object".into()), ("additionalProperties", whole())]),
            inner(text()),
        ),
        of("a bound above", Class::Bound, "count", whole().with("minimum", 4), whole().with("minimum", 3)),
        of("a bound below", Class::Bound, "count", whole().with("maximum", 2), whole().with("maximum", 3)),
        of("a multiple", Class::Bound, "count", whole().with("multipleOf", 2), whole().with("multipleOf", 3)),
        of("a length", Class::Length, "size", text().with("minLength", 4), text().with("minLength", 3)),
        of(
            "a longest length",
            Class::Length,
            "size",
            text().with("maxLength", 2),
            text().with("maxLength", 3),
        ),
        of("more items", Class::Length, "tags", texts().with("minItems", 3), texts().with("minItems", 2)),
        of("fewer items", Class::Length, "tags", texts().with("maxItems", 1), texts().with("maxItems", 2)),
        of(
            "an enumeration",
            Class::Enum,
            "size",
            text().with("enum", ["def".into()]),
            text().with("enum", ["abc".into(), "def".into()]),
        ),
        of(
            "an enumeration in another case",
            Class::Enum,
            "size",
            text().with("enum", ["ABC".into()]),
            text().with("enum", ["abc".into()]),
        ),
        of(
            "a pattern",
            Class::Pattern,
            "size",
            text().with("pattern", "^[0-9]+$"),
            text().with("pattern", "^a"),
        ),
        of("a leaf of another type", Class::WrongType, "inner", inner(whole()), inner(text())),
        of(
            "a leaf that is required",
            Class::Missing,
            "inner",
            inner(text())
                .with("required", ["more".into()])
                .with("properties", object([("leaf", text()), ("more", text())])),
            inner(text()).with("required", ["leaf".into()]),
        ),
        of(
            "a sensitive member that is too long",
            Class::Secret,
            "key",
            text().with("x-radius-sensitive", true).with("minLength", 9),
            text(),
        ),
        attack(
            "a member that is required",
            Class::Missing,
            schema(honest().with("more", text())).with("required", ["size".into(), "more".into()]),
            schema(honest().with("more", text())),
        )
        .at("more"),
        attack("a member less", Class::Extra, schema(honest().without("count")), schema(honest()))
            .at("count"),
        attack(
            "a leaf less",
            Class::Extra,
            schema(honest().with(
                "inner",
                object([("type", "object".into()), ("properties", object([("other", text())]))]),
            )),
            schema(honest()),
        )
        .at("inner"),
        attack(
            "a member in another case",
            Class::TwiceInAnotherCase,
            schema(honest().without("count").with("Count", whole())),
            schema(honest()),
        )
        .at("count"),
        attack(
            "members in two cases",
            Class::TwiceInAnotherCase,
            schema(honest().with("Size", text())),
            schema(honest()),
        )
        .at("Size"),
        attack(
            "a default that is too short",
            Class::Default,
            schema(honest().with("more", text().with("minLength", 3).with("default", "a"))),
            schema(honest().with("more", text().with("default", "a"))),
        )
        .at("more"),
        attack("a schema that is a text", Class::WrongType, "string".into(), schema(honest())),
        attack(
            "a member becomes read-only",
            Class::Extra,
            schema(honest().with("size", text().with("readOnly", true))),
            schema(honest()),
        )
        .either(),
    ];
    let twice =
        br#"{"type": "object", "properties": {"size": {"type": "string"}, "size": {"type": "integer"}}}"#;
    out.push(attack("twice exactly", Class::TwiceExactly, Value::Raw(twice.to_vec()), schema(honest())));
    out
}

/// The value is a contract file.
fn contracts() -> Vec<Attack> {
    let attack = |name: &str, class: Class, bad: Value| {
        Attack::new(format!("contract: {name}"), class, bad, text()).only(&[Rules])
    };
    let property =
        |value: Value| object([("type", "object".into()), ("properties", object([("size", value)]))]);
    let idle = |shape: Value| text().with("$defs", object([("idle", shape)]));
    vec![
        attack("example of another type", Class::Default, text().with("examples", [5.into()])).at("examples"),
        attack(
            "second example too short",
            Class::Default,
            text().with("minLength", 2).with("examples", ["ab".into(), "a".into()]),
        )
        .at("examples"),
        attack("example of a property", Class::Default, property(text().with("examples", [true.into()])))
            .at("size"),
        attack("examples that are no list", Class::WrongType, text().with("examples", 5)).at("examples"),
        attack("an example alone, of another type", Class::Default, text().with("example", 5)).at("example"),
        attack("a definition that nobody refers to", Class::Enum, idle(object([("type", "text".into())])))
            .at("idle"),
        attack("an example in it", Class::Default, idle(text().with("examples", [5.into()]))).at("idle"),
        attack("a reference in it", Class::Missing, idle(object([("$ref", "#/$defs/none".into())])))
            .at("idle"),
        attack("default of another type", Class::Default, text().with("default", 5)).at("default"),
        attack(
            "default of a property",
            Class::Default,
            property(text().with("maxLength", 1).with("default", "ab")),
        )
        .at("size"),
        attack(
            "example of a secret",
            Class::Secret,
            property(text().with("secret", true).with("maxLength", 1).with("examples", [SECRET.into()])),
        )
        .at("size"),
        attack(
            "default of a secret",
            Class::Secret,
            property(text().with("secret", true).with("maxLength", 1).with("default", SECRET)),
        )
        .at("size"),
        attack("unknown keyword", Class::Extra, text().with("minLenght", 3)).at("minLenght"),
        attack("unknown type", Class::Enum, object([("type", "text".into())])).at("type"),
        attack("negative length", Class::Bound, text().with("minLength", -1)).at("minLength"),
        attack("length that is a text", Class::WrongType, text().with("minLength", "1")).at("minLength"),
        attack("pattern that is none", Class::Pattern, text().with("pattern", "(")).at("pattern"),
        attack("reference to nothing", Class::Missing, object([("$ref", "#/$defs/none".into())])).at("$ref"),
        attack("reference to itself", Class::Depth, object([("$ref", "#".into())])),
        attack("enumeration without values", Class::Enum, object([("enum", Value::Array(Vec::new()))]))
            .at("enum")
            .either(),
        attack(
            "keyword twice",
            Class::TwiceExactly,
            Value::Raw(br#"{"type": "string", "type": "number"}"#.to_vec()),
        ),
        attack("not UTF-8", Class::Encoding, Value::Raw(b"{\"type\": \"str\xffing\"}".to_vec())),
        attack("text behind", Class::TextBehind, Value::Raw(br#"{"type": "string"} x"#.to_vec())),
        attack("the whole is a list", Class::WrongType, Value::Array(Vec::new())),
        attack("the whole is a text", Class::WrongType, "string".into()),
        attack("an unknown keyword of 1 MB", Class::Size, text().with(&"m".repeat(1 << 20), 3)),
        attack(
            "20,000 properties with a wrong length",
            Class::Size,
            object([(
                "properties",
                Value::Object(
                    (0..20_000).map(|it| (format!("p{it}"), object([("minLength", (-1).into())]))).collect(),
                ),
            )]),
        ),
    ]
}

/// The value is what a provider answers: `out`, an object whose `host` is a text and whose `port` is a whole number from 1 to 65,535.
fn answers() -> Vec<Attack> {
    let honest = || object([("host", "h.example".into()), ("port", 80.into())]);
    let answer = |out: Value| object([("out", out)]);
    let attack = |name: &str, class: Class, bad: Value| {
        Attack::new(format!("answer: {name}"), class, bad, answer(honest())).only(&[Answer])
    };
    vec![
        attack("no required member", Class::Missing, answer(honest().without("host"))).at("out.host"),
        attack("wrong type", Class::WrongType, answer(honest().with("host", 5))).at("out.host"),
        attack("number as a text", Class::WrongType, answer(honest().with("port", "80"))).at("out.port"),
        attack("below the bound", Class::Bound, answer(honest().with("port", 0))).at("out.port"),
        attack("above the bound", Class::Bound, answer(honest().with("port", 65_536))).at("out.port"),
        attack(
            "a little above the bound",
            Class::Number,
            answer(honest().with("port", number("65535.00000000000000001"))),
        )
        .at("out.port"),
        attack("out of range", Class::Number, answer(honest().with("port", number("1e400")))).at("out.port"),
        attack("extra member", Class::Extra, answer(honest().with("colour", "red"))).at("out.colour"),
        attack("extra property", Class::Extra, answer(honest()).with("colour", "red")).at("colour"),
        attack("null", Class::Null, answer(Value::Null)).at("out"),
        attack("null for a required member", Class::Null, answer(honest().with("host", Value::Null)))
            .at("out.host"),
        attack("a list", Class::WrongType, answer([honest()].into())).at("out"),
        attack("twice in another case", Class::TwiceInAnotherCase, answer(honest().before("HOST", 5)))
            .at("out"),
        attack(
            "twice in another case, both right",
            Class::TwiceInAnotherCase,
            answer(honest().after("Host", "x")),
        )
        .at("out"),
        attack("3 MB", Class::Size, answer(honest().with("port", "n".repeat(3 << 20).as_str())))
            .at("out.port"),
        attack("a name of 1 MB", Class::Size, answer(honest().with(&"m".repeat(1 << 20), 1))),
    ]
}

/// The value is a resource of no extension, with its type.
fn outside_extensions() -> Vec<Attack> {
    let resource = |ty: &str| object([("type", ty.into()), ("properties", object([("count", 3.into())]))]);
    let types = ["Radius.Data/redisCachez", "applications.CORE/environments", "Applications.Core/containers"];
    let attack = |ty: &str| {
        let name = format!("type: {ty} without its extension");
        Attack::new(name, Class::Unregistered, resource(ty), resource("Test.Things/things"))
            .only(&[Outside])
            .at(ty)
    };
    types.into_iter().map(attack).collect()
}

/// The value is a resource, with its type.
fn unregistered() -> Vec<Attack> {
    let resource = |ty: &str, properties: Value| object([("type", ty.into()), ("properties", properties)]);
    let environment =
        "/planes/radius/local/resourceGroups/default/providers/Applications.Core/environments/env";
    let honest = || {
        let properties = super::widget().with("environment", environment);
        resource("Test.Gate/widgets@2025-01-01", properties)
    };
    let attack = |name: &str, bad: Value| {
        Attack::new(format!("type: {name}"), Class::Unregistered, bad, honest()).only(&[Unregistered])
    };
    let named = || object([("environment", environment.into()), ("name", "abc".into())]);
    vec![
        attack("nobody registered it", resource("Test.Gate/gadgets@2025-01-01", named()))
            .at("Test.Gate/gadgets"),
        attack("misspelt", resource("Test.Gate/widgetz@2025-01-01", named())).at("Test.Gate/widgetz"),
        attack("another namespace", resource("Test.Gates/widgets@2025-01-01", named()))
            .at("Test.Gates/widgets"),
        attack("another version", resource("Test.Gate/widgets@2024-01-01", named())).at("2024-01-01"),
        attack("misspelt Radius type", resource("Radius.Data/redisCachez@2025-08-01-preview", named()))
            .at("Radius.Data/redisCachez"),
        attack(
            "built in, with an unknown member",
            resource("Applications.Core/environments@2023-10-01-preview", object([("colour", "red".into())])),
        )
        .at("colour"),
        attack(
            "built in, with a member of another type",
            resource("Applications.Core/environments@2023-10-01-preview", object([("compute", 5.into())])),
        )
        .at("compute"),
    ]
}
