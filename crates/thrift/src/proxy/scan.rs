//! Where a message without a frame ends, found in one pass over bytes that come in pieces.
//!
//! The readers of [`crate::wire`] start anew when bytes are missing, which is fine for a message that is all
//! there. A client that sends one byte at a time would make that quadratic, so the position in the message is
//! kept here instead: a stack of what is open, and what comes next. Most messages are there as a whole when they
//! are first looked at, and their end is found without that.

use crate::wire::{
    BinaryReader, CompactReader, Flat, InPlace, Limits, Protocol, Reader, Result, WireError, WireErrorKind,
    WireType,
};

/// A position in a message.
#[derive(Clone, Debug)]
pub(super) struct Scan {
    protocol: Protocol,
    limits: Limits,
    /// Everything before it has been looked at.
    at: usize,
    next: Next,
    open: Vec<OpenContainer>,
    json: JsonScan,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Next {
    Envelope,
    /// A value of a type.
    Value(WireType),
    /// Whatever the innermost open thing goes on with.
    Inside,
}

/// A struct or container of which more is to come.
#[derive(Clone, Copy, Debug)]
enum OpenContainer {
    Struct,
    List { element: WireType, left: usize },
    Map { key: WireType, value: WireType, left: usize, at_value: bool },
}

/// How far a scan got.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ScanProgress {
    /// The message ends here.
    Complete(usize),
    /// At least so many bytes are needed in all.
    More(usize),
}

impl Scan {
    pub(super) fn new(protocol: Protocol, limits: Limits) -> Scan {
        let json = JsonScan { depth: 0, in_text: false, escaped: false };
        Scan { protocol, limits, at: 0, next: Next::Envelope, open: Vec::new(), json }
    }

    pub(super) fn protocol(&self) -> Protocol {
        self.protocol
    }

    /// Starts again with the next message.
    pub(super) fn reset(&mut self) {
        self.at = 0;
        self.next = Next::Envelope;
        self.open.clear();
        self.json = JsonScan { depth: 0, in_text: false, escaped: false };
    }

    /// Goes on as far as the bytes go; they start with the message.
    pub(super) fn run(&mut self, bytes: &[u8]) -> Result<ScanProgress> {
        let limits = self.limits;
        if self.at == 0 {
            let end = match self.protocol {
                Protocol::Binary => whole(BinaryReader::new(bytes, limits), &limits),
                Protocol::Compact => whole(CompactReader::new(bytes, limits), &limits),
                Protocol::Json => None,
            };
            if let Some(end) = end {
                return Ok(ScanProgress::Complete(end));
            }
        }
        let result = match self.protocol {
            Protocol::Binary => self.walk(bytes, |rest| BinaryReader::new(rest, limits)),
            Protocol::Compact => self.walk(bytes, |rest| CompactReader::new(rest, limits)),
            Protocol::Json => return self.run_json(bytes),
        };
        match result {
            Ok(()) => Ok(ScanProgress::Complete(self.at)),
            Err(WireError { kind: WireErrorKind::Truncated { needed }, .. }) => {
                Ok(ScanProgress::More(bytes.len().saturating_add(needed)))
            }
            Err(error) => Err(WireError { offset: self.at.saturating_add(error.offset), ..error }),
        }
    }

    fn walk<'b, R: Reader<'b>>(&mut self, bytes: &'b [u8], reader: impl Fn(&'b [u8]) -> R) -> Result<()> {
        loop {
            // Each step reads one thing whole or not at all, with a reader of its own: what a reader
            // remembers of the things around is of no use for measuring.
            let mut reader = reader(bytes.get(self.at..).unwrap_or_default());
            let next = match self.next {
                Next::Envelope => {
                    reader.message_begin()?;
                    Next::Value(WireType::Struct)
                }
                Next::Value(ty) => {
                    self.value(&mut reader, ty)?;
                    Next::Inside
                }
                Next::Inside => self.inside(&mut reader)?.unwrap_or(Next::Inside),
            };
            self.next = next;
            self.at = self.at.saturating_add(reader.offset());
            if next == Next::Inside && self.open.is_empty() {
                return Ok(());
            }
        }
    }

    /// Reads a value, or opens it.
    fn value<'b, R: Reader<'b>>(&mut self, reader: &mut R, ty: WireType) -> Result<()> {
        let open = match ty {
            WireType::Struct => OpenContainer::Struct,
            WireType::List | WireType::Set => {
                let ahead = reader.clone();
                let head = reader.list_begin()?;
                if self.protocol == Protocol::Binary && head.element.is_fixed_binary() {
                    // All elements are there, as the head was read; one step takes them all.
                    *reader = ahead;
                    return reader.skip(ty);
                }
                OpenContainer::List { element: head.element, left: head.len }
            }
            WireType::Map => {
                let head = reader.map_begin()?;
                OpenContainer::Map { key: head.key, value: head.value, left: head.len, at_value: false }
            }
            scalar => return reader.skip(scalar),
        };
        if self.open.len() >= usize::from(self.limits.depth) {
            return Err(WireError { offset: 0, kind: WireErrorKind::TooDeep });
        }
        self.open.push(open);
        Ok(())
    }

    /// Goes on with the innermost open thing; `None` if it ends, and is closed.
    fn inside<'b, R: Reader<'b>>(&mut self, reader: &mut R) -> Result<Option<Next>> {
        let next = match self.open.last_mut() {
            Some(OpenContainer::Struct) => match reader.field_begin()? {
                // A compact field of this type is its head.
                Some(head) if head.ty == WireType::Bool && self.protocol == Protocol::Compact => {
                    Some(Next::Inside)
                }
                Some(head) => Some(Next::Value(head.ty)),
                None => None,
            },
            Some(OpenContainer::List { element, left }) => match left.checked_sub(1) {
                Some(fewer) => {
                    *left = fewer;
                    Some(Next::Value(*element))
                }
                None => None,
            },
            Some(OpenContainer::Map { value, at_value: at_value @ true, .. }) => {
                *at_value = false;
                Some(Next::Value(*value))
            }
            Some(OpenContainer::Map { key, left, at_value, .. }) => match left.checked_sub(1) {
                Some(fewer) => {
                    *left = fewer;
                    *at_value = true;
                    Some(Next::Value(*key))
                }
                None => None,
            },
            None => None,
        };
        if next.is_none() {
            self.open.pop();
        }
        Ok(next)
    }

    fn run_json(&mut self, bytes: &[u8]) -> Result<ScanProgress> {
        // A struct takes two levels of JSON for one of Thrift, and the message one more.
        let most = u32::from(self.limits.depth) * 2 + 2;
        let rest = bytes.get(self.at..).unwrap_or_default();
        for (index, byte) in rest.iter().enumerate() {
            match self.json.step(*byte, most) {
                Ok(false) => {}
                Ok(true) => {
                    self.at += index + 1;
                    return Ok(ScanProgress::Complete(self.at));
                }
                Err(kind) => return Err(WireError { offset: self.at + index, kind }),
            }
        }
        self.at = bytes.len();
        Ok(ScanProgress::More(bytes.len().saturating_add(1)))
    }
}

/// Finds the end of a message that is all there; `None` if it is not, or if there is anything unusual about it.
fn whole<'b, R: InPlace<'b>>(mut reader: R, limits: &Limits) -> Option<usize> {
    reader.message_begin().ok()?;
    let structure = R::Flat::number(WireType::Struct);
    let rest = R::Flat::skip(structure, reader.rest(), reader.depth(), limits)?;
    reader.leave(rest.len());
    Some(reader.offset())
}

/// JSON text ends where its brackets do; what is between them is for the reader.
#[derive(Clone, Copy, Debug)]
struct JsonScan {
    depth: u32,
    in_text: bool,
    escaped: bool,
}

impl JsonScan {
    /// Takes a byte; true if it is the last.
    fn step(&mut self, byte: u8, most: u32) -> std::result::Result<bool, WireErrorKind> {
        use crate::wire::JsonProblem::Expected;
        if self.in_text {
            match byte {
                _ if self.escaped => self.escaped = false,
                b'\\' => self.escaped = true,
                b'"' => self.in_text = false,
                _ => {}
            }
            return Ok(false);
        }
        match byte {
            b'[' => self.depth += 1,
            b' ' | b'\t' | b'\r' | b'\n' if self.depth == 0 => return Ok(false),
            _ if self.depth == 0 => return Err(WireErrorKind::Json(Expected('['))),
            b'{' => self.depth += 1,
            b']' | b'}' => self.depth -= 1,
            b'"' => self.in_text = true,
            _ => {}
        }
        if self.depth > most {
            return Err(WireErrorKind::TooDeep);
        }
        Ok(self.depth == 0)
    }
}
