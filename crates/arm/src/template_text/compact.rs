//! Indented text without its blanks.

/// The compact form of a text in the [indented](super::JsonLayout::Indented) form, without reading it as JSON.
///
/// Blanks are at the start of lines, and behind the colon of a key; everything else belongs to a value.
#[must_use]
pub fn compacted(indented: &str) -> String {
    let mut text = String::with_capacity(indented.len());
    for line in indented.split('\n') {
        let line = line.trim_start_matches(' ');
        let value = key_length(line.as_bytes())
            .and_then(|at| line.split_at_checked(at))
            .and_then(|(key, rest)| Some((key, rest.strip_prefix(": ")?)));
        match value {
            Some((key, value)) => {
                text.push_str(key);
                text.push(':');
                text.push_str(value);
            }
            None => text.push_str(line),
        }
    }
    text
}

/// The length of the string at the start of a line, quotes included.
pub(crate) fn key_length(line: &[u8]) -> Option<usize> {
    (line.first() == Some(&b'"')).then_some(())?;
    let mut at = 1;
    loop {
        at += memchr::memchr2(b'"', b'\\', line.get(at..)?)?;
        if line.get(at) == Some(&b'"') {
            return Some(at + 1);
        }
        at += 2;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_blanks_between_values_go() {
        let text = "{\n  \"a \\\" : \": [\n    \"x: y\",\n    1\n  ],\n  \"b\": {}\n}";
        assert_eq!(compacted(text), "{\"a \\\" : \":[\"x: y\",1],\"b\":{}}");
    }
}
