//! Saved plans: what was reviewed is what is done, or nothing is.

use crate::support::Folder;

const PROGRAM: &str = "@secure()
param password string
param size int = 3
param now string = utcNow('yyyy-MM-ddTHH:mm:ss.fffffff')

resource account 'A.B/accounts@2024-01-01' = {
  name: 'one'
  properties: { size: size, password: password, made: now }
}

module inner 'inner.bicep' = {
  name: 'inner'
  params: { text: account.id }
}
";

const INNER: &str = "param text string
resource part 'A.B/parts@2024-01-01' = [for i in range(0, 2): {
  name: 'part${i}'
  properties: { text: text, nested: { list: [1, 2] }, long: join(map(range(0, 100), n => 'x'), '') }
}]
";

fn planned() -> Folder {
    let folder = Folder::with(&[
        ("main.bicep", PROGRAM.as_bytes()),
        ("inner.bicep", INNER.as_bytes()),
        ("values.json", br#"{"password": "hunter2"}"#),
    ]);
    run(&folder, "tendon what-if main.bicep --parameters values.json --out the.plan", 0);
    folder
}

#[track_caller]
fn run(folder: &Folder, line: &str, exit: i32) -> String {
    let output = folder.run_line(line, b"");
    let text = folder.anonymous(&[output.stdout, output.stderr].concat());
    assert_eq!(output.status.code(), Some(exit), "{line}: {text}");
    text
}

/// Deploys the plan, which is refused, and looks that nothing was deployed.
#[track_caller]
fn refused(folder: &Folder, why: &str) {
    let before = run(folder, "tendon state list", 0);
    let text = run(folder, "tendon deploy --plan the.plan", 1);
    assert!(text.contains(why), "{text}");
    assert_eq!(run(folder, "tendon state list", 0), before);
}

#[test]
fn what_was_planned_is_deployed_once() {
    let folder = planned();
    let plan = std::fs::read_to_string(folder.path("the.plan")).unwrap();
    assert!(!plan.contains("hunter2") && plan.contains("\"secrets\""), "{plan}");
    let text = run(&folder, "tendon deploy --plan the.plan", 0);
    assert!(text.contains("3 created"), "{text}");
    // The time is that of the plan, so that nothing else is put than was shown.
    let again = run(&folder, "tendon what-if main.bicep --parameters values.json", 0);
    assert!(again.contains("~ properties.made:"), "{again}");
    refused(&folder, "the resources changed since the plan was made");
    run(&folder, "tendon destroy main --yes", 0);
    run(&folder, "tendon deploy --plan the.plan", 0);
}

#[cfg(unix)]
#[test]
fn only_its_owner_can_read_a_plan() {
    use std::os::unix::fs::PermissionsExt as _;
    let folder = planned();
    let mode = std::fs::metadata(folder.path("the.plan")).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
}

#[test]
fn a_plan_is_refused_if_what_it_was_made_from_changed() {
    for (file, text) in [
        ("main.bicep", PROGRAM.replace("'one'", "'two'")),
        ("inner.bicep", INNER.replace("nested", "other")),
        ("values.json", r#"{"password": "other"}"#.to_owned()),
    ] {
        let folder = planned();
        folder.write(file, text.as_bytes());
        let named = if file == "inner.bicep" { "main.bicep" } else { file };
        refused(&folder, &format!("`/FOLDER/{named}` changed since the plan was made"));
    }
    let folder = planned();
    std::fs::remove_file(folder.path("values.json")).unwrap();
    refused(&folder, "`/FOLDER/values.json` changed since the plan was made");
    // A comment changes nothing that is deployed.
    let folder = planned();
    folder.write("main.bicep", format!("// hello\n{PROGRAM}").as_bytes());
    run(&folder, "tendon deploy --plan the.plan", 0);
}

/// Files are compared as they were compiled for the plan, and mocks that name resources have them compiled with symbolic names.
#[test]
fn a_plan_made_with_mocks_or_symbolic_names_is_deployed() {
    for options in ["--mocks mocks.yaml", "--symbolic-names"] {
        let folder = Folder::with(&[
            ("main.bicep", PROGRAM.as_bytes()),
            ("inner.bicep", INNER.as_bytes()),
            ("values.json", br#"{"password": "hunter2"}"#),
            ("mocks.yaml", b"reference:\n  account:\n    color: red\n"),
        ]);
        let what_if = format!("tendon what-if main.bicep --parameters values.json {options} --out the.plan");
        run(&folder, &what_if, 0);
        folder.write("inner.bicep", INNER.replace("nested", "other").as_bytes());
        refused(&folder, "`/FOLDER/main.bicep` changed since the plan was made");
        folder.write("inner.bicep", INNER.as_bytes());
        let text = run(&folder, "tendon deploy --plan the.plan", 0);
        assert!(text.contains("3 created"), "{options}: {text}");
    }
}

#[test]
fn a_plan_is_refused_if_the_state_changed() {
    let folder = planned();
    folder.write("first.bicep", b"resource account 'A.B/accounts@2024-01-01' = {\n  name: 'one'\n}\n");
    folder.write("more.bicep", b"resource account 'A.B/accounts@2024-01-01' = {\n  name: 'more'\n}\n");
    // What the plan has nothing to do with may come and go.
    run(&folder, "tendon deploy more.bicep", 0);
    run(&folder, "tendon deploy first.bicep", 0);
    refused(&folder, "the resources changed since the plan was made");
}

#[test]
fn a_plan_that_somebody_touched_is_refused() {
    let folder = planned();
    let plan = std::fs::read_to_string(folder.path("the.plan")).unwrap();
    for (from, to) in [
        ("\"mode\":\"Incremental\"", "\"mode\":\"Complete\""),
        ("A.B/parts", "A.B/partz"),
        ("\"check\":\"", "\"check\":\"0"),
        ("\"secrets\":\"01", "\"secrets\":\"02"),
    ] {
        assert!(plan.contains(from), "{from}");
        folder.write("the.plan", plan.replacen(from, to, 1).as_bytes());
        refused(&folder, "the plan was changed, or made with the key of another state");
    }
    folder.write("the.plan", plan.replacen("\"tendonPlan\":1", "\"tendonPlan\":2", 1).as_bytes());
    refused(&folder, "the plan has version 2");
    for text in ["", "{}", "[]", "{\"tendonPlan\":1}", "{\"tendonPlan\":1,\"check\":\"\",\"plan\":{}}"] {
        folder.write("the.plan", text.as_bytes());
        run(&folder, "tendon deploy --plan the.plan", 1);
    }
    // Another project has another key.
    folder.write("the.plan", plan.as_bytes());
    let text = run(&folder, "tendon deploy --plan the.plan --state elsewhere", 1);
    assert!(text.contains("made with the key of another state"), "{text}");
}

#[test]
fn a_plan_is_made_and_done_by_itself() {
    let folder = planned();
    for line in [
        "tendon deploy main.bicep --plan the.plan",
        "tendon deploy --plan the.plan --param size=4",
        "tendon deploy --plan the.plan --mode complete",
        "tendon deploy --plan the.plan --scope /",
        "tendon what-if main.bicep --parameters values.json --out other.plan --server http://127.0.0.1:1",
    ] {
        let output = folder.run_line(line, b"");
        assert!(matches!(output.status.code(), Some(2 | 3)), "{line}: {output:?}");
    }
    // What would fail is no plan.
    folder.write("wrong.bicep", b"output a string = reference('/subscriptions/s/resourceGroups/g/providers/A.B/c/d', '2024-01-01').x\n");
    run(&folder, "tendon what-if wrong.bicep --out wrong.plan", 1);
    assert!(!folder.path("wrong.plan").exists());
}

#[test]
fn a_prediction_is_shown_by_scope_and_module_with_what_is_made() {
    let folder = planned();
    let text = run(&folder, "tendon what-if main.bicep --parameters values.json", 0);
    let lines: Vec<&str> = text.lines().skip_while(|line| !line.starts_with('/')).collect();
    assert_eq!(lines[1], "  + account  A.B/accounts/one", "{text}");
    assert_eq!(lines[2], "      properties.size: 3");
    assert!(lines.contains(&"  module inner") && lines.contains(&"    + part[1]  A.B/parts/part1"), "{text}");
    assert!(lines.contains(&"        properties.nested.list: [1,2]"), "{text}");
    assert!(text.contains("x… and ") && !text.contains("hunter2"), "{text}");
    assert_eq!(text.matches("/subscriptions/").count(), 3, "the scope, and the id that is a value: {text}");
    assert!(text.contains("\n3 to create\n"), "{text}");
    let all = run(&folder, "tendon what-if main.bicep --parameters values.json -v", 0);
    assert!(all.contains(&"x".repeat(100)) && !all.contains('…'), "{all}");
}
