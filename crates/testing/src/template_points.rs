//! Points of template JSON: conditions, copies, `if()`, `coalesce()` and constraints, and a text of the template that tells of them.

use bicep::FilePath;
use contract::Node;
use diagnostics::FileId;
use document::{Document, ReadLimits, SourceValue};
use serde_json::Value as Json;

use crate::probes::id;

/// The members of types that bound values, and the two that hold validators.
const CONSTRAINTS: [&str; 5] = ["minValue", "maxValue", "minLength", "maxLength", "allowedValues"];
const VALIDATORS: [&str; 2] = ["validate", "userDefinedConstraint"];

/// How deep values are looked into.
const DEEPEST: usize = 200;

/// A point of a template.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct TemplatePoint {
    pub(crate) kind: &'static str,
    /// The resource, parameter, variable or output that it stands in.
    pub(crate) name: String,
    /// The bytes before it, and those before what follows.
    pub(crate) start: u32,
    pub(crate) end: u32,
    /// The way to a constraint, the place of a resource; empty for others.
    pub(crate) subject: String,
}

/// The points of a template, and its text with calls that tell of them.
#[derive(Default)]
pub(crate) struct TemplatePoints {
    pub(crate) points: Vec<TemplatePoint>,
    edits: Vec<(u32, u32, String)>,
}

impl TemplatePoints {
    /// Finds the points of a template in a file.
    pub(crate) fn of(text: &str, path: &FilePath) -> TemplatePoints {
        let mut found = TemplatePoints::default();
        let read = Document::from_json(text.as_bytes().to_vec(), FileId::FIRST, &ReadLimits::DEFAULT);
        let Ok(document) = read else { return found };
        let root = document.root();
        for (section, values) in root.members() {
            let section = section.as_str().unwrap_or_default();
            match section {
                "resources" => found.resources(values, path),
                "parameters" | "definitions" => {
                    for (name, ty) in values.members() {
                        let name = name.as_str().unwrap_or_default();
                        found.rules(name, &format!("{section}.{name}"), ty, 0);
                        if let Some(default) = ty.member("defaultValue") {
                            found.expressions(name, default, path, 0);
                        }
                    }
                }
                "variables" | "outputs" | "functions" => {
                    for (name, value) in values.members() {
                        found.expressions(name.as_str().unwrap_or_default(), value, path, 0);
                    }
                    for value in values.items() {
                        found.expressions(section, value, path, 0);
                    }
                }
                _ => {}
            }
        }
        found
    }

    /// The template with calls that tell of its points.
    pub(crate) fn telling(mut self, text: &str) -> String {
        self.edits.sort();
        let mut out = String::with_capacity(text.len() * 2);
        let mut at = 0;
        for (start, end, replacement) in &self.edits {
            let (start, end) = (*start as usize, *end as usize);
            if start < at {
                continue;
            }
            out.push_str(text.get(at..start).unwrap_or_default());
            out.push_str(replacement);
            at = end;
        }
        out.push_str(text.get(at..).unwrap_or_default());
        out
    }

    fn push(&mut self, kind: &'static str, name: &str, (start, end): (u32, u32), subject: String) {
        self.points.push(TemplatePoint { kind, name: name.to_owned(), start, end, subject });
    }

    fn resources(&mut self, values: SourceValue<'_>, path: &FilePath) {
        let named =
            values.members().map(|(name, value)| (name.as_str().unwrap_or_default().to_owned(), value));
        let listed = values.items().map(|value| {
            let ty = value.member("type").and_then(SourceValue::as_str).unwrap_or_default();
            (ty.to_owned(), value)
        });
        let all: Vec<(String, SourceValue<'_>)> = named.chain(listed).collect();
        for (place, (name, resource)) in all.into_iter().enumerate() {
            let is_existing =
                matches!(resource.member("existing").map(SourceValue::node), Some(Node::Bool(true)));
            if !is_existing {
                self.push("resource", &name, span(resource), place.to_string());
            }
            for (member, value) in resource.members() {
                match member.as_str().unwrap_or_default() {
                    "condition" => self.wrapped("condition", &name, value, path),
                    "copy" => {
                        for (part, value) in value.members() {
                            match part.as_str() {
                                Some("count") => self.wrapped("loop", &name, value, path),
                                _ => self.expressions(&name, value, path, 0),
                            }
                        }
                    }
                    _ => self.expressions(&name, value, path, 0),
                }
            }
        }
    }

    /// A value that is a point as a whole.
    fn wrapped(&mut self, kind: &'static str, name: &str, value: SourceValue<'_>, path: &FilePath) {
        let at = span(value);
        let inner = match value.node() {
            Node::Bool(true) => "true()".to_owned(),
            Node::Bool(false) => "false()".to_owned(),
            Node::Int(number) => number.to_string(),
            _ => match value.as_str().and_then(expression) {
                Some(text) => self.told(name, text, at.0 + 2, path),
                None => return,
            },
        };
        self.push(kind, name, at, String::new());
        let id = id(kind, format_args!("{}-{}", at.0, at.1), path).replace('\'', "''");
        let told = format!("[testing.probe('{id}', {inner})]");
        self.edits.push((at.0, at.1, Json::from(told).to_string()));
    }

    /// The expressions in a value. Recursion is bounded by the depth.
    fn expressions(&mut self, name: &str, value: SourceValue<'_>, path: &FilePath, depth: usize) {
        if depth > DEEPEST {
            return;
        }
        if let Some(text) = value.as_str().and_then(expression) {
            let at = span(value);
            let told = self.told(name, text, at.0 + 2, path);
            if told != text {
                self.edits.push((at.0, at.1, Json::from(format!("[{told}]")).to_string()));
            }
            return;
        }
        value.members().for_each(|(_, value)| self.expressions(name, value, path, depth + 1));
        value.items().for_each(|value| self.expressions(name, value, path, depth + 1));
    }

    /// An expression in which the first arguments of `if()` and `coalesce()` tell what they are. It begins behind so many bytes.
    fn told(&mut self, name: &str, text: &str, begins: u32, path: &FilePath) -> String {
        let mut out = String::with_capacity(text.len());
        // The calls that are open, each with the end of its first argument if that is told.
        let mut open: Vec<bool> = Vec::new();
        let mut word = String::new();
        let mut is_text = false;
        for (at, letter) in text.char_indices() {
            if is_text || letter == '\'' {
                is_text ^= letter == '\'';
                word.clear();
                out.push(letter);
                continue;
            }
            match letter {
                '(' => {
                    let kind = match word.to_ascii_lowercase().as_str() {
                        "if" => Some("ternary"),
                        "coalesce" => Some("coalesce"),
                        _ => None,
                    };
                    out.push(letter);
                    if let Some(kind) = kind {
                        let offset = |at: usize| begins.saturating_add(u32::try_from(at).unwrap_or(u32::MAX));
                        let place = (offset(at - word.len()), offset(at + 1));
                        self.push(kind, name, place, String::new());
                        let id = id(kind, format_args!("{}-{}", place.0, place.1), path).replace('\'', "''");
                        out.push_str(&format!("testing.probe('{id}', "));
                    }
                    open.push(kind.is_some());
                    word.clear();
                    continue;
                }
                // A call with one argument ends it here.
                ')' if open.pop() == Some(true) => out.push(')'),
                ',' => {
                    if let Some(is_told) = open.last_mut()
                        && std::mem::take(is_told)
                    {
                        out.push(')');
                    }
                }
                _ => {}
            }
            if letter.is_ascii_alphanumeric() || letter == '_' || letter == '.' {
                word.push(letter);
            } else {
                word.clear();
            }
            out.push(letter);
        }
        out
    }

    /// The constraints and validators of a type and its parts. Recursion is bounded by the depth.
    fn rules(&mut self, name: &str, way: &str, ty: SourceValue<'_>, depth: usize) {
        if depth > DEEPEST {
            return;
        }
        for (member, value) in ty.members() {
            let member = member.as_str().unwrap_or_default();
            let below = format!("{way}.{member}");
            if CONSTRAINTS.contains(&member) {
                self.push("constraint", name, span(value), below);
            } else if VALIDATORS.contains(&member) {
                self.push("validator", name, span(value), below);
            } else if member == "properties" {
                for (property, ty) in value.members() {
                    let property = property.as_str().unwrap_or_default();
                    self.rules(name, &format!("{below}.{property}"), ty, depth + 1);
                }
            } else if member == "items" || member == "additionalProperties" {
                self.rules(name, &below, value, depth + 1);
            } else if member == "prefixItems" {
                for (place, ty) in value.items().enumerate() {
                    self.rules(name, &format!("{below}[{place}]"), ty, depth + 1);
                }
            }
        }
    }
}

fn span(value: SourceValue<'_>) -> (u32, u32) {
    (value.place().start, value.place().end)
}

/// What stands in an expression string.
fn expression(text: &str) -> Option<&str> {
    text.strip_prefix('[').filter(|rest| !rest.starts_with('[')).and_then(|rest| rest.strip_suffix(']'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_template_tells_of_its_points() {
        let text = r#"{"parameters": {"n": {"type": "int", "maxValue": 5}}, "resources": [
            {"type": "A/b", "condition": "[parameters('on')]", "copy": {"name": "c", "count": 2},
             "name": "[if(equals(1, 2), 'a(', coalesce(null(), 'b'))]", "properties": {"x": "[[no]"}}],
            "outputs": {"o": {"value": "[concat('if(', coalesce(variables('x')))]"}}}"#;
        let path = FilePath::new("/t.json");
        let found = TemplatePoints::of(text, &path);
        let kinds: Vec<(&str, &str)> =
            found.points.iter().map(|point| (point.kind, point.name.as_str())).collect();
        let expect = [
            ("constraint", "n"),
            ("resource", "A/b"),
            ("condition", "A/b"),
            ("loop", "A/b"),
            ("ternary", "A/b"),
            ("coalesce", "A/b"),
            ("coalesce", "o"),
        ];
        assert_eq!(kinds, expect);
        assert_eq!(found.points[0].subject, "parameters.n.maxValue");
        let told = found.telling(text);
        let value: Json = serde_json::from_str(&told).unwrap();
        let part = |path: &str| {
            let told = value.pointer(path).unwrap().as_str().unwrap().to_owned();
            // Without the places.
            told.split(":/t.json").map(|it| it.rsplit_once(':').map_or(it, |it| it.0)).collect::<String>()
        };
        assert_eq!(
            part("/resources/0/name"),
            "[if(testing.probe('ternary', equals(1, 2)), 'a(', coalesce(testing.probe('coalesce', null()), 'b'))]"
        );
        assert_eq!(part("/resources/0/copy/count"), "[testing.probe('loop', 2)]");
        assert_eq!(part("/resources/0/condition"), "[testing.probe('condition', parameters('on'))]");
        assert_eq!(part("/resources/0/properties/x"), "[[no]");
        assert_eq!(
            part("/outputs/o/value"),
            "[concat('if(', coalesce(testing.probe('coalesce', variables('x'))))]"
        );
    }
}
