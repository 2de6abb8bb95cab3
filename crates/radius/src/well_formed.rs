//! What every value is, whatever its type says: not too deep, no member twice in spellings that Bicep and ARM cannot tell apart, and
//! with numbers that clients can read, which read doubles.
//!
//! It is looked at before anything else is: of two spellings of a name one would be checked and the other would cross.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use arm::folded;
use contract::{MASK, Node, Path, PathStep, View, Violation};
use diagnostics::Span;
use smol_str::SmolStr;

use crate::findings::shorten;
use crate::schema::{Schema, by_name, part};

/// The code of a member that is there twice.
pub const DUPLICATE_MEMBER: &str = "DuplicateMember";

/// The code of a number that no double comes near.
pub const NUMBER_RANGE: &str = "NumberOutOfRange";

/// The code of a value that nests too deeply.
const TOO_DEEP: &str = "limit";

/// How many faults are collected; who has more of them is told these.
const MOST: usize = 1_000;

/// How many characters of a name a path has.
const NAME: usize = 256;

/// What the parts of a value are, as far as a schema says it.
#[derive(Clone, Copy, Debug)]
pub(crate) enum SchemaGuide<'s> {
    /// A whole resource: its properties have a schema.
    Resource(&'s Schema),
    /// A value with a schema.
    Value(&'s Schema),
    Secret,
    Nothing,
}

impl<'s> SchemaGuide<'s> {
    /// What is known of each member, by its name.
    fn members(self) -> impl Fn(&str) -> SchemaGuide<'s> {
        let named = match self {
            SchemaGuide::Value(schema) => by_name(schema),
            SchemaGuide::Resource(_) | SchemaGuide::Secret | SchemaGuide::Nothing => HashMap::new(),
        };
        move |name| match self {
            SchemaGuide::Resource(schema) if name == "properties" => SchemaGuide::Value(schema),
            SchemaGuide::Value(schema) => {
                part(schema, &named, name).map_or(SchemaGuide::Nothing, SchemaGuide::Value)
            }
            SchemaGuide::Resource(_) | SchemaGuide::Secret | SchemaGuide::Nothing => SchemaGuide::Nothing,
        }
    }

    fn item(self) -> SchemaGuide<'s> {
        match self {
            SchemaGuide::Value(schema) => {
                schema.items.as_deref().map_or(SchemaGuide::Nothing, SchemaGuide::Value)
            }
            SchemaGuide::Resource(_) | SchemaGuide::Secret | SchemaGuide::Nothing => SchemaGuide::Nothing,
        }
    }

    fn is_secret(self) -> bool {
        match self {
            SchemaGuide::Secret => true,
            SchemaGuide::Value(schema) => schema.sensitive || schema.write_only,
            SchemaGuide::Resource(_) | SchemaGuide::Nothing => false,
        }
    }
}

/// Everything that is wrong with a value, in its order; `depth` is how many objects and lists may stand inside of each other.
pub(crate) fn faults<'v, V: View<'v>>(value: V, known: SchemaGuide<'_>, depth: usize) -> Vec<Violation> {
    let mut walk = WellFormedWalk { depth, steps: Vec::new(), secret: None, found: Vec::new() };
    walk.visit(value, known);
    walk.found
}

struct WellFormedWalk {
    depth: usize,
    steps: Vec<PathStep>,
    /// How many steps lead to the secret that the walk is in.
    secret: Option<usize>,
    found: Vec<Violation>,
}

impl WellFormedWalk {
    fn visit<'v, V: View<'v>>(&mut self, value: V, known: SchemaGuide<'_>) {
        if self.found.len() >= MOST {
            return;
        }
        let outside = self.secret;
        if known.is_secret() && outside.is_none() {
            self.secret = Some(self.steps.len());
        }
        match value.node() {
            Node::List(_) | Node::Object(_) if self.steps.len() >= self.depth => {
                let message = format!("the value nests deeper than {} levels", self.depth);
                self.report(TOO_DEEP, value.place(), message, None);
            }
            Node::List(_) => {
                for (index, item) in value.items().enumerate() {
                    self.within(PathStep::Index(index), |walk| walk.visit(item, known.item()));
                }
            }
            Node::Object(count) => self.members(value, count, known),
            Node::Float(number) if !number.is_finite() => {
                self.report(NUMBER_RANGE, value.place(), "the number is not finite".to_owned(), None);
            }
            Node::Decimal(text) if !is_near_a_double(text) => {
                let message = if self.secret.is_some() {
                    "the number is outside the range of doubles".to_owned()
                } else {
                    format!("the number `{}` is outside the range of doubles", shorten(text))
                };
                let hint = "write it as text, or as a number that a double can hold";
                self.report(NUMBER_RANGE, value.place(), message, Some(hint.to_owned()));
            }
            Node::Null
            | Node::Bool(_)
            | Node::Int(_)
            | Node::UInt(_)
            | Node::Float(_)
            | Node::Decimal(_)
            | Node::Text(_)
            | Node::Bytes(_)
            | Node::Unknown => {}
        }
        self.secret = outside;
    }

    fn members<'v, V: View<'v>>(&mut self, value: V, count: usize, known: SchemaGuide<'_>) {
        let of = known.members();
        let mut seen: HashMap<SmolStr, (&'v str, Option<Span>)> = HashMap::with_capacity(count);
        for (key, inner) in value.members() {
            let Node::Text(name) = key.node() else { continue };
            let place = key.place().or(inner.place());
            let first = match seen.entry(folded(name)) {
                Entry::Occupied(first) => Some(*first.get()),
                Entry::Vacant(room) => {
                    room.insert((name, place));
                    None
                }
            };
            self.within(PathStep::Name(cut(name)), |walk| {
                if let Some(first) = first {
                    walk.twice(first, name, place);
                }
                walk.visit(inner, of(name));
            });
        }
    }

    fn twice(&mut self, (first, first_place): (&str, Option<Span>), name: &str, place: Option<Span>) {
        let message = if self.secret.is_some() {
            "two members have names that differ only in case".to_owned()
        } else {
            format!("`{}` already exists as `{}`, which differs only in case", shorten(name), shorten(first))
        };
        let hint = "keep one of them: neither Bicep nor ARM can tell them apart".to_owned();
        self.report(DUPLICATE_MEMBER, place, message, Some(hint));
        if let Some(last) = self.found.last_mut() {
            last.written = first_place;
        }
    }

    fn within(&mut self, step: PathStep, work: impl FnOnce(&mut WellFormedWalk)) {
        self.steps.push(step);
        work(self);
        self.steps.pop();
    }

    fn report(&mut self, code: &'static str, place: Option<Span>, message: String, hint: Option<String>) {
        if self.found.len() >= MOST {
            return;
        }
        let mut steps = self.steps.clone();
        // Names inside of a secret are a part of it.
        if let Some(length) = self.secret.filter(|length| *length < steps.len()) {
            steps.truncate(length);
            steps.push(PathStep::Secret);
        }
        self.found.push(Violation {
            found: self.secret.map(|_| MASK.into()),
            hint: hint.map(Into::into),
            place,
            ..Violation::stated(Path { steps }, code, message)
        });
    }
}

/// A name as a path has it: the start of one that is too long to be repeated.
fn cut(name: &str) -> Box<str> {
    match name.char_indices().nth(NAME) {
        None => name.into(),
        Some((end, _)) => format!("{}…", name.get(..end).unwrap_or_default()).into(),
    }
}

/// Whether a decimal literal has a double next to it: it is neither beyond the greatest one nor lost in zero.
fn is_near_a_double(literal: &str) -> bool {
    let Ok(number) = literal.parse::<f64>() else { return false };
    let significand = literal.split(['e', 'E']).next().unwrap_or_default();
    let is_zero = !significand.bytes().any(|byte| matches!(byte, b'1'..=b'9'));
    number.is_finite() && (number != 0.0 || is_zero)
}

#[cfg(test)]
mod tests {
    use document::{Document, FileId, ReadLimits};

    use super::*;

    fn found(json: &str, depth: usize) -> Vec<String> {
        let limits = ReadLimits { depth: 1_000, ..ReadLimits::DEFAULT };
        let document = Document::from_json(json, FileId::FIRST, &limits).unwrap();
        let faults = faults(document.root(), SchemaGuide::Nothing, depth);
        faults.iter().map(|it| format!("{} {}", it.path.pointer(), it.code)).collect()
    }

    #[test]
    fn names_that_differ_only_in_case_are_found_at_every_level() {
        assert_eq!(found(r#"{"a":1,"A":2}"#, 8), ["/A DuplicateMember"]);
        assert_eq!(found(r#"{"x":[{"ä":1,"b":0,"Ä":2}]}"#, 8), ["/x/0/Ä DuplicateMember"]);
        assert_eq!(found(r#"{"a":1,"A":2,"b":{"a":1}}"#, 8), ["/A DuplicateMember"]);
        // The Kelvin sign and the letters that are one in two are other names.
        assert_eq!(found("{\"k\":1,\"\u{212a}\":2,\"ss\":1,\"ß\":1}", 8), [""; 0]);
    }

    #[test]
    fn numbers_have_a_double_next_to_them() {
        let near = ["0", "-0.0", "0e999999", "1e308", "1.7976931348623157e308", "5e-324", "9007199254740993"];
        for text in near {
            assert_eq!(found(&format!("[{text}]"), 8), [""; 0], "{text}");
        }
        for text in ["1e400", "-1e309", "1e-400", "1e999999999", "-0.0000001e-999999999"] {
            assert_eq!(found(&format!("[{text}]"), 8), ["/0 NumberOutOfRange"], "{text}");
        }
    }

    #[test]
    fn depth_is_counted_in_objects_and_lists() {
        let nested = |depth: usize| format!("{}{}", "[".repeat(depth), "]".repeat(depth));
        assert_eq!(found(&nested(8), 8), [""; 0]);
        assert_eq!(found(&nested(9), 8), [format!("{} limit", "/0".repeat(8))]);
    }

    #[test]
    fn a_long_name_is_not_repeated() {
        let long = "x".repeat(1 << 20);
        let json = format!("{{\"{long}\":1,\"{}\":2}}", long.to_uppercase());
        let limits = ReadLimits::DEFAULT;
        let document = Document::from_json(&json, FileId::FIRST, &limits).unwrap();
        let faults = faults(document.root(), SchemaGuide::Nothing, 8);
        assert_eq!(faults.len(), 1);
        assert!(faults[0].to_json().len() < 4_096, "{}", faults[0].to_json().len());
    }
}
