//! Names of members: unknown ones, odd ones, and the same one twice.

use super::widget;
use crate::attack::Dialect::{Arm, Contract, Radius, Thrift};
use crate::attack::{Attack, Class, Dialect, SECRET};
use crate::value::{Value, object};

pub(super) fn attacks() -> Vec<Attack> {
    let mut out = Vec::new();
    out.extend(extra());
    out.extend(odd());
    out.extend(look_alikes());
    out.extend(other_case());
    out.extend(exactly());
    out
}

fn inner() -> Value {
    object([("leaf", "x".into())])
}

fn extra() -> Vec<Attack> {
    let honest = || widget().with("inner", inner());
    let extra = |name: &str, bad: Value| Attack::new(format!("extra {name}"), Class::Extra, bad, honest());
    let deep = object([("leaf", 1.into()), ("more", 1.into())]);
    vec![
        extra("member", widget().with("extra", 1)).at("extra"),
        extra("member that is null", widget().with("extra", Value::Null))
            .at("extra")
            .except(Thrift)
            .with_null(),
        extra("member before the others", widget().before("extra", 1)).at("extra"),
        extra("member that is an object", widget().with("extra", object([("a", 1.into())]))).at("extra"),
        extra("member of inner", widget().with("inner", inner().with("extra", 1))).at("inner.extra"),
        extra("member of deep", widget().with("inner", inner().with("deep", deep))).at("inner.deep.more"),
        extra("name that is nearly right", widget().with("cuont", 3)).at("cuont"),
        extra("name of another object", widget().with("leaf", "x")).at("leaf"),
        extra("number as a name", widget().with("0", 1)).at("0"),
    ]
}

/// Names that are something else to a program that puts them into a path, a pattern, a message or an object of its own.
const ODD: [(&str, &str); 30] = [
    ("empty", ""),
    ("slash", "/"),
    ("dot", "."),
    ("two dots", ".."),
    ("index", "[0]"),
    ("tilde one", "~1"),
    ("tilde zero", "a~0b"),
    ("tilde two", "~2"),
    ("NUL", "\0"),
    ("NUL behind", "name\0"),
    ("line break", "\n"),
    ("lines", "a\r\nb"),
    ("proto", "__proto__"),
    ("constructor", "constructor"),
    ("reference", "$ref"),
    ("schema", "$schema"),
    ("star", "*"),
    ("blank behind", "name "),
    ("blank before", " name"),
    ("quote", "\""),
    ("apostrophe", "'"),
    ("backtick", "`"),
    ("dollar brace", "${name}"),
    ("bracketed", "[name]"),
    ("braces", "{0}"),
    ("percent", "%s"),
    ("backslash", "\\"),
    ("escape sequence", "\u{1b}[2J"),
    ("pointer into the value", "inner/leaf"),
    ("path into the value", "inner.leaf"),
];

fn odd() -> Vec<Attack> {
    let mut out = Vec::new();
    for (what, name) in ODD {
        out.push(Attack::new(format!("name of {what}"), Class::OddName, widget().with(name, 1), widget()));
        let (bad, good) = (widget().with("inner", inner().with(name, 1)), widget().with("inner", inner()));
        out.push(Attack::new(format!("name of {what} in inner"), Class::OddName, bad, good).at("inner"));
    }
    // In a map every name is a key, so that only the value can be wrong.
    for (what, name) in ODD.into_iter().step_by(3) {
        let with = |value: Value| widget().with("map", object([(name, value)]));
        out.push(
            Attack::new(format!("key of {what}"), Class::OddName, with("x".into()), with(1.into())).at("map"),
        );
    }
    out
}

fn look_alikes() -> Vec<Attack> {
    [
        ("full width", "\u{ff4e}ame"),
        ("homoglyph", "n\u{430}me"),
        ("zero width", "na\u{200b}me"),
        ("zero width joiner behind", "name\u{200d}"),
        ("byte order mark", "\u{feff}name"),
        ("right to left", "\u{202e}eman"),
        ("combined", "name\u{301}"),
        ("Kelvin sign", "\u{212a}ind"),
        ("long s", "\u{17f}ec"),
        ("soft hyphen", "na\u{ad}me"),
        ("dotless i", "\u{131}nner"),
        ("emoji", "\u{1f4a9}"),
    ]
    .into_iter()
    .map(|(what, name)| {
        Attack::new(format!("look-alike by {what}"), Class::Unicode, widget().with(name, "abc"), widget())
    })
    .collect()
}

fn other_case() -> Vec<Attack> {
    let twice = |name: &str, bad: Value, good: Value| {
        Attack::new(format!("twice in another case: {name}"), Class::TwiceInAnotherCase, bad, good)
    };
    let mut out = Vec::new();
    let members: [(&str, &str, Value, Value); 6] = [
        ("name", "NAME", 5.into(), "abc".into()),
        ("count", "Count", "x".into(), 3.into()),
        ("mode", "MODE", "medium".into(), "fast".into()),
        ("sec", "SEC", SECRET.into(), SECRET.into()),
        ("list", "LIST", 5.into(), ["a".into()].into()),
        ("inner", "Inner", object([]), inner()),
    ];
    for (name, other, bad, good) in members {
        let honest = widget().with(name, good.clone());
        out.push(twice(&format!("{other} wrong, before"), honest.before(other, bad.clone()), honest.clone()));
        out.push(twice(&format!("{other} wrong, behind"), honest.after(other, bad), honest.clone()));
        out.push(twice(&format!("{other} right, behind"), honest.after(other, good), honest));
    }
    let odd = inner().before("LEAF", 5);
    out.push(
        twice("LEAF in inner", widget().with("inner", odd), widget().with("inner", inner())).at("inner"),
    );
    let right = inner().after("Leaf", "y");
    out.push(
        twice("Leaf in inner", widget().with("inner", right), widget().with("inner", inner())).at("inner"),
    );
    let free = |value: Value| widget().with("free", value);
    let both = object([("a", 1.into()), ("A", 2.into())]);
    for (what, value) in [
        ("free", both.clone()),
        ("free, deeper", object([("x", both.clone())])),
        ("free, in a list", object([("x", [1.into(), both].into())])),
        ("free, letters beyond ASCII", object([("\u{e9}", 1.into()), ("\u{c9}", 2.into())])),
    ] {
        let honest = free(object([("a", 1.into()), ("b", 2.into())]));
        out.push(twice(what, free(value), honest).at("free").only(&[Arm, Radius]));
    }
    let keys = |one: &str, other: &str| widget().with("map", object([(one, 1.into()), (other, 2.into())]));
    out.push(twice("keys of map", keys("k", "K"), keys("k", "l")).at("map").only(&[Arm, Radius]));
    let a = object([("kind", "a".into()), ("v", 1.into())]);
    let shape = |value: Value| widget().with("shape", value);
    out.push(
        twice("KIND before", shape(a.before("KIND", "b")), shape(a.clone()))
            .at("shape")
            .only(&[Arm, Contract]),
    );
    out.push(twice("Kind behind", shape(a.after("Kind", "a")), shape(a)).at("shape").only(&[Arm, Contract]));
    out
}

/// The same name twice, which a tree cannot hold in most languages, so that it is sent as text.
fn exactly() -> Vec<Attack> {
    let raw = |text: String| Value::Raw(text.into_bytes());
    let secret = format!("\"sec\": \"{SECRET}\"");
    let twice = |name: &str, text: String| {
        Attack::new(format!("twice: {name}"), Class::TwiceExactly, raw(text), widget())
    };
    let whole = |rest: &str| format!("{{\"name\": \"abc\", \"count\": 3, {secret}, {rest}}}");
    let mut out = vec![
        twice("name, equal", whole(r#""name": "abc""#)),
        twice("name, the last is wrong", whole(r#""name": 5"#)),
        twice(
            "count, the first is wrong",
            format!(r#"{{"count": "x", "name": "abc", {secret}, "count": 3}}"#),
        ),
        twice("sec", whole(r#""sec": "hush-other""#)),
        twice("name, with an escape", whole(r#""\u006eame": "abd""#)),
        twice("count, with an escape", whole(r#""c\u006Funt": 30"#)),
        twice("leaf of inner", whole(r#""inner": {"leaf": "x", "leaf": "y"}"#)),
        twice("key of map", whole(r#""map": {"k": 1, "k": 2}"#)),
        twice("empty key of map", whole(r#""map": {"": 1, "": 2}"#)),
    ];
    let open: &[Dialect] = &[Arm, Radius, Contract];
    out.push(twice("in free", whole(r#""free": {"a": 1, "a": 1}"#)).only(open));
    out.push(twice("in a list in free", whole(r#""free": {"l": [{"a": 1, "a": 2}]}"#)).only(open));
    out.push(twice("in free, with an escape", whole(r#""free": {"a": 1, "\u0061": 2}"#)).only(open));
    // As a tree, for what is written as a literal or in bytes of Thrift.
    let honest = widget();
    out.push(Attack::new(
        "twice: members in order",
        Class::TwiceExactly,
        honest.after("name", "abd"),
        honest.clone(),
    ));
    out.push(Attack::new("twice: numbers in order", Class::TwiceExactly, honest.before("count", 4), honest));
    out
}
