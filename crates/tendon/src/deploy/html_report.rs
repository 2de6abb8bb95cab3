//! The report of a deployment as one HTML file: what was wrong, what was done when, the picture, and the outputs.

use std::collections::BTreeMap;
use std::path::Path;

use arm::Caseless as _;
use arm::Value;
use arm::deployment::Deployment;
use arm::rest_time::shown_moment;
use bicep::Compiler;
use diagnostics::terminal::{self, Style};
use diagnostics::{Diagnostic, SourceMap, duration_words};
use engine::{DeploymentRecord, Failure as EngineFailure};
use graph::Graph;
use pages::{DiagnosticView, Group, Output, Report, Status};
use server::Recorder;

use super::origins::SourceOrigins;
use super::sources::Sources;
use crate::exit::CommandError;
use crate::finding;
use crate::output_file::OutputFile;
use crate::remote::Timeline;

/// What is known of a deployment when its report is written.
#[derive(Default)]
pub(crate) struct DeploymentReport<'t> {
    /// What the deployment is called.
    pub(crate) title: String,
    pub(crate) sources: Option<&'t Sources>,
    pub(crate) compiler: Option<&'t Compiler>,
    /// The deployment, if there is one.
    pub(crate) deployment: Option<&'t Deployment>,
    /// What was wrong before it ran.
    pub(crate) findings: Vec<DiagnosticView>,
    /// Why it was refused, or failed.
    pub(crate) failure: Option<&'t EngineFailure>,
    pub(crate) changes: &'t [engine::PredictedChange],
    pub(crate) recorder: Option<&'t Recorder>,
    /// What happened on a server.
    pub(crate) timeline: Option<&'t Timeline>,
    pub(crate) record: Option<&'t DeploymentRecord>,
    /// How it ended, in words; what is known says it if nobody does.
    pub(crate) verdict: Option<String>,
}

pub(crate) fn write(path: &Path, told: DeploymentReport<'_>) -> Result<(), CommandError> {
    let text = page(told);
    OutputFile::at(path)
        .write(text.as_bytes())
        .map_err(|error| CommandError::writing(&format!("`{}`", path.display()), &error))
}

/// The text of a report.
fn page(mut told: DeploymentReport<'_>) -> String {
    let nothing = Sources::default();
    let origins = SourceOrigins::new(told.sources.unwrap_or(&nothing), told.compiler);
    // A deployment that cannot be drawn has its errors among the findings.
    let drawn = told.deployment.and_then(|deployment| graph::of(&told.title, deployment, &origins).ok());
    let mut graph = drawn.map(|(graph, _)| graph);
    if let Some(graph) = &mut graph {
        match (told.recorder, told.timeline) {
            (Some(recorder), _) => graph.mark(&server::marks(recorder)),
            (None, Some(timeline)) => graph.mark(&timeline.marks),
            (None, None) => graph.mark(&marks_of(told.changes)),
        }
    }
    if let Some(failure) = told.failure {
        add(failure, graph.as_ref(), &origins, &mut told.findings);
    }
    let is_bad = told.failure.is_some() || told.findings.iter().any(|it| it.severity == "error");
    let status = match (is_bad, told.findings.is_empty()) {
        (true, _) => Status::Bad,
        (false, false) => Status::Warning,
        (false, true) => Status::Good,
    };
    let state = told.record.map(|record| record.state.as_str().to_owned());
    let verdict = told
        .verdict
        .or(state)
        .unwrap_or_else(|| if is_bad { "refused".to_owned() } else { "nothing is wrong".to_owned() });
    let status = if verdict == "Canceled" { Status::Warning } else { status };
    let groups = Group::all(&told.findings, &finding::summary);
    pages::report(&Report {
        title: told.title,
        status,
        verdict,
        facts: facts(told.record),
        findings: Some(groups),
        timeline: match told.recorder {
            Some(recorder) => Some((server::timeline(recorder), recorder.total())),
            None => told.timeline.map(|timeline| (timeline.rows.clone(), timeline.total)),
        },
        graph: graph.as_ref(),
        outputs: outputs(told.record),
    })
}

fn facts(record: Option<&DeploymentRecord>) -> Vec<(&'static str, String)> {
    let Some(record) = record else { return Vec::new() };
    let rows = [
        ("Deployment", Some(record.id.to_string()).filter(|id| !id.is_empty())),
        ("Ended", record.timestamp.map(|at| format!("{} UTC", shown_moment(at)))),
        ("Took", record.duration.map(duration_words)),
        ("Mode", record.mode.map(|mode| mode.name().to_owned())),
        ("Correlation id", record.correlation_id.as_ref().map(ToString::to_string)),
        ("Template hash", record.template_hash.as_ref().map(ToString::to_string)),
    ];
    rows.into_iter().filter_map(|(name, text)| Some((name, text?))).collect()
}

/// The outputs of a record; secrets have no value there.
fn outputs(record: Option<&DeploymentRecord>) -> Vec<Output> {
    let outputs = record.into_iter().flat_map(DeploymentRecord::shown_outputs);
    let all = outputs.map(|output| Output {
        name: output.name.to_owned(),
        kind: output.type_name.to_owned(),
        value: output.value.map(Value::to_json),
    });
    all.collect()
}

/// An error of the engine and those behind it; deployments do not nest deep.
fn add(
    failure: &EngineFailure,
    graph: Option<&Graph>,
    origins: &SourceOrigins<'_>,
    findings: &mut Vec<DiagnosticView>,
) {
    let mut text = String::new();
    if let Some(target) = &failure.target {
        text.push_str(&format!("  = resource: {target}"));
        let has = |ids: &[String]| ids.iter().any(|id| id.eq_ignore_ascii_case(target));
        let node = graph.and_then(|graph| graph.nodes().iter().find(|node| has(&node.ids)));
        if let Some(place) = node.and_then(|node| node.place.as_ref()) {
            text.push_str(&format!("\n --> {place}"));
            if let Some(line) = origins.line(place) {
                let bar = " ".repeat(place.line.to_string().len());
                text.push_str(&format!("\n{bar} |\n{} | {line}\n{bar} |", place.line));
            }
        }
    }
    let (code, message) = (failure.code.to_string(), failure.message.clone());
    findings.push(DiagnosticView { code, severity: "error".to_owned(), message, text });
    for detail in &failure.details {
        add(detail, graph, origins, findings);
    }
}

/// Diagnostics as reports show them: with their source lines.
pub(crate) fn findings(sources: &SourceMap, diagnostics: &[Diagnostic]) -> Vec<DiagnosticView> {
    let shown = diagnostics.iter().map(|diagnostic| {
        let mut text = String::new();
        // Writing to a string does not fail.
        let _ = terminal::write(&mut text, sources, diagnostic, Style::Plain);
        DiagnosticView {
            code: diagnostic.code.to_string(),
            severity: diagnostic.severity.name().to_owned(),
            message: diagnostic.message.to_string(),
            // The first line is the message, which stands above.
            text: text.split_once('\n').map_or("", |(_, places)| places).trim_end().to_owned(),
        }
    });
    shown.collect()
}

/// The marks of a prediction, by id in lower case.
pub(crate) fn marks_of(changes: &[engine::PredictedChange]) -> BTreeMap<String, graph::ResourceOutcome> {
    changes.iter().map(|change| (change.id.caseless(), mark_of(change.kind))).collect()
}

/// What a prediction says of a resource, as a mark.
pub(crate) fn mark_of(kind: engine::ChangeKind) -> graph::ResourceOutcome {
    match kind {
        engine::ChangeKind::Create => graph::ResourceOutcome::Create,
        engine::ChangeKind::Modify => graph::ResourceOutcome::Change,
        engine::ChangeKind::NoChange => graph::ResourceOutcome::Keep,
        engine::ChangeKind::Delete => graph::ResourceOutcome::Delete,
        engine::ChangeKind::Ignore => graph::ResourceOutcome::Ignore,
    }
}
