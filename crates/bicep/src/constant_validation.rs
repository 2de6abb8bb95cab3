//! Constants that validators would refuse at deployment, told when compiling: default values of parameters, what modules
//! are given, and the values of parameters files.
//!
//! The template that was just written is asked, so that a warning says what the deployment would say. Templates without
//! validators are not even read.

use std::sync::Arc;

use arm::Value;
use arm::binding::{EarlyViolation, refused_defaults, refused_values};
use arm::template::Template;
use arm::template_text::Layered;
use contract::{Constant, Path, PathStep};
use document::{Document, FileId};
use smol_str::SmolStr;
use syntax::ast::{AstNode as _, Expr, ParameterDefaultValue, Statement};
use syntax::{Span, SyntaxElement};

use crate::check::{self, CheckHost};
use crate::codes;
use crate::files::ReferenceKind;
use crate::finding::Finding;
use crate::language::Dialect;
use crate::symbols::Model;
use crate::world::FilePath;

/// The member that only templates with validators have.
const CONSTRAINT: &str = "\"userDefinedConstraint\"";

/// How much asking validators may cost for one file; beyond it, nothing is said.
const STEPS: u64 = 1_000_000;

/// The template that a module becomes, read; none if it has errors or no validators.
pub(crate) type ReadModule<'r> = dyn Fn(&FilePath) -> Option<Arc<Template>> + 'r;

/// What validators would refuse in a file whose template was written.
pub(crate) fn findings(
    host: &dyn CheckHost,
    template_of: &ReadModule<'_>,
    model: &Arc<Model>,
    written: &Layered,
) -> Vec<Finding> {
    if model.dialect == Dialect::Public {
        return Vec::new();
    }
    let (mut found, mut steps) = (Vec::new(), STEPS);
    if model.is_params() {
        if let Some(target) = model.target_of(ReferenceKind::Using)
            && let Some(template) = template_of(target.path())
        {
            values(model, &template, &written.written(), &mut steps, &mut found);
        }
        return check::unsuppressed(model, found);
    }
    if written.mentions(CONSTRAINT)
        && let Ok(template) = read(written)
    {
        defaults(model, &template, &mut steps, &mut found);
    }
    modules(host, template_of, model, &mut steps, &mut found);
    check::unsuppressed(model, found)
}

/// Reads a template that was written.
pub(crate) fn read(written: &Layered) -> Result<Template, Vec<arm::template::TemplateError>> {
    Template::read(written.written(), &arm::template::TemplateLimits::DEFAULT)
}

/// Tells whether a template has validators of its own.
pub(crate) fn has_validators(written: &Layered) -> bool {
    written.mentions(CONSTRAINT)
}

fn defaults(model: &Model, template: &Template, steps: &mut u64, found: &mut Vec<Finding>) {
    for refusal in refused_defaults(template, steps) {
        let mut parameters = model.declarations.parameters.iter();
        let symbol = parameters.find(|symbol| model.symbol(**symbol).name == refusal.parameter);
        let Some(Statement::ParameterDeclaration(parameter)) =
            symbol.and_then(|symbol| model.statement_of(*symbol))
        else {
            continue;
        };
        let modifier = parameter.modifier().and_then(SyntaxElement::node);
        if let Some(default) = modifier.and_then(ParameterDefaultValue::cast) {
            found.push(finding(&refusal, default.value()));
        }
    }
}

/// What a module is given, by the names of its parameters.
type ModuleArguments<'m> = Vec<(SmolStr, Expr<'m>)>;

fn modules(
    host: &dyn CheckHost,
    template_of: &ReadModule<'_>,
    model: &Model,
    steps: &mut u64,
    found: &mut Vec<Finding>,
) {
    // What each module that has validators is given.
    let mut given: Vec<(Arc<Template>, ModuleArguments<'_>)> = Vec::new();
    for module in &model.modules {
        let Some(target) = model.module_target(module) else { continue };
        let Some(template) = template_of(target.path()) else { continue };
        let Some(Expr::Object(params)) = model.body_property(&module.body, "params") else { continue };
        let written = params
            .properties()
            .filter_map(|property| Some((property.key().constant()?.as_ref().into(), property.value())));
        given.push((template, written.collect()));
    }
    if given.is_empty() {
        return;
    }
    let all = given.iter().flat_map(|(_, written)| written.iter().map(|(_, value)| *value));
    let mut constants = check::constants(model, host, all).into_iter();
    for (template, written) in &given {
        let values: Vec<(SmolStr, Option<Value>)> =
            written.iter().map(|(name, _)| (name.clone(), constants.next().flatten())).collect();
        if *steps == 0 {
            return;
        }
        for refusal in refused_values(template, &values, steps) {
            let value = written.iter().find(|(name, _)| *name == refusal.parameter);
            found.extend(value.map(|(_, value)| finding(&refusal, *value)));
        }
    }
}

fn values(model: &Model, template: &Template, written: &str, steps: &mut u64, found: &mut Vec<Finding>) {
    let Ok(document) = Document::from_json(written, FileId::FIRST, &document::ReadLimits::DEFAULT) else {
        return;
    };
    let parameters = document.root().member("parameters");
    let values =
        parameters.into_iter().flat_map(document::SourceValue::members).filter_map(|(name, parameter)| {
            let value = parameter.member("value").and_then(|value| Value::from_view(value).ok());
            Some((name.as_str()?.into(), value))
        });
    let values: Vec<(SmolStr, Option<Value>)> = values.collect();
    for refusal in refused_values(template, &values, steps) {
        let mut assigned = model.declarations.assignments.iter();
        let symbol = assigned.find(|symbol| model.symbol(**symbol).name == refusal.parameter);
        // What another file gives is said there.
        if let Some(Statement::ParameterAssignment(it)) =
            symbol.and_then(|symbol| model.statement_of(*symbol))
        {
            found.push(finding(&refusal, it.value()));
        }
    }
}

fn finding(refusal: &EarlyViolation, value: Expr<'_>) -> Finding {
    let why = match &refusal.message {
        Some(message) => format!(": {}", message.fragment()),
        None => " by its validator".to_owned(),
    };
    codes::VALIDATOR_FAILED.at(place(value, &refusal.path), &[&why])
}

/// The part of a value that a path leads to, as far as it is written out.
fn place(value: Expr<'_>, path: &Path) -> Span {
    let mut here = value;
    for step in &path.steps {
        let name = match step {
            PathStep::Name(name) => Some(&**name),
            PathStep::Entry(Constant::Text(name)) => Some(name.as_str()),
            PathStep::Entry(_) | PathStep::Index(_) | PathStep::Key(_) | PathStep::Secret => None,
        };
        let next = match (here, step, name) {
            (Expr::Object(object), _, Some(name)) => {
                let mut properties = object.properties();
                properties
                    .find(|it| it.key().constant().is_some_and(|key| key.eq_ignore_ascii_case(name)))
                    .map(|property| property.value())
            }
            (Expr::Array(array), PathStep::Index(index), _) => check::array_items(array).nth(*index),
            _ => None,
        };
        match next {
            Some(next) => here = next,
            None => break,
        }
    }
    here.span()
}
