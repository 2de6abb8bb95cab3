//! What the id of a resource says.

use arm::evaluate::Scope;

/// What an id says of its resource.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Named<'i> {
    /// Its name; none if that is not part of the id as it is.
    pub(super) name: Option<&'i str>,
    /// Its type; none if that is not part of the id as it is.
    pub(super) kind: Option<String>,
}

/// What stands before the namespace of a type.
const PROVIDERS: &str = "providers";

/// What the id of a resource says: where it is, a namespace, and types and names by turns; or a resource group.
pub(super) fn of_resource(id: &str) -> Option<Named<'_>> {
    let parts: Vec<&str> = id.strip_prefix('/')?.split('/').collect();
    if parts.iter().any(|part| is_unnamable(part)) {
        return None;
    }
    let Some(at) = parts.iter().rposition(|part| part.eq_ignore_ascii_case(PROVIDERS)) else {
        let Some(Scope::ResourceGroup { .. }) = Scope::parse(id) else { return None };
        let kind = Some("Microsoft.Resources/resourceGroups".to_owned());
        return Some(Named { name: parts.last().copied(), kind });
    };
    let (place, rest) = parts.split_at_checked(at)?;
    let (namespace, pairs) = rest.get(1..)?.split_first()?;
    if !is_place(place) || pairs.is_empty() || pairs.len() % 2 != 0 {
        return None;
    }
    let types: Vec<&str> = pairs.iter().step_by(2).copied().collect();
    Some(Named { name: pairs.last().copied(), kind: Some(format!("{namespace}/{}", types.join("/"))) })
}

/// What the id of a resource of an extension says: the extension, its type, and its name, which may be its place in the template.
pub(super) fn of_extension(id: &str) -> Option<Named<'_>> {
    let parts: Vec<&str> = id.split('/').collect();
    (parts.len() >= 3 && !id.contains(char::is_control)).then_some(Named { name: None, kind: None })
}

/// Whether resources can be there: in a scope, in a plane, or on another resource.
fn is_place(parts: &[&str]) -> bool {
    let id: String = parts.iter().flat_map(|part| ["/", part]).collect();
    let is_plane = matches!(parts, [planes, _, _] if planes.eq_ignore_ascii_case("planes"));
    is_plane || Scope::parse(&id).is_some() || of_resource(&id).is_some()
}

/// Whether no request could name a part of an id.
fn is_unnamable(part: &str) -> bool {
    part.is_empty()
        || part == "."
        || part == ".."
        || part.contains(|letter: char| letter == '\\' || letter.is_control())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_says_what_its_resource_is() {
        for (id, name, kind) in [
            ("/subscriptions/s/resourceGroups/g", "g", "Microsoft.Resources/resourceGroups"),
            ("/subscriptions/s/resourceGroups/g/providers/A.B/c/d", "d", "A.B/c"),
            ("/subscriptions/s/resourceGroups/g/Providers/A.B/c/d?/e/f", "f", "A.B/c/e"),
            ("/subscriptions/s/resourceGroups/g/providers/A.B/c/d/providers/E.F/g/h", "h", "E.F/g"),
            ("/subscriptions/s/providers/A.B/c/d", "d", "A.B/c"),
            ("/providers/A.B/c/d", "d", "A.B/c"),
            ("/providers/Microsoft.Management/managementGroups/m/providers/A.B/c/d", "d", "A.B/c"),
            ("/planes/radius/local/resourceGroups/g/providers/A.B/c/d", "d", "A.B/c"),
            ("/planes/aws/aws/providers/A.B/c/d", "d", "A.B/c"),
        ] {
            let named = Named { name: Some(name), kind: Some(kind.to_owned()) };
            assert_eq!(of_resource(id), Some(named), "{id}");
        }
        for id in [
            "",
            "/",
            "a",
            "whatever",
            "/a",
            "/a?b/c",
            "/a/providers/A.B/c/d",
            "/subscriptions/s",
            "/subscriptions/s/resourceGroups/g/providers/A.B/c",
            "/subscriptions/s/resourceGroups/g/providers/A.B",
            "/subscriptions/s/resourceGroups/g/providers",
            "/subscriptions/s/resourceGroups/g/providers/A.B/c/../d/e",
            "/subscriptions/s/resourceGroups/g/providers/A.B/c/",
            "/subscriptions/s/resourceGroups/g/providers/A.B/c/d\n",
        ] {
            assert_eq!(of_resource(id), None, "{id}");
        }
    }
}
