//! What the pages share: the pictures that were drawn last, and how much may be drawn, predicted and followed at the same time.

use std::sync::Arc;

use tokio::sync::Semaphore;

use crate::picture::Pictures;
use crate::quota::Shares;

/// How many pictures are drawn at the same time; others wait.
const DRAWING: usize = 4;

/// How many pages of deployments may be followed at the same time, and how many of them by one caller.
const STREAMS: usize = 1_024;
const OWN_STREAMS: usize = 256;

/// How many predictions are under way at least and at most; between them, as many as there are cores. A caller has half of them.
const FEWEST_PREDICTIONS: usize = 2;
const MOST_PREDICTIONS: usize = 4;

/// The resources that all pages draw on.
pub(crate) struct PageResources {
    /// The pictures that were drawn last.
    pub(crate) pictures: Pictures,
    /// Permits for those who draw.
    pub(crate) drawing: Arc<Semaphore>,
    /// Permits for those who predict.
    pub(crate) predictions: Arc<Shares>,
    /// Permits for those who follow a deployment.
    pub(crate) streams: Arc<Shares>,
}

impl Default for PageResources {
    fn default() -> PageResources {
        PageResources {
            pictures: Pictures::default(),
            drawing: Arc::new(Semaphore::new(DRAWING)),
            predictions: Arc::new(predictions()),
            streams: Arc::new(Shares::new(
                STREAMS,
                OWN_STREAMS,
                [
                    "too many pages of this caller are followed; this one shows what it was when it was loaded",
                    "too many pages are followed; this one shows what it was when it was loaded",
                ],
            )),
        }
    }
}

fn predictions() -> Shares {
    let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    let most = cores.clamp(FEWEST_PREDICTIONS, MOST_PREDICTIONS);
    Shares::new(
        most,
        most / 2,
        [
            "predictions of this caller are under way; try again when they have ended",
            "too many predictions are under way; try again in some seconds",
        ],
    )
}
