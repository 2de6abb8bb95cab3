//! Thrift messages: validated as files, and sent through the proxy.

use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use thrift::wire::{BinaryWriter, CompactWriter, JsonWriter, MessageForm, MessageKind, WireType, Writer};

use crate::crossing::Protocol;
use crate::process::Listening;
use crate::room::{Answer, Outcome, Room, Shot};
use crate::value::Value;
use crate::{Result, said};

/// The fields of the struct by name; the number is the one of the file.
const FIELDS: [(&str, i16); 12] = [
    ("name", 1),
    ("count", 2),
    ("on", 3),
    ("mode", 4),
    ("level", 5),
    ("list", 6),
    ("nums", 7),
    ("sec", 8),
    ("code", 9),
    ("inner", 10),
    ("map", 11),
    ("vault", 12),
];
const VAULT: [(&str, i16); 2] = [("key", 1), ("size", 2)];
const INNER: [(&str, i16); 2] = [("leaf", 1), ("deep", 2)];
const DEEP: [(&str, i16); 1] = [("leaf", 1)];

/// Why a value has no message, if it has none.
pub(super) fn cannot(value: &Value) -> Option<&'static str> {
    match value {
        Value::Object(_) => {
            part(value, "").is_none().then_some("the wire has no such field, or no such value")
        }
        _ => Some("a message is a struct"),
    }
}

/// A part of a message.
enum Part {
    Bool(bool),
    Enum(i32),
    Whole(i64),
    Double(f64),
    Text(String),
    List(Vec<Part>),
    Map(Vec<(String, Part)>),
    Struct(Vec<(i16, Part)>),
}

impl Part {
    fn ty(&self) -> WireType {
        match self {
            Part::Bool(_) => WireType::Bool,
            Part::Enum(_) => WireType::I32,
            Part::Whole(_) => WireType::I64,
            Part::Double(_) => WireType::Double,
            Part::Text(_) => WireType::String,
            Part::List(_) => WireType::List,
            Part::Map(_) => WireType::Map,
            Part::Struct(_) => WireType::Struct,
        }
    }

    fn write(&self, out: &mut impl Writer) {
        match self {
            Part::Bool(truth) => out.bool(*truth),
            Part::Enum(number) => out.i32(*number),
            Part::Whole(number) => out.i64(*number),
            Part::Double(number) => out.double(*number),
            Part::Text(text) => out.string(text.as_bytes()),
            Part::List(items) => {
                out.list_begin(items.first().map_or(WireType::String, Part::ty), items.len());
                items.iter().for_each(|item| item.write(out));
                out.list_end();
            }
            Part::Map(entries) => {
                let ty = entries.first().map_or(WireType::I64, |(_, value)| value.ty());
                out.map_begin(WireType::String, ty, entries.len());
                for (key, value) in entries {
                    out.string(key.as_bytes());
                    value.write(out);
                }
                out.map_end();
            }
            Part::Struct(fields) => {
                out.struct_begin();
                for (number, value) in fields {
                    out.field_begin(value.ty(), *number);
                    value.write(out);
                    out.field_end();
                }
                out.struct_end();
            }
        }
    }
}

/// A value as a part of a message; nothing where the wire has none for it.
fn part(value: &Value, place: &str) -> Option<Part> {
    let fields: &[(&str, i16)] = match place {
        "" => &FIELDS,
        "inner" => &INNER,
        "deep" => &DEEP,
        "vault" => &VAULT,
        _ => &[],
    };
    Some(match value {
        Value::Null | Value::Raw(_) => return None,
        Value::Bool(truth) => Part::Bool(*truth),
        Value::Number(digits) => match digits.parse::<i64>() {
            Ok(number) if place == "mode" => Part::Enum(i32::try_from(number).ok()?),
            Ok(number) => Part::Whole(number),
            // Only what a double holds exactly is the same attack on the wire.
            Err(_) if digits.len() < 10 && !digits.contains(['e', 'E']) => Part::Double(digits.parse().ok()?),
            Err(_) => return None,
        },
        Value::Text(text) if place == "mode" && text == "fast" => Part::Enum(1),
        Value::Text(text) if place == "mode" && text == "slow" => Part::Enum(2),
        Value::Text(text) => Part::Text(text.clone()),
        Value::Array(items) => {
            let items: Vec<Part> = items.iter().map(|item| part(item, "item")).collect::<Option<_>>()?;
            let first = items.first().map(Part::ty);
            if items.iter().any(|item| Some(item.ty()) != first) {
                return None;
            }
            Part::List(items)
        }
        Value::Object(members) if place == "map" => {
            let entries: Vec<(String, Part)> = members
                .iter()
                .map(|(name, value)| Some((name.clone(), part(value, "item")?)))
                .collect::<Option<_>>()?;
            let first = entries.first().map(|(_, value)| value.ty());
            if entries.iter().any(|(_, value)| Some(value.ty()) != first) {
                return None;
            }
            Part::Map(entries)
        }
        // A struct in a place that has none is one without fields.
        Value::Object(_) if fields.is_empty() => Part::Struct(Vec::new()),
        Value::Object(members) => Part::Struct(
            members
                .iter()
                .map(|(name, value)| {
                    let (_, number) = fields.iter().find(|(known, _)| known == name)?;
                    Some((*number, part(value, name)?))
                })
                .collect::<Option<_>>()?,
        ),
    })
}

/// What stands around a struct.
#[derive(Clone, Copy)]
enum Envelope {
    Nothing,
    Message(&'static str, MessageKind),
}

/// Writes a message.
fn written(part: &Part, protocol: Protocol, envelope: Envelope) -> Vec<u8> {
    match protocol {
        Protocol::Binary => write(BinaryWriter::new(MessageForm::Versioned), part, envelope),
        Protocol::Compact => write(CompactWriter::new(), part, envelope),
        Protocol::Json => write(JsonWriter::new(), part, envelope),
    }
}

fn write(mut writer: impl Writer, part: &Part, envelope: Envelope) -> Vec<u8> {
    if let Envelope::Message(function, kind) = envelope {
        writer.message_begin(function.as_bytes(), kind, 7);
    }
    part.write(&mut writer);
    if let Envelope::Message(..) = envelope {
        writer.message_end();
    }
    writer.into_bytes()
}

/// The value as the only field of a struct.
fn field(value: &Value, number: i16) -> Result<Part> {
    Ok(Part::Struct(vec![(number, part(value, "").ok_or("no message")?)]))
}

pub(super) fn validate(room: &Room<'_>, shot: &Shot<'_>, protocol: Protocol) -> Result<Answer> {
    let part = part(shot.value, "").ok_or("no message")?;
    room.folder.write("message", written(&part, protocol, Envelope::Nothing))?;
    let protocol = format!("{protocol:?}").to_lowercase();
    room.run(&[
        "thrift",
        "validate",
        "widget.thrift",
        "--type",
        "Widget",
        "--protocol",
        &protocol,
        "--in",
        "message",
    ])
}

/// A proxy, and the server behind it, which counts what reaches it.
#[derive(Debug)]
pub(crate) struct Proxied {
    proxy: Listening,
    reached: Arc<AtomicUsize>,
    /// What the server answers.
    reply: Arc<Mutex<Vec<u8>>>,
}

impl Proxied {
    fn start(room: &Room<'_>) -> Result<Proxied> {
        let listener = TcpListener::bind(("127.0.0.1", 0)).map_err(said)?;
        let address = listener.local_addr().map_err(said)?.to_string();
        let (reached, reply) = (Arc::new(AtomicUsize::new(0)), Arc::new(Mutex::new(Vec::new())));
        let (counter, answer) = (Arc::clone(&reached), Arc::clone(&reply));
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                let Ok(mut stream) = stream else { break };
                let (counter, answer) = (Arc::clone(&counter), Arc::clone(&answer));
                std::thread::spawn(move || {
                    while read_frame(&mut stream).is_ok() {
                        counter.fetch_add(1, Ordering::SeqCst);
                        let reply = answer.lock().unwrap_or_else(PoisonError::into_inner).clone();
                        if stream.write_all(&framed(&reply)).is_err() {
                            break;
                        }
                    }
                });
            }
        });
        let command = room.tendon(&[
            "thrift",
            "proxy",
            "--idl",
            "widget.thrift",
            "--listen",
            "127.0.0.1:0",
            "--upstream",
            &address,
            "--replies",
            "replace",
        ]);
        Ok(Proxied { proxy: Listening::start(command, "listening on ")?, reached, reply })
    }

    /// Sends a call; gives back the answer, its kind, and whether the server saw the call.
    fn call(&self, call: &[u8], reply: Vec<u8>, protocol: Protocol) -> Result<(Vec<u8>, u8, bool)> {
        *self.reply.lock().unwrap_or_else(PoisonError::into_inner) = reply;
        let before = self.reached.load(Ordering::SeqCst);
        let mut stream = TcpStream::connect(self.address()).map_err(said)?;
        stream.set_read_timeout(Some(Duration::from_secs(30))).map_err(said)?;
        stream.write_all(&framed(call)).map_err(said)?;
        let text = read_frame(&mut stream)?;
        let kind = match protocol {
            Protocol::Compact => text.get(1).map_or(0, |byte| byte >> 5),
            _ => text.get(3).copied().unwrap_or(0),
        };
        Ok((text, kind, self.reached.load(Ordering::SeqCst) > before))
    }

    fn address(&self) -> SocketAddr {
        self.proxy.address
    }
}

fn framed(message: &[u8]) -> Vec<u8> {
    let length = u32::try_from(message.len()).unwrap_or(u32::MAX);
    [&length.to_be_bytes(), message].concat()
}

fn read_frame(stream: &mut TcpStream) -> Result<Vec<u8>> {
    let mut length = [0; 4];
    stream.read_exact(&mut length).map_err(said)?;
    let mut frame = vec![0; usize::try_from(u32::from_be_bytes(length)).map_err(said)?];
    stream.read_exact(&mut frame).map_err(said)?;
    Ok(frame)
}

fn running<'r>(room: &'r mut Room<'_>) -> Result<&'r Proxied> {
    if !room.thrift.as_mut().is_some_and(|it| it.proxy.is_alive()) {
        room.thrift = Some(Proxied::start(room)?);
    }
    room.thrift.as_ref().ok_or_else(|| "no proxy".to_owned())
}

/// A call with the value, which the server behind the proxy must not see.
pub(super) fn proxied(room: &mut Room<'_>, shot: &Shot<'_>, protocol: Protocol) -> Result<Answer> {
    let call = written(&field(shot.value, 1)?, protocol, Envelope::Message("put", MessageKind::Call));
    let nothing = Part::Struct(Vec::new());
    let reply = written(&nothing, protocol, Envelope::Message("put", MessageKind::Reply));
    Ok(match running(room)?.call(&call, reply, protocol) {
        Ok((text, 2, true)) => answered(Outcome::Accepted, text),
        Ok((text, 3, false)) => answered(Outcome::Refused, text),
        Ok((text, kind, passed)) => {
            let what = format!("answered with a message of kind {kind}, passed on: {passed}");
            answered(Outcome::Broken(what), text)
        }
        Err(error) => answered(Outcome::Broken(error), Vec::new()),
    })
}

/// A reply with the value, which the client must not see.
pub(super) fn replied(room: &mut Room<'_>, shot: &Shot<'_>, protocol: Protocol) -> Result<Answer> {
    let nothing = Part::Struct(Vec::new());
    let call = written(&nothing, protocol, Envelope::Message("get", MessageKind::Call));
    let reply = written(&field(shot.value, 0)?, protocol, Envelope::Message("get", MessageKind::Reply));
    Ok(match running(room)?.call(&call, reply.clone(), protocol) {
        Ok((text, 2, true)) if text == reply => answered(Outcome::Accepted, text),
        Ok((text, 3, true)) => answered(Outcome::Refused, text),
        Ok((text, kind, passed)) => {
            let what = format!("answered with a message of kind {kind}, passed on: {passed}");
            answered(Outcome::Broken(what), text)
        }
        Err(error) => answered(Outcome::Broken(error), Vec::new()),
    })
}

fn answered(outcome: Outcome, text: Vec<u8>) -> Answer {
    Answer { outcome, length: text.len(), text, is_too_large: false }
}
