//! Plans: the resources of a deployment, one by one, with their ids and what each has to wait for.

mod depends;
mod expand;
mod frontier;
mod index;
mod names;
mod order;
mod reasons;

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use smol_str::SmolStr;

pub use frontier::Frontier;
pub(super) use index::{Index, StepTarget};
pub use reasons::{Dependency, DependencyKind};

use super::{Deployment, over_budget};
use crate::Value;
use crate::budget::Overrun;
use crate::evaluate::Scope;
use crate::template::{Resource, Span, TemplateError};

/// What has to be done for a deployment.
#[derive(Debug)]
pub struct Plan {
    pub(super) deployment: Arc<Deployment>,
    steps: Vec<PlanStep>,
    groups: Vec<Vec<usize>>,
    skipped: Vec<Skipped>,
    order: Vec<usize>,
    diagnostics: Vec<WhatIfDiagnostic>,
    pub(super) index: Arc<Index>,
    /// By step, how many bytes of it were sent: one that is evaluated again is paid for once.
    paid: Vec<AtomicU64>,
}

/// One resource, nested deployment or resource that is only read.
#[derive(Clone, Debug)]
pub struct PlanStep {
    /// Its position in [`Plan::steps`].
    pub index: usize,
    /// Its position in the template's resources.
    pub resource: usize,
    /// The symbolic name; none in a template without them.
    pub symbol: Option<SmolStr>,
    /// The loop that it comes from: its name and the iteration.
    pub copy: Option<(SmolStr, usize)>,
    /// What is done for it.
    pub kind: StepKind,
    /// Whether nobody knows yet if it is done: its condition is not known.
    pub is_uncertain: bool,
    /// The id. A resource of an extension has none: it is empty.
    ///
    /// Where the name is not known this is an expression in brackets.
    pub id: SmolStr,
    /// The type, with those of its parents, such as `Our.Things/things/parts`.
    pub type_name: SmolStr,
    /// The version of the API.
    pub api_version: Option<SmolStr>,
    /// The name; empty for a resource of an extension.
    pub name: SmolStr,
    /// Where the resources of a nested deployment go.
    pub target: Scope,
    /// The alias of the extension that the resource belongs to.
    pub extension: Option<SmolStr>,
    /// The steps that have to be done before, in order and each once.
    pub depends_on: Vec<usize>,
    /// Groups of steps, all of which have to be done before; see [`Plan::groups`].
    pub depends_on_groups: Vec<usize>,
    /// The number of the batch in a loop that is deployed batch by batch.
    pub batch: Option<usize>,
    /// Where the resource stands in the template.
    pub span: Span,
}

/// What a step does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StepKind {
    /// Puts a resource of a provider.
    Resource,
    /// Reads a resource when somebody asks for it; by itself it does nothing.
    Existing,
    /// Runs a nested deployment.
    Deployment,
    /// Puts a resource of an extension.
    Extension,
}

/// A resource whose condition is false.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Skipped {
    /// Its position in the template's resources.
    pub resource: usize,
    /// The symbolic name; none in a template without them.
    pub symbol: Option<SmolStr>,
    /// The iteration of its loop.
    pub iteration: Option<usize>,
    /// The id, if it could be told.
    pub id: Option<SmolStr>,
}

/// Something that a prediction could not tell.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WhatIfDiagnostic {
    /// What it is about: the id of a resource, or its symbolic name.
    pub target: String,
    /// How bad it is.
    pub level: Level,
    /// What it is, for programs.
    pub code: Cow<'static, str>,
    /// What it is, for people.
    pub message: String,
}

/// How bad a [`WhatIfDiagnostic`] is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Level {
    /// Good to know; the deployment does what it should.
    Info,
    /// Something may be missing.
    Warning,
    /// Something is wrong, and the deployment may fail.
    Error,
}

impl fmt::Display for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Level::Info => "Info",
            Level::Warning => "Warning",
            Level::Error => "Error",
        })
    }
}

impl WhatIfDiagnostic {
    /// As the REST API says it.
    pub fn to_value(&self) -> Value {
        Value::object([
            ("level", Value::from(self.level.to_string())),
            ("code", Value::from(&*self.code)),
            ("message", Value::from(self.message.as_str())),
            ("target", Value::from(self.target.as_str())),
        ])
    }
}

impl WhatIfDiagnostic {
    /// What [`WhatIfDiagnostic::to_value`] says, as somebody else has sent it.
    pub fn from_value(value: &Value) -> WhatIfDiagnostic {
        let text = |name: &str| {
            let member = value.as_object().and_then(|object| object.get(name));
            member.and_then(Value::as_str).unwrap_or_default().to_owned()
        };
        let level = text("level");
        let levels = [Level::Info, Level::Warning, Level::Error];
        let level = levels.into_iter().find(|known| known.to_string().eq_ignore_ascii_case(&level));
        WhatIfDiagnostic {
            target: text("target"),
            // What is not known may be bad.
            level: level.unwrap_or(Level::Error),
            code: text("code").into(),
            message: text("message"),
        }
    }
}

impl fmt::Display for WhatIfDiagnostic {
    /// Writes `target level code: message`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {} {}: {}", self.target, self.level, self.code, self.message)
    }
}

impl Plan {
    /// The name of the extension that a step is of, which is the same in every template; its alias is the template's own.
    pub fn extension(&self, step: &PlanStep) -> Option<SmolStr> {
        let declared = &self.deployment.template().extensions;
        Some(declared.get(step.extension.as_deref()?)?.name.clone())
    }

    /// Makes the plan of a deployment, or says all that is wrong with it.
    pub fn new(deployment: impl Into<Arc<Deployment>>) -> Result<Plan, Vec<TemplateError>> {
        let deployment = deployment.into();
        let budget = deployment.context().budget.clone();
        Plan::of(deployment).map_err(|errors| over_budget(&budget, errors))
    }

    fn of(deployment: Arc<Deployment>) -> Result<Plan, Vec<TemplateError>> {
        let mut expanded = expand::expand(&deployment)?;
        let index = Index::new(&deployment, &expanded.steps, &expanded.skipped);
        let mut groups = Vec::new();
        let mut errors = names::check(&deployment, &expanded.steps);
        errors.extend(depends::connect(&deployment, &mut expanded, &index, &mut groups));
        let order = match order::order(&deployment, &expanded.steps, &groups) {
            Ok(order) => order,
            Err(error) => {
                errors.push(error);
                Vec::new()
            }
        };
        if !errors.is_empty() {
            return Err(errors);
        }
        let expand::Expanded { steps, skipped, diagnostics } = expanded;
        let paid = steps.iter().map(|_| AtomicU64::new(0)).collect();
        Ok(Plan { deployment, steps, groups, skipped, order, diagnostics, index: Arc::new(index), paid })
    }

    /// Pays for what a step sends: a body, or the parameters of a nested deployment.
    pub(super) fn pay(&self, step: &PlanStep, bytes: u64, path: impl Fn() -> String) -> Result<(), Overrun> {
        self.deployment.context().budget.check_part(bytes, 0, path)?;
        self.pay_for(step, bytes)
    }

    /// The same for something that may be large.
    pub(super) fn pay_for(&self, step: &PlanStep, bytes: u64) -> Result<(), Overrun> {
        let Some(paid) = self.paid.get(step.index) else { return Ok(()) };
        let more = bytes.saturating_sub(paid.fetch_max(bytes, Ordering::Relaxed));
        self.deployment.context().budget.send(more)
    }

    /// The deployment that it is the plan of.
    pub fn deployment(&self) -> &Arc<Deployment> {
        &self.deployment
    }

    /// The steps, in the order of the template.
    pub fn steps(&self) -> &[PlanStep] {
        &self.steps
    }

    /// Steps that others wait for together: the iterations of a loop, or one batch of them.
    pub fn groups(&self) -> &[Vec<usize>] {
        &self.groups
    }

    /// The resources that are not deployed because their condition is false.
    pub fn skipped(&self) -> &[Skipped] {
        &self.skipped
    }

    /// The steps in an order in which each comes behind all that it depends on; the same for the same template.
    pub fn order(&self) -> &[usize] {
        &self.order
    }

    /// What could not be told of some resources.
    pub fn diagnostics(&self) -> &[WhatIfDiagnostic] {
        &self.diagnostics
    }

    /// The resource of the template that a step comes from.
    pub fn resource(&self, step: &PlanStep) -> Option<&Resource> {
        self.deployment.template().resources.get(step.resource)
    }

    /// The steps of a symbolic name: one, or one for each iteration that is deployed.
    pub fn symbol(&self, name: &str) -> Vec<usize> {
        self.index.steps_of_symbol(name)
    }
}

/// What a step is called in messages: its id, or its symbolic name where it has none.
pub(in crate::deployment) fn label(step: &PlanStep) -> String {
    if !step.id.is_empty() {
        return step.id.to_string();
    }
    let symbol = step.symbol.as_deref().unwrap_or(&step.type_name);
    match &step.copy {
        Some((_, iteration)) => format!("{symbol}[{iteration}]"),
        None => symbol.to_owned(),
    }
}
