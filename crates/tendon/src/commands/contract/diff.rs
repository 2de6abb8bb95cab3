//! `tendon contract diff`: how two contracts differ as sets of values.

use std::collections::HashMap;
use std::ffi::OsString;

use clap::ValueEnum;
use comparison::{
    BoundaryDiff, Change, ComparedContract, Comparison, Difference, Flow, Level, SetRelation, compare,
};
use contract::Constant;
use contract::sample::{SampleOptions, samples_for};
use diagnostics::{Diagnostic, Severity, SourceMap};

use super::operand::Operand;
use super::{diff_json, diff_text};
use crate::against::{Crossing, ThriftOptions, ValueSpelling, WireComparison};
use crate::common::{Common, Form};
use crate::exit::{CommandError, Exit};
use crate::output::Streams;
use crate::report;

/// Compare two contracts as sets of values, with a value that proves every difference
///
/// Each value was run through the checkers of both contracts before it is printed. Contracts may be of different languages. For those who
/// know schema registries: BACKWARD is `--for reader`, FORWARD is `--for writer`, and FULL is `--for both`.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// The contract as it was: what `check --against` takes, `git:REVISION:PATH`, `br:HOST/PATH:VERSION`, or a folder with `main.bicep`
    old: OsString,

    /// The contract as it is
    new: OsString,

    /// The users that must not break: those whose values the contract accepts, those who read the values that it describes, or
    /// both
    #[arg(long = "for", value_enum, value_name = "USERS")]
    whom: Option<Whom>,

    /// Exit with 1 at such changes, or at worse ones
    #[arg(long, value_enum, value_name = "LEVEL", default_value_t)]
    fail_on: FailOn,

    /// Take newly declared names of open objects for breaking as well
    #[arg(long)]
    strict: bool,

    /// Folders to look for included Thrift files in, after the folder of the including file
    #[arg(short = 'I', long = "include", value_name = "DIR")]
    include: Vec<std::path::PathBuf>,

    /// Take addresses that begin with a text from a folder, as `PREFIX=DIR`; nothing is fetched
    #[arg(long, value_name = "PREFIX=DIR")]
    link_root: Vec<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Whom {
    // The contract reads: what was accepted has to be accepted still.
    Reader,
    // The contract describes what is written: nothing new may come.
    Writer,
    // Both.
    Both,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum FailOn {
    // Breaking changes.
    Breaking,
    // Those, and what is undecided, and warnings.
    Warning,
    // Breaking changes, and what is undecided.
    Unknown,
    // Nothing.
    #[default]
    Never,
}

const EXAMPLES: &str = "\
Examples:
  tendon contract diff old.contract.json new.contract.json
  tendon contract diff git:main:order.contract.yaml order.contract.yaml --fail-on breaking
  tendon contract diff br:example.azurecr.io/team/storage:1.2.0 . --fail-on breaking
  tendon contract diff old.json#Order new.json#Order --for both
  tendon contract diff old/main.json new/main.bicep -o json
  tendon contract diff old.thrift#Orders new.thrift#Orders --diagnostics-format sarif";

/// What was compared at one boundary.
pub(super) struct ComparedBoundary {
    pub(super) name: String,
    pub(super) flow: Flow,
    pub(super) old: Option<String>,
    pub(super) new: Option<String>,
    pub(super) diff: BoundaryDiff,
    /// How values are told that are not compared as people write them, by their text.
    pub(super) spellings: HashMap<String, ValueSpelling>,
}

impl ComparedBoundary {
    /// A value that proves a difference, as members of a JSON object.
    pub(super) fn members(&self, value: &Constant) -> String {
        let text = value.to_string();
        match self.spellings.get(&text) {
            Some(spelling) => spelling.members.clone(),
            None => format!("\"value\":{text}"),
        }
    }

    /// The same for people.
    pub(super) fn shown(&self, value: &Constant) -> String {
        let text = value.to_string();
        self.spellings.get(&text).map_or(text, |spelling| spelling.text.clone())
    }
}

/// Everything that came out.
pub(super) struct DiffReport {
    pub(super) old: Operand,
    pub(super) new: Operand,
    pub(super) boundaries: Vec<ComparedBoundary>,
}

impl DiffReport {
    /// The changes of all boundaries.
    pub(super) fn changes(&self) -> impl Iterator<Item = &Change> {
        self.boundaries.iter().flat_map(|boundary| &boundary.diff.changes)
    }

    /// How many changes are of a level.
    pub(super) fn count(&self, level: Level) -> usize {
        self.changes().filter(|change| change.level == level).count()
    }

    /// Whether somebody is broken; none if that could not be found out.
    pub(super) fn breaking(&self) -> Option<bool> {
        let all = || self.boundaries.iter().map(|boundary| boundary.diff.breaking);
        if all().any(|it| it == Some(true)) {
            return Some(true);
        }
        all().all(|it| it == Some(false)).then_some(false)
    }

    fn fails(&self, on: FailOn) -> bool {
        let breaking = self.breaking() == Some(true) || self.count(Level::Breaking) > 0;
        let unknown = self.breaking().is_none()
            || self.count(Level::Unknown) > 0
            || self.boundaries.iter().any(|boundary| boundary.diff.relation == SetRelation::Unknown);
        match on {
            FailOn::Never => false,
            FailOn::Breaking => breaking,
            FailOn::Unknown => breaking || unknown,
            FailOn::Warning => breaking || unknown || self.count(Level::Warning) > 0,
        }
    }
}

pub(crate) fn run(
    arguments: &Arguments,
    common: &Common,
    streams: &mut Streams,
) -> Result<Exit, CommandError> {
    let mut sources = SourceMap::new();
    let options = ThriftOptions::with(&arguments.include, &arguments.link_root)?;
    let (old, _kept_old) = Operand::load(&arguments.old, 0, &options, common, streams, &mut sources)?;
    let (new, _kept_new) = Operand::load(&arguments.new, 1, &options, common, streams, &mut sources)?;
    let mut report = DiffReport { old, new, boundaries: Vec::new() };
    if !report.old.errors.is_empty() || !report.new.errors.is_empty() {
        match common.form() {
            Form::Json => streams.print(&diff_json::text(&report, &sources))?,
            _ => {
                let errors: Vec<Diagnostic> =
                    report.old.errors.iter().chain(&report.new.errors).cloned().collect();
                report::print_findings(common, streams, &sources, &errors)?;
            }
        }
        return Ok(Exit::Input);
    }
    let known = |operand: &Operand| operand.crossings.iter().any(|it| it.flow.is_some());
    if arguments.whom.is_some() && (known(&report.old) || known(&report.new)) {
        return Err(CommandError::Usage(
            "`--for` is for contracts of one value; which way values go at these boundaries is known"
                .to_owned(),
        ));
    }
    report.boundaries = compared(&report.old, &report.new, arguments);
    match common.form() {
        Form::Json => streams.print(&diff_json::text(&report, &sources))?,
        Form::Text => {
            let text = diff_text::text(&report, &sources, common.quiet);
            streams.print(&text)?;
        }
        Form::Findings(_) => {
            let findings: Vec<Diagnostic> = report
                .boundaries
                .iter()
                .flat_map(|it| it.diff.changes.iter().map(|change| finding(it, change)))
                .collect();
            report::print_findings(common, streams, &sources, &findings)?;
        }
    }
    Ok(if report.fails(arguments.fail_on) { Exit::Input } else { Exit::Fine })
}

/// What the next version of a program should be called, by what changed since a module was published: `major`, `minor` or `patch`.
pub(crate) fn version_advice(
    since: &str,
    program: &std::path::Path,
    common: &Common,
    streams: &Streams,
) -> Result<&'static str, CommandError> {
    let mut sources = SourceMap::new();
    let options = ThriftOptions::with(&[], &[])?;
    let (old, _kept) = Operand::load(since.as_ref(), 0, &options, common, streams, &mut sources)?;
    let (new, _) = Operand::load(program.as_os_str(), 1, &options, common, streams, &mut sources)?;
    let arguments = Arguments {
        old: since.into(),
        new: program.into(),
        whom: None,
        fail_on: FailOn::Never,
        strict: false,
        include: Vec::new(),
        link_root: Vec::new(),
    };
    let boundaries = compared(&old, &new, &arguments);
    Ok(diff_text::advice(&DiffReport { old, new, boundaries }))
}

/// A change as a diagnostic, at its place in the new contract.
fn finding(boundary: &ComparedBoundary, change: &Change) -> Diagnostic {
    let severity = match change.level {
        Level::Breaking => Severity::Error,
        Level::Warning | Level::Unknown => Severity::Warning,
        Level::Info => Severity::Info,
    };
    let message = format!("{} ({}{})", change.message, boundary_prefix(boundary), change.dotted());
    let mut found = Diagnostic::new(severity, format!("contract-diff/{}", change.rule), message);
    if let Some(place) = change.new.or(change.old) {
        found = found.at(place);
    }
    if let (Some(old), Some(_)) = (change.old, change.new) {
        found = found.label(old, "written here before");
    }
    for (value, words) in [
        (&change.lost, "accepted by OLD, refused by NEW"),
        (&change.gained, "refused by OLD, accepted by NEW"),
    ] {
        if let Some(value) = value {
            found = found.help(format!("{words}: {}", boundary.shown(value)));
        }
    }
    found
}

pub(super) fn boundary_prefix(boundary: &ComparedBoundary) -> String {
    if boundary.name == "value" { String::new() } else { format!("{} ", boundary.name) }
}

fn compared(old: &Operand, new: &Operand, arguments: &Arguments) -> Vec<ComparedBoundary> {
    let whom = match arguments.whom {
        None | Some(Whom::Reader) => Flow::In,
        Some(Whom::Writer) => Flow::Out,
        Some(Whom::Both) => Flow::Both,
    };
    let alone = |operand: &Operand| matches!(operand.crossings.as_slice(), [only] if only.flow.is_none());
    // A value is compared with what the other side takes first.
    if alone(old) || alone(new) {
        let (Some(a), Some(b)) = (old.crossings.first(), new.crossings.first()) else { return Vec::new() };
        let flow = a.flow.or(b.flow).filter(|_| arguments.whom.is_none()).unwrap_or(whom);
        let name = if a.flow.is_some() { a.name.clone() } else { b.name.clone() };
        let name = if alone(old) && alone(new) { "value".to_owned() } else { name };
        return vec![one(name, flow, a, b, arguments)];
    }
    let mut all = Vec::new();
    for a in &old.crossings {
        let flow = a.flow.unwrap_or(whom);
        match new.crossings.iter().find(|b| b.name == a.name) {
            Some(b) => {
                let mut found = one(a.name.clone(), flow, a, b, arguments);
                if a.oneway != b.oneway {
                    let message = match b.oneway {
                        true => "it no longer has a reply",
                        false => "it has a reply now",
                    };
                    note(&mut found.diff, "oneway-changed", message, Level::Breaking);
                    if let Some(change) = found.diff.changes.last_mut() {
                        (change.old, change.new) = (a.place(), b.place());
                    }
                    found.diff.breaking = Some(true);
                }
                all.push(found);
            }
            // The result of a function goes with the function.
            None if a.name.ends_with(".result") => {}
            None => {
                let mut diff = nothing(SetRelation::Narrower);
                let (rule, message) = match a.name.starts_with('#') {
                    true => ("type-changed", format!("`{}` is gone", a.name)),
                    false => ("function-removed", format!("the function `{}` is gone", a.name)),
                };
                note(&mut diff, rule, &message, Level::Breaking);
                diff.breaking = Some(true);
                let place = a.place();
                let options = SampleOptions { count: 1, seed: 0, invalid: false };
                let values = samples_for(&a.shape, &a.definitions, options, &|value| a.accepts(value));
                let lost = values.into_iter().next();
                if let Some(change) = diff.changes.last_mut() {
                    (change.old, change.lost) = (place, lost.clone());
                    change.relation = SetRelation::Narrower;
                }
                diff.lost = lost.map_or(Difference::Unknown, Difference::Some);
                let (old, new) = (Some(a.reference.clone()), None);
                all.push(ComparedBoundary {
                    name: a.name.clone(),
                    flow,
                    old,
                    new,
                    diff,
                    spellings: HashMap::new(),
                });
            }
        }
    }
    for b in &new.crossings {
        let is_new = !old.crossings.iter().any(|a| a.name == b.name) && !b.name.ends_with(".result");
        if is_new && !b.name.starts_with('#') {
            let mut diff = nothing(SetRelation::Wider);
            let message = format!("there is another function, `{}`", b.name);
            note(&mut diff, "function-added", &message, Level::Info);
            if let Some(change) = diff.changes.last_mut() {
                change.new = b.place();
            }
            let flow = b.flow.unwrap_or(whom);
            let (old, new) = (None, Some(b.reference.clone()));
            all.push(ComparedBoundary {
                name: b.name.clone(),
                flow,
                old,
                new,
                diff,
                spellings: HashMap::new(),
            });
        }
    }
    all
}

fn nothing(relation: SetRelation) -> BoundaryDiff {
    BoundaryDiff {
        relation,
        lost: Difference::None,
        gained: Difference::None,
        breaking: Some(false),
        changes: Vec::new(),
        disagreements: Vec::new(),
    }
}

/// Adds a change that is none of a set of values.
fn note(diff: &mut BoundaryDiff, rule: &'static str, message: &str, level: Level) {
    diff.changes.push(Change {
        path: Vec::new(),
        rule,
        relation: SetRelation::Equal,
        level,
        message: message.to_owned(),
        lost: None,
        gained: None,
        old: None,
        new: None,
        pointer: String::new(),
    });
}

fn one(name: String, flow: Flow, a: &Crossing, b: &Crossing, arguments: &Arguments) -> ComparedBoundary {
    let wire = WireComparison::new(&a.checker, &b.checker);
    let shapes = wire.as_ref().and_then(WireComparison::shapes);
    let plain = [(a.shape.clone(), &a.definitions), (b.shape.clone(), &b.definitions)];
    let wire = wire.as_ref().filter(|_| shapes.is_some());
    let [(old, old_definitions), (new, new_definitions)] = shapes.unwrap_or(plain);
    let mut diff = compare(&Comparison {
        old: ComparedContract {
            shape: &old,
            definitions: old_definitions,
            folds_names: a.folds_names,
            describe: &|rule| a.describe(rule),
            accepts: &|value| wire.map_or_else(|| a.accepts(value), |wire| wire.accepts(true, value)),
        },
        new: ComparedContract {
            shape: &new,
            definitions: new_definitions,
            folds_names: b.folds_names,
            describe: &|rule| b.describe(rule),
            accepts: &|value| wire.map_or_else(|| b.accepts(value), |wire| wire.accepts(false, value)),
        },
        flow,
        strict: arguments.strict,
        noun: a.noun,
    });
    for change in &mut diff.changes {
        change.old = a.locate(change.old, &change.path);
        change.new = b.locate(change.new, &change.path);
    }
    let mut spellings = HashMap::new();
    if let Some(wire) = wire {
        let plain = |of_old: bool, value: &Constant| if of_old { a.accepts(value) } else { b.accepts(value) };
        for (of_old, value) in proofs(&diff) {
            spellings.insert(value.to_string(), wire.spelling(value, of_old, &plain));
        }
    }
    let (old, new) = (Some(a.reference.clone()), Some(b.reference.clone()));
    ComparedBoundary { name, flow, old, new, diff, spellings }
}

/// The values of a comparison, each with whether the old side accepts it.
fn proofs(diff: &BoundaryDiff) -> impl Iterator<Item = (bool, &Constant)> {
    let whole = [(true, &diff.lost), (false, &diff.gained)].into_iter().filter_map(|(of_old, it)| match it {
        Difference::Some(value) => Some((of_old, value)),
        Difference::None | Difference::Unknown => None,
    });
    let parts = diff.changes.iter().flat_map(|change| {
        [(true, &change.lost), (false, &change.gained)]
            .into_iter()
            .filter_map(|(of_old, it)| it.as_ref().map(|value| (of_old, value)))
    });
    whole.chain(parts)
}
