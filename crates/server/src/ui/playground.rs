//! The template playground: what a deployment of a template would do. Nothing is stored, and nothing is deployed.

use std::sync::Arc;
use std::time::{Duration, Instant};

use arm::Caseless as _;
use arm::binding::Inputs;
use arm::deployment::{Deployment, DeploymentContext, DeploymentMode, Plan};
use arm::evaluate::Scope;
use arm::template::{ErrorLocation, Parameter, Template, TemplateError, TemplateLimits};
use diagnostics::{Diagnostic, FileId, SourceMap, Span};
use engine::{Failure, StartError};
use graph::{Graph, NoOrigins};
use http::{Method, StatusCode};
use pages::ui::{DiagnosticView, Playground, PlaygroundResult, Section};

use super::{differences, page_shell, resource_check};
use crate::access::Access;
use crate::api_error::{ApiError, broken};
use crate::arm::{group_of, surround};
use crate::compiler::{Compile, Origin, is_template};
use crate::identity::authorize;
use crate::picture::drawing;
use crate::response::HttpResponse;
use crate::route::HttpRoute;
use crate::routed_request::{Query, RoutedRequest};
use crate::template_secrets as secrets;

/// The requests, one row for each.
pub(super) const ROWS: &[HttpRoute] = &[
    HttpRoute {
        method: Method::GET,
        pattern: "/ui/playground",
        access: Access::Somebody,
        about: "Asks for a template and its parameters.",
        handler: |call| Box::pin(async move { Ok(page(&call, &empty(&call))) }),
    },
    HttpRoute {
        method: Method::POST,
        pattern: "/ui/playground",
        access: Access::Somebody,
        about: "Says what a template would do; for deployers of its scope, as what-if is.",
        handler: |call| Box::pin(tried(call)),
    },
];

/// How large a template and its parameters may be.
const LARGEST: usize = 1 << 20;

/// How long somebody waits for a prediction.
const PATIENCE: Duration = Duration::from_secs(20);

/// How many problems are shown.
const MOST: usize = 200;

/// The name of the deployment that would be made.
const NAME: &str = "playground";

/// What stands in the form at first.
const TEMPLATE: &str = r#"{
  "$schema": "https://schema.management.azure.com/schemas/2019-04-01/deploymentTemplate.json#",
  "contentVersion": "1.0.0.0",
  "resources": []
}
"#;

fn empty(call: &RoutedRequest) -> Playground {
    let scope = call.query.get("scope").map(str::to_owned);
    let granted = call.caller.grants.iter().map(|grant| grant.scope.to_string()).find(|scope| scope != "/");
    Playground {
        scope: scope.or(granted).unwrap_or_default(),
        template: TEMPLATE.to_owned(),
        parameters: "{}\n".to_owned(),
        takes_bicep: call.app.compile.is_some(),
        ..Playground::default()
    }
}

fn page(call: &RoutedRequest, view: &Playground) -> HttpResponse {
    let frame = page_shell::frame(call);
    let body = pages::ui::playground(&frame, view);
    page_shell::page(StatusCode::OK, &frame, Section::Playground, "Template playground", &body)
}

async fn tried(call: RoutedRequest) -> Result<HttpResponse, ApiError> {
    let form = Query::of_form(&call.body)?;
    let field = |name: &str| form.get(name).unwrap_or_default().replace("\r\n", "\n");
    let (scope, template, parameters) =
        (field("scope").trim().to_owned(), field("template"), field("parameters"));
    // The same rights as what-if needs.
    let asked =
        scope.split('/').chain(["providers", "Microsoft.Resources", "deployments", "playground", "whatIf"]);
    let parts: Vec<String> = asked.filter(|part| !part.is_empty()).map(str::to_owned).collect();
    authorize(&call.caller, Access::Deploy, &Method::POST, &parts)?;
    if template.len().max(parameters.len()) > LARGEST {
        let message = format!("a template and its parameters have at most {LARGEST} bytes here");
        return Err(ApiError::new("RequestEntityTooLarge", message));
    }
    let compile = call.app.compile.clone().filter(|_| !is_template(&template));
    let texts = Texts { template: template.clone(), parameters: parameters.clone(), compile };
    let result = match surroundings(&call, &scope) {
        Ok(context) => predict(&call, context, texts).await?,
        // That a group is missing is for the page of the form, with what was typed.
        Err(refusal) => {
            failed(&Failure::new(refusal.failure().code.clone(), refusal.failure().message.clone()))
        }
    };
    let takes_bicep = call.app.compile.is_some();
    let view = Playground {
        scope,
        template,
        parameters,
        takes_bicep,
        result: Some(result),
        ..Playground::default()
    };
    Ok(page(&call, &view))
}

/// Where the deployment would be.
fn surroundings(call: &RoutedRequest, scope: &str) -> Result<DeploymentContext, ApiError> {
    let scope =
        Scope::parse(scope).filter(|_| scope.is_empty() || scope.starts_with('/')).ok_or_else(|| {
            let message = format!(
                "`{scope}` is not a scope; write `/subscriptions/S/resourceGroups/G`, or `/` for the tenant"
            );
            ApiError::new("InvalidDeploymentScope", message)
        })?;
    let group = group_of(&call.app, &scope)?;
    let location = match &scope {
        Scope::ResourceGroup { .. } => None,
        Scope::Unknown
        | Scope::Tenant
        | Scope::ManagementGroup(_)
        | Scope::Subscription(_)
        | Scope::Plane { .. } => Some("global"),
    };
    let mut context = DeploymentContext {
        reach: call.caller.reach(),
        budget: call.app.host.engine().budgets.account_of(&call.caller.name),
        ..DeploymentContext::local(scope, NAME)
    };
    surround(&mut context, location, group)?;
    Ok(context)
}

struct Texts {
    template: String,
    parameters: String,
    /// The compiler, if the template is Bicep.
    compile: Option<Arc<Compile>>,
}

async fn predict(
    call: &RoutedRequest,
    context: DeploymentContext,
    texts: Texts,
) -> Result<PlaygroundResult, ApiError> {
    let engine = Arc::clone(call.app.host.engine());
    let runtime = tokio::runtime::Handle::current();
    let drawing = Arc::clone(&call.app.pages.drawing);
    let room = call.app.pages.predictions.take(&call.caller.name)?;
    let deadline = Instant::now() + PATIENCE;
    // It computes and waits for nothing, so it gets a thread of its own.
    let work = move || {
        let (deployment, warnings) = match read(context, &texts) {
            Ok(read) => read,
            Err(problems) => return Ok(PlaygroundResult { problems, ..PlaygroundResult::default() }),
        };
        let drawn = graph::of(NAME, &deployment, &NoOrigins).ok();
        let mut graph = drawn.map(|(graph, _)| graph);
        // There is only so much room for those who draw, here as on other pages.
        let picture = |graph: Option<Graph>| {
            let graph = graph?;
            let _permit = runtime.block_on(drawing.acquire()).ok()?;
            Some(drawing::draw(&graph).map(|svg| svg.to_string()))
        };
        let predicted =
            match runtime.block_on(engine.what_if(Arc::clone(&deployment), DeploymentMode::Incremental)) {
                Ok(predicted) => predicted,
                Err(StartError::Failure(failure)) => {
                    return Ok(PlaygroundResult { picture: picture(graph), ..failed(&failure) });
                }
                Err(refused @ (StartError::State(_) | StartError::Unavailable(_))) => {
                    return Err(ApiError::from(refused));
                }
            };
        let marks = predicted.changes.iter();
        let marks = marks.map(|change| (change.id.caseless(), differences::mark(change.kind))).collect();
        if let Some(graph) = &mut graph {
            graph.mark(&marks);
        }
        let mut problems = warnings;
        problems.extend(predicted.failure.iter().flat_map(|failure| failed(failure).problems));
        let changes = Some(differences::of(&predicted));
        Ok(PlaygroundResult { problems, changes, picture: picture(graph) })
    };
    let work = tokio::task::spawn_blocking(move || {
        // Whoever gives up does not end the work: it has its room until it really ends, and evaluates nothing more.
        let _room = room;
        engine::evaluate_until(deadline, work)
    });
    match tokio::time::timeout(PATIENCE, work).await {
        Ok(done) => done.map_err(|error| broken(&error))?,
        Err(_) => {
            Err(ApiError::new("ServerTimeout", "the prediction takes too long; use `tendon what-if` for it"))
        }
    }
}

/// The texts that errors point into: what was typed, and below it the template that it was compiled to.
struct Sources {
    map: SourceMap,
    origin: Option<Origin>,
}

/// The numbers of the texts.
const TYPED: FileId = FileId::FIRST;
const PARAMETERS: FileId = FileId(1);
const COMPILED: FileId = FileId(2);

/// The deployment with what the compiler warns of, or what is wrong with it and where.
fn read(
    context: DeploymentContext,
    texts: &Texts,
) -> Result<(Arc<Deployment>, Vec<DiagnosticView>), Vec<DiagnosticView>> {
    let mut sources = Sources { map: SourceMap::new(), origin: None };
    sources.map.add(if texts.compile.is_some() { "main.bicep" } else { "template" }, texts.template.as_str());
    sources.map.add("parameters", texts.parameters.as_str());
    let mut warnings = Vec::new();
    let mut compiled = None;
    if let Some(compile) = &texts.compile {
        let program = compile(&texts.template);
        let said = program.diagnostics.get(..MOST).unwrap_or(&program.diagnostics);
        let said = secrets::without_secrets(&mut sources.map, TYPED, program.secrets, said);
        warnings = said.iter().map(|it| resource_check::problem(&sources.map, it)).collect();
        let Some(template) = program.template else { return Err(warnings) };
        sources.map.add("compiled", Arc::clone(&template));
        sources.origin = Some(program.origin);
        compiled = Some(template);
    }
    let limits = TemplateLimits::default();
    if compiled.is_none() {
        match secrets::of(&texts.template) {
            Some(found) => sources.map.hide(found.iter().map(|it| Span::new(TYPED, it.start, it.end))),
            // Any part of what cannot be read may be a secret.
            None if texts.template.caseless().contains("secure") => sources.map.withhold(TYPED),
            None => {}
        }
    }
    let read = match &compiled {
        Some(template) => Template::read_file(&**template, COMPILED, &limits),
        None => Template::read_file(texts.template.as_str(), TYPED, &limits),
    };
    let template = match read {
        Ok(template) => Arc::new(template),
        Err(errors) => {
            // What cannot be read may say of any value that it is a secret.
            sources.map.withhold(PARAMETERS);
            return Err(problems(&sources, &errors));
        }
    };
    let secure = template.parameters.iter().filter(|parameter| template.has_secrets(&parameter.ty));
    for parameter in secure.clone() {
        sources.hide_default(&template, parameter);
    }
    let has_secrets = secure.clone().next().is_some();
    let parameters = if texts.parameters.trim().is_empty() { "{}" } else { &texts.parameters };
    let inputs = Inputs::read_handwritten(parameters, PARAMETERS, &limits).map_err(|errors| {
        let lower = parameters.to_ascii_lowercase();
        // A name may be written with escapes.
        let parts = ["externalinput", "extensionconfig", "\\u"];
        if has_secrets || parts.iter().any(|part| lower.contains(part)) {
            sources.map.withhold(PARAMETERS);
        }
        problems(&sources, &errors)
    })?;
    sources.map.hide(inputs.secret_places(&template).iter().map(|place| place.span));
    let refuse = |errors: Vec<TemplateError>| problems(&sources, &errors);
    let deployment = Deployment::with_inputs(template, &inputs, context, &|_| None).map_err(refuse)?;
    let deployment = Arc::new(deployment);
    Plan::new(Arc::clone(&deployment)).map_err(refuse)?;
    Ok((deployment, warnings))
}

impl Sources {
    /// The place that people look at: in what they typed. What was compiled has none that they know.
    fn span(&self, location: &ErrorLocation) -> Option<Span> {
        if location.span.file != COMPILED {
            return Some(first_line(&self.map, location.span));
        }
        let found = self.origin.as_ref()?(&location.path)?;
        Some(first_line(&self.map, Span::new(TYPED, found.start, found.end)))
    }

    /// Keeps the default of a parameter from being shown.
    fn hide_default(&mut self, template: &Template, parameter: &Parameter) {
        let Some(default) = &parameter.default else { return };
        let location = template.location(default.span);
        if location.span.file != COMPILED {
            self.map.hide([location.span]);
            return;
        }
        let origin =
            self.origin.as_ref().and_then(|origin| origin(&format!("parameters.{}", parameter.name)));
        let Some(found) = origin else { return };
        let text = self.map.slice(Span::new(TYPED, found.start, found.end)).unwrap_or_default();
        let value = text.find('=').and_then(|at| u32::try_from(at + 1).ok()).unwrap_or(0);
        self.map.hide([Span::new(TYPED, found.start + value, found.end)]);
    }
}

/// Errors with their places.
fn problems(sources: &Sources, errors: &[TemplateError]) -> Vec<DiagnosticView> {
    let mut found = Vec::new();
    let mut left: Vec<&TemplateError> = errors.iter().rev().collect();
    while let Some(error) = left.pop() {
        if found.len() == MOST {
            break;
        }
        found.push(problem(sources, error));
        left.extend(error.details.iter().rev());
    }
    found
}

fn problem(sources: &Sources, error: &TemplateError) -> DiagnosticView {
    let mut diagnostic = Diagnostic::error(error.code.to_string(), error.message.fragment().to_owned());
    if let Some((at, span)) = error.at.as_ref().and_then(|at| Some((at, sources.span(at)?))) {
        diagnostic = diagnostic.at(span).label(span, at.path.clone());
    }
    if let Some(span) = error.rule.as_ref().and_then(|rule| sources.span(rule)) {
        if diagnostic.primary.is_none() {
            diagnostic = diagnostic.at(span);
        }
        diagnostic = diagnostic.rule(span);
    }
    diagnostic = diagnostic.maybe_help(error.hint.as_deref().map(str::to_owned));
    let path =
        error.at.as_ref().map(|at| at.path.clone()).or_else(|| error.target.as_deref().map(str::to_owned));
    DiagnosticView { path: path.unwrap_or_default(), ..resource_check::problem(&sources.map, &diagnostic) }
}

/// The part of a span that is on its first line.
fn first_line(sources: &SourceMap, span: Span) -> Span {
    let text = sources.slice(span).unwrap_or_default();
    let length = text.find(['\n', '\r']).unwrap_or(text.len());
    Span::new(span.file, span.start, span.start.saturating_add(u32::try_from(length).unwrap_or(u32::MAX)))
}

/// Why the deployment would fail, with the errors behind it.
fn failed(failure: &Failure) -> PlaygroundResult {
    let mut problems = Vec::new();
    let mut left = vec![failure];
    while let Some(failure) = left.pop() {
        if problems.len() == MOST {
            break;
        }
        problems.push(DiagnosticView {
            code: failure.code.to_string(),
            message: failure.message.clone(),
            path: failure.target.clone().unwrap_or_default(),
            ..DiagnosticView::default()
        });
        left.extend(failure.details.iter().rev());
    }
    PlaygroundResult { problems, ..PlaygroundResult::default() }
}
