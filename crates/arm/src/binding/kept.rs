//! Values of parameters that were bound once and kept: let in again before anybody acts on them.
//!
//! Whoever kept them may have been another program, and somebody may have changed them since. Nothing is evaluated again: a default that was a
//! new id then is the same id now.

use super::names::BindingState;
use super::{BindingContext, BoundParameters, bound, itself};
use crate::evaluate::Reduced;
use crate::expression::Expression;
use crate::template::{Template, TemplateError};
use crate::value::Value;
use diagnostics::Message;

/// What was kept of the value of a parameter.
#[derive(Clone, Debug)]
pub enum StoredParameter {
    /// A value that was given or worked out.
    Value(Value),
    /// What was to give it. Only who predicts can do without the value.
    Later(Expression),
    /// Nothing. Only who predicts can do without the value.
    Unknown,
}

/// Binds what was kept of the parameters of a template, in their order.
pub(crate) fn bind_again(
    template: &Template,
    kept: Vec<StoredParameter>,
    surroundings: &BindingContext<'_>,
) -> Result<BoundParameters, Vec<TemplateError>> {
    let (count, wanted) = (kept.len(), template.parameters.len());
    if count != wanted {
        let message = Message::sentence(format!(
            "{count} values of parameters were kept, and the template has {wanted}"
        ));
        return Err(vec![TemplateError::invalid_template(message).target("parameters")]);
    }
    let mut kept = kept.into_iter();
    bound(
        template,
        &super::Inputs::default(),
        surroundings,
        template.type_errors(),
        |binding, _, parameter, _| {
            let value = match kept.next() {
                Some(StoredParameter::Value(value)) => value,
                Some(StoredParameter::Later(expression)) if !surroundings.complete => {
                    return BindingState::Ready(Reduced::Expression(expression));
                }
                Some(StoredParameter::Unknown) | None if !surroundings.complete => {
                    return BindingState::Ready(Reduced::Expression(itself(parameter)));
                }
                // An expression would give a value that nobody asks about.
                Some(StoredParameter::Later(_) | StoredParameter::Unknown) | None => {
                    let message = Message::sentence(format!(
                        "The value of the template parameter '{}' was not kept",
                        parameter.name
                    ));
                    binding
                        .errors
                        .push(TemplateError::invalid_template(message).target(parameter.name.as_str()));
                    return BindingState::Broken;
                }
            };
            BindingState::Ready(Reduced::Value(template.sealed(&parameter.ty, value)))
        },
    )
}
