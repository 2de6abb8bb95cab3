//! Commands say the same of a server as of a state on this machine.

use std::io::{BufRead as _, BufReader};
use std::process::{Child, Stdio};

use crate::support::Folder;

/// A server in a process of its own.
pub(super) struct Served {
    process: Child,
    pub(super) url: String,
}

impl Served {
    pub(super) fn start(folder: &Folder) -> Served {
        Served::start_with(folder, &[])
    }

    fn start_with(folder: &Folder, more: &[&str]) -> Served {
        let usual = ["serve", "--http", "--listen", "127.0.0.1:0", "--state", "served"];
        let mut command = folder.tendon(&[&usual, more].concat());
        let mut process = command.stdout(Stdio::piped()).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(process.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let url = line.trim_end().strip_prefix("listening on ").expect(&line).to_owned();
        Served { process, url }
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// What a command says, without what differs from run to run.
pub(super) fn said(folder: &Folder, arguments: &str) -> String {
    let output = folder.run_line(&format!("tendon {arguments}"), &[]);
    let text = format!(
        "{}{}{:?}",
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr),
        output.status.code()
    );
    let differs = ["\"timestamp\"", "\"duration\"", "\"correlationId\""];
    let lines = text.lines().filter(|line| !differs.iter().any(|word| line.contains(word)));
    let time = |line: &str| match line.split_once(" in ").zip(line.split_once("s: ")) {
        Some(((how, _), (_, what))) if line.starts_with("deployment ") => format!("{how}: {what}"),
        _ => line.to_owned(),
    };
    lines.map(time).collect::<Vec<_>>().join("\n")
}

const MAIN: &str = "\
@maxLength(8)
param name string = 'shop'
@secure()
param password string = ''
resource one 'Our.Things/things@2025-01-01' = {
  name: name
  properties: { size: 1, password: password }
}
resource two 'Our.Things/things@2025-01-01' = {
  name: '${name}2'
  properties: { of: one.id }
}
output size int = one.properties.size
output tenant string = tenant().tenantId
";

const FAILING: &str = "\
resource one 'Our.Things/things@2025-01-01' = {
  name: 'one'
  properties: { key: missing.properties.key }
}
resource two 'Our.Things/things@2025-01-01' = {
  name: 'two'
  properties: {}
  dependsOn: [ one ]
}
resource missing 'Our.Things/things@2025-01-01' existing = {
  name: 'missing'
}
";

#[test]
fn deployments_to_a_server_say_what_those_on_this_machine_say() {
    let folder = Folder::with(&[]);
    folder.write("main.bicep", MAIN.as_bytes());
    folder.write("failing.bicep", FAILING.as_bytes());
    let served = Served::start(&folder);
    let mut told = String::new();
    // A prediction makes no group, and there is none yet.
    let first = said(&folder, &format!("what-if main.bicep --server {}", served.url));
    assert!(first.contains("ResourceGroupNotFound"), "{first}");
    let again = said(&folder, &format!("what-if main.bicep --server {}", served.url));
    assert_eq!(again, first, "nothing was changed");
    for line in [
        "deploy main.bicep --param password=one",
        "deploy main.bicep --param password=one",
        "what-if main.bicep --param password=hush2 --exit-code",
        "what-if main.bicep --param password=hush2 -o json",
        "deploy main.bicep --param password=hush2 -o json",
        "deploy main.bicep --param name=much-too-long",
        "deploy main.bicep -q --name other",
        "deploy failing.bicep",
        "deploy failing.bicep -o json",
    ] {
        let here = said(&folder, &format!("{line} --state here"));
        let there = said(&folder, &format!("{line} --server {}", served.url));
        assert_eq!(there, here, "{line}");
        told.push_str(&here);
    }
    // The group is kept there, because it was made.
    // A server is sent a template, which does not have the names of the program; on this machine, operations have them.
    let without_names = |text: &str| -> String {
        let joined = text.replace(",\n          \"symbolicName\"", "\n          \"symbolicName\"");
        joined.lines().filter(|line| !line.contains("\"symbolicName\"")).collect::<Vec<_>>().join("\n")
    };
    let without_group = |text: String| {
        let lines = text.lines().filter(|line| !line.ends_with("/resourceGroups/local"));
        lines.map(|line| format!("{line}\n")).collect::<String>()
    };
    let one = "state show /subscriptions/00000000-0000-0000-0000-000000000001/resourceGroups/local/providers/Our.Things/things/SHOP";
    for line in [
        "state list",
        "state list --scope /subscriptions/00000000-0000-0000-0000-000000000001/resourceGroups/loc",
        "state list --scope /subscriptions/00000000-0000-0000-0000-000000000001/resourceGroups/local/providers -q",
        one,
        "state show other",
        "state show nothing",
        "state delete other",
        "state show other",
        "state delete nothing",
        &one.replace("show", "delete"),
        one,
        "state list",
    ] {
        let here = without_group(said(&folder, &format!("{line} --state here")));
        let there = without_group(said(&folder, &format!("{line} --server {}", served.url)));
        assert_eq!(without_names(&there), without_names(&here), "{line}");
        told.push_str(&here);
    }
    assert!(told.contains("deleted deployment other") && told.contains("deleted resource /sub"), "{told}");
    assert!(!told.contains("hush2"), "secrets are not shown: {told}");
    assert!(
        told.contains("2 created") && told.contains("2 unchanged") && told.contains("another secret"),
        "{told}"
    );
    assert!(told.contains("not started"), "{told}");
}

const TYPES: &str = "\
namespace: MyCompany.Resources
types:
  widgets:
    description: Widgets, of two sizes.
    apiVersions:
      '2025-01-01':
        schema:
          type: object
          properties:
            environment: {type: string}
            size: {type: string, enum: [S, M], default: S}
            password: {type: string, x-radius-sensitive: true}
            host: {type: string, readOnly: true}
          required: [environment]
  gadgets:
    apiVersions:
      '2025-01-01':
        schema: {}
";

#[test]
fn a_deployment_of_a_server_is_drawn_as_one_of_this_machine() {
    let folder = Folder::with(&[]);
    folder.write("main.bicep", MAIN.as_bytes());
    folder.write("failing.bicep", FAILING.as_bytes());
    let around =
        "param name string\nmodule inner 'main.bicep' = {\n  name: 'inner'\n  params: { name: name }\n}\n";
    folder.write("around.bicep", around.as_bytes());
    let served = Served::start(&folder);
    for place in ["--state here".to_owned(), format!("--server {}", served.url)] {
        for file in ["main.bicep --param password=hush", "failing.bicep", "around.bicep --param name=a"] {
            said(&folder, &format!("deploy {file} {place}"));
        }
    }
    for name in ["main", "failing", "around"] {
        for format in ["json", "svg"] {
            let drawn =
                |place: &str| said(&folder, &format!("graph --deployment {name} --format {format} {place}"));
            let here = drawn("--state here");
            let there = drawn(&format!("--server {}", served.url));
            assert_eq!(here, there, "{name}");
            assert!(here.contains("failed") || here.contains("succeeded"), "{here}");
        }
    }
    let none = said(&folder, &format!("graph --deployment none --server {}", served.url));
    assert!(none.contains("none") && none.ends_with("Some(1)"), "{none}");
}

#[test]
fn a_report_has_the_time_line_of_what_a_server_did() {
    let folder = Folder::with(&[]);
    folder.write("main.bicep", MAIN.as_bytes());
    folder.write("failing.bicep", FAILING.as_bytes());
    let served = Served::start(&folder);
    for (file, states) in
        [("main.bicep", ["succeeded", "Succeeded"]), ("failing.bicep", ["failed", "Failed"])]
    {
        said(&folder, &format!("deploy {file} --server {} --report out.html", served.url));
        let page = std::fs::read_to_string(folder.path("out.html")).unwrap();
        let line = page.split("id=\"timeline\"").nth(1).expect("a time line");
        assert!(line.contains("Our.Things/things") && line.contains(states[0]), "{page}");
        assert!(page.contains(states[1]) && page.contains("<rect class=\"run\""), "{page}");
    }
}

#[test]
fn types_and_resources_of_a_server_are_as_those_on_this_machine() {
    let folder = Folder::with(&[]);
    folder.write("types.yaml", TYPES.as_bytes());
    folder.write("wrong.yaml", TYPES.replace("enum: [S, M]", "enum: [S, 3]").as_bytes());
    folder.write("other.yaml", TYPES.replace("[S, M]", "[S, M, L]").as_bytes());
    folder.write("good.json", br#"{"properties": {"environment": "e", "password": "hush"}}"#);
    folder.write("bad.json", br#"{"properties": {"size": "XL", "password": "hush", "colour": "red"}}"#);
    let served = Served::start(&folder);
    let widgets = "MyCompany.Resources/widgets";
    let mut told = String::new();
    for line in [
        "resource-type create -f wrong.yaml".to_owned(),
        "resource-type update -f types.yaml".to_owned(),
        "resource-type create -f types.yaml".to_owned(),
        "resource-type list".to_owned(),
        "resource-type list -o json".to_owned(),
        format!("resource-type show {widgets}"),
        format!("resource-type show {widgets} -o json"),
        "resource-type show MyCompany.Resources/widget".to_owned(),
        format!("resource create {widgets} one -f good.json"),
        format!("resource create {widgets} one -f good.json -o json"),
        format!("resource create {widgets} two -f bad.json"),
        format!("resource create {widgets} three -f good.json -g shop --api-version 2025-01-01"),
        format!("resource create {widgets} three -f good.json --api-version 2024-01-01"),
        format!("resource show {widgets} one"),
        format!("resource show {widgets} one -o json"),
        format!("resource show {widgets} two"),
        "resource list".to_owned(),
        format!("resource list {widgets} -g shop -o json"),
        "resource-type create -f other.yaml".to_owned(),
        "resource-type update -f other.yaml --force".to_owned(),
        format!("resource-type delete {widgets}"),
        format!("resource delete {widgets} one"),
        format!("resource delete {widgets} one"),
        "resource list".to_owned(),
        format!("resource-type delete {widgets} --force"),
        format!("resource-type delete {widgets}"),
        "resource-type list".to_owned(),
    ] {
        let here = said(&folder, &format!("{line} --state here"));
        let there = said(&folder, &format!("{line} --server {}", served.url));
        assert_eq!(there, here, "{line}");
        told.push_str(&here);
    }
    assert!(!told.contains("hush"), "{told}");
    for part in
        ["created", "updated", "has resources", "did you mean", "must be one of", "deleted", "not found"]
    {
        assert!(told.contains(part), "`{part}` in\n{told}");
    }
}

#[test]
fn a_server_that_is_not_there_is_told() {
    let folder = Folder::with(&[]);
    folder.write("main.bicep", MAIN.as_bytes());
    let output = folder.run_line("tendon deploy main.bicep --server http://127.0.0.1:1", &[]);
    let told = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(3), "{told}");
    assert!(told.contains("cannot reach the server `http://127.0.0.1:1`"), "{told}");
    assert!(told.contains("start it with `tendon serve`"), "{told}");
    let output = folder.run_line("tendon deploy main.bicep --server http://example.org", &[]);
    let told = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(3), "{told}");
    assert!(told.contains("https"), "{told}");
}

/// A saved server is asked until something else is named.
#[test]
fn a_context_stands_for_its_server() {
    let folder = Folder::with(&[]);
    folder.write("main.bicep", b"output o int = 1\n");
    folder.write("token", b"not needed here");
    let served = Served::start(&folder);
    let url = &served.url;
    let has_main = |arguments: &str| said(&folder, arguments).contains("deployments/main");
    assert!(said(&folder, "context list").contains("no contexts"));
    assert!(said(&folder, "state list --context one").contains("no context is saved under the name `one`"));
    for wrong in ["a/b https://x", "one ftp://x", "one https://me:token@x", "one https://"] {
        assert!(said(&folder, &format!("context add {wrong}")).ends_with("Some(2)"), "{wrong}");
    }
    let added = said(&folder, &format!("context add one {url}/ --token-file token"));
    assert_eq!(added, "context one saved\nSome(0)");
    said(&folder, "deploy main.bicep --context one");
    assert!(has_main("state list --context one") && has_main(&format!("state list --server {url}")));
    assert!(!has_main("state list"), "it is not the current one");
    assert_eq!(said(&folder, "context use one"), format!("commands now ask {url}\nSome(0)"));
    assert!(has_main("state list") && !has_main("state list --state here"));
    let list = said(&folder, "context list");
    assert!(list.starts_with(&format!("* one  {url}  token-file /")), "{list}");
    let json = said(&folder, "context list -o json");
    assert!(json.contains("\"current\": \"one\"") && json.contains("\"tokenFile\": \"/"), "{json}");
    // What is in the environment comes before the current one.
    let with = |variable: &str, value: &str| {
        let output = folder.tendon(&["state", "list"]).env(variable, value).output().unwrap();
        String::from_utf8_lossy(&output.stdout).into_owned()
    };
    assert!(!with("TENDON_STATE", "here").contains("deployments/main"));
    let both = said(&folder, "state list --context one --database postgres://db.example/x");
    assert!(both.contains("cannot be used with"), "two states are one too many: {both}");
    said(&folder, "context use --none");
    assert!(with("TENDON_CONTEXT", "one").contains("deployments/main") && !has_main("state list"));
    said(&folder, &format!("context add two {url} --use"));
    assert!(said(&folder, "context remove two").contains("the state on this machine"));
    assert!(said(&folder, "context use two").ends_with("Some(2)"));
    let text = std::fs::read_to_string(folder.path("config/tendon/contexts.json")).unwrap();
    assert!(!text.contains("not needed here"), "{text}");
    folder.write("config/tendon/contexts.json", b"{\"version\": 2}");
    assert!(said(&folder, "context list").contains("has version 2"));
    folder.write("config/tendon/contexts.json", b"{");
    assert!(said(&folder, "state list").ends_with("Some(3)"), "what cannot be read is not passed over");
}

/// Sends a request and gives the answer; none if nobody listens.
#[cfg(unix)]
fn ask(served: &Served, request: &str, body: &str) -> Option<String> {
    use std::io::{Read as _, Write as _};
    let address = served.url.strip_prefix("http://").unwrap();
    let mut stream = std::net::TcpStream::connect(address).ok()?;
    let length = body.len();
    let head =
        format!("{request}?api-version=2025-04-01 HTTP/1.1\r\nhost: {address}\r\nconnection: close\r\n");
    stream.write_all(format!("{head}content-length: {length}\r\n\r\n{body}").as_bytes()).ok()?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer).ok()?;
    Some(answer).filter(|answer| !answer.is_empty())
}

#[cfg(unix)]
#[test]
fn a_server_that_is_stopped_waits_for_deployments_and_a_second_signal_ends_it_at_once() {
    use rustix::process::{Pid, Signal, kill_process};
    let folder = Folder::with(&[]);
    let mut served = Served::start_with(&folder, &["--grace", "3600"]);
    let stop = |served: &Served| kill_process(Pid::from_child(&served.process), Signal::TERM).unwrap();
    let group = "/subscriptions/s/resourceGroups/g";
    let deployment = format!("{group}/providers/Microsoft.Resources/deployments/slow");
    assert!(ask(&served, &format!("PUT {group}"), r#"{"location": "north"}"#).unwrap().contains("201"));
    let slow = r#"{"properties": {"template": {"$schema": "https://schema.management.azure.com/schemas/2019-04-01/deploymentTemplate.json#",
        "languageVersion": "2.2-experimental", "contentVersion": "1.0.0.0", "resources": {"slow": {"type": "Our.Things/things",
        "apiVersion": "2025-01-01", "name": "slow", "properties": {}, "@options": {"waitUntil": ["[lambda('x', false())]", "PT1H"]}}}}}}"#;
    let put = ask(&served, &format!("PUT {deployment}"), slow).unwrap();
    assert!(put.contains("Running") || put.contains("Accepted"), "{put}");
    stop(&served);
    // Nobody is let in any more, and the deployment is waited for.
    while ask(&served, "GET /healthz", "").is_some() {
        std::thread::yield_now();
    }
    assert!(served.process.try_wait().unwrap().is_none());
    stop(&served);
    assert!(served.process.wait().unwrap().success());
    // The next start resumes it; one without grace ends at the first signal.
    let mut again = Served::start_with(&folder, &["--grace", "0"]);
    let found = ask(&again, &format!("GET {deployment}"), "").unwrap();
    assert!(found.contains("\"provisioningState\":\"Running\""), "{found}");
    let canceled = || ask(&again, &format!("POST {deployment}/cancel"), "").unwrap();
    assert!(canceled().contains("204"));
    while !ask(&again, &format!("GET {deployment}"), "").unwrap().contains("\"Canceled\"") {
        std::thread::yield_now();
    }
    stop(&again);
    assert!(again.process.wait().unwrap().success());
}
