//! Rules on one value, boiled down to what its bytes decide.

use contract::pattern::Pattern;
use contract::{Constant, Operand, Rule, Test, Unit};
use memchr::memmem::Finder;

use crate::wire::{Flat, Limits, Rest, is_utf8};

/// Integers in a range of which some are singled out.
#[derive(Clone, Debug)]
pub(super) struct IntSet {
    least: i64,
    most: i64,
    /// Sets of which the integer must be a member (true) or must not be.
    sets: Box<[(bool, Box<[i64]>)]>,
}

impl IntSet {
    pub(super) fn holds(&self, value: i64) -> bool {
        (self.least..=self.most).contains(&value)
            && self.sets.iter().all(|(among, set)| set.binary_search(&value).is_ok() == *among)
    }
}

/// The least and the greatest integer that pass; the set is there if they do not say everything.
pub(super) fn ints(rules: &[Rule]) -> Option<(i64, i64, Option<IntSet>)> {
    let (mut least, mut most) = (i64::MIN, i64::MAX);
    let mut sets = Vec::new();
    for rule in rules {
        match &rule.test {
            Test::In(operands) => sets.push((true, set(operands)?)),
            Test::NotIn(operands) => sets.push((false, set(operands)?)),
            Test::Ne(operand) => sets.push((false, [int(operand)?].into())),
            Test::Eq(operand) => {
                let value = int(operand)?;
                (least, most) = (least.max(value), most.min(value));
            }
            Test::Ge(operand) => least = least.max(int(operand)?),
            Test::Gt(operand) => least = least.max(int(operand)?.checked_add(1)?),
            Test::Le(operand) => most = most.min(int(operand)?),
            Test::Lt(operand) => most = most.min(int(operand)?.checked_sub(1)?),
            _ => return None,
        }
    }
    // A set without holes is a range, as the members of most enums are.
    sets.retain(|(among, set)| match (set.first(), set.last()) {
        (Some(first), Some(end)) if *among && end.abs_diff(*first) == set.len() as u64 - 1 => {
            (least, most) = (least.max(*first), most.min(*end));
            false
        }
        _ => true,
    });
    let set = (!sets.is_empty()).then(|| IntSet { least, most, sets: sets.into() });
    Some((least, most, set))
}

fn int(operand: &Operand) -> Option<i64> {
    match operand {
        Operand::Constant(Constant::Int(value)) => Some(*value),
        _ => None,
    }
}

/// Different numbers, sorted.
fn set(operands: &[Operand]) -> Option<Box<[i64]>> {
    let mut numbers = operands.iter().map(int).collect::<Option<Vec<i64>>>()?;
    numbers.sort_unstable();
    numbers.dedup();
    Some(numbers.into())
}

/// The least and the greatest double that pass, both included; NaN never does.
pub(super) fn doubles(rules: &[Rule]) -> Option<(f64, f64)> {
    let mut range = (f64::NEG_INFINITY, f64::INFINITY);
    for rule in rules {
        match &rule.test {
            Test::Eq(operand) => {
                let value = double(operand)?;
                range = (range.0.max(value), range.1.min(value));
            }
            Test::Ge(operand) => range.0 = range.0.max(double(operand)?),
            Test::Gt(operand) => range.0 = range.0.max(above(double(operand)?)?),
            Test::Le(operand) => range.1 = range.1.min(double(operand)?),
            Test::Lt(operand) => range.1 = range.1.min(below(double(operand)?)?),
            _ => return None,
        }
    }
    Some(range)
}

fn double(operand: &Operand) -> Option<f64> {
    const EXACT: i64 = 1 << 53;
    match operand {
        Operand::Constant(Constant::Float(value)) if !value.is_nan() => Some(*value),
        Operand::Constant(Constant::Int(value)) if (-EXACT..=EXACT).contains(value) => Some(*value as f64),
        _ => None,
    }
}

/// The next double; there is none above infinity.
fn above(value: f64) -> Option<f64> {
    (value != f64::INFINITY).then(|| value.next_up())
}

fn below(value: f64) -> Option<f64> {
    (value != f64::NEG_INFINITY).then(|| value.next_down())
}

/// The truth value that passes.
pub(super) fn truth(rules: &[Rule]) -> Option<bool> {
    match rules {
        [Rule { test: Test::Eq(Operand::Constant(Constant::Bool(value))), .. }] => Some(*value),
        _ => None,
    }
}

/// The fewest and the most bytes, elements or entries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Sizes {
    pub(super) least: usize,
    pub(super) most: usize,
}

impl Sizes {
    pub(super) const ALL: Sizes = Sizes { least: 0, most: usize::MAX };

    #[inline]
    pub(super) fn hold(self, size: usize) -> bool {
        self.least <= size && size <= self.most
    }

    /// Narrows the sizes by a rule; `None` if it is another kind of rule.
    fn narrow(&mut self, test: &Test, unit: Unit) -> Option<()> {
        let size = |operand: &Operand| usize::try_from(int(operand)?).ok();
        match test {
            Test::MinLength(found, operand) if *found == unit => {
                self.least = self.least.max(size(operand)?);
            }
            Test::MaxLength(found, operand) if *found == unit => self.most = self.most.min(size(operand)?),
            _ => return None,
        }
        Some(())
    }
}

/// The rules of a container alone.
pub(super) fn sizes(rules: &[Rule], unit: Unit) -> Option<Sizes> {
    let mut sizes = Sizes::ALL;
    rules.iter().try_for_each(|rule| sizes.narrow(&rule.test, unit))?;
    Some(sizes)
}

/// Text, or bytes, that pass.
#[derive(Clone, Debug)]
pub(super) struct TextBounds {
    pub(super) sizes: Sizes,
    /// Whether it must be UTF-8.
    pub(super) utf8: bool,
    pub(super) tests: Box<[TextTest]>,
}

/// What else is asked of text.
#[derive(Clone, Debug)]
pub(super) enum TextTest {
    Runes(Sizes),
    Prefix(Box<[u8]>),
    Suffix(Box<[u8]>),
    /// Whether it must contain it, or must not.
    Contains(bool, Box<Finder<'static>>),
    /// Whether it must be one of these, or must not.
    Among(bool, Box<[Box<[u8]>]>),
    Pattern(Pattern),
}

impl TextBounds {
    #[inline(never)]
    pub(super) fn holds(&self, text: &[u8]) -> bool {
        self.sizes.hold(text.len())
            && (!self.utf8 || is_utf8(text))
            && self.tests.iter().all(|test| test.holds(text))
    }
}

/// Texts of eight bytes at most, as words with their lengths: one comparison for each.
#[derive(Clone, Debug)]
pub(super) struct ShortTexts(Box<[(u64, usize)]>);

impl ShortTexts {
    /// The texts that pass, if those are all that bounds name. They are UTF-8 as they stand there, and what is equal is, too.
    pub(super) fn of(text: &TextBounds) -> Option<ShortTexts> {
        let [TextTest::Among(true, members)] = &*text.tests else { return None };
        let is_sound = |member: &[u8]| text.sizes.hold(member.len()) && (!text.utf8 || is_utf8(member));
        let word = |member: &[u8]| Some((first_word(member, member.len())?, member.len()));
        let words = members.iter().map(|member| word(member).filter(|_| is_sound(member)));
        Some(ShortTexts(words.collect::<Option<_>>()?))
    }

    /// Takes text off that is one of them.
    #[inline(never)]
    pub(super) fn among<'b, F: Flat>(&self, bytes: &'b [u8], limits: &Limits) -> Rest<'b> {
        let (text, rest) = F::string(bytes, limits)?;
        // With what is behind it there is most often a word at its place.
        let from = bytes.len().checked_sub(text.len() + rest.len())?;
        let word = first_word(bytes.get(from..)?, text.len())?;
        self.0.contains(&(word, text.len())).then_some(rest)
    }
}

/// The first bytes as a number, others do not count; `None` if it takes more than eight.
#[inline]
fn first_word(bytes: &[u8], len: usize) -> Option<u64> {
    const MASKS: [u64; 9] = [
        0,
        0xff,
        0xffff,
        0xff_ffff,
        0xffff_ffff,
        0xff_ffff_ffff,
        0xffff_ffff_ffff,
        0xff_ffff_ffff_ffff,
        u64::MAX,
    ];
    let word = match bytes.first_chunk() {
        Some(word) => u64::from_le_bytes(*word),
        None => bytes.iter().rev().fold(0, |word, byte| word << 8 | u64::from(*byte)),
    };
    Some(word & MASKS.get(len)?)
}

impl TextTest {
    fn holds(&self, text: &[u8]) -> bool {
        match self {
            TextTest::Runes(sizes) => {
                // A character takes one to four bytes, and a byte that is not a character counts as one.
                let certain = text.len() <= sizes.most && text.len().div_ceil(4) >= sizes.least;
                certain || sizes.hold(runes(text))
            }
            TextTest::Prefix(prefix) => text.starts_with(prefix),
            TextTest::Suffix(suffix) => text.ends_with(suffix),
            TextTest::Contains(wanted, finder) => finder.find(text).is_some() == *wanted,
            TextTest::Among(wanted, members) => members.iter().any(|member| **member == *text) == *wanted,
            TextTest::Pattern(pattern) => pattern.is_match(text),
        }
    }
}

fn runes(text: &[u8]) -> usize {
    text.utf8_chunks().map(|chunk| chunk.valid().chars().count() + chunk.invalid().len()).sum()
}

/// The rules of text.
pub(super) fn text(rules: &[Rule], utf8: bool) -> Option<TextBounds> {
    let mut sizes = Sizes::ALL;
    let mut scalars = Sizes::ALL;
    let mut tests = Vec::new();
    for rule in rules {
        let narrowed =
            sizes.narrow(&rule.test, Unit::Bytes).or_else(|| scalars.narrow(&rule.test, Unit::Scalars));
        if narrowed.is_some() {
            continue;
        }
        tests.push(match &rule.test {
            Test::Eq(operand) => TextTest::Among(true, [bytes(operand)?].into()),
            Test::Ne(operand) => TextTest::Among(false, [bytes(operand)?].into()),
            Test::In(operands) => TextTest::Among(true, members(operands)?),
            Test::NotIn(operands) => TextTest::Among(false, members(operands)?),
            Test::Prefix(operand) => TextTest::Prefix(bytes(operand)?),
            Test::Suffix(operand) => TextTest::Suffix(bytes(operand)?),
            Test::Contains(operand) => TextTest::Contains(true, finder(operand)?),
            Test::NotContains(operand) => TextTest::Contains(false, finder(operand)?),
            Test::Pattern(pattern) => TextTest::Pattern(pattern.clone()),
            _ => return None,
        });
    }
    if scalars != Sizes::ALL {
        tests.insert(0, TextTest::Runes(scalars));
    }
    Some(TextBounds { sizes, utf8, tests: tests.into() })
}

fn bytes(operand: &Operand) -> Option<Box<[u8]>> {
    match operand {
        Operand::Constant(Constant::Text(text)) => Some(text.as_bytes().into()),
        Operand::Constant(Constant::Bytes(bytes)) => Some(bytes.clone()),
        _ => None,
    }
}

fn finder(operand: &Operand) -> Option<Box<Finder<'static>>> {
    bytes(operand).map(|bytes| Box::new(Finder::new(&bytes).into_owned()))
}

/// Texts that are few enough to be compared one by one.
fn members(operands: &[Operand]) -> Option<Box<[Box<[u8]>]>> {
    const FEW: usize = 12;
    if operands.len() > FEW {
        return None;
    }
    operands.iter().map(bytes).collect()
}
