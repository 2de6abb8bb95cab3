//! The constraints and validators that a value is held against, for those who tell which of them anything has come to.

use document::SourceValue;

use super::TypeDefinition;
use super::declared::{PropertyIndex, branch, is_type};
use crate::Value;
use crate::template::Template;
use crate::template::locate::push_name;
use crate::template::read::{follow, member};

/// The members of types that a value can break.
const RULES: [&str; 6] = ["minValue", "maxValue", "minLength", "maxLength", "allowedValues", "validate"];

/// The member that has several validators.
const CUSTOM: &str = "userDefinedConstraint";

/// How many parts of types are looked at.
const MOST_PARTS: usize = 10_000;

/// A part of a type with the way to it, and what is held against it.
type Part<'p> = (SourceValue<'p>, String, &'p Value);

impl Template {
    /// The ways to the constraints and validators that a value of a parameter is held against: `definitions.size.properties.width.minValue`.
    pub fn rules_applied(&self, parameter: &str, ty: &TypeDefinition, value: &Value) -> Vec<String> {
        let mut path = "parameters".to_owned();
        push_name(&mut path, parameter);
        let root = self.source();
        let mut properties = PropertyIndex::default();
        let mut found = Vec::new();
        let mut open: Vec<Part<'_>> = vec![(self.document.value(ty.node), path, value)];
        let mut left = MOST_PARTS;
        while let Some((ty, path, value)) = open.pop() {
            let value = value.plain();
            if left == 0 || value.is_null() {
                continue;
            }
            left -= 1;
            let below = |name: &str| {
                let mut path = path.clone();
                push_name(&mut path, name);
                path
            };
            found.extend(RULES.iter().filter(|rule| member(ty, rule).is_some()).map(|rule| below(rule)));
            if let Some(written) = member(ty, CUSTOM) {
                match written.items().len() {
                    0 => found.push(below(CUSTOM)),
                    several => found.extend((0..several).map(|at| format!("{}[{at}]", below(CUSTOM)))),
                }
            }
            let reference = member(ty, "$ref").and_then(SourceValue::as_str);
            if let Some((reference, target)) = reference.and_then(|it| Some((it, follow(root, it)?))) {
                let mut path = String::new();
                for token in reference.trim_start_matches("#/").split('/') {
                    push_name(&mut path, &token.replace("~1", "/").replace("~0", "~"));
                }
                open.push((target, path, value));
            }
            match value {
                Value::Object(object) => {
                    let declared = member(ty, "properties");
                    let rest = member(ty, "additionalProperties").filter(is_type);
                    for (name, value) in &**object {
                        let property = declared.and_then(|declared| properties.property(declared, name));
                        if let Some((name, ty)) = property {
                            let mut path = below("properties");
                            push_name(&mut path, name);
                            open.push((ty, path, value));
                        } else if let Some(rest) = rest {
                            open.push((rest, below("additionalProperties"), value));
                        }
                    }
                    let union = member(ty, "discriminator");
                    if let Some(chosen) = union.and_then(|union| branch(union, value)) {
                        open.push((chosen, below("discriminator"), value));
                    }
                }
                Value::Array(list) => {
                    let first: Vec<SourceValue<'_>> =
                        member(ty, "prefixItems").into_iter().flat_map(SourceValue::items).collect();
                    let rest = member(ty, "items").filter(is_type);
                    for (at, item) in list.items().iter().enumerate() {
                        if let Some(ty) = first.get(at) {
                            open.push((*ty, format!("{}[{at}]", below("prefixItems")), item));
                        } else if let Some(rest) = rest {
                            open.push((rest, below("items"), item));
                        }
                    }
                }
                _ => {}
            }
        }
        found.sort();
        found.dedup();
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_are_those_of_the_parts_that_are_there() {
        let text = r##"{"$schema": "https://schema.management.azure.com/schemas/2019-04-01/deploymentTemplate.json#",
            "contentVersion": "1.0.0.0", "languageVersion": "2.0", "resources": {},
            "definitions": {"conf": {"type": "object", "properties": {
                "name": {"type": "string", "minLength": 2},
                "n": {"type": "int", "maxValue": 9, "nullable": true}}}},
            "parameters": {"c": {"$ref": "#/definitions/conf"},
                "xs": {"type": "array", "maxLength": 3, "items": {"type": "int", "minValue": 1}}}}"##;
        let template = Template::read(text, &crate::template::TemplateLimits::DEFAULT).unwrap();
        let rules = |name: &str, value: Value| {
            let parameter = template.parameters.iter().find(|it| it.name == name).unwrap();
            template.rules_applied(name, &parameter.ty, &value)
        };
        let conf = Value::object([("name", Value::text("ab")), ("n", Value::Null)]);
        assert_eq!(rules("c", conf), ["definitions.conf.properties.name.minLength"]);
        assert_eq!(rules("xs", Value::array(vec![])), ["parameters.xs.maxLength"]);
        let both = ["parameters.xs.items.minValue", "parameters.xs.maxLength"];
        assert_eq!(rules("xs", Value::array(vec![Value::Int(2), Value::Int(3)])), both);
    }
}
