//! What the commands of the engine have in common: a file becomes a deployment, with its parameters bound and its
//! surroundings known, or everything that is wrong with it is said.
//!
//! `options` is what can be typed, `load` reads and compiles files, `links` says where linked templates lie, `values` reads values of
//! parameters and mocks, `context` says what a deployment knows of its surroundings, `placement` what `using ... with` says about that,
//! `origins` where resources are written. `target` is where a deployment goes. `report` prints what is wrong, `tree`, `live` and `steps`
//! show what is done, `html_report` reports it.

mod artifacts;
mod context;
mod failure_places;
pub(crate) mod html_report;
pub(crate) mod links;
mod live;
mod load;
mod mock_names;
mod options;
mod origins;
mod placeholders;
mod placement;
mod prediction;
mod report;
mod resource_names;
mod saved_plan;
mod sources;
mod steps;
mod target;
mod tree;
mod values;
mod watcher_pair;

pub(crate) use context::{ContextKind, deployment_name, fits};
pub(crate) use failure_places::{failure_findings, locate_failure, locate_in_program, noted_place};
pub(crate) use links::TemplateFile;
pub(crate) use load::{FileOptions, LoadResult, Loader, LoaderOptions};
pub(crate) use options::{DeploymentOptions, LimitsOption};
pub(crate) use origins::SourceOrigins;
pub(crate) use prediction::{PredictionStyle, prediction_summary, prediction_text};
pub(crate) use report::{Reporter, error_object};
pub(crate) use resource_names::{ResourceNames, resource_names};
pub(crate) use saved_plan::{open_plan, plan_files, read_plan, write_plan};
pub(crate) use sources::Sources;
pub(crate) use target::{
    DeploymentCounts, DeploymentOutcome, RunView, Target, TargetArguments, TargetPurpose, TargetSetup,
};
pub(crate) use tree::Label;
