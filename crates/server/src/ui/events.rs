//! Server-sent events: the parts of a page that changed, while somebody looks at it.
//!
//! An event has all of a part, so nothing is lost when some are not sent. Its id is a hash of the whole page: whoever connects again with the one that
//! they saw last is sent nothing, or what is different now.

use std::collections::HashMap;
use std::future::Future as _;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::{Duration, Instant};

use http::Method;
use http::header::HeaderName;
use hyper::body::{Body, Bytes, Frame};
use pages::ui::DeploymentView;
use tokio::sync::mpsc::{Receiver, Sender, channel};

use super::deployment::DeploymentFeed;
use super::{deployment, page_shell, session};
use crate::access::Access;
use crate::api_error::ApiError;
use crate::identity::Allowed;
use crate::quota::Share;
use crate::response::{HttpResponse, ResponseBody};
use crate::routed_request::RoutedRequest;

/// How many events wait for a reader who is slow.
const QUEUE: usize = 4;

/// How long a reader may take for one.
const PATIENCE: Duration = Duration::from_secs(30);

/// How long nothing may be said: less than what lets proxies give a connection up.
const HEARTBEAT: Duration = Duration::from_secs(15);

/// How often a page changes at most.
const PAUSE: Duration = Duration::from_millis(300);

/// How often it is looked at what another node does, and the times of what goes on are shown anew.
const LOOK: Duration = Duration::from_secs(1);

/// The same for many steps, which are much to send.
const LOOK_AT_MANY: Duration = Duration::from_secs(5);
const MANY: usize = 100;

/// How long a browser waits before it connects again, in milliseconds.
const AGAIN: u32 = 1_000;

/// Sends the page of a deployment as it changes.
pub(super) async fn follow(call: RoutedRequest) -> Result<HttpResponse, ApiError> {
    let share = call.app.pages.streams.take(&call.caller.name)?;
    let call = Arc::new(call);
    // What is not there is refused before anything is sent.
    let first = deployment::look(&call).await?;
    let (sender, receiver) = channel(QUEUE);
    tokio::spawn(send(call, first, sender, share));
    let answer = HttpResponse::events(ResponseBody::new(Events(receiver)));
    Ok(page_shell::guarded(answer).header(HeaderName::from_static("x-accel-buffering"), "no"))
}

/// What a reader has seen of a page.
#[derive(Default)]
struct PageVersion {
    /// The hash of the whole page.
    id: String,
    /// The hashes of its parts.
    parts: HashMap<&'static str, u64>,
}

async fn send(call: Arc<RoutedRequest>, first: DeploymentFeed, sender: Sender<Bytes>, share: Share) {
    let _share = share;
    let last = call.headers.get("last-event-id").and_then(|id| id.to_str().ok());
    let mut seen = PageVersion { id: last.unwrap_or_default().to_owned(), ..PageVersion::default() };
    if !send_event(&sender, format!("retry: {AGAIN}\n\n")).await {
        return;
    }
    let mut said = Instant::now();
    let mut look = first;
    loop {
        let DeploymentFeed { view, mut changes, took } = look;
        let event = event(&view, &mut seen);
        if let Some(event) = event {
            said = Instant::now();
            if !send_event(&sender, event).await {
                return;
            }
        } else if said.elapsed() >= HEARTBEAT {
            said = Instant::now();
            if !send_event(&sender, ":\n\n".to_owned()).await {
                return;
            }
        }
        if !view.is_running {
            return;
        }
        // Whoever looks at something large does not keep everybody else waiting.
        let pause = PAUSE.max(took * 10);
        let until = if view.steps.len() + view.hidden_steps > MANY { LOOK_AT_MANY } else { LOOK };
        let waiting = async {
            tokio::time::sleep(pause).await;
            let changed = async {
                match &mut changes {
                    Some(changes) => drop(changes.changed().await),
                    None => std::future::pending::<()>().await,
                }
            };
            let _ = tokio::time::timeout(until, changed).await;
        };
        let mut waiting = std::pin::pin!(waiting);
        let (mut gone, mut stopped) =
            (std::pin::pin!(sender.closed()), std::pin::pin!(call.app.runs.stopped()));
        let goes_on = std::future::poll_fn(|context| {
            if gone.as_mut().poll(context).is_ready() || stopped.as_mut().poll(context).is_ready() {
                return Poll::Ready(false);
            }
            waiting.as_mut().poll(context).map(|()| true)
        });
        if !goes_on.await {
            return;
        }
        // A token that was revoked ends what its holder sees.
        if !may_see(&call).await {
            return;
        }
        let Ok(next) = deployment::look(&call).await else { return };
        look = next;
    }
}

/// Whether the reader still may see the page.
async fn may_see(call: &RoutedRequest) -> bool {
    let Ok(caller) = session::caller(&call.app, &call.headers).await else { return false };
    super::authorize(&caller, Access::Read, &Method::GET, &call.path)
        .is_ok_and(|allowed| allowed == Allowed::All)
}

/// Sends something; false if the reader is gone, or takes too long.
async fn send_event(sender: &Sender<Bytes>, text: String) -> bool {
    matches!(tokio::time::timeout(PATIENCE, sender.send(Bytes::from(text))).await, Ok(Ok(())))
}

/// The event with the parts that changed; none if nothing did.
fn event(view: &DeploymentView, seen: &mut PageVersion) -> Option<String> {
    let hash = |text: &str| {
        let mut hasher = DefaultHasher::new();
        text.hash(&mut hasher);
        hasher.finish()
    };
    let parts: Vec<(&'static str, String)> =
        pages::ui::parts(view).into_iter().map(|(id, part)| (id, part.into_string())).collect();
    let hashes: HashMap<&'static str, u64> = parts.iter().map(|(id, text)| (*id, hash(text))).collect();
    let all: Vec<String> = parts
        .iter()
        .map(|(id, _)| hashes.get(id).map_or(0, |hash| *hash))
        .map(|hash| format!("{hash:016x}"))
        .collect();
    let id = format!("{:016x}", hash(&all.concat()));
    let changed =
        parts.iter().filter(|(id, _)| seen.parts.get(id) != hashes.get(id)).map(|(_, text)| text.as_str());
    let data = if seen.id == id { String::new() } else { changed.collect::<String>() };
    let is_new = seen.id != id;
    (seen.id, seen.parts) = (id, hashes);
    let kind = match (view.is_running, is_new) {
        (true, false) => return None,
        (true, true) => "part",
        (false, _) => "end",
    };
    // A line break would end the event.
    let data = data.replace('\r', "").replace('\n', "\ndata: ");
    Some(format!("id: {}\nevent: {kind}\ndata: {data}\n\n", seen.id))
}

/// The body of an answer that goes on.
struct Events(Receiver<Bytes>);

impl Body for Events {
    type Data = Bytes;
    type Error = std::convert::Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Self::Error>>> {
        self.0.poll_recv(context).map(|bytes| bytes.map(|bytes| Ok(Frame::data(bytes))))
    }
}
