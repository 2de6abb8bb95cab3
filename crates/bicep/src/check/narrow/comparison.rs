//! One comparison: a value, its type, the type that is asked of it, and how the two are compared.

use smol_str::SmolStr;
use syntax::ast::{AstNode as _, Expr, Object};
use syntax::{NodeId, Span, SyntaxNode};

use crate::types::{Ty, warns};

/// What the steps of a comparison hand on to each other.
#[derive(Clone, Copy)]
pub(super) struct Comparison<'a, 'm> {
    pub(super) config: &'a Config,
    pub(super) source: Source<'m>,
    /// The type of the value.
    pub(super) ty: &'a Ty,
    /// The type that is asked of it.
    pub(super) target: &'a Ty,
}

impl<'a, 'm> Comparison<'a, 'm> {
    /// The same value, compared with another type.
    pub(super) fn with_target<'b>(self, target: &'b Ty) -> Comparison<'b, 'm>
    where
        'a: 'b,
    {
        Comparison { target, ..self }
    }

    /// Another value or another type of it, compared with another type in the same way.
    pub(super) fn with<'b>(self, source: Source<'m>, ty: &'b Ty, target: &'b Ty) -> Comparison<'b, 'm>
    where
        'a: 'b,
    {
        Comparison { source, ty, target, ..self }
    }

    /// The comparison with what is behind a condition.
    pub(super) fn unconditional(self) -> Comparison<'a, 'm> {
        Comparison { source: self.source.unconditional(), ..self }
    }

    /// Tells whether a value outside its bounds is only worth a warning.
    pub(super) fn only_warns(self) -> bool {
        self.config.is_resource || warns(self.target)
    }
}

/// What to say when a value does not fit.
#[derive(Clone, Debug, Default)]
pub(super) enum Mismatch {
    #[default]
    Value,
    /// An item of an array.
    Item(bool),
    /// What is spread into an array.
    Spread(bool),
    Property {
        name: SmolStr,
        warn: bool,
        origin: Option<NodeId>,
    },
}

/// How a value is compared.
#[derive(Clone, Debug, Default)]
pub(super) struct Config {
    pub(super) skip_errors: bool,
    pub(super) skip_constant: bool,
    pub(super) disallow_any: bool,
    /// The name that stands for the value; findings are reported there.
    pub(super) origin: Option<NodeId>,
    pub(super) mismatch: Mismatch,
    pub(super) is_resource: bool,
    pub(super) depth: usize,
}

impl Config {
    /// For a part of the value.
    pub(super) fn deeper(&self) -> Config {
        Config { depth: self.depth + 1, ..self.clone() }
    }

    /// For the value that a name stands for.
    pub(super) fn behind(&self, name: SyntaxNode<'_>) -> Config {
        Config { origin: Some(name.id()), ..self.deeper() }
    }
}

/// An expression, or a local variable that stands for one.
#[derive(Clone, Copy)]
pub(super) enum Source<'m> {
    Expr(Expr<'m>),
    /// An argument of a call, which is compared as a whole.
    Argument(Expr<'m>),
    Local(SyntaxNode<'m>),
}

impl<'m> Source<'m> {
    pub(super) fn node(self) -> SyntaxNode<'m> {
        match self {
            Source::Expr(expr) | Source::Argument(expr) => expr.node(),
            Source::Local(node) => node,
        }
    }

    pub(super) fn span(self) -> Span {
        self.node().span()
    }

    pub(super) fn object(self) -> Option<Object<'m>> {
        match self {
            Source::Expr(Expr::Object(object)) => Some(object),
            _ => None,
        }
    }

    /// Tells whether the parts of the value are written in it: no other way leads to them but a name for the whole.
    pub(super) fn is_written_out(self) -> bool {
        let Source::Expr(expr) = self else { return false };
        matches!(expr, Expr::Object(_) | Expr::Array(_) | Expr::For(_) | Expr::IfCondition(_))
    }

    /// The body behind a condition.
    fn unconditional(self) -> Source<'m> {
        match self {
            Source::Expr(Expr::IfCondition(condition)) => Source::Expr(condition.body()),
            other => other,
        }
    }
}
