//! What the gate lets in, and what it does not.

use super::*;
use store::{Deployment, DeploymentKey, Operation, Phase, Status, StepRecord};

const GROUP: &str = "/subscriptions/s/resourceGroups/g";
const SEALED: &str = "\"0101010101010101010101010101010101010101010101010101010101010101010101010101010101\"";
const RUN: RunId = RunId(7);

fn gate(rows: &[BackupRecord]) -> ImportGate {
    let mut runs = Runs::default();
    rows.iter().for_each(|row| runs.note(row));
    rows.iter().for_each(|row| runs.note_part(row.clone()));
    ImportGate::new(Vec::new(), runs).unwrap()
}

fn resource(id: &str, body: &str) -> BackupRecord {
    BackupRecord::Resource(Resource { id: id.to_owned(), version: 1, format: 1, body: body.to_owned() })
}

fn flaws(gate: &ImportGate, row: BackupRecord) -> Flaws {
    gate.enter(row).map_or_else(|refusal| refusal.flaws, |_| Flaws::new())
}

fn check(id: &str, body: &str) -> Flaws {
    flaws(&gate(&[]), resource(id, body))
}

/// The record of a resource that says where it is, with more behind it.
fn own(id: &str, kind: &str, more: &str) -> String {
    let name = id.rsplit('/').next().unwrap();
    format!(r#"{{"body":{{"id":"{id}","name":"{name}","type":"{kind}"{more}}},"digests":{{}}}}"#)
}

#[test]
fn what_the_engine_keeps_may_come_in() {
    let id = format!("{GROUP}/providers/A.B/c/d");
    let sealed = own(&id, "a.b/C", "")
        .replace(r#""digests":{}"#, &format!(r#""digests":{{"/x":"00"}},"sealed":{SEALED}"#));
    let planes = "/planes/radius/local/providers/System.Resources";
    for (id, body) in [
        (id.as_str(), own(&id, "A.B/c", r#","n":[1,1.5,1e300,0e999,{"x":1}]"#)),
        (&id, sealed),
        (GROUP, own(GROUP, "Microsoft.Resources/resourceGroups", r#","location":"north""#)),
        ("extension/k8s/core/Service/s", own("extension/k8s/core/Service/s", "core/Service", "")),
        ("token:0123456789abcdef", token("null")),
        (&format!("{planes}/groups/g"), r#"{"body":{"location":"global","tags":{"a":"b"}},"digests":{}}"#.to_owned()),
        (&format!("{planes}/planes/local"), r#"{"body":{},"digests":{}}"#.to_owned()),
        (
            &format!("{planes}/namespaces/My.Types"),
            r#"{"body":{"namespace":"My.Types","locations":{"global":{},"east":{"address":"http://a"}}},"digests":{}}"#.to_owned(),
        ),
        (&format!("{planes}/icons/My.Types/a"), r#"{"body":"<svg/>","digests":{}}"#.to_owned()),
    ] {
        assert_eq!(check(id, &body), Flaws::new(), "{id} {body}");
    }
}

fn token(expires: &str) -> String {
    let digest = "A".repeat(43);
    format!(
        r#"{{"name":"x","role":"owner","scope":"/","created":1,"expires":{expires},"digest":"{digest}"}}"#
    )
}

#[test]
fn what_nobody_here_writes_stays_outside() {
    let id = format!("{GROUP}/providers/A.B/c/d");
    let id = id.as_str();
    let fine = own(id, "A.B/c", "");
    let planes = "/planes/radius/local/providers/System.Resources";
    let (planted, group, icon, other) = (
        format!("{planes}/planes/local"),
        format!("{planes}/groups/a b"),
        format!("{planes}/icons/A.B/c"),
        format!("{planes}/whatever/x"),
    );
    let cases: Vec<(&str, String, &str)> = vec![
        (id, r#"{"body":{"#.to_owned(), "`body` cannot be read"),
        (id, String::new(), "`body` cannot be read"),
        (id, "[]".to_owned(), "$: must be an object"),
        (id, r#"{"digests":{}}"#.to_owned(), "$: must have the property `body`"),
        (id, r#"{"body":null,"digests":{}}"#.to_owned(), "$.body: it is not an object"),
        (id, r#"{"body":"hi","digests":{}}"#.to_owned(), "$.body: it is not an object"),
        (id, fine.replace("\"digests\":{}", "\"digests\":[]"), "$.digests"),
        (id, fine.replace("\"digests\":{}", r#""digests":{"/x":5}"#), "$.digests"),
        (id, fine.replace("\"digests\":{}", r#""digests":{"/x":"zz"}"#), "$.digests"),
        (id, fine.replace("\"digests\":{}", r#""digests":{"x":"00"}"#), "$.digests"),
        (id, fine.replace("\"digests\":{}", r#""digests":{},"sealed":"AAAA""#), "$.sealed"),
        (id, fine.replace("\"digests\":{}", r#""digests":{},"more":1"#), "$.more"),
        (id, fine.replace("\"type\":\"A.B/c\"", "\"type\":\"A.B/e\""), "$.body.type"),
        (id, fine.replace("\"name\":\"d\"", "\"name\":\"e\""), "$.body.name"),
        (id, fine.replace("g/providers", "h/providers"), "$.body.id"),
        (id, own(id, "A.B/c", r#","x":{"Size":1,"size":2}"#), "$.body: `$.x.size`"),
        (id, own(id, "A.B/c", r#","x":[1,1e400]"#), "$.body: `$.x[1]`"),
        (id, own(id, "A.B/c", r#","x":1e-400"#), "$.body: `$.x`"),
        ("", own("", "", ""), "`id`"),
        ("/a", own("/a", "", ""), "`id`"),
        ("/a?b/c", own("/a?b/c", "", ""), "`id`"),
        ("whatever", own("whatever", "", ""), "`id`"),
        ("seal-key-check", "abc".to_owned(), "the first line says which key"),
        ("token:abc", token("null"), "it is not the record of a token"),
        ("token:0123456789abcdef", r#"{"role":"owner"}"#.to_owned(), "it is not the record of a token"),
        ("token:0123456789abcdef", token("\"never\""), "it is not the record of a token"),
        (&planted, r#"{"body":{"x":1},"digests":{}}"#.to_owned(), "the record of"),
        (&group, r#"{"body":{},"digests":{}}"#.to_owned(), "the record of"),
        (&icon, r#"{"body":"<svg onload='x()'/>","digests":{}}"#.to_owned(), "the record of"),
        (&other, r#"{"body":{},"digests":{}}"#.to_owned(), "the record of"),
    ];
    for (id, body, said) in cases {
        let flaws = check(id, &body);
        assert!(flaws.first().is_some_and(|flaw| flaw.starts_with(said)), "{id} {body}: {flaws:?}");
    }
    for (version, format) in [(0, 1), (1, 0), (1, 2)] {
        let row = BackupRecord::Resource(Resource { id: id.to_owned(), version, format, body: fine.clone() });
        assert!(!flaws(&gate(&[]), row).is_empty(), "{version} {format}");
    }
}

#[test]
fn a_row_comes_in_once() {
    let gate = gate(&[]);
    let row = |id: &str| resource(id, &own(id, "A.B/c", ""));
    assert!(flaws(&gate, row(&format!("{GROUP}/providers/A.B/c/D"))).is_empty());
    assert_eq!(flaws(&gate, row(&format!("{GROUP}/providers/A.B/c/d"))), ["it is there twice"]);
    assert!(flaws(&gate, row(&format!("{GROUP}/providers/A.B/c/e"))).is_empty());
}

fn deployment(status: Status, body: &str) -> BackupRecord {
    let key = DeploymentKey::new(GROUP, "d");
    let deployment =
        Deployment { key, run: RUN, root: RUN, status, order: 1, format: 1, body: body.to_owned() };
    BackupRecord::Deployment { deployment, fence: 1, canceled: false }
}

fn body(state: &str) -> String {
    format!(
        r#"{{"id":"{GROUP}/providers/Microsoft.Resources/deployments/d","name":"D","type":"Microsoft.Resources/deployments","properties":{{"parameters":{{"n":{{"type":"Int","value":3}}}},"provisioningState":"{state}"}}}}"#
    )
}

const TEMPLATE: &str = r#"{"$schema":"https://schema.management.azure.com/schemas/2019-04-01/deploymentTemplate.json#","contentVersion":"1.0.0.0",
    "metadata":{"x":1e400,"a":1,"A":2},"variables":{"v":{"n":1,"N":2}},"parameters":{"n":{"type":"int","maxValue":5}},"resources":[]}"#;

fn inputs(value: &str) -> String {
    format!(
        r#"{{"scope":{{"kind":"resourceGroup","id":"s","name":"g"}},"name":"d","seconds":1,"ticks":0,"seed":"00","mode":"Incremental","extensionConfigs":{{}},"parameters":[{{"value":{value}}}]}}"#
    )
}

fn blob(name: &str, text: &str) -> BackupRecord {
    BackupRecord::Blob { run: RUN, name: name.to_owned(), bytes: text.as_bytes().to_vec() }
}

#[test]
fn what_is_kept_of_a_deployment_may_come_in() {
    let step = |body: &str| {
        BackupRecord::Step(StepRecord {
            run: RUN,
            number: 0,
            phase: Phase::Confirmed,
            format: 1,
            body: body.to_owned(),
        })
    };
    let operation =
        r#"{"provisioningOperation":"Create","provisioningState":"Succeeded","targetResource":{"id":"/a"}}"#;
    let rows = [
        deployment(Status::Ended, &body("Succeeded")),
        step(r#"{"state":null,"secret":false,"skipped":true}"#),
        BackupRecord::Operation(Operation { run: RUN, number: 1, format: 1, body: operation.to_owned() }),
        // What a template may say, nobody asks again.
        blob("template", TEMPLATE),
        blob("inputs", &inputs("3")),
        blob("link/https://a", "{"),
    ];
    let gate = gate(&rows);
    for row in rows {
        assert_eq!(flaws(&gate, row.clone()), Flaws::new(), "{row:?}");
    }
    let running = [
        deployment(Status::Active, &body("Running")),
        blob("template", TEMPLATE),
        blob("inputs", &inputs("3")),
    ];
    let gate = self::gate(&running);
    for row in running {
        assert_eq!(flaws(&gate, row.clone()), Flaws::new(), "{row:?}");
    }
}

#[test]
fn what_is_no_part_of_a_deployment_stays_outside() {
    let step = |number, body: &str| {
        BackupRecord::Step(StepRecord {
            run: RUN,
            number,
            phase: Phase::Confirmed,
            format: 1,
            body: body.to_owned(),
        })
    };
    let good = body("Succeeded");
    let known = [deployment(Status::Ended, &good)];
    for row in [
        deployment(Status::Ended, "{}"),
        deployment(Status::Ended, &good.replace(GROUP, "/evil")),
        deployment(Status::Ended, &good.replace("\"D\"", "\"E\"")),
        deployment(Status::Ended, &good.replace("Succeeded", "Bogus")),
        deployment(Status::Ended, &good.replace("Succeeded", "Running")),
        deployment(Status::Active, &good),
        deployment(Status::Ended, &good.replace("\"value\":3", "\"value\":\"text\"")),
        deployment(Status::Ended, &good.replace("\"Int\",\"value\":3", "\"SecureString\",\"value\":\"x\"")),
        deployment(Status::Ended, &good.replace("\"parameters\"", "\"more\"")),
        step(0, "{}"),
        step(0, r#"{"state":1}"#),
        step(0, r#"{"error":5}"#),
        step(u32::MAX, r#"{"state":1,"secret":false,"skipped":false}"#),
        BackupRecord::Operation(Operation { run: RUN, number: 1, format: 1, body: "{}".to_owned() }),
        blob("template", "{}"),
        blob("inputs", "{}"),
        blob("inputs", &inputs(r#"{"a":1,"A":2}"#)),
        blob("secrets", "short"),
        blob("whatever", ""),
        BackupRecord::Blob { run: RunId(8), name: "inputs".to_owned(), bytes: inputs("3").into_bytes() },
    ] {
        assert!(!flaws(&gate(&known), row.clone()).is_empty(), "{row:?}");
    }
}

#[test]
fn what_will_be_resumed_can_be() {
    let running = deployment(Status::Active, &body("Running"));
    let parts =
        |value: &str| vec![running.clone(), blob("template", TEMPLATE), blob("inputs", &inputs(value))];
    let step = BackupRecord::Step(StepRecord {
        run: RUN,
        number: 99,
        phase: Phase::Confirmed,
        format: 1,
        body: r#"{"state":1,"secret":false,"skipped":false}"#.to_owned(),
    });
    for (rows, said) in [
        (vec![running.clone()], "missing"),
        (vec![running.clone(), blob("inputs", &inputs("3"))], "cannot be resumed"),
        (parts("99"), "`n`"),
        (parts("\"text\""), "`n`"),
        (parts("3").into_iter().chain([step]).collect(), "step 99"),
    ] {
        let found = flaws(&gate(&rows), running.clone());
        assert!(found.first().is_some_and(|flaw| flaw.contains(said)), "{said}: {found:?}");
    }
}

#[test]
fn an_answer_stays_small() {
    let long = "n".repeat(1 << 16);
    let members: Vec<String> = (0..1000)
        .map(|at| format!("\"{long}{at}\":1").replace(&long, if at == 0 { &long } else { "x" }))
        .collect();
    let flaws =
        check(&format!("{GROUP}/providers/A.B/c/d"), &format!(r#"{{"body":{{}},{}}}"#, members.join(",")));
    assert!(flaws.len() <= MOST + 1 && flaws.iter().all(|flaw| flaw.len() < 1000), "{flaws:?}");
}
