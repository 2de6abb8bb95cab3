//! Snapshots: what a case did against what is kept of it, and the writing of the file that keeps it.

use std::collections::BTreeSet;
use std::sync::PoisonError;

use arm::Value;
use bicep::DeclaredTest;

use super::failures::plain;
use super::{Case, CaseId, FileRun, json};
use crate::matching::shown;
use crate::outcome::{FailureKind, FileOutcome, TestFailure, TestOutcome, TestStatus};
use crate::session::SnapshotWrites;
use crate::setup::CaseSetup;
use crate::snapshots;
use crate::snapshots::Snapshots;

impl FileRun<'_> {
    pub(super) fn judge_snapshot(
        &self,
        setup: &CaseSetup<'_>,
        declared: &DeclaredTest,
        case: &Case,
        outcome: &mut TestOutcome,
    ) {
        let now = match snapshots::predicted(setup) {
            Ok(now) => now,
            Err(error) => return outcome.failures.push(self.body_failure(declared, &error)),
        };
        let key = case.id.strip_prefix(&format!("{}::", self.name)).unwrap_or(&case.id).to_owned();
        self.taken.lock().unwrap_or_else(PoisonError::into_inner).insert(key.clone(), now.clone());
        if self.session.options.snapshots == SnapshotWrites::All {
            return;
        }
        let place = self.member(declared, &case.label, "matchSnapshot");
        let kept = match self.kept() {
            Ok(kept) => kept.get(&key),
            Err(why) => {
                let message = format!("the snapshots cannot be read: {why}");
                let mut failure = plain(FailureKind::Snapshot, message, place);
                failure.code = Some("missing".to_owned());
                return outcome.failures.push(failure);
            }
        };
        let (code, message, details) = match kept {
            Some(kept) if *kept == now => return,
            None => (
                "missing",
                format!("there is no snapshot of `{key}`; `--update` writes it"),
                serde_json::Value::Null,
            ),
            Some(kept) => {
                let different = snapshots::differences(kept, &now);
                let mut message = format!(
                    "the prediction is not the snapshot of `{key}`; if that is meant, `--update` writes it"
                );
                let mut details = Vec::new();
                for (path, before, after) in different {
                    let line = match (&before, &after) {
                        (None, Some(after)) => format!("+ {path}: {}", shown(after)),
                        (Some(before), None) => format!("- {path}: {}", shown(before)),
                        (Some(before), Some(after)) => {
                            format!("~ {path}: {} => {}", shown(before), shown(after))
                        }
                        (None, None) => continue,
                    };
                    message.push_str(&format!("\n  {line}"));
                    let form = |value: &Option<Value>| value.as_ref().and_then(json);
                    details.push(serde_json::json!({
                        "path": path, "before": form(&before), "after": form(&after),
                    }));
                }
                ("different", message, serde_json::Value::Array(details))
            }
        };
        let mut failure = plain(FailureKind::Snapshot, message, place);
        failure.code = Some(code.to_owned());
        failure.name = Some(key);
        failure.details = Some(details).filter(|details| !details.is_null());
        outcome.failures.push(failure);
    }

    pub(super) fn kept(&self) -> &Result<Snapshots, String> {
        self.kept.get_or_init(|| match self.session.host.snapshots(&self.path)? {
            Some(text) => Snapshots::read(&text),
            None => Ok(Snapshots::default()),
        })
    }

    /// Writes the snapshots of this run that are wanted. Those of tests that are gone are dropped; those of tests that were not run stay.
    pub(crate) fn update_snapshots(
        &self,
        outcome: &mut FileOutcome,
        writes: SnapshotWrites,
    ) -> Result<(), String> {
        let taken = std::mem::take(&mut *self.taken.lock().unwrap_or_else(PoisonError::into_inner));
        let kept = self.kept().as_ref().map_err(Clone::clone)?;
        let mut all = Snapshots::default();
        let ids = self.ids();
        let key_of =
            |id: &CaseId| id.id.strip_prefix(&format!("{}::", self.name)).unwrap_or(&id.id).to_owned();
        // A test that failed may have one again when it passes.
        let passed = outcome.tests.iter().filter(|test| test.status != TestStatus::Failed);
        let passed: BTreeSet<String> = passed.map(|test| test.id.clone()).collect();
        for id in &ids {
            let key = key_of(id);
            match (taken.get(&key), kept.get(&key)) {
                (Some(now), before) => match (self.is_written(id, before, now, outcome, writes)?, before) {
                    (true, _) => all.set(&key, now.clone()),
                    (false, Some(before)) => all.set(&key, before.clone()),
                    (false, None) => {}
                },
                (None, Some(before)) if !passed.contains(&id.id) => all.set(&key, before.clone()),
                (None, Some(before)) if !self.is_dropped(&key, writes)? => all.set(&key, before.clone()),
                (None, _) => {}
            }
        }
        let keys: BTreeSet<String> = ids.iter().map(key_of).collect();
        for (key, before) in kept.iter().filter(|(key, _)| !keys.contains(*key)) {
            if !self.is_dropped(key, writes)? {
                all.set(key, before.clone());
            }
        }
        let (text, before) = (all.text(), self.session.host.snapshots(&self.path)?);
        if text == before { Ok(()) } else { self.session.host.write_snapshots(&self.path, text.as_deref()) }
    }

    /// Whether the snapshot of a case is written; if somebody accepted it, it is no failure any more.
    pub(super) fn is_written(
        &self,
        id: &CaseId,
        before: Option<&Value>,
        now: &Value,
        outcome: &mut FileOutcome,
        writes: SnapshotWrites,
    ) -> Result<bool, String> {
        if writes != SnapshotWrites::Accepted || before == Some(now) {
            return Ok(true);
        }
        let Some(test) = outcome.tests.iter_mut().find(|test| test.id == id.id) else { return Ok(false) };
        let is_it = |failure: &TestFailure| failure.kind == FailureKind::Snapshot;
        let message = test.failures.iter().find(|failure| is_it(failure)).map(|it| it.message.as_str());
        let accepted = self.session.host.accepts_snapshot(&id.id, message.unwrap_or_default())?;
        if accepted {
            test.failures.retain(|failure| !is_it(failure));
            if test.failures.is_empty() && test.status == TestStatus::Failed {
                test.status = TestStatus::Passed;
            }
        }
        Ok(accepted)
    }

    /// Whether the snapshot of a test that has none any more goes away.
    pub(super) fn is_dropped(&self, key: &str, writes: SnapshotWrites) -> Result<bool, String> {
        match writes {
            SnapshotWrites::None => Ok(false),
            SnapshotWrites::All => Ok(true),
            SnapshotWrites::Accepted => {
                let why = "no test has this snapshot any more; it would be dropped";
                self.session.host.accepts_snapshot(&format!("{}::{key}", self.name), why)
            }
        }
    }
}
