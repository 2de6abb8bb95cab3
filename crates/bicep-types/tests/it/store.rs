//! Lookups, which give the same answers whether the types come from JSON or from a pack.

use std::sync::Arc;

use bicep_types::{
    Error, FileId, Location, Pack, PackBuilder, PackFile, PropertyFlags, Scopes, StringLiteralType, Type,
    TypeId, TypeStore, pack, read_types,
};

use crate::orchard::{FILES, orchard, orchard_index};

fn json_store() -> TypeStore {
    TypeStore::from_index(&orchard_index(), orchard)
}

fn pack_store() -> TypeStore {
    let index = orchard_index();
    TypeStore::from_pack(Arc::new(pack(&index.paths(), &orchard, Some(&index)).unwrap())).unwrap()
}

/// A pack that is read piece by piece, as from a file.
pub(crate) struct Pieces(pub(crate) Vec<u8>);

impl PackFile for Pieces {
    fn size(&self) -> u64 {
        self.0.len() as u64
    }

    fn read_at(&self, offset: u64, into: &mut [u8]) -> bool {
        let start = offset as usize;
        let bytes = start.checked_add(into.len()).and_then(|end| self.0.get(start..end));
        bytes.is_some_and(|bytes| {
            into.copy_from_slice(bytes);
            true
        })
    }
}

fn pieces_store() -> TypeStore {
    let index = orchard_index();
    let bytes = pack(&index.paths(), &orchard, Some(&index)).unwrap();
    TypeStore::from_pack_file(Box::new(Pieces(bytes))).unwrap()
}

#[track_caller]
fn for_all(check: impl Fn(&TypeStore)) {
    check(&json_store());
    check(&pack_store());
    check(&pieces_store());
}

#[test]
fn a_large_pack_in_pieces_is_the_same_pack() {
    // Texts that end beyond their page, texts longer than a page, and more of them than one window holds.
    let types: Vec<Type> = (0..4_000)
        .map(|number: usize| {
            let length = if number.is_multiple_of(500) { 40_000 } else { number * 7 % 2_500 };
            let value = format!("{number}{}", "x".repeat(length)).into();
            Type::StringLiteral(StringLiteralType { value, sensitive: false })
        })
        .collect();
    let mut builder = PackBuilder::new();
    builder.add_file("types.json", types.clone()).unwrap();
    let bytes = builder.finish(None).unwrap();
    Pack::open_file(Box::new(Pieces(bytes.clone()))).unwrap().verify().unwrap();
    let store = TypeStore::from_pack_file(Box::new(Pieces(bytes))).unwrap();
    let file = store.file(FileId(0)).unwrap();
    for (id, expected) in (0..).map(TypeId).zip(&types) {
        assert_eq!(file.get(id).unwrap(), expected);
    }
}

#[test]
fn a_resource_type_is_found_in_any_case_and_comes_back_in_its_own_spelling() {
    for_all(|store| {
        let found = store.resource_type("ORCHARD.fruit/trees/BRANCHES", Some("2025-01-01")).unwrap().unwrap();
        assert_eq!((found.name, found.api_version), ("orchard.fruit/Trees/branches", Some("2025-01-01")));
        let file = store.file(found.location.file).unwrap();
        let resource = file.resource_type(found.location.id).unwrap();
        assert_eq!(resource.readable_scopes, Scopes::EXTENSION);
        assert_eq!(resource.name_and_version(), ("orchard.fruit/Trees/branches", Some("2025-01-01")));
    });
}

#[test]
fn a_resource_type_without_a_version_is_found_without_one() {
    for_all(|store| {
        assert!(store.resource_type("gate", None).unwrap().is_some());
        assert!(store.resource_type("gate", Some("v1")).unwrap().is_none());
        assert!(store.resource_type("orchard.fruit/trees", None).unwrap().is_none());
    });
}

#[test]
fn versions_and_names_come_in_order() {
    for_all(|store| {
        let versions = store.versions("orchard.fruit/TREES").unwrap();
        let versions: Vec<_> = versions.iter().filter_map(|version| version.api_version).collect();
        assert_eq!(versions, ["2024-05-01", "2025-01-01"]);
        let names: Vec<_> = store.names("").collect();
        assert_eq!(names, ["Gate", "Orchard.Fruit/trees", "orchard.fruit/Trees/branches"]);
        assert_eq!(store.names("orchard.fruit/trees/").count(), 1);
        assert_eq!(store.similar_names("Orchard.Fruit/treees", 1), ["Orchard.Fruit/trees"]);
    });
}

#[test]
fn a_body_is_walked_through_its_references() {
    for_all(|store| {
        let found = store.resource_type("Orchard.Fruit/trees", Some("2025-01-01")).unwrap().unwrap();
        let file = store.file(found.location.file).unwrap();
        let body = file.resource_type(found.location.id).unwrap().body;
        let Type::Object(object) = file.get(body).unwrap() else { panic!("the body is not an object") };
        let names: Vec<_> = object.properties.iter().map(|property| property.name.as_str()).collect();
        assert_eq!(names, ["name", "type", "apiVersion", "kind", "neighbours", "crop"]);
        let kind = object.property("kind").unwrap();
        assert_eq!(kind.flags, PropertyFlags::REQUIRED);
        let Type::Union(union) = file.get(kind.ty).unwrap() else { panic!("the kind is not a union") };
        assert_eq!(union.elements.as_ref(), [TypeId(4), TypeId(5), TypeId(0)]);
    });
}

#[test]
fn descriptions_are_there_when_asked_for() {
    for_all(|store| {
        let found = store.resource_type("Orchard.Fruit/trees", Some("2025-01-01")).unwrap().unwrap();
        let file = store.file(found.location.file).unwrap();
        let Type::Object(object) = file.documented(TypeId(3)).unwrap() else {
            panic!("the body is not an object")
        };
        let text = |name: &str| object.property(name).unwrap().description.as_deref();
        assert_eq!(text("crop"), Some("What it bears"));
        assert_eq!(text("kind"), None);
    });
}

#[test]
fn functions_are_found_by_type_and_version() {
    for_all(|store| {
        let functions = store.resource_functions("Orchard.Fruit/Trees", "2025-01-01").unwrap();
        let names: Vec<_> = functions
            .iter()
            .map(|at| store.file(at.file).unwrap().resource_function(at.id).unwrap().name.to_string())
            .collect();
        assert_eq!(names, ["listFruit", "listSeeds"]);
        assert_eq!(store.resource_functions("Orchard.Fruit/Trees", "2024-05-01").unwrap(), []);
    });
}

#[test]
fn the_namespace_has_settings_a_fallback_and_functions() {
    let expected = json_store().namespace().unwrap();
    assert_eq!(pack_store().namespace().unwrap(), expected);
    for_all(|store| {
        let namespace = store.namespace().unwrap();
        assert_eq!(namespace.settings.unwrap().name, "Orchard");
        let fallback = namespace.fallback_resource_type.unwrap();
        let file = store.file(fallback.file).unwrap();
        assert_eq!(file.resource_type(fallback.id).unwrap().name, "fallback");
        let function = namespace.functions[0];
        assert_eq!(file.namespace_function(function.id).unwrap().name, "season");
        let Type::Object(config) = file.get(namespace.configuration_type.unwrap().id).unwrap() else {
            panic!("the configuration is not an object")
        };
        assert_eq!(config.name, "config");
    });
}

#[test]
fn every_type_is_the_same_in_both() {
    let packed = pack_store();
    for id in packed.file_ids() {
        let file = packed.file(id).unwrap();
        let expected = read_types(file.path(), &orchard(file.path()).unwrap()).unwrap();
        let found: Vec<Type> = file.ids().map(|id| file.documented(id).unwrap()).collect();
        assert_eq!(found, expected, "{}", file.path());
    }
    assert_eq!(packed.file_ids().count(), FILES.len() - 1);
}

#[test]
fn a_pack_without_an_index_finds_what_the_files_offer() {
    let paths: Vec<_> = FILES.iter().skip(1).map(|(path, _)| (*path).into()).collect();
    let store = TypeStore::from_pack(Arc::new(pack(&paths, &orchard, None).unwrap())).unwrap();
    assert_eq!(store.names("").count(), 4, "the fallback type is a resource type like any other");
    assert_eq!(store.resource_functions("orchard.fruit/trees", "2025-01-01").unwrap().len(), 2);
    assert_eq!(store.namespace().unwrap().functions.len(), 1);
}

#[test]
fn the_same_types_make_the_same_pack() {
    let index = orchard_index();
    let mut paths = index.paths();
    let one = pack(&paths, &orchard, Some(&index)).unwrap();
    paths.reverse();
    assert_eq!(pack(&paths, &orchard, Some(&index)).unwrap(), one);
}

#[test]
fn a_pack_without_descriptions_has_all_else() {
    let index = orchard_index();
    let whole = pack(&index.paths(), &orchard, Some(&index)).unwrap();
    let plain =
        PackBuilder::new().without_descriptions().pack(&index.paths(), &orchard, Some(&index)).unwrap();
    assert!(plain.len() < whole.len());
    let tree = |bytes: Vec<u8>| {
        let store = TypeStore::from_pack(Arc::new(bytes)).unwrap();
        let found = store.resource_type("Orchard.Fruit/trees", Some("2025-01-01")).unwrap().unwrap();
        let file = store.file(found.location.file).unwrap();
        let body = file.documented(file.resource_type(found.location.id).unwrap().body).unwrap();
        let Type::Object(body) = body else { panic!("a tree is an object") };
        body.properties.iter().map(|it| (it.name.clone(), it.description.clone())).collect::<Vec<_>>()
    };
    let (whole, plain) = (tree(whole), tree(plain));
    assert!(whole.iter().any(|(_, description)| description.is_some()));
    assert!(plain.iter().all(|(_, description)| description.is_none()));
    assert!(whole.iter().map(|(name, _)| name).eq(plain.iter().map(|(name, _)| name)));
}

#[test]
fn a_file_is_read_once_and_shared() {
    for_all(|store| {
        let one = store.file(FileId(0)).unwrap();
        std::thread::scope(|scope| {
            scope.spawn(|| assert!(Arc::ptr_eq(&one, &store.file(FileId(0)).unwrap())));
        });
    });
}

#[test]
fn wrong_places_are_errors() {
    for_all(|store| {
        assert!(store.file(FileId(99)).is_err());
        let file = store.file(FileId(2)).unwrap();
        assert_eq!(
            file.get(TypeId(1000)).unwrap_err(),
            Error::NoSuchType { file: "types.json".to_owned(), id: TypeId(1000), count: file.len() }
        );
        assert_eq!(
            file.resource_type(TypeId(0)).unwrap_err().to_string(),
            "`types.json#/0` is of kind `StringType`, expected `ResourceType`"
        );
    });
}

#[test]
fn an_index_that_names_a_missing_file_cannot_be_packed() {
    let index = orchard_index();
    let missing = pack(&index.paths()[..1], &orchard, Some(&index)).unwrap_err();
    assert_eq!(missing, Error::MissingFile { file: "trees/2025-01-01/types.json".to_owned() });
}

#[test]
fn a_location_is_small_enough_to_pass_around() {
    assert_eq!(size_of::<Location>(), 8);
}
