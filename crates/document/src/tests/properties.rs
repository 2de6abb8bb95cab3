//! What holds for every text.

use ::value::Node;
use proptest::prelude::*;

use crate::{Document, FileId, JsonOptions, ReadLimits, SourceValue};

/// Any JSON value.
fn json() -> impl Strategy<Value = serde_json::Value> {
    let leaf = prop_oneof![
        Just(serde_json::Value::Null),
        any::<bool>().prop_map(Into::into),
        any::<i64>().prop_map(Into::into),
        any::<u64>().prop_map(Into::into),
        any::<f64>().prop_map(Into::into),
        ".*".prop_map(Into::into),
        "[\\x00-\\x7f]{0,40}".prop_map(Into::into),
    ];
    leaf.prop_recursive(6, 200, 24, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..24).prop_map(Into::into),
            prop::collection::btree_map(".{0,12}", inner, 0..24)
                .prop_map(|members| serde_json::Value::Object(members.into_iter().collect())),
        ]
    })
}

fn to_serde(value: SourceValue<'_>) -> serde_json::Value {
    match value.node() {
        Node::Null => serde_json::Value::Null,
        Node::Bool(truth) => truth.into(),
        Node::Int(number) => number.into(),
        Node::UInt(number) => number.into(),
        Node::Float(number) => number.into(),
        Node::Decimal(literal) => literal.parse::<f64>().unwrap().into(),
        Node::Text(text) => text.into(),
        Node::Bytes(_) | Node::Unknown => panic!("a document has neither"),
        Node::List(_) => value.items().map(to_serde).collect(),
        Node::Object(_) => {
            value.members().map(|(key, value)| (key.as_str().unwrap().to_owned(), to_serde(value))).collect()
        }
    }
}

/// Every value's place must hold text that reads as that value.
fn places_slice_back(value: SourceValue<'_>) {
    let again = Document::from_json(value.source(), FileId::FIRST, &ReadLimits::default()).unwrap();
    assert_eq!(again.root().to_json_string(), value.to_json_string());
    for item in value.items() {
        places_slice_back(item);
    }
    for (key, member) in value.members() {
        let name = Document::from_json(key.source(), FileId::FIRST, &ReadLimits::default()).unwrap();
        assert_eq!(name.root().as_str(), key.as_str());
        assert_eq!(value.member(key.as_str().unwrap()).unwrap().place(), member.place());
        places_slice_back(member);
    }
}

fn json_like() -> impl Strategy<Value = String> {
    let token = prop_oneof![
        prop::sample::select(vec![
            "{", "}", "[", "]", ",", ":", "\"", "\\", "\\u", "d800", "\"a\"", "\"b\":", "1", "-", "0", ".",
            "e", "true", "nul", " ", "\n", "//", "/*", "*/", "'", "\u{0}", "é", "😀",
        ])
        .prop_map(str::to_owned),
        ".",
    ];
    // A byte order mark is the reader's own allowance, and only where a text starts.
    let token = token.prop_filter("a byte order mark", |token| token != "\u{feff}");
    prop::collection::vec(token, 0..40).prop_map(|tokens| tokens.concat())
}

fn yaml_like() -> impl Strategy<Value = String> {
    let token = prop_oneof![
        prop::sample::select(vec![
            "{",
            "}",
            "[",
            "]",
            ", ",
            ": ",
            ":",
            "- ",
            "? ",
            "\"",
            "'",
            "\\",
            "&a ",
            "*a",
            "&b ",
            "*b",
            "<<: ",
            "!!str ",
            "!!int ",
            "!x ",
            "! ",
            "|",
            ">-",
            "\n",
            "\n  ",
            "\n    ",
            " ",
            "\t",
            "# c",
            "---",
            "...",
            "%YAML 1.2\n",
            "a",
            "b",
            "1",
            "0x1F",
            ".5",
            "~",
            "\u{0}",
            "\u{feff}",
            "é",
            "😀",
            "\r\n",
            "\u{85}",
            "\u{2028}",
        ])
        .prop_map(str::to_owned),
        ".",
    ];
    prop::collection::vec(token, 0..40).prop_map(|tokens| tokens.concat())
}

/// All places are inside the text, and a container's holds those of its parts unless they are aliases.
fn places_are_in_the_text(value: SourceValue<'_>) {
    let place = value.place();
    assert!(
        place.start <= place.end
            && value.document().text().get(place.start as usize..place.end as usize).is_some()
    );
    value.items().for_each(places_are_in_the_text);
    for (key, member) in value.members() {
        places_are_in_the_text(key);
        places_are_in_the_text(member);
        assert_eq!(value.member(key.as_str().unwrap()).unwrap().to_string(), member.to_string());
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn what_is_printed_reads_back_equal(value in json()) {
        for text in [value.to_string(), format!("{value:#}")] {
            let document = Document::from_json(&text, FileId::FIRST, &ReadLimits::default()).unwrap();
            prop_assert_eq!(&to_serde(document.root()), &value);
            let printed = Document::from_json(document.root().to_json_string(), FileId::FIRST, &ReadLimits::default()).unwrap();
            prop_assert_eq!(&to_serde(printed.root()), &value);
            places_slice_back(document.root());
        }
    }

    #[test]
    fn arbitrary_bytes_never_panic(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        let _ = Document::from_json_with(bytes, FileId::FIRST, &ReadLimits::default(), JsonOptions::RELAXED);
    }

    #[test]
    fn the_strict_reader_accepts_what_the_standard_accepts(text in json_like()) {
        let ours = Document::from_json(&text, FileId::FIRST, &ReadLimits::default());
        let theirs = serde_json::from_str::<serde_json::Value>(&text);
        match (ours, theirs) {
            (Ok(_), Ok(_)) | (Err(_), Err(_)) => {}
            // Numbers that no double holds are ours alone.
            (Ok(_), Err(error)) => prop_assert!(error.to_string().contains("number out of range"), "{}", text),
            (Err(error), Ok(_)) => {
                prop_assert!(error.to_string().contains("already a member"), "{}: {}", text, error);
            }
        }
        let _ = Document::from_json_with(text, FileId::FIRST, &ReadLimits::default(), JsonOptions::RELAXED);
    }

    #[test]
    fn json_reads_as_yaml_with_the_same_values(value in json()) {
        let text = serde_json::to_string(&value).unwrap();
        let yaml = Document::from_yaml(&text, FileId::FIRST, &ReadLimits::default());
        // YAML refuses some control characters that JSON allows in strings, and very long keys.
        if let Ok(yaml) = yaml {
            prop_assert_eq!(&to_serde(yaml.root()), &value);
            places_are_in_the_text(yaml.root());
        }
    }

    #[test]
    fn arbitrary_yaml_never_panics(text in yaml_like()) {
        if let Ok(documents) = Document::from_yaml_stream(&text, FileId::FIRST, &ReadLimits::default()) {
            documents.iter().for_each(|document| places_are_in_the_text(document.root()));
        }
    }

    #[test]
    fn arbitrary_bytes_never_panic_as_yaml(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        let _ = Document::from_yaml(bytes, FileId::FIRST, &ReadLimits::default());
    }
}
