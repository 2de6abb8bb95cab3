//! Where the messages of a connection begin and end.

use std::fmt;
use std::ops::Range;

use super::answer::Enclosure;
use super::http::{HttpProblem, HttpProgress, HttpScan};
use super::scan::{Scan, ScanProgress};
use crate::wire::{
    CallInfos, Detected, Detection, Framing, HeaderDialect, HeaderFrame, Limits, Protocol, StreamFrame,
    WireError, WireErrorKind, detect, frame_len,
};

/// Whose bytes they are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ConnectionSide {
    /// The client's, which are calls.
    Client,
    /// The upstream's, which are replies.
    Upstream,
}

/// What stands around a message, and where in its bytes the message is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Enclosed {
    /// The kind of enclosure.
    pub enclosure: Enclosure,
    /// The protocol, where the connection or the frame says so. In HTTP the message itself must show it; a
    /// reply in a frame with transforms does not.
    pub protocol: Option<Protocol>,
    /// Where the message is.
    pub body: Range<usize>,
    /// The message, if it is not in one piece.
    pub decoded: Option<Vec<u8>>,
    /// Whether it is not a message but announces one.
    pub interim: bool,
    /// The service that the header of the frame names.
    pub service: Option<Box<[u8]>>,
    /// Which part of a stream it is, and of which function.
    pub stream: Option<(StreamFrame, Box<[u8]>)>,
}

impl Enclosed {
    /// Returns the bytes of the message itself.
    pub fn payload<'b>(&'b self, bytes: &'b [u8]) -> &'b [u8] {
        match &self.decoded {
            Some(decoded) => decoded,
            None => bytes.get(self.body.clone()).unwrap_or_default(),
        }
    }
}

/// A message at the front of the bytes, whole.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SplitMessage {
    /// How many bytes it takes with everything around it.
    pub len: usize,
    /// What stands around it.
    pub enclosed: Enclosed,
}

/// Why a stream cannot be cut into messages any further.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SplitError {
    /// The first bytes are those of nothing that is known.
    Unknown,
    /// The legacy mesh header is not supported.
    MeshHeader,
    /// The bytes are no message.
    Wire(WireError),
    /// The bytes are no HTTP.
    Http(HttpProblem),
    /// The frame says that the message went through transforms, or is in an unknown protocol.
    Unreadable,
}

impl fmt::Display for SplitError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SplitError::Unknown => f.write_str("the first bytes are not those of a Thrift connection"),
            SplitError::MeshHeader => f.write_str("the mesh header is not supported"),
            SplitError::Wire(error) => error.fmt(f),
            SplitError::Http(problem) => f.write_str(problem.describe()),
            SplitError::Unreadable => {
                f.write_str("the frame has transforms or a protocol that cannot be read")
            }
        }
    }
}

/// What a look at the bytes gives.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Split {
    /// The bytes start with a message.
    Message(SplitMessage),
    /// At least so many bytes are needed in all.
    More(usize),
    /// The client wants to be told to go on (`100 Continue`); look again afterwards.
    Continue,
    /// There is no message, and there will be none.
    Broken(SplitError),
}

/// Cuts a stream into messages. The caller keeps the bytes: each look is at everything that has come since
/// the end of the last message, and what has been looked at is not looked at again.
#[derive(Clone, Debug)]
pub struct Splitter {
    side: ConnectionSide,
    limits: Limits,
    max: u32,
    detected: Option<Detected>,
    state: SplitState,
}

#[derive(Clone, Debug)]
enum SplitState {
    Start,
    Unframed(Scan),
    Framed(Protocol),
    Header,
    Http(HttpScan),
    Broken(SplitError),
}

impl Splitter {
    /// For the bytes of a client, of whom nothing is known yet; no message may be longer than `max`.
    pub fn new(limits: Limits, max: u32) -> Splitter {
        Splitter { side: ConnectionSide::Client, limits, max, detected: None, state: SplitState::Start }
    }

    /// For the bytes of the upstream, who answers as the client asks.
    pub fn replies(detected: Detected, limits: Limits, max: u32) -> Splitter {
        let mut splitter = Splitter { side: ConnectionSide::Upstream, ..Splitter::new(limits, max) };
        splitter.begin(detected);
        splitter
    }

    /// What the connection speaks, once that is known.
    pub fn detected(&self) -> Option<Detected> {
        self.detected
    }

    fn begin(&mut self, detected: Detected) {
        self.detected = Some(detected);
        self.state = match detected {
            Detected::Plain(Framing::None, protocol) => {
                SplitState::Unframed(Scan::new(protocol, self.limits))
            }
            Detected::Plain(Framing::Framed, protocol) => SplitState::Framed(protocol),
            Detected::THeader | Detected::TTHeader => SplitState::Header,
            Detected::MeshHeader => SplitState::Broken(SplitError::MeshHeader),
            Detected::Http => SplitState::Http(HttpScan::new(self.side, self.max as usize)),
        };
    }

    /// Looks at the bytes behind the last message.
    pub fn next(&mut self, bytes: &[u8]) -> Split {
        self.look(bytes, false)
    }

    /// Looks at the bytes behind the last message, knowing that no more will come.
    pub fn last(&mut self, bytes: &[u8]) -> Split {
        self.look(bytes, true)
    }

    fn look(&mut self, bytes: &[u8], ended: bool) -> Split {
        if matches!(self.state, SplitState::Start) {
            match detect(bytes) {
                Detection::NeedMore(total) => return Split::More(total),
                Detection::Unknown => self.state = SplitState::Broken(SplitError::Unknown),
                Detection::Found(detected) => self.begin(detected),
            }
        }
        if bytes.is_empty() && !ended {
            return Split::More(1);
        }
        let max = self.max;
        let found = match &mut self.state {
            SplitState::Start => return Split::More(1),
            SplitState::Broken(broken) => return Split::Broken(*broken),
            SplitState::Unframed(scan) => unframed(scan, bytes, max),
            SplitState::Framed(protocol) => framed(*protocol, bytes, max),
            SplitState::Header => header(bytes, max, self.side),
            SplitState::Http(scan) => http(scan, bytes, ended),
        };
        match found {
            Ok(split) => split,
            Err(broken) => {
                self.state = SplitState::Broken(broken);
                Split::Broken(broken)
            }
        }
    }
}

type SplitResult = std::result::Result<Split, SplitError>;

fn message(len: usize, enclosure: Enclosure, protocol: Protocol, body: Range<usize>) -> SplitResult {
    let protocol = Some(protocol);
    let enclosed =
        Enclosed { enclosure, protocol, body, decoded: None, interim: false, service: None, stream: None };
    Ok(Split::Message(SplitMessage { len, enclosed }))
}

fn unframed(scan: &mut Scan, bytes: &[u8], max: u32) -> SplitResult {
    let too_long = |length: usize| {
        let kind = WireErrorKind::TooLong { length: length as u64, limit: max.into() };
        Err(SplitError::Wire(WireError { offset: 0, kind }))
    };
    match scan.run(bytes).map_err(SplitError::Wire)? {
        ScanProgress::Complete(len) | ScanProgress::More(len) if len > max as usize => too_long(len),
        ScanProgress::More(total) => Ok(Split::More(total)),
        ScanProgress::Complete(len) => {
            scan.reset();
            message(len, Enclosure::None, scan.protocol(), 0..len)
        }
    }
}

/// Returns the length of the frame, or how many bytes are needed.
fn whole_frame(bytes: &[u8], max: u32) -> std::result::Result<std::result::Result<usize, usize>, SplitError> {
    match frame_len(bytes, max) {
        Ok(len) if bytes.len() >= len => Ok(Ok(len)),
        Ok(len) => Ok(Err(len)),
        Err(error) if error.is_truncated() => Ok(Err(4)),
        Err(error) => Err(SplitError::Wire(error)),
    }
}

fn framed(protocol: Protocol, bytes: &[u8], max: u32) -> SplitResult {
    match whole_frame(bytes, max)? {
        Ok(len) => message(len, Enclosure::Frame, protocol, 4..len),
        Err(total) => Ok(Split::More(total)),
    }
}

fn header(bytes: &[u8], max: u32, side: ConnectionSide) -> SplitResult {
    if let Err(total) = whole_frame(bytes, max)? {
        return Ok(Split::More(total));
    }
    let frame = HeaderFrame::parse(bytes, max).map_err(SplitError::Wire)?;
    let is_stream = frame.is_stream();
    let protocol = frame.protocol().filter(|_| frame.transforms == 0 && !is_stream);
    // A call that cannot be read cannot be held against its contract. A reply need not be.
    if protocol.is_none() && !is_stream && side == ConnectionSide::Client {
        return Err(SplitError::Unreadable);
    }
    // Only servers look at what is there about a call.
    let infos = match side {
        ConnectionSide::Client => frame.call_infos().map_err(SplitError::Wire)?,
        ConnectionSide::Upstream => CallInfos::default(),
    };
    // Those of the other dialect have infos that say nothing about the function.
    let infos = if frame.dialect == HeaderDialect::TTHeader { infos } else { CallInfos::default() };
    let stream = match (is_stream, side) {
        (false, _) => None,
        (true, ConnectionSide::Client) => match infos.stream {
            Some(kind) => Some((kind, infos.function.unwrap_or_default().into())),
            None => return Err(SplitError::Unreadable),
        },
        // Nobody asks which part of a stream a reply is.
        (true, ConnectionSide::Upstream) => Some((StreamFrame::Data, Box::default())),
    };
    let reply = frame.reply_frame();
    let enclosed = Enclosed {
        enclosure: if is_stream { Enclosure::Stream(reply) } else { Enclosure::Header(reply) },
        protocol,
        body: frame.len - frame.payload.len()..frame.len,
        decoded: None,
        interim: false,
        service: infos.service.map(Into::into),
        stream,
    };
    Ok(Split::Message(SplitMessage { len: frame.len, enclosed }))
}

fn http(scan: &mut HttpScan, bytes: &[u8], ended: bool) -> SplitResult {
    match scan.run(bytes, ended).map_err(SplitError::Http)? {
        HttpProgress::More(total) => Ok(Split::More(total)),
        HttpProgress::Continue => Ok(Split::Continue),
        HttpProgress::Complete(whole) => {
            let enclosed = Enclosed {
                enclosure: Enclosure::Http { close: whole.close },
                protocol: None,
                body: whole.body,
                decoded: whole.decoded,
                interim: whole.interim,
                service: None,
                stream: None,
            };
            Ok(Split::Message(SplitMessage { len: whole.len, enclosed }))
        }
    }
}
