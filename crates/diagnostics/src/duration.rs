//! How long something took, as people say it.

/// A number of milliseconds in at most two units: `250 ms`, `1.5 s`, `2 min 5 s`, `3 h 20 min`. Smaller ones are cut off.
pub fn duration_words(milliseconds: i64) -> String {
    let milliseconds = milliseconds.max(0);
    let (seconds, minutes) = (milliseconds / 1_000, milliseconds / 60_000);
    match milliseconds {
        ..1_000 => format!("{milliseconds} ms"),
        1_000..60_000 => match milliseconds / 100 % 10 {
            0 => format!("{seconds} s"),
            tenths => format!("{seconds}.{tenths} s"),
        },
        60_000..3_600_000 => format!("{minutes} min {} s", seconds % 60),
        3_600_000.. => format!("{} h {} min", minutes / 60, minutes % 60),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_duration_has_at_most_two_units() {
        let words =
            [-1, 0, 250, 1_000, 1_500, 59_999, 60_000, 125_000, 3_599_999, 12_059_000].map(duration_words);
        assert_eq!(
            words,
            [
                "0 ms",
                "0 ms",
                "250 ms",
                "1 s",
                "1.5 s",
                "59.9 s",
                "1 min 0 s",
                "2 min 5 s",
                "59 min 59 s",
                "3 h 20 min"
            ]
        );
    }
}
