//! How the resources of a deployment ended that this server did not see run: what its operations say.

use std::collections::BTreeMap;

use arm::Caseless as _;
use engine::OperationRecord;
use graph::{GraphNodeKind, ResourceOutcome};
use store::{Deployment, Status, Store};

use super::deployment::operation_mark;
use crate::api_error::ApiError;
use crate::picture::Drawn;

/// The marks of a deployment that this server did not see run.
pub(super) fn marks(
    store: &dyn Store,
    drawn: &Drawn,
    deployment: &Deployment,
) -> Result<BTreeMap<String, ResourceOutcome>, ApiError> {
    let mut marks = BTreeMap::new();
    let Ok(graph) = drawn.drawable() else { return Ok(marks) };
    if deployment.status == Status::Ended {
        let all = graph
            .nodes()
            .iter()
            .filter(|node| node.kind != GraphNodeKind::Existing)
            .flat_map(|node| &node.ids);
        marks.extend(all.map(|id| (id.caseless(), ResourceOutcome::NotStarted)));
    }
    for run in store.runs(deployment.root)? {
        for operation in store::scan_operations(store, run.run) {
            let done = OperationRecord::from_store(&operation?.body)?;
            marks.insert(done.target_id().caseless(), operation_mark(&done));
        }
    }
    Ok(marks)
}
