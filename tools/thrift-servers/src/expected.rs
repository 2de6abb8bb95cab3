//! The calls that the proxy decides to let pass, by the bytes of a client alone.

use thrift::model::{Config, LoadConfig, MemoryLoader, load, resolve};
use thrift::proxy::{CallAction, Contracts, Enclosed, Enclosure, ProxyConfig, Session, Split, Splitter};
use thrift::rules::Functions;
use thrift::wire::{BinaryReader, CompactReader, JsonReader, Limits, Protocol, Reader, WireType};
use thrift_readers::Result;

/// A call as a handler gets it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Call {
    /// The function.
    pub function: String,
    /// Its first argument.
    pub text: Vec<u8>,
    /// Its second argument.
    pub count: i32,
}

impl Call {
    /// The number of the connection that its text was sent over.
    pub fn number(&self) -> Option<usize> {
        let digits = self.text.strip_prefix(b"c")?.split(|byte| *byte == b'.').next()?;
        std::str::from_utf8(digits).ok()?.parse().ok()
    }
}

/// The interface file that all servers serve.
pub const IDL: &str = include_str!("../servers/calls.thrift");

/// The contracts of the interface file.
pub fn contracts(config: ProxyConfig) -> Result<Contracts> {
    let mut loader = MemoryLoader::default().file("calls.thrift", IDL);
    let (program, mut found) = load("calls.thrift", &mut loader, &LoadConfig::default())?;
    let (model, more) = resolve(&program, &Config::default());
    found.extend(more);
    let (contracts, more) = Contracts::new(&model, config);
    found.extend(more);
    contracts.ok_or_else(|| format!("{found:?}"))
}

/// The calls that pass, in their order, if nothing but the client's own bytes ends the connection.
pub fn decided(contracts: &Contracts, bytes: &[u8]) -> Vec<Call> {
    let mut splitter = Splitter::new(contracts.config().validate.limits, thrift_proxy::MAX_MESSAGE);
    let mut session = Session::default();
    let mut rest = bytes;
    let mut calls = Vec::new();
    loop {
        let message = match splitter.next(rest) {
            Split::Message(message) => message,
            Split::Continue => continue,
            Split::More(_) | Split::Broken(_) => return calls,
        };
        let (own, behind) = rest.split_at_checked(message.len).unwrap_or((rest, &[]));
        rest = behind;
        let enclosed = &message.enclosed;
        match contracts.call(&mut session, enclosed, own, &Functions::default()).action {
            CallAction::Forward(_) => calls.extend(arguments(contracts, enclosed, own)),
            CallAction::Answer(_) | CallAction::Drop(_) => {}
            CallAction::Close => return calls,
        }
        if enclosed.enclosure == (Enclosure::Http { close: true }) {
            return calls;
        }
    }
}

/// What the handler of the function will be called with; `None` if there is none for it.
fn arguments(contracts: &Contracts, enclosed: &Enclosed, bytes: &[u8]) -> Option<Call> {
    let header = contracts.reply_envelope(enclosed, bytes)?;
    let (_, function) = header.service_and_function();
    let function = std::str::from_utf8(function).ok()?.to_owned();
    if !["say", "note", "send", "tell"].contains(&function.as_str()) {
        return None;
    }
    let payload = enclosed.payload(bytes);
    let limits = Limits::default();
    let protocol = enclosed.protocol.or_else(|| match payload.first()? {
        b'[' => Some(Protocol::Json),
        0x82 => Some(Protocol::Compact),
        _ => Some(Protocol::Binary),
    });
    let (text, count) = match protocol? {
        Protocol::Binary => read(BinaryReader::new(payload, limits)),
        Protocol::Compact => read(CompactReader::new(payload, limits)),
        Protocol::Json => read(JsonReader::new(payload, limits)),
    }?;
    let count = if function == "note" { 0 } else { count };
    Some(Call { function, text, count })
}

fn read<'b>(mut reader: impl Reader<'b>) -> Option<(Vec<u8>, i32)> {
    let (mut text, mut count) = (Vec::new(), 0);
    reader.message_begin().ok()?;
    let _scope = reader.struct_begin().ok()?;
    while let Some(field) = reader.field_begin().ok()? {
        match (field.id, field.ty) {
            (1, WireType::String) => text = reader.string().ok()?.into_owned(),
            (2, WireType::I32) => count = reader.i32().ok()?,
            (_, ty) => reader.skip(ty).ok()?,
        }
        reader.field_end().ok()?;
    }
    Some((text, count))
}
