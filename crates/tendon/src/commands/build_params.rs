//! `tendon build-params`: parameters files to JSON.

use std::path::PathBuf;
use std::sync::Arc;

use bicep::files::Reference;
use bicep::{Compilation, Compiler, FilePath, InputsForm, Using};
use clap::ValueEnum;
use serde::Serialize;

use crate::common::Common;
use crate::compile::{
    self, CompileOptions, Job, OutputOptions, Results, Selection, SourceFilter, check_name, disk, paths,
};
use crate::exit::{CommandError, Exit};
use crate::files;
use crate::output::Streams;
use crate::overrides::{Fit, Overrides};

/// Compile Bicep parameters files to parameters JSON
///
/// A result is written beside its source, with the extension `.json`, unless an option says otherwise. Diagnostics go to standard error.
/// The variable BICEP_PARAMETERS_OVERRIDES may hold a JSON object of values that replace those of the file.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    #[command(flatten)]
    selection: Selection,

    /// Fail unless the parameters are for this program
    #[arg(long, value_name = "FILE", conflicts_with = "pattern")]
    bicep_file: Option<PathBuf>,

    /// The form of requests for external inputs in the result: under `externalInputs`, or as Azure's tools know it;
    /// `externalInputsForm` in bicepconfig.json sets the same
    #[arg(long, value_enum, value_name = "FORM")]
    external_inputs: Option<FormOption>,

    #[command(flatten)]
    output: OutputOptions,
    #[command(flatten)]
    compile: CompileOptions,
}

/// How parameters JSON asks for external inputs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum FormOption {
    // `externalInputs` with `type` and `config`.
    Proposal,
    // `externalInputDefinitions` with `kind` and `config`.
    Azure,
}

impl From<FormOption> for InputsForm {
    fn from(option: FormOption) -> InputsForm {
        match option {
            FormOption::Proposal => InputsForm::Proposal,
            FormOption::Azure => InputsForm::Azure,
        }
    }
}

const EXAMPLES: &str = "\
Examples:
  tendon build-params main.bicepparam
  tendon build-params main.bicepparam --bicep-file main.bicep --stdout
  tendon build-params main.bicepparam --external-inputs azure --outfile main.parameters.json
  tendon build-params --pattern 'environments/*.bicepparam' --outdir out";

pub(crate) fn run(
    arguments: &Arguments,
    common: &Common,
    streams: &mut Streams,
) -> Result<Exit, CommandError> {
    let jobs = arguments.selection.jobs(SourceFilter::Parameters, Some(&arguments.output))?;
    let compile = arguments.compile.clone().with_inputs_form(arguments.external_inputs.map(Into::into));
    let (overrides, changed) = overridden(&jobs)?.unzip();
    let mut restore = compile.restore(common, streams);
    let compiler = restore.compiler(&paths(&jobs), changed.unwrap_or_default(), common.dialect())?;
    if let Some(program) = &arguments.bicep_file {
        check_name(program, SourceFilter::Program)?;
        let wanted = disk::file_path(program);
        jobs.iter().try_for_each(|job| check_program(&compiler, job, &wanted))?;
    }
    if let (Some(overrides), [job]) = (overrides, jobs.as_slice()) {
        match overrides.check(&compiler, &job.path, common, streams)? {
            Fit::Taken => {}
            Fit::Hushed => return Ok(Exit::Input),
            Fit::Refused => {
                // What the compiler says of them has the codes that tools know.
                compile::run(&jobs, &compiler, Results::Unwanted, common, streams, |_, _| None)?;
                return Ok(Exit::Input);
            }
        }
    }
    let results = if arguments.output.stdout { Results::Printed } else { Results::Written };
    let enveloped = common.drop_in && results == Results::Printed;
    compile::run(&jobs, &compiler, results, common, streams, |job, compilation| {
        if enveloped { envelope(&compiler, job, compilation) } else { compilation.template.clone() }
    })
}

/// What the original prints: parameters and template as texts in one JSON object on one line.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Envelope<'e> {
    parameters_json: &'e str,
    template_json: Option<&'e str>,
    template_spec_id: Option<&'e str>,
}

fn envelope(compiler: &Compiler, job: &Job, compilation: &Compilation) -> Option<Arc<str>> {
    let parameters_json = compilation.template.as_deref()?;
    let using = compiler.using(&job.path);
    let (template_json, template_spec_id) = match &using {
        Some(Using::Template(text)) => (Some(&**text), None),
        Some(Using::Spec(id)) => (None, Some(id.as_str())),
        None => (None, None),
    };
    let envelope = Envelope { parameters_json, template_json, template_spec_id };
    serde_json::to_string(&envelope).ok().map(Into::into)
}

/// Refuses a parameters file that is for another program.
fn check_program(compiler: &Compiler, job: &Job, wanted: &FilePath) -> Result<(), CommandError> {
    let Some(target) = compiler.using_target(&job.path) else { return Ok(()) };
    if target.path == *wanted {
        return Ok(());
    }
    let named = job.named.display();
    let found = match &target.reference {
        Reference::Local(_) => target.path.to_string(),
        other => other.full_name(),
    };
    Err(CommandError::Usage(format!(
        "`{named}` is for `{found}`, and not for `{wanted}` as `--bicep-file` says"
    )))
}

/// The files whose values are replaced by those of the variable.
fn overridden(jobs: &[Job]) -> Result<Option<(Overrides, disk::FileOverrides)>, CommandError> {
    let [job] = jobs else { return Ok(None) };
    let Some(overrides) = Overrides::read()? else { return Ok(None) };
    // What cannot be read is reported when it is compiled.
    let Ok(bytes) = files::read(&job.named) else { return Ok(None) };
    let Ok(text) = String::from_utf8(bytes) else { return Ok(None) };
    let text = overrides.applied(&text)?;
    Ok(Some((overrides, vec![(job.path.clone(), text.into_bytes().into())])))
}
