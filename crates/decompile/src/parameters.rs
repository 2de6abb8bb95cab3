//! Parameters JSON as a parameters file of Bicep.

use syntax::SourceKind;

use crate::code::{BicepCode, Member, formatted, quoted};
use crate::json::Json;
use crate::names::declared;
use crate::problem::{DecompileError, Result, Under as _};

/// Writes parameters JSON as the text of a `.bicepparam` file, for the program at a path relative to it.
pub fn decompile_parameters(text: &str, program: Option<&str>) -> Result<String, DecompileError> {
    let json = crate::read(text)?;
    if !json.is_object() {
        return Err(DecompileError::new("a parameters file is an object"));
    }
    if json.find("parameters").is_some_and(|it| !it.is_object()) {
        return Err(DecompileError::new("`parameters` is not an object").under("parameters"));
    }
    if json.find("resources").is_some() {
        return Err(DecompileError::new("this is a template, and not a parameters file").under("resources"));
    }
    let mut blocks = vec![match program {
        Some(path) => format!("using {}\n", quoted(path)),
        None => "using '' /*TODO: Provide a path to a bicep template*/\n".to_owned(),
    }];
    let parameters = json.find("parameters").map(Json::members).unwrap_or_default();
    // A parameter is seen before a function of the same name.
    let number = if parameters.iter().any(|(name, _)| name == "json") { "sys.json" } else { "json" };
    for (name, parameter) in parameters {
        blocks.push(assignment(name, parameter, number).under(name).under("parameters")?);
    }
    Ok(formatted(blocks.join("\n"), SourceKind::Params))
}

fn assignment(name: &str, parameter: &Json, number: &str) -> Result<String> {
    declared(name)?;
    let mut text = String::new();
    if let Some(metadata) = parameter.find("metadata") {
        let shown = metadata.print().replace("*/", "* /");
        text.push_str(&format!(
            "/*\nA parameters file has no place for the metadata of a parameter:\n{shown}\n*/\n"
        ));
    }
    let value = match (parameter.find("reference"), parameter.find("value")) {
        (Some(reference), _) if reference.is_object() => secret(reference).under("reference")?,
        (_, Some(value)) => constant(value, number, 0).under("value")?,
        _ => return Err(DecompileError::new("the parameter has no value")),
    };
    text.push_str(&format!("param {name} = {}\n", value.print()));
    Ok(text)
}

/// A value without expressions; `number` is the function that makes a number of a text.
fn constant(json: &Json, number: &str, depth: usize) -> Result<BicepCode> {
    if depth > crate::code::MAX_DEPTH {
        return Err(DecompileError::new("it is nested too deeply for Bicep"));
    }
    match json {
        Json::Null => Ok(BicepCode::Null),
        Json::Bool(it) => Ok(BicepCode::Bool(*it)),
        Json::Int(whole) => Ok(BicepCode::Int(*whole)),
        Json::Number(text) => Ok(BicepCode::call(number, vec![BicepCode::text(text.as_str())])),
        Json::Text(text) => Ok(BicepCode::text(text.as_str())),
        Json::List(items) => {
            let items: Result<Vec<BicepCode>> =
                items.iter().map(|item| constant(item, number, depth + 1)).collect();
            Ok(BicepCode::Array(items?))
        }
        Json::Object(members) => {
            let mut codes = Vec::with_capacity(members.len());
            for (name, value) in members {
                codes.push(Member::Named(name.to_string(), constant(value, number, depth + 1).under(name)?));
            }
            Ok(BicepCode::Object(codes))
        }
    }
}

/// A secret in a vault.
fn secret(reference: &Json) -> Result<BicepCode> {
    let vault = reference.at(&["keyVault", "id"]).map(Json::to_text).unwrap_or_default();
    let name = reference.find("secretName").map(Json::to_text).unwrap_or_default();
    if vault.trim().is_empty() || name.trim().is_empty() {
        return Err(DecompileError::new("a secret needs the id of its vault and a name"));
    }
    let parts: Vec<&str> = vault.split('/').filter(|part| !part.is_empty()).collect();
    let [subscriptions, subscription, groups, group, providers, _, _, vault] = parts.as_slice() else {
        return Err(DecompileError::new(format!("`{vault}` is not the id of a vault in a resource group")));
    };
    if !subscriptions.eq_ignore_ascii_case("subscriptions")
        || !groups.eq_ignore_ascii_case("resourceGroups")
        || !providers.eq_ignore_ascii_case("providers")
    {
        return Err(DecompileError::new("the id of the vault names no subscription and resource group"));
    }
    let mut arguments = vec![
        BicepCode::text(*subscription),
        BicepCode::text(*group),
        BicepCode::text(*vault),
        BicepCode::text(name),
    ];
    if let Some(version) = reference.find("secretVersion").map(Json::to_text).filter(|it| !it.is_empty()) {
        arguments.push(BicepCode::text(version));
    }
    Ok(BicepCode::Method(Box::new(BicepCode::raw("az")), "getSecret".to_owned(), arguments))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_not_expressions() {
        let json = r#"{"parameters": {"a": {"value": "[x]"}, "b": {"value": {"c-d": [1, null]}}}}"#;
        let made = decompile_parameters(json, Some("main.bicep")).unwrap();
        assert_eq!(
            made,
            "using 'main.bicep'\n\nparam a = '[x]'\n\nparam b = {\n  'c-d': [\n    1\n    null\n  ]\n}\n"
        );
    }

    #[test]
    fn a_parameter_can_have_the_name_of_a_function() {
        let json = r#"{"parameters": {"json": {"value": [1.5]}}}"#;
        let made = decompile_parameters(json, Some("main.bicep")).unwrap();
        assert_eq!(made, "using 'main.bicep'\n\nparam json = [\n  sys.json('1.5')\n]\n");
    }

    #[test]
    fn what_has_no_value_is_named() {
        let problem = decompile_parameters(r#"{"parameters": {"a": {}}}"#, None).unwrap_err();
        assert_eq!(problem.to_string(), "/parameters/a: the parameter has no value");
        for (text, problem) in [
            (
                r#"{"parameters": {"sys": {"value": 1}}}"#,
                "/parameters/sys: `sys` is the name of a namespace in Bicep",
            ),
            ("[]", "a parameters file is an object"),
            (r#"{"parameters": []}"#, "/parameters: `parameters` is not an object"),
            (r#"{"resources": []}"#, "/resources: this is a template, and not a parameters file"),
        ] {
            assert_eq!(decompile_parameters(text, None).unwrap_err().to_string(), problem);
        }
    }
}
