//! Values that parameters take, made from their types.

use contract::sample::{SampleOptions, samples, samples_for};
use contract::{Constant, Contract, Definitions, Form, IntWidth, Shape};

use super::lower::{NoValidators, TypeContracts};
use super::{TypeDefinition, TypeWord};
use crate::template::Template;
use crate::value::Value;

impl Template {
    /// Values of a type: those at its boundaries first, then some that are chosen by a seed. Validators are not asked.
    pub fn type_samples(&self, ty: &TypeDefinition, options: SampleOptions) -> Vec<Value> {
        let found = match self.types().contract.as_ref().filter(|_| !ty.plain) {
            Some(contract) => of_definition(contract, &TypeContracts::entry(ty), options),
            None => of_word(ty.word, options),
        };
        found.iter().filter_map(|value| Value::from_view(value).ok()).collect()
    }

    /// Whether a value keeps a type. Validators are not asked.
    pub fn type_admits(&self, ty: &TypeDefinition, value: &Value) -> bool {
        match self.types().contract.as_ref().filter(|_| !ty.plain) {
            Some(contract) => contract
                .definition(&TypeContracts::entry(ty))
                .is_some_and(|checker| checker.host(&NoValidators).is_valid(value.view())),
            None => match ty.word {
                Some(TypeWord::String) => matches!(value, Value::Text(_)),
                Some(TypeWord::Int) => matches!(value, Value::Int(_)),
                Some(TypeWord::Bool) => matches!(value, Value::Bool(_)),
                Some(TypeWord::Array) => matches!(value, Value::Array(_)),
                Some(TypeWord::Object) => matches!(value, Value::Object(_)),
                None => true,
            },
        }
    }
}

fn of_definition(contract: &Contract, name: &str, options: SampleOptions) -> Vec<Constant> {
    let (Some(shape), Some(checker)) = (contract.definitions().get(name), contract.definition(name)) else {
        return Vec::new();
    };
    let checker = checker.host(&NoValidators);
    samples_for(shape, contract.definitions(), options, &|value| checker.is_valid(value))
}

fn of_word(word: Option<TypeWord>, options: SampleOptions) -> Vec<Constant> {
    let form = match word {
        Some(TypeWord::String) => Form::Text,
        Some(TypeWord::Int) => Form::Int(IntWidth::Written),
        Some(TypeWord::Bool) => Form::Bool,
        // Whatever is in them, nothing is known to be wrong with none.
        Some(TypeWord::Array) => return vec![Constant::List(Vec::new())],
        Some(TypeWord::Object) => return vec![Constant::Object(Vec::new())],
        None => return vec![Constant::text("a"), Constant::Int(1), Constant::Bool(true)],
    };
    let contract = Contract::compile(&Shape::new(form), &Definitions::new());
    contract.map(|contract| samples(&contract, options)).unwrap_or_default()
}
