//! The pages of deployments: lists that come in pages, and one deployment with everything that is known of it.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::support::{Server, VERSION};
use engine::Clock;
use server::Guard;
use store::{
    BatchId, Claim, Claimed, Commit, CommitOutcome, Deployment, DeploymentKey, Lease, MemoryStore, Operation,
    Page, PageAfter, Resource, ResourceId, Result, RunId, Status, StepRecord, Store, Write,
};

const GROUP: &str = "/subscriptions/s/resourceGroups/g";

fn path(name: &str) -> String {
    format!("{GROUP}/providers/Microsoft.Resources/deployments/{name}")
}

fn put(server: &Server, name: &str, template: &str) {
    let body = format!(
        r#"{{"properties": {{"mode": "Incremental", "template": {{
"$schema": "https://schema.management.azure.com/schemas/2019-04-01/deploymentTemplate.json#",
"contentVersion": "1.0.0.0", {template}}}}}}}"#
    );
    let put = server.ask(&format!("PUT {}?{VERSION}", path(name)), &body);
    assert!([200, 201].contains(&put.status.as_u16()), "{put:?}");
}

/// The page of a deployment, once it has ended.
fn page(server: &Server, name: &str) -> String {
    loop {
        let (status, text) = server.text(&format!("GET /ui/deployments{}", path(name)));
        assert_eq!(status, 200, "{text}");
        if text.contains("data-running=\"false\"") {
            return text;
        }
    }
}

#[test]
fn a_deployment_shows_its_steps_picture_operations_and_outputs() {
    let server = Server::new();
    server.group("g");
    put(
        &server,
        "main",
        r#""resources": [{"type": "A.B/c", "apiVersion": "2023-01-01", "name": "one"},
            {"type": "A.B/c", "apiVersion": "2023-01-01", "name": "two", "dependsOn": ["one"]}],
        "outputs": {"shown": {"type": "string", "value": "42"}, "hidden": {"type": "securestring", "value": "s3cret"}}"#,
    );
    let text = page(&server, "main");
    for part in [
        "Succeeded",
        "id=\"steps-part\"",
        "class=\"tendon-graph\"",
        "id=\"operations-part\"",
        "&quot;42&quot;",
        "<em>secret</em>",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
    assert!(!text.contains("s3cret") && !text.contains("id=\"cancel\"") && !text.contains("data-events"));
    assert!(text.contains(&format!("/ui/resources{GROUP}/providers/A.B/c/two")), "{text}");
}

#[test]
fn an_error_shows_where_its_resource_is_written() {
    let server = Server::new();
    server.group("g");
    put(
        &server,
        "bad",
        r#""resources": [
  {"type": "A.B/c", "apiVersion": "2023-01-01", "name": "c",
   "properties": {"x": "[reference(resourceId('A.B/c', 'gone'), '2023-01-01').x]"}}]"#,
    );
    let text = page(&server, "bad");
    assert!(text.contains("ResourceNotFound") && text.contains("id=\"errors\""), "{text}");
    let place = text.split("<figcaption>").nth(1).unwrap_or_else(|| panic!("{text}"));
    assert!(place.starts_with("<code>template (resources[0].properties.x)"), "{place}");
    let marked = place.split("<mark>").nth(1).and_then(|rest| rest.split("</mark>").next()).unwrap();
    assert!(marked.contains("[reference(resourceId("), "{place}");
    assert!(place.contains("A.B/c"), "{place}");
}

#[test]
fn lines_around_an_error_do_not_show_secrets() {
    let server = Server::new();
    server.group("g");
    let inner = r#"{"type": "Microsoft.Resources/deployments", "apiVersion": "2021-04-01", "name": "inner", "properties": {"mode": "Incremental",
 "expressionEvaluationOptions": {"scope": "inner"}, "parameters": {"pw": {"value": "hunter2"}}, "template": {
 "$schema": "https://schema.management.azure.com/schemas/2019-04-01/deploymentTemplate.json#", "contentVersion": "1.0.0.0",
 "parameters": {"pw": {"type": "secureString", "defaultValue": "hunter2"}},
 "resources": [{"type": "A.B/c", "apiVersion": "2023-01-01", "name": "c", "properties": {"x": "[int('a')]"}}]}}}"#;
    let outer =
        r#"{"type": "A.B/c", "apiVersion": "2023-01-01", "name": "d", "properties": {"x": "[int('a')]"}}"#;
    for (name, resource) in [("inside", inner), ("line", outer)] {
        let parameters = r#""parameters": {"p": {"defaultValue": "hunter2", "type": "secureString"}}"#;
        put(&server, name, &format!("\"resources\": [\n{resource}], {parameters}"));
        let text = page(&server, name);
        let place = text.split("<figcaption>").nth(1).unwrap_or_else(|| panic!("{text}"));
        assert!(place.contains("***") && !text.contains("hunter2"), "{place}");
    }
}

#[test]
fn a_dense_plan_is_not_drawn() {
    let server = Server::new();
    server.group("g");
    let resource = |at: usize| {
        let before: Vec<String> = (0..at).map(|at| format!("\"r{at}\"")).collect();
        format!(
            r#"{{"type": "A.B/c", "apiVersion": "2023-01-01", "name": "r{at}", "dependsOn": [{}]}}"#,
            before.join(", ")
        )
    };
    let resources: Vec<String> = (0..100).map(resource).collect();
    put(&server, "dense", &format!(r#""resources": [{}]"#, resources.join(", ")));
    let text = page(&server, "dense");
    assert!(!text.contains("class=\"tendon-graph\""), "{text}");
    assert!(text.contains("too large to draw here, it has 100 resources and 4950 dependencies"), "{text}");
}

#[test]
fn hostile_names_are_text_on_every_page() {
    let server = Server::new();
    server.group("g");
    let hostile = "%3Cscript%3Ealert(1)%3C%2Fscript%3E";
    let (status, text) =
        server.text(&format!("GET /ui?name={hostile}&scope={hostile}&from={hostile}&after={hostile}"));
    assert_eq!(status, 200);
    assert!(!text.contains("<script>") && text.contains("role=\"alert\""), "{text}");
    let name = "x%E2%80%AE%22%3E%3Cb%3E";
    let (status, text) =
        server.text(&format!("GET /ui/deployments{GROUP}/providers/Microsoft.Resources/deployments/{name}"));
    assert_eq!(status, 404);
    assert!(!text.contains("<b>") && !text.contains('\u{202e}') && text.contains("U+202E"), "{text}");
    put(
        &server,
        "odd",
        r#""resources": [], "outputs": {"o": {"type": "string", "value": "</pre><script>alert(1)</script>\u202e"}}"#,
    );
    let text = page(&server, "odd");
    assert!(!text.contains("<script>") && !text.contains('\u{202e}'), "{text}");
}

/// A store that counts the deployments that are read.
struct Counting {
    store: MemoryStore,
    read: AtomicUsize,
    /// How often a thread that serves read, and another one.
    serving: AtomicUsize,
    apart: AtomicUsize,
}

impl Counting {
    fn count<T>(&self, rows: Result<Vec<T>>) -> Result<Vec<T>> {
        if let Ok(rows) = &rows {
            self.read.fetch_add(rows.len(), Ordering::Relaxed);
            // A thread that serves must not wait, and is told so.
            let wait = || tokio::runtime::Handle::current().block_on(async {});
            let is_apart = std::panic::catch_unwind(wait).is_ok();
            let counter = if is_apart { &self.apart } else { &self.serving };
            counter.fetch_add(1, Ordering::Relaxed);
        }
        rows
    }
}

impl Store for Counting {
    fn commit(&self, batches: &[Commit]) -> Vec<CommitOutcome> {
        self.store.commit(batches)
    }
    fn claim(&self, run: RunId, owner: &str, milliseconds: u64) -> Result<Claim> {
        self.store.claim(run, owner, milliseconds)
    }
    fn claim_abandoned(&self, owner: &str, milliseconds: u64, limit: usize) -> Result<Vec<Claimed>> {
        self.store.claim_abandoned(owner, milliseconds, limit)
    }
    fn renew(&self, leases: &[Lease], milliseconds: u64) -> Result<Vec<Option<Lease>>> {
        self.store.renew(leases, milliseconds)
    }
    fn release(&self, leases: &[Lease]) -> Result<()> {
        self.store.release(leases)
    }
    fn cancel(&self, run: RunId) -> Result<bool> {
        self.store.cancel(run)
    }
    fn abandoned(&self, limit: usize) -> Result<Vec<Deployment>> {
        self.store.abandoned(limit)
    }
    fn are_over(&self, runs: &[RunId]) -> Result<Vec<bool>> {
        self.store.are_over(runs)
    }
    fn deployment(&self, key: &DeploymentKey) -> Result<Option<Deployment>> {
        self.store.deployment(key)
    }
    fn run(&self, run: RunId) -> Result<Option<Deployment>> {
        self.store.run(run)
    }
    fn runs(&self, root: RunId) -> Result<Vec<Deployment>> {
        self.store.runs(root)
    }
    fn deployments(&self, scope: Option<&str>, page: Page) -> Result<Vec<Deployment>> {
        self.count(self.store.deployments(scope, page))
    }
    fn steps(&self, run: RunId) -> Result<Vec<StepRecord>> {
        self.store.steps(run)
    }
    fn operations(&self, run: RunId, page: Page) -> Result<Vec<Operation>> {
        self.count(self.store.operations(run, page))
    }
    fn blob(&self, run: RunId, name: &str) -> Result<Option<Vec<u8>>> {
        self.store.blob(run, name)
    }
    fn replace_blob(&self, run: RunId, name: &str, was: &[u8], bytes: &[u8]) -> Result<bool> {
        self.store.replace_blob(run, name, was, bytes)
    }

    fn resource(&self, id: &ResourceId) -> Result<Option<Resource>> {
        self.store.resource(id)
    }
    fn resources(&self, below: &str, page: Page) -> Result<Vec<Resource>> {
        self.count(self.store.resources(below, page))
    }
    fn deployments_after(&self, scope: Option<&str>, page: PageAfter) -> Result<Vec<Deployment>> {
        self.count(self.store.deployments_after(scope, page))
    }
}

/// A server with deployments that have ended: every tenth one failed, and every hundredth one is in the group `rare`.
fn many(count: u32) -> (Server, Arc<Counting>) {
    let store = Arc::new(Counting {
        store: MemoryStore::new(),
        read: AtomicUsize::new(0),
        serving: AtomicUsize::new(0),
        apart: AtomicUsize::new(0),
    });
    for number in 0..count {
        let group = if number % 100 == 0 { "rare" } else { "common" };
        let state = if number % 10 == 0 { "Failed" } else { "Succeeded" };
        let scope = format!("/subscriptions/s/resourceGroups/{group}");
        let name = format!("d{number}");
        let body = format!(
            r#"{{"id": "{scope}/providers/Microsoft.Resources/deployments/{name}", "properties": {{"provisioningState": "{state}",
            "timestamp": "{}", "duration": "PT1.5S"}}}}"#,
            arm::rest_time::moment_text(i64::from(number) * 60_000)
        );
        let (run, order) = (RunId(u128::from(number) + 1), i64::from(number) * 60_000);
        let row = Deployment {
            key: DeploymentKey::new(&scope, &name),
            run,
            root: run,
            status: Status::Ended,
            order,
            format: 1,
            body,
        };
        let commit = Commit {
            id: BatchId { run, number: 0 },
            fence: None,
            conditions: Vec::new(),
            writes: vec![Write::Deployment(row)],
        };
        assert_eq!(store.commit(&[commit]), [CommitOutcome::Committed]);
    }
    store.read.store(0, Ordering::Relaxed);
    let server = Server::on(Arc::clone(&store) as Arc<dyn Store>, Clock::Virtual, |_, _| Guard::local());
    (server, store)
}

/// The names on a page, and the address of the next one.
fn names(server: &Server, path: &str) -> (Vec<String>, Option<String>) {
    let (status, text) = server.text(&format!("GET {path}"));
    assert_eq!(status, 200, "{text}");
    let rows = text.split("<th scope=\"row\"><a href=\"").skip(1);
    let names =
        rows.map(|row| row.split('>').nth(1).unwrap().split('<').next().unwrap().to_owned()).collect();
    let next = text
        .split("id=\"next\" rel=\"next\" href=\"")
        .nth(1)
        .map(|rest| rest.split('"').next().unwrap().replace("&amp;", "&"));
    (names, next)
}

#[test]
fn pages_follow_each_other_without_a_gap() {
    let (server, _) = many(230);
    let (mut all, mut next) = names(&server, "/ui");
    assert_eq!(all.first().map(String::as_str), Some("d229"));
    while let Some(path) = next {
        let (more, following) = names(&server, &path);
        all.extend(more);
        next = following;
    }
    let expected: Vec<String> = (0..230).rev().map(|number| format!("d{number}")).collect();
    assert_eq!(all, expected);
}

#[test]
fn deployments_are_filtered_by_state_name_scope_and_time() {
    let (server, _) = many(230);
    let found = |query: &str| names(&server, &format!("/ui?{query}")).0;
    assert_eq!(found("name=d22").len(), 11);
    assert_eq!(found("scope=/subscriptions/S/resourceGroups/RARE"), ["d200", "d100", "d0"]);
    assert_eq!(found("scope=/subscriptions/other"), [""; 0]);
    assert_eq!(found("state=Failed&name=d2"), ["d220", "d210", "d200", "d20"]);
    assert_eq!(found("from=1970-01-01T03:00&to=1970-01-01T03:02"), ["d182", "d181", "d180"]);
    assert_eq!(found("state=Running"), [""; 0]);
    let (_, next) = names(&server, "/ui?state=Succeeded&name=d1");
    assert!(next.unwrap().starts_with("/ui?state=Succeeded&name=d1&after="));
}

#[test]
fn a_page_reads_as_much_however_many_deployments_there_are() {
    let (server, store) = many(12_000);
    let read = |path: &str| {
        let before = store.read.load(Ordering::Relaxed);
        let (found, next) = names(&server, path);
        (found.len(), next, store.read.load(Ordering::Relaxed) - before)
    };
    let (found, next, first) = read("/ui");
    assert_eq!((found, first), (50, 51));
    let (_, _, second) = read(&next.unwrap());
    assert_eq!(second, 51);
    // A search that finds nothing stops, and can be continued.
    let (found, next, looked) = read("/ui?name=nothing");
    assert_eq!(found, 0);
    assert!((2_000..2_300).contains(&looked), "{looked}");
    let (_, next, looked) = read(&next.unwrap());
    assert!((2_000..2_300).contains(&looked) && next.is_some(), "{looked}");
    // What is in one group is asked of the store.
    let (found, _, looked) = read("/ui?scope=/subscriptions/s/resourceGroups/rare");
    assert_eq!((found, looked), (50, 51));
    // Time is a place in the list.
    let (found, _, looked) = read("/ui?to=1970-01-01T00:05&from=1970-01-01T00:03");
    assert_eq!(found, 3);
    assert!(looked <= 51, "{looked}");
}

#[test]
fn pages_are_read_apart_from_the_threads_that_serve() {
    let (server, store) = many(10);
    let one = format!(
        "/ui/deployments{}",
        "/subscriptions/s/resourceGroups/rare/providers/Microsoft.Resources/deployments/d0"
    );
    for page in ["/ui", "/ui/resources", one.as_str()] {
        store.apart.store(0, Ordering::Relaxed);
        assert_eq!(server.text(&format!("GET {page}")).0, 200);
        let read = (store.serving.load(Ordering::Relaxed), store.apart.load(Ordering::Relaxed));
        assert!(read.0 == 0 && read.1 > 0, "{page}: {read:?}");
    }
}

#[test]
fn filters_that_mean_nothing_are_said_to_be_wrong() {
    let server = Server::new();
    for (page, problem) in [
        (
            "/ui?state=nonsense",
            "`nonsense` is not a state: it is one of Running, Succeeded, Failed, Canceled",
        ),
        ("/ui?scope=nonsense", "`nonsense` is not a scope: it begins with `/`"),
        ("/ui/resources?scope=nonsense", "`nonsense` is not a scope: it begins with `/`"),
    ] {
        let (status, text) = server.text(&format!("GET {page}"));
        assert!(status == 200 && text.contains("role=\"alert\"") && text.contains(problem), "{text}");
    }
    for page in ["/ui?state=failed", "/ui?scope=/", "/ui/resources?scope=/subscriptions/s"] {
        let (_, text) = server.text(&format!("GET {page}"));
        assert!(!text.contains("role=\"alert\""), "{text}");
    }
}
