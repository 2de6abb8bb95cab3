//! What a deployment that runs hears of the store: from the journal about its batches, and from the keeper about its lease.

use machine::core::Event;

/// Something that a deployment hears of the store.
pub(crate) enum PersistMessage {
    /// Something for the machine.
    Event(Event),
    /// The store does not answer any more.
    Broken(String),
    /// The lease was renewed.
    Good,
}
