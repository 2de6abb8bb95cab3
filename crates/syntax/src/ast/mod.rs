//! Typed views of nodes.
//!
//! A view is a handle with one method per part. The table in [`crate::NodeKind`]'s module names the kind of each slot:
//!
//! | slot | view |
//! |---|---|
//! | `token` | the token, or nothing when it is missing or absent |
//! | `name` | a [`Name`]: an identifier, or what stands in its place |
//! | `name_or_string` | a [`NameOrString`] |
//! | `expr`, `ty` | an [`Expr`] or a [`TypeExpr`]; a missing one is its `Skipped` variant |
//! | `opt_expr`, `opt_ty` | the same, or nothing when the part is optional and absent |
//! | `element` | whatever is there |
//! | `[Kind]` | the view of that kind, or nothing when something else stands there |
//!
//! Views never fail: a tree with errors has the same shape as one without, with skipped text in the places that could
//! not be read.

mod lists;
mod names;
mod strings;
mod views;

pub use names::{Name, NameOrString};
pub use views::*;

use crate::kind::NodeKind;
use crate::tree::{SyntaxElement, SyntaxNode};

/// What all typed views have in common.
pub trait AstNode<'t>: Copy + Sized {
    /// Reads `node` as this view, if it is of the right kind.
    fn cast(node: SyntaxNode<'t>) -> Option<Self>;

    /// Returns the node behind the view.
    fn node(self) -> SyntaxNode<'t>;

    /// Returns the bytes covered.
    fn span(self) -> crate::Span {
        self.node().span()
    }
}

/// Makes the view of one kind. Called by the table.
macro_rules! view {
    ($(#[$doc:meta])* $kind:ident ( $($head:ident : $head_slot:tt),* ) $( .. $rest:ident ( $($tail:ident : $tail_slot:tt),* ) )?) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        pub struct $kind<'t>(SyntaxNode<'t>);

        impl<'t> $crate::ast::AstNode<'t> for $kind<'t> {
            fn cast(node: SyntaxNode<'t>) -> Option<Self> {
                (node.kind() == NodeKind::$kind).then_some(Self(node))
            }

            fn node(self) -> SyntaxNode<'t> {
                self.0
            }
        }

        #[allow(clippy::should_implement_trait, reason = "parts are named as in the language")]
        impl<'t> $kind<'t> {
            $crate::ast::head_parts! { 0usize; $($head : $head_slot,)* }
            $(
                #[doc = concat!("Returns the elements of the list `", stringify!($rest), "`, separators included.")]
                pub fn $rest(self) -> impl DoubleEndedIterator<Item = SyntaxElement<'t>> {
                    const HEAD: usize = NodeKind::$kind.head().len();
                    const TAIL: usize = NodeKind::$kind.tail().len();
                    let node = self.0;
                    (HEAD..node.slot_count().saturating_sub(TAIL)).filter_map(move |index| node.slot(index))
                }
                $crate::ast::tail_parts! { $($tail : $tail_slot,)* }
            )?
        }
    };
}
pub(crate) use view;

macro_rules! head_parts {
    ($at:expr;) => {};
    ($at:expr; $part:ident : $slot:tt, $($more:tt)*) => {
        #[doc = concat!("Returns the part `", stringify!($part), "`.")]
        #[must_use]
        pub fn $part(self) -> $crate::ast::slot_type!($slot) {
            $crate::ast::slot_read!($slot, self.0, self.0.slot($at))
        }
        $crate::ast::head_parts! { $at + 1usize; $($more)* }
    };
}
pub(crate) use head_parts;

macro_rules! tail_parts {
    () => {};
    ($part:ident : $slot:tt, $($more:ident : $more_slot:tt,)*) => {
        #[doc = concat!("Returns the part `", stringify!($part), "`.")]
        #[must_use]
        pub fn $part(self) -> $crate::ast::slot_type!($slot) {
            const BACK: usize = 0 $(+ { let _ = stringify!($more); 1 })*;
            $crate::ast::slot_read!($slot, self.0, self.0.slot_from_end(BACK))
        }
        $crate::ast::tail_parts! { $($more : $more_slot,)* }
    };
}
pub(crate) use tail_parts;

macro_rules! slot_type {
    (token) => { Option<SyntaxToken<'t>> };
    (name) => { Name<'t> };
    (name_or_string) => { NameOrString<'t> };
    (expr) => { Expr<'t> };
    (opt_expr) => { Option<Expr<'t>> };
    (ty) => { TypeExpr<'t> };
    (opt_ty) => { Option<TypeExpr<'t>> };
    (element) => { Option<SyntaxElement<'t>> };
    ([$kind:ident]) => { Option<$kind<'t>> };
}
pub(crate) use slot_type;

macro_rules! slot_read {
    (token, $node:expr, $element:expr) => {
        $element.and_then(SyntaxElement::token)
    };
    (name, $node:expr, $element:expr) => {
        Name::read($node, $element)
    };
    (name_or_string, $node:expr, $element:expr) => {
        NameOrString::read($node, $element)
    };
    (expr, $node:expr, $element:expr) => {
        Expr::read($node, $element)
    };
    (opt_expr, $node:expr, $element:expr) => {
        $element.map(|element| Expr::read($node, Some(element)))
    };
    (ty, $node:expr, $element:expr) => {
        TypeExpr::read($node, $element)
    };
    (opt_ty, $node:expr, $element:expr) => {
        $element.map(|element| TypeExpr::read($node, Some(element)))
    };
    (element, $node:expr, $element:expr) => {
        $element
    };
    ([$kind:ident], $node:expr, $element:expr) => {
        $element.and_then(SyntaxElement::node).and_then(<$kind<'t> as $crate::ast::AstNode<'t>>::cast)
    };
}
pub(crate) use slot_read;

/// Makes the enum of one section. Called by the table.
macro_rules! section {
    ($(#[$doc:meta])* $section:ident { $($kind:ident)* }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        pub enum $section<'t> {
            $(#[doc = concat!("See [`", stringify!($kind), "`].")] $kind($kind<'t>),)*
            /// Tokens that fit nowhere, or a part that is missing.
            Skipped($crate::ast::Skipped<'t>),
        }

        impl<'t> $crate::ast::AstNode<'t> for $section<'t> {
            fn cast(node: SyntaxNode<'t>) -> Option<Self> {
                match node.kind() {
                    $(NodeKind::$kind => Some(Self::$kind($kind(node))),)*
                    NodeKind::Skipped => Some(Self::Skipped($crate::ast::Skipped(node))),
                    _ => None,
                }
            }

            fn node(self) -> SyntaxNode<'t> {
                match self {
                    $(Self::$kind(view) => view.0,)*
                    Self::Skipped(view) => view.0,
                }
            }
        }

        impl<'t> $section<'t> {
            /// Reads a part that the grammar always fills; anything unexpected counts as skipped.
            #[allow(dead_code, reason = "not every section is the type of a part")]
            pub(crate) fn read(parent: SyntaxNode<'t>, element: Option<SyntaxElement<'t>>) -> Self {
                use $crate::ast::AstNode as _;
                let node = element.and_then(SyntaxElement::node);
                node.and_then(Self::cast).unwrap_or(Self::Skipped($crate::ast::Skipped(node.unwrap_or(parent))))
            }
        }
    };
}
pub(crate) use section;

/// Tokens that fit nowhere, or a part that is missing.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Skipped<'t>(pub(crate) SyntaxNode<'t>);

impl<'t> AstNode<'t> for Skipped<'t> {
    fn cast(node: SyntaxNode<'t>) -> Option<Self> {
        (node.kind() == NodeKind::Skipped).then_some(Self(node))
    }

    fn node(self) -> SyntaxNode<'t> {
        self.0
    }
}

impl<'t> Skipped<'t> {
    /// Returns what was skipped: tokens, and nodes that were read before the mistake showed.
    pub fn elements(self) -> impl DoubleEndedIterator<Item = SyntaxElement<'t>> {
        self.0.children()
    }

    /// Tells whether nothing was skipped because nothing was there.
    #[must_use]
    pub fn is_missing(self) -> bool {
        self.0.slot_count() == 0
    }
}
