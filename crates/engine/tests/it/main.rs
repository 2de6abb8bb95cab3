//! Deployments, from template to record.
#![cfg(test)]

mod agree;
mod cluster;
mod deploy;
mod groups;
mod host;
mod kept;
mod predict;
mod scripted;
mod simulate;
