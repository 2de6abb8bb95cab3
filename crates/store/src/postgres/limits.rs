//! How long a transaction waits, and is waited for.

/// Limits of a transaction, in milliseconds.
#[derive(Clone, Copy, Debug)]
pub(super) struct Limits {
    /// How long somebody waits for a lock.
    pub(super) lock: u64,
    /// How long a statement may take.
    pub(super) statement: u64,
    /// How long a node that stops in the middle keeps its locks.
    pub(super) idle: u64,
}

impl Limits {
    pub(super) const USUAL: Limits = Limits { lock: 10_000, statement: 60_000, idle: 5_000 };

    /// What begins a transaction. The isolation is said, so that settings of the database or the user do not matter; locks do the rest. The
    /// limits are said for the transaction alone, because a pooler may give the next one to another session.
    pub(super) fn begin(self) -> String {
        let Limits { lock, statement, idle } = self;
        format!(
            "BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE; SET LOCAL lock_timeout = {lock}; \
             SET LOCAL statement_timeout = {statement}; SET LOCAL idle_in_transaction_session_timeout = {idle}"
        )
    }
}
