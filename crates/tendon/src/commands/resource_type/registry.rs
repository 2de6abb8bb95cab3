//! The registry in the state folder, and what its refusals look like.

use contract::Violation;
use diagnostics::printable;
use radius::registry::{Registry, RegistryError};

use crate::deploy::StateOptions;
use crate::exit::{Exit, Failure};
use crate::output::Streams;

/// Opens the registry.
pub(crate) fn open(state: &StateOptions) -> Result<Registry, Failure> {
    Ok(Registry::new(state.open()?, state.key()?))
}

/// Says why the registry refuses something.
pub(crate) fn failure(error: RegistryError, streams: &mut Streams) -> Result<Exit, Failure> {
    match error {
        RegistryError::Name(message) | RegistryError::Version(message) | RegistryError::Missing(message) => {
            streams.complain(&message);
            Ok(Exit::Input)
        }
        RegistryError::Precondition(message) => {
            streams.complain(message);
            Ok(Exit::Input)
        }
        RegistryError::InUse { name, instances } => {
            streams.complain(&format!("`{name}` has resources; delete them first, or use `--force`"));
            for id in instances {
                streams.print_error(&format!("  {}\n", printable(&id)))?;
            }
            Ok(Exit::Input)
        }
        RegistryError::Manifest(_) => {
            streams.complain("the manifest has errors");
            Ok(Exit::Input)
        }
        RegistryError::Resource(violations) => {
            violations.iter().for_each(|it: &Violation| streams.complain(&it.to_string()));
            Ok(Exit::Input)
        }
        other @ (RegistryError::Busy
        | RegistryError::Unwritten(_)
        | RegistryError::Store(_)
        | RegistryError::Seal(_)
        | RegistryError::Damaged(_)) => Err(Failure::Environment(other.to_string())),
    }
}

/// Rows of text as columns with a heading.
pub(crate) fn table(rows: &[Vec<String>]) -> String {
    let columns = rows.iter().map(Vec::len).max().unwrap_or_default();
    let width =
        |column: usize| rows.iter().filter_map(|row| row.get(column)).map(|cell| cell.chars().count()).max();
    let widths: Vec<usize> = (0..columns).map(|column| width(column).unwrap_or_default()).collect();
    let mut out = String::new();
    for row in rows {
        let cells: Vec<String> =
            row.iter().zip(&widths).map(|(cell, width)| format!("{cell:<width$}")).collect();
        out.push_str(cells.join("  ").trim_end());
        out.push('\n');
    }
    out
}
