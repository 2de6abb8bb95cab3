//! The interface files, read.

use std::path::{Path, PathBuf};

use thrift::FileId;
use thrift::model::{Config, LoadConfig, MemoryLoader, Model, StructId, ThriftProgram, load, resolve};
use thrift::proxy::ProxyConfig;
use thrift::rules::{Functions, Lowered, RuleConfig, lower};
use thrift::validate::{Rejection, Validator, Want};
use thrift::wire::Protocol;
use thrift_codegen::Input;

use crate::json::json;
use crate::tree::Wire;
use crate::{Result, said};

/// The struct that messages of every file hold.
pub const ROOT: &str = "Root";

/// An interface file with its rules.
#[derive(Debug)]
pub struct Schema {
    /// The name of the file without its ending, and of every namespace.
    pub name: String,
    /// The text, with namespaces for all languages.
    pub text: String,
    /// Whether its texts are bytes, all or none of them; messages do not say which are.
    pub is_bytes: Option<bool>,
    /// The readers that it is not for.
    not_for: Vec<String>,
    /// The definitions.
    pub model: Model,
    /// The struct of messages.
    pub root: StructId,
    program: ThriftProgram,
    lowered: Lowered,
    functions: Functions,
    validator: Validator,
}

/// What becomes of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MessageStatus {
    /// It is let through.
    Passes,
    /// It breaks so many rules.
    Breaks(usize),
    /// It cannot be read as a message of its type.
    NoMessage,
}

/// The folder with everything that is not Rust.
pub fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).to_owned()
}

/// Reads all interface files, in the order of their names.
pub fn schemas() -> Result<Vec<Schema>> {
    let folder = folder().join("idl");
    let entries = std::fs::read_dir(&folder).map_err(said(folder.display()))?;
    let mut paths = Vec::new();
    for entry in entries {
        paths.push(entry.map_err(said(folder.display()))?.path());
    }
    paths.sort();
    paths.iter().map(|path| read(path)).collect()
}

fn read(path: &Path) -> Result<Schema> {
    let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let written = std::fs::read_to_string(path).map_err(said(path.display()))?;
    let text = format!(
        "namespace go {name}\nnamespace py {name}\nnamespace rs {name}\nnamespace java {name}\n{written}"
    );
    let file = format!("{name}.thrift");
    let mut loader = MemoryLoader::default().file(&file, &text);
    let (program, mut found) = load(&file, &mut loader, &LoadConfig::default())?;
    let (model, more) = resolve(&program, &Config::default());
    found.extend(more);
    let functions = Functions::at(0);
    let (lowered, more) = lower(&model, &RuleConfig::default(), &functions);
    found.extend(more);
    if let Some(error) = found.iter().find(|it| it.is_error()) {
        return Err(format!("{name}: {error:?}"));
    }
    // What the proxy does unless it is told otherwise.
    let config = ProxyConfig::default();
    let (validator, found) = Validator::new(&model, &config.rules, config.validate, &functions);
    let validator = validator.ok_or_else(|| format!("{name}: {found:?}"))?;
    let root = model.structure(FileId(0), ROOT).ok_or_else(|| format!("{name} has no {ROOT}"))?;
    let not_for = written.lines().filter_map(|line| line.strip_prefix("// not for ")?.split_once(':'));
    let not_for = not_for.map(|(reader, _)| reader.to_owned()).collect();
    let has = |ty: &str| written.lines().any(|line| !line.starts_with("//") && line.contains(ty));
    let is_bytes = match (has("string"), has("binary")) {
        (true, true) => None,
        (_, is_bytes) => Some(is_bytes),
    };
    Ok(Schema { name, text, is_bytes, not_for, model, root, program, lowered, functions, validator })
}

impl Schema {
    /// What code is generated from.
    pub fn input(&self) -> Input<'_> {
        Input {
            program: &self.program,
            model: &self.model,
            lowered: &self.lowered,
            functions: &self.functions,
        }
    }

    /// Whether a reader can be asked about it.
    pub fn is_for(&self, reader: &str) -> bool {
        !self.not_for.iter().any(|it| it == reader)
    }

    /// The bytes of a message; `None` if it cannot be written in the protocol.
    pub fn write(&self, message: &Wire, protocol: Protocol) -> Option<Vec<u8>> {
        match protocol {
            Protocol::Binary | Protocol::Compact => Some(message.write(protocol)),
            Protocol::Json => self.is_bytes.map(|is_bytes| json(message, is_bytes)),
        }
    }

    /// What the validator says of a message.
    pub fn judge(&self, protocol: Protocol, bytes: &[u8], want: Want) -> MessageStatus {
        match self.validator.validate(self.root, protocol, bytes, &self.functions, want) {
            Ok(read) if read == bytes.len() => MessageStatus::Passes,
            Err(Rejection::MissingField { .. }) => MessageStatus::Breaks(1),
            Err(Rejection::Rules(violations)) => MessageStatus::Breaks(violations.len()),
            // Also where more bytes follow: the proxy wants the end of the message where its struct ends.
            Ok(_) | Err(_) => MessageStatus::NoMessage,
        }
    }

    /// The words in the file that values are made of: what stands in quotes, and the parts of lists in it.
    pub fn words(&self) -> Vec<String> {
        let mut words: Vec<String> = Vec::new();
        for quoted in self.text.split('"').skip(1).step_by(2) {
            words.push(quoted.to_owned());
            words.extend(quoted.split(['[', ']', ',', ' ', '(', ')']).map(str::to_owned));
        }
        words.sort();
        words.dedup();
        words
    }
}
