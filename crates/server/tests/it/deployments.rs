//! Deployments through the API of ARM.

use crate::support::{Server, VERSION};
use serde_json::json;

const GROUP: &str = "/subscriptions/s/resourcegroups/g";

/// The path of a deployment in the group, and what stands behind its name.
fn path(name: &str, rest: &str) -> String {
    format!("{GROUP}/providers/Microsoft.Resources/deployments/{name}{rest}?{VERSION}")
}

fn server() -> Server {
    let server = Server::new();
    server.group("g");
    server
}

/// A request that deploys these resources.
fn body(resources: &str) -> String {
    format!(
        r#"{{"properties": {{"mode": "Incremental", "template": {{
            "$schema": "https://schema.management.azure.com/schemas/2019-04-01/deploymentTemplate.json#",
            "contentVersion": "1.0.0.0", "resources": [{resources}]}}}}}}"#
    )
}

/// A storage account.
fn account(name: &str) -> String {
    format!(
        r#"{{"type": "Microsoft.Storage/storageAccounts", "apiVersion": "2023-01-01", "name": "{name}", "location": "[resourceGroup().location]"}}"#
    )
}

/// A resource that is waited for as long as nobody cancels.
const ENDLESS: &str = r#"{"type": "A.B/c", "apiVersion": "2023-01-01", "name": "c",
    "@options": {"waitUntil": ["[lambda('x', false())]", "PT1H"]}}"#;

/// As `az` sends it: a key without quotes, comments, line breaks in strings.
const AZ: &str = r#"{"properties": {"parameters": {"n": {"value": "x"}}, "mode": "Incremental", template: { // text
    "$schema": "https://schema.management.azure.com/schemas/2019-04-01/deploymentTemplate.json#",
    "contentVersion": "1.0.0.0",
    "parameters": {"n": {"type": "string", "maxLength": 3}},
    "resources": [],
    "outputs": {"o": {"type": "string", "value": "[concat(
        parameters('n'), '!')]"}}
}}}"#;

#[test]
fn a_deployment_is_put_and_got() {
    let server = server();
    let put = server.ask(&format!("PUT {}", path("d", "")), AZ);
    assert_eq!(put.status, 200, "{put:?}");
    assert_eq!(put.body["properties"]["outputs"]["o"]["value"], "x!");
    let got = server.ask(&format!("GET {}", path("d", "")), "");
    assert_eq!(got.body, put.body);
    let long = AZ.replace("\"x\"", "\"long\"");
    server.ask(&format!("PUT {}", path("d", "")), &long).is_refused(400, "InvalidTemplate");
    server.ask(&format!("GET {}", path("e", "")), "").is_refused(404, "DeploymentNotFound");
    assert_eq!(server.ask(&format!("HEAD {}", path("d", "")), "").status, 204);
    assert_eq!(server.ask(&format!("HEAD {}", path("e", "")), "").status, 404);
}

#[test]
fn a_record_says_all_that_is_known() {
    let server = server();
    let resources = format!(
        r#"{}, {{"type": "A.B/c", "apiVersion": "2023-01-01", "name": "c", "dependsOn": ["one"]}}"#,
        account("one")
    );
    let put = server.ask(&format!("PUT {}", path("d", "")), &body(&resources));
    let properties = &put.body["properties"];
    let id = "/subscriptions/s/resourceGroups/g/providers/Microsoft.Storage/storageAccounts/one";
    assert_eq!(
        put.body["id"],
        "/subscriptions/s/resourceGroups/g/providers/Microsoft.Resources/deployments/d"
    );
    assert_eq!(put.headers["x-ms-correlation-request-id"], properties["correlationId"].as_str().unwrap());
    assert_eq!(properties["correlationId"].as_str().unwrap().len(), 36);
    assert!(properties["templateHash"].as_str().unwrap().parse::<u64>().is_ok());
    assert!(properties["timestamp"].as_str().unwrap().ends_with('Z'));
    assert!(properties["duration"].as_str().unwrap().starts_with("PT"));
    assert_eq!(properties["providers"][0]["namespace"], "Microsoft.Storage");
    assert_eq!(properties["providers"][0]["resourceTypes"][0]["resourceType"], "storageAccounts");
    assert_eq!(properties["dependencies"][0]["resourceName"], "c");
    assert_eq!(properties["dependencies"][0]["dependsOn"][0]["id"], id);
    assert_eq!(properties["outputResources"][0]["id"], id);
    // The group says where it is.
    let got = server.ask(&format!("GET {id}?{VERSION}"), "");
    assert_eq!(got.body["location"], "north");
}

#[test]
fn a_group_that_is_not_there_is_not_deployed_to() {
    let server = Server::new();
    for request in ["PUT {}", "GET {}", "DELETE {}"] {
        let request = request.replace("{}", &path("d", ""));
        server.ask(&request, &body("")).is_refused(404, "ResourceGroupNotFound");
    }
    let list = format!("GET {GROUP}/providers/Microsoft.Resources/deployments/?{VERSION}");
    server.ask(&list, "").is_refused(404, "ResourceGroupNotFound");
}

#[test]
fn a_deployment_that_fails_says_why_where_clients_ask_how_far_it_is() {
    let server = server();
    let failing = r#"{"type": "A.B/c", "apiVersion": "2023-01-01", "name": "c",
        "properties": {"x": "[reference(resourceId('A.B/c', 'gone'), '2023-01-01').x]"}}"#;
    let put = server.ask(&format!("PUT {}", path("d", "")), &body(failing));
    assert_eq!((put.status.as_u16(), &put.headers["retry-after"]), (201, &"1".parse().unwrap()));
    let link = put.headers["azure-asyncoperation"].to_str().unwrap();
    let status = server.ask(&format!("GET {}", link.strip_prefix("https://127.0.0.1:8443").unwrap()), "");
    assert_eq!((status.status.as_u16(), &status.body["status"]), (200, &json!("Failed")), "{status:?}");
    let error = &status.body["error"];
    assert_eq!(
        (&error["code"], &error["details"][0]["details"][0]["code"]),
        (&json!("DeploymentFailed"), &json!("ResourceNotFound"))
    );
    // Some clients show the message and nothing else.
    assert!(error["message"].as_str().unwrap().contains("/providers/A.B/c/gone"), "{error}");
    assert!(!status.headers.contains_key("retry-after"), "there is nothing to wait for");
    let (before, _) = link.split_once("/operationStatuses/").unwrap();
    let other = format!("{before}/operationStatuses/00000000-0000-0000-0000-000000000000?{VERSION}");
    let other = server.ask(&format!("GET {}", other.strip_prefix("https://127.0.0.1:8443").unwrap()), "");
    other.is_refused(404, "DeploymentOperationNotFound");
    let operations = server.ask(&format!("GET {GROUP}/deployments/d/operations?{VERSION}"), "");
    let properties = &operations.body["value"][0]["properties"];
    assert_eq!(
        (&properties["provisioningState"], &properties["statusCode"]),
        (&json!("Failed"), &json!("BadRequest"))
    );
    assert_eq!(properties["statusMessage"]["error"]["code"], "InvalidTemplate");
    assert_eq!(operations.body["value"].as_array().unwrap().len(), 1, "outputs were not evaluated");
}

#[test]
fn a_deployment_is_cancelled_while_it_runs() {
    let server = Server::real();
    server.group("g");
    let put = server.ask(&format!("PUT {}", path("d", "")), &body(ENDLESS));
    assert_eq!(
        (put.status.as_u16(), &put.body["properties"]["provisioningState"]),
        (201, &json!("Running")),
        "{put:?}"
    );
    let link = put.headers["azure-asyncoperation"].to_str().unwrap().to_owned();
    let link = link.strip_prefix("https://127.0.0.1:8443").unwrap();
    let status = server.ask(&format!("GET {link}"), "");
    assert_eq!(
        (&status.body["status"], &status.headers["retry-after"]),
        (&json!("Running"), &"1".parse().unwrap())
    );
    server.ask(&format!("PUT {}", path("d", "")), &body("")).is_refused(409, "DeploymentActive");
    server.ask(&format!("DELETE {}", path("d", "")), "").is_refused(409, "DeploymentActive");
    server.ask(&format!("DELETE {GROUP}?{VERSION}"), "").is_refused(409, "DeploymentActive");
    assert_eq!(server.ask(&format!("POST {}", path("d", "/cancel")), "").status, 204);
    let status = loop {
        let status = server.ask(&format!("GET {link}"), "");
        if status.body["status"] != "Running" {
            break status;
        }
    };
    assert_eq!(
        (&status.body["status"], &status.body["error"]["code"]),
        (&json!("Canceled"), &json!("DeploymentCanceled"))
    );
    let again = server.ask(&format!("POST {}", path("d", "/cancel")), "");
    again.is_refused(409, "DeploymentCannotBeCancelled");
    server.ask(&format!("POST {}", path("e", "/cancel")), "").is_refused(404, "DeploymentNotFound");
    let got = server.ask(&format!("GET {}", path("d", "")), "");
    assert_eq!(got.body["properties"]["provisioningState"], "Canceled");
    assert!(got.body.get("cancelRequested").is_none());
    assert_eq!(server.ask(&format!("DELETE {}", path("d", "")), "").status, 204);
    server.ask(&format!("GET {}", path("d", "")), "").is_refused(404, "DeploymentNotFound");
    assert_eq!(server.ask(&format!("DELETE {}", path("d", "")), "").status, 204, "it is gone already");
}

#[test]
fn deployments_are_listed_the_newest_first_in_pages() {
    let server = server();
    for number in 0..5 {
        let put = server.ask(&format!("PUT {}", path(&format!("d{number}"), "")), &body(""));
        assert_eq!(put.status, 200);
        // The order is that of time, in milliseconds.
        std::thread::sleep(std::time::Duration::from_millis(2));
    }
    let failing = account("x").replace("[resourceGroup().location]", "[reference('/gone', '2020-01-01').x]");
    server.ask(&format!("PUT {}", path("bad", "")), &body(&failing));
    let names = |answer: &crate::support::Answer| -> Vec<String> {
        let all = answer.body["value"].as_array().unwrap().iter();
        all.map(|it| it["name"].as_str().unwrap().to_owned()).collect()
    };
    let list = format!("GET {GROUP}/providers/Microsoft.Resources/deployments/?{VERSION}");
    let all = server.ask(&list, "");
    assert_eq!(names(&all).len(), 6);
    assert_eq!(names(&all).first().map(String::as_str), Some("bad"));
    assert!(all.body.get("nextLink").is_none());
    let some = server.ask(&format!("{list}&$top=2"), "");
    assert_eq!((names(&some).len(), some.body.get("nextLink")), (2, None), "no more are wanted");
    let good = server.ask(&format!("{list}&$filter=provisioningState%20eq%20%27succeeded%27"), "");
    assert_eq!(names(&good), ["d4", "d3", "d2", "d1", "d0"]);
    server.ask(&format!("{list}&$filter=size%20gt%203"), "").is_refused(400, "InvalidFilterInQueryString");
    for wrong in ["$top=0", "$top=x", "$skiptoken=x"] {
        server.ask(&format!("{list}&{wrong}"), "").is_refused(400, "InvalidQueryParameterValue");
    }
}

#[test]
fn a_long_list_links_to_its_next_page() {
    let server = server();
    for number in 0..201 {
        server.ask(&format!("PUT {}", path(&format!("d{number}"), "")), &body(""));
    }
    let list = format!("GET {GROUP}/providers/Microsoft.Resources/deployments/?{VERSION}");
    let first = server.ask(&list, "");
    assert_eq!(first.body["value"].as_array().unwrap().len(), 200);
    let link = first.body["nextLink"].as_str().unwrap();
    let rest = link.strip_prefix("https://127.0.0.1:8443").expect("it is absolute");
    let second = server.ask(&format!("GET {rest}"), "");
    assert_eq!(second.body["value"].as_array().unwrap().len(), 1);
    assert!(second.body.get("nextLink").is_none());
    // Which one is last is not decided here: the first two may have begun in the same millisecond.
    let pages = [first, second];
    let names = pages.iter().flat_map(|page| page.body["value"].as_array().unwrap());
    let names: std::collections::BTreeSet<_> = names.map(|it| it["name"].as_str().unwrap()).collect();
    assert_eq!(names.len(), 201, "every deployment is on one page, and on one only");
}

#[test]
fn scopes_other_than_groups_need_a_location_and_keep_it() {
    let server = Server::new();
    let plain = body("");
    for (scope, schema) in [
        ("", "tenantDeploymentTemplate"),
        ("/providers/Microsoft.Management/managementGroups/m", "managementGroupDeploymentTemplate"),
        ("/subscriptions/s", "subscriptionDeploymentTemplate"),
    ] {
        let request = format!("PUT {scope}/providers/Microsoft.Resources/deployments/d?{VERSION}");
        let plain = plain.replace("deploymentTemplate", schema);
        server.ask(&request, &plain).is_refused(400, "LocationRequired");
        let there = plain.replacen('{', r#"{"location": "west", "tags": {"a": "b"}, "#, 1);
        let put = server.ask(&request, &there);
        assert_eq!(put.status, 200, "{put:?}");
        assert_eq!((&put.body["location"], &put.body["tags"]["a"]), (&json!("west"), &json!("b")));
        let other = server.ask(&request, &there.replace("west", "east"));
        other.is_refused(409, "InvalidDeploymentLocation");
        let operations =
            format!("GET {scope}/providers/Microsoft.Resources/deployments/d/operations?{VERSION}");
        let operations = server.ask(&operations, "");
        let last = &operations.body["value"][0];
        assert_eq!(last["properties"]["provisioningOperation"], "EvaluateDeploymentOutput");
        let one = server.ask(&format!("GET {}?{VERSION}", last["id"].as_str().unwrap()), "");
        assert_eq!(&one.body, last);
    }
    let located = body("").replacen('{', r#"{"location": "west", "#, 1);
    server.group("g");
    server.ask(&format!("PUT {}", path("d", "")), &located).is_refused(400, "LocationNotAllowed");
}

#[test]
fn what_stands_around_a_deployment_is_what_it_can_be() {
    let server = Server::new();
    let request = format!("PUT /subscriptions/s/providers/Microsoft.Resources/deployments/d?{VERSION}");
    let plain = body("").replace("deploymentTemplate", "subscriptionDeploymentTemplate");
    let with = |around: &str, inside: &str| {
        let whole = plain.replacen('{', &format!("{{{around} "), 1);
        server.ask(&request, &whole.replacen(r#""mode""#, &format!(r#"{inside}"mode""#), 1))
    };
    for tags in [r#"{"a": "x", "A": "y"}"#, "[1]", r#""x""#, r#"{"a": 5}"#, r#"{"a": null}"#] {
        let put = with(&format!(r#""location": "west", "tags": {tags},"#), "");
        put.is_refused(400, "InvalidRequestContent");
    }
    with(r#""location": 5,"#, "").is_refused(400, "InvalidRequestContent");
    for debug in
        [r#""x""#, "[]", "true", r#"{"detailLevel": 5}"#, r#"{"detailLevel": "all"}"#, r#"{"level": "none"}"#]
    {
        let put = with(r#""location": "west","#, &format!(r#""debugSetting": {debug}, "#));
        put.is_refused(400, "InvalidRequestContent");
    }
    for debug in
        [r#"{"detailLevel": "none"}"#, r#"{"detailLevel": "requestContent, responseContent"}"#, "{}", "null"]
    {
        let put = with(
            r#""location": "west", "tags": {"a": "x", "b": ""},"#,
            &format!(r#""debugSetting": {debug}, "#),
        );
        assert_eq!((put.status.as_u16(), &put.body["tags"]), (200, &json!({"a": "x", "b": ""})), "{put:?}");
    }
}

#[test]
fn operations_have_ids_and_can_be_asked_for() {
    let server = server();
    server.ask(&format!("PUT {}", path("d", "")), &body(&account("one")));
    let operations = server.ask(&format!("GET {}", path("d", "/operations")), "");
    let all = operations.body["value"].as_array().unwrap();
    let about = |at: usize| all[at]["properties"]["provisioningOperation"].as_str().unwrap();
    assert_eq!((all.len(), about(0), about(1)), (2, "Create", "EvaluateDeploymentOutput"));
    let target = &all[0]["properties"]["targetResource"];
    assert_eq!(
        (&target["resourceType"], &target["resourceName"]),
        (&json!("Microsoft.Storage/storageAccounts"), &json!("one"))
    );
    for operation in all {
        let id = operation["operationId"].as_str().unwrap();
        for path in [
            path("d", &format!("/operations/{id}")),
            format!("{GROUP}/deployments/d/operations/{id}?{VERSION}"),
        ] {
            assert_eq!(&server.ask(&format!("GET {path}"), "").body, operation);
        }
    }
    for wrong in ["0", "7", "x"] {
        let path = path("d", &format!("/operations/{wrong}"));
        server.ask(&format!("GET {path}"), "").is_refused(404, "DeploymentOperationNotFound");
    }
    let first = server.ask(&format!("GET {}&$top=1", path("d", "/operations")), "");
    assert_eq!(first.body["value"].as_array().unwrap().len(), 1);
}

#[test]
fn a_template_is_exported_as_it_was_sent() {
    let server = server();
    server.ask(&format!("PUT {}", path("d", "")), AZ);
    let exported = server.ask(&format!("POST {}", path("d", "/exportTemplate")), "");
    assert_eq!(exported.status, 200);
    assert_eq!(exported.body["template"]["parameters"], json!({"n": {"type": "string", "maxLength": 3}}));
    server.ask(&format!("POST {}", path("e", "/exportTemplate")), "").is_refused(404, "DeploymentNotFound");
}

#[test]
fn templates_of_nested_deployments_are_exported_as_they_were_written() {
    let server = server();
    // The hash does not see the case, which is all that the two differ by.
    let nested = |name: &str, text: &str| {
        format!(
            r#"{{"type": "Microsoft.Resources/deployments", "apiVersion": "2022-09-01", "name": "{name}",
                "properties": {{"mode": "Incremental", "template": {{
                    "$schema": "https://schema.management.azure.com/schemas/2019-04-01/deploymentTemplate.json#",
                    "contentVersion": "1.0.0.0", "resources": [], "outputs": {{"o": {{"type": "string", "value": "{text}"}}}}}}}}}}"#
        )
    };
    let resources = [nested("one", "text"), nested("two", "TEXT"), nested("three", "text")].join(",");
    assert_eq!(server.ask(&format!("PUT {}", path("d", "")), &body(&resources)).status, 200);
    for (name, text) in [("one", "text"), ("two", "TEXT"), ("three", "text")] {
        let exported = server.ask(&format!("POST {}", path(name, "/exportTemplate")), "");
        assert_eq!(exported.body["template"]["outputs"]["o"]["value"], text, "{name} {exported:?}");
    }
}

#[test]
fn what_is_not_understood_is_refused() {
    let server = server();
    let put = |body: &str| server.ask(&format!("PUT {}", path("d", "")), body);
    put("{").is_refused(400, "InvalidRequestContent");
    put("[]").is_refused(400, "InvalidRequestContent");
    put("{}").is_refused(400, "InvalidRequestContent");
    put(r#"{"properties": {}}"#).is_refused(400, "InvalidRequestContent");
    put(r#"{"properties": {"template": {}, "paramters": {}}}"#).is_refused(400, "InvalidRequestContent");
    put(&body("").replace("Incremental", "Sometimes")).is_refused(400, "InvalidRequestContent");
    put(r#"{"properties": {"template": {}}}"#).is_refused(400, "InvalidTemplate");
    put(&body("").replacen("\"mode\"", r#""onErrorDeployment": {"type": "LastSuccessful"}, "mode""#, 1))
        .is_refused(400, "NotSupported");
    let with_options = |options: &str| {
        put(&body("").replacen(
            "\"mode\"",
            &format!(r#""expressionEvaluationOptions": {options}, "mode""#),
            1,
        ))
    };
    for options in [r#"{"scope": "innner"}"#, r#"{"scope": 5}"#, r#"{"scpe": "inner"}"#, r#""inner""#] {
        with_options(options).is_refused(400, "InvalidRequestContent");
    }
    for options in [r#"{"scope": "INNER"}"#, r#"{"scope": "notSpecified"}"#, "{}", "null"] {
        assert_eq!(with_options(options).status, 200, "{options}");
    }
    for link in ["file:///etc/passwd", "http://169.254.169.254/metadata", "https://example.com/t.json"] {
        let linked = format!(r#"{{"properties": {{"templateLink": {{"uri": "{link}"}}}}}}"#);
        put(&linked).is_refused(400, "InvalidContentLink");
        let linked =
            body("").replacen("\"mode\"", &format!(r#""parametersLink": {{"uri": "{link}"}}, "mode""#), 1);
        put(&linked).is_refused(400, "InvalidContentLink");
        let nested = format!(
            r#"{{"type": "Microsoft.Resources/deployments", "apiVersion": "2022-09-01", "name": "n",
                "properties": {{"mode": "Incremental", "templateLink": {{"uri": "{link}"}}}}}}"#
        );
        put(&body(&nested)).is_refused(400, "InvalidContentLink");
    }
    let long = "x".repeat(65);
    server
        .ask(&format!("PUT {}", path(&long, "")), &body(""))
        .is_refused(400, "DeploymentNameLengthLimitExceeded");
    server.ask(&format!("PUT {}", path("a%3Ab", "")), &body("")).is_refused(400, "InvalidDeploymentName");
}

#[test]
fn secrets_of_parameters_are_in_no_answer() {
    let server = server();
    let secret = AZ
        .replace("\"string\", \"maxLength\"", "\"securestring\", \"maxLength\"")
        .replace("\"x\"", "\"s3c\"");
    let secret = secret.replace(r#""type": "string", "value""#, r#""type": "securestring", "value""#);
    let put = server.ask(&format!("PUT {}", path("d", "")), &secret);
    assert_eq!(put.status, 200, "{put:?}");
    for rest in ["", "/operations"] {
        let got = server.ask(&format!("GET {}", path("d", rest)), "");
        assert!(!got.body.to_string().contains("s3c"), "{got:?}");
    }
}
