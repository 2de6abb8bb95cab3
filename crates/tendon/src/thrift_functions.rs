//! Options for functions that rules call and whose code is somewhere else.

use std::path::PathBuf;

use clap::ValueEnum;
use diagnostics::{Diagnostic, SourceMap};
use thrift::rules::{Declaration, Declarations, UndefinedFunctions};

use crate::exit::CommandError;
use crate::files;

/// The functions that are declared.
#[derive(Clone, Debug, clap::Args)]
#[command(next_help_heading = "Functions of your own")]
pub(crate) struct FunctionOptions {
    /// A function that rules call as `@NAME(..)`, by the types it takes and gives, `twice(i64) -> i64`; `=` and what it is
    /// called in the language of generated code may follow
    #[arg(long = "function", value_name = "DECLARATION")]
    function: Vec<Declaration>,

    /// A file of such declarations, one in each line, with `#` before comments
    #[arg(long = "functions", value_name = "FILE")]
    function_files: Vec<PathBuf>,
}

impl FunctionOptions {
    /// Reads all declarations; what is wrong with those in files is found there.
    pub(crate) fn read(
        &self,
        sources: &mut SourceMap,
    ) -> Result<(Declarations, Vec<Diagnostic>), CommandError> {
        let mut declarations = Declarations::default();
        let mut found = Vec::new();
        for path in &self.function_files {
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

/// What is done where such functions cannot run.
#[derive(Clone, Copy, Debug, clap::Args)]
#[command(next_help_heading = "Functions of your own")]
pub(crate) struct UndefinedOptions {
    /// What happens to values whose rules call declared functions, which cannot run here
    #[arg(long, value_enum, value_name = "WHAT", default_value_t)]
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
