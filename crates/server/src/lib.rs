//! The HTTP APIs that existing clients speak, in front of the engine and the registry of resource types.
//!
//! A request is matched by `route` to a row of a table: ARM's in `arm`, Radius's in `radius`, our own in `own`. A row
//! names its path, who may call it and the handler. Handlers only translate: what a request says becomes a call of the engine or the
//! registry, and what those say becomes an `answer`. `serve` is the socket below.

mod access;
mod admission;
mod answer_room;
mod api_error;
mod app;
mod arm;
mod async_results;
mod body;
mod bounded_rows;
mod compiler;
mod frame_pace;
mod headers;
mod history;
mod identity;
mod idle_timeout;
mod limits;
mod live_runs;
mod login;
mod openapi;
mod page_resources;
mod picture;
mod pipeline;
mod quota;
mod radius;
mod readiness;
mod recorder;
mod requests;
mod response;
mod role_routes;
mod route;
mod route_doc;
mod routed_request;
mod serve;
mod service_routes;
mod skip_token;
mod state;
mod store_meter;
mod template_secrets;
mod timeline;
mod timeout_stream;
mod tls;
mod token_routes;
mod ui;
mod watch;
mod work_slots;

pub use app::App;
pub use compiler::{Compile, CompileResult, Origin};
pub use identity::{
    AuthMode, Grant, Guard, Oidc, OidcError, OidcSettings, Role, RoleInfo, RoleRule, Roles, ScopePath,
    TokenError, TokenInfo, Tokens, is_role_record, is_token_record,
};
pub use limits::Limits;
pub use pipeline::respond;
pub use recorder::{Recorder, StepSummary};
pub use requests::requests;
pub use response::ResponseBody;
pub use route_doc::{RouteDoc, Surface};
pub use serve::{ListenSettings, Listening, ServeError, listen, may_listen};
pub use store_meter::{MeteredStore, StoreTimes};
pub use template_secrets::without_secrets;
pub use timeline::{marks, timeline};
pub use tls::{CERTIFICATE_FILE, CertificateSlot, ClientAuthorities, Identity, TlsError};
pub use watch::{AlertRow, Audit, AuditError, METRICS, MetricRow, Traces};
