//! Values for parameters as parameters files, requests and command lines give them.

use std::collections::HashMap;
use std::sync::Arc;

use contract::Path;
use document::{Document, DocumentText, FileId, NodeId};
use smol_str::SmolStr;

use super::extension_configs::ExtensionSettings;
use super::externals::Externals;
use super::read::{self, ParameterObject};
use crate::expression::Expression;
use crate::hash;
use crate::template::{ErrorLocation, Parameter, Span, Template, TemplateError, TemplateLimits, locate};
use crate::value::{Value, folded};

/// What is given for the parameters of a template.
#[derive(Clone, Debug, Default)]
pub struct Inputs {
    inputs: Vec<Input>,
    names: HashMap<SmolStr, usize>,
    /// The texts that the inputs are from, and what in each of them paths start from.
    pub(super) documents: Vec<(Arc<Document>, NodeId)>,
    pub(super) externals: Externals,
    /// What a compiled parameters file says behind `using` about its deployment.
    pub(super) using_config: Option<ParameterSource>,
    /// What the extensions of the template are configured with.
    pub(super) settings: ExtensionSettings,
}

/// What is given for one parameter.
#[derive(Clone, Debug)]
pub struct Input {
    /// The name as given.
    pub name: SmolStr,
    /// The value, or where it is to come from.
    pub given: ParameterSource,
    /// Where it is written, if it is.
    places: Option<InputLocations>,
}

/// Where an input is written.
#[derive(Clone, Copy, Debug)]
pub(super) struct InputLocations {
    /// Which of the documents it is in.
    pub(super) document: usize,
    pub(super) name: Span,
    pub(super) value: NodeId,
}

impl Input {
    /// Which of the documents it is in.
    pub(super) fn document(&self) -> Option<usize> {
        self.places.map(|places| places.document)
    }
}

/// One way to give a value.
#[derive(Clone, Debug)]
pub enum ParameterSource {
    /// The value itself, in which strings are not expressions.
    Value(Value),
    /// An expression that is evaluated before anything else, with external inputs.
    Expression(Expression),
    /// A secret of a key vault.
    Reference(SecretReference),
    /// A secret of a key vault whose address is an expression, with external inputs.
    LateReference(Box<LateReference>),
    /// What an expression of the deployment around will give, which is not known yet.
    Later(Expression),
}

impl ParameterSource {
    /// The expressions that are evaluated before anything else.
    pub(super) fn expressions(&self) -> Vec<&Expression> {
        match self {
            ParameterSource::Expression(expression) => vec![expression],
            ParameterSource::LateReference(reference) => reference.expressions().collect(),
            ParameterSource::Value(_) | ParameterSource::Reference(_) | ParameterSource::Later(_) => {
                Vec::new()
            }
        }
    }
}

/// A secret in a key vault.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct SecretReference {
    /// The id of the vault.
    pub vault: SmolStr,
    /// The name of the secret.
    pub secret: SmolStr,
    /// Its version; none means the newest.
    pub version: Option<SmolStr>,
}

impl SecretReference {
    /// A secret that stands for it where nobody knows it: the same each time, and of the kind that rules for passwords ask for.
    pub fn simulated(&self) -> Value {
        let guid = hash::guid([self.vault.as_str(), self.secret.as_str()]);
        Value::text(format!("S1-{}", guid.get(..13).unwrap_or_default())).secret()
    }
}

/// A secret in a key vault whose address is worked out before anything else.
#[derive(Clone, Debug)]
pub struct LateReference {
    /// The id of the vault.
    pub vault: Expression,
    /// The name of the secret.
    pub secret: Expression,
    /// Its version; none means the newest.
    pub version: Option<Expression>,
}

impl LateReference {
    /// All expressions in it that have to be evaluated.
    pub(super) fn expressions(&self) -> impl Iterator<Item = &Expression> {
        [&self.vault, &self.secret].into_iter().chain(&self.version)
    }
}

/// A text as a document, with its root.
fn document<'a>(
    text: impl Into<DocumentText<'a>>,
    file: FileId,
    limits: &TemplateLimits,
) -> Result<(Arc<Document>, NodeId), Vec<TemplateError>> {
    let document = crate::template::document(text, file, limits).map_err(|error| vec![error])?;
    let root = document.root().id();
    Ok((Arc::new(document), root))
}

impl Inputs {
    /// Reads a parameters file.
    pub fn read<'a>(
        text: impl Into<DocumentText<'a>>,
        file: FileId,
        limits: &TemplateLimits,
    ) -> Result<Inputs, Vec<TemplateError>> {
        let (document, root) = document(text, file, limits)?;
        Inputs::from_document(document, root)
    }

    /// Reads JSON that people wrote by hand; see [`Inputs::from_handwritten`].
    pub fn read_handwritten<'a>(
        text: impl Into<DocumentText<'a>>,
        file: FileId,
        limits: &TemplateLimits,
    ) -> Result<Inputs, Vec<TemplateError>> {
        let (document, root) = document(text, file, limits)?;
        Inputs::from_handwritten(document, root)
    }

    /// Reads a parameters file that is a document.
    pub fn from_document(document: Arc<Document>, root: NodeId) -> Result<Inputs, Vec<TemplateError>> {
        Inputs::framed(document, root, ParameterObject::File)
    }

    /// Reads `properties` of a request; whoever calls has looked at the names of its members.
    pub fn from_request(document: Arc<Document>, properties: NodeId) -> Result<Inputs, Vec<TemplateError>> {
        Inputs::framed(document, properties, ParameterObject::Request)
    }

    fn framed(
        document: Arc<Document>,
        root: NodeId,
        frame: ParameterObject,
    ) -> Result<Inputs, Vec<TemplateError>> {
        let mut inputs = Inputs { documents: vec![(Arc::clone(&document), root)], ..Inputs::default() };
        read::file(document.value(root), frame, &mut inputs).map(|()| inputs)
    }

    /// Reads what people write by hand: a parameters file, or an object of plain values by name.
    ///
    /// It is a parameters file if it has `parameters`, `$schema` or external inputs. Among plain values an object with
    /// nothing but `value`, `reference` or `expression` is an entry as parameters files have it.
    pub fn from_handwritten(document: Arc<Document>, root: NodeId) -> Result<Inputs, Vec<TemplateError>> {
        let written = document.value(root);
        if read::is_file(written) {
            return Inputs::from_document(document, root);
        }
        let mut inputs = Inputs { documents: vec![(Arc::clone(&document), root)], ..Inputs::default() };
        read::plain(written, &mut inputs).map(|()| inputs)
    }

    /// Reads an object of values by name, in which nothing is an entry of a parameters file.
    pub fn from_values(document: Arc<Document>, root: NodeId) -> Result<Inputs, Vec<TemplateError>> {
        let mut inputs = Inputs { documents: vec![(Arc::clone(&document), root)], ..Inputs::default() };
        read::values(document.value(root), &mut inputs).map(|()| inputs)
    }

    /// Tells whether a place is in one of the texts that the inputs are from.
    pub(super) fn holds(&self, location: &ErrorLocation) -> bool {
        self.documents.iter().any(|(document, _)| document.file() == location.span.file)
    }

    /// Gives a value, in place of what is given for that parameter so far.
    pub fn set(&mut self, name: &str, value: Value) {
        self.set_source(name, ParameterSource::Value(value));
    }

    /// Gives a value that is a document of its own, in place of what is given for that parameter so far, so that errors can say
    /// where in it they are.
    pub fn set_written(&mut self, name: &str, value: Value, document: Arc<Document>) {
        self.set_source(name, ParameterSource::Value(value));
        let (root, place) = (document.root().id(), document.root().place());
        let name_place = Span::from(place);
        let places = InputLocations { document: self.documents.len(), name: name_place, value: root };
        self.documents.push((document, root));
        if let Some(input) = self.names.get(&folded(name)).and_then(|at| self.inputs.get_mut(*at)) {
            input.places = Some(places);
        }
    }

    /// Gives something, in place of what is given for that parameter so far.
    pub fn set_source(&mut self, name: &str, given: ParameterSource) {
        match self.names.get(&folded(name)).and_then(|at| self.inputs.get_mut(*at)) {
            Some(input) => {
                input.given = given;
                input.places = None;
            }
            None => self.push(name, given, None),
        }
    }

    /// Adds what another file gives, in place of what is given for those parameters so far.
    pub fn extend(&mut self, other: Inputs) {
        let before = self.documents.len();
        self.documents.extend(other.documents);
        for mut input in other.inputs {
            if let Some(places) = &mut input.places {
                places.document += before;
            }
            match self.names.get(&folded(&input.name)).and_then(|at| self.inputs.get_mut(*at)) {
                Some(known) => *known = input,
                None => {
                    self.names.insert(folded(&input.name), self.inputs.len());
                    self.inputs.push(input);
                }
            }
        }
        self.externals.extend(other.externals, before);
        self.using_config = self.using_config.take().or(other.using_config);
        self.settings.extend(other.settings, before);
    }

    /// The same, given for parameters of other names.
    pub(crate) fn renamed(mut self, name: impl Fn(&SmolStr) -> SmolStr) -> Inputs {
        for input in &mut self.inputs {
            input.name = name(&input.name);
        }
        self.names = self.inputs.iter().enumerate().map(|(at, input)| (folded(&input.name), at)).collect();
        self
    }

    /// Where the value of a parameter is written; none if it is not given, or not in a text.
    pub fn location_of(&self, name: &str) -> Option<ErrorLocation> {
        self.location(self.get(name)?, &Path::default())
    }

    /// Where values stand that nobody may show: those of external inputs and of extensions, of parameters that have secrets, and, if a
    /// parameter has, of all that the template does not have: each of them may be the secret one, misspelt.
    pub fn secret_places(&self, template: &Template) -> Vec<ErrorLocation> {
        let is_secret = |parameter: &&Parameter| template.has_secrets(&parameter.ty);
        let has_secrets = template.parameters.iter().any(|parameter| is_secret(&parameter));
        let hidden = |input: &&Input| match template.parameters.get(&input.name) {
            Some(parameter) => is_secret(&parameter),
            None => has_secrets,
        };
        let values = self.inputs.iter().filter(hidden);
        let values = values.filter_map(|input| self.location(input, &Path::default()));
        values.chain(self.external_value_places()).chain(self.setting_places()).collect()
    }

    /// What is given, in order.
    pub fn iter(&self) -> std::slice::Iter<'_, Input> {
        self.inputs.iter()
    }

    /// What is given for a parameter, by whatever case.
    pub fn get(&self, name: &str) -> Option<&Input> {
        self.names.get(&folded(name)).and_then(|at| self.inputs.get(*at))
    }

    /// Where a part of a given value stands.
    pub(super) fn location(&self, input: &Input, path: &Path) -> Option<ErrorLocation> {
        let places = input.places?;
        let (document, root) = self.documents.get(places.document)?;
        let place = super::written_part(document.value(places.value), path)?.place();
        Some(locate::location(document.value(*root), place.into()))
    }

    /// Where the name of a parameter is given.
    pub(super) fn location_of_name(&self, input: &Input) -> Option<ErrorLocation> {
        let places = input.places?;
        let (document, root) = self.documents.get(places.document)?;
        Some(locate::location(document.value(*root), places.name))
    }

    pub(super) fn push(&mut self, name: &str, given: ParameterSource, places: Option<InputLocations>) {
        self.names.insert(folded(name), self.inputs.len());
        self.inputs.push(Input { name: name.into(), given, places });
    }
}
