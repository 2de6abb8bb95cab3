//! How often a deployment was begun without getting on, as a rule without a store: one that ends the process that works on it must not end every
//! process that resumes it.

/// The part of a run in which its starts are counted.
pub const ATTEMPTS: &str = "attempts";

/// How often a deployment is begun at most while none of its steps ends.
pub const MOST: u32 = 3;

/// What is kept of the starts of a deployment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StartCount {
    /// How often it was begun since a step was last known to have ended.
    pub starts: u32,
    /// How many steps had ended then.
    pub steps: u64,
}

impl StartCount {
    /// That of a deployment that was accepted, which begins it.
    pub const ACCEPTED: StartCount = StartCount { starts: 1, steps: 0 };
    /// That of one that a process gave up in good order.
    pub const GIVEN_BACK: StartCount = StartCount { starts: 0, steps: 0 };
    /// That of one that began alone, and by which its process did not end.
    pub const SURVIVED: StartCount = StartCount { starts: 1, steps: 0 };

    /// As it is kept.
    pub fn to_text(self) -> String {
        format!("{} {}", self.starts, self.steps)
    }

    /// Reads what is kept; none if it is nothing that was written here.
    pub fn parse(bytes: &[u8]) -> Option<StartCount> {
        let (starts, steps) = std::str::from_utf8(bytes).ok()?.split_once(' ')?;
        Some(StartCount { starts: starts.parse().ok()?, steps: steps.parse().ok()? })
    }

    /// What is kept of a deployment; that of one that was accepted, where nothing is.
    pub fn of(kept: Option<&[u8]>) -> StartCount {
        kept.and_then(StartCount::parse).unwrap_or(StartCount::ACCEPTED)
    }

    /// Whether the next start would be the last one, if so many steps have ended.
    pub fn is_last(self, steps: u64) -> bool {
        self.starts + 1 >= MOST && steps <= self.steps
    }

    /// The count with one more start, when so many steps have ended; none if it must not be begun again.
    #[must_use]
    pub fn next(self, steps: u64) -> Option<StartCount> {
        if steps > self.steps {
            return Some(StartCount { starts: 1, steps });
        }
        (self.starts < MOST).then(|| StartCount { starts: self.starts + 1, ..self })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn three_starts_without_a_step_are_the_last_and_a_step_begins_anew() {
        let second = StartCount::ACCEPTED.next(0).unwrap();
        assert!(second.is_last(0) && !StartCount::ACCEPTED.is_last(0));
        let third = second.next(0).unwrap();
        assert_eq!(third.next(0), None);
        assert_eq!(third.next(1), Some(StartCount { starts: 1, steps: 1 }));
        assert!(!second.is_last(1));
    }

    #[test]
    fn what_is_kept_is_read_back() {
        let count = StartCount { starts: 2, steps: 40 };
        assert_eq!(StartCount::parse(count.to_text().as_bytes()), Some(count));
        for wrong in ["", "2", "a b", "1 2 3", "-1 2"] {
            assert_eq!(StartCount::parse(wrong.as_bytes()), None, "{wrong}");
            assert_eq!(StartCount::of(Some(wrong.as_bytes())), StartCount::ACCEPTED, "{wrong}");
        }
    }
}
