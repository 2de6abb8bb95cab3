//! Generated parameters: which values are tried, and how those that fail are made smaller.

use std::collections::BTreeSet;

use arm::Value;
use arm::template::{Parameter, Template};
use contract::sample::SampleOptions;
use smol_str::SmolStr;

use crate::outcome::{AssertOutcome, FailureKind, TestFailure};

/// How many parameters are tried unless somebody says it.
pub(crate) const DEFAULT_COUNT: u64 = 100;

/// The most parameters of one test that are tried.
pub(crate) const MOST_COUNT: u64 = 100_000;

/// How many refusals there may be for one that is accepted.
const MOST_REFUSALS: u64 = 10;

/// How many refusals are borne before that counts.
const FIRST_REFUSALS: u64 = 20;

/// How many of the values of a parameter are at its boundaries.
const BOUNDARIES: usize = 12;

/// How many values of one parameter are at hand.
const CHOICES: usize = 64;

/// How many are at hand at most, of a parameter that is alone.
const MOST_CHOICES: usize = 20_000;

/// How many runs making a failure smaller may take.
const MOST_SHRINKS: usize = 1_000;

/// How many numbers next to zero are tried in place of a larger one.
const SMALL_NUMBERS: u64 = 32;

/// What came of one try.
pub(crate) enum Trial {
    /// The parameters are not ones that the program takes; what said so.
    Refused(Option<String>),
    /// It ran, with these asserts and failures.
    Ran(Vec<AssertOutcome>, Vec<TestFailure>),
}

/// What came of all tries.
#[derive(Default)]
pub(crate) struct Found {
    pub(crate) tried: u64,
    pub(crate) refused: u64,
    pub(crate) asserts: Vec<AssertOutcome>,
    pub(crate) failures: Vec<TestFailure>,
    pub(crate) counterexample: Option<Value>,
    /// Why no more could be generated.
    pub(crate) exhausted: Option<String>,
}

type Params = Vec<(SmolStr, Value)>;

type Trier<'t> = &'t dyn Fn(&[(SmolStr, Value)]) -> Trial;

/// A parameter and what it can be; none stands for leaving it out.
struct Choices<'t> {
    parameter: &'t Parameter,
    values: Vec<Option<Value>>,
}

/// What makes two failures the same: the kind, the code, what it is called, and where its cause is written.
type FailureKey = (FailureKind, Option<String>, Option<String>, Option<(String, u32)>);

fn key(failure: &TestFailure) -> FailureKey {
    let place = failure.place.as_ref().map(|place| (place.file.clone(), place.start.offset));
    (failure.kind, failure.code.clone(), failure.name.clone(), place)
}

/// Numbers that look chosen, the same for the same seed.
struct Dice(u64);

impl Dice {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^= mixed >> 31;
        usize::try_from(mixed % (bound.max(1) as u64)).unwrap_or_default()
    }
}

/// What parameters are made from.
pub(crate) struct GenerationInput<'s> {
    pub(crate) template: &'s Template,
    /// Whether a parameter has its value already.
    pub(crate) given: &'s dyn Fn(&str) -> bool,
    /// By parameter how large its values may be.
    pub(crate) max: Option<&'s Value>,
    /// What the program compares with.
    pub(crate) literals: &'s [Value],
    /// The parameters that are names of resources.
    pub(crate) names: &'s BTreeSet<String>,
    pub(crate) seed: u64,
}

/// How many values of a parameter are wanted, if it is one of so many and so many sets are to be tried: as many as there are sets if it is
/// alone, and some more because validators may refuse them.
fn choices_of(parameters: usize, count: u64) -> usize {
    match parameters {
        0 | 1 => usize::try_from(count.saturating_mul(4)).unwrap_or(usize::MAX).clamp(CHOICES, MOST_CHOICES),
        _ => CHOICES,
    }
}

fn choices<'s>(source: &GenerationInput<'s>, count: u64) -> Vec<Choices<'s>> {
    let template = source.template;
    let open = || template.parameters.iter().filter(|parameter| !(source.given)(&parameter.name));
    let wanted = choices_of(open().count(), count);
    let all = open().enumerate().map(|(place, parameter)| {
        let seed = source.seed.wrapping_add(place as u64);
        let options = SampleOptions { count: wanted, seed, invalid: false };
        let largest = source.max.and_then(Value::as_object).and_then(|max| max.get(&parameter.name)).cloned();
        let is_name = source.names.contains(parameter.name.as_str());
        let fits = |value: &Value| is_within(value, largest.as_ref()) && (!is_name || can_be_name(value));
        let mut samples: Vec<Value> =
            template.type_samples(&parameter.ty, options).into_iter().filter(|value| fits(value)).collect();
        let at = samples.len().min(BOUNDARIES);
        let drawn = samples.split_off(at);
        let written = source.literals.iter().filter(|value| fits(value) && !samples.contains(value));
        let mut written: Vec<Value> =
            written.filter(|value| template.type_admits(&parameter.ty, value)).cloned().collect();
        let largest = drawn.iter().chain(&samples);
        let parts = with_literals(largest, source.literals, &|value| {
            fits(value) && template.type_admits(&parameter.ty, value)
        });
        written.extend(parts);
        // Boundaries first, then what the program asks for, then what was drawn.
        let known: BTreeSet<String> = written.iter().map(Value::to_json).collect();
        samples.extend(written);
        samples.extend(drawn.into_iter().filter(|value| !known.contains(&value.to_json())));
        let mut values: Vec<Option<Value>> = Vec::new();
        if parameter.default.is_some() || parameter.ty.nullable {
            values.push(None);
        }
        // Everything begins with what is least likely to be wrong by itself: boundaries come one at a time.
        if let Some(place) = samples.iter().position(is_ordinary) {
            let first = samples.remove(place);
            samples.insert(0, first);
        }
        values.extend(samples.into_iter().map(Some));
        if parameter.ty.nullable {
            values.push(Some(Value::Null));
        }
        Choices { parameter, values }
    });
    all.collect()
}

/// Parameters that a program takes, no two alike, and then some that it refuses: one parameter of each breaks its type or is left out.
pub(crate) fn parameter_sets(source: &GenerationInput<'_>, count: u64) -> Vec<Vec<(SmolStr, Value)>> {
    /// How many values that break its type are tried for a parameter.
    const BROKEN: usize = 8;
    /// How many sets take the next value of every parameter.
    const TURNS: usize = 48;
    let choices = choices(source, count);
    if choices.iter().any(|choice| choice.values.is_empty()) {
        return Vec::new();
    }
    let mut dice = Dice(source.seed);
    let mut seen = BTreeSet::new();
    let mut all = Vec::new();
    let most = usize::try_from(count).unwrap_or(usize::MAX);
    let mut idle = 0;
    for picked in Plans::new(&choices, count, &mut dice) {
        if all.len() >= most || idle > most {
            break;
        }
        let params = params(&choices, &picked);
        match seen.insert(Value::object(params.clone()).to_json()) {
            true => all.push(params),
            false => idle += 1,
        }
    }
    // One parameter at a time leaves most values of a program with many parameters untried: these sets move all of them on.
    for turn in 1..=TURNS {
        let picked: Vec<usize> = choices.iter().map(|choice| turn % choice.values.len()).collect();
        let params = params(&choices, &picked);
        if seen.insert(Value::object(params.clone()).to_json()) {
            all.push(params);
        }
    }
    let base = params(&choices, &vec![0; choices.len()]);
    for choice in &choices {
        let name = &choice.parameter.name;
        let options = SampleOptions { count: BROKEN, seed: source.seed, invalid: true };
        let broken = source.template.type_samples(&choice.parameter.ty, options);
        let others = || base.iter().filter(|(other, _)| other != name).cloned().collect::<Vec<_>>();
        let with = |value: Value| {
            let mut params = others();
            params.push((name.clone(), value));
            params
        };
        all.extend(broken.into_iter().map(with));
    }
    all
}

/// Values with literals in their parts, made from the largest of the samples, which has the most parts: each literal meets each part, first all
/// parts at once, every one with another literal, then a part alone.
fn with_literals<'v>(
    samples: impl Iterator<Item = &'v Value>,
    literals: &[Value],
    fits: &dyn Fn(&Value) -> bool,
) -> Vec<Value> {
    /// How many values are made, and how many are tried.
    const MOST: usize = 96;
    const MOST_TRIED: usize = 8_000;
    let is_structured = |value: &&Value| matches!(value, Value::Object(_) | Value::Array(_));
    let Some(largest) = samples.filter(is_structured).max_by_key(|value| value.size()) else {
        return Vec::new();
    };
    let parts = leaves(largest);
    let with = |value: &Value, place: usize, literal: &Value| {
        let mut left = place;
        replaced(value, &mut left, literal)
    };
    let mut made = Vec::new();
    let mut tried = 0;
    for turn in 0..literals.len() {
        let mut value = largest.clone();
        for place in 0..parts {
            let Some(literal) = literals.get((turn + place) % literals.len()) else { continue };
            tried += 1;
            let next = with(&value, place, literal);
            if fits(&next) {
                value = next;
            }
        }
        if tried > MOST_TRIED / 2 {
            break;
        }
        if value != *largest && !made.contains(&value) {
            made.push(value);
        }
    }
    let alone = (0..parts).flat_map(|place| literals.iter().map(move |literal| (place, literal)));
    for (place, literal) in alone.take(MOST_TRIED - tried) {
        if made.len() >= MOST {
            break;
        }
        let value = with(largest, place, literal);
        if value != *largest && fits(&value) {
            made.push(value);
        }
    }
    made
}

/// How many parts a value has that have no parts. Recursion is bounded by how deep a value may nest.
fn leaves(value: &Value) -> usize {
    match value {
        Value::Array(items) => items.items().iter().map(leaves).sum(),
        Value::Object(members) => members.iter().map(|(_, member)| leaves(member)).sum(),
        _ => 1,
    }
}

/// A value with another one in the place of one of its parts, which are counted down. Recursion is bounded by how deep a value may nest.
fn replaced(value: &Value, left: &mut usize, by: &Value) -> Value {
    match value {
        Value::Array(items) => {
            Value::array(items.items().iter().map(|item| replaced(item, left, by)).collect())
        }
        Value::Object(members) => {
            let members = members.iter().map(|(name, member)| (name.clone(), replaced(member, left, by)));
            Value::object(members.collect::<Vec<_>>())
        }
        other => {
            let is_it = *left == 0;
            *left = left.wrapping_sub(1);
            if is_it { by.clone() } else { other.clone() }
        }
    }
}

/// Whether a value is a text that has something in it, or no text.
fn is_ordinary(value: &Value) -> bool {
    value.as_str().is_none_or(|text| !text.is_empty() && text.chars().all(|it| it.is_ascii_alphanumeric()))
}

/// Whether a value can be a part of the name of a resource.
fn can_be_name(value: &Value) -> bool {
    let is_sign = |it: char| it.is_control() || matches!(it, '/' | '\\');
    value
        .as_str()
        .is_none_or(|text| !text.trim().is_empty() && text != "." && text != ".." && !text.contains(is_sign))
}

/// Whether a value is no larger than somebody says: numbers themselves, texts and lists by their lengths.
fn is_within(value: &Value, largest: Option<&Value>) -> bool {
    let Some(Value::Int(largest)) = largest else { return true };
    let length = |length: usize| i64::try_from(length).unwrap_or(i64::MAX) <= *largest;
    match value {
        Value::Int(number) => number <= largest,
        Value::Text(text) => length(text.chars().count()),
        Value::Array(items) => length(items.items().len()),
        Value::Object(members) => length(members.len()),
        _ => true,
    }
}

fn params(choices: &[Choices<'_>], picked: &[usize]) -> Params {
    let pairs = choices.iter().zip(picked).filter_map(|(choice, at)| {
        let value = choice.values.get(*at)?.clone()?;
        Some((choice.parameter.name.clone(), value))
    });
    pairs.collect()
}

/// Tries parameters: those at boundaries one at a time, then pairs of them, then any, until one fails.
pub(crate) fn search(source: &GenerationInput<'_>, count: u64, trial: Trier<'_>) -> Found {
    let choices = choices(source, count);
    let mut found = Found::default();
    if let Some(none) = choices.iter().find(|choice| choice.values.is_empty()) {
        found.exhausted = Some(format!("no value of the parameter `{}` is known", none.parameter.name));
        return found;
    }
    let mut dice = Dice(source.seed);
    let mut last_refusal = None;
    let mut seen = BTreeSet::new();
    for picked in Plans::new(&choices, count, &mut dice) {
        if found.tried >= count {
            break;
        }
        let params = params(&choices, &picked);
        if !seen.insert(Value::object(params.clone()).to_json()) {
            continue;
        }
        match trial(&params) {
            Trial::Refused(why) => {
                found.refused += 1;
                last_refusal = why.or(last_refusal);
                if found.refused > FIRST_REFUSALS && found.refused > found.tried * MOST_REFUSALS {
                    let why = last_refusal.unwrap_or_default();
                    found.exhausted = Some(format!(
                        "{} of {} parameters were refused, last because: {why}",
                        found.refused,
                        found.refused + found.tried
                    ));
                    return found;
                }
            }
            Trial::Ran(asserts, failures) => {
                found.tried += 1;
                found.asserts = asserts;
                if let Some(first) = failures.first().map(key) {
                    let (least, asserts, failures) =
                        shrunk(params, first, failures, found.asserts, source, trial);
                    found.asserts = asserts;
                    found.failures = failures;
                    found.counterexample = Some(Value::object(least));
                    return found;
                }
            }
        }
    }
    if found.tried == 0 && found.exhausted.is_none() {
        found.exhausted = Some(match last_refusal {
            Some(why) => format!("all parameters were refused, last because: {why}"),
            None => "there are no parameters to try".to_owned(),
        });
    }
    found
}

/// Which values are tried together: the place of each in its choices.
struct Plans<'p> {
    sizes: Vec<usize>,
    singles: Vec<(usize, usize)>,
    pairs: Vec<[(usize, usize); 2]>,
    next: usize,
    idle: usize,
    dice: &'p mut Dice,
}

impl<'p> Plans<'p> {
    /// Plans of which about so many are wanted: half of them may be values of one parameter, and a third of them pairs.
    fn new(choices: &[Choices<'_>], count: u64, dice: &'p mut Dice) -> Plans<'p> {
        /// How many values of a parameter are paired with others.
        const PAIRED: usize = 6;
        let most = usize::try_from(count).unwrap_or(usize::MAX);
        let sizes: Vec<usize> = choices.iter().map(|choice| choice.values.len()).collect();
        let single =
            |(place, size): (usize, &usize)| (1..*size).map(move |at| (place, at)).collect::<Vec<_>>();
        let mut singles: Vec<(usize, usize)> = sizes.iter().enumerate().flat_map(single).collect();
        // The first values of all parameters, then the second ones: no parameter takes the place of the others.
        singles.sort_by_key(|(place, at)| (*at, *place));
        let near: Vec<(usize, usize)> = singles.iter().copied().filter(|(_, at)| *at < PAIRED).collect();
        singles.truncate((most / 2).max(1));
        let mut pairs = Vec::new();
        'all: for (number, other) in near.iter().enumerate() {
            for one in near.iter().take(number).filter(|one| one.0 != other.0) {
                if pairs.len() >= most / 3 {
                    break 'all;
                }
                pairs.push([*one, *other]);
            }
        }
        Plans { sizes, singles, pairs, next: 0, idle: 0, dice }
    }
}

impl Iterator for Plans<'_> {
    type Item = Vec<usize>;

    fn next(&mut self) -> Option<Vec<usize>> {
        /// How many random plans are made at most.
        const MOST_RANDOM: usize = 400_000;
        let place = self.next;
        self.next += 1;
        let mut picked = vec![0; self.sizes.len()];
        if place == 0 {
            return Some(picked);
        }
        let mut set = |(parameter, at): (usize, usize)| {
            if let Some(slot) = picked.get_mut(parameter) {
                *slot = at;
            }
        };
        if let Some(single) = self.singles.get(place - 1) {
            set(*single);
        } else if let Some(pair) = self.pairs.get(place - 1 - self.singles.len()) {
            pair.iter().for_each(|one| set(*one));
        } else {
            self.idle += 1;
            if self.idle > MOST_RANDOM || self.sizes.iter().all(|size| *size <= 1) {
                return None;
            }
            for (parameter, size) in self.sizes.iter().enumerate() {
                let at = self.dice.below(*size);
                set((parameter, at));
            }
        }
        Some(picked)
    }
}

/// Makes parameters smaller as long as the same failure is among those that they bring.
fn shrunk(
    params: Params,
    wanted: FailureKey,
    failures: Vec<TestFailure>,
    asserts: Vec<AssertOutcome>,
    source: &GenerationInput<'_>,
    trial: Trier<'_>,
) -> (Params, Vec<AssertOutcome>, Vec<TestFailure>) {
    let mut best = (params, asserts, failures);
    let mut left = MOST_SHRINKS;
    loop {
        let mut is_smaller = false;
        for place in 0..best.0.len() {
            let Some((name, value)) = best.0.get(place).cloned() else { break };
            let is_optional = |it: &Parameter| it.name == name && (it.default.is_some() || it.ty.nullable);
            let mut tries: Vec<Option<Value>> = Vec::new();
            if source.template.parameters.iter().any(is_optional) {
                tries.push(None);
            }
            let is_name = source.names.contains(name.as_str());
            let simpler = simpler(&value).into_iter().filter(|value| !is_name || can_be_name(value));
            tries.extend(simpler.map(Some));
            for simpler in tries {
                if left == 0 {
                    return best;
                }
                left -= 1;
                let mut next = best.0.clone();
                match simpler {
                    None => drop(next.remove(place)),
                    Some(value) => {
                        if let Some(slot) = next.get_mut(place) {
                            *slot = (name.clone(), value);
                        }
                    }
                }
                if let Trial::Ran(asserts, failures) = trial(&next)
                    && failures.iter().any(|failure| key(failure) == wanted)
                {
                    best = (next, asserts, failures);
                    is_smaller = true;
                    break;
                }
            }
        }
        if !is_smaller {
            return best;
        }
    }
}

/// Values that are simpler than one, the simplest first.
fn simpler(value: &Value) -> Vec<Value> {
    let mut all = Vec::new();
    match value {
        Value::Bool(true) => all.push(Value::Bool(false)),
        Value::Int(number) => {
            let mut step = *number;
            // Towards zero, by halves.
            while step != 0 {
                all.push(Value::Int(number - step));
                step /= 2;
            }
            // What fails is not always all beyond a bound: a small number may do where half of this one does not.
            let small = number.unsigned_abs().saturating_sub(1).min(SMALL_NUMBERS);
            let smaller = (1..=small).filter_map(|it| Some(i64::try_from(it).ok()? * number.signum()));
            let rest: Vec<Value> = smaller.map(Value::Int).filter(|it| !all.contains(it)).collect();
            all.extend(rest);
        }
        Value::Text(text) => {
            let letters: Vec<char> = text.chars().collect();
            let mut length = 0;
            while length < letters.len() {
                all.push(Value::text(letters.iter().take(length).collect::<String>()));
                length = if length == 0 { 1 } else { length * 2 };
            }
            if letters.len() <= 64 {
                for place in (0..letters.len()).rev() {
                    let rest = letters.iter().enumerate().filter(|(other, _)| *other != place);
                    all.push(Value::text(rest.map(|(_, letter)| *letter).collect::<String>()));
                }
                let plain = "a".repeat(letters.len());
                if *text != plain {
                    all.push(Value::text(plain));
                }
                for place in (0..letters.len()).filter(|place| letters.get(*place) != Some(&'a')) {
                    let plainer =
                        letters.iter().enumerate().map(|(at, it)| if at == place { 'a' } else { *it });
                    all.push(Value::text(plainer.collect::<String>()));
                }
            }
        }
        Value::Array(items) => {
            let items = items.items();
            if !items.is_empty() {
                all.push(Value::array(Vec::new()));
                all.push(Value::array(items.iter().take(items.len() / 2).cloned().collect()));
                for place in (0..items.len()).rev().take(32) {
                    let rest = items.iter().enumerate().filter(|(other, _)| *other != place);
                    all.push(Value::array(rest.map(|(_, item)| item.clone()).collect()));
                }
            }
            for (place, item) in items.iter().enumerate().take(8) {
                for simpler in simpler(item).into_iter().take(8) {
                    let mut items = items.to_vec();
                    if let Some(slot) = items.get_mut(place) {
                        *slot = simpler;
                    }
                    all.push(Value::array(items));
                }
            }
        }
        Value::Object(members) => {
            for (name, _) in members.iter() {
                let rest = members.iter().filter(|(other, _)| other != name).cloned();
                all.push(Value::object(rest));
            }
            for (name, member) in members.iter().take(8) {
                for simpler in simpler(member).into_iter().take(8) {
                    let changed = members.iter().map(|(other, value)| {
                        (other.clone(), if other == name { simpler.clone() } else { value.clone() })
                    });
                    all.push(Value::object(changed.collect::<Vec<_>>()));
                }
            }
        }
        _ => {}
    }
    all
}

/// Parameters as a case to write into a table.
pub(crate) fn as_case(params: &Value) -> String {
    format!("found: {{ params: {} }}", bicep(params))
}

/// A value in Bicep. Recursion is bounded by how deep a value may nest.
fn bicep(value: &Value) -> String {
    match value {
        Value::Text(text) => {
            let mut out = String::from("'");
            for letter in text.chars() {
                match letter {
                    '\'' | '\\' => out.extend(['\\', letter]),
                    '\n' => out.push_str("\\n"),
                    '\r' => out.push_str("\\r"),
                    '\t' => out.push_str("\\t"),
                    '$' => out.push_str("\\$"),
                    other if other.is_control() => {
                        out.push_str(&format!("\\u{{{:x}}}", u32::from(other)));
                    }
                    other => out.push(other),
                }
            }
            out.push('\'');
            out
        }
        Value::Array(items) => {
            let items: Vec<String> = items.items().iter().map(bicep).collect();
            format!("[{}]", items.join(", "))
        }
        Value::Object(members) => {
            let is_name = |name: &str| {
                name.chars().all(|letter| letter.is_ascii_alphanumeric() || letter == '_')
                    && name.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_')
            };
            let member = |(name, value): &(SmolStr, Value)| match is_name(name) {
                true => format!("{name}: {}", bicep(value)),
                false => format!("{}: {}", bicep(&Value::text(name.as_str())), bicep(value)),
            };
            let members: Vec<String> = members.iter().map(member).collect();
            if members.is_empty() { "{}".to_owned() } else { format!("{{ {} }}", members.join(", ")) }
        }
        other => other.to_json(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_become_simpler() {
        let texts: Vec<String> = simpler(&Value::Int(10)).iter().map(Value::to_json).collect();
        assert_eq!(texts, ["0", "5", "8", "9", "1", "2", "3", "4", "6", "7"]);
        let texts: Vec<String> = simpler(&Value::text("xyz")).iter().map(Value::to_json).collect();
        let expect = ["", "x", "xy", "xy", "xz", "yz", "aaa", "ayz", "xaz", "xya"];
        assert_eq!(texts, expect.map(|text| format!("\"{text}\"")));
        assert!(simpler(&Value::Null).is_empty());
    }

    #[test]
    fn a_case_is_written_in_bicep() {
        let params = Value::object([
            ("size", Value::Int(3)),
            ("my-name", Value::text("it's ${x}\n")),
            ("list", Value::array(vec![Value::Bool(true), Value::Null])),
        ]);
        let expect = r"found: { params: { size: 3, 'my-name': 'it\'s \${x}\n', list: [true, null] } }";
        assert_eq!(as_case(&params), expect);
    }
}
