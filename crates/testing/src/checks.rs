//! What is checked of every case that succeeds, whether or not a test asks for it.

use std::collections::BTreeSet;
use std::sync::Arc;

use arm::Value;
use arm::binding::Inputs;
use arm::deployment::{Deployment, Plan, StepKind};
use arm::template::{Template, TemplateError};

use crate::body::CaseBody;
use crate::evaluation::seed_of;
use crate::outcome::FailureKind;
use crate::run::CaseRun;
use crate::setup::CaseSetup;

/// How many modules are looked into for limits.
const MOST_MODULES: usize = 500;

/// How many changes are told.
const MOST_CHANGES: usize = 10;

/// Something that a check found.
pub(crate) struct CheckFinding {
    pub(crate) code: &'static str,
    pub(crate) name: Option<String>,
    pub(crate) message: String,
    /// The member of the body that it is about, with dots.
    pub(crate) member: Option<String>,
}

impl CheckFinding {
    /// All of them are failures of this kind.
    pub(crate) const KIND: FailureKind = FailureKind::Check;

    fn new(code: &'static str, message: String) -> CheckFinding {
        CheckFinding { code, name: None, message, member: None }
    }
}

/// What the checks of one case find; whether mocks were used is known of all cases together.
pub(crate) fn of_case(setup: &CaseSetup<'_>, run: &CaseRun) -> Vec<CheckFinding> {
    let choice = setup.body.checks;
    let mut found = Vec::new();
    if choice.idempotent && !run.not_idempotent.is_empty() {
        found.push(CheckFinding::new("idempotent", not_idempotent(&run.not_idempotent)));
    }
    if choice.unique_ids {
        for id in &run.twice {
            let message = format!("two resources of the deployment have the id `{id}`");
            found.push(CheckFinding::new("unique-ids", message));
        }
    }
    if choice.secret_output {
        for output in &run.secret_outputs {
            let message = format!(
                "the output `{output}` holds something that was computed from a secret, and is not `@secure()`"
            );
            let name = Some(output.clone());
            found.push(CheckFinding { name, ..CheckFinding::new("secret-output", message) });
        }
    }
    if choice.limits {
        let beyond = beyond_limits(setup);
        found.extend(beyond.map(|message| CheckFinding::new("limits", message)));
    }
    found
}

fn not_idempotent(changes: &[(String, Vec<String>)]) -> String {
    let mut lines = vec![
        "deployed again an hour later, the same inputs change something; if that is meant, say `checks: { idempotent: false }`"
            .to_owned(),
    ];
    for (id, paths) in changes.iter().take(MOST_CHANGES) {
        let paths: Vec<String> = paths.iter().take(MOST_CHANGES).map(|path| format!("`{path}`")).collect();
        lines.push(match (id.as_str(), paths.as_slice()) {
            ("", paths) => format!("  it fails: {}", paths.join(", ")),
            (id, []) => format!("  `{id}`"),
            (id, paths) => format!("  `{id}`: {}", paths.join(", ")),
        });
    }
    if changes.len() > MOST_CHANGES {
        lines.push(format!("  and {} more", changes.len() - MOST_CHANGES));
    }
    lines.join("\n")
}

/// What of the program breaks the limits of Azure.
fn beyond_limits(setup: &CaseSetup<'_>) -> Option<String> {
    let plain = match setup.session.plain_program(setup.program) {
        Ok(plain) => plain,
        Err(why) => return Some(why),
    };
    let inputs = setup.inputs(&plain.inputs).ok()?;
    let found = match &plain.bounded {
        Ok(template) => first_error(setup, template, &inputs)?,
        Err(errors) => first(errors)?,
    };
    // What is wrong without limits as well is none: nothing ran, and what modules give is not known.
    let anyway = first_error(setup, &plain.template, &inputs);
    (anyway.as_ref() != Some(&found)).then_some(found)
}

fn first(errors: &[TemplateError]) -> Option<String> {
    errors.first().map(|error| error.brief().into_owned())
}

/// The first error of a template and its modules, as far as they are known before anything runs.
fn first_error(setup: &CaseSetup<'_>, template: &Arc<Template>, inputs: &Inputs) -> Option<String> {
    let deployment = match setup.deployment(template, inputs, setup.body.time, seed_of(setup.id)) {
        Ok(deployment) => deployment,
        Err(errors) => return first(&errors),
    };
    let mut open: Vec<Arc<Deployment>> = vec![deployment];
    let mut looked = 0;
    while let Some(deployment) = open.pop() {
        let plan = match Plan::new(deployment) {
            Ok(plan) => plan,
            Err(errors) => return first(&errors),
        };
        for step in plan.steps().iter().filter(|step| step.kind == StepKind::Deployment) {
            looked += 1;
            if looked > MOST_MODULES {
                return None;
            }
            // What depends on what other modules give is not known here.
            open.extend(plan.nested(step.index).ok().flatten());
        }
    }
    None
}

/// The mocks of a test that none of its cases used, if all of them ran.
pub(crate) fn unused_mocks(cases: &[(&CaseBody, &CaseRun)]) -> Vec<(usize, CheckFinding)> {
    let given: BTreeSet<&str> =
        cases.iter().flat_map(|(_, run)| run.mocks_given.iter().map(String::as_str)).collect();
    let mut used_rows = BTreeSet::new();
    for (body, run) in cases {
        let rows = rows(body);
        let unused = run.unused_rows.as_deref().unwrap_or_default();
        let used = rows.iter().enumerate().filter(|(place, _)| !unused.contains(place));
        used_rows.extend(used.map(|(_, row)| row.to_json()));
    }
    let mut found = Vec::new();
    let mut told = BTreeSet::new();
    for (place, (body, run)) in cases.iter().enumerate() {
        if !body.checks.unused_mocks || run.failure.is_some() {
            continue;
        }
        let answers = arm::deployment::Mocks::new(body.mocks.clone()).map(|mocks| mocks.answers());
        for answer in answers.unwrap_or_default() {
            if !given.contains(answer.as_str()) && told.insert(answer.clone()) {
                found.push((place, unused(answer)));
            }
        }
        for (number, row) in rows(body).iter().enumerate() {
            let is_used = run.unused_rows.is_none() || used_rows.contains(&row.to_json());
            if !is_used && told.insert(row.to_json()) {
                found.push((place, unused(format!("provider[{number}]"))));
            }
        }
    }
    found
}

fn rows(body: &CaseBody) -> Vec<Value> {
    let provider = body.mocks.plain().as_object().and_then(|mocks| mocks.get("provider"));
    provider.and_then(Value::as_array).map(<[Value]>::to_vec).unwrap_or_default()
}

fn unused(answer: String) -> CheckFinding {
    let message = format!("nothing used the mock `{answer}`; it may be misspelt");
    let member = Some(format!("mocks.{answer}"));
    CheckFinding { name: Some(answer), member, ..CheckFinding::new("unused-mock", message) }
}
