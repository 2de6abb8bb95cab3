//! Plans in files: what `what-if --out` writes, and `deploy --plan` does.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use arm::deployment::{Deployment, Links};
use engine::{PlanDraft, PlanInput, PlanSources, SavedPlan, StartError, WhatIf};

use super::load::Loader;
use super::options::DeploymentOptions;
use super::target::Target;
use crate::exit::CommandError;
use crate::files;
use crate::input;
use crate::output_file::OutputFile;
use crate::remote::TargetError;

/// The largest plan that is read.
const LARGEST: usize = 256 << 20;

/// What is said where there is no key to seal a plan with.
fn elsewhere(option: &str) -> CommandError {
    CommandError::Usage(format!(
        "`{option}` is for the state on this machine and for endpoints; a server keeps no plans"
    ))
}

/// The files that a deployment is made from, the deployed one first.
pub(crate) fn plan_files(file: &Path, options: &DeploymentOptions) -> Vec<PathBuf> {
    let others = options.parameters.iter().chain(&options.mocks).cloned();
    std::iter::once(file.to_owned()).chain(others).collect()
}

pub(crate) fn write_plan(
    out: &Path,
    files: &[PathBuf],
    loader: &Loader<'_>,
    target: &dyn Target,
    draft: PlanDraft,
    predicted: &WhatIf,
) -> Result<(), TargetError> {
    let Some(engine) = target.engine_here()? else { return Err(elsewhere("--out").into()) };
    if loader.script().is_some() {
        let message =
            "`--out` cannot be used with mocks that have `provider`: a plan does not keep their script";
        return Err(CommandError::Usage(message.to_owned()).into());
    }
    let mut inputs = Vec::new();
    for file in files {
        if file.as_os_str() == input::STANDARD_INPUT {
            let message =
                "a plan cannot be made from standard input, because a change of it could not be noticed";
            return Err(CommandError::Usage(message.to_owned()).into());
        }
        let path = std::path::absolute(file).unwrap_or_else(|_| file.clone());
        let content = loader.content(file).unwrap_or_default();
        inputs.push(PlanInput { path: path.to_string_lossy().into_owned(), content });
    }
    let text = engine.seal_plan(draft, predicted, &inputs, loader.is_symbolic())?;
    OutputFile::at(out)
        .private()
        .write(text.as_bytes())
        .map_err(|error| CommandError::writing(&format!("`{}`", out.display()), &error))?;
    Ok(())
}

/// The text of a plan, and what it says of its files.
pub(crate) fn read_plan(path: &Path) -> Result<(String, PlanSources), CommandError> {
    let shown = format!("`{}`", path.display());
    let bytes = files::read_any(path, LARGEST).map_err(|unread| CommandError::unread(&shown, &unread))?;
    let text = String::from_utf8(bytes)
        .map_err(|_| CommandError::Input(format!("{shown} is not a plan: it is not UTF-8")))?;
    let sources = PlanSources::named(&text);
    Ok((text, sources))
}

/// Reads a plan back, and refuses it if its files or the resources have changed since.
pub(crate) fn open_plan(
    text: &str,
    links: &Links,
    target: &dyn Target,
    read: &dyn Fn(&Path) -> Option<Vec<u8>>,
) -> Result<SavedPlan, TargetError> {
    let Some(engine) = target.engine_here()? else { return Err(elsewhere("--plan").into()) };
    let plan = engine.open_plan(text, links)?;
    engine.check_inputs(&plan, &|path| read(Path::new(path)))?;
    let deployment: Arc<Deployment> = Arc::clone(&plan.deployment);
    let predicted = target.predict(&deployment, plan.mode)?;
    engine.check_prediction(&plan, &predicted).map_err(|refused: StartError| TargetError::from(refused))?;
    Ok(plan)
}
