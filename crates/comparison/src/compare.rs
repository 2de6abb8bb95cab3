//! The comparison of two contracts at one boundary.

use contract::rules::Rule;
use contract::{Constant, Definitions, Shape};

use crate::changes::{Change, Walker};
use crate::solve::{Answer, Solver};
use crate::term::Terms;

/// How much may be done for one comparison.
const WORK: u64 = 400_000;

/// One of the two contracts.
#[derive(Clone, Copy)]
pub struct Side<'s> {
    /// What it says of values.
    pub shape: &'s Shape,
    /// What its references lead to.
    pub definitions: &'s Definitions,
    /// Whether names of members ignore case.
    pub folds_names: bool,
    /// What a rule says that only a host can run, to tell two of them apart; none if its operands say it.
    pub describe: &'s dyn Fn(&Rule) -> Option<String>,
    /// What the real checker says of a value.
    pub accepts: &'s dyn Fn(&Constant) -> bool,
}

/// Which way values go at a boundary.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flow {
    /// Others write what the contract accepts: refusing more breaks them.
    In,
    /// Others read what the contract promises: promising less breaks them.
    Out,
    /// Others do both.
    Both,
}

impl Flow {
    /// The name in reports.
    pub fn name(self) -> &'static str {
        match self {
            Flow::In => "in",
            Flow::Out => "out",
            Flow::Both => "both",
        }
    }
}

/// How two sets of values relate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Relation {
    /// They are the same.
    Equal,
    /// The new one has all values of the old one, and more.
    Wider,
    /// The new one has only values of the old one, and not all.
    Narrower,
    /// Each has values that the other has not.
    Incomparable,
    /// It could not be found out.
    Unknown,
}

impl Relation {
    /// The name in reports.
    pub fn name(self) -> &'static str {
        match self {
            Relation::Equal => "equal",
            Relation::Wider => "wider",
            Relation::Narrower => "narrower",
            Relation::Incomparable => "incomparable",
            Relation::Unknown => "unknown",
        }
    }

    pub(crate) fn of(lost: &Difference, gained: &Difference) -> Relation {
        match (lost, gained) {
            (Difference::None, Difference::None) => Relation::Equal,
            (Difference::None, Difference::Some(_)) => Relation::Wider,
            (Difference::Some(_), Difference::None) => Relation::Narrower,
            (Difference::Some(_), Difference::Some(_)) => Relation::Incomparable,
            (Difference::Unknown, _) | (_, Difference::Unknown) => Relation::Unknown,
        }
    }
}

/// What one set has and the other has not.
#[derive(Clone, Debug, PartialEq)]
pub enum Difference {
    /// Nothing; it was proved.
    None,
    /// At least this value.
    Some(Constant),
    /// It could not be found out.
    Unknown,
}

impl Difference {
    /// The name in reports.
    pub fn state(&self) -> &'static str {
        match self {
            Difference::None => "none",
            Difference::Some(_) => "some",
            Difference::Unknown => "unknown",
        }
    }
}

impl From<Answer> for Difference {
    fn from(answer: Answer) -> Difference {
        match answer {
            Answer::Found(value) => Difference::Some(value),
            Answer::Empty => Difference::None,
            Answer::Unknown => Difference::Unknown,
        }
    }
}

/// How much a change matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// Nobody is broken.
    Info,
    /// Nobody can tell.
    Unknown,
    /// Somebody may be surprised.
    Warning,
    /// Somebody is broken.
    Breaking,
}

impl Level {
    /// The name in reports.
    pub fn name(self) -> &'static str {
        match self {
            Level::Info => "info",
            Level::Unknown => "unknown",
            Level::Warning => "warning",
            Level::Breaking => "breaking",
        }
    }
}

/// What is compared, and how strictly.
#[derive(Clone, Copy)]
pub struct Comparison<'s> {
    /// The contract as it was.
    pub old: Side<'s>,
    /// The contract as it is.
    pub new: Side<'s>,
    /// Which way values go.
    pub flow: Flow,
    /// Whether names that are newly declared in open objects break, too.
    pub strict: bool,
    /// What the members of the whole value are called in the names of rules: `property`, `parameter`, `output`.
    pub noun: &'static str,
}

/// What came out for one boundary.
#[derive(Clone, Debug)]
pub struct BoundaryDiff {
    /// How the sets relate.
    pub relation: Relation,
    /// What only the old contract accepts.
    pub lost: Difference,
    /// What only the new contract accepts.
    pub gained: Difference,
    /// Whether somebody is broken; none if that could not be found out.
    pub breaking: Option<bool>,
    /// Where the difference comes from.
    pub changes: Vec<Change>,
    /// Values on which the algebra and the checkers disagree, which is a mistake of one of them.
    pub disagreements: Vec<Constant>,
}

/// Compares two contracts.
pub fn compare(comparison: &Comparison<'_>) -> BoundaryDiff {
    let mut terms = Terms::default();
    let solver = Solver::new(&mut terms, WORK);
    let mut walker = Walker::new(comparison, solver);
    let (old, new) = (walker.term(true, comparison.old.shape), walker.term(false, comparison.new.shape));
    let mut disagreements = Vec::new();
    let lost = walker.minus(old.holds, new.fails);
    let lost = checked(lost, comparison, true, &mut disagreements, || {
        walker.minus_in_full(true, old.holds, new.fails)
    });
    let gained = walker.minus(new.holds, old.fails);
    let gained = checked(gained, comparison, false, &mut disagreements, || {
        walker.minus_in_full(false, new.holds, old.fails)
    });
    let relation = Relation::of(&lost, &gained);
    // Names that are new in open objects are told apart from all else that is lost.
    let certain = match (&lost, comparison.strict) {
        (Difference::Some(_), false) => walker.minus_known_names(old.holds, new.fails),
        (other, _) => other.clone(),
    };
    let breaks = |difference: &Difference| match difference {
        Difference::None => Some(false),
        Difference::Some(_) => Some(true),
        Difference::Unknown => None,
    };
    let breaking = match comparison.flow {
        Flow::In => breaks(&certain),
        Flow::Out => breaks(&gained),
        Flow::Both => match (breaks(&certain), breaks(&gained)) {
            (Some(true), _) | (_, Some(true)) => Some(true),
            (Some(false), Some(false)) => Some(false),
            _ => None,
        },
    };
    let changes = walker.changes(&lost, &gained, breaking);
    // What is no set of values can break somebody as well, such as another number of a field.
    let breaking = match changes.iter().any(|change| change.level == Level::Breaking) {
        true => Some(true),
        false => breaking,
    };
    BoundaryDiff { relation, lost, gained, breaking, changes, disagreements }
}

/// Believes a difference only if both checkers say so.
fn checked(
    found: Difference,
    comparison: &Comparison<'_>,
    of_old: bool,
    disagreements: &mut Vec<Constant>,
    in_full: impl FnOnce() -> Difference,
) -> Difference {
    let Difference::Some(value) = found else { return found };
    if proves(comparison, of_old, &value) {
        return Difference::Some(value);
    }
    // What stands in for absent members may be refused; a value that has all of them needs none.
    if let Difference::Some(value) = in_full()
        && proves(comparison, of_old, &value)
    {
        return Difference::Some(value);
    }
    disagreements.push(value);
    Difference::Unknown
}

/// Whether the checkers say that only one side accepts a value.
pub(crate) fn proves(comparison: &Comparison<'_>, of_old: bool, value: &Constant) -> bool {
    let (with, without) = match of_old {
        true => (&comparison.old, &comparison.new),
        false => (&comparison.new, &comparison.old),
    };
    (with.accepts)(value) && !(without.accepts)(value)
}
