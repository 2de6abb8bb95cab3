//! With `-o json`, every command has the same findings: in an envelope, in a response, or beside a document.

use crate::support::Folder;

const TEMPLATE: &str = r#"{"$schema": "https://schema.management.azure.com/schemas/2019-04-01/deploymentTemplate.json#", "contentVersion": "1.0.0.0", "resources": []}"#;

const MANIFEST: &str = "namespace: MyCompany.Resources\ntypes:\n  widgets:\n    apiVersions:\n      2025-01-01:\n        schema:\n          type: objekt\n";

const GOOD_MANIFEST: &str = "namespace: MyCompany.Resources\ntypes:\n  widgets:\n    apiVersions:\n      2025-01-01:\n        schema:\n          type: object\n          properties:\n            size:\n              type: integer\n";

const PROGRAM: &str = "func even(n int) object => n % 2 == 0 ? { kind: 'success' } : { kind: 'failure', errorMessage: 'odd' }\n\n@even()\n\
    param size int = 2\nparam unused string = ''\nresource plan 'Microsoft.Web/serverfarms@2023-12-01' = {\n  name: 'plan-${size}'\n  \
    location: 'westeurope'\n}\noutput id string = plan.id\n";

/// Commands with the code that they end with.
const COMMANDS: &[(&str, i32)] = &[
    ("build main.bicep", 0),
    ("build broken.bicep", 1),
    ("build-params main.bicepparam", 0),
    ("generate-params main.bicep --force", 0),
    ("lint .", 1),
    ("lint main.bicep --fix --diff", 0),
    ("format main.bicep --check --diff", 0),
    ("format broken.bicep --check", 0),
    ("decompile template.json --force", 0),
    ("restore main.bicep", 0),
    ("check good.json bad.json broken.json --against size.contract.json", 1),
    ("check bad.json --against main.bicep#size", 1),
    ("check bad.json --against broken.contract.json", 1),
    ("check message.hex --against order.thrift#Order --protocol binary --encoding hex", 1),
    ("thrift check order.thrift", 0),
    ("thrift validate order.thrift --type Order --encoding hex --in message.hex", 1),
    ("thrift gen order.thrift --lang go --out gen", 0),
    ("thrift conformance --self", 0),
    ("resource-type validate -f types.yaml", 1),
    ("validate main.bicep", 0),
    ("validate main.bicep --param size=3", 1),
    ("validate broken.bicep", 1),
    ("validate main.bicep --param size=3 --param wrong=1", 1),
    ("what-if main.bicep", 0),
    ("what-if missing.bicep", 3),
    ("deploy missing.bicep", 3),
    ("snapshot missing.bicep", 3),
    ("check good.json --against missing.json", 3),
    ("types pack missing", 3),
    ("deploy main.bicep", 0),
    ("deploy main.bicep --param size=3", 1),
    ("deploy reader.bicep", 1),
    ("snapshot main.bicep", 0),
    ("snapshot broken.bicep", 1),
    ("eval add(1,2)", 0),
    ("eval add(1)", 1),
    ("graph main.bicep", 0),
    ("resource-type list", 0),
    ("state list", 0),
    ("state show main", 0),
    ("destroy main.bicep --what-if", 0),
    ("destroy main.bicep --yes", 0),
    ("functions padLeft", 0),
    ("functions", 0),
    ("rules minimum", 0),
    ("rules", 0),
    ("context list", 0),
    ("publish-extension -f good.yaml --target made.tgz", 0),
    ("publish-extension -f types.yaml --target other.tgz", 1),
    ("state export rows.jsonl", 0),
    ("state import rows.jsonl --state copy", 0),
    ("resource-type show A.B/c", 1),
    ("decompile-params good.json", 1),
    ("init fresh --yes", 0),
];

fn project() -> Folder {
    let reader = "resource old 'Microsoft.Web/serverfarms@2023-12-01' existing = {\n  name: 'missing'\n}\n\
        output kind string = old.kind\n";
    Folder::with(&[
        ("main.bicep", PROGRAM.as_bytes()),
        ("main.bicepparam", b"using 'main.bicep'\n"),
        ("broken.bicep", b"output name string = nane\n"),
        ("reader.bicep", reader.as_bytes()),
        ("template.json", TEMPLATE.as_bytes()),
        ("types.yaml", MANIFEST.as_bytes()),
        ("good.yaml", GOOD_MANIFEST.as_bytes()),
        ("order.thrift", b"struct Order {\n  1: i32 quantity (vt.ge = \"1\")\n}\n"),
        ("message.hex", b"08 0001 00000000 00"),
        ("size.contract.json", br#"{"type": "integer", "minimum": 4}"#),
        ("broken.contract.json", br#"{"type": "integer", "minimun": 4}"#),
        ("good.json", b"4"),
        ("bad.json", b"3"),
        ("broken.json", b"{"),
        ("bicepconfig.json", b"{}"),
        ("output.schema.json", include_bytes!("../../../../docs/output.schema.json")),
    ])
}

/// What a command printed, as the envelope that it would be: responses have the findings as a member, documents have them on standard error.
fn envelope(line: &str, out: &str, error: &str) -> serde_json::Value {
    let read = |text: &str| serde_json::from_str::<serde_json::Value>(text).unwrap();
    match line.split(' ').next().unwrap() {
        "deploy" | "validate" | "what-if" => {
            let mut result = read(out);
            let findings = result.as_object_mut().unwrap().remove("findings").unwrap();
            assert!(!result.as_object().unwrap().is_empty(), "{line}\n{out}");
            serde_json::json!({"findings": findings, "result": result})
        }
        "snapshot" | "eval" | "graph" | "state"
            if !line.starts_with("state export") && !line.starts_with("state import") =>
        {
            let findings: Vec<_> = error.lines().map(read).collect();
            serde_json::json!({"findings": findings, "result": read(out)})
        }
        _ if line == "resource-type list" => serde_json::json!({"findings": [], "result": read(out)}),
        _ => read(out),
    }
}

#[test]
fn every_command_prints_findings_as_documented() {
    let folder = project();
    let mut findings = 0;
    for (line, code) in COMMANDS {
        let mut arguments: Vec<&str> = line.split(' ').collect();
        arguments.extend(["-o", "json"]);
        let output = folder.run(&arguments, b"");
        let (out, error) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
        assert_eq!(output.status.code(), Some(*code), "{line}\n{out}\n{error}");
        // Where the environment failed, there is no result.
        let value = match code {
            3 => serde_json::from_str(&out).unwrap(),
            _ => envelope(line, &out, &error),
        };
        folder.write("result.json", value.to_string().as_bytes());
        let checked = folder.run(&["check", "result.json", "--against", "output.schema.json"], b"");
        let said = String::from_utf8_lossy(&checked.stdout);
        assert_eq!(checked.status.code(), Some(0), "{line}\n{said}\n{out}");
        let all = value["findings"].as_array().unwrap();
        findings += all.len();
        // What ends with an error says what it is.
        let is_error = |it: &serde_json::Value| it["severity"] == "error";
        assert_eq!(all.iter().any(is_error), *code != 0, "{line}\n{out}");
    }
    assert!(findings > 20, "{findings} findings");
}

#[test]
fn errors_of_a_deployment_are_at_their_lines() {
    let folder = project();
    let place = |line: &str| {
        let mut arguments: Vec<&str> = line.split(' ').collect();
        arguments.extend(["-o", "json"]);
        let output = folder.run(&arguments, b"");
        let value: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        let errors: Vec<&serde_json::Value> =
            value["findings"].as_array().unwrap().iter().filter(|it| it["severity"] == "error").collect();
        let of = |place: &serde_json::Value| format!("{}:{}", place["file"], place["start"]["line"]);
        errors.iter().map(|it| (of(it), of(&it["rule"]))).collect::<Vec<_>>()
    };
    let at = |value: &str, rule: &str| (value.to_owned(), rule.to_owned());
    assert_eq!(place("deploy main.bicep --param size=3"), [at("\"--param size\":1", "\"main.bicep\":3")]);
    assert_eq!(place("validate main.bicep --param size=3"), [at("\"--param size\":1", "\"main.bicep\":3")]);
    let missing = place("deploy reader.bicep");
    assert!(missing.iter().any(|(place, _)| place.starts_with("\"reader.bicep\":")), "{missing:?}");
}
