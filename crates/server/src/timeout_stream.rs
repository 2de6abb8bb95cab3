//! A stream that gives up on clients who do not go on: on a reader who does not read, because what waits to be written takes memory, and on one
//! who does not begin, because until the version of HTTP is known nobody else looks at the clock.

use std::future::Future as _;
use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::{Sleep, sleep};

/// How long a write may wait for its reader.
const PATIENCE: Duration = Duration::from_secs(30);
/// How many bytes say which version of HTTP is spoken.
const PREFACE: usize = 24;

/// A stream whose writes, and whose first bytes, come in time.
pub(crate) struct Patient<S> {
    stream: S,
    patience: Duration,
    waiting: Option<Pin<Box<Sleep>>>,
    /// How many bytes were read, as long as that matters, and until when more must have come.
    begun: usize,
    deadline: Option<Pin<Box<Sleep>>>,
}

impl<S> Patient<S> {
    /// A stream whose first bytes come within a time.
    pub(crate) fn new(stream: S, first: Duration) -> Patient<S> {
        Patient::with(stream, first, PATIENCE)
    }

    fn with(stream: S, first: Duration, patience: Duration) -> Patient<S> {
        Patient { stream, patience, waiting: None, begun: 0, deadline: Some(Box::pin(sleep(first))) }
    }

    /// What a write came to, unless it waits for too long.
    fn timed<T>(&mut self, context: &mut Context<'_>, came: Poll<io::Result<T>>) -> Poll<io::Result<T>> {
        if came.is_ready() {
            self.waiting = None;
            return came;
        }
        let patience = self.patience;
        let waiting = self.waiting.get_or_insert_with(|| Box::pin(sleep(patience)));
        match waiting.as_mut().poll(context) {
            Poll::Ready(()) => Poll::Ready(Err(io::ErrorKind::TimedOut.into())),
            Poll::Pending => Poll::Pending,
        }
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Patient<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        let came = Pin::new(&mut self.stream).poll_read(context, buffer);
        let Some(deadline) = &mut self.deadline else { return came };
        match came {
            Poll::Ready(_) => {
                self.begun += buffer.filled().len() - before;
                if self.begun >= PREFACE {
                    self.deadline = None;
                }
                came
            }
            Poll::Pending => deadline.as_mut().poll(context).map(|()| Err(io::ErrorKind::TimedOut.into())),
        }
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Patient<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let came = Pin::new(&mut self.stream).poll_write(context, bytes);
        self.timed(context, came)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        parts: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let came = Pin::new(&mut self.stream).poll_write_vectored(context, parts);
        self.timed(context, came)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let came = Pin::new(&mut self.stream).poll_flush(context);
        self.timed(context, came)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let came = Pin::new(&mut self.stream).poll_shutdown(context);
        self.timed(context, came)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

    #[test]
    fn a_reader_who_does_not_read_is_given_up() {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
        runtime.block_on(async {
            let (near, mut far) = tokio::io::duplex(4);
            let mut near = Patient::with(near, Duration::MAX, Duration::ZERO);
            near.write_all(b"full").await.unwrap();
            let error = near.write_all(b"x").await.unwrap_err();
            assert_eq!(error.kind(), io::ErrorKind::TimedOut);
            far.read_exact(&mut [0; 4]).await.unwrap();
            near.write_all(b"more").await.unwrap();
        });
    }

    #[test]
    fn a_client_who_does_not_begin_is_given_up() {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
        runtime.block_on(async {
            let (near, mut far) = tokio::io::duplex(100);
            let mut near = Patient::with(near, Duration::ZERO, Duration::ZERO);
            far.write_all(b"PRI").await.unwrap();
            near.read_exact(&mut [0; 3]).await.unwrap();
            assert_eq!(near.read(&mut [0; 1]).await.unwrap_err().kind(), io::ErrorKind::TimedOut);
            // Once it has begun, others look at the clock.
            far.write_all(&[b' '; 30]).await.unwrap();
            near.read_exact(&mut [0; 30]).await.unwrap();
            let more = tokio::time::timeout(Duration::ZERO, near.read(&mut [0; 1])).await;
            assert!(more.is_err());
        });
    }
}
