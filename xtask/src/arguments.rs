//! The few argument forms the commands have: `--flag`, `--name VALUE` and plain words.

use std::collections::VecDeque;
use std::str::FromStr;

use crate::Result;

/// The arguments of one command, taken out one option at a time; what is left at the end is a mistake.
pub(crate) struct Arguments {
    rest: VecDeque<String>,
    usage: &'static str,
}

impl Arguments {
    pub(crate) fn new(arguments: impl Iterator<Item = String>, usage: &'static str) -> Arguments {
        Arguments { rest: arguments.collect(), usage }
    }

    /// Takes `--name` and tells whether it was there.
    pub(crate) fn flag(&mut self, name: &str) -> bool {
        let found = self.rest.iter().position(|argument| argument == name);
        found.and_then(|index| self.rest.remove(index)).is_some()
    }

    /// Takes every `--name VALUE`.
    pub(crate) fn values(&mut self, name: &str) -> Result<Vec<String>> {
        let mut values = Vec::new();
        while let Some(index) = self.rest.iter().position(|argument| argument == name) {
            self.rest.remove(index);
            values
                .push(self.rest.remove(index).ok_or_else(|| self.error(&format!("`{name}` needs a value")))?);
        }
        Ok(values)
    }

    /// Takes `--name VALUE`; the last one counts.
    pub(crate) fn value<T: FromStr>(&mut self, name: &str) -> Result<Option<T>> {
        let Some(text) = self.values(name)?.pop() else { return Ok(None) };
        text.parse().map(Some).map_err(|_| self.error(&format!("`{text}` is not a value for `{name}`")))
    }

    /// Takes all that is left as plain words.
    pub(crate) fn words(self) -> Result<Vec<String>> {
        match self.rest.iter().find(|argument| argument.starts_with('-')) {
            Some(unknown) => Err(self.error(&format!("unknown option `{unknown}`"))),
            None => Ok(self.rest.into()),
        }
    }

    /// Takes all that is left: a name, and arguments of any form for what it names.
    pub(crate) fn rest(self) -> Result<Vec<String>> {
        match self.rest.front() {
            Some(unknown) if unknown.starts_with('-') => {
                Err(self.error(&format!("unknown option `{unknown}`")))
            }
            Some(_) | None => Ok(self.rest.into()),
        }
    }

    /// Makes sure that nothing is left.
    pub(crate) fn finish(self) -> Result {
        match self.rest.front() {
            Some(unknown) => Err(self.error(&format!("unknown argument `{unknown}`"))),
            None => Ok(()),
        }
    }

    fn error(&self, message: &str) -> String {
        format!("{message}\nusage: cargo xtask {}", self.usage)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(words: &[&str]) -> Arguments {
        Arguments::new(words.iter().map(ToString::to_string), "demo [--list]")
    }

    #[test]
    fn options_are_found_in_any_order() {
        let mut arguments = parse(&["--only", "fmt", "--list", "--only", "clippy", "--seconds", "5"]);
        assert!(arguments.flag("--list"));
        assert_eq!(arguments.value::<u64>("--seconds"), Ok(Some(5)));
        assert_eq!(arguments.values("--only"), Ok(vec!["fmt".to_owned(), "clippy".to_owned()]));
        assert_eq!(arguments.finish(), Ok(()));
    }

    #[test]
    fn what_stands_behind_a_name_is_for_what_it_names() {
        assert_eq!(parse(&["a", "--other"]).rest(), Ok(vec!["a".to_owned(), "--other".to_owned()]));
    }

    #[test]
    fn mistakes_are_answered_with_the_usage() {
        let usage = "\nusage: cargo xtask demo [--list]";
        assert_eq!(parse(&["--only"]).values("--only"), Err(format!("`--only` needs a value{usage}")));
        assert_eq!(
            parse(&["--n", "x"]).value::<u64>("--n"),
            Err(format!("`x` is not a value for `--n`{usage}"))
        );
        assert_eq!(parse(&["--other"]).finish(), Err(format!("unknown argument `--other`{usage}")));
        assert_eq!(parse(&["--other", "a"]).rest(), Err(format!("unknown option `--other`{usage}")));
        assert_eq!(parse(&["a", "--other"]).words(), Err(format!("unknown option `--other`{usage}")));
    }
}
