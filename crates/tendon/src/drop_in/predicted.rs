//! What a deployment would change, as the public Bicep command tells it.

use engine::{ChangeKind, PredictedChange};

use super::changes::{self, ChangeDetail, Delta, PropertyDifference, ResourceDifference};
use super::diff_text;

/// All changes but those of resources that the template does not name.
pub(super) fn text(predicted: &[PredictedChange], colour: bool) -> String {
    let changes: Vec<ResourceDifference<'_>> = predicted.iter().filter_map(change).collect();
    diff_text::text(&changes, colour)
}

fn change(predicted: &PredictedChange) -> Option<ResourceDifference<'_>> {
    let kind = match (predicted.kind, &predicted.before, &predicted.after) {
        (ChangeKind::Ignore, ..) => return None,
        (ChangeKind::Delete, Some(before), _) => ChangeDetail::Delete(before),
        (ChangeKind::Create, _, Some(after)) => ChangeDetail::Create(after),
        (ChangeKind::Modify, ..) => {
            ChangeDetail::Modify(predicted.delta.iter().flat_map(properties).collect())
        }
        (ChangeKind::NoChange | ChangeKind::Delete | ChangeKind::Create, ..) => ChangeDetail::Keep,
    };
    Some(ResourceDifference { id: &predicted.id, kind })
}

fn properties(delta: &engine::Delta) -> Vec<PropertyDifference<'_>> {
    let found = match (&delta.before, &delta.after) {
        (None, Some(after)) => Delta::Create(after),
        (Some(before), None) => Delta::Delete(before),
        // Both are the mask.
        (Some(before), Some(after)) if delta.secret => Delta::Replace(before, after),
        (Some(before), Some(after)) => return changes::of_property(&delta.path, before, after),
        (None, None) => return Vec::new(),
    };
    vec![PropertyDifference { path: delta.path.clone(), delta: found }]
}

#[cfg(test)]
mod tests {
    use arm::Value;

    use super::*;

    fn predicted(name: &str, kind: ChangeKind) -> PredictedChange {
        let id = format!("/subscriptions/s/resourceGroups/g/providers/A.B/c/{name}");
        let (before, after, delta) = (None, None, Vec::new());
        PredictedChange { id, kind, before, after, delta, left_alone: false, options: Vec::new() }
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
