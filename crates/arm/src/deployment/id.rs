//! Ids of resources: where one starts, and what type and name make of it.

use smol_str::SmolStr;

use crate::evaluate::Scope;

/// The id of a resource of some type and name: `base/providers/namespace/type/name/...`.
///
/// None if the type and the name have not the same number of parts.
pub(super) fn resource(base: &str, kind: &str, name: &str) -> Option<SmolStr> {
    let (namespace, types) = kind.split_once('/')?;
    if types.split('/').count() != name.split('/').count() {
        return None;
    }
    if namespace.eq_ignore_ascii_case("Microsoft.Resources")
        && let Some(id) = container(base, types, name)
    {
        return Some(id);
    }
    let mut id = String::with_capacity(base.len() + kind.len() + name.len() + 12);
    id.push_str(base.trim_end_matches('/'));
    id.push_str("/providers/");
    id.push_str(namespace);
    for (kind, name) in types.split('/').zip(name.split('/')) {
        for part in [kind, name] {
            id.push('/');
            id.push_str(part);
        }
    }
    Some(id.into())
}

/// The id of a resource of an extension in a group of Radius; none if its name cannot be part of one.
pub fn radius(scope: &Scope, type_name: &str, name: &str) -> Option<SmolStr> {
    let kind = type_name.split('@').next().unwrap_or_default();
    let is_name =
        !name.is_empty() && !name.contains(['/', '\\', '?', '#']) && !name.contains(char::is_control);
    let is_kind = kind.split('/').filter(|part| !part.is_empty()).count() == 2;
    (is_name && is_kind).then(|| format!("{}/providers/{kind}/{name}", scope.id()).into())
}

/// The id of a subscription or a resource group, which no provider's name stands in front of.
fn container(base: &str, types: &str, name: &str) -> Option<SmolStr> {
    let is = |word: &str| types.eq_ignore_ascii_case(word);
    if is("resourceGroups") {
        // Groups are made where the subscription is, whatever group the deployment is in.
        let base = match Scope::parse(base) {
            Some(Scope::ResourceGroup { subscription, .. }) => Scope::Subscription(subscription).id(),
            _ => base.into(),
        };
        Some(format!("{base}/resourceGroups/{name}").into())
    } else if is("subscriptions") {
        Some(format!("/subscriptions/{name}").into())
    } else if is("subscriptions/resourceGroups") {
        let (subscription, group) = name.split_once('/')?;
        Some(format!("/subscriptions/{subscription}/resourceGroups/{group}").into())
    } else {
        None
    }
}

/// The id that a `scope` stands for: absolute, or `namespace/type/name/...` relative to the deployment's scope.
pub(super) fn of_scope(scope: &str, deployment: &Scope) -> SmolStr {
    if scope.starts_with('/') {
        return scope.trim_end_matches('/').into();
    }
    let scope = scope.trim_end_matches('/');
    let lower = scope.to_ascii_lowercase();
    if lower.starts_with("subscriptions/") || lower.starts_with("providers/") {
        return format!("/{scope}").into();
    }
    let is_in_tenant =
        ["microsoft.management/managementgroups/"].iter().any(|start| lower.starts_with(start));
    if let Some(name) = lower.strip_prefix("microsoft.resources/resourcegroups/")
        && let Some(name) = scope.get(scope.len() - name.len()..)
        && let Some(id) = resource(&deployment.id(), "Microsoft.Resources/resourceGroups", name)
    {
        return id;
    }
    let base = if is_in_tenant { SmolStr::default() } else { deployment.id() };
    format!("{base}/providers/{scope}").into()
}

/// The type of the resource that an id names; empty if it is not an id of a resource.
pub(super) fn kind(id: &str) -> SmolStr {
    let lower = id.to_ascii_lowercase();
    match lower.rfind("/providers/").and_then(|at| id.get(at + 11..)) {
        Some(rest) => {
            let mut parts = rest.split('/');
            let mut kind = parts.next().unwrap_or_default().to_owned();
            for part in parts.step_by(2) {
                kind.push('/');
                kind.push_str(part);
            }
            kind.into()
        }
        None => match Scope::parse(id) {
            Some(Scope::ResourceGroup { .. }) => "Microsoft.Resources/resourceGroups".into(),
            Some(Scope::Subscription(_)) => "Microsoft.Resources/subscriptions".into(),
            _ => SmolStr::default(),
        },
    }
}

/// What `reference` says of the place of a resource, beside what the resource says of itself.
pub(super) fn place_members(id: &str) -> Vec<(&'static str, SmolStr)> {
    const GROUPS: &str = "/providers/Microsoft.Management/managementGroups/";
    let start = id.get(..GROUPS.len()).filter(|start| start.eq_ignore_ascii_case(GROUPS));
    if let Some((name, _)) = start.and_then(|_| id.get(GROUPS.len()..)?.split_once('/')) {
        return vec![("scope", format!("Microsoft.Management/managementGroups/{name}").into())];
    }
    let around = id.to_ascii_lowercase().find("/providers/").and_then(|at| id.get(..at));
    match around.and_then(Scope::parse) {
        Some(Scope::ResourceGroup { subscription, name }) => {
            vec![("subscriptionId", subscription), ("resourceGroupName", name)]
        }
        Some(Scope::Subscription(subscription)) => vec![("subscriptionId", subscription)],
        _ => Vec::new(),
    }
}

/// The part of an id that starts with the namespace: what relative references name.
pub(super) fn relative(id: &str) -> Option<&str> {
    const PROVIDERS: &[u8] = b"/providers/";
    let is_it = |part: &[u8]| part.first() == Some(&b'/') && part.eq_ignore_ascii_case(PROVIDERS);
    let at = id.as_bytes().windows(PROVIDERS.len()).rposition(is_it)?;
    id.get(at + PROVIDERS.len()..)
}

/// The id of a resource group that is spelled like that of any other resource: `/subscriptions/../providers/Microsoft.Resources/resourceGroups/..`,
/// or from the provider on.
pub(super) fn of_group(text: &str, deployment: &Scope) -> Option<SmolStr> {
    const GROUPS: &str = "/providers/microsoft.resources/resourcegroups/";
    let relative = |text: &str| format!("{}/providers/{text}", deployment.id());
    let id = if text.starts_with('/') { text.to_owned() } else { relative(text) };
    let at = id.to_ascii_lowercase().find(GROUPS)?;
    let name = id.get(at + GROUPS.len()..).filter(|name| !name.is_empty() && !name.contains('/'))?;
    resource(id.get(..at)?, "Microsoft.Resources/resourceGroups", name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_group_may_be_spelled_like_any_resource() {
        let subscription = Scope::Subscription("s".into());
        let check = |text: &str, expect: Option<&str>| {
            assert_eq!(of_group(text, &subscription).as_deref(), expect, "{text}");
        };
        check(
            "/subscriptions/t/providers/Microsoft.Resources/resourceGroups/g",
            Some("/subscriptions/t/resourceGroups/g"),
        );
        check("microsoft.resources/RESOURCEGROUPS/g", Some("/subscriptions/s/resourceGroups/g"));
        check("/subscriptions/t/providers/Microsoft.Resources/resourceGroups/", None);
        check("/subscriptions/t/providers/Microsoft.Resources/resourceGroups/g/x", None);
        check("/subscriptions/t/resourceGroups/g", None);
        check("Microsoft.Resources/deployments/g", None);
        check("", None);
    }

    #[test]
    fn ids_alternate_types_and_names() {
        let group = "/subscriptions/s/resourceGroups/g";
        for (base, kind, name, expected) in [
            (group, "Microsoft.A/b", "n", "/subscriptions/s/resourceGroups/g/providers/Microsoft.A/b/n"),
            (
                group,
                "Microsoft.A/b/c",
                "n/m",
                "/subscriptions/s/resourceGroups/g/providers/Microsoft.A/b/n/c/m",
            ),
            ("", "Microsoft.A/b", "n", "/providers/Microsoft.A/b/n"),
            ("/x/y", "Microsoft.A/b", "n", "/x/y/providers/Microsoft.A/b/n"),
            (
                group,
                "Microsoft.A/b/providers/locks",
                "n/Microsoft.Authorization/l",
                "/subscriptions/s/resourceGroups/g/providers/Microsoft.A/b/n/providers/Microsoft.Authorization/locks/l",
            ),
            ("/subscriptions/s", "Microsoft.Resources/resourceGroups", "g", group),
            (group, "Microsoft.Resources/resourceGroups", "h", "/subscriptions/s/resourceGroups/h"),
            (
                "/subscriptions/s",
                "Microsoft.Resources/tags",
                "default",
                "/subscriptions/s/providers/Microsoft.Resources/tags/default",
            ),
        ] {
            assert_eq!(resource(base, kind, name).as_deref(), Some(expected));
        }
        assert_eq!(resource("", "Microsoft.A/b", "n/m"), None);
    }

    #[test]
    fn scopes_are_absolute_or_relative() {
        let group = Scope::ResourceGroup { subscription: "s".into(), name: "g".into() };
        for (scope, expected) in [
            ("/", ""),
            ("/subscriptions/x/", "/subscriptions/x"),
            ("Microsoft.Management/managementGroups/m", "/providers/Microsoft.Management/managementGroups/m"),
            ("Microsoft.A/b/n", "/subscriptions/s/resourceGroups/g/providers/Microsoft.A/b/n"),
            ("subscriptions/x", "/subscriptions/x"),
        ] {
            assert_eq!(of_scope(scope, &group), expected);
        }
    }

    #[test]
    fn a_resource_is_in_a_group_a_subscription_or_a_management_group() {
        let shown = |id: &str| {
            let members = place_members(id).into_iter().map(|(name, value)| format!("{name}={value}"));
            members.collect::<Vec<_>>().join(" ")
        };
        let group = "/subscriptions/s/resourceGroups/g/providers/Microsoft.A/b/n";
        assert_eq!(shown(group), "subscriptionId=s resourceGroupName=g");
        assert_eq!(
            shown(&format!("{group}/providers/Microsoft.C/d/e")),
            "subscriptionId=s resourceGroupName=g"
        );
        assert_eq!(shown("/subscriptions/s/Providers/Microsoft.A/b/n"), "subscriptionId=s");
        let deployment = "/providers/Microsoft.Resources/deployments/d";
        assert_eq!(
            shown(&format!("/Providers/microsoft.management/managementgroups/m{deployment}")),
            "scope=Microsoft.Management/managementGroups/m"
        );
        assert_eq!(shown(deployment), "");
        assert_eq!(shown("/providers/Microsoft.Management/managementGroups/m"), "");
        assert_eq!(shown(""), "");
    }

    #[test]
    fn the_type_of_an_id_is_that_of_its_last_provider() {
        assert_eq!(
            kind("/subscriptions/s/resourceGroups/g/providers/Microsoft.A/b/n/c/m"),
            "Microsoft.A/b/c"
        );
        assert_eq!(kind("/x/providers/Microsoft.A/b/n/providers/Microsoft.C/d/e"), "Microsoft.C/d");
        assert_eq!(kind("/subscriptions/s/resourceGroups/g"), "Microsoft.Resources/resourceGroups");
        assert_eq!(kind("name"), "");
        assert_eq!(relative("/x/providers/Microsoft.A/b/n"), Some("Microsoft.A/b/n"));
    }
}
