//! A stream is cut into the same messages however its bytes arrive.

use crate::service::echo;
use crate::support::hex;
use proptest::prelude::*;
use thrift::proxy::{Enclosure, HttpProblem, Split, SplitError, SplitMessage, Splitter};
use thrift::wire::{
    Detected, Framing, HeaderDialect, Limits, MessageForm, MessageKind, Protocol, ReplyFrame, WireErrorKind,
    write_frame,
};

const MAX: u32 = 1 << 20;

/// Every kind of connection, with three messages on each.
fn streams() -> Vec<(&'static str, Vec<u8>)> {
    use MessageForm::{Old, Versioned};
    let three = |one: &dyn Fn(i32) -> Vec<u8>| [one(1), one(-5), one(99)].concat();
    let header = |dialect, protocol_id| ReplyFrame { dialect, seqid: 9, protocol_id, framed: false };
    let post = |body: Vec<u8>| {
        let head = format!("POST /t HTTP/1.1\r\nHost: a\r\ncontent-length: {}\r\n\r\n", body.len());
        [head.into_bytes(), body].concat()
    };
    let chunked = |body: Vec<u8>| {
        let mut out = b"POST /t HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n".to_vec();
        for chunk in body.chunks(17) {
            out.extend(format!("{:x}\r\n", chunk.len()).into_bytes());
            out.extend_from_slice(chunk);
            out.extend_from_slice(b"\r\n");
        }
        out.extend_from_slice(b"0\r\n\r\n");
        out
    };
    vec![
        ("binary", three(&|n| echo(Protocol::Binary, Versioned, n))),
        ("old binary", three(&|n| echo(Protocol::Binary, Old, n))),
        ("compact", three(&|n| echo(Protocol::Compact, Versioned, n))),
        ("json", three(&|n| echo(Protocol::Json, Versioned, n))),
        ("framed binary", three(&|n| write_frame(&echo(Protocol::Binary, Versioned, n)))),
        ("framed old binary", three(&|n| write_frame(&echo(Protocol::Binary, Old, n)))),
        ("framed compact", three(&|n| write_frame(&echo(Protocol::Compact, Versioned, n)))),
        ("framed json", three(&|n| write_frame(&echo(Protocol::Json, Versioned, n)))),
        (
            "theader",
            three(&|n| header(HeaderDialect::THeader, 2).write(&echo(Protocol::Compact, Versioned, n))),
        ),
        (
            "ttheader",
            three(&|n| header(HeaderDialect::TTHeader, 0).write(&echo(Protocol::Binary, Versioned, n))),
        ),
        (
            "ttheader, framed",
            three(&|n| {
                let frame = ReplyFrame { framed: true, ..header(HeaderDialect::TTHeader, 0) };
                frame.write(&echo(Protocol::Binary, Versioned, n))
            }),
        ),
        ("http", three(&|n| post(echo(Protocol::Binary, Versioned, n)))),
        ("http chunked", three(&|n| chunked(echo(Protocol::Json, Versioned, n)))),
    ]
}

/// Feeds pieces as a connection does, and returns the messages with their bytes.
fn feed<'b>(
    splitter: &mut Splitter,
    pieces: impl Iterator<Item = &'b [u8]>,
) -> (Vec<(SplitMessage, Vec<u8>)>, Option<SplitError>) {
    let mut held: Vec<u8> = Vec::new();
    let mut messages = Vec::new();
    for piece in pieces {
        held.extend_from_slice(piece);
        loop {
            match splitter.next(&held) {
                Split::Message(message) => {
                    let rest = held.split_off(message.len);
                    messages.push((message, std::mem::replace(&mut held, rest)));
                }
                Split::More(total) => {
                    assert!(total > held.len(), "asks for bytes it has");
                    break;
                }
                Split::Continue => {}
                Split::Broken(broken) => return (messages, Some(broken)),
            }
        }
    }
    (messages, None)
}

fn cut(stream: &[u8], limits: Limits) -> (Vec<(SplitMessage, Vec<u8>)>, Option<SplitError>) {
    feed(&mut Splitter::new(limits, MAX), std::iter::once(stream))
}

#[test]
fn every_kind_of_connection_is_cut_into_its_messages() {
    for (name, stream) in streams() {
        let (messages, broken) = cut(&stream, Limits::default());
        assert_eq!((messages.len(), broken), (3, None), "{name}");
        let bytes: Vec<u8> = messages.iter().flat_map(|(_, bytes)| bytes.clone()).collect();
        assert_eq!(bytes, stream, "{name}: no byte is lost or changed");
        let payload = messages[1].0.enclosed.payload(&messages[1].1);
        let expected = [MessageForm::Versioned, MessageForm::Old]
            .into_iter()
            .flat_map(|form| [Protocol::Binary, Protocol::Compact, Protocol::Json].map(|p| echo(p, form, -5)))
            .any(|message| message == payload);
        assert!(expected, "{name}: the payload is the message");
    }
}

#[test]
fn two_pieces_cut_anywhere_give_the_same_messages() {
    for (name, stream) in streams() {
        let whole = cut(&stream, Limits::default());
        for at in 0..=stream.len() {
            let (left, right) = stream.split_at(at);
            let pieces = feed(&mut Splitter::new(Limits::default(), MAX), [left, right].into_iter());
            assert_eq!(pieces, whole, "{name} at {at}");
        }
        let bytes = feed(&mut Splitter::new(Limits::default(), MAX), stream.chunks(1));
        assert_eq!(bytes, whole, "{name}, a byte at a time");
    }
}

proptest! {
    #[test]
    fn any_pieces_of_any_bytes_give_the_same_messages(
        which in 0..12_usize,
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..4),
        cuts in prop::collection::vec(any::<prop::sample::Index>(), 0..8),
    ) {
        let (_, mut stream) = streams().swap_remove(which);
        for (at, byte) in changes {
            let at = at.index(stream.len());
            stream[at] = byte;
        }
        let mut cuts: Vec<usize> = cuts.iter().map(|cut| cut.index(stream.len())).collect();
        cuts.extend([0, stream.len()]);
        cuts.sort_unstable();
        let pieces = cuts.windows(2).map(|pair| &stream[pair[0]..pair[1]]);
        let (messages, broken) = feed(&mut Splitter::new(Limits::default(), MAX), pieces);
        let (expected, also) = cut(&stream, Limits::default());
        prop_assert_eq!(messages, expected);
        prop_assert_eq!(broken.is_some(), also.is_some());
    }
}

#[test]
fn a_client_that_sends_a_byte_at_a_time_costs_no_more_than_its_bytes() {
    let mut splitter = Splitter::new(Limits::default(), 1 << 24);
    let items = vec![1; 200_000];
    let stream =
        crate::service::message(Protocol::Compact, MessageForm::Versioned, "echo", MessageKind::Call, |f| {
            f.structure(1, &|f| f.ints(3, &items));
        });
    // Starting anew with each byte would take hours.
    for end in 1..stream.len() {
        assert!(matches!(splitter.next(&stream[..end]), Split::More(_)));
    }
    assert!(matches!(splitter.next(&stream), Split::Message(message) if message.len == stream.len()));
}

#[test]
fn replies_are_cut_as_calls_are() {
    let limits = Limits::default();
    for (detected, stream) in [
        (
            Detected::Plain(Framing::None, Protocol::Compact),
            echo(Protocol::Compact, MessageForm::Versioned, 1),
        ),
        (Detected::Http, b"HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nabc".to_vec()),
        (Detected::Http, b"HTTP/1.1 100 Continue\r\n\r\n".to_vec()),
        (Detected::Http, b"HTTP/1.1 204 No Content\r\n\r\n".to_vec()),
    ] {
        let (messages, broken) = feed(&mut Splitter::replies(detected, limits, MAX), stream.chunks(1));
        assert_eq!((messages.len(), broken), (1, None), "{detected:?}");
    }
    let mut splitter = Splitter::replies(Detected::Http, limits, MAX);
    let stream = b"HTTP/1.0 200 OK\r\n\r\nabc";
    assert!(matches!(splitter.next(stream), Split::More(_)));
    let Split::Message(message) = splitter.last(stream) else {
        panic!("a response may end with its connection")
    };
    assert_eq!(message.enclosed.payload(stream), b"abc");
    assert_eq!(message.enclosed.enclosure, Enclosure::Http { close: true });
}

#[test]
fn bytes_that_lie_end_the_stream() {
    let wire = |stream: &str, expected: WireErrorKind| match cut(
        &hex(stream),
        Limits { depth: 3, ..Limits::default() },
    ) {
        (messages, Some(SplitError::Wire(error))) => {
            assert_eq!((messages.len(), error.kind), (0, expected), "{stream}")
        }
        other => panic!("{stream}: {other:?}"),
    };
    let too_long = |length| WireErrorKind::TooLong { length, limit: MAX.into() };
    wire("3fffffff 80010001", too_long(0x3fff_ffff));
    wire("80010001 00000001 61 00000001 0f0001 08 7fffffff 0001", too_long(8_589_934_609));
    wire("80010001 00000001 61 00000001 0f0001 08 ffffffff", WireErrorKind::NegativeLength(-1));
    wire("80010001 00000001 61 00000001 0c0001 0c0001 0c0001", WireErrorKind::TooDeep);
    wire("80010001 00000001 61 00000001 63", WireErrorKind::BadType(0x63));
    assert_eq!(cut(b"GET / HTTP/1.1\r\n", Limits::default()).1, Some(SplitError::Unknown));
    assert_eq!(cut(&hex("00000023 ffaf 0000 00000009"), Limits::default()).1, Some(SplitError::MeshHeader));
    // zlib.
    assert_eq!(
        cut(&hex("0000000e 0fff 0000 00000009 0001 00 01 01 00"), Limits::default()).1,
        Some(SplitError::Unreadable)
    );
}

#[test]
fn http_that_two_readers_could_read_differently_is_refused() {
    use HttpProblem::{Encoding, Length, LongBody, Malformed, Method, Version};
    for (head, problem) in [
        ("POST / HTTP/1.1\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n", Length),
        ("POST / HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 1\r\n\r\n", Length),
        ("POST / HTTP/1.1\r\nContent-Length: +1\r\n\r\n", Length),
        ("POST / HTTP/1.1\r\nContent-Length: 1, 1\r\n\r\n", Length),
        ("POST / HTTP/1.1\r\nTransfer-Encoding: gzip, chunked\r\n\r\n", Length),
        ("POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n", Length),
        ("POST / HTTP/1.1\r\nHost: a\r\n\r\n", Length),
        ("POST / HTTP/1.1\r\nContent-Length: 99999999\r\n\r\n", LongBody),
        ("POST / HTTP/1.1\r\nContent-Length : 1\r\n\r\n", Malformed),
        ("POST / HTTP/1.1\r\nA: b\r\n c\r\n\r\n", Malformed),
        ("POST / HTTP/1.1\nContent-Length: 1\r\n\r\n", Malformed),
        ("POST  HTTP/1.1\r\n\r\n", Malformed),
        ("POST / HTTP/2.0\r\n\r\n", Version),
        ("POST / HTTP/1.1\r\nUpgrade: h2c\r\n\r\n", Encoding),
        ("POST / HTTP/1.1\r\nContent-Encoding: gzip\r\nContent-Length: 1\r\n\r\n", Encoding),
        ("POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n1;a=b\r\nx\r\n0\r\n\r\n", Malformed),
        ("POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nxyz", Malformed),
        ("POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\nA: b\r\n\r\n", Encoding),
        ("POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nfffffffff\r\n", LongBody),
        ("POST / HTTP/1.1\r\nContent-Length: 1\r\n\r\nxGET / HTTP/1.1\r\n\r\n", Method),
    ] {
        assert_eq!(cut(head.as_bytes(), Limits::default()).1, Some(SplitError::Http(problem)), "{head:?}");
    }
    let long = format!("POST / HTTP/1.1\r\nA: {}", "a".repeat(20_000));
    assert_eq!(cut(long.as_bytes(), Limits::default()).1, Some(SplitError::Http(HttpProblem::LongHead)));
}

#[test]
fn a_client_that_waits_for_a_sign_gets_one() {
    let head = b"POST / HTTP/1.1\r\nExpect: 100-continue\r\nContent-Length: 3\r\n\r\n";
    let mut splitter = Splitter::new(Limits::default(), MAX);
    assert_eq!(splitter.next(head), Split::Continue);
    assert_eq!(splitter.next(head), Split::More(head.len() + 3));
    assert!(matches!(splitter.next(&[head.as_slice(), b"abc"].concat()), Split::Message(_)));
}
