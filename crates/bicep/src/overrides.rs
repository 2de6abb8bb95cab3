//! Parameters files with other values: what a deployment tool was told on its own command line.

use std::collections::{HashMap, HashSet};

use contract::Node;
use document::{Document, SourceValue};
use syntax::SourceKind;
use syntax::ast::{AstNode as _, Program, Statement};
use syntax::spelling::{is_identifier, quoted};

/// How much of a wrong name is shown.
const SHOWN: usize = 100;

/// Puts the members of a JSON object in the place of a parameters file's values; parameters that it does not have are
/// added at its end.
///
/// ```
/// use document::{Document, FileId, ReadLimits};
/// let text = "using 'main.bicep'\nparam size = 1\n";
/// let values = r#"{"size": 2, "tags": {"it's": [true, 1.5]}}"#;
/// let values = Document::from_json(values, FileId::FIRST, &ReadLimits::DEFAULT).map_err(|error| error.to_string())?;
/// let changed = bicep::override_parameters(text, &values)?;
/// assert_eq!(changed, "using 'main.bicep'\nparam size = 2\n\nparam tags = { 'it\\'s': [true, json('1.5')] }\n");
/// # Ok::<(), String>(())
/// ```
pub fn override_parameters(text: &str, values: &Document) -> Result<String, String> {
    if !matches!(values.root().node(), Node::Object(_)) {
        return Err("it is not a JSON object".to_owned());
    }
    let (mut overrides, mut folded) = (HashMap::new(), HashMap::new());
    for (name, value) in values.root().members() {
        let name = name.as_str().unwrap_or_default();
        // It becomes a part of the program: nothing but a name can be one.
        if !is_identifier(name) {
            let start: String = name.chars().take(SHOWN).collect();
            return Err(format!("`{}` is not the name of a parameter", start.escape_debug()));
        }
        if let Some(other) = folded.insert(name.to_ascii_lowercase(), name) {
            return Err(format!("`{other}` and `{name}` differ only in case"));
        }
        overrides.insert(name, value);
    }
    let tree = syntax::parse(text, SourceKind::Params);
    let mut given = HashSet::new();
    let mut changed = String::with_capacity(text.len());
    let mut rest = 0;
    for statement in Program::cast(tree.root()).into_iter().flat_map(|program| program.statements()) {
        let Statement::ParameterAssignment(assignment) = statement else { continue };
        let name = assignment.name().text();
        let Some(value) = overrides.get(name).copied() else { continue };
        let span = assignment.value().span();
        let (start, end) = (span.start as usize, span.end as usize);
        changed.push_str(text.get(rest..start).unwrap_or_default());
        write(&mut changed, value);
        given.insert(name);
        rest = end;
    }
    changed.push_str(text.get(rest..).unwrap_or_default());
    for (name, value) in values.root().members() {
        let name = name.as_str().unwrap_or_default();
        if !given.contains(name) {
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
fn write(out: &mut String, value: SourceValue<'_>) {
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
        // A document has no bytes, and all of it is known.
        Node::Null | Node::Bytes(_) | Node::Unknown => out.push_str("null"),
    }
}

#[cfg(test)]
mod tests {
    use document::{FileId, ReadLimits};

    use super::*;

    fn override_parameters(text: &str, values: &str) -> Result<String, String> {
        let values = Document::from_json(values, FileId::FIRST, &ReadLimits::DEFAULT).unwrap();
        super::override_parameters(text, &values)
    }

    #[test]
    fn only_the_named_values_change() {
        let text = "using none\n// size\nparam size = {\n  a: 1\n} // yes\nparam other = 'x'\n";
        let changed = override_parameters(text, r#"{"size": "${1}"}"#).unwrap();
        assert_eq!(changed, "using none\n// size\nparam size = '\\${1}' // yes\nparam other = 'x'\n");
    }

    #[test]
    fn a_name_is_nothing_but_a_name() {
        for values in [
            r#"{"a = 1\nparam b": 2}"#,
            r#"{"": 1}"#,
            r#"{"a b": 1}"#,
            r#"{"1a": 1}"#,
            r#"{"size": 1, "SIZE": 2}"#,
        ] {
            assert!(override_parameters("using none\nparam size = 1\n", values).is_err(), "{values}");
        }
    }

    #[test]
    fn what_is_no_object_is_refused() {
        assert!(override_parameters("", "[1]").is_err());
    }
}
