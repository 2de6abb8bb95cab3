//! To come.

use super::Checker;

impl<'m> Checker<'m> {
    /// To come.
    pub(super) fn runtime(&mut self) {}
}
