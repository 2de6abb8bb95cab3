//! The server on loopback: deployments, reads, how long they take at half load, and memory.
//!
//! `server [PART...] [--requests N]`: all parts, or those that are named. Server and clients share the machine, as they do on the
//! two cores of a small node; the state lies in a folder beside the binary and every commit is flushed.

mod client;
mod deployments;
mod latency;
mod memory;
mod reads;
mod served;

use crate::Result;
use crate::parts::{self, Part};

/// What is measured with.
struct Options {
    /// How many requests the part about memory sends.
    requests: usize,
}

/// Every part.
const PARTS: &[Part<Options>] = &[
    ("deployments", deployments::run),
    ("reads", reads::run),
    ("latency", latency::run),
    ("memory", memory::run),
];

pub(crate) fn run(arguments: &[String]) -> Result {
    let mut given = Options { requests: 1_000_000 };
    let mut wanted = Vec::new();
    let mut arguments = arguments.iter();
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--requests" => {
                let number = arguments.next().and_then(|value| value.parse().ok());
                given.requests = number.ok_or("`--requests` needs a number")?;
            }
            part => wanted.push(part),
        }
    }
    parts::run(PARTS, &wanted, &given)
}

/// The value below which a share of sorted values lies.
fn quantile<T: Copy>(sorted: &[T], share: f64) -> Option<T> {
    let at = (sorted.len() as f64 * share) as usize;
    sorted.get(at.min(sorted.len().checked_sub(1)?)).copied()
}
