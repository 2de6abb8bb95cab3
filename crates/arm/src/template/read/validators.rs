//! Validators on types: `userDefinedConstraint` and `validate`.

use contract::Node;
use document::SourceValue;

use super::members::Unknown;
use super::names::full_name;
use super::problems::ErrorSection;
use super::tree::ExpressionSite;
use super::{TemplateReader, span};
use crate::expression::TemplateString;
use crate::functions;
use crate::functions::Stage;
use crate::template::error::code;
use crate::template::types::{Validator, ValidatorKind};

impl<'d> TemplateReader<'d> {
    /// Reads `userDefinedConstraint`: one, or an array of them.
    pub(super) fn constraints(&mut self, value: SourceValue<'d>, section: ErrorSection<'_>) {
        match value.node() {
            Node::List(_) => value.items().for_each(|item| self.constraint(item, section)),
            _ => self.constraint(value, section),
        }
    }

    fn constraint(&mut self, value: SourceValue<'d>, section: ErrorSection<'_>) {
        if !self.expect_object(value, "`userDefinedConstraint`", section) {
            return;
        }
        let [namespace, name, arguments] =
            self.members(value, ["namespace", "name", "additionalArguments"], Unknown::Refused, section);
        for (member, there) in [("namespace", namespace), ("name", name)] {
            if there.is_none() {
                self.missing(value, member, section);
            }
        }
        let (Some(namespace), Some(name)) = (namespace, name) else { return };
        let (Some(namespace), Some(name)) =
            (self.expect_text(namespace, "`namespace`", section), self.expect_text(name, "`name`", section))
        else {
            return;
        };
        let mut given = Vec::new();
        if let Some(arguments) = arguments
            && self.expect_array(arguments, "`additionalArguments`", section)
        {
            given.extend(
                arguments.items().map(|item| self.json(item, ExpressionSite::new(section, Stage::Parameter))),
            );
        }
        match self.names.functions.get(&full_name(namespace, name)).copied() {
            None => {
                let message = format!("the validator '{namespace}.{name}' is not a function of the template");
                self.problems.add_as(code::TEMPLATE_VALIDATION, span(value), section, message);
            }
            Some(count) if count != given.len() + 1 => {
                let message = format!(
                    "the validator '{namespace}.{name}' takes {}, and is given {}",
                    functions::counted(count),
                    given.len() + 1
                );
                self.problems.add_as(code::TEMPLATE_VALIDATION, span(value), section, message);
            }
            Some(_) => {}
        }
        let kind =
            ValidatorKind::Function { namespace: namespace.into(), name: name.into(), arguments: given };
        self.validators.insert(span(value).start, Validator { kind, span: span(value) });
    }

    /// Reads `validate`: a lambda, and perhaps a message.
    pub(super) fn validate(&mut self, value: SourceValue<'d>, section: ErrorSection<'_>) {
        const SHAPE: &str = "`validate` is an array of a lambda and perhaps a message";
        let mut items = value.items();
        let (Some(first), message, None) = (items.next(), items.next(), items.next()) else {
            self.problems.add_as(code::TEMPLATE_VALIDATION, span(value), section, SHAPE);
            return;
        };
        let at = ExpressionSite { lambda: true, ..ExpressionSite::new(section, Stage::Parameter) };
        let inner = match first.as_str().map(TemplateString::of) {
            Some(TemplateString::Expression(inner)) => inner,
            _ => {
                self.problems.add_as(code::TEMPLATE_VALIDATION, span(first), section, SHAPE);
                return;
            }
        };
        let Some(lambda) = self.expression(inner, span(first), at) else { return };
        if !lambda.as_call().is_some_and(|call| call.is_call_to("lambda") && call.arguments.len() == 2) {
            let message = "`validate` takes a lambda with one variable";
            self.problems.add_as(code::TEMPLATE_VALIDATION, span(first), section, message);
            return;
        }
        let message = message.map(|message| self.json(message, ExpressionSite { lambda: false, ..at }));
        let kind = ValidatorKind::Lambda { lambda, message };
        self.validators.insert(span(value).start, Validator { kind, span: span(value) });
    }
}
