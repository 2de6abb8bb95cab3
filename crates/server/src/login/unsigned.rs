//! Tokens of the local mode: they say who everybody is there, and nobody checks them.

use ::arm::Value;
use ::arm::deployment::{LOCAL_DEPLOYER, LOCAL_SUBSCRIPTION, LOCAL_TENANT};
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;

/// How many seconds a token says that it is good for.
pub(super) const LIFE: i64 = 24 * 3600;

/// A token for an audience. Clients read some of its claims, and all of them only hand it back.
pub(super) fn token(issuer: &str, audience: &str, now: i64) -> String {
    let identity = format!(
        "/subscriptions/{LOCAL_SUBSCRIPTION}/resourcegroups/local/providers/Microsoft.ManagedIdentity/userAssignedIdentities/local"
    );
    let header = Value::object([("typ", Value::text("JWT")), ("alg", Value::text("none"))]);
    let claims = Value::object([
        ("aud", Value::text(audience)),
        ("iss", Value::text(issuer)),
        ("iat", Value::Int(now)),
        ("nbf", Value::Int(now)),
        ("exp", Value::Int(now.saturating_add(LIFE))),
        ("tid", Value::text(LOCAL_TENANT)),
        ("oid", Value::text(LOCAL_DEPLOYER)),
        ("sub", Value::text(LOCAL_DEPLOYER)),
        ("appid", Value::text(LOCAL_DEPLOYER)),
        ("idtyp", Value::text("app")),
        ("ver", Value::text("2.0")),
        ("xms_mirid", Value::text(identity)),
    ]);
    let encode = |value: &Value| URL_SAFE_NO_PAD.encode(value.to_json());
    format!("{}.{}.", encode(&header), encode(&claims))
}
