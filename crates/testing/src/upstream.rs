//! Tests in programs, as the public compiler runs them: each target is evaluated once, without a provider, and its own asserts are listed.

use std::cell::OnceCell;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Instant;

use arm::budget::Budget;
use arm::deployment::{
    Deployment, DeploymentContext, Evaluation, LookupResults, Plan, ResourceLookup, Unresolved,
};
use arm::evaluate::{EnvironmentValue, Moment, Scope};
use arm::template::{ScopeKind, Template, TemplateError, TemplateLimits};
use arm::{Caseless as _, Value};
use bicep::{DeclaredTest, FilePath, Finding};
use diagnostics::FileId;
use smol_str::SmolStr;

use crate::evaluation::WORK;
use crate::outcome::{AssertOutcome, FailureKind, FileOutcome, TestFailure, TestOutcome, TestStatus};
use crate::places::PlaceFile;
use crate::program::is_template;
use crate::session::Session;

/// The tenant and the subscription of everything.
const ZEROS: &str = "00000000-0000-0000-0000-000000000000";

/// The group that programs are evaluated in.
const GROUP: &str = "DummyResourceGroup";

/// The location of that.
const LOCATION: &str = "Dummy Location";

fn context(kind: ScopeKind) -> DeploymentContext {
    let scope = match kind {
        ScopeKind::ResourceGroup => Scope::ResourceGroup { subscription: ZEROS.into(), name: GROUP.into() },
        ScopeKind::Subscription => Scope::Subscription(ZEROS.into()),
        ScopeKind::ManagementGroup => Scope::ManagementGroup(ZEROS.into()),
        ScopeKind::Tenant => Scope::Tenant,
    };
    DeploymentContext {
        tenant: Some(ZEROS.into()),
        location: Some(LOCATION.into()),
        now: Moment { seconds: 0, ticks: 0 },
        unresolved: Unresolved::Error,
        budget: Budget::of_steps(WORK),
        name: None,
        ..DeploymentContext::local(scope, "test")
    }
}

fn first(errors: &[TemplateError]) -> String {
    errors.first().map_or_else(String::new, |error| error.message.to_string())
}

/// The asserts of a target with the parameters of a test; or why they cannot be told.
fn asserts(template: &Arc<Template>, params: &Value) -> Result<Vec<(SmolStr, bool)>, String> {
    let given = params.plain().as_object().into_iter().flat_map(|it| it.iter()).cloned();
    let deployment = Deployment::with_values(Arc::clone(template), given, context(template.scope));
    let deployment = deployment.map_err(|errors| first(&errors))?;
    let plan = Plan::new(deployment).map_err(|errors| first(&errors))?;
    match plan.asserts(&Declared { plan: &plan, resources: OnceCell::new() }) {
        Evaluation::Ready(asserts) => Ok(asserts.into_iter().map(|it| (it.name, it.holds)).collect()),
        Evaluation::Failed(error) => Err(error.message.into()),
        Evaluation::NeedsLookups(_) => Err("it depends on resources, which are not there".to_owned()),
    }
}

/// Resources as the program declares them: nothing is deployed, and what it reads that it does not declare is not known.
struct Declared<'p> {
    plan: &'p Plan,
    /// By id in folded form; made when it is asked for the first time.
    resources: OnceCell<BTreeMap<String, Value>>,
}

impl Declared<'_> {
    fn all(&self) -> BTreeMap<String, Value> {
        let deployment = self.plan.deployment();
        let given = deployment.template().parameters.iter().filter_map(|parameter| {
            match deployment.parameter(&parameter.name)? {
                EnvironmentValue::Value(value) => Some((parameter.name.clone(), value.clone())),
                EnvironmentValue::Expression(_) | EnvironmentValue::Unknown => None,
            }
        });
        let context = DeploymentContext { unresolved: Unresolved::Keep, ..deployment.context().clone() };
        let template = Arc::clone(deployment.template());
        let predicted = Deployment::with_values(template, given, context).and_then(arm::deployment::snapshot);
        let resources = predicted.map(|snapshot| snapshot.resources).unwrap_or_default();
        let by_id = |resource: Value| {
            let id = resource.as_object()?.get("id")?.as_str()?.caseless();
            Some((id, resource))
        };
        resources.into_iter().filter_map(by_id).collect()
    }
}

impl LookupResults for Declared<'_> {
    fn answer(&self, lookup: &ResourceLookup) -> Option<Result<Value, TemplateError>> {
        let ResourceLookup::Step(place) = lookup else { return None };
        let step = self.plan.steps().iter().find(|step| step.index == *place)?;
        let resources = self.resources.get_or_init(|| self.all());
        resources.get(&step.id.caseless()).cloned().map(Ok)
    }
}

/// The bodies of the tests of a program.
fn bodies(session: &Session<'_>, path: &FilePath) -> Result<Deployment, String> {
    let text = session.compiler.test_bodies(path).ok_or("the program has errors")?;
    let template = Template::read_file(&*text, FileId::FIRST, &TemplateLimits::DEFAULT);
    let template = template.map_err(|errors| first(&errors))?;
    // A parameter of the program has no value here, unless it has a default.
    Deployment::with_values(Arc::new(template), [], context(ScopeKind::ResourceGroup))
        .map_err(|errors| first(&errors))
}

/// What a test can be left out for.
enum Target {
    /// It cannot be had: that is an error.
    Missing(String),
    Template(Arc<Template>),
}

fn target(session: &Session<'_>, declared: &DeclaredTest) -> Target {
    let Some(path) = &declared.program else {
        return Target::Missing(format!("`{}` cannot be read", declared.written));
    };
    let program = session.program(path);
    match (&program.template, &program.unreadable) {
        (Some(template), _) => Target::Template(Arc::clone(template)),
        (None, _) if program.codes.is_empty() => {
            Target::Missing(format!("`{}` cannot be read", declared.written))
        }
        (None, _) => Target::Missing(format!("`{}` does not compile", declared.written)),
    }
}

/// Runs the tests of a program. What the compiler finds in it is the outcome's errors, and does not stop the tests.
pub fn run_program(session: &Session<'_>, path: &FilePath) -> FileOutcome {
    let name = session.host.shown(path);
    let mut outcome = FileOutcome { file: name.clone(), ..FileOutcome::default() };
    for (file, found) in &session.compiler.compile(path).findings {
        let wrong: Vec<Finding> = found.iter().filter(|finding| finding.is_error()).cloned().collect();
        for error in session.host.errors(session.compiler, file, &wrong) {
            outcome.errors.push(error.json);
            outcome.error_texts.push(error.text);
        }
    }
    let place = session.place_file(path);
    let declared = session.compiler.test_file(path);
    let bodies = bodies(session, path);
    for test in &declared.tests {
        let id = format!("{name}::{}", test.name);
        if !session.is_wanted(&id) {
            continue;
        }
        let began = Instant::now();
        let mut made = TestOutcome {
            name: test.name.clone(),
            case: None,
            id,
            program: Some(test.written.clone()),
            status: TestStatus::Passed,
            seconds: 0.0,
            asserts: Vec::new(),
            failures: Vec::new(),
            generated: None,
            reason: None,
            place: Some(place.place(test.span)),
        };
        evaluate(session, test, &bodies, &place, &mut made);
        if !made.failures.is_empty() {
            made.status = TestStatus::Failed;
        }
        made.seconds = began.elapsed().as_secs_f64();
        outcome.tests.push(made);
    }
    outcome
}

fn evaluate(
    session: &Session<'_>,
    test: &DeclaredTest,
    bodies: &Result<Deployment, String>,
    place: &PlaceFile,
    made: &mut TestOutcome,
) {
    let mut fail = |kind, name: Option<&str>, message: String, at| {
        let name = name.map(str::to_owned);
        made.failures.push(TestFailure { kind, code: None, name, message, place: Some(at), details: None });
    };
    let here = || place.place(test.span);
    let template = match target(session, test) {
        Target::Template(template) => template,
        Target::Missing(why) => return fail(FailureKind::Error, None, why, here()),
    };
    let body = bodies.as_ref().map_err(Clone::clone).and_then(|bodies| {
        let output = bodies.output(&format!("test:{}", test.name));
        output.ok_or("it has errors")?.map_err(|error| error.message.into())
    });
    let result = body.and_then(|body| {
        let params = body.as_object().and_then(|body| body.get("params")).cloned().unwrap_or(Value::Null);
        asserts(&template, &params)
    });
    let all = match result {
        Ok(all) => all,
        Err(why) => return fail(FailureKind::Error, None, why, here()),
    };
    let (spans, program_place) = match &test.program {
        Some(program) => (session.compiler.assert_spans(program), Some(session.place_file(program))),
        None => (Vec::new(), None),
    };
    for (name, holds) in all {
        let span = spans.iter().find(|(known, _)| *known == name).map(|(_, span)| *span);
        let at = span.zip(program_place.as_ref()).map_or_else(here, |(span, file)| file.place(span));
        let message = (!holds).then(|| format!("the assert `{name}` does not hold"));
        if let Some(message) = &message {
            fail(FailureKind::Assert, Some(&name), message.clone(), at.clone());
        }
        let assert = AssertOutcome { name: name.to_string(), holds, message, place: Some(at) };
        made.asserts.push(assert);
    }
}

/// Whether the path of a program is that of a template.
fn names_template(written: &str) -> bool {
    is_template(&FilePath::new(written))
}

/// The lines of the public compiler: what goes to standard output, and what to standard error, in order.
pub fn lines(outcome: &FileOutcome) -> Vec<(bool, String)> {
    let mut lines = Vec::new();
    let (mut skipped, mut succeeded) = (0, 0);
    // A target that is a template is left out without a word.
    let is_program = |test: &&TestOutcome| test.program.as_deref().is_none_or(|it| !names_template(it));
    let tests: Vec<&TestOutcome> = outcome.tests.iter().filter(is_program).collect();
    for test in &tests {
        let name = &test.name;
        let error = test.failures.iter().find(|failure| failure.kind == FailureKind::Error);
        let failed: Vec<&AssertOutcome> = test.asserts.iter().filter(|assert| !assert.holds).collect();
        if let Some(error) = error {
            skipped += 1;
            lines.push((false, format!("[-] Evaluation {name} Skipped!")));
            lines.push((false, format!("Reason: {}", error.message)));
        } else if failed.is_empty() {
            succeeded += 1;
            lines.push((true, format!("[\u{2713}] Evaluation {name} Passed!")));
        } else {
            let count = format!("{} / {}", failed.len(), test.asserts.len());
            lines.push((false, format!("[\u{2717}] Evaluation {name} Failed at {count} assertions!")));
            for assert in failed {
                lines.push((false, format!("\t[\u{2717}] Assertion {} failed!", assert.name)));
            }
        }
    }
    let total = tests.len();
    if succeeded == total {
        lines.push((true, format!("All {total} evaluations passed!")));
    } else {
        lines.push((false, "Evaluation Summary: Failure!".to_owned()));
        let failed = total - succeeded;
        lines.push((
            false,
            format!("Total: {total} - Success: {succeeded} - Skipped: {skipped} - Failed: {failed}"),
        ));
    }
    lines
}
