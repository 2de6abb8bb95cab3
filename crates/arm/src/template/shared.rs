//! Nested templates that were read before: modules are part of many programs, and a text says the same wherever it stands.

use std::collections::{HashMap, VecDeque};
use std::hash::BuildHasher;
use std::sync::{Arc, LazyLock, Mutex, MutexGuard, PoisonError};

use document::{Document, SourceValue};
use hashbrown::DefaultHashBuilder;

use super::{Content, TemplateError, TemplateLimits};

/// How many bytes of documents are kept for what was read from them.
const KEPT: usize = 8 << 20;
/// What is shorter is read again.
const SHORTEST: usize = 256;

/// The content of the template that a value is, from what was read before or by `read`.
pub(super) fn content(
    value: SourceValue<'_>,
    limits: &TemplateLimits,
    read: impl FnOnce() -> Result<Content, Vec<TemplateError>>,
) -> Result<Arc<Content>, Vec<TemplateError>> {
    let text = text(value);
    // What takes all the room would only push out the rest.
    if text.len() < SHORTEST || value.document().text().len() > KEPT / 2 {
        return read().map(Arc::new);
    }
    let hash = hash(text);
    if let Some(content) = known().find(hash, text, limits) {
        return Ok(content);
    }
    let content = Arc::new(read()?);
    known().add(hash, &content);
    Ok(content)
}

fn text(value: SourceValue<'_>) -> &str {
    let place = value.place();
    value.document().text().get(place.start as usize..place.end as usize).unwrap_or_default()
}

/// The seed is another one in each process, so that nobody can choose texts that meet.
fn hash(text: &str) -> u64 {
    static SEED: LazyLock<DefaultHashBuilder> = LazyLock::new(DefaultHashBuilder::default);
    SEED.hash_one(text)
}

fn known() -> MutexGuard<'static, TemplateCache> {
    static KNOWN: LazyLock<Mutex<TemplateCache>> = LazyLock::new(Mutex::default);
    // What a panic in another thread left is whole: an entry is added at once.
    KNOWN.lock().unwrap_or_else(PoisonError::into_inner)
}

/// What was read, by hashes of texts.
#[derive(Default)]
struct TemplateCache {
    contents: HashMap<u64, Arc<Content>>,
    /// The documents that it was read from, the oldest first, with the hashes of its parts.
    documents: VecDeque<(Arc<Document>, Vec<u64>)>,
    bytes: usize,
}

impl TemplateCache {
    fn find(&self, wanted: u64, text: &str, limits: &TemplateLimits) -> Option<Arc<Content>> {
        let content = self.contents.get(&wanted)?;
        let is_it = content.limits == *limits && self::text(content.document.value(content.root)) == text;
        is_it.then(|| Arc::clone(content))
    }

    fn add(&mut self, hash: u64, content: &Arc<Content>) {
        match self.documents.back_mut() {
            Some((document, parts)) if Arc::ptr_eq(document, &content.document) => parts.push(hash),
            _ => {
                self.bytes += content.document.text().len();
                self.documents.push_back((Arc::clone(&content.document), vec![hash]));
            }
        }
        self.contents.insert(hash, Arc::clone(content));
        while self.bytes > KEPT
            && let Some((document, parts)) = self.documents.pop_front()
        {
            self.bytes -= document.text().len();
            for part in parts {
                // Another document may have brought its own since.
                if self.contents.get(&part).is_some_and(|it| Arc::ptr_eq(&it.document, &document)) {
                    self.contents.remove(&part);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::template::Template;

    fn outer(before: &str, inner: &str) -> String {
        format!(
            r#"{{{before}"$schema": "https://schema.management.azure.com/schemas/2019-04-01/deploymentTemplate.json#",
            "contentVersion": "1.0.0.0", "resources": [{{"type": "Microsoft.Resources/deployments", "apiVersion": "2025-04-01",
            "name": "inner", "properties": {{"mode": "Incremental", "expressionEvaluationOptions": {{"scope": "inner"}},
            "template": {inner}}}}}]}}"#
        )
    }

    fn nested(template: &Template) -> Result<Arc<Template>, Arc<Vec<TemplateError>>> {
        template.nested_at(0, template.resources[0].nested.as_ref().unwrap())
    }

    /// A template that no other test has, with something wrong two levels down.
    fn inner(name: &str, innermost: &str) -> String {
        let innermost = outer("", innermost);
        innermost.replacen("\"resources\"", &format!("\"variables\": {{\"{name}\": 1}}, \"resources\""), 1)
    }

    #[test]
    fn the_same_text_in_two_templates_is_read_once() {
        let inner = inner("once", "{}");
        let first = Template::read(outer("", &inner), &TemplateLimits::DEFAULT).unwrap();
        let second = Template::read(outer("\n\n  ", &inner), &TemplateLimits::DEFAULT).unwrap();
        let (first, second) = (nested(&first).unwrap(), nested(&second).unwrap());
        assert!(Arc::ptr_eq(&first.content, &second.content));
        let span = first.variables.get("once").unwrap().name_span;
        let (there, here) = (first.location(span), second.location(span));
        assert_eq!((here.line, here.span.start), (there.line + 2, there.span.start + 4));
        assert_eq!((&here.path, here.column), (&there.path, there.column));
        let whole = second.location_in_document(span);
        assert_eq!(
            (whole.span.start, whole.path),
            (here.span.start, format!("resources[0].properties.template.{}", here.path))
        );
        let other = TemplateLimits { resources: 5, ..TemplateLimits::DEFAULT };
        let third = Template::read(outer("", &self::inner("once", "{}")), &other).unwrap();
        assert!(!Arc::ptr_eq(&first.content, &nested(&third).unwrap().content));
    }

    #[test]
    fn errors_inside_of_a_shared_template_have_their_own_places() {
        let inner = inner("errors", r#"{"wrong": 1}"#);
        let first = Template::read(outer("", &inner), &TemplateLimits::DEFAULT).unwrap();
        let second = Template::read(outer("\n\n  ", &inner), &TemplateLimits::DEFAULT).unwrap();
        let (first, second) = (nested(&first).unwrap(), nested(&second).unwrap());
        assert!(Arc::ptr_eq(&first.content, &second.content));
        let place = |template: &Template| nested(template).unwrap_err()[0].at.clone().unwrap();
        let (there, here) = (place(&first), place(&second));
        assert_eq!((here.line, here.span.start), (there.line + 2, there.span.start + 4));
        assert_eq!(here.path, there.path);
    }

    #[test]
    fn what_is_kept_is_bounded() {
        let mut known = TemplateCache::default();
        let filler = "x".repeat(1 << 20);
        for number in 0..20 {
            let text = format!(
                r#"{{"contentVersion": "1.0.0.0", "resources": [], "metadata": {{"n": "{number}{filler}"}},
                "$schema": "https://schema.management.azure.com/schemas/2019-04-01/deploymentTemplate.json#"}}"#
            );
            let template = Template::read(text, &TemplateLimits::DEFAULT).unwrap();
            known.add(number, &template.content);
            assert!(known.bytes <= KEPT);
        }
        assert_eq!(known.contents.len(), known.documents.len());
        assert!(known.contents.contains_key(&19) && !known.contents.contains_key(&0));
    }
}
