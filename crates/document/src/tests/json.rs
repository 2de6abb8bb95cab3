//! JSON as it should be: what a document says about its text.

use ::value::{Node, View};
use diagnostics::{FileId, Span};

use crate::{Document, JsonOptions, ReadLimits, SourceValue};

fn read(text: &str) -> Document {
    Document::from_json(text, FileId(7), &ReadLimits::default())
        .unwrap_or_else(|error| panic!("{text}: {error}"))
}

#[test]
fn the_ends_of_the_integers_are_integers() {
    let document = read("[-9223372036854775808, 9223372036854775807, -9223372036854775809]");
    let nodes: Vec<Node<'_>> = document.root().items().map(SourceValue::node).collect();
    assert_eq!(nodes, [Node::Int(i64::MIN), Node::Int(i64::MAX), Node::Decimal("-9223372036854775809")]);
}

#[test]
fn a_number_that_is_its_text_knows_the_nearest_double() {
    let literals =
        ["0.12345678901234567", "-18446744073709551616", "1e999", "-1.5e-400", "1234567890123456e5"];
    let document = read(&format!("[{}]", literals.join(", ")));
    for (literal, value) in literals.into_iter().zip(document.root().items()) {
        assert_eq!(value.node(), Node::Decimal(literal));
        assert_eq!(value.nearest(), literal.parse().ok(), "{literal}");
    }
    let others = read(r#"[1, 1.5, 18446744073709551615, "0.12345678901234567", [], null]"#);
    assert!(others.root().items().all(|value| value.nearest().is_none()));
}

#[test]
fn every_kind_of_value_has_its_node() {
    let document = read(r#"[null, true, false, 1, 18446744073709551615, 1.5, 1e999, "t", [0], {"a": 0}]"#);
    let nodes: Vec<Node<'_>> = document.root().items().map(SourceValue::node).collect();
    assert_eq!(
        nodes,
        [
            Node::Null,
            Node::Bool(true),
            Node::Bool(false),
            Node::Int(1),
            Node::UInt(u64::MAX),
            Node::Float(1.5),
            Node::Decimal("1e999"),
            Node::Text("t"),
            Node::List(1),
            Node::Object(1),
        ]
    );
}

#[test]
fn integers_are_read_to_the_ends_of_their_range() {
    let document = read("[-9223372036854775808, 9223372036854775807, 18446744073709551615]");
    let nodes: Vec<Node<'_>> = document.root().items().map(|item| item.node()).collect();
    assert_eq!(nodes, [Node::Int(i64::MIN), Node::Int(i64::MAX), Node::UInt(u64::MAX)]);
}

#[test]
fn members_keep_their_order_and_know_where_they_are() {
    let document = read("{ \"b\" : [1, 2],\n  \"a\\n\": {} }");
    let members: Vec<_> =
        document.root().members().map(|(key, value)| (key.as_str(), key.place(), value.place())).collect();
    let place = |start, end| Span { file: FileId(7), start, end };
    assert_eq!(
        members,
        [(Some("b"), place(2, 5), place(8, 14)), (Some("a\n"), place(18, 23), place(25, 27))]
    );
    assert_eq!(document.root().place(), place(0, 29));
    assert_eq!(document.root().member("b").map(SourceValue::source), Some("[1, 2]"));
    let (key, value) = document.root().member_with_key("a\n").unwrap();
    assert_eq!((key.source(), value.source()), ("\"a\\n\"", "{}"));
}

#[test]
fn parts_of_a_value_that_has_none_are_empty() {
    let document = read(r#"["text", [], {}]"#);
    for value in document.root().items() {
        assert_eq!((value.items().count(), value.members().count()), (0, 0));
        assert!(value.item(0).is_none());
        assert!(value.member("text").is_none());
    }
}

#[test]
fn elements_are_found_by_position_in_flat_and_nested_lists() {
    let document = read("[[10, 11, 12], [[], 21, [22]]]");
    let at =
        |list, index| document.root().item(list).and_then(|list| list.item(index)).map(SourceValue::source);
    assert_eq!((at(0, 0), at(0, 2), at(0, 3)), (Some("10"), Some("12"), None));
    assert_eq!((at(1, 0), at(1, 1), at(1, 2), at(1, 3)), (Some("[]"), Some("21"), Some("[22]"), None));
}

#[test]
fn members_are_found_by_name_in_objects_of_any_size() {
    for size in [0, 1, 15, 16, 17, 18, 100, 5_000] {
        let members: Vec<String> =
            (0..size).map(|n| format!("\"key\\u0020{n}\": [{n}, {{\"x\": {n}}}]")).collect();
        let document = read(&format!("{{{}}}", members.join(",")));
        assert_eq!(document.root().node(), Node::Object(size));
        assert_eq!(document.root().members().len(), size);
        assert_eq!(document.root().members().count(), size);
        for n in 0..size {
            let found = document.root().pointer(&format!("/key {n}/1/x")).map(SourceValue::node);
            assert_eq!(found, Some(Node::Int(n as i64)), "of {size}");
        }
        assert!(document.root().member("key").is_none());
        assert!(document.root().member(&format!("key {size}")).is_none());
    }
}

#[test]
fn a_large_object_is_followed_by_its_siblings() {
    let members: Vec<String> = (0..40).map(|n| format!("\"{n}\": {n}")).collect();
    let large = format!("{{{}}}", members.join(","));
    let document = read(&format!("[{large}, [{large}], 5]"));
    assert_eq!(document.root().item(2).map(SourceValue::node), Some(Node::Int(5)));
    assert_eq!(document.root().pointer("/1/0/39").map(SourceValue::node), Some(Node::Int(39)));
    assert_eq!(document.root().item(0).unwrap().to_json_string(), large.replace(": ", ":"));
}

#[test]
fn the_view_reads_what_the_value_reads() {
    fn first_member<'v, V: View<'v>>(view: V) -> (Node<'v>, Node<'v>, Option<Span>) {
        let (key, value) = view.members().next().unwrap();
        (key.node(), value.node(), view.member("a").and_then(View::place))
    }
    let document = read(r#"{"a": 1}"#);
    let place = Span { file: FileId(7), start: 6, end: 7 };
    assert_eq!(first_member(document.root()), (Node::Text("a"), Node::Int(1), Some(place)));
}

#[test]
fn a_byte_order_mark_is_stepped_over() {
    let document = read("\u{feff} 1");
    assert_eq!(document.root().node(), Node::Int(1));
    assert_eq!(document.root().place().start, 4);
}

#[test]
fn bytes_and_owned_text_are_read_alike() {
    let limits = ReadLimits::default();
    let owned = "[1]".to_owned();
    for document in [
        Document::from_json(b"[1]", FileId::FIRST, &limits),
        Document::from_json(b"[1]".to_vec(), FileId::FIRST, &limits),
        Document::from_json(owned.clone(), FileId::FIRST, &limits),
        Document::from_json(&owned, FileId::FIRST, &limits),
    ] {
        assert_eq!(document.unwrap().root().to_json_string(), "[1]");
    }
}

#[test]
fn comments_and_trailing_commas_are_read_where_asked_for() {
    let text =
        "// head\n{ /* a */ \"a\" /**/ : // b\n [1, /* , */ 2,], \"u\": \"// no /* comment\", } // tail";
    let both =
        Document::from_json_with(text, FileId::FIRST, &ReadLimits::default(), JsonOptions::RELAXED).unwrap();
    assert_eq!(both.root().to_json_string(), r#"{"a":[1,2],"u":"// no /* comment"}"#);

    let commas = JsonOptions { trailing_commas: true, ..JsonOptions::STRICT };
    assert!(Document::from_json_with("[1,]", FileId::FIRST, &ReadLimits::default(), commas).is_ok());
    assert!(Document::from_json_with("[1] // x", FileId::FIRST, &ReadLimits::default(), commas).is_err());
    for text in ["[,]", "[1,,]", "{,}", "/* open", "[1] /", "[1] /* * /"] {
        assert!(
            Document::from_json_with(text, FileId::FIRST, &ReadLimits::default(), JsonOptions::RELAXED)
                .is_err(),
            "{text}"
        );
    }
}

#[test]
fn templates_may_have_bare_keys_single_quotes_and_raw_line_breaks() {
    let read = |text: &str| {
        Document::from_json_with(text, FileId::FIRST, &ReadLimits::default(), JsonOptions::TEMPLATE)
            .map(|document| document.root().to_string())
            .map_err(|error| error.to_string())
    };
    let ok = |text: &str| Ok(text.to_owned());
    assert_eq!(read("{template:{a:1,$schema : 'x',},}"), ok(r#"{"template":{"a":1,"$schema":"x"}}"#));
    assert_eq!(
        read("['it\\'s', \"it\\'s\", '\"', 'a\\n\\u0041', '']"),
        ok(r#"["it's","it's","\"","a\nA",""]"#)
    );
    assert_eq!(read("[\"a\n\tb\", 'c\r\nd', \"e\\\\\nf\"]"), ok(r#"["a\n\tb","c\r\nd","e\\\nf"]"#));
    assert_eq!(read("{'a': 1, a: 2}"), Err("the key `a` is already a member of this object".to_owned()));
    for text in ["[abc]", "{a b: 1}", "{1a: 1}", "['a]", "[\"a\n", "{'a' 1}", "[1,,2]", "'a\\q'"] {
        assert!(read(text).is_err(), "{text}");
    }
}

#[test]
fn a_handle_without_a_lifetime_finds_its_value_again() {
    let document =
        Document::from_json(r#"{"a": [1, {"b": "ä x"}]}"#, FileId::FIRST, &ReadLimits::default()).unwrap();
    let inner = document.root().pointer("/a/1").unwrap();
    assert_eq!(document.value(inner.id()).source(), r#"{"b": "ä x"}"#);
}

#[test]
fn offsets_have_lines_and_columns() {
    let document = Document::from_json("[1,\n \"ä\", 2\r\n]", FileId::FIRST, &ReadLimits::default()).unwrap();
    let at = |pointer: &str| document.position(document.root().pointer(pointer).unwrap().place().start);
    assert_eq!([at("/0"), at("/1"), at("/2")], [(1, 2), (2, 2), (2, 7)]);
    assert_eq!(document.position(9999), (3, 2));
}
