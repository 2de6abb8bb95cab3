//! A proxy that breaks things between a deployment and its endpoint: it loses and doubles requests and answers, refuses them, and makes operations of
//! them that take their time.
//!
//! What it does to a request depends on a seed, on the request, and on how often it was seen; nothing is broken more than a few times in a row.

use std::collections::{BTreeMap, BTreeSet};
use std::net::SocketAddr;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use client::{Ask, Client};
use hyper::Method;
use hyper::body::Bytes;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};

/// How often in a row a request is broken.
const MOST_BROKEN: u32 = 5;

/// Numbers that look random and are the same for the same seed.
pub(crate) struct Chance(u64);

impl Chance {
    pub(crate) fn new(seed: u64, text: &str) -> Chance {
        let mut state = seed ^ 0x9e37_79b9_7f4a_7c15;
        for byte in text.bytes() {
            state = (state ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
        Chance(state)
    }

    pub(crate) fn below(&mut self, end: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (mixed ^ (mixed >> 31)) % end
    }
}

/// What happens to a request: its name, and out of 1,000 how often.
const FAULTS: &[(&str, u64)] = &[
    ("lost request", 30),
    ("lost answer", 40),
    ("stalled request", 8),
    ("stalled answer", 8),
    ("429", 30),
    ("429 until a date", 15),
    ("500", 25),
    ("500 after it was done", 25),
    ("503", 25),
    ("half an answer", 20),
    ("request sent twice", 30),
    ("answer sent twice", 20),
    ("409", 20),
    // These are no faults.
    ("operation", 110),
    ("place", 110),
    ("state", 110),
];

/// What was seen and done.
#[derive(Default)]
pub(crate) struct Log {
    /// The bodies that were put, by path.
    pub(crate) puts: Mutex<BTreeMap<String, BTreeSet<String>>>,
    /// How often what was done.
    pub(crate) done: Mutex<BTreeMap<&'static str, usize>>,
    /// Requests that did not carry the token.
    pub(crate) without_token: AtomicUsize,
    pub(crate) requests: AtomicUsize,
}

#[derive(Clone, Debug)]
struct Request {
    method: String,
    path: String,
    body: String,
    has_token: bool,
}

#[derive(Clone, Debug)]
struct Answer {
    status: u16,
    headers: Vec<(&'static str, String)>,
    body: String,
}

impl Answer {
    fn new(status: u16, body: impl Into<String>) -> Answer {
        Answer { status, headers: Vec::new(), body: body.into() }
    }

    fn with(mut self, name: &'static str, value: impl Into<String>) -> Answer {
        self.headers.push((name, value.into()));
        self
    }

    fn bytes(&self) -> Vec<u8> {
        let mut head = format!("HTTP/1.1 {} Said\r\ncontent-length: {}\r\n", self.status, self.body.len());
        for (name, value) in &self.headers {
            head.push_str(&format!("{name}: {value}\r\n"));
        }
        format!("{head}\r\n{}", self.body).into_bytes()
    }
}

/// Something that takes its time: it is done when it was looked at often enough.
struct Operation {
    request: Request,
    left: u64,
    shows_state: bool,
    ended: Option<Answer>,
}

/// The proxy.
pub(crate) struct Proxy {
    pub(crate) url: String,
    pub(crate) log: Arc<Log>,
}

struct Inner {
    seed: u64,
    url: String,
    upstream: String,
    elsewhere: String,
    token: String,
    client: Client,
    log: Arc<Log>,
    /// How often a request was seen, and broken in a row.
    seen: Mutex<BTreeMap<String, (u64, u32)>>,
    operations: tokio::sync::Mutex<Vec<Operation>>,
}

impl Proxy {
    /// A proxy in front of a server. Resources whose name begins with `evil` are said to be found at another place.
    pub(crate) async fn start(
        seed: u64,
        upstream: &str,
        elsewhere: &str,
        token: &str,
        client: Client,
    ) -> Proxy {
        let listener = TcpListener::bind(SocketAddr::from(([127, 0, 0, 1], 0))).await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let log = Arc::new(Log::default());
        let inner = Arc::new(Inner {
            seed,
            url: url.clone(),
            upstream: upstream.to_owned(),
            elsewhere: elsewhere.to_owned(),
            token: format!("Bearer {token}"),
            client,
            log: Arc::clone(&log),
            seen: Mutex::default(),
            operations: tokio::sync::Mutex::default(),
        });
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let inner = Arc::clone(&inner);
                tokio::spawn(async move { inner.serve(stream).await });
            }
        });
        Proxy { url, log }
    }
}

impl Inner {
    async fn serve(&self, mut stream: TcpStream) -> Option<()> {
        loop {
            let request = self.read(&mut stream).await?;
            self.log.requests.fetch_add(1, Ordering::Relaxed);
            if !request.has_token {
                self.log.without_token.fetch_add(1, Ordering::Relaxed);
            }
            let fault = self.decide(&request);
            if let Some(fault) = fault {
                *self.log.done.lock().unwrap().entry(fault).or_default() += 1;
            }
            let answer = match fault {
                Some("lost request") => return None,
                Some("stalled request") => std::future::pending().await,
                Some("429") => Answer::new(429, "").with("retry-after", "2"),
                Some("429 until a date") => {
                    Answer::new(429, "").with("retry-after", "Sun, 06 Nov 1994 08:49:37 GMT")
                }
                Some("500") => Answer::new(500, "<html>"),
                Some("503") => Answer::new(503, r#"{"error":{"code":"ServerBusy","message":"later"}}"#)
                    .with("retry-after", "1"),
                Some("409") => Answer::new(
                    409,
                    r#"{"error":{"code":"AnotherOperationInProgress","message":"another operation"}}"#,
                ),
                Some("request sent twice") => {
                    self.answer(&request, None).await;
                    self.answer(&request, None).await
                }
                fault => self.answer(&request, fault).await,
            };
            let bytes = answer.bytes();
            match fault {
                Some("lost answer") => return None,
                Some("stalled answer") => std::future::pending().await,
                Some("500 after it was done") => {
                    stream.write_all(&Answer::new(500, "").bytes()).await.ok()?;
                }
                Some("half an answer") => {
                    stream.write_all(bytes.get(..bytes.len() * 2 / 3).unwrap_or_default()).await.ok()?;
                    return None;
                }
                Some("answer sent twice") => {
                    stream.write_all(&[bytes.clone(), bytes].concat()).await.ok()?;
                }
                _ => stream.write_all(&bytes).await.ok()?,
            }
        }
    }

    async fn read(&self, stream: &mut TcpStream) -> Option<Request> {
        let mut seen = Vec::new();
        let end = loop {
            if let Some(at) = seen.windows(4).position(|part| part == b"\r\n\r\n") {
                break at;
            }
            let mut buffer = [0; 4096];
            match stream.read(&mut buffer).await.ok()? {
                0 => return None,
                count => seen.extend_from_slice(buffer.get(..count)?),
            }
        };
        let head = String::from_utf8(seen.get(..end)?.to_vec()).ok()?;
        let mut body = seen.get(end + 4..)?.to_vec();
        let mut lines = head.lines();
        let mut words = lines.next()?.split(' ');
        let (method, path) = (words.next()?.to_owned(), words.next()?.to_owned());
        let headers: Vec<(String, String)> = lines
            .filter_map(|line| line.split_once(':'))
            .map(|(name, value)| (name.to_ascii_lowercase(), value.trim().to_owned()))
            .collect();
        let header =
            |name: &str| headers.iter().find(|(other, _)| other == name).map(|(_, value)| value.as_str());
        let length: usize = header("content-length").unwrap_or("0").parse().ok()?;
        while body.len() < length {
            let mut buffer = [0; 4096];
            match stream.read(&mut buffer).await.ok()? {
                0 => return None,
                count => body.extend_from_slice(buffer.get(..count)?),
            }
        }
        let has_token = header("authorization") == Some(&self.token);
        Some(Request { method, path, body: String::from_utf8(body).ok()?, has_token })
    }

    /// What is done to a request.
    fn decide(&self, request: &Request) -> Option<&'static str> {
        let key = format!("{} {}", request.method, request.path);
        let mut seen = self.seen.lock().unwrap();
        let (count, broken) = seen.entry(key.clone()).or_default();
        *count += 1;
        let mut roll = Chance::new(self.seed.wrapping_add(*count), &key).below(1000);
        let is_change = request.method == "PUT" || request.method == "DELETE";
        let fault = FAULTS.iter().find_map(|(name, often)| {
            let is_it = roll < *often;
            roll = roll.saturating_sub(*often);
            is_it.then_some(*name)
        });
        let is_slow = matches!(fault, Some("operation" | "place" | "state"));
        match fault {
            Some("409") if !is_change => None,
            Some(_) if is_slow => {
                *broken = 0;
                fault.filter(|_| is_change)
            }
            Some(_) if *broken < MOST_BROKEN => {
                *broken += 1;
                fault
            }
            _ => {
                *broken = 0;
                None
            }
        }
    }

    async fn forward(&self, request: &Request) -> Answer {
        let method = Method::from_bytes(request.method.as_bytes()).unwrap();
        if request.method == "PUT" {
            let path = request.path.split('?').next().unwrap_or_default().to_owned();
            self.log.puts.lock().unwrap().entry(path).or_default().insert(request.body.clone());
        }
        let ask =
            Ask::new(method, format!("{}{}", self.upstream, request.path), Bytes::from(request.body.clone()));
        let reply = self.client.send(&ask).await.unwrap();
        let body = String::from_utf8(reply.body.to_vec()).unwrap();
        Answer::new(reply.status.as_u16(), body.replace(&self.upstream, &self.url))
    }

    /// Looks at what is under way on a path, which brings it forward; tells whether it still is, and whether the resource shows it.
    async fn look(&self, path: &str) -> Option<bool> {
        let path = path.split('?').next().unwrap_or_default();
        let mut operations = self.operations.lock().await;
        let is_it =
            |it: &&mut Operation| it.ended.is_none() && it.request.path.split('?').next() == Some(path);
        let operation = operations.iter_mut().find(is_it)?;
        self.step(operation).await;
        operation.ended.is_none().then_some(operation.shows_state)
    }

    async fn step(&self, operation: &mut Operation) {
        operation.left = operation.left.saturating_sub(1);
        if operation.left == 0 && operation.ended.is_none() {
            operation.ended = Some(self.forward(&operation.request).await);
        }
    }

    async fn answer(&self, request: &Request, fault: Option<&'static str>) -> Answer {
        if let Some(rest) = request.path.strip_prefix("/operations/") {
            return self.operation(rest).await;
        }
        if let Some(rest) = request.path.strip_prefix("/results/") {
            return self.result(rest).await;
        }
        if request.method == "PUT" && request.path.contains("/evil") {
            let header = if request.path.contains("/evil1") { "azure-asyncoperation" } else { "location" };
            return Answer::new(202, "").with(header, format!("{}/operations/1", self.elsewhere));
        }
        let under_way = self.look(&request.path).await;
        let is_change = request.method == "PUT" || request.method == "DELETE";
        match (under_way, request.method.as_str()) {
            (Some(_), _) if is_change => {
                let body = r#"{"error":{"code":"Conflict","message":"The resource is in provisioning state Updating."}}"#;
                return Answer::new(409, body);
            }
            (Some(true), "GET") => {
                let found = self.forward(request).await;
                let state = |word: &str| format!(r#""provisioningState":"{word}""#);
                let body = match found.status {
                    200 => found.body.replace(&state("Succeeded"), &state("Updating")),
                    _ => format!(r#"{{"id":"/x","properties":{{{}}}}}"#, state("Creating")),
                };
                return Answer::new(200, body).with("retry-after", "1");
            }
            _ => {}
        }
        match fault {
            Some("operation" | "place" | "state") => self.begin(request, fault).await,
            _ => self.forward(request).await.with("x-ms-ratelimit-remaining-subscription-writes", "48"),
        }
    }

    /// Accepts a request that is done later.
    async fn begin(&self, request: &Request, fault: Option<&'static str>) -> Answer {
        let mut operations = self.operations.lock().await;
        let number = operations.len();
        let left = 2 + Chance::new(self.seed, &request.path).below(3);
        let shows_state = fault == Some("state");
        operations.push(Operation { request: request.clone(), left, shows_state, ended: None });
        let state = r#"{"id":"/x","properties":{"provisioningState":"Accepted"}}"#;
        match fault {
            Some("operation") => Answer::new(201, state)
                .with("azure-asyncoperation", format!("{}/operations/{number}?t=1", self.url))
                .with("retry-after", "1"),
            Some("place") => {
                Answer::new(202, "").with("location", format!("{}/results/{number}?t=1", self.url))
            }
            _ if request.method == "DELETE" => Answer::new(202, ""),
            _ => Answer::new(201, state),
        }
    }

    async fn operation(&self, rest: &str) -> Answer {
        let mut operations = self.operations.lock().await;
        let Some(operation) = number(rest).and_then(|number| operations.get_mut(number)) else {
            return Answer::new(404, "");
        };
        self.step(operation).await;
        match &operation.ended {
            None => Answer::new(200, r#"{"status":"Running"}"#).with("retry-after", "1"),
            Some(ended) if ended.status < 300 => Answer::new(200, r#"{"status":"Succeeded"}"#),
            Some(ended) => {
                Answer::new(200, format!(r#"{{"status":"Failed",{}"#, ended.body.trim_start_matches('{')))
            }
        }
    }

    async fn result(&self, rest: &str) -> Answer {
        let mut operations = self.operations.lock().await;
        let Some(operation) = number(rest).and_then(|number| operations.get_mut(number)) else {
            return Answer::new(404, "");
        };
        self.step(operation).await;
        match &operation.ended {
            None => Answer::new(202, "").with("location", format!("{}/results/{rest}", self.url)),
            Some(ended) => ended.clone(),
        }
    }
}

fn number(rest: &str) -> Option<usize> {
    rest.split('?').next()?.parse().ok()
}
