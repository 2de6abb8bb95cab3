//! Why a file is no deployment: the machine failed, or its errors.

use arm::template::TemplateError;

use crate::exit::CommandError;

/// Why there is no deployment.
pub(crate) enum DeploymentLoadError {
    Failure(CommandError),
    /// The input has errors.
    Errors {
        /// All that is wrong.
        errors: Vec<TemplateError>,
        /// Whether people are told by the findings of the compiler.
        told: bool,
    },
}

impl From<CommandError> for DeploymentLoadError {
    fn from(failure: CommandError) -> DeploymentLoadError {
        DeploymentLoadError::Failure(failure)
    }
}

impl From<Vec<TemplateError>> for DeploymentLoadError {
    fn from(errors: Vec<TemplateError>) -> DeploymentLoadError {
        DeploymentLoadError::Errors { errors, told: false }
    }
}

impl From<TemplateError> for DeploymentLoadError {
    fn from(error: TemplateError) -> DeploymentLoadError {
        vec![error].into()
    }
}
