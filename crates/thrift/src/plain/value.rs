//! A value of a Thrift type that was read from plain JSON.

use contract::{Constant, Node, Path, PathStep, View};
use diagnostics::Span;

/// A value with the place of every part. A reference to one is a [`View`], as contracts want it.
#[derive(Clone, Debug)]
pub struct Plain<'v> {
    pub(super) content: Content<'v>,
    pub(super) place: Option<Span>,
    /// The text that stands for the value, if it is the name of a field or the key of an object.
    pub(super) spelt: Option<&'v str>,
}

#[derive(Clone, Debug)]
pub(super) enum Content<'v> {
    /// What has no parts, as it stands in the document or as it was worked out.
    Scalar(Node<'v>),
    /// Bytes that the document writes in base64 or as a uuid.
    Bytes(Box<[u8]>),
    /// A list or set.
    List(Vec<Plain<'v>>),
    /// A map, or a struct with fields by number.
    Object(Vec<(Plain<'v>, Plain<'v>)>),
}

impl<'v> Plain<'v> {
    pub(super) fn new(content: Content<'v>, place: Option<Span>) -> Plain<'v> {
        Plain { content, place, spelt: None }
    }

    pub(super) fn scalar(node: Node<'v>, place: Option<Span>) -> Plain<'v> {
        Plain::new(Content::Scalar(node), place)
    }

    /// A path into the value with the keys of maps as the document writes them: `['LARGE']`, where the key is 3.
    pub fn as_written(&self, path: &Path) -> Path {
        let mut at = Some(self);
        let mut steps = Vec::with_capacity(path.steps.len());
        for step in &path.steps {
            let content = at.map(|plain| &plain.content);
            let (step, below) = match (step, content) {
                (PathStep::Name(name), Some(Content::Object(members))) => {
                    let found = members.iter().find(|(member, _)| member.spelt == Some(name));
                    (step.clone(), found.map(|(_, value)| value))
                }
                (PathStep::Index(index), Some(Content::List(items))) => (step.clone(), items.get(*index)),
                (PathStep::Entry(key) | PathStep::Key(key), Some(Content::Object(members))) => {
                    let found =
                        members.iter().find(|(member, _)| Constant::copy(member, 1).as_ref() == Some(key));
                    let below = found.map(|(member, value)| match step {
                        PathStep::Key(_) => member,
                        _ => value,
                    });
                    match (step, found.and_then(|(member, _)| member.spelt)) {
                        (PathStep::Key(_), Some(text)) => (PathStep::Key(text.into()), below),
                        (_, Some(text)) => (PathStep::Entry(text.into()), below),
                        (_, None) => (step.clone(), below),
                    }
                }
                _ => (step.clone(), None),
            };
            steps.push(step);
            at = below;
        }
        Path { steps }
    }
}

impl<'t> View<'t> for &'t Plain<'t> {
    type Key = &'t Plain<'t>;
    type Items = PlainElements<'t>;
    type Members = PlainMembers<'t>;

    fn node(self) -> Node<'t> {
        match &self.content {
            Content::Scalar(node) => *node,
            // Rules look at bytes; messages want to show text.
            Content::Bytes(bytes) => std::str::from_utf8(bytes).map_or(Node::Bytes(bytes), Node::Text),
            Content::List(items) => Node::List(items.len()),
            Content::Object(members) => Node::Object(members.len()),
        }
    }

    fn items(self) -> PlainElements<'t> {
        let items: &[Plain<'t>] = match &self.content {
            Content::List(items) => items,
            _ => &[],
        };
        PlainElements(items.iter())
    }

    fn members(self) -> PlainMembers<'t> {
        let members: &[(Plain<'t>, Plain<'t>)] = match &self.content {
            Content::Object(members) => members,
            _ => &[],
        };
        PlainMembers(members.iter())
    }

    fn place(self) -> Option<Span> {
        self.place
    }
}

/// The elements of a list.
#[derive(Clone, Debug)]
pub struct PlainElements<'t>(std::slice::Iter<'t, Plain<'t>>);

impl<'t> Iterator for PlainElements<'t> {
    type Item = &'t Plain<'t>;

    fn next(&mut self) -> Option<&'t Plain<'t>> {
        self.0.next()
    }
}

/// The members of an object.
#[derive(Clone, Debug)]
pub struct PlainMembers<'t>(std::slice::Iter<'t, (Plain<'t>, Plain<'t>)>);

impl<'t> Iterator for PlainMembers<'t> {
    type Item = (&'t Plain<'t>, &'t Plain<'t>);

    fn next(&mut self) -> Option<(&'t Plain<'t>, &'t Plain<'t>)> {
        self.0.next().map(|(key, value)| (key, value))
    }
}
