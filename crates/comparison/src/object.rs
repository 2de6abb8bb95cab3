//! Objects: which members there must be, which there may be, and which one breaks a rule.

use std::collections::BTreeMap;

use contract::{Constant, Unit};

use crate::eval::holds;
use crate::solve::{Answer, Facts, Solver};
use crate::term::{MemberTerms, Sort, Term, TermId, same_name};

/// How many members are invented to fill an object.
const MOST_INVENTED: usize = 40;
/// How many patterns on names are told apart.
const MOST_PATTERNS: usize = 6;

/// So many constants that an object must not be are taken apart.
const MOST_EXCLUDED: usize = 6;

/// What is said of one object.
#[derive(Clone, Default)]
struct ObjectFacts {
    all: Vec<MemberTerms>,
    not_all: Vec<(TermId, MemberTerms)>,
    has: Vec<(Box<str>, bool)>,
    has_not: Vec<(Box<str>, bool)>,
    names: Vec<TermId>,
    not_names: Vec<TermId>,
    least: usize,
    most: Option<usize>,
    not_lengths: Vec<(usize, Option<usize>)>,
    not_values: bool,
}

/// What has been decided of an object: the members it has, each with what holds and what does not.
type Members = BTreeMap<String, (Vec<TermId>, Vec<TermId>)>;

struct Search<'f> {
    facts: &'f Facts,
    object: ObjectFacts,
    /// The names that anything declares, and names that stand for all others.
    names: Vec<String>,
    fold: bool,
    /// Whether these are all names that can matter.
    complete: bool,
}

impl Solver<'_> {
    pub(crate) fn object(&mut self, facts: &Facts) -> Answer {
        let mut object = ObjectFacts::default();
        let mut excluded: Vec<Vec<(Constant, Constant)>> = Vec::new();
        for id in &facts.holds {
            match self.terms.get(*id).clone() {
                Term::Members(members) => object.all.push(members),
                Term::Has(name, fold) => object.has.push((name, fold)),
                Term::Names(term) => object.names.push(term),
                Term::Length(Unit::Properties, least, most) => {
                    object.least = object.least.max(least);
                    object.most = match (object.most, most) {
                        (Some(a), Some(b)) => Some(a.min(b)),
                        (a, b) => a.or(b),
                    };
                }
                _ => {}
            }
        }
        for id in &facts.fails {
            match self.terms.get(*id).clone() {
                Term::Members(members) => object.not_all.push((*id, members)),
                Term::Has(name, fold) => object.has_not.push((name, fold)),
                Term::Names(term) => object.not_names.push(term),
                Term::Length(Unit::Properties, least, most) => object.not_lengths.push((least, most)),
                Term::Values(values) => {
                    let constants = values.iter().filter_map(|id| self.terms.constants.get(*id as usize));
                    constants.for_each(|value| {
                        if let Constant::Object(members) = value {
                            excluded.push(members.clone());
                        }
                    });
                }
                _ => {}
            }
        }
        // More are looked at only once there is a value.
        object.not_values = excluded.len() > MOST_EXCLUDED;
        excluded.truncate(if object.not_values { 0 } else { MOST_EXCLUDED });
        self.without(facts, object, &excluded)
    }

    /// An object is another one than a constant if some member of that is absent, or if some member is no such member.
    fn without(
        &mut self,
        facts: &Facts,
        object: ObjectFacts,
        excluded: &[Vec<(Constant, Constant)>],
    ) -> Answer {
        let Some((first, rest)) = excluded.split_first() else {
            let lengths = object.not_lengths.clone();
            return self.with_lengths(facts, object, &lengths);
        };
        let never = self.terms.never();
        let mut names: Vec<(Box<str>, TermId)> = Vec::new();
        for (key, value) in first {
            let term = self.terms.values(std::slice::from_ref(value));
            names.push((crate::eval::key_text(key).into(), term));
        }
        names.sort();
        let mut cases = Vec::new();
        for (name, _) in &names {
            let mut case = object.clone();
            case.has_not.push((name.clone(), false));
            cases.push(case);
        }
        let members = MemberTerms { names, patterns: Vec::new(), rest: never, fold: false };
        let id = self.terms.add(Term::Members(members.clone()));
        let mut case = object;
        case.not_all.push((id, members));
        cases.push(case);
        let mut answer = Answer::Empty;
        for case in cases {
            if !self.spend(1) {
                return Answer::Unknown;
            }
            match self.without(facts, case, rest) {
                Answer::Empty => {}
                Answer::Unknown => answer = Answer::Unknown,
                found => return found,
            }
        }
        answer
    }

    fn with_lengths(
        &mut self,
        facts: &Facts,
        object: ObjectFacts,
        lengths: &[(usize, Option<usize>)],
    ) -> Answer {
        let Some(((least, most), rest)) = lengths.split_first() else {
            return self.search_object(facts, object);
        };
        let mut answer = Answer::Empty;
        let below = least.checked_sub(1).map(|below| {
            let most = object.most.map_or(below, |most| most.min(below));
            ObjectFacts { most: Some(most), ..object.clone() }
        });
        let above = most.map(|most| ObjectFacts { least: object.least.max(most + 1), ..object.clone() });
        for object in below.into_iter().chain(above) {
            match self.with_lengths(facts, object, rest) {
                Answer::Empty => {}
                Answer::Unknown => answer = Answer::Unknown,
                found => return found,
            }
        }
        answer
    }

    fn search_object(&mut self, facts: &Facts, object: ObjectFacts) -> Answer {
        if object.most.is_some_and(|most| object.least > most || object.has.len().min(1) > most) {
            return Answer::Empty;
        }
        let fold = object.all.iter().all(|it| it.fold)
            && object.not_all.iter().all(|(_, it)| it.fold)
            && object.has.iter().chain(&object.has_not).all(|(_, fold)| *fold)
            && (!object.all.is_empty() || !object.not_all.is_empty());
        let mut search = Search { facts, object, names: Vec::new(), fold, complete: true };
        self.name_candidates(&mut search);
        let first = self.with_required(&search, false);
        // Where one side ignores case and the other does not, what must be there may be spelled in another way.
        let folded = !fold && search.object.has.iter().any(|(_, fold)| *fold);
        match first {
            Answer::Found(value) => Answer::Found(value),
            first if folded => match self.with_required(&search, true) {
                Answer::Empty => first,
                found => found,
            },
            first => first,
        }
    }

    /// Begins with what must be there.
    fn with_required(&mut self, search: &Search<'_>, respelled: bool) -> Answer {
        let mut unsure = !search.complete;
        let mut members = Members::new();
        for (name, fold) in search.object.has.clone() {
            let name: Box<str> = if respelled && fold { swapped(&name).into() } else { name };
            if search.is_forbidden(&name) {
                return Answer::Empty;
            }
            match self.may_be_named(search, &name) {
                Some(false) => return Answer::Empty,
                Some(true) => {}
                None => unsure = true,
            }
            let spelled = search.known_as(&members, &name).unwrap_or(name.to_string());
            let terms = self.of_name(search, &spelled);
            members.entry(spelled).or_insert((terms, Vec::new()));
        }
        let broken: Vec<usize> = (0..search.object.not_all.len()).collect();
        let not_names = search.object.not_names.clone();
        match self.break_members(search, members, &broken, &not_names) {
            Answer::Empty if unsure => Answer::Unknown,
            answer => answer,
        }
    }

    /// What holds of a member of a name.
    fn of_name(&mut self, search: &Search<'_>, name: &str) -> Vec<TermId> {
        search.object.all.iter().flat_map(|members| self.terms.of_member(members, name)).collect()
    }

    /// Whether a member may have a name.
    fn may_be_named(&self, search: &Search<'_>, name: &str) -> Option<bool> {
        let text = Constant::text(name);
        let mut unsure = false;
        for term in &search.object.names {
            match holds(self.terms, *term, &text) {
                Some(false) => return Some(false),
                Some(true) => {}
                None => unsure = true,
            }
        }
        if self.no_new_names && search.is_new(name) {
            return Some(false);
        }
        (!unsure).then_some(true)
    }

    /// Collects the names that can make a difference.
    fn name_candidates(&mut self, search: &mut Search<'_>) {
        let mut names: Vec<String> = Vec::new();
        let mut add = |name: &str, fold: bool| {
            if !names.iter().any(|known| same_name(known, name, fold)) {
                names.push(name.to_owned());
            }
        };
        let fold = search.fold;
        let object = &search.object;
        let has = object.has.iter().chain(&object.has_not).map(|(name, _)| name);
        let declared = object.not_all.iter().map(|(_, it)| it).chain(&object.all);
        declared.clone().flat_map(|it| &it.names).for_each(|(name, _)| add(name, fold));
        has.for_each(|name| add(name, fold));
        // One side ignores case, the other does not: another spelling is another name.
        let folds = declared.clone().any(|it| it.fold);
        if folds && !fold {
            for name in names.clone() {
                let other: String =
                    name.chars()
                        .map(|c| {
                            if c.is_ascii_lowercase() {
                                c.to_ascii_uppercase()
                            } else {
                                c.to_ascii_lowercase()
                            }
                        })
                        .collect();
                if !names.contains(&other) {
                    names.push(other);
                }
            }
        }
        let mut patterns: Vec<u32> = declared.flat_map(|it| &it.patterns).map(|(id, _)| *id).collect();
        patterns.sort_unstable();
        patterns.dedup();
        if patterns.len() > MOST_PATTERNS {
            patterns.truncate(MOST_PATTERNS);
            search.complete = false;
        }
        search.names = names;
        // Names that nobody declares, for each way in which patterns match them.
        for way in 0..1_u32 << patterns.len() {
            let matches = |at: usize| way & (1 << at) != 0;
            let all = patterns.iter().enumerate();
            let holds: Vec<u32> = all.clone().filter(|(at, _)| matches(*at)).map(|(_, id)| *id).collect();
            let fails: Vec<u32> = all.filter(|(at, _)| !matches(*at)).map(|(_, id)| *id).collect();
            for not_names in [false, true] {
                if not_names && search.object.not_names.is_empty() {
                    continue;
                }
                match self.fresh(search, &holds, &fails, not_names) {
                    Ok(Some(name)) => search.names.push(name),
                    Ok(None) => {}
                    Err(()) => search.complete = false,
                }
            }
        }
    }

    /// A name that nobody knows yet.
    fn fresh(
        &mut self,
        search: &Search<'_>,
        matches: &[u32],
        fails: &[u32],
        broken: bool,
    ) -> Result<Option<String>, ()> {
        let known: Vec<Constant> = search.names.iter().map(|name| Constant::text(name)).collect();
        let text = self.terms.sort(Sort::Text);
        let mut wanted = vec![text];
        wanted.extend(search.object.names.iter().copied());
        for id in matches {
            wanted.push(self.terms.add(Term::Pattern(*id)));
        }
        let mut unwanted = vec![self.terms.values(&known)];
        for id in fails {
            unwanted.push(self.terms.add(Term::Pattern(*id)));
        }
        if broken {
            let names = search.object.not_names.clone();
            let all = self.terms.and(names);
            unwanted.push(all);
        }
        let facts = Facts { holds: wanted.clone(), fails: unwanted.clone() };
        for liked in ["other", "other2", "other3", "x"] {
            if self.judge(&facts, &Constant::text(liked)) == Some(true)
                && !(search.fold && search.names.iter().any(|name| name.eq_ignore_ascii_case(liked)))
            {
                return Ok(Some(liked.to_owned()));
            }
        }
        for _ in 0..8 {
            match self.solve(wanted.clone(), unwanted.clone()) {
                Answer::Found(Constant::Text(name)) => {
                    if !search.fold || !search.names.iter().any(|known| known.eq_ignore_ascii_case(&name)) {
                        return Ok(Some(name.to_string()));
                    }
                    unwanted.push(self.terms.values(&[Constant::Text(name)]));
                }
                Answer::Empty => return Ok(None),
                _ => return Err(()),
            }
        }
        Err(())
    }

    /// Chooses for each rule about members that does not hold the member that breaks it.
    fn break_members(
        &mut self,
        search: &Search<'_>,
        members: Members,
        broken: &[usize],
        not_names: &[TermId],
    ) -> Answer {
        if !self.spend(1) {
            return Answer::Unknown;
        }
        if let Some((first, rest)) = not_names.split_first() {
            let mut answer = if search.complete { Answer::Empty } else { Answer::Unknown };
            for name in &search.names {
                if search.is_forbidden(name)
                    || holds(self.terms, *first, &Constant::text(name)) != Some(false)
                {
                    continue;
                }
                let Some(next) = self.with_member(search, &members, name, None) else { continue };
                match self.break_members(search, next, broken, rest) {
                    Answer::Empty => {}
                    Answer::Unknown => answer = Answer::Unknown,
                    found => return found,
                }
            }
            return answer;
        }
        let Some((first, rest)) = broken.split_first() else { return self.complete_object(search, members) };
        let Some((_, terms)) = search.object.not_all.get(*first).cloned() else { return Answer::Unknown };
        let mut answer = if search.complete { Answer::Empty } else { Answer::Unknown };
        let any = self.terms.any();
        for name in &search.names {
            if search.is_forbidden(name) || self.may_be_named(search, name) == Some(false) {
                continue;
            }
            let wanted = self.terms.of_member(&terms, name);
            let wanted = self.terms.and(wanted);
            if wanted == any {
                continue;
            }
            let own = self.of_name(search, name);
            if own.contains(&wanted) {
                continue;
            }
            let Some(next) = self.with_member(search, &members, name, Some(wanted)) else { continue };
            // What cannot be is not gone into.
            let spelled = search.known_as(&next, name).unwrap_or_else(|| name.clone());
            if let Some((holds, fails)) = next.get(&spelled).cloned() {
                match self.solve(holds, fails) {
                    Answer::Empty => continue,
                    Answer::Unknown => {
                        answer = Answer::Unknown;
                        continue;
                    }
                    Answer::Found(_) => {}
                }
            }
            match self.break_members(search, next, rest, &[]) {
                Answer::Empty => {}
                Answer::Unknown => answer = Answer::Unknown,
                found => return found,
            }
        }
        answer
    }

    /// The members with one more; none if it may not be there.
    fn with_member(
        &mut self,
        search: &Search<'_>,
        members: &Members,
        name: &str,
        fails: Option<TermId>,
    ) -> Option<Members> {
        if self.may_be_named(search, name) == Some(false) {
            return None;
        }
        // Who ignores case refuses a name that is there twice.
        let folds = search.object.all.iter().any(|it| it.fold);
        if folds && members.keys().any(|known| known != name && known.eq_ignore_ascii_case(name)) {
            return None;
        }
        let mut next = members.clone();
        let spelled = search.known_as(&next, name).unwrap_or_else(|| name.to_owned());
        let terms = self.of_name(search, &spelled);
        let entry = next.entry(spelled).or_insert((terms, Vec::new()));
        entry.1.extend(fails);
        Some(next)
    }

    /// Fills in values, and as many members as there must be.
    fn complete_object(&mut self, search: &Search<'_>, mut members: Members) -> Answer {
        let object = &search.object;
        if object.most.is_some_and(|most| members.len() > most) {
            return Answer::Empty;
        }
        let mut values: Vec<(Constant, Constant)> = Vec::new();
        for (name, (holds, fails)) in &members {
            match self.member_value(search, name, holds, fails) {
                Answer::Found(value) => values.push((Constant::text(name), value)),
                other => return other,
            }
        }
        let mut known = search.names.iter();
        let mut invented: Vec<String> = Vec::new();
        let mut more = object.least.saturating_sub(values.len());
        if object.least > 2000 {
            return Answer::Unknown;
        }
        let mut excluded = object.not_values && self.is_excluded(search.facts, &values);
        let mut unsure = false;
        while more > 0 || excluded {
            let name = match known.next() {
                Some(name) => name.clone(),
                None if invented.len() < MOST_INVENTED.max(object.least) => {
                    match self.invented(search, &mut invented) {
                        Ok(Some(name)) => name,
                        Ok(None) => {
                            return if unsure { Answer::Unknown } else { self.refused(search, excluded) };
                        }
                        Err(()) => return Answer::Unknown,
                    }
                }
                None => return Answer::Unknown,
            };
            if search.known_as(&members, &name).is_some()
                || search.is_forbidden(&name)
                || self.may_be_named(search, &name) != Some(true)
                || object.most.is_some_and(|most| values.len() >= most)
            {
                if object.most.is_some_and(|most| values.len() >= most) {
                    return if excluded { Answer::Unknown } else { Answer::Empty };
                }
                continue;
            }
            let holds = self.of_name(search, &name);
            match self.member_value(search, &name, &holds, &[]) {
                Answer::Found(value) => {
                    values.push((Constant::text(&name), value));
                    members.insert(name, (holds, Vec::new()));
                    more = more.saturating_sub(1);
                    excluded = object.not_values && self.is_excluded(search.facts, &values);
                }
                Answer::Empty => {}
                Answer::Unknown => unsure = true,
            }
        }
        Answer::Found(Constant::Object(values))
    }

    fn refused(&self, search: &Search<'_>, excluded: bool) -> Answer {
        if excluded || !search.complete { Answer::Unknown } else { Answer::Empty }
    }

    /// Another name of any of the kinds that were found to be allowed.
    fn invented(&mut self, search: &Search<'_>, invented: &mut Vec<String>) -> Result<Option<String>, ()> {
        let patterns = search.object.all.iter().chain(search.object.not_all.iter().map(|(_, it)| it));
        let mut ids: Vec<u32> = patterns.flat_map(|it| &it.patterns).map(|(id, _)| *id).collect();
        ids.sort_unstable();
        ids.dedup();
        let mut names = search.names.clone();
        names.extend(invented.iter().cloned());
        let wider = Search { facts: search.facts, object: search.object.clone(), names, ..*search };
        for way in 0..1_u32 << ids.len().min(MOST_PATTERNS) {
            let matches = |at: usize| way & (1 << at) != 0;
            let all = ids.iter().enumerate();
            let wanted: Vec<u32> = all.clone().filter(|(at, _)| matches(*at)).map(|(_, id)| *id).collect();
            let unwanted: Vec<u32> = all.filter(|(at, _)| !matches(*at)).map(|(_, id)| *id).collect();
            if let Some(name) = self.fresh(&wider, &wanted, &unwanted, false)? {
                let holds = self.of_name(search, &name);
                if self.solve(holds, Vec::new()) != Answer::Empty {
                    invented.push(name.clone());
                    return Ok(Some(name));
                }
            }
        }
        Ok(None)
    }

    /// Whether an object is one of the constants that it must not be.
    fn is_excluded(&self, facts: &Facts, values: &[(Constant, Constant)]) -> bool {
        let value = Constant::Object(values.to_vec());
        facts
            .fails
            .iter()
            .filter(|id| matches!(self.terms.get(**id), Term::Values(_)))
            .any(|id| holds(self.terms, *id, &value) == Some(true))
    }

    /// A value of a member, one that the broken rules accept where they do not speak of it, if there is one.
    fn member_value(
        &mut self,
        search: &Search<'_>,
        name: &str,
        holds: &[TermId],
        fails: &[TermId],
    ) -> Answer {
        if fails.is_empty() {
            let mut both = holds.to_vec();
            for (_, members) in &search.object.not_all {
                both.extend(self.terms.of_member(members, name));
            }
            if both.len() > holds.len()
                && let Answer::Found(value) = self.solve(both, Vec::new())
            {
                return Answer::Found(value);
            }
        }
        self.solve(holds.to_vec(), fails.to_vec())
    }
}

/// A name in the other case.
fn swapped(name: &str) -> String {
    let other =
        |c: char| if c.is_ascii_lowercase() { c.to_ascii_uppercase() } else { c.to_ascii_lowercase() };
    name.chars().map(other).collect()
}

impl Search<'_> {
    fn is_forbidden(&self, name: &str) -> bool {
        self.object.has_not.iter().any(|(known, fold)| same_name(known, name, *fold))
    }

    /// The spelling under which a member is there already.
    fn known_as(&self, members: &Members, name: &str) -> Option<String> {
        members.keys().find(|known| same_name(known, name, self.fold)).cloned()
    }

    /// Whether only the failing side declares a name, and the holding one leaves it open beside what it declares.
    fn is_new(&self, name: &str) -> bool {
        let declares = self.object.all.iter().any(|it| !it.names.is_empty());
        declares
            && !self.object.all.iter().any(|it| it.declared(name).is_some())
            && self.object.not_all.iter().any(|(_, it)| it.declared(name).is_some())
    }
}
