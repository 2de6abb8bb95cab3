//! Deployments inside deployments: their templates, their parameters and where they go.

use std::sync::Arc;

use contract::Boundary;
use diagnostics::Message;
use smol_str::SmolStr;

use super::environment::DeploymentEnvironment;
use super::partial::Partial;
use super::plan::PlanStep;
use super::run::{Runtime, StepError, body_member};
use super::walk::{self, Located};
use super::{Address, Deployment, DeploymentMode, Outer, parameters};
use crate::binding::SecretReference;
use crate::evaluate::Evaluator;
use crate::expression::Expression;
use crate::template::{
    JsonKind, OutputValue, ReadOnce, Resource, Template, TemplateError, TemplateMember, TemplateNode,
    VariableValue, brief, code, locate,
};
use crate::value::Value;

/// A deployment that a step of another one runs.
#[derive(Debug)]
pub struct NestedRequest {
    /// The deployment, ready to be planned.
    pub deployment: Arc<Deployment>,
    /// What it does with resources that it does not name.
    pub mode: DeploymentMode,
}

/// How many steps of evaluation a nested deployment counts for: it is bound, planned and kept. What loops inside each other make
/// ends with fifty thousand of them.
const STEPS: u64 = 20_000;

/// What can be done about a link that leads nowhere.
const NOTHING_IS_FETCHED: &str =
    "nothing is fetched: with `--link-root ADDRESS=DIR`, addresses that begin with ADDRESS are files in DIR";

/// A linked template cannot be had.
pub(super) const INVALID_CONTENT_LINK: &str = "InvalidContentLink";

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
    let mut json = |json: &'t TemplateNode| json.for_each_expression(&mut |expression, _| look(expression));
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
                TemplateMember::Property { value, .. } => json(value),
                TemplateMember::Loop(copy) => {
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
    around: &DeploymentEnvironment<'_>,
    evaluator: &Evaluator<'_>,
    step: &PlanStep,
    resource: &Resource,
    predicted: bool,
) -> Result<Option<NestedRequest>, StepError> {
    let mark = evaluator.mark();
    let work = NestedExpansion { around, evaluator, step, resource };
    let properties = body_member(resource, "properties");
    work.known_members(properties)?;
    work.check_form(properties)?;
    let mode = work.mode(properties)?;
    let location = match body_member(resource, "location") {
        Some(json) => match walk::reduce(around, evaluator, json)? {
            Partial::Value(value) => value.plain().as_str().map(SmolStr::new),
            Partial::Expression(_) | Partial::Array(_) | Partial::Object(_) => None,
        },
        None => None,
    };
    let template = work.template(properties)?;
    let given = work.given(properties, template.as_ref().map(|(template, _)| &**template))?;
    let secrets = work.secrets(runtime, &given, template.as_ref().map(|(template, _)| &**template))?;
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
    if context.depth > template.limits().nesting {
        return Err(
            work.whole(code::INVALID_TEMPLATE, "deployments stand too deep inside each other".to_owned())
        );
    }
    if context.budget.steps_left() < STEPS {
        let message = "too many deployments stand inside each other, or they take too much work".to_owned();
        return Err(work.whole(code::INVALID_TEMPLATE, message));
    }
    context.budget.spend_steps(STEPS);
    let is_inner =
        resource.nested.as_ref().is_none_or(|nested| nested.inner_scope || nested.template.is_none());
    let refused = |errors: Vec<TemplateError>| work.refused(errors);
    let inputs = given.of(&template);
    let find = |wanted: &SecretReference| secrets.get(wanted).cloned().map(Ok);
    let deployment = if is_inner {
        Deployment::bound(template, &inputs, context, &find, Boundary::NestedParameter).map_err(refused)?
    } else {
        let configs = parameters::bind_configs(&template, &inputs, &context, &find);
        context.extension_configs = configs.map_err(refused)?;
        let outer = Outer {
            deployment: runtime.deployment(),
            loops: step.copy.clone().into_iter().collect(),
            index: runtime.index(),
        };
        // It sees the parameters of the deployment around, and has none of its own.
        Deployment::of(template, Vec::new(), context, Some(outer))
    };
    // What it was given is alive as long as it is.
    let path = || format!("{}.properties.parameters", step.name);
    let held = evaluator.hand_over(mark, &deployment.held, path);
    held.map_err(|error| StepError::At(Located::new(error, resource.span)))?;
    Ok(Some(NestedRequest { deployment: Arc::new(deployment), mode }))
}

/// A template, and the address that it came from if it is linked.
type Linked = (Arc<Template>, Option<Address>);

pub(super) struct NestedExpansion<'w> {
    pub(super) around: &'w DeploymentEnvironment<'w>,
    pub(super) evaluator: &'w Evaluator<'w>,
    pub(super) step: &'w PlanStep,
    pub(super) resource: &'w Resource,
}

impl NestedExpansion<'_> {
    pub(super) fn whole(&self, code: &'static str, message: impl Into<Message>) -> StepError {
        StepError::Whole(Box::new(self.whole_error(code, message)))
    }

    fn whole_error(&self, code: &'static str, message: impl Into<Message>) -> TemplateError {
        let location = self.around.deployment.template().location(self.resource.span);
        TemplateError::new(code, message).at(location).target(self.step.id.as_str())
    }

    /// A member of `properties`, evaluated.
    pub(super) fn member(
        &self,
        properties: Option<&TemplateNode>,
        name: &str,
    ) -> Result<Option<Partial>, Located> {
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

    fn mode(&self, properties: Option<&TemplateNode>) -> Result<DeploymentMode, StepError> {
        match self.member(properties, "mode")? {
            None | Some(Partial::Value(Value::Null)) => Ok(DeploymentMode::Incremental),
            Some(Partial::Value(value)) => match value.plain().as_str().and_then(DeploymentMode::parse) {
                Some(DeploymentMode::Incremental) => Ok(DeploymentMode::Incremental),
                // Only the outermost deployment says what becomes of resources that no template names.
                Some(DeploymentMode::Complete) => {
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
            Some(_) => Ok(DeploymentMode::Incremental),
        }
    }

    /// The template, and the address that it came from.
    fn template(&self, properties: Option<&TemplateNode>) -> Result<Option<Linked>, StepError> {
        let deployment = self.around.deployment;
        let flatten = |read: ReadOnce| {
            read.map_err(|errors| {
                let all = TemplateError::together(errors.as_ref().clone());
                StepError::Whole(Box::new(
                    all.unwrap_or_else(|| TemplateError::invalid_template("no template")),
                ))
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
    pub(super) fn address(&self, link: &Value) -> Option<Address> {
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
    pub(super) fn linked(&self, address: &Address) -> Result<Arc<str>, StepError> {
        self.around.deployment.context.links.text(address).map_err(|why| {
            let address = address.shown();
            if let Some(why) = why {
                let message = format!("The deployment content at '{address}' cannot be read: {why}");
                return self.whole(INVALID_CONTENT_LINK, Message::sentence(message));
            }
            let message =
                Message::sentence(format!("Unable to download deployment content from '{address}'"));
            StepError::Whole(Box::new(
                self.whole_error(INVALID_CONTENT_LINK, message).hint(NOTHING_IS_FETCHED),
            ))
        })
    }

    /// What a link leads to has the content version that the link says.
    pub(super) fn check_version(
        &self,
        what: &str,
        address: &Address,
        link: &Value,
        found: &str,
    ) -> Result<(), StepError> {
        let wanted = link.plain().as_object().and_then(|link| link.get("contentVersion"));
        match wanted.and_then(Value::as_str) {
            Some(wanted) if wanted != found => {
                let address = address.shown();
                let message = Message::sentence(format!(
                    "The {what} at '{address}' has the content version '{found}', not '{wanted}'"
                ));
                Err(self.whole(INVALID_CONTENT_LINK, message))
            }
            Some(_) | None => Ok(()),
        }
    }

    /// An error in `properties` of the deployment, with the path of what is wrong.
    pub(super) fn wrong(&self, code: &'static str, message: String, path: &[&str]) -> StepError {
        let mut target = "properties".to_owned();
        path.iter().for_each(|name| locate::push_name(&mut target, &brief(name)));
        let location = self.around.deployment.template().location(self.resource.span);
        self.refused(vec![TemplateError::new(code, message).at(location).target(target)])
    }

    /// One error for all that is wrong with what the deployment is given.
    pub(super) fn refused(&self, errors: Vec<TemplateError>) -> StepError {
        let all = TemplateError::together(errors)
            .unwrap_or_else(|| TemplateError::invalid_template("the parameters are not valid"));
        let all = match all.at {
            Some(_) => all,
            // What is written in no file is at the resource that gives it.
            None => all.at(self.around.deployment.template().location(self.resource.span)),
        };
        StepError::Whole(Box::new(all.target(self.step.id.as_str())))
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
