//! Deployments from template to record, on the local provider.

use std::sync::Arc;

use arm::Value;
use arm::deployment::{Deployment, DeploymentContext, DeploymentMode, Links};
use arm::template::{Template, TemplateLimits};
use engine::core::{MachineSettings, RunEnd, RunProgress};
use engine::provider::{LazyTypes, Local};
use engine::{Clock, DeploymentResult, Engine, StartError};
use store::{Key, MemoryStore, Page, Status, Store};
use tokio::sync::mpsc::unbounded_channel;

const SCHEMA: &str = "https://schema.management.azure.com/schemas/2019-04-01/deploymentTemplate.json#";

fn template(rest: &str) -> String {
    format!(r#"{{"$schema": "{SCHEMA}", "languageVersion": "2.0", "contentVersion": "1.0.0.0", {rest}}}"#)
}

fn deployment(text: &str, values: &[(&str, Value)]) -> Arc<Deployment> {
    let template = Arc::new(Template::read(text, &TemplateLimits::default()).unwrap());
    let context = DeploymentContext::local(DeploymentContext::local_scope(template.scope), "main");
    let values = values.iter().map(|(name, value)| ((*name).into(), value.clone()));
    Arc::new(Deployment::with_values(template, values, context).unwrap())
}

fn engine(store: &Arc<MemoryStore>, key: &Key) -> Engine {
    let store: Arc<dyn Store> = Arc::<MemoryStore>::clone(store);
    let provider = Arc::new(Local::new(Arc::clone(&store), key.clone()));
    Engine {
        store,
        key: key.clone(),
        provider,
        settings: MachineSettings::default(),
        clock: Clock::Virtual,
        budgets: Default::default(),
    }
}

fn run(
    engine: &Engine,
    deployment: Arc<Deployment>,
    mode: DeploymentMode,
) -> Result<DeploymentResult, StartError> {
    let accepted = engine.accept(deployment, mode)?;
    finish(engine, accepted)
}

fn finish(engine: &Engine, accepted: engine::AcceptedDeployment) -> Result<DeploymentResult, StartError> {
    let (_keep, cancel) = unbounded_channel();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
    runtime.block_on(engine.run(accepted, cancel, &mut |_: &RunProgress, _: i64| {}))
}

fn at<'v>(value: &'v Value, path: &[&str]) -> &'v Value {
    path.iter().fold(value, |value, name| {
        let member = value.as_object().and_then(|object| object.get(name));
        member.unwrap_or_else(|| panic!("no `{name}` in {value:?}"))
    })
}

const RESOURCES: &str = r#"
    "parameters": {"password": {"type": "securestring", "defaultValue": "hunter2"}, "count": {"type": "int", "defaultValue": 3}},
    "resources": {
        "account": {"type": "Microsoft.Storage/storageAccounts", "apiVersion": "2023-01-01", "name": "acc", "location": "westus", "kind": "StorageV2"},
        "things": {"copy": {"name": "things", "count": "[parameters('count')]"}, "type": "Our.Things/things", "apiVersion": "2025-01-01",
            "name": "[format('t{0}', copyIndex())]", "properties": {"endpoint": "[reference('account').primaryEndpoints.blob]", "password": "[parameters('password')]"},
            "dependsOn": ["account"]},
        "inner": {"type": "Microsoft.Resources/deployments", "apiVersion": "2025-04-01", "name": "inner", "properties": {
            "mode": "Incremental", "expressionEvaluationOptions": {"scope": "inner"},
            "parameters": {"id": {"value": "[resourceInfo('account').id]"}, "secret": {"value": "[parameters('password')]"}},
            "template": {"$schema": "https://schema.management.azure.com/schemas/2019-04-01/deploymentTemplate.json#", "languageVersion": "2.0", "contentVersion": "1.0.0.0",
                "parameters": {"id": {"type": "string"}, "secret": {"type": "securestring"}},
                "resources": {"leaf": {"type": "Our.Things/leaves", "apiVersion": "2025-01-01", "name": "leaf", "properties": {"of": "[parameters('id')]"}}},
                "outputs": {"of": {"type": "string", "value": "[reference('leaf').of]"}, "hidden": {"type": "securestring", "value": "[concat(parameters('secret'), '!')]"}}}},
            "dependsOn": ["things"]}
    },
    "outputs": {
        "of": {"type": "string", "value": "[reference('inner').outputs.of.value]"},
        "hidden": {"type": "securestring", "value": "[reference('inner').outputs.hidden.value]"},
        "key": {"type": "int", "value": "[length(listKeys('account', '2023-01-01').keys)]"}
    }"#;

#[test]
fn a_deployment_ends_with_its_outputs_and_leaves_no_secret() {
    let (store, key) = (Arc::new(MemoryStore::new()), Key::random().unwrap());
    let engine = engine(&store, &key);
    let ended = run(&engine, deployment(&template(RESOURCES), &[]), DeploymentMode::Incremental).unwrap();
    let RunEnd::Succeeded(outputs) = &ended.end else { panic!("{:?}", ended.end) };
    assert!(at(outputs, &["hidden", "value"]).is_secret());
    let record = ended.record.to_rest();
    let properties = at(&record, &["properties"]);
    assert_eq!(at(properties, &["provisioningState"]), &Value::from("Succeeded"));
    let group = "/subscriptions/00000000-0000-0000-0000-000000000001/resourceGroups/local";
    let id = format!("{group}/providers/Microsoft.Storage/storageAccounts/acc");
    assert_eq!(at(properties, &["outputs", "of", "value"]), &Value::from(id));
    assert_eq!(at(properties, &["outputs", "key", "value"]), &Value::Int(2));
    assert_eq!(at(properties, &["outputs", "hidden"]).to_json(), r#"{"type":"SecureString"}"#);
    assert_eq!(at(properties, &["parameters", "password"]).to_json(), r#"{"type":"SecureString"}"#);
    assert_eq!(at(properties, &["outputResources"]).as_array().unwrap().len(), 5);
    let things = store.resources(&format!("{group}/providers/Our.Things/"), Page::ALL).unwrap();
    assert_eq!(things.len(), 4);
    let all = store.deployments(None, Page::ALL).unwrap();
    assert!(all.len() == 2 && all.iter().all(|it| it.status == Status::Ended));
    for deployment in &all {
        for name in ["secrets", "step/0", "step/1", "step/2", "step/3", "step/4"] {
            assert_eq!(store.blob(deployment.run, name).unwrap(), None, "{name}");
        }
    }
    let everything = format!("{store:?}");
    assert!(!everything.contains("hunter2"), "a secret is kept");
}

#[test]
fn a_deployment_that_was_accepted_and_never_ran_is_taken_up() {
    let (store, key) = (Arc::new(MemoryStore::new()), Key::random().unwrap());
    let accepted = engine(&store, &key)
        .accept(deployment(&template(RESOURCES), &[]), DeploymentMode::Incremental)
        .unwrap();
    let run = accepted.run;
    drop(accepted);
    let again = engine(&store, &key);
    assert_eq!(store.abandoned(9).unwrap().len(), 1);
    let ended = finish(&again, again.resume(run, &Links::default()).unwrap()).unwrap();
    assert!(matches!(ended.end, RunEnd::Succeeded(_)), "{:?}", ended.end);
    assert!(again.resume(run, &Links::default()).is_err(), "what has ended is not resumed");
}

#[test]
fn without_the_key_a_deployment_with_secrets_ends_as_failed() {
    let (store, key) = (Arc::new(MemoryStore::new()), Key::random().unwrap());
    let run = engine(&store, &key)
        .accept(deployment(&template(RESOURCES), &[]), DeploymentMode::Incremental)
        .unwrap()
        .run;
    let other = engine(&store, &Key::random().unwrap());
    let Err(StartError::Failure(failure)) = other.resume(run, &Links::default()) else { panic!() };
    assert!(failure.message.contains("secrets are lost"), "{failure}");
    let kept = store.run(run).unwrap().unwrap();
    assert!(
        kept.status == Status::Ended && kept.body.contains("\"provisioningState\":\"Failed\""),
        "{kept:?}"
    );
}

#[test]
fn secrets_under_way_are_sealed_again_and_the_deployment_goes_on_without_the_key_before() {
    let folder = std::env::temp_dir().join(format!("tendon-reseal-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let file = folder.join("seal.key");
    let (store, key) = (Arc::new(MemoryStore::new()), Key::in_file(&file).unwrap());
    let run = engine(&store, &key)
        .accept(deployment(&template(RESOURCES), &[]), DeploymentMode::Incremental)
        .unwrap()
        .run;
    key.rotated().unwrap().replace(&file).unwrap();
    key.reload(&file).unwrap();
    let counted = engine::reseal(&*store, &key, false).unwrap();
    assert_eq!(counted, engine::Resealed { current: 0, changed: 0, left: 1 });
    let done = engine::reseal(&*store, &key, true).unwrap();
    assert_eq!(done, engine::Resealed { current: 1, changed: 1, left: 0 });
    let again = engine::reseal(&*store, &key, true).unwrap();
    assert_eq!(again, engine::Resealed { current: 1, changed: 0, left: 0 });
    let other = engine::reseal(&*store, &Key::random().unwrap(), true).unwrap();
    assert_eq!(other, engine::Resealed { current: 0, changed: 0, left: 1 }, "nothing is lost by a wrong key");
    let after = engine(&store, &key.retired());
    let ended = finish(&after, after.resume(run, &Links::default()).unwrap()).unwrap();
    assert!(matches!(ended.end, RunEnd::Succeeded(_)), "{:?}", ended.end);
    assert_eq!(engine::reseal(&*store, &key, true).unwrap(), engine::Resealed::default());
    std::fs::remove_dir_all(folder).unwrap();
}

#[test]
fn two_deployments_of_one_name_do_not_run_at_once() {
    let (store, key) = (Arc::new(MemoryStore::new()), Key::random().unwrap());
    let engine = engine(&store, &key);
    let first = engine.accept(deployment(&template(RESOURCES), &[]), DeploymentMode::Incremental).unwrap();
    let Err(StartError::Failure(failure)) =
        engine.accept(deployment(&template(RESOURCES), &[]), DeploymentMode::Incremental)
    else {
        panic!()
    };
    assert_eq!(failure.code, "DeploymentActive");
    finish(&engine, first).unwrap();
    run(&engine, deployment(&template(RESOURCES), &[]), DeploymentMode::Incremental).unwrap();
}

/// A nested deployment with resources of its own, which depend on nothing.
fn nested(name: &str, resources: &str) -> String {
    format!(
        r#""{name}": {{"type": "Microsoft.Resources/deployments", "apiVersion": "2025-04-01", "name": "{name}", "properties": {{
            "mode": "Incremental", "expressionEvaluationOptions": {{"scope": "inner"}},
            "template": {{"$schema": "{SCHEMA}", "languageVersion": "2.0", "contentVersion": "1.0.0.0", "resources": {{{resources}}}}}}}}}"#
    )
}

/// A resource of that name.
fn thing(name: &str) -> String {
    format!(r#""{name}": {{"type": "Our.Things/things", "apiVersion": "2025-01-01", "name": "{name}"}}"#)
}

/// How a deployment with these resources ends, after how it is predicted to end; and the resources that it makes.
fn end_of(resources: &str) -> (RunEnd, Vec<String>) {
    let (store, key) = (Arc::new(MemoryStore::new()), Key::random().unwrap());
    let engine = engine(&store, &key);
    let deployment = || deployment(&template(&format!(r#""resources": {{{resources}}}"#)), &[]);
    let predicted = predict(&engine, deployment(), DeploymentMode::Incremental);
    let ended = run(&engine, deployment(), DeploymentMode::Incremental).unwrap();
    let failed = match &ended.end {
        RunEnd::Failed(failure) => Some(failure.clone()),
        _ => None,
    };
    assert_eq!(predicted.failure.map(|failure| failure.to_value()), failed.map(|failure| failure.to_value()));
    let all = store.resources("", Page::ALL).unwrap();
    let kept = store.deployments(None, Page::ALL).unwrap();
    assert!(kept.iter().all(|it| it.status == Status::Ended), "{kept:?}");
    (ended.end, all.iter().map(|it| it.id.rsplit('/').next().unwrap().to_owned()).collect())
}

#[test]
fn nested_deployments_of_one_name_run_one_after_the_other() {
    let each = |number: usize| nested(&format!("d{number}"), &nested("same", &thing(&format!("t{number}"))));
    let (end, mut things) = end_of(&(0..20).map(each).collect::<Vec<_>>().join(","));
    assert!(matches!(end, RunEnd::Succeeded(_)), "{end:?}");
    things.sort();
    let mut expect: Vec<String> = (0..20).map(|number| format!("t{number}")).collect();
    expect.sort();
    assert_eq!(things, expect);
}

#[test]
fn nested_deployments_that_would_wait_for_each_other_end() {
    let one = nested("one", &nested("other", &thing("a")));
    let other = nested("other", &nested("one", &thing("b")));
    let (end, _) = end_of(&format!("{one},{other}"));
    let RunEnd::Failed(failure) = end else { panic!("{end:?}") };
    assert!(failure.to_value().to_json().contains("DeploymentActive"), "{failure:?}");
}

#[test]
fn a_nested_deployment_is_not_called_like_one_around_it() {
    for resources in [nested("MAIN", &thing("a")), nested("other", &nested("Other", &thing("a")))] {
        let (end, things) = end_of(&resources);
        let RunEnd::Failed(failure) = end else { panic!("{end:?}") };
        assert!(failure.to_value().to_json().contains("DeploymentActive"), "{failure:?}");
        assert_eq!(things, Vec::<String>::new());
    }
}

fn predict(engine: &Engine, deployment: Arc<Deployment>, mode: DeploymentMode) -> engine::WhatIf {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
    runtime.block_on(engine.what_if(deployment, mode)).unwrap()
}

/// What a prediction says of each resource, and what the state is after the deployment, by id.
fn predicted_and_done(
    text: &str,
    values: &[(&str, Value)],
    mode: DeploymentMode,
    engine: &Engine,
    store: &MemoryStore,
) {
    let kept = |store: &MemoryStore| {
        let all = store.resources("", Page::ALL).unwrap().into_iter();
        all.map(|it| (it.id, it.body)).collect::<std::collections::BTreeMap<_, _>>()
    };
    let before = kept(store);
    let predicted = predict(engine, deployment(text, values), mode);
    assert_eq!(kept(store), before, "a prediction writes nothing");
    run(engine, deployment(text, values), mode).unwrap();
    let after = kept(store);
    for change in &predicted.changes {
        let (was, is) = (before.get(&change.id), after.get(&change.id));
        let expected = match (was, is) {
            (None, Some(_)) => engine::ChangeKind::Create,
            (Some(_), None) => engine::ChangeKind::Delete,
            (Some(was), Some(is)) if was != is => engine::ChangeKind::Modify,
            (Some(_), Some(_)) if change.kind == engine::ChangeKind::Ignore => engine::ChangeKind::Ignore,
            _ => engine::ChangeKind::NoChange,
        };
        assert_eq!(change.kind, expected, "{}", change.id);
    }
    let told: Vec<&String> = predicted.changes.iter().map(|change| &change.id).collect();
    for id in before.keys().chain(after.keys()) {
        assert!(told.contains(&id), "{id} is not told of");
    }
}

#[test]
fn what_is_predicted_is_what_is_done() {
    let (store, key) = (Arc::new(MemoryStore::new()), Key::random().unwrap());
    let engine = engine(&store, &key);
    let text = template(RESOURCES);
    let steps: &[(&[(&str, Value)], DeploymentMode)] = &[
        (&[], DeploymentMode::Incremental),
        (&[], DeploymentMode::Incremental),
        (&[("count", Value::Int(5))], DeploymentMode::Incremental),
        (&[("password", Value::from("hunter3"))], DeploymentMode::Incremental),
        (&[("count", Value::Int(1))], DeploymentMode::Complete),
    ];
    for (values, mode) in steps {
        predicted_and_done(&text, values, *mode, &engine, &store);
    }
}

#[test]
fn a_secret_that_changes_is_predicted_and_not_shown() {
    let (store, key) = (Arc::new(MemoryStore::new()), Key::random().unwrap());
    let engine = engine(&store, &key);
    let text = template(RESOURCES);
    run(&engine, deployment(&text, &[]), DeploymentMode::Incremental).unwrap();
    assert!(!predict(&engine, deployment(&text, &[]), DeploymentMode::Incremental).has_changes());
    let other = predict(
        &engine,
        deployment(&text, &[("password", Value::from("hunter3"))]),
        DeploymentMode::Incremental,
    );
    assert!(other.has_changes());
    let shown = other.to_value().to_json();
    assert!(shown.contains(r#""path":"properties.password""#) && !shown.contains("hunter"), "{shown}");
}

/// A template with a deployment inside it that has options.
fn with_options(options: &str, resources: &str) -> String {
    template(&format!(
        r#""resources": {{"inner": {{"@options": {options}, "type": "Microsoft.Resources/deployments", "apiVersion": "2025-04-01", "name": "inner",
            "properties": {{"mode": "Incremental", "expressionEvaluationOptions": {{"scope": "inner"}}, "template": {{"$schema": "{SCHEMA}", "languageVersion": "2.0", "contentVersion": "1.0.0.0",
                "resources": {{{resources}}}, "outputs": {{"x": {{"type": "string", "value": "[deployment().name]"}}}}}}}}}}}},
        "outputs": {{"x": {{"type": "string", "value": "[reference('inner').outputs.x.value]"}}}}"#
    ))
}

#[test]
fn options_that_are_not_known_do_not_stop_a_nested_deployment() {
    let (store, key) = (Arc::new(MemoryStore::new()), Key::random().unwrap());
    let engine = engine(&store, &key);
    let text = with_options(r#"{"paintItBlack": []}"#, THING);
    let ended = run(&engine, deployment(&text, &[]), DeploymentMode::Incremental).unwrap();
    assert!(matches!(ended.end, RunEnd::Succeeded(_)), "{:?}", ended.end);
}

const THING: &str = r#""thing": {"type": "Our.Things/things", "apiVersion": "2025-01-01", "name": "thing"}"#;

#[test]
fn a_deployment_that_succeeded_is_not_run_again_if_that_is_wanted() {
    let (store, key) = (Arc::new(MemoryStore::new()), Key::random().unwrap());
    let engine = engine(&store, &key);
    let text = with_options(r#"{"onlyIfNotExists": []}"#, THING);
    run(&engine, deployment(&text, &[]), DeploymentMode::Incremental).unwrap();
    assert_eq!(store.resources("", Page::ALL).unwrap().len(), 1);
    let other = with_options(r#"{"onlyIfNotExists": []}"#, &THING.replace("\"thing\"}", "\"other\"}"));
    let ended = run(&engine, deployment(&other, &[]), DeploymentMode::Incremental).unwrap();
    assert_eq!(at(&ended.record.to_rest(), &["properties", "outputs", "x", "value"]), &Value::from("inner"));
    assert_eq!(store.resources("", Page::ALL).unwrap().len(), 1, "it was not run");
}

#[test]
fn what_a_deployment_left_is_taken_only_as_it_is_declared() {
    let declared = |ty: &str, options: &str| {
        with_options(options, THING).replacen(
            r#""outputs": {"x": {"type": "string", "value": "[deployment().name]"}}"#,
            &format!(r#""outputs": {{"x": {ty}, "y": {{"type": "int", "value": 1}}}}"#),
            1,
        )
    };
    let text = r#"{"type": "string", "value": "[deployment().name]"}"#;
    let long = r#"{"type": "string", "minLength": 20, "value": "[padLeft(deployment().name, 20)]"}"#;
    let int = r#"{"type": "int", "value": 5}"#;
    let once = r#"{"onlyIfNotExists": []}"#;
    let waiting = r#"{"onlyIfNotExists": [], "waitUntil": ["[lambda('it', true())]", "PT1M"]}"#;
    for options in [once, waiting] {
        for (ty, is_fine) in [(text, true), (long, false), (int, false)] {
            let (store, key) = (Arc::new(MemoryStore::new()), Key::random().unwrap());
            let engine = engine(&store, &key);
            run(&engine, deployment(&declared(text, once), &[]), DeploymentMode::Incremental).unwrap();
            let outer = declared(ty, options).replace(
                r#""outputs": {"x": {"type": "string", "value": "[ref"#,
                r#""outputs": {"x": {"type": "object", "value": "[createObject('v', ref"#,
            );
            let outer = outer.replace("outputs.x.value]", "outputs.x.value)]");
            let ended = run(&engine, deployment(&outer, &[]), DeploymentMode::Incremental).unwrap();
            match (is_fine, &ended.end) {
                (true, RunEnd::Succeeded(_)) => {}
                (false, RunEnd::Failed(failure)) => {
                    let told = format!("{:?}", failure.details);
                    assert!(
                        told.contains("InvalidDeploymentOutputs") && told.contains("target: Some(\"x\")"),
                        "{told}"
                    );
                }
                (_, end) => panic!("{ty} {options}: {end:?}"),
            }
        }
    }
}

#[test]
fn ids_are_told_apart_as_names_in_templates_are() {
    let named = |one: &str, other: &str| {
        let one = format!(r#""one": {{"type": "Our.Things/things", "apiVersion": "1", "name": "{one}"}}"#);
        let other =
            format!(r#""other": {{"type": "Our.Things/things", "apiVersion": "1", "name": "{other}"}}"#);
        let (store, key) = (Arc::new(MemoryStore::new()), Key::random().unwrap());
        let ended = run(
            &engine(&store, &key),
            deployment(&template(&format!(r#""resources": {{{one}, {other}}}"#)), &[]),
            DeploymentMode::Incremental,
        );
        match ended {
            Ok(ended) => {
                assert!(matches!(ended.end, RunEnd::Succeeded(_)), "{:?}", ended.end);
                Some(store.resources("", Page::ALL).unwrap().len())
            }
            Err(_) => None,
        }
    };
    // The sign for Kelvin is not a k.
    assert_eq!(named("k", "\u{212a}"), Some(2));
    // Two spellings of one name are refused before anything is put.
    assert_eq!(named("\u{39f}\u{394}\u{39f}\u{3a3}", "\u{3bf}\u{3b4}\u{3bf}\u{3c3}"), None);
    assert_eq!(named("\u{39f}\u{394}\u{39f}\u{3a3}", "\u{3bf}\u{3b4}\u{3bf}\u{3c2}"), None);
    assert_eq!(named("gr\u{f6}sse", "GR\u{d6}SSE"), None);
}

#[test]
fn a_deployment_is_waited_for() {
    let (store, key) = (Arc::new(MemoryStore::new()), Key::random().unwrap());
    let engine = engine(&store, &key);
    for (name, succeeds) in [("inner", true), ("other", false)] {
        let wait = format!(
            r#"{{"waitUntil": ["[lambda('x', equals(lambdaVariables('x').outputs.x.value, '{name}'))]", "PT30S"]}}"#
        );
        let ended =
            run(&engine, deployment(&with_options(&wait, THING), &[]), DeploymentMode::Incremental).unwrap();
        match (&ended.end, succeeds) {
            (RunEnd::Succeeded(_), true) => {}
            (RunEnd::Failed(failure), false) => {
                assert_eq!(failure.details[0].code, "WaitUntilTimeout", "{failure:?}");
            }
            (end, _) => panic!("{name}: {end:?}"),
        }
        let all = store.deployments(None, Page::ALL).unwrap();
        assert!(all.iter().all(|it| it.status == Status::Ended), "{all:?}");
    }
}

#[test]
fn an_assert_may_ask_for_resources() {
    let (store, key) = (Arc::new(MemoryStore::new()), Key::random().unwrap());
    let engine = engine(&store, &key);
    run(&engine, deployment(&template(RESOURCES), &[]), DeploymentMode::Incremental).unwrap();
    let text = |wanted: &str| {
        template(&format!(
            r#""resources": {{"there": {{"existing": true, "type": "Our.Things/things", "apiVersion": "2025-01-01", "name": "t0"}}}},
            "asserts": {{"blob": "[equals(reference('there').endpoint, '{wanted}')]"}}"#
        ))
    };
    let ended = run(
        &engine,
        deployment(&text("https://acc.blob.core.windows.net/"), &[]),
        DeploymentMode::Incremental,
    )
    .unwrap();
    assert!(matches!(ended.end, RunEnd::Succeeded(_)), "{:?}", ended.end);
    let ended = run(&engine, deployment(&text("other"), &[]), DeploymentMode::Incremental).unwrap();
    let RunEnd::Failed(failure) = &ended.end else { panic!("{:?}", ended.end) };
    assert_eq!(failure.code, "DeploymentAssertionFailed");
}

#[test]
fn codes_that_are_not_text_are_refused() {
    let (store, key) = (Arc::new(MemoryStore::new()), Key::random().unwrap());
    let engine = engine(&store, &key);
    let options =
        [r#"["[createArray('Busy', 429)]", 1]"#, r#"["[toLower('Busy')]"]"#, r#"[["Busy"], "[sub(0, 1)]"]"#];
    for option in options {
        let text = template(&format!(
            r#""resources": {{"a": {{"@options": {{"retryOn": {option}}}, "type": "Our.Things/things", "apiVersion": "2025-01-01", "name": "a"}}}}"#
        ));
        let ended = run(&engine, deployment(&text, &[]), DeploymentMode::Incremental).unwrap();
        let RunEnd::Failed(failure) = &ended.end else { panic!("{option}: {:?}", ended.end) };
        assert!(failure.details[0].message.contains("`retryOn`"), "{failure:?}");
    }
}

/// A template that links to another, which links to a third one whose address only the run time knows, and to parameters.
fn linked(links: Links) -> Arc<Deployment> {
    let text = template(
        r#""resources": {"outer": {"type": "Microsoft.Resources/deployments", "apiVersion": "2025-04-01", "name": "outer",
            "properties": {"mode": "Incremental", "templateLink": {"uri": "https://example.com/one.json"}, "parametersLink": {"uri": "https://example.com/values.json", "contentVersion": "1.0.0.0"}}}},
        "outputs": {"said": {"type": "string", "value": "[reference('outer').outputs.said.value]"}}"#,
    );
    let template = Arc::new(Template::read(text, &TemplateLimits::default()).unwrap());
    let context = DeploymentContext {
        links,
        ..DeploymentContext::local(DeploymentContext::local_scope(template.scope), "main")
    };
    Arc::new(Deployment::with_values(template, [], context).unwrap())
}

fn pages(word: &'static str) -> Links {
    Links::new(move |address| {
        let text = match address.plain() {
            "https://example.com/one.json" => template(
                r#""parameters": {"word": {"type": "string"}, "file": {"type": "string"}},
                "resources": {
                    "thing": {"type": "Our.Things/things", "apiVersion": "2025-01-01", "name": "thing", "properties": {"file": "[parameters('file')]"}},
                    "inner": {"type": "Microsoft.Resources/deployments", "apiVersion": "2025-04-01", "name": "inner", "dependsOn": ["thing"],
                        "properties": {"mode": "Incremental", "templateLink": {"relativePath": "[reference('thing').file]"}}}},
                "outputs": {"said": {"type": "string", "value": "[format('{0} {1}', parameters('word'), reference('inner').outputs.word.value)]"}}"#,
            ),
            "https://example.com/two.json" => template(&format!(
                r#""resources": {{}}, "outputs": {{"word": {{"type": "string", "value": "{word}"}}}}"#
            )),
            "https://example.com/values.json" => format!(
                r#"{{"contentVersion": "1.0.0.0", "parameters": {{"word": {{"value": "{word}"}}, "file": {{"value": "two.json"}}}}}}"#
            ),
            _ => return None,
        };
        Some(text.into())
    })
}

#[test]
fn templates_and_parameters_are_linked() {
    let (store, key) = (Arc::new(MemoryStore::new()), Key::random().unwrap());
    let ended = run(&engine(&store, &key), linked(pages("new")), DeploymentMode::Incremental).unwrap();
    assert!(matches!(ended.end, RunEnd::Succeeded(_)), "{:?}", ended.end);
    assert_eq!(
        at(&ended.record.to_rest(), &["properties", "outputs", "said", "value"]),
        &Value::from("new new")
    );
    // What cannot be read is known before anything is begun.
    let refused = run(&engine(&store, &key), linked(Links::default()), DeploymentMode::Incremental);
    let Err(StartError::Failure(failure)) = refused else { panic!("{refused:?}") };
    assert_eq!(failure.code, "InvalidContentLink");
}

#[test]
fn what_is_taken_up_has_the_links_that_it_was_accepted_with() {
    let (store, key) = (Arc::new(MemoryStore::new()), Key::random().unwrap());
    let run = engine(&store, &key).accept(linked(pages("old")), DeploymentMode::Incremental).unwrap().run;
    let again = engine(&store, &key);
    // What had been read stays as it was; what nobody had asked for yet is read now.
    let ended = finish(&again, again.resume(run, &pages("new")).unwrap()).unwrap();
    assert!(matches!(ended.end, RunEnd::Succeeded(_)), "{:?}", ended.end);
    assert_eq!(
        at(&ended.record.to_rest(), &["properties", "outputs", "said", "value"]),
        &Value::from("old new")
    );
    let kept = store.blob(run, "link/https://example.com/two.json").unwrap();
    assert!(kept.is_some(), "it is durable before its deployment starts");
}

#[test]
fn secrets_of_key_vaults_are_bound_to_nested_deployments() {
    let (store, key) = (Arc::new(MemoryStore::new()), Key::random().unwrap());
    let text = template(
        r#""parameters": {"vault": {"type": "string", "defaultValue": "v"}},
        "resources": {"inner": {"type": "Microsoft.Resources/deployments", "apiVersion": "2025-04-01", "name": "inner", "properties": {
            "mode": "Incremental", "expressionEvaluationOptions": {"scope": "inner"},
            "parameters": {"password": {"reference": {"keyVault": {"id": "[resourceId('Microsoft.KeyVault/vaults', parameters('vault'))]"}, "secretName": "[toLower('ADMIN')]"}}},
            "extensionConfigs": {"k8s": {"kubeConfig": {"keyVaultReference": {"keyVault": {"id": "[resourceId('Microsoft.KeyVault/vaults', parameters('vault'))]"}, "secretName": "admin"}}, "namespace": {"value": "default"}}},
            "template": {"$schema": "https://schema.management.azure.com/schemas/2019-04-01/deploymentTemplate.json#", "languageVersion": "2.0", "contentVersion": "1.0.0.0",
                "parameters": {"password": {"type": "securestring"}},
                "extensions": {"k8s": {"name": "Kubernetes", "version": "1.0.0", "config": {"kubeConfig": {"type": "secureString"}, "namespace": {"type": "string"}}}},
                "resources": {},
                "outputs": {"length": {"type": "int", "value": "[length(parameters('password'))]"},
                    "namespace": {"type": "string", "value": "[extensions('k8s').config.namespace]"},
                    "same": {"type": "bool", "value": "[equals(extensions('k8s').config.kubeConfig, parameters('password'))]"}}}}}},
        "outputs": {"namespace": {"type": "string", "value": "[reference('inner').outputs.namespace.value]"}, "same": {"type": "bool", "value": "[reference('inner').outputs.same.value]"}}"#,
    );
    let template = Arc::new(Template::read(text, &TemplateLimits::default()).unwrap());
    let secrets = Value::object([("v", Value::object([("admin", Value::from("hunter2"))]))]);
    let mocks = Arc::new(arm::deployment::Mocks::new(Value::object([("secrets", secrets)])).unwrap());
    let context = DeploymentContext {
        mocks,
        ..DeploymentContext::local(DeploymentContext::local_scope(template.scope), "main")
    };
    let deployment = Arc::new(Deployment::with_values(template, [], context).unwrap());
    let ended = run(&engine(&store, &key), deployment, DeploymentMode::Incremental).unwrap();
    let RunEnd::Succeeded(outputs) = &ended.end else { panic!("{:?}", ended.end) };
    assert_eq!(at(outputs, &["namespace", "value"]), &Value::from("default"));
    assert!(
        at(outputs, &["same", "value"]).is_secret()
            && at(outputs, &["same", "value"]).plain() == &Value::Bool(true)
    );
}

#[test]
fn what_is_only_wanted_to_be_there_is_predicted_to_stay() {
    let (store, key) = (Arc::new(MemoryStore::new()), Key::random().unwrap());
    let engine = engine(&store, &key);
    let of = |color: &str| {
        template(&format!(
            r#""resources": {{"a": {{"@options": {{"onlyIfNotExists": []}}, "type": "Our.Things/things", "apiVersion": "2025-01-01", "name": "a", "properties": {{"color": "{color}"}}}}}}"#
        ))
    };
    run(&engine, deployment(&of("red"), &[]), DeploymentMode::Incremental).unwrap();
    for mode in [DeploymentMode::Incremental, DeploymentMode::Complete] {
        let predicted = predict(&engine, deployment(&of("blue"), &[]), mode);
        let [change] = predicted.changes.as_slice() else { panic!("{predicted:?}") };
        assert!(
            change.kind == engine::ChangeKind::NoChange
                && change.left_alone
                && change.options == ["onlyIfNotExists"],
            "{change:?}"
        );
    }
}

#[test]
fn a_patch_changes_what_is_there_and_leaves_the_rest() {
    let (store, key) = (Arc::new(MemoryStore::new()), Key::random().unwrap());
    let engine = engine(&store, &key);
    let of = |method: &str, rest: &str| {
        template(&format!(
            r#""parameters": {{"hidden": {{"type": "securestring", "defaultValue": "hunter2"}}}},
            "resources": {{"a": {{{method}"type": "Our.Things/things", "apiVersion": "2025-01-01", "name": "a", {rest}}}}}"#
        ))
    };
    let patch = of(r#""method": "PATCH", "#, r#""properties": {"color": "blue"}"#);
    let ended = run(&engine, deployment(&patch, &[]), DeploymentMode::Incremental).unwrap();
    let RunEnd::Failed(failure) = &ended.end else { panic!("{:?}", ended.end) };
    assert_eq!(failure.details[0].code, "ResourceNotFound", "a patch makes no resource");
    let whole =
        of("", r#""tags": {"t": "1"}, "properties": {"color": "red", "password": "[parameters('hidden')]"}"#);
    run(&engine, deployment(&whole, &[]), DeploymentMode::Incremental).unwrap();
    let predicted = predict(&engine, deployment(&patch, &[]), DeploymentMode::Incremental);
    let [change] = predicted.changes.as_slice() else { panic!("{predicted:?}") };
    let paths: Vec<&str> = change.delta.iter().map(|delta| delta.path.as_str()).collect();
    assert_eq!(paths, ["properties.color"], "the secret stays");
    predicted_and_done(&patch, &[], DeploymentMode::Incremental, &engine, &store);
    let kept = store.resources("", Page::ALL).unwrap().remove(0).body;
    assert!(kept.contains(r#""color":"blue""#) && kept.contains(r#""tags":{"t":"1"}"#), "{kept}");
    assert!(kept.contains("/properties/password"), "{kept}");
    let other = of(r#""method": "POST", "#, r#""properties": {}"#);
    let ended = run(&engine, deployment(&other, &[]), DeploymentMode::Incremental).unwrap();
    let RunEnd::Failed(failure) = &ended.end else { panic!("{:?}", ended.end) };
    assert_eq!(failure.details[0].code, "NotSupported");
}

#[test]
fn the_secure_outputs_of_a_nested_deployment_are_read_by_the_outer_one() {
    let text = template(
        r#""parameters": {"password": {"type": "securestring", "defaultValue": "hunter2"}},
        "resources": {
            "inner": {"type": "Microsoft.Resources/deployments", "apiVersion": "2025-04-01", "name": "inner", "properties": {
                "mode": "Incremental", "expressionEvaluationOptions": {"scope": "inner"},
                "parameters": {"secret": {"value": "[parameters('password')]"}},
                "template": {"$schema": "https://schema.management.azure.com/schemas/2019-04-01/deploymentTemplate.json#", "languageVersion": "2.0", "contentVersion": "1.0.0.0",
                    "parameters": {"secret": {"type": "securestring"}}, "resources": {},
                    "outputs": {"hidden": {"type": "securestring", "value": "[concat(parameters('secret'), '!')]"}}}}},
            "user": {"type": "Our.Things/things", "apiVersion": "2025-01-01", "name": "user",
                "properties": {"length": "[length(listOutputsWithSecureValues('inner', '2025-04-01').hidden)]"}}
        },
        "outputs": {"hidden": {"type": "securestring", "value": "[listOutputsWithSecureValues('inner', '2025-04-01').hidden]"}}"#,
    );
    let (store, key) = (Arc::new(MemoryStore::new()), Key::random().unwrap());
    let engine = engine(&store, &key);
    let ended = run(&engine, deployment(&text, &[]), DeploymentMode::Incremental).unwrap();
    let RunEnd::Succeeded(outputs) = &ended.end else { panic!("{:?}", ended.end) };
    let hidden = at(outputs, &["hidden", "value"]);
    assert!(hidden.is_secret() && hidden.expose() == Value::text("hunter2!"));
}

/// Types with a property that can only be read.
fn types() -> LazyTypes {
    const TEXT: &str = r##"[
        {"$type": "StringType"},
        {"$type": "ObjectType", "name": "properties", "properties": {
            "size": {"type": {"$ref": "#/0"}, "flags": 0}, "endpoint": {"type": {"$ref": "#/0"}, "flags": 2}}},
        {"$type": "ObjectType", "name": "body", "properties": {"properties": {"type": {"$ref": "#/1"}, "flags": 0}}},
        {"$type": "ResourceType", "name": "Our.Things/things@2025-01-01", "body": {"$ref": "#/2"}, "readableScopes": 8, "writableScopes": 8}
    ]"##;
    let read = |_: &str| Ok(TEXT.as_bytes().to_vec());
    let bytes = bicep_types::pack(&["types.json".into()], &read, None).unwrap();
    let types = Arc::new(bicep_types::TypeStore::from_pack(Arc::new(bytes)).unwrap());
    LazyTypes::new(move || Some(Arc::clone(&types)))
}

#[test]
fn what_types_add_is_seen_by_expressions_and_not_kept() {
    let text = template(
        r#""resources": {
            "one": {"type": "Our.Things/things", "apiVersion": "2025-01-01", "name": "one", "properties": {"size": "large"}},
            "two": {"type": "Our.Things/things", "apiVersion": "2025-01-01", "name": "two", "properties": {"size": "[reference('one').endpoint]"}}
        },
        "outputs": {"endpoint": {"type": "string", "value": "[reference('one').endpoint]"}}"#,
    );
    let (store, key) = (Arc::new(MemoryStore::new()), Key::random().unwrap());
    let mut engine = engine(&store, &key);
    let local = Local::new(Arc::<MemoryStore>::clone(&store), key).with_types(Arc::new(types()));
    engine.provider = Arc::new(local);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
    let predicted =
        runtime.block_on(engine.what_if(deployment(&text, &[]), DeploymentMode::Incremental)).unwrap();
    assert!(predicted.failure.is_none(), "{:?}", predicted.failure);
    let ended = run(&engine, deployment(&text, &[]), DeploymentMode::Incremental).unwrap();
    let RunEnd::Succeeded(outputs) = &ended.end else { panic!("{:?}", ended.end) };
    assert_eq!(at(outputs, &["endpoint", "value"]), &Value::text("https://one.endpoint.example/"));
    let kept = store.resources("", Page::ALL).unwrap();
    let kept: Vec<Value> = kept.iter().map(|kept| engine::records::parse(&kept.body).unwrap()).collect();
    let [one, two] = kept.as_slice() else { panic!("{kept:?}") };
    assert_eq!(at(two, &["body", "properties", "size"]), &Value::text("https://one.endpoint.example/"));
    let properties = at(one, &["body", "properties"]).as_object().unwrap();
    assert!(properties.get("endpoint").is_none(), "{one:?}");
    for change in &predicted.changes {
        let kept = kept
            .iter()
            .map(|kept| at(kept, &["body"]))
            .find(|body| at(body, &["id"]).as_str() == Some(&change.id));
        assert_eq!(change.after.as_ref(), kept, "what is predicted is what is kept");
    }
}

#[test]
fn secure_parts_of_parameters_and_outputs_are_secrets() {
    let text = template(
        r##""definitions": {"login": {"type": "object", "properties": {"user": {"type": "string"}, "password": {"type": "securestring"}}}},
        "parameters": {"login": {"$ref": "#/definitions/login"}, "plain": {"type": "string", "defaultValue": "hunter3"}},
        "resources": {"one": {"type": "Our.Things/things", "apiVersion": "2025-01-01", "name": "one", "properties": {"login": "[parameters('login')]"}}},
        "outputs": {
            "given": {"type": "object", "value": "[parameters('login')]"},
            "made": {"$ref": "#/definitions/login", "value": {"user": "bob", "password": "[concat(parameters('plain'), '!')]"}}
        }"##,
    );
    let login = Value::object([("user", Value::text("ann")), ("password", Value::text("hunter2"))]);
    let (store, key) = (Arc::new(MemoryStore::new()), Key::random().unwrap());
    let engine = engine(&store, &key);
    let ended = run(&engine, deployment(&text, &[("login", login)]), DeploymentMode::Incremental).unwrap();
    assert!(matches!(ended.end, RunEnd::Succeeded(_)), "{:?}", ended.end);
    let told = ended.record.to_rest().to_json();
    assert!(told.contains("ann") && told.contains("bob"), "{told}");
    assert!(!told.contains("hunter2") && !told.contains("hunter3!"), "{told}");
    let kept: Vec<String> =
        store.resources("", Page::ALL).unwrap().iter().map(|kept| format!("{:?}", kept.body)).collect();
    assert!(kept.iter().all(|kept| kept.contains("ann") && !kept.contains("hunter2")), "{kept:?}");
}

#[test]
fn errors_do_not_tell_the_secrets_that_name_things() {
    let thing =
        |rest: &str| format!(r#""one": {{"type": "Our.Things/things", "apiVersion": "2025-01-01", {rest}}}"#);
    let inner = |rest: &str| {
        format!(
            r#""inner": {{"type": "Microsoft.Resources/deployments", "apiVersion": "2025-04-01", "name": "inner", "properties": {{
                "mode": "Incremental", "expressionEvaluationOptions": {{"scope": "inner"}}, {rest}}}}}"#
        )
    };
    let empty = format!(r#"{{"$schema": "{SCHEMA}", "contentVersion": "1.0.0.0", "resources": []}}"#);
    let cases = [
        thing(r#""name": "one", "dependsOn": ["[parameters('s')]"]"#),
        thing(r#""name": "one", "dependsOn": "[createArray('two', parameters('s'))]""#),
        thing(r#""name": "[concat(parameters('s'), '/x')]""#),
        thing(
            r#""name": "one", "properties": {"a": "[reference(concat('Our.Things/things/', parameters('s')), '2025-01-01').a]"}"#,
        ),
        thing(
            r#""name": "one", "properties": {"a": "[listKeys(concat('Our.Things/things/', parameters('s')), '2025-01-01').a]"}"#,
        ),
        inner(r#""templateLink": {"uri": "[concat('https://example.com/', parameters('s'))]"}"#),
        inner(&format!(
            r#""template": {empty}, "parametersLink": {{"uri": "[concat('https://example.com/', parameters('s'))]"}}"#
        )),
        inner(&format!(
            r#""template": {empty}, "parameters": "[createObject(parameters('s'), createObject('value', 1))]""#
        )),
    ];
    for case in cases {
        let text = template(&format!(
            r#""parameters": {{"s": {{"type": "securestring", "defaultValue": "hunter2"}}}}, "resources": {{{case}}}"#
        ));
        let (store, key) = (Arc::new(MemoryStore::new()), Key::random().unwrap());
        let told = match run(&engine(&store, &key), deployment(&text, &[]), DeploymentMode::Incremental) {
            Ok(ended) => {
                assert!(matches!(ended.end, RunEnd::Failed(_)), "{case}: {:?}", ended.end);
                format!("{:?} {}", ended.end, ended.record.to_rest().to_json())
            }
            Err(refused) => format!("{refused:?}"),
        };
        assert!(!told.contains("hunter2"), "{case}: {told}");
    }
}

#[test]
fn options_that_are_not_known_are_told() {
    let text = template(
        r#""resources": {"one": {"@options": {"colour": ["red"], "RetryOn": [["Busy"]]}, "type": "Our.Things/things", "apiVersion": "2025-01-01", "name": "one"}}"#,
    );
    let (store, key) = (Arc::new(MemoryStore::new()), Key::random().unwrap());
    let accepted = engine(&store, &key).accept(deployment(&text, &[]), DeploymentMode::Incremental).unwrap();
    let told: Vec<String> =
        accepted.program.plan().diagnostics().iter().map(|diagnostic| diagnostic.message.clone()).collect();
    assert_eq!(told, ["the option `colour` is unknown; it is passed to the provider"]);
}

#[test]
fn loops_inside_loops_do_not_fill_the_memory() {
    let text = template(
        r#""resources": {"one": {"type": "Our.Things/things", "apiVersion": "2025-01-01", "name": "one", "properties": {
            "copy": [{"name": "x", "count": 200, "input": {"copy": [{"name": "y", "count": 200, "input": {"copy": [{"name": "z", "count": 200, "input": "a"}]}}]}}]}}}"#,
    );
    let (store, key) = (Arc::new(MemoryStore::new()), Key::random().unwrap());
    let ended = run(&engine(&store, &key), deployment(&text, &[]), DeploymentMode::Incremental).unwrap();
    let RunEnd::Failed(failure) = &ended.end else { panic!("{:?}", ended.end) };
    assert!(format!("{failure:?}").contains("takes more than"), "{failure:?}");
}
