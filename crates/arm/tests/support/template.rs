//! Runs a case about a template: reads it, binds `parameters.json`, and shows what comes of it.
//!
//! What every template has to have and no reader has to see (`$schema`, `contentVersion`, `resources`) is put in on the
//! first line where it is missing. The deployment is known by its resource group, time and a fixed `newGuid`; the
//! secret of every key vault is `from the vault`.

use arm::Value;
use arm::binding::{BindingContext, BoundValue, Inputs, SecretReference, bind};
use arm::evaluate::{
    Environment, EnvironmentValue, EvaluateError, EvaluationLimits as Work, Evaluator, Moment, Scope,
};
use arm::template::{ErrorLocation, Template, TemplateError, TemplateLimits};
use document::FileId;
use spec_test::{Case, CaseOutput};

/// Runs the case whose template is given.
pub(crate) fn run(case: &Case, text: &str) -> CaseOutput {
    let limits =
        if text.contains("// limits: azure") { TemplateLimits::azure() } else { TemplateLimits::DEFAULT };
    match Template::read(completed(text), &limits) {
        Err(errors) => failed(errors),
        Ok(template) => {
            let inputs = match case.file("parameters.json") {
                None => Ok(Inputs::default()),
                Some(file) => Inputs::read(file.text.as_str(), FileId(1), &limits),
            };
            match inputs {
                Err(errors) => failed(errors),
                Ok(inputs) => bound(case, &template, &inputs),
            }
        }
    }
}

fn bound(case: &Case, template: &Template, inputs: &Inputs) -> CaseOutput {
    let secrets = |_: &SecretReference| Some(Ok(Value::from("from the vault")));
    let surroundings = BindingContext {
        world: &World,
        secrets: &secrets,
        complete: case.file("unknown.text").is_none(),
        limits: Work::DEFAULT,
        budget: None,
        boundary: contract::Boundary::Parameter,
    };
    match bind(template, inputs, &surroundings) {
        Err(errors) => failed(errors),
        Ok(bound) => {
            let mut shown = String::new();
            for parameter in bound.iter() {
                let value = match &parameter.value {
                    BoundValue::Known(value) => value.get().to_json(),
                    BoundValue::Later(rest) => format!("[{rest}]"),
                };
                shown.push_str(&format!("{}: {value}\n", parameter.name));
            }
            CaseOutput::new().output("errors", "").output("parameters", shown)
        }
    }
}

fn failed(errors: Vec<TemplateError>) -> CaseOutput {
    let mut lines = String::new();
    errors.iter().for_each(|error| show(error, &mut lines));
    let rest =
        TemplateError::together(errors).map(|error| arm::template_text::indented(error.to_json().view()));
    CaseOutput::new().output("errors", lines).output("error", rest.unwrap_or_default() + "\n")
}

fn show(error: &TemplateError, out: &mut String) {
    let place = |location: &ErrorLocation| {
        let file = if location.span.file == FileId::FIRST { "main" } else { "parameters" };
        format!("{file}:{}:{}", location.line, location.column)
    };
    let at = error.at.as_deref().map_or_else(|| "-".to_owned(), place);
    out.push_str(&format!("{at} {}: {}\n", error.code, error.message));
    if let Some(at) = error.at.as_deref().filter(|at| !at.path.is_empty()) {
        out.push_str(&format!("  at {}\n", at.path));
    }
    if let Some(target) = &error.target {
        out.push_str(&format!("  target {target}\n"));
    }
    if let Some(rule) = &error.rule {
        out.push_str(&format!("  rule {} {}\n", place(rule), rule.path));
    }
}

fn completed(text: &str) -> String {
    const SCHEMA: &str = "https://schema.management.azure.com/schemas/2019-04-01/deploymentTemplate.json#";
    let mut start = String::new();
    if !text.contains("$schema") {
        start.push_str(&format!("\"$schema\": \"{SCHEMA}\", "));
    }
    if !text.contains("contentVersion") {
        start.push_str("\"contentVersion\": \"1.0.0.0\", ");
    }
    if !text.contains("\"resources\"") {
        let none = if text.contains("languageVersion") { "{}" } else { "[]" };
        start.push_str(&format!("\"resources\": {none}, "));
    }
    if text.contains("incomplete") {
        return text.to_owned();
    }
    text.replacen('{', &format!("{{{start}"), 1)
}

struct World;

impl Environment for World {
    fn host(&self, name: &str, _: &[Value], _: &Evaluator<'_>) -> Result<EnvironmentValue, EvaluateError> {
        match name {
            "resourceGroup" => Ok(EnvironmentValue::Value(Value::object([("location", "westus".into())]))),
            _ => Ok(EnvironmentValue::Unknown),
        }
    }

    fn scope(&self) -> Scope {
        Scope::ResourceGroup {
            subscription: "00000000-0000-0000-0000-000000000000".into(),
            name: "rg".into(),
        }
    }

    fn now(&self) -> Option<Moment> {
        Some(Moment { seconds: 1_680_224_438, ticks: 0 })
    }

    fn new_guid(&self) -> Option<[u8; 16]> {
        Some([7; 16])
    }
}
