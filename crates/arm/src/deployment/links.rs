//! Linked templates and parameters: where they come from, and what was read, so that a deployment that is resumed
//! runs with the same ones.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use smol_str::SmolStr;

use crate::hash;
use crate::value::Value;

/// Where a link leads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Address {
    text: SmolStr,
    /// Whether it is made from a secret, such as a token in its query.
    is_secret: bool,
}

impl Address {
    /// An address that anybody may see, or one that nobody may.
    pub fn new(text: impl Into<SmolStr>, is_secret: bool) -> Address {
        Address { text: text.into(), is_secret }
    }

    /// The address itself, for whoever follows it.
    pub fn plain(&self) -> &str {
        &self.text
    }

    /// Whether it is made from a secret.
    pub(super) fn is_secret(&self) -> bool {
        self.is_secret
    }

    /// The address as people may see it.
    pub fn shown(&self) -> &str {
        if self.is_secret { contract::MASK } else { &self.text }
    }

    /// The address as a value of expressions.
    pub(super) fn value(&self) -> Value {
        let value = Value::Text(self.text.clone());
        if self.is_secret { value.secret() } else { value }
    }

    /// What stands for it where it is kept: of a secret one, nothing that leads back to it.
    pub fn key(&self) -> SmolStr {
        match self.is_secret {
            true => format!("secret:{}", hash::guid([self.text.as_str()])).into(),
            false => self.text.clone(),
        }
    }
}

/// Why there is no text at an address: nothing is there, or what is there cannot be read, in words.
pub type Unlinked = Option<String>;

/// Answers the text of a linked template, by its address.
pub type LinkReader = dyn Fn(&Address) -> Result<Arc<str>, Unlinked> + Send + Sync;

/// Where linked templates come from. Each address is read once; clones share what was read.
#[derive(Clone, Default)]
pub struct Links {
    reader: Option<Arc<LinkReader>>,
    read: Arc<Mutex<Texts>>,
}

#[derive(Default)]
struct Texts {
    all: BTreeMap<SmolStr, Arc<str>>,
    /// The addresses that were read since somebody asked.
    fresh: Vec<SmolStr>,
    /// What was set aside, by its name: what tells its text apart.
    aside: BTreeMap<SmolStr, SmolStr>,
    /// What was set aside since somebody asked.
    fresh_aside: Vec<(SmolStr, Arc<str>)>,
}

impl Links {
    /// Templates that somebody hands out; the reader gets absolute addresses, or relative paths where the template
    /// that links has no address.
    pub fn new(read: impl Fn(&Address) -> Option<Arc<str>> + Send + Sync + 'static) -> Links {
        Links::saying_why(move |address| read(address).ok_or(None))
    }

    /// The same from somebody who says why something that is there cannot be read.
    pub fn saying_why(
        read: impl Fn(&Address) -> Result<Arc<str>, Unlinked> + Send + Sync + 'static,
    ) -> Links {
        Links { reader: Some(Arc::new(read)), read: Arc::default() }
    }

    /// The same, of which some have been read before.
    #[must_use]
    pub fn with(self, known: impl IntoIterator<Item = (SmolStr, Arc<str>)>) -> Links {
        self.texts().all.extend(known);
        self
    }

    /// The texts that were read or set aside since the last call, by what stands for their addresses.
    pub fn take_fresh(&self) -> Vec<(SmolStr, Arc<str>)> {
        let mut texts = self.texts();
        let fresh = std::mem::take(&mut texts.fresh);
        let aside = std::mem::take(&mut texts.fresh_aside);
        let read = fresh.into_iter().filter_map(|address| texts.all.get_key_value(&address).map(owned));
        read.chain(aside).collect()
    }

    /// Sets a text aside, once for each name: it is kept like what was read, and no link leads to it. False if another text,
    /// by its digest, has that name.
    pub fn set_aside(&self, name: SmolStr, digest: &str, text: impl FnOnce() -> Arc<str>) -> bool {
        let mut texts = self.texts();
        if let Some(known) = texts.aside.get(&name) {
            return known == digest;
        }
        texts.aside.insert(name.clone(), digest.into());
        texts.fresh_aside.push((name, text()));
        true
    }

    /// The text at an address, as it was when it was read for the first time. Nothing is kept of what is not there.
    pub fn read(&self, address: &Address) -> Option<Arc<str>> {
        self.text(address).ok()
    }

    /// The same, or why there is none.
    pub fn text(&self, address: &Address) -> Result<Arc<str>, Unlinked> {
        let key = address.key();
        if let Some(text) = self.texts().all.get(&key) {
            return Ok(Arc::clone(text));
        }
        let text = self.reader.as_ref().map_or(Err(None), |read| read(address))?;
        let mut texts = self.texts();
        texts.fresh.push(key.clone());
        texts.all.insert(key, Arc::clone(&text));
        Ok(text)
    }

    fn texts(&self) -> std::sync::MutexGuard<'_, Texts> {
        self.read.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn owned((address, text): (&SmolStr, &Arc<str>)) -> (SmolStr, Arc<str>) {
    (address.clone(), Arc::clone(text))
}

impl fmt::Debug for Links {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.reader.is_some() { "Links(..)" } else { "Links" })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_read_once() {
        let links = Links::new(|address| (address.plain() == "a").then(|| Arc::from("text")));
        let links = links.with([("b".into(), Arc::from("known"))]);
        let read = |address: &str| links.read(&Address::new(address, false));
        assert_eq!(read("a").as_deref(), Some("text"));
        assert_eq!(read("b").as_deref(), Some("known"));
        assert_eq!(read("c"), None);
        assert_eq!(links.take_fresh(), [("a".into(), Arc::from("text"))]);
        read("a");
        assert_eq!(links.take_fresh(), []);
    }

    #[test]
    fn what_is_set_aside_is_kept_once_and_not_linked_to() {
        let links = Links::default();
        for _ in 0..2 {
            assert!(links.clone().set_aside("a".into(), "1", || Arc::from("text")));
        }
        assert!(!links.set_aside("a".into(), "2", || Arc::from("other")));
        assert_eq!(links.read(&Address::new("a", false)), None);
        assert_eq!(links.take_fresh(), [("a".into(), Arc::from("text"))]);
        assert_eq!(links.take_fresh(), []);
    }

    #[test]
    fn nothing_that_is_kept_names_a_secret_address() {
        let reader = |address: &Address| (address.plain() == "a?token=hush").then(|| Arc::from("text"));
        let address = Address::new("a?token=hush", true);
        let links = Links::new(reader);
        assert_eq!(links.read(&address).as_deref(), Some("text"));
        let kept = links.take_fresh();
        assert!(kept.iter().all(|(key, _)| !key.contains("hush") && key.starts_with("secret:")), "{kept:?}");
        // Whoever takes the deployment up again has what was kept, and no reader.
        assert_eq!(Links::default().with(kept).read(&address).as_deref(), Some("text"));
        assert!(address.value().is_secret() && !address.shown().contains("hush"));
    }
}
