//! Entries of requests: what is no entry is refused with its path, and nothing is kept.

use serde_json::{Value, json};

use crate::support::{Server, VERSION};

const DEPLOYMENT: &str = "/subscriptions/s/resourcegroups/g/providers/Microsoft.Resources/deployments/d";

fn body(members: &Value) -> String {
    let mut properties = json!({
        "mode": "Incremental",
        "template": {
            "$schema": "https://schema.management.azure.com/schemas/2019-04-01/deploymentTemplate.json#",
            "languageVersion": "2.2-experimental",
            "contentVersion": "1.0.0.0",
            "parameters": {"q": {"type": "string", "defaultValue": "default"}},
            "extensions": {"k8s": {"name": "Kubernetes", "version": "1.0.0"}},
            "resources": {"x": {"type": "A.B/c", "apiVersion": "2020-01-01", "name": "x", "properties": {"q": "[parameters('q')]"}}}
        }
    });
    for (name, value) in members.as_object().unwrap() {
        properties[name] = value.clone();
    }
    json!({"properties": properties}).to_string()
}

#[test]
fn what_is_no_entry_is_refused_and_nothing_is_kept() {
    let server = Server::new();
    server.group("g");
    let requests = [
        format!("POST {DEPLOYMENT}/validate?{VERSION}"),
        format!("POST {DEPLOYMENT}/whatIf?{VERSION}"),
        format!("PUT {DEPLOYMENT}?{VERSION}"),
    ];
    for (members, target) in [
        (json!({"parameters": {"q": {"vlaue": "mine"}}}), "q.vlaue"),
        (json!({"parameters": {"q": {"value": "mine", "foo": 1}}}), "q.foo"),
        (json!({"parameters": {"q": {"value": "mine", "VALUE": "toolong"}}}), "q."),
        (json!({"parameters": {"q": {}}}), "q"),
        (json!({"parameters": {"q": "mine"}}), "q"),
        (json!({"parameters": {"q": {"value": 5}}}), "q"),
        (json!({"extensionConfigs": {"k8s": {"namespace": {"value": 5}}}}), "extensionConfigs.k8s.namespace"),
        (
            json!({"extensionConfigs": {"k8s": {"namespace": {"value": null}}}}),
            "extensionConfigs.k8s.namespace",
        ),
        (
            json!({"extensionConfigs": {"k8s": {"namespaces": {"value": "a"}}}}),
            "extensionConfigs.k8s.namespaces",
        ),
        (
            json!({"extensionConfigs": {"k8s": {"NAMESPACE": {"value": "a"}, "namespace": {"value": "b"}}}}),
            "extensionConfigs.k8s.namespace",
        ),
        (
            json!({"extensionConfigs": {"k8s": {"kubeConfig": {"value": "hunter2", "foo": 1}}}}),
            "extensionConfigs.k8s.kubeConfig.foo",
        ),
        (
            json!({"extensionConfigs": {"k8s": {"kubeConfig": {"value": ["hunter2"]}}}}),
            "extensionConfigs.k8s.kubeConfig",
        ),
    ] {
        for request in &requests {
            let answer = server.ask(request, &body(&members));
            let text = answer.body.to_string();
            // A prediction answers that it is not so; a request that cannot be read is refused.
            let is_refused = answer.status == 400 || text.contains("\"error\"");
            assert!(is_refused && text.contains(target), "{request} {members}: {answer:?}");
            assert!(!text.contains("hunter2"), "{request}: {text}");
        }
        assert_eq!(server.ask(&format!("GET {DEPLOYMENT}?{VERSION}"), "").status, 404, "{members}");
        let resource = format!("GET /subscriptions/s/resourceGroups/g/providers/A.B/c/x?{VERSION}");
        assert_eq!(server.ask(&resource, "").status, 404, "{members}");
    }
    for members in [
        json!({"parameters": {"q": {"value": "mine", "metadata": {}}}, "extensionConfigs": {"k8s": {"namespace": {"value": "shop"}}}}),
        json!({"parameters": {"q": {"type": "String", "value": "mine"}}}),
        json!({"parameters": {"q": {"expression": "[toLower('MINE')]"}}}),
    ] {
        for request in &requests {
            let answer = server.ask(request, &body(&members));
            assert_eq!(answer.status, 200, "{request} {members}: {answer:?}");
        }
        let answer =
            server.ask(&format!("GET /subscriptions/s/resourceGroups/g/providers/A.B/c/x?{VERSION}"), "");
        assert_eq!(answer.body["properties"]["q"], "mine", "{members}");
    }
}
