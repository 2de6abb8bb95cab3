//! How the resources of a deployment ended that this server did not see run: what its operations say.

use std::collections::BTreeMap;

use arm::Caseless as _;
use engine::records::parse;
use graph::{Kind, Mark};
use store::{Deployment, Page, Status, Store};

use super::deployment::Done;
use crate::picture::Drawn;
use crate::refusal::Refusal;

/// The marks of a deployment that this server did not see run.
pub(super) fn marks(
    store: &dyn Store,
    drawn: &Drawn,
    deployment: &Deployment,
) -> Result<BTreeMap<String, Mark>, Refusal> {
    let mut marks = BTreeMap::new();
    let Ok(graph) = drawn.drawable() else { return Ok(marks) };
    if deployment.status == Status::Ended {
        let all = graph.nodes().iter().filter(|node| node.kind != Kind::Existing).flat_map(|node| &node.ids);
        marks.extend(all.map(|id| (id.caseless(), Mark::NotStarted)));
    }
    for run in store.runs(deployment.root)? {
        for operation in store.operations(run.run, Page::ALL)? {
            let done = Done::of(&parse(&operation.body)?);
            marks.insert(done.id.caseless(), done.mark());
        }
    }
    Ok(marks)
}
