//! Paths into JSON: `$.a.b[0]['c']`, with `*` for all members or elements, `..` for any depth, and `[?(@.x > 1)]` for
//! those that a comparison holds for.

use std::cmp::Ordering;

use contract::Node;
use document::Value;

/// How many values a path may lead to.
const MAX_FOUND: usize = 100_000;

/// The values that a path leads to, in document order; nothing when the path cannot be read.
pub(super) fn select<'d>(root: Value<'d>, path: &str) -> Option<Vec<Value<'d>>> {
    let mut found = vec![root];
    let mut rest = path.trim().strip_prefix('$').unwrap_or(path.trim());
    let mut deep = false;
    let mut first = true;
    while !rest.is_empty() {
        if let Some(after) = rest.strip_prefix("..") {
            deep = true;
            rest = after;
        } else if let Some(after) = rest.strip_prefix('.') {
            rest = after;
        } else if !rest.starts_with('[') && !first {
            return None;
        }
        first = false;
        if deep {
            found = found.into_iter().flat_map(with_all_below).take(MAX_FOUND).collect();
            deep = false;
        }
        let (step, after) =
            if let Some(inside) = rest.strip_prefix('[') { bracket(inside)? } else { name(rest)? };
        rest = after;
        found = found.into_iter().flat_map(|value| step.apply(value)).take(MAX_FOUND).collect();
    }
    Some(found)
}

enum Step {
    All,
    Names(Vec<String>),
    Position(i64),
    Filter(Filter),
}

/// A comparison of what a path leads to with a literal; without an operator, that it leads anywhere.
struct Filter {
    path: String,
    comparison: Option<(&'static str, Literal)>,
}

enum Literal {
    Number(f64),
    Text(String),
    Bool(bool),
    Null,
}

impl Filter {
    const OPERATORS: [&'static str; 6] = ["==", "!=", "<=", ">=", "<", ">"];

    fn parse(text: &str) -> Option<Filter> {
        let text = text.trim();
        let operator =
            Filter::OPERATORS.into_iter().find_map(|operator| text.find(operator).map(|at| (at, operator)));
        let (path, comparison) = match operator {
            Some((at, operator)) => {
                (text.get(..at)?, Some((operator, Literal::parse(text.get(at + operator.len()..)?.trim())?)))
            }
            None => (text, None),
        };
        Some(Filter { path: path.trim().strip_prefix('@')?.to_owned(), comparison })
    }

    fn holds(&self, value: Value<'_>) -> bool {
        let Some(found) = select(value, &self.path).and_then(|found| found.first().copied()) else {
            return false;
        };
        let Some((operator, literal)) = &self.comparison else { return true };
        let order = match (found.node(), literal) {
            (Node::Int(value), Literal::Number(number)) => (value as f64).partial_cmp(number),
            (Node::Float(value), Literal::Number(number)) => value.partial_cmp(number),
            (Node::Text(value), Literal::Text(text)) => Some(value.cmp(text)),
            (Node::Bool(value), Literal::Bool(wanted)) => Some(value.cmp(wanted)),
            (Node::Null, Literal::Null) => Some(Ordering::Equal),
            _ => None,
        };
        match (*operator, order) {
            ("==", order) => order == Some(Ordering::Equal),
            ("!=", order) => order != Some(Ordering::Equal),
            (_, None) => false,
            ("<", Some(order)) => order.is_lt(),
            ("<=", Some(order)) => order.is_le(),
            (">", Some(order)) => order.is_gt(),
            (_, Some(order)) => order.is_ge(),
        }
    }
}

impl Literal {
    fn parse(text: &str) -> Option<Literal> {
        let quoted = |mark: char| text.strip_prefix(mark).and_then(|it| it.strip_suffix(mark));
        match text {
            "true" => Some(Literal::Bool(true)),
            "false" => Some(Literal::Bool(false)),
            "null" => Some(Literal::Null),
            _ => match quoted('\'').or_else(|| quoted('"')) {
                Some(text) => Some(Literal::Text(text.to_owned())),
                None => text.parse().ok().map(Literal::Number),
            },
        }
    }
}

impl Step {
    fn apply<'d>(&self, value: Value<'d>) -> Vec<Value<'d>> {
        match self {
            Step::All => value.items().chain(value.members().map(|(_, member)| member)).collect(),
            Step::Names(names) => names.iter().filter_map(|name| value.member(name)).collect(),
            Step::Filter(filter) => {
                let below = value.items().chain(value.members().map(|(_, member)| member));
                below.filter(|value| filter.holds(*value)).collect()
            }
            Step::Position(at) => {
                let count = i64::try_from(value.items().count()).unwrap_or(i64::MAX);
                let at = if *at < 0 { at + count } else { *at };
                usize::try_from(at).ok().and_then(|at| value.item(at)).into_iter().collect()
            }
        }
    }
}

fn name(text: &str) -> Option<(Step, &str)> {
    let end = text.find(['.', '[']).unwrap_or(text.len());
    let (name, rest) = text.split_at_checked(end)?;
    match name {
        "" => None,
        "*" => Some((Step::All, rest)),
        name => Some((Step::Names(vec![name.to_owned()]), rest)),
    }
}

fn bracket(text: &str) -> Option<(Step, &str)> {
    if let Some(filter) = text.strip_prefix("?(") {
        let (filter, rest) = filter.split_once(")]")?;
        return Some((Step::Filter(Filter::parse(filter)?), rest));
    }
    let (inside, rest) = text.split_once(']')?;
    let inside = inside.trim();
    if inside == "*" {
        return Some((Step::All, rest));
    }
    if let Ok(position) = inside.parse() {
        return Some((Step::Position(position), rest));
    }
    let names = inside.split(',').map(|name| {
        let name = name.trim();
        let quoted = name.strip_prefix('\'').and_then(|it| it.strip_suffix('\''));
        quoted.or_else(|| name.strip_prefix('"').and_then(|it| it.strip_suffix('"'))).map(str::to_owned)
    });
    Some((Step::Names(names.collect::<Option<_>>()?), rest))
}

fn with_all_below(value: Value<'_>) -> Vec<Value<'_>> {
    let mut all = Vec::new();
    let mut open = vec![value];
    while let Some(value) = open.pop() {
        all.push(value);
        let below: Vec<_> = value.items().chain(value.members().map(|(_, member)| member)).collect();
        open.extend(below.into_iter().rev());
        if all.len() >= MAX_FOUND {
            break;
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use document::{Document, Limits};

    use super::*;

    #[test]
    fn a_path_leads_through_names_positions_and_wildcards() {
        let document = Document::from_json(
            r#"{"a": {"b c": [10, 20]}, "d": [{"e": 1}, {"e": 2}]}"#,
            0,
            &Limits::DEFAULT,
        )
        .unwrap();
        let found = |path| {
            select(document.root(), path)
                .map(|found| found.iter().map(|it| format!("{:?}", it.node())).collect::<Vec<_>>())
        };
        assert_eq!(found("$.a['b c'][1]"), Some(vec!["Int(20)".to_owned()]));
        assert_eq!(found("d[*].e"), Some(vec!["Int(1)".to_owned(), "Int(2)".to_owned()]));
        assert_eq!(found("..e"), Some(vec!["Int(1)".to_owned(), "Int(2)".to_owned()]));
        assert_eq!(found(".d[-1].e"), Some(vec!["Int(2)".to_owned()]));
        assert_eq!(found("d[?(@.e > 1)].e"), Some(vec!["Int(2)".to_owned()]));
        assert_eq!(found("$.x"), Some(vec![]));
        assert_eq!(found("$["), None);
    }
}
