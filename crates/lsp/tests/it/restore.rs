//! Modules of registries that are not in the cache.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use bicep::files::{FolderEntry, ReadError, Reference, RestoreFailure};
use bicep::{Artifact, FilePath, MemoryWorld, World};
use lsp::{Restoring, Tools};
use serde_json::json;

use crate::client::{Client, Heard, MAIN, document};

const PROGRAM: &str = "module m 'br:registry.azurecr.io/a/b:1.0' = {\n  name: 'm'\n}\n";
const MODULE: &str = "/cache/br/registry.azurecr.io/a$b/1.0$/main.json";

/// A machine whose cache is empty until something is fetched.
struct Machine {
    full: MemoryWorld,
    is_full: AtomicBool,
    /// Whether the registry has what is asked for.
    has_it: bool,
    asked: AtomicUsize,
    /// How often a file was read.
    read: AtomicUsize,
}

impl Machine {
    fn new(has_it: bool) -> Arc<Machine> {
        let template = r#"{ "$schema": "https://schema.management.azure.com/schemas/2019-04-01/deploymentTemplate.json#", "contentVersion": "1.0.0.0", "resources": [] }"#;
        let full = MemoryWorld::default().with_file(MODULE, template);
        Arc::new(Machine {
            full,
            is_full: AtomicBool::new(false),
            has_it,
            asked: AtomicUsize::new(0),
            read: AtomicUsize::new(0),
        })
    }

    fn client(self: &Arc<Machine>, client: Client) -> Client {
        client.world(Arc::clone(self) as _).tools(Arc::clone(self) as _)
    }

    fn is_there(&self) -> bool {
        self.is_full.load(Ordering::SeqCst)
    }
}

impl World for Machine {
    fn read(&self, path: &FilePath) -> Result<Arc<[u8]>, ReadError> {
        self.read.fetch_add(1, Ordering::SeqCst);
        if self.is_there() { self.full.read(path) } else { Err(ReadError::NotFound) }
    }

    fn exists(&self, path: &FilePath) -> bool {
        self.is_there() && self.full.exists(path)
    }

    fn list(&self, folder: &FilePath) -> Result<Vec<FolderEntry>, ReadError> {
        if self.is_there() { self.full.list(folder) } else { Err(ReadError::NotFound) }
    }

    fn variable(&self, _: &str) -> Option<String> {
        None
    }

    fn cache_root(&self) -> FilePath {
        self.full.cache_root()
    }
}

impl Tools for Machine {
    fn write(&self, _: &FilePath, _: &str) -> Result<(), String> {
        Ok(())
    }

    fn restore(
        &self,
        artifacts: &[Artifact],
        done: &mut dyn FnMut(&Reference),
    ) -> Vec<(Reference, RestoreFailure)> {
        self.asked.fetch_add(1, Ordering::SeqCst);
        self.is_full.store(self.has_it, Ordering::SeqCst);
        artifacts.iter().for_each(|it| done(&it.reference));
        let failed =
            |it: &Artifact| (it.reference.clone(), RestoreFailure::Failed("it is not there".to_owned()));
        if self.has_it { Vec::new() } else { artifacts.iter().map(failed).collect() }
    }
}

#[test]
fn what_an_open_program_needs_is_fetched_and_looked_at() {
    let machine = Machine::new(true);
    let mut client = machine.client(Client::new());
    client.open(MAIN, PROGRAM);
    let heard = client.hear();
    let published = heard.published(MAIN);
    assert_eq!(published.len(), 2);
    assert_eq!(published[0]["diagnostics"][0]["code"], json!("BCP190"));
    assert_eq!(heard.codes(MAIN), Vec::<String>::new());
    // Nobody said that progress can be shown.
    assert!(heard.told("$/progress").is_empty());
}

#[test]
fn what_cannot_be_had_is_asked_for_once() {
    let machine = Machine::new(false);
    let mut client = machine.client(Client::new());
    client.open(MAIN, PROGRAM);
    client.edit(MAIN, 2, [3, 0, 3, 0], "// more\n");
    let heard = client.hear();
    assert_eq!(heard.codes(MAIN), ["0:9 BCP192"]);
    assert_eq!(machine.asked.load(Ordering::SeqCst), 1);
}

#[test]
fn nothing_is_fetched_if_the_client_says_so_until_it_asks() {
    let machine = Machine::new(true);
    let mut client = machine.client(Client::silent());
    let options = json!({ "capabilities": {}, "initializationOptions": { "restore": false } });
    client.ask("initialize", options);
    client.open(MAIN, PROGRAM);
    assert_eq!(client.hear().codes(MAIN), ["0:9 BCP190"]);
    assert_eq!(machine.asked.load(Ordering::SeqCst), 0);
    let params = json!({ "command": "forceModulesRestore", "arguments": [MAIN] });
    let id = client.ask("workspace/executeCommand", params);
    let heard = client.hear();
    assert_eq!(heard.result(id), &json!("restored 1 of 1 artifact"));
    assert_eq!(heard.codes(MAIN), Vec::<String>::new());
}

#[test]
fn a_server_that_waits_to_be_asked_is_asked_by_a_setting() {
    for (restoring, asked) in [(Restoring::IfAsked, 1), (Restoring::Never, 0)] {
        let machine = Machine::new(true);
        let mut client = machine.client(Client::silent()).restoring(restoring);
        client.ask("initialize", json!({ "capabilities": {}, "initializationOptions": { "restore": true } }));
        client.open(MAIN, PROGRAM);
        client.hear();
        assert_eq!(machine.asked.load(Ordering::SeqCst), asked, "{restoring:?}");
    }
    let machine = Machine::new(true);
    let mut client = machine.client(Client::new()).restoring(Restoring::IfAsked);
    client.open(MAIN, PROGRAM);
    assert_eq!(client.hear().codes(MAIN), ["0:9 BCP190"]);
}

#[test]
fn a_server_that_asks_no_registry_does_not_for_a_command_either() {
    let machine = Machine::new(true);
    let mut client = machine.client(Client::new()).restoring(Restoring::Never);
    client.open(MAIN, PROGRAM);
    let params = json!({ "command": "forceModulesRestore", "arguments": [MAIN] });
    let id = client.ask("workspace/executeCommand", params);
    assert_eq!(client.hear().error(id), -32803);
    assert_eq!(machine.asked.load(Ordering::SeqCst), 0);
}

#[test]
fn a_client_that_shows_progress_is_told_how_far_it_is() {
    let machine = Machine::new(true);
    let mut client = machine.client(Client::able(json!({ "window": { "workDoneProgress": true } })));
    client.open(MAIN, PROGRAM);
    let heard = client.hear();
    let token = &heard.told("window/workDoneProgress/create")[0]["token"];
    let progress = heard.told("$/progress");
    assert!(progress.iter().all(|it| it["token"] == *token));
    let kinds: Vec<_> = progress.iter().map(|it| it["value"]["kind"].as_str().unwrap()).collect();
    assert_eq!(kinds, ["begin", "report", "end"]);
    assert_eq!(progress[1]["value"]["message"], json!("br:registry.azurecr.io/a/b:1.0"));
}

#[test]
fn hovering_over_the_path_of_a_module_reads_nothing_again() {
    let machine = Machine::new(true);
    machine.is_full.store(true, Ordering::SeqCst);
    let hovers = |count: usize| {
        let mut client = machine.client(Client::new());
        client.open(MAIN, PROGRAM);
        let at = |character: u32| json!({ "textDocument": document(MAIN), "position": { "line": 0, "character": character } });
        // The path, and the name before it, which shows the path as well.
        let mut hover = |_| {
            client.ask("textDocument/hover", at(20));
            client.ask("textDocument/hover", at(7))
        };
        let ids: Vec<i64> = (0..count).map(&mut hover).collect();
        let before = machine.read.load(Ordering::SeqCst);
        let heard = client.hear();
        assert!(ids.iter().all(|id| heard.result(*id)["contents"]["value"].is_string()));
        machine.read.load(Ordering::SeqCst) - before
    };
    assert_eq!(hovers(1), hovers(500));
}

#[test]
fn with_threads_a_fetched_module_is_looked_at_as_well() {
    let machine = Machine::new(true);
    let mut client = machine.client(Client::new());
    client.open(MAIN, PROGRAM);
    let is_fine = |heard: &Heard| !heard.published(MAIN).is_empty() && heard.codes(MAIN).is_empty();
    let heard = client.serve_until(is_fine);
    assert!(is_fine(&heard), "{:?}", heard.codes(MAIN));
}
