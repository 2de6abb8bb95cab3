//! Is there a value for which these terms hold and those do not?
//!
//! A question is taken apart kind by kind: what is said is split until only what is said of one value at once is left, and the solver of
//! its kind looks for a value. A question that comes up within itself has no value on that way, because values are finite.

use std::collections::{HashMap, HashSet};

use contract::Constant;

use crate::eval::holds;
use crate::term::{Sort, Term, TermId, Terms};

/// What came out of a question.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Answer {
    Found(Constant),
    Empty,
    /// It would take too long, or only a checker could tell.
    Unknown,
}

/// How deep questions nest.
const DEEPEST: usize = 60;

/// What holds of a value, and what does not.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct Question {
    pub(crate) holds: Vec<TermId>,
    pub(crate) fails: Vec<TermId>,
}

/// What is known of a value of one kind: the atoms that hold and fail.
#[derive(Clone, Debug, Default)]
pub(crate) struct Facts {
    pub(crate) holds: Vec<TermId>,
    pub(crate) fails: Vec<TermId>,
}

type Literal = (TermId, bool);

#[derive(Clone, Default)]
struct Branch {
    facts: Facts,
    seen: HashSet<Literal>,
    splits: Vec<Vec<Vec<Literal>>>,
}

/// Answers questions about one set of terms.
pub(crate) struct Solver<'t> {
    pub(crate) terms: &'t mut Terms,
    /// How much more may be done.
    pub(crate) work: u64,
    /// Whether names that only the failing side declares are left out of open objects of the holding one.
    pub(crate) no_new_names: bool,
    memo: HashMap<(Question, bool), Answer>,
    stack: Vec<Question>,
    /// The lowest question on the stack that was met again.
    lowest: usize,
}

impl<'t> Solver<'t> {
    pub(crate) fn new(terms: &'t mut Terms, work: u64) -> Solver<'t> {
        Solver {
            terms,
            work,
            no_new_names: false,
            memo: HashMap::new(),
            stack: Vec::new(),
            lowest: usize::MAX,
        }
    }

    /// Whether there is work left for one more step.
    pub(crate) fn spend(&mut self, work: u64) -> bool {
        let enough = self.work >= work;
        self.work = self.work.saturating_sub(work);
        enough
    }

    pub(crate) fn solve(&mut self, mut holds: Vec<TermId>, mut fails: Vec<TermId>) -> Answer {
        let (any, never) = (self.terms.any(), self.terms.never());
        holds.retain(|term| *term != any);
        fails.retain(|term| *term != never);
        if holds.contains(&never) || fails.contains(&any) || holds.iter().any(|term| fails.contains(term)) {
            return Answer::Empty;
        }
        holds.sort_unstable();
        holds.dedup();
        fails.sort_unstable();
        fails.dedup();
        let question = Question { holds, fails };
        let key = (question, self.no_new_names);
        if let Some(known) = self.memo.get(&key) {
            return known.clone();
        }
        let question = key.0;
        if let Some(at) = self.stack.iter().position(|open| *open == question) {
            self.lowest = self.lowest.min(at);
            return Answer::Empty;
        }
        if self.stack.len() >= DEEPEST || !self.spend(1) {
            return Answer::Unknown;
        }
        let level = self.stack.len();
        let outer = std::mem::replace(&mut self.lowest, usize::MAX);
        self.stack.push(question.clone());
        let mut answer = Answer::Empty;
        for sort in Sort::ALL {
            let todo: Vec<Literal> = question
                .holds
                .iter()
                .map(|term| (*term, true))
                .chain(question.fails.iter().map(|term| (*term, false)))
                .collect();
            match self.expand(sort, todo, Branch::default()) {
                Answer::Empty => {}
                Answer::Unknown => answer = Answer::Unknown,
                Answer::Found(value) => {
                    answer = Answer::Found(value);
                    break;
                }
            }
        }
        self.stack.pop();
        let assumed = self.lowest < level;
        self.lowest = if assumed { self.lowest.min(outer) } else { outer };
        // What was found empty because an open question was met again may not be so elsewhere.
        if matches!(answer, Answer::Found(_)) || (answer == Answer::Empty && !assumed) {
            self.memo.insert((question, self.no_new_names), answer.clone());
        }
        answer
    }

    /// Whether two terms never hold together.
    fn apart(&mut self, a: TermId, b: TermId) -> bool {
        let mode = std::mem::replace(&mut self.no_new_names, false);
        let answer = self.solve(vec![a, b], Vec::new());
        self.no_new_names = mode;
        answer == Answer::Empty
    }

    fn expand(&mut self, sort: Sort, mut todo: Vec<Literal>, mut branch: Branch) -> Answer {
        if !self.spend(1) {
            return Answer::Unknown;
        }
        while let Some(literal) = todo.pop() {
            let (id, positive) = literal;
            if branch.seen.contains(&(id, !positive)) {
                return Answer::Empty;
            }
            if !branch.seen.insert(literal) {
                continue;
            }
            match (self.terms.get(id), positive) {
                (Term::Any, true) | (Term::Never, false) => {}
                (Term::Any, false) | (Term::Never, true) => return Answer::Empty,
                (Term::Sorts(bits), _) => {
                    if (bits & sort.bit() != 0) != positive {
                        return Answer::Empty;
                    }
                }
                (Term::Not(inner), _) => todo.push((*inner, !positive)),
                (Term::Ref(slot), _) => {
                    let target = self.terms.refs.get(*slot as usize).copied();
                    todo.extend(target.map(|target| (target, positive)));
                }
                (Term::And(parts), true) => todo.extend(parts.iter().map(|part| (*part, true))),
                (Term::Or(parts), false) => todo.extend(parts.iter().map(|part| (*part, false))),
                (Term::And(parts), false) => {
                    branch.splits.push(parts.iter().map(|part| vec![(*part, false)]).collect());
                }
                (Term::Or(parts), true) => {
                    branch.splits.push(parts.iter().map(|part| vec![(*part, true)]).collect());
                }
                (Term::One(parts), _) => {
                    let parts: Vec<TermId> =
                        parts.iter().copied().filter(|part| !self.is_closed(sort, (*part, true))).collect();
                    let Some(ways) = self.one_of(&parts, positive) else { return Answer::Unknown };
                    branch.splits.push(ways);
                }
                (term, _) => match (about(term), positive) {
                    (Some(other), true) if other != sort => {}
                    (Some(other), false) if other != sort => return Answer::Empty,
                    (_, true) => branch.facts.holds.push(id),
                    (_, false) => branch.facts.fails.push(id),
                },
            }
            if todo.is_empty() {
                match self.reduce(sort, &mut branch) {
                    None => return Answer::Empty,
                    Some(forced) => todo = forced,
                }
            }
        }
        if branch.splits.is_empty() {
            return self.of_sort(sort, &branch.facts);
        }
        // What contradicts itself already needs no split.
        if branch.splits.iter().map(Vec::len).product::<usize>() > 2
            && self.of_sort(sort, &branch.facts) == Answer::Empty
        {
            return Answer::Empty;
        }
        let smallest = (0..branch.splits.len()).min_by_key(|at| branch.splits.get(*at).map(Vec::len));
        let Some(split) = smallest.map(|at| branch.splits.remove(at)) else { return Answer::Unknown };
        let mut answer = Answer::Empty;
        for way in split {
            match self.expand(sort, way, branch.clone()) {
                Answer::Empty => {}
                Answer::Unknown => answer = Answer::Unknown,
                found => return found,
            }
        }
        answer
    }

    /// Drops the ways that are closed and the splits that are decided; what must hold, or none if nothing can.
    fn reduce(&mut self, sort: Sort, branch: &mut Branch) -> Option<Vec<Literal>> {
        let mut forced = Vec::new();
        let splits = std::mem::take(&mut branch.splits);
        for split in splits {
            if split.iter().any(|way| way.iter().all(|literal| branch.seen.contains(literal))) {
                continue;
            }
            let open: Vec<Vec<Literal>> = split
                .into_iter()
                .filter(|way| {
                    !way.iter().any(|literal| {
                        branch.seen.contains(&(literal.0, !literal.1)) || self.is_closed(sort, *literal)
                    })
                })
                .collect();
            if open.iter().any(|way| way.iter().all(|literal| self.is_settled(sort, *literal))) {
                continue;
            }
            match open.as_slice() {
                [] => return None,
                [only] => forced.extend(only.iter().copied()),
                _ => branch.splits.push(open),
            }
        }
        Some(forced)
    }

    /// Whether a term obviously cannot be so for a kind.
    fn is_closed(&self, sort: Sort, (id, positive): Literal) -> bool {
        match self.terms.get(id) {
            Term::Any => !positive,
            Term::Never => positive,
            Term::Sorts(bits) => (bits & sort.bit() != 0) != positive,
            Term::And(parts) if positive => parts.iter().any(|part| self.is_closed(sort, (*part, true))),
            Term::Or(parts) if positive => parts.iter().all(|part| self.is_closed(sort, (*part, true))),
            Term::Values(values) if positive => !values
                .iter()
                .filter_map(|id| self.terms.constants.get(*id as usize))
                .any(|value| Sort::of(value) == sort),
            Term::Not(inner) => self.is_closed(sort, (*inner, !positive)),
            term => !positive && about(term).is_some_and(|other| other != sort),
        }
    }

    /// Whether a term obviously is so for a kind.
    fn is_settled(&self, sort: Sort, (id, positive): Literal) -> bool {
        match self.terms.get(id) {
            Term::Any => positive,
            Term::Never => !positive,
            Term::Sorts(bits) => (bits & sort.bit() != 0) == positive,
            Term::Not(inner) => self.is_settled(sort, (*inner, !positive)),
            term => positive && about(term).is_some_and(|other| other != sort),
        }
    }

    /// The ways in which exactly one of several holds, or not exactly one.
    fn one_of(&mut self, parts: &[TermId], positive: bool) -> Option<Vec<Vec<Literal>>> {
        /// More alternatives are told apart by nobody.
        const MOST: usize = 64;
        if parts.len() > MOST {
            return None;
        }
        let mut ways = Vec::new();
        let mut together = Vec::new();
        for (at, a) in parts.iter().enumerate() {
            for b in parts.iter().skip(at + 1) {
                if !self.apart(*a, *b) {
                    together.push((*a, *b));
                }
            }
        }
        if positive {
            for a in parts {
                let mut way = vec![(*a, true)];
                for (x, y) in &together {
                    if x == a {
                        way.push((*y, false));
                    } else if y == a {
                        way.push((*x, false));
                    }
                }
                ways.push(way);
            }
        } else {
            ways.push(parts.iter().map(|part| (*part, false)).collect());
            ways.extend(together.into_iter().map(|(a, b)| vec![(a, true), (b, true)]));
        }
        Some(ways)
    }

    fn of_sort(&mut self, sort: Sort, facts: &Facts) -> Answer {
        // Few values are tried one by one.
        let values = facts.holds.iter().find_map(|id| match self.terms.get(*id) {
            Term::Values(values) => Some(values.clone()),
            _ => None,
        });
        let candidates: Option<Vec<Constant>> = match (sort, values) {
            (_, Some(values)) => Some(
                values
                    .iter()
                    .filter_map(|id| self.terms.constants.get(*id as usize))
                    .filter(|value| Sort::of(value) == sort)
                    .cloned()
                    .collect(),
            ),
            (Sort::Null, None) => Some(vec![Constant::Null]),
            (Sort::Bool, None) => Some(vec![Constant::Bool(true), Constant::Bool(false)]),
            _ => None,
        };
        if let Some(candidates) = candidates {
            let mut unsure = None;
            for value in candidates {
                match self.judge(facts, &value) {
                    Some(true) => return Answer::Found(value),
                    Some(false) => {}
                    None => unsure = unsure.or(Some(value)),
                }
            }
            // A checker will tell whether that is one.
            return unsure.map_or(Answer::Empty, Answer::Found);
        }
        match sort {
            Sort::Number => self.number(facts),
            Sort::Text => self.text(facts),
            Sort::List => self.list(facts),
            Sort::Object => self.object(facts),
            Sort::Null | Sort::Bool => Answer::Unknown,
        }
    }

    /// Whether a value is as the facts say; none if only a checker can tell.
    pub(crate) fn judge(&self, facts: &Facts, value: &Constant) -> Option<bool> {
        let mut unsure = false;
        let all = facts.holds.iter().map(|id| (*id, true)).chain(facts.fails.iter().map(|id| (*id, false)));
        for (id, wanted) in all {
            match holds(self.terms, id, value) {
                Some(is) if is != wanted => return Some(false),
                Some(_) => {}
                None => unsure = true,
            }
        }
        (!unsure).then_some(true)
    }
}

/// The kind that an atom is about; none if it is about all.
pub(crate) fn about(term: &Term) -> Option<Sort> {
    Some(match term {
        Term::Whole | Term::Least(..) | Term::Most(..) | Term::Multiple(_) => Sort::Number,
        Term::Pattern(_) | Term::Literal(..) | Term::Written(_) => Sort::Text,
        Term::Format(format) => match format.applies_to().contains(contract::ValueKind::Text) {
            true => Sort::Text,
            false => Sort::Number,
        },
        Term::Length(unit, ..) => match unit {
            contract::Unit::Items => Sort::List,
            contract::Unit::Properties => Sort::Object,
            contract::Unit::Bytes | contract::Unit::Scalars | contract::Unit::Utf16 => Sort::Text,
        },
        Term::Items(..) | Term::Unique | Term::Contains(..) => Sort::List,
        Term::Members(_) | Term::Names(_) | Term::Has(..) => Sort::Object,
        _ => return None,
    })
}
