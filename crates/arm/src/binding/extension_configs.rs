//! `extensionConfigs` of a parameters file: what the extensions of a template are configured with, and whether that is what
//! they can be configured with.

use std::borrow::Cow;
use std::collections::HashMap;

use contract::{Admitted, Boundary, OpenTerms, Path, admit};
use diagnostics::Message;
use document::NodeId;
use smol_str::SmolStr;

use super::BindingContext;
use super::inputs::{Inputs, LateReference, ParameterSource, SecretReference};
use super::names::BindingNames;
use crate::evaluate::{Evaluator, Reduced};
use crate::expression::Expression;
use crate::template::{
    AdmissionError, BreachKind, DeclaredSetting, ErrorLocation, Extension, Span, Template, TemplateError,
    TypeViolation, TypeWord, brief, code, locate,
};
use crate::value::folded;
use crate::{ObjectBuilder, Value};

/// One setting of an extension.
#[derive(Clone, Debug)]
pub(super) struct Setting {
    /// What the template calls the extension.
    pub(super) extension: SmolStr,
    pub(super) name: SmolStr,
    /// A value, or the secret of a key vault.
    pub(super) given: ParameterSource,
    /// Which of the documents it is in, if it is in one.
    pub(super) document: Option<usize>,
    /// Where its entry is.
    pub(super) place: Span,
    /// Its value in the entry.
    pub(super) value: Option<NodeId>,
}

impl Setting {
    /// The setting in words.
    pub(super) fn shown(&self) -> String {
        format!("'{}' of the extension '{}'", brief(&self.name), brief(&self.extension))
    }

    /// The path of the setting.
    pub(super) fn target(&self) -> String {
        let mut target = "extensionConfigs".to_owned();
        locate::push_name(&mut target, &brief(&self.extension));
        locate::push_name(&mut target, &brief(&self.name));
        target
    }
}

/// The settings of all extensions, each once.
#[derive(Clone, Debug, Default)]
pub(super) struct ExtensionSettings {
    all: Vec<Setting>,
    /// By extension and name, without regard to case.
    names: HashMap<(SmolStr, SmolStr), usize>,
}

impl ExtensionSettings {
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
    pub(super) fn extend(&mut self, other: ExtensionSettings, before: usize) {
        for setting in other.all {
            self.set(Setting { document: setting.document.map(|document| document + before), ..setting });
        }
    }

    pub(super) fn iter(&self) -> std::slice::Iter<'_, Setting> {
        self.all.iter()
    }

    fn has(&self, extension: &str, name: &str) -> bool {
        self.names.contains_key(&(folded(extension), folded(name)))
    }
}

/// The settings of an extension that is known without its template saying so.
struct KnownExtension {
    name: &'static str,
    settings: &'static [KnownSetting],
}

struct KnownSetting {
    name: &'static str,
    word: TypeWord,
    is_secure: bool,
    /// Whether null says that there is none.
    is_optional: bool,
}

/// The extensions whose settings are known: other settings than these they do not have.
const KNOWN: &[KnownExtension] = &[
    KnownExtension {
        name: "Kubernetes",
        settings: &[
            KnownSetting { name: "namespace", word: TypeWord::String, is_secure: false, is_optional: false },
            KnownSetting { name: "kubeConfig", word: TypeWord::String, is_secure: true, is_optional: false },
            KnownSetting { name: "context", word: TypeWord::String, is_secure: false, is_optional: true },
        ],
    },
    KnownExtension { name: "Radius", settings: &[] },
];

/// What the values of a setting look like.
enum Terms<'t> {
    /// As the template says.
    Declared(&'t DeclaredSetting),
    /// As the extension that everybody knows declares it.
    Known(&'static KnownSetting),
    /// Only the extension knows.
    Open,
}

/// The terms of a setting; none if the extension has no setting of that name.
fn terms<'t>(extension: &'t Extension, name: &str) -> Option<Terms<'t>> {
    if let Some(declared) = extension.settings.iter().find(|it| folded(&it.name) == folded(name)) {
        return Some(Terms::Declared(declared));
    }
    let known = known(extension);
    if let Some(setting) =
        known.and_then(|it| it.settings.iter().find(|it| it.name.eq_ignore_ascii_case(name)))
    {
        return Some(Terms::Known(setting));
    }
    let is_named = untyped(extension).any(|it| folded(&it) == folded(name));
    let is_open = extension.settings.is_empty() && known.is_none();
    (is_named || is_open).then_some(Terms::Open)
}

fn known(extension: &Extension) -> Option<&'static KnownExtension> {
    KNOWN.iter().find(|it| it.name.eq_ignore_ascii_case(&extension.name))
}

/// The settings that a template names, with or without a type.
fn untyped(extension: &Extension) -> impl Iterator<Item = SmolStr> {
    let config = extension.config.as_ref();
    let value = config.and_then(|config| config.as_value()).and_then(Value::as_object);
    let of_value = value.into_iter().flatten().map(|(name, _)| name.clone());
    of_value.chain(config.into_iter().flat_map(|config| config.members()).map(|(name, _)| name.clone()))
}

/// The names of all settings that an extension is known to have.
fn names(extension: &Extension) -> Vec<SmolStr> {
    let known =
        known(extension).into_iter().flat_map(|it| it.settings).map(|it| SmolStr::new_static(it.name));
    let mut names: Vec<SmolStr> = Vec::new();
    for name in untyped(extension).chain(known) {
        if !names.iter().any(|it| folded(it) == folded(&name)) {
            names.push(name);
        }
    }
    names
}

impl Inputs {
    /// Where settings of extensions are written.
    pub fn setting_places(&self) -> Vec<ErrorLocation> {
        self.settings.iter().filter_map(|setting| self.place_of(setting)).collect()
    }

    fn place_of(&self, setting: &Setting) -> Option<ErrorLocation> {
        let (document, root) = self.documents.get(setting.document?)?;
        Some(locate::location(document.value(*root), setting.place))
    }

    /// Where a part of the value of a setting is; the entry, if it is not written.
    fn place_in(&self, setting: &Setting, path: &Path) -> Option<ErrorLocation> {
        let (document, root) = self.documents.get(setting.document?)?;
        let part = super::written_part(document.value(setting.value?), path)?;
        Some(locate::location(document.value(*root), part.place().into()))
    }

    /// Gives a setting of an extension that is written nowhere; false if it is given already.
    pub(crate) fn configure(&mut self, extension: &str, name: &str, given: ParameterSource) -> bool {
        let is_new = !self.settings.has(extension, name);
        if is_new {
            let (extension, name) = (extension.into(), name.into());
            let setting =
                Setting { extension, name, given, document: None, place: Span::default(), value: None };
            self.settings.set(setting);
        }
        is_new
    }

    /// What a kept configuration of extensions gives, an object of `{"value": ..}` by extension and setting;
    /// all of it must be there if it is `complete`.
    pub(crate) fn of_configs(
        template: &Template,
        configs: &Value,
        complete: bool,
    ) -> Result<Inputs, TemplateError> {
        let wrong = |path: &[&str]| {
            let mut target = "extensionConfigs".to_owned();
            path.iter().for_each(|name| locate::push_name(&mut target, &brief(name)));
            let message = Message::sentence("The configuration of the extensions that was kept is not valid");
            TemplateError::invalid_template(message).target(target)
        };
        let mut inputs = Inputs::default();
        for (alias, settings) in configs.as_object().ok_or_else(|| wrong(&[]))? {
            for (name, entry) in settings.as_object().ok_or_else(|| wrong(&[alias]))? {
                let entry = entry.as_object().filter(|entry| entry.len() == 1);
                let value = entry.and_then(|entry| entry.get("value"));
                let given = ParameterSource::Value(value.ok_or_else(|| wrong(&[alias, name]))?.clone());
                if !inputs.configure(alias, name, given) {
                    return Err(wrong(&[alias, name]));
                }
            }
        }
        if !complete {
            for extension in &template.extensions {
                let later = Expression::call("extensions", [Expression::Text(extension.alias.clone())]);
                for setting in &extension.settings {
                    inputs.configure(&extension.alias, &setting.name, ParameterSource::Later(later.clone()));
                }
            }
        }
        Ok(inputs)
    }

    /// The secrets that settings refer to.
    pub(crate) fn setting_secrets(&self) -> impl Iterator<Item = &SecretReference> {
        self.settings.iter().filter_map(|setting| match &setting.given {
            ParameterSource::Reference(reference) => Some(reference),
            ParameterSource::Value(_)
            | ParameterSource::Expression(_)
            | ParameterSource::LateReference(_)
            | ParameterSource::Later(_) => None,
        })
    }

    /// The configuration of all extensions, an object of `{"value": ..}` by extension and setting, each held against what the
    /// extension can be configured with. What is not known is left out where not all has to be known.
    pub(crate) fn extension_configs(
        &self,
        template: &Template,
        surroundings: &BindingContext<'_>,
    ) -> Result<Value, Vec<TemplateError>> {
        if self.settings.all.is_empty() && template.extensions.iter().all(|it| it.settings.is_empty()) {
            return Ok(Value::object::<SmolStr>([]));
        }
        let names = BindingNames::new(template, surroundings.world);
        Evaluator::run_on(surroundings.budget, &names, surroundings.limits, |evaluator| {
            let mut configuring =
                Configuring { template, inputs: self, surroundings, evaluator, errors: Vec::new() };
            let configs = configuring.all();
            if configuring.errors.is_empty() { Ok(configs) } else { Err(configuring.errors) }
        })
    }
}

struct Configuring<'c> {
    template: &'c Template,
    inputs: &'c Inputs,
    surroundings: &'c BindingContext<'c>,
    evaluator: &'c Evaluator<'c>,
    errors: Vec<TemplateError>,
}

impl<'c> Configuring<'c> {
    fn all(&mut self) -> Value {
        let mut configs: Vec<(SmolStr, ObjectBuilder)> = Vec::new();
        let mut places: HashMap<SmolStr, usize> = HashMap::new();
        let most = self.template.limits().errors;
        for setting in self.inputs.settings.iter() {
            if self.errors.len() >= most {
                break;
            }
            if let Some(value) = self.setting(setting) {
                let at = *places.entry(folded(&setting.extension)).or_insert_with(|| {
                    configs.push((setting.extension.clone(), ObjectBuilder::default()));
                    configs.len() - 1
                });
                if let Some((_, config)) = configs.get_mut(at) {
                    config.set(setting.name.clone(), Value::object([("value", value.into_inner())]));
                }
            }
        }
        self.missing();
        Value::object(configs.into_iter().map(|(extension, config)| (extension, config.finish())))
    }

    /// Settings that have to be there and are not.
    fn missing(&mut self) {
        for extension in &self.template.extensions {
            for setting in &extension.settings {
                let is_needed = !setting.has_default && !setting.ty.nullable;
                if is_needed && !self.inputs.settings.has(&extension.alias, &setting.name) {
                    let message = Message::sentence(format!(
                        "The value for '{}' of the extension '{}' is not provided",
                        setting.name, extension.alias
                    ));
                    let error = TemplateError::invalid_template(message)
                        .target(format!("extensionConfigs.{}.{}", extension.alias, setting.name));
                    self.errors.push(error.at(self.template.location(extension.alias_span)));
                }
            }
        }
    }

    /// The value of a setting; none if it is not known, or wrong.
    fn setting(&mut self, setting: &Setting) -> Option<Admitted<Value>> {
        let Some(extension) = self.template.extensions.get(&setting.extension) else {
            let message = Message::sentence(format!(
                "The extension '{}' is configured, and the template has none of that name",
                brief(&setting.extension)
            ));
            self.wrong(setting, message);
            return None;
        };
        let Some(terms) = terms(extension, &setting.name) else {
            self.wrong(setting, unknown_setting(extension, setting));
            return None;
        };
        let (value, is_secret) = self.given(setting)?;
        let is_secure = match &terms {
            Terms::Declared(declared) => declared.ty.secure,
            Terms::Known(known) => known.is_secure,
            Terms::Open => false,
        };
        let value = if is_secret || is_secure { value.secret() } else { value };
        const SETTING: Boundary = Boundary::ExtensionSetting;
        let admitted = match terms {
            Terms::Declared(declared) => self.template.admit(SETTING, &declared.ty, value, self.evaluator),
            Terms::Known(known) if value.plain().is_null() && known.is_optional => return None,
            Terms::Known(known) => admit(SETTING, &known.word, value),
            Terms::Open => return Some(OpenTerms::admit(SETTING, value)),
        };
        let breaches = match admitted {
            Ok(admitted) => return Some(admitted),
            Err(AdmissionError::Broken(breaches)) => breaches,
            Err(AdmissionError::Unknown(paths)) => paths.into_iter().map(TypeViolation::unknown).collect(),
        };
        breaches.into_iter().for_each(|breach| self.breach(setting, breach));
        None
    }

    /// What is given for a setting, and whether it is a secret; none if it is not known, or wrong.
    fn given(&mut self, setting: &Setting) -> Option<(Value, bool)> {
        match &setting.given {
            ParameterSource::Value(value) => Some((value.clone(), false)),
            ParameterSource::Later(_) => None,
            // What comes from outside is as secret as the setting, and shown nowhere until that is known.
            ParameterSource::Expression(expression) => {
                let value = self.evaluated(setting, expression)?;
                Some((value.expose(), false))
            }
            ParameterSource::Reference(reference) => self.secret(setting, reference),
            ParameterSource::LateReference(late) => {
                let reference = self.address(setting, late)?;
                self.secret(setting, &reference)
            }
        }
    }

    fn address(&mut self, setting: &Setting, late: &LateReference) -> Option<SecretReference> {
        let mut part = |expression: &Expression| {
            let value = self.evaluated(setting, expression)?;
            let text = value.plain().as_str().map(SmolStr::from);
            if text.is_none() {
                let message = Message::sentence(format!(
                    "{} is not valid: the address of its secret is not a string",
                    setting.shown()
                ));
                self.wrong(setting, message);
            }
            text
        };
        let (vault, secret) = (part(&late.vault)?, part(&late.secret)?);
        let version = match &late.version {
            Some(version) => Some(part(version)?),
            None => None,
        };
        Some(SecretReference { vault, secret, version })
    }

    fn evaluated(&mut self, setting: &Setting, expression: &Expression) -> Option<Value> {
        let seen = self.inputs.seen_by(setting.document, self.surroundings.world);
        match self.evaluator.within(&seen, |evaluator| evaluator.reduce(expression)) {
            Ok(Reduced::Value(value)) => Some(value),
            Ok(Reduced::Expression(rest)) => {
                if self.surroundings.complete {
                    let keys = super::externals::constant_keys(&rest);
                    let keys: Vec<Cow<'_, str>> = keys.iter().map(|key| brief(key)).collect();
                    let message = Message::sentence(format!(
                        "{} needs external inputs that are missing: '{}'",
                        setting.shown(),
                        keys.join("', '")
                    ));
                    self.add(setting, TemplateError::new(code::EXTERNAL_INPUT_MISSING, message));
                }
                None
            }
            Err(error) => {
                self.wrong(setting, Message::sentence(format!("{} is not valid: {error}", setting.shown())));
                None
            }
        }
    }

    fn secret(&mut self, setting: &Setting, reference: &SecretReference) -> Option<(Value, bool)> {
        match (self.surroundings.secrets)(reference) {
            Some(Ok(value)) => Some((value, true)),
            Some(Err(error)) => {
                self.errors.push(error);
                None
            }
            None => {
                if self.surroundings.complete {
                    let message = Message::sentence(format!(
                        "The secret '{}' of the key vault '{}' for {} is not known",
                        reference.secret,
                        reference.vault,
                        setting.shown()
                    ));
                    self.wrong(setting, message);
                }
                None
            }
        }
    }

    fn breach(&mut self, setting: &Setting, breach: TypeViolation) {
        let message = breach.message.clone();
        let message = match breach.kind {
            BreachKind::Refused => message,
            BreachKind::Type | BreachKind::Validator | BreachKind::Failed | BreachKind::Duplicate => {
                message.behind(&format!("The provided value for {} is not valid. ", setting.shown()))
            }
        };
        let mut error =
            TemplateError::new(breach.kind.code(), message).target(breach.target(&setting.target()));
        error.at = self.inputs.place_in(setting, &breach.path).map(Box::new);
        error.rule = breach.rule.map(Box::new);
        self.errors.push(error);
    }

    fn wrong(&mut self, setting: &Setting, message: impl Into<Message>) {
        self.add(setting, TemplateError::invalid_template(message));
    }

    fn add(&mut self, setting: &Setting, error: TemplateError) {
        let error = error.target(setting.target());
        self.errors.push(match self.inputs.place_of(setting) {
            Some(location) => error.at(location),
            None => error,
        });
    }
}

fn unknown_setting(extension: &Extension, setting: &Setting) -> Message {
    let known = names(extension);
    let mut message =
        format!("The extension '{}' has no setting '{}'", brief(&setting.extension), brief(&setting.name));
    match (diagnostics::suggest(&setting.name, known.iter().map(SmolStr::as_str)), known.as_slice()) {
        (Some(meant), _) => {
            message.push_str(&format!("; did you mean '{meant}'?"));
            return message.into();
        }
        (None, []) => message.push_str("; it has none"),
        (None, known) => message.push_str(&format!("; it has '{}'", known.join("', '"))),
    }
    Message::sentence(message)
}
