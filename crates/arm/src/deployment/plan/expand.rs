//! Resources as written to resources one by one: loops, conditions, names and ids.

use std::cell::Cell;

use diagnostics::Message;
use smol_str::{SmolStr, format_smolstr};

use super::super::environment::{DeploymentEnvironment, LoopKind, Loops, NoResources};
use super::super::partial::{Partial, template_string};
use super::super::walk::{self, Located};
use super::super::{Deployment, PLAN_LIMITS, Unresolved, id};
use super::{Level, PlanStep, Skipped, StepKind, WhatIfDiagnostic};
use crate::evaluate::{Cause, EvaluateError, Evaluator, Scope};
use crate::expression::Expression;
use crate::template::{Resource, TemplateError, TemplateNode, code, options};
use crate::value::Value;

/// The longest id. Azure's ends far below.
const MAX_ID: usize = 8192;

/// What a planned resource takes beside its texts: the step, its places in the index and its state while it is run.
const STEP: u64 = 2048;

/// All resources of a deployment.
#[derive(Debug, Default)]
pub(super) struct Expanded {
    pub(super) steps: Vec<PlanStep>,
    pub(super) skipped: Vec<Skipped>,
    pub(super) diagnostics: Vec<WhatIfDiagnostic>,
}

/// Expands all resources of a template.
pub(super) fn expand(deployment: &Deployment) -> Result<Expanded, Vec<TemplateError>> {
    let mut all = Expanded::default();
    let mut errors = Vec::new();
    let limits = *deployment.template().limits();
    deployment.run(&NoResources, &Loops::NONE, PLAN_LIMITS, |around, evaluator| {
        for (at, resource) in deployment.template().resources.iter().enumerate() {
            let work = ResourceExpansion { around, evaluator, resource, at, secret: Cell::new(None) };
            if let Err(located) = work.expand(&mut all) {
                errors.push(work.error(&located));
            }
            if all.steps.len() + all.skipped.len() > limits.expanded_resources {
                let most = limits.expanded_resources;
                errors.push(
                    deployment.error(format!("the template has more than {most} resources"), resource.span),
                );
                break;
            }
            // Without an error the plan is whole, whatever the budget says.
            let is_over = deployment.context().budget.is_exhausted() && !errors.is_empty();
            if errors.len() >= limits.errors || is_over {
                break;
            }
        }
    });
    if errors.is_empty() { Ok(all) } else { Err(errors) }
}

/// The expansion of one resource.
struct ResourceExpansion<'w> {
    around: &'w DeploymentEnvironment<'w>,
    evaluator: &'w Evaluator<'w>,
    resource: &'w Resource,
    at: usize,
    /// What of the resource that people see is made from a secure value.
    secret: Cell<Option<&'static str>>,
}

impl ResourceExpansion<'_> {
    fn expand(&self, all: &mut Expanded) -> Result<(), Located> {
        for option in self.resource.options.iter().filter(|option| options::find(&option.name).is_none()) {
            let message =
                format!("the option `{}` is unknown; it is passed to the provider", cut(&option.name));
            self.diagnose(all, self.label(), "UnknownOption", message);
        }
        let Some(copy) = &self.resource.copy else { return self.one(None, all) };
        let count = match walk::count(self.around, self.evaluator, &copy.count) {
            Ok(count) => count,
            Err(located) if self.keeps() && *located.error.cause() == Cause::Unknown => {
                self.diagnose(
                    all,
                    self.label(),
                    "CopyCountUnknown",
                    "how many resources the loop has is not known",
                );
                return Ok(());
            }
            Err(located) => return Err(located),
        };
        let name = copy.name.as_ref().or(self.resource.symbol.as_ref()).cloned().unwrap_or_default();
        let most = self.around.deployment.template().limits().expanded_resources;
        for index in 0..count {
            let loops = Loops { outer: Some(self.around.loops), name: &name, index, kind: LoopKind::Plain };
            let inside = DeploymentEnvironment { loops: &loops, ..*self.around };
            self.evaluator.within(&inside, |evaluator| {
                let work = ResourceExpansion {
                    around: &inside,
                    evaluator,
                    resource: self.resource,
                    at: self.at,
                    secret: Cell::new(None),
                };
                work.one(Some((&name, index)), all)
            })?;
            if all.steps.len() + all.skipped.len() > most {
                break;
            }
        }
        Ok(())
    }

    /// One resource, or one iteration of a loop.
    fn one(&self, copy: Option<(&SmolStr, usize)>, all: &mut Expanded) -> Result<(), Located> {
        let resource = self.resource;
        self.evaluator.count(1).map_err(|error| Located::new(error, resource.span))?;
        let condition = self.condition(all)?;
        if condition == Some(false) {
            let id = self.place().ok().map(|place| place.id);
            let iteration = copy.map(|(_, index)| index);
            all.skipped.push(Skipped { resource: self.at, symbol: resource.symbol.clone(), iteration, id });
            return Ok(());
        }
        let place = match self.place() {
            Ok(place) => place,
            // A resource that may not be deployed need not have a name.
            Err(located) if condition.is_none() => {
                let message = format!("the resource cannot be predicted: {}", located.error.message());
                self.diagnose(all, self.label(), "ResourceUnknown", message);
                return Ok(());
            }
            Err(located) => return Err(located),
        };
        if let Some(message) = place.unknown {
            self.diagnose(all, place.id.to_string(), "ResourceNameUnknown", message);
        }
        let api_version = self.optional_text(resource.api_version.as_ref(), "API version")?;
        if let Some(what) = self.secret.take().filter(|_| !resource.existing) {
            let message =
                format!("the {what} is made from a secure value, and is shown wherever the resource is");
            self.diagnose(all, self.label(), "SecureValueInName", message);
        }
        let bytes = STEP + (place.id.len() + place.name.len() + place.type_name.len()) as u64;
        let held = self.around.deployment.held.add(bytes);
        held.map_err(|overrun| Located::new(overrun.into(), resource.span))?;
        all.steps.push(PlanStep {
            index: all.steps.len(),
            resource: self.at,
            symbol: resource.symbol.clone(),
            copy: copy.map(|(name, index)| (name.clone(), index)),
            kind: self.kind(),
            is_uncertain: condition.is_none(),
            id: place.id,
            type_name: place.type_name,
            api_version,
            name: place.name,
            target: place.target,
            extension: resource.extension.clone(),
            depends_on: Vec::new(),
            depends_on_groups: Vec::new(),
            batch: None,
            span: resource.span,
        });
        Ok(())
    }

    fn kind(&self) -> StepKind {
        if self.resource.existing {
            StepKind::Existing
        } else if self.resource.extension.is_some() {
            StepKind::Extension
        } else if self.resource.nested.is_some() {
            StepKind::Deployment
        } else {
            StepKind::Resource
        }
    }

    /// Whether the resource is deployed; none if that is not known.
    fn condition(&self, all: &mut Expanded) -> Result<Option<bool>, Located> {
        let Some(json) = &self.resource.condition else { return Ok(Some(true)) };
        match walk::reduce(self.around, self.evaluator, json)? {
            Partial::Value(value) => match value.plain() {
                Value::Bool(value) => Ok(Some(*value)),
                other => {
                    let kind = crate::evaluate::article(other);
                    let message = format!("the condition must be a bool, not {kind}");
                    Err(Located::new(
                        EvaluateError::new(Cause::Argument("condition".into()), message),
                        json.span,
                    ))
                }
            },
            rest if self.keeps() => {
                let rest = rest.into_reduced().into_expression();
                let message = format!(
                    "whether the resource is deployed is not known: `{}`",
                    cut(&template_string(&rest))
                );
                self.diagnose(all, self.label(), "ConditionUnknown", message);
                Ok(None)
            }
            rest => Err(unknown(rest, json)),
        }
    }

    /// Where the resource is, and what it is called.
    fn place(&self) -> Result<ResourceIdentity, Located> {
        let resource = self.resource;
        let type_name = self.text(&resource.kind, "type")?;
        if resource.extension.is_some() {
            let name = self.optional_text(resource.name.as_ref(), "name")?.unwrap_or_default();
            let id = self.radius_id(&type_name)?.unwrap_or_default();
            return Ok(ResourceIdentity { id, type_name, name, target: Scope::Unknown, unknown: None });
        }
        let Some(json) = &resource.name else {
            let message = "the resource has no name";
            return Err(Located::new(
                EvaluateError::new(Cause::Argument("name".into()), message),
                resource.span,
            ));
        };
        let (base, target) = self.base()?;
        let name = match walk::reduce(self.around, self.evaluator, json)? {
            Partial::Value(value) => match value.plain() {
                Value::Text(name) if value.is_secret() && !name.is_empty() => {
                    self.secret.set(Some("name"));
                    name.clone()
                }
                Value::Text(name) if !name.is_empty() => name.clone(),
                Value::Text(_) => {
                    let error = EvaluateError::new(
                        Cause::Argument("name".into()),
                        "the name of the resource is empty",
                    );
                    return Err(Located::new(error, json.span));
                }
                other => return Err(not_text(other, "name", json)),
            },
            rest if self.keeps() => {
                let name = rest.into_reduced().into_expression();
                let arguments = [Expression::Text(type_name.clone()), name.clone()];
                return Ok(ResourceIdentity {
                    id: template_string(&Expression::call("resourceId", arguments)),
                    type_name,
                    name: template_string(&name),
                    target,
                    unknown: Some("the name of the resource is not known"),
                });
            }
            rest => return Err(unknown(rest, json)),
        };
        if base.len() + type_name.len() + name.len() > MAX_ID {
            let message = format!("the id of the resource is longer than {MAX_ID} characters");
            return Err(Located::new(EvaluateError::new(Cause::TooLarge, message), json.span));
        }
        let name = self.whole_name(resource, &type_name, name)?;
        let Some(whole) = id::resource(&base, &type_name, &name) else {
            let shown = |text: &SmolStr| match self.secret.get() {
                Some(_) => SmolStr::new_static(contract::MASK),
                None => text.clone(),
            };
            let (type_name, name) = (shown(&type_name), shown(&name));
            let message = format!(
                "the type `{type_name}` and the name `{name}` have incorrect segment lengths: a resource type must have \
                 one segment more than the name"
            );
            return Err(Located::new(EvaluateError::new(Cause::Argument("name".into()), message), json.span));
        };
        let is_relative = base.is_empty() && self.around.deployment.context().scope == Scope::Unknown;
        let id = if is_relative && resource.scope.is_none() {
            let names = name.split('/').map(Expression::text);
            let arguments = [Expression::Text(type_name.clone())].into_iter().chain(names);
            template_string(&Expression::call("resourceId", arguments.collect::<Vec<_>>()))
        } else {
            whole
        };
        Ok(ResourceIdentity { id, type_name, name, target, unknown: None })
    }

    /// The name of a resource with the names around it. Inside another one, a type may be written in full and the name not: the
    /// levels that the name lacks are those of a resource around it.
    fn whole_name(&self, of: &Resource, kind: &str, name: SmolStr) -> Result<SmolStr, Located> {
        let levels = |text: &str| text.split('/').count();
        // Written in full where the type is not, it has the names around it twice.
        if levels(&name) >= levels(kind)
            && let Some(outer) = of.parent.and_then(|at| self.around.deployment.template().resources.get(at))
            && let Some(json) = &outer.name
        {
            let outer = self.text(json, "name")?;
            let own = name.get(outer.len() + 1..).filter(|own| levels(own) + 1 == levels(kind));
            let is_twice =
                |own: &&str| own.get(..outer.len()).is_some_and(|start| start.eq_ignore_ascii_case(&outer));
            return Ok(own.filter(is_twice).map_or_else(|| name.clone(), SmolStr::new));
        }
        let missing = levels(kind).saturating_sub(levels(&name) + 1);
        let resources = &self.around.deployment.template().resources;
        // What is around a resource comes before it.
        let mut around = of.parent.filter(|_| missing > 0).and_then(|at| resources.get(at));
        while let Some(outer) = around {
            around = outer.parent.and_then(|at| resources.get(at));
            let Some(json) = &outer.name else { continue };
            let outer_kind = self.text(&outer.kind, "type")?;
            let is_below =
                kind.get(..outer_kind.len()).is_some_and(|start| start.eq_ignore_ascii_case(&outer_kind));
            if !is_below {
                continue;
            }
            let outer_name = self.text(json, "name")?;
            if levels(&outer_name) == missing {
                return Ok(format_smolstr!("{outer_name}/{name}"));
            }
        }
        Ok(name)
    }

    /// Where a resource of Azure goes in a deployment to a plane of Radius.
    fn azure(&self) -> Result<Scope, Located> {
        let azure = self.around.deployment.context().azure.clone();
        azure.ok_or_else(|| {
            let message =
                "the resource is one of Azure, and the environment names no scope of Azure to deploy it to";
            let error = EvaluateError::new(Cause::Argument("scope".into()), message);
            Located::new(error, self.resource.span)
        })
    }

    /// The id that a resource of an extension has in a plane of Radius; none elsewhere, and if its name is known only later.
    fn radius_id(&self, type_name: &str) -> Result<Option<SmolStr>, Located> {
        let scope = &self.around.deployment.context().scope;
        if !matches!(scope, Scope::Plane { .. }) {
            return Ok(None);
        }
        let Some(properties) = self.resource.body.iter().find_map(|member| member.named("properties")) else {
            return Ok(None);
        };
        let known = match (properties.as_value(), properties.member("name")) {
            (Some(value), _) => value.as_object().and_then(|value| value.get("name")).cloned(),
            (None, Some(name)) => match walk::reduce(self.around, self.evaluator, name)? {
                Partial::Value(value) => Some(value),
                _ => None,
            },
            (None, None) => None,
        };
        if known.as_ref().is_some_and(Value::is_secret) {
            self.secret.set(Some("name"));
        }
        let Some(Value::Text(name)) = known.as_ref().map(Value::plain) else { return Ok(None) };
        Ok(id::radius(scope, type_name, name))
    }

    /// What the id starts with, and where a nested deployment goes.
    fn base(&self) -> Result<(SmolStr, Scope), Located> {
        let resource = self.resource;
        let own = &self.around.deployment.context().scope;
        if let Some(json) = &resource.scope {
            let text = self.text(json, "scope")?;
            let base = id::of_scope(&text, own);
            let target = Scope::parse(if base.is_empty() { "/" } else { &base }).unwrap_or_default();
            self.addressable(&target, "scope")?;
            return Ok((base, target));
        }
        // An empty name stands for the scope of the deployment: modules write `resourceGroup(name ?? '')`.
        let named = |json, what| Ok(self.optional_text(json, what)?.filter(|name| !name.is_empty()));
        let subscription = named(resource.subscription_id.as_ref(), "subscription")?;
        let group = named(resource.resource_group.as_ref(), "resource group")?;
        let own_subscription = || match own {
            Scope::Subscription(id) | Scope::ResourceGroup { subscription: id, .. } => Some(id.clone()),
            Scope::Unknown | Scope::Tenant | Scope::ManagementGroup(_) | Scope::Plane { .. } => None,
        };
        let target = match (subscription, group) {
            (None, None) if matches!(own, Scope::Plane { .. }) && resource.nested.is_none() => {
                self.azure()?
            }
            (None, None) => own.clone(),
            (Some(id), None) => Scope::Subscription(id),
            (subscription, Some(name)) => match subscription.or_else(own_subscription) {
                Some(subscription) => Scope::ResourceGroup { subscription, name },
                None if *own == Scope::Unknown => Scope::Unknown,
                None => {
                    let name = if self.secret.get().is_some() { contract::MASK } else { name.as_str() };
                    let message =
                        format!("the resource group `{name}` needs a `subscriptionId` at this scope");
                    let error = EvaluateError::new(Cause::Argument("resourceGroup".into()), message);
                    return Err(Located::new(error, resource.span));
                }
            },
        };
        if target != *own {
            self.addressable(&target, "resourceGroup")?;
        }
        Ok((target.id(), target))
    }

    /// Refuses a scope with names that the API does not have: what is kept there could not be addressed.
    fn addressable(&self, target: &Scope, member: &'static str) -> Result<(), Located> {
        let Some((what, name)) = target.unaddressable() else { return Ok(()) };
        // What an expression will give is looked at when it is known.
        if name.starts_with('[') {
            return Ok(());
        }
        let name = if self.secret.get().is_some() { contract::MASK.to_owned() } else { shortened(name) };
        let message = format!("`{name}` is not the name of a {what}: {NAMES_ARE_WRITTEN}");
        let error = EvaluateError::new(Cause::Argument(member.into()), message);
        Err(Located::new(error, self.resource.span))
    }

    fn text(&self, json: &TemplateNode, what: &'static str) -> Result<SmolStr, Located> {
        self.text_of(walk::reduce(self.around, self.evaluator, json)?, json, what)
    }

    fn text_of(&self, known: Partial, json: &TemplateNode, what: &'static str) -> Result<SmolStr, Located> {
        match known {
            Partial::Value(value) => match value.plain() {
                Value::Text(text) => {
                    if value.is_secret() {
                        self.secret.set(Some(what));
                    }
                    Ok(text.clone())
                }
                other => Err(not_text(other, "value", json)),
            },
            rest if self.keeps() => Ok(template_string(&rest.into_reduced().into_expression())),
            rest => Err(unknown(rest, json)),
        }
    }

    /// A text that may be left out, also by being null.
    fn optional_text(
        &self,
        json: Option<&TemplateNode>,
        what: &'static str,
    ) -> Result<Option<SmolStr>, Located> {
        let Some(json) = json else { return Ok(None) };
        match walk::reduce(self.around, self.evaluator, json)? {
            Partial::Value(Value::Null) => Ok(None),
            known => self.text_of(known, json, what).map(Some),
        }
    }

    fn keeps(&self) -> bool {
        self.around.deployment.context().unresolved == Unresolved::Keep
    }

    /// What the resource is called as long as its id is not known.
    fn label(&self) -> String {
        let name = self.resource.name.as_ref();
        match (
            &self.resource.symbol,
            name.and_then(TemplateNode::as_str),
            name.and_then(TemplateNode::as_expression),
        ) {
            (Some(symbol), ..) => symbol.to_string(),
            (None, Some(name), _) => name.to_owned(),
            (None, None, Some(expression)) => template_string(expression).to_string(),
            (None, None, None) => "resource".to_owned(),
        }
    }

    fn diagnose(&self, all: &mut Expanded, target: String, code: &'static str, message: impl Into<String>) {
        all.diagnostics.push(WhatIfDiagnostic {
            target,
            level: Level::Warning,
            code: code.into(),
            message: message.into(),
        });
    }

    fn error(&self, located: &Located) -> TemplateError {
        let deployment = self.around.deployment;
        let location = deployment.template().location(located.span);
        let before = format!("The template resource '{}'", self.label());
        let behind = Message::sentence(format!(" is not valid: {}", located.error));
        let place = (location.line, location.column);
        TemplateError::placed(code::INVALID_TEMPLATE, &before, place, behind).at(location)
    }
}

struct ResourceIdentity {
    id: SmolStr,
    type_name: SmolStr,
    name: SmolStr,
    target: Scope,
    unknown: Option<&'static str>,
}

/// A text that fits a line.
fn cut(text: &str) -> String {
    match text.char_indices().nth(200) {
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()),
        None => text.to_owned(),
    }
}

fn unknown(rest: Partial, json: &TemplateNode) -> Located {
    Located::new(crate::evaluate::unknown(&rest.into_reduced().into_expression()), json.span)
}

fn not_text(value: &Value, what: &str, json: &TemplateNode) -> Located {
    let message = format_smolstr!("the {what} must be a string, not {}", crate::evaluate::article(value));
    Located::new(EvaluateError::new(Cause::Argument(what.into()), message.as_str()), json.span)
}

/// What the names of scopes look like.
const NAMES_ARE_WRITTEN: &str = "it has 1 to 90 letters, digits and `-_.()`, and does not end with a period";

/// A name as a message repeats it.
fn shortened(name: &str) -> String {
    const MOST: usize = 100;
    match name.char_indices().nth(MOST) {
        None => name.to_owned(),
        Some((end, _)) => format!("{}…", name.get(..end).unwrap_or_default()),
    }
}
