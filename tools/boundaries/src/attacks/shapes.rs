//! Values of another type, members that are missing, null, outside an enumeration or a bound; validators and discriminators.

use super::widget;
use crate::attack::Dialect::{Arm, Contract, Radius, Thrift};
use crate::attack::{Attack, Class, Dialect};
use crate::value::{Value, number, object};

/// A member of the widget: its name, an honest value, the kinds of values that it does not take, and the contracts that have it.
struct Member {
    name: &'static str,
    honest: Value,
    not: &'static [Kind],
    dialects: &'static [Dialect],
}

#[derive(Clone, Copy, Debug)]
enum Kind {
    Text,
    Whole,
    Fraction,
    Truth,
    List,
    Object,
}

impl Kind {
    fn value(self) -> Value {
        match self {
            Kind::Text => "some text".into(),
            Kind::Whole => 7.into(),
            Kind::Fraction => number("2.5"),
            Kind::Truth => true.into(),
            Kind::List => [Value::from("a")].into(),
            Kind::Object => object([("x", 1.into())]),
        }
    }
}

const ALL: &[Dialect] = &[Arm, Radius, Thrift, Contract];

fn members() -> Vec<Member> {
    use Kind::{Fraction, List, Object, Text, Truth, Whole};
    let member = |name, honest, not, dialects| Member { name, honest, not, dialects };
    vec![
        member("name", "abc".into(), &[Whole, Fraction, Truth, List, Object], ALL),
        member("count", 5.into(), &[Text, Fraction, Truth, List, Object], ALL),
        member("on", true.into(), &[Text, Whole, Fraction, List, Object], ALL),
        member("mode", "fast".into(), &[Text, Whole, Fraction, Truth, List, Object], ALL),
        member("level", 2.into(), &[Text, Whole, Fraction, Truth, List, Object], ALL),
        member("list", [Value::from("a")].into(), &[Text, Whole, Fraction, Truth, Object], ALL),
        member("nums", [Value::from(1)].into(), &[Text, Whole, Fraction, Truth, List, Object], ALL),
        member("pair", ["a".into(), 1.into()].into(), &[Text, Whole, Truth, List, Object], &[Arm]),
        member(
            "shape",
            object([("kind", "a".into()), ("v", 1.into())]),
            &[Text, Whole, Truth, List, Object],
            &[Arm, Contract],
        ),
        member("maybe", Value::Null, &[Whole, Fraction, Truth, List, Object], &[Arm, Radius, Contract]),
        member("sec", "hush-another".into(), &[Whole, Fraction, Truth, List, Object], ALL),
        member("code", "ok-1".into(), &[Text, Whole, Fraction, Truth, List, Object], ALL),
        member("free", object([("a", 1.into())]), &[Text, Whole, Truth, List], &[Arm, Radius, Contract]),
        member("inner", object([("leaf", "x".into())]), &[Text, Whole, Fraction, Truth, List, Object], ALL),
        member("map", object([("k", 1.into())]), &[Text, Whole, Fraction, Truth], ALL),
    ]
}

pub(super) fn attacks() -> Vec<Attack> {
    let mut out = Vec::new();
    out.extend(wrong_types());
    out.extend(missing());
    out.extend(nulls());
    out.extend(enumerations());
    out.extend(bounds());
    out.extend(validators());
    out.extend(discriminators());
    out
}

fn wrong_types() -> Vec<Attack> {
    let mut out = Vec::new();
    for member in members() {
        for kind in member.not {
            let name = format!("{} is {kind:?}", member.name).to_lowercase();
            let (bad, good) =
                (widget().with(member.name, kind.value()), widget().with(member.name, member.honest.clone()));
            out.push(Attack::new(name, Class::WrongType, bad, good).at(member.name).only(member.dialects));
        }
    }
    let inside: [(&str, &str, Value, Value, &[Dialect]); 8] = [
        ("item of list", "list[1]", list([("a").into(), 5.into()]), list(["a".into(), "b".into()]), ALL),
        (
            "item of nums",
            "nums[2]",
            nums([1.into(), 2.into(), "x".into()]),
            nums([1.into(), 2.into(), 3.into()]),
            ALL,
        ),
        ("list in list", "list[0]", list([Value::Array(Vec::new())]), list(["a".into()]), ALL),
        ("value of map", "map.k", map("k", "x".into()), map("k", 1.into()), ALL),
        ("object in map", "map.k", map("k", object([("x", 1.into())])), map("k", 1.into()), ALL),
        ("leaf of inner", "inner.leaf", inner("leaf", 5.into()), inner("leaf", "x".into()), ALL),
        (
            "leaf of deep",
            "inner.deep.leaf",
            inner("deep", object([("leaf", "x".into())])),
            inner("deep", object([("leaf", 1.into())])),
            ALL,
        ),
        ("item of pair", "pair[1]", pair(["a".into(), "b".into()]), pair(["a".into(), 1.into()]), &[Arm]),
    ];
    for (name, path, bad, good, dialects) in inside {
        out.push(
            Attack::new(format!("{name} of another type"), Class::WrongType, bad, good)
                .at(path)
                .only(dialects),
        );
    }
    let whole = [
        ("text", Value::from("abc")),
        ("number", 5.into()),
        ("truth", true.into()),
        ("list", [widget()].into()),
        ("empty list", Value::Array(Vec::new())),
    ];
    for (name, value) in whole {
        out.push(Attack::new(format!("the whole is a {name}"), Class::WrongType, value, widget()).at(""));
    }
    out
}

fn list<const N: usize>(items: [Value; N]) -> Value {
    widget().with("list", items)
}

fn nums<const N: usize>(items: [Value; N]) -> Value {
    widget().with("nums", items)
}

fn pair<const N: usize>(items: [Value; N]) -> Value {
    widget().with("pair", items)
}

fn map(key: &str, value: Value) -> Value {
    widget().with("map", object([(key, value)]))
}

fn inner(name: &str, value: Value) -> Value {
    widget().with("inner", object([("leaf", "x".into())]).with(name, value))
}

fn shape(value: Value) -> Value {
    widget().with("shape", value)
}

fn missing() -> Vec<Attack> {
    let missing =
        |name: &str, bad: Value, good: Value| Attack::new(format!("no {name}"), Class::Missing, bad, good);
    let deep = || object([("leaf", 1.into())]);
    vec![
        missing("name", widget().without("name"), widget()).at("name"),
        missing("count", widget().without("count"), widget()).at("count"),
        missing("name and count", widget().without("name").without("count"), widget()).at("name"),
        missing("member at all", object([]), widget()).at("name"),
        missing("leaf of inner", widget().with("inner", object([])), inner("leaf", "x".into()))
            .at("inner.leaf"),
        missing(
            "leaf of inner beside deep",
            widget().with("inner", object([("deep", deep())])),
            inner("deep", deep()),
        )
        .at("inner.leaf"),
        missing("leaf of deep", inner("deep", object([])), inner("deep", deep())).at("inner.deep.leaf"),
        missing(
            "member of a shape",
            shape(object([("kind", "a".into())])),
            shape(object([("kind", "a".into()), ("v", 1.into())])),
        )
        .at("shape.v")
        .only(&[Arm, Contract]),
        missing("second item of pair", pair(["a".into()]), pair(["a".into(), 1.into()]))
            .at("pair")
            .only(&[Arm]),
        Attack::new(
            "third item of pair",
            Class::Extra,
            pair(["a".into(), 1.into(), 2.into()]),
            pair(["a".into(), 1.into()]),
        )
        .at("pair")
        .only(&[Arm]),
    ]
}

fn nulls() -> Vec<Attack> {
    let null = |name: &str, bad: Value| Attack::new(format!("null for {name}"), Class::Null, bad, widget());
    let mut out = vec![
        null("the whole", Value::Null).at("").except(Contract),
        null("name", widget().with("name", Value::Null)).at("name"),
        null("count", widget().with("count", Value::Null)).at("count"),
        null("an item of list", list(["a".into(), Value::Null])).at("list[1]"),
        null("an item of nums", nums([1.into(), Value::Null])).at("nums[1]"),
        null("a value of map", map("k", Value::Null)).at("map.k").with_null(),
        null("leaf of inner", inner("leaf", Value::Null)).at("inner.leaf"),
        null("an item of pair", pair(["a".into(), Value::Null])).at("pair[1]").only(&[Arm]),
        null("a kind", shape(object([("kind", Value::Null)]))).at("shape").only(&[Arm, Contract]),
        null("a member of a shape", shape(object([("kind", "a".into()), ("v", Value::Null)])))
            .at("shape.v")
            .only(&[Arm, Contract]),
    ];
    for name in ["on", "mode", "level", "list", "nums", "code", "free", "inner", "map"] {
        let attack = null(&format!("optional {name}"), widget().with(name, Value::Null));
        out.push(attack.at(name).only(&[Radius, Contract]).with_null());
    }
    out
}

fn enumerations() -> Vec<Attack> {
    let odd = [
        ("other", "medium"),
        ("empty", ""),
        ("blank behind", "fast "),
        ("blank before", " fast"),
        ("long s", "\u{17f}low"),
        ("full width", "\u{ff46}\u{ff41}\u{ff53}\u{ff54}"),
        ("homoglyph", "f\u{430}st"),
        ("zero width", "fa\u{200b}st"),
        ("NUL behind", "fast\0"),
        ("line break behind", "fast\n"),
        ("both", "fast,slow"),
        ("dotless", "fa\u{17f}t"),
        ("combined", "fast\u{301}"),
    ];
    let mut out: Vec<Attack> = odd
        .into_iter()
        .map(|(name, text)| {
            let (bad, good) = (widget().with("mode", text), widget().with("mode", "fast"));
            Attack::new(format!("mode: {name}"), Class::Enum, bad, good).at("mode")
        })
        .collect();
    for digits in ["0", "4", "-1", "1000"] {
        let (bad, good) = (widget().with("level", number(digits)), widget().with("level", 3));
        out.push(Attack::new(format!("level: {digits}"), Class::Enum, bad, good).at("level"));
    }
    out
}

fn bounds() -> Vec<Attack> {
    let mut out = Vec::new();
    for (digits, nearest) in [
        ("0", 1),
        ("10", 9),
        ("-1", 1),
        ("-9223372036854775808", 1),
        ("9223372036854775807", 9),
        ("-0", 1),
        ("4294967299", 3),
    ] {
        let (bad, good) = (widget().with("count", number(digits)), widget().with("count", nearest));
        out.push(Attack::new(format!("count: {digits}"), Class::Bound, bad, good).at("count"));
    }
    let long = |n: usize| "x".repeat(n);
    for (what, bad, good) in [
        ("empty", String::new(), long(2)),
        ("one too short", long(1), long(2)),
        ("one too long", long(11), long(10)),
        ("much too long", long(5_000), long(10)),
        ("emoji", "\u{1f600}".repeat(11), "\u{1f600}".repeat(5)),
        ("short in characters, not in bytes", "\u{1f600}".to_owned(), "\u{e9}\u{e9}".to_owned()),
        ("NFD", "e\u{301}".repeat(6), "e\u{301}".repeat(5)),
    ] {
        let (bad, good) = (widget().with("name", bad.as_str()), widget().with("name", good.as_str()));
        let attack = Attack::new(format!("name: {what}"), Class::Length, bad, good).at("name");
        // ARM counts units of UTF-16, in which one emoji is two.
        let units = what.starts_with("short in");
        out.push(if units { attack.only(&[Radius, Contract]) } else { attack });
    }
    let items = |n: i64| Value::Array((0..n).map(|it| it.to_string().as_str().into()).collect());
    for (what, bad, good) in [("no item", 0, 1), ("five items", 5, 4), ("a hundred items", 100, 4)] {
        let (bad, good) = (widget().with("list", items(bad)), widget().with("list", items(good)));
        out.push(Attack::new(format!("list: {what}"), Class::Length, bad, good).at("list"));
    }
    out
}

fn validators() -> Vec<Attack> {
    let mut out = Vec::new();
    for (what, text) in [
        ("other prefix", "no-1"),
        ("empty", ""),
        ("blank before", " ok-1"),
        ("line break before", "\nok-1"),
        ("other case", "OK-1"),
        ("prefix behind", "1ok-"),
        ("half", "ok"),
        ("zero width", "o\u{200b}k-1"),
    ] {
        let (bad, good) = (widget().with("code", text), widget().with("code", "ok-1"));
        let class = if what == "other case" { Class::Pattern } else { Class::Validator };
        let attack = Attack::new(format!("code: {what}"), class, bad, good).at("code");
        // `startsWith` of the validator does not look at case.
        out.push(if what == "other case" { attack.except(Arm) } else { attack });
    }
    for answer in [
        "no",
        "array",
        "text",
        "number",
        "null",
        "nothing",
        "other",
        "number kind",
        "no text",
        "number text",
        "null text",
        "error",
    ] {
        let (bad, good) = (widget().with("judge", answer), widget().with("judge", "yes"));
        out.push(
            Attack::new(format!("a validator that answers: {answer}"), Class::Nonsense, bad, good)
                .at("judge")
                .only(&[Arm]),
        );
    }
    out
}

fn discriminators() -> Vec<Attack> {
    let a = || object([("kind", "a".into()), ("v", 1.into())]);
    let b = || object([("kind", "b".into()), ("w", "x".into())]);
    let mut out = Vec::new();
    for (what, bad, good, path) in [
        ("unknown", a().with("kind", "c"), a(), "shape"),
        ("empty", a().with("kind", ""), a(), "shape"),
        ("absent", a().without("kind"), a(), "shape"),
        ("number", a().with("kind", 1), a(), "shape"),
        ("list", a().with("kind", ["a".into()]), a(), "shape"),
        ("truth", a().with("kind", true), a(), "shape"),
        ("blank behind", a().with("kind", "a "), a(), "shape"),
        ("homoglyph", a().with("kind", "\u{430}"), a(), "shape"),
        ("of the other branch", a().with("kind", "b"), b(), "shape.w"),
        ("of the first branch", b().with("kind", "a"), a(), "shape.v"),
        ("member of another type", a().with("v", "x"), a(), "shape.v"),
        ("member of another type in the other branch", b().with("w", 1), b(), "shape.w"),
        ("extra member", a().with("w", "x"), a(), "shape.w"),
    ] {
        out.push(
            Attack::new(
                format!("kind: {what}"),
                Class::Discriminator,
                shape(bad.clone()),
                shape(good.clone()),
            )
            .at(path)
            .only(&[Arm, Contract]),
        );
        let path = path.replacen("shape", "shapes[1]", 1);
        let (bad, good) = (widget().with("shapes", [b(), bad]), widget().with("shapes", [b(), good]));
        out.push(
            Attack::new(format!("kind in a list: {what}"), Class::Discriminator, bad, good)
                .at(path)
                .only(&[Arm]),
        );
    }
    out
}
