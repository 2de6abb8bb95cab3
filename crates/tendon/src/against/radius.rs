//! Resource types of Radius as contracts for resources.

use ::radius::registry::CompiledSchema;
use ::radius::{Manifest, ManifestReadOptions, Purpose, contract_of, looks_like_manifest};
use diagnostics::{Diagnostic, Span};

use super::{Against, ContractSource, Loaded, LoadedContract};
use crate::finding;
use crate::manifests::{findings, one_document};

/// Loads a version of a type, if the text is a manifest.
pub(super) fn load(given: &ContractSource<'_>) -> Option<Loaded> {
    let document = one_document(given.input, given.format, given.file).ok()?;
    if !looks_like_manifest(document.root()) {
        return None;
    }
    let read = Manifest::read(&document, ManifestReadOptions::default());
    let Some(manifest) = read.usable() else {
        let errors = findings(&read, given.file).into_iter().filter(Diagnostic::is_error);
        return Some(Err(errors.collect()));
    };
    let (fragment, is_response) = match given.fragment.and_then(|it| it.strip_suffix(":response")) {
        Some(fragment) => (Some(fragment), true),
        None => (given.fragment, false),
    };
    let name = match (fragment.filter(|it| !it.is_empty()), manifest.types.as_slice()) {
        (Some(fragment), _) => fragment,
        (None, [only]) => &only.name,
        (None, _) => "",
    };
    Some(match manifest.find(name) {
        Ok((_, version)) => match contract_of(&version.schema, Purpose::Request) {
            Ok(_) => {
                let compiled = CompiledSchema::new(version.schema.clone());
                if is_response {
                    return Some(Ok(Against::response(compiled)));
                }
                Ok(Against { held: LoadedContract::Resource(Box::new(compiled)) })
            }
            Err(flaws) => Err(flaws.into_iter().map(finding::flaw).collect()),
        },
        Err(_) if name.is_empty() => {
            let message =
                "the manifest has several types, name one after `#`, as in `#Namespace/type@version`";
            Err(vec![unknown(given, message.to_owned())])
        }
        Err(message) => Err(vec![unknown(given, message)]),
    })
}

fn unknown(given: &ContractSource<'_>, message: String) -> Diagnostic {
    Diagnostic::error("contract/unknown-definition", message).at(Span::empty(given.file, 0))
}
