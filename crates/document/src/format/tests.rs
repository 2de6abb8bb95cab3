//! Formatted texts: what they look like, and what holds for all of them.

use proptest::prelude::*;
use spacing::Style;

use super::{format_json, format_yaml};
use crate::{Document, FileId, JsonOptions, ReadLimits};

const LIMITS: ReadLimits = ReadLimits::DEFAULT;

#[track_caller]
fn json(text: &str) -> String {
    let once = format_json(text, FileId::FIRST, &LIMITS, &Style::DEFAULT).unwrap();
    assert_eq!(format_json(&once, FileId::FIRST, &LIMITS, &Style::DEFAULT).unwrap(), once, "twice");
    once
}

#[track_caller]
fn yaml(text: &str) -> String {
    let once = format_yaml(text, FileId::FIRST, &LIMITS, &Style::DEFAULT).unwrap();
    assert_eq!(format_yaml(&once, FileId::FIRST, &LIMITS, &Style::DEFAULT).unwrap(), once, "twice");
    once
}

#[test]
fn members_and_elements_of_json_have_a_line_each() {
    assert_eq!(
        json(r#"{"b":1.50,"a":[1E3,"\u00e9", {}, [ ], {"c":null}],"d":{}}"#),
        r#"{
  "b": 1.50,
  "a": [
    1E3,
    "\u00e9",
    {},
    [],
    {
      "c": null
    }
  ],
  "d": {}
}
"#
    );
}

#[test]
fn comments_of_json_stay_with_what_they_are_about() {
    assert_eq!(
        json(
            "// head\n{ // open\n  /* a */ \"a\": 1, // one\n\n\n  // own\n  \"b\" /* key */ : // value\n 2\n , \"c\": [ /* none */ ] /* last */ }"
        ),
        "// head\n{ // open\n  /* a */ \"a\": 1, // one\n\n  // own\n  \"b\" /* key */: // value\n  2,\n  \"c\": [ /* none */\n  ] /* last */\n}\n"
    );
}

#[test]
fn text_that_is_no_json_is_refused() {
    for text in ["{", "{\"a\": }", "{\"a\": 1, \"a\": 2}", "[1 2]"] {
        assert!(format_json(text, FileId::FIRST, &LIMITS, &Style::DEFAULT).is_err(), "{text}");
    }
}

#[test]
fn blocks_of_yaml_are_two_blanks_deeper_each() {
    assert_eq!(
        yaml(
            "a:\n      b: 1   \n      # about c\n      c:\n       -   x\n       -   y: 1\n           z: |\n               text\n                 more\n\n# end\nlist:\n- 1\n- - 2\n  - 3\n\n\n"
        ),
        "a:\n  b: 1\n  # about c\n  c:\n    - x\n    - y: 1\n      z: |\n        text\n          more\n\n# end\nlist:\n- 1\n- - 2\n  - 3\n"
    );
}

#[test]
fn yaml_keeps_anchors_tags_quotes_and_flow() {
    let text = "base: &base\n  a: 'x'\n  b: !!str 1\nother:\n  <<: *base\n  c: {x: 1,   y: [2]}\n  d: \"long\n    text\"\n---\nsecond: ~\n";
    assert_eq!(yaml(text), text);
}

#[test]
fn blanks_that_count_stay() {
    let kept = "a: |+\n  text  \n\n\n";
    assert_eq!(yaml(kept), kept);
    assert_eq!(yaml("a: \"x\\ \n  y\"   \nb:   2"), "a: \"x\\ \n  y\"   \nb:   2");
}

#[test]
fn text_that_is_no_yaml_is_refused() {
    for text in ["a: [", "a: b: c", "a: 'x"] {
        assert!(format_yaml(text, FileId::FIRST, &LIMITS, &Style::DEFAULT).is_err(), "{text}");
    }
}

/// Pieces of JSON, and what may be between them.
#[derive(Clone, Debug)]
enum Tree {
    Scalar(&'static str),
    List(Vec<Tree>),
    Object(Vec<Tree>),
}

fn tree() -> impl Strategy<Value = Tree> {
    let scalar =
        prop::sample::select(vec!["1", "-0.50", "\"a b\"", "'it\\'s'", "null", "\"\\u00e9//\"", "1e400"]);
    scalar.prop_map(Tree::Scalar).prop_recursive(4, 24, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Tree::List),
            prop::collection::vec(inner, 0..4).prop_map(Tree::Object),
        ]
    })
}

fn tokens(tree: &Tree, out: &mut Vec<String>) {
    let (open, close, items) = match tree {
        Tree::Scalar(text) => return out.push((*text).to_owned()),
        Tree::List(items) => ("[", "]", items),
        Tree::Object(items) => ("{", "}", items),
    };
    out.push(open.to_owned());
    for (number, item) in items.iter().enumerate() {
        if open == "{" {
            out.push(if number % 2 == 0 { format!("\"k{number}\"") } else { format!("k{number}") });
            out.push(":".to_owned());
        }
        tokens(item, out);
        if number + 1 < items.len() {
            out.push(",".to_owned());
        }
    }
    out.push(close.to_owned());
}

const GAPS: [&str; 12] = [
    "",
    "",
    " ",
    "\n",
    "\n\n\n",
    "\t",
    "\r\n",
    " /* c */ ",
    "// line\n",
    "\n/* a\n   * b\n */\n",
    "/* a\n b */",
    "\n  // own\n",
];

/// The comments of a text whose strings have none, with blanks as one.
fn comments(text: &str) -> Vec<String> {
    let text = text.replace("\"\\u00e9//\"", "0");
    let mut rest = text.as_str();
    let mut found = Vec::new();
    while let Some(at) = rest.find('/') {
        rest = rest.get(at..).unwrap();
        let length = match rest.starts_with("//") {
            true => rest.find('\n').unwrap_or(rest.len()),
            false => rest.find("*/").unwrap() + 2,
        };
        found.push(rest.get(..length).unwrap().split_whitespace().collect::<Vec<_>>().join(" "));
        rest = rest.get(length..).unwrap();
    }
    found
}

fn value(text: &str) -> String {
    Document::from_json_with(text, FileId::FIRST, &LIMITS, JsonOptions::TEMPLATE).unwrap().root().to_string()
}

/// A block of YAML, printed with any indentation and with the one of the formatter.
#[derive(Clone, Debug)]
enum Block {
    Scalar(&'static str),
    /// Lines of a block scalar, and how deep they are.
    Text(usize),
    Map(usize, Vec<(Option<&'static str>, Block)>),
    /// Its indentation below a key, which may be none, and the blanks behind a dash.
    List(usize, usize, Vec<(Option<&'static str>, Block)>),
}

fn block() -> impl Strategy<Value = Block> {
    let scalar = prop::sample::select(vec!["1", "x y", "'a: b'", "[1,  {a: 2}]", "\"# no comment\"", "~"]);
    let note = || prop::option::weighted(0.3, prop::sample::select(vec!["# note", "#", "# a: b"]));
    let leaf = prop_oneof![3 => scalar.prop_map(Block::Scalar), 1 => (1usize..5).prop_map(Block::Text)];
    leaf.prop_recursive(4, 30, 4, move |inner| {
        let items = move || prop::collection::vec((note(), inner.clone()), 1..4);
        prop_oneof![
            (1usize..6, items()).prop_map(|(indent, items)| Block::Map(indent, items)),
            (0usize..5, 1usize..4, items()).prop_map(|(indent, gap, items)| Block::List(indent, gap, items)),
        ]
    })
}

/// Prints a block behind what is on the line already.
fn print(block: &Block, column: usize, is_normal: bool, below_key: bool, blanks: &str, out: &mut String) {
    let end = if is_normal { "\n".to_owned() } else { format!("{blanks}\n") };
    let indent = |out: &mut String, column: usize| out.push_str(&" ".repeat(column));
    match block {
        Block::Scalar(text) => out.push_str(&format!(" {text}{end}")),
        Block::Text(depth) => {
            let depth = column + if is_normal { 2 } else { *depth };
            out.push_str(" |\n");
            for line in ["text  ", "  # deeper", "", "end"] {
                if !line.is_empty() {
                    indent(out, depth);
                }
                out.push_str(&format!("{line}\n"));
            }
        }
        Block::Map(depth, items) => {
            let column = column + if is_normal { 2 } else { *depth };
            out.push_str(&end);
            entries(items, column, is_normal, blanks, out);
        }
        Block::List(depth, gap, items) => {
            let depth = match (is_normal, below_key) {
                (true, true) => {
                    if *depth == 0 {
                        0
                    } else {
                        2
                    }
                }
                (true, false) => 2,
                (false, true) => *depth,
                (false, false) => (*depth).max(1),
            };
            let column = column + depth;
            let gap = if is_normal { 1 } else { *gap };
            out.push_str(&end);
            for (note, item) in items {
                if let Some(note) = note {
                    indent(out, column);
                    out.push_str(&format!("{note}{end}"));
                }
                indent(out, column);
                out.push('-');
                match item {
                    // Its first key is on the line of the dash.
                    Block::Map(_, items) if items[0].0.is_none() => {
                        let mut inner = String::new();
                        entries(items, column + 1 + gap, is_normal, blanks, &mut inner);
                        out.push_str(&" ".repeat(gap));
                        out.push_str(inner.trim_start_matches(' '));
                    }
                    Block::Scalar(text) => out.push_str(&format!("{}{text}{end}", " ".repeat(gap))),
                    _ => print(item, column, is_normal, false, blanks, out),
                }
            }
        }
    }
}

fn entries(
    items: &[(Option<&'static str>, Block)],
    column: usize,
    is_normal: bool,
    blanks: &str,
    out: &mut String,
) {
    for (number, (note, item)) in items.iter().enumerate() {
        if let Some(note) = note {
            out.push_str(&format!("{}{note}\n", " ".repeat(column)));
        }
        out.push_str(&format!("{}k{number}:", " ".repeat(column)));
        print(item, column, is_normal, true, blanks, out);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn json_keeps_everything_but_white_space_and_twice_is_once(
        tree in tree(),
        gaps in prop::collection::vec(prop::sample::select(GAPS.to_vec()), 1..40),
    ) {
        let mut all = Vec::new();
        tokens(&tree, &mut all);
        let text: String = all.iter().zip(gaps.iter().cycle()).flat_map(|(token, gap)| [token.as_str(), gap]).collect();
        let once = format_json(&text, FileId::FIRST, &LIMITS, &Style::DEFAULT).unwrap();
        let twice = format_json(&once, FileId::FIRST, &LIMITS, &Style::DEFAULT).unwrap();
        prop_assert_eq!(&twice, &once, "of {}", text);
        prop_assert_eq!(value(&once), value(&text));
        prop_assert_eq!(comments(&once), comments(&text), "{}", once);
        let bare = |text: &str| all.iter().try_fold(0, |at, token| {
            text.get(at..).unwrap().find(token.as_str()).map(|found| at + found + token.len())
        }).is_some();
        prop_assert!(bare(&once), "{}", once);
    }

    #[test]
    fn yaml_of_any_indentation_becomes_the_same_text(
        items in prop::collection::vec((Just(None), block()), 1..4),
        blanks in prop::sample::select(vec!["", " ", "   "]),
    ) {
        let (mut written, mut normal) = (String::new(), String::new());
        entries(&items, 0, false, blanks, &mut written);
        entries(&items, 0, true, blanks, &mut normal);
        let formatted = format_yaml(&written, FileId::FIRST, &LIMITS, &Style::DEFAULT).unwrap();
        prop_assert_eq!(&formatted, &normal, "of {}", written);
        prop_assert_eq!(&format_yaml(&normal, FileId::FIRST, &LIMITS, &Style::DEFAULT).unwrap(), &normal);
        let value = |text: &str| Document::from_yaml(text, FileId::FIRST, &LIMITS).unwrap().root().to_string();
        prop_assert_eq!(value(&formatted), value(&written));
    }

    #[test]
    fn any_yaml_keeps_its_meaning_and_twice_is_once(
        text in "([ ]{0,4}([a-c]: |- |# x|\\? |: |&a |'|\"|\\||>-|[{}\\[\\],]|x|\\\\| )*(\r)?\n){1,8}",
    ) {
        if let Ok(once) = format_yaml(&text, FileId::FIRST, &LIMITS, &Style::DEFAULT) {
            prop_assert_eq!(&format_yaml(&once, FileId::FIRST, &LIMITS, &Style::DEFAULT).unwrap(), &once, "of {:?}", text);
            let value = |text: &str| Document::from_yaml_stream(text, FileId::FIRST, &LIMITS)
                .map(|all| all.iter().map(|it| it.root().to_string()).collect::<Vec<_>>())
                .ok();
            prop_assert_eq!(value(&once), value(&text), "of {:?}", text);
        }
    }
}
