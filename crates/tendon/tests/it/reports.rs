//! Reports: one file each, with what happened and what was wrong, and without secrets.

use crate::support::Folder;

/// Runs a command and gives the report that it wrote.
#[track_caller]
fn report(folder: &Folder, command: &[&str], exit: i32) -> String {
    let output = folder.run(&[command, &["--report", "out.html"]].concat(), b"");
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(exit), "{said}");
    let page = std::fs::read_to_string(folder.path("out.html")).unwrap();
    assert!(page.starts_with("<!DOCTYPE html>") && page.ends_with("</html>"), "{page}");
    assert!(page.contains("default-src 'none'") && !page.contains("<script"), "{page}");
    page
}

#[track_caller]
fn has(page: &str, texts: &[&str]) {
    for text in texts {
        assert!(page.contains(text), "`{text}` is missing in\n{page}");
    }
}

const PROGRAM: &str = "@secure()
param password string
@minLength(3)
param name string

resource account 'A.B/accounts@2024-01-01' = {
  name: name
  properties: { password: password }
}

resource child 'A.B/accounts/parts@2024-01-01' = {
  parent: account
  name: 'part'
}

output id string = child.id
@secure()
output hidden string = password
";

#[test]
fn a_deployment_is_reported_with_its_time_line_its_picture_and_its_outputs() {
    let folder = Folder::with(&[("main.bicep", PROGRAM.as_bytes())]);
    let given =
        ["deploy", "main.bicep", "--param", "name=shop", "--param", "password=hunter2", "--state", "s"];
    let page = report(&folder, &given, 0);
    has(
        &page,
        &[
            "Succeeded",
            "Time line",
            "A.B/accounts/parts",
            "✓ succeeded",
            "<svg",
            "Outputs",
            "<em>secret</em>",
        ],
    );
    assert!(!page.contains("hunter2"), "{page}");
}

#[test]
fn the_members_of_a_loop_can_be_told_apart_in_the_time_line() {
    let program = "resource parts 'A.B/parts@2024-01-01' = [for name in ['left', 'right']: { name: name }]
resource whole 'A.B/wholes@2024-01-01' = { name: 'whole', dependsOn: [parts] }
";
    let folder = Folder::with(&[("main.bicep", program.replace(", depends", "\n depends").as_bytes())]);
    let page = report(&folder, &["deploy", "main.bicep", "--symbolic-names", "--state", "s"], 0);
    has(
        &page,
        &["parts <span class=\"own\">left</span>", "parts <span class=\"own\">right</span>", "parts × 2<br>"],
    );
    // What is called as its resource is told once.
    has(&page, &[">whole<br>", " UTC</dd>"]);
}

#[test]
fn a_deployment_that_fails_is_reported_with_what_went_wrong() {
    let mocks = "provider:
  - resource: child
    on: put
    answers:
      - error: { code: Conflict, message: '<b>not now</b>' }
";
    let files = [("main.bicep", PROGRAM.as_bytes()), ("mocks.yaml", mocks.as_bytes())];
    let folder = Folder::with(&files);
    let given = [
        "deploy",
        "main.bicep",
        "--param",
        "name=shop",
        "--param",
        "password=hunter2",
        "--state",
        "s",
        "--mocks",
        "mocks.yaml",
    ];
    let page = report(&folder, &given, 1);
    has(
        &page,
        &[
            "Failed",
            "Conflict",
            "&lt;b&gt;not now&lt;/b&gt;",
            "✗ failed",
            "main.bicep:11",
            "resource child 'A.B/accounts/parts",
        ],
    );
    assert!(!page.contains("hunter2"), "{page}");
}

#[test]
fn a_deployment_that_is_refused_is_reported_with_the_lines_of_value_and_rule() {
    let folder = Folder::with(&[("main.bicep", PROGRAM.as_bytes())]);
    let given = ["deploy", "main.bicep", "--param", "name=x", "--param", "password=hunter2", "--state", "s"];
    let page = report(&folder, &given, 1);
    has(&page, &["refused", "InvalidTemplate", "rule written here", "minLength"]);
    // The message stands above the lines, and not in them as well.
    assert!(!page.contains("error[InvalidTemplate]"), "{page}");
    assert!(!page.contains("hunter2"), "{page}");
}

#[test]
fn validation_is_reported_by_rule() {
    let folder = Folder::with(&[("main.bicep", PROGRAM.as_bytes())]);
    let page = report(&folder, &["validate", "main.bicep", "--param", "password=hunter2"], 1);
    has(&page, &["not valid", "InvalidTemplate", "param name string"]);
    let page = report(
        &folder,
        &["validate", "main.bicep", "--param", "name=shop", "--param", "password=hunter2"],
        0,
    );
    has(&page, &["valid", "<svg", "BCP081"]);
    assert!(!page.contains("hunter2"), "{page}");
    folder.write("wrong.bicep", b"var a = missing\n");
    let page = report(&folder, &["validate", "wrong.bicep"], 1);
    has(&page, &["BCP057", "var a = missing"]);
}

#[test]
fn lines_of_programs_are_reported_without_the_secrets_in_them() {
    let program = "@secure()\n@minLength(30)\nparam key string = 'hunter2 default'\n@secure()\n@maxLength(5)\nparam other string\nparam size int\n";
    let values = "using 'main.bicep'\nparam other = 'hunter2 given'\nparam size = 'shown'\n";
    let files = [("main.bicep", program.as_bytes()), ("main.bicepparam", values.as_bytes())];
    let folder = Folder::with(&files);
    for file in ["main.bicep", "main.bicepparam"] {
        let page = report(&folder, &["validate", file], 1);
        has(&page, &["param key string", "neither the value of a secure parameter"]);
        assert!(!page.contains("hunter2"), "{page}");
    }
    let page = report(&folder, &["validate", "main.bicepparam"], 1);
    has(&page, &["param other =", "param size = 'shown'"]);
    // A message may repeat a value.
    let values = "using 'main.bicep'\nparam other = 1234567\nparam size = 1\n";
    std::fs::write(folder.path("main.bicepparam"), values).unwrap();
    let page = report(&folder, &["validate", "main.bicepparam"], 1);
    assert!(!page.contains("1234567"), "{page}");
}

#[test]
fn violations_are_reported_by_rule() {
    let contract = br#"{"type": "object", "properties": {"n": {"type": "integer", "minimum": 3}, "m": {"type": "integer", "minimum": 5}}}"#;
    let folder = Folder::with(&[
        ("contract.json", contract),
        ("a.json", br#"{"n": 1, "m": 2}"#),
        ("b.json", br#"{"n": 4}"#),
    ]);
    let page = report(&folder, &["check", "a.json", "b.json", "--against", "contract.json"], 1);
    has(
        &page,
        &[
            "1 value valid, 1 invalid, 2 violations",
            "<code>minimum</code> <span class=\"count\">2</span>",
            "rule written here",
        ],
    );
    let page = report(&folder, &["check", "b.json", "--against", "contract.json"], 0);
    has(&page, &["Nothing is wrong.", "1 value valid"]);
}

#[test]
fn a_secret_that_an_alias_repeats_is_in_no_output() {
    let types = "namespace: Test.Data
types:
  databases:
    apiVersions:
      '2025-01-01':
        schema:
          type: object
          properties:
            environment: {type: string}
            password: {type: string, x-radius-sensitive: true}
            size: {type: integer}
";
    let value = "properties:\n  environment: e\n  password: &a hunter2\n  size: *a\n";
    let folder = Folder::with(&[("types.yaml", types.as_bytes()), ("value.yaml", value.as_bytes())]);
    for more in [&[][..], &["--output", "json"]] {
        let output = folder.run(&[&["check", "--against", "types.yaml", "value.yaml"], more].concat(), b"");
        let said = String::from_utf8([output.stdout, output.stderr].concat()).unwrap();
        assert!(said.contains("properties.size") && !said.contains("hunter2"), "{said}");
    }
}
