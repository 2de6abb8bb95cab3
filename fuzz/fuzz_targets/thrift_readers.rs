//! Any bytes as a message of any schema of `tools/thrift-readers`: what passes is refused by pilota and the `thrift`
//! crate, or holds values that keep the rules. The first byte names the schema, the second the protocol.

#![no_main]

use std::sync::LazyLock;

use fuzz_readers::readers;
use libfuzzer_sys::fuzz_target;
use thrift::validate::Want;
use thrift::wire::Protocol;
use thrift_readers::schemas::{MessageStatus, Schema, schemas};

static SCHEMAS: LazyLock<Vec<Schema>> = LazyLock::new(|| schemas().expect("they are in order"));

fuzz_target!(|bytes: &[u8]| {
    let [index, protocol, message @ ..] = bytes else { return };
    let index = usize::from(*index) % SCHEMAS.len();
    let schema = &SCHEMAS[index];
    let (protocol, number) = match protocol % 2 {
        0 => (Protocol::Binary, 0),
        _ => (Protocol::Compact, 1),
    };
    if schema.judge(protocol, message, Want::First) != MessageStatus::Passes {
        return;
    }
    // Its reader of the compact protocol is not to be trusted with any message.
    if protocol == Protocol::Binary {
        let answer = readers::pilota(index as u8, message);
        assert!(!answer.starts_with("invalid"), "{}, pilota: {answer}", schema.name);
    }
    if schema.is_for("apache-rust") {
        let answer = readers::apache(index as u8, number, message);
        assert!(!answer.starts_with("invalid"), "{}, apache-rust: {answer}", schema.name);
    }
});
