//! What operators do with a server: options in a file, keys, tokens, certificates.

use std::io::{BufRead as _, BufReader};
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use crate::support::Folder;

/// How long something may take.
const PATIENCE: Duration = Duration::from_secs(60);

/// A server with options of its own.
struct Running {
    process: Child,
    url: String,
}

impl Running {
    fn start(folder: &Folder, arguments: &[&str]) -> Running {
        let mut command = folder.tendon(&[&["serve", "--listen", "127.0.0.1:0"], arguments].concat());
        let mut process = command.stdout(Stdio::piped()).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(process.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let url = line.trim_end().strip_prefix("listening on ").expect(&line).to_owned();
        Running { process, url }
    }

    fn address(&self) -> &str {
        self.url.rsplit('/').next().unwrap()
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// What a command says on both streams, and its exit code.
fn said(folder: &Folder, line: &str) -> (String, Option<i32>) {
    let output = folder.run_line(line, &[]);
    let text = [output.stdout, output.stderr].concat();
    (String::from_utf8(text).unwrap(), output.status.code())
}

#[test]
fn options_are_read_from_a_file_and_checked_without_serving() {
    let folder = Folder::with(&[
        ("good.toml", b"# A server\nhttp = true\nstate = 'kept'\nhistory = 5\n"),
        ("typo.toml", b"http = true\nhistroy = 5\n"),
        ("open.toml", b"listen = '0.0.0.0:8443'\n"),
        ("wrong.toml", b"history = 'many'\n"),
    ]);
    assert_eq!(
        said(&folder, "tendon serve --config good.toml --check-config"),
        ("the configuration is valid\n".to_owned(), Some(0))
    );
    assert!(!folder.path("kept").exists(), "nothing was made");
    let (text, code) = said(&folder, "tendon serve --config typo.toml --check-config");
    assert!(
        text.contains(
            "`typo.toml`, line 2: `histroy` is not an option of `tendon serve`; did you mean `history`?"
        ),
        "{text}"
    );
    assert_eq!(code, Some(2));
    let (text, code) = said(&folder, "tendon serve --config wrong.toml --check-config");
    assert!(text.contains("note: `--history` is from `wrong.toml`, line 1"), "{text}");
    assert_eq!(code, Some(2));
    let (text, code) = said(&folder, "tendon serve --config open.toml --check-config");
    assert!(text.contains("callers do not have to log in"), "{text}");
    assert_eq!(code, Some(2));
    // It is served as the file says.
    let running = Running::start(&folder, &["--config", "good.toml"]);
    assert!(running.url.starts_with("http://"), "{}", running.url);
    let ready = format!("tendon serve --http --listen {} --check-ready", running.address());
    assert_eq!(said(&folder, &ready), ("ready\n".to_owned(), Some(0)));
    assert!(folder.path("kept/state.db").exists());
    let address = running.address().to_owned();
    drop(running);
    assert_eq!(said(&folder, &format!("tendon serve --http --listen {address} --check-ready")).1, Some(3));
}

#[test]
fn a_folder_without_its_key_or_with_another_one_is_not_served() {
    let folder = Folder::with(&[]);
    drop(Running::start(&folder, &["--http", "--state", "kept"]));
    let key = folder.path("kept/seal.key");
    let aside = folder.path("aside.key");
    std::fs::rename(&key, &aside).unwrap();
    let (text, code) = said(&folder, "tendon serve --http --listen 127.0.0.1:0 --state kept");
    assert!(text.contains("the state in `kept` has no key") && text.contains("--seal-key"), "{text}");
    assert_eq!(code, Some(3));
    assert!(!key.exists(), "no other key was made");
    drop(Running::start(&folder, &["--http", "--state", "other"]));
    std::fs::copy(folder.path("other/seal.key"), &key).unwrap();
    let (text, code) = said(&folder, "tendon serve --http --listen 127.0.0.1:0 --state kept");
    assert!(text.contains("is not the one that the state in `kept` is used with"), "{text}");
    assert_eq!(code, Some(3));
    // With its own key it is as it was, wherever that is.
    drop(Running::start(&folder, &["--http", "--state", "kept", "--seal-key", "aside.key"]));
}

#[test]
fn a_key_is_replaced_while_a_server_runs() {
    let folder = Folder::with(&[]);
    let (token, code) = said(&folder, "tendon token create admin --role owner --scope / --state kept -q");
    assert_eq!(code, Some(0), "{token}");
    folder.write("token", token.as_bytes());
    let running = Running::start(&folder, &["--state", "kept", "--auth", "token"]);
    let list = format!(
        "tendon token list --server {} --server-ca kept/tls-cert.pem --token-file token",
        running.url
    );
    let first = std::fs::read_to_string(folder.path("kept/seal.key")).unwrap();
    let (text, code) = said(&folder, "tendon seal rotate --state kept");
    assert_eq!(code, Some(0), "{text}");
    let ring = std::fs::read_to_string(folder.path("kept/seal.key")).unwrap();
    assert!(
        !ring.starts_with(&first) && ring.contains(&format!("\n{first}\n")),
        "the key before still opens"
    );
    let (text, _) = said(&folder, "tendon seal status --state kept");
    assert!(text.starts_with("keys that sealed before: 1\na key is prepared: no\n"), "{text}");
    // Tokens are known as before, to the server that runs and to the next one.
    assert_eq!(said(&folder, &list).1, Some(0));
    assert_eq!(said(&folder, "tendon seal retire --state kept").1, Some(0));
    drop(running);
    let running = Running::start(&folder, &["--state", "kept", "--auth", "token"]);
    let list = format!(
        "tendon token list --server {} --server-ca kept/tls-cert.pem --token-file token",
        running.url
    );
    let (text, code) = said(&folder, &list);
    assert_eq!(code, Some(0), "{text}");
    let (text, _) = said(&folder, "tendon seal status --state kept");
    assert!(text.starts_with("keys that sealed before: 0\n"), "{text}");
    let audit = std::fs::read_to_string(folder.path("kept/audit.jsonl")).unwrap();
    assert!(audit.contains(r#""method":"ROTATE","path":"/tendon/seal""#), "{audit}");
    assert!(audit.contains(r#""method":"RETIRE","path":"/tendon/seal""#), "{audit}");
}

#[test]
fn tokens_are_made_here_and_on_a_server_and_both_are_written_down() {
    let folder = Folder::with(&[]);
    let (token, code) = said(&folder, "tendon token create admin --role owner --scope / --state kept -q");
    assert_eq!(code, Some(0), "{token}");
    folder.write("token", token.as_bytes());
    let running = Running::start(&folder, &["--state", "kept", "--auth", "token"]);
    let server = format!("--server {} --server-ca kept/tls-cert.pem --token-file token", running.url);
    let (made, code) = said(&folder, &format!("tendon token create ci --role reader --scope / {server} -q"));
    assert_eq!(code, Some(0), "{made}");
    assert!(made.starts_with("tendon_"), "{made}");
    let id = made.split('_').nth(1).unwrap().to_owned();
    folder.write("reader", made.as_bytes());
    let (listed, _) = said(&folder, &format!("tendon token list {server}"));
    assert!(listed.contains(&format!("{id}  reader")) && listed.contains("  admin"), "{listed}");
    let as_reader = server.replace("--token-file token", "--token-file reader");
    assert_eq!(said(&folder, &format!("tendon token list {as_reader}")).1, Some(1));
    let (ended, code) = said(&folder, &format!("tendon token expire {id} --expires-in never {server}"));
    assert_eq!((ended.as_str(), code), (format!("the token `{id}` never expires\n").as_str(), Some(0)));
    let (gone, code) = said(&folder, &format!("tendon token revoke {id} {server}"));
    assert_eq!((gone.as_str(), code), (format!("the token `{id}` is revoked\n").as_str(), Some(0)));
    assert_eq!(said(&folder, &format!("tendon token revoke {id} {server}")).1, Some(1));
    let audit = std::fs::read_to_string(folder.path("kept/audit.jsonl")).unwrap();
    for line in [
        r#""who":"command line","address":null,"method":"POST","path":"/tendon/tokens""#.to_owned(),
        format!(r#""method":"PATCH","path":"/tendon/tokens/{id}""#),
        format!(r#""method":"DELETE","path":"/tendon/tokens/{id}""#),
    ] {
        assert!(audit.contains(&line), "{line}\n{audit}");
    }
    assert!(!audit.contains(made.trim_end()) && !audit.contains(token.trim_end()));
}

#[test]
fn a_certificate_that_is_replaced_is_served_without_a_restart() {
    let folder = Folder::with(&[]);
    // Two servers make two certificates.
    for name in ["one", "two"] {
        drop(Running::start(&folder, &["--state", name]));
    }
    let put = |name: &str| {
        for file in ["tls-cert.pem", "tls-key.pem"] {
            std::fs::copy(folder.path(&format!("{name}/{file}")), folder.path(file)).unwrap();
        }
    };
    put("one");
    let files = ["--tls-cert", "tls-cert.pem", "--tls-key", "tls-key.pem"];
    let running = Running::start(&folder, &[&["--state", "kept"][..], &files].concat());
    // Whoever asks trusts only the certificate in the file.
    let ready = format!(
        "tendon serve --listen {} --tls-cert tls-cert.pem --tls-key tls-key.pem --check-ready",
        running.address()
    );
    assert_eq!(said(&folder, &ready), ("ready\n".to_owned(), Some(0)));
    put("two");
    let begun = Instant::now();
    while said(&folder, &ready).1 != Some(0) {
        assert!(begun.elapsed() < PATIENCE, "the new certificate is not served");
        std::thread::sleep(Duration::from_millis(100));
    }
    // One that cannot be used leaves the one before.
    let good = std::fs::read(folder.path("tls-cert.pem")).unwrap();
    folder.write("tls-cert.pem", b"nothing");
    std::thread::sleep(Duration::from_secs(3));
    folder.write("trusted.pem", &good);
    let ready = ready.replace("--tls-cert tls-cert.pem", "--tls-cert trusted.pem");
    assert_eq!(said(&folder, &ready), ("ready\n".to_owned(), Some(0)));
}

#[test]
fn a_state_is_backed_up_while_it_is_served_and_restored_elsewhere() {
    let program = "param size int = 2\nresource kept 'Microsoft.Storage/storageAccounts@2023-01-01' = {\n  name: 'kept'\n  location: 'eastus'\n  kind: 'StorageV2'\n  sku: { name: 'Standard_LRS' }\n}\noutput twice int = size * 2\n";
    let folder = Folder::with(&[("main.bicep", program.as_bytes())]);
    let fine = |line: &str| {
        let (text, code) = said(&folder, line);
        assert_eq!(code, Some(0), "{line}: {text}");
        text
    };
    let token = fine("tendon token create admin --role owner --scope / --state kept -q");
    folder.write("token", token.as_bytes());
    let running = Running::start(&folder, &["--state", "kept", "--auth", "token"]);
    let at = |url: &str, folder: &str| {
        format!("--server {url} --server-ca {folder}/tls-cert.pem --token-file token")
    };
    fine(&format!("tendon deploy main.bicep {}", at(&running.url, "kept")));
    // The runbook of a backup, and what happens behind it.
    fine("tendon state export backup.jsonl --state kept");
    let before = fine("tendon state list --state kept");
    fine(&format!("tendon deploy main.bicep --name later {}", at(&running.url, "kept")));
    drop(running);
    // The runbook of a restore; it is also what leads back to an earlier version.
    fine("tendon state import backup.jsonl --state new --seal-key kept/seal.key");
    std::fs::copy(folder.path("kept/seal.key"), folder.path("new/seal.key")).unwrap();
    assert_eq!(fine("tendon state list --state new"), before);
    let running = Running::start(&folder, &["--state", "new", "--auth", "token"]);
    let list = fine(&format!("tendon state list {}", at(&running.url, "new")));
    assert!(list.contains("main") && !list.contains("later"), "{list}");
    let again = fine(&format!("tendon deploy main.bicep {}", at(&running.url, "new")));
    assert!(again.contains("twice = 4"), "{again}");
    drop(running);
    // A backup that ends early is refused.
    let text = std::fs::read_to_string(folder.path("backup.jsonl")).unwrap();
    folder.write("cut.jsonl", text.lines().next().unwrap().as_bytes());
    let (text, code) = said(&folder, "tendon state import cut.jsonl --state cut --seal-key kept/seal.key");
    assert!(text.contains("the file is incomplete"), "{text}");
    assert_eq!(code, Some(1));
}

#[test]
fn deployments_that_are_old_are_forgotten_and_their_resources_stay() {
    let program = "resource kept 'Microsoft.Storage/storageAccounts@2023-01-01' = {\n  name: 'kept'\n  location: 'eastus'\n  kind: 'StorageV2'\n  sku: { name: 'Standard_LRS' }\n}\n";
    let folder = Folder::with(&[("main.bicep", program.as_bytes())]);
    assert_eq!(said(&folder, "tendon deploy main.bicep --state kept").1, Some(0));
    let listed = || said(&folder, "tendon state list --state kept").0;
    let running = Running::start(&folder, &["--http", "--state", "kept", "--history-age", "1h"]);
    std::thread::sleep(Duration::from_secs(2));
    assert!(listed().contains("main"), "{}", listed());
    drop(running);
    let _running = Running::start(&folder, &["--http", "--state", "kept", "--history-age", "1s"]);
    let begun = Instant::now();
    while listed().contains("main") {
        assert!(begun.elapsed() < PATIENCE, "the deployment is still there: {}", listed());
        std::thread::sleep(Duration::from_millis(200));
    }
    assert!(listed().contains("kept"), "{}", listed());
}

#[test]
fn a_node_waits_for_its_database() {
    let folder = Folder::with(&[]);
    // A port that nobody listens on.
    let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let line = format!(
        "tendon serve --http --listen 127.0.0.1:0 --state kept --database postgres://u@127.0.0.1:{port}/d --database-wait 2"
    );
    let begun = Instant::now();
    let (text, code) = said(&folder, &line);
    assert_eq!(code, Some(3), "{text}");
    assert!(begun.elapsed() >= Duration::from_secs(2), "it did not wait");
    assert!(text.contains("waiting for it"), "{text}");
}
