//! One file for each command: its arguments, its help, and the calls that answer it.

pub(crate) mod az_env;
pub(crate) mod bicep;
pub(crate) mod build;
pub(crate) mod build_params;
pub(crate) mod check;
pub(crate) mod completions;
pub(crate) mod context;
pub(crate) mod contract;
pub(crate) mod deploy;
pub(crate) mod eval;
pub(crate) mod functions;
pub(crate) mod lint;
pub(crate) mod params;
pub(crate) mod rad_env;
pub(crate) mod resource;
pub(crate) mod resource_type;
pub(crate) mod restore;
pub(crate) mod rules;
pub(crate) mod serve;
pub(crate) mod snapshot;
pub(crate) mod state;
pub(crate) mod thrift;
pub(crate) mod token;
pub(crate) mod types;
pub(crate) mod validate;
pub(crate) mod what_if;
