//! The tokens that an editor was told last, so that it can be told what changed since.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

/// Of how many documents tokens are remembered. An editor that asks about another one is told all of them.
const DOCUMENTS: usize = 16;

/// The tokens that were told last of each document, by its address, each time under another number.
#[derive(Default)]
pub(crate) struct ToldTokens(Mutex<SemanticTokenCache>);

#[derive(Default)]
struct SemanticTokenCache {
    last: u64,
    by_document: BTreeMap<String, (u64, Arc<[u32]>)>,
}

impl ToldTokens {
    /// Remembers what is told of a document now, and says its number, and what was told before under a number, if that is known.
    pub(crate) fn put(
        &self,
        uri: &str,
        tokens: &Arc<[u32]>,
        before: Option<u64>,
    ) -> (u64, Option<Arc<[u32]>>) {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        kept.last += 1;
        let number = kept.last;
        let old = kept.by_document.insert(uri.to_owned(), (number, Arc::clone(tokens)));
        if kept.by_document.len() > DOCUMENTS {
            let oldest = kept.by_document.iter().min_by_key(|(_, (number, _))| *number);
            if let Some(oldest) = oldest.map(|(uri, _)| uri.clone()) {
                kept.by_document.remove(&oldest);
            }
        }
        (number, old.filter(|(number, _)| Some(*number) == before).map(|(_, tokens)| tokens))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_last_tokens_of_a_document_are_known() {
        let told = ToldTokens::default();
        let (a, b): (Arc<[u32]>, Arc<[u32]>) = ([1].into(), [2].into());
        let (first, before) = told.put("a", &a, None);
        assert_eq!(before, None);
        let (second, before) = told.put("a", &b, Some(first));
        assert_eq!(before, Some(a));
        assert_eq!(told.put("a", &b, Some(first)).1, None);
        assert_eq!(told.put("b", &b, Some(second)).1, None);
    }

    #[test]
    fn what_was_told_long_ago_is_forgotten() {
        let told = ToldTokens::default();
        let tokens: Arc<[u32]> = [].into();
        let (first, _) = told.put("first", &tokens, None);
        for other in 0..DOCUMENTS {
            told.put(&other.to_string(), &tokens, None);
        }
        assert_eq!(told.0.lock().unwrap().by_document.len(), DOCUMENTS);
        assert_eq!(told.put("first", &tokens, Some(first)).1, None);
    }
}
