//! Conversations with the server.
#![cfg(test)]

mod bad_input;
mod client;
mod code_actions;
mod commands;
mod completion;
mod diagnostics;
mod formatting;
mod incremental;
mod life;
mod names;
mod outline;
mod restore;
