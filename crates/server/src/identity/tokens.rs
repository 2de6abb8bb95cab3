//! Static tokens: made once, shown once, kept as a digest that only the owner of the key can compute.
//!
//! A token is `tendon_ID_SECRET`. The ID finds its record; the digest of the whole token decides. Records have ids without a slash at
//! the beginning, so that no path of a request leads to them.

use std::sync::Arc;

use arm::Value;
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use store::{
    BatchId, Commit, CommitOutcome, Condition, Key, Page, Resource, ResourceId, RunId, Store, StoreError,
    Write,
};

use crate::api_error::{ApiError, broken, unavailable};

use super::grant::{Caller, Grant, Role, ScopePath};
use super::roles::Roles;

/// What every token begins with, so that tools that look for lost secrets find it.
const MARK: &str = "tendon_";
/// What ids of records begin with.
const PREFIX: &str = "token:";
/// What digests are made for.
const PURPOSE: &str = "token";
/// The bytes of a secret.
const SECRET: usize = 32;
/// The form of the records.
const FORMAT: store::Format = 1;

/// The tokens of a state.
#[derive(Clone)]
pub struct Tokens {
    store: Arc<dyn Store>,
    key: Key,
}

/// What is known of a token.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TokenInfo {
    /// The part of it that may be shown and logged.
    pub id: String,
    /// What it is for, as its maker calls it.
    pub name: String,
    /// The role and scope that its bearer has.
    pub grant: Grant,
    /// When it was made, in seconds since 1970.
    pub created: i64,
    /// When it ends; none if it does not.
    pub expires: Option<i64>,
}

/// Why tokens cannot be made or looked at.
#[derive(Debug, thiserror::Error)]
pub enum TokenError {
    /// The state cannot be read or written.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The system gives no random bytes, or the key is not one.
    #[error("no token can be made: {0}")]
    Random(String),
    /// The state does not take it.
    #[error("the state cannot be written: {0}")]
    Unwritten(String),
    /// A record is not one that this program wrote.
    #[error("the record `{0}` of a token or role cannot be read")]
    Damaged(String),
    /// There is no such token.
    #[error("there is no token `{0}`")]
    Missing(String),
    /// There is no such role.
    #[error(
        "there is no role `{0}`; expected `reader`, `deployer`, `owner` or one that was made with `PUT /tendon/roles/NAME`"
    )]
    UnknownRole(String),
}

impl From<TokenError> for ApiError {
    fn from(error: TokenError) -> ApiError {
        match error {
            TokenError::Store(error) => error.into(),
            TokenError::Unwritten(why) => unavailable(&why),
            TokenError::Random(_) | TokenError::Damaged(_) => broken(&error),
            TokenError::Missing(_) => ApiError::new("NotFound", error.to_string()),
            TokenError::UnknownRole(_) => ApiError::new("InvalidRequestContent", error.to_string()),
        }
    }
}

impl Tokens {
    /// The tokens of a state, with the key that its digests are made with.
    pub fn new(store: Arc<dyn Store>, key: Key) -> Tokens {
        Tokens { store, key }
    }

    /// Makes a token. Its text is nowhere else.
    pub fn create(
        &self,
        name: &str,
        grant: Grant,
        now: i64,
        expires: Option<i64>,
    ) -> Result<(String, TokenInfo), TokenError> {
        if !Roles(&*self.store).has(&grant.role)? {
            return Err(TokenError::UnknownRole(grant.role.name().to_owned()));
        }
        let random = |error: &dyn std::fmt::Display| TokenError::Random(error.to_string());
        let mut bytes = [0; 8];
        let mut secret = [0; SECRET];
        getrandom::fill(&mut bytes).map_err(|error| random(&error))?;
        getrandom::fill(&mut secret).map_err(|error| random(&error))?;
        let id = format!("{:016x}", u64::from_be_bytes(bytes));
        let token = format!("{MARK}{id}_{}", URL_SAFE_NO_PAD.encode(secret));
        let digest = self.digest(&token).map_err(|error| random(&error))?;
        let info = TokenInfo { id, name: name.to_owned(), grant, created: now, expires };
        self.write(Write::Resource(record(&info, &digest)), Vec::new())?;
        Ok((token, info))
    }

    /// Gives a token another end, which may be a moment that is over.
    pub fn expire(&self, id: &str, expires: Option<i64>) -> Result<TokenInfo, TokenError> {
        let key = ResourceId::new(&format!("{PREFIX}{id}"));
        let found = self.store.resource(&key)?.ok_or_else(|| TokenError::Missing(id.to_owned()))?;
        let Some((info, digest)) = read(&found) else { return Err(TokenError::Damaged(id.to_owned())) };
        let info = TokenInfo { expires, ..info };
        // One that was revoked meanwhile stays revoked.
        let unchanged = vec![Condition::ResourceVersion(key, Some(found.version))];
        self.write(Write::Resource(record(&info, &digest)), unchanged)?;
        Ok(info)
    }

    /// All tokens, in the order of their ids.
    pub fn list(&self) -> Result<Vec<TokenInfo>, TokenError> {
        let records = self.store.resources(PREFIX, Page::ALL)?;
        records
            .iter()
            .map(|record| {
                read(record).map(|(info, _)| info).ok_or_else(|| TokenError::Damaged(record.id.clone()))
            })
            .collect()
    }

    /// Forgets a token: it is refused from now on.
    pub fn revoke(&self, id: &str) -> Result<(), TokenError> {
        let key = ResourceId::new(&format!("{PREFIX}{id}"));
        if self.store.resource(&key)?.is_none() {
            return Err(TokenError::Missing(id.to_owned()));
        }
        self.write(Write::DeleteResource(key), Vec::new())
    }

    /// Whom a token stands for; none if it is not a token, was revoked, or has expired.
    pub(super) fn caller(&self, token: &str, now: i64) -> Result<Option<Caller>, TokenError> {
        let id = token.strip_prefix(MARK).and_then(|rest| rest.split_once('_')).map(|(id, _)| id);
        let Some(id) = id.filter(|id| id.len() == 16 && id.bytes().all(|byte| byte.is_ascii_hexdigit()))
        else {
            return Ok(None);
        };
        let Some(record) = self.store.resource(&ResourceId::new(&format!("{PREFIX}{id}")))? else {
            return Ok(None);
        };
        let Some((info, digest)) = read(&record) else { return Err(TokenError::Damaged(record.id)) };
        let found = self.digest(token).map_err(|error| TokenError::Random(error.to_string()))?;
        let expired = info.expires.is_some_and(|expires| expires <= now);
        if !is_same(&found, &digest) || expired {
            return Ok(None);
        }
        let name = if info.name.is_empty() {
            format!("token:{}", info.id)
        } else {
            format!("token:{} {}", info.id, info.name)
        };
        Ok(Some(Caller { name, grants: vec![info.grant] }))
    }

    fn digest(&self, token: &str) -> Result<[u8; 32], store::SealError> {
        self.key.derive(PURPOSE, token.as_bytes())
    }

    fn write(&self, write: Write, conditions: Vec<Condition>) -> Result<(), TokenError> {
        commit(&*self.store, write, conditions)
    }
}

/// Writes a record of tokens or roles.
pub(super) fn commit(store: &dyn Store, write: Write, conditions: Vec<Condition>) -> Result<(), TokenError> {
    let mut run = [0; 16];
    getrandom::fill(&mut run).map_err(|error| TokenError::Random(error.to_string()))?;
    let id = BatchId { run: RunId(u128::from_be_bytes(run)), number: 0 };
    let batch = Commit { id, fence: None, conditions, writes: vec![write] };
    match store.commit(&[batch]).pop() {
        Some(CommitOutcome::Committed) => Ok(()),
        Some(CommitOutcome::Unknown(why)) => Err(TokenError::Unwritten(why)),
        Some(CommitOutcome::Fenced | CommitOutcome::Conflict { .. }) | None => {
            Err(TokenError::Unwritten("it was refused".to_owned()))
        }
    }
}

/// What is kept of a token.
fn record(info: &TokenInfo, digest: &[u8]) -> Resource {
    let body = Value::object([
        ("name", Value::text(&info.name)),
        ("role", Value::text(info.grant.role.name())),
        ("scope", Value::text(info.grant.scope.to_string())),
        ("created", Value::Int(info.created)),
        ("expires", info.expires.map_or(Value::Null, Value::Int)),
        ("digest", Value::text(URL_SAFE_NO_PAD.encode(digest))),
    ]);
    Resource { id: format!("{PREFIX}{}", info.id), version: 0, format: FORMAT, body: body.to_json() }
}

/// Whether a record is that of a token, as this program writes them.
pub fn is_token_record(record: &Resource) -> bool {
    const MEMBERS: &[&str] = &["name", "role", "scope", "created", "expires", "digest"];
    let body = engine::records::parse(&record.body).ok();
    let members = body.as_ref().and_then(Value::as_object);
    let is_whole = members.is_some_and(|members| {
        members.len() == MEMBERS.len() && MEMBERS.iter().all(|name| members.iter().any(|(it, _)| it == name))
    });
    let is_id = |id: &str| id.len() == 16 && id.bytes().all(|it| matches!(it, b'0'..=b'9' | b'a'..=b'f'));
    let is_read = read(record).is_some_and(|(info, digest)| is_id(&info.id) && digest.len() == 32);
    is_whole && is_read && record.format == FORMAT && record.version > 0
}

/// What a record says, and the digest in it.
fn read(record: &Resource) -> Option<(TokenInfo, Vec<u8>)> {
    let id = record.id.strip_prefix(PREFIX)?;
    let body = engine::records::parse(&record.body).ok()?;
    let body = body.as_object()?;
    let text = |name: &str| body.get(name).and_then(Value::as_str);
    let int = |name: &str| match body.get(name) {
        Some(Value::Int(value)) => Some(*value),
        Some(_) | None => None,
    };
    let expires = match body.get("expires") {
        Some(Value::Null) => None,
        // One that cannot be read must not make the token last forever.
        Some(_) | None => Some(int("expires")?),
    };
    let grant = Grant { role: Role::parse(text("role")?)?, scope: ScopePath::parse(text("scope")?)? };
    let info = TokenInfo {
        id: id.to_owned(),
        name: text("name")?.to_owned(),
        grant,
        created: int("created")?,
        expires,
    };
    Some((info, URL_SAFE_NO_PAD.decode(text("digest")?).ok()?))
}

/// Compares without telling by its time where the first difference is.
pub(crate) fn is_same(left: &[u8], right: &[u8]) -> bool {
    let difference = left.iter().zip(right).fold(0, |all, (left, right)| all | (left ^ right));
    left.len() == right.len() && std::hint::black_box(difference) == 0
}

#[cfg(test)]
mod tests {
    use super::*;
    use store::MemoryStore;

    fn tokens() -> Tokens {
        Tokens::new(Arc::new(MemoryStore::new()), Key::random().unwrap())
    }

    fn grant() -> Grant {
        Grant { role: Role::Deployer, scope: ScopePath::parse("/subscriptions/S").unwrap() }
    }

    #[test]
    fn a_token_stands_for_its_grant_until_it_expires_or_is_revoked() {
        let tokens = tokens();
        let (token, info) = tokens.create("ci", grant(), 100, Some(200)).unwrap();
        assert_eq!(tokens.caller(&token, 199).unwrap().unwrap().grants, [grant()]);
        assert!(tokens.caller(&token, 200).unwrap().is_none());
        assert_eq!(tokens.list().unwrap(), std::slice::from_ref(&info));
        tokens.expire(&info.id, Some(150)).unwrap();
        assert!(tokens.caller(&token, 150).unwrap().is_none());
        assert_eq!(tokens.expire(&info.id, None).unwrap().expires, None);
        assert!(tokens.caller(&token, 1_000).unwrap().is_some());
        tokens.revoke(&info.id).unwrap();
        assert!(tokens.caller(&token, 150).unwrap().is_none());
        assert!(matches!(tokens.expire(&info.id, None), Err(TokenError::Missing(_))));
        assert!(matches!(tokens.revoke(&info.id), Err(TokenError::Missing(_))));
    }

    #[test]
    fn a_token_that_was_changed_is_none() {
        let tokens = tokens();
        let (token, _) = tokens.create("", grant(), 0, None).unwrap();
        let mut changed = token.clone();
        let last = if token.ends_with('A') { 'B' } else { 'A' };
        changed.pop();
        changed.push(last);
        for wrong in [
            changed.as_str(),
            "",
            "tendon_",
            "tendon_00",
            token.strip_suffix(|_: char| true).unwrap(),
            &format!("{token}x"),
            &token.to_uppercase(),
        ] {
            assert!(tokens.caller(wrong, 1).unwrap().is_none(), "{wrong}");
        }
    }

    #[test]
    fn the_token_is_not_in_the_store_and_another_key_does_not_know_it() {
        let store: Arc<dyn Store> = Arc::new(MemoryStore::new());
        let (token, _) =
            Tokens::new(Arc::clone(&store), Key::random().unwrap()).create("n", grant(), 0, None).unwrap();
        let secret = token.rsplit('_').next().unwrap();
        for record in store.resources("", Page::ALL).unwrap() {
            assert!(!record.body.contains(secret) && !record.id.contains(secret));
        }
        assert!(Tokens::new(store, Key::random().unwrap()).caller(&token, 1).unwrap().is_none());
    }
}
