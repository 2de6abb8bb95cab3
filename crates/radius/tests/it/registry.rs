//! The registry: both gates hold, nothing is stored of what is refused, and secrets are never shown.

use std::sync::Arc;

use document::{Document, FileId, ReadLimits};
use radius::ManifestDialect;
use radius::registry::{PutResource, Registry, RegistryError, StoredResource};
use store::{Key, MemoryStore, Page, Store};

struct Bench {
    store: Arc<MemoryStore>,
    registry: Registry,
}

const MANIFEST: &str = "
namespace: MyCompany.Resources
types:
  databases:
    apiVersions:
      '2025-01-01':
        schema:
          type: object
          properties:
            size: {type: string, enum: [S, M, L], default: S}
            count: {type: integer, minimum: 1}
            host: {type: string, readOnly: true, default: never}
            password: {type: string, minLength: 3, x-radius-sensitive: true}
            pin: {type: string, writeOnly: true}
            users:
              type: array
              items:
                type: object
                properties:
                  name: {type: string}
                  role: {type: string, default: reader}
                  token: {type: string, x-radius-sensitive: true}
                required: [name]
            tags:
              type: object
              additionalProperties:
                type: object
                properties: {colour: {type: string, default: red}, shade: {type: string, x-radius-sensitive: true}}
            backup:
              type: object
              properties: {days: {type: integer, default: 7}}
          required: [count]
";

impl Bench {
    fn new() -> Bench {
        let store = Arc::new(MemoryStore::new());
        let registry = Registry::new(store.clone(), Key::random().unwrap());
        Bench { store, registry }
    }

    fn with_types() -> Bench {
        let bench = Bench::new();
        bench.register(MANIFEST, false).unwrap();
        bench
    }

    fn register(&self, text: &str, force: bool) -> Result<usize, RegistryError> {
        let document = Document::from_yaml(text, FileId::FIRST, &radius::LIMITS).unwrap();
        self.registry.register(&document, None, ManifestDialect::Tendon, force).map(|done| done.len())
    }

    fn put(&self, name: &str, body: &str) -> Result<StoredResource, RegistryError> {
        let document = Document::from_json(body, FileId::FIRST, &ReadLimits::DEFAULT).unwrap();
        let type_name = "MyCompany.Resources/databases";
        let body = document.root();
        self.registry.put(PutResource { group: "default", type_name, name, api_version: None, body })
    }

    fn count(&self) -> usize {
        self.store.resources("", Page::ALL).unwrap().len()
    }
}

#[test]
fn what_is_registered_is_read_back_as_it_is() {
    let bench = Bench::with_types();
    let types = bench.registry.resource_types().unwrap();
    assert_eq!(types.len(), 1);
    assert_eq!(types[0].full_name(), "MyCompany.Resources/databases");
    let document = Document::from_yaml(MANIFEST, FileId::FIRST, &radius::LIMITS).unwrap();
    let read = radius::Manifest::read(&document, radius::ManifestReadOptions::default());
    let json = |manifest: &radius::Manifest| manifest.types[0].versions[0].schema.to_json();
    assert_eq!(json(&types[0].manifest), json(read.usable().unwrap()));
    assert!(bench.registry.resource_type("mycompany.resources/DATABASES").unwrap().is_some());
}

#[test]
fn the_second_gate_refuses_what_the_first_would() {
    let bench = Bench::new();
    for text in [
        "namespace: MyCompany.Resources\ntypes: {databases: {apiVersions: {'2025-01-01': {schema: {type: object, properties: {a: {}}}}}}}",
        "namespace: MyCompany.Resources\ntypes: {databases: {capabilities: [Unknown], apiVersions: {'2025-01-01': {schema: {}}}}}",
        "namespace: MyCompany.Resources\ntypes: {databases: {apiVersions: {'2025-01-01': {schema: {}}}}, Bad: {apiVersions: {}}}",
    ] {
        assert!(matches!(bench.register(text, true), Err(RegistryError::Manifest(_))), "{text}");
    }
    assert_eq!(bench.count(), 0);
}

#[test]
fn a_resource_is_checked_before_it_is_stored() {
    let bench = Bench::with_types();
    let before = bench.count();
    for body in [
        r#"{}"#,
        r#"{"properties": {"environment": "e"}}"#,
        r#"{"properties": {"environment": "e", "count": 0}}"#,
        r#"{"properties": {"environment": "e", "count": 1, "size": "XL"}}"#,
        r#"{"properties": {"environment": "e", "count": 1, "unknown": 1}}"#,
        r#"{"properties": {"environment": "e", "count": 1, "host": "h"}}"#,
        r#"{"properties": {"environment": "e", "count": 1, "password": "x"}}"#,
        r#"{"properties": {"environment": "e", "count": 1, "password": {"encrypted": "x"}}}"#,
    ] {
        assert!(matches!(bench.put("db", body), Err(RegistryError::Resource(_))), "{body}");
    }
    for name in ["", "-a", "a/b", "x_bad", "a-", &"a".repeat(64)] {
        let put = bench.put(name, r#"{"properties": {"environment": "e", "count": 1}}"#);
        assert!(matches!(put, Err(RegistryError::Name(_))), "{name}");
    }
    assert_eq!(bench.count(), before);
}

#[test]
fn defaults_fill_what_is_absent_and_nothing_else() {
    let bench = Bench::with_types();
    let body = r#"{"properties": {"environment": "e", "count": 1, "users": [{"name": "a"}, {"name": "b", "role": ""}], "tags": {"x": {}}}}"#;
    let stored = bench.put("db", body).unwrap();
    let expected = r#"{"environment":"e","count":1,"users":[{"name":"a","role":"reader"},{"name":"b","role":""}],"tags":{"x":{"colour":"red"}},"size":"S","provisioningState":"Succeeded"}"#;
    assert!(stored.body.to_string().ends_with(&format!("\"properties\":{expected}}}")), "{}", stored.body);
    let stored = bench
        .put("db", r#"{"properties": {"environment": "e", "count": 1, "size": "M", "backup": {}}}"#)
        .unwrap();
    assert!(stored.body.to_string().contains(r#""size":"M","backup":{"days":7}"#), "{}", stored.body);
    assert!(!stored.is_new);
}

#[test]
fn secrets_are_sealed_and_never_shown() {
    let bench = Bench::with_types();
    let body = r#"{"properties": {"environment": "e", "count": 1, "password": "tell-nobody", "pin": "tell-nobody",
        "users": [{"name": "a", "token": "tell-nobody"}], "tags": {"x": {"shade": "tell-nobody"}}}}"#;
    let stored = bench.put("db", body).unwrap();
    assert!(!stored.body.to_string().contains("tell-nobody"), "{}", stored.body);
    assert!(stored.body.to_string().contains(r#""password":null"#), "{}", stored.body);
    for record in bench.store.resources("", Page::ALL).unwrap() {
        assert!(!record.body.contains("tell-nobody"), "{}", record.body);
        assert_eq!(record.body.contains("\"sealed\""), record.id.ends_with("/db"));
    }
    let Err(RegistryError::Resource(violations)) =
        bench.put("db", r#"{"properties": {"environment": "e", "count": 1, "password": "ab"}}"#)
    else {
        panic!("a short password is refused")
    };
    assert!(violations.iter().all(|it| !it.to_json().contains("\"ab\"")), "{violations:?}");
}

#[test]
fn a_type_whose_resources_would_break_is_neither_changed_nor_deleted() {
    let bench = Bench::with_types();
    bench.put("db", r#"{"properties": {"environment": "e", "count": 1}}"#).unwrap();
    let changed = MANIFEST.replace("minimum: 1", "minimum: 2");
    let Err(RegistryError::Breaks { broken, .. }) = bench.register(&changed, false) else {
        panic!("the type is in use")
    };
    let [broken] = broken.as_slice() else { panic!("{broken:?}") };
    assert_eq!(
        broken.id,
        "/planes/radius/local/resourceGroups/default/providers/MyCompany.Resources/databases/db"
    );
    assert_eq!(broken.violations[0].path.pointer(), "/properties/count");
    let name = "MyCompany.Resources/databases";
    assert!(matches!(bench.registry.delete_type(name, false), Err(RegistryError::InUse { .. })));
    // The same again changes nothing, and a further version changes no other.
    assert_eq!(bench.register(MANIFEST, false).unwrap(), 1);
    let further =
        "namespace: MyCompany.Resources\ntypes: {databases: {apiVersions: {'2025-06-01': {schema: {}}}}}";
    assert_eq!(bench.register(further, false).unwrap(), 1);
    let found = bench.registry.known_type(name).unwrap();
    assert_eq!(found.manifest.types[0].versions.len(), 2);
    assert_eq!(bench.register(&changed, true).unwrap(), 1);
    assert!(bench.registry.delete_type(name, true).unwrap());
    assert!(!bench.registry.delete_type(name, true).unwrap());
}

#[test]
fn names_that_are_not_there_get_a_suggestion() {
    let bench = Bench::with_types();
    let error = bench.registry.known_type("MyCompany.Resources/database").unwrap_err().to_string();
    assert!(error.contains("did you mean `MyCompany.Resources/databases`?"), "{error}");
    assert!(matches!(bench.registry.known_type("databases"), Err(RegistryError::Name(_))));
}

#[test]
fn resources_are_listed_by_type_and_group_and_deleted_once() {
    let bench = Bench::with_types();
    let body = r#"{"name": "db", "properties": {"environment": "e", "count": 1}}"#;
    bench.put("db", body).unwrap();
    assert!(
        matches!(bench.put("other", body), Err(RegistryError::Name(_))),
        "the file names another resource"
    );
    let name = "MyCompany.Resources/databases";
    assert_eq!(bench.registry.resources(Some(name), None).unwrap().len(), 1);
    assert_eq!(bench.registry.resources(Some(name), Some("shop")).unwrap().len(), 0);
    assert!(bench.registry.named_resource("DEFAULT", name, "DB").unwrap().is_some());
    assert!(bench.registry.delete("default", name, "db").unwrap());
    assert!(!bench.registry.delete("default", name, "db").unwrap());
}

#[test]
fn many_who_put_at_once_all_succeed() {
    let bench = Bench::with_types();
    std::thread::scope(|scope| {
        for thread in 0..32 {
            let bench = &bench;
            scope.spawn(move || {
                for at in 0..4 {
                    let body = r#"{"properties": {"environment": "e", "count": 1}}"#;
                    bench.put(&format!("db{thread}-{at}"), body).unwrap();
                }
            });
        }
    });
    assert_eq!(bench.registry.resources(None, None).unwrap().len(), 128);
}

#[test]
fn two_who_put_at_once_both_succeed() {
    let bench = Arc::new(Bench::with_types());
    let threads: Vec<_> = (0..4)
        .map(|thread| {
            let bench = Arc::clone(&bench);
            std::thread::spawn(move || {
                for at in 0..5 {
                    let mut put = bench.put(
                        &format!("db{thread}-{at}"),
                        r#"{"properties": {"environment": "e", "count": 1}}"#,
                    );
                    while matches!(put, Err(RegistryError::Busy)) {
                        put = bench.put(
                            &format!("db{thread}-{at}"),
                            r#"{"properties": {"environment": "e", "count": 1}}"#,
                        );
                    }
                    put.unwrap();
                }
            })
        })
        .collect();
    threads.into_iter().for_each(|thread| thread.join().unwrap());
    assert_eq!(bench.registry.resources(None, None).unwrap().len(), 20);
}

#[test]
fn what_a_body_says_of_itself_has_to_be_so() {
    let bench = Bench::with_types();
    let put = |head: &str| {
        bench.put("db", &format!(r#"{{{head}"properties": {{"environment": "e", "count": 1}}}}"#))
    };
    let id = "/planes/radius/local/resourceGroups/default/providers/MyCompany.Resources/databases/db";
    for head in [
        r#""name": "other","#,
        r#""type": "MyCompany.Resources/caches","#,
        r#""id": "/planes/radius/local/resourceGroups/other/providers/MyCompany.Resources/databases/db","#,
        r#""apiVersion": "2024-01-01","#,
    ] {
        let refused = put(head);
        assert!(matches!(refused, Err(RegistryError::Name(_) | RegistryError::Version(_))), "{head}");
    }
    assert_eq!(bench.registry.resources(None, None).unwrap(), []);
    put(&format!(r#""id": "{id}", "name": "DB", "apiVersion": "2025-01-01","#)).unwrap();
}

#[test]
fn the_digest_of_a_secret_tells_whether_it_changed_and_nothing_else() {
    let bench = Bench::with_types();
    let digest = |password: &str| {
        let body =
            format!(r#"{{"properties": {{"environment": "e", "count": 1, "password": "{password}"}}}}"#);
        bench.put("db", &body).unwrap();
        let records = bench.store.resources("/planes/radius/local/resourceGroups/", Page::ALL).unwrap();
        let document =
            Document::from_json(&records[0].body, document::FileId::FIRST, &ReadLimits::DEFAULT).unwrap();
        let digest = document.root().member("digests").unwrap().member("/properties/password").unwrap();
        digest.as_str().unwrap().to_owned()
    };
    let (one, other) = (digest("tell-nobody"), digest("tell-no-one"));
    assert_ne!(one, other);
    assert_eq!(digest("tell-nobody"), one);
    let again = Bench::with_types();
    again
        .put("db", r#"{"properties": {"environment": "e", "count": 1, "password": "tell-nobody"}}"#)
        .unwrap();
    let records = again.store.resources("/planes/radius/local/resourceGroups/", Page::ALL).unwrap();
    assert!(!records[0].body.contains(&one), "a digest depends on the key");
}
