//! How many instructions our checks on the bytes run for a message: a number that a busy machine does not change.
//!
//! Callgrind counts those of this very program twice, with few rounds over the messages and with more. The
//! difference is what the additional rounds take, without starting, reading the IDL and making the messages.

use std::process::Command;

use thrift::wire::Protocol;

use super::messages::Group;
use crate::{Result, said};

/// Asks for counts instead of times.
pub(super) const COUNT: &str = "--instructions";

/// Asks for nothing but the rounds that are counted.
pub(super) const WALK: &str = "--walk";

const PROTOCOLS: [(&str, Protocol); 2] = [("binary", Protocol::Binary), ("compact", Protocol::Compact)];

/// The protocol of a name.
pub(super) fn protocol(name: &str) -> Option<Protocol> {
    PROTOCOLS.into_iter().find_map(|(known, protocol)| (known == name).then_some(protocol))
}

/// Counts, and prints a table.
pub(super) fn run<'g>(groups: impl Iterator<Item = &'g Group>) -> Result {
    println!("\nInstructions of our checks on the bytes, for each message\n");
    println!("| message | binary | compact |");
    println!("|---|--:|--:|");
    for group in groups {
        let [binary, compact] = PROTOCOLS.map(|(name, _)| per_message(group, name));
        println!("| {} ({} B) | {} | {} |", group.title, group.size(), binary?, compact?);
    }
    Ok(())
}

fn per_message(group: &Group, protocol: &str) -> Result<u64> {
    const FEW: u32 = 1;
    const MORE: u32 = 9;
    let (few, more) = (count(group, protocol, FEW)?, count(group, protocol, MORE)?);
    let messages = u64::from(MORE - FEW) * group.binary.len() as u64;
    Ok(more.saturating_sub(few) / messages.max(1))
}

/// The instructions of this program with so many rounds over the messages.
fn count(group: &Group, protocol: &str, rounds: u32) -> Result<u64> {
    let output = Command::new("valgrind")
        .args(["--tool=callgrind", "--callgrind-out-file=/dev/null"])
        .arg(std::env::current_exe().map_err(said)?)
        .args(["thrift", WALK, group.name, protocol, &rounds.to_string()])
        .output()
        .map_err(|error| format!("valgrind: {error}"))?;
    let text = String::from_utf8_lossy(&output.stderr);
    let counted = text.lines().find_map(|line| line.split_once("Collected : ")?.1.trim().parse().ok());
    match counted {
        Some(counted) if output.status.success() => Ok(counted),
        _ => Err(format!("valgrind counted nothing:\n{text}")),
    }
}
