//! The page of one deployment, from what is kept of it and, if it runs here, from what is seen of it.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use arm::deployment::DeploymentMode;
use arm::rest_time::shown_moment;
use arm::{Caseless as _, ProvisioningState, Value};
use diagnostics::duration_words;
use engine::{Clock, DeploymentRecord, Failure, OperationRecord};
use graph::ResourceOutcome;
use http::{Method, StatusCode};
use pages::ui::{DeploymentView, ErrorView, OperationRow, Section};
use pages::{Output, TimelineRow};
use smol_str::SmolStr;
use store::{Deployment, DeploymentKey, Page, Status};
use tokio::sync::watch;

use super::deployments::{mark as deployment_mark, state_word};
use super::{page_shell, page_url, stored_marks};
use crate::access::Access;
use crate::api_error::{ApiError, broken};
use crate::identity::Allowed;
use crate::picture::Drawn;
use crate::recorder::StepState;
use crate::response::HttpResponse;
use crate::routed_request::RoutedRequest;
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

pub(super) async fn get_deployment_page(call: RoutedRequest) -> Result<HttpResponse, ApiError> {
    let mut frame = page_shell::frame(&call);
    let DeploymentFeed { view, .. } = look(&Arc::new(call)).await?;
    frame.refresh = view.is_running.then_some(REFRESH);
    let body = pages::ui::deployment(&frame, &view);
    Ok(page_shell::page(StatusCode::OK, &frame, Section::Deployments, &view.name, &body))
}

/// Cancels a deployment, and shows it.
pub(super) async fn cancel(call: RoutedRequest) -> Result<HttpResponse, ApiError> {
    let found = found(&call)?;
    let name = found.key.name();
    if found.root != found.run {
        let message = format!("The deployment '{name}' is part of another one; cancel that one.");
        return Err(ApiError::new("DeploymentCannotBeCancelled", message));
    }
    if found.status == Status::Ended || !call.app.host.cancel(&found).await? {
        let message = format!("The deployment '{name}' cannot be cancelled: it has ended.");
        return Err(ApiError::new("DeploymentCannotBeCancelled", message));
    }
    Ok(page_shell::redirect(&page_url::page("deployments", &id(&call))))
}

/// The id in the path.
fn id(call: &RoutedRequest) -> String {
    format!("/{}", call.path.get("id"))
}

/// The deployment in the path.
fn found(call: &RoutedRequest) -> Result<Deployment, ApiError> {
    let id = id(call);
    let missing = || ApiError::new("DeploymentNotFound", format!("There is no deployment `{id}`."));
    let (scope, name) = page_url::split(&id).ok_or_else(missing)?;
    call.app.store().deployment(&DeploymentKey::new(scope, name))?.ok_or_else(missing)
}

/// A look at a deployment.
pub(super) struct DeploymentFeed {
    /// Everything that the page shows.
    pub(super) view: DeploymentView,
    /// Hears of what happens after that, if it runs here.
    pub(super) changes: Option<watch::Receiver<u64>>,
    /// How long it took.
    pub(super) took: Duration,
}

/// Looks at the deployment in the path, apart from the threads that serve: very many records are read and parsed, a template may take long to be
/// evaluated, and a picture to be drawn.
pub(super) async fn look(call: &Arc<RoutedRequest>) -> Result<DeploymentFeed, ApiError> {
    let permit = Arc::clone(&call.app.pages.drawing).acquire_owned().await.map_err(|error| broken(&error))?;
    let call = Arc::clone(call);
    let looked = tokio::task::spawn_blocking(move || {
        let _permit = permit;
        let began = Instant::now();
        let found = found(&call)?;
        // What happens from here on is heard, so that nothing is missed between two looks.
        let changes = call.app.runs.find(found.run).map(|run| run.changes());
        let view = view(&call, &found)?;
        Ok(DeploymentFeed { view, changes, took: began.elapsed() })
    });
    looked.await.map_err(|error| broken(&error))?
}

fn view(call: &RoutedRequest, found: &Deployment) -> Result<DeploymentView, ApiError> {
    let (pictures, run) = (&call.app.pages.pictures, found.run);
    let drawn = pictures.graph(call.app.host.engine(), found)?;
    let marks = match call.app.runs.find(run) {
        Some(seen) => marks(&seen.recorder()),
        None => stored_marks::marks(call.app.store(), &drawn, found)?,
    };
    let picture = pictures.svg(run, &drawn, &marks);
    let record = DeploymentRecord::from_store(&found.body)?;
    let errors = record.error.as_ref().map(|error| errors(error, &drawn)).unwrap_or_default();
    let id = if record.id.is_empty() { page_url::id_of(&found.key) } else { record.id.to_string() };
    let (scope, name) = page_url::split(&id).unwrap_or((found.key.scope(), found.key.name()));
    let is_running = found.status == Status::Active;
    let is_outermost = found.root == found.run;
    let parts = id.split('/').chain(["cancel"]).filter(|part| !part.is_empty());
    let parts: Vec<String> = parts.map(str::to_owned).collect();
    let may_cancel =
        is_running && is_outermost && call.caller.may(Access::Deploy, &Method::POST, &parts) == Allowed::All;
    let skip = call.query.get("operations").and_then(|skip| skip.parse().ok()).unwrap_or(0);
    let (operations, more) = operations(call, found, skip)?;
    let Steps { rows: steps, hidden: hidden_steps, total, only_operations } = steps(call, found)?;
    Ok(DeploymentView {
        name: name.to_owned(),
        scope: page_url::parts(scope),
        state: state_word(found, &record).to_owned(),
        mark: deployment_mark(found.status, Some(&record)),
        is_running,
        cancel: may_cancel.then(|| page_url::page("cancel", &id)),
        events: is_running.then(|| page_url::page("events", &id)),
        facts: facts(found, &record, &id),
        outer: outer(call, found)?,
        steps,
        hidden_steps,
        total,
        only_operations,
        picture,
        operations,
        more_operations: more.map(|skip| {
            page_url::with_query(&page_url::page("deployments", &id), &[("operations", &skip.to_string())])
        }),
        outputs: outputs(&record),
        errors,
    })
}

/// The deployment that one is a part of, if it may be seen.
fn outer(call: &RoutedRequest, found: &Deployment) -> Result<Option<(String, String)>, ApiError> {
    if found.root == found.run {
        return Ok(None);
    }
    let Some(outer) = call.app.store().run(found.root)? else { return Ok(None) };
    let id = page_url::id_of(&outer.key);
    let is_seen = call.caller.reach().can_read(&id);
    Ok(is_seen.then(|| (outer.key.name().to_owned(), page_url::page("deployments", &id))))
}

fn facts(found: &Deployment, record: &DeploymentRecord, id: &str) -> Vec<(&'static str, String)> {
    let mut facts = vec![("Id", id.to_owned()), ("Began", shown_moment(found.order))];
    if found.status == Status::Ended {
        facts.push(("Ended", record.timestamp.map(shown_moment).unwrap_or_default()));
        facts.push(("Took", record.duration.map(duration_words).unwrap_or_default()));
    }
    let text = |text: &Option<SmolStr>| text.as_deref().unwrap_or_default().to_owned();
    facts.push(("Mode", record.mode.map_or("", DeploymentMode::name).to_owned()));
    facts.push(("Location", text(&record.location)));
    facts.push(("Correlation id", text(&record.correlation_id)));
    facts.push(("Template hash", text(&record.template_hash)));
    facts.retain(|(_, value)| !value.is_empty());
    facts
}

fn outputs(record: &DeploymentRecord) -> Vec<Output> {
    let all = record.shown_outputs().map(|output| Output {
        name: output.name.to_owned(),
        kind: output.type_name.to_owned(),
        value: output.value.map(Value::to_json),
    });
    all.collect()
}

/// An error, and those behind it after it, with the places of their resources.
fn errors(error: &Failure, drawn: &Drawn) -> Vec<ErrorView> {
    let mut found: Vec<(usize, &Failure, bool)> = Vec::new();
    let mut left = vec![(error, 0, None)];
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

/// How an operation ended, for the eye.
pub(super) fn operation_mark(operation: &OperationRecord) -> ResourceOutcome {
    match (operation.state, error_code(operation)) {
        (ProvisioningState::Succeeded, _) => ResourceOutcome::Succeeded,
        (_, code) => mark(StepState::of_error(code)),
    }
}

fn error_code(operation: &OperationRecord) -> &str {
    operation.error.as_ref().map_or("", |error| error.code.as_str())
}

/// When an operation began and ended, in milliseconds since 1970.
fn times(operation: &OperationRecord) -> (i64, i64) {
    let ended = operation.timestamp.unwrap_or(0);
    (ended.saturating_sub(operation.duration.unwrap_or(0)), ended)
}

/// The steps of a deployment.
struct Steps {
    rows: Vec<TimelineRow>,
    /// How many there are beside.
    hidden: usize,
    /// How long all of it took, in milliseconds.
    total: i64,
    /// Whether they are known only from operations.
    only_operations: bool,
}

impl Steps {
    /// Of very many steps, those that are done are left out first.
    fn new(mut rows: Vec<TimelineRow>, total: i64, only_operations: bool) -> Steps {
        let is_done =
            |row: &TimelineRow| matches!(row.mark, ResourceOutcome::Succeeded | ResourceOutcome::There);
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

fn steps(call: &RoutedRequest, found: &Deployment) -> Result<Steps, ApiError> {
    if let Some(seen) = call.app.runs.find(found.run) {
        let mut recorder = seen.recorder();
        if found.status == Status::Active && call.app.host.engine().clock == Clock::Real {
            recorder.pass(now());
        }
        let (rows, total) = (timeline(&recorder), recorder.total());
        return Ok(Steps::new(rows, total, false));
    }
    let read = call.app.store().operations(found.run, Page { skip: 0, take: STEPS })?;
    let mut rows: Vec<TimelineRow> = Vec::new();
    let mut places: BTreeMap<String, usize> = BTreeMap::new();
    let mut total = 0;
    for operation in &read {
        let done = OperationRecord::from_store(&operation.body)?;
        let (began, ended) = times(&done);
        let (began, ended) =
            (began.saturating_sub(found.order).max(0), ended.saturating_sub(found.order).max(0));
        total = total.max(ended);
        let next = rows.len();
        let id = done.target_id();
        let at = *places.entry(id.caseless()).or_insert(next);
        let state = operation_mark(&done);
        let error = done.error.as_ref().map(|error| error.code.to_string());
        let error = error.filter(|code| !code.is_empty());
        match rows.get_mut(at) {
            // Another attempt of the same step.
            Some(row) => {
                row.attempts += 1;
                row.ended = Some(ended);
                row.mark = state;
                row.error = error;
            }
            None => {
                let symbol = done.target.as_ref().and_then(|target| target.symbolic_name.as_deref());
                let label = symbol.unwrap_or_else(|| id.rsplit('/').next().unwrap_or_default()).to_owned();
                let row = TimelineRow {
                    name: own_name(id, &label),
                    label,
                    kind: kind_of(id),
                    depth: 0,
                    mark: state,
                    began: Some(began),
                    ended: Some(ended),
                    attempts: 1,
                    waits: Vec::new(),
                    after: Vec::new(),
                    error,
                };
                rows.push(row);
            }
        }
    }
    Ok(Steps::new(rows, total, true))
}

/// Milliseconds since 1970.
fn now() -> i64 {
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_millis()).unwrap_or(i64::MAX)
}

/// A page of operations, and where the next one begins.
fn operations(
    call: &RoutedRequest,
    found: &Deployment,
    skip: usize,
) -> Result<(Vec<OperationRow>, Option<usize>), ApiError> {
    let read = call.app.store().operations(found.run, Page { skip, take: OPERATIONS + 1 })?;
    let next = (read.len() > OPERATIONS).then(|| skip.saturating_add(OPERATIONS));
    let reach = call.caller.reach();
    let mut rows = Vec::new();
    for operation in read.iter().take(OPERATIONS) {
        let done = OperationRecord::from_store(&operation.body)?;
        let id = done.target_id();
        let what = if page_url::is_deployment(id) { "deployments" } else { "resources" };
        let is_linked = id.starts_with('/') && reach.can_read(id);
        rows.push(OperationRow {
            number: operation.number.to_string(),
            what: done.operation.to_string(),
            href: is_linked.then(|| page_url::page(what, id)),
            resource: id.to_owned(),
            mark: operation_mark(&done),
            state: done.state.as_str().to_owned(),
            status: done.status_code.as_deref().unwrap_or_default().to_owned(),
            at: done.timestamp.map(shown_moment).unwrap_or_default(),
            took: done.duration.map(duration_words).unwrap_or_default(),
        });
    }
    Ok((rows, next))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_very_many_steps_those_that_are_not_done_are_shown() {
        let row = |number: usize| TimelineRow {
            label: number.to_string(),
            name: String::new(),
            kind: String::new(),
            depth: 0,
            mark: if number % 100 == 99 { ResourceOutcome::Failed } else { ResourceOutcome::Succeeded },
            began: None,
            ended: None,
            attempts: 1,
            waits: Vec::new(),
            after: Vec::new(),
            error: None,
        };
        let steps = Steps::new((0..2_000).map(row).collect(), 0, false);
        assert_eq!((steps.rows.len(), steps.hidden), (SHOWN_STEPS, 1_500));
        assert_eq!(steps.rows.iter().filter(|row| row.mark == ResourceOutcome::Failed).count(), 20);
        assert_eq!(Steps::new((0..20).map(row).collect(), 0, false).hidden, 0);
    }
}
