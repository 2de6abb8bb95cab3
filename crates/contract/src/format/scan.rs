//! A cursor over bytes with the few moves that format grammars need, and classes of bytes in one table.

/// A set of bytes that some grammar names.
#[derive(Clone, Copy)]
pub(super) struct Class(u8);

impl Class {
    pub(super) const HEX: Class = Class(1);
    /// What a label of a host name consists of.
    pub(super) const LABEL: Class = Class(1 << 1);
    /// What an atom of an email address consists of.
    pub(super) const ATOM: Class = Class(1 << 2);
    /// What the scheme of a URI consists of.
    pub(super) const SCHEME: Class = Class(1 << 3);
    /// What a registered name in a URI consists of.
    pub(super) const NAME: Class = Class(1 << 4);
    /// What the path of a URI consists of.
    pub(super) const PATH: Class = Class(1 << 5);
    /// What the query and the fragment of a URI consist of.
    pub(super) const QUERY: Class = Class(1 << 6);
    /// What stands for itself in a URI template.
    pub(super) const TEMPLATE: Class = Class(1 << 7);

    #[inline]
    pub(super) fn has(self, byte: u8) -> bool {
        // A byte is always inside a table of 256.
        CLASSES.get(usize::from(byte)).is_some_and(|classes| classes & self.0 != 0)
    }

    /// Tells whether all bytes of a text belong to the class.
    #[inline]
    pub(super) fn has_all(self, text: &str) -> bool {
        text.bytes().all(|byte| self.has(byte))
    }
}

/// The classes of each byte.
static CLASSES: [u8; 256] = {
    let mut table = [0; 256];
    add(&mut table, b"0123456789abcdefABCDEF", Class::HEX.0);
    let words =
        Class::LABEL.0 | Class::ATOM.0 | Class::SCHEME.0 | Class::NAME.0 | Class::PATH.0 | Class::QUERY.0;
    add(&mut table, b"0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ", words);
    add(&mut table, b"-", Class::LABEL.0);
    add(&mut table, b"!#$%&'*+-/=?^_`{|}~", Class::ATOM.0);
    add(&mut table, b"+-.", Class::SCHEME.0);
    add(&mut table, b"-._~!$&'()*+,;=", Class::NAME.0 | Class::PATH.0 | Class::QUERY.0);
    add(&mut table, b":@/", Class::PATH.0 | Class::QUERY.0);
    add(&mut table, b"?", Class::QUERY.0);
    let mut byte = b' ';
    while byte < u8::MAX {
        byte += 1;
        if !matches!(
            byte,
            b'"' | b'%' | b'\'' | b'<' | b'>' | b'\\' | b'^' | b'`' | b'{' | b'|' | b'}' | 0x7f
        ) {
            add(&mut table, &[byte], Class::TEMPLATE.0);
        }
    }
    table
};

#[expect(
    clippy::indexing_slicing,
    reason = "runs when it is compiled, where a panic is an error of the build"
)]
const fn add(table: &mut [u8; 256], bytes: &[u8], class: u8) {
    let mut at = 0;
    while at < bytes.len() {
        table[bytes[at] as usize] |= class;
        at += 1;
    }
}

/// What is left to read.
#[derive(Clone, Copy)]
pub(super) struct Scan<'t>(&'t [u8]);

impl<'t> Scan<'t> {
    pub(super) fn new(text: &'t str) -> Scan<'t> {
        Scan(text.as_bytes())
    }

    pub(super) fn is_at_end(&self) -> bool {
        self.0.is_empty()
    }

    /// Reads the next byte if it passes.
    pub(super) fn byte_if(&mut self, accept: impl Fn(u8) -> bool) -> Option<u8> {
        let (first, rest) = self.0.split_first()?;
        accept(*first).then(|| {
            self.0 = rest;
            *first
        })
    }

    /// Reads one given byte.
    pub(super) fn byte(&mut self, expected: u8) -> Option<()> {
        self.byte_if(|byte| byte == expected).map(|_| ())
    }

    /// Reads bytes for as long as they pass; tells how many there were.
    pub(super) fn bytes_while(&mut self, accept: impl Fn(u8) -> bool) -> usize {
        let count = self.0.iter().take_while(|byte| accept(**byte)).count();
        self.0 = self.0.split_at(count).1;
        count
    }

    /// Reads so many bytes.
    pub(super) fn chunk<const N: usize>(&mut self) -> Option<[u8; N]> {
        let (chunk, rest) = self.0.split_first_chunk()?;
        self.0 = rest;
        Some(*chunk)
    }

    /// Reads bytes of a class and percent-encoded ones; `None` if a `%` begins no such.
    pub(super) fn encoded(&mut self, class: Class) -> Option<()> {
        loop {
            self.bytes_while(|byte| class.has(byte));
            if self.byte(b'%').is_none() {
                return Some(());
            }
            for _ in 0..2 {
                self.byte_if(|byte| Class::HEX.has(byte))?;
            }
        }
    }

    /// Splits off what comes before the first byte that passes.
    pub(super) fn until(&mut self, stop: impl Fn(u8) -> bool) -> Scan<'t> {
        let count = self.0.iter().position(|byte| stop(*byte)).unwrap_or(self.0.len());
        let (before, rest) = self.0.split_at(count);
        self.0 = rest;
        Scan(before)
    }

    /// The bytes that are not read yet.
    pub(super) fn rest(&self) -> &'t [u8] {
        self.0
    }
}
