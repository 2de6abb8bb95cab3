//! Values that are too deep or too large, and errors that would be as large as they are.

use super::widget;
use crate::attack::Dialect::{Arm, Contract, Radius};
use crate::attack::{Attack, Class};
use crate::value::{Value, nested, number, object};

pub(super) fn attacks() -> Vec<Attack> {
    let mut out = Vec::new();
    for levels in
        [30, 58, 61, 62, 63, 64, 65, 95, 98, 99, 100, 101, 110, 120, 124, 125, 126, 127, 128, 129, 131]
    {
        let free = widget().with("free", nested(levels));
        let attack = Attack::new(format!("{levels} levels in free"), Class::Depth, free, widget());
        out.push(attack.only(&[Arm, Radius, Contract]).either());
    }
    for levels in [600, 3_000] {
        let free = widget().with("free", nested(levels));
        let attack = Attack::new(format!("{levels} levels in free"), Class::Depth, free, widget());
        out.push(attack.only(&[Arm, Radius, Contract]));
    }
    for levels in [200, 100_000] {
        let text = format!("{}1{}", "[".repeat(levels), "]".repeat(levels));
        let bad = widget().with("name", Value::Raw(text.into_bytes()));
        out.push(Attack::new(format!("{levels} lists in name"), Class::Depth, bad, widget()));
        let bad = widget().with("name", Value::Raw("[".repeat(levels).into_bytes()));
        out.push(Attack::new(format!("{levels} lists in name without an end"), Class::Depth, bad, widget()));
    }
    out.extend(large());
    out
}

fn large() -> Vec<Attack> {
    let megabyte = "m".repeat(1 << 20);
    let size = |name: &str, bad: Value| Attack::new(name, Class::Size, bad, widget());
    let many = |count: i64, item: Value| Value::Array((0..count).map(|_| item.clone()).collect());
    let members =
        |count: i64| Value::Object((0..count).map(|it| (format!("unknown{it}"), Value::from(it))).collect());
    let mut unknown = widget();
    if let (Value::Object(all), Value::Object(more)) = (&mut unknown, members(20_000)) {
        all.extend(more);
    }
    let lines = "line\n".repeat(100_000);
    vec![
        size("3 MB in name", widget().with("name", "n".repeat(3 << 20).as_str())).at("name"),
        size("3 MB in mode", widget().with("mode", "n".repeat(3 << 20).as_str())).at("mode"),
        size("3 MB in code", widget().with("code", "n".repeat(3 << 20).as_str())).at("code"),
        size("3 MB in a list of one item too many", widget().with("list", many(5, megabyte.as_str().into())))
            .at("list"),
        size("a number of 1 MB", widget().with("count", number("1".repeat(1 << 20)))).at("count"),
        size("a name of 1 MB", widget().with(&megabyte, 1)),
        size(
            "a name of 1 MB in inner",
            widget().with("inner", object([("leaf", "x".into()), (&megabyte, 1.into())])),
        ),
        size("a key of 1 MB with a wrong value", widget().with("map", object([(&megabyte, "x".into())]))),
        size(
            "a key of 100 kB with a wrong value",
            widget().with("map", object([(&"k".repeat(100_000), "x".into())])),
        ),
        size(
            "twice in another case, 1 MB",
            widget().with("free", object([(&megabyte, 1.into()), (&"M".repeat(1 << 20), 2.into())])),
        )
        .only(&[Arm, Radius]),
        size(
            "a number out of range below a name of 1 MB",
            widget().with("free", object([(&megabyte, number("1e400"))])),
        )
        .only(&[Arm, Radius]),
        size("60,000 wrong items", widget().with("nums", many(60_000, "x".into()))).at("nums"),
        size("60,000 numbers that are none", widget().with("nums", many(60_000, number("1.5")))).at("nums"),
        size("60,000 nulls", widget().with("nums", many(60_000, Value::Null))).at("nums"),
        size("20,000 unknown members", unknown).at("unknown0"),
        size("a list of 60,000 items", widget().with("list", many(60_000, "a".into()))).at("list"),
        size("100,000 lines in name", widget().with("name", lines.as_str())).at("name"),
        size("a wrong kind of 1 MB", widget().with("shape", object([("kind", megabyte.as_str().into())])))
            .at("shape")
            .only(&[Arm, Contract]),
        size(
            "500 wrong items of 10 kB",
            widget().with("level", many(500, "w".repeat(10_000).as_str().into())),
        )
        .at("level"),
    ]
}
