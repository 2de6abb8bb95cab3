//! What a program has declared so far, and names for what is to come.

use crate::types::Ty;

/// What was declared, by kind.
#[derive(Debug, Default)]
pub(crate) struct Names {
    /// Types, each with what it is.
    pub(crate) types: Vec<(String, Ty)>,
    /// Parameters and variables, with their types.
    pub(crate) values: Vec<(String, Ty)>,
    /// Functions with one parameter: its type and that of the result.
    pub(crate) functions: Vec<(String, Ty, Ty)>,
    /// Resources, each with its type and whether it is a collection.
    pub(crate) resources: Vec<(String, &'static str, bool)>,
    /// Modules, and whether they are collections.
    pub(crate) modules: Vec<(String, bool)>,
    /// Names that are in reach here only: of loops and lambdas.
    pub(crate) locals: Vec<(String, Ty)>,
    count: usize,
}

impl Names {
    /// A new name with a letter for its kind.
    pub(crate) fn fresh(&mut self, letter: char) -> String {
        self.count += 1;
        format!("{letter}{}", self.count)
    }
}
