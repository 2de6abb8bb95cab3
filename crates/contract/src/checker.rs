//! The three questions that a compiled contract answers about a value.

use crate::check::GateCheck;
use crate::gate_id::GateId;
use crate::host::Host;
use crate::limits::{CheckLimits, Order};
use crate::program::Gate;
use crate::report::{self, Collected};
use crate::rules::form;
use crate::scope::{MemoField, ReferenceScope};
use crate::violation::{Expected, Violation};
use crate::walk::CheckWalk;
use value::Path;
use value::View;

/// A contract with the host and the limits to check under.
#[derive(Clone, Copy)]
pub struct Checker<'c> {
    pub(crate) gates: &'c [Gate],
    pub(crate) checks: &'c [GateCheck],
    pub(crate) root: GateId,
    pub(crate) scoped: bool,
    pub(crate) secrets: bool,
    pub(crate) host: &'c dyn Host,
    pub(crate) limits: CheckLimits,
    pub(crate) order: Order,
}

impl<'c> Checker<'c> {
    /// Uses a host's functions.
    #[must_use]
    pub fn host(mut self, host: &'c dyn Host) -> Checker<'c> {
        self.host = host;
        self
    }

    /// Bounds the work of a check by other limits than the usual ones.
    #[must_use]
    pub fn limits(mut self, limits: CheckLimits) -> Checker<'c> {
        self.limits = limits;
        self
    }

    /// Reports in another order.
    #[must_use]
    pub fn order(mut self, order: Order) -> Checker<'c> {
        self.order = order;
        self
    }

    /// Whether a value satisfies the contract; one that is not known as far as it must be does not.
    pub fn is_valid<'v, V: View<'v>>(&self, value: V) -> bool {
        if value.has_unknown() {
            return matches!(self.verdict(value), Verdict::Holds);
        }
        self.quick(&self.walk(), value)
    }

    /// Whether a value satisfies the contract, if that can be told of what is known of it.
    pub fn verdict<'v, V: View<'v>>(&self, value: V) -> Verdict {
        // Most values are valid, and the quick walk says so.
        if !value.has_unknown() && self.quick(&self.walk(), value) {
            return Verdict::Holds;
        }
        let found = self.collect(value, self.limits.violations);
        match (found.violations.is_empty(), found.unknown.is_empty()) {
            (false, _) => Verdict::Broken(found.violations),
            (true, false) => Verdict::Unknown(found.unknown),
            (true, true) => Verdict::Holds,
        }
    }

    fn quick<'v, V: View<'v>>(&self, walk: &CheckWalk<'_>, value: V) -> bool {
        let valid = if self.scoped {
            let own = MemoField::new(value);
            walk.valid(
                self.root,
                value,
                ReferenceScope { object: None, own: Some(&own) },
                self.limits.depth(),
            )
        } else {
            // Nothing refers to anything, so that nothing has to be remembered of the value.
            walk.valid(self.root, value, ReferenceScope::NONE, self.limits.depth())
        };
        valid && !walk.exhausted.get()
    }

    /// The first thing that is wrong with a value.
    pub fn first_violation<'v, V: View<'v>>(&self, value: V) -> Option<Violation> {
        if self.is_valid(value) { None } else { self.wrong(value, 1).into_iter().next() }
    }

    /// Everything that is wrong with a value, in document order, up to the limit. Where something is asked of a part that is not known,
    /// that is wrong, too; [`Checker::verdict`] tells the two apart.
    pub fn violations<'v, V: View<'v>>(&self, value: V) -> Vec<Violation> {
        if self.is_valid(value) { Vec::new() } else { self.wrong(value, self.limits.violations) }
    }

    /// What is wrong with a value that is not valid.
    fn wrong<'v, V: View<'v>>(&self, value: V, most: usize) -> Vec<Violation> {
        let Collected { mut violations, unknown: paths } = self.collect(value, most);
        let room = most.max(1).saturating_sub(violations.len());
        violations.extend(paths.into_iter().take(room).map(unknown));
        violations
    }

    /// Looks at a value thoroughly.
    fn collect<'v, V: View<'v>>(&self, value: V, most: usize) -> Collected {
        let most = most.max(1);
        let walk = CheckWalk { partial: value.has_unknown(), ..self.walk() };
        let mut found = report::collect(&walk, self.root, value, self.limits.depth(), most, self.order);
        if found.violations.len() < most && walk.exhausted.get() {
            found.violations.push(self.limit_violation(&walk));
        }
        if !walk.partial && found.violations.is_empty() && found.unknown.is_empty() {
            // The quick walk said no and nothing is wrong: it met a limit that this one just did not meet.
            let quick = self.walk();
            let _ = self.quick(&quick, value);
            found.violations.push(self.limit_violation(&quick));
        }
        found
    }

    fn limit_violation(&self, walk: &CheckWalk<'_>) -> Violation {
        let (expected, hint) = if walk.work.get() == 0 {
            (
                Expected::Steps(self.limits.work),
                "the document is too large for this contract, or the contract repeats its work",
            )
        } else {
            (Expected::Levels(self.limits.depth()), "flatten the value, or raise the limit")
        };
        let violation = Violation::stated(Path::default(), form::LIMIT.name, "");
        Violation { expected, hint: Some(hint.into()), ..violation }
    }

    fn walk(&self) -> CheckWalk<'c> {
        CheckWalk {
            secrets: self.secrets,
            ..CheckWalk::new(self.gates, self.checks, self.host, self.scoped, self.limits.work)
        }
    }
}

/// A violation of a part that is not known yet.
fn unknown(path: Path) -> Violation {
    Violation { expected: Expected::Known, ..Violation::stated(path, "unknown", "") }
}

/// What a contract says about a value.
#[derive(Clone, Debug, PartialEq)]
pub enum Verdict {
    /// It satisfies the contract, whatever the parts that are not known turn out to be.
    Holds,
    /// It breaks the contract, whatever they turn out to be.
    Broken(Vec<Violation>),
    /// That depends on the parts with these paths.
    Unknown(Vec<Path>),
}

/// The first thing that is wrong with a value that meets a gate, for contracts that are being compiled.
pub(crate) fn first<'v, V: View<'v>>(
    gates: &[Gate],
    checks: &[GateCheck],
    root: GateId,
    host: &dyn Host,
    value: V,
) -> Option<Violation> {
    let (limits, order) = (CheckLimits::default(), Order::Document);
    Checker { gates, checks, root, scoped: true, secrets: true, host, limits, order }.first_violation(value)
}

impl std::fmt::Debug for Checker<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Checker").field("limits", &self.limits).finish_non_exhaustive()
    }
}
