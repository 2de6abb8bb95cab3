//! Many fixes at once: which of them go together, and the text after them.

use std::sync::Arc;

use crate::Compiler;
use crate::files::{FilePath, SourceFile};
use crate::finding::{Edit, Finding, Fix};

/// How often a file is looked at again: one fix can bring out what another one mends.
const ROUNDS: usize = 16;

/// A file whose findings were mended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fixed {
    /// The text before.
    pub before: Arc<str>,
    /// The text after.
    pub after: String,
    /// How many findings were mended.
    pub count: usize,
}

/// Makes the fixes of a file, round by round, until none is left; `findings` says what a compiler finds in it. None if
/// there is nothing to mend, or if the file cannot be read. A round that makes more mistakes of syntax is not made.
#[must_use]
pub fn all(
    compiler: &Compiler,
    path: &FilePath,
    findings: impl Fn(&Compiler) -> Vec<Finding>,
) -> Option<Fixed> {
    let source = compiler.file(path).ok()?;
    let SourceFile::Bicep(file) = &*source else { return None };
    let (kind, before) = (file.tree.source_kind(), file.tree.shared_text());
    let mut errors = file.tree.diagnostics().len();
    let mut found = findings(compiler);
    let (mut after, mut count) = (before.to_string(), 0);
    for _ in 0..ROUNDS {
        let (edits, mended) = chosen(&found);
        let Some(text) = applied(&after, &edits).filter(|text| *text != after) else { break };
        let now = syntax::parse(text.as_str(), kind).diagnostics().len();
        if now > errors {
            break;
        }
        (after, errors, count) = (text, now, count + mended);
        found = findings(&compiler.with_text(path, &after));
    }
    (count > 0).then_some(Fixed { before, after, count })
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
