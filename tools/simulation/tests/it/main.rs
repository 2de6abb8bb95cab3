//! The promises of the machines, over schedules, crashes and faults from seeds.
#![cfg(test)]

mod cluster;
mod simulate;
