//! "Did you mean": the nearest of some names.

/// Names longer than this get no suggestion; the comparison costs the product of the lengths.
const MAX_LEN: usize = 64;
/// At most this many names are compared, so that a mistake in a large file stays cheap.
const MAX_CANDIDATES: usize = 2000;

/// Returns the candidate nearest to the name, when one is near enough to be a slip.
pub(crate) fn nearest<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    if name.len() > MAX_LEN {
        return None;
    }
    let others = candidates.into_iter().take(MAX_CANDIDATES).filter(|candidate| *candidate != name);
    diagnostics::suggest(name, others)
}

/// Formats the suggestion as the help of a diagnostic.
pub(crate) fn did_you_mean<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<String> {
    nearest(name, candidates).map(|found| format!("did you mean `{found}`?"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slip_is_found_and_a_stranger_is_not() {
        let names = ["Order", "Customer", "Invoice"];
        assert_eq!(nearest("Ordr", names), Some("Order"));
        assert_eq!(nearest("customer", names), Some("Customer"));
        assert_eq!(nearest("Address", names), None);
    }
}
