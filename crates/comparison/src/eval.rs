//! Whether a term holds for a value, as far as terms can tell.

use contract::pattern::LiteralPlace;
use contract::{Constant, Unit, View};

use crate::decimal::Dec;
use crate::term::{Sort, Term, TermId, Terms, canonical, same_name};

/// How deep references are followed.
const DEEPEST: usize = 300;

/// Whether a term holds for a value; none if only a checker can tell.
pub(crate) fn holds(terms: &Terms, id: TermId, value: &Constant) -> Option<bool> {
    judge(terms, id, value, 0)
}

/// Whether all of several hold.
fn all(mut parts: impl Iterator<Item = Option<bool>>) -> Option<bool> {
    let mut unknown = false;
    for part in &mut parts {
        match part {
            Some(false) => return Some(false),
            Some(true) => {}
            None => unknown = true,
        }
    }
    (!unknown).then_some(true)
}

fn judge(terms: &Terms, id: TermId, value: &Constant, depth: usize) -> Option<bool> {
    if depth > DEEPEST {
        return None;
    }
    let sort = Sort::of(value);
    let of = |id: TermId, value: &Constant| judge(terms, id, value, depth + 1);
    Some(match terms.get(id) {
        Term::Any => true,
        Term::Never => false,
        Term::Sorts(bits) => bits & sort.bit() != 0,
        Term::Whole => match Dec::of(value) {
            Some(number) => number.exponent >= 0,
            None => sort != Sort::Number,
        },
        Term::Least(bound, open) | Term::Most(bound, open) if sort == Sort::Number => {
            let number = Dec::of(value)?;
            let exponent = bound.exponent.min(number.exponent);
            let (number, bound) = (number.at(exponent)?, bound.at(exponent)?);
            match terms.get(id) {
                Term::Least(..) => number > bound || (number == bound && !open),
                _ => number < bound || (number == bound && !open),
            }
        }
        Term::Multiple(step) if sort == Sort::Number => {
            let number = Dec::of(value)?;
            let exponent = step.exponent.min(number.exponent);
            number.at(exponent)? % step.at(exponent)? == 0
        }
        Term::Least(..) | Term::Most(..) | Term::Multiple(_) => true,
        Term::Values(values) => {
            let key = canonical(value);
            values
                .iter()
                .filter_map(|id| terms.constants.get(*id as usize))
                .any(|known| canonical(known) == key)
        }
        Term::Length(unit, least, most) => {
            let length = match (unit, value) {
                (Unit::Items, Constant::List(items)) => items.len(),
                (Unit::Properties, Constant::Object(members)) => members.len(),
                (Unit::Scalars, Constant::Text(text)) => text.chars().count(),
                (Unit::Utf16, Constant::Text(text)) => text.encode_utf16().count(),
                (Unit::Bytes, Constant::Text(text)) => text.len(),
                (Unit::Bytes, Constant::Bytes(bytes)) => bytes.len(),
                _ => return Some(true),
            };
            *least <= length && most.is_none_or(|most| length <= most)
        }
        Term::Pattern(id) => match (value, terms.patterns.get(*id as usize)) {
            (Constant::Text(text), Some(pattern)) => pattern.is_match(text.as_bytes()),
            (Constant::Bytes(bytes), Some(pattern)) => pattern.is_match(bytes),
            _ => true,
        },
        Term::Literal(place, literal) => match value {
            Constant::Text(text) => match place {
                LiteralPlace::Whole => **text == **literal,
                LiteralPlace::Start => text.starts_with(&**literal),
                LiteralPlace::End => text.ends_with(&**literal),
                LiteralPlace::Inside => text.contains(&**literal),
            },
            _ => true,
        },
        Term::Written(term) => match value {
            Constant::Text(text) => match scalar(text) {
                Some(scalar) => return of(*term, &scalar),
                None => false,
            },
            _ => true,
        },
        Term::Format(format) => format.holds(&value.node()),
        Term::Items(first, rest) => match value {
            Constant::List(items) => {
                let terms = first.iter().copied().chain(std::iter::repeat(*rest));
                return all(items.iter().zip(terms).map(|(item, term)| of(term, item)));
            }
            _ => true,
        },
        Term::Unique => match value {
            Constant::List(items) => {
                let mut keys: Vec<String> = items.iter().map(canonical).collect();
                keys.sort();
                keys.windows(2).all(|pair| pair.first() != pair.get(1))
            }
            _ => true,
        },
        Term::Contains(term, least, most) => match value {
            Constant::List(items) => {
                let mut count = 0;
                for item in items {
                    count += usize::from(of(*term, item)?);
                }
                *least <= count && most.is_none_or(|most| count <= most)
            }
            _ => true,
        },
        Term::Members(members) => match value {
            Constant::Object(own) => {
                return all(own.iter().map(|(key, value)| {
                    let name = key_text(key);
                    all(terms.of_member(members, &name).into_iter().map(|term| of(term, value)))
                }));
            }
            _ => true,
        },
        Term::Names(term) => match value {
            Constant::Object(own) => return all(own.iter().map(|(key, _)| of(*term, key))),
            _ => true,
        },
        Term::Has(name, fold) => match value {
            Constant::Object(own) => own.iter().any(|(key, _)| same_name(&key_text(key), name, *fold)),
            _ => true,
        },
        Term::Opaque(_) => return None,
        Term::And(parts) => return all(parts.iter().map(|part| of(*part, value))),
        Term::Or(parts) => {
            return all(parts.iter().map(|part| of(*part, value).map(|it| !it))).map(|none| !none);
        }
        Term::One(parts) => {
            let (mut count, mut unknown) = (0, false);
            for part in parts {
                match of(*part, value) {
                    Some(it) => count += usize::from(it),
                    None => unknown = true,
                }
            }
            match (count, unknown) {
                (2.., _) => false,
                (_, true) => return None,
                (count, false) => count == 1,
            }
        }
        Term::Not(part) => return of(*part, value).map(|it| !it),
        Term::Ref(slot) => return of(*terms.refs.get(*slot as usize)?, value),
    })
}

/// The number or the truth value that a text stands for, in the spelling of JSON.
pub(crate) fn scalar(text: &str) -> Option<Constant> {
    match text {
        "true" => Some(Constant::Bool(true)),
        "false" => Some(Constant::Bool(false)),
        _ => {
            let number = Constant::Decimal(text.into());
            let number = Dec::of(&number)?.constant();
            (number.to_string() == text).then_some(number)
        }
    }
}

/// A key as text.
pub(crate) fn key_text(key: &Constant) -> String {
    match key {
        Constant::Text(text) => text.to_string(),
        other => other.to_string(),
    }
}

impl Terms {
    /// The terms for a member of a name.
    pub(crate) fn of_member(&self, members: &crate::term::MemberTerms, name: &str) -> Vec<TermId> {
        let mut found: Vec<TermId> = members.declared(name).into_iter().collect();
        for (pattern, term) in &members.patterns {
            if self.patterns.get(*pattern as usize).is_some_and(|it| it.is_match(name.as_bytes())) {
                found.push(*term);
            }
        }
        if found.is_empty() {
            found.push(members.rest);
        }
        found
    }
}
