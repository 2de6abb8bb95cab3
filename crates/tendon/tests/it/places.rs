//! Errors lead to the line of Bicep that they come from, and causes come before what follows from them.

use crate::support::Folder;

#[track_caller]
fn run(folder: &Folder, line: &str, exit: i32) -> String {
    let output = folder.run_line(line, b"");
    let text = folder.anonymous(&[output.stdout, output.stderr].concat());
    assert_eq!(output.status.code(), Some(exit), "{line}: {text}");
    text
}

#[track_caller]
fn has(text: &str, parts: &[&str]) {
    for part in parts {
        assert!(text.contains(part), "`{part}` is missing in\n{text}");
    }
}

const MAIN: &str = "resource gone 'A.B/c@2024-01-01' existing = {
  name: 'missing'
}
resource user 'A.B/d@2024-01-01' = {
  name: 'user'
  properties: {
    size: 3
    value: gone.properties.x
  }
}
module inner 'inner.bicep' = {
  name: 'inner'
}
";

const INNER: &str = "resource gone 'A.B/c@2024-01-01' existing = {
  name: 'missing'
}

output x string = gone.properties.y
";

#[test]
fn a_deployment_that_fails_names_the_line_in_the_program() {
    let folder = Folder::with(&[("main.bicep", MAIN.as_bytes()), ("inner.bicep", INNER.as_bytes())]);
    for command in ["deploy", "what-if"] {
        let text = run(&folder, &format!("tendon {command} main.bicep"), 1);
        has(&text, &["--> main.bicep:8:5", "--> inner.bicep:5:1", "= help: a resource that is not there"]);
        assert_eq!(text.matches("= help: a resource that is not there").count(), 1, "{text}");
    }
    let json = run(&folder, "tendon deploy main.bicep -o json", 1);
    let json: String = json.split_whitespace().collect();
    has(
        &json,
        &[
            r#"{"type":"SourceLocation","info":{"file":"main.bicep","line":8,"column":5,"endLine":8,"endColumn":29}}"#,
        ],
    );
}

const RULES: &str = "@export()
func even(n int) object => n % 2 == 0 ? { kind: 'success' } : { kind: 'failure', errorMessage: '${n} is odd' }

@export()
type sized = {
  @even()
  width: int
}
";

const PROGRAM: &str = "import { even, sized } from 'rules.bicep'
type local = {
  name: string
  @even()
  height: int
}
param a local
param s sized
param list local[]
output all array = [a, s, list]
";

const VALUES: &str = "using 'main.bicep'
param a = {
  name: 'n'
  height: 3
}
param s = {
  width: 5
}
param list = [
  { name: 'x', height: 2 }
  { name: 'y', height: 7 }
]
";

#[test]
fn a_validator_is_named_by_its_decorator_and_a_value_by_its_item() {
    let folder = Folder::with(&[
        ("main.bicep", PROGRAM.as_bytes()),
        ("rules.bicep", RULES.as_bytes()),
        ("main.bicepparam", VALUES.as_bytes()),
    ]);
    let text = run(&folder, "tendon validate main.bicepparam", 1);
    has(&text, &["3 is odd", "main.bicepparam:4:3", "main.bicep:4:3"]);
    has(&text, &["5 is odd", "main.bicepparam:7:3", "rules.bicep:6:3"]);
    has(&text, &["7 is odd", "main.bicepparam:11:16"]);
    assert!(!text.contains("(compiled)"), "{text}");
}

#[test]
fn causes_come_first_and_what_follows_is_folded() {
    let folder = Folder::with(&[(
        "main.bicep",
        b"@odd()
param a int
@odd()
param b int
output c int = a + b
output d string = missing
func odd(n int) bool => 'no'
",
    )]);
    let text = run(&folder, "tendon lint main.bicep --diagnostics-format pretty", 1);
    has(&text, &["main.bicep:7:25", "main.bicep:6:19", "2 errors follow from others; `--verbose` shows all"]);
    assert!(!text.contains("validator-result") && text.contains("4 errors"), "{text}");
    let all = run(&folder, "tendon lint main.bicep --diagnostics-format pretty -v", 1);
    let place = |part: &str| all.find(part).unwrap_or_else(|| panic!("{part}: {all}"));
    assert!(place("main.bicep:7:25") < place("validator-result"), "{all}");
    // For programs, the order is that of the file.
    let json = run(&folder, "tendon lint main.bicep -o json", 1);
    assert!(json.find("validator-result").unwrap() < json.find("BCP033").unwrap(), "{json}");
}

#[test]
fn a_failure_has_the_form_for_diagnostics_and_nothing_is_reported_twice() {
    let folder = Folder::with(&[("main.bicep", MAIN.as_bytes()), ("inner.bicep", INNER.as_bytes())]);
    let text = run(&folder, "tendon deploy main.bicep", 1);
    has(&text, &["8 |     value: gone.properties.x", "deployment main failed", "failed\n"]);
    assert!(!text.contains("DeploymentFailed"), "{text}");
    let github = run(&folder, "tendon deploy main.bicep --diagnostics-format github", 1);
    has(&github, &["::error file=main.bicep,line=8,", "::error file=inner.bicep,line=5,"]);
    let junit = run(&folder, "tendon deploy main.bicep --diagnostics-format junit", 1);
    has(&junit, &["<failure type=\"InvalidTemplate\""]);
    let refused = Folder::with(&[
        ("main.bicep", PROGRAM.as_bytes()),
        ("rules.bicep", RULES.as_bytes()),
        ("main.bicepparam", VALUES.as_bytes()),
    ]);
    for command in ["validate", "what-if", "deploy", "snapshot", "graph"] {
        let text = run(&refused, &format!("tendon {command} main.bicepparam"), 1);
        for value in ["3 is odd", "5 is odd", "7 is odd"] {
            assert_eq!(text.matches(value).count(), 1, "{command} {value}: {text}");
        }
    }
}

#[test]
fn what_has_an_error_has_no_type_and_is_folded() {
    let program = "type broken = nope
param a broken
func f() broken => 'x'
var b = f()
output c string = b
output d { x: broken } = { x: 1 }
output e broken[] = [1]
var g = map([1], it => missing)
";
    let folder = Folder::with(&[("main.bicep", program.as_bytes())]);
    let all = run(&folder, "tendon lint main.bicep", 1);
    assert!(!all.contains("`error") && !all.contains("error`"), "{all}");
    let text = run(&folder, "tendon lint main.bicep --diagnostics-format pretty", 1);
    assert!(!text.contains("BCP062") && text.contains("follow from others"), "{text}");
    let verbose = run(&folder, "tendon lint main.bicep --diagnostics-format pretty -v", 1);
    assert!(verbose.contains("BCP062"), "{verbose}");
}

#[test]
fn mocks_that_nothing_uses_are_reported_by_every_command() {
    let mocks = "deployer:\n  objectId: x\nreference:\n  gone: { x: a, y: b }\n  other: {}\nsecrets:\n  vault: { pw: x }\n";
    let folder = Folder::with(&[
        ("main.bicep", MAIN.as_bytes()),
        ("inner.bicep", INNER.as_bytes()),
        ("mocks.yaml", mocks.as_bytes()),
        ("sub/bicepconfig.json", br#"{"tendon": {"mocks": "../mocks.yaml"}}"#),
        ("sub/main.bicep", b"output x int = 1\n"),
    ]);
    for command in ["validate", "what-if", "deploy", "snapshot", "graph"] {
        let text = run(&folder, &format!("tendon {command} main.bicep --mocks mocks.yaml"), 0);
        has(&text, &["a result of `deployer`", "`reference` for `other`", "the secret `pw` of `vault`"]);
        assert!(!text.contains("for `gone`"), "{command}: {text}");
    }
    // The mocks of a project are for all of its programs.
    assert!(!run(&folder, "tendon what-if sub/main.bicep", 0).contains("unused-mock"));
}
