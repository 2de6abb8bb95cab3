//! The tokens of a server.

use arm::Value;
use hyper::Method;
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};

use super::{Remote, TargetError};

const TOKENS: &str = "/tendon/tokens";

impl Remote {
    /// All tokens, without their secrets.
    pub(crate) fn tokens(&self) -> Result<Vec<Value>, TargetError> {
        self.runtime.block_on(self.list(TOKENS))
    }

    /// Makes a token: what is known of it, with the token itself.
    pub(crate) fn create_token(
        &self,
        name: &str,
        role: &str,
        scope: &str,
        seconds: Option<i64>,
    ) -> Result<Value, TargetError> {
        let wanted = Value::object([
            ("name", Value::text(name)),
            ("role", Value::text(role)),
            ("scope", Value::text(scope)),
            ("expiresIn", seconds.map_or(Value::Null, Value::Int)),
        ]);
        self.value(&self.runtime.block_on(self.ask(Method::POST, TOKENS, wanted.to_json()))?)
    }

    /// Gives a token another end.
    pub(crate) fn expire_token(&self, id: &str, seconds: Option<i64>) -> Result<Value, TargetError> {
        let wanted = Value::object([("expiresIn", seconds.map_or(Value::Null, Value::Int))]);
        self.value(&self.runtime.block_on(self.ask(Method::PATCH, &path(id), wanted.to_json()))?)
    }

    pub(crate) fn revoke_token(&self, id: &str) -> Result<(), TargetError> {
        self.runtime.block_on(self.ask(Method::DELETE, &path(id), String::new())).map(drop)
    }
}

fn path(id: &str) -> String {
    format!("{TOKENS}/{}", utf8_percent_encode(id, NON_ALPHANUMERIC))
}
