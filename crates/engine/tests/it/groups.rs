//! Somebody puts something into a resource group while another node deletes it: one of the two is first, and the other sees it.

use std::sync::{Arc, Mutex};

use arm::Value;
use engine::core::{MachineSettings, PutRequest, StepPolicy};
use engine::provider::{Layer, Local, Pending, Provider};
use engine::{Clock, Engine, StartError};
use store::{Key, MemoryStore, Page, Store};

const GROUP: &str = "/subscriptions/s/resourceGroups/g";

/// What happens on another node after the provider has looked at the state, and before its answer is written.
type Meanwhile = Box<dyn FnOnce() -> std::pin::Pin<Box<dyn Future<Output = ()> + Send>> + Send>;

struct Interrupted {
    local: Local,
    meanwhile: Mutex<Option<Meanwhile>>,
}

impl Interrupted {
    async fn interrupt(&self) {
        let meanwhile = self.meanwhile.lock().unwrap().take();
        if let Some(meanwhile) = meanwhile {
            meanwhile().await;
        }
    }
}

impl Layer for Interrupted {
    fn inner(&self) -> &dyn Provider {
        &self.local
    }

    fn rebase_on(&self, below: Arc<dyn Provider>) -> Arc<dyn Provider> {
        below
    }

    fn put<'a>(&'a self, put: &'a PutRequest) -> Pending<'a> {
        Box::pin(async move {
            let answer = self.local.put(put).await;
            self.interrupt().await;
            answer
        })
    }

    fn delete<'a>(&'a self, id: &'a str) -> Pending<'a> {
        Box::pin(async move {
            let answer = self.local.delete(id).await;
            self.interrupt().await;
            answer
        })
    }
}

/// A node on a store, with what happens elsewhere in the middle of its next change.
fn node(store: &Arc<MemoryStore>, meanwhile: Option<Meanwhile>) -> Arc<Engine> {
    let key = Key::random().unwrap();
    let store: Arc<dyn Store> = Arc::<MemoryStore>::clone(store);
    let local = Local::new(Arc::clone(&store), key.clone()).keeping_groups();
    let provider = Arc::new(Interrupted { local, meanwhile: Mutex::new(meanwhile) });
    Arc::new(Engine {
        store,
        key,
        provider,
        settings: MachineSettings::default(),
        clock: Clock::Virtual,
        budgets: Default::default(),
    })
}

async fn put(node: &Arc<Engine>, id: &str, kind: &str) -> Result<Value, StartError> {
    let put = PutRequest {
        id: id.into(),
        kind: kind.into(),
        api_version: "2025-01-01".into(),
        body: engine::admit_body("/g", Value::object([("location", Value::text("north"))])).unwrap(),
        wanted: StepPolicy::default(),
        extension: None,
    };
    node.put_resource(&put).await
}

async fn put_thing(node: &Arc<Engine>, name: &str) -> Result<Value, StartError> {
    put(node, &format!("{GROUP}/providers/Our.Things/things/{name}"), "Our.Things/things").await
}

/// A store with a group that has one resource.
async fn with_group() -> Arc<MemoryStore> {
    let store = Arc::new(MemoryStore::new());
    let node = node(&store, None);
    put(&node, GROUP, "Microsoft.Resources/resourceGroups").await.unwrap();
    put_thing(&node, "first").await.unwrap();
    store
}

fn run(test: impl Future<Output = ()>) {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(test);
}

#[test]
fn what_is_put_while_its_group_is_being_deleted_goes_with_it() {
    run(async {
        let store = with_group().await;
        let other = node(&store, None);
        let deleting = node(
            &store,
            Some(Box::new(move || {
                Box::pin(async move {
                    put_thing(&other, "second").await.unwrap();
                })
            })),
        );
        deleting.delete_group(GROUP).await.unwrap();
        assert_eq!(store.resources("", Page::ALL).unwrap(), []);
    });
}

#[test]
fn nothing_is_put_into_a_group_that_was_deleted_meanwhile() {
    run(async {
        let store = with_group().await;
        let other = node(&store, None);
        let putting = node(
            &store,
            Some(Box::new(move || Box::pin(async move { other.delete_group(GROUP).await.unwrap() }))),
        );
        let Err(StartError::Failure(failure)) = put_thing(&putting, "second").await else { panic!() };
        assert_eq!(failure.code, "ResourceGroupNotFound");
        assert_eq!(store.resources("", Page::ALL).unwrap(), []);
    });
}

#[test]
fn a_change_of_the_group_does_not_stop_what_is_put_into_it() {
    run(async {
        let store = with_group().await;
        let other = node(&store, None);
        let putting = node(
            &store,
            Some(Box::new(move || {
                Box::pin(async move {
                    put(&other, GROUP, "Microsoft.Resources/resourceGroups").await.unwrap();
                })
            })),
        );
        put_thing(&putting, "second").await.unwrap();
        assert_eq!(store.resources(&format!("{GROUP}/"), Page::ALL).unwrap().len(), 2);
    });
}
