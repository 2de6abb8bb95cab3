//! Strings that are not in the text as they are: escapes, and what is wrong in a string.

use super::{JsonParser, scan};
use crate::error::{ReadErrorKind, UnlocatedReadError, shorten};

/// Why an escape is none, and how many bytes behind the backslash belong to it.
type Bad = (usize, &'static str);

impl JsonParser<'_> {
    /// Goes on with a string that begins here and is plain up to `stop`.
    #[cold]
    pub(super) fn escaped_string(&mut self, is_key: bool, stop: usize) -> Result<(), UnlocatedReadError> {
        self.decoded_string::<b'"'>(is_key, stop)
    }

    /// Reads a string in single quotes, from its opening to behind its closing quote.
    #[cold]
    pub(super) fn single_quoted(&mut self, is_key: bool) -> Result<(), UnlocatedReadError> {
        self.decoded_string::<b'\''>(is_key, self.string_stop::<b'\''>(self.at + 1))
    }

    /// Decodes a string that begins here with a quote and is plain up to `stop`.
    #[inline]
    fn decoded_string<const QUOTE: u8>(
        &mut self,
        is_key: bool,
        stop: usize,
    ) -> Result<(), UnlocatedReadError> {
        let start = self.at;
        let before = self.build.decode().len();
        let (mut plain, mut stop) = (start + 1, stop);
        loop {
            if plain < stop {
                self.build.decode().push_str(self.text.get(plain..stop).unwrap_or_default());
            }
            match self.bytes.get(stop) {
                Some(byte) if *byte == QUOTE => {
                    self.at = stop + 1;
                    let text = self.build.decoded_since(before);
                    return self.build.text(is_key, text, start, self.at);
                }
                Some(b'\\') => match escape(self.bytes.get(stop + 1..).unwrap_or_default()) {
                    Ok((decoded, length)) => {
                        self.build.decode().push(decoded);
                        plain = stop + 1 + length;
                        // Escapes come in runs.
                        stop = match self.bytes.get(plain) {
                            Some(byte) if *byte == b'\\' || *byte == QUOTE => plain,
                            _ => self.string_stop::<QUOTE>(plain),
                        };
                    }
                    Err(_) if self.is_single_quote(stop + 1) => {
                        plain = stop + 1;
                        stop = self.string_stop::<QUOTE>(stop + 2);
                    }
                    Err(bad) => return Err(self.bad_escape(stop, bad)),
                },
                Some(_) if self.options.raw_control_characters => {
                    plain = stop;
                    stop = self.string_stop::<QUOTE>(stop + 1);
                }
                Some(b'\n' | b'\r') | None => {
                    let fault = UnlocatedReadError::new(start, stop, ReadErrorKind::UnclosedString);
                    return Err(match self.bytes.get(stop) {
                        _ if QUOTE == b'\'' => fault.hint("close the string with `'`"),
                        None => fault.hint("close the string with `\"`"),
                        Some(_) => {
                            fault.hint("close the string with `\"`; a line break in it is written `\\n`")
                        }
                    });
                }
                Some(byte) => {
                    return Err(UnlocatedReadError::new(
                        stop,
                        stop + 1,
                        ReadErrorKind::ControlCharacter { byte: *byte },
                    )
                    .hint(format!("write it as `{}`", written_control(*byte))));
                }
            }
        }
    }

    /// The next place at or behind `from` at which a string in such quotes ends, or is not plain.
    #[inline]
    fn string_stop<const QUOTE: u8>(&self, from: usize) -> usize {
        if QUOTE == b'"' {
            return scan::string_stop(self.bytes, from);
        }
        let rest = self.bytes.get(from..).unwrap_or_default();
        let length = rest.iter().position(|byte| matches!(*byte, 0..0x20 | b'\\') || *byte == QUOTE);
        from + length.unwrap_or(rest.len())
    }

    /// Whether a single quote stands at an offset and may be escaped.
    fn is_single_quote(&self, at: usize) -> bool {
        self.options.single_quotes && self.bytes.get(at) == Some(&b'\'')
    }

    fn bad_escape(&self, backslash: usize, (length, reason): Bad) -> UnlocatedReadError {
        let rest = self.text.get(backslash..).unwrap_or_default();
        let end = rest.ceil_char_boundary((1 + length).min(rest.len()));
        if end <= 1 {
            return UnlocatedReadError::new(backslash, backslash + 1, ReadErrorKind::UnclosedString)
                .hint("close the string with `\"`");
        }
        let escape = shorten(rest.get(..end).unwrap_or_default());
        let hint = match self.bytes.get(backslash + 1) {
            Some(b'\'') => Some("write `'` as it is"),
            Some(b'x') => Some("write a character by its number as `\\u` and four hexadecimal digits"),
            Some(b'u') => None,
            _ => Some("write a backslash as `\\\\`"),
        };
        UnlocatedReadError::new(backslash, backslash + end, ReadErrorKind::BadEscape { escape, reason })
            .hint_if(hint)
    }
}

fn written_control(byte: u8) -> String {
    match byte {
        b'\t' => "\\t".to_owned(),
        0x08 => "\\b".to_owned(),
        0x0c => "\\f".to_owned(),
        _ => format!("\\u{byte:04x}"),
    }
}

/// Decodes the escape whose backslash stands before `bytes`; returns it and its length.
fn escape(bytes: &[u8]) -> Result<(char, usize), Bad> {
    const NO_ESCAPE: &str = "after `\\` only `\"`, `\\`, `/`, `b`, `f`, `n`, `r`, `t` and `u` may stand";
    let single = match bytes.first() {
        Some(b'"') => '"',
        Some(b'\\') => '\\',
        Some(b'/') => '/',
        Some(b'b') => '\u{8}',
        Some(b'f') => '\u{c}',
        Some(b'n') => '\n',
        Some(b'r') => '\r',
        Some(b't') => '\t',
        Some(b'u') => return unicode(bytes),
        Some(_) => return Err((1, NO_ESCAPE)),
        None => return Err((0, NO_ESCAPE)),
    };
    Ok((single, 1))
}

/// Decodes `uXXXX`, or the two halves of a surrogate pair.
fn unicode(bytes: &[u8]) -> Result<(char, usize), Bad> {
    let first = hex(bytes, 1)?;
    if let Some(decoded) = char::from_u32(first) {
        return Ok((decoded, 5));
    }
    if first >= 0xdc00 {
        return Err((5, "a low surrogate stands without the high one before it"));
    }
    const LONE: Bad = (5, "a high surrogate must be followed by a low one");
    if bytes.get(5..7) != Some(b"\\u") {
        return Err(LONE);
    }
    let second = hex(bytes, 7).map_err(|_| LONE)?;
    if !(0xdc00..0xe000).contains(&second) {
        return Err(LONE);
    }
    let code = 0x1_0000 + ((first - 0xd800) << 10) + (second - 0xdc00);
    char::from_u32(code).map(|decoded| (decoded, 11)).ok_or(LONE)
}

/// The four hexadecimal digits at an offset.
fn hex(bytes: &[u8], at: usize) -> Result<u32, Bad> {
    let mut code = 0;
    for place in at..at + 4 {
        match bytes.get(place).and_then(|byte| char::from(*byte).to_digit(16)) {
            Some(digit) => code = code << 4 | digit,
            None => return Err((place.min(bytes.len()), "`\\u` takes four hexadecimal digits")),
        }
    }
    Ok(code)
}
