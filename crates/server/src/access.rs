//! What requests do, for those who decide who may send them.

/// What a request does, for those who decide who may.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Access {
    /// Everybody may, without a name: what clients ask before they can log in.
    Anybody,
    /// Whoever has logged in may: what says nothing of anybody's resources.
    Somebody,
    /// It lists, and everybody sees what they may see.
    List,
    Read,
    /// It deploys, and changes resources.
    Deploy,
    /// It changes what others depend on: groups, resource types.
    Own,
}
