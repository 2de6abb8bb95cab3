//! `tendon context`: servers under names.

use std::path::{Path, PathBuf};

use diagnostics::printable;

use crate::common::{Common, Form};
use crate::exit::{CommandError, Exit};
use crate::output::Streams;
use crate::remote::{Context, Contexts};

/// Save servers under names, and select one
///
/// Commands with `--server` take `--context NAME` instead, and use the current context if neither they nor the environment name a server or a
/// state. Contexts hold the paths of token files, never a token.
#[derive(Debug, clap::Subcommand)]
pub(crate) enum Command {
    Add(AddArguments),
    List(ListArguments),
    Use(UseArguments),
    Remove(RemoveArguments),
}

/// Save a server under a name; one of that name is replaced
#[derive(Debug, clap::Args)]
#[command(after_help = ADD_EXAMPLES)]
pub(crate) struct AddArguments {
    /// The name
    #[arg(value_name = "NAME", value_parser = name)]
    name: String,
    /// The address of the server
    #[arg(value_name = "URL", value_parser = url)]
    server: String,
    /// The certificates to trust (PEM)
    #[arg(long, value_name = "FILE")]
    server_ca: Option<PathBuf>,
    /// The file with the access token; it is read when the server is asked
    #[arg(long, value_name = "FILE")]
    token_file: Option<PathBuf>,
    /// Make it the current one
    #[arg(long = "use")]
    is_current: bool,
}

const ADD_EXAMPLES: &str = "\
Examples:
  tendon context add local https://127.0.0.1:8443
  tendon context add prod https://tendon.example --token-file ~/.tendon-token --use
  tendon context add test https://tendon.test:8443 --server-ca ca.pem --token-file token";

/// List the servers that are saved; the current one has a star
#[derive(Debug, clap::Args)]
#[command(after_help = LIST_EXAMPLES)]
pub(crate) struct ListArguments {}

const LIST_EXAMPLES: &str = "\
Examples:
  tendon context list
  tendon context list -q
  tendon context list -o json";

/// Make a server the current one, or none
#[derive(Debug, clap::Args)]
#[command(after_help = USE_EXAMPLES)]
pub(crate) struct UseArguments {
    /// The name
    #[arg(value_name = "NAME", required_unless_present = "none")]
    name: Option<String>,
    /// Use the state on this machine again
    #[arg(long, conflicts_with = "name")]
    none: bool,
}

const USE_EXAMPLES: &str = "\
Examples:
  tendon context use prod
  tendon context use local -q
  tendon context use --none";

/// Forget a server
#[derive(Debug, clap::Args)]
#[command(after_help = REMOVE_EXAMPLES)]
pub(crate) struct RemoveArguments {
    /// The name
    #[arg(value_name = "NAME")]
    name: String,
}

const REMOVE_EXAMPLES: &str = "\
Examples:
  tendon context remove test
  tendon context remove prod
  tendon context remove local -q";

fn name(text: &str) -> Result<String, String> {
    let is_name = !text.is_empty()
        && !text.starts_with('-')
        && text.chars().all(|c| c.is_ascii_alphanumeric() || "-_.".contains(c));
    if is_name { Ok(text.to_owned()) } else { Err("it has letters, digits, `-`, `_` and `.`".to_owned()) }
}

fn url(text: &str) -> Result<String, String> {
    let rest = text.strip_prefix("https://").or_else(|| text.strip_prefix("http://"));
    let host = rest.and_then(|rest| rest.split('/').next()).unwrap_or_default();
    if host.is_empty() || host.contains('@') {
        return Err(
            "it begins with `https://` and a host, or with `http://` on this machine; tokens go into a file"
                .to_owned(),
        );
    }
    Ok(text.trim_end_matches('/').to_owned())
}

pub(crate) fn run(command: &Command, common: &Common, streams: &mut Streams) -> Result<Exit, CommandError> {
    match command {
        Command::Add(arguments) => add(arguments, common, streams),
        Command::List(ListArguments {}) => list(common, streams),
        Command::Use(arguments) => choose(arguments, common, streams),
        Command::Remove(arguments) => remove(&arguments.name, common, streams),
    }
}

/// Contexts are used from other folders, too.
fn absolute(file: Option<&Path>) -> Result<Option<PathBuf>, CommandError> {
    let absolute = |file: &Path| {
        std::path::absolute(file)
            .map_err(|error| CommandError::reading(&format!("`{}`", file.display()), &error))
    };
    file.map(absolute).transpose()
}

fn add(arguments: &AddArguments, common: &Common, streams: &mut Streams) -> Result<Exit, CommandError> {
    let context = Context {
        server: arguments.server.clone(),
        server_ca: absolute(arguments.server_ca.as_deref())?,
        token_file: absolute(arguments.token_file.as_deref())?,
    };
    let name = &arguments.name;
    let is_new = Contexts::change(|contexts| {
        if arguments.is_current {
            contexts.current = Some(name.clone());
        }
        Ok(contexts.contexts.insert(name.clone(), context).is_none())
    })?;
    if !common.quiet {
        let what = if is_new { "saved" } else { "replaced" };
        let current = if arguments.is_current { ", and is the current one" } else { "" };
        streams.print(&format!("context {name} {what}{current}\n"))?;
    }
    Ok(Exit::Fine)
}

fn list(common: &Common, streams: &mut Streams) -> Result<Exit, CommandError> {
    let contexts = Contexts::load()?;
    if common.form() == Form::Json {
        let text = serde_json::json!({ "current": contexts.current, "contexts": contexts.contexts });
        streams.print_result(&format!("{text:#}"))?;
        return Ok(Exit::Fine);
    }
    let width = contexts.contexts.keys().map(String::len).max().unwrap_or_default();
    for (name, context) in &contexts.contexts {
        let star = if contexts.current.as_ref() == Some(name) { '*' } else { ' ' };
        let mut line = format!("{star} {name:<width$}  {}", context.server);
        let files = [("server-ca", &context.server_ca), ("token-file", &context.token_file)];
        for (what, file) in files {
            if let Some(file) = file {
                line.push_str(&format!("  {what} {}", file.display()));
            }
        }
        streams.print(&format!("{}\n", printable(&line)))?;
    }
    if contexts.contexts.is_empty() && !common.quiet {
        streams.print("no contexts are saved; commands use the state on this machine\n")?;
    }
    Ok(Exit::Fine)
}

fn choose(arguments: &UseArguments, common: &Common, streams: &mut Streams) -> Result<Exit, CommandError> {
    let server = Contexts::change(|contexts| {
        let server = match &arguments.name {
            Some(name) => Some(contexts.named(name)?.server.clone()),
            None => None,
        };
        contexts.current.clone_from(&arguments.name);
        Ok(server)
    })?;
    if !common.quiet {
        let what = server.unwrap_or_else(|| "the state on this machine".to_owned());
        streams.print(&format!("commands now ask {}\n", printable(&what)))?;
    }
    Ok(Exit::Fine)
}

fn remove(name: &str, common: &Common, streams: &mut Streams) -> Result<Exit, CommandError> {
    let was_current = Contexts::change(|contexts| {
        contexts.named(name)?;
        contexts.contexts.remove(name);
        let was_current = contexts.current.as_deref() == Some(name);
        if was_current {
            contexts.current = None;
        }
        Ok(was_current)
    })?;
    if !common.quiet {
        let rest = if was_current { "; commands now use the state on this machine" } else { "" };
        streams.print(&format!("context {} removed{rest}\n", printable(name)))?;
    }
    Ok(Exit::Fine)
}
