//! "Did you mean": the known name that is nearest to an unknown one.

/// Names longer than this are only compared for equality: nobody mistypes them, and the comparison grows with the
/// square of the length.
const LONGEST: usize = 256;

/// Candidates shorter than this are only compared for equality: with so few letters everything is near.
const SHORTEST: usize = 3;

/// Returns the candidate that is most likely meant by `name`.
///
/// A candidate that differs in case alone wins. Otherwise the first of those with the fewest edits does (insert,
/// delete, replace or swap two neighbours, each regardless of case), with one edit allowed for every three
/// characters of `name` and lengths at most two apart.
pub fn suggest<'c>(name: &str, candidates: impl IntoIterator<Item = &'c str>) -> Option<&'c str> {
    nearest(name, candidates, 1)
}

/// Returns the candidate that is most likely meant by `name`, counting a swap of neighbours as two edits.
///
/// This is for callers that must agree with a reference tool that measures plain Levenshtein distance, because the
/// code of a diagnostic depends on whether there is a suggestion; in all else it is [`suggest`].
pub fn suggest_without_swaps<'c>(
    name: &str,
    candidates: impl IntoIterator<Item = &'c str>,
) -> Option<&'c str> {
    nearest(name, candidates, 2)
}

/// Returns the number of letters to insert, delete or replace to make one name of the other, regardless of case; nothing
/// if it is more than `within`.
pub fn distance(one: &str, other: &str, within: usize) -> Option<usize> {
    let (one, other) = (fold(one), fold(other));
    if one.len().abs_diff(other.len()) > within {
        return None;
    }
    if one == other { Some(0) } else { EditTable::default().distance(&one, &other, within, 2) }
}

fn nearest<'c>(name: &str, candidates: impl IntoIterator<Item = &'c str>, swap: usize) -> Option<&'c str> {
    let name = fold(name);
    let allowed = name.len() * 34 / 100;
    let mut table = EditTable::default();
    let mut best: Option<(usize, &'c str)> = None;
    for candidate in candidates {
        let folded = fold(candidate);
        if folded.is_empty() || folded.len().abs_diff(name.len()) > allowed.min(2) {
            continue;
        }
        if folded == name {
            return Some(candidate);
        }
        // Only a smaller distance than the best so far is of interest; at one there is none left.
        let limit = best.map_or(allowed, |(distance, _)| distance - 1);
        if limit == 0 || folded.len() < SHORTEST || folded.len().max(name.len()) > LONGEST {
            continue;
        }
        if let Some(distance) = table.distance(&name, &folded, limit, swap) {
            best = Some((distance, candidate));
        }
    }
    best.map(|(_, candidate)| candidate)
}

/// Upper case, one character for one, so that lengths stay comparable.
fn fold(name: &str) -> Vec<char> {
    let upper = |character: char| {
        let mut upper = character.to_uppercase();
        match (upper.next(), upper.next()) {
            (Some(one), None) => one,
            _ => character,
        }
    };
    name.chars().map(upper).collect()
}

/// Three rows of the edit table, kept between candidates.
#[derive(Default)]
struct EditTable {
    before: Vec<usize>,
    previous: Vec<usize>,
    current: Vec<usize>,
}

impl EditTable {
    /// Returns the distance from `a` to `b` when it is at least one and at most `limit`.
    fn distance(&mut self, a: &[char], b: &[char], limit: usize, swap: usize) -> Option<usize> {
        self.previous.clear();
        self.previous.extend(0..=b.len());
        for (row, &from) in a.iter().enumerate() {
            self.current.clear();
            self.current.push(row + 1);
            let mut left = row + 1;
            let mut least = left;
            for (column, &to) in b.iter().enumerate() {
                let cell = |line: &[usize], at: usize| line.get(at).copied().unwrap_or(usize::MAX / 2);
                let diagonal = cell(&self.previous, column) + usize::from(from != to);
                let up = cell(&self.previous, column + 1) + 1;
                let mut here = diagonal.min(up).min(left + 1);
                let swapped =
                    row > 0 && column > 0 && a.get(row - 1) == Some(&to) && b.get(column - 1) == Some(&from);
                if swapped {
                    here = here.min(cell(&self.before, column - 1) + swap);
                }
                self.current.push(here);
                left = here;
                least = least.min(here);
            }
            // A swap looks two rows back, so a row may recover by one; beyond that nothing gets better.
            if least > limit + 1 {
                return None;
            }
            std::mem::swap(&mut self.before, &mut self.previous);
            std::mem::swap(&mut self.previous, &mut self.current);
        }
        self.previous.last().copied().filter(|distance| (1..=limit).contains(distance))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(name: &str, candidates: &[&str], expect: Option<&str>) {
        assert_eq!(suggest(name, candidates.iter().copied()), expect, "{name}");
    }

    #[test]
    fn distance_counts_changed_letters() {
        for (one, other, within, expect) in [
            ("abc", "ABC", 2, Some(0)),
            ("abc", "abd", 2, Some(1)),
            ("abc", "ac", 2, Some(1)),
            ("abc", "acb", 2, Some(2)),
            ("kitten", "sitting", 3, Some(3)),
            ("kitten", "sitting", 2, None),
            ("", "ab", 2, Some(2)),
            ("storageAccounts", "accountsStorage", 8, None),
        ] {
            assert_eq!(distance(one, other, within), expect, "{one} {other}");
        }
    }

    #[test]
    fn case_alone_wins_over_a_near_name_that_comes_first() {
        check("resourcegroup", &["resourceGroups", "resourceGroup"], Some("resourceGroup"));
        check("ID", &["ip", "id"], Some("id"));
    }

    #[test]
    fn each_kind_of_edit_is_found() {
        check("lenght", &["length"], Some("length"));
        check("lengt", &["length"], Some("length"));
        check("lengthh", &["length"], Some("length"));
        check("lengxh", &["length"], Some("length"));
        check("naem", &["name"], Some("name"));
    }

    #[test]
    fn fewer_edits_win_and_the_first_of_equals() {
        check("storagAccount", &["storageAmount", "storageAccount", "storageCount"], Some("storageAccount"));
        check("foo1", &["foo2", "foo3"], Some("foo2"));
    }

    #[test]
    fn the_more_letters_the_more_edits() {
        check("ab", &["abc"], None);
        check("abc", &["abd"], Some("abd"));
        check("abcde", &["abxye"], None);
        check("abcdef", &["abxyef"], Some("abxyef"));
        check("abcdefghi", &["xbxdexghi"], Some("xbxdexghi"));
    }

    #[test]
    fn lengths_stay_within_two() {
        check("abcdefghijkl", &["abcdefghijklmno"], None);
        check("abcdefghijkl", &["abcdefghijklmn"], Some("abcdefghijklmn"));
    }

    #[test]
    fn short_candidates_are_never_near() {
        check("ooo", &["o", "oo", "OO"], None);
        check("", &["a", ""], None);
    }

    #[test]
    fn a_swap_counts_twice_where_a_reference_says_so() {
        assert_eq!(suggest_without_swaps("naem", ["name"]), None);
        assert_eq!(suggest_without_swaps("lenght", ["length"]), Some("length"));
        assert_eq!(suggest_without_swaps("nane", ["name"]), Some("name"));
    }

    #[test]
    fn very_long_names_are_only_compared_for_equality() {
        let long = "x".repeat(100_000);
        let near = format!("{long}y");
        let upper = long.to_uppercase();
        check(&long, &[&near], None);
        check(&long, &[&near, &upper], Some(&upper));
    }

    #[test]
    fn the_bounded_table_agrees_with_the_full_one() {
        let words = ["abcd", "abdc", "badc", "acbd", "dcba", "abcde", "bcde", "aabbccdd", "abab", "baba"];
        let full =
            |a: &str, b: &str, swap| EditTable::default().distance(&fold(a), &fold(b), usize::MAX / 2, swap);
        for a in words {
            for b in words {
                for swap in [1, 2] {
                    let exact = full(a, b, swap);
                    for limit in 1..6 {
                        let bounded = EditTable::default().distance(&fold(a), &fold(b), limit, swap);
                        assert_eq!(bounded, exact.filter(|d| *d <= limit), "{a} {b} {limit} {swap}");
                    }
                }
            }
        }
    }
}
