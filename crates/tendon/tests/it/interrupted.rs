//! A deployment whose process died is ended by hand, without running anything of it.

use std::process::Stdio;
use std::time::Duration;

use crate::support::Folder;

const PROGRAM: &str =
    "resource shelf 'Our.Things/things@2025-01-01' = {\n  name: 'shelf'\n  location: 'westeurope'\n}\n";

/// The put takes far longer than the test.
const MOCKS: &str = "provider:\n  - resource: Our.Things/things\n    on: put\n    latency: PT1H\n";

/// Leaves a deployment that was under way when its process was killed.
fn leave_interrupted(folder: &Folder) {
    let arguments = ["deploy", "main.bicep", "--mocks", "mocks.yaml", "--clock", "real", "--quiet"];
    let mut child = folder.tendon(&arguments).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    until("the deployment is under way", || {
        let listed = folder.run(&["state", "list"], b"");
        String::from_utf8_lossy(&listed.stdout).contains("Running")
    });
    child.kill().unwrap();
    child.wait().unwrap();
}

fn until(what: &str, mut is_so: impl FnMut() -> bool) {
    for _ in 0..240 {
        if is_so() {
            return;
        }
        std::thread::sleep(Duration::from_millis(250));
    }
    panic!("{what}: it never was");
}

/// Ends it once the lease of the dead process is over, and says what the state then has.
fn ended(arguments: &[&str]) -> String {
    let folder = Folder::with(&[("main.bicep", PROGRAM.as_bytes()), ("mocks.yaml", MOCKS.as_bytes())]);
    leave_interrupted(&folder);
    until("it can be ended", || {
        let output = folder.run(arguments, b"");
        let error = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.success() || error.contains("works on the deployment"), "{error}");
        output.status.success()
    });
    let resumed = folder.run(&["deploy", "--resume"], b"");
    assert_eq!(String::from_utf8_lossy(&resumed.stdout), "nothing was interrupted\n");
    let again = folder.run(arguments, b"");
    assert!(!again.status.success(), "what has ended cannot be ended again");
    String::from_utf8(folder.run(&["state", "show", "main"], b"").stdout).unwrap()
}

#[test]
fn an_interrupted_deployment_is_canceled_by_hand() {
    let shown = ended(&["state", "cancel", "main"]);
    assert!(shown.contains("\"provisioningState\": \"Canceled\""), "{shown}");
}

#[test]
fn an_interrupted_deployment_is_failed_by_hand_with_a_reason() {
    let shown = ended(&["state", "fail", "main", "--reason", "it ends the server"]);
    assert!(shown.contains("\"provisioningState\": \"Failed\""), "{shown}");
    assert!(shown.contains("it ends the server"), "{shown}");
}
