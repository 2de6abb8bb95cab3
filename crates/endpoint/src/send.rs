//! One request, sent until it is answered for good.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant, SystemTime};

use client::{Ask, Client, ClientError, Reply, bearer};
use engine::Failure;
use hyper::Method;
use hyper::body::Bytes;
use hyper::header::{ACCEPT, AUTHORIZATION, HeaderName, HeaderValue, USER_AGENT};
use tokio::sync::watch;

use crate::address::Base;
use crate::credential::{BearerToken, Credential};
use crate::error_body;
use crate::retry_policy::{
    self, MOST_FIRST_TRIES, MOST_REFUSALS, MOST_TRIES, RateClass, RequestThrottle, ResponseClass,
};

/// How this program calls itself.
const AGENT: &str = concat!("tendon/", env!("CARGO_PKG_VERSION"));

const REQUEST_ID: HeaderName = HeaderName::from_static("x-ms-client-request-id");
const CORRELATION_ID: HeaderName = HeaderName::from_static("x-ms-correlation-request-id");

/// The way to the endpoint.
pub(crate) struct Wire {
    pub(crate) client: Client,
    pub(crate) base: Base,
    pub(crate) credential: Option<Arc<dyn Credential>>,
    /// How long a second of the service lasts here.
    pub(crate) second: Duration,
    pub(crate) gate: RequestThrottle,
    /// Whether it ever answered.
    pub(crate) was_reached: AtomicBool,
    /// By which the service finds all requests of this deployment.
    pub(crate) correlation: String,
    pub(crate) canceled: watch::Sender<bool>,
}

/// A request to the endpoint, before it has a token.
pub(crate) struct ArmRequest<'q> {
    pub(crate) method: Method,
    /// An address of the endpoint.
    pub(crate) url: String,
    /// JSON, or nothing.
    pub(crate) body: Bytes,
    /// The resource that it is about.
    pub(crate) id: &'q str,
    /// Whether it asks how far something is that was accepted before.
    pub(crate) is_look: bool,
}

impl ArmRequest<'_> {
    pub(crate) fn get(url: String, id: &str) -> ArmRequest<'_> {
        ArmRequest { method: Method::GET, url, body: Bytes::new(), id, is_look: false }
    }
}

/// Why there is no answer.
#[derive(Debug)]
pub(crate) enum RequestError {
    /// Somebody wants the deployment to stop.
    Canceled,
    /// The service refused it, or could not be reached in time.
    Failed(Failure),
}

impl From<Failure> for RequestError {
    fn from(failure: Failure) -> RequestError {
        RequestError::Failed(failure)
    }
}

impl Wire {
    /// Sends a request until it is answered for good, or there is no more time. All of them may be sent twice: a put, a merge of the same
    /// values and a delete do no more the second time, and what a template calls with `POST` only reads.
    pub(crate) async fn exchange(
        &self,
        question: &ArmRequest<'_>,
        until: Instant,
    ) -> Result<Reply, RequestError> {
        let kind = RateClass::of(&question.method);
        let (mut failures, mut refusals) = (0, 0);
        let mut refused: Option<BearerToken> = None;
        loop {
            self.sleep_before_retry(self.gate.wait(kind, Instant::now()), until, question, None).await?;
            let token = self.token(refused.as_ref()).await?;
            let sent = self.client.send(&self.ask(question, token.as_ref())?).await;
            let (problem, pause) = match sent {
                Ok(reply) => {
                    self.was_reached.store(true, Ordering::Relaxed);
                    let told = retry_policy::retry_after(&reply.headers, SystemTime::now());
                    if let Some(seconds) = retry_policy::slow_down(&reply.headers) {
                        self.gate.close(kind, Instant::now() + self.second.mul_f64(seconds));
                    }
                    let body = (!reply.status.is_success()).then(|| error_body::body_of(&reply)).flatten();
                    let error = body.as_ref().and_then(error_body::error_of);
                    let verdict = retry_policy::verdict(reply.status, &reply.headers, error);
                    let may_go_on = match verdict {
                        ResponseClass::Final => return Ok(reply),
                        ResponseClass::Unknown => {
                            // Once: a second refusal is meant.
                            let is_first = refused.is_none() && token.is_some();
                            refused = token;
                            if is_first {
                                continue;
                            }
                            false
                        }
                        ResponseClass::Failed => {
                            failures += 1;
                            failures < MOST_TRIES
                        }
                        ResponseClass::Throttled | ResponseClass::Busy => {
                            refusals += 1;
                            refusals < MOST_REFUSALS
                        }
                    };
                    let failure = error_body::failure(&reply, question.method.as_str(), question.id);
                    if !may_go_on {
                        return Err(RequestError::Failed(failure));
                    }
                    let pause = match told {
                        Some(told) => self.scaled(told),
                        None => retry_policy::back_off(failures + refusals, self.second, chance()),
                    };
                    if verdict == ResponseClass::Throttled {
                        // The others need not find out by themselves.
                        self.gate.close(kind, Instant::now() + pause);
                    }
                    (failure, pause)
                }
                Err(error) => {
                    let failure = Failure::new("EndpointNotReached", error.to_string()).target(question.id);
                    let most = match error {
                        // Who never answered is not there, or was never meant.
                        ClientError::Unreachable(_) if !self.was_reached.load(Ordering::Relaxed) => {
                            MOST_FIRST_TRIES
                        }
                        ClientError::Unreachable(_) | ClientError::Connection(_) | ClientError::Late(_) => {
                            MOST_TRIES
                        }
                        ClientError::Untrusted(_)
                        | ClientError::Address(_)
                        | ClientError::Roots(_)
                        | ClientError::TooLarge(_)
                        | ClientError::Token => return Err(RequestError::Failed(failure)),
                    };
                    failures += 1;
                    if failures >= most {
                        let message = format!("{}; it was tried {failures} times", failure.message);
                        return Err(RequestError::Failed(Failure { message, ..failure }));
                    }
                    (failure, retry_policy::back_off(failures, self.second, chance()))
                }
            };
            self.sleep_before_retry(pause, until, question, Some(problem)).await?;
        }
    }

    /// The time of the service as time of this machine.
    pub(crate) fn scaled(&self, told: Duration) -> Duration {
        self.second.mul_f64(told.as_secs_f64().min(1e6))
    }

    /// Waits, unless there is not so much time, or somebody wants the deployment to stop.
    pub(crate) async fn sleep_before_retry(
        &self,
        pause: Duration,
        until: Instant,
        question: &ArmRequest<'_>,
        problem: Option<Failure>,
    ) -> Result<(), RequestError> {
        if *self.canceled.borrow() {
            return Err(RequestError::Canceled);
        }
        if pause.is_zero() {
            return Ok(());
        }
        if Instant::now() + pause > until {
            return Err(RequestError::Failed(self.out_of_time(question, problem)));
        }
        let mut canceled = self.canceled.subscribe();
        let stopped = canceled.wait_for(|canceled| *canceled);
        match tokio::time::timeout(pause, stopped).await {
            Ok(_) => Err(RequestError::Canceled),
            Err(_) => Ok(()),
        }
    }

    /// Why a step ended before the endpoint had answered for good.
    pub(crate) fn out_of_time(&self, question: &ArmRequest<'_>, problem: Option<Failure>) -> Failure {
        let goes_on = question.is_look || question.method != Method::GET;
        let goes_on = if goes_on { " What the endpoint began goes on there." } else { "" };
        let message = format!(
            "`{}` was not answered for good within the time of a step.{goes_on} Deploy again later, or allow more with `--step-seconds`",
            question.id
        );
        let failure = Failure::new("StepTimedOut", message).target(question.id);
        failure.because(problem.into_iter().collect())
    }

    /// The token to send, if one is needed.
    async fn token(&self, refused: Option<&BearerToken>) -> Result<Option<BearerToken>, RequestError> {
        let Some(credential) = &self.credential else { return Ok(None) };
        let token = credential.token(refused).await;
        let failed = |why: String| {
            let message = format!("there is no token for `{}`: {why}", self.base.origin());
            RequestError::Failed(Failure::new("NoToken", message))
        };
        token.map(Some).map_err(failed)
    }

    fn ask(&self, question: &ArmRequest<'_>, token: Option<&BearerToken>) -> Result<Ask, Failure> {
        // Whatever made the address: a token goes to the endpoint alone.
        let url = self.base.link(&question.url, "a request")?;
        let mut ask = Ask::new(question.method.clone(), url, question.body.clone());
        ask.is_idempotent = true;
        ask.headers.insert(ACCEPT, HeaderValue::from_static("application/json"));
        ask.headers.insert(USER_AGENT, HeaderValue::from_static(AGENT));
        for (name, value) in [(REQUEST_ID, guid()), (CORRELATION_ID, self.correlation.clone())] {
            if let Ok(value) = HeaderValue::from_str(&value) {
                ask.headers.insert(name, value);
            }
        }
        if let Some(token) = token {
            let header = bearer(token.secret.expose());
            let header = header.map_err(|error| Failure::new("NoToken", error.to_string()))?;
            ask.headers.insert(AUTHORIZATION, header);
        }
        Ok(ask)
    }
}

/// A number that nobody can guess, or the middle if there is none: pauses need not be random.
fn chance() -> u32 {
    getrandom::u32().unwrap_or(u32::MAX / 2)
}

/// A random id in the form of a GUID, by which the service logs a request.
pub(crate) fn guid() -> String {
    let mut bytes = [0; 16];
    // An id that is not random is still an id.
    let _ = getrandom::fill(&mut bytes);
    let [a, b, c, d, e, f, g, h, rest @ ..] = bytes;
    let hex = |bytes: &[u8]| bytes.iter().map(|byte| format!("{byte:02x}")).collect::<String>();
    let [i, j, rest @ ..] = rest;
    let (g, i) = (g & 0x0f | 0x40, i & 0x3f | 0x80);
    format!("{}-{}-{}-{}-{}", hex(&[a, b, c, d]), hex(&[e, f]), hex(&[g, h]), hex(&[i, j]), hex(&rest))
}
