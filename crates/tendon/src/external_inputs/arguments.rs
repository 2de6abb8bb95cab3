//! The arguments behind `--`, which answer `sys.cliArgument`.

use arm::Value;
use diagnostics::suggest;

use super::InputError;

/// How arguments are written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Spelling {
    /// `-- --name value`.
    #[default]
    Own,
    /// `--arg-name value`, as the public command has it.
    Public,
}

impl Spelling {
    /// An argument as it is written.
    fn of(self, name: &str) -> String {
        match self {
            Spelling::Own => format!("--{name}"),
            Spelling::Public => format!("{PUBLIC_PREFIX}{name}"),
        }
    }

    /// How an argument is given at the end of a command.
    fn at_the_end(self) -> &'static str {
        match self {
            Spelling::Own => "-- ",
            Spelling::Public => "",
        }
    }
}

/// What the names of arguments begin with in the public command.
pub(crate) const PUBLIC_PREFIX: &str = "--arg-";

/// The arguments that were given, by name.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct CliArguments {
    all: Vec<(String, String)>,
    spelling: Spelling,
}

impl CliArguments {
    /// Reads `--name value` and `--name=value`. No error shows a value.
    pub(super) fn read(words: &[String], spelling: Spelling) -> Result<CliArguments, String> {
        let mut given: Vec<(String, String)> = Vec::new();
        let mut words = words.iter().peekable();
        while let Some(word) = words.next() {
            let named = word.strip_prefix("--").filter(|rest| !rest.is_empty() && !rest.starts_with('='));
            let Some(named) = named else {
                return Err(match given.last() {
                    // It may be a part of a value that has a space in it, which is nobody's business.
                    Some((name, _)) => format!(
                        "what follows the value of `--{name}` is not an argument; write `-- --NAME VALUE`, and quotes around a value with spaces"
                    ),
                    None => "arguments after `--` are values of external inputs; write `-- --NAME VALUE`"
                        .to_owned(),
                });
            };
            let (name, value) = match named.split_once('=') {
                Some((name, value)) => (name, value.to_owned()),
                None => match words.next_if(|next| !next.starts_with("--")) {
                    Some(value) => (named, value.clone()),
                    None => {
                        return Err(format!(
                            "`--{named}` has no value; write `--{named} VALUE`, or `--{named}=VALUE` if the value begins with `--`"
                        ));
                    }
                },
            };
            if given.iter().any(|(known, _)| known == name) {
                return Err(format!("`{}` is given twice", spelling.of(name)));
            }
            given.push((name.to_owned(), value));
        }
        Ok(CliArguments { all: given, spelling })
    }

    /// Refuses arguments that no input asks for.
    pub(super) fn expect(&self, names: Vec<&str>) -> Result<(), String> {
        let unknown = self.all.iter().find(|(name, _)| !names.contains(&name.as_str()));
        let Some((name, _)) = unknown else { return Ok(()) };
        let spelled = |name: &str| self.spelling.of(name);
        let mut message = format!("no external input asks for the argument `{}`", spelled(name));
        if let Some(close) = suggest(name, names.iter().copied()) {
            message.push_str(&format!("; did you mean `{}`?", spelled(close)));
        } else if names.is_empty() {
            message.push_str("; the parameters have no input `sys.cliArgument`");
        } else {
            let names: Vec<String> = names.iter().map(|name| format!("`{}`", spelled(name))).collect();
            message.push_str(&format!("; there are {}", names.join(", ")));
        }
        Err(message)
    }

    /// The value of an argument.
    pub(super) fn get(&self, name: &str) -> Result<Value, InputError> {
        match self.all.iter().find(|(known, _)| known == name) {
            Some((_, value)) => Ok(Value::text(value.as_str())),
            None => {
                let (spelled, before) = (self.spelling.of(name), self.spelling.at_the_end());
                Err(InputError::missing(format!("the argument '{spelled}' is not given"))
                    .hint(format!("write `{before}{spelled} VALUE` at the end of the command")))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(words: &[&str]) -> Result<Vec<(String, String)>, String> {
        let words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
        CliArguments::read(&words, Spelling::Own).map(|given| given.all)
    }

    fn pairs(pairs: &[(&str, &str)]) -> Result<Vec<(String, String)>, String> {
        Ok(pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect())
    }

    #[test]
    fn a_value_stands_behind_its_name_or_an_equals_sign() {
        assert_eq!(read(&[]), pairs(&[]));
        assert_eq!(read(&["--a", "1", "--b=2"]), pairs(&[("a", "1"), ("b", "2")]));
        assert_eq!(read(&["--a=--b", "--c", ""]), pairs(&[("a", "--b"), ("c", "")]));
        assert_eq!(read(&["--a", "-5", "--b=x=y"]), pairs(&[("a", "-5"), ("b", "x=y")]));
    }

    #[test]
    fn what_is_not_an_argument_is_refused_without_a_word_of_a_value() {
        for words in [
            &["s3cr3t"][..],
            &["--a", "b", "s3cr3t"],
            &["--a"],
            &["--a", "--b", "s3cr3t"],
            &["--", "s3cr3t"],
            &["--=s3cr3t"],
            &["--a", "s3cr3t", "--a=2"],
            &["-a", "s3cr3t"],
        ] {
            let error = read(words).unwrap_err();
            assert!(!error.contains("s3cr3t"), "{error}");
        }
    }

    #[test]
    fn an_argument_that_no_input_asks_for_is_refused() {
        let given = CliArguments::read(&["--nmae=x".to_owned()], Spelling::Own).unwrap();
        assert_eq!(given.expect(vec!["nmae"]), Ok(()));
        let error = given.expect(vec!["name"]).unwrap_err();
        assert_eq!(error, "no external input asks for the argument `--nmae`; did you mean `--name`?");
    }
}
