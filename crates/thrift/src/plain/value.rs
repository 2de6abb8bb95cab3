//! A value of a Thrift type that was read from plain JSON.

use contract::{Node, Place, View};

/// A value with the place of every part. A reference to one is a [`View`], as contracts want it.
#[derive(Clone, Debug)]
pub struct Plain<'v> {
    pub(super) content: Content<'v>,
    pub(super) place: Option<Place>,
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
    pub(super) fn scalar(node: Node<'v>, place: Option<Place>) -> Plain<'v> {
        Plain { content: Content::Scalar(node), place }
    }
}

impl<'t> View<'t> for &'t Plain<'t> {
    type Key = &'t Plain<'t>;
    type Items = Items<'t>;
    type Members = Members<'t>;

    fn node(self) -> Node<'t> {
        match &self.content {
            Content::Scalar(node) => *node,
            // Rules look at bytes; messages want to show text.
            Content::Bytes(bytes) => std::str::from_utf8(bytes).map_or(Node::Bytes(bytes), Node::Text),
            Content::List(items) => Node::List(items.len()),
            Content::Object(members) => Node::Object(members.len()),
        }
    }

    fn items(self) -> Items<'t> {
        let items: &[Plain<'t>] = match &self.content {
            Content::List(items) => items,
            _ => &[],
        };
        Items(items.iter())
    }

    fn members(self) -> Members<'t> {
        let members: &[(Plain<'t>, Plain<'t>)] = match &self.content {
            Content::Object(members) => members,
            _ => &[],
        };
        Members(members.iter())
    }

    fn place(self) -> Option<Place> {
        self.place
    }
}

/// The elements of a list.
#[derive(Clone, Debug)]
pub struct Items<'t>(std::slice::Iter<'t, Plain<'t>>);

impl<'t> Iterator for Items<'t> {
    type Item = &'t Plain<'t>;

    fn next(&mut self) -> Option<&'t Plain<'t>> {
        self.0.next()
    }
}

/// The members of an object.
#[derive(Clone, Debug)]
pub struct Members<'t>(std::slice::Iter<'t, (Plain<'t>, Plain<'t>)>);

impl<'t> Iterator for Members<'t> {
    type Item = (&'t Plain<'t>, &'t Plain<'t>);

    fn next(&mut self) -> Option<(&'t Plain<'t>, &'t Plain<'t>)> {
        self.0.next().map(|(key, value)| (key, value))
    }
}
