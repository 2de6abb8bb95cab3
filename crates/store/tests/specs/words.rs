//! The words of a statement: `"a b"` is one word, and a comma, a colon or a semicolon at the end of a word is one of its own.

use std::fmt::Display;
use std::str::FromStr;

/// A statement that is read from left to right.
pub(crate) struct Words {
    words: Vec<String>,
    next: usize,
}

impl Words {
    pub(crate) fn of(text: &str) -> Words {
        let mut words = Vec::new();
        let mut rest = text.trim_start();
        while !rest.is_empty() {
            let end = match rest.strip_prefix('"') {
                Some(quoted) => quoted.find('"').map_or(rest.len(), |end| end + 2),
                None => rest.find(char::is_whitespace).unwrap_or(rest.len()),
            };
            let (word, after) = rest.split_at(end);
            let bare = word.trim_end_matches([':', ';', ',']);
            let bare = if bare.is_empty() { word } else { bare };
            words.push(bare.trim_matches('"').to_owned());
            words.extend(word.get(bare.len()..).filter(|mark| !mark.is_empty()).map(str::to_owned));
            rest = after.trim_start();
        }
        Words { words, next: 0 }
    }

    /// Whether everything is read.
    pub(crate) fn is_done(&self) -> bool {
        self.next >= self.words.len()
    }

    /// Whether this is the next word.
    pub(crate) fn is_at(&self, word: &str) -> bool {
        self.words.get(self.next).is_some_and(|next| next == word)
    }

    /// What is left, to be shown.
    pub(crate) fn rest(&self) -> String {
        self.words.get(self.next..).unwrap_or_default().join(" ")
    }

    /// What was read since a place.
    pub(crate) fn since(&self, place: usize) -> String {
        let words = self.words.get(place..self.next).unwrap_or_default().iter();
        words.map(|word| if word.is_empty() { "\"\"" } else { word }).collect::<Vec<_>>().join(" ")
    }

    /// The place of the next word.
    pub(crate) fn place(&self) -> usize {
        self.next
    }

    /// Reads some words if they are the next ones.
    pub(crate) fn take(&mut self, words: &str) -> bool {
        let count = words.split(' ').count();
        let is_next = words.split(' ').eq(self.words.iter().skip(self.next).take(count));
        self.next += if is_next { count } else { 0 };
        is_next
    }

    pub(crate) fn demand(&mut self, words: &str) -> Result<(), String> {
        if self.take(words) { Ok(()) } else { Err(format!("expected `{words}`, found `{}`", self.rest())) }
    }

    /// The next word, whatever it is.
    pub(crate) fn word(&mut self) -> Result<&str, String> {
        let word = self.words.get(self.next).ok_or("a word is missing at the end")?;
        self.next += 1;
        Ok(word)
    }

    /// The next word as a number.
    pub(crate) fn number<N: FromStr<Err: Display>>(&mut self) -> Result<N, String> {
        let word = self.word()?;
        word.parse().map_err(|error| format!("`{word}`: {error}"))
    }

    /// The next word as two numbers with a mark between them.
    pub(crate) fn pair<A, B>(&mut self, mark: char) -> Result<(A, B), String>
    where
        A: FromStr<Err: Display>,
        B: FromStr<Err: Display>,
    {
        let word = self.word()?;
        let (a, b) = word.split_once(mark).ok_or_else(|| format!("`{word}` has no `{mark}`"))?;
        let wrong = |error: &dyn Display| format!("`{word}`: {error}");
        Ok((a.parse().map_err(|error| wrong(&error))?, b.parse().map_err(|error| wrong(&error))?))
    }
}
