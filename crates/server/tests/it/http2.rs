//! HTTP/2 by hand, frame by frame: what its clients can do beyond asking. Each of it is bounded, and the server goes on.

use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::sync::Arc;
use std::time::Duration;

use engine::core::MachineSettings;
use engine::provider::Local;
use engine::{Clock, Engine, Host};
use radius::registry::Registry;
use server::{App, Limits};
use store::{Key, MemoryStore, Store};

const DATA: u8 = 0;
const HEADERS: u8 = 1;
const RESET: u8 = 3;
const SETTINGS: u8 = 4;
const PING: u8 = 6;
const GO_AWAY: u8 = 7;
const CONTINUATION: u8 = 9;

const END_STREAM: u8 = 1;
const ACK: u8 = 1;
const END_HEADERS: u8 = 4;

struct Served {
    address: SocketAddr,
    _runtime: tokio::runtime::Runtime,
}

fn serve(limits: Limits) -> Served {
    let store: Arc<dyn Store> = Arc::new(MemoryStore::new());
    let key = Key::random().unwrap();
    let provider = Arc::new(Local::new(Arc::clone(&store), key.clone()).keeping_groups());
    let registry = Arc::new(Registry::new(Arc::clone(&store), key.clone()));
    let engine = Engine {
        store,
        key,
        provider,
        settings: MachineSettings::default(),
        clock: Clock::Virtual,
        budgets: Default::default(),
    };
    let app = Arc::new(App::new(Arc::new(Host::new(engine)), registry).limited(limits));
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    let address = SocketAddr::from(([127, 0, 0, 1], 0));
    let settings = server::ListenSettings {
        address,
        tls: None,
        connections: 64,
        per_address: 64,
        grace: Duration::ZERO,
    };
    let listening = runtime.block_on(server::listen(app, settings)).unwrap();
    let address = listening.address();
    runtime.spawn(listening.run(std::future::pending()));
    Served { address, _runtime: runtime }
}

impl Served {
    fn connect(&self) -> Client {
        let stream = TcpStream::connect(self.address).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(30))).unwrap();
        let mut client = Client { stream };
        client.stream.write_all(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n").unwrap();
        assert!(client.send(SETTINGS, 0, 0, &[]));
        client
    }

    /// A new client is served.
    #[track_caller]
    fn is_well(&self) {
        let mut client = self.connect();
        client.send(HEADERS, END_STREAM | END_HEADERS, 1, &head("GET", "/healthz", &[]));
        let frames = client.until(|frame| frame.kind == DATA);
        assert!(frames.last().unwrap().text().contains("ok"), "{frames:?}");
    }
}

struct Client {
    stream: TcpStream,
}

#[derive(Debug)]
struct Frame {
    kind: u8,
    flags: u8,
    stream: u32,
    body: Vec<u8>,
}

impl Frame {
    fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }
}

impl Client {
    /// Sends a frame; false once the server has closed.
    fn send(&mut self, kind: u8, flags: u8, stream: u32, body: &[u8]) -> bool {
        let length = u32::try_from(body.len()).unwrap().to_be_bytes();
        let mut frame = length[1..].to_vec();
        frame.extend([kind, flags]);
        frame.extend(stream.to_be_bytes());
        frame.extend(body);
        self.stream.write_all(&frame).is_ok()
    }

    /// The next frame; none once the server has closed. Pings are answered.
    fn next(&mut self) -> Option<Frame> {
        let mut head = [0; 9];
        self.stream.read_exact(&mut head).ok()?;
        let length = u32::from_be_bytes([0, head[0], head[1], head[2]]);
        let mut body = vec![0; length as usize];
        self.stream.read_exact(&mut body).ok()?;
        let stream = u32::from_be_bytes([head[5], head[6], head[7], head[8]]);
        let frame = Frame { kind: head[3], flags: head[4], stream, body };
        if frame.kind == PING && frame.flags & ACK == 0 {
            self.send(PING, ACK, 0, &frame.body);
        }
        Some(frame)
    }

    /// The frames up to one, or up to the end of the connection.
    fn until(&mut self, is_it: impl Fn(&Frame) -> bool) -> Vec<Frame> {
        let mut frames = Vec::new();
        while let Some(frame) = self.next() {
            let found = is_it(&frame);
            frames.push(frame);
            if found {
                break;
            }
        }
        frames
    }
}

/// A literal header, which nobody remembers.
fn literal(name: &str, value: &str) -> Vec<u8> {
    let mut bytes = vec![0];
    for text in [name, value] {
        let mut length = text.len();
        if length < 127 {
            bytes.push(u8::try_from(length).unwrap());
        } else {
            bytes.push(127);
            length -= 127;
            while length >= 128 {
                bytes.push(u8::try_from(length % 128).unwrap() | 128);
                length /= 128;
            }
            bytes.push(u8::try_from(length).unwrap());
        }
        bytes.extend(text.as_bytes());
    }
    bytes
}

fn head(method: &str, path: &str, more: &[(&str, &str)]) -> Vec<u8> {
    let first = [(":method", method), (":scheme", "http"), (":path", path), (":authority", "localhost")];
    first.iter().chain(more).flat_map(|(name, value)| literal(name, value)).collect()
}

#[test]
fn streams_that_are_reset_at_once_end_the_connection() {
    let served = serve(Limits::default());
    let mut client = served.connect();
    let ask = head("GET", "/healthz", &[]);
    let is_open = (0..50_000_u32).all(|number| {
        let stream = 2 * number + 1;
        client.send(HEADERS, END_STREAM | END_HEADERS, stream, &ask)
            && client.send(RESET, 0, stream, &8_u32.to_be_bytes())
    });
    assert!(!is_open);
    // What was answered before is still there.
    client.until(|frame| frame.kind == GO_AWAY);
    served.is_well();
}

#[test]
fn heads_without_an_end_are_refused() {
    let served = serve(Limits::default());
    for (what, piece) in [("large", literal("x", &"y".repeat(4000))), ("empty", Vec::new())] {
        let mut client = served.connect();
        client.send(HEADERS, END_STREAM, 1, &head("GET", "/healthz", &[]));
        let is_open = (0..200_000).all(|_| client.send(CONTINUATION, 0, 1, &piece));
        assert!(!is_open, "{what}");
    }
    served.is_well();
}

#[test]
fn frames_that_ask_for_nothing_end_the_connection() {
    let served = serve(Limits::default());
    // Settings, pings, priorities, windows, and a kind that nobody knows.
    let floods: [(u8, u32, &[u8]); 5] = [
        (SETTINGS, 0, b""),
        (PING, 0, b"12345678"),
        (2, 1, b"\0\0\0\0\x01"),
        (8, 0, b"\0\0\0\x01"),
        (77, 0, b"what"),
    ];
    for (kind, stream, body) in floods {
        let mut client = served.connect();
        client.stream.set_write_timeout(Some(Duration::from_secs(30))).unwrap();
        let taken = (0..1_000_000).take_while(|_| client.send(kind, 0, stream, body)).count();
        assert!(taken < 1_000_000, "{kind}");
        served.is_well();
    }
}

#[test]
fn only_so_many_streams_are_open_at_a_time() {
    let served = serve(Limits::default());
    let mut client = served.connect();
    // Bodies that do not come keep them open.
    let ask = head("PUT", "/subscriptions/s/resourceGroups/g?api-version=1", &[]);
    for number in 0..300 {
        client.send(HEADERS, END_HEADERS, 2 * number + 1, &ask);
    }
    let frames = client.until(|frame| frame.kind == RESET && frame.stream == 2 * 299 + 1);
    let refused = frames.iter().filter(|frame| frame.kind == RESET).count();
    assert_eq!(refused, 300 - 256);
    served.is_well();
}

#[test]
fn a_connection_without_requests_is_closed_even_if_it_answers_pings() {
    let served = serve(Limits { idle_time: Duration::from_millis(300), ..Limits::default() });
    let mut client = served.connect();
    client.send(HEADERS, END_STREAM | END_HEADERS, 1, &head("GET", "/healthz", &[]));
    // Ends only when the server closes; the timeout of the client is much longer.
    let frames = client.until(|_| false);
    assert!(frames.iter().any(|frame| frame.kind == DATA && frame.text().contains("ok")), "{frames:?}");
    let error = client.stream.read(&mut [0]).map_err(|error| error.kind());
    assert!(!matches!(error, Err(std::io::ErrorKind::WouldBlock)), "{error:?}");
}

#[test]
fn an_answer_that_is_not_read_does_not_keep_the_connection() {
    let served = serve(Limits { idle_time: Duration::from_millis(300), ..Limits::default() });
    let mut client = served.connect();
    // No byte of a body may be sent to this client.
    client.send(SETTINGS, 0, 0, &[0, 4, 0, 0, 0, 0]);
    client.send(HEADERS, END_STREAM | END_HEADERS, 1, &head("GET", "/openapi.json", &[]));
    let frames = client.until(|_| false);
    assert!(frames.iter().any(|frame| frame.kind == HEADERS), "{frames:?}");
    assert!(frames.iter().all(|frame| frame.kind != DATA), "{frames:?}");
}

#[test]
fn heads_that_are_not_allowed_are_refused() {
    let served = serve(Limits::default());
    for (name, value) in [
        ("X-Upper", "a"),
        ("connection", "close"),
        ("transfer-encoding", "chunked"),
        ("x", "a\r\nb: c"),
        (":authority", "evil.test"),
        ("content-length", "5"),
    ] {
        let mut client = served.connect();
        let ask = head("GET", "/healthz", &[(name, value)]);
        client.send(HEADERS, END_STREAM | END_HEADERS, 1, &ask);
        let frames = client.until(|frame| [RESET, GO_AWAY, DATA].contains(&frame.kind));
        assert_ne!(frames.last().unwrap().kind, DATA, "{name}: {frames:?}");
    }
    served.is_well();
}
