//! Members of objects by their names, and what to say about the others.

use contract::Node;
use document::SourceValue;

use super::problems::ErrorSection;
use super::{TemplateReader, article, is, span};

/// What becomes of members that an object does not have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Unknown {
    /// Each of them is an error.
    Refused,
    /// They are not looked at.
    Ignored,
}

impl<'d> TemplateReader<'d> {
    /// The members of some names, by whatever case; each of them may be there once.
    pub(super) fn members<const N: usize>(
        &mut self,
        object: SourceValue<'d>,
        names: [&'static str; N],
        unknown: Unknown,
        section: ErrorSection<'_>,
    ) -> [Option<SourceValue<'d>>; N] {
        let mut found = [None; N];
        for (key, value) in object.members() {
            let slot = names.iter().zip(&mut found).find(|(name, _)| is(key, name));
            match slot {
                Some((_, slot @ None)) => *slot = Some(value),
                Some((name, Some(_))) => {
                    let message = format!("the member '{name}' is there twice");
                    self.problems.add(span(key), section, message);
                }
                None if unknown == Unknown::Refused => self.unknown_member(key, &names, section),
                None => {}
            }
        }
        found
    }

    /// A member that is not null: tools write what is not there as null.
    pub(super) fn not_null(member: Option<SourceValue<'d>>) -> Option<SourceValue<'d>> {
        member.filter(|value| !matches!(value.node(), Node::Null))
    }

    #[cold]
    fn unknown_member(&mut self, key: SourceValue<'d>, names: &[&str], section: ErrorSection<'_>) {
        let name = key.as_str().unwrap_or_default();
        let message = format!("Could not find member '{name}'; there can be '{}'", names.join(", "));
        self.problems.add(span(key), section, message);
    }

    /// Tells whether a value is an object, and says so if it is not.
    pub(super) fn expect_object(
        &mut self,
        value: SourceValue<'d>,
        what: &str,
        section: ErrorSection<'_>,
    ) -> bool {
        let fits = matches!(value.node(), Node::Object(_));
        if !fits {
            self.wrong_kind(value, what, "an object", section);
        }
        fits
    }

    /// Tells whether a value is an array, and says so if it is not.
    pub(super) fn expect_array(
        &mut self,
        value: SourceValue<'d>,
        what: &str,
        section: ErrorSection<'_>,
    ) -> bool {
        let fits = matches!(value.node(), Node::List(_));
        if !fits {
            self.wrong_kind(value, what, "an array", section);
        }
        fits
    }

    /// The text of a string, or an error.
    pub(super) fn expect_text(
        &mut self,
        value: SourceValue<'d>,
        what: &str,
        section: ErrorSection<'_>,
    ) -> Option<&'d str> {
        let text = value.as_str();
        if text.is_none() {
            self.wrong_kind(value, what, "a string", section);
        }
        text
    }

    #[cold]
    pub(super) fn wrong_kind(
        &mut self,
        value: SourceValue<'d>,
        what: &str,
        wanted: &str,
        section: ErrorSection<'_>,
    ) {
        let message = format!("{what} must be {wanted}, not {}", article(value));
        self.problems.add(span(value), section, message);
    }

    #[cold]
    pub(super) fn missing(&mut self, object: SourceValue<'d>, name: &str, section: ErrorSection<'_>) {
        let message = format!("Required property '{name}' not found in JSON");
        self.problems.add(span(object), section, message);
    }

    #[cold]
    pub(super) fn too_many(
        &mut self,
        value: SourceValue<'d>,
        what: &str,
        count: usize,
        most: usize,
        section: ErrorSection<'_>,
    ) {
        let message = format!("there are {count} {what}, which is more than the limit of {most}");
        self.problems.add(span(value), section, message);
    }
}
