//! Paths into JSON: `$.a.b[0]['c']`, with `*` for all members or elements, `..` for any depth, `[1:3]` for a slice, and
//! `[?(@.x > 1 && @.y)]` for the elements that a condition holds for.
//!
//! The rules are those of the library that the public compiler uses, where they differ from RFC 9535: `.*` takes
//! members and `[*]` elements, names in brackets have single quotes, `&&` and `||` bind from left to right, and
//! conditions pick elements of arrays only.

use std::cmp::Ordering;

use arm::Value;
use contract::pattern::{Pattern, PatternSyntax};

/// How many values a path may lead to on its way.
const MAX_FOUND: usize = 100_000;
/// How deep conditions may stand inside each other.
const MAX_DEPTH: usize = 16;

/// The values that a path leads to, in document order; or what is wrong with the path.
pub(super) fn select<'v>(root: &'v Value, path: &str) -> Result<Vec<&'v Value>, &'static str> {
    let mut parser = Parser { rest: path.trim_start(), depth: 0 };
    if let Some(rest) = parser.rest.strip_prefix('$')
        && (rest.is_empty() || rest.starts_with(['.', '[']))
    {
        parser.rest = rest;
    }
    let steps = parser.path(false)?;
    if !parser.rest.trim().is_empty() {
        return Err("there is something after its end");
    }
    Ok(follow(root, root, &steps))
}

/// One step of a path; `deep` ones look at any depth.
struct JsonPathStep {
    deep: bool,
    kind: JsonPathKind,
}

enum JsonPathKind {
    Members,
    Elements,
    Names(Vec<String>),
    Positions(Vec<i64>),
    Slice(Option<i64>, Option<i64>, i64),
    Where(Condition),
}

enum Condition {
    All(Vec<Condition>),
    Any(Vec<Condition>),
    Exists(ComparisonSide),
    Compare(ComparisonSide, Operator, ComparisonSide),
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Operator {
    Equal,
    NotEqual,
    StrictEqual,
    StrictNotEqual,
    LessOrEqual,
    Less,
    GreaterOrEqual,
    Greater,
    Matches,
}

const OPERATORS: [(&str, Operator); 9] = [
    ("===", Operator::StrictEqual),
    ("==", Operator::Equal),
    ("=~", Operator::Matches),
    ("!==", Operator::StrictNotEqual),
    ("!=", Operator::NotEqual),
    ("<=", Operator::LessOrEqual),
    ("<", Operator::Less),
    (">=", Operator::GreaterOrEqual),
    (">", Operator::Greater),
];

enum ComparisonSide {
    /// A path from the element in question, or from the root.
    Path(bool, Vec<JsonPathStep>),
    Literal(Value),
    Regex(Option<Pattern>),
}

struct Parser<'p> {
    rest: &'p str,
    depth: usize,
}

impl<'p> Parser<'p> {
    /// Steps until the end; inside a condition, until an operator or a parenthesis.
    fn path(&mut self, in_condition: bool) -> Result<Vec<JsonPathStep>, &'static str> {
        let mut steps = Vec::new();
        loop {
            let mut deep = false;
            let mut dotted = false;
            if let Some(rest) = self.rest.strip_prefix("..") {
                (self.rest, deep, dotted) = (rest, true, true);
            } else if let Some(rest) = self.rest.strip_prefix('.') {
                (self.rest, dotted) = (rest, true);
            }
            if self.rest.starts_with(['[', '(']) {
                steps.push(JsonPathStep { deep, kind: self.bracket()? });
                continue;
            }
            let ends = |c: char| ".[(]) ".contains(c) || in_condition && "=<!>|&".contains(c);
            let end = self.rest.find(ends).unwrap_or(self.rest.len());
            let (name, rest) = self.rest.split_at_checked(end).unwrap_or((self.rest, ""));
            match name {
                "" if dotted => return Err("it ends with a dot"),
                "" => return Ok(steps),
                _ if !dotted && !steps.is_empty() => return Err("a name follows a bracket"),
                "*" => steps.push(JsonPathStep { deep, kind: JsonPathKind::Members }),
                name => steps.push(JsonPathStep { deep, kind: JsonPathKind::Names(vec![name.to_owned()]) }),
            }
            self.rest = rest;
        }
    }

    fn blanks(&mut self) {
        self.rest = self.rest.trim_start_matches(' ');
    }

    fn take(&mut self, text: &str) -> bool {
        match self.rest.strip_prefix(text) {
            Some(rest) => {
                self.rest = rest;
                true
            }
            None => false,
        }
    }

    fn bracket(&mut self) -> Result<JsonPathKind, &'static str> {
        let close = if self.take("[") {
            "]"
        } else {
            self.take("(");
            ")"
        };
        self.blanks();
        let kind = if self.rest.starts_with('\'') {
            self.names()?
        } else if self.take("?") {
            self.condition()?
        } else {
            let (inside, _) = self.rest.split_once(close).ok_or("a bracket is not closed")?;
            self.rest = self.rest.get(inside.len()..).unwrap_or_default();
            positions(inside.trim())?
        };
        self.blanks();
        if self.take(close) { Ok(kind) } else { Err("a bracket is not closed") }
    }

    fn names(&mut self) -> Result<JsonPathKind, &'static str> {
        let mut names = Vec::new();
        loop {
            names.push(self.quoted()?);
            self.blanks();
            if !self.take(",") {
                return Ok(JsonPathKind::Names(names));
            }
            self.blanks();
        }
    }

    fn quoted(&mut self) -> Result<String, &'static str> {
        let open = "a string in single quotes is missing or not closed";
        let mut characters = self.rest.strip_prefix('\'').ok_or(open)?.chars();
        let mut text = String::new();
        loop {
            match characters.next().ok_or(open)? {
                '\'' => break,
                '\\' => text.push(match characters.next().ok_or(open)? {
                    'b' => '\u{8}',
                    't' => '\t',
                    'n' => '\n',
                    'f' => '\u{C}',
                    'r' => '\r',
                    same => same,
                }),
                other => text.push(other),
            }
        }
        self.rest = characters.as_str();
        Ok(text)
    }

    fn condition(&mut self) -> Result<JsonPathKind, &'static str> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err("its conditions nest too deep");
        }
        if !self.take("(") {
            return Err("a condition has no parenthesis");
        }
        // Each change of operator opens a group that takes all that follows.
        let mut groups: Vec<(bool, Vec<Condition>)> = Vec::new();
        let last = loop {
            let next = self.comparison()?;
            self.blanks();
            if self.take(")") {
                break next;
            }
            let all = if self.take("&&") {
                true
            } else if self.take("||") {
                false
            } else {
                return Err("a condition goes on with neither `&&` nor `||`");
            };
            match groups.last_mut() {
                Some((kind, group)) if *kind == all => group.push(next),
                _ => groups.push((all, vec![next])),
            }
        };
        self.depth -= 1;
        let whole = groups.into_iter().rev().fold(last, |inner, (all, mut group)| {
            group.push(inner);
            if all { Condition::All(group) } else { Condition::Any(group) }
        });
        Ok(JsonPathKind::Where(whole))
    }

    fn comparison(&mut self) -> Result<Condition, &'static str> {
        let left = self.side()?;
        self.blanks();
        if self.rest.starts_with([')', '|', '&']) {
            return Ok(Condition::Exists(left));
        }
        let operator = OPERATORS.iter().find(|(text, _)| self.rest.starts_with(text));
        let (text, operator) = operator.ok_or("a condition has an unknown operator")?;
        self.take(text);
        let right = self.side()?;
        Ok(Condition::Compare(left, *operator, right))
    }

    fn side(&mut self) -> Result<ComparisonSide, &'static str> {
        self.blanks();
        let is_root = self.rest.starts_with('$');
        if self.take("$") || self.take("@") {
            return Ok(ComparisonSide::Path(is_root, self.path(true)?));
        }
        if self.rest.starts_with('\'') {
            return Ok(ComparisonSide::Literal(Value::text(self.quoted()?)));
        }
        if self.take("/") {
            let (source, rest) = self.rest.split_once('/').ok_or("a pattern is not closed")?;
            let options = rest.find([' ', ')']).and_then(|end| rest.get(..end)).unwrap_or(rest);
            self.rest = rest.get(options.len()..).unwrap_or_default();
            let flags = if options.contains('i') { format!("(?i){source}") } else { source.to_owned() };
            return Ok(ComparisonSide::Regex(Pattern::new(PatternSyntax::Re2, &flags).ok()));
        }
        let end = self.rest.find([' ', ')', '|', '&']).unwrap_or(self.rest.len());
        let (word, rest) = self.rest.split_at_checked(end).unwrap_or((self.rest, ""));
        self.rest = rest;
        let number = |word: &str| match word.parse() {
            Ok(value) => Some(Value::Int(value)),
            Err(_) => word.parse().ok().filter(|value: &f64| value.is_finite()).map(Value::Float),
        };
        let literal = match word {
            "true" => Some(Value::Bool(true)),
            "false" => Some(Value::Bool(false)),
            "null" => Some(Value::Null),
            word => number(word),
        };
        literal.map(ComparisonSide::Literal).ok_or("a condition compares with something unknown")
    }
}

/// What stands between brackets: positions, a slice, or all.
fn positions(inside: &str) -> Result<JsonPathKind, &'static str> {
    const BAD: &str = "the brackets contain neither positions nor names in single quotes";
    if inside == "*" {
        return Ok(JsonPathKind::Elements);
    }
    let number = |text: &str| text.trim().parse::<i64>().map_err(|_| BAD);
    if inside.contains(':') {
        let bound = |text: Option<&str>| match text.map(str::trim) {
            None | Some("") => Ok(None),
            Some(text) => number(text).map(Some),
        };
        let mut parts = inside.split(':');
        let (start, end) = (bound(parts.next())?, bound(parts.next())?);
        let step = bound(parts.next())?.unwrap_or(1);
        if step == 0 || parts.next().is_some() {
            return Err("a slice has at most three parts, and its step is not zero");
        }
        return Ok(JsonPathKind::Slice(start, end, step));
    }
    inside.split(',').map(number).collect::<Result<_, _>>().map(JsonPathKind::Positions)
}

fn follow<'v>(root: &'v Value, from: &'v Value, steps: &[JsonPathStep]) -> Vec<&'v Value> {
    let mut found = vec![from];
    for step in steps {
        let mut next = Vec::new();
        for value in found {
            if step.deep {
                for below in with_all_below(value) {
                    step.kind.apply(root, below, &mut next);
                }
            } else {
                step.kind.apply(root, value, &mut next);
            }
            if next.len() >= MAX_FOUND {
                break;
            }
        }
        next.truncate(MAX_FOUND);
        found = next;
    }
    found
}

impl JsonPathKind {
    fn apply<'v>(&self, root: &'v Value, value: &'v Value, found: &mut Vec<&'v Value>) {
        let elements = value.as_array().unwrap_or_default();
        match self {
            JsonPathKind::Members => {
                found.extend(value.as_object().into_iter().flat_map(|object| object.iter()).map(|(_, it)| it))
            }
            JsonPathKind::Elements => found.extend(elements),
            JsonPathKind::Names(names) => {
                let members = |name: &String| value.as_object()?.iter().find(|(known, _)| known == name);
                found.extend(names.iter().filter_map(members).map(|(_, value)| value));
            }
            JsonPathKind::Positions(positions) => {
                let at = |position: &i64| elements.get(usize::try_from(*position).ok()?);
                found.extend(positions.iter().filter_map(at));
            }
            JsonPathKind::Slice(start, end, step) => slice(elements, *start, *end, *step, found),
            JsonPathKind::Where(condition) => {
                found.extend(elements.iter().filter(|element| condition.holds(root, element)))
            }
        }
    }
}

fn slice<'v>(
    items: &'v [Value],
    start: Option<i64>,
    end: Option<i64>,
    step: i64,
    found: &mut Vec<&'v Value>,
) {
    let count = i64::try_from(items.len()).unwrap_or(i64::MAX);
    let from_end = |bound: i64| if bound < 0 { bound.saturating_add(count) } else { bound };
    let (start, end) = if step > 0 {
        (start.map_or(0, from_end).max(0), end.map_or(count, from_end).min(count))
    } else {
        (start.map_or(count - 1, from_end).min(count - 1), end.map_or(-1, from_end).max(-1))
    };
    let mut at = start;
    while if step > 0 { at < end } else { at > end } {
        found.extend(usize::try_from(at).ok().and_then(|at| items.get(at)));
        at = at.saturating_add(step);
    }
}

impl Condition {
    fn holds(&self, root: &Value, element: &Value) -> bool {
        match self {
            Condition::All(all) => all.iter().all(|it| it.holds(root, element)),
            Condition::Any(any) => any.iter().any(|it| it.holds(root, element)),
            Condition::Exists(side) => !side.values(root, element).is_empty(),
            Condition::Compare(left, Operator::Matches, right) => {
                let ComparisonSide::Regex(Some(pattern)) = right else { return false };
                let texts = left.values(root, element);
                texts.iter().filter_map(|it| it.as_str()).any(|text| pattern.is_match(text.as_bytes()))
            }
            Condition::Compare(left, operator, right) => {
                let (left, right) = (left.values(root, element), right.values(root, element));
                left.iter().any(|left| right.iter().any(|right| operator.holds(left, right)))
            }
        }
    }
}

impl ComparisonSide {
    fn values<'v>(&'v self, root: &'v Value, element: &'v Value) -> Vec<&'v Value> {
        match self {
            ComparisonSide::Path(is_root, steps) => {
                follow(root, if *is_root { root } else { element }, steps)
            }
            ComparisonSide::Literal(value) => vec![value],
            ComparisonSide::Regex(_) => Vec::new(),
        }
    }
}

impl Operator {
    fn holds(self, left: &Value, right: &Value) -> bool {
        let is_container = |value: &Value| matches!(value, Value::Array(_) | Value::Object(_));
        if is_container(left) || is_container(right) {
            return matches!(self, Operator::NotEqual | Operator::StrictNotEqual);
        }
        let order = match (left, right) {
            (Value::Null, Value::Null) => Some(Ordering::Equal),
            (Value::Bool(a), Value::Bool(b)) => Some(a.cmp(b)),
            (Value::Int(a), Value::Int(b)) => Some(a.cmp(b)),
            (Value::Int(a), Value::Float(b)) => (*a as f64).partial_cmp(b),
            (Value::Float(a), Value::Int(b)) => a.partial_cmp(&(*b as f64)),
            (Value::Float(a), Value::Float(b)) => a.partial_cmp(b),
            (Value::Text(a), Value::Text(b)) => Some(a.encode_utf16().cmp(b.encode_utf16())),
            _ => None,
        };
        let same_kind = std::mem::discriminant(left) == std::mem::discriminant(right);
        match self {
            Operator::Equal => order == Some(Ordering::Equal),
            Operator::NotEqual => order != Some(Ordering::Equal),
            Operator::StrictEqual => same_kind && order == Some(Ordering::Equal),
            Operator::StrictNotEqual => !same_kind || order != Some(Ordering::Equal),
            Operator::LessOrEqual => order.is_some_and(Ordering::is_le),
            Operator::Less => order.is_some_and(Ordering::is_lt),
            Operator::GreaterOrEqual => order.is_some_and(Ordering::is_ge),
            Operator::Greater => order.is_some_and(Ordering::is_gt),
            Operator::Matches => false,
        }
    }
}

fn with_all_below(value: &Value) -> Vec<&Value> {
    let mut all = Vec::new();
    let mut open = vec![value];
    while let Some(value) = open.pop() {
        all.push(value);
        if all.len() >= MAX_FOUND {
            break;
        }
        match value {
            Value::Array(list) => open.extend(list.items().iter().rev()),
            Value::Object(object) => open.extend(object.iter().rev().map(|(_, member)| member)),
            _ => {}
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::super::json;
    use super::*;

    const STORE: &str = r#"{
        "a": {"b c": [10, 20, 30, 40]},
        "d": [{"e": 1, "t": "one"}, {"e": 2, "t": "two", "f": true}, {"e": 2.5, "g": null}],
        "limit": 2
    }"#;

    #[track_caller]
    fn finds(path: &str, expected: &str) {
        let root = json::read(STORE).unwrap();
        let found =
            select(&root, path).map(|found| Value::array(found.into_iter().cloned().collect()).to_json());
        assert_eq!(found.as_deref(), Ok(expected), "{path}");
    }

    #[test]
    fn names_and_positions() {
        finds("$.a['b c'][1]", "[20]");
        finds("a['b c'][1]", "[20]");
        finds(".limit", "[2]");
        finds("$['limit']", "[2]");
        finds("$", &Value::array(vec![json::read(STORE).unwrap()]).to_json());
        finds("$.x", "[]");
        finds("$.limit.x", "[]");
        finds("d[7]", "[]");
    }

    #[test]
    fn wildcards_lists_and_slices() {
        finds("d[*].e", "[1,2,2.5]");
        finds("$.a.*[0,2]", "[10,30]");
        finds("$.a.*[1:3]", "[20,30]");
        finds("$.a.*[-2:]", "[30,40]");
        finds("$.a.*[::2]", "[10,30]");
        finds("$.a.*[::-1]", "[40,30,20,10]");
        finds("d[0]['e', 't']", r#"[1,"one"]"#);
        finds("..e", "[1,2,2.5]");
        finds("$..['t']", r#"["one","two"]"#);
    }

    #[test]
    fn conditions() {
        finds("d[?(@.e > 1)].e", "[2,2.5]");
        finds("d[?(@.f)].t", r#"["two"]"#);
        finds("d[?(@.t == 'one' || @.e == 2)].e", "[1,2]");
        finds("d[?(@.e >= 2 && @.f == true)].t", r#"["two"]"#);
        finds("d[?(@.e == $.limit)].t", r#"["two"]"#);
        finds("d[?(@.t =~ /^T/i)].e", "[2]");
        finds("d[?(@.g == null)].e", "[2.5]");
        finds("$..[?(@.e != 1)].e", "[2,2.5]");
    }

    #[test]
    fn mistakes_are_found() {
        let root = json::read(STORE).unwrap();
        for path in [
            ".",
            "$.",
            "[]",
            "$[",
            "a[\"b\"]",
            "d[x]",
            "d[0",
            "d[0]e",
            "d[?(@.e ~ 1)]",
            "d[?@.e]",
            "d[0]]",
            "d[::0]",
        ] {
            assert!(select(&root, path).is_err(), "{path}");
        }
    }
}
