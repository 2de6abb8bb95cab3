//! What a proxy needs: telling connections apart, headers, and the answer to a refused call.

use std::borrow::Cow;

use crate::support::hex;
use thrift::wire::{
    Detected, Detection, ExceptionKind, Framing, HeaderDialect, HeaderFrame, Info, MessageForm,
    MessageHeader, MessageKind, Protocol, WireErrorKind, detect, exception_reply, frame_len, write_frame,
};

fn call(name: &'static str, form: MessageForm) -> MessageHeader<'static> {
    MessageHeader { name: Cow::Borrowed(name.as_bytes()), kind: MessageKind::Call, seqid: 7, form }
}

/// The bytes that clients of Apache Thrift and thriftpy2 raise the exception from.
#[test]
fn a_refused_call_is_answered_in_its_own_protocol() {
    let answer = |protocol, form, name| {
        exception_reply(protocol, &call(name, form), ExceptionKind::ValidationFailed, "bad")
    };
    let body = "0b 0001 00000003 626164 08 0002 0000000b 00";
    for name in ["echo", "Service:echo"] {
        assert_eq!(
            answer(Protocol::Binary, MessageForm::Versioned, name),
            hex(&format!("80010003 00000004 6563686f 00000007 {body}"))
        );
        assert_eq!(
            answer(Protocol::Binary, MessageForm::Old, name),
            hex(&format!("00000004 6563686f 03 00000007 {body}"))
        );
        assert_eq!(
            answer(Protocol::Compact, MessageForm::Versioned, name),
            hex("82 61 07 04 6563686f 18 03 626164 15 16 00")
        );
        assert_eq!(
            answer(Protocol::Json, MessageForm::Versioned, name),
            br#"[1,"echo",3,7,{"1":{"str":"bad"},"2":{"i32":11}}]"#
        );
    }
}

const CONNECTIONS: &[(&str, Detected)] = &[
    ("80010001 00000004 6563686f", Detected::Plain(Framing::None, Protocol::Binary)),
    ("00000032 80010001 00000004", Detected::Plain(Framing::Framed, Protocol::Binary)),
    ("00000004 6563686f 01 00000007", Detected::Plain(Framing::None, Protocol::Binary)),
    ("00000020 00000004 6563686f 01", Detected::Plain(Framing::Framed, Protocol::Binary)),
    ("8221 07 04 6563686f", Detected::Plain(Framing::None, Protocol::Compact)),
    ("00000012 8221 07 04 6563686f", Detected::Plain(Framing::Framed, Protocol::Compact)),
    ("5b312c226563686f22", Detected::Plain(Framing::None, Protocol::Json)),
    ("00000031 5b312c2265", Detected::Plain(Framing::Framed, Protocol::Json)),
    ("00000023 0fff 0000 00000009", Detected::THeader),
    ("00000023 1000 0000 00000009", Detected::TTHeader),
    ("3fffffff 1000 0000 00000009", Detected::TTHeader),
    ("00000023 ffaf 0000 00000009", Detected::MeshHeader),
    ("504f5354 202f20485454502f312e31", Detected::Http),
];

#[test]
fn connections_are_told_apart() {
    for (bytes, expected) in CONNECTIONS {
        assert_eq!(detect(&hex(bytes)), Detection::Found(*expected), "{bytes}");
    }
    for bytes in
        ["47455420 2f", "16030100 c8010000", "80020001 00", "ffffffff 00", "00000005 00000004 65", "8200"]
    {
        assert_eq!(detect(&hex(bytes)), Detection::Unknown, "{bytes}");
    }
}

#[test]
fn a_connection_that_starts_slowly_is_told_apart_all_the_same() {
    for (bytes, expected) in CONNECTIONS {
        let bytes = hex(bytes);
        let mut decided = false;
        for end in 0..=bytes.len() {
            match detect(&bytes[..end]) {
                Detection::NeedMore(total) => {
                    assert!(!decided && total > end && total <= 8, "{bytes:x?} {end}")
                }
                found => {
                    decided = true;
                    assert_eq!(found, Detection::Found(*expected), "{bytes:x?} {end}");
                }
            }
        }
    }
}

#[test]
fn frames_have_a_length_that_is_not_believed_blindly() {
    assert_eq!(frame_len(&hex("00000005"), 100), Ok(9));
    assert_eq!(write_frame(b"abc"), hex("00000003 616263"));
    for (bytes, kind) in [
        ("000000", WireErrorKind::Truncated { needed: 1 }),
        ("ffffffff", WireErrorKind::NegativeLength(-1)),
        ("00000065", WireErrorKind::TooLong { length: 101, limit: 100 }),
    ] {
        assert_eq!(frame_len(&hex(bytes), 100).unwrap_err().kind, kind);
    }
}

/// Written by Apache Thrift's Python library, with the header `k: v`.
const THEADER: &str =
    "00000023 0fff 0000 00000009 0002 00 00 01 01 016b 0176 80010001000000046563686f0000000700";
/// Laid out as kitex does: a text pair, a numbered value, a token, padding.
const TTHEADER: &str = "00000038 1000 0002 0000000a 0007 00 00 01 0001 0001 6b 0001 76 10 0001 0003 0002 6d65 11 0003 746f6b 00 00 \
    80010001000000046563686f0000000700 0000";

#[test]
fn header_frames_come_apart_in_place() {
    let bytes = hex(THEADER);
    let frame = HeaderFrame::parse(&bytes, 1000).unwrap();
    assert_eq!(
        (frame.dialect, frame.seqid, frame.protocol()),
        (HeaderDialect::THeader, 9, Some(Protocol::Binary))
    );
    assert_eq!(frame.payload, hex("80010001000000046563686f0000000700"));
    assert_eq!(frame.infos().collect::<Vec<_>>(), [Ok(Info::Pair(b"k", b"v"))]);
    assert_eq!(frame.len, bytes.len());

    let bytes = hex(TTHEADER);
    let frame = HeaderFrame::parse(&bytes, 1000).unwrap();
    assert_eq!((frame.dialect, frame.flags, frame.seqid), (HeaderDialect::TTHeader, 2, 10));
    let infos: Vec<Info<'_>> = frame.infos().map(Result::unwrap).collect();
    assert_eq!(infos, [Info::Pair(b"k", b"v"), Info::Numbered(3, b"me"), Info::Token(b"tok")]);
    assert!(frame.payload.starts_with(&hex("80010001")));
}

#[test]
fn a_reply_repeats_kind_number_and_protocol() {
    for bytes in [THEADER, TTHEADER] {
        let bytes = hex(bytes);
        let call = HeaderFrame::parse(&bytes, 1000).unwrap();
        let reply = call.reply(b"payload");
        let parsed = HeaderFrame::parse(&reply, 1000).unwrap();
        assert_eq!(parsed.len, reply.len());
        assert_eq!(
            (parsed.dialect, parsed.seqid, parsed.protocol_id),
            (call.dialect, call.seqid, call.protocol_id)
        );
        assert_eq!(parsed.payload, b"payload");
        assert_eq!(parsed.infos().count(), 0);
    }
}

#[test]
fn header_frames_that_lie_are_refused() {
    for (bytes, kind) in [
        ("00000009 1000 0002 0000000a 00", WireErrorKind::BadFrame),
        ("0000000a 1000 0002 0000000a 0007", WireErrorKind::BadFrame),
        ("0000000a 1000 0002 0000000a 0000", WireErrorKind::BadFrame),
        ("0000000e 1000 0002 0000000a 0001 00 ff 00 00", WireErrorKind::BadFrame),
        ("0000000e 2000 0002 0000000a 0001 00 00 00 00", WireErrorKind::BadVersion(0x2000)),
    ] {
        assert_eq!(HeaderFrame::parse(&hex(bytes), 1000).unwrap_err().kind, kind, "{bytes}");
    }
    let bytes = hex("00000012 1000 0000 0000000a 0002 00 00 01 0009 0001 6b");
    let infos: Vec<_> = HeaderFrame::parse(&bytes, 1000).unwrap().infos().collect();
    assert!(matches!(infos.as_slice(), [Err(error)] if error.kind == WireErrorKind::BadFrame));
    let whole = hex(THEADER);
    for end in 0..whole.len() {
        assert!(HeaderFrame::parse(&whole[..end], 1000).unwrap_err().is_truncated());
    }
}
