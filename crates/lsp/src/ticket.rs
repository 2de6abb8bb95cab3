//! Who answers a request: the thread that works on it, or the session that hears that nobody waits for it any more.

use std::sync::atomic::{AtomicBool, Ordering};

/// A request that is answered once. Whoever closes it answers it, and the others have nothing to say.
#[derive(Debug, Default)]
pub(crate) struct Ticket {
    is_closed: AtomicBool,
}

impl Ticket {
    /// Tells whether nobody has answered it, so that it is worth going on.
    pub(crate) fn is_open(&self) -> bool {
        !self.is_closed.load(Ordering::Acquire)
    }

    /// Closes it; true for the one who answers it.
    pub(crate) fn close(&self) -> bool {
        !self.is_closed.swap(true, Ordering::AcqRel)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_of_many_answers() {
        let ticket = Ticket::default();
        assert!(ticket.is_open());
        let answers = std::thread::scope(|scope| {
            let all: Vec<_> = (0..8).map(|_| scope.spawn(|| ticket.close())).collect();
            all.into_iter().map(|it| usize::from(it.join().unwrap())).sum::<usize>()
        });
        assert_eq!((answers, ticket.is_open()), (1, false));
    }
}
