//! Patterns as sets of texts: is there a text that matches these and not those, within these lengths, and which is the shortest.
//!
//! Every pattern is walked as a set of positions that is made deterministic while it is needed, all of them side by side, over classes
//! of characters that no pattern tells apart. Work is counted: what takes too many steps is not decided.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap, HashMap};

use super::Pattern;
use super::node::{PatternNode, ZeroWidthAssertion};
use super::set::CharSet;

/// How many states of a single pattern are built at most.
const MOST_STATES: usize = 20_000;
/// How many states a pattern may have before it is made deterministic.
const MOST_NODES: usize = 12_000;

/// What is asked of a text.
#[derive(Clone, Debug, Default)]
pub struct TextQuery {
    parts: Vec<(TextPart, bool)>,
    lengths: Vec<(TextUnit, usize, Option<usize>)>,
}

#[derive(Clone, Debug)]
enum TextPart {
    Pattern(Pattern),
    /// The whole text, or what it starts with, ends with, or contains.
    Literal(LiteralPlace, Box<str>),
}

/// Where a literal text has to stand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum LiteralPlace {
    /// It is the whole text.
    Whole,
    /// The text starts with it.
    Start,
    /// The text ends with it.
    End,
    /// The text contains it.
    Inside,
}

/// What the length of a text counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum TextUnit {
    /// The bytes of its UTF-8.
    Bytes,
    /// Unicode scalar values, as JSON Schema counts.
    Scalars,
    /// The units of its UTF-16.
    Utf16,
}

/// The answer to a search for a text in a language of patterns.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TextAnswer {
    /// The shortest such text.
    Found(String),
    /// There is no such text.
    Empty,
    /// It would take too long to find out.
    Unknown,
}

impl TextQuery {
    /// Asks for a text in which a pattern matches, or in which it does not.
    pub fn pattern(&mut self, pattern: &Pattern, matches: bool) {
        self.parts.push((TextPart::Pattern(pattern.clone()), matches));
    }

    /// Asks for a text with a literal at a place, or without it.
    pub fn literal(&mut self, place: LiteralPlace, text: &str, holds: bool) {
        self.parts.push((TextPart::Literal(place, text.into()), holds));
    }

    /// Asks for a length within bounds, both included.
    pub fn length(&mut self, unit: impl Into<TextUnit>, least: usize, most: Option<usize>) {
        self.lengths.push((unit.into(), least, most));
    }

    /// Finds the shortest text in so many steps.
    pub fn shortest(&self, steps: usize) -> TextAnswer {
        let mut lengths: BTreeMap<TextUnit, (usize, Option<usize>)> = BTreeMap::new();
        for (unit, least, most) in &self.lengths {
            let known = lengths.entry(*unit).or_insert((0, None));
            known.0 = known.0.max(*least);
            known.1 = match (known.1, most) {
                (Some(a), Some(b)) => Some(a.min(*b)),
                (a, b) => a.or(*b),
            };
        }
        if lengths.values().any(|(least, most)| most.is_some_and(|most| *least > most)) {
            return TextAnswer::Empty;
        }
        let mut machines = Vec::new();
        for (part, positive) in &self.parts {
            let Some(machine) = part.machine() else { return TextAnswer::Unknown };
            machines.push((machine, *positive));
        }
        let weighed = lengths.keys().any(|unit| *unit != TextUnit::Scalars);
        let classes = Classes::of(machines.iter().map(|(machine, _)| machine), weighed);
        Search { machines, classes, lengths: lengths.into_iter().collect() }.run(steps)
    }
}

impl TextPart {
    fn machine(&self) -> Option<Machine> {
        let node = match self {
            TextPart::Pattern(pattern) => pattern.dialect().parse(pattern.source()).ok()?,
            TextPart::Literal(place, text) => {
                let start = matches!(place, LiteralPlace::Whole | LiteralPlace::Start);
                let end = matches!(place, LiteralPlace::Whole | LiteralPlace::End);
                let looks = |look: ZeroWidthAssertion, is: bool| is.then_some(PatternNode::Look(look));
                let parts = looks(ZeroWidthAssertion::TextStart, start)
                    .into_iter()
                    .chain(text.chars().map(|c| PatternNode::Set(CharSet::single(c))))
                    .chain(looks(ZeroWidthAssertion::TextEnd, end));
                PatternNode::concat(parts.collect())
            }
        };
        Machine::new(&node)
    }
}

/// What stands before a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
enum Neighbour {
    /// The start or the end of the text.
    Edge,
    Newline,
    Word,
    Other,
}

impl Neighbour {
    fn of(c: char) -> Neighbour {
        match c {
            '\n' => Neighbour::Newline,
            _ if c.is_ascii_alphanumeric() || c == '_' => Neighbour::Word,
            _ => Neighbour::Other,
        }
    }
}

enum NodeStep {
    Set(CharSet, usize),
    Look(ZeroWidthAssertion, usize),
    Split(Vec<usize>),
    Match,
}

/// A state of one pattern: where it may be, what stands before, and whether it has matched.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct MachineState {
    at: Vec<u32>,
    before: Neighbour,
    found: bool,
}

/// One pattern as positions, made deterministic as far as it is needed.
struct Machine {
    nodes: Vec<NodeStep>,
    start: usize,
    /// Whether it can only begin at the start of the text.
    tied: bool,
    known: HashMap<MachineState, u32>,
    states: Vec<MachineState>,
    next: Vec<Vec<Option<u32>>>,
    ends: Vec<Option<bool>>,
}

impl Machine {
    fn new(node: &PatternNode) -> Option<Machine> {
        let mut machine = Machine {
            nodes: vec![NodeStep::Match],
            start: 0,
            tied: false,
            known: HashMap::new(),
            states: Vec::new(),
            next: Vec::new(),
            ends: Vec::new(),
        };
        machine.start = machine.add(node, 0)?;
        let sides = [Neighbour::Newline, Neighbour::Word, Neighbour::Other];
        machine.tied = sides.iter().all(|before| {
            [Neighbour::Edge, Neighbour::Newline, Neighbour::Word, Neighbour::Other].iter().all(|after| {
                let (reached, matched) = machine.closure(&[], *before, *after);
                reached.is_empty() && !matched
            })
        });
        Some(machine)
    }

    fn push(&mut self, step: NodeStep) -> Option<usize> {
        (self.nodes.len() < MOST_NODES).then(|| {
            self.nodes.push(step);
            self.nodes.len() - 1
        })
    }

    fn add(&mut self, node: &PatternNode, then: usize) -> Option<usize> {
        match node {
            PatternNode::Empty => Some(then),
            PatternNode::Set(set) => self.push(NodeStep::Set(set.clone(), then)),
            PatternNode::Look(
                ZeroWidthAssertion::WordUnicode
                | ZeroWidthAssertion::NotWordUnicode
                | ZeroWidthAssertion::WordStartUnicode
                | ZeroWidthAssertion::WordEndUnicode,
            ) => None,
            PatternNode::Look(look) => self.push(NodeStep::Look(*look, then)),
            PatternNode::Concat(parts) => {
                parts.iter().rev().try_fold(then, |then, part| self.add(part, then))
            }
            PatternNode::Alt(branches) => {
                let starts: Option<Vec<usize>> =
                    branches.iter().map(|branch| self.add(branch, then)).collect();
                self.push(NodeStep::Split(starts?))
            }
            PatternNode::Repeat { node, min, max } => {
                let mut at = then;
                match max {
                    None => {
                        let back = self.push(NodeStep::Split(vec![then]))?;
                        let body = self.add(node, back)?;
                        if let Some(NodeStep::Split(ways)) = self.nodes.get_mut(back) {
                            ways.push(body);
                        }
                        at = back;
                    }
                    Some(max) => {
                        for _ in *min..*max {
                            let body = self.add(node, at)?;
                            at = self.push(NodeStep::Split(vec![body, then]))?;
                        }
                    }
                }
                for _ in 0..*min {
                    at = self.add(node, at)?;
                }
                Some(at)
            }
        }
    }

    /// The sets that are reached without a character from a state, and whether the pattern has matched.
    fn closure(&self, at: &[u32], before: Neighbour, after: Neighbour) -> (Vec<u32>, bool) {
        let mut seen = vec![false; self.nodes.len()];
        let mut stack: Vec<usize> = at.iter().map(|node| *node as usize).collect();
        stack.push(self.start);
        let (mut reached, mut matched) = (Vec::new(), false);
        while let Some(node) = stack.pop() {
            match seen.get_mut(node) {
                Some(seen) if !*seen => *seen = true,
                _ => continue,
            }
            match self.nodes.get(node) {
                Some(NodeStep::Set(..)) => reached.push(node as u32),
                Some(NodeStep::Look(look, then)) if holds(*look, before, after) => stack.push(*then),
                Some(NodeStep::Split(ways)) => stack.extend(ways),
                Some(NodeStep::Match) => matched = true,
                Some(NodeStep::Look(..)) | None => {}
            }
        }
        reached.sort_unstable();
        (reached, matched)
    }

    fn state(&mut self, state: MachineState, classes: usize) -> Option<u32> {
        if let Some(id) = self.known.get(&state) {
            return Some(*id);
        }
        if self.states.len() >= MOST_STATES {
            return None;
        }
        let id = self.states.len() as u32;
        self.known.insert(state.clone(), id);
        self.states.push(state);
        self.next.push(vec![None; classes]);
        self.ends.push(None);
        Some(id)
    }

    fn first(&mut self, classes: usize) -> Option<u32> {
        self.state(MachineState { at: Vec::new(), before: Neighbour::Edge, found: false }, classes)
    }

    fn step(&mut self, from: u32, class: usize, c: char, classes: usize) -> Option<u32> {
        if let Some(Some(next)) = self.next.get(from as usize).and_then(|row| row.get(class)) {
            return Some(*next);
        }
        let state = self.states.get(from as usize)?;
        let after = Neighbour::of(c);
        let next = if state.found {
            state.clone()
        } else {
            let (reached, matched) = self.closure(&state.at, state.before, after);
            if matched {
                MachineState { at: Vec::new(), before: Neighbour::Other, found: true }
            } else {
                let mut at: Vec<u32> = reached
                    .iter()
                    .filter_map(|node| match self.nodes.get(*node as usize) {
                        Some(NodeStep::Set(set, then)) if set.contains(c as u32) => Some(*then as u32),
                        _ => None,
                    })
                    .collect();
                at.sort_unstable();
                at.dedup();
                MachineState { at, before: after, found: false }
            }
        };
        let next = self.state(next, classes)?;
        if let Some(place) = self.next.get_mut(from as usize).and_then(|row| row.get_mut(class)) {
            *place = Some(next);
        }
        Some(next)
    }

    /// Whether the pattern matches a text that ends here.
    fn accepts(&mut self, id: u32) -> bool {
        if let Some(Some(known)) = self.ends.get(id as usize) {
            return *known;
        }
        let Some(state) = self.states.get(id as usize) else { return false };
        let accepts = state.found || self.closure(&state.at, state.before, Neighbour::Edge).1;
        if let Some(place) = self.ends.get_mut(id as usize) {
            *place = Some(accepts);
        }
        accepts
    }

    /// Whether the state decides, whatever follows.
    fn fixed(&self, id: u32) -> Option<bool> {
        let state = self.states.get(id as usize)?;
        if state.found {
            return Some(true);
        }
        (self.tied && state.at.is_empty() && state.before != Neighbour::Edge).then_some(false)
    }
}

fn holds(look: ZeroWidthAssertion, before: Neighbour, after: Neighbour) -> bool {
    let boundary = (before == Neighbour::Word) != (after == Neighbour::Word);
    match look {
        ZeroWidthAssertion::TextStart => before == Neighbour::Edge,
        ZeroWidthAssertion::TextEnd => after == Neighbour::Edge,
        ZeroWidthAssertion::LineStart => matches!(before, Neighbour::Edge | Neighbour::Newline),
        ZeroWidthAssertion::LineEnd => matches!(after, Neighbour::Edge | Neighbour::Newline),
        ZeroWidthAssertion::WordAscii => boundary,
        ZeroWidthAssertion::NotWordAscii => !boundary,
        // Patterns with these have no machine.
        ZeroWidthAssertion::WordUnicode
        | ZeroWidthAssertion::NotWordUnicode
        | ZeroWidthAssertion::WordStartUnicode
        | ZeroWidthAssertion::WordEndUnicode => false,
    }
}

/// Characters that stand for all that nothing tells apart, those that people like to read first.
struct Classes(Vec<char>);

impl Classes {
    fn of<'m>(machines: impl Iterator<Item = &'m Machine>, weighed: bool) -> Classes {
        let mut sets: Vec<&CharSet> = Vec::new();
        let mut looks = false;
        for node in machines.flat_map(|machine| &machine.nodes) {
            match node {
                NodeStep::Set(set, _) if !sets.contains(&set) => sets.push(set),
                NodeStep::Look(look, _) => {
                    looks |= !matches!(look, ZeroWidthAssertion::TextStart | ZeroWidthAssertion::TextEnd);
                }
                _ => {}
            }
        }
        let signature = |c: u32| {
            let mut bits: Vec<u64> = vec![0; sets.len() / 64 + 2];
            for (at, set) in sets.iter().enumerate() {
                if let Some(word) = bits.get_mut(at / 64)
                    && set.contains(c)
                {
                    *word |= 1 << (at % 64);
                }
            }
            if let Some(last) = bits.last_mut() {
                let side = char::from_u32(c).map_or(Neighbour::Other, Neighbour::of);
                let weight = match c {
                    _ if !weighed => 0,
                    0..0x80 => 0,
                    0x80..0x800 => 1,
                    0x800..0x1_0000 => 2,
                    _ => 3,
                };
                // The kinds of neighbours only count where something looks at them.
                *last = weight | if looks { (side as u64) << 2 } else { 0 };
            }
            bits
        };
        let mut edges: Vec<u32> = vec![0x80, 0x800, 0x1_0000];
        for set in &sets {
            edges.extend(set.ranges().into_iter().flat_map(|(low, high)| [low, high + 1]));
        }
        edges.sort_unstable();
        edges.dedup();
        let liked = ('a'..='z').chain('0'..='9').chain('A'..='Z').chain("-_./ ".chars());
        let printable = (' '..='~').chain(['é', 'ß', 'я', '中', '😀']);
        let rest = (0..0x80).chain(edges).filter_map(char::from_u32);
        let mut seen = HashMap::new();
        let mut classes = Vec::new();
        for c in liked.chain(printable).chain(rest) {
            seen.entry(signature(c as u32)).or_insert_with(|| classes.push(c));
        }
        Classes(classes)
    }
}

struct Search {
    machines: Vec<(Machine, bool)>,
    classes: Classes,
    lengths: Vec<(TextUnit, (usize, Option<usize>))>,
}

/// A step on the way to a text: where it came from, and by which character.
struct Trace {
    from: usize,
    by: char,
}

impl Search {
    fn run(mut self, steps: usize) -> TextAnswer {
        let classes = std::mem::take(&mut self.classes.0);
        let Some(first) = self
            .machines
            .iter_mut()
            .map(|(machine, _)| machine.first(classes.len()))
            .collect::<Option<Vec<u32>>>()
        else {
            return TextAnswer::Unknown;
        };
        // The texts are found in the order of one length; the others are counted in the state.
        let primary = self.lengths.first().map_or(TextUnit::Scalars, |(unit, _)| *unit);
        let primary_most = self.lengths.first().and_then(|(_, (_, most))| *most);
        let nothing: Vec<u32> = vec![0; self.lengths.len()];
        let mut seen: HashMap<(Vec<u32>, Vec<u32>), ()> = HashMap::new();
        let mut traces = vec![Trace { from: 0, by: '\0' }];
        let mut queue = BinaryHeap::new();
        seen.insert((first.clone(), nothing.clone()), ());
        queue.push(Reverse((0_usize, 0_usize, first, nothing)));
        let mut spent = 0_usize;
        while let Some(Reverse((length, trace, states, counts))) = queue.pop() {
            let accepted = states
                .iter()
                .zip(&mut self.machines)
                .all(|(id, (machine, positive))| machine.accepts(*id) == *positive);
            let long_enough =
                counts.iter().zip(&self.lengths).all(|(count, (_, (least, _)))| *count as usize >= *least);
            if accepted && long_enough {
                return TextAnswer::Found(spell(&traces, trace));
            }
            for (class, c) in classes.iter().enumerate() {
                spent += 1 + self.machines.len();
                if spent > steps {
                    return TextAnswer::Unknown;
                }
                let length = length + weight(primary, *c);
                if primary_most.is_some_and(|most| length > most) {
                    continue;
                }
                let Some(counts) = self.counted(&counts, *c) else { continue };
                let mut next = Vec::with_capacity(states.len());
                let mut lost = false;
                for (id, (machine, positive)) in states.iter().zip(&mut self.machines) {
                    let Some(id) = machine.step(*id, class, *c, classes.len()) else {
                        return TextAnswer::Unknown;
                    };
                    lost |= machine.fixed(id).is_some_and(|fixed| fixed != *positive);
                    next.push(id);
                }
                if lost || seen.insert((next.clone(), counts.clone()), ()).is_some() {
                    continue;
                }
                traces.push(Trace { from: trace, by: *c });
                queue.push(Reverse((length, traces.len() - 1, next, counts)));
            }
        }
        TextAnswer::Empty
    }

    /// The lengths after one more character, as far as they matter; none if the text becomes too long.
    fn counted(&self, counts: &[u32], c: char) -> Option<Vec<u32>> {
        counts
            .iter()
            .zip(&self.lengths)
            .enumerate()
            .map(|(at, (count, (unit, (least, most))))| {
                let count = *count as usize + weight(*unit, c);
                match most {
                    // The order of the search bounds the first.
                    Some(most) if at > 0 => (count <= *most).then_some(count as u32),
                    _ => Some(count.min(*least) as u32),
                }
            })
            .collect()
    }
}

fn weight(unit: TextUnit, c: char) -> usize {
    match unit {
        TextUnit::Bytes => c.len_utf8(),
        TextUnit::Utf16 => c.len_utf16(),
        TextUnit::Scalars => 1,
    }
}

fn spell(traces: &[Trace], mut at: usize) -> String {
    let mut text = Vec::new();
    while let Some(trace) = traces.get(at).filter(|_| at > 0) {
        text.push(trace.by);
        at = trace.from;
    }
    text.iter().rev().collect()
}

#[cfg(test)]
mod tests {
    use super::super::PatternSyntax;
    use super::*;

    fn ecma(text: &str) -> Pattern {
        Pattern::new(PatternSyntax::Ecma, text).unwrap()
    }

    fn ask(parts: &[(&str, bool)], least: usize, most: Option<usize>) -> TextAnswer {
        let mut query = TextQuery::default();
        for (source, positive) in parts {
            query.pattern(&ecma(source), *positive);
        }
        query.length(TextUnit::Scalars, least, most);
        query.shortest(200_000)
    }

    #[test]
    fn the_shortest_text_is_found() {
        let found = |text: &str| TextAnswer::Found(text.to_owned());
        assert_eq!(ask(&[("^[a-z]+$", true)], 0, None), found("a"));
        assert_eq!(ask(&[("^[a-z]+$", true)], 3, Some(3)), found("aaa"));
        assert_eq!(ask(&[("^[a-z]+$", true), ("^[a-y]+$", false)], 0, None), found("z"));
        assert_eq!(ask(&[("^[a-y]+$", true), ("^[a-z]+$", false)], 0, None), TextAnswer::Empty);
        assert_eq!(ask(&[("^a{3,5}$", true)], 6, None), TextAnswer::Empty);
        assert_eq!(ask(&[("^.*$", false)], 0, None), found("\n"));
        assert_eq!(ask(&[("\\bb\\b", true), ("^b", false)], 0, None), found("-b"));
        assert_eq!(ask(&[("a", true), ("b", true), ("c", true)], 0, Some(2)), TextAnswer::Empty);
    }

    #[test]
    fn lengths_count_in_their_units() {
        let mut query = TextQuery::default();
        query.length(TextUnit::Bytes, 4, Some(4));
        query.length(TextUnit::Scalars, 1, Some(1));
        assert_eq!(query.shortest(100_000), TextAnswer::Found("😀".to_owned()));
        query.length(TextUnit::Utf16, 0, Some(1));
        assert_eq!(query.shortest(100_000), TextAnswer::Empty);
    }
}
