//! Pushes an artifact: its blobs, those that are not there yet, and then its manifest.

use client::{Ask, Received, Reply};
use hyper::body::Bytes;
use hyper::header::{CONTENT_TYPE, HeaderValue, LOCATION};
use hyper::{Method, StatusCode};

use crate::blob::resolved;
use crate::session::{MOST_ANSWER, RepositoryAction, is_passing};
use crate::{Digest, OciError, OciReference, Package, Registries, media};

impl Registries {
    /// Whether there is an artifact at the place that something is to be pushed to.
    pub async fn is_taken(&self, place: &OciReference) -> Result<bool, OciError> {
        self.has_manifest(place, RepositoryAction::Push).await
    }

    /// Pushes an artifact, and gives the digest of its manifest.
    pub async fn push(&self, place: &OciReference, package: &Package) -> Result<Digest, OciError> {
        for (digest, bytes) in package.blobs() {
            self.push_blob(place, &digest, Bytes::copy_from_slice(bytes)).await?;
        }
        let manifest = package.manifest()?;
        let digest = Digest::of(&manifest);
        let url = place.url(&format!("manifests/{}", place.version()));
        let mut ask = Ask::new(Method::PUT, url, Bytes::from(manifest));
        ask.headers.insert(CONTENT_TYPE, HeaderValue::from_static(media::MANIFEST));
        let reply = self.call(place, RepositoryAction::Push, &ask).await?;
        match reply.status {
            StatusCode::CREATED | StatusCode::OK | StatusCode::ACCEPTED => Ok(digest),
            status => Err(of_push(status, &reply)),
        }
    }

    async fn push_blob(&self, place: &OciReference, digest: &Digest, bytes: Bytes) -> Result<(), OciError> {
        let known = Ask::new(Method::HEAD, place.url(&format!("blobs/{digest}")), Bytes::new());
        if self.call(place, RepositoryAction::Push, &known).await?.status == StatusCode::OK {
            return Ok(());
        }
        let mut attempt = 0;
        loop {
            // An upload that broke is begun anew: registries forget what they have of it.
            let outcome = self.upload(place, digest, bytes.clone()).await;
            let again = match &outcome {
                Ok(reply) => is_passing(reply.status),
                Err(fault) => fault.may_pass(),
            };
            if !again || attempt + 1 >= self.attempts() {
                let reply = outcome?;
                return match reply.status {
                    StatusCode::CREATED | StatusCode::OK | StatusCode::ACCEPTED => Ok(()),
                    status => Err(of_push(status, &reply)),
                };
            }
            self.pause(attempt, outcome.as_ref().ok().map(|reply| &reply.headers)).await;
            attempt += 1;
        }
    }

    async fn upload(&self, place: &OciReference, digest: &Digest, bytes: Bytes) -> Result<Reply, OciError> {
        let uploads = place.url("blobs/uploads/");
        let begin = Ask::new(Method::POST, uploads.as_str(), Bytes::new());
        let reply = self.call(place, RepositoryAction::Push, &begin).await?;
        if reply.status != StatusCode::ACCEPTED {
            return Err(of_push(reply.status, &reply));
        }
        let location = reply.headers.get(LOCATION).and_then(|value| value.to_str().ok());
        let missing = || OciError::Protocol("it does not say where to upload to".to_owned());
        let url = resolved(&uploads, location.ok_or_else(missing)?);
        if !place.may_lead_to(&url) {
            return Err(OciError::Protocol("it wants an upload at an address without `https`".to_owned()));
        }
        let between = if url.contains('?') { '&' } else { '?' };
        let mut ask = Ask::new(Method::PUT, format!("{url}{between}digest={digest}"), bytes);
        ask.headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/octet-stream"));
        let mut received = Received::default();
        self.exchange(place, RepositoryAction::Push, &ask, &mut received, MOST_ANSWER as u64).await?;
        let Some((status, headers)) = received.head else {
            return Err(OciError::Protocol("it did not answer".to_owned()));
        };
        Ok(Reply { status, headers, body: received.body.into() })
    }
}

/// The fault of an answer to a push: a repository that is not there is no artifact that is not there.
fn of_push(status: StatusCode, reply: &Reply) -> OciError {
    match OciError::of_answer(status, &reply.body) {
        OciError::NotFound => {
            OciError::Answer { status, words: ": the registry does not take this repository".to_owned() }
        }
        fault => fault,
    }
}
