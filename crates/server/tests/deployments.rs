//! Deployments through the API of ARM.

mod support;

use support::Server;

const PATH: &str =
    "/subscriptions/s/resourcegroups/g/providers/Microsoft.Resources/deployments/d?api-version=2025-04-01";

#[test]
fn a_deployment_is_put_and_got() {
    let server = Server::new();
    // As `az` sends it: a key without quotes, comments, line breaks in strings.
    let body = r#"{"properties": {"parameters": {"n": {"value": "x"}}, "mode": "Incremental", template: { // text
        "$schema": "https://schema.management.azure.com/schemas/2019-04-01/deploymentTemplate.json#",
        "contentVersion": "1.0.0.0",
        "parameters": {"n": {"type": "string", "maxLength": 3}},
        "resources": [],
        "outputs": {"o": {"type": "string", "value": "[concat(
            parameters('n'), '!')]"}}
    }}}"#;
    let put = server.ask(&format!("PUT {PATH}"), body);
    assert_eq!(put.status, 200, "{put:?}");
    assert_eq!(put.body["properties"]["outputs"]["o"]["value"], "x!");
    let got = server.ask(&format!("GET {PATH}"), "");
    assert_eq!(got.body, put.body);
    let long = body.replace("\"x\"", "\"long\"");
    let refused = server.ask(&format!("PUT {PATH}"), &long);
    assert_eq!((refused.status.as_u16(), &refused.body["error"]["code"]), (400, &"InvalidTemplate".into()));
    let missing = server.ask(&format!("GET {}", PATH.replace("/d?", "/e?")), "");
    assert_eq!(
        (missing.status.as_u16(), &missing.body["error"]["code"]),
        (404, &"DeploymentNotFound".into())
    );
}
