//! How a run ends: one table of exit codes, and the failures that lead to them.

use std::fmt;
use std::io;
use std::process::ExitCode;

/// The exit codes of every command. Where several apply, the greatest wins.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Exit {
    /// Everything asked for was done, and nothing is wrong.
    Fine = 0,
    /// The input has errors.
    Input = 1,
    /// The command line is wrong.
    Usage = 2,
    /// The environment failed: a file that cannot be read, a full disk, a closed pipe.
    Environment = 3,
    /// `what-if --exit-code` found changes; nothing else ends so.
    Changes = 4,
}

/// The table as `--help` shows it.
pub(crate) const TABLE: &str = "\
Exit codes:
  0  fine
  1  the input has errors
  2  wrong usage
  3  the environment failed: a file cannot be read, the disk is full, the pipe was closed
  4  `what-if --exit-code` found changes";

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> ExitCode {
        ExitCode::from(exit as u8)
    }
}

/// Why a command stopped before its end.
#[derive(Debug)]
pub(crate) enum CommandError {
    /// Wrong usage that the parser of arguments cannot see by itself.
    Usage(String),
    /// The machine did not do what it was asked.
    Environment(String),
    /// The input has errors.
    Input(String),
    /// The input has errors, which were reported where they were found.
    Reported,
    /// Nobody reads the output any more; there is nobody to tell, either.
    ClosedPipe,
}

impl CommandError {
    /// The exit code of the failure.
    pub(crate) fn exit(&self) -> Exit {
        match self {
            CommandError::Usage(_) => Exit::Usage,
            CommandError::Input(_) | CommandError::Reported => Exit::Input,
            CommandError::Environment(_) | CommandError::ClosedPipe => Exit::Environment,
        }
    }

    /// The exit code of a command that reported why it ended, and has output to flush like any other.
    pub(crate) fn settled(self) -> Result<Exit, CommandError> {
        match self {
            CommandError::Reported => Ok(Exit::Input),
            failure => Err(failure),
        }
    }

    /// Tells whether there is something left to say, and somebody to say it to.
    pub(crate) fn is_news(&self) -> bool {
        match self {
            CommandError::Usage(_) | CommandError::Environment(_) | CommandError::Input(_) => true,
            CommandError::Reported | CommandError::ClosedPipe => false,
        }
    }

    /// A failure to write to a stream or file.
    pub(crate) fn writing(target: &str, error: &io::Error) -> CommandError {
        match error.kind() {
            io::ErrorKind::BrokenPipe => CommandError::ClosedPipe,
            _ => CommandError::Environment(format!("cannot write to {target}: {}", Plain(error))),
        }
    }

    /// A failure to have an address to listen on.
    pub(crate) fn listening(address: std::net::SocketAddr, error: &io::Error) -> CommandError {
        CommandError::Environment(format!("cannot listen on `{address}`: {}", Plain(error)))
    }

    /// A failure to read a file or stream.
    pub(crate) fn reading(source: &str, error: &io::Error) -> CommandError {
        CommandError::Environment(format!("cannot read {source}: {}", Plain(error)))
    }

    /// A file that has no content to look at.
    pub(crate) fn unread(source: &str, unread: &dyn fmt::Display) -> CommandError {
        CommandError::Environment(format!("cannot read {source}: {unread}"))
    }
}

/// What an error of the system says, as a part of a sentence.
pub(crate) fn in_words(error: &io::Error) -> String {
    Plain(error).to_string()
}

impl fmt::Display for CommandError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CommandError::Usage(message)
            | CommandError::Environment(message)
            | CommandError::Input(message) => f.write_str(message),
            CommandError::Reported => f.write_str("the input has errors"),
            CommandError::ClosedPipe => f.write_str("the output was closed"),
        }
    }
}

/// An error of the system in its own words, without the number of the code.
struct Plain<'e>(&'e io::Error);

impl fmt::Display for Plain<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = self.0.to_string();
        let words = text.split_once(" (os error ").map_or(text.as_str(), |(words, _)| words);
        let mut characters = words.chars();
        match characters.next() {
            Some(first) => write!(f, "{}{}", first.to_lowercase(), characters.as_str()),
            None => f.write_str("unknown error"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_in_the_help_names_every_code() {
        for exit in [Exit::Fine, Exit::Input, Exit::Usage, Exit::Environment] {
            assert!(TABLE.contains(&format!("\n  {}  ", exit as u8)), "{exit:?}");
        }
    }

    #[test]
    fn the_worst_code_wins() {
        assert_eq!(Exit::Input.max(Exit::Environment), Exit::Environment);
        assert_eq!(Exit::Fine.max(Exit::Input), Exit::Input);
    }

    #[test]
    fn errors_of_the_system_read_as_parts_of_a_sentence() {
        let error = io::Error::from_raw_os_error(2);
        assert!(matches!(
            CommandError::reading("`a.json`", &error),
            CommandError::Environment(text) if text == "cannot read `a.json`: no such file or directory"
        ));
    }
}
