//! Numbers between bounds, on lattices and beside them.

use contract::Constant;

use crate::decimal::{Dec, gcd};
use crate::solve::{Answer, Facts, Solver};
use crate::term::{Sort, Term};

/// How many candidates are tried before it is given up.
const TRIES: usize = 4000;

struct Line {
    least: Option<(i128, bool)>,
    most: Option<(i128, bool)>,
    /// What the number is a multiple of; zero if of nothing.
    step: i128,
    not_of: Vec<i128>,
    not: Vec<i128>,
    exponent: i32,
}

impl Line {
    fn raise(&mut self, bound: i128, open: bool) {
        self.least = Some(match self.least {
            Some((known, known_open)) if known > bound || (known == bound && known_open) => {
                (known, known_open)
            }
            _ => (bound, open),
        });
    }

    fn lower(&mut self, bound: i128, open: bool) {
        self.most = Some(match self.most {
            Some((known, known_open)) if known < bound || (known == bound && known_open) => {
                (known, known_open)
            }
            _ => (bound, open),
        });
    }

    fn holds(&self, value: i128) -> bool {
        self.least.is_none_or(|(bound, open)| value > bound || (value == bound && !open))
            && self.most.is_none_or(|(bound, open)| value < bound || (value == bound && !open))
            && (self.step == 0 || value % self.step == 0)
            && !self.not_of.iter().any(|step| value % step == 0)
            && !self.not.contains(&value)
    }

    /// Numbers to try, small ones first, and whether these are all there are.
    fn candidates(&self) -> (Vec<i128>, bool) {
        let unit = 10_i128.checked_pow(self.exponent.unsigned_abs()).unwrap_or(1);
        let step = if self.step == 0 { 1 } else { self.step };
        let mut found = Vec::new();
        if self.step == 0 {
            // Numbers without a fraction are read more easily, then halves.
            for near in [Some(0), self.least.map(|it| it.0), self.most.map(|it| it.0)].into_iter().flatten() {
                let whole = near.div_euclid(unit) * unit;
                found.extend([near, whole, whole + unit, whole - unit, whole + 2 * unit]);
                found.extend([whole + unit / 2, whole - unit / 2, whole + unit / 10, whole - unit / 10]);
            }
            if let (Some((least, _)), Some((most, _))) = (self.least, self.most) {
                found.push(least + (most - least) / 2);
            }
        }
        let first = match (self.least, self.most) {
            (Some((least, _)), _) if least > 0 => least,
            (_, Some((most, _))) if most < 0 => most,
            _ => 0,
        };
        let start = first.div_euclid(step) * step;
        let inside = |value: i128| {
            self.least.is_none_or(|(bound, _)| value >= bound)
                && self.most.is_none_or(|(bound, _)| value <= bound)
        };
        let mut all = true;
        for direction in [1, -1] {
            let mut value = start;
            let mut tried = 0;
            loop {
                let beyond = match direction {
                    1 => self.most.is_some_and(|(bound, _)| value > bound),
                    _ => self.least.is_some_and(|(bound, _)| value < bound),
                };
                if beyond {
                    break;
                }
                if tried > TRIES {
                    all = false;
                    break;
                }
                if inside(value) {
                    found.push(value);
                }
                let Some(next) = value.checked_add(step * direction) else {
                    all = false;
                    break;
                };
                value = next;
                tried += 1;
            }
        }
        (found, all && self.step != 0)
    }
}

impl Solver<'_> {
    pub(crate) fn number(&mut self, facts: &Facts) -> Answer {
        self.numbers(facts).unwrap_or(Answer::Unknown)
    }

    fn numbers(&mut self, facts: &Facts) -> Option<Answer> {
        let literals: Vec<(Term, bool)> = facts
            .holds
            .iter()
            .map(|id| (*id, true))
            .chain(facts.fails.iter().map(|id| (*id, false)))
            .map(|(id, positive)| (self.terms.get(id).clone(), positive))
            .collect();
        let mut exponent = 0;
        let mut excluded = Vec::new();
        for (term, positive) in &literals {
            match term {
                Term::Least(bound, _) | Term::Most(bound, _) | Term::Multiple(bound) => {
                    exponent = exponent.min(bound.exponent);
                }
                Term::Values(values) if !positive => {
                    let constants = values.iter().filter_map(|id| self.terms.constants.get(*id as usize));
                    let numbers = constants.filter(|value| Sort::of(value) == Sort::Number);
                    excluded.extend(numbers.map(Dec::of).collect::<Option<Vec<Dec>>>()?);
                }
                _ => {}
            }
        }
        for value in &excluded {
            exponent = exponent.min(value.exponent);
        }
        let whole = literals.iter().any(|(term, positive)| *term == Term::Whole && *positive);
        let lattice =
            whole || literals.iter().any(|(term, positive)| matches!(term, Term::Multiple(_)) && *positive);
        if !lattice {
            // Room between any two numbers that are written.
            exponent -= 3;
        }
        let one = Dec::ONE.at(exponent)?;
        let (mut not, mut not_of) = (Vec::new(), Vec::new());
        for value in excluded {
            not.push(value.at(exponent)?);
        }
        let mut line =
            Line { least: None, most: None, step: 0, not_of: Vec::new(), not: Vec::new(), exponent };
        for (term, positive) in &literals {
            match (term, positive) {
                (Term::Least(bound, open), true) => line.raise(bound.at(exponent)?, *open),
                (Term::Most(bound, open), true) => line.lower(bound.at(exponent)?, *open),
                (Term::Least(bound, open), false) => line.lower(bound.at(exponent)?, !*open),
                (Term::Most(bound, open), false) => line.raise(bound.at(exponent)?, !*open),
                (Term::Whole | Term::Multiple(_), _) => {
                    let step = match term {
                        Term::Multiple(step) => step.at(exponent)?,
                        _ => one,
                    };
                    if !positive {
                        not_of.push(step);
                    } else if line.step == 0 {
                        line.step = step;
                    } else {
                        line.step = (line.step / gcd(line.step, step)).checked_mul(step)?;
                    }
                }
                _ => {}
            }
        }
        if line.step != 0 && not_of.iter().any(|step| line.step % step == 0) {
            return Some(Answer::Empty);
        }
        if let (Some((least, open)), Some((most, other))) = (line.least, line.most)
            && (least > most || (least == most && (open || other)))
        {
            return Some(Answer::Empty);
        }
        let point = line.least.map(|it| it.0).filter(|least| line.most.map(|it| it.0) == Some(*least));
        (line.not_of, line.not) = (not_of, not);
        let (candidates, all) = line.candidates();
        let mut unsure = None;
        for candidate in candidates {
            if !line.holds(candidate) {
                continue;
            }
            let value: Constant = Dec::new(candidate, exponent).constant();
            match self.judge(facts, &value) {
                Some(true) => return Some(Answer::Found(value)),
                Some(false) => {}
                None => unsure = unsure.or(Some(value)),
            }
        }
        Some(match unsure {
            Some(value) => Answer::Found(value),
            None if all || point.is_some() => Answer::Empty,
            None => Answer::Unknown,
        })
    }
}
