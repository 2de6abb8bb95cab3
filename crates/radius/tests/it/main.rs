//! Resource types and the registry: everything that is not a specification document.
#![cfg(test)]

mod agreement;
mod gate;
mod hostile;
mod mutated;
mod plane;
mod race;
mod random;
mod registry;
mod rules;
mod stored;
