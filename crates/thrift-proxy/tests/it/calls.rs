//! Calls through a proxy: what arrives, what comes back, and in which order.

use std::time::Duration;

use crate::support::{
    EMPTY, IDL, Reaction, Running, Upstream, echo, eventually, exception, message, note, reply, said, say,
};
use thrift::proxy::{OldEnvelope, ProxyConfig, ReplyCheck, Session, http_answer};
use thrift::rules::{Declarations, Functions, RuleConfig, UndefinedFunctions};
use thrift::wire::{
    ExceptionKind, HeaderDialect, MessageForm, MessageKind, Protocol, ReplyFrame, write_frame,
};
use thrift_proxy::{Operator, Timeouts};

/// Every kind of connection: how it encloses a message, and how its answers are enclosed.
type Enclose = fn(Vec<u8>) -> Vec<u8>;

fn kinds() -> Vec<(&'static str, Protocol, MessageForm, Enclose, Enclose)> {
    use MessageForm::{Old, Versioned};
    use Protocol::{Binary, Compact, Json};
    fn bare(message: Vec<u8>) -> Vec<u8> {
        message
    }
    fn framed(message: Vec<u8>) -> Vec<u8> {
        write_frame(&message)
    }
    fn ttheader(message: Vec<u8>) -> Vec<u8> {
        ReplyFrame { dialect: HeaderDialect::TTHeader, seqid: 77, protocol_id: 0, framed: false }
            .write(&message)
    }
    fn ttheader_framed(message: Vec<u8>) -> Vec<u8> {
        ReplyFrame { dialect: HeaderDialect::TTHeader, seqid: 77, protocol_id: 0, framed: true }
            .write(&message)
    }
    fn theader(message: Vec<u8>) -> Vec<u8> {
        ReplyFrame { dialect: HeaderDialect::THeader, seqid: 78, protocol_id: 2, framed: false }
            .write(&message)
    }
    fn post(message: Vec<u8>) -> Vec<u8> {
        let head = format!("POST /x HTTP/1.1\r\nHost: h\r\nContent-Length: {}\r\n\r\n", message.len());
        [head.as_bytes(), &message].concat()
    }
    fn chunks(message: Vec<u8>) -> Vec<u8> {
        let head = format!("POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n{:x}\r\n", message.len());
        [head.as_bytes(), &message, b"\r\n0\r\n\r\n"].concat()
    }
    fn ok(message: Vec<u8>) -> Vec<u8> {
        http_answer(200, &message, false)
    }
    vec![
        ("binary", Binary, Versioned, bare, bare),
        ("old binary", Binary, Old, bare, bare),
        ("compact", Compact, Versioned, bare, bare),
        ("json", Json, Versioned, bare, bare),
        ("framed binary", Binary, Versioned, framed, framed),
        ("framed old binary", Binary, Old, framed, framed),
        ("framed compact", Compact, Versioned, framed, framed),
        ("framed json", Json, Versioned, framed, framed),
        ("ttheader", Binary, Versioned, ttheader, ttheader),
        ("ttheader, framed", Binary, Versioned, ttheader_framed, ttheader_framed),
        ("theader", Compact, Versioned, theader, theader),
        ("http", Binary, Versioned, post, ok),
        ("http json", Json, Versioned, post, ok),
        ("http chunked", Compact, Versioned, chunks, ok),
    ]
}

#[test]
fn every_kind_of_connection_passes_good_calls_unchanged_and_answers_bad_ones() {
    let upstream = Upstream::echo();
    // No clock comes to the help of a connection that waits for what is there already.
    let config = ProxyConfig { old_envelope: OldEnvelope::Allow, ..ProxyConfig::default() };
    let proxy = Running::start_with(upstream.address, config, |settings| {
        let long = Duration::from_secs(600);
        settings.timeouts = Timeouts { read: long, write: long, reply: long, ..settings.timeouts };
    });
    for (name, protocol, form, enclose, answered) in kinds() {
        println!("{name}");
        let mut client = proxy.connect();
        let call = |text: &str, kind, function: &str, seqid| {
            enclose(message(protocol, form, function, kind, seqid, |body| body.argument(text)))
        };
        let answer = |text: &str, seqid| {
            answered(message(protocol, form, "say", MessageKind::Reply, seqid, |body| body.result(text)))
        };
        let refusal = |text: &str, seqid| {
            let to = thrift::wire::MessageHeader {
                name: b"say".as_slice().into(),
                kind: MessageKind::Call,
                seqid,
                form,
            };
            let kind = ExceptionKind::ValidationFailed;
            answered(thrift::wire::exception_reply(protocol, &to, kind, text))
        };
        upstream.received.lock().unwrap().clear();
        let (first, second) =
            (call("<a>", MessageKind::Call, "say", 1), call("<b>", MessageKind::Call, "Echo:say", 3));
        client.send(&first);
        client.expect(&answer("<a>", 1));
        client.send(&call("", MessageKind::Call, "say", 2));
        client.expect(&refusal(EMPTY, 2));
        client.send(&second);
        client.expect(&answer("<b>", 3));
        // All at once: the answers keep the order of the calls, unless clients find them by number.
        let mut calls = Vec::new();
        let mut answers = Vec::new();
        for seqid in 10..40 {
            match seqid % 3 {
                0 => {
                    calls.extend(call("", MessageKind::Call, "say", seqid));
                    answers.push(refusal(EMPTY, seqid));
                }
                _ => {
                    let text = format!("<{seqid}>");
                    calls.extend(call(&text, MessageKind::Call, "say", seqid));
                    answers.push(answer(&text, seqid));
                }
            }
        }
        client.send(&calls);
        if name.starts_with("ttheader") {
            let mut found: Vec<Vec<u8>> = answers.iter().map(|_| client.frame()).collect();
            found.sort();
            answers.sort();
            assert_eq!(found, answers);
        } else {
            client.expect(&answers.concat());
        }
        let received = upstream.received();
        assert_eq!(received.first(), Some(&first), "{name}");
        assert_eq!(received.get(1), Some(&second), "{name}");
        assert_eq!(received.len(), 22, "{name}");
    }
}

#[test]
fn a_oneway_call_is_forwarded_or_dropped_and_never_answered() {
    let upstream = Upstream::echo();
    let proxy = Running::start(upstream.address);
    let mut client = proxy.connect();
    client.send(&[note(""), note("x"), say("<a>", 1), note(""), say("<b>", 2)].concat());
    client.expect(&[said("<a>", 1), said("<b>", 2)].concat());
    assert_eq!(upstream.received(), [note("x"), say("<a>", 1), say("<b>", 2)]);
    let text = proxy.metrics();
    for line in [
        "tendon_thrift_calls_total{service=\"Echo\",method=\"note\",outcome=\"dropped\"} 2",
        "tendon_thrift_calls_total{service=\"Echo\",method=\"note\",outcome=\"forwarded\"} 1",
        "tendon_thrift_calls_total{service=\"Echo\",method=\"say\",outcome=\"forwarded\"} 2",
        "tendon_thrift_rejections_total{service=\"Echo\",method=\"note\",rule=\"vt.min_size\"} 2",
        "tendon_thrift_call_duration_seconds_count{service=\"Echo\",method=\"say\"} 2",
        "tendon_thrift_connections_open 1",
    ] {
        assert!(text.contains(line), "{line}\n{text}");
    }
}

#[test]
fn a_server_may_answer_out_of_order_if_its_clients_can_tell() {
    // The first call is answered after the second.
    let first = std::sync::Arc::new(std::sync::Mutex::new(Vec::new()));
    let upstream = Upstream::start(move |contracts, message, bytes| {
        let Some(to) = contracts
            .call(&mut Session::default(), &message.enclosed, bytes, &Functions::default())
            .action
            .awaited()
        else {
            return Reaction::Silence;
        };
        let mut first = first.lock().unwrap();
        if to.seqid == 1 {
            *first = reply(&to, "<1>");
            return Reaction::Silence;
        }
        let text = format!("<{}>", to.seqid);
        Reaction::Answer([reply(&to, &text), std::mem::take(&mut *first)].concat())
    });
    let proxy = Running::start(upstream.address);
    let mut client = proxy.connect();
    client.send(&say("<0>", 0));
    client.expect(&said("<0>", 0));
    client.send(&[say("<1>", 1), say("<2>", 2)].concat());
    client.expect(&[said("<2>", 2), said("<1>", 1)].concat());
}

#[test]
fn a_refusal_does_not_wait_for_slow_calls_where_answers_have_numbers() {
    // Nothing is answered until `<go>` comes, and then all calls at once.
    let held = std::sync::Arc::new(std::sync::Mutex::new(Vec::new()));
    let upstream = Upstream::start(move |contracts, message, bytes| {
        let Reaction::Answer(answer) = echo(contracts, message, bytes) else { return Reaction::Silence };
        let mut held = held.lock().unwrap();
        held.push(answer);
        match bytes.windows(4).any(|text| text == b"<go>") {
            true => Reaction::Answer(held.drain(..).flatten().collect()),
            false => Reaction::Silence,
        }
    });
    let proxy = Running::start(upstream.address);
    let mut client = proxy.connect();
    let frame = |seqid, message: &[u8]| {
        ReplyFrame { dialect: HeaderDialect::TTHeader, seqid, protocol_id: 0, framed: false }.write(message)
    };
    let refusal = |seqid| frame(seqid, &exception(seqid, ExceptionKind::ValidationFailed, EMPTY));
    client.send(&frame(1, &say("<go>", 1)));
    client.expect(&frame(1, &said("<go>", 1)));
    client.send(&frame(2, &say("<slow>", 2)));
    for seqid in 3..6 {
        client.send(&frame(seqid, &say("", seqid)));
        client.expect(&refusal(seqid));
    }
    // A stream that begins is ended at once, and is nothing to the calls around it.
    let stream = ReplyFrame { dialect: HeaderDialect::TTHeader, seqid: 6, protocol_id: 0, framed: false };
    let mut begin = stream.write_stream_end(b"chat", b"");
    let kind = begin.iter().rposition(|byte| *byte == b'4').unwrap();
    begin[kind] = b'2';
    client.send(&begin);
    let text = "`chat` is called as a stream, which does not pass";
    let ended = thrift::wire::MessageHeader {
        name: b"chat".as_slice().into(),
        kind: MessageKind::Call,
        seqid: 6,
        form: MessageForm::Versioned,
    };
    let ended = thrift::wire::exception_reply(Protocol::Binary, &ended, ExceptionKind::UnknownMethod, text);
    client.expect(&stream.write_stream_end(b"chat", &ended));
    // All of them are finished, whichever was answered before.
    client.send(&[frame(7, &say("", 7)), frame(8, &say("<go>", 8))].concat());
    client.expect(&[refusal(7), frame(2, &said("<slow>", 2)), frame(8, &said("<go>", 8))].concat());
    // Without numbers, a client takes each answer for that to its oldest call.
    let mut client = proxy.connect();
    client.send(&write_frame(&say("<go>", 1)));
    client.expect(&write_frame(&said("<go>", 1)));
    client.send(&[write_frame(&say("<slow>", 2)), write_frame(&say("", 3))].concat());
    client.0.set_read_timeout(Some(Duration::from_millis(300))).unwrap();
    let early = std::io::Read::read(&mut client.0, &mut [0; 1]);
    assert!(early.is_err(), "{early:?}");
    client.0.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
    client.send(&write_frame(&say("<go>", 4)));
    let refusal = exception(3, ExceptionKind::ValidationFailed, EMPTY);
    let answers = [said("<slow>", 2), refusal, said("<go>", 4)];
    client.expect(&answers.map(|answer| write_frame(&answer)).concat());
    assert_eq!(upstream.received().len(), 6);
}

#[test]
fn a_reply_that_breaks_a_rule_is_replaced_if_the_policy_says_so() {
    let long = "<234567890123456789012345678901>";
    let upstream = Upstream::start(move |contracts, message, bytes| {
        match contracts
            .call(&mut Session::default(), &message.enclosed, bytes, &Functions::default())
            .action
            .awaited()
        {
            Some(to) if to.seqid == 2 => Reaction::Answer(reply(&to, long)),
            Some(to) => Reaction::Answer(reply(&to, "<short>")),
            _ => Reaction::Silence,
        }
    });
    for (replies, second) in [
        (ReplyCheck::Off, said(long, 2)),
        (ReplyCheck::Log, said(long, 2)),
        (
            ReplyCheck::Replace,
            exception(
                2,
                ExceptionKind::ValidationFailed,
                &format!(
                    "say: success.text: must have at most 30 bytes, has 32, found \"{long}\" (vt.max_size)"
                ),
            ),
        ),
    ] {
        let proxy =
            Running::start_with(upstream.address, ProxyConfig { replies, ..ProxyConfig::default() }, |_| {});
        let mut client = proxy.connect();
        client.send(&[say("<1>", 1), say("<2>", 2), say("<3>", 3)].concat());
        client.expect(&[said("<short>", 1), second, said("<short>", 3)].concat());
        let reported = proxy.metrics().contains("tendon_thrift_reply_violations_total{service=\"Echo\"");
        assert_eq!(reported, replies != ReplyCheck::Off);
    }
}

#[test]
fn http_clients_may_ask_to_go_on_and_to_stop() {
    let upstream = Upstream::echo();
    let proxy = Running::start(upstream.address);
    let mut client = proxy.connect();
    let body = say("<a>", 1);
    let head = format!("POST / HTTP/1.1\r\nExpect: 100-continue\r\nContent-Length: {}\r\n\r\n", body.len());
    client.send(head.as_bytes());
    client.expect(b"HTTP/1.1 100 Continue\r\n\r\n");
    client.send(&body);
    client.expect(&http_answer(200, &said("<a>", 1), false));
    // A oneway call has a response all the same.
    let dropped = note("");
    let head = format!("POST / HTTP/1.1\r\nContent-Length: {}\r\n\r\n", dropped.len());
    client.send(&[head.as_bytes(), &dropped].concat());
    client.expect(&http_answer(200, b"", false));
    let head = format!("POST / HTTP/1.1\r\nConnection: close\r\nContent-Length: {}\r\n\r\n", body.len());
    client.send(&[head.as_bytes(), &body].concat());
    client.expect(&http_answer(200, &said("<a>", 1), true));
    client.expect_end();
    let mut client = proxy.connect();
    client.send(b"POST / HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n");
    client.expect(&http_answer(411, b"", true));
    client.expect_end();
}

#[test]
fn contracts_are_replaced_while_connections_go_on() {
    let upstream = Upstream::echo();
    let proxy = Running::start(upstream.address);
    let mut client = proxy.connect();
    client.send(&say("<ok>", 1));
    client.expect(&said("<ok>", 1));
    let stricter = crate::support::IDL.replace("vt.max_size = \"20\"", "vt.max_size = \"3\"");
    *proxy.idl.lock().unwrap() = stricter;
    proxy.shared.live.reload().unwrap();
    client.send(&say("<ok>", 2));
    let text = "say: text: must have at most 3 bytes, has 4, found \"<ok>\" (vt.max_size)";
    client.expect(&exception(2, ExceptionKind::ValidationFailed, text));
    "struct {".clone_into(&mut proxy.idl.lock().unwrap());
    assert!(proxy.shared.live.reload().is_err());
    client.send(&say("<ok>", 3));
    client.expect(&exception(3, ExceptionKind::ValidationFailed, text));
    assert!(proxy.metrics().contains("tendon_thrift_reloads_failed_total 1\n"));
}

#[test]
fn a_file_that_is_watched_counts_once_it_has_changed() {
    let upstream = Upstream::echo();
    let path = std::env::temp_dir().join(format!("tendon-watched-{}.thrift", std::process::id()));
    std::fs::write(&path, IDL).unwrap();
    let operator = Operator { watch: Some(Duration::from_millis(20)), ..Operator::default() };
    let proxy =
        Running::operated(upstream.address, ProxyConfig::default(), |_| {}, vec![path.clone()], operator);
    let mut client = proxy.connect();
    client.send(&say("<long>", 1));
    client.expect(&said("<long>", 1));
    let tighter = IDL.replace("vt.max_size = \"20\"", "vt.max_size = \"4\"");
    tighter.clone_into(&mut proxy.idl.lock().unwrap());
    // Until the file says so, nobody looks.
    std::thread::sleep(Duration::from_millis(100));
    assert_eq!(proxy.shared.metrics.reloads.get(), 0);
    std::fs::write(&path, tighter).unwrap();
    eventually("the file is read again", || proxy.shared.metrics.reloads.get() > 0);
    std::fs::remove_file(&path).unwrap();
    client.send(&say("<long>", 2));
    assert!(client.exception().2.contains("at most 4 bytes"));
}

#[test]
fn rules_that_cannot_run_refuse_calls_or_are_counted() {
    let upstream = Upstream::echo();
    let mut functions = Declarations::default();
    functions.add("fits(string) -> string".parse().unwrap()).unwrap();
    for undefined_functions in [UndefinedFunctions::Refuse, UndefinedFunctions::Pass] {
        let rules = RuleConfig { undefined_functions, ..RuleConfig::default() };
        let config = ProxyConfig { rules, functions: functions.clone(), ..ProxyConfig::default() };
        let proxy = Running::start_with(upstream.address, config, |_| {});
        let declared = crate::support::IDL.replace("vt.max_size = \"20\"", "vt.prefix = \"@fits($)\"");
        *proxy.idl.lock().unwrap() = declared;
        proxy.shared.live.reload().unwrap();
        let mut client = proxy.connect();
        client.send(&say("<ok>", 1));
        let counted = match undefined_functions {
            UndefinedFunctions::Refuse => {
                let text =
                    "say: text: `@fits` is declared only, and cannot run here, found \"<ok>\" (vt.prefix)";
                client.expect(&exception(1, ExceptionKind::ValidationFailed, text));
                0
            }
            UndefinedFunctions::Pass => {
                client.expect(&said("<ok>", 1));
                // A call that breaks another rule is not one that passed.
                client.send(&say("", 2));
                client.exception();
                1
            }
        };
        assert!(proxy.metrics().contains(&format!("tendon_thrift_unchecked_total {counted}\n")));
    }
}

#[test]
fn many_clients_do_not_get_each_others_answers() {
    let upstream = Upstream::start(echo);
    let proxy = Running::start(upstream.address);
    std::thread::scope(|scope| {
        for client_number in 0..20 {
            let proxy = &proxy;
            scope.spawn(move || {
                let mut client = proxy.connect();
                for seqid in 0..100 {
                    let text = format!("<{client_number}-{seqid}>");
                    client.send(&say(&text, seqid));
                    client.expect(&said(&text, seqid));
                }
            });
        }
    });
    eventually("all connections are closed", || proxy.shared.metrics.open_connections.get() == 0);
    assert_eq!(proxy.shared.metrics.unexpected_replies.get(), 0);
}
