//! Escapes and uuids, as JSON text writes them.

/// Undoes the escapes of a JSON string; `None` for one that stands for nothing.
pub(super) fn unescape(raw: &[u8]) -> Option<Vec<u8>> {
    let mut text = Vec::with_capacity(raw.len());
    let mut rest = raw;
    while let Some(slash) = rest.iter().position(|byte| *byte == b'\\') {
        let (plain, escape) = rest.split_at_checked(slash)?;
        text.extend_from_slice(plain);
        let letter = *escape.get(1)?;
        rest = escape.get(2..)?;
        let byte = match letter {
            b'"' | b'\\' | b'/' => letter,
            b'b' => 8,
            b'f' => 12,
            b'n' => b'\n',
            b'r' => b'\r',
            b't' => b'\t',
            b'u' => {
                let (character, after) = unicode(rest)?;
                let mut buffer = [0; 4];
                text.extend_from_slice(character.encode_utf8(&mut buffer).as_bytes());
                rest = after;
                continue;
            }
            _ => return None,
        };
        text.push(byte);
    }
    text.extend_from_slice(rest);
    Some(text)
}

/// Reads the digits behind `\u`, and the second half of a pair.
fn unicode(rest: &[u8]) -> Option<(char, &[u8])> {
    let (first, rest) = hex4(rest)?;
    if !(0xd800..0xdc00).contains(&first) {
        return Some((char::from_u32(first)?, rest));
    }
    let (second, rest) = hex4(rest.strip_prefix(b"\\u")?)?;
    let low = second.checked_sub(0xdc00).filter(|low| *low < 0x400)?;
    Some((char::from_u32(0x10000 + ((first - 0xd800) << 10) + low)?, rest))
}

fn hex4(bytes: &[u8]) -> Option<(u32, &[u8])> {
    let (digits, rest) = bytes.split_first_chunk::<4>()?;
    let mut value = 0;
    for digit in digits {
        value = value * 16 + char::from(*digit).to_digit(16)?;
    }
    Some((value, rest))
}

/// Reads 32 digits with dashes in the usual places.
pub(super) fn parse_uuid(text: &[u8]) -> Option<[u8; 16]> {
    if text.len() != 36 {
        return None;
    }
    let mut value: u128 = 0;
    for (at, byte) in text.iter().enumerate() {
        if matches!(at, 8 | 13 | 18 | 23) {
            if *byte != b'-' {
                return None;
            }
            continue;
        }
        value = value << 4 | u128::from(char::from(*byte).to_digit(16)?);
    }
    Some(value.to_be_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes() {
        assert_eq!(
            unescape(br#"a\n\"\/\u00e9\ud83d\ude00"#),
            Some("a\n\"/\u{e9}\u{1f600}".as_bytes().to_vec())
        );
        for bad in [&br"\x"[..], br"\u12", br"\ud800", br"\ud800\u0041", br"\udc00", br"\"] {
            assert_eq!(unescape(bad), None);
        }
    }
}
