//! Which names Go code uses: Go refuses variables and imports that nobody does.

/// Whether a name stands in code, texts and comments aside.
pub(super) fn uses(code: &str, name: &str) -> bool {
    let bytes = code.as_bytes();
    let mut at = 0;
    while let Some(byte) = bytes.get(at) {
        let rest = bytes.get(at..).unwrap_or_default();
        at += match byte {
            b'"' | b'\'' => quoted(rest, *byte),
            b'`' => 2 + rest.iter().skip(1).take_while(|it| **it != b'`').count(),
            b'/' if rest.get(1) == Some(&b'/') => rest.iter().take_while(|it| **it != b'\n').count(),
            byte if is_word(*byte) => {
                let length = rest.iter().take_while(|it| is_word(**it)).count();
                if rest.get(..length) == Some(name.as_bytes()) {
                    return true;
                }
                length
            }
            _ => 1,
        };
    }
    false
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte >= 0x80
}

/// How long a text in quotes is.
fn quoted(rest: &[u8], quote: u8) -> usize {
    let mut length = 1;
    while let Some(byte) = rest.get(length) {
        length += match byte {
            b'\\' => 2,
            byte if *byte == quote => return length + 1,
            _ => 1,
        };
    }
    length
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_in_texts_are_not_used() {
        for (code, used) in [
            ("x(k0)", true),
            ("x(\"k0\")", false),
            ("x(\"\\\"k0\", k0)", true),
            ("x(`k0`) // k0", false),
            ("x('k', k01, ak0)", false),
            ("\"\\\\\"+k0", true),
            ("k0", true),
        ] {
            assert_eq!(uses(code, "k0"), used, "{code}");
        }
    }
}
