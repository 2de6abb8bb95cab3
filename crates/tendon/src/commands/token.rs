//! `tendon token`: tokens for callers of the server.

use std::time::{SystemTime, UNIX_EPOCH};

use diagnostics::printable;
use server::{Audit, Grant, Role, ScopePath, TokenError, TokenInfo, Tokens};

use crate::common::{Common, Form};
use crate::exit::{CommandError, Exit};
use crate::output::Streams;
use crate::remote::{BackendOptions, Remote, TargetError};

/// Create, list, expire and revoke tokens for `tendon serve --auth token`
///
/// A token has a role in a scope. The state holds only a digest of it, made with the key of the state. A running server on the same state
/// sees changes at once; with `--server` it makes them itself, for an owner of everything. Either way the audit log has a line for each change.
#[derive(Debug, clap::Subcommand)]
pub(crate) enum Command {
    Create(CreateArguments),
    List(ListArguments),
    Expire(ExpireArguments),
    Revoke(RevokeArguments),
}

/// Create a token and show it once
#[derive(Debug, clap::Args)]
#[command(after_help = CREATE_EXAMPLES)]
pub(crate) struct CreateArguments {
    /// The purpose of the token, which the audit log shows
    #[arg(value_name = "NAME")]
    name: String,

    /// The role: `reader` reads, `deployer` also deploys and changes resources, `owner` also changes groups and resource types, a role of your own its
    /// actions
    #[arg(long, value_name = "ROLE", value_parser = role)]
    role: Role,

    /// The scope: an id such as /subscriptions/S/resourceGroups/G and everything below it, or / for everything
    #[arg(long, value_name = "ID", value_parser = scope)]
    scope: ScopePath,

    /// The time until it expires: a number with s, m, h or d, or `never`
    #[arg(long, value_name = "TIME", default_value = "90d", value_parser = life)]
    expires_in: Life,

    #[command(flatten)]
    place: BackendOptions,
}

/// List tokens, without their secrets
#[derive(Debug, clap::Args)]
#[command(after_help = LIST_EXAMPLES)]
pub(crate) struct ListArguments {
    #[command(flatten)]
    place: BackendOptions,
}

/// Give a token another end, which may be earlier or later than it was
#[derive(Debug, clap::Args)]
#[command(after_help = EXPIRE_EXAMPLES)]
pub(crate) struct ExpireArguments {
    /// The id of the token: the part between `tendon_` and the second `_`
    #[arg(value_name = "ID")]
    id: String,

    /// The time from now until it expires: a number with s, m, h or d, or `never`
    #[arg(long, value_name = "TIME", value_parser = life)]
    expires_in: Life,

    #[command(flatten)]
    place: BackendOptions,
}

/// Revoke a token: it is refused from then on
#[derive(Debug, clap::Args)]
#[command(after_help = REVOKE_EXAMPLES)]
pub(crate) struct RevokeArguments {
    /// The id of the token: the part between `tendon_` and the second `_`
    #[arg(value_name = "ID")]
    id: String,

    #[command(flatten)]
    place: BackendOptions,
}

const CREATE_EXAMPLES: &str = "\
Examples:
  tendon token create ci --role deployer --scope /subscriptions/S/resourceGroups/G
  tendon token create admin --role owner --scope / --expires-in 8h
  tendon token create dashboard --role reader --scope / --expires-in never --state state";

const EXPIRE_EXAMPLES: &str = "\
Examples:
  tendon token expire 0123456789abcdef --expires-in 1h
  tendon token expire 0123456789abcdef --expires-in 90d --state state
  tendon token expire 0123456789abcdef --expires-in never --server https://tendon.example:8443";

const LIST_EXAMPLES: &str = "\
Examples:
  tendon token list
  tendon token list --state state
  tendon token list --server https://tendon.example:8443 -o json";

const REVOKE_EXAMPLES: &str = "\
Examples:
  tendon token revoke 0123456789abcdef
  tendon token revoke 0123456789abcdef --state state
  tendon token revoke 0123456789abcdef --server https://tendon.example:8443";

pub(crate) fn run(command: &Command, common: &Common, streams: &mut Streams) -> Result<Exit, CommandError> {
    match command {
        Command::Create(arguments) => create(arguments, common, streams),
        Command::List(arguments) => list(arguments, common, streams),
        Command::Expire(arguments) => expire(arguments, common, streams),
        Command::Revoke(arguments) => revoke(arguments, common, streams),
    }
}

/// Where the tokens are.
enum TokenPlace<'p> {
    /// In a state of this machine, which has a log of what was done.
    Here(Tokens, &'p BackendOptions),
    There(Box<Remote>),
}

/// What the audit log calls whoever works with the state itself.
pub(super) const WHO: &str = "command line";

impl<'p> TokenPlace<'p> {
    fn open(place: &'p BackendOptions) -> Result<TokenPlace<'p>, CommandError> {
        if let Some(remote) = place.server()? {
            return Ok(TokenPlace::There(Box::new(remote)));
        }
        let (store, key) = place.state.open_with_key()?;
        Ok(TokenPlace::Here(Tokens::new(store, key), place))
    }
}

/// Writes down what is about to be changed without a server.
fn note(place: &BackendOptions, action: &str, id: &str) -> Result<(), CommandError> {
    let failed = |error: server::AuditError| CommandError::Environment(error.to_string());
    let audit = Audit::open(&place.state.made_folder()?).map_err(failed)?;
    let path = if id.is_empty() { "/tendon/tokens".to_owned() } else { format!("/tendon/tokens/{id}") };
    audit.note(WHO, action, &path).map_err(failed)
}

/// How a refusal of a server ends the command.
fn refused(error: TargetError) -> CommandError {
    match error {
        TargetError::Failure(failure) => CommandError::Input(failure.message),
        TargetError::Unreachable(error) => error,
    }
}

fn create(arguments: &CreateArguments, common: &Common, streams: &mut Streams) -> Result<Exit, CommandError> {
    let CreateArguments { name, role, scope, .. } = arguments;
    let value = match TokenPlace::open(&arguments.place)? {
        TokenPlace::Here(tokens, place) => {
            note(place, "POST", "")?;
            let now = now();
            let grant = Grant { role: role.clone(), scope: scope.clone() };
            let (token, info) =
                tokens.create(name, grant, now, arguments.expires_in.end(now)).map_err(missing)?;
            let mut value = json(&info);
            if let Some(members) = value.as_object_mut() {
                members.insert("token".to_owned(), token.into());
            }
            value
        }
        TokenPlace::There(remote) => {
            let seconds = arguments.expires_in.seconds();
            let made = remote.create_token(name, role.name(), &scope.to_string(), seconds);
            plain(&made.map_err(refused)?)
        }
    };
    if common.form() == Form::Json {
        streams.print_result(&format!("{value:#}"))?;
        return Ok(Exit::Fine);
    }
    let token = value.get("token").and_then(serde_json::Value::as_str).unwrap_or_default();
    streams.print(&format!("{}\n", printable(token)))?;
    if !common.quiet {
        streams.aside("keep it now, it is shown only this once\n");
    }
    Ok(Exit::Fine)
}

fn list(arguments: &ListArguments, common: &Common, streams: &mut Streams) -> Result<Exit, CommandError> {
    let tokens: Vec<serde_json::Value> = match TokenPlace::open(&arguments.place)? {
        TokenPlace::Here(tokens, _) => tokens.list().map_err(failed)?.iter().map(json).collect(),
        TokenPlace::There(remote) => remote.tokens().map_err(refused)?.iter().map(plain).collect(),
    };
    if common.form() == Form::Json {
        streams.print_result(&format!("{:#}", serde_json::Value::from(tokens)))?;
        return Ok(Exit::Fine);
    }
    let now = arm::rest_time::moment_text(now().saturating_mul(1000));
    for token in &tokens {
        let text = |name: &str| token.get(name).and_then(serde_json::Value::as_str).unwrap_or_default();
        // Moments are written alike, so that their texts are in their order.
        let ends = match text("expires") {
            "" => "never expires".to_owned(),
            at if *at <= *now => format!("expired {at}"),
            at => format!("expires {at}"),
        };
        let line =
            format!("{}  {:<8}  {}  {ends}  {}", text("id"), text("role"), text("scope"), text("name"));
        streams.print(&format!("{}\n", printable(line.trim_end())))?;
    }
    if tokens.is_empty() && !common.quiet {
        streams.print("there are no tokens\n")?;
    }
    Ok(Exit::Fine)
}

fn expire(arguments: &ExpireArguments, common: &Common, streams: &mut Streams) -> Result<Exit, CommandError> {
    let id = &arguments.id;
    let value = match TokenPlace::open(&arguments.place)? {
        TokenPlace::Here(tokens, place) => {
            note(place, "PATCH", id)?;
            json(&tokens.expire(id, arguments.expires_in.end(now())).map_err(missing)?)
        }
        TokenPlace::There(remote) => {
            plain(&remote.expire_token(id, arguments.expires_in.seconds()).map_err(refused)?)
        }
    };
    if common.form() == Form::Json {
        streams.print_result(&format!("{value:#}"))?;
    } else if !common.quiet {
        let ends = match value.get("expires").and_then(serde_json::Value::as_str) {
            Some(at) => format!("expires {at}"),
            None => "never expires".to_owned(),
        };
        streams.print(&format!("the token `{}` {}\n", printable(id), printable(&ends)))?;
    }
    Ok(Exit::Fine)
}

fn revoke(arguments: &RevokeArguments, common: &Common, streams: &mut Streams) -> Result<Exit, CommandError> {
    match TokenPlace::open(&arguments.place)? {
        TokenPlace::Here(tokens, place) => {
            note(place, "DELETE", &arguments.id)?;
            tokens.revoke(&arguments.id).map_err(missing)?;
        }
        TokenPlace::There(remote) => remote.revoke_token(&arguments.id).map_err(refused)?,
    }
    if !common.quiet {
        streams.print(&format!("the token `{}` is revoked\n", printable(&arguments.id)))?;
    }
    Ok(Exit::Fine)
}

/// That a token is not there is a mistake of whoever asks.
fn missing(error: TokenError) -> CommandError {
    match error {
        TokenError::Missing(_) | TokenError::UnknownRole(_) => CommandError::Usage(error.to_string()),
        error => failed(error),
    }
}

/// What a server answers, as JSON.
fn plain(value: &arm::Value) -> serde_json::Value {
    serde_json::from_str(&value.to_json()).unwrap_or_default()
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

impl Life {
    /// How many seconds it is; none for ever.
    pub(super) fn seconds(self) -> Option<i64> {
        match self {
            Life::Seconds(seconds) => Some(seconds),
            Life::Forever => None,
        }
    }

    /// When it ends that begins now.
    fn end(self, now: i64) -> Option<i64> {
        self.seconds().map(|seconds| now.saturating_add(seconds))
    }
}

pub(super) fn life(text: &str) -> Result<Life, String> {
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
    Role::parse(text)
        .ok_or_else(|| "expected `reader`, `deployer`, `owner` or the name of a role of your own".to_owned())
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
