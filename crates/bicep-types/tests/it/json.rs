//! Reading and writing `index.json` and `types.json`.

use bicep_types::{
    ExtensionManifest, FileRef, JsonStyle, PropertyFlags, Scopes, Type, TypeId, TypeIndex, TypeProperty,
    read_index, read_types, write_index, write_types,
};

use crate::orchard::{FILES, orchard_index};

#[track_caller]
fn read(json: &str) -> Vec<Type> {
    read_types("types.json", json.as_bytes()).unwrap()
}

#[track_caller]
fn fault(json: &str) -> String {
    read_types("a/types.json", json.as_bytes()).unwrap_err().to_string()
}

#[test]
fn every_file_is_written_back_byte_for_byte() {
    for (path, text) in FILES {
        let written = if path == "index.json" {
            write_index(&read_index(path, text.as_bytes()).unwrap(), JsonStyle::Declared)
        } else {
            write_types(&read(text), JsonStyle::Declared)
        };
        assert_eq!(written, text, "{path}");
    }
}

#[test]
fn what_the_sorted_style_writes_reads_back_the_same_up_to_order() {
    for (path, text) in FILES.iter().filter(|(path, _)| *path != "index.json") {
        let sorted = write_types(&read(text), JsonStyle::Sorted);
        assert_eq!(write_types(&read(&sorted), JsonStyle::Sorted), sorted, "{path}");
        let count = |json: &str| json.matches("$ref").count();
        assert_eq!(count(&sorted), count(text), "{path}");
    }
}

#[test]
fn the_sorted_style_orders_members_and_escapes_markup() {
    let types = read(
        r##"[
          {"$type": "StringType", "sensitive": true, "maxLength": 3},
          {"$type": "ObjectType", "name": "o", "properties": {
            "b": {"type": {"$ref": "#/0"}, "flags": 17, "description": "a < b && c > d"},
            "a": {"type": {"$ref": "#/0"}, "flags": 0, "description": ""}
          }}
        ]"##,
    );
    let expected = r##"[
  {
    "$type": "StringType",
    "maxLength": 3,
    "sensitive": true
  },
  {
    "$type": "ObjectType",
    "name": "o",
    "properties": {
      "a": {
        "flags": 0,
        "type": {
          "$ref": "#/0"
        }
      },
      "b": {
        "description": "a \u003c b \u0026\u0026 c \u003e d",
        "flags": 17,
        "type": {
          "$ref": "#/0"
        }
      }
    }
  }
]"##;
    assert_eq!(write_types(&types, JsonStyle::Sorted), expected);
}

#[test]
fn the_sorted_style_leaves_out_what_is_empty_or_false_in_an_index() {
    let index = TypeIndex {
        resources: vec![
            ("b@v1".into(), FileRef::new("types.json", TypeId(2))),
            ("a@v1".into(), FileRef::new("types.json", TypeId(1))),
        ],
        settings: Some(ExtensionManifest {
            name: "garden".into(),
            version: "0.0.1".into(),
            is_deprecated: Some(false),
            ..ExtensionManifest::default()
        }),
        ..TypeIndex::default()
    };
    let expected = r##"{
  "resources": {
    "a@v1": {
      "$ref": "types.json#/1"
    },
    "b@v1": {
      "$ref": "types.json#/2"
    }
  },
  "resourceFunctions": {},
  "settings": {
    "name": "garden",
    "version": "0.0.1"
  }
}"##;
    assert_eq!(write_index(&index, JsonStyle::Sorted), expected);
}

#[test]
fn control_characters_are_escaped() {
    let text = "\u{1}\u{8}\t\n\u{c}\r\"\\/\u{7f}é\u{2028}";
    let types =
        vec![Type::StringLiteral(bicep_types::StringLiteralType { value: text.into(), sensitive: false })];
    let written = write_types(&types, JsonStyle::Declared);
    assert!(written.contains("\"\\u0001\\b\\t\\n\\f\\r\\\"\\\\/\u{7f}é\u{2028}\""), "{written}");
    assert!(write_types(&types, JsonStyle::Sorted).contains("é\\u2028"));
    assert_eq!(read(&written), types);
}

#[test]
fn the_kind_may_come_last_and_unknown_members_are_passed_over() {
    let types = read(r#"[{"value": "x", "later": [{"deep": {}}], "$type": "StringLiteralType"}]"#);
    assert_eq!(types.first().map(Type::kind), Some("StringLiteralType"));
}

#[test]
fn a_property_given_twice_keeps_its_first_place_and_last_value() {
    let many: String = (0..40).map(|n| format!(r##""p{n}": {{"type": {{"$ref": "#/0"}}}},"##)).collect();
    let json = format!(
        r##"[{{"$type": "ObjectType", "properties": {{{many}
            "p1": {{"type": {{"$ref": "#/0"}}, "flags": 2}}, "p30": {{"type": {{"$ref": "#/0"}}, "flags": 4}}}}}}]"##
    );
    let types = read(&json);
    let Some(Type::Object(object)) = types.first() else { panic!("not an object") };
    assert_eq!(object.properties.len(), 40);
    let flags = |name: &str| object.property(name).map(|property: &TypeProperty| property.flags);
    assert_eq!(flags("p1"), Some(PropertyFlags::READ_ONLY));
    assert_eq!(flags("p30"), Some(PropertyFlags::WRITE_ONLY));
    assert_eq!(object.properties[30].name, "p30");
}

#[test]
fn types_may_refer_to_each_other_in_cycles() {
    let types = read(
        r##"[{"$type": "ArrayType", "itemType": {"$ref": "#/1"}},
                          {"$type": "UnionType", "elements": [{"$ref": "#/0"}, {"$ref": "#/1"}]}]"##,
    );
    assert_eq!(types.len(), 2);
}

#[test]
fn older_scope_fields_become_readable_and_writable_scopes() {
    // (fields, readable, writable)
    let cases = [
        (r#""readableScopes": 31, "writableScopes": 8"#, Scopes::ALL, Scopes::RESOURCE_GROUP),
        (r#""readableScopes": 0, "writableScopes": 0, "flags": 0"#, Scopes::NONE, Scopes::NONE),
        (r#""scopeType": 8"#, Scopes::RESOURCE_GROUP, Scopes::RESOURCE_GROUP),
        (r#""scopeType": 0"#, Scopes::ALL, Scopes::ALL),
        (r#""scopeType": 8, "readOnlyScopes": 4"#, Scopes(12), Scopes::RESOURCE_GROUP),
        (r#""scopeType": 8, "flags": 1"#, Scopes::RESOURCE_GROUP, Scopes::NONE),
        (r#""name": "later""#, Scopes::NONE, Scopes::NONE),
    ];
    for (fields, readable, writable) in cases {
        let fields = fields.replace("\"name\": \"later\"", "\"x\": 0");
        let json =
            format!(r##"[{{"$type": "ResourceType", "name": "a@b", "body": {{"$ref": "#/0"}}, {fields}}}]"##);
        let types = read(&json);
        let Some(Type::Resource(resource)) = types.first() else { panic!("not a resource") };
        assert_eq!((resource.readable_scopes, resource.writable_scopes), (readable, writable), "{fields}");
    }
}

#[test]
fn a_fault_names_the_file_the_place_and_the_remedy() {
    let resource = r##"{"$type": "ResourceType", "name": "a@b", "body": {"$ref": "#/0"}, "##;
    let cases = [
        ("{}".to_owned(), "at line 1, column 0: invalid type: map, expected a list of types"),
        (
            "[{\"$type\": \"AnyType\"},\n {\"$type\": \"Odd\"}]".to_owned(),
            "line 2, column 18: the type `#/1` has the unknown `$type` `Odd`",
        ),
        ("[{}]".to_owned(), "line 1, column 3: missing field `$type`"),
        (r#"[{"$type": "StringLiteralType"}]"#.to_owned(), "the type `#/0` has no `value`"),
        (r#"[{"$type": "BuiltInType", "kind": 9}]"#.to_owned(), "has the unknown `kind` 9"),
        (
            r##"[{"$type": "UnionType", "elements": {"a": {"$ref": "#/0"}}}]"##.to_owned(),
            "has `elements` that are not a list of references",
        ),
        (
            r##"[{"$type": "ArrayType", "itemType": {"$ref": "other.json#/0"}}]"##.to_owned(),
            "`other.json#/0` is not a reference such as `#/12` to a type of the same file",
        ),
        (
            r##"[{"$type": "ArrayType", "itemType": {"ref": 1}}]"##.to_owned(),
            "unexpected `ref` beside a `$ref`",
        ),
        (r##"[{"$type": "ArrayType", "itemType": {}}]"##.to_owned(), "missing field `$ref`"),
        (r#"[{"$type": "IntegerType", "minValue": 1.5}]"#.to_owned(), "expected i64"),
        (
            format!(r#"[{resource}"readableScopes": 1}}]"#),
            "has only one of `readableScopes` and `writableScopes`",
        ),
        (
            format!(r#"[{resource}"readableScopes": 1, "writableScopes": 1, "scopeType": 8}}]"#),
            "use only the former",
        ),
        ("[{\"$type\": \"Any".to_owned(), "EOF while parsing a string"),
    ];
    for (json, expected) in cases {
        let message = fault(&json);
        assert!(message.contains(expected), "{json}\n{message}");
        assert!(message.starts_with("`a/types.json` is not valid type data at line "), "{message}");
    }
}

#[test]
fn a_reference_past_the_end_is_a_fault() {
    assert_eq!(
        fault(r##"[{"$type": "AnyType"}, {"$type": "ArrayType", "itemType": {"$ref": "#/7"}}]"##),
        "`a/types.json#/1` refers to `#/7`, but the number of types in the file is 2"
    );
}

#[test]
fn an_index_may_leave_out_everything_and_list_functions_by_name() {
    assert_eq!(read_index("index.json", b"{}").unwrap(), TypeIndex::default());
    let json = br##"{"resourceFunctions": {"a/b": {"v1": {"listKeys": {"$ref": "types.json#/3"}}}}}"##;
    let index = read_index("index.json", json).unwrap();
    assert_eq!(index.resource_functions[0].versions[0].1, [FileRef::new("types.json", TypeId(3))]);
}

#[test]
fn an_index_with_a_wrong_reference_is_a_fault() {
    let message =
        read_index("index.json", br##"{"resources": {"a@b": {"$ref": "types.json/3"}}}"##).unwrap_err();
    assert_eq!(
        message.to_string(),
        "`index.json` is not valid type data at line 1, column 46: `types.json/3` is not a reference such as \
         `folder/types.json#/12`"
    );
}

#[test]
fn the_index_lists_the_files_it_needs() {
    let paths = orchard_index().paths();
    assert_eq!(paths, ["trees/2024-05-01/types.json", "trees/2025-01-01/types.json", "types.json"]);
}

#[test]
fn deep_nesting_does_no_harm() {
    let deep = format!("[{{\"$type\": \"AnyType\", \"x\": {}", "[".repeat(100_000));
    assert!(fault(&deep).contains("EOF while parsing a list"));
}
