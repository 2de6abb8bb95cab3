//! The tree of a deployment on a terminal, drawn anew in its place while the deployment runs.

use std::io::Write as _;
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use diagnostics::terminal::Style;

use super::tree::{StepTree, TreeFrame};

/// How often the tree is drawn.
const PACE: Duration = Duration::from_millis(100);

/// How large a terminal is that does not say it.
const SIZE: (usize, usize) = (80, 24);

/// A tree that draws itself until it is taken away.
pub(crate) struct LiveTree {
    shared: Arc<Mutex<SharedTree>>,
    /// The thread that draws ends when this is gone.
    stop: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

struct SharedTree {
    tree: StepTree,
    style: Style,
    /// The time of the last event, and when that was.
    seen: (i64, Instant),
    /// How many lines are on the screen.
    drawn: usize,
}

impl LiveTree {
    pub(crate) fn new(tree: StepTree, style: Style) -> LiveTree {
        let shared = SharedTree { tree, style, seen: (0, Instant::now()), drawn: 0 };
        let shared = Arc::new(Mutex::new(shared));
        let (stop, stopped) = channel();
        let drawing = Arc::clone(&shared);
        let thread = std::thread::spawn(move || {
            while stopped.recv_timeout(PACE) == Err(RecvTimeoutError::Timeout) {
                lock(&drawing).draw();
            }
        });
        LiveTree { shared, stop: Some(stop), thread: Some(thread) }
    }

    /// Changes the tree, at a time of the deployment's clock.
    pub(crate) fn change(&self, now: i64, change: impl FnOnce(&mut StepTree)) {
        let mut shared = lock(&self.shared);
        shared.seen = (now, Instant::now());
        change(&mut shared.tree);
    }

    /// Draws for the last time.
    pub(crate) fn finish(&mut self) {
        if self.stop.take().is_none() {
            return;
        }
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
        lock(&self.shared).draw();
    }
}

impl Drop for LiveTree {
    fn drop(&mut self) {
        self.finish();
    }
}

fn lock(shared: &Mutex<SharedTree>) -> MutexGuard<'_, SharedTree> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}

impl SharedTree {
    fn draw(&mut self) {
        let (width, height) = terminal_size::terminal_size_of(std::io::stderr())
            .map_or(SIZE, |(width, height)| (width.0.into(), height.0.into()));
        let (seen, at) = self.seen;
        let now = seen.saturating_add(i64::try_from(at.elapsed().as_millis()).unwrap_or(0));
        // The last cell of a line makes some terminals begin another one, and the last line is the cursor's.
        let (width, height) = (width.saturating_sub(1), height.saturating_sub(1).max(1));
        let lines = self.tree.lines(TreeFrame { now, width, height, style: self.style });
        let text = redrawn(self.drawn, &lines);
        self.drawn = lines.len();
        // What cannot be shown is not a failure.
        let _ = std::io::stderr().write_all(text.as_bytes());
    }
}

/// What puts lines in the place of those that were drawn before: in one go, and line over line, so that nothing flickers.
fn redrawn(before: usize, lines: &[String]) -> String {
    let mut text = String::from("\u{1b}[?2026h");
    if before > 0 {
        text.push_str(&format!("\u{1b}[{before}A"));
    }
    for line in lines {
        text.push('\r');
        text.push_str(line);
        text.push_str("\u{1b}[K\n");
    }
    text.push_str("\u{1b}[J\u{1b}[?2026l");
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_take_the_place_of_those_before() {
        let lines = ["a".to_owned(), "b".to_owned()];
        assert_eq!(redrawn(0, &lines), "\u{1b}[?2026h\ra\u{1b}[K\n\rb\u{1b}[K\n\u{1b}[J\u{1b}[?2026l");
        assert!(redrawn(3, &lines).starts_with("\u{1b}[?2026h\u{1b}[3A\ra\u{1b}[K\n"));
    }
}
