//! Deployments to a server through a proxy that breaks things: all of them end truly, and what the server has then is what the templates say.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use arm::deployment::{Deployment, DeploymentContext, DeploymentMode};
use arm::evaluate::Scope;
use arm::template::{Template, TemplateLimits};
use client::Client;
use endpoint::{Endpoint, Fixed, Setup};
use engine::core::{MachineSettings, RunEnd};
use engine::provider::{LazyTypes, Local, Provider as _};
use engine::{Clock, Engine, Host};
use hyper::Method;
use hyper::body::Bytes;
use radius::registry::Registry;
use serde_json::{Value, json};
use server::App;
use store::{Key, MemoryStore, Page, Store};
use tokio::net::TcpListener;
use tokio::sync::mpsc::unbounded_channel;

use crate::proxy::{Chance, Proxy};

/// How many deployments there are, unless `TENDON_ENDPOINT_DEPLOYMENTS` says it.
const DEPLOYMENTS: usize = 40;
/// How many of them run at the same time.
const AT_ONCE: usize = 8;

const SEED: u64 = 20_261_116;
const TOKEN: &str = "t0ken-that-nobody-else-sees";
const VERSION: &str = "api-version=2025-01-01";
const THINGS: &str = "Our.Things/things";

/// A deployment, and what it is to leave behind.
struct Case {
    group: String,
    template: String,
    mode: DeploymentMode,
    /// What is there before: names and properties.
    before: Vec<(String, Value)>,
    /// What is there afterwards: names and properties.
    after: BTreeMap<String, Value>,
    /// The output `first`.
    first: i64,
    /// Whether the endpoint leads to another place.
    is_evil: bool,
}

impl Case {
    fn new(number: usize) -> Case {
        let mut chance = Chance::new(SEED, &format!("case {number}"));
        let group = format!("g{number}");
        let is_evil = number % 50 == 7;
        let mode = if chance.below(5) == 0 { DeploymentMode::Complete } else { DeploymentMode::Incremental };
        let id = |name: &str| format!("[resourceId('{THINGS}', '{name}')]");
        let (mut resources, mut after, mut before) = (Vec::new(), BTreeMap::new(), Vec::new());
        let count = 1 + chance.below(6);
        let mut numbers: Vec<i64> = Vec::new();
        for at in 0..count {
            let name = format!("t{at}");
            let number = i64::try_from(chance.below(1_000_000)).unwrap();
            let mut properties = json!({"number": number, "secret": "[parameters('password')]"});
            let mut expected = json!({"number": number, "secret": format!("hunter2-{group}")});
            let mut needs = Vec::new();
            if at > 0 {
                let other = chance.below(at);
                let earlier = numbers[usize::try_from(other).unwrap()];
                properties["from"] =
                    json!(format!("[reference(resourceId('{THINGS}', 't{other}'), '2025-01-01').number]"));
                expected["from"] = json!(earlier);
                needs.push(id(&format!("t{other}")));
            }
            numbers.push(number);
            let is_left_out = at > 0 && chance.below(8) == 0 && at + 1 == count;
            if chance.below(4) == 0 && !is_left_out {
                before.push((name.clone(), json!({"number": 0, "old": true})));
            }
            resources.push(json!({
                "type": THINGS, "apiVersion": "2025-01-01", "name": name, "location": "north",
                "condition": !is_left_out, "dependsOn": needs, "properties": properties,
            }));
            if !is_left_out {
                after.insert(name, expected);
            }
        }
        if chance.below(3) == 0 {
            let inner = json!({
                "$schema": "https://schema.management.azure.com/schemas/2019-04-01/deploymentTemplate.json#",
                "contentVersion": "1.0.0.0",
                "parameters": {"number": {"type": "int"}},
                "resources": [{
                    "type": THINGS, "apiVersion": "2025-01-01", "name": "inner", "location": "[resourceGroup().location]",
                    "properties": {"number": "[parameters('number')]", "where": "[resourceGroup().location]"},
                }],
            });
            resources.push(json!({
                "type": "Microsoft.Resources/deployments", "apiVersion": "2025-04-01", "name": format!("{group}-inner"),
                "dependsOn": [id("t0")],
                "properties": {
                    "mode": "Incremental", "expressionEvaluationOptions": {"scope": "inner"}, "template": inner,
                    "parameters": {"number": {"value": format!("[reference(resourceId('{THINGS}', 't0'), '2025-01-01').number]")}},
                },
            }));
            after.insert("inner".to_owned(), json!({"number": numbers[0], "where": "north"}));
        }
        if chance.below(2) == 0 {
            before.push(("left".to_owned(), json!({"number": 1})));
            if mode == DeploymentMode::Incremental {
                after.insert("left".to_owned(), json!({"number": 1}));
            }
        }
        if is_evil {
            let name = format!("evil{}", number / 50 % 2);
            resources.push(json!({
                "type": THINGS, "apiVersion": "2025-01-01", "name": name, "dependsOn": [], "properties": {},
            }));
        }
        let template = json!({
            "$schema": "https://schema.management.azure.com/schemas/2019-04-01/deploymentTemplate.json#",
            "contentVersion": "1.0.0.0",
            "parameters": {"password": {"type": "securestring"}},
            "resources": resources,
            "outputs": {"first": {"type": "int", "value": format!("[reference(resourceId('{THINGS}', 't0'), '2025-01-01').number]")}},
        });
        Case { group, template: template.to_string(), mode, before, after, first: numbers[0], is_evil }
    }

    fn scope(&self) -> Scope {
        Scope::ResourceGroup { subscription: "s".into(), name: self.group.as_str().into() }
    }
}

/// A server as `tendon serve` has it, in local mode.
async fn serve() -> String {
    let store: Arc<dyn Store> = Arc::new(MemoryStore::new());
    let key = Key::random().unwrap();
    let provider = Arc::new(Local::new(Arc::clone(&store), key.clone()).keeping_groups());
    let registry = Arc::new(Registry::new(Arc::clone(&store), key.clone()));
    let engine = Engine {
        store,
        key,
        provider,
        settings: MachineSettings::default(),
        clock: Clock::Real,
        budgets: Default::default(),
    };
    let app = Arc::new(App::new(Arc::new(Host::new(engine)), registry));
    let address = SocketAddr::from(([127, 0, 0, 1], 0));
    let settings = server::ListenSettings {
        address,
        tls: None,
        connections: 1000,
        per_address: 1000,
        grace: Duration::ZERO,
    };
    let listening = server::listen(app, settings).await.unwrap();
    let url = format!("http://{}", listening.address());
    tokio::spawn(listening.run(std::future::pending()));
    url
}

/// A place that has no business to be asked: how often it was.
async fn elsewhere() -> (String, Arc<AtomicUsize>) {
    let listener = TcpListener::bind(SocketAddr::from(([127, 0, 0, 1], 0))).await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let asked = Arc::new(AtomicUsize::new(0));
    let counter = Arc::clone(&asked);
    tokio::spawn(async move {
        while listener.accept().await.is_ok() {
            counter.fetch_add(1, Ordering::SeqCst);
        }
    });
    (url, asked)
}

/// Asks the server itself.
async fn ask(client: &Client, method: Method, url: &str, body: &Value) -> (u16, Value) {
    let body = if body.is_null() { Bytes::new() } else { Bytes::from(body.to_string()) };
    let reply = client.ask(method, url, body).await.unwrap();
    (reply.status.as_u16(), serde_json::from_slice(&reply.body).unwrap_or(Value::Null))
}

/// Runs a deployment through the proxy, and holds what became of it against what it was to become.
async fn hold(case: &Case, direct: &Client, server: &str, proxy: &str) {
    let group = format!("/subscriptions/s/resourceGroups/{}", case.group);
    let url = |path: &str| format!("{server}{group}{path}?{VERSION}");
    ask(direct, Method::PUT, &url(""), &json!({"location": "north"})).await;
    for (name, properties) in &case.before {
        let thing = url(&format!("/providers/{THINGS}/{name}"));
        let (status, _) =
            ask(direct, Method::PUT, &thing, &json!({"location": "north", "properties": properties})).await;
        assert!(status < 300);
    }
    let (store, key) = (Arc::new(MemoryStore::new()), Key::random().unwrap());
    let kept: Arc<dyn Store> = Arc::<MemoryStore>::clone(&store);
    let endpoint = Endpoint::new(Setup {
        url: proxy.to_owned(),
        client: direct.clone().apart(),
        credential: Some(Arc::new(Fixed::new(TOKEN))),
        types: Arc::new(LazyTypes::none()),
        store: Arc::clone(&kept),
        key: key.clone(),
        step: Duration::from_secs(120),
        patience: Some(Duration::from_millis(300)),
        second: Duration::from_millis(1),
    });
    let endpoint = Arc::new(endpoint.unwrap());
    endpoint.check_group(&case.scope()).await.unwrap();
    let template = Arc::new(Template::read(&case.template, &TemplateLimits::default()).unwrap());
    let context = DeploymentContext {
        endpoint: endpoint.endpoint(),
        location: None,
        ..DeploymentContext::local(case.scope(), case.group.as_str())
    };
    let password = arm::Value::text(format!("hunter2-{}", case.group)).secret();
    let deployment = Deployment::with_values(template, [("password".into(), password)], context).unwrap();
    let engine = Engine {
        store: kept,
        key,
        provider: endpoint,
        settings: MachineSettings::default(),
        clock: Clock::Real,
        budgets: Default::default(),
    };
    let accepted = engine.accept(Arc::new(deployment), case.mode).unwrap();
    let (_open, cancel) = unbounded_channel();
    let ended = engine.run(accepted, cancel, &mut |_: &engine::core::RunProgress, _: i64| {}).await.unwrap();
    let record = ended.record.to_rest().to_json();
    assert!(!record.contains("hunter2") && !record.contains(TOKEN), "{record}");
    match (&ended.end, case.is_evil) {
        (RunEnd::Succeeded(outputs), false) => {
            let first = outputs
                .as_object()
                .and_then(|all| all.get("first"))
                .and_then(|it| it.as_object()?.get("value").cloned());
            assert_eq!(first, Some(arm::Value::Int(case.first)), "{}", case.group);
        }
        (RunEnd::Failed(failure), true) => {
            assert!(failure.to_value().to_json().contains("ForeignLink"), "{}: {failure:?}", case.group);
        }
        (end, _) => panic!("{}: {end:?}", case.group),
    }
    let resources = store.resources("/", Page::ALL).unwrap();
    assert!(resources.is_empty(), "the state keeps no resource of an endpoint");
    let (_, listed) = ask(direct, Method::GET, &url("/resources"), &Value::Null).await;
    let mut found = BTreeMap::new();
    for item in listed["value"].as_array().unwrap() {
        let id = item["id"].as_str().unwrap();
        let (_, body) = ask(direct, Method::GET, &format!("{server}{id}?{VERSION}"), &Value::Null).await;
        let mut properties = body["properties"].clone();
        properties.as_object_mut().unwrap().remove("provisioningState");
        found.insert(item["name"].as_str().unwrap().to_owned(), properties);
    }
    if case.is_evil {
        // What was begun beside it may have ended or not, and is what it was to be.
        for (name, properties) in &found {
            let was = case.before.iter().any(|(other, before)| other == name && before == properties);
            assert!(
                was || case.after.get(name) == Some(properties),
                "{}: {name} is {properties}",
                case.group
            );
        }
    } else {
        assert_eq!(found, case.after, "{}", case.group);
    }
}

#[test]
fn deployments_end_truly_whatever_happens_on_the_way() {
    let count = std::env::var("TENDON_ENDPOINT_DEPLOYMENTS").ok().and_then(|count| count.parse().ok());
    let count: usize = count.unwrap_or(DEPLOYMENTS);
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    let client = Client::new(None).unwrap().with_limits(Duration::from_secs(60), 1 << 24);
    let (server, other, proxy) = runtime.block_on(async {
        let server = serve().await;
        let other = elsewhere().await;
        let proxy = Proxy::start(SEED, &server, &other.0, TOKEN, client.clone().apart()).await;
        (server, other, proxy)
    });
    let next = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for _ in 0..AT_ONCE {
            scope.spawn(|| {
                let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
                let direct = client.clone().apart();
                loop {
                    let number = next.fetch_add(1, Ordering::SeqCst);
                    if number >= count {
                        break;
                    }
                    runtime.block_on(hold(&Case::new(number), &direct, &server, &proxy.url));
                }
            });
        }
    });
    assert_eq!(other.1.load(Ordering::SeqCst), 0, "nothing goes to another place");
    assert_eq!(proxy.log.without_token.load(Ordering::SeqCst), 0, "every request says who asks");
    for (path, bodies) in proxy.log.puts.lock().unwrap().iter() {
        assert_eq!(bodies.len(), 1, "{path} was put as {bodies:?}");
    }
    let requests = proxy.log.requests.load(Ordering::SeqCst);
    let done = proxy.log.done.lock().unwrap();
    println!("{count} deployments, {requests} requests: {done:?}");
    // Everything that can happen did happen.
    assert!(count < DEPLOYMENTS || done.len() >= 14, "{done:?}");
}
