//! Text that is not what it should be: encodings, what follows a value, expressions, and secrets in every kind of error.

use super::widget;
use crate::attack::Dialect::{Arm, Contract, Radius, Thrift};
use crate::attack::{Attack, Class, SECRET};
use crate::value::{Value, number, object};

pub(super) fn attacks() -> Vec<Attack> {
    let mut out = Vec::new();
    out.extend(encodings());
    out.extend(behind());
    out.extend(expressions());
    out.extend(secrets());
    out
}

/// Bytes with an honest widget around them.
fn around(before: &[u8], odd: &[u8], after: &[u8]) -> Value {
    Value::Raw([before, odd, after].concat())
}

fn encodings() -> Vec<Attack> {
    let attack =
        |name: &str, value: Value| Attack::new(format!("encoding: {name}"), Class::Encoding, value, widget());
    let head = format!("{{\"count\": 3, \"sec\": \"{SECRET}\", \"name\": \"a");
    let bytes: [(&str, &[u8]); 8] = [
        ("a byte of no character", b"\xff"),
        ("a character cut short", b"\xc3("),
        ("an overlong slash", b"\xc0\xaf"),
        ("a surrogate", b"\xed\xa0\x80"),
        ("beyond Unicode", b"\xf5\x80\x80\x80"),
        ("a lone continuation", b"\x80"),
        ("a control character", b"\x01"),
        ("a line break", b"\n"),
    ];
    let mut out: Vec<Attack> = bytes
        .iter()
        .filter(|(name, _)| !name.starts_with("a line") && !name.starts_with("a control"))
        .map(|(name, odd)| attack(name, around(head.as_bytes(), odd, b"b\"}")))
        .collect();
    for (name, escape) in [
        ("lone high surrogate", r"\ud800"),
        ("lone low surrogate", r"\udc00"),
        ("surrogates in the wrong order", r"\udc00\ud800"),
        ("high surrogate and a letter", r"\ud83dx"),
        ("escape of three digits", r"\u12"),
        ("unknown escape", r"\q"),
        ("escape of another language", r"\x41"),
    ] {
        let attack = attack(name, around(head.as_bytes(), escape.as_bytes(), b"b\"}"));
        // YAML has escapes of two digits.
        out.push(if name == "escape of another language" { attack.unless_yaml() } else { attack });
    }
    let names: [(&str, &[u8]); 3] = [
        ("byte of no character in a name", b"\xff"),
        ("lone surrogate in a name", br"\ud800"),
        ("cut short in a name", b"\xe2\x82"),
    ];
    for (name, odd) in names {
        let head = format!("{{\"name\": \"abc\", \"count\": 3, \"sec\": \"{SECRET}\", \"map\": {{\"");
        out.push(attack(name, around(head.as_bytes(), odd, b"\": 1}}")));
    }
    let text = widget().json_text().unwrap_or_default();
    let wide: Vec<u8> = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
    out.push(attack("UTF-16", Value::Raw(wide)));
    let marked: Vec<u8> =
        [0xfeff].into_iter().chain(text.encode_utf16()).flat_map(u16::to_be_bytes).collect();
    out.push(attack("UTF-16 with a mark", Value::Raw(marked)));
    out
}

fn behind() -> Vec<Attack> {
    let honest = widget().json_text().unwrap_or_default();
    let head = format!("{{\"count\": 3, \"sec\": \"{SECRET}\", \"name\": ");
    let texts = [
        ("a word behind", format!("{honest} x")),
        ("a second value behind", format!("{honest} {honest}")),
        ("a bracket behind", format!("{honest}]")),
        ("a brace behind", format!("{honest}}}")),
        ("two commas behind", format!("{honest},,")),
        ("a NUL behind", format!("{honest}\0")),
        ("no end", honest.trim_end_matches('}').to_owned()),
        ("no end of a text", format!("{head}\"abc")),
        ("no value", format!("{head}}}")),
        ("no colon", format!("{{\"sec\": \"{SECRET}\", \"name\" \"abc\"}}")),
        ("no comma", format!("{{\"sec\": \"{SECRET}\" \"name\": \"abc\"}}")),
        ("a half word", format!("{head}tru}}")),
        ("only an opening brace", "{".to_owned()),
        ("only a closing brace", "}".to_owned()),
        ("only a quote", "\"".to_owned()),
    ];
    texts
        .into_iter()
        .map(|(name, text)| {
            let attack = Attack::new(
                format!("text: {name}"),
                Class::TextBehind,
                Value::Raw(text.into_bytes()),
                widget(),
            );
            // YAML needs no quotes, and has several values in one text.
            let fine = ["a half word", "a second value behind"].contains(&name);
            if fine { attack.unless_yaml() } else { attack }
        })
        .collect()
}

fn expressions() -> Vec<Attack> {
    let mut out = Vec::new();
    for (name, text) in [
        ("a function", "[concat('fa', 'st')]"),
        ("a parameter", "[parameters('p').name]"),
        ("an escape", "[['fast']"),
        ("interpolation", "${'fast'}"),
        ("a secret", "[parameters('p').sec]"),
    ] {
        let (bad, good) = (widget().with("mode", text), widget().with("mode", "fast"));
        let mut attack = Attack::new(format!("expression: {name}"), Class::Expression, bad, good).at("mode");
        attack.is_expression = true;
        out.push(attack);
    }
    let (bad, good) = (widget().with("count", "[add(1, 2)]"), widget());
    let mut attack = Attack::new("expression: for a number", Class::Expression, bad, good).at("count");
    attack.is_expression = true;
    out.push(attack);
    out
}

fn vault(value: Value) -> Value {
    widget().without("sec").with("vault", value)
}

fn secrets() -> Vec<Attack> {
    let secret =
        |name: &str, bad: Value| Attack::new(format!("secret: {name}"), Class::Secret, bad, widget());
    let text = || Value::from(SECRET);
    let digits = "48151623421337";
    vec![
        secret("in an object", widget().with("sec", object([("x", text())]))).at("sec"),
        secret("in a list", widget().with("sec", [text()])).at("sec"),
        secret("as a name", widget().with("sec", object([(SECRET, 1.into())]))).at("sec"),
        secret("as a number", widget().with("sec", number(digits))).at("sec").hiding(digits),
        secret("as a number with a fraction", widget().with("sec", number("48151623.421337")))
            .at("sec")
            .hiding("48151623.421337"),
        secret("too long", widget().with("sec", SECRET.repeat(8).as_str())).at("sec"),
        secret("with another member of another type", widget().with("count", "x")).at("count"),
        secret(
            "in another case, beside an error",
            widget().without("sec").with("SEC", text()).with("count", "x"),
        )
        .at("count")
        .only(&[Arm, Radius, Contract, Thrift]),
        secret(
            "in mixed case, beside an error",
            widget().without("sec").with("Sec", text()).with("mode", "x"),
        )
        .at("mode"),
        secret("in another case, in an object", widget().without("sec").with("sEC", object([("x", text())])))
            .except(Arm)
            .at("sEC"),
        secret(
            "in another case, on the line of an unknown member",
            widget().with("SeC", text()).with("extra", 1),
        ),
        secret("where a text belongs", widget().without("sec").with("name", object([("sec", text())])))
            .at("name"),
        secret("where a list belongs", widget().without("sec").with("list", object([("sec", text())])))
            .at("list"),
        secret("in an item of a list", widget().without("sec").with("list", [object([("sec", text())])]))
            .at("list"),
        secret("in an unknown member", widget().without("sec").with("more", object([("sec", text())])))
            .at("more"),
        secret(
            "in an unknown member, in another case",
            widget().without("sec").with("more", object([("SEC", text())])),
        )
        .at("more"),
        secret("in a text for all", text()).at(""),
        secret("in a list for all", [text()].into()).at(""),
        secret("in a list around all", [widget()].into()).at(""),
        secret("in a text for what holds one", vault(text())).at("vault"),
        secret("in a list for what holds one", vault([text()].into())).at("vault"),
        secret("in a list around what holds one", vault([object([("key", text())])].into())).at("vault"),
        secret("as a number for what holds one", vault(number(digits))).at("vault").hiding(digits),
        secret("in an object for one in another", vault(object([("key", object([("x", text())]))])))
            .at("vault.key"),
        secret("in another case in what holds one", vault(object([("KEY", [text()].into())])))
            .except(Arm)
            .at("vault"),
        secret("beside a mistake in what holds one", vault(object([("key", text()), ("size", "x".into())])))
            .at("vault.size"),
        secret(
            "before a mistake",
            Value::Raw(format!("{{\"sec\": \"{SECRET}\", \"name\": @}}").into_bytes()),
        ),
        secret(
            "in a mistake",
            Value::Raw(format!("{{\"name\": \"abc\", \"count\": 3, \"sec\": {SECRET}}}").into_bytes()),
        )
        .unless_yaml(),
        secret(
            "without its end",
            Value::Raw(format!("{{\"name\": \"abc\", \"count\": 3, \"sec\": \"{SECRET}").into_bytes()),
        ),
        secret(
            "twice",
            Value::Raw(
                format!("{{\"name\": \"abc\", \"count\": 3, \"sec\": \"{SECRET}\", \"sec\": \"{SECRET}\"}}")
                    .into_bytes(),
            ),
        ),
    ]
}
