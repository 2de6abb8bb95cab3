//! The parts of a connection: what one message says, and how it hides another.

use thrift::proxy::Transport;
use thrift::wire::{HeaderDialect, MessageForm, MessageKind, Protocol, ReplyFrame, WireType, write_frame};
use thrift_readers::random::Random;

use crate::load::{Load, Place, resumed};
use crate::messages::{Arguments, Said, compose, mark, write};

/// How a message is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Speech {
    pub(crate) transport: Transport,
    pub(crate) framed_within: bool,
    pub(crate) protocol: Protocol,
    pub(crate) form: MessageForm,
}

/// The lengths that a frame is brought to: read as something else than a length, their bytes end a struct, begin a field
/// or begin an envelope.
const LENGTHS: &[usize] = &[0x8001, 0x8002, 0x8003, 0x0b00, 0x0c00, 0x0800, 0x0b01, 0x0c01, 0x8201, 0x8221];

/// A connection that is being written.
pub(crate) struct Writing<'r> {
    pub(crate) random: &'r mut Random,
    pub(crate) number: usize,
    pub(crate) texts: usize,
    pub(crate) speech: Speech,
    pub(crate) shares: bool,
    /// Whether all messages are in the transport and protocol of the server.
    pub(crate) keeps: bool,
    pub(crate) out: Vec<u8>,
    pub(crate) parts: Vec<&'static str>,
}

/// One part of a connection.
type Part = (&'static str, fn(&mut Writing<'_>));

const PARTS: &[Part] = &[
    ("call", |it| it.honest_call()),
    ("call", |it| it.honest_call()),
    ("oneway", |it| it.oneway()),
    ("load", |it| it.honest_load()),
    ("refused in the middle", |it| it.refused_in_the_middle()),
    ("refused in the middle", |it| it.refused_in_the_middle()),
    ("broken rule", |it| it.broken_rule()),
    ("unknown function", |it| it.unknown_function()),
    ("named otherwise", |it| it.named_otherwise()),
    ("hidden in arguments", |it| it.hidden_in_arguments()),
    ("hidden in a name", |it| it.hidden_in_a_name()),
    ("hidden in a name", |it| it.hidden_in_a_name()),
    ("hidden in a text", |it| it.hidden_in_a_text()),
    ("hidden in a field", |it| it.hidden_in_a_field()),
    ("hidden behind a message", |it| it.hidden_behind()),
    ("hidden in a header", |it| it.hidden_in_a_header()),
    ("hidden bare", |it| {
        let hidden = it.hidden();
        it.out.extend(hidden);
    }),
    ("length", |it| it.of_a_length()),
    ("kind", |it| it.kind()),
    ("deep", |it| it.deep()),
    ("uuid", |it| it.uuid()),
    ("changed speech", |it| it.changed_speech()),
];

impl Writing<'_> {
    pub(crate) fn some_speech(&mut self, home: Speech) -> Speech {
        let mut speech = home;
        if !self.keeps && self.random.once_in(3) {
            let transports = [
                Transport::Buffered,
                Transport::Framed,
                Transport::Framed,
                Transport::THeader,
                Transport::TTHeader,
                Transport::Http,
            ];
            let protocols = [Protocol::Binary, Protocol::Binary, Protocol::Compact, Protocol::Json];
            speech.transport = self.random.pick(&transports).copied().unwrap_or(home.transport);
            speech.protocol = self.random.pick(&protocols).copied().unwrap_or(home.protocol);
        }
        if speech.protocol == Protocol::Binary && self.random.once_in(4) {
            speech.form = MessageForm::Old;
        }
        speech.framed_within = speech.transport == Transport::TTHeader && self.random.once_in(2);
        speech
    }

    pub(crate) fn honest(&mut self) {
        match self.random.below(5) {
            0 => self.oneway(),
            1 => self.broken_rule(),
            2 => self.honest_load(),
            _ => self.honest_call(),
        }
    }

    pub(crate) fn anything(&mut self, home: Speech) {
        // A server that has a service is asked in every way it knows; most connections keep to one.
        if self.random.once_in(12) {
            self.speech = self.some_speech(home);
        }
        let before = self.out.len();
        let Some((name, part)) = self.random.pick(PARTS) else { return };
        part(self);
        self.parts.push(name);
        if self.random.once_in(10) && self.out.len() > before {
            self.parts.push("spoilt");
            let at = before + self.random.below((self.out.len() - before).min(80));
            let byte = self.random.bits() as u8;
            match (self.random.below(3), self.out.get_mut(at)) {
                (0, Some(there)) => *there = byte,
                (1, Some(_)) => self.out.insert(at, byte),
                (_, Some(_)) => drop(self.out.remove(at)),
                (_, None) => {}
            }
        }
    }

    /// A text that nobody else sends.
    fn text(&mut self, mark: char) -> Vec<u8> {
        self.texts += 1;
        format!("c{}.{mark}{}", self.number, self.texts).into_bytes()
    }

    /// A number that says where it comes from, should the text be lost.
    fn mark(&self) -> i32 {
        i32::try_from(self.number).unwrap_or(i32::MAX)
    }

    fn name(&mut self, function: &str) -> Vec<u8> {
        let service = if function == "tell" { "Other" } else { "Calls" };
        if self.shares { format!("{service}:{function}").into_bytes() } else { function.as_bytes().to_vec() }
    }

    fn honest_call(&mut self) {
        let tells = self.shares && self.random.once_in(3);
        let (name, count) =
            if tells { (self.name("tell"), -self.mark()) } else { (self.name("say"), self.mark()) };
        let text = self.text('a');
        self.say(&Said::call(&name, &text, count));
    }

    fn oneway(&mut self) {
        let (name, text) = (self.name("note"), self.text('n'));
        self.say(&Said { name: &name, kind: MessageKind::Oneway, text: &text, count: 0, extra: None });
    }

    fn honest_load(&mut self) {
        let load = Load { size: 1, place: Place::Street, marks: Some(1), note: b"note", first: false };
        self.load(&load);
    }

    /// A call with something in the middle that a reader may refuse, and one that hides where such a reader goes on: the ends of
    /// the structs that are open and the first bytes of the next envelope are a length then.
    fn refused_in_the_middle(&mut self) {
        let first = self.random.once_in(3);
        let load = Load {
            size: *self.random.pick(&[1, 2, 7, -1]).unwrap_or(&1),
            place: *self.random.pick(&[Place::Absent, Place::Street, Place::Empty]).unwrap_or(&Place::Absent),
            marks: *self.random.pick(&[None, Some(1), Some(2), Some(0)]).unwrap_or(&None),
            note: self.random.pick(&[b"note".as_slice(), b"\xff\xfe", b""]).copied().unwrap_or_default(),
            first,
        };
        self.load(&load);
        let (name, text) = (self.name("say"), self.text('a'));
        // The longer ones are long.
        let count = if self.random.once_in(4) { 2 } else { 1 };
        let hidden: Vec<_> = (0..count).map(|_| self.hidden_as_text()).collect();
        let skips = self.random.once_in(2);
        let text = resumed(&name, text, &hidden, skips);
        self.say(&Said::call(&name, &text, self.mark()));
    }

    /// A hidden call that is text.
    fn hidden_as_text(&mut self) -> Vec<u8> {
        let (name, text) = (self.name("say"), self.text('h'));
        let said = Said::call(&name, &text, 0x7f00_0000);
        write(Protocol::Binary, MessageForm::Old, &said)
    }

    fn load(&mut self, load: &Load) {
        let (name, text) = (self.name("send"), self.text('l'));
        let payload = load.call(self.speech.protocol, self.speech.form, &name, &text, self.mark());
        self.enclose(self.speech, &payload);
    }

    fn broken_rule(&mut self) {
        let (name, text) = (self.name("say"), self.text('b'));
        self.say(&Said::call(&name, &text, -self.mark()));
    }

    fn unknown_function(&mut self) {
        let names: [&[u8]; 7] =
            [b"other", b"Other:say", b"None:say", b"say:", b":say", b"Calls:say:x", b"SAY"];
        let name = self.random.pick(&names).copied().unwrap_or(b"other");
        let kind = if self.random.once_in(4) { MessageKind::Oneway } else { MessageKind::Call };
        let (text, extra) = (self.text('u'), self.shifted());
        self.say(&Said { name, kind, text: &text, count: self.mark(), extra: Some(&extra) });
    }

    /// Whichever name the server does not look for, or that of a service which it does not have.
    fn name_otherwise(&mut self, function: &str) -> Vec<u8> {
        match (self.shares, function) {
            (true, _) | (false, "tell") => function.as_bytes().to_vec(),
            (false, _) => format!("Calls:{function}").into_bytes(),
        }
    }

    /// A call that keeps its rules, of something that the server does not have.
    fn named_otherwise(&mut self) {
        let (function, count) =
            if self.random.once_in(3) { ("tell", -self.mark()) } else { ("say", self.mark()) };
        let (name, text) = (self.name_otherwise(function), self.text('o'));
        self.say(&Said::call(&name, &text, count));
    }

    /// The same, with arguments that are a call for a server that goes on with them as the next message.
    fn hidden_in_arguments(&mut self) {
        let known = self.random.once_in(3);
        let (name, hidden) =
            (if known { self.name("mark") } else { self.name_otherwise("mark") }, self.name("say"));
        let text = self.text('h');
        let said = Said::call(&hidden, &text, -self.mark());
        let payload = mark(self.speech.protocol, self.speech.form, &name, &said);
        self.enclose(self.speech, &payload);
    }

    /// A call that no honest client sends, as some server could find it.
    fn hidden(&mut self) -> Vec<u8> {
        let (name, text) = (self.name("say"), self.text('h'));
        let count = if self.random.once_in(2) { self.mark() } else { -self.mark() };
        let said = Said::call(&name, &text, count);
        match self.random.below(6) {
            0 => write(Protocol::Binary, MessageForm::Old, &said),
            1 => write_frame(&write(Protocol::Binary, MessageForm::Versioned, &said)),
            2 => write(Protocol::Compact, MessageForm::Versioned, &said),
            _ => write(Protocol::Binary, MessageForm::Versioned, &said),
        }
    }

    /// A hidden call behind bytes that end whatever a server takes them for.
    fn shifted(&mut self) -> Vec<u8> {
        let mut bytes = match self.random.below(5) {
            0 => vec![1, 0, 0, 0, 9, 0],
            1 => vec![0; self.random.below(9)],
            2 => vec![b'x'; self.random.below(9)],
            _ => Vec::new(),
        };
        bytes.extend(self.hidden());
        bytes
    }

    fn hidden_in_a_name(&mut self) {
        // Behind the length of the name, which itself is the end of a struct and the first half of a version.
        let hidden = self.hidden();
        let mut name = match self.random.below(3) {
            0 => self.shifted(),
            _ => hidden.get(2..).unwrap_or_default().to_vec(),
        };
        let fill = *self.random.pick(&[b'x', 0]).unwrap_or(&0);
        name.resize(*self.random.pick(&[0x8001, 0x8001, 0x8002, 300, 1024, 900]).unwrap_or(&300), fill);
        let text = self.text('u');
        let said = Said::call(&name, &text, self.mark());
        let form = if self.random.once_in(3) { MessageForm::Versioned } else { MessageForm::Old };
        let speech = Speech { form, protocol: Protocol::Binary, ..self.speech };
        self.enclose(speech, &write(Protocol::Binary, form, &said));
    }

    fn hidden_in_a_text(&mut self) {
        // As text it is UTF-8: the first byte of a version has another before it.
        let (mut text, hidden) = (self.text('a'), self.hidden());
        for byte in hidden {
            if byte >= 0x80 {
                text.push(0xc2);
            }
            text.push(byte);
        }
        let name = self.name("say");
        self.say(&Said::call(&name, &text, self.mark()));
    }

    fn hidden_in_a_field(&mut self) {
        let (name, text, hidden) = (self.name("say"), self.text('a'), self.shifted());
        self.say(&Said { extra: Some(&hidden), ..Said::call(&name, &text, self.mark()) });
    }

    fn hidden_behind(&mut self) {
        let (name, text) = (self.name("say"), self.text('a'));
        let said = Said::call(&name, &text, self.mark());
        let mut payload = write(self.speech.protocol, self.speech.form, &said);
        payload.extend(self.shifted());
        self.enclose(self.speech, &payload);
    }

    fn hidden_in_a_header(&mut self) {
        let (name, text, hidden) = (self.name("say"), self.text('a'), self.shifted());
        let said = Said::call(&name, &text, self.mark());
        let payload = write(self.speech.protocol, self.speech.form, &said);
        match self.speech.transport {
            Transport::Http => {
                let head = match self.random.below(3) {
                    0 => format!("POST / HTTP/1.1\r\nX: y\r\nContent-Length: {}\r\n\r\n", payload.len()),
                    1 => format!("POST / HTTP/1.1\r\nContent-Length: {}\r\n\r\n", payload.len() / 2),
                    _ => format!(
                        "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n{:x}\r\n",
                        payload.len()
                    ),
                };
                self.out.extend([head.as_bytes(), &payload, b"\r\n0\r\n\r\n"].concat());
            }
            _ => {
                let services: [&[u8]; 4] = [b"Calls", b"Other", b"None", b""];
                let service = self.random.pick(&services).copied().unwrap_or_default();
                let mut header = vec![0, 0, 1, 0, 2];
                for (key, value) in [(b"isn".as_slice(), service), (b"x", &hidden)] {
                    for part in [key, value] {
                        header.extend((part.len() as u16).to_be_bytes());
                        header.extend(part);
                    }
                }
                header.resize(header.len().next_multiple_of(4), 0);
                let flags = *self.random.pick(&[0_u16, 0, 0, 2]).unwrap_or(&0);
                let mut frame = [0x1000_u16.to_be_bytes(), flags.to_be_bytes()].concat();
                frame.extend([0, 0, 0, 1]);
                frame.extend(((header.len() / 4) as u16).to_be_bytes());
                frame.extend(header);
                frame.extend(payload);
                self.out.extend(write_frame(&frame));
            }
        }
    }

    fn of_a_length(&mut self) {
        let (name, text, hidden) = (self.name("say"), self.text('a'), self.shifted());
        let wanted = *self.random.pick(LENGTHS).unwrap_or(&0x8001);
        let mut extra = hidden;
        for _ in 0..2 {
            let said = Said { extra: Some(&extra), ..Said::call(&name, &text, self.mark()) };
            let len = write(self.speech.protocol, self.speech.form, &said).len();
            let fill = (extra.len() + wanted).saturating_sub(len);
            extra.resize(fill.max(1), 0);
        }
        self.say(&Said { extra: Some(&extra), ..Said::call(&name, &text, self.mark()) });
    }

    fn kind(&mut self) {
        let (name, text) = (self.name("say"), self.text('k'));
        let said = Said::call(&name, &text, self.mark());
        let mut payload = write(self.speech.protocol, self.speech.form, &said);
        let number = *self.random.pick(&[0_u8, 2, 3, 4, 5, 7, 0xff]).unwrap_or(&0);
        let at = match (self.speech.protocol, self.speech.form) {
            (Protocol::Binary, MessageForm::Versioned) => 3,
            (Protocol::Binary, MessageForm::Old) => 4 + name.len(),
            (Protocol::Compact, _) => 1,
            // Bracket, version, name in quotes and commas.
            (Protocol::Json, _) => 6 + name.len(),
        };
        if let Some(byte) = payload.get_mut(at) {
            *byte = match self.speech.protocol {
                Protocol::Binary => number,
                Protocol::Compact => *byte & 0x1f | number << 5,
                Protocol::Json => b'0' + number % 10,
            };
        }
        self.enclose(self.speech, &payload);
    }

    /// An unknown function whose arguments are nested about as deep as anybody reads.
    fn deep(&mut self) {
        let depth = 60 + self.random.below(10);
        let hidden = self.shifted();
        let known = self.random.once_in(2);
        let (name, text) = (self.name("say"), self.text('d'));
        let payload = self.with_arguments(if known { &name } else { b"other" }, |writer| {
            if known {
                writer.field(WireType::String, 1);
                writer.text(&text);
                writer.done();
            }
            writer.field(WireType::Struct, 9);
            for _ in 0..depth {
                writer.open();
                writer.field(WireType::Struct, 1);
            }
            writer.open();
            writer.field(WireType::String, 1);
            writer.text(&hidden);
            writer.done();
            writer.close();
            for _ in 0..depth {
                writer.done();
                writer.close();
            }
            writer.done();
        });
        self.enclose(self.speech, &payload);
    }

    /// A value of a type that not all readers know.
    fn uuid(&mut self) {
        let hidden = self.shifted();
        let known = self.random.once_in(2);
        let (name, text) = (self.name("say"), self.text('v'));
        let payload = self.with_arguments(if known { &name } else { b"other" }, |writer| {
            if known {
                writer.field(WireType::String, 1);
                writer.text(&text);
                writer.done();
            }
            writer.field(WireType::Uuid, 9);
            writer.uuid();
            writer.done();
            writer.field(WireType::String, 10);
            writer.text(&hidden);
            writer.done();
        });
        self.enclose(self.speech, &payload);
    }

    fn changed_speech(&mut self) {
        self.speech = self.some_speech(self.speech);
        self.honest_call();
    }

    fn say(&mut self, said: &Said<'_>) {
        self.enclose(self.speech, &write(self.speech.protocol, self.speech.form, said));
    }

    fn with_arguments(&mut self, name: &[u8], arguments: impl Fn(&mut dyn Arguments)) -> Vec<u8> {
        compose(self.speech.protocol, self.speech.form, name, MessageKind::Call, arguments)
    }

    fn enclose(&mut self, speech: Speech, payload: &[u8]) {
        let protocol_id = if speech.protocol == Protocol::Compact { 2 } else { 0 };
        let seqid = self.random.below(100) as i32;
        let header = |dialect| ReplyFrame { dialect, seqid, protocol_id, framed: speech.framed_within };
        let bytes = match speech.transport {
            Transport::Buffered => payload.to_vec(),
            Transport::Framed => write_frame(payload),
            Transport::THeader => header(HeaderDialect::THeader).write(payload),
            Transport::TTHeader => header(HeaderDialect::TTHeader).write(payload),
            Transport::Http => {
                let head = format!("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: {}\r\n\r\n", payload.len());
                [head.as_bytes(), payload].concat()
            }
        };
        self.out.extend(bytes);
    }
}
