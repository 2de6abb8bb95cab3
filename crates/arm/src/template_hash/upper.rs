//! Text on its way into a hash, put into capitals by the kilobyte.

use crate::hash::Hasher;
use crate::template_text::Sink;
use crate::value::fold_char;

const SIZE: usize = 4096;

/// Takes text, and hands it on in capitals.
pub(super) struct Upper<T> {
    buffer: Vec<u8>,
    target: T,
}

/// What takes the capitals.
pub(super) trait CapitalSink {
    fn take(&mut self, bytes: &[u8]);
}

impl CapitalSink for Hasher {
    fn take(&mut self, bytes: &[u8]) {
        self.write(bytes);
    }
}

impl CapitalSink for String {
    fn take(&mut self, bytes: &[u8]) {
        self.push_str(&String::from_utf8_lossy(bytes));
    }
}

impl<T: CapitalSink> Upper<T> {
    pub(super) fn new(target: T) -> Upper<T> {
        Upper { buffer: Vec::with_capacity(SIZE), target }
    }

    pub(super) fn finish(mut self) -> T {
        self.flush();
        self.target
    }

    /// Takes a text of any length, in pieces that are looked at quickly.
    pub(super) fn put_long(&mut self, text: &str) {
        const PIECE: usize = 1024;
        let mut rest = text;
        while rest.len() > PIECE {
            let (piece, more) = rest.split_at(rest.floor_char_boundary(PIECE));
            self.put(piece);
            rest = more;
        }
        self.put(rest);
    }

    /// Hands on what was taken. Only whole characters are ever taken, so that the buffer is text.
    fn flush(&mut self) {
        if self.buffer.is_ascii() {
            self.buffer.make_ascii_uppercase();
            self.target.take(&self.buffer);
        } else {
            let capitals: String = String::from_utf8_lossy(&self.buffer).chars().map(fold_char).collect();
            self.target.take(capitals.as_bytes());
        }
        self.buffer.clear();
    }
}

impl<T: CapitalSink> Sink for Upper<T> {
    #[inline]
    fn put(&mut self, text: &str) {
        if self.buffer.len() + text.len() > SIZE {
            self.flush();
        }
        self.buffer.extend_from_slice(text.as_bytes());
    }

    #[inline]
    fn put_ascii(&mut self, character: u8) {
        if self.buffer.len() == SIZE {
            self.flush();
        }
        self.buffer.push(character);
    }
}
