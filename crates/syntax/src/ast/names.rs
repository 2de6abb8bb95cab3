//! Identifiers, and the places where an identifier or a string can stand.

use super::{AstNode as _, Skipped, String};
use crate::Span;
use crate::tree::{SyntaxElement, SyntaxNode, SyntaxToken};

/// An identifier, or the skipped text in its place.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Name<'t>(SyntaxElement<'t>);

impl<'t> Name<'t> {
    pub(crate) fn read(parent: SyntaxNode<'t>, element: Option<SyntaxElement<'t>>) -> Self {
        Self(element.unwrap_or(SyntaxElement::Node(parent)))
    }

    /// Returns the identifier, or nothing when something else stands there.
    #[must_use]
    pub const fn token(self) -> Option<SyntaxToken<'t>> {
        self.0.token()
    }

    /// Returns the name; `<error>` or `<missing>` when there is none.
    #[must_use]
    pub fn text(self) -> &'t str {
        match self.0 {
            SyntaxElement::Token(token) => token.text(),
            SyntaxElement::Node(node) if node.slot_count() > 0 => "<error>",
            SyntaxElement::Node(_) => "<missing>",
        }
    }

    /// Tells whether there is an identifier.
    #[must_use]
    pub const fn is_valid(self) -> bool {
        self.0.token().is_some()
    }

    /// Returns the bytes covered.
    #[must_use]
    pub fn span(self) -> Span {
        self.0.span()
    }
}

/// What stands where a name can be written plainly or in quotes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum NameOrString<'t> {
    /// An identifier, or a keyword in its place.
    Name(SyntaxToken<'t>),
    /// A string, which may have holes.
    String(String<'t>),
    /// Text that is neither, or nothing at all.
    Skipped(Skipped<'t>),
}

impl<'t> NameOrString<'t> {
    pub(crate) fn read(parent: SyntaxNode<'t>, element: Option<SyntaxElement<'t>>) -> Self {
        match element {
            Some(SyntaxElement::Token(token)) => Self::Name(token),
            Some(SyntaxElement::Node(node)) => {
                String::cast(node).map_or(Self::Skipped(Skipped(node)), Self::String)
            }
            None => Self::Skipped(Skipped(parent)),
        }
    }

    /// Returns the bytes covered.
    #[must_use]
    pub fn span(self) -> Span {
        match self {
            Self::Name(token) => token.span(),
            Self::String(string) => string.node().span(),
            Self::Skipped(skipped) => skipped.node().span(),
        }
    }

    /// Returns the name when it is known without evaluating anything.
    #[must_use]
    pub fn constant(self) -> Option<std::borrow::Cow<'t, str>> {
        match self {
            Self::Name(token) => Some(token.text().into()),
            Self::String(string) => string.constant(),
            Self::Skipped(_) => None,
        }
    }
}
