//! What people try who should not get in, over a socket: each of it ends in a refusal, soon, and the server goes on.
//!
//! Tokens of an issuer that are not right are in `oidc.rs`; scopes of others are in `identity.rs`.

use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::path::PathBuf;
use std::sync::{Arc, LazyLock, Mutex};
use std::time::Duration;

use engine::core::MachineSettings;
use engine::provider::Local;
use engine::{Clock, Engine, Host};
use logging::{Log, LogFormat, LogLevel, LogSubscriber, OpenSink};
use radius::registry::Registry;
use server::{App, Audit, AuthMode, Grant, Guard, Limits, Role, ScopePath, Tokens};
use store::{Key, SqliteStore, Store};

/// Everything that is logged, at every level.
static LOG: LazyLock<(Arc<Mutex<Vec<u8>>>, Log)> = LazyLock::new(|| {
    let log = Arc::new(Mutex::new(Vec::new()));
    let kept = Arc::clone(&log);
    let open: OpenSink = Box::new(move || Ok(Box::new(Lines(Arc::clone(&kept)))));
    let written = Log::start(open, LogFormat::Text).unwrap();
    tracing::subscriber::set_global_default(LogSubscriber::new(written.clone(), LogLevel::Debug)).unwrap();
    (log, written)
});

struct Lines(Arc<Mutex<Vec<u8>>>);

impl std::io::Write for Lines {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

fn logged() -> String {
    let (lines, log) = &*LOG;
    log.flush();
    String::from_utf8_lossy(&lines.lock().unwrap()).into_owned()
}

/// A server on a socket, with a state in a folder.
struct Served {
    address: SocketAddr,
    folder: PathBuf,
    token: String,
    _runtime: tokio::runtime::Runtime,
}

impl Drop for Served {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

enum Who {
    Local,
    Tokens,
}

fn serve(name: &str, who: Who, limits: Limits) -> Served {
    LazyLock::force(&LOG);
    let folder = std::env::temp_dir().join(format!("tendon-attack-{name}-{}", std::process::id()));
    let _ = std::fs::remove_dir_all(&folder);
    let store: Arc<dyn Store> = Arc::new(SqliteStore::open(&folder).unwrap());
    let key = Key::random().unwrap();
    let provider = Arc::new(Local::new(Arc::clone(&store), key.clone()));
    let registry = Arc::new(Registry::new(Arc::clone(&store), key.clone()));
    let tokens = Tokens::new(Arc::clone(&store), key.clone());
    let grant = Grant { role: Role::Owner, scope: ScopePath::everything() };
    let (token, _) = tokens.create("test", grant, 0, None).unwrap();
    let engine = Engine {
        store,
        key,
        provider,
        settings: MachineSettings::default(),
        clock: Clock::Real,
        budgets: Default::default(),
    };
    let guard = match who {
        Who::Local => Guard::local(),
        Who::Tokens => Guard::new(AuthMode::Tokens(tokens)),
    };
    let app = App::new(Arc::new(Host::new(engine)), registry).guarded(guard).limited(limits);
    let app = Arc::new(app.audited(Audit::open(&folder).unwrap()));
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    let address = SocketAddr::from(([127, 0, 0, 1], 0));
    let settings = server::ListenSettings {
        address,
        tls: None,
        connections: 16_384,
        per_address: 16_384,
        grace: Duration::ZERO,
    };
    let listening = runtime.block_on(server::listen(app, settings)).unwrap();
    let address = listening.address();
    runtime.spawn(listening.run(std::future::pending()));
    Served { address, folder, token, _runtime: runtime }
}

impl Served {
    /// Sends bytes as they are, and gives all that comes back until the server closes.
    fn raw(&self, bytes: &[u8]) -> String {
        let mut stream = TcpStream::connect(self.address).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
        // The server may close before it has read everything.
        let _ = stream.write_all(bytes);
        let mut answer = Vec::new();
        let _ = stream.read_to_end(&mut answer);
        String::from_utf8_lossy(&answer).into_owned()
    }

    /// Sends a request with more lines in its head.
    fn ask(&self, request: &str, head: &str, body: &str) -> (u16, String) {
        let answer = self.raw(
            format!(
                "{request} HTTP/1.1\r\nhost: {}\r\nconnection: close\r\ncontent-length: {}\r\n{head}\r\n{body}",
                self.address,
                body.len()
            )
            .as_bytes(),
        );
        (status(&answer), answer.split_once("\r\n\r\n").map_or("", |(_, body)| body).to_owned())
    }

    /// The same with the token of the owner.
    fn owner(&self, request: &str, body: &str) -> (u16, String) {
        self.ask(request, &format!("authorization: Bearer {}\r\n", self.token), body)
    }

    #[track_caller]
    fn is_well(&self) {
        assert_eq!(self.ask("GET /healthz", "", "").0, 200);
    }
}

fn status(answer: &str) -> u16 {
    answer
        .strip_prefix("HTTP/1.1 ")
        .and_then(|rest| rest.get(..3))
        .and_then(|status| status.parse().ok())
        .unwrap_or(0)
}

#[test]
fn who_has_no_token_or_a_wrong_one_is_refused() {
    let served = serve("tokens", Who::Tokens, Limits::default());
    let path = "GET /subscriptions?api-version=2022-12-01";
    let unsigned = "eyJ0eXAiOiJKV1QiLCJhbGciOiJub25lIn0.eyJzdWIiOiJhZG1pbiJ9.";
    let two = format!("authorization: Bearer {0}\r\nauthorization: Bearer {0}\r\n", served.token);
    for head in [
        "",
        "authorization: Bearer\r\n",
        "authorization: Bearer x\r\n",
        &format!("authorization: Bearer {unsigned}\r\n"),
        &format!("authorization: Basic {}\r\n", served.token),
        &format!("authorization: {}\r\n", served.token),
        &format!("authorization: Bearer {}x\r\n", served.token),
        &format!("authorization: Bearer {}\r\n", "x".repeat(20_000)),
        &two,
    ] {
        let (status, body) = served.ask(path, head, "");
        assert_eq!(status, 401, "{head}: {body}");
        assert!(!body.contains(&served.token), "{body}");
    }
    assert_eq!(served.owner(path, "").0, 200);
}

#[test]
fn paths_that_lead_elsewhere_are_refused() {
    let served = serve("paths", Who::Local, Limits::default());
    let deployments = "/subscriptions/s/resourceGroups/g/providers/Microsoft.Resources/deployments";
    for path in [
        "/../../etc/passwd",
        "/subscriptions/s/../../healthz",
        "/subscriptions/%2e%2e/%2e%2e/healthz",
        "/subscriptions/s/resourceGroups/a%2Fb",
        "/subscriptions/s/resourceGroups/a%5cb",
        "/subscriptions/s/resourceGroups/a%00b",
        "/subscriptions/s/resourceGroups/%ff%fe",
        "/subscriptions/s/resourceGroups/a%0d%0ax-evil:1",
        &format!("{deployments}/..%2f..%2fx"),
        &format!("{deployments}/%2e%2e"),
    ] {
        for method in ["GET", "PUT", "DELETE"] {
            let (status, body) = served.ask(&format!("{method} {path}?api-version=2025-04-01"), "", "{}");
            assert_eq!(status, 400, "{method} {path}: {body}");
        }
    }
    // What is decoded once is not decoded again.
    let (status, body) =
        served.ask("GET /subscriptions/s/resourceGroups/a%252Fb?api-version=2024-11-01", "", "");
    assert_eq!(status, 404, "{body}");
    served.is_well();
}

#[test]
fn messages_that_two_readers_read_in_two_ways_are_refused() {
    let limits = Limits { head_time: Duration::from_millis(300), ..Limits::default() };
    let served = serve("smuggle", Who::Local, limits);
    let host = format!("host: {}\r\n", served.address);
    let smuggled = "GET /smuggled HTTP/1.1\r\nhost: x\r\n\r\n";
    let cases = [
        (
            "two lengths",
            format!(
                "POST /healthz HTTP/1.1\r\n{host}content-length: 0\r\ncontent-length: 40\r\n\r\n{smuggled}"
            ),
        ),
        (
            "a list of lengths",
            format!("POST /healthz HTTP/1.1\r\n{host}content-length: 0, 40\r\n\r\n{smuggled}"),
        ),
        (
            "a length with a sign",
            format!("POST /healthz HTTP/1.1\r\n{host}content-length: +0\r\n\r\n{smuggled}"),
        ),
        ("a folded header", format!("GET /healthz HTTP/1.1\r\n{host}x: a\r\n b: c\r\n\r\n")),
        (
            "a space before the colon",
            format!("POST /healthz HTTP/1.1\r\n{host}content-length : 40\r\n\r\n{smuggled}"),
        ),
        (
            "another coding",
            format!("POST /healthz HTTP/1.1\r\n{host}transfer-encoding: xchunked\r\n\r\n{smuggled}"),
        ),
        (
            "chunked that is not last",
            format!("POST /healthz HTTP/1.1\r\n{host}transfer-encoding: chunked, identity\r\n\r\n{smuggled}"),
        ),
        (
            "a chunk without a size",
            format!(
                "POST /oauth2/token HTTP/1.1\r\n{host}transfer-encoding: chunked\r\n\r\nzz\r\n{smuggled}"
            ),
        ),
        ("a null in a header", format!("GET /healthz HTTP/1.1\r\n{host}x: a\0b\r\n\r\n")),
        ("a name with a line break", format!("GET /healthz HTTP/1.1\r\n{host}x\ny: b\r\n\r\n")),
        ("no version", format!("GET /healthz\r\n{host}\r\n")),
        ("two hosts", format!("GET /healthz HTTP/1.1\r\n{host}host: other\r\nconnection: close\r\n\r\n")),
    ];
    for (what, request) in cases {
        let answer = served.raw(request.as_bytes());
        // One answer, and a refusal; the second request is never seen.
        assert!([0, 400, 405].contains(&status(&answer)), "{what}: {answer}");
        assert!(answer.matches("HTTP/1.1 ").count() <= 1, "{what}: {answer}");
        assert!(!answer.contains("smuggled"), "{what}: {answer}");
    }
    // With both a length and chunks, the chunks count, and the connection ends there.
    let both = format!(
        "POST /healthz HTTP/1.1\r\n{host}content-length: 4\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n{smuggled}"
    );
    let answer = served.raw(both.as_bytes());
    assert!(answer.matches("HTTP/1.1 ").count() <= 1 && !answer.contains("smuggled"), "{answer}");
    served.is_well();
}

#[test]
fn heads_that_are_too_large_are_refused() {
    let served = serve("heads", Who::Local, Limits::default());
    let many: String = (0..200).map(|number| format!("x-{number}: y\r\n")).collect();
    let (many, _) = served.ask("GET /healthz", &many, "");
    assert_eq!(many, 431);
    let (long, _) = served.ask("GET /healthz", &format!("x: {}\r\n", "y".repeat(1 << 20)), "");
    assert!([0, 431].contains(&long), "{long}");
    let (path, _) = served.ask(&format!("GET /{}", "a".repeat(1 << 20)), "", "");
    assert!([0, 414, 431].contains(&path), "{path}");
    served.is_well();
}

#[test]
fn slow_clients_are_given_up() {
    let limits = Limits {
        head_time: Duration::from_millis(200),
        body_time: Duration::from_millis(200),
        ..Limits::default()
    };
    let served = serve("slow", Who::Local, limits);
    // A head that never ends: the server closes.
    assert_eq!(served.raw(b"GET /healthz HTTP/1.1\r\nhost: loc"), "");
    assert_eq!(served.raw(b""), "");
    // A body that never comes.
    let answer = served.raw(
        format!("PUT /subscriptions/s/resourceGroups/g?api-version=1 HTTP/1.1\r\nhost: {}\r\ncontent-length: 100\r\n\r\n{{", served.address)
            .as_bytes(),
    );
    assert_eq!(status(&answer), 408, "{answer}");
    served.is_well();
}

#[test]
fn bodies_that_are_large_deep_or_compressed_are_refused() {
    let served = serve("bodies", Who::Local, Limits { body: 100_000, ..Limits::default() });
    let put = "PUT /subscriptions/s/resourceGroups/g?api-version=2024-11-01";
    assert_eq!(served.ask(put, "", &" ".repeat(100_001)).0, 413);
    let chunks = format!(
        "{put} HTTP/1.1\r\nhost: {}\r\nconnection: close\r\ntransfer-encoding: chunked\r\n\r\n{}0\r\n\r\n",
        served.address,
        format!("2710\r\n{}\r\n", " ".repeat(10_000)).repeat(11)
    );
    assert_eq!(status(&served.raw(chunks.as_bytes())), 413);
    for encoding in ["gzip", "br", "deflate", "zstd", "gzip, identity", "identity, gzip"] {
        let (status, body) = served.ask(put, &format!("content-encoding: {encoding}\r\n"), "x");
        assert_eq!(status, 415, "{encoding}: {body}");
    }
    for deep in ["[".repeat(90_000), "{\"a\":".repeat(18_000)] {
        assert_eq!(served.ask(put, "", &deep).0, 400);
    }
    served.is_well();
}

const SCHEMA: &str = "https://schema.management.azure.com/schemas/2019-04-01/deploymentTemplate.json#";

fn deployment(rest: &str, more: &str) -> String {
    format!(
        r#"{{"properties": {{"mode": "Incremental", {more} "template": {{"$schema": "{SCHEMA}", "contentVersion": "1.0.0.0", {rest}}}}}}}"#
    )
}

#[test]
fn links_of_templates_lead_nowhere() {
    let served = serve("links", Who::Local, Limits::default());
    let group = "/subscriptions/s/resourceGroups/g";
    assert_eq!(
        served.ask(&format!("PUT {group}?api-version=2024-11-01"), "", r#"{"location": "north"}"#).0,
        201
    );
    let deployment_path = format!("{group}/providers/Microsoft.Resources/deployments");
    for (number, uri) in [
        "file:///etc/passwd",
        "http://169.254.169.254/metadata/instance",
        "http://127.0.0.1:1/x",
        "https://example.test/template.json",
        "//example.test/x",
        "/etc/passwd",
    ]
    .into_iter()
    .enumerate()
    {
        let link =
            format!(r#"{{"properties": {{"mode": "Incremental", "templateLink": {{"uri": "{uri}"}}}}}}"#);
        let path = format!("{deployment_path}/d{number}?api-version=2025-04-01");
        let (status, body) = served.ask(&format!("PUT {path}"), "", &link);
        assert!(status == 400 && body.contains("InvalidContentLink"), "{uri}: {body}");
        let nested = deployment(
            &format!(
                r#""resources": [{{"type": "Microsoft.Resources/deployments", "apiVersion": "2025-04-01", "name": "n",
                "properties": {{"mode": "Incremental", "templateLink": {{"uri": "{uri}"}}}}}}]"#
            ),
            "",
        );
        served.ask(&format!("PUT {path}"), "", &nested);
        let (_, record) = served.ask(&format!("GET {path}"), "", "");
        assert!(!record.contains("Succeeded") && !record.contains("root:"), "{uri}: {record}");
    }
    served.is_well();
}

#[test]
fn secrets_are_in_no_answer_log_or_file() {
    let served = serve("secrets", Who::Tokens, Limits::default());
    let secret = "tell-nobody-4711";
    let group = "/subscriptions/s/resourceGroups/g";
    let (status, body) =
        served.owner(&format!("PUT {group}?api-version=2024-11-01"), r#"{"location": "north"}"#);
    assert_eq!(status, 201, "{body}");
    let good = deployment(
        r#""parameters": {"p": {"type": "secureString"}, "o": {"type": "secureObject"}},
        "resources": [{"type": "Microsoft.Storage/storageAccounts", "apiVersion": "2023-01-01", "name": "account", "location": "north",
            "sku": {"name": "Standard_LRS"}, "kind": "StorageV2", "properties": {"secret": "[parameters('p')]", "more": "[parameters('o')]"}}],
        "outputs": {"out": {"type": "secureString", "value": "[parameters('p')]"}}"#,
        &format!(
            r#""parameters": {{"p": {{"value": "{secret}"}}, "o": {{"value": {{"inner": "{secret}"}}}}}},"#
        ),
    );
    // Wrong in different ways, so that errors have something to quote.
    let wrong_type = good.replace("\"secureString\"}, \"o\"", "\"secureString\", \"maxLength\": 3}, \"o\"");
    let wrong_name = good.replace(
        "\"name\": \"account\"",
        "\"name\": \"[concat(parameters('p'), '/', parameters('p'), '//')]\"",
    );
    let wrong_use = good.replace("[parameters('p')]\"}", "[int(parameters('p'))]\"}");
    let mut told = String::new();
    for (number, body) in [&good, &wrong_type, &wrong_name, &wrong_use].into_iter().enumerate() {
        let path = format!("{group}/providers/Microsoft.Resources/deployments/d{number}");
        for request in ["validate", "whatIf"] {
            told += &served.owner(&format!("POST {path}/{request}?api-version=2025-04-01"), body).1;
        }
        told += &served.owner(&format!("PUT {path}?api-version=2025-04-01&code={secret}"), body).1;
        for rest in ["", "/operations"] {
            told += &served.owner(&format!("GET {path}{rest}?api-version=2025-04-01"), "").1;
        }
        told += &served.owner(&format!("POST {path}/exportTemplate?api-version=2025-04-01"), "").1;
    }
    for path in ["/resources", "/providers/Microsoft.Resources/deployments", "/exportTemplate"] {
        told += &served.owner(&format!("GET {group}{path}?api-version=2021-04-01"), "").1;
    }
    told += &served
        .owner(
            &format!(
                "GET {group}/providers/Microsoft.Storage/storageAccounts/account?api-version=2023-01-01"
            ),
            "",
        )
        .1;
    told += &served.owner("GET /metrics", "").1;
    assert!(told.contains("Succeeded"), "{told}");
    assert!(!told.contains(secret), "{told}");
    assert!(!told.contains("panicked") && !told.contains(".rs:"), "{told}");
    let log = logged();
    assert!(!log.contains(secret) && !log.contains(&served.token));
    let mut files = 0;
    for file in std::fs::read_dir(&served.folder).unwrap() {
        let file = file.unwrap().path();
        let bytes = std::fs::read(&file).unwrap();
        let has = |text: &str| bytes.windows(text.len()).any(|window| window == text.as_bytes());
        assert!(!has(secret), "{}", file.display());
        assert!(!has(&served.token), "{}", file.display());
        files += 1;
    }
    assert!(files >= 2);
}

#[test]
fn a_thousand_wrong_tokens_are_bounded_and_logged_once() {
    let served = serve("wrong", Who::Tokens, Limits::default());
    let mut stream = TcpStream::connect(served.address).unwrap();
    let mut statuses = Vec::new();
    for number in 0..1000 {
        let request = format!(
            "GET /subscriptions HTTP/1.1\r\nhost: {}\r\nauthorization: Bearer tendon_{number:016x}_guess\r\n\r\n",
            served.address
        );
        stream.write_all(request.as_bytes()).unwrap();
        let mut answer = vec![0; 4096];
        let read = stream.read(&mut answer).unwrap();
        statuses.push(status(&String::from_utf8_lossy(&answer[..read])));
    }
    assert_eq!(statuses[0], 401);
    let waits = statuses.iter().filter(|status| **status == 429).count();
    assert!(waits > 500 && statuses.iter().all(|status| [401, 429].contains(status)), "{waits}");
    let (_, metrics) = served.owner("GET /metrics", "");
    assert!(metrics.contains("tendon_logins_refused_total 1000\n"), "{metrics}");
    // Other tests of this file refuse some, too, each with its own count.
    let lines = logged().lines().filter(|line| line.contains("without a valid token")).count();
    assert!((1..=10).contains(&lines), "{lines}");
    let audit = std::fs::read_to_string(served.folder.join("audit.jsonl")).unwrap();
    assert_eq!(audit, "");
}

#[test]
fn a_login_with_a_wrong_secret_is_a_wrong_token() {
    let served = serve("login", Who::Tokens, Limits::default());
    let mut statuses = Vec::new();
    for number in 0..100 {
        let form = format!("grant_type=client_credentials&client_secret=tendon_{number:016x}_guess");
        statuses.push(served.ask("POST /t/oauth2/v2.0/token", "", &form).0);
    }
    assert_eq!(statuses[0], 401);
    assert!(statuses.contains(&429) && statuses.iter().all(|status| [401, 429].contains(status)));
    let (_, metrics) = served.owner("GET /metrics", "");
    assert!(metrics.contains("tendon_logins_refused_total 100\n"), "{metrics}");
}

#[test]
fn who_is_not_known_writes_no_audit_log_and_sends_no_large_body() {
    let served = serve("unknown", Who::Tokens, Limits::default());
    let login = "POST /t/oauth2/v2.0/token";
    assert_eq!(served.ask(login, "", &"x".repeat(100_000)).0, 413);
    assert_eq!(served.ask(login, "content-encoding: gzip\r\n", "x").0, 415);
    assert_eq!(served.ask("POST /oauth2/token", "", "x").0, 404);
    assert_eq!(served.ask(&format!("POST /{}/oauth2/token", "t".repeat(10_000)), "", "x").0, 414);
    let audit = || std::fs::read_to_string(served.folder.join("audit.jsonl")).unwrap();
    assert_eq!(audit(), "");
    // Who logs in is named.
    let form = format!("grant_type=client_credentials&client_secret={}", served.token);
    assert_eq!(served.ask(login, "", &form).0, 200);
    let id = served.token.split('_').nth(1).unwrap();
    assert!(audit().contains(&format!("\"who\":\"token:{id} test\"")), "{}", audit());
    assert!(!audit().contains(&served.token));
}

#[test]
fn only_names_are_repeated_as_hosts() {
    let served = serve("hosts", Who::Tokens, Limits::default());
    for host in ["evil.test\"><script>", "a@b", "a/b", "a b", "a,b", "x%0d", ""] {
        let request = format!(
            "GET /metadata/endpoints?api-version=1 HTTP/1.1\r\nhost: {host}\r\nconnection: close\r\n\r\n"
        );
        let answer = served.raw(request.as_bytes());
        assert_eq!(status(&answer), 400, "{host}: {answer}");
        assert!(!answer.contains("script"), "{answer}");
    }
    let answer =
        served.raw(b"GET /healthz HTTP/1.1\r\nhost: tendon.example:8443\r\nconnection: close\r\n\r\n");
    assert_eq!(status(&answer), 200);
    assert!(answer.contains("cache-control: no-store") && answer.contains("x-content-type-options: nosniff"));
}

#[test]
fn links_are_escaped() {
    let served = serve("escapes", Who::Local, Limits::default());
    let group = "/subscriptions/a%20b%3Fc/resourceGroups/gr%C3%BC";
    let (status, body) =
        served.ask(&format!("PUT {group}?api-version=2024-11-01"), "", r#"{"location": "north"}"#);
    assert_eq!(status, 201, "{body}");
    // It fails, so that the client is told where to ask.
    let body = deployment(
        r#""resources": [], "outputs": {"o": {"type": "string", "value": "[reference('/subscriptions/x', '1').y]"}}"#,
        "",
    );
    let answer = served.raw(
        format!(
            "PUT {group}/providers/Microsoft.Resources/deployments/d?api-version=2024-11-01%26x%0d%0ay HTTP/1.1\r\nhost: {}\r\nconnection: close\r\ncontent-length: {}\r\n\r\n{body}",
            served.address,
            body.len()
        )
        .as_bytes(),
    );
    let link = answer.lines().find_map(|line| line.strip_prefix("azure-asyncoperation: ")).unwrap();
    let path = link.strip_prefix(&format!("http://{}", served.address)).unwrap();
    assert!(path.starts_with("/subscriptions/a%20b%3Fc/resourceGroups/gr%C3%BC/providers/"), "{path}");
    assert!(path.ends_with("?api-version=2024-11-01%26x%0D%0Ay"), "{path}");
    assert_eq!(served.ask(&format!("GET {path}"), "", "").0, 200);
}

#[test]
fn requests_that_are_under_way_are_bounded() {
    let limits = Limits { requests: 0, ..Limits::default() };
    let served = serve("room", Who::Local, limits);
    assert_eq!(served.ask("GET /healthz", "", "").0, 429);
    let limits = Limits { bodies: 100_000, ..Limits::default() };
    let served = serve("bytes", Who::Local, limits);
    let put = "PUT /subscriptions/s/resourceGroups/g?api-version=2024-11-01";
    assert_eq!(served.ask(put, "", &" ".repeat(200_000)).0, 429);
    assert_eq!(served.ask(put, "", r#"{"location": "north"}"#).0, 201);
}

/// The client of the test below, in its own process: it opens connections and says nothing.
#[cfg(unix)]
#[test]
fn idle_client() {
    let Ok(address) = std::env::var("TENDON_IDLE_CLIENT") else { return };
    let (address, count) = address.split_once(' ').unwrap();
    raise_limit();
    let count: usize = count.parse().unwrap();
    let connections: Vec<TcpStream> = (0..count).map(|_| TcpStream::connect(address).unwrap()).collect();
    println!("\nconnected {}", connections.len());
    // Until the other side is done.
    let _ = std::io::stdin().read(&mut [0]);
}

/// Allows this process as many files as it may have; gives the number.
#[cfg(unix)]
fn raise_limit() -> u64 {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
    let limit = getrlimit(Resource::Nofile);
    let _ = setrlimit(Resource::Nofile, Rlimit { current: limit.maximum, maximum: limit.maximum });
    getrlimit(Resource::Nofile).current.unwrap_or(u64::MAX)
}

#[cfg(target_os = "linux")]
#[test]
fn ten_thousand_idle_connections_hinder_nobody() {
    use std::io::{BufRead as _, BufReader};
    use std::process::{Command, Stdio};
    // A machine that does not allow so many files gets as many as it allows.
    let count = usize::try_from(raise_limit().saturating_sub(500)).unwrap_or(usize::MAX).min(10_000);
    let limits = Limits { head_time: Duration::from_secs(120), ..Limits::default() };
    let served = serve("idle", Who::Local, limits);
    let memory = || -> usize {
        let status = std::fs::read_to_string("/proc/self/status").unwrap();
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap();
        line.trim().trim_end_matches(" kB").parse().unwrap()
    };
    let before = memory();
    let mut client = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "attack::idle_client", "--nocapture"])
        .env("TENDON_IDLE_CLIENT", format!("{} {count}", served.address))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(client.stdout.take().unwrap()).lines();
    let said = lines.by_ref().map(Result::unwrap).find(|line| line.starts_with("connected"));
    assert_eq!(said, Some(format!("connected {count}")));
    for _ in 0..20 {
        served.is_well();
    }
    let (_, metrics) = served.ask("GET /metrics", "", "");
    let open = metrics.lines().find_map(|line| line.strip_prefix("tendon_connections ")).unwrap();
    let open: usize = open.parse().unwrap();
    assert!(open >= count, "{open} of {count}");
    let each = memory().saturating_sub(before) * 1024 / count;
    assert!(each < 32 * 1024, "{each} bytes for a connection");
    drop(client.stdin.take());
    client.wait().unwrap();
}
