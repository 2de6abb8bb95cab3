//! The example that the front page names compiles without a finding, its results are those that lie beside it, and it deploys.

use std::path::Path;

use crate::support::Folder;

/// Compiles a file of the example and compares the result with the file of that name beside it.
#[track_caller]
fn check(command: &str, source: &str, result: &str) {
    let folder = Folder::with(&[]);
    folder.add_examples();
    let source = format!("examples/storefront/{source}");
    let arguments = [command, &source, "--stdout", "--quiet", "--generator-version", "dev"];
    let output = folder.run(&arguments, b"");
    let findings = String::from_utf8_lossy(&output.stderr);
    assert_eq!((output.status.code(), &*findings), (Some(0), ""));
    let text = String::from_utf8(output.stdout).unwrap();
    let expected = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/storefront").join(result);
    if std::env::var_os("TENDON_UPDATE").is_some() {
        std::fs::write(&expected, &text).unwrap();
    }
    assert!(
        std::fs::read_to_string(expected).unwrap_or_default() == text,
        "{result} is out of date, set TENDON_UPDATE=1"
    );
}

#[test]
fn the_program_has_its_template() {
    check("build", "main.bicep", "main.json");
}

#[test]
fn the_parameters_have_their_values() {
    check("build-params", "prod.bicepparam", "prod.json");
}

const DEPLOY: [&str; 6] = [
    "examples/storefront/prod.bicepparam",
    "--mocks",
    "examples/storefront/mocks.yaml",
    "--state",
    "state",
    "--quiet",
];

/// Runs a command of the engine on the example.
#[track_caller]
fn engine(folder: &Folder, command: &[&str], exit: i32) -> String {
    let output = folder.run(&[command, DEPLOY.as_slice()].concat(), b"");
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(exit), "{said}");
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn the_program_deploys_and_then_there_is_nothing_to_change() {
    let folder = Folder::with(&[]);
    folder.add_examples();
    let predicted = engine(&folder, &["what-if", "--exit-code", "-o", "json"], 4);
    assert_eq!(predicted.matches("\"changeType\": \"Create\"").count(), 12, "{predicted}");
    let deployed = engine(&folder, &["deploy", "-o", "json"], 0);
    for expected in ["\"provisioningState\": \"Succeeded\"", "https://shop-prod-site.azurewebsites.net"] {
        assert!(deployed.contains(expected), "{deployed}");
    }
    let again = engine(&folder, &["what-if", "--exit-code"], 0);
    assert!(again.contains("12 unchanged"), "{again}");
    // Nothing that was given as a secret is in any file of the state.
    for entry in std::fs::read_dir(folder.path("state")).unwrap().map(Result::unwrap) {
        let bytes = std::fs::read(entry.path()).unwrap();
        assert!(!String::from_utf8_lossy(&bytes).contains("not-a-real-key"), "{:?}", entry.path());
    }
}

#[test]
fn a_deployment_that_does_nothing_to_resources_says_so() {
    let template = br#"{"$schema": "https://schema.management.azure.com/schemas/2019-04-01/deploymentTemplate.json#", "contentVersion": "1.0.0.0", "resources": []}"#;
    let folder = Folder::with(&[("main.json", template)]);
    let output = folder.run(&["deploy", "main.json", "--state", "state"], b"");
    assert!(String::from_utf8(output.stdout).unwrap().ends_with(": no resources\n"));
}

#[test]
fn what_is_kept_can_be_listed_shown_and_deleted() {
    let folder = Folder::with(&[]);
    folder.add_examples();
    engine(&folder, &["deploy"], 0);
    let state = |arguments: &[&str], exit: i32| {
        let output = folder.run(&[&["state"], arguments, &["--state", "state"]].concat(), b"");
        assert_eq!(output.status.code(), Some(exit), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    };
    let listed = state(&["list"], 0);
    assert_eq!(listed.lines().filter(|line| line.starts_with("resource")).count(), 12, "{listed}");
    assert!(state(&["show", "prod"], 0).contains("\"operations\""));
    let exported = state(&["export"], 0);
    let count =
        |what: &str| exported.lines().filter(|line| line.starts_with(&format!("{{\"{what}\":"))).count();
    assert_eq!((count("tendon"), count("resource"), count("end")), (1, 12, 1), "{exported}");
    assert!(count("operation") > 0, "{exported}");
    assert!(state(&["delete", "prod"], 0).starts_with("deleted deployment prod"));
    assert!(!state(&["list"], 0).contains("deployments/prod\n"));
    state(&["show", "prod"], 1);
    assert!(state(&["export"], 0).contains("{\"resource\":"), "the resources stay");
}
