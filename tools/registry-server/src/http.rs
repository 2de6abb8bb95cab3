//! As much of HTTP/1.1 as a registry in a test needs.

use std::io::{self, BufRead as _, BufReader, Read as _, Write as _};
use std::net::{Shutdown, TcpStream};

/// The largest body that is read.
const MOST_BODY: u64 = 64 << 20;

/// What a client asks.
#[derive(Clone, Debug)]
pub struct Request {
    /// The method.
    pub method: String,
    /// The path, without the query.
    pub path: String,
    /// The query, without the question mark.
    pub query: String,
    /// The headers, with names in lower case.
    pub headers: Vec<(String, String)>,
    /// The body.
    pub body: Vec<u8>,
}

impl Request {
    /// The value of a header.
    #[must_use]
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    /// Reads the next request of a connection; none when the client has closed it.
    pub(crate) fn read(reader: &mut BufReader<TcpStream>) -> io::Result<Option<Request>> {
        let mut line = String::new();
        if reader.read_line(&mut line)? == 0 {
            return Ok(None);
        }
        let mut words = line.split_whitespace();
        let (method, target) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
        let (path, query) = target.split_once('?').unwrap_or((target, ""));
        let (method, path, query) = (method.to_owned(), path.to_owned(), query.to_owned());
        let mut headers = Vec::new();
        loop {
            let mut line = String::new();
            reader.read_line(&mut line)?;
            let Some((name, value)) = line.trim_end().split_once(':') else { break };
            headers.push((name.to_ascii_lowercase(), value.trim().to_owned()));
        }
        let mut request = Request { method, path, query, headers, body: Vec::new() };
        let length = request.header("content-length").and_then(|length| length.parse().ok()).unwrap_or(0);
        reader.take(u64::min(length, MOST_BODY)).read_to_end(&mut request.body)?;
        Ok(Some(request))
    }
}

/// What a registry answers.
#[derive(Clone, Debug)]
pub struct ScriptedResponse {
    /// The status.
    pub status: u16,
    /// Headers beside the length.
    pub headers: Vec<(String, String)>,
    /// The body.
    pub body: Vec<u8>,
    /// After how many bytes of the body the connection breaks.
    pub breaks_after: Option<usize>,
}

impl ScriptedResponse {
    /// An answer.
    #[must_use]
    pub fn new(status: u16, body: impl Into<Vec<u8>>) -> ScriptedResponse {
        ScriptedResponse { status, headers: Vec::new(), body: body.into(), breaks_after: None }
    }

    /// The same with a header.
    #[must_use]
    pub fn with(mut self, name: &str, value: &str) -> ScriptedResponse {
        self.headers.push((name.to_owned(), value.to_owned()));
        self
    }

    /// Sends the answer; false if the connection is over.
    pub(crate) fn send(&self, stream: &mut TcpStream, is_head: bool) -> io::Result<bool> {
        let mut head = format!("HTTP/1.1 {} Told\r\nContent-Length: {}\r\n", self.status, self.body.len());
        for (name, value) in &self.headers {
            head.push_str(&format!("{name}: {value}\r\n"));
        }
        head.push_str("\r\n");
        stream.write_all(head.as_bytes())?;
        if is_head {
            return Ok(true);
        }
        match self.breaks_after.and_then(|length| self.body.get(..length)) {
            Some(part) => {
                stream.write_all(part)?;
                stream.flush()?;
                stream.shutdown(Shutdown::Both)?;
                Ok(false)
            }
            None => stream.write_all(&self.body).map(|()| true),
        }
    }
}
