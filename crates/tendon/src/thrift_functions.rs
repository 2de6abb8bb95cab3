//! Options for functions that rules call and whose code is somewhere else.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use clap::ValueEnum;
use diagnostics::{Diagnostic, SourceMap};
use thrift::rules::{Declaration, Declarations, UndefinedFunctions};

use crate::exit::CommandError;
use crate::{files, project};

/// The name of the file that declares functions for the Thrift files in its folder and below it.
pub(crate) const DECLARATIONS: &str = "thrift.functions";

/// The functions that are declared.
#[derive(Clone, Debug, clap::Args)]
#[command(next_help_heading = "Functions of your own")]
pub(crate) struct FunctionOptions {
    /// A function that rules call as `@NAME(..)`, by the types it takes and gives, `twice(i64) -> i64`; `=` and what it is
    /// called in the language of generated code may follow
    #[arg(long = "function", value_name = "DECLARATION")]
    function: Vec<Declaration>,

    /// A file of such declarations, one in each line, with `#` before comments; without any of these options, the nearest
    /// `thrift.functions` beside the Thrift file or above it
    #[arg(long = "functions", value_name = "FILE")]
    function_files: Vec<PathBuf>,
}

impl FunctionOptions {
    /// The files of declarations for a Thrift file.
    fn files(&self, thrift: &Path) -> Vec<PathBuf> {
        if self.function.is_empty() && self.function_files.is_empty() {
            project::nearest(DECLARATIONS, thrift).into_iter().collect()
        } else {
            self.function_files.clone()
        }
    }

    /// Reads the declarations for a Thrift file; what is wrong with those in files is found there.
    pub(crate) fn read(
        &self,
        thrift: &Path,
        sources: &mut SourceMap,
    ) -> Result<(Declarations, Vec<Diagnostic>), CommandError> {
        self.read_files(&self.files(thrift), sources)
    }

    /// Reads the declarations in files and those of the options.
    fn read_files(
        &self,
        files: &[PathBuf],
        sources: &mut SourceMap,
    ) -> Result<(Declarations, Vec<Diagnostic>), CommandError> {
        let mut declarations = Declarations::default();
        let mut found = Vec::new();
        for path in files {
            let name = path.display().to_string();
            let bytes =
                files::read(path).map_err(|unread| CommandError::unread(&format!("`{name}`"), &unread))?;
            let text = String::from_utf8(bytes)
                .map_err(|_| CommandError::Input(format!("`{name}` is not UTF-8")))?;
            let file = sources.add(name, text.as_str());
            found.extend(declarations.read(&text, file));
        }
        for declaration in &self.function {
            declarations.add(declaration.clone()).map_err(CommandError::Usage)?;
        }
        Ok((declarations, found))
    }
}

/// The declarations for several Thrift files, each read once.
pub(crate) struct DeclarationFiles<'o> {
    options: &'o FunctionOptions,
    known: BTreeMap<Vec<PathBuf>, Declarations>,
    /// What is wrong with them.
    pub(crate) findings: Vec<Diagnostic>,
}

impl<'o> DeclarationFiles<'o> {
    pub(crate) fn new(options: &'o FunctionOptions) -> DeclarationFiles<'o> {
        DeclarationFiles { options, known: BTreeMap::new(), findings: Vec::new() }
    }

    /// Those for a Thrift file.
    pub(crate) fn of(
        &mut self,
        thrift: &Path,
        sources: &mut SourceMap,
    ) -> Result<Declarations, CommandError> {
        let files = self.options.files(thrift);
        if let Some(known) = self.known.get(&files) {
            return Ok(known.clone());
        }
        let (declared, found) = self.options.read_files(&files, sources)?;
        self.findings.extend(found);
        self.known.insert(files, declared.clone());
        Ok(declared)
    }
}

/// What is done where such functions cannot run.
#[derive(Clone, Copy, Debug, clap::Args)]
#[command(next_help_heading = "Functions of your own")]
pub(crate) struct UndefinedOptions {
    /// Reject or pass values whose rules call declared functions, which cannot run here
    #[arg(long, value_enum, value_name = "ACTION", default_value_t)]
    undefined_functions: Undefined,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum Undefined {
    // They break the rule: a check that could not run is a failed check.
    #[default]
    Refuse,
    // They pass unchecked, and are counted.
    Pass,
}

impl From<UndefinedOptions> for UndefinedFunctions {
    fn from(options: UndefinedOptions) -> UndefinedFunctions {
        match options.undefined_functions {
            Undefined::Refuse => UndefinedFunctions::Refuse,
            Undefined::Pass => UndefinedFunctions::Pass,
        }
    }
}
