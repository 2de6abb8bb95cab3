//! Values for the parameters of a template that need one, made from their types.

use arm::Value;
use serde_json::Value as Written;

/// A value for each parameter that must be given, by name.
pub(super) fn required(template: &Written) -> Vec<(String, Value)> {
    let parameters = template.get("parameters").and_then(Written::as_object);
    let needed = |declared: &Written| {
        let declared = resolved(template, declared);
        declared.get("defaultValue").is_none() && declared.get("nullable") != Some(&Written::Bool(true))
    };
    let entries = parameters.into_iter().flatten().filter(|(_, declared)| needed(declared));
    entries.map(|(name, declared)| (name.clone(), value(template, name, declared, DEPTH))).collect()
}

/// How deep a value is made; what lies deeper is empty.
const DEPTH: usize = 12;

/// The type that a declaration refers to, if it does.
fn resolved<'t>(template: &'t Written, declared: &'t Written) -> &'t Written {
    let mut declared = declared;
    for _ in 0..DEPTH {
        let pointer = declared.get("$ref").and_then(Written::as_str).and_then(|text| text.strip_prefix('#'));
        match pointer.and_then(|pointer| template.pointer(pointer)) {
            Some(next) => declared = next,
            None => return declared,
        }
    }
    declared
}

fn value(template: &Written, name: &str, declared: &Written, depth: usize) -> Value {
    let declared = resolved(template, declared);
    if let Some(first) = declared.get("allowedValues").and_then(|allowed| allowed.get(0)) {
        return copy(first);
    }
    let bound = |name: &str| declared.get(name).and_then(Written::as_u64).map(|bound| bound as usize);
    let word = declared.get("type").and_then(Written::as_str).unwrap_or("object").to_ascii_lowercase();
    match word.as_str() {
        "string" | "securestring" => Value::text(text(name, bound("minLength"), bound("maxLength"))),
        "int" => Value::Int(declared.get("minValue").and_then(Written::as_i64).unwrap_or(1)),
        "bool" => Value::Bool(true),
        "array" => {
            let item = declared.get("items").filter(|_| depth > 0);
            let item = item.map_or(Value::text("one"), |item| value(template, name, item, depth - 1));
            Value::array(vec![item; bound("minLength").unwrap_or(1).clamp(1, 10)])
        }
        _ => {
            let mut members = Vec::new();
            let properties = declared.get("properties").and_then(Written::as_object);
            for (name, property) in properties.into_iter().flatten().filter(|_| depth > 0) {
                if resolved(template, property).get("nullable") != Some(&Written::Bool(true)) {
                    members.push((name.clone(), value(template, name, property, depth - 1)));
                }
            }
            if let Some(choice) = declared.get("discriminator")
                && let (Some(name), Some((tag, branch))) = (
                    choice.get("propertyName").and_then(Written::as_str),
                    choice.get("mapping").and_then(Written::as_object).and_then(|all| all.iter().next()),
                )
                && let Value::Object(branch) = value(template, name, branch, depth.saturating_sub(1))
            {
                members.extend(branch.iter().map(|(name, value)| (name.to_string(), value.clone())));
                members.retain(|(other, _)| other != name);
                members.push((name.to_owned(), Value::text(tag.as_str())));
            }
            Value::object(members)
        }
    }
}

/// A text that fits its name and its length: functions take addresses and ids apart.
fn text(name: &str, least: Option<usize>, most: Option<usize>) -> String {
    let name = name.to_ascii_lowercase();
    let mut text = if name.contains("prefix") || name.contains("cidr") || name.contains("addressspace") {
        "10.0.0.0/24".to_owned()
    } else if name.ends_with("id") && most.is_none_or(|most| most > 100) {
        let subscription = "/subscriptions/00000000-0000-0000-0000-000000000001";
        format!("{subscription}/resourceGroups/group/providers/Microsoft.Things/things/thing")
    } else {
        "value".to_owned()
    };
    while text.len() < least.unwrap_or(0) {
        text.push('x');
    }
    text.truncate(most.unwrap_or(usize::MAX));
    text
}

fn copy(value: &Written) -> Value {
    match value {
        Written::Null => Value::Null,
        Written::Bool(value) => Value::Bool(*value),
        Written::Number(number) => Value::Int(number.as_i64().unwrap_or_default()),
        Written::String(text) => Value::text(text.as_str()),
        Written::Array(items) => Value::array(items.iter().map(copy).collect()),
        Written::Object(members) => {
            Value::object(members.iter().map(|(name, value)| (name.clone(), copy(value))))
        }
    }
}
