//! The comparison of two contracts at one boundary.

use contract::Constant;

use crate::changes::{Change, Walker};
use crate::model::{Comparison, Difference, Flow, Level, SetRelation, proves};
use crate::solve::Solver;
use crate::term::Terms;

/// How much may be done for one comparison.
const WORK: u64 = 400_000;

/// What came out for one boundary.
#[derive(Clone, Debug)]
pub struct BoundaryDiff {
    /// How the sets relate.
    pub relation: SetRelation,
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

/// Compares two contracts as sets of values; the work is bounded, and what it does not reach is unknown.
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
    let relation = SetRelation::of(&lost, &gained);
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
    let of_wire = |rule: &str| ["wire-type-changed", "field-id-changed"].contains(&rule);
    let breaking = match changes.iter().any(|it| it.level == Level::Breaking && of_wire(it.rule)) {
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
