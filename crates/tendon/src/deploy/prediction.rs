//! A prediction for people: what is made, changed and deleted, by scope and by module.

use arm::{Caseless as _, PROVISIONING_STATE, Value};
use diagnostics::printable;
use engine::{ChangeKind, Delta, PredictedChange};

use super::resource_names::{ResourceName, ResourceNames};

/// How many properties of a resource that is made are shown, unless all are wanted.
const MOST_PROPERTIES: usize = 30;

/// How many characters of a value are shown, unless all are wanted.
const MOST_CHARACTERS: usize = 100;

/// What a resource has besides what its template says, or what its line says already.
const KNOWN: [&str; 4] = ["id", "name", "type", "apiVersion"];

/// How a prediction is shown.
#[derive(Clone, Copy)]
pub(crate) struct PredictionStyle {
    /// Whether all of it is shown: what stays as it is, and long values.
    pub(crate) verbose: bool,
    pub(crate) colour: bool,
    /// Whether the deployment would fail, so that it does no more than this.
    pub(crate) failed: bool,
}

/// The scope of an id, and the rest.
fn split(id: &str) -> (&str, &str) {
    let group = || {
        let at = id.to_ascii_lowercase().find("/resourcegroups/")?;
        Some((id.get(..at)?, id.get(at + 1..)?))
    };
    let provider = id.to_ascii_lowercase().find("/providers/");
    match provider {
        Some(at) => (id.get(..at).unwrap_or_default(), id.get(at + "/providers/".len()..).unwrap_or(id)),
        None => group().unwrap_or(("", id)),
    }
}

/// The changes, and how many there are of each kind.
pub(crate) fn prediction_text(
    changes: &[PredictedChange],
    names: &ResourceNames,
    style: PredictionStyle,
) -> String {
    let nameless = ResourceName::default();
    let is_shown = |change: &&PredictedChange| match change.kind {
        // That nothing is done is worth a line where the template says so.
        ChangeKind::NoChange => style.verbose || change.left_alone,
        ChangeKind::Ignore => style.verbose,
        ChangeKind::Create | ChangeKind::Modify | ChangeKind::Delete => true,
    };
    let name = |change: &PredictedChange| names.get(&change.id.caseless()).unwrap_or(&nameless);
    let mut shown: Vec<&PredictedChange> = changes.iter().filter(is_shown).collect();
    let folded = |change: &PredictedChange| split(&change.id).0.caseless();
    shown.sort_by_cached_key(|change| (folded(change), name(change).modules.clone()));
    let mut writer = PredictionWriter { style, text: String::new() };
    let (mut scope, mut modules): (Option<String>, &[String]) = (None, &[]);
    for change in shown {
        let own = folded(change);
        if scope.as_ref() != Some(&own) {
            let id = split(&change.id).0;
            let header = match id {
                "" if change.id.starts_with('/') => "/",
                "" => "extensions",
                scope => scope,
            };
            writer.line(0, header);
            (scope, modules) = (Some(own), &[]);
        }
        let name = name(change);
        let common = name.modules.iter().zip(modules).take_while(|(one, other)| one == other).count();
        for (depth, module) in name.modules.iter().enumerate().skip(common) {
            writer.line(depth + 1, &format!("module {module}"));
        }
        modules = &name.modules;
        writer.change(change, name);
    }
    let left = match style.verbose {
        true => 0,
        false => changes.iter().filter(|it| it.kind == ChangeKind::NoChange && it.left_alone).count(),
    };
    let parts = summary_parts(changes, left);
    match (parts.is_empty(), style.failed) {
        (true, true) => {}
        (true, false) => writer.line(0, "nothing to do"),
        (false, true) => writer.line(0, &format!("{} before it fails", parts.join(", "))),
        (false, false) => writer.line(0, &parts.join(", ")),
    }
    writer.text
}

/// How many resources are created, changed and so on, in words; some that stay as they are do not count.
fn summary_parts(changes: &[PredictedChange], uncounted: usize) -> Vec<String> {
    let count = |kind: ChangeKind| changes.iter().filter(|change| change.kind == kind).count();
    [
        (count(ChangeKind::Create), "to create"),
        (count(ChangeKind::Modify), "to change"),
        (count(ChangeKind::Delete), "to delete"),
        (count(ChangeKind::NoChange).saturating_sub(uncounted), "unchanged"),
        (count(ChangeKind::Ignore), "not in the template"),
    ]
    .into_iter()
    .filter(|(count, _)| *count > 0)
    .map(|(count, what)| format!("{count} {what}"))
    .collect()
}

/// The summary of a prediction.
pub(crate) fn prediction_summary(changes: &[PredictedChange]) -> String {
    match summary_parts(changes, 0) {
        parts if parts.is_empty() => "nothing to do".to_owned(),
        parts => parts.join(", "),
    }
}

struct PredictionWriter {
    style: PredictionStyle,
    text: String,
}

impl PredictionWriter {
    fn line(&mut self, depth: usize, line: &str) {
        self.text.push_str(&format!("{}{}\n", "  ".repeat(depth), printable(line)));
    }

    fn painted(&mut self, kind: ChangeKind, depth: usize, line: &str) {
        let code = match kind {
            ChangeKind::Create => "32",
            ChangeKind::Delete => "31",
            ChangeKind::Modify => "33",
            ChangeKind::NoChange | ChangeKind::Ignore => "2",
        };
        if !self.style.colour {
            return self.line(depth, line);
        }
        let line = printable(line);
        self.text.push_str(&format!("{}\u{1b}[{code}m{line}\u{1b}[0m\n", "  ".repeat(depth)));
    }

    fn change(&mut self, change: &PredictedChange, name: &ResourceName) {
        let depth = name.modules.len() + 1;
        let (_, rest) = split(&change.id);
        let symbol = name.symbol.as_ref().map(|symbol| format!("{symbol}  ")).unwrap_or_default();
        let options = change.options.join(", ");
        let options = if options.is_empty() { options } else { format!(" ({options})") };
        self.painted(change.kind, depth, &format!("{} {symbol}{rest}{options}", change.kind.sign()));
        if change.kind == ChangeKind::Create {
            self.properties(change, depth + 2);
        }
        for delta in &change.delta {
            self.delta(delta, depth + 2);
        }
    }

    /// What a resource is made with.
    fn properties(&mut self, change: &PredictedChange, depth: usize) {
        let Some(after) = change.after.as_ref().and_then(Value::as_object) else { return };
        let mut leaves = Vec::new();
        for (name, value) in after.iter().filter(|(name, _)| !KNOWN.contains(&name.as_str())) {
            collect(name, value, &mut leaves);
        }
        leaves.retain(|(path, _)| path != &format!("properties.{PROVISIONING_STATE}"));
        let most = if self.style.verbose { leaves.len() } else { MOST_PROPERTIES };
        for (path, value) in leaves.iter().take(most) {
            let line = format!("{path}: {}", self.value(value));
            self.line(depth, &line);
        }
        if leaves.len() > most {
            self.line(depth, &format!("and {} more", leaves.len() - most));
        }
    }

    fn delta(&mut self, delta: &Delta, depth: usize) {
        let path = &delta.path;
        let (kind, line) = match (&delta.before, &delta.after) {
            (None, Some(after)) => (ChangeKind::Create, format!("+ {path}: {}", self.value(after))),
            (Some(before), None) => (ChangeKind::Delete, format!("- {path}: {}", self.value(before))),
            (Some(_), Some(_)) if delta.secret => (ChangeKind::Modify, format!("~ {path}: another secret")),
            (Some(before), Some(after)) => {
                let values = format!("{} => {}", self.value(before), self.value(after));
                (ChangeKind::Modify, format!("~ {path}: {values}"))
            }
            (None, None) => return,
        };
        self.painted(kind, depth, &line);
    }

    /// A value on one line, the end of a long one folded.
    fn value(&self, value: &Value) -> String {
        let text = value.to_json();
        let Some((end, _)) = text.char_indices().nth(MOST_CHARACTERS).filter(|_| !self.style.verbose) else {
            return text;
        };
        let more = text.get(end..).unwrap_or_default().chars().count();
        format!("{}… and {more} more characters", text.get(..end).unwrap_or_default())
    }
}

/// The values in a value that are not objects, with the way to them. Recursion is bounded by how deep a value may nest.
fn collect<'v>(path: &str, value: &'v Value, leaves: &mut Vec<(String, &'v Value)>) {
    match value {
        Value::Object(object) if !object.is_empty() => {
            for (name, value) in &**object {
                collect(&format!("{path}.{name}"), value, leaves);
            }
        }
        value => leaves.push((path.to_owned(), value)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_has_a_scope_and_a_rest() {
        for (id, scope, rest) in [
            (
                "/subscriptions/s/resourceGroups/g/providers/A.B/c/d",
                "/subscriptions/s/resourceGroups/g",
                "A.B/c/d",
            ),
            (
                "/subscriptions/s/providers/A.B/c/d/providers/E.F/g/h",
                "/subscriptions/s",
                "A.B/c/d/providers/E.F/g/h",
            ),
            ("/subscriptions/s/resourceGroups/g", "/subscriptions/s", "resourceGroups/g"),
            ("/providers/A.B/c/d", "", "A.B/c/d"),
            ("extension/k/Secret/x", "", "extension/k/Secret/x"),
        ] {
            assert_eq!(split(id), (scope, rest), "{id}");
        }
    }
}
