//! Decorators that the language does not have: those that a configuration file or the types of an extension declare.
//!
//! Both declare them in one form, and whatever they are called, they become members of `@options`. So a row of data is
//! all that is needed: neither the checks nor the emitter know one of them by name.

use contract::Node;
use document::SourceValue;
use smol_str::SmolStr;
use syntax::spelling::is_name;

use super::type_text;
use crate::functions;
use crate::types::{BuiltIn, EvaluationPhase, FunctionFlags as F, Parameter, Signature, Ty};

/// A decorator that is declared outside the language.
#[derive(Clone, Debug)]
pub(crate) struct CustomDecorator {
    pub(crate) name: SmolStr,
    /// The parameters, in order.
    pub(crate) parameters: Vec<Parameter>,
    /// The kinds of declarations that it decorates.
    pub(crate) targets: F,
}

impl CustomDecorator {
    /// Reads a declaration: `{"parameters": [{"name", "type", "optional"?}], "targets": ["resource", "module"]}`; or
    /// says what is wrong with it.
    pub(crate) fn read(name: &str, value: SourceValue<'_>) -> Result<CustomDecorator, String> {
        if !is_name(name) {
            return Err("the name is not an identifier".to_owned());
        }
        if let Some(known) = language_name(name) {
            return Err(format!("the language has {known} of that name"));
        }
        known_members(value, "the declaration", &["parameters", "targets", "description"])?;
        let mut parameters: Vec<Parameter> = Vec::new();
        if let Some(list) = value.member("parameters") {
            let Node::List(_) = list.node() else { return Err("`parameters` must be an array".to_owned()) };
            for item in list.items() {
                let parameter = read_parameter(item)?;
                if parameters.iter().any(|known| known.name == parameter.name) {
                    return Err(format!("two parameters have the name `{}`", parameter.name));
                }
                if parameter.required && parameters.iter().any(|known| !known.required) {
                    return Err(format!(
                        "the parameter `{}` must be optional, because one before it is",
                        parameter.name
                    ));
                }
                parameters.push(parameter);
            }
        }
        Ok(CustomDecorator { name: name.into(), parameters, targets: read_targets(value)? })
    }

    /// How it is called.
    pub(crate) fn signature(&self) -> Signature {
        Signature {
            name: self.name.clone(),
            parameters: self.parameters.clone(),
            rest: None,
            result: Ty::any(),
            flags: self.targets,
            built_in: None,
        }
    }
}

fn read_parameter(value: SourceValue<'_>) -> Result<Parameter, String> {
    known_members(value, "a parameter", &["name", "type", "optional", "description"])?;
    let text = |member: &str| value.member(member).and_then(SourceValue::as_str);
    let Some(name) = text("name").filter(|name| is_name(name)) else {
        return Err("a parameter needs a `name` that is an identifier".to_owned());
    };
    let Some(written) = text("type") else {
        return Err(format!("the parameter `{name}` needs a `type`, as a string"));
    };
    let Some(ty) = type_text::read(written) else {
        return Err(format!("the type `{written}` of the parameter `{name}` is not understood"));
    };
    let required = match value.member("optional").map(SourceValue::node) {
        None => true,
        Some(Node::Bool(optional)) => !optional,
        Some(_) => return Err(format!("`optional` of the parameter `{name}` must be `true` or `false`")),
    };
    Ok(Parameter { name: name.into(), ty, required, known: EvaluationPhase::Late, depends: None })
}

fn read_targets(value: SourceValue<'_>) -> Result<F, String> {
    let wrong = || "`targets` must be an array with `resource`, `module` or both".to_owned();
    let list = value.member("targets").ok_or_else(wrong)?;
    let Node::List(_) = list.node() else { return Err(wrong()) };
    let mut targets = F::empty();
    for item in list.items() {
        targets = targets.union(match item.as_str() {
            Some("resource") => F::RESOURCE_DECORATOR,
            Some("module") => F::MODULE_DECORATOR,
            _ => return Err(wrong()),
        });
    }
    if targets == F::empty() { Err(wrong()) } else { Ok(targets) }
}

fn known_members(value: SourceValue<'_>, what: &str, known: &[&str]) -> Result<(), String> {
    let Node::Object(_) = value.node() else { return Err(format!("{what} must be an object")) };
    let unknown = value.members().filter_map(|(name, _)| name.as_str()).find(|name| !known.contains(name));
    match unknown {
        Some(unknown) => Err(format!("`{unknown}` is not a member of {what}")),
        None => Ok(()),
    }
}

/// What the language has under a name. Options are told apart without regard to case, so that names are, too.
fn language_name(name: &str) -> Option<&'static str> {
    if super::all().any(|decorator| decorator.name.eq_ignore_ascii_case(name)) {
        return Some("a decorator");
    }
    if BuiltIn::ALL.iter().any(|namespace| namespace.name() == name) {
        return Some("a namespace");
    }
    let is_function = [BuiltIn::Sys, BuiltIn::Az].into_iter().any(|it| functions::find(it, name).is_some());
    is_function.then_some("a function")
}

#[cfg(test)]
mod tests {
    use document::{Document, FileId, ReadLimits};

    use super::*;

    fn read(name: &str, text: &str) -> Result<CustomDecorator, String> {
        let document = Document::from_json(text, FileId::FIRST, &ReadLimits::DEFAULT).unwrap();
        CustomDecorator::read(name, document.root())
    }

    #[test]
    fn a_declaration_is_a_name_with_parameters_and_targets() {
        let text = r#"{"parameters": [{"name": "channel", "type": "string"}, {"name": "level", "type": "'low' | 'high'", "optional": true}],
            "targets": ["resource", "module"]}"#;
        let declared = read("notify", text).unwrap();
        let signature = declared.signature();
        assert_eq!((signature.min(), signature.max()), (1, Some(2)));
        assert_eq!(declared.targets, F::RESOURCE_DECORATOR.union(F::MODULE_DECORATOR));
        assert!(read("mark", r#"{"targets": ["module"]}"#).is_ok());
    }

    #[test]
    fn what_cannot_be_meant_is_refused() {
        for (name, text, why) in [
            ("retryOn", r#"{"targets": ["resource"]}"#, "the language has a decorator of that name"),
            ("WAITUNTIL", r#"{"targets": ["resource"]}"#, "the language has a decorator of that name"),
            ("concat", r#"{"targets": ["resource"]}"#, "the language has a function of that name"),
            ("sys", r#"{"targets": ["resource"]}"#, "the language has a namespace of that name"),
            ("a-b", r#"{"targets": ["resource"]}"#, "the name is not an identifier"),
            ("mark", "[]", "the declaration must be an object"),
            ("mark", "{}", "`targets` must be an array with `resource`, `module` or both"),
            ("mark", r#"{"targets": []}"#, "`targets` must be an array with `resource`, `module` or both"),
            (
                "mark",
                r#"{"targets": ["output"]}"#,
                "`targets` must be an array with `resource`, `module` or both",
            ),
            (
                "mark",
                r#"{"targets": ["module"], "params": []}"#,
                "`params` is not a member of the declaration",
            ),
            ("mark", r#"{"targets": ["module"], "parameters": {}}"#, "`parameters` must be an array"),
            (
                "mark",
                r#"{"targets": ["module"], "parameters": [{"type": "int"}]}"#,
                "a parameter needs a `name` that is an identifier",
            ),
            (
                "mark",
                r#"{"targets": ["module"], "parameters": [{"name": "a"}]}"#,
                "the parameter `a` needs a `type`, as a string",
            ),
            (
                "mark",
                r#"{"targets": ["module"], "parameters": [{"name": "a", "type": "text"}]}"#,
                "the type `text` of the parameter `a` is not understood",
            ),
            (
                "mark",
                r#"{"targets": ["module"], "parameters": [{"name": "a", "type": "int", "optional": true}, {"name": "b", "type": "int"}]}"#,
                "the parameter `b` must be optional, because one before it is",
            ),
        ] {
            assert_eq!(read(name, text).err().as_deref(), Some(why), "{name} {text}");
        }
    }
}
