//! Any bytes as a client's connection: they are cut into the same messages however they arrive, each is decided
//! about, and what the proxy answers is one message of the client's own kind. The first byte says how to cut.

#![no_main]

use std::sync::LazyLock;

use libfuzzer_sys::fuzz_target;
use thrift::model::{Config, LoadConfig, MemoryLoader, load, resolve};
use thrift::proxy::{CallAction, Contracts, Decision, ProxyConfig, Session, Split, SplitMessage, Splitter};
use thrift::rules::Functions;
use thrift::wire::Limits;

const IDL: &str = r#"
struct Request {
  1: required string name (vt.min_size = "1", vt.max_size = "20")
  2: i32 count (vt.ge = "0")
  3: optional list<Request> items (vt.max_size = "3")
  4: optional map<string, i64> marks (vt.value.gt = "0")
}
service Echo {
  Request echo(1: Request request (vt.not_nil = "true"))
  oneway void note(1: string text (vt.min_size = "1"))
}
"#;

const MAX: u32 = 1 << 16;

static CONTRACTS: LazyLock<Contracts> = LazyLock::new(|| {
    let mut loader = MemoryLoader::default().file("a.thrift", IDL);
    let (program, _) = load("a.thrift", &mut loader, &LoadConfig::default()).expect("it is in memory");
    let (model, _) = resolve(&program, &Config::default());
    let (contracts, found) = Contracts::new(&model, ProxyConfig::default());
    contracts.unwrap_or_else(|| panic!("{found:?}"))
});

/// Cuts a stream that arrives in pieces, and says whether it broke.
fn cut(stream: &[u8], step: usize) -> (Vec<(usize, SplitMessage)>, bool) {
    let mut splitter = Splitter::new(Limits::default(), MAX);
    let (mut start, mut end, mut found) = (0, 0, Vec::new());
    while end < stream.len() {
        end = stream.len().min(end + step);
        loop {
            match splitter.next(&stream[start..end]) {
                Split::Message(message) => {
                    assert!(
                        message.len > 0 && start + message.len <= end,
                        "a message of bytes that are not there"
                    );
                    let at = start;
                    start += message.len;
                    found.push((at, message));
                }
                Split::More(total) => {
                    assert!(total > end - start, "asks for what it has");
                    break;
                }
                Split::Continue => {}
                Split::Broken(_) => return (found, true),
            }
        }
    }
    (found, false)
}

fuzz_target!(|bytes: &[u8]| {
    let Some((first, stream)) = bytes.split_first() else { return };
    let (messages, broken) = cut(stream, stream.len().max(1));
    let pieces = cut(stream, usize::from(*first) + 1);
    assert_eq!((&messages, broken), (&pieces.0, pieces.1), "the pieces make a difference");
    let mut splitter = Splitter::new(Limits::default(), MAX);
    if let Split::Broken(broken) = splitter.next(stream) {
        check(&CONTRACTS.broken(splitter.detected(), stream, broken), &splitter);
    }
    for (at, message) in &messages {
        let own = &stream[*at..at + message.len];
        check(
            &CONTRACTS.call(&mut Session::default(), &message.enclosed, own, &Functions::default()),
            &splitter,
        );
    }
});

fn check(decision: &Decision, splitter: &Splitter) {
    let answer = match &decision.action {
        CallAction::Forward(_) => {
            assert!(decision.refusal.is_none(), "forwarded in spite of a refusal");
            return;
        }
        CallAction::Answer(answer) | CallAction::Drop(Some(answer)) => answer,
        CallAction::Drop(None) | CallAction::Close => return,
    };
    assert!(decision.refusal.is_some(), "refused without a reason");
    let detected = splitter.detected().expect("whoever is answered speaks something");
    match Splitter::replies(detected, Limits::default(), u32::MAX >> 1).next(answer) {
        Split::Message(message) => assert_eq!(message.len, answer.len(), "more than one answer"),
        other => panic!("an answer that cannot be read: {other:?}"),
    }
}
