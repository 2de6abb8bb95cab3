//! What clients send: honest calls, and calls that hide from a proxy that reads bytes otherwise than a server does.

use thrift::proxy::Transport;
use thrift::wire::MessageForm;
use thrift_readers::random::Random;

use crate::parts::{Speech, Writing};
use crate::stacks::Stack;

/// How the proxy is set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// As it comes.
    Default,
    /// It knows what the server speaks.
    Pinned,
    /// Envelopes without a version may pass, and functions that nobody knows if the server can move over them.
    Generous,
}

impl Mode {
    /// All of them.
    pub const ALL: [Mode; 3] = [Mode::Default, Mode::Pinned, Mode::Generous];
}

/// What one client sends.
#[derive(Clone, Debug)]
pub struct Connection {
    /// Its number, which every text in it starts with.
    pub number: usize,
    /// The proxy that it goes through.
    pub mode: Mode,
    /// All of its bytes.
    pub bytes: Vec<u8>,
    /// In how many pieces they come.
    pub pieces: usize,
    /// Whether there is nothing in it that a server could refuse.
    pub is_honest: bool,
    /// What it is made of.
    pub parts: Vec<&'static str>,
}

/// Writes connections for a server.
#[derive(Debug)]
pub struct Clients<'s> {
    stack: &'s Stack,
    random: Random,
}

impl<'s> Clients<'s> {
    /// The same seed gives the same connections.
    pub fn new(stack: &'s Stack, seed: u64) -> Clients<'s> {
        let salt =
            stack.name.bytes().fold(seed, |salt, byte| salt.wrapping_mul(31).wrapping_add(byte.into()));
        Clients { stack, random: Random::new(salt) }
    }

    /// What the next client sends.
    pub fn next(&mut self, number: usize) -> Connection {
        let is_honest = self.random.once_in(4);
        self.connection(number, is_honest)
    }

    /// What an honest client sends.
    pub fn honest(&mut self, number: usize) -> Connection {
        self.connection(number, true)
    }

    fn connection(&mut self, number: usize, is_honest: bool) -> Connection {
        let mode = Mode::ALL.get(self.random.below(6)).copied().unwrap_or(Mode::Default);
        let home = self.home(MessageForm::Versioned);
        // A server of HTTP may close the connection behind a response.
        let most = if is_honest && home.transport == Transport::Http { 1 } else { 6 };
        let mut writing = Writing {
            random: &mut self.random,
            number,
            texts: 0,
            speech: home,
            shares: self.stack.shares,
            keeps: self.stack.believes_lengths,
            out: Vec::new(),
            parts: Vec::new(),
        };
        let count = 1 + writing.random.below(most);
        if !is_honest {
            writing.speech = writing.some_speech(home);
        }
        for _ in 0..count {
            if is_honest {
                writing.honest();
            } else {
                writing.anything(home);
            }
        }
        let Writing { out: bytes, parts, .. } = writing;
        let pieces = 1 + self.random.below(3);
        Connection { number, mode, bytes, pieces, is_honest, parts }
    }

    fn home(&self, form: MessageForm) -> Speech {
        let Stack { transport, framed_within, protocol, .. } = *self.stack;
        Speech { transport, framed_within, protocol, form }
    }
}
