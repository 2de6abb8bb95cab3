//! Encodings: base64, data URIs and JSON.

use document::{Document, JsonOptions, Limits};

use super::{Arguments, Family, Fault, Function, Run, uri};
use crate::value::Value;

pub(super) const FUNCTIONS: &[Function] = &[
    row("base64", "text", base64, "Encodes a string as base64."),
    row("base64ToJson", "text", base64_to_json, "Decodes base64 and reads the result as JSON."),
    row("base64ToString", "text", base64_to_string, "Decodes base64 to a string."),
    row("dataUri", "text", data_uri, "Encodes a string as a data URI."),
    row("dataUriToString", "uri", data_uri_to_string, "Decodes a data URI to a string."),
    row("json", "text", json, "Reads a string as JSON."),
];

const fn row(
    name: &'static str,
    parameters: &'static str,
    run: fn(Arguments<'_>) -> Result<Value, Fault>,
    doc: &'static str,
) -> Function {
    Function::new(Family::Codec, name, parameters, Run::Pure(run), doc)
}

const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

fn base64(arguments: Arguments<'_>) -> Result<Value, Fault> {
    Ok(encode(arguments.text(0)?.as_bytes()).into())
}

fn base64_to_string(arguments: Arguments<'_>) -> Result<Value, Fault> {
    Ok(decode_text(arguments.text(0)?)?.into())
}

fn base64_to_json(arguments: Arguments<'_>) -> Result<Value, Fault> {
    read_json(&decode_text(arguments.text(0)?)?)
}

fn data_uri(arguments: Arguments<'_>) -> Result<Value, Fault> {
    Ok(format!("data:text/plain;charset=utf-8;base64,{}", encode(arguments.text(0)?.as_bytes())).into())
}

fn data_uri_to_string(arguments: Arguments<'_>) -> Result<Value, Fault> {
    let text = arguments.text(0)?;
    let scheme = text.get(..5).filter(|scheme| scheme.eq_ignore_ascii_case("data:"));
    let parts = scheme.and_then(|_| text.get(5..)).and_then(|rest| rest.split_once(','));
    let Some((kind, data)) = parts else {
        return Err(Fault::Argument("the string is not a data URI: `data:...,...`".to_owned()));
    };
    let decoded = if kind.to_ascii_lowercase().ends_with(";base64") {
        decode_text(&uri::percent_decoded(data))?
    } else {
        uri::percent_decoded(data)
    };
    let media = kind.split(';').next().unwrap_or_default();
    if media.eq_ignore_ascii_case("application/json") {
        return read_json(&decoded);
    }
    Ok(decoded.into())
}

fn json(arguments: Arguments<'_>) -> Result<Value, Fault> {
    read_json(arguments.text(0)?)
}

fn read_json(text: &str) -> Result<Value, Fault> {
    let wrong = |message: String| Fault::Argument(format!("the string is not JSON: {message}"));
    let document = Document::from_json_with(text, 0, &Limits::DEFAULT, JsonOptions::TEMPLATE);
    let document = document.map_err(|error| wrong(error.to_string()))?;
    Value::from_view(document.root()).map_err(|error| wrong(error.to_string()))
}

fn encode(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for chunk in bytes.chunks(3) {
        let bits =
            chunk.iter().fold(0_u32, |bits, byte| bits << 8 | u32::from(*byte)) << (8 * (3 - chunk.len()));
        for place in 0..4 {
            let digit = DIGITS.get((bits >> (18 - 6 * place) & 63) as usize).copied().unwrap_or(b'A');
            text.push(if place <= chunk.len() { char::from(digit) } else { '=' });
        }
    }
    text
}

fn decode_text(text: &str) -> Result<String, Fault> {
    let bytes = decode(text).ok_or_else(|| Fault::Argument("the string is not base64".to_owned()))?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// Decodes base64 with its padding; white space does not count.
fn decode(text: &str) -> Option<Vec<u8>> {
    let digits: Vec<u8> = text.bytes().filter(|byte| !byte.is_ascii_whitespace()).collect();
    if !digits.len().is_multiple_of(4) {
        return None;
    }
    let padding = digits.iter().rev().take_while(|byte| **byte == b'=').count();
    let mut bytes = Vec::with_capacity(digits.len() / 4 * 3);
    let (groups, _) = digits.as_chunks::<4>();
    for (position, group) in groups.iter().enumerate() {
        let missing = if position + 1 == groups.len() { padding } else { 0 };
        if missing > 2 {
            return None;
        }
        let mut bits = 0_u32;
        for (place, byte) in group.iter().enumerate() {
            let digit = if place >= 4 - missing { 0 } else { digit(*byte)? };
            bits = bits << 6 | digit;
        }
        bytes.extend(bits.to_be_bytes().into_iter().skip(1).take(3 - missing));
    }
    Some(bytes)
}

fn digit(byte: u8) -> Option<u32> {
    let value = match byte {
        b'A'..=b'Z' => byte - b'A',
        b'a'..=b'z' => byte - b'a' + 26,
        b'0'..=b'9' => byte - b'0' + 52,
        b'+' => 62,
        b'/' => 63,
        _ => return None,
    };
    Some(value.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base64_goes_both_ways() {
        for (text, encoded) in [
            ("", ""),
            ("f", "Zg=="),
            ("fo", "Zm8="),
            ("foo", "Zm9v"),
            ("foob", "Zm9vYg=="),
            ("é€💪", "w6nigqzwn5Kq"),
        ] {
            assert_eq!(encode(text.as_bytes()), encoded);
            assert_eq!(decode(encoded).unwrap(), text.as_bytes());
        }
        for wrong in ["Zg", "Z===", "Zg=a", "====", "Zm9v!", "Z=9v"] {
            assert_eq!(decode(wrong), None, "{wrong}");
        }
        assert_eq!(decode("Zm\n 9v").unwrap(), b"foo");
    }
}
