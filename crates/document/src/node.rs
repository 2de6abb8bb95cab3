//! The cell that the arena is made of.

/// What one cell holds, and how its payload is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NodeTag {
    Null,
    False,
    True,
    /// Payload: the bits of the number, which has a sign.
    Int,
    /// Payload: the bits of the number, which is above `i64::MAX`.
    UInt,
    /// Payload: the bits of the double.
    Float,
    /// Payload: the bits of the nearest double. The literal is all that the place covers.
    NearDecimal,
    /// The same of a number that is whole.
    NearWhole,
    /// Payload: offset and length in the source text.
    Decimal,
    /// Payload: offset and length in the decoded text.
    DecodedDecimal,
    /// Payload: offset and length in the source text.
    Text,
    /// Payload: offset and length in the decoded text.
    DecodedText,
    /// Payload: element count, and the index behind the last node of the last element.
    List,
    /// Payload: member count, and the index behind the last node of the last member.
    Object,
    /// As `Object`, with one more node at the end: the `Index`.
    IndexedObject,
    /// Not a value: ends an indexed object. Payload: offset of the hash table and its size.
    Index,
}

impl NodeTag {
    /// Tells whether the second half of the payload leads over the node's content.
    #[inline]
    pub(crate) fn is_container(self) -> bool {
        matches!(self, NodeTag::List | NodeTag::Object | NodeTag::IndexedObject)
    }
}

/// One value, key or index, 20 bytes. The nodes of a container follow it directly, in document order;
/// an object's are its keys and values by turns.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Raw {
    pub(crate) tag: NodeTag,
    /// Offset of the first byte in the source.
    pub(crate) start: u32,
    /// Offset behind the last byte in the source.
    pub(crate) end: u32,
    /// What [`NodeTag`] says, in two halves.
    pub(crate) payload: [u32; 2],
}

impl Raw {
    /// What a handle would see if it pointed nowhere, which none does.
    pub(crate) const NULL: Raw = Raw { tag: NodeTag::Null, start: 0, end: 0, payload: [0, 0] };

    /// A node whose payload is one 64-bit number.
    #[inline]
    pub(crate) fn wide(tag: NodeTag, start: u32, end: u32, bits: u64) -> Raw {
        Raw { tag, start, end, payload: [bits as u32, (bits >> 32) as u32] }
    }

    /// The payload as one 64-bit number.
    #[inline]
    pub(crate) fn bits(&self) -> u64 {
        let [low, high] = self.payload;
        u64::from(low) | u64::from(high) << 32
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_node_takes_twenty_bytes() {
        assert_eq!(size_of::<Raw>(), 20);
        assert_eq!(size_of::<crate::SourceValue<'_>>(), 16);
    }
}
