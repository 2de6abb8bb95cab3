//! Many fixes at once: which of them go together, and the text after them.

use std::sync::Arc;

use rustc_hash::FxHashSet;
use syntax::{SourceKind, SyntaxTree};

use crate::Compiler;
use crate::files::SourceFile;
use crate::finding::{Edit, Finding, Fix, Tag};
pub use crate::finding::{FixSafety, safety};
use crate::lint::is_core;
use crate::world::FilePath;

/// How often a file is looked at again: one fix can bring out what another one mends.
const ROUNDS: usize = 1000;

/// A file whose findings were mended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fixed {
    /// The text of the file as it is.
    pub before: Arc<str>,
    /// The text with all fixes made.
    pub after: String,
    /// How many findings were mended.
    pub count: usize,
}

/// Makes the fixes of a file, round by round, until none is left; `findings` says what a compiler finds in it. None if
/// there is nothing to mend, or if the file cannot be read. A fix that would bring an error, or lose a comment, is not made;
/// nor is anything removed that nobody uses while the file has errors: it may be what they are about.
#[must_use]
pub fn all(
    compiler: &Compiler,
    path: &FilePath,
    findings: impl Fn(&Compiler) -> Vec<Finding>,
) -> Option<Fixed> {
    let source = compiler.file(path).ok()?;
    let SourceFile::Bicep(file) = &*source else { return None };
    let mending = Mending { compiler, path, kind: file.tree.source_kind(), findings };
    let before = file.tree.shared_text();
    let found = (mending.findings)(compiler);
    let mut now = FileText {
        text: before.to_string(),
        errors: errors(compiler, path),
        is_unfinished: is_unfinished(compiler, path),
        found,
    };
    let mut refused: FxHashSet<String> = FxHashSet::default();
    let mut count = 0;
    for _ in 0..ROUNDS {
        let tree = syntax::parse(now.text.as_str(), mending.kind);
        let is_wanted = |it: &&Finding| {
            it.fixes.first().is_some_and(|fix| !loses_comment(fix, &tree))
                && !(now.is_unfinished && it.tag() == Some(Tag::Unnecessary))
                && !refused.contains(&key(it, &now.text))
        };
        let wanted: Vec<Finding> = now.found.iter().filter(is_wanted).cloned().collect();
        if wanted.is_empty() {
            break;
        }
        let mut next = mending.mended(&now, &wanted);
        if next.is_none() {
            // One of them does harm, which is no reason to leave the others.
            for one in &wanted {
                let alone = mending.mended(&now, std::slice::from_ref(one));
                if alone.is_none() {
                    refused.insert(key(one, &now.text));
                }
                next = next.or(alone);
            }
        }
        if let Some((text, mended)) = next {
            (now, count) = (text, count + mended);
        }
    }
    (count > 0).then_some(Fixed { before, after: now.text, count })
}

/// A file that is mended.
struct Mending<'m, F> {
    compiler: &'m Compiler,
    path: &'m FilePath,
    kind: SourceKind,
    findings: F,
}

/// A text of the file, with what is found in it.
struct FileText {
    text: String,
    errors: usize,
    is_unfinished: bool,
    found: Vec<Finding>,
}

impl<F: Fn(&Compiler) -> Vec<Finding>> Mending<'_, F> {
    /// The text after the fixes of some findings, and how many were mended; none if nothing changes, or if there are more errors then.
    fn mended(&self, now: &FileText, found: &[Finding]) -> Option<(FileText, usize)> {
        let (edits, mended) = chosen(found);
        let text = applied(&now.text, &edits).filter(|text| *text != now.text)?;
        let mistakes = |text: &str| syntax::parse(text, self.kind).diagnostics().len();
        if mistakes(&text) > mistakes(&now.text) {
            return None;
        }
        let next = self.compiler.with_text(self.path, &text);
        let errors = errors(&next, self.path);
        let is_unfinished = is_unfinished(&next, self.path);
        let found = (self.findings)(&next);
        (errors <= now.errors).then_some((FileText { text, errors, is_unfinished, found }, mended))
    }
}

/// How many errors a file has of its own.
#[must_use]
pub fn errors(compiler: &Compiler, path: &FilePath) -> usize {
    count(compiler, path, Finding::is_error)
}

/// Tells whether the language finds errors in a file of its own. What a rule calls an error is none of those.
fn is_unfinished(compiler: &Compiler, path: &FilePath) -> bool {
    count(compiler, path, |it| it.is_error() && is_core(it.code)) > 0
}

fn count(compiler: &Compiler, path: &FilePath, counts: impl Fn(&Finding) -> bool) -> usize {
    let all = compiler.compile(path).findings;
    let own = all.iter().filter(|(file, _)| file == path).flat_map(|(_, found)| found.iter());
    own.filter(|it| counts(it)).count()
}

/// What makes a finding the same one after other fixes: its code, and what is put in the place of what.
fn key(finding: &Finding, text: &str) -> String {
    let mut key = finding.code.to_owned();
    for edit in finding.fixes.first().map(|fix| fix.edits.as_slice()).unwrap_or_default() {
        key.push('\0');
        key.push_str(edit.span.text(text));
        key.push('\0');
        key.push_str(&edit.text);
    }
    key
}

/// Tells whether a comment goes away with what a fix writes anew. What a fix only removes goes with its comments.
fn loses_comment(fix: &Fix, tree: &SyntaxTree) -> bool {
    let comments = || tree.trivia().iter().filter(|piece| piece.kind.is_comment());
    fix.edits.iter().filter(|edit| !edit.text.is_empty()).any(|edit| {
        comments().any(|comment| comment.start >= edit.span.start && comment.end <= edit.span.end)
    })
}

/// The first fix of each finding that does not touch what another one changes, and how many these are.
#[must_use]
pub fn chosen(found: &[Finding]) -> (Vec<&Edit>, usize) {
    let mut fixes: Vec<&Fix> = found.iter().filter_map(|it| it.fixes.first()).collect();
    fixes.sort_by_key(|fix| fix.edits.iter().map(|edit| edit.span.start).min());
    let mut edits: Vec<&Edit> = Vec::new();
    let (mut count, mut done) = (0, None);
    for fix in fixes {
        let start = fix.edits.iter().map(|edit| edit.span.start).min();
        // Edits at one place would depend on their order.
        if start.is_none() || start <= done {
            continue;
        }
        done = fix.edits.iter().map(|edit| edit.span.end).max();
        edits.extend(&fix.edits);
        count += 1;
    }
    edits.sort_by_key(|edit| edit.span.start);
    (edits, count)
}

/// The text with edits made that are in order; none if they do not fit it.
#[must_use]
pub fn applied(text: &str, edits: &[&Edit]) -> Option<String> {
    diagnostics::splice(text, edits.iter().map(|edit| (edit.span.start..edit.span.end, edit.text.as_ref())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(edits: &[&[(u32, u32, &str)]], expect: &str, count: usize) {
        let fix = |edits: &&[(u32, u32, &str)]| Fix {
            title: "".into(),
            edits: edits
                .iter()
                .map(|(start, end, text)| Edit {
                    span: syntax::Span::new(*start, *end),
                    text: (*text).to_owned(),
                })
                .collect(),
        };
        let finding = |edits| Finding {
            span: syntax::Span::default(),
            code: "BCP057",
            severity: crate::Severity::Error,
            message: "".into(),
            hint: None,
            fixes: vec![fix(edits)],
        };
        let found: Vec<Finding> = edits.iter().map(finding).collect();
        let (edits, made) = chosen(&found);
        assert_eq!((applied("abcdef", &edits).as_deref(), made), (Some(expect), count));
    }

    #[test]
    fn fixes_that_touch_wait_for_the_next_round() {
        check(&[&[(4, 5, "E")], &[(0, 1, "A")]], "AbcdEf", 2);
        check(&[&[(0, 2, "X")], &[(1, 3, "Y")]], "Xcdef", 1);
        check(&[&[(0, 0, "1")], &[(0, 0, "2")]], "1abcdef", 1);
        // One whose edits lie on both sides of another one.
        check(&[&[(0, 0, "1"), (5, 6, "F")], &[(2, 3, "C")]], "1abcdeF", 1);
    }
}
