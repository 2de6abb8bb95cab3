//! A schema with the contracts that are made of it.

use std::ops::Deref;
use std::sync::OnceLock;

use contract::Contract;

use crate::lower::{Purpose, contract_of};
use crate::schema::Schema;

/// A schema, with the contracts that are made of it when they are asked for first.
#[derive(Debug)]
pub struct CompiledSchema {
    schema: Schema,
    request: OnceLock<Option<Contract>>,
    state: OnceLock<Option<Contract>>,
}

impl CompiledSchema {
    /// A schema whose contract is made when it is asked for first.
    pub fn new(schema: Schema) -> CompiledSchema {
        CompiledSchema { schema, request: OnceLock::new(), state: OnceLock::new() }
    }

    /// A schema whose contracts, of requests and of states, are known.
    pub(crate) fn with(schema: Schema, (request, state): (Contract, Contract)) -> CompiledSchema {
        CompiledSchema { schema, request: OnceLock::from(Some(request)), state: OnceLock::from(Some(state)) }
    }

    /// The contract for a whole resource; none if the schema cannot be used.
    pub fn contract(&self, purpose: Purpose) -> Option<&Contract> {
        let kept = match purpose {
            Purpose::Request => &self.request,
            Purpose::State => &self.state,
        };
        kept.get_or_init(|| contract_of(&self.schema, purpose).ok()).as_ref()
    }
}

impl Deref for CompiledSchema {
    type Target = Schema;

    fn deref(&self) -> &Schema {
        &self.schema
    }
}
