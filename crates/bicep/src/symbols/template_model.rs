//! The meaning of a template in JSON: what a module or an import can use of it.

use std::borrow::Cow;
use std::sync::{Arc, OnceLock};

use contract::Node;
use document::{Document, SourceValue};
use rustc_hash::FxHashMap;
use smol_str::SmolStr;

use super::{Deciding, ExportKind};
use crate::codes;
use crate::files::SourceFile;
use crate::finding::UnlocatedFinding;
use crate::types::Scopes;
use crate::world::FilePath;

/// An output of a template.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct TemplateOutput {
    pub name: SmolStr,
    /// Whether its value is a secret.
    pub secure: bool,
}

/// A parameter of a template.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct TemplateParameter {
    pub name: SmolStr,
    /// Whether a value must be given.
    pub required: bool,
}

/// A template in JSON, as modules and imports see it.
#[derive(Debug)]
pub(crate) struct TemplateModel {
    /// The path of the file.
    pub path: FilePath,
    /// The scope that it is deployed to.
    pub target: Option<Scopes>,
    /// Its parameters, in order.
    pub parameters: Vec<TemplateParameter>,
    /// Its outputs, in order.
    pub outputs: Vec<TemplateOutput>,
    /// The id of the template spec that it is.
    pub spec_id: Option<String>,
    /// Which parameters decide what it deploys, once that was asked for.
    pub deciding: OnceLock<Deciding>,
    exports: Vec<(SmolStr, ExportKind)>,
    exports_by_name: FxHashMap<SmolStr, ExportKind>,
    ambiguous: Vec<SmolStr>,
    source: Arc<SourceFile>,
}

impl TemplateModel {
    /// Reads what a template offers; `source` holds a template.
    pub(crate) fn build(source: Arc<SourceFile>) -> Result<TemplateModel, UnlocatedFinding> {
        let SourceFile::Template(file) = &*source else {
            return Err(codes::TEMPLATE_HAS_ERRORS.fault(&[]));
        };
        let document = file.document.as_ref().map_err(Clone::clone)?;
        let root = main_template(document);
        let text = |name| root.member(name).and_then(SourceValue::as_str);
        let outputs = root.member("outputs").into_iter().flat_map(SourceValue::members);
        let parameters = root.member("parameters").into_iter().flat_map(SourceValue::members);
        let exports = exports(root);
        let mut exports_by_name = FxHashMap::default();
        let mut ambiguous: Vec<SmolStr> = Vec::new();
        for (name, kind) in &exports {
            if exports_by_name.insert(name.clone(), *kind).is_some() {
                ambiguous.push(name.clone());
            }
        }
        ambiguous.sort_unstable();
        ambiguous.dedup();
        for name in &ambiguous {
            exports_by_name.remove(name);
        }
        Ok(TemplateModel {
            path: file.path.clone(),
            target: text("$schema").and_then(Scopes::from_schema),
            parameters: parameters
                .filter_map(|(name, value)| {
                    let optional =
                        value.member("defaultValue").is_some() || is_true(value.member("nullable"));
                    Some(TemplateParameter { name: name.as_str()?.into(), required: !optional })
                })
                .collect(),
            outputs: outputs
                .filter_map(|(name, value)| {
                    Some(TemplateOutput { name: name.as_str()?.into(), secure: is_secure(root, value, 0) })
                })
                .collect(),
            spec_id: spec_id(document),
            deciding: OnceLock::new(),
            exports,
            exports_by_name,
            ambiguous,
            source: Arc::clone(&source),
        })
    }

    #[must_use]
    pub(crate) fn root(&self) -> Option<SourceValue<'_>> {
        match &*self.source {
            SourceFile::Template(file) => file.document.as_ref().ok().map(main_template),
            SourceFile::Bicep(_) => None,
        }
    }

    /// What the template exports under a name.
    #[must_use]
    pub(crate) fn export(&self, name: &str) -> Option<ExportKind> {
        self.exports_by_name.get(name).copied()
    }

    /// Tells whether the template exports several things under a name: then none of them can be imported.
    #[must_use]
    pub(crate) fn is_ambiguous(&self, name: &str) -> bool {
        self.ambiguous.iter().any(|known| known == name)
    }

    /// The names under which the template exports several things, sorted.
    #[must_use]
    pub(crate) fn ambiguous_exports(&self) -> &[SmolStr] {
        &self.ambiguous
    }

    /// All that the template exports.
    pub(crate) fn exports(&self) -> impl Iterator<Item = (&str, ExportKind)> {
        self.exports.iter().map(|(name, kind)| (name.as_str(), *kind))
    }
}

/// The template inside a template spec.
fn spec_template(document: &Document) -> Option<SourceValue<'_>> {
    document.root().member("properties").and_then(|properties| properties.member("mainTemplate"))
}

/// The template of a file; a template spec has it further inside.
fn main_template(document: &Document) -> SourceValue<'_> {
    spec_template(document).unwrap_or_else(|| document.root())
}

/// The id that a template spec says it has.
fn spec_id(document: &Document) -> Option<String> {
    let _ = spec_template(document)?;
    document.root().member("id").and_then(SourceValue::as_str).map(str::to_owned)
}

fn is_true(value: Option<SourceValue<'_>>) -> bool {
    value.is_some_and(|value| value.node() == Node::Bool(true))
}

/// What a `$ref` leads to. Names in it are written as in an address: a space is `%20`.
pub(crate) fn referenced<'d>(root: SourceValue<'d>, reference: &str) -> Option<SourceValue<'d>> {
    let pointer = reference.strip_prefix('#')?;
    if !pointer.contains('%') {
        return root.pointer(pointer);
    }
    pointer.strip_prefix('/')?.split('/').try_fold(root, |value, token| {
        if token.contains('%') {
            value.member(&percent_decoded(&token.replace("~1", "/").replace("~0", "~")))
        } else {
            value.pointer(&format!("/{token}"))
        }
    })
}

/// A text with `%20` for a space. What stands for no character stays as it is.
fn percent_decoded(text: &str) -> String {
    let decoded = percent_encoding::percent_decode_str(text).decode_utf8();
    decoded.map_or_else(|_| text.to_owned(), Cow::into_owned)
}

/// Tells whether a type is a secret one, through references to definitions.
fn is_secure(root: SourceValue<'_>, value: SourceValue<'_>, depth: usize) -> bool {
    const MAX_REFERENCES: usize = 32;
    if let Some(ty) = value.member("type").and_then(SourceValue::as_str) {
        return ty.eq_ignore_ascii_case("secureString") || ty.eq_ignore_ascii_case("secureObject");
    }
    let target = value.member("$ref").and_then(SourceValue::as_str);
    let target = target.and_then(|reference| referenced(root, reference));
    depth < MAX_REFERENCES && target.is_some_and(|target| is_secure(root, target, depth + 1))
}

fn exports(root: SourceValue<'_>) -> Vec<(SmolStr, ExportKind)> {
    let exported = |value: SourceValue<'_>| {
        is_true(value.member("metadata").and_then(|it| it.member("__bicep_export!")))
    };
    let mut found: Vec<(SmolStr, ExportKind)> = Vec::new();
    for (name, value) in root.member("definitions").into_iter().flat_map(SourceValue::members) {
        if let Some(name) = name.as_str()
            && exported(value)
        {
            found.push((name.into(), ExportKind::Type));
        }
    }
    let variables = root.member("metadata").and_then(|it| it.member("__bicep_exported_variables!"));
    for variable in variables.into_iter().flat_map(SourceValue::items) {
        if let Some(name) = variable.member("name").and_then(SourceValue::as_str) {
            found.push((name.into(), ExportKind::Variable));
        }
    }
    for namespace in root.member("functions").into_iter().flat_map(SourceValue::items) {
        let space = namespace.member("namespace").and_then(SourceValue::as_str).unwrap_or_default();
        for (name, value) in namespace.member("members").into_iter().flat_map(SourceValue::members) {
            let Some(name) = name.as_str().filter(|_| exported(value)) else { continue };
            let name = if space == "__bicep" { name.into() } else { format!("{space}.{name}").into() };
            found.push((name, ExportKind::Function));
        }
    }
    found
}
