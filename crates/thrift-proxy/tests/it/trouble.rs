//! What goes wrong: upstreams that fail, clients that are slow or hostile, and stopping in between.

use std::io::{ErrorKind, Read as _, Write as _};
use std::net::TcpListener;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use crate::support::{Reaction, Running, Upstream, echo, eventually, exception, said, say};
use thrift::proxy::{CallNames, Pins, ProxyConfig, Transport};
use thrift::wire::{ExceptionKind, Protocol};

fn internal(seqid: i32, text: &str) -> Vec<u8> {
    exception(seqid, ExceptionKind::InternalError, text)
}

#[test]
fn calls_that_the_upstream_does_not_answer_any_more_are_answered_and_the_next_one_connects_again() {
    // Dies with the call `<die>`.
    let upstream = Upstream::start(|contracts, message, bytes| {
        if bytes.windows(5).any(|text| text == b"<die>") {
            return Reaction::Hang;
        }
        echo(contracts, message, bytes)
    });
    let proxy = Running::start(upstream.address);
    let mut client = proxy.connect();
    client.send(&[say("<a>", 1), say("<die>", 2), say("<b>", 3), say("", 4)].concat());
    client.expect(&said("<a>", 1));
    // In which words the upstream was lost depends on what was noticed first.
    for seqid in [2, 3] {
        let answer = client.exception();
        assert_eq!((answer.0, answer.1), (seqid, 6), "{}", answer.2);
        assert!(answer.2.starts_with("the upstream "), "{}", answer.2);
    }
    client.expect(&exception(4, ExceptionKind::ValidationFailed, crate::support::EMPTY));
    client.send(&say("<again>", 5));
    client.expect(&said("<again>", 5));
    assert_eq!(upstream.connections.load(Ordering::Relaxed), 2);
    assert!(proxy.metrics().contains("outcome=\"failed\"} 2\n"));
}

#[test]
fn an_upstream_that_is_not_there_is_an_answer_and_not_a_closed_connection() {
    let nobody = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let proxy = Running::start(nobody);
    let mut client = proxy.connect();
    for seqid in 0..2 {
        client.send(&say("<a>", seqid));
        let (number, kind, text) = client.exception();
        assert_eq!((number, kind), (seqid, 6));
        assert!(text.starts_with("cannot reach the upstream: "), "{text}");
    }
    assert_eq!(proxy.shared.metrics.upstream_errors.get(), 2);
}

#[test]
fn an_upstream_that_is_silent_is_given_up() {
    let upstream = Upstream::start(|contracts, message, bytes| {
        if bytes.windows(6).any(|text| text == b"<wait>") {
            return Reaction::Silence;
        }
        echo(contracts, message, bytes)
    });
    let proxy = Running::start_with(upstream.address, ProxyConfig::default(), |settings| {
        settings.timeouts.reply = Duration::from_millis(100);
    });
    let mut client = proxy.connect();
    client.send(&[say("<wait>", 1), say("", 2)].concat());
    client.expect(&internal(1, "the upstream did not answer in time"));
    client.expect(&exception(2, ExceptionKind::ValidationFailed, crate::support::EMPTY));
    client.send(&say("<a>", 3));
    client.expect(&said("<a>", 3));
}

#[test]
fn an_upstream_that_closes_an_idle_connection_is_not_an_error() {
    let upstream = Upstream::start(|contracts, message, bytes| match echo(contracts, message, bytes) {
        Reaction::Answer(answer) => Reaction::LastAnswer(answer),
        other => other,
    });
    let proxy = Running::start(upstream.address);
    let mut client = proxy.connect();
    for seqid in 1..5 {
        client.send(&say("<a>", seqid));
        client.expect(&said("<a>", seqid));
        // The end of the upstream's connection is on its way.
        std::thread::sleep(Duration::from_millis(50));
    }
    assert_eq!(proxy.shared.metrics.upstream_errors.get(), 0);
    assert_eq!(upstream.connections.load(Ordering::Relaxed), 4);
}

#[test]
fn hostile_bytes_end_their_own_connection_and_no_other() {
    let upstream = Upstream::echo();
    let proxy = Running::start(upstream.address);
    let mut good = proxy.connect();
    good.send(&say("<a>", 1));
    good.expect(&said("<a>", 1));
    let deep = [say("<x>", 1).get(..11).unwrap(), &[0x0c, 0, 1].repeat(100)].concat();
    let garbage: Vec<Vec<u8>> = vec![
        b"GET / HTTP/1.1\r\n\r\n".to_vec(),
        vec![0xff; 5000],
        vec![0; 5000],
        b"\x7f\xff\xff\xff\x80\x01".to_vec(),
        b"\x00\x00\x00\x04\x80\x01\x00\x01".to_vec(),
        b"\x80\x01\x00\x01\xff\xff\xff\xff".to_vec(),
        b"[1,\"say\",1,1,}}}".to_vec(),
        b"\x00\x00\x00\x23\xff\xaf\x00\x00\x00\x00\x00\x09".to_vec(),
        deep,
    ];
    for bytes in &garbage {
        let mut bad = proxy.connect();
        bad.send(bytes);
        bad.rest();
        good.send(&say("<b>", 2));
        good.expect(&said("<b>", 2));
    }
    assert_eq!(proxy.shared.metrics.broken_connections.get(), garbage.len() as u64);
    assert_eq!(upstream.received().len(), 1 + garbage.len());
    // Where the envelope can be read, the answer says what is wrong, and nothing after it is read.
    let mut bad = proxy.connect();
    let mut bytes = say("<x>", 9);
    *bytes.get_mut(15).unwrap() = 0x63;
    bad.send(&[say("<a>", 8), bytes, say("<never>", 10)].concat());
    bad.expect(&said("<a>", 8));
    bad.expect(&exception(9, ExceptionKind::ProtocolError, "99 is not a type at offset 15"));
    bad.expect_end();
}

#[test]
fn a_client_that_takes_too_long_is_cut_off() {
    let upstream = Upstream::echo();
    let proxy = Running::start_with(upstream.address, ProxyConfig::default(), |settings| {
        settings.timeouts.read = Duration::from_millis(100);
        settings.timeouts.idle = Duration::from_millis(300);
    });
    let mut drips = proxy.connect();
    let call = say("<a>", 1);
    let start = Instant::now();
    // A byte now and then does not help.
    for byte in call.iter().take(call.len() - 1) {
        if drips.0.write_all(&[*byte]).is_err() {
            break;
        }
        std::thread::sleep(Duration::from_millis(20));
        if start.elapsed() > Duration::from_secs(5) {
            break;
        }
    }
    drips.expect_end();
    let mut idle = proxy.connect();
    idle.expect_end();
    assert_eq!(proxy.shared.metrics.timed_out_connections.get(), 2);
}

#[test]
fn more_clients_than_allowed_are_turned_away() {
    let upstream = Upstream::echo();
    let proxy = Running::start_with(upstream.address, ProxyConfig::default(), |settings| {
        settings.max_connections = 2;
    });
    let mut first = proxy.connect();
    let second = proxy.connect();
    first.send(&say("<a>", 1));
    first.expect(&said("<a>", 1));
    eventually("both are in", || proxy.shared.metrics.open_connections.get() == 2);
    proxy.connect().expect_end();
    assert_eq!(proxy.shared.metrics.refused_connections.get(), 1);
    drop(second);
    eventually("one has left", || proxy.shared.metrics.open_connections.get() == 1);
    let mut third = proxy.connect();
    third.send(&say("<a>", 1));
    third.expect(&said("<a>", 1));
}

#[test]
fn nothing_is_hoarded_for_a_side_that_does_not_read() {
    // The upstream never reads: calls must not pile up in the proxy.
    let deaf = TcpListener::bind("127.0.0.1:0").unwrap();
    let proxy = Running::start(deaf.local_addr().unwrap());
    let mut client = proxy.connect();
    client.0.set_write_timeout(Some(Duration::from_millis(300))).unwrap();
    let call = say("<a>", 1);
    let calls = call.repeat(1000);
    let mut sent = 0;
    let full = loop {
        match client.0.write(&calls) {
            Ok(written) => sent += written,
            Err(error) => break error,
        }
        assert!(sent < 50 << 20, "the proxy takes whatever it is given");
    };
    assert!(matches!(full.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut));
    // The client never reads: answers of our own must not pile up either.
    let mut client = proxy.connect();
    client.0.set_write_timeout(Some(Duration::from_millis(300))).unwrap();
    let calls = say("", 1).repeat(1000);
    let mut sent = 0;
    while let Ok(written) = client.0.write(&calls) {
        sent += written;
        assert!(sent < 50 << 20, "the proxy answers into the void");
    }
}

#[test]
fn a_client_has_no_more_calls_on_their_way_than_may_be() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let pins = Pins {
        transport: Some(Transport::Buffered),
        protocol: Some(Protocol::Binary),
        names: Some(CallNames::Plain),
    };
    let config = ProxyConfig { upstream: pins, ..ProxyConfig::default() };
    let proxy = Running::start_with(listener.local_addr().unwrap(), config, |it| it.max_pending = 3);
    let mut client = proxy.connect();
    client.send(&(1..=5).flat_map(|seqid| say("<a>", seqid)).collect::<Vec<u8>>());
    let (mut server, _) = listener.accept().unwrap();
    let mut calls = vec![0; 3 * say("<a>", 1).len()];
    server.read_exact(&mut calls).unwrap();
    server.set_read_timeout(Some(Duration::from_millis(150))).unwrap();
    assert!(server.read(&mut [0; 1]).is_err(), "a fourth call is sent before any is answered");
    server.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
    server.write_all(&said("<a>", 1)).unwrap();
    let mut fourth = vec![0; say("<a>", 4).len()];
    server.read_exact(&mut fourth).unwrap();
    assert_eq!(fourth, say("<a>", 4));
    client.expect(&said("<a>", 1));
}

#[test]
fn stopping_finishes_the_calls_that_are_going_on() {
    let upstream = Upstream::start(|contracts, message, bytes| {
        std::thread::sleep(Duration::from_millis(200));
        echo(contracts, message, bytes)
    });
    let mut proxy = Running::start(upstream.address);
    let mut idle = proxy.connect();
    let mut client = proxy.connect();
    client.send(&say("<a>", 1));
    eventually("the call is on its way", || upstream.connections.load(Ordering::Relaxed) == 1);
    proxy.stop();
    idle.expect_end();
    client.expect(&said("<a>", 1));
    client.expect_end();
    proxy.join();
    assert!(std::net::TcpStream::connect(proxy.address).is_err(), "nobody listens any more");
}

#[test]
fn a_proxy_that_nobody_can_stop_goes_on() {
    let upstream = Upstream::echo();
    let mut proxy = Running::start(upstream.address);
    proxy.abandon();
    std::thread::sleep(Duration::from_millis(50));
    let mut client = proxy.connect();
    client.send(&say("<a>", 1));
    client.expect(&said("<a>", 1));
}

#[test]
fn stopping_does_not_wait_longer_than_the_grace_period() {
    let upstream = Upstream::start(|_, _, _| Reaction::Silence);
    let mut proxy = Running::start_with(upstream.address, ProxyConfig::default(), |settings| {
        settings.timeouts.grace = Duration::from_millis(200);
    });
    let mut client = proxy.connect();
    client.send(&say("<a>", 1));
    eventually("the call is on its way", || upstream.connections.load(Ordering::Relaxed) == 1);
    let start = Instant::now();
    proxy.stop();
    proxy.join();
    assert!(start.elapsed() < Duration::from_secs(5));
    client.expect_end();
}
