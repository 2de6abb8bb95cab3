//! Nested templates whose expressions mean the template around them: what they take from there becomes parameters.

use arm::expression::{Expression, FunctionCall, TemplateString};
use rustc_hash::{FxHashMap, FxHashSet};
use smol_str::SmolStr;

use crate::json::{Json, template_string};
use crate::names::escape;
use crate::problem::{DecompileError, Result};

/// The type of parameters of which nothing is known; people have to fill it in.
const UNKNOWN: &str = "__bicep_replace";

/// A parameter: what it is given, and its type.
type OuterParameter = (Expression, &'static str);

/// The same deployment with a template that stands for itself; none if it does already.
///
/// `outer` has the declarations of the parameters around it, by their names in small letters.
pub(crate) fn inner(outer: &FxHashMap<String, &Json>, deployment: &Json) -> Result<Option<Json>> {
    let at = |path: &[&str]| deployment.at(path);
    let scope = at(&["properties", "expressionEvaluationOptions", "scope"]).and_then(Json::as_str);
    let Some(template) = at(&["properties", "template"]).filter(|it| it.is_object()) else { return Ok(None) };
    if scope.is_some_and(|scope| scope.eq_ignore_ascii_case("inner")) {
        return Ok(None);
    }
    if template.find("parameters").is_some_and(|it| !it.members().is_empty()) {
        let problem = DecompileError::new(
            "a nested template whose expressions mean the template around it has no parameters",
        );
        return Err(problem.under("parameters").under("template").under("properties"));
    }
    let mut template = template.clone();
    let parameters = take_parameters(&mut template)?;
    let mut declared = Vec::new();
    let mut given = Vec::new();
    for (name, (expression, ty)) in &parameters.list {
        let outer = outer.get(&name.to_lowercase());
        declared.push((
            name.clone(),
            match outer {
                Some(outer) => {
                    let mut outer = (*outer).clone();
                    outer.remove("defaultValue");
                    outer
                }
                None => Json::Object(vec![("type".into(), Json::text(*ty))]),
            },
        ));
        let value = Json::text(template_string(expression));
        given.push((name.clone(), Json::Object(vec![("value".into(), value)])));
    }
    template.set("parameters", Json::Object(declared));
    let mut deployment = deployment.clone();
    if let Some(properties) = deployment.find_mut("properties") {
        properties.set("template", template);
        properties.set("parameters", Json::Object(given));
    }
    Ok(Some(deployment))
}

/// The parameters that are found, each once, in order.
#[derive(Default)]
struct Parameters {
    list: Vec<(SmolStr, OuterParameter)>,
    known: FxHashSet<String>,
}

impl Parameters {
    fn add(&mut self, name: SmolStr, given: OuterParameter) {
        if self.known.insert(name.to_lowercase()) {
            self.list.push((name, given));
        }
    }
}

/// Replaces what a template takes from around it by parameters.
fn take_parameters(template: &mut Json) -> Result<Parameters> {
    let mut used: FxHashSet<String> = FxHashSet::default();
    change(template, &mut |part| {
        if let Some(Expression::Text(name)) = argument_of(&part, "parameters") {
            used.insert(name.to_lowercase());
        }
        part
    })?;
    let mut parameters = Parameters::default();
    let replace = |parameters: &mut Parameters, part: Expression, name: &Expression, ty: &'static str| {
        let mut name = escape(&name.to_string(), true);
        if used.contains(&name.to_lowercase()) {
            name = format!("generated_{name}");
        }
        parameters.add(name.as_str().into(), (part, ty));
        Expression::call("parameters", [Expression::text(name)])
    };
    for (function, ty) in [("reference", "object"), ("resourceId", "string"), ("variables", UNKNOWN)] {
        change_outermost(template, function, &mut |call, whole| {
            let target = match &call {
                Expression::Call(call) => call.arguments.first().cloned(),
                _ => None,
            };
            let target = target.filter(|it| {
                function == "reference" && it.as_call().is_some_and(|it| it.is_call_to("resourceId"))
            });
            let name = target.unwrap_or(whole);
            replace(&mut parameters, call, &name, ty)
        })?;
    }
    // What is an expression only for the inner template has one bracket more.
    template.unescape();
    change(template, &mut |part| {
        if let Some(Expression::Text(name)) = argument_of(&part, "parameters") {
            let name = name.clone();
            parameters.add(name, (part.clone(), UNKNOWN));
        }
        part
    })?;
    Ok(parameters)
}

fn argument_of<'e>(part: &'e Expression, function: &str) -> Option<&'e Expression> {
    match part.as_call().filter(|call| call.is_call_to(function))?.arguments.as_slice() {
        [argument] => Some(argument),
        _ => None,
    }
}

/// Changes the expressions of a template, from the inside.
fn change(json: &mut Json, with: &mut impl FnMut(Expression) -> Expression) -> Result<()> {
    each_text(json, &mut |text| changed(text, with))
}

/// Changes the texts of a template. Names of members are expressions as well.
fn each_text(json: &mut Json, with: &mut impl FnMut(&str) -> Result<Option<SmolStr>>) -> Result<()> {
    match json {
        Json::Text(text) => {
            if let Some(changed) = with(text)? {
                *text = changed;
            }
        }
        Json::List(items) => {
            for item in items {
                each_text(item, with)?;
            }
        }
        Json::Object(members) => {
            for (name, value) in members {
                if let Some(changed) = with(name)? {
                    *name = changed;
                }
                each_text(value, with)?;
            }
        }
        Json::Null | Json::Bool(_) | Json::Int(_) | Json::Number(_) => {}
    }
    Ok(())
}

/// Changes the calls of a function in a template, but not those inside of them. `with` takes the call, and the
/// call with the steps behind it.
fn change_outermost(
    json: &mut Json,
    function: &str,
    with: &mut impl FnMut(Expression, Expression) -> Expression,
) -> Result<()> {
    let mut all = |text: &str| -> Result<Option<SmolStr>> {
        if !matches!(TemplateString::of(text), TemplateString::Expression(_)) {
            return Ok(None);
        }
        let before = Json::text(text).expression()?;
        let after = outermost(before.clone(), function, with);
        Ok((before != after).then(|| template_string(&after).into()))
    };
    each_text(json, &mut all)
}

fn outermost(
    expression: Expression,
    function: &str,
    with: &mut impl FnMut(Expression, Expression) -> Expression,
) -> Expression {
    let is_it = |expression: &Expression| expression.as_call().is_some_and(|call| call.is_call_to(function));
    match expression {
        Expression::Access(access) => {
            let whole = Expression::Access(access.clone());
            let (base, path) = access.into_parts();
            let base = if is_it(&base) { with(base, whole) } else { outermost(base, function, with) };
            path.into_iter().fold(base, |base, step| base.index(outermost(step, function, with)))
        }
        Expression::Call(_) if is_it(&expression) => with(expression.clone(), expression),
        Expression::Call(call) => {
            let FunctionCall { namespace, name, arguments } = *call;
            let arguments = arguments.into_iter().map(|it| outermost(it, function, with)).collect();
            Expression::Call(Box::new(FunctionCall { namespace, name, arguments }))
        }
        other => other,
    }
}

fn changed(text: &str, with: &mut impl FnMut(Expression) -> Expression) -> Result<Option<SmolStr>> {
    if !matches!(TemplateString::of(text), TemplateString::Expression(_)) {
        return Ok(None);
    }
    let before = Json::text(text).expression()?;
    let after = before.clone().rewrite(with);
    Ok((before != after).then(|| template_string(&after).into()))
}
