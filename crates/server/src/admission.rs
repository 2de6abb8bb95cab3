//! How much is under way at the same time: requests, and the bytes of large bodies, of all callers and of each. A client that goes away leaves work
//! behind, so connections and streams alone do not bound it.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::api_error::ApiError;
use crate::identity::LOCAL;
use crate::limits::Limits;

/// A body that is not larger is not counted.
const SMALL: usize = 64 * 1024;
/// One caller has a part of the room: a quarter of the requests, and half of the bytes. In local mode there is one caller.
const OWN_REQUESTS: usize = 4;
const OWN_BODIES: usize = 2;

/// The room that there is.
pub(crate) struct AdmissionControl {
    most: Room,
    taken: Mutex<Taken>,
}

/// So many requests, with so many bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Room {
    requests: usize,
    bodies: usize,
}

impl Room {
    fn and(self, more: Room) -> Room {
        Room {
            requests: self.requests.saturating_add(more.requests),
            bodies: self.bodies.saturating_add(more.bodies),
        }
    }

    fn without(self, less: Room) -> Room {
        Room {
            requests: self.requests.saturating_sub(less.requests),
            bodies: self.bodies.saturating_sub(less.bodies),
        }
    }

    fn fits(self, most: Room) -> bool {
        self.requests <= most.requests && self.bodies <= most.bodies
    }
}

#[derive(Default)]
struct Taken {
    all: Room,
    /// Of those who have some.
    callers: HashMap<Box<str>, Room>,
}

/// The room that a request takes, until it is dropped.
pub(crate) struct AdmissionPermit {
    control: Arc<AdmissionControl>,
    caller: Box<str>,
    room: Room,
}

impl AdmissionControl {
    pub(crate) fn new(limits: &Limits) -> Arc<AdmissionControl> {
        let most = Room { requests: limits.requests, bodies: limits.bodies };
        Arc::new(AdmissionControl { most, taken: Mutex::default() })
    }

    fn taken(&self) -> MutexGuard<'_, Taken> {
        self.taken.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes room for a request of a caller; those who have no name are told apart by their address.
    pub(crate) fn take(self: &Arc<AdmissionControl>, caller: &str) -> Result<AdmissionPermit, ApiError> {
        let mut permit =
            AdmissionPermit { control: Arc::clone(self), caller: caller.into(), room: Room::default() };
        permit.add(Room { requests: 1, bodies: 0 }, "requests")?;
        Ok(permit)
    }
}

impl AdmissionPermit {
    /// Takes room for a body that has so many bytes by now.
    pub(crate) fn grow(&mut self, bytes: usize) -> Result<(), ApiError> {
        let more = if bytes <= SMALL { 0 } else { bytes.saturating_sub(self.room.bodies) };
        if more == 0 {
            return Ok(());
        }
        self.add(Room { requests: 0, bodies: more }, "large requests")
    }

    /// Whether its body is large.
    pub(crate) fn is_large(&self) -> bool {
        self.room.bodies > 0
    }

    fn add(&mut self, more: Room, what: &str) -> Result<(), ApiError> {
        let most = self.control.most;
        let own = Room { requests: most.requests.div_ceil(OWN_REQUESTS), bodies: most.bodies / OWN_BODIES };
        // One body may have as much as there is.
        let own = Room { bodies: own.bodies.max(self.room.and(more).bodies), ..own };
        let mut taken = self.control.taken();
        let of_caller = taken.callers.get(&self.caller).copied().unwrap_or_default();
        if &*self.caller != LOCAL && !of_caller.and(more).fits(own) {
            let message = format!("too many {what} of this caller are under way; try again in a second");
            return Err(ApiError::new("TooManyRequests", message));
        }
        if !taken.all.and(more).fits(most) {
            let message = format!("too many {what} are under way; try again in a second");
            return Err(ApiError::new("TooManyRequests", message));
        }
        taken.all = taken.all.and(more);
        taken.callers.insert(self.caller.clone(), of_caller.and(more));
        drop(taken);
        self.room = self.room.and(more);
        Ok(())
    }
}

impl Drop for AdmissionPermit {
    fn drop(&mut self) {
        let mut taken = self.control.taken();
        taken.all = taken.all.without(self.room);
        if let Some(of_caller) = taken.callers.get_mut(&self.caller) {
            *of_caller = of_caller.without(self.room);
            if *of_caller == Room::default() {
                taken.callers.remove(&self.caller);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const UNIT: usize = 1024;

    #[test]
    fn room_is_given_back() {
        let limits = Limits { requests: 2, bodies: 1024 * UNIT, ..Limits::default() };
        let room = AdmissionControl::new(&limits);
        let mut one = room.take(LOCAL).unwrap();
        let mut two = room.take(LOCAL).unwrap();
        assert!(room.take(LOCAL).is_err());
        one.grow(600 * UNIT).unwrap();
        // Small bodies always have room.
        two.grow(SMALL).unwrap();
        assert!(two.grow(600 * UNIT).is_err());
        one.grow(1024 * UNIT).unwrap();
        drop(one);
        two.grow(600 * UNIT).unwrap();
        assert!(two.is_large() && room.take(LOCAL).is_ok());
        drop(two);
        assert_eq!(room.taken().all, Room::default());
        assert!(room.taken().callers.is_empty());
    }

    #[test]
    fn no_caller_has_all_of_it() {
        let limits = Limits { requests: 8, bodies: 1024 * UNIT, ..Limits::default() };
        let room = AdmissionControl::new(&limits);
        let mut greedy: Vec<AdmissionPermit> = std::iter::from_fn(|| room.take("greedy").ok()).collect();
        assert_eq!(greedy.len(), 2);
        let mut modest = room.take("modest").unwrap();
        let [first, second] = &mut greedy[..] else { panic!("there are two") };
        first.grow(400 * UNIT).unwrap();
        assert!(second.grow(400 * UNIT).is_err());
        modest.grow(400 * UNIT).unwrap();
        // One may be as large as a request can be.
        drop((greedy, modest));
        room.take("greedy").unwrap().grow(1024 * UNIT).unwrap();
    }
}
