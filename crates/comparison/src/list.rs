//! Lists: what stands where, how much of it, and which element breaks a rule.

use contract::{Constant, Unit};

use crate::solve::{Answer, Facts, Solver};
use crate::term::{Term, TermId};

/// Up to so many elements every choice of elements is tried.
const FEW: usize = 8;
/// Longer lists are not made.
const LONGEST: usize = 4000;

#[derive(Clone, Default)]
struct ListFacts {
    items: Vec<(Vec<TermId>, TermId)>,
    not_items: Vec<(Vec<TermId>, TermId)>,
    least: usize,
    most: Option<usize>,
    not_lengths: Vec<(usize, Option<usize>)>,
    unique: bool,
    not_unique: bool,
    /// Counts of elements, each with bounds of which both hold.
    counts: Vec<(TermId, usize, Option<usize>)>,
    not_counts: Vec<(TermId, usize, Option<usize>)>,
    /// Lists that it must not be.
    not: Vec<Vec<Constant>>,
}

/// What holds and fails of each element.
type Elements = Vec<(Vec<TermId>, Vec<TermId>)>;

fn at(items: &(Vec<TermId>, TermId), position: usize) -> TermId {
    items.0.get(position).copied().unwrap_or(items.1)
}

impl Solver<'_> {
    pub(crate) fn list(&mut self, facts: &Facts) -> Answer {
        let mut list = ListFacts::default();
        let all = facts.holds.iter().map(|id| (*id, true)).chain(facts.fails.iter().map(|id| (*id, false)));
        for (id, positive) in all {
            match (self.terms.get(id).clone(), positive) {
                (Term::Items(first, rest), true) => list.items.push((first, rest)),
                (Term::Items(first, rest), false) => list.not_items.push((first, rest)),
                (Term::Length(Unit::Items, least, most), true) => {
                    list.least = list.least.max(least);
                    list.most = match (list.most, most) {
                        (Some(a), Some(b)) => Some(a.min(b)),
                        (a, b) => a.or(b),
                    };
                }
                (Term::Length(Unit::Items, least, most), false) => list.not_lengths.push((least, most)),
                (Term::Values(values), false) => {
                    let constants = values.iter().filter_map(|id| self.terms.constants.get(*id as usize));
                    list.not.extend(constants.filter_map(|value| match value {
                        Constant::List(items) => Some(items.clone()),
                        _ => None,
                    }));
                }
                (Term::Unique, true) => list.unique = true,
                (Term::Unique, false) => list.not_unique = true,
                (Term::Contains(term, least, most), true) => list.counts.push((term, least, most)),
                (Term::Contains(term, least, most), false) => list.not_counts.push((term, least, most)),
                _ => {}
            }
        }
        // Positions that only the failing side declares are left out with the names that only it declares.
        if self.no_new_names {
            let any = self.terms.any();
            let open = list.items.iter().all(|(_, rest)| *rest == any);
            let longest =
                |items: &[(Vec<TermId>, TermId)]| items.iter().map(|it| it.0.len()).max().unwrap_or(0);
            let (known, declared) = (longest(&list.items), longest(&list.not_items));
            if open && known > 0 && declared > known {
                list.most = Some(list.most.map_or(known, |most| most.min(known)));
            }
        }
        self.list_cases(facts, list)
    }

    /// Takes apart what is not within bounds: it is below or above.
    fn list_cases(&mut self, facts: &Facts, mut list: ListFacts) -> Answer {
        let mut cases = Vec::new();
        if let Some((least, most)) = list.not_lengths.pop() {
            if let Some(below) = least.checked_sub(1) {
                let most = list.most.map_or(below, |most| most.min(below));
                cases.push(ListFacts { most: Some(most), ..list.clone() });
            }
            if let Some(most) = most {
                cases.push(ListFacts { least: list.least.max(most + 1), ..list.clone() });
            }
        } else if let Some((term, least, most)) = list.not_counts.pop() {
            if let Some(below) = least.checked_sub(1) {
                let mut case = list.clone();
                case.counts.push((term, 0, Some(below)));
                cases.push(case);
            }
            if let Some(most) = most {
                let mut case = list.clone();
                case.counts.push((term, most + 1, None));
                cases.push(case);
            }
        } else {
            return self.search_list(facts, &list);
        }
        let mut answer = Answer::Empty;
        for case in cases {
            match self.list_cases(facts, case) {
                Answer::Empty => {}
                Answer::Unknown => answer = Answer::Unknown,
                found => return found,
            }
        }
        answer
    }

    fn search_list(&mut self, facts: &Facts, list: &ListFacts) -> Answer {
        let named = list.items.iter().chain(&list.not_items).map(|(first, _)| first.len()).max().unwrap_or(0);
        let wanted: usize = list.counts.iter().map(|(_, least, _)| *least).fold(0, usize::saturating_add);
        let needed =
            named + list.not_items.len() + wanted.min(LONGEST) + usize::from(list.not_unique) * 2 + 1;
        let last = list.least.max(needed).min(list.most.unwrap_or(usize::MAX));
        if list.least > last {
            return Answer::Empty;
        }
        if list.least > LONGEST || wanted > LONGEST {
            return Answer::Unknown;
        }
        let mut answer = Answer::Empty;
        for length in list.least..=last.min(LONGEST) {
            if !self.spend(1) {
                return Answer::Unknown;
            }
            let base: Elements = (0..length)
                .map(|position| (list.items.iter().map(|items| at(items, position)).collect(), Vec::new()))
                .collect();
            // A position that nothing fits bounds all longer lists, too.
            if let Some((holds, _)) = base.last()
                && self.solve(holds.clone(), Vec::new()) == Answer::Empty
            {
                break;
            }
            // A list is another one if some element is.
            let mut broken = list.not_items.clone();
            let any = self.terms.any();
            let alike: Vec<Vec<Constant>> =
                list.not.iter().filter(|it| it.len() == length).cloned().collect();
            if length == 0 && !alike.is_empty() {
                continue;
            }
            for constant in alike {
                let items =
                    constant.iter().map(|item| self.terms.values(std::slice::from_ref(item))).collect();
                broken.push((items, any));
            }
            match self.break_items(facts, list, base, &broken) {
                Answer::Empty => {}
                Answer::Unknown => answer = Answer::Unknown,
                found => return found,
            }
        }
        answer
    }

    /// Chooses for each rule about elements that does not hold the element that breaks it.
    fn break_items(
        &mut self,
        facts: &Facts,
        list: &ListFacts,
        elements: Elements,
        broken: &[(Vec<TermId>, TermId)],
    ) -> Answer {
        let Some((first, rest)) = broken.split_first() else {
            return self.count_items(facts, list, elements, &list.counts);
        };
        let mut answer = Answer::Empty;
        // Beyond what is named by position, all positions are alike.
        let named = list.items.iter().chain(&list.not_items).map(|(first, _)| first.len()).max().unwrap_or(0);
        let named = named.max(first.0.len());
        for position in 0..elements.len().min(named + list.not_items.len() + list.not.len() + 1) {
            if !self.spend(1) {
                return Answer::Unknown;
            }
            let mut next = elements.clone();
            let Some((holds, fails)) = next.get_mut(position) else { continue };
            fails.push(at(first, position));
            match self.solve(holds.clone(), fails.clone()) {
                Answer::Empty => continue,
                Answer::Unknown => {
                    answer = Answer::Unknown;
                    continue;
                }
                Answer::Found(_) => {}
            }
            match self.break_items(facts, list, next, rest) {
                Answer::Empty => {}
                Answer::Unknown => answer = Answer::Unknown,
                found => return found,
            }
        }
        answer
    }

    /// Chooses the elements that are counted.
    fn count_items(
        &mut self,
        facts: &Facts,
        list: &ListFacts,
        elements: Elements,
        counts: &[(TermId, usize, Option<usize>)],
    ) -> Answer {
        let Some(((term, least, most), rest)) = counts.split_first() else {
            return self.fill_list(facts, list, elements);
        };
        let length = elements.len();
        if *least > length {
            return Answer::Empty;
        }
        let mut answer = Answer::Empty;
        let few = length <= FEW;
        let choices: Vec<Vec<bool>> = if few {
            (0_u32..1 << length).map(|bits| (0..length).map(|at| bits & (1 << at) != 0).collect()).collect()
        } else {
            // The first or the last ones; others are not tried.
            let runs = |count: usize| {
                [
                    (0..length).map(|at| at < count).collect(),
                    (0..length).map(|at| at + count >= length).collect(),
                ]
            };
            let counts = [*least, most.unwrap_or(length).min(length)];
            counts.into_iter().flat_map(runs).collect()
        };
        let mut choices: Vec<(usize, Vec<bool>)> = choices
            .into_iter()
            .map(|choice| (choice.iter().filter(|it| **it).count(), choice))
            .filter(|(count, _)| count >= least && most.is_none_or(|most| *count <= most))
            .collect();
        choices.sort();
        for (_, choice) in choices {
            if !self.spend(1) {
                return Answer::Unknown;
            }
            let mut next = elements.clone();
            for ((holds, fails), is) in next.iter_mut().zip(&choice) {
                // How many more there are only matters if they are bounded.
                match (is, most) {
                    (true, _) => holds.push(*term),
                    (false, Some(_)) => fails.push(*term),
                    (false, None) => {}
                }
            }
            match self.count_items(facts, list, next, rest) {
                Answer::Empty => {}
                Answer::Unknown => answer = Answer::Unknown,
                found => return found,
            }
        }
        if !few && answer == Answer::Empty {
            return Answer::Unknown;
        }
        answer
    }

    fn fill_list(&mut self, facts: &Facts, list: &ListFacts, mut elements: Elements) -> Answer {
        if list.not_unique {
            return self.fill_equal(facts, list, elements);
        }
        let alike = elements.windows(2).all(|pair| pair.first() == pair.get(1));
        let mut values: Vec<Constant> = Vec::new();
        for (holds, fails) in &mut elements {
            let before = fails.len();
            if list.unique && !values.is_empty() {
                let others = self.terms.values(&values);
                fails.push(others);
            }
            if fails.len() == before {
                // What breaks nothing is as the broken rules want it, if it can be.
                let mut both = holds.clone();
                both.extend(list.not_items.iter().map(|items| at(items, values.len())));
                if list.counts.is_empty()
                    && fails.is_empty()
                    && let Answer::Found(value) = self.solve(both, Vec::new())
                {
                    values.push(value);
                    continue;
                }
            }
            match self.solve(holds.clone(), fails.clone()) {
                Answer::Found(value) => values.push(value),
                // Other values before it might have left it one.
                Answer::Empty if list.unique && fails.len() > before && !alike => {
                    fails.truncate(before);
                    return match self.solve(holds.clone(), fails.clone()) {
                        Answer::Empty => Answer::Empty,
                        _ => Answer::Unknown,
                    };
                }
                other => return other,
            }
        }
        let value = Constant::List(values);
        match self.judge(facts, &value) {
            Some(false) => Answer::Unknown,
            _ => Answer::Found(value),
        }
    }

    /// Two elements are equal.
    fn fill_equal(&mut self, facts: &Facts, list: &ListFacts, elements: Elements) -> Answer {
        let mut answer = Answer::Empty;
        let length = elements.len();
        for a in 0..length.min(FEW) {
            for b in a + 1..length.min(FEW) {
                let (Some(first), Some(second)) = (elements.get(a), elements.get(b)) else { continue };
                let holds = first.0.iter().chain(&second.0).copied().collect();
                let fails = first.1.iter().chain(&second.1).copied().collect();
                let value = match self.solve(holds, fails) {
                    Answer::Found(value) => value,
                    Answer::Empty => continue,
                    Answer::Unknown => {
                        answer = Answer::Unknown;
                        continue;
                    }
                };
                let only = self.terms.values(std::slice::from_ref(&value));
                let mut next = elements.clone();
                for at in [a, b] {
                    if let Some((holds, _)) = next.get_mut(at) {
                        holds.push(only);
                    }
                }
                let list = ListFacts { not_unique: false, ..list.clone() };
                match self.fill_list(facts, &list, next) {
                    Answer::Empty => {}
                    Answer::Unknown => answer = Answer::Unknown,
                    found => return found,
                }
            }
        }
        if length > FEW && answer == Answer::Empty { Answer::Unknown } else { answer }
    }
}
