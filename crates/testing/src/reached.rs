//! What a case has reached besides what its program tells: resources, modules, and rules that refused values.

use arm::deployment::{Plan, StepKind};
use arm::template::TemplateError;
use bicep::editor::written_place;
use bicep::{Compiler, FilePath};

use crate::probes::note;
use crate::units::{StepOutcome, Unit, Units};

/// The id of a point.
pub(crate) fn id(kind: &str, start: impl std::fmt::Display, path: &FilePath) -> String {
    format!("{kind}:{start}:{path}")
}

/// Notes the resources and modules that were deployed, and the parameters that were accepted.
pub(crate) fn note_units(compiler: &Compiler, main: &FilePath, units: &Units) {
    let mut open: Vec<(FilePath, &Unit)> =
        units.outermost().map(|unit| (main.clone(), unit)).into_iter().collect();
    while let Some((path, unit)) = open.pop() {
        note(&id("accepted", "", &path), 0);
        for step in unit.plan().map(Plan::steps).unwrap_or_default() {
            let Some(symbol) = &step.symbol else { continue };
            let own = symbol.rsplit("::").next().unwrap_or(symbol);
            if step.kind == StepKind::Deployment
                && let (Some(inside), Some(program)) =
                    (units.inside(unit, step), compiler.module_program(&path, own))
            {
                open.push((program, inside));
            }
            let outcome = unit.outcome(step);
            let is_there = matches!(outcome, Some(StepOutcome::Succeeded | StepOutcome::LeftAlone));
            if step.kind != StepKind::Existing && is_there {
                note(&id("resource", own, &path), 0);
            }
        }
    }
}

/// Notes the rules that refused values of parameters.
pub(crate) fn note_refusals(compiler: &Compiler, main: &FilePath, errors: &[TemplateError]) {
    let mut open: Vec<&TemplateError> = errors.iter().collect();
    while let Some(error) = open.pop() {
        open.extend(error.details.iter());
        let Some(rule) = &error.rule else { continue };
        if let Some((path, span)) = written_place(compiler, main, &rule.path) {
            note(&id("refused", span.start, &path), 1);
        }
    }
}
