//! What a case has reached besides what its program tells: resources, modules, and rules that refused values.

use std::sync::Arc;

use arm::deployment::{Deployment, Plan, StepKind};
use arm::evaluate::EnvironmentValue;
use arm::template::TemplateError;
use bicep::FilePath;

use crate::probes::{self, id, note};
use crate::program::is_template;
use crate::session::Session;
use crate::units::{StepOutcome, Unit, Units};

/// Notes the resources and modules that were deployed, and the rules that values of parameters have kept.
pub(crate) fn note_units(session: &Session<'_>, main: &FilePath, units: &Units) {
    let compiler = session.compiler;
    let mut open: Vec<(FilePath, &Unit)> =
        units.outermost().map(|unit| (main.clone(), unit)).into_iter().collect();
    while let Some((path, unit)) = open.pop() {
        if let Some(plan) = unit.plan() {
            note_accepted(session, &path, plan.deployment());
        }
        let is_template = is_template(&path);
        for step in unit.plan().map(Plan::steps).unwrap_or_default() {
            let outcome = unit.outcome(step);
            let is_there = matches!(outcome, Some(StepOutcome::Succeeded | StepOutcome::LeftAlone));
            if is_template && is_there && step.kind != StepKind::Existing {
                note(&id("resource", step.resource, &path), 0);
            }
            let Some(symbol) = step.symbol.as_ref().filter(|_| !is_template) else { continue };
            let own = symbol.rsplit("::").next().unwrap_or(symbol);
            if step.kind == StepKind::Deployment
                && let (Some(inside), Some(program)) =
                    (units.inside(unit, step), compiler.module_program(&path, own))
            {
                open.push((program, inside));
            }
            if step.kind != StepKind::Existing && is_there {
                note(&id("resource", symbol, &path), 0);
            }
        }
    }
}

/// Notes the rules that the values of a deployment's parameters have kept.
fn note_accepted(session: &Session<'_>, path: &FilePath, deployment: &Deployment) {
    let template = deployment.template();
    for parameter in &template.parameters {
        let Some(EnvironmentValue::Value(value)) = deployment.parameter(&parameter.name) else { continue };
        for rule in template.rules_applied(&parameter.name, &parameter.ty, value) {
            if let Some((file, start)) = session.rule_place(path, &rule) {
                note(&id("accepted", start, &file), 0);
            }
        }
    }
}

/// Notes the rules that refused values of parameters.
pub(crate) fn note_refusals(session: &Session<'_>, main: &FilePath, errors: &[TemplateError]) {
    let mut open: Vec<&TemplateError> = errors.iter().collect();
    while let Some(error) = open.pop() {
        open.extend(error.details.iter());
        let Some(rule) = &error.rule else { continue };
        // The rule of a module is a part of the template around it.
        let (mut path, mut rest) = (main.clone(), rule.path.as_str());
        while let Some((module, inner)) =
            rest.strip_prefix("resources.").and_then(|rest| rest.split_once(".properties.template."))
        {
            let Some(program) = session.compiler.module_program(&path, module) else { break };
            (path, rest) = (program, inner);
        }
        if let Some((file, start)) = session.rule_place(&path, rest) {
            note(&id("refused", start, &file), 1);
        }
    }
}

/// Looks at a deployment and those inside it as far as they are known before anything runs, each with its program.
fn foreseen(
    session: &Session<'_>,
    main: &FilePath,
    deployment: &Arc<Deployment>,
    see: &mut dyn FnMut(&FilePath, &Plan),
) {
    /// How many modules are looked into.
    const MOST: usize = 500;
    let mut open = vec![(main.clone(), Arc::clone(deployment))];
    let mut looked = 0;
    while let Some((path, deployment)) = open.pop() {
        let Ok(plan) = Plan::new(deployment) else { continue };
        see(&path, &plan);
        for step in plan.steps().iter().filter(|step| step.kind == StepKind::Deployment) {
            looked += 1;
            if looked > MOST {
                return;
            }
            let program = step.symbol.as_deref().and_then(|it| session.compiler.module_program(&path, it));
            open.extend(program.zip(plan.nested(step.index).ok().flatten()));
        }
    }
}

/// Notes the rules that refused values for parameters of modules, as far as they are known before anything runs.
pub(crate) fn note_refusals_of_modules(session: &Session<'_>, main: &FilePath, deployment: &Arc<Deployment>) {
    let mut refused = Vec::new();
    probes::aside(|| {
        foreseen(session, main, deployment, &mut |path, plan| {
            let modules = plan.steps().iter().filter(|step| step.kind == StepKind::Deployment);
            let errors = modules.filter_map(|step| plan.nested(step.index).err());
            refused.extend(errors.map(|error| (path.clone(), error)));
        });
    });
    for (path, error) in &refused {
        note_refusals(session, path, std::slice::from_ref(error));
    }
}

/// Notes what a prediction has: its resources and modules, and the rules that values of parameters have kept.
pub(crate) fn note_predicted(session: &Session<'_>, main: &FilePath, deployment: &Arc<Deployment>) {
    let mut plans = Vec::new();
    probes::aside(|| {
        foreseen(session, main, deployment, &mut |path, plan| {
            let steps = plan.steps().iter().filter(|step| step.kind != StepKind::Existing);
            let steps: Vec<_> = steps.map(|step| (step.resource, step.symbol.clone())).collect();
            plans.push((path.clone(), Arc::clone(plan.deployment()), steps));
        });
    });
    for (path, deployment, steps) in plans {
        note_accepted(session, &path, &deployment);
        for (resource, symbol) in steps {
            match symbol.filter(|_| !is_template(&path)) {
                Some(symbol) => note(&id("resource", symbol, &path), 0),
                None => note(&id("resource", resource, &path), 0),
            }
        }
    }
}
