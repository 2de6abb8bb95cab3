//! An endpoint that says what a test tells it to, and remembers what it was asked.

use std::convert::Infallible;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, OnceLock};
use std::time::Duration;

use client::Client;
use endpoint::{Credential, Endpoint, Setup};
use engine::provider::LazyTypes;
use http_body_util::{BodyExt as _, Full};
use hyper::body::{Bytes, Incoming};
use hyper::service::service_fn;
use hyper::{HeaderMap, Request, Response};
use hyper_util::rt::TokioIo;
use store::{Key, MemoryStore};
use tokio::net::TcpListener;

/// Reading the authorities of the system takes its time.
static CLIENT: OnceLock<Client> = OnceLock::new();

/// A request that was seen.
#[derive(Clone, Debug)]
pub(crate) struct Seen {
    pub(crate) method: String,
    /// With the query.
    pub(crate) path: String,
    pub(crate) headers: HeaderMap,
    pub(crate) body: String,
}

impl Seen {
    pub(crate) fn line(&self) -> String {
        format!("{} {}", self.method, self.path)
    }
}

/// An answer.
#[derive(Clone, Debug)]
pub(crate) struct Say {
    pub(crate) status: u16,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: String,
}

impl Say {
    pub(crate) fn new(status: u16, headers: &[(&str, &str)], body: &str) -> Say {
        let headers = headers.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        Say { status, headers, body: body.to_owned() }
    }
}

/// A server with answers of its own.
pub(crate) struct Scripted {
    pub(crate) url: String,
    pub(crate) seen: Arc<Mutex<Vec<Seen>>>,
}

impl Scripted {
    /// A server whose answers a function gives, by the request and its number. `{here}` in them is its address.
    pub(crate) async fn start(answer: impl Fn(usize, &Seen) -> Say + Send + Sync + 'static) -> Scripted {
        let listener = TcpListener::bind(SocketAddr::from(([127, 0, 0, 1], 0))).await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let seen: Arc<Mutex<Vec<Seen>>> = Arc::default();
        let (here, all, answer) = (url.clone(), Arc::clone(&seen), Arc::new(answer));
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let (here, all, answer) = (here.clone(), Arc::clone(&all), Arc::clone(&answer));
                let service = service_fn(move |request: Request<Incoming>| {
                    let (here, all, answer) = (here.clone(), Arc::clone(&all), Arc::clone(&answer));
                    async move {
                        let (parts, body) = request.into_parts();
                        let body = body.collect().await.unwrap().to_bytes();
                        let seen = Seen {
                            method: parts.method.to_string(),
                            path: parts.uri.to_string(),
                            headers: parts.headers,
                            body: String::from_utf8(body.to_vec()).unwrap(),
                        };
                        let number = {
                            let mut all = all.lock().unwrap();
                            all.push(seen.clone());
                            all.len() - 1
                        };
                        let say = answer(number, &seen);
                        let mut response = Response::builder().status(say.status);
                        for (name, value) in &say.headers {
                            response = response.header(name, value.replace("{here}", &here));
                        }
                        let body = Full::new(Bytes::from(say.body.replace("{here}", &here)));
                        Ok::<_, Infallible>(response.body(body).unwrap())
                    }
                });
                tokio::spawn(
                    hyper::server::conn::http1::Builder::new()
                        .serve_connection(TokioIo::new(stream), service),
                );
            }
        });
        Scripted { url, seen }
    }

    pub(crate) fn lines(&self) -> Vec<String> {
        self.seen.lock().unwrap().iter().map(Seen::line).collect()
    }

    /// An endpoint there, whose seconds last a millisecond.
    pub(crate) fn endpoint(&self, credential: Option<Arc<dyn Credential>>) -> Endpoint {
        Endpoint::new(setup(&self.url, credential)).unwrap()
    }
}

pub(crate) fn setup(url: &str, credential: Option<Arc<dyn Credential>>) -> Setup {
    Setup {
        url: url.to_owned(),
        client: CLIENT.get_or_init(|| Client::new(None).unwrap()).clone().apart(),
        credential,
        types: Arc::new(LazyTypes::none()),
        store: Arc::new(MemoryStore::new()),
        key: Key::random().unwrap(),
        step: Duration::from_secs(20),
        patience: None,
        second: Duration::from_millis(1),
    }
}

pub(crate) fn run(test: impl Future<Output = ()>) {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(test);
}
