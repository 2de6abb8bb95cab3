//! What the messages of a connection have in common, and what of it the upstream is known to speak.
//!
//! The first bytes of a client say how it encloses and encodes its messages, but not how the server behind the proxy
//! reads them. Where the two differ, a message ends for one in the middle of what the other takes for a value, and a
//! call can hide there. So a client keeps to one [`MessageDialect`], and an [`UpstreamLink`](super::UpstreamLink) to the upstream
//! carries a second message only when it is known that the upstream has read the first as the proxy did: because the operator
//! says so ([`Pins`]), or because it was answered in the same dialect.

use std::fmt;

use super::answer::Enclosure;
use super::config::{OldEnvelope, ProxyConfig};
use crate::wire::{HeaderDialect, MessageForm, Protocol};

/// How messages are enclosed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Transport {
    /// Not at all: a message ends where reading it ends.
    Buffered,
    /// By frames, each with its length before it.
    Framed,
    /// By THeader frames, of fbthrift and Apache.
    THeader,
    /// By TTHeader frames, of kitex and volo.
    TTHeader,
    /// A message in the body of each HTTP request and answer.
    Http,
}

impl Transport {
    fn of(enclosure: Enclosure) -> Transport {
        match enclosure {
            Enclosure::None => Transport::Buffered,
            Enclosure::Frame => Transport::Framed,
            Enclosure::Header(frame) | Enclosure::Stream(frame) => match frame.dialect {
                HeaderDialect::THeader => Transport::THeader,
                HeaderDialect::TTHeader => Transport::TTHeader,
            },
            Enclosure::Http { .. } => Transport::Http,
        }
    }

    /// Its name in options and messages, in lower case.
    pub fn name(self) -> &'static str {
        match self {
            Transport::Buffered => "buffered",
            Transport::Framed => "framed",
            Transport::THeader => "theader",
            Transport::TTHeader => "ttheader",
            Transport::Http => "http",
        }
    }
}

fn name_of(protocol: Protocol) -> &'static str {
    match protocol {
        Protocol::Binary => "binary",
        Protocol::Compact => "compact",
        Protocol::Json => "json",
    }
}

/// How calls name their function.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CallNames {
    /// By its name alone.
    Plain,
    /// As `Service:function`, or with the service in the header of the frame.
    Services,
}

/// What is known of the upstream before it has said anything.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Pins {
    /// How it expects messages to be enclosed.
    pub transport: Option<Transport>,
    /// How it expects them to be encoded.
    pub protocol: Option<Protocol>,
    /// How it expects functions to be named.
    pub names: Option<CallNames>,
}

impl Pins {
    /// Whether it is known where the upstream sees a message end. Without frames that depends on the protocol; with them it
    /// does not, and what is a message in one protocol is none in another.
    pub fn are_complete(&self) -> bool {
        match self.transport {
            None => false,
            Some(Transport::Buffered) => self.protocol.is_some(),
            Some(Transport::Framed | Transport::THeader | Transport::TTHeader | Transport::Http) => true,
        }
    }
}

/// What the messages of a connection have in common.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct MessageDialect {
    transport: Transport,
    /// Whether there is a frame inside the header frame.
    framed_within: bool,
    /// Whether the frames are those of streams.
    streams: bool,
    protocol: Protocol,
    form: MessageForm,
}

impl MessageDialect {
    pub(super) fn of(enclosure: Enclosure, protocol: Protocol, form: MessageForm) -> MessageDialect {
        let framed_within = matches!(enclosure, Enclosure::Header(frame) if frame.framed);
        let streams = matches!(enclosure, Enclosure::Stream(_));
        MessageDialect { transport: Transport::of(enclosure), framed_within, streams, protocol, form }
    }
}

impl fmt::Display for MessageDialect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.transport.name(), name_of(self.protocol))?;
        if self.framed_within {
            f.write_str(" with an inner frame")?;
        }
        if self.streams {
            f.write_str(" with streams")?;
        }
        match self.form {
            MessageForm::Old => f.write_str(" with the old envelope"),
            MessageForm::Versioned => Ok(()),
        }
    }
}

/// What has been heard of a client so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Session {
    spoken: Option<MessageDialect>,
}

/// Why a message is not one that this connection may carry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Misfit {
    /// Another transport than that of the upstream.
    Transport { found: Transport, wanted: Transport },
    /// Another protocol than that of the upstream.
    Protocol { found: Protocol, wanted: Protocol },
    /// An envelope without a version.
    OldEnvelope,
    /// A name with a service that the upstream knows nothing of.
    Named,
    /// A name without the service that the upstream looks for.
    Unnamed,
    /// Another dialect than before.
    Changed { found: MessageDialect, before: MessageDialect },
}

impl fmt::Display for Misfit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Misfit::Transport { found, wanted } => {
                let (found, wanted) = (found.name(), wanted.name());
                write!(f, "the message is {found}, and the upstream speaks {wanted}")
            }
            Misfit::Protocol { found, wanted } => {
                let (found, wanted) = (name_of(*found), name_of(*wanted));
                write!(f, "the message is in {found}, and the upstream speaks {wanted}")
            }
            Misfit::OldEnvelope => f.write_str("the envelope has no version"),
            Misfit::Named => f.write_str("the name has a service, and the upstream takes names without one"),
            Misfit::Unnamed => f.write_str("the call names no service, and the upstream asks for one"),
            Misfit::Changed { found, before } => {
                write!(f, "the connection began as {before}, and this message is {found}")
            }
        }
    }
}

impl Pins {
    /// Holds the name of a call against what the upstream looks for.
    pub(super) fn admit_name(&self, has_prefix: bool, has_header: bool) -> Result<(), Misfit> {
        match self.names {
            Some(CallNames::Plain) if has_prefix => Err(Misfit::Named),
            Some(CallNames::Services) if !has_prefix && !has_header => Err(Misfit::Unnamed),
            Some(CallNames::Plain | CallNames::Services) | None => Ok(()),
        }
    }
}

impl Session {
    /// Holds a message against what the upstream speaks, and against the messages before it.
    pub(super) fn admit(&mut self, found: MessageDialect, config: &ProxyConfig) -> Result<(), Misfit> {
        match self.spoken {
            // By far the most.
            Some(before) if before == found => return Ok(()),
            Some(before) => return Err(Misfit::Changed { found, before }),
            None => {}
        }
        if let Some(wanted) = config.upstream.transport.filter(|wanted| *wanted != found.transport) {
            return Err(Misfit::Transport { found: found.transport, wanted });
        }
        if let Some(wanted) = config.upstream.protocol.filter(|wanted| *wanted != found.protocol) {
            return Err(Misfit::Protocol { found: found.protocol, wanted });
        }
        if found.form == MessageForm::Old && config.old_envelope == OldEnvelope::Refuse {
            return Err(Misfit::OldEnvelope);
        }
        self.spoken = Some(found);
        Ok(())
    }
}
