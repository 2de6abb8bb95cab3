//! What proves to a registry who asks.

use std::fmt;

/// A text that nothing prints.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(String);

impl Secret {
    /// Keeps a text that is never printed.
    #[must_use]
    pub fn new(text: impl Into<String>) -> Secret {
        Secret(text.into())
    }

    /// The text, for the one request that needs it.
    pub(crate) fn reveal(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("***")
    }
}

/// What proves who asks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Credential {
    /// A name and a password.
    Basic {
        /// The name of the user, which registries show.
        user: String,
        /// The password or the token that goes in its place.
        password: Secret,
    },
    /// A token that is exchanged for others, as `az acr login` leaves it.
    Identity(Secret),
}
