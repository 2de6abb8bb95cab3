//! The values of external inputs are kept nowhere, and build commands ask nobody.

#![cfg(unix)]

use std::path::Path;

use crate::support::Folder;

const PROGRAM: &str = "
param name string
@secure()
param password string
@secure()
param certificate object

resource vault 'Microsoft.KeyVault/vaults@2023-07-01' = {
  name: 'vault'
  location: 'westeurope'
  properties: { tenantId: tenant().tenantId, sku: { family: 'A', name: 'standard' }, accessPolicies: [] }
}

resource secret 'Microsoft.KeyVault/vaults/secrets@2023-07-01' = {
  parent: vault
  name: 'password'
  properties: { value: '${password}${certificate.key}' }
}

output name string = name
";

const PARAMETERS: &str = "
using 'main.bicep'

// Only a part of the first one becomes a parameter that anybody may see.
param name = substring(externalInput('sys.envVar', 'NAME'), 0, 4)
param password = externalInput('sys.cliArgument', 'password')
param certificate = { key: externalInput('acme.certificate') }
";

const CONFIG: &str = r#"{
  "externalInputs": { "acme.*": { "command": ["sh", "-c", "touch asked; echo '{\"value\": \"from-a-command-8452\"}'"] } }
}"#;

/// Values that must not be found anywhere.
const SECRETS: [&str; 3] = ["name-of-6173-bytes", "an-argument-3391", "from-a-command-8452"];

fn folder() -> Folder {
    let folder = Folder::with(&[]);
    folder.write("main.bicep", PROGRAM.as_bytes());
    folder.write("main.bicepparam", PARAMETERS.as_bytes());
    folder.write("bicepconfig.json", CONFIG.as_bytes());
    folder
}

#[track_caller]
fn assert_clean(bytes: &[u8], place: &str) {
    for secret in SECRETS {
        let found = bytes.windows(secret.len()).any(|part| part == secret.as_bytes());
        assert!(!found, "`{secret}` is in {place}");
    }
}

/// Looks into every file below a folder, and counts them.
fn look_through(path: &Path) -> usize {
    let mut count = 0;
    for entry in std::fs::read_dir(path).unwrap().map(|entry| entry.unwrap().path()) {
        if entry.is_dir() {
            count += look_through(&entry);
        } else {
            assert_clean(&std::fs::read(&entry).unwrap(), &entry.to_string_lossy());
            count += 1;
        }
    }
    count
}

#[test]
fn a_deployment_keeps_and_prints_no_input() {
    let folder = folder();
    let run = |arguments: &[&str]| {
        let mut command = folder.tendon(arguments);
        command.env("NAME", SECRETS[0]);
        let output = command.output().unwrap();
        assert_clean(&output.stdout, &format!("the output of {arguments:?}"));
        assert_clean(&output.stderr, &format!("the messages of {arguments:?}"));
        output
    };
    let inputs = ["--", "--password", SECRETS[1]];
    for command in ["validate", "what-if", "deploy", "deploy"] {
        let state: &[&str] = if command == "validate" { &[] } else { &["--state", "state"] };
        let output = run(&[&[command, "main.bicepparam", "-v", "-o", "json"], state, &inputs].concat());
        assert!(output.status.success(), "{command}: {}", String::from_utf8_lossy(&output.stdout));
    }
    for command in [&["state", "list"][..], &["state", "show", "main"], &["state", "export"]] {
        run(&[command, &["--state", "state", "-o", "json"]].concat());
    }
    let shown = run(&["state", "show", "main", "--state", "state", "-o", "json"]).stdout;
    let shown = String::from_utf8(shown).unwrap();
    assert!(shown.contains(r#""externalInputs""#) && shown.contains("acme.certificate"), "{shown}");
    assert!(!shown.contains(r#""expression""#) && shown.contains(r#""value": "name""#), "{shown}");
    assert!(look_through(&folder.path("state")) > 0);
    assert!(folder.path("asked").exists(), "the command was asked");
}

#[test]
fn a_refused_deployment_prints_no_input() {
    let folder = folder();
    folder.write(
        "main.bicep",
        PROGRAM.replace("param name string", "@allowed(['a'])\nparam name string").as_bytes(),
    );
    for form in ["text", "json"] {
        let arguments =
            ["deploy", "main.bicepparam", "--state", "state", "-o", form, "--", "--password", SECRETS[1]];
        let output = folder.tendon(&arguments).env("NAME", SECRETS[0]).output().unwrap();
        assert_eq!(output.status.code(), Some(1));
        let said = [output.stdout, output.stderr].concat();
        assert_clean(&said, "what is said");
        assert!(!String::from_utf8_lossy(&said).contains("'name'of"), "nor a part of one");
    }
}

#[test]
fn build_commands_and_snapshots_ask_nobody() {
    let folder = folder();
    for arguments in [
        &["build-params", "main.bicepparam", "--stdout"][..],
        &["build", "main.bicep", "--stdout"],
        &["lint", "main.bicepparam"],
        &["snapshot", "main.bicepparam"],
    ] {
        let output = folder.tendon(arguments).output().unwrap();
        assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    }
    assert!(!folder.path("asked").exists());
}

#[test]
fn resolved_parameters_can_be_read_by_their_owner_alone() {
    use std::os::unix::fs::PermissionsExt as _;
    let folder = folder();
    let arguments = ["params", "resolve", "main.bicepparam", "--outfile", "out.json", "--", "--password=x"];
    let output = folder.tendon(&arguments).env("NAME", SECRETS[0]).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let about = std::fs::metadata(folder.path("out.json")).unwrap();
    assert_eq!(about.permissions().mode() & 0o777, 0o600);
}
