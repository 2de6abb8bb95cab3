//! Progress for people: only on a terminal, and only when the work takes long.

use std::io::{self, Write as _};
use std::time::{Duration, Instant};

use diagnostics::printable;

/// Work shorter than this shows nothing.
const PATIENCE: Duration = Duration::from_secs(1);

/// How often the line is drawn anew.
const PACE: Duration = Duration::from_millis(100);

/// How much of a name is shown; a line that is broken in two could not be taken away.
const NAME: usize = 60;

/// One line on standard error that says how far the work is.
pub(crate) struct ProgressLine {
    shown: bool,
    start: Instant,
    last: Option<Instant>,
}

impl ProgressLine {
    /// Begins; shows nothing ever if nobody watches.
    pub(crate) fn new(watched: bool) -> ProgressLine {
        ProgressLine { shown: watched, start: Instant::now(), last: None }
    }

    /// Says what is done next.
    pub(crate) fn step(&mut self, position: usize, of: usize, what: &str) {
        let now = Instant::now();
        if !self.shown || of < 2 || now.duration_since(self.start) < PATIENCE {
            return;
        }
        if self.last.is_some_and(|last| now.duration_since(last) < PACE) {
            return;
        }
        self.last = Some(now);
        let name: String = printable(what).chars().take(NAME).collect();
        // Progress that cannot be shown is not a failure.
        let _ = write!(io::stderr(), "\r\u{1b}[K[{position}/{of}] {name}");
    }

    /// Takes the line away, so that other output can have its place.
    pub(crate) fn clear(&mut self) {
        if self.last.take().is_some() {
            let _ = write!(io::stderr(), "\r\u{1b}[K");
        }
    }
}
