//! How much is said of what is wrong: whatever a value is like, the answer to it stays small.
//!
//! A name of a megabyte would otherwise be in the message, the path, the pointer and the target, and a list with 60,000 wrong items would have a
//! finding for each.

use std::borrow::Cow;

use crate::{Diagnostic, Label, Text};

/// The most bytes of one message.
const MESSAGE: usize = 8 << 10;

/// The most bytes of a path, a pointer, or the name of what is wrong.
const NAME: usize = 1 << 10;

/// The most bytes that everything said at once has, before it is put into a form.
const ALL: usize = 640 << 10;

/// The most findings that are shown at once.
const FINDINGS: usize = 1_000;

/// About what a finding takes beside its texts: its place, its code, and the frame around them.
const FRAME: usize = 160;

/// A message, shortened in its middle if it is long: its beginning and its end, how long it was, and a digest that tells long ones apart.
pub fn message(text: &str) -> Cow<'_, str> {
    shortened(text, MESSAGE)
}

/// A path or a name, shortened as a [`message`] is.
pub fn name(text: &str) -> Cow<'_, str> {
    shortened(text, NAME)
}

fn shortened(text: &str, most: usize) -> Cow<'_, str> {
    if text.len() <= most {
        return Cow::Borrowed(text);
    }
    let start = text.get(..text.floor_char_boundary(most / 2)).unwrap_or_default();
    let end = text.get(text.floor_char_boundary(text.len() - most / 4)..).unwrap_or_default();
    Cow::Owned(format!("{start}… ({} bytes, {:08x}) …{end}", text.len(), digest(text)))
}

/// FNV-1a, folded to 32 bits: tells texts apart, and proves nothing.
fn digest(text: &str) -> u32 {
    let hash = text.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    });
    (hash ^ (hash >> 32)) as u32
}

/// What is left to be said.
#[derive(Clone, Copy, Debug)]
pub struct Allowance {
    bytes: usize,
    findings: usize,
}

impl Default for Allowance {
    fn default() -> Allowance {
        Allowance { bytes: ALL, findings: FINDINGS }
    }
}

impl Allowance {
    /// Takes what a finding with texts of this length needs; false if it cannot be had any more. The first one always can.
    pub fn take(&mut self, texts: usize) -> bool {
        let needed = texts.saturating_add(FRAME);
        let is_first = self.findings == FINDINGS;
        if self.findings == 0 || (needed > self.bytes && !is_first) {
            self.findings = 0;
            return false;
        }
        self.findings -= 1;
        self.bytes = self.bytes.saturating_sub(needed);
        true
    }
}

/// The findings that are shown: with short texts, at most a thousand, errors before others where not all are. Also says how many are not shown.
pub fn findings(all: &[Diagnostic]) -> (Cow<'_, [Diagnostic]>, usize) {
    let mut allowance = Allowance::default();
    if all.len() <= FINDINGS && all.iter().all(|finding| is_short(finding) && allowance.take(length(finding)))
    {
        return (Cow::Borrowed(all), 0);
    }
    let mut allowance = Allowance::default();
    let mut shown: Vec<(usize, Diagnostic)> = Vec::new();
    let (errors, others): (Vec<_>, Vec<_>) =
        all.iter().enumerate().partition(|(_, finding)| finding.is_error());
    for (at, finding) in errors.into_iter().chain(others) {
        let finding = short(finding);
        if !allowance.take(length(&finding)) {
            break;
        }
        shown.push((at, finding));
    }
    shown.sort_by_key(|(at, _)| *at);
    let hidden = all.len() - shown.len();
    (Cow::Owned(shown.into_iter().map(|(_, finding)| finding).collect()), hidden)
}

/// What is said of findings that are not shown.
pub fn hidden(count: usize) -> String {
    let plural = if count == 1 { "" } else { "s" };
    format!("{count} more finding{plural} not shown")
}

fn texts(finding: &Diagnostic) -> impl Iterator<Item = (&Text, usize)> {
    let labels = finding.labels.iter().map(|label| (&label.message, NAME));
    let long = std::iter::once(&finding.message).chain(&finding.help).map(|text| (text, MESSAGE));
    labels.chain(long).chain(finding.pointer.iter().map(|pointer| (pointer, NAME)))
}

fn is_short(finding: &Diagnostic) -> bool {
    texts(finding).all(|(text, most)| text.len() <= most)
}

fn length(finding: &Diagnostic) -> usize {
    let fixes = finding.fixes.iter().flat_map(|fix| &fix.edits).map(|edit| edit.text.len());
    texts(finding).map(|(text, _)| text.len()).chain(fixes).sum()
}

fn short(finding: &Diagnostic) -> Diagnostic {
    let text = |text: &Text, most| Text::from(shortened(text, most).into_owned());
    Diagnostic {
        message: text(&finding.message, MESSAGE),
        pointer: finding.pointer.as_ref().map(|it| text(it, NAME)),
        labels: finding
            .labels
            .iter()
            .map(|label| Label { span: label.span, message: text(&label.message, NAME) })
            .collect(),
        help: finding.help.iter().map(|it| text(it, MESSAGE)).collect(),
        // A change that holds a long name is not one that anybody wants to read.
        fixes: finding
            .fixes
            .iter()
            .filter(|fix| fix.edits.iter().all(|edit| edit.text.len() <= MESSAGE))
            .cloned()
            .collect(),
        ..finding.clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_texts_stay_as_they_are() {
        assert!(matches!(message("the value is wrong"), Cow::Borrowed("the value is wrong")));
    }

    #[test]
    fn long_texts_keep_both_ends_and_can_be_told_apart() {
        let text =
            |middle: &str| format!("`{}{middle}{}` is not known", "m".repeat(50_000), "n".repeat(50_000));
        let (one, other) = (text("1"), text("2"));
        let (one, other) = (message(&one), message(&other));
        assert!(one.starts_with("`mmm") && one.ends_with("nnn` is not known"), "{one}");
        assert!(one.len() < MESSAGE && one.contains("100016 bytes"), "{one}");
        assert_ne!(one, other);
    }

    #[test]
    fn characters_are_not_cut() {
        let text = "é".repeat(MESSAGE);
        assert!(message(&text).starts_with("ééé"));
    }

    #[test]
    fn of_many_findings_errors_are_shown_first_and_in_their_order() {
        let mut all: Vec<Diagnostic> =
            (0..5_000).map(|it| Diagnostic::warning("W", format!("{it}"))).collect();
        all.insert(3_000, Diagnostic::error("E", "e"));
        let (shown, hidden) = findings(&all);
        assert_eq!((shown.len(), hidden), (FINDINGS, 4_001));
        assert_eq!(shown.last().map(|it| &*it.code), Some("E"));
    }

    #[test]
    fn few_findings_with_long_texts_stay_small() {
        let long = || {
            Diagnostic::error("E", "m".repeat(1 << 20)).pointer("p".repeat(1 << 20)).help("h".repeat(1 << 20))
        };
        let all: Vec<Diagnostic> = (0..200).map(|_| long()).collect();
        let (shown, hidden) = findings(&all);
        assert!(shown.iter().map(length).sum::<usize>() <= ALL);
        assert!(!shown.is_empty() && shown.len() + hidden == all.len());
    }
}
