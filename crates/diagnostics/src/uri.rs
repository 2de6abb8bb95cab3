//! From file names to URI references.

use std::fmt::Write as _;

/// The punctuation that may stand in one segment of a path, but for the colon.
const IN_SEGMENT: &[u8] = b"-._~!$&'()*+,;=@";

/// The punctuation that may stand somewhere in a URI, but for the percent sign and the hash.
const IN_URI: &[u8] = b"-._~!$&'()*+,;=@:/?";

/// Returns the URI reference for a file name.
///
/// Relative paths stay relative, absolute ones become `file` URIs, a name that is a URI already stays one. Both `/`
/// and `\` separate, so that a log is the same wherever it is made.
pub(crate) fn from_name(name: &str) -> String {
    if is_absolute(name) {
        return escape(name);
    }
    let path = name.replace('\\', "/");
    if let Some(share) = path.strip_prefix("//") {
        return format!("file://{}", join(share));
    }
    if let Some(rooted) = path.strip_prefix('/') {
        return format!("file:///{}", join(rooted));
    }
    let mut start = path.chars();
    if let (Some(drive), Some(':'), Some('/')) = (start.next(), start.next(), start.next())
        && drive.is_ascii_alphabetic()
    {
        return format!("file:///{drive}:/{}", join(start.as_str()));
    }
    join(&path)
}

/// Whether text starts with a scheme of at least two letters, so that no drive is taken for one.
pub(crate) fn is_absolute(text: &str) -> bool {
    text.split_once("://").is_some_and(|(scheme, _)| {
        scheme.len() >= 2
            && scheme.starts_with(|first: char| first.is_ascii_alphabetic())
            && scheme.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"+-.".contains(&byte))
    })
}

/// Returns a URI with the characters that may not stand in one encoded; what is encoded already stays.
pub(crate) fn escape(uri: &str) -> String {
    // Only the first hash opens a fragment.
    let (address, fragment) = match uri.split_once('#') {
        Some((address, fragment)) => (address, Some(fragment)),
        None => (uri, None),
    };
    let mut out = keep_codes(address);
    if let Some(fragment) = fragment {
        out.push('#');
        out.push_str(&keep_codes(fragment));
    }
    out
}

/// Encodes a part of a URI, but for the percent codes in it.
fn keep_codes(part: &str) -> String {
    let mut pieces = part.split('%');
    let mut out = encode(pieces.next().unwrap_or_default(), IN_URI);
    for piece in pieces {
        let encoded = piece.bytes().take(2).filter(u8::is_ascii_hexdigit).count() == 2;
        out.push_str(if encoded { "%" } else { "%25" });
        out.push_str(&encode(piece, IN_URI));
    }
    out
}

/// Encodes the segments of a path, leaving out those that mean nothing.
fn join(path: &str) -> String {
    let segments: Vec<String> = path
        .split('/')
        .filter(|segment| !segment.is_empty() && *segment != ".")
        // A colon in the first segment would read as a scheme, so that it is encoded in all of them.
        .map(|segment| encode(segment, IN_SEGMENT))
        .collect();
    segments.join("/")
}

fn encode(text: &str, allowed: &[u8]) -> String {
    let mut out = String::with_capacity(text.len());
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || allowed.contains(&byte) {
            out.push(char::from(byte));
        } else {
            // Writing to a string does not fail.
            let _ = write!(out, "%{byte:02X}");
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(name: &str, expect: &str) {
        assert_eq!(from_name(name), expect);
    }

    #[test]
    fn relative_paths_stay_relative() {
        check("main.bicep", "main.bicep");
        check("./modules//storage.bicep", "modules/storage.bicep");
        check(r"modules\storage.bicep", "modules/storage.bicep");
        check("../shared/main.bicep", "../shared/main.bicep");
    }

    #[test]
    fn absolute_paths_become_file_uris() {
        check("/srv/main.bicep", "file:///srv/main.bicep");
        check(r"C:\repo\main.bicep", "file:///C:/repo/main.bicep");
        check(r"\\server\share\main.bicep", "file://server/share/main.bicep");
    }

    #[test]
    fn uris_stay_uris() {
        check("file:///a%20b.bicep", "file:///a%20b.bicep");
        check("https://example.org/a b?q=1#é", "https://example.org/a%20b?q=1#%C3%A9");
        check("https://example.org/#a#b", "https://example.org/#a%23b");
        check("https://example.org/100%", "https://example.org/100%25");
    }

    #[test]
    fn special_characters_are_encoded() {
        check("my file#1?.bicep", "my%20file%231%3F.bicep");
        check("100%.bicep", "100%25.bicep");
        check("größe/語.bicep", "gr%C3%B6%C3%9Fe/%E8%AA%9E.bicep");
        check("br:registry/module:v1", "br%3Aregistry/module%3Av1");
        check("<stdin>", "%3Cstdin%3E");
    }
}
