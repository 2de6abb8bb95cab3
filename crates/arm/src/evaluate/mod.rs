//! Expressions to values, as far as their environment allows.
//!
//! [`evaluate`] wants a value and nothing less. [`reduce`] does what can be done: it returns a value, or the
//! expression that is left when everything known has been worked out. [`inline`] replaces references to
//! parameters, variables and the template's own functions and leaves all else as written. Depth and work are
//! bounded, so that no expression can exhaust the stack or run for ever.

mod access;
mod call;
mod environment;
mod error;
mod inline;
mod json;
mod lambda;
mod memory;
mod special;
mod taint;
mod yield_hook;

use std::cell::{Cell, RefCell};
use std::sync::Arc;

use smol_str::SmolStr;

pub(crate) use access::{article, display_value, out_of_bounds, part};
pub use environment::{
    Environment, EnvironmentValue, ExtraFunction, ExtraFunctions, FunctionRole, Moment, Scope, UserFunction,
    Void,
};
pub(crate) use environment::{UserFunctionEnvironment, forwarded};
pub use error::{Cause, EvaluateError};
pub use inline::inline;
pub(crate) use lambda::{Argument, Lambda};
pub(crate) use memory::{CONTAINER, PART};
pub use yield_hook::{EvaluationTurn, YieldHook, set_pace};

use crate::budget::Budget;
use crate::expression::{Expression, FunctionCall};
use crate::value::{self, Value};

/// How much an evaluation may cost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EvaluationLimits {
    /// How many calls may stand inside each other, those through variables and functions included.
    pub depth: usize,
    /// How much work may be done in all: a call is one step, and so are sixteen values that it looks at or makes.
    pub steps: u64,
    /// How large a value may be: how many values it holds, all parts of parts included.
    pub size: u64,
}

impl EvaluationLimits {
    /// The defaults: 400 levels, 50 million steps, values of 8 million parts.
    pub const DEFAULT: EvaluationLimits =
        EvaluationLimits { depth: crate::expression::MAX_DEPTH, steps: 50_000_000, size: 8_000_000 };
}

/// What is left of an expression after reduction.
#[derive(Clone, Debug, PartialEq)]
pub enum Reduced {
    /// All of it was known.
    Value(Value),
    /// What has to be evaluated later.
    Expression(Expression),
}

impl Reduced {
    /// The expression that gives what is left.
    pub fn into_expression(self) -> Expression {
        match self {
            Reduced::Value(value) => Expression::from_value(&value),
            Reduced::Expression(expression) => expression,
        }
    }
}

/// Evaluates an expression with the default limits.
pub fn evaluate(expression: &Expression, environment: &dyn Environment) -> Result<Value, EvaluateError> {
    Evaluator::run(environment, EvaluationLimits::DEFAULT, |evaluator| evaluator.evaluate(expression))
}

/// Evaluates what can be evaluated of an expression, with the default limits.
pub fn reduce(expression: &Expression, environment: &dyn Environment) -> Result<Reduced, EvaluateError> {
    Evaluator::run(environment, EvaluationLimits::DEFAULT, |evaluator| evaluator.reduce(expression))
}

/// One evaluation under way: an environment, and what has been used up.
pub struct Evaluator<'e> {
    environment: &'e dyn Environment,
    used: &'e Used,
    limits: EvaluationLimits,
    /// What pays for it; none if nobody has a say beyond the limits.
    budget: Option<&'e Budget>,
}

/// A text that was put together from secrets, and what people see of it.
type Masked = (Arc<Value>, SmolStr);

#[derive(Default)]
struct Used {
    depth: Cell<usize>,
    steps: Cell<u64>,
    /// How many evaluations that may turn out not to be needed are around this one.
    attempts: Cell<usize>,
    /// How many bytes of values are alive, and how many may be before more are drawn.
    alive: Cell<u64>,
    /// How many of them stay until the end.
    kept: Cell<u64>,
    drawn: Cell<u64>,
    /// After how many steps it is asked whether to go on, and what was said.
    ask_at: Cell<u64>,
    turn: RefCell<Option<yield_hook::EvaluationTurn>>,
    /// The texts that were put together from secrets, each with masks in the place of the secrets; none while nobody wants to know.
    masked: RefCell<Option<Vec<Masked>>>,
}

/// The variables of the lambdas around an expression, the innermost first.
#[derive(Clone, Copy)]
pub(crate) struct Locals<'l> {
    outer: Option<&'l Locals<'l>>,
    names: &'l [SmolStr],
    /// None while the body is only rewritten.
    values: Option<&'l [Value]>,
}

impl Locals<'_> {
    const NONE: Locals<'static> = Locals { outer: None, names: &[], values: None };
}

impl<'e> Evaluator<'e> {
    /// Starts an evaluation and hands it to `work`; everything in it shares one set of limits.
    pub fn run<T>(
        environment: &dyn Environment,
        limits: EvaluationLimits,
        work: impl FnOnce(&Evaluator<'_>) -> T,
    ) -> T {
        Evaluator::run_on(None, environment, limits, work)
    }

    /// The same at the expense of a budget: its steps are a limit as well, and are spent.
    pub fn run_on<T>(
        budget: Option<&Budget>,
        environment: &dyn Environment,
        limits: EvaluationLimits,
        work: impl FnOnce(&Evaluator<'_>) -> T,
    ) -> T {
        let first = yield_hook::first();
        // Who may want it to stop is asked now and then, too.
        let first = if budget.is_some() { first.min(yield_hook::STEPS) } else { first };
        let used = Used { ask_at: Cell::new(first), drawn: Cell::new(memory::FREE), ..Used::default() };
        let steps = budget.map_or(limits.steps, |budget| limits.steps.min(budget.steps_left()));
        let evaluator =
            Evaluator { environment, used: &used, limits: EvaluationLimits { steps, ..limits }, budget };
        let result = work(&evaluator);
        evaluator.give_all_back();
        if let Some(budget) = budget {
            budget.spend_steps(evaluator.steps());
        }
        yield_hook::ended(used.ask_at.get().saturating_sub(used.steps.get()));
        result
    }

    /// The same evaluation in another environment.
    pub fn within<T>(&self, environment: &dyn Environment, work: impl FnOnce(&Evaluator<'_>) -> T) -> T {
        work(&Evaluator { environment, used: self.used, limits: self.limits, budget: self.budget })
    }

    /// Evaluates something whose texts are for people: what is put together from secrets can be shown with masks in their places
    /// ([`Evaluator::shown`]), and a secret that decides between texts does not make them secret.
    pub(crate) fn for_people<T>(&self, work: impl FnOnce() -> T) -> T {
        let outer = self.used.masked.replace(Some(Vec::new()));
        let result = work();
        self.used.masked.replace(outer);
        result
    }

    /// Tells whether texts are for people.
    pub(crate) fn is_for_people(&self) -> bool {
        self.used.masked.borrow().is_some()
    }

    /// A text as people may see it: with masks in the place of secrets; none if it was made of secrets in another way.
    pub(crate) fn shown(&self, value: &Value) -> Option<SmolStr> {
        let Value::Secret(secret) = value else { return value.as_str().map(SmolStr::from) };
        let masked = self.used.masked.borrow();
        let mut known = masked.iter().flatten();
        known.find(|(text, _)| Arc::ptr_eq(text, secret)).map(|(_, shown)| shown.clone())
    }

    fn note_shown(&self, value: &Value, shown: SmolStr) {
        if let (Value::Secret(secret), Some(masked)) = (value, &mut *self.used.masked.borrow_mut()) {
            masked.push((Arc::clone(secret), shown));
        }
    }

    /// What the expressions see.
    pub fn environment(&self) -> &'e dyn Environment {
        self.environment
    }

    /// Evaluates an expression to the end; fails if a part of it is not known yet.
    pub fn evaluate(&self, expression: &Expression) -> Result<Value, EvaluateError> {
        match self.reduce(expression)? {
            Reduced::Value(value) => Ok(value),
            Reduced::Expression(rest) => Err(unknown(&rest)),
        }
    }

    /// Evaluates what can be evaluated of an expression.
    pub fn reduce(&self, expression: &Expression) -> Result<Reduced, EvaluateError> {
        self.expression(expression, &Locals::NONE)
    }

    // Everything between here and the next call of this function is kept small on the stack: what is not on the
    // way to an inner expression stands in functions of its own.
    pub(crate) fn expression(
        &self,
        expression: &Expression,
        locals: &Locals<'_>,
    ) -> Result<Reduced, EvaluateError> {
        self.deeper(1, || match expression {
            Expression::Text(text) => Ok(Reduced::Value(Value::Text(text.clone()))),
            Expression::Int(value) => Ok(Reduced::Value(Value::Int(*value))),
            Expression::Secret(value) => Ok(Reduced::Value((**value).clone())),
            Expression::Call(call) => call::call(self, call, locals),
            Expression::Access(walk) => access::access(self, walk, locals),
        })
        .map_err(|error| self.failed(error))
    }

    /// An error on its way to whoever asked: what is too large ends everything that the budget pays for, so that nobody goes on with what
    /// comes behind it. What may not be needed ends by itself.
    #[cold]
    #[inline(never)]
    fn failed(&self, error: EvaluateError) -> EvaluateError {
        if *error.cause() == Cause::TooLarge && !self.is_attempt() {
            self.end(error.message(), false);
        }
        error
    }

    /// Lets the budget pay for nothing more.
    fn end(&self, message: &str, is_busy: bool) {
        if let Some(budget) = self.budget {
            budget.end(message, is_busy);
            // What is under way is over at its next step.
            self.used.steps.set(u64::MAX);
        }
    }

    /// Tells whether what is evaluated may turn out not to be needed: it stands behind something that is not known.
    ///
    /// An environment that notes down what it was asked for and does not know leaves such things out.
    pub fn is_attempt(&self) -> bool {
        self.used.attempts.get() > 0
    }

    /// Does something that may turn out not to be needed.
    pub(crate) fn attempt<T>(&self, work: impl FnOnce() -> T) -> T {
        let attempts = &self.used.attempts;
        attempts.set(attempts.get() + 1);
        let result = work();
        attempts.set(attempts.get() - 1);
        result
    }

    /// Does something some levels deeper, if that is allowed.
    pub(crate) fn deeper<T>(
        &self,
        levels: usize,
        work: impl FnOnce() -> Result<T, EvaluateError>,
    ) -> Result<T, EvaluateError> {
        let depth = self.used.depth.get() + levels;
        if depth > self.limits.depth {
            return Err(self.too_deep());
        }
        self.used.depth.set(depth);
        let result = work();
        self.used.depth.set(depth - levels);
        result
    }

    #[cold]
    #[inline(never)]
    fn too_deep(&self) -> EvaluateError {
        let depth = self.limits.depth;
        EvaluateError::new(
            Cause::TooDeep,
            format!("expressions stand more than {depth} levels deep inside each other"),
        )
    }

    /// Turns what an environment said into a result; `unknown` makes what stays of the call.
    fn answer(
        &self,
        answer: EnvironmentValue,
        unknown: impl FnOnce() -> Reduced,
    ) -> Result<Reduced, EvaluateError> {
        match answer {
            EnvironmentValue::Value(value) => {
                self.made(&value)?;
                Ok(Reduced::Value(value))
            }
            EnvironmentValue::Expression(expression) => Ok(Reduced::Expression(expression)),
            EnvironmentValue::Unknown => Ok(unknown()),
        }
    }

    /// Counts what a call made against the limits.
    fn made(&self, value: &Value) -> Result<(), EvaluateError> {
        if value.depth() as usize > value::MAX_DEPTH {
            let message = format!("the value nests more than {} levels deep", value::MAX_DEPTH);
            return Err(EvaluateError::new(Cause::TooDeep, message));
        }
        self.fits(value.size())?;
        self.step(match value {
            Value::Text(text) => text.len() as u64 / 256,
            Value::Array(list) => list.items().len() as u64 / 16,
            Value::Object(object) => object.len() as u64 / 16,
            _ => 0,
        })
    }

    /// How much work was done so far.
    pub fn steps(&self) -> u64 {
        self.used.steps.get()
    }

    /// Counts work that is done around expressions.
    pub fn count(&self, steps: u64) -> Result<(), EvaluateError> {
        self.step(steps)
    }

    /// Whether a value may have so many parts.
    fn fits(&self, parts: u64) -> Result<(), EvaluateError> {
        if parts > self.limits.size {
            let message = format!("the value has more than {} parts", self.limits.size);
            return Err(self.failed(EvaluateError::new(Cause::TooLarge, message)));
        }
        Ok(())
    }

    fn step(&self, steps: u64) -> Result<(), EvaluateError> {
        let used = self.used.steps.get().saturating_add(steps);
        self.used.steps.set(used);
        if used > self.limits.steps {
            if let Some(overrun) = self.budget.and_then(|budget| budget.out_of_steps(used)) {
                return Err(overrun.into());
            }
            let message = format!("the expression takes more than {} steps", self.limits.steps);
            return Err(self.failed(EvaluateError::new(Cause::TooLarge, message)));
        }
        if used >= self.used.ask_at.get() {
            return self.ask(used);
        }
        Ok(())
    }

    /// Lets others have their turn.
    #[cold]
    #[inline(never)]
    fn ask(&self, used: u64) -> Result<(), EvaluateError> {
        self.used.ask_at.set(used.saturating_add(yield_hook::STEPS));
        if self.budget.is_some_and(Budget::is_canceled) {
            return Err(EvaluateError::new(Cause::Canceled, "the evaluation was canceled"));
        }
        drop(self.used.turn.take());
        let Some(turn) = yield_hook::yield_now() else {
            let message =
                "too many expressions that take long are evaluated at the same time; try again later";
            self.end(message, true);
            return Err(EvaluateError::new(Cause::TooLarge, message));
        };
        self.used.turn.replace(Some(turn));
        Ok(())
    }
}

/// What stays of a call whose result is not known.
fn left(call: &FunctionCall, arguments: Vec<Expression>) -> Reduced {
    Reduced::Expression(Expression::Call(Box::new(FunctionCall {
        namespace: call.namespace.clone(),
        name: call.name.clone(),
        arguments,
    })))
}

/// The error for a value that would be needed and is not known.
pub(crate) fn unknown(rest: &Expression) -> EvaluateError {
    let mut text = rest.to_string();
    if let Some((end, _)) = text.char_indices().nth(80) {
        text.truncate(end);
        text.push('…');
    }
    EvaluateError::new(Cause::Unknown, format!("the value of `{text}` is not known yet"))
}
