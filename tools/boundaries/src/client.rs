//! A client of the server: one connection, requests as bytes.

use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

use crate::{Result, said};

/// How long an answer may take.
const PATIENCE: Duration = Duration::from_secs(60);

/// A connection that stays open as long as it can.
#[derive(Debug)]
pub(crate) struct Client {
    address: SocketAddr,
    stream: Option<TcpStream>,
}

/// An answer.
#[derive(Debug)]
pub(crate) struct Reply {
    /// Its status.
    pub(crate) status: u16,
    /// Its body.
    pub(crate) body: Vec<u8>,
}

impl Client {
    /// A client of the server at an address.
    pub(crate) fn new(address: SocketAddr) -> Client {
        Client { address, stream: None }
    }

    /// Sends a request.
    pub(crate) fn ask(&mut self, method: &str, path: &str, body: &[u8]) -> Result<Reply> {
        // A connection that breaks is not used again; one that was closed while nobody looked is replaced once.
        let was_open = self.stream.is_some();
        match self.try_ask(method, path, body) {
            Err(_) if was_open => self.try_ask(method, path, body),
            answer => answer,
        }
    }

    fn try_ask(&mut self, method: &str, path: &str, body: &[u8]) -> Result<Reply> {
        let mut stream = match self.stream.take() {
            Some(stream) => stream,
            None => {
                let stream = TcpStream::connect_timeout(&self.address, PATIENCE).map_err(said)?;
                stream.set_nodelay(true).map_err(said)?;
                stream.set_read_timeout(Some(PATIENCE)).map_err(said)?;
                stream
            }
        };
        let head = format!(
            "{method} {path} HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n",
            body.len()
        );
        stream.write_all(&[head.as_bytes(), body].concat()).map_err(said)?;
        let (reply, closes) = read(&mut stream)?;
        if !closes {
            self.stream = Some(stream);
        }
        Ok(reply)
    }
}

/// Reads an answer, and says whether it is the last one of the connection.
fn read(stream: &mut TcpStream) -> Result<(Reply, bool)> {
    let mut received = Vec::new();
    let mut part = vec![0; 1 << 16];
    let mut read_more = |received: &mut Vec<u8>| -> Result {
        let count = stream.read(&mut part).map_err(said)?;
        if count == 0 {
            return Err("the server closed the connection".to_owned());
        }
        received.extend_from_slice(part.get(..count).unwrap_or_default());
        Ok(())
    };
    let head = loop {
        if let Some(head) = received.windows(4).position(|four| four == b"\r\n\r\n") {
            break head;
        }
        read_more(&mut received)?;
    };
    let text = String::from_utf8_lossy(received.get(..head).unwrap_or_default()).to_lowercase();
    let status = text.get(9..12).and_then(|code| code.parse().ok()).ok_or("an answer without a status")?;
    let length =
        text.lines().find_map(|line| line.strip_prefix("content-length:")?.trim().parse::<usize>().ok());
    let end = head + 4 + length.unwrap_or(0);
    while received.len() < end {
        read_more(&mut received)?;
    }
    let body = received.get(head + 4..end).unwrap_or_default().to_vec();
    Ok((Reply { status, body }, text.contains("connection: close")))
}
