//! From the body of a request to a deployment.

use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use arm::binding::Inputs;
use arm::deployment::{Context, Deployment, Mode};
use arm::evaluate::{Moment, Scope};
use arm::template::{Limits, Template};
use engine::together;

use crate::body;
use crate::call::Call;
use crate::refusal::{Refusal, broken};

/// A deployment that somebody asks for.
pub(super) struct Wanted {
    /// Its parameters are bound and hold.
    pub(super) deployment: Arc<Deployment>,
    /// What becomes of resources that it does not name.
    pub(super) mode: Mode,
}

/// Reads the body of a request for a deployment.
pub(super) fn wanted(call: &Call, scope: Scope, name: &str) -> Result<Wanted, Refusal> {
    let document = body::read(&call.body)?;
    let root = document.root();
    let invalid = |message: &str| Refusal::new("InvalidRequestContent", message);
    let properties = root.member("properties").ok_or_else(|| invalid("the request has no `properties`"))?;
    let template = properties.member("template").ok_or_else(|| {
        invalid("the deployment has no `template`; links to templates are not followed by this server")
    })?;
    let mode = match properties.member("mode").map(|mode| mode.as_str()) {
        None => Mode::Incremental,
        Some(text) => text
            .and_then(Mode::parse)
            .ok_or_else(|| invalid("the `mode` of a deployment is `Incremental` or `Complete`"))?,
    };
    let mut context = Context::local(scope, name);
    context.mode = mode;
    context.now = now();
    context.seed = seed()?;
    if let Some(location) = root.member("location").and_then(|location| location.as_str()) {
        context.location = Some(location.into());
    }
    let (template, inputs) = (template.id(), properties.id());
    let refuse = |errors| Refusal::from(together(errors));
    let template =
        Template::from_document(Arc::clone(&document), template, &Limits::default()).map_err(refuse)?;
    let inputs = Inputs::from_document(document, inputs).map_err(refuse)?;
    let deployment =
        Deployment::with_inputs(Arc::new(template), &inputs, context, &|_| None).map_err(refuse)?;
    Ok(Wanted { deployment: Arc::new(deployment), mode })
}

fn now() -> Moment {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    Moment { seconds: i64::try_from(since.as_secs()).unwrap_or(i64::MAX), ticks: since.subsec_nanos() / 100 }
}

/// What new ids are made from.
fn seed() -> Result<u128, Refusal> {
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes).map_err(|error| broken(&error))?;
    Ok(u128::from_ne_bytes(bytes))
}
