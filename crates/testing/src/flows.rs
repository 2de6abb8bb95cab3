//! Parameters that become names of resources: an empty one, or one with a slash, is the name of nothing.

use std::collections::BTreeSet;

use serde_json::Value as Json;

/// How deep templates in templates are looked into.
const DEEPEST: usize = 16;

/// The parameters of a template that are names of resources, or parts of them, as they are.
pub(crate) fn names(template: &str) -> BTreeSet<String> {
    serde_json::from_str(template).map(|template| names_of(&template, DEEPEST)).unwrap_or_default()
}

/// Recursion is bounded by the depth.
fn names_of(template: &Json, depth: usize) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    if depth == 0 {
        return found;
    }
    let resources: Vec<&Json> = match template.get("resources") {
        Some(Json::Object(all)) => all.values().collect(),
        Some(Json::Array(all)) => all.iter().collect(),
        _ => Vec::new(),
    };
    for resource in resources {
        let name = resource.get("name").and_then(Json::as_str).unwrap_or_default();
        found.extend(parts(name).into_iter().filter_map(|part| parameter(part, template)));
        let Some(properties) = resource.get("properties") else { continue };
        let Some(inner) = properties.get("template") else { continue };
        for name in names_of(inner, depth - 1) {
            let given =
                properties.get("parameters").and_then(|given| given.get(&name)?.get("value")?.as_str());
            found.extend(given.and_then(expression).and_then(|given| parameter(given, template)));
        }
    }
    found
}

/// What stands in an expression string.
fn expression(text: &str) -> Option<&str> {
    text.strip_prefix('[').filter(|rest| !rest.starts_with('[')).and_then(|rest| rest.strip_suffix(']'))
}

/// The expressions that are whole parts of a name.
fn parts(name: &str) -> Vec<&str> {
    let Some(name) = expression(name) else { return Vec::new() };
    let Some(arguments) = name.strip_prefix("format(").and_then(|rest| rest.strip_suffix(')')) else {
        return vec![name];
    };
    let all = arguments_of(arguments);
    let Some((form, rest)) = all.split_first() else { return Vec::new() };
    let hole = |part: &str| part.strip_prefix('{')?.strip_suffix('}')?.parse::<usize>().ok();
    let holes = form.trim_matches('\'').split('/').filter_map(hole);
    holes.filter_map(|hole| rest.get(hole).copied()).collect()
}

/// Arguments, which commas divide outside of brackets and texts.
fn arguments_of(text: &str) -> Vec<&str> {
    let (mut all, mut begin, mut depth, mut is_text) = (Vec::new(), 0, 0_i32, false);
    for (at, letter) in text.char_indices() {
        match letter {
            '\'' => is_text = !is_text,
            '(' | '[' if !is_text => depth += 1,
            ')' | ']' if !is_text => depth -= 1,
            ',' if !is_text && depth == 0 => {
                all.extend(text.get(begin..at).map(str::trim));
                begin = at + 1;
            }
            _ => {}
        }
    }
    all.extend(text.get(begin..).map(str::trim));
    all
}

/// The parameter that an expression is, also through a variable.
fn parameter(expression: &str, template: &Json) -> Option<String> {
    let named = |function: &str, text: &str| {
        let inner = text.strip_prefix(function)?.strip_prefix("('")?.strip_suffix("')")?;
        (!inner.contains('\'')).then(|| inner.to_owned())
    };
    named("parameters", expression).or_else(|| {
        let variable = named("variables", expression)?;
        let value = template.get("variables")?.get(&variable)?.as_str()?;
        named("parameters", self::expression(value)?)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_are_names_as_they_are() {
        let template = r#"{"variables": {"v": "[parameters('d')]"}, "resources": {
            "a": {"name": "[parameters('a')]"},
            "b": {"name": "[format('{0}/x-{1}/{2}', parameters('b'), parameters('no'), variables('v'))]"},
            "c": {"name": "[toLower(parameters('no'))]"},
            "m": {"name": "m", "properties": {
                "parameters": {"inner": {"value": "[parameters('c')]"}, "other": {"value": "[parameters('no')]"}},
                "template": {"resources": [{"name": "[parameters('inner')]"}]}}}}}"#;
        let found: Vec<String> = names(template).into_iter().collect();
        assert_eq!(found, ["a", "b", "c", "d"]);
        assert!(names("not json").is_empty());
    }
}
