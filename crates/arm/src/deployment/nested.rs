//! Deployments inside deployments: their templates, their parameters and where they go.

use std::sync::Arc;

use document::FileId;
use smol_str::SmolStr;

use super::environment::Around;
use super::partial::{Name, Partial};
use super::plan::Step;
use super::run::{Fault, Need, Runtime, body_member};
use super::walk::{self, Located};
use super::{Address, Context, Deployment, Mode, Outer, Unresolved};
use crate::evaluate::{Answer, Evaluator, Reduced};
use crate::expression::Expression;
use crate::template::{
    Json, JsonKind, Member, OutputValue, ReadOnce, Resource, Template, TemplateError, VariableValue, code,
};
use crate::value::{ObjectBuilder, Value};

/// A deployment that a step of another one runs.
#[derive(Debug)]
pub struct NestedRequest {
    /// The deployment, ready to be planned.
    pub deployment: Arc<Deployment>,
    /// What it does with resources that it does not name.
    pub mode: Mode,
}

/// How many steps of evaluation a nested deployment counts for: it is bound, planned and kept. What loops inside each other make
/// ends with fifty thousand of them.
const STEPS: u64 = 20_000;

/// A linked template cannot be had.
const INVALID_CONTENT_LINK: &str = "InvalidContentLink";

/// The nested template whose expressions belong to this deployment.
pub(super) fn outer_template(
    deployment: &Deployment,
    at: usize,
    resource: &Resource,
) -> Option<Arc<Template>> {
    let nested = resource.nested.as_ref().filter(|nested| !nested.inner_scope)?;
    nested.template?;
    written(deployment, at, resource)?.ok()
}

/// The template that is written in the resource, if it is.
fn written(deployment: &Deployment, at: usize, resource: &Resource) -> Option<ReadOnce> {
    let nested = resource.nested.as_ref()?;
    nested.template?;
    Some(deployment.template.nested_at(at, nested))
}

/// Shows every expression of a template to `look`.
pub(super) fn for_each_expression<'t>(template: &'t Template, look: &mut impl FnMut(&'t Expression)) {
    let mut json = |json: &'t Json| json.for_each_expression(&mut |expression, _| look(expression));
    for variable in &template.variables {
        match &variable.value {
            VariableValue::Json(value) => json(value),
            VariableValue::Loop(copy) => {
                json(&copy.count);
                json(&copy.input);
            }
        }
    }
    for resource in &template.resources {
        let named = [&resource.name, &resource.condition, &resource.scope, &resource.api_version];
        named.into_iter().flatten().for_each(&mut json);
        for member in &resource.body {
            match member {
                Member::Property { value, .. } => json(value),
                Member::Loop(copy) => {
                    json(&copy.count);
                    json(&copy.input);
                }
            }
        }
    }
    for output in &template.outputs {
        match &output.value {
            OutputValue::Json(value) => json(value),
            OutputValue::Loop { count, input } => {
                json(count);
                json(input);
            }
        }
    }
}

/// The deployment that a step runs; none if something has to be fetched first, unless it is only `predicted`.
pub(super) fn request(
    runtime: &Runtime<'_>,
    around: &Around<'_>,
    evaluator: &Evaluator<'_>,
    step: &Step,
    resource: &Resource,
    predicted: bool,
) -> Result<Option<NestedRequest>, Fault> {
    let work = Work { around, evaluator, step, resource };
    let properties = body_member(resource, "properties");
    let given = work.parameters(runtime, properties)?;
    let mode = work.mode(properties)?;
    let location = match body_member(resource, "location") {
        Some(json) => match walk::reduce(around, evaluator, json)? {
            Partial::Value(value) => value.plain().as_str().map(SmolStr::new),
            Partial::Expression(_) | Partial::Array(_) | Partial::Object(_) => None,
        },
        None => None,
    };
    let configs = work.configs(runtime, properties)?;
    let template = work.template(properties)?;
    if !predicted && !runtime.needs.borrow().is_empty() {
        return Ok(None);
    }
    let Some((template, link)) = template else {
        // A prediction does not know what is behind a link that it does not know.
        if predicted {
            return Ok(None);
        }
        let message = "it is not known where the link to the template leads".to_owned();
        return Err(work.whole(code::INVALID_TEMPLATE, message));
    };
    let deployment = around.deployment;
    let mut context = deployment.context.nested(step.target.clone(), step.name.clone(), location);
    context.mode = mode;
    context.template_link = link.or(context.template_link);
    context.extension_configs = configs;
    if context.depth > template.limits().nesting {
        return Err(
            work.whole(code::INVALID_TEMPLATE, "deployments stand too deep inside each other".to_owned())
        );
    }
    if context.work.left() < STEPS {
        let message = "too many deployments stand inside each other, or they take too much work".to_owned();
        return Err(work.whole(code::INVALID_TEMPLATE, message));
    }
    context.work.take(STEPS);
    let is_inner =
        resource.nested.as_ref().is_none_or(|nested| nested.inner_scope || nested.template.is_none());
    let deployment = if is_inner {
        let parameters = bind(&template, given.of(&template), &context).map_err(|errors| {
            let all = TemplateError::together(errors)
                .unwrap_or_else(|| TemplateError::invalid_template("the parameters are not valid"));
            Fault::Whole(Box::new(all.target(step.id.as_str())))
        })?;
        Deployment::new(template, parameters, context)
    } else {
        let outer = Outer {
            deployment: runtime.deployment(),
            loops: step.copy.clone().into_iter().collect(),
            index: runtime.index(),
        };
        Deployment { outer: Some(outer), ..Deployment::new(template, Vec::new(), context) }
    };
    Ok(Some(NestedRequest { deployment: Arc::new(deployment), mode }))
}

/// A template, and the address that it came from if it is linked.
type Linked = (Arc<Template>, Option<Address>);

/// The parameters that a deployment is given.
#[derive(Default)]
struct GivenParameters {
    given: Vec<(SmolStr, Reduced)>,
    /// Whether their names come from a secret.
    names_are_secret: bool,
}

impl GivenParameters {
    /// The values by name. A name that the template does not know will be complained about: it is not told if it
    /// comes from a secret.
    fn of(self, template: &Template) -> Vec<(SmolStr, Reduced)> {
        let GivenParameters { mut given, names_are_secret } = self;
        for (name, _) in given.iter_mut().filter(|_| names_are_secret) {
            if template.parameters.get(name).is_none() {
                *name = SmolStr::new_static(contract::MASK);
            }
        }
        given
    }
}

struct Work<'w> {
    around: &'w Around<'w>,
    evaluator: &'w Evaluator<'w>,
    step: &'w Step,
    resource: &'w Resource,
}

impl Work<'_> {
    fn whole(&self, code: &'static str, message: String) -> Fault {
        let location = self.around.deployment.template().location(self.resource.span);
        Fault::Whole(Box::new(TemplateError::new(code, message).at(location).target(self.step.id.as_str())))
    }

    /// A member of `properties`, evaluated.
    fn member(&self, properties: Option<&Json>, name: &str) -> Result<Option<Partial>, Located> {
        let Some(properties) = properties else { return Ok(None) };
        match &properties.kind {
            JsonKind::Value(value) => {
                let found = value.as_object().and_then(|object| object.get(name));
                Ok(found.cloned().map(Partial::Value))
            }
            _ => match properties.member(name) {
                Some(json) => walk::reduce(self.around, self.evaluator, json).map(Some),
                None => Ok(None),
            },
        }
    }

    fn mode(&self, properties: Option<&Json>) -> Result<Mode, Fault> {
        match self.member(properties, "mode")? {
            None | Some(Partial::Value(Value::Null)) => Ok(Mode::Incremental),
            Some(Partial::Value(value)) => match value.plain().as_str().and_then(Mode::parse) {
                Some(Mode::Incremental) => Ok(Mode::Incremental),
                // Only the outermost deployment says what becomes of resources that no template names.
                Some(Mode::Complete) => {
                    let message = format!(
                        "the mode 'Complete' is not supported for the nested deployment '{}'; use 'Incremental'",
                        self.step.name
                    );
                    Err(self.whole(code::INVALID_TEMPLATE, message))
                }
                None => {
                    let message = "the mode of a deployment is Incremental or Complete".to_owned();
                    Err(self.whole(code::INVALID_TEMPLATE, message))
                }
            },
            Some(_) => Ok(Mode::Incremental),
        }
    }

    /// The template, and the address that it came from.
    fn template(&self, properties: Option<&Json>) -> Result<Option<Linked>, Fault> {
        let deployment = self.around.deployment;
        let flatten = |read: ReadOnce| {
            read.map_err(|errors| {
                let all = TemplateError::together(errors.as_ref().clone());
                Fault::Whole(Box::new(all.unwrap_or_else(|| TemplateError::invalid_template("no template"))))
            })
        };
        if let Some(read) = written(deployment, self.step.resource, self.resource) {
            return Ok(Some((flatten(read)?, None)));
        }
        // A template that an expression gives, such as one that was loaded from a file.
        if let Some(Partial::Value(template)) = self.member(properties, "template")?
            && template.plain().as_object().is_some()
        {
            // What is written in a template is shown: in errors, in plans and where the deployment is kept.
            if template.has_secret() {
                let message = "the template is made from a secure value; give that to a parameter of the template instead";
                return Err(self.whole(code::INVALID_TEMPLATE, message.to_owned()));
            }
            let template = Template::read(template.expose().to_json(), deployment.template.limits());
            return Ok(Some((flatten(template.map(Arc::new).map_err(Arc::new))?, None)));
        }
        let link = match self.member(properties, "templateLink")? {
            Some(Partial::Value(link)) => link,
            Some(Partial::Expression(_) | Partial::Array(_) | Partial::Object(_)) => return Ok(None),
            None => Value::Null,
        };
        let Some(address) = self.address(&link) else {
            let message = "the deployment has neither a template nor a link to one".to_owned();
            return Err(self.whole(code::INVALID_TEMPLATE, message));
        };
        let content = self.linked(&address)?;
        let template = Template::read(content.to_string(), deployment.template.limits());
        let template = flatten(template.map(Arc::new).map_err(Arc::new))?;
        self.check_version("template", &address, &link, &template.content_version)?;
        Ok(Some((template, Some(address))))
    }

    /// Where a link leads.
    fn address(&self, link: &Value) -> Option<Address> {
        let is_secret = link.has_secret();
        let link = link.expose();
        let text = |name: &str| link.as_object()?.get(name)?.as_str();
        match (text("uri"), text("relativePath"), text("id")) {
            (Some(uri), ..) => Some(Address::new(uri, is_secret)),
            (None, Some(path), _) => Some(match &self.around.deployment.context.template_link {
                Some(base) => Address::new(relative(base.plain(), path), is_secret || base.is_secret()),
                None => Address::new(path, is_secret),
            }),
            (None, None, id) => id.map(|id| Address::new(id, is_secret)),
        }
    }

    /// The text that a link leads to.
    fn linked(&self, address: &Address) -> Result<Arc<str>, Fault> {
        self.around.deployment.context.links.read(address).ok_or_else(|| {
            let address = address.shown();
            let message = format!("Unable to download deployment content from '{address}'.");
            self.whole(INVALID_CONTENT_LINK, message)
        })
    }

    /// What a link leads to has the content version that the link says.
    fn check_version(&self, what: &str, address: &Address, link: &Value, found: &str) -> Result<(), Fault> {
        let wanted = link.plain().as_object().and_then(|link| link.get("contentVersion"));
        match wanted.and_then(Value::as_str) {
            Some(wanted) if wanted != found => {
                let address = address.shown();
                let message =
                    format!("The {what} at '{address}' has the content version '{found}', not '{wanted}'.");
                Err(self.whole(INVALID_CONTENT_LINK, message))
            }
            Some(_) | None => Ok(()),
        }
    }

    /// The entries of the parameters that a link leads to; none if it is not known where that is.
    fn linked_parameters(&self, properties: Option<&Json>) -> Result<Option<Value>, Fault> {
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
        let unreadable = |why: String| {
            self.whole(
                INVALID_CONTENT_LINK,
                format!("The parameters at '{}' cannot be read: {why}", address.shown()),
            )
        };
        let document = crate::template::document(content.to_string(), FileId::NONE, limits);
        let document = document.map_err(|error| unreadable(error.message))?;
        let file = Value::from_view(document.root()).map_err(|error| unreadable(error.to_string()))?;
        let member = |name: &str| file.as_object().and_then(|file| file.get(name));
        let version = member("contentVersion").and_then(Value::as_str).unwrap_or_default();
        self.check_version("parameters file", &address, &link, version)?;
        match member("parameters") {
            Some(entries @ Value::Object(_)) => Ok(Some(entries.clone())),
            Some(_) | None => Err(unreadable("it has no `parameters`".to_owned())),
        }
    }

    /// How the extensions of the template are configured, with the secrets that it takes from key vaults.
    fn configs(&self, runtime: &Runtime<'_>, properties: Option<&Json>) -> Result<Value, Fault> {
        let configs = match self.member(properties, "extensionConfigs")? {
            None => return Ok(Value::object::<SmolStr>([])),
            // What is not known is asked for, or only predicted.
            Some(Partial::Expression(_) | Partial::Array(_) | Partial::Object(_)) => {
                return Ok(Value::object::<SmolStr>([]));
            }
            Some(Partial::Value(configs)) => configs,
        };
        let wrong = |message: String| self.whole(code::INVALID_TEMPLATE, message);
        let all =
            configs.as_object().ok_or_else(|| wrong("`extensionConfigs` must be an object".to_owned()))?;
        let mut bound = ObjectBuilder::default();
        for (alias, entries) in all {
            let entries = entries.as_object().ok_or_else(|| {
                wrong(format!("the configuration of the extension `{alias}` must be an object"))
            })?;
            let mut config = ObjectBuilder::default();
            for (name, entry) in entries {
                let object = entry.as_object();
                let value = object.and_then(|entry| entry.get("value"));
                let reference = object.and_then(|entry| entry.get("keyVaultReference"));
                let value = match (value, reference) {
                    (Some(value), None) => Some(value.clone()),
                    (None, Some(reference)) => {
                        self.secret(runtime, &format!("{alias}.{name}"), &reference.expose())?
                    }
                    (Some(_), Some(_)) | (None, None) => {
                        return Err(wrong(format!(
                            "`{name}` of the extension `{alias}` needs either `value` or `keyVaultReference`"
                        )));
                    }
                };
                if let Some(value) = value {
                    config.set(name.clone(), Value::object([("value", value)]));
                }
            }
            bound.set(alias.clone(), config.finish());
        }
        Ok(bound.finish())
    }

    /// The values that the parameters are given.
    fn parameters(&self, runtime: &Runtime<'_>, properties: Option<&Json>) -> Result<GivenParameters, Fault> {
        let written = self.member(properties, "parameters")?;
        let linked = self.linked_parameters(properties)?.map(Partial::Value);
        let is_given = written.as_ref().is_some_and(|written| match written {
            Partial::Value(value) => value.as_object().is_some_and(|members| !members.is_empty()),
            Partial::Expression(_) | Partial::Array(_) | Partial::Object(_) => true,
        });
        if is_given && linked.is_some() {
            let message = "a deployment has either `parameters` or `parametersLink`, not both".to_owned();
            return Err(self.whole(code::INVALID_TEMPLATE, message));
        }
        let names_are_secret =
            matches!(linked.as_ref().or(written.as_ref()), Some(Partial::Value(value)) if value.is_secret());
        let entries: Vec<(SmolStr, Partial)> = match linked.or(written) {
            None => Vec::new(),
            Some(Partial::Value(value)) => match value.expose().as_object() {
                // Secrets stay secrets, whatever the parameters around them are.
                Some(_) => {
                    let spread = value.spread();
                    let members = spread.as_object().into_iter().flatten();
                    members.map(|(name, entry)| (name.clone(), Partial::Value(entry.spread()))).collect()
                }
                None => {
                    return Err(
                        self.whole(code::INVALID_TEMPLATE, "`parameters` must be an object".to_owned())
                    );
                }
            },
            Some(Partial::Object(members)) => members
                .into_iter()
                .filter_map(|(name, entry)| match name {
                    Name::Text(name) => Some((name, entry)),
                    Name::Expression(_) => None,
                })
                .collect(),
            Some(Partial::Expression(_) | Partial::Array(_)) => return Ok(GivenParameters::default()),
        };
        let mut given = Vec::with_capacity(entries.len());
        for (name, entry) in entries {
            if let Some(value) = self.entry(runtime, &name, entry)? {
                given.push((name, value));
            }
        }
        Ok(GivenParameters { given, names_are_secret })
    }

    fn entry(&self, runtime: &Runtime<'_>, name: &SmolStr, entry: Partial) -> Result<Option<Reduced>, Fault> {
        let member = |wanted: &str| match &entry {
            Partial::Value(value) => {
                let found = value.as_object().and_then(|object| object.get(wanted));
                found.cloned().map(Partial::Value)
            }
            Partial::Object(members) => members.iter().find_map(|(name, value)| match name {
                Name::Text(name) if name.eq_ignore_ascii_case(wanted) => Some(value.clone()),
                Name::Text(_) | Name::Expression(_) => None,
            }),
            Partial::Expression(expression) => match expression.part(&wanted.into()) {
                Some(Some(part)) => Some(Partial::Expression(part.clone())),
                Some(None) => None,
                None => Some(Partial::Expression(expression.clone().property(wanted)))
                    .filter(|_| wanted == "value"),
            },
            Partial::Array(_) => None,
        };
        if let Some(value) = member("value") {
            return Ok(Some(value.into_reduced()));
        }
        let Some(reference) = member("reference") else {
            return match entry {
                Partial::Value(_) | Partial::Object(_) => Ok(None),
                Partial::Expression(_) | Partial::Array(_) => {
                    Err(self
                        .whole(code::INVALID_PARAMETER_VALUE, format!("the parameter `{name}` has no value")))
                }
            };
        };
        if let Some(reference) = reference.known().map(Value::expose)
            && let Some(value) = self.secret(runtime, name, &reference)?
        {
            return Ok(Some(Reduced::Value(value)));
        }
        let kept = Expression::call("parameters", [Expression::Text(name.clone())]);
        let keeps = self.around.deployment.context.unresolved == Unresolved::Keep;
        Ok(keeps.then_some(Reduced::Expression(kept)))
    }

    /// The secret that a reference to a key vault names; none if it has to be fetched first, or is not known.
    fn secret(&self, runtime: &Runtime<'_>, of: &str, reference: &Value) -> Result<Option<Value>, Fault> {
        let text = |path: &[&str]| {
            let mut at = reference;
            for name in path {
                at = at.as_object()?.get(name)?;
            }
            at.as_str().map(SmolStr::new)
        };
        let (Some(vault), Some(name)) = (text(&["keyVault", "id"]), text(&["secretName"])) else {
            let message = format!("the reference of `{of}` names no secret of a key vault");
            return Err(self.whole(code::INVALID_PARAMETER_VALUE, message));
        };
        let context = &self.around.deployment.context;
        if let Some(value) = context.mocks.secret(&vault, &name) {
            return Ok(Some(value.clone().secret()));
        }
        if context.unresolved == Unresolved::Keep {
            return Ok(None);
        }
        let need = Need::Secret { vault, name, version: text(&["secretVersion"]) };
        let value = runtime.fetch(need, self.evaluator);
        let value = value.map_err(|error| Located::new(error, self.resource.span))?;
        Ok(value.map(Value::secret))
    }
}

/// A path in the place of the last part of an address.
fn relative(base: &str, path: &str) -> SmolStr {
    let (address, query) = base.split_once('?').map_or((base, None), |(a, q)| (a, Some(q)));
    let folder = address.rfind('/').and_then(|at| address.get(..=at)).unwrap_or_default();
    let start = folder.find("://").and_then(|at| folder.get(at + 3..)?.find('/').map(|end| at + 3 + end + 1));
    let (root, folders) = folder.split_at_checked(start.unwrap_or(0)).unwrap_or(("", folder));
    let mut parts: Vec<&str> = folders.split('/').filter(|part| !part.is_empty()).collect();
    for part in path.split('/') {
        match part {
            "." | "" => {}
            ".." => {
                parts.pop();
            }
            part => parts.push(part),
        }
    }
    let mut address = format!("{root}{}", parts.join("/"));
    if let Some(query) = query {
        address.push('?');
        address.push_str(query);
    }
    address.into()
}

/// The parameters of a template with some values given.
pub(super) fn bind(
    template: &Template,
    given: Vec<(SmolStr, Reduced)>,
    context: &Context,
) -> Result<Vec<Answer>, Vec<TemplateError>> {
    super::parameters::bind(template, given, context)
}
