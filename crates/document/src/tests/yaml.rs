//! YAML as it should be: the same documents as JSON makes.

use ::value::Node;

use crate::{Document, FileId, ReadLimits, SourceValue};

fn read(text: &str) -> Document {
    Document::from_yaml(text, FileId::FIRST, &ReadLimits::default())
        .unwrap_or_else(|error| panic!("{text}: {error} {error:?}"))
}

#[track_caller]
fn reads(text: &str, json: &str) {
    assert_eq!(read(text).root().to_json_string(), json, "{text}");
}

#[test]
fn collections_and_scalars() {
    reads(
        "a: 1\nb:\n- x\n- y: [1, {z: 2}]\n-\nc: {}\n",
        r#"{"a":1,"b":["x",{"y":[1,{"z":2}]},null],"c":{}}"#,
    );
    reads("just text", r#""just text""#);
    reads("'it''s'", r#""it's""#);
    reads(r#""\x41\u00e9\t""#, r#""Aé\t""#);
    reads("- a\n  b\n- >\n  c\n  d\n- |\n  e\n  f\n", r#"["a b","c d\n","e\nf\n"]"#);
    reads("", "null");
    reads("# only a comment\n", "null");
    reads("---\n...\n", "null");
    reads("\u{feff}a: 1", r#"{"a":1}"#);
}

#[test]
fn plain_scalars_follow_the_core_schema() {
    reads("[yes, no, on, off, y, N]", r#"["yes","no","on","off","y","N"]"#);
    reads("[true, True, FALSE, null, ~, Null]", "[true,true,false,null,null,null]");
    reads("[0o17, 0x1F, 017, +3, -0]", "[15,31,17,3,0]");
    reads("[1.50, .5, 5., 1e3, +1.5]", "[1.50,0.5,5.0,1e3,1.5]");
    reads("[.inf, -.INF, .nan]", "[.inf,-.inf,.nan]");
    reads("['1', \"true\", \"~\", !!str 12, ! 12]", r#"["1","true","~","12","12"]"#);
    reads("[1:30, 2024-01-01, 1_000, 1.2.3]", r#"["1:30","2024-01-01","1_000","1.2.3"]"#);
    let document = read("[9007199254740993, 18446744073709551615, +00.12345678901234567890]");
    let nodes: Vec<Node<'_>> = document.root().items().map(SourceValue::node).collect();
    let exact =
        [Node::Int(9_007_199_254_740_993), Node::UInt(u64::MAX), Node::Decimal("0.12345678901234567890")];
    assert_eq!(nodes, exact);
}

#[test]
fn core_tags_hold() {
    reads("[!!int '12', !!float 3, !!bool 'true', !!null '', !!str ~]", r#"[12,3.0,true,null,"~"]"#);
    reads("!!map {a: !!seq [!!str 1]}", r#"{"a":["1"]}"#);
    reads("!<tag:yaml.org,2002:str> 5", r#""5""#);
    let document = read("!!float 9007199254740993");
    assert_eq!(document.root().node(), Node::Decimal("9007199254740993"));
}

#[test]
fn scalar_keys_are_their_text() {
    reads(
        "1: a\ntrue: b\n~: c\n0x1F: d\n1.50: e\n'f': g\n",
        r#"{"1":"a","true":"b","~":"c","0x1F":"d","1.50":"e","f":"g"}"#,
    );
    reads("? a\n: 1\n? b\n", r#"{"a":1,"b":null}"#);
    reads(": 1", r#"{"":1}"#);
    reads(
        "&k 1: a\nb: *k\n*k2 : c".replace("*k2 ", "&k2 x: *k\ny").as_str(),
        r#"{"1":"a","b":1,"x":1,"y":"c"}"#,
    );
}

#[test]
fn aliases_stand_for_copies() {
    reads(
        "a: &x {b: [1, 2]}\nc: *x\nd: [*x, *x]",
        r#"{"a":{"b":[1,2]},"c":{"b":[1,2]},"d":[{"b":[1,2]},{"b":[1,2]}]}"#,
    );
    reads("- &a text\n- *a\n- &a 2\n- *a", r#"["text","text",2,2]"#);
    reads("- &a x\n- {*a : 1}", r#"["x",{"x":1}]"#);
    reads("[&e , *e]", "[null,null]");
    let document = read("a: &x {b: 1}\nc: *x");
    assert_eq!(
        document.root().pointer("/c/b").map(SourceValue::place),
        document.root().pointer("/a/b").map(SourceValue::place)
    );
}

#[test]
fn aliases_of_large_mappings_find_their_members() {
    let members: String = (0..40).map(|n| format!("  k{n}: [{n}]\n")).collect();
    let document = read(&format!("pad: [1, 2]\na: &x\n{members}b: *x\nc:\n  <<: *x\n  k3: own\n"));
    for n in 0..40 {
        assert_eq!(document.root().pointer(&format!("/b/k{n}/0")).map(SourceValue::node), Some(Node::Int(n)));
    }
    assert_eq!(document.root().pointer("/c/k3").map(SourceValue::node), Some(Node::Text("own")));
    assert_eq!(document.root().pointer("/c/k39/0").map(SourceValue::node), Some(Node::Int(39)));
    assert_eq!(document.root().pointer("/c").map(SourceValue::node), Some(Node::Object(40)));
}

#[test]
fn merge_keys_add_what_is_missing_behind_what_is_there() {
    reads(
        "base: &b {a: 1, c: {x: 1}}\nuse: {<<: *b, a: 2, d: 3}",
        r#"{"base":{"a":1,"c":{"x":1}},"use":{"a":2,"d":3,"c":{"x":1}}}"#,
    );
    reads(
        "- &a {x: 1}\n- &b {x: 2, y: 2}\n- <<: [*a, *b]\n  z: 3\n- <<:\n  - *b\n  - *a\n",
        r#"[{"x":1},{"x":2,"y":2},{"z":3,"x":1,"y":2},{"x":2,"y":2}]"#,
    );
    reads("- &a {x: 1}\n- &b {<<: *a, y: 2}\n- {<<: *b}", r#"[{"x":1},{"y":2,"x":1},{"y":2,"x":1}]"#);
    reads("{\"<<\": 1}", r#"{"<<":1}"#);
    reads("[<<]", r#"["<<"]"#);
}

#[test]
fn a_stream_has_a_document_each() {
    let text = "a: &x 1\n---\n- b\n...\n---\n";
    let documents = Document::from_yaml_stream(text, FileId(4), &ReadLimits::default()).unwrap();
    let printed: Vec<String> = documents.iter().map(|document| document.root().to_json_string()).collect();
    assert_eq!(printed, [r#"{"a":1}"#, r#"["b"]"#, "null"]);
    assert_eq!(documents[1].root().item(0).unwrap().source(), "b");
    assert!(Document::from_yaml_stream("", FileId::FIRST, &ReadLimits::default()).unwrap().is_empty());
}

#[test]
fn places_are_the_text_of_values() {
    let text = "name: é x\nlist:\n  - one # c\n  - 'two'\nmap:\n  k: {a: [1, 2] }\n\nblock: |\n  l1\n  l2\n\nlast: &a !!str 5\n";
    let document = read(text);
    for (pointer, source) in [
        ("/name", "é x"),
        ("/list", "- one # c\n  - 'two'"),
        ("/list/1", "'two'"),
        ("/map", "k: {a: [1, 2] }"),
        ("/map/k", "{a: [1, 2] }"),
        ("/map/k/a", "[1, 2]"),
        ("/block", "l1\n  l2"),
        ("/last", "5"),
        ("", text.trim_end()),
    ] {
        assert_eq!(document.root().pointer(pointer).map(SourceValue::source), Some(source), "{pointer}");
    }
    let keys: Vec<&str> = document.root().members().map(|(key, _)| key.source()).collect();
    assert_eq!(keys, ["name", "list", "map", "block", "last"]);
}

#[test]
fn scalars_that_are_in_the_text_are_not_copied() {
    assert!(read("a: plain text\n'b': \"quoted\"\n").tree.decoded.is_empty());
}
