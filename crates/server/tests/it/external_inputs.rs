//! External inputs in requests: their values are used, and gone.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::support::{Server, VERSION};
use engine::Clock;
use serde_json::{Value, json};
use server::Guard;
use store::SqliteStore;

const DEPLOYMENT: &str = "/subscriptions/s/resourcegroups/g/providers/Microsoft.Resources/deployments/d";

/// What may be nowhere.
const SECRET: &str = "hush-hush-4711";

/// A folder that goes when the test ends.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Folder {
        let path = std::env::temp_dir().join(format!("tendon-server-inputs-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&path).unwrap();
        Folder(path)
    }

    /// The files that hold the secret.
    fn leaks(&self) -> Vec<PathBuf> {
        fn visit(folder: &Path, found: &mut Vec<PathBuf>) {
            for entry in std::fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() {
                    visit(&path, found);
                } else {
                    let bytes = std::fs::read(&path).unwrap();
                    if bytes.windows(SECRET.len()).any(|part| part == SECRET.as_bytes()) {
                        found.push(path);
                    }
                }
            }
        }
        let mut found = Vec::new();
        visit(&self.0, &mut found);
        found
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// A deployment whose secure parameter is made of an input, with other members beside it.
fn body(inputs: Value) -> Value {
    let mut properties = json!({
        "mode": "Incremental",
        "template": {
            "$schema": "https://schema.management.azure.com/schemas/2019-04-01/deploymentTemplate.json#",
            "contentVersion": "1.0.0.0",
            "parameters": {"password": {"type": "securestring"}, "tag": {"type": "string", "defaultValue": "none"}},
            "resources": [{"type": "A.B/c", "apiVersion": "2020-01-01", "name": "x",
                "properties": {"password": "[parameters('password')]", "tag": "[parameters('tag')]"}}],
            "outputs": {"tag": {"type": "string", "value": "[parameters('tag')]"}}
        },
        "parameters": {
            "password": {"expression": "[concat(externalInputs('key'), '!')]"},
            "tag": {"expression": "[format('build-{0}', length(externalInputs('key')))]"}
        }
    });
    for (name, value) in inputs.as_object().unwrap() {
        properties[name] = value.clone();
    }
    json!({"properties": properties})
}

/// As the proposal spells it, and as it was shipped.
fn forms() -> [Value; 2] {
    [
        json!({"externalInputs": {"key": {"type": "acme.vault", "config": {"path": "a"}}}, "externalInputValues": {"key": SECRET}}),
        json!({"externalInputDefinitions": {"key": {"kind": "acme.vault", "config": {"path": "a"}}}, "externalInputs": {"key": {"value": SECRET}}}),
    ]
}

#[test]
fn values_are_used_and_gone() {
    for (number, form) in forms().into_iter().enumerate() {
        let folder = Folder::new(&number.to_string());
        let store = Arc::new(SqliteStore::open(&folder.0).unwrap());
        let server = Server::on(store, Clock::Real, |_, _| Guard::local());
        server.group("g");
        let requests = [
            (format!("POST {DEPLOYMENT}/validate?{VERSION}"), true),
            (format!("POST {DEPLOYMENT}/whatIf?{VERSION}"), true),
            (format!("PUT {DEPLOYMENT}?{VERSION}"), true),
            (format!("GET {DEPLOYMENT}?{VERSION}"), false),
            (format!("GET {DEPLOYMENT}/operations?{VERSION}"), false),
            (format!("POST {DEPLOYMENT}/exportTemplate?{VERSION}"), false),
            (format!("GET /subscriptions/s/resourceGroups/g/providers/A.B/c/x?{VERSION}"), false),
        ];
        for (request, has_body) in requests {
            let sent = if has_body { body(form.clone()).to_string() } else { String::new() };
            let answer = server.ask(&request, &sent);
            assert_eq!(answer.status, 200, "{request} {answer:?}");
            assert!(!answer.body.to_string().contains(SECRET), "{request}");
            if request.starts_with("PUT") {
                let properties = &answer.body["properties"];
                assert_eq!(properties["outputs"]["tag"]["value"], format!("build-{}", SECRET.len()));
                // Definitions come back in the spelling in which they came, and expressions are gone.
                for section in ["externalInputs", "externalInputDefinitions"] {
                    let definitions = form.get(section).filter(|it| it["key"].get("value").is_none());
                    assert_eq!(properties.get(section), definitions, "{section}");
                }
                assert_eq!(properties["parameters"]["password"], json!({"type": "SecureString"}));
            }
        }
        drop(server);
        assert_eq!(folder.leaks(), Vec::<PathBuf>::new());
    }
}

#[test]
fn a_secret_is_not_readable_in_the_state_while_the_deployment_runs() {
    let folder = Folder::new("running");
    let store = Arc::new(SqliteStore::open(&folder.0).unwrap());
    let server = Server::on(store, Clock::Real, |_, _| Guard::local());
    server.group("g");
    let [form, _] = forms();
    let mut body = body(form);
    body["properties"]["template"]["resources"][0]["@options"] =
        json!({"waitUntil": ["[lambda('x', false())]", "PT1H"]});
    let put = server.ask(&format!("PUT {DEPLOYMENT}?{VERSION}"), &body.to_string());
    assert_eq!(put.status, 201, "{put:?}");
    assert_eq!(folder.leaks(), Vec::<PathBuf>::new());
    assert_eq!(server.ask(&format!("POST {DEPLOYMENT}/cancel?{VERSION}"), "").status, 204);
    loop {
        let got = server.ask(&format!("GET {DEPLOYMENT}?{VERSION}"), "");
        if got.body["properties"]["provisioningState"] == "Canceled" {
            break;
        }
    }
}

#[test]
fn what_is_wrong_with_inputs_is_said_without_their_values() {
    let server = Server::new();
    server.group("g");
    let refused = |inputs: Value, code: &str| {
        let answer = server.ask(&format!("PUT {DEPLOYMENT}?{VERSION}"), &body(inputs).to_string());
        answer.is_refused(400, code);
        assert!(!answer.body.to_string().contains(SECRET), "{answer:?}");
    };
    let definitions = json!({"key": {"type": "acme.vault"}});
    refused(json!({"externalInputs": definitions}), "ExternalInputMissing");
    refused(json!({}), "InvalidTemplate");
    refused(json!({"externalInputValues": {"key": SECRET}}), "InvalidTemplate");
    let both = json!({"a": {"type": "x"}, "key": {"value": SECRET}});
    refused(json!({"externalInputs": both}), "InvalidRequestContent");
    let other = json!({"key": SECRET, "other": SECRET});
    refused(json!({"externalInputs": definitions, "externalInputValues": other}), "InvalidRequestContent");
    refused(
        json!({"externalInputs": definitions, "externalInputsValues": {"key": SECRET}}),
        "InvalidRequestContent",
    );
    // A value that does not fit: the parameter is not shown either.
    let number = json!({"externalInputs": definitions, "externalInputValues": {"key": {"a": SECRET}}});
    refused(number, "InvalidTemplate");
}
