//! One request to a registry: sent until it is answered for good, with whatever proof of identity the registry asks for.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use client::{Ask, Client, ClientError, Received, Reply};
use hyper::body::Bytes;
use hyper::header::{AUTHORIZATION, CONTENT_TYPE, HeaderValue, RETRY_AFTER, USER_AGENT};
use hyper::{HeaderMap, Method, StatusCode};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use serde::Deserialize;

use crate::challenge::{Bearer, Challenge};
use crate::credentials::CredentialLookup;
use crate::fault::may_pass;
use crate::{Credential, Keychain, OciError, OciReference};

/// How long a request may take that moves little.
const PATIENCE: Duration = Duration::from_secs(30);
/// The largest answer of a request that moves little: manifests are at most this large.
pub(crate) const MOST_ANSWER: usize = 4 << 20;
/// The slowest connection that a download or an upload goes on over, in bytes per second.
const SLOWEST: u64 = 32 << 10;

/// How often and after which pauses something is tried again.
#[derive(Clone, Copy, Debug)]
pub struct RetryPolicy {
    /// How often it is tried, the first time included.
    pub attempts: u32,
    /// The pause after the first failure; each one after it is twice as long.
    pub pause: Duration,
    /// The longest pause, also if a registry asks for a longer one.
    pub longest: Duration,
}

impl Default for RetryPolicy {
    fn default() -> RetryPolicy {
        RetryPolicy { attempts: 4, pause: Duration::from_millis(250), longest: Duration::from_secs(10) }
    }
}

impl RetryPolicy {
    fn pause_after(self, attempt: u32, headers: Option<&HeaderMap>) -> Duration {
        let asked = headers.and_then(|headers| headers.get(RETRY_AFTER)?.to_str().ok()?.parse().ok());
        let asked = asked.map_or(Duration::ZERO, Duration::from_secs);
        self.pause.saturating_mul(1 << attempt.min(16)).max(asked).min(self.longest)
    }
}

/// What is asked of a repository.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum RepositoryAction {
    Pull,
    Push,
}

/// All registries that a process asks: connections, credentials, and tokens as long as they are good.
pub struct Registries {
    client: Client,
    keychain: Keychain,
    pace: RetryPolicy,
    /// What proves who asks, by host, repository and action.
    proofs: Mutex<BTreeMap<(String, String, RepositoryAction), HeaderValue>>,
}

impl Registries {
    /// Registries that are asked with some credentials, over connections that trust what the system trusts.
    pub fn new(keychain: Keychain, pace: RetryPolicy) -> Result<Registries, OciError> {
        let client = Client::new(None)?;
        Ok(Registries { client, keychain, pace, proofs: Mutex::default() })
    }

    /// How often something is tried.
    pub(crate) fn attempts(&self) -> u32 {
        self.pace.attempts.max(1)
    }

    /// Waits before the next attempt.
    pub(crate) async fn pause(&self, attempt: u32, headers: Option<&HeaderMap>) {
        tokio::time::sleep(self.pace.pause_after(attempt, headers)).await;
    }

    /// Sends a request that moves little, until there is an answer that another attempt would not change.
    pub(crate) async fn call(
        &self,
        place: &OciReference,
        action: RepositoryAction,
        ask: &Ask,
    ) -> Result<Reply, OciError> {
        let mut attempt = 0;
        loop {
            let mut received = Received::default();
            let sent = self.exchange(place, action, ask, &mut received, MOST_ANSWER as u64).await;
            let last = attempt + 1 >= self.attempts();
            match (sent, received.head) {
                (Ok(()), Some((status, headers))) => {
                    if last || !is_passing(status) {
                        return Ok(Reply { status, headers, body: received.body.into() });
                    }
                    self.pause(attempt, Some(&headers)).await;
                }
                (Ok(()), None) => return Err(OciError::Protocol("it did not answer".to_owned())),
                (Err(fault), _) => {
                    if last || !fault.may_pass() {
                        return Err(fault);
                    }
                    self.pause(attempt, None).await;
                }
            }
            attempt += 1;
        }
    }

    /// Sends a request once, and once more with a proof of identity if the registry asks for one.
    pub(crate) async fn exchange(
        &self,
        place: &OciReference,
        action: RepositoryAction,
        ask: &Ask,
        into: &mut Received,
        most: u64,
    ) -> Result<(), OciError> {
        let known = self.proof(place, action);
        self.send(place, ask, known.as_ref(), into, most).await?;
        // Only the registry itself is told who asks, or names a service that is: a storage that it sends us to is not.
        let challenge = match &into.head {
            Some((StatusCode::UNAUTHORIZED, headers)) if is_own(place, ask) => Challenge::of(headers),
            _ => None,
        };
        let Some(challenge) = challenge else { return Ok(()) };
        let found = self.keychain.find(&place.host).await;
        let proof = self.prove(place, action, challenge, &found).await?;
        *into = Received::default();
        let sent = self.send(place, ask, Some(&proof), into, most).await;
        match &into.head {
            Some((StatusCode::UNAUTHORIZED, _)) => {
                return Err(denied(place, "the registry answered 401 Unauthorized", &found));
            }
            Some(_) => self.remember(place, action, proof),
            None => {}
        }
        sent
    }

    async fn send(
        &self,
        place: &OciReference,
        ask: &Ask,
        proof: Option<&HeaderValue>,
        into: &mut Received,
        most: u64,
    ) -> Result<(), OciError> {
        let mut ask = ask.clone();
        ask.headers
            .insert(USER_AGENT, HeaderValue::from_static(concat!("tendon/", env!("CARGO_PKG_VERSION"))));
        // A registry can send a request elsewhere, to a storage or to another place for uploads. Who asks is not told there.
        if let Some(proof) = proof.filter(|_| is_own(place, &ask)) {
            ask.headers.insert(AUTHORIZATION, proof.clone());
        }
        let patience = PATIENCE + Duration::from_secs(ask.body.len() as u64 / SLOWEST);
        let most = usize::try_from(most).unwrap_or(usize::MAX);
        let client = self.client.clone().with_limits(patience, most).no_slower_than(SLOWEST);
        client.receive(&ask, into).await.map_err(OciError::from)
    }

    fn proof(&self, place: &OciReference, action: RepositoryAction) -> Option<HeaderValue> {
        let proofs = self.proofs.lock().unwrap_or_else(PoisonError::into_inner);
        let key = |repository: &str| (place.host.clone(), repository.to_owned(), action);
        proofs.get(&key(&place.repository)).or_else(|| proofs.get(&key(""))).cloned()
    }

    fn remember(&self, place: &OciReference, action: RepositoryAction, proof: HeaderValue) {
        // A password is for all repositories, a token for one.
        let is_basic = proof.to_str().is_ok_and(|text| text.starts_with("Basic "));
        let repository = if is_basic { String::new() } else { place.repository.clone() };
        let mut proofs = self.proofs.lock().unwrap_or_else(PoisonError::into_inner);
        proofs.insert((place.host.clone(), repository, action), proof);
    }

    /// What a registry wants to see.
    async fn prove(
        &self,
        place: &OciReference,
        action: RepositoryAction,
        challenge: Challenge,
        found: &CredentialLookup,
    ) -> Result<HeaderValue, OciError> {
        match challenge {
            Challenge::Basic => match &found.credential {
                Some(Credential::Basic { user, password }) => basic(user, password.reveal()),
                Some(Credential::Identity(_)) => Err(OciError::Denied(
                    "it wants a name and a password, and there is only a token".to_owned(),
                )),
                None => Err(denied(place, "the registry requires a login", found)),
            },
            Challenge::Bearer(bearer) => self.token(place, action, &bearer, found).await,
        }
    }

    /// Asks the service that the registry names for a token.
    async fn token(
        &self,
        place: &OciReference,
        action: RepositoryAction,
        bearer: &Bearer,
        found: &CredentialLookup,
    ) -> Result<HeaderValue, OciError> {
        let realm = &bearer.realm;
        if !place.may_lead_to(realm) {
            return Err(OciError::Protocol(format!(
                "it sends us to `{realm}` for a token, which is not an address with `https`"
            )));
        }
        let actions = match action {
            RepositoryAction::Pull => "pull",
            RepositoryAction::Push => "pull,push",
        };
        let scope = format!("repository:{}:{actions}", place.repository);
        let scope = bearer.scope.as_deref().filter(|scope| !scope.is_empty()).unwrap_or(&scope);
        let mut query = vec![("scope", scope)];
        query.extend(bearer.service.as_deref().map(|service| ("service", service)));
        let ask = match &found.credential {
            Some(Credential::Identity(token)) => {
                query.extend([
                    ("grant_type", "refresh_token"),
                    ("client_id", "tendon"),
                    ("refresh_token", token.reveal()),
                ]);
                let mut ask = Ask::new(Method::POST, realm, Bytes::from(form(&query)));
                let form = HeaderValue::from_static("application/x-www-form-urlencoded");
                ask.headers.insert(CONTENT_TYPE, form);
                // Asking twice does nothing twice.
                ask.is_idempotent = true;
                ask
            }
            credential => {
                let between = if realm.contains('?') { '&' } else { '?' };
                let mut ask =
                    Ask::new(Method::GET, format!("{realm}{between}{}", form(&query)), Bytes::new());
                if let Some(Credential::Basic { user, password }) = credential {
                    ask.headers.insert(AUTHORIZATION, basic(user, password.reveal())?);
                }
                ask
            }
        };
        let reply = self.ask_service(&ask).await?;
        match reply.status {
            StatusCode::OK => {}
            StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN | StatusCode::BAD_REQUEST => {
                return Err(denied(
                    place,
                    &format!("the service for its tokens answered {}", reply.status),
                    found,
                ));
            }
            status => {
                return Err(OciError::Answer { status, words: " when it was asked for a token".to_owned() });
            }
        }
        let answer: TokenResponse = serde_json::from_slice(&reply.body).map_err(|_| {
            OciError::Protocol("the service for its tokens did not answer with one".to_owned())
        })?;
        let token = answer.token.or(answer.access_token).unwrap_or_default();
        client::bearer(&token).map_err(OciError::from)
    }

    async fn ask_service(&self, ask: &Ask) -> Result<Reply, ClientError> {
        let client = self.client.clone().with_limits(PATIENCE, MOST_ANSWER);
        let mut attempt = 0;
        loop {
            let reply = client.send(ask).await;
            let passing = match &reply {
                Ok(reply) => is_passing(reply.status),
                Err(error) => may_pass(error),
            };
            if !passing || attempt + 1 >= self.attempts() {
                return reply;
            }
            self.pause(attempt, reply.as_ref().ok().map(|reply| &reply.headers)).await;
            attempt += 1;
        }
    }
}

/// What a service answers that is asked for a token.
#[derive(Deserialize)]
struct TokenResponse {
    #[serde(default)]
    token: Option<String>,
    #[serde(default)]
    access_token: Option<String>,
}

/// Whether a request goes to the registry itself.
fn is_own(place: &OciReference, ask: &Ask) -> bool {
    match (client::Origin::of(&ask.url), client::Origin::of(&place.url(""))) {
        (Ok(asked), Ok(own)) => asked == own,
        (Err(_), _) | (_, Err(_)) => false,
    }
}

/// Whether another attempt can have another answer.
pub(crate) fn is_passing(status: StatusCode) -> bool {
    matches!(status.as_u16(), 408 | 429 | 500 | 502 | 503 | 504)
}

/// What is written as it is in a form.
const KEPT: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

fn form(pairs: &[(&str, &str)]) -> String {
    let encode = |text: &str| utf8_percent_encode(text, KEPT).to_string();
    let pairs: Vec<String> = pairs.iter().map(|(name, value)| format!("{name}={}", encode(value))).collect();
    pairs.join("&")
}

fn basic(user: &str, password: &str) -> Result<HeaderValue, OciError> {
    let encoded = STANDARD.encode(format!("{user}:{password}"));
    let mut header = HeaderValue::from_str(&format!("Basic {encoded}"))
        .map_err(|_| OciError::Denied("the credential has characters that no header has".to_owned()))?;
    header.set_sensitive(true);
    Ok(header)
}

fn denied(place: &OciReference, why: &str, found: &CredentialLookup) -> OciError {
    let host = &place.host;
    let more = match (&found.credential, &found.complaint) {
        (_, Some(complaint)) => complaint.clone(),
        (Some(_), None) => format!("the credential for `{host}` was not accepted"),
        (None, None) => format!(
            "there is no credential for `{host}`; log in with `docker login {host}` or `az acr login`"
        ),
    };
    OciError::Denied(format!("{why}; {more}"))
}
