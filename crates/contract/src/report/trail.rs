//! The way from the root to a value, kept on the stack and written out when something is broken.

use value::Constant;
use value::Node;
use value::{Path, PathStep};

/// Where a value is and whether it must not be printed.
#[derive(Clone, Copy)]
pub(super) struct ValueLocation<'t> {
    pub(super) trail: Option<&'t Trail<'t>>,
    pub(super) secret: bool,
}

/// One step from the root, on the stack.
pub(super) struct Trail<'t> {
    pub(super) parent: Option<&'t Trail<'t>>,
    pub(super) step: TrailStep<'t>,
}

#[derive(Clone, Copy)]
pub(super) enum TrailStep<'t> {
    Name(&'t str),
    Index(usize),
    Entry(Node<'t>),
    Key(Node<'t>),
    Secret,
}

impl ValueLocation<'_> {
    /// How many steps there are from the root.
    pub(super) fn length(self) -> usize {
        std::iter::successors(self.trail, |frame| frame.parent).count()
    }

    pub(super) fn path(self) -> Path {
        let mut steps = Vec::new();
        let mut trail = self.trail;
        while let Some(frame) = trail {
            steps.push(match frame.step {
                TrailStep::Name(name) => PathStep::Name(name.into()),
                TrailStep::Index(index) => PathStep::Index(index),
                TrailStep::Entry(node) => PathStep::Entry(key_constant(node)),
                TrailStep::Key(node) => PathStep::Key(key_constant(node)),
                TrailStep::Secret => PathStep::Secret,
            });
            trail = frame.parent;
        }
        steps.reverse();
        Path { steps }
    }
}

pub(super) fn key_constant(node: Node<'_>) -> Constant {
    match node {
        Node::Null => Constant::Null,
        Node::Bool(it) => it.into(),
        Node::Int(it) => it.into(),
        Node::UInt(it) => Constant::UInt(it),
        Node::Float(it) => it.into(),
        Node::Decimal(it) => Constant::Decimal(it.into()),
        Node::Text(it) => it.into(),
        Node::Bytes(it) => Constant::Bytes(it.into()),
        // Keys that are containers are named by what they are.
        Node::List(_) => "<list>".into(),
        Node::Object(_) => "<object>".into(),
        Node::Unknown => "<unknown>".into(),
    }
}
