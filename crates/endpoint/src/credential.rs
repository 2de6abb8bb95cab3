//! Tokens: where they come from, how long they hold, and that nothing prints them.

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use arm::Value;
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use engine::records::parse;

/// How long before its end a token is replaced, so that none ends on its way.
const EARLY: Duration = Duration::from_secs(300);

/// A text that nothing prints.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(String);

impl Secret {
    /// Keeps a text from being printed.
    pub fn new(text: impl Into<String>) -> Secret {
        Secret(text.into())
    }

    /// The text, for whoever sends it.
    pub fn expose(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("<secret>")
    }
}

/// What says who asks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BearerToken {
    /// The token itself, which is never printed.
    pub secret: Secret,
    /// When it ends, if that is known.
    pub ends: Option<SystemTime>,
}

impl BearerToken {
    /// The token that a command prints: the JSON of `az account get-access-token`, one with `token` or `access_token`, or the token alone.
    pub fn parse(printed: &str) -> Result<BearerToken, String> {
        let printed = printed.trim();
        if !printed.starts_with('{') {
            let is_token = !printed.is_empty() && printed.bytes().all(|byte| byte.is_ascii_graphic());
            return match is_token {
                true => Ok(BearerToken { secret: Secret::new(printed), ends: None }),
                false => Err("it printed neither a token nor JSON with one".to_owned()),
            };
        }
        // What was printed may be a secret: no error quotes it.
        let value = parse(printed).map_err(|_| "it printed JSON that cannot be read".to_owned())?;
        let member = |name: &str| value.as_object().and_then(|object| object.get(name));
        let token = ["accessToken", "access_token", "token"].iter().find_map(|name| member(name)?.as_str());
        let token = token.filter(|token| !token.is_empty());
        let token = token.ok_or("it printed JSON without `accessToken`, `access_token` or `token`")?;
        let seconds = member("expires_on").and_then(|ends| match ends {
            Value::Int(seconds) => u64::try_from(*seconds).ok(),
            other => other.as_str()?.parse().ok(),
        });
        let ends = seconds.and_then(|seconds| UNIX_EPOCH.checked_add(Duration::from_secs(seconds)));
        Ok(BearerToken { secret: Secret::new(token), ends })
    }

    fn is_fresh(&self, now: SystemTime) -> bool {
        self.ends.is_none_or(|ends| ends > now + EARLY)
    }

    /// What the token says of whoever has it, if it is one that can be read. Nobody checks it here: the endpoint does.
    pub fn claims(&self) -> Option<Claims> {
        let claims = self.secret.expose().split('.').nth(1)?;
        let claims = URL_SAFE_NO_PAD.decode(claims.trim_end_matches('=')).ok()?;
        let claims = parse(&String::from_utf8(claims).ok()?).ok()?;
        let text = |name: &str| claims.as_object()?.get(name)?.as_str().map(str::to_owned);
        let name = ["upn", "unique_name", "appid"].iter().find_map(|name| text(name));
        Some(Claims { tenant: text("tid"), object: text("oid"), name })
    }
}

/// What a token says of whoever has it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Claims {
    /// The id of the tenant.
    pub tenant: Option<String>,
    /// The id of the user or the application.
    pub object: Option<String>,
    /// The name by which the caller is shown, if the token has one.
    pub name: Option<String>,
}

/// A token that is on its way, or why there is none.
pub type Obtaining<'a> = Pin<Box<dyn Future<Output = Result<BearerToken, String>> + Send + 'a>>;

/// Somebody who has tokens.
pub trait Credential: Send + Sync {
    /// A token. After one was refused, another one is asked for.
    fn token(&self, refused: Option<&BearerToken>) -> Obtaining<'_>;
}

/// A token that is what it is.
#[derive(Debug)]
pub struct Fixed(BearerToken);

impl Fixed {
    /// A token that somebody was given.
    pub fn new(token: &str) -> Fixed {
        Fixed(BearerToken { secret: Secret::new(token.trim()), ends: None })
    }
}

impl Credential for Fixed {
    fn token(&self, refused: Option<&BearerToken>) -> Obtaining<'_> {
        let answer = match refused {
            None => Ok(self.0.clone()),
            Some(_) => {
                Err("the token was refused, and there is no other one; it may have expired".to_owned())
            }
        };
        Box::pin(async { answer })
    }
}

/// Tokens that a function obtains, which are kept until shortly before their end.
pub struct Refreshed {
    obtain: Box<dyn Fn() -> Result<BearerToken, String> + Send + Sync>,
    kept: tokio::sync::Mutex<Option<BearerToken>>,
}

impl Refreshed {
    /// Tokens of a function, which may take its time: whoever else needs a token waits for the same one.
    pub fn new(obtain: impl Fn() -> Result<BearerToken, String> + Send + Sync + 'static) -> Refreshed {
        Refreshed { obtain: Box::new(obtain), kept: tokio::sync::Mutex::default() }
    }
}

impl Credential for Refreshed {
    fn token(&self, refused: Option<&BearerToken>) -> Obtaining<'_> {
        let refused = refused.cloned();
        Box::pin(async move {
            let mut kept = self.kept.lock().await;
            // Somebody else may have got another one in the meantime.
            if let Some(token) = kept.as_ref().filter(|token| Some(*token) != refused.as_ref())
                && token.is_fresh(SystemTime::now())
            {
                return Ok(token.clone());
            }
            let token = (self.obtain)()?;
            *kept = Some(token.clone());
            Ok(token)
        })
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicU64, Ordering};

    use super::*;

    #[test]
    fn tokens_are_read_as_commands_print_them() {
        for (printed, token, ends) in [
            (r#"{"accessToken": "abc", "expires_on": 4102444800, "tenant": "t"}"#, "abc", true),
            (r#"{"access_token": "abc", "expires_on": "4102444800"}"#, "abc", true),
            (r#"{"token": "abc"}"#, "abc", false),
            (" abc\n", "abc", false),
        ] {
            let read = BearerToken::parse(printed).unwrap();
            assert_eq!((read.secret.expose(), read.ends.is_some()), (token, ends), "{printed}");
        }
        for wrong in ["", "two words", "{", "{}", r#"{"accessToken": ""}"#] {
            assert!(BearerToken::parse(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn nothing_prints_a_token() {
        let token = BearerToken::parse("hunter2").unwrap();
        assert!(!format!("{token:?} {:?} {:?}", token.secret, Fixed(token.clone())).contains("hunter2"));
    }

    #[test]
    fn a_token_says_who_has_it() {
        let claims = URL_SAFE_NO_PAD.encode(r#"{"tid":"t","oid":"o","upn":"me@x"}"#);
        let token = BearerToken::parse(&format!("e30.{claims}.x")).unwrap();
        let expected =
            Claims { tenant: Some("t".into()), object: Some("o".into()), name: Some("me@x".into()) };
        assert_eq!(token.claims(), Some(expected));
        assert_eq!(BearerToken::parse("opaque").unwrap().claims(), None);
    }

    #[test]
    fn tokens_are_kept_until_they_end_or_are_refused() {
        let asked = Arc::new(AtomicU64::new(0));
        let counter = Arc::clone(&asked);
        let seconds = |more: u64| SystemTime::now().checked_add(Duration::from_secs(more));
        let refreshed = Refreshed::new(move || {
            let number = counter.fetch_add(1, Ordering::SeqCst);
            // The first one ends at once.
            Ok(BearerToken {
                secret: Secret::new(number.to_string()),
                ends: seconds(if number == 0 { 10 } else { 3600 }),
            })
        });
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        let token = |refused: Option<&BearerToken>| runtime.block_on(refreshed.token(refused)).unwrap();
        assert_eq!(token(None).secret.expose(), "0");
        let second = token(None);
        assert_eq!((second.secret.expose(), token(None).secret.expose()), ("1", "1"));
        let third = token(Some(&second));
        assert_eq!(third.secret.expose(), "2");
        // Two that were refused at the same time get the same new one.
        assert_eq!(token(Some(&second)).secret.expose(), "2");
        assert_eq!(asked.load(Ordering::SeqCst), 3);
        let fixed = Fixed::new(" t ");
        let given = runtime.block_on(fixed.token(None)).unwrap();
        assert_eq!(given.secret.expose(), "t");
        assert!(runtime.block_on(fixed.token(Some(&given))).is_err());
    }
}
