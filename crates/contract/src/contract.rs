//! A compiled contract and what it was compiled from.

use crate::checker::Checker;
use crate::compile::{self, DefinitionUses};
use crate::flaw::Flaw;
use crate::gate_id::GateId;
use crate::host::{Host, Plain};
use crate::limits::{CheckLimits, Order};
use crate::program::CompiledProgram;
use crate::shape::{Definitions, Shape};
use crate::violation::Violation;
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
    pub(crate) program: CompiledProgram,
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
        let program = compile::compile(shape, definitions, DefinitionUses::Referred, host)?;
        Ok(Contract { program, shape: shape.clone(), definitions: definitions.clone() })
    }

    /// The same for a shape that nobody else needs, with all of its definitions.
    pub(crate) fn compile_owned(
        shape: Shape,
        definitions: Definitions,
        host: &dyn Host,
    ) -> Result<Contract, Vec<Flaw>> {
        let program = compile::compile(&shape, &definitions, DefinitionUses::All, host)?;
        Ok(Contract { program, shape, definitions })
    }

    /// The same for a shape that may contradict itself: nothing satisfies it then.
    pub(crate) fn compile_usable(
        shape: Shape,
        definitions: Definitions,
        host: &dyn Host,
    ) -> Result<Contract, Vec<Flaw>> {
        let program = compile::compile_usable(&shape, &definitions, host)?;
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
    pub fn entry(&self, name: &str) -> Option<DefinitionHandle> {
        let entries = &self.program.entries;
        let at = entries.binary_search_by_key(&name, |(name, _)| name).ok()?;
        entries.get(at).map(|(_, id)| DefinitionHandle(*id))
    }

    /// A checker for a definition that was found before.
    #[inline]
    pub fn at(&self, entry: DefinitionHandle) -> Checker<'_> {
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
            limits: CheckLimits::default(),
            order: Order::Document,
        }
    }
}

/// A definition of one contract, found once; it means nothing to another contract.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DefinitionHandle(GateId);
