//! Parameters files to begin with: for a program, with a value in the place of each that a person has to give.

mod json;
mod params;

use syntax::SyntaxElement;
use syntax::ast::{AstNode as _, Expr, ParameterDeclaration, ParameterDefaultValue, Statement};

use crate::symbols::SymbolId;
use crate::{Compiler, FilePath, Model};

/// The forms of parameters files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PlaceholderForm {
    /// Parameters JSON, which the deployment API reads.
    Json,
    /// A `.bicepparam` file, written in Bicep.
    Bicepparam,
}

/// Which parameters a file is to have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PlaceholderSet {
    /// Those without a default.
    Required,
    /// All, those with a default too.
    All,
}

impl Compiler {
    /// A parameters file for a program without errors. Values of an existing file in JSON stay, where the program still has their parameters.
    #[must_use]
    pub fn placeholders(
        &self,
        path: &FilePath,
        form: PlaceholderForm,
        set: PlaceholderSet,
        existing: Option<&str>,
    ) -> Option<String> {
        let model = self.model(path).ok()?;
        let parameters = parameters(&model, set);
        Some(match form {
            PlaceholderForm::Json => {
                let dialect = self.options().dialect;
                json::write(&model, &parameters, &self.checked(&model).interface, existing, dialect)
            }
            PlaceholderForm::Bicepparam => params::write(&model, &parameters),
        })
    }
}

/// The declarations of parameters, in source order.
fn parameters(model: &Model, set: PlaceholderSet) -> Vec<(SymbolId, ParameterDeclaration<'_>)> {
    let declared = model.declarations.parameters.iter().filter_map(|symbol| {
        let Statement::ParameterDeclaration(parameter) = model.statement_of(*symbol)? else { return None };
        Some((*symbol, parameter))
    });
    declared.filter(|(_, it)| set == PlaceholderSet::All || default_of(*it).is_none()).collect()
}

/// The default of a parameter.
fn default_of(parameter: ParameterDeclaration<'_>) -> Option<Expr<'_>> {
    let modifier = parameter.modifier().and_then(SyntaxElement::node);
    modifier.and_then(ParameterDefaultValue::cast).map(ParameterDefaultValue::value)
}
