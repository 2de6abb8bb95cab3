//! Messages on a stream: a header with the length, an empty line, and so many bytes of JSON.
//!
//! A client that sends something else is answered and read on: the reader looks for the next header and goes on there.

use std::io::{self, BufRead, Read as _, Write};

/// The longest body that is read, in bytes.
const MAX_BODY: usize = 256 << 20;

/// How much of a line of a header is kept. What comes before it is not a header.
const MAX_LINE: usize = 4096;

/// The field that says how long the body is.
const LENGTH: &[u8] = b"content-length:";

/// What was read: a message, or that there is none.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum InputFrame {
    /// The bytes of a message.
    Body(Vec<u8>),
    /// Something that is not a message, and why.
    Broken(String),
    /// No message: what programs need of registries has come.
    News,
    /// No message: the stream has ended.
    End,
}

/// Reads the next message; none at the end of the stream.
pub(crate) fn read(input: &mut impl BufRead) -> io::Result<Option<InputFrame>> {
    let mut length: Option<Result<usize, String>> = None;
    let mut has_lines = false;
    loop {
        let Some(line) = read_line(input)? else { return Ok(None) };
        if line.is_empty() {
            match length {
                Some(Ok(length)) => return read_body(input, length),
                Some(Err(why)) => return Ok(Some(InputFrame::Broken(why))),
                None if has_lines => {
                    let why = "the header of a message has no `Content-Length`".to_owned();
                    return Ok(Some(InputFrame::Broken(why)));
                }
                // Empty lines between messages.
                None => continue,
            }
        }
        has_lines = true;
        if let Some(found) = length_in(&line) {
            length = Some(found);
        }
    }
}

/// Writes a message with its header, and flushes it.
pub(crate) fn write(output: &mut impl Write, body: &[u8]) -> io::Result<()> {
    write!(output, "Content-Length: {}\r\n\r\n", body.len())?;
    output.write_all(body)?;
    output.flush()
}

fn read_body(input: &mut impl BufRead, length: usize) -> io::Result<Option<InputFrame>> {
    // What is not there yet is not reserved: a length is only a claim.
    let mut body = Vec::new();
    let limit = u64::try_from(length).unwrap_or(u64::MAX);
    input.by_ref().take(limit).read_to_end(&mut body)?;
    if body.len() < length { Ok(None) } else { Ok(Some(InputFrame::Body(body))) }
}

/// The length that a line says, wherever in it: a body without its header can stand before the next one.
fn length_in(line: &[u8]) -> Option<Result<usize, String>> {
    let lower = line.to_ascii_lowercase();
    let at = lower.windows(LENGTH.len()).rposition(|part| part == LENGTH)?;
    let value = lower.get(at + LENGTH.len()..).unwrap_or_default().trim_ascii();
    let text = String::from_utf8_lossy(value);
    Some(match text.parse::<usize>() {
        Ok(length) if length <= MAX_BODY => Ok(length),
        Ok(length) => Err(format!("a message of {length} bytes is too long, at most {MAX_BODY} are read")),
        Err(_) => Err("`Content-Length` is not a number".to_owned()),
    })
}

/// The end of the next line, without its line break; none at the end of the stream.
fn read_line(input: &mut impl BufRead) -> io::Result<Option<Vec<u8>>> {
    let mut line: Vec<u8> = Vec::new();
    loop {
        let part = input.fill_buf()?;
        if part.is_empty() {
            return Ok(None);
        }
        let end = part.iter().position(|byte| *byte == b'\n');
        let taken = end.map_or(part.len(), |end| end + 1);
        line.extend_from_slice(part.get(..end.unwrap_or(taken)).unwrap_or_default());
        input.consume(taken);
        if line.len() > 2 * MAX_LINE {
            line.drain(..line.len() - MAX_LINE);
        }
        if end.is_some() {
            if line.last() == Some(&b'\r') {
                line.pop();
            }
            return Ok(Some(line));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(input: &str, expect: &[&str]) {
        let mut stream = input.as_bytes();
        let mut found = Vec::new();
        while let Some(frame) = read(&mut stream).unwrap() {
            found.push(match frame {
                InputFrame::Body(body) => String::from_utf8(body).unwrap(),
                InputFrame::Broken(why) => format!("! {why}"),
                InputFrame::News | InputFrame::End => panic!("it is not read"),
            });
        }
        assert_eq!(found, expect);
    }

    #[test]
    fn messages_follow_each_other() {
        check("Content-Length: 2\r\n\r\n{}Content-Length: 4\r\n\r\nnull", &["{}", "null"]);
        check("content-length:2\nContent-Type: x\n\n{}", &["{}"]);
    }

    #[test]
    fn after_a_broken_header_the_next_one_counts() {
        let after = "Content-Length: 4\r\n\r\nnull";
        check(
            &format!("X: 1\r\n\r\n{{}}{after}"),
            &["! the header of a message has no `Content-Length`", "null"],
        );
        check(&format!("Content-Length: x\r\n\r\n{after}"), &["! `Content-Length` is not a number", "null"]);
        let long = "a message of 999999999999 bytes is too long, at most 268435456 are read";
        check(&format!("Content-Length: 999999999999\r\n\r\n{after}"), &[&format!("! {long}"), "null"]);
        check(&format!("{}\r\n{after}", "x".repeat(100_000)), &["null"]);
    }

    #[test]
    fn a_stream_that_ends_in_a_message_ends() {
        check("Content-Length: 9\r\n\r\n{}", &[]);
        check("Content-Le", &[]);
        check("", &[]);
    }
}
