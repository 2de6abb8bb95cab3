//! The form that checks a pasted resource, and what it finds.

use maud::{Markup, html};

use super::assets::asset_path;
use super::shell::{PageFrame, form_token};
use crate::findings::counted;
use crate::text::clean;

/// The form that checks a resource against its type.
#[derive(Clone, Debug, Default)]
pub struct CheckForm {
    /// The full name of the type.
    pub type_name: String,
    /// The version of the type to check against.
    pub version: String,
    /// What was pasted, to be shown again.
    pub text: String,
    /// What came of it, if it was checked.
    pub result: Option<CheckResult>,
}

/// What is wrong with a resource.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CheckResult {
    /// How many documents there are in the text.
    pub documents: usize,
    /// What breaks the rules, in the order of the text.
    pub problems: Vec<DiagnosticView>,
    /// Whether there are more than those.
    pub is_cut: bool,
}

/// Something that is wrong, with its place.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DiagnosticView {
    /// The code, or the name of the rule.
    pub code: String,
    /// Whether it is only a warning.
    pub is_warning: bool,
    /// What is wrong, in one line.
    pub message: String,
    /// The line and the column, both from one.
    pub place: Option<(u32, u32)>,
    /// The way to the value.
    pub path: String,
    /// The source line with a caret below it, as it is printed for people.
    pub source: String,
    /// What the rule demands.
    pub expected: Option<String>,
    /// What stands there, masked if it is a secret.
    pub found: Option<String>,
    /// What to do about it.
    pub hint: Option<String>,
}

/// The form, with what came of it. A script sends it while somebody types; without it, the button does.
pub fn check_form(frame: &PageFrame, form: &CheckForm) -> Markup {
    html! {
        section aria-labelledby="check" {
            h2 #check { "Check a resource" }
            form.check method="post" action="/ui/check" data-check="check-result" {
                (form_token(frame))
                input type="hidden" name="type" value=(form.type_name);
                input type="hidden" name="version" value=(form.version);
                label for="check-text" { "A resource in YAML or JSON. Nothing is stored." }
                textarea #check-text name="text" spellcheck="false" autocapitalize="off" autocomplete="off" { (area(&form.text)) }
                div.actions { button type="submit" { "Check" } }
            }
            (check_result(form.result.as_ref()))
            script defer src=(asset_path("check.js")) {}
        }
    }
}

/// A line break at the beginning of a field is left out by browsers, so that one more stands before it.
pub(super) fn area(text: &str) -> String {
    if text.starts_with('\n') { format!("\n{text}") } else { text.to_owned() }
}

/// What came of a check: the part of the page that is replaced.
pub fn check_result(result: Option<&CheckResult>) -> Markup {
    html! {
        div #check-result data-part="check" role="status" aria-live="polite" {
            @if let Some(result) = result {
                @if result.problems.is_empty() {
                    p.verdict.good { span aria-hidden="true" { "✓ " } (counted(result.documents, "resource")) " valid" }
                } @else {
                    p.verdict.bad {
                        span aria-hidden="true" { "✗ " } (counted(result.problems.len(), "violation"))
                        @if result.is_cut { ", and more" }
                    }
                    (problems(&result.problems))
                }
            }
        }
    }
}

/// A list of what is wrong.
pub(super) fn problems(problems: &[DiagnosticView]) -> Markup {
    html! {
        ol.problems {
            @for it in problems {
                li class=(if it.is_warning { "change" } else { "bad" }) {
                    h3 {
                        span.tag { (if it.is_warning { "warning" } else { "error" }) } " "
                        @if let Some((line, column)) = it.place { span.place { "line " (line) ", column " (column) ": " } }
                        (clean(&it.message))
                    }
                    @if !it.source.is_empty() { pre tabindex="0" aria-label="Source" { (clean(&it.source)) } }
                    dl.facts {
                        div { dt { "Rule" } dd { code { (clean(&it.code)) } } }
                        @if !it.path.is_empty() { div { dt { "At" } dd { code { (clean(&it.path)) } } } }
                        @if let Some(expected) = &it.expected { div { dt { "Expected" } dd { (clean(expected)) } } }
                        @if let Some(found) = &it.found { div { dt { "Found" } dd { code { (clean(found)) } } } }
                        @if let Some(hint) = &it.hint { div { dt { "Hint" } dd { (clean(hint)) } } }
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ui::hostile;

    #[test]
    fn what_is_wrong_is_told_with_its_place_and_what_was_expected() {
        let problem = DiagnosticView {
            code: "maximum".to_owned(),
            message: "must be at most 10, found `11`".to_owned(),
            place: Some((3, 7)),
            path: "/properties/size".to_owned(),
            source: "3 | size: 11\n  |       ^^".to_owned(),
            expected: Some("at most 10".to_owned()),
            found: Some("11".to_owned()),
            hint: Some("use a smaller one".to_owned()),
            ..DiagnosticView::default()
        };
        let result = CheckResult { documents: 1, problems: vec![problem], is_cut: true };
        let page = check_result(Some(&result)).into_string();
        for part in [
            "line 3, column 7",
            "3 | size: 11\n  |       ^^",
            "at most 10",
            "1 violation, and more",
            "use a smaller one",
        ] {
            assert!(page.contains(part), "{part} in {page}");
        }
        let fine = CheckResult { documents: 2, ..CheckResult::default() };
        assert!(check_result(Some(&fine)).into_string().contains("2 resources valid"));
    }

    #[test]
    fn hostile_resources_stay_text() {
        let text = || hostile::TEXT.to_owned();
        let problem = DiagnosticView {
            code: text(),
            is_warning: true,
            message: text(),
            place: None,
            path: text(),
            source: text(),
            expected: Some(text()),
            found: Some(text()),
            hint: Some(text()),
        };
        let result = CheckResult { documents: 1, problems: vec![problem], is_cut: false };
        hostile::check(&check_result(Some(&result)).into_string());
        assert_eq!(area("\nx"), "\n\nx");
    }
}
