//! What came of tests, as reports tell it.

use serde::Serialize;

/// A place in a text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct PlacePoint {
    /// The line, from one.
    pub line: u32,
    /// The column in Unicode scalars, from one.
    pub column: u32,
    /// The bytes before it.
    pub offset: u32,
}

/// A stretch of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourcePlace {
    /// The file, as people know it.
    pub file: String,
    /// Its first line and column.
    pub start: PlacePoint,
    /// The place behind it.
    pub end: PlacePoint,
    /// The line that it begins in, as it is written.
    pub line: String,
}

/// A place as JSON writes it: all members are null if it is not known.
#[derive(Default, Serialize)]
struct PlaceForm<'p> {
    file: Option<&'p str>,
    start: Option<PlacePoint>,
    end: Option<PlacePoint>,
}

fn place_form<S: serde::Serializer>(place: &Option<SourcePlace>, serializer: S) -> Result<S::Ok, S::Error> {
    let form = place.as_ref().map_or_else(PlaceForm::default, |place| PlaceForm {
        file: Some(&place.file),
        start: Some(place.start),
        end: Some(place.end),
    });
    form.serialize(serializer)
}

/// The kinds of failures.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum FailureKind {
    /// An assert does not hold.
    Assert,
    /// The deployment failed, or could not be begun.
    Error,
    /// A failure was expected, and there is none.
    UnexpectedSuccess,
    /// Another failure was expected.
    WrongFailure,
    /// A check that every case has.
    Check,
    /// The snapshot is missing, or another one.
    Snapshot,
}

impl FailureKind {
    /// The word for it.
    pub fn word(self) -> &'static str {
        match self {
            FailureKind::Assert => "assert",
            FailureKind::Error => "error",
            FailureKind::UnexpectedSuccess => "unexpected-success",
            FailureKind::WrongFailure => "wrong-failure",
            FailureKind::Check => "check",
            FailureKind::Snapshot => "snapshot",
        }
    }
}

/// Why a test failed.
#[derive(Clone, Debug, Serialize)]
pub struct TestFailure {
    /// What kind of failure it is.
    pub kind: FailureKind,
    /// The check, or the code of the error.
    pub code: Option<String>,
    /// The assert, or whatever else has a name.
    pub name: Option<String>,
    /// What is wrong, for people; it may have several lines.
    pub message: String,
    /// Where the cause is written.
    #[serde(flatten, serialize_with = "place_form")]
    pub place: Option<SourcePlace>,
    /// More that programs can use.
    pub details: Option<serde_json::Value>,
}

/// What became of an assert in a case.
#[derive(Clone, Debug, Serialize)]
pub struct AssertOutcome {
    /// The name that the declaration gives it.
    pub name: String,
    /// Whether its condition was true.
    pub holds: bool,
    /// Why it does not.
    pub message: Option<String>,
    /// Where it is written.
    #[serde(flatten, serialize_with = "place_form")]
    pub place: Option<SourcePlace>,
}

/// What became of a test.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum TestStatus {
    /// Everything is as it was expected.
    Passed,
    /// Something is not as it was expected.
    Failed,
    /// It says that it is not to be run.
    Skipped,
}

/// What became of generated parameters.
#[derive(Clone, Debug, Serialize)]
pub struct GeneratedCases {
    /// What they were made from.
    pub seed: u64,
    /// How many were tried.
    pub tried: u64,
    /// How many a validator refused, so that they were not run.
    pub refused: u64,
    /// The least parameters that were found to fail.
    pub counterexample: Option<serde_json::Value>,
}

/// What became of one case of a test, or of a fact.
#[derive(Clone, Debug, Serialize)]
pub struct TestOutcome {
    /// The test, or the assert of a fact.
    pub name: String,
    /// The case; none without a table.
    pub case: Option<String>,
    /// The file, the test and the case in one.
    pub id: String,
    /// The program as it is written; none for a fact.
    pub program: Option<String>,
    /// Whether it passed.
    pub status: TestStatus,
    /// How long it took.
    pub seconds: f64,
    /// The asserts that belong to it.
    pub asserts: Vec<AssertOutcome>,
    /// What was not as expected; empty if it passed.
    pub failures: Vec<TestFailure>,
    /// What became of generated parameters.
    pub generated: Option<GeneratedCases>,
    /// Why it was skipped.
    #[serde(skip)]
    pub reason: Option<String>,
    /// Where it is declared.
    #[serde(skip)]
    pub place: Option<SourcePlace>,
}

/// What became of a file.
#[derive(Clone, Debug, Default, Serialize)]
pub struct FileOutcome {
    /// The file, as people know it.
    pub file: String,
    /// What is wrong with it and with the programs that it tests.
    pub errors: Vec<serde_json::Value>,
    /// Its tests, in the order of the file.
    pub tests: Vec<TestOutcome>,
    /// The errors for people.
    #[serde(skip)]
    pub error_texts: Vec<String>,
    /// Whether its tests were run, apart from those of programs with errors.
    #[serde(skip)]
    pub ran: bool,
}

/// How many asserts held.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct AssertCounts {
    /// Those whose condition was true.
    pub held: usize,
    /// Those that do not.
    pub broken: usize,
}

/// What came of everything.
#[derive(Clone, Debug, Default, Serialize)]
pub struct TestSummary {
    /// All tests, each case for itself.
    pub tests: usize,
    /// Those in which everything was as expected.
    pub passed: usize,
    /// Those in which something was not.
    pub failed: usize,
    /// Those that were skipped.
    pub skipped: usize,
    /// The asserts of all of them.
    pub asserts: AssertCounts,
    /// How long everything took.
    pub seconds: f64,
}

/// A run of tests.
#[derive(Clone, Debug, Default, Serialize)]
pub struct TestRun {
    /// The files, sorted by name.
    pub files: Vec<FileOutcome>,
    /// What was reached of the programs; none unless it was asked for.
    pub coverage: Option<serde_json::Value>,
    /// Which changes of the programs the tests noticed.
    pub mutation: Option<serde_json::Value>,
    /// The counts of all files together.
    pub summary: TestSummary,
}

impl TestRun {
    /// The outcome of files, counted.
    pub fn new(files: Vec<FileOutcome>, seconds: f64) -> TestRun {
        let mut summary = TestSummary { seconds, ..TestSummary::default() };
        for test in files.iter().flat_map(|file| &file.tests) {
            summary.tests += 1;
            match test.status {
                TestStatus::Passed => summary.passed += 1,
                TestStatus::Failed => summary.failed += 1,
                TestStatus::Skipped => summary.skipped += 1,
            }
            let held = test.asserts.iter().filter(|assert| assert.holds).count();
            summary.asserts.held += held;
            summary.asserts.broken += test.asserts.len() - held;
        }
        TestRun { files, coverage: None, mutation: None, summary }
    }

    /// Whether nothing is wrong.
    pub fn is_fine(&self) -> bool {
        self.summary.failed == 0 && self.compiles()
    }

    /// Whether the files and their programs have no errors.
    pub fn compiles(&self) -> bool {
        self.files.iter().all(|file| file.errors.is_empty())
    }
}
