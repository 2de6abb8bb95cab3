//! What a resource keeps without ever showing it: values that were put aside, sealed, and digests that tell whether they changed.

use std::collections::BTreeMap;

use arm::Caseless as _;
use contract::Constant;
use document::{Document, FileId};
use store::{Key, SealError};

use crate::limits::STORED;

/// What digests are for; deployments keep the same ones.
const DIGEST: &str = "secret value";

/// Values that were taken out of a resource, by their JSON pointers.
#[derive(Debug, Default)]
pub(crate) struct Secrets(BTreeMap<String, Constant>);

impl Secrets {
    /// Puts a value aside.
    pub(crate) fn put(&mut self, pointer: &str, value: Constant) {
        self.0.insert(pointer.to_owned(), value);
    }

    /// The digests, as JSON.
    pub(super) fn digests(&self, key: &Key) -> Result<String, SealError> {
        let mut members = Vec::new();
        for (pointer, value) in &self.0 {
            let digest = hex(&key.derive(DIGEST, value.to_string().as_bytes())?);
            members.push((Constant::text(pointer), Constant::text(&digest)));
        }
        Ok(Constant::Object(members).to_string())
    }

    /// The values, sealed for a resource: they cannot be moved to another one. Nothing if there are none.
    pub(crate) fn sealed(&self, key: &Key, id: &str) -> Result<Option<String>, SealError> {
        if self.0.is_empty() {
            return Ok(None);
        }
        let members = self.0.iter().map(|(pointer, value)| (Constant::text(pointer), value.clone()));
        let text = Constant::Object(members.collect()).to_string();
        Ok(Some(hex(&key.seal(&purpose(id), text.as_bytes())?)))
    }

    /// What was sealed for a resource.
    pub(super) fn opened(key: &Key, id: &str, sealed: &str) -> Result<Secrets, SealError> {
        let text = key.open(&purpose(id), &bytes(sealed).ok_or(SealError::Refused)?)?;
        let text = String::from_utf8(text).map_err(|_| SealError::Refused)?;
        let document = Document::from_json(text, FileId::FIRST, &STORED).map_err(|_| SealError::Refused)?;
        let members = document.root().members().filter_map(|(pointer, value)| {
            Some((pointer.as_str()?.to_owned(), Constant::copy(value, STORED.depth)?))
        });
        Ok(Secrets(members.collect()))
    }

    /// Whether nothing was put aside.
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Puts more values aside; one that others are inside of takes their place.
    pub(super) fn extend(&mut self, more: Secrets) {
        for (pointer, value) in more.0 {
            let inside = format!("{pointer}/");
            self.0.retain(|known, _| !known.starts_with(&inside));
            self.0.insert(pointer, value);
        }
    }

    /// Puts the values back to where they were taken from.
    pub(super) fn put_back(self, body: &mut Constant) {
        for (pointer, value) in self.0 {
            let mut steps = pointer.split('/').skip(1).map(|step| step.replace("~1", "/").replace("~0", "~"));
            let found = steps.try_fold(&mut *body, |at, step| match at {
                Constant::Object(members) => {
                    let is_it = |key: &Constant| matches!(key, Constant::Text(name) if *name == step);
                    members.iter_mut().find(|(key, _)| is_it(key)).map(|(_, value)| value)
                }
                Constant::List(items) => items.get_mut(step.parse::<usize>().ok()?),
                _ => None,
            });
            if let Some(found) = found {
                *found = value;
            }
        }
    }
}

/// What values are sealed for.
fn purpose(id: &str) -> String {
    format!("radius resource {}", id.caseless())
}

fn bytes(hex: &str) -> Option<Vec<u8>> {
    let pairs = hex.as_bytes().chunks(2);
    pairs.map(|pair| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok()).collect()
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The places where values were put aside, step by step; one without further steps is such a place.
#[derive(Default)]
struct SecretPaths(BTreeMap<String, SecretPaths>);

/// Shows null where values were put aside, which is how people see that there is one.
pub(super) fn show_nulls<'p>(body: &mut Constant, pointers: impl Iterator<Item = &'p str>) {
    let mut places = SecretPaths::default();
    for pointer in pointers {
        let steps = pointer.split('/').skip(1).map(|step| step.replace("~1", "/").replace("~0", "~"));
        steps.fold(&mut places, |places, step| places.0.entry(step).or_default());
    }
    places.insert_nulls(body);
}

impl SecretPaths {
    /// Depth is bounded by that of resources.
    fn insert_nulls(mut self, value: &mut Constant) {
        match value {
            Constant::Object(members) => {
                for (key, value) in &mut *members {
                    let Constant::Text(name) = key else { continue };
                    if let Some(places) = self.0.remove(name.as_str()) {
                        places.insert_nulls(value);
                    }
                }
                let missing = self.0.into_iter().filter(|(_, places)| places.0.is_empty());
                members.extend(missing.map(|(name, _)| (Constant::text(&name), Constant::Null)));
            }
            Constant::List(items) => {
                for (index, item) in items.iter_mut().enumerate() {
                    if let Some(places) = self.0.remove(&index.to_string()) {
                        places.insert_nulls(item);
                    }
                }
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nulls_are_shown_where_values_are_missing() {
        let document = document::Document::from_json(
            r#"{"a":{"x/y":{}},"l":[null,{}]}"#,
            document::FileId::FIRST,
            &document::ReadLimits::DEFAULT,
        )
        .unwrap();
        let mut body = Constant::copy(document.root(), 8).unwrap();
        show_nulls(&mut body, ["/a/x~1y/p", "/l/0", "/l/1/q", "/none/r", "/b"].into_iter());
        assert_eq!(body.to_string(), r#"{"a":{"x/y":{"p":null}},"l":[null,{"q":null}],"b":null}"#);
    }
}
