//! Predictions: what a deployment of a file would make, drawn or as JSON, and the values of expressions in it.

use std::sync::Arc;

use arm::binding::{Inputs, ParameterSource, SecretReference};
use arm::deployment::{Deployment, DeploymentContext, Mocks, PartialContext, Unresolved, snapshot, value_of};
use arm::evaluate::{Moment, Reduced, Scope};
use arm::expression::{Expression, TemplateString, parse};
use arm::template::{Template, TemplateError, TemplateLimits, code};
use arm::{Value, template_text};
use bicep::{Compiler, FilePath, Using};
use contract::MASK;
use document::findings::Notation;
use document::{Document, ReadLimits};
use graph::svg::SvgOptions;
use graph::{NoOrigins, dot, mermaid, svg};
use smol_str::SmolStr;

use crate::Project;
use crate::diagnostic::PlacedDiagnostic;
use crate::project::path_of;
use crate::sources::QuestionSources;

/// What a prediction is told.
#[derive(Clone, Debug, Default)]
pub struct PredictionInputs {
    /// The values of parameters by name, or a parameters file: JSON or YAML.
    pub parameters: Option<String>,
    /// What functions such as `reference` say, by function and resource: JSON or YAML, as a mocks file has it.
    pub mocks: Option<String>,
    /// The id of the scope, such as `/subscriptions/S/resourceGroups/G`; without it, what depends on it stays an expression.
    pub scope: Option<String>,
    /// The location of the scope.
    pub location: Option<String>,
    /// The name of the deployment; that of the file if there is none.
    pub name: Option<String>,
    /// Seconds since 1970, UTC: what `utcNow` gives.
    pub now: i64,
}

/// How a picture is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PictureForm {
    /// A picture for browsers.
    Svg,
    /// A flowchart for Markdown.
    Mermaid,
    /// A graph for Graphviz.
    Dot,
}

/// How much of the surroundings is made up.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Surroundings {
    /// Nothing: what is not said stays an expression.
    Told,
    /// Everything that is not said, and parameters without a value stay open.
    Local,
    /// The same, for an expression alone: a parameter without a value is open, too.
    Expression,
}

type Answer<T> = Result<T, Vec<PlacedDiagnostic>>;

impl Project {
    /// Predicts the resources and outputs of a program, a parameters file or a template: the document that `tendon snapshot` writes.
    pub fn snapshot(&self, name: &str, inputs: &PredictionInputs) -> Answer<String> {
        self.with_deployment(name, inputs, Surroundings::Told, |deployment| {
            Ok(text(&snapshot(deployment)?.to_json()))
        })
    }

    /// Draws the resources and modules of a program, a parameters file or a template with what depends on what.
    pub fn picture(&self, name: &str, inputs: &PredictionInputs, form: PictureForm) -> Answer<String> {
        self.with_deployment(name, inputs, Surroundings::Local, |deployment| {
            let (graph, _) = graph::of(name, &deployment, &NoOrigins)?;
            match form {
                PictureForm::Mermaid => Ok(mermaid::mermaid(&graph)),
                PictureForm::Dot => Ok(dot::dot(&graph)),
                PictureForm::Svg => svg::svg(&graph, &SvgOptions::default())
                    .map_err(|error| vec![TemplateError::new(code::INVALID_TEMPLATE, error.to_string())]),
            }
        })
    }

    /// The value of a template expression, as JSON, with the declarations of a program around it.
    pub fn evaluate(&self, name: &str, expression: &str, inputs: &PredictionInputs) -> Answer<String> {
        let written = match TemplateString::of(expression) {
            TemplateString::Expression(inner) => parse(inner),
            TemplateString::Text(_) => parse(expression),
        };
        let expression = written.map_err(|error| {
            let message = format!("the expression is not valid: {error}");
            vec![PlacedDiagnostic::plain(code::INVALID_TEMPLATE, message)]
        })?;
        self.with_deployment(name, inputs, Surroundings::Expression, |deployment| {
            Ok(match value_of(&deployment, &expression)? {
                Reduced::Value(value) => text(&value),
                Reduced::Expression(rest) => text(&Value::text(format!("[{rest}]"))),
            })
        })
    }

    fn with_deployment<T>(
        &self,
        name: &str,
        inputs: &PredictionInputs,
        surroundings: Surroundings,
        ask: impl FnOnce(Arc<Deployment>) -> Result<T, Vec<TemplateError>>,
    ) -> Answer<T> {
        let mocks = match &inputs.mocks {
            Some(text) => mocks(text).map_err(|message| {
                vec![PlacedDiagnostic::plain(code::INVALID_REQUEST_CONTENT, format!("mocks: {message}"))]
            })?,
            None => Mocks::default(),
        };
        // Mocks, expressions and pictures name resources as the program does.
        let compiler = match surroundings == Surroundings::Told && !names_symbols(&mocks) {
            true => self.compiler(),
            false => self.named_compiler(),
        };
        let mut sources = QuestionSources::new(self, compiler);
        let asked = Question { project: self, compiler, inputs, surroundings, mocks: Arc::new(mocks) };
        let deployment = asked.deployment(&path_of(name), &mut sources)?;
        ask(Arc::new(deployment)).map_err(|errors| sources.diagnostics(&errors))
    }

    /// The template of a program or of a JSON file, with what a parameters file gives.
    pub(crate) fn template(
        &self,
        path: &FilePath,
        compiler: &Compiler,
        sources: &mut QuestionSources<'_>,
    ) -> Answer<(Arc<Template>, Inputs)> {
        let limits = TemplateLimits::DEFAULT;
        let extension = path.extension().to_ascii_lowercase();
        if extension != ".bicep" && extension != ".bicepparam" {
            let text = self.text(path)?;
            let file = sources.add(&self.shown(path), Arc::clone(&text));
            let template = Template::read_file(&*text, file, &limits);
            return match template {
                Ok(template) => Ok((Arc::new(template), Inputs::default())),
                Err(errors) => Err(sources.diagnostics(&errors)),
            };
        }
        let compiled = |path: &FilePath| match self.compile_with(compiler, path) {
            (Some(text), _) => Ok(text),
            (None, found) => Err(found.into_iter().filter(PlacedDiagnostic::is_error).collect::<Vec<_>>()),
        };
        let text = compiled(path)?;
        let mut inputs = Inputs::default();
        let (text, program) = match extension.as_str() {
            ".bicep" => (text, Some(path.clone())),
            _ => {
                let file = sources.add_compiled(path, Arc::clone(&text));
                inputs =
                    Inputs::read(&*text, file, &limits).map_err(|errors| sources.diagnostics(&errors))?;
                match compiler.using(path) {
                    Some(Using::Template(text)) => (text, compiler.used_program(path)),
                    Some(Using::Spec(id)) => {
                        let message = format!("the file is for the template spec `{id}`, which is not here");
                        return Err(vec![PlacedDiagnostic::plain(code::INVALID_TEMPLATE, message)]);
                    }
                    None => {
                        let message = "the file is for no template: it says `using none`";
                        return Err(vec![PlacedDiagnostic::plain(code::INVALID_TEMPLATE, message)]);
                    }
                }
            }
        };
        let file = match program {
            Some(program) => sources.add_compiled(&program, Arc::clone(&text)),
            None => sources.add("template", Arc::clone(&text)),
        };
        match Template::read_file(&*text, file, &limits) {
            Ok(template) => Ok((Arc::new(template), inputs)),
            Err(errors) => Err(sources.diagnostics(&errors)),
        }
    }
}

/// One question about a deployment.
struct Question<'q> {
    project: &'q Project,
    compiler: &'q Compiler,
    inputs: &'q PredictionInputs,
    surroundings: Surroundings,
    mocks: Arc<Mocks>,
}

impl Question<'_> {
    fn deployment(&self, path: &FilePath, sources: &mut QuestionSources<'_>) -> Answer<Deployment> {
        let (template, mut inputs) = self.project.template(path, self.compiler, sources)?;
        if let Some(text) = &self.inputs.parameters {
            let has_secrets = template.parameters.iter().any(|parameter| template.has_secrets(&parameter.ty));
            inputs.extend(given(text, has_secrets, sources)?);
        }
        if self.surroundings != Surroundings::Told {
            for parameter in template.parameters.iter() {
                if parameter.default.is_none() && inputs.get(&parameter.name).is_none() {
                    let open = Expression::call("parameters", [Expression::text(parameter.name.clone())]);
                    inputs.set_source(&parameter.name, ParameterSource::Later(open));
                }
            }
        }
        supply(&self.mocks, &mut inputs);
        let context = self.context(&template, path)?;
        let secrets = |reference: &SecretReference| {
            self.mocks.secret(&reference.vault, &reference.secret).cloned().map(Ok)
        };
        Deployment::with_inputs(template, &inputs, context, &secrets)
            .map_err(|errors| sources.diagnostics(&errors))
    }

    fn context(&self, template: &Template, path: &FilePath) -> Answer<DeploymentContext> {
        let scope = match &self.inputs.scope {
            Some(id) => Some(Scope::parse(id).ok_or_else(|| {
                let message = format!("`{id}` is no scope; write it as `/subscriptions/S/resourceGroups/G`");
                vec![PlacedDiagnostic::plain(code::INVALID_TEMPLATE, message)]
            })?),
            None => None,
        };
        let stem = path.name().strip_suffix(path.extension()).unwrap_or(path.name());
        let name = self.inputs.name.as_deref().unwrap_or(stem);
        let mut context = match self.surroundings {
            Surroundings::Told => {
                let mut known = PartialContext { deployment: Some(name.into()), ..PartialContext::default() };
                match scope {
                    Some(Scope::ManagementGroup(name)) => known.management_group = Some(name),
                    Some(Scope::Subscription(id)) => known.subscription = Some(id),
                    Some(Scope::ResourceGroup { subscription, name }) => {
                        known.subscription = Some(subscription);
                        known.resource_group = Some(name);
                    }
                    Some(Scope::Unknown | Scope::Tenant | Scope::Plane { .. }) | None => {}
                }
                DeploymentContext::predicted(template.scope, known)
            }
            Surroundings::Local | Surroundings::Expression => {
                let scope = scope.unwrap_or_else(|| DeploymentContext::local_scope(template.scope));
                DeploymentContext { unresolved: Unresolved::Keep, ..DeploymentContext::local(scope, name) }
            }
        };
        context.now = Moment { seconds: self.inputs.now, ticks: 0 };
        if let Some(location) = &self.inputs.location {
            context.location = Some(SmolStr::new(location));
        }
        let tenant = self.mocks.get("tenant").and_then(Value::as_object).and_then(|it| it.get("tenantId"));
        if let Some(tenant) = tenant.and_then(Value::as_str) {
            context.tenant = Some(tenant.into());
        }
        context.mocks = Arc::clone(&self.mocks);
        Ok(context)
    }
}

/// The values of parameters that somebody wrote.
fn given(written: &str, has_secrets: bool, sources: &mut QuestionSources<'_>) -> Answer<Inputs> {
    let file = sources.add("parameters", written);
    // No word of a text that cannot be read is shown if a secret may be in it.
    let hidden = |found: PlacedDiagnostic| match has_secrets {
        true => PlacedDiagnostic { message: format!("the parameters cannot be read ({MASK})"), ..found },
        false => found,
    };
    let read = Notation::read_either(written, file, &ReadLimits::DEFAULT, None);
    let documents = read.map_err(|error| {
        vec![hidden(PlacedDiagnostic::of(&error, &sources.map, diagnostics::Columns::Scalars))]
    })?;
    let Ok([document]) = <[Document; 1]>::try_from(documents) else {
        let message = "the parameters are several documents; write one";
        return Err(vec![PlacedDiagnostic::plain(code::INVALID_REQUEST_CONTENT, message)]);
    };
    let root = document.root().id();
    Inputs::from_handwritten(Arc::new(document), root).map_err(|errors| sources.diagnostics(&errors))
}

/// What mocks say. Secrets are in them, so that no word of what cannot be read is shown.
fn mocks(written: &str) -> Result<Mocks, String> {
    let file = diagnostics::FileId::FIRST;
    let documents = Notation::read_either(written, file, &ReadLimits::DEFAULT, None)
        .map_err(|_| "they cannot be read; write one object, in JSON or YAML".to_owned())?;
    let [document] = documents.as_slice() else {
        return Err("they are several documents; write one".to_owned());
    };
    Mocks::new(Value::from_view(document.root()).map_err(|error| error.to_string())?)
}

/// Whether an answer is for the symbolic name of a resource, so that templates need them.
fn names_symbols(mocks: &Mocks) -> bool {
    let by_resource = |function: &str| function == "reference" || function.starts_with("list");
    let members = mocks.content().as_object().into_iter().flatten();
    let answers = members.filter(|(function, _)| by_resource(function.as_str()));
    answers
        .flat_map(|(_, answers)| answers.as_object().into_iter().flatten())
        .any(|(name, _)| !name.contains('/'))
}

/// Gives external inputs the values that mocks have for them: `externalInputs` by key.
fn supply(mocks: &Mocks, inputs: &mut Inputs) {
    let Some(values) = mocks.get("externalInputs").and_then(Value::as_object) else { return };
    for missing in inputs.all_missing_externals() {
        if let Some(value) = values.get(&missing.input.key) {
            inputs.supply(&missing.input, value.clone());
        }
    }
}

/// A value as people read it.
pub(crate) fn text(value: &Value) -> String {
    let mut text = template_text::indented(value.view());
    text.push('\n');
    text
}
