//! Annotations: the `(key = "value")` lists that rules are written in.

use std::sync::Arc;

use super::{IdlName, Literal};
use crate::Span;

/// One `key = "value"` of a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Annotation {
    /// The key, with its dots.
    pub key: IdlName,
    /// The value; `None` when only the key is written, which Apache reads as `"1"`.
    pub value: Option<Literal>,
    /// The place of key and value.
    pub span: Span,
}

/// The annotations of one thing, in source order; a key may come several times.
///
/// Cloning shares the list.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Annotations(Option<Arc<[Annotation]>>);

impl Annotations {
    /// Returns the annotations as a slice.
    pub fn as_slice(&self) -> &[Annotation] {
        self.0.as_deref().unwrap_or(&[])
    }

    /// Iterates in source order.
    pub fn iter(&self) -> std::slice::Iter<'_, Annotation> {
        self.as_slice().iter()
    }

    /// Iterates over the annotations with one key, in source order.
    pub fn all<'a>(&'a self, key: &'a str) -> impl Iterator<Item = &'a Annotation> {
        self.iter().filter(move |annotation| annotation.key.text == key)
    }

    /// Returns whether there is none.
    pub fn is_empty(&self) -> bool {
        self.as_slice().is_empty()
    }

    /// Returns how many there are.
    pub fn len(&self) -> usize {
        self.as_slice().len()
    }
}

impl FromIterator<Annotation> for Annotations {
    fn from_iter<I: IntoIterator<Item = Annotation>>(annotations: I) -> Self {
        let list: Arc<[Annotation]> = annotations.into_iter().collect();
        Annotations((!list.is_empty()).then_some(list))
    }
}

impl<'a> IntoIterator for &'a Annotations {
    type Item = &'a Annotation;
    type IntoIter = std::slice::Iter<'a, Annotation>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}
