//! The keys of an issuer: asked for once, kept, and asked for again when they are old or a token names one that is not known.

use std::time::{Duration, Instant};

use client::{Client, check};
use jsonwebtoken::jwk::{AlgorithmParameters, Jwk, PublicKeyUse};
use jsonwebtoken::{Algorithm, DecodingKey};
use serde_json::Value;
use tokio::sync::Mutex;

/// Keys that are older are asked for again.
const FRESH: Duration = Duration::from_secs(3600);
/// Keys that are older are not used, if the issuer does not answer.
const STALE: Duration = Duration::from_secs(24 * 3600);
/// How many keys an issuer may have.
const MOST: usize = 100;

pub(super) struct Keys {
    client: Client,
    issuer: String,
    pause: Duration,
    kept: Mutex<KeyCache>,
}

#[derive(Default)]
struct KeyCache {
    keys: Vec<SigningKey>,
    /// When the issuer gave them.
    given: Option<Instant>,
    /// When it was asked.
    asked: Option<Instant>,
}

struct SigningKey {
    kid: String,
    /// The algorithm that the key is for, if the issuer says it.
    algorithm: Option<String>,
    key: DecodingKey,
}

impl Keys {
    pub(super) fn new(client: Client, issuer: &str, pause: Duration) -> Keys {
        Keys { client, issuer: issuer.trim_end_matches('/').to_owned(), pause, kept: Mutex::default() }
    }

    /// The key of a name for an algorithm.
    pub(super) async fn find(&self, kid: &str, algorithm: Algorithm) -> Result<DecodingKey, String> {
        // Whoever comes while the issuer is asked waits for its answer; nobody asks twice.
        let mut kept = self.kept.lock().await;
        let is_fresh = kept.given.is_some_and(|given| given.elapsed() < FRESH);
        if !is_fresh || kept.get(kid, algorithm).is_none() {
            let may_ask = kept.asked.is_none_or(|asked| asked.elapsed() >= self.pause);
            if may_ask {
                kept.asked = Some(Instant::now());
                match self.fetch().await {
                    Ok(keys) => {
                        kept.keys = keys;
                        kept.given = Some(Instant::now());
                    }
                    Err(why) => tracing::warn!(%why, "the keys of the issuer could not be read"),
                }
            }
        }
        if kept.given.is_none_or(|given| given.elapsed() >= STALE) {
            return Err("the keys of the issuer are not known".to_owned());
        }
        kept.get(kid, algorithm)
            .cloned()
            .ok_or_else(|| "the token names a key that the issuer does not have".to_owned())
    }

    async fn fetch(&self) -> Result<Vec<SigningKey>, String> {
        let at = format!("{}/.well-known/openid-configuration", self.issuer);
        let configuration = self.json(&at).await?;
        let named = configuration.get("issuer").and_then(Value::as_str).unwrap_or_default();
        if named.trim_end_matches('/') != self.issuer {
            return Err(format!("`{at}` is the configuration of `{named}`"));
        }
        let uri = configuration
            .get("jwks_uri")
            .and_then(Value::as_str)
            .ok_or_else(|| format!("`{at}` has no `jwks_uri`"))?;
        check(uri).map_err(|error| error.to_string())?;
        let set = self.json(uri).await?;
        let keys =
            set.get("keys").and_then(Value::as_array).ok_or_else(|| format!("`{uri}` has no `keys`"))?;
        Ok(keys.iter().take(MOST).filter_map(usable).collect())
    }

    async fn json(&self, url: &str) -> Result<Value, String> {
        let body = self.client.get(url).await.map_err(|error| error.to_string())?;
        serde_json::from_slice(&body).map_err(|error| format!("`{url}`: {error}"))
    }
}

impl KeyCache {
    fn get(&self, kid: &str, algorithm: Algorithm) -> Option<&DecodingKey> {
        let name = format!("{algorithm:?}");
        // A token without a name is for an issuer with one key.
        let is_it = |key: &&SigningKey| if kid.is_empty() { self.keys.len() == 1 } else { key.kid == kid };
        let key = self.keys.iter().find(is_it)?;
        key.algorithm.as_ref().is_none_or(|algorithm| *algorithm == name).then_some(&key.key)
    }
}

/// A key that tokens can be signed with; none for those of other kinds, and for shared secrets.
fn usable(value: &Value) -> Option<SigningKey> {
    let jwk: Jwk = serde_json::from_value(value.clone()).ok()?;
    match &jwk.algorithm {
        AlgorithmParameters::RSA(_)
        | AlgorithmParameters::EllipticCurve(_)
        | AlgorithmParameters::OctetKeyPair(_) => {}
        _ => return None,
    }
    if jwk.common.public_key_use.as_ref().is_some_and(|it| *it != PublicKeyUse::Signature) {
        return None;
    }
    let algorithm = value.get("alg").and_then(Value::as_str).map(str::to_owned);
    let kid = jwk.common.key_id.clone().unwrap_or_default();
    Some(SigningKey { kid, algorithm, key: DecodingKey::from_jwk(&jwk).ok()? })
}
