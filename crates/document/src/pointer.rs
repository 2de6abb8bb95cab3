//! JSON pointers (RFC 6901) from a value to a value inside it.

use std::borrow::Cow;

use ::value::Node;

use crate::SourceValue;

impl<'d> SourceValue<'d> {
    /// The value that a JSON pointer such as `/parameters/name/allowedValues/0` leads to from here.
    ///
    /// The empty pointer is the value itself; in a name, `~1` stands for `/` and `~0` for `~`.
    pub fn pointer(self, pointer: &str) -> Option<SourceValue<'d>> {
        if pointer.is_empty() {
            return Some(self);
        }
        pointer.strip_prefix('/')?.split('/').try_fold(self, |value, token| match value.node() {
            Node::Object(_) => value.member(&unescape(token)),
            Node::List(_) => value.item(position(token)?),
            _ => None,
        })
    }
}

fn unescape(token: &str) -> Cow<'_, str> {
    if token.contains('~') { token.replace("~1", "/").replace("~0", "~").into() } else { token.into() }
}

/// A list position: digits, without leading zeros or sign.
fn position(token: &str) -> Option<usize> {
    let plain = token.bytes().all(|byte| byte.is_ascii_digit()) && (token == "0" || !token.starts_with('0'));
    token.parse().ok().filter(|_| plain)
}

#[cfg(test)]
mod tests {
    use crate::{Document, FileId, ReadLimits};

    #[test]
    fn a_pointer_leads_through_members_and_positions() {
        let text = r#"{"a": [10, {"b/c": 1, "m~n": 2, "": 3, "~1": 4}], "x": [1, 2, 3]}"#;
        let document = Document::from_json(text, FileId::FIRST, &ReadLimits::default()).unwrap();
        let source = |pointer| document.root().pointer(pointer).map(|value| value.source());
        assert_eq!(source(""), Some(text));
        assert_eq!(source("/a/0"), Some("10"));
        assert_eq!(source("/a/1/b~1c"), Some("1"));
        assert_eq!(source("/a/1/m~0n"), Some("2"));
        assert_eq!(source("/a/1/"), Some("3"));
        assert_eq!(source("/a/1/~01"), Some("4"));
        assert_eq!(source("/x/2"), Some("3"));
        for nowhere in ["a", "/b", "/a/2", "/a/00", "/a/+1", "/a/-", "/a/0/0", "/x/3"] {
            assert_eq!(source(nowhere), None, "{nowhere}");
        }
    }
}
