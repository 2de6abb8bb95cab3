//! `tendon test` on whole programs: it says what a deployment says, it finds what is wrong, and the examples have tests.

use serde_json::{Value, json};

use crate::support::Folder;

#[track_caller]
fn run(folder: &Folder, line: &str, exit: i32) -> String {
    let output = folder.run_line(line, b"");
    let text = folder.anonymous(&[output.stdout.as_slice(), &output.stderr].concat());
    assert_eq!(output.status.code(), Some(exit), "{line}: {text}");
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn the_examples_are_covered_and_their_mutants_are_killed() {
    let folder = Folder::with(&[]);
    folder.add_examples();
    run(&folder, "tendon test examples --min-coverage 95", 0);
    run(&folder, "tendon test examples/validated --mutate --min-score 95 -q", 0);
    // All kinds of changes take a minute of a processor; these are the ones that tests miss most.
    let kinds = "condition,ternary,logical,coalesce,bound,constraint,validator,dependency,loop";
    run(
        &folder,
        &format!("tendon test examples/storefront --mutate --min-score 95 -q --mutators {kinds}"),
        0,
    );
}

/// A program with everything that a deployment is made of.
const PARTS: &str = "param names array = ['a', 'b']
param broken bool = false
@secure()
param pass string = 'hunter2'
resource one 'My.Rp/ones@2024-01-01' = {
  name: 'one'
  location: resourceGroup().location
  properties: { pass: pass, dep: deployment().name }
  resource inner 'parts' = {
    name: 'inner'
    properties: { outer: one.id }
  }
}
resource many 'My.Rp/many@2024-01-01' = [for (name, i) in names: if (i > 0 || broken) {
  name: 'many-${name}'
  properties: { at: i, of: one.properties.dep }
}]
module inside 'inside.bicep' = [for name in names: {
  name: 'inside-${name}'
  params: { name: name }
  dependsOn: [many]
}]
output ids array = [for i in range(0, length(names)): inside[i].outputs.id]
output unique string = uniqueString(resourceGroup().id, deployment().name)
output text string = broken ? fail('it is broken') : 'fine'
";

const INSIDE: &str = "@minLength(1)
param name string
resource it 'My.Rp/inside@2024-01-01' = {
  name: 'in-${name}'
  tags: { name: name }
}
output id string = it.id
";

/// Leaves out what a service makes up from the key of a state, which is another one for each: digests and addresses.
fn without_digests(value: &mut Value) {
    let is_digest = |value: &Value| {
        let last = value.as_str().and_then(|text| text.get(text.len().checked_sub(32)?..));
        last.is_some_and(|last| last.chars().all(|digit| digit.is_ascii_hexdigit()))
    };
    match value {
        Value::Object(members) => {
            members.retain(|name, value| !is_digest(value) && !name.to_lowercase().contains("ipaddress"));
            members.values_mut().for_each(without_digests);
        }
        Value::Array(items) => items.iter_mut().for_each(without_digests),
        _ => {}
    }
}

/// What a deployment made: its outputs, and its resources as they are kept.
fn deployed(folder: &Folder, program: &str, options: &str) -> (Value, Vec<Value>) {
    let line = format!("tendon deploy {program} {options} --state state -o json");
    let response: Value = serde_json::from_str(&run(folder, &line, 0)).unwrap();
    let outputs = response["properties"]["outputs"].as_object().cloned().unwrap_or_default();
    let outputs = outputs.into_iter().map(|(name, output)| (name, output["value"].clone()));
    let export = run(folder, "tendon state export --state state", 0);
    let rows = export.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let kept = rows.filter_map(|row| {
        let resource = row.get("resource")?;
        let body: Value = serde_json::from_str(resource["body"].as_str()?).unwrap();
        let mut shown = serde_json::Map::from_iter([("id".to_owned(), resource["id"].clone())]);
        for part in ["properties", "tags", "sku", "location", "kind"] {
            shown.extend(body["body"].get(part).map(|value| (part.to_owned(), value.clone())));
        }
        let mut shown = Value::Object(shown);
        without_digests(&mut shown);
        Some(shown)
    });
    (Value::Object(outputs.collect()), kept.collect())
}

#[test]
fn a_case_says_what_a_deployment_says() {
    let parts: [(&str, &[u8]); 2] = [("parts.bicep", PARTS.as_bytes()), ("inside.bicep", INSIDE.as_bytes())];
    for (program, options, body) in [
        (
            "examples/storefront/prod.bicepparam",
            "--mocks examples/storefront/mocks.yaml",
            "mocks: loadYamlContent('examples/storefront/mocks.yaml')",
        ),
        (
            "examples/retry/main.json",
            "--mocks examples/retry/mocks.yaml",
            "mocks: loadYamlContent('examples/retry/mocks.yaml')",
        ),
        (
            "examples/validated/main.bicep",
            "--param team=crane --param token=x --param 'members=[{\"name\":\"ada\",\"role\":\"lead\"}]'",
            "params: { team: 'crane', token: 'x', members: [{ name: 'ada', role: 'lead' }] }",
        ),
        ("parts.bicep", "", ""),
        ("parts.bicep", "--param 'names=[\"x\", \"y\", \"z\"]'", "params: { names: ['x', 'y', 'z'] }"),
    ] {
        let folder = Folder::with(&parts);
        folder.add_examples();
        let (outputs, kept) = deployed(&folder, program, options);
        folder.write("outputs.json", json!({ "outputs": outputs, "kept": kept }).to_string().as_bytes());
        // Secrets are kept as what they are, and are compared as such.
        let tests = format!(
            "var told = loadJsonContent('outputs.json')
test same '{program}' = {{
  {body}
  checks: {{ secretOutput: false, idempotent: false }}
}}
assert outputs = same.outputs == told.outputs
assert count = length(same.all) == length(told.kept)
assert kept = filter(told.kept, it => !hasItem(same.all, it)) == []
"
        );
        folder.write("same.biceptest", tests.as_bytes());
        run(&folder, "tendon test same.biceptest", 0);
    }
}

#[test]
fn a_case_fails_as_a_deployment_fails() {
    let folder = Folder::with(&[("parts.bicep", PARTS.as_bytes()), ("inside.bicep", INSIDE.as_bytes())]);
    for (options, params) in
        [("--param broken=true", "{ broken: true }"), ("--param 'names=[\"\"]'", "{ names: [''] }")]
    {
        let line = format!("tendon deploy parts.bicep {options} --state state -o json");
        let response: Value = serde_json::from_str(&run(&folder, &line, 1)).unwrap();
        let error = response.pointer("/error").or_else(|| response.pointer("/properties/error")).unwrap();
        let (code, message) = (error["code"].as_str().unwrap(), error["message"].as_str().unwrap());
        folder.write("error.json", json!({ "code": code, "message": message }).to_string().as_bytes());
        let tests = format!(
            "var told = loadJsonContent('error.json')
test same 'parts.bicep' = {{
  params: {params}
  expect: {{ failure: {{ code: told.code }} }}
}}
assert message = same.error.message == told.message
"
        );
        folder.write("same.biceptest", tests.as_bytes());
        run(&folder, "tendon test same.biceptest", 0);
    }
}

/// Programs with a mistake, and the least parameters that show it.
const PLANTED: [(&str, &str); 20] = [
    ("@minValue(0)\n@maxValue(100)\nparam n int\noutput o int = 100 / n", r#"{"n":0}"#),
    ("@minValue(0)\n@maxValue(1000)\nparam n int\noutput o int = n > 637 ? 1 / zero : 0", r#"{"n":638}"#),
    ("param n int\noutput o int = n == 4711 ? 1 / zero : 0", r#"{"n":4711}"#),
    (
        "@maxLength(20)\nparam s string\noutput o int = length(s) > 12 ? 1 / zero : 0",
        r#"{"s":"aaaaaaaaaaaaa"}"#,
    ),
    ("param k 'a' | 'b' | 'c'\nvar m = { a: 1, b: 2 }\noutput o int = m[k]", r#"{"k":"c"}"#),
    ("param xs string[]\noutput o string = xs[0]", r#"{"xs":[]}"#),
    ("param a bool\nparam b bool\noutput o int = a && b ? 1 / zero : 0", r#"{"a":true,"b":true}"#),
    ("param c { n: string? }\noutput o int = length(c.n!)", r#"{"c":{}}"#),
    ("param s string\noutput o int = s == 'prod' ? 1 / zero : 0", r#"{"s":"prod"}"#),
    ("param s string\noutput o int = startsWith(s, 'x') ? 1 / zero : 0", r#"{"s":"x"}"#),
    ("param n int\noutput o int = n < 0 ? 1 / zero : 0", r#"{"n":-1}"#),
    ("param t [int, string]\noutput o int = t[0] == 3 ? 1 / zero : 0", r#"{"t":[3,""]}"#),
    (
        "@discriminator('k')\nparam u ({ k: 'a', v: int } | { k: 'b', w: string })\noutput o int = u.k == 'b' ? int(u.w) : 1",
        r#"{"u":{"k":"b","w":""}}"#,
    ),
    ("param n int = 1\noutput o int = n > 1 ? 5 / (n - 2) : 1", r#"{"n":2}"#),
    ("@maxLength(10)\nparam xs int[]\noutput o int = length(xs) > 3 ? 1 / zero : 0", r#"{"xs":[0,0,0,0]}"#),
    ("param n int\noutput o int = n % 7 == 3 ? 1 / zero : 0", r#"{"n":3}"#),
    ("@allowed([1, 2, 8])\nparam n int\noutput o int = n > 5 ? 1 / zero : 0", r#"{"n":8}"#),
    (
        "param c { a: { b: { n: int }[] } }\noutput o int = length(c.a.b) > 0 ? 10 / c.a.b[0].n : 1",
        r#"{"c":{"a":{"b":[{"n":0}]}}}"#,
    ),
    (
        "@secure()\nparam p string\nparam show bool\noutput o string = show ? p : 'x'",
        r#"{"p":"","show":true}"#,
    ),
    (
        "param n int\nparam now string = utcNow()\nresource r 'My.Rp/ts@2024-01-01' = { name: 'r', properties: { t: n > 5 ? now : 'x' } }",
        r#"{"n":6}"#,
    ),
];

#[test]
fn planted_mistakes_are_found_and_shrunk() {
    let folder = Folder::with(&[]);
    for (program, least) in PLANTED {
        // What the compiler can work out is none that has to be found.
        let program = format!("{program}\nparam zero int = 0\n");
        let tests = "test planted 'main.bicep' = {\n  params: { zero: 0 }\n  generate: { count: 300 }\n}\n";
        let tests = if program.contains("/ zero") { tests } else { &tests.replace("zero: 0", "") };
        folder.write("main.bicep", program.as_bytes());
        folder.write("main.biceptest", tests.as_bytes());
        let report: Value = serde_json::from_str(&run(&folder, "tendon test -o json", 1)).unwrap();
        let generated = &report["files"][0]["tests"][0]["generated"];
        let least: Value = serde_json::from_str(least).unwrap();
        assert_eq!(generated["counterexample"], least, "{program}: {report:#}");
    }
}

#[test]
fn a_page_has_the_programs_and_what_was_reached() {
    let folder = Folder::with(&[]);
    folder.add_examples();
    run(&folder, "tendon test examples/validated --coverage --report page.html", 0);
    let page = std::fs::read_to_string(folder.path("page.html")).unwrap();
    for part in ["@hasOneLead()", "100.0 % reached", "teams[plain]"] {
        assert!(page.contains(part), "{part}");
    }
}

#[test]
fn a_change_of_the_program_runs_the_tests_again() {
    use std::io::{BufRead as _, BufReader};
    let folder = Folder::with(&[
        ("main.bicep", b"output o int = 1\n"),
        ("main.biceptest", b"test t 'main.bicep' = {}\nassert two = t.outputs.o == 2\n"),
    ]);
    let mut command = folder.tendon(&["test", "--watch", "--color", "never"]);
    let (input, output, errors) =
        (std::process::Stdio::null(), std::process::Stdio::piped(), std::process::Stdio::null());
    let mut child = command.stdin(input).stdout(output).stderr(errors).spawn().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines().map_while(Result::ok);
    let first = lines.find(|line| line.contains("1 test:"));
    folder.write("main.bicep", b"output o int = 2 // now\n");
    let second = lines.find(|line| line.contains("1 test:"));
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(first.is_some_and(|line| line.contains("1 failed")));
    assert!(second.is_some_and(|line| line.contains("1 passed")));
}

#[test]
fn as_many_parameters_are_tried_as_are_wanted() {
    let program = b"func even(n int) object => n % 2 == 0 ? { kind: 'success' } : { kind: 'failure', errorMessage: 'odd' }\n@even()\nparam size int\noutput large bool = size > 5\n";
    let folder = Folder::with(&[("main.bicep", program.as_slice())]);
    for (options, tried) in [("", 100), ("--count 300", 300)] {
        let report = run(&folder, &format!("tendon test --auto main.bicep {options} -o json"), 0);
        let report: Value = serde_json::from_str(&report).unwrap();
        assert_eq!(report["files"][0]["tests"][0]["generated"]["tried"], json!(tried), "{options}");
    }
    // What a file gives is not generated.
    let test = b"test given 'main.bicep' = {\n  params: 'values.json'\n  generate: {}\n}\nassert four = given.params.size == 4\n";
    let folder = Folder::with(&[
        ("main.bicep", program.as_slice()),
        ("values.json", br#"{ "size": 4 }"#),
        ("a.biceptest", test.as_slice()),
    ]);
    run(&folder, "tendon test", 0);
    // What it compares with is tried, and so are the neighbours.
    let folder =
        Folder::with(&[("main.bicep", b"param size int\noutput large bool = size > 5\n".as_slice())]);
    run(&folder, "tendon test --auto main.bicep --mutate --min-score 100", 0);
}
