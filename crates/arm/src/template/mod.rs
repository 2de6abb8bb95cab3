//! Templates: what they declare, with a place for everything, and what is wrong with them.
//!
//! [`Template::read`] takes template text, checks its structure and gives a [`Template`], or all errors at once. Strings are
//! read as expressions once and stay expressions in [`TemplateNode`] trees. The template of a nested deployment is not
//! looked into until somebody asks for it with [`Template::nested`]; it shares the document of its parent, so
//! that what is not deployed costs next to nothing.
//!
//! Names of members, parameters, variables, functions and the like do not depend on case.

mod declaration_map;
mod declares;
mod error;
mod json;
mod limits;
pub(crate) mod locate;
mod model;
pub(crate) mod options;
mod read;
mod reduce;
mod scope;
mod shared;
pub mod types;
mod version;

#[cfg(test)]
mod tests;

use crate::evaluate::ExtraFunctions;
use std::collections::HashMap;
use std::ops::Deref;
use std::sync::{Arc, OnceLock};

use document::{Document, DocumentText, FileId, JsonOptions, NodeId};
use smol_str::SmolStr;

pub use declaration_map::DeclarationMap;
pub use diagnostics::Message;
pub(crate) use error::brief;
pub use error::{ErrorLocation, TemplateError, code};
pub use json::{JsonKind, Loop, MemberName, Span, TemplateMember, TemplateNode};
pub use limits::TemplateLimits;
pub use locate::pointer_of_path;
pub use model::{
    Assert, DeclaredSetting, EvaluationScope, Extension, Function, Nested, OutputDeclaration, OutputValue,
    Parameter, Resource, ResourceLoop, ResourceOption, Variable, VariableValue,
};
pub use read::SECTIONS;
pub(crate) use read::member;
pub use scope::ScopeKind;
pub(crate) use types::part;
pub use types::{
    AdmissionError, BreachKind, OpenResourceTerms, OpenType, TypeDefinition, TypeViolation, TypeWord,
    Validator, ValidatorKind,
};
pub use version::{Feature, LanguageVersion};

/// How deep the text of a template may nest; nested templates count with what is around them.
const DEPTH: usize = 500;

/// A template: what it declares, and where it stands.
///
/// The same nested template is often part of many others. What it declares is then shared by all of them, and
/// only the places of errors tell them apart.
#[derive(Debug)]
pub struct Template {
    content: Arc<Content>,
    /// How many templates are around this one.
    level: usize,
    /// Where it stands, if that is not where its content was read.
    elsewhere: Option<Elsewhere>,
}

/// Where a template stands whose content was read at another place.
#[derive(Clone, Debug)]
struct Elsewhere {
    document: Arc<Document>,
    /// A part of the document that the template is inside of, or is.
    around: NodeId,
    /// How far behind the place where the content was read.
    shift: i64,
}

impl Elsewhere {
    fn moved(&self, offset: u32) -> u32 {
        u32::try_from(i64::from(offset) + self.shift).unwrap_or_default()
    }

    fn moved_span(&self, span: Span) -> Span {
        Span { start: self.moved(span.start), end: self.moved(span.end) }
    }
}

impl Deref for Template {
    type Target = Content;

    fn deref(&self) -> &Content {
        &self.content
    }
}

/// What a template declares.
#[derive(Debug)]
pub struct Content {
    /// The document that it was read from; all spans are places in it.
    pub(crate) document: Arc<Document>,
    pub(crate) root: NodeId,
    pub(crate) limits: TemplateLimits,
    /// Functions that a host adds, in nested templates as well.
    extra: ExtraFunctions,
    /// What it is deployed to.
    pub scope: ScopeKind,
    /// The version of the language.
    pub version: LanguageVersion,
    /// `contentVersion`, as its author counts.
    pub content_version: SmolStr,
    /// The parameters, in order.
    pub parameters: DeclarationMap<Parameter>,
    /// The variables, in order.
    pub variables: DeclarationMap<Variable>,
    /// The functions, in order, by `namespace.name`.
    pub functions: DeclarationMap<Function>,
    /// The extensions, in order, by alias.
    pub extensions: DeclarationMap<Extension>,
    /// The resources, in order; those that are written inside another one follow it.
    pub resources: Vec<Resource>,
    /// The outputs, in order.
    pub outputs: DeclarationMap<OutputDeclaration>,
    /// The asserts, in order.
    pub asserts: DeclarationMap<Assert>,
    /// The validators, by the offset at which they stand.
    pub(crate) validators: HashMap<u32, Validator>,
    /// The contracts of the types, once a value was held against one.
    pub(crate) types: OnceLock<types::TypeContracts>,
    /// Its hash, and a digest of its very text, once somebody asked.
    pub(crate) hash: OnceLock<u64>,
    pub(crate) digest: OnceLock<SmolStr>,
    /// The templates of nested deployments, by position of the resource, as far as they were asked for. They are kept here
    /// so that all deployments of this template share them: each iteration of a loop is one.
    nested: Vec<OnceLock<Result<NestedTemplate, Arc<Vec<TemplateError>>>>>,
}

/// The template of a nested deployment.
#[derive(Debug)]
struct NestedTemplate {
    content: Arc<Content>,
    /// How far behind the place where the content was read it stands.
    shift: i64,
}

/// What became of the template of a nested deployment.
pub(crate) type ReadOnce = Result<Arc<Template>, Arc<Vec<TemplateError>>>;

impl Template {
    /// Reads the text of a template.
    ///
    /// The text may be relaxed JSON: comments, trailing commas, keys without quotes, single quotes and line breaks in strings.
    pub fn read<'a>(
        text: impl Into<DocumentText<'a>>,
        limits: &TemplateLimits,
    ) -> Result<Template, Vec<TemplateError>> {
        Template::read_file(text, FileId::FIRST, limits)
    }

    /// Reads the text of a template that is one of several files; places carry its number.
    pub fn read_file<'a>(
        text: impl Into<DocumentText<'a>>,
        file: FileId,
        limits: &TemplateLimits,
    ) -> Result<Template, Vec<TemplateError>> {
        let document = document(text, file, limits).map_err(|error| vec![error])?;
        let root = document.root().id();
        Template::from_document(Arc::new(document), root, limits)
    }

    /// Reads the text of a template whose expressions have functions that a host adds.
    pub fn read_with<'a>(
        text: impl Into<DocumentText<'a>>,
        limits: &TemplateLimits,
        extra: ExtraFunctions,
    ) -> Result<Template, Vec<TemplateError>> {
        let document = document(text, FileId::FIRST, limits).map_err(|error| vec![error])?;
        let root = document.root().id();
        read::template(Arc::new(document), root, 0, None, limits, extra).map(Template::outermost)
    }

    /// Reads a template that is a part of a document, such as the body of a request.
    pub fn from_document(
        document: Arc<Document>,
        root: NodeId,
        limits: &TemplateLimits,
    ) -> Result<Template, Vec<TemplateError>> {
        read::template(document, root, 0, None, limits, ExtraFunctions::default()).map(Template::outermost)
    }

    fn outermost(content: Content) -> Template {
        Template { content: Arc::new(content), level: 0, elsewhere: None }
    }

    /// Reads the template of a nested deployment.
    ///
    /// Where the deployment's expressions are evaluated in the outer scope, references in it are held against
    /// what this template declares.
    pub fn nested(&self, nested: &Nested) -> Option<Result<Template, Vec<TemplateError>>> {
        let root = nested.template?;
        let read = self.read_inside(Arc::clone(&self.document), root, nested);
        Some(match (read, &self.elsewhere) {
            (Ok(content), _) => {
                Ok(self.nested_template(&NestedTemplate { content: Arc::new(content), shift: 0 }))
            }
            (Err(errors), None) => Err(errors),
            (Err(errors), Some(elsewhere)) => {
                Err(self.errors_elsewhere(root, nested, elsewhere).unwrap_or(errors))
            }
        })
    }

    fn read_inside(
        &self,
        document: Arc<Document>,
        root: NodeId,
        nested: &Nested,
    ) -> Result<Content, Vec<TemplateError>> {
        let outer = if nested.inner_scope { None } else { Some(&**self) };
        read::template(document, root, self.level + 1, outer, &self.limits, self.extra)
    }

    /// What is wrong with a nested template, with the places where it stands.
    fn errors_elsewhere(
        &self,
        root: NodeId,
        nested: &Nested,
        elsewhere: &Elsewhere,
    ) -> Option<Vec<TemplateError>> {
        let start = elsewhere.moved(self.document.value(root).place().start);
        let root = locate::part_at(elsewhere.document.value(elsewhere.around), start)?;
        self.read_inside(Arc::clone(&elsewhere.document), root.id(), nested).err()
    }

    /// The template of a nested deployment of this one.
    fn nested_template(&self, inner: &NestedTemplate) -> Template {
        let (document, around, shift) = match &self.elsewhere {
            Some(elsewhere) => (&elsewhere.document, elsewhere.around, elsewhere.shift + inner.shift),
            None => (&self.document, self.root, inner.shift),
        };
        let is_here = shift == 0 && Arc::ptr_eq(document, &inner.content.document);
        let elsewhere = (!is_here).then(|| Elsewhere { document: Arc::clone(document), around, shift });
        Template { content: Arc::clone(&inner.content), level: self.level + 1, elsewhere }
    }

    /// Reads the template of the nested deployment that is a resource of this template, once.
    pub(crate) fn nested_at(&self, resource: usize, nested: &Nested) -> ReadOnce {
        let slot = self.content.nested.get(resource).filter(|_| self.level < self.limits.nesting);
        if let Some(slot) = slot
            && let Some(root) = nested.template
        {
            match (slot.get_or_init(|| self.inner(root, nested)), &self.elsewhere) {
                (Ok(inner), _) => return Ok(Arc::new(self.nested_template(inner))),
                (Err(errors), None) => return Err(Arc::clone(errors)),
                (Err(_), Some(_)) => {}
            }
        }
        match self.nested(nested) {
            Some(Ok(template)) => Ok(Arc::new(template)),
            Some(Err(errors)) => Err(Arc::new(errors)),
            None => Err(Arc::new(Vec::new())),
        }
    }

    /// Reads the template of a nested deployment where the content of this one was read, or takes it from what was read before.
    fn inner(&self, root: NodeId, nested: &Nested) -> Result<NestedTemplate, Arc<Vec<TemplateError>>> {
        let read = || self.read_inside(Arc::clone(&self.document), root, nested);
        let content = if nested.inner_scope {
            shared::content(self.document.value(root), &self.limits, read)
        } else {
            // Its expressions are held against what this template declares.
            read().map(Arc::new)
        };
        let content = content.map_err(Arc::new)?;
        let start = |document: &Document, root| i64::from(document.value(root).place().start);
        let shift = start(&self.document, root) - start(&content.document, content.root);
        Ok(NestedTemplate { content, shift })
    }

    /// A function that the template defines, by whatever case.
    pub fn function(&self, namespace: &str, name: &str) -> Option<&Function> {
        self.functions.get(&smol_str::format_smolstr!("{namespace}.{name}"))
    }

    /// The function that a call means, if the template defines it.
    pub(crate) fn called(&self, call: &crate::expression::FunctionCall) -> Option<&Function> {
        self.function(call.namespace.as_deref().unwrap_or_default(), &call.name)
    }

    /// The limits that the template was read with.
    pub fn limits(&self) -> &TemplateLimits {
        &self.limits
    }

    /// The document that the template stands in, and where in it.
    pub fn source(&self) -> document::SourceValue<'_> {
        self.document.value(self.root)
    }

    /// The declaration of a type, in the document.
    pub(crate) fn source_of(&self, ty: &TypeDefinition) -> document::SourceValue<'_> {
        self.document.value(ty.node)
    }

    /// The hash that compiled templates carry; see [`crate::template_hash`].
    pub fn hash(&self) -> u64 {
        *self.hash.get_or_init(|| crate::template_hash::template_hash(self.source()))
    }

    /// What tells its text apart from every other one: the hash does not see case and blanks.
    pub fn digest(&self) -> &str {
        self.digest.get_or_init(|| crate::hash::guid([self.text()]).into())
    }

    /// The text of the template.
    pub fn text(&self) -> &str {
        let place = self.source().place();
        let (start, end) = (place.start as usize, place.end as usize);
        self.document.text().get(start..end).unwrap_or_default()
    }

    /// Whether the template, or one that is written inside of it, declares extensions.
    pub fn declares_extensions(&self) -> bool {
        declares::extensions(self.source())
    }

    /// Where a part of the template stands, for a message.
    pub fn location(&self, span: Span) -> ErrorLocation {
        let here = locate::location(self.source(), span);
        let Some(elsewhere) = &self.elsewhere else { return here };
        let span = elsewhere.moved_span(span);
        let (line, column) = elsewhere.document.position(span.start);
        ErrorLocation { span: span.in_file(elsewhere.document.file()), line, column, path: here.path }
    }

    /// The same, with the path from the root of the document that the template stands in.
    pub(crate) fn location_in_document(&self, span: Span) -> ErrorLocation {
        match &self.elsewhere {
            None => locate::location(self.document.root(), span),
            Some(elsewhere) => locate::location(elsewhere.document.root(), elsewhere.moved_span(span)),
        }
    }
}

/// Reads relaxed JSON, as templates and their parameters are written.
pub(crate) fn document<'a>(
    text: impl Into<DocumentText<'a>>,
    file: FileId,
    limits: &TemplateLimits,
) -> Result<Document, TemplateError> {
    let bounds = document::ReadLimits { bytes: limits.bytes, depth: DEPTH, ..document::ReadLimits::DEFAULT };
    Document::from_json_with(text, file, &bounds, JsonOptions::TEMPLATE).map_err(|error| {
        let location =
            ErrorLocation { span: error.place, line: error.line, column: error.column, path: String::new() };
        let message =
            format!("The text is not JSON: {error} (line {}, position {})", error.line, error.column);
        let message = Message::sentence(message);
        let reported = TemplateError::new(code::INVALID_REQUEST_CONTENT, message).at(location);
        match error.hint {
            Some(hint) => reported.hint(hint),
            None => reported,
        }
    })
}
