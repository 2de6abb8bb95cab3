//! Which parameters of a template in JSON decide what it deploys.

use arm::expression::{Expression, TemplateString};
use contract::Node;
use document::SourceValue;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::symbols::Deciding;

/// How deep deployments may stand inside each other.
const MAX_DEPTH: usize = 32;

/// The numbers of parameters and variables, by their names in lower case.
#[derive(Default)]
struct DeclarationNumbers {
    parameters: FxHashMap<String, usize>,
    variables: FxHashMap<String, usize>,
}

/// What decides in a template that stands in so many others.
pub(super) fn of_template(template: SourceValue<'_>, depth: usize) -> Deciding {
    let (mut deciding, mut names) = (Deciding::default(), DeclarationNumbers::default());
    let mut values: Vec<(usize, SourceValue<'_>)> = Vec::new();
    for (key, value) in template.member("parameters").into_iter().flat_map(SourceValue::members) {
        let Some(name) = key.as_str() else { continue };
        let number = deciding.add(Some(name));
        names.parameters.insert(name.to_ascii_lowercase(), number);
        values.extend(value.member("defaultValue").map(|value| (number, value)));
    }
    for (name, value) in variables(template) {
        let number = deciding.add(None);
        names.variables.insert(name.to_ascii_lowercase(), number);
        values.push((number, value));
    }
    for (number, value) in values {
        deciding.mention(number, names.mentions(value));
    }
    names.resources(template, &mut deciding, depth);
    deciding
}

/// The variables of a template, those that are made by loops among them.
fn variables(template: SourceValue<'_>) -> Vec<(&str, SourceValue<'_>)> {
    let mut found = Vec::new();
    for (key, value) in template.member("variables").into_iter().flat_map(SourceValue::members) {
        match key.as_str() {
            Some("copy") => {
                let named = value.items().filter_map(|it| Some((it.member("name")?.as_str()?, it)));
                found.extend(named);
            }
            Some(name) => found.push((name, value)),
            None => {}
        }
    }
    found
}

impl DeclarationNumbers {
    /// Notes what decides in the resources of a template or of a resource.
    fn resources(&self, parent: SourceValue<'_>, deciding: &mut Deciding, depth: usize) {
        let Some(resources) = parent.member("resources").filter(|_| depth < MAX_DEPTH) else { return };
        let listed = resources.items().chain(resources.members().map(|(_, resource)| resource));
        for resource in listed {
            self.resource(resource, deciding, depth);
            self.resources(resource, deciding, depth + 1);
        }
    }

    fn resource(&self, resource: SourceValue<'_>, deciding: &mut Deciding, depth: usize) {
        // What is only referred to is not deployed.
        if resource.member("existing").is_some_and(|it| it.node() == Node::Bool(true)) {
            return;
        }
        let text = |name: &str| resource.member(name).and_then(SourceValue::as_str);
        let is_deployment =
            text("type").is_some_and(|ty| ty.eq_ignore_ascii_case("Microsoft.Resources/deployments"));
        let members: &[&str] = if is_deployment {
            // Its own name is not that of a resource.
            &["condition", "scope", "subscriptionId", "resourceGroup"]
        } else if resource.member("import").or_else(|| resource.member("extension")).is_some() {
            &["condition", "apiVersion"]
        } else {
            &["condition", "name", "apiVersion", "scope"]
        };
        for value in members.iter().filter_map(|name| resource.member(name)) {
            deciding.decide(self.mentions(value));
        }
        let Some(properties) = resource.member("properties").filter(|_| is_deployment) else { return };
        let Some(template) = properties.member("template").filter(|_| depth < MAX_DEPTH) else { return };
        let evaluation = properties.member("expressionEvaluationOptions").and_then(|it| it.member("scope"));
        if !evaluation.and_then(SourceValue::as_str).is_some_and(|scope| scope.eq_ignore_ascii_case("inner"))
        {
            // Its expressions are those of the template around it.
            return self.resources(template, deciding, depth + 1);
        }
        let given = properties.member("parameters").into_iter().flat_map(SourceValue::members);
        let given = given.filter_map(|(key, value)| Some((key.as_str()?.to_ascii_lowercase(), value)));
        let given: Vec<(String, SourceValue<'_>)> = given.collect();
        let names: FxHashSet<&str> = given.iter().map(|(name, _)| name.as_str()).collect();
        let inner = of_template(template, depth + 1);
        let inner = inner.parameters(|name| names.contains(name));
        for (_, value) in given.iter().filter(|(name, _)| inner.contains(name.as_str())) {
            deciding.decide(self.mentions(*value));
        }
    }

    /// The parameters and variables that the expressions in a value mention.
    fn mentions(&self, value: SourceValue<'_>) -> Vec<usize> {
        let (mut found, mut todo) = (Vec::new(), vec![value]);
        while let Some(value) = todo.pop() {
            todo.extend(value.items());
            todo.extend(value.members().map(|(_, value)| value));
            // What is not an expression is an error elsewhere.
            let Some(Ok(expression)) = value.as_str().map(TemplateString::parse) else { continue };
            expression.for_each(&mut |part| found.extend(self.mentioned(part)));
        }
        found
    }

    fn mentioned(&self, part: &Expression) -> Option<usize> {
        let call = part.as_call()?;
        let [Expression::Text(name)] = call.arguments.as_slice() else { return None };
        let names = match (call.is_call_to("parameters"), call.is_call_to("variables")) {
            (true, _) => &self.parameters,
            (_, true) => &self.variables,
            _ => return None,
        };
        names.get(name.to_ascii_lowercase().as_str()).copied()
    }
}
