//! The registry of Radius: providers, locations, types and versions, put in parts as `rad` puts them.

use crate::support::{Answer, Server};
use serde_json::{Value, json};

const TYPES: &str = "/planes/radius/local/providers/System.Resources/resourceproviders";
const VERSION: &str = "api-version=2023-10-01-preview";

fn ask(server: &Server, method: &str, path: &str, body: &Value) -> Answer {
    let body = if body.is_null() { String::new() } else { body.to_string() };
    server.ask(&format!("{method} {TYPES}{path}?{VERSION}"), &body)
}

/// Puts a type as `rad resource-type create` does.
fn register(server: &Server, schema: &Value) {
    let put = |path: &str, body: Value| {
        let answer = ask(server, "PUT", path, &body);
        assert!(answer.status.is_success(), "{path}: {answer:?}");
    };
    put("/Radius.Data", json!({"location": "global", "properties": {}}));
    put("/Radius.Data/locations/global", json!({"properties": {"resourceTypes": {}}}));
    put("/Radius.Data/resourcetypes/redisCaches", json!({"properties": {"capabilities": []}}));
    let versions = "/Radius.Data/resourcetypes/redisCaches/apiversions/2025-08-01-preview";
    put(versions, json!({"properties": {"schema": schema}}));
}

#[test]
fn a_type_is_put_in_parts() {
    let server = Server::new();
    assert_eq!(ask(&server, "GET", "/Radius.Data", &Value::Null).status, 404);
    let body = json!({"location": "global", "properties": {}});
    let put = ask(&server, "PUT", "/Radius.Data", &body);
    assert_eq!(put.status, 201);
    assert_eq!(put.body["properties"]["provisioningState"], "Succeeded");
    assert_eq!(put.body["type"], "System.Resources/resourceProviders");
    assert_eq!(ask(&server, "PUT", "/radius.data", &body).status, 200);
    assert_eq!(ask(&server, "GET", "/RADIUS.DATA", &Value::Null).body["name"], "Radius.Data");
    let put =
        ask(&server, "PUT", "/Radius.Data/locations/global", &json!({"properties": {"resourceTypes": {}}}));
    assert_eq!((put.status.as_u16(), &put.body["properties"]["resourceTypes"]), (201, &json!({})));
    let about = json!({"properties": {"capabilities": [], "description": "a cache", "defaultApiVersion": "2025-08-01-preview"}});
    let put = ask(&server, "PUT", "/Radius.Data/resourcetypes/redisCaches", &about);
    assert_eq!((put.status.as_u16(), &put.body["properties"]["description"]), (201, &json!("a cache")));
    let version = "/Radius.Data/resourcetypes/REDIScaches/apiversions/2025-08-01-preview";
    // What `rad` makes of `schema: {}`: no type at the root.
    let schema = json!({"properties": {"environment": {"type": "string"}}, "required": ["environment"]});
    let put = ask(&server, "PUT", version, &json!({"properties": {"schema": schema}}));
    assert_eq!(put.status, 201, "{put:?}");
    assert_eq!(put.body["properties"]["schema"]["type"], "object");
    let location = ask(&server, "GET", "/Radius.Data/locations/global", &Value::Null);
    let listed = json!({"redisCaches": {"apiVersions": {"2025-08-01-preview": {}}}});
    assert_eq!(location.body["properties"]["resourceTypes"], listed);
    // A list of others takes nothing away.
    let put = ask(
        &server,
        "PUT",
        "/Radius.Data/locations/global",
        &json!({"properties": {"resourceTypes": {"x": {}}}}),
    );
    assert_eq!((put.status.as_u16(), &put.body["properties"]["resourceTypes"]), (200, &listed));
    let summary = server.ask(&format!("GET /planes/radius/local/providers/radius.data?{VERSION}"), "");
    assert_eq!(summary.body["name"], "Radius.Data");
    let found = &summary.body["resourceTypes"]["redisCaches"];
    assert_eq!(found["defaultApiVersion"], "2025-08-01-preview");
    for (name, property) in
        found["apiVersions"]["2025-08-01-preview"]["schema"]["properties"].as_object().unwrap()
    {
        assert!(property["type"].is_string(), "{name}");
    }
    // The type keeps its versions, and its name.
    let put = ask(
        &server,
        "PUT",
        "/Radius.Data/resourcetypes/REDISCACHES",
        &json!({"properties": {"description": "b"}}),
    );
    assert_eq!((put.status.as_u16(), &put.body["name"]), (200, &json!("redisCaches")));
    assert_eq!(ask(&server, "GET", version, &Value::Null).status, 200);
    let list = ask(&server, "GET", "/Radius.Data/resourcetypes/redisCaches/apiversions", &Value::Null);
    assert_eq!(list.body["value"].as_array().unwrap().len(), 1);
}

#[test]
fn what_is_deleted_takes_its_parts_along() {
    let server = Server::new();
    register(&server, &json!({}));
    let version = "/Radius.Data/resourcetypes/redisCaches/apiversions/2025-08-01-preview";
    assert_eq!(ask(&server, "DELETE", version, &Value::Null).status, 200);
    assert_eq!(ask(&server, "DELETE", version, &Value::Null).status, 204);
    assert_eq!(ask(&server, "GET", version, &Value::Null).status, 404);
    assert_eq!(ask(&server, "GET", "/Radius.Data/resourcetypes/redisCaches", &Value::Null).status, 200);
    register(&server, &json!({}));
    assert_eq!(ask(&server, "DELETE", "/Radius.Data/resourcetypes/redisCaches", &Value::Null).status, 200);
    assert_eq!(ask(&server, "DELETE", "/Radius.Data/resourcetypes/redisCaches", &Value::Null).status, 204);
    let location = ask(&server, "GET", "/Radius.Data/locations/global", &Value::Null);
    assert_eq!(location.body["properties"]["resourceTypes"], json!({}));
    assert_eq!(ask(&server, "DELETE", "/Radius.Data/locations/global", &Value::Null).status, 200);
    assert_eq!(ask(&server, "DELETE", "/Radius.Data/locations/global", &Value::Null).status, 204);
    register(&server, &json!({}));
    assert_eq!(ask(&server, "DELETE", "/Radius.Data", &Value::Null).status, 200);
    assert_eq!(ask(&server, "DELETE", "/Radius.Data", &Value::Null).status, 204);
    assert_eq!(ask(&server, "GET", "/Radius.Data/resourcetypes/redisCaches", &Value::Null).status, 404);
    assert_eq!(ask(&server, "DELETE", "/Radius.Data/locations/global", &Value::Null).status, 204);
}

#[test]
fn refusals_name_all_problems_and_keep_nothing() {
    let server = Server::new();
    register(&server, &json!({}));
    let version = "/Radius.Data/resourcetypes/redisCaches/apiversions/2026-01-01";
    let schema = json!({"type": "object", "properties": {"a": {"allOf": []}, "b": {"type": "array"}}});
    let put = ask(&server, "PUT", version, &json!({"properties": {"schema": schema}}));
    assert_eq!((put.status.as_u16(), &put.body["error"]["code"]), (400, &json!("InvalidRequestContent")));
    assert!(put.body["error"]["details"].as_array().unwrap().len() >= 2, "{put:?}");
    assert_eq!(ask(&server, "GET", version, &Value::Null).status, 404);
    for (path, body, status) in [
        ("/bad", json!({}), 400),
        ("/Radius.Data", json!([]), 400),
        ("/Radius.Data", json!({"properties": 1}), 400),
        ("/No.Such/resourcetypes/x", json!({}), 404),
        ("/Radius.Data/resourcetypes/Bad-Name", json!({}), 400),
        ("/Radius.Data/resourcetypes/redisCaches", json!({"properties": {"capabilities": ["Unknown"]}}), 400),
        ("/Radius.Data/resourcetypes/redisCaches", json!({"properties": {"colour": 1}}), 400),
        ("/Radius.Data/resourcetypes/redisCaches", json!({"properties": {"icon": "<script/>"}}), 400),
        (
            "/Radius.Data/resourcetypes/nothing/apiversions/2025-01-01",
            json!({"properties": {"schema": {}}}),
            404,
        ),
        (
            "/Radius.Data/resourcetypes/redisCaches/apiversions/2025",
            json!({"properties": {"schema": {}}}),
            400,
        ),
        ("/Radius.Data/resourcetypes/redisCaches/apiversions/2025-01-01", json!({"properties": {}}), 400),
        ("/Radius.Data/locations/not-one", json!({}), 400),
        ("/Radius.Data/locations/global", json!({"properties": {"address": 1}}), 400),
        ("/No.Such/locations/global", json!({}), 404),
    ] {
        let put = ask(&server, "PUT", path, &body);
        assert_eq!(put.status.as_u16(), status, "{path} {body}: {put:?}");
        assert!(put.body["error"]["message"].is_string(), "{put:?}");
    }
    let missing = server.ask(&format!("GET {TYPES}/Radius.Data"), "");
    assert_eq!(missing.body["error"]["code"], "MissingApiVersionParameter");
    let other = server.ask(&format!("GET {TYPES}/Radius.Data?api-version=2024-01-01"), "");
    assert_eq!(other.body["error"]["code"], "InvalidApiVersionParameter");
    let plane = server.ask(&format!("GET /planes/radius/other/providers?{VERSION}"), "");
    assert_eq!((plane.status.as_u16(), &plane.body["error"]["code"]), (404, &json!("NotFound")));
}

#[test]
fn a_type_with_resources_stays_unless_it_is_forced() {
    let server = Server::new();
    register(&server, &json!({}));
    let id = "/planes/radius/local/resourceGroups/default/providers/Radius.Data/redisCaches/a";
    let put = server.ask(&format!("PUT {id}?{VERSION}"), r#"{"properties": {"environment": "e"}}"#);
    assert_eq!(put.status, 201, "{put:?}");
    let version = "/Radius.Data/resourcetypes/redisCaches/apiversions/2025-08-01-preview";
    let schema = |required: &[&str]| {
        let properties = json!({"a": {"type": "string"}});
        json!({"properties": {"schema": {"type": "object", "properties": properties, "required": required}}})
    };
    // What no resource breaks is changed.
    assert_eq!(ask(&server, "PUT", version, &schema(&["environment"])).status, 200);
    let changed = schema(&["a"]);
    for (method, path, body) in [
        ("PUT", version, &changed),
        ("DELETE", version, &Value::Null),
        ("DELETE", "/Radius.Data/resourcetypes/redisCaches", &Value::Null),
        ("DELETE", "/Radius.Data", &Value::Null),
    ] {
        let answer = ask(&server, method, path, body);
        assert_eq!(
            (answer.status.as_u16(), &answer.body["error"]["code"]),
            (409, &json!("Conflict")),
            "{path}"
        );
        assert_eq!(answer.body["error"]["details"][0]["target"], id);
    }
    let refused = ask(&server, "PUT", version, &changed);
    let why = refused.body["error"]["details"][0]["message"].as_str().unwrap();
    assert!(why.ends_with("$.properties: must have the property `a`"), "{refused:?}");
    let put = server.ask(&format!("PUT {TYPES}{version}?{VERSION}&force=true"), &changed.to_string());
    assert_eq!((put.status.as_u16(), &put.body["leftBroken"][0]["id"]), (200, &json!(id)), "{put:?}");
    let forced =
        server.ask(&format!("DELETE {TYPES}/Radius.Data/resourcetypes/redisCaches?{VERSION}&force=true"), "");
    assert_eq!(forced.status, 200);
}

#[test]
fn icons_are_kept_beside_their_type() {
    let server = Server::new();
    register(&server, &json!({}));
    let path = "/Radius.Data/resourcetypes/redisCaches";
    let put = ask(&server, "PUT", path, &json!({"properties": {"icon": "<svg/>"}}));
    let hash = put.body["properties"]["iconHash"].as_str().unwrap().to_owned();
    assert_eq!(hash.len(), 64);
    // A client that sends none leaves it.
    let put = ask(&server, "PUT", path, &json!({"properties": {"capabilities": []}}));
    assert_eq!(put.body["properties"]["iconHash"], hash.as_str());
    let summary = server.ask(&format!("GET /planes/radius/local/providers?{VERSION}&includeIcons=true"), "");
    assert_eq!(summary.body["value"][0]["resourceTypes"]["redisCaches"]["icon"], "<svg/>");
    assert_eq!(ask(&server, "GET", &format!("{path}/icons/x"), &Value::Null).status, 404);
    ask(&server, "DELETE", path, &Value::Null);
    register(&server, &json!({}));
    assert_eq!(ask(&server, "GET", path, &Value::Null).body["properties"]["iconHash"], Value::Null);
}

#[test]
fn lists_are_paged() {
    let server = Server::new();
    for name in ["Aa.One", "Bb.Two", "Cc.Three"] {
        ask(&server, "PUT", &format!("/{name}"), &json!({"location": "global"}));
    }
    for base in ["", "/apis/api.ucp.dev/v1alpha3"] {
        let mut path = format!("{base}/planes/radius/local/providers?{VERSION}&top=2");
        let mut names = Vec::new();
        for _ in 0..2 {
            let page = server.ask(&format!("GET {path}"), "");
            let items = page.body["value"].as_array().unwrap();
            names.extend(items.iter().map(|it| it["name"].as_str().unwrap().to_owned()));
            let Some(next) = page.body["nextLink"].as_str() else { break };
            path = next.strip_prefix("https://127.0.0.1:8443").unwrap().to_owned();
            assert!(path.starts_with(&format!("{base}/planes/radius/local/providers?{VERSION}&")), "{path}");
        }
        assert_eq!(names, ["Aa.One", "Bb.Two", "Cc.Three"]);
    }
    for query in ["top=0", "top=x", "skiptoken=-1"] {
        let refused = server.ask(&format!("GET /planes/radius/local/providers?{VERSION}&{query}"), "");
        assert_eq!(refused.status, 400, "{query}");
    }
}
