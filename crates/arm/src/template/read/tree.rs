//! Parts of templates that are evaluated, as trees.

use contract::{Node, View};
use document::SourceValue;
use smol_str::SmolStr;

use super::problems::ErrorSection;
use super::{TemplateReader, is, span};
use crate::Expression;
use crate::expression::TemplateString;
use crate::functions::Stage;
use crate::template::json::{JsonKind, Loop, MemberName, TemplateMember, TemplateNode};
use crate::value::ObjectBuilder;

/// Where a part of a template stands.
#[derive(Clone, Copy)]
pub(super) struct ExpressionSite<'a> {
    pub(super) section: ErrorSection<'a>,
    pub(super) stage: Stage,
    /// Whether objects may have loops.
    pub(super) loops: bool,
    /// Whether the string itself may be a lambda.
    pub(super) lambda: bool,
}

impl<'a> ExpressionSite<'a> {
    pub(super) fn new(section: ErrorSection<'a>, stage: Stage) -> ExpressionSite<'a> {
        ExpressionSite { section, stage, loops: false, lambda: false }
    }
}

impl<'d> TemplateReader<'d> {
    /// Reads a part of the template. Recursion is bounded by the depth of documents.
    pub(super) fn json(&mut self, value: SourceValue<'d>, at: ExpressionSite<'_>) -> TemplateNode {
        let kind = match value.node() {
            Node::Text(text) => self.string(value, text, at),
            Node::List(count) => {
                let at = ExpressionSite { lambda: false, ..at };
                let mut items = Vec::with_capacity(count);
                items.extend(value.items().map(|item| self.json(item, at)));
                array(items)
            }
            Node::Object(count) => {
                let at = ExpressionSite { lambda: false, ..at };
                let mut members = Vec::with_capacity(count);
                for (key, value) in value.members() {
                    self.member(key, value, at, &mut members);
                }
                object(members)
            }
            _ => JsonKind::Value(scalar(value)),
        };
        TemplateNode { kind, span: span(value) }
    }

    fn string(&mut self, value: SourceValue<'d>, text: &'d str, at: ExpressionSite<'_>) -> JsonKind {
        match TemplateString::of(text) {
            TemplateString::Text(text) => JsonKind::Value(crate::Value::text(text)),
            TemplateString::Expression(inner) => {
                match self.expression(inner, span(value), at) {
                    Some(expression) => JsonKind::Expression(expression),
                    // The error is noted; nobody sees the template.
                    None => JsonKind::Value(crate::Value::Null),
                }
            }
        }
    }

    /// Reads a member of an object, which may be a list of loops.
    pub(super) fn member(
        &mut self,
        key: SourceValue<'d>,
        value: SourceValue<'d>,
        at: ExpressionSite<'_>,
        members: &mut Vec<TemplateMember>,
    ) {
        if at.loops && is(key, "copy") && is_loops(value) {
            for item in value.items() {
                if let Some(copy) = self.property_loop(item, at) {
                    members.push(TemplateMember::Loop(Box::new(copy)));
                }
            }
            return;
        }
        let name = match TemplateString::of(key.as_str().unwrap_or_default()) {
            TemplateString::Text(text) => MemberName::Text(text.into()),
            TemplateString::Expression(inner) => match self.expression(inner, span(key), at) {
                Some(expression) => self.name(expression, key, at),
                None => MemberName::Text(SmolStr::default()),
            },
        };
        let value = self.json(value, at);
        members.push(TemplateMember::Property { name, at: span(key), value });
    }

    /// The name that an expression gives. One that is written out and no string, such as `[0]`, never is one.
    fn name(&mut self, expression: Expression, key: SourceValue<'d>, at: ExpressionSite<'_>) -> MemberName {
        match expression.to_value() {
            Some(value) if value.as_str().is_none() => {
                let message = format!(
                    "the name of a property must be a string, not '{}'; text that begins with '[' is written '[['",
                    value.kind()
                );
                self.problems.add(span(key), at.section, message);
                MemberName::Text(SmolStr::default())
            }
            _ => MemberName::Expression(expression),
        }
    }

    /// Reads `{"name": .., "count": .., "input": ..}`.
    pub(super) fn property_loop(&mut self, value: SourceValue<'d>, at: ExpressionSite<'_>) -> Option<Loop> {
        if !self.expect_object(value, "an element of `copy`", at.section) {
            return None;
        }
        let [name, count, input, _, _] = self.members(
            value,
            ["name", "count", "input", "mode", "batchSize"],
            super::members::Unknown::Refused,
            at.section,
        );
        for (member, there) in [("name", name), ("count", count), ("input", input)] {
            if there.is_none() {
                self.missing(value, member, at.section);
            }
        }
        let name: SmolStr = self.expect_text(name?, "the name of a loop", at.section)?.into();
        // The count is known before anything is deployed.
        let structure = ExpressionSite {
            stage: if at.stage == Stage::Variable { at.stage } else { Stage::Structure },
            ..at
        };
        let count = self.json(count?, structure);
        self.loops.push(name.clone());
        let input = self.json(input?, at);
        self.loops.pop();
        self.check_count(&count, at.section);
        Some(Loop { name, count, input, span: span(value) })
    }

    /// Checks a count that is written as a number.
    pub(super) fn check_count(&mut self, count: &TemplateNode, section: ErrorSection<'_>) {
        let most = self.limits.iterations;
        let message = match count.as_value() {
            None => return,
            Some(crate::Value::Int(number))
                if usize::try_from(*number).is_ok_and(|number| number <= most) =>
            {
                return;
            }
            Some(crate::Value::Int(number)) if *number < 0 => {
                format!("the copy count must be zero or more, not '{number}'")
            }
            Some(crate::Value::Int(number)) => {
                format!("the copy count '{number}' is more than the limit of '{most}'")
            }
            Some(other) => format!("the copy count must be an integer, not '{}'", other.kind()),
        };
        self.problems.add(count.span, section, message);
    }
}

/// Tells whether the value of a member `copy` is a list of loops, and not a property of that name.
fn is_loops(value: SourceValue<'_>) -> bool {
    let mut items = value.items();
    let looks = |item: SourceValue<'_>| {
        item.members().any(|(key, _)| is(key, "count")) || item.members().any(|(key, _)| is(key, "input"))
    };
    items.len() > 0 && items.all(looks)
}

fn array(items: Vec<TemplateNode>) -> JsonKind {
    if items.iter().any(|item| item.as_value().is_none()) {
        return JsonKind::Array(items.into());
    }
    let values = items.into_iter().filter_map(|item| match item.kind {
        JsonKind::Value(value) => Some(value),
        _ => None,
    });
    JsonKind::Value(crate::Value::array(values.collect()))
}

fn object(members: Vec<TemplateMember>) -> JsonKind {
    let literal = |member: &TemplateMember| {
        matches!(
            member,
            TemplateMember::Property {
                name: MemberName::Text(_),
                value: TemplateNode { kind: JsonKind::Value(_), .. },
                ..
            }
        )
    };
    if !members.iter().all(literal) {
        return JsonKind::Object(members.into());
    }
    let mut object = ObjectBuilder::default();
    for member in members {
        if let TemplateMember::Property {
            name: MemberName::Text(name),
            value: TemplateNode { kind: JsonKind::Value(value), .. },
            ..
        } = member
        {
            object.insert(name, value);
        }
    }
    JsonKind::Value(object.finish())
}

fn scalar(value: SourceValue<'_>) -> crate::Value {
    // Only containers can nest too deep.
    crate::Value::from_view(View::node(value)).unwrap_or(crate::Value::Null)
}
