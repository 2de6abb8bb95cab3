//! Deployments to a plane of Radius: resources of registered types are checked and kept as the registry keeps them.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use arm::Value;
use arm::binding::Inputs;
use arm::deployment::{Deployment, DeploymentContext, DeploymentMode};
use arm::evaluate::Scope;
use arm::template::{ScopeKind, Template, TemplateLimits};
use document::{Document, FileId};
use engine::core::{MachineSettings, ProviderReply, PutRequest, Response};
use engine::provider::{Layer, Local, Pending, Provider};
use engine::{Clock, Engine, Host, StartError};
use radius::ManifestDialect;
use radius::provider::ValidatingProvider;
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
            share: {type: number}
            free: {type: object}
            one: {type: object, maxProperties: 1, properties: {a: {type: string}, b: {type: string, default: x}}}
            out: {type: object, readOnly: true, properties: {host: {type: string, readOnly: true}, port: {type: integer}}, required: [host]}
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
        registry.register(&document, None, ManifestDialect::Tendon, false).unwrap();
        Bench { store, key, registry }
    }

    fn local(&self) -> Arc<Local> {
        Arc::new(Local::new(self.store.clone(), self.key.clone()))
    }

    fn engine(&self, provider: ValidatingProvider) -> Engine {
        let (store, key): (Arc<dyn Store>, Key) = (self.store.clone(), self.key.clone());
        let provider = Arc::new(provider);
        Engine {
            store,
            key,
            provider,
            settings: MachineSettings::default(),
            clock: Clock::Virtual,
            budgets: Default::default(),
        }
    }

    /// Deploys resources of a template in the form that Bicep writes; its record, or why it was refused.
    fn deploy(&self, resources: &str, outputs: &str) -> String {
        self.deploy_to(self.local(), resources, outputs)
    }

    /// The same on a provider.
    fn deploy_to(&self, below: Arc<dyn Provider>, resources: &str, outputs: &str) -> String {
        let provider = ValidatingProvider::new(below, Arc::clone(&self.registry));
        self.deploy_with(provider, Scope::parse(GROUP).unwrap(), resources, outputs)
    }

    /// The same where no scope is named.
    fn deploy_without_scope(&self, resources: &str) -> String {
        let provider = ValidatingProvider::new(self.local(), Arc::clone(&self.registry));
        self.deploy_with(provider, DeploymentContext::local_scope(ScopeKind::ResourceGroup), resources, "")
    }

    fn deploy_with(
        &self,
        provider: ValidatingProvider,
        scope: Scope,
        resources: &str,
        outputs: &str,
    ) -> String {
        let text = format!(
            r#"{{"$schema": "https://schema.management.azure.com/schemas/2019-04-01/deploymentTemplate.json#",
              "languageVersion": "2.0", "contentVersion": "1.0.0.0",
              "imports": {{"radius": {{"provider": "Radius", "version": "latest"}}}},
              "resources": {{{resources}}}, "outputs": {{{outputs}}}}}"#
        );
        let template = Arc::new(Template::read(&text, &TemplateLimits::default()).unwrap());
        let context = DeploymentContext::local(scope, "d");
        let deployment = Deployment::with_inputs(template, &Inputs::default(), context, &|_| None).unwrap();
        let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
        let host = Host::new(self.engine(provider));
        let record = runtime.block_on(async {
            let started = match host.start(Arc::new(deployment), DeploymentMode::Incremental).await {
                Ok(started) => started,
                Err(StartError::Failure(failure)) => return failure.to_value(),
                Err(StartError::State(why) | StartError::Unavailable(why)) => return Value::text(why),
            };
            let ended = started.wait(Duration::from_secs(60)).await.unwrap();
            ended.as_ref().as_ref().unwrap().record.to_rest()
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

/// Changes the type while the first resource of it is on its way.
struct Meddler {
    local: Arc<Local>,
    registry: Arc<Registry>,
    is_done: AtomicBool,
}

impl Layer for Meddler {
    fn inner(&self) -> &dyn Provider {
        &*self.local
    }

    fn rebase_on(&self, below: Arc<dyn Provider>) -> Arc<dyn Provider> {
        below
    }

    fn put<'a>(&'a self, put: &'a PutRequest) -> Pending<'a> {
        if !self.is_done.swap(true, Ordering::Relaxed) {
            let other = MANIFEST.replace("default: S", "default: L");
            let document = Document::from_yaml(other, FileId::FIRST, &radius::LIMITS).unwrap();
            self.registry.register(&document, None, ManifestDialect::Tendon, true).unwrap();
        }
        self.local.put(put)
    }
}

#[test]
fn a_type_that_changes_meanwhile_is_the_one_that_counts() {
    let bench = Bench::new();
    let (local, registry) = (bench.local(), Arc::clone(&bench.registry));
    let meddler = Arc::new(Meddler { local, registry, is_done: AtomicBool::new(false) });
    let outputs = r#""size": {"type": "string", "value": "[reference('cache').properties.size]"}"#;
    let record = bench.deploy_to(meddler, CACHE, outputs);
    assert!(record.contains(r#""size":{"type":"String","value":"L"}"#), "{record}");
    let id = store::ResourceId::new(&format!("{GROUP}/providers/Radius.Data/redisCaches/cache1"));
    assert_eq!(bench.store.resource(&id).unwrap().unwrap().version, 1, "it was written once");
}

#[test]
fn what_is_written_is_not_remembered_beside_the_store() {
    let bench = Bench::new();
    let local = bench.local();
    let record = bench.deploy_to(local.clone(), CACHE, "");
    assert!(record.contains(r#""provisioningState":"Succeeded""#), "{record}");
    let id = format!("{GROUP}/providers/Radius.Data/redisCaches/cache1");
    assert!(local.state(&id).unwrap().is_some());
    // Another node deletes it.
    assert!(bench.registry.delete("default", "Radius.Data/redisCaches", "cache1").unwrap());
    assert!(local.state(&id).unwrap().is_none());
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
        // What is known to break its schema is refused at once.
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

#[test]
fn types_that_nobody_registered_are_refused_without_a_scope_too() {
    for (change, to, code) in [
        ("redisCaches@", "redisCachez@", "did you mean `Radius.Data/redisCaches`?"),
        ("Radius.Data/redisCaches@", "No.Such/things@", "`No.Such/things` is not registered"),
        ("redisCaches@", "redisCachez@2024-01-01\", \"x\": \"", "is not registered"),
        ("tell-nobody\"", "tell-nobody\", \"size\": \"XL\"", "InvalidRequestContent"),
        ("Radius.Data/redisCaches@", "Radius.Core/environments@", "`password` is not known"),
        ("Radius.Data/redisCaches@", "Radius.Core/enviroments@", "did you mean `Radius.Core/environments`?"),
    ] {
        let bench = Bench::new();
        let record = bench.deploy_without_scope(&CACHE.replace(change, to));
        assert!(record.starts_with(r#"{"code":"InvalidTemplateDeployment""#), "{record}");
        assert!(record.contains(code), "{code}: {record}");
        assert!(!record.contains("tell-nobody"), "{record}");
        // Nothing but the type is there.
        assert_eq!(bench.store.resources("", Page::ALL).unwrap().len(), 1);
    }
    let bench = Bench::new();
    let record = bench.deploy_without_scope(CACHE);
    assert!(record.contains(r#""provisioningState":"Succeeded""#), "{record}");
    assert_eq!(bench.registry.resources(None, None).unwrap().len(), 1);
    // Who says so, may have them; they are not in the registry.
    let allowing =
        ValidatingProvider::new(bench.local(), Arc::clone(&bench.registry)).allowing_unknown_types(true);
    let scope = DeploymentContext::local_scope(ScopeKind::ResourceGroup);
    let record = bench.deploy_with(allowing, scope, &CACHE.replace("redisCaches@", "redisCachez@"), "");
    assert!(record.contains(r#""provisioningState":"Succeeded""#), "{record}");
    assert_eq!(bench.registry.resources(None, None).unwrap().len(), 1);
}

#[test]
fn what_is_deployed_is_checked_as_what_is_put() {
    for (given, expect) in [
        (r#""size": "S", "Size": "L""#, r#""code":"DuplicateMember""#),
        (r#""free": {"a": [{"b": 1, "B": 2}]}"#, r#""target":"/properties/free/a/0/B""#),
        (r#""Size": "L""#, "`Size` is not known"),
        (r#""free": {"n": 1e400}"#, ""),
        (r#""share": 1e-400"#, ""),
        (r#""one": {"a": "x"}"#, "`/properties/one/properties/b/default`"),
        (r#""one": "[createObject('a', 'x')]""#, "`/properties/one/properties/b/default`"),
        (r#""out": {"host": "h"}"#, "read-only"),
    ] {
        let bench = Bench::new();
        let record = bench.deploy(&CACHE.replace("\"password\"", &format!("{given}, \"password\"")), "");
        assert!(!record.contains(r#""provisioningState":"Succeeded""#), "{given}: {record}");
        assert!(record.contains(expect), "{given}: {record}");
        assert_eq!(bench.registry.resources(None, None).unwrap().len(), 0, "{given}");
    }
    let bench = Bench::new();
    let given = r#""size": "S", "free": {"a": [{"b": 1}], "n": 9007199254740993.5}, "share": 1e308, "one": {"b": "y"}"#;
    let record = bench.deploy(&CACHE.replace("\"password\"", &format!("{given}, \"password\"")), "");
    assert!(record.contains(r#""provisioningState":"Succeeded""#), "{record}");
    let found = bench.registry.resources(None, None).unwrap();
    assert!(found[0].body.to_string().contains(r#""n":9007199254740993.5"#), "{}", found[0].body);
}

#[test]
fn what_is_not_known_yet_breaks_no_rule_beforehand() {
    let bench = Bench::new();
    let second = |properties: &str| {
        format!(
            r#", "second": {{"import": "radius", "type": "Radius.Data/redisCaches@2025-08-01-preview",
            "properties": {{"name": "two", "properties": {{"environment": "e", {properties}}}}}, "dependsOn": ["cache"]}}"#
        )
    };
    // A property that the deployment itself makes is unknown, and not null.
    let known = second(
        r#""peer": "[reference('cache').properties.size]", "one": {"a": "[reference('cache').id]", "b": "y"}"#,
    );
    let record = bench.deploy(&format!("{CACHE}{known}"), "");
    // One member too many, whatever it turns out to be.
    assert!(record.starts_with(r#"{"code":"InvalidTemplateDeployment""#), "{record}");
    let known = second(
        r#""peer": "[reference('cache').properties.size]", "free": "[if(empty(reference('cache').properties.size), json('{}'), json('{\"a\": 1}'))]""#,
    );
    let record = bench.deploy(&format!("{CACHE}{known}"), "");
    assert!(record.contains(r#""provisioningState":"Succeeded""#), "{record}");
}

/// Answers for what only a server sets.
struct Answering {
    local: Arc<Local>,
    out: &'static str,
}

impl Layer for Answering {
    fn inner(&self) -> &dyn Provider {
        &*self.local
    }

    fn rebase_on(&self, below: Arc<dyn Provider>) -> Arc<dyn Provider> {
        below
    }

    fn put<'a>(&'a self, put: &'a PutRequest) -> Pending<'a> {
        Box::pin(async move {
            match self.local.put(put).await {
                ProviderReply::Done(Response { body, writes }) => {
                    let out = engine::records::parse(self.out).unwrap();
                    let mut members: Vec<_> = body.as_object().unwrap().iter().cloned().collect();
                    for (name, value) in &mut members {
                        if name == "properties" {
                            let of = value.as_object().unwrap().iter().cloned();
                            *value = Value::object(of.chain([("out".into(), out.clone())]));
                        }
                    }
                    ProviderReply::Done(Response { body: Value::object(members), writes })
                }
                other => other,
            }
        })
    }
}

#[test]
fn what_a_provider_answers_keeps_the_schema() {
    for (out, is_fine) in [
        (r#"{"host": "h", "port": 1}"#, true),
        (r#"{"port": 1}"#, false),
        (r#"{"host": 5}"#, false),
        (r#"{"host": "h", "HOST": "i"}"#, false),
        (r#"{"host": "h", "more": 1}"#, false),
        ("null", false),
    ] {
        let bench = Bench::new();
        let record = bench.deploy_to(Arc::new(Answering { local: bench.local(), out }), CACHE, "");
        assert_eq!(record.contains(r#""provisioningState":"Succeeded""#), is_fine, "{out}: {record}");
        assert_eq!(record.contains("InvalidResponseContent"), !is_fine, "{out}: {record}");
        assert_eq!(bench.registry.resources(None, None).unwrap().len(), usize::from(is_fine), "{out}");
    }
}
