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
    let allowed = (name.len() / 3).min(3);
    candidates
        .into_iter()
        .take(MAX_CANDIDATES)
        .filter(|candidate| candidate.len().abs_diff(name.len()) <= allowed && *candidate != name)
        .map(|candidate| (distance(name.as_bytes(), candidate.as_bytes()), candidate))
        .filter(|(distance, _)| *distance <= allowed)
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate)
}

/// Formats the suggestion as the help of a diagnostic.
pub(crate) fn did_you_mean<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<String> {
    nearest(name, candidates).map(|found| format!("did you mean `{found}`?"))
}

/// Edit distance where a difference in case counts nothing against a different letter's one.
fn distance(left: &[u8], right: &[u8]) -> usize {
    let mut row: Vec<usize> = (0..=right.len()).collect();
    for (i, a) in left.iter().enumerate() {
        let mut diagonal = i;
        let mut before = i + 1;
        if let Some(first) = row.first_mut() {
            *first = before;
        }
        for (cell, b) in row.iter_mut().skip(1).zip(right) {
            let change = diagonal + usize::from(!a.eq_ignore_ascii_case(b));
            diagonal = *cell;
            before = change.min(before + 1).min(diagonal + 1);
            *cell = before;
        }
    }
    row.last().copied().unwrap_or(0)
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
