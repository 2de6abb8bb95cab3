//! The list of deployments, with its filters and its pages.

use diagnostics::duration_words;
use graph::ResourceOutcome;
use maud::{Markup, html};

use crate::text::clean;

/// What the list shows.
#[derive(Clone, Debug, Default)]
pub struct DeploymentsView {
    /// What the reader filters by.
    pub filter: DeploymentFilter,
    /// What is wrong with the filter, if anything.
    pub problem: Option<String>,
    /// Scopes that can be chosen.
    pub scopes: Vec<String>,
    /// The deployments of this page, the newest first.
    pub rows: Vec<DeploymentRow>,
    /// How many deployments were looked at for it, if that is where the search stopped.
    pub looked_at: Option<usize>,
    /// The address of the next page.
    pub next: Option<String>,
    /// The address of the first page, if this is another one.
    pub first: Option<String>,
}

/// What deployments are filtered by; what is empty filters nothing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DeploymentFilter {
    /// A scope: itself and what is below it.
    pub scope: String,
    /// The state to show, one of [`STATES`]; empty for all.
    pub state: String,
    /// A part of the name.
    pub name: String,
    /// The first moment, as forms write it: `2026-01-31T12:00`.
    pub from: String,
    /// The last moment, written in the same way.
    pub to: String,
}

/// A deployment in the list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeploymentRow {
    /// The address of its page.
    pub href: String,
    /// Its name, which links to its page.
    pub name: String,
    /// Where it is: the parts of the scope that can be filtered by, each with the address that does.
    pub scope: Vec<(String, String)>,
    /// Its state, in the words of the API.
    pub state: String,
    /// The same for the eye.
    pub mark: ResourceOutcome,
    /// When it began or ended.
    pub at: String,
    /// How long it took, in milliseconds, if it has ended.
    pub took: Option<i64>,
    /// Whether it is a part of another one.
    pub is_nested: bool,
}

/// The states that can be filtered by.
pub const STATES: [&str; 4] = ["Running", "Succeeded", "Failed", "Canceled"];

/// How often the list is loaded again while somebody looks at it, in seconds.
const RELOAD: u32 = 5;

/// The list with its filters, which loads itself again while somebody looks at it.
pub fn deployments(view: &DeploymentsView) -> Markup {
    html! {
        h1 { "Deployments" }
        (filters(&view.filter, &view.scopes))
        @if let Some(problem) = &view.problem { p.note.bad role="alert" { (clean(problem)) } }
        div #list data-part="list" data-reload=(RELOAD) {
            @if view.rows.is_empty() {
                p {
                    "There is no deployment here"
                    @if view.filter != DeploymentFilter::default() { " that fits the filter" }
                    @if view.looked_at.is_none() { "." } @else { " so far." }
                }
            } @else {
                (table(&view.rows))
            }
            @if let Some(count) = view.looked_at {
                p { "The last " (count) " deployments were looked at for this page." }
            }
            @if view.next.is_some() || view.first.is_some() {
                nav.pages aria-label="Pages" {
                    @if let Some(first) = &view.first { a href=(first) { "First page" } " " }
                    @if let Some(next) = &view.next {
                        a #next rel="next" href=(next) { @if view.looked_at.is_some() { "Look further" } @else { "Next page" } }
                    }
                }
            }
        }
    }
}

fn filters(filter: &DeploymentFilter, scopes: &[String]) -> Markup {
    html! {
        form.filters method="get" action="/ui" role="search" aria-label="Filter deployments" {
            div {
                label for="scope" { "Scope" }
                input #scope name="scope" size="36" value=(filter.scope) placeholder="/subscriptions/…" autocomplete="off"
                    list="scopes" spellcheck="false";
                datalist #scopes { @for scope in scopes { option value=(clean(scope)) {} } }
            }
            div {
                label for="state" { "State" }
                select #state name="state" {
                    option value="" { "any" }
                    @for state in STATES { option value=(state) selected[filter.state == state] { (state) } }
                }
            }
            div {
                label for="name" { "Name contains" }
                input #name name="name" value=(filter.name) autocomplete="off";
            }
            div {
                label for="from" { "From (UTC)" }
                input #from type="datetime-local" name="from" value=(filter.from);
            }
            div {
                label for="to" { "To (UTC)" }
                input #to type="datetime-local" name="to" value=(filter.to);
            }
            div.actions {
                button type="submit" { "Filter" }
                @if *filter != DeploymentFilter::default() { a href="/ui" { "Show all" } }
            }
        }
    }
}

fn table(rows: &[DeploymentRow]) -> Markup {
    html! {
        div.wide.stack tabindex="0" role="region" aria-label="Deployments" {
            table {
                thead {
                    tr {
                        th scope="col" { "State" }
                        th scope="col" { "Name" }
                        th scope="col" { "Scope" }
                        th scope="col" { "Last change" }
                        th scope="col" { "Took" }
                    }
                }
                tbody {
                    @for row in rows {
                        tr class=(row.mark.class()) {
                            td { span.tag { (row.mark.sign()) " " (clean(&row.state)) } }
                            th scope="row" {
                                a href=(row.href) { (clean(&row.name)) }
                                @if row.is_nested { " " small { "part of another deployment" } }
                            }
                            td {
                                @for (at, (label, href)) in row.scope.iter().enumerate() {
                                    @if at > 0 { " / " }
                                    a href=(href) { (clean(label)) }
                                }
                            }
                            td.number { (clean(&row.at)) }
                            td.number { (row.took.map(duration_words).unwrap_or_default()) }
                        }
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_empty_list_says_whether_a_filter_made_it_so() {
        let all = deployments(&DeploymentsView::default()).into_string();
        assert!(all.contains("There is no deployment here.<") && !all.contains("filter<"), "{all}");
        let filter = DeploymentFilter { name: "x".to_owned(), ..DeploymentFilter::default() };
        let some = deployments(&DeploymentsView { filter, ..DeploymentsView::default() }).into_string();
        assert!(some.contains("There is no deployment here that fits the filter."), "{some}");
    }

    #[test]
    fn what_strangers_write_stays_text() {
        let hostile = "\"><script>alert(1)</script>\u{202e}";
        let row = DeploymentRow {
            href: hostile.to_owned(),
            name: hostile.to_owned(),
            scope: vec![(hostile.to_owned(), hostile.to_owned())],
            state: hostile.to_owned(),
            mark: ResourceOutcome::Failed,
            at: hostile.to_owned(),
            took: Some(1),
            is_nested: true,
        };
        let filter =
            DeploymentFilter { scope: hostile.to_owned(), name: hostile.to_owned(), ..Default::default() };
        let view = DeploymentsView {
            filter,
            problem: Some(hostile.to_owned()),
            scopes: vec![hostile.to_owned()],
            rows: vec![row],
            looked_at: Some(3),
            next: Some(hostile.to_owned()),
            first: None,
        };
        let page = deployments(&view).into_string();
        assert!(!page.contains("<script"));
        assert!(page.contains("Look further") && page.contains("failed") | page.contains("bad"));
    }
}
