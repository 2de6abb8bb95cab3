//! What the server knows of its client and its documents, and what each message changes about it.
//!
//! A session takes one message after the other and says what is to be done: send something, answer a question, look at
//! documents again. It does none of it, so that nothing it does takes long; `serve` has the threads that do.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Weak};

use bicep::FilePath;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use crate::Machine;
use crate::client_capabilities::Abilities;
use crate::diagnostics_job::DiagnosticsJob;
use crate::document::{Language, OpenDocument, TextChange};
use crate::message::{self, ClientMessage, ErrorCode, Id, Notification, Request, ResponseError};
use crate::protocol::DocumentId;
use crate::request_context::RequestContext;
use crate::requests::{self, RequestCost};
use crate::restore::Restores;
use crate::snapshot::Snapshot;
use crate::ticket::Ticket;
use crate::uri;
use crate::wire::InputFrame;
use crate::workspace::Workspace;

/// Something to be done for the client.
pub(crate) enum Effect {
    /// A message to send.
    Send(Vec<u8>),
    /// A question to answer.
    Ask(RequestContext),
    /// The end; the client said that it would come, or not.
    End {
        /// Whether the client asked the server to shut down before.
        asked: bool,
    },
}

/// How far the conversation is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Stage {
    Fresh,
    Ready,
    Closing,
}

/// A question under way.
struct PendingRequest {
    ticket: Weak<Ticket>,
    /// Whether it is about many files, so that it takes long, and edits change what it finds.
    is_slow: bool,
}

/// The state of a conversation.
pub(crate) struct Session {
    stage: Stage,
    version: String,
    workspace: Workspace,
    /// Questions under way, and how to take them back.
    asked: BTreeMap<Id, PendingRequest>,
    /// How many of them there can be before those that are answered are forgotten.
    room: usize,
    requests: u64,
    /// What is registered when the client is ready.
    registrations: Vec<Value>,
}

impl Session {
    /// A conversation that begins.
    pub(crate) fn new(machine: Machine) -> Session {
        Session {
            stage: Stage::Fresh,
            version: machine.version.clone(),
            workspace: Workspace::new(machine),
            asked: BTreeMap::new(),
            room: 64,
            requests: 0,
            registrations: Vec::new(),
        }
    }

    /// Takes what was read and says what is to be done.
    pub(crate) fn take(&mut self, frame: InputFrame) -> Vec<Effect> {
        let read = match &frame {
            InputFrame::Body(body) => ClientMessage::read(body),
            // Something came for the documents, which are looked at when no message waits.
            InputFrame::News | InputFrame::End => return Vec::new(),
            InputFrame::Broken(why) => Err((None, ResponseError::new(ErrorCode::Parse, why.clone()))),
        };
        match read {
            Ok(ClientMessage::Request(request)) => self.request(request),
            Ok(ClientMessage::Notification(notification)) => self.notification(notification),
            Ok(ClientMessage::Answer) => Vec::new(),
            Err((id, failure)) => vec![Effect::Send(message::answer(id.as_ref(), Err(failure)))],
        }
    }

    fn request(&mut self, request: Request) -> Vec<Effect> {
        let Request { id, method, params } = request;
        let refused = |code, text: String| {
            vec![Effect::Send(message::answer(Some(&id), Err(ResponseError::new(code, text))))]
        };
        match (self.stage, method.as_str()) {
            (Stage::Fresh, "initialize") => {
                self.stage = Stage::Ready;
                vec![Effect::Send(message::answer(
                    Some(&id),
                    Ok(self.initialize(&params).to_string().into_bytes()),
                ))]
            }
            (Stage::Fresh, _) => refused(ErrorCode::NotInitialized, "`initialize` comes first".to_owned()),
            (Stage::Ready | Stage::Closing, "initialize") => {
                refused(ErrorCode::InvalidRequest, "the server is initialized already".to_owned())
            }
            (Stage::Closing, _) => refused(ErrorCode::InvalidRequest, "the server is shut down".to_owned()),
            (Stage::Ready, "shutdown") => {
                self.stage = Stage::Closing;
                vec![Effect::Send(message::answer(Some(&id), Ok(b"null".to_vec())))]
            }
            (Stage::Ready, _) => match requests::row(&method) {
                Some(row) => {
                    let ticket = self.remember(&id, row.pace);
                    let snapshot = Snapshot { ticket, ..Snapshot::clone(&self.workspace.snapshot()) };
                    vec![Effect::Ask(RequestContext { id, row, params, snapshot })]
                }
                None => refused(ErrorCode::MethodNotFound, format!("there is no method `{method}`")),
            },
        }
    }

    /// How a question that is under way can be taken back.
    fn remember(&mut self, id: &Id, pace: RequestCost) -> Arc<Ticket> {
        if pace == RequestCost::Command {
            // What it does is done, whoever waits for it.
            return Arc::default();
        }
        if self.asked.len() >= self.room {
            self.asked.retain(|_, asked| asked.ticket.strong_count() > 0);
            self.room = (2 * self.asked.len()).max(64);
        }
        let ticket = Arc::new(Ticket::default());
        self.asked.insert(
            id.clone(),
            PendingRequest { ticket: Arc::downgrade(&ticket), is_slow: pace == RequestCost::Slow },
        );
        ticket
    }

    /// Answers a question that nobody works on any more, unless it is answered already.
    fn take_back(id: &Id, asked: &PendingRequest, why: ResponseError) -> Option<Effect> {
        let ticket = asked.ticket.upgrade()?;
        ticket.close().then(|| Effect::Send(message::answer(Some(id), Err(why))))
    }

    /// Answers the questions about many files that are under way: what they would say is not true any more, and the
    /// editor asks again. What is asked about one place is answered soon, and still of use.
    fn overtake(&mut self) -> Vec<Effect> {
        let mut effects = Vec::new();
        self.asked.retain(|id, asked| {
            if asked.is_slow {
                effects.extend(Session::take_back(id, asked, ResponseError::stale()));
            }
            !asked.is_slow
        });
        effects
    }

    fn initialize(&mut self, params: &Value) -> Value {
        let at = |path: &str| params.pointer(path);
        let uris = at("/workspaceFolders").and_then(Value::as_array).into_iter().flatten();
        let mut folders: Vec<FilePath> = uris
            .filter_map(|folder| folder.get("uri")?.as_str())
            .map(|folder| uri::path_of(folder, None))
            .collect();
        if folders.is_empty() {
            folders.extend(at("/rootUri").and_then(Value::as_str).map(|root| uri::path_of(root, None)));
        }
        self.workspace.set_folders(folders);
        self.workspace.set_abilities(Abilities::of(params));
        if let Some(wanted) = at("/initializationOptions/restore").and_then(Value::as_bool) {
            self.workspace.restores().set_automatic(wanted);
        }
        let client = at("/capabilities").unwrap_or(&Value::Null);
        self.registrations = requests::registrations(client);
        // The editor makes commands of its own of those that are announced, and some cannot have two with one name.
        let announces_commands = at("/initializationOptions/announceCommands") != Some(&json!(false));
        json!({
            "capabilities": requests::capabilities(client, announces_commands),
            "serverInfo": { "name": "tendon", "version": self.version },
        })
    }

    fn notification(&mut self, notification: Notification) -> Vec<Effect> {
        let Notification { method, params } = notification;
        match (self.stage, method.as_str()) {
            (stage, "exit") => vec![Effect::End { asked: stage == Stage::Closing }],
            (Stage::Fresh | Stage::Closing, _) => Vec::new(),
            (Stage::Ready, "initialized") => self.initialized(),
            (Stage::Ready, "$/cancelRequest") => {
                let Some(Cancel { id }) = read(params) else { return Vec::new() };
                let asked = self.asked.remove(&id);
                asked
                    .and_then(|asked| Session::take_back(&id, &asked, ResponseError::cancelled()))
                    .into_iter()
                    .collect()
            }
            (Stage::Ready, "textDocument/didOpen") => {
                let Some(DidOpen { text_document: opened }) = read(params) else { return Vec::new() };
                let language = Language::of(&opened.language_id, &opened.uri);
                let document = OpenDocument::new(opened.uri, language, opened.version, opened.text);
                self.workspace.open(document);
                self.overtake()
            }
            (Stage::Ready, "textDocument/didChange") => {
                let Some(DidChange { text_document: changed, content_changes }) = read(params) else {
                    return Vec::new();
                };
                // What was never opened has no text that could change.
                match self.workspace.change(&changed.uri, changed.version, &content_changes) {
                    true => self.overtake(),
                    false => Vec::new(),
                }
            }
            (Stage::Ready, "textDocument/didClose") => {
                let Some(DidClose { text_document: closed }) = read(params) else { return Vec::new() };
                self.workspace.close(&closed.uri);
                Vec::new()
            }
            (Stage::Ready, "textDocument/didSave") => {
                // Clients that watch files say the same again, which changes nothing.
                let Some(DidClose { text_document: saved }) = read(params) else { return Vec::new() };
                let path = uri::path_of(&saved.uri, None);
                if path.name() == CONFIGURATION {
                    self.workspace.touch([(path, false)].into_iter());
                }
                Vec::new()
            }
            (Stage::Ready, "workspace/didChangeWatchedFiles") => {
                let Some(DidChangeWatchedFiles { changes }) = read(params) else { return Vec::new() };
                let files =
                    changes.iter().map(|change| (uri::path_of(&change.uri, None), change.kind == CHANGED));
                self.workspace.touch(files);
                Vec::new()
            }
            (Stage::Ready, "workspace/didChangeWorkspaceFolders") => {
                let Some(DidChangeFolders { event }) = read(params) else { return Vec::new() };
                let removed: BTreeSet<FilePath> =
                    event.removed.iter().map(|folder| uri::path_of(&folder.uri, None)).collect();
                let added = event.added.iter().map(|folder| uri::path_of(&folder.uri, None));
                let kept =
                    self.workspace.folders().iter().filter(|folder| !removed.contains(folder)).cloned();
                let folders = kept.chain(added).collect();
                self.workspace.set_folders(folders);
                Vec::new()
            }
            // Everything else can be left out, as the protocol says.
            (Stage::Ready, _) => Vec::new(),
        }
    }

    /// Registers what is only for some documents, and asks to be told about files that programs may read.
    fn initialized(&mut self) -> Vec<Effect> {
        let mut registrations = std::mem::take(&mut self.registrations);
        if self.workspace.abilities().watches {
            let watchers = json!([{ "globPattern": "**/*" }]);
            registrations.push(json!({
                "id": "watched-files",
                "method": "workspace/didChangeWatchedFiles",
                "registerOptions": { "watchers": watchers },
            }));
        }
        if registrations.is_empty() {
            return Vec::new();
        }
        self.requests += 1;
        let params = json!({ "registrations": registrations });
        let id = format!("tendon-{}", self.requests);
        vec![Effect::Send(message::request(&id, "client/registerCapability", &params))]
    }

    /// What is fetched from registries.
    pub(crate) fn restores(&self) -> &Arc<Restores> {
        self.workspace.restores()
    }

    /// What has to be looked at after the messages so far: asked for when no other message waits, so that many edits
    /// are looked at once.
    pub(crate) fn take_diagnostics_job(&mut self) -> Option<DiagnosticsJob> {
        self.workspace.look()
    }
}

/// Reads the parameters of a notification; what does not fit is left out, because nobody waits for an answer.
fn read<P: DeserializeOwned>(params: Value) -> Option<P> {
    serde_json::from_value(params).ok()
}

/// The name of a configuration.
const CONFIGURATION: &str = "bicepconfig.json";

/// The kind of an event about a file that was there before and still is.
const CHANGED: u8 = 2;

#[derive(Deserialize)]
struct Cancel {
    id: Id,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct DidOpen {
    text_document: Opened,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Opened {
    uri: String,
    #[serde(default)]
    language_id: String,
    #[serde(default)]
    version: i32,
    text: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct DidChange {
    text_document: VersionedDocumentId,
    content_changes: Vec<TextChange>,
}

#[derive(Deserialize)]
struct VersionedDocumentId {
    uri: String,
    version: Option<i32>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct DidClose {
    text_document: DocumentId,
}

#[derive(Deserialize)]
struct DidChangeWatchedFiles {
    changes: Vec<FileEvent>,
}

#[derive(Deserialize)]
struct FileEvent {
    uri: String,
    #[serde(rename = "type")]
    kind: u8,
}

#[derive(Deserialize)]
struct DidChangeFolders {
    event: FoldersEvent,
}

#[derive(Deserialize)]
struct FoldersEvent {
    #[serde(default)]
    added: Vec<DocumentId>,
    #[serde(default)]
    removed: Vec<DocumentId>,
}
