//! Addresses of documents, and the paths that the compiler knows them by.

use bicep::FilePath;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};

/// What is escaped in the path of an address.
const ESCAPED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'/').remove(b'-').remove(b'.').remove(b'_').remove(b'~');

/// The path of a document. A file of the machine has its own; another document, such as one that was not saved yet,
/// has its address in the place of one, with an ending if it says by itself what it holds.
pub(crate) fn path_of(uri: &str, ending: Option<&str>) -> FilePath {
    if let Some(rest) = uri.strip_prefix("file://") {
        let decoded = percent_decode_str(rest).decode_utf8_lossy();
        // After the scheme there is a host, which is empty on this machine, and then the path.
        let path = match decoded.strip_prefix('/') {
            Some(drive) if has_drive(drive) => drive.to_owned(),
            Some(_) => decoded.into_owned(),
            None => format!("//{decoded}"),
        };
        return FilePath::new(&path);
    }
    let (scheme, rest) = uri.split_once(':').unwrap_or(("untitled", uri));
    let decoded = percent_decode_str(rest.trim_start_matches('/')).decode_utf8_lossy();
    let path = FilePath::new(&format!("{scheme}:///{decoded}"));
    match ending {
        Some(ending) if !path.extension().eq_ignore_ascii_case(ending) => {
            FilePath::new(&format!("{}{ending}", path.as_str()))
        }
        _ => path,
    }
}

/// The address of a file of the machine.
pub(crate) fn uri_of(path: &FilePath) -> String {
    let text = path.as_str();
    if text.contains("://") {
        return text.to_owned();
    }
    let slash = if text.starts_with('/') { "" } else { "/" };
    format!("file://{slash}{}", utf8_percent_encode(text, ESCAPED))
}

/// Tells whether a document is one that people write, and not a view of one, such as the other side of a diff.
pub(crate) fn is_written(uri: &str) -> bool {
    uri.starts_with("file:") || uri.starts_with("untitled:")
}

fn has_drive(path: &str) -> bool {
    let mut bytes = path.bytes();
    bytes.next().is_some_and(|first| first.is_ascii_alphabetic()) && bytes.next() == Some(b':')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(uri: &str, path: &str) {
        assert_eq!(path_of(uri, None).as_str(), path);
    }

    #[test]
    fn files_have_their_paths() {
        check("file:///srv/a%20b/main.bicep", "/srv/a b/main.bicep");
        check("file:///c%3A/repo/main.bicep", "c:/repo/main.bicep");
        check("file:///C:/repo/main.bicep", "C:/repo/main.bicep");
        check("file:///%zz/%E8%AA%9E.bicep", "/%zz/語.bicep");
    }

    #[test]
    fn other_documents_have_their_addresses() {
        check("git:/srv/main.bicep?%7B%7D", "git:///srv/main.bicep?{}");
        assert_eq!(path_of("untitled:Untitled-1", Some(".bicep")).as_str(), "untitled:///Untitled-1.bicep");
        assert_eq!(path_of("untitled:a.bicep", Some(".bicep")).as_str(), "untitled:///a.bicep");
        check("", "untitled:///");
    }

    #[test]
    fn a_path_leads_back_to_its_address() {
        assert_eq!(uri_of(&FilePath::new("/a b/ü.bicep")), "file:///a%20b/%C3%BC.bicep");
        assert_eq!(uri_of(&FilePath::new("c:/a.bicep")), "file:///c%3A/a.bicep");
    }
}
