//! As much of HTTP/1.1 as Thrift over HTTP needs, and strictly that.
//!
//! Two readers that disagree about where a request ends are how requests are smuggled past a proxy, so
//! whatever the standard leaves to the reader is refused here: lengths given twice, line ends without a
//! carriage return, folded headers, chunk extensions, trailers, encodings.

use std::ops::Range;

use super::split::ConnectionSide;

/// No head is longer.
const MAX_HEAD: usize = 16 * 1024;
/// No head has more fields.
const MAX_FIELDS: usize = 100;
/// No field of a head has a longer name.
const MAX_FIELD_NAME: usize = 128;
/// No line with the size of a chunk is longer: sixteen digits.
const MAX_CHUNK_LINE: usize = 18;

/// Why a request or response cannot be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum HttpProblem {
    /// The head is not laid out as it must be.
    Malformed,
    /// The head is too long.
    LongHead,
    /// The body is too long.
    LongBody,
    /// Another method than `POST`.
    Method,
    /// Another version than 1.0 and 1.1.
    Version,
    /// The body has no length, or more than one.
    Length,
    /// The body is encoded, or asks for something that is not supported.
    Encoding,
}

impl HttpProblem {
    /// The status that answers a request with the problem.
    pub fn status(self) -> u16 {
        match self {
            HttpProblem::Malformed => 400,
            HttpProblem::LongHead => 431,
            HttpProblem::LongBody => 413,
            HttpProblem::Method => 405,
            HttpProblem::Version => 505,
            HttpProblem::Length => 411,
            HttpProblem::Encoding => 415,
        }
    }

    /// The problem in words.
    pub fn describe(self) -> &'static str {
        match self {
            HttpProblem::Malformed => "the HTTP head is malformed",
            HttpProblem::LongHead => "the HTTP head is too long",
            HttpProblem::LongBody => "the HTTP body is too long",
            HttpProblem::Method => "only `POST` is served",
            HttpProblem::Version => "only HTTP/1.0 and HTTP/1.1 are served",
            HttpProblem::Length => "the HTTP body needs one length",
            HttpProblem::Encoding => "encodings, upgrades and trailers are not supported",
        }
    }
}

/// Writes a whole response.
pub fn http_answer(status: u16, body: &[u8], close: bool) -> Vec<u8> {
    let reason = match status {
        200 => "OK",
        400 => "Bad Request",
        404 => "Not Found",
        405 => "Method Not Allowed",
        411 => "Length Required",
        413 => "Content Too Large",
        415 => "Unsupported Media Type",
        431 => "Request Header Fields Too Large",
        505 => "HTTP Version Not Supported",
        _ => "Error",
    };
    let end = if close { "Connection: close\r\n" } else { "" };
    let allow = if status == 405 { "Allow: POST\r\n" } else { "" };
    let mut out = format!(
        "HTTP/1.1 {status} {reason}\r\nContent-Type: application/x-thrift\r\nContent-Length: {}\r\n{allow}{end}\r\n",
        body.len()
    )
    .into_bytes();
    out.extend_from_slice(body);
    out
}

/// How far a request or response has been read.
#[derive(Clone, Debug)]
pub(super) struct HttpScan {
    side: ConnectionSide,
    max: usize,
    /// Where to go on looking for the end of the head.
    searched: usize,
    head: Option<Head>,
    chunks: Chunks,
}

/// What a head says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Head {
    len: usize,
    body: HttpBody,
    close: bool,
    /// Whether the client waits for a sign before it sends the body.
    expects: bool,
    /// Whether it is a response that announces another.
    interim: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum HttpBody {
    Length(usize),
    Chunked,
    UntilClose,
}

/// A body that comes in chunks.
#[derive(Clone, Debug, Default)]
struct Chunks {
    /// Where the next chunk starts.
    at: usize,
    decoded: Vec<u8>,
}

/// A whole request or response.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Whole {
    pub(super) len: usize,
    pub(super) body: Range<usize>,
    /// The body if it is not in one piece.
    pub(super) decoded: Option<Vec<u8>>,
    pub(super) close: bool,
    pub(super) interim: bool,
}

/// What a look at the bytes gives.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum HttpProgress {
    Complete(Whole),
    More(usize),
    /// The client wants to be told to go on.
    Continue,
}

type Result<T> = std::result::Result<T, HttpProblem>;

impl HttpScan {
    pub(super) fn new(side: ConnectionSide, max: usize) -> HttpScan {
        HttpScan { side, max, searched: 0, head: None, chunks: Chunks::default() }
    }

    /// Goes on as far as the bytes go; they start with the request. `ended`: no more will come.
    pub(super) fn run(&mut self, bytes: &[u8], ended: bool) -> Result<HttpProgress> {
        let head = match self.head {
            Some(head) => head,
            None => match self.find_head(bytes)? {
                Some(head) => head,
                None => return Ok(HttpProgress::More(bytes.len() + 1)),
            },
        };
        let whole = match head.body {
            HttpBody::Length(length) => {
                let len = head.len + length;
                (bytes.len() >= len).then_some(Whole {
                    len,
                    body: head.len..len,
                    decoded: None,
                    close: head.close,
                    interim: head.interim,
                })
            }
            // Chunks of one byte each take six times as much room as their bytes.
            HttpBody::Chunked if bytes.len() - head.len > self.max => return Err(HttpProblem::LongBody),
            HttpBody::Chunked => self.chunks.run(bytes, self.max)?.then(|| Whole {
                len: self.chunks.at,
                body: head.len..head.len,
                decoded: Some(std::mem::take(&mut self.chunks.decoded)),
                close: head.close,
                interim: false,
            }),
            HttpBody::UntilClose if bytes.len() - head.len > self.max => return Err(HttpProblem::LongBody),
            HttpBody::UntilClose => ended.then_some(Whole {
                len: bytes.len(),
                body: head.len..bytes.len(),
                decoded: None,
                close: true,
                interim: false,
            }),
        };
        match (whole, head.body) {
            (Some(whole), _) => {
                *self = HttpScan::new(self.side, self.max);
                Ok(HttpProgress::Complete(whole))
            }
            (None, _) if head.expects => {
                self.head = Some(Head { expects: false, ..head });
                Ok(HttpProgress::Continue)
            }
            (None, HttpBody::Length(length)) => Ok(HttpProgress::More(head.len + length)),
            (None, _) => Ok(HttpProgress::More(bytes.len() + 1)),
        }
    }

    fn find_head(&mut self, bytes: &[u8]) -> Result<Option<Head>> {
        let from = self.searched.saturating_sub(3);
        let window = bytes.get(from..bytes.len().min(MAX_HEAD)).unwrap_or_default();
        let Some(end) = window.windows(4).position(|end| end == b"\r\n\r\n") else {
            self.searched = bytes.len().min(MAX_HEAD);
            return if bytes.len() >= MAX_HEAD { Err(HttpProblem::LongHead) } else { Ok(None) };
        };
        let len = from + end + 4;
        let head = parse(bytes.get(..len - 2).unwrap_or_default(), len, self.side)?;
        if matches!(head.body, HttpBody::Length(length) if length > self.max) {
            return Err(HttpProblem::LongBody);
        }
        self.head = Some(head);
        self.chunks.at = len;
        Ok(Some(head))
    }
}

impl Chunks {
    /// Takes the chunks that are there; true behind the last one.
    fn run(&mut self, bytes: &[u8], max: usize) -> Result<bool> {
        loop {
            let rest = bytes.get(self.at..).unwrap_or_default();
            let line = rest.get(..rest.len().min(MAX_CHUNK_LINE)).unwrap_or_default();
            let Some(end) = line.windows(2).position(|end| end == b"\r\n") else {
                return if rest.len() >= MAX_CHUNK_LINE { Err(HttpProblem::Malformed) } else { Ok(false) };
            };
            let digits = line.get(..end).unwrap_or_default();
            let size = hex(digits).ok_or(HttpProblem::Malformed)?;
            if size > max.saturating_sub(self.decoded.len()) {
                return Err(HttpProblem::LongBody);
            }
            let from = end + 2;
            let Some(chunk) = rest.get(from..from + size + 2) else {
                // What is there of the line end must be right, or trailers are being sent.
                return match rest.get(from + size..) {
                    Some([first, ..]) if *first != b'\r' => Err(HttpProblem::Encoding),
                    _ => Ok(false),
                };
            };
            let Some(data) = chunk.strip_suffix(b"\r\n") else {
                return Err(if size == 0 { HttpProblem::Encoding } else { HttpProblem::Malformed });
            };
            self.decoded.extend_from_slice(data);
            self.at += from + size + 2;
            if size == 0 {
                return Ok(true);
            }
        }
    }
}

fn hex(digits: &[u8]) -> Option<usize> {
    if digits.is_empty() || digits.len() > 15 {
        return None;
    }
    digits.iter().try_fold(0_usize, |value, digit| {
        Some(value.checked_mul(16)? + char::from(*digit).to_digit(16)? as usize)
    })
}

/// Reads a head; the bytes end with the line end of its last line.
fn parse(bytes: &[u8], len: usize, side: ConnectionSide) -> Result<Head> {
    let mut lines = bytes.split(|byte| *byte == b'\n');
    let first = lines.next().and_then(|line| line.strip_suffix(b"\r")).ok_or(HttpProblem::Malformed)?;
    let start = match side {
        ConnectionSide::Client => request_line(first)?,
        ConnectionSide::Upstream => status_line(first)?,
    };
    let mut headers = Headers::default();
    for (count, line) in lines.enumerate() {
        // The piece behind the last line end.
        if line.is_empty() {
            break;
        }
        if count >= MAX_FIELDS {
            return Err(HttpProblem::LongHead);
        }
        headers.take(line.strip_suffix(b"\r").ok_or(HttpProblem::Malformed)?)?;
    }
    let close = headers.close || (start.old && !headers.keep_alive);
    let body = match (headers.length, headers.chunked) {
        (Some(_), true) => return Err(HttpProblem::Length),
        (_, true) if start.old => return Err(HttpProblem::Length),
        _ if start.no_body => HttpBody::Length(0),
        (Some(length), false) => HttpBody::Length(length),
        (None, true) => HttpBody::Chunked,
        (None, false) if side == ConnectionSide::Client => return Err(HttpProblem::Length),
        (None, false) => HttpBody::UntilClose,
    };
    Ok(Head {
        len,
        body,
        close,
        expects: headers.expects && side == ConnectionSide::Client,
        interim: start.interim,
    })
}

/// What a first line says.
struct Start {
    /// HTTP/1.0.
    old: bool,
    no_body: bool,
    interim: bool,
}

fn version(word: &[u8]) -> Result<bool> {
    match word {
        b"HTTP/1.1" => Ok(false),
        b"HTTP/1.0" => Ok(true),
        _ => Err(HttpProblem::Version),
    }
}

fn request_line(line: &[u8]) -> Result<Start> {
    let words: Vec<&[u8]> = line.split(|byte| *byte == b' ').collect();
    let [method, target, number] = words.as_slice() else { return Err(HttpProblem::Malformed) };
    let old = version(number)?;
    if *method != b"POST" {
        return Err(HttpProblem::Method);
    }
    if target.is_empty() || !target.iter().all(u8::is_ascii_graphic) {
        return Err(HttpProblem::Malformed);
    }
    Ok(Start { old, no_body: false, interim: false })
}

fn status_line(line: &[u8]) -> Result<Start> {
    let mut words = line.splitn(3, |byte| *byte == b' ');
    let old = version(words.next().unwrap_or_default())?;
    match words.next() {
        // Nobody asked for another protocol.
        Some(b"101") => Err(HttpProblem::Encoding),
        Some([class, a, b]) if class.is_ascii_digit() && a.is_ascii_digit() && b.is_ascii_digit() => {
            let interim = *class == b'1';
            let no_body = interim
                || matches!([*a, *b], [b'0', b'4'] if *class == b'2')
                || matches!([*class, *a, *b], [b'3', b'0', b'4']);
            Ok(Start { old, no_body, interim })
        }
        _ => Err(HttpProblem::Malformed),
    }
}

/// What the headers say, as far as it is about where the message ends.
#[derive(Default)]
struct Headers {
    length: Option<usize>,
    chunked: bool,
    close: bool,
    keep_alive: bool,
    expects: bool,
}

impl Headers {
    fn take(&mut self, line: &[u8]) -> Result<()> {
        let colon = line.iter().position(|byte| *byte == b':').ok_or(HttpProblem::Malformed)?;
        let (Some(name), Some(value)) = (line.get(..colon), line.get(colon + 1..)) else {
            return Err(HttpProblem::Malformed);
        };
        if name.len() > MAX_FIELD_NAME {
            return Err(HttpProblem::LongHead);
        }
        let is_token = |byte: &u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(byte);
        let is_text = |byte: &u8| *byte == b'\t' || (*byte >= b' ' && *byte != 0x7f);
        if name.is_empty() || !name.iter().all(is_token) || !value.iter().all(is_text) {
            return Err(HttpProblem::Malformed);
        }
        let value = value.trim_ascii();
        let name = name.to_ascii_lowercase();
        if is_framing_in_disguise(&name) {
            return Err(HttpProblem::Malformed);
        }
        match name.as_slice() {
            b"content-length" => {
                let length = decimal(value).filter(|_| self.length.is_none());
                self.length = Some(length.ok_or(HttpProblem::Length)?);
            }
            b"transfer-encoding" => {
                if self.chunked || !value.eq_ignore_ascii_case(b"chunked") {
                    return Err(HttpProblem::Length);
                }
                self.chunked = true;
            }
            b"connection" => {
                for word in value.split(|byte| *byte == b',').map(<[u8]>::trim_ascii) {
                    // A proxy behind this one would leave them out, and see the body end somewhere else.
                    if FRAMING.iter().any(|it| word.eq_ignore_ascii_case(it)) {
                        return Err(HttpProblem::Length);
                    }
                    self.close |= word.eq_ignore_ascii_case(b"close");
                    self.keep_alive |= word.eq_ignore_ascii_case(b"keep-alive");
                }
            }
            b"expect" if value.eq_ignore_ascii_case(b"100-continue") => self.expects = true,
            b"content-encoding" if value.eq_ignore_ascii_case(b"identity") => {}
            b"expect" | b"content-encoding" | b"upgrade" | b"trailer" => return Err(HttpProblem::Encoding),
            _ => {}
        }
        Ok(())
    }
}

/// The fields that say where a message ends.
const FRAMING: [&[u8]; 2] = [b"content-length", b"transfer-encoding"];

/// Whether a name is that of such a field to servers which do not tell `_` from `-`, as those do that hand fields on in
/// environment variables; `name` is in lower case.
fn is_framing_in_disguise(name: &[u8]) -> bool {
    let folded = |byte: &u8| if *byte == b'_' { b'-' } else { *byte };
    name.contains(&b'_') && FRAMING.iter().any(|it| name.iter().map(folded).eq(it.iter().copied()))
}

fn decimal(digits: &[u8]) -> Option<usize> {
    if digits.is_empty() || digits.len() > 15 || !digits.iter().all(u8::is_ascii_digit) {
        return None;
    }
    std::str::from_utf8(digits).ok()?.parse().ok()
}
