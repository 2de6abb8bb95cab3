//! What each byte can start, as one table lookup.

/// The role of a byte at the start of a token.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub(super) enum Class {
    Name,
    Digit,
    Blank,
    NewLine,
    /// A token whatever follows.
    Single,
    /// Anything that needs a look at what follows.
    Other,
}

const fn class_of(byte: u8) -> Class {
    match byte {
        b'a'..=b'z' | b'A'..=b'Z' | b'_' => Class::Name,
        b'0'..=b'9' => Class::Digit,
        b' ' | b'\t' => Class::Blank,
        b'\n' | b'\r' => Class::NewLine,
        b'(' | b')' | b'[' | b']' | b'@' | b',' | b';' | b'+' | b'-' | b'%' | b'*' | b'^' => Class::Single,
        _ => Class::Other,
    }
}

#[expect(clippy::indexing_slicing, reason = "the index runs over the array it fills, at compile time")]
const CLASSES: [Class; 256] = {
    let mut table = [Class::Other; 256];
    let mut byte = 0;
    while byte < 256 {
        table[byte] = class_of(byte as u8);
        byte += 1;
    }
    table
};

/// Returns the role of `byte`.
#[expect(clippy::indexing_slicing, reason = "the table has an entry for every byte")]
pub(super) fn class(byte: u8) -> Class {
    CLASSES[byte as usize]
}

/// Tells whether `byte` can go on in an identifier.
pub(super) fn continues_name(byte: u8) -> bool {
    matches!(class(byte), Class::Name | Class::Digit)
}

/// Tells whether `byte` is a blank or a tab.
pub(super) fn is_blank(byte: u8) -> bool {
    class(byte) == Class::Blank
}

/// Tells whether `byte` is part of a line break.
pub(super) fn is_new_line(byte: u8) -> bool {
    class(byte) == Class::NewLine
}

/// Returns the length in bytes of the character that starts with `lead`.
pub(super) const fn char_len(lead: u8) -> usize {
    match lead {
        0xF0.. => 4,
        0xE0.. => 3,
        0xC0.. => 2,
        _ => 1,
    }
}
