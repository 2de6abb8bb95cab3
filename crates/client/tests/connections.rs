//! How connections are used: again where that is safe, and never for longer or for more than the bounds say.

#![expect(clippy::unwrap_used, reason = "a test may fail")]

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use client::{Client, ClientError};
use hyper::Method;
use hyper::body::Bytes;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};

/// A server that counts what it is asked: each connection is answered with the texts in turn, and then closed.
struct Server {
    url: String,
    connections: Arc<AtomicUsize>,
    requests: Arc<AtomicUsize>,
}

/// What becomes of a request.
#[derive(Clone, Copy)]
enum Then {
    /// It is answered.
    Say(&'static str),
    /// The connection is closed without a word.
    Close,
    /// Nothing happens.
    Stall,
}

const FINE: Then = Then::Say("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}");

impl Server {
    async fn start(script: &'static [Then]) -> Server {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}/x", listener.local_addr().unwrap());
        let (connections, requests) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
        let (connected, asked) = (Arc::clone(&connections), Arc::clone(&requests));
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                connected.fetch_add(1, Ordering::SeqCst);
                tokio::spawn(serve(stream, script, Arc::clone(&asked)));
            }
        });
        Server { url, connections, requests }
    }

    fn counts(&self) -> (usize, usize) {
        (self.connections.load(Ordering::SeqCst), self.requests.load(Ordering::SeqCst))
    }
}

async fn serve(mut stream: TcpStream, script: &'static [Then], asked: Arc<AtomicUsize>) {
    for then in script {
        let mut seen = Vec::new();
        while !seen.ends_with(b"\r\n\r\n") {
            let mut byte = [0];
            if stream.read(&mut byte).await.unwrap_or(0) == 0 {
                return;
            }
            seen.push(byte[0]);
        }
        asked.fetch_add(1, Ordering::SeqCst);
        match then {
            Then::Say(text) => stream.write_all(text.as_bytes()).await.unwrap(),
            Then::Close => return,
            Then::Stall => std::future::pending().await,
        }
    }
}

fn run(test: impl Future<Output = ()>) {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(test);
}

async fn ask(client: &Client, method: Method, server: &Server) -> Result<u16, ClientError> {
    client.ask(method, &server.url, Bytes::new()).await.map(|reply| reply.status.as_u16())
}

fn client() -> Client {
    Client::new(None).unwrap()
}

#[test]
fn a_connection_is_used_again() {
    run(async {
        let server = Server::start(&[FINE, FINE, FINE]).await;
        let client = client();
        for _ in 0..3 {
            assert_eq!(ask(&client, Method::GET, &server).await.unwrap(), 200);
        }
        assert_eq!(server.counts(), (1, 3));
        // Clones share connections, and a client apart has its own.
        let apart = client.clone().apart();
        assert_eq!(ask(&apart, Method::PUT, &server).await.unwrap(), 200);
        assert_eq!(server.counts(), (2, 4));
    });
}

#[test]
fn what_may_be_sent_twice_is_sent_again_if_an_old_connection_breaks() {
    run(async {
        let server = Server::start(&[FINE, Then::Close]).await;
        let client = client();
        for method in [Method::GET, Method::PUT, Method::DELETE] {
            assert_eq!(ask(&client, method, &server).await.unwrap(), 200);
        }
        // The second and the third were sent over a connection that broke, and again over a new one.
        assert_eq!(server.counts(), (3, 5));
    });
}

#[test]
fn what_must_not_be_sent_twice_goes_over_a_new_connection() {
    run(async {
        let server = Server::start(&[FINE, Then::Close]).await;
        let client = client();
        for method in [Method::GET, Method::POST, Method::PATCH] {
            assert_eq!(ask(&client, method, &server).await.unwrap(), 200);
        }
        assert_eq!(server.counts(), (3, 3));
    });
}

#[test]
fn a_new_connection_that_breaks_is_an_error() {
    run(async {
        let server = Server::start(&[Then::Close]).await;
        let error = ask(&client(), Method::GET, &server).await.unwrap_err();
        assert!(matches!(error, ClientError::Connection(_)), "{error:?}");
        assert_eq!(server.counts(), (1, 1));
    });
}

#[test]
fn nobody_there_means_that_nothing_was_sent() {
    run(async {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}/", listener.local_addr().unwrap());
        drop(listener);
        let error = client().ask(Method::POST, &url, Bytes::new()).await.unwrap_err();
        assert!(matches!(error, ClientError::Unreachable(_)), "{error:?}");
    });
}

#[test]
fn time_and_size_have_bounds() {
    run(async {
        let patience = Duration::from_millis(50);
        let stalls = Server::start(&[Then::Stall]).await;
        let error = ask(&client().with_limits(patience, 10), Method::GET, &stalls).await.unwrap_err();
        assert!(matches!(error, ClientError::Late(_)), "{error:?}");
        const LARGE: Then = Then::Say("HTTP/1.1 200 OK\r\nContent-Length: 11\r\n\r\n[1,2,3,4,5]");
        let large = Server::start(&[LARGE, FINE]).await;
        let error =
            ask(&client().with_limits(Duration::from_secs(10), 10), Method::GET, &large).await.unwrap_err();
        assert!(matches!(error, ClientError::TooLarge(10)), "{error:?}");
    });
}

#[test]
fn an_answer_that_stops_is_late_however_large_it_may_be() {
    run(async {
        // The connection stays open, for a second request.
        const PART: Then = Then::Say("HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n{}");
        let server = Server::start(&[PART, FINE]).await;
        // All of it could take days.
        let client = client().with_limits(Duration::from_millis(50), 1 << 30).no_slower_than(1 << 10);
        let error = ask(&client, Method::GET, &server).await.unwrap_err();
        assert!(matches!(error, ClientError::Late(_)), "{error:?}");
        let server = Server::start(&[FINE]).await;
        assert_eq!(ask(&client, Method::GET, &server).await.unwrap(), 200);
    });
}

#[test]
fn an_answer_that_is_cut_off_is_an_error() {
    run(async {
        const CUT: Then = Then::Say("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n{}");
        let server = Server::start(&[CUT]).await;
        let error = ask(&client(), Method::GET, &server).await.unwrap_err();
        assert!(matches!(error, ClientError::Connection(_)), "{error:?}");
    });
}

#[test]
fn redirects_are_answers() {
    run(async {
        const ELSEWHERE: Then = Then::Say(
            "HTTP/1.1 307 Temporary Redirect\r\nLocation: http://127.0.0.1:1/\r\nContent-Length: 0\r\n\r\n",
        );
        let server = Server::start(&[ELSEWHERE]).await;
        assert_eq!(ask(&client(), Method::GET, &server).await.unwrap(), 307);
        assert_eq!(server.counts(), (1, 1));
    });
}
