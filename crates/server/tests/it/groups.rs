//! Resource groups through the API of ARM.

use std::sync::Arc;

use arm::deployment::{Deployment, DeploymentContext, DeploymentMode};
use arm::evaluate::Scope;
use arm::template::{Template, TemplateLimits};
use engine::core::{MachineSettings, RunEnd, RunProgress};
use engine::provider::Local;
use engine::{Clock, Engine};
use serde_json::json;
use server::Guard;
use store::{Key, MemoryStore, Store};

use crate::support::{Server, VERSION};

const GROUP: &str = "/subscriptions/s/resourcegroups/g";

#[test]
fn a_group_is_put_changed_listed_and_deleted() {
    let server = Server::new();
    let ask = |method: &str, body: &str| server.ask(&format!("{method} {GROUP}?{VERSION}"), body);
    ask("GET", "").is_refused(404, "ResourceGroupNotFound");
    ask("PATCH", "{}").is_refused(404, "ResourceGroupNotFound");
    ask("DELETE", "").is_refused(404, "ResourceGroupNotFound");
    assert_eq!(ask("HEAD", "").status, 404);
    let put = ask("PUT", r#"{"location": "west", "tags": {"a": "1", "b": "2"}}"#);
    assert_eq!(put.status, 201);
    assert_eq!(
        put.body,
        json!({
            "id": "/subscriptions/s/resourceGroups/g", "name": "g", "type": "Microsoft.Resources/resourceGroups",
            "location": "west", "tags": {"a": "1", "b": "2"}, "properties": {"provisioningState": "Succeeded"}
        })
    );
    assert_eq!(ask("GET", "").body, put.body);
    assert_eq!(ask("HEAD", "").status, 204);
    let patched = ask("PATCH", r#"{"tags": {"a": "3"}}"#);
    assert_eq!((&patched.body["tags"], &patched.body["location"]), (&json!({"a": "3"}), &json!("west")));
    assert_eq!(ask("PUT", r#"{"location": "West"}"#).status, 200);
    ask("PUT", r#"{"location": "east"}"#).is_refused(409, "InvalidResourceGroupLocation");
    server.group("h");
    let names = |query: &str| {
        let list = server.ask(&format!("GET /subscriptions/s/resourcegroups?{VERSION}{query}"), "");
        let all = list.body["value"].as_array().unwrap().clone();
        all.iter().map(|group| group["name"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(names(""), ["g", "h"]);
    assert_eq!(names("&$top=1"), ["g"]);
    server.ask(&format!("PATCH {GROUP}?{VERSION}"), r#"{"tags": {"a": "3"}}"#);
    assert_eq!(names("&$filter=tagName%20eq%20%27a%27%20and%20tagValue%20eq%20%273%27"), ["g"]);
    assert_eq!(names("&$filter=tagName%20eq%20%27x%27"), Vec::<String>::new());
    assert_eq!(ask("DELETE", "").status, 200);
    assert_eq!(names(""), ["h"]);
}

#[test]
fn what_is_wrong_with_a_group_is_said() {
    let server = Server::new();
    let put = |name: &str, body: &str| {
        server.ask(&format!("PUT /subscriptions/s/resourcegroups/{name}?{VERSION}"), body)
    };
    put("g", "{}").is_refused(400, "LocationRequired");
    put("g", "[]").is_refused(400, "InvalidRequestContent");
    put("g", r#"{"location": 1}"#).is_refused(400, "InvalidRequestContent");
    put("g", r#"{"location": "x", "tag": {}}"#).is_refused(400, "InvalidRequestContent");
    put("g", r#"{"location": "x", "tags": {"a": 1}}"#).is_refused(400, "InvalidRequestContent");
    put("g.", r#"{"location": "x"}"#).is_refused(400, "InvalidResourceGroup");
    put("a%20b", r#"{"location": "x"}"#).is_refused(400, "InvalidResourceGroup");
    put(&"x".repeat(91), r#"{"location": "x"}"#).is_refused(400, "InvalidResourceGroup");
}

#[test]
fn a_deleted_group_takes_its_resources_and_deployments_with_it() {
    let server = Server::new();
    for group in ["g", "g2"] {
        server.group(group);
        let thing = format!("/subscriptions/s/resourcegroups/{group}/providers/A.B/c/x?{VERSION}");
        assert_eq!(server.ask(&format!("PUT {thing}"), "{}").status, 201);
    }
    let deployment = format!("{GROUP}/providers/Microsoft.Resources/deployments/d?{VERSION}");
    let body = r#"{"properties": {"template": {"$schema": "https://schema.management.azure.com/schemas/2019-04-01/deploymentTemplate.json#",
        "contentVersion": "1.0.0.0", "resources": []}}}"#;
    assert_eq!(server.ask(&format!("PUT {deployment}"), body).status, 200);
    assert_eq!(server.ask(&format!("DELETE {GROUP}?{VERSION}"), "").status, 200);
    server.group("g");
    server.ask(&format!("GET {GROUP}/providers/A.B/c/x?{VERSION}"), "").is_refused(404, "ResourceNotFound");
    server.ask(&format!("GET {deployment}"), "").is_refused(404, "DeploymentNotFound");
    let other = format!("GET /subscriptions/s/resourcegroups/g2/providers/A.B/c/x?{VERSION}");
    assert_eq!(server.ask(&other, "").status, 200);
}

#[test]
fn a_group_that_a_deployment_makes_is_there() {
    let server = Server::new();
    let body = r#"{"location": "west", "properties": {"template": {
        "$schema": "https://schema.management.azure.com/schemas/2018-05-01/subscriptionDeploymentTemplate.json#", "contentVersion": "1.0.0.0",
        "resources": [{"type": "Microsoft.Resources/resourceGroups", "apiVersion": "2024-11-01", "name": "made", "location": "south"}]}}}"#;
    let put = format!("PUT /subscriptions/s/providers/Microsoft.Resources/deployments/d?{VERSION}");
    assert_eq!(server.ask(&put, body).status, 200);
    let got = server.ask(&format!("GET /subscriptions/s/resourcegroups/made?{VERSION}"), "");
    assert_eq!((got.status.as_u16(), &got.body["location"]), (200, &json!("south")));
}

#[test]
fn the_resources_of_a_group_are_exported_as_a_template() {
    let server = Server::new();
    server.group("g");
    for (id, body) in [("A.B/c/x", r#"{"properties": {"size": 1}}"#), ("A.B/c/x/parts/y", "{}")] {
        server.ask(&format!("PUT {GROUP}/providers/{id}?{VERSION}"), body);
    }
    let exported = server.ask(&format!("POST {GROUP}/exportTemplate?{VERSION}"), r#"{"resources": ["*"]}"#);
    let resources = &exported.body["template"]["resources"];
    assert_eq!((&resources[0]["name"], &resources[0]["properties"]["size"]), (&json!("x"), &json!(1)));
    assert_eq!((&resources[1]["name"], &resources[1]["type"]), (&json!("x/y"), &json!("A.B/c/parts")));
    assert_eq!(resources[0]["apiVersion"], "2025-04-01");
}

#[test]
fn a_group_whose_deletion_is_refused_keeps_its_resources() {
    let server = Server::real();
    server.group("g");
    let group = "/subscriptions/s/resourcegroups/g";
    let thing = format!("{group}/providers/Our.Things/things/t?{VERSION}");
    server.ask(&format!("PUT {thing}"), r#"{"properties": {"size": 1}}"#);
    // A deployment that waits for an hour.
    let template = r#"{"$schema": "https://schema.management.azure.com/schemas/2019-04-01/deploymentTemplate.json#",
        "languageVersion": "2.2-experimental", "contentVersion": "1.0.0.0", "resources": {"slow": {"type": "Our.Things/things", "apiVersion": "2025-01-01",
        "name": "slow", "properties": {}, "@options": {"waitUntil": ["[lambda('x', false())]", "PT1H"]}}}}"#;
    let deployment = format!("{group}/providers/Microsoft.Resources/deployments/d?{VERSION}");
    let put =
        server.ask(&format!("PUT {deployment}"), &format!(r#"{{"properties": {{"template": {template}}}}}"#));
    assert_eq!(put.status, 201, "{put:?}");
    server.ask(&format!("DELETE {group}?{VERSION}"), "").is_refused(409, "DeploymentActive");
    assert_eq!(server.ask(&format!("GET {thing}"), "").status, 200, "nothing was deleted");
}

/// A deployment to the subscription that deploys a resource to the group `made`, in the location of that group, and may make it first.
fn into_group(makes_it: bool) -> String {
    let nested = json!({
        "type": "Microsoft.Resources/deployments", "apiVersion": "2022-09-01", "name": "inner", "resourceGroup": "made",
        "dependsOn": if makes_it { json!(["[subscriptionResourceId('Microsoft.Resources/resourceGroups', 'made')]"]) } else { json!([]) },
        "properties": {"mode": "Incremental", "expressionEvaluationOptions": {"scope": "inner"}, "template": {
            "$schema": "https://schema.management.azure.com/schemas/2019-04-01/deploymentTemplate.json#", "contentVersion": "1.0.0.0",
            "resources": [{"type": "A.B/c", "apiVersion": "2020-01-01", "name": "x", "location": "[resourceGroup().location]",
                "tags": "[resourceGroup().tags]"}]
        }}
    });
    let group = json!({"type": "Microsoft.Resources/resourceGroups", "apiVersion": "2024-11-01", "name": "made", "location": "south",
        "tags": {"a": "b"}});
    let resources = if makes_it { json!([group, nested]) } else { json!([nested]) };
    json!({"location": "west", "properties": {"template": {
        "$schema": "https://schema.management.azure.com/schemas/2018-05-01/subscriptionDeploymentTemplate.json#",
        "contentVersion": "1.0.0.0", "resources": resources
    }}})
    .to_string()
}

#[test]
fn what_is_deployed_into_a_new_group_sees_what_the_group_is() {
    let server = Server::new();
    let put = format!("PUT /subscriptions/s/providers/Microsoft.Resources/deployments/d?{VERSION}");
    let what_if = put.replace("PUT ", "POST ").replace("/d?", "/d/whatIf?");
    let predicted = server.ask(&what_if, &into_group(true));
    let changes = predicted.body["properties"]["changes"].as_array().unwrap();
    let thing = changes.iter().find(|change| change["resourceId"].as_str().unwrap().ends_with("/x")).unwrap();
    assert_eq!((&thing["after"]["location"], &thing["after"]["tags"]), (&json!("south"), &json!({"a": "b"})));
    assert_eq!(server.ask(&put, &into_group(true)).status, 200);
    let got =
        server.ask(&format!("GET /subscriptions/s/resourceGroups/made/providers/A.B/c/x?{VERSION}"), "");
    assert_eq!((&got.body["location"], &got.body["tags"]), (&json!("south"), &json!({"a": "b"})));
    let inner = "/subscriptions/s/resourceGroups/made/providers/Microsoft.Resources/deployments/inner";
    let exported = server.ask(&format!("POST {inner}/exportTemplate?{VERSION}"), "");
    assert_eq!(exported.body["template"]["resources"][0]["type"], "A.B/c", "{exported:?}");
    let inner = server.ask(&format!("GET {inner}?{VERSION}"), "");
    let outer = server.ask(&put.replace("PUT", "GET"), "");
    let correlation = |answer: &crate::support::Answer| answer.body["properties"]["correlationId"].clone();
    assert_eq!(correlation(&inner), correlation(&outer), "they belong together");
    // The template is part of what the outer deployment was sent with.
    assert_eq!(server.ask(&put.replace("PUT", "DELETE"), "").status, 204);
    let export =
        "/subscriptions/s/resourceGroups/made/providers/Microsoft.Resources/deployments/inner/exportTemplate";
    server.ask(&format!("POST {export}?{VERSION}"), "").is_refused(404, "DeploymentTemplateNotFound");
}

#[test]
fn nothing_is_deployed_into_a_group_that_is_not_there() {
    let server = Server::new();
    let put = format!("PUT /subscriptions/s/providers/Microsoft.Resources/deployments/d?{VERSION}");
    assert_eq!(server.ask(&put, &into_group(false)).status, 201);
    let got = server.ask(&put.replace("PUT", "GET"), "");
    let error = got.body["properties"]["error"].to_string();
    assert!(error.contains("ResourceGroupNotFound"), "{error}");
}

/// Deploys as `tendon deploy` does it, for which groups are there as soon as they are named.
fn deploy(store: &Arc<dyn Store>, scope: &str, name: &str, text: &str) {
    let key = Key::random().unwrap();
    let provider = Arc::new(Local::new(Arc::clone(store), key.clone()));
    let engine = Engine {
        store: Arc::clone(store),
        key,
        provider,
        settings: MachineSettings::default(),
        clock: Clock::Virtual,
        budgets: Default::default(),
    };
    let template = Arc::new(Template::read(text, &TemplateLimits::default()).unwrap());
    let context = DeploymentContext::local(Scope::parse(scope).unwrap(), name);
    let deployment = Arc::new(Deployment::with_values(template, [], context).unwrap());
    let accepted = engine.accept(deployment, DeploymentMode::Incremental).unwrap();
    let (_keep, cancel) = tokio::sync::mpsc::unbounded_channel();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
    let ended = runtime.block_on(engine.run(accepted, cancel, &mut |_: &RunProgress, _: i64| {})).unwrap();
    assert!(matches!(ended.end, RunEnd::Succeeded(_)), "{:?}", ended.end);
}

#[test]
fn a_group_that_nobody_put_is_there_for_what_is_in_it() {
    let store: Arc<dyn Store> = Arc::new(MemoryStore::new());
    let server = Server::on(Arc::clone(&store), Clock::Virtual, |_, _| Guard::local());
    server.group("h");
    let local = "/subscriptions/s/resourcegroups/local";
    let ask = |line: &str, body: &str| {
        let (method, path) = line.split_once(' ').unwrap();
        server.ask(&format!("{method} {local}{path}?{VERSION}"), body)
    };
    ask("GET /resources", "").is_refused(404, "ResourceGroupNotFound");
    let text = r#"{"$schema": "https://schema.management.azure.com/schemas/2019-04-01/deploymentTemplate.json#", "contentVersion": "1.0.0.0",
        "resources": [{"type": "A.B/c", "apiVersion": "1", "name": "x"}]}"#;
    deploy(&store, "/subscriptions/s/resourceGroups/local", "d", text);
    assert_eq!(ask("GET /resources", "").body["value"][0]["name"], "x");
    assert_eq!(ask("GET /providers/Microsoft.Resources/deployments/", "").body["value"][0]["name"], "d");
    assert_eq!(ask("GET /providers/A.B/c/x", "").status, 200);
    assert_eq!(ask("HEAD ", "").status, 204);
    let group = ask("GET ", "");
    assert_eq!(
        (&group.body["name"], &group.body["type"]),
        (&json!("local"), &json!("Microsoft.Resources/resourceGroups"))
    );
    let list = server.ask(&format!("GET /subscriptions/s/resourcegroups?{VERSION}"), "");
    let names: Vec<_> = list.body["value"].as_array().unwrap().iter().map(|it| it["name"].clone()).collect();
    assert_eq!(names, [json!("h"), json!("local")]);
    // Whoever writes puts the group first.
    ask("PUT /providers/A.B/c/y", "{}").is_refused(404, "ResourceGroupNotFound");
    ask("PATCH ", "{}").is_refused(404, "ResourceGroupNotFound");
    let body = r#"{"properties": {"mode": "Incremental", "template": {"$schema": "https://schema.management.azure.com/schemas/2019-04-01/deploymentTemplate.json#",
        "contentVersion": "1.0.0.0", "resources": []}}}"#;
    ask("PUT /providers/Microsoft.Resources/deployments/e", body).is_refused(404, "ResourceGroupNotFound");
    assert_eq!(ask("DELETE ", "").status, 200);
    ask("GET ", "").is_refused(404, "ResourceGroupNotFound");
}
