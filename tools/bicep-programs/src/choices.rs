//! Where the decisions of the generator come from: a seed, or the bytes of a fuzzer.

/// A source of decisions. The same source gives the same program.
#[derive(Debug)]
pub struct Choices<'b> {
    source: Source<'b>,
}

#[derive(Debug)]
enum Source<'b> {
    Seed(u64),
    /// What is left; when nothing is, every decision is the first one, so that programs end.
    Bytes(&'b [u8]),
}

impl<'b> Choices<'b> {
    /// Decisions that follow from a number.
    #[must_use]
    pub fn from_seed(seed: u64) -> Choices<'b> {
        Choices { source: Source::Seed(seed) }
    }

    /// Decisions that follow from bytes, one or two for each.
    #[must_use]
    pub fn from_bytes(bytes: &'b [u8]) -> Choices<'b> {
        Choices { source: Source::Bytes(bytes) }
    }

    fn next(&mut self, wide: bool) -> u64 {
        match &mut self.source {
            Source::Seed(state) => {
                // SplitMix64: every seed gives another sequence, also seeds that are neighbours.
                *state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
                let mut mixed = *state;
                mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
                mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
                mixed ^ (mixed >> 31)
            }
            Source::Bytes(bytes) => {
                let mut value = 0;
                for _ in 0..=u8::from(wide) {
                    let (first, rest) = bytes.split_first().unwrap_or((&0, &[]));
                    value = value << 8 | u64::from(*first);
                    *bytes = rest;
                }
                value
            }
        }
    }

    /// A number below a limit; 0 if the limit is.
    pub fn below(&mut self, limit: usize) -> usize {
        let limit = limit as u64;
        if limit == 0 {
            return 0;
        }
        usize::try_from(self.next(limit > 256) % limit).unwrap_or_default()
    }

    /// Yes, once in so many times.
    pub fn one_in(&mut self, times: usize) -> bool {
        // The last answer is yes, so that an exhausted source says no.
        self.below(times) + 1 == times && times > 1
    }

    /// One of several texts.
    pub fn pick<'t>(&mut self, texts: &[&'t str]) -> &'t str {
        texts.get(self.below(texts.len())).copied().unwrap_or_default()
    }

    /// One of several things.
    pub fn one<'t, T>(&mut self, things: &'t [T]) -> Option<&'t T> {
        things.get(self.below(things.len()))
    }
}
