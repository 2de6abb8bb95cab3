//! `/metrics` for Prometheus and `/healthz` for whoever asks.

use std::sync::Arc;
use std::time::Duration;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tokio::time::timeout;

use crate::connection::ConnectionContext;

/// No request is longer, and none takes longer.
const MAX_REQUEST: usize = 8 * 1024;
const MAX_TIME: Duration = Duration::from_secs(5);
/// How many may ask at a time.
const MAX_REQUESTS: usize = 32;

/// Answers until it is dropped.
pub(crate) async fn serve(listener: TcpListener, shared: Arc<ConnectionContext>) {
    let places = Arc::new(Semaphore::new(MAX_REQUESTS));
    loop {
        let Ok(place) = Arc::clone(&places).acquire_owned().await else { return };
        match listener.accept().await {
            Ok((stream, _)) => {
                let shared = Arc::clone(&shared);
                tokio::spawn(async move {
                    // A client that goes away has no use for an answer.
                    let _ = timeout(MAX_TIME, answer(stream, &shared)).await;
                    drop(place);
                });
            }
            Err(_) => tokio::time::sleep(Duration::from_millis(50)).await,
        }
    }
}

async fn answer(mut stream: TcpStream, shared: &ConnectionContext) -> std::io::Result<()> {
    let mut request = Vec::new();
    while !request.windows(4).any(|end| end == b"\r\n\r\n") {
        let mut chunk = [0; 1024];
        let read = stream.read(&mut chunk).await?;
        request.extend_from_slice(chunk.get(..read).unwrap_or_default());
        if read == 0 || request.len() > MAX_REQUEST {
            return Ok(());
        }
    }
    let (status, kind, body) = respond(&request, || shared.metrics.render(shared.log.lost_lines()));
    let head = format!(
        "HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {}\r\nConnection: close\r\n\r\n",
        body.len()
    );
    stream.write_all(head.as_bytes()).await?;
    if !request.starts_with(b"HEAD ") {
        stream.write_all(body.as_bytes()).await?;
    }
    stream.shutdown().await
}

const TEXT: &str = "text/plain; charset=utf-8";

fn respond(request: &[u8], metrics: impl FnOnce() -> String) -> (&'static str, &'static str, String) {
    let mut words = request.split(|byte| matches!(byte, b' ' | b'\r' | b'\n'));
    match (words.next(), words.next()) {
        (Some(b"GET" | b"HEAD"), Some(b"/metrics")) => {
            ("200 OK", "text/plain; version=0.0.4; charset=utf-8", metrics())
        }
        (Some(b"GET" | b"HEAD"), Some(b"/healthz")) => ("200 OK", TEXT, "ok\n".to_owned()),
        (Some(b"GET" | b"HEAD"), _) => {
            ("404 Not Found", TEXT, "there is `/metrics` and `/healthz`\n".to_owned())
        }
        _ => ("405 Method Not Allowed", TEXT, "only `GET` is answered\n".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_pages_are_served() {
        let status = |request: &str| respond(request.as_bytes(), String::new).0;
        assert_eq!(status("GET /metrics HTTP/1.1\r\n\r\n"), "200 OK");
        assert_eq!(status("GET /healthz HTTP/1.1\r\n\r\n"), "200 OK");
        assert_eq!(status("GET / HTTP/1.1\r\n\r\n"), "404 Not Found");
        assert_eq!(status("POST /metrics HTTP/1.1\r\n\r\n"), "405 Method Not Allowed");
    }
}
