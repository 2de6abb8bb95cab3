//! Projects as other languages use them: what comes out, where it points to, and what stays hidden.

use embed::{
    Columns, MessageProtocol, PictureForm, PlacedDiagnostic, PredictionInputs, Project, ProjectOptions,
};

const MODULE: &str = "param size int\noutput doubled int = size * 2\n";

const MAIN: &str = "\
param name string
@secure()
param key string = 'hunter2'
resource store 'Microsoft.Storage/storageAccounts@2023-01-01' = {
  name: name
  location: 'westeurope'
  sku: { name: 'Standard_LRS' }
  kind: 'StorageV2'
}
module part 'part.bicep' = { params: { size: 4 } }
output endpoint string = store.properties.primaryEndpoints.blob
output doubled int = part.outputs.doubled
";

const IDL: &str = "\
struct Item { 1: required string sku (vt.pattern = \"[A-Z]{3}\"), 2: i32 count (vt.gt = \"0\") }
struct Other { 1: i32 a }
service Shop { Item find(1: string sku (vt.min_size = \"3\")) }
";

fn project(columns: Columns) -> Project {
    let mut project = Project::new(ProjectOptions { columns, ..ProjectOptions::default() });
    project.set_file("main.bicep", MAIN);
    project.set_file("part.bicep", MODULE);
    project.set_file("shop.thrift", IDL);
    project
}

fn errors(found: &[PlacedDiagnostic]) -> Vec<String> {
    let errors = found.iter().filter(|it| it.is_error());
    let shown = errors.map(|it| match &it.place {
        Some(place) => format!("{}:{}:{} {}", place.file, place.line, place.column, it.code),
        None => it.code.clone(),
    });
    shown.collect()
}

#[test]
fn an_edit_of_a_module_is_seen_in_the_program() {
    let mut project = project(Columns::Scalars);
    assert_eq!(errors(&project.compile("main.bicep").diagnostics), [""; 0]);
    project.set_file("part.bicep", "param size string\noutput doubled string = size\n");
    assert_eq!(
        errors(&project.compile("main.bicep").diagnostics),
        ["main.bicep:10:46 BCP036", "main.bicep:12:22 BCP033"]
    );
    project.remove_file("part.bicep");
    assert_eq!(
        errors(&project.compile("main.bicep").diagnostics),
        ["main.bicep:10:13 BCP091", "main.bicep:12:22 BCP062"]
    );
    project.set_file("part.bicep", MODULE);
    assert!(project.compile("main.bicep").template.is_some());
    assert_eq!(errors(&project.compile("nothing.bicep").diagnostics).len(), 1);
}

#[test]
fn places_are_counted_as_the_language_around_counts() {
    let column = |columns: Columns| {
        let mut project = Project::new(ProjectOptions { columns, ..ProjectOptions::default() });
        project.set_file("main.bicep", "output o string = '😀é${a}'\n");
        let found = project.compile("main.bicep").diagnostics;
        let place = found.iter().find(|it| it.is_error()).and_then(|it| it.place.clone()).unwrap();
        (place.column, place.start)
    };
    assert_eq!(column(Columns::Scalars), (24, 23));
    assert_eq!(column(Columns::Utf16), (25, 24));
    assert_eq!(column(Columns::Bytes), (28, 27));
}

#[test]
fn a_program_is_formatted_or_its_syntax_errors_are_told() {
    let mut project = project(Columns::Scalars);
    project.set_file("a.bicep", "param   a    int\nvar b={\n c:1\n}\n");
    assert_eq!(project.format("a.bicep").as_deref(), Ok("param a int\nvar b = {\n  c: 1\n}\n"));
    project.set_file("a.bicep", "param a int =\n");
    assert_eq!(errors(&project.format("a.bicep").unwrap_err()), ["a.bicep:1:14 BCP009"]);
}

#[test]
fn an_editor_is_answered() {
    let project = project(Columns::Utf16);
    let hover = project.hover("main.bicep", 5, 10).unwrap();
    assert!(hover.markdown.contains("param name"), "{}", hover.markdown);
    assert_eq!((hover.place.line, hover.place.column, hover.place.end_column), (5, 9, 13));
    let items = project.complete("main.bicep", 11, 33);
    assert!(items.iter().any(|item| item.label == "properties"), "{:?}", items.len());
    assert!(items.is_sorted_by(|one, other| one.sort_text <= other.sort_text));
    let tokens = project.tokens("main.bicep");
    assert_eq!(tokens.first().map(|token| (token.start, token.end, token.kind)), Some((0, 5, "keyword")));
}

#[test]
fn a_prediction_uses_parameters_and_mocks() {
    let project = project(Columns::Scalars);
    let mut inputs =
        PredictionInputs { parameters: Some("name: shop\n".to_owned()), ..PredictionInputs::default() };
    let predicted = project.snapshot("main.bicep", &inputs).unwrap();
    assert!(predicted.contains("\"name\": \"shop\""), "{predicted}");
    assert!(predicted.contains("[reference("), "{predicted}");
    inputs.scope = Some("/subscriptions/11111111-1111-1111-1111-111111111111/resourceGroups/g".to_owned());
    inputs.mocks =
        Some(r#"{"reference": {"store": {"primaryEndpoints": {"blob": "https://b/"}}}}"#.to_owned());
    let predicted = project.snapshot("main.bicep", &inputs).unwrap();
    assert!(predicted.contains("\"endpoint\": \"https://b/\""), "{predicted}");
    assert!(predicted.contains("\"doubled\": 8"), "{predicted}");
    assert!(!predicted.contains("hunter2"), "{predicted}");
    let value = project.evaluate("main.bicep", "concat(parameters('name'), '-x')", &inputs).unwrap();
    assert_eq!(value, "\"shop-x\"\n");
}

#[test]
fn what_is_wrong_with_a_prediction_is_where_people_wrote_it() {
    let project = project(Columns::Scalars);
    let missing = project.snapshot("main.bicep", &PredictionInputs::default()).unwrap_err();
    assert_eq!(errors(&missing), ["main.bicep:1:1 InvalidTemplate"]);
    let wrong =
        PredictionInputs { parameters: Some("{\"name\": 3}".to_owned()), ..PredictionInputs::default() };
    let wrong = project.snapshot("main.bicep", &wrong).unwrap_err();
    assert_eq!(errors(&wrong), ["parameters:1:10 InvalidTemplate"]);
    let mocks =
        PredictionInputs { mocks: Some("{\"secrets\": hunter2".to_owned()), ..PredictionInputs::default() };
    let refused = project.snapshot("main.bicep", &mocks).unwrap_err();
    assert!(!format!("{refused:?}").contains("hunter2"));
}

#[test]
fn a_picture_needs_no_parameters() {
    let project = project(Columns::Scalars);
    let picture = |form| project.picture("main.bicep", &PredictionInputs::default(), form).unwrap();
    assert!(picture(PictureForm::Svg).starts_with("<svg "));
    assert!(picture(PictureForm::Mermaid).contains("store"));
    assert!(picture(PictureForm::Dot).starts_with("digraph"));
}

#[test]
fn contracts_of_every_language_check_texts_and_views() {
    let mut project = project(Columns::Scalars);
    project.set_file(
        "order.json",
        r#"{"type": "object", "properties": {"count": {"type": "integer", "minimum": 1}}, "required": ["count"]}"#,
    );
    let yaml = "type: object\n$defs:\n  Line:\n    type: object\n    properties:\n      count: {type: integer, minimum: 1}\n";
    project.set_file("defs.yaml", yaml);
    let check = |reference: &str, text: &str| {
        let contract = project.contract(reference, 0).unwrap();
        let found = contract.check("value", text);
        assert_eq!(found.valid, found.diagnostics.is_empty());
        errors(&found.diagnostics)
    };
    assert_eq!(check("order.json", "{\"count\": 3}"), [""; 0]);
    assert_eq!(check("order.json", "count: 0\n"), ["value:1:8 minimum"]);
    assert_eq!(check("order.json", "{\"count\": "), ["value:1:11 json/syntax"]);
    assert_eq!(check("defs.yaml#Line", "{\"count\": 0}"), ["value:1:11 minimum"]);
    assert_eq!(check("main.bicep", "{\"name\": 1, \"extra\": 2}").len(), 2);
    assert_eq!(check("main.bicep#name", "\"shop\""), [""; 0]);
    assert_eq!(check("shop.thrift#Item", "{\"sku\": \"abc\", \"count\": 1}"), ["value:1:9 pattern"]);
    assert_eq!(check("shop.thrift#Shop.find", "{\"sku\": \"ab\"}"), ["value:1:9 minLength"]);
    let unknown = |reference: &str| errors(&project.contract(reference, 0).err().unwrap_or_default());
    assert_eq!(unknown("shop.thrift#Items"), ["contract/unknown-definition"]);
    assert_eq!(unknown("main.bicep#nam"), ["contract/unknown-definition"]);
    assert_eq!(unknown("absent.json"), ["input/missing"]);
    assert_eq!(unknown("notes.txt"), ["contract/unknown-definition"]);
}

#[test]
fn a_view_is_checked_where_it_lies() {
    let mut project = project(Columns::Scalars);
    project.set_file("list.json", r#"{"type": "array", "maxItems": 1}"#);
    let contract = project.contract("list.json", 0).unwrap();
    let document =
        document::Document::from_json("[1, 2]", document::FileId::FIRST, &document::ReadLimits::DEFAULT);
    let document = document.unwrap();
    assert!(!contract.is_valid(document.root()));
    let found = contract.violations(document.root(), 10);
    assert_eq!(found.first().map(|it| (it.rule.as_str(), it.pointer.as_str())), Some(("maxItems", "")));
    let written = found.first().and_then(|it| it.written.clone()).unwrap();
    assert_eq!((written.file.as_str(), written.line), ("list.json", 1));
    let parameters = project.contract("main.bicep", 0).unwrap();
    let document = document::Document::from_json(
        "{\"name\": [1]}",
        document::FileId::FIRST,
        &document::ReadLimits::DEFAULT,
    );
    let found = parameters.violations(document.unwrap().root(), 10);
    assert_eq!(found.iter().map(|it| it.path.as_str()).collect::<Vec<_>>(), ["name"]);
    assert_eq!(found.first().and_then(|it| it.written.clone()).map(|place| place.line), Some(1));
}

#[test]
fn secrets_are_masked() {
    let mut project = project(Columns::Scalars);
    project.set_file(
        "login.json",
        r#"{"type": "object", "properties": {"password": {"type": "string", "minLength": 12, "secret": true}}}"#,
    );
    let contract = project.contract("login.json", 0).unwrap();
    let found = contract.check("value", "{\"password\": \"hunter2\"}");
    assert!(!found.valid);
    assert!(!format!("{found:?}").contains("hunter2"), "{found:?}");
}

#[test]
fn messages_are_validated_on_their_bytes() {
    let project = project(Columns::Scalars);
    assert_eq!(errors(&project.lint_thrift("shop.thrift")), [""; 0]);
    let item = project.messages("shop.thrift#Item", 0).unwrap();
    // The field 1 is a string, 2 an i32, and a zero ends the struct.
    let message = |sku: &[u8; 3], count: u8| {
        let mut bytes = vec![11, 0, 1, 0, 0, 0, 3];
        bytes.extend(sku);
        bytes.extend([8, 0, 2, 0, 0, 0, count, 0]);
        bytes
    };
    assert!(item.validate(&message(b"ABC", 1), MessageProtocol::Binary).valid);
    let refused = item.validate(&message(b"abc", 0), MessageProtocol::Binary);
    let paths: Vec<&str> = refused.violations.iter().map(|it| it.path.as_str()).collect();
    assert_eq!(paths, ["Item.sku", "Item.count"]);
    assert_eq!(refused.violations.first().and_then(|it| it.written.clone()).map(|it| it.line), Some(1));
    let cut = item.validate(&[11, 0, 1, 0], MessageProtocol::Binary);
    assert!(!cut.valid && cut.error.is_some());
    assert!(project.messages("shop.thrift#Nothing", 0).is_err());
}
