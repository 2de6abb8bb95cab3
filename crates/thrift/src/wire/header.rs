//! THeader (Apache, fbthrift) and TTHeader (kitex, volo): frames with a header of their own.
//!
//! ```text
//! length i32 | magic u16 | flags u16 | number i32 | header size / 4 u16 | header ... | payload
//! header = protocol, count and list of transforms, infos, padding with zeros
//! ```
//!
//! The two differ in the magic and in how the header counts: THeader in variable-length numbers, TTHeader in
//! bytes and 16-bit words.
//!
//! UPSTREAM: kitex and volo put a second frame around the payload of TTHeader, which is the length of what follows
//! it. No message starts with that: an envelope of the old form starts with the length of a name, which is shorter.

use super::cursor::Cursor;
use super::{Protocol, Result, WireError, WireErrorKind};

/// Which of the two.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum HeaderDialect {
    /// THeader of fbthrift and Apache, with the magic `0x0fff`.
    THeader,
    /// TTHeader of kitex and volo, with the magic `0x1000`.
    TTHeader,
}

impl HeaderDialect {
    fn magic(self) -> u16 {
        match self {
            HeaderDialect::THeader => 0x0fff,
            HeaderDialect::TTHeader => 0x1000,
        }
    }
}

/// One piece of information in a header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Info<'b> {
    /// A key and a value.
    Pair(&'b [u8], &'b [u8]),
    /// A numbered key and a value; TTHeader only.
    Numbered(u16, &'b [u8]),
    /// An access token; TTHeader only.
    Token(&'b [u8]),
}

/// A frame, taken apart in place.
#[derive(Clone, Copy, Debug)]
pub struct HeaderFrame<'b> {
    /// Which kind of header.
    pub dialect: HeaderDialect,
    /// The 16 flags as they are; in TTHeader, the bit of value 2 marks a frame of a stream.
    pub flags: u16,
    /// The number that a reply repeats.
    pub seqid: i32,
    /// The number of the payload's protocol, see [`HeaderFrame::protocol`].
    pub protocol_id: u32,
    /// How many transforms the payload went through; 0 means it can be read as it is.
    pub transforms: u32,
    /// The bytes of the message, without the header and without the frame in this one.
    pub payload: &'b [u8],
    /// Whether there is a frame around the message in this one.
    pub framed: bool,
    /// The length of the whole frame.
    pub len: usize,
    infos: Cursor<'b>,
}

/// The flag of TTHeader frames that are part of a stream.
const STREAMING: u16 = 2;
/// The numbered info of TTHeader that names the function.
const TO_METHOD: u16 = 9;
/// The numbered info of TTHeader that says which part of a stream a frame is.
const FRAME_KIND: u16 = 27;
/// The info of TTHeader that names the service of the function.
const SERVICE: &[u8] = b"isn";
/// No header has more infos.
const MAX_INFOS: usize = 256;

/// Which part of a stream a frame is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum StreamFrame {
    /// About the connection, and no part of a stream.
    Meta,
    /// The first of a stream.
    Begin,
    /// One message of a stream.
    Data,
    /// The last of a stream that ended as it should.
    End,
    /// The last, out of turn.
    Reset,
}

impl StreamFrame {
    const ALL: [StreamFrame; 5] =
        [StreamFrame::Meta, StreamFrame::Begin, StreamFrame::Data, StreamFrame::End, StreamFrame::Reset];

    fn number(self) -> &'static [u8] {
        match self {
            StreamFrame::Meta => b"1",
            StreamFrame::Begin => b"2",
            StreamFrame::Data => b"3",
            StreamFrame::End => b"4",
            StreamFrame::Reset => b"5",
        }
    }
}

/// What the infos of a TTHeader frame say about the call in it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CallInfos<'b> {
    /// The service that has the function.
    pub service: Option<&'b [u8]>,
    /// The function; messages that are not in a stream say it themselves.
    pub function: Option<&'b [u8]>,
    /// Which part of a stream it is.
    pub stream: Option<StreamFrame>,
}

/// The bytes before the header: length, magic, flags, number, size.
const FIXED: usize = 14;

impl<'b> HeaderFrame<'b> {
    /// Takes a frame apart; the bytes start with its length.
    ///
    /// # Errors
    ///
    /// The frame is longer than `max`, not all there, or its parts do not fit each other.
    pub fn parse(bytes: &'b [u8], max: u32) -> Result<HeaderFrame<'b>> {
        let len = super::frame_len(bytes, max)?;
        let mut at = Cursor::new(bytes);
        let frame = at.bytes(len)?;
        let mut at = Cursor::new(frame);
        if len < FIXED {
            return at.fail(WireErrorKind::BadFrame);
        }
        at.bytes(4)?;
        let start = at;
        let magic = u16::from_be_bytes(at.array()?);
        let dialect = match magic {
            0x0fff => HeaderDialect::THeader,
            0x1000 => HeaderDialect::TTHeader,
            other => return start.fail(WireErrorKind::BadVersion(other.into())),
        };
        let flags = u16::from_be_bytes(at.array()?);
        let seqid = i32::from_be_bytes(at.array()?);
        let size = usize::from(u16::from_be_bytes(at.array()?)) * 4;
        let (Some(header), Some(payload)) = (frame.get(..FIXED + size), frame.get(FIXED + size..)) else {
            return at.fail(WireErrorKind::BadFrame);
        };
        let mut infos = Cursor::new(header);
        infos.bytes(FIXED)?;
        let read = |infos: &mut Cursor<'b>| {
            let value = match dialect {
                HeaderDialect::THeader => infos.varint(32).map(|value| value as u32),
                HeaderDialect::TTHeader => infos.byte().map(u32::from),
            };
            value.map_err(misfit)
        };
        let protocol_id = read(&mut infos)?;
        let transforms = read(&mut infos)?;
        for _ in 0..transforms {
            read(&mut infos)?;
        }
        let inner = payload.split_first_chunk().filter(|(length, rest)| {
            u32::from_be_bytes(**length) as usize == rest.len() && dialect == HeaderDialect::TTHeader
        });
        let (framed, payload) = inner.map_or((false, payload), |(_, rest)| (true, rest));
        Ok(HeaderFrame { dialect, flags, seqid, protocol_id, transforms, payload, framed, len, infos })
    }

    /// Returns the protocol of the payload, if it is one that can be read.
    pub fn protocol(&self) -> Option<Protocol> {
        match (self.dialect, self.protocol_id) {
            (_, 0) => Some(Protocol::Binary),
            (_, 2) | (HeaderDialect::TTHeader, 3) => Some(Protocol::Compact),
            _ => None,
        }
    }

    /// Iterates over the information in the header; ends behind the first that does not parse.
    pub fn infos(&self) -> impl Iterator<Item = Result<Info<'b>>> + use<'b> {
        Infos { at: self.infos, dialect: self.dialect, section: Section::None, failed: false }
    }

    /// Whether it is part of a stream.
    pub fn is_stream(&self) -> bool {
        self.dialect == HeaderDialect::TTHeader && self.flags & STREAMING != 0
    }

    /// Returns what the header says about the call.
    ///
    /// # Errors
    ///
    /// There are too many infos, one does not parse, or one of those asked for is there twice: readers differ
    /// in which they keep.
    pub fn call_infos(&self) -> Result<CallInfos<'b>> {
        let mut found = CallInfos::default();
        let wrong = |_: ()| WireError::new(FIXED, WireErrorKind::BadFrame);
        for (count, info) in self.infos().enumerate() {
            if count >= MAX_INFOS {
                return Err(wrong(()));
            }
            let repeated = match info? {
                Info::Pair(SERVICE, name) => found.service.replace(name).is_some(),
                Info::Numbered(TO_METHOD, name) => found.function.replace(name).is_some(),
                Info::Numbered(FRAME_KIND, number) => {
                    let kind = StreamFrame::ALL.into_iter().find(|kind| kind.number() == number);
                    found.stream.replace(kind.ok_or(()).map_err(wrong)?).is_some()
                }
                Info::Pair(..) | Info::Numbered(..) | Info::Token(_) => false,
            };
            if repeated {
                return Err(wrong(()));
            }
        }
        // An empty name is none, as kitex reads it.
        found.service = found.service.filter(|name| !name.is_empty());
        Ok(found)
    }

    /// Returns what a reply repeats of the frame.
    pub fn reply_frame(&self) -> ReplyFrame {
        let HeaderFrame { dialect, seqid, protocol_id, framed, .. } = *self;
        ReplyFrame { dialect, seqid, protocol_id, framed }
    }

    /// Puts a reply into a frame of the same kind, with the same number and protocol.
    pub fn reply(&self, payload: &[u8]) -> Vec<u8> {
        self.reply_frame().write(payload)
    }
}

/// What a reply repeats of the frame of its call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReplyFrame {
    /// Which kind of header.
    pub dialect: HeaderDialect,
    /// The number of the call's frame, which the reply repeats.
    pub seqid: i32,
    /// The number of the payload's protocol.
    pub protocol_id: u32,
    /// Whether there is a frame around the payload.
    pub framed: bool,
}

impl ReplyFrame {
    /// Puts a reply into a frame.
    pub fn write(&self, payload: &[u8]) -> Vec<u8> {
        // One word: protocol, no transforms, and padding. The protocols known are below 128, where a
        // variable-length number is one byte.
        let header = [self.protocol_id as u8 & 0x7f, 0, 0, 0];
        self.write_with(0, &header, payload)
    }

    /// Puts an exception into the frame that ends a stream of a function.
    ///
    /// UPSTREAM: kitex looks for the kind of the frame and the function among the numbered infos.
    pub fn write_stream_end(&self, function: &[u8], exception: &[u8]) -> Vec<u8> {
        let mut header = vec![self.protocol_id as u8 & 0x7f, 0, 0x10, 0, 2];
        for (key, value) in [(FRAME_KIND, StreamFrame::End.number()), (TO_METHOD, function)] {
            let value = value.get(..value.len().min(usize::from(u16::MAX))).unwrap_or_default();
            header.extend_from_slice(&key.to_be_bytes());
            header.extend_from_slice(&(value.len() as u16).to_be_bytes());
            header.extend_from_slice(value);
        }
        header.resize(header.len().next_multiple_of(4), 0);
        self.write_with(STREAMING, &header, exception)
    }

    /// `header` fills whole words.
    fn write_with(&self, flags: u16, header: &[u8], payload: &[u8]) -> Vec<u8> {
        let framed;
        let payload = if self.framed {
            framed = super::write_frame(payload);
            framed.as_slice()
        } else {
            payload
        };
        let length = i32::try_from(FIXED - 4 + header.len() + payload.len()).unwrap_or(i32::MAX);
        let mut frame = Vec::with_capacity(FIXED + header.len() + payload.len());
        frame.extend_from_slice(&length.to_be_bytes());
        frame.extend_from_slice(&self.dialect.magic().to_be_bytes());
        frame.extend_from_slice(&flags.to_be_bytes());
        frame.extend_from_slice(&self.seqid.to_be_bytes());
        frame.extend_from_slice(&((header.len() / 4) as u16).to_be_bytes());
        frame.extend_from_slice(header);
        frame.extend_from_slice(payload);
        frame
    }
}

/// Bytes that end inside a frame that is all there will not get better with more bytes.
fn misfit(error: WireError) -> WireError {
    WireError::new(error.offset, WireErrorKind::BadFrame)
}

/// How many entries of which section are left.
enum Section {
    None,
    Pairs(u64),
    Numbered(u64),
}

struct Infos<'b> {
    at: Cursor<'b>,
    dialect: HeaderDialect,
    section: Section,
    failed: bool,
}

impl<'b> Infos<'b> {
    /// Reads a number that counts or identifies.
    fn number(&mut self) -> Result<u64> {
        match self.dialect {
            HeaderDialect::THeader => self.at.varint(32),
            HeaderDialect::TTHeader => Ok(u16::from_be_bytes(self.at.array()?).into()),
        }
    }

    fn text(&mut self) -> Result<&'b [u8]> {
        let length = self.number()?;
        self.at.bytes(usize::try_from(length).unwrap_or(usize::MAX))
    }

    fn read(&mut self) -> Result<Option<Info<'b>>> {
        loop {
            match &mut self.section {
                Section::Pairs(left @ 1..) => {
                    *left -= 1;
                    return Ok(Some(Info::Pair(self.text()?, self.text()?)));
                }
                Section::Numbered(left @ 1..) => {
                    *left -= 1;
                    let key = u16::from_be_bytes(self.at.array()?);
                    return Ok(Some(Info::Numbered(key, self.text()?)));
                }
                Section::None | Section::Pairs(_) | Section::Numbered(_) => {}
            }
            if self.at.rest().is_empty() {
                return Ok(None);
            }
            let start = self.at;
            match (self.at.byte()?, self.dialect) {
                // Padding.
                (0, HeaderDialect::TTHeader) => {}
                (0, HeaderDialect::THeader) => return Ok(None),
                (1, _) => self.section = Section::Pairs(self.number()?),
                // Those that fbthrift keeps for the whole connection.
                (2, HeaderDialect::THeader) => self.section = Section::Pairs(self.number()?),
                // Readers leave out the rest.
                (_, HeaderDialect::THeader) => return Ok(None),
                (0x10, HeaderDialect::TTHeader) => self.section = Section::Numbered(self.number()?),
                (0x11, HeaderDialect::TTHeader) => return Ok(Some(Info::Token(self.text()?))),
                _ => return start.fail(WireErrorKind::BadFrame),
            }
        }
    }
}

impl<'b> Iterator for Infos<'b> {
    type Item = Result<Info<'b>>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.failed {
            return None;
        }
        let item = self.read().map_err(misfit).transpose();
        self.failed = matches!(item, None | Some(Err(_)));
        item
    }
}
