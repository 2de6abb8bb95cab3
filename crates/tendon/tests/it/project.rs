//! Where the state of a project is, and who sees it.

use std::path::Path;

use crate::support::Folder;

const PROGRAM: &[u8] = b"param name string = 'one'
resource account 'A.B/accounts@2024-01-01' = {
  name: name
  properties: { size: 3 }
}
";

/// Runs a command that succeeds, and gives what it said on both streams.
#[track_caller]
fn said(folder: &Folder, line: &str) -> String {
    let output = folder.run_line(line, b"");
    let text = folder.anonymous(&[output.stdout, output.stderr].concat());
    assert_eq!(output.status.code(), Some(0), "{line}: {text}");
    text
}

fn names(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).unwrap();
    let mut names: Vec<String> =
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

#[test]
fn projects_do_not_see_each_other() {
    let folder = Folder::with(&[
        ("a/main.bicep", PROGRAM),
        ("a/.git/HEAD", b"ref: refs/heads/main\n"),
        ("a/deep/down/other.bicep", PROGRAM),
        ("b/main.bicep", PROGRAM),
        ("b/bicepconfig.json", b"{}"),
        ("c/main.bicep", PROGRAM),
    ]);
    said(&folder, "tendon deploy a/main.bicep");
    said(&folder, "tendon deploy a/deep/down/other.bicep --param name=two");
    assert_eq!(names(&folder.path("a/deep/down")), ["other.bicep"]);
    said(&folder, "tendon deploy b/main.bicep --param name=three");
    said(&folder, "tendon deploy c/main.bicep --param name=four");
    for (project, expect) in [("a", &["one", "two"][..]), ("b", &["three"]), ("c", &["four"])] {
        let mut list = folder.tendon(&["state", "list"]);
        let listed = list.current_dir(folder.path(project)).output().unwrap();
        let listed = String::from_utf8(listed.stdout).unwrap();
        for name in ["one", "two", "three", "four"] {
            let is_seen = listed.contains(&format!("A.B/accounts/{name}\n"));
            assert_eq!(is_seen, expect.contains(&name), "{project} {name}: {listed}");
        }
        assert_eq!(
            std::fs::read_to_string(folder.path(project).join(".tendon/.gitignore")).unwrap().lines().last(),
            Some("*")
        );
    }
    // What one project has does not make another one's deployment a change of it.
    assert!(said(&folder, "tendon what-if b/main.bicep --param name=one").contains("1 to create"));
    assert!(said(&folder, "tendon what-if a/main.bicep").contains("1 unchanged"));
    assert!(!folder.path("data").exists() && !folder.path(".tendon").exists());
}

#[cfg(unix)]
#[test]
fn only_its_owner_can_look_into_a_state() {
    use std::os::unix::fs::PermissionsExt as _;
    let folder = Folder::with(&[("main.bicep", PROGRAM)]);
    said(&folder, "tendon deploy main.bicep");
    let mode = |name: &str| std::fs::metadata(folder.path(name)).unwrap().permissions().mode() & 0o777;
    assert_eq!([mode(".tendon"), mode(".tendon/seal.key"), mode(".tendon/state.db")], [0o700, 0o600, 0o600]);
}

#[test]
fn reading_makes_nothing() {
    let folder = Folder::with(&[("main.bicep", PROGRAM), ("wrong.bicep", b"resource x")]);
    let before = names(&folder.path(""));
    for line in [
        "tendon validate main.bicep",
        "tendon what-if main.bicep",
        "tendon what-if main.bicep --state elsewhere",
        "tendon snapshot main.bicep",
        "tendon deploy --resume",
        "tendon state list",
        "tendon state list --state elsewhere",
        "tendon resource list",
        "tendon resource-type list",
        "tendon token list",
    ] {
        said(&folder, line);
        assert_eq!(names(&folder.path("")), before, "{line}");
    }
    // Neither does what is refused.
    for line in [
        "tendon deploy wrong.bicep",
        "tendon deploy main.bicep --param size=1",
        "tendon state delete nothing",
        "tendon resource delete A.B/accounts one",
    ] {
        folder.run_line(line, b"");
        assert_eq!(names(&folder.path("")), before, "{line}");
    }
    assert!(said(&folder, "tendon state list").contains("nothing is kept in `/FOLDER/.tendon`"));
}

#[test]
fn the_state_of_earlier_versions_is_named() {
    let folder = Folder::with(&[("main.bicep", PROGRAM)]);
    said(&folder, "tendon deploy main.bicep --state data/tendon");
    let note = "note: earlier versions kept deployments and resources in `/FOLDER/data/tendon`";
    for line in ["tendon what-if main.bicep", "tendon state list", "tendon resource list"] {
        assert!(said(&folder, line).contains(note), "{line}");
    }
    assert!(!said(&folder, "tendon state list -q").contains("note"));
    assert!(!said(&folder, "tendon state list --state data/tendon").contains("note"));
    // It says where to move it, and moved it is found.
    assert!(said(&folder, "tendon state list").contains("from there to `/FOLDER/.tendon`"));
    std::fs::create_dir(folder.path(".tendon")).unwrap();
    for name in names(&folder.path("data/tendon")) {
        std::fs::rename(folder.path("data/tendon").join(&name), folder.path(".tendon").join(&name)).unwrap();
    }
    let listed = said(&folder, "tendon state list");
    assert!(listed.contains("A.B/accounts/one") && !listed.contains("note"), "{listed}");
}

#[cfg(unix)]
#[test]
fn a_folder_that_everybody_may_write_to_is_no_project() {
    use std::os::unix::fs::PermissionsExt as _;
    let folder = Folder::with(&[("public/.tendon/x", b""), ("public/mine/main.bicep", PROGRAM)]);
    let open = std::fs::Permissions::from_mode(0o777);
    std::fs::set_permissions(folder.path("public"), open).unwrap();
    said(&folder, "tendon deploy public/mine/main.bicep");
    assert_eq!(names(&folder.path("public/.tendon")), ["x"]);
    assert!(folder.path("public/mine/.tendon/state.db").exists());
}

/// Runs a command that is refused, and gives its exit code and what it said.
#[track_caller]
fn refused(folder: &Folder, line: &str) -> (i32, String) {
    let output = folder.run_line(line, b"");
    let text = folder.anonymous(&[output.stdout, output.stderr].concat());
    let exit = output.status.code().unwrap();
    assert_ne!(exit, 0, "{line}: {text}");
    (exit, text)
}

#[test]
fn a_project_says_what_the_command_line_does_not() {
    let config = br#"{
  // Paths are from here, wherever the command is run.
  "tendon": {
    "scope": "/subscriptions/s/resourceGroups/shop",
    "location": "westeurope",
    "parameters": ["values.json"],
    "mocks": "mocks.json",
    "limits": "azure",
    "state": "kept/here",
  },
}"#;
    let program = b"param name string
output group string = resourceGroup().id
output where string = resourceGroup().location
output who string = deployer().objectId
resource account 'A.B/accounts@2024-01-01' = {
  name: name
}
";
    let values = br#"{"name": "kept"}"#;
    let folder = Folder::with(&[
        ("app/bicepconfig.json", config),
        ("app/src/main.bicep", program),
        ("app/src/main.bicepparam", b"using 'main.bicep'\nparam name = 'own'\n"),
        ("app/values.json", values),
        ("app/mocks.json", br#"{"deployer": {"objectId": "me"}}"#),
        ("other.json", br#"{"name": "given"}"#),
    ]);
    let text = said(&folder, "tendon deploy app/src/main.bicep");
    for expect in ["/subscriptions/s/resourceGroups/shop", "\"westeurope\"", "\"me\""] {
        assert!(text.contains(expect), "{expect}: {text}");
    }
    assert!(folder.path("app/kept/here/state.db").exists() && !folder.path("app/.tendon").exists());
    assert!(!folder.path("app/kept/here/.gitignore").exists(), "a folder that somebody chose is theirs");
    let id = "/subscriptions/s/resourceGroups/shop/providers/A.B/accounts";
    assert!(said(&folder, "tendon what-if app/src/main.bicep").contains("1 unchanged"));
    // The command line wins, and a parameters file has its own values.
    let other = said(&folder, "tendon what-if app/src/main.bicep --parameters other.json -v");
    assert!(other.contains("+ account  A.B/accounts/given"), "{other}");
    assert!(said(&folder, "tendon what-if app/src/main.bicepparam -v").contains("A.B/accounts/own"));
    let other =
        said(&folder, "tendon what-if app/src/main.bicep --scope /subscriptions/s/resourceGroups/two");
    assert!(other.contains("resourceGroups/two\n  + account  A.B/accounts/kept"), "{other}");
    let other = said(&folder, "tendon validate app/src/main.bicep --limits tendon --location northeurope");
    assert!(other.contains("is valid"), "{other}");
    assert!(said(&folder, "tendon state list --state app/kept/here").contains(&format!("{id}/kept")));
    let nobody = said(&folder, "TENDON_STATE=elsewhere tendon what-if app/src/main.bicep");
    assert!(nobody.contains("1 to create"), "{nobody}");
}

#[test]
fn settings_that_nobody_knows_are_errors() {
    let folder = Folder::with(&[("main.bicep", PROGRAM)]);
    for (settings, expect) in [
        (
            r#"{"scpoe": "/"}"#,
            "`/FOLDER/bicepconfig.json`: `tendon.scpoe` is not a setting; did you mean `scope`?",
        ),
        (r#"{"x": 1}"#, "`tendon.x` is not a setting; known are `context`, `limits`"),
        (r#"{"scope": 1}"#, "`tendon.scope` must be a string"),
        (r#"{"scope": "shop"}"#, "`shop`, is not the id of a scope; write `/subscriptions/"),
        (r#"{"limits": "none"}"#, "`tendon.limits` must be `tendon` or `azure`"),
        (r#"{"parameters": [1]}"#, "`tendon.parameters` must be a path, or an array of paths"),
        (r#"{"state": "a", "server": "http://b"}"#, "`tendon.server` cannot be used with `tendon.state`"),
        ("1", "`tendon`"),
    ] {
        folder.write("bicepconfig.json", format!(r#"{{"tendon": {settings}}}"#).as_bytes());
        let (exit, text) = refused(&folder, "tendon deploy main.bicep");
        assert!(exit == 1 && text.contains(expect), "{settings}: {exit} {text}");
        assert!(!folder.path(".tendon").exists());
    }
    folder.write("bicepconfig.json", b"{\"tendon\": {");
    assert_eq!(refused(&folder, "tendon state list").0, 1);
}

#[test]
fn a_server_of_a_project_is_asked() {
    let config = br#"{"tendon": {"server": "http://127.0.0.1:1"}}"#;
    let folder = Folder::with(&[("main.bicep", PROGRAM), ("bicepconfig.json", config)]);
    let (exit, text) = refused(&folder, "tendon deploy main.bicep");
    assert!(exit == 3 && text.contains("http://127.0.0.1:1"), "{exit} {text}");
    // What is named on the command line or in the environment is meant.
    said(&folder, "tendon deploy main.bicep --state here");
    said(&folder, "TENDON_STATE=here tendon what-if main.bicep");
}

#[test]
fn a_new_project_can_be_deployed() {
    let folder = Folder::with(&[]);
    let (exit, text) = refused(&folder, "tendon init shop");
    assert!(exit == 2 && text.contains("`--yes` writes without asking"), "{text}");
    assert!(!folder.path("shop").exists());
    let text = said(&folder, "tendon init shop --yes");
    assert!(text.contains("next: tendon deploy shop/main.bicepparam"), "{text}");
    let deployed = said(&folder, "tendon deploy shop/main.bicepparam");
    assert!(
        deployed.contains("3 created") && deployed.contains("address = \"https://myfirststorage."),
        "{deployed}"
    );
    assert!(!deployed.contains("warning"), "{deployed}");
    assert_eq!(said(&folder, "tendon lint shop"), "no problems found in 3 files\n");
    said(&folder, "tendon format shop --check");
    assert_eq!(said(&folder, "tendon test shop"), "2 tests: 2 passed; 2 asserts, 0 broken\n");
    assert!(folder.path("shop/.tendon/state.db").exists());
    let (exit, text) = refused(&folder, "tendon validate shop/main.bicep --param name=Shop");
    assert!(exit == 1 && text.contains("Shop has capital letters"), "{text}");
    // Nothing is overwritten.
    folder.write("shop/main.bicep", b"// mine\n");
    let (exit, text) = refused(&folder, "tendon init shop --yes");
    assert!(
        exit == 3 && text.contains("`shop/main.bicep`") && text.contains("nothing was written"),
        "{text}"
    );
    assert_eq!(std::fs::read(folder.path("shop/main.bicep")).unwrap(), b"// mine\n");
}
