//! `tendon seal`: the keys that seal secrets, one after the other.

use engine::{Resealed, reseal};
use server::Audit;
use store::{Key, Store};

use crate::common::Common;
use crate::exit::{CommandError, Exit};
use crate::local_state::StateOptions;
use crate::output::Streams;

/// Show and replace the key that seals secrets
///
/// A file of a key may have a ring: the first key seals, and all of them open. A running server reads the ring again when the file changes, or when it
/// hears SIGHUP, and seals again in the background what other keys sealed.
#[derive(Debug, clap::Subcommand)]
pub(crate) enum Command {
    Status(StatusArguments),
    Rotate(RotateArguments),
    Retire(RetireArguments),
}

/// Tell how many keys there are, and what is sealed with which
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  tendon seal status
  tendon seal status --state state
  tendon seal status --database postgres://tendon@db.example/tendon --seal-key seal.key")]
pub(crate) struct StatusArguments {
    #[command(flatten)]
    state: StateOptions,
}

/// Let a new key seal, and seal again what others sealed
///
/// The key before stays in the ring and opens what it sealed, until `tendon seal retire`. Where nodes have files of their own, prepare a key
/// first, copy the file to all of them, rotate, and copy it again: no node then meets what it cannot open.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  tendon seal rotate
  tendon seal rotate --state state
  tendon seal rotate --prepare --seal-key seal.key --database postgres://tendon@db.example/tendon")]
pub(crate) struct RotateArguments {
    /// Only add a key that will seal; it opens from now on
    #[arg(long)]
    prepare: bool,

    #[command(flatten)]
    state: StateOptions,
}

/// Remove the keys that sealed before from the ring, once nothing is sealed with them
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  tendon seal retire
  tendon seal retire --state state
  tendon seal retire --database postgres://tendon@db.example/tendon --seal-key seal.key")]
pub(crate) struct RetireArguments {
    #[command(flatten)]
    state: StateOptions,
}

pub(crate) fn run(command: &Command, common: &Common, streams: &mut Streams) -> Result<Exit, CommandError> {
    match command {
        Command::Status(arguments) => status(arguments, streams),
        Command::Rotate(arguments) => rotate(arguments, common, streams),
        Command::Retire(arguments) => retire(arguments, common, streams),
    }
}

fn failed(error: impl std::fmt::Display) -> CommandError {
    CommandError::Environment(error.to_string())
}

/// Writes down what is about to be done with the keys.
fn note(state: &StateOptions, what: &str) -> Result<(), CommandError> {
    let audit = Audit::open(&state.made_folder()?).map_err(failed)?;
    audit.note(super::token::WHO, what, "/tendon/seal").map_err(failed)
}

fn counted(store: &dyn Store, key: &Key, for_real: bool) -> Result<Resealed, CommandError> {
    reseal(store, key, for_real).map_err(failed)
}

fn status(arguments: &StatusArguments, streams: &mut Streams) -> Result<Exit, CommandError> {
    let (store, key) = arguments.state.open_with_key()?;
    let found = counted(&*store, &key, false)?;
    let (older, next) = key.others();
    streams.print(&format!(
        "keys that sealed before: {older}\na key is prepared: {}\nsecrets sealed with the current key: {}\nsecrets sealed with others: {}\n",
        if next { "yes" } else { "no" },
        found.current,
        found.left
    ))?;
    Ok(Exit::Fine)
}

fn rotate(arguments: &RotateArguments, common: &Common, streams: &mut Streams) -> Result<Exit, CommandError> {
    let file = arguments.state.key_file()?;
    let _lock = Key::lock(&file).map_err(failed)?;
    let (store, key) = arguments.state.open_with_key()?;
    note(&arguments.state, if arguments.prepare { "PREPARE" } else { "ROTATE" })?;
    if arguments.prepare {
        key.prepared().and_then(|ring| ring.replace(&file)).map_err(failed)?;
        return tell(common, streams, "a key is prepared; copy the file to all nodes, then rotate");
    }
    if !key.others().1 {
        // Processes that use the same file can open what the key will seal before anything is sealed with it.
        key.prepared().and_then(|ring| ring.replace(&file)).map_err(failed)?;
        key.reload(&file).map_err(failed)?;
        std::thread::sleep(super::serve::KEY_READ_WITHIN);
    }
    key.rotated().and_then(|ring| ring.replace(&file)).map_err(failed)?;
    key.reload(&file).map_err(failed)?;
    let found = counted(&*store, &key, true)?;
    tell(
        common,
        streams,
        &format!(
            "a new key seals; {} secrets were sealed again, and {} could not be opened",
            found.changed, found.left
        ),
    )
}

fn retire(arguments: &RetireArguments, common: &Common, streams: &mut Streams) -> Result<Exit, CommandError> {
    let file = arguments.state.key_file()?;
    let _lock = Key::lock(&file).map_err(failed)?;
    let (store, key) = arguments.state.open_with_key()?;
    let found = counted(&*store, &key, true)?;
    if found.left > 0 {
        return Err(CommandError::Environment(format!(
            "{} secrets of deployments under way cannot be opened; end these deployments first, or restore the key that sealed them",
            found.left
        )));
    }
    note(&arguments.state, "RETIRE")?;
    let (older, _) = key.others();
    key.retired().replace(&file).map_err(failed)?;
    tell(common, streams, &format!("{older} keys were removed from the ring"))
}

fn tell(common: &Common, streams: &mut Streams, text: &str) -> Result<Exit, CommandError> {
    if !common.quiet {
        streams.print(&format!("{text}\n"))?;
    }
    Ok(Exit::Fine)
}
