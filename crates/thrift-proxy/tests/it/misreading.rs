//! Servers that read the bytes of a client otherwise than the proxy does: whatever they find, it is not a call that the
//! proxy has not let pass.

use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use crate::support::{Client, Running, eventually, message, note, said, say};
use thrift::proxy::{CallNames, OldEnvelope, Pins, ProxyConfig, Transport, UnknownMethod};
use thrift::wire::{
    BinaryReader, BinaryWriter, ExceptionKind, Limits, MessageForm, MessageHeader, MessageKind, Protocol,
    Reader as _, WireType, Writer as _, exception_reply, write_frame,
};

/// A server in the manner of Apache's libraries, which knows one way to read: binary without frames, with either
/// envelope, and names of any length. It answers what it does not know, as they do.
struct Lenient {
    address: SocketAddr,
    /// The arguments of `say` that its handler was called with, and other names.
    calls: Arc<Mutex<Vec<String>>>,
    connections: Arc<Mutex<usize>>,
}

impl Lenient {
    fn start() -> Lenient {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let (calls, connections) = (Arc::new(Mutex::new(Vec::new())), Arc::new(Mutex::new(0)));
        let (seen, count) = (Arc::clone(&calls), Arc::clone(&connections));
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                *count.lock().unwrap() += 1;
                let seen = Arc::clone(&seen);
                std::thread::spawn(move || serve(&mut stream.unwrap(), &seen));
            }
        });
        Lenient { address, calls, connections }
    }

    fn calls(&self) -> Vec<String> {
        self.calls.lock().unwrap().clone()
    }
}

/// What such a server reads: the name, the number, and where the arguments and the message end; `None` if more is needed.
fn read(bytes: &[u8]) -> Option<(String, i32, usize, usize)> {
    let number = |at: usize| Some(i32::from_be_bytes(bytes.get(at..at + 4)?.try_into().ok()?));
    let first = number(0)?;
    let (name_at, length, behind) = if first < 0 { (8, number(4)?, 0) } else { (4, first, 1) };
    let name_end = name_at + usize::try_from(length).unwrap();
    let name = String::from_utf8_lossy(bytes.get(name_at..name_end)?).into_owned();
    let start = name_end + behind + 4;
    let seqid = number(name_end + behind)?;
    let mut reader = BinaryReader::new(bytes.get(start..)?, Limits::default());
    reader.skip(WireType::Struct).ok()?;
    Some((name, seqid, start, start + reader.offset()))
}

fn serve(stream: &mut TcpStream, seen: &Mutex<Vec<String>>) {
    let mut held = Vec::new();
    loop {
        while let Some((name, seqid, start, end)) = read(&held) {
            let rest = held.split_off(end);
            let bytes = std::mem::replace(&mut held, rest);
            // The head of the one argument, and the end.
            let text =
                String::from_utf8_lossy(bytes.get(start + 7..end - 1).unwrap_or_default()).into_owned();
            let answer = match name.as_str() {
                "say" => {
                    seen.lock().unwrap().push(text.clone());
                    said(&text, seqid)
                }
                "note" => {
                    seen.lock().unwrap().push(format!("note {text}"));
                    continue;
                }
                _ => {
                    let name = name.as_bytes().into();
                    let to =
                        MessageHeader { name, kind: MessageKind::Call, seqid, form: MessageForm::Versioned };
                    exception_reply(Protocol::Binary, &to, ExceptionKind::UnknownMethod, "unknown")
                }
            };
            if stream.write_all(&answer).is_err() {
                return;
            }
        }
        let mut chunk = [0; 65536];
        match stream.read(&mut chunk) {
            Ok(0) | Err(_) => return,
            Ok(read) => held.extend(chunk.iter().take(read)),
        }
    }
}

/// A call whose name has a call of its own in it: for a reader without frames, the length before the name ends what is
/// before it and begins another message.
fn hiding(call: &[u8]) -> Vec<u8> {
    let mut name = call[2..].to_vec();
    name.resize(0x8001, b'x');
    let mut writer = BinaryWriter::new(MessageForm::Old);
    writer.message_begin(&name, MessageKind::Call, 2);
    writer.struct_begin();
    writer.struct_end();
    writer.message_end();
    writer.into_bytes()
}

/// A call whose text has a call of its own in it, and which is as long as a reader without frames takes a name to be.
fn with_text(text: &[u8]) -> Vec<u8> {
    let mut writer = BinaryWriter::new(MessageForm::Versioned);
    writer.message_begin(b"other", MessageKind::Call, 1);
    writer.struct_begin();
    writer.field_begin(WireType::String, 1);
    writer.string(text);
    writer.field_end();
    writer.struct_end();
    writer.message_end();
    writer.into_bytes()
}

const EVIL: &str = "this text is far too long for the rule";

fn attacks() -> Vec<(&'static str, Vec<u8>)> {
    let evil = say(EVIL, 9);
    let first = write_frame(&say("<a>", 1));
    // Behind the frame that such a reader takes for a name: kind, number, and the end of its arguments.
    let shifted = [&[1, 0, 0, 0, 1, 0][..], &evil].concat();
    vec![
        ("a name", [first.clone(), write_frame(&hiding(&evil))].concat()),
        ("a name in the new envelope", {
            let mut name = [&[0, 0, 0, 0, 0][..], &evil].concat();
            name.resize(1000, 0);
            let call = message(
                Protocol::Binary,
                MessageForm::Versioned,
                &String::from_utf8_lossy(&name),
                MessageKind::Call,
                1,
                |body| body.argument("x"),
            );
            [first.clone(), write_frame(&call)].concat()
        }),
        ("a text", [first, write_frame(&with_text(&evil))].concat()),
        (
            "a text behind a oneway call",
            [write_frame(&note("x")), write_frame(&with_text(&shifted))].concat(),
        ),
        ("a oneway call, then a name", [write_frame(&note("x")), write_frame(&hiding(&evil))].concat()),
        ("unframed, then framed", [say("<a>", 1), write_frame(&hiding(&evil))].concat()),
        ("behind the message in a frame", { write_frame(&[say("<a>", 1), evil.clone()].concat()) }),
    ]
}

fn attack(proxy: &Running, upstream: &Lenient, name: &str, bytes: &[u8]) {
    upstream.calls.lock().unwrap().clear();
    let mut client: Client = proxy.connect();
    client.0.set_read_timeout(Some(Duration::from_millis(300))).unwrap();
    client.send(bytes);
    client.rest();
    let calls = upstream.calls();
    assert!(!calls.iter().any(|call| call.contains(EVIL)), "{name}: {calls:?}");
}

#[test]
fn a_call_does_not_hide_from_the_proxy_in_another_transport() {
    let upstream = Lenient::start();
    for old_envelope in [OldEnvelope::Refuse, OldEnvelope::Allow] {
        let unknown_method = UnknownMethod::Pass;
        let config = ProxyConfig { old_envelope, unknown_method, ..ProxyConfig::default() };
        let proxy = Running::start_with(upstream.address, config, |_| {});
        for (name, bytes) in attacks() {
            attack(&proxy, &upstream, name, &bytes);
        }
    }
}

#[test]
fn the_server_would_fall_for_it() {
    // Without a proxy between them, that is: otherwise the test above would show nothing.
    let upstream = Lenient::start();
    let (_, bytes) = attacks().swap_remove(0);
    let mut client = Client::connect(upstream.address);
    client.send(&bytes);
    eventually("the hidden call is seen", || upstream.calls().iter().any(|call| call == EVIL));
}

#[test]
fn a_second_call_waits_for_the_answer_to_the_first() {
    let upstream = Lenient::start();
    let proxy = Running::start(upstream.address);
    let mut client = proxy.connect();
    client.send(&[say("<a>", 1), say("<b>", 2), say("<c>", 3)].concat());
    client.expect(&[said("<a>", 1), said("<b>", 2), said("<c>", 3)].concat());
    assert_eq!(*upstream.connections.lock().unwrap(), 1);
    assert_eq!(upstream.calls(), ["<a>", "<b>", "<c>"]);
}

#[test]
fn a_call_that_nobody_answers_goes_over_a_connection_of_its_own_until_one_was_answered() {
    let upstream = Lenient::start();
    let proxy = Running::start(upstream.address);
    let mut client = proxy.connect();
    client.send(&[note("1"), note("2"), say("<a>", 1), note("3"), say("<b>", 2)].concat());
    client.expect(&[said("<a>", 1), said("<b>", 2)].concat());
    assert_eq!(upstream.calls(), ["note 1", "note 2", "<a>", "note 3", "<b>"]);
    assert_eq!(*upstream.connections.lock().unwrap(), 3);

    // Whoever says what the upstream speaks needs one only.
    let upstream = Lenient::start();
    let pins = Pins {
        transport: Some(Transport::Buffered),
        protocol: Some(Protocol::Binary),
        names: Some(CallNames::Plain),
    };
    let proxy =
        Running::start_with(upstream.address, ProxyConfig { upstream: pins, ..<_>::default() }, |_| {});
    let mut client = proxy.connect();
    client.send(&[note("1"), note("2"), say("<a>", 1)].concat());
    client.expect(&said("<a>", 1));
    assert_eq!(upstream.calls(), ["note 1", "note 2", "<a>"]);
    assert_eq!(*upstream.connections.lock().unwrap(), 1);
}

#[test]
fn a_client_that_speaks_otherwise_than_the_upstream_is_told_so() {
    let upstream = Lenient::start();
    let pins = Pins { transport: Some(Transport::Buffered), protocol: Some(Protocol::Binary), names: None };
    let proxy =
        Running::start_with(upstream.address, ProxyConfig { upstream: pins, ..<_>::default() }, |_| {});
    let mut client = proxy.connect();
    client.send(&write_frame(&say("<a>", 1)));
    let text = "the message is framed, and the upstream speaks buffered";
    client.expect(&write_frame(&crate::support::exception(1, ExceptionKind::ProtocolError, text)));
    assert_eq!(upstream.calls(), [""; 0]);
}
