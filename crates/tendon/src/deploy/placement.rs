//! `using ... with` of a parameters file: where it is deployed to, and under which name.

use std::path::Path;

use arm::binding::{ExternalInput, Inputs};
use arm::evaluate::Scope;
use arm::template::{Message, TemplateError, code};

use super::context::{self, UNNAMED};
use super::load::{FileKind, Loader, Loading};
use super::options::{SCOPES_ARE_WRITTEN, scope_of};
use super::report::Reporter;
use crate::common::Common;
use crate::compile::SourceFilter;
use crate::exit::CommandError;
use crate::external_inputs::InputFilter;
use crate::load_error::DeploymentLoadError;
use crate::output::Streams;

/// What a file says about its deployment.
#[derive(Default)]
pub(super) struct Placement {
    scope: Option<Scope>,
    pub(super) name: Option<String>,
    pub(super) location: Option<String>,
    /// The external inputs that were answered to know it; nobody is asked twice.
    answered: Vec<ExternalInput>,
}

impl Placement {
    /// Gives the inputs of the same file the values that are known already.
    pub(super) fn answer(&self, inputs: &mut Inputs) {
        for input in &self.answered {
            if let Some(value) = &input.value {
                inputs.supply(input, value.clone());
            }
        }
    }

    fn of(inputs: &Inputs) -> Result<Placement, TemplateError> {
        let Some(config) = inputs.using_config()? else { return Ok(Placement::default()) };
        let text = |name: &str| config.as_object()?.get(name)?.as_str().map(str::to_owned);
        if text("mode").as_deref() != Some("deployment") {
            let message =
                Message::sentence("The file is for a deployment stack, and there are no stacks here");
            let error = TemplateError::new(code::INVALID_TEMPLATE, message);
            return Err(error.hint("use `mode: 'deployment'`, or the public `bicep deploy`"));
        }
        let scope = match config.as_object().and_then(|config| config.get("scope")) {
            // It may be made of inputs that are nobody's business, so that it is not shown.
            Some(scope) => Some(scope.as_str().and_then(scope_of).ok_or_else(|| {
                let message = Message::sentence("The `scope` behind `using` is not the id of a scope");
                TemplateError::new(code::INVALID_TEMPLATE, message).hint(SCOPES_ARE_WRITTEN)
            })?),
            None => None,
        };
        let answered =
            inputs.external_inputs().iter().filter(|input| input.value.is_some()).cloned().collect();
        Ok(Placement { scope, name: text("name"), location: text("location"), answered })
    }
}

impl Loader<'_> {
    /// Takes the scope, the name and the location from the file, if it says them; what the command line says comes first.
    pub(super) fn placed_by(
        mut self,
        file: &Path,
        common: &Common,
        streams: &mut Streams,
    ) -> Result<Self, CommandError> {
        if FileKind::of(file.as_os_str()) != FileKind::Parameters {
            return Ok(self);
        }
        let mut loading = Loading::new(&self);
        // What is wrong with the file is told when it is loaded.
        let Ok((path, text)) = loading.compile(file, SourceFilter::Parameters) else { return Ok(self) };
        let Ok(mut inputs) = loading.compiled_parameters(&path, text) else { return Ok(self) };
        context::supply(&self.mocks, &mut inputs);
        let placement = loading
            .resolve(&mut inputs, InputFilter::Placement)
            .and_then(|()| Placement::of(&inputs).map_err(DeploymentLoadError::from));
        let placement = match placement {
            Ok(placement) => placement,
            Err(refused) => {
                let mut reporter = Reporter::new(common, self.compiler());
                return Err(reporter.stop(streams, &mut loading.sources, refused));
            }
        };
        self.scope = self.scope.or_else(|| placement.scope.clone());
        // In the public command, the name does not come from the file.
        let name = placement.name.clone().or_else(|| common.drop_in.then(|| UNNAMED.to_owned()));
        self.placement = Placement { name, ..placement };
        Ok(self)
    }
}
