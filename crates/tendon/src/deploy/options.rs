//! What every command of the engine can be told about a deployment.

use std::path::{Path, PathBuf};

use arm::deployment::Unresolved;
use arm::evaluate::Scope;
use arm::template::TemplateLimits;
use clap::ValueEnum;

use super::links::Roots;
use super::load::FileKind;
use crate::exit::CommandError;
use crate::project::Project;

/// What is deployed, with which values, and where to.
#[derive(Clone, Debug, Default, clap::Args)]
#[command(next_help_heading = "Deployment")]
pub(crate) struct DeploymentOptions {
    /// Values of parameters: a parameters file (JSON, YAML or `.bicepparam`), an object of values by name, or `NAME=VALUE` as with `--param`; may be repeated, and the last value wins
    #[arg(short, long, value_name = "FILE|NAME=VALUE")]
    pub(crate) parameters: Vec<PathBuf>,

    /// The value of one parameter: JSON where it is JSON, else text; `NAME=@FILE` reads a file
    #[arg(long, value_name = "NAME=VALUE")]
    pub(crate) param: Vec<String>,

    /// The scope to deploy to: the id of a resource group, subscription or management group, or `/` for the tenant [default: a
    /// local resource group]
    #[arg(long, value_name = "ID")]
    scope: Option<String>,

    /// The location of the deployment, and of a resource group that does not exist yet
    #[arg(long, value_name = "LOCATION")]
    pub(crate) location: Option<String>,

    /// The name of the deployment; the name of the file if it is left out
    #[arg(long, value_name = "NAME")]
    pub(crate) name: Option<String>,

    /// Results of functions that need a cloud, by the name of the function, in JSON or YAML
    #[arg(long, value_name = "FILE")]
    pub(crate) mocks: Option<PathBuf>,

    /// Read linked templates whose address begins with PREFIX from DIR; may be repeated
    #[arg(long, value_name = "PREFIX=DIR")]
    link_root: Vec<String>,

    /// Keep a value that is not known yet as an expression, or report an error
    #[arg(long, value_enum, value_name = "ACTION")]
    pub(crate) unresolved: Option<UnresolvedOption>,

    /// Limits on the size of templates: Tendon's, which is the default, or Azure's
    #[arg(long, value_enum, value_name = "SET")]
    limits: Option<LimitsOption>,

    /// What its project says.
    #[arg(skip)]
    of_project: ProjectPlace,
}

/// Where the deployments of a project go, if neither the command line nor the file says it.
#[derive(Clone, Debug, Default)]
struct ProjectPlace {
    scope: Option<String>,
    location: Option<String>,
    /// Whether the mocks are those of the project, which are for all of its files.
    gives_mocks: bool,
}

/// What becomes of a value that is not known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum UnresolvedOption {
    // It stays an expression.
    Keep,
    // It is an error.
    Error,
}

impl From<UnresolvedOption> for Unresolved {
    fn from(option: UnresolvedOption) -> Unresolved {
        match option {
            UnresolvedOption::Keep => Unresolved::Keep,
            UnresolvedOption::Error => Unresolved::Error,
        }
    }
}

/// Whose limits apply.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum LimitsOption {
    // Those of this program.
    #[default]
    Tendon,
    // Those of Azure.
    Azure,
}

impl LimitsOption {
    /// How large templates may be.
    pub(crate) fn limits(self) -> TemplateLimits {
        match self {
            LimitsOption::Tendon => TemplateLimits::DEFAULT,
            LimitsOption::Azure => TemplateLimits::azure(),
        }
    }
}

impl DeploymentOptions {
    /// The same with what the project of a file says where the command line says nothing. Its parameters are for programs and templates: a
    /// parameters file has its own.
    pub(crate) fn in_project(&self, file: Option<&Path>) -> Result<DeploymentOptions, CommandError> {
        let settings = Project::of(file).settings()?;
        let limits = match settings.limits.as_deref() {
            Some("azure") => Some(LimitsOption::Azure),
            Some(_) => Some(LimitsOption::Tendon),
            None => None,
        };
        let takes_values = file.is_some_and(|file| FileKind::of(file.as_os_str()) != FileKind::Parameters);
        let own = self.with_values_apart();
        Ok(DeploymentOptions {
            parameters: match own.parameters.is_empty() && takes_values {
                true => settings.parameters,
                false => own.parameters,
            },
            of_project: ProjectPlace {
                scope: settings.scope,
                location: settings.location,
                gives_mocks: own.mocks.is_none(),
            },
            mocks: own.mocks.or(settings.mocks),
            limits: own.limits.or(limits),
            ..own
        })
    }

    /// The same with `--parameters NAME=VALUE` as values, and `--parameters @FILE` as files. A file that is there wins.
    fn with_values_apart(&self) -> DeploymentOptions {
        let (mut parameters, mut param) = (Vec::new(), Vec::new());
        for given in &self.parameters {
            match given.to_str().filter(|_| !given.exists()) {
                Some(text) if is_value(text) => param.push(text.to_owned()),
                Some(text) => parameters.push(PathBuf::from(text.strip_prefix('@').unwrap_or(text))),
                None => parameters.push(given.clone()),
            }
        }
        param.extend(self.param.iter().cloned());
        DeploymentOptions { parameters, param, ..self.clone() }
    }

    /// The mocks that the command line names.
    pub(super) fn own_mocks(&self) -> Option<&Path> {
        self.mocks.as_deref().filter(|_| !self.of_project.gives_mocks)
    }

    /// How large templates may be.
    pub(crate) fn limits(&self) -> TemplateLimits {
        self.limits.unwrap_or_default().limits()
    }

    /// Where links may lead.
    pub(crate) fn roots(&self) -> Result<Roots, CommandError> {
        Roots::new(&self.link_root)
    }

    /// Where to deploy to and the location, if the project says it.
    pub(super) fn of_project(&self) -> Result<(Option<Scope>, Option<String>), CommandError> {
        let ProjectPlace { scope, location, .. } = self.of_project.clone();
        let scope = match scope {
            Some(id) => Some(scope_of(&id).ok_or_else(|| {
                let message = format!("the `tendon.scope` of the project, `{id}`, is not the id of a scope; {SCOPES_ARE_WRITTEN}");
                CommandError::Input(message)
            })?),
            None => None,
        };
        Ok((scope, location))
    }

    /// Where to deploy to, if that is said.
    pub(crate) fn scope(&self) -> Result<Option<Scope>, CommandError> {
        let Some(id) = &self.scope else { return Ok(None) };
        match scope_of(id) {
            Some(scope) => Ok(Some(scope)),
            None => Err(CommandError::Usage(format!(
                "`--scope {id}` is not the id of a scope; {SCOPES_ARE_WRITTEN}"
            ))),
        }
    }
}

/// Whether a text gives a value to a parameter: `NAME=VALUE`.
fn is_value(text: &str) -> bool {
    let name = text.split_once('=').map_or("", |(name, _)| name);
    let mut characters = name.chars();
    characters.next().is_some_and(|first| first.is_alphabetic() || first == '_')
        && characters.all(|it| it.is_alphanumeric() || it == '_')
}

/// How the ids of scopes are written.
pub(super) const SCOPES_ARE_WRITTEN: &str = "write `/subscriptions/ID/resourceGroups/NAME`, `/subscriptions/ID`, \
     `/providers/Microsoft.Management/managementGroups/NAME` or `/`";

/// The scope that an id means.
pub(super) fn scope_of(id: &str) -> Option<Scope> {
    let empty = |part: &str| part.is_empty();
    let usable = id.starts_with('/') && !id.trim_end_matches('/').split('/').skip(1).any(empty);
    Scope::parse(id).filter(|_| usable)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(id: &str, expect: Option<Scope>) {
        let options = DeploymentOptions { scope: Some(id.to_owned()), ..DeploymentOptions::default() };
        assert_eq!(options.scope().ok().flatten(), expect, "{id}");
    }

    #[test]
    fn parameters_are_files_and_values() {
        let options = DeploymentOptions {
            parameters: ["a=1", "@prod.json", "dir/x=y.json", "_b=c=d"].map(PathBuf::from).into(),
            param: vec!["a=2".to_owned()],
            ..DeploymentOptions::default()
        };
        let apart = options.with_values_apart();
        assert_eq!(apart.param, ["a=1", "_b=c=d", "a=2"]);
        assert_eq!(apart.parameters, ["prod.json", "dir/x=y.json"].map(PathBuf::from));
    }

    #[test]
    fn a_scope_is_an_id() {
        check("/", Some(Scope::Tenant));
        check("/subscriptions/s", Some(Scope::Subscription("s".into())));
        let group = Scope::ResourceGroup { subscription: "s".into(), name: "g".into() };
        check("/subscriptions/s/resourceGroups/g", Some(group.clone()));
        check("/SUBSCRIPTIONS/s/resourcegroups/g/", Some(group));
        let id = "/providers/Microsoft.Management/managementGroups/m";
        check(id, Some(Scope::ManagementGroup("m".into())));
        check("", None);
        check("local", None);
        check("subscriptions/s", None);
        check("/subscriptions//resourceGroups/g", None);
        check("/subscriptions/s/resourceGroups/g/providers/A.B/c/d", None);
    }
}
