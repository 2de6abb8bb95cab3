//! Tokens of an OpenID Connect issuer: their signature, their claims, and what those stand for.
//!
//! [`keys`] has the keys of the issuer, [`signature`] checks with them, [`roles`] makes grants of claims.

mod keys;
mod roles;
mod signature;
mod unique_json;

use std::path::PathBuf;
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use client::{Client, ClientError, check};
use jsonwebtoken::{Algorithm, Validation, decode, decode_header};

use super::grant::Caller;
use keys::Keys;
pub use roles::RoleRule;
use unique_json::UniqueJson;

/// How many seconds the clocks of the issuer and of this machine may differ.
const SKEW: u64 = 60;

/// The algorithms that are accepted. Those with a shared secret are not: the public key would be the secret.
const ALGORITHMS: [Algorithm; 9] = [
    Algorithm::RS256,
    Algorithm::RS384,
    Algorithm::RS512,
    Algorithm::PS256,
    Algorithm::PS384,
    Algorithm::PS512,
    Algorithm::ES256,
    Algorithm::ES384,
    Algorithm::EdDSA,
];

/// Whose tokens are accepted, and what they stand for.
#[derive(Clone, Debug)]
pub struct OidcSettings {
    /// The issuer, exactly as its tokens name it.
    pub issuer: String,
    /// The audiences that tokens may be for.
    pub audiences: Vec<String>,
    /// The claim with the roles of a caller.
    pub roles_claim: String,
    /// What the roles stand for.
    pub roles: Vec<RoleRule>,
    /// The authorities that sign the certificate of the issuer; those of the system without it.
    pub authorities: Option<PathBuf>,
    /// How long the issuer is left alone after it was asked for its keys, whatever tokens come.
    pub pause: Duration,
}

/// Why OIDC cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum OidcError {
    /// The issuer cannot be asked.
    #[error("the issuer cannot be asked: {0}")]
    Client(#[from] ClientError),
    /// Tokens for everybody would be accepted.
    #[error("an audience is needed: without one, tokens for other services would be accepted")]
    NoAudience,
    /// Nobody could do anything.
    #[error("a role is required: without one, no caller may do anything")]
    NoRoles,
}

/// Checks tokens of an issuer.
pub struct Oidc {
    settings: OidcSettings,
    keys: Keys,
}

impl Oidc {
    /// Accepts tokens as the settings say. The issuer is asked for its keys when the first token comes.
    pub fn new(settings: OidcSettings) -> Result<Oidc, OidcError> {
        check(&settings.issuer)?;
        if settings.audiences.is_empty() {
            return Err(OidcError::NoAudience);
        }
        if settings.roles.is_empty() {
            return Err(OidcError::NoRoles);
        }
        signature::install();
        let client = Client::new(settings.authorities.as_deref())?;
        let keys = Keys::new(client, &settings.issuer, settings.pause);
        Ok(Oidc { settings, keys })
    }

    /// Whom a token stands for; none if it is not to be trusted. The reason is for the log.
    pub(super) async fn caller(&self, token: &str) -> Result<Caller, String> {
        let header = decode_header(token).map_err(|error| format!("the token cannot be read: {error}"))?;
        if demands_more(token) {
            return Err(
                "the token demands that its reader understands more than this one does (`crit`)".to_owned()
            );
        }
        if !ALGORITHMS.contains(&header.alg) {
            return Err(format!("the token is signed with {:?}", header.alg));
        }
        let kid = header.kid.as_deref().unwrap_or_default();
        let key = self.keys.find(kid, header.alg).await?;
        let mut validation = Validation::new(header.alg);
        validation.leeway = SKEW;
        validation.validate_nbf = true;
        validation.set_issuer(&[&self.settings.issuer]);
        validation.set_audience(&self.settings.audiences);
        validation.set_required_spec_claims(&["exp", "iss", "aud", "sub"]);
        let decoded = decode::<UniqueJson>(token, &key, &validation)
            .map_err(|error| format!("the token is refused: {error}"))?;
        let claims = decoded.claims.members();
        let subject = claims.get("sub").and_then(serde_json::Value::as_str).unwrap_or_default();
        if subject.is_empty() {
            return Err("the token has no subject".to_owned());
        }
        let grants = roles::grants(&claims, &self.settings.roles_claim, &self.settings.roles);
        Ok(Caller { name: format!("oidc:{subject}"), grants })
    }
}

/// Whether the header of a token names members that a reader must understand. There are none that this one understands.
fn demands_more(token: &str) -> bool {
    let header = token.split('.').next().unwrap_or_default();
    let header = URL_SAFE_NO_PAD.decode(header).ok();
    let header = header.and_then(|text| serde_json::from_slice::<UniqueJson>(&text).ok());
    header.is_none_or(|UniqueJson(header)| header.get("crit").is_some())
}
