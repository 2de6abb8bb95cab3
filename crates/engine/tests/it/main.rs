//! Deployments, from template to record.
#![cfg(test)]

mod agree;
mod deploy;
mod groups;
mod host;
mod kept;
mod layered_store;
mod predict;
mod scripted;
