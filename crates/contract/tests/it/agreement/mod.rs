//! Random contracts and random documents: the engine agrees with itself and, where both speak the same language,
//! with an implementation of JSON Schema.

mod grammar;
mod others;
mod own;

use contract::{Contract, Plain};
use document::{Document, FileId, ReadLimits};
use serde_json::Value;

fn read(text: &str) -> Document {
    Document::from_json(text, FileId::FIRST, &ReadLimits::default())
        .unwrap_or_else(|error| panic!("{text}: {error}"))
}

/// Compiles a contract, if it has no flaws.
fn compile(contract: &Value) -> Option<Contract> {
    Contract::from_json(read(&contract.to_string()).root(), &Plain).ok()
}
