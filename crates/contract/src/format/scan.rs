//! A cursor over bytes with the few moves that format grammars need.

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

    /// Reads exactly `count` decimal digits as a number; `count` is at most nine.
    pub(super) fn digits(&mut self, count: usize) -> Option<u32> {
        (0..count).try_fold(0, |sum, _| {
            let digit = self.byte_if(|byte| byte.is_ascii_digit())?;
            Some(sum * 10 + u32::from(digit - b'0'))
        })
    }

    /// Reads exactly `count` hexadecimal digits.
    pub(super) fn hex_digits(&mut self, count: usize) -> Option<()> {
        (0..count).try_for_each(|_| self.byte_if(|byte| byte.is_ascii_hexdigit()).map(|_| ()))
    }
}
