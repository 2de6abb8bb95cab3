//! What a case runs with: its program, its mocks, and the values of its parameters.

use std::sync::Arc;

use arm::Value;
use arm::binding::{Inputs, SecretReference};
use arm::budget::Budget;
use arm::deployment::{Deployment, DeploymentContext, Mocks, Unresolved};
use arm::evaluate::{Moment, Scope};
use arm::template::{Template, TemplateError, TemplateLimits};
use bicep::FilePath;
use diagnostics::FileId;
use document::{Document, ReadLimits};

use crate::body::{BodyError, CaseBody, ParamsLayer, TestMode};
use crate::evaluation::WORK;
use crate::functions::functions;
use crate::given::LeftState;
use crate::program::Program;
use crate::session::Session;

/// How a case ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CaseStatus {
    Succeeded,
    Failed,
    Refused,
}

impl CaseStatus {
    pub(crate) fn word(self) -> &'static str {
        match self {
            CaseStatus::Succeeded => "Succeeded",
            CaseStatus::Failed => "Failed",
            CaseStatus::Refused => "Refused",
        }
    }
}

/// What a case runs with.
pub(crate) struct CaseSetup<'c> {
    pub(crate) session: &'c Session<'c>,
    pub(crate) program: &'c Program,
    pub(crate) body: &'c CaseBody,
    /// The folder of the test file.
    pub(crate) folder: &'c FilePath,
    pub(crate) id: &'c str,
    /// What another test left.
    pub(crate) before: Option<&'c LeftState>,
    pub(crate) mocks: Arc<Mocks>,
}

/// The mocks of a case, which remember what they answer.
pub(crate) fn mocks_of(body: &CaseBody) -> Result<Arc<Mocks>, BodyError> {
    if body.mocks.is_null() {
        return Ok(Arc::default());
    }
    let mocks = Mocks::new(body.mocks.clone()).map_err(|why| BodyError::new("mocks", why))?;
    Ok(Arc::new(mocks.remembering()))
}

/// The name of a deployment whose test does not say one: that of its file.
fn deployment_name(path: &FilePath) -> String {
    let name = path.name();
    let stem = name.strip_suffix(path.extension()).unwrap_or(name);
    let stem = stem.replace(|letter: char| !letter.is_alphanumeric() && !"-._()".contains(letter), "-");
    if stem.is_empty() { "main".to_owned() } else { stem }
}

impl CaseSetup<'_> {
    /// Where the case deploys to.
    pub(crate) fn scope(&self, template: &Template) -> Scope {
        self.body.scope.clone().unwrap_or_else(|| DeploymentContext::local_scope(template.scope))
    }

    pub(crate) fn name(&self) -> String {
        self.body.name.clone().unwrap_or_else(|| deployment_name(&self.program.path))
    }

    fn context(&self, template: &Template, now: Moment, seed: u128) -> DeploymentContext {
        let mut context = DeploymentContext {
            now,
            seed,
            mocks: Arc::clone(&self.mocks),
            unresolved: match self.body.mode {
                TestMode::Deploy => Unresolved::Error,
                TestMode::Snapshot => Unresolved::Keep,
            },
            budget: Budget::of_steps(WORK),
            extra_functions: if self.session.is_covering() { functions() } else { Default::default() },
            ..DeploymentContext::local(self.scope(template), self.name())
        };
        if let Some(location) = &self.body.location {
            context.location = Some(location.into());
        }
        let tenant = self.mocks.get("tenant").and_then(Value::as_object).and_then(|it| it.get("tenantId"));
        if let Some(tenant) = tenant.and_then(Value::as_str) {
            context.tenant = Some(tenant.into());
        }
        context
    }

    /// What gives values to the parameters of a template.
    pub(crate) fn inputs(&self, of_program: &Inputs) -> Result<Inputs, BodyError> {
        let mut inputs = of_program.clone();
        for layer in &self.body.params {
            match layer {
                ParamsLayer::Values(values) => {
                    for (name, value) in values.plain().as_object().into_iter().flat_map(|it| it.iter()) {
                        inputs.set(name, value.clone());
                    }
                }
                ParamsLayer::File(path) => {
                    let given = self.file(path).map_err(|why| BodyError::new("params", why))?;
                    inputs.extend(given);
                }
            }
        }
        let answers = self.mocks.get("externalInputs").and_then(Value::as_object);
        if let Some(answers) = answers {
            for missing in inputs.all_missing_externals() {
                if let Some(value) = answers.get(&missing.input.key) {
                    self.mocks.note(|| format!("externalInputs.{}", missing.input.key));
                    inputs.supply(&missing.input, value.clone());
                }
            }
        }
        Ok(inputs)
    }

    /// A file that is named from the folder of the test file.
    fn beside(&self, path: &str) -> Result<FilePath, String> {
        let has_drive = path.as_bytes().get(1) == Some(&b':');
        match path.starts_with('/') || has_drive || path.contains(['\\', '\0']) {
            true => Err(format!("`{path}` is not a path from the folder of the test file")),
            false => Ok(self.folder.join(path)),
        }
    }

    fn file(&self, path: &str) -> Result<Inputs, String> {
        let target = self.beside(path)?;
        let compiler = self.session.compiler;
        let words = |errors: Vec<TemplateError>| {
            let errors: Vec<String> = errors.iter().map(|error| error.brief().into_owned()).collect();
            format!("`{path}`: {}", errors.join("; "))
        };
        if target.extension().eq_ignore_ascii_case(".bicepparam") {
            let compilation = compiler.compile(&target);
            let Some(text) = compilation.template else {
                let first = compilation.findings.iter().flat_map(|(_, found)| found.iter());
                let first = first.into_iter().find(|finding| finding.is_error());
                let why = first.map_or_else(String::new, |finding| format!(": {}", finding.sentence()));
                return Err(format!("`{path}` does not compile{why}"));
            };
            return Inputs::read(&*text, FileId::FIRST, &TemplateLimits::DEFAULT).map_err(words);
        }
        let bytes = compiler.world().read(&target);
        let bytes = bytes.map_err(|_| format!("`{path}` cannot be read"))?;
        let is_yaml = [".yaml", ".yml"].iter().any(|known| target.extension().eq_ignore_ascii_case(known));
        if is_yaml {
            let document = Document::from_yaml(bytes.to_vec(), FileId::FIRST, &ReadLimits::DEFAULT);
            let document = document.map_err(|error| format!("`{path}`: {error}"))?;
            let root = document.root().id();
            return Inputs::from_handwritten(Arc::new(document), root).map_err(words);
        }
        Inputs::read_handwritten(bytes.to_vec(), FileId::FIRST, &TemplateLimits::DEFAULT).map_err(words)
    }

    /// The deployment of the case, at a time and with new ids that are made from a seed.
    pub(crate) fn deployment(
        &self,
        template: &Arc<Template>,
        inputs: &Inputs,
        now: Moment,
        seed: u128,
    ) -> Result<Arc<Deployment>, Vec<TemplateError>> {
        let context = self.context(template, now, seed);
        self.session.host.check_scope(template, &context.scope).map_err(|error| vec![error])?;
        self.bound(template, inputs, context)
    }

    /// The deployment of the case in surroundings.
    pub(crate) fn bound(
        &self,
        template: &Arc<Template>,
        inputs: &Inputs,
        context: DeploymentContext,
    ) -> Result<Arc<Deployment>, Vec<TemplateError>> {
        let secrets = |reference: &SecretReference| {
            self.mocks.secret(&reference.vault, &reference.secret).cloned().map(Ok)
        };
        Deployment::with_inputs(Arc::clone(template), inputs, context, &secrets).map(Arc::new)
    }

    /// The text of a file beside the test file.
    pub(crate) fn text(&self, path: &str) -> Result<String, String> {
        let bytes = self.session.compiler.world().read(&self.beside(path)?);
        let bytes = bytes.map_err(|_| format!("`{path}` cannot be read"))?;
        String::from_utf8(bytes.to_vec()).map_err(|_| format!("`{path}` is not UTF-8"))
    }
}
