//! What every command of the engine can be told about a deployment.

use std::path::PathBuf;

use arm::deployment::Unresolved;
use arm::evaluate::Scope;
use arm::template::TemplateLimits;
use clap::ValueEnum;

use super::links::Roots;
use crate::exit::CommandError;

/// What is deployed, with which values, and where to.
#[derive(Clone, Debug, Default, clap::Args)]
#[command(next_help_heading = "Deployment")]
pub(crate) struct DeploymentOptions {
    /// Values of parameters: a parameters file (JSON, YAML or `.bicepparam`), or an object of values by name; may be repeated, and the last value wins
    #[arg(short, long, value_name = "FILE")]
    pub(crate) parameters: Vec<PathBuf>,

    /// The value of one parameter: JSON where it is JSON, else text; `NAME=@FILE` reads a file
    #[arg(long, value_name = "NAME=VALUE")]
    pub(crate) param: Vec<String>,

    /// Where to deploy to: the id of a resource group, subscription or management group, or `/` for the tenant; a local one if it is left out
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

    /// Where linked templates are: an address that begins with PREFIX is a file in DIR; may be repeated
    #[arg(long, value_name = "PREFIX=DIR")]
    link_root: Vec<String>,

    /// What happens to a value that is not known yet: it stays an expression, or it is an error
    #[arg(long, value_enum, value_name = "HOW")]
    pub(crate) unresolved: Option<UnresolvedOption>,

    /// How large templates may be: the limits of Tendon, or those of Azure
    #[arg(long, value_enum, value_name = "WHOSE", default_value_t)]
    limits: LimitsOption,
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
enum LimitsOption {
    // Those of this program.
    #[default]
    Tendon,
    // Those of Azure.
    Azure,
}

impl DeploymentOptions {
    /// How large templates may be.
    pub(crate) fn limits(&self) -> TemplateLimits {
        match self.limits {
            LimitsOption::Tendon => TemplateLimits::DEFAULT,
            LimitsOption::Azure => TemplateLimits::azure(),
        }
    }

    /// Where links may lead.
    pub(crate) fn roots(&self) -> Result<Roots, CommandError> {
        Roots::new(&self.link_root)
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
