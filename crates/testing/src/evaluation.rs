//! The template of a test file, evaluated: bodies of tests, and conditions of asserts.

use std::sync::Arc;

use arm::budget::Budget;
use arm::deployment::{Deployment, DeploymentContext, Mocks, Unresolved};
use arm::evaluate::{Moment, Scope};
use arm::template::{Template, TemplateError, TemplateLimits};
use arm::{Value, hash};
use smol_str::SmolStr;

use crate::functions::functions;

/// How many steps of evaluation one case may take in all: seconds of work.
pub(crate) const WORK: u64 = 100_000_000;

/// A test file that was compiled.
pub(crate) struct TestTemplate {
    template: Arc<Template>,
}

/// What the expressions of a case see around them.
#[derive(Clone)]
pub(crate) struct Around {
    pub(crate) scope: Scope,
    pub(crate) time: Moment,
    pub(crate) mocks: Arc<Mocks>,
    /// The id of the case.
    pub(crate) id: String,
}

/// What `newGuid()` is made from in a case.
pub(crate) fn seed_of(id: &str) -> u128 {
    u128::from_be_bytes(hash::guid_bytes([id]))
}

impl Around {
    /// The surroundings of a case that says nothing of them.
    pub(crate) fn default_of(id: &str, time: Moment) -> Around {
        let scope = DeploymentContext::local_scope(arm::template::ScopeKind::ResourceGroup);
        Around { scope, time, mocks: Arc::default(), id: id.to_owned() }
    }

    fn context(&self) -> DeploymentContext {
        DeploymentContext {
            now: self.time,
            seed: seed_of(&self.id),
            mocks: Arc::clone(&self.mocks),
            unresolved: Unresolved::Error,
            budget: Budget::of_steps(WORK),
            extra_functions: functions(),
            ..DeploymentContext::local(self.scope.clone(), "test")
        }
    }
}

/// The test file with the results of some tests.
pub(crate) struct Evaluation(Deployment);

impl TestTemplate {
    pub(crate) fn read(text: &str) -> Result<TestTemplate, String> {
        let template = Template::read_with(text, &TemplateLimits::DEFAULT, functions());
        let template = template.map_err(|errors| in_words(&errors))?;
        Ok(TestTemplate { template: Arc::new(template) })
    }

    /// Puts the results of tests in.
    pub(crate) fn with(&self, around: &Around, results: Vec<(SmolStr, Value)>) -> Result<Evaluation, String> {
        let made = Deployment::with_values(Arc::clone(&self.template), results, around.context());
        made.map(Evaluation).map_err(|errors| in_words(&errors))
    }
}

fn in_words(errors: &[TemplateError]) -> String {
    errors.first().map_or_else(String::new, |error| error.brief().into_owned())
}

impl Evaluation {
    /// The body of a test.
    pub(crate) fn body(&self, test: &str) -> Result<Value, String> {
        self.output(&format!("test:{test}"))
    }

    /// The condition of an assert.
    pub(crate) fn assert(&self, assert: &str) -> Result<bool, String> {
        truth(self.output(&format!("assert:{assert}"))?)
    }

    /// One of the conditions that `&&` connects in an assert.
    pub(crate) fn part(&self, assert: &str, part: usize) -> Result<bool, String> {
        truth(self.output(&format!("assert:{assert}:{part}"))?)
    }

    /// A side of what a part compares.
    pub(crate) fn side(&self, assert: &str, part: usize, side: &str) -> Result<Value, String> {
        self.output(&format!("assert:{assert}:{part}:{side}"))
    }

    fn output(&self, name: &str) -> Result<Value, String> {
        match self.0.output(name) {
            Some(Ok(value)) => Ok(value),
            Some(Err(error)) => Err(error.message.into()),
            None => Err("it was not compiled".to_owned()),
        }
    }
}

fn truth(value: Value) -> Result<bool, String> {
    match value.plain() {
        Value::Bool(holds) => Ok(*holds),
        other => Err(format!("it must be a bool, not {}", other.kind())),
    }
}
