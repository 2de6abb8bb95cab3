//! Paths into JSON: `$.a.b[0]['c']`, with `*` for all members or elements and `..` for any depth.

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
}

impl Step {
    fn apply<'d>(&self, value: Value<'d>) -> Vec<Value<'d>> {
        match self {
            Step::All => value.items().chain(value.members().map(|(_, member)| member)).collect(),
            Step::Names(names) => names.iter().filter_map(|name| value.member(name)).collect(),
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
        assert_eq!(found("$.x"), Some(vec![]));
        assert_eq!(found("$["), None);
    }
}
