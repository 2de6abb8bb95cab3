//! Groups, resources, environments, applications and deployments of Radius.

use crate::support::{Answer, Server};
use serde_json::{Value, json};

const GROUP: &str = "/planes/radius/local/resourceGroups/default";
const VERSION: &str = "2023-10-01-preview";
const CORE: &str = "2025-08-01-preview";

fn ask(server: &Server, request: &str, version: &str, body: &Value) -> Answer {
    let body = if body.is_null() { String::new() } else { body.to_string() };
    let sign = if request.contains('?') { '&' } else { '?' };
    server.ask(&format!("{request}{sign}api-version={version}"), &body)
}

fn get(server: &Server, path: &str) -> Answer {
    ask(server, &format!("GET {path}"), VERSION, &Value::Null)
}

/// A server with a type of two versions, and one of a single version.
fn with_types() -> Server {
    let server = Server::new();
    let types = "/planes/radius/local/providers/System.Resources/resourceproviders";
    let put = |path: &str, body: Value| {
        let answer = ask(&server, &format!("PUT {types}{path}"), VERSION, &body);
        assert!(answer.status.is_success(), "{path}: {answer:?}");
    };
    put("/Test.Things", json!({}));
    for (name, version, schema) in [
        (
            "widgets",
            VERSION,
            json!({"type": "object", "properties": {
            "size": {"type": "string", "enum": ["S", "L"], "default": "S"},
            "count": {"type": "integer", "minimum": 1},
            "secret": {"type": "string", "minLength": 2, "x-radius-sensitive": true}}}),
        ),
        ("widgets", "2025-01-01", json!({})),
        ("gadgets", CORE, json!({})),
        ("doors", "2024-01-01", json!({})),
        ("doors", "2025-01-01", json!({})),
    ] {
        put(&format!("/Test.Things/resourcetypes/{name}"), json!({"properties": {"capabilities": []}}));
        let path = format!("/Test.Things/resourcetypes/{name}/apiversions/{version}");
        put(&path, json!({"properties": {"schema": schema}}));
    }
    server
}

#[test]
fn health_is_answered_at_the_base() {
    let server = Server::new();
    for path in ["/apis/api.ucp.dev/v1alpha3", "/"] {
        assert_eq!(server.ask(&format!("GET {path}"), "").status, 200, "{path}");
    }
    assert_eq!(server.ask("GET /version", "").body["major"], "1");
    let release = "/api/v1/namespaces/radius-system/secrets?labelSelector=name%3Dradius%2Cowner%3Dhelm";
    let found = server.ask(&format!("GET {release}"), "");
    assert_eq!(found.body["items"][0]["type"], "helm.sh/release.v1");
    let other = server.ask(&format!("GET {}", release.replace("Dradius", "Dcontour")), "");
    assert_eq!(other.body["items"], json!([]));
}

#[test]
fn planes_are_shown() {
    let server = Server::new();
    assert_eq!(get(&server, "/planes").body["value"].as_array().unwrap().len(), 3);
    assert_eq!(get(&server, "/planes/radius").body["value"][0]["id"], "/planes/radius/local");
    assert_eq!(get(&server, "/planes/RADIUS/local").body["name"], "local");
    assert_eq!(get(&server, "/planes/radius/other").status, 404);
    assert_eq!(ask(&server, "PUT /planes/radius/local", VERSION, &json!({})).status, 200);
    assert_eq!(ask(&server, "PUT /planes/radius/other", VERSION, &json!({})).status, 404);
}

#[test]
fn groups_come_and_go() {
    let server = with_types();
    let groups = "/planes/radius/local/resourcegroups";
    assert_eq!(get(&server, groups).body["value"][0]["name"], "default");
    let put = ask(
        &server,
        &format!("PUT {groups}/Shop"),
        VERSION,
        &json!({"location": "global", "tags": {"a": "b"}}),
    );
    assert_eq!(put.status, 201);
    assert_eq!(put.body["id"], "/planes/radius/local/resourceGroups/Shop");
    assert_eq!((&put.body["location"], &put.body["tags"]["a"]), (&json!("global"), &json!("b")));
    assert_eq!(
        ask(&server, &format!("PUT {groups}/shop"), VERSION, &json!({"location": "global"})).status,
        200
    );
    assert_eq!(get(&server, &format!("{groups}/SHOP")).body["name"], "Shop");
    for name in ["-a", "a_b"] {
        assert_eq!(ask(&server, &format!("PUT {groups}/{name}"), VERSION, &json!({})).status, 400, "{name}");
    }
    for body in [json!([]), json!({"location": 1}), json!({"tags": []}), json!({"tags": {"a": 1}})] {
        let refused = ask(&server, &format!("PUT {groups}/x"), VERSION, &body);
        refused.is_refused(400, "InvalidRequestContent");
    }
    let id = "/planes/radius/local/resourceGroups/shop/providers/Test.Things/gadgets/a";
    ask(&server, &format!("PUT {id}"), CORE, &json!({"properties": {"environment": "e"}}));
    let resources = get(&server, &format!("{groups}/shop/resources"));
    assert_eq!(resources.body["value"][0]["type"], "Test.Things/gadgets");
    let refused = ask(&server, &format!("DELETE {groups}/shop"), VERSION, &Value::Null);
    assert_eq!((refused.status.as_u16(), &refused.body["error"]["code"]), (409, &json!("Conflict")));
    assert_eq!(refused.body["error"]["target"], "shop", "what has resources is data");
    assert_eq!(refused.body["error"]["details"][0]["target"], id.replace("shop", "Shop"));
    ask(&server, &format!("DELETE {id}"), CORE, &Value::Null);
    // What clients do not look for goes with its group.
    let environment = "/planes/radius/local/resourceGroups/shop/providers/Radius.Core/environments/e";
    assert_eq!(ask(&server, &format!("PUT {environment}"), CORE, &json!({"properties": {}})).status, 201);
    for status in [200, 204] {
        assert_eq!(ask(&server, &format!("DELETE {groups}/shop"), VERSION, &Value::Null).status, status);
    }
    assert_eq!(get(&server, &format!("{groups}/shop")).status, 404);
    // One that was deleted stays so.
    assert_eq!(ask(&server, &format!("DELETE {groups}/default"), VERSION, &Value::Null).status, 200);
    assert_eq!(get(&server, &format!("{groups}/default")).status, 404);
    let gone = get(&server, &format!("{GROUP}/providers/Test.Things/gadgets"));
    assert_eq!((gone.status.as_u16(), &gone.body["error"]["code"]), (404, &json!("NotFound")));
}

#[test]
fn a_resource_is_checked_kept_and_shown_without_its_secrets() {
    let server = with_types();
    let path = format!("{GROUP}/providers/Test.Things/widgets/one");
    let body = json!({"location": "global", "properties": {"environment": "e", "secret": "tell-nobody"}});
    let put = ask(&server, &format!("PUT {path}"), VERSION, &body);
    assert_eq!(put.status, 201, "{put:?}");
    assert_eq!(
        put.body["properties"],
        json!({"environment": "e", "secret": null, "size": "S", "provisioningState": "Succeeded"})
    );
    assert_eq!(put.body["id"], path.as_str());
    assert_eq!(ask(&server, &format!("PUT {path}"), VERSION, &body).status, 200);
    let lower = path.replace("resourceGroups", "resourcegroups").replace("Test.Things", "test.things");
    for version in [VERSION, "2025-01-01"] {
        let got = ask(&server, &format!("GET {lower}"), version, &Value::Null);
        assert_eq!((got.status.as_u16(), &got.body), (200, &put.body), "{version}");
        assert!(got.headers.contains_key("etag"));
    }
    let bad = json!({"properties": {"size": "XL", "count": 0, "unknown": 1, "secret": "x"}});
    let refused = ask(&server, &format!("PUT {path}"), VERSION, &bad);
    assert_eq!(
        (refused.status.as_u16(), &refused.body["error"]["code"]),
        (400, &json!("InvalidRequestContent"))
    );
    let details = refused.body["error"]["details"].as_array().unwrap();
    let targets: Vec<&str> = details.iter().map(|it| it["target"].as_str().unwrap()).collect();
    for target in
        ["/properties", "/properties/count", "/properties/secret", "/properties/size", "/properties/unknown"]
    {
        assert!(targets.contains(&target), "{target}: {targets:?}");
    }
    assert_eq!(get(&server, &path).body, put.body);
    for status in [200, 204] {
        assert_eq!(ask(&server, &format!("DELETE {path}"), VERSION, &Value::Null).status, status);
    }
    assert_eq!(get(&server, &path).status, 404);
}

#[test]
fn versions_and_types_have_to_be_registered() {
    let server = with_types();
    let body = json!({"properties": {"environment": "e"}});
    let put = |kind: &str, name: &str, version: &str| {
        ask(&server, &format!("PUT {GROUP}/providers/{kind}/{name}"), version, &body)
    };
    // `rad resource create` has one version for all types: it stands for the only one.
    assert_eq!(put("Test.Things/gadgets", "a", VERSION).status, 201);
    for (kind, name, version, code) in [
        ("Test.Things/gadgets", "a", "2020-01-01", "InvalidApiVersionParameter"),
        ("Test.Things/doors", "a", VERSION, "InvalidApiVersionParameter"),
        ("Test.Things/gadget", "a", CORE, "BadRequest"),
        ("Other.Things/gadgets", "a", CORE, "BadRequest"),
        ("Test.Things/gadgets", "x_bad", CORE, "BadRequest"),
        ("Applications.Core/environments", "a", CORE, "InvalidApiVersionParameter"),
        ("Applications.Core/applications", "a", "2020-01-01", "InvalidApiVersionParameter"),
    ] {
        let refused = put(kind, name, version);
        assert_eq!(
            (refused.status.as_u16(), &refused.body["error"]["code"]),
            (400, &json!(code)),
            "{kind} {version}"
        );
    }
    let read =
        ask(&server, &format!("GET {GROUP}/providers/Test.Things/gadgets/a"), "2020-01-01", &Value::Null);
    assert_eq!(read.body["error"]["code"], "InvalidApiVersionParameter");
    let missing = server.ask(&format!("GET {GROUP}/providers/Test.Things/gadgets/a"), "");
    assert_eq!(missing.body["error"]["code"], "MissingApiVersionParameter");
    let other = "/planes/radius/local/resourceGroups/nothing/providers/Test.Things/gadgets/a";
    assert_eq!(ask(&server, &format!("PUT {other}"), CORE, &body).status, 404);
    assert_eq!(ask(&server, &format!("DELETE {other}"), CORE, &Value::Null).status, 204);
}

#[test]
fn requests_of_arm_do_not_reach_resources_of_radius() {
    let server = with_types();
    let path = format!("{GROUP}/providers/Test.Things/gadgets/a");
    let body = json!({"properties": {"environment": "e"}});
    assert_eq!(ask(&server, &format!("PUT {path}"), CORE, &body).status, 201);
    let bad = json!({"location": "x", "properties": {"environment": 1, "unknown": 1}});
    for (request, status) in [
        (format!("PATCH {path}"), 405),
        (format!("POST {path}"), 405),
        (format!("PUT {path}/parts/b"), 404),
        (format!("PUT {path}/providers/A.B/c/d"), 404),
        (format!("PUT {GROUP}/providers/Microsoft.Resources/deployments/d/providers/A.B/c/d"), 404),
        ("PUT /planes/radius/local/providers/System.Resources/groups/a".to_owned(), 404),
        ("PUT /planes/radius/local/providers/A.B/c/d".to_owned(), 404),
        ("PUT /planes/x/y/providers/A.B/c/d".to_owned(), 404),
        (format!("POST {path}/listKeys"), 404),
    ] {
        assert_eq!(ask(&server, &request, CORE, &bad).status.as_u16(), status, "{request}");
    }
    assert_eq!(get(&server, &path).body["properties"]["environment"], "e");
}

#[test]
fn etags_guard_what_is_there() {
    let server = with_types();
    let path = format!("{GROUP}/providers/Test.Things/gadgets/a?api-version={CORE}");
    let put = |header: (&str, &str)| {
        server.ask_with(&format!("PUT {path}"), r#"{"properties": {"environment": "e"}}"#, &[header])
    };
    assert_eq!(put(("if-match", "*")).status, 412);
    let first = put(("if-none-match", "*"));
    assert_eq!(first.status, 201);
    assert_eq!(put(("if-none-match", "*")).body["error"]["code"], "PreconditionFailed");
    let tag = first.headers["etag"].to_str().unwrap().to_owned();
    assert_eq!(put(("if-match", &tag)).status, 200);
    assert_eq!(put(("if-match", "\"other\"")).status, 412);
    assert_eq!(put(("if-none-match", &tag)).status, 400);
    assert_eq!(server.ask_with(&format!("DELETE {path}"), "", &[("if-match", "\"other\"")]).status, 412);
    assert_eq!(server.ask_with(&format!("DELETE {path}"), "", &[("if-match", &tag)]).status, 200);
}

#[test]
fn resources_are_listed_by_group_and_by_plane() {
    let server = with_types();
    ask(&server, "PUT /planes/radius/local/resourcegroups/shop", VERSION, &json!({}));
    for (group, name) in [("default", "a"), ("default", "b"), ("shop", "c")] {
        let path =
            format!("/planes/radius/local/resourceGroups/{group}/providers/Test.Things/gadgets/{name}");
        ask(&server, &format!("PUT {path}"), CORE, &json!({"properties": {"environment": "e"}}));
    }
    let names = |path: &str| {
        let page = get(&server, path);
        let items = page.body["value"].as_array().unwrap().iter();
        let names: Vec<String> = items.map(|it| it["name"].as_str().unwrap().to_owned()).collect();
        (names, page.body["nextLink"].as_str().map(str::to_owned))
    };
    assert_eq!(names(&format!("{GROUP}/providers/Test.Things/gadgets")).0, ["a", "b"]);
    assert_eq!(names("/planes/radius/local/providers/Test.Things/gadgets").0, ["a", "b", "c"]);
    let (first, next) = names("/planes/radius/local/providers/Test.Things/gadgets?top=2");
    assert_eq!(first, ["a", "b"]);
    let next = next.unwrap();
    // What is gone or new before the end of a page does not move the next one.
    server.ask(&format!("DELETE {GROUP}/providers/Test.Things/gadgets/a?{CORE}"), "");
    let rest = server.ask(&format!("GET {}", next.strip_prefix("https://127.0.0.1:8443").unwrap()), "");
    assert_eq!(rest.body["value"][0]["name"], "c");
    assert_eq!(rest.body["nextLink"], Value::Null);
}

#[test]
fn environments_have_recipes() {
    let server = with_types();
    let path = format!("{GROUP}/providers/Applications.Core/environments/e");
    let recipe = json!({"templateKind": "bicep", "templatePath": "example.invalid/r:1", "parameters": {"size": "S", "n": 1}});
    let body = json!({"location": "global", "properties": {
        "compute": {"kind": "kubernetes", "namespace": "e"},
        "recipes": {"Test.Things/gadgets": {"small": recipe}}}});
    assert_eq!(ask(&server, &format!("PUT {path}"), VERSION, &body).status, 201);
    let ask_for = |name: &str| {
        let body = json!({"name": name, "resourceType": "Test.Things/gadgets"});
        ask(&server, &format!("POST {path}/getMetadata"), VERSION, &body)
    };
    let found = ask_for("small");
    assert_eq!(found.body["templatePath"], "example.invalid/r:1");
    assert_eq!(found.body["parameters"]["size"], json!({"type": "string", "defaultValue": "S"}));
    assert_eq!(found.body["parameters"]["n"]["type"], "int");
    assert_eq!(ask_for("large").status, 404);
    assert_eq!(ask(&server, &format!("POST {path}/getMetadata"), VERSION, &json!({})).status, 400);
    assert_eq!(ask(&server, &format!("POST {path}x/getMetadata"), VERSION, &json!({})).status, 404);
    for (kind, version, body) in [
        ("Applications.Core/environments", VERSION, json!({"properties": {"compute": "x"}})),
        ("Applications.Core/environments", VERSION, json!({})),
        ("Applications.Core/applications", VERSION, json!({"properties": {}})),
        ("Radius.Core/applications", CORE, json!({"properties": {"environment": 1}})),
        ("Radius.Core/recipePacks", CORE, json!({"properties": {"recipes": []}})),
    ] {
        let refused = ask(&server, &format!("PUT {GROUP}/providers/{kind}/x"), version, &body);
        assert_eq!(
            (refused.status.as_u16(), &refused.body["error"]["code"]),
            (400, &json!("InvalidRequestContent")),
            "{kind}"
        );
    }
    let pack = format!("{GROUP}/providers/Radius.Core/recipePacks/default");
    assert_eq!(
        ask(&server, &format!("PUT {pack}"), CORE, &json!({"properties": {"recipes": {}}})).status,
        201
    );
    let packs =
        ask(&server, "GET /planes/radius/local/providers/Radius.Core/recipePacks", CORE, &Value::Null);
    assert_eq!(packs.body["value"][0]["name"], "default");
}

#[test]
fn the_graph_of_an_application_shows_connections_both_ways() {
    let server = with_types();
    for (kind, version) in [("Applications.Core/applications", VERSION), ("Radius.Core/applications", CORE)] {
        let application = format!("{GROUP}/providers/{kind}/app");
        ask(&server, &format!("PUT {application}"), version, &json!({"properties": {"environment": "e"}}));
        let empty = ask(&server, &format!("POST {application}/getGraph"), version, &json!({}));
        assert_eq!(empty.body, json!({"resources": []}));
        let put = |name: &str, connections: Value| {
            let path = format!("{GROUP}/providers/Test.Things/gadgets/{name}");
            let properties =
                json!({"environment": "e", "application": application, "connections": connections});
            ask(&server, &format!("PUT {path}"), CORE, &json!({"properties": properties}));
            path
        };
        let one = put("one", json!({}));
        let two = put("two", json!({"one": {"source": one}}));
        let graph = ask(&server, &format!("POST {application}/getGraph"), version, &json!({}));
        assert_eq!(graph.body["resources"][0]["connections"], json!([{"id": two, "direction": "Inbound"}]));
        assert_eq!(graph.body["resources"][1]["connections"], json!([{"id": one, "direction": "Outbound"}]));
        let missing = ask(&server, &format!("POST {application}x/getGraph"), version, &json!({}));
        assert_eq!(missing.status, 404);
    }
}

#[test]
fn credentials_are_shown_without_secrets() {
    let server = Server::new();
    let azure = "/planes/azure/azurecloud/providers/System.Azure/credentials";
    assert_eq!(get(&server, azure).body, json!({"value": []}));
    let body = json!({"properties": {"kind": "ServicePrincipal", "clientId": "c", "tenantId": "t", "clientSecret": "tell-nobody"}});
    let put = ask(&server, &format!("PUT {azure}/default"), VERSION, &body);
    assert_eq!((put.status.as_u16(), &put.body["properties"]["clientId"]), (201, &json!("c")));
    assert!(!put.body.to_string().contains("tell-nobody"));
    assert_eq!(get(&server, &format!("{azure}/default")).body, put.body);
    assert_eq!(get(&server, azure).body["value"][0], put.body);
    for body in [
        json!({}),
        json!({"properties": {"kind": "Other"}}),
        json!({"properties": {"kind": "WorkloadIdentity"}}),
    ] {
        assert_eq!(ask(&server, &format!("PUT {azure}/default"), VERSION, &body).status, 400, "{body}");
    }
    for status in [200, 204] {
        assert_eq!(ask(&server, &format!("DELETE {azure}/default"), VERSION, &Value::Null).status, status);
    }
    assert_eq!(get(&server, &format!("{azure}/default")).status, 404);
    let aws = "/planes/aws/aws/providers/System.AWS/credentials";
    let body =
        json!({"properties": {"kind": "AccessKey", "accessKeyId": "a", "secretAccessKey": "tell-nobody"}});
    let put = ask(&server, &format!("PUT {aws}/default"), VERSION, &body);
    assert!(put.status.is_success() && !put.body.to_string().contains("tell-nobody"), "{put:?}");
    assert_eq!(get(&server, "/planes/azure/other/providers/System.Azure/credentials").status, 404);
}

fn deployment(resources: &Value, more: &Value) -> Value {
    let template = json!({
        "$schema": "https://schema.management.azure.com/schemas/2019-04-01/deploymentTemplate.json#",
        "languageVersion": "2.0",
        "contentVersion": "1.0.0.0",
        "parameters": {"environment": {"type": "string"}},
        "imports": {"things": {"provider": "radiustestthings", "version": "0.0.1"}},
        "resources": resources,
        "outputs": {"id": {"type": "string", "value": "[reference('gadget').id]"}},
    });
    let scope = json!({"scope": GROUP});
    let mut config = json!({
        "radius": {"type": "Radius", "value": scope},
        "deployments": {"type": "Microsoft.Resources", "value": scope},
    });
    config.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    json!({"properties": {"template": template, "providerconfig": config, "mode": "Incremental",
        "parameters": {"environment": {"value": "e"}}}, "tags": null})
}

#[test]
fn a_template_is_deployed_to_a_group() {
    let server = with_types();
    let path =
        "/planes/radius/local/resourcegroups/default/providers/Microsoft.Resources/deployments/rad-deploy-1";
    let gadget = json!({"gadget": {"import": "things", "type": "Test.Things/gadgets@2025-08-01-preview",
        "properties": {"name": "one", "properties": {"environment": "[parameters('environment')]"}}}});
    let put = ask(&server, &format!("PUT {path}"), "2020-10-01", &deployment(&gadget, &json!({})));
    assert_eq!(put.status, 200, "{put:?}");
    assert_eq!(put.body["properties"]["provisioningState"], "Succeeded");
    let id = format!("{GROUP}/providers/Test.Things/gadgets/one");
    assert_eq!(put.body["properties"]["outputs"]["id"]["value"], id.as_str());
    assert_eq!(put.body["properties"]["outputResources"][0]["id"], id.as_str());
    assert_eq!(get(&server, &id).body["properties"]["environment"], "e");
    let operations = ask(&server, &format!("GET {path}/operations"), "2020-10-01", &Value::Null);
    assert_eq!(operations.body["value"][0]["properties"]["targetResource"]["id"], id.as_str());
    // What is known to fail is not begun, and a failure is a refusal, with everything behind it.
    let mut bad = gadget.clone();
    bad["gadget"]["properties"]["properties"]["unknown"] = json!(1);
    let refused = ask(&server, &format!("PUT {path}2"), "2020-10-01", &deployment(&bad, &json!({})));
    refused.is_refused(400, "InvalidTemplateDeployment");
    assert_eq!(refused.body["error"]["details"][0]["details"][0]["target"], "/properties/unknown");
    let mut bad = gadget.clone();
    bad["widget"] = json!({"import": "things", "type": "Test.Things/widgets@2023-10-01-preview", "dependsOn": ["gadget"],
        "properties": {"name": "two", "properties": {"environment": "e", "size": "[reference('gadget').id]"}}});
    let refused = ask(&server, &format!("PUT {path}3"), "2020-10-01", &deployment(&bad, &json!({})));
    refused.is_refused(400, "DeploymentFailed");
    assert_eq!(refused.body["error"]["details"][0]["details"][0]["target"], "/properties/size");
    let other = path.replace("default", "nothing");
    let missing = ask(&server, &format!("PUT {other}"), "2020-10-01", &deployment(&gadget, &json!({})));
    assert_eq!((missing.status.as_u16(), &missing.body["error"]["code"]), (404, &json!("NotFound")));
}

#[test]
fn resources_of_azure_go_where_the_environment_says() {
    let server = with_types();
    let path = format!("{GROUP}/providers/Microsoft.Resources/deployments/d");
    let resources = json!({
        "gadget": {"import": "things", "type": "Test.Things/gadgets@2025-08-01-preview",
            "properties": {"name": "one", "properties": {"environment": "e"}}},
        "account": {"type": "Microsoft.Storage/storageAccounts", "apiVersion": "2024-01-01", "name": "a", "location": "eastus"},
    });
    let refused = ask(&server, &format!("PUT {path}"), "2020-10-01", &deployment(&resources, &json!({})));
    assert_eq!(refused.status, 400, "{refused:?}");
    let azure = json!({"az": {"type": "AzureResourceManager", "value": {"scope": "/subscriptions/s/resourceGroups/g"}}});
    // The group has to be there, as in Azure.
    server.group("g");
    let put = ask(&server, &format!("PUT {path}"), "2020-10-01", &deployment(&resources, &azure));
    assert_eq!(put.status, 200, "{put:?}");
    let ids = put.body["properties"]["outputResources"].to_string();
    assert!(
        ids.contains("/subscriptions/s/resourceGroups/g/providers/Microsoft.Storage/storageAccounts/a"),
        "{ids}"
    );
    for scope in [json!(1), json!("x"), json!("/planes/radius/local/resourceGroups/x")] {
        let azure = json!({"az": {"value": {"scope": scope}}});
        let refused = ask(&server, &format!("PUT {path}"), "2020-10-01", &deployment(&resources, &azure));
        assert_eq!(refused.body["error"]["code"], "InvalidRequestContent", "{scope}");
    }
    let other = json!({"radius": {"value": {"scope": "/planes/radius/local/resourceGroups/x"}}});
    let refused = ask(&server, &format!("PUT {path}"), "2020-10-01", &deployment(&resources, &other));
    assert_eq!(refused.body["error"]["code"], "InvalidRequestContent");
}
