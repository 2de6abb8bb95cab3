//! What is written of a run of tests: for people, and for programs in the forms that they know.

mod events;
mod github;
mod html;
mod junit;
mod people;
mod sarif;
mod tap;

pub use events::events;
pub use github::annotations;
pub use html::html;
pub use junit::junit;
pub use people::{failure_text, people, summary_line};
pub use sarif::sarif;
pub use tap::tap;
