//! Numbers that are not what they seem: beyond int64 and binary64, with more digits than either holds, and texts that only look like numbers.

use super::widget;
use crate::attack::Dialect::{Arm, Contract, Radius};
use crate::attack::{Attack, Class, Dialect};
use crate::value::{Value, number, object};

pub(super) fn attacks() -> Vec<Attack> {
    let mut out = Vec::new();
    let digits = "9".repeat(5_000);
    let fraction = format!("3.{}1", "0".repeat(400));
    let whole: [(&str, &str); 18] = [
        ("half", "3.5"),
        ("a little more than 3", "3.0000000000000000001"),
        ("a little less than 3", "2.9999999999999999999"),
        ("a little more than 9", "9.0000000000000000001"),
        ("2^53 and a half", "9007199254740993.5"),
        ("int64 and one", "9223372036854775808"),
        ("int64 and one below", "-9223372036854775809"),
        ("uint64", "18446744073709551616"),
        ("twenty digits", "99999999999999999999"),
        ("1e400", "1e400"),
        ("-1e400", "-1e400"),
        ("1e-400", "1e-400"),
        ("1e999999999", "1e999999999"),
        ("1e-999999999", "1e-999999999"),
        ("exponent beyond int64", "1e99999999999999999999"),
        ("thousands of digits", &digits),
        ("hundreds of digits behind the point", &fraction),
        ("tiny", "5e-324"),
    ];
    for (what, text) in whole {
        let attack = |bad: Value, good: Value, place: &str| {
            Attack::new(format!("{place}: {what}"), Class::Number, bad, good).at(place)
        };
        out.push(attack(widget().with("count", number(text)), widget().with("count", 3), "count"));
        let nums = |item: Value| widget().with("nums", [1.into(), item]);
        let in_list = attack(nums(number(text)), nums(2.into()), "nums[1]");
        // A whole number has no bounds in a contract, and those of binary64 in Radius.
        let is_whole = !text.contains('.') && !text.contains("e-");
        let is_small = text.len() < 25 && !text.contains('e');
        out.push(match (is_whole, is_small) {
            (true, true) => in_list.only(&[Arm, Dialect::Thrift]),
            (true, false) => in_list.except(Contract),
            (false, _) => in_list,
        });
        let beyond = matches!(what, "1e400" | "-1e400" | "1e-400" | "1e999999999" | "1e-999999999")
            || what.starts_with("exponent")
            || what.starts_with("thousands");
        if beyond {
            let free = |item: Value| widget().with("free", object([("n", item)]));
            out.push(attack(free(number(text)), free(1.into()), "free.n").only(&[Arm, Radius]));
            let free = |item: Value| widget().with("free", object([("l", [object([("n", item)])].into())]));
            let attack = attack(free(number(text)), free(1.into()), "free.l[0].n");
            out.push(attack.only(&[Arm, Radius]));
        }
    }
    let level = |text: &str| widget().with("level", number(text));
    for text in ["1.0000000000000000001", "2.5", "1e400"] {
        out.push(Attack::new(format!("level: {text}"), Class::Number, level(text), level("1")).at("level"));
    }
    out.extend(spellings());
    out
}

/// What JSON does not take for a number, though other languages do.
fn spellings() -> Vec<Attack> {
    let mut out = Vec::new();
    let spelt = [
        "NaN",
        "Infinity",
        "-Infinity",
        "0x10",
        "010",
        "1_000",
        ".5",
        "5.",
        "1e",
        "--1",
        "0b11",
        "3f",
        "1e+",
        "\u{663}",
    ];
    for text in spelt {
        let raw = |text: &str| Value::Raw(text.as_bytes().to_vec());
        let name = |place: &str| format!("{place}: spelt {text}");
        let bad = widget().with("count", raw(text));
        out.push(Attack::new(name("count"), Class::Number, bad, widget()).unless_yaml());
        let bad = widget().with("free", object([("n", raw(text))]));
        let good = widget().with("free", object([("n", 1.into())]));
        out.push(
            Attack::new(name("free"), Class::Number, bad, good).only(&[Arm, Radius, Contract]).unless_yaml(),
        );
    }
    out
}
