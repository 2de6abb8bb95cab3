//! Deployments to a plane of Radius: resources of registered types are checked and kept as the registry keeps them.

use std::sync::Arc;
use std::time::Duration;

use arm::Value;
use arm::binding::Inputs;
use arm::deployment::{Context, Deployment, Mode};
use arm::evaluate::Scope;
use arm::template::{Limits, Template};
use document::{Document, FileId};
use engine::core::Settings;
use engine::provider::Local;
use engine::{Clock, Engine, Host, Refused};
use radius::Dialect;
use radius::provider::Registered;
use radius::registry::Registry;
use store::{Key, MemoryStore, Page, Store};

const MANIFEST: &str = "
namespace: Radius.Data
types:
  redisCaches:
    apiVersions:
      '2025-08-01-preview':
        schema:
          type: object
          properties:
            size: {type: string, enum: [S, L], default: S}
            password: {type: string, x-radius-sensitive: true}
            peer: {type: string}
";

const GROUP: &str = "/planes/radius/local/resourceGroups/default";

struct Bench {
    store: Arc<MemoryStore>,
    key: Key,
    registry: Arc<Registry>,
}

impl Bench {
    fn new() -> Bench {
        let store = Arc::new(MemoryStore::new());
        let key = Key::random().unwrap();
        let registry = Arc::new(Registry::new(store.clone(), key.clone()));
        let document = Document::from_yaml(MANIFEST, FileId::FIRST, &radius::LIMITS).unwrap();
        registry.register(&document, None, Dialect::Tendon, false).unwrap();
        Bench { store, key, registry }
    }

    fn engine(&self) -> Engine {
        let (store, key): (Arc<dyn Store>, Key) = (self.store.clone(), self.key.clone());
        let local = Arc::new(Local::new(Arc::clone(&store), key.clone()));
        let provider = Arc::new(Registered::new(local, Arc::clone(&self.registry)));
        Engine { store, key, provider, settings: Settings::default(), clock: Clock::Virtual }
    }

    /// Deploys resources of a template in the form that Bicep writes; its record, or why it was refused.
    fn deploy(&self, resources: &str, outputs: &str) -> String {
        let text = format!(
            r#"{{"$schema": "https://schema.management.azure.com/schemas/2019-04-01/deploymentTemplate.json#",
              "languageVersion": "2.0", "contentVersion": "1.0.0.0",
              "imports": {{"radius": {{"provider": "Radius", "version": "latest"}}}},
              "resources": {{{resources}}}, "outputs": {{{outputs}}}}}"#
        );
        let template = Arc::new(Template::read(&text, &Limits::default()).unwrap());
        let context = Context::local(Scope::parse(GROUP).unwrap(), "d");
        let deployment = Deployment::with_inputs(template, &Inputs::default(), context, &|_| None).unwrap();
        let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
        let host = Host::new(self.engine());
        let record = runtime.block_on(async {
            let started = match host.start(Arc::new(deployment), Mode::Incremental).await {
                Ok(started) => started,
                Err(Refused::Failure(failure)) => return failure.to_value(),
                Err(Refused::State(why)) => return Value::text(why),
            };
            let ended = started.wait(Duration::from_secs(60)).await.unwrap();
            ended.as_ref().as_ref().unwrap().record.clone()
        });
        record.to_json()
    }
}

const CACHE: &str = r#""cache": {"import": "radius", "type": "Radius.Data/redisCaches@2025-08-01-preview",
    "properties": {"name": "[concat('cache', '1')]", "properties": {"environment": "e", "password": "tell-nobody"}}}"#;

#[test]
fn resources_get_the_ids_of_radius_and_are_found_in_the_registry() {
    let second = r#", "second": {"import": "radius", "type": "Radius.Data/redisCaches@2025-08-01-preview",
        "properties": {"name": "two", "properties": {"environment": "e", "peer": "[reference('cache').id]"}},
        "dependsOn": ["cache"]}"#;
    let outputs = r#""id": {"type": "string", "value": "[reference('cache').id]"},
        "size": {"type": "string", "value": "[reference('cache').properties.size]"},
        "named": {"type": "string", "value": "[resourceId('Radius.Data/redisCaches', 'x')]"}"#;
    let bench = Bench::new();
    let record = bench.deploy(&format!("{CACHE}{second}"), outputs);
    let id = format!("{GROUP}/providers/Radius.Data/redisCaches/cache1");
    assert!(record.contains(r#""provisioningState":"Succeeded""#), "{record}");
    assert!(record.contains(&format!(r#""id":{{"type":"String","value":"{id}"}}"#)), "{record}");
    assert!(record.contains(r#""size":{"type":"String","value":"S"}"#), "{record}");
    assert!(record.contains(&format!(r#"{GROUP}/providers/Radius.Data/redisCaches/x"#)), "{record}");
    assert!(record.contains(&format!(r#""outputResources":[{{"id":"{id}"}},"#)), "{record}");
    let found =
        bench.registry.named_resource("default", "Radius.Data/redisCaches", "cache1").unwrap().unwrap();
    assert_eq!(found.text(&["type"]), "Radius.Data/redisCaches");
    assert_eq!(found.text(&["apiVersion"]), "2025-08-01-preview");
    assert_eq!(found.text(&["properties", "size"]), "S");
    assert_eq!(found.text(&["properties", "provisioningState"]), "Succeeded");
    let second = bench.registry.named_resource("default", "Radius.Data/redisCaches", "two").unwrap().unwrap();
    assert_eq!(second.text(&["properties", "peer"]), id);
    for kept in bench.store.resources("", Page::ALL).unwrap() {
        assert!(!kept.body.contains("tell-nobody"), "{}", kept.body);
    }
    assert!(bench.registry.delete_type("Radius.Data/redisCaches", false).is_err(), "the type is in use");
}

#[test]
fn a_resource_that_is_there_is_read() {
    let bench = Bench::new();
    bench.deploy(CACHE, "");
    let there = r#""there": {"existing": true, "import": "radius", "type": "Radius.Data/redisCaches@2025-08-01-preview",
        "properties": {"name": "cache1"}}"#;
    let outputs = r#""size": {"type": "string", "value": "[reference('there').properties.size]"}"#;
    let record = bench.deploy(there, outputs);
    assert!(record.contains(r#""size":{"type":"String","value":"S"}"#), "{record}");
}

#[test]
fn what_breaks_its_schema_or_has_no_type_is_refused_and_not_kept() {
    for (change, to, code) in [
        ("tell-nobody\"", "tell-nobody\", \"size\": \"XL\"", "InvalidRequestContent"),
        ("\"environment\": \"e\", ", "", "InvalidRequestContent"),
        ("redisCaches@", "redisCache@", "BadRequest"),
        ("Radius.Data/redisCaches@", "Microsoft.Resources/deployments@", "BadRequest"),
        ("@2025-08-01", "@2024-08-01", "InvalidApiVersionParameter"),
    ] {
        let bench = Bench::new();
        let record = bench.deploy(&CACHE.replace(change, to), "");
        // What is known beforehand is refused at once.
        let refused = record.starts_with(r#"{"code":"InvalidTemplateDeployment""#);
        assert_eq!(refused, code == "InvalidRequestContent", "{record}");
        assert!(refused || record.contains(r#""provisioningState":"Failed""#), "{record}");
        assert!(record.contains(code), "{record}");
        assert!(!record.contains("tell-nobody"), "{record}");
        assert_eq!(bench.registry.resources(None, None).unwrap().len(), 0);
    }
}

#[test]
fn resources_of_azure_need_a_scope_of_azure() {
    let azure = r#""a": {"type": "Microsoft.Storage/storageAccounts", "apiVersion": "2024-01-01", "name": "a", "location": "x"}"#;
    let failure = Bench::new().deploy(azure, "");
    assert!(failure.contains("names no scope of Azure"), "{failure}");
}
