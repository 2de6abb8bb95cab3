//! What a deployment to an endpoint would change: resources are read, and none is put.

use std::sync::Arc;

use arm::deployment::{Deployment, DeploymentContext, DeploymentMode};
use arm::evaluate::Scope;
use arm::template::{Template, TemplateLimits};
use endpoint::{Endpoint, Prediction};
use engine::core::MachineSettings;
use engine::provider::{Local, Provider as _};
use engine::{Clock, Engine, StartError, WhatIf};
use store::{Key, MemoryStore, Store};

use crate::support::{Say, Scripted, run, setup};

const GROUP: &str = "/subscriptions/s/resourceGroups/g";

fn scope() -> Scope {
    Scope::ResourceGroup { subscription: "s".into(), name: "g".into() }
}

fn template(resources: &str, outputs: &str) -> String {
    format!(
        r#"{{"$schema": "https://schema.management.azure.com/schemas/2019-04-01/deploymentTemplate.json#", "contentVersion": "1.0.0.0",
        "parameters": {{"password": {{"type": "securestring", "defaultValue": "hunter2"}}}}, "resources": [{resources}], "outputs": {{{outputs}}}}}"#
    )
}

fn deployment(text: &str, endpoint: &Endpoint) -> Arc<Deployment> {
    let template = Arc::new(Template::read(text, &TemplateLimits::default()).unwrap());
    let context = DeploymentContext {
        endpoint: endpoint.endpoint(),
        location: None,
        ..DeploymentContext::local(scope(), "main")
    };
    Arc::new(Deployment::with_values(template, [], context).unwrap())
}

/// A server with some things.
async fn server() -> Scripted {
    Scripted::start(|_, seen| {
        let path = seen.path.split('?').next().unwrap();
        let body = match path.strip_prefix(GROUP) {
            Some("") => r#"{"id":"/x","location":"north"}"#.to_owned(),
            Some("/resources") => {
                let item = |name: &str| format!(r#"{{"id":"{GROUP}/providers/A.B/c/{name}","name":"{name}","type":"A.B/c"}}"#);
                format!(r#"{{"value":[{},{},{}]}}"#, item("same"), item("other"), item("other/d/part"))
            }
            Some("/providers/A.B/c/same") => format!(
                r#"{{"id":"{GROUP}/providers/A.B/c/same","name":"same","type":"A.B/c","etag":"1","location":"north",
                "properties":{{"a":1,"made":"by the service","provisioningState":"Succeeded"}}}}"#
            ),
            Some("/providers/A.B/c/other/listKeys") => r#"{"key":"k3y"}"#.to_owned(),
            Some("/providers/A.B/c/other") => r#"{"id":"/o","properties":{"b":2}}"#.to_owned(),
            _ => return Say::new(404, &[], r#"{"error":{"code":"ResourceNotFound","message":"no"}}"#),
        };
        Say::new(200, &[], &body)
    })
    .await
}

async fn predict(server: &Scripted, text: &str, mode: DeploymentMode) -> WhatIf {
    let endpoint = Arc::new(server.endpoint(None));
    let store: Arc<dyn Store> = Arc::new(MemoryStore::new());
    let prediction = Arc::new(Prediction::new(Arc::clone(&endpoint), Arc::clone(&store)));
    endpoint.check_group(&scope()).await.unwrap();
    prediction.list(&scope()).await.unwrap();
    let key = Key::random().unwrap();
    let provider: Arc<dyn engine::provider::Provider> = prediction;
    let engine = Engine {
        store,
        key,
        provider,
        settings: MachineSettings::default(),
        clock: Clock::Virtual,
        budgets: Default::default(),
    };
    let predicted = engine.what_if(deployment(text, &endpoint), mode).await.unwrap();
    let lines = server.lines();
    assert!(lines.iter().all(|line| line.starts_with("GET ") || line.starts_with("POST ")), "{lines:?}");
    predicted
}

/// The changes, each as a line, with what differs behind it.
fn shown(predicted: &WhatIf) -> Vec<String> {
    assert!(predicted.failure.is_none(), "{:?}", predicted.failure);
    predicted
        .changes
        .iter()
        .map(|change| {
            let name = change.id.rsplit("/c/").next().unwrap_or_default();
            let delta: Vec<&str> = change.delta.iter().map(|delta| delta.path.as_str()).collect();
            format!("{} {name} {}", change.kind.sign(), delta.join(" ")).trim_end().to_owned()
        })
        .collect()
}

fn thing(name: &str, properties: &str) -> String {
    format!(
        r#"{{"type":"A.B/c","apiVersion":"1","name":"{name}","location":"[resourceGroup().location]","properties":{properties}}}"#
    )
}

#[test]
fn what_is_there_is_compared() {
    run(async {
        let same = thing("same", r#"{"a":1,"password":"[parameters('password')]"}"#);
        let changed = thing("same", r#"{"a":2,"b":true}"#);
        let new = thing("new", r#"{"a":"[reference(resourceId('A.B/c','other'),'1').b]"}"#);
        let server = server().await;
        let predicted =
            predict(&server, &template(&format!("{same},{new}"), ""), DeploymentMode::Incremental).await;
        assert_eq!(shown(&predicted), ["+ new", "= same", "* other", "* other/d/part"]);
        let after = predicted.changes[0].after.as_ref().unwrap().to_json();
        assert!(after.contains(r#""a":2"#) && after.contains(r#""location":"north""#), "{after}");
        let predicted = predict(&server, &template(&changed, ""), DeploymentMode::Complete).await;
        assert_eq!(shown(&predicted), ["- other", "- other/d/part", "~ same properties.a properties.b"]);
    });
}

#[test]
fn values_that_a_service_would_make_are_made_up_or_read() {
    run(async {
        let keys = r#"{"k":"[listKeys(resourceId('A.B/c','other'),'1').key]","made":"[reference(resourceId('A.B/c','same'),'1').made]"}"#;
        let outputs =
            r#""made":{"type":"string","value":"[reference(resourceId('A.B/c','same'),'1').made]"}"#;
        let server = server().await;
        let predicted =
            predict(&server, &template(&thing("new", keys), outputs), DeploymentMode::Incremental).await;
        assert_eq!(shown(&predicted)[0], "+ new");
        let after = predicted.changes[0].after.as_ref().unwrap().to_json();
        assert!(after.contains("by the service") && !after.contains("k3y"), "{after}");
    });
}

#[test]
fn nothing_goes_into_a_group_that_is_not_there() {
    run(async {
        let server = server().await;
        let inner = template(&thing("x", "{}").replace("[resourceGroup().location]", "north"), "");
        let nested = format!(
            r#"{{"type":"Microsoft.Resources/deployments","apiVersion":"2025-04-01","name":"inner","resourceGroup":"nowhere",
            "properties":{{"mode":"Incremental","expressionEvaluationOptions":{{"scope":"inner"}},"template":{inner}}}}}"#
        );
        let predicted = predict(&server, &template(&nested, ""), DeploymentMode::Incremental).await;
        let failure = predicted.failure.unwrap().to_value().to_json();
        assert!(failure.contains("ResourceGroupNotFound"), "{failure}");
    });
}

#[test]
fn a_deployment_stays_where_its_resources_are() {
    let made = setup("http://127.0.0.1:9", None);
    let (store, key) = (Arc::clone(&made.store), made.key.clone());
    let endpoint = Arc::new(Endpoint::new(made).unwrap());
    let there = deployment(&template("", ""), &endpoint);
    let here = Deployment::with_values(
        Arc::new(Template::read(template("", ""), &TemplateLimits::default()).unwrap()),
        [],
        DeploymentContext::local(scope(), "main"),
    );
    let engine = |provider: Arc<dyn engine::provider::Provider>| Engine {
        store: Arc::clone(&store),
        key: key.clone(),
        provider,
        settings: MachineSettings::default(),
        clock: Clock::Real,
        budgets: Default::default(),
    };
    let local = engine(Arc::new(Local::new(Arc::clone(&store), key.clone())));
    let remote = engine(Arc::<Endpoint>::clone(&endpoint));
    for (engine, deployment) in [(&local, Arc::clone(&there)), (&remote, Arc::new(here.unwrap()))] {
        match engine.accept(deployment, DeploymentMode::Incremental) {
            Err(StartError::Failure(failure)) => assert_eq!(failure.code, "DeploymentElsewhere"),
            Err(StartError::State(why) | StartError::Unavailable(why)) => panic!("{why}"),
            Ok(_) => panic!("it was accepted"),
        }
    }
    // One that was interrupted is resumed there or nowhere.
    let accepted = remote.accept(there, DeploymentMode::Incremental).unwrap();
    let links = arm::deployment::Links::default();
    match local.resume(accepted.run, &links) {
        Err(StartError::Failure(failure)) => {
            assert_eq!(failure.code, "DeploymentElsewhere");
            assert!(failure.message.contains("`http://127.0.0.1:9`"), "{}", failure.message);
        }
        Err(StartError::State(why) | StartError::Unavailable(why)) => panic!("{why}"),
        Ok(_) => panic!("it was resumed"),
    }
    assert!(remote.resume(accepted.run, &links).is_ok());
}
