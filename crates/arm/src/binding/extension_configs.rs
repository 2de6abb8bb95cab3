//! `extensionConfigs` of a parameters file: what the extensions of a template are configured with.

use std::collections::HashMap;

use smol_str::SmolStr;

use super::inputs::{Given, Inputs, SecretReference};
use crate::template::{Extension, Location, Span, Template, TemplateError, locate};
use crate::value::folded;
use crate::{ObjectBuilder, Value};

/// One setting of an extension.
#[derive(Clone, Debug)]
pub(super) struct Setting {
    /// What the template calls the extension.
    pub(super) extension: SmolStr,
    pub(super) name: SmolStr,
    /// A value, or the secret of a key vault.
    pub(super) given: Given,
    /// Which of the documents it is in, and where.
    pub(super) document: usize,
    pub(super) place: Span,
}

/// The settings of all extensions, each once.
#[derive(Clone, Debug, Default)]
pub(super) struct Settings {
    all: Vec<Setting>,
    /// By extension and name, without regard to case.
    names: HashMap<(SmolStr, SmolStr), usize>,
}

impl Settings {
    /// Gives a setting, in place of what is given for it so far.
    pub(super) fn set(&mut self, setting: Setting) {
        let name = (folded(&setting.extension), folded(&setting.name));
        match self.names.get(&name).and_then(|at| self.all.get_mut(*at)) {
            Some(known) => *known = setting,
            None => {
                self.names.insert(name, self.all.len());
                self.all.push(setting);
            }
        }
    }

    /// Adds those of another file, whose documents come after these.
    pub(super) fn extend(&mut self, other: Settings, before: usize) {
        for setting in other.all {
            self.set(Setting { document: setting.document + before, ..setting });
        }
    }
}

impl Inputs {
    /// Where settings of extensions are written.
    pub fn setting_places(&self) -> Vec<Location> {
        let settings = self.settings.all.iter();
        let places = settings.filter_map(|setting| {
            let (document, root) = self.documents.get(setting.document)?;
            Some(locate::location(document.value(*root), setting.place))
        });
        places.collect()
    }

    /// Tells whether any extension is configured.
    pub(crate) fn configures(&self) -> bool {
        !self.settings.all.is_empty()
    }

    /// The configuration of all extensions, an object of `{"value": ..}` by extension and setting.
    ///
    /// `secrets` fetches what a setting refers to in a key vault; what is not known is left out where not all has to be known.
    pub(crate) fn extension_configs(
        &self,
        template: &Template,
        complete: bool,
        secrets: &dyn Fn(&SecretReference) -> Option<Result<Value, TemplateError>>,
    ) -> Result<Value, Vec<TemplateError>> {
        let mut errors = Vec::new();
        let mut configs: Vec<(SmolStr, ObjectBuilder)> = Vec::new();
        let mut places: HashMap<SmolStr, usize> = HashMap::new();
        for Setting { extension, name, given, document, place } in &self.settings.all {
            let wrong = |message: String| {
                let error = TemplateError::invalid_template(message);
                match self.documents.get(*document) {
                    Some((document, root)) => error.at(locate::location(document.value(*root), *place)),
                    None => error,
                }
            };
            let Some(declared) = template.extensions.get(extension) else {
                errors.push(wrong(format!(
                    "The extension '{extension}' is configured, and the template has none of that name."
                )));
                continue;
            };
            let value = match given {
                Given::Value(value) if is_secure(declared, name) => Some(Ok(value.clone().secret())),
                Given::Value(value) => Some(Ok(value.clone())),
                Given::Reference(reference) => match secrets(reference) {
                    Some(Ok(value)) => Some(Ok(value.secret())),
                    Some(Err(error)) => Some(Err(error)),
                    None if complete => Some(Err(wrong(format!(
                        "The secret '{}' of the key vault '{}' for '{name}' of the extension '{extension}' is not known.",
                        reference.secret, reference.vault
                    )))),
                    None => None,
                },
                Given::LateReference(_) | Given::Expression(_) | Given::Later(_) => Some(Err(wrong(
                    format!("'{name}' of the extension '{extension}' must not be an expression."),
                ))),
            };
            match value {
                Some(Ok(value)) => {
                    let entry = Value::object([("value", value)]);
                    let at = *places.entry(folded(extension)).or_insert_with(|| {
                        configs.push((extension.clone(), ObjectBuilder::default()));
                        configs.len() - 1
                    });
                    if let Some((_, config)) = configs.get_mut(at) {
                        config.set(name.clone(), entry);
                    }
                }
                Some(Err(error)) => errors.push(error),
                None => {}
            }
        }
        if !errors.is_empty() {
            return Err(errors);
        }
        Ok(Value::object(configs.into_iter().map(|(extension, config)| (extension, config.finish()))))
    }
}

/// Tells whether an extension declares a setting as a secret.
fn is_secure(extension: &Extension, name: &str) -> bool {
    let setting = extension.config.as_ref().and_then(|config| match config.as_value() {
        Some(config) => config.as_object()?.get(name)?.as_object()?.get("type")?.as_str().map(str::to_owned),
        None => config.member(name)?.member("type")?.as_str().map(str::to_owned),
    });
    setting.is_some_and(|ty| ["securestring", "secureobject"].contains(&ty.to_ascii_lowercase().as_str()))
}
