//! Digests: what a blob or a manifest must hash to.

use std::fmt;

use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256, Sha512};

/// A digest such as `sha256:` with 64 hexadecimal digits, or `sha512:` with 128.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Digest(String);

impl Digest {
    /// The SHA-256 digest of bytes.
    #[must_use]
    pub fn of(bytes: &[u8]) -> Digest {
        Digest(format!("sha256:{}", hex(&Sha256::digest(bytes))))
    }

    /// Reads a digest; none if it is not one that can be checked.
    #[must_use]
    pub fn parse(text: &str) -> Option<Digest> {
        let (algorithm, digits) = text.split_once(':')?;
        let length = match algorithm {
            "sha256" => 64,
            "sha512" => 128,
            _ => return None,
        };
        let valid = digits.len() == length && digits.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'));
        valid.then(|| Digest(text.to_owned()))
    }

    /// Whether bytes have this digest.
    #[must_use]
    pub fn is_of(&self, bytes: &[u8]) -> bool {
        match self.0.split_once(':') {
            Some(("sha512", digits)) => digits == hex(&Sha512::digest(bytes)),
            Some((_, digits)) => digits == hex(&Sha256::digest(bytes)),
            None => false,
        }
    }

    /// The digest as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

fn hex(bytes: &[u8]) -> String {
    use fmt::Write as _;
    bytes.iter().fold(String::with_capacity(bytes.len() * 2), |mut text, byte| {
        // Writing to a string does not fail.
        let _ = write!(text, "{byte:02x}");
        text
    })
}

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl TryFrom<String> for Digest {
    type Error = String;

    fn try_from(text: String) -> Result<Digest, String> {
        Digest::parse(&text).ok_or_else(|| format!("`{text}` is not a digest of SHA-256 or SHA-512"))
    }
}

impl From<Digest> for String {
    fn from(digest: Digest) -> String {
        digest.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_digest_is_of_its_bytes_alone() {
        let empty = "sha256:44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a";
        assert_eq!(Digest::of(b"{}").as_str(), empty);
        assert!(Digest::parse(empty).unwrap().is_of(b"{}"));
        assert!(!Digest::parse(empty).unwrap().is_of(b"{ }"));
        let long = format!("sha512:{}", hex(&Sha512::digest(b"{}")));
        assert!(Digest::parse(&long).unwrap().is_of(b"{}"));
    }

    #[test]
    fn what_cannot_be_checked_is_not_a_digest() {
        let digits = "a".repeat(64);
        for text in ["", "sha256:", "md5:00", "sha256:zz", &digits, &format!("sha256:{}", "A".repeat(64))] {
            assert_eq!(Digest::parse(text), None, "{text}");
        }
    }
}
