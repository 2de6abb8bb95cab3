//! The state in PostgreSQL: deployments, servers that share it, keys that do not fit, and the way in and out.

use std::io::{BufRead as _, BufReader};
use std::process::{Child, Stdio};

use crate::support::Folder;
use postgres_server::Server;

const MAIN: &str = "\
@secure()
param password string = 'p'
resource one 'Our.Things/things@2025-01-01' = {
  name: 'one'
  properties: { size: 1, password: password }
}
output size int = one.properties.size
";

/// What a command prints, and how it ends.
fn said(folder: &Folder, arguments: &str) -> (String, Option<i32>) {
    let output = folder.run_line(&format!("tendon {arguments}"), &[]);
    let text =
        format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    (text, output.status.code())
}

#[track_caller]
fn fine(folder: &Folder, arguments: &str) -> String {
    let (text, code) = said(folder, arguments);
    assert_eq!(code, Some(0), "{arguments}: {text}");
    text
}

fn database(name: &str) -> String {
    let server = Server::shared().unwrap();
    server.create_database(name).unwrap();
    server.url(name)
}

#[test]
fn a_state_goes_from_a_folder_to_a_database_and_back() {
    let folder = Folder::with(&[("main.bicep", MAIN.as_bytes())]);
    let url = database("carried");
    fine(&folder, "deploy main.bicep --name first --state here");
    let listed = fine(&folder, "state list --state here -o json");
    assert!(listed.contains("Our.Things/things/one"), "{listed}");
    let told = fine(&folder, "state export one.jsonl --state here");
    assert!(told.contains("rows were exported; the key `here/seal.key` is not part of them"), "{told}");
    let import = format!("state import one.jsonl --database {url} --state there");
    let told = fine(&folder, &import);
    assert!(told.contains("copy the key that belongs to them to `there/seal.key`"), "{told}");
    // A node that would make a key of its own is refused, and so is one with another key.
    let list = format!("state list --database {url} --state there -o json");
    let (told, code) = said(&folder, &list);
    assert!(code == Some(3) && told.contains("is not the one that the database is used with"), "{told}");
    fine(&folder, "deploy main.bicep --name other --state other");
    let (told, code) = said(&folder, &format!("{list} --seal-key other/seal.key"));
    assert!(code == Some(3) && told.contains("is not the one that the database is used with"), "{told}");
    std::fs::copy(folder.path("here/seal.key"), folder.path("there/seal.key")).unwrap();
    assert_eq!(fine(&folder, &list), listed);
    // The database is used, and then all of it goes back.
    let (told, code) = said(&folder, &import);
    assert!(code == Some(3) && told.contains("`--replace` deletes that first"), "{told}");
    fine(&folder, &format!("state export two.jsonl --database {url} --state there"));
    let read = |name: &str| std::fs::read_to_string(folder.path(name)).unwrap();
    assert_eq!(read("two.jsonl"), read("one.jsonl"), "the way there changed nothing");
    fine(&folder, &format!("deploy main.bicep --name second --database {url} --state there"));
    fine(&folder, &format!("state export three.jsonl --database {url} --state there"));
    let (told, code) = said(&folder, "state import three.jsonl --state other");
    assert!(code == Some(3) && told.contains("sealed with another key"), "{told}");
    fine(&folder, "state import three.jsonl --state back --quiet");
    fine(&folder, "state export four.jsonl --state back");
    assert_eq!(read("four.jsonl"), read("three.jsonl"), "nor did the way back");
    fine(&folder, "state import two.jsonl --state back --replace");
    assert_eq!(
        folder.run_line("tendon state export --state back", &[]).stdout,
        read("two.jsonl").into_bytes()
    );
}

/// A server in a process of its own.
struct Served(Child, String);

impl Served {
    fn start(folder: &Folder, database: &str, state: &str) -> Served {
        let arguments = [
            "serve",
            "--http",
            "--listen",
            "127.0.0.1:0",
            "--seal-key",
            "shared.key",
            "--state",
            state,
            "--database",
            database,
        ];
        let mut process = folder.tendon(&arguments).stdout(Stdio::piped()).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(process.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let url = line.trim_end().strip_prefix("listening on ").expect(&line).to_owned();
        Served(process, url)
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn servers_share_a_database() {
    let folder = Folder::with(&[("main.bicep", MAIN.as_bytes())]);
    let url = database("shared");
    let nodes = ["a", "b"].map(|state| Served::start(&folder, &url, state));
    let [first, second] = [&nodes[0].1, &nodes[1].1];
    fine(&folder, &format!("deploy main.bicep --name of-first --server {first}"));
    let seen = fine(&folder, &format!("state list -o json --server {second}"));
    assert!(seen.contains("of-first") && seen.contains("Our.Things/things/one"), "{seen}");
    assert_eq!(seen, fine(&folder, &format!("state list -o json --server {first}")));
}

#[test]
fn what_is_wrong_with_a_database_is_said() {
    let folder = Folder::with(&[]);
    for (database, code, expected) in [
        ("mysql://u@h/d", 2, "postgres://USER@HOST/DATABASE"),
        ("postgres://u:secret@127.0.0.1:1/d", 3, "`postgres://127.0.0.1:1/d`: the database cannot be used"),
    ] {
        let (told, ended) = said(&folder, &format!("state list --database {database}"));
        assert!(told.contains(expected) && !told.contains("secret"), "{told}");
        assert_eq!(ended, Some(code), "{told}");
    }
    let (told, _) = said(&folder, "state list --database postgres://u@h/d --server http://127.0.0.1:1");
    assert!(told.contains("cannot be used with"), "{told}");
}
