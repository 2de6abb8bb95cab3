//! Conversations with the server.
#![cfg(test)]

mod bad_input;
mod client;
mod code_actions;
mod commands;
mod completion;
mod conversations;
mod diagnostics;
mod formatting;
mod incremental;
mod life;
mod live;
mod names;
mod numbers;
mod outline;
mod overtaken;
mod restore;
mod test_files;
