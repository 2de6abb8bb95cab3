//! What becomes of a message.

use std::sync::Arc;

use contract::{Admitted, Boundary, OpenTerms, Terms, admit};

use super::answer::{Enclosure, ReplyTo};
use super::config::{ProxyConfig, ReplyCheck, Streams, UnknownMethod, UnknownService};
use super::dialect::{MessageDialect, Session};
use super::http::http_answer;
use super::link::{CalledService, begins_as_message, has_all};
use super::refusal::CallRejection;
use super::split::{Enclosed, SplitError};
use super::table::{Lookup, Method, MethodId, MethodTable};
use crate::Diagnostic;
use crate::model::{Model, StructId};
use crate::rules::Functions;
use crate::validate::{Rejection, Validator, Want};
use crate::wire::{
    BinaryReader, CompactReader, Detected, Detection, Framing, InPlace, JsonReader, Limits, MessageForm,
    MessageHeader, MessageKind, Protocol, Reader, ReplyFrame, StreamFrame, WireError, WireErrorKind,
    WireType, detect, exception_number, exception_reply, message_len,
};

/// The contracts of the services behind a proxy, and its policies.
#[derive(Clone, Debug)]
pub struct Contracts {
    table: MethodTable,
    validator: Validator,
    config: ProxyConfig,
}

/// What to do with a message of a client.
#[derive(Clone, Debug, PartialEq)]
pub enum CallAction {
    /// Forward its bytes as they are: it was let in. The call is there if an answer will come.
    Forward(Admitted<Option<ReplyTo>>),
    /// Answer it with these bytes.
    Answer(Vec<u8>),
    /// Neither forward nor answer it; HTTP wants a response all the same, which is empty.
    Drop(Option<Vec<u8>>),
    /// End the connection, since nothing that follows can be trusted.
    Close,
}

impl CallAction {
    /// The call of a message that is forwarded, if an answer will come.
    pub fn awaited(self) -> Option<ReplyTo> {
        match self {
            CallAction::Forward(admitted) => admitted.into_inner(),
            CallAction::Answer(_) | CallAction::Drop(_) | CallAction::Close => None,
        }
    }
}

/// What to do with a message of a client, and why.
#[derive(Clone, Debug, PartialEq)]
pub struct Decision {
    /// What becomes of the message; the other members say why, for counters and logs.
    pub action: CallAction,
    /// The function, if it is known.
    pub method: Option<MethodId>,
    /// The service that has it, and how the call names that.
    pub service: Option<CalledService>,
    /// Why it is not forwarded.
    pub refusal: Option<CallRejection>,
    /// The name of a call that is forwarded although nothing is known of it.
    pub unchecked: Option<String>,
}

/// What to do with a message of the upstream.
#[derive(Clone, Debug, PartialEq)]
pub enum ReplyAction {
    /// Forward its bytes as they are: it was let in.
    Forward(Admitted<()>),
    /// Give the client these bytes in its place.
    Replace(Vec<u8>),
    /// Take it out, and give the client nothing in its place.
    Drop,
    /// End the connection to the upstream, since nothing that follows can be trusted.
    Close,
}

/// What to do with a reply, and why.
#[derive(Clone, Debug, PartialEq)]
pub struct ReplyDecision {
    /// What becomes of the reply.
    pub action: ReplyAction,
    /// The rules that it breaks, or why it cannot be read; also of one that is forwarded all the same.
    pub refusal: Option<CallRejection>,
}

/// The terms of a message: what was found when it was read, while it was read.
struct Judged(Option<CallRejection>);

impl<V> Terms<V> for Judged {
    type Refusal = CallRejection;

    fn admit(&self, message: V) -> Result<V, CallRejection> {
        match &self.0 {
            None => Ok(message),
            Some(refusal) => Err(refusal.clone()),
        }
    }
}

impl Contracts {
    /// Compiles the contracts of a program. Without them, the diagnostics say why.
    pub fn new(model: &Model, config: ProxyConfig) -> (Option<Contracts>, Vec<Diagnostic>) {
        let functions = Functions::default().with(config.functions.clone());
        let (validator, found) = Validator::new(model, &config.rules, config.validate, &functions);
        let table = MethodTable::new(model, config.service.as_deref());
        (validator.map(|validator| Contracts { table, validator, config }), found)
    }

    /// The functions that can be called.
    pub fn table(&self) -> &MethodTable {
        &self.table
    }

    /// The policies that it was compiled with.
    pub fn config(&self) -> &ProxyConfig {
        &self.config
    }

    /// Decides about a message of a client; `bytes` are those of the message with everything around it.
    pub fn call(
        &self,
        session: &mut Session,
        enclosed: &Enclosed,
        bytes: &[u8],
        functions: &Functions,
    ) -> Decision {
        if let (Enclosure::Stream(frame), Some((kind, function))) = (enclosed.enclosure, &enclosed.stream) {
            return self.stream(session, frame, *kind, function);
        }
        let payload = enclosed.payload(bytes);
        match enclosed.protocol.or_else(|| protocol_of(payload)) {
            Some(protocol) => {
                let limits = self.config.validate.limits;
                match protocol {
                    Protocol::Binary => self.in_place(
                        BinaryReader::new(payload, limits),
                        session,
                        enclosed,
                        payload,
                        functions,
                    ),
                    Protocol::Compact => self.in_place(
                        CompactReader::new(payload, limits),
                        session,
                        enclosed,
                        payload,
                        functions,
                    ),
                    Protocol::Json => self.json(session, enclosed, payload, functions),
                }
            }
            None => no_envelope(enclosed, CallRejection::broken(unknown_version())),
        }
    }

    fn in_place<'b, R: InPlace<'b> + Speaks>(
        &self,
        mut reader: R,
        session: &mut Session,
        enclosed: &Enclosed,
        payload: &[u8],
        functions: &Functions,
    ) -> Decision {
        let header = match reader.message_begin() {
            Ok(header) => header,
            Err(error) => return no_envelope(enclosed, CallRejection::broken(error)),
        };
        let (start, arguments) = (reader.offset(), reader.rest());
        self.decide(session, &header, R::PROTOCOL, enclosed, |id| {
            match id {
                Some(id) => self.validator.validate_at(id, &mut reader, functions, self.config.want)?,
                None => self.validator.pass_over(&mut reader)?,
            }
            let may_lack = id.is_some() && !has_all(&self.config.upstream, &self.table);
            if may_lack && begins_as_message(R::PROTOCOL, arguments) {
                let error = WireError { offset: start, kind: WireErrorKind::BeginsAsMessage };
                return Err(Rejection::Wire(error));
            }
            at_end(reader.offset(), payload)
        })
    }

    fn json(
        &self,
        session: &mut Session,
        enclosed: &Enclosed,
        payload: &[u8],
        functions: &Functions,
    ) -> Decision {
        let limits = self.config.validate.limits;
        let mut reader = JsonReader::new(payload, limits);
        let header = match reader.message_begin() {
            Ok(header) => header,
            Err(error) => return no_envelope(enclosed, CallRejection::broken(error)),
        };
        let start = reader.offset();
        self.decide(session, &header, Protocol::Json, enclosed, |arguments| {
            let body = payload.get(start..).unwrap_or_default();
            match arguments {
                Some(id) => {
                    self.validator.validate(id, Protocol::Json, body, functions, self.config.want)?;
                    reader.skip(WireType::Struct).map_err(Rejection::Wire)?;
                }
                None => self.validator.pass_over(&mut reader)?,
            }
            reader.message_end().map_err(Rejection::Wire)?;
            at_end(reader.offset(), payload)
        })
    }

    /// Decides by the envelope; `check` holds the arguments against the contract, or moves over them.
    fn decide(
        &self,
        session: &mut Session,
        header: &MessageHeader<'_>,
        protocol: Protocol,
        enclosed: &Enclosed,
        check: impl FnOnce(Option<StructId>) -> Result<(), Rejection>,
    ) -> Decision {
        let (named, function) = header.service_and_function();
        let service = enclosed.service.as_deref().or(named);
        let lookup = match (&enclosed.service, named) {
            (None, _) => self.table.find(named, function),
            // Two ways to name a service, of which each server knows one.
            (Some(_), Some(_)) => Lookup::Ambiguous,
            (Some(service), None) => self.find_in_header(service, function),
        };
        let method = match lookup {
            Lookup::Found(id) => self.table.get(id).map(|method| (id, method)),
            Lookup::Ambiguous | Lookup::Unknown => None,
        };
        let id = method.map(|(id, _)| id);
        // Some clients send a function that nobody answers as a call: the IDL knows better.
        let unanswered = header.kind == MessageKind::Oneway || method.is_some_and(|(_, it)| it.oneway);
        let reply_to = || ReplyTo {
            function: match method {
                Some((_, method)) => Arc::clone(&method.wire_name),
                None => function.into(),
            },
            seqid: header.seqid,
            form: header.form,
            protocol,
            enclosure: enclosed.enclosure,
        };
        let fits = self.config.upstream.admit_name(named.is_some(), enclosed.service.is_some());
        let dialect = MessageDialect::of(enclosed.enclosure, protocol, header.form);
        if let Err(misfit) = fits.and_then(|()| session.admit(dialect, &self.config)) {
            return self.refuse(CallRejection::protocol(misfit.to_string()), id, unanswered, &reply_to());
        }
        let named_twice = enclosed.service.is_some() && named.is_some();
        let called = Called { header, service, function, named_twice };
        // An HTTP request is answered even if the call in it is not.
        let is_http = matches!(enclosed.enclosure, Enclosure::Http { .. });
        let awaited = (!unanswered || is_http).then(reply_to);
        let method = method.map(|(_, method)| method);
        let refusal = match self.envelope_fault(&called, lookup, method) {
            Some(fault) => Some(fault),
            None => check(method.map(|method| method.arguments)).err().map(|rejection| {
                let name = method.map_or_else(|| called.shown(), |method| method.name.to_string());
                CallRejection::rejected(&name, &rejection)
            }),
        };
        let verdict = Judged(refusal);
        match admit(Boundary::Message, &verdict, awaited) {
            Ok(awaited) => {
                let asked = method.map(|method| CalledService {
                    number: method.service_number,
                    has_prefix: named.is_some(),
                });
                let unchecked = id.is_none().then(|| called.shown());
                Decision {
                    action: CallAction::Forward(awaited),
                    method: id,
                    service: asked,
                    refusal: None,
                    unchecked,
                }
            }
            Err(refusal) => self.refuse(refusal, id, unanswered, &reply_to()),
        }
    }

    /// Finds a function of the service that a header names. If servers may have services that the IDL does not, the header
    /// may name one of them; kitex then looks for the function in those that it has.
    fn find_in_header(&self, service: &[u8], function: &[u8]) -> Lookup {
        match self.table.find(Some(service), function) {
            Lookup::Unknown
                if self.config.unknown_service == UnknownService::Pass && !self.table.has(service) =>
            {
                self.table.find(None, function)
            }
            lookup => lookup,
        }
    }

    /// Decides about a part of a stream.
    #[cold]
    fn stream(
        &self,
        session: &mut Session,
        frame: ReplyFrame,
        kind: StreamFrame,
        function: &[u8],
    ) -> Decision {
        let shown = shown(function);
        let dialect = MessageDialect::of(Enclosure::Stream(frame), Protocol::Binary, MessageForm::Versioned);
        let refusal = match self.config.streams {
            // Nothing of it goes on, so it says nothing about the calls around it.
            Streams::Refuse => CallRejection::stream(&shown),
            Streams::Pass => match session.admit(dialect, &self.config) {
                Err(misfit) => CallRejection::protocol(misfit.to_string()),
                Ok(()) => {
                    let unchecked = (kind == StreamFrame::Begin).then_some(shown);
                    // Nobody knows what is in it, and the options say that it passes.
                    let action = CallAction::Forward(OpenTerms::admit(Boundary::Message, None));
                    return Decision { action, method: None, service: None, refusal: None, unchecked };
                }
            },
        };
        let action = match kind {
            StreamFrame::Begin => {
                let call = MessageHeader {
                    name: function.into(),
                    kind: MessageKind::Call,
                    seqid: frame.seqid,
                    form: MessageForm::Versioned,
                };
                let kind = refusal.exception(self.config.exception);
                let exception = exception_reply(Protocol::Binary, &call, kind, &refusal.message);
                CallAction::Answer(frame.write_stream_end(function, &exception))
            }
            // What belongs to a stream that was ended when it began.
            StreamFrame::Meta | StreamFrame::Data | StreamFrame::End | StreamFrame::Reset => {
                CallAction::Drop(None)
            }
        };
        Decision { action, method: None, service: None, refusal: Some(refusal), unchecked: None }
    }

    #[cold]
    fn refuse(
        &self,
        refusal: CallRejection,
        method: Option<MethodId>,
        unanswered: bool,
        to: &ReplyTo,
    ) -> Decision {
        let action = match (unanswered, to.enclosure) {
            (true, Enclosure::Http { close }) => CallAction::Drop(Some(http_answer(200, b"", close))),
            (true, _) => CallAction::Drop(None),
            (false, _) => {
                let kind = refusal.exception(self.config.exception);
                CallAction::Answer(to.exception(kind, &refusal.message))
            }
        };
        Decision { action, method, service: None, refusal: Some(refusal), unchecked: None }
    }

    /// Why the envelope alone keeps a message from passing; `None` if its arguments decide.
    fn envelope_fault(
        &self,
        called: &Called<'_>,
        lookup: Lookup,
        method: Option<&Method>,
    ) -> Option<CallRejection> {
        let is_call = matches!(called.header.kind, MessageKind::Call | MessageKind::Oneway);
        let may_pass = match lookup {
            Lookup::Found(_) => true,
            Lookup::Ambiguous => false,
            Lookup::Unknown if !is_name(&called.header.name) => false,
            Lookup::Unknown if called.service.is_some() => {
                self.config.unknown_service == UnknownService::Pass
            }
            Lookup::Unknown => self.config.unknown_method == UnknownMethod::Pass,
        };
        if !is_call || !may_pass {
            return Some(called.unfit(lookup));
        }
        // UPSTREAM: most servers answer it all the same, some do not, and Apache's for Go closes the connection while the handler
        // still runs if it sees that nobody waits.
        let method = method.filter(|method| called.header.kind == MessageKind::Oneway && !method.oneway)?;
        Some(CallRejection::answered(&method.name))
    }

    /// Decides about bytes of a client that cannot be cut into messages. What follows is lost in any case,
    /// but a call whose envelope can be read is answered.
    pub fn broken(&self, detected: Option<Detected>, bytes: &[u8], broken: SplitError) -> Decision {
        let refusal = CallRejection::protocol(broken.to_string());
        let action = match (detected, broken) {
            (_, SplitError::Http(problem)) => CallAction::Answer(http_answer(problem.status(), b"", true)),
            (Some(Detected::Plain(framing, protocol)), SplitError::Wire(_)) => {
                let (enclosure, payload) = match framing {
                    Framing::None => (Enclosure::None, bytes),
                    Framing::Framed => (Enclosure::Frame, bytes.get(4..).unwrap_or_default()),
                };
                match envelope(protocol, payload, self.config.validate.limits) {
                    Some(header) if header.kind == MessageKind::Call => {
                        let (_, function) = header.service_and_function();
                        let to = ReplyTo {
                            function: function.into(),
                            seqid: header.seqid,
                            form: header.form,
                            protocol,
                            enclosure,
                        };
                        CallAction::Answer(
                            to.exception(refusal.exception(self.config.exception), &refusal.message),
                        )
                    }
                    _ => CallAction::Close,
                }
            }
            _ => CallAction::Close,
        };
        Decision { action, method: None, service: None, refusal: Some(refusal), unchecked: None }
    }

    /// Reads the envelope of a reply, to find the call that it answers.
    pub fn reply_envelope<'b>(&self, enclosed: &'b Enclosed, bytes: &'b [u8]) -> Option<MessageHeader<'b>> {
        let payload = enclosed.payload(bytes);
        let protocol = enclosed.protocol.or_else(|| protocol_of(payload))?;
        envelope(protocol, payload, self.config.validate.limits)
    }

    /// Whether a reply shows that the upstream has read the call as it is meant: it is a whole message in the
    /// dialect of the call, with its name and number, and does not say that there is no such function. A
    /// response of HTTP says where messages end by itself.
    pub fn proves(&self, to: &ReplyTo, enclosed: &Enclosed, bytes: &[u8]) -> bool {
        if matches!(enclosed.enclosure, Enclosure::Http { .. }) {
            return true;
        }
        let payload = enclosed.payload(bytes);
        let Some(protocol) = enclosed.protocol.filter(|protocol| *protocol == to.protocol) else {
            return false;
        };
        let limits = self.config.validate.limits;
        // The envelope of the reply may be of the other form: servers read both, and write the one they are set to.
        let Some(header) = envelope(protocol, payload, limits).filter(|header| to.is_answered_by(header))
        else {
            return false;
        };
        let has_function = match header.kind {
            MessageKind::Reply => true,
            // UPSTREAM: 0 from Apache's crate for Rust, whatever it cannot read or has no service for; 1 to 3 from all.
            MessageKind::Exception => {
                exception_number(protocol, payload, limits).is_ok_and(|it| !(0..=3).contains(&it))
            }
            MessageKind::Call | MessageKind::Oneway => false,
        };
        has_function && message_len(protocol, payload, limits) == Ok(payload.len())
    }

    /// Decides about a reply: holds it against the contract of its function, if replies are checked.
    pub fn reply(
        &self,
        to: &ReplyTo,
        method: Option<MethodId>,
        enclosed: &Enclosed,
        bytes: &[u8],
        functions: &Functions,
    ) -> ReplyDecision {
        let replaces = match self.config.replies {
            // The options say that nobody looks.
            ReplyCheck::Off => return ReplyDecision { action: pass(), refusal: None },
            ReplyCheck::Log => false,
            ReplyCheck::Replace => true,
        };
        let method = method.and_then(|id| self.table.get(id));
        let Some((method, result)) = method.and_then(|method| Some((method, method.result?))) else {
            // The options say that calls of functions without a contract pass, and so do their replies.
            return ReplyDecision { action: pass(), refusal: None };
        };
        let verdict = Judged(self.reply_refusal(to, method, result, enclosed, bytes, functions));
        match admit(Boundary::Reply, &verdict, ()) {
            Ok(admitted) => ReplyDecision { action: ReplyAction::Forward(admitted), refusal: None },
            Err(refusal) => {
                let action = match replaces {
                    true => ReplyAction::Replace(
                        to.exception(refusal.exception(self.config.exception), &refusal.message),
                    ),
                    // The options say that it is only reported.
                    false => pass(),
                };
                ReplyDecision { action, refusal: Some(refusal) }
            }
        }
    }

    /// Decides about a message of the upstream that is no reply to a call by what stands around it; `None` if it may be one.
    #[inline]
    pub fn aside(&self, enclosed: &Enclosed) -> Option<ReplyAction> {
        // Nobody reads a value from an interim response. Of a stream nobody knows what is in it, and the options say that it passes.
        let passes = enclosed.interim || (enclosed.stream.is_some() && self.config.streams == Streams::Pass);
        passes.then(pass)
    }

    /// Decides about a reply that no call waits for.
    ///
    /// Over HTTP a client takes it for the response to its next request, and each one after that for the response to
    /// the one before. Where replies are checked, there is nothing to check this one against. Otherwise it passes: the function may
    /// be oneway in the file, and not for server and client.
    #[cold]
    pub fn unasked_reply(&self, enclosed: &Enclosed) -> ReplyAction {
        match (enclosed.enclosure, self.config.replies) {
            (Enclosure::Http { .. }, _) => ReplyAction::Close,
            (_, ReplyCheck::Replace) => ReplyAction::Drop,
            (_, ReplyCheck::Off | ReplyCheck::Log) => pass(),
        }
    }

    /// Why a reply is not one that its contract allows. One that cannot be read is not one that can be held against it.
    fn reply_refusal(
        &self,
        to: &ReplyTo,
        method: &Method,
        result: StructId,
        enclosed: &Enclosed,
        bytes: &[u8],
        functions: &Functions,
    ) -> Option<CallRejection> {
        let payload = enclosed.payload(bytes);
        let is_http = matches!(enclosed.enclosure, Enclosure::Http { .. });
        if payload.is_empty() && is_http {
            // A response that has nothing but a status: nobody reads a value from it.
            return None;
        }
        let unreadable =
            || Some(CallRejection::protocol(format!("{}: the reply cannot be read", method.name)));
        // What went through transforms shows nothing by its first bytes.
        let guessed = || protocol_of(payload).filter(|_| is_http);
        let Some(protocol) = enclosed.protocol.or_else(guessed) else { return unreadable() };
        let limits = self.config.validate.limits;
        let begun = match protocol {
            Protocol::Binary => begin(BinaryReader::new(payload, limits)),
            Protocol::Compact => begin(CompactReader::new(payload, limits)),
            Protocol::Json => begin(JsonReader::new(payload, limits)),
        };
        let Some((header, start)) = begun else { return unreadable() };
        match header.kind {
            MessageKind::Exception => return None,
            MessageKind::Reply => {}
            // UPSTREAM: the clients of Apache's libraries read the result of whatever is no exception.
            MessageKind::Call | MessageKind::Oneway => return Some(CallRejection::no_reply(&method.name)),
        }
        if *header.name != *to.function {
            let found = shown(&header.name);
            return Some(CallRejection::protocol(format!("{}: the reply is one of `{found}`", method.name)));
        }
        let body = payload.get(start..).unwrap_or_default();
        let rejection = match self.validator.validate(result, protocol, body, functions, Want::First) {
            // JSON ends with a bracket of the envelope, which nobody can hide anything behind.
            Ok(_) if protocol == Protocol::Json => return None,
            Ok(read) => at_end(read, body).err()?,
            Err(rejection) => rejection,
        };
        Some(CallRejection::rejected(&method.name, &rejection))
    }
}

/// Lets a message of the upstream in that is held against no contract; whoever calls this says why.
fn pass() -> ReplyAction {
    ReplyAction::Forward(OpenTerms::admit(Boundary::Reply, ()))
}

/// What a message is for.
struct Called<'c> {
    header: &'c MessageHeader<'c>,
    /// The service, by the name of the function or by the header of the frame.
    service: Option<&'c [u8]>,
    function: &'c [u8],
    /// Whether both name a service.
    named_twice: bool,
}

impl Called<'_> {
    /// Why a message is not even looked into.
    #[cold]
    fn unfit(&self, lookup: Lookup) -> CallRejection {
        if !matches!(self.header.kind, MessageKind::Call | MessageKind::Oneway) {
            return CallRejection::no_call();
        }
        let shown = self.shown();
        match (lookup, self.service) {
            _ if self.named_twice => CallRejection::unknown_service(format!(
                "both the header and the name say which service has `{shown}`"
            )),
            (Lookup::Ambiguous, _) => {
                let function = self::shown(self.function);
                CallRejection::unknown(format!(
                    "`{function}` is a function of several services; say which, `Service:{function}`"
                ))
            }
            _ if !is_name(&self.header.name) => CallRejection::protocol(
                "the name of the function is none that a function can have".to_owned(),
            ),
            (_, Some(_)) => CallRejection::unknown_service(format!("no service has `{shown}`")),
            (_, None) => CallRejection::unknown(format!("unknown function `{shown}`")),
        }
    }

    /// The name of the function for people.
    fn shown(&self) -> String {
        match self.service {
            Some(service) => shown(&[service, b":", self.function].concat()),
            None => shown(self.function),
        }
    }
}

/// A name for people: nothing says that it is short.
fn shown(name: &[u8]) -> String {
    String::from_utf8_lossy(name).chars().take(100).collect()
}

/// Whether a name could be that of a function, with or without a service. Servers that take the bytes of a message for
/// something else find nothing in them.
fn is_name(name: &[u8]) -> bool {
    !name.is_empty() && name.iter().all(u8::is_ascii_graphic)
}

/// A reader that knows its protocol.
trait Speaks {
    const PROTOCOL: Protocol;
}

impl Speaks for BinaryReader<'_> {
    const PROTOCOL: Protocol = Protocol::Binary;
}

impl Speaks for CompactReader<'_> {
    const PROTOCOL: Protocol = Protocol::Compact;
}

/// A second message behind the first would reach the upstream unseen.
fn at_end(offset: usize, payload: &[u8]) -> Result<(), Rejection> {
    if offset == payload.len() {
        return Ok(());
    }
    Err(Rejection::Wire(WireError { offset, kind: WireErrorKind::BadFrame }))
}

fn unknown_version() -> WireError {
    WireError { offset: 0, kind: WireErrorKind::BadVersion(0) }
}

/// The protocol of the message in an HTTP body.
fn protocol_of(payload: &[u8]) -> Option<Protocol> {
    match detect(payload) {
        Detection::Found(Detected::Plain(Framing::None, protocol)) => Some(protocol),
        _ => None,
    }
}

fn begin<'b>(mut reader: impl Reader<'b>) -> Option<(MessageHeader<'b>, usize)> {
    let header = reader.message_begin().ok()?;
    Some((header, reader.offset()))
}

fn envelope(protocol: Protocol, payload: &[u8], limits: Limits) -> Option<MessageHeader<'_>> {
    let (header, _) = match protocol {
        Protocol::Binary => begin(BinaryReader::new(payload, limits)),
        Protocol::Compact => begin(CompactReader::new(payload, limits)),
        Protocol::Json => begin(JsonReader::new(payload, limits)),
    }?;
    Some(header)
}

/// A message whose envelope cannot be read cannot be answered, except by HTTP.
fn no_envelope(enclosed: &Enclosed, refusal: CallRejection) -> Decision {
    let action = match enclosed.enclosure {
        Enclosure::Http { close } => CallAction::Answer(http_answer(400, b"", close)),
        Enclosure::None | Enclosure::Frame | Enclosure::Header(_) | Enclosure::Stream(_) => CallAction::Close,
    };
    Decision { action, method: None, service: None, refusal: Some(refusal), unchecked: None }
}
