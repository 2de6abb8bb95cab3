//! What the claims of a token stand for.

use serde_json::{Map, Value};

use crate::identity::grant::{Grant, Role, ScopePath};

/// What a value of the claim with the roles stands for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RoleRule {
    /// The value, compared with its case.
    pub value: String,
    /// The role and scope that callers with the value have.
    pub grant: Grant,
}

impl RoleRule {
    /// Reads `VALUE=ROLE@SCOPE`; none if it is not that.
    pub fn parse(text: &str) -> Option<RoleRule> {
        let (value, grant) = text.rsplit_once('=')?;
        let (role, scope) = grant.split_once('@')?;
        let grant = Grant { role: Role::parse(role)?, scope: ScopePath::parse(scope)? };
        (!value.is_empty()).then(|| RoleRule { value: value.to_owned(), grant })
    }
}

/// The grants of a token. A claim is a list of texts, or one text with spaces between them.
pub(super) fn grants(claims: &Map<String, Value>, claim: &str, rules: &[RoleRule]) -> Vec<Grant> {
    let values: Vec<&str> = match claims.get(claim) {
        Some(Value::String(text)) => text.split(' ').collect(),
        Some(Value::Array(items)) => items.iter().filter_map(Value::as_str).collect(),
        Some(Value::Null | Value::Bool(_) | Value::Number(_) | Value::Object(_)) | None => Vec::new(),
    };
    rules.iter().filter(|rule| values.contains(&rule.value.as_str())).map(|rule| rule.grant.clone()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn claims_become_grants() {
        let rules: Vec<RoleRule> = ["admins=owner@/", "devs=deployer@/subscriptions/s"]
            .iter()
            .map(|rule| RoleRule::parse(rule).unwrap())
            .collect();
        let of = |claims: &str| grants(&serde_json::from_str(claims).unwrap(), "roles", &rules).len();
        assert_eq!(of(r#"{"roles": ["admins", "devs", 7]}"#), 2);
        assert_eq!(of(r#"{"roles": "devs others"}"#), 1);
        assert_eq!(of(r#"{"roles": ["Admins"]}"#), 0);
        assert_eq!(of(r#"{"roles": {"admins": true}}"#), 0);
        assert_eq!(of("{}"), 0);
    }

    #[test]
    fn rules_name_a_role_and_a_scope() {
        assert!(RoleRule::parse("a=b=reader@/x").is_some_and(|rule| rule.value == "a=b"));
        for wrong in ["", "a", "a=owner", "a=our boss@/", "a=@/", "=owner@/", "a=owner@x"] {
            assert_eq!(RoleRule::parse(wrong), None, "{wrong}");
        }
    }
}
