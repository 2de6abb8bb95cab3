//! A state that is away: what is refused, how soon, and that nothing is acknowledged that is not kept.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use engine::Clock;
use server::{Audit, Guard};
use store::{
    Claim, Claimed, Commit, CommitOutcome, Deployment, DeploymentKey, Lease, MemoryStore, Operation, Page,
    Resource, ResourceId, Result, RunId, StepRecord, Store, StoreError,
};

use crate::support::{Server, VERSION};

/// A store in memory that can be away, and that is written to by a thread as one on a disk is.
#[derive(Default)]
struct AwayStore {
    store: MemoryStore,
    is_away: AtomicBool,
}

impl AwayStore {
    fn there(&self) -> Result<&MemoryStore> {
        if self.is_away.load(Ordering::SeqCst) {
            return Err(StoreError::Remote("connection refused (tell nobody)".to_owned()));
        }
        Ok(&self.store)
    }
}

impl Store for AwayStore {
    fn probe(&self) -> Result<()> {
        self.there()?.probe()
    }

    fn commit(&self, batches: &[Commit]) -> Vec<CommitOutcome> {
        match self.there() {
            Ok(store) => store.commit(batches),
            Err(error) => batches.iter().map(|_| CommitOutcome::Unknown(error.to_string())).collect(),
        }
    }

    fn claim(&self, run: RunId, owner: &str, milliseconds: u64) -> Result<Claim> {
        self.there()?.claim(run, owner, milliseconds)
    }

    fn claim_abandoned(&self, owner: &str, milliseconds: u64, limit: usize) -> Result<Vec<Claimed>> {
        self.there()?.claim_abandoned(owner, milliseconds, limit)
    }

    fn renew(&self, leases: &[Lease], milliseconds: u64) -> Result<Vec<Option<Lease>>> {
        self.there()?.renew(leases, milliseconds)
    }

    fn release(&self, leases: &[Lease]) -> Result<()> {
        self.there()?.release(leases)
    }

    fn cancel(&self, run: RunId) -> Result<bool> {
        self.there()?.cancel(run)
    }

    fn abandoned(&self, limit: usize) -> Result<Vec<Deployment>> {
        self.there()?.abandoned(limit)
    }

    fn are_over(&self, runs: &[RunId]) -> Result<Vec<bool>> {
        self.there()?.are_over(runs)
    }

    fn deployment(&self, key: &DeploymentKey) -> Result<Option<Deployment>> {
        self.there()?.deployment(key)
    }

    fn run(&self, run: RunId) -> Result<Option<Deployment>> {
        self.there()?.run(run)
    }

    fn runs(&self, root: RunId) -> Result<Vec<Deployment>> {
        self.there()?.runs(root)
    }

    fn deployments(&self, scope: Option<&str>, page: Page) -> Result<Vec<Deployment>> {
        self.there()?.deployments(scope, page)
    }

    fn steps(&self, run: RunId) -> Result<Vec<StepRecord>> {
        self.there()?.steps(run)
    }

    fn operations(&self, run: RunId, page: Page) -> Result<Vec<Operation>> {
        self.there()?.operations(run, page)
    }

    fn blob(&self, run: RunId, name: &str) -> Result<Option<Vec<u8>>> {
        self.there()?.blob(run, name)
    }

    fn replace_blob(&self, run: RunId, name: &str, was: &[u8], bytes: &[u8]) -> Result<bool> {
        self.there()?.replace_blob(run, name, was, bytes)
    }

    fn resource(&self, id: &ResourceId) -> Result<Option<Resource>> {
        self.there()?.resource(id)
    }

    fn resources(&self, below: &str, page: Page) -> Result<Vec<Resource>> {
        self.there()?.resources(below, page)
    }
}

const TEMPLATE: &str = r#"{"properties": {"template": {"$schema": "https://schema.management.azure.com/schemas/2019-04-01/deploymentTemplate.json#",
    "contentVersion": "1.0.0.0", "resources": [{"type": "Our.Things/things", "apiVersion": "2025-01-01", "name": "one", "properties": {}}]}}}"#;

#[test]
fn a_state_that_is_away_is_said_at_once_and_comes_back() {
    let store = Arc::new(AwayStore::default());
    let shared: Arc<dyn Store> = Arc::<AwayStore>::clone(&store);
    let server = Server::on(shared, Clock::Real, |_, _| Guard::local());
    server.group("g");
    let group = format!("/subscriptions/s/resourceGroups/g?{VERSION}");
    let put = format!(
        "PUT /subscriptions/s/resourceGroups/g/providers/Microsoft.Resources/deployments/d?{VERSION}"
    );
    let thing = format!("PUT /subscriptions/s/resourceGroups/g/providers/Our.Things/things/two?{VERSION}");
    assert_eq!(server.ask("GET /readyz", "").status, 200);
    store.is_away.store(true, Ordering::SeqCst);
    // An answer about whether it is ready is good for a second.
    std::thread::sleep(Duration::from_millis(1_100));
    let requests = [
        (format!("GET {group}"), ""),
        (put.clone(), TEMPLATE),
        (thing, r#"{"location": "north", "properties": {}}"#),
        (format!("GET /subscriptions/s/resources?{VERSION}"), ""),
        ("GET /planes/radius/local/resourceGroups?api-version=2023-10-01-preview".to_owned(), ""),
        ("GET /readyz".to_owned(), ""),
    ];
    for (request, body) in &requests {
        let asked = Instant::now();
        let answer = server.ask(request, body);
        assert!(asked.elapsed() < Duration::from_secs(1), "{request}: {:?}", asked.elapsed());
        assert_eq!(answer.status, 503, "{request}: {answer:?}");
        assert!(answer.headers.contains_key("retry-after"), "{request}");
        assert!(!answer.body.to_string().contains("tell nobody"), "{request}: {answer:?}");
    }
    assert_eq!(server.ask("GET /healthz", "").status, 200);
    store.is_away.store(false, Ordering::SeqCst);
    std::thread::sleep(Duration::from_millis(1_100));
    assert_eq!(server.ask("GET /readyz", "").status, 200);
    assert_eq!(server.ask(&format!("GET {group}"), "").status, 200);
    assert!(server.ask(&put, TEMPLATE).status.is_success());
}

#[test]
fn what_is_accepted_before_the_state_goes_away_ends_when_it_is_back() {
    let store = Arc::new(AwayStore::default());
    let shared: Arc<dyn Store> = Arc::<AwayStore>::clone(&store);
    let server = Server::on(shared, Clock::Real, |_, _| Guard::local());
    server.group("g");
    let path = "/subscriptions/s/resourceGroups/g/providers/Microsoft.Resources/deployments/d";
    let chain: Vec<String> = (0..40)
        .map(|at| {
            let waits = if at == 0 { String::new() } else { format!(r#""dependsOn": ["n{}"], "#, at - 1) };
            format!(r#"{{"type": "Our.Things/things", "apiVersion": "2025-01-01", "name": "n{at}", {waits}"properties": {{}}}}"#)
        })
        .collect();
    let body = TEMPLATE.replace(
        r#"{"type": "Our.Things/things", "apiVersion": "2025-01-01", "name": "one", "properties": {}}"#,
        &chain.join(", "),
    );
    assert!(server.ask(&format!("PUT {path}?{VERSION}"), &body).status.is_success());
    store.is_away.store(true, Ordering::SeqCst);
    std::thread::sleep(Duration::from_millis(700));
    store.is_away.store(false, Ordering::SeqCst);
    let begun = Instant::now();
    loop {
        let found = server.ask(&format!("GET {path}?{VERSION}"), "");
        if found.body["properties"]["provisioningState"] == "Succeeded" {
            break;
        }
        assert!(begun.elapsed() < Duration::from_secs(30), "{found:?}");
        std::thread::sleep(Duration::from_millis(50));
    }
}

#[cfg(unix)]
#[test]
fn where_the_audit_log_is_required_nothing_is_done_without_it() {
    let folder = std::env::temp_dir().join(format!("tendon-audit-full-{}", std::process::id()));
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).unwrap();
    // A disk that is full.
    std::os::unix::fs::symlink("/dev/full", folder.join("audit.jsonl")).unwrap();
    let group = format!("/subscriptions/s/resourceGroups/g?{VERSION}");
    let strict =
        Server::build(Clock::Virtual, |app, _, _| app.audited(Audit::open(&folder).unwrap().required()));
    let refused = strict.ask(&format!("PUT {group}"), r#"{"location": "north"}"#);
    refused.is_refused(503, "AuditUnavailable");
    assert_eq!(refused.headers["retry-after"], "5");
    assert_eq!(strict.ask(&format!("GET {group}"), "").status, 404);
    assert_eq!(strict.ask("GET /healthz", "").status, 200);
    let lenient = Server::build(Clock::Virtual, |app, _, _| app.audited(Audit::open(&folder).unwrap()));
    assert_eq!(lenient.ask(&format!("PUT {group}"), r#"{"location": "north"}"#).status, 201);
    std::fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn a_group_keeps_the_case_of_its_name() {
    let server = Server::new();
    server.group("Shop");
    let put = server
        .ask(&format!("PUT /subscriptions/s/resourceGroups/SHOP?{VERSION}"), r#"{"location": "north"}"#);
    assert_eq!((put.status.as_u16(), put.body["name"].as_str()), (200, Some("Shop")));
    let patched = server
        .ask(&format!("PATCH /subscriptions/s/resourceGroups/shop?{VERSION}"), r#"{"tags": {"a": "b"}}"#);
    assert_eq!(patched.body["name"], "Shop");
    let found = server.ask(&format!("GET /subscriptions/S/resourcegroups/shop?{VERSION}"), "").body;
    assert_eq!((found["name"].as_str(), found["tags"]["a"].as_str()), (Some("Shop"), Some("b")));
}

#[test]
fn browsers_are_told_to_come_back_over_tls_unless_it_is_this_machine() {
    let server = Server::new();
    let security = |host: &str| {
        let answer = server.ask_with("GET /healthz", "", &[("host", host)]);
        answer.headers.get("strict-transport-security").map(|value| value.to_str().unwrap().to_owned())
    };
    // The tests ask over HTTPS under the name of this machine.
    assert_eq!(security("localhost"), None);
    assert_eq!(security("127.0.0.1:8443"), None);
    let named = Server::build(Clock::Virtual, |app, _, _| {
        app.guarded(Guard::new(server::AuthMode::Local { names: vec!["tendon.example".to_owned()] }))
    });
    let answer = named.ask_with("GET /healthz", "", &[("host", "tendon.example:8443")]);
    assert_eq!(answer.headers["strict-transport-security"], "max-age=31536000");
}
