//! External inputs: what parameters ask of whoever deploys them, and the two forms in which parameters JSON says so.

use arm::Expression;
use arm::expression::Call;
use rustc_hash::FxHashMap;

use crate::compiler::{Dialect, Options};
use crate::config::Config;

/// The function by which Bicep asks for an external input.
const FUNCTION: &str = "externalInput";

/// The function by which parameters JSON does.
pub(crate) const WRITTEN: &str = "externalInputs";

/// Where a configuration says which form is written.
pub(crate) const SETTING: &str = "externalInputsForm";

/// How parameters JSON asks for external inputs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum InputsForm {
    /// Under `externalInputs`, by number, with `type` and `config`.
    Proposal,
    /// As Azure's tools know it: under `externalInputDefinitions`, by kind and number, with `kind` and `config`.
    Azure,
}

impl InputsForm {
    /// The form that goes by a name in configurations and on command lines.
    #[must_use]
    pub fn named(name: &str) -> Option<InputsForm> {
        match name {
            "proposal" => Some(InputsForm::Proposal),
            "azure" => Some(InputsForm::Azure),
            _ => None,
        }
    }

    /// The form for a file: as the compiler was told, else as the configuration says, else that of the language.
    pub(crate) fn of(options: &Options, config: &Config) -> InputsForm {
        let configured = || config.text(&[SETTING]).and_then(InputsForm::named);
        let usual = match options.dialect {
            Dialect::Tendon => InputsForm::Proposal,
            Dialect::Public => InputsForm::Azure,
        };
        options.inputs_form.or_else(configured).unwrap_or(usual)
    }

    /// The member of parameters JSON with all inputs.
    pub(crate) const fn section(self) -> &'static str {
        match self {
            InputsForm::Proposal => "externalInputs",
            InputsForm::Azure => "externalInputDefinitions",
        }
    }

    /// The member of an input with its name.
    pub(crate) const fn kind(self) -> &'static str {
        match self {
            InputsForm::Proposal => "type",
            InputsForm::Azure => "kind",
        }
    }

    /// The key of the input at a position.
    fn key(self, kind: &str, position: usize) -> String {
        match self {
            InputsForm::Proposal => position.to_string(),
            InputsForm::Azure => {
                let word = |character: char| {
                    if character.is_alphanumeric() || character == '_' { character } else { '_' }
                };
                format!("{}_{position}", kind.chars().map(word).collect::<String>())
            }
        }
    }
}

/// An external input that a file asks for.
#[derive(Clone, Debug)]
pub(crate) struct Definition {
    /// What expressions call it.
    pub(crate) key: String,
    /// Who is asked.
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
pub(crate) fn asks(call: &Call) -> bool {
    call.is(FUNCTION)
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
