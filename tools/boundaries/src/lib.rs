//! Every boundary of the real program times every attack.
//!
//! [`attacks`] has the values that break a contract, each with its honest twin; [`Crossing`] has the places where values come in;
//! `adapters` know how a value is brought to each of them. A [cell](run::Cell) is one attack at one boundary: it is refused as the manual says, nothing of it
//! is kept, and its twin is accepted.

mod adapters;
pub mod attack;
pub mod attacks;
mod client;
pub mod crossing;
mod judge;
pub mod known;
mod process;
pub mod report;
mod room;
pub mod run;
pub mod value;
mod world;

pub use crossing::Crossing;

/// What went wrong, for the person who runs this.
pub type Result<T = ()> = std::result::Result<T, String>;

/// An error of the system as text.
fn said(error: impl std::fmt::Display) -> String {
    error.to_string()
}
