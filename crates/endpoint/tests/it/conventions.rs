//! Each convention of ARM and each error, as rows: what is asked, what the endpoint says, what comes of it, and which requests that took.

use crate::support::{Say, Scripted, run};
use engine::core::{Act, ProviderReply, PutRequest, StepPolicy};
use engine::provider::Provider as _;
use engine::records::parse;

const ID: &str = "/subscriptions/s/resourceGroups/g/providers/A.B/c/d";
const R: &str = "/subscriptions/s/resourceGroups/g/providers/A.B/c/d?api-version=1";
const FINE: &str = r#"{"id":"/r","properties":{"provisioningState":"Succeeded","a":1}}"#;
const CREATING: &str = r#"{"id":"/r","properties":{"provisioningState":"Creating"}}"#;
/// What `FINE` is for whoever reads it.
const DONE: &str =
    r#"done {"id":"/r","properties":{"provisioningState":"Succeeded","a":1},"apiVersion":"1"}"#;
const RUNNING: &str = r#"{"status":"InProgress"}"#;
const SUCCEEDED: &str = r#"{"status":"Succeeded"}"#;
const OPERATION: (&str, &str) = ("Azure-AsyncOperation", "{here}/operations/1?api-version=1");
const PLACE: (&str, &str) = ("Location", "{here}/results/1?api-version=1");
const O: &str = "GET /operations/1?api-version=1";
const L: &str = "GET /results/1?api-version=1";

enum Ask {
    Get,
    Put,
    Patch,
    Delete,
    List,
    Keys,
}

struct Row {
    name: &'static str,
    ask: Ask,
    says: Vec<Say>,
    /// The answer begins like this.
    gives: &'static str,
    /// `P`, `G` and `D` are requests for the resource.
    asks: &'static [&'static str],
}

fn say(status: u16, headers: &[(&str, &str)], body: &str) -> Say {
    Say::new(status, headers, body)
}

fn ok(body: &str) -> Say {
    say(200, &[], body)
}

fn rows() -> Vec<Row> {
    let busy = r#"{"error":{"code":"AnotherOperationInProgress","message":"busy"}}"#;
    let failed = r#"{"status":"Failed","error":{"code":"Quota","message":"too many","details":[]}}"#;
    let ids = &[("x-ms-correlation-request-id", "c1"), ("x-ms-request-id", "r1")];
    let bad = r#"{"error":{"code":"Bad","message":"no"}}"#;
    vec![
        Row {
            name: "a put that is done at once",
            ask: Ask::Put,
            says: vec![ok(FINE)],
            gives: DONE,
            asks: &["P"],
        },
        Row {
            name: "a put without a state is done",
            ask: Ask::Put,
            says: vec![ok(r#"{"id":"/r"}"#)],
            gives: r#"done {"id":"/r","apiVersion":"1"}"#,
            asks: &["P"],
        },
        Row {
            name: "a put without a body is read",
            ask: Ask::Put,
            says: vec![say(204, &[], ""), ok(FINE)],
            gives: DONE,
            asks: &["P", "G"],
        },
        Row { name: "a patch", ask: Ask::Patch, says: vec![ok(FINE)], gives: DONE, asks: &["PATCH"] },
        Row {
            name: "an operation that is named",
            ask: Ask::Put,
            says: vec![say(201, &[OPERATION], CREATING), ok(RUNNING), ok(SUCCEEDED), ok(FINE)],
            gives: DONE,
            asks: &["P", O, O, "G"],
        },
        Row {
            name: "an operation that is named with a status of 200",
            ask: Ask::Put,
            says: vec![say(200, &[OPERATION, ("Retry-After", "2")], FINE), ok(SUCCEEDED), ok(FINE)],
            gives: DONE,
            asks: &["P", O, "G"],
        },
        Row {
            name: "an operation is asked for where it said last",
            ask: Ask::Put,
            says: vec![
                say(202, &[OPERATION, PLACE], ""),
                say(200, &[("Azure-AsyncOperation", "/operations/2?api-version=1")], RUNNING),
                ok(SUCCEEDED),
                ok(FINE),
            ],
            gives: DONE,
            asks: &["P", O, "GET /operations/2?api-version=1", "G"],
        },
        Row {
            name: "an operation that fails",
            ask: Ask::Put,
            says: vec![say(201, &[OPERATION], CREATING), say(200, ids, failed)],
            gives: "failed Quota: too many (correlation id c1, request id r1)",
            asks: &["P", O],
        },
        Row {
            name: "an operation that somebody cancelled",
            ask: Ask::Put,
            says: vec![say(201, &[OPERATION], CREATING), ok(r#"{"status":"Canceled"}"#)],
            gives: "failed OperationCanceled: ",
            asks: &["P", O],
        },
        Row {
            name: "an operation without a status",
            ask: Ask::Put,
            says: vec![say(201, &[OPERATION], CREATING), ok("{}")],
            gives: "failed InvalidOperation: ",
            asks: &["P", O],
        },
        Row {
            name: "an operation that cannot be seen yet",
            ask: Ask::Put,
            says: vec![say(201, &[OPERATION], CREATING), say(404, &[], ""), ok(SUCCEEDED), ok(FINE)],
            gives: DONE,
            asks: &["P", O, O, "G"],
        },
        Row {
            name: "a place where the result will be",
            ask: Ask::Put,
            says: vec![say(202, &[PLACE], ""), say(202, &[PLACE], ""), ok(FINE), ok(FINE)],
            gives: DONE,
            asks: &["P", L, L, "G"],
        },
        Row {
            name: "a place without a result",
            ask: Ask::Put,
            says: vec![say(202, &[PLACE], ""), say(204, &[], ""), ok(FINE)],
            gives: DONE,
            asks: &["P", L, "G"],
        },
        Row {
            name: "a place that moves",
            ask: Ask::Put,
            says: vec![
                say(202, &[PLACE], ""),
                say(202, &[("Location", "{here}/results/2")], ""),
                ok(FINE),
                ok(FINE),
            ],
            gives: DONE,
            asks: &["P", L, "GET /results/2", "G"],
        },
        Row {
            name: "a place with an error",
            ask: Ask::Put,
            says: vec![say(202, &[PLACE], ""), say(400, &[], bad)],
            gives: "failed Bad: no",
            asks: &["P", L],
        },
        Row {
            name: "a resource that says how far it is",
            ask: Ask::Put,
            says: vec![say(201, &[], CREATING), ok(CREATING), ok(FINE), ok(FINE)],
            gives: DONE,
            asks: &["P", "G", "G", "G"],
        },
        Row {
            name: "a resource that is accepted without a word",
            ask: Ask::Put,
            says: vec![say(202, &[], ""), say(404, &[], ""), ok(FINE), ok(FINE)],
            gives: DONE,
            asks: &["P", "G", "G", "G"],
        },
        Row {
            name: "a resource that says that it failed",
            ask: Ask::Put,
            says: vec![say(201, &[], CREATING), ok(r#"{"properties":{"provisioningState":"Failed"}}"#)],
            gives: "failed ResourceDeploymentFailure: ",
            asks: &["P", "G"],
        },
        Row {
            name: "too many requests",
            ask: Ask::Put,
            says: vec![say(429, &[("Retry-After", "3")], ""), ok(FINE)],
            gives: DONE,
            asks: &["P", "P"],
        },
        Row {
            name: "too many requests until a date",
            ask: Ask::Get,
            says: vec![say(429, &[("Retry-After", "Sun, 06 Nov 1994 08:49:37 GMT")], ""), ok(FINE)],
            gives: DONE,
            asks: &["G", "G"],
        },
        Row {
            name: "few requests left",
            ask: Ask::Put,
            says: vec![
                say(201, &[("x-ms-ratelimit-remaining-subscription-writes", "1")], CREATING),
                say(200, &[("x-ms-ratelimit-remaining-subscription-reads", "0")], CREATING),
                ok(FINE),
                ok(FINE),
            ],
            gives: DONE,
            asks: &["P", "G", "G", "G"],
        },
        Row {
            name: "services that fail",
            ask: Ask::Put,
            says: vec![
                say(500, &[], ""),
                say(503, &[("Retry-After", "1")], ""),
                say(502, &[], ""),
                say(408, &[], ""),
                say(504, &[], ""),
                ok(FINE),
            ],
            gives: DONE,
            asks: &["P", "P", "P", "P", "P", "P"],
        },
        Row {
            name: "something else under way",
            ask: Ask::Put,
            says: vec![say(409, &[], busy), say(409, &[], busy), ok(FINE)],
            gives: DONE,
            asks: &["P", "P", "P"],
        },
        Row {
            name: "a conflict that stays",
            ask: Ask::Put,
            says: vec![say(409, ids, r#"{"error":{"code":"NameTaken","message":"taken"}}"#)],
            gives: "failed NameTaken: taken (correlation id c1, request id r1)",
            asks: &["P"],
        },
        Row {
            name: "an error is one",
            ask: Ask::Put,
            says: vec![say(400, &[], bad)],
            gives: "failed Bad: no",
            asks: &["P"],
        },
        Row {
            name: "a put of something that nothing is known of",
            ask: Ask::Put,
            says: vec![say(404, &[], bad)],
            gives: "failed Bad: no",
            asks: &["P"],
        },
        Row {
            name: "a redirect is not followed",
            ask: Ask::Put,
            says: vec![say(307, &[("Location", "https://evil.example/")], "")],
            gives: "failed Redirected: the endpoint answered 307",
            asks: &["P"],
        },
        Row {
            name: "an operation elsewhere",
            ask: Ask::Put,
            says: vec![say(201, &[("Azure-AsyncOperation", "https://evil.example/o?x=1")], CREATING)],
            gives: "failed ForeignLink: `Azure-AsyncOperation` of an answer leads to `https://evil.example/o`",
            asks: &["P"],
        },
        Row {
            name: "a place elsewhere",
            ask: Ask::Put,
            says: vec![say(202, &[("Location", "http://127.0.0.1:1/o")], "")],
            gives: "failed ForeignLink: `Location` of an answer leads to `http://127.0.0.1:1/o`",
            asks: &["P"],
        },
        Row {
            name: "a resource that is there",
            ask: Ask::Get,
            says: vec![ok(FINE)],
            gives: DONE,
            asks: &["G"],
        },
        Row {
            name: "a resource that is not there",
            ask: Ask::Get,
            says: vec![say(404, &[], bad)],
            gives: "missing",
            asks: &["G"],
        },
        Row {
            name: "a resource that may not be read",
            ask: Ask::Get,
            says: vec![say(403, &[], "")],
            gives: "failed AuthorizationFailed: ",
            asks: &["G"],
        },
        Row { name: "a delete", ask: Ask::Delete, says: vec![ok("")], gives: "done null", asks: &["D"] },
        Row {
            name: "a delete of nothing",
            ask: Ask::Delete,
            says: vec![say(404, &[], "")],
            gives: "missing",
            asks: &["D"],
        },
        Row {
            name: "a delete without a word",
            ask: Ask::Delete,
            says: vec![say(204, &[], "")],
            gives: "done null",
            asks: &["D"],
        },
        Row {
            name: "a delete that takes its time",
            ask: Ask::Delete,
            says: vec![say(202, &[PLACE], ""), say(202, &[], ""), say(204, &[], "")],
            gives: "done null",
            asks: &["D", L, L],
        },
        Row {
            name: "a delete whose operation is named",
            ask: Ask::Delete,
            says: vec![say(202, &[OPERATION, PLACE], ""), ok(RUNNING), ok(SUCCEEDED)],
            gives: "done null",
            asks: &["D", O, O],
        },
        Row {
            name: "a delete that says nothing more",
            ask: Ask::Delete,
            says: vec![say(202, &[], ""), ok(FINE), say(404, &[], "")],
            gives: "done null",
            asks: &["D", "G", "G"],
        },
        Row {
            name: "a delete whose operation goes with it",
            ask: Ask::Delete,
            says: vec![say(202, &[OPERATION], ""), say(404, &[], ""), say(404, &[], "")],
            gives: "done null",
            asks: &["D", O, "G"],
        },
        Row {
            name: "a delete that fails",
            ask: Ask::Delete,
            says: vec![say(202, &[OPERATION], ""), ok(failed)],
            gives: "failed Quota: ",
            asks: &["D", O],
        },
        Row {
            name: "keys are secrets",
            ask: Ask::Keys,
            says: vec![ok(r#"{"keys":[{"value":"k"}]}"#)],
            gives: r#"done secret {"keys":[{"value":"k"}]}"#,
            asks: &["POST"],
        },
        Row {
            name: "keys that take their time",
            ask: Ask::Keys,
            says: vec![say(202, &[PLACE], ""), say(202, &[], ""), ok(r#"{"k":1}"#)],
            gives: r#"done secret {"k":1}"#,
            asks: &["POST", L, L],
        },
        Row {
            name: "keys whose operation is named",
            ask: Ask::Keys,
            says: vec![say(202, &[OPERATION, PLACE], ""), ok(SUCCEEDED), ok(r#"{"k":1}"#)],
            gives: r#"done secret {"k":1}"#,
            asks: &["POST", O, L],
        },
        Row {
            name: "keys in the operation",
            ask: Ask::Keys,
            says: vec![say(202, &[OPERATION], ""), ok(r#"{"status":"Succeeded","properties":{"k":1}}"#)],
            gives: r#"done secret {"k":1}"#,
            asks: &["POST", O],
        },
        Row {
            name: "keys of nothing",
            ask: Ask::Keys,
            says: vec![say(404, &[], "")],
            gives: "missing",
            asks: &["POST"],
        },
        Row {
            name: "a list with pages",
            ask: Ask::List,
            says: vec![
                ok(
                    r#"{"value":[{"id":"/subscriptions/s/resourceGroups/G/providers/A.B/c/d"}],"nextLink":"{here}/next?page=2"}"#,
                ),
                ok(
                    r#"{"value":[{"id":"/subscriptions/s/resourceGroups/g/providers/A.B/c/e"},{"id":"/elsewhere"}]}"#,
                ),
            ],
            gives: r#"done ["/subscriptions/s/resourceGroups/G/providers/A.B/c/d","/subscriptions/s/resourceGroups/g/providers/A.B/c/e"]"#,
            asks: &[
                "GET /subscriptions/s/resourceGroups/g/resources?api-version=2021-04-01",
                "GET /next?page=2",
            ],
        },
        Row {
            name: "a list that goes on elsewhere",
            ask: Ask::List,
            says: vec![ok(r#"{"value":[],"nextLink":"https://evil.example/next"}"#)],
            gives: "failed ForeignLink: `nextLink` of a list leads to",
            asks: &["GET /subscriptions/s/resourceGroups/g/resources?api-version=2021-04-01"],
        },
        Row {
            name: "a list that is none",
            ask: Ask::List,
            says: vec![ok("{}")],
            gives: "failed InvalidList: ",
            asks: &["GET /subscriptions/s/resourceGroups/g/resources?api-version=2021-04-01"],
        },
    ]
}

fn put(patch: bool) -> PutRequest {
    PutRequest {
        id: ID.into(),
        kind: "A.B/c".into(),
        api_version: "1".into(),
        body: engine::admit_body(
            "/a",
            parse(r#"{"name":"d","location":"here","properties":{"a":1}}"#).unwrap(),
        )
        .unwrap(),
        wanted: StepPolicy { patch, ..StepPolicy::default() },
        extension: None,
    }
}

#[test]
fn every_convention_is_followed() {
    run(async {
        for row in rows() {
            let says = row.says.clone();
            let server = Scripted::start(move |number, _| {
                says.get(number).cloned().unwrap_or_else(|| Say::new(418, &[], "no more was to be asked"))
            })
            .await;
            let endpoint = server.endpoint(None);
            let answer = match row.ask {
                Ask::Get => endpoint.get(ID, "1").await,
                Ask::Put => endpoint.put(&put(false)).await,
                Ask::Patch => endpoint.put(&put(true)).await,
                Ask::Delete => {
                    // The version is that of the last put of the type.
                    endpoint.get(ID, "1").await;
                    server.seen.lock().unwrap().clear();
                    endpoint.delete(ID).await
                }
                Ask::List => endpoint.list("/subscriptions/s/resourceGroups/g/providers/").await,
                Ask::Keys => {
                    let act = Act {
                        id: ID.into(),
                        action: "listKeys".into(),
                        api_version: "1".into(),
                        body: "".into(),
                    };
                    endpoint.action(&act).await
                }
            };
            let gave = match &answer {
                ProviderReply::Done(response) if response.body.is_secret() => {
                    format!("done secret {}", response.body.expose().to_json())
                }
                ProviderReply::Done(response) => format!("done {}", response.body.to_json()),
                ProviderReply::Missing => "missing".to_owned(),
                ProviderReply::Failed(failure) => format!("failed {failure}"),
                ProviderReply::Running { .. } => "running".to_owned(),
            };
            assert!(gave.starts_with(row.gives), "{}: {gave}", row.name);
            let asks: Vec<String> = row
                .asks
                .iter()
                .map(|ask| match *ask {
                    "P" => format!("PUT {R}"),
                    "G" => format!("GET {R}"),
                    "D" => format!("DELETE {R}"),
                    "PATCH" => format!("PATCH {R}"),
                    "POST" => format!("POST {}", R.replace("?", "/listKeys?")),
                    other => other.to_owned(),
                })
                .collect();
            assert_eq!(server.lines(), asks, "{}", row.name);
            assert!(endpoint.under_way().is_empty(), "{}", row.name);
        }
    });
}
