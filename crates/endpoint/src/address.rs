//! Addresses: those of ids, and links of the endpoint, which lead nowhere else.

use client::Origin;
use engine::Failure;
use percent_encoding::{AsciiSet, CONTROLS, utf8_percent_encode};

/// What is escaped in a path: all that is not a letter, a digit, or a sign that a segment may have.
const ESCAPED: &AsciiSet = &CONTROLS
    .add(b' ')
    .add(b'"')
    .add(b'#')
    .add(b'%')
    .add(b'<')
    .add(b'>')
    .add(b'?')
    .add(b'[')
    .add(b'\\')
    .add(b']')
    .add(b'^')
    .add(b'`')
    .add(b'{')
    .add(b'|')
    .add(b'}');

/// What is escaped in a value of a query beyond that.
const ESCAPED_VALUE: &AsciiSet = &ESCAPED.add(b'&').add(b'+').add(b'=').add(b'/');

/// Where the endpoint is.
#[derive(Clone, Debug)]
pub(crate) struct Base {
    /// Without a slash at the end.
    url: String,
    origin: Origin,
}

impl Base {
    /// An endpoint at an address, which has no query.
    pub(crate) fn new(url: &str) -> Result<Base, client::ClientError> {
        let origin = Origin::of(url)?;
        if url.contains(['?', '#']) {
            return Err(client::ClientError::Address(url.to_owned()));
        }
        Ok(Base { url: url.trim_end_matches('/').to_owned(), origin })
    }

    pub(crate) fn origin(&self) -> &Origin {
        &self.origin
    }

    /// The address of an id, with the version of an API.
    pub(crate) fn of(&self, id: &str, api_version: &str) -> Result<String, Failure> {
        let is_way = |part: &str| part == "." || part == "..";
        if !id.starts_with('/') || id.starts_with("//") || id.split('/').any(is_way) {
            let message = format!("`{id}` is not the id of a resource that an endpoint has");
            return Err(Failure::new("InvalidResourceId", message).target(id));
        }
        let path = utf8_percent_encode(id, ESCAPED);
        let version = utf8_percent_encode(api_version, ESCAPED_VALUE);
        Ok(format!("{}{path}?api-version={version}", self.url))
    }

    /// The address that a link of the endpoint leads to. One that leads elsewhere is refused: requests carry a token.
    pub(crate) fn link(&self, link: &str, what: &str) -> Result<String, Failure> {
        let link = link.trim();
        // A path is one of the endpoint itself.
        let url = match link.starts_with('/') && !link.starts_with("//") {
            true => format!("{}{link}", self.origin),
            false => link.to_owned(),
        };
        match Origin::of(&url) {
            Ok(origin) if origin == self.origin => Ok(url),
            Ok(_) | Err(_) => {
                let message = format!(
                    "{what} leads to `{}`, which is not `{}`; requests carry a token, and Tendon sends it to no other place. \
                     If that place belongs to the same service, deploy with its address as `--endpoint`",
                    shown(link),
                    self.origin
                );
                Err(Failure::new("ForeignLink", message))
            }
        }
    }
}

/// The beginning of an address, without its query, which may hold a signature.
fn shown(link: &str) -> String {
    link.split(['?', '#']).next().unwrap_or_default().chars().take(200).collect()
}

/// The type of a resource by its id.
pub(crate) fn kind_of(id: &str) -> String {
    let lower = id.to_ascii_lowercase();
    let Some(at) = lower.rfind("/providers/") else {
        return match id.split('/').filter(|part| !part.is_empty()).count() {
            0 => "Microsoft.Resources/tenants",
            1 | 2 => "Microsoft.Resources/subscriptions",
            _ => "Microsoft.Resources/resourceGroups",
        }
        .to_owned();
    };
    let mut parts = id.get(at + "/providers/".len()..).unwrap_or_default().split('/');
    let namespace = parts.next().unwrap_or_default().to_owned();
    parts.step_by(2).fold(namespace, |kind, part| format!("{kind}/{part}"))
}

/// The id of the resource group that an id begins with.
pub(crate) fn group_of(id: &str) -> Option<&str> {
    let mut parts = id.split('/').skip(1);
    let is = |part: Option<&str>, word: &str| part.is_some_and(|part| part.eq_ignore_ascii_case(word));
    let subscription = is(parts.next(), "subscriptions").then(|| parts.next()).flatten()?;
    let name = is(parts.next(), "resourceGroups").then(|| parts.next()).flatten()?;
    id.get(.."/subscriptions//resourceGroups/".len() + subscription.len() + name.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_become_addresses() {
        let base = Base::new("https://management.example/").unwrap();
        for (id, path) in [
            ("/subscriptions/s/resourceGroups/g", "/subscriptions/s/resourceGroups/g"),
            ("/x/providers/A.B/c/a b#?%é", "/x/providers/A.B/c/a%20b%23%3F%25%C3%A9"),
            ("/x/providers/A.B/c/a(b)-_.~", "/x/providers/A.B/c/a(b)-_.~"),
        ] {
            assert_eq!(
                base.of(id, "2025-01-01").unwrap(),
                format!("https://management.example{path}?api-version=2025-01-01")
            );
        }
        for id in ["", "x", "//evil.example/x", "/x/../y", "/x/./y", "extension/kubernetes/core/Pod/p"] {
            assert_eq!(base.of(id, "1").unwrap_err().code, "InvalidResourceId", "{id}");
        }
        assert!(Base::new("https://x.example/?a").is_err() && Base::new("http://x.example").is_err());
    }

    #[test]
    fn links_lead_nowhere_else() {
        let base = Base::new("https://management.example:8443").unwrap();
        for link in ["https://management.example:8443/a?b", "/a?b", "https://MANAGEMENT.example:8443/a?b"] {
            assert!(base.link(link, "`Location`").unwrap().ends_with("/a?b"), "{link}");
        }
        for link in [
            "https://management.example/a",
            "https://management.example:8443.evil.example/a",
            "https://management.example:8443@evil.example/a",
            "http://management.example:8443/a",
            "http://127.0.0.1:8443/a",
            "//evil.example/a",
            "evil",
            "",
        ] {
            let failure = base.link(link, "`Location`").unwrap_err();
            assert_eq!(failure.code, "ForeignLink", "{link}");
        }
        let signed = base.link("https://evil.example/a?sig=hunter2", "`Location`").unwrap_err();
        assert!(!signed.message.contains("hunter2") && signed.message.contains("https://evil.example/a"));
    }

    #[test]
    fn ids_have_types_and_groups() {
        for (id, kind) in [
            ("/subscriptions/s/resourceGroups/g/providers/A.B/c/d/e/f", "A.B/c/e"),
            ("/x/providers/A.B/c/d/providers/E.F/g/h", "E.F/g"),
            ("/subscriptions/s/resourceGroups/g", "Microsoft.Resources/resourceGroups"),
            ("/subscriptions/s", "Microsoft.Resources/subscriptions"),
        ] {
            assert_eq!(kind_of(id), kind);
        }
        let group = "/subscriptions/s/resourceGroups/g";
        assert_eq!(group_of(&format!("{group}/providers/A.B/c/d")), Some(group));
        assert_eq!(group_of("/subscriptions/s/providers/A.B/c/d"), None);
    }
}
