//! Values of a shape: those at its boundaries first, then pairs of them, then chosen by a seed; and values that break it in one place.
//!
//! A generator proposes, the contract decides: no value is handed out that its checker does not judge as promised. The same shape and the
//! same seed give the same values.

mod number;
mod parts;
mod text;

use std::collections::HashSet;

use crate::host::{Host, Plain};
use crate::shape::{Definitions, Form, Select, Shape};
use crate::{Contract, Test};
use value::{Constant, View};

use parts::Proposals;

pub use text::format_examples;

/// How deep values nest before only what must be there is filled in.
const DEEPEST: usize = 6;
/// How many values are proposed for one shape.
const MOST: usize = 48;

/// What values are wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SampleOptions {
    /// How many there are at most; fewer if no more are found.
    pub count: usize,
    /// Chooses the values beyond the boundaries.
    pub seed: u64,
    /// Whether the values break the contract, each in one place, instead of keeping it.
    pub invalid: bool,
}

/// Values that keep a contract, or break it, no two alike.
pub fn samples(contract: &Contract, options: SampleOptions) -> Vec<Constant> {
    samples_for(contract.shape(), contract.definitions(), options, &|value| {
        contract.checker().host(&Plain as &dyn Host).is_valid(value)
    })
}

/// Values that somebody says keep a shape, or break it, no two alike.
pub fn samples_for(
    shape: &Shape,
    definitions: &Definitions,
    options: SampleOptions,
    is_valid: &dyn Fn(&Constant) -> bool,
) -> Vec<Constant> {
    let mut sampler = Sampler { definitions, random: Random(options.seed), work: 60_000 };
    let mut taken = Taken { options, is_valid, seen: HashSet::new(), values: Vec::new() };
    let first = sampler.propose(shape, 0);
    if options.invalid {
        first.broken.into_iter().for_each(|value| taken.offer(value));
    } else {
        first.fitting.into_iter().for_each(|value| taken.offer(value));
    }
    // What was asked for beyond that is drawn; a shape of few values ends the search.
    let mut idle = 0;
    while taken.values.len() < options.count && idle < 200 {
        let before = taken.values.len();
        sampler.work = 2_000;
        let drawn = sampler.draw(shape, 0);
        match options.invalid {
            false => taken.offer(drawn),
            true => {
                let broken = sampler.spoil(shape, drawn);
                taken.offer(broken);
            }
        }
        idle = if taken.values.len() == before { idle + 1 } else { 0 };
    }
    taken.values
}

struct Taken<'t> {
    options: SampleOptions,
    is_valid: &'t dyn Fn(&Constant) -> bool,
    seen: HashSet<String>,
    values: Vec<Constant>,
}

impl Taken<'_> {
    fn offer(&mut self, value: Constant) {
        if self.values.len() < self.options.count
            && self.seen.insert(value.to_string())
            && (self.is_valid)(&value) != self.options.invalid
        {
            self.values.push(value);
        }
    }
}

/// Numbers that look chosen, the same for the same seed.
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    /// A number below a bound, which is not zero.
    pub(crate) fn below(&mut self, bound: usize) -> usize {
        (self.next() % bound.max(1) as u64) as usize
    }

    fn one<'a, T>(&mut self, of: &'a [T]) -> Option<&'a T> {
        let at = self.below(of.len());
        of.get(at)
    }
}

struct Sampler<'s> {
    definitions: &'s Definitions,
    random: Random,
    /// How much more may be proposed.
    work: usize,
}

impl<'s> Sampler<'s> {
    /// The values at the boundaries of a shape, and beyond them.
    fn propose(&mut self, shape: &'s Shape, depth: usize) -> Proposals {
        let mut all = Proposals::default();
        if depth > DEEPEST * 2 || self.work == 0 {
            return all;
        }
        self.work -= 1;
        if let Some(default) = &shape.default {
            all.fitting.push((**default).clone());
        }
        all.fitting.extend(shape.examples.iter().cloned());
        for rule in shape.rules.iter() {
            match &rule.test {
                Test::Constant(constant) => all.fitting.push(constant.clone()),
                Test::In(operands) => {
                    all.fitting.extend(operands.iter().filter_map(|operand| operand.as_constant().cloned()));
                }
                Test::If(conditional) => {
                    let parts =
                        [Some(&conditional.test), conditional.then.as_ref(), conditional.otherwise.as_ref()];
                    for part in parts.into_iter().flatten() {
                        all.add_all(self.propose(part, depth + 1));
                    }
                }
                Test::Not(part) => {
                    let swapped = self.propose(part, depth + 1);
                    all.fitting.extend(swapped.broken);
                    all.broken.extend(swapped.fitting);
                }
                _ => {}
            }
        }
        let form = self.propose_form(shape, depth);
        all.add_all(form);
        if shape.nullable {
            all.fitting.push(Constant::Null);
        } else {
            all.broken.push(Constant::Null);
        }
        all.limit(MOST);
        all
    }

    fn propose_form(&mut self, shape: &'s Shape, depth: usize) -> Proposals {
        let mut all = Proposals::default();
        match &shape.form {
            Form::Any => {
                let has = |test: fn(&Test) -> bool| shape.rules.iter().any(|rule| test(&rule.test));
                let numeric = has(|test| test.operand().is_some());
                if numeric {
                    all.add_all(number::propose(shape, false));
                    all.add_all(text::propose(shape));
                }
                if has(|test| {
                    matches!(
                        test,
                        Test::Pattern(_) | Test::Format(_) | Test::MinLength(..) | Test::MaxLength(..)
                    )
                }) {
                    all.add_all(text::propose(shape));
                }
                all.fitting.extend(plain_values());
                all.broken.extend(plain_values());
            }
            Form::Never => all.broken.extend(plain_values()),
            Form::Null => {
                all.fitting.push(Constant::Null);
                all.broken.extend(plain_values());
            }
            Form::Bool => {
                all.fitting.extend([Constant::Bool(false), Constant::Bool(true)]);
                all.broken.extend([Constant::text("true"), Constant::Int(0)]);
            }
            Form::Int(_) => all.add_all(number::propose(shape, true)),
            Form::Number => all.add_all(number::propose(shape, false)),
            Form::Text | Form::Bytes => all.add_all(text::propose(shape)),
            Form::Enum(members) => {
                for (name, number) in &members.members {
                    all.fitting.push(Constant::Int(*number));
                    if members.by_name {
                        all.fitting.push(Constant::text(name));
                    }
                }
                let beyond = members.members.iter().map(|(_, number)| *number).max().unwrap_or(0);
                all.broken.push(Constant::Int(beyond.saturating_add(1)));
            }
            Form::List(_) | Form::Set(_) | Form::Tuple(_) => all = self.propose_list(shape, depth),
            Form::Map(..) | Form::Object(_) => all = self.propose_object(shape, depth),
            Form::Union(union) => {
                for (at, alternative) in union.alternatives.iter().enumerate() {
                    let mut found = self.propose(alternative, depth + 1);
                    if let Select::Property { name, values } = &union.select {
                        let tag = values.iter().find(|(_, position)| *position == at).map(|(tag, _)| tag);
                        if let Some(tag) = tag {
                            found.fitting.iter_mut().chain(&mut found.broken).for_each(|value| {
                                parts::set_member(value, name, Constant::text(tag));
                            });
                        }
                    }
                    all.add_all(found);
                }
            }
            Form::All(shapes) => {
                let mut merged: Option<Proposals> = None;
                for shape in shapes {
                    let found = self.propose(shape, depth + 1);
                    merged = Some(match merged {
                        None => found,
                        Some(known) => known.joined(found),
                    });
                }
                all = merged.unwrap_or_default();
            }
            Form::Ref(name) => {
                if let Some(target) = self.definitions.get(name) {
                    all = self.propose(target, depth + 1);
                }
            }
        }
        all
    }

    /// A value chosen by the seed.
    fn draw(&mut self, shape: &'s Shape, depth: usize) -> Constant {
        let proposals = match &shape.form {
            Form::List(_) | Form::Set(_) | Form::Tuple(_) if depth < DEEPEST => {
                return self.draw_list(shape, depth);
            }
            Form::Object(_) | Form::Map(..) if depth < DEEPEST => return self.draw_object(shape, depth),
            Form::Ref(name) if depth < DEEPEST * 3 => match self.definitions.get(name) {
                Some(target) => return self.draw(target, depth + 1),
                None => Proposals::default(),
            },
            Form::Union(union) if depth < DEEPEST * 3 => {
                let at = self.random.below(union.alternatives.len());
                let Some(alternative) = union.alternatives.get(at) else { return Constant::Null };
                let mut value = self.draw(alternative, depth + 1);
                if let Select::Property { name, values } = &union.select
                    && let Some((tag, _)) = values.iter().find(|(_, position)| *position == at)
                {
                    parts::set_member(&mut value, name, Constant::text(tag));
                }
                return value;
            }
            Form::Int(_) | Form::Number => number::draw(shape, &mut self.random),
            Form::Text
                if shape
                    .rules
                    .iter()
                    .all(|rule| matches!(rule.test, Test::MinLength(..) | Test::MaxLength(..))) =>
            {
                text::draw(shape, &mut self.random)
            }
            _ => self.propose(shape, depth),
        };
        self.random.one(&proposals.fitting).cloned().unwrap_or(Constant::Null)
    }

    /// A value with one part replaced by something that does not belong there.
    fn spoil(&mut self, shape: &'s Shape, value: Constant) -> Constant {
        let broken = self.propose(shape, 0).broken;
        self.random.one(&broken).cloned().unwrap_or(value)
    }
}

/// One small value of every kind.
fn plain_values() -> Vec<Constant> {
    vec![
        Constant::text("a"),
        Constant::Int(0),
        Constant::Bool(true),
        Constant::Null,
        Constant::List(Vec::new()),
        Constant::Object(Vec::new()),
        Constant::Float(0.5),
    ]
}

/// Whether two values are the same.
fn same(a: &Constant, b: &Constant) -> bool {
    a.node().kind() == b.node().kind() && a.to_string() == b.to_string()
}

#[cfg(test)]
mod tests {
    use diagnostics::FileId;
    use document::{Document, ReadLimits};

    use super::*;

    fn some(text: &str, invalid: bool, count: usize) -> Vec<String> {
        let document = Document::from_json(text, FileId::FIRST, &ReadLimits::DEFAULT).unwrap();
        let contract = Contract::from_json(document.root(), &Plain).unwrap();
        let options = SampleOptions { count, seed: 7, invalid };
        let values = samples(&contract, options);
        assert!(values.iter().all(|value| contract.is_valid(value) != invalid));
        values.iter().map(Constant::to_string).collect()
    }

    #[test]
    fn boundaries_come_first() {
        let found = some(r#"{"type": "integer", "minimum": 3, "maximum": 9}"#, false, 4);
        assert_eq!(found, ["3", "9", "4", "8"]);
        let found = some(r#"{"type": "integer", "minimum": 3, "maximum": 9}"#, true, 2);
        assert_eq!(found, ["2", "10"]);
        let found = some(r#"{"type": "string", "pattern": "^[a-c]{2,4}$"}"#, false, 2);
        assert_eq!(found.first().map(String::as_str), Some("\"aa\""));
    }

    #[test]
    fn objects_vary_in_one_place() {
        let contract = r#"{"type": "object", "properties": {"a": {"type": "boolean"}, "b": {"type": "integer", "minimum": 1}},
            "required": ["a"], "additionalProperties": false}"#;
        let found = some(contract, false, 40);
        assert!(found.contains(&r#"{"a":false}"#.to_owned()), "{found:?}");
        assert!(found.contains(&r#"{"a":false,"b":1}"#.to_owned()), "{found:?}");
        let broken = some(contract, true, 40);
        assert!(broken.contains(&"{}".to_owned()), "{broken:?}");
        assert!(broken.contains(&r#"{"a":false,"b":0}"#.to_owned()), "{broken:?}");
    }

    #[test]
    fn a_seed_decides() {
        let contract = r#"{"type": "array", "items": {"type": "integer"}}"#;
        assert_eq!(some(contract, false, 30), some(contract, false, 30));
    }

    #[test]
    fn recursion_ends() {
        let contract = r##"{"type": "object", "properties": {"next": {"$ref": "#"}, "value": {"type": "string"}}, "required": ["value"]}"##;
        assert!(some(contract, false, 10).len() >= 3);
    }
}
