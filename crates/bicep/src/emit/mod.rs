//! Programs to templates.
//!
//! [`template`](mod@template) writes the whole; the other files write its parts. Values of the program that JSON can
//! hold are written as they are met; anything else becomes a template expression in the [`arena`] first.

mod access;
mod arena;
mod armsource;
mod armtypes;
mod calls;
mod collation;
mod decorators;
mod depends_on;
mod derived;
mod emitter;
mod expressions;
mod external_inputs;
mod external_resources;
mod functions;
mod host;
mod ids;
mod imports;
mod library;
mod literals;
mod loads;
mod modules;
mod options;
mod outputs;
mod parameters;
mod parameters_file;
mod parameters_file_env;
mod parameters_file_inputs;
mod probes;
mod references;
mod resources;
mod template;
mod test_file;
mod this_resource;
mod tree;
mod typerefs;
mod types;
mod unit;
mod validators;
mod values;
mod variables;

pub(crate) use host::EmitHost;
pub(crate) use parameters_file::write_parameters;
pub(crate) use template::{write_template, write_test_bodies};

use syntax::ast::{Expr, Statement};

use crate::symbols::{Model, SymbolId};

/// The symbol before the dot of a method; a variable can stand for it.
fn method_symbol(model: &Model, base: Expr<'_>) -> Option<SymbolId> {
    let mut base = base;
    for _ in 0..=model.declarations.variables.len() + syntax::MAX_HEIGHT as usize {
        base = match base {
            Expr::ParenthesizedExpression(it) => it.expression(),
            Expr::NonNullAssertion(it) => it.base(),
            Expr::ArrayAccess(it) => it.base(),
            _ => {
                let symbol = model.symbol_in(base)?;
                match model.statement_of(symbol) {
                    Some(Statement::VariableDeclaration(variable)) => variable.value(),
                    _ => return Some(symbol),
                }
            }
        };
    }
    None
}
