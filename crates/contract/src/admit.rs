//! The one way for a value to cross a boundary.
//!
//! A value that somebody else wrote is worth nothing until its contract was asked. [`admit`] asks, and only what it returns, an
//! [`Admitted`] value, can be bound, stored, sent or returned: those who do that take nothing else, so that a boundary that forgets
//! the check does not compile.

use std::convert::Infallible;

use crate::boundary::Boundary;

/// A value that crossed a boundary, because its contract holds.
#[derive(Clone, Debug, PartialEq)]
pub struct Admitted<V> {
    value: V,
    boundary: Boundary,
}

impl<V> Admitted<V> {
    /// The value as it crossed: with defaults, and with names as they are declared.
    pub fn get(&self) -> &V {
        &self.value
    }

    /// The value, for whoever acts on it now.
    pub fn into_inner(self) -> V {
        self.value
    }

    /// The boundary that let it across.
    pub fn boundary(&self) -> Boundary {
        self.boundary
    }
}

/// What a boundary asks of a value before it lets it in.
pub trait Terms<V> {
    /// Why a value is not let in.
    type Refusal;

    /// The value as it may cross: with its defaults, in the spelling of its contract, its secrets sealed. What
    /// is returned is what was checked.
    fn admit(&self, value: V) -> Result<V, Self::Refusal>;
}

/// Lets a value cross a boundary if its terms hold.
pub fn admit<V, T: Terms<V> + ?Sized>(
    boundary: Boundary,
    terms: &T,
    value: V,
) -> Result<Admitted<V>, T::Refusal> {
    terms.admit(value).map(|value| Admitted { value, boundary })
}

/// The terms of what has no contract, such as the body of a resource whose type nobody describes. Whoever uses them says so.
#[derive(Clone, Copy, Debug)]
pub struct OpenTerms;

impl<V> Terms<V> for OpenTerms {
    type Refusal = Infallible;

    fn admit(&self, value: V) -> Result<V, Infallible> {
        Ok(value)
    }
}

impl OpenTerms {
    /// Lets a value in that no contract is for.
    pub fn admit<V>(boundary: Boundary, value: V) -> Admitted<V> {
        Admitted { value, boundary }
    }
}
