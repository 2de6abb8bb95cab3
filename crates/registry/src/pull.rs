//! Pulls an artifact: its manifest, and the blobs that a program needs of it.

use client::Ask;
use hyper::Method;
use hyper::StatusCode;
use hyper::body::Bytes;
use hyper::header::{ACCEPT, HeaderValue};

use crate::artifact::parts;
use crate::manifest::Manifest;
use crate::oci_reference::Version;
use crate::session::RepositoryAction;
use crate::{ArtifactKind, Digest, OciError, OciReference, Registries, media};

/// An artifact whose digests were checked.
#[derive(Debug)]
pub struct Pulled {
    /// The manifest, as it was published.
    pub manifest: Vec<u8>,
    /// The digest of its manifest, which was checked.
    pub digest: Digest,
    /// The files of the cache, the main one last.
    pub files: Vec<(&'static str, Vec<u8>)>,
}

impl Registries {
    /// Pulls an artifact and checks the digest of each of its parts.
    pub async fn pull(&self, place: &OciReference, kind: ArtifactKind) -> Result<Pulled, OciError> {
        let (bytes, digest) = self.manifest(place, RepositoryAction::Pull).await?;
        let manifest = Manifest::read(&bytes)?;
        let mut files = Vec::new();
        for part in parts(&manifest, kind)? {
            files.push((part.file, self.blob(place, &part).await?));
        }
        Ok(Pulled { manifest: bytes, digest, files })
    }

    /// Whether there is an artifact. What a token is for is said when it is asked for, so that it matters what comes next.
    pub(crate) async fn has_manifest(
        &self,
        place: &OciReference,
        next: RepositoryAction,
    ) -> Result<bool, OciError> {
        match self.manifest(place, next).await {
            Ok(_) => Ok(true),
            Err(OciError::NotFound) => Ok(false),
            Err(fault) => Err(fault),
        }
    }

    async fn manifest(
        &self,
        place: &OciReference,
        action: RepositoryAction,
    ) -> Result<(Vec<u8>, Digest), OciError> {
        let mut ask =
            Ask::new(Method::GET, place.url(&format!("manifests/{}", place.version())), Bytes::new());
        ask.headers.insert(ACCEPT, HeaderValue::from_static(media::MANIFEST));
        let reply = self.call(place, action, &ask).await?;
        if reply.status != StatusCode::OK {
            return Err(OciError::of_answer(reply.status, &reply.body));
        }
        let wrong =
            |expected: &Digest| OciError::WrongDigest { what: "the manifest", expected: expected.clone() };
        if let Version::Digest(expected) = &place.version
            && !expected.is_of(&reply.body)
        {
            return Err(wrong(expected));
        }
        // What the registry says the digest is must be so, too, unless it is in a form that is not ours.
        let said = reply.headers.get("docker-content-digest").and_then(|value| value.to_str().ok());
        if let Some(said) = said.and_then(Digest::parse).filter(|said| !said.is_of(&reply.body)) {
            return Err(wrong(&said));
        }
        Ok((reply.body.to_vec(), Digest::of(&reply.body)))
    }
}
