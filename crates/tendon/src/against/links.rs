//! Documents that references of a contract lead to: files below `--link-root`, and the shapes of shapes themselves.

use std::collections::{BTreeSet, VecDeque};

use contract::Node;
use diagnostics::FileId;
use document::{Document, ReadLimits, SourceValue};

use crate::deploy::links::Roots;
use crate::files;

/// How many documents are read for one contract.
const MOST: usize = 1_000;

/// The shape of shapes, as the drafts have it in common.
const METASCHEMA: &str = include_str!("metaschema.json");

/// The addresses of the shape of shapes.
const METASCHEMAS: &[&str] = &[
    "https://json-schema.org/draft/2020-12/schema",
    "https://json-schema.org/draft/2019-09/schema",
    "http://json-schema.org/draft-07/schema",
    "http://json-schema.org/draft-06/schema",
    "http://json-schema.org/draft-04/schema",
];

/// The documents that references in a contract may lead to, each with its address.
pub(super) fn linked(root: SourceValue<'_>, roots: &Roots, limits: &ReadLimits) -> Vec<(String, Document)> {
    let mut found: Vec<(String, Document)> = Vec::new();
    let mut asked: BTreeSet<String> = BTreeSet::new();
    let mut wanted: VecDeque<String> = VecDeque::new();
    addresses(root, "", &mut wanted);
    while let Some(address) = wanted.pop_front() {
        if found.len() >= MOST || !asked.insert(address.clone()) {
            continue;
        }
        let text = match roots.file(&address) {
            Some(path) => read(&path),
            None if METASCHEMAS.contains(&address.as_str()) => Some(METASCHEMA.replace("%ID%", &address)),
            None => None,
        };
        let Some(text) = text else { continue };
        let Ok(document) = Document::from_json(text.as_str(), FileId::NONE, limits) else { continue };
        addresses(document.root(), &address, &mut wanted);
        found.push((address, document));
    }
    found
}

fn read(path: &std::path::Path) -> Option<String> {
    String::from_utf8(files::read(path).ok()?).ok()
}

/// Every address that a document mentions, as it is seen from every name that something in it has.
fn addresses(root: SourceValue<'_>, address: &str, wanted: &mut VecDeque<String>) {
    let (mut bases, mut references) = (BTreeSet::from([address.to_owned()]), BTreeSet::new());
    let mut todo = vec![root];
    while let Some(value) = todo.pop() {
        for (key, inner) in value.members() {
            if let (Some(word), Node::Text(text)) = (key.as_str(), inner.node()) {
                match word {
                    "$id" | "id" => drop(bases.insert(text.to_owned())),
                    "$ref" | "$dynamicRef" | "$recursiveRef" => drop(references.insert(text.to_owned())),
                    _ => {}
                }
            }
            todo.push(inner);
        }
        todo.extend(value.items());
    }
    let known: Vec<String> = bases.iter().map(|base| contract::json::resolve(address, base)).collect();
    bases.extend(
        known
            .iter()
            .flat_map(|outer| {
                bases.iter().map(|inner| contract::json::resolve(outer, inner)).collect::<Vec<_>>()
            })
            .collect::<Vec<_>>(),
    );
    for reference in &references {
        let plain = reference.split('#').next().unwrap_or_default();
        if plain.is_empty() {
            continue;
        }
        for base in &bases {
            let found = contract::json::resolve(base, plain);
            if found.contains(':') {
                wanted.push_back(found);
            }
        }
    }
}
