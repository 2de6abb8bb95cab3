//! Encodings: base64, data URIs and JSON.

use std::borrow::Cow;

use base64::Engine as _;
use base64::alphabet::STANDARD;
use base64::engine::general_purpose::{self, GeneralPurpose};

use super::{Arguments, Function, FunctionError, pure, uri};
use crate::value::Value;

pub(super) const FUNCTIONS: &[Function] = &[
    pure("base64", "text", base64, "Encodes a string as base64."),
    pure("base64ToJson", "text", base64_to_json, "Decodes base64 and reads the result as JSON."),
    pure("base64ToString", "text", base64_to_string, "Decodes base64 to a string."),
    pure("dataUri", "text", data_uri, "Encodes a string as a data URI."),
    pure("dataUriToString", "uri", data_uri_to_string, "Decodes a data URI to a string."),
    pure("json", "text", json, "Reads a string as JSON."),
];

/// Padded, and with whatever bits behind the last byte.
const LENIENT: GeneralPurpose =
    GeneralPurpose::new(&STANDARD, general_purpose::PAD.with_decode_allow_trailing_bits(true));

fn base64(arguments: Arguments<'_>) -> Result<Value, FunctionError> {
    Ok(encode(arguments.str_at(0)?.as_bytes()).into())
}

fn base64_to_string(arguments: Arguments<'_>) -> Result<Value, FunctionError> {
    Ok(decode_text(arguments.str_at(0)?)?.into())
}

fn base64_to_json(arguments: Arguments<'_>) -> Result<Value, FunctionError> {
    read_json(&decode_text(arguments.str_at(0)?)?)
}

fn data_uri(arguments: Arguments<'_>) -> Result<Value, FunctionError> {
    Ok(format!("data:text/plain;charset=utf-8;base64,{}", encode(arguments.str_at(0)?.as_bytes())).into())
}

fn data_uri_to_string(arguments: Arguments<'_>) -> Result<Value, FunctionError> {
    let text = arguments.str_at(0)?;
    let scheme = text.get(..5).filter(|scheme| scheme.eq_ignore_ascii_case("data:"));
    let parts = scheme.and_then(|_| text.get(5..)).and_then(|rest| rest.split_once(','));
    let Some((kind, data)) = parts else {
        return Err(FunctionError::Argument("the string is not a data URI: `data:...,...`".to_owned()));
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

fn json(arguments: Arguments<'_>) -> Result<Value, FunctionError> {
    read_json(arguments.str_at(0)?)
}

fn read_json(text: &str) -> Result<Value, FunctionError> {
    Value::from_json(&with_leading_zero(text))
        .map_err(|error| FunctionError::Argument(format!("the string is not JSON: {error}")))
}

/// A number that begins with its point, such as `.25`, as JSON writes it.
fn with_leading_zero(text: &str) -> Cow<'_, str> {
    let trimmed = text.trim_start();
    let (sign, digits) = trimmed.strip_prefix('-').map_or(("", trimmed), |digits| ("-", digits));
    let is_fraction =
        digits.strip_prefix('.').is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()));
    if is_fraction { Cow::Owned(format!("{sign}0{digits}")) } else { Cow::Borrowed(text) }
}

fn encode(bytes: &[u8]) -> String {
    LENIENT.encode(bytes)
}

fn decode_text(text: &str) -> Result<String, FunctionError> {
    let bytes = decode(text).ok_or_else(|| FunctionError::Argument("the string is not base64".to_owned()))?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// Decodes base64 with its padding; white space does not count.
fn decode(text: &str) -> Option<Vec<u8>> {
    let digits: Vec<u8> = text.bytes().filter(|byte| !byte.is_ascii_whitespace()).collect();
    LENIENT.decode(digits).ok()
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
        assert_eq!(decode("Zh==").unwrap(), b"f");
    }
}
