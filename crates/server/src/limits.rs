//! What a client may ask of the server at most.

use std::num::NonZeroUsize;
use std::time::Duration;

use arm::template::TemplateLimits;

/// The limits. All of them hold for every request.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// How long a client may take to shake hands, to send the head of a request, and to say nothing on an open connection.
    pub head_time: Duration,
    /// How large a body may be, in bytes.
    pub body: usize,
    /// How long a client may take to send a body.
    pub body_time: Duration,
    /// How long a request may take to be answered.
    pub request_time: Duration,
    /// How long a connection of HTTP/2 may stay open without a request under way.
    pub idle_time: Duration,
    /// How many requests may be under way at the same time; more are told to come again.
    pub requests: usize,
    /// How many bytes the large bodies of requests that are under way may have together.
    pub bodies: usize,
    /// How many bytes large answers may have together that are on their way.
    pub answers: usize,
    /// How many requests may evaluate templates at the same time: predictions, and as many deployments that begin.
    pub evaluations: usize,
    /// How many requests a caller may send in a second, over a while; none for as many as they like.
    pub rate: Option<u32>,
    /// How large templates and what is in them may be.
    pub templates: TemplateLimits,
    /// How many wrong tokens an address may send in a second, over a while, before it is told to wait.
    pub wrong_tokens: u32,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits {
            head_time: Duration::from_secs(10),
            // A template, its parameters, and some room.
            body: 16 * 1024 * 1024,
            body_time: Duration::from_secs(30),
            request_time: Duration::from_secs(300),
            idle_time: Duration::from_secs(120),
            requests: 4096,
            // What is read from a body takes several times its size.
            bodies: 128 * 1024 * 1024,
            answers: 512 * 1024 * 1024,
            evaluations: 64,
            rate: None,
            templates: TemplateLimits::DEFAULT,
            wrong_tokens: 20,
        }
    }
}

/// What is read from a body takes so many times its size at most.
const READ: u64 = 96;

/// The share of the memory that answers may have that nobody reads.
const ANSWERS: u64 = 16;

/// How much memory there is for each evaluation: the largest values that a function makes from others, before they are counted, with those.
const EVALUATION: u64 = 128 << 20;

impl Limits {
    /// The same for a process that may use so many bytes of memory: a large body takes many times its size once it is read.
    #[must_use]
    pub fn within(self, memory: u64) -> Limits {
        let bodies = usize::try_from(memory / READ).unwrap_or(usize::MAX);
        let cores = std::thread::available_parallelism().map_or(1, NonZeroUsize::get);
        let of = |share: u64| usize::try_from(memory / share).unwrap_or(usize::MAX);
        Limits {
            bodies: self.bodies.min(bodies),
            body: self.body.min(bodies),
            answers: self.answers.min(of(ANSWERS)),
            evaluations: self.evaluations.min(of(EVALUATION).max(2)).min(cores.max(2) * 2),
            ..self
        }
    }
}
