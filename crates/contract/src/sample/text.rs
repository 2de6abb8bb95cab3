//! Texts at the boundaries of a shape.

use crate::format::Format;
use crate::pattern::{LiteralPlace, TextAnswer, TextQuery};
use crate::rules::{Test, Unit, size};
use crate::shape::{Form, Shape};
use value::{Constant, View};

use super::Random;
use super::parts::Proposals;

/// How long texts may be that are made for their length.
const LONGEST: usize = 100_000;
/// How many steps the search for one text may take.
const STEPS: usize = 200_000;

/// Texts of a format, the first of them short.
pub fn format_examples(format: Format) -> &'static [&'static str] {
    match format {
        Format::Date => &["2024-02-29", "1970-01-01"],
        Format::DateTime => &["2024-02-29T12:30:00Z", "1970-01-01T00:00:00+01:00"],
        Format::Time => &["12:30:00Z", "00:00:00+01:00"],
        Format::Duration => &["P1D", "P1DT12H", "P4W"],
        Format::Byte => &["aGk=", "YQ==", ""],
        Format::Uuid => &["f81d4fae-7dec-11d0-a765-00a0c91e6bf6", "00000000-0000-0000-0000-000000000000"],
        Format::Email => &["a@b.co", "joe@example.com"],
        Format::Hostname => &["a", "www.example.com"],
        Format::Ipv4 => &["1.2.3.4", "192.0.2.1"],
        Format::Ipv6 => &["::1", "2001:db8::1"],
        Format::Uri => &["a:b", "https://example.com/a?b#c"],
        Format::UriReference => &["a", "../a?b#c", "https://example.com/"],
        Format::UriTemplate => &["a", "https://example.com/{user}"],
        Format::JsonPointer => &["/a", "/a/0/b~1c", ""],
        Format::RelativeJsonPointer => &["0", "1/a"],
        Format::Regex => &["a", "^[a-z]+$"],
        _ => &["a"],
    }
}

/// The lengths that rules of a shape write down, in characters.
fn lengths(shape: &Shape) -> (usize, Option<usize>, Vec<usize>) {
    let (mut least, mut most, mut written) = (0, None::<usize>, Vec::new());
    for rule in shape.rules.iter() {
        let (Test::MinLength(unit, operand) | Test::MaxLength(unit, operand)) = &rule.test else { continue };
        if matches!(unit, Unit::Items | Unit::Properties) {
            continue;
        }
        let Some(length) = operand.as_constant().and_then(|it| size(it.node())) else { continue };
        let Ok(length) = usize::try_from(length) else { continue };
        match rule.test {
            Test::MinLength(..) => least = least.max(length),
            _ => most = Some(most.map_or(length, |most| most.min(length))),
        }
        written.push(length);
    }
    (least, most, written)
}

/// What is said of a text, as a question.
fn question(shape: &Shape) -> (TextQuery, bool, Option<Format>) {
    let mut query = TextQuery::default();
    let (mut said, mut format) = (false, None);
    for rule in shape.rules.iter() {
        let literal = rule.test.operand().and_then(|operand| operand.as_constant());
        match (&rule.test, literal) {
            (Test::Pattern(pattern), _) => query.pattern(pattern, true),
            (Test::Prefix(_), Some(Constant::Text(text))) => query.literal(LiteralPlace::Start, text, true),
            (Test::Suffix(_), Some(Constant::Text(text))) => query.literal(LiteralPlace::End, text, true),
            (Test::Contains(_), Some(Constant::Text(text))) => {
                query.literal(LiteralPlace::Inside, text, true)
            }
            (Test::NotContains(_), Some(Constant::Text(text))) => {
                query.literal(LiteralPlace::Inside, text, false);
            }
            (Test::Ne(_), Some(Constant::Text(text))) => query.literal(LiteralPlace::Whole, text, false),
            (Test::Format(found), _) => {
                format = Some(*found);
                continue;
            }
            _ => continue,
        }
        said = true;
    }
    (query, said, format)
}

/// Texts as short and as long as they may be, those that patterns and formats describe, and their neighbours.
pub(super) fn propose(shape: &Shape) -> Proposals {
    let mut all = Proposals::default();
    let (least, most, written) = lengths(shape);
    let (query, said, format) = question(shape);
    if let Some(format) = format {
        all.fitting.extend(format_examples(format).iter().map(|text| Constant::text(text)));
        all.broken.push(Constant::text("?"));
    }
    let unit =
        if shape.rules.iter().any(|rule| {
            matches!(rule.test, Test::MinLength(Unit::Utf16, _) | Test::MaxLength(Unit::Utf16, _))
        }) {
            Unit::Utf16
        } else {
            Unit::Scalars
        };
    let find = |query: &TextQuery, least: usize, most: Option<usize>| {
        let mut query = query.clone();
        query.length(unit, least, most);
        match query.shortest(STEPS) {
            TextAnswer::Found(text) => Some(Constant::text(&text)),
            TextAnswer::Empty | TextAnswer::Unknown => None,
        }
    };
    if said {
        all.fitting.extend(find(&query, least, most));
        all.fitting.extend(find(&query, least.saturating_add(1), most));
        all.fitting.extend(most.filter(|most| *most < 256).and_then(|most| find(&query, most, Some(most))));
        all.broken.extend(find(&query, 0, least.checked_sub(1)));
        for rule in shape.rules.iter() {
            if let Test::Pattern(pattern) = &rule.test {
                let mut without = TextQuery::default();
                without.pattern(pattern, false);
                all.broken.extend(find(&without, least, most));
            }
        }
    }
    let repeated = |length: usize| Constant::text(&"a".repeat(length.min(LONGEST)));
    for length in written.iter().copied().chain([least, least + 1]) {
        all.fitting.push(repeated(length));
    }
    all.fitting.extend(most.map(repeated));
    if least > 0 {
        all.broken.push(repeated(least - 1));
    }
    all.broken.extend(most.filter(|most| *most < LONGEST).map(|most| repeated(most + 1)));
    if format.is_none() && !said {
        all.fitting.extend(["", "a", "é", "😀", "a b"].map(Constant::text));
    }
    all.broken.extend([Constant::text(""), Constant::text("?"), Constant::Int(1), Constant::Bool(true)]);
    if matches!(shape.form, Form::Bytes) {
        let bytes = |text: &Constant| match text {
            Constant::Text(text) => Constant::Bytes(text.as_bytes().into()),
            other => other.clone(),
        };
        all.fitting = all.fitting.iter().map(bytes).collect();
    }
    all
}

/// What most texts are made of.
const ALPHABET: [u8; 36] = *b"abcdefghijklmnopqrstuvwxyz0123456789";

/// What few texts have in them: signs that languages, paths and addresses are written with, and scalars of one to four bytes.
const OTHERS: [char; 14] =
    [' ', '_', '.', '/', ':', '\'', '"', '\\', '$', '{', 'A', '\u{e9}', '\u{4e2d}', '\u{1f600}'];

/// A text between the bounds.
pub(super) fn draw(shape: &Shape, random: &mut Random) -> Proposals {
    let (least, most, _) = lengths(shape);
    let span = most.unwrap_or(least + 12).saturating_sub(least).min(24);
    let length = least.min(LONGEST) + random.below(span + 1);
    // Letters and digits; now and then with hyphens between them, as in names, and seldom with anything else in them.
    let kind = random.below(12);
    let mut text = String::with_capacity(length);
    for place in 0..length {
        let is_inside = place > 0 && place + 1 < length;
        let other = match kind {
            0 if random.below(4) == 0 => random.one(&OTHERS),
            1 | 2 if is_inside && !text.ends_with('-') && random.below(3) == 0 => Some(&'-'),
            _ => None,
        };
        // Texts begin with letters, as names do.
        let plain = if place == 0 { ALPHABET.get(..26) } else { Some(ALPHABET.as_slice()) };
        let plain = plain.and_then(|letters| random.one(letters)).map(|letter| char::from(*letter));
        text.extend(other.copied().or(plain));
    }
    Proposals { fitting: vec![Constant::text(&text)], broken: Vec::new() }
}
