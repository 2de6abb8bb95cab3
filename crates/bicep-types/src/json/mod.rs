//! The JSON form: `index.json` and `types.json`, read and written.

mod index;
mod read;
mod types;
mod write;

pub use index::read_index;
pub use types::read_types;
pub use write::{JsonStyle, write_index, write_types};
