//! How much is under way at the same time: requests, and the bytes of large bodies. A client that goes away leaves work behind, so connections and
//! streams alone do not bound it.

use std::sync::Arc;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::api_error::ApiError;
use crate::limits::Limits;

/// Bodies are counted in units of this many bytes.
const UNIT: usize = 1024;
/// A body that is not larger is not counted.
const SMALL: usize = 64 * UNIT;

/// The room that there is.
pub(crate) struct AdmissionControl {
    requests: Arc<Semaphore>,
    bodies: Arc<Semaphore>,
}

/// The room that a request takes, until it is dropped.
pub(crate) struct AdmissionPermit {
    _request: OwnedSemaphorePermit,
    body: Option<OwnedSemaphorePermit>,
    bodies: Arc<Semaphore>,
}

impl AdmissionControl {
    pub(crate) fn new(limits: &Limits) -> AdmissionControl {
        let permits = |count: usize| Arc::new(Semaphore::new(count.min(Semaphore::MAX_PERMITS)));
        AdmissionControl { requests: permits(limits.requests), bodies: permits(limits.bodies / UNIT) }
    }

    /// Takes room for a request.
    pub(crate) fn take(&self) -> Result<AdmissionPermit, ApiError> {
        let request = Arc::clone(&self.requests).try_acquire_owned().map_err(|_| {
            ApiError::new("TooManyRequests", "too many requests are under way; try again in a second")
        })?;
        Ok(AdmissionPermit { _request: request, body: None, bodies: Arc::clone(&self.bodies) })
    }
}

impl AdmissionPermit {
    /// Takes room for a body that has so many bytes by now.
    pub(crate) fn grow(&mut self, bytes: usize) -> Result<(), ApiError> {
        let held = self.body.as_ref().map_or(0, OwnedSemaphorePermit::num_permits);
        let more = if bytes <= SMALL { 0 } else { bytes.div_ceil(UNIT).saturating_sub(held) };
        if more == 0 {
            return Ok(());
        }
        let more = u32::try_from(more).unwrap_or(u32::MAX);
        let permit = Arc::clone(&self.bodies).try_acquire_many_owned(more).map_err(|_| {
            ApiError::new("TooManyRequests", "too many large requests are under way; try again in a second")
        })?;
        match &mut self.body {
            Some(body) => body.merge(permit),
            None => self.body = Some(permit),
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn room_is_given_back() {
        let room = AdmissionControl::new(&Limits { requests: 2, bodies: 1024 * UNIT, ..Limits::default() });
        let mut one = room.take().unwrap();
        let mut two = room.take().unwrap();
        assert!(room.take().is_err());
        one.grow(600 * UNIT).unwrap();
        // Small bodies always have room.
        two.grow(SMALL).unwrap();
        assert!(two.grow(600 * UNIT).is_err());
        one.grow(1024 * UNIT).unwrap();
        drop(one);
        two.grow(600 * UNIT).unwrap();
        assert!(room.take().is_ok());
    }
}
