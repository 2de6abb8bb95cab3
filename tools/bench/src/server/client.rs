//! A client that costs little: one connection, requests as bytes, answers as far as they are needed.

use std::net::SocketAddr;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

use crate::{Result, said};

/// A connection that stays open.
pub(super) struct Client {
    stream: TcpStream,
    received: Vec<u8>,
    request: Vec<u8>,
}

impl Client {
    pub(super) async fn connect(address: SocketAddr) -> Result<Client> {
        let stream = TcpStream::connect(address).await.map_err(said)?;
        stream.set_nodelay(true).map_err(said)?;
        Ok(Client { stream, received: Vec::new(), request: Vec::new() })
    }

    /// Sends a request and gives the body of the answer, which must have the status.
    pub(super) async fn ask(&mut self, method: &str, path: &str, body: &str, status: u16) -> Result<&str> {
        self.request.clear();
        let head = format!(
            "{method} {path} HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n",
            body.len()
        );
        self.request.extend_from_slice(head.as_bytes());
        self.request.extend_from_slice(body.as_bytes());
        self.stream.write_all(&self.request).await.map_err(said)?;
        self.received.clear();
        let (found, start, end) = loop {
            if self.stream.read_buf(&mut self.received).await.map_err(said)? == 0 {
                return Err("the server closed the connection".to_owned());
            }
            let Some(head) = self.received.windows(4).position(|four| four == b"\r\n\r\n") else { continue };
            let text = std::str::from_utf8(self.received.get(..head).unwrap_or_default()).map_err(said)?;
            let found: u16 = text.get(9..12).and_then(|code| code.parse().ok()).ok_or("no status")?;
            let length = text.lines().find_map(|line| {
                let (name, value) = line.split_once(':')?;
                name.eq_ignore_ascii_case("content-length").then(|| value.trim().parse::<usize>().ok())?
            });
            let end = head + 4 + length.unwrap_or(0);
            if self.received.len() >= end {
                break (found, head + 4, end);
            }
        };
        let body = std::str::from_utf8(self.received.get(start..end).unwrap_or_default()).map_err(said)?;
        if found == status { Ok(body) } else { Err(format!("{method} {path}: {found} {body}")) }
    }
}
