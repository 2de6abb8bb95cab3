//! Policies: what to do where a contract does not say.

use super::dialect::Pins;
use crate::rules::{Declarations, RuleConfig};
use crate::validate::{ValidateConfig, Want};
use crate::wire::{ExceptionKind, Limits};

/// What to do with a call of a function that the IDL does not have.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum UnknownMethod {
    /// Forward it, if it is a whole message; the upstream knows best.
    ///
    /// UPSTREAM: servers of Apache's crate do not move over the arguments of a function that they do not know, but read
    /// them as the next message.
    Pass,
    /// Answer it with `UNKNOWN_METHOD`.
    #[default]
    Refuse,
}

/// What to do with a call named `Service:function` that no service of the IDL has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum UnknownService {
    /// Answer it with `UNKNOWN_METHOD`.
    #[default]
    Refuse,
    /// Forward it, if it is a whole message: the upstream has services that the IDL does not.
    Pass,
}

/// What to do with a message whose envelope has no version.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum OldEnvelope {
    /// Answer it with `PROTOCOL_ERROR`: it starts with a length, which some servers take for that of a frame.
    #[default]
    Refuse,
    /// Treat it as any other.
    Allow,
}

/// What to do with the streams of kitex, whose messages are not checked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Streams {
    /// End each with an exception as soon as it begins.
    #[default]
    Refuse,
    /// Forward all of them.
    Pass,
}

/// What to do with replies.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum ReplyCheck {
    /// They pass without being read.
    #[default]
    Off,
    /// Check them and report what breaks a rule; they pass all the same.
    Log,
    /// Check them, and send the client an exception in the place of one that breaks a rule.
    Replace,
}

/// The default for how deep messages may nest.
///
/// UPSTREAM: most libraries move over at most 64 levels of a value that they do not know, and count what is innermost as
/// one. Apache's for Go then goes on in the middle of the arguments of an unknown function, as if they had ended.
pub const MAX_DEPTH: u8 = 60;

/// How messages are judged.
#[derive(Clone, Debug, PartialEq)]
pub struct ProxyConfig {
    /// The only service to serve; all services of the file without it.
    pub service: Option<String>,
    /// What is known of the upstream.
    pub upstream: Pins,
    /// What happens to envelopes without a version.
    pub old_envelope: OldEnvelope,
    /// What happens to streams.
    pub streams: Streams,
    /// What happens to functions that the IDL does not have.
    pub unknown_method: UnknownMethod,
    /// What happens to `Service:function` that no service has.
    pub unknown_service: UnknownService,
    /// The kind of exception that answers a call which breaks a rule.
    pub exception: ExceptionKind,
    /// What happens to replies.
    pub replies: ReplyCheck,
    /// How many violations the answer names.
    pub want: Want,
    /// How annotations are read.
    pub rules: RuleConfig,
    /// The functions that rules may call although they cannot run here.
    pub functions: Declarations,
    /// How bytes are read.
    pub validate: ValidateConfig,
}

impl Default for ProxyConfig {
    /// Knows nothing of the upstream, refuses functions that the IDL does not have, old envelopes, streams and what readers
    /// do not agree about, answers with kind 11, leaves replies alone, names the first violation.
    fn default() -> Self {
        ProxyConfig {
            service: None,
            upstream: Pins::default(),
            old_envelope: OldEnvelope::Refuse,
            streams: Streams::Refuse,
            unknown_method: UnknownMethod::Refuse,
            unknown_service: UnknownService::Refuse,
            exception: ExceptionKind::ValidationFailed,
            replies: ReplyCheck::Off,
            want: Want::First,
            rules: RuleConfig::default(),
            functions: Declarations::default(),
            validate: ValidateConfig {
                limits: Limits { depth: MAX_DEPTH, exact_bools: true, ..Limits::default() },
                ..ValidateConfig::default()
            },
        }
    }
}
