//! What is passed to the functions of a template, and what they return.

use contract::{Admitted, Boundary, Path};

use super::guard;
use crate::Expression;
use crate::evaluate::{Cause, EvaluateError, Evaluator, FunctionRole, Reduced};
use crate::expression::FunctionCall;
use crate::template::{AdmissionError, Function, Template, TypeDefinition, TypeViolation};
use crate::value::Value;

/// Lets a value into a function of a template, or out of it, if the types of the function allow it.
pub fn admit_passed(
    template: &Template,
    call: &FunctionCall,
    role: FunctionRole,
    value: Value,
    evaluator: &Evaluator<'_>,
) -> Result<Admitted<Value>, EvaluateError> {
    let passed = Passed::of(template, call, role)?;
    template.admit(passed.boundary, passed.ty, value, evaluator).map_err(|refused| passed.error(refused))
}

/// The same for an expression that stands in the place of a value and is evaluated where nobody knows the function: what is returned
/// fails there if the type does not allow what comes of it. A type that no expression can hold a value against lets nothing in.
pub fn admit_left(
    template: &Template,
    call: &FunctionCall,
    role: FunctionRole,
    left: Expression,
    evaluator: &Evaluator<'_>,
) -> Result<Expression, EvaluateError> {
    let passed = Passed::of(template, call, role)?;
    // What cannot be reduced here, such as a part of a lambda, is not known.
    let parts = match evaluator.reduce(&left) {
        Ok(Reduced::Value(value)) => value,
        Ok(Reduced::Expression(rest)) => rest.to_parts(),
        Err(_) => left.to_parts(),
    };
    let is_known = !parts.has_unknown();
    match template.admit(passed.boundary, passed.ty, parts, evaluator) {
        Ok(admitted) if is_known && !admitted.get().has_secret() => {
            Ok(Expression::from_value(admitted.get()))
        }
        Ok(_) => Ok(left),
        Err(AdmissionError::Unknown(paths)) => {
            guard::guarded(passed.ty, left).ok_or_else(|| passed.uncheckable(paths))
        }
        Err(refused @ AdmissionError::Broken(_)) => Err(passed.error(refused)),
    }
}

/// A value at the boundary of a function.
struct Passed<'t> {
    function: &'t Function,
    boundary: Boundary,
    ty: &'t TypeDefinition,
    /// The parameter, if it is an argument.
    parameter: Option<&'t str>,
}

impl<'t> Passed<'t> {
    fn of(
        template: &'t Template,
        call: &FunctionCall,
        role: FunctionRole,
    ) -> Result<Passed<'t>, EvaluateError> {
        let not_here = || EvaluateError::not_allowed_here(&call.name);
        let function = template.called(call).ok_or_else(not_here)?;
        let (boundary, ty, parameter) = match role {
            FunctionRole::Argument(position) => {
                let mut parameters = function.parameters.iter().zip(&function.call.parameters);
                let (ty, name) = parameters.nth(position).ok_or_else(not_here)?;
                (Boundary::Argument, ty, Some(name.as_str()))
            }
            FunctionRole::Result => (Boundary::FunctionResult, &function.result, None),
        };
        Ok(Passed { function, boundary, ty, parameter })
    }

    fn error(&self, refused: AdmissionError) -> EvaluateError {
        let breach = match refused {
            AdmissionError::Broken(breaches) => breaches.into_iter().next(),
            AdmissionError::Unknown(paths) => paths.into_iter().next().map(TypeViolation::unknown),
        };
        let breach = breach.unwrap_or_else(|| TypeViolation::unknown(Path::default()));
        self.with(&format!("is not valid{}. {}", self.part(&breach), breach.message.fragment()), &breach)
    }

    /// No expression says what the type says of the parts with these paths.
    fn uncheckable(&self, paths: Vec<Path>) -> EvaluateError {
        let breach = TypeViolation::unknown(paths.into_iter().next().unwrap_or_default());
        let part = self.part(&breach);
        self.with(
            &format!(
                "depends on an external input{part}, and its type says more than an expression can check when the input is \
                 there: call the function in the program that the value is for, or with values that are known when compiling"
            ),
            &breach,
        )
    }

    /// An argument is named by its parameter, and its parts behind it.
    fn part(&self, breach: &TypeViolation) -> String {
        match self.parameter {
            None if !breach.path.steps.is_empty() => format!(" at '{}'", breach.target("output")),
            Some(_) | None => String::new(),
        }
    }

    fn with(&self, what: &str, breach: &TypeViolation) -> EvaluateError {
        let subject = match self.parameter {
            Some(parameter) => format!("The provided value for the parameter '{}'", breach.target(parameter)),
            None => "The output".to_owned(),
        };
        let Function { namespace, name, .. } = self.function;
        let message = format!("{subject} of the template function '{namespace}.{name}' {what}");
        EvaluateError::new(Cause::Argument(name.clone()), message)
    }
}
