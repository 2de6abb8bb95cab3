//! Random schemas and random values: resources are valid exactly where an implementation of JSON Schema says so.
//!
//! Schemas are written twice: as a property of a manifest, and as JSON Schema of draft 4, which has most of the words of
//! OpenAPI 3.0. What differs on purpose is written in the second form as what the first one means: `nullable` is another type, and an object
//! that lists properties has no others. `1.0` is an integer here and none in draft 4, so that no such number is made.

use contract::{Contract, Definitions};
use document::{Document, FileId, ReadLimits};
use jsonschema::Draft;
use radius::{Manifest, ManifestReadOptions, Purpose, properties_shape};
use serde_json::{Map, Value, json};

use super::random::Random;

const SCHEMAS: usize = 5_000;
const VALUES: usize = 24;

const TEXTS: [&str; 9] = ["", "a", "ab", "abc", "b7", "äöü", "😀😀", "S", "a longer text"];
const PATTERNS: [&str; 5] = ["^a", "b$", "^[a-z]+[0-9]?$", "a|ö", "^.{2,3}$"];
const NAMES: [&str; 4] = ["p", "q", "r", "s"];

fn integer(random: &mut Random) -> i64 {
    random.pick(&[-7, -1, 0, 1, 2, 3, 6, 10, 1 << 53, i64::MAX])
}

fn number(random: &mut Random) -> Value {
    if random.one_in(2) {
        json!(integer(random))
    } else {
        json!(random.pick(&[-1.5, 0.25, 0.5, 2.75, 1e-3, 123.5]))
    }
}

/// Adds a lower and an upper bound, each of them sometimes.
fn bounds(random: &mut Random, schema: &mut Map<String, Value>, least: &str, most: &str) {
    let from = random.below(3);
    if random.one_in(3) {
        schema.insert(least.to_owned(), json!(from));
    }
    if random.one_in(3) {
        schema.insert(most.to_owned(), json!(from + random.below(3)));
    }
}

/// A schema in both forms.
fn schema(random: &mut Random, depth: usize) -> (Value, Value) {
    let mut open = Map::new();
    let mut parts = Map::new();
    let kinds: &[&str] = &["string", "integer", "number", "boolean", "object", "map", "array"];
    let kind = random.pick(if depth == 0 { kinds.get(..4).unwrap() } else { kinds });
    match kind {
        "string" => {
            bounds(random, &mut open, "minLength", "maxLength");
            if random.one_in(3) {
                open.insert("pattern".to_owned(), json!(random.pick(&PATTERNS)));
            }
            if random.one_in(4) {
                open = Map::from_iter([("enum".to_owned(), json!(["S", "ab", "äöü"]))]);
            }
        }
        "integer" | "number" => {
            let from = integer(random).clamp(-7, 10);
            for (name, exclusive, bound) in [
                ("minimum", "exclusiveMinimum", json!(from)),
                ("maximum", "exclusiveMaximum", json!(from + 3 + random.below(5) as i64)),
            ] {
                if random.one_in(2) {
                    open.insert(name.to_owned(), bound);
                    if random.one_in(2) {
                        open.insert(exclusive.to_owned(), json!(random.one_in(2)));
                    }
                }
            }
            if random.one_in(4) {
                open.insert(
                    "multipleOf".to_owned(),
                    random.pick(&[json!(1), json!(2), json!(0.5), json!(0.25)]),
                );
            }
            if random.one_in(6) {
                open = Map::from_iter([("enum".to_owned(), json!([1, 6, -1]))]);
            }
        }
        "array" => {
            let (items, theirs) = schema(random, depth - 1);
            open.insert("items".to_owned(), items);
            parts.insert("items".to_owned(), theirs);
            bounds(random, &mut open, "minItems", "maxItems");
            if random.one_in(3) {
                open.insert("uniqueItems".to_owned(), json!(true));
            }
        }
        "map" => {
            let (values, theirs) = schema(random, depth - 1);
            open.insert("additionalProperties".to_owned(), values);
            parts.insert("additionalProperties".to_owned(), theirs);
            bounds(random, &mut open, "minProperties", "maxProperties");
        }
        "object" if random.one_in(6) => bounds(random, &mut open, "minProperties", "maxProperties"),
        "object" => {
            let (mut ours, mut others, mut required) = (Map::new(), Map::new(), Vec::new());
            for name in NAMES.iter().take(1 + random.below(NAMES.len())) {
                let (our, their) = schema(random, depth - 1);
                ours.insert((*name).to_owned(), our);
                others.insert((*name).to_owned(), their);
                if random.one_in(3) {
                    required.push(*name);
                }
            }
            open.insert("properties".to_owned(), Value::Object(ours));
            parts.insert("properties".to_owned(), Value::Object(others));
            parts.insert("additionalProperties".to_owned(), json!(false));
            if !required.is_empty() {
                open.insert("required".to_owned(), json!(required));
            }
        }
        _ => {}
    }
    let kind = if kind == "map" { "object" } else { kind };
    let mut theirs = open.clone();
    theirs.extend(parts);
    open.insert("type".to_owned(), json!(kind));
    theirs.insert("type".to_owned(), json!(kind));
    if random.one_in(6) {
        open.insert("nullable".to_owned(), json!(true));
        theirs.insert("type".to_owned(), json!([kind, "null"]));
        if let Some(Value::Array(values)) = theirs.get_mut("enum") {
            values.push(Value::Null);
        }
    }
    (Value::Object(open), Value::Object(theirs))
}

/// A value that is likely to be near a schema.
fn value(random: &mut Random, schema: &Value, depth: usize) -> Value {
    if random.one_in(12) || schema.is_null() || depth > 4 {
        let any = [
            json!(null),
            json!(true),
            json!(3),
            json!(1.5),
            json!("abc"),
            json!([]),
            json!({}),
            json!([1, 1]),
            json!({"p": 1}),
        ];
        return random.pick(&any);
    }
    let member = |name: &str| schema.get(name).cloned().unwrap_or(Value::Null);
    match schema.get("type").and_then(Value::as_str).unwrap_or_default() {
        "string" => json!(random.pick(&TEXTS)),
        "integer" => {
            if random.one_in(8) {
                json!(2.5)
            } else {
                json!(integer(random))
            }
        }
        "number" => number(random),
        "boolean" => json!(random.one_in(2)),
        "array" => {
            let count = random.below(5);
            (0..count).map(|_| value(random, &member("items"), depth + 1)).collect()
        }
        _ => {
            let mut members = Map::new();
            let extra = random.one_in(8).then_some("t");
            for name in NAMES.into_iter().chain(extra) {
                let declared = schema.get("properties").and_then(|properties| properties.get(name)).cloned();
                let inner = match (declared, schema.get("properties").is_some()) {
                    (Some(inner), _) => inner,
                    (None, true) if name != "t" && !random.one_in(20) => continue,
                    (None, _) => member("additionalProperties"),
                };
                if random.below(4) > 0 {
                    members.insert(name.to_owned(), value(random, &inner, depth + 1));
                }
            }
            Value::Object(members)
        }
    }
}

#[test]
fn resources_are_valid_where_json_schema_says_so() {
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    let (mut pairs, mut valid, mut refused) = (0, 0, 0);
    for _ in 0..SCHEMAS {
        let (ours, theirs) = schema(&mut random, 3);
        let manifest = json!({
            "namespace": "MyCompany.Resources",
            "types": {"widgets": {"apiVersions": {"2025-01-01": {"schema": {"type": "object", "properties": {"v": ours}}}}}}
        });
        let document =
            Document::from_json(manifest.to_string(), FileId::FIRST, &ReadLimits::default()).unwrap();
        let read = Manifest::read(&document, ManifestReadOptions::default());
        let Some(manifest) = read.usable() else {
            // What no value satisfies is refused here and not there.
            let why = |it: &radius::ManifestDiagnostic| {
                it.rule.code == "radius/bounds" || it.severity != diagnostics::Severity::Error
            };
            assert!(read.findings.iter().all(why), "{ours}: {:?}", read.findings);
            refused += 1;
            continue;
        };
        let (_, version) = manifest.find("widgets").unwrap();
        // What is kept means the same as what was written.
        let again = format!(
            "{{\"namespace\":\"MyCompany.Resources\",\"types\":{{\"widgets\":{{\"apiVersions\":{{\"2025-01-01\":{{\"schema\":{}}}}}}}}}}}",
            version.schema.to_json()
        );
        let again = Document::from_json(again, FileId::FIRST, &ReadLimits::default()).unwrap();
        let again = Manifest::read(&again, ManifestReadOptions::default());
        let (_, kept) = again.usable().unwrap().find("widgets").unwrap();
        assert_eq!(kept.schema.to_json(), version.schema.to_json());
        let shape = properties_shape(&kept.schema, Purpose::State);
        let contract = Contract::compile(&shape, &Definitions::new()).unwrap();
        let other = jsonschema::options().with_draft(Draft::Draft4).build(&theirs).unwrap();
        for _ in 0..VALUES {
            let value = value(&mut random, &ours, 0);
            let resource = json!({"environment": "e", "v": value});
            let text =
                Document::from_json(resource.to_string(), FileId::FIRST, &ReadLimits::default()).unwrap();
            let verdict = contract.is_valid(text.root());
            if verdict != other.is_valid(&value) {
                panic!(
                    "{ours}\n{theirs}\n{value}\nvalid here: {verdict}, {:?}",
                    contract.violations(text.root())
                );
            }
            pairs += 1;
            valid += usize::from(verdict);
        }
    }
    assert!(pairs >= 100_000, "{pairs} pairs, {refused} schemas refused");
    assert!(valid > pairs / 10 && valid < pairs * 9 / 10, "{valid} of {pairs} are valid");
}
