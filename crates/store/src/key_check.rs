//! Whether all who share a state have the same key.
//!
//! The first key that a state is used with leaves a value that only it can compute. Whoever comes with another key is told before it
//! seals anything that the others cannot open.

use std::fmt::Write as _;

use crate::commit::{BatchId, Commit, CommitOutcome, Condition, Write};
use crate::record::{Resource, ResourceId, RunId};
use crate::{Key, Result, SealError, Store, StoreError};

/// Where the value is kept. Ids of resources begin with a slash, so this is none of them.
const ID: &str = "seal-key-check";
/// The form of the record.
const FORMAT: u16 = 1;

/// The value of a key. It tells nothing about the key.
pub fn key_check(key: &Key) -> std::result::Result<String, SealError> {
    let mut text = String::new();
    for byte in key.derive("seal key check", b"")? {
        // Text can always be written to.
        let _ = write!(text, "{byte:02x}");
    }
    Ok(text)
}

/// The value of the key that a state is used with; none if nobody has left one.
pub fn kept_key_check(store: &dyn Store) -> Result<Option<String>> {
    Ok(store.resource(&ResourceId::new(ID))?.map(|kept| kept.body))
}

/// The record that keeps the value of a key, for a state that does not have it yet.
pub fn key_check_record(check: &str) -> Resource {
    Resource { id: ID.to_owned(), version: 1, format: FORMAT, body: check.to_owned() }
}

/// Whether a resource is the record that keeps the value of a key.
pub fn is_key_check(resource: &Resource) -> bool {
    resource.id == ID
}

/// Whether a state is used with this key. The first key is kept.
pub fn is_key_of(store: &dyn Store, key: &Key) -> Result<bool> {
    let wrong = |error: SealError| StoreError::Damaged(error.to_string());
    let check = key_check(key).map_err(wrong)?;
    if let Some(kept) = kept_key_check(store)? {
        return Ok(kept == check);
    }
    let bytes = Key::random().and_then(|random| random.derive("batch", b"")).map_err(wrong)?;
    let run = RunId(u128::from_be_bytes(bytes.first_chunk().copied().unwrap_or_default()));
    let record = key_check_record(&check);
    let commit = Commit {
        id: BatchId { run, number: 0 },
        fence: None,
        conditions: vec![Condition::ResourceVersion(ResourceId::new(ID), None)],
        writes: vec![Write::Resource(record)],
    };
    match store.commit(&[commit]).pop() {
        Some(CommitOutcome::Committed) => Ok(true),
        // Another was first.
        Some(CommitOutcome::Conflict { .. }) => Ok(kept_key_check(store)?.as_ref() == Some(&check)),
        Some(CommitOutcome::Unknown(why)) => Err(StoreError::Remote(why)),
        Some(CommitOutcome::Fenced) | None => Err(StoreError::Remote("the key was not kept".to_owned())),
    }
}
