//! What the commands of the engine have in common: a file becomes a deployment, with its parameters bound and its
//! surroundings known, or everything that is wrong with it is said.
//!
//! `options` is what can be typed, `links` says where linked templates lie, `load` reads and compiles files, `values` reads values of parameters and mocks,
//! `surroundings` says where it goes, `placement` what `using ... with` says about that, `origins` where resources are written, `report` prints what is wrong, `tree`, `live` and `steps` show what is done, `html` reports it.

mod both;
pub(crate) mod html;
mod links;
mod live;
mod load;
mod options;
mod origins;
mod placement;
mod report;
mod sources;
mod state;
mod steps;
mod surroundings;
mod tree;
mod values;

pub(crate) use both::Both;
pub(crate) use load::{FileOptions, Loaded, Loader};
pub(crate) use options::{DeploymentOptions, TypeOptions};
pub(crate) use origins::SourceOrigins;
pub(crate) use report::{Refused, Reporter, error_object};
pub(crate) use sources::Sources;
pub(crate) use state::StateOptions;
pub(crate) use steps::Steps;
pub(crate) use surroundings::{Surroundings, now};
pub(crate) use tree::{Counts, Label};
