//! Texts that match these patterns and not those, within lengths.

use std::sync::OnceLock;

use contract::format::Format;
use contract::pattern::{LiteralPlace, Pattern, PatternSyntax, TextAnswer, TextQuery};
use contract::sample::format_examples;
use contract::{Constant, Unit};

use crate::solve::{Answer, Facts, Solver};
use crate::term::{Sort, Term, TermId};

/// How many steps the search for one text may take.
const STEPS: usize = 3_000_000;
/// How many texts are tried before it is given up.
const TRIES: usize = 24;

impl Solver<'_> {
    pub(crate) fn text(&mut self, facts: &Facts) -> Answer {
        let mut query = TextQuery::default();
        let (mut of, mut not_of): (Vec<Format>, Vec<Format>) = (Vec::new(), Vec::new());
        let mut lengths: Vec<(Unit, usize, Option<usize>)> = Vec::new();
        let mut opaque = false;
        let mut written = (Vec::new(), Vec::new());
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
                (Term::Written(term), true) => written.0.push(*term),
                (Term::Written(term), false) => written.1.push(*term),
                (Term::Opaque(_), _) => opaque = true,
                _ => {}
            }
        }
        if of.iter().any(|format| not_of.contains(format)) {
            return Answer::Empty;
        }
        if !written.0.is_empty() {
            return self.written(facts, written.0, written.1);
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

    /// Finds a text that stands for a number or a truth value.
    fn written(&mut self, facts: &Facts, mut holds: Vec<TermId>, mut fails: Vec<TermId>) -> Answer {
        let scalars = [Constant::Bool(true), Constant::Bool(false)];
        let bools = self.terms.values(&scalars);
        let number = self.terms.sort(Sort::Number);
        let scalar = self.terms.or(vec![bools, number]);
        holds.push(scalar);
        for _ in 0..TRIES {
            match self.solve(holds.clone(), fails.clone()) {
                Answer::Found(value) => {
                    let text = Constant::text(&value.to_string());
                    match self.judge(facts, &text) {
                        Some(true) => return Answer::Found(text),
                        // What else is said of the text may leave this one out.
                        Some(false) => fails.push(self.terms.values(std::slice::from_ref(&value))),
                        None => return Answer::Unknown,
                    }
                }
                other => return other,
            }
        }
        Answer::Unknown
    }

    fn shortest(&mut self, facts: &Facts, mut query: TextQuery, formats: bool, opaque: bool) -> Answer {
        // Few characters of many bytes are harder to read than many letters, as are empty texts and blanks.
        let all = facts.holds.iter().chain(&facts.fails);
        let units = all
            .map(|id| self.terms.get(*id))
            .any(|term| matches!(term, Term::Length(Unit::Utf16 | Unit::Bytes, ..)));
        for _ in 0..TRIES {
            if !self.spend(50) {
                return Answer::Unknown;
            }
            let mut readable = query.clone();
            readable.length(Unit::Scalars, 1, None);
            let mut plain = readable.clone();
            if let Some(printable) = printable().filter(|_| units) {
                plain.pattern(printable, true);
            }
            let found = [plain, readable]
                .iter()
                .take(1 + usize::from(units))
                .map(|query| query.shortest(STEPS / 10))
                .find(|answer| matches!(answer, TextAnswer::Found(_)))
                .unwrap_or_else(|| query.shortest(STEPS));
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

/// Texts of letters, digits and other characters that everybody can read.
fn printable() -> Option<&'static Pattern> {
    static PRINTABLE: OnceLock<Option<Pattern>> = OnceLock::new();
    PRINTABLE.get_or_init(|| Pattern::new(PatternSyntax::Ecma, "^[a-z0-9]*$").ok()).as_ref()
}
