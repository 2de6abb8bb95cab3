//! What a deployment would change, as a difference that can be folded.

use graph::ResourceOutcome;
use maud::{Markup, html};

use super::tree::{TreeView, tree};
use crate::text::{at_slashes, clean};

/// What a deployment would do.
#[derive(Clone, Debug, Default)]
pub struct Changes {
    /// What would be done to each resource, in order.
    pub resources: Vec<ResourceChange>,
    /// What else there is to say.
    pub notes: Vec<String>,
}

/// What would be done to one resource.
#[derive(Clone, Debug)]
pub struct ResourceChange {
    /// The id of the resource that changes.
    pub id: String,
    /// What would be done.
    pub mark: ResourceOutcome,
    /// The properties that would be other than now.
    pub properties: Vec<PropertyChange>,
    /// All of it, as it would be or as it is.
    pub body: Option<TreeView>,
}

/// A property that would be other than now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PropertyChange {
    /// The way to it, with dots.
    pub path: String,
    /// What it is; nothing if it is not there.
    pub before: Option<String>,
    /// What it would be; nothing if it would not be there.
    pub after: Option<String>,
}

/// How many resources are shown.
const MOST: usize = 1_000;

/// How many properties of a resource are shown.
const MOST_PROPERTIES: usize = 500;

/// The difference. What changes is open at first, and what stays is folded.
pub fn changes(changes: &Changes) -> Markup {
    let count = |mark: ResourceOutcome| changes.resources.iter().filter(|it| it.mark == mark).count();
    let counts: Vec<(ResourceOutcome, usize)> = [
        ResourceOutcome::Create,
        ResourceOutcome::Change,
        ResourceOutcome::Delete,
        ResourceOutcome::Keep,
        ResourceOutcome::Ignore,
    ]
    .into_iter()
    .map(|mark| (mark, count(mark)))
    .filter(|(_, count)| *count > 0)
    .collect();
    html! {
        section aria-labelledby="changes" {
            h2 #changes { "Changes" }
            @if counts.is_empty() {
                p { "The deployment names no resources." }
            } @else {
                ul.counts { @for (mark, count) in counts {
                    li class=(mark.class()) { span.tag { (mark.sign()) " " (count) " " (mark.word()) } }
                } }
            }
            @for note in changes.notes.iter().take(MOST) { p.note { (clean(note)) } }
            @for it in changes.resources.iter().take(MOST) { (change(it)) }
            @if changes.resources.len() > MOST { p.note { (changes.resources.len() - MOST) " more resources are not shown." } }
        }
    }
}

fn change(it: &ResourceChange) -> Markup {
    let is_open = matches!(it.mark, ResourceOutcome::Change);
    let (scope, resource) = parts(&it.id);
    html! {
        details.diff.(it.mark.class()) open[is_open] {
            summary {
                span.tag { (it.mark.sign()) " " (it.mark.word()) } " " (at_slashes(resource))
                @if !scope.is_empty() { br; small { "in " (at_slashes(scope)) } }
            }
            @if !it.properties.is_empty() {
                div.wide.stack tabindex="0" role="region" aria-label={ "Changes of " (clean(&it.id)) } {
                    table {
                        thead { tr {
                            th scope="col" { "Property" }
                            th scope="col" { "Now" }
                            th scope="col" { "Then" }
                        } }
                        tbody { @for property in it.properties.iter().take(MOST_PROPERTIES) { tr {
                            th scope="row" { code { (clean(&property.path)) } }
                            td { (side(property.before.as_deref(), "del")) }
                            td { (side(property.after.as_deref(), "ins")) }
                        } } }
                    }
                }
                @if it.properties.len() > MOST_PROPERTIES {
                    p.note { (it.properties.len() - MOST_PROPERTIES) " more properties are not shown." }
                }
            }
            @if let Some(body) = &it.body {
                @if it.properties.is_empty() {
                    (tree(&it.id, body))
                } @else {
                    details { summary { "All of it" } (tree(&it.id, body)) }
                }
            }
        }
    }
}

/// The scope of a resource, which many have in common, and its type and name.
fn parts(id: &str) -> (&str, &str) {
    const PROVIDERS: &str = "/providers/";
    let at = id.to_ascii_lowercase().rfind(PROVIDERS);
    at.and_then(|at| Some((id.get(..at)?, id.get(at + PROVIDERS.len()..)?))).unwrap_or(("", id))
}

fn side(value: Option<&str>, element: &str) -> Markup {
    html! {
        @match (value, element) {
            (None, _) => { span.count { "not there" } }
            (Some(value), "del") => { pre { del { (clean(value)) } } }
            (Some(value), _) => { pre { ins { (clean(value)) } } }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ui::hostile;

    #[test]
    fn what_changes_is_open_and_what_stays_is_folded() {
        let property = |before: Option<&str>, after: Option<&str>| PropertyChange {
            path: "sku.name".to_owned(),
            before: before.map(str::to_owned),
            after: after.map(str::to_owned),
        };
        let resource = |mark, properties| ResourceChange {
            id: format!("/r/{mark:?}"),
            mark,
            properties,
            body: Some(TreeView::Secret),
        };
        let page = changes(&Changes {
            resources: vec![
                resource(
                    ResourceOutcome::Change,
                    vec![property(Some("\"A\""), Some("\"B\"")), property(None, Some("1"))],
                ),
                resource(ResourceOutcome::Keep, Vec::new()),
            ],
            notes: vec!["something to know".to_owned()],
        })
        .into_string();
        assert_eq!(page.matches(" open").count(), 1, "{page}");
        assert!(
            page.contains("<del>&quot;A&quot;</del>") && page.contains("<ins>&quot;B&quot;</ins>"),
            "{page}"
        );
        assert!(page.contains("not there") && page.contains("something to know"));
        assert!(changes(&Changes::default()).into_string().contains("names no resources"));
    }

    #[test]
    fn a_resource_is_told_before_its_scope() {
        assert_eq!(parts("/subscriptions/s/providers/A.B/c/d"), ("/subscriptions/s", "A.B/c/d"));
        assert_eq!(parts("/a/Providers/A.B/c/d/providers/E.F/g/h"), ("/a/Providers/A.B/c/d", "E.F/g/h"));
        assert_eq!(parts("/subscriptions/s"), ("", "/subscriptions/s"));
    }

    #[test]
    fn hostile_changes_stay_text() {
        let text = || hostile::TEXT.to_owned();
        let property = PropertyChange { path: text(), before: Some(text()), after: Some(text()) };
        let resource = ResourceChange {
            id: text(),
            mark: ResourceOutcome::Delete,
            properties: vec![property],
            body: Some(TreeView::Text(text())),
        };
        hostile::check(&changes(&Changes { resources: vec![resource], notes: vec![text()] }).into_string());
    }
}
