//! What can be done about diagnostics: the fixes of findings, switching a finding off for a line, and all fixes at once.

use bicep::files::SourceFile;
use bicep::fixes::FixSafety;
use bicep::{Compiler, Edit, FilePath, Finding};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use syntax::{Span, TokenKind};

use crate::document::span_of;
use crate::message::ResponseError;
use crate::protocol::{Diagnostic, DocumentId, Range, WorkspaceEdit};
use crate::publish::{Depth, diagnostic, findings};
use crate::snapshot::Snapshot;

const QUICK_FIX: &str = "quickfix";
const FIX_ALL: &str = "source.fixAll";

/// The comment that switches off what is found in the line below it.
const DISABLE: &str = "#disable-next-line";

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Params {
    text_document: DocumentId,
    range: Range,
    #[serde(default)]
    context: Context,
}

#[derive(Default, Deserialize)]
struct Context {
    only: Option<Vec<String>>,
}

impl Context {
    /// Tells whether actions of a kind are wanted: kinds have parts, and the first parts stand for all below them.
    fn wants(&self, kind: &str) -> bool {
        let is_part = |wanted: &String| {
            kind.strip_prefix(wanted.as_str()).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
        };
        self.only.as_ref().is_none_or(|only| only.iter().any(is_part))
    }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct CodeAction {
    title: String,
    kind: &'static str,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    diagnostics: Vec<Diagnostic>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    is_preferred: bool,
    edit: WorkspaceEdit,
}

/// The kinds of actions that there are.
pub(super) fn kinds() -> Value {
    json!({ "codeActionKinds": [QUICK_FIX, FIX_ALL] })
}

/// The actions for a stretch of a document.
pub(super) fn answer(snapshot: &Snapshot, params: Params) -> Result<Vec<CodeAction>, ResponseError> {
    let (path, language) = snapshot.program(&params.text_document)?;
    let lines = snapshot.lines(&path);
    let look = |compiler: &Compiler| {
        findings(compiler, &path, language, Depth::Checks, &|| true).unwrap_or_default()
    };
    let mut actions = Vec::new();
    if params.context.wants(QUICK_FIX) {
        let found = look(&snapshot.compiler);
        let wanted = span_of(&lines, params.range);
        let touched = |it: &&Finding| it.span.start <= wanted.end && wanted.start <= it.span.end;
        let touched: Vec<&Finding> = found.iter().filter(touched).collect();
        for finding in &touched {
            for (place, fix) in finding.fixes.iter().enumerate() {
                actions.push(CodeAction {
                    title: match finding.fix_safety() {
                        FixSafety::Unsafe => format!("{} (unsafe)", capitalised(&fix.title)),
                        FixSafety::Safe | FixSafety::ByHand => capitalised(&fix.title),
                    },
                    kind: QUICK_FIX,
                    diagnostics: vec![diagnostic(&lines, finding)],
                    // The first one is what `tendon lint --fix` makes.
                    is_preferred: place == 0 && finding.fix_safety() == FixSafety::Safe,
                    edit: snapshot.edit(&path, &fix.edits),
                });
            }
        }
        let mut disabled: Vec<(u32, &str)> = Vec::new();
        for finding in &touched {
            if finding.is_error() && bicep::lint::is_core(finding.code) {
                continue;
            }
            let edit = disable(lines.text(), finding);
            if is_in_text(snapshot, &path, edit.span.start) {
                continue;
            }
            if disabled.contains(&(edit.span.start, finding.code)) {
                continue;
            }
            disabled.push((edit.span.start, finding.code));
            actions.push(CodeAction {
                title: format!("Disable {} for this line", finding.code),
                kind: QUICK_FIX,
                diagnostics: vec![diagnostic(&lines, finding)],
                is_preferred: false,
                edit: snapshot.edit(&path, [&edit]),
            });
        }
    }
    // Editors ask for everything whenever the cursor moves; this compiles the file again for each round.
    if params.context.only.is_some()
        && params.context.wants(FIX_ALL)
        && let Some(fixed) = bicep::fixes::all(&snapshot.compiler.fork(), &path, |compiler| {
            let found = look(compiler).into_iter();
            found.filter(|finding| finding.fix_safety() == FixSafety::Safe).collect()
        })
    {
        actions.push(CodeAction {
            title: "Fix all findings that have a safe fix".to_owned(),
            kind: FIX_ALL,
            diagnostics: Vec::new(),
            is_preferred: false,
            edit: snapshot.edit(&path, [&difference(&fixed.before, &fixed.after)]),
        });
    }
    Ok(actions)
}

/// Tells whether a place is inside a string of several lines, where a comment would be a part of it.
fn is_in_text(snapshot: &Snapshot, path: &FilePath, offset: u32) -> bool {
    let Ok(source) = snapshot.compiler.file(path) else { return false };
    let SourceFile::Bicep(file) = &*source else { return false };
    let token = offset.checked_sub(1).and_then(|before| file.tree.token_at(before));
    token.is_some_and(|token| token.kind() != TokenKind::NewLine && token.span().end > offset)
}

/// The edit that makes one text of another: of the lines between those that both begin and end with.
fn difference(before: &str, after: &str) -> Edit {
    let same = |(a, b): &(&str, &str)| a == b;
    let length = |(line, _): (&str, &str)| line.len();
    let (old, new) = (before.split_inclusive('\n'), after.split_inclusive('\n'));
    let start: usize = old.clone().zip(new.clone()).take_while(same).map(length).sum();
    let most = before.len().min(after.len()) - start;
    let mut end = 0;
    for pair in old.rev().zip(new.rev()).take_while(same) {
        if end + length(pair) > most {
            break;
        }
        end += length(pair);
    }
    let (stop, until) = (before.len() - end, after.len() - end);
    let offset = |place: usize| u32::try_from(place).unwrap_or(u32::MAX);
    Edit {
        span: Span::new(offset(start), offset(stop)),
        text: after.get(start..until).unwrap_or_default().to_owned(),
    }
}

/// A fragment as the menu of an editor shows it.
fn capitalised(text: &str) -> String {
    let mut characters = text.chars();
    characters.next().map_or_else(String::new, |first| first.to_uppercase().chain(characters).collect())
}

/// The edit that switches a finding off: a comment of its own, or a word more in the one that is there.
fn disable(text: &str, finding: &Finding) -> Edit {
    const BREAKS: [char; 2] = ['\n', '\r'];
    let before = text.get(..finding.span.start as usize).unwrap_or_default();
    let line = before.rfind(BREAKS).map_or(0, |at| at + 1);
    let above = text.get(..line).unwrap_or_default();
    let end = above.strip_suffix("\r\n").or_else(|| above.strip_suffix(BREAKS));
    let start = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
    if let Some(above) = end
        && above.rsplit(BREAKS).next().is_some_and(|last| last.trim_start().starts_with(DISABLE))
    {
        return Edit { span: Span::empty(start(above.len())), text: format!(" {}", finding.code) };
    }
    // Lines end as the first one does.
    let ending = match text.split_once('\n') {
        Some((first, _)) if first.ends_with('\r') => "\r\n",
        Some(_) | None => "\n",
    };
    Edit { span: Span::empty(start(line)), text: format!("{DISABLE} {}{ending}", finding.code) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expect: &str) {
        let at = u32::try_from(text.rfind('x').unwrap()).unwrap();
        let finding = Finding {
            span: Span::new(at, at + 1),
            code: "no-unused-vars",
            severity: bicep::Severity::Warning,
            message: "".into(),
            hint: None,
            fixes: Vec::new(),
        };
        let edit = disable(text, &finding);
        assert_eq!(bicep::fixes::applied(text, &[&edit]).as_deref(), Some(expect));
    }

    #[test]
    fn a_finding_is_switched_off_in_the_line_above() {
        check("var x = 1", "#disable-next-line no-unused-vars\nvar x = 1");
        check("a\n  var x = 1", "a\n#disable-next-line no-unused-vars\n  var x = 1");
        check("#disable-next-line a\r\nvar x = 1", "#disable-next-line a no-unused-vars\r\nvar x = 1");
        check("a\r\nvar x = 1", "a\r\n#disable-next-line no-unused-vars\r\nvar x = 1");
        check("a\rvar x = 1", "a\r#disable-next-line no-unused-vars\nvar x = 1");
    }

    #[test]
    fn kinds_stand_for_those_below_them() {
        let wants = |only: &[&str], kind| {
            let only = Some(only.iter().map(|it| (*it).to_owned()).collect());
            Context { only }.wants(kind)
        };
        assert!(wants(&["source"], FIX_ALL) && wants(&["source.fixAll"], FIX_ALL));
        assert!(!wants(&["quickfix"], FIX_ALL) && !wants(&["quick"], QUICK_FIX));
        assert!(Context::default().wants(QUICK_FIX));
    }
}
