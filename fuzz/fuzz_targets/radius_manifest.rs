//! Any bytes are read as a manifest or refused with a place; what can be used is written, read back and lowered with the same
//! meaning, and becomes a Bicep extension that can be read.

#![no_main]

use document::{Document, FileId, ReadLimits};
use libfuzzer_sys::fuzz_target;
use radius::{Extension, Manifest, ManifestDialect, ManifestReadOptions, Purpose, RuleStage, contract_of};

fuzz_target!(|bytes: &[u8]| {
    let limits = ReadLimits { bytes: 1 << 20, alias_nodes: 10_000, ..radius::LIMITS };
    let Ok(document) = Document::from_yaml(bytes, FileId::FIRST, &limits) else { return };
    let read = Manifest::read(&document, ManifestReadOptions::default());
    for finding in &read.findings {
        assert!(finding.place.end as usize <= bytes.len(), "a place outside the text");
        assert!(finding.pointer.is_empty() || finding.pointer.starts_with('/'));
    }
    let strict = Manifest::read(
        &document,
        ManifestReadOptions { dialect: ManifestDialect::Radius, gate: RuleStage::Registry },
    );
    assert!(strict.usable().is_none() || read.usable().is_some(), "stricter rules accept more");
    let Some(manifest) = read.usable() else { return };
    for version in manifest.types.iter().flat_map(|it| &it.versions) {
        let written = version.schema.to_json();
        let text = format!(
            "{{\"namespace\":\"Ab.Cd\",\"types\":{{\"ef\":{{\"apiVersions\":{{\"2025-01-01\":{{\"schema\":{written}}}}}}}}}}}"
        );
        let again = Document::from_json(text, FileId::FIRST, &limits).expect("a schema is JSON");
        let again = Manifest::read(&again, ManifestReadOptions::default());
        let kept = again
            .usable()
            .expect("a schema that is kept keeps the rules")
            .find("ef")
            .expect("it has one version")
            .1;
        assert_eq!(kept.schema.to_json(), written, "writing twice says two things");
        for purpose in [Purpose::Request, Purpose::State] {
            let contract =
                contract_of(&version.schema, purpose).expect("a schema without errors is a contract");
            let other = contract_of(&kept.schema, purpose).expect("and so is what is kept of it");
            // The document itself is as good a value as any.
            assert_eq!(contract.is_valid(document.root()), other.is_valid(document.root()));
        }
    }
    if let Ok(extension) = Extension::of(std::slice::from_ref(manifest), ManifestDialect::Tendon) {
        bicep_types::read_types("types.json", extension.types.as_bytes()).expect("types can be read");
        bicep_types::read_index("index.json", extension.index.as_bytes()).expect("an index can be read");
    }
});
