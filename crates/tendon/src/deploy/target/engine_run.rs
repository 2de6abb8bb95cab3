//! A deployment that an engine on this machine runs, whoever has its resources: shown step by step, and cancelled by Ctrl-C.

use std::future::{Future as _, poll_fn};
use std::pin::pin;
use std::sync::Arc;
use std::task::Poll;

use ::server::Recorder;
use arm::deployment::{Deployment, DeploymentMode};
use diagnostics::printable;
use engine::provider::Tally;
use engine::{AcceptedDeployment, Engine, StartError, add_new};
use tokio::sync::mpsc::{UnboundedSender, unbounded_channel};

use super::{DeploymentCounts, DeploymentOutcome, RunView};
use crate::common::Form;
use crate::deploy::steps::Steps;
use crate::deploy::watcher_pair::WatcherPair;
use crate::exit::CommandError;
use crate::output::Streams;
use crate::remote::TargetError;
use crate::runtime;

/// An engine, and what its target does besides.
pub(super) struct EngineRun<'e> {
    pub(super) engine: &'e Engine,
    /// Whether it is found out by comparing what the resources become.
    pub(super) counts_changes: bool,
    /// What is to be done when the deployment is cancelled.
    pub(super) on_cancel: &'e dyn Fn(),
}

impl EngineRun<'_> {
    /// Accepts a deployment, prints what there is to say of it before it runs, and runs it to its end.
    pub(super) fn deploy(
        &self,
        deployment: &Arc<Deployment>,
        mode: DeploymentMode,
        view: &mut RunView<'_>,
        streams: &mut Streams,
    ) -> Result<DeploymentOutcome, TargetError> {
        let accepted = self.engine.accept(Arc::clone(deployment), mode)?;
        if view.common.form() == Form::Text {
            for diagnostic in accepted.program.plan().diagnostics() {
                streams.print_error(&format!("{}\n", printable(&diagnostic.to_string())))?;
            }
        }
        self.finish(accepted, view, streams)
    }

    /// Runs a deployment that was accepted, now or before it was interrupted, to its end.
    pub(super) fn finish(
        &self,
        accepted: AcceptedDeployment,
        view: &mut RunView<'_>,
        streams: &mut Streams,
    ) -> Result<DeploymentOutcome, TargetError> {
        let (engine, common) = (self.engine, view.common);
        let mut diagnostics = accepted.program.plan().diagnostics().to_vec();
        let mut steps = Steps::new(&accepted, streams, common);
        let mut recorder = view.is_recorded.then(|| Recorder::new(&accepted));
        let tally = Arc::new(Tally::new(Arc::clone(&engine.provider), Arc::clone(&engine.store)));
        let counted = Engine {
            store: Arc::clone(&engine.store),
            key: engine.key.clone(),
            provider: Arc::<Tally>::clone(&tally),
            settings: engine.settings,
            clock: engine.clock,
            budgets: engine.budgets.clone(),
        };
        // Who reads the record, or nothing, does not pay for counting.
        let is_told = common.form() == Form::Text && !common.quiet;
        let engine = if is_told && self.counts_changes { &counted } else { engine };
        let runtime = runtime::start()?;
        let (cancel, canceled) = unbounded_channel();
        let ended = runtime.block_on(async {
            let mut both = WatcherPair { first: &mut steps, second: recorder.as_mut() };
            let mut run = pin!(engine.run(accepted, canceled, &mut both));
            let mut stop = pin!(stopped(cancel, self.on_cancel));
            let stopped = || Err(StartError::State("stopped".to_owned()));
            poll_fn(|context| match run.as_mut().poll(context) {
                Poll::Ready(ended) => Poll::Ready(ended),
                Poll::Pending => stop.as_mut().poll(context).map(|()| stopped()),
            })
            .await
        });
        view.recorder = recorder;
        let counts = steps.finish();
        let inside = steps.diagnostics();
        if common.form() == Form::Text {
            for diagnostic in inside.iter().filter(|diagnostic| !diagnostics.contains(diagnostic)) {
                streams.print_error(&format!("{}\n", printable(&diagnostic.to_string())))?;
            }
        }
        add_new(&mut diagnostics, &inside);
        let did = DeploymentCounts { steps: counts, changes: tally.counts(), updated: 0, diagnostics };
        match ended {
            Ok(ended) => Ok(DeploymentOutcome { ended, did, elsewhere: Vec::new(), timeline: None }),
            // What was confirmed is there, and the deployment is as a killed process leaves it.
            Err(StartError::State(message) | StartError::Unavailable(message)) => {
                Err(CommandError::Environment(format!(
                    "{message}; the deployment is interrupted, and `tendon deploy --resume` resumes it"
                ))
                .into())
            }
            Err(StartError::Failure(failure)) => Err(TargetError::Failure(failure)),
        }
    }
}

/// Cancels at the first Ctrl-C, and ends at the second.
async fn stopped(cancel: UnboundedSender<()>, on_cancel: &dyn Fn()) {
    let signal = || async {
        if tokio::signal::ctrl_c().await.is_err() {
            // Nobody can press it.
            std::future::pending::<()>().await;
        }
    };
    signal().await;
    let _ = cancel.send(());
    on_cancel();
    signal().await;
}
