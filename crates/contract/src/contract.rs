//! A compiled contract and the three questions it answers.

use crate::check::Check;
use crate::compile;
use crate::flaw::Flaw;
use crate::host::{Host, Plain};
use crate::judge::Walk;
use crate::limits::{Limits, Order};
use crate::program::{Gate, GateId, Program};
use crate::report::{self, Collected};
use crate::rules::form;
use crate::scope::{Own, Scope};
use crate::shape::{Definitions, Shape};
use crate::violation::{Expected, Violation};
use value::Path;
use value::View;

/// A contract, compiled once and checked many times.
///
/// ```
/// use contract::{Constant, Contract, Definitions, Property, Shape, Test};
///
/// let port = Shape::int().must(Test::Minimum(1.into())).must(Test::Maximum(65_535.into()));
/// let server = Shape::object([Property::required("port", port)]);
/// let contract = Contract::compile(&server, &Definitions::new()).unwrap();
///
/// let value = Constant::Object(vec![("port".into(), 70_000.into())]);
/// assert!(!contract.is_valid(&value));
/// let violation = contract.first_violation(&value).unwrap();
/// assert_eq!(violation.to_string(), "$.port: must be at most 65535 (maximum)");
/// ```
#[derive(Clone, Debug)]
pub struct Contract {
    pub(crate) program: Program,
    /// What the contract was compiled from.
    pub(crate) shape: Shape,
    pub(crate) definitions: Definitions,
}

impl Contract {
    /// Compiles a shape whose functions are those of [`Plain`].
    pub fn compile(shape: &Shape, definitions: &Definitions) -> Result<Contract, Vec<Flaw>> {
        Contract::compile_for(shape, definitions, &Plain)
    }

    /// Compiles a shape for a host: constants are folded, and mistakes are found now.
    pub fn compile_for(
        shape: &Shape,
        definitions: &Definitions,
        host: &dyn Host,
    ) -> Result<Contract, Vec<Flaw>> {
        let program = compile::compile(shape, definitions, host)?;
        Ok(Contract { program, shape: shape.clone(), definitions: definitions.clone() })
    }

    /// The same for a shape that nobody else needs.
    pub(crate) fn compile_owned(
        shape: Shape,
        definitions: Definitions,
        host: &dyn Host,
    ) -> Result<Contract, Vec<Flaw>> {
        let program = compile::compile(&shape, &definitions, host)?;
        Ok(Contract { program, shape, definitions })
    }

    /// Compiles definitions that each stand for themselves; check with [`Contract::definition`].
    ///
    /// Unlike [`Contract::compile`], contradictions are reported beside a contract that can be used: a
    /// library should not be lost over one definition that nothing satisfies.
    pub fn library(definitions: Definitions, host: &dyn Host) -> (Option<Contract>, Vec<Flaw>) {
        let (program, flaws) = compile::library(&definitions, host);
        let contract = |program| Contract { program, shape: Shape::any(), definitions };
        (program.map(contract), flaws)
    }

    /// A checker for one of the definitions, with the usual limits and the host [`Plain`].
    pub fn definition(&self, name: &str) -> Option<Checker<'_>> {
        self.entry(name).map(|entry| self.at(entry))
    }

    /// Finds a definition once, for those who check against it often.
    pub fn entry(&self, name: &str) -> Option<Entry> {
        let entries = &self.program.entries;
        let at = entries.binary_search_by_key(&name, |(name, _)| name).ok()?;
        entries.get(at).map(|(_, id)| Entry(*id))
    }

    /// A checker for a definition that was found before.
    #[inline]
    pub fn at(&self, entry: Entry) -> Checker<'_> {
        Checker { root: entry.0, ..self.checker() }
    }

    /// The contract with one of the definitions as its shape, for those who want no other.
    pub fn starting_at(mut self, name: &str) -> Option<Contract> {
        self.program.root = self.entry(name)?.0;
        self.shape = Shape::reference(name);
        Some(self)
    }

    /// The shape that the contract was compiled from.
    pub fn shape(&self) -> &Shape {
        &self.shape
    }

    /// The definitions that the shape refers to.
    pub fn definitions(&self) -> &Definitions {
        &self.definitions
    }

    /// Whether a value satisfies the contract.
    ///
    /// Allocates nothing, with three exceptions: functions of the host, large objects that are compared with
    /// others as a whole, and objects of which more than 128 properties are known.
    pub fn is_valid<'v, V: View<'v>>(&self, value: V) -> bool {
        self.checker().is_valid(value)
    }

    /// The first thing that is wrong with a value.
    pub fn first_violation<'v, V: View<'v>>(&self, value: V) -> Option<Violation> {
        self.checker().first_violation(value)
    }

    /// Everything that is wrong with a value, in document order.
    pub fn violations<'v, V: View<'v>>(&self, value: V) -> Vec<Violation> {
        self.checker().violations(value)
    }

    /// A checker with the usual limits and the host [`Plain`].
    pub fn checker(&self) -> Checker<'_> {
        Checker {
            gates: &self.program.gates,
            checks: &self.program.checks,
            root: self.program.root,
            scoped: self.program.scoped,
            secrets: self.program.secrets,
            host: &Plain,
            limits: Limits::default(),
            order: Order::Document,
        }
    }
}

/// A definition of one contract, found once; it means nothing to another contract.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entry(GateId);

/// A contract with the host and the limits to check under.
#[derive(Clone, Copy)]
pub struct Checker<'c> {
    gates: &'c [Gate],
    checks: &'c [Check],
    root: GateId,
    scoped: bool,
    secrets: bool,
    host: &'c dyn Host,
    limits: Limits,
    order: Order,
}

impl<'c> Checker<'c> {
    /// Uses a host's functions.
    #[must_use]
    pub fn host(mut self, host: &'c dyn Host) -> Checker<'c> {
        self.host = host;
        self
    }

    /// Uses other limits.
    #[must_use]
    pub fn limits(mut self, limits: Limits) -> Checker<'c> {
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

    fn quick<'v, V: View<'v>>(&self, walk: &Walk<'_>, value: V) -> bool {
        let valid = if self.scoped {
            let own = Own::new(value);
            walk.valid(self.root, value, Scope { object: None, own: Some(&own) }, self.limits.depth())
        } else {
            // Nothing refers to anything, so that nothing has to be remembered of the value.
            walk.valid(self.root, value, Scope::NONE, self.limits.depth())
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
        let walk = Walk { partial: value.has_unknown(), ..self.walk() };
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

    fn limit_violation(&self, walk: &Walk<'_>) -> Violation {
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

    fn walk(&self) -> Walk<'c> {
        Walk {
            secrets: self.secrets,
            ..Walk::new(self.gates, self.checks, self.host, self.scoped, self.limits.work)
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
    checks: &[Check],
    root: GateId,
    host: &dyn Host,
    value: V,
) -> Option<Violation> {
    let (limits, order) = (Limits::default(), Order::Document);
    Checker { gates, checks, root, scoped: true, secrets: true, host, limits, order }.first_violation(value)
}

impl std::fmt::Debug for Checker<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Checker").field("limits", &self.limits).finish_non_exhaustive()
    }
}
