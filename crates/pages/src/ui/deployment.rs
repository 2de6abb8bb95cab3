//! One deployment: its state, its steps as a tree with their times, the picture, operations, outputs and errors. While it runs, its parts are sent
//! again when they change.

use graph::ResourceOutcome;
use maud::{Markup, PreEscaped, html};

use super::shell::{PageFrame, form_token};
use crate::report::Output;
use crate::text::clean;
use crate::timeline::{self, TimelineRow};

/// What the page shows.
#[derive(Clone, Debug)]
pub struct DeploymentView {
    /// Its name, as it was spelled when it was put.
    pub name: String,
    /// The parts of its scope, each with the address of the deployments there.
    pub scope: Vec<(String, String)>,
    /// Its state, in the words of the API.
    pub state: String,
    /// The same for the eye.
    pub mark: ResourceOutcome,
    /// Whether it still runs.
    pub is_running: bool,
    /// The address to which a form asks for it to be cancelled; none if the reader may not, or it has ended.
    pub cancel: Option<String>,
    /// The address of its events, while it runs.
    pub events: Option<String>,
    /// What else is worth knowing: names and values.
    pub facts: Vec<(&'static str, String)>,
    /// The deployment that it is a part of: its name and its address.
    pub outer: Option<(String, String)>,
    /// The steps in the order in which they began.
    pub steps: Vec<TimelineRow>,
    /// How many steps there are beside.
    pub hidden_steps: usize,
    /// How long all of it took, in milliseconds.
    pub total: i64,
    /// Whether the steps are known only from what was done: this server did not see when they began.
    pub only_operations: bool,
    /// The picture as SVG, or why there is none.
    pub picture: Result<String, String>,
    /// What was done; `more_operations` leads to the rest.
    pub operations: Vec<OperationRow>,
    /// The address of more operations.
    pub more_operations: Option<String>,
    /// The outputs in the order of the template; empty unless it succeeded.
    pub outputs: Vec<Output>,
    /// What went wrong, the outermost first.
    pub errors: Vec<ErrorView>,
}

/// Something that was done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OperationRow {
    /// Its number in the deployment.
    pub number: String,
    /// What was done, such as `Create`.
    pub what: String,
    /// The name of the resource or deployment that it was done for.
    pub resource: String,
    /// The address of the page of the resource or deployment, if there is one.
    pub href: Option<String>,
    /// How it ended, in the words of the API.
    pub state: String,
    /// The same for the eye.
    pub mark: ResourceOutcome,
    /// The status that the API shows.
    pub status: String,
    /// When it ended, for people.
    pub at: String,
    /// How long it took.
    pub took: String,
}

/// An error with its place.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ErrorView {
    /// How many errors it is behind.
    pub depth: usize,
    /// A word for programs.
    pub code: String,
    /// A sentence for people.
    pub message: String,
    /// What it speaks of.
    pub target: Option<String>,
    /// Where that is written.
    pub place: Option<SourcePlace>,
}

/// A place in a source.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SourcePlace {
    /// The file, as people know it.
    pub file: String,
    /// The line, from 1.
    pub line: u32,
    /// The column, from 1.
    pub column: u32,
    /// The lines around it: numbers and texts.
    pub lines: Vec<(u32, String)>,
}

/// A part of the page that is sent again when it changes: its id and its markup.
pub type Part = (&'static str, Markup);

/// The page of a deployment; one that runs is kept up to date by its events.
pub fn deployment(frame: &PageFrame, view: &DeploymentView) -> Markup {
    html! {
        nav.crumbs aria-label="Scope" {
            @for (label, href) in &view.scope { a href=(href) { (clean(label)) } " / " }
            @if let Some((name, href)) = &view.outer { a href=(href) { (clean(name)) } " / " }
        }
        h1 { (clean(&view.name)) }
        div #live data-events=[view.events.as_deref()] {
            (state(view))
            @if let Some(cancel) = &view.cancel {
                div.actions #actions {
                    form method="post" action=(cancel) {
                        (form_token(frame))
                        button.danger #cancel type="submit" { "Cancel deployment" }
                    }
                }
            }
            @if view.is_running {
                noscript { p { "The page loads again by itself. " a href=(frame.here) { "Refresh now" } } }
            }
            @for (_, part) in parts(view).into_iter().skip(1) { (part) }
        }
        p #announce .aside role="status" {}
    }
}

/// The parts of the page that change while the deployment runs.
pub fn parts(view: &DeploymentView) -> Vec<Part> {
    vec![
        ("state", state(view)),
        ("errors-part", errors(view)),
        ("outputs-part", outputs(view)),
        ("steps-part", steps(view)),
        ("picture-part", picture(view)),
        ("operations-part", operations(view)),
    ]
}

fn state(view: &DeploymentView) -> Markup {
    let done = view.steps.iter().filter(|row| row.mark != ResourceOutcome::Running).count();
    html! {
        div #state data-part="state" data-running=(if view.is_running { "true" } else { "false" })
            data-say=(format!("{}: {}", clean(&view.name), clean(&view.state))) {
            p class=(format!("verdict {}", view.mark.class())) {
                span.tag { (view.mark.sign()) " " (clean(&view.state)) }
                @if view.is_running && !view.steps.is_empty() {
                    " " small { (done + view.hidden_steps) " of " (view.steps.len() + view.hidden_steps) " steps that began have ended" }
                }
            }
            dl.facts {
                @for (name, value) in &view.facts { div { dt { (name) } dd { (clean(value)) } } }
            }
        }
    }
}

fn errors(view: &DeploymentView) -> Markup {
    html! {
        div #errors-part data-part="errors" {
            @if !view.errors.is_empty() {
                section aria-labelledby="errors" {
                    h2 #errors { "Errors" }
                    @for error in &view.errors {
                        article class=(format!("note bad depth-{}", error.depth.min(6))) {
                            h3 { code { (clean(&error.code)) } }
                            p { (clean(&error.message)) }
                            @if let Some(target) = &error.target { p { small { "Resource " code { (clean(target)) } } } }
                            @if let Some(place) = &error.place { (source(place)) }
                        }
                    }
                }
            }
        }
    }
}

/// The lines of a source around a place.
pub fn source(place: &SourcePlace) -> Markup {
    html! {
        figure.source {
            figcaption { code { (clean(&place.file)) ":" (place.line) ":" (place.column) } }
            @if !place.lines.is_empty() {
                pre tabindex="0" {
                    @for (number, text) in &place.lines {
                        @if *number == place.line {
                            mark { span.line { (number) " | " } (clean(text)) } "\n"
                        } @else {
                            span.line { (number) " | " } (clean(text)) "\n"
                        }
                    }
                }
            }
        }
    }
}

fn outputs(view: &DeploymentView) -> Markup {
    html! {
        div #outputs-part data-part="outputs" {
            @if !view.outputs.is_empty() { (crate::report::outputs(&view.outputs)) }
        }
    }
}

fn steps(view: &DeploymentView) -> Markup {
    let lead = if view.is_running { "So far" } else { "From the beginning to the end" };
    html! {
        div #steps-part data-part="steps" {
            @if view.steps.is_empty() {
                section aria-labelledby="timeline" {
                    h2 #timeline { "Steps" }
                    p { @if view.is_running { "No step has begun." } @else { "There were no steps." } }
                }
            } @else {
                (timeline::section("Steps", lead, &view.steps, view.total))
                @if view.hidden_steps > 0 { p { (view.hidden_steps) " more steps are not shown." } }
                @if view.only_operations {
                    p { small { "This server did not run the deployment, so that it knows only what has ended." } }
                }
            }
        }
    }
}

fn picture(view: &DeploymentView) -> Markup {
    html! {
        div #picture-part data-part="picture" {
            section aria-labelledby="graph" {
                h2 #graph { "Resources" }
                @match &view.picture {
                    // `graph` escapes everything that it writes.
                    Ok(svg) => { div.wide tabindex="0" role="region" aria-labelledby="graph" { (PreEscaped(svg)) } }
                    Err(why) => { p { "There is no picture: " (clean(why)) "." } }
                }
            }
        }
    }
}

fn operations(view: &DeploymentView) -> Markup {
    html! {
        div #operations-part data-part="operations" {
            section aria-labelledby="operations" {
                h2 #operations { "Operations" }
                @if view.operations.is_empty() {
                    p { @if view.is_running { "Nothing was done yet." } @else { "Nothing was done." } }
                } @else {
                    div.wide.stack tabindex="0" role="region" aria-labelledby="operations" {
                        table {
                            thead {
                                tr {
                                    th scope="col" { "Number" }
                                    th scope="col" { "Operation" }
                                    th scope="col" { "Resource" }
                                    th scope="col" { "State" }
                                    th scope="col" { "When" }
                                    th scope="col" { "Took" }
                                }
                            }
                            tbody {
                                @for row in &view.operations {
                                    tr class=(row.mark.class()) {
                                        td.number { (row.number) }
                                        td { (clean(&row.what)) }
                                        th scope="row" {
                                            @match &row.href {
                                                Some(href) => { a href=(href) { (clean(&row.resource)) } }
                                                None => { (clean(&row.resource)) }
                                            }
                                        }
                                        td { span.tag { (row.mark.sign()) " " (clean(&row.state)) } " " small { (clean(&row.status)) } }
                                        td.number { (clean(&row.at)) }
                                        td.number { (clean(&row.took)) }
                                    }
                                }
                            }
                        }
                    }
                    @if let Some(more) = &view.more_operations { p { a href=(more) { "More operations" } } }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_part_can_take_the_place_of_itself() {
        let hostile = "\"><script>alert(1)</script>\u{202e}".to_owned();
        let view = DeploymentView {
            name: hostile.clone(),
            scope: vec![(hostile.clone(), hostile.clone())],
            state: hostile.clone(),
            mark: ResourceOutcome::Running,
            is_running: true,
            cancel: Some(hostile.clone()),
            events: Some(hostile.clone()),
            facts: vec![("Mode", hostile.clone())],
            outer: Some((hostile.clone(), hostile.clone())),
            steps: Vec::new(),
            hidden_steps: 3,
            total: 0,
            only_operations: true,
            picture: Err(hostile.clone()),
            operations: Vec::new(),
            more_operations: None,
            outputs: vec![Output { name: hostile.clone(), kind: hostile.clone(), value: None }],
            errors: vec![ErrorView {
                code: hostile.clone(),
                message: hostile.clone(),
                target: Some(hostile.clone()),
                place: Some(SourcePlace {
                    file: hostile.clone(),
                    line: 2,
                    column: 1,
                    lines: vec![(1, hostile.clone()), (2, hostile)],
                }),
                depth: 9,
            }],
        };
        for (id, part) in parts(&view) {
            let text = part.into_string();
            assert!(text.starts_with(&format!("<div id=\"{id}\" data-part=")), "{text}");
            assert!(!text.contains("<script") && !text.contains('\u{202e}'));
        }
    }
}
