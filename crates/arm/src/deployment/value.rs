//! One expression in the environment of a deployment, as if it stood in an output.

use std::sync::Arc;

use diagnostics::Message;

use super::environment::{Loops, NoResources};
use super::run::{NoLookups, Runtime};
use super::{Deployment, Plan, STEP_LIMITS};
use crate::evaluate::{Cause, EvaluateError, Reduced};
use crate::expression::Expression;
use crate::template::{TemplateError, code};

/// Evaluates an expression with the parameters, variables and functions of a deployment around it.
///
/// What asks for a resource is answered by mocks, and otherwise stays an expression. An error has the code that it
/// would have in an output.
pub fn value_of(
    deployment: &Arc<Deployment>,
    expression: &Expression,
) -> Result<Reduced, Vec<TemplateError>> {
    let reduced = if asks_for_resources(expression) {
        // Which resource a name means is known to the plan alone.
        let plan = Plan::new(Arc::clone(deployment))?;
        let runtime = Runtime::new(&plan, &NoLookups, None);
        deployment.run(&runtime, &Loops::NONE, STEP_LIMITS, |_, evaluator| evaluator.reduce(expression))
    } else {
        deployment.run(&NoResources, &Loops::NONE, STEP_LIMITS, |_, evaluator| evaluator.reduce(expression))
    };
    reduced.map_err(|error| vec![TemplateError::new(code_of(&error), sentence(&error))])
}

fn asks_for_resources(expression: &Expression) -> bool {
    let mut found = false;
    expression.for_each(&mut |part| {
        if let Some(call) = part.as_call().filter(|call| call.namespace.is_none()) {
            let name = call.name.to_ascii_lowercase();
            let known = ["reference", "references", "resourceinfo"].contains(&name.as_str());
            found |= known || name.starts_with("list");
        }
    });
    found
}

/// What a service finds before it evaluates anything has another code than what it finds on the way.
fn code_of(error: &EvaluateError) -> &'static str {
    match error.cause() {
        Cause::UnknownFunction(_)
        | Cause::NotAllowedHere(_)
        | Cause::MissingParameter(_)
        | Cause::MissingVariable(_)
        | Cause::Syntax => code::INVALID_TEMPLATE,
        Cause::ArgumentCount(_)
        | Cause::Argument(_)
        | Cause::Overflow(_)
        | Cause::MissingProperty(_)
        | Cause::OutOfBounds(_)
        | Cause::NotIndexable
        | Cause::Failed
        | Cause::Unknown
        | Cause::Unreadable
        | Cause::TooDeep
        | Cause::TooLarge
        | Cause::Canceled => code::OUTPUT_EVALUATION_FAILED,
        Cause::OverBudget => code::BUDGET_EXCEEDED,
    }
}

fn sentence(error: &EvaluateError) -> Message {
    Message::sentence(format!("The expression cannot be evaluated: {error}"))
}
