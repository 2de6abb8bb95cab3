//! Schemas and documents of our own: one case for each way in which checking can be slow.

#![expect(clippy::indexing_slicing, reason = "positions are taken modulo the length of the list")]

use serde_json::{Value, json};

use crate::random::Random;

/// A schema with documents that satisfy it.
pub(crate) struct Case {
    pub(crate) name: String,
    pub(crate) schema: Value,
    pub(crate) documents: Vec<Value>,
}

/// All cases.
pub(crate) fn all() -> Vec<Case> {
    let random = &mut Random::new(7);
    let cases: Vec<(&str, Value, Value)> = vec![
        ("flat", flat(), flat_document()),
        ("flat closed", closed(flat()), flat_document()),
        ("deep objects", levels(24), levels_document(24)),
        ("deep references", tree(), tree_document(6)),
        (
            "long list of numbers",
            list(json!({"type": "number", "minimum": -1000, "exclusiveMaximum": 1000})),
            numbers(random),
        ),
        ("numbers of 17 digits", list(position()), positions(random)),
        ("integers beyond 64 bits", list(json!({"type": "integer", "minimum": 0})), vast(random)),
        ("multiples", list(multiples()), multiples_documents(random)),
        (
            "unique numbers",
            json!({"type": "array", "items": {"type": "number"}, "uniqueItems": true}),
            fractions(random),
        ),
        ("enums of numbers", list(number_enums()), number_enums_documents(random)),
        ("long list of objects", list(closed(point())), points(random)),
        (
            "unique texts",
            json!({"type": "array", "items": {"type": "string"}, "uniqueItems": true}),
            words(random),
        ),
        ("texts with escapes", list(json!({"type": "string", "maxLength": 400})), escaped(random)),
        ("wide object", closed(wide()), wide_document(100)),
        ("wide object, few there", closed(wide()), wide_document(7)),
        ("map", map(), map_document(random)),
        ("patterns", list(patterns()), patterns_documents(random)),
        ("formats", list(formats()), formats_documents(random)),
        ("enums", list(enums()), enums_documents(random)),
        ("discriminator", events(true), events_documents(random)),
        ("choice by constant", events(false), events_documents(random)),
        ("choice by type", list(by_type()), by_type_documents(random)),
        ("all of", list(all_of()), all_of_documents(random)),
    ];
    cases
        .into_iter()
        .map(|(name, mut schema, document)| {
            if let Some(schema) = schema.as_object_mut() {
                schema.insert("$schema".to_owned(), json!("https://json-schema.org/draft/2020-12/schema"));
            }
            Case { name: name.to_owned(), schema, documents: vec![document] }
        })
        .collect()
}

fn list(items: Value) -> Value {
    json!({"type": "array", "items": items})
}

fn closed(mut schema: Value) -> Value {
    if let Some(schema) = schema.as_object_mut() {
        schema.insert("additionalProperties".to_owned(), json!(false));
    }
    schema
}

fn repeat(count: usize, mut make: impl FnMut(usize) -> Value) -> Value {
    (0..count).map(&mut make).collect()
}

fn flat() -> Value {
    json!({
        "type": "object",
        "required": ["name", "port", "protocol"],
        "properties": {
            "name": {"type": "string", "minLength": 1, "maxLength": 63},
            "port": {"type": "integer", "minimum": 1, "maximum": 65535},
            "protocol": {"enum": ["http", "https", "tcp", "udp"]},
            "weight": {"type": "number", "exclusiveMinimum": 0, "maximum": 1},
            "enabled": {"type": "boolean"},
            "comment": {"type": ["string", "null"], "maxLength": 200},
            "retries": {"type": "integer", "minimum": 0, "multipleOf": 1},
            "tags": {"type": "array", "items": {"type": "string"}, "maxItems": 10},
        },
    })
}

fn flat_document() -> Value {
    json!({
        "name": "front door", "port": 8443, "protocol": "https", "weight": 0.25, "enabled": true,
        "comment": null, "retries": 3, "tags": ["edge", "public"],
    })
}

fn levels(depth: usize) -> Value {
    let leaf = json!({"type": "integer", "minimum": 0});
    (0..depth).fold(leaf, |inner, level| {
        closed(json!({
            "type": "object",
            "required": ["id", "inner"],
            "properties": {
                "id": {"type": "integer", "minimum": 0},
                "label": {"type": "string", "maxLength": 10 + level},
                "inner": inner,
            },
        }))
    })
}

fn levels_document(depth: usize) -> Value {
    (0..depth).fold(json!(0), |inner, level| json!({"id": level, "label": "level", "inner": inner}))
}

fn tree() -> Value {
    json!({
        "$ref": "#/$defs/node",
        "$defs": {
            "node": {
                "type": "object",
                "required": ["value"],
                "properties": {
                    "value": {"type": "integer"},
                    "note": {"type": "string"},
                    "children": {"type": "array", "items": {"$ref": "#/$defs/node"}, "maxItems": 8},
                },
                "additionalProperties": false,
            },
        },
    })
}

fn tree_document(depth: i64) -> Value {
    match depth {
        0 => json!({"value": 0, "note": "leaf"}),
        depth => json!({"value": depth, "children": repeat(3, |_| tree_document(depth - 1))}),
    }
}

fn numbers(random: &mut Random) -> Value {
    repeat(1000, |at| match at % 3 {
        0 => json!(random.below(1000)),
        1 => json!(-(random.below(1000) as i64)),
        _ => json!(random.below(1_000_000) as f64 / 1024.0),
    })
}

/// A double of 17 significant digits, the most that its shortest decimal can have.
fn long_double(random: &mut Random, scale: f64) -> f64 {
    loop {
        let double = (random.below(1 << 53) as f64 / (1_u64 << 53) as f64 * 2.0 - 1.0) * scale;
        if format!("{double:e}").bytes().take_while(|byte| *byte != b'e').filter(u8::is_ascii_digit).count()
            == 17
        {
            return double;
        }
    }
}

fn position() -> Value {
    json!({
        "type": "object",
        "required": ["latitude", "longitude"],
        "properties": {
            "latitude": {"type": "number", "minimum": -90, "maximum": 90},
            "longitude": {"type": "number"},
        },
    })
}

fn positions(random: &mut Random) -> Value {
    repeat(1000, |_| json!({"latitude": long_double(random, 90.0), "longitude": long_double(random, 180.0)}))
}

/// Integers of 64 to 80 bits; in memory the longer ones are doubles.
fn vast(random: &mut Random) -> Value {
    repeat(1000, |at| match at % 2 {
        0 => json!(u64::MAX - random.below(1 << 40) as u64),
        _ => json!((random.below(1 << 53) as f64) * 134_217_728.0),
    })
}

fn multiples() -> Value {
    json!({
        "type": "object",
        "properties": {
            "price": {"type": "number", "multipleOf": 0.01},
            "share": {"type": "number", "multipleOf": 0.25},
            "count": {"type": "number", "multipleOf": 3},
            "sizes": {"type": "array", "items": {"type": "array", "items": {"type": "number", "multipleOf": 0.5}}},
        },
    })
}

fn multiples_documents(random: &mut Random) -> Value {
    repeat(100, |_| {
        json!({
            "price": random.below(1_000_000) as f64 / 100.0,
            "share": random.below(1000) as f64 / 4.0,
            "count": random.below(1_000_000) * 3,
            "sizes": [[0.5, 1, random.below(1000) as f64 / 2.0], [random.below(1_000_000) as f64 / 2.0]],
        })
    })
}

fn fractions(random: &mut Random) -> Value {
    repeat(500, |at| match at % 3 {
        0 => json!(random.below(1 << 50)),
        1 => json!(at as f64 + random.below(1000) as f64 / 1000.0),
        _ => json!(long_double(random, 1000.0)),
    })
}

/// Doubles that an enumeration lists.
const LEVELS: [f64; 8] = [0.1, 0.25, 0.5, 0.75, 1.5, 2.5, 12.125, 0.123_456_789_012_345_68];

fn number_enums() -> Value {
    json!({
        "type": "object",
        "properties": {
            "level": {"enum": LEVELS},
            "power": {"enum": (0..40).map(|power| 1_u64 << power).collect::<Vec<_>>()},
            "one": {"const": 1.5},
        },
    })
}

fn number_enums_documents(random: &mut Random) -> Value {
    repeat(200, |_| json!({"level": random.pick(&LEVELS), "power": 1_u64 << random.below(40), "one": 1.5}))
}

/// Texts of which many characters are written with a backslash.
fn escaped(random: &mut Random) -> Value {
    repeat(200, |_| {
        let words = (0..16).map(|_| random.word(2, 12));
        json!(words.collect::<Vec<_>>().join("\n\t\"é\""))
    })
}

fn point() -> Value {
    json!({
        "type": "object",
        "required": ["x", "y"],
        "properties": {
            "x": {"type": "number"},
            "y": {"type": "number"},
            "name": {"type": "string", "minLength": 1},
            "visible": {"type": "boolean"},
        },
    })
}

fn points(random: &mut Random) -> Value {
    repeat(500, |at| json!({"x": at, "y": at as f64 / 2.0, "name": random.word(4, 12), "visible": true}))
}

fn words(random: &mut Random) -> Value {
    repeat(500, |at| json!(format!("{}-{at}", random.word(3, 14))))
}

fn wide() -> Value {
    let properties: serde_json::Map<String, Value> = (0..100)
        .map(|at| {
            let shape = match at % 4 {
                0 => json!({"type": "string", "maxLength": 20}),
                1 => json!({"type": "integer", "minimum": 0}),
                2 => json!({"type": "boolean"}),
                _ => json!({"type": "array", "items": {"type": "string"}}),
            };
            (format!("setting{at:02}Of{}", ["Server", "Client", "Cache"][at % 3]), shape)
        })
        .collect();
    json!({"type": "object", "properties": properties})
}

fn wide_document(count: usize) -> Value {
    let wide = wide();
    let names = wide.pointer("/properties").and_then(Value::as_object).into_iter().flat_map(|it| it.keys());
    let members: serde_json::Map<String, Value> = names
        .enumerate()
        .step_by(100 / count)
        .map(|(at, name)| {
            let value = match at % 4 {
                0 => json!("on"),
                1 => json!(at),
                2 => json!(false),
                _ => json!(["a", "b"]),
            };
            (name.clone(), value)
        })
        .collect();
    Value::Object(members)
}

fn map() -> Value {
    json!({
        "type": "object",
        "propertyNames": {"pattern": "^[a-z][a-z0-9.-]*$", "maxLength": 40},
        "patternProperties": {"^count-": {"type": "integer"}},
        "additionalProperties": {"type": "string", "maxLength": 100},
    })
}

fn map_document(random: &mut Random) -> Value {
    let members = (0..200).map(|at| match at % 5 {
        0 => (format!("count-{}", random.word(3, 9)), json!(at)),
        _ => (format!("{}.{at}", random.word(3, 12)), json!(random.word(0, 60))),
    });
    Value::Object(members.collect())
}

/// An object of texts, each with a rule of its own.
fn texts(rule: &str, properties: &[(&str, &str)]) -> Value {
    let properties = properties.iter().map(|(name, operand)| {
        let mut text = json!({"type": "string"});
        text[rule] = json!(operand);
        ((*name).to_owned(), text)
    });
    json!({"type": "object", "properties": Value::Object(properties.collect())})
}

fn patterns() -> Value {
    texts(
        "pattern",
        &[
            ("id", "^[a-z][a-z0-9-]{1,61}[a-z0-9]$"),
            ("version", "^(0|[1-9]\\d*)\\.(0|[1-9]\\d*)\\.(0|[1-9]\\d*)$"),
            ("path", "^/"),
            ("image", "^[a-z0-9]+(?:[._-][a-z0-9]+)*(?:/[a-z0-9]+)*:[\\w.-]{1,127}$"),
            ("digest", "^sha256:[a-f0-9]{64}$"),
            ("hint", "colou?r|shape"),
        ],
    )
}

fn patterns_documents(random: &mut Random) -> Value {
    repeat(100, |at| {
        json!({
            "id": format!("{}-{at}", random.word(3, 20)),
            "version": format!("{}.{}.{at}", random.below(20), random.below(20)),
            "path": format!("/{}/{}", random.word(2, 8), random.word(2, 8)),
            "image": format!("{}.{}/{}:v{at}", random.word(3, 8), random.word(3, 8), random.word(3, 8)),
            "digest": format!("sha256:{}", "0123456789abcdef".repeat(4)),
            "hint": format!("{} the color of {}", random.word(3, 30), random.word(3, 10)),
        })
    })
}

fn formats() -> Value {
    texts(
        "format",
        &[
            ("at", "date-time"),
            ("day", "date"),
            ("key", "uuid"),
            ("mail", "email"),
            ("host", "hostname"),
            ("address", "ipv4"),
            ("long", "ipv6"),
            ("link", "uri"),
        ],
    )
}

fn formats_documents(random: &mut Random) -> Value {
    repeat(100, |at| {
        json!({
            "at": format!("20{:02}-03-{:02}T12:30:{:02}.25Z", at % 90 + 10, at % 28 + 1, at % 60),
            "day": format!("20{:02}-02-{:02}", at % 90 + 10, at % 28 + 1),
            "key": format!("f81d4fae-7dec-11d0-a765-{:012x}", at * 7919),
            "mail": format!("{}@{}.example.com", random.word(3, 10), random.word(3, 10)),
            "host": format!("{}.{}.example.org", random.word(3, 10), random.word(3, 10)),
            "address": format!("10.{}.{}.{}", at % 256, random.below(256), random.below(256)),
            "long": format!("2001:db8::{:x}:{:x}", at, random.below(65536)),
            "link": format!("https://{}.example.com/{}?q={at}#top", random.word(3, 10), random.word(3, 10)),
        })
    })
}

fn enums() -> Value {
    let regions: Vec<String> =
        (0..60).map(|at| format!("{}{}", ["north", "south", "east", "west"][at % 4], at / 4)).collect();
    json!({
        "type": "object",
        "required": ["region", "size", "level"],
        "properties": {
            "region": {"enum": regions},
            "size": {"enum": ["small", "medium", "large"]},
            "level": {"enum": [1, 2, 3, 5, 8, 13]},
            "mode": {"enum": ["auto", 0, false, null]},
            "version": {"const": 2},
            "state": {"type": "string", "enum": ["running", "stopped"]},
        },
    })
}

fn enums_documents(random: &mut Random) -> Value {
    repeat(100, |at| {
        json!({
            "region": format!("{}{}", ["north", "south", "east", "west"][at % 4], random.below(15)),
            "size": random.pick(&["small", "medium", "large"]),
            "level": random.pick(&[1, 2, 3, 5, 8, 13]),
            "mode": random.pick(&[json!("auto"), json!(0), json!(false), Value::Null]),
            "version": 2,
            "state": random.pick(&["running", "stopped"]),
        })
    })
}

/// The kinds of event, each with a property of its own.
const KINDS: [&str; 12] = [
    "created", "deleted", "renamed", "moved", "copied", "opened", "closed", "locked", "unlocked", "shared",
    "tagged", "archived",
];

fn events(discriminated: bool) -> Value {
    let definitions: serde_json::Map<String, Value> = KINDS
        .iter()
        .map(|kind| {
            let shape = closed(json!({
                "type": "object",
                "required": ["kind", "id"],
                "properties": {
                    "kind": {"const": kind},
                    "id": {"type": "integer", "minimum": 0},
                    "by": {"type": "string"},
                    format!("{kind}Details"): {"type": "string", "maxLength": 40},
                },
            }));
            ((*kind).to_owned(), shape)
        })
        .collect();
    let choices: Vec<Value> = KINDS.iter().map(|kind| json!({"$ref": format!("#/$defs/{kind}")})).collect();
    let mut choice = json!({"oneOf": choices});
    if let (true, Some(choice)) = (discriminated, choice.as_object_mut()) {
        choice.insert("discriminator".to_owned(), json!({"propertyName": "kind"}));
    }
    json!({"type": "array", "items": choice, "$defs": definitions})
}

fn events_documents(random: &mut Random) -> Value {
    repeat(200, |at| {
        let kind = random.pick(&KINDS).copied().unwrap_or_default();
        json!({"kind": kind, "id": at, "by": random.word(3, 10), format!("{kind}Details"): random.word(0, 40)})
    })
}

fn by_type() -> Value {
    json!({
        "anyOf": [
            {"type": "string", "maxLength": 50},
            {"type": "number", "minimum": 0},
            {"type": "array", "items": {"type": "boolean"}},
            closed(point()),
        ],
    })
}

fn by_type_documents(random: &mut Random) -> Value {
    repeat(400, |at| match at % 4 {
        0 => json!(random.word(0, 50)),
        1 => json!(random.below(1000)),
        2 => json!([true, false, true]),
        _ => json!({"x": at, "y": 0.5, "name": "origin", "visible": false}),
    })
}

fn all_of() -> Value {
    json!({
        "allOf": [
            point(),
            {"properties": {"z": {"type": "number"}}, "required": ["z"]},
            {"minProperties": 3, "not": {"required": ["w"]}},
        ],
    })
}

fn all_of_documents(random: &mut Random) -> Value {
    repeat(200, |at| json!({"x": at, "y": random.below(100), "z": 1.5, "name": "p", "visible": true}))
}
