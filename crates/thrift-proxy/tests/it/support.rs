//! A proxy in this process, an upstream that echoes, and clients that speak bytes.

use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::Duration;

use logging::Log;
use thrift::model::{Config, LoadConfig, MemoryLoader, load, resolve};
use thrift::proxy::{Contracts, OldEnvelope, ProxyConfig, ReplyTo, Session, Split, SplitMessage, Splitter};
use thrift::rules::Functions;
use thrift::wire::{
    BinaryWriter, CompactWriter, HeaderDialect, JsonWriter, Limits, MessageForm, MessageKind, Protocol,
    ReplyFrame, WireType, Writer,
};
use thrift_proxy::{
    ActiveContracts, ConnectionContext, Fresh, MAX_MESSAGE, Metrics, Operator, Proxy, ProxySettings, Stopper,
    Timeouts,
};

pub(crate) const IDL: &str = r#"
    struct Answer { 1: string text (vt.max_size = "30") }
    service Echo {
        Answer say(1: string text (vt.min_size = "1", vt.max_size = "20"))
        oneway void note(1: string text (vt.min_size = "1"))
    }
"#;

pub(crate) fn contracts(idl: &str, config: ProxyConfig) -> Result<Contracts, String> {
    let mut loader = MemoryLoader::default().file("service.thrift", idl);
    let (program, mut found) = load("service.thrift", &mut loader, &LoadConfig::default())?;
    let (model, more) = resolve(&program, &Config::default());
    found.extend(more);
    if let Some(error) = found.iter().find(|it| it.is_error()) {
        return Err(error.message.to_string());
    }
    let (contracts, found) = Contracts::new(&model, config);
    contracts.ok_or_else(|| format!("{found:?}"))
}

/// A proxy that runs until the end of the test.
pub(crate) struct Running {
    pub(crate) address: SocketAddr,
    pub(crate) metrics_address: SocketAddr,
    pub(crate) shared: Arc<ConnectionContext>,
    /// The text of the IDL, to be changed and read again.
    pub(crate) idl: Arc<Mutex<String>>,
    stopper: Stopper,
    thread: Option<JoinHandle<()>>,
}

impl Running {
    pub(crate) fn start(upstream: SocketAddr) -> Running {
        Running::start_with(upstream, ProxyConfig::default(), |_| {})
    }

    pub(crate) fn start_with(
        upstream: SocketAddr,
        config: ProxyConfig,
        change: impl FnOnce(&mut ProxySettings),
    ) -> Running {
        Running::operated(upstream, config, change, Vec::new(), Operator::default())
    }

    /// With files that the contracts are said to come from.
    pub(crate) fn operated(
        upstream: SocketAddr,
        config: ProxyConfig,
        change: impl FnOnce(&mut ProxySettings),
        files: Vec<PathBuf>,
        operator: Operator,
    ) -> Running {
        let any: SocketAddr = "127.0.0.1:0".parse().unwrap();
        let mut settings = ProxySettings {
            listen: any,
            upstream: upstream.to_string(),
            metrics: Some(any),
            max_connections: 1000,
            max_message: MAX_MESSAGE,
            max_pending: 64,
            access_log: false,
            workers: NonZeroUsize::new(2).unwrap(),
            timeouts: Timeouts::default(),
        };
        change(&mut settings);
        let metrics = Arc::new(Metrics::default());
        let idl = Arc::new(Mutex::new(IDL.to_owned()));
        let text = Arc::clone(&idl);
        let source = Box::new(move || {
            let contracts = contracts(&text.lock().unwrap(), config.clone())?;
            Ok(Fresh { contracts, files: files.clone() })
        });
        let live = ActiveContracts::new(source, Arc::clone(&metrics)).unwrap();
        let log = Log::silent();
        let proxy = Proxy::bind(ConnectionContext { settings, live, metrics, log }).unwrap();
        let address = proxy.address().unwrap();
        let metrics_address = proxy.metrics_address().unwrap();
        let shared = Arc::clone(proxy.shared());
        let (stopper, stop) = Stopper::new();
        let tell = stopper.clone();
        let thread = std::thread::spawn(move || proxy.run(tell, stop, operator).unwrap());
        Running { address, metrics_address, shared, idl, stopper, thread: Some(thread) }
    }

    /// Tells the proxy to stop, without waiting.
    pub(crate) fn stop(&self) {
        self.stopper.stop();
    }

    /// Leaves the proxy without anybody who could tell it to stop.
    pub(crate) fn abandon(&mut self) {
        self.stopper = Stopper::new().0;
    }

    /// Waits until the proxy has stopped.
    pub(crate) fn join(&mut self) {
        self.thread.take().unwrap().join().unwrap();
    }

    pub(crate) fn connect(&self) -> Client {
        Client::connect(self.address)
    }

    pub(crate) fn metrics(&self) -> String {
        let mut stream = TcpStream::connect(self.metrics_address).unwrap();
        stream.write_all(b"GET /metrics HTTP/1.1\r\n\r\n").unwrap();
        let mut text = String::new();
        stream.read_to_string(&mut text).unwrap();
        text
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.stopper.stop();
    }
}

/// A client that writes and reads bytes.
pub(crate) struct Client(pub(crate) TcpStream);

impl Client {
    pub(crate) fn connect(address: SocketAddr) -> Client {
        let stream = TcpStream::connect(address).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
        stream.set_nodelay(true).unwrap();
        Client(stream)
    }

    pub(crate) fn send(&mut self, bytes: &[u8]) {
        self.0.write_all(bytes).unwrap();
    }

    /// Reads as many bytes as are expected and compares them.
    #[track_caller]
    pub(crate) fn expect(&mut self, bytes: &[u8]) {
        let mut read = vec![0; bytes.len()];
        if let Err(error) = self.0.read_exact(&mut read) {
            panic!("{error}; expected {}", String::from_utf8_lossy(bytes));
        }
        assert_eq!(String::from_utf8_lossy(&read), String::from_utf8_lossy(bytes));
        assert_eq!(read, bytes);
    }

    /// Reads an exception in binary that answers `say`: number, kind, text.
    pub(crate) fn exception(&mut self) -> (i32, i32, String) {
        self.expect(b"\x80\x01\x00\x03\x00\x00\x00\x03say");
        let seqid = self.number();
        self.expect(b"\x0b\x00\x01");
        let length = self.number();
        let mut text = vec![0; usize::try_from(length).unwrap()];
        self.0.read_exact(&mut text).unwrap();
        self.expect(b"\x08\x00\x02");
        let kind = self.number();
        self.expect(b"\x00");
        (seqid, kind, String::from_utf8(text).unwrap())
    }

    /// Reads a frame, with its length.
    pub(crate) fn frame(&mut self) -> Vec<u8> {
        let length = self.number();
        let mut bytes = length.to_be_bytes().to_vec();
        bytes.resize(4 + usize::try_from(length).unwrap(), 0);
        self.0.read_exact(&mut bytes[4..]).unwrap();
        bytes
    }

    fn number(&mut self) -> i32 {
        let mut bytes = [0; 4];
        self.0.read_exact(&mut bytes).unwrap();
        i32::from_be_bytes(bytes)
    }

    /// Reads until the other side closes.
    pub(crate) fn rest(&mut self) -> Vec<u8> {
        let mut bytes = Vec::new();
        // A reset is an end too.
        let _ = self.0.read_to_end(&mut bytes);
        bytes
    }

    #[track_caller]
    pub(crate) fn expect_end(&mut self) {
        assert_eq!(String::from_utf8_lossy(&self.rest()), "");
    }
}

/// What an upstream does with a message.
pub(crate) enum Reaction {
    Answer(Vec<u8>),
    /// An answer, and the end of the connection.
    LastAnswer(Vec<u8>),
    Silence,
    Hang,
}

/// An upstream, and what it received.
pub(crate) struct Upstream {
    pub(crate) address: SocketAddr,
    pub(crate) received: Arc<Mutex<Vec<Vec<u8>>>>,
    pub(crate) connections: Arc<AtomicUsize>,
}

impl Upstream {
    /// An upstream that answers `say` with its argument.
    pub(crate) fn echo() -> Upstream {
        Upstream::start(echo)
    }

    pub(crate) fn start(
        react: impl Fn(&Contracts, &SplitMessage, &[u8]) -> Reaction + Send + Sync + Clone + 'static,
    ) -> Upstream {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let received = Arc::new(Mutex::new(Vec::new()));
        let connections = Arc::new(AtomicUsize::new(0));
        let (seen, count) = (Arc::clone(&received), Arc::clone(&connections));
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                count.fetch_add(1, Ordering::Relaxed);
                let (seen, react) = (Arc::clone(&seen), react.clone());
                let _ = stream.as_ref().map(|stream| stream.set_nodelay(true));
                std::thread::spawn(move || talk(&mut stream.unwrap(), &seen, react));
            }
        });
        Upstream { address, received, connections }
    }

    pub(crate) fn received(&self) -> Vec<Vec<u8>> {
        self.received.lock().unwrap().clone()
    }
}

fn talk(
    stream: &mut TcpStream,
    seen: &Mutex<Vec<Vec<u8>>>,
    react: impl Fn(&Contracts, &SplitMessage, &[u8]) -> Reaction,
) {
    let config = ProxyConfig { old_envelope: OldEnvelope::Allow, ..ProxyConfig::default() };
    let contracts = contracts(IDL, config).unwrap();
    let mut splitter = Splitter::new(Limits::default(), MAX_MESSAGE);
    let mut held = Vec::new();
    loop {
        while let Split::Message(message) = splitter.next(&held) {
            let rest = held.split_off(message.len);
            let bytes = std::mem::replace(&mut held, rest);
            let reaction = react(&contracts, &message, &bytes);
            seen.lock().unwrap().push(bytes);
            match reaction {
                Reaction::Answer(answer) if stream.write_all(&answer).is_err() => return,
                Reaction::Answer(_) | Reaction::Silence => {}
                Reaction::LastAnswer(answer) => return drop(stream.write_all(&answer)),
                Reaction::Hang => return,
            }
        }
        let mut chunk = [0; 65536];
        match stream.read(&mut chunk) {
            Ok(0) | Err(_) => return,
            Ok(read) => held.extend(chunk.iter().take(read)),
        }
    }
}

/// Answers a call of `say` with its text; everything else is left unanswered.
pub(crate) fn echo(contracts: &Contracts, message: &SplitMessage, bytes: &[u8]) -> Reaction {
    let payload = message.enclosed.payload(bytes);
    let header = contracts.reply_envelope(&message.enclosed, bytes).unwrap();
    let (_, function) = header.service_and_function();
    if function != b"say" {
        return Reaction::Silence;
    }
    let Some(to) = contracts
        .call(&mut Session::default(), &message.enclosed, bytes, &Functions::default())
        .action
        .awaited()
    else {
        panic!("a call that should not have passed: {}", String::from_utf8_lossy(payload));
    };
    let text = text_of(payload);
    Reaction::Answer(reply(&to, &text))
}

/// The text in a message of ours: between `<` and `>`.
fn text_of(payload: &[u8]) -> String {
    let text = String::from_utf8_lossy(payload);
    let start = text.rfind('<').unwrap();
    let end = text.rfind('>').unwrap();
    text.get(start..=end).unwrap().to_owned()
}

pub(crate) fn reply(to: &ReplyTo, text: &str) -> Vec<u8> {
    let name = String::from_utf8(to.function.to_vec()).unwrap();
    let body = message(to.protocol, to.form, &name, MessageKind::Reply, to.seqid, |writer| {
        writer.result(text);
    });
    to.enclosure.wrap(body)
}

pub(crate) trait Body {
    fn argument(&mut self, text: &str);
    fn result(&mut self, text: &str);
}

impl<W: Writer> Body for W {
    fn argument(&mut self, text: &str) {
        self.field_begin(WireType::String, 1);
        self.string(text.as_bytes());
        self.field_end();
    }

    fn result(&mut self, text: &str) {
        self.field_begin(WireType::Struct, 0);
        self.struct_begin();
        self.argument(text);
        self.struct_end();
        self.field_end();
    }
}

pub(crate) fn message(
    protocol: Protocol,
    form: MessageForm,
    name: &str,
    kind: MessageKind,
    seqid: i32,
    body: impl Fn(&mut dyn Body),
) -> Vec<u8> {
    fn run<W: Writer>(
        mut writer: W,
        name: &str,
        kind: MessageKind,
        seqid: i32,
        body: impl Fn(&mut dyn Body),
    ) -> Vec<u8> {
        writer.message_begin(name.as_bytes(), kind, seqid);
        writer.struct_begin();
        body(&mut writer);
        writer.struct_end();
        writer.message_end();
        writer.into_bytes()
    }
    match protocol {
        Protocol::Binary => run(BinaryWriter::new(form), name, kind, seqid, body),
        Protocol::Compact => run(CompactWriter::new(), name, kind, seqid, body),
        Protocol::Json => run(JsonWriter::new(), name, kind, seqid, body),
    }
}

/// A call of `say`, in binary without a frame.
pub(crate) fn say(text: &str, seqid: i32) -> Vec<u8> {
    let form = MessageForm::Versioned;
    message(Protocol::Binary, form, "say", MessageKind::Call, seqid, |body| body.argument(text))
}

/// The reply to it.
pub(crate) fn said(text: &str, seqid: i32) -> Vec<u8> {
    let form = MessageForm::Versioned;
    message(Protocol::Binary, form, "say", MessageKind::Reply, seqid, |body| body.result(text))
}

/// A TTHeader frame with a number of its own around a message.
pub(crate) fn numbered(seqid: i32, message: &[u8]) -> Vec<u8> {
    ReplyFrame { dialect: HeaderDialect::TTHeader, seqid, protocol_id: 0, framed: false }.write(message)
}

/// A call that nobody answers.
pub(crate) fn note(text: &str) -> Vec<u8> {
    let form = MessageForm::Versioned;
    message(Protocol::Binary, form, "note", MessageKind::Oneway, 0, |body| body.argument(text))
}

/// The exception that answers a call of `say`.
pub(crate) fn exception(seqid: i32, kind: thrift::wire::ExceptionKind, text: &str) -> Vec<u8> {
    let to = ReplyTo {
        function: b"say".as_slice().into(),
        seqid,
        form: MessageForm::Versioned,
        protocol: Protocol::Binary,
        enclosure: thrift::proxy::Enclosure::None,
    };
    to.exception(kind, text)
}

/// What the proxy says about a text that is empty.
pub(crate) const EMPTY: &str = "say: text: must have at least 1 byte, has 0, found \"\" (vt.min_size)";

/// Waits until something is so, or fails.
#[track_caller]
pub(crate) fn eventually(what: &str, is_so: impl Fn() -> bool) {
    for _ in 0..500 {
        if is_so() {
            return;
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    panic!("never: {what}");
}
