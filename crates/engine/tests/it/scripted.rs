//! Deployments on a provider that answers as a script says, under a virtual clock.

use std::sync::Arc;

use arm::Value;
use arm::deployment::{Deployment, DeploymentContext, DeploymentMode};
use arm::template::{Template, TemplateLimits};
use engine::core::{MachineSettings, RunEnd, RunProgress};
use engine::provider::{Local, Script, ScriptedProvider};
use engine::records::parse;
use engine::{Clock, Engine};
use store::{Key, MemoryStore, Page, Store};
use tokio::sync::mpsc::unbounded_channel;

const EXAMPLE: &str = include_str!("../../../../examples/retry/main.json");

struct Outcome {
    end: RunEnd,
    record: Value,
    /// The operations of the deployment: how each ended, and how long it took.
    operations: Vec<(String, String)>,
    store: Arc<MemoryStore>,
    /// How often the deployment told what it does.
    calls: usize,
}

fn deploy(template: &str, script: &str) -> Outcome {
    let (store, key) = (Arc::new(MemoryStore::new()), Key::random().unwrap());
    let local = Arc::new(Local::new(Arc::<MemoryStore>::clone(&store), key.clone()));
    let script = Script::read(&parse(script).unwrap()).unwrap();
    let provider = Arc::new(ScriptedProvider::new(local, Arc::new(script)));
    let settings = MachineSettings::default();
    let engine =
        Engine { store: Arc::<MemoryStore>::clone(&store), key, provider, settings, clock: Clock::Virtual };
    let template = Arc::new(Template::read(template, &TemplateLimits::default()).unwrap());
    let context = DeploymentContext::local(DeploymentContext::local_scope(template.scope), "main");
    let deployment = Arc::new(Deployment::with_values(template, [], context).unwrap());
    let accepted = engine.accept(deployment, DeploymentMode::Incremental).unwrap();
    let run = accepted.run;
    let (_keep, cancel) = unbounded_channel();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
    let mut calls = 0;
    let ended =
        runtime.block_on(engine.run(accepted, cancel, &mut |_: &RunProgress, _: i64| calls += 1)).unwrap();
    let operations = store.operations(run, Page::ALL).unwrap();
    let operations = operations.iter().map(|operation| {
        let body = parse(&operation.body).unwrap();
        let text = |name: &str| body.as_object().unwrap().get(name).unwrap().as_str().unwrap().to_owned();
        (text("provisioningState"), text("duration"))
    });
    let operations = operations.collect();
    Outcome { end: ended.end, record: ended.record.to_rest(), operations, store, calls }
}

#[test]
fn a_put_is_tried_again_and_its_state_is_seen_late() {
    let outcome = deploy(
        EXAMPLE,
        r#"[{"resource": "queue", "on": "put", "latency": "PT30S", "answers": [
                {"error": {"code": "ServerBusy", "message": "later"}}, {"error": {"code": "serverbusy", "message": "later"}},
                {"merge": {"properties": {"status": "Creating"}}}]},
            {"resource": "Contoso.Shop/queues", "on": "get", "answers": [
                {"error": {"code": "ResourceNotFound", "message": "not yet"}}, {"merge": {"properties": {"status": "Creating"}}},
                {"merge": {"properties": {"status": "Ready"}}}]}]"#,
    );
    assert!(matches!(outcome.end, RunEnd::Succeeded(_)), "{:?}", outcome.end);
    let states: Vec<&str> = outcome.operations.iter().map(|(state, _)| state.as_str()).collect();
    assert_eq!(states, ["Failed", "Failed", "Succeeded", "Succeeded"], "one for each attempt");
    assert_eq!(outcome.operations[0].1, "PT30S");
    // Three puts of 30 s with pauses of 1 and 2 s between them, then pauses of 1, 2 and 4 s until it is ready.
    let duration = outcome.record.as_object().unwrap().get("properties").unwrap().as_object().unwrap();
    assert_eq!(duration.get("duration"), Some(&Value::text("PT1M40S")));
}

#[test]
fn what_depends_on_a_failure_is_not_run() {
    let script = r#"[{"resource": "Contoso.Shop/queues", "on": "put", "answers": [{"error": {"code": "QuotaExceeded", "message": "no more"}}]}]"#;
    let outcome = deploy(EXAMPLE, script);
    let RunEnd::Failed(failure) = &outcome.end else { panic!("{:?}", outcome.end) };
    assert_eq!(failure.details[0].code, "QuotaExceeded", "{failure:?}");
    assert_eq!(outcome.operations.len(), 1, "it is not tried again, and the worker never starts");
    assert!(outcome.store.resources("", Page::ALL).unwrap().is_empty());
}

#[test]
fn a_resource_that_its_service_gave_up_is_a_failure() {
    for answer in ["body", "merge"] {
        let script = format!(
            r#"[{{"resource": "queue", "on": "put", "answers": [{{"{answer}": {{"properties": {{"provisioningState": "failed"}}}}}}]}}]"#
        );
        let outcome = deploy(EXAMPLE, &script);
        let RunEnd::Failed(failure) = &outcome.end else { panic!("{:?}", outcome.end) };
        assert_eq!(failure.details[0].code, "ResourceDeploymentFailure", "{failure:?}");
    }
}

/// A resource with a secret in its body, and options.
fn secretive(options: &str) -> String {
    format!(
        r#"{{"$schema": "https://schema.management.azure.com/schemas/2019-04-01/deploymentTemplate.json#", "contentVersion": "1.0.0.0",
        "parameters": {{"pw": {{"type": "securestring", "defaultValue": "hunter2"}}, "time": {{"type": "securestring", "defaultValue": "PT2S"}}}},
        "resources": [{{"type": "Our.Things/things", "apiVersion": "2025-01-01", "name": "a", "@options": {{{options}}},
            "properties": {{"pw": "[parameters('pw')]"}}}}]}}"#
    )
}

#[test]
fn a_provider_that_repeats_a_secret_gives_it_to_nobody() {
    let wait = r#""waitUntil": ["[lambda('x', false())]", "PT2S"]"#;
    let echo = r#"[{"resource": "Our.Things/things", "on": "get", "answers": [{"merge": {"properties": {"all": "user=sa;pw=hunter2"}}}]}]"#;
    let fail = r#"[{"resource": "Our.Things/things", "on": "put", "answers": [{"error": {"code": "Bad", "message": "not 'hunter2'"}}]}]"#;
    for (options, script, expect) in [(wait, echo, "user=sa;pw="), ("", fail, "not '")] {
        let outcome = deploy(&secretive(options), script);
        let RunEnd::Failed(failure) = &outcome.end else { panic!("{:?}", outcome.end) };
        let said = format!("{failure:?} {:?}", outcome.record);
        assert!(said.contains(expect) && !said.contains("hunter2"), "{said}");
    }
}

#[test]
fn a_secret_cannot_be_an_argument_of_an_option() {
    let outcome =
        deploy(&secretive(r#""waitUntil": ["[lambda('x', true())]", "[parameters('time')]"]"#), "[]");
    let RunEnd::Failed(failure) = &outcome.end else { panic!("{:?}", outcome.end) };
    assert!(format!("{failure:?}").contains("made from a secure value"), "{failure:?}");
}

#[test]
fn a_wait_of_years_takes_some_hundred_looks() {
    let outcome = deploy(&secretive(r#""waitUntil": ["[lambda('x', false())]", "P300Y"]"#), "[]");
    let RunEnd::Failed(failure) = &outcome.end else { panic!("{:?}", outcome.end) };
    assert_eq!(failure.details[0].code, "WaitUntilTimeout", "{failure:?}");
    assert!(outcome.calls < 1_000, "{}", outcome.calls);
}

#[test]
fn nothing_is_tried_without_end() {
    let template = EXAMPLE.replace(r#"[["ServerBusy"], 2]"#, r#"[["ServerBusy"], 2000000000]"#);
    assert_ne!(template, EXAMPLE);
    let script = r#"[{"resource": "queue", "on": "put", "answers": [{"error": {"code": "ServerBusy", "message": "later"}}]}]"#;
    let outcome = deploy(&template, script);
    assert!(matches!(outcome.end, RunEnd::Failed(_)), "{:?}", outcome.end);
    assert_eq!(outcome.operations.len(), 101);
}

#[test]
fn what_never_becomes_ready_is_given_up() {
    let script = r#"[{"resource": "queue", "on": "get", "answers": [{"merge": {"properties": {"status": "Creating"}}}]}]"#;
    let outcome = deploy(EXAMPLE, script);
    let RunEnd::Failed(failure) = &outcome.end else { panic!("{:?}", outcome.end) };
    assert_eq!(failure.details[0].code, "WaitUntilTimeout", "{failure:?}");
    assert_eq!(outcome.operations[0].1, "PT5M0S", "no real time passed");
}

#[test]
fn what_is_wrong_with_a_script_is_said() {
    for (script, expect) in [
        ("{}", "`provider` is a list"),
        (r#"[{"resource": "a", "on": "post", "answers": [{"body": {}}]}]"#, "`on` is `put`"),
        (r#"[{"resource": "a", "on": "put", "answers": []}]"#, "at least one"),
        (r#"[{"resource": "a", "on": "put", "answers": [{"body": {}, "merge": {}}]}]"#, "one member"),
        (r#"[{"resource": "a", "on": "put", "answers": [{"error": {}}]}]"#, "`code`"),
        (r#"[{"resource": "a", "on": "put", "latency": "soon", "answers": [{"body": {}}]}]"#, "`latency`"),
        (r#"[{"resource": "a", "on": "get", "answers": [{"body": 1}]}]"#, "`body` is an object"),
        (r#"[{"resource": "a", "on": "put", "answer": [{"body": {}}]}]"#, "`answer` is unknown"),
    ] {
        let error = Script::read(&parse(script).unwrap()).unwrap_err();
        assert!(error.contains(expect), "{script}: {error}");
    }
}
