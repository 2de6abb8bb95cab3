//! Patterns for file names: `*` and `?`, with the habits that such patterns have had since the days of short names.
//!
//! `*.*` fits every name, `*.` those without an extension. `name.*` fits a name without an extension too. A `?` at the end, or before a dot, fits no
//! character as well as one. Everything else is compared as it is written, case included.

/// One part of a pattern.
#[derive(Clone, Copy, PartialEq, Eq)]
enum PatternPart {
    Is(char),
    /// Any number of characters.
    Any,
    /// Any number of characters up to the last dot.
    Stem,
    /// One character, or none at a dot and at the end.
    Maybe,
    /// A dot, or the end.
    Dot,
}

/// Tells whether a file name fits a pattern; the empty one fits every name.
pub(super) fn matches(name: &str, pattern: &str) -> bool {
    if matches!(pattern, "" | "*" | "." | "*.*") {
        return true;
    }
    let parts = parts(pattern);
    let name: Vec<char> = name.chars().collect();
    let last_dot = name.iter().rposition(|character| *character == '.');
    // Which parts can come next, having read so many characters.
    let mut next = vec![false; parts.len() + 1];
    if let Some(first) = next.first_mut() {
        *first = true;
    }
    for at in 0..=name.len() {
        let character = name.get(at).copied();
        let mut after = vec![false; parts.len() + 1];
        for place in 0..=parts.len() {
            if next.get(place) != Some(&true) {
                continue;
            }
            let Some(part) = parts.get(place) else { continue };
            let (skip, take, stay) = match (part, character) {
                (PatternPart::Is(expected), found) => (false, found == Some(*expected), false),
                (PatternPart::Any, found) => (true, false, found.is_some()),
                (PatternPart::Stem, found) => {
                    (true, last_dot == Some(at), found.is_some() && last_dot.is_none_or(|dot| at < dot))
                }
                (PatternPart::Maybe, None | Some('.')) => (true, false, false),
                (PatternPart::Maybe, Some(_)) => (false, true, false),
                (PatternPart::Dot, None) => (true, false, false),
                (PatternPart::Dot, found) => (false, found == Some('.'), false),
            };
            for (set, here, yes) in [(0, place + 1, skip), (1, place + 1, take), (1, place, stay)] {
                let target = if set == 0 { next.get_mut(here) } else { after.get_mut(here) };
                if let Some(target) = target
                    && yes
                {
                    *target = true;
                }
            }
        }
        if at == name.len() {
            break;
        }
        next = after;
    }
    next.last() == Some(&true)
}

fn parts(pattern: &str) -> Vec<PatternPart> {
    if let Some(start) = pattern.strip_suffix("*.") {
        let mut parts = parts(start);
        parts.push(PatternPart::Stem);
        return parts;
    }
    let characters: Vec<char> = pattern.chars().collect();
    let part = |(at, character): (usize, &char)| {
        let following = characters.get(at + 1);
        match character {
            '?' => PatternPart::Maybe,
            '.' if matches!(following, Some('?' | '*')) => PatternPart::Dot,
            '*' => PatternPart::Any,
            other => PatternPart::Is(*other),
        }
    };
    characters.iter().enumerate().map(part).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_fit_patterns() {
        for (name, pattern) in [
            ("main.bicep", ""),
            ("main", "*.*"),
            ("main.bicep", "*.bicep"),
            ("a.b.bicep", "*.bicep"),
            ("main.bicep", "main.*"),
            ("main", "main.*"),
            ("main.test.bicep", "main.*"),
            ("a.b", "?.*"),
            ("a", "a??"),
            ("abc", "a??"),
            ("ab", "a*b*"),
            ("a.txt", "a?.txt"),
            ("Makefile", "*."),
        ] {
            assert!(matches(name, pattern), "{name} {pattern}");
        }
    }

    #[test]
    fn names_do_not_fit_other_patterns() {
        for (name, pattern) in [
            ("main.json", "*.bicep"),
            ("main.bicep2", "*.bicep"),
            ("MAIN.BICEP", "*.bicep"),
            ("abcd", "a??"),
            ("main.bicep", "*."),
            ("xmain.bicep", "main.*"),
        ] {
            assert!(!matches(name, pattern), "{name} {pattern}");
        }
    }
}
