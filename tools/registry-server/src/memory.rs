//! A registry in memory.

use std::collections::BTreeMap;
use std::io::{self, BufReader};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::http::{Request, ScriptedResponse};

/// What a test answers in the place of the registry; nothing where the registry is to answer.
type Instead = dyn Fn(&Request) -> Option<ScriptedResponse> + Send + Sync;

/// A registry in memory. It ends when it is dropped.
pub struct Memory {
    address: SocketAddr,
    shared: Arc<Shared>,
}

struct Shared {
    instead: Box<Instead>,
    state: Mutex<State>,
    ended: AtomicBool,
}

#[derive(Default)]
struct State {
    /// Blobs and manifests by their paths.
    stored: BTreeMap<String, (String, Vec<u8>)>,
    uploads: usize,
    requests: Vec<Request>,
}

impl Shared {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Memory {
    /// Starts a registry that works.
    pub fn start() -> io::Result<Memory> {
        Memory::with(|_| None)
    }

    /// Starts a registry with a function that can answer in its place.
    pub fn with(
        instead: impl Fn(&Request) -> Option<ScriptedResponse> + Send + Sync + 'static,
    ) -> io::Result<Memory> {
        let listener = TcpListener::bind(("127.0.0.1", 0))?;
        let address = listener.local_addr()?;
        let (state, ended) = (Mutex::default(), AtomicBool::new(false));
        let shared = Arc::new(Shared { instead: Box::new(instead), state, ended });
        let serving = Arc::clone(&shared);
        std::thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                if serving.ended.load(Ordering::Relaxed) {
                    break;
                }
                let shared = Arc::clone(&serving);
                std::thread::spawn(move || shared.serve(stream));
            }
        });
        Ok(Memory { address, shared })
    }

    /// The host and the port.
    #[must_use]
    pub fn host(&self) -> String {
        self.address.to_string()
    }

    /// All requests so far.
    #[must_use]
    pub fn requests(&self) -> Vec<Request> {
        self.shared.state().requests.clone()
    }

    /// Changes what is stored at each path that ends so.
    pub fn change(&self, end: &str, change: impl Fn(&mut Vec<u8>)) {
        let mut state = self.shared.state();
        let ending = state.stored.iter_mut().filter(|(path, _)| path.ends_with(end));
        ending.for_each(|(_, (_, bytes))| change(bytes));
    }

    /// What is stored, by path: the media type and the bytes.
    #[must_use]
    pub fn stored(&self) -> BTreeMap<String, (String, Vec<u8>)> {
        self.shared.state().stored.clone()
    }
}

impl Drop for Memory {
    fn drop(&mut self) {
        self.shared.ended.store(true, Ordering::Relaxed);
        // The listener waits for the next connection before it looks.
        drop(TcpStream::connect(self.address));
    }
}

impl Shared {
    fn serve(&self, stream: TcpStream) {
        let Ok(mut writer) = stream.try_clone() else { return };
        let mut reader = BufReader::new(stream);
        while let Ok(Some(request)) = Request::read(&mut reader) {
            self.state().requests.push(request.clone());
            let answer = (self.instead)(&request).unwrap_or_else(|| self.state().answer(&request));
            match answer.send(&mut writer, request.method == "HEAD") {
                Ok(true) => {}
                Ok(false) | Err(_) => return,
            }
        }
    }
}

impl State {
    fn answer(&mut self, request: &Request) -> ScriptedResponse {
        let path = request.path.as_str();
        match request.method.as_str() {
            "GET" | "HEAD" => self.read(request),
            "POST" if path.ends_with("/blobs/uploads/") => {
                self.uploads += 1;
                ScriptedResponse::new(202, "").with("Location", &format!("{path}{}", self.uploads))
            }
            "PUT" if path.contains("/blobs/uploads/") => {
                let repository = path.split("/uploads/").next().unwrap_or_default();
                let Some(digest) = request.query.strip_prefix("digest=") else { return unknown() };
                self.store(&format!("{repository}/{digest}"), request);
                ScriptedResponse::new(201, "")
            }
            "PUT" if path.contains("/manifests/") => {
                self.store(path, request);
                ScriptedResponse::new(201, "")
            }
            _ => unknown(),
        }
    }

    fn store(&mut self, path: &str, request: &Request) {
        let kind = request.header("content-type").unwrap_or_default().to_owned();
        self.stored.insert(path.to_owned(), (kind, request.body.clone()));
    }

    fn read(&self, request: &Request) -> ScriptedResponse {
        let Some((kind, bytes)) = self.stored.get(&request.path) else { return unknown() };
        let from = request
            .header("range")
            .and_then(|range| range.strip_prefix("bytes=")?.strip_suffix('-')?.parse::<usize>().ok());
        match from.and_then(|from| Some((from, bytes.get(from..)?))) {
            Some((from, rest)) => {
                let range = format!("bytes {from}-{}/{}", bytes.len().saturating_sub(1), bytes.len());
                ScriptedResponse::new(206, rest).with("Content-Range", &range)
            }
            None => ScriptedResponse::new(200, bytes.as_slice()).with("Content-Type", kind),
        }
    }
}

fn unknown() -> ScriptedResponse {
    ScriptedResponse::new(404, r#"{"errors":[{"code":"NAME_UNKNOWN","message":"not known here"}]}"#)
}
