//! Deployments whose process is killed at any moment: what was shown is kept, and what is resumed ends truly.

use std::process::Stdio;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use crate::support::Folder;

/// What must never be in a file.
const SECRET: &str = "hunter2-7f3a91";

/// How many processes are killed while they work, unless `TENDON_KILLS` says it.
const KILLS: u64 = 25;

/// How many are tried at once: most of the time goes by with waiting for the lease of a dead process.
const AT_ONCE: u64 = 8;

/// Fifty resources in five layers, each of which waits for the one before; the last one is a deployment of its own.
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
    "inner": {
      "type": "Microsoft.Resources/deployments", "apiVersion": "2025-04-01", "name": "inner", "dependsOn": ["d"],
      "properties": {
        "mode": "Incremental", "expressionEvaluationOptions": { "scope": "inner" },
        "parameters": { "password": { "value": "[parameters('password')]" } },
        "template": {
          "$schema": "https://schema.management.azure.com/schemas/2019-04-01/deploymentTemplate.json#",
          "languageVersion": "2.0",
          "contentVersion": "1.0.0.0",
          "parameters": { "password": { "type": "securestring" } },
          "resources": {
            "e": { "copy": { "name": "e", "count": 10 }, "type": "Our.Things/things", "apiVersion": "2025-01-01", "name": "[format('e{0}', copyIndex())]", "properties": { "p": "[parameters('password')]" } }
          },
          "outputs": { "last": { "type": "string", "value": "[reference('e[9]', '2025-01-01', 'full').name]" } }
        }
      }
    }
  },
  "outputs": { "last": { "type": "string", "value": "[reference('inner').outputs.last.value]" } }
}"#;

#[test]
fn a_killed_deployment_is_taken_up_and_no_step_is_confirmed_twice() {
    let folder = Folder::with(&[("main.json", TEMPLATE.as_bytes())]);
    let kills = std::env::var("TENDON_KILLS").ok().map_or(KILLS, |count| count.parse().unwrap());
    // How long it takes when nobody is in its way, with as many beside it as later.
    let began = Instant::now();
    std::thread::scope(|scope| {
        for number in 0..AT_ONCE {
            let folder = &folder;
            scope.spawn(move || {
                start(folder, &format!("whole{number}")).wait().unwrap();
            });
        }
    });
    let whole = began.elapsed();
    let (next, cut_off) = (AtomicU64::new(0), AtomicU64::new(0));
    std::thread::scope(|scope| {
        for _ in 0..AT_ONCE {
            scope.spawn(|| {
                while cut_off.load(Ordering::Relaxed) < kills {
                    let number = next.fetch_add(1, Ordering::Relaxed);
                    assert!(number < 50 * kills, "hardly any process was killed while it worked");
                    // Any moment between its start and about its end.
                    let moment = number.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 44;
                    let delay = whole.mul_f64(0.8 * moment as f64 / f64::from(1 << 20));
                    cut_off.fetch_add(u64::from(kill(&folder, number, delay)), Ordering::Relaxed);
                }
            });
        }
    });
    let (tried, cut_off) = (next.into_inner(), cut_off.into_inner());
    println!("{tried} processes were killed, {cut_off} of them while they worked");
}

fn start(folder: &Folder, name: &str) -> std::process::Child {
    let password = format!("password={SECRET}");
    let state = format!("state-{name}");
    let arguments = ["deploy", "main.json", "--param", &password, "--parallel", "3", "--name", name];
    let mut command = folder.tendon(&[&arguments[..], &["--state", &state, "--quiet"]].concat());
    command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap()
}

/// Kills a deployment after a while and has it resumed; tells whether it was under way.
fn kill(folder: &Folder, number: u64, delay: Duration) -> bool {
    let name = format!("run{number}");
    let state = format!("state-{name}");
    let mut child = start(folder, &name);
    std::thread::sleep(delay);
    let _ = child.kill();
    child.wait().unwrap();

    let said = |arguments: &[&str]| {
        let output = folder.run(&[arguments, &["--state", &state]].concat(), b"");
        assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    };
    let listed = said(&["state", "list", "-o", "json"]);
    if !listed.contains(&name) {
        return false; // It was killed before it was accepted, and nothing was promised.
    }
    let was_running = listed.contains("\"provisioningState\": \"Running\"");
    said(&["deploy", "--resume"]);

    for (deployment, steps) in [(name.as_str(), 41), ("inner", 10)] {
        let shown = said(&["state", "show", deployment]);
        let succeeded = shown.matches("\"provisioningState\": \"Succeeded\"").count();
        assert_eq!(succeeded, steps + 1, "one for the deployment and one for each step: {shown}");
        assert!(shown.contains("\"value\": \"e9\""), "{shown}");
    }
    let listed = said(&["state", "list"]);
    assert_eq!(listed.lines().filter(|line| line.starts_with("resource")).count(), 50, "{listed}");
    for entry in std::fs::read_dir(folder.path(&state)).unwrap().map(Result::unwrap) {
        let bytes = std::fs::read(entry.path()).unwrap();
        assert!(!String::from_utf8_lossy(&bytes).contains(SECRET), "{:?}", entry.path());
    }
    was_running
}

/// The first Ctrl-C cancels and waits for what is under way, the second does not wait.
#[cfg(unix)]
#[test]
fn a_second_interrupt_stops_a_deployment_that_can_be_taken_up() {
    let template = r#"{"$schema": "https://schema.management.azure.com/schemas/2019-04-01/deploymentTemplate.json#", "contentVersion": "1.0.0.0",
        "resources": [{"type": "Our.Things/things", "apiVersion": "2025-01-01", "name": "slow"}]}"#;
    let mocks = r#"{"provider": [{"resource": "Our.Things/things", "on": "put", "answers": [{"body": {}}], "latency": "PT1H"}]}"#;
    let folder = Folder::with(&[("main.json", template.as_bytes()), ("mocks.json", mocks.as_bytes())]);
    let interrupted = |state: &str| {
        let listed =
            || String::from_utf8(folder.run(&["state", "list", "--state", state], b"").stdout).unwrap();
        let arguments = ["deploy", "main.json", "--mocks", "mocks.json", "--clock", "real", "--state", state];
        let mut child =
            folder.tendon(&arguments).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
        while !listed().contains("Running") {
            std::thread::sleep(Duration::from_millis(20));
        }
        while child.try_wait().unwrap().is_none() {
            std::process::Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
            std::thread::sleep(Duration::from_millis(50));
        }
        let output = child.wait_with_output().unwrap();
        let said = String::from_utf8(output.stderr).unwrap();
        // On a busy machine a signal can come between the record and the first wait for signals, and ends the process.
        let code = output.status.code()?;
        folder.run(&["deploy", "--resume", "--state", state], b"");
        Some((code, said, listed()))
    };
    let (code, said, listed) = (0..100).find_map(|attempt| interrupted(&format!("state{attempt}"))).unwrap();
    assert_eq!(code, 3, "{said}");
    assert!(said.contains("tendon deploy --resume"), "{said}");
    assert!(!listed.contains("Running"), "{listed}");
}
