//! What a compiler is told when it is made.

use std::sync::Arc;

use bicep_types::TypeStore;
use time::Date;

use crate::config::{Config, InputsForm};
use crate::language::Dialect;

/// What templates say about their maker.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Generator {
    /// The name of the compiler, `metadata._generator.name`.
    pub name: String,
    /// The version of the compiler, `metadata._generator.version`.
    pub version: String,
}

/// What a compiler does in the same way for all files.
#[derive(Clone, Debug)]
pub struct CompilerOptions {
    /// Who templates say made them.
    pub generator: Generator,
    /// The types of Azure's resources; without them no type is known.
    pub az_types: Option<Arc<TypeStore>>,
    /// Whether every template uses symbolic names, whatever the configuration says.
    pub symbolic_names: bool,
    /// Which language programs are written in.
    pub dialect: Dialect,
    /// How parameters JSON asks for external inputs, whatever the configuration says.
    pub inputs_form: Option<InputsForm>,
    /// Whether conditions, operands, loops and functions tell that they were evaluated, by the function `testing.probe` that whoever evaluates
    /// the template adds: for tests that say what they reached.
    pub probes: bool,
    /// The day that ages of API versions are counted to; without it, no program is checked for `use-recent-api-versions`.
    pub today: Option<Date>,
}

impl CompilerOptions {
    /// Compiles without types, with the defaults for the rest.
    #[must_use]
    pub fn new(generator: Generator) -> CompilerOptions {
        CompilerOptions {
            generator,
            az_types: None,
            symbolic_names: false,
            dialect: Dialect::default(),
            inputs_form: None,
            probes: false,
            today: None,
        }
    }

    /// How the parameters JSON of a file with this configuration asks for external inputs: as the compiler was told, else
    /// as the configuration says, else as is usual in the language.
    pub(crate) fn inputs_form(&self, config: &Config) -> InputsForm {
        let usual = match self.dialect {
            Dialect::Tendon => InputsForm::Proposal,
            Dialect::Public => InputsForm::Azure,
        };
        self.inputs_form.or_else(|| config.inputs_form()).unwrap_or(usual)
    }
}
