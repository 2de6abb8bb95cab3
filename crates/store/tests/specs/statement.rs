//! What the statements of a session do with a store, and how answers are written.

use std::collections::BTreeMap;
use std::fmt::Display;
use std::sync::Arc;

use store::{
    BatchId, Claim, Commit, CommitOutcome, Condition, Deployment, DeploymentKey, Fence, Lease, Like,
    Operation, Page, PageAfter, Phase, Resource, ResourceId, RunId, Status, StepRecord, Store, Write,
};

use crate::Home;
use crate::words::Words;

/// A store that statements are said to.
pub(crate) struct Session {
    home: Box<dyn Home>,
    store: Arc<dyn Store>,
    /// The leases that were granted, as they were told last.
    leases: BTreeMap<Fence, Lease>,
}

/// An answer, or what is wrong with the statement.
type Answer = Result<String, String>;

impl Session {
    pub(crate) fn of(home: Box<dyn Home>) -> Session {
        let store = home.open();
        Session { home, store, leases: BTreeMap::new() }
    }

    /// Does what a statement says.
    pub(crate) fn say(&mut self, statement: &str) -> String {
        let answer = if statement.starts_with("commit ") {
            self.commit(statement)
        } else {
            let words = &mut Words::of(statement);
            let said = self.ask(words);
            let is_done = words.is_done();
            said.and_then(|said| {
                if is_done { Ok(said) } else { Err(format!("`{}` is not understood", words.rest())) }
            })
        };
        answer.unwrap_or_else(|error| format!("error: {error}"))
    }

    fn commit(&mut self, statement: &str) -> Answer {
        let (mut batches, mut conditions) = (Vec::new(), Vec::new());
        for line in statement.lines() {
            let words = &mut Words::of(line);
            let (batch, shown) = batch(words)?;
            if !words.is_done() {
                return Err(format!("`{}` is not understood", words.rest()));
            }
            batches.push(batch);
            conditions.push(shown);
        }
        let outcomes = self.store.commit(&batches);
        let mut answers = Vec::new();
        for ((batch, conditions), outcome) in batches.into_iter().zip(conditions).zip(outcomes) {
            answers.push(match outcome {
                CommitOutcome::Committed => {
                    self.remember(batch.writes);
                    "committed".to_owned()
                }
                CommitOutcome::Fenced => "fenced".to_owned(),
                CommitOutcome::Conflict { condition } => {
                    let condition = conditions.get(condition).ok_or("a condition that nobody stated")?;
                    format!("conflict: {condition}")
                }
                CommitOutcome::Unknown(why) => format!("unknown: {why}"),
            });
        }
        Ok(answers.join("\n"))
    }

    /// Remembers the leases that a batch took.
    fn remember(&mut self, writes: Vec<Write>) {
        for write in writes {
            if let Write::Lease { run, owner, .. } = write {
                let fence = Fence { run, number: 1 };
                self.leases.insert(fence, Lease { run, owner, fence, until: 0, canceled: false });
            }
        }
    }

    fn ask(&mut self, words: &mut Words) -> Answer {
        let store = Arc::clone(&self.store);
        match words.word()? {
            "wait" => {
                self.home.wait(words.number()?);
                Ok(String::new())
            }
            "open" => {
                words.demand("again")?;
                // A process that is killed closes nothing.
                std::mem::forget(std::mem::replace(&mut self.store, self.home.open()));
                Ok(String::new())
            }
            "claim" => self.claim(words),
            "renew" => self.renew(words),
            "release" => {
                let lease = self.lease(words)?;
                store.release(&[lease]).map(|()| "released".to_owned()).map_err(told)
            }
            "cancel" => {
                let is_asked = store.cancel(run(words)?).map_err(told)?;
                Ok(if is_asked { "asked to stop" } else { "not under way" }.to_owned())
            }
            "abandoned" => {
                words.demand("at most")?;
                named(store.abandoned(words.number()?))
            }
            "over" => {
                let mut runs = Vec::new();
                while !words.is_done() {
                    runs.push(run(words)?);
                }
                let over = store.are_over(&runs).map_err(told)?;
                Ok(listed(over.iter().map(|is_over| if *is_over { "yes" } else { "no" })))
            }
            "deployment" => found(store.deployment(&key(words)?), |it| shown(&it)),
            "run" => found(store.run(run(words)?), |it| shown(&it)),
            "runs" => {
                words.demand("inside")?;
                named(store.runs(run(words)?))
            }
            "deployments" => deployments(&*store, words),
            "usage" => {
                let used = store.usage(words.word()?).map_err(told)?;
                Ok(format!("{} resources, {} under way, {} bytes", used.resources, used.active, used.bytes))
            }
            "steps" => {
                let steps = store.steps(run(words)?).map_err(told)?;
                let step = |it: &StepRecord| {
                    let is_its_body = it.body == format!("step {}", it.number);
                    format!(
                        "{} {}{}",
                        it.number,
                        word(it.phase),
                        if is_its_body { "" } else { " of another body" }
                    )
                };
                Ok(listed(steps.iter().map(step)))
            }
            "operations" => {
                let operations = store.operations(run(words)?, Page::ALL).map_err(told)?;
                Ok(listed(operations.iter().map(|it| format!("{} {}", it.number, it.body))))
            }
            "blob" => {
                let run = run(words)?;
                found(store.blob(run, words.word()?), |bytes| String::from_utf8_lossy(&bytes).into_owned())
            }
            "resource" => found(store.resource(&ResourceId::new(words.word()?)), |it| {
                format!("{} version {}: {}", it.id, it.version, it.body)
            }),
            "resources" => resources(&*store, words),
            other => Err(format!("`{other}` is no statement")),
        }
    }

    /// The lease that a statement names.
    fn lease(&self, words: &mut Words) -> Result<Lease, String> {
        let fence = fence(words)?;
        self.leases.get(&fence).cloned().ok_or_else(|| format!("{} was not granted", mark(fence)))
    }

    fn claim(&mut self, words: &mut Words) -> Answer {
        if words.take("abandoned for") {
            let owner = words.word()?.to_owned();
            let milliseconds = words.number()?;
            words.demand("at most")?;
            let claimed = self.store.claim_abandoned(&owner, milliseconds, words.number()?).map_err(told)?;
            let mut answers = Vec::new();
            for it in claimed {
                if it.lease.run != it.deployment.run || it.lease.owner != owner {
                    return Err(format!("a lease of another: {it:?}"));
                }
                answers.push(granted(&it.lease));
                self.leases.insert(it.lease.fence, it.lease);
            }
            return Ok(listed(answers));
        }
        let run = run(words)?;
        words.demand("for")?;
        let owner = words.word()?.to_owned();
        match self.store.claim(run, &owner, words.number()?).map_err(told)? {
            Claim::Granted(lease) if lease.owner == owner && lease.run == run => {
                let answer = granted(&lease);
                self.leases.insert(lease.fence, lease);
                Ok(answer)
            }
            Claim::Granted(lease) => Err(format!("a lease of another: {lease:?}")),
            // How long is a matter of the clock; every lease in the documents is for a minute at most, or renewed for two.
            Claim::Taken { owner, remaining } if (1..=120_000).contains(&remaining) => {
                Ok(format!("taken by {owner}"))
            }
            Claim::Taken { owner, remaining } => Err(format!("{owner} has it for {remaining} ms more")),
            Claim::Gone => Ok("gone".to_owned()),
        }
    }

    fn renew(&mut self, words: &mut Words) -> Answer {
        let lease = self.lease(words)?;
        let renewed = self.store.renew(std::slice::from_ref(&lease), words.number()?).map_err(told)?;
        match renewed.as_slice() {
            [None] => Ok("lost".to_owned()),
            [Some(kept)] if kept.fence == lease.fence && kept.until > lease.until => {
                let answer = granted(kept);
                self.leases.insert(kept.fence, kept.clone());
                Ok(answer)
            }
            other => Err(format!("{lease:?} was renewed as {other:?}")),
        }
    }
}

fn told(error: impl Display) -> String {
    error.to_string()
}

/// A list on one line.
fn listed(items: impl IntoIterator<Item: Display>) -> String {
    let items: Vec<String> = items.into_iter().map(|item| item.to_string()).collect();
    if items.is_empty() { "none".to_owned() } else { items.join(", ") }
}

fn named(deployments: store::Result<Vec<Deployment>>) -> Answer {
    Ok(listed(deployments.map_err(told)?.iter().map(|it| it.key.name().to_owned())))
}

fn found<T>(answer: store::Result<Option<T>>, show: impl FnOnce(T) -> String) -> Answer {
    Ok(answer.map_err(told)?.map_or_else(|| "none".to_owned(), show))
}

fn shown(it: &Deployment) -> String {
    let status = if it.status == Status::Active { "active" } else { "ended" };
    format!("{}, run {}, {status}", it.key.name(), it.run.0)
}

fn word(phase: Phase) -> &'static str {
    match phase {
        Phase::Intended => "intended",
        Phase::Confirmed => "confirmed",
    }
}

fn mark(fence: Fence) -> String {
    format!("{}#{}", fence.run.0, fence.number)
}

fn granted(lease: &Lease) -> String {
    let canceled = if lease.canceled { ", asked to stop" } else { "" };
    format!("{} for {}{canceled}", mark(lease.fence), lease.owner)
}

fn run(words: &mut Words) -> Result<RunId, String> {
    words.number().map(RunId)
}

fn fence(words: &mut Words) -> Result<Fence, String> {
    let (run, number) = words.pair('#')?;
    Ok(Fence { run: RunId(run), number })
}

/// `NAME [in SCOPE]`; without a scope, that of the tenant.
fn key(words: &mut Words) -> Result<DeploymentKey, String> {
    let name = words.word()?.to_owned();
    let scope = if words.take("in") { words.word()? } else { "" };
    Ok(DeploymentKey::new(scope, &name))
}

/// `[skip N] [take N]`
fn page(words: &mut Words) -> Result<Page, String> {
    let skip = if words.take("skip") { words.number()? } else { 0 };
    let take = if words.take("take") { words.number()? } else { usize::MAX };
    Ok(Page { skip, take })
}

fn deployments(store: &dyn Store, words: &mut Words) -> Answer {
    let scope = if words.take("in") { Some(words.word()?.to_owned()) } else { None };
    let is_first = words.take("from the start");
    if !is_first && !words.take("after") {
        return named(store.deployments(scope.as_deref(), page(words)?));
    }
    let after = if is_first { None } else { Some(words.pair('.')?) };
    let after = after.map(|(order, run)| (order, RunId(run)));
    words.demand("take")?;
    named(store.deployments_after(scope.as_deref(), PageAfter { after, take: words.number()? }))
}

fn resources(store: &dyn Store, words: &mut Words) -> Answer {
    let below = words.word()?.to_owned();
    let found = if words.take("after") {
        let after = ResourceId::new(words.word()?);
        words.demand("take")?;
        store.resources_after(&below, &after, words.number()?)
    } else {
        store.resources(&below, page(words)?)
    };
    Ok(listed(found.map_err(told)?.iter().map(|it| &it.id)))
}

/// A batch, and its conditions as they are written.
fn batch(words: &mut Words) -> Result<(Commit, Vec<String>), String> {
    words.demand("commit")?;
    let (run, number) = words.pair('.')?;
    let run = RunId(run);
    let fence = if words.take("under") { Some(fence(words)?) } else { None };
    let (mut conditions, mut shown) = (Vec::new(), Vec::new());
    if words.take("if") {
        loop {
            let from = words.place();
            conditions.push(condition(words)?);
            shown.push(words.since(from));
            if !words.take(",") {
                break;
            }
        }
    }
    words.demand(":")?;
    let mut writes = vec![write(run, words)?];
    while words.take(";") {
        writes.push(write(run, words)?);
    }
    Ok((Commit { id: BatchId { run, number }, fence, conditions, writes }, shown))
}

fn condition(words: &mut Words) -> Result<Condition, String> {
    if words.take("no resource below") {
        let below = words.word()?.to_owned();
        words.demand("with")?;
        let like = Like::new(&below, words.word()?);
        let mut except = Vec::new();
        while words.take("except") {
            except.push(ResourceId::new(words.word()?));
        }
        return Ok(Condition::NoResource(like.except(except)));
    }
    if words.take("resource") {
        let id = ResourceId::new(words.word()?);
        if words.take("is there") {
            return Ok(Condition::Present(id));
        }
        if words.take("is absent") {
            return Ok(Condition::ResourceVersion(id, None));
        }
        words.demand("is version")?;
        return Ok(Condition::ResourceVersion(id, Some(words.number()?)));
    }
    let key = key(words)?;
    if words.take("is not active") {
        return Ok(Condition::NotActive(key));
    }
    words.demand("is run")?;
    Ok(Condition::Current(key, run(words)?))
}

fn write(run: RunId, words: &mut Words) -> Result<Write, String> {
    Ok(match words.word()? {
        "deployment" => {
            let key = key(words)?;
            let status = if words.take("ended") { Status::Ended } else { Status::Active };
            let root = if words.take("inside") { self::run(words)? } else { run };
            let order = if words.take("order") { words.number()? } else { 7 };
            Write::Deployment(Deployment { key, run, root, status, order, format: 1, body: "{}".to_owned() })
        }
        "forget" => Write::DeleteDeployment(key(words)?),
        "lease" => Write::Lease { run, owner: words.word()?.to_owned(), milliseconds: words.number()? },
        "step" => {
            let number = words.number()?;
            let is_confirmed = words.take("confirmed");
            let phase = if is_confirmed { Phase::Confirmed } else { Phase::Intended };
            if !is_confirmed {
                words.demand("intended")?;
            }
            Write::Step(StepRecord { run, number, phase, format: 1, body: format!("step {number}") })
        }
        "operation" => {
            let number = words.number()?;
            Write::Operation(Operation { run, number, format: 1, body: words.word()?.to_owned() })
        }
        "blob" => {
            let name = words.word()?.to_owned();
            Write::Blob { run, name, bytes: words.word()?.as_bytes().to_vec() }
        }
        "erase" => {
            words.demand("blob")?;
            Write::DeleteBlob { run, name: words.word()?.to_owned() }
        }
        "resource" => {
            let id = words.word()?.to_owned();
            let body = if words.is_done() || words.is_at(";") { "{}" } else { words.word()? };
            Write::Resource(Resource { id, version: 0, format: 1, body: body.to_owned() })
        }
        "delete" => Write::DeleteResource(ResourceId::new(words.word()?)),
        other => return Err(format!("`{other}` writes nothing")),
    })
}
