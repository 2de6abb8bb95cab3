//! The grammar, one file per construct.
//!
//! UPSTREAM: where a mistake is reported, what is skipped after it and which later findings are kept to itself is
//! observable, and users' tools compare it. So each function skips to the same tokens as the reference compiler does.

mod declarations;
mod decorators;
mod expressions;
mod imports;
mod lambdas;
mod lists;
mod loops;
mod members;
mod params_file;
mod program;
mod strings;
mod types;

use crate::token::{TokenKind, TokenSet};

/// What an expression can be made of, one bit each.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Allow(u8);

impl Allow {
    /// No array and no object literals.
    pub(crate) const SIMPLE: Self = Self(0);
    /// Array and object literals.
    pub(crate) const COMPLEX: Self = Self(1);
    /// Array and object literals, and resource declarations inside objects.
    pub(crate) const RESOURCES: Self = Self(3);

    const RESOURCES_BIT: u8 = 2;

    const fn complex(self) -> bool {
        self.0 & Self::COMPLEX.0 != 0
    }

    const fn resources(self) -> bool {
        self.0 & Self::RESOURCES_BIT != 0
    }

    const fn without_resources(self) -> Self {
        Self(self.0 & !Self::RESOURCES_BIT)
    }

    const fn with_complex(self) -> Self {
        Self(self.0 | Self::COMPLEX.0)
    }
}

/// Recovery stops at the end of the line.
const NEW_LINE: TokenSet = TokenSet::of([TokenKind::NewLine]);

/// Recovery stops at the end of the line or at what closes something that is open around it.
const CLOSERS: TokenSet = TokenSet::of([
    TokenKind::StringRightPiece,
    TokenKind::RightBrace,
    TokenKind::RightParen,
    TokenKind::RightSquare,
    TokenKind::NewLine,
]);
