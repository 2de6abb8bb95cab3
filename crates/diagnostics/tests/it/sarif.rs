//! SARIF logs follow the published schema, and the check that says so can fail.

use crate::sarif_schema::validate;
use diagnostics::sarif::{self, Tool};
use diagnostics::{Diagnostic, FileId, Fix, SourceMap, Span};
use expect_test::expect;
use serde_json::{Value, json};

fn write(sources: &SourceMap, diagnostics: &[Diagnostic]) -> String {
    let summary = |code: &str| (code == "BCP057").then(|| "a name is not declared".to_owned());
    let tool = Tool {
        name: "tendon",
        version: "0.1.0",
        information_uri: Some("https://example.org/tendon"),
        summary: &summary,
    };
    let mut out = String::new();
    sarif::write(&mut out, sources, diagnostics, &tool).unwrap();
    out
}

/// A log with everything in it that a finding can have.
fn full() -> Value {
    let mut sources = SourceMap::new();
    let main = sources.add("my infra/main.bicep", "var 😀 = nane\r\nvar b = 1\n");
    let other = sources.add(r"C:\shared\types.bicep", "type t = string\n");
    let findings = [
        Diagnostic::error("BCP057", "the name `nane` does not exist, not even as {0}")
            .at(Span::new(main, 11, 15))
            .label(Span::new(main, 4, 8), "needed here")
            .label(Span::new(other, 5, 6), "like this one")
            .label(Span::new(other, 5, 6), "like this one")
            .help("did you mean `name`?")
            .fix(Fix::new("rename").replace(Span::new(main, 11, 15), "name"))
            .fix(
                Fix::new("move")
                    .replace(Span::new(main, 0, 17), "")
                    .replace(Span::empty(other, 0), "var x = 1\n")
                    .replace(Span::new(main, 17, 20), "param"),
            )
            .fix(Fix::new("nothing at all"))
            .docs("https://example.org/codes#BCP057"),
        Diagnostic::warning("no-unused-vars", "`b` is never used").at(Span::new(main, 21, 22)),
        Diagnostic::info("BCP057", "again, over two lines").at(Span::new(main, 11, 20)),
        Diagnostic::error("no-input", "nothing was given"),
        Diagnostic::error("no-input", "in a file that is gone").at(Span::empty(FileId(9), 0)),
    ];
    serde_json::from_str(&write(&sources, &findings)).unwrap()
}

#[test]
fn a_log_with_everything_is_valid() {
    assert_eq!(validate(&full()), Vec::<String>::new());
}

#[test]
fn a_log_without_findings_is_valid() {
    let log = serde_json::from_str(&write(&SourceMap::new(), &[])).unwrap();
    assert_eq!(validate(&log), Vec::<String>::new());
}

#[test]
fn rules_are_listed_once_in_order_of_first_use() {
    assert_eq!(
        full()["runs"][0]["tool"]["driver"]["rules"],
        json!([
            {
                "id": "BCP057",
                "shortDescription": { "text": "a name is not declared" },
                "helpUri": "https://example.org/codes#BCP057",
            },
            { "id": "no-unused-vars", "shortDescription": { "text": "no-unused-vars" } },
            { "id": "no-input", "shortDescription": { "text": "no-input" } },
        ])
    );
    let results = full()["runs"][0]["results"].clone();
    let indexes: Vec<_> = results.as_array().unwrap().iter().map(|result| &result["ruleIndex"]).collect();
    assert_eq!(indexes, [0, 1, 0, 2, 2]);
}

#[test]
fn columns_and_offsets_count_utf16_units() {
    let result = &full()["runs"][0]["results"][0];
    assert_eq!(
        result["locations"][0]["physicalLocation"]["region"],
        json!({
            "startLine": 1, "startColumn": 10, "endLine": 1, "endColumn": 14, "charOffset": 9, "charLength": 4,
        })
    );
    assert_eq!(
        full()["runs"][0]["results"][2]["locations"][0]["physicalLocation"]["region"],
        json!({
            "startLine": 1, "startColumn": 10, "endLine": 2, "endColumn": 4, "charOffset": 9, "charLength": 9,
        })
    );
}

#[test]
fn a_small_log_looks_like_this() {
    let mut sources = SourceMap::new();
    let file = sources.add("main.bicep", "var a = nane\n");
    let found = Diagnostic::error("BCP057", "the name `nane` does not exist")
        .at(Span::new(file, 8, 12))
        .fix(Fix::new("rename").replace(Span::new(file, 8, 12), "name"));
    expect![[r#"
        {
          "$schema": "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json",
          "version": "2.1.0",
          "runs": [
            {
              "tool": {
                "driver": {
                  "name": "tendon",
                  "version": "0.1.0",
                  "informationUri": "https://example.org/tendon",
                  "rules": [
                    {
                      "id": "BCP057",
                      "shortDescription": {
                        "text": "a name is not declared"
                      }
                    }
                  ]
                }
              },
              "columnKind": "utf16CodeUnits",
              "newlineSequences": [
                "\r\n",
                "\n",
                "\r"
              ],
              "results": [
                {
                  "ruleId": "BCP057",
                  "ruleIndex": 0,
                  "level": "error",
                  "message": {
                    "text": "the name `nane` does not exist"
                  },
                  "locations": [
                    {
                      "physicalLocation": {
                        "artifactLocation": {
                          "uri": "main.bicep"
                        },
                        "region": {
                          "startLine": 1,
                          "startColumn": 9,
                          "endLine": 1,
                          "endColumn": 13,
                          "charOffset": 8,
                          "charLength": 4
                        }
                      }
                    }
                  ],
                  "fixes": [
                    {
                      "description": {
                        "text": "rename"
                      },
                      "artifactChanges": [
                        {
                          "artifactLocation": {
                            "uri": "main.bicep"
                          },
                          "replacements": [
                            {
                              "deletedRegion": {
                                "startLine": 1,
                                "startColumn": 9,
                                "endLine": 1,
                                "endColumn": 13,
                                "charOffset": 8,
                                "charLength": 4
                              },
                              "insertedContent": {
                                "text": "name"
                              }
                            }
                          ]
                        }
                      ]
                    }
                  ]
                }
              ]
            }
          ]
        }
    "#]].assert_eq(&write(&sources, &[found]));
}

/// Puts a value into the full log, or takes a member out with `null`, and checks the complaint.
#[track_caller]
fn check_broken(pointer: &str, value: Value, expect: &str) {
    let mut log = full();
    let (parent, name) = pointer.rsplit_once('/').unwrap();
    let parent = log.pointer_mut(parent).unwrap_or_else(|| panic!("no {parent}"));
    match (parent, value) {
        (Value::Object(members), Value::Null) => {
            members.remove(name).unwrap_or_else(|| panic!("no {name}"));
        }
        (Value::Object(members), value) => {
            members.insert(name.to_owned(), value);
        }
        (parent, value) => parent[name.parse::<usize>().unwrap()] = value,
    }
    let errors = validate(&log);
    assert!(errors.iter().any(|error| error.contains(expect)), "{pointer}: {errors:#?}");
}

const RESULT: &str = "/runs/0/results/0";
const REGION: &str = "/runs/0/results/0/locations/0/physicalLocation/region";

#[test]
fn missing_members_are_noticed() {
    check_broken("/version", Value::Null, ": sarifLog needs `version`");
    check_broken("/runs", Value::Null, ": sarifLog needs `runs`");
    check_broken("/runs/0/tool", Value::Null, "/runs/0: run needs `tool`");
    check_broken("/runs/0/tool/driver", Value::Null, "tool needs `driver`");
    check_broken("/runs/0/tool/driver/name", Value::Null, "toolComponent needs `name`");
    check_broken("/runs/0/tool/driver/rules/1/id", Value::Null, "rules/1: reportingDescriptor needs `id`");
    check_broken(
        "/runs/0/tool/driver/rules/0/shortDescription/text",
        Value::Null,
        "multiformatMessageString needs",
    );
    check_broken(&format!("{RESULT}/message"), Value::Null, "result needs `message`");
    check_broken(&format!("{RESULT}/message/text"), Value::Null, r#"message needs one of ["text", "id"]"#);
    check_broken(&format!("{RESULT}/fixes/0/artifactChanges"), Value::Null, "fix needs `artifactChanges`");
    let change = format!("{RESULT}/fixes/0/artifactChanges/0");
    check_broken(
        &format!("{change}/artifactLocation"),
        Value::Null,
        "artifactChange needs `artifactLocation`",
    );
    check_broken(&format!("{change}/replacements"), Value::Null, "artifactChange needs `replacements`");
    check_broken(&format!("{change}/replacements/0/deletedRegion"), Value::Null, "replacement needs");
    check_broken(REGION, json!({ "charLength": 1 }), "region needs one of");
    let physical = format!("{RESULT}/locations/0/physicalLocation/artifactLocation");
    check_broken(&physical, Value::Null, "physicalLocation needs one of");
}

#[test]
fn wrong_values_are_noticed() {
    check_broken("/version", json!("2.1"), "/version: `2.1` is not one of");
    check_broken("/$schema", json!("schema.json"), "is not a URI");
    check_broken("/runs", json!({}), "/runs: {} has the wrong type");
    check_broken("/runs/0/columnKind", json!("bytes"), "/runs/0/columnKind: `bytes` is not one of");
    check_broken("/runs/0/newlineSequences", json!([]), "has fewer than 1 items");
    check_broken("/runs/0/language", json!("english"), "`english` is not a language");
    check_broken("/runs/0/tool/driver/informationUri", json!("example.org"), "is not a URI");
    check_broken("/runs/0/tool/driver/rules/0/helpUri", json!("a b"), "is not a URI");
    check_broken(&format!("{RESULT}/level"), json!("info"), "`info` is not one of");
    check_broken(&format!("{RESULT}/rank"), json!(101), "is not between");
    check_broken(&format!("{RESULT}/ruleIndex"), json!(-2), "-2 is below -1");
    check_broken(&format!("{RESULT}/occurrenceCount"), json!(0), "0 is below 1");
    check_broken(&format!("{REGION}/startLine"), json!(0), "region/startLine: 0 is below 1");
    check_broken(&format!("{REGION}/startColumn"), json!(1.5), "1.5 is not a whole number");
    check_broken(&format!("{REGION}/charLength"), json!("4"), "has the wrong type");
    check_broken(&format!("{RESULT}/fixes/0/artifactChanges"), json!([]), "has fewer than 1 items");
    let uri = format!("{RESULT}/locations/0/physicalLocation/artifactLocation/uri");
    for broken in ["my infra/main.bicep", r"a\b", "100%.bicep", "br:a:b c", "é", "1:a", "a#b#c"] {
        check_broken(&uri, json!(broken), "is not a URI reference");
    }
}

#[test]
fn unknown_members_are_noticed_everywhere() {
    let mut objects = vec![String::new()];
    let mut at = 0;
    let log = full();
    while let Some(pointer) = objects.get(at).cloned() {
        match log.pointer(&pointer).unwrap() {
            Value::Object(members) => objects.extend(members.keys().map(|name| format!("{pointer}/{name}"))),
            Value::Array(items) => objects.extend((0..items.len()).map(|item| format!("{pointer}/{item}"))),
            _ => {}
        }
        at += 1;
    }
    objects.retain(|pointer| log.pointer(pointer).unwrap().is_object());
    assert!(objects.len() > 50, "{}", objects.len());
    for object in objects {
        check_broken(&format!("{object}/colour"), json!(1), &format!("{object}: "));
    }
}

#[test]
fn contradictions_are_noticed() {
    check_broken(&format!("{RESULT}/ruleIndex"), json!(1), "ruleIndex 1 is not rule");
    check_broken(&format!("{RESULT}/ruleIndex"), json!(7), "ruleIndex 7 is not rule");
    check_broken(&format!("{REGION}/endColumn"), json!(1), "a region ends before it starts");
    check_broken("/runs/0/results/2/locations/0/physicalLocation/region/endLine", json!(1), "ends before");
    check_broken(&format!("{RESULT}/relatedLocations/1/id"), json!(0), "two related locations have one id");
    check_broken(
        &format!("{RESULT}/fixes/1"),
        full()["runs"][0]["results"][0]["fixes"][0].clone(),
        "same item twice",
    );
    let change = "/fixes/1/artifactChanges";
    let uri = full().pointer(&format!("{RESULT}{change}/0/artifactLocation/uri")).unwrap().clone();
    check_broken(&format!("{RESULT}{change}/1/artifactLocation/uri"), uri, "a fix changes one file twice");
    let uri = format!("{RESULT}/locations/0/physicalLocation/artifactLocation/uri");
    check_broken(&uri, json!("/main.bicep"), "a relative reference starts with a slash");
}
