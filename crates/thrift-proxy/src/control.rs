//! What an operator can tell a proxy that runs: stop, and read the contracts again.

use std::sync::Arc;
use std::time::Duration;

use crate::connection::ConnectionContext;
use crate::stop::Stopper;
use logging::{LogLevel, LogValue};

/// How a proxy is operated.
#[derive(Clone, Copy, Debug, Default)]
pub struct Operator {
    /// Whether signals are listened to: to stop (interrupt, terminate), and to read contracts and open the log again (hang up).
    pub signals: bool,
    /// How often to look whether the files of the contracts have changed; never without it.
    pub watch: Option<Duration>,
}

/// Listens to the operator until it is dropped.
pub(crate) async fn operate(shared: Arc<ConnectionContext>, stopper: Stopper, operator: Operator) {
    let mut tasks = tokio::task::JoinSet::new();
    if let Some(interval) = operator.watch {
        tasks.spawn(watch(Arc::clone(&shared), interval));
    }
    if operator.signals {
        tasks.spawn(signals(shared, stopper.clone()));
    }
    while tasks.join_next().await.is_some() {}
    // An operator with nothing to say is still there: without a stopper the proxy would take it as told.
    std::future::pending::<()>().await;
    drop(stopper);
}

async fn watch(shared: Arc<ConnectionContext>, interval: Duration) {
    loop {
        tokio::time::sleep(interval).await;
        let looked = Arc::clone(&shared);
        let stale = tokio::task::spawn_blocking(move || looked.live.is_stale()).await;
        if stale.unwrap_or(false) {
            reload(&shared).await;
        }
    }
}

/// Reads the contracts again, and says how it went.
async fn reload(shared: &Arc<ConnectionContext>) {
    let reading = Arc::clone(shared);
    match tokio::task::spawn_blocking(move || reading.live.reload()).await {
        Ok(Ok(())) => shared.log.write(LogLevel::Info, "reload", &[]),
        Ok(Err(message)) => {
            let message = format!("the old contracts stay in force: {message}");
            shared.log.write(LogLevel::Error, "reload", &[("message", LogValue::Text(&message))]);
        }
        Err(failed) if failed.is_panic() => {
            let message = "the old contracts stay in force: reading the new ones failed";
            shared.log.write(LogLevel::Error, "reload", &[("message", LogValue::Text(message))]);
        }
        // The runtime is going away.
        Err(_) => {}
    }
}

#[cfg(unix)]
async fn signals(shared: Arc<ConnectionContext>, stopper: Stopper) {
    use tokio::signal::unix::{SignalKind, signal};
    let kinds = [SignalKind::hangup(), SignalKind::interrupt(), SignalKind::terminate()];
    let [Ok(mut hang_up), Ok(mut interrupt), Ok(mut terminate)] = kinds.map(signal) else {
        shared.log.write(
            LogLevel::Error,
            "signals",
            &[("message", LogValue::Text("cannot listen to signals"))],
        );
        return;
    };
    loop {
        let asked_to_stop = std::future::poll_fn(|cx| {
            if interrupt.poll_recv(cx).is_ready() || terminate.poll_recv(cx).is_ready() {
                return std::task::Poll::Ready(true);
            }
            hang_up.poll_recv(cx).map(|_| false)
        });
        if asked_to_stop.await {
            shared.log.write(LogLevel::Info, "stop", &[]);
            stopper.stop();
        } else {
            shared.log.reopen();
            reload(&shared).await;
        }
    }
}

#[cfg(not(unix))]
async fn signals(shared: Arc<ConnectionContext>, stopper: Stopper) {
    if tokio::signal::ctrl_c().await.is_ok() {
        shared.log.write(LogLevel::Info, "stop", &[]);
        stopper.stop();
    }
}
