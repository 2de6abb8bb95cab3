//! What may go out over one connection to the upstream: no more than it is known to read as it is meant.
//!
//! UPSTREAM: a server of Apache's crate for Rust answers a function or a service that it does not have without moving over the
//! arguments, and takes them, and whatever follows, for the next message. So it is not enough that it reads messages as the
//! proxy does: it has to have the service of a call under the name that the call has for it. A service that has not
//! answered under that name is asked by one message, behind which nothing follows before the answer.

use super::dialect::{CallNames, Pins};
use super::table::MethodTable;
use crate::wire::Protocol;

/// A service, and how a call names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct CalledService {
    /// Its number in the table.
    pub(super) number: u32,
    /// Whether the call is one of `Service:function`.
    pub(super) has_prefix: bool,
}

/// What may go out over one connection to the upstream.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UpstreamLink {
    state: LinkState,
    /// The services that have answered.
    known: Vec<CalledService>,
    /// The one that is asked.
    asked: Option<CalledService>,
    /// Whether the upstream has whatever is in the table, under the names that the operator says.
    has_all: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum LinkState {
    /// It has carried nothing yet.
    Fresh,
    /// It has carried a message, and the upstream has not shown how it reads that.
    Asked,
    /// The upstream reads messages as they are meant.
    Confirmed,
    /// It has carried a message, and nobody will ever know how that was read.
    Spent,
}

/// Whether the upstream has every service of the table, by what the operator says: one that is asked by the names of functions
/// alone has one service.
pub(super) fn has_all(pins: &Pins, table: &MethodTable) -> bool {
    match pins.names {
        None => false,
        Some(CallNames::Plain) => table.services() == 1,
        Some(CallNames::Services) => true,
    }
}

/// Whether a server that takes arguments for a message finds one in them. JSON has a bracket where the other begins.
pub(super) fn begins_as_message(protocol: Protocol, arguments: &[u8]) -> bool {
    match protocol {
        // A field 8 that is false, before a field that is true: by these are the mark, the version and the kind of a message.
        Protocol::Compact => matches!(arguments, [0x82, second, ..] if second & 0x1f == 1),
        // The first field as the length of a name, with no version before it. No field begins as a version does.
        Protocol::Binary => arguments.split_first_chunk().is_some_and(|(length, rest)| {
            let length = u32::from_be_bytes(*length) as usize;
            rest.get(length..).is_some_and(|behind| behind.len() > 5)
        }),
        Protocol::Json => false,
    }
}

impl UpstreamLink {
    /// A connection to an upstream of which so much is known.
    pub fn new(pins: &Pins, table: &MethodTable) -> UpstreamLink {
        let state = if pins.are_complete() { LinkState::Confirmed } else { LinkState::Fresh };
        UpstreamLink { state, known: Vec::new(), asked: None, has_all: has_all(pins, table) }
    }

    /// Forgets the services, since the table is another one.
    pub fn renew(&mut self, pins: &Pins, table: &MethodTable) {
        self.known.clear();
        self.asked = None;
        self.has_all = has_all(pins, table);
    }

    /// Whether a message may go out over it.
    #[inline]
    pub fn may_carry(&self) -> bool {
        matches!(self.state, LinkState::Confirmed | LinkState::Fresh)
    }

    /// Whether the upstream has a service. One that it may not have is asked when no other call is on its way.
    #[inline]
    pub fn has(&self, service: Option<CalledService>) -> bool {
        self.has_all || service.is_none_or(|service| self.known.contains(&service))
    }

    /// Whether it has to be given up, and another made for the next message.
    #[inline]
    pub fn is_spent(&self) -> bool {
        self.state == LinkState::Spent
    }

    /// Whether an answer is held against the dialect of its call.
    #[inline]
    pub fn wants_proof(&self) -> bool {
        self.state == LinkState::Asked
    }

    /// A message goes out; `awaited` if there will be an answer. `None` is the service of a function that the table does not
    /// have, of which the operator says that it may pass.
    #[inline]
    pub fn carry(&mut self, service: Option<CalledService>, awaited: bool) {
        if self.state == LinkState::Fresh || !self.has(service) {
            self.asked = service;
            self.state = if awaited { LinkState::Asked } else { LinkState::Spent };
        }
    }

    /// The upstream has answered; `proof` if it did so in the dialect of the call, and as one that has its service.
    #[inline]
    pub fn answered(&mut self, proof: bool) {
        if self.state == LinkState::Asked {
            self.state = if proof { LinkState::Confirmed } else { LinkState::Spent };
            self.known.extend(self.asked.take());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::proxy::Transport;
    use crate::wire::Protocol;

    const ONE: Option<CalledService> = Some(CalledService { number: 0, has_prefix: false });
    const OTHER: Option<CalledService> = Some(CalledService { number: 1, has_prefix: false });
    const PREFIXED: Option<CalledService> = Some(CalledService { number: 0, has_prefix: true });

    fn pinned(names: Option<CallNames>) -> Pins {
        Pins { transport: Some(Transport::Framed), protocol: Some(Protocol::Binary), names }
    }

    #[test]
    fn a_service_is_had_once_it_has_answered_under_its_name() {
        let mut link = UpstreamLink::new(&pinned(None), &MethodTable::default());
        assert!(link.may_carry() && !link.has(ONE));
        link.carry(ONE, true);
        assert!(!link.may_carry() && link.wants_proof());
        link.answered(true);
        assert!(link.may_carry() && link.has(ONE) && !link.has(OTHER) && !link.has(PREFIXED));
        // One that is known, and a function that nobody knows and that may pass, ask nothing.
        link.carry(ONE, false);
        link.carry(None, true);
        assert!(link.may_carry() && !link.wants_proof());
        link.renew(&pinned(None), &MethodTable::default());
        assert!(link.may_carry() && !link.has(ONE));
        link.carry(PREFIXED, true);
        link.answered(false);
        assert!(link.is_spent() && !link.may_carry());
    }

    #[test]
    fn what_nobody_answers_is_the_last_message_unless_the_service_is_had() {
        let mut link = UpstreamLink::new(&pinned(None), &MethodTable::default());
        link.carry(ONE, false);
        assert!(link.is_spent());
        let mut link = UpstreamLink::new(&pinned(Some(CallNames::Services)), &MethodTable::default());
        link.carry(PREFIXED, false);
        assert!(link.may_carry() && link.has(OTHER));
    }
}
