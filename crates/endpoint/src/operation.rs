//! What takes longer than its request: followed to its end, by whichever of the three conventions of ARM the service keeps.
//!
//! A service names an operation (`Azure-AsyncOperation`), or a place where the result will be (`Location`), or shows in the resource itself how far
//! it is (`provisioningState`). The first one that an answer has is followed.

use std::time::{Instant, SystemTime};

use arm::{ProvisioningState, Value};
use client::Reply;
use engine::Failure;
use hyper::StatusCode;
use hyper::header::{HeaderName, LOCATION};

use crate::send::{ArmRequest, RequestError, Wire};
use crate::{error_body, retry_policy};

const OPERATION: HeaderName = HeaderName::from_static("azure-asyncoperation");

/// How often something that was named may be missing before it counts as lost: services need a moment to see what they made.
const MOST_MISSING: u32 = 20;

/// How far something is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Status {
    Running,
    Succeeded,
    Ended,
}

fn status_of(word: &str) -> Status {
    match ProvisioningState::parse(word) {
        Some(ProvisioningState::Succeeded) => Status::Succeeded,
        Some(ProvisioningState::Failed | ProvisioningState::Canceled) => Status::Ended,
        Some(ProvisioningState::Accepted | ProvisioningState::Running) | None => Status::Running,
    }
}

/// What is asked until an operation has ended.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Follow {
    /// An operation, by its address.
    Operation(String),
    /// A place where the result will be.
    Place(String),
    /// The resource itself, whose body says how far it is.
    Resource,
}

/// A request that was accepted.
pub(crate) struct LongRunningRequest<'a> {
    /// The id of the resource, for messages.
    pub(crate) id: &'a str,
    /// The address of the resource, where its state is read in the end.
    pub(crate) url: &'a str,
    /// The method of the request, as messages name it.
    pub(crate) method: &'a str,
    /// When there is no more time.
    pub(crate) until: Instant,
}

/// How a request that was accepted ended.
pub(crate) enum OperationOutcome {
    /// Well; with the last answer, and whether that is of the resource, or of the result.
    Done(Option<Value>),
    /// The resource is not there (any more).
    Gone,
}

impl Wire {
    /// Follows a put to its end: the state of the resource.
    pub(crate) async fn follow_put(
        &self,
        accepted: &LongRunningRequest<'_>,
        reply: Reply,
    ) -> Result<Value, RequestError> {
        let mut last = error_body::body_of(&reply);
        let follow = self.follows(&reply, reply.status == StatusCode::ACCEPTED)?;
        let is_done = match follow {
            None => self.is_provisioned(accepted, last.as_ref(), &reply)?,
            Some(_) => false,
        };
        if !is_done {
            let follow = follow.unwrap_or(Follow::Resource);
            last = match self.followed(accepted, follow, reply).await? {
                // The operation speaks of itself: what became of the resource says the resource.
                OperationOutcome::Done(_) | OperationOutcome::Gone => None,
            };
        }
        match last.filter(|body| member(body, "id").is_some() || member(body, "properties").is_some()) {
            Some(body) => Ok(body),
            None => self.resource(accepted).await,
        }
    }

    /// The state of a resource that was put, which may take a moment to be seen.
    async fn resource(&self, accepted: &LongRunningRequest<'_>) -> Result<Value, RequestError> {
        let question = ArmRequest::get(accepted.url.to_owned(), accepted.id);
        for missing in 0..MOST_MISSING {
            let reply = self.exchange(&question, accepted.until).await?;
            if reply.status.is_success() {
                return error_body::body_of(&reply).ok_or_else(|| unreadable(accepted.id, &reply).into());
            }
            if reply.status != StatusCode::NOT_FOUND || missing + 1 == MOST_MISSING {
                return Err(error_body::failure(&reply, "GET", accepted.id).into());
            }
            self.sleep_before_retry(
                retry_policy::next_look(missing, self.second),
                accepted.until,
                &question,
                None,
            )
            .await?;
        }
        Err(self.out_of_time(&question, None).into())
    }

    /// Follows a delete to its end.
    pub(crate) async fn follow_delete(
        &self,
        accepted: &LongRunningRequest<'_>,
        reply: Reply,
    ) -> Result<(), RequestError> {
        if reply.status != StatusCode::ACCEPTED && self.follows(&reply, false)?.is_none() {
            return Ok(());
        }
        let follow = self.follows(&reply, true)?.unwrap_or(Follow::Resource);
        self.followed(accepted, follow, reply).await.map(drop)
    }

    /// Follows an action to its end: its result.
    pub(crate) async fn follow_action(
        &self,
        accepted: &LongRunningRequest<'_>,
        reply: Reply,
    ) -> Result<Value, RequestError> {
        if reply.status != StatusCode::ACCEPTED {
            return Ok(error_body::body_of(&reply).unwrap_or(Value::Null));
        }
        let place = self.place(&reply)?;
        let Some(follow) = self.follows(&reply, true)? else {
            let message = format!(
                "the endpoint accepted `{}` of `{}` and does not say where its result will be",
                accepted.method, accepted.id
            );
            return Err(Failure::new("InvalidOperation", message).target(accepted.id).into());
        };
        let by_operation = matches!(follow, Follow::Operation(_));
        let body = match self.followed(accepted, follow, reply).await? {
            OperationOutcome::Done(body) => body,
            OperationOutcome::Gone => None,
        };
        match place.filter(|_| by_operation) {
            // The result is where it was said to be.
            Some(place) => {
                let reply = self.exchange(&ArmRequest::get(place, accepted.id), accepted.until).await?;
                match reply.status.is_success() {
                    true => Ok(error_body::body_of(&reply).unwrap_or(Value::Null)),
                    false => Err(error_body::failure(&reply, accepted.method, accepted.id).into()),
                }
            }
            None if by_operation => {
                Ok(body.as_ref().and_then(|body| member(body, "properties")).cloned().unwrap_or(Value::Null))
            }
            None => Ok(body.unwrap_or(Value::Null)),
        }
    }

    /// Looks until it has ended.
    async fn followed(
        &self,
        accepted: &LongRunningRequest<'_>,
        follow: Follow,
        first: Reply,
    ) -> Result<OperationOutcome, RequestError> {
        let mut follow = follow;
        let mut told = retry_policy::retry_after(&first.headers, SystemTime::now());
        let (mut looks, mut missing) = (0, 0);
        loop {
            let url = match &follow {
                Follow::Operation(url) | Follow::Place(url) => url.clone(),
                Follow::Resource => accepted.url.to_owned(),
            };
            let question = ArmRequest { is_look: true, ..ArmRequest::get(url, accepted.id) };
            let pause = match told.filter(|told| !told.is_zero()) {
                Some(told) => self.scaled(told),
                None => retry_policy::next_look(looks, self.second),
            };
            self.sleep_before_retry(pause, accepted.until, &question, None).await?;
            looks += 1;
            let reply = self.exchange(&question, accepted.until).await?;
            told = retry_policy::retry_after(&reply.headers, SystemTime::now());
            if reply.status == StatusCode::NOT_FOUND {
                if accepted.method == "DELETE" {
                    if follow == Follow::Resource {
                        return Ok(OperationOutcome::Gone);
                    }
                    // The operation may be gone with the resource.
                    follow = Follow::Resource;
                    continue;
                }
                missing += 1;
                if missing < MOST_MISSING {
                    continue;
                }
            }
            if !reply.status.is_success() {
                return Err(error_body::failure(&reply, "GET", accepted.id).into());
            }
            let body = error_body::body_of(&reply);
            let is_over = match &follow {
                Follow::Operation(_) => self.is_over(accepted, body.as_ref(), &reply)?,
                Follow::Place(_) if reply.status == StatusCode::ACCEPTED => false,
                // What is there may be the resource, which says by itself how far it is.
                Follow::Place(_) if accepted.method == "POST" => true,
                Follow::Place(_) => self.is_provisioned(accepted, body.as_ref(), &reply)?,
                Follow::Resource if accepted.method == "DELETE" => false,
                Follow::Resource => self.is_provisioned(accepted, body.as_ref(), &reply)?,
            };
            if is_over {
                return Ok(OperationOutcome::Done(body));
            }
            // An address may be replaced on the way.
            follow = match (self.follows(&reply, true)?, follow) {
                (Some(Follow::Operation(url)), Follow::Operation(_)) => Follow::Operation(url),
                (Some(Follow::Place(url)), Follow::Place(_)) => Follow::Place(url),
                (_, follow) => follow,
            };
        }
    }

    /// What an answer says to follow; a place counts only if that is how the result is told.
    fn follows(&self, reply: &Reply, is_accepted: bool) -> Result<Option<Follow>, Failure> {
        if let Some(link) = reply.headers.get(OPERATION).and_then(|link| link.to_str().ok()) {
            return Ok(Some(Follow::Operation(self.base.link(link, "`Azure-AsyncOperation` of an answer")?)));
        }
        let tells_place = is_accepted || reply.status == StatusCode::CREATED;
        Ok(self.place(reply)?.filter(|_| tells_place).map(Follow::Place))
    }

    fn place(&self, reply: &Reply) -> Result<Option<String>, Failure> {
        let link = reply.headers.get(LOCATION).and_then(|link| link.to_str().ok());
        link.map(|link| self.base.link(link, "`Location` of an answer")).transpose()
    }

    /// Whether an operation is over; one that failed is an error.
    fn is_over(
        &self,
        accepted: &LongRunningRequest<'_>,
        body: Option<&Value>,
        reply: &Reply,
    ) -> Result<bool, Failure> {
        let word = body.and_then(|body| text(body, "status").or_else(|| ProvisioningState::word_in(body)));
        let Some(word) = word else {
            // Some services begin without a body.
            return match reply.status {
                StatusCode::ACCEPTED => Ok(false),
                _ => Err(unreadable(accepted.id, reply)),
            };
        };
        judged(accepted, word, body.unwrap_or(&Value::Null), reply)
    }

    /// Whether a resource says that it is there; one that says that it failed is an error.
    fn is_provisioned(
        &self,
        accepted: &LongRunningRequest<'_>,
        body: Option<&Value>,
        reply: &Reply,
    ) -> Result<bool, Failure> {
        match body.and_then(ProvisioningState::word_in) {
            Some(word) => judged(accepted, word, body.unwrap_or(&Value::Null), reply),
            None => Ok(reply.status != StatusCode::ACCEPTED),
        }
    }
}

fn judged(
    accepted: &LongRunningRequest<'_>,
    word: &str,
    body: &Value,
    reply: &Reply,
) -> Result<bool, Failure> {
    match status_of(word) {
        Status::Running => Ok(false),
        Status::Succeeded => Ok(true),
        Status::Ended => {
            let failure = error_body::of_operation(body, word, accepted.id);
            Err(error_body::with_ids(failure, reply, accepted.method))
        }
    }
}

fn unreadable(id: &str, reply: &Reply) -> Failure {
    let message = format!(
        "the endpoint answered {} about `{id}`, and its answer does not give the result",
        reply.status
    );
    error_body::with_ids(Failure::new("InvalidOperation", message).target(id), reply, "GET")
}

fn member<'v>(value: &'v Value, name: &str) -> Option<&'v Value> {
    value.as_object()?.get(name)
}

fn text<'v>(value: &'v Value, name: &str) -> Option<&'v str> {
    member(value, name)?.as_str()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_three_words_are_an_end() {
        for (word, status) in [
            ("succeeded", Status::Succeeded),
            ("Failed", Status::Ended),
            ("Canceled", Status::Ended),
            ("Creating", Status::Running),
            ("Accepted", Status::Running),
            ("", Status::Running),
        ] {
            assert_eq!(status_of(word), status, "{word}");
        }
    }
}
