//! What requests carry, and when they are given up: tokens, secrets, cancellation, bounds.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use crate::support::{Say, Scripted, run, setup};
use arm::Value;
use arm::evaluate::Scope;
use endpoint::{BearerToken, Endpoint, Fixed, Refreshed};
use engine::core::{Act, ProviderReply, PutRequest, StepPolicy};
use engine::provider::Provider as _;

const GROUP: &str = "/subscriptions/s/resourceGroups/g";
const ID: &str = "/subscriptions/s/resourceGroups/g/providers/A.B/c/d";

fn put(body: Value) -> PutRequest {
    let (id, kind, api_version) = (ID.into(), "A.B/c".into(), "1".into());
    PutRequest {
        id,
        kind,
        api_version,
        body: engine::admit_body("/a", body).unwrap(),
        wanted: StepPolicy::default(),
        extension: None,
    }
}

fn failed(answer: ProviderReply) -> String {
    match answer {
        ProviderReply::Failed(failure) => failure.to_string(),
        other => panic!("{other:?}"),
    }
}

#[test]
fn requests_say_who_asks_and_for_what() {
    run(async {
        let server = Scripted::start(|_, _| Say::new(200, &[], r#"{"id":"/x"}"#)).await;
        let endpoint = server.endpoint(Some(Arc::new(Fixed::new("t0ken"))));
        let secret = Value::object([
            ("name", Value::text("d")),
            ("type", Value::text("A.B/c")),
            ("properties", Value::object([("password", Value::text("hunter2").secret())])),
        ]);
        endpoint.put(&put(secret)).await;
        endpoint.get(ID, "1").await;
        let seen = server.seen.lock().unwrap().clone();
        assert_eq!(seen[0].body, r#"{"properties":{"password":"hunter2"}}"#);
        let header = |at: usize, name: &str| seen[at].headers.get(name).unwrap().to_str().unwrap().to_owned();
        assert_eq!(header(0, "authorization"), "Bearer t0ken");
        assert!(header(0, "user-agent").starts_with("tendon/"));
        assert_eq!(header(0, "x-ms-correlation-request-id"), header(1, "x-ms-correlation-request-id"));
        assert_ne!(header(0, "x-ms-client-request-id"), header(1, "x-ms-client-request-id"));
    });
}

#[test]
fn secrets_that_come_back_stay_secrets() {
    run(async {
        let server =
            Scripted::start(|_, _| Say::new(200, &[], r#"{"id":"/x","properties":{"password":"hunter2"}}"#))
                .await;
        let endpoint = server.endpoint(None);
        let secret =
            Value::object([("properties", Value::object([("password", Value::text("hunter2").secret())]))]);
        let ProviderReply::Done(response) = endpoint.put(&put(secret)).await else { panic!() };
        assert!(!response.body.to_json().contains("hunter2"), "{}", response.body.to_json());
    });
}

#[test]
fn a_token_that_is_refused_is_replaced_once() {
    run(async {
        let server = Scripted::start(|_, seen| {
            let is_fresh = seen.headers.get("authorization").unwrap() == "Bearer 1";
            if is_fresh { Say::new(200, &[], r#"{"id":"/x"}"#) } else { Say::new(401, &[], "") }
        })
        .await;
        let count = Arc::new(AtomicUsize::new(0));
        let counter = Arc::clone(&count);
        let tokens =
            Refreshed::new(move || BearerToken::parse(&counter.fetch_add(1, Ordering::SeqCst).to_string()));
        let endpoint = server.endpoint(Some(Arc::new(tokens)));
        assert!(matches!(endpoint.get(ID, "1").await, ProviderReply::Done(_)));
        assert!(matches!(endpoint.get(ID, "1").await, ProviderReply::Done(_)));
        assert_eq!((server.lines().len(), count.load(Ordering::SeqCst)), (3, 2));
        // One that cannot be replaced is an error that says what to do, and does not say what it is.
        let endpoint = server.endpoint(Some(Arc::new(Fixed::new("hunter2"))));
        let said = failed(endpoint.get(ID, "1").await);
        assert!(said.starts_with("NoToken: ") && !said.contains("hunter2"), "{said}");
        let never = Scripted::start(|_, _| Say::new(401, &[], "")).await;
        let endpoint = never.endpoint(Some(Arc::new(Refreshed::new(|| BearerToken::parse("same")))));
        let said = failed(endpoint.get(ID, "1").await);
        assert!(said.contains("az login"), "{said}");
        assert_eq!(never.lines().len(), 2);
    });
}

#[test]
fn a_token_goes_to_no_other_place() {
    run(async {
        let other = Scripted::start(|_, _| Say::new(200, &[], r#"{"status":"Succeeded"}"#)).await;
        let elsewhere = other.url.clone();
        for header in ["Azure-AsyncOperation", "Location"] {
            let link = elsewhere.clone();
            let server =
                Scripted::start(move |_, _| Say::new(202, &[(header, &format!("{link}/o"))], "")).await;
            let endpoint = server.endpoint(Some(Arc::new(Fixed::new("t0ken"))));
            let said = failed(endpoint.put(&put(Value::Null)).await);
            assert!(said.starts_with("ForeignLink: ") && said.contains("--endpoint"), "{said}");
        }
        assert!(other.lines().is_empty(), "{:?}", other.lines());
    });
}

#[test]
fn cancelling_stops_waiting_and_says_what_goes_on() {
    run(async {
        let server = Scripted::start(|number, _| match number {
            0 => Say::new(202, &[("Azure-AsyncOperation", "{here}/o"), ("Retry-After", "1")], ""),
            _ => Say::new(200, &[("Retry-After", "100000000")], r#"{"status":"Running"}"#),
        })
        .await;
        let mut made = setup(&server.url, None);
        made.step = Duration::from_secs(1_000_000);
        let endpoint = Arc::new(Endpoint::new(made).unwrap());
        let (waits, body) = (Arc::clone(&endpoint), put(Value::Null));
        let putting = tokio::spawn(async move { waits.put(&body).await });
        while server.lines().len() < 2 {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
        endpoint.cancel();
        let said = failed(putting.await.unwrap());
        assert!(
            said.starts_with("DeploymentCanceled: ") && said.contains("nothing was stopped there"),
            "{said}"
        );
        assert_eq!(endpoint.under_way(), [("PUT", ID.to_owned())]);
        // Nothing new is begun, and what only waits for its turn says so.
        let said = failed(endpoint.put(&put(Value::Null)).await);
        assert!(said.starts_with("DeploymentCanceled: "), "{said}");
        assert_eq!(server.lines().len(), 2);
    });
}

#[test]
fn a_step_ends_when_its_time_is_over() {
    run(async {
        for (headers, status) in
            [(&[("Retry-After", "100000")][..], 429), (&[("Retry-After", "100000")][..], 503)]
        {
            let server = Scripted::start(move |_, _| Say::new(status, headers, "")).await;
            let endpoint = server.endpoint(None);
            let said = failed(endpoint.put(&put(Value::Null)).await);
            assert!(said.starts_with("StepTimedOut: ") && said.contains("--step-seconds"), "{said}");
            assert!(said.contains("goes on there"), "{said}");
            assert_eq!(server.lines().len(), 1, "nobody waits for what comes too late");
        }
    });
}

#[test]
fn a_service_that_only_fails_is_given_up() {
    run(async {
        let server = Scripted::start(|_, _| Say::new(500, &[("x-ms-request-id", "r1")], "")).await;
        let said = failed(server.endpoint(None).put(&put(Value::Null)).await);
        assert!(said.contains("500 Internal Server Error") && said.contains("request id r1"), "{said}");
        assert_eq!(server.lines().len(), 12);
    });
}

#[test]
fn nobody_there_is_an_error() {
    run(async {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        drop(listener);
        let said = failed(Endpoint::new(setup(&url, None)).unwrap().get(ID, "1").await);
        assert!(said.starts_with("EndpointNotReached: ") && said.ends_with("it was tried 4 times"), "{said}");
    });
}

#[test]
fn versions_that_nobody_named_are_asked_for() {
    run(async {
        let server = Scripted::start(|_, seen| match seen.path.split('?').next().unwrap() {
            "/subscriptions/s/providers/a.b" => Say::new(
                200,
                &[],
                r#"{"resourceTypes":[{"resourceType":"C","apiVersions":["2030-01-01-preview","2025-01-01","2020-01-01"]}]}"#,
            ),
            _ => Say::new(200, &[], ""),
        })
        .await;
        let endpoint = server.endpoint(None);
        endpoint.delete(ID).await;
        endpoint.delete(ID).await;
        let delete = format!("DELETE {ID}?api-version=2025-01-01");
        let asks = ["GET /subscriptions/s/providers/a.b?api-version=2021-04-01", &delete, &delete];
        assert_eq!(server.lines(), asks);
        let other = failed(endpoint.delete("/subscriptions/s/providers/A.B/x/y").await);
        assert!(other.starts_with("NoRegisteredProviderFound: "), "{other}");
    });
}

#[test]
fn groups_are_known_when_they_are_asked_for() {
    run(async {
        let server = Scripted::start(|number, seen| {
            let is_there = seen.path.contains("/resourceGroups/g?");
            assert!(number < 10);
            if is_there {
                Say::new(200, &[], r#"{"id":"/x","location":"north"}"#)
            } else {
                Say::new(404, &[], "")
            }
        })
        .await;
        let endpoint = server.endpoint(None);
        let scope = |name: &str| Scope::ResourceGroup { subscription: "s".into(), name: name.into() };
        endpoint.check_group(&scope("g")).await.unwrap();
        let missing = endpoint.check_group(&scope("h")).await.unwrap_err();
        assert_eq!(missing.code, "ResourceGroupNotFound");
        let location =
            |group: Option<Value>| group.unwrap().as_object().unwrap().get("location").cloned().unwrap();
        assert_eq!(location(endpoint.group(GROUP).unwrap()), Value::text("north"));
        assert_eq!(server.lines().len(), 2);
    });
}

#[test]
fn groups_that_nobody_looked_for_are_asked_for_by_themselves() {
    // Whoever evaluates cannot wait, and the runtime of the others is held up.
    let server_runtime =
        tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
    let server = server_runtime.block_on(Scripted::start(|_, seen| match seen.path.contains("/g?") {
        true => Say::new(200, &[], r#"{"location":"north"}"#),
        false if seen.path.contains("/j?") => {
            Say::new(418, &[], r#"{"error":{"code":"Teapot","message":"teapot"}}"#)
        }
        false => Say::new(if seen.path.contains("/h?") { 404 } else { 403 }, &[], ""),
    }));
    run(async {
        let endpoint = server.endpoint(None);
        let location = |name: &str| endpoint.group(&format!("/subscriptions/s/resourceGroups/{name}"));
        assert!(location("g").unwrap().unwrap().to_json().contains("north"));
        assert_eq!(location("h").unwrap(), None);
        // A group that cannot be read has no location, and never that of another.
        assert_eq!(location("i").unwrap().unwrap().to_json(), r#"{"location":null}"#);
        assert!(location("j").unwrap_err().message.contains("teapot"), "anything else is an error");
    });
}

#[test]
fn secrets_of_vaults_are_not_read() {
    run(async {
        let server = Scripted::start(|_, _| Say::new(200, &[], "{}")).await;
        let act = Act {
            id: "/v/secrets/s".into(),
            action: "getSecret".into(),
            api_version: "".into(),
            body: "".into(),
        };
        let said = failed(server.endpoint(None).action(&act).await);
        assert!(said.starts_with("KeyVaultSecretNotRead: ") && said.contains("--param"), "{said}");
        assert!(server.lines().is_empty());
    });
}
