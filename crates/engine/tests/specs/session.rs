//! What the statements of a session do, and how answers are written.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::Arc;

use arm::Value;
use arm::deployment::{Deployment, DeploymentContext, DeploymentMode};
use arm::rest_time::duration_text;
use arm::template::{Template, TemplateLimits};
use engine::core::RunEnd;
use engine::provider::Script;
use engine::records::parse;
use engine::{DeploymentResult, Failure, OperationRecord, ResourceRecord, StartError};
use spec_test::Case;
use store::{Page, RunId, Status, Store as _};

use crate::process::{Crash, ProcessEnd, Task, World, short};

/// What every template begins with.
const HEAD: &str = r#"{"$schema": "https://schema.management.azure.com/schemas/2019-04-01/deploymentTemplate.json#",
    "languageVersion": "2.0", "contentVersion": "1.0.0.0", "#;

/// Where everything is deployed to; messages are shown without it.
const LOCAL: &str = "/subscriptions/00000000-0000-0000-0000-000000000001/resourceGroups/local/providers/";

/// How long a lease lasts at most, in milliseconds.
const LEASE: i64 = 60_000;

/// A state, and what was deployed to it.
pub(crate) struct Session<'c> {
    case: &'c Case,
    world: World,
    /// The deployment that a process has left open.
    open: Option<RunId>,
    /// The one that ended last.
    ended: Option<DeploymentResult>,
}

/// An answer, or what is wrong with the statement.
type Answer = Result<String, String>;

impl<'c> Session<'c> {
    pub(crate) fn of(case: &'c Case) -> Session<'c> {
        let script = case.file("provider.json").map_or("[]", |file| file.text.as_str());
        let script = Arc::new(Script::read(&parse(script).unwrap()).unwrap());
        Session { case, world: World::new(script), open: None, ended: None }
    }

    /// Does what a statement says.
    pub(crate) fn say(&mut self, statement: &str) -> String {
        let mut words = statement.split_whitespace().peekable();
        let first = words.next().unwrap_or_default();
        let answer = match first {
            "deploy" => {
                let file = words.next_if(|word| word.ends_with(".json")).unwrap_or("main.json");
                let is_complete = words.next_if(|word| *word == "complete").is_some();
                let rest: Vec<&str> = words.collect();
                self.deploy(file, is_complete, &rest)
            }
            "resume" => crash(&words.collect::<Vec<_>>()).and_then(|crash| self.resume(crash)),
            _ => self.ask(first, words.next().unwrap_or_default()),
        };
        answer.unwrap_or_else(|error| format!("error: {error}"))
    }

    fn deployment(&self, file: &str) -> Result<Arc<Deployment>, String> {
        let file = self.case.file(file).ok_or_else(|| format!("there is no file `{file}`"))?;
        let text = file.text.trim_start().replacen('{', HEAD, 1);
        let template = Template::read(text, &TemplateLimits::default()).map_err(|it| format!("{it:?}"))?;
        let context = DeploymentContext::local(DeploymentContext::local_scope(template.scope), "main");
        let deployment = Deployment::with_values(Arc::new(template), [], context);
        deployment.map(Arc::new).map_err(|errors| format!("{errors:?}"))
    }

    fn deploy(&mut self, file: &str, is_complete: bool, rest: &[&str]) -> Answer {
        let deployment = self.deployment(file)?;
        let mode = if is_complete { DeploymentMode::Complete } else { DeploymentMode::Incremental };
        if rest == ["crash", "at", "every", "commit"] {
            return self.crash_everywhere(&deployment, mode);
        }
        let (end, _) = self.world.run(Task::Deploy(deployment, mode), crash(rest)?);
        Ok(self.answer(end))
    }

    fn resume(&mut self, crash: Option<Crash>) -> Answer {
        let run = self.open.ok_or("no deployment was left open")?;
        let (end, _) = self.world.run(Task::Resume(run), crash);
        Ok(self.answer(end))
    }

    /// What became of a process, and what is left of it.
    fn answer(&mut self, end: ProcessEnd) -> String {
        match end {
            ProcessEnd::Crashed => {
                self.world.store.advance(LEASE);
                let all = self.world.store.deployments(None, Page::ALL).unwrap();
                let mut open = all.iter().filter(|it| it.status == Status::Active && it.run == it.root);
                self.open = open.next().map(|it| it.run);
                if self.open.is_some() { "crashed" } else { "crashed, and left nothing open" }.to_owned()
            }
            ProcessEnd::Rejected(StartError::Failure(failure)) => format!("rejected: {}", shown(&failure)),
            ProcessEnd::Rejected(StartError::State(message) | StartError::Unavailable(message)) => {
                format!("rejected: {message}")
            }
            ProcessEnd::Ended(ended) => {
                self.open = None;
                let all = self.world.store.deployments(None, Page::ALL).unwrap();
                if all.iter().any(|it| it.status == Status::Active) {
                    return format!("error: a deployment is still active: {all:?}");
                }
                let answer = match &ended.end {
                    RunEnd::Succeeded(_) => "Succeeded".to_owned(),
                    RunEnd::Failed(failure) => format!("Failed: {}", shown(failure)),
                    RunEnd::Canceled => "Canceled".to_owned(),
                    RunEnd::Lost => "Lost".to_owned(),
                };
                self.ended = Some(*ended);
                answer
            }
        }
    }

    /// Deploys in a fresh state for every moment at which the process may crash, and resumes.
    fn crash_everywhere(&self, deployment: &Arc<Deployment>, mode: DeploymentMode) -> Answer {
        let fresh = || Session {
            case: self.case,
            world: World::new(Arc::clone(&self.world.script)),
            open: None,
            ended: None,
        };
        let mut whole = fresh();
        let (end, commits) = whole.world.run(Task::Deploy(Arc::clone(deployment), mode), None);
        let (end, kept) = (whole.answer(end), whole.kept());
        let once = requests(&whole);
        let mut answer = format!("{end}\n{commits} commits");
        for is_durable in [false, true] {
            let mut most = 0;
            for commit in 1..=commits {
                let mut session = fresh();
                let crash = Crash { commit, is_durable };
                let (crashed, _) = session.world.run(Task::Deploy(Arc::clone(deployment), mode), Some(crash));
                session.answer(crashed);
                let task = match session.open {
                    Some(run) => Task::Resume(run),
                    // It was not accepted yet, or has ended already.
                    None if is_durable => continue,
                    None => Task::Deploy(Arc::clone(deployment), mode),
                };
                let (resumed, _) = session.world.run(task, None);
                let resumed = session.answer(resumed);
                if (&resumed, session.kept()) != (&end, kept.clone()) {
                    return Err(format!(
                        "{crash:?}: {resumed}\n{:?}\nbut without it:\n{kept:?}",
                        session.kept()
                    ));
                }
                let again = requests(&session).into_iter();
                let again =
                    again.map(|(what, count)| count.saturating_sub(once.get(&what).copied().unwrap_or(0)));
                most = most.max(again.sum());
            }
            let moment = if is_durable { "after" } else { "before" };
            let more = if most == 0 { "nothing asked".to_owned() } else { format!("at most {most} asked") };
            write!(answer, "\ncrash {moment} each: the same end, {more} again").unwrap();
        }
        Ok(answer)
    }

    /// The resources that are there, with their bodies.
    fn kept(&self) -> Vec<(String, String)> {
        let all = self.world.store.resources("", Page::ALL).unwrap();
        let body = |it| ResourceRecord::from_store(it).unwrap().body().to_json();
        all.iter().map(|it| (it.id.clone(), body(it))).collect()
    }

    fn ask(&self, what: &str, name: &str) -> Answer {
        let ended = || self.ended.as_ref().ok_or("no deployment has ended".to_owned());
        match what {
            "requests" => {
                let requests = std::mem::take(&mut *self.world.requests.lock().unwrap());
                let runs = requests.chunk_by(|one, next| one == next);
                Ok(lines(runs.map(|run| match run {
                    [one] => one.clone(),
                    [one, ..] => format!("{one}, {} times", run.len()),
                    [] => String::new(),
                })))
            }
            "operations" => {
                let all = self.world.store.deployments(None, Page::ALL).unwrap();
                let main = all.iter().find(|it| it.run == it.root).ok_or("there is no deployment")?;
                let operations = self.world.store.operations(main.run, Page::ALL).unwrap();
                Ok(lines(operations.iter().map(|it| operation(&it.body))))
            }
            "resources" => Ok(lines(self.kept().iter().map(|(id, _)| short(id).to_owned()))),
            "resource" => {
                let kept = self.kept();
                let found = kept.iter().find(|(id, _)| short(id) == name);
                Ok(found.map_or("none".to_owned(), |(_, body)| properties(body)))
            }
            "output" => match &ended()?.end {
                RunEnd::Succeeded(outputs) => {
                    let output = outputs.as_object().and_then(|outputs| outputs.get(name));
                    let value = output.and_then(Value::as_object).and_then(|output| output.get("value"));
                    Ok(value.map_or("none".to_owned(), |value| format!("{value:?}")))
                }
                _ => Err("it did not succeed".to_owned()),
            },
            "duration" => Ok(duration_text(ended()?.record.duration.unwrap_or_default())),
            other => Err(format!("`{other}` is no statement")),
        }
    }
}

/// `[crash before|after commit N]`
fn crash(words: &[&str]) -> Result<Option<Crash>, String> {
    let (moment, commit) = match words {
        [] => return Ok(None),
        ["crash", moment @ ("before" | "after"), "commit", commit] => (moment, commit),
        other => return Err(format!("`{}` is not understood", other.join(" "))),
    };
    let commit = commit.parse().map_err(|error| format!("`{commit}`: {error}"))?;
    Ok(Some(Crash { commit, is_durable: *moment == "after" }))
}

/// How often each request was made.
fn requests(session: &Session<'_>) -> BTreeMap<String, usize> {
    let mut counts = BTreeMap::new();
    for request in session.world.requests.lock().unwrap().iter() {
        *counts.entry(request.clone()).or_default() += 1;
    }
    counts
}

fn lines(items: impl IntoIterator<Item = String>) -> String {
    let items: Vec<String> = items.into_iter().collect();
    if items.is_empty() { "none".to_owned() } else { items.join("\n") }
}

/// A failure and those behind it, each further in than the one above.
fn shown(failure: &Failure) -> String {
    let target = failure.target.as_deref().map(|target| format!(" ({})", short(target)));
    let message = failure.message.replace(LOCAL, "");
    let mut text = format!("{}{}: {message}", failure.code, target.unwrap_or_default());
    for detail in &failure.details {
        write!(text, "\n  {}", shown(detail).replace('\n', "\n  ")).unwrap();
    }
    text
}

fn operation(body: &str) -> String {
    let record = OperationRecord::from_store(body).unwrap();
    let target = record.target.unwrap_or_default();
    let error = record.error.map(|error| format!(": {}", error.code)).unwrap_or_default();
    let took = duration_text(record.duration.unwrap_or_default());
    format!("{} {} {} in {took}{error}", record.operation, short(&target.id), record.state.as_str())
}

fn properties(body: &str) -> String {
    let body = parse(body).unwrap();
    let properties = body.as_object().and_then(|body| body.get("properties"));
    properties.map_or("no properties".to_owned(), Value::to_json)
}
