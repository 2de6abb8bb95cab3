//! The JSON protocol: how messages are written in it, and what can be wrong with their text.

use thrift::base64;

use crate::mutate::Spoil;
use crate::random::Random;
use crate::tree::{Claim, Form, Int, Wire};

/// Writes a message; texts are base64 if those of its type are bytes.
pub fn json(wire: &Wire, is_bytes: bool) -> Vec<u8> {
    let mut out = Vec::new();
    Writer { is_bytes, out: &mut out }.value(wire, false);
    out
}

struct Writer<'o> {
    is_bytes: bool,
    out: &'o mut Vec<u8>,
}

impl Writer<'_> {
    fn put(&mut self, text: &str) {
        self.out.extend(text.as_bytes());
    }

    /// Numbers that are keys stand in quotes.
    fn number(&mut self, text: &str, is_key: bool) {
        let quote = if is_key { "\"" } else { "" };
        self.put(&format!("{quote}{text}{quote}"));
    }

    fn value(&mut self, wire: &Wire, is_key: bool) {
        match wire {
            Wire::Bool(byte) => self.number(&byte.to_string(), is_key),
            Wire::Int(Int { value, form, .. }) => {
                let sign = if *value < 0 { "-" } else { "" };
                let text = match form {
                    Form::Short => value.to_string(),
                    Form::Padded(more) => {
                        format!("{sign}{}{}", "0".repeat((*more).into()), value.unsigned_abs())
                    }
                    Form::Bits(bits) => bits.to_string(),
                };
                self.number(&text, is_key);
            }
            Wire::Double(bits) => match f64::from_bits(*bits) {
                value if value.is_nan() => self.put("\"NaN\""),
                f64::INFINITY => self.put("\"Infinity\""),
                f64::NEG_INFINITY => self.put("\"-Infinity\""),
                value => self.number(&format!("{value:?}"), is_key),
            },
            Wire::Text(bytes, _) if self.is_bytes => self.put(&format!("\"{}\"", base64::encode(bytes))),
            Wire::Text(bytes, _) => {
                self.put("\"");
                for byte in bytes {
                    match byte {
                        b'"' | b'\\' => self.out.extend([b'\\', *byte]),
                        0..=31 => self.put(&format!("\\u{byte:04x}")),
                        byte => self.out.push(*byte),
                    }
                }
                self.put("\"");
            }
            Wire::Struct(it) => {
                self.put("{");
                for (at, field) in it.fields.iter().enumerate() {
                    let before = if at == 0 { "" } else { "," };
                    let zero = if field.long { "0" } else { "" };
                    let tag = tag(field.claim.unwrap_or(Claim::Type(field.value.ty())));
                    self.put(&format!("{before}\"{zero}{}\":{{\"{tag}\":", field.id));
                    self.value(&field.value, false);
                    self.put("}");
                }
                if !it.endless {
                    self.put("}");
                }
            }
            Wire::List(it) => {
                let length = it.length.unwrap_or(it.items.len() as i64);
                self.put(&format!("[\"{}\",{length}", tag(it.element)));
                for item in &it.items {
                    self.put(",");
                    self.value(item, false);
                }
                self.put("]");
            }
            Wire::Map(it) => {
                let length = it.length.unwrap_or(it.entries.len() as i64);
                self.put(&format!("[\"{}\",\"{}\",{length},{{", tag(it.key), tag(it.value)));
                for (at, (key, value)) in it.entries.iter().enumerate() {
                    self.put(if at == 0 { "" } else { "," });
                    self.value(key, true);
                    self.put(":");
                    self.value(value, false);
                }
                self.put("}]");
            }
        }
    }
}

fn tag(claim: Claim) -> String {
    match claim {
        Claim::Type(ty) => ty.tag().to_owned(),
        Claim::Raw(number) => format!("x{number}"),
    }
}

/// Changes of text that say the same to some.
pub const SPOILS: &[(&str, Spoil)] = &[
    ("a number has zeros before it", |text, random| {
        at_number(text, random, |text, start, _| insert(text, start, b"00"));
    }),
    ("a number has a plus", |text, random| {
        at_number(text, random, |text, start, _| insert(text, start, b"+"));
    }),
    ("a number has a minus", |text, random| {
        at_number(text, random, |text, start, _| insert(text, start, b"-"));
    }),
    ("a number has a fraction", |text, random| {
        at_number(text, random, |text, _, end| insert(text, end, b".0"));
    }),
    ("a number has half of one", |text, random| {
        at_number(text, random, |text, _, end| insert(text, end, b".5"));
    }),
    ("a number has a point and nothing behind it", |text, random| {
        at_number(text, random, |text, _, end| insert(text, end, b"."));
    }),
    ("a number has an exponent", |text, random| {
        at_number(text, random, |text, _, end| insert(text, end, b"e1"));
    }),
    ("a number has a large exponent", |text, random| {
        at_number(text, random, |text, _, end| insert(text, end, b"E400"));
    }),
    ("a number has an underscore", |text, random| {
        at_number(text, random, |text, _, end| insert(text, end, b"_0"));
    }),
    ("a number is in quotes, or is not", |text, random| {
        at_number(text, random, |text, start, end| {
            let quoted = start > 0 && text.get(start - 1) == Some(&b'"') && text.get(end) == Some(&b'"');
            if quoted {
                text.remove(end);
                text.remove(start - 1);
            } else {
                insert(text, end, b"\"");
                insert(text, start, b"\"");
            }
        });
    }),
    ("a number is very large", |text, random| {
        at_number(text, random, |text, _, end| insert(text, end, b"00000000000000000000"));
    }),
    ("a number is hexadecimal", |text, random| {
        at_number(text, random, |text, start, _| insert(text, start, b"0x"));
    }),
    ("another word stands for a number", |text, random| {
        let words: [&[u8]; 9] = [
            b"null",
            b"true",
            b"false",
            b"NaN",
            b"\"NaN\"",
            b"\"Infinity\"",
            b"\"-Infinity\"",
            b"\"nan\"",
            b"[]",
        ];
        let word = random.pick(&words).copied().unwrap_or_default();
        at_number(text, random, |text, start, end| {
            text.splice(start..end, word.iter().copied());
        });
    }),
    ("a letter is escaped", |text, random| {
        let form = random.below(5);
        at_letter(text, random, |text, at, letter| {
            let escape = match form {
                0 => format!("\\u{letter:04x}"),
                1 => format!("\\u{letter:04X}"),
                2 => format!("\\U{letter:04x}"),
                3 => format!("\\{}", char::from(letter)),
                _ => format!("\\x{letter:02x}"),
            };
            text.splice(at..=at, escape.bytes());
        });
    }),
    ("an escape that is special", |text, random| {
        let escapes: [&[u8]; 16] = [
            b"\\u0000",
            b"\\ud83d\\ude00",
            b"\\uD83D\\uDE00",
            b"\\ud83d",
            b"\\ude00",
            b"\\ude00\\ud83d",
            b"\\u00E9",
            b"\\u 0e9",
            b"\\u0x1f",
            b"\\u1_23",
            b"\\/",
            b"\\b",
            b"\\f",
            b"\\'",
            b"\\u12",
            b"\\",
        ];
        let escape = random.pick(&escapes).copied().unwrap_or_default();
        at_letter(text, random, |text, at, _| insert(text, at, escape));
    }),
    ("a sign of base64 that is none", |text, random| {
        let signs: [&[u8]; 9] = [b"=", b"==", b"-", b"_", b" ", b"\\n", b"A", b"AB", b"."];
        let sign = random.pick(&signs).copied().unwrap_or_default();
        at_letter(text, random, |text, at, _| insert(text, at, sign));
    }),
    ("a blank", |text, random| {
        let blanks: [&[u8]; 6] = [b" ", b"\n", b"\t", b"\r", b"\x0b", b"\xc2\xa0"];
        let blank = random.pick(&blanks).copied().unwrap_or_default();
        let at = random.below(text.len() + 1);
        insert(text, at, blank);
    }),
    ("a comma too many", |text, random| {
        at_sign(text, random, b",]}", |text, at| insert(text, at, b","));
    }),
    ("a member too many", |text, random| {
        at_sign(text, random, b"}", |text, at| insert(text, at, b",\"i32\":7"));
    }),
    ("an element too many", |text, random| {
        at_sign(text, random, b"]", |text, at| insert(text, at, b",7"));
    }),
    ("a comment", |text, random| {
        at_sign(text, random, b",:[]{}", |text, at| insert(text, at, b"/**/"));
    }),
];

fn insert(text: &mut Vec<u8>, at: usize, piece: &[u8]) {
    let at = at.min(text.len());
    text.splice(at..at, piece.iter().copied());
}

/// Changes a number, which begins and ends there.
fn at_number(text: &mut Vec<u8>, random: &mut Random, change: impl FnOnce(&mut Vec<u8>, usize, usize)) {
    let is_digit = |byte: &u8| byte.is_ascii_digit();
    let starts: Vec<usize> = (0..text.len())
        .filter(|at| {
            let before = at.checked_sub(1).and_then(|before| text.get(before));
            // Not the number of a type, as in `i32`.
            let follows = before.is_some_and(|it| it.is_ascii_alphanumeric() || *it == b'.');
            text.get(*at).is_some_and(is_digit) && !follows
        })
        .collect();
    let Some(start) = random.pick(&starts).copied() else { return };
    let length = text.iter().skip(start).take_while(|byte| is_digit(byte)).count();
    change(text, start, start + length);
}

/// Changes a letter in a text.
fn at_letter(text: &mut Vec<u8>, random: &mut Random, change: impl FnOnce(&mut Vec<u8>, usize, u8)) {
    let places: Vec<usize> =
        (0..text.len()).filter(|at| text.get(*at).is_some_and(u8::is_ascii_alphanumeric)).collect();
    let Some(at) = random.pick(&places).copied() else { return };
    let Some(letter) = text.get(at).copied() else { return };
    change(text, at, letter);
}

/// Changes the text before one of some signs.
fn at_sign(text: &mut Vec<u8>, random: &mut Random, signs: &[u8], change: impl FnOnce(&mut Vec<u8>, usize)) {
    let places: Vec<usize> =
        (0..text.len()).filter(|at| text.get(*at).is_some_and(|byte| signs.contains(byte))).collect();
    if let Some(at) = random.pick(&places) {
        change(text, *at);
    }
}
