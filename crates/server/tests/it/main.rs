//! Requests to a server, and its answers.
#![cfg(test)]

mod attack;
mod away;
mod deployments;
mod entries;
mod external_inputs;
mod groups;
mod hostile_values;
mod http2;
mod identity;
mod lists;
mod login;
mod oidc;
mod operations;
mod predict;
mod rad;
mod radius;
mod radius_registry;
mod radius_roles;
mod requests;
mod resources;
mod socket;
mod support;
mod tls;
mod ui_deployments;
mod ui_live;
mod ui_session;
mod ui_things;
mod watch;
