//! What the YAML parser and the reader refuse, in the words of a read error.

use granit_parser::{ErrorKind, ScanError};

use super::{ByteRange, YamlReader};
use crate::error::{ReadErrorKind, UnlocatedReadError, shorten};

impl YamlReader<'_> {
    /// An error of the parser.
    pub(super) fn syntax(&self, error: &ScanError) -> UnlocatedReadError {
        let start = error.marker().byte_offset().unwrap_or_default().min(self.text.len());
        let start = self.text.floor_char_boundary(start);
        let width = self.text.get(start..).and_then(|rest| rest.chars().next()).map_or(0, char::len_utf8);
        let place = ByteRange { start, end: start + width };
        let hint = match error.kind() {
            ErrorKind::UnknownAnchor => return self.unknown_anchor(place),
            ErrorKind::RecursionLimitExceeded => {
                return place
                    .fault(ReadErrorKind::TooDeep { limit: self.limits.depth })
                    .hint("flatten the document");
            }
            ErrorKind::TabInBlockIndentation
            | ErrorKind::TabInIndentation
            | ErrorKind::TabNotAllowed
            | ErrorKind::TabAtBlockScalarStart => Some("indent with blanks, not with tabs"),
            // The parser says that mapping values are not allowed in this context, which helps nobody.
            ErrorKind::MappingValueNotAllowed | ErrorKind::InvalidColonPlacement => {
                let message =
                    "`: ` cannot stand inside of text without quotes: what is before it would be a key"
                        .to_owned();
                return place
                    .fault(ReadErrorKind::YamlSyntax { message })
                    .hint("put text that contains `: ` in quotes, or correct the indentation of the line");
            }
            ErrorKind::UnexpectedCharacter { character } if character.is_control() => {
                Some("remove the character, or write it as an escape in double quotes")
            }
            ErrorKind::UnexpectedCharacter { .. } => {
                Some("put text that begins with this character in quotes")
            }
            ErrorKind::UnclosedQuotedScalar => Some("close the text with the quote that opens it"),
            ErrorKind::InvalidIndentation | ErrorKind::SimpleKeyExpected => {
                Some("indent the line like those it belongs to, and end a key with `:`")
            }
            ErrorKind::UnknownQuotedScalarEscape => {
                Some("write a backslash as `\\\\`, or put the text in single quotes")
            }
            _ => None,
        };
        place.fault(ReadErrorKind::YamlSyntax { message: error.kind().to_string() }).hint_if(hint)
    }

    /// An alias, which starts here, without an anchor.
    pub(super) fn unknown_anchor(&self, place: ByteRange) -> UnlocatedReadError {
        let rest = self.text.get(place.start..).unwrap_or_default();
        let alias = rest.split(|end: char| end.is_whitespace() || ",[]{}".contains(end)).next();
        let alias = alias.unwrap_or_default();
        let name = shorten(alias.strip_prefix('*').unwrap_or(alias));
        let place = ByteRange { end: place.start + alias.len(), ..place };
        let hint = format!("write `&{name}` before the value that is meant, further up");
        place.fault(ReadErrorKind::UnknownAnchor { name }).hint(hint)
    }

    /// Something that a merge key cannot merge.
    pub(super) fn bad_merge(&self, place: ByteRange) -> UnlocatedReadError {
        place
            .fault(ReadErrorKind::BadMerge)
            .hint("write the members themselves, or put `\"<<\"` in quotes if it is a name")
    }
}
