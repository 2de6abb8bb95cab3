//! Values of which parts are not known: what is certain is said, and nothing else.

use contract::{Constant, Contract, Node, Path, Verdict, View};

/// A constant in which the text `?` is a value that is not known.
#[derive(Clone, Copy, Debug)]
struct Partial<'v>(&'v Constant);

impl<'v> View<'v> for Partial<'v> {
    type Key = &'v Constant;
    type Items = std::iter::Map<std::slice::Iter<'v, Constant>, fn(&'v Constant) -> Partial<'v>>;
    type Members = std::vec::IntoIter<(&'v Constant, Partial<'v>)>;

    fn node(self) -> Node<'v> {
        match self.0 {
            Constant::Text(text) if text == "?" => Node::Unknown,
            known => known.node(),
        }
    }

    fn items(self) -> Self::Items {
        View::items(self.0).map(Partial)
    }

    fn members(self) -> Self::Members {
        self.0.members().map(|(key, value)| (key, Partial(value))).collect::<Vec<_>>().into_iter()
    }

    fn has_unknown(self) -> bool {
        match self.node() {
            Node::Unknown => true,
            Node::List(_) => self.items().any(View::has_unknown),
            Node::Object(_) => self.members().any(|(_, value)| value.has_unknown()),
            _ => false,
        }
    }
}

/// `holds`, `broken at /a`, `unknown at /a`.
fn says(contract: &str, value: &str) -> String {
    let read = |text| {
        document::Document::from_json(text, document::FileId::FIRST, &document::ReadLimits::DEFAULT).unwrap()
    };
    let (contract, value) = (read(contract), read(value));
    let (shape, definitions) = contract::json::read(contract.root()).unwrap();
    let contract = Contract::compile(&shape, &definitions).unwrap();
    let value = Constant::copy(value.root(), 100).unwrap();
    let list = |paths: Vec<Path>| paths.iter().map(Path::pointer).collect::<Vec<_>>().join(" ");
    let verdict = contract.checker().verdict(Partial(&value));
    assert_eq!(contract.is_valid(Partial(&value)), verdict == Verdict::Holds);
    assert_eq!(contract.violations(Partial(&value)).is_empty(), verdict == Verdict::Holds);
    match verdict {
        Verdict::Holds => "holds".to_owned(),
        Verdict::Broken(violations) => {
            format!("broken at {}", list(violations.into_iter().map(|it| it.path).collect()))
        }
        Verdict::Unknown(paths) => format!("unknown at {}", list(paths)),
    }
}

const ORDER: &str = r#"{"type": "object", "properties": {"name": {"type": "string"}, "free": {}}, "required": ["name"],
    "additionalProperties": false}"#;

#[test]
fn what_is_certain_is_said_of_a_value_that_is_known_in_part() {
    assert_eq!(says(ORDER, r#"{"name": "a", "free": "?"}"#), "holds");
    assert_eq!(says(ORDER, r#"{"name": "?"}"#), "unknown at /name");
    assert_eq!(says(ORDER, r#"{"free": "?"}"#), "broken at ");
    assert_eq!(says(ORDER, r#"{"name": "?", "other": "?"}"#), "broken at /other");
    assert_eq!(says(ORDER, r#""?""#), "unknown at ");
}

#[test]
fn rules_on_whole_values_wait_for_what_is_not_known() {
    let unique = r#"{"type": "array", "uniqueItems": true}"#;
    assert_eq!(says(unique, r#"[1, "?"]"#), "unknown at ");
    assert_eq!(says(unique, r#"[1, "?", 1]"#), "broken at ");
    assert_eq!(says(unique, r#"["?", "?"]"#), "unknown at ");
    let two = r#"{"type": "array", "maxItems": 1}"#;
    assert_eq!(says(two, r#"["?", "?"]"#), "broken at ");
    assert_eq!(says(two, r#"["?"]"#), "holds");
    let among = r#"{"enum": [[1, 2], [3]]}"#;
    assert_eq!(says(among, r#"[1, "?"]"#), "unknown at ");
}

#[test]
fn alternatives_are_chosen_as_far_as_they_can_be() {
    let any = r#"{"anyOf": [{"type": "object", "required": ["a"]}, {"type": "object", "required": ["b"], "properties": {"b": {"type": "integer"}}}]}"#;
    // One alternative holds for certain, so that nothing is left to know.
    assert_eq!(says(any, r#"{"a": 1, "b": "?"}"#), "holds");
    assert_eq!(says(any, r#"{"a": "?"}"#), "holds");
    assert_eq!(says(any, r#"{"b": "?"}"#), "unknown at /b");
    assert_eq!(says(any, r#"{"c": "?"}"#), "broken at ");
    let one = r#"{"oneOf": [{"type": "object", "required": ["a"]}, {"type": "object", "required": ["b"]}, {"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"]}]}"#;
    assert_eq!(says(one, r#"{"a": 1, "b": 1, "c": "?"}"#), "broken at ");
    assert_eq!(says(one, r#"{"a": "?"}"#), "unknown at ");
    assert_eq!(says(one, r#"{"b": 1, "c": "?"}"#), "holds");
    let not = r#"{"not": {"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"]}}"#;
    assert_eq!(says(not, r#"{"a": "?"}"#), "unknown at ");
    assert_eq!(says(not, r#"{"a": 1, "b": "?"}"#), "holds");
    assert_eq!(says(not, r#"{"a": "x", "b": "?"}"#), "broken at ");
}

#[test]
fn a_condition_that_is_not_known_breaks_what_both_ways_break() {
    let contract = r#"{"if": {"properties": {"a": {"const": 1}}}, "then": {"required": ["b", "c"]}, "else": {"required": ["b"], "maxProperties": 2}}"#;
    assert_eq!(says(contract, r#"{"a": "?"}"#), "broken at ");
    assert_eq!(says(contract, r#"{"a": "?", "b": 1}"#), "unknown at ");
    assert_eq!(says(contract, r#"{"a": 2, "b": "?"}"#), "holds");
    assert_eq!(says(contract, r#"{"a": 1, "b": "?"}"#), "broken at ");
    assert_eq!(says(r#"{"dependentSchemas": {"a": {"required": ["b"]}}}"#, r#"{"a": "?"}"#), "broken at ");
}

#[test]
fn elements_that_are_not_known_may_count() {
    let two = r#"{"contains": {"type": "integer"}, "minContains": 2, "maxContains": 3}"#;
    assert_eq!(says(two, r#"[1, "?"]"#), "unknown at ");
    assert_eq!(says(two, r#"["a", "?"]"#), "broken at ");
    assert_eq!(says(two, r#"[1, 2, "?"]"#), "holds");
    assert_eq!(says(two, r#"[1, 2, 3, "?"]"#), "unknown at ");
    assert_eq!(says(two, r#"[1, 2, 3, 4, "?"]"#), "broken at ");
}
