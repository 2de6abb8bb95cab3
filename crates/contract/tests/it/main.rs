//! The engine as dialects use it: everything that is not a specification document.
#![cfg(test)]

mod agreement;
mod allocations;
mod hostile;
mod pattern;
mod rules;
mod secrets;
mod verdict;
mod walks;
