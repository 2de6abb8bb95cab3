//! Records that somebody else wrote into the store: what breaks its type is told.

use std::sync::Arc;

use document::{Document, FileId, ReadLimits};
use radius::ManifestDialect;
use radius::registry::{PutResource, Registry, RegistryError};
use store::{Key, MemoryStore, Page, Resource, Store};

const TYPES: &str = r#"{
    "namespace": "Radius.Data",
    "types": {
        "caches": {"apiVersions": {"2025-08-01-preview": {"schema": {
            "type": "object",
            "properties": {
                "environment": {"type": "string"},
                "count": {"type": "integer", "minimum": 1},
                "size": {"type": "string", "enum": ["S", "M"]},
                "password": {"type": "string", "x-radius-sensitive": true}
            },
            "required": ["environment", "count", "password"]
        }}}}
    }
}"#;

fn document(text: &str) -> Document {
    Document::from_json(text, FileId::FIRST, &ReadLimits::DEFAULT).unwrap()
}

/// A registry with one resource, and its records.
fn filled() -> (Registry, Vec<Resource>) {
    let store = Arc::new(MemoryStore::new());
    let kept: Arc<dyn Store> = Arc::<MemoryStore>::clone(&store);
    let registry = Registry::new(kept, Key::random().unwrap());
    registry.register(&document(TYPES), None, ManifestDialect::Tendon, false).unwrap();
    let body =
        document(r#"{"properties": {"environment": "e", "count": 3, "size": "S", "password": "hunter2"}}"#);
    let put = PutResource {
        group: "default",
        type_name: "Radius.Data/caches",
        name: "one",
        api_version: None,
        body: body.root(),
    };
    registry.put(put).unwrap();
    let records = store.resources("", Page::ALL).unwrap();
    (registry, records)
}

#[test]
fn what_the_registry_keeps_is_fine() {
    let (registry, records) = filled();
    assert!(records.iter().any(|it| it.id.ends_with("/caches/one")));
    for record in &records {
        assert!(registry.check_record(record).is_ok(), "{}", record.id);
    }
}

#[test]
fn what_was_changed_so_that_it_breaks_its_type_is_told() {
    let (registry, records) = filled();
    let one = records.iter().find(|it| it.id.ends_with("/caches/one")).unwrap();
    let changes: &[(&str, &str)] = &[
        (r#""count":3"#, r#""count":"3""#),
        (r#""count":3"#, r#""count":0"#),
        (r#""count":3"#, r#""count":3.5"#),
        (r#""count":3"#, r#""count":null"#),
        (r#""count":3,"#, ""),
        (r#""size":"S""#, r#""size":"L""#),
        (r#""environment":"e","#, ""),
        (r#""environment":"e""#, r#""environment":"e","more":1"#),
        (r#""environment":"e""#, r#""environment":"e","password":"hunter2""#),
        (r#""environment":"e""#, r#""environment":"e","password":5"#),
        (r#""environment":"e""#, r#""environment":"e","Environment":"f""#),
        (r#""digests":{"/properties/password""#, r#""digests":{"/properties/pasword""#),
        (r#""name":"one""#, r#""name":"two""#),
        (r#""type":"Radius.Data/caches""#, r#""type":"Radius.Data/other""#),
        ("2025-08-01-preview", "2024-08-01-preview"),
        (r#"{"body""#, r#"{"bdy""#),
        (r#"{"body":{"#, r#"{"body":["#),
    ];
    for (from, to) in changes {
        let body = one.body.replacen(from, to, 1);
        assert_ne!(body, one.body, "{from}");
        let error = registry.check_record(&Resource { body, ..one.clone() }).unwrap_err();
        assert!(!error.to_string().contains("hunter2"), "{error}");
        if let RegistryError::Resource(violations) = error {
            assert!(
                !violations.is_empty() && !format!("{violations:?}").contains("hunter2"),
                "{violations:?}"
            );
        }
    }
    let kind = records.iter().find(|it| Registry::is_type_record(&it.id)).unwrap();
    let body = kind.body.replacen("integer", "integr", 1);
    assert!(registry.check_record(&Resource { body, ..kind.clone() }).is_err());
}
