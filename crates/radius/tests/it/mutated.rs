//! Manifests with bytes and words changed at random: no panic, findings inside the text, and what can be used means the same
//! when it is written and read back. The fuzz target `radius_manifest` looks further from the same seeds.

#![expect(clippy::disallowed_methods, reason = "the seeds are files")]

use document::{Document, FileId, ReadLimits};
use radius::{
    Extension, LIMITS, Manifest, ManifestDialect, ManifestReadOptions, Purpose, RuleStage, contract_of,
};

use super::random::Random;

const ROUNDS: usize = 1500;

/// Changes a few parts of a text: a word for another, a byte for another, a part that is lost or doubled.
fn mutated(random: &mut Random, text: &str, words: &[&str]) -> String {
    let mut bytes = text.as_bytes().to_vec();
    for _ in 0..=random.below(2) {
        let at = random.below(bytes.len());
        let to = (at + 1 + random.below(8)).min(bytes.len());
        let new: Vec<u8> = match random.below(4) {
            0 => words.get(random.below(words.len())).unwrap().as_bytes().to_vec(),
            1 => vec![b" :{}[],'\"&*<\n-0a"[random.below(16)]],
            2 => Vec::new(),
            _ => bytes[at..to].repeat(2),
        };
        bytes.splice(at..to, new);
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// Whether the text is a manifest that can be used.
fn check(text: &str) -> bool {
    let limits = ReadLimits { alias_nodes: 10_000, ..LIMITS };
    let Ok(document) = Document::from_yaml(text, FileId::FIRST, &limits) else { return false };
    let read = Manifest::read(&document, ManifestReadOptions::default());
    for finding in &read.findings {
        assert!(finding.place.end as usize <= text.len(), "a place outside of {text}");
        assert!(finding.pointer.is_empty() || finding.pointer.starts_with('/'), "{finding:?}");
    }
    let strict = Manifest::read(
        &document,
        ManifestReadOptions { dialect: ManifestDialect::Radius, gate: RuleStage::Registry },
    );
    assert!(strict.usable().is_none() || read.usable().is_some(), "stricter rules accept {text}");
    let Some(manifest) = read.usable() else { return false };
    for version in manifest.types.iter().flat_map(|it| &it.versions) {
        let written = version.schema.to_json();
        let head = r#"{"namespace":"Ab.Cd","types":{"ef":{"apiVersions":{"2025-01-01":{"schema":"#;
        let again =
            Document::from_json(format!("{head}{written}}}}}}}}}}}"), FileId::FIRST, &limits).unwrap();
        let again = Manifest::read(&again, ManifestReadOptions::default());
        assert!(again.usable().is_some(), "{text}\n{written}\n{:?}", again.findings);
        let (_, kept) = again.usable().unwrap().find("ef").unwrap();
        assert_eq!(kept.schema.to_json(), written);
        for purpose in [Purpose::Request, Purpose::State] {
            let contract = contract_of(&version.schema, purpose).unwrap();
            let other = contract_of(&kept.schema, purpose).unwrap();
            assert_eq!(contract.is_valid(document.root()), other.is_valid(document.root()));
        }
    }
    if let Ok(extension) = Extension::of(std::slice::from_ref(manifest), ManifestDialect::Tendon) {
        bicep_types::read_types("types.json", extension.types.as_bytes()).unwrap();
        bicep_types::read_index("index.json", extension.index.as_bytes()).unwrap();
    }
    true
}

#[test]
fn whatever_is_changed_is_read_or_refused() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../fuzz");
    let words = std::fs::read_to_string(format!("{folder}/dictionaries/radius_manifest.dict")).unwrap();
    let words: Vec<&str> = words.lines().map(|line| line.trim_matches('"')).collect();
    let mut random = Random(0x2545_f491_4f6c_dd1d);
    let mut usable = 0;
    for seed in ["all", "old", "wrong"] {
        let text = std::fs::read_to_string(format!("{folder}/seeds/radius_manifest/{seed}.yaml")).unwrap();
        assert_eq!(check(&text), seed != "wrong", "{seed}");
        for _ in 0..ROUNDS {
            usable += usize::from(check(&mutated(&mut random, &text, &words)));
        }
    }
    assert!(usable > 50, "only {usable} were manifests");
}
