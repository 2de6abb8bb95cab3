//! Texts that match these patterns and not those, within lengths.

use contract::format::Format;
use contract::pattern::{LiteralPlace, TextAnswer, TextQuery};
use contract::sample::format_examples;
use contract::{Constant, Unit};

use crate::solve::{Answer, Facts, Solver};
use crate::term::Term;

/// How many steps the search for one text may take.
const STEPS: usize = 3_000_000;
/// How many texts are tried before it is given up.
const TRIES: usize = 24;

impl Solver<'_> {
    /// Finds a text.
    pub(crate) fn text(&mut self, facts: &Facts) -> Answer {
        let mut query = TextQuery::default();
        let (mut of, mut not_of): (Vec<Format>, Vec<Format>) = (Vec::new(), Vec::new());
        let mut lengths: Vec<(Unit, usize, Option<usize>)> = Vec::new();
        let mut opaque = false;
        let all = facts.holds.iter().map(|id| (*id, true)).chain(facts.fails.iter().map(|id| (*id, false)));
        for (id, positive) in all {
            match (self.terms.get(id), positive) {
                (Term::Pattern(pattern), _) => {
                    if let Some(pattern) = self.terms.patterns.get(*pattern as usize) {
                        query.pattern(pattern, positive);
                    }
                }
                (Term::Literal(place, text), _) => query.literal(*place, text, positive),
                (Term::Length(unit, least, most), true) => query.length(*unit, *least, *most),
                (Term::Length(unit, least, most), false) => lengths.push((*unit, *least, *most)),
                (Term::Format(format), true) => of.push(*format),
                (Term::Format(format), false) => not_of.push(*format),
                (Term::Values(values), false) => {
                    for id in values {
                        if let Some(Constant::Text(text)) = self.terms.constants.get(*id as usize) {
                            query.literal(LiteralPlace::Whole, text, false);
                        }
                    }
                }
                (Term::Opaque(_), _) => opaque = true,
                _ => {}
            }
        }
        if of.iter().any(|format| not_of.contains(format)) {
            return Answer::Empty;
        }
        // A length that is not within bounds is below them or above them.
        let mut queries = vec![query];
        for (unit, least, most) in lengths {
            let mut next = Vec::new();
            for query in &queries {
                if let Some(below) = least.checked_sub(1) {
                    let mut query = query.clone();
                    query.length(unit, 0, Some(below));
                    next.push(query);
                }
                if let Some(most) = most {
                    let mut query = query.clone();
                    query.length(unit, most + 1, None);
                    next.push(query);
                }
            }
            queries = next;
            if queries.len() > 64 {
                return Answer::Unknown;
            }
        }
        // Formats are told by examples.
        for format in &of {
            for example in format_examples(*format) {
                let value = Constant::text(example);
                if self.judge(facts, &value) != Some(false) {
                    return Answer::Found(value);
                }
            }
        }
        let mut answer = Answer::Empty;
        for query in queries {
            match self.shortest(facts, query, !of.is_empty() || !not_of.is_empty(), opaque) {
                Answer::Empty => {}
                Answer::Unknown => answer = Answer::Unknown,
                found => return found,
            }
        }
        answer
    }

    fn shortest(&mut self, facts: &Facts, mut query: TextQuery, formats: bool, opaque: bool) -> Answer {
        // Empty texts and blanks are harder to read than letters.
        for _ in 0..TRIES {
            if !self.spend(50) {
                return Answer::Unknown;
            }
            let mut readable = query.clone();
            readable.length(Unit::Scalars, 1, None);
            let found = match readable.shortest(STEPS / 10) {
                TextAnswer::Found(text) => TextAnswer::Found(text),
                TextAnswer::Empty | TextAnswer::Unknown => query.shortest(STEPS),
            };
            match found {
                TextAnswer::Empty => return Answer::Empty,
                TextAnswer::Unknown => return Answer::Unknown,
                TextAnswer::Found(text) => {
                    let value = Constant::text(&text);
                    match self.judge(facts, &value) {
                        Some(true) => return Answer::Found(value),
                        None if opaque => return Answer::Found(value),
                        _ if !formats => return Answer::Unknown,
                        _ => query.literal(LiteralPlace::Whole, &text, false),
                    }
                }
            }
        }
        Answer::Unknown
    }
}
