//! Values as trees of a page. What a record knows to be a secret is shown as one.

use arm::Value;
use pages::ui::TreeView;

/// How deep a value is copied; what is deeper is shown as nothing.
const DEEPEST: usize = 64;

/// The tree of a value; secrets are masked.
pub(super) fn tree(value: &Value) -> TreeView {
    copy(value, 0)
}

/// The tree of what is kept of a resource: its body, with a mask where a secret was put.
pub(super) fn of_record(record: &Value) -> TreeView {
    let part = |name: &str| record.as_object().and_then(|record| record.get(name));
    let mut body = part("body").map_or(TreeView::Word("null".to_owned()), tree);
    for (pointer, _) in part("digests").and_then(Value::as_object).into_iter().flatten() {
        let steps: Vec<String> = pointer.split('/').skip(1).map(unescaped).collect();
        mask(&mut body, &steps);
    }
    body
}

fn copy(value: &Value, depth: usize) -> TreeView {
    match value {
        Value::Text(text) => TreeView::Text(text.to_string()),
        Value::Secret(_) => TreeView::Secret,
        Value::Array(_) | Value::Object(_) if depth >= DEEPEST => TreeView::Word("…".to_owned()),
        Value::Array(list) => TreeView::List(list.items().iter().map(|item| copy(item, depth + 1)).collect()),
        Value::Object(object) => {
            let members = object.iter().map(|(name, value)| (name.to_string(), copy(value, depth + 1)));
            TreeView::Object(members.collect())
        }
        Value::Null
        | Value::Bool(_)
        | Value::Int(_)
        | Value::Float(_)
        | Value::Decimal(_)
        | Value::Unknown(_) => TreeView::Word(value.to_json()),
    }
}

/// A step of a JSON pointer.
fn unescaped(step: &str) -> String {
    step.replace("~1", "/").replace("~0", "~")
}

/// Puts a mask at the end of a way; what is not there is added.
fn mask(tree: &mut TreeView, steps: &[String]) {
    let mut at = tree;
    for (depth, step) in steps.iter().enumerate() {
        let is_last = depth + 1 == steps.len();
        let next = match at {
            TreeView::Object(members) => match members.iter().position(|(name, _)| name == step) {
                Some(found) => members.get_mut(found).map(|(_, value)| value),
                None => {
                    let value = if is_last { TreeView::Secret } else { TreeView::Object(Vec::new()) };
                    members.push((step.clone(), value));
                    members.last_mut().map(|(_, value)| value)
                }
            },
            TreeView::List(items) => step.parse::<usize>().ok().and_then(|index| items.get_mut(index)),
            TreeView::Text(_) | TreeView::Word(_) | TreeView::Secret => None,
        };
        let Some(next) = next else { return };
        at = next;
    }
    *at = TreeView::Secret;
}

#[cfg(test)]
mod tests {
    use engine::records::parse;

    use super::*;

    #[test]
    fn what_has_a_digest_is_shown_as_a_secret() {
        let record = parse(
            r#"{"body":{"id":"/a","properties":{"n":1,"list":[{"k":null},2]}},
                "digests":{"/properties/password":"x","/properties/list/0/k":"y","/other/deep":"z"}}"#,
        )
        .unwrap();
        let TreeView::Object(members) = of_record(&record) else { panic!() };
        let text = format!("{members:?}");
        assert_eq!(text.matches("Secret").count(), 3, "{text}");
        assert!(text.contains(r#"("password", Secret)"#) && text.contains(r#"("k", Secret)"#), "{text}");
        assert!(!text.contains("\"x\"") && !text.contains("\"y\""));
    }
}
