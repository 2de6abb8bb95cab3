//! What was kept of a deployment is let in again before it is resumed.

use std::sync::Arc;

use arm::Value;
use arm::deployment::{Deployment, DeploymentContext, DeploymentMode, Links};
use arm::template::{Template, TemplateLimits};
use contract::{Boundary, OpenTerms};
use engine::core::{MachineSettings, RunEnd, RunProgress};
use engine::provider::Local;
use engine::{Clock, Engine, StartError};
use store::{Backup as _, BackupRecord, Key, MemoryStore, RunId, Status, Store};
use tokio::sync::mpsc::unbounded_channel;

const TEMPLATE: &str = r#"{
    "$schema": "https://schema.management.azure.com/schemas/2019-04-01/deploymentTemplate.json#",
    "languageVersion": "2.0", "contentVersion": "1.0.0.0",
    "parameters": {
        "n": {"type": "int", "maxValue": 5},
        "o": {"type": "object", "properties": {"size": {"type": "string", "minLength": 2}}, "nullable": true},
        "when": {"type": "string", "defaultValue": "[newGuid()]"},
        "hidden": {"type": "securestring", "minLength": 3}
    },
    "resources": {"a": {"type": "Our.Things/things", "apiVersion": "1", "name": "a", "properties": {"n": "[parameters('n')]"}}},
    "outputs": {"n": {"type": "int", "value": "[parameters('n')]"}, "when": {"type": "string", "value": "[parameters('when')]"}}
}"#;

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

/// A state with deployments that were accepted and never run.
fn accepted(names: &[&str], key: &Key) -> (Arc<MemoryStore>, Vec<RunId>) {
    let store = Arc::new(MemoryStore::new());
    let accept = |name: &&str| {
        let template = Arc::new(Template::read(TEMPLATE, &TemplateLimits::default()).unwrap());
        let context = DeploymentContext::local(DeploymentContext::local_scope(template.scope), *name);
        let values = [("n".into(), Value::Int(4)), ("hidden".into(), Value::from("hunter2"))];
        let deployment = Deployment::with_values(template, values, context).unwrap();
        engine(&store, key).accept(Arc::new(deployment), DeploymentMode::Incremental).unwrap().run
    };
    let runs = names.iter().map(accept).collect();
    (store, runs)
}

/// The same state with other parameters kept for a run, in plain or under the seal.
fn changed(
    store: &MemoryStore,
    key: &Key,
    run: RunId,
    sealed: bool,
    old: &str,
    new: &str,
) -> Arc<MemoryStore> {
    let mut rows = Vec::new();
    let mut is_changed = false;
    let purpose = engine::records::purpose(run, "secrets");
    let mut change = |plain: &[u8]| {
        let text = std::str::from_utf8(plain).unwrap();
        is_changed |= text.contains(old);
        text.replace(old, new).into_bytes()
    };
    let take = &mut |mut row: BackupRecord| {
        if let BackupRecord::Blob { run: of, name, bytes } = &mut row
            && *of == run
        {
            match name.as_str() {
                "secrets" if sealed => {
                    *bytes = key.seal(&purpose, &change(&key.open(&purpose, bytes).unwrap())).unwrap();
                }
                "inputs" if !sealed => *bytes = change(bytes),
                _ => {}
            }
        }
        rows.push(Ok(OpenTerms::admit(Boundary::ImportedRecord, row)));
        Ok(())
    };
    store.export(take).unwrap();
    assert!(is_changed, "`{old}` is not kept");
    let other = MemoryStore::new();
    other.import(&mut rows.into_iter(), false).unwrap();
    Arc::new(other)
}

fn output(engine: &Engine, run: RunId, name: &str) -> Value {
    let accepted = engine.resume(run, &Links::default()).unwrap();
    let (_keep, cancel) = unbounded_channel();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
    let ended = runtime.block_on(engine.run(accepted, cancel, &mut |_: &RunProgress, _: i64| {})).unwrap();
    let RunEnd::Succeeded(outputs) = ended.end else { panic!("{:?}", ended.end) };
    let output = outputs.as_object().unwrap().get(name).unwrap();
    output.as_object().unwrap().get("value").unwrap().clone()
}

#[test]
fn a_value_that_its_type_does_not_allow_ends_its_deployment_and_no_other() {
    let key = Key::random().unwrap();
    for (new, target) in [
        (r#"[{"value":99},"#, "n"),
        (r#"[{"value":"text"},"#, "n"),
        (r#"[{"value":null},"#, "n"),
        (r#"[{"expression":"int('99')"},"#, "n"),
        (r#"[{},"#, "n"),
        (r#"[{"value":4},{"value":{"size":"x"}},{"value":4},"#, "parameters"),
        (r#"["#, "parameters"),
    ] {
        let (store, runs) = accepted(&["one", "two"], &key);
        let [one, two] = runs.as_slice() else { panic!() };
        let store = changed(&store, &key, *one, true, r#"[{"value":4},"#, new);
        let engine = engine(&store, &key);
        let Err(StartError::Failure(failure)) = engine.resume(*one, &Links::default()) else {
            panic!("{new}")
        };
        let detail = failure.details.first().unwrap_or_else(|| panic!("{failure}"));
        assert_eq!(detail.target.as_deref(), Some(target), "{new}: {detail}");
        let kept = store.run(*one).unwrap().unwrap();
        assert_eq!(kept.status, Status::Ended);
        assert!(
            kept.body.contains(r#""provisioningState":"Failed""#) && kept.body.contains(target),
            "{kept:?}"
        );
        assert_eq!(store.blob(*one, "secrets").unwrap(), None, "its secrets are not needed any more");
        assert!(engine.resume(*one, &Links::default()).is_err());
        assert_eq!(output(&engine, *two, "n"), Value::Int(4));
    }
}

#[test]
fn what_is_secret_is_not_told() {
    let key = Key::random().unwrap();
    let (store, runs) = accepted(&["one"], &key);
    let store = changed(&store, &key, runs[0], true, "hunter2", "xy");
    let Err(StartError::Failure(failure)) = engine(&store, &key).resume(runs[0], &Links::default()) else {
        panic!()
    };
    assert_eq!(failure.details[0].target.as_deref(), Some("hidden"));
    assert!(!store.run(runs[0]).unwrap().unwrap().body.contains("xy"));
}

#[test]
fn settings_of_extensions_are_let_in_again_too() {
    let key = Key::random().unwrap();
    let (store, runs) = accepted(&["one"], &key);
    let (old, new) = (r#""extensionConfigs":{}"#, r#""extensionConfigs":{"none":{"a":{"value":1}}}"#);
    let store = changed(&store, &key, runs[0], false, old, new);
    let Err(StartError::Failure(failure)) = engine(&store, &key).resume(runs[0], &Links::default()) else {
        panic!()
    };
    assert_eq!(failure.details[0].target.as_deref(), Some("extensionConfigs.none.a"));
}

#[test]
fn what_was_worked_out_is_not_worked_out_again() {
    let key = Key::random().unwrap();
    let (store, runs) = accepted(&["one"], &key);
    let id = "11111111-1111-4111-8111-111111111111";
    let mut kept = None;
    store
        .export(&mut |row| {
            if let BackupRecord::Blob { name, bytes, .. } = &row
                && name == "secrets"
            {
                let plain = key.open(&engine::records::purpose(runs[0], name), bytes).unwrap();
                let text = String::from_utf8(plain).unwrap();
                let at = text.find('-').unwrap() - 8;
                kept = text.get(at..at + id.len()).map(str::to_owned);
            }
            Ok(())
        })
        .unwrap();
    let kept = kept.unwrap();
    let store = changed(&store, &key, runs[0], true, &kept, id);
    assert_eq!(output(&engine(&store, &key), runs[0], "when"), Value::from(id));
}
