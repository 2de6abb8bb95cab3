//! What is compared, and the words for what comes out.

use contract::rules::Rule;
use contract::{Constant, Definitions, Shape};

use crate::solve::Answer;

/// One of the two contracts.
#[derive(Clone, Copy)]
pub struct ComparedContract<'s> {
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
    /// Others write and read: a change breaks them either way.
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
pub enum SetRelation {
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

impl SetRelation {
    /// The name in reports.
    pub fn name(self) -> &'static str {
        match self {
            SetRelation::Equal => "equal",
            SetRelation::Wider => "wider",
            SetRelation::Narrower => "narrower",
            SetRelation::Incomparable => "incomparable",
            SetRelation::Unknown => "unknown",
        }
    }

    pub(crate) fn of(lost: &Difference, gained: &Difference) -> SetRelation {
        match (lost, gained) {
            (Difference::None, Difference::None) => SetRelation::Equal,
            (Difference::None, Difference::Some(_)) => SetRelation::Wider,
            (Difference::Some(_), Difference::None) => SetRelation::Narrower,
            (Difference::Some(_), Difference::Some(_)) => SetRelation::Incomparable,
            (Difference::Unknown, _) | (_, Difference::Unknown) => SetRelation::Unknown,
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
    /// Everything that worked still does.
    Info,
    /// The work was used up before it was clear.
    Unknown,
    /// Somebody may be surprised.
    Warning,
    /// There is a value that worked and does not any more.
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
    pub old: ComparedContract<'s>,
    /// The contract as it is.
    pub new: ComparedContract<'s>,
    /// Which way values go.
    pub flow: Flow,
    /// Whether names that are newly declared in open objects break, too.
    pub strict: bool,
    /// What the members of the whole value are called in the names of rules: `property`, `parameter`, `output`.
    pub noun: &'static str,
}

/// Whether the checkers say that only one side accepts a value.
pub(crate) fn proves(comparison: &Comparison<'_>, of_old: bool, value: &Constant) -> bool {
    let (with, without) = match of_old {
        true => (&comparison.old, &comparison.new),
        false => (&comparison.new, &comparison.old),
    };
    (with.accepts)(value) && !(without.accepts)(value)
}
