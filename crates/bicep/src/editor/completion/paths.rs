//! Paths of files beside the program: of modules, of parameters files, and of what is loaded.

use syntax::ast::Expr;
use syntax::{Span, SyntaxNode};

use super::Completer;
use super::expected_syntax::PathKind;
use super::item::{Completion, CompletionKind, FollowUp, Priority, escaped};
use super::resource_types::written_text;
use crate::FilePath;
use crate::content::source_text;
use crate::functions::Family;
use crate::symbols::{Binding, CallSyntax};
use crate::types::quoted;

/// How much of a file is read to see whether it is a template.
const PEEKED: usize = 2000;

/// The files and folders that can follow what was written of a path.
struct Listing {
    /// Where the path has led so far.
    folder: FilePath,
    /// The names of files.
    files: Vec<String>,
    /// The names of folders.
    folders: Vec<String>,
    /// Whether the path starts with `./`.
    is_dotted: bool,
}

impl<'m> Completer<'_, 'm> {
    /// Paths of modules and of other files that a declaration can name.
    pub(super) fn paths(&mut self, kind: PathKind, written: Option<SyntaxNode<'m>>) {
        // A word without quotes is no path yet.
        let quoted = |node: &SyntaxNode<'_>| node.text().starts_with('\'');
        let text = written.filter(quoted).and_then(written_text).unwrap_or_default();
        let span = written.map_or(self.span, SyntaxNode::span);
        // What is half typed without a quote is replaced, but not what stands further on.
        let span = if super::cursor_context::touches(span, self.place.offset) { span } else { self.span };
        let is_registry = text.starts_with("br:") || text.starts_with("br/") && text.contains(':');
        if !is_registry {
            self.local_paths(kind, &text, span);
        }
        if matches!(kind, PathKind::Module | PathKind::Using) {
            // A word without quotes is the start of a path.
            let typed = self.place.token.filter(|token| token.kind() == syntax::TokenKind::Identifier);
            let typed = if text.is_empty() { typed.map_or("", |token| token.text()) } else { &text };
            self.registry_paths(typed, span);
        }
    }

    fn local_paths(&mut self, kind: PathKind, text: &str, span: Span) {
        let Some(listing) = self.listing(text) else { return };
        if kind == PathKind::Extends {
            self.files(&listing, span, Priority::High, |name| name.ends_with(".bicepparam"));
        } else {
            if kind == PathKind::Using {
                let none = Completion::plain(CompletionKind::Enum, "none", Priority::Medium, span, "none");
                self.out.push(none.filter_text("none"));
            }
            self.files(&listing, span, Priority::High, |name| name.ends_with(".bicep"));
            let templates: Vec<String> = listing
                .files
                .iter()
                .filter(|name| self.is_template(&listing.folder.join(name)))
                .cloned()
                .collect();
            self.files(&listing, span, Priority::Medium, |name| templates.iter().any(|known| known == name));
        }
        self.folders(&listing, span, Priority::Low);
    }

    /// Files that a function of the language loads; false if the argument is something else.
    pub(super) fn file_argument(&mut self, call: CallSyntax<'m>, place: usize) -> bool {
        let Binding::Function(function) = self.model.binding(call.node().id()) else { return false };
        if function.family != Family::File || place != 0 {
            return false;
        }
        let text = match call.argument(0) {
            Some(Expr::String(text)) => text.constant(),
            _ => None,
        };
        let text = text.unwrap_or_default();
        let span = self.span;
        let Some(listing) = self.listing(&text) else { return true };
        let ends = |name: &str, endings: &[&str]| {
            let name = name.to_ascii_lowercase();
            endings.iter().any(|ending| name.ends_with(ending))
        };
        let preferred: &[&str] = match function.name {
            "loadDirectoryFileInfo" => {
                self.folders(&listing, span, Priority::High);
                return true;
            }
            "loadJsonContent" => &[".json", ".jsonc"],
            "loadYamlContent" => &[".yaml", ".yml"],
            _ => &[""],
        };
        self.files(&listing, span, Priority::High, |name| ends(name, preferred));
        self.files(&listing, span, Priority::Medium, |name| !ends(name, preferred));
        self.folders(&listing, span, Priority::Medium);
        true
    }

    /// What lies where a path has led so far.
    fn listing(&self, text: &str) -> Option<Listing> {
        let world = self.compiler.world();
        let folder = self.model.file.path.folder();
        let mut searched = folder.join(text);
        let entries = match world.list(&searched) {
            Ok(entries) => entries,
            Err(_) if !text.is_empty() => {
                // The last word is half typed, or it is a file.
                searched = searched.folder();
                world.list(&searched).ok()?
            }
            Err(_) => return None,
        };
        let names = |folders: bool| {
            entries
                .iter()
                .filter(|entry| entry.is_folder == folders)
                .map(|entry| entry.name.clone())
                .collect()
        };
        Some(Listing {
            files: names(false),
            folders: names(true),
            folder: searched,
            is_dotted: text.starts_with("./"),
        })
    }

    fn files(&mut self, listing: &Listing, span: Span, priority: Priority, wanted: impl Fn(&str) -> bool) {
        for name in listing.files.iter().filter(|name| wanted(name)) {
            let path = listing.folder.join(name);
            if path == self.model.file.path {
                continue;
            }
            let text = quoted(&self.way(&path, listing));
            let item = Completion::plain(CompletionKind::File, name.as_str(), priority, span, text.as_str());
            self.out.push(item.filter_text(text));
        }
    }

    fn folders(&mut self, listing: &Listing, span: Span, priority: Priority) {
        let mut found: Vec<(String, FilePath)> =
            listing.folders.iter().map(|name| (format!("{name}/"), listing.folder.join(name))).collect();
        found.extend(listing.folder.parent().map(|parent| ("../".to_owned(), parent)));
        for (label, path) in found {
            let mut way = self.way(&path, listing);
            if !way.is_empty() && !way.ends_with('/') {
                way.push('/');
            }
            let text = quoted(&way);
            let open = text.strip_suffix('\'').unwrap_or(&text);
            let snippet = format!("{}$0'", escaped(open));
            let item = Completion::plain(CompletionKind::Folder, label.as_str(), priority, span, snippet);
            self.out.push(item.into_snippet().filter_text(text).follow_up(FollowUp::Suggest));
        }
    }

    /// The way from the file to another one, as people write it.
    fn way(&self, path: &FilePath, listing: &Listing) -> String {
        let way = path.relative_to(&self.model.file.path);
        if listing.is_dotted && !way.starts_with("../") { format!("./{way}") } else { way }
    }

    /// Tells whether a file is a template, which can be a module.
    fn is_template(&self, path: &FilePath) -> bool {
        match path.extension().to_ascii_lowercase().as_str() {
            ".arm" => true,
            ".json" | ".jsonc" => {
                let references = self.model.file.references.iter().filter_map(|it| it.target.as_ref().ok());
                if references.into_iter().any(|target| target.path == *path) {
                    return true;
                }
                let Ok(bytes) = self.compiler.world().read(path) else { return false };
                let text = source_text(bytes.get(..PEEKED).unwrap_or(&bytes));
                let Some((_, schema)) = text.split_once("://schema.management.azure.com/schemas/") else {
                    return false;
                };
                let end = schema.find('"').unwrap_or(schema.len());
                schema.get(..end).unwrap_or_default().to_ascii_lowercase().contains("deploymenttemplate.json")
            }
            _ => false,
        }
    }
}
