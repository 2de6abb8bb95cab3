//! The same conversation on one thread: every message is answered and looked at before the next one is read.

use std::cell::RefCell;

use crate::Machine;
use crate::publish::{Depth, Publisher};
use crate::session::{Effect, Session};
use crate::wire;

/// A conversation in which nothing happens at the same time: for tests.
pub struct Talk {
    session: Session,
    publisher: Publisher,
    has_ended: bool,
}

impl Talk {
    /// A conversation that begins.
    #[must_use]
    pub fn new(machine: Machine) -> Talk {
        Talk { session: Session::new(machine), publisher: Publisher::default(), has_ended: false }
    }

    /// Takes what a client says, whole messages, and gives what it is told.
    #[must_use]
    pub fn handle_input(&mut self, mut input: &[u8]) -> Vec<u8> {
        let mut output = Vec::new();
        // Reading and writing memory does not fail.
        while !self.has_ended
            && let Ok(Some(frame)) = wire::read(&mut input)
        {
            let mut messages = Vec::new();
            for effect in self.session.take(frame) {
                match effect {
                    Effect::Send(message) => messages.push(message),
                    Effect::Ask(question) => messages.extend(question.answer()),
                    Effect::End { asked: _ } => self.has_ended = true,
                }
            }
            while let Some(look) = self.session.take_diagnostics_job() {
                messages.extend(self.publisher.clear(&look));
                for path in look.documents() {
                    let found = self.publisher.look(&look, &path, Depth::Templates, &|| true);
                    messages.extend(found.and_then(|found| self.publisher.publish_message(found)));
                    let said = RefCell::new(Vec::new());
                    let snapshot = &look.snapshot;
                    let missing = snapshot.restores.claim(&snapshot.compiler, &path);
                    snapshot.restores.fetch(&missing, snapshot.abilities.progress, &|message| {
                        said.borrow_mut().push(message);
                    });
                    messages.extend(said.into_inner());
                }
            }
            for message in messages {
                let _ = wire::write(&mut output, &message);
            }
        }
        output
    }
}

/// Talks to a client whose words are all there: for tests.
#[must_use]
pub fn talk(input: &[u8], machine: Machine) -> Vec<u8> {
    Talk::new(machine).handle_input(input)
}
