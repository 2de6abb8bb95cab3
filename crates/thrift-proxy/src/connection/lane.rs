//! One direction of a connection: bytes that come from one side, and go to the other once they are cleared.
//!
//! Only what was admitted is cleared: nothing else moves the mark behind which bytes go on.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Instant;

use contract::Admitted;
use tokio::io::{AsyncRead as _, AsyncWrite as _, ReadBuf};
use tokio::net::TcpStream;

use crate::buffer::Buffer;

/// How many bytes may wait to be written to one side.
pub(super) const MAX_WAITING: usize = 256 * 1024;

/// The bytes of one direction.
pub(super) struct Lane {
    bytes: Buffer,
    /// So many bytes at the front may go on.
    cleared: usize,
    /// So many bytes behind the cleared ones are needed to go on; `None` if there is a message to look at, or
    /// nobody to read from.
    pub(super) wanted: Option<usize>,
    /// Whether the side that sends has sent its last byte.
    pub(super) ended: bool,
    /// Whether that side had no more bytes when it was asked in this turn; its next one wakes us.
    pub(super) dry: bool,
    /// Since when the side that receives does not take its bytes.
    pub(super) full_since: Option<Instant>,
}

/// What a read gave.
pub(super) enum Filled {
    /// Nothing is wanted, or nothing is there.
    Nothing,
    Bytes(usize),
    /// The last byte has come before.
    End,
}

impl Lane {
    /// A lane that wants so many bytes to begin with.
    pub(super) fn new(wanted: Option<usize>) -> Lane {
        Lane { bytes: Buffer::default(), cleared: 0, wanted, ended: false, dry: false, full_since: None }
    }

    /// Begins anew with another sender; what is cleared stays.
    pub(super) fn restart(&mut self) {
        self.wanted = Some(1);
        self.ended = false;
        self.dry = false;
    }

    /// The bytes that nobody has cleared yet.
    pub(super) fn pending(&self) -> &[u8] {
        self.bytes.from(self.cleared)
    }

    /// Clears the message at the front of the bytes that nobody has cleared, since it was admitted.
    pub(super) fn clear<V>(&mut self, len: usize, _admitted: &Admitted<V>) {
        self.cleared += len;
    }

    /// Puts a message that was admitted behind all others. INVARIANT: all others are cleared.
    pub(super) fn push<V>(&mut self, message: &[u8], _admitted: &Admitted<V>) {
        self.bytes.extend(message);
        self.cleared += message.len();
    }

    /// Puts what another lane has cleared behind everything of this one. INVARIANT: all of this one is cleared.
    pub(super) fn take_cleared_of(&mut self, other: &mut Lane) {
        self.bytes.extend(other.cleared_bytes());
        self.cleared += other.cleared;
        other.drop_cleared();
    }

    /// Moves what is cleared to the end of bytes that are written before it.
    pub(super) fn move_cleared(&mut self, to: &mut Vec<u8>) {
        to.extend_from_slice(self.cleared_bytes());
        self.drop_cleared();
    }

    /// How many bytes are cleared and not written.
    pub(super) fn cleared(&self) -> usize {
        self.cleared
    }

    /// The bytes that are cleared and not written.
    fn cleared_bytes(&self) -> &[u8] {
        self.bytes.first(self.cleared)
    }

    /// Forgets the bytes that nobody has cleared.
    pub(super) fn drop_pending(&mut self) {
        self.bytes.truncate(self.cleared);
    }

    /// Forgets the bytes that are cleared and not written.
    pub(super) fn drop_cleared(&mut self) {
        self.bytes.consume(self.cleared);
        self.cleared = 0;
    }

    /// Takes a message out that does not go on. INVARIANT: nothing is cleared before it.
    pub(super) fn take_out(&mut self, len: usize) {
        self.bytes.consume(len);
    }

    /// Whether the side that receives is so far behind that the other has to wait.
    pub(super) fn is_full(&self) -> bool {
        self.cleared > MAX_WAITING
    }

    /// Reads what is wanted, unless too much waits to be written.
    pub(super) fn fill(&mut self, from: &mut TcpStream, cx: &mut Context<'_>) -> io::Result<Filled> {
        let Some(wanted) = self.wanted else { return Ok(Filled::Nothing) };
        if self.ended || self.dry || self.is_full() {
            return Ok(Filled::Nothing);
        }
        match poll_fill(from, &mut self.bytes, self.cleared + wanted, cx) {
            Poll::Pending => {
                self.dry = true;
                Ok(Filled::Nothing)
            }
            Poll::Ready(Ok(0)) => {
                self.ended = true;
                Ok(Filled::End)
            }
            Poll::Ready(Ok(read)) => {
                self.wanted = None;
                Ok(Filled::Bytes(read))
            }
            Poll::Ready(Err(error)) => Err(error),
        }
    }

    /// Writes what is cleared, as far as it is taken; true if anything was.
    pub(super) fn drain(
        &mut self,
        to: &mut TcpStream,
        now: Instant,
        cx: &mut Context<'_>,
    ) -> io::Result<bool> {
        let mut moved = false;
        while self.cleared > 0 {
            match Pin::new(&mut *to).poll_write(cx, self.cleared_bytes()) {
                Poll::Pending => {
                    self.full_since.get_or_insert(now);
                    break;
                }
                Poll::Ready(written) => {
                    let written = written?;
                    self.bytes.consume(written);
                    self.cleared = self.cleared.saturating_sub(written);
                    self.full_since = None;
                    moved = true;
                }
            }
        }
        Ok(moved)
    }
}

/// Reads what is there, making room for `total` bytes step by step: an announced length is not believed before
/// half of it has come.
fn poll_fill(
    stream: &mut TcpStream,
    buffer: &mut Buffer,
    total: usize,
    cx: &mut Context<'_>,
) -> Poll<io::Result<usize>> {
    let total = total.min(buffer.len().saturating_mul(2));
    let mut room = ReadBuf::new(buffer.room(total));
    ready!(Pin::new(stream).poll_read(cx, &mut room))?;
    let read = room.filled().len();
    buffer.added(read);
    Poll::Ready(Ok(read))
}
