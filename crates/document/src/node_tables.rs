//! The nodes of a document in document order, and what they refer to.

use crate::index::{MemberTable, Tables};
use crate::node::{NodeTag, Raw};

/// The nodes and side tables. INVARIANT: the first node is the root, and every index and offset in a node
/// is inside its table; `Builder` alone makes nodes.
#[derive(Debug, Default)]
pub(crate) struct NodeTables {
    pub(crate) nodes: Vec<Raw>,
    /// Strings that are not in the source as they are: escapes resolved, lines folded.
    pub(crate) decoded: String,
    pub(crate) tables: Tables,
}

impl NodeTables {
    #[inline]
    pub(crate) fn raw(&self, index: u32) -> &Raw {
        self.nodes.get(index as usize).unwrap_or(&Raw::NULL)
    }

    /// The index behind a node and all it contains.
    #[inline]
    pub(crate) fn after(&self, index: u32) -> u32 {
        let raw = self.raw(index);
        if raw.tag.is_container() { raw.payload[1] } else { index + 1 }
    }

    /// The text of a string or a long number; empty for other nodes.
    #[inline]
    pub(crate) fn text<'a>(&'a self, source: &'a str, raw: &Raw) -> &'a str {
        let [mut offset, mut length] = raw.payload;
        let text = match raw.tag {
            NodeTag::NearDecimal | NodeTag::NearWhole => {
                (offset, length) = (raw.start, raw.end.saturating_sub(raw.start));
                source
            }
            NodeTag::Text | NodeTag::Decimal => source,
            NodeTag::DecodedText | NodeTag::DecodedDecimal => &self.decoded,
            _ => return "",
        };
        text.get(offset as usize..offset as usize + length as usize).unwrap_or_default()
    }

    /// The bytes of a string.
    #[inline]
    pub(crate) fn text_bytes<'a>(&'a self, source: &'a str, raw: &Raw) -> &'a [u8] {
        let [offset, length] = raw.payload;
        let text = if raw.tag == NodeTag::Text { source } else { &self.decoded };
        text.as_bytes().get(offset as usize..offset as usize + length as usize).unwrap_or_default()
    }

    /// The key node with a name in an object, if the node is one.
    pub(crate) fn find_key(&self, source: &str, object: u32, name: &str) -> Option<u32> {
        let raw = self.raw(object);
        let [count, end] = raw.payload;
        let same = |key: u32| {
            let raw = self.raw(key);
            raw.payload[1] as usize == name.len() && self.text_bytes(source, raw) == name.as_bytes()
        };
        match raw.tag {
            NodeTag::Object => {
                let mut key = object + 1;
                for _ in 0..count {
                    if same(key) {
                        return Some(key);
                    }
                    key = self.after(key + 1);
                }
                None
            }
            NodeTag::IndexedObject => {
                let table = MemberTable::from_payload(self.raw(end - 1).payload);
                self.tables.find(table, name, |key| same(object + key)).map(|key| object + key)
            }
            _ => None,
        }
    }
}
