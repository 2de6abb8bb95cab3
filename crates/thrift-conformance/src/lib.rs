//! Conformance of validators of Thrift rules: cases, how a validator is asked, and what its answers come to.
//!
//! The cases are Markdown documents in `cases`, which people read as the meaning of the rules; [`cases`] reads them.
//! Each value of each case becomes a [`Request`], a line of JSON for an *executor*, which is any program that runs a
//! validator and answers with a line of JSON, an [`ExecutorAnswer`]. [`Suite::judge`] holds the answers against the cases and
//! against a list of failures that are known ([`ExpectedFailures`]). [`executor`] answers for Tendon itself.
//!
//! Nothing is started here: whoever has a program, asks it. `docs/thrift-conformance.md` describes the protocol.

mod cases;
pub mod executor;
mod expected;
mod judge;
pub mod junit;
mod protocol;
mod suite;
mod values;

pub use cases::{Case, CaseSide, CaseValue, ExpectedVerdict, cases, read, table_cases};
pub use expected::{ExpectedFailure, ExpectedFailures};
pub use judge::{CaseResult, Compare, Judgement, Summary};
pub use protocol::{AnswerVerdict, ExecutorAnswer, Request};
pub use suite::{ConformanceItem, Suite};
pub use values::{ParsedCase, encode};
