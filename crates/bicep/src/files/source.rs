//! Files as they were read, and what they refer to. A source knows nothing of the meaning of its parts.

use std::sync::Arc;

use contract::Node;
use document::{Document, FileId, JsonOptions, ReadLimits};
use rustc_hash::FxHashMap;
use syntax::ast::{AstNode as _, Expr, NameOrString, Program, Statement};
use syntax::{NodeId, SourceKind, Span, SyntaxNode, SyntaxTree};

use super::{FilePath, Places, Reference};
use crate::codes::{self, DiagnosticCode};
use crate::config::SharedConfig;
use crate::finding::UnlocatedFinding;

/// A file that takes part in a compilation.
#[derive(Debug)]
pub enum SourceFile {
    /// A program or a parameters file.
    Bicep(Arc<BicepFile>),
    /// A template in JSON: a module of its own, or one from a registry.
    Template(Box<TemplateFile>),
}

/// A program or a parameters file.
#[derive(Debug)]
pub struct BicepFile {
    /// Its path, by which other files name it.
    pub path: FilePath,
    /// Its syntax tree, whole even if the file has errors.
    pub tree: SyntaxTree,
    /// The configuration of the folder that it is in.
    pub config: SharedConfig,
    /// What its declarations refer to.
    pub references: Vec<FileReference>,
    /// The extensions that its configuration brings without a declaration, Azure's own aside.
    pub implicit: Vec<ImplicitExtension>,
    by_declaration: FxHashMap<NodeId, usize>,
    parents: Vec<Option<NodeId>>,
}

/// An extension that every file of a configuration has.
#[derive(Clone, Debug)]
pub struct ImplicitExtension {
    /// Its name in the configuration, and in programs.
    pub name: String,
    /// What the configuration says that it is, as far as that can be understood.
    pub reference: Option<Reference>,
    /// The file that holds its types, or none for one that is built in; or what is wrong with it.
    pub target: Result<Option<FileTarget>, UnlocatedFinding>,
}

/// A declaration that refers to a file.
#[derive(Clone, Debug)]
pub struct FileReference {
    /// The node of the declaration that names the file.
    pub declaration: NodeId,
    /// Where the reference is written.
    pub span: Span,
    /// What kind of declaration it is.
    pub kind: ReferenceKind,
    /// What is referred to, as far as the text can be understood.
    pub reference: Option<Reference>,
    /// What is referred to, and the file that holds it; or why there is none.
    pub target: Result<FileTarget, UnlocatedFinding>,
}

/// What a declaration refers to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileTarget {
    /// The reference as it was understood.
    pub reference: Reference,
    /// The file, which need not exist.
    pub path: FilePath,
}

/// The kinds of declarations that refer to files.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "named by the keywords")]
pub enum ReferenceKind {
    Module,
    Test,
    Import,
    Using,
    Extends,
    Extension,
}

impl BicepFile {
    /// Parses a file, and finds what its references name; no other file is read.
    #[must_use]
    pub fn new(
        path: FilePath,
        text: impl Into<Arc<str>>,
        config: SharedConfig,
        places: Places<'_>,
    ) -> BicepFile {
        let kind = if path.extension().eq_ignore_ascii_case(".bicepparam") {
            SourceKind::Params
        } else {
            SourceKind::Bicep
        };
        let tree = syntax::parse(text, kind);
        let references = references(&tree, &path, &config, places);
        let implicit = implicit(&path, &config, places);
        let places = references.iter().enumerate();
        let by_declaration = places.map(|(place, it)| (it.declaration, place)).collect();
        let parents = tree.parents();
        BicepFile { path, tree, config, references, implicit, by_declaration, parents }
    }

    /// Tells whether the file has tests and nothing to deploy.
    #[must_use]
    pub fn is_test(&self) -> bool {
        self.path.extension().eq_ignore_ascii_case(".biceptest")
    }

    /// The node that a node is a part of.
    #[must_use]
    pub fn parent<'t>(&'t self, node: SyntaxNode<'t>) -> Option<SyntaxNode<'t>> {
        self.tree.node((*self.parents.get(node.id().index())?)?)
    }

    /// The node of an id; ids come from this file's own tree.
    #[must_use]
    pub fn node(&self, id: NodeId) -> SyntaxNode<'_> {
        self.tree.node(id).unwrap_or_else(|| self.tree.root())
    }

    /// The reference of a declaration.
    #[must_use]
    pub fn reference_of(&self, declaration: NodeId) -> Option<&FileReference> {
        self.references.get(*self.by_declaration.get(&declaration)?)
    }
}

/// The extensions that a configuration brings without a declaration.
fn implicit(path: &FilePath, config: &SharedConfig, places: Places<'_>) -> Vec<ImplicitExtension> {
    let names = config.get(&["implicitExtensions"]).into_iter().flat_map(document::SourceValue::items);
    let names = names.filter_map(document::SourceValue::as_str).filter(|name| *name != "az");
    let found = names.map(|name| {
        let source = ["extensions", name];
        let mut understood = None;
        let target = match (name, config.text(&source)) {
            ("sys", _) => Err(codes::RESERVED_EXTENSION.fault(&[])),
            (_, None) => Err(codes::IMPLICIT_EXTENSION.fault(&[&name])),
            ("kubernetes", Some("builtin:")) => Ok(None),
            (_, Some("builtin:")) => Err(codes::EXTENSION_CONFIGURED_WRONG.fault(&[&name])),
            (_, Some(text)) => {
                Reference::parse(text, ReferenceKind::Extension, config).and_then(|reference| {
                    understood = Some(reference.clone());
                    let folder = config.folder_of(&source).unwrap_or_else(|| path.folder());
                    places.locate(reference, &folder, ReferenceKind::Extension, config).map(Some)
                })
            }
        };
        ImplicitExtension { name: name.to_owned(), reference: understood, target }
    });
    found.collect()
}

/// The references of a program, in source order.
fn references(
    tree: &SyntaxTree,
    path: &FilePath,
    config: &SharedConfig,
    places: Places<'_>,
) -> Vec<FileReference> {
    let Some(program) = Program::cast(tree.root()) else { return Vec::new() };
    let folder = path.folder();
    let mut found = Vec::new();
    for statement in program.statements() {
        let (kind, text) = match statement {
            Statement::ModuleDeclaration(module) => {
                (ReferenceKind::Module, constant(module.path(), codes::MISSING_PATH, "a module"))
            }
            Statement::TestDeclaration(test) => {
                (ReferenceKind::Test, constant(test.path(), codes::NO_IMPORT_PATH, "a test"))
            }
            Statement::UsingDeclaration(using) => match using.path() {
                Expr::NoneLiteral(_) => continue,
                path => (ReferenceKind::Using, constant(path, codes::USING_PATH, "`using`")),
            },
            Statement::ExtendsDeclaration(extends) => {
                (ReferenceKind::Extends, constant(extends.path(), codes::EXTENDS_TARGET, "`extends`"))
            }
            Statement::CompileTimeImportDeclaration(import) => match import.from_clause() {
                Some(from) => {
                    (ReferenceKind::Import, constant(from.path(), codes::NO_IMPORT_PATH, "an import"))
                }
                None => continue,
            },
            Statement::ExtensionDeclaration(extension) => match extension.specification() {
                NameOrString::String(text) => (
                    ReferenceKind::Extension,
                    (
                        text.span(),
                        text.constant()
                            .map(Into::into)
                            .ok_or_else(|| codes::INTERPOLATED_EXTENSION.fault(&[])),
                    ),
                ),
                NameOrString::Name(name) => match config.text(&["extensions", name.text()]) {
                    Some(text) if text != "builtin:" => {
                        (ReferenceKind::Extension, (name.span(), Ok(text.to_owned())))
                    }
                    _ => continue,
                },
                NameOrString::Skipped(_) => continue,
            },
            _ => continue,
        };
        let (span, text) = text;
        let mut understood = None;
        let target = text.and_then(|text| {
            let reference = Reference::parse(&text, kind, config)?;
            understood = Some(reference.clone());
            let from = match (kind, statement) {
                // An extension that the configuration names lies where the configuration is.
                (ReferenceKind::Extension, Statement::ExtensionDeclaration(extension)) => {
                    match extension.specification() {
                        NameOrString::Name(name) => config.folder_of(&["extensions", name.text()]),
                        _ => None,
                    }
                }
                _ => None,
            };
            places.locate(reference, from.as_ref().unwrap_or(&folder), kind, config)
        });
        let declaration = statement.node().id();
        found.push(FileReference { declaration, span, kind, reference: understood, target });
    }
    found
}

fn constant(path: Expr<'_>, missing: DiagnosticCode, what: &str) -> (Span, Result<String, UnlocatedFinding>) {
    let text = match path {
        Expr::String(text) => {
            text.constant().map(Into::into).ok_or_else(|| codes::INTERPOLATED_PATH.fault(&[&what]))
        }
        _ => Err(missing.fault(&[&what])),
    };
    (path.span(), text)
}

/// A template in JSON.
#[derive(Debug)]
pub struct TemplateFile {
    /// Its path, by which programs name it.
    pub path: FilePath,
    /// What it holds; or why it is not a template.
    pub document: Result<Document, UnlocatedFinding>,
}

impl TemplateFile {
    /// Reads a template; what is wrong with it is kept, and reported where it is used.
    #[must_use]
    pub fn new(path: FilePath, bytes: &[u8]) -> TemplateFile {
        let text = String::from_utf8_lossy(bytes);
        let document =
            Document::from_json_with(&*text, FileId::FIRST, &ReadLimits::DEFAULT, JsonOptions::RELAXED)
                .map_err(|error| codes::NOT_A_TEMPLATE.fault(&[&path, &error]))
                .and_then(|document| match document.root().node() {
                    Node::Object(_) => Ok(document),
                    _ => Err(codes::NOT_A_TEMPLATE.fault(&[&path, &"expected a JSON object"])),
                });
        TemplateFile { path, document }
    }
}
