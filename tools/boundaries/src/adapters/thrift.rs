//! Thrift messages: validated as files, and sent through the proxy.

use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use thrift::wire::{BinaryWriter, CompactWriter, JsonWriter, MessageForm, MessageKind, WireType, Writer};

use crate::crossing::Protocol;
use crate::process::Listening;
use crate::room::{Answer, Outcome, Room, Shot};
use crate::value::Value;
use crate::{Result, said};

/// The fields of the struct by name; the number is the one of the file.
const FIELDS: [(&str, i16); 11] = [
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
];
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

/// Writes a message: the struct alone, or a call of `put` with it.
fn message(value: &Value, protocol: Protocol, is_call: bool) -> Result<Vec<u8>> {
    let part = part(value, "").ok_or("no message")?;
    let part = if is_call { Part::Struct(vec![(1, part)]) } else { part };
    Ok(match protocol {
        Protocol::Binary => written(BinaryWriter::new(MessageForm::Versioned), &part, is_call),
        Protocol::Compact => written(CompactWriter::new(), &part, is_call),
        Protocol::Json => written(JsonWriter::new(), &part, is_call),
    })
}

fn written(mut writer: impl Writer, part: &Part, is_call: bool) -> Vec<u8> {
    if is_call {
        writer.message_begin(b"put", MessageKind::Call, 7);
    }
    part.write(&mut writer);
    if is_call {
        writer.message_end();
    }
    writer.into_bytes()
}

pub(super) fn validate(room: &Room<'_>, shot: &Shot<'_>, protocol: Protocol) -> Result<Answer> {
    room.folder.write("message", message(shot.value, protocol, false)?)?;
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
}

impl Proxied {
    fn start(room: &Room<'_>, protocol: Protocol) -> Result<Proxied> {
        let listener = TcpListener::bind(("127.0.0.1", 0)).map_err(said)?;
        let address = listener.local_addr().map_err(said)?.to_string();
        let reached = Arc::new(AtomicUsize::new(0));
        let counter = Arc::clone(&reached);
        let part = Part::Struct(Vec::new());
        let reply = |mut writer: BinaryWriter| {
            writer.message_begin(b"put", MessageKind::Reply, 7);
            part.write(&mut writer);
            writer.message_end();
            writer.into_bytes()
        };
        let reply = match protocol {
            Protocol::Compact => {
                let mut writer = CompactWriter::new();
                writer.message_begin(b"put", MessageKind::Reply, 7);
                part.write(&mut writer);
                writer.message_end();
                writer.into_bytes()
            }
            _ => reply(BinaryWriter::new(MessageForm::Versioned)),
        };
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                let Ok(mut stream) = stream else { break };
                let (counter, reply) = (Arc::clone(&counter), reply.clone());
                std::thread::spawn(move || {
                    while read_frame(&mut stream).is_ok() {
                        counter.fetch_add(1, Ordering::SeqCst);
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
        ]);
        Ok(Proxied { proxy: Listening::start(command, "listening on ")?, reached })
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

pub(super) fn proxied(room: &mut Room<'_>, shot: &Shot<'_>, protocol: Protocol) -> Result<Answer> {
    let alive = room.thrift.as_mut().is_some_and(|it| it.proxy.is_alive());
    if !alive {
        room.thrift = Some(Proxied::start(room, protocol)?);
    }
    let Some(proxied) = &room.thrift else { return Err("no proxy".to_owned()) };
    let before = proxied.reached.load(Ordering::SeqCst);
    let mut stream = TcpStream::connect(proxied.address()).map_err(said)?;
    stream.set_read_timeout(Some(Duration::from_secs(30))).map_err(said)?;
    stream.write_all(&framed(&message(shot.value, protocol, true)?)).map_err(said)?;
    let text = match read_frame(&mut stream) {
        Ok(text) => text,
        Err(error) => return Ok(Answer { outcome: Outcome::Broken(error), text: Vec::new(), length: 0 }),
    };
    let passed = proxied.reached.load(Ordering::SeqCst) > before;
    let kind = match protocol {
        Protocol::Compact => text.get(1).map_or(0, |byte| byte >> 5),
        _ => text.get(3).copied().unwrap_or(0),
    };
    let outcome = match (kind, passed) {
        (2, true) => Outcome::Accepted,
        (3, false) => Outcome::Refused,
        (kind, passed) => {
            Outcome::Broken(format!("answered with a message of kind {kind}, passed on: {passed}"))
        }
    };
    Ok(Answer { outcome, length: text.len(), text })
}
