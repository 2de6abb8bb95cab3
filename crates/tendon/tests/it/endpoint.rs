//! Commands work on the resources of an endpoint, which here is a server in a process of its own.

use super::server::{Served, said};
use crate::support::Folder;

const SUBSCRIPTION: &str = "/subscriptions/00000000-0000-0000-0000-000000000001";

const MAIN: &str = "\
param name string = 'shop'
param size int = 1
@secure()
param password string = 'hush1'
resource one 'Our.Things/things@2025-01-01' = {
  name: name
  location: resourceGroup().location
  properties: { size: size, list: [1, 2], password: password }
}
module inner 'inner.bicep' = {
  name: 'inner'
  params: { of: one.id }
}
output size int = one.properties.size
output place string = inner.outputs.place
";

const INNER: &str = "\
param of string
resource two 'Our.Things/things@2025-01-01' = {
  name: 'two'
  properties: { of: of, place: resourceGroup().location }
}
output place string = two.properties.place
";

/// Makes the groups of the others.
const GROUPS: &str = "\
targetScope = 'subscription'
resource groups 'Microsoft.Resources/resourceGroups@2024-03-01' = [for name in ['local', 'other']: {
  name: name
  location: 'eastus'
}]
";

fn folder() -> Folder {
    let folder = Folder::with(&[]);
    for (name, text) in [("main.bicep", MAIN), ("inner.bicep", INNER), ("groups.bicep", GROUPS)] {
        folder.write(name, text.as_bytes());
    }
    folder
}

#[test]
fn resources_go_to_the_endpoint_and_records_stay() {
    let folder = folder();
    let served = Served::start(&folder);
    let here = format!("--endpoint {} --state here", served.url);
    let there = format!("--server {}", served.url);
    let group = format!("--scope {SUBSCRIPTION}/resourceGroups/local");
    let missing = said(&folder, &format!("deploy main.bicep {group} {here}"));
    assert!(missing.contains("ResourceGroupNotFound") && missing.ends_with("Some(1)"), "{missing}");
    let groups = format!("groups.bicep --scope {SUBSCRIPTION} {here}");
    let would = said(&folder, &format!("what-if {groups}"));
    assert!(would.contains("2 to create"), "{would}");
    let made = said(&folder, &format!("deploy {groups}"));
    assert!(made.contains("deployment groups succeeded: 2 created"), "{made}");
    let first = said(&folder, &format!("deploy main.bicep {group} {here}"));
    assert!(
        first.contains("deployment main succeeded: 2 created") && first.contains("place = \"eastus\""),
        "{first}"
    );
    let again = said(&folder, &format!("deploy main.bicep {group} {here}"));
    assert!(again.contains("deployment main succeeded: 2 updated"), "{again}");
    // The state has the records, and the endpoint the resources.
    let kept = said(&folder, "state list --state here");
    assert!(kept.contains("main") && kept.contains("inner") && !kept.contains("Our.Things"), "{kept}");
    let kept = said(&folder, &format!("state list {there}"));
    assert!(
        kept.contains("things/shop") && kept.contains("things/two") && !kept.contains("deployments/main"),
        "{kept}"
    );
    let shown = said(
        &folder,
        &format!("state show {SUBSCRIPTION}/resourceGroups/local/providers/Our.Things/things/two {there}"),
    );
    assert!(shown.contains("\"place\": \"eastus\""), "{shown}");
    let all = format!("{missing}{first}{again}");
    assert!(!all.contains("hush"), "{all}");
}

#[test]
fn predictions_say_what_those_on_the_state_say() {
    let folder = folder();
    let served = Served::start(&folder);
    let endpoint =
        format!("--scope {SUBSCRIPTION}/resourceGroups/local --endpoint {} --state there", served.url);
    let state = format!("--scope {SUBSCRIPTION}/resourceGroups/local --state here");
    said(
        &folder,
        &format!("deploy groups.bicep --scope {SUBSCRIPTION} --endpoint {} --state there", served.url),
    );
    for line in [
        "what-if main.bicep",
        "deploy main.bicep -q",
        "what-if main.bicep",
        "what-if main.bicep --exit-code --param size=2",
        "what-if main.bicep --param name=other",
        "what-if inner.bicep --param of=x --mode complete",
        "deploy inner.bicep -q --param of=x --mode complete",
        "what-if main.bicep --exit-code",
    ] {
        assert_eq!(
            said(&folder, &format!("{line} {endpoint}")),
            said(&folder, &format!("{line} {state}")),
            "{line}"
        );
    }
}

#[test]
fn validation_asks_the_endpoint_and_puts_nothing() {
    let folder = folder();
    let reads = "\
resource two 'Our.Things/things@2025-01-01' existing = { name: 'two' }
resource three 'Our.Things/things@2025-01-01' = {
  name: 'three'
  properties: { place: two.properties.place }
}
";
    folder.write("reads.bicep", reads.as_bytes());
    let served = Served::start(&folder);
    let endpoint = format!("--scope {SUBSCRIPTION}/resourceGroups/local --endpoint {}", served.url);
    let validate = || said(&folder, &format!("validate reads.bicep {endpoint}"));
    let no_group = validate();
    assert!(no_group.contains("ResourceGroupNotFound") && no_group.ends_with("Some(1)"), "{no_group}");
    said(
        &folder,
        &format!("deploy groups.bicep --scope {SUBSCRIPTION} --endpoint {} --state here", served.url),
    );
    let missing = validate();
    assert!(
        missing.contains("things/two") && missing.contains("not found") && missing.ends_with("Some(1)"),
        "{missing}"
    );
    said(&folder, &format!("deploy inner.bicep --param of=x {endpoint} --state here"));
    let valid = validate();
    assert!(valid.contains("reads.bicep is valid") && valid.ends_with("Some(0)"), "{valid}");
    let kept = said(&folder, &format!("state list --server {}", served.url));
    assert!(kept.contains("things/two") && !kept.contains("things/three"), "{kept}");
    let both = said(&folder, &format!("what-if reads.bicep {endpoint} --server {}", served.url));
    assert!(
        both.contains("`--endpoint` cannot be used with `--server`") && both.ends_with("Some(2)"),
        "{both}"
    );
}

/// A resource that extends another one has an id below it, and is put there.
#[test]
fn a_resource_that_extends_another_is_put_below_it() {
    let folder = folder();
    let text = "\
param note string = 'first'
resource one 'Our.Things/things@2025-01-01' = { name: 'one' }
resource lock 'Microsoft.Authorization/locks@2020-05-01' = {
  name: 'keep'
  scope: one
  properties: { level: 'CanNotDelete', notes: note }
}
output id string = lock.id
output level string = reference(lock.id, '2020-05-01').level
";
    folder.write("lock.bicep", text.as_bytes());
    let served = Served::start(&folder);
    said(
        &folder,
        &format!("deploy groups.bicep --scope {SUBSCRIPTION} --endpoint {} --state here", served.url),
    );
    let group = format!("{SUBSCRIPTION}/resourceGroups/local");
    let endpoint = format!("--scope {group} --endpoint {} --state here", served.url);
    let made = said(&folder, &format!("deploy lock.bicep {endpoint}"));
    let id = format!("{group}/providers/Our.Things/things/one/providers/Microsoft.Authorization/locks/keep");
    assert!(made.contains("2 created") && made.contains(&format!("id = \"{id}\"")), "{made}");
    assert!(made.contains("level = \"CanNotDelete\""), "{made}");
    let shown = said(&folder, &format!("state show {id} --server {}", served.url));
    assert!(shown.contains("CanNotDelete"), "{shown}");
    let would = said(&folder, &format!("what-if lock.bicep --param note=second {endpoint}"));
    assert!(would.contains("1 to change") && would.contains("\"first\" => \"second\""), "{would}");
}

/// The Azure CLI is asked for a token as it is installed: a program of that name in the path.
#[cfg(unix)]
#[test]
fn the_azure_cli_gives_the_token() {
    use std::os::unix::fs::PermissionsExt as _;

    let folder = folder();
    let served = Served::start(&folder);
    let az = "#!/bin/sh\necho \"$@\" >>asked\necho '{\"accessToken\": \"hunter2\", \"expires_on\": 4102444800, \"tokenType\": \"Bearer\"}'\n";
    folder.write("bin/az", az.as_bytes());
    let program = folder.path("bin/az");
    std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).unwrap();
    let path = format!("{}:{}", folder.path("bin").display(), std::env::var("PATH").unwrap());
    let deploy = format!(
        "deploy groups.bicep --scope {SUBSCRIPTION} --endpoint {} --state here --audience https://arm.example/",
        served.url
    );
    let output = folder.tendon(&crate::support::words(&deploy)).env("PATH", path).output().unwrap();
    let made = String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned();
    assert!(made.contains("2 created") && !made.contains("hunter2"), "{made}");
    let asked = std::fs::read_to_string(folder.path("asked")).unwrap();
    assert_eq!(asked, "account get-access-token --resource https://arm.example/ --output json\n");
}

#[test]
fn what_the_endpoint_does_not_say_is_not_made_up() {
    let folder = folder();
    folder.write("odd.bicep", "output name string = tenant().displayName\n".as_bytes());
    let served = Served::start(&folder);
    said(
        &folder,
        &format!("deploy groups.bicep --scope {SUBSCRIPTION} --endpoint {} --state here", served.url),
    );
    let scope = format!("--scope {SUBSCRIPTION}/resourceGroups/local");
    let odd = said(&folder, &format!("deploy odd.bicep {scope} --endpoint {} --state here", served.url));
    assert!(odd.ends_with("Some(1)") && !odd.contains("Local"), "{odd}");
}
