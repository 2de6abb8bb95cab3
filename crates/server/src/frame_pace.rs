//! The pace of frames of HTTP/2. A client that sends frames which ask for nothing keeps a server busy for the price of nine bytes each: settings and pings,
//! which have to be answered, priorities, windows, resets of what was just asked, parts without content. They are counted below the
//! protocol, and who sends too many of them is let go.
//!
//! What an honest client sends of them comes with requests and bodies, and so these earn credit.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll};
use std::time::Instant;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

/// What a connection of HTTP/2 begins with.
const PREFACE: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
/// The bytes of the head of a frame.
const HEAD: usize = 9;

const DATA: u8 = 0;
const HEADERS: u8 = 1;
const RESET: u8 = 3;
const END_STREAM: u8 = 1;

/// The credit that a connection begins with.
const FIRST: u64 = 128;
/// The most that it may save.
const MOST: u64 = 1024;
/// What it gets in a second.
const EACH_SECOND: u64 = 64;
/// What a request earns.
const OF_REQUEST: u64 = 8;
/// What a reset costs: more than the request earned that it takes back.
const OF_RESET: u64 = 12;
/// How many bytes of bodies, in either direction, earn one.
const OF_BODY: u64 = 1024;
/// Content that is not smaller costs nothing.
const CONTENT: u32 = 1024;

/// A stream below HTTP, whose frames are counted if they are those of HTTP/2.
pub(crate) struct Paced<S> {
    stream: S,
    reading: Reading,
    credit: Credit,
    /// Set when the client was let go.
    flooded: Arc<AtomicBool>,
}

/// Where in the bytes of the client the next one is.
#[derive(Debug, PartialEq, Eq)]
enum Reading {
    /// So many bytes of the first ones were those of HTTP/2.
    Preface(usize),
    /// It is another version.
    Other,
    /// So many bytes of a head are there.
    Head([u8; HEAD], usize),
    /// So many bytes of a frame are still to come.
    Body(u64),
}

#[derive(Debug)]
struct Credit {
    left: u64,
    /// Bytes that have not earned anything yet.
    bytes: u64,
    /// Since when nothing was earned by waiting.
    since: Instant,
}

impl Credit {
    fn new(now: Instant) -> Credit {
        Credit { left: FIRST, bytes: 0, since: now }
    }

    fn earn(&mut self, credit: u64) {
        self.left = self.left.saturating_add(credit).min(MOST);
    }

    fn earn_bytes(&mut self, bytes: u64) {
        self.bytes = self.bytes.saturating_add(bytes);
        self.earn(self.bytes / OF_BODY);
        self.bytes %= OF_BODY;
    }

    /// Pays, and looks at the clock only if there is not enough. False if there is too little.
    fn try_pay(&mut self, cost: u64, now: impl Fn() -> Instant) -> bool {
        if self.left < cost {
            let passed = now().saturating_duration_since(self.since);
            let earned =
                u64::try_from(passed.as_millis()).unwrap_or(u64::MAX).saturating_mul(EACH_SECOND) / 1000;
            if earned > 0 {
                self.since += passed;
                self.earn(earned);
            }
        }
        match self.left.checked_sub(cost) {
            Some(left) => {
                self.left = left;
                true
            }
            None => false,
        }
    }
}

/// What a frame costs, and what it earns.
fn price(kind: u8, flags: u8, length: u32) -> (u64, u64) {
    match kind {
        DATA if length >= CONTENT || flags & END_STREAM != 0 => (0, 0),
        HEADERS => (0, OF_REQUEST),
        RESET => (OF_RESET, 0),
        _ => (1, 0),
    }
}

impl<S> Paced<S> {
    /// Counts the frames of a stream; `flooded` is set once there were too many.
    pub(crate) fn new(stream: S, flooded: Arc<AtomicBool>) -> Paced<S> {
        let credit = Credit::new(Instant::now());
        Paced { stream, reading: Reading::Preface(0), credit, flooded }
    }
}

/// Goes on through what a client has sent; false if it sends too many frames.
fn has_read(reading: &mut Reading, credit: &mut Credit, mut bytes: &[u8], now: impl Fn() -> Instant) -> bool {
    while let Some((first, rest)) = bytes.split_first() {
        match reading {
            Reading::Other => return true,
            Reading::Preface(begun) => {
                if PREFACE.get(*begun) != Some(first) {
                    *reading = Reading::Other;
                    return true;
                }
                let begun = *begun + 1;
                *reading = if begun == PREFACE.len() {
                    Reading::Head([0; HEAD], 0)
                } else {
                    Reading::Preface(begun)
                };
                bytes = rest;
            }
            Reading::Head(head, there) => {
                if let Some(place) = head.get_mut(*there) {
                    *place = *first;
                }
                *there += 1;
                bytes = rest;
                if *there == HEAD {
                    let [high, middle, low, kind, flags, ..] = *head;
                    let length = u32::from_be_bytes([0, high, middle, low]);
                    let (cost, earned) = price(kind, flags, length);
                    if !credit.try_pay(cost, &now) {
                        return false;
                    }
                    credit.earn(earned);
                    if kind == DATA {
                        credit.earn_bytes(u64::from(length));
                    }
                    *reading = if length == 0 {
                        Reading::Head([0; HEAD], 0)
                    } else {
                        Reading::Body(u64::from(length))
                    };
                }
            }
            Reading::Body(left) => {
                let here = (bytes.len() as u64).min(*left);
                *left -= here;
                bytes = bytes.get(usize::try_from(here).unwrap_or(usize::MAX)..).unwrap_or_default();
                if *left == 0 {
                    *reading = Reading::Head([0; HEAD], 0);
                }
            }
        }
    }
    true
}

impl<S: AsyncRead + Unpin> AsyncRead for Paced<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        let Paced { stream, reading, credit, flooded } = &mut *self;
        let came = Pin::new(stream).poll_read(context, buffer);
        let new = buffer.filled().get(before..).unwrap_or_default();
        if matches!(came, Poll::Ready(Ok(()))) && !has_read(reading, credit, new, Instant::now) {
            flooded.store(true, Ordering::Relaxed);
            return Poll::Ready(Err(io::Error::other(
                "the client sends too many frames that ask for nothing",
            )));
        }
        came
    }
}

impl<S> Paced<S> {
    /// What was written earns credit: a client opens its windows for it.
    fn wrote(&mut self, came: &Poll<io::Result<usize>>) {
        if let Poll::Ready(Ok(count)) = came {
            self.credit.earn_bytes(*count as u64);
        }
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Paced<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let came = Pin::new(&mut self.stream).poll_write(context, bytes);
        self.wrote(&came);
        came
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        parts: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let came = Pin::new(&mut self.stream).poll_write_vectored(context, parts);
        self.wrote(&came);
        came
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    const PING: u8 = 6;
    const WINDOW: u8 = 8;

    /// A client whose clock stands still unless it is moved.
    struct Sender {
        reading: Reading,
        credit: Credit,
        now: Instant,
    }

    impl Sender {
        fn new() -> Sender {
            let now = Instant::now();
            let mut sender = Sender { reading: Reading::Preface(0), credit: Credit::new(now), now };
            assert!(sender.send(PREFACE));
            sender
        }

        /// Sends bytes, one at a time and all at once by turns.
        fn send(&mut self, bytes: &[u8]) -> bool {
            let now = self.now;
            let (one, rest) = bytes.split_at(bytes.len().min(3));
            one.iter().all(|byte| has_read(&mut self.reading, &mut self.credit, &[*byte], || now))
                && has_read(&mut self.reading, &mut self.credit, rest, || now)
        }

        fn frame(&mut self, kind: u8, flags: u8, length: u32) -> bool {
            let [_, high, middle, low] = length.to_be_bytes();
            let mut bytes = vec![high, middle, low, kind, flags, 0, 0, 0, 1];
            bytes.resize(HEAD + length as usize, 0);
            self.send(&bytes)
        }
    }

    #[test]
    fn a_flood_ends_and_waiting_earns_some_more() {
        let mut sender = Sender::new();
        let taken = (0..10_000).take_while(|_| sender.frame(PING, 0, 8)).count() as u64;
        assert_eq!(taken, FIRST);
        let mut sender = Sender::new();
        assert!((0..FIRST).all(|_| sender.frame(PING, 0, 8)));
        sender.now += Duration::from_secs(2);
        let taken = (0..10_000).take_while(|_| sender.frame(PING, 0, 8)).count() as u64;
        assert_eq!(taken, 2 * EACH_SECOND);
    }

    #[test]
    fn requests_that_are_taken_back_are_a_flood() {
        let mut sender = Sender::new();
        let taken =
            (0..10_000).take_while(|_| sender.frame(HEADERS, 5, 30) && sender.frame(RESET, 0, 4)).count();
        assert!(taken < 50, "{taken}");
    }

    #[test]
    fn content_without_content_is_a_flood_and_content_is_none() {
        let mut sender = Sender::new();
        let taken = (0..10_000).take_while(|_| sender.frame(DATA, 0, 0)).count() as u64;
        assert_eq!(taken, FIRST);
        let mut sender = Sender::new();
        assert!((0..10_000).all(|_| sender.frame(DATA, 0, CONTENT)));
    }

    #[test]
    fn requests_and_answers_pay_for_what_comes_with_them() {
        let mut sender = Sender::new();
        for _ in 0..10_000 {
            assert!(
                sender.frame(HEADERS, 4, 30)
                    && sender.frame(DATA, 0, 20)
                    && sender.frame(DATA, END_STREAM, 0)
            );
            assert!(sender.frame(WINDOW, 0, 4) && sender.frame(WINDOW, 0, 4));
        }
        for _ in 0..10_000 {
            sender.credit.earn_bytes(2048);
            assert!(sender.frame(WINDOW, 0, 4) && sender.frame(WINDOW, 0, 4));
        }
    }

    #[test]
    fn other_versions_are_not_looked_at() {
        let mut sender = Sender { reading: Reading::Preface(0), ..Sender::new() };
        assert!(sender.send(b"PRI * HTTP/1.1\r\n\r\n"));
        assert_eq!(sender.reading, Reading::Other);
        assert!((0..10_000).all(|_| sender.frame(PING, 0, 8)));
    }
}
