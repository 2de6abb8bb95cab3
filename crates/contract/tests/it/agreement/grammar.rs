//! Random contracts and documents from a small alphabet, so that they meet often.

use proptest::prelude::*;
use proptest::sample::select;
use serde_json::{Map, Value, json};

/// Which words a contract may use.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Words {
    /// Those that mean the same in JSON Schema.
    Shared,
    /// All of them.
    All,
}

const NAMES: [&str; 4] = ["a", "b", "c", "s"];
const TEXTS: [&str; 8] = ["", "a", "b", "ab", "abc", "é", "😀😀", "1"];

fn name() -> impl Strategy<Value = String> {
    select(&NAMES[..]).prop_map(str::to_owned)
}

fn number() -> impl Strategy<Value = Value> {
    prop_oneof![
        4 => (-2i64..6).prop_map(|n| json!(n)),
        2 => (-4i64..12).prop_map(|n| json!(n as f64 / 2.0)),
        1 => select(vec![json!(i64::MAX), json!(i64::MIN), json!(u64::MAX), json!(1e300), json!(0.1), json!(0.3)]),
    ]
}

fn scalar() -> impl Strategy<Value = Value> {
    prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        number(),
        select(&TEXTS[..]).prop_map(Value::from),
    ]
}

/// A random document.
pub(crate) fn document() -> impl Strategy<Value = Value> {
    scalar().prop_recursive(4, 40, 5, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..5).prop_map(Value::from),
            prop::collection::vec((name(), inner), 0..5)
                .prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    })
}

fn count() -> impl Strategy<Value = Value> {
    (0u64..4).prop_map(Value::from)
}

fn bound(words: Words) -> BoxedStrategy<Value> {
    match words {
        Words::Shared => number().boxed(),
        Words::All => prop_oneof![4 => number(), 1 => operand()].boxed(),
    }
}

/// An operand that is known only when a value is checked.
fn operand() -> impl Strategy<Value = Value> {
    prop_oneof![
        name().prop_map(|name| json!({"$field": name})),
        (name(), 0i64..3).prop_map(|(name, index)| json!({"$field": [name, index]})),
        (name(), name()).prop_map(|(name, key)| json!({"$field": [name, key]})),
        Just(json!({"$own": []})),
        Just(json!({"$own": [0]})),
        Just(json!({"$current": []})),
        name().prop_map(|name| json!({"$call": "len", "arguments": [{"$field": name}]})),
        Just(json!({"$call": "len", "arguments": [{"$own": []}]})),
    ]
}

const TYPES: [&str; 7] = ["null", "boolean", "integer", "number", "string", "array", "object"];

fn types() -> impl Strategy<Value = Value> {
    prop_oneof![
        select(&TYPES[..]).prop_map(Value::from),
        prop::sample::subsequence(&TYPES[..], 1..4).prop_map(|types| json!(types)),
    ]
}

/// What numbers are multiples of. Ours are exact decimals, others have doubles: 1e300 is a multiple of 3 only after rounding. With powers of two, both are the same.
fn divisors(words: Words) -> Vec<Value> {
    let mut divisors = vec![json!(1), json!(2), json!(0.5), json!(4)];
    if words == Words::All {
        divisors.push(json!(3));
    }
    divisors
}

/// One word without shapes inside.
fn simple_word(words: Words) -> BoxedStrategy<(String, Value)> {
    let word = |name: &str, value: BoxedStrategy<Value>| {
        let name = name.to_owned();
        value.prop_map(move |value| (name.clone(), value)).boxed()
    };
    let names = || prop::sample::subsequence(&NAMES[..], 1..3).prop_map(|names| json!(names)).boxed();
    let mut choices = vec![
        word("type", types().boxed()),
        word("type", types().boxed()),
        word("enum", prop::collection::vec(document(), 1..4).prop_map(Value::from).boxed()),
        word("enum", prop::collection::vec(scalar(), 9..12).prop_map(Value::from).boxed()),
        word("const", document().boxed()),
        word("minLength", count().boxed()),
        word("maxLength", count().boxed()),
        word("minItems", count().boxed()),
        word("maxItems", count().boxed()),
        word("minProperties", count().boxed()),
        word("maxProperties", count().boxed()),
        word("multipleOf", select(divisors(words)).boxed()),
        word(
            "pattern",
            select(vec![json!("a"), json!("^a"), json!("^[ab]+$"), json!("b$"), json!("^.{2}$")]).boxed(),
        ),
        word("uniqueItems", any::<bool>().prop_map(Value::from).boxed()),
        word("required", prop::sample::subsequence(&NAMES[..], 1..3).prop_map(|names| json!(names)).boxed()),
        word("dependentRequired", (name(), names()).prop_map(|(name, others)| json!({name: others})).boxed()),
        word("$ref", select(vec![json!("#/$defs/one"), json!("#/$defs/two"), json!("#")]).boxed()),
    ];
    for name in ["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"] {
        choices.push(word(name, bound(words)));
    }
    if words == Words::All {
        for name in ["eq", "ne", "lt", "le", "gt", "ge"] {
            choices.push(word(name, bound(words)));
        }
        for name in ["prefix", "suffix", "containsText", "notContainsText"] {
            choices.push(word(name, select(&TEXTS[..]).prop_map(Value::from).boxed()));
        }
        for name in ["anyRequired", "oneRequired"] {
            choices.push(word(name, names()));
        }
        choices.extend([
            word(
                "dependentExcluded",
                (name(), names()).prop_map(|(name, others)| json!({name: others})).boxed(),
            ),
            word("notIn", prop::collection::vec(document(), 1..4).prop_map(Value::from).boxed()),
            word("enum", prop::collection::vec(operand(), 1..3).prop_map(Value::from).boxed()),
            word("minBytes", count().boxed()),
            word("maxUtf16", operand().boxed()),
            word("nullable", any::<bool>().prop_map(Value::from).boxed()),
            word("secret", Just(json!(true)).boxed()),
            word("format", select(vec![json!("int8"), json!("date"), json!("ipv4")]).boxed()),
            word("assert", operand().boxed()),
            word("re2", Just(json!("^a")).boxed()),
            word("bre", Just(json!("b\\{1\\}")).boxed()),
        ]);
    }
    prop::strategy::Union::new(choices).boxed()
}

fn shape_of(words: Vec<(String, Value)>) -> Value {
    Value::Object(words.into_iter().collect::<Map<String, Value>>())
}

/// A random shape.
fn shape(words: Words) -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        8 => prop::collection::vec(simple_word(words), 0..4).prop_map(shape_of),
        1 => any::<bool>().prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 24, 4, move |inner| {
        let inner = inner.boxed();
        let shapes = || prop::collection::vec(inner.clone(), 1..4).prop_map(Value::from).boxed();
        let by_name = || {
            prop::collection::vec((name(), inner.clone()), 1..4)
                .prop_map(|members| Value::Object(members.into_iter().collect()))
                .boxed()
        };
        let by_pattern = prop::collection::vec((select(vec!["a", "^[bc]$", "s"]), inner.clone()), 1..3)
            .prop_map(|members| Value::Object(members.into_iter().map(|(k, v)| (k.to_owned(), v)).collect()))
            .boxed();
        let mut choices: Vec<BoxedStrategy<(String, Value)>> = vec![simple_word(words)];
        for name in ["properties", "properties", "properties"] {
            choices.push(by_name().prop_map(move |value| (name.to_owned(), value)).boxed());
        }
        choices.push(by_pattern.prop_map(|value| ("patternProperties".to_owned(), value)).boxed());
        choices.push(by_name().prop_map(|value| ("dependentSchemas".to_owned(), value)).boxed());
        for name in ["anyOf", "oneOf", "allOf", "prefixItems"] {
            choices.push(shapes().prop_map(move |value| (name.to_owned(), value)).boxed());
        }
        choices.extend(["minContains", "maxContains"].map(|name| {
            let words = (inner.clone(), count());
            words
                .prop_map(move |(shape, count)| {
                    ("allOf".to_owned(), json!([{"contains": shape, name: count}]))
                })
                .boxed()
        }));
        let mut single = vec!["contains", "items", "additionalProperties", "propertyNames", "not"];
        if words == Words::All {
            single.push("values");
        }
        for name in single {
            choices.push(inner.clone().prop_map(move |value| (name.to_owned(), value)).boxed());
        }
        let conditions = prop::collection::vec(inner.clone(), 1..4).prop_map(|shapes| {
            let words = ["if", "then", "else"].map(str::to_owned);
            words.into_iter().zip(shapes).collect::<Vec<_>>()
        });
        let others = prop::collection::vec(prop::strategy::Union::new(choices), 1..5);
        (others, prop::option::weighted(0.2, conditions)).prop_map(|(others, conditions)| {
            shape_of(others.into_iter().chain(conditions.into_iter().flatten()).collect())
        })
    })
}

/// A random contract with two definitions.
pub(crate) fn contract(words: Words) -> impl Strategy<Value = Value> {
    (shape(words), shape(words), shape(words)).prop_map(|(root, one, two)| {
        let mut root = match root {
            Value::Object(root) => root,
            other => Map::from_iter([("allOf".to_owned(), json!([other]))]),
        };
        root.insert("$defs".to_owned(), json!({"one": one, "two": two}));
        Value::Object(root)
    })
}
