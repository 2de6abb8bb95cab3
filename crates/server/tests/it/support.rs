//! A server without a socket, on a state in memory.

#![allow(unreachable_pub, reason = "every test uses a part of it")]

use std::sync::Arc;

use engine::core::MachineSettings;
use engine::provider::Local;
use engine::{Clock, Engine, Host};
use http::{HeaderMap, Request, StatusCode};
use http_body_util::{BodyExt as _, Empty, Full};
use hyper::body::Bytes;
use radius::provider::ValidatingProvider;
use radius::registry::Registry;
use serde_json::Value;
use server::{App, AuthMode, Grant, Guard, Role, ScopePath, Tokens};
use store::{Key, MemoryStore, Store};

/// The server.
pub(crate) struct Server {
    app: Arc<App>,
    runtime: tokio::runtime::Runtime,
}

/// What it answers.
#[derive(Debug)]
pub(crate) struct Answer {
    pub status: StatusCode,
    pub headers: HeaderMap,
    pub body: Value,
}

/// The version of the API that the tests speak.
pub(crate) const VERSION: &str = "api-version=2025-04-01";

impl Answer {
    /// Holds that a request was refused.
    #[track_caller]
    pub(crate) fn is_refused(&self, status: u16, code: &str) {
        assert_eq!(
            (self.status.as_u16(), self.body["error"]["code"].as_str()),
            (status, Some(code)),
            "{self:?}"
        );
        assert!(!self.body["error"]["message"].as_str().unwrap().is_empty());
    }
}

impl Server {
    /// A server whose deployments wait for nothing.
    pub(crate) fn new() -> Server {
        Server::with(Clock::Virtual, |_, _| Guard::local())
    }

    /// A server whose deployments take their time.
    pub(crate) fn real() -> Server {
        Server::with(Clock::Real, |_, _| Guard::local())
    }

    /// Makes a resource group in the subscription `s`, in the location `north`.
    pub(crate) fn group(&self, name: &str) {
        let put = self.ask(
            &format!("PUT /subscriptions/s/resourcegroups/{name}?{VERSION}"),
            r#"{"location": "north"}"#,
        );
        assert_eq!(put.status, 201, "{put:?}");
    }

    /// A server with another guard, which is made for a state.
    pub(crate) fn with(clock: Clock, guard: impl FnOnce(&Arc<dyn Store>, &Key) -> Guard) -> Server {
        Server::on(Arc::new(MemoryStore::new()), clock, guard)
    }

    /// A server on a state.
    pub(crate) fn on(
        store: Arc<dyn Store>,
        clock: Clock,
        guard: impl FnOnce(&Arc<dyn Store>, &Key) -> Guard,
    ) -> Server {
        Server::built(store, clock, |app, store, key| app.guarded(guard(store, key)))
    }

    /// A server with whatever else is wanted.
    pub(crate) fn build(clock: Clock, change: impl FnOnce(App, &Arc<dyn Store>, &Key) -> App) -> Server {
        Server::built(Arc::new(MemoryStore::new()), clock, change)
    }

    fn built(
        store: Arc<dyn Store>,
        clock: Clock,
        change: impl FnOnce(App, &Arc<dyn Store>, &Key) -> App,
    ) -> Server {
        let key = Key::random().unwrap();
        let local = Arc::new(Local::new(Arc::clone(&store), key.clone()).keeping_groups());
        let registry = Arc::new(Registry::new(Arc::clone(&store), key.clone()));
        let provider = Arc::new(ValidatingProvider::new(local, Arc::clone(&registry)));
        let (kept, sealed) = (Arc::clone(&store), key.clone());
        let engine = Engine {
            store,
            key,
            provider,
            settings: MachineSettings::default(),
            clock,
            budgets: Default::default(),
        };
        let app = App::new(Arc::new(Host::new(engine)), registry);
        let app = Arc::new(change(app, &kept, &sealed));
        let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
        Server { app, runtime }
    }

    /// Sends a request; `request` is a method and a path.
    pub(crate) fn ask(&self, request: &str, body: &str) -> Answer {
        self.ask_with(request, body, &[])
    }

    /// Sends a request whose answer is not JSON.
    pub(crate) fn text(&self, request: &str) -> (u16, String) {
        self.text_with(request, &[])
    }

    pub(crate) fn text_with(&self, request: &str, headers: &[(&str, &str)]) -> (u16, String) {
        let (status, _, bytes) = self.bytes(request, "", headers);
        (status.as_u16(), String::from_utf8(bytes).unwrap())
    }

    /// Sends a request with headers.
    pub(crate) fn ask_with(&self, request: &str, body: &str, headers: &[(&str, &str)]) -> Answer {
        let (status, headers, bytes) = self.bytes(request, body, headers);
        let body = if bytes.is_empty() { Value::Null } else { serde_json::from_slice(&bytes).unwrap() };
        Answer { status, headers, body }
    }

    pub(crate) fn bytes(
        &self,
        request: &str,
        body: &str,
        headers: &[(&str, &str)],
    ) -> (StatusCode, HeaderMap, Vec<u8>) {
        let (method, path) = request.split_once(' ').unwrap();
        let mut request = Request::builder().method(method).uri(path);
        if !headers.iter().any(|(name, _)| name.eq_ignore_ascii_case("host")) {
            request = request.header("host", "127.0.0.1:8443");
        }
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let request = request.body(Full::<Bytes>::from(body.to_owned())).unwrap();
        self.runtime.block_on(async {
            let response = server::respond(Arc::clone(&self.app), "https", request).await;
            let (parts, body) = response.into_parts();
            let bytes = body.collect().await.unwrap().to_bytes();
            (parts.status, parts.headers, bytes.to_vec())
        })
    }
}

impl Server {
    /// Sends a request and leaves its answer open.
    pub(crate) fn open(&self, request: &str, headers: &[(&str, &str)]) -> Open<'_> {
        let (method, path) = request.split_once(' ').unwrap();
        let mut request = Request::builder().method(method).uri(path).header("host", "127.0.0.1:8443");
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let request = request.body(Empty::<Bytes>::new()).unwrap();
        let response = self.runtime.block_on(server::respond(Arc::clone(&self.app), "https", request));
        let (parts, body) = response.into_parts();
        Open { server: self, status: parts.status, headers: parts.headers, body }
    }
}

/// An answer that goes on.
pub(crate) struct Open<'s> {
    server: &'s Server,
    pub status: StatusCode,
    pub headers: HeaderMap,
    body: server::ResponseBody,
}

impl Open<'_> {
    /// The next piece of it; none at the end.
    pub(crate) fn next(&mut self) -> Option<String> {
        let frame = self.server.runtime.block_on(self.body.frame())?.unwrap();
        Some(String::from_utf8(frame.into_data().unwrap().to_vec()).unwrap())
    }

    /// The pieces up to one that contains a text.
    #[track_caller]
    pub(crate) fn until(&mut self, text: &str) -> String {
        let mut all = String::new();
        while !all.contains(text) {
            all.push_str(&self.next().unwrap_or_else(|| panic!("{text} did not come: {all}")));
        }
        all
    }
}

/// A server whose callers have tokens.
pub struct TokenServer {
    pub server: Server,
    tokens: Tokens,
}

impl TokenServer {
    pub fn new() -> TokenServer {
        let mut made = None;
        let server = Server::with(Clock::Virtual, |store, key| {
            let tokens = Tokens::new(Arc::clone(store), key.clone());
            made = Some(tokens.clone());
            Guard::new(AuthMode::Tokens(tokens))
        });
        TokenServer { server, tokens: made.unwrap() }
    }

    /// A token with a role in a scope.
    pub fn token(&self, role: &str, scope: &str) -> String {
        let grant = Grant { role: Role::parse(role).unwrap(), scope: ScopePath::parse(scope).unwrap() };
        self.tokens.create("test", grant, 0, None).unwrap().0
    }

    pub fn revoke_all(&self) {
        self.tokens.list().unwrap().iter().for_each(|token| self.tokens.revoke(&token.id).unwrap());
    }

    /// Sends a request with a token, or without one if it is empty.
    pub fn ask(&self, request: &str, body: &str, token: &str) -> Answer {
        let bearer = format!("Bearer {token}");
        let headers: &[(&str, &str)] = if token.is_empty() { &[] } else { &[("authorization", &bearer)] };
        self.server.ask_with(request, body, headers)
    }

    /// Sends a request whose answer is not JSON.
    pub fn text(&self, request: &str, token: &str) -> (u16, String) {
        self.server.text_with(request, &[("authorization", &format!("Bearer {token}"))])
    }

    /// Sends a form.
    pub fn post(&self, request: &str, body: &str, token: &str, headers: &[(&str, &str)]) -> (u16, String) {
        let bearer = format!("Bearer {token}");
        let mut all =
            vec![("authorization", bearer.as_str()), ("content-type", "application/x-www-form-urlencoded")];
        all.extend(headers);
        let (status, _, bytes) = self.server.bytes(request, body, &all);
        (status.as_u16(), String::from_utf8(bytes).unwrap())
    }
}
