//! A value as a tree that can be folded.

use maud::{Markup, html};

use crate::findings::counted;
use crate::text::clean;

/// A value to be shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TreeView {
    /// Text, shown in quotes.
    Text(String),
    /// A number, `true`, `false` or `null`, as JSON writes it.
    Word(String),
    /// Something that is there and that nobody is shown.
    Secret,
    /// The members of an object, in the order of the text.
    Object(Vec<(String, TreeView)>),
    /// The elements of a list.
    List(Vec<TreeView>),
}

/// How many lines of a tree are shown; more are for a program.
const MOST: usize = 5_000;

/// How deep a tree is shown.
const DEEPEST: usize = 40;

/// How many levels are open at first.
const OPEN: usize = 2;

/// How many characters of a text are shown.
const LONGEST: usize = 4_000;

/// The tree of a value. The name is what screen readers call it.
pub fn tree(name: &str, value: &TreeView) -> Markup {
    let mut left = MOST;
    html! {
        div.tree role="region" aria-label=(clean(name)) {
            (inside(value, 0, &mut left))
            @if left == 0 { p.note { "There is more than is shown here." } }
        }
    }
}

/// What is in a value. Recursion ends at [`DEEPEST`].
fn inside(value: &TreeView, depth: usize, left: &mut usize) -> Markup {
    match value {
        TreeView::Object(members) if !members.is_empty() => html! {
            ul { @for (name, value) in members {
                @if take(left) { (line(html! { span.key { (clean(name)) } ": " }, value, depth, left)) }
            } }
        },
        TreeView::List(items) if !items.is_empty() => html! {
            ul { @for (at, value) in items.iter().enumerate() {
                @if take(left) { (line(html! { span.place { (at) } ": " }, value, depth, left)) }
            } }
        },
        TreeView::Text(_)
        | TreeView::Word(_)
        | TreeView::Secret
        | TreeView::Object(_)
        | TreeView::List(_) => leaf(value),
    }
}

fn line(name: Markup, value: &TreeView, depth: usize, left: &mut usize) -> Markup {
    let count = match value {
        TreeView::Object(members) => members.len(),
        TreeView::List(items) => items.len(),
        TreeView::Text(_) | TreeView::Word(_) | TreeView::Secret => 0,
    };
    let noun = if matches!(value, TreeView::List(_)) { "item" } else { "member" };
    html! {
        li {
            @if count == 0 {
                (name) (leaf(value))
            } @else if depth >= DEEPEST {
                (name) span.count { (counted(count, noun)) ", too deep to be shown" }
            } @else {
                details open[depth + 1 < OPEN] {
                    summary { (name) span.count { (counted(count, noun)) } }
                    (inside(value, depth + 1, left))
                }
            }
        }
    }
}

fn leaf(value: &TreeView) -> Markup {
    html! {
        @match value {
            TreeView::Text(text) => { span.text { "\"" (clean(&cut(text))) "\"" } }
            TreeView::Word(word) => { span.word { (clean(word)) } }
            TreeView::Secret => { em.secret { "secret" } }
            TreeView::Object(_) => { span.count { "no members" } }
            TreeView::List(_) => { span.count { "no items" } }
        }
    }
}

/// The beginning of a long text.
fn cut(text: &str) -> String {
    match text.char_indices().nth(LONGEST) {
        None => text.to_owned(),
        Some((at, _)) => format!("{}… ({} bytes)", text.get(..at).unwrap_or_default(), text.len()),
    }
}

fn take(left: &mut usize) -> bool {
    let is_there = *left > 0;
    *left = left.saturating_sub(1);
    is_there
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_and_hostile_names_are_shown_as_what_they_are() {
        let hostile = "</ul><script>alert(1)</script>\u{202e}";
        let value = TreeView::Object(vec![
            (hostile.to_owned(), TreeView::Text(hostile.to_owned())),
            ("password".to_owned(), TreeView::Secret),
            ("tags".to_owned(), TreeView::Object(vec![("a".to_owned(), TreeView::Word("1".to_owned()))])),
            ("none".to_owned(), TreeView::List(Vec::new())),
        ]);
        let page = tree(hostile, &value).into_string();
        assert!(!page.contains("<script") && !page.contains('\u{202e}'), "{page}");
        assert!(page.contains("<em class=\"secret\">secret</em>"), "{page}");
        assert!(page.contains("1 member") && page.contains("no items"), "{page}");
    }

    #[test]
    fn a_tree_of_any_size_has_an_end() {
        let mut deep = TreeView::Word("1".to_owned());
        for _ in 0..200 {
            deep = TreeView::List(vec![deep]);
        }
        let page = tree("deep", &deep).into_string();
        assert!(page.contains("too deep to be shown"), "{page}");
        let wide = TreeView::List(vec![TreeView::Text("x".repeat(1 << 12)); MOST + 10]);
        let page = tree("wide", &wide).into_string();
        assert_eq!(page.matches("<li>").count(), MOST);
        assert!(page.contains("There is more than is shown here."));
        let long = tree("long", &TreeView::Text("x".repeat(1 << 20))).into_string();
        assert!(long.len() < LONGEST + 200 && long.contains("1048576 bytes"));
    }
}
