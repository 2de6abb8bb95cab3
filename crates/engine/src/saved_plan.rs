//! A prediction that is kept in a file, so that what was reviewed is what is done.
//!
//! A plan has the deployment as it was bound: template, values, time and seed. Secrets in it are sealed with the key of the state, and a value that
//! only this key can compute shows that nobody changed it.

use std::sync::Arc;

use arm::deployment::{Deployment, DeploymentMode, Links};
use arm::{ObjectBuilder, Value};
use machine::Failure;
use machine::records::parse;
use smol_str::SmolStr;
use store::ResourceId;

use crate::deploy::{Engine, StartError};
use crate::predicted_change::{ChangeKind, PredictedChange};
use crate::program::together;
use crate::stored_inputs::{self, Unusable};
use crate::what_if::WhatIf;

/// The member that says that a file is a plan, and of which form.
const FORMAT: &str = "tendonPlan";
/// The form that this program writes and reads.
const VERSION: i64 = 1;
/// What the key is used for.
const CHECK: &str = "saved plan";
const INPUT: &str = "input of a saved plan";
const STATE: &str = "state of a saved plan";
const SECRETS: &str = "secrets of a saved plan";

/// A deployment on its way into a plan.
#[derive(Debug)]
pub struct PlanDraft {
    template: String,
    inputs: Value,
    secrets: Option<Value>,
    links: Vec<(SmolStr, Arc<str>)>,
    mode: DeploymentMode,
}

/// A file that a plan was made from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlanInput {
    /// The path of the file, as it was given.
    pub path: String,
    /// What it says, once it is compiled.
    pub content: Vec<u8>,
}

/// The files that a plan was made from, and how they were compiled: to compare them, they are compiled likewise.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PlanSources {
    /// Their paths, the deployed one first.
    pub files: Vec<String>,
    /// Whether every template had symbolic names, because mocks name resources by them.
    pub symbolic: bool,
}

/// A plan that was read back, and that nobody has changed.
#[derive(Debug)]
pub struct SavedPlan {
    /// The deployment with its template and bound parameters.
    pub deployment: Arc<Deployment>,
    /// What becomes of resources that are not in the template.
    pub mode: DeploymentMode,
    /// The files that it was made from, the deployed one first, each with a digest.
    inputs: Vec<(String, String)>,
    changes: String,
    state: String,
}

impl PlanDraft {
    /// Takes down a deployment before it is predicted.
    pub fn new(deployment: &Deployment, mode: DeploymentMode) -> PlanDraft {
        stored_inputs::read_links(deployment);
        let frozen = stored_inputs::encode_inputs(deployment);
        PlanDraft {
            template: deployment.template().text().to_owned(),
            inputs: frozen.inputs,
            secrets: frozen.secrets,
            links: deployment.context().links.take_fresh(),
            mode,
        }
    }
}

fn failure(code: &'static str, message: impl Into<String>) -> StartError {
    StartError::Failure(Failure::new(code, message.into()))
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn bytes_of(hex: &str) -> Option<Vec<u8>> {
    let pairs = hex.as_bytes().chunks(2);
    pairs.map(|pair| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok()).collect()
}

/// What a prediction comes to, without what is there and has nothing to do with it.
fn essence(changes: &[PredictedChange]) -> String {
    let counts = |change: &&PredictedChange| change.kind != ChangeKind::Ignore;
    let mut lines: Vec<String> = changes
        .iter()
        .filter(counts)
        .map(|change| {
            let delta: Vec<String> = change
                .delta
                .iter()
                .map(|delta| {
                    let text = |value: &Option<Value>| value.as_ref().map(Value::to_json).unwrap_or_default();
                    format!("{}\t{}\t{}", delta.path, text(&delta.before), text(&delta.after))
                })
                .collect();
            let after = match change.kind {
                ChangeKind::Create => change.after.as_ref().map(Value::to_json).unwrap_or_default(),
                _ => String::new(),
            };
            format!(
                "{} {} {after} {}",
                change.kind.name(),
                ResourceId::new(&change.id).as_str(),
                delta.join("\n")
            )
        })
        .collect();
    lines.sort();
    lines.join("\n")
}

impl PlanSources {
    /// What the text of a plan says of its files, before it is known whether the plan is sound.
    pub fn named(text: &str) -> PlanSources {
        let path = |file: &Value| Some(file.as_object()?.get("path")?.as_str()?.to_owned());
        let sources = |file: &Value| {
            let plan = file.as_object()?.get("plan")?.as_object()?;
            let files = plan.get("files")?.as_array()?.iter().filter_map(path);
            let symbolic = matches!(plan.get("symbolic"), Some(Value::Bool(true)));
            Some(PlanSources { files: files.collect(), symbolic })
        };
        parse(text).ok().as_ref().and_then(sources).unwrap_or_default()
    }
}

impl Engine {
    fn digest(&self, purpose: &str, of: &[u8]) -> Result<String, StartError> {
        Ok(hex(&self.key.derive(purpose, of)?))
    }

    /// A digest of what is kept of the resources that are changed.
    fn state_digest(&self, changes: &[PredictedChange]) -> Result<String, StartError> {
        let mut ids: Vec<ResourceId> = changes
            .iter()
            .filter(|change| change.kind != ChangeKind::Ignore)
            .map(|change| ResourceId::new(&change.id))
            .collect();
        ids.sort();
        let mut all = String::new();
        for id in ids {
            let body = self.store.resource(&id)?.map(|kept| kept.body);
            all.push_str(&format!("{}\n{}\n", id.as_str(), body.unwrap_or_default()));
        }
        self.digest(STATE, all.as_bytes())
    }

    /// The text of a plan; `symbolic` says that the files were compiled with symbolic names in every template.
    pub fn seal_plan(
        &self,
        draft: PlanDraft,
        predicted: &WhatIf,
        inputs: &[PlanInput],
        symbolic: bool,
    ) -> Result<String, StartError> {
        // The key that seals it is kept with the state, which may not be there yet.
        self.store.commit(&[]);
        let mut files = Vec::new();
        for input in inputs {
            let digest = self.digest(INPUT, &input.content)?;
            files.push(Value::object([
                ("path", Value::text(input.path.as_str())),
                ("digest", Value::text(digest)),
            ]));
        }
        let mut plan = ObjectBuilder::default();
        plan.set("files".into(), Value::array(files));
        plan.set("symbolic".into(), Value::Bool(symbolic));
        plan.set("mode".into(), Value::text(draft.mode.name()));
        plan.set("changes".into(), Value::text(self.digest(STATE, essence(&predicted.changes).as_bytes())?));
        plan.set("state".into(), Value::text(self.state_digest(&predicted.changes)?));
        plan.set("template".into(), Value::text(draft.template));
        plan.set("inputs".into(), draft.inputs);
        if let Some(secrets) = draft.secrets {
            let sealed = self.key.seal(SECRETS, secrets.to_json().as_bytes())?;
            plan.set("secrets".into(), Value::text(hex(&sealed)));
        }
        let links = draft.links.into_iter().map(|(address, text)| {
            Value::object([("address", Value::Text(address)), ("text", Value::text(&*text))])
        });
        plan.set("links".into(), Value::array(links.collect()));
        let plan = plan.finish();
        let check = self.digest(CHECK, plan.to_json().as_bytes())?;
        let members = [(FORMAT, Value::Int(VERSION)), ("check", Value::text(check)), ("plan", plan)];
        Ok(format!("{}\n", Value::object(members).to_json()))
    }

    /// Reads a plan back. Links that were not followed when it was made are resolved by `links`.
    pub fn open_plan(&self, text: &str, links: &Links) -> Result<SavedPlan, StartError> {
        let not_one = || failure("InvalidPlan", "the file is not a plan that `tendon what-if --out` wrote");
        let file = parse(text).map_err(|_| not_one())?;
        let file = file.as_object().ok_or_else(not_one)?;
        match file.get(FORMAT) {
            Some(Value::Int(VERSION)) => {}
            Some(Value::Int(version)) => {
                let message = format!(
                    "the plan has version {version}, and this program reads version {VERSION}; make it again with `tendon what-if --out`"
                );
                return Err(failure("InvalidPlan", message));
            }
            Some(_) | None => return Err(not_one()),
        }
        let plan = file.get("plan").ok_or_else(not_one)?;
        let check = file.get("check").and_then(Value::as_str).ok_or_else(not_one)?;
        if self.digest(CHECK, plan.to_json().as_bytes())? != check {
            let message = "the plan was changed, or made with the key of another state; make it again with `tendon what-if --out`, or name its state with `--state`";
            return Err(failure("InvalidPlan", message));
        }
        let plan = plan.as_object().ok_or_else(not_one)?;
        let text = |name: &str| plan.get(name).and_then(Value::as_str).ok_or_else(not_one);
        let secrets = match plan.get("secrets").and_then(Value::as_str) {
            Some(sealed) => {
                let plain = self.key.open(SECRETS, &bytes_of(sealed).ok_or_else(not_one)?)?;
                Some(parse(&String::from_utf8_lossy(&plain))?)
            }
            None => None,
        };
        let items = |name: &str| plan.get(name).and_then(Value::as_array).unwrap_or_default();
        let pair = |item: &Value, one: &str, other: &str| -> Option<(String, String)> {
            let item = item.as_object()?;
            Some((item.get(one)?.as_str()?.to_owned(), item.get(other)?.as_str()?.to_owned()))
        };
        let known = items("links").iter().filter_map(|link| pair(link, "address", "text"));
        let reader = links.clone();
        let links = Links::saying_why(move |address| reader.text(address))
            .with(known.map(|(address, text)| (address.into(), Arc::from(text))));
        let inputs = plan.get("inputs").ok_or_else(not_one)?;
        let deployment = stored_inputs::decode_inputs(
            Some(text("template")?),
            inputs,
            secrets.as_ref(),
            links,
            self.budgets.account(),
        );
        let deployment = deployment.map_err(|unusable| match unusable {
            Unusable::Unreadable => not_one(),
            Unusable::Refused(errors) => StartError::Failure(together(errors)),
        })?;
        Ok(SavedPlan {
            deployment: Arc::new(deployment),
            mode: DeploymentMode::parse(text("mode")?).ok_or_else(not_one)?,
            inputs: items("files").iter().filter_map(|file| pair(file, "path", "digest")).collect(),
            changes: text("changes")?.to_owned(),
            state: text("state")?.to_owned(),
        })
    }

    /// Refuses a plan whose files say something else by now; `read` gives what a file says, or nothing if it cannot be read.
    pub fn check_inputs(
        &self,
        plan: &SavedPlan,
        read: &dyn Fn(&str) -> Option<Vec<u8>>,
    ) -> Result<(), StartError> {
        let mut changed = Vec::new();
        for (path, digest) in &plan.inputs {
            let same = match read(path) {
                Some(content) => self.digest(INPUT, &content)? == *digest,
                None => false,
            };
            if !same {
                changed.push(format!("`{path}`"));
            }
        }
        match changed.is_empty() {
            true => Ok(()),
            false => Err(stale(&format!("{} changed since the plan was made", changed.join(", ")))),
        }
    }

    /// Refuses a plan that would do something else by now than was reviewed.
    pub fn check_prediction(&self, plan: &SavedPlan, predicted: &WhatIf) -> Result<(), StartError> {
        if let Some(failure) = &predicted.failure {
            return Err(StartError::Failure(failure.clone()));
        }
        let changes = self.digest(STATE, essence(&predicted.changes).as_bytes())?;
        match changes == plan.changes && self.state_digest(&predicted.changes)? == plan.state {
            true => Ok(()),
            false => Err(stale(
                "the resources changed since the plan was made, so that it would do something else",
            )),
        }
    }
}

fn stale(what: &str) -> StartError {
    failure(
        "StalePlan",
        format!(
            "{what}; nothing was deployed. Make the plan again with `tendon what-if --out`, and review it"
        ),
    )
}
