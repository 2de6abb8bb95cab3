//! Extensions that come as an archive: beside the program, and in the cache of registries.

use std::sync::Arc;

use bicep::{Compiler, CompilerOptions, FilePath, Generator, MemoryWorld};

const INDEX: &str = r##"{
    "resources": { "widget@v1": { "$ref": "types.json#/2" } },
    "resourceFunctions": {},
    "settings": { "name": "Things", "version": "1.2.3", "isSingleton": true }
}"##;

const TYPES: &str = r##"[
    { "$type": "StringType" },
    { "$type": "ObjectType", "name": "widget", "properties": { "name": { "type": { "$ref": "#/0" }, "flags": 17 } } },
    { "$type": "ResourceType", "name": "widget@v1", "body": { "$ref": "#/1" }, "readableScopes": 0, "writableScopes": 0 }
]"##;

fn template(extension: &str, archive: Option<&str>) -> Result<String, Vec<&'static str>> {
    template_of(TYPES, extension, archive)
}

fn template_of(types: &str, extension: &str, archive: Option<&str>) -> Result<String, Vec<&'static str>> {
    let read = |_: &str| Ok(types.as_bytes().to_vec());
    let bytes = bicep_types::write_types_archive(INDEX.as_bytes(), &read).unwrap_or_default();
    let text = format!("extension '{extension}' as things\nresource w 'widget@v1' = {{\n  name: 'a'\n}}\n");
    let mut world = MemoryWorld::default().with_file("/main.bicep", text);
    if let Some(path) = archive {
        world = world.with_file(path, bytes);
    }
    let generator = Generator { name: "bicep".into(), version: "dev".into() };
    let options = CompilerOptions::new(generator);
    let compiled = Compiler::new(Arc::new(world), options).compile(&FilePath::new("/main.bicep"));
    let findings = compiled.findings.iter().flat_map(|(_, found)| found.iter());
    let codes: Vec<&'static str> = findings.map(|finding| finding.code).collect();
    compiled.template.map(|text| text.to_string()).ok_or(codes)
}

#[test]
fn an_archive_beside_the_program_brings_types() {
    let template = template("./things.tgz", Some("/things.tgz")).unwrap();
    assert!(template.contains(r#""provider": "Things""#) && template.contains(r#""type": "widget@v1""#));
}

#[test]
fn an_archive_of_a_registry_lies_in_the_cache() {
    let cached = "/cache/br/example.azurecr.io/things/1.2.3$/types.tgz";
    assert!(template("br:example.azurecr.io/things:1.2.3", Some(cached)).is_ok());
}

#[test]
fn an_archive_that_is_not_there_is_an_error_at_the_extension() {
    assert!(template("./things.tgz", None).unwrap_err().contains(&"BCP091"));
    assert!(template("br:example.azurecr.io/things:1.2.3", None).unwrap_err().contains(&"BCP190"));
}

#[test]
fn a_file_that_is_no_archive_is_an_error_at_the_extension() {
    assert!(template("./main.bicep", None).unwrap_err().contains(&"BCP190"));
}

/// Types whose `widget` has a name of the type with the given number.
fn types_with_name(name: usize, further: &[String]) -> String {
    let mut types = vec![
        r#"{ "$type": "StringType" }"#.to_owned(),
        format!(
            r##"{{ "$type": "ObjectType", "name": "widget", "properties": {{ "name": {{ "type": {{ "$ref": "#/{name}" }}, "flags": 17 }} }} }}"##
        ),
        r##"{ "$type": "ResourceType", "name": "widget@v1", "body": { "$ref": "#/1" }, "readableScopes": 0, "writableScopes": 0 }"##
            .to_owned(),
    ];
    types.extend_from_slice(further);
    format!("[{}]", types.join(","))
}

fn union(members: &[usize]) -> String {
    let members: Vec<String> = members.iter().map(|id| format!(r##"{{ "$ref": "#/{id}" }}"##)).collect();
    format!(r#"{{ "$type": "UnionType", "elements": [{}] }}"#, members.join(","))
}

#[test]
fn a_union_that_contains_itself_is_what_else_it_contains() {
    let itself = types_with_name(3, &[union(&[0, 3])]);
    template_of(&itself, "./things.tgz", Some("/things.tgz")).unwrap();
    let each_other = types_with_name(3, &[union(&[4]), union(&[3, 4, 0])]);
    template_of(&each_other, "./things.tgz", Some("/things.tgz")).unwrap();
}

#[test]
fn unions_in_unions_take_no_more_than_their_number() {
    let deep: Vec<String> = (3..5_000).map(|id| union(&[id + 1, id + 1])).chain([union(&[0])]).collect();
    template_of(&types_with_name(3, &deep), "./things.tgz", Some("/things.tgz")).unwrap();
}
