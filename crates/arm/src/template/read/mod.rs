//! From a document to a template: all sections, and everything that is wrong with them.

mod expression;
mod members;
mod names;
mod nested;
mod problems;
mod resources;
mod schema;
mod sections;
mod tree;
mod validators;

use crate::evaluate::ExtraFunctions;
use std::collections::HashMap;
use std::sync::Arc;

use contract::Node;
use document::{Document, NodeId, SourceValue};

use super::error::TemplateError;
use super::json::Span;
use super::types::Validator;
use super::version::{Feature, LanguageVersion};
use super::{Content, ScopeKind, TemplateLimits};
use members::Unknown;
use names::TemplateNames;
use problems::{ErrorSection, Problems};
pub(in crate::template) use schema::follow;
pub(crate) use schema::member;
use sections::Configs;

/// The members of a template.
pub const SECTIONS: [&str; 14] = [
    "$schema",
    "languageVersion",
    "contentVersion",
    "apiProfile",
    "metadata",
    "definitions",
    "functions",
    "parameters",
    "variables",
    "extensions",
    "imports",
    "resources",
    "outputs",
    "asserts",
];

/// Reads the template that stands at a place of a document.
///
/// With an `outer` template, expressions see what that one declares.
pub(super) fn template(
    document: Arc<Document>,
    root: NodeId,
    level: usize,
    outer: Option<&Content>,
    limits: &TemplateLimits,
    extra: ExtraFunctions,
) -> Result<Content, Vec<TemplateError>> {
    let mut reader =
        TemplateReader { extra, is_nested: level > 0, ..TemplateReader::new(document.value(root), limits) };
    if level > limits.nesting {
        let message = format!("templates stand more than {} levels deep inside each other", limits.nesting);
        reader.problems.add(span(reader.root), ErrorSection::Template, message);
    }
    let mut template = Content {
        document: Arc::clone(&document),
        root,
        limits: *limits,
        extra,
        scope: ScopeKind::default(),
        version: LanguageVersion::default(),
        content_version: Default::default(),
        parameters: Default::default(),
        variables: Default::default(),
        functions: Default::default(),
        extensions: Default::default(),
        resources: Vec::new(),
        outputs: Default::default(),
        asserts: Default::default(),
        validators: Default::default(),
        types: Default::default(),
        hash: Default::default(),
        digest: Default::default(),
        nested: Vec::new(),
    };
    reader.template(&mut template, outer);
    template.validators = std::mem::take(&mut reader.validators);
    reader.problems.finish()?;
    template.nested.resize_with(template.resources.len(), Default::default);
    Ok(template)
}

/// A template that is being read.
pub(super) struct TemplateReader<'d> {
    root: SourceValue<'d>,
    limits: &'d TemplateLimits,
    version: LanguageVersion,
    /// What expressions can refer to.
    names: TemplateNames,
    definitions: Option<SourceValue<'d>>,
    problems: Problems<'d>,
    /// The loops around what is being read, the innermost last.
    loops: Vec<smol_str::SmolStr>,
    /// Whether the template leaves the versions of APIs to a profile.
    has_profile: bool,
    /// Whether what is read may never be evaluated: it stands in a branch.
    in_branch: bool,
    /// Whether expressions see what is around the nested deployment, its loop included.
    is_outer: bool,
    /// Whether the template stands in another one.
    is_nested: bool,
    /// The variables of the lambdas around a part of an expression.
    lambda_variables: Vec<smol_str::SmolStr>,
    /// Functions that a host adds to those of the template.
    extra: ExtraFunctions,
    validators: HashMap<u32, Validator>,
}

impl<'d> TemplateReader<'d> {
    fn new(root: SourceValue<'d>, limits: &'d TemplateLimits) -> TemplateReader<'d> {
        TemplateReader {
            root,
            limits,
            version: LanguageVersion::default(),
            names: TemplateNames::default(),
            definitions: None,
            problems: Problems::new(root, limits.errors),
            loops: Vec::new(),
            has_profile: false,
            in_branch: false,
            is_outer: false,
            is_nested: false,
            lambda_variables: Vec::new(),
            extra: ExtraFunctions::default(),
            validators: HashMap::new(),
        }
    }

    fn template(&mut self, template: &mut Content, outer: Option<&Content>) {
        if !matches!(self.root.node(), Node::Object(_)) {
            let message = format!("a template is an object, not {}", article(self.root));
            self.problems.add(span(self.root), ErrorSection::Template, message);
            return;
        }
        if let Some(version) = self.root.members().find(|(key, _)| is(*key, "languageVersion")) {
            self.language_version(version.1);
        }
        let strict =
            if self.version.has(Feature::StrictMembers) { Unknown::Refused } else { Unknown::Ignored };
        let [
            schema,
            _,
            content_version,
            api_profile,
            _,
            definitions,
            functions,
            parameters,
            variables,
            extensions,
            imports,
            resources,
            outputs,
            asserts,
        ] = self.members(self.root, SECTIONS, strict, ErrorSection::Template);
        let [functions, parameters, variables, outputs] =
            [functions, parameters, variables, outputs].map(Self::not_null);
        template.version = self.version;
        template.scope = self.schema_uri(schema);
        self.has_profile = api_profile.is_some_and(|profile| profile.as_str().is_some());
        template.content_version = match content_version.map(|value| (value, value.as_str())) {
            Some((_, Some(text))) => text.into(),
            Some((value, None)) => {
                self.wrong_kind(value, "`contentVersion`", "a string", ErrorSection::Template);
                Default::default()
            }
            None => {
                self.missing(self.root, "contentVersion", ErrorSection::Template);
                Default::default()
            }
        };
        self.names = self.declared_names(parameters, variables, functions);
        if let Some(outer) = outer {
            self.names.add(outer);
            self.is_outer = true;
        }
        if let Some(definitions) = definitions {
            self.definitions(definitions);
        }
        if let Some(functions) = functions {
            self.functions(functions, &mut template.functions);
        }
        if let Some(parameters) = parameters {
            self.parameters(parameters, &mut template.parameters);
        }
        if let Some(variables) = variables {
            self.variables(variables, &mut template.variables);
        }
        if let Some(extensions) = extensions {
            self.extensions(extensions, Configs::Declared, &mut template.extensions);
        }
        if let Some(imports) = imports {
            self.extensions(imports, Configs::Values, &mut template.extensions);
        }
        match resources {
            Some(resources) => self.resources(resources, template),
            None => self.missing(self.root, "resources", ErrorSection::Template),
        }
        if let Some(outputs) = outputs {
            self.outputs(outputs, &mut template.outputs);
        }
        if let Some(asserts) = asserts {
            self.asserts(asserts, &mut template.asserts);
        }
    }

    fn language_version(&mut self, value: SourceValue<'d>) {
        match value.as_str().map(LanguageVersion::parse) {
            Some(Some(version)) => self.version = version,
            Some(None) => {
                let known: Vec<&str> = LanguageVersion::names().collect();
                let message = format!(
                    "the language version '{}' is not known; there are '{}'",
                    value.as_str().unwrap_or_default(),
                    known.join(", ")
                );
                self.problems.add(span(value), ErrorSection::Template, message);
            }
            None => self.wrong_kind(value, "`languageVersion`", "a string", ErrorSection::Template),
        }
    }

    fn schema_uri(&mut self, schema: Option<SourceValue<'d>>) -> ScopeKind {
        let Some(schema) = schema else {
            self.missing(self.root, "$schema", ErrorSection::Template);
            return ScopeKind::default();
        };
        match schema.as_str().map(ScopeKind::from_schema) {
            Some(Some(scope)) => scope,
            // Where a nested template is deployed to is said by what is around it.
            Some(None) if self.is_nested => ScopeKind::default(),
            Some(None) => {
                let message = format!(
                    "Template schema '{}' is not supported. Supported versions are '{}'",
                    schema.as_str().unwrap_or_default(),
                    super::scope::VERSIONS.join(",")
                );
                self.problems.add(span(schema), ErrorSection::Template, message);
                ScopeKind::default()
            }
            None => {
                self.wrong_kind(schema, "`$schema`", "a string", ErrorSection::Template);
                ScopeKind::default()
            }
        }
    }
}

/// Where a value stands.
pub(super) fn span(value: SourceValue<'_>) -> Span {
    value.place().into()
}

/// Tells whether a key is a name, by whatever case.
fn is(key: SourceValue<'_>, name: &str) -> bool {
    key.as_str().is_some_and(|key| key.eq_ignore_ascii_case(name))
}

/// The kind of a value with its article, for messages.
pub(super) fn article(value: SourceValue<'_>) -> &'static str {
    match value.node() {
        Node::Null => "null",
        Node::Bool(_) => "a bool",
        Node::Int(_) | Node::UInt(_) => "an int",
        Node::Float(_) | Node::Decimal(_) => "a number",
        Node::Text(_) | Node::Bytes(_) => "a string",
        Node::List(_) => "an array",
        Node::Object(_) => "an object",
        Node::Unknown => "an unknown value",
    }
}
