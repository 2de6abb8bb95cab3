//! What the id of a resource says: its name, type, group and parents.

use machine::Failure;

use super::super::EXTENSION;

/// The id of the resource that one extends; none if it extends nothing but a scope.
pub(super) fn base_of(id: &str) -> Option<&str> {
    let at = id.to_ascii_lowercase().rfind("/providers/")?;
    id.get(..at).filter(|base| base.to_ascii_lowercase().contains("/providers/"))
}

/// The id and the name of the group that a resource is in; nothing for one that is in none.
pub(super) fn group_of(id: &str) -> Option<(&str, &str)> {
    let mut parts = id.split('/').skip(1);
    let is = |part: Option<&str>, word: &str| part.is_some_and(|part| part.eq_ignore_ascii_case(word));
    let subscription = is(parts.next(), "subscriptions").then(|| parts.next()).flatten()?;
    let name = is(parts.next(), "resourceGroups").then(|| parts.next()).flatten()?;
    // A group is in none.
    parts.next()?;
    let length = "/subscriptions//resourceGroups/".len() + subscription.len() + name.len();
    Some((id.get(..length)?, name))
}

/// The type of a resource by its id.
pub(in super::super) fn kind_of(id: &str) -> String {
    ResourceName::of(id).kind
}

/// What an id says of a resource.
pub(super) struct ResourceName {
    pub(super) kind: String,
    pub(super) last: String,
    /// The id of the resource that it is inside of.
    pub(super) parent: Option<String>,
    pub(super) parent_name: String,
}

impl ResourceName {
    pub(super) fn of(id: &str) -> ResourceName {
        let last = id.rsplit('/').next().unwrap_or_default().to_owned();
        if let Some(rest) = id.strip_prefix(EXTENSION) {
            let kind = rest.split_once('/').and_then(|(_, rest)| rest.rsplit_once('/'));
            let kind = kind.map_or_else(String::new, |(kind, _)| kind.to_owned());
            return ResourceName { kind, last, parent: None, parent_name: String::new() };
        }
        // Its place in the id itself: other letters may have another length.
        let provider = id.to_ascii_lowercase().rfind("/providers/");
        let Some(at) = provider else {
            let kind = match id.split('/').filter(|part| !part.is_empty()).count() {
                0 => "Microsoft.Resources/tenants",
                1 | 2 => "Microsoft.Resources/subscriptions",
                _ => "Microsoft.Resources/resourceGroups",
            };
            return ResourceName { kind: kind.to_owned(), last, parent: None, parent_name: String::new() };
        };
        let rest = id.get(at + "/providers/".len()..).unwrap_or_default();
        let parts: Vec<&str> = rest.split('/').collect();
        let (namespace, pairs) =
            parts.split_first().map_or(("", &[] as &[&str]), |(first, rest)| (*first, rest));
        let kinds = pairs.iter().step_by(2).fold(namespace.to_owned(), |kind, part| format!("{kind}/{part}"));
        let mut parent = None;
        let mut parent_name = String::new();
        if let [before @ .., _, _] = pairs
            && !before.is_empty()
        {
            parent_name = before.last().copied().unwrap_or_default().to_owned();
            let base = id.get(..at).unwrap_or_default();
            parent = Some(format!("{base}/providers/{namespace}/{}", before.join("/")));
        }
        ResourceName { kind: kinds, last, parent, parent_name }
    }
}

/// Refuses an id that no request could name, or that another reader takes for another one.
pub(super) fn check_id(id: &str) -> Result<(), Failure> {
    let is_wrong = |part: &str| {
        part == "." || part == ".." || part.contains(|letter: char| letter == '\\' || letter.is_control())
    };
    if !id.starts_with('/') || !id.split('/').any(is_wrong) {
        return Ok(());
    }
    let message = "the id of the resource has a part that is `.` or `..`, or that has a backslash or a control character";
    Err(Failure::new("InvalidResourceName", message).target(id.escape_debug().to_string()))
}
