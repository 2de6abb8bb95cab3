//! Who may do what, in local mode and with tokens.

use std::sync::Arc;

use engine::Clock;
use engine::provider::{QuotaLimits, Quotas};

use crate::support::{Server, TokenServer};

const DEPLOYMENTS: &str = "providers/Microsoft.Resources/deployments";
const EMPTY: &str = r#"{"location": "north", "properties": {"mode": "Incremental", "template": {
    "$schema": "https://schema.management.azure.com/schemas/2019-04-01/deploymentTemplate.json#",
    "contentVersion": "1.0.0.0", "resources": []}}}"#;

#[test]
fn a_web_page_cannot_use_the_local_mode() {
    let server = Server::new();
    let ask = |headers: &[(&str, &str)]| server.ask_with("GET /healthz", "", headers).status.as_u16();
    assert_eq!(ask(&[]), 200);
    // A name of the page that leads to this machine.
    assert_eq!(ask(&[("host", "evil.example:8443")]), 421);
    assert_eq!(ask(&[("host", "127.0.0.1.evil.example")]), 421);
    assert_eq!(ask(&[("origin", "https://evil.example")]), 403);
    assert_eq!(ask(&[("origin", "null")]), 403);
    assert_eq!(ask(&[("origin", "http://localhost:3000")]), 403);
    assert_eq!(ask(&[("sec-fetch-site", "cross-site")]), 403);
    assert_eq!(ask(&[("sec-fetch-site", "same-site")]), 403);
    assert_eq!(ask(&[("sec-fetch-site", "none")]), 200);
    assert_eq!(ask(&[("origin", "https://127.0.0.1:8443"), ("sec-fetch-site", "same-origin")]), 200);
}

#[test]
fn without_a_token_nothing_is_told() {
    let server = TokenServer::new();
    for path in [
        "GET /subscriptions/s/providers/Microsoft.Resources/deployments/d?api-version=1",
        "GET /nothing",
        "PATCH /healthz",
    ] {
        let refused = server.ask(path, "", "");
        assert_eq!(
            (refused.status.as_u16(), &refused.body["error"]["code"]),
            (401, &"AuthenticationFailed".into())
        );
        let challenge = refused.headers["www-authenticate"].to_str().unwrap();
        assert!(challenge.starts_with("Bearer "), "{challenge}");
    }
    assert_eq!(server.ask("GET /healthz", "", "").status, 200);
    for wrong in ["tendon_0123456789abcdef_x", "x", "eyJhbGciOiJub25lIn0.e30."] {
        assert_eq!(server.ask("GET /nothing", "", wrong).status, 401, "{wrong}");
    }
}

#[test]
fn roles_and_scopes_bound_what_a_token_does() {
    let server = TokenServer::new();
    let reader = server.token("reader", "/subscriptions/s");
    let deployer = server.token("deployer", "/subscriptions/S");
    let path =
        |subscription: &str| format!("/subscriptions/{subscription}/{DEPLOYMENTS}/d?api-version=2025-04-01");
    let put = |subscription: &str, token: &str| {
        server.ask(&format!("PUT {}", path(subscription)), EMPTY, token).status.as_u16()
    };
    assert_eq!(put("s", &reader), 403);
    assert_eq!(put("s", &deployer), 200);
    assert_eq!(put("other", &deployer), 403);
    assert_eq!(put("ss", &deployer), 403);
    let get = |subscription: &str, token: &str| {
        server.ask(&format!("GET {}", path(subscription)), "", token).status.as_u16()
    };
    assert_eq!(get("S", &reader), 200);
    assert_eq!(get("other", &reader), 403);
    let tenant = server.ask(&format!("GET /{DEPLOYMENTS}/d?api-version=1"), "", &reader);
    assert_eq!((tenant.status.as_u16(), &tenant.body["error"]["code"]), (403, &"AuthorizationFailed".into()));
}

#[test]
fn lists_show_what_their_reader_may_see() {
    let server = TokenServer::new();
    let owner = server.token("owner", "/");
    for group in ["s/resourceGroups/g", "s/resourceGroups/h", "other/resourceGroups/g"] {
        let put = server.ask(
            &format!("PUT /subscriptions/{group}?api-version=1"),
            r#"{"location": "north"}"#,
            &owner,
        );
        assert_eq!(put.status, 201, "{put:?}");
    }
    let reader = server.token("reader", "/subscriptions/s/resourceGroups/G");
    let names = |path: &str, token: &str| {
        let list = server.ask(&format!("GET {path}?api-version=1"), "", token);
        assert_eq!(list.status, 200, "{list:?}");
        let items = list.body["value"].as_array().unwrap();
        items.iter().map(|item| item["id"].as_str().unwrap().to_ascii_lowercase()).collect::<Vec<_>>()
    };
    assert_eq!(names("/subscriptions/s/resourcegroups", &owner).len(), 2);
    assert_eq!(names("/subscriptions/s/resourcegroups", &reader), ["/subscriptions/s/resourcegroups/g"]);
    assert_eq!(names("/subscriptions/other/resourcegroups", &reader), [""; 0]);
    assert!(!names("/subscriptions", &reader).contains(&"/subscriptions/other".to_owned()));
    let get = |path: &str| server.ask(&format!("GET {path}?api-version=1"), "", &reader).status.as_u16();
    assert_eq!(get("/subscriptions/s"), 200);
    assert_eq!(get("/subscriptions/other"), 403);
    assert_eq!(get("/subscriptions/s/resourceGroups/h"), 403);
    assert_eq!(get("/subscriptions/s/providers"), 200);
}

/// `tendon state` shows what its caller may read, and finds nothing else by a name or an id.
#[test]
fn what_is_kept_is_shown_to_those_who_may_read_it() {
    let server = TokenServer::new();
    let owner = server.token("owner", "/");
    let body = EMPTY.replace(r#""location": "north", "#, "");
    for whose in ["mine", "theirs"] {
        let group = format!("/subscriptions/s/resourceGroups/{whose}");
        let put = server.ask(&format!("PUT {group}?api-version=1"), r#"{"location": "north"}"#, &owner);
        assert_eq!(put.status, 201, "{put:?}");
        for name in ["same".to_owned(), format!("of-{whose}")] {
            let path = format!("PUT {group}/{DEPLOYMENTS}/{name}?api-version=2025-04-01");
            let put = server.ask(&path, &body, &owner);
            assert!(put.status.is_success(), "{put:?}");
        }
    }
    let reader = server.token("reader", "/subscriptions/s/resourceGroups/mine");
    let ids = |path: &str, token: &str| {
        let list = server.ask(&format!("GET /tendon/state/{path}"), "", token);
        assert_eq!(list.status, 200, "{list:?}");
        let items = list.body["value"].as_array().unwrap();
        let mut ids: Vec<_> = items.iter().map(|item| item["id"].as_str().unwrap().to_owned()).collect();
        ids.sort();
        ids
    };
    assert_eq!(ids("deployments", &owner).len(), 4);
    assert_eq!(ids("resources?below=/subscriptions/S/resourcegroups", &owner).len(), 2);
    let mine = "/subscriptions/s/resourceGroups/mine";
    assert_eq!(ids("resources", &reader), [mine]);
    let deployments = ["of-mine", "same"].map(|name| format!("{mine}/{DEPLOYMENTS}/{name}"));
    assert_eq!(ids("deployments", &reader), deployments);
    assert_eq!(ids("deployments?below=/subscriptions/s/resourceGroups/min", &reader), [""; 0]);
    let item = |id: &str, token: &str| {
        let found = server.ask(&format!("GET /tendon/state/item?id={id}"), "", token);
        (found.status.as_u16(), found.body)
    };
    // A name that somebody else has, too, is not ambiguous for those who do not see it.
    let (status, body) = item("SAME", &reader);
    assert_eq!((status, &body["isDeployment"]), (200, &true.into()));
    assert_eq!(body["body"]["id"], deployments[1].as_str());
    assert_eq!(item("same", &owner).1["error"]["code"], "AmbiguousName");
    for unseen in ["of-theirs", "/subscriptions/s/resourceGroups/theirs"] {
        assert_eq!(item(unseen, &reader).0, 404, "{unseen}");
    }
    assert_eq!(server.ask("GET /tendon/state/resources", "", "").status, 401);
    assert_eq!(server.ask("GET /tendon/state/resources?skip=x", "", &reader).status, 400);
}

/// A template is as bounded as the token that sends it: resources, nested deployments, and what expressions read.
#[test]
fn a_deployment_does_not_leave_the_scope_of_its_token() {
    let server = TokenServer::new();
    let owner = server.token("owner", "/");
    for group in ["mine", "theirs"] {
        let path = format!("PUT /subscriptions/s/resourceGroups/{group}?api-version=1");
        assert_eq!(server.ask(&path, r#"{"location": "north"}"#, &owner).status, 201);
    }
    let account = |group: &str, name: &str| {
        format!("/subscriptions/s/resourceGroups/{group}/providers/Microsoft.Storage/storageAccounts/{name}")
    };
    let put = format!("PUT {}?api-version=2023-01-01", account("theirs", "secrets"));
    let body =
        r#"{"location": "north", "sku": {"name": "Standard_LRS"}, "kind": "StorageV2", "properties": {}}"#;
    let put = server.ask(&put, body, &owner);
    assert!(put.status.is_success(), "{put:?}");
    let deployer = server.token("deployer", "/subscriptions/s/resourceGroups/mine");
    let template = |rest: &str| {
        format!(
            r##"{{"$schema": "https://schema.management.azure.com/schemas/2019-04-01/deploymentTemplate.json#",
            "contentVersion": "1.0.0.0", {rest}}}"##
        )
    };
    let deploy = |rest: &str, token: &str| {
        let body = format!(r#"{{"properties": {{"mode": "Incremental", "template": {}}}}}"#, template(rest));
        let path = format!("/subscriptions/s/resourceGroups/mine/{DEPLOYMENTS}/d?api-version=2025-04-01");
        server.ask(&format!("PUT {path}"), &body, token);
        server.ask(&format!("GET {path}"), "", token).body["properties"].clone()
    };
    let nested = format!(
        r#""resources": [{{"type": "Microsoft.Resources/deployments", "apiVersion": "2025-04-01", "name": "inner",
        "resourceGroup": "theirs", "properties": {{"mode": "Incremental", "template": {}}}}}]"#,
        template(r#""resources": []"#)
    );
    let keys = format!(
        r#""resources": [], "outputs": {{"o": {{"type": "object", "value": "[listKeys('{}', '2023-01-01')]"}}}}"#,
        account("theirs", "secrets")
    );
    let reads = format!(
        r#""resources": [], "outputs": {{"o": {{"type": "object", "value": "[reference('{}', '2023-01-01')]"}}}}"#,
        account("theirs", "secrets")
    );
    for rest in [&nested, &keys, &reads] {
        let record = deploy(rest, &deployer);
        assert_eq!(record["provisioningState"], "Failed", "{rest}: {record}");
        assert!(record["error"].to_string().contains("AuthorizationFailed"), "{record}");
        assert_eq!(record["outputs"]["o"], serde_json::Value::Null);
        assert_eq!(deploy(rest, &owner)["provisioningState"], "Succeeded", "{rest}");
    }
    assert_eq!(deploy(r#""resources": []"#, &deployer)["provisioningState"], "Succeeded");
}

#[test]
fn a_token_that_is_revoked_or_expired_is_refused_at_once() {
    let server = TokenServer::new();
    let token = server.token("owner", "/");
    assert_eq!(server.ask("GET /nothing", "", &token).status, 404);
    server.revoke_all();
    assert_eq!(server.ask("GET /nothing", "", &token).status, 401);
}

#[test]
fn clients_log_in_with_a_token_as_their_secret() {
    let server = TokenServer::new();
    let token = server.token("reader", "/");
    let form = |secret: &str| {
        format!("client_id=c&grant_type=client_credentials&client_secret={secret}&scope=x%2F.default")
    };
    let given = server.ask("POST /t/oauth2/v2.0/token", &form(&token), "");
    assert_eq!((given.status.as_u16(), given.body["access_token"].as_str()), (200, Some(token.as_str())));
    let refused = server.ask("POST /t/oauth2/v2.0/token", &form("guess"), "");
    assert_eq!((refused.status.as_u16(), &refused.body["error"]), (401, &"invalid_client".into()));
    let managed = server.ask("GET /oauth2/token?resource=r", "", &token);
    assert_eq!(managed.status, 404);
}

#[test]
fn tokens_are_made_listed_ended_and_revoked_over_the_api() {
    let callers = TokenServer::new();
    let owner = callers.token("owner", "/");
    let deployer = callers.token("deployer", "/");
    let partial = callers.token("owner", "/subscriptions/s");
    let wanted = r#"{"name": "ci", "role": "reader", "scope": "/subscriptions/s", "expiresIn": 3600}"#;
    for token in [&deployer, &partial] {
        callers.ask("POST /tendon/tokens", wanted, token).is_refused(403, "AuthorizationFailed");
        callers.ask("GET /tendon/tokens", "", token).is_refused(403, "AuthorizationFailed");
    }
    let made = callers.ask("POST /tendon/tokens", wanted, &owner);
    assert_eq!(made.status, 201, "{made:?}");
    let (token, id) = (made.body["token"].as_str().unwrap(), made.body["id"].as_str().unwrap());
    assert_eq!(callers.ask("GET /subscriptions/s?api-version=1", "", token).status, 200);
    let listed = callers.ask("GET /tendon/tokens", "", &owner).body;
    let found = listed["value"].as_array().unwrap().iter().find(|it| it["id"] == id).unwrap();
    assert_eq!((found["name"].as_str(), found["role"].as_str()), (Some("ci"), Some("reader")));
    assert!(!listed.to_string().contains(token));
    // Its end is now.
    let ended = callers.ask(&format!("PATCH /tendon/tokens/{id}"), r#"{"expiresIn": 0}"#, &owner);
    assert_eq!(ended.status, 200, "{ended:?}");
    assert_eq!(callers.ask("GET /subscriptions/s?api-version=1", "", token).status, 401);
    callers.ask(&format!("PATCH /tendon/tokens/{id}"), r#"{"expiresIn": null}"#, &owner);
    assert_eq!(callers.ask("GET /subscriptions/s?api-version=1", "", token).status, 200);
    assert_eq!(callers.ask(&format!("DELETE /tendon/tokens/{id}"), "", &owner).status, 204);
    assert_eq!(callers.ask("GET /subscriptions/s?api-version=1", "", token).status, 401);
    callers.ask(&format!("DELETE /tendon/tokens/{id}"), "", &owner).is_refused(404, "NotFound");
    for wrong in [
        r#"{"role": "reader", "scope": "/"}"#,
        r#"{"role": "king", "scope": "/", "expiresIn": null}"#,
        r#"{"role": "reader", "scope": "here", "expiresIn": null}"#,
        r#"{"role": "reader", "scope": "/", "expiresIn": -1}"#,
        r#"{"role": "reader", "scope": "/", "expiresIn": null, "expires": 1}"#,
        "[]",
    ] {
        callers.ask("POST /tendon/tokens", wrong, &owner).is_refused(400, "InvalidRequestContent");
    }
}

#[test]
fn an_owner_makes_roles_by_actions_which_count_from_the_next_request_on() {
    let callers = TokenServer::new();
    let owner = callers.token("owner", "/");
    let group = |name: &str| format!("/subscriptions/s/resourceGroups/{name}");
    for name in ["g", "h"] {
        let put =
            callers.ask(&format!("PUT {}?api-version=1", group(name)), r#"{"location": "north"}"#, &owner);
        assert_eq!(put.status, 201, "{put:?}");
    }
    let role = r#"{"description": "d", "actions": ["*/read", "Microsoft.Resources/deployments/*", "A.B/c/*"],
        "notActions": ["A.B/c/delete"]}"#;
    for token in [&callers.token("deployer", "/"), &callers.token("owner", "/subscriptions/s")] {
        callers.ask("PUT /tendon/roles/releaser", role, token).is_refused(403, "AuthorizationFailed");
        callers.ask("GET /tendon/roles", "", token).is_refused(403, "AuthorizationFailed");
        callers.ask("DELETE /tendon/roles/releaser", "", token).is_refused(403, "AuthorizationFailed");
    }
    let wanted =
        format!(r#"{{"name": "ci", "role": "Releaser", "scope": "{}", "expiresIn": null}}"#, group("g"));
    callers.ask("POST /tendon/tokens", &wanted, &owner).is_refused(400, "InvalidRequestContent");
    assert_eq!(callers.ask("PUT /tendon/roles/Releaser", role, &owner).status, 201);
    let made = callers.ask("POST /tendon/tokens", &wanted, &owner);
    let token = made.body["token"].as_str().unwrap();
    assert_eq!(made.body["role"], "releaser");

    let resource =
        |group_name: &str, kind: &str| format!("{}/providers/A.B/{kind}/n?api-version=1", group(group_name));
    let ask = |request: String, body: &str| callers.ask(&request, body, token).status.as_u16();
    let body = r#"{"location": "north", "properties": {}}"#;
    assert_eq!(ask(format!("PUT {}", resource("g", "c")), body), 201);
    assert_eq!(ask(format!("PUT {}", resource("g", "d")), body), 403);
    assert_eq!(ask(format!("PUT {}", resource("h", "c")), body), 403);
    assert_eq!(ask(format!("GET {}", resource("g", "c")), ""), 200);
    assert_eq!(ask(format!("GET {}", resource("h", "c")), ""), 403);
    assert_eq!(ask(format!("DELETE {}", resource("g", "c")), ""), 403);
    assert_eq!(ask(format!("DELETE {}?api-version=1", group("g")), ""), 403);

    // Its deployments write what it may write.
    let deploy = |name: &str, kind: &str| {
        let template = EMPTY.replace(r#""location": "north", "properties""#, r#""properties""#).replace(
            r#""resources": []"#,
            &format!(r#""resources": [{{"type": "A.B/{kind}", "apiVersion": "1", "name": "x", "properties": {{}}}}]"#),
        );
        let path = format!("{}/{DEPLOYMENTS}/{name}?api-version=1", group("g"));
        let put = callers.ask(&format!("PUT {path}"), &template, token);
        assert!(put.status.is_success(), "{put:?}");
        let end = callers.ask(&format!("GET {path}"), "", token).body;
        (end["properties"]["provisioningState"].clone(), end["properties"]["error"].to_string())
    };
    assert_eq!(deploy("may", "c").0, "Succeeded");
    let (state, error) = deploy("may-not", "d");
    assert!(state == "Failed" && error.contains("AuthorizationFailed"), "{state} {error}");

    // A role that is changed or forgotten counts at once.
    assert_eq!(
        callers.ask("PUT /tendon/roles/releaser", r#"{"actions": ["A.B/d/read"]}"#, &owner).status,
        200
    );
    assert_eq!(ask(format!("GET {}", resource("g", "c")), ""), 403);
    let listed = callers.ask("GET /tendon/roles", "", &owner).body;
    let names: Vec<&str> =
        listed["value"].as_array().unwrap().iter().map(|role| role["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["reader", "deployer", "owner", "releaser"]);
    assert_eq!(callers.ask("DELETE /tendon/roles/releaser", "", &owner).status, 200);
    assert_eq!(callers.ask("DELETE /tendon/roles/releaser", "", &owner).status, 204);
    assert_eq!(ask(format!("GET {}", resource("g", "d")), ""), 403);

    callers.ask("PUT /tendon/roles/owner", role, &owner).is_refused(409, "Conflict");
    for wrong in
        [r#"{}"#, r#"{"actions": "*"}"#, r#"{"actions": ["read"]}"#, r#"{"actions": ["*"], "role": 1}"#, "[]"]
    {
        callers.ask("PUT /tendon/roles/r", wrong, &owner).is_refused(400, "InvalidRequestContent");
    }
    callers.ask("PUT /tendon/roles/1r", role, &owner).is_refused(400, "InvalidRequestContent");
}

#[test]
fn a_resource_group_has_only_so_many_deployments_under_way_and_so_many_bytes() {
    let within = |limits: QuotaLimits| {
        let server =
            Server::build(Clock::Virtual, |app, store, _| app.within(Quotas::new(limits, Arc::clone(store))));
        server.group("g");
        server
    };
    let put = |server: &Server, scope: &str, name: &str| {
        let body = match scope.contains("resourceGroups") {
            true => EMPTY.replace(r#""location": "north", "properties""#, r#""properties""#),
            false => EMPTY.to_owned(),
        };
        server.ask(&format!("PUT {scope}/{DEPLOYMENTS}/{name}?api-version=1"), &body)
    };
    let group = "/subscriptions/s/resourceGroups/g";
    let server = within(QuotaLimits { active: Some(0), ..QuotaLimits::default() });
    let refused = put(&server, group, "one");
    refused.is_refused(429, "TooManyRequests");
    assert!(refused.headers.contains_key("retry-after"));
    // Other scopes have no quota.
    assert_eq!(put(&server, "/subscriptions/s", "three").status, 200);
    let server = within(QuotaLimits { bytes: Some(300), ..QuotaLimits::default() });
    assert_eq!(put(&server, group, "one").status, 200);
    put(&server, group, "two").is_refused(409, "QuotaExceeded");
}
