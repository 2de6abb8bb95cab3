//! A deployment that runs, as its page follows it.

use std::sync::Arc;

use crate::support::{Server, VERSION};
use engine::Clock;
use server::Guard;
use store::{MemoryStore, Store};

const ID: &str = "/subscriptions/s/resourceGroups/g/providers/Microsoft.Resources/deployments/d";

/// A resource that is waited for as long as nobody cancels, behind one that is done at once.
const ENDLESS: &str = r#"{"properties": {"mode": "Incremental", "template": {
    "$schema": "https://schema.management.azure.com/schemas/2019-04-01/deploymentTemplate.json#",
    "contentVersion": "1.0.0.0", "resources": [
        {"type": "A.B/c", "apiVersion": "2023-01-01", "name": "quick"},
        {"type": "A.B/c", "apiVersion": "2023-01-01", "name": "slow", "dependsOn": ["quick"],
         "@options": {"waitUntil": ["[lambda('x', false())]", "PT1H"]}}]}}}"#;

fn running() -> Server {
    running_on(Arc::new(MemoryStore::new()))
}

fn running_on(store: Arc<dyn Store>) -> Server {
    let server = Server::on(store, Clock::Real, |_, _| Guard::local());
    server.group("g");
    let put = server.ask(&format!("PUT {ID}?{VERSION}"), ENDLESS);
    assert_eq!(put.status, 201, "{put:?}");
    server
}

/// Sends the form that cancels, as the page offers it.
fn cancel(server: &Server) -> u16 {
    let (_, page) = server.text(&format!("GET /ui/deployments{ID}"));
    let form = page.split(&format!("action=\"/ui/cancel{ID}\"")).nth(1).unwrap_or_else(|| panic!("{page}"));
    let token = form.split("name=\"form-token\" value=\"").nth(1).unwrap().split('"').next().unwrap();
    let headers = [("origin", "https://127.0.0.1:8443")];
    let (status, _, _) =
        server.bytes(&format!("POST /ui/cancel{ID}"), &format!("form-token={token}"), &headers);
    status.as_u16()
}

#[test]
fn a_page_follows_its_deployment_to_the_end() {
    let server = running();
    let (_, page) = server.text(&format!("GET /ui/deployments{ID}"));
    assert!(page.contains(&format!("data-events=\"/ui/events{ID}\"")), "{page}");
    assert!(page.contains("http-equiv=\"refresh\"") && page.contains("Refresh now"), "{page}");
    let mut events = server.open(&format!("GET /ui/events{ID}"), &[]);
    assert_eq!(events.status, 200);
    assert_eq!(events.headers["content-type"], "text/event-stream; charset=utf-8");
    let first = events.until("event: part");
    assert!(first.starts_with("retry: "), "{first}");
    events.until("slow");
    assert_eq!(cancel(&server), 303);
    let end = events.until("event: end");
    assert!(end.contains("Canceled"), "{end}");
    assert_eq!(events.next(), None);
    // It cannot be cancelled again, and is not offered to be.
    let (_, page) = server.text(&format!("GET /ui/deployments{ID}"));
    assert!(!page.contains("id=\"cancel\"") && !page.contains("data-events"), "{page}");
}

#[test]
fn whoever_connects_again_is_sent_only_what_is_new() {
    let server = running();
    assert_eq!(cancel(&server), 303);
    let mut events = server.open(&format!("GET /ui/events{ID}"), &[]);
    let end = events.until("event: end");
    let id = end.rsplit("id: ").next().unwrap().lines().next().unwrap().to_owned();
    let mut again = server.open(&format!("GET /ui/events{ID}"), &[("last-event-id", &id)]);
    let said = again.until("event: end");
    assert!(!said.contains("data-part"), "{said}");
    let mut other = server.open(&format!("GET /ui/events{ID}"), &[("last-event-id", "0")]);
    assert!(other.until("event: end").contains("data-part"));
}

#[test]
fn what_is_not_there_cannot_be_followed() {
    let server = running();
    let events = server.open(&format!("GET /ui/events{ID}x"), &[]);
    assert_eq!(events.status, 404);
    assert_eq!(cancel(&server), 303);
}

#[test]
fn what_another_node_runs_is_followed_as_it_ends() {
    let store: Arc<dyn Store> = Arc::new(MemoryStore::new());
    let runs = running_on(Arc::clone(&store));
    let other = Server::on(store, Clock::Real, |_, _| Guard::local());
    let mut events = other.open(&format!("GET /ui/events{ID}"), &[]);
    let first = events.until("quick");
    assert!(first.contains("This server did not run the deployment"), "{first}");
    // Whoever cancels it need not be where it runs; that it stops there is asked of the node that runs it.
    assert_eq!(cancel(&runs), 303);
    assert!(events.until("event: end").contains("Canceled"));
    let (_, page) = other.text(&format!("GET /ui/deployments{ID}"));
    assert!(page.contains("class=\"tendon-graph\"") && page.contains("– canceled"), "{page}");
}
