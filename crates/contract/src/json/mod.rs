//! The JSON form of contracts: the words of JSON Schema and OpenAPI where they exist, words of our own where
//! they do not.
//!
//! `words` is the table of all words, `read` turns a document into shapes, `write` turns shapes into text.
//! A word that is not in the table is a mistake, never ignored: a misspelt rule would let values through.

mod draft;
mod read;
mod words;
mod write;

pub use read::{read, read_at};
pub use write::write;

use crate::contract::Contract;
use crate::flaw::Flaw;
use crate::host::Host;
use value::View;

impl Contract {
    /// Reads a contract in its JSON form and compiles it.
    pub fn from_json<'v, V: View<'v>>(document: V, host: &dyn Host) -> Result<Contract, Vec<Flaw>> {
        let (shape, definitions) = read(document)?;
        Contract::compile_owned(shape, definitions, host)
    }

    /// Reads a part of a document, such as one of its definitions, as a contract; references are to the document.
    pub fn from_json_at<'v, V: View<'v>>(
        document: V,
        part: V,
        host: &dyn Host,
    ) -> Result<Contract, Vec<Flaw>> {
        let (shape, definitions) = read_at(document, part)?;
        Contract::compile_owned(shape, definitions, host)
    }

    /// Writes the contract in its JSON form.
    pub fn to_json(&self) -> String {
        write(&self.shape, &self.definitions)
    }
}
