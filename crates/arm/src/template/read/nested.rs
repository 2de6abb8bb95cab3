//! Deployments inside a template: what can be told of them without reading their templates.

use contract::Node;
use document::SourceValue;

use super::members::Unknown;
use super::problems::ErrorSection;
use super::{TemplateReader, article, is, span};
use crate::template::brief;
use crate::template::model::{EvaluationScope, Nested};

const OPTIONS: &str = "expressionEvaluationOptions";

impl<'d> TemplateReader<'d> {
    /// What is written in the `properties` of a deployment.
    pub(super) fn nested(&mut self, properties: SourceValue<'d>, section: ErrorSection<'_>) -> Nested {
        let find = |name: &str| properties.members().find(|(key, _)| is(*key, name)).map(|(_, value)| value);
        let is_object = |value: &SourceValue<'_>| matches!(value.node(), Node::Object(_));
        let template = find("template").filter(is_object).map(SourceValue::id);
        let options = find(OPTIONS).filter(is_given);
        let scope = options.and_then(|options| self.evaluation_scope(options, section));
        Nested { template, inner_scope: scope == Some(EvaluationScope::Inner) }
    }

    /// Whose names the expressions of the nested template use. It is needed before any expression has a value, so that it is none itself.
    fn evaluation_scope(
        &mut self,
        options: SourceValue<'d>,
        section: ErrorSection<'_>,
    ) -> Option<EvaluationScope> {
        if !self.expect_object(options, &format!("`properties.{OPTIONS}`"), section) {
            return None;
        }
        let [scope] = self.members(options, ["scope"], Unknown::Refused, section);
        let scope = scope.filter(is_given)?;
        let found = scope.as_str().and_then(EvaluationScope::parse);
        if found.is_none() {
            let words = EvaluationScope::WORDS;
            let written =
                scope.as_str().map_or_else(|| article(scope).to_owned(), |text| format!("'{}'", brief(text)));
            let hint = scope.as_str().and_then(|text| diagnostics::suggest(text, words.iter().copied()));
            let hint = hint.map(|meant| format!(" (did you mean '{meant}'?)")).unwrap_or_default();
            let message = format!(
                "`properties.{OPTIONS}.scope` must be one of '{}'{hint}, not {written}",
                words.join("', '")
            );
            self.problems.add(span(scope), section, message);
        }
        found
    }
}

/// Null is the same as nothing.
fn is_given(value: &SourceValue<'_>) -> bool {
    !matches!(value.node(), Node::Null)
}
