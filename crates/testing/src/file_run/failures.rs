//! Failures of a case, with the places that they name.

use bicep::DeclaredTest;
use engine::Failure;

use super::{ASSERTION_FAILED, Case, FileRun, json};
use crate::body::BodyError;
use crate::outcome::{FailureKind, SourcePlace, TestFailure};
use crate::places::{at_line, declared_at};
use crate::program::Program;

impl FileRun<'_> {
    /// A deployment that failed although nobody expected it.
    pub(super) fn failures(
        &self,
        program: &Program,
        (declared, case): (&DeclaredTest, &Case),
        failure: &Failure,
        refused: bool,
    ) -> Vec<TestFailure> {
        if failure.code == ASSERTION_FAILED {
            let all: Vec<&Failure> = match failure.details.as_slice() {
                [] => vec![failure],
                details => details.iter().collect(),
            };
            return all
                .into_iter()
                .map(|one| {
                    let place = self.failure_place(program, one);
                    let place = place.or_else(|| Some(self.place.place(declared.span)));
                    let mut made = plain(FailureKind::Assert, one.message.clone(), place);
                    made.name.clone_from(&one.target);
                    made.code = Some(one.code.to_string());
                    made
                })
                .collect();
        }
        let mut message = String::new();
        describe(failure, 0, &mut message);
        // A value that was given breaks its type: where it is given is where to look.
        let given = || {
            let target = failure.details.iter().chain([failure]).find_map(|it| it.target.as_deref())?;
            let member = format!("params.{target}");
            Some(self.member(declared, &case.label, &member)).filter(|_| refused).flatten()
        };
        let place = self.first_place(program, failure).or_else(given);
        let place = place.or_else(|| Some(self.place.place(declared.span)));
        let mut made = plain(FailureKind::Error, message.trim_start().to_owned(), place);
        made.code = Some(failure.code.to_string());
        made.details = json(&failure.to_value());
        vec![made]
    }

    /// The place of an error, or of the first one behind it that has one. Errors do not nest deep.
    pub(super) fn first_place(&self, program: &Program, failure: &Failure) -> Option<SourcePlace> {
        let behind = failure.details.iter().find_map(|detail| self.first_place(program, detail));
        behind.or_else(|| self.failure_place(program, failure))
    }

    pub(super) fn failure_place(&self, program: &Program, failure: &Failure) -> Option<SourcePlace> {
        let (file, line, column) = self.session.host.place(failure)?;
        let needed = self.session.compiler.needed(&program.main);
        let path = needed.iter().find(|path| self.session.host.shown(path) == file);
        Some(at_line(self.session.compiler, &file, line, column, path))
    }

    /// The declaration that an error was noted at.
    pub(super) fn declaration(&self, program: &Program, failure: &Failure) -> Option<String> {
        let (file, line, _) = self.session.host.place(failure)?;
        let needed = self.session.compiler.needed(&program.main);
        let path = needed.iter().find(|path| self.session.host.shown(path) == file)?;
        declared_at(self.session.compiler, path, line)
    }

    /// What is wrong with the body of a test.
    pub(super) fn body_failure(&self, declared: &DeclaredTest, error: &BodyError) -> TestFailure {
        let place = self.member(declared, &None, &error.member);
        plain(FailureKind::Error, error.message.clone(), place)
    }

    /// The place of a member of a body, as far as it is written there; else the name of the test.
    pub(super) fn member(
        &self,
        declared: &DeclaredTest,
        label: &Option<String>,
        member: &str,
    ) -> Option<SourcePlace> {
        let find = |name: &str| declared.members.iter().find(|it| it.name == name);
        let mut wanted = member;
        while !wanted.is_empty() {
            let of_case = label.as_ref().map(|label| format!("cases.{label}.{wanted}"));
            let found = of_case.and_then(|name| find(&name)).or_else(|| find(wanted));
            if let Some(found) = found {
                return Some(self.place.place(found.key));
            }
            wanted = wanted.rsplit_once(['.', '[']).map_or("", |(outer, _)| outer);
        }
        Some(self.place.place(declared.span))
    }
}

pub(super) fn plain(kind: FailureKind, message: String, place: Option<SourcePlace>) -> TestFailure {
    TestFailure { kind, code: None, name: None, message, place, details: None }
}

/// An error and those behind it, a line for each, with the way to the value that one speaks of. Errors do not nest deep.
pub(super) fn describe(failure: &Failure, depth: usize, text: &mut String) {
    // The ids of resources, and what stands below them, are a part of the messages.
    let is_path = |target: &&String| depth > 0 && !target.is_empty() && !target.starts_with('/');
    let target = failure.target.as_ref().filter(is_path).map(|target| format!(" {target}:"));
    let (blanks, code) = ("  ".repeat(depth), &failure.code);
    text.push_str(&format!("\n{blanks}{code}:{} {}", target.unwrap_or_default(), failure.message));
    for detail in &failure.details {
        if detail.message != failure.message {
            describe(detail, depth + 1, text);
        }
    }
}
