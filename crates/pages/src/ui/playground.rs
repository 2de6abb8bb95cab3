//! The template playground: a template and its parameters in, what is wrong with them and what they would do out.

use maud::{Markup, PreEscaped, html};

use super::changes::{Changes, changes};
use super::check::{DiagnosticView, area, problems};
use super::shell::{PageFrame, form_token};
use crate::findings::counted;

/// The page where templates are tried: nothing of them is kept.
#[derive(Debug, Default)]
pub struct Playground {
    /// The scope that a deployment would go to.
    pub scope: String,
    /// The scopes that can be chosen.
    pub scopes: Vec<String>,
    /// The text of the template, to be shown again.
    pub template: String,
    /// The parameters, as JSON.
    pub parameters: String,
    /// Whether the template may be Bicep.
    pub takes_bicep: bool,
    /// What came of it, if it was sent.
    pub result: Option<PlaygroundResult>,
}

/// What came of a template.
#[derive(Debug, Default)]
pub struct PlaygroundResult {
    /// What is wrong with it.
    pub problems: Vec<DiagnosticView>,
    /// What it would change, if nothing is.
    pub changes: Option<Changes>,
    /// The picture of its resources as SVG, or why there is none.
    pub picture: Option<Result<String, String>>,
}

/// The page of the playground.
pub fn playground(frame: &PageFrame, view: &Playground) -> Markup {
    html! {
        h1 { "Template playground" }
        p { "What a deployment of a template would do. Nothing is stored, and nothing is deployed." }
        form.playground method="post" action="/ui/playground#result" {
            (form_token(frame))
            div {
                label for="scope" { "Scope" }
                input #scope name="scope" value=(view.scope) list="scopes" required size="50"
                    placeholder="/subscriptions/…/resourceGroups/…"
                    autocomplete="off" spellcheck="false";
                datalist #scopes { @for scope in &view.scopes { option value=(crate::clean(scope)) {} } }
            }
            div {
                label for="template" { (if view.takes_bicep { "Template, in Bicep or JSON" } else { "Template, in JSON" }) }
                textarea #template name="template" spellcheck="false" autocapitalize="off" autocomplete="off" { (area(&view.template)) }
            }
            div {
                label for="parameters" { "Parameters: " code { "{\"name\": value}" } ", or a parameters file" }
                textarea.low #parameters name="parameters" spellcheck="false" autocapitalize="off" autocomplete="off" { (area(&view.parameters)) }
            }
            div.actions { button type="submit" { "Say what it would do" } }
        }
        @if let Some(result) = &view.result { (outcome(result)) }
    }
}

fn outcome(result: &PlaygroundResult) -> Markup {
    let errors = result.problems.iter().filter(|problem| !problem.is_warning).count();
    html! {
        section #result aria-labelledby="outcome" {
            h2 #outcome { "Result" }
            @if errors > 0 {
                p.verdict.bad { span aria-hidden="true" { "✗ " } (counted(errors, "error")) }
            } @else {
                p.verdict.good { span aria-hidden="true" { "✓ " } "The deployment would be accepted." }
            }
            @if !result.problems.is_empty() { (problems(&result.problems)) }
        }
        @if let Some(picture) = &result.picture {
            section aria-labelledby="plan" {
                h2 #plan { "Plan" }
                @match picture {
                    // `graph` escapes everything that it writes.
                    Ok(svg) => { div.wide tabindex="0" role="region" aria-labelledby="plan" { (PreEscaped(svg)) } }
                    Err(why) => { p { "There is no picture: " (crate::clean(why)) "." } }
                }
            }
        }
        @if let Some(it) = &result.changes { (changes(it)) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ui::hostile::{self, frame};
    use graph::{Graph, GraphNode, svg};

    #[test]
    fn hostile_templates_stay_text() {
        let text = || hostile::TEXT.to_owned();
        let graph = Graph::new(text(), vec![GraphNode::resource(text(), text())], Vec::new()).unwrap();
        let picture = svg::svg(&graph, &svg::SvgOptions { with_style: false, prefix: "plan" });
        let problem = DiagnosticView { code: text(), message: text(), ..DiagnosticView::default() };
        let result = PlaygroundResult {
            problems: vec![problem],
            changes: Some(Changes::default()),
            picture: Some(picture.map_err(|error| error.to_string())),
        };
        let view = Playground {
            scope: text(),
            scopes: vec![text()],
            template: "{}".to_owned(),
            parameters: "{}".to_owned(),
            takes_bicep: true,
            result: Some(result),
        };
        let page = playground(&frame(), &view).into_string();
        hostile::check(&page);
        assert!(
            page.contains("1 error") && page.contains("<svg") && page.contains("in Bicep or JSON"),
            "{page}"
        );
        let sent = Playground { template: text(), parameters: text(), ..Playground::default() };
        let page = playground(&frame(), &sent).into_string();
        assert!(!page.contains("<script>") && page.matches("</textarea>").count() == 2, "{page}");
    }

    #[test]
    fn a_plan_that_is_not_drawn_says_why() {
        let result =
            PlaygroundResult { picture: Some(Err(hostile::TEXT.to_owned())), ..PlaygroundResult::default() };
        let view = Playground { result: Some(result), ..Playground::default() };
        let page = playground(&frame(), &view).into_string();
        hostile::check(&page);
        assert!(page.contains("There is no picture: "), "{page}");
    }

    #[test]
    fn a_template_without_mistakes_says_so() {
        let view = Playground { result: Some(PlaygroundResult::default()), ..Playground::default() };
        assert!(playground(&frame(), &view).into_string().contains("would be accepted"));
    }
}
