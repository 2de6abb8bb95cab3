//! The interface language, its rules, and messages.
#![cfg(test)]

mod acceptance;
mod agreement;
mod cases;
mod deciding;
mod functions;
mod meaning;
mod no_panic;
mod plain;
mod proxying;
mod quick;
mod reference;
mod rules;
mod service;
mod sharing;
mod splitting;
mod support;
mod syntax;
mod wire;
mod work;
