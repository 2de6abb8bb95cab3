//! Manifests of resource types, from files to what they declare and to diagnostics.

use std::collections::HashMap;
use std::ffi::{OsStr, OsString};

use clap::ValueEnum;
use contract::Node;
use diagnostics::{Diagnostic, FileId, SourceMap, Span};
use document::Document;
use radius::{LIMITS, Manifest, ManifestDiagnostic, ManifestReadOptions, ManifestResult, RuleStage, rule};

use crate::exit::CommandError;
use crate::input::{self, Format, Input, Unread};

/// Which manifests are read, and how.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct ManifestOptions {
    /// Manifests of resource types, `.yaml`, `.yml` or `.json`; `-` is standard input
    #[arg(short = 'f', long = "from-file", required = true, value_name = "FILE")]
    files: Vec<OsString>,

    #[command(flatten)]
    dialect: DialectOptions,
}

/// How manifests are read.
#[derive(Clone, Copy, Debug, clap::Args)]
pub(crate) struct DialectOptions {
    /// The rules for resource types; `radius` also rejects what today's Radius rejects
    #[arg(long, value_enum, value_name = "DIALECT", default_value_t)]
    dialect: DialectOption,
}

impl DialectOptions {
    fn dialect(self) -> radius::ManifestDialect {
        match self.dialect {
            DialectOption::Tendon => radius::ManifestDialect::Tendon,
            DialectOption::Radius => radius::ManifestDialect::Radius,
        }
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum DialectOption {
    // Every spelling that resource types are written in.
    #[default]
    Tendon,
    // Only what today's Radius takes.
    Radius,
}

/// What was read from files.
#[derive(Default)]
pub(crate) struct Manifests {
    /// Those that can be used, as documents.
    pub(crate) documents: Vec<Document>,
    /// What these declare, in the same order.
    pub(crate) manifests: Vec<Manifest>,
    /// What there is to say about them, in order.
    pub(crate) findings: Vec<Diagnostic>,
}

impl ManifestOptions {
    /// The options of another command.
    pub(crate) fn new(files: Vec<OsString>, dialect: DialectOptions) -> ManifestOptions {
        ManifestOptions { files, dialect }
    }

    pub(crate) fn dialect(&self) -> radius::ManifestDialect {
        self.dialect.dialect()
    }

    /// Reads all files; their texts become files of the sources.
    pub(crate) fn read(&self, gate: RuleStage, sources: &mut SourceMap) -> Result<Manifests, CommandError> {
        let mut all = Manifests::default();
        let mut declared = HashMap::new();
        for path in &self.files {
            let file = input::next_id(sources);
            let input = match input::read(path, &LIMITS) {
                Ok(input) => input,
                Err(Unread::Failed(failure)) => return Err(failure),
                Err(Unread::TooLarge(finding)) => {
                    sources.add(input::display_name(path), "");
                    sources.withhold(file);
                    all.findings.push(finding.at(Span::empty(file, 0)));
                    continue;
                }
            };
            all.add(input, path, self.dialect, gate, sources, &mut declared);
        }
        Ok(all)
    }
}

impl Manifests {
    /// Adds a file; its text becomes the next file of the sources. `declared` has the types of the files before it.
    pub(crate) fn add(
        &mut self,
        input: Input,
        path: &OsStr,
        dialect: DialectOptions,
        gate: RuleStage,
        sources: &mut SourceMap,
        declared: &mut HashMap<String, FileId>,
    ) {
        let file = input::next_id(sources);
        let options = ManifestReadOptions { dialect: dialect.dialect(), gate };
        let mut secrets = Vec::new();
        match one_document(&input, Format::of_name(path), file) {
            Ok(document) => {
                secrets = radius::secret_places(document.root());
                let read = Manifest::read(&document, options);
                self.findings.extend(findings(&read, file));
                if let Some(manifest) = read.usable() {
                    self.findings.extend(declared_twice(manifest, file, declared));
                    self.manifests.extend(read.manifest);
                    self.documents.push(document);
                }
            }
            Err(finding) => self.findings.push(*finding),
        }
        sources.add(input.name.clone(), input.into_text());
        sources.hide(secrets);
    }
}

/// The one document of a text.
pub(crate) fn one_document(
    input: &Input,
    format: Option<Format>,
    file: FileId,
) -> Result<Document, Box<Diagnostic>> {
    let mut documents = input.documents(format, file, &LIMITS, None)?.into_iter();
    match (documents.next(), documents.next()) {
        (Some(document), None) => Ok(document),
        (_, second) => {
            let place = second.map_or(Span::empty(file, 0), |document| document.root().place());
            let message = "a manifest is one document, and another begins here";
            let finding = Diagnostic::error("yaml/syntax", message)
                .at(Span::empty(file, place.start))
                .help("write it to a file of its own");
            Err(Box::new(finding))
        }
    }
}

/// Where a manifest or a contract writes values that are secrets: defaults and the like, which no line that is shown may repeat.
pub(crate) fn secret_constants(document: &Document) -> Vec<Span> {
    let mut places = Vec::new();
    let mut open = vec![document.root()];
    while let Some(value) = open.pop() {
        let is_marked = |mark: &str| value.member(mark).is_some_and(|it| it.node() == Node::Bool(true));
        let is_sensitive = is_marked("x-radius-sensitive") || is_marked("secret");
        for (key, member) in value.members() {
            let is_value =
                matches!(key.as_str(), Some("default" | "enum" | "example" | "examples" | "const"));
            if is_sensitive && is_value {
                places.push(member.place());
            } else {
                open.push(member);
            }
        }
        open.extend(value.items());
    }
    places
}

/// Findings as diagnostics, with the pointer at the mark.
pub(crate) fn findings(read: &ManifestResult, file: FileId) -> Vec<Diagnostic> {
    let mut diagnostics: Vec<Diagnostic> = read.findings.iter().map(diagnostic).collect();
    if read.more > 0 {
        let message = format!("{} more findings are not shown", read.more);
        diagnostics.push(Diagnostic::warning(rule::LIMIT.code, message).at(Span::empty(file, 0)));
    }
    diagnostics
}

fn diagnostic(finding: &ManifestDiagnostic) -> Diagnostic {
    let pointer = if finding.pointer.is_empty() { "the whole manifest" } else { &finding.pointer };
    Diagnostic::new(finding.severity, finding.rule.code, finding.message.clone())
        .at(finding.place)
        .pointer(finding.pointer.clone())
        .label(finding.place, pointer.to_owned())
        .maybe_help(finding.hint.clone())
}

/// Types that another file declares, too.
fn declared_twice(
    manifest: &Manifest,
    file: FileId,
    declared: &mut HashMap<String, FileId>,
) -> Vec<Diagnostic> {
    let mut twice = Vec::new();
    for it in &manifest.types {
        let name = manifest.full_name(it);
        match declared.insert(name.to_ascii_lowercase(), file) {
            Some(first) if first != file => {
                let message = format!("`{name}` is declared in another file, too");
                twice.push(Diagnostic::error(rule::TYPE_TWICE.code, message).at(it.place));
            }
            Some(_) | None => {}
        }
    }
    twice
}
