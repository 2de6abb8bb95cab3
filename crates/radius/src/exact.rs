//! Values of deployments with their names as they are written.
//!
//! Expressions find members in whatever case. A schema does not: a secret under another spelling would not be known as one.

use std::iter::Map;

use arm::value::{ElementViews, MemberViews, ValueView};
use contract::{Node, View};

/// A value, secrets and all, whose members are found by their exact names.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Exact<'v>(pub(crate) ValueView<'v>);

type Member<'v> = (ValueView<'v>, ValueView<'v>);

impl<'v> View<'v> for Exact<'v> {
    type Key = ValueView<'v>;
    type Items = Map<ElementViews<'v>, fn(ValueView<'v>) -> Exact<'v>>;
    type Members = Map<MemberViews<'v>, fn(Member<'v>) -> (ValueView<'v>, Exact<'v>)>;

    fn node(self) -> Node<'v> {
        self.0.node()
    }

    fn has_unknown(self) -> bool {
        self.0.has_unknown()
    }

    fn items(self) -> Self::Items {
        self.0.items().map(Exact)
    }

    fn members(self) -> Self::Members {
        self.0.members().map(|(name, value)| (name, Exact(value)))
    }

    fn item(self, index: usize) -> Option<Exact<'v>> {
        self.0.item(index).map(Exact)
    }
}
