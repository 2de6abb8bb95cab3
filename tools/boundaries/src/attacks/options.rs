//! Options of resources: arguments that mean nothing, options that are none, and arguments of decorators that have a type.

use crate::attack::Dialect::{Declared, OptionForm, OptionValue};
use crate::attack::{Attack, Class};
use crate::value::{Value, number, object};

pub(super) fn attacks() -> Vec<Attack> {
    let mut out = arguments();
    out.extend(forms());
    out.extend(declared());
    out
}

/// Arguments of `retryOn` and `waitUntil`.
fn arguments() -> Vec<Attack> {
    let honest = || {
        object([("codes", ["ServerBusy".into()].into()), ("count", 2.into()), ("duration", "PT5S".into())])
    };
    let attack = |name: &str, class: Class, bad: Value, path: &str| {
        Attack::new(format!("option: {name}"), class, bad, honest()).only(&[OptionValue]).at(path)
    };
    let mut out = Vec::new();
    for (what, codes) in [
        ("text", Value::from("ServerBusy")),
        ("number", 5.into()),
        ("object", object([("0", "ServerBusy".into())])),
        ("list with a number", ["ServerBusy".into(), 5.into()].into()),
        ("list with null", [Value::Null].into()),
        ("list of lists", [["ServerBusy".into()].into()].into()),
    ] {
        out.push(attack(
            &format!("codes as {what}"),
            Class::WrongType,
            honest().with("codes", codes),
            "retryOn",
        ));
    }
    for (what, count) in [
        ("negative", number("-1")),
        ("fraction", number("2.5")),
        ("a little more than 2", number("2.0000000000000000001")),
        ("beyond 32 bits", number("4294967296")),
        ("beyond int64", number("9223372036854775808")),
        ("text", "2".into()),
        ("truth", true.into()),
        ("list", [2.into()].into()),
    ] {
        out.push(attack(&format!("count {what}"), Class::Number, honest().with("count", count), "retryOn"));
    }
    for (what, duration) in [
        ("word", Value::from("soon")),
        ("empty", "".into()),
        ("number", 5.into()),
        ("list", ["PT5S".into()].into()),
        ("negative", "-PT5S".into()),
        ("without units", "PT5".into()),
        ("a unit twice", "PT5S5S".into()),
        ("hundreds of digits", format!("PT{}S", "9".repeat(400)).as_str().into()),
        ("a word behind", "PT5S x".into()),
        ("full width", "PT\u{ff15}S".into()),
    ] {
        out.push(attack(
            &format!("duration {what}"),
            Class::Pattern,
            honest().with("duration", duration),
            "waitUntil",
        ));
    }
    out
}

/// Whole objects of options.
fn forms() -> Vec<Attack> {
    let retry = || Value::Array(vec![["ServerBusy".into()].into(), 2.into()]);
    let honest = || object([("retryOn", retry()), ("onlyIfNotExists", Value::Array(Vec::new()))]);
    let attack = |name: &str, bad: Value, path: &str| {
        Attack::new(format!("options: {name}"), Class::Entry, bad, honest()).only(&[OptionForm]).at(path)
    };
    let lambda = "[lambda('x', true())]";
    let with = |name: &str, arguments: Value| honest().with(name, arguments);
    vec![
        attack("list", Value::Array(vec![honest()]), "@options"),
        attack("text", "retryOn".into(), "@options"),
        attack("number", 5.into(), "@options"),
        attack("arguments that are no list", with("retryOn", object([("codes", retry())])), "retryOn"),
        attack("arguments that are a text", with("retryOn", "ServerBusy".into()), "retryOn"),
        attack("no arguments where some are required", with("retryOn", Value::Array(Vec::new())), "retryOn"),
        attack(
            "an argument too many",
            with("retryOn", Value::Array(vec![["a".into()].into(), 2.into(), 3.into()])),
            "retryOn",
        ),
        attack(
            "an argument where there is none",
            with("onlyIfNotExists", [1.into()].into()),
            "onlyIfNotExists",
        ),
        attack("no lambda", with("waitUntil", ["PT5S".into()].into()), "waitUntil"),
        attack("a text for a lambda", with("waitUntil", ["true".into(), "PT5S".into()].into()), "waitUntil"),
        attack("no duration", with("waitUntil", [lambda.into()].into()), "waitUntil"),
        attack(
            "a lambda for a duration",
            with("waitUntil", [lambda.into(), lambda.into()].into()),
            "waitUntil",
        ),
        attack(
            "a lambda with two arguments",
            with("waitUntil", ["[lambda('x', 'y', true())]".into(), "PT5S".into()].into()),
            "waitUntil",
        ),
        attack("for existing resources", with("nullIfNotFound", Value::Array(Vec::new())), "nullIfNotFound"),
        attack("twice in another case", honest().after("RETRYON", retry()), "RETRYON"),
        attack("twice in another case, the first wrong", honest().before("RetryOn", 5), "RetryOn"),
    ]
}

/// An argument of the type that `bicepconfig.json` gives it.
fn declared() -> Vec<Attack> {
    let honest = || {
        object([
            ("channel", "ops".into()),
            ("level", "low".into()),
            ("tries", 3.into()),
            ("list", ["a".into()].into()),
            ("inner", object([("leaf", "x".into())])),
        ])
    };
    let attack = |name: &str, class: Class, bad: Value, path: &str| {
        Attack::new(format!("decorator: {name}"), class, bad, honest()).only(&[Declared]).at(path)
    };
    let with = |name: &str, value: Value| honest().with(name, value);
    let mut out = Vec::new();
    for (member, fits) in [("channel", 1), ("level", 1), ("tries", 0), ("list", 3), ("inner", 4)] {
        let kinds: [(&str, Value); 5] = [
            ("a number", 5.into()),
            ("a text", "x".into()),
            ("a truth value", true.into()),
            ("a list", ["x".into()].into()),
            ("an object", object([("leaf", "x".into())])),
        ];
        for (at, (kind, value)) in kinds.into_iter().enumerate() {
            if at != fits {
                out.push(attack(
                    &format!("{member} as {kind}"),
                    Class::WrongType,
                    with(member, value),
                    member,
                ));
            }
        }
        out.push(attack(&format!("no {member}"), Class::Missing, honest().without(member), member));
        out.push(
            attack(&format!("{member} as null"), Class::Null, with(member, Value::Null), member).with_null(),
        );
    }
    out.push(attack("level unknown", Class::Enum, with("level", "medium".into()), "level"));
    out.push(attack("level in another case", Class::Enum, with("level", "LOW".into()), "level"));
    out.push(attack("a wrong item", Class::WrongType, with("list", ["a".into(), 5.into()].into()), "list"));
    out.push(attack(
        "a wrong leaf",
        Class::WrongType,
        with("inner", object([("leaf", 5.into())])),
        "inner.leaf",
    ));
    for digits in ["3.5", "3.0000000000000000001", "9223372036854775808", "1e400"] {
        out.push(attack(&format!("tries {digits}"), Class::Number, with("tries", number(digits)), "tries"));
    }
    for (name, other) in [("channel", "CHANNEL"), ("tries", "Tries")] {
        let bad = honest().after(other, 5);
        out.push(attack(&format!("{name} in two cases"), Class::TwiceInAnotherCase, bad, name));
    }
    out.push(attack("a list for all", Class::WrongType, [honest()].into(), ""));
    out.push(attack("a text for all", Class::WrongType, "x".into(), ""));
    out.push(attack("null for all", Class::Null, Value::Null, ""));
    out
}
