//! Resource types: the list of them, and one with its versions, its schema as a table, and the form that checks a resource.

use maud::{Markup, html};

use super::check::{CheckForm, check_form};
use super::shell::PageFrame;
use crate::text::clean;

/// The list of types.
#[derive(Clone, Debug, Default)]
pub struct TypeList {
    /// What their names contain; empty for all.
    pub name: String,
    /// The types of this page of the list.
    pub rows: Vec<TypeRow>,
    /// The address of the page behind this one.
    pub next: Option<String>,
}

/// A type in a list.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TypeRow {
    /// Its full name, with the namespace.
    pub name: String,
    /// The names of its versions.
    pub versions: Vec<String>,
    /// The description of its manifest; empty if there is none.
    pub description: String,
    /// The address of its page.
    pub link: String,
}

/// What the page of a type shows.
#[derive(Clone, Debug)]
pub struct TypeView {
    /// Its full name, with the namespace.
    pub name: String,
    /// The description of its manifest; empty if there is none.
    pub description: String,
    /// What else is worth knowing: names and values.
    pub facts: Vec<(&'static str, String)>,
    /// Its versions, with the addresses of their pages.
    pub versions: Vec<(String, String)>,
    /// The version that is shown.
    pub version: String,
    /// What a resource of that version has.
    pub schema: Vec<SchemaRow>,
    /// Whether there is more than that.
    pub is_cut: bool,
    /// The form that checks a resource.
    pub form: CheckForm,
}

/// A property in the table of a schema.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SchemaRow {
    /// How many objects it is inside of.
    pub depth: usize,
    /// Its name: that of a property, `[]` for the elements of a list, `*` for the other members of a map.
    pub name: String,
    /// The way to it from the root, for those who do not see that it is indented.
    pub path: String,
    /// What kind of value it is.
    pub kind: String,
    /// Whether it must be there.
    pub is_required: bool,
    /// What else is demanded of it, each in a few words.
    pub constraints: Vec<String>,
    /// The description of its schema; empty if there is none.
    pub description: String,
}

/// The list of types.
pub fn type_list(list: &TypeList) -> Markup {
    html! {
        h1 { "Resource types" }
        form.filters method="get" action="/ui/types" {
            div {
                label for="name" { "Name contains" }
                input #name name="name" value=(list.name) autocomplete="off" spellcheck="false";
            }
            button type="submit" { "Filter" }
        }
        @if list.rows.is_empty() {
            p.note { "There are no such resource types." }
        } @else {
            div.wide.stack tabindex="0" role="region" aria-label="Resource types" {
                table {
                    thead { tr {
                        th scope="col" { "Type" }
                        th scope="col" { "Versions" }
                        th scope="col" { "Description" }
                    } }
                    tbody { @for row in &list.rows { tr {
                        th scope="row" { a href=(row.link) { (clean(&row.name)) } }
                        td { (clean(&row.versions.join(", "))) }
                        td { (clean(&row.description)) }
                    } } }
                }
            }
        }
        @if let Some(next) = &list.next { p.pages { a rel="next" href=(next) { "Next page" } } }
    }
}

/// The page of a type.
pub fn resource_type(frame: &PageFrame, view: &TypeView) -> Markup {
    html! {
        p.crumbs { a href="/ui/types" { "Resource types" } }
        h1 { (clean(&view.name)) }
        @if !view.description.is_empty() { p.about { (clean(&view.description)) } }
        dl.facts {
            @for (name, value) in &view.facts { div { dt { (name) } dd { (clean(value)) } } }
        }
        nav.versions aria-label="Versions" {
            ul { @for (version, link) in &view.versions {
                li { a href=(link) aria-current=[(*version == view.version).then_some("page")] { (clean(version)) } }
            } }
        }
        section aria-labelledby="schema" {
            h2 #schema { "Properties of " (clean(&view.version)) }
            @if view.schema.is_empty() {
                p { "The type has no properties of its own." }
            } @else {
                div.wide.stack tabindex="0" role="region" aria-labelledby="schema" {
                    table.schema {
                        thead { tr {
                            th scope="col" { "Property" }
                            th scope="col" { "Type" }
                            th scope="col" { "Required" }
                            th scope="col" { "Constraints" }
                            th scope="col" { "Description" }
                        } }
                        tbody { @for row in &view.schema { (property(row)) } }
                    }
                }
                @if view.is_cut { p.note { "The schema has more properties than are shown." } }
            }
        }
        (check_form(frame, &view.form))
    }
}

fn property(row: &SchemaRow) -> Markup {
    html! {
        tr {
            th scope="row" class=(format!("depth-{}", row.depth.min(6))) title=(clean(&row.path)) {
                code { (clean(&row.name)) }
            }
            td { (clean(&row.kind)) }
            td data-label="Required" { @if row.is_required { "yes" } @else { "no" } }
            td { @for constraint in &row.constraints { (clean(constraint)) br; } }
            td { (clean(&row.description)) }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ui::hostile::{self, frame};

    #[test]
    fn types_are_listed_with_their_versions() {
        let text = hostile::TEXT.to_owned();
        let row = TypeRow {
            name: text.clone(),
            versions: vec![text.clone(), "2025-01-01".to_owned()],
            description: text.clone(),
            link: "/ui/types/A.B/c".to_owned(),
        };
        let list = TypeList { name: text, rows: vec![row], next: Some("/ui/types?after=x".to_owned()) };
        let page = type_list(&list).into_string();
        hostile::check(&page);
        assert!(page.contains("2025-01-01") && page.contains("Next page"));
        assert!(type_list(&TypeList::default()).into_string().contains("no such resource types"));
    }

    #[test]
    fn a_schema_is_a_table_that_is_indented() {
        let text = hostile::TEXT.to_owned();
        let view = TypeView {
            name: text.clone(),
            description: text.clone(),
            facts: vec![("Capabilities", text.clone())],
            versions: vec![
                ("v1".to_owned(), "/ui/types/a?version=v1".to_owned()),
                ("v2".to_owned(), "#".to_owned()),
            ],
            version: "v2".to_owned(),
            schema: vec![SchemaRow {
                depth: 99,
                name: text.clone(),
                path: text.clone(),
                kind: text.clone(),
                is_required: true,
                constraints: vec![text.clone()],
                description: text.clone(),
            }],
            is_cut: true,
            form: CheckForm { type_name: text, ..CheckForm::default() },
        };
        let page = resource_type(&frame(), &view).into_string();
        hostile::check(&page);
        assert!(
            page.contains("class=\"depth-6\"") && page.contains("<td data-label=\"Required\">yes</td>"),
            "{page}"
        );
        assert_eq!(page.matches("aria-current=\"page\"").count(), 1);
    }
}
