//! The registry in the state folder or of a server, and what refusals look like.

use contract::Violation;
use diagnostics::printable;
use document::Document;
use radius::ManifestDialect;
use radius::registry::{
    BrokenResource, PutResource, RegisterResult, RegisteredType, Registry, RegistryError, StoredResource,
};

use crate::exit::{CommandError, Exit};
use crate::output::Streams;
use crate::remote::{BackendOptions, Remote, TargetError};

/// Resource types and resources, here or on a server.
pub(crate) struct TypesBackend {
    /// What is here; of a server, its types.
    registry: Registry,
    remote: Option<Remote>,
}

/// Why something was not done.
pub(crate) enum BackendError {
    /// The registry says why.
    Registry(RegistryError),
    /// The server says why.
    Server(TargetError),
}

impl From<RegistryError> for BackendError {
    fn from(error: RegistryError) -> BackendError {
        BackendError::Registry(error)
    }
}

impl From<TargetError> for BackendError {
    fn from(refused: TargetError) -> BackendError {
        BackendError::Server(refused)
    }
}

pub(crate) fn open(place: &BackendOptions) -> Result<TypesBackend, CommandError> {
    match place.server()? {
        None => {
            let (store, key) = place.state.open_with_key()?;
            Ok(TypesBackend { registry: Registry::new(store, key), remote: None })
        }
        Some(remote) => match remote.registry() {
            Ok(registry) => Ok(TypesBackend { registry, remote: Some(remote) }),
            Err(TargetError::Failure(failure)) => Err(CommandError::Environment(failure.to_string())),
            Err(TargetError::Unreachable(failure)) => Err(failure),
        },
    }
}

impl TypesBackend {
    /// All types, in the order of their names.
    pub(crate) fn all(&self) -> Result<Vec<RegisteredType>, BackendError> {
        Ok(self.registry.resource_types()?)
    }

    /// A type, or why there is none.
    pub(crate) fn known(&self, name: &str) -> Result<RegisteredType, BackendError> {
        Ok(self.registry.known_type(name)?)
    }

    /// The registry that knows the types.
    pub(crate) fn registry(&self) -> &Registry {
        &self.registry
    }

    /// Registers the types of manifests, or one of them: all or none. A server checks them again.
    pub(crate) fn register(
        &self,
        documents: &[&Document],
        only: Option<&str>,
        dialect: ManifestDialect,
        force: bool,
    ) -> Result<Vec<RegisterResult>, BackendError> {
        let registered = self.registry.register_all(documents, only, dialect, force)?;
        match &self.remote {
            Some(remote) => Ok(remote.register(documents, only, dialect, force)?),
            None => Ok(registered),
        }
    }

    /// Forgets a type; whether there was one.
    pub(crate) fn delete_type(&self, name: &str, force: bool) -> Result<bool, BackendError> {
        match &self.remote {
            Some(remote) => Ok(remote.delete_type(name, force)?),
            None => Ok(self.registry.delete_type(name, force)?),
        }
    }

    /// Puts a resource. For a server it is checked here first, where its file is.
    pub(crate) fn put(&self, put: PutResource<'_>) -> Result<StoredResource, BackendError> {
        let here = self.registry.put(put);
        let Some(remote) = &self.remote else { return Ok(here?) };
        match here {
            Ok(_) => Ok(remote.put_resource(put)?),
            // What the server has set may be sent back; only it knows what that is.
            Err(RegistryError::Resource(violations))
                if remote.resource(put.group, put.type_name, put.name)?.is_some() =>
            {
                match remote.put_resource(put) {
                    Err(TargetError::Failure(_)) => Err(RegistryError::Resource(violations).into()),
                    other => Ok(other?),
                }
            }
            Err(error) => Err(error.into()),
        }
    }

    /// A resource; none if it is not there.
    pub(crate) fn resource(
        &self,
        group: &str,
        type_name: &str,
        name: &str,
    ) -> Result<Option<StoredResource>, BackendError> {
        match &self.remote {
            Some(remote) => Ok(remote.resource(group, type_name, name)?),
            None => Ok(self.registry.named_resource(group, type_name, name)?),
        }
    }

    /// The resources of a type or of all, in a group or in all of them.
    pub(crate) fn resources(
        &self,
        type_name: Option<&str>,
        group: Option<&str>,
    ) -> Result<Vec<StoredResource>, BackendError> {
        let Some(remote) = &self.remote else { return Ok(self.registry.resources(type_name, group)?) };
        let types = match type_name {
            Some(name) => vec![name.to_owned()],
            None => self.registry.resource_types()?.iter().map(RegisteredType::full_name).collect(),
        };
        Ok(remote.resources(&types, type_name.is_none(), group)?)
    }

    /// Deletes a resource; whether there was one.
    pub(crate) fn delete(&self, group: &str, type_name: &str, name: &str) -> Result<bool, BackendError> {
        match &self.remote {
            Some(remote) => Ok(remote.delete_resource(group, type_name, name)?),
            None => Ok(self.registry.delete(group, type_name, name)?),
        }
    }
}

/// Says why something is refused.
pub(crate) fn failure(trouble: BackendError, streams: &mut Streams) -> Result<Exit, CommandError> {
    let failure = match trouble {
        BackendError::Registry(error) => return refused(error, streams),
        BackendError::Server(TargetError::Unreachable(failure)) => return Err(failure),
        BackendError::Server(TargetError::Failure(failure)) => failure,
    };
    let instances: Vec<String> = failure.details.iter().filter_map(|detail| detail.target.clone()).collect();
    if let Some(name) = failure.target.clone()
        && failure.code == "Conflict"
        && failure.details.iter().all(|detail| detail.code == "Conflict")
        && !instances.is_empty()
    {
        return refused(RegistryError::InUse { name, instances }, streams);
    }
    let exit = streams.reject(&failure.message)?;
    for detail in failure.details {
        streams.print_error(&format!("  {}\n", printable(&detail.message)))?;
    }
    Ok(exit)
}

/// Says why the registry refuses something.
fn refused(error: RegistryError, streams: &mut Streams) -> Result<Exit, CommandError> {
    match error {
        RegistryError::Name(message)
        | RegistryError::Version(message)
        | RegistryError::Missing(message)
        | RegistryError::TooLarge(message) => streams.reject(&message),
        RegistryError::Precondition(message) => streams.reject(message),
        RegistryError::InUse { name, instances } => {
            streams.report_error(&format!("`{name}` has resources; delete them first, or use `--force`"));
            for id in instances {
                streams.print_error(&format!("  {}\n", printable(&id)))?;
            }
            Ok(Exit::Input)
        }
        RegistryError::Breaks { name, broken } => {
            streams.report_error(&format!(
                "the change of `{name}` breaks resources of it; change them first, or use `--force`"
            ));
            print_broken(&broken, streams)?;
            Ok(Exit::Input)
        }
        RegistryError::Manifest(_) => streams.reject("the manifest has errors"),
        RegistryError::Resource(violations) | RegistryError::Request(violations) => {
            violations.iter().try_fold(Exit::Input, |_, it: &Violation| streams.reject(&it.to_string()))
        }
        other @ (RegistryError::Busy
        | RegistryError::Unwritten(_)
        | RegistryError::Store(_)
        | RegistryError::Seal(_)
        | RegistryError::Damaged(_)) => Err(CommandError::Environment(other.to_string())),
    }
}

/// The resources that a change breaks, each with what is wrong.
pub(crate) fn print_broken(broken: &[BrokenResource], streams: &mut Streams) -> Result<(), CommandError> {
    for it in broken {
        streams.print_error(&format!("  {}\n", printable(&it.id)))?;
        for problem in it.problems() {
            streams.print_error(&format!("    {}\n", printable(&problem)))?;
        }
    }
    Ok(())
}

/// A list is printed whatever is in it; records of it that cannot be read are told behind it.
pub(crate) fn all_readable<'n>(damaged: impl Iterator<Item = &'n str>) -> Result<Exit, CommandError> {
    let damaged: Vec<String> = damaged.map(|name| format!("`{}`", printable(name))).collect();
    if damaged.is_empty() {
        return Ok(Exit::Fine);
    }
    Err(CommandError::Environment(format!(
        "records cannot be read; delete what they are of: {}",
        damaged.join(", ")
    )))
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
