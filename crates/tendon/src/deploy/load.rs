//! From a file to a deployment: it is compiled if it is Bicep, read, and bound to the values of its parameters.

use std::ffi::OsStr;
use std::fs::File;
use std::mem::ManuallyDrop;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use arm::Expression;
use arm::binding::{Inputs, ParameterSource, SecretReference};
use arm::deployment::{Deployment, Mocks, PartialContext, Unresolved};
use arm::evaluate::{Moment, Scope};
use arm::template::{ErrorLocation, Parameter, Template, TemplateError, TemplateLimits, code};
use bicep::files::SourceFile;
use bicep::{Compilation, Compiler, FilePath, Finding, Using};
use diagnostics::{Columns, Diagnostic, FileId, LineIndex, Message, Span};

use super::artifacts;
use super::context::{self, ContextKind};
use super::links::{Roots, TemplateFile};
use super::mock_names;
use super::options::DeploymentOptions;
use super::placeholders;
use super::placement::Placement;
use super::report::Reporter;
use super::sources::Sources;
use super::values;
use crate::clock;
use crate::common::Common;
use crate::compile::{CompileOptions, Job, SourceFilter, check_name, disk, shortened};
use crate::exit::CommandError;
use crate::external_inputs::{self, InputFilter, InputOptions, Spelling};
use crate::input;
use crate::load_error::DeploymentLoadError;
use crate::output::Streams;

/// Makes deployments of files, all with the same options.
pub(crate) struct Loader<'o> {
    pub(super) options: &'o DeploymentOptions,
    is_symbolic: bool,
    pub(super) limits: TemplateLimits,
    pub(super) scope: Option<Scope>,
    /// What the file itself says about its deployment.
    pub(super) placement: Placement,
    /// What a prediction is told of its scope, part by part; none if it is told a scope.
    pub(super) known: Option<PartialContext>,
    pub(super) mocks: Arc<Mocks>,
    pub(super) roots: Roots,
    pub(super) now: Moment,
    pub(super) seed: u128,
    /// What answers external inputs; none if they stay expressions.
    inputs: Option<&'o InputOptions>,
    /// Whether parameters without a value stay open, instead of being errors.
    leaves_open: bool,
    /// Whether standard input holds one of the files.
    stdin_is_taken: bool,
    compiler: Option<ManuallyDrop<Compiler>>,
}

/// What became of a file.
pub(crate) struct LoadResult {
    /// The texts that errors point into.
    pub(crate) sources: Sources,
    /// What was compiled, with what was found.
    pub(crate) compiled: Vec<(Job, Compilation)>,
    /// What is worth knowing about the values that were given.
    pub(crate) remarks: Vec<Diagnostic>,
    /// The deployment, or why there is none.
    pub(crate) result: Result<Arc<Deployment>, DeploymentLoadError>,
}

impl LoadResult {
    /// What was compiled, with what was found. A constant that a validator refuses is a warning of the compiler and an error of the deployment,
    /// which is told alone.
    pub(crate) fn take_compiled(&mut self) -> Vec<(Job, Compilation)> {
        let mut compiled = std::mem::take(&mut self.compiled);
        if matches!(self.result, Err(DeploymentLoadError::Errors { told: false, .. })) {
            for (_, found) in compiled.iter_mut().flat_map(|(_, compilation)| &mut compilation.findings) {
                let told = |finding: &&Finding| finding.is_error() || finding.code != VALIDATOR_FAILED;
                *found = found.iter().filter(told).cloned().collect();
            }
        }
        compiled
    }
}

/// The warning that a constant would be refused.
const VALIDATOR_FAILED: &str = "validator-failed";

/// What became of a parameters file that stands alone.
pub(crate) struct LoadedParameters {
    /// The texts that errors point into.
    pub(crate) sources: Sources,
    /// What was compiled, with what was found.
    pub(crate) compiled: Vec<(Job, Compilation)>,
    /// What it gives, with the values of its external inputs; or why it gives nothing.
    pub(crate) result: Result<Inputs, DeploymentLoadError>,
}

/// A template before its parameters are bound.
struct UnboundTemplate {
    template: Arc<Template>,
    inputs: Inputs,
}

/// The kinds of files that can be deployed.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum FileKind {
    Program,
    Parameters,
    Template,
}

impl FileKind {
    pub(super) fn of(path: &OsStr) -> FileKind {
        match input::extension(path).as_deref() {
            Some("bicep") => FileKind::Program,
            Some("bicepparam") => FileKind::Parameters,
            _ => FileKind::Template,
        }
    }
}

/// What commands take that make a deployment of a file.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct FileOptions {
    #[command(flatten)]
    pub(crate) deployment: DeploymentOptions,
    #[command(flatten)]
    pub(crate) compile: CompileOptions,
    #[command(flatten)]
    inputs: InputOptions,
}

/// What a loader is made with.
#[derive(Clone, Copy)]
pub(crate) struct LoaderOptions<'o> {
    pub(crate) deployment: &'o DeploymentOptions,
    pub(crate) compile: &'o CompileOptions,
    /// What answers external inputs; none if they stay expressions.
    pub(crate) inputs: Option<&'o InputOptions>,
    /// Whether templates have the names that programs call their resources by.
    pub(crate) symbolic: bool,
    /// Whether a parameters file that is alone says where it is deployed to.
    pub(crate) is_placed: bool,
    pub(crate) files: &'o [&'o Path],
}

impl<'o> LoaderOptions<'o> {
    /// Those that have no answers to external inputs, and that take names as they come.
    pub(crate) fn new(
        deployment: &'o DeploymentOptions,
        compile: &'o CompileOptions,
        files: &'o [&'o Path],
    ) -> LoaderOptions<'o> {
        LoaderOptions { deployment, compile, inputs: None, symbolic: false, is_placed: false, files }
    }
}

impl FileOptions {
    /// The same with what the project of a file says where the command line says nothing.
    pub(crate) fn in_project(&self, file: Option<&Path>) -> Result<FileOptions, CommandError> {
        Ok(FileOptions { deployment: self.deployment.in_project(file)?, ..self.clone() })
    }

    /// What a loader of files is made with.
    pub(crate) fn loader_options<'f>(&'f self, files: &'f [&'f Path]) -> LoaderOptions<'f> {
        LoaderOptions {
            inputs: Some(&self.inputs),
            is_placed: true,
            ..LoaderOptions::new(&self.deployment, &self.compile, files)
        }
    }

    /// Calls the arguments of external inputs what the public command calls them.
    pub(crate) fn with_public_arguments(mut self) -> FileOptions {
        self.inputs.spelling = Spelling::Public;
        self
    }

    /// What becomes of expressions that cannot be evaluated before the deployment runs.
    pub(crate) fn unresolved(&self, default: Unresolved) -> Unresolved {
        self.deployment.unresolved.map_or(default, Unresolved::from)
    }
}

impl<'o> Loader<'o> {
    /// Prepares to load files, and reports what is wrong with the options themselves.
    pub(crate) fn new(
        options: LoaderOptions<'o>,
        common: &Common,
        streams: &mut Streams,
    ) -> Result<Loader<'o>, CommandError> {
        let mut sources = Sources::default();
        let loader = Loader::prepare(options, &mut sources, common, streams)
            .map_err(|refused| Reporter::new(common, None).stop(streams, &mut sources, refused))?;
        let mut loader = match options.files {
            [file] if options.is_placed => loader.placed_by(file, common, streams)?,
            _ => loader,
        };
        let (scope, location) = options.deployment.of_project()?;
        loader.scope = loader.scope.or(scope);
        loader.placement.location = loader.placement.location.or(location);
        Ok(loader)
    }

    fn prepare(
        LoaderOptions { deployment: options, compile, inputs, symbolic, files, .. }: LoaderOptions<'o>,
        sources: &mut Sources,
        common: &Common,
        streams: &Streams,
    ) -> Result<Loader<'o>, DeploymentLoadError> {
        let is_bicep = |file: &Path| FileKind::of(file.as_os_str()) != FileKind::Template;
        let (mut programs, mut stdin_is_taken) = (Vec::new(), false);
        for file in files.iter().copied().chain(options.parameters.iter().map(PathBuf::as_path)) {
            if is_bicep(file) {
                programs.push(disk::file_path(file));
            }
            stdin_is_taken |= file.as_os_str() == input::STANDARD_INPUT;
        }
        let mocks = match &options.mocks {
            Some(path) => Arc::new(values::mocks(path, sources)?),
            None => Arc::default(),
        };
        let named = compile.clone().with_symbolic_names();
        // Mocks name resources as the program does.
        let is_named = mocks.get("provider").is_some() || mock_names::name_symbols(&mocks);
        let is_symbolic = symbolic || is_named || compile.has_symbolic_names();
        let compile = if is_symbolic { &named } else { compile };
        Ok(Loader {
            is_symbolic,
            options,
            limits: options.limits(),
            scope: options.scope()?,
            placement: Placement::default(),
            known: None,
            mocks,
            roots: options.roots()?,
            now: clock::now(),
            seed: context::seed()?,
            inputs,
            leaves_open: false,
            stdin_is_taken,
            compiler: match programs.is_empty() {
                true => None,
                false => {
                    let mut restore = compile.restore(common, streams);
                    Some(restore.compiler(&programs, Vec::new(), common.dialect())?)
                }
            },
        })
    }

    /// The deployment of a file, with the texts that it was made of; what the compiler found is reported, and why there is none.
    pub(crate) fn deployment(
        &self,
        file: &Path,
        surroundings: ContextKind<'_>,
        reporter: &mut Reporter<'_>,
        streams: &mut Streams,
    ) -> Result<(Arc<Deployment>, Sources), CommandError> {
        let mut loaded = self.load(file, surroundings);
        let compiled = loaded.take_compiled();
        reporter.findings(streams, compiled)?;
        reporter.warn(streams, &loaded.remarks)?;
        self.warn_of_unused_mocks(&loaded.sources, reporter, streams)?;
        match loaded.result {
            Ok(deployment) => Ok((deployment, loaded.sources)),
            Err(refused) => Err(reporter.stop(streams, &mut loaded.sources, refused)),
        }
    }

    /// Warns of what the mocks of the command line answer and the only program does not ask for.
    pub(crate) fn warn_of_unused_mocks(
        &self,
        sources: &Sources,
        reporter: &Reporter<'_>,
        streams: &mut Streams,
    ) -> Result<(), CommandError> {
        let Some(file) = self.options.own_mocks() else { return Ok(()) };
        let file = input::display_name(file.as_os_str());
        let texts: Vec<&str> = sources.map().iter().map(|(_, file)| &**file.text()).collect();
        reporter.warn(streams, &mock_names::unused(&self.mocks, &file, &texts))
    }

    /// Leaves parameters open that have no value: what is made from them is not known.
    pub(crate) fn leaving_open(mut self) -> Loader<'o> {
        self.leaves_open = true;
        self
    }

    /// Tells predictions what is known of their scopes, and nothing else.
    pub(crate) fn knowing(mut self, known: PartialContext) -> Loader<'o> {
        self.known = Some(known);
        self
    }

    /// Where to deploy to, if that is said.
    pub(crate) fn scope(&self) -> Option<&Scope> {
        self.scope.as_ref()
    }

    /// What mocks say that a server does not ask for: it has resources of its own.
    pub(crate) fn mocks_of_resources(&self) -> Option<&str> {
        mock_names::of_resources(&self.mocks)
    }

    /// What mocks have providers say; what is wrong with it was said when they were read.
    pub(crate) fn script(&self) -> Option<engine::provider::Script> {
        values::script(&self.mocks).ok().flatten()
    }

    /// Whether every template has symbolic names, also those that the options alone would compile without.
    pub(crate) fn is_symbolic(&self) -> bool {
        self.is_symbolic
    }

    /// The compiler, if one is needed.
    pub(crate) fn compiler(&self) -> Option<&Compiler> {
        self.compiler.as_deref()
    }

    /// What a file says, once it is compiled: what is deployed of it, without the answers to its external inputs. None if it says nothing.
    pub(crate) fn content(&self, file: &Path) -> Option<Vec<u8>> {
        let mut loading = Loading::new(self);
        match FileKind::of(file.as_os_str()) {
            FileKind::Program => {
                loading.compile(file, SourceFilter::Program).ok().map(|(_, text)| text.as_bytes().to_vec())
            }
            FileKind::Parameters => {
                let (path, text) = loading.compile(file, SourceFilter::Parameters).ok()?;
                let mut content = text.as_bytes().to_vec();
                if let Some(Using::Template(template)) = self.compiler().and_then(|it| it.using(&path)) {
                    content.extend(template.as_bytes());
                }
                Some(content)
            }
            FileKind::Template => values::read(file).ok().map(|(_, bytes)| bytes),
        }
    }

    /// Makes a deployment of a file.
    pub(crate) fn load(&self, file: &Path, surroundings: ContextKind<'_>) -> LoadResult {
        let mut loading = Loading::new(self);
        let result = loading.read(file).and_then(|read| loading.bind(read, Some(file), surroundings));
        loading.end(result)
    }

    /// Reads a parameters file by itself, and finds the values of all its external inputs.
    pub(crate) fn parameters(&self, file: &Path) -> LoadedParameters {
        let mut loading = Loading::new(self);
        let result = loading.parameters(file);
        LoadedParameters { sources: loading.sources, compiled: loading.compiled, result }
    }

    /// Makes a deployment of nothing, for expressions that stand alone.
    pub(crate) fn load_nothing(&self, surroundings: ContextKind<'_>) -> LoadResult {
        let mut loading = Loading::new(self);
        let result = loading
            .template(NOTHING.into(), FileId(u32::MAX))
            .and_then(|template| loading.values(Arc::clone(&template), Inputs::default()))
            .and_then(|read| loading.bind(read, None, surroundings));
        loading.end(result)
    }
}

/// A template with nothing in it.
const NOTHING: &str = r#"{
  "$schema": "https://schema.management.azure.com/schemas/2019-04-01/deploymentTemplate.json#",
  "languageVersion": "2.0",
  "contentVersion": "1.0.0.0",
  "resources": {}
}"#;

/// The work on one file.
pub(super) struct Loading<'l> {
    loader: &'l Loader<'l>,
    pub(super) sources: Sources,
    compiled: Vec<(Job, Compilation)>,
    remarks: Vec<Diagnostic>,
}

impl<'l> Loading<'l> {
    pub(super) fn new(loader: &'l Loader<'l>) -> Loading<'l> {
        Loading { loader, sources: Sources::default(), compiled: Vec::new(), remarks: Vec::new() }
    }

    fn end(self, result: Result<Deployment, DeploymentLoadError>) -> LoadResult {
        let Loading { sources, compiled, remarks, .. } = self;
        LoadResult { sources, compiled, remarks, result: result.map(Arc::new) }
    }

    /// Reads the template and everything that is given for its parameters.
    fn read(&mut self, file: &Path) -> Result<UnboundTemplate, DeploymentLoadError> {
        match FileKind::of(file.as_os_str()) {
            FileKind::Program => {
                let (path, text) = self.compile(file, SourceFilter::Program)?;
                let id = self.sources.add_compiled(&path, Arc::clone(&text));
                let template = self.template(text, id)?;
                self.values(template, Inputs::default())
            }
            FileKind::Parameters => {
                let (path, text) = self.compile(file, SourceFilter::Parameters)?;
                let template = self.using(file, &path)?;
                let mut inputs = self.compiled_parameters(&path, text)?;
                self.loader.placement.answer(&mut inputs);
                self.values(template, inputs)
            }
            FileKind::Template => {
                let (name, bytes) = values::read(file)?;
                let template = match String::from_utf8(bytes) {
                    Ok(text) => {
                        let text: Arc<str> = text.into();
                        let id = self.sources.add(&name, Arc::clone(&text));
                        self.template(text, id)?
                    }
                    // The reader says which byte is wrong.
                    Err(error) => {
                        let id =
                            self.sources.add(&name, String::from_utf8_lossy(error.as_bytes()).into_owned());
                        Arc::new(Template::read_file(error.into_bytes(), id, &self.loader.limits)?)
                    }
                };
                self.values(template, Inputs::default())
            }
        }
    }

    fn template(&mut self, text: Arc<str>, file: FileId) -> Result<Arc<Template>, DeploymentLoadError> {
        Ok(Arc::new(Template::read_file(&*text, file, &self.loader.limits)?))
    }

    /// The template that a parameters file, which was compiled, is for.
    fn using(&mut self, file: &Path, path: &FilePath) -> Result<Arc<Template>, DeploymentLoadError> {
        let shown = input::display_name(file.as_os_str());
        let using = self.loader.compiler().and_then(|compiler| compiler.using(path));
        let refuse = |message: String| -> DeploymentLoadError {
            TemplateError::new(code::INVALID_TEMPLATE, message)
                .hint("name the template on the command line, and this file with `--parameters`")
                .into()
        };
        match using {
            Some(Using::Template(text)) => {
                let id = match self.loader.compiler().and_then(|compiler| compiler.used_program(path)) {
                    Some(program) => self.sources.add_compiled(&program, Arc::clone(&text)),
                    None => self.sources.add(&format!("{shown} (template)"), Arc::clone(&text)),
                };
                self.template(text, id)
            }
            Some(Using::Spec(id)) => Err(refuse(format!(
                "`{shown}` is for the template spec `{id}`, which is not on this machine"
            ))),
            None => Err(refuse(format!("`{shown}` is for no template: it says `using none`"))),
        }
    }

    fn parameters(&mut self, file: &Path) -> Result<Inputs, DeploymentLoadError> {
        let mut inputs = match FileKind::of(file.as_os_str()) {
            FileKind::Program | FileKind::Parameters => {
                let (path, text) = self.compile(file, SourceFilter::Parameters)?;
                self.compiled_parameters(&path, text)?
            }
            // Which parameters are secure is not known here: any may be.
            FileKind::Template => values::parameters(file, true, &mut self.sources)?,
        };
        for given in &self.loader.options.param {
            values::parameter(given, None, &mut inputs, &mut self.sources)?;
        }
        self.resolve(&mut inputs, InputFilter::Everything)?;
        Ok(inputs)
    }

    /// Finds the values of external inputs, if that is wanted.
    pub(super) fn resolve(
        &self,
        inputs: &mut Inputs,
        wanted: InputFilter,
    ) -> Result<(), DeploymentLoadError> {
        let Some(options) = self.loader.inputs else { return Ok(()) };
        let folder = |file: FileId| self.sources.folder(file);
        external_inputs::resolve(inputs, wanted, options, &folder, self.loader.stdin_is_taken)
    }

    /// What a compiled parameters file gives.
    pub(super) fn compiled_parameters(
        &mut self,
        path: &FilePath,
        text: Arc<str>,
    ) -> Result<Inputs, DeploymentLoadError> {
        let id = self.sources.add_compiled(path, Arc::clone(&text));
        self.sources.lies_in(id, Path::new(path.folder().as_str()));
        Ok(Inputs::read(&*text, id, &self.loader.limits)?)
    }

    /// Adds the values of the command line.
    fn values(
        &mut self,
        template: Arc<Template>,
        mut inputs: Inputs,
    ) -> Result<UnboundTemplate, DeploymentLoadError> {
        let secure = template.parameters.iter().any(|parameter| template.has_secrets(&parameter.ty));
        let mut errors = Vec::new();
        for file in &self.loader.options.parameters {
            let given = if values::is_bicep_parameters(file.as_os_str()) {
                self.compile(file, SourceFilter::Parameters)
                    .and_then(|(path, text)| self.compiled_parameters(&path, text))
            } else {
                values::parameters(file, secure, &mut self.sources)
            };
            match given {
                Ok(given) => inputs.extend(given),
                Err(DeploymentLoadError::Errors { errors: found, told: false }) => errors.extend(found),
                Err(refused) => return Err(refused),
            }
        }
        if !errors.is_empty() {
            return Err(errors.into());
        }
        for given in &self.loader.options.param {
            values::parameter(given, Some(&template), &mut inputs, &mut self.sources)?;
        }
        for place in inputs.secret_places(&template) {
            self.sources.hide(&place);
        }
        for parameter in template.parameters.iter().filter(|parameter| template.has_secrets(&parameter.ty)) {
            if let Some(place) = inputs.location_of(&parameter.name) {
                self.sources.hide_parameter(place.span.file, &parameter.name);
            }
            if let Some(default) = &parameter.default {
                let place = template.location(default.span);
                self.sources.hide(&place);
                self.sources.hide_parameter(place.span.file, &parameter.name);
            }
        }
        if self.loader.leaves_open {
            let missing =
                |parameter: &&Parameter| parameter.default.is_none() && inputs.get(&parameter.name).is_none();
            let open: Vec<&Parameter> = template.parameters.iter().filter(missing).collect();
            for parameter in open {
                let unknown = Expression::call("parameters", [Expression::text(parameter.name.clone())]);
                inputs.set_source(&parameter.name, ParameterSource::Later(unknown));
            }
        }
        context::supply(&self.loader.mocks, &mut inputs);
        self.resolve(&mut inputs, InputFilter::Parameters)?;
        Ok(UnboundTemplate { template, inputs })
    }

    fn bind(
        &mut self,
        mut read: UnboundTemplate,
        file: Option<&Path>,
        surroundings: ContextKind<'_>,
    ) -> Result<Deployment, DeploymentLoadError> {
        let context = self.loader.context(&read.template, file, surroundings)?;
        let mocks = Arc::clone(&self.loader.mocks);
        let is_simulated = surroundings.is_simulated();
        if is_simulated && let Some(file) = file.and_then(TemplateFile::new) {
            artifacts::supply(&read.template, &file, &mut read.inputs);
        }
        if is_simulated {
            let said = &self.loader.options.param;
            let is_of = |said: &String, name: &str| {
                said.split_once('=').is_some_and(|(said, _)| said.eq_ignore_ascii_case(name))
            };
            let is_said = |name: &str| said.iter().any(|said| is_of(said, name));
            self.remarks.extend(placeholders::replace(&read.template, &mut read.inputs, is_said));
        }
        let secrets = |reference: &SecretReference| {
            let known = context::secret(&mocks, reference);
            known.or_else(|| is_simulated.then(|| reference.simulated())).map(Ok)
        };
        Ok(Deployment::with_inputs(read.template, &read.inputs, context, &secrets)?)
    }

    /// Compiles a Bicep file to the text of its template or parameters.
    pub(super) fn compile(
        &mut self,
        file: &Path,
        kind: SourceFilter,
    ) -> Result<(FilePath, Arc<str>), DeploymentLoadError> {
        check_name(file, kind)?;
        let shown = input::display_name(file.as_os_str());
        // A file that is not there is no finding about a program.
        File::open(file).map_err(|error| CommandError::reading(&format!("`{shown}`"), &error))?;
        let Some(compiler) = self.loader.compiler() else {
            return Err(CommandError::Environment(format!("`{shown}` needs the compiler")).into());
        };
        let path = disk::file_path(file);
        let compilation = compiler.compile(&path);
        let text = compilation.template.clone();
        let refused = || does_not_compile(compiler, &shown, &compilation);
        let result = text.ok_or_else(|| DeploymentLoadError::Errors { errors: vec![refused()], told: true });
        let job = Job { path: path.clone(), named: file.to_owned(), output: None };
        self.compiled.push((job, compilation));
        Ok((path, result?))
    }
}

/// The findings of the compiler as an error of a template.
fn does_not_compile(compiler: &Compiler, shown: &str, compilation: &Compilation) -> TemplateError {
    let mut details = Vec::new();
    for (path, findings) in &compilation.findings {
        let text = match compiler.file(path).as_deref() {
            Ok(SourceFile::Bicep(file)) => file.tree.shared_text(),
            _ => "".into(),
        };
        let lines = LineIndex::new(text);
        for finding in findings.iter().filter(|finding| finding.is_error()) {
            details.push(detail(&lines, path, finding));
        }
    }
    let count = details.len();
    let noun = if count == 1 { "error" } else { "errors" };
    let message = Message::sentence(format!("`{shown}` does not compile: it has {count} {noun}"));
    TemplateError::new(DOES_NOT_COMPILE, message).details(details)
}

/// The code of a program with errors, which no service sees.
const DOES_NOT_COMPILE: &str = "InvalidBicepFile";

fn detail(lines: &LineIndex, path: &FilePath, finding: &Finding) -> TemplateError {
    let position = lines.position(finding.span.start, Columns::Scalars);
    let location = ErrorLocation {
        span: Span::new(FileId::NONE, finding.span.start, finding.span.end),
        line: position.line,
        column: position.column,
        path: String::new(),
    };
    let error = TemplateError::new(finding.code.to_owned(), finding.message.clone());
    let error = error.target(shortened(path)).at(location);
    match &finding.hint {
        Some(hint) => error.hint(hint.clone()),
        None => error,
    }
}
