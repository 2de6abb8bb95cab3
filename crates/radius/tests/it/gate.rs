//! What the registry keeps is what it checked, it can read all that it keeps, and a change of a type is checked like a value.

use std::sync::Arc;

use document::{Document, FileId};
use radius::ManifestDialect;
use radius::registry::{PutResource, Registry, RegistryError, StoredResource};
use store::{Key, MemoryStore, Page, Store};

struct Bench {
    store: Arc<MemoryStore>,
    registry: Registry,
}

const TYPE: &str = "Test.Things/things";

impl Bench {
    /// A registry with one type, whose properties are given.
    fn with(properties: &str) -> Bench {
        let store = Arc::new(MemoryStore::new());
        let registry = Registry::new(store.clone(), Key::random().unwrap());
        let bench = Bench { store, registry };
        bench.register(properties, false).unwrap();
        bench
    }

    fn register(&self, properties: &str, force: bool) -> Result<Vec<String>, RegistryError> {
        let text = format!(
            r#"{{"namespace": "Test.Things", "types": {{"things": {{"apiVersions": {{"2025-01-01": {{"schema":
            {{"type": "object", "properties": {properties}}}}}}}}}}}}}"#
        );
        let document = Document::from_json(text, FileId::FIRST, &radius::LIMITS).unwrap();
        let done = self.registry.register(&document, None, ManifestDialect::Tendon, force)?;
        let broken = done.into_iter().flat_map(|it| it.broken);
        Ok(broken.flat_map(|it| it.problems().collect::<Vec<_>>()).collect())
    }

    fn put(&self, properties: &str) -> Result<StoredResource, RegistryError> {
        self.put_as(TYPE, "one", &format!(r#"{{"properties": {properties}}}"#))
    }

    fn put_as(&self, type_name: &str, name: &str, body: &str) -> Result<StoredResource, RegistryError> {
        let document = Document::from_json(body, FileId::FIRST, &radius::LIMITS).unwrap();
        let body = document.root();
        self.registry.put(PutResource { group: "default", type_name, name, api_version: None, body })
    }

    /// The problems of a refused resource, each with its code.
    #[track_caller]
    fn refused(&self, properties: &str) -> Vec<String> {
        let before = self.store.resources("", Page::ALL).unwrap();
        let problems = broken(self.put(properties));
        assert_eq!(self.store.resources("", Page::ALL).unwrap(), before, "something was stored");
        problems
    }

    fn shown(&self) -> String {
        self.registry.named_resource("default", TYPE, "one").unwrap().unwrap().body.to_string()
    }
}

#[track_caller]
fn broken(put: Result<StoredResource, RegistryError>) -> Vec<String> {
    match put {
        Err(RegistryError::Resource(violations)) => violations
            .iter()
            .map(|it| format!("{} {}: {}", it.path.pointer(), it.code, it.message()))
            .collect(),
        other => panic!("{other:?}"),
    }
}

#[test]
fn defaults_are_checked_with_what_they_fill() {
    let bench = Bench::with(
        r#"{"map": {"type": "object", "maxProperties": 1, "properties": {"a": {"type": "string"}, "b": {"type": "string", "default": "x"}}},
            "list": {"type": "array", "uniqueItems": true, "items": {"type": "object", "properties": {"k": {"type": "string", "default": "x"}, "n": {"type": "integer"}}}},
            "one": {"type": "object", "enum": [{"a": 1}, {"a": 1, "b": 2}], "properties": {"a": {"type": "integer"}, "b": {"type": "integer", "default": 3}}}}"#,
    );
    let refused = bench.refused(r#"{"environment": "e", "map": {"a": "given"}}"#);
    assert_eq!(refused.len(), 1);
    assert!(refused[0].starts_with("/properties/map maxLength: "), "{refused:?}");
    assert!(
        refused[0].ends_with(
            "(it holds without the defaults of the schema at `/properties/map/properties/b/default`)"
        ),
        "{refused:?}"
    );
    let refused = bench.refused(r#"{"environment": "e", "list": [{"k": "x"}, {}]}"#);
    assert!(refused[0].starts_with("/properties/list unique"), "{refused:?}");
    assert!(refused[0].contains("`/properties/list/items/properties/k/default`"), "{refused:?}");
    let refused = bench.refused(r#"{"environment": "e", "one": {"a": 1}}"#);
    assert!(refused[0].starts_with("/properties/one enum"), "{refused:?}");
    assert!(refused[0].contains("`/properties/one/properties/b/default`"), "{refused:?}");
    // A name in another case is not known, default or not.
    let refused = bench.refused(r#"{"environment": "e", "map": {"B": "given"}}"#);
    assert!(refused.len() == 1 && refused[0].starts_with("/properties/map/B additional"), "{refused:?}");
    // A rule that is broken anyway is not blamed on a default.
    let refused = bench.refused(r#"{"environment": "e", "one": {"a": 2}}"#);
    assert!(!refused[0].contains("default"), "{refused:?}");
    // The twins, and what is kept can be sent back.
    bench.put(r#"{"environment": "e", "map": {"b": "given"}, "list": [{"k": "y"}, {}], "one": {"a": 1, "b": 2}}"#).unwrap();
    let shown = bench.shown();
    bench.put_as(TYPE, "one", &shown).unwrap();
    assert_eq!(bench.shown(), shown);
}

#[test]
fn what_is_accepted_is_read_back_however_deep_it_is() {
    let bench = Bench::with(r#"{"free": {"type": "object"}}"#);
    let free = |depth: usize| {
        let nested = format!("{}{}", r#"{"a":"#.repeat(depth - 1), "{}");
        format!(r#"{{"environment": "e", "free": {nested}{}}}"#, "}".repeat(depth - 1))
    };
    // The resource and its properties are two levels.
    bench.put(&free(126)).unwrap();
    assert!(bench.shown().contains(&r#"{"a":"#.repeat(125)));
    assert_eq!(bench.registry.resources(None, None).unwrap().len(), 1);
    for depth in [127, 128, 200] {
        let refused = bench.refused(&free(depth));
        let expected = format!("/properties/free{} limit: ", "/a".repeat(126));
        assert!(refused[0].starts_with(&expected), "{refused:?}");
    }
}

#[test]
fn every_schema_that_is_accepted_is_read_back() {
    let nested = |depth: usize, inner: &str| {
        let around = r#"{"type":"object","properties":{"a":"#.repeat(depth);
        format!(r#"{{"a":{around}{inner}{}}}"#, "}}".repeat(depth))
    };
    let value = |depth: usize| format!(r#"{}{}"#, r#"{"v":"#.repeat(depth - 1) + "{}", "}".repeat(depth - 1));
    let mut refused = 0;
    for depth in [1, 61, 62, 63, 64, 65] {
        for inner in [
            r#"{"type":"string"}"#.to_owned(),
            format!(r#"{{"type":"object","default":{}}}"#, value(64)),
            format!(r#"{{"type":"object","x-note":{}}}"#, value(64)),
            format!(r#"{{"type":"object","default":{}}}"#, value(65)),
        ] {
            let bench = Bench::with(r#"{"size": {"type": "string"}}"#);
            match bench.register(&nested(depth, &inner), false) {
                Ok(_) => {}
                Err(RegistryError::Manifest(read)) => {
                    refused += 1;
                    assert!(read.findings.iter().any(|it| !it.pointer.is_empty()));
                }
                Err(other) => panic!("{depth}: {other}"),
            }
            let found = bench.registry.known_type(TYPE).unwrap();
            assert_eq!(found.resource_type().unwrap().versions.len(), 1, "{depth}");
            bench.registry.kind(TYPE, None).unwrap();
            bench.put(r#"{"environment": "e"}"#).unwrap();
        }
    }
    // 64 levels of schemas, and 64 of a value in them.
    assert_eq!(refused, 4 + 4 + 4 + 1 + 1 + 1, "64, 65 and the deep value");
}

#[test]
fn a_record_that_cannot_be_read_breaks_no_list_and_can_be_deleted() {
    let bench = Bench::with(r#"{"size": {"type": "string"}}"#);
    bench.put(r#"{"environment": "e"}"#).unwrap();
    let damaged = |from: &str, to: &str| {
        let mut record = bench
            .store
            .resources("", Page::ALL)
            .unwrap()
            .into_iter()
            .find(|it| it.id.ends_with(from))
            .unwrap();
        record.id = record.id.replace(from, to);
        record.body = r#"{"body": {"properties": "#.to_owned();
        let commit = store::Commit {
            id: store::BatchId { run: store::RunId(to.len() as u128 + 7), number: 0 },
            fence: None,
            conditions: Vec::new(),
            writes: vec![store::Write::Resource(record)],
        };
        assert!(matches!(bench.store.commit(&[commit]).pop(), Some(store::CommitOutcome::Committed)));
    };
    damaged("/one", "/other");
    damaged("resourceTypes/things", "resourceTypes/otherThings");
    for type_name in [None, Some(TYPE)] {
        let all = bench.registry.resources(type_name, None).unwrap();
        let found: Vec<(&str, bool, &str)> = all
            .iter()
            .map(|it| (it.text(&["name"]), it.is_damaged, it.text(&["properties", "provisioningState"])))
            .collect();
        assert_eq!(found, [("one", false, "Succeeded"), ("other", true, "Damaged")]);
    }
    assert!(matches!(
        bench.registry.named_resource("default", TYPE, "other"),
        Err(RegistryError::Damaged(_))
    ));
    assert!(bench.registry.delete("default", TYPE, "other").unwrap());
    assert_eq!(bench.registry.resources(None, None).unwrap().len(), 1);
    let types: Vec<(String, bool)> =
        bench.registry.resource_types().unwrap().iter().map(|it| (it.full_name(), it.is_damaged)).collect();
    assert_eq!(types, [("Test.Things/otherThings".to_owned(), true), (TYPE.to_owned(), false)]);
    assert_eq!(bench.registry.providers().unwrap().len(), 1);
    let other = "Test.Things/otherThings";
    assert!(matches!(bench.registry.known_type(other), Err(RegistryError::Damaged(_))));
    assert!(matches!(bench.registry.kind(other, None), Err(RegistryError::Damaged(_))));
    assert!(bench.registry.delete_type(other, false).unwrap());
    assert_eq!(bench.registry.resource_types().unwrap().len(), 1);
}

#[test]
fn members_that_differ_only_in_case_are_refused_wherever_they_are() {
    let bench = Bench::with(
        r#"{"size": {"type": "string"}, "free": {"type": "object"}, "map": {"type": "object", "additionalProperties": {"type": "string"}},
            "secret": {"type": "object", "x-radius-sensitive": true}}"#,
    );
    for (given, at) in [
        (r#""size": "a", "Size": "b""#, "/properties/Size"),
        (r#""Environment": "e""#, "/properties/Environment"),
        (r#""free": {"a": [{"b": 1, "B": 2}]}"#, "/properties/free/a/0/B"),
        (r#""map": {"ä": "1", "Ä": "2"}"#, "/properties/map/Ä"),
    ] {
        let refused = bench.refused(&format!(r#"{{"environment": "e", {given}}}"#));
        assert!(refused[0].starts_with(&format!("{at} DuplicateMember: ")), "{refused:?}");
    }
    let refused = broken(bench.put_as(
        TYPE,
        "one",
        r#"{"tags": {"a": "1", "A": "2"}, "properties": {"environment": "e"}}"#,
    ));
    assert!(refused[0].starts_with("/tags/A DuplicateMember: "), "{refused:?}");
    let refused =
        broken(bench.put_as(TYPE, "one", r#"{"Properties": {}, "properties": {"environment": "e"}}"#));
    assert!(refused[0].starts_with("/properties DuplicateMember: "), "{refused:?}");
    // Names inside of a secret are a part of it.
    let refused = bench.refused(r#"{"environment": "e", "secret": {"hush": 1, "HUSH": 2}}"#);
    assert!(!refused[0].to_lowercase().contains("hush"), "{refused:?}");
    bench
        .put(r#"{"environment": "e", "size": "a", "map": {"a": "1", "b": "2"}, "secret": {"hush": 1}}"#)
        .unwrap();
}

#[test]
fn numbers_are_kept_digit_by_digit_within_the_range_of_doubles() {
    let bench = Bench::with(
        r#"{"free": {"type": "object"}, "count": {"type": "integer"}, "share": {"type": "number"}}"#,
    );
    for number in ["1e400", "-1e400", "1e-400", "1e999999999", "-1e-999999999"] {
        let refused = bench.refused(&format!(r#"{{"environment": "e", "free": {{"n": [{number}]}}}}"#));
        assert!(refused[0].starts_with("/properties/free/n/0 NumberOutOfRange: "), "{refused:?}");
        let refused = bench.refused(&format!(r#"{{"environment": "e", "share": {number}}}"#));
        assert!(refused[0].starts_with("/properties/share NumberOutOfRange: "), "{refused:?}");
    }
    let kept =
        r#"{"a":9007199254740993.5,"b":3.0000000000000000001,"c":123456789012345678901234567890,"d":1e308}"#;
    bench
        .put(&format!(r#"{{"environment": "e", "free": {kept}, "count": 12345678901234567890123}}"#))
        .unwrap();
    assert!(bench.shown().contains(kept), "{}", bench.shown());
    assert!(bench.shown().contains(r#""count":12345678901234567890123"#), "{}", bench.shown());
    for schema in
        [r#""default": 1e400"#, r#""maximum": 1e400"#, r#""example": -1e-400"#, r#""enum": [1e400]"#]
    {
        let refused = bench.register(&format!(r#"{{"n": {{"type": "number", {schema}}}}}"#), true);
        assert!(matches!(refused, Err(RegistryError::Manifest(_))), "{schema}");
    }
}

#[test]
fn a_change_of_a_type_is_made_if_its_resources_keep_it() {
    let bench = Bench::with(
        r#"{"size": {"type": "string", "enum": ["S", "M", "L"]}, "secret": {"type": "string", "x-radius-sensitive": true}}"#,
    );
    bench.put(r#"{"environment": "e", "size": "S", "secret": "tell-nobody"}"#).unwrap();
    let secret = r#""secret": {"type": "string", "x-radius-sensitive": true}"#;
    for fine in [
        r#""size": {"type": "string", "enum": ["S", "M"]}"#,
        r#""size": {"type": "string", "description": "how large"}, "more": {"type": "string", "default": "x"}"#,
        r#""size": {"type": "string"}, "host": {"type": "string", "readOnly": true}"#,
    ] {
        assert_eq!(bench.register(&format!("{{{fine}, {secret}}}"), false).unwrap(), [""; 0], "{fine}");
    }
    let broken = |properties: &str| match bench.register(properties, false) {
        Err(RegistryError::Breaks { broken, .. }) => {
            assert_eq!(broken.len(), 1);
            assert!(broken[0].id.ends_with("/Test.Things/things/one"));
            broken[0].problems().collect::<Vec<String>>()
        }
        other => panic!("{properties}: {other:?}"),
    };
    let problems = broken(&format!(r#"{{"size": {{"type": "string", "enum": ["M", "L"]}}, {secret}}}"#));
    assert!(problems[0].starts_with("$.properties.size: "), "{problems:?}");
    let problems = broken(
        r#"{"size": {"type": "string"}, "secret": {"type": "string", "minLength": 30, "x-radius-sensitive": true}}"#,
    );
    assert!(
        problems[0].starts_with("$.properties.secret: ") && !problems[0].contains("tell-nobody"),
        "{problems:?}"
    );
    let problems = broken(r#"{"size": {"type": "string"}, "secret": {"type": "string"}}"#);
    assert_eq!(problems, ["`/properties/secret` is a secret of it, and would no longer be one"]);
    assert!(bench.shown().contains(r#""size":"S""#));
    let left = bench.register(&format!(r#"{{"size": {{"type": "integer"}}, {secret}}}"#), true).unwrap();
    assert_eq!(left.len(), 1, "{left:?}");
}

#[test]
fn what_becomes_a_secret_is_sealed() {
    let bench = Bench::with(r#"{"size": {"type": "string"}, "pin": {"type": "string", "writeOnly": true}}"#);
    bench.put(r#"{"environment": "e", "size": "tell-nobody", "pin": "tell-no-one"}"#).unwrap();
    let secret = r#"{"type": "string", "x-radius-sensitive": true}"#;
    bench.register(&format!(r#"{{"size": {secret}, "pin": {secret}}}"#), false).unwrap();
    assert!(bench.shown().contains(r#""size":null"#), "{}", bench.shown());
    for record in bench.store.resources("", Page::ALL).unwrap() {
        assert!(!record.body.contains("tell-no"), "{}", record.body);
    }
    // The values are still there: a rule that they break keeps the type from changing.
    for name in ["size", "pin"] {
        let other = if name == "size" { "pin" } else { "size" };
        let short = r#"{"type": "string", "maxLength": 3, "x-radius-sensitive": true}"#;
        let changed = bench.register(&format!(r#"{{"{name}": {short}, "{other}": {secret}}}"#), false);
        assert!(matches!(changed, Err(RegistryError::Breaks { .. })), "{changed:?}");
    }
}

#[test]
fn a_version_with_resources_is_not_deleted() {
    let bench = Bench::with(r#"{"size": {"type": "string"}}"#);
    let schema = Document::from_json("{}", FileId::FIRST, &radius::LIMITS).unwrap();
    bench.registry.put_version(TYPE, "2025-06-01", schema.root(), false).unwrap();
    let body = r#"{"apiVersion": "2025-01-01", "properties": {"environment": "e", "size": "S"}}"#;
    bench.put_as(TYPE, "one", body).unwrap();
    assert!(matches!(
        bench.registry.put_version(TYPE, "2025-01-01", schema.root(), false),
        Err(RegistryError::Breaks { .. })
    ));
    assert!(matches!(
        bench.registry.delete_version(TYPE, "2025-01-01", false),
        Err(RegistryError::Breaks { .. })
    ));
    assert_eq!(bench.registry.delete_version(TYPE, "2025-06-01", false).unwrap(), Some(Vec::new()));
    let (_, _, broken) = bench.registry.put_version(TYPE, "2025-01-01", schema.root(), true).unwrap();
    assert_eq!(broken.len(), 1);
    let left = bench.registry.delete_version(TYPE, "2025-01-01", true).unwrap().unwrap();
    assert_eq!(left[0].why, ["its version `2025-01-01` would be gone"]);
    assert_eq!(bench.registry.delete_version(TYPE, "2025-01-01", true).unwrap(), None);
}

#[test]
fn read_only_secrets_of_the_server_stay_when_a_resource_is_put_again() {
    let bench = Bench::with(
        r#"{"size": {"type": "string"}, "key": {"type": "string", "readOnly": true, "minLength": 5, "x-radius-sensitive": true}}"#,
    );
    // The type had another mark when the resource was made, as a provider would have made it.
    let open =
        Bench::with(r#"{"size": {"type": "string"}, "key": {"type": "string", "x-radius-sensitive": true}}"#);
    open.put(r#"{"environment": "e", "key": "tell-nobody"}"#).unwrap();
    open.register(r#"{"size": {"type": "string"}, "key": {"type": "string", "readOnly": true, "minLength": 5, "x-radius-sensitive": true}}"#, false).unwrap();
    for body in [r#"{"environment": "e", "size": "S"}"#, r#"{"environment": "e", "key": null}"#] {
        open.put(body).unwrap();
        assert!(open.shown().contains(r#""key":null"#), "{}", open.shown());
    }
    let changed = open.register(r#"{"size": {"type": "string"}, "key": {"type": "string", "readOnly": true, "maxLength": 5, "x-radius-sensitive": true}}"#, false);
    assert!(matches!(changed, Err(RegistryError::Breaks { .. })), "the secret is still there");
    let refused = bench.refused(r#"{"environment": "e", "key": "mine!"}"#);
    assert!(refused[0].starts_with("/properties/key "), "{refused:?}");
}

#[test]
fn built_in_types_have_contracts_and_are_not_replaced() {
    let bench = Bench::with("{}");
    let put = |kind: &str, properties: &str| {
        bench.put_as(kind, "one", &format!(r#"{{"properties": {properties}}}"#))
    };
    let pack = "Radius.Core/recipePacks";
    let good = r#"{"recipes": {"Test.Things/things": {"kind": "bicep", "source": "example.invalid/a:1", "outputs": {"host": "h", "secrets": {"key": "k"}}}}}"#;
    for (kind, properties, at) in [
        ("Applications.Core/environments", "{}", "/properties required: must have the property `compute`"),
        (
            "Applications.Core/environments",
            r#"{"compute": {"kind": "vm"}}"#,
            "/properties/compute discriminator: ",
        ),
        (
            "Applications.Core/environments",
            r#"{"compute": {"kind": "kubernetes"}}"#,
            "/properties/compute required: must have the property `namespace`",
        ),
        (
            "Applications.Core/environments",
            r#"{"compute": {"kind": "kubernetes", "namespace": "n"}, "foo": 1}"#,
            "/properties/foo additionalProperties",
        ),
        (
            "Applications.Core/environments",
            r#"{"compute": {"kind": "kubernetes", "namespace": "n"}, "recipes": {"A.B/c": {"default": {"templateKind": "pulumi", "templatePath": "p"}}}}"#,
            "/properties/recipes/A.B~1c/default discriminator: ",
        ),
        (
            "Applications.Core/environments",
            r#"{"compute": {"kind": "kubernetes", "namespace": "n"}, "recipes": {"things": {}}}"#,
            "/properties/recipes",
        ),
        (
            "Applications.Core/applications",
            "{}",
            "/properties required: must have the property `environment`",
        ),
        ("Applications.Core/applications", r#"{"environment": "e", "status": {}}"#, "/properties/status "),
        (
            "Radius.Core/environments",
            r#"{"providers": {"azure": {}}}"#,
            "/properties/providers/azure required: must have the property `subscriptionId`",
        ),
        ("Radius.Core/environments", r#"{"recipePacks": ["none"]}"#, "/properties/recipePacks/0 reference"),
        (
            "Radius.Core/environments",
            r#"{"recipePacks": ["/planes/radius/local/resourceGroups/default/providers/Radius.Core/environments/one"]}"#,
            "/properties/recipePacks/0 reference",
        ),
        (
            "Radius.Core/applications",
            r#"{"environment": "/planes/radius/local/resourceGroups/default/providers/Radius.Core/environments/none"}"#,
            "/properties/environment reference",
        ),
        (
            pack,
            r#"{"recipes": {"A.B/c": {"kind": "pulumi", "source": "s"}}}"#,
            "/properties/recipes/A.B~1c/kind ",
        ),
        (
            pack,
            r#"{"recipes": {"A.B/c": {"kind": "bicep", "source": "s", "outputs": {"host": 5}}}}"#,
            "/properties/recipes/A.B~1c/outputs/host ",
        ),
    ] {
        let problems = broken(put(kind, properties));
        assert!(problems.iter().any(|it| it.starts_with(at)), "{kind} {properties}: {problems:?}");
    }
    assert_eq!(bench.registry.resources(None, None).unwrap(), []);
    put(pack, good).unwrap();
    let made = put(
        "Radius.Core/environments",
        r#"{"recipePacks": ["one"], "providers": {"kubernetes": {"namespace": "n"}}}"#,
    )
    .unwrap();
    let id = "/planes/radius/local/resourceGroups/default/providers/Radius.Core/recipePacks/one";
    assert!(made.body.to_string().contains(&format!(r#""recipePacks":["{id}"]"#)), "{}", made.body);
    put("Radius.Core/applications", r#"{"environment": "/planes/radius/local/resourceGroups/default/providers/Radius.Core/environments/one"}"#).unwrap();
    put("Applications.Core/environments", r#"{"compute": {"kind": "kubernetes", "namespace": "n"}, "recipes": {"A.B/c": {"default": {"templateKind": "bicep", "templatePath": "p", "plainHttp": true}}}}"#).unwrap();
    for manifest in [
        r#"{"namespace": "Radius.Core", "types": {"environments": {"apiVersions": {"2025-08-01-preview": {"schema": {}}}}}}"#,
        r#"{"namespace": "Applications.Core", "types": {"applications": {"apiVersions": {"2026-01-01": {"schema": {}}}}}}"#,
    ] {
        let document = Document::from_json(manifest, FileId::FIRST, &radius::LIMITS).unwrap();
        let refused = bench.registry.register(&document, None, ManifestDialect::Tendon, true);
        assert!(matches!(refused, Err(RegistryError::Manifest(_))), "{manifest}");
    }
}
