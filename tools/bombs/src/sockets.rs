//! Connections that no honest client makes: slow ones, many, those that read nothing, and bytes that are no requests.

use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::path::Path;
use std::time::Duration;

use cluster::client;

use crate::Result;
use crate::server::{Client, Server, Watch, expect};

/// How long each of them goes on.
const LASTING: Duration = Duration::from_secs(4);
/// How many connections a kind opens.
const MANY: usize = 400;

/// Something to do with connections.
type Attack = fn(SocketAddr) -> Vec<TcpStream>;

/// A connection on which something was sent.
fn opened(address: SocketAddr, first: &[u8]) -> Option<TcpStream> {
    let mut stream = TcpStream::connect_timeout(&address, Duration::from_secs(2)).ok()?;
    stream.set_write_timeout(Some(Duration::from_millis(300))).ok()?;
    stream.set_read_timeout(Some(Duration::from_millis(300))).ok()?;
    let _ = stream.write_all(first);
    Some(stream)
}

fn many(address: SocketAddr, first: &[u8]) -> Vec<TcpStream> {
    (0..MANY).filter_map(|_| opened(address, first)).collect()
}

/// The beginning of a connection of HTTP/2, and so many frames that are alike.
fn frames(count: usize, kind: u8, flags: u8, stream: u8, body: &[u8]) -> Vec<u8> {
    let mut bytes = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0".to_vec();
    let length = u8::try_from(body.len()).unwrap_or(u8::MAX);
    for _ in 0..count {
        bytes.extend_from_slice(&[0, 0, length, kind, flags, 0, 0, 0, stream]);
        bytes.extend_from_slice(body);
    }
    bytes
}

fn list() -> String {
    format!("GET {}/resources?api-version=2025-04-01 HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n", client::GROUP)
}

fn put(rest: &str) -> String {
    let path = client::deployment("slow", "");
    format!("PUT {path} HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-type: application/json\r\n{rest}")
}

const ATTACKS: &[(&str, Attack)] = &[
    ("connections that say nothing", |address| many(address, b"")),
    ("heads that never end", |address| many(address, b"GET / HTTP/1.1\r\nhost: 127.0.0.1\r\nx-a: ")),
    ("bodies that never end", |address| {
        many(address, put("content-length: 16000000\r\n\r\n{\"properties\": ").as_bytes())
    }),
    ("bodies of one byte at a time", |address| {
        let mut text = put("transfer-encoding: chunked\r\n\r\n");
        text.push_str(&"1\r\n[\r\n".repeat(20_000));
        many(address, text.as_bytes())
    }),
    ("lines of chunks that never end", |address| {
        let mut text = put("transfer-encoding: chunked\r\n\r\n1;");
        text.push_str(&"x".repeat(200_000));
        many(address, text.as_bytes())
    }),
    ("large heads", |address| {
        let header = format!("x-{}: {}\r\n", "n".repeat(300), "v".repeat(8_000));
        many(address, format!("GET / HTTP/1.1\r\nhost: 127.0.0.1\r\n{}\r\n", header.repeat(40)).as_bytes())
    }),
    ("many headers", |address| {
        many(
            address,
            format!("GET / HTTP/1.1\r\nhost: 127.0.0.1\r\n{}\r\n", "a: b\r\n".repeat(20_000)).as_bytes(),
        )
    }),
    ("a long path", |address| {
        many(address, format!("GET /{} HTTP/1.1\r\n", "a/".repeat(200_000)).as_bytes())
    }),
    ("requests whose answers nobody reads", |address| many(address, list().repeat(200).as_bytes())),
    ("waits for more", |address| {
        many(address, put("expect: 100-continue\r\ncontent-length: 16000000\r\n\r\n").as_bytes())
    }),
    ("an upgrade", |address| {
        let text = "GET / HTTP/1.1\r\nhost: 127.0.0.1\r\nconnection: upgrade, http2-settings\r\nupgrade: h2c\r\nhttp2-settings: AAMAAABkAAQAAP__\r\n\r\n";
        many(address, text.as_bytes())
    }),
    ("frames of settings", |address| {
        let mut bytes = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".to_vec();
        for _ in 0..20_000 {
            bytes.extend_from_slice(&[0, 0, 0, 4, 0, 0, 0, 0, 0]);
        }
        many(address, &bytes)
    }),
    ("frames of pings", |address| {
        let mut bytes = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0".to_vec();
        for _ in 0..20_000 {
            bytes.extend_from_slice(&[0, 0, 8, 6, 0, 0, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8]);
        }
        many(address, &bytes)
    }),
    ("frames of priorities", |address| many(address, &frames(5_000, 2, 0, 1, &[0, 0, 0, 0, 1]))),
    ("frames of windows", |address| many(address, &frames(5_000, 8, 0, 0, &[0, 0, 0, 1]))),
    ("frames that nobody knows", |address| many(address, &frames(5_000, 77, 0, 0, b"what"))),
    ("parts without content", |address| {
        let mut bytes = frames(0, 0, 0, 0, &[]);
        // `POST`, `http`, `/` by their numbers in the table, and a host.
        bytes.extend_from_slice(&[0, 0, 14, 1, 4, 0, 0, 0, 1, 0x83, 0x86, 0x84, 0x41, 9]);
        bytes.extend_from_slice(b"127.0.0.1");
        for _ in 0..20_000 {
            bytes.extend_from_slice(&[0, 0, 0, 0, 0, 0, 0, 0, 1]);
        }
        many(address, &bytes)
    }),
    ("answers into closed windows", |address| {
        // No byte of a body may be sent to this client, who asks again and again.
        let mut bytes = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\x06\x04\0\0\0\0\0\0\x04\0\0\0\0".to_vec();
        for stream in (1_u32..512).step_by(2) {
            bytes.extend_from_slice(&[0, 0, 14 + 14, 1, 5]);
            bytes.extend_from_slice(&stream.to_be_bytes());
            bytes.extend_from_slice(&[0x82, 0x86, 0x04, 13]);
            bytes.extend_from_slice(b"/openapi.json");
            bytes.extend_from_slice(&[0x41, 9]);
            bytes.extend_from_slice(b"127.0.0.1");
        }
        many(address, &bytes)
    }),
    ("streams that are begun and given up", |address| {
        let mut bytes = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0".to_vec();
        for stream in (1_u32..4_000).step_by(2) {
            // `GET`, `http`, `/` by their numbers in the table, and a host.
            bytes.extend_from_slice(&[0, 0, 14, 1, 5]);
            bytes.extend_from_slice(&stream.to_be_bytes());
            bytes.extend_from_slice(&[0x82, 0x86, 0x84, 0x41, 9]);
            bytes.extend_from_slice(b"127.0.0.1");
            bytes.extend_from_slice(&[0, 0, 4, 3, 0]);
            bytes.extend_from_slice(&stream.to_be_bytes());
            bytes.extend_from_slice(&[0, 0, 0, 8]);
        }
        many(address, &bytes)
    }),
    ("headers that go on", |address| {
        let mut bytes = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0".to_vec();
        bytes.extend_from_slice(&[0, 0, 1, 1, 0, 0, 0, 0, 1, 0x82]);
        for _ in 0..1_000 {
            bytes.extend_from_slice(&[0, 0, 100, 9, 0, 0, 0, 0, 1]);
            bytes.extend_from_slice(&[0x40, 1, b'a', 1, b'b'].repeat(20));
        }
        many(address, &bytes)
    }),
    ("noise", |address| {
        let bytes =
            (1_u32..100_000).map(|at| u8::try_from(at.wrapping_mul(2_654_435_761) >> 24).unwrap_or(0));
        let bytes: Vec<u8> = bytes.collect();
        many(address, &bytes)
    }),
];

/// Makes all of these connections and holds them; the process lives, others are served, and afterwards what they held is free again.
pub fn run(program: &Path, folder: &Path, word: Option<&str>, tell: &dyn Fn(&str)) -> Result<usize> {
    let state = folder.join("sockets");
    let mut server = Server::start(program, &state)?;
    let group = format!("{}?api-version=2025-04-01", client::GROUP);
    expect(Client(server.address).ask("PUT", &group, r#"{"location": "eastus"}"#), "the group", &[200, 201])?;
    let (mut wrong, mut count) = (Vec::new(), 0);
    for (name, attack) in ATTACKS.iter().filter(|it| word.is_none_or(|word| it.0.contains(word))) {
        tell(name);
        count += 1;
        let watch = Watch::start(server.address, &group);
        let held = attack(server.address);
        std::thread::sleep(LASTING);
        for mut stream in held {
            // Whatever was answered is an answer or the end.
            let mut part = [0; 64];
            let _ = stream.read(&mut part);
        }
        if let Some(why) = server.revived(program, &state, name)? {
            wrong.push(why);
            continue;
        }
        wrong.extend(watch.end().err().map(|why| format!("{name}: {why}")));
    }
    if wrong.is_empty() { Ok(count) } else { Err(wrong.join("\n")) }
}
