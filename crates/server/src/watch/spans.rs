//! Spans of deployments: one for each deployment, and one inside it for each of its steps. The trace of a deployment is its correlation id, so that
//! it is found from its record and from the answer to its request.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use engine::core::{RunIndex, RunProgress, StepIndex, StepProgram};
use engine::{AcceptedDeployment, Watcher};
use serde_json::{Value, json};

use super::traces::{Traces, hex, random};

/// What watches a deployment.
pub(super) struct Spans {
    traces: Traces,
    trace: String,
    id: String,
    scope: String,
    name: String,
    started: i64,
    /// How often steps of the outermost deployment went wrong.
    failed: usize,
    programs: HashMap<RunIndex, Arc<dyn StepProgram>>,
    /// The spans of deployments inside this one, by number.
    inside: HashMap<RunIndex, String>,
    open: HashMap<(RunIndex, StepIndex), OpenSpan>,
}

/// A step that has begun.
struct OpenSpan {
    id: String,
    started: i64,
    attempt: u32,
}

impl Spans {
    pub(super) fn of(traces: Traces, accepted: &AcceptedDeployment) -> Spans {
        let program: Arc<dyn StepProgram> = Arc::clone(&accepted.program) as _;
        Spans {
            traces,
            trace: format!("{:032x}", accepted.run.0),
            id: new_id(),
            scope: accepted.key.scope().to_owned(),
            name: accepted.key.name().to_owned(),
            started: now(),
            failed: 0,
            programs: HashMap::from([(RunIndex::OUTERMOST, program)]),
            inside: HashMap::new(),
            open: HashMap::new(),
        }
    }

    /// The step, which may have begun already.
    fn open(&mut self, step: (RunIndex, StepIndex), now: i64) -> &mut OpenSpan {
        self.open.entry(step).or_insert_with(|| OpenSpan { id: new_id(), started: now, attempt: 1 })
    }

    /// Tells of a step that has ended. Only the code of a failure is told: its message may quote what was put.
    fn ended(&mut self, step: (RunIndex, StepIndex), failure: Option<&str>, skipped: bool, now: i64) {
        let Some(open) = self.open.remove(&step) else { return };
        let Some(program) = self.programs.get(&step.0) else { return };
        let (resource, symbol) = program.subject(step.1);
        let name = symbol.unwrap_or_else(|| resource.rsplit('/').next().unwrap_or_default());
        let parent = self.inside.get(&step.0).unwrap_or(&self.id);
        let mut attributes = vec![
            text("tendon.resource", resource),
            json!({"key": "tendon.attempts", "value": {"intValue": open.attempt.to_string()}}),
            json!({"key": "tendon.skipped", "value": {"boolValue": skipped}}),
        ];
        attributes.extend(failure.map(|code| text("error.type", code)));
        let span = json!({
            "traceId": self.trace,
            "spanId": open.id,
            "parentSpanId": parent,
            "name": format!("step {name}"),
            "kind": 1,
            "startTimeUnixNano": nanoseconds(open.started),
            "endTimeUnixNano": nanoseconds(now),
            "attributes": attributes,
            "status": {"code": if failure.is_some() { 2 } else { 0 }},
        });
        self.traces.send(span);
    }
}

impl Watcher for Spans {
    fn on_progress(&mut self, progress: &RunProgress, now: i64) {
        match progress {
            RunProgress::Began { run, within, inside } => {
                let id = self.open(*within, now).id.clone();
                self.inside.insert(*run, id);
                self.programs.insert(*run, Arc::clone(&inside.0));
            }
            RunProgress::Started { step, attempt } => self.open(*step, now).attempt = *attempt,
            RunProgress::Ended { step, failure, skipped } => {
                self.failed += usize::from(failure.is_some() && step.0 == RunIndex::OUTERMOST);
                self.ended(*step, failure.as_ref().map(|failure| failure.code.as_str()), *skipped, now);
            }
            RunProgress::Waiting { .. } | RunProgress::NotStarted { .. } | RunProgress::Deleted { .. } => {}
        }
    }
}

impl Drop for Spans {
    fn drop(&mut self) {
        let span = json!({
            "traceId": self.trace,
            "spanId": self.id,
            "parentSpanId": "",
            "name": format!("deployment {}", self.name),
            "kind": 1,
            "startTimeUnixNano": nanoseconds(self.started),
            "endTimeUnixNano": nanoseconds(now()),
            "attributes": [text("tendon.scope", &self.scope), text("tendon.deployment", &self.name)],
            "status": {"code": if self.failed > 0 { 2 } else { 0 }},
        });
        self.traces.send(span);
    }
}

fn text(key: &str, value: &str) -> Value {
    json!({"key": key, "value": {"stringValue": value}})
}

fn new_id() -> String {
    hex(&random::<8>())
}

/// Milliseconds since 1970.
fn now() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_millis()).unwrap_or(i64::MAX)
}

/// Milliseconds since 1970 as OTLP has them.
fn nanoseconds(milliseconds: i64) -> String {
    (i128::from(milliseconds) * 1_000_000).to_string()
}
