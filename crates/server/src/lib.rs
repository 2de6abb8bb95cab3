//! The HTTP APIs that existing clients speak, in front of the engine and the registry of resource types.
//!
//! A request is matched by `route` to a row of a table: ARM's in `arm`, Radius's in `radius`, our own in `own`. A row
//! names its path, who may call it and the handler. Handlers only translate: what a request says becomes a call of the engine or the
//! registry, and what those say becomes an `answer`. `serve` is the socket below.

mod answer;
mod app;
mod arm;
mod body;
mod bookmark;
mod call;
mod headers;
mod history;
mod identity;
mod idle;
mod limits;
mod openapi;
mod own;
mod patient;
mod pipeline;
mod radius;
mod recorder;
mod refusal;
mod requests;
mod room;
mod route;
mod serve;
mod state;
mod tls;
mod ui;
mod watch;

pub use app::App;
pub use identity::{
    Grant, Guard, Mode, Oidc, OidcError, OidcSettings, Role, RoleRule, ScopePath, TokenError, TokenInfo,
    Tokens, is_token_record,
};
pub use limits::Limits;
pub use pipeline::respond;
pub use recorder::{Ran, Recorder};
pub use requests::{Request, Surface, requests};
pub use serve::{Listening, ServeError, Settings, listen};
pub use tls::{CERTIFICATE_FILE, Identity, TlsError};
pub use ui::{Compile, Origin, Program, read_moment, without_secrets};
pub use watch::{Audit, AuditError, Traces};
