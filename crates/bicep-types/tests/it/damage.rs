//! A damaged pack gives errors, never a panic; and any types survive packing.

use std::sync::Arc;

use bicep_types::{
    ArrayType, BuiltInKind, DiscriminatedObjectType, Element, FileKind, FunctionType, IntegerType,
    NamespaceFunctionType, NamespaceParameter, ObjectType, Pack, PackBuilder, PackError, Parameter,
    ParameterFlags, PropertyFlags, ResourceFunctionType, ResourceType, ResourceTypeFunction, Scopes,
    StringLiteralType, StringType, Type, TypeId, TypeProperty, TypeStore, UnionType, pack,
};
use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;

use crate::orchard::{orchard, orchard_index};
use crate::store::Pieces;

fn small_pack() -> Vec<u8> {
    let index = orchard_index();
    pack(&index.paths(), &orchard, Some(&index)).unwrap()
}

/// Asks a store for everything it has, and does not mind errors.
fn ask_everything(store: &TypeStore) {
    let names: Vec<String> = store.names("").map(str::to_owned).collect();
    for name in names.iter().map(String::as_str).chain(["orchard.fruit/trees", "gate"]) {
        let _ = store.resource_type(name, Some("2025-01-01"));
        let _ = store.versions(name);
        let _ = store.resource_functions(name, "2025-01-01");
    }
    let _ = store.similar_names("orchard.fruit/treees", 3);
    let _ = store.namespace();
    // A damaged table can claim any number of files or types.
    for id in store.file_ids().take(100) {
        if let Ok(file) = store.file(id) {
            for id in file.ids().take(1000) {
                let _ = file.get(id);
                let _ = file.documented(id);
            }
        }
    }
}

#[test]
fn a_whole_pack_passes_its_checks() {
    Pack::open(Arc::new(small_pack())).unwrap().verify().unwrap();
}

#[test]
fn no_flipped_bit_goes_unnoticed_or_does_harm() {
    let good = small_pack();
    for position in 0..good.len() {
        // One bit after the other; the bit that says that a number goes on; and all bits at once.
        for flipped in [1 << (position % 8), 0x80, 0xff] {
            let mut bytes = good.clone();
            bytes[position] ^= flipped;
            let bytes = Arc::new(bytes);
            if let Ok(store) = TypeStore::from_pack(bytes.clone()) {
                assert!(Pack::open(bytes).unwrap().verify().is_err(), "byte {position}, bits {flipped:#x}");
                ask_everything(&store);
            }
        }
    }
}

#[test]
fn no_flipped_bit_does_harm_in_a_pack_that_is_read_in_pieces() {
    let good = small_pack();
    for position in 0..good.len() {
        let mut bytes = good.clone();
        bytes[position] ^= 0xff;
        if let Ok(store) = TypeStore::from_pack_file(Box::new(Pieces(bytes))) {
            ask_everything(&store);
        }
    }
    for length in 0..good.len() {
        assert!(Pack::open_file(Box::new(Pieces(good[..length].to_vec()))).is_err(), "{length} bytes");
    }
}

#[test]
fn no_header_byte_can_be_wrong() {
    let good = small_pack();
    let header = 16 + 11 * 12 + 4;
    for position in 0..header {
        let mut bytes = good.clone();
        bytes[position] = bytes[position].wrapping_add(1);
        assert!(Pack::open(Arc::new(bytes)).is_err(), "byte {position}");
    }
}

#[test]
fn a_pack_cut_short_or_grown_is_refused() {
    let good = small_pack();
    for length in 0..good.len() {
        assert!(Pack::open(Arc::new(good[..length].to_vec())).is_err(), "{length} bytes");
    }
    let longer: Vec<u8> = good.iter().copied().chain([0]).collect();
    assert_eq!(
        Pack::open(Arc::new(longer)).unwrap_err(),
        PackError::Length { expected: good.len(), found: good.len() + 1 }
    );
}

#[test]
fn other_bytes_and_other_versions_are_told_apart() {
    assert_eq!(Pack::open(Arc::new(*b"{\"resources\": {}}")).unwrap_err(), PackError::NotAPack);
    let mut newer = small_pack();
    newer[8] = 2;
    let error = Pack::open(Arc::new(newer)).unwrap_err();
    assert_eq!(error, PackError::Version { found: 2, expected: 1 });
    assert_eq!(error.to_string(), "the packed type data has version 2, expected 1; pack the types again");
}

const COUNT: u32 = 120;

fn id() -> impl Strategy<Value = TypeId> {
    (0..COUNT).prop_map(TypeId)
}

fn text() -> impl Strategy<Value = smol_str::SmolStr> {
    "[a-zé@/]{0,30}".prop_map(Into::into)
}

fn description() -> impl Strategy<Value = Option<Box<str>>> {
    option::of("[a-c ]{0,6}".prop_map(Into::into))
}

fn property() -> impl Strategy<Value = TypeProperty> {
    (text(), id(), any::<u32>(), description()).prop_map(|(name, ty, flags, description)| TypeProperty {
        name,
        ty,
        flags: PropertyFlags(flags),
        description,
    })
}

fn properties() -> impl Strategy<Value = Box<[TypeProperty]>> {
    vec(property(), 0..6).prop_map(Into::into)
}

fn simple_type() -> impl Strategy<Value = Type> {
    let bounds = || (option::of(any::<i64>()), option::of(any::<i64>()));
    prop_oneof![
        Just(Type::Any),
        Just(Type::Null),
        Just(Type::Boolean),
        bounds().prop_map(|(min_value, max_value)| Type::Integer(IntegerType { min_value, max_value })),
        (any::<bool>(), bounds(), option::of(text())).prop_map(
            |(sensitive, (min_length, max_length), pattern)| Type::String(StringType {
                sensitive,
                min_length,
                max_length,
                pattern
            })
        ),
        (text(), any::<bool>())
            .prop_map(|(value, sensitive)| Type::StringLiteral(StringLiteralType { value, sensitive })),
        (1u64..9).prop_map(|number| Type::BuiltIn(BuiltInKind::from_number(number).unwrap())),
        (id(), bounds()).prop_map(|(item, (min_length, max_length))| Type::Array(ArrayType {
            item,
            min_length,
            max_length
        })),
        vec(id(), 0..8).prop_map(|elements| Type::Union(UnionType { elements: elements.into() })),
        (0..COUNT - 9, 1u32..8, option::of(id())).prop_map(|(first, run, last)| {
            let elements = (first..first + run).map(TypeId).chain(last).collect();
            Type::Union(UnionType { elements })
        }),
    ]
}

fn compound_type() -> impl Strategy<Value = Type> {
    let element = (text(), id()).prop_map(|(value, ty)| Element { value, ty });
    let function = (text(), id(), description()).prop_map(|(name, ty, description)| ResourceTypeFunction {
        name,
        ty,
        description,
    });
    let parameter =
        (text(), id(), description()).prop_map(|(name, ty, description)| Parameter { name, ty, description });
    let namespace_parameter =
        (text(), id(), description(), any::<u32>()).prop_map(|(name, ty, description, flags)| {
            NamespaceParameter { name, ty, description, flags: ParameterFlags(flags) }
        });
    prop_oneof![
        (text(), properties(), option::of(id()), any::<bool>()).prop_map(
            |(name, properties, additional_properties, sensitive)| Type::Object(ObjectType {
                name,
                properties,
                additional_properties,
                sensitive
            })
        ),
        (text(), text(), properties(), vec(element, 0..4)).prop_map(
            |(name, discriminator, base_properties, elements)| {
                Type::DiscriminatedObject(DiscriminatedObjectType {
                    name,
                    discriminator,
                    base_properties,
                    elements: elements.into(),
                })
            }
        ),
        (text(), id(), any::<u32>(), any::<u32>(), option::of(vec(function, 0..3))).prop_map(
            |(name, body, readable, writable, functions)| Type::Resource(ResourceType {
                name,
                body,
                readable_scopes: Scopes(readable),
                writable_scopes: Scopes(writable),
                functions: functions.map(Into::into),
            })
        ),
        (text(), text(), text(), id(), option::of(id())).prop_map(
            |(name, resource_type, api_version, output, input)| Type::ResourceFunction(
                ResourceFunctionType { name, resource_type, api_version, output, input }
            )
        ),
        (vec(parameter, 0..3), id()).prop_map(|(parameters, output)| Type::Function(FunctionType {
            parameters: parameters.into(),
            output
        })),
        (
            text(),
            description(),
            option::of(text()),
            vec(namespace_parameter, 0..3),
            id(),
            option::of(prop_oneof![Just(FileKind::Bicep), Just(FileKind::Params)]),
        )
            .prop_map(
                |(name, description, evaluated_language_expression, parameters, output, visible_in)| {
                    Type::NamespaceFunction(NamespaceFunctionType {
                        name,
                        description,
                        evaluated_language_expression,
                        parameters: parameters.into(),
                        output,
                        visible_in,
                    })
                }
            ),
    ]
}

/// A file of which every reference is inside, with a resource type that makes it worth indexing.
fn file() -> impl Strategy<Value = Vec<Type>> {
    let count = usize::try_from(COUNT).unwrap();
    vec(prop_oneof![2 => simple_type(), 1 => compound_type()], count..=count).prop_map(|mut types| {
        types[0] = Type::Resource(ResourceType {
            name: "a/b@v1".into(),
            body: TypeId(1),
            readable_scopes: Scopes::ALL,
            writable_scopes: Scopes::ALL,
            functions: None,
        });
        types
    })
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(24) })]

    #[test]
    fn any_types_survive_packing(one in file(), mut two in file()) {
        two[0] = match two[0].clone() {
            Type::Resource(resource) => Type::Resource(ResourceType { name: "a/c".into(), ..resource }),
            other => other,
        };
        let mut builder = PackBuilder::new();
        builder.add_file("one.json", one.clone()).unwrap();
        builder.add_file("two.json", two.clone()).unwrap();
        let store = TypeStore::from_pack(Arc::new(builder.finish(None).unwrap())).unwrap();
        for (id, expected) in store.file_ids().zip([one, two]) {
            let file = store.file(id).unwrap();
            let found: Vec<Type> = file.ids().map(|id| file.documented(id).unwrap()).collect();
            prop_assert_eq!(found, expected);
        }
    }

    #[test]
    fn any_bytes_over_any_part_do_no_harm(at in 0usize..4096, noise in vec(any::<u8>(), 1..64)) {
        let mut bytes = small_pack();
        let start = at % bytes.len();
        bytes.iter_mut().skip(start).zip(noise).for_each(|(byte, noise)| *byte = noise);
        if let Ok(store) = TypeStore::from_pack(Arc::new(bytes)) {
            ask_everything(&store);
        }
    }
}
