//! What a deployment would change, as the public Bicep command tells it.

use engine::{Change as Predicted, ChangeKind};

use super::changes::{self, Change, Delta, Kind, Property};
use super::show;

/// All changes but those of resources that the template does not name.
pub(super) fn text(predicted: &[Predicted], colour: bool) -> String {
    let changes: Vec<Change<'_>> = predicted.iter().filter_map(change).collect();
    show::text(&changes, colour)
}

fn change(predicted: &Predicted) -> Option<Change<'_>> {
    let kind = match (predicted.kind, &predicted.before, &predicted.after) {
        (ChangeKind::Ignore, ..) => return None,
        (ChangeKind::Delete, Some(before), _) => Kind::Delete(before),
        (ChangeKind::Create, _, Some(after)) => Kind::Create(after),
        (ChangeKind::Modify, ..) => Kind::Modify(predicted.delta.iter().flat_map(properties).collect()),
        (ChangeKind::NoChange | ChangeKind::Delete | ChangeKind::Create, ..) => Kind::Keep,
    };
    Some(Change { id: &predicted.id, kind })
}

fn properties(delta: &engine::Delta) -> Vec<Property<'_>> {
    let found = match (&delta.before, &delta.after) {
        (None, Some(after)) => Delta::Create(after),
        (Some(before), None) => Delta::Delete(before),
        // Both are the mask.
        (Some(before), Some(after)) if delta.secret => Delta::Replace(before, after),
        (Some(before), Some(after)) => return changes::of_property(&delta.path, before, after),
        (None, None) => return Vec::new(),
    };
    vec![Property { path: delta.path.clone(), delta: found }]
}

#[cfg(test)]
mod tests {
    use arm::Value;

    use super::*;

    fn predicted(name: &str, kind: ChangeKind) -> Predicted {
        let id = format!("/subscriptions/s/resourceGroups/g/providers/A.B/c/{name}");
        let (before, after, delta) = (None, None, Vec::new());
        Predicted { id, kind, before, after, delta, left_alone: false, options: Vec::new() }
    }

    #[test]
    fn changes_are_told_by_kind() {
        let list = |items: &[&str]| Some(Value::array(items.iter().map(|it| Value::from(*it)).collect()));
        let text_of = |text: &str| Some(Value::from(text));
        let delta = |path: &str, before, after, secret| engine::Delta {
            path: path.to_owned(),
            before,
            after,
            secret,
        };
        let mut changed = predicted("changed", ChangeKind::Modify);
        changed.delta = vec![
            delta("zones", None, list(&["1"]), false),
            delta("tags", list(&["a", "b"]), list(&["a", "c"]), false),
            delta("key", text_of("<secret>"), text_of("<secret>"), true),
        ];
        let mut new = predicted("new", ChangeKind::Create);
        new.after = Some(Value::object([("location", Value::from("here"))]));
        let changes =
            [new, changed, predicted("kept", ChangeKind::NoChange), predicted("other", ChangeKind::Ignore)];
        assert_eq!(
            text(&changes, false),
            "
Scope: /subscriptions/s/resourceGroups/g

  + A.B/c/new

      location: \"here\"

  ~ A.B/c/changed
    + zones: [
        0: \"1\"
      ]
    ~ key: \"<secret>\" => \"<secret>\"
    ~ tags: [
      - 1: \"b\"
      + 1: \"c\"
      ]

  = A.B/c/kept
"
        );
    }
}
