//! Policies: what to do where a contract does not say.

use crate::rules::RuleConfig;
use crate::validate::{ValidateConfig, Want};
use crate::wire::ExceptionKind;

/// What to do with a call of a function that the IDL does not have.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum UnknownMethod {
    /// Forward it, if it is a whole message; the upstream knows best.
    #[default]
    Pass,
    /// Answer it with `UNKNOWN_METHOD`.
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

/// What to do with replies.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum ReplyCheck {
    /// Nothing: they pass.
    #[default]
    Off,
    /// Check them and report what breaks a rule; they pass all the same.
    Log,
    /// Check them, and send the client an exception in the place of one that breaks a rule.
    Replace,
}

/// How messages are judged.
#[derive(Clone, Debug, PartialEq)]
pub struct ProxyConfig {
    /// The only service to serve; all services of the file without it.
    pub service: Option<String>,
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
    /// How bytes are read.
    pub validate: ValidateConfig,
}

impl Default for ProxyConfig {
    /// Passes unknown functions, refuses those of unknown services and what readers do not agree about, answers with
    /// kind 11, leaves replies alone, names the first violation.
    fn default() -> Self {
        ProxyConfig {
            service: None,
            unknown_method: UnknownMethod::Pass,
            unknown_service: UnknownService::Refuse,
            exception: ExceptionKind::ValidationFailed,
            replies: ReplyCheck::Off,
            want: Want::First,
            rules: RuleConfig::default(),
            validate: ValidateConfig::default(),
        }
    }
}
