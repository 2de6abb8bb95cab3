//! A manifest as it was read: a namespace with its types, and their versions with their schemas.

mod read;
mod secrets;

use diagnostics::{Severity, Span};
use document::SourceValue;

pub use secrets::secret_places;

use crate::findings::ManifestDiagnostic;
use crate::schema::Schema;

/// What a manifest declares.
#[derive(Clone, Debug)]
pub struct Manifest {
    /// The namespace of its types.
    pub namespace: Box<str>,
    /// Where the types are served, if not by the registry itself.
    pub location: Option<ServedLocation>,
    /// The types, in the order of the text.
    pub types: Vec<ResourceType>,
}

/// Where types are served.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ServedLocation {
    /// The name of the location, such as `global`.
    pub name: Box<str>,
    /// The address of the server.
    pub address: Box<str>,
}

/// One type of a manifest.
#[derive(Clone, Debug)]
pub struct ResourceType {
    /// The name of the type, without its namespace.
    pub name: Box<str>,
    /// What it is, for people.
    pub description: Option<Box<str>>,
    /// What it can do, without what is no longer a capability.
    pub capabilities: Vec<Box<str>>,
    /// The version that is meant where none is named.
    pub default_version: Option<Box<str>>,
    /// Its versions, in the order of the text.
    pub versions: Vec<ApiVersion>,
    /// Where its name is written.
    pub place: Span,
}

/// One version of a type.
#[derive(Clone, Debug)]
pub struct ApiVersion {
    /// The date, and perhaps `-preview`.
    pub name: Box<str>,
    /// What its resources have.
    pub schema: Schema,
}

/// What was found in a text.
#[derive(Debug)]
pub struct ManifestResult {
    /// What it declares, as far as it could be read; `None` if it is not a manifest at all.
    pub manifest: Option<Manifest>,
    /// What is wrong with it, in the order of the text.
    pub findings: Vec<ManifestDiagnostic>,
    /// How many findings there are beyond those.
    pub more: usize,
}

impl ManifestResult {
    /// The manifest, if nothing is wrong that keeps it from being used.
    pub fn usable(&self) -> Option<&Manifest> {
        let errors = self.findings.iter().any(|finding| finding.severity == Severity::Error);
        self.manifest.as_ref().filter(|_| !errors)
    }
}

impl Manifest {
    /// Finds a version by its full name, `Namespace/type@version`; parts that are unambiguous may be left out.
    ///
    /// `type@version` and `type` do where the namespace goes without saying; without a version, the default or the only
    /// one is meant. Namespaces and types are compared regardless of case. The error says what there is instead.
    pub fn find(&self, name: &str) -> Result<(&ResourceType, &ApiVersion), String> {
        let (full, version) = match name.split_once('@') {
            Some((full, version)) => (full, Some(version)),
            None => (name, None),
        };
        let type_name = match full.split_once('/') {
            Some((namespace, type_name)) if namespace.eq_ignore_ascii_case(&self.namespace) => type_name,
            Some((namespace, _)) => {
                return Err(format!("the manifest is of `{}`, not of `{namespace}`", self.namespace));
            }
            None => full,
        };
        let found = self.types.iter().find(|it| it.name.eq_ignore_ascii_case(type_name));
        let Some(resource_type) = found else {
            let names = self.types.iter().map(|it| &*it.name);
            return Err(match diagnostics::suggest(type_name, names.clone()) {
                Some(near) => {
                    format!("there is no type `{type_name}` in the manifest; did you mean `{near}`?")
                }
                None => {
                    format!("there is no type `{type_name}` in the manifest; {}", listed("types are", names))
                }
            });
        };
        let versions = || listed("versions are", resource_type.versions.iter().map(|it| &*it.name));
        let wanted = match (version, &resource_type.default_version, resource_type.versions.as_slice()) {
            (Some(version), _, _) => version,
            (None, Some(version), _) => version,
            (None, None, [only]) => &only.name,
            (None, None, _) => {
                let name = &resource_type.name;
                return Err(format!(
                    "`{name}` has several versions, name one as in `{name}@VERSION`; {}",
                    versions()
                ));
            }
        };
        match resource_type.versions.iter().find(|it| &*it.name == wanted) {
            Some(version) => Ok((resource_type, version)),
            None => Err(format!("`{}` has no version `{wanted}`; {}", resource_type.name, versions())),
        }
    }

    /// The types that a name means, with its namespace or without and regardless of case; all of them without one.
    pub fn named<'m>(&'m self, name: Option<&'m str>) -> impl Iterator<Item = &'m ResourceType> {
        self.types.iter().filter(move |it| {
            name.is_none_or(|name| {
                name.eq_ignore_ascii_case(&it.name) || name.eq_ignore_ascii_case(&self.full_name(it))
            })
        })
    }

    /// The full name of a type: `Namespace/type`.
    pub fn full_name(&self, resource_type: &ResourceType) -> String {
        format!("{}/{}", self.namespace, resource_type.name)
    }
}

/// A few names, in backticks.
fn listed<'n>(head: &str, names: impl Iterator<Item = &'n str>) -> String {
    const MOST: usize = 10;
    let names: Vec<&str> = names.collect();
    let shown: Vec<String> = names.iter().take(MOST).map(|name| format!("`{name}`")).collect();
    match names.len() {
        0 => "there are none".to_owned(),
        count if count > MOST => format!("{head} {} and {} more", shown.join(", "), count - MOST),
        _ => format!("{head} {}", shown.join(", ")),
    }
}

/// Whether a document is meant as a manifest of resource types.
pub fn looks_like_manifest(root: SourceValue<'_>) -> bool {
    let has = |name: &str| root.member(name).is_some();
    has("types") && (has("namespace") || has("name"))
}
