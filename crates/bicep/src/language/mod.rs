//! Which language a program is written in: its dialect, and the experimental features that are on.

mod features;

pub use features::{Feature, Features};

/// The public compiler whose language and templates these are.
pub const LANGUAGE_VERSION: &str = "0.46.0";

/// Which language programs are written in, where Tendon's and that of the public compiler differ.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Dialect {
    /// With what Tendon adds.
    #[default]
    Tendon,
    /// As the public compiler has it.
    Public,
}
