//! What patterns mean in each dialect, as tables: a pattern, texts it is found in, texts it is not found in.

mod bre;
mod ecma;
mod hostile;
mod matchers;
mod re2;

use contract::pattern::{Pattern, PatternSyntax};

/// A pattern, texts that match it and texts that do not.
type Row<'a> = (&'a str, &'a [&'a str], &'a [&'a str]);

/// A pattern that is refused, the byte offset of the trouble, and what is said about it.
type Refusal<'a> = (&'a str, usize, &'a str);

/// What the rows of a dialect are held against.
struct Table(PatternSyntax);

impl Table {
    #[track_caller]
    fn check(&self, rows: &[Row<'_>]) {
        for (source, found, not_found) in rows {
            let pattern = Pattern::new(self.0, source).unwrap_or_else(|error| panic!("`{source}`: {error}"));
            for text in *found {
                assert!(pattern.is_match(text.as_bytes()), "`{source}` should match {text:?}");
            }
            for text in *not_found {
                assert!(!pattern.is_match(text.as_bytes()), "`{source}` should not match {text:?}");
            }
        }
    }

    #[track_caller]
    fn check_refused(&self, rows: &[Refusal<'_>]) {
        for (source, offset, message) in rows {
            let error = Pattern::new(self.0, source).expect_err(source);
            assert_eq!((error.offset, error.message.as_str()), (*offset, *message), "`{source}`");
        }
    }
}
