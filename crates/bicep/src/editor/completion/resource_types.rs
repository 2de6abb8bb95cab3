//! Types of resources, and their versions.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, PoisonError, Weak};

use bicep_types::TypeStore;
use smol_str::{SmolStr, format_smolstr};
use syntax::ast::{AstNode as _, Expr, ResourceDeclaration, StringTypeLiteral};
use syntax::{NodeKind, SyntaxElement, SyntaxNode, TokenKind};

use super::Completer;
use super::item::{Completion, CompletionEdit, CompletionKind, FollowUp, Priority};
use crate::types::{BuiltIn, quoted};

/// Words that people look for instead of the type that they mean, by the start of its name.
const SEARCH_WORDS: &[(&str, &str)] = &[
    ("microsoft.web/sites", "appservice webapp function"),
    ("microsoft.web/serverfarms", "asp appserviceplan hostingplan"),
    ("microsoft.app", "containerapp"),
    ("microsoft.containerservice", "aks kubernetes k8s cluster"),
    ("microsoft.documentdb", "cosmosdb"),
    ("microsoft.authorization", "rbac"),
    ("microsoft.operationalinsights/workspaces", "loganalytics"),
];

impl<'m> Completer<'_, 'm> {
    /// The types that can stand at the place; of a type that is there already, the versions.
    pub(super) fn resource_types(&mut self, written: Option<SyntaxNode<'m>>) {
        if self.nested_types() {
            return;
        }
        let stores = self.stores();
        let written = written.and_then(written_text).filter(|text| is_whole(text));
        match written {
            Some(written) => {
                let name = written.split('@').next().unwrap_or_default().to_owned();
                self.versions(&stores, &name);
            }
            None => self.all_types_of(&stores),
        }
    }

    /// The type data that the file can take resources from: that of Azure first.
    fn stores(&self) -> Vec<Arc<TypeStore>> {
        let model = self.model;
        let azure = model.az_types.clone().filter(|_| model.namespaces.has(BuiltIn::Az));
        let extensions = model.extensions.iter().filter_map(|own| own.types.clone().ok()?);
        azure.into_iter().chain(extensions).collect()
    }

    fn all_types_of(&mut self, stores: &[Arc<TypeStore>]) {
        let span = self.span;
        let lists: Vec<Arc<[Completion]>> = match stores {
            [only] => vec![items_of(only)],
            _ => vec![made_items(stores)],
        };
        for item in lists.iter().flat_map(|list| list.iter()) {
            let edit = CompletionEdit { span, ..item.edit.clone() };
            self.out.push(Completion { edit, ..item.clone() });
        }
    }

    fn versions(&mut self, stores: &[Arc<TypeStore>], name: &str) {
        let mut found: Vec<(SmolStr, SmolStr)> = Vec::new();
        for store in stores {
            let versions = store.versions(name).unwrap_or_default();
            found.extend(
                versions.iter().map(|it| (it.name.into(), it.api_version.unwrap_or_default().into())),
            );
        }
        found.sort_by(|(_, a), (_, b)| newest_first(a, b));
        for (place, (name, version)) in found.iter().enumerate() {
            let whole = if version.is_empty() { name.to_string() } else { format!("{name}@{version}") };
            let text = quoted(&whole);
            let label = if version.is_empty() { text.clone() } else { version.clone() };
            let mut about = format!("Type: `{name}`  \n");
            if !version.is_empty() {
                about.push_str(&format!("API Version: `{version}`  \n"));
            }
            let item =
                Completion::plain(CompletionKind::Class, label, Priority::Medium, self.span, text.as_str());
            let item = item.documentation(about).filter_text(text.to_lowercase());
            self.out.push(Completion { sort_text: numbered(place), ..item });
        }
    }

    /// The types that a resource in the body of another one can have, by their last word; false if the place
    /// is in no such resource.
    fn nested_types(&mut self) -> bool {
        let declarations =
            self.place.nodes.iter().filter(|node| node.kind() == NodeKind::ResourceDeclaration);
        let around: Vec<ResourceDeclaration<'m>> =
            declarations.filter_map(|node| ResourceDeclaration::cast(*node)).collect();
        let [.., outer, _] = around.as_slice() else { return false };
        let Some(symbol) = self.model.symbol_at(outer.node()) else { return false };
        let declared = self.checker.declared_resource(symbol);
        let Some(resource) = declared.as_resource() else { return false };
        let parent = resource.reference.clone();
        let store = match resource.extension {
            Some(symbol) => self.model.extension_of(symbol).and_then(|own| own.types.clone().ok()?),
            None => self.model.az_types.clone(),
        };
        let Some(store) = store else { return false };
        let prefix = format!("{}/", parent.name);
        let children: BTreeSet<SmolStr> = store
            .names(&prefix)
            .filter(|name| {
                name.len() > prefix.len() && !name.get(prefix.len()..).unwrap_or("/").contains('/')
            })
            .map(SmolStr::from)
            .collect();
        let mut children: Vec<SmolStr> = children.into_iter().collect();
        children.sort_by_key(|name| name.to_ascii_lowercase());
        let mut place = 0;
        for name in &children {
            let own = name.get(prefix.len()..).unwrap_or_default();
            let versions = store.versions(name).unwrap_or_default();
            let mut versions: Vec<&str> = versions.iter().filter_map(|it| it.api_version).collect();
            versions.sort_by(|a, b| newest_first(a, b));
            // Without a version it is that of the resource around it.
            let texts = std::iter::once((quoted(own), parent.version.clone()));
            let texts =
                texts.chain(versions.into_iter().map(|it| (quoted(&format!("{own}@{it}")), Some(it.into()))));
            for (text, version) in texts {
                let mut about = format!("Type: `{name}`  \n");
                if let Some(version) = version {
                    about.push_str(&format!("API Version: `{version}`  \n"));
                }
                let item = Completion::plain(
                    CompletionKind::Class,
                    text.clone(),
                    Priority::Medium,
                    self.span,
                    text.as_str(),
                );
                self.out.push(Completion { sort_text: numbered(place), ..item.documentation(about) });
                place += 1;
            }
        }
        true
    }
}

/// What was written of a type or path, also without its last quote.
pub(super) fn written_text(node: SyntaxNode<'_>) -> Option<String> {
    let node = match Expr::cast(node) {
        Some(Expr::String(text)) => return text.constant().map(Into::into),
        _ => node,
    };
    if let Some(text) = StringTypeLiteral::cast(node) {
        return Some(text.node().text().trim_matches('\'').to_owned());
    }
    let mut parts = node.children();
    let token = parts.next().and_then(SyntaxElement::token)?;
    if parts.next().is_some() {
        return None;
    }
    match token.kind() {
        TokenKind::Identifier => Some(token.text().to_owned()),
        TokenKind::StringComplete => Some(token.text().trim_matches('\'').to_owned()),
        _ => None,
    }
}

/// Tells whether a text is a type with an `@` behind it, so that only the version is left to be chosen.
fn is_whole(text: &str) -> bool {
    let Some((name, _)) = text.split_once('@') else { return false };
    let word = |part: &str| {
        part.bytes().next().is_some_and(|first| first.is_ascii_alphanumeric())
            && part.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-.".contains(&byte))
    };
    name.split('/').all(word)
}

/// The order of versions: newest first, and of one day the one that is not a preview.
fn newest_first(a: &str, b: &str) -> std::cmp::Ordering {
    let parts = |version: &str| {
        let day = version.get(..10).unwrap_or(version).to_owned();
        let rest = version.get(10..).unwrap_or_default().to_ascii_lowercase();
        (day, rest)
    };
    let ((day_a, rest_a), (day_b, rest_b)) = (parts(a), parts(b));
    day_b
        .cmp(&day_a)
        .then_with(|| rest_a.is_empty().cmp(&rest_b.is_empty()).reverse())
        .then_with(|| rest_b.cmp(&rest_a))
}

/// The text that keeps an item at its place.
fn numbered(place: usize) -> SmolStr {
    format_smolstr!("{place:08x}")
}

/// The items for all types of a store. They depend on the store alone, and there are thousands, so those of the store
/// that was asked for last are kept as long as it lives.
fn items_of(store: &Arc<TypeStore>) -> Arc<[Completion]> {
    type TypeListCache = (Weak<TypeStore>, Arc<[Completion]>);
    static LAST: Mutex<Option<TypeListCache>> = Mutex::new(None);
    let mut last = LAST.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some((known, items)) = &*last
        && known.upgrade().is_some_and(|known| Arc::ptr_eq(&known, store))
    {
        return Arc::clone(items);
    }
    let items = made_items(std::slice::from_ref(store));
    *last = Some((Arc::downgrade(store), Arc::clone(&items)));
    items
}

fn made_items(stores: &[Arc<TypeStore>]) -> Arc<[Completion]> {
    let mut names: Vec<&str> = stores.iter().flat_map(|store| store.names("")).collect();
    names.sort_by_cached_key(|name| name.to_ascii_lowercase());
    names.dedup_by(|a, b| a.eq_ignore_ascii_case(b));
    let span = syntax::Span::empty(0);
    let items = names.iter().enumerate().map(|(place, name)| {
        let label = quoted(name);
        let open = label.strip_suffix('\'').unwrap_or(&label);
        let item = Completion::plain(
            CompletionKind::Class,
            label.clone(),
            Priority::Medium,
            span,
            format!("{open}@$0'"),
        );
        let mut item = item.into_snippet().follow_up(FollowUp::Suggest);
        item.filter_text = search_words(name).map(|words| quoted(&format!("{name} {words}")));
        Completion { sort_text: numbered(place), ..item }
    });
    items.collect()
}

/// The words that people look for when they mean a type.
fn search_words(name: &str) -> Option<&'static str> {
    let lower = name.to_ascii_lowercase();
    let found = SEARCH_WORDS.iter().find(|(start, _)| {
        lower.strip_prefix(start).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    });
    found.map(|(_, words)| *words)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_in_order_and_previews_come_after_what_they_became() {
        let mut versions = ["2020-01-01", "2021-05-01-preview", "2021-05-01", "2019-06-01-alpha"];
        versions.sort_by(|a, b| newest_first(a, b));
        assert_eq!(versions, ["2021-05-01", "2021-05-01-preview", "2020-01-01", "2019-06-01-alpha"]);
    }

    #[test]
    fn a_type_is_whole_when_its_version_comes_next() {
        assert!(is_whole("Microsoft.Storage/storageAccounts@"));
        assert!(is_whole("Microsoft.Storage/storageAccounts@2020"));
        assert!(!is_whole("Microsoft.Storage/storageAccounts"));
        assert!(!is_whole("Microsoft.Storage"));
        assert!(!is_whole("Microsoft.Storage/@"));
        assert!(!is_whole("@"));
    }

    #[test]
    fn people_find_types_by_other_words() {
        assert_eq!(search_words("Microsoft.Web/sites/config"), Some("appservice webapp function"));
        assert_eq!(search_words("Microsoft.Web/sitesx"), None);
    }
}
