//! The keys of an issuer: kept, and asked for again beside the requests that use them, when they are old or a token names one that is not known.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use client::{Client, check};
use jsonwebtoken::jwk::{AlgorithmParameters, Jwk, PublicKeyUse};
use jsonwebtoken::{Algorithm, DecodingKey};
use serde_json::Value;
use tokio::sync::watch;

use super::unique_json::UniqueJson;

/// Keys that are older are asked for again.
const FRESH: Duration = Duration::from_secs(3600);
/// Keys that are older are not used, if the issuer does not answer.
const STALE: Duration = Duration::from_secs(24 * 3600);
/// How many keys an issuer may have.
const MOST: usize = 100;
/// How long a request waits for keys that are not there yet.
const PATIENCE: Duration = Duration::from_secs(5);
/// How long an issuer that did not answer is left alone: twice as long each time, up to the second.
const BACK_OFF: [Duration; 2] = [Duration::from_secs(1), Duration::from_secs(300)];

pub(super) struct Keys(Arc<Shared>);

struct Shared {
    client: Client,
    issuer: String,
    /// How long the issuer is left alone after it has answered.
    pause: Duration,
    kept: Mutex<KeyCache>,
}

#[derive(Default)]
struct KeyCache {
    keys: Vec<SigningKey>,
    /// When the issuer gave them.
    given: Option<Instant>,
    /// When it may be asked again; none if it was never asked.
    next: Option<Instant>,
    /// How often in a row it did not answer.
    failures: u32,
    /// Ends when the issuer has been asked, while it is.
    asking: Option<watch::Receiver<()>>,
}

struct SigningKey {
    kid: String,
    /// The algorithm that the key is for, if the issuer says it.
    algorithm: Option<String>,
    key: DecodingKey,
}

impl Keys {
    pub(super) fn new(client: Client, issuer: &str, pause: Duration) -> Keys {
        let issuer = issuer.trim_end_matches('/').to_owned();
        Keys(Arc::new(Shared { client, issuer, pause, kept: Mutex::default() }))
    }

    /// The key of a name for an algorithm. One that is kept is there at once; only who names another one waits for the issuer, and not for long.
    pub(super) async fn find(&self, kid: &str, algorithm: Algorithm) -> Result<DecodingKey, String> {
        let asking = {
            let mut kept = self.0.kept();
            let is_fresh = kept.is_younger(FRESH);
            if kept.is_younger(STALE)
                && let Some(key) = kept.get(kid, algorithm).cloned()
            {
                if !is_fresh {
                    self.0.ask(&mut kept);
                }
                return Ok(key);
            }
            self.0.ask(&mut kept)
        };
        if let Some(mut asking) = asking {
            // It ends with an error when the sender is gone, which is what is waited for.
            let _ = tokio::time::timeout(PATIENCE, asking.changed()).await;
        }
        let kept = self.0.kept();
        if !kept.is_younger(STALE) {
            return Err("the keys of the issuer are not known".to_owned());
        }
        kept.get(kid, algorithm)
            .cloned()
            .ok_or_else(|| "the token names a key that the issuer does not have".to_owned())
    }
}

impl Shared {
    fn kept(&self) -> MutexGuard<'_, KeyCache> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Asks the issuer beside everything else, unless somebody does, or has just done. What ends when it was asked.
    fn ask(self: &Arc<Shared>, kept: &mut KeyCache) -> Option<watch::Receiver<()>> {
        if let Some(asking) = &kept.asking {
            return Some(asking.clone());
        }
        if kept.next.is_some_and(|next| Instant::now() < next) {
            return None;
        }
        let (told, asking) = watch::channel(());
        kept.asking = Some(asking.clone());
        let shared = Arc::clone(self);
        tokio::spawn(async move {
            let fetched = shared.fetch().await;
            let mut kept = shared.kept();
            let pause = match fetched {
                Ok(keys) => {
                    kept.keys = keys;
                    kept.given = Some(Instant::now());
                    kept.failures = 0;
                    shared.pause
                }
                Err(why) => {
                    tracing::warn!(%why, "the keys of the issuer could not be read");
                    let [first, most] = BACK_OFF;
                    let pause = first.saturating_mul(1 << kept.failures.min(16)).min(most);
                    kept.failures += 1;
                    pause
                }
            };
            kept.next = Instant::now().checked_add(pause);
            kept.asking = None;
            drop(kept);
            drop(told);
        });
        Some(asking)
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
        let read = serde_json::from_slice(&body).map_err(|error| format!("`{url}`: {error}"));
        read.map(|UniqueJson(value)| value)
    }
}

impl KeyCache {
    fn is_younger(&self, age: Duration) -> bool {
        self.given.is_some_and(|given| given.elapsed() < age)
    }

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
