//! What tests have found, shown where it is written until the document is another one.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use bicep::FilePath;
use diagnostics::LineIndex;

use crate::TestFinding;
use crate::document::range_of;
use crate::protocol::Diagnostic;

/// Who says it, as editors show it.
const SOURCE: &str = "tendon test";

/// The code of everything that is said.
const CODE: &str = "test-failed";

/// The findings of the last run of each test file.
#[derive(Default)]
pub(crate) struct TestResults(Mutex<BTreeMap<FilePath, Vec<KeptFinding>>>);

/// A finding, and the version of the document that it was made with; none if that was not open.
struct KeptFinding {
    finding: TestFinding,
    version: Option<i32>,
}

impl TestResults {
    /// Takes what a run of a test file has found in the place of what the run before it found.
    pub(crate) fn replace(
        &self,
        tests: &FilePath,
        findings: Vec<TestFinding>,
        version: &dyn Fn(&FilePath) -> Option<i32>,
    ) {
        let kept = findings.into_iter().map(|finding| {
            let version = version(&finding.path);
            KeptFinding { finding, version }
        });
        self.0.lock().unwrap_or_else(PoisonError::into_inner).insert(tests.clone(), kept.collect());
    }

    /// What is said about a document of a version.
    pub(crate) fn about(&self, path: &FilePath, version: i32, lines: &LineIndex) -> Vec<Diagnostic> {
        let kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let own =
            kept.values().flatten().filter(|it| it.finding.path == *path && it.version == Some(version));
        let shown = own.map(|KeptFinding { finding, .. }| Diagnostic {
            range: range_of(lines, finding.span),
            severity: 1,
            code: CODE.to_owned(),
            code_description: None,
            source: SOURCE,
            message: finding.message.clone(),
            tags: Vec::new(),
        });
        shown.collect()
    }
}
