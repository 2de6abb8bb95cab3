//! Readers of messages: each says `refused ..`, `valid` or `invalid ..` with the rule and the value.

#[cfg(feature = "built")]
#[allow(warnings, clippy::all, reason = "the code is generated")]
pub mod readers {
    include!(concat!(env!("OUT_DIR"), "/readers/mod.rs"));
}

/// The interface of the readers, for checks that build none.
#[cfg(not(feature = "built"))]
pub mod readers {
    /// What pilota says of a message of a schema.
    pub fn pilota(_schema: u8, _message: &[u8]) -> String {
        "refused: not built".to_owned()
    }

    /// What the `thrift` crate says of a message of a schema in a protocol.
    pub fn apache(_schema: u8, _protocol: u8, _message: &[u8]) -> String {
        "refused: not built".to_owned()
    }
}
