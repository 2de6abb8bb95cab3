//! References: `#/12` inside a file and `folder/types.json#/12` from the index.

use smol_str::SmolStr;

use crate::model::TypeId;

/// A type in a named file, as the index refers to it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct FileRef {
    /// The path of the file, relative to the index, with `/` between its parts.
    pub path: SmolStr,
    /// The position of the type in the file.
    pub id: TypeId,
}

impl FileRef {
    /// A reference to the type at position `id` of the file at `path`.
    pub fn new(path: impl Into<SmolStr>, id: TypeId) -> FileRef {
        FileRef { path: path.into(), id }
    }
}

/// Reads `#/12`.
pub(crate) fn parse_local(text: &str) -> Option<TypeId> {
    text.strip_prefix("#/").and_then(parse_position)
}

/// Reads `folder/types.json#/12`.
pub(crate) fn parse_cross_file(text: &str) -> Option<(&str, TypeId)> {
    let (path, position) = text.split_once("#/")?;
    Some((path, parse_position(position)?))
}

/// Positions are plain digits within the range of the format's own 32-bit signed number.
fn parse_position(text: &str) -> Option<TypeId> {
    if !text.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    text.parse().ok().filter(|position| *position <= i32::MAX.unsigned_abs()).map(TypeId)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_local_reference_is_a_position() {
        assert_eq!(parse_local("#/12"), Some(TypeId(12)));
        for wrong in ["", "#", "#/", "#/-1", "#/+1", "#/1x", "#/2147483648", "12", "types.json#/1"] {
            assert_eq!(parse_local(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn a_reference_from_the_index_has_a_path() {
        assert_eq!(parse_cross_file("a/types.json#/3"), Some(("a/types.json", TypeId(3))));
        assert_eq!(parse_cross_file("types.json"), None);
    }
}
