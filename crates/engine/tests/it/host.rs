//! Many deployments at the same time: they share flushes, are waited for, canceled, and resumed.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use arm::deployment::{Deployment, DeploymentContext, DeploymentMode, Links};
use arm::template::{Template, TemplateLimits};
use engine::core::{Act, MachineSettings, ProviderReply, PutRequest, RunEnd};
use engine::provider::{Layer, Local, Pending, Provider, UNAVAILABLE};
use engine::{Clock, Engine, Failure, Host, StartError};
use store::{
    Commit, CommitOutcome, Hear, Key, MemoryStore, Page, Resource, ResourceId, RunId, Status, Store,
};

use crate::layered_store::{LayeredStore, StoreLayer};

/// A store whose writes take their time, and are counted.
type Slow = LayeredStore<SlowWrites>;

struct SlowWrites {
    inner: MemoryStore,
    commits: AtomicUsize,
    batches: AtomicUsize,
    /// Who hears of leases that are free and of wishes to stop.
    hear: Mutex<Vec<Hear>>,
}

fn slow() -> Arc<Slow> {
    Arc::new(LayeredStore(SlowWrites {
        inner: MemoryStore::new(),
        commits: 0.into(),
        batches: 0.into(),
        hear: Mutex::default(),
    }))
}

impl StoreLayer for SlowWrites {
    fn inner(&self) -> &MemoryStore {
        &self.inner
    }

    fn is_instant(&self) -> bool {
        false
    }

    fn commit(&self, batches: &[Commit]) -> Vec<CommitOutcome> {
        std::thread::sleep(Duration::from_millis(2));
        self.commits.fetch_add(1, Ordering::Relaxed);
        self.batches.fetch_add(batches.len(), Ordering::Relaxed);
        self.inner.commit(batches)
    }

    fn listen(&self, hear: Hear) {
        self.hear.lock().unwrap().push(hear);
    }

    fn hint(&self) {
        self.hear.lock().unwrap().iter().for_each(|hear| hear());
    }
}

fn engine(store: &Arc<Slow>, key: &Key, provider: Option<Arc<dyn Provider>>) -> Engine {
    let store: Arc<dyn Store> = Arc::<Slow>::clone(store);
    let local = || -> Arc<dyn Provider> { Arc::new(Local::new(Arc::clone(&store), key.clone())) };
    let provider = provider.unwrap_or_else(local);
    Engine {
        store,
        key: key.clone(),
        provider,
        settings: MachineSettings::default(),
        clock: Clock::Real,
        budgets: Default::default(),
    }
}

fn deployment(name: &str) -> Arc<Deployment> {
    let text = r#"{"$schema": "https://schema.management.azure.com/schemas/2019-04-01/deploymentTemplate.json#",
        "contentVersion": "1.0.0.0", "resources": [{"type": "Our.Things/things", "apiVersion": "2025-01-01",
        "name": "[deployment().name]", "properties": {"size": 1}}],
        "outputs": {"size": {"type": "int", "value": "[reference(deployment().name).size]"}}}"#;
    let text = text.replace(
        "reference(deployment().name)",
        "reference(resourceId('Our.Things/things', deployment().name), '2025-01-01')",
    );
    let template = Template::read(text, &TemplateLimits::DEFAULT).unwrap();
    let context = DeploymentContext::local(DeploymentContext::local_scope(template.scope), name);
    Arc::new(Deployment::with_values(Arc::new(template), [], context).unwrap())
}

fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap()
}

const LONG: Duration = Duration::from_secs(60);

#[test]
fn deployments_side_by_side_share_flushes() {
    let (store, key) = (slow(), Key::random().unwrap());
    let host = Arc::new(Host::new(engine(&store, &key, None)));
    runtime().block_on(async {
        let tasks: Vec<_> = (0..64)
            .map(|number| {
                let host = Arc::clone(&host);
                tokio::spawn(async move {
                    let started = host
                        .start(deployment(&format!("d{number}")), DeploymentMode::Incremental)
                        .await
                        .unwrap();
                    let ended = started.wait(LONG).await.unwrap();
                    let Ok(ended) = &*ended else { panic!() };
                    assert!(matches!(ended.end, RunEnd::Succeeded(_)), "{:?}", ended.end);
                    (started.run, ended.record.to_rest().to_json())
                })
            })
            .collect();
        for task in tasks {
            let (run, record) = task.await.unwrap();
            let kept = store.run(run).unwrap().unwrap();
            assert_eq!((kept.status, kept.body), (Status::Ended, record), "what is told is what is kept");
        }
    });
    assert_eq!(host.count(), 0);
    let (commits, batches) =
        (store.0.commits.load(Ordering::Relaxed), store.0.batches.load(Ordering::Relaxed));
    // One that accepts a deployment, and one with its only step and its end.
    assert_eq!(batches, 2 * 64);
    // Three flushes for four deployments would be too many.
    assert!(commits < 48, "{commits} flushes for {batches} batches");
}

#[test]
fn what_needs_its_group_begins_only_beside_it() {
    let (store, key) = (slow(), Key::random().unwrap());
    let host = Host::new(engine(&store, &key, None));
    runtime().block_on(async {
        let Err(StartError::Failure(failure)) =
            host.start_in_group(deployment("d"), DeploymentMode::Incremental).await
        else {
            panic!()
        };
        assert_eq!(failure.code, "ResourceGroupNotFound");
        let scope = deployment("d").context().scope.id();
        assert!(store.deployments(Some(&scope), Page::ALL).unwrap().is_empty());
        let group = Resource { id: scope.to_string(), version: 0, format: 1, body: "{}".to_owned() };
        let id = store::BatchId { run: RunId(1), number: 0 };
        let writes = vec![store::Write::Resource(group)];
        let made = store.commit(&[Commit { id, fence: None, conditions: Vec::new(), writes }]);
        assert_eq!(made, [CommitOutcome::Committed]);
        let started = host.start_in_group(deployment("d"), DeploymentMode::Incremental).await.unwrap();
        assert!(started.wait(Duration::from_secs(60)).await.is_some());
        host.start_in_group(deployment("D"), DeploymentMode::Incremental).await.unwrap();
    });
}

#[test]
fn two_of_one_name_are_not_under_way() {
    let (store, key) = (slow(), Key::random().unwrap());
    let host = Host::new(engine(&store, &key, Some(Arc::new(NEVER))));
    runtime().block_on(async {
        let first = host.start(deployment("d"), DeploymentMode::Incremental).await.unwrap();
        let Err(StartError::Failure(failure)) =
            host.start(deployment("D"), DeploymentMode::Incremental).await
        else {
            panic!()
        };
        assert_eq!(failure.code, "DeploymentActive");
        assert!(first.wait(Duration::from_millis(10)).await.is_none());
        assert_eq!(host.find(&first.key).unwrap().run, first.run);
        let kept = store.run(first.run).unwrap().unwrap();
        assert!(host.cancel(&kept).await.unwrap());
    });
}

#[test]
fn what_a_process_left_is_taken_up() {
    let (store, key) = (slow(), Key::random().unwrap());
    runtime().block_on(async {
        let host = Host::new(engine(&store, &key, Some(Arc::new(NEVER))));
        let first = host.start(deployment("d"), DeploymentMode::Incremental).await.unwrap();
        let other = Host::new(engine(&store, &key, None));
        let links = Links::default();
        assert!(other.take_up(&links).await.unwrap().started.is_empty(), "its owner is there");
        store.0.inner.advance(60_000);
        let taken = other.take_up(&links).await.unwrap();
        let [second] = taken.started.as_slice() else { panic!() };
        assert_eq!(second.run, first.run);
        let ended = second.wait(LONG).await.unwrap();
        assert!(matches!(&*ended, Ok(ended) if matches!(ended.end, RunEnd::Succeeded(_))));
    });
}

#[test]
fn what_is_durable_is_read_from_the_store() {
    let (store, key) = (slow(), Key::random().unwrap());
    let shared: Arc<dyn Store> = Arc::<Slow>::clone(&store);
    let local = Arc::new(Local::new(shared, key.clone()));
    let host = Host::new(engine(&store, &key, Some(Arc::<Local>::clone(&local))));
    runtime().block_on(async {
        let started = host.start(deployment("d"), DeploymentMode::Incremental).await.unwrap();
        started.wait(LONG).await.unwrap();
    });
    let resource = store.resources("", Page::ALL).unwrap().pop().unwrap();
    assert!(local.state(&resource.id).unwrap().is_some());
    // Another process deletes it.
    let id = store::BatchId { run: RunId(7), number: 0 };
    let writes = vec![store::Write::DeleteResource(ResourceId::new(&resource.id))];
    store.commit(&[Commit { id, fence: None, conditions: Vec::new(), writes }]);
    assert!(local.state(&resource.id).unwrap().is_none(), "nothing is remembered beside the store");
}

/// A provider whose state cannot be read for a while.
struct Away {
    local: Local,
    left: AtomicUsize,
}

impl Layer for Away {
    fn inner(&self) -> &dyn Provider {
        &self.local
    }

    fn rebase_on(&self, below: Arc<dyn Provider>) -> Arc<dyn Provider> {
        below
    }

    fn put<'a>(&'a self, put: &'a PutRequest) -> Pending<'a> {
        let left = self.left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(1));
        match left {
            Ok(_) => Box::pin(async { ProviderReply::Failed(Failure::new(UNAVAILABLE, "not now")) }),
            Err(_) => self.local.put(put),
        }
    }
}

#[test]
fn a_deployment_waits_while_the_state_cannot_be_read() {
    let (store, key) = (slow(), Key::random().unwrap());
    let local = Local::new(Arc::<Slow>::clone(&store), key.clone());
    let away = Arc::new(Away { local, left: 4.into() });
    let host = Host::new(engine(&store, &key, Some(Arc::<Away>::clone(&away))));
    runtime().block_on(async {
        let started = host.start(deployment("d"), DeploymentMode::Incremental).await.unwrap();
        let ended = started.wait(LONG).await.unwrap();
        assert!(matches!(&*ended, Ok(ended) if matches!(ended.end, RunEnd::Succeeded(_))), "{ended:?}");
        assert_eq!(away.left.load(Ordering::Relaxed), 0);
    });
}

/// A host on a store with a provider, which resumes what nobody works on.
fn node(store: &Arc<Slow>, key: &Key, provider: Option<Arc<dyn Provider>>) -> Arc<Host> {
    let host = Arc::new(Host::new(engine(store, key, provider)));
    host.keep_taking_up(Links::default(), |key, refused| panic!("{key:?} {refused:?}"));
    host
}

#[test]
fn a_deployment_is_canceled_and_waited_for_wherever_it_runs() {
    let (store, key) = (slow(), Key::random().unwrap());
    runtime().block_on(async {
        let (first, second) = (node(&store, &key, Some(Arc::new(ENDLESS))), node(&store, &key, None));
        let started = first.start(deployment("d"), DeploymentMode::Incremental).await.unwrap();
        assert!(second.find(&started.key).is_none());
        let still = second.outcome(&started.key, started.run, Duration::from_millis(100)).await.unwrap();
        assert!(still.is_none());
        let kept = store.run(started.run).unwrap().unwrap();
        assert!(second.cancel(&kept).await.unwrap());
        let record = second.outcome(&started.key, started.run, LONG).await.unwrap().unwrap();
        assert_eq!(record.state.as_str(), "Canceled");
        assert!(!second.cancel(&kept).await.unwrap(), "it has ended");
    });
}

#[test]
fn a_host_that_stops_hands_over_at_once() {
    let (store, key) = (slow(), Key::random().unwrap());
    runtime().block_on(async {
        let first = node(&store, &key, Some(Arc::new(ENDLESS)));
        let started = first.start(deployment("d"), DeploymentMode::Incremental).await.unwrap();
        let second = node(&store, &key, None);
        first.drain().await;
        // The clock of the store stands still, so no lease runs out.
        let record = second.outcome(&started.key, started.run, LONG).await.unwrap().unwrap();
        assert_eq!(record.state.as_str(), "Succeeded");
        let told = started.wait(LONG).await.unwrap();
        assert!(matches!(&*told, Ok(ended) if ended.end == RunEnd::Lost));
        assert_eq!(first.count(), 0);
    });
}

#[test]
fn what_is_lost_here_is_waited_for_elsewhere() {
    let (store, key) = (slow(), Key::random().unwrap());
    runtime().block_on(async {
        let first = node(&store, &key, Some(Arc::new(ENDLESS)));
        let started = first.start(deployment("d"), DeploymentMode::Incremental).await.unwrap();
        let waiting = tokio::spawn({
            let (first, key, run) = (Arc::clone(&first), started.key.clone(), started.run);
            async move { first.outcome(&key, run, LONG).await.unwrap().unwrap() }
        });
        let _second = node(&store, &key, None);
        store.0.inner.advance(60_000);
        assert_eq!(waiting.await.unwrap().state.as_str(), "Succeeded");
    });
}

#[test]
fn a_panic_leaves_nothing_behind() {
    let (store, key) = (slow(), Key::random().unwrap());
    runtime().block_on(async {
        let host = node(&store, &key, Some(Arc::new(PANICS)));
        let started = host.start(deployment("d"), DeploymentMode::Incremental).await.unwrap();
        assert!(matches!(&*started.wait(LONG).await.unwrap(), Err(StartError::State(_))));
        assert!(host.find(&started.key).is_none());
        assert_eq!((host.count(), host.ended()[3]), (0, ("lost", 1)));
        let other = Host::new(engine(&store, &key, None));
        assert!(other.take_up(&Links::default()).await.unwrap().started.is_empty(), "left alone for a while");
        while other.take_up(&Links::default()).await.unwrap().started.is_empty() {
            store.0.inner.advance(1_000);
        }
    });
}

/// A provider that answers alike whatever is asked: one way if a resource is read or put, another way if not.
struct Alike {
    get_or_put: fn() -> Pending<'static>,
    other: fn() -> Pending<'static>,
}

/// A provider that is never done.
const ENDLESS: Alike =
    Alike { get_or_put: || Box::pin(async { ProviderReply::Running { after: 10 } }), other: NEVER.other };

/// A provider with a bug.
const PANICS: Alike = Alike { get_or_put: || panic!("a bug"), other: || panic!("a bug") };

/// A provider that never answers.
const NEVER: Alike =
    Alike { get_or_put: || Box::pin(std::future::pending()), other: || Box::pin(std::future::pending()) };

impl Provider for Alike {
    fn get<'a>(&'a self, _: &'a str, _: &'a str) -> Pending<'a> {
        (self.get_or_put)()
    }

    fn put<'a>(&'a self, _: &'a PutRequest) -> Pending<'a> {
        (self.get_or_put)()
    }

    fn delete<'a>(&'a self, _: &'a str) -> Pending<'a> {
        (self.other)()
    }

    fn list<'a>(&'a self, _: &'a str) -> Pending<'a> {
        (self.other)()
    }

    fn action<'a>(&'a self, _: &'a Act) -> Pending<'a> {
        (self.other)()
    }
}

#[test]
fn a_wish_to_stop_ends_what_is_being_evaluated() {
    // Minutes of work, in steps.
    let work = "[length(map(range(0, 9000), lambda('i', length(map(range(0, 9000), lambda('j', mod(lambdaVariables('j'), 7)))))))]";
    let in_output = format!(r#""resources": [], "outputs": {{"o": {{"type": "int", "value": "{work}"}}}}"#);
    let in_resource = format!(
        r#""resources": [{{"type": "Our.Things/things", "apiVersion": "2025-01-01", "name": "one", "properties": {{"size": 1}}}},
            {{"type": "Our.Things/things", "apiVersion": "2025-01-01", "name": "two", "dependsOn": ["[resourceId('Our.Things/things', 'one')]"],
            "properties": {{"of": "[reference(resourceId('Our.Things/things', 'one'), '2025-01-01').size]", "p": "{work}"}}}}]"#
    );
    for rest in [in_output, in_resource] {
        let host = Host::new(engine(&slow(), &Key::random().unwrap(), None));
        runtime().block_on(async {
            let started = host.start(of_text(&rest), DeploymentMode::Incremental).await.unwrap();
            tokio::time::sleep(Duration::from_millis(200)).await;
            let kept = host.engine().store.run(started.run).unwrap().unwrap();
            assert_eq!(kept.status, Status::Active, "{}", kept.body);
            let asked = std::time::Instant::now();
            assert!(host.cancel(&kept).await.unwrap());
            let ended = started.wait(LONG).await.unwrap();
            assert!(asked.elapsed() < Duration::from_secs(1), "{:?}", asked.elapsed());
            assert!(matches!(&*ended, Ok(ended) if matches!(ended.end, RunEnd::Canceled)), "{ended:?}");
        });
    }
}

/// A deployment of a template with these members.
fn of_text(rest: &str) -> Arc<Deployment> {
    let text = format!(
        r#"{{"$schema": "https://schema.management.azure.com/schemas/2019-04-01/deploymentTemplate.json#", "contentVersion": "1.0.0.0", {rest}}}"#
    );
    let template = Template::read(text, &TemplateLimits::DEFAULT).unwrap();
    let context = DeploymentContext::local(DeploymentContext::local_scope(template.scope), "long");
    Arc::new(Deployment::with_values(Arc::new(template), [], context).unwrap())
}
