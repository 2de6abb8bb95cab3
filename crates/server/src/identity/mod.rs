//! Who asks, what they may do, and what clients need before they can say who they are.
//!
//! A [`Guard`] decides by its [`AuthMode`]: in local mode everybody is the owner, and requests that a web page may have sent are refused; in the
//! other modes a request has a token, which stands for roles in scopes ([`Grant`]).

mod grant;
mod local;
mod oidc;
mod roles;
mod tokens;
mod visible_items;

use std::time::{SystemTime, UNIX_EPOCH};

use http::header::AUTHORIZATION;
use http::{HeaderMap, Method};

use crate::access::Access;
use crate::api_error::ApiError;
use crate::response::HttpResponse;
use crate::tls::ClientNames;

pub(crate) use grant::{Allowed, Caller};
pub use grant::{Grant, Role, ScopePath};
pub use oidc::{Oidc, OidcError, OidcSettings, RoleRule};
pub use roles::{RoleInfo, Roles, is_role_record};
pub(crate) use tokens::is_same;
pub use tokens::{TokenError, TokenInfo, Tokens, is_token_record};

/// What everybody is called in local mode.
pub(crate) const LOCAL: &str = "local";

/// The longest token that is looked at.
const LONGEST: usize = 16 * 1024;

/// How callers are told apart.
pub enum AuthMode {
    /// Everybody may do everything: for loopback addresses alone.
    Local {
        /// Names of this machine beside `localhost`.
        names: Vec<String>,
    },
    /// Callers have tokens that were made for them.
    Tokens(Tokens),
    /// Callers have tokens of an issuer.
    Oidc(Box<Oidc>),
}

/// What a client logs in with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum SecretCheck {
    /// Nobody looks at it.
    Nobody,
    /// It is a token of this server, for somebody of that name.
    Token(String),
    Refused,
}

/// Decides who may do what.
pub struct Guard {
    mode: AuthMode,
    /// What the names in certificates of clients stand for.
    certificates: Vec<RoleRule>,
}

impl Guard {
    /// A guard of a mode.
    pub fn new(mode: AuthMode) -> Guard {
        Guard { mode, certificates: Vec::new() }
    }

    /// The same that knows callers by the certificates of their connections, too.
    #[must_use]
    pub fn knowing(self, certificates: Vec<RoleRule>) -> Guard {
        Guard { certificates, ..self }
    }

    /// Everybody may do everything.
    pub fn local() -> Guard {
        Guard::new(AuthMode::Local { names: Vec::new() })
    }

    /// Refuses what no honest client sends, before anything is looked at.
    pub(crate) fn admit(&self, host: Option<&str>, base: &str, headers: &HeaderMap) -> Result<(), ApiError> {
        match &self.mode {
            AuthMode::Local { names } => local::check(host, base, headers, names),
            AuthMode::Tokens(_) | AuthMode::Oidc(_) => Ok(()),
        }
    }

    /// Says who asks. A token comes before the certificate of the connection.
    pub(crate) async fn caller(
        &self,
        base: &str,
        headers: &HeaderMap,
        names: Option<&ClientNames>,
    ) -> Result<Caller, ApiError> {
        match &self.mode {
            AuthMode::Local { .. } => Ok(Caller::everybody(LOCAL)),
            AuthMode::Tokens(_) | AuthMode::Oidc(_) if !headers.contains_key(AUTHORIZATION) => {
                let certified = names.and_then(|names| self.certified(&names.0));
                let Some(caller) = certified else { return self.caller_of(bearer(headers)?).await };
                // A browser shows the certificate whoever sends a request from it.
                local::refuse_pages(base, headers)?;
                Ok(caller)
            }
            AuthMode::Tokens(_) | AuthMode::Oidc(_) => self.caller_of(bearer(headers)?).await,
        }
    }

    /// Whom the names of a certificate stand for; none if they stand for nothing.
    fn certified(&self, names: &[String]) -> Option<Caller> {
        let rules = self.certificates.iter().filter(|rule| names.contains(&rule.value));
        let grants: Vec<Grant> = rules.clone().map(|rule| rule.grant.clone()).collect();
        let name = rules.map(|rule| rule.value.as_str()).next()?;
        Some(Caller { name: format!("certificate {name}"), grants })
    }

    /// Says whom a token stands for; everybody in local mode.
    pub(crate) async fn caller_of(&self, token: &str) -> Result<Caller, ApiError> {
        match &self.mode {
            AuthMode::Local { .. } => Ok(Caller::everybody(LOCAL)),
            AuthMode::Tokens(tokens) => {
                let found = tokens.caller(token, now())?;
                found.ok_or_else(|| {
                    unauthorized("the token is not one of this server, was revoked, or has expired")
                })
            }
            AuthMode::Oidc(oidc) => {
                // Why is for the log: who guesses learns nothing.
                oidc.caller(token).await.map_err(|why| {
                    tracing::debug!(%why, "a token was refused");
                    unauthorized("the token is not one of the issuer, is not for this server, or has expired")
                })
            }
        }
    }

    /// Looks at the secret with which a client logs in.
    pub(crate) fn login(&self, secret: &str) -> Result<SecretCheck, ApiError> {
        match &self.mode {
            AuthMode::Local { .. } => Ok(SecretCheck::Nobody),
            AuthMode::Tokens(tokens) => match tokens.caller(secret, now())? {
                Some(caller) => Ok(SecretCheck::Token(caller.name)),
                None => Ok(SecretCheck::Refused),
            },
            // Clients log in at the issuer.
            AuthMode::Oidc(_) => Ok(SecretCheck::Refused),
        }
    }

    /// The tokens of this server, if it has some.
    pub(crate) fn tokens(&self) -> Option<&Tokens> {
        match &self.mode {
            AuthMode::Tokens(tokens) => Some(tokens),
            AuthMode::Local { .. } | AuthMode::Oidc(_) => None,
        }
    }

    /// Whether tokens are those of an issuer.
    pub(crate) fn has_issuer(&self) -> bool {
        match &self.mode {
            AuthMode::Oidc(_) => true,
            AuthMode::Local { .. } | AuthMode::Tokens(_) => false,
        }
    }

    /// Whether nobody has to log in.
    pub(crate) fn is_local(&self) -> bool {
        match &self.mode {
            AuthMode::Local { .. } => true,
            AuthMode::Tokens(_) | AuthMode::Oidc(_) => false,
        }
    }
}

/// Refuses a request that its caller may not make, or says how much of the answer they get.
pub(crate) fn authorize(
    caller: &Caller,
    access: Access,
    method: &Method,
    path: &[String],
) -> Result<Allowed, ApiError> {
    match caller.may(access, method, path) {
        Allowed::No => Err(forbidden(caller)),
        allowed @ (Allowed::All | Allowed::Shown) => Ok(allowed),
    }
}

/// The part of an answer that its caller may see.
pub(crate) fn shown(
    answer: HttpResponse,
    allowed: Allowed,
    caller: &Caller,
) -> Result<HttpResponse, ApiError> {
    match allowed {
        Allowed::All => Ok(answer),
        Allowed::Shown => visible_items::filtered(answer, caller),
        Allowed::No => Err(forbidden(caller)),
    }
}

/// The token of a request.
fn bearer(headers: &HeaderMap) -> Result<&str, ApiError> {
    let mut all = headers.get_all(AUTHORIZATION).iter();
    let Some(header) = all.next() else {
        return Err(unauthorized("the header `Authorization` is missing"));
    };
    // Two of them may mean two callers.
    let header = Some(header).filter(|_| all.next().is_none()).and_then(|header| header.to_str().ok());
    let parts = header.filter(|header| header.len() <= LONGEST).and_then(|header| header.split_once(' '));
    match parts {
        Some((scheme, token)) if scheme.eq_ignore_ascii_case("bearer") && !token.trim().is_empty() => {
            Ok(token.trim())
        }
        Some(_) | None => Err(unauthorized("the header `Authorization` must be `Bearer TOKEN`")),
    }
}

/// Refuses somebody who has not said who they are.
pub(crate) fn unauthorized(why: &str) -> ApiError {
    ApiError::new("AuthenticationFailed", format!("Authentication failed: {why}."))
}

pub(crate) fn forbidden(caller: &Caller) -> ApiError {
    ApiError::new(
        "AuthorizationFailed",
        format!(
            "The client '{}' does not have authorization to perform this action over this scope.",
            caller.name
        ),
    )
}

/// Seconds since 1970.
pub(crate) fn now() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_secs()).unwrap_or(i64::MAX)
}
