//! A client of the server: one connection, requests as bytes.

use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

use crate::{Result, said};

/// How long an answer may take.
const PATIENCE: Duration = Duration::from_secs(30);

/// The group that everything is in.
pub const GROUP: &str = "/subscriptions/00000000-0000-0000-0000-000000000001/resourcegroups/cluster";

/// A connection that stays open as long as it can.
#[derive(Debug)]
pub struct Client {
    address: SocketAddr,
    stream: Option<TcpStream>,
}

/// An answer.
#[derive(Debug)]
pub struct Reply {
    /// Its status.
    pub status: u16,
    /// Its body.
    pub body: String,
}

impl Client {
    /// A client of the server at an address.
    pub fn new(address: SocketAddr) -> Client {
        Client { address, stream: None }
    }

    /// Sends a request. After an error nobody knows whether it was heard.
    pub fn ask(&mut self, method: &str, path: &str, body: &str) -> Result<Reply> {
        // A connection that breaks is not used again.
        let mut stream = match self.stream.take() {
            Some(stream) => stream,
            None => {
                let stream = TcpStream::connect_timeout(&self.address, PATIENCE).map_err(said)?;
                stream.set_nodelay(true).map_err(said)?;
                stream.set_read_timeout(Some(PATIENCE)).map_err(said)?;
                stream
            }
        };
        let length = body.len();
        let request = format!(
            "{method} {path} HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-type: application/json\r\ncontent-length: {length}\r\n\r\n{body}"
        );
        stream.write_all(request.as_bytes()).map_err(said)?;
        let reply = read(&mut stream)?;
        self.stream = Some(stream);
        Ok(reply)
    }
}

fn read(stream: &mut TcpStream) -> Result<Reply> {
    let mut received = Vec::new();
    let mut part = [0; 16 * 1024];
    loop {
        let count = stream.read(&mut part).map_err(said)?;
        if count == 0 {
            return Err("the server closed the connection".to_owned());
        }
        received.extend_from_slice(part.get(..count).unwrap_or_default());
        let Some(head) = received.windows(4).position(|four| four == b"\r\n\r\n") else { continue };
        let text = String::from_utf8_lossy(received.get(..head).unwrap_or_default()).into_owned();
        let status =
            text.get(9..12).and_then(|code| code.parse().ok()).ok_or("an answer without a status")?;
        let length = text.lines().find_map(|line| {
            let (name, value) = line.split_once(':')?;
            name.eq_ignore_ascii_case("content-length").then(|| value.trim().parse::<usize>().ok())?
        });
        let end = head + 4 + length.unwrap_or(0);
        if received.len() >= end {
            let body = String::from_utf8_lossy(received.get(head + 4..end).unwrap_or_default()).into_owned();
            return Ok(Reply { status, body });
        }
    }
}

/// The path of a deployment, or of something below it.
pub fn deployment(name: &str, rest: &str) -> String {
    format!("{GROUP}/providers/Microsoft.Resources/deployments/{name}{rest}?api-version=2025-04-01")
}

/// A deployment of so many resources, each of which waits for the one before; their names begin with its name.
pub fn template(resources: usize) -> String {
    let resources: Vec<String> = (0..resources)
        .map(|number| {
            let waits = number.checked_sub(1).map(|before| {
                format!("\"dependsOn\": [\"[resourceId('Our.Things/things', format('{{0}}-{before}', deployment().name))]\"], ")
            });
            let waits = waits.unwrap_or_default();
            format!(
                "{{\"type\": \"Our.Things/things\", \"apiVersion\": \"2025-01-01\", {waits}\"name\": \"[format('{{0}}-{number}', deployment().name)]\", \"properties\": {{\"size\": {number}}}}}"
            )
        })
        .collect();
    format!(
        "{{\"properties\": {{\"mode\": \"Incremental\", \"template\": {{\"$schema\": \"https://schema.management.azure.com/schemas/2019-04-01/deploymentTemplate.json#\", \"contentVersion\": \"1.0.0.0\", \"resources\": [{}]}}}}}}",
        resources.join(", ")
    )
}

/// The run that the record of a deployment tells.
pub fn run_of(body: &str) -> Option<String> {
    let (_, rest) = body.split_once("\"correlationId\":\"")?;
    rest.split_once('"').map(|(run, _)| run.to_owned())
}

/// The state that the record of a deployment tells, if it has ended.
pub fn ended(body: &str) -> Option<&'static str> {
    ["Succeeded", "Failed", "Canceled"]
        .into_iter()
        .find(|state| body.contains(&format!("\"provisioningState\":\"{state}\"")))
}
