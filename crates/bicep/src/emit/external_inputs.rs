//! External inputs: what parameters ask of whoever deploys them.

use arm::Expression;
use arm::expression::FunctionCall;
use rustc_hash::FxHashMap;

use crate::config::InputsForm;

/// The function by which Bicep asks for an external input.
const FUNCTION: &str = "externalInput";

/// The function by which parameters JSON does.
pub(crate) const WRITTEN: &str = "externalInputs";

/// An external input that a file asks for.
#[derive(Clone, Debug)]
pub(crate) struct Definition {
    /// What expressions call it.
    pub(crate) key: String,
    /// The kind of the input, which says who is asked.
    pub(crate) kind: Expression,
    /// What is asked for.
    pub(crate) config: Option<Expression>,
}

/// The external inputs that a file asks for, each once.
#[derive(Debug)]
pub(crate) struct Definitions {
    form: InputsForm,
    /// The keys by the text of the call.
    keys: FxHashMap<String, String>,
    /// In the order in which they were found.
    pub(crate) all: Vec<Definition>,
}

/// Tells whether a call asks for an input.
pub(crate) fn asks(call: &FunctionCall) -> bool {
    call.is_call_to(FUNCTION)
}

impl Definitions {
    pub(crate) fn new(form: InputsForm) -> Definitions {
        Definitions { form, keys: FxHashMap::default(), all: Vec::new() }
    }

    /// Finds the calls in an expression and gives each its key.
    pub(crate) fn collect(&mut self, expression: &Expression) {
        expression.for_each(&mut |part| {
            let Some(call) = part.as_call().filter(|call| asks(call)) else { return };
            let Some(Expression::Text(kind)) = call.arguments.first() else { return };
            let text = part.to_string();
            if self.keys.contains_key(&text) {
                return;
            }
            let key = self.form.key(kind, self.keys.len());
            self.keys.insert(text, key.clone());
            let kind = Expression::Text(kind.clone());
            self.all.push(Definition { key, kind, config: call.arguments.get(1).cloned() });
        });
    }

    /// The expression with keys in the place of calls.
    pub(crate) fn keyed(&self, expression: Expression) -> Expression {
        expression.rewrite(&mut |part| {
            if !part.as_call().is_some_and(asks) {
                return part;
            }
            match self.keys.get(&part.to_string()) {
                Some(key) => Expression::call(WRITTEN, [Expression::text(key.as_str())]),
                None => part,
            }
        })
    }
}
