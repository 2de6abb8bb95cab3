//! Runs the documents in `resources/specs`.
//!
//! A case has a whole `manifest.yaml` or `manifest.json`, or one of its parts, around which a manifest is put: `type.yaml` is
//! a type, `schema.yaml` a schema, `property.yaml` the schema of a property. A file `dialect` with the word `radius` asks for the rules of
//! today's Radius, a file `gate` with the word `registry` for those of the registry. Comments assert findings; remarks about
//! descriptions are only looked at where a file `remarks` is there. The outputs are
//!
//! - `findings`: a line each with its place and pointer, and one for the hint;
//! - `schema`: the schema of the first version as it is kept;
//! - `declared`: what the manifest declares, a line for each version;
//! - `index` and `types`: the two files of the Bicep extension, or why there is none;
//! - `violations`: what is wrong with `value.json`, as the properties of a request;
//! - `state`: the same as the properties of a resource that a server has.

#![expect(clippy::unwrap_used, reason = "a case without what it needs may fail")]

use contract::{Contract, Definitions};
use document::{Document, FileId, ReadLimits};
use radius::rule::ManifestExample;
use radius::{
    Extension, Manifest, ManifestDialect, ManifestReadOptions, ManifestResult, Purpose, RuleStage,
    properties_shape,
};
use spec_test::{Case, CaseDiagnostic, CaseOutput, Severity};

fn main() -> std::process::ExitCode {
    spec_test::main("resources/specs", run)
}

/// A part of a manifest that is in a file of its own.
struct Part {
    file: &'static str,
    around: fn(&'static str) -> ManifestExample,
    /// How many lines stand before it, and how far it is indented.
    lines: usize,
    indent: usize,
}

const PARTS: [Part; 5] = [
    Part { file: "manifest.yaml", around: ManifestExample::Manifest, lines: 0, indent: 0 },
    Part { file: "manifest.json", around: ManifestExample::Manifest, lines: 0, indent: 0 },
    Part { file: "type.yaml", around: ManifestExample::Type, lines: 3, indent: 4 },
    Part { file: "schema.yaml", around: ManifestExample::Schema, lines: 6, indent: 10 },
    Part { file: "property.yaml", around: ManifestExample::Property, lines: 9, indent: 14 },
];

fn run(case: &Case) -> CaseOutput {
    // The innermost file wins: a section may replace a schema by a whole manifest.
    let mut given = PARTS.iter().filter_map(|part| Some((part, case.file(part.file)?)));
    let Some((part, file)) = given.next_back() else {
        return CaseOutput::error("no manifest, and no part of one");
    };
    let text = (part.around)(String::leak(file.text.clone())).manifest();
    let limits = ReadLimits { bytes: 1 << 20, ..radius::LIMITS };
    let read = match part.file.strip_suffix(".json") {
        Some(_) => Document::from_json(&text, FileId::FIRST, &limits),
        None => Document::from_yaml(&text, FileId::FIRST, &limits),
    };
    let says = |name: &str, word: &str| case.file(name).is_some_and(|file| file.text.trim() == word);
    let options = ManifestReadOptions {
        dialect: if says("dialect", "radius") { ManifestDialect::Radius } else { ManifestDialect::Tendon },
        gate: if says("gate", "registry") { RuleStage::Registry } else { RuleStage::Author },
    };
    let document = match read {
        Ok(document) => document,
        Err(error) => {
            let hint = error.hint.as_ref().map(|hint| format!("\n  {hint}")).unwrap_or_default();
            return CaseOutput::new()
                .output("findings", format!("{}:{}: {error}{hint}\n", error.line, error.column));
        }
    };
    let mut read = Manifest::read(&document, options);
    if case.file("remarks").is_none() {
        read.findings.retain(|finding| finding.rule.code != "radius/description");
    }
    let diagnostics: Vec<CaseDiagnostic> = read
        .findings
        .iter()
        .map(|finding| {
            let (line, column) = document.position(finding.place.start);
            CaseDiagnostic {
                file: part.file.to_owned(),
                line: (line as usize).saturating_sub(part.lines).max(1),
                column: Some((column as usize).saturating_sub(part.indent).max(1)),
                severity: match finding.severity {
                    diagnostics::Severity::Error => Severity::Error,
                    diagnostics::Severity::Warning => Severity::Warning,
                    diagnostics::Severity::Info => Severity::Info,
                },
                code: finding.rule.code.to_owned(),
                message: finding.message.clone(),
            }
        })
        .collect();
    let mut outcome =
        CaseOutput::new().output("findings", findings(&document, &read)).diagnostics(diagnostics);
    let Some(manifest) = &read.manifest else { return outcome };
    outcome = outcome.output("declared", declared(manifest));
    outcome = match Extension::of(std::slice::from_ref(manifest), options.dialect) {
        Ok(extension) => outcome.output("index", extension.index).output("types", brief(&extension.types)),
        Err(why) => outcome.output("index", why),
    };
    let Some(version) = manifest.types.first().and_then(|it| it.versions.first()) else { return outcome };
    outcome = outcome.output("schema", version.schema.to_json());
    let Some(value) = case.file("value.json") else { return outcome };
    let value = Document::from_json(&value.text, FileId(1), &ReadLimits::default()).unwrap();
    for (name, purpose) in [("violations", Purpose::Request), ("state", Purpose::State)] {
        let shape = properties_shape(&version.schema, purpose);
        let contract = match Contract::compile(&shape, &Definitions::new()) {
            Ok(contract) => contract,
            Err(flaws) => return CaseOutput::error(format!("{name}: {flaws:?}")),
        };
        let lines = contract.violations(value.root()).iter().map(|it| format!("{it}\n")).collect::<String>();
        outcome = outcome.output(name, lines);
    }
    outcome
}

/// A line for each type.
fn brief(types: &str) -> String {
    let document = Document::from_json(types, FileId::FIRST, &ReadLimits::default()).unwrap();
    let lines = document.root().items().enumerate().map(|(at, it)| format!("{at} {it}\n"));
    lines.collect()
}

fn findings(document: &Document, read: &ManifestResult) -> String {
    let lines = read.findings.iter().map(|it| {
        let (line, column) = document.position(it.place.start);
        let hint = it.hint.as_ref().map(|hint| format!("  {hint}\n")).unwrap_or_default();
        format!(
            "{line}:{column}: {} [{}] {}\n  {}\n{hint}",
            it.severity, it.rule.code, it.message, it.pointer
        )
    });
    lines.collect()
}

fn declared(manifest: &Manifest) -> String {
    let mut out = String::new();
    if let Some(location) = &manifest.location {
        out += &format!("at {} ({})\n", location.name, location.address);
    }
    for it in &manifest.types {
        let capabilities: String = it.capabilities.iter().map(|name| format!(" +{name}")).collect();
        for version in &it.versions {
            out += &format!("{}@{}{capabilities}\n", manifest.full_name(it), version.name);
        }
    }
    out
}
