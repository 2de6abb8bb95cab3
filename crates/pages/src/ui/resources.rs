//! Resources: the list of a scope, and one of them with its body and what it is related to.

use maud::{Markup, html};

use super::tree::{TreeView, tree};
use crate::text::clean;

/// A page of resources.
#[derive(Clone, Debug, Default)]
pub struct ResourceList {
    /// The scope that they are below; empty for all.
    pub scope: String,
    /// The type that is wanted; empty for all.
    pub kind: String,
    /// What their names contain; empty for all.
    pub name: String,
    /// What is wrong with these.
    pub problem: Option<String>,
    /// The scopes that can be chosen.
    pub scopes: Vec<String>,
    /// The resources of this page of the list.
    pub rows: Vec<ResourceRow>,
    /// The address of the page behind this one.
    pub next: Option<String>,
    /// Whether this is not the first page.
    pub is_later: bool,
    /// Whether the search was given up before there was a page of them.
    pub is_partial: bool,
}

/// A resource in a list.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ResourceRow {
    /// What it is called.
    pub name: String,
    /// Its type, with those of its parents.
    pub kind: String,
    /// The id of the group or subscription that it is in.
    pub scope: String,
    /// Its location, if it has one.
    pub location: String,
    /// The address of its page.
    pub link: String,
}

/// What the page of a resource shows.
#[derive(Clone, Debug)]
pub struct ResourceView {
    /// What it is called.
    pub name: String,
    /// Its id, as its first writer spelled it.
    pub id: String,
    /// What else is worth knowing: names and values.
    pub facts: Vec<(&'static str, String)>,
    /// The page of its type, if there is one.
    pub type_link: Option<String>,
    /// What is kept of it.
    pub body: TreeView,
    /// What it is related to.
    pub relations: Vec<Relation>,
    /// Whether there are more relations than those.
    pub has_more: bool,
}

/// How another resource is related to one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Relation {
    /// How: `parent`, `child`, or the property that names it.
    pub how: String,
    /// The id of the other one.
    pub id: String,
    /// The address of its page, if it is there and may be seen.
    pub link: Option<String>,
}

/// The list of resources.
pub fn resource_list(list: &ResourceList) -> Markup {
    html! {
        h1 { "Resources" }
        form.filters method="get" action="/ui/resources" {
            div {
                label for="scope" { "Scope" }
                input #scope name="scope" value=(list.scope) list="scopes" size="40"
                    placeholder="/subscriptions/…/resourceGroups/…" autocomplete="off" spellcheck="false";
                datalist #scopes { @for scope in &list.scopes { option value=(clean(scope)) {} } }
            }
            div {
                label for="type" { "Type" }
                input #type name="type" value=(list.kind) autocomplete="off" spellcheck="false";
            }
            div {
                label for="name" { "Name contains" }
                input #name name="name" value=(list.name) autocomplete="off" spellcheck="false";
            }
            button type="submit" { "Filter" }
        }
        @if let Some(problem) = &list.problem { p.note.bad role="alert" { (clean(problem)) } }
        @if list.rows.is_empty() {
            p.note { @if list.is_later { "There are no more resources." } @else { "There are no such resources." } }
        } @else {
            div.wide.stack tabindex="0" role="region" aria-label="Resources" {
                table {
                    thead { tr {
                        th scope="col" { "Name" }
                        th scope="col" { "Type" }
                        th scope="col" { "Scope" }
                        th scope="col" { "Location" }
                    } }
                    tbody { @for row in &list.rows { tr {
                        th scope="row" { a href=(row.link) { (clean(&row.name)) } }
                        td { (clean(&row.kind)) }
                        td { small { (clean(&row.scope)) } }
                        td { (clean(&row.location)) }
                    } } }
                }
            }
        }
        @if list.is_partial { p.note { "The search goes on: very many resources were looked at." } }
        @if let Some(next) = &list.next { p.pages { a rel="next" href=(next) { "Next page" } } }
    }
}

/// The page of a resource.
pub fn resource(view: &ResourceView) -> Markup {
    html! {
        p.crumbs { a href="/ui/resources" { "Resources" } }
        h1 { (clean(&view.name)) }
        dl.facts {
            div { dt { "Id" } dd { code { (clean(&view.id)) } } }
            @for (name, value) in &view.facts { div { dt { (name) } dd { (clean(value)) } } }
            @if let Some(link) = &view.type_link { div { dt { "Schema" } dd { a href=(link) { "The resource type" } } } }
        }
        section aria-labelledby="body" {
            h2 #body { "Body" }
            (tree("Body", &view.body))
        }
        section aria-labelledby="relations" {
            h2 #relations { "Related resources" }
            @if view.relations.is_empty() {
                p { "None that is known." }
            } @else {
                div.wide.stack tabindex="0" role="region" aria-labelledby="relations" {
                    table {
                        thead { tr { th scope="col" { "How" } th scope="col" { "Resource" } } }
                        tbody { @for it in &view.relations { tr {
                            th scope="row" { (clean(&it.how)) }
                            td { @match &it.link {
                                Some(link) => { a href=(link) { (clean(&it.id)) } }
                                None => { (clean(&it.id)) }
                            } }
                        } } }
                    }
                }
                @if view.has_more { p.note { "There are more related resources than are shown." } }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ui::hostile;

    #[test]
    fn lists_have_links_and_hostile_names_stay_text() {
        let text = hostile::TEXT.to_owned();
        let row = ResourceRow {
            name: text.clone(),
            kind: text.clone(),
            scope: text.clone(),
            location: text.clone(),
            link: "/ui/resources/a".to_owned(),
        };
        let list = ResourceList {
            problem: Some(text.clone()),
            scope: text.clone(),
            kind: text.clone(),
            name: text.clone(),
            scopes: vec![text],
            rows: vec![row],
            next: Some("/ui/resources?after=b".to_owned()),
            is_later: false,
            is_partial: true,
        };
        let page = resource_list(&list).into_string();
        hostile::check(&page);
        assert!(page.contains("href=\"/ui/resources/a\"") && page.contains("Next page"));
        let none = resource_list(&ResourceList::default()).into_string();
        assert!(none.contains("There are no such resources."), "{none}");
    }

    #[test]
    fn a_resource_tells_what_it_is_related_to() {
        let text = hostile::TEXT.to_owned();
        let view = ResourceView {
            name: text.clone(),
            id: text.clone(),
            facts: vec![("Type", text.clone())],
            type_link: Some("/ui/types/A.B/c".to_owned()),
            body: TreeView::Text(text.clone()),
            relations: vec![
                Relation {
                    how: "parent".to_owned(),
                    id: "/p".to_owned(),
                    link: Some("/ui/resources/p".to_owned()),
                },
                Relation { how: text.clone(), id: text, link: None },
            ],
            has_more: true,
        };
        let page = resource(&view).into_string();
        hostile::check(&page);
        assert!(page.contains("<a href=\"/ui/resources/p\">/p</a>"), "{page}");
    }
}
