//! A report of a run: one file with a summary, the time line, the picture, outputs and everything that was wrong.

use graph::svg;
use maud::{DOCTYPE, Markup, PreEscaped, html};

use crate::findings::{self, Group};
use crate::style;
use crate::text::clean;
use crate::timeline::{self, TimelineRow};

/// What a report tells.
#[derive(Debug)]
pub struct Report<'r> {
    /// What it is about.
    pub title: String,
    /// How it ended, which gives the report its colour.
    pub status: Status,
    /// How it ended, in a few words.
    pub verdict: String,
    /// What else is worth knowing: names and values.
    pub facts: Vec<(&'static str, String)>,
    /// What was found wrong; none if nobody looked.
    pub findings: Option<Vec<Group<'r>>>,
    /// What was done, and how long all of it took in milliseconds.
    pub timeline: Option<(Vec<TimelineRow>, i64)>,
    /// What to draw; none for a report without a picture.
    pub graph: Option<&'r graph::Graph>,
    /// The outputs in the order of the template; empty if it did not succeed.
    pub outputs: Vec<Output>,
}

/// How something ended, as one of three colours and signs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// Everything was done, or nothing was found.
    Good,
    /// Somebody should look at it.
    Warning,
    /// It failed, and is drawn in red.
    Bad,
}

impl Status {
    pub(crate) fn class(self) -> &'static str {
        match self {
            Status::Good => "good",
            Status::Warning => "change",
            Status::Bad => "bad",
        }
    }

    pub(crate) fn sign(self) -> &'static str {
        match self {
            Status::Good => "✓",
            Status::Warning => "!",
            Status::Bad => "✗",
        }
    }
}

/// An output of a deployment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Output {
    /// The name that the template gives it.
    pub name: String,
    /// The type that the template declares, such as `securestring`.
    pub kind: String,
    /// Its value as JSON; none if it is a secret.
    pub value: Option<String>,
}

/// The text of the file.
pub fn report(report: &Report<'_>) -> String {
    let picture = report.graph.map(|graph| {
        svg::svg(graph, &svg::SvgOptions { with_style: false, prefix: "plan" })
            .map_err(|error| error.to_string())
    });
    let main = html! {
        @if let Some(groups) = &report.findings { (findings::section(groups)) }
        @if let Some((rows, total)) = &report.timeline { (timeline::section("Time line", "From the beginning to the end of the run", rows, *total)) }
        @if let Some(picture) = &picture { (graph_section(picture)) }
        @if !report.outputs.is_empty() { (outputs(&report.outputs)) }
    };
    document(&report.title, report.status, &report.verdict, &report.facts, &main)
}

/// A page that stands alone: a heading with the verdict in its colour, the facts, and what else there is.
pub(crate) fn document(
    title: &str,
    status: Status,
    verdict: &str,
    facts: &[(&'static str, String)],
    main: &Markup,
) -> String {
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta http-equiv="Content-Security-Policy" content=(style::policy());
                meta name="referrer" content="no-referrer";
                meta name="viewport" content="width=device-width, initial-scale=1";
                title { (clean(title)) ": " (clean(verdict)) }
                // The style is a constant of this crate.
                style { (PreEscaped(style::STYLE.as_str())) }
            }
            body {
                header {
                    h1 { (clean(title)) }
                    p class=(format!("verdict {}", status.class())) {
                        span aria-hidden="true" { (status.sign()) } " " (clean(verdict))
                    }
                    @if !facts.is_empty() {
                        dl {
                            @for (name, value) in facts { div { dt { (name) } dd { (clean(value)) } } }
                        }
                    }
                }
                main { (main) }
            }
        }
    };
    page.into_string()
}

fn graph_section(picture: &Result<String, String>) -> Markup {
    html! {
        section aria-labelledby="graph" {
            h2 id="graph" { "Resources" }
            @match picture {
                Ok(svg) => {
                    // `graph` escapes everything that it writes.
                    div.wide tabindex="0" role="region" aria-labelledby="graph" { (PreEscaped(svg)) }
                }
                Err(why) => { p { "There is no picture: " (why) "." } }
            }
        }
    }
}

pub(crate) fn outputs(outputs: &[Output]) -> Markup {
    html! {
        section aria-labelledby="outputs" {
            h2 id="outputs" { "Outputs" }
            div.wide.stack tabindex="0" role="region" aria-labelledby="outputs" {
                table {
                    thead { tr { th scope="col" { "Name" } th scope="col" { "Type" } th scope="col" { "Value" } } }
                    tbody {
                        @for output in outputs {
                            tr {
                                th scope="row" { (clean(&output.name)) }
                                td { (clean(&output.kind)) }
                                td {
                                    @match &output.value {
                                        Some(value) => { pre { (clean(value)) } }
                                        None => { em { "secret" } }
                                    }
                                }
                            }
                        }
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use graph::{Graph, GraphNode, ResourceOutcome};

    use super::*;
    use crate::{DiagnosticView, Wait};

    const HOSTILE: &str = "</style><script>alert(1)</script>\u{202e}\"'&\u{0}";

    fn hostile_page() -> String {
        let finding = DiagnosticView {
            code: HOSTILE.to_owned(),
            severity: HOSTILE.to_owned(),
            message: HOSTILE.to_owned(),
            text: HOSTILE.to_owned(),
        };
        let findings = [finding];
        let groups = Group::all(&findings, &|_| Some(HOSTILE.to_owned()));
        let row = TimelineRow {
            label: HOSTILE.to_owned(),
            name: HOSTILE.to_owned(),
            kind: HOSTILE.to_owned(),
            depth: 99,
            mark: ResourceOutcome::Failed,
            began: Some(-5),
            ended: Some(i64::from(u32::MAX)),
            attempts: 3,
            waits: vec![Wait { at: 3, milliseconds: 7, why: HOSTILE.to_owned() }],
            after: vec![HOSTILE.to_owned(); 5],
            error: Some(HOSTILE.to_owned()),
        };
        let graph = Graph::new(HOSTILE, vec![GraphNode::resource(HOSTILE, HOSTILE)], Vec::new()).unwrap();
        let output =
            Output { name: HOSTILE.to_owned(), kind: HOSTILE.to_owned(), value: Some(HOSTILE.to_owned()) };
        report(&Report {
            title: HOSTILE.to_owned(),
            status: Status::Bad,
            verdict: HOSTILE.to_owned(),
            facts: vec![("name", HOSTILE.to_owned())],
            findings: Some(groups),
            timeline: Some((vec![row], 10)),
            graph: Some(&graph),
            outputs: vec![output],
        })
    }

    #[test]
    fn whatever_strangers_write_is_text() {
        let page = hostile_page();
        assert!(!page.contains("<script"), "{page}");
        assert_eq!(page.matches("</style>").count(), 1);
        assert!(!page.contains(['\u{202e}', '\u{0}']));
        // Inside of tags there are only attributes of ours.
        assert!(!page.contains(" onload") && !page.contains(" style=\""));
    }

    #[test]
    fn on_narrow_screens_a_row_of_a_table_is_a_box() {
        let page = hostile_page();
        assert_eq!(page.matches("class=\"wide stack\"").count(), 2, "{page}");
        // Every colour that the style asks for is one that it has.
        for name in style::STYLE.split("var(").skip(1).filter_map(|rest| rest.split(')').next()) {
            assert!(style::STYLE.contains(&format!("{name}:")), "{name}");
        }
    }

    #[test]
    fn a_report_asks_nobody_for_anything() {
        let page = hostile_page();
        for way in ["src=", "href=", "url(", "@import", "<link", "<iframe", "<img", "<form"] {
            assert!(!page.contains(way), "{way}");
        }
        assert!(page.contains("default-src &#39;none&#39;") || page.contains("default-src 'none'"));
    }
}
