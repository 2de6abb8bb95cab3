//! Deployments inside deployments: their templates, their parameters and where they go.

use std::sync::Arc;

use smol_str::SmolStr;

use super::environment::Around;
use super::partial::{Name, Partial};
use super::plan::Step;
use super::run::{Fault, Need, Runtime, body_member};
use super::walk::{self, Located};
use super::{Context, Deployment, Mode, Outer, Unresolved};
use crate::evaluate::{Answer, Evaluator, Reduced};
use crate::expression::Expression;
use crate::template::{
    Json, JsonKind, Member, OutputValue, Resource, Template, TemplateError, VariableValue, code,
};
use crate::value::Value;

/// A deployment that a step of another one runs.
#[derive(Debug)]
pub struct NestedRequest {
    /// The deployment, ready to be planned.
    pub deployment: Arc<Deployment>,
    /// What it does with resources that it does not name.
    pub mode: Mode,
}

/// A linked template cannot be had.
const INVALID_CONTENT_LINK: &str = "InvalidContentLink";

/// The template of a nested deployment, read once.
pub(super) type Read = Result<Arc<Template>, Arc<Vec<TemplateError>>>;

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
fn written(deployment: &Deployment, at: usize, resource: &Resource) -> Option<Read> {
    let nested = resource.nested.as_ref()?;
    nested.template?;
    let read = || match deployment.template.nested(nested) {
        Some(Ok(template)) => Ok(Arc::new(template)),
        Some(Err(errors)) => Err(Arc::new(errors)),
        None => Err(Arc::new(Vec::new())),
    };
    Some(match deployment.nested.get(at) {
        Some(slot) => slot.get_or_init(read).clone(),
        None => read(),
    })
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
    let configs = work.member(properties, "extensionConfigs")?;
    let (template, link) = work.template(properties)?;
    if !predicted && !runtime.needs.borrow().is_empty() {
        return Ok(None);
    }
    let deployment = around.deployment;
    let mut context = deployment.context.nested(step.target.clone(), step.name.clone(), location);
    context.mode = mode;
    context.template_link = link.or(context.template_link);
    if let Some(Partial::Value(configs)) = configs {
        context.extension_configs = configs;
    }
    if context.depth > template.limits().nesting {
        return Err(
            work.whole(code::INVALID_TEMPLATE, "deployments stand too deep inside each other".to_owned())
        );
    }
    let is_inner =
        resource.nested.as_ref().is_none_or(|nested| nested.inner_scope || nested.template.is_none());
    let deployment = if is_inner {
        let parameters = bind(&template, given, &context).map_err(|errors| {
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
                Some(mode) => Ok(mode),
                None => {
                    let message = "the mode of a deployment is Incremental or Complete".to_owned();
                    Err(self.whole(code::INVALID_TEMPLATE, message))
                }
            },
            Some(_) => Ok(Mode::Incremental),
        }
    }

    /// The template, and the address that it came from.
    fn template(&self, properties: Option<&Json>) -> Result<(Arc<Template>, Option<SmolStr>), Fault> {
        let deployment = self.around.deployment;
        let flatten = |read: Read| {
            read.map_err(|errors| {
                let all = TemplateError::together(errors.as_ref().clone());
                Fault::Whole(Box::new(all.unwrap_or_else(|| TemplateError::invalid_template("no template"))))
            })
        };
        if let Some(read) = written(deployment, self.step.resource, self.resource) {
            return Ok((flatten(read)?, None));
        }
        // A template that an expression gives, such as one that was loaded from a file.
        if let Some(Partial::Value(template)) = self.member(properties, "template")?
            && template.plain().as_object().is_some()
        {
            let template = Template::read(template.expose().to_json(), deployment.template.limits());
            return Ok((flatten(template.map(Arc::new).map_err(Arc::new))?, None));
        }
        let link = self.member(properties, "templateLink")?;
        let link = link.as_ref().and_then(Partial::known).map(Value::expose);
        let link = link.as_ref().and_then(Value::as_object);
        let text = |name: &str| link.and_then(|link| link.get(name)).and_then(Value::as_str);
        let address = match (text("uri"), text("relativePath"), text("id")) {
            (Some(uri), ..) => SmolStr::new(uri),
            (None, Some(path), _) => match &deployment.context.template_link {
                Some(base) => relative(base, path),
                None => SmolStr::new(path),
            },
            (None, None, Some(id)) => SmolStr::new(id),
            (None, None, None) => {
                let message = "the deployment has neither a template nor a link to one".to_owned();
                return Err(self.whole(code::INVALID_TEMPLATE, message));
            }
        };
        let unreadable = || {
            let message = format!("Unable to download deployment content from '{address}'.");
            self.whole(INVALID_CONTENT_LINK, message)
        };
        let content = deployment.context.links.read(&address).ok_or_else(unreadable)?;
        let template = Template::read(content.to_string(), deployment.template.limits());
        let template = flatten(template.map(Arc::new).map_err(Arc::new))?;
        if let Some(version) = text("contentVersion")
            && version != template.content_version
        {
            let message = format!(
                "The template at '{address}' has the content version '{}', not '{version}'.",
                template.content_version
            );
            return Err(self.whole(INVALID_CONTENT_LINK, message));
        }
        Ok((template, Some(address)))
    }

    /// The values that the parameters are given.
    fn parameters(
        &self,
        runtime: &Runtime<'_>,
        properties: Option<&Json>,
    ) -> Result<Vec<(SmolStr, Reduced)>, Fault> {
        let entries: Vec<(SmolStr, Partial)> = match self.member(properties, "parameters")? {
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
            Some(Partial::Expression(_) | Partial::Array(_)) => return Ok(Vec::new()),
        };
        let mut given = Vec::with_capacity(entries.len());
        for (name, entry) in entries {
            if let Some(value) = self.entry(runtime, &name, entry)? {
                given.push((name, value));
            }
        }
        Ok(given)
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
        let kept = Expression::call("parameters", [Expression::Text(name.clone())]);
        if self.around.deployment.context.unresolved == Unresolved::Keep {
            return Ok(Some(Reduced::Expression(kept)));
        }
        let Some(reference) = reference.known().map(Value::expose) else { return Ok(None) };
        let text = |path: &[&str]| {
            let mut at = &reference;
            for name in path {
                at = at.as_object()?.get(name)?;
            }
            at.as_str().map(SmolStr::new)
        };
        let (Some(vault), Some(secret)) = (text(&["keyVault", "id"]), text(&["secretName"])) else {
            let message = format!("the reference of the parameter `{name}` names no secret of a key vault");
            return Err(self.whole(code::INVALID_PARAMETER_VALUE, message));
        };
        let need = Need::Secret { vault, name: secret, version: text(&["secretVersion"]) };
        let value = runtime.fetch(need, self.evaluator);
        match value.map_err(|error| Located::new(error, self.resource.span))? {
            Some(value) => Ok(Some(Reduced::Value(value.secret()))),
            None => Ok(None),
        }
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
