//! Encoded Thrift messages, held against the rules of their type on their bytes.

use contract::Path;
use diagnostics::{Diagnostic, SourceMap};
use serde::Serialize;
use thrift::idl::Strict;
use thrift::model::{
    Config, ImplicitIds, LoadConfig, Loader, Model, SearchOrder, ServiceId, Struct, StructId, load, resolve,
};
use thrift::rules::{Functions, RuleConfig};
use thrift::validate::{Rejection, ValidateConfig, Validator, Want};
use thrift::wire::Protocol;

use crate::Project;
use crate::checked_contract::{NamedViolation, split};
use crate::diagnostic::{PlacedDiagnostic, TextPlace};
use crate::project::path_of;

/// How a message is encoded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MessageProtocol {
    /// The binary protocol, strict or not.
    Binary,
    /// The compact protocol, with variable-length integers.
    Compact,
    /// The JSON protocol of Apache Thrift.
    Json,
}

impl MessageProtocol {
    /// The protocol of a name: `binary`, `compact` or `json`.
    pub fn named(name: &str) -> Option<MessageProtocol> {
        match name {
            "binary" => Some(MessageProtocol::Binary),
            "compact" => Some(MessageProtocol::Compact),
            "json" => Some(MessageProtocol::Json),
            _ => None,
        }
    }
}

/// What is to be said about a message.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct MessageResult {
    /// Whether it is well-formed and keeps every rule.
    pub valid: bool,
    /// Why it cannot be read, if it cannot.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// The rules that it breaks.
    pub violations: Vec<NamedViolation>,
}

/// The rules of one type of a Thrift file, ready for messages.
pub struct MessageContract {
    validator: Validator,
    functions: Functions,
    id: StructId,
    name: String,
    sources: SourceMap,
    columns: diagnostics::Columns,
}

/// A Thrift file with everything that it includes.
pub(crate) struct LoadedIdl {
    pub(crate) model: Model,
    pub(crate) sources: SourceMap,
    pub(crate) found: Vec<Diagnostic>,
}

impl LoadedIdl {
    /// A struct by its name, or the arguments of a function; without a name the only one there is.
    pub(crate) fn find(&self, name: Option<&str>) -> Result<StructId, String> {
        let ids = || self.model.structs.iter().zip((0u32..).map(StructId));
        let declared = |it: &Struct| it.role.is_declared() && it.file == diagnostics::FileId(0);
        let Some(name) = name else {
            let mut own = ids().filter(|(it, _)| declared(it));
            return match (own.next(), own.next()) {
                (Some((_, id)), None) => Ok(id),
                (None, _) => Err("the file declares no struct, union or exception".to_owned()),
                (Some((it, _)), Some(_)) => Err(format!(
                    "the file declares several types; name one of them, as in `#{}`",
                    it.name.text
                )),
            };
        };
        let (service, last) = name.rsplit_once('.').map_or((None, name), |(it, last)| (Some(it), last));
        let (function, is_result) = match (service, last) {
            (Some(before), "result") => (before, true),
            _ => (name, false),
        };
        let (service, function) =
            function.rsplit_once('.').map_or((None, function), |(it, last)| (Some(it), last));
        let declared = ids().find(|(it, _)| it.role.is_declared() && it.name.text == last).map(|(_, id)| id);
        let services = || self.model.services.iter().zip((0u32..).map(ServiceId));
        let mut fitting = services().filter(|(it, _)| service.is_none_or(|service| it.name.text == service));
        let called = fitting.find_map(|(_, id)| self.model.functions(id).find(|it| it.name.text == function));
        let called = called.and_then(|it| if is_result { it.result } else { Some(it.arguments) });
        declared.filter(|_| !is_result).or(called).ok_or_else(|| {
            let structs =
                self.model.structs.iter().filter(|it| it.role.is_declared()).map(|it| &it.name.text);
            let near = diagnostics::suggest(last, structs.map(String::as_str));
            match near {
                Some(near) => format!("there is no type `{name}`; did you mean `{near}`?"),
                None => format!("there is no type `{name}`"),
            }
        })
    }
}

/// Files of a project.
struct ProjectLoader<'p>(&'p Project);

impl Loader for ProjectLoader<'_> {
    fn read(&mut self, path: &str) -> Result<Option<String>, String> {
        match self.0.text(&path_of(path)) {
            Ok(text) => Ok(Some(text.to_string())),
            Err(found) if found.iter().any(|it| it.code == "input/missing") => Ok(None),
            Err(found) => Err(found.into_iter().map(|it| it.message).collect::<Vec<_>>().join("; ")),
        }
    }
}

impl Project {
    /// A Thrift file and what it includes, with what is wrong with them.
    pub(crate) fn idl(&self, file: &str) -> Result<LoadedIdl, Vec<PlacedDiagnostic>> {
        let config = LoadConfig { order: SearchOrder::Apache, strict: Strict::None, ..LoadConfig::default() };
        let path = path_of(file);
        self.bytes(&path)?;
        let (program, mut found) = load(path.as_str(), &mut ProjectLoader(self), &config)
            .map_err(|message| vec![PlacedDiagnostic::plain("input/missing", message)])?;
        let (model, more) =
            resolve(&program, &Config { strict: Strict::None, implicit_ids: ImplicitIds::Error });
        found.extend(more);
        let mut sources = SourceMap::new();
        for file in &program.files {
            sources.add(self.shown(&bicep::FilePath::new(&file.path)), file.text.as_str());
        }
        Ok(LoadedIdl { model, sources, found })
    }

    /// Everything that is to be said about a Thrift file and what it includes.
    pub fn lint_thrift(&self, file: &str) -> Vec<PlacedDiagnostic> {
        let mut idl = match self.idl(file) {
            Ok(idl) => idl,
            Err(found) => return found,
        };
        let functions = Functions::default();
        let (lowered, more) = thrift::rules::lower(&idl.model, &RuleConfig::default(), &functions);
        idl.found.extend(more);
        if !idl.found.iter().any(Diagnostic::is_error) {
            idl.found.extend(lowered.findings(&functions));
        }
        diagnostics::sort(&mut idl.found);
        idl.found.iter().map(|it| PlacedDiagnostic::of(it, &idl.sources, self.columns())).collect()
    }

    /// The rules for messages of `FILE.thrift#TYPE`; `#FUNCTION` and `#SERVICE.FUNCTION` mean arguments, with `.result` behind them what
    /// is answered. `now` is what `@now` gives, in nanoseconds since 1970.
    pub fn messages(&self, reference: &str, now: i64) -> Result<MessageContract, Vec<PlacedDiagnostic>> {
        let (file, fragment) = split(reference);
        let mut idl = self.idl(file)?;
        let functions = Functions::at(now);
        let (validator, more) =
            Validator::new(&idl.model, &RuleConfig::default(), ValidateConfig::default(), &functions);
        idl.found.extend(more);
        let errors: Vec<PlacedDiagnostic> = idl
            .found
            .iter()
            .filter(|it| it.is_error())
            .map(|it| PlacedDiagnostic::of(it, &idl.sources, self.columns()))
            .collect();
        let (Some(validator), true) = (validator, errors.is_empty()) else { return Err(errors) };
        let id = idl
            .find(fragment)
            .map_err(|message| vec![PlacedDiagnostic::plain("contract/unknown-definition", message)])?;
        let name = idl.model.structs.get(id.0 as usize).map(|it| it.name.text.clone()).unwrap_or_default();
        Ok(MessageContract { validator, functions, id, name, sources: idl.sources, columns: self.columns() })
    }
}

impl MessageContract {
    /// Validates one struct, bare, that the bytes hold and nothing else.
    pub fn validate(&self, message: &[u8], protocol: MessageProtocol) -> MessageResult {
        let protocol = match protocol {
            MessageProtocol::Binary => Protocol::Binary,
            MessageProtocol::Compact => Protocol::Compact,
            MessageProtocol::Json => Protocol::Json,
        };
        let failed =
            |error: String| MessageResult { valid: false, error: Some(error), violations: Vec::new() };
        let broken = |violations| MessageResult { valid: false, error: None, violations };
        let stated = |path: &Path, rule: &str, message: String| NamedViolation {
            path: path.dotted(&self.name),
            pointer: path.pointer(),
            rule: rule.to_owned(),
            message,
            found: None,
            hint: None,
            written: None,
        };
        match self.validator.validate(self.id, protocol, message, &self.functions, Want::All) {
            Ok(read) if read == message.len() => {
                MessageResult { valid: true, error: None, violations: Vec::new() }
            }
            Ok(read) => {
                let left = message.len().saturating_sub(read);
                failed(format!("{left} bytes follow the message, which ends at offset {read}"))
            }
            Err(Rejection::Wire(error)) => failed(error.to_string()),
            Err(Rejection::Form(error)) => {
                broken(vec![stated(&error.path, error.problem.rule(), error.problem.to_string())])
            }
            Err(Rejection::MissingField { path, .. }) => {
                broken(vec![stated(&path, "required", "the required field is missing".to_owned())])
            }
            Err(Rejection::Rules(violations)) => {
                let named = violations.into_iter().map(|it| NamedViolation {
                    path: it.path.dotted(&self.name),
                    written: self.written(it.written),
                    ..NamedViolation::of(&it)
                });
                broken(named.collect())
            }
        }
    }

    fn written(&self, span: Option<diagnostics::Span>) -> Option<TextPlace> {
        let span = span?;
        let source = self.sources.get(span.file)?;
        Some(TextPlace::of(source.name(), source, span, self.columns))
    }
}
