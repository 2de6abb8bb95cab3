//! To come.

use super::Checker;

impl<'m> Checker<'m> {
    /// To come.
    pub(super) fn scopes(&mut self) {}
}
