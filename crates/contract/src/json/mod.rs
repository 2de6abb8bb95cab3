//! The JSON form of contracts: the words of JSON Schema and OpenAPI where they exist, words of our own where
//! they do not.
//!
//! `words` is the table of all words, `read` turns a document into shapes, `write` turns shapes into text.
//! A word that is not in the table is a mistake, never ignored: a misspelt rule would let values through.

mod dialect;
mod draft;
mod read;
mod resources;
mod unevaluated;
mod words;
mod write;

pub use dialect::is_standard;
pub use read::{read, read_at, read_linked};
pub use resources::resolve;
pub use write::write;

use crate::contract::Contract;
use crate::flaw::Flaw;
use crate::host::Host;
use value::View;

impl Contract {
    /// Reads a contract in its JSON form and compiles it.
    pub fn from_json<'v, V: View<'v>>(document: V, host: &dyn Host) -> Result<Contract, Vec<Flaw>> {
        Contract::from_json_at(document, document, host)
    }

    /// Reads a part of a document, such as one of its definitions, as a contract; references are to the document.
    pub fn from_json_at<'v, V: View<'v>>(
        document: V,
        part: V,
        host: &dyn Host,
    ) -> Result<Contract, Vec<Flaw>> {
        Contract::from_json_linked(document, part, &[], host)
    }

    /// The same with other documents that references may lead to, each with its address.
    pub fn from_json_linked<'v, V: View<'v>>(
        document: V,
        part: V,
        others: &[(String, V)],
        host: &dyn Host,
    ) -> Result<Contract, Vec<Flaw>> {
        let (shape, definitions) = read_linked(document, part, others)?;
        match is_standard(document) {
            // Where the standard allows contradictions, nothing satisfies them.
            true => Contract::compile_usable(shape, definitions, host),
            false => Contract::compile_owned(shape, definitions, host),
        }
    }

    /// Writes the contract in its JSON form.
    pub fn to_json(&self) -> String {
        write(&self.shape, &self.definitions)
    }
}
