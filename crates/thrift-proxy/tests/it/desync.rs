//! Attacks on which answer belongs to which call: numbers that are reused, swapped or missing, answers that nobody
//! asked for, and answers that are larger than a client takes.

use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpListener};
use std::time::Duration;

use crate::support::{
    Client, Reaction, Running, Upstream, echo, eventually, message, numbered, reply, said, say,
};
use thrift::proxy::{
    CallNames, Contracts, Pins, ProxyConfig, ReplyCheck, ReplyTo, Session, SplitMessage, Transport,
    http_answer,
};
use thrift::rules::Functions;
use thrift::wire::{ExceptionKind, MessageForm, MessageKind, Protocol, write_frame};

fn call_of(contracts: &Contracts, message: &SplitMessage, bytes: &[u8]) -> Option<ReplyTo> {
    contracts.call(&mut Session::default(), &message.enclosed, bytes, &Functions::default()).action.awaited()
}

fn replacing() -> ProxyConfig {
    ProxyConfig { replies: ReplyCheck::Replace, ..ProxyConfig::default() }
}

#[test]
fn numbers_that_are_reused_swapped_or_missing_change_nothing_about_what_passes() {
    let upstream = Upstream::echo();
    let proxy = Running::start(upstream.address);
    let mut client = proxy.connect();
    // The frame and the message have numbers of their own; both come back as they went.
    for (frame, inner) in [(7, 7), (7, 7), (1, 2), (2, 1), (0, 5), (5, 0), (-1, i32::MIN)] {
        client.send(&numbered(frame, &say("<a>", inner)));
        client.expect(&numbered(frame, &said("<a>", inner)));
    }
    // One number for several calls at a time, of which some break a rule: each of them is judged for itself.
    let good = numbered(9, &say("<b>", 9));
    let bad = numbered(9, &say("", 9));
    client.send(&[good.as_slice(), &bad, &good, &bad, &good].concat());
    let (mut passed, mut refused) = (0, 0);
    for _ in 0..5 {
        let answer = client.frame();
        if answer == numbered(9, &said("<b>", 9)) {
            passed += 1;
        } else {
            assert!(String::from_utf8_lossy(&answer).contains("(vt.min_size)"));
            refused += 1;
        }
    }
    assert_eq!((passed, refused), (3, 2));
    assert_eq!(upstream.received().len(), 7 + 3);
}

/// What the client gets for a call if the server sends these bytes.
fn answered_with(config: ProxyConfig, make: fn(&ReplyTo) -> Vec<u8>) -> Vec<u8> {
    let upstream =
        Upstream::start(move |contracts, message, bytes| match call_of(contracts, message, bytes) {
            Some(to) => Reaction::LastAnswer(make(&to)),
            None => Reaction::Silence,
        });
    let proxy = Running::start_with(upstream.address, config, |_| {});
    let mut client = proxy.connect();
    client.send(&numbered(3, &say("<a>", 3)));
    client.frame()
}

#[test]
fn a_reply_that_cannot_be_checked_is_replaced_where_bad_replies_are() {
    const LONG: &str = "<234567890123456789012345678901>";
    type Make = fn(&ReplyTo) -> Vec<u8>;
    // Each has a text that is too long, where a client could find it.
    let cases: [(&str, Make); 5] = [
        ("a call", |_| {
            let call =
                message(Protocol::Binary, MessageForm::Versioned, "say", MessageKind::Call, 3, |body| {
                    body.result(LONG);
                });
            numbered(3, &call)
        }),
        ("another function", |_| {
            let other =
                message(Protocol::Binary, MessageForm::Versioned, "note", MessageKind::Reply, 3, |body| {
                    body.result(LONG);
                });
            numbered(3, &other)
        }),
        ("a transform", |_| {
            let mut frame = numbered(3, &said(LONG, 3));
            // One transform, number 1, in the place of the padding.
            frame[15] = 1;
            frame[16] = 1;
            frame
        }),
        ("part of a stream", |_| {
            let mut frame = numbered(3, &said(LONG, 3));
            frame[7] = 2;
            frame
        }),
        ("no envelope", |_| numbered(3, b"\x80\x01\x00\x09nonsense")),
    ];
    for (name, make) in cases {
        let answer = answered_with(replacing(), make);
        assert!(!String::from_utf8_lossy(&answer).contains(LONG), "{name}");
        let text = String::from_utf8_lossy(&answer);
        assert!(text.contains("say: ") && text.contains("reply"), "{name}: {text}");
        // Whoever does not ask for checks gets what the server sends.
        let to = ReplyTo {
            function: b"say".as_slice().into(),
            seqid: 3,
            form: MessageForm::Versioned,
            protocol: Protocol::Binary,
            enclosure: thrift::proxy::Enclosure::None,
        };
        assert_eq!(answered_with(ProxyConfig::default(), make), make(&to), "{name}");
    }
    // An exception has no value that a rule is about.
    let exception: Make = |to| to.exception(ExceptionKind::InternalError, "no");
    assert!(String::from_utf8_lossy(&answered_with(replacing(), exception)).contains("no"));
}

#[test]
fn an_answer_that_nobody_asked_for_is_not_taken_for_the_next() {
    // Every call is answered twice, the second time with a text that no client may get.
    let twice = |contracts: &Contracts, message: &SplitMessage, bytes: &[u8]| match call_of(
        contracts, message, bytes,
    ) {
        Some(to) => Reaction::Answer([reply(&to, "<a>"), reply(&to, "<unasked>")].concat()),
        None => Reaction::Silence,
    };
    let upstream = Upstream::start(twice);
    let proxy = Running::start_with(upstream.address, replacing(), |_| {});
    let mut client = proxy.connect();
    for seqid in 1..4 {
        client.send(&write_frame(&say("<x>", seqid)));
        client.expect(&write_frame(&said("<a>", seqid)));
        // By then it has come, and was not passed on.
        eventually("the second answer is counted", || {
            proxy.shared.metrics.unexpected_replies.get() == seqid as u64
        });
    }
    // Over HTTP it is not passed on whatever is checked, and the connection to the server is given up.
    let proxy = Running::start(upstream.address);
    let mut client = proxy.connect();
    let body = say("<x>", 1);
    let request = format!("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: {}\r\n\r\n", body.len());
    for round in 1..4 {
        client.send(&[request.as_bytes(), &body].concat());
        client.expect(&http_answer(200, &said("<a>", 1), false));
        eventually("the second answer is counted", || proxy.shared.metrics.unexpected_replies.get() == round);
    }
}

#[test]
fn requests_do_not_hide_behind_lengths_that_two_readers_see_differently() {
    let upstream = Upstream::echo();
    let hidden = {
        let body = say("<hidden>", 1);
        let head = format!("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: {}\r\n\r\n", body.len());
        [head.as_bytes(), &body].concat()
    };
    let body = say("<a>", 1);
    let all = body.len() + hidden.len();
    let fields = [
        format!("Content-Length: {all}\r\nContent-Length: {}", body.len()),
        format!("Content-Length: {}\r\nTransfer-Encoding: chunked", body.len()),
        format!("Transfer-Encoding: chunked\r\nContent-Length: {}", body.len()),
        format!("Content-Length: {all}\r\nContent_Length: {}", body.len()),
        format!("Content-Length: {}\r\nTransfer_Encoding: chunked", body.len()),
        format!("Content-Length: {all}\r\nConnection: close, Content-Length"),
        "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked".to_owned(),
        "Transfer-Encoding: xchunked".to_owned(),
        "Transfer-Encoding:\u{b}chunked".to_owned(),
        format!("Content-Length: {}\r\n Transfer-Encoding: chunked", body.len()),
        format!("Content-Length: {}\rX: y", body.len()),
        format!("Content-Length: {}\nX: y", body.len()),
        format!("Content-Length: -{}", body.len()),
        format!("Content-Length: 0x{:x}", body.len()),
        format!("Content-Length: {}, {all}", body.len()),
        "X: y".to_owned(),
    ];
    for field in fields {
        let proxy = Running::start(upstream.address);
        let mut client = proxy.connect();
        let head = format!("POST / HTTP/1.1\r\nHost: h\r\n{field}\r\n\r\n");
        client.send(&[head.as_bytes(), &body, &hidden].concat());
        let answer = String::from_utf8_lossy(&client.rest()).into_owned();
        assert!(answer.starts_with("HTTP/1.1 4"), "{field:?}: {answer}");
        assert_eq!(upstream.received().len(), 0, "{field:?}");
    }
    // What the length says is the body, whatever is in it, and what is behind it is the next request.
    let proxy = Running::start(upstream.address);
    let mut client = proxy.connect();
    let head = format!("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: {all}\r\n\r\n");
    client.send(&[head.as_bytes(), &body, &hidden].concat());
    let start = client.0.read(&mut [0; 12]).unwrap();
    assert!(start > 0);
    assert_eq!(upstream.received().len(), 0);
}

#[test]
fn bodies_in_chunks_and_heads_have_bounds() {
    let upstream = Upstream::echo();
    let proxy = Running::start_with(upstream.address, ProxyConfig::default(), |it| it.max_message = 4096);
    let body = say("<a>", 1);
    let chunked = "POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n";
    // A byte in each chunk.
    let single: Vec<u8> =
        body.iter().flat_map(|byte| [b"1\r\n".as_slice(), &[*byte], b"\r\n"].concat()).collect();
    let mut client = proxy.connect();
    client.send(&[chunked.as_bytes(), &single, b"000\r\n\r\n"].concat());
    client.expect(&http_answer(200, &said("<a>", 1), false));
    let refused = |request: Vec<u8>, status: &str| {
        let mut client = proxy.connect();
        // The proxy may answer before it has read everything.
        let _ = client.0.write_all(&request);
        let answer = String::from_utf8_lossy(&client.rest()).into_owned();
        assert!(answer.starts_with(&format!("HTTP/1.1 {status} ")), "{answer}");
    };
    refused([chunked.as_bytes(), &b"1\r\nx\r\n".repeat(1000)].concat(), "413");
    refused(format!("{chunked}1001\r\n").into(), "413");
    refused("POST / HTTP/1.1\r\nContent-Length: 4097\r\n\r\n".into(), "413");
    for size in ["", " 1", "1 ", "+1", "-1", "0x1", "1;a", "00000000000000001", "1\n", "g"] {
        refused(format!("{chunked}{size}\r\nx\r\n0\r\n\r\n").into(), "400");
    }
    refused(format!("{chunked}0\r\nContent-Length: 3\r\n\r\n").into(), "415");
    let fields = |count: usize| "A: b\r\n".repeat(count);
    refused(format!("POST / HTTP/1.1\r\n{}Content-Length: 1\r\n\r\n", fields(100)).into(), "431");
    refused(format!("POST / HTTP/1.1\r\n{}: b\r\n\r\n", "n".repeat(129)).into(), "431");
    refused(format!("POST / HTTP/1.1\r\nA: {}", "b".repeat(16 * 1024)).into(), "431");
    let mut client = proxy.connect();
    let head = format!("POST / HTTP/1.1\r\n{}Content-Length: {}\r\n\r\n", fields(99), body.len());
    client.send(&[head.as_bytes(), &body].concat());
    client.expect(&http_answer(200, &said("<a>", 1), false));
    assert_eq!(upstream.received().len(), 2);
}

/// A client for whom the system keeps little: how much it would is up to the system.
fn narrow(address: SocketAddr) -> Client {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_io().build().unwrap();
    let stream = runtime.block_on(async {
        let socket = tokio::net::TcpSocket::new_v4().unwrap();
        socket.set_recv_buffer_size(64 * 1024).unwrap();
        socket.connect(address).await.unwrap().into_std().unwrap()
    });
    stream.set_nonblocking(false).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
    Client(stream)
}

#[test]
fn large_replies_wait_for_a_slow_client_in_the_server() {
    const CALLS: usize = 48;
    const SIZE: usize = 1 << 20;
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let large = |seqid| write_frame(&said(&"x".repeat(SIZE), seqid));
    std::thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        let len = write_frame(&say("<a>", 0)).len();
        for seqid in 0..CALLS {
            stream.read_exact(&mut vec![0; len]).unwrap();
            stream.write_all(&large(seqid as i32)).unwrap();
        }
    });
    let proxy = Running::start(address);
    let mut client = narrow(proxy.address);
    let calls: Vec<u8> = (0..CALLS).flat_map(|seqid| write_frame(&say("<a>", seqid as i32))).collect();
    client.send(&calls);
    // Until nothing moves any more.
    let taken = || proxy.shared.metrics.upstream_bytes.get() as usize;
    let mut before = usize::MAX;
    while before != taken() || before < SIZE {
        before = taken();
        std::thread::sleep(Duration::from_millis(500));
    }
    // What the system takes of the proxy, one reply and what may wait to be written.
    assert!(before < CALLS * SIZE / 2, "the proxy takes {before} bytes for a client that takes none");
    for seqid in 0..CALLS {
        assert_eq!(client.frame(), large(seqid as i32));
    }
}

#[test]
fn a_refused_reply_is_replaced_in_its_turn_behind_those_that_a_slow_client_has_not_taken() {
    const CALLS: i32 = 60_000;
    const LONG: &str = "<234567890123456789012345678901>";
    let is_bad = |seqid: i32| seqid % 7 == 3;
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    std::thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        let len = write_frame(&say("<a>", 0)).len();
        let mut calls = vec![0; len * 1000];
        for first in (0..CALLS).step_by(1000) {
            // The first call is alone until it is answered.
            if first == 0 {
                stream.read_exact(&mut calls[..len]).unwrap();
                stream.write_all(&write_frame(&said("<a>", 0))).unwrap();
                stream.read_exact(&mut calls[len..]).unwrap();
            } else {
                stream.read_exact(&mut calls).unwrap();
            }
            let replies = (first.max(1)..first + 1000)
                .flat_map(|seqid| write_frame(&said(if is_bad(seqid) { LONG } else { "<a>" }, seqid)));
            stream.write_all(&replies.collect::<Vec<u8>>()).unwrap();
        }
    });
    let proxy = Running::start_with(address, replacing(), |it| it.max_pending = 2000);
    let mut client = narrow(proxy.address);
    let mut calls = client.0.try_clone().unwrap();
    std::thread::spawn(move || {
        for seqid in 0..CALLS {
            calls.write_all(&write_frame(&say("<a>", seqid))).unwrap();
        }
    });
    // Until the client holds up everything.
    std::thread::sleep(Duration::from_millis(700));
    for seqid in 0..CALLS {
        let answer = client.frame();
        if is_bad(seqid) {
            let text = String::from_utf8_lossy(&answer);
            assert!(text.contains("(vt.max_size)"), "{seqid}: {text}");
        } else {
            assert_eq!(answer, write_frame(&said("<a>", seqid)), "{seqid}");
        }
    }
}

#[test]
fn a_reply_beyond_the_bound_is_an_exception_and_its_rest_is_not_read() {
    let upstream = Upstream::start(|contracts, message, bytes| match call_of(contracts, message, bytes) {
        Some(to) if to.seqid == 2 => Reaction::Answer(reply(&to, &"x".repeat(8192))),
        _ => echo(contracts, message, bytes),
    });
    let proxy = Running::start_with(upstream.address, ProxyConfig::default(), |it| it.max_message = 4096);
    let mut client = proxy.connect();
    for seqid in 1..4 {
        client.send(&write_frame(&say("<a>", seqid)));
        let answer = client.frame();
        if seqid == 2 {
            assert!(
                answer.len() < 200 && String::from_utf8_lossy(&answer).contains("the reply cannot be read")
            );
        } else {
            assert_eq!(answer, write_frame(&said("<a>", seqid)));
        }
    }
}

#[test]
fn an_answer_is_not_held_against_the_contract_of_another_service() {
    const LONG: &str = "<234567890123456789012345678901>";
    const IDL: &str = r#"
        struct Open { 1: string text }
        struct Closed { 1: string text (vt.max_size = "30") }
        service Free { Open get(1: string text) }
        service Strict { Closed get(1: string text) }
    "#;
    let call = |service: &str, seqid: i32| {
        let name = format!("{service}:get");
        message(Protocol::Binary, MessageForm::Versioned, &name, MessageKind::Call, seqid, |it| {
            it.argument("x")
        })
    };
    let answer = |seqid: i32, text: &str| {
        message(Protocol::Binary, MessageForm::Versioned, "get", MessageKind::Reply, seqid, |it| {
            it.result(text)
        })
    };
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let pins = Pins { transport: Some(Transport::TTHeader), protocol: Some(Protocol::Binary), names: None };
    let config = ProxyConfig { upstream: pins, ..replacing() };
    let proxy = Running::start_with(address, config, |_| {});
    IDL.clone_into(&mut proxy.idl.lock().unwrap());
    proxy.shared.live.reload().unwrap();
    // The numbers are the same; or those of frames and messages are swapped, for servers that answer with the other one.
    for numbers in [[(1, 5), (2, 5)], [(1, 2), (2, 1)], [(3, 3), (4, 4)]] {
        let mut client = proxy.connect();
        let calls: Vec<Vec<u8>> = ["Free", "Strict"]
            .into_iter()
            .zip(numbers)
            .map(|(service, (frame, inner))| numbered(frame, &call(service, inner)))
            .collect();
        client.send(&calls.concat());
        let (mut server, _) = listener.accept().unwrap();
        let mut first = vec![0; calls[0].len()];
        server.read_exact(&mut first).unwrap();
        assert_eq!(first, calls[0]);
        // A server that handles both at a time would answer the second one first. It does not see it yet.
        server.set_read_timeout(Some(Duration::from_millis(100))).unwrap();
        let mut second = vec![0; calls[1].len()];
        assert!(server.read_exact(&mut second).is_err());
        let (frame, inner) = numbers[0];
        let free = numbered(frame, &answer(inner, LONG));
        server.write_all(&free).unwrap();
        client.expect(&free);
        server.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
        server.read_exact(&mut second).unwrap();
        assert_eq!(second, calls[1]);
        let (frame, _) = numbers[1];
        server.write_all(&numbered(frame, &answer(numbers[0].1, LONG))).unwrap();
        let text = String::from_utf8_lossy(&client.frame()).into_owned();
        assert!(text.contains("(vt.max_size)"), "{text}");
    }
}

#[test]
fn contracts_that_change_count_for_a_call_that_waits() {
    const BOTH: &str = r#"
        service Free { string get(1: string text) }
        service Strict { string get(1: string text (vt.max_size = "9")) }
    "#;
    let call = |service: &str| {
        let name = format!("{service}:get");
        numbered(
            1,
            &message(Protocol::Binary, MessageForm::Versioned, &name, MessageKind::Call, 1, |it| {
                it.argument("<45678>");
            }),
        )
    };
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let pins = Pins { transport: Some(Transport::TTHeader), protocol: Some(Protocol::Binary), names: None };
    let config = ProxyConfig { upstream: pins, ..replacing() };
    let proxy = Running::start_with(listener.local_addr().unwrap(), config, |_| {});
    BOTH.clone_into(&mut proxy.idl.lock().unwrap());
    proxy.shared.live.reload().unwrap();
    let mut client = proxy.connect();
    client.send(&[call("Free"), call("Strict")].concat());
    let (mut server, _) = listener.accept().unwrap();
    server.read_exact(&mut vec![0; call("Free").len()]).unwrap();
    std::thread::sleep(Duration::from_millis(50));
    *proxy.idl.lock().unwrap() = BOTH.replace("\"9\"", "\"3\"");
    proxy.shared.live.reload().unwrap();
    let reply = message(Protocol::Binary, MessageForm::Versioned, "get", MessageKind::Reply, 1, |_| {});
    server.write_all(&numbered(1, &reply)).unwrap();
    // The refusal does not wait for the answer.
    let answers = [client.frame(), client.frame()];
    assert!(answers.contains(&numbered(1, &reply)), "{answers:?}");
    let texts = answers.map(|it| String::from_utf8_lossy(&it).into_owned());
    assert!(texts.iter().any(|it| it.contains("at most 3 bytes")), "{texts:?}");
    server.set_read_timeout(Some(Duration::from_millis(100))).unwrap();
    assert!(server.read_exact(&mut [0]).is_err(), "a call that was refused has passed");
}

#[test]
fn refusals_that_wait_for_their_turn_are_bounded_in_bytes() {
    // The first call is not answered, so that refusals wait behind it.
    let upstream = Upstream::start(|_, _, _| Reaction::Silence);
    let pins = Pins {
        transport: Some(Transport::Framed),
        protocol: Some(Protocol::Binary),
        names: Some(CallNames::Plain),
    };
    let config = ProxyConfig { upstream: pins, ..ProxyConfig::default() };
    let proxy = Running::start_with(upstream.address, config, |it| it.max_pending = usize::MAX);
    let mut client = proxy.connect();
    client.send(&write_frame(&say("<a>", 1)));
    let bad = write_frame(&say("", 2)).repeat(1000);
    client.0.set_write_timeout(Some(Duration::from_millis(500))).unwrap();
    while client.0.write_all(&bad).is_ok() {
        assert!(proxy.shared.metrics.client_bytes.get() < 1 << 20, "the proxy takes whatever comes");
    }
    eventually("some are taken", || proxy.shared.metrics.client_bytes.get() > 50_000);
}
