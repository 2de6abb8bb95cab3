//! What is said besides what values are accepted: defaults, secrets, words for people.

use std::collections::BTreeSet;

use contract::rules::Test;
use contract::{Constant, Definitions, Form, Select, Shape};

use super::{ShapeParts, Walker};
use crate::model::{Difference, Level};

/// What a shape says for people, wherever its references lead.
#[derive(Default)]
struct Remarks<'s> {
    default: Option<&'s Constant>,
    description: Option<&'s str>,
    deprecated: bool,
    read_only: bool,
    secret: bool,
    unchecked: BTreeSet<&'s str>,
    checks_formats: bool,
}

impl<'s> Remarks<'s> {
    fn of(shape: &'s Shape, definitions: &'s Definitions) -> Remarks<'s> {
        let mut remarks = Remarks::default();
        remarks.add(shape, definitions, 0);
        remarks
    }

    fn add(&mut self, shape: &'s Shape, definitions: &'s Definitions, depth: usize) {
        if depth > 16 {
            return;
        }
        self.default = self.default.or(shape.default.as_deref());
        self.description = self.description.or(shape.description.as_deref());
        self.secret |= shape.secret;
        if let Some(notes) = &shape.notes {
            self.default = self.default.or(notes.default.as_ref());
            self.deprecated |= notes.deprecated;
            self.read_only |= notes.read_only;
            self.unchecked.extend(notes.unchecked_format.as_deref());
        }
        for rule in shape.rules.iter() {
            match &rule.test {
                Test::Format(format) if format.is_checked() => self.checks_formats = true,
                Test::Format(format) => {
                    self.unchecked.insert(format.name());
                }
                _ => {}
            }
        }
        match &shape.form {
            Form::Ref(name) => {
                if let Some(target) = definitions.get(name) {
                    self.add(target, definitions, depth + 1);
                }
            }
            Form::All(parts) => parts.iter().for_each(|part| self.add(part, definitions, depth + 1)),
            _ => {}
        }
    }
}

impl Walker<'_, '_> {
    /// What is said besides what values are accepted.
    pub(super) fn remarks(&mut self, old: &Shape, new: &Shape) {
        let became_required = std::mem::take(&mut self.required_now);
        let (was, is) = (
            Remarks::of(old, self.comparison.old.definitions),
            Remarks::of(new, self.comparison.new.definitions),
        );
        let places = (old.place, new.place);
        let mut found: Vec<(&'static str, Level, String)> = Vec::new();
        match (was.default, is.default) {
            (Some(a), Some(b)) if crate::term::canonical(a) != crate::term::canonical(b) => {
                let message = match was.secret || is.secret {
                    true => "the default is another value".to_owned(),
                    false => format!("the default was `{a}` and is `{b}`"),
                };
                found.push(("default-changed", Level::Warning, message));
            }
            (Some(_), None) if !became_required => {
                let message = "nothing stands in for an absent value any more".to_owned();
                found.push(("default-removed", Level::Warning, message));
            }
            _ => {}
        }
        if was.secret != is.secret {
            let message =
                if is.secret { "the value is a secret now" } else { "the value is no secret any more" };
            found.push(("secure-changed", Level::Info, message.to_owned()));
        }
        if was.read_only != is.read_only {
            let message =
                if is.read_only { "only its owner writes it now" } else { "others may write it now" };
            found.push(("read-only-changed", Level::Warning, message.to_owned()));
        }
        if is.unchecked != was.unchecked && !is.unchecked.is_empty() && !is.checks_formats {
            let names: Vec<&str> = is.unchecked.iter().copied().collect();
            let message = format!("the format `{}` is not checked", names.join("`, `"));
            found.push(("format-unchecked", Level::Warning, message));
        }
        if was.deprecated != is.deprecated {
            let message = if is.deprecated { "it is deprecated" } else { "it is not deprecated any more" };
            found.push(("deprecated", Level::Info, message.to_owned()));
        }
        if was.description != is.description {
            let message = match (was.description, is.description) {
                (None, _) => "there is a description",
                (_, None) => "there is no description any more",
                _ => "the description changed",
            };
            found.push(("description", Level::Info, message.to_owned()));
        }
        for (rule, level, message) in found {
            self.add(rule, message, Difference::None, Difference::None, places, Some(level));
        }
    }

    /// Another property chooses among the same alternatives.
    pub(super) fn discriminator(&mut self, old: &ShapeParts<'_>, new: &ShapeParts<'_>) {
        let ([was], [is]) = (old.unions.as_slice(), new.unions.as_slice()) else { return };
        let (Select::Property { name: x, .. }, Select::Property { name: y, .. }) = (&was.select, &is.select)
        else {
            return;
        };
        if x != y {
            let message = format!("`{y}` chooses the alternative instead of `{x}`");
            let (none, places) = (Difference::None, (old.place, new.place));
            self.add("discriminator-changed", message, none.clone(), none, places, Some(Level::Warning));
        }
    }
}
