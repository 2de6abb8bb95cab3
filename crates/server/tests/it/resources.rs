//! Single resources through the API of ARM.

use crate::support::{Server, VERSION};
use serde_json::{Value, json};

const GROUP: &str = "/subscriptions/s/resourceGroups/g";

fn server() -> Server {
    let server = Server::new();
    server.group("g");
    server
}

#[test]
fn a_resource_is_put_changed_and_deleted() {
    let server = server();
    let path = format!("{GROUP}/providers/Microsoft.Storage/storageAccounts/acc?{VERSION}");
    let ask = |method: &str, body: &str| server.ask(&format!("{method} {path}"), body);
    let missing = ask("GET", "");
    missing.is_refused(404, "ResourceNotFound");
    assert_eq!(
        missing.body["error"]["message"],
        "The Resource 'Microsoft.Storage/storageAccounts/acc' under resource group 'g' was not found."
    );
    ask("PATCH", "{}").is_refused(404, "ResourceNotFound");
    assert_eq!((ask("HEAD", "").status.as_u16(), ask("DELETE", "").status.as_u16()), (404, 204));
    let put = ask(
        "PUT",
        r#"{"location": "west", "sku": {"name": "Standard_LRS"}, "properties": {"a": 1, "b": 2}}"#,
    );
    assert_eq!((put.status.as_u16(), &put.body["properties"]["a"]), (201, &json!(1)));
    assert!(put.body["properties"]["primaryEndpoints"].is_object(), "{put:?}");
    assert_eq!(ask("GET", "").body, put.body);
    assert!(put.body.get("apiVersion").is_none());
    let patched = ask("PATCH", r#"{"properties": {"b": 3}}"#);
    assert_eq!((&patched.body["properties"]["a"], &patched.body["properties"]["b"]), (&json!(1), &json!(3)));
    assert_eq!(ask("PUT", r#"{"location": "west"}"#).status, 200);
    assert!(ask("GET", "").body["properties"].get("a").is_none(), "a put replaces all of it");
    assert_eq!((ask("HEAD", "").status.as_u16(), ask("DELETE", "").status.as_u16()), (204, 200));
    ask("GET", "").is_refused(404, "ResourceNotFound");
}

#[test]
fn a_part_needs_what_it_is_a_part_of() {
    let server = server();
    let part = format!("{GROUP}/providers/A.B/c/x/parts/y?{VERSION}");
    server.ask(&format!("PUT {part}"), "{}").is_refused(404, "ParentResourceNotFound");
    server.ask(&format!("PUT {GROUP}/providers/A.B/c/x?{VERSION}"), "{}");
    assert_eq!(server.ask(&format!("PUT {part}"), "{}").status, 201);
    let parts = server.ask(&format!("GET {GROUP}/providers/A.B/c/x/parts?{VERSION}"), "");
    assert_eq!(parts.body["value"][0]["name"], "y");
    assert_eq!(server.ask(&format!("DELETE {GROUP}/providers/A.B/c/x?{VERSION}"), "").status, 200);
    server.ask(&format!("GET {part}"), "").is_refused(404, "ResourceNotFound");
}

#[test]
fn what_is_wrong_with_a_resource_is_said() {
    let server = server();
    let put = |path: &str, body: &str| server.ask(&format!("PUT {path}?{VERSION}"), body);
    let one = format!("{GROUP}/providers/A.B/c/x");
    put(&one, "[]").is_refused(400, "InvalidRequestContent");
    put(&one, "{").is_refused(400, "InvalidRequestContent");
    put(&one, r#"{"name": "y"}"#).is_refused(400, "InvalidRequestContent");
    put(&one, r#"{"type": "A.B/d"}"#).is_refused(400, "InvalidRequestContent");
    put(&one, r#"{"id": "/x"}"#).is_refused(400, "InvalidRequestContent");
    put(&format!("{GROUP}/providers/A.B/c"), "{}").is_refused(405, "MethodNotAllowed");
    put(&format!("{GROUP}/providers/A.B"), "{}").is_refused(400, "InvalidResourceType");
    put("/subscriptions/s/resourceGroups/other/providers/A.B/c/x", "{}")
        .is_refused(404, "ResourceGroupNotFound");
}

#[test]
fn resources_are_listed_by_place_and_by_type() {
    let server = server();
    server.group("h");
    for (group, id) in [("g", "A.B/c/one"), ("g", "A.B/d/two"), ("h", "A.B/c/three")] {
        let body = format!(r#"{{"location": "west", "tags": {{"group": "{group}"}}, "properties": {{}}}}"#);
        let path = format!("/subscriptions/s/resourcegroups/{group}/providers/{id}?{VERSION}");
        assert_eq!(server.ask(&format!("PUT {path}"), &body).status, 201);
    }
    let names = |path: &str, query: &str| {
        let list = server.ask(&format!("GET {path}?{VERSION}{query}"), "");
        assert_eq!(list.status, 200, "{list:?}");
        let all = list.body["value"].as_array().unwrap().clone();
        all.iter().map(|it| it["name"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    let all = "/subscriptions/s/resources";
    assert_eq!(names(all, ""), ["one", "two", "three"]);
    assert_eq!(names(&format!("{GROUP}/resources"), ""), ["one", "two"]);
    assert_eq!(names(all, "&$filter=resourceType%20eq%20%27a.b/C%27"), ["one", "three"]);
    assert_eq!(names(all, "&$filter=resourceGroup%20eq%20%27h%27"), ["three"]);
    assert_eq!(names(all, "&$filter=tagName%20eq%20%27group%27%20and%20tagValue%20eq%20%27h%27"), ["three"]);
    assert_eq!(names(&format!("{GROUP}/providers/A.B/c"), ""), ["one"]);
    assert_eq!(names("/subscriptions/s/providers/A.B/c", ""), ["one", "three"]);
    assert_eq!(names(all, "&$top=2"), ["one", "two"]);
    let list = server.ask(&format!("GET {all}?{VERSION}"), "");
    assert_eq!(list.body["value"][0].get("properties"), None, "lists are short");
    server.ask(&format!("GET {all}?{VERSION}&$filter=x"), "").is_refused(400, "InvalidFilterInQueryString");
    let missing = format!("GET /subscriptions/s/resourceGroups/other/resources?{VERSION}");
    server.ask(&missing, "").is_refused(404, "ResourceGroupNotFound");
}

#[test]
fn actions_are_called() {
    let server = server();
    let account = format!("{GROUP}/providers/Microsoft.Storage/storageAccounts/acc");
    let keys = format!("POST {account}/listKeys?{VERSION}");
    let missing = server.ask(&keys, "");
    missing.is_refused(404, "ResourceNotFound");
    assert!(missing.body["error"]["message"].as_str().unwrap().contains("storageAccounts/acc"));
    server.ask(&format!("PUT {account}?{VERSION}"), "{}");
    let listed = server.ask(&keys, "");
    let key = listed.body["keys"][0]["value"].as_str().unwrap();
    assert!(key.len() > 40 && !key.contains("secret"), "{listed:?}");
    server.ask(&format!("POST {account}?{VERSION}"), "").is_refused(405, "MethodNotAllowed");
}

#[test]
fn what_extends_a_resource_is_one_too() {
    let server = server();
    server.ask(&format!("PUT {GROUP}/providers/A.B/c/x?{VERSION}"), "{}");
    let lock = format!("{GROUP}/providers/A.B/c/x/providers/Microsoft.Authorization/locks/l?{VERSION}");
    assert_eq!(server.ask(&format!("PUT {lock}"), r#"{"properties": {"level": "ReadOnly"}}"#).status, 201);
    let got = server.ask(&format!("GET {lock}"), "");
    assert_eq!(got.body["type"], "Microsoft.Authorization/locks");
}

#[test]
fn a_deployment_sees_what_was_put_and_the_other_way_round() {
    let server = server();
    server.ask(&format!("PUT {GROUP}/providers/A.B/c/x?{VERSION}"), r#"{"properties": {"size": 7}}"#);
    let body = json!({"properties": {"template": {
        "$schema": "https://schema.management.azure.com/schemas/2019-04-01/deploymentTemplate.json#",
        "contentVersion": "1.0.0.0",
        "resources": [{"type": "A.B/c", "apiVersion": "2020-01-01", "name": "y",
            "properties": {"size": "[reference(resourceId('A.B/c', 'x'), '2020-01-01').size]"}}]
    }}});
    let put = format!("PUT {GROUP}/providers/Microsoft.Resources/deployments/d?{VERSION}");
    assert_eq!(server.ask(&put, &body.to_string()).status, 200);
    let got = server.ask(&format!("GET {GROUP}/providers/A.B/c/y?{VERSION}"), "");
    assert_eq!(got.body["properties"]["size"], 7);
}

#[test]
fn the_surroundings_are_told() {
    let server = Server::new();
    let get = |path: &str, version: &str| -> Value {
        let answer = server.ask(&format!("GET {path}?api-version={version}"), "");
        assert_eq!(answer.status, 200, "{path} {answer:?}");
        answer.body
    };
    let subscriptions = get("/subscriptions", "2022-12-01");
    let id = subscriptions["value"][0]["subscriptionId"].as_str().unwrap().to_owned();
    assert_eq!(get(&format!("/subscriptions/{id}"), "2022-12-01"), subscriptions["value"][0]);
    assert_eq!(subscriptions["value"][0]["tenantId"], get("/tenants", "2022-12-01")["value"][0]["tenantId"]);
    let locations = get(&format!("/subscriptions/{id}/locations"), "2022-12-01");
    assert!(locations["value"].as_array().unwrap().iter().any(|place| place["name"] == "eastus"));
    let cloud = get("/metadata/endpoints", "2022-09-01");
    assert_eq!(cloud["resourceManager"], "https://127.0.0.1:8443/");
    assert_eq!(cloud["authentication"]["loginEndpoint"], "https://127.0.0.1:8443/");
    assert_eq!(get("/metadata/endpoints", "2019-05-01")[0], cloud, "earlier versions give a list");
    assert!(get("/subscriptions/s/providers", "2021-04-01")["value"].is_array());
    let provider = get("/subscriptions/s/providers/A.B", "2021-04-01");
    assert_eq!(provider["registrationState"], "Registered");
    let register = server.ask("POST /subscriptions/s/providers/A.B/register?api-version=2021-04-01", "");
    assert_eq!(register.body, provider);
}
