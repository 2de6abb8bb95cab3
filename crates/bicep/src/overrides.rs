//! Parameters files with other values: what a deployment tool was told on its own command line.

use contract::Node;
use document::{Document, FileId, JsonOptions, Limits, Value};
use syntax::SourceKind;
use syntax::ast::{AstNode as _, Program, Statement};
use syntax::spelling::quoted;

/// Puts the members of a JSON object in the place of a parameters file's values; parameters that it does not have are
/// added at its end.
///
/// ```
/// let text = "using 'main.bicep'\nparam size = 1\n";
/// let changed = bicep::override_parameters(text, r#"{"size": 2, "tags": {"it's": [true, 1.5]}}"#)?;
/// assert_eq!(changed, "using 'main.bicep'\nparam size = 2\n\nparam tags = { 'it\\'s': [true, json('1.5')] }\n");
/// # Ok::<(), String>(())
/// ```
pub fn override_parameters(text: &str, values: &str) -> Result<String, String> {
    let values = Document::from_json_with(values, FileId::FIRST, &Limits::DEFAULT, JsonOptions::RELAXED)
        .map_err(|error| format!("it is not valid JSON: {error}"))?;
    if !matches!(values.root().node(), Node::Object(_)) {
        return Err("it is not a JSON object".to_owned());
    }
    let tree = syntax::parse(text, SourceKind::Params);
    let mut given: Vec<&str> = Vec::new();
    let mut changed = String::with_capacity(text.len());
    let mut rest = 0;
    for statement in Program::cast(tree.root()).into_iter().flat_map(|program| program.statements()) {
        let Statement::ParameterAssignment(assignment) = statement else { continue };
        let name = assignment.name().text();
        let Some(value) = values.root().member(name) else { continue };
        let span = assignment.value().span();
        let (start, end) = (span.start as usize, span.end as usize);
        changed.push_str(text.get(rest..start).unwrap_or_default());
        write(&mut changed, value);
        given.push(name);
        rest = end;
    }
    changed.push_str(text.get(rest..).unwrap_or_default());
    for (name, value) in values.root().members() {
        let name = name.as_str().unwrap_or_default();
        if !given.contains(&name) {
            changed.push_str("\nparam ");
            changed.push_str(name);
            changed.push_str(" = ");
            write(&mut changed, value);
            changed.push('\n');
        }
    }
    Ok(changed)
}

/// Writes a value as an expression. The document's own limit bounds the depth.
fn write(out: &mut String, value: Value<'_>) {
    match value.node() {
        Node::Bool(true) => out.push_str("true"),
        Node::Bool(false) => out.push_str("false"),
        Node::Int(number) => out.push_str(&number.to_string()),
        Node::Text(text) => out.push_str(&quoted(text)),
        // The language has no fractions; the function makes one from its text.
        Node::UInt(_) | Node::Float(_) | Node::Decimal(_) => {
            out.push_str("json(");
            out.push_str(&quoted(value.source()));
            out.push(')');
        }
        Node::List(_) => {
            out.push('[');
            for (position, item) in value.items().enumerate() {
                out.push_str(if position > 0 { ", " } else { "" });
                write(out, item);
            }
            out.push(']');
        }
        Node::Object(_) => {
            out.push_str("{ ");
            for (position, (key, member)) in value.members().enumerate() {
                out.push_str(if position > 0 { ", " } else { "" });
                out.push_str(&quoted(key.as_str().unwrap_or_default()));
                out.push_str(": ");
                write(out, member);
            }
            out.push_str(" }");
        }
        Node::Null | Node::Bytes(_) => out.push_str("null"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_named_values_change() {
        let text = "using none\n// size\nparam size = {\n  a: 1\n} // yes\nparam other = 'x'\n";
        let changed = override_parameters(text, r#"{"size": "${1}"}"#).unwrap();
        assert_eq!(changed, "using none\n// size\nparam size = '\\${1}' // yes\nparam other = 'x'\n");
    }

    #[test]
    fn what_is_no_object_is_refused() {
        assert!(override_parameters("", "[1]").is_err());
        assert!(override_parameters("", "{").is_err());
    }
}
