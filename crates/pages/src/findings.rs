//! What was found wrong, grouped by rule.

use maud::{Markup, html};

use crate::text::clean;

/// Something that is wrong, as it is printed for people: with the lines of the value and of the rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DiagnosticView {
    /// The code, or the name of the rule.
    pub code: String,
    /// `error`, `warning` or `info`.
    pub severity: String,
    /// What is wrong, in one line.
    pub message: String,
    /// Where, with source lines; nothing if that is not known.
    pub text: String,
}

/// All findings of one rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Group<'f> {
    /// The code, or the name of the rule.
    pub code: &'f str,
    /// What the rule means, if there is something to say.
    pub about: Option<String>,
    /// What breaks it, in order.
    pub findings: Vec<&'f DiagnosticView>,
}

impl<'f> Group<'f> {
    /// Groups findings by their codes; the rule that is broken first comes first.
    pub fn all(findings: &'f [DiagnosticView], about: &dyn Fn(&str) -> Option<String>) -> Vec<Group<'f>> {
        let mut places = std::collections::BTreeMap::new();
        let mut groups: Vec<Group<'f>> = Vec::new();
        for finding in findings {
            let next = groups.len();
            let at = *places.entry(finding.code.as_str()).or_insert(next);
            match groups.get_mut(at) {
                Some(group) => group.findings.push(finding),
                None => {
                    let about = about(&finding.code);
                    groups.push(Group { code: &finding.code, about, findings: vec![finding] });
                }
            }
        }
        groups
    }
}

/// The section of findings.
pub(crate) fn section(groups: &[Group<'_>]) -> Markup {
    let count: usize = groups.iter().map(|group| group.findings.len()).sum();
    html! {
        section aria-labelledby="findings" {
            h2 id="findings" { "Findings" }
            @if groups.is_empty() {
                p { "Nothing is wrong." }
            } @else {
                p { (counted(count, "finding")) ", " (counted(groups.len(), "rule")) "." }
                @for group in groups {
                    details open {
                        summary { code { (clean(group.code)) } " " span.count { (group.findings.len()) } }
                        @if let Some(about) = &group.about { p.about { (clean(about)) } }
                        @for finding in &group.findings {
                            article class=(class(&finding.severity)) {
                                h3 { span.tag { (word(&finding.severity)) } " " (clean(&finding.message)) }
                                @if !finding.text.is_empty() {
                                    pre tabindex="0" aria-label="Source" { (clean(&finding.text)) }
                                }
                            }
                        }
                    }
                }
            }
        }
    }
}

/// A number with its noun.
pub(crate) fn counted(count: usize, noun: &str) -> String {
    format!("{count} {noun}{}", if count == 1 { "" } else { "s" })
}

fn word(severity: &str) -> &'static str {
    match severity {
        "warning" => "warning",
        "info" => "info",
        _ => "error",
    }
}

fn class(severity: &str) -> &'static str {
    match severity {
        "warning" => "change",
        "info" => "quiet",
        _ => "bad",
    }
}
