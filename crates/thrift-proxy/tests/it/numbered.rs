//! Clients that find the call of an answer by its number: a refusal does not wait for the calls before it, whatever those
//! wait for, and what passes keeps its order.

use std::collections::BTreeSet;
use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex, mpsc};
use std::time::Duration;

use crate::support::{
    Client, EMPTY, Reaction, Running, Upstream, echo, eventually, exception, message, numbered, said, say,
};
use thrift::proxy::{CallNames, Pins, ProxyConfig, Transport};
use thrift::wire::{ExceptionKind, HeaderDialect, MessageForm, MessageKind, Protocol, ReplyFrame};

fn refused(seqid: i32) -> Vec<u8> {
    numbered(seqid, &exception(seqid, ExceptionKind::ValidationFailed, EMPTY))
}

/// An upstream that keeps its answers until somebody says `<go>`.
fn slow() -> Upstream {
    let held = Arc::new(Mutex::new(Vec::new()));
    Upstream::start(move |contracts, message, bytes| {
        let Reaction::Answer(answer) = echo(contracts, message, bytes) else { return Reaction::Silence };
        let mut held = held.lock().unwrap();
        held.push(answer);
        match bytes.windows(4).any(|text| text == b"<go>") {
            true => Reaction::Answer(held.drain(..).flatten().collect()),
            false => Reaction::Silence,
        }
    })
}

#[test]
fn a_refusal_does_not_wait_until_the_upstream_has_shown_how_it_reads() {
    let (answer, answers) = mpsc::channel::<()>();
    let answers = Arc::new(Mutex::new(answers));
    let upstream = Upstream::start(move |contracts, message, bytes| {
        answers.lock().unwrap().recv().unwrap();
        echo(contracts, message, bytes)
    });
    let proxy = Running::start(upstream.address);
    let mut client = proxy.connect();
    client.send(&numbered(1, &say("<1>", 1)));
    for seqid in 2..40 {
        // Those that pass wait for the first answer, the others do not wait for them.
        let bytes = [numbered(seqid, &say("", seqid)), numbered(seqid + 100, &say("<next>", seqid + 100))];
        client.send(&bytes.concat());
        client.expect(&refused(seqid));
    }
    assert_eq!(upstream.connections.load(std::sync::atomic::Ordering::Relaxed), 1);
    for _ in 0..39 {
        answer.send(()).unwrap();
    }
    client.expect(&numbered(1, &said("<1>", 1)));
    for seqid in 102..140 {
        client.expect(&numbered(seqid, &said("<next>", seqid)));
    }
    let passed = upstream.received();
    let wanted: Vec<Vec<u8>> = std::iter::once(numbered(1, &say("<1>", 1)))
        .chain((102..140).map(|seqid| numbered(seqid, &say("<next>", seqid))))
        .collect();
    assert_eq!(passed, wanted);
}

#[test]
fn calls_that_wait_for_the_first_answer_are_answered_though_the_client_says_no_more() {
    for broken in [false, true] {
        let upstream = Upstream::start(|contracts, message, bytes| {
            std::thread::sleep(Duration::from_millis(50));
            echo(contracts, message, bytes)
        });
        let proxy = Running::start(upstream.address);
        let mut client = proxy.connect();
        client.send(&(1..6).flat_map(|seqid| numbered(seqid, &say("<a>", seqid))).collect::<Vec<u8>>());
        if broken {
            // Nothing follows that could be read.
            client.send(&[0xff; 100]);
        }
        client.0.shutdown(std::net::Shutdown::Write).unwrap();
        for seqid in 1..6 {
            client.expect(&numbered(seqid, &said("<a>", seqid)));
        }
        client.expect_end();
        assert_eq!(upstream.received().len(), 5);
    }
}

#[test]
fn a_refusal_does_not_wait_for_a_service_that_is_asked() {
    const BOTH: &str = r#"
        service One { string get(1: string text (vt.min_size = "1")) }
        service Two { string get(1: string text (vt.min_size = "1")) }
    "#;
    let call = |service: &str, text: &str, seqid: i32| {
        let name = format!("{service}:get");
        let form = MessageForm::Versioned;
        let call =
            message(Protocol::Binary, form, &name, MessageKind::Call, seqid, |body| body.argument(text));
        numbered(seqid, &call)
    };
    let answer = |seqid: i32| {
        let form = MessageForm::Versioned;
        numbered(seqid, &message(Protocol::Binary, form, "get", MessageKind::Reply, seqid, |_| {}))
    };
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let pins = Pins { transport: Some(Transport::TTHeader), protocol: Some(Protocol::Binary), names: None };
    let config = ProxyConfig { upstream: pins, ..ProxyConfig::default() };
    let proxy = Running::start_with(listener.local_addr().unwrap(), config, |_| {});
    BOTH.clone_into(&mut proxy.idl.lock().unwrap());
    proxy.shared.live.reload().unwrap();
    let mut client = proxy.connect();
    let good = [call("One", "a", 1), call("Two", "b", 2), call("One", "c", 3), call("Two", "d", 4)];
    client.send(&[good.concat(), call("Two", "", 5), call("One", "", 6)].concat());
    let (mut server, _) = listener.accept().unwrap();
    let mut received = vec![0; good[0].len()];
    server.read_exact(&mut received).unwrap();
    assert_eq!(received, good[0]);
    for seqid in 5..7_i32 {
        let refusal = client.frame();
        assert_eq!(refusal[8..12], seqid.to_be_bytes());
        assert!(String::from_utf8_lossy(&refusal).contains("(vt.min_size)"));
    }
    // The second service is asked by a call with which no other is on its way; the third call does not overtake it.
    server.set_read_timeout(Some(Duration::from_millis(100))).unwrap();
    assert!(server.read_exact(&mut [0]).is_err());
    server.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
    server.write_all(&answer(1)).unwrap();
    client.expect(&answer(1));
    let mut received = vec![0; good[1].len()];
    server.read_exact(&mut received).unwrap();
    assert_eq!(received, good[1]);
    server.write_all(&answer(2)).unwrap();
    let mut received = vec![0; good[2].len() + good[3].len()];
    server.read_exact(&mut received).unwrap();
    assert_eq!(received, good[2..].concat());
}

#[test]
fn calls_that_wait_go_over_another_connection_if_theirs_is_lost() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let proxy = Running::start(listener.local_addr().unwrap());
    let mut client = proxy.connect();
    client.send(&[numbered(1, &say("<1>", 1)), numbered(2, &say("<2>", 2))].concat());
    let read = |server: &mut TcpStream, seqid: i32| {
        let wanted = numbered(seqid, &say(&format!("<{seqid}>"), seqid));
        let mut received = vec![0; wanted.len()];
        server.read_exact(&mut received).unwrap();
        assert_eq!(received, wanted);
    };
    let (mut first, _) = listener.accept().unwrap();
    read(&mut first, 1);
    client.send(&numbered(3, &say("", 3)));
    client.expect(&refused(3));
    drop(first);
    let text = String::from_utf8_lossy(&client.frame()).into_owned();
    assert!(text.contains("the upstream"), "{text}");
    let (mut second, _) = listener.accept().unwrap();
    read(&mut second, 2);
    second.write_all(&numbered(2, &said("<2>", 2))).unwrap();
    client.expect(&numbered(2, &said("<2>", 2)));
}

#[test]
fn a_call_that_waits_is_held_against_the_rules_that_are_new() {
    let upstream = slow();
    let proxy = Running::start(upstream.address);
    let mut client = proxy.connect();
    client.send(
        &[numbered(1, &say("<1>", 1)), numbered(2, &say("<234567>", 2)), numbered(3, &say("<3>", 3))]
            .concat(),
    );
    eventually("the first is on its way", || upstream.received().len() == 1);
    // The others have been judged once this is answered.
    client.send(&numbered(4, &say("", 4)));
    client.expect(&refused(4));
    let shorter = proxy.idl.lock().unwrap().replace("\"20\"", "\"5\"");
    *proxy.idl.lock().unwrap() = shorter;
    proxy.shared.live.reload().unwrap();
    client.send(&numbered(5, &say("", 5)));
    let mut answers = BTreeSet::new();
    for _ in 0..2 {
        let answer = client.frame();
        answers.insert((answer[11], String::from_utf8_lossy(&answer).contains("(vt.max_size)")));
    }
    assert_eq!(answers, BTreeSet::from([(2, true), (5, false)]));
    assert_eq!(upstream.received().len(), 1);
}

#[test]
fn a_frame_of_another_kind_between_calls_changes_nothing_about_their_order() {
    let theader = |seqid: i32, message: &[u8]| {
        ReplyFrame { dialect: HeaderDialect::THeader, seqid, protocol_id: 0, framed: false }.write(message)
    };
    let pins = |transport| Pins {
        transport: Some(transport),
        protocol: Some(Protocol::Binary),
        names: Some(CallNames::Plain),
    };
    type Frame<'f> = &'f dyn Fn(i32, &[u8]) -> Vec<u8>;
    let cases: [(Transport, Frame<'_>, Frame<'_>); 2] =
        [(Transport::THeader, &theader, &numbered), (Transport::TTHeader, &numbered, &theader)];
    for (transport, own, other) in cases {
        for strange_first in [false, true] {
            let upstream = Upstream::echo();
            let config = ProxyConfig { upstream: pins(transport), ..ProxyConfig::default() };
            let proxy = Running::start_with(upstream.address, config, |_| {});
            let mut client = proxy.connect();
            // All of it is there before the proxy has reached the upstream.
            let mut sent = Vec::new();
            if strange_first {
                sent.extend(other(9, &say("<x>", 9)));
            }
            let mut good = Vec::new();
            for seqid in 1..6 {
                good.push(own(seqid, &say("<a>", seqid)));
                sent.extend_from_slice(&own(seqid, &say("<a>", seqid)));
                sent.extend(other(seqid + 10, &say("<x>", seqid + 10)));
                sent.extend(own(seqid + 20, &say("", seqid + 20)));
            }
            good.push(own(6, &say("<a>", 6)));
            sent.extend(own(6, &say("<a>", 6)));
            client.send(&sent);
            client.0.shutdown(std::net::Shutdown::Write).unwrap();
            let answers = client.rest();
            assert_eq!(answers.windows(3).filter(|it| *it == b"<a>").count(), 6);
            assert_eq!(upstream.received(), good);
        }
    }
}

/// Reads so many bytes, which are calls, and answers whether they are those that were sent.
fn drain(server: &mut TcpStream, mut wanted: &[u8]) {
    let mut chunk = vec![0; 1 << 16];
    while !wanted.is_empty() {
        let read = server.read(&mut chunk).unwrap();
        assert!(read > 0 && wanted.starts_with(&chunk[..read]), "another byte with {} left", wanted.len());
        wanted = &wanted[read..];
    }
}

#[test]
fn a_refusal_does_not_wait_for_bytes_that_the_upstream_does_not_take() {
    const SIZE: usize = 50_000;
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let pins = Pins { transport: Some(Transport::TTHeader), protocol: Some(Protocol::Binary), names: None };
    let config = ProxyConfig { upstream: pins, ..ProxyConfig::default() };
    let proxy = Running::start_with(listener.local_addr().unwrap(), config, |it| it.max_pending = usize::MAX);
    let wide = proxy.idl.lock().unwrap().replace("\"20\"", "\"100000\"");
    *proxy.idl.lock().unwrap() = wide;
    proxy.shared.live.reload().unwrap();
    let mut client = Client(TcpStream::connect(proxy.address).unwrap());
    let text = |seqid: i32| format!("<{seqid:0>width$}>", width = SIZE);
    let mut sent = Vec::new();
    let mut send = |client: &mut Client, seqid: i32| {
        let call = numbered(seqid, &say(&text(seqid), seqid));
        sent.extend_from_slice(&call);
        client.send(&[call, numbered(seqid, &say("", seqid))].concat());
    };
    send(&mut client, 1);
    let (mut server, _) = listener.accept().unwrap();
    client.expect(&refused(1));
    server.write_all(&numbered(1, &said("<1>", 1))).unwrap();
    client.expect(&numbered(1, &said("<1>", 1)));
    // Refusals come while the system, and then the proxy, keep what the upstream does not read; and then no more.
    client.0.set_read_timeout(Some(Duration::from_millis(500))).unwrap();
    let mut seqid = 1;
    loop {
        seqid += 1;
        send(&mut client, seqid);
        let mut refusal = vec![0; refused(seqid).len()];
        if client.0.read_exact(&mut refusal).is_err() {
            break;
        }
        assert_eq!(refusal, refused(seqid));
        assert!(seqid < 2000, "the proxy takes whatever comes");
    }
    client.0.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
    drain(&mut server, &sent);
    client.expect(&refused(seqid));
}
