//! `tendon token`: tokens for callers of the server.

use std::time::{SystemTime, UNIX_EPOCH};

use diagnostics::printable;
use server::{Grant, Role, ScopePath, TokenError, TokenInfo, Tokens};

use crate::common::{Common, Form};
use crate::exit::{CommandError, Exit};
use crate::local_state::StateOptions;
use crate::output::Streams;

/// Create, list and revoke tokens for `tendon serve --auth token`
///
/// A token has a role in a scope. The state holds only a digest of it, made with the key of the state. A running server on the same state
/// sees changes at once.
#[derive(Debug, clap::Subcommand)]
pub(crate) enum Command {
    Create(CreateArguments),
    List(ListArguments),
    Revoke(RevokeArguments),
}

/// Create a token and show it once
#[derive(Debug, clap::Args)]
#[command(after_help = CREATE_EXAMPLES)]
pub(crate) struct CreateArguments {
    /// What it is for; the audit log shows it
    #[arg(value_name = "NAME")]
    name: String,

    /// What it may do: `reader` reads, `deployer` also deploys and changes resources, `owner` also changes groups and resource types
    #[arg(long, value_name = "ROLE", value_parser = role)]
    role: Role,

    /// The scope: an id such as /subscriptions/S/resourceGroups/G and everything below it, or / for everything
    #[arg(long, value_name = "ID", value_parser = scope)]
    scope: ScopePath,

    /// How long it is valid: a number with s, m, h or d, or `never`
    #[arg(long, value_name = "TIME", default_value = "90d", value_parser = life)]
    expires_in: Life,

    #[command(flatten)]
    state: StateOptions,
}

/// List tokens, without their secrets
#[derive(Debug, clap::Args)]
#[command(after_help = LIST_EXAMPLES)]
pub(crate) struct ListArguments {
    #[command(flatten)]
    state: StateOptions,
}

/// Revoke a token: it is refused from then on
#[derive(Debug, clap::Args)]
#[command(after_help = REVOKE_EXAMPLES)]
pub(crate) struct RevokeArguments {
    /// The id of the token: the part between `tendon_` and the second `_`
    #[arg(value_name = "ID")]
    id: String,

    #[command(flatten)]
    state: StateOptions,
}

const CREATE_EXAMPLES: &str = "\
Examples:
  tendon token create ci --role deployer --scope /subscriptions/S/resourceGroups/G
  tendon token create admin --role owner --scope / --expires-in 8h
  tendon token create dashboard --role reader --scope / --expires-in never --state state";

const LIST_EXAMPLES: &str = "\
Examples:
  tendon token list
  tendon token list --state state
  tendon token list -o json";

const REVOKE_EXAMPLES: &str = "\
Examples:
  tendon token revoke 0123456789abcdef
  tendon token revoke 0123456789abcdef --state state
  tendon token revoke 0123456789abcdef -q";

/// Runs a command.
pub(crate) fn run(command: &Command, common: &Common, streams: &mut Streams) -> Result<Exit, CommandError> {
    match command {
        Command::Create(arguments) => create(arguments, common, streams),
        Command::List(arguments) => list(arguments, common, streams),
        Command::Revoke(arguments) => revoke(arguments, common, streams),
    }
}

fn tokens(state: &StateOptions) -> Result<Tokens, CommandError> {
    let (store, key) = state.open_with_key()?;
    Ok(Tokens::new(store, key))
}

fn create(arguments: &CreateArguments, common: &Common, streams: &mut Streams) -> Result<Exit, CommandError> {
    let tokens = tokens(&arguments.state)?;
    let now = now();
    let expires = match arguments.expires_in {
        Life::Seconds(seconds) => Some(now.saturating_add(seconds)),
        Life::Forever => None,
    };
    let grant = Grant { role: arguments.role, scope: arguments.scope.clone() };
    let (token, info) = tokens.create(&arguments.name, grant, now, expires).map_err(failed)?;
    if common.form() == Form::Json {
        let mut value = json(&info);
        if let Some(members) = value.as_object_mut() {
            members.insert("token".to_owned(), token.into());
        }
        streams.print_result(&format!("{value:#}"))?;
        return Ok(Exit::Fine);
    }
    streams.print(&format!("{token}\n"))?;
    if !common.quiet {
        streams.aside("keep it now, it is shown only this once\n");
    }
    Ok(Exit::Fine)
}

fn list(arguments: &ListArguments, common: &Common, streams: &mut Streams) -> Result<Exit, CommandError> {
    let tokens = tokens(&arguments.state)?.list().map_err(failed)?;
    if common.form() == Form::Json {
        let all: Vec<_> = tokens.iter().map(json).collect();
        streams.print_result(&format!("{:#}", serde_json::Value::from(all)))?;
        return Ok(Exit::Fine);
    }
    let now = now();
    for token in &tokens {
        let ends = match token.expires {
            None => "never expires".to_owned(),
            Some(at) if at <= now => {
                format!("expired {}", arm::rest_time::moment_text(at.saturating_mul(1000)))
            }
            Some(at) => format!("expires {}", arm::rest_time::moment_text(at.saturating_mul(1000))),
        };
        let line = format!(
            "{}  {:<8}  {}  {ends}  {}",
            token.id,
            token.grant.role.name(),
            token.grant.scope,
            token.name
        );
        streams.print(&format!("{}\n", printable(&line)))?;
    }
    if tokens.is_empty() && !common.quiet {
        streams.print("there are no tokens\n")?;
    }
    Ok(Exit::Fine)
}

fn revoke(arguments: &RevokeArguments, common: &Common, streams: &mut Streams) -> Result<Exit, CommandError> {
    match tokens(&arguments.state)?.revoke(&arguments.id) {
        Ok(()) => {}
        Err(error @ TokenError::Missing(_)) => return Err(CommandError::Usage(error.to_string())),
        Err(error) => return Err(failed(error)),
    }
    if !common.quiet {
        streams.print(&format!("the token `{}` is revoked\n", printable(&arguments.id)))?;
    }
    Ok(Exit::Fine)
}

fn json(token: &TokenInfo) -> serde_json::Value {
    let moment = |seconds: i64| arm::rest_time::moment_text(seconds.saturating_mul(1000));
    serde_json::json!({
        "id": token.id,
        "name": token.name,
        "role": token.grant.role.name(),
        "scope": token.grant.scope.to_string(),
        "created": moment(token.created),
        "expires": token.expires.map(moment),
    })
}

#[expect(clippy::needless_pass_by_value, reason = "it is what `map_err` gives")]
fn failed(error: TokenError) -> CommandError {
    CommandError::Environment(error.to_string())
}

fn now() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_secs()).unwrap_or(i64::MAX)
}

/// How long a token is valid.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Life {
    Seconds(i64),
    Forever,
}

fn life(text: &str) -> Result<Life, String> {
    if text == "never" {
        return Ok(Life::Forever);
    }
    let units = [('s', 1), ('m', 60), ('h', 3600), ('d', 24 * 3600)];
    let found = units.into_iter().find_map(|(unit, seconds)| {
        let number: i64 = text.strip_suffix(unit)?.parse().ok()?;
        number.checked_mul(seconds).filter(|seconds| *seconds > 0)
    });
    found
        .map(Life::Seconds)
        .ok_or_else(|| "expected a number with s, m, h or d, such as `30d`, or `never`".to_owned())
}

fn role(text: &str) -> Result<Role, String> {
    Role::parse(text).ok_or_else(|| "expected `reader`, `deployer` or `owner`".to_owned())
}

fn scope(text: &str) -> Result<ScopePath, String> {
    ScopePath::parse(text)
        .ok_or_else(|| "expected an id such as `/subscriptions/S`, or `/` for everything".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_have_a_unit() {
        assert_eq!(life("30d"), Ok(Life::Seconds(30 * 24 * 3600)));
        assert_eq!(life("90s"), Ok(Life::Seconds(90)));
        assert_eq!(life("never"), Ok(Life::Forever));
        for wrong in ["", "d", "0d", "-1d", "30", "1y", "99999999999999999d"] {
            assert!(life(wrong).is_err(), "{wrong}");
        }
    }
}
