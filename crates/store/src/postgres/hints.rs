//! Hints by `NOTIFY`: they make nodes faster, and nothing rests on them.
//!
//! A pooler may swallow them, a connection may be cut: whoever listens is told once more whenever it listens anew.

use std::future::poll_fn;
use std::time::Duration;

use tokio_postgres::AsyncMessage;

use super::address::Address;
use super::pool::Pool;
use super::query;
use super::tls::Tls;
use crate::Hear;

/// How long is waited before listening is tried again.
const PAUSE: Duration = Duration::from_secs(2);

/// The channel of a state.
pub(super) fn channel(schema: &str) -> String {
    format!("tendon_{schema}")
}

/// Tells all nodes that there may be something to do.
pub(super) async fn notify_nodes(pool: &Pool, schema: &str) {
    if let Ok(link) = pool.get().await
        && let Ok(Ok(_)) = link.rows(&query::HINT, &[&channel(schema)]).await
    {
        link.done();
    }
}

/// Listens as long as the store is there.
pub(super) async fn listen(address: Address, tls: Tls, hear: Hear) {
    loop {
        listen_once(&address, &tls, &hear).await;
        tokio::time::sleep(PAUSE).await;
    }
}

/// Listens until the connection ends.
async fn listen_once(address: &Address, tls: &Tls, hear: &Hear) {
    let Ok((client, mut connection)) = address.config.connect(tls.clone()).await else { return };
    let messages = async {
        while let Some(Ok(message)) = poll_fn(|context| connection.poll_message(context)).await {
            if matches!(message, AsyncMessage::Notification(_)) {
                hear();
            }
        }
    };
    let begin = async {
        // Names of schemas are words, so this is a name.
        let listening = client.batch_execute(&format!("LISTEN {}", channel(&address.schema))).await;
        // Something may have happened while nobody listened.
        hear();
        if listening.is_ok() {
            std::future::pending::<()>().await;
        }
    };
    let (messages, begin) = (std::pin::pin!(messages), std::pin::pin!(begin));
    futures_util::future::select(messages, begin).await;
}
