//! The paths of a file that lead to other files.

use syntax::{NodeKind, Span};

use super::name_at::path_in;
use crate::{Compiler, FilePath};

/// A path in a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DocumentLink {
    /// The path, without its quotes.
    pub span: Span,
    /// The file that it leads to.
    pub path: FilePath,
}

/// The paths of a file that lead to files that are there, by position.
#[must_use]
pub fn document_links(compiler: &Compiler, path: &FilePath) -> Vec<DocumentLink> {
    let Ok(model) = compiler.model(path) else { return Vec::new() };
    let strings = model.file.tree.root().subtree().filter(|node| node.kind() == NodeKind::String);
    let found = strings.filter_map(|node| path_in(&model, node));
    let links = found.filter(|(span, path)| span.len() > 2 && compiler.world().exists(path));
    links.map(|(span, path)| DocumentLink { span: Span::new(span.start + 1, span.end - 1), path }).collect()
}
