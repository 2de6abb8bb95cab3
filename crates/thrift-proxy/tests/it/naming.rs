//! Servers that do not have what a call names, and take its arguments, or what follows, for the next message.

use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use crate::support::{Client, Running, eventually, exception, message, note, said, say};
use thrift::proxy::{CallNames, Pins, ProxyConfig, Transport};
use thrift::wire::{
    CompactReader, CompactWriter, ExceptionKind, Limits, MessageForm, MessageHeader, MessageKind, Protocol,
    Reader as _, WireType, Writer as _, exception_reply, write_frame,
};

const IDL: &str = r#"
    service Echo {
        string say(1: string text (vt.min_size = "1", vt.max_size = "20"))
        oneway void note(1: string text (vt.min_size = "1"))
        string mark(8: bool first, 10: bool second, 11: string name, 12: string text)
    }
    service Other { string tell(1: string text) }
"#;

const EVIL: &str = "this text is far too long for the rule";

fn running(upstream: SocketAddr, pins: Pins) -> Running {
    let proxy = Running::start_with(upstream, ProxyConfig { upstream: pins, ..<_>::default() }, |_| {});
    IDL.clone_into(&mut proxy.idl.lock().unwrap());
    proxy.shared.live.reload().unwrap();
    proxy
}

fn pins(transport: Transport, protocol: Protocol, names: Option<CallNames>) -> Pins {
    Pins { transport: Some(transport), protocol: Some(protocol), names }
}

/// A server without frames in the manner of Apache's crate for Rust: what it does not have it answers, and goes on behind
/// the name.
struct Forgetful {
    address: SocketAddr,
    calls: Arc<Mutex<Vec<String>>>,
}

impl Forgetful {
    fn start() -> Forgetful {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let calls = Arc::new(Mutex::new(Vec::new()));
        let seen = Arc::clone(&calls);
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                let seen = Arc::clone(&seen);
                std::thread::spawn(move || serve(&mut stream.unwrap(), &seen));
            }
        });
        Forgetful { address, calls }
    }

    fn calls(&self) -> Vec<String> {
        self.calls.lock().unwrap().clone()
    }
}

/// What such a server reads of a message: the name, the number, the text if it has the function, and the end.
fn read(bytes: &[u8]) -> thrift::wire::Result<(String, i32, Option<String>, usize)> {
    let mut reader = CompactReader::new(bytes, Limits::default());
    let header = reader.message_begin()?;
    let name = String::from_utf8_lossy(&header.name).into_owned();
    let mut text = None;
    if name == "say" {
        let scope = reader.struct_begin()?;
        while let Some(field) = reader.field_begin()? {
            match (field.id, field.ty) {
                (1, WireType::String) => text = Some(String::from_utf8_lossy(&reader.string()?).into_owned()),
                (_, ty) => reader.skip(ty)?,
            }
        }
        reader.struct_end(scope)?;
    }
    Ok((name, header.seqid, text, reader.offset()))
}

fn serve(stream: &mut TcpStream, seen: &Mutex<Vec<String>>) {
    let mut held = Vec::new();
    loop {
        match read(&held) {
            Ok((name, seqid, text, end)) => {
                held.drain(..end);
                let answer = match text {
                    Some(text) => {
                        seen.lock().unwrap().push(text.clone());
                        let form = MessageForm::Versioned;
                        message(Protocol::Compact, form, "say", MessageKind::Reply, seqid, |it| {
                            it.argument(&text);
                        })
                    }
                    None => {
                        let (name, form) = (name.as_bytes().into(), MessageForm::Versioned);
                        let to = MessageHeader { name, kind: MessageKind::Call, seqid, form };
                        exception_reply(Protocol::Compact, &to, ExceptionKind::UnknownMethod, "unknown")
                    }
                };
                if stream.write_all(&answer).is_err() {
                    return;
                }
            }
            Err(error) if error.is_truncated() => {
                let mut chunk = [0; 4096];
                match stream.read(&mut chunk) {
                    Ok(0) | Err(_) => return,
                    Ok(read) => held.extend(chunk.iter().take(read)),
                }
            }
            Err(_) => return,
        }
    }
}

/// A call whose arguments keep their rules, and are a call of `say` that does not: mark, version and kind are two truth values,
/// the number is the head of a field with the name, and what is behind that is the same for both.
fn hiding(name: &str) -> Vec<u8> {
    let mut writer = CompactWriter::new();
    writer.message_begin(name.as_bytes(), MessageKind::Call, 1);
    writer.struct_begin();
    for (id, truth) in [(8, false), (10, true)] {
        writer.field_begin(WireType::Bool, id);
        writer.bool(truth);
        writer.field_end();
    }
    for (id, text) in [(11, "say"), (12, EVIL)] {
        writer.field_begin(WireType::String, id);
        writer.string(text.as_bytes());
        writer.field_end();
    }
    writer.struct_end();
    writer.message_end();
    writer.into_bytes()
}

#[test]
fn arguments_that_a_server_takes_for_a_call_do_not_pass() {
    let upstream = Forgetful::start();
    // Without a proxy between them, the server falls for it.
    let mut client = Client::connect(upstream.address);
    client.send(&hiding("Echo:mark"));
    eventually("the hidden call is seen", || upstream.calls() == [EVIL]);
    upstream.calls.lock().unwrap().clear();
    let buffered = |names| pins(Transport::Buffered, Protocol::Compact, names);
    for pins in [Pins::default(), buffered(None), buffered(Some(CallNames::Plain))] {
        let proxy = running(upstream.address, pins);
        for name in ["Echo:mark", "mark"] {
            let mut client = proxy.connect();
            let form = MessageForm::Versioned;
            let honest =
                message(Protocol::Compact, form, "say", MessageKind::Call, 1, |it| it.argument("<a>"));
            client.send(&[honest, hiding(name)].concat());
            client.0.shutdown(std::net::Shutdown::Write).unwrap();
            let answers = String::from_utf8_lossy(&client.rest()).into_owned();
            let why = match (name, pins.names) {
                ("Echo:mark", Some(CallNames::Plain)) => "the upstream takes names without one",
                _ => "the arguments begin as a message does",
            };
            assert!(answers.contains(why), "{name}, {pins:?}: {answers}");
        }
        assert!(upstream.calls().iter().all(|text| text == "<a>"), "{:?}", upstream.calls());
    }
    // It does pass to an upstream that has whatever is called, as the operator says.
    let proxy = running(upstream.address, buffered(Some(CallNames::Services)));
    proxy.connect().send(&hiding("Echo:mark"));
    eventually("the call passes", || upstream.calls().contains(&EVIL.to_owned()));
}

/// A call of a function with one text.
fn call(name: &str, seqid: i32) -> Vec<u8> {
    let form = MessageForm::Versioned;
    write_frame(&message(Protocol::Binary, form, name, MessageKind::Call, seqid, |it| it.argument("<a>")))
}

/// Whether anything more comes within a moment.
fn is_silent(server: &mut TcpStream) -> bool {
    server.set_read_timeout(Some(Duration::from_millis(150))).unwrap();
    let nothing = server.read(&mut [0; 1]).is_err();
    server.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
    nothing
}

fn take(server: &mut TcpStream, expected: &[u8]) {
    let mut bytes = vec![0; expected.len()];
    server.read_exact(&mut bytes).unwrap();
    assert_eq!(String::from_utf8_lossy(&bytes), String::from_utf8_lossy(expected));
}

#[test]
fn nothing_follows_a_call_of_a_service_before_that_has_answered_under_its_name() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let framed = pins(Transport::Framed, Protocol::Binary, None);
    let proxy = running(listener.local_addr().unwrap(), framed);
    let mut client = proxy.connect();
    // The service is known by the name of the function, then it is to be one of several, then it is another one.
    let calls = [("say", 1), ("say", 2), ("Echo:say", 3), ("Echo:say", 4), ("tell", 5), ("say", 6)];
    let calls: Vec<Vec<u8>> = calls.into_iter().map(|(name, seqid)| call(name, seqid)).collect();
    let reply = |name: &str, seqid| {
        write_frame(&message(
            Protocol::Binary,
            MessageForm::Versioned,
            name,
            MessageKind::Reply,
            seqid,
            |_| {},
        ))
    };
    client.send(&calls.concat());
    let (mut server, _) = listener.accept().unwrap();
    take(&mut server, &calls[0]);
    assert!(is_silent(&mut server), "the first call asks");
    server.write_all(&reply("say", 1)).unwrap();
    take(&mut server, &calls[1]);
    assert!(is_silent(&mut server), "a service is asked when nobody waits");
    server.write_all(&reply("say", 2)).unwrap();
    take(&mut server, &calls[2]);
    assert!(is_silent(&mut server), "the service is asked under another name");
    server.write_all(&reply("say", 3)).unwrap();
    take(&mut server, &calls[3]);
    server.write_all(&reply("say", 4)).unwrap();
    take(&mut server, &calls[4]);
    assert!(is_silent(&mut server), "another service is asked");
    // It is not there: what follows goes elsewhere, since the server may take it for anything.
    let tell = MessageHeader {
        name: b"tell".as_slice().into(),
        kind: MessageKind::Call,
        seqid: 5,
        form: MessageForm::Versioned,
    };
    let unknown = exception_reply(Protocol::Binary, &tell, ExceptionKind::UnknownMethod, "unknown");
    server.write_all(&write_frame(&unknown)).unwrap();
    assert_eq!(server.read(&mut [0; 1]).unwrap(), 0);
    let (mut server, _) = listener.accept().unwrap();
    take(&mut server, &calls[5]);
}

#[test]
fn an_upstream_whose_names_are_known_is_not_asked() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let services = pins(Transport::Framed, Protocol::Binary, Some(CallNames::Services));
    let proxy = running(address, services);
    let mut client = proxy.connect();
    let calls = [call("Echo:say", 1), call("Other:tell", 2), call("Echo:say", 3)];
    client.send(&calls.concat());
    let (mut server, _) = listener.accept().unwrap();
    calls.iter().for_each(|call| take(&mut server, call));
    // Who names none is told so.
    let mut client = proxy.connect();
    client.send(&call("say", 4));
    let text = "the call names no service, and the upstream asks for one";
    client.expect(&write_frame(&exception(4, ExceptionKind::ProtocolError, text)));
    // And the other way around.
    let plain = pins(Transport::Framed, Protocol::Binary, Some(CallNames::Plain));
    let proxy = running(address, plain);
    let mut client = proxy.connect();
    client.send(&call("Echo:say", 5));
    let text = "the name has a service, and the upstream takes names without one";
    client.expect(&write_frame(&exception(5, ExceptionKind::ProtocolError, text)));
}

#[test]
fn what_nobody_answers_is_the_last_message_to_an_upstream_that_may_not_have_its_service() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let proxy = running(listener.local_addr().unwrap(), pins(Transport::Buffered, Protocol::Binary, None));
    let mut client = proxy.connect();
    client.send(&[note("1"), say("<a>", 1), note("2")].concat());
    let (mut server, _) = listener.accept().unwrap();
    take(&mut server, &note("1"));
    assert_eq!(server.read(&mut [0; 1]).unwrap(), 0, "nothing more comes");
    drop(server);
    let (mut server, _) = listener.accept().unwrap();
    take(&mut server, &say("<a>", 1));
    server.write_all(&said("<a>", 1)).unwrap();
    take(&mut server, &note("2"));
    client.expect(&said("<a>", 1));
}
