//! What is linted beside Bicep: Thrift files, manifests of resource types, templates, parameters and contracts.

use std::collections::HashMap;
use std::sync::Arc;

use arm::binding::Inputs;
use arm::template::{Template, TemplateLimits};
use contract::{Contract, Plain};
use diagnostics::{Diagnostic, FileId, Severity, SourceMap, Span};
use document::findings::without_words;
use document::{Document, ReadLimits};
use radius::{RuleStage, looks_like_manifest};

use crate::against::{is_template, template_error};
use crate::compile::{LanguageFindings, LintLanguage, SelectedFile};
use crate::exit::CommandError;
use crate::finding;
use crate::input::{self, Format, Input, Unread};
use crate::manifests::{self, DialectOptions, Manifests};
use crate::thrift_functions::FunctionOptions;
use crate::thrift_idl::{IdlOptions, ThriftLinter};

/// How languages other than Bicep are linted.
#[derive(Debug, clap::Args)]
pub(crate) struct LanguageOptions {
    /// Also report hints: what Thrift compilers disagree about, and what resource types lack
    #[arg(long)]
    pub(crate) hints: bool,

    #[command(flatten)]
    dialect: DialectOptions,
    #[command(flatten)]
    functions: FunctionOptions,
    #[command(flatten)]
    idl: IdlOptions,
}

/// What a file of data is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum DataKind {
    Template,
    Parameters,
    Manifest,
    Contract,
}

/// Lints files other than Bicep's; their texts become files of the sources.
pub(crate) fn lint(
    files: &[SelectedFile],
    options: &LanguageOptions,
    sources: &mut SourceMap,
) -> Result<LanguageFindings, CommandError> {
    let mut found = LanguageFindings::default();
    let is_thrift =
        |it: &&SelectedFile| LintLanguage::of_name(it.path.as_os_str()) == Some(LintLanguage::Thrift);
    if files.iter().any(|it| is_thrift(&it)) {
        let mut linter = ThriftLinter::new(&options.functions, &options.idl);
        for it in files.iter().filter(is_thrift) {
            let failure = linter.add(&it.path.to_string_lossy(), sources).err();
            found.files.push((it.path.clone(), failure));
        }
        found.findings.extend(linter.findings(sources));
    }
    let mut data = DataLinter { options, declared: HashMap::new() };
    for it in files.iter().filter(|it| !is_thrift(it)) {
        match data.lint(it, sources) {
            Ok(None) => {}
            Ok(Some(more)) => {
                found.findings.extend(more);
                found.files.push((it.path.clone(), None));
            }
            Err(failure @ CommandError::Usage(_)) => return Err(failure),
            Err(failure) => found.files.push((it.path.clone(), Some(failure))),
        }
    }
    if !options.hints {
        found.findings.retain(|finding| finding.severity != Severity::Info);
    }
    Ok(found)
}

struct DataLinter<'o> {
    options: &'o LanguageOptions,
    /// The resource types that manifests declare, and where.
    declared: HashMap<String, FileId>,
}

impl DataLinter<'_> {
    /// What is wrong with a file; none if it is nothing that can be linted.
    fn lint(
        &mut self,
        it: &SelectedFile,
        sources: &mut SourceMap,
    ) -> Result<Option<Vec<Diagnostic>>, CommandError> {
        let (name, limits) = (it.path.as_os_str(), ReadLimits::default());
        let file = input::next_id(sources);
        let input = match input::read(name, &limits) {
            Ok(input) => input,
            Err(Unread::Failed(failure)) => return Err(failure),
            Err(Unread::TooLarge(_)) if !it.is_named => return Ok(None),
            Err(Unread::TooLarge(finding)) => {
                sources.add(input::display_name(name), "");
                sources.withhold(file);
                return Ok(Some(vec![finding.at(Span::empty(file, 0))]));
            }
        };
        let format = Format::of_name(name);
        let documents = input.documents(format, file, &limits, None);
        let read = documents.as_ref().map(Vec::as_slice).map_err(|finding| &**finding);
        let Some(kind) = kind_of(it, &input, read) else {
            return match (it.is_named, documents) {
                (false, _) => Ok(None),
                (true, Err(finding)) => {
                    sources.add(input::display_name(name), "");
                    sources.withhold(file);
                    Ok(Some(vec![without_words(*finding)]))
                }
                (true, Ok(_)) => Err(CommandError::Usage(format!(
                    "`{0}` cannot be linted: it is neither a template, nor a parameters file, nor a manifest of resource types, nor a contract; \
                     `tendon check {0} --against CONTRACT` checks values",
                    input::display_name(name)
                ))),
            };
        };
        if kind == DataKind::Manifest {
            let mut all = Manifests::default();
            all.add(input, name, self.options.dialect, RuleStage::Author, sources, &mut self.declared);
            return Ok(Some(all.findings));
        }
        let findings = match (kind, documents) {
            (DataKind::Template, _) => {
                let text = input.text().unwrap_or_default();
                let read = Template::read_file(text, file, &TemplateLimits::DEFAULT);
                read.err().unwrap_or_default().iter().map(template_error).collect()
            }
            (_, Err(finding)) => vec![*finding],
            (DataKind::Parameters, Ok(documents)) => documents.into_iter().flat_map(parameters).collect(),
            (_, Ok(documents)) => {
                let hidden: Vec<Span> = documents.iter().flat_map(manifests::secret_constants).collect();
                let findings = documents.iter().flat_map(contract).collect();
                sources.add(input.name.clone(), input.into_text());
                sources.hide(hidden);
                return Ok(Some(findings));
            }
        };
        // Which lines hold secrets, a text that is not right does not tell.
        let may_hold_secrets = kind != DataKind::Template
            || input.text().is_none_or(|text| text.to_ascii_lowercase().contains("secure"));
        sources.add(input.name.clone(), input.into_text());
        if may_hold_secrets {
            sources.withhold(file);
        }
        Ok(Some(findings))
    }
}

/// Whether a file of JSON or YAML that a folder has is one that people write for this program: a parameters file, a
/// manifest, a contract, or a template that no compiler made.
pub(crate) fn is_written_by_people(it: &SelectedFile) -> bool {
    let (name, limits) = (it.path.as_os_str(), ReadLimits::default());
    let Ok(input) = input::read(name, &limits) else { return false };
    let documents = input.documents(Format::of_name(name), FileId::FIRST, &limits, None);
    let read = documents.as_ref().map(Vec::as_slice).map_err(|finding| &**finding);
    let Some(kind) = kind_of(it, &input, read) else { return false };
    let first = documents.as_ref().ok().and_then(|documents| documents.first());
    let metadata = first.and_then(|document| document.root().member("metadata"));
    kind != DataKind::Template || metadata.and_then(|it| it.member("_generator")).is_none()
}

/// What a file is, by its content, and by its name where that says it.
fn kind_of(
    it: &SelectedFile,
    input: &Input,
    documents: Result<&[Document], &Diagnostic>,
) -> Option<DataKind> {
    if is_template(input, documents) {
        return Some(DataKind::Template);
    }
    let name = it.path.file_name()?.to_string_lossy().to_ascii_lowercase();
    let is_contract_file = name.contains(".contract.");
    let Ok(documents) = documents else { return is_contract_file.then_some(DataKind::Contract) };
    let root = documents.first()?.root();
    let schema = root.member("$schema").and_then(document::SourceValue::as_str).map(str::to_ascii_lowercase);
    if schema.is_some_and(|schema| schema.contains("deploymentparameters.json")) {
        return Some(DataKind::Parameters);
    }
    if looks_like_manifest(root) {
        return Some(DataKind::Manifest);
    }
    // Words of contracts are words of many files, so that those of a folder have to say what they are.
    const WORDS: [&str; 8] =
        ["$defs", "definitions", "properties", "type", "$ref", "items", "oneOf", "anyOf"];
    let reads_like_one = it.is_named && WORDS.iter().any(|word| root.member(word).is_some());
    (is_contract_file || reads_like_one).then_some(DataKind::Contract)
}

fn parameters(document: Document) -> Vec<Diagnostic> {
    let document = Arc::new(document);
    let root = document.root().id();
    let read = Inputs::from_handwritten(document, root);
    read.err().unwrap_or_default().iter().map(template_error).collect()
}

fn contract(document: &Document) -> Vec<Diagnostic> {
    let flaws = Contract::from_json(document.root(), &Plain).err().unwrap_or_default();
    flaws.into_iter().map(finding::flaw).collect()
}
