//! Messages against rules, on the bytes, with no code generated and no value built.
//!
//! [`Validator::new`] makes a plan per struct from the lowered rules (`plan`), and from it what `quick` runs over
//! the bytes of a message: yes, or ask again. Most messages are valid, and there it ends. Otherwise `walk` runs the
//! plan over a reader in one pass: what has no rules is skipped, scalars are tested where they stand, and only
//! rules that refer to other fields wait for the end of their struct, where they look at it through `view`. A
//! message that breaks a rule is walked once more, to say which (`Order::Declared`: the order of the IDL, not of the
//! bytes). JSON, which is text with escapes, knows no quick walk.
//!
//! Other readers decode the same bytes, and some of them see another value where they are unusual. So both walks also
//! test the form of a message (`form`): the types of fields and elements, fields that come twice, text that is not
//! UTF-8. What passes has one meaning. `work` counts how often bytes are looked at, and bounds it.

mod ambiguous_encoding;
mod distinct;
mod foreign;
mod members;
mod plan;
mod quick;
mod relation;
mod types;
mod value;
mod view;
mod walk;
mod work;

use std::sync::Arc;

use contract::{Checker, Constant, Contract, Order, Path, PathStep, Violation};

use crate::Diagnostic;
use crate::model::{Model, StructId};
use crate::rules::{Functions, RuleConfig, lower};
use crate::wire::{
    BinaryReader, CompactReader, Flat, InPlace, JsonReader, Limits, Protocol, Reader, WireError,
    WireErrorKind,
};

use plan::Plans;
use quick::{Quick, QuickWalk};
use value::Values;
use view::{ViewContext, WireView};
use walk::{Walk, WalkStop};
use work::WorkBudget;

pub use ambiguous_encoding::{FormError, FormProblem};
pub use types::wire_type;

/// What to do with a known field that has another type on the wire than in the IDL.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum WrongType {
    /// The message is refused.
    #[default]
    Refuse,
    /// It counts as absent, as it does for most readers. Some read it all the same.
    Absent,
}

/// What to do with a known field that comes twice, and with a union of several fields.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Duplicates {
    /// The message is refused.
    #[default]
    Refuse,
    /// Each must keep its rules, and others are compared with the last, which most readers keep.
    Last,
}

/// What to do with text that is not UTF-8, where rules speak of it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum NotUtf8 {
    /// The message is refused.
    #[default]
    Refuse,
    /// Rules look at its bytes. Some readers see other text.
    Pass,
}

/// What to do with a field that the IDL does not have.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum UnknownFields {
    /// It passes where all readers find the field behind it: not in the compact protocol, of which one of them skips
    /// values as if they were binary, and not in a union, of which one of them then has no value and panics.
    #[default]
    Safe,
    /// It passes everywhere, unread.
    Pass,
    /// The message is refused.
    Refuse,
}

impl UnknownFields {
    /// Whether unknown fields pass, in a protocol and in a union or not.
    pub(crate) fn pass(self, protocol: Protocol, in_union: bool) -> bool {
        match self {
            UnknownFields::Safe => protocol != Protocol::Compact && !in_union,
            UnknownFields::Pass => true,
            UnknownFields::Refuse => false,
        }
    }
}

/// What to do with what some readers refuse halfway: text that is not UTF-8 without rules, a union without a field, a number
/// that no member of an enum has in a required field, and a required field that is missing where rules are skipped.
///
/// UPSTREAM: servers of Apache's libraries for Java and Rust answer a message that they refuse in the middle, and read the
/// rest of it as the next message.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Halfway {
    /// The message is refused.
    #[default]
    Refuse,
    /// It passes, as if every reader went on.
    Pass,
}

/// How messages are read. The defaults let pass what all readers take for the same value.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ValidateConfig {
    /// Bounds for hostile bytes.
    pub limits: Limits,
    /// What a field of another type means.
    pub wrong_type: WrongType,
    /// What a field that comes twice means.
    pub duplicates: Duplicates,
    /// What text that is not UTF-8 means.
    pub not_utf8: NotUtf8,
    /// What a field means that the IDL does not have.
    pub unknown_fields: UnknownFields,
    /// What it means that a reader may go no further.
    pub halfway: Halfway,
}

impl ValidateConfig {
    /// Whether all text must be UTF-8, with rules or without.
    pub(crate) fn all_utf8(&self) -> bool {
        self.not_utf8 == NotUtf8::Refuse && self.halfway == Halfway::Refuse
    }

    /// Takes messages as most readers do. Those who read the same bytes otherwise may see what no rule was tested on.
    pub fn lenient() -> ValidateConfig {
        ValidateConfig {
            limits: Limits::default(),
            wrong_type: WrongType::Absent,
            duplicates: Duplicates::Last,
            not_utf8: NotUtf8::Pass,
            unknown_fields: UnknownFields::Pass,
            halfway: Halfway::Pass,
        }
    }
}

/// Why a message does not pass.
#[derive(Clone, Debug, PartialEq)]
pub enum Rejection {
    /// The bytes are no message of that type.
    Wire(WireError),
    /// Readers would not agree about it.
    Form(FormError),
    /// A required field is not there.
    MissingField {
        /// The name of the struct that requires it.
        structure: Arc<str>,
        /// The name of the field in the IDL.
        field: Box<str>,
        /// The path of the field.
        path: Path,
    },
    /// Rules are broken; at least one.
    Rules(Vec<Violation>),
}

impl std::fmt::Display for Rejection {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Rejection::Wire(error) => error.fmt(f),
            Rejection::Form(FormError { path, problem, .. }) => write!(f, "{path}: {problem}"),
            Rejection::MissingField { path, .. } => write!(f, "{path}: the required field is missing"),
            Rejection::Rules(violations) => {
                for (index, violation) in violations.iter().enumerate() {
                    if index > 0 {
                        f.write_str("; ")?;
                    }
                    write!(f, "{}: {}", violation.path, violation.message())?;
                }
                Ok(())
            }
        }
    }
}

/// How many violations are wanted of a message that breaks rules.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Want {
    /// The first, in the order of the IDL.
    First,
    /// All of them, up to the limit of the checker.
    All,
}

/// The rules of a program, ready to be run over bytes.
#[derive(Clone, Debug)]
pub struct Validator {
    plans: Plans,
    quick: Quick,
    contract: Contract,
    config: ValidateConfig,
}

impl Validator {
    /// Compiles the rules of a program. Without a contract there is no validator, and the diagnostics say why.
    pub fn new(
        model: &Model,
        rules: &RuleConfig,
        config: ValidateConfig,
        functions: &Functions,
    ) -> (Option<Validator>, Vec<Diagnostic>) {
        let (mut lowered, mut found) = lower(model, rules, functions);
        if found.iter().any(Diagnostic::is_error) {
            return (None, found);
        }
        let drafts = plan::draft(model, &mut lowered, &config);
        let (contract, more) = lowered.compile(functions);
        found.extend(more);
        let Some(contract) = contract else { return (None, found) };
        let plans = plan::finish(drafts, &contract, functions);
        let quick = Quick::new(&plans, &config.limits);
        (Some(Validator { plans, quick, contract, config }), found)
    }

    /// The name under which a struct's rules are kept.
    pub fn name(&self, id: StructId) -> Option<&str> {
        self.plans.get(id).map(|plan| &*plan.definition)
    }

    /// Validates one struct, bare, at the start of the bytes, and tells how many bytes it took.
    pub fn validate(
        &self,
        id: StructId,
        protocol: Protocol,
        bytes: &[u8],
        functions: &Functions,
        want: Want,
    ) -> Result<usize, Rejection> {
        let work = WorkBudget::for_bytes(bytes.len());
        match self.quick_walk(functions, &work).reads(id, protocol, bytes) {
            Some(read) => Ok(read),
            None => self.examine(id, protocol, bytes, functions, want, &work),
        }
    }

    /// The same without the quick walk, which is held against it in tests.
    pub fn validate_thoroughly(
        &self,
        id: StructId,
        protocol: Protocol,
        bytes: &[u8],
        functions: &Functions,
        want: Want,
    ) -> Result<usize, Rejection> {
        self.examine(id, protocol, bytes, functions, want, &WorkBudget::for_bytes(bytes.len()))
    }

    /// The same as [`Validator::validate`], with how many steps it took at most: a step is a byte of the quick walk, or a look
    /// at a part of the message.
    pub fn count_steps(
        &self,
        id: StructId,
        protocol: Protocol,
        bytes: &[u8],
        functions: &Functions,
        want: Want,
    ) -> (Result<usize, Rejection>, u64) {
        let work = WorkBudget::for_bytes(bytes.len());
        let reports = WorkBudget::for_report(bytes.len());
        let run = Run { validator: self, functions, want, work: &work, reports: &reports };
        let result = match self.quick_walk(functions, &work).reads(id, protocol, bytes) {
            Some(read) => Ok(read),
            None => run.through(id, protocol, bytes),
        };
        (result, bytes.len() as u64 + work.done() + reports.done())
    }

    fn quick_walk<'w>(&'w self, functions: &'w Functions, work: &'w WorkBudget) -> QuickWalk<'w> {
        QuickWalk {
            quick: &self.quick,
            types: &self.plans.types,
            contract: &self.contract,
            functions,
            config: &self.config,
            work,
        }
    }

    /// Validates with a walk that knows what it found.
    #[cold]
    fn examine(
        &self,
        id: StructId,
        protocol: Protocol,
        bytes: &[u8],
        functions: &Functions,
        want: Want,
        work: &WorkBudget,
    ) -> Result<usize, Rejection> {
        let reports = WorkBudget::for_report(bytes.len());
        Run { validator: self, functions, want, work, reports: &reports }.through(id, protocol, bytes)
    }

    /// Validates the struct at which a reader stands, which is left behind it if the struct passes.
    pub fn validate_at<'b, R: InPlace<'b>>(
        &self,
        id: StructId,
        reader: &mut R,
        functions: &Functions,
        want: Want,
    ) -> Result<(), Rejection> {
        let work = WorkBudget::for_bytes(reader.rest().len());
        if self.quick_walk(functions, &work).passes(id, reader) {
            return Ok(());
        }
        let reports = WorkBudget::for_report(reader.rest().len());
        Run { validator: self, functions, want, work: &work, reports: &reports }.walk_through(id, reader)
    }
}

/// One message on its way.
#[derive(Clone, Copy)]
struct Run<'r> {
    validator: &'r Validator,
    functions: &'r Functions,
    want: Want,
    /// Looks of the walks that say yes or no.
    work: &'r WorkBudget,
    /// Looks of the one that says what is wrong.
    reports: &'r WorkBudget,
}

impl Run<'_> {
    /// Walks over one struct, bare, at the start of the bytes.
    fn through(&self, id: StructId, protocol: Protocol, bytes: &[u8]) -> Result<usize, Rejection> {
        let limits = self.validator.config.limits;
        match protocol {
            Protocol::Binary => self.in_place(id, BinaryReader::new(bytes, limits)),
            Protocol::Compact => self.in_place(id, CompactReader::new(bytes, limits)),
            Protocol::Json => self.json(id, bytes),
        }
    }

    fn in_place<'b, R: InPlace<'b>>(&self, id: StructId, mut reader: R) -> Result<usize, Rejection> {
        self.walk_through(id, &mut reader)?;
        Ok(reader.offset())
    }

    /// Validates with a walk that knows what it found.
    #[cold]
    fn walk_through<'b, R: InPlace<'b>>(&self, id: StructId, reader: &mut R) -> Result<(), Rejection> {
        let start = *reader;
        let work = WorkBudget::for_bytes(reader.rest().len());
        let mut walk = self.walk(R::Flat::PROTOCOL, &work);
        let walked = walk.structure(id, reader);
        self.work.steps(work.done());
        let Err(fault) = walked else { return Ok(()) };
        self.typed(fault, walk, |walk| walk.form(id, &mut { start }))?;
        let around = ViewContext { types: &self.validator.plans.types, work: self.reports };
        Err(self
            .broken(id, |checker, want| Ok(collect(checker, WireView::structure(start, id, around), want))))
    }

    /// JSON is text with escapes: what must be looked at twice is copied.
    fn json(&self, id: StructId, bytes: &[u8]) -> Result<usize, Rejection> {
        let start = JsonReader::new(bytes, self.validator.config.limits);
        let mut reader = start;
        let mut walk = self.walk(Protocol::Json, self.work);
        let Err(fault) = walk.structure_by_value(id, &mut reader) else { return Ok(reader.offset()) };
        self.typed(fault, walk, |walk| walk.form(id, &mut { start }))?;
        let values = Values { types: &self.validator.plans.types, work: self.reports };
        Err(self.broken(id, |checker, want| {
            let value = values.structure(&mut { start }, id)?;
            Ok(collect(checker, &value, want))
        }))
    }

    fn walk<'w>(&'w self, protocol: Protocol, work: &'w WorkBudget) -> Walk<'w> {
        Walk {
            plans: &self.validator.plans,
            contract: &self.validator.contract,
            functions: self.functions,
            config: &self.validator.config,
            protocol,
            work,
            is_complete: self.validator.config.halfway == Halfway::Refuse,
            trail: Vec::new(),
        }
    }

    /// Turns a fault into what is said of it; `Ok` if it is a broken rule in a message that is well formed. Rules say
    /// nothing about a message that readers do not agree about, so its form is tested to the end first.
    fn typed<'w>(
        &'w self,
        fault: WalkStop,
        mut walk: Walk<'w>,
        test: impl FnOnce(&mut Walk<'w>) -> Result<(), WalkStop>,
    ) -> Result<(), Rejection> {
        let fault = match fault {
            WalkStop::Rule => {
                let work = self.reports;
                walk = self.walk(walk.protocol, work);
                match test(&mut walk) {
                    Ok(()) | Err(WalkStop::Rule) => return Ok(()),
                    Err(_) if self.reports.is_exhausted() => return Ok(()),
                    Err(fault) => fault,
                }
            }
            fault => fault,
        };
        walk.trail.reverse();
        let mut path = Path { steps: walk.trail };
        Err(match fault {
            WalkStop::Wire(error) => Rejection::Wire(error),
            WalkStop::Form { offset, problem } => Rejection::Form(FormError { path, offset, problem }),
            WalkStop::Missing(id, position) => {
                let plan = self.validator.plans.get(id);
                let structure = plan.map(|plan| plan.definition.clone()).unwrap_or_default();
                let field = plan.map(|plan| plan.field_name(position)).unwrap_or_default();
                path.steps.push(PathStep::Name(field.clone()));
                Rejection::MissingField { structure, field, path }
            }
            // Said by those who look for broken rules.
            WalkStop::Rule => Rejection::Wire(WireError { offset: 0, kind: WireErrorKind::BadFrame }),
        })
    }

    /// Says which rules are broken.
    fn broken(
        &self,
        id: StructId,
        collect: impl Fn(Checker<'_>, Want) -> Result<Vec<Violation>, WireError>,
    ) -> Rejection {
        let Validator { plans, contract, .. } = self.validator;
        let find = |want| {
            let checker = plans.get(id).and_then(|plan| contract.definition(&plan.definition));
            checker
                .map(|checker| collect(checker.host(self.functions).order(Order::Declared), want))
                .unwrap_or_else(|| Ok(Vec::new()))
        };
        // The first one is looked for on its own: it costs less, and what comes later may be too large to say.
        let mut found = find(Want::First);
        let mut rest = None;
        if self.want == Want::All && !self.reports.is_exhausted() {
            let all = find(Want::All);
            match self.reports.is_exhausted() {
                true => rest = Some(too_large_to_say(SOME)),
                false => found = all,
            }
        }
        match found {
            _ if self.reports.is_exhausted() && rest.is_none() => {
                Rejection::Rules(vec![too_large_to_say(ANY)])
            }
            Err(error) => Rejection::Wire(error),
            Ok(mut violations) if !violations.is_empty() => {
                violations.iter_mut().for_each(|it| members::name(&plans.types, id, it));
                violations.extend(rest);
                Rejection::Rules(violations)
            }
            // The two walks disagree, which is a mistake of ours; the message is refused all the same.
            Ok(_) => Rejection::Wire(WireError { offset: 0, kind: WireErrorKind::BadFrame }),
        }
    }
}

/// What is said where not even the first broken rule was found in time, and where only that was.
const ANY: &str = "a rule is broken, and the message is too large to say which";
const SOME: &str = "further rules may be broken, and the message is too large to say which";

/// Rules are broken, but to say which would take too long.
fn too_large_to_say(message: &'static str) -> Violation {
    Violation::stated(Path::default(), "limit", message)
}

fn collect<'v, V: contract::View<'v>>(checker: Checker<'_>, value: V, want: Want) -> Vec<Violation> {
    match want {
        Want::First => checker.first_violation(value).into_iter().collect(),
        Want::All => checker.violations(value),
    }
}

/// A struct as a value, for those who want one: members by number.
pub fn read_value<'b, R: Reader<'b>>(reader: &mut R) -> Result<Constant, WireError> {
    value::read_struct(reader)
}
