//! What a proxy does with a call: forward it, answer it, drop it, or end the connection.

use crate::service::{echo, message};
use thrift::model::{Config, LoadConfig, MemoryLoader, Model, load, resolve};
use thrift::proxy::{
    CallAction, Cause, Contracts, Decision, Enclosure, Lookup, OldEnvelope, ProxyConfig, ReplyAction,
    ReplyCheck, Session, Split, Splitter, Streams, UnknownMethod, UnknownService,
};
use thrift::rules::Functions;
use thrift::validate::{Duplicates, UnknownFields, ValidateConfig, Want, WrongType};
use thrift::wire::{
    Detected, ExceptionKind, HeaderDialect, HeaderFrame, Limits, MessageForm, MessageKind, Protocol,
    ReplyFrame, exception_reply, write_frame,
};

use MessageForm::{Old, Versioned};
use MessageKind::{Call, Oneway};

const IDL: &str = r#"
    struct Request {
        1: required string name (vt.min_size = "1", vt.max_size = "20")
        2: i32 count (vt.ge = "0", vt.lt = "100")
        3: optional list<i32> items (vt.elem.gt = "0")
        4: optional string secret (vt.prefix = "ok-", vt.redact = "true")
    }
    struct Answer { 1: string text (vt.max_size = "30") }
    service Base { void ping() }
    service Echo extends Base {
        Answer echo(1: Request request (vt.not_nil = "true"))
        i32 add(1: i32 a (vt.ge = "0"), 2: i32 b)
        oneway void note(1: string text (vt.min_size = "1"))
    }
    service Other extends Base { i32 add(1: i64 a) }
"#;

/// Whether a message is forwarded, and awaits an answer.
fn forwarded(action: &CallAction) -> Option<bool> {
    match action {
        CallAction::Forward(awaited) => Some(awaited.get().is_some()),
        CallAction::Answer(_) | CallAction::Drop(_) | CallAction::Close => None,
    }
}

fn model() -> Model {
    let mut loader = MemoryLoader::default().file("service.thrift", IDL);
    let (program, found) = load("service.thrift", &mut loader, &LoadConfig::default()).unwrap();
    assert_eq!(found, []);
    let (model, found) = resolve(&program, &Config::default());
    assert_eq!(found, []);
    model
}

fn contracts(config: ProxyConfig) -> Contracts {
    let (contracts, found) = Contracts::new(&model(), config);
    assert_eq!(found, []);
    contracts.unwrap()
}

fn decide(contracts: &Contracts, stream: &[u8]) -> Decision {
    let mut splitter = Splitter::new(Limits::default(), 1 << 20);
    match splitter.next(stream) {
        Split::Message(it) => {
            let mut session = Session::default();
            contracts.call(&mut session, &it.enclosed, &stream[..it.len], &Functions::default())
        }
        Split::Broken(broken) => contracts.broken(splitter.detected(), stream, broken),
        other => panic!("{other:?}"),
    }
}

fn default() -> Contracts {
    contracts(ProxyConfig { old_envelope: OldEnvelope::Allow, ..ProxyConfig::default() })
}

/// Contracts that let unknown functions pass.
fn passing() -> Contracts {
    contracts(ProxyConfig { unknown_method: UnknownMethod::Pass, ..ProxyConfig::default() })
}

/// The answer that a call gets, in words.
fn answer(contracts: &Contracts, stream: &[u8]) -> (Vec<u8>, String) {
    let Decision { action: CallAction::Answer(bytes), refusal: Some(refusal), .. } =
        decide(contracts, stream)
    else {
        panic!("{:?}", decide(contracts, stream));
    };
    (bytes, refusal.message)
}

fn header<'a>(name: &'a str, form: MessageForm) -> thrift::wire::MessageHeader<'a> {
    thrift::wire::MessageHeader { name: name.as_bytes().into(), kind: Call, seqid: 7, form }
}

#[test]
fn a_call_that_keeps_its_contract_is_forwarded_and_its_answer_awaited() {
    for (protocol, form) in [
        (Protocol::Binary, Versioned),
        (Protocol::Binary, Old),
        (Protocol::Compact, Versioned),
        (Protocol::Json, Versioned),
    ] {
        let Some(to) = decide(&default(), &echo(protocol, form, 5)).action.awaited() else {
            panic!("{protocol:?}")
        };
        assert_eq!((&*to.function, to.seqid, to.form, to.protocol), (b"echo".as_slice(), 7, form, protocol));
    }
}

#[test]
fn a_call_that_breaks_a_rule_is_answered_in_its_own_form() {
    let message = "echo: request.count: must be at least 0, found -1 (vt.ge)";
    for (protocol, form) in [
        (Protocol::Binary, Versioned),
        (Protocol::Binary, Old),
        (Protocol::Compact, Versioned),
        (Protocol::Json, Versioned),
    ] {
        let expected =
            exception_reply(protocol, &header("echo", form), ExceptionKind::ValidationFailed, message);
        let (bytes, said) = answer(&default(), &echo(protocol, form, -1));
        assert_eq!(said, message);
        assert_eq!(bytes, expected);
        let (bytes, _) = answer(&default(), &write_frame(&echo(protocol, form, -1)));
        assert_eq!(bytes, write_frame(&expected));
    }
}

#[test]
fn a_header_frame_is_answered_with_its_own_number_and_protocol() {
    for (dialect, protocol_id, protocol, framed) in [
        (HeaderDialect::TTHeader, 0, Protocol::Binary, false),
        (HeaderDialect::TTHeader, 0, Protocol::Binary, true),
        (HeaderDialect::TTHeader, 2, Protocol::Compact, true),
        (HeaderDialect::THeader, 2, Protocol::Compact, false),
    ] {
        let frame = ReplyFrame { dialect, seqid: 1234, protocol_id, framed };
        let (bytes, said) = answer(&default(), &frame.write(&echo(protocol, Versioned, 100)));
        let parsed = HeaderFrame::parse(&bytes, 1000).unwrap();
        assert_eq!(parsed.reply_frame(), frame);
        let expected =
            exception_reply(protocol, &header("echo", Versioned), ExceptionKind::ValidationFailed, &said);
        assert_eq!(parsed.payload, expected);
    }
}

#[test]
fn an_http_request_is_answered_with_a_response() {
    let post = |body: &[u8]| {
        let head = format!("POST / HTTP/1.1\r\nContent-Length: {}\r\n\r\n", body.len());
        [head.as_bytes(), body].concat()
    };
    let (bytes, said) = answer(&default(), &post(&echo(Protocol::Json, Versioned, -1)));
    let body =
        exception_reply(Protocol::Json, &header("echo", Versioned), ExceptionKind::ValidationFailed, &said);
    let head = format!(
        "HTTP/1.1 200 OK\r\nContent-Type: application/x-thrift\r\nContent-Length: {}\r\n\r\n",
        body.len()
    );
    assert_eq!(bytes, [head.as_bytes(), &body].concat());

    let note = message(Protocol::Binary, Versioned, "note", Oneway, |f| f.text(1, ""));
    let CallAction::Drop(Some(bytes)) = decide(&default(), &post(&note)).action else {
        panic!("it breaks a rule")
    };
    assert!(bytes.starts_with(b"HTTP/1.1 200 OK"), "a request is answered, even if the call in it is not");
    let (bytes, _) = answer(&default(), &post(b"hello"));
    assert!(bytes.starts_with(b"HTTP/1.1 400 "));
    let (bytes, _) = answer(&default(), b"POST / HTTP/1.1\r\n\r\n");
    assert!(bytes.starts_with(b"HTTP/1.1 411 "));
}

#[test]
fn a_oneway_call_that_breaks_a_rule_is_dropped_however_it_is_sent() {
    for kind in [Oneway, Call] {
        let bad = message(Protocol::Binary, Versioned, "note", kind, |f| f.text(1, ""));
        let decision = decide(&default(), &bad);
        assert_eq!(decision.action, CallAction::Drop(None));
        assert_eq!(decision.refusal.unwrap().rule.as_ref(), "vt.min_size");
        let good = message(Protocol::Binary, Versioned, "note", kind, |f| f.text(1, "x"));
        assert_eq!(forwarded(&decide(&default(), &good).action), Some(false));
    }
}

/// Servers differ in whether they answer it, and one closes the connection while its handler still runs.
#[test]
fn a_function_that_is_answered_is_not_called_oneway() {
    let sent = |kind| message(Protocol::Binary, Versioned, "Echo:add", kind, |f| f.int(1, 1));
    assert!(matches!(forwarded(&decide(&default(), &sent(Call)).action), Some(true)));
    let decision = decide(&default(), &sent(Oneway));
    assert_eq!(decision.action, CallAction::Drop(None));
    assert_eq!(decision.refusal.unwrap().rule.as_ref(), "message_type");
}

#[test]
fn services_that_share_a_connection_are_told_apart() {
    let call =
        |name: &'static str, a: i32| message(Protocol::Binary, Versioned, name, Call, move |f| f.int(1, a));
    let (bytes, _) = answer(&default(), &call("Echo:add", -1));
    assert_eq!(
        &bytes[..12],
        b"\x80\x01\x00\x03\x00\x00\x00\x03add\x00",
        "the service is not part of the answer's name"
    );
    // The other service takes another type.
    let (_, said) = answer(&default(), &call("Other:add", -1));
    assert_eq!(said, "add: a: the value must be i64, found i32 (type)");
    let (_, said) = answer(&default(), &call("add", -1));
    assert_eq!(said, "`add` is a function of several services; say which, `Service:add`");
    let validate = ValidateConfig { wrong_type: WrongType::Absent, ..ValidateConfig::default() };
    let one =
        contracts(ProxyConfig { service: Some("Other".to_owned()), validate, ..ProxyConfig::default() });
    assert!(matches!(forwarded(&decide(&one, &call("add", -1)).action), Some(true)));
    // Inherited by both from one base.
    assert!(matches!(default().table().find(None, b"ping"), Lookup::Found(_)));
    assert!(matches!(default().table().find(Some(b"Other"), b"ping"), Lookup::Found(_)));
}

#[test]
fn services_of_included_files_count_only_as_bases() {
    let base = "service Base { void ping() } service Aside { void pong() }";
    let main = "include \"base.thrift\" service Main extends base.Base { void own() }";
    let mut loader = MemoryLoader::default().file("base.thrift", base).file("main.thrift", main);
    let (program, _) = load("main.thrift", &mut loader, &LoadConfig::default()).unwrap();
    let (model, _) = resolve(&program, &Config::default());
    let (contracts, _) = Contracts::new(&model, ProxyConfig::default());
    let contracts = contracts.unwrap();
    let table = contracts.table();
    assert_eq!(table.services(), 1);
    for (service, function, is_there) in [
        (None, "own", true),
        (None, "ping", true),
        (Some("Main"), "ping", true),
        (Some("Base"), "ping", false),
        (None, "pong", false),
        (Some("Aside"), "pong", false),
    ] {
        let found = table.find(service.map(str::as_bytes), function.as_bytes());
        assert_eq!(matches!(found, Lookup::Found(_)), is_there, "{service:?} {function}");
    }
}

#[test]
fn an_unknown_function_is_forwarded_or_refused_as_the_policy_says() {
    let call = message(Protocol::Compact, Versioned, "other", Call, |f| f.int(1, 1));
    assert!(matches!(forwarded(&decide(&passing(), &call).action), Some(true)));
    let (bytes, said) = answer(&default(), &call);
    assert_eq!(said, "unknown function `other`");
    let expected =
        exception_reply(Protocol::Compact, &header("other", Versioned), ExceptionKind::UnknownMethod, &said);
    assert_eq!(bytes, expected);
}

#[test]
fn the_kind_of_the_exception_is_a_choice() {
    for kind in [ExceptionKind::ProtocolError, ExceptionKind::InternalError] {
        let contracts = contracts(ProxyConfig { exception: kind, ..ProxyConfig::default() });
        let (bytes, said) = answer(&contracts, &echo(Protocol::Binary, Versioned, -1));
        assert_eq!(bytes, exception_reply(Protocol::Binary, &header("echo", Versioned), kind, &said));
    }
}

#[test]
fn a_known_field_of_another_type_is_absent_or_an_error_as_the_policy_says() {
    let call = message(Protocol::Binary, Versioned, "echo", Call, |f| {
        f.structure(1, &|f| {
            f.text(1, "bob");
            f.text(2, "-1");
        });
    });
    let (bytes, said) = answer(&default(), &call);
    assert_eq!(said, "echo: request.count: the value must be i32, found string (type)");
    let kind = ExceptionKind::ValidationFailed;
    assert_eq!(bytes, exception_reply(Protocol::Binary, &header("echo", Versioned), kind, &said));
    assert_eq!(decide(&default(), &call).refusal.unwrap().cause, Cause::Contract);
    let validate = ValidateConfig { wrong_type: WrongType::Absent, ..ValidateConfig::default() };
    let lenient = contracts(ProxyConfig { validate, ..ProxyConfig::default() });
    assert!(matches!(forwarded(&decide(&lenient, &call).action), Some(true)));
}

#[test]
fn a_field_that_comes_twice_is_refused_unless_told() {
    let call = message(Protocol::Binary, Versioned, "echo", Call, |f| {
        f.structure(1, &|f| {
            f.text(1, "bob");
            f.int(2, 1);
            f.int(2, 2);
        });
    });
    let (_, said) = answer(&default(), &call);
    assert_eq!(said, "echo: request.count: the field is there twice (duplicate)");
    let validate = ValidateConfig { duplicates: Duplicates::Last, ..ValidateConfig::default() };
    let lenient = contracts(ProxyConfig { validate, ..ProxyConfig::default() });
    assert!(matches!(forwarded(&decide(&lenient, &call).action), Some(true)));
}

#[test]
fn a_call_of_a_service_that_nobody_knows_is_refused_unless_told() {
    for name in ["Nobody:add", "Echo:other", ":add", "Echo:", "Echo:add:add"] {
        let call = message(Protocol::Binary, Versioned, name, Call, |f| f.int(1, 1));
        let decision = decide(&default(), &call);
        let refusal = decision.refusal.unwrap();
        assert_eq!((refusal.cause, &*refusal.rule), (Cause::UnknownMethod, "unknown_service"), "{name}");
        assert_eq!(refusal.message, format!("no service has `{name}`"));
        assert!(matches!(decision.action, CallAction::Answer(_)));
        let pass = contracts(ProxyConfig { unknown_service: UnknownService::Pass, ..ProxyConfig::default() });
        let decision = decide(&pass, &call);
        assert!(matches!(forwarded(&decision.action), Some(true)), "{name}");
        assert_eq!(decision.unchecked.as_deref(), Some(name), "it is to be logged");
    }
}

#[test]
fn unknown_fields_change_nothing() {
    let call = |protocol, count| {
        message(protocol, Versioned, "echo", Call, move |f| {
            f.ints(90, &[-1]);
            f.structure(1, &|f| {
                f.text(1, "bob");
                f.text(30, "");
                f.int(2, count);
            });
        })
    };
    let pass = ValidateConfig { unknown_fields: UnknownFields::Pass, ..ValidateConfig::default() };
    let pass = contracts(ProxyConfig { validate: pass, ..ProxyConfig::default() });
    for protocol in [Protocol::Binary, Protocol::Compact, Protocol::Json] {
        assert!(matches!(decide(&pass, &call(protocol, 1)).action, CallAction::Forward(_)));
        assert!(matches!(decide(&pass, &call(protocol, -1)).action, CallAction::Answer(_)));
    }
    assert!(matches!(decide(&default(), &call(Protocol::Binary, 1)).action, CallAction::Forward(_)));
    assert!(matches!(decide(&default(), &call(Protocol::Json, 1)).action, CallAction::Forward(_)));
    // One reader of the compact protocol does not find the field behind an unknown one.
    let (_, said) = answer(&default(), &call(Protocol::Compact, 1));
    assert_eq!(said, "echo: $: there is no field 90 (unknown_field)");
}

#[test]
fn a_required_field_that_is_not_there_is_named() {
    let call = message(Protocol::Binary, Versioned, "echo", Call, |f| f.structure(1, &|f| f.int(2, 1)));
    let refusal = decide(&default(), &call).refusal.unwrap();
    assert_eq!((refusal.rule.as_ref(), refusal.path.as_deref()), ("required", Some("request.name")));
}

#[test]
fn a_secret_is_not_repeated() {
    let call = message(Protocol::Binary, Versioned, "echo", Call, |f| {
        f.structure(1, &|f| {
            f.text(1, "bob");
            f.text(4, "hunter2");
        });
    });
    let (bytes, said) = answer(&default(), &call);
    assert!(!said.contains("hunter2") && said.contains("request.secret"), "{said}");
    assert!(!bytes.windows(7).any(|window| window == b"hunter2"));
}

#[test]
fn a_second_message_behind_the_first_in_a_frame_is_not_smuggled() {
    let two = [echo(Protocol::Binary, Versioned, 1), echo(Protocol::Binary, Versioned, -1)].concat();
    let decision = decide(&default(), &write_frame(&two));
    assert!(matches!(decision.action, CallAction::Answer(_)));
    assert_eq!(decision.refusal.unwrap().cause, Cause::Protocol);
}

#[test]
fn bytes_that_are_no_message_are_answered_if_the_envelope_can_be_read() {
    let mut bad = echo(Protocol::Binary, Versioned, 1);
    bad[16] = 0x63;
    for stream in [bad.clone(), write_frame(&bad)] {
        let decision = decide(&default(), &stream);
        assert!(matches!(decision.action, CallAction::Answer(_)), "{decision:?}");
        assert_eq!(decision.refusal.unwrap().cause, Cause::Protocol);
    }
    for stream in [write_frame(b"\x80\x01\x00\x09nonsense"), b"GET / HTTP/1.1\r\n\r\n".to_vec()] {
        assert_eq!(decide(&default(), &stream).action, CallAction::Close);
    }
    let reply = message(Protocol::Binary, Versioned, "echo", MessageKind::Reply, |_| {});
    assert_eq!(decide(&default(), &reply).refusal.unwrap().cause, Cause::NoCall);
}

#[test]
fn replies_are_let_through_reported_or_replaced() {
    let call = echo(Protocol::Binary, Versioned, 1);
    let reply = |length: usize| {
        let text = "x".repeat(length);
        message(Protocol::Binary, Versioned, "echo", MessageKind::Reply, move |f| {
            f.structure(0, &|f| f.text(1, &text));
        })
    };
    for (check, length, reported, replaced) in [
        (ReplyCheck::Off, 31, false, false),
        (ReplyCheck::Log, 30, false, false),
        (ReplyCheck::Log, 31, true, false),
        (ReplyCheck::Replace, 30, false, false),
        (ReplyCheck::Replace, 31, true, true),
    ] {
        let contracts = contracts(ProxyConfig { replies: check, ..ProxyConfig::default() });
        let decision = decide(&contracts, &call);
        let Some(to) = decision.action.awaited() else { panic!("it keeps its contract") };
        let bytes = reply(length);
        let mut splitter = Splitter::replies(
            Detected::Plain(thrift::wire::Framing::None, Protocol::Binary),
            Limits::default(),
            1 << 20,
        );
        let Split::Message(it) = splitter.next(&bytes) else { panic!("it is whole") };
        assert!(to.is_answered_by(&contracts.reply_envelope(&it.enclosed, &bytes).unwrap()));
        let decision = contracts.reply(&to, decision.method, &it.enclosed, &bytes, &Functions::default());
        assert_eq!(decision.refusal.is_some(), reported, "{check:?} {length}");
        let is_replaced = matches!(decision.action, ReplyAction::Replace(_));
        assert_eq!(is_replaced, replaced, "{check:?} {length}");
        assert_eq!(!is_replaced, matches!(decision.action, ReplyAction::Forward(_)), "{check:?} {length}");
    }
    assert_eq!(Enclosure::None.wrap(vec![1]), [1]);
}

/// A TTHeader frame with infos: text by text, and text by number.
fn ttheader(pairs: &[(&str, &str)], numbered: &[(u16, &str)], flags: u16, payload: &[u8]) -> Vec<u8> {
    let text = |text: &str| [&(text.len() as u16).to_be_bytes(), text.as_bytes()].concat();
    let mut header = vec![if flags == 0 { 0 } else { 0x10 }, 0];
    header.push(1);
    header.extend((pairs.len() as u16).to_be_bytes());
    for (key, value) in pairs {
        header.extend([text(key), text(value)].concat());
    }
    header.push(0x10);
    header.extend((numbered.len() as u16).to_be_bytes());
    for (key, value) in numbered {
        header.extend([key.to_be_bytes().to_vec(), text(value)].concat());
    }
    raw_ttheader(header, flags, payload)
}

/// A TTHeader frame with a header as it comes, padded.
fn raw_ttheader(mut header: Vec<u8>, flags: u16, payload: &[u8]) -> Vec<u8> {
    header.resize(header.len().next_multiple_of(4), 0);
    let mut rest = [0x1000_u16.to_be_bytes(), flags.to_be_bytes()].concat();
    rest.extend(77_i32.to_be_bytes());
    rest.extend(((header.len() / 4) as u16).to_be_bytes());
    rest.extend(header);
    rest.extend(payload);
    write_frame(&rest)
}

fn add(name: &str, a: i32) -> Vec<u8> {
    message(Protocol::Binary, Versioned, name, Call, |f| f.int(1, a))
}

#[test]
fn the_service_in_a_header_selects_the_function() {
    let contracts = contracts(ProxyConfig::default());
    let of = |service: &str, name: &str, a| ttheader(&[("isn", service)], &[], 0, &add(name, a));
    assert!(matches!(forwarded(&decide(&contracts, &of("Echo", "add", 5)).action), Some(true)));
    assert_eq!(answer(&contracts, &of("Echo", "add", -5)).1, "add: a: must be at least 0, found -5 (vt.ge)");
    // With an i64 in the other service, an i32 is another type.
    assert!(answer(&contracts, &of("Other", "add", 5)).1.ends_with("(type)"));
    assert_eq!(answer(&contracts, &of("None", "add", 5)).1, "no service has `None:add`");
    assert_eq!(
        answer(&contracts, &of("", "add", 5)).1,
        "`add` is a function of several services; say which, `Service:add`"
    );
    assert_eq!(
        answer(&contracts, &of("Echo", "Echo:add", 5)).1,
        "both the header and the name say which service has `Echo:add`"
    );
    let twice = ttheader(&[("isn", "Echo"), ("isn", "Other")], &[], 0, &add("add", 5));
    assert_eq!(decide(&contracts, &twice).action, CallAction::Close);
}

/// The pair `isn`, as it stands in a header.
fn isn(service: &[u8]) -> Vec<u8> {
    [b"\0\x03isn", &(service.len() as u16).to_be_bytes()[..], service].concat()
}

#[test]
fn a_header_that_readers_could_take_apart_differently_ends_the_connection() {
    let contracts = contracts(ProxyConfig::default());
    let echo = isn(b"Echo");
    // The header without the protocol and the transforms, and what is odd about it.
    let odd: Vec<(&str, Vec<u8>)> = vec![
        ("a pair is missing", [&[0, 0, 1, 0, 2], &echo[..]].concat()),
        ("all pairs are missing", vec![0, 0, 1, 0xff, 0xff]),
        ("a pair is left over", [&[0, 0, 1, 0, 1], &echo[..], &echo[..]].concat()),
        (
            "the service comes twice, in two sections",
            [&[0, 0, 1, 0, 1], &echo[..], &[1, 0, 1], &echo[..]].concat(),
        ),
        (
            "a value runs into the payload",
            vec![0, 0, 1, 0, 1, 0, 3, b'i', b's', b'n', 0, 200, b'E', b'c', b'h', b'o'],
        ),
        ("a key runs into the payload", vec![0, 0, 1, 0, 1, 1, 0, b'i', b's', b'n']),
        ("a section that nobody knows", [&[0, 0, 2, 0, 1], &echo[..]].concat()),
        ("a numbered info without its value", vec![0, 0, 0x10, 0, 1, 0, 9]),
        ("a token that runs into the payload", vec![0, 0, 0x11, 0xff, 0xff]),
        ("more infos than a header has", [vec![0, 0, 1, 1, 1], [0, 0, 0, 0].repeat(257)].concat()),
        ("a transform", [&[0, 1, 1, 1, 0, 1], &echo[..]].concat()),
        ("a transform that is a section", [&[0, 1, 1, 0, 1], &echo[..]].concat()),
        ("transforms that take the service away", [&[0, 14, 1, 0, 1], &echo[..]].concat()),
        ("more transforms than there are", vec![0, 255, 0, 0]),
        ("a protocol that nobody knows", [&[1, 0, 1, 0, 1], &echo[..]].concat()),
        ("the last protocol", [&[255, 0, 1, 0, 1], &echo[..]].concat()),
        ("no header at all", Vec::new()),
    ];
    for (what, header) in odd {
        let decision = decide(&contracts, &raw_ttheader(header, 0, &add("add", 5)));
        assert_eq!(decision.action, CallAction::Close, "{what}");
    }
    // A header that is longer than its frame.
    let mut long = raw_ttheader([&[0, 0, 1, 0, 1], &echo[..]].concat(), 0, &add("add", 5));
    long[12..14].copy_from_slice(&1000_u16.to_be_bytes());
    assert_eq!(decide(&contracts, &long).action, CallAction::Close);
}

#[test]
fn the_infos_of_a_frame_of_apache_have_a_bound() {
    let contracts = contracts(ProxyConfig::default());
    let frame = |infos: &[u8]| {
        let header = [&[0, 0], infos].concat();
        let mut frame = raw_ttheader(header, 0, &echo(Protocol::Binary, Versioned, 1));
        frame[4..6].copy_from_slice(&[0x0f, 0xff]);
        frame
    };
    let pair = [1, b'k', 1, b'v'];
    for (what, infos) in [
        ("none", Vec::new()),
        ("some", [&[1, 2], &pair[..], &pair].concat()),
        ("as many as there may be", [&[1, 0x80, 2], &pair.repeat(256)[..]].concat()),
        ("those of a connection", [&[2, 1], &pair[..], &[1, 1], &pair].concat()),
        ("some that nobody knows", vec![9, 0xff, 0xff, 0xff]),
        // They say nothing about the function.
        ("another service", vec![1, 1, 3, b'i', b's', b'n', 4, b'N', b'o', b'n', b'e']),
    ] {
        let decision = decide(&contracts, &frame(&infos));
        assert!(matches!(forwarded(&decision.action), Some(true)), "{what}: {decision:?}");
    }
    for (what, infos) in [
        ("more than there may be", [&[1, 0x81, 2], &pair.repeat(257)[..]].concat()),
        ("more than there are", [&[1, 3], &pair[..]].concat()),
        ("a text that runs into the payload", vec![1, 1, 0x7f, b'k']),
        ("a number without an end", vec![1, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff]),
    ] {
        assert_eq!(decide(&contracts, &frame(&infos)).action, CallAction::Close, "{what}");
    }
}

#[test]
fn the_service_counts_wherever_it_stands_in_a_header() {
    let contracts = contracts(ProxyConfig::default());
    let echo = isn(b"Echo");
    let token = [0x11, 0, 2, b'h', b'i'];
    let other = [0, 1, b'x', 0, 5, 0, 3, b'i', b's', b'n'];
    for (what, header) in [
        ("behind padding", [&[0, 0, 0, 0, 0, 1, 0, 1], &echo[..]].concat()),
        ("behind a token", [&[0, 0], &token[..], &[1, 0, 1], &echo[..]].concat()),
        ("behind empty sections", [&[0, 0, 1, 0, 0, 0x10, 0, 0, 1, 0, 1], &echo[..]].concat()),
        ("behind a value that looks like it", [&[0, 0, 1, 0, 2], &other[..], &echo[..]].concat()),
        ("before a numbered info", [&[0, 0, 1, 0, 1], &echo[..], &[0x10, 0, 1, 0, 9, 0, 0]].concat()),
    ] {
        let valid = raw_ttheader(header.clone(), 0, &add("add", 5));
        assert!(matches!(forwarded(&decide(&contracts, &valid).action), Some(true)), "{what}");
        let broken = raw_ttheader(header, 0, &add("add", -5));
        assert_eq!(answer(&contracts, &broken).1, "add: a: must be at least 0, found -5 (vt.ge)", "{what}");
    }
    // Names are compared byte by byte.
    for service in [&b"echo"[..], b"Echo ", b"Echo\0", b"\0Echo", b"Ech", b"\xffEcho"] {
        let header = [&[0, 0, 1, 0, 1], &isn(service)[..]].concat();
        let decision = decide(&contracts, &raw_ttheader(header, 0, &add("add", 5)));
        assert_eq!(forwarded(&decision.action), None, "{service:?}");
    }
    // A payload in another protocol than the header says is not forwarded.
    for protocol in [2, 3] {
        let header = [&[protocol, 0, 1, 0, 1], &echo[..]].concat();
        let decision = decide(&contracts, &raw_ttheader(header, 0, &add("add", 5)));
        assert_eq!(forwarded(&decision.action), None, "{protocol}");
    }
}

#[test]
fn an_unknown_service_in_a_header_does_not_hide_a_function_that_is_known() {
    let config = ProxyConfig { unknown_service: UnknownService::Pass, ..ProxyConfig::default() };
    let contracts = contracts(config);
    let of = |name: &str, payload: &[u8]| ttheader(&[("isn", name)], &[], 0, payload);
    // A server of kitex that has no such service looks for the function in all of its services.
    let (_, said) = answer(&contracts, &of("None", &echo(Protocol::Binary, Versioned, -1)));
    assert_eq!(said, "echo: request.count: must be at least 0, found -1 (vt.ge)");
    let (_, said) = answer(&contracts, &of("None", &add("add", 5)));
    assert_eq!(said, "`add` is a function of several services; say which, `Service:add`");
    assert!(matches!(forwarded(&decide(&contracts, &of("None", &add("other", 5))).action), Some(true)));
}

#[test]
fn a_stream_is_ended_as_soon_as_it_begins_or_passes_if_that_is_said() {
    let frame = |kind| ttheader(&[("isn", "Echo")], &[(27, kind), (9, "chat")], 2, b"");
    let decision = decide(&contracts(ProxyConfig::default()), &frame("2"));
    let CallAction::Answer(bytes) = decision.action else { panic!("{decision:?}") };
    let parsed = HeaderFrame::parse(&bytes, 1000).unwrap();
    assert!(parsed.is_stream());
    assert_eq!(parsed.seqid, 77);
    let infos = parsed.call_infos().unwrap();
    assert_eq!(
        (infos.function, infos.stream),
        (Some(b"chat".as_slice()), Some(thrift::wire::StreamFrame::End))
    );
    let to = thrift::wire::MessageHeader { seqid: 77, ..header("chat", Versioned) };
    let text = "`chat` is called as a stream, which does not pass";
    assert_eq!(parsed.payload, exception_reply(Protocol::Binary, &to, ExceptionKind::UnknownMethod, text));
    for kind in ["1", "3", "4", "5"] {
        let decision = decide(&contracts(ProxyConfig::default()), &frame(kind));
        assert_eq!(decision.action, CallAction::Drop(None), "{kind}");
    }
    let pass = contracts(ProxyConfig { streams: Streams::Pass, ..ProxyConfig::default() });
    let decision = decide(&pass, &frame("2"));
    assert_eq!((forwarded(&decision.action), decision.unchecked.as_deref()), (Some(false), Some("chat")));
    assert_eq!(decide(&pass, &frame("6")).action, CallAction::Close);
    // A server reads a connection as streams or as calls, from its first frame on.
    let call = ttheader(&[("isn", "Echo")], &[], 0, &add("add", 5));
    for (contracts, first, second, passes) in [
        (&contracts(ProxyConfig::default()), &frame("2"), &call, true),
        (&pass, &frame("2"), &call, false),
        (&pass, &call, &frame("2"), false),
    ] {
        let mut session = Session::default();
        let mut splitter = Splitter::new(Limits::default(), 1 << 20);
        let mut say = |bytes: &[u8]| {
            let Split::Message(it) = splitter.next(bytes) else { panic!() };
            contracts.call(&mut session, &it.enclosed, bytes, &Functions::default())
        };
        say(first);
        let second = say(second);
        assert_eq!(forwarded(&second.action).is_some(), passes, "{second:?}");
    }
}

#[test]
fn a_connection_keeps_to_one_dialect() {
    let contracts = contracts(ProxyConfig { old_envelope: OldEnvelope::Allow, ..ProxyConfig::default() });
    let mut splitter = Splitter::new(Limits::default(), 1 << 20);
    let mut session = Session::default();
    let mut say = |bytes: &[u8]| {
        let Split::Message(it) = splitter.next(bytes) else { panic!() };
        contracts.call(&mut session, &it.enclosed, &bytes[..it.len], &Functions::default())
    };
    let (new, old) = (echo(Protocol::Binary, Versioned, 1), echo(Protocol::Binary, Old, 1));
    assert!(matches!(forwarded(&say(&new).action), Some(true)));
    let refusal = say(&old).refusal.unwrap();
    assert_eq!(
        refusal.message,
        "the connection began as buffered binary, and this message is buffered binary with the old envelope"
    );
    assert!(matches!(forwarded(&say(&new).action), Some(true)));
}

#[test]
fn an_envelope_without_a_version_needs_an_option() {
    let contracts = contracts(ProxyConfig::default());
    for bytes in [echo(Protocol::Binary, Old, 1), write_frame(&echo(Protocol::Binary, Old, 1))] {
        let (_, said) = answer(&contracts, &bytes);
        assert_eq!(said, "the envelope has no version");
    }
}

#[test]
fn a_name_that_no_function_can_have_does_not_pass() {
    for name in ["", "a b", "\u{1}\u{2}", "é"] {
        let bytes = message(Protocol::Binary, Versioned, name, Call, |_| {});
        let (_, said) = answer(&passing(), &bytes);
        assert_eq!(said, "the name of the function is none that a function can have", "{name:?}");
    }
    let long = message(Protocol::Binary, Versioned, &"x".repeat(1025), Call, |_| {});
    assert_eq!(decide(&passing(), &long).action, CallAction::Close);
    let fits = message(Protocol::Binary, Versioned, &"x".repeat(1024), Call, |_| {});
    assert!(matches!(forwarded(&decide(&passing(), &fits).action), Some(true)));
}

#[test]
fn arguments_that_servers_leave_at_different_places_do_not_pass() {
    // A uuid, which not all libraries know: some go on in the middle of it.
    let mut uuid = b"\x80\x01\x00\x01\x00\x00\x00\x05other\x00\x00\x00\x01".to_vec();
    uuid.extend([16, 0, 1]);
    uuid.extend([7; 16]);
    uuid.push(0);
    let (_, said) = answer(&passing(), &uuid);
    assert_eq!(said, "other: $: an unknown field has a uuid, which some readers cannot skip (unknown_field)");
    // Deeper than others move over what they do not know.
    let nested = |depth: usize| {
        let mut bytes = b"\x80\x01\x00\x01\x00\x00\x00\x05other\x00\x00\x00\x01".to_vec();
        (1..depth).for_each(|_| bytes.extend([12, 0, 1]));
        bytes.resize(bytes.len() + depth, 0);
        write_frame(&bytes)
    };
    assert!(matches!(forwarded(&decide(&passing(), &nested(60)).action), Some(true)));
    assert!(matches!(decide(&passing(), &nested(61)).action, CallAction::Answer(_)));
}

#[test]
fn what_is_said_of_a_call_is_short_however_long_the_call_is() {
    let idl = r#"
        struct Leaf { 1: required i32 n (vt.gt = "0") }
        struct Deep { 1: map<string, map<string, list<i32>>> m (vt.value.value.elem.gt = "0")
                      2: map<list<i32>, Leaf> l; 3: string a (vt.eq = "$b"); 4: string b }
        service Long { void put(1: Deep deep), void get(1: Deep deep) }
    "#;
    let mut loader = MemoryLoader::default().file("service.thrift", idl);
    let (program, _) = load("service.thrift", &mut loader, &LoadConfig::default()).unwrap();
    let (model, _) = resolve(&program, &Config::default());
    let long = "\u{1}".repeat(200_000);
    let text = |out: &mut Vec<u8>, text: &str| {
        out.extend((text.len() as u32).to_be_bytes());
        out.extend(text.as_bytes());
    };
    let entry = |out: &mut Vec<u8>, values: usize| {
        // A map with one entry whose key is long.
        out.extend([11, 13, 0, 0, 0, 1]);
        text(out, &long);
        out.extend([11, 15, 0, 0, 0, 1]);
        text(out, &long);
        out.push(8);
        out.extend((values as u32).to_be_bytes());
        out.extend(vec![0; values * 4]);
    };
    let mut maps = vec![13, 0, 1];
    entry(&mut maps, 3000);
    maps.push(0);
    // Elements of another type, deep in entries of long keys.
    let mut form = vec![13, 0, 1, 11, 13, 0, 0, 0, 1];
    text(&mut form, &long);
    form.extend([11, 15, 0, 0, 0, 1]);
    text(&mut form, &long);
    form.extend([10, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
    // A key of many numbers, and a struct that lacks its field.
    let mut missing = vec![13, 0, 2, 15, 12, 0, 0, 0, 1, 8];
    missing.extend(50_000_u32.to_be_bytes());
    missing.extend(vec![0; 200_000]);
    missing.extend([0, 0]);
    let mut compared = Vec::new();
    for (id, last) in [(3, "x"), (4, "y")] {
        compared.extend([11, 0, id]);
        text(&mut compared, &format!("{long}{last}"));
    }
    compared.push(0);
    for want in [Want::First, Want::All] {
        let config = ProxyConfig { want, ..ProxyConfig::default() };
        let contracts = Contracts::new(&model, config).0.unwrap();
        for (name, deep) in [("maps", &maps), ("form", &form), ("missing", &missing), ("compared", &compared)]
        {
            let mut call = b"\x80\x01\x00\x01\x00\x00\x00\x03get\x00\x00\x00\x07\x0c\x00\x01".to_vec();
            call.extend(deep);
            call.push(0);
            let decision = decide(&contracts, &call);
            let refusal = decision.refusal.unwrap();
            let path = refusal.path.unwrap_or_default();
            assert!(refusal.message.len() < 9000 && path.len() < 4000, "{name}: {}", refusal.message.len());
            assert_ne!(refusal.rule.as_ref(), "protocol", "{name}: {}", refusal.message);
            let CallAction::Answer(answer) = decision.action else { panic!("{name}") };
            assert!(answer.len() < 9100);
        }
    }
}
