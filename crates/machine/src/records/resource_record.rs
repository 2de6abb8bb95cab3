//! What is kept of a resource, and what lets it in.
//!
//! A record is made of an admitted value and of nothing else, so that what reaches the store has been asked for its terms.

use arm::template::{OpenResourceTerms, TypeViolation};
use arm::{ObjectBuilder, Value};
use contract::{Admitted, Boundary, admit};
use smol_str::SmolStr;
use store::Key;

use super::stored_text::{LoadError, parse};
use crate::Failure;

/// Why a record is damaged whose text is fine.
const AMBIGUOUS: &str = "a member is there twice in different case, or a number is beyond double precision";

/// What is wrong with the resource, where only its parts can say what.
const INVALID: &str = "InvalidRequestContent";

/// Lets the body of a resource in if every reader sees the same in it, and its envelope is that of a resource. What its type asks
/// beyond that, its provider knows.
pub fn admit_body(id: &str, body: Value) -> Result<Admitted<Value>, Failure> {
    admit(Boundary::OpenResource, &OpenResourceTerms::default(), body).map_err(|breaches| {
        let detail = |breach: &TypeViolation| {
            let code = if breach.first.is_some() { breach.kind.code() } else { INVALID };
            Failure::new(code, breach.message.clone()).target(breach.target("$"))
        };
        let message = format!("the resource `{id}` is not valid");
        Failure::new(INVALID, message).target(id).because(breaches.iter().map(detail).collect())
    })
}

/// What is kept of a resource: its state without secrets, a digest of each secret by its place, and, where the type wants
/// them back, the secrets under a seal.
#[derive(Clone, Debug, PartialEq)]
pub struct ResourceRecord {
    body: Value,
    digests: Value,
    sealed: Option<SmolStr>,
}

impl ResourceRecord {
    /// The record of a state. A digest is made with a key, so that nobody else can try values.
    pub fn new(key: &Key, state: &Admitted<Value>) -> Result<ResourceRecord, Failure> {
        let mut digests = ObjectBuilder::default();
        let public = without_secrets(key, state.get(), &mut String::new(), &mut digests)?;
        let body = public.unwrap_or(Value::Null);
        Ok(ResourceRecord { body, digests: digests.finish(), sealed: None })
    }

    /// The record of a simulated resource, of which it only matters that it is there.
    pub fn simulated(_: &Admitted<Value>) -> ResourceRecord {
        ResourceRecord { body: Value::Bool(true), digests: Value::Null, sealed: None }
    }

    /// The same with its secrets, which are sealed already.
    #[must_use]
    pub fn with_sealed(self, sealed: Option<String>) -> ResourceRecord {
        ResourceRecord { sealed: sealed.map(Into::into), ..self }
    }

    /// The same after a patch. Of secrets that the patch does not name, only the digests of the record before are known: they stay.
    #[must_use]
    pub fn patched(self, before: &ResourceRecord, patch: &Value) -> ResourceRecord {
        let mut digests = ObjectBuilder::default();
        for (place, digest) in before.digests.as_object().into_iter().flatten() {
            if !is_named(patch, place) {
                digests.set(place.clone(), digest.clone());
            }
        }
        for (place, digest) in self.digests.as_object().into_iter().flatten() {
            digests.set(place.clone(), digest.clone());
        }
        ResourceRecord { digests: digests.finish(), ..self }
    }

    /// Reads what the store keeps of a resource; what is damaged is named.
    pub fn from_store(kept: &store::Resource) -> Result<ResourceRecord, LoadError> {
        ResourceRecord::from_text(&kept.body).map_err(|error| match error {
            LoadError::Damaged(what) => {
                LoadError::Damaged(format!("the record of `{}`: {what}", contract::short_name(&kept.id)))
            }
            error @ (LoadError::Store(_) | LoadError::SecretsLost(_)) => error,
        })
    }

    fn from_text(text: &str) -> Result<ResourceRecord, LoadError> {
        let kept = parse(text)?;
        // Nothing of the kind is let in, so that somebody else has written it.
        if kept.is_ambiguous() {
            return Err(LoadError::Damaged(AMBIGUOUS.to_owned()));
        }
        let part = |name: &str| kept.as_object().and_then(|kept| kept.get(name)).cloned();
        Ok(ResourceRecord {
            body: part("body").unwrap_or(Value::Null),
            digests: part("digests").unwrap_or(Value::Null),
            sealed: part("sealed").and_then(|sealed| sealed.as_str().map(Into::into)),
        })
    }

    /// What the store keeps.
    pub fn to_store(&self) -> String {
        let mut kept = ObjectBuilder::default();
        kept.set("body".into(), self.body.clone());
        kept.set("digests".into(), self.digests.clone());
        if let Some(sealed) = &self.sealed {
            kept.set("sealed".into(), Value::Text(sealed.clone()));
        }
        kept.finish().to_json()
    }

    /// The state without its secrets.
    pub fn body(&self) -> &Value {
        &self.body
    }

    /// The digests of the secrets, by JSON pointers.
    pub fn digests(&self) -> &Value {
        &self.digests
    }
}

/// Tells whether a patch says what is at a place, which is a JSON pointer.
fn is_named(patch: &Value, place: &str) -> bool {
    let mut at = patch;
    for part in place.split('/').skip(1) {
        let Some(object) = at.plain().as_object() else { return true };
        match object.get(&part.replace("~1", "/").replace("~0", "~")) {
            Some(member) => at = member,
            None => return false,
        }
    }
    true
}

/// A value without its secrets, of which digests are noted down by their place; nothing if it is one itself.
fn without_secrets(
    key: &Key,
    value: &Value,
    place: &mut String,
    digests: &mut ObjectBuilder,
) -> Result<Option<Value>, Failure> {
    if !value.has_secret() {
        return Ok(Some(value.clone()));
    }
    // Recursion is bounded by how deep a value may nest.
    Ok(match value {
        Value::Secret(inner) => {
            let digest = key.derive("secret value", inner.to_json().as_bytes());
            let digest = digest.map_err(|error| Failure::new("InternalServerError", error.to_string()))?;
            let hex: String = digest.iter().map(|byte| format!("{byte:02x}")).collect();
            digests.set(place.as_str().into(), Value::text(hex));
            None
        }
        Value::Array(list) => {
            let mut items = Vec::new();
            for (at, item) in list.items().iter().enumerate() {
                let length = place.len();
                place.push_str(&format!("/{at}"));
                items.push(without_secrets(key, item, place, digests)?.unwrap_or(Value::Null));
                place.truncate(length);
            }
            Some(Value::array(items))
        }
        Value::Object(object) => {
            let mut members = ObjectBuilder::default();
            for (name, member) in &**object {
                let length = place.len();
                place.push('/');
                place.push_str(&name.replace('~', "~0").replace('/', "~1"));
                if let Some(member) = without_secrets(key, member, place, digests)? {
                    members.insert(name.clone(), member);
                }
                place.truncate(length);
            }
            Some(members.finish())
        }
        scalar => Some(scalar.clone()),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_is_named_if_it_or_something_around_it_is_replaced() {
        let patch =
            Value::object([("p", Value::object([("a/b", Value::Int(1)), ("o", Value::array(vec![]))]))]);
        assert!(is_named(&patch, "/p/a~1b") && is_named(&patch, "/p/o/0/x"));
        assert!(!is_named(&patch, "/p/other") && !is_named(&patch, "/q"));
        let secret = Value::object([("p", Value::object([("a", Value::Int(1))]).secret())]);
        assert!(is_named(&secret, "/p/a") && !is_named(&secret, "/p/b"));
    }

    #[test]
    #[expect(clippy::disallowed_methods, reason = "any key will do for a test")]
    fn what_the_store_keeps_is_read_back() {
        let secret = Value::object([("a", Value::Int(1)), ("key", Value::from("hunter2").secret())]);
        let state = admit_body("/a", secret).unwrap();
        let record = ResourceRecord::new(&Key::random().unwrap(), &state).unwrap();
        let record = record.with_sealed(Some("AA".to_owned()));
        assert!(!record.to_store().contains("hunter2"));
        assert_eq!(ResourceRecord::from_text(&record.to_store()).unwrap(), record);
    }

    #[test]
    fn what_readers_do_not_agree_on_is_not_let_in() {
        let refused = |text: &str| {
            let kept = format!("{{\"body\": {text}}}");
            assert!(matches!(ResourceRecord::from_text(&kept), Err(LoadError::Damaged(_))), "{text}");
            let failure = admit_body("/a", parse(text).unwrap()).unwrap_err();
            let detail = failure.details.first().unwrap();
            (detail.code.to_string(), detail.target.clone().unwrap())
        };
        let twice = refused(r#"{"properties":{"a":[{"size":1,"Size":2}]}}"#);
        assert_eq!(twice, ("DuplicateMember".to_owned(), "$.properties.a[0].Size".to_owned()));
        for number in ["1e400", "-1e400", "1e-400"] {
            let beyond = refused(&format!(r#"{{"properties":{{"n":{number}}}}}"#));
            assert_eq!(beyond, (INVALID.to_owned(), "$.properties.n".to_owned()));
        }
    }
}
