//! Linked templates and parameters: where they come from, and what was read, so that a deployment that is taken up again
//! runs with the same ones.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use smol_str::SmolStr;

/// Answers the text of a linked template, by its address.
pub type LinkReader = dyn Fn(&str) -> Option<Arc<str>> + Send + Sync;

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
}

impl Links {
    /// Templates that somebody hands out; the reader gets absolute addresses, or relative paths where the template
    /// that links has no address.
    pub fn new(read: impl Fn(&str) -> Option<Arc<str>> + Send + Sync + 'static) -> Links {
        Links { reader: Some(Arc::new(read)), read: Arc::default() }
    }

    /// The same, of which some have been read before.
    #[must_use]
    pub fn with(self, known: impl IntoIterator<Item = (SmolStr, Arc<str>)>) -> Links {
        self.texts().all.extend(known);
        self
    }

    /// The texts that were read since the last call, by address.
    pub fn take_fresh(&self) -> Vec<(SmolStr, Arc<str>)> {
        let mut texts = self.texts();
        let fresh = std::mem::take(&mut texts.fresh);
        fresh.into_iter().filter_map(|address| texts.all.get_key_value(&address).map(owned)).collect()
    }

    /// The text at an address, as it was when it was read for the first time. Nothing is kept of what is not there.
    pub fn read(&self, address: &str) -> Option<Arc<str>> {
        if let Some(text) = self.texts().all.get(address) {
            return Some(Arc::clone(text));
        }
        let text = self.reader.as_ref().and_then(|read| read(address))?;
        let mut texts = self.texts();
        texts.fresh.push(address.into());
        texts.all.insert(address.into(), Arc::clone(&text));
        Some(text)
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
        let links = Links::new(|address| (address == "a").then(|| Arc::from("text")));
        let links = links.with([("b".into(), Arc::from("known"))]);
        assert_eq!(links.read("a").as_deref(), Some("text"));
        assert_eq!(links.read("b").as_deref(), Some("known"));
        assert_eq!(links.read("c"), None);
        assert_eq!(links.take_fresh(), [("a".into(), Arc::from("text"))]);
        links.read("a");
        assert_eq!(links.take_fresh(), []);
    }
}
