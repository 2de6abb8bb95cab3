//! References to definitions, and the definitions that they make necessary.

use std::borrow::Cow;
use std::sync::Arc;

use value::View;

use super::super::draft::Draft;
use super::super::resources::resolve;
use super::{ContractReader, ROOT, ReferenceWord};
use crate::flaw::{Flaw, FlawCode};
use crate::shape::{Form, Select};

impl<'v, V: View<'v>> ContractReader<'v, V> {
    pub(super) fn discriminator(&mut self, value: V, draft: &Draft<'v>) -> Option<Select> {
        // It is a hint to those who generate code where it cannot choose.
        if self.is_lenient() && draft.alternatives().is_none() {
            return None;
        }
        let Some(alternatives) = draft.alternatives() else {
            self.flaws.push(
                Flaw::new(FlawCode::BadKeyword, "`discriminator` needs alternatives to choose from")
                    .hint("write `oneOf` or `anyOf` next to it")
                    .at(value.place()),
            );
            return None;
        };
        let Some(property) = value.member("propertyName") else {
            self.bad(value.place(), "`discriminator` needs a `propertyName`");
            return None;
        };
        let name = self.text("propertyName", property)?;
        let names: Vec<Option<&str>> = alternatives
            .iter()
            .map(|shape| match &shape.form {
                Form::Ref(name) => Some(&**name),
                _ => None,
            })
            .collect();
        let mut values: Vec<(Box<str>, usize)> = Vec::new();
        match value.member("mapping") {
            Some(mapping) => {
                for (key, target) in self.members("mapping", mapping) {
                    let place = target.place();
                    let Some(target) = self.text("mapping", target) else { continue };
                    match self.alternative(&names, target) {
                        Some(position) => values.push((key.into(), position)),
                        None => self.bad(place, format!("no alternative is called `{target}`")),
                    }
                }
            }
            None => {
                for (position, name) in names.iter().enumerate() {
                    match name {
                        Some(name) => values.push((last_step(name).into(), position)),
                        None => self.bad(
                            value.place(),
                            "without a `mapping`, every alternative of a `discriminator` must be a `$ref`",
                        ),
                    }
                }
            }
        }
        Some(Select::Property { name: name.into(), values })
    }

    /// The position of the alternative that a mapping names: by its reference, by its bare name, or by its
    /// place among the alternatives.
    pub(super) fn alternative(&self, names: &[Option<&str>], target: &str) -> Option<usize> {
        if let Some(name) = self.names.get(&(self.base.clone(), target.to_owned(), self.scope.clone()))
            && let Some(position) = names.iter().position(|known| *known == Some(&**name))
        {
            return Some(position);
        }
        let mut steps = target.rsplit('/');
        let (last, before) = (steps.next()?, steps.next());
        if matches!(before, Some("oneOf" | "anyOf")) {
            return last.parse().ok().filter(|position| *position < names.len());
        }
        names.iter().position(|known| known.map(last_step) == Some(last))
    }

    pub(super) fn reference(&mut self, value: V, word: ReferenceWord) -> Option<Arc<str>> {
        let text = self.text("$ref", value)?;
        let found = match word {
            ReferenceWord::Static => self.resources.find(&self.base, text),
            ReferenceWord::Dynamic => self.resources.find_dynamic(&self.base, text, &self.scope),
            ReferenceWord::Recursive => self.resources.find_recursive(&self.base, text, &self.scope),
        };
        let Some(target) = found else {
            let flaw = match text.starts_with('#') {
                true => Flaw::new(FlawCode::UnknownDefinition, format!("`{text}` leads nowhere")),
                false => {
                    let address = resolve(&self.base, text);
                    let known = address.trim_start_matches(ROOT);
                    Flaw::new(FlawCode::BadKeyword, format!("`{text}` is not in this contract"))
                        .hint(format!("refer to a definition by `#/$defs/NAME`, or say where `{known}` lies by `--link-root PREFIX=DIR`"))
                }
            };
            self.flaws.push(flaw.at(value.place()));
            return None;
        };
        let scope = self.resources.entered(&self.scope, &target.base);
        // Two references are one if they lead to one place in the same scope.
        let address = match word {
            ReferenceWord::Static => text.to_owned(),
            ReferenceWord::Dynamic | ReferenceWord::Recursive => format!("{text} in {}", target.base),
        };
        let key = (self.base.clone(), address, scope.clone());
        if let Some(name) = self.names.get(&key) {
            return Some(name.clone());
        }
        let short = ["#/$defs/", "#/definitions/"].iter().find_map(|prefix| text.strip_prefix(prefix));
        let mut name = match short {
            Some(short) if !short.contains('/') => step_text(short),
            _ => text.to_owned(),
        };
        if self.used.contains(name.as_str()) {
            name = text.to_owned();
        }
        let name = self.define(name);
        self.names.insert(key, name.clone());
        self.referred.extend(target.value.place());
        let mut steps = text.rsplit('/');
        self.ends.extend(steps.next().zip(steps.next()).map(|(end, word)| (word, step_text(end))));
        self.queue.push((name.clone(), target.value, target.base, scope));
        Some(name)
    }

    /// Takes a name for a definition that no other one has.
    pub(super) fn define(&mut self, mut name: String) -> Arc<str> {
        while self.used.contains(name.as_str()) {
            name.push('\'');
        }
        let name: Arc<str> = name.into();
        self.used.insert(name.clone());
        name
    }

    /// Notes the definitions that are written and that no reference has led to; whether there are any.
    pub(super) fn take_unused(&mut self) -> bool {
        for written in std::mem::take(&mut self.written) {
            let is_referred = match written.shape.place() {
                Some(place) => self.referred.contains(&place),
                // A value without places: references to a definition of that name are taken for references to this one.
                None => self.ends.contains(&(written.word, written.name.to_owned())),
            };
            if !is_referred {
                let name = self.define(written.name.to_owned());
                let base = self.resources.inside(&written.base, written.shape);
                let scope = self.resources.entered(&written.scope, &base);
                self.queue.push((name, written.shape, base, scope));
            }
        }
        !self.queue.is_empty()
    }
}

/// A step of a pointer in a fragment, its escapes undone.
fn step_text(step: &str) -> String {
    percent_decoded(step).replace("~1", "/").replace("~0", "~")
}

/// Undoes the escapes of a URI; text that is not such an escape stays.
fn percent_decoded(text: &str) -> Cow<'_, str> {
    percent_encoding::percent_decode_str(text).decode_utf8().unwrap_or(Cow::Borrowed(text))
}

/// What a definition is called at the end of its name.
fn last_step(name: &str) -> &str {
    name.rsplit('/').next().unwrap_or(name)
}
