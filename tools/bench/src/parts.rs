//! Benchmarks of several parts, of which some can be named.

use crate::Result;

/// The name of a part, and the function that runs it on what is given.
pub(crate) type Part<G> = (&'static str, fn(&G) -> Result);

/// Runs the parts that are named, or all of them if none is.
pub(crate) fn run<G>(parts: &[Part<G>], named: &[&str], given: &G) -> Result {
    if let Some(unknown) = named.iter().find(|name| !parts.iter().any(|(part, _)| part == *name)) {
        let known: Vec<&str> = parts.iter().map(|(name, _)| *name).collect();
        return Err(format!("there is no part `{unknown}`; there are {}", known.join(", ")));
    }
    let wanted = parts.iter().filter(|(name, _)| named.is_empty() || named.contains(name));
    wanted.into_iter().try_for_each(|(_, run)| run(given))
}
