//! The HTTP APIs that existing clients speak, in front of the engine and the registry of resource types.
//!
//! A request is matched by `route` to a row of a table: ARM's in `arm`, Radius's in `radius`, our own in `own`. A row
//! names its path, who may call it and the handler. Handlers only translate: what a request says becomes a call of the engine or the
//! registry, and what those say becomes an `answer`. `serve` is the socket below.

mod access;
mod answer;
mod app;
mod arm;
mod async_results;
mod body;
mod bookmark;
mod call;
mod compiler;
mod headers;
mod history;
mod identity;
mod idle;
mod limits;
mod live_runs;
mod login;
mod openapi;
mod own;
mod page_resources;
mod patient;
mod picture;
mod pipeline;
mod quota;
mod radius;
mod recorder;
mod refusal;
mod requests;
mod room;
mod route;
mod route_doc;
mod serve;
mod state;
mod template_secrets;
mod timeline;
mod tls;
mod ui;
mod watch;

pub use app::App;
pub use compiler::{Compile, Origin, Program};
pub use identity::{
    Grant, Guard, Mode, Oidc, OidcError, OidcSettings, Role, RoleRule, ScopePath, TokenError, TokenInfo,
    Tokens, is_token_record,
};
pub use limits::Limits;
pub use pipeline::respond;
pub use recorder::{Ran, Recorder};
pub use requests::requests;
pub use route_doc::{Request, Surface};
pub use serve::{Listening, ServeError, Settings, listen};
pub use template_secrets::without_secrets;
pub use timeline::{marks, timeline};
pub use tls::{CERTIFICATE_FILE, Identity, TlsError};
pub use ui::read_moment;
pub use watch::{Audit, AuditError, Traces};
