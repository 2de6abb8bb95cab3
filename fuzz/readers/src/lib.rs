//! Readers of messages: each says `refused ..`, `valid` or `invalid ..` with the rule and the value.

#[allow(warnings, clippy::all, reason = "the code is generated")]
pub mod readers {
    include!(concat!(env!("OUT_DIR"), "/readers/mod.rs"));
}
