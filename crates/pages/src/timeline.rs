//! The time line of a run: what began when, what it waited for, and how it ended.

use diagnostics::duration_words;
use graph::ResourceOutcome;
use maud::{Markup, html};

use crate::text::{at_slashes, clean};

/// What was done for one resource or module.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TimelineRow {
    /// What it is called.
    pub label: String,
    /// The name of its resource, where it says more than that: those of a loop are called the same.
    pub name: String,
    /// The type of the resource; of a module, that of deployments.
    pub kind: String,
    /// How many modules it is inside of.
    pub depth: usize,
    /// How it ended, or that it still runs.
    pub mark: ResourceOutcome,
    /// When it began, in milliseconds since the run did; none if it never did.
    pub began: Option<i64>,
    /// When it ended, likewise.
    pub ended: Option<i64>,
    /// How often it was tried.
    pub attempts: u32,
    /// When it waited, and why.
    pub waits: Vec<Wait>,
    /// What had to be done before; the one that ended last comes first.
    pub after: Vec<String>,
    /// What went wrong; none unless it failed.
    pub error: Option<String>,
}

/// A time of waiting.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wait {
    /// When it began, in milliseconds since the run did.
    pub at: i64,
    /// How long it was to last.
    pub milliseconds: i64,
    /// The reason, in words for people.
    pub why: String,
}

/// How wide the picture of a run is; where something is in it is a part of this.
const WIDTH: i64 = 1_000;

/// How many rows are shown; a page with more is for nobody.
const MOST: usize = 5_000;

/// How many of the steps that one waited for are named.
const NAMED: usize = 3;

/// The section with the time line, under a title and with words for how long all of it took.
pub(crate) fn section(title: &str, lead: &str, rows: &[TimelineRow], total: i64) -> Markup {
    let total = total.max(1);
    let at = |milliseconds: i64| milliseconds.clamp(0, total) * WIDTH / total;
    html! {
        section aria-labelledby="timeline" {
            h2 id="timeline" { (title) }
            p { (lead) ": " (duration_words(total)) "." }
            div.wide.stack tabindex="0" role="region" aria-labelledby="timeline" {
                table {
                    thead {
                        tr {
                            th scope="col" { "Step" }
                            th scope="col" { "State" }
                            th scope="col" { "Began" }
                            th scope="col" { "Took" }
                            th scope="col" { "Waited for" }
                            th scope="col" { "When" }
                        }
                    }
                    tbody {
                        @for row in rows.iter().take(MOST) {
                            (line(row, &at))
                        }
                    }
                }
            }
            @if rows.len() > MOST { p { (rows.len() - MOST) " more steps are not shown." } }
        }
    }
}

fn line(row: &TimelineRow, at: &dyn Fn(i64) -> i64) -> Markup {
    let took = row.began.zip(row.ended).map(|(began, ended)| ended - began);
    html! {
        tr class=(row.mark.class()) {
            th scope="row" class=(format!("depth-{}", row.depth.min(6))) {
                (clean(&row.label))
                @if !row.name.is_empty() { " " span.own { (clean(&row.name)) } }
                @if !row.kind.is_empty() { br; small { (at_slashes(&row.kind)) } }
            }
            td { span.tag { (row.mark.sign()) " " (row.mark.word()) }
                @if row.attempts > 1 { br; small { (row.attempts) " attempts" } }
                @if let Some(error) = &row.error { br; small { (clean(error)) } }
            }
            td.number data-label="Began" { (row.began.map(duration_words).unwrap_or_default()) }
            td.number data-label="Took" { (took.map(duration_words).unwrap_or_default()) }
            td.after data-label="Waited for" {
                @for name in row.after.iter().take(NAMED) { (clean(name)) br; }
                @if row.after.len() > NAMED { small { (row.after.len() - NAMED) " more" } br; }
                @for wait in row.waits.iter().take(NAMED) {
                    small { "waited " (duration_words(wait.milliseconds)) ": " (clean(&wait.why)) } br;
                }
                @if row.waits.len() > NAMED { small { (row.waits.len() - NAMED) " more waits" } }
            }
            td.bar {
                @if let (Some(began), Some(ended)) = (row.began, row.ended) {
                    svg viewBox=(format!("0 0 {WIDTH} 12")) preserveAspectRatio="none" aria-hidden="true" {
                        rect.run x=(at(began)) y="1" width=((at(ended) - at(began)).max(3)) height="10" {}
                        @for wait in &row.waits {
                            rect.wait x=(at(wait.at)) y="4" height="4"
                                width=((at(wait.at + wait.milliseconds) - at(wait.at)).max(2)) {}
                        }
                    }
                }
            }
        }
    }
}
