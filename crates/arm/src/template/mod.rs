//! Templates: what they declare, with a place for everything, and what is wrong with them.
//!
//! [`Template::read`] takes template text, checks its structure and gives a [`Template`], or all errors at once. Strings are
//! read as expressions once and stay expressions in [`Json`] trees. The template of a nested deployment is not
//! looked into until somebody asks for it with [`Template::nested`]; it shares the document of its parent, so
//! that what is not deployed costs next to nothing.
//!
//! Names of members, parameters, variables, functions and the like do not depend on case.

mod declared;
mod error;
mod json;
mod limits;
pub(crate) mod locate;
mod model;
pub(crate) mod options;
mod read;
mod reduce;
mod scope;
mod stage;
pub mod types;
mod version;

#[cfg(test)]
mod tests;

use std::collections::HashMap;
use std::sync::{Arc, OnceLock};

use document::{Document, JsonOptions, NodeId, Source};
use smol_str::SmolStr;

pub use declared::Declared;
pub use error::{Location, TemplateError, code};
pub use json::{Json, JsonKind, Loop, Member, Name, Span};
pub use limits::Limits;
pub use model::{
    Assert, Extension, Function, Nested, Output, OutputValue, Parameter, Resource, ResourceLoop,
    ResourceOption, Variable, VariableValue,
};
pub(crate) use read::member;
pub use scope::ScopeKind;
pub use stage::{Stage, Stages};
pub(crate) use types::part;
pub use types::{Breach, BreachKind, Type, TypeWord, Validator, ValidatorKind};
pub use version::{Feature, LanguageVersion};

/// How deep the text of a template may nest; nested templates count with what is around them.
const DEPTH: usize = 500;

/// A template.
#[derive(Debug)]
pub struct Template {
    pub(crate) document: Arc<Document>,
    pub(crate) root: NodeId,
    /// How many templates are around this one.
    pub(crate) level: usize,
    pub(crate) limits: Limits,
    /// What it is deployed to.
    pub scope: ScopeKind,
    /// The version of the language.
    pub version: LanguageVersion,
    /// `contentVersion`.
    pub content_version: SmolStr,
    /// The parameters, in order.
    pub parameters: Declared<Parameter>,
    /// The variables, in order.
    pub variables: Declared<Variable>,
    /// The functions, in order, by `namespace.name`.
    pub functions: Declared<Function>,
    /// The extensions, in order, by alias.
    pub extensions: Declared<Extension>,
    /// The resources, in order; those that are written inside another one follow it.
    pub resources: Vec<Resource>,
    /// The outputs, in order.
    pub outputs: Declared<Output>,
    /// The asserts, in order.
    pub asserts: Declared<Assert>,
    /// The validators, by the offset at which they stand.
    pub(crate) validators: HashMap<u32, Validator>,
    /// The contracts of the types, once a value was held against one.
    pub(crate) types: OnceLock<types::Types>,
    /// The templates of nested deployments, by position of the resource, as far as they were asked for. They are kept here
    /// so that all deployments of this template share them: each iteration of a loop is one.
    nested: Vec<OnceLock<ReadOnce>>,
}

/// What became of the template of a nested deployment.
pub(crate) type ReadOnce = Result<Arc<Template>, Arc<Vec<TemplateError>>>;

impl Template {
    /// Reads the text of a template.
    ///
    /// The text may be relaxed JSON: comments, trailing commas, keys without quotes, single quotes and line breaks
    /// in strings.
    pub fn read<'a>(text: impl Into<Source<'a>>, limits: &Limits) -> Result<Template, Vec<TemplateError>> {
        Template::read_file(text, 0, limits)
    }

    /// Reads the text of a template that is one of several files; places carry its number.
    pub fn read_file<'a>(
        text: impl Into<Source<'a>>,
        file: u32,
        limits: &Limits,
    ) -> Result<Template, Vec<TemplateError>> {
        let document = document(text, file, limits).map_err(|error| vec![error])?;
        let root = document.root().id();
        Template::from_document(Arc::new(document), root, limits)
    }

    /// Reads a template that is a part of a document, such as the body of a request.
    pub fn from_document(
        document: Arc<Document>,
        root: NodeId,
        limits: &Limits,
    ) -> Result<Template, Vec<TemplateError>> {
        read::template(document, root, 0, None, limits)
    }

    /// Reads the template of a nested deployment.
    ///
    /// Where the deployment's expressions are evaluated in the outer scope, references in it are held against
    /// what this template declares.
    pub fn nested(&self, nested: &Nested) -> Option<Result<Template, Vec<TemplateError>>> {
        let outer = if nested.inner_scope { None } else { Some(self) };
        let root = nested.template?;
        Some(read::template(Arc::clone(&self.document), root, self.level + 1, outer, &self.limits))
    }

    /// Reads the template of the nested deployment that is a resource of this template, once.
    pub(crate) fn nested_at(&self, resource: usize, nested: &Nested) -> ReadOnce {
        let read = || match self.nested(nested) {
            Some(Ok(template)) => Ok(Arc::new(template)),
            Some(Err(errors)) => Err(Arc::new(errors)),
            None => Err(Arc::new(Vec::new())),
        };
        match self.nested.get(resource) {
            Some(slot) => slot.get_or_init(read).clone(),
            None => read(),
        }
    }

    /// A function that the template defines, by whatever case.
    pub fn function(&self, namespace: &str, name: &str) -> Option<&Function> {
        self.functions.get(&smol_str::format_smolstr!("{namespace}.{name}"))
    }

    /// The limits that the template was read with.
    pub fn limits(&self) -> &Limits {
        &self.limits
    }

    /// The document that the template stands in, and where in it.
    pub fn source(&self) -> document::Value<'_> {
        self.document.value(self.root)
    }

    /// The declaration of a type, in the document.
    pub(crate) fn source_of(&self, ty: &Type) -> document::Value<'_> {
        self.document.value(ty.node)
    }

    /// The text of the template.
    pub fn text(&self) -> &str {
        let place = self.source().place();
        let (start, end) = (place.start as usize, place.end as usize);
        self.document.text().get(start..end).unwrap_or_default()
    }

    /// Where a part of the template stands, for a message.
    pub fn location(&self, span: Span) -> Location {
        locate::location(self.source(), span)
    }
}

/// Reads relaxed JSON, as templates and their parameters are written.
pub(crate) fn document<'a>(
    text: impl Into<Source<'a>>,
    file: u32,
    limits: &Limits,
) -> Result<Document, TemplateError> {
    let bounds = document::Limits { bytes: limits.bytes, depth: DEPTH, ..document::Limits::DEFAULT };
    Document::from_json_with(text, file, &bounds, JsonOptions::TEMPLATE).map_err(|error| {
        let location = Location {
            file,
            start: error.place.start,
            end: error.place.end,
            line: error.line,
            column: error.column,
            path: String::new(),
        };
        let message =
            format!("The text is not JSON: {error} (line {}, position {}).", error.line, error.column);
        let reported = TemplateError::new(code::INVALID_REQUEST_CONTENT, message).at(location);
        match error.hint {
            Some(hint) => reported.hint(hint),
            None => reported,
        }
    })
}
