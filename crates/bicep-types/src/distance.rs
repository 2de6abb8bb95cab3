//! How far apart two names are.

/// The least number of letters to insert, remove or replace to make one name of the other, without regard to case;
/// nothing if that is more than `within`. Takes time in proportion to the length times `within`.
pub(crate) fn distance_within(one: &str, other: &str, within: usize) -> Option<usize> {
    let (one, other) = (one.as_bytes(), other.as_bytes());
    if one.len().abs_diff(other.len()) > within {
        return None;
    }
    const FAR: usize = usize::MAX / 2;
    // One line of the classic table at a time, of which only the cells near the diagonal can matter.
    let mut line: Vec<usize> = (0..=other.len()).map(|at| if at > within { FAR } else { at }).collect();
    for (row, letter) in one.iter().enumerate() {
        let from = row.saturating_sub(within);
        let cells = line.iter_mut().zip(std::iter::once(None).chain(other.iter().map(Some)));
        let (mut diagonal, mut left, mut best) = (FAR, FAR, FAR);
        for (cell, against) in cells.skip(from).take(2 * within + 2) {
            let above = *cell;
            *cell = match against {
                None => above + 1,
                Some(against) => {
                    let replaced = diagonal + usize::from(!letter.eq_ignore_ascii_case(against));
                    replaced.min(above + 1).min(left + 1)
                }
            };
            diagonal = above;
            left = *cell;
            best = best.min(left);
        }
        if best > within {
            return None;
        }
    }
    line.last().copied().filter(|distance| *distance <= within)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distance_counts_changed_letters() {
        assert_eq!(distance_within("abc", "ABC", 2), Some(0));
        assert_eq!(distance_within("abc", "abd", 2), Some(1));
        assert_eq!(distance_within("abc", "ac", 2), Some(1));
        assert_eq!(distance_within("kitten", "sitting", 3), Some(3));
        assert_eq!(distance_within("kitten", "sitting", 2), None);
        assert_eq!(distance_within("", "ab", 2), Some(2));
        assert_eq!(distance_within("storageAccounts", "accountsStorage", 8), None);
    }

    #[test]
    fn the_narrow_band_gives_the_same_answer_as_the_whole_table() {
        let words = ["", "a", "ab", "ba", "abcdef", "abdcef", "bcdefa", "xabcdef", "fedcba", "aaaaaa"];
        for one in words {
            for other in words {
                let whole = distance_within(one, other, 20);
                for within in 0..8 {
                    assert_eq!(
                        distance_within(one, other, within),
                        whole.filter(|distance| *distance <= within),
                        "{one} {other} {within}"
                    );
                }
            }
        }
    }
}
