//! Findings in their final form: those of the text and of its meaning, each once, by position, without those that
//! the file switches off.

use rustc_hash::{FxHashMap, FxHashSet};
use syntax::Pragma;

use crate::finding::{Edit, Finding, Severity};
use crate::symbols::Model;

/// Puts the findings of a file together. Errors of the language itself, whose codes `is_core` knows, cannot be switched off.
pub(super) fn assemble(
    model: &Model,
    semantic: Vec<Finding>,
    is_core: impl Fn(&str) -> bool,
) -> Vec<Finding> {
    let config = model.file.config.faults().iter().map(|fault| fault.at(syntax::Span::new(0, 0)));
    let syntax = model.file.tree.diagnostics().iter().map(|found| Finding {
        span: found.span,
        code: found.code.as_str(),
        severity: Severity::Error,
        message: found.message(model.file.tree.text()).into(),
        hint: found.code.hint().map(Into::into),
        fixes: Vec::new(),
    });
    let config = config.chain(model.misdeclared.iter().cloned());
    let mut all: Vec<Finding> = config.chain(syntax).chain(semantic).collect();
    let mut seen = FxHashSet::default();
    all.retain(|found| {
        seen.insert((found.span, found.code, found.severity as u8, found.message.clone(), found.hint.clone()))
    });
    all.sort_by_key(|found| found.span.start);
    for found in all.iter_mut().filter(|found| is_core(found.code)) {
        found.fixes.retain_mut(|fix| fix.edits.iter_mut().all(|edit| in_quotes(model, edit)));
    }
    // A test says that a value is there by reading it; if it is null, the test fails.
    all.retain(|found| !(model.file.is_test() && found.code == crate::codes::MAY_BE_NULL.code));
    let off = Off::read(model);
    let fixed = |found: &Finding| found.is_error() && is_core(found.code);
    all.retain(|found| fixed(found) || !off.covers(found.code, found.span.start));
    all
}

/// Puts a name that was meant into quotes if it takes the place of a text; false if it cannot stand there.
fn in_quotes(model: &Model, edit: &mut Edit) -> bool {
    let is_text = edit.span.text(model.file.tree.text()).starts_with('\'');
    if is_text && !edit.text.starts_with('\'') {
        edit.text = crate::types::quoted(&edit.text).to_string();
    }
    is_text || syntax::spelling::is_name(&edit.text)
}

/// The findings that a file does not switch off.
pub(crate) fn unsuppressed(model: &Model, mut found: Vec<Finding>) -> Vec<Finding> {
    if !found.is_empty() {
        let off = Off::read(model);
        found.retain(|found| !off.covers(found.code, found.span.start));
    }
    found
}

/// The stretches of a file for which codes are switched off.
struct Off<'m>(FxHashMap<&'m str, Vec<(u32, u32)>>);

impl<'m> Off<'m> {
    fn read(model: &'m Model) -> Off<'m> {
        let text = model.file.tree.text();
        let end = u32::try_from(text.len()).unwrap_or(u32::MAX);
        let mut closed: Vec<(&str, u32, u32)> = Vec::new();
        let mut open: Vec<(&str, u32)> = Vec::new();
        for pragma in model.file.tree.pragmas() {
            let Pragma { kind, span, .. } = pragma;
            let codes = pragma.codes().map(|(_, code)| code);
            match kind {
                syntax::TriviaKind::DisableNextLine => {
                    let to = end_of_next_line(text, span.start).unwrap_or(end);
                    closed.extend(codes.map(|code| (code, span.start, to)));
                }
                syntax::TriviaKind::DisableDiagnostics => {
                    for code in codes {
                        if !open.iter().any(|(known, _)| *known == code) {
                            open.push((code, span.start));
                        }
                    }
                }
                _ => {
                    for code in codes {
                        if let Some(place) = open.iter().position(|(known, _)| *known == code) {
                            let (code, from) = open.swap_remove(place);
                            closed.push((code, from, span.end));
                        }
                    }
                }
            }
        }
        closed.extend(open.into_iter().map(|(code, from)| (code, from, end)));
        closed.sort_unstable_by_key(|(_, from, _)| *from);
        let mut stretches: FxHashMap<&str, Vec<(u32, u32)>> = FxHashMap::default();
        for (code, from, to) in closed {
            let list = stretches.entry(code).or_default();
            // Each ends where the furthest so far ends, so the last one that begins before a place decides.
            let furthest = list.last().map_or(to, |(_, last)| to.max(*last));
            list.push((from, furthest));
        }
        Off(stretches)
    }

    fn covers(&self, code: &str, at: u32) -> bool {
        let Some(list) = self.0.get(code) else { return false };
        let before = list.partition_point(|(from, _)| *from <= at);
        before.checked_sub(1).and_then(|last| list.get(last)).is_some_and(|(_, to)| at <= *to)
    }
}

/// The last place of the line after the one that holds `at`.
fn end_of_next_line(text: &str, at: u32) -> Option<u32> {
    let mut lines = text.get(at as usize..)?.match_indices('\n').map(|(place, _)| place);
    let (_, second) = (lines.next()?, lines.next()?);
    u32::try_from(at as usize + second).ok()
}
