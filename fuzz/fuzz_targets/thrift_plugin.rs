//! Any bytes as the request of a plugin: there is always an answer, and it is a struct that thriftgo can read.

#![no_main]

use libfuzzer_sys::fuzz_target;
use thrift::validate::read_value;
use thrift::wire::{BinaryReader, Limits};
use thrift_codegen::plugin;

fuzz_target!(|bytes: &[u8]| {
    let answer = plugin::run(bytes, &mut thrift::model::MemoryLoader::default(), &mut |_| Ok(Vec::new()));
    let limits = Limits::default();
    assert!(read_value(&mut BinaryReader::new(&answer, limits)).is_ok(), "the answer cannot be read");
});
