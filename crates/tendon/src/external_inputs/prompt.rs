//! Asks a person at the terminal, and does not show what is typed.

use super::InputError;

/// Asks a question; without a terminal there is nobody to ask.
#[cfg(unix)]
pub(super) fn ask(question: &str) -> Result<String, InputError> {
    use std::fs::File;
    use std::io::{IsTerminal as _, Write as _};

    let nobody = || {
        InputError::missing("there is no terminal to ask at")
            .hint("give the value with `--param`, or under `externalInputValues` in a parameters file")
    };
    // Where neither is a terminal nobody watches, whatever else the process could open.
    if !std::io::stdin().is_terminal() && !std::io::stderr().is_terminal() {
        return Err(nobody());
    }
    let mut terminal = File::options().read(true).write(true).open("/dev/tty").map_err(|_| nobody())?;
    let failed = |error: std::io::Error| {
        InputError::failed(format!("the terminal: {}", crate::exit::in_words(&error)))
    };
    let silent = HiddenTerminal::begin(&terminal).map_err(failed)?;
    let question = diagnostics::printable(question.trim_end_matches([' ', ':']));
    let answer = write!(terminal, "{question}: ").and_then(|()| read_line(&mut terminal));
    let _ = writeln!(terminal);
    drop(silent);
    match answer.map_err(failed)? {
        Some(line) => Ok(line),
        None => Err(InputError::missing("nothing was answered")),
    }
}

/// Asks a question; other systems have no such terminal.
#[cfg(not(unix))]
pub(super) fn ask(_: &str) -> Result<String, InputError> {
    Err(InputError::missing("there is no terminal to ask at"))
}

/// A terminal that shows nothing and hands over every key, until this is dropped.
#[cfg(unix)]
struct HiddenTerminal {
    terminal: std::fs::File,
    before: rustix::termios::Termios,
}

#[cfg(unix)]
impl HiddenTerminal {
    fn begin(terminal: &std::fs::File) -> std::io::Result<HiddenTerminal> {
        use rustix::termios::{LocalModes, OptionalActions, tcgetattr, tcsetattr};
        let terminal = terminal.try_clone()?;
        let before = tcgetattr(&terminal)?;
        let mut silent = before.clone();
        // Without signals, too: who interrupts finds the terminal as it was.
        silent.local_modes.remove(LocalModes::ECHO | LocalModes::ICANON | LocalModes::ISIG);
        tcsetattr(&terminal, OptionalActions::Flush, &silent)?;
        Ok(HiddenTerminal { terminal, before })
    }
}

#[cfg(unix)]
impl Drop for HiddenTerminal {
    fn drop(&mut self) {
        use rustix::termios::{OptionalActions, tcsetattr};
        let _ = tcsetattr(&self.terminal, OptionalActions::Flush, &self.before);
    }
}

#[cfg(any(unix, test))]
const LONGEST: usize = 1 << 20;

/// Reads keys up to the end of the line; none if whoever was asked gave up.
#[cfg(any(unix, test))]
fn read_line(keys: &mut dyn std::io::Read) -> std::io::Result<Option<String>> {
    const INTERRUPT: u8 = 3;
    const END: u8 = 4;
    const CLEAR: u8 = 21;
    let mut line: Vec<u8> = Vec::new();
    let mut key = [0];
    loop {
        match keys.read(&mut key)? {
            0 if line.is_empty() => return Ok(None),
            0 => break,
            _ => {}
        }
        let [byte] = key;
        match byte {
            b'\n' | b'\r' => break,
            INTERRUPT => return Ok(None),
            END if line.is_empty() => return Ok(None),
            END => break,
            CLEAR => line.clear(),
            // One character, which may be several bytes.
            8 | 127 => while line.pop().is_some_and(|byte| byte & 0b1100_0000 == 0b1000_0000) {},
            byte if line.len() < LONGEST => line.push(byte),
            _ => return Err(std::io::Error::other("the answer is too long")),
        }
    }
    String::from_utf8(line).map(Some).map_err(|_| std::io::Error::other("the answer is not UTF-8"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(mut keys: &[u8], expect: Option<&str>) {
        assert_eq!(read_line(&mut keys).unwrap().as_deref(), expect);
    }

    #[test]
    fn a_line_can_be_mended_while_it_is_typed() {
        check(b"hunter2\n", Some("hunter2"));
        check(b"\n", Some(""));
        check("hä\u{7f}unter2\r".as_bytes(), Some("hunter2"));
        check(b"wrong\x15right\n", Some("right"));
        check(b"\x08a\n", Some("a"));
        check(b"no end", Some("no end"));
    }

    #[test]
    fn whoever_is_asked_can_give_up() {
        check(b"", None);
        check(b"\x04", None);
        check(b"hunter\x032\n", None);
    }
}
