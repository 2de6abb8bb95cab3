//! What the records of a state look like, for those that somebody else wrote: each is what this program writes, or what an earlier one
//! wrote.
//!
//! The forms themselves are contracts, in `resources/records`. What they cannot say stands here: records speak of each other and of the
//! keys that they lie under.

mod contracts;
mod ids;
mod wellformed;

use arm::deployment::{Links, Plan};
use arm::evaluate::Scope;
use arm::template::{AdmissionError, Template, TemplateLimits, TypeWord};
use arm::{PROVISIONING_STATE, ProvisioningState, Value, folded};
use contract::{Boundary, admit};
use store::{Deployment, DeploymentKey, Format, Operation, Phase, Resource, Status, StepRecord};

use crate::attempts::{ATTEMPTS, StartCount};
use crate::provider::EXTENSION;
use crate::stored_inputs::{self, Unusable};
use contracts::Form;
use machine::records::{DeploymentRecord, FORMAT, INPUTS, SECRETS, TEMPLATE, deployment_id, parse};

/// What is wrong with a record, each with its path; nothing if it is one of ours.
pub type Flaws = Vec<String>;

/// The fewest bytes of something sealed: its form, a nonce and a tag.
const SEALED: usize = 41;

/// More steps or operations than this no run has.
const MOST: u32 = 1 << 24;

/// Whether a program of this version writes or reads the form.
fn format(format: Format) -> Option<String> {
    let is_known = (1..=FORMAT).contains(&format);
    (!is_known).then(|| format!("`format` is {format}, and this program knows those from 1 to {FORMAT}"))
}

/// What is wrong with the record of a deployment.
pub fn deployment(deployment: &Deployment) -> Flaws {
    let mut flaws: Flaws = format(deployment.format).into_iter().chain(key(&deployment.key)).collect();
    if deployment.order < 0 {
        flaws.push("`order` is negative".to_owned());
    }
    flaws.extend(Form::Deployment.flaws(&deployment.body));
    if !flaws.is_empty() {
        return flaws;
    }
    let Ok(record) = DeploymentRecord::from_store(&deployment.body) else {
        return vec!["`body` cannot be read".to_owned()];
    };
    let scope = Scope::parse(deployment.key.scope()).unwrap_or(Scope::Unknown);
    let id = deployment_id(&scope.id(), deployment.key.name());
    for (member, found, wanted) in
        [("id", &record.id, id.as_str()), ("name", &record.name, deployment.key.name())]
    {
        if folded(found) != folded(wanted) {
            flaws.push(format!("$.{member}: it is another one than that of the row"));
        }
    }
    let is_running = record.state == ProvisioningState::Running;
    if is_running != (deployment.status == Status::Active) {
        flaws.push(format!("$.properties.{PROVISIONING_STATE}: it is not what `active` says"));
    }
    for (section, values) in [("parameters", &record.parameters), ("outputs", &record.outputs)] {
        let values = values.as_ref().and_then(Value::as_object);
        for (name, entry) in values.into_iter().flatten() {
            flaws.extend(shown(entry).map(|why| format!("$.properties.{section}.{name}.value: {why}")));
        }
    }
    flaws
}

/// What is wrong with where a deployment is kept.
fn key(key: &DeploymentKey) -> Flaws {
    let mut flaws = Flaws::new();
    let scope = Scope::parse(key.scope()).filter(|scope| scope.unaddressable().is_none());
    if scope.is_none_or(|scope| folded(&scope.id()) != folded(key.scope())) {
        flaws.push("`scope` is not the id of a scope".to_owned());
    }
    let longest = TemplateLimits::DEFAULT.deployment_name;
    let is_fine = |letter: char| letter.is_alphanumeric() || "-._()".contains(letter);
    let name = key.name();
    if name.is_empty() || name.chars().count() > longest || !name.chars().all(is_fine) {
        flaws.push("`name` is not the name of a deployment".to_owned());
    }
    flaws
}

/// Why an entry of parameters or outputs is not `{"type", "value"}` of something that was let in.
fn shown(entry: &Value) -> Option<String> {
    let (word, value) = (at(entry, &["type"]), at(entry, &["value"])?);
    if let Some(why) = wellformed::first(value) {
        return Some(why);
    }
    let (word, is_secure) = TypeWord::parse(word?.as_str()?)?;
    if value.is_null() {
        return None;
    }
    if is_secure {
        return Some("a secure value is not kept in plain".to_owned());
    }
    let Err(AdmissionError::Broken(breaches)) = admit(Boundary::ImportedRecord, &word, value.clone()) else {
        return None;
    };
    breaches.into_iter().next().map(|breach| breach.message.into())
}

/// What is wrong with the record of a step.
pub fn step(step: &StepRecord) -> Flaws {
    let mut flaws: Flaws = format(step.format).into_iter().collect();
    if step.phase != Phase::Confirmed {
        flaws.push("`confirmed` is false, and only steps that have ended are kept".to_owned());
    }
    if step.number > MOST {
        flaws.push("`number` is not the number of a step".to_owned());
    }
    flaws.extend(Form::Step.flaws(&step.body));
    flaws
}

/// What is wrong with the record of an operation.
pub fn operation(operation: &Operation) -> Flaws {
    let mut flaws: Flaws = format(operation.format).into_iter().collect();
    if !(1..=MOST).contains(&operation.number) {
        flaws.push("`number` is not the number of an operation, which are counted from 1".to_owned());
    }
    flaws.extend(Form::Operation.flaws(&operation.body));
    flaws
}

/// Whose part of a run something is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RunPart {
    /// That of any run.
    Any,
    /// That of an outermost run alone.
    Outermost,
}

/// What is wrong with a part of a run that is kept apart, and who may have it.
pub fn blob(name: &str, bytes: &[u8]) -> Result<RunPart, Flaws> {
    let text = || std::str::from_utf8(bytes).map_err(|_| vec!["`bytes` is not UTF-8".to_owned()]);
    let sealed = || match bytes.len() < SEALED {
        true => Err(vec!["`bytes` is nothing that was sealed".to_owned()]),
        false => Ok(()),
    };
    let is_step = name.strip_prefix("step/").is_some_and(|number| number.parse::<u32>().is_ok());
    match name {
        // A template is what readers of templates say, and nothing stricter.
        TEMPLATE => template(text()?).map(|_| RunPart::Outermost),
        INPUTS => match inputs(text()?) {
            flaws if flaws.is_empty() => Ok(RunPart::Outermost),
            flaws => Err(flaws),
        },
        SECRETS => sealed().map(|()| RunPart::Outermost),
        ATTEMPTS => match StartCount::parse(bytes) {
            Some(_) => Ok(RunPart::Outermost),
            None => Err(vec!["`bytes` is no count of starts".to_owned()]),
        },
        _ if is_step => sealed().map(|()| RunPart::Any),
        // What it leads to is read when the deployment comes to it.
        _ if name.starts_with("link/") => text().map(|_| RunPart::Outermost),
        _ => Err(vec!["`name` is none of the parts of a run".to_owned()]),
    }
}

fn template(text: &str) -> Result<Template, Flaws> {
    Template::read(text, &TemplateLimits::DEFAULT)
        .map_err(|errors| errors.into_iter().map(|error| error.message.into()).collect())
}

fn inputs(text: &str) -> Flaws {
    let flaws = Form::Inputs.flaws(text);
    if !flaws.is_empty() {
        return flaws;
    }
    let Ok(inputs) = parse(text) else { return vec!["`bytes` cannot be read".to_owned()] };
    let values = at(&inputs, &["parameters"]);
    values.and_then(wellformed::first).map(|why| format!("$.parameters: {why}")).into_iter().collect()
}

/// What is wrong with an outermost run that has not ended, and will be resumed: it must be one that can be.
///
/// `last` is the last of its steps that have ended.
pub fn run(
    deployment: &Deployment,
    template: Option<&[u8]>,
    inputs: Option<&[u8]>,
    last: Option<u32>,
) -> Flaws {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let Some(inputs) = inputs.and_then(|inputs| parse(&text(inputs)).ok()) else {
        return vec!["it has not ended, and what it was accepted with is missing".to_owned()];
    };
    let template = template.map(text);
    let record = DeploymentRecord::from_store(&deployment.body).ok();
    let shown = record.and_then(|record| record.parameters).unwrap_or(Value::Null);
    match stored_inputs::thaw_for_looking(template.as_deref(), &inputs, &shown, Links::default()) {
        Ok(thawed) => match (Plan::new(thawed), last) {
            (Ok(plan), Some(last)) if last as usize >= plan.steps().len() + plan.groups().len() => {
                vec![format!("it has a step {last}, and its template has none")]
            }
            // What it cannot be planned without may be a secret.
            (Ok(_) | Err(_), _) => Flaws::new(),
        },
        Err(Unusable::Unreadable) => vec!["it has not ended, and cannot be resumed".to_owned()],
        Err(Unusable::Refused(errors)) => errors
            .into_iter()
            .map(|error| match error.target {
                Some(target) => format!("`{target}`: {}", error.message),
                None => error.message.into(),
            })
            .collect(),
    }
}

/// What is wrong with what every record of a resource has around it.
pub fn envelope(resource: &Resource) -> Flaws {
    let mut flaws: Flaws = format(resource.format).into_iter().collect();
    if resource.version == 0 {
        flaws.push("`version` is 0, and versions are counted from 1".to_owned());
    }
    flaws.extend(Form::Resource.flaws(&resource.body));
    if flaws.is_empty()
        && let Ok(kept) = parse(&resource.body)
    {
        let body = at(&kept, &["body"]).and_then(wellformed::first);
        flaws.extend(body.map(|why| format!("$.body: {why}")));
    }
    flaws
}

/// What is wrong with the record of a resource, beyond what is around it: the resource says of itself where it is.
pub fn resource(resource: &Resource) -> Flaws {
    let kept = parse(&resource.body).unwrap_or(Value::Null);
    let Some(body) = at(&kept, &["body"]).filter(|body| body.as_object().is_some()) else {
        return vec!["$.body: it is not an object".to_owned()];
    };
    let is_extension = resource.id.starts_with(EXTENSION);
    let own = match is_extension {
        true => ids::of_extension(&resource.id),
        false => ids::of_resource(&resource.id),
    };
    let Some(own) = own else { return vec!["`id` is not the id of a resource".to_owned()] };
    let mut flaws = Flaws::new();
    for (member, wanted) in
        [("id", Some(resource.id.as_str())), ("name", own.name), ("type", own.kind.as_deref())]
    {
        let Some(wanted) = wanted else { continue };
        let found = at(body, &[member]).and_then(Value::as_str);
        if found.is_none_or(|found| folded(found) != folded(wanted)) {
            flaws.push(format!("$.body.{member}: it is not what the id says, `{wanted}`"));
        }
    }
    flaws
}

/// What is at the end of a way through a value.
fn at<'v>(value: &'v Value, way: &[&str]) -> Option<&'v Value> {
    way.iter().try_fold(value, |value, name| value.as_object()?.get(name))
}
