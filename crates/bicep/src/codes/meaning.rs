//! What single codes say of findings, besides what their rows say.

use super::{NOT_RESTORED, PROVIDERS_FUNCTION, RESTORE_FAILED, UNTRUSTED_REGISTRY};
use crate::finding::{Finding, Tag};

impl Finding {
    /// What it says of the text at its place.
    #[must_use]
    pub fn tag(&self) -> Option<Tag> {
        match self.code {
            "no-unused-params"
            | "no-unused-vars"
            | "no-unused-imports"
            | "no-unused-types"
            | "no-unused-existing-resources" => Some(Tag::Unnecessary),
            code if code == PROVIDERS_FUNCTION.code => Some(Tag::Deprecated),
            _ => None,
        }
    }

    /// Tells whether it says that something of a registry is not in the cache.
    #[must_use]
    pub fn is_about_restoring(&self) -> bool {
        [NOT_RESTORED, RESTORE_FAILED, UNTRUSTED_REGISTRY].iter().any(|it| it.code == self.code)
    }
}
