//! From the body of a request to a deployment.

use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use arm::binding::Inputs;
use arm::deployment::{Deployment, DeploymentContext, DeploymentMode};
use arm::evaluate::{Moment, Scope};
use arm::template::{EvaluationScope, Template, TemplateLimits};
use arm::{ObjectBuilder, Value};
use contract::Node;
use document::SourceValue;
use engine::together;

use super::{around, stored};
use crate::api_error::{ApiError, broken};
use crate::body;
use crate::routed_request::RoutedRequest;
use crate::work_slots::{WorkSlot, WorkSlots};

/// A deployment that somebody asks for.
pub(super) struct DeploymentRequest {
    /// Its parameters are bound and hold.
    pub(super) deployment: Arc<Deployment>,
    /// What becomes of resources that it does not name.
    pub(super) mode: DeploymentMode,
    /// Whether a prediction shows only the ids of resources.
    pub(super) only_ids: bool,
}

/// Who sends no more than this is not in the way while others use much memory.
const SMALL: usize = 16 * 1024;

/// A body that is larger is read where that hinders nobody.
const LARGE: usize = 256 * 1024;

/// How long a deployment waits for memory before it is refused, and how often it is looked.
const PATIENCE: Duration = Duration::from_secs(10);
const LOOK: Duration = Duration::from_millis(20);

const LONGEST_NAME: usize = 64;

/// What a request for a deployment may have.
const MEMBERS: &[&str] = &["location", "tags", "identity", "properties", "id", "name", "type", "scope"];

/// What its `properties` may have.
const PROPERTIES: &[&str] = &[
    "template",
    "templateLink",
    "parameters",
    "parametersLink",
    "externalInputs",
    "externalInputDefinitions",
    "externalInputValues",
    "extensionConfigs",
    "mode",
    "debugSetting",
    "onErrorDeployment",
    "expressionEvaluationOptions",
    "validationLevel",
    "whatIfSettings",
    "providerConfig",
];

fn busy() -> ApiError {
    ApiError::new("TooManyRequests", "the memory for deployments is in use; try again in a second")
}

/// Waits until there is a slot for the work of a request, and memory for what it makes. Who waits for memory has no slot meanwhile.
pub(super) async fn take_turn(call: &RoutedRequest, slots: &Arc<WorkSlots>) -> Result<WorkSlot, ApiError> {
    let budgets = &call.app.host.engine().budgets;
    let asked = Instant::now();
    loop {
        if budgets.may_begin(&call.caller.name) {
            let slot = slots.take(&call.caller.name).await?;
            // While it waited for the slot, others may have taken the memory.
            if budgets.may_begin(&call.caller.name) {
                return Ok(slot);
            }
        }
        if asked.elapsed() >= PATIENCE {
            return Err(busy());
        }
        tokio::time::sleep(LOOK).await;
    }
}

/// Reads the body of a request for a deployment.
pub(super) async fn parse_request(call: &RoutedRequest) -> Result<DeploymentRequest, ApiError> {
    let scope = call.path.scope.clone();
    let name = call.path.get("name").to_owned();
    check_name(&name)?;
    let group = stored::group_of(&call.app, &scope)?;
    let body = call.body.clone();
    let budgets = &call.app.host.engine().budgets;
    if call.body.len() > SMALL && budgets.is_nearly_empty() {
        return Err(busy());
    }
    let (reach, budget) = (call.caller.reach(), budgets.account_of(&call.caller.name));
    let context = DeploymentContext { reach, budget, ..DeploymentContext::local(scope, name) };
    let limits = call.app.limits.templates;
    let read = move || read(&body, context, group, &limits);
    if call.body.len() <= LARGE {
        return read();
    }
    tokio::task::spawn_blocking(read).await.map_err(|error| broken(&error))?
}

fn check_name(name: &str) -> Result<(), ApiError> {
    if name.chars().count() > LONGEST_NAME {
        let message = format!("the name of a deployment has at most {LONGEST_NAME} characters");
        return Err(ApiError::new("DeploymentNameLengthLimitExceeded", message));
    }
    let is_fine = |letter: char| letter.is_alphanumeric() || "-_.()".contains(letter);
    if !name.chars().all(is_fine) {
        let message = format!(
            "the name `{name}` of the deployment has other characters than letters, digits and `-_.()`"
        );
        return Err(ApiError::new("InvalidDeploymentName", message));
    }
    Ok(())
}

pub(super) fn invalid(message: impl Into<String>) -> ApiError {
    ApiError::new("InvalidRequestContent", message)
}

/// Members by name, whatever their case. Those that are null are not there; others than the known ones are refused.
fn members<'d>(
    object: SourceValue<'d>,
    what: &str,
    known: &[&'static str],
) -> Result<Vec<(&'static str, SourceValue<'d>)>, ApiError> {
    if !matches!(object.node(), Node::Object(_)) {
        return Err(invalid(format!("{what} is not an object")));
    }
    let mut found: Vec<(&'static str, SourceValue<'d>)> = Vec::new();
    for (key, value) in object.members() {
        let key = key.as_str().unwrap_or_default();
        let Some(name) = known.iter().find(|name| name.eq_ignore_ascii_case(key)) else {
            return Err(invalid(format!(
                "{what} has the unknown member `{key}`; it may have `{}`",
                known.join("`, `")
            )));
        };
        if found.iter().any(|(other, _)| other == name) {
            return Err(invalid(format!("{what} has `{name}` twice")));
        }
        if !matches!(value.node(), Node::Null) {
            found.push((name, value));
        }
    }
    Ok(found)
}

fn read(
    body: &hyper::body::Bytes,
    mut context: DeploymentContext,
    group: Option<Value>,
    limits: &TemplateLimits,
) -> Result<DeploymentRequest, ApiError> {
    // A template, its parameters, and a little around them.
    if body.len() > limits.bytes.saturating_mul(2).saturating_add(LARGE) {
        let message = format!(
            "a deployment has at most {} MiB of template and {0} MiB of parameters",
            limits.bytes >> 20
        );
        return Err(ApiError::new("RequestEntityTooLarge", message));
    }
    let document = body::read(body)?;
    let root = members(document.root(), "the request", MEMBERS)?;
    let of_root = |name: &str| root.iter().find(|(known, _)| *known == name).map(|(_, value)| *value);
    let properties = of_root("properties").ok_or_else(|| invalid("the request has no `properties`"))?;
    let inputs = properties.id();
    let properties = members(properties, "`properties`", PROPERTIES)?;
    let get = |name: &str| properties.iter().find(|(known, _)| *known == name).map(|(_, value)| *value);
    for (link, what) in [("templateLink", "template"), ("parametersLink", "parameters")] {
        if get(link).is_some() {
            let message = format!("this server follows no links; send `{what}` in place of `{link}`");
            return Err(ApiError::new("InvalidContentLink", message));
        }
    }
    if get("onErrorDeployment").is_some() {
        return Err(ApiError::new("NotSupported", "`onErrorDeployment` is not supported by this server"));
    }
    let template = get("template").ok_or_else(|| invalid("the deployment has no `template`"))?;
    let word = |name: &str, words: &[&'static str]| match get(name) {
        None => Ok(None),
        Some(value) => {
            let found =
                value.as_str().and_then(|text| words.iter().find(|word| word.eq_ignore_ascii_case(text)));
            let expected = || invalid(format!("`{name}` is one of `{}`", words.join("`, `")));
            found.copied().map(Some).ok_or_else(expected)
        }
    };
    let mode =
        word("mode", &["Incremental", "Complete"])?.and_then(DeploymentMode::parse).unwrap_or_default();
    if let Some(options) = get("expressionEvaluationOptions") {
        let options = members(options, "`expressionEvaluationOptions`", &["scope"])?;
        for (_, scope) in options {
            scope.as_str().and_then(EvaluationScope::parse).ok_or_else(|| {
                let words = EvaluationScope::WORDS.join("`, `");
                invalid(format!("`expressionEvaluationOptions.scope` is one of `{words}`"))
            })?;
        }
    }
    word("validationLevel", &["Template", "Provider", "ProviderNoRbac"])?;
    if mode == DeploymentMode::Complete && !matches!(context.scope, Scope::ResourceGroup { .. }) {
        let message = "only deployments to resource groups can have the mode `Complete`";
        return Err(ApiError::new("InvalidDeploymentMode", message));
    }
    let format = get("whatIfSettings").and_then(|settings| settings.member("resultFormat"));
    let only_ids =
        format.and_then(SourceValue::as_str).is_some_and(|text| text.eq_ignore_ascii_case("ResourceIdOnly"));
    let location = around::location(of_root("location"))?;
    around::check_debug(get("debugSetting"))?;
    context.mode = mode;
    surround(&mut context, location, group)?;
    if let Some(config) = get("providerConfig") {
        configure(&mut context, config)?;
    }
    if let Some(tags) = of_root("tags") {
        context.tags = around::tags(tags)?;
    }
    let template = template.id();
    let refuse = |errors| ApiError::from(together(errors));
    let template = Template::from_document(Arc::clone(&document), template, limits).map_err(refuse)?;
    if template.text().len() > limits.bytes {
        let message = format!("the template has more than {} MiB", limits.bytes >> 20);
        return Err(ApiError::new("RequestEntityTooLarge", message));
    }
    let inputs = Inputs::from_request(document, inputs).map_err(refuse)?;
    let deployment =
        Deployment::with_inputs(Arc::new(template), &inputs, context, &|_| None).map_err(refuse)?;
    let deployment = Arc::new(deployment);
    Ok(DeploymentRequest { deployment, mode, only_ids })
}

/// Says when and where a deployment is: its location is that of its group, or else the one that was sent.
pub(crate) fn surround(
    context: &mut DeploymentContext,
    location: Option<&str>,
    group: Option<Value>,
) -> Result<(), ApiError> {
    context.now = now();
    context.seed = seed()?;
    match (&context.scope, location) {
        (Scope::ResourceGroup { .. }, Some(_)) => {
            return Err(ApiError::new(
                "LocationNotAllowed",
                "a deployment to a resource group has no `location` of its own",
            ));
        }
        (Scope::ResourceGroup { .. }, None) => {}
        (Scope::Plane { .. }, _) => context.location = Some(location.unwrap_or("global").into()),
        (_, Some(location)) => context.location = Some(location.into()),
        (_, None) => {
            return Err(ApiError::new(
                "LocationRequired",
                "a deployment that is not to a resource group needs a `location`",
            ));
        }
    }
    if let Some(group) = group {
        context.location = stored::str_member(&group, "location").map(Into::into).or(context.location.take());
        let id = context.scope.id();
        context.set_resource_group(&id, of_group(&group));
    }
    Ok(())
}

/// Reads what clients of Radius say of the places that resources go to, by the name of the provider.
fn configure(context: &mut DeploymentContext, config: SourceValue<'_>) -> Result<(), ApiError> {
    if !matches!(context.scope, Scope::Plane { .. }) {
        return Err(invalid("only a deployment to a group of Radius can have `providerConfig`"));
    }
    let scope = |name: &str| {
        let value = config.member(name).and_then(|provider| provider.member("value"));
        let Some(text) = value.and_then(|value| value.member("scope")) else { return Ok(None) };
        let scope = text.as_str().and_then(Scope::parse);
        scope.map(Some).ok_or_else(|| invalid(format!("the scope of the provider `{name}` is not one")))
    };
    for name in ["radius", "deployments"] {
        let same = |scope: &Scope| scope.id().eq_ignore_ascii_case(&context.scope.id());
        if scope(name)?.is_some_and(|scope| !same(&scope)) {
            return Err(invalid(format!("the scope of the provider `{name}` is not that of the deployment")));
        }
    }
    context.azure = scope("az")?;
    match &context.azure {
        None | Some(Scope::ResourceGroup { .. } | Scope::Subscription(_)) => Ok(()),
        Some(_) => Err(invalid("the scope of the provider `az` is not a subscription or a resource group")),
    }
}

/// What `resourceGroup()` says of a group beyond its id.
fn of_group(group: &Value) -> Value {
    let mut members = ObjectBuilder::default();
    for name in ["location", "tags", "managedBy", "properties"] {
        if let Some(value) = group.as_object().and_then(|group| group.get(name)) {
            members.set(name.into(), value.clone());
        }
    }
    members.finish()
}

fn now() -> Moment {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    Moment { seconds: i64::try_from(since.as_secs()).unwrap_or(i64::MAX), ticks: since.subsec_nanos() / 100 }
}

/// What new ids are made from.
fn seed() -> Result<u128, ApiError> {
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes).map_err(|error| broken(&error))?;
    Ok(u128::from_ne_bytes(bytes))
}
