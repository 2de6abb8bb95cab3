//! Any bytes are read as a template and, behind a zero byte, as its parameters, or refused with errors whose places
//! are in the text. What is read binds or is refused within its limits, and so do the templates inside it. A value that
//! a secure parameter is given is in no error.

#![no_main]

use arm::Value;
use arm::binding::{BindingContext, BoundValue, Inputs, ParameterSource, SecretReference, bind};
use arm::evaluate::{EvaluationLimits, Void};
use arm::template::{Template, TemplateError, TemplateLimits};
use contract::Boundary;
use document::FileId;
use libfuzzer_sys::fuzz_target;

const WORK: EvaluationLimits = EvaluationLimits { steps: 50_000, ..EvaluationLimits::DEFAULT };

fn check_errors(errors: &[TemplateError], text: usize) {
    assert!(!errors.is_empty(), "refused without a reason");
    for error in errors {
        if let Some(at) = &error.at {
            assert!(at.span.end as usize <= text, "no such place: {error:?}");
        }
        assert!(!error.to_json().to_json().is_empty());
        error.details.iter().for_each(|detail| check_errors(std::slice::from_ref(detail), text));
    }
}

fn run(template: &Template, inputs: &Inputs, text: usize, depth: usize) {
    let secrets = |_: &SecretReference| Some(Ok(Value::from("from the vault")));
    for complete in [true, false] {
        let around = BindingContext {
            world: &Void,
            secrets: &secrets,
            complete,
            limits: WORK,
            budget: None,
            boundary: Boundary::Parameter,
        };
        match bind(template, inputs, &around) {
            Ok(bound) => {
                for (parameter, bound) in template.parameters.iter().zip(bound.iter()) {
                    if let (true, BoundValue::Known(value)) = (parameter.ty.secure, &bound.value) {
                        let value = value.get();
                        assert!(value.is_null() || value.is_secret(), "a secure value is not a secret");
                    }
                }
            }
            Err(errors) => {
                check_errors(&errors, text);
                no_secrets(template, inputs, &errors);
            }
        }
    }
    if depth < 4 {
        for nested in template.resources.iter().filter_map(|resource| resource.nested.as_ref()).take(8) {
            match template.nested(nested) {
                None => {}
                Some(Ok(inner)) => run(&inner, &Inputs::default(), text, depth + 1),
                Some(Err(errors)) => check_errors(&errors, text),
            }
        }
    }
}

/// Looks for long texts of secure parameters and external inputs, which nothing else has, in errors.
fn no_secrets(template: &Template, inputs: &Inputs, errors: &[TemplateError]) {
    let secure = template.parameters.iter().filter(|parameter| parameter.ty.secure);
    let secure = secure.filter_map(|parameter| match &inputs.get(&parameter.name)?.given {
        ParameterSource::Value(Value::Text(text)) => Some(text),
        _ => None,
    });
    let external = inputs.external_inputs().iter().filter_map(|input| match &input.value {
        Some(Value::Text(text)) => Some(text),
        _ => None,
    });
    // What is called like a secret is shown.
    let mut names: Vec<String> =
        inputs.iter().map(|input| format!("{:?}", (&input.name, &input.given))).collect();
    names.extend(inputs.external_inputs().iter().map(arm::binding::ExternalInput::describe));
    for text in secure.chain(external) {
        if !inputs.external_inputs().is_empty() && names.iter().any(|name| name.contains(text.as_str())) {
            continue;
        }
        if !text.starts_with("secret-secret")
            || text.contains(|c: char| !c.is_ascii_alphanumeric() && c != '-')
        {
            continue;
        }
        let written = template.source().source().matches(text.as_str()).count();
        for error in errors {
            assert!(written > 0 || !error.message.contains(text.as_str()), "a secret is shown: {error}");
        }
    }
}

fuzz_target!(|bytes: &[u8]| {
    let mut parts = bytes.splitn(2, |byte| *byte == 0);
    let (template, parameters) = (parts.next().unwrap_or_default(), parts.next());
    let limits = TemplateLimits { bytes: 1 << 16, errors: 20, ..TemplateLimits::DEFAULT };
    let inputs = match parameters.map(|parameters| Inputs::read(parameters, FileId(1), &limits)) {
        None => Inputs::default(),
        Some(Ok(inputs)) => {
            if let Err(errors) = inputs.resolved() {
                check_errors(&errors, bytes.len());
            }
            inputs
        }
        Some(Err(errors)) => {
            check_errors(&errors, bytes.len());
            Inputs::default()
        }
    };
    match Template::read(template, &limits) {
        Ok(template) => run(&template, &inputs, bytes.len(), 0),
        Err(errors) => check_errors(&errors, bytes.len()),
    }
});
