//! `tendon state`: what the engine keeps, here or on a server.

mod backend;
mod cancel;
mod delete;
mod export;
mod fail;
mod gate;
mod import;
mod lines;
mod list;
mod show;

pub(super) use import::admit_export;

use crate::common::Common;
use crate::exit::{CommandError, Exit};
use crate::output::Streams;

/// Show the state of the engine, delete from it, and end what was interrupted
#[derive(Debug, clap::Subcommand)]
pub(crate) enum Command {
    List(list::Arguments),
    Show(show::Arguments),
    Delete(delete::Arguments),
    Cancel(cancel::Arguments),
    Fail(fail::Arguments),
    Export(export::Arguments),
    Import(import::Arguments),
}

pub(crate) fn run(command: &Command, common: &Common, streams: &mut Streams) -> Result<Exit, CommandError> {
    match command {
        Command::List(arguments) => list::run(arguments, common, streams),
        Command::Show(arguments) => show::run(arguments, common, streams),
        Command::Delete(arguments) => delete::run(arguments, common, streams),
        Command::Cancel(arguments) => cancel::run(arguments, common, streams),
        Command::Fail(arguments) => fail::run(arguments, common, streams),
        Command::Export(arguments) => export::run(arguments, common, streams),
        Command::Import(arguments) => import::run(arguments, common, streams),
    }
}
