//! The requests that the server knows, as OpenAPI 3.1 describes them.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use crate::route_doc::{RouteDoc, Surface, by_surface};

/// The description of all requests. A path that begins with `{scope}` is written for each kind of scope.
pub(crate) fn description(requests: &[RouteDoc]) -> Value {
    let mut paths: BTreeMap<String, Map<String, Value>> = BTreeMap::new();
    for request in by_surface(requests.to_vec()) {
        let tag = match request.surface {
            Surface::Own => "tendon",
            Surface::Identity => "identity",
            Surface::Arm => "arm",
            Surface::Radius => "radius",
            // Pages are for people, and no API.
            Surface::Ui => continue,
        };
        let Some(method) = known(request.method) else { continue };
        for path in written(request.path) {
            let names: Vec<&str> =
                path.split('{').skip(1).filter_map(|part| part.split('}').next()).collect();
            let parameters: Vec<Value> = names
                .iter()
                .map(|name| json!({"name": name, "in": "path", "required": true, "schema": {"type": "string"}}))
                .collect();
            let operation = json!({
                "summary": request.about,
                "description": format!("For: {}.", request.who),
                "tags": [tag],
                "parameters": parameters,
                "responses": {
                    "2XX": {"description": "What was asked for."},
                    "default": {
                        "description": "Why not.",
                        "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Error"}}},
                    },
                },
                "security": if request.who == "anybody" { json!([]) } else { json!([{"bearer": []}]) },
            });
            paths.entry(path).or_default().entry(method.to_owned()).or_insert(operation);
        }
    }
    json!({
        "openapi": "3.1.0",
        "info": {
            "title": "Tendon",
            "version": env!("CARGO_PKG_VERSION"),
            "description": "Tendon's own requests, and those of ARM and Radius that it answers. Paths do not depend on case.",
        },
        "paths": paths,
        "components": {
            "securitySchemes": {"bearer": {"type": "http", "scheme": "bearer"}},
            "schemas": {
                "Error": {
                    "type": "object",
                    "required": ["error"],
                    "properties": {"error": {
                        "type": "object",
                        "required": ["code", "message"],
                        "properties": {
                            "code": {"type": "string"},
                            "message": {"type": "string"},
                            "target": {"type": "string"},
                            "details": {"type": "array", "items": {"type": "object"}},
                        },
                    }},
                },
            },
        },
    })
}

/// The methods that OpenAPI has.
fn known(method: &str) -> Option<&'static str> {
    let methods = ["get", "put", "post", "delete", "options", "head", "patch", "trace"];
    methods.into_iter().find(|known| known.eq_ignore_ascii_case(method))
}

/// What `{scope}` stands for, one row for each kind.
const SCOPES: [&str; 4] = [
    "",
    "/providers/Microsoft.Management/managementGroups/{managementGroup}",
    "/subscriptions/{subscription}",
    "/subscriptions/{subscription}/resourceGroups/{resourceGroup}",
];

/// A pattern as the paths of OpenAPI.
fn written(pattern: &str) -> Vec<String> {
    let plain = pattern.replace("*}", "}");
    match plain.strip_prefix("{scope}") {
        Some(rest) => SCOPES.iter().map(|scope| format!("{scope}{rest}")).collect(),
        None => vec![plain],
    }
}
