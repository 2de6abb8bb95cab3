//! What a deployment inside another one is given: entries of parameters, of a linked parameters file and of extensions.

use std::collections::HashMap;
use std::sync::Arc;

use document::FileId;
use smol_str::SmolStr;

use super::nested::{INVALID_CONTENT_LINK, NestedExpansion};
use super::partial::{Partial, PartialName};
use super::run::{ResourceLookup, Runtime, StepError};
use super::walk::Located;
use crate::binding::entry::{self, EntryForm, EntryPart, EntrySource, PARAMETER, SETTING, Strings};
use crate::binding::{Input, Inputs, ParameterSource, SecretReference};
use crate::evaluate::Reduced;
use crate::expression::Expression;
use crate::template::{JsonKind, Template, TemplateError, TemplateNode, brief, code};
use crate::value::{Value, folded};

/// What a deployment is given for its parameters and its extensions.
#[derive(Default)]
pub(super) struct GivenInputs {
    inputs: Inputs,
    /// Whether the names of parameters come from a secret.
    names_are_secret: bool,
}

impl GivenInputs {
    /// The inputs. A name that the template does not know will be complained about: it is not told if it comes from a secret.
    pub(super) fn of(self, template: &Template) -> Inputs {
        if !self.names_are_secret {
            return self.inputs;
        }
        let is_known = |name: &str| template.parameters.get(name).is_some();
        self.inputs.renamed(|name| if is_known(name) { name.clone() } else { contract::MASK.into() })
    }
}

impl NestedExpansion<'_> {
    /// What the parameters file that a link leads to gives; none if there is no link, or if it is not known where it leads.
    fn linked_inputs(&self, properties: Option<&TemplateNode>) -> Result<Option<Inputs>, StepError> {
        let link = match self.member(properties, "parametersLink")? {
            Some(Partial::Value(link)) if !link.is_null() => link,
            Some(_) | None => return Ok(None),
        };
        let Some(address) = self.address(&link) else {
            let message = "`parametersLink` has no `uri`".to_owned();
            return Err(self.whole(code::INVALID_TEMPLATE, message));
        };
        let content = self.linked(&address)?;
        let limits = self.around.deployment.template.limits();
        let unreadable = |why: &str| {
            let message = format!("The parameters at '{}' cannot be read: {why}", address.shown());
            self.whole(INVALID_CONTENT_LINK, message)
        };
        let document = crate::template::document(content.to_string(), FileId::NONE, limits);
        let document = Arc::new(document.map_err(|error| unreadable(&error.message))?);
        let root = document.root();
        let member = |name: &str| crate::template::member(root, name);
        let version = member("contentVersion").and_then(|version| version.as_str()).unwrap_or_default();
        self.check_version("parameters file", &address, &link, version)?;
        if !member("parameters").is_some_and(|it| matches!(it.node(), contract::Node::Object(_))) {
            return Err(unreadable("it has no `parameters`"));
        }
        let inputs = Inputs::from_document(Arc::clone(&document), root.id());
        inputs.map(Some).map_err(|errors| {
            let why = errors.first().map(|error| error.message.clone()).unwrap_or_default();
            // Places in the file would be taken for places in the template.
            let details = errors.into_iter().map(|error| TemplateError { at: None, ..error }).collect();
            match unreadable(&why) {
                StepError::Whole(error) => StepError::Whole(Box::new(error.details(details))),
                other => other,
            }
        })
    }

    /// What the deployment is given for the parameters and the extensions of its template.
    pub(super) fn given(
        &self,
        properties: Option<&TemplateNode>,
        template: Option<&Template>,
    ) -> Result<GivenInputs, StepError> {
        let written = self.member(properties, "parameters")?;
        let linked = self.linked_inputs(properties)?;
        let is_given = written.as_ref().is_some_and(|written| match written {
            Partial::Value(value) => value.as_object().is_some_and(|members| !members.is_empty()),
            Partial::Expression(_) | Partial::Array(_) | Partial::Object(_) => true,
        });
        if is_given && linked.is_some() {
            let message = "a deployment has either `parameters` or `parametersLink`, not both".to_owned();
            return Err(self.whole(code::INVALID_TEMPLATE, message));
        }
        let mut given = match linked {
            Some(inputs) => GivenInputs { inputs, names_are_secret: false },
            None => self.written_inputs(properties, written, template)?,
        };
        if !self.configure(properties, &mut given.inputs)? {
            // Any setting may be among what is not known.
            for extension in template.into_iter().flat_map(|template| template.extensions.iter()) {
                let later = Expression::call("extensions", [Expression::Text(extension.alias.clone())]);
                for setting in &extension.settings {
                    given.inputs.configure(
                        &extension.alias,
                        &setting.name,
                        ParameterSource::Later(later.clone()),
                    );
                }
            }
        }
        Ok(given)
    }

    /// What is given in the template around.
    fn written_inputs(
        &self,
        properties: Option<&TemplateNode>,
        written: Option<Partial>,
        template: Option<&Template>,
    ) -> Result<GivenInputs, StepError> {
        let names_are_secret = matches!(&written, Some(Partial::Value(value)) if value.is_secret());
        let mut inputs = Inputs::default();
        let members = match written {
            None | Some(Partial::Value(Value::Null)) => Vec::new(),
            Some(Partial::Expression(expression)) => {
                // Any of the parameters may be in it.
                for parameter in template.into_iter().flat_map(|template| template.parameters.iter()) {
                    let entry = expression.clone().property(parameter.name.clone());
                    inputs.set_source(&parameter.name, ParameterSource::Later(entry.property("value")));
                }
                return Ok(GivenInputs { inputs, names_are_secret });
            }
            Some(written) => members_of(written).ok_or_else(|| {
                self.whole(code::INVALID_TEMPLATE, "`parameters` must be an object".to_owned())
            })?,
        };
        let raw = raw_members(properties.and_then(|properties| properties.member("parameters")));
        let mut has_unknown_names = false;
        for (name, entry) in members {
            let PartialName::Text(name) = name else {
                has_unknown_names = true;
                continue;
            };
            let shown =
                if names_are_secret { SmolStr::new_static(contract::MASK) } else { brief(&name).into() };
            if let Some(first) = inputs.get(&name) {
                let first = if names_are_secret { contract::MASK.into() } else { brief(&first.name) };
                let message = format!(
                    "the parameter '{shown}' is given twice, also as '{first}'; names do not depend on case"
                );
                return Err(self.wrong(code::INVALID_PARAMETER_KEY, message, &["parameters", &shown]));
            }
            match self.entry(PARAMETER, raw.get(&name).copied(), entry) {
                Ok(Some(given)) => inputs.set_source(&name, given),
                Ok(None) => {
                    let kept = Expression::call("parameters", [Expression::Text(name.clone())]);
                    inputs.set_source(&name, ParameterSource::Later(kept));
                }
                Err((message, member)) => {
                    let message = format!("the entry of the parameter '{shown}' {message}");
                    let mut path = vec!["parameters", shown.as_str()];
                    path.extend(member.as_deref());
                    return Err(self.wrong(code::INVALID_PARAMETER_VALUE, message, &path));
                }
            }
        }
        if has_unknown_names {
            // Any of the others may be what an unknown name means.
            for parameter in template.into_iter().flat_map(|template| template.parameters.iter()) {
                if inputs.get(&parameter.name).is_none() {
                    let kept = Expression::call("parameters", [Expression::Text(parameter.name.clone())]);
                    inputs.set_source(&parameter.name, ParameterSource::Later(kept));
                }
            }
        }
        Ok(GivenInputs { inputs, names_are_secret })
    }

    /// Adds how the extensions of the template are configured; whether all of it is known.
    fn configure(&self, properties: Option<&TemplateNode>, inputs: &mut Inputs) -> Result<bool, StepError> {
        let wrong = |message: String, path: &[&str]| self.wrong(code::INVALID_TEMPLATE, message, path);
        const SECTION: &str = "extensionConfigs";
        let raw = properties.and_then(|properties| properties.member(SECTION));
        let configs = match self.member(properties, SECTION)? {
            None | Some(Partial::Value(Value::Null)) => return Ok(true),
            // What is not known is asked for, or only predicted.
            Some(Partial::Expression(_)) => return Ok(false),
            Some(configs) => members_of(configs)
                .ok_or_else(|| wrong("`extensionConfigs` must be an object".to_owned(), &[SECTION]))?,
        };
        let mut aliases: HashMap<SmolStr, SmolStr> = HashMap::new();
        let mut is_known = true;
        for (alias, settings) in configs {
            let PartialName::Text(alias) = alias else {
                is_known = false;
                continue;
            };
            let shown = brief(&alias);
            if let Some(first) = aliases.insert(folded(&alias), alias.clone()) {
                let message = format!(
                    "the extension '{shown}' is configured twice, also as '{}'; names do not depend on case",
                    brief(&first)
                );
                return Err(wrong(message, &[SECTION, &shown]));
            }
            let raw = raw_members(raw.and_then(|raw| raw.member(&alias)));
            let settings = match settings {
                Partial::Expression(_) => {
                    is_known = false;
                    continue;
                }
                settings => members_of(settings).ok_or_else(|| {
                    let message = format!("the configuration of the extension '{shown}' must be an object");
                    wrong(message, &[SECTION, &shown])
                })?,
            };
            for (name, entry) in settings {
                let PartialName::Text(name) = name else {
                    is_known = false;
                    continue;
                };
                let setting = brief(&name);
                let raw = raw.get(&name).copied();
                let made = match passed_on(raw, &entry) {
                    true => Ok(Some(given(entry))),
                    false => self.entry(SETTING, raw, entry),
                };
                let given = made.map_err(|(message, member)| {
                    let message =
                        format!("'{setting}' of the extension '{shown}' is not valid: its entry {message}");
                    let mut path = vec![SECTION, &*shown, &*setting];
                    path.extend(member.as_deref());
                    wrong(message, &path)
                })?;
                let given = given.unwrap_or_else(|| {
                    ParameterSource::Later(Expression::call("extensions", [Expression::Text(alias.clone())]))
                });
                if !inputs.configure(&alias, &name, given) {
                    let message = format!(
                        "'{setting}' of the extension '{shown}' is given twice; names do not depend on case"
                    );
                    return Err(wrong(message, &[SECTION, &shown, &setting]));
                }
            }
        }
        Ok(is_known)
    }

    /// What an entry gives; none if that is not known. `raw` is the entry as it is written, if it is written in place.
    ///
    /// An error is what the entry does wrong, and the member that is wrong.
    fn entry(
        &self,
        form: EntryForm,
        raw: Option<&TemplateNode>,
        entry: Partial,
    ) -> Result<Option<ParameterSource>, (String, Option<SmolStr>)> {
        let members = match entry {
            Partial::Expression(expression) => match unknown_entry(&expression) {
                Ok(members) => members,
                Err(given) => return Ok(Some(given)),
            },
            Partial::Value(value) if value.plain().as_object().is_none() => {
                return Err((form.not_an_object(value.plain().kind()), None));
            }
            entry => members_of(entry).ok_or_else(|| (form.not_an_object("Array"), None))?,
        };
        let mut named = Vec::with_capacity(members.len());
        for (name, part) in members {
            match name {
                PartialName::Text(name) => named.push((name, part)),
                // It may be any of them.
                PartialName::Expression(_) => return Ok(None),
            }
        }
        let read = form.read(named.iter().map(|(name, part)| (name.as_str(), part)));
        let (way, part) = read.map_err(|flaw| (flaw.message, flaw.member.map(|(name, _)| name)))?;
        let member = || named.iter().find(|(_, it)| std::ptr::eq(it, part)).map(|(name, _)| name.clone());
        let wrong = |message: String| (format!("is not valid: {message}"), member());
        let given = match (way, part.clone()) {
            (EntrySource::Value, part) => match given(part) {
                ParameterSource::Later(expression) if expression.is_large() => return Ok(None),
                given => given,
            },
            (EntrySource::Reference, Partial::Value(reference)) => {
                entry::reference(&reference.expose(), Strings::Evaluated).map_err(wrong)?
            }
            (EntrySource::Reference, _) => return Ok(None),
            // What an expression of the template around gives is the value; what is only text is still to be evaluated.
            (EntrySource::Expression, part) => match (member().and_then(|name| raw?.member(&name)), part) {
                (Some(TemplateNode { kind: JsonKind::Expression(_), .. }), part) => given(part),
                (_, Partial::Value(text)) => {
                    ParameterSource::Expression(entry::expression(text.plain().as_str()).map_err(wrong)?)
                }
                (_, part) => given(part),
            },
        };
        Ok(Some(given))
    }

    /// The secrets that are referred to, as far as they are known; what has to be fetched first is asked for.
    pub(super) fn secrets(
        &self,
        runtime: &Runtime<'_>,
        given: &GivenInputs,
        template: Option<&Template>,
    ) -> Result<HashMap<SecretReference, Value>, StepError> {
        let is_secure = |input: &Input| {
            // Without a template nobody knows; others than secure ones will be refused.
            template.and_then(|template| template.parameters.get(&input.name)).is_none_or(|it| it.ty.secure)
        };
        let of_parameters = given.inputs.iter().filter_map(|input| match &input.given {
            ParameterSource::Reference(reference) if is_secure(input) => Some(reference),
            ParameterSource::Reference(_)
            | ParameterSource::Value(_)
            | ParameterSource::Expression(_)
            | ParameterSource::LateReference(_)
            | ParameterSource::Later(_) => None,
        });
        let mut secrets = HashMap::new();
        for reference in of_parameters.chain(given.inputs.setting_secrets()) {
            if let Some(value) = self.secret(runtime, reference)? {
                secrets.insert(reference.clone(), value);
            }
        }
        Ok(secrets)
    }

    /// The secret of a key vault; none if it has to be fetched first, or is not known.
    fn secret(&self, runtime: &Runtime<'_>, reference: &SecretReference) -> Result<Option<Value>, StepError> {
        let SecretReference { vault, secret, version } = reference;
        let context = &self.around.deployment.context;
        if let Some(value) = context.mocks.secret(vault, secret) {
            return Ok(Some(value.clone().secret()));
        }
        let (vault, name, version) = (vault.clone(), secret.clone(), version.clone());
        let value = runtime.fetch(ResourceLookup::Secret { vault, name, version }, self.evaluator);
        let value = value.map_err(|error| Located::new(error, self.resource.span))?;
        Ok(value.map(Value::secret))
    }

    /// Refuses members of `properties` that a deployment does not have.
    pub(super) fn known_members(&self, properties: Option<&TemplateNode>) -> Result<(), StepError> {
        let Some(properties) = properties else { return Ok(()) };
        let value = properties.as_value().and_then(Value::as_object);
        let known = value.into_iter().flatten().map(|(name, value)| (name.clone(), value.is_null()));
        let is_null =
            |value: Option<&TemplateNode>| value.and_then(TemplateNode::as_value).is_some_and(Value::is_null);
        let written = properties.members().map(|(name, value)| (name.clone(), is_null(value)));
        let mut seen: Vec<&str> = Vec::new();
        for (name, is_null) in known.chain(written) {
            let Some(known) = PROPERTIES.iter().find(|known| known.eq_ignore_ascii_case(&name)) else {
                let shown = brief(&name);
                let message = match diagnostics::suggest(&name, PROPERTIES.iter().copied()) {
                    Some(meant) => format!("a deployment has no member '{shown}'; did you mean '{meant}'?"),
                    None => format!(
                        "a deployment has no member '{shown}'; it can have '{}'",
                        PROPERTIES.join("', '")
                    ),
                };
                return Err(self.wrong(code::INVALID_TEMPLATE, message, &[&shown]));
            };
            if seen.contains(known) {
                let message = format!("the deployment has '{known}' twice; names do not depend on case");
                return Err(self.wrong(code::INVALID_TEMPLATE, message, &[known]));
            }
            seen.push(known);
            if *known == ON_ERROR && !is_null {
                let message = format!("'{ON_ERROR}' is not supported");
                return Err(self.wrong(NOT_SUPPORTED, message, &[known]));
            }
        }
        Ok(())
    }
}

/// Something that Azure has, and this engine has not.
const NOT_SUPPORTED: &str = "NotSupported";

/// What `properties` of a deployment inside another one may have. External inputs are for the outermost one.
const PROPERTIES: &[&str] = &[
    "template",
    "templateLink",
    "parameters",
    "parametersLink",
    "extensionConfigs",
    "mode",
    "debugSetting",
    ON_ERROR,
    "expressionEvaluationOptions",
    "validationLevel",
];

/// What to deploy when the deployment fails.
const ON_ERROR: &str = "onErrorDeployment";

impl EntryPart for &Partial {
    fn text(&self) -> Option<&str> {
        self.known().and_then(|value| value.plain().as_str())
    }
}

/// The members of an object as they are written, by their names as written.
fn raw_members(object: Option<&TemplateNode>) -> HashMap<SmolStr, &TemplateNode> {
    let members = object.into_iter().flat_map(TemplateNode::members);
    members.filter_map(|(name, value)| Some((name.clone(), value?))).collect()
}

/// Tells whether a setting is one of the deployment around, which is passed on as it is:
/// `[extensions('k8s').config.namespace]`, or one that a condition chooses.
fn passed_on(raw: Option<&TemplateNode>, entry: &Partial) -> bool {
    let Some(expression) = raw.and_then(TemplateNode::as_expression) else { return false };
    if let Expression::Access(access) = expression {
        return access.base().as_call().is_some_and(|call| call.is_call_to("extensions"));
    }
    let mut mentions = false;
    expression
        .for_each(&mut |part| mentions |= part.as_call().is_some_and(|call| call.is_call_to("extensions")));
    mentions && entry.known().is_some_and(|value| value.plain().as_object().is_none())
}

/// What a part of the template around gives.
fn given(part: Partial) -> ParameterSource {
    match part.into_reduced() {
        Reduced::Value(value) => ParameterSource::Value(value),
        Reduced::Expression(expression) => ParameterSource::Later(expression),
    }
}

/// The members of an object, of which some may be secret; none if it is no object.
fn members_of(object: Partial) -> Option<Vec<(PartialName, Partial)>> {
    match object {
        Partial::Object(members) => Some(members),
        // Secrets stay secrets, whatever is around them.
        Partial::Value(value) => {
            let spread = value.spread();
            let members = spread.as_object()?.iter();
            Some(
                members
                    .map(|(name, value)| (PartialName::Text(name.clone()), Partial::Value(value.clone())))
                    .collect(),
            )
        }
        Partial::Expression(_) | Partial::Array(_) => None,
    }
}

/// The members of an entry that an expression makes, or what it gives where they are not known.
fn unknown_entry(expression: &Expression) -> Result<Vec<(PartialName, Partial)>, ParameterSource> {
    match made_members(expression) {
        Some(members) => Ok(members),
        None => Err(ParameterSource::Later(value_of(expression))),
    }
}

/// The members of an object that an expression makes.
fn made_members(expression: &Expression) -> Option<Vec<(PartialName, Partial)>> {
    let call = expression.as_call().filter(|call| call.is_call_to("createObject"))?;
    let (pairs, rest) = call.arguments.as_chunks::<2>();
    let pair = |[name, value]: &[Expression; 2]| {
        let name = match name {
            Expression::Text(text) => PartialName::Text(text.clone()),
            name => PartialName::Expression(name.clone()),
        };
        let value = match value.to_value() {
            Some(value) => Partial::Value(value),
            None => Partial::Expression(value.clone()),
        };
        (name, value)
    };
    rest.is_empty().then(|| pairs.iter().map(pair).collect())
}

/// The value of an entry of which nobody knows yet what it is: that of each entry that it may be.
fn value_of(entry: &Expression) -> Expression {
    if let Some(Some(value)) = entry.part(&"value".into()) {
        return value.clone();
    }
    match entry.as_call().map(|call| (call, call.arguments.as_slice())) {
        Some((call, [condition, yes, no])) if call.is_call_to("if") => {
            Expression::call("if", [condition.clone(), value_of(yes), value_of(no)])
        }
        _ => entry.clone().property("value"),
    }
}
