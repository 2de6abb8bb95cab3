//! Ids, scopes and addresses of pages.

use percent_encoding::utf8_percent_encode;
use store::DeploymentKey;

use crate::routed_request::{UNSAFE, UNSAFE_IN_PATH};

/// What the id of a deployment has between its scope and its name.
const DEPLOYMENTS: &str = "/providers/Microsoft.Resources/deployments/";

/// The scope and the name in the id of a deployment.
pub(super) fn split(id: &str) -> Option<(&str, &str)> {
    let at = id.to_ascii_lowercase().rfind(&DEPLOYMENTS.to_ascii_lowercase())?;
    let name = id.get(at + DEPLOYMENTS.len()..).filter(|name| !name.is_empty() && !name.contains('/'))?;
    Some((id.get(..at)?, name))
}

/// The id of a deployment that is found at a key.
pub(super) fn id_of(key: &DeploymentKey) -> String {
    format!("{}{DEPLOYMENTS}{}", key.scope(), key.name())
}

/// Whether an id is that of a deployment.
pub(super) fn is_deployment(id: &str) -> bool {
    split(id).is_some()
}

/// The address of a page about an id.
pub(super) fn page(what: &str, id: &str) -> String {
    format!("/ui/{what}{}", utf8_percent_encode(id, UNSAFE_IN_PATH))
}

/// The address of the list with a query; what is empty is left out.
pub(super) fn with_query(path: &str, pairs: &[(&str, &str)]) -> String {
    let pairs = pairs.iter().filter(|(_, value)| !value.is_empty());
    let query: Vec<String> =
        pairs.map(|(name, value)| format!("{name}={}", utf8_percent_encode(value, UNSAFE))).collect();
    if query.is_empty() { path.to_owned() } else { format!("{path}?{}", query.join("&")) }
}

/// The parts of a scope in words, each with the address of the deployments there.
pub(super) fn parts(scope: &str) -> Vec<(String, String)> {
    let list = |scope: &str| with_query("/ui", &[("scope", scope)]);
    let names: Vec<&str> = scope.split('/').filter(|part| !part.is_empty()).collect();
    let up_to =
        |count: usize| format!("/{}", names.iter().take(count).copied().collect::<Vec<_>>().join("/"));
    let is = |at: usize, word: &str| names.get(at).is_some_and(|name| name.eq_ignore_ascii_case(word));
    // Which part has a name, and what it is: one row for each kind of scope.
    let rows: &[(usize, &str)] = if names.is_empty() {
        return vec![("tenant".to_owned(), list("/"))];
    } else if is(0, "subscriptions") {
        &[(1, "subscription"), (3, "group")]
    } else if is(0, "planes") {
        &[(2, "plane"), (4, "group")]
    } else {
        &[(3, "management group")]
    };
    let named = rows.iter().filter_map(|(at, word)| Some((names.get(*at)?, word, up_to(at + 1))));
    named.map(|(name, word, scope)| (format!("{word} {name}"), list(&scope))).collect()
}

/// Whether no other scope is below one.
pub(super) fn is_leaf(scope: &str) -> bool {
    let count = scope.split('/').filter(|part| !part.is_empty()).count();
    let first = scope.split('/').find(|part| !part.is_empty()).unwrap_or_default();
    (first.eq_ignore_ascii_case("subscriptions") && count == 4)
        || (first.eq_ignore_ascii_case("planes") && count == 5)
}

/// Whether a scope is another one or below it. Keys are in lower case.
pub(super) fn is_below(scope: &str, above: &str) -> bool {
    let above = above.trim_end_matches('/');
    scope.strip_prefix(above).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scopes_are_told_in_words() {
        let words =
            |scope: &str| parts(scope).into_iter().map(|(word, _)| word).collect::<Vec<_>>().join(", ");
        assert_eq!(words(""), "tenant");
        assert_eq!(words("/subscriptions/s/resourceGroups/g"), "subscription s, group g");
        assert_eq!(words("/planes/radius/local/resourceGroups/g"), "plane local, group g");
        assert_eq!(words("/providers/Microsoft.Management/managementGroups/m"), "management group m");
        let (_, last) = parts("/subscriptions/s/resourceGroups/g").pop().unwrap();
        assert_eq!(last, "/ui?scope=%2Fsubscriptions%2Fs%2FresourceGroups%2Fg");
    }

    #[test]
    fn ids_of_deployments_are_taken_apart() {
        let id = "/subscriptions/s/PROVIDERS/microsoft.resources/deployments/d";
        assert_eq!(split(id), Some(("/subscriptions/s", "d")));
        assert_eq!(split("/providers/Microsoft.Resources/deployments/d"), Some(("", "d")));
        for other in [
            "",
            "/subscriptions/s",
            "/providers/Microsoft.Resources/deployments/",
            &format!("{id}/operations"),
        ] {
            assert_eq!(split(other), None, "{other}");
        }
        assert_eq!(page("deployments", "/a/b c?<"), "/ui/deployments/a/b%20c%3F%3C");
    }

    #[test]
    fn below_ends_between_two_parts() {
        assert!(
            is_below("/a/b", "") && is_below("/a/b", "/") && is_below("/a/b", "/a") && is_below("/a", "/a/")
        );
        assert!(!is_below("/ab", "/a") && !is_below("/a", "/a/b"));
        assert!(
            is_leaf("/subscriptions/s/resourceGroups/g") && is_leaf("/planes/radius/local/resourceGroups/g")
        );
        assert!(!is_leaf("/subscriptions/s") && !is_leaf("") && !is_leaf("/providers/a/b/c"));
    }
}
