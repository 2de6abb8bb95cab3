//! Deployments whose process is killed at any moment: what was shown is kept, and what is taken up ends truly.

#![allow(clippy::unwrap_used, reason = "a test that cannot be set up has failed")]

mod support;

use std::process::Stdio;
use std::time::Duration;

use support::Folder;

/// What must never be in a file.
const SECRET: &str = "hunter2-7f3a91";

/// How often a process is killed.
const KILLS: u64 = 25;

/// Fifty resources in five layers, each of which waits for the one before.
const TEMPLATE: &str = r#"{
  "$schema": "https://schema.management.azure.com/schemas/2019-04-01/deploymentTemplate.json#",
  "languageVersion": "2.0",
  "contentVersion": "1.0.0.0",
  "parameters": { "password": { "type": "securestring" } },
  "resources": {
    "a": { "copy": { "name": "a", "count": 10 }, "type": "Our.Things/things", "apiVersion": "2025-01-01", "name": "[format('a{0}', copyIndex())]", "properties": { "p": "[parameters('password')]" } },
    "b": { "copy": { "name": "b", "count": 10 }, "type": "Our.Things/things", "apiVersion": "2025-01-01", "name": "[format('b{0}', copyIndex())]", "dependsOn": ["a"] },
    "c": { "copy": { "name": "c", "count": 10 }, "type": "Our.Things/things", "apiVersion": "2025-01-01", "name": "[format('c{0}', copyIndex())]", "dependsOn": ["b"] },
    "d": { "copy": { "name": "d", "count": 10, "mode": "serial", "batchSize": 2 }, "type": "Our.Things/things", "apiVersion": "2025-01-01", "name": "[format('d{0}', copyIndex())]", "dependsOn": ["c"] },
    "e": { "copy": { "name": "e", "count": 10 }, "type": "Our.Things/things", "apiVersion": "2025-01-01", "name": "[format('e{0}', copyIndex())]", "dependsOn": ["d"] }
  },
  "outputs": { "last": { "type": "string", "value": "[reference('e[9]', '2025-01-01', 'full').name]" } }
}"#;

#[test]
fn a_killed_deployment_is_taken_up_and_no_step_is_confirmed_twice() {
    let folder = Folder::with(&[("main.json", TEMPLATE.as_bytes())]);
    let mut cut_off = 0;
    for number in 0..KILLS {
        let state = format!("state{number}");
        let name = format!("run{number}");
        let password = format!("password={SECRET}");
        let mut arguments = vec!["deploy", "main.json", "--param", &password, "--parallel", "3"];
        arguments.extend(["--name", &name, "--state", &state, "--quiet"]);
        let mut command = folder.tendon(&arguments);
        let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        // Somewhere between its start and a little after its end.
        std::thread::sleep(Duration::from_millis(number * 6));
        let _ = child.kill();
        child.wait().unwrap();

        let listed = folder.run(&["state", "list", "--state", &state, "-o", "json"], b"");
        let listed = String::from_utf8(listed.stdout).unwrap();
        if !listed.contains(&name) {
            continue; // It was killed before it was accepted, and nothing was promised.
        }
        let was_running = listed.contains("\"provisioningState\": \"Running\"");
        cut_off += u64::from(was_running);
        let resumed = folder.run(&["deploy", "--resume", "--state", &state], b"");
        assert_eq!(resumed.status.code(), Some(0), "{}", String::from_utf8_lossy(&resumed.stderr));

        let shown = folder.run(&["state", "show", &name, "--state", &state], b"");
        let shown = String::from_utf8(shown.stdout).unwrap();
        let succeeded = shown.matches("\"provisioningState\": \"Succeeded\"").count();
        assert_eq!(succeeded, 51, "one for the deployment and one for each step: {shown}");
        assert!(shown.contains("\"value\": \"e9\""), "{shown}");
        let listed = folder.run(&["state", "list", "--state", &state], b"");
        let listed = String::from_utf8(listed.stdout).unwrap();
        assert_eq!(listed.lines().filter(|line| line.starts_with("resource")).count(), 50, "{listed}");
        for entry in std::fs::read_dir(folder.path(&state)).unwrap().map(Result::unwrap) {
            let bytes = std::fs::read(entry.path()).unwrap();
            assert!(!String::from_utf8_lossy(&bytes).contains(SECRET), "{:?}", entry.path());
        }
    }
    assert!(cut_off > 0, "no process was killed while it worked");
}
