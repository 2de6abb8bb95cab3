//! The page of one deployment, from what is kept of it and, if it runs here, from what is seen of it.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use arm::Caseless as _;
use arm::Value;
use axum::http::StatusCode;
use engine::records::parse;
use engine::{Clock, Failure, moment as written};
use graph::Mark;
use pages::ui::{DeploymentView, ErrorView, OperationRow, Section, milliseconds, took};
use pages::{Output, Row};
use store::{Deployment, DeploymentKey, Page, Status};
use tokio::sync::watch;

use super::deployments::Said;
use super::{moment, place, show, stored_marks};
use crate::access::Access;
use crate::answer::Answer;
use crate::call::Call;
use crate::identity::Allowed;
use crate::picture::Drawn;
use crate::recorder::StepState;
use crate::refusal::{Refusal, broken};
use crate::timeline::{kind_of, mark, marks, own_name, timeline};

/// How many operations a page has.
const OPERATIONS: usize = 100;

/// How many operations the steps of a deployment are made from that ran elsewhere.
const STEPS: usize = 2_000;

/// How many steps are shown.
const SHOWN_STEPS: usize = 500;

/// How many errors are shown.
const ERRORS: usize = 100;

/// How deep errors are followed; deployments do not nest deeper.
const DEPTH: usize = 8;

/// How often a page loads again by itself where there is no script, in seconds.
const REFRESH: u32 = 5;

/// Shows a deployment.
pub(super) async fn show(call: Call) -> Result<Answer, Refusal> {
    let mut frame = show::frame(&call);
    let Look { view, .. } = look(&Arc::new(call)).await?;
    frame.refresh = view.is_running.then_some(REFRESH);
    let body = pages::ui::deployment(&frame, &view);
    Ok(show::page(StatusCode::OK, &frame, Section::Deployments, &view.name, &body))
}

/// Cancels a deployment, and shows it.
pub(super) async fn cancel(call: Call) -> Result<Answer, Refusal> {
    let found = found(&call)?;
    let name = found.key.name();
    if found.root != found.run {
        let message = format!("The deployment '{name}' is part of another one; cancel that one.");
        return Err(Refusal::new("DeploymentCannotBeCancelled", message));
    }
    if found.status == Status::Ended || !call.app.host.cancel(&found).await? {
        let message = format!("The deployment '{name}' cannot be cancelled: it has ended.");
        return Err(Refusal::new("DeploymentCannotBeCancelled", message));
    }
    Ok(show::redirect(&place::page("deployments", &id(&call))))
}

/// The id in the path.
fn id(call: &Call) -> String {
    format!("/{}", call.path.get("id"))
}

/// The deployment in the path.
fn found(call: &Call) -> Result<Deployment, Refusal> {
    let id = id(call);
    let missing = || Refusal::new("DeploymentNotFound", format!("There is no deployment `{id}`."));
    let (scope, name) = place::split(&id).ok_or_else(missing)?;
    call.app.store().deployment(&DeploymentKey::new(scope, name))?.ok_or_else(missing)
}

/// A look at a deployment.
pub(super) struct Look {
    /// Everything that the page shows.
    pub(super) view: DeploymentView,
    /// Hears of what happens after that, if it runs here.
    pub(super) changes: Option<watch::Receiver<u64>>,
    /// How long it took.
    pub(super) took: Duration,
}

/// Looks at the deployment in the path, apart from the threads that serve: very many records are read and parsed, a template may take long to be
/// evaluated, and a picture to be drawn.
pub(super) async fn look(call: &Arc<Call>) -> Result<Look, Refusal> {
    let permit = Arc::clone(&call.app.pages.drawing).acquire_owned().await.map_err(|error| broken(&error))?;
    let call = Arc::clone(call);
    let looked = tokio::task::spawn_blocking(move || {
        let _permit = permit;
        let began = Instant::now();
        let found = found(&call)?;
        // What happens from here on is heard, so that nothing is missed between two looks.
        let changes = call.app.runs.find(found.run).map(|run| run.changes());
        let view = view(&call, &found)?;
        Ok(Look { view, changes, took: began.elapsed() })
    });
    looked.await.map_err(|error| broken(&error))?
}

fn view(call: &Call, found: &Deployment) -> Result<DeploymentView, Refusal> {
    let (pictures, run) = (&call.app.pages.pictures, found.run);
    let drawn = pictures.graph(call.app.host.engine(), found)?;
    let marks = match call.app.runs.find(run) {
        Some(seen) => marks(&seen.recorder()),
        None => stored_marks::marks(call.app.store(), &drawn, found)?,
    };
    let picture = pictures.svg(run, &drawn, &marks);
    let record = parse(&found.body)?;
    let errors = errors(&record, &drawn);
    let said = Said::of(found, &record);
    let id = if said.id.is_empty() { place::id_of(&found.key) } else { said.id.to_owned() };
    let (scope, name) = place::split(&id).unwrap_or((found.key.scope(), found.key.name()));
    let is_running = found.status == Status::Active;
    let is_outermost = found.root == found.run;
    let parts: Vec<String> = id.split('/').filter(|part| !part.is_empty()).map(str::to_owned).collect();
    let may_cancel = is_running && is_outermost && call.caller.may(Access::Deploy, &parts) == Allowed::All;
    let skip = call.query.get("operations").and_then(|skip| skip.parse().ok()).unwrap_or(0);
    let (operations, more) = operations(call, found, skip)?;
    let Steps { rows: steps, hidden: hidden_steps, total, only_operations } = steps(call, found)?;
    Ok(DeploymentView {
        name: name.to_owned(),
        scope: place::parts(scope),
        state: said.state.clone(),
        mark: said.mark,
        is_running,
        cancel: may_cancel.then(|| place::page("cancel", &id)),
        events: is_running.then(|| place::page("events", &id)),
        facts: facts(found, &record, &id, &said),
        outer: outer(call, found)?,
        steps,
        hidden_steps,
        total,
        only_operations,
        picture,
        operations,
        more_operations: more.map(|skip| {
            place::with_query(&place::page("deployments", &id), &[("operations", &skip.to_string())])
        }),
        outputs: outputs(&record),
        errors,
    })
}

/// The deployment that one is a part of, if it may be seen.
fn outer(call: &Call, found: &Deployment) -> Result<Option<(String, String)>, Refusal> {
    if found.root == found.run {
        return Ok(None);
    }
    let Some(outer) = call.app.store().run(found.root)? else { return Ok(None) };
    let id = place::id_of(&outer.key);
    let is_seen = call.caller.reach().reads(&id);
    Ok(is_seen.then(|| (outer.key.name().to_owned(), place::page("deployments", &id))))
}

fn member<'v>(value: &'v Value, way: &[&str]) -> Option<&'v Value> {
    way.iter().try_fold(value, |value, name| value.as_object()?.get(name))
}

fn text<'v>(value: &'v Value, way: &[&str]) -> &'v str {
    member(value, way).and_then(Value::as_str).unwrap_or_default()
}

fn facts(found: &Deployment, record: &Value, id: &str, said: &Said<'_>) -> Vec<(&'static str, String)> {
    let mut facts = vec![("Id", id.to_owned()), ("Began", moment::shown(&written(found.order)))];
    if found.status == Status::Ended {
        facts.push(("Ended", moment::shown(said.at)));
        facts.push(("Took", took(said.took)));
    }
    let rows: [(&'static str, &[&str]); 4] = [
        ("Mode", &["properties", "mode"]),
        ("Location", &["location"]),
        ("Correlation id", &["properties", "correlationId"]),
        ("Template hash", &["properties", "templateHash"]),
    ];
    facts.extend(rows.into_iter().map(|(name, way)| (name, text(record, way).to_owned())));
    facts.retain(|(_, value)| !value.is_empty());
    facts
}

/// The outputs of a record; secrets have no value there.
fn outputs(record: &Value) -> Vec<Output> {
    let outputs = member(record, &["properties", "outputs"]).and_then(Value::as_object);
    let all = outputs.into_iter().flatten().map(|(name, output)| Output {
        name: name.to_string(),
        kind: text(output, &["type"]).to_owned(),
        value: member(output, &["value"]).map(Value::to_json),
    });
    all.collect()
}

/// The errors of a record, those behind another one after it, with the places of their resources.
fn errors(record: &Value, drawn: &Drawn) -> Vec<ErrorView> {
    let Some(error) = member(record, &["properties", "error"]).map(Failure::from_value) else {
        return Vec::new();
    };
    let mut found: Vec<(usize, &Failure, bool)> = Vec::new();
    let mut left = vec![(&error, 0, None)];
    while let Some((failure, depth, around)) = left.pop() {
        if found.len() == ERRORS {
            break;
        }
        // Those behind an error speak of the same resource, unless they say otherwise.
        found.push((depth, failure, failure.target != around));
        if depth < DEPTH {
            let around = failure.target.clone().or(around);
            left.extend(failure.details.iter().rev().map(|detail| (detail, depth + 1, around.clone())));
        }
    }
    let targets: Vec<&str> = found.iter().filter_map(|(_, failure, _)| failure.target.as_deref()).collect();
    let places = drawn.places(&targets);
    let shown = found.into_iter().map(|(depth, failure, is_new)| {
        let place =
            failure.target.as_ref().filter(|_| is_new).and_then(|target| places.get(&target.caseless()));
        ErrorView {
            depth,
            code: failure.code.to_string(),
            message: failure.message.clone(),
            target: failure.target.clone(),
            place: place.map(|place| drawn.source(place, failure)),
        }
    });
    shown.collect()
}

/// An operation of a record.
pub(super) struct Done {
    pub(super) id: String,
    symbol: String,
    state: String,
    error: String,
    began: i64,
    ended: i64,
}

impl Done {
    pub(super) fn of(body: &Value) -> Done {
        let ended = moment::parse(text(body, &["timestamp"])).unwrap_or(0);
        let took = milliseconds(text(body, &["duration"])).unwrap_or(0);
        Done {
            id: text(body, &["targetResource", "id"]).to_owned(),
            symbol: text(body, &["targetResource", "symbolicName"]).to_owned(),
            state: text(body, &["provisioningState"]).to_owned(),
            error: text(body, &["statusMessage", "error", "code"]).to_owned(),
            began: ended - took,
            ended,
        }
    }

    /// How it ended, for the eye.
    pub(super) fn mark(&self) -> Mark {
        if self.state == "Succeeded" { Mark::Succeeded } else { mark(StepState::of_error(&self.error)) }
    }
}

/// The steps of a deployment.
struct Steps {
    rows: Vec<Row>,
    /// How many there are beside.
    hidden: usize,
    /// How long all of it took, in milliseconds.
    total: i64,
    /// Whether they are known only from operations.
    only_operations: bool,
}

impl Steps {
    /// Of very many steps, those that are done are left out first.
    fn new(mut rows: Vec<Row>, total: i64, only_operations: bool) -> Steps {
        let is_done = |row: &Row| matches!(row.mark, Mark::Succeeded | Mark::There);
        let all = rows.len();
        let mut over = all.saturating_sub(SHOWN_STEPS);
        rows.retain(|row| {
            let is_left_out = over > 0 && is_done(row);
            over -= usize::from(is_left_out);
            !is_left_out
        });
        rows.truncate(SHOWN_STEPS);
        Steps { hidden: all - rows.len(), rows, total, only_operations }
    }
}

fn steps(call: &Call, found: &Deployment) -> Result<Steps, Refusal> {
    if let Some(seen) = call.app.runs.find(found.run) {
        let mut recorder = seen.recorder();
        if found.status == Status::Active && call.app.host.engine().clock == Clock::Real {
            recorder.pass(now());
        }
        let (rows, total) = (timeline(&recorder), recorder.total());
        return Ok(Steps::new(rows, total, false));
    }
    let read = call.app.store().operations(found.run, Page { skip: 0, take: STEPS })?;
    let mut rows: Vec<(String, Row)> = Vec::new();
    let mut places: BTreeMap<String, usize> = BTreeMap::new();
    let mut total = 0;
    for operation in &read {
        let done = Done::of(&parse(&operation.body)?);
        let (began, ended) = ((done.began - found.order).max(0), (done.ended - found.order).max(0));
        total = total.max(ended);
        let next = rows.len();
        let at = *places.entry(done.id.caseless()).or_insert(next);
        let state = done.mark();
        match rows.get_mut(at) {
            // Another attempt of the same step.
            Some((_, row)) => {
                row.attempts += 1;
                row.ended = Some(ended);
                row.mark = state;
                row.error = Some(done.error).filter(|error| !error.is_empty());
            }
            None => {
                let name = done.id.rsplit('/').next().unwrap_or_default().to_owned();
                let label = if done.symbol.is_empty() { name } else { done.symbol };
                let row = Row {
                    name: own_name(&done.id, &label),
                    label,
                    kind: kind_of(&done.id),
                    depth: 0,
                    mark: state,
                    began: Some(began),
                    ended: Some(ended),
                    attempts: 1,
                    waits: Vec::new(),
                    after: Vec::new(),
                    error: Some(done.error).filter(|error| !error.is_empty()),
                };
                rows.push((done.id, row));
            }
        }
    }
    Ok(Steps::new(rows.into_iter().map(|(_, row)| row).collect(), total, true))
}

/// Milliseconds since 1970.
fn now() -> i64 {
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_millis()).unwrap_or(i64::MAX)
}

/// A page of operations, and where the next one begins.
fn operations(
    call: &Call,
    found: &Deployment,
    skip: usize,
) -> Result<(Vec<OperationRow>, Option<usize>), Refusal> {
    let read = call.app.store().operations(found.run, Page { skip, take: OPERATIONS + 1 })?;
    let next = (read.len() > OPERATIONS).then(|| skip.saturating_add(OPERATIONS));
    let reach = call.caller.reach();
    let mut rows = Vec::new();
    for operation in read.iter().take(OPERATIONS) {
        let body = parse(&operation.body)?;
        let done = Done::of(&body);
        let what = if place::is_deployment(&done.id) { "deployments" } else { "resources" };
        let mark = done.mark();
        let is_linked = done.id.starts_with('/') && reach.reads(&done.id);
        rows.push(OperationRow {
            number: operation.number.to_string(),
            what: text(&body, &["provisioningOperation"]).to_owned(),
            href: is_linked.then(|| place::page(what, &done.id)),
            resource: done.id,
            mark,
            state: done.state,
            status: text(&body, &["statusCode"]).to_owned(),
            at: moment::shown(text(&body, &["timestamp"])),
            took: took(text(&body, &["duration"])),
        });
    }
    Ok((rows, next))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_very_many_steps_those_that_are_not_done_are_shown() {
        let row = |number: usize| Row {
            label: number.to_string(),
            name: String::new(),
            kind: String::new(),
            depth: 0,
            mark: if number % 100 == 99 { Mark::Failed } else { Mark::Succeeded },
            began: None,
            ended: None,
            attempts: 1,
            waits: Vec::new(),
            after: Vec::new(),
            error: None,
        };
        let steps = Steps::new((0..2_000).map(row).collect(), 0, false);
        assert_eq!((steps.rows.len(), steps.hidden), (SHOWN_STEPS, 1_500));
        assert_eq!(steps.rows.iter().filter(|row| row.mark == Mark::Failed).count(), 20);
        assert_eq!(Steps::new((0..20).map(row).collect(), 0, false).hidden, 0);
    }
}
