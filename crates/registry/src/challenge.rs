//! What a registry asks for when it answers 401: the challenges of `WWW-Authenticate`.

use hyper::HeaderMap;
use hyper::header::WWW_AUTHENTICATE;

/// What a registry wants to see.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Challenge {
    /// A name and a password.
    Basic,
    /// A token of a service.
    Bearer(Bearer),
}

/// Where tokens come from, and what they are for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Bearer {
    pub(crate) realm: String,
    pub(crate) service: Option<String>,
    pub(crate) scope: Option<String>,
}

impl Challenge {
    /// The challenge to answer: that for a token, if there is one.
    pub(crate) fn of(headers: &HeaderMap) -> Option<Challenge> {
        let values = headers.get_all(WWW_AUTHENTICATE).iter().filter_map(|value| value.to_str().ok());
        let mut basic = None;
        for (scheme, parameters) in values.flat_map(challenges) {
            if scheme.eq_ignore_ascii_case("bearer") {
                let find = |name: &str| {
                    let found = parameters.iter().find(|(known, _)| known.eq_ignore_ascii_case(name));
                    found.map(|(_, value)| value.clone())
                };
                if let Some(realm) = find("realm") {
                    let (service, scope) = (find("service"), find("scope"));
                    return Some(Challenge::Bearer(Bearer { realm, service, scope }));
                }
            } else if scheme.eq_ignore_ascii_case("basic") {
                basic = Some(Challenge::Basic);
            }
        }
        basic
    }
}

/// The challenges of one header: each a scheme, and its parameters.
fn challenges(header: &str) -> Vec<(String, Vec<(String, String)>)> {
    let mut found: Vec<(String, Vec<(String, String)>)> = Vec::new();
    let mut rest = header;
    loop {
        rest = rest.trim_start_matches([' ', '\t', ',']);
        let end = rest.find([' ', '\t', ',', '=']).unwrap_or(rest.len());
        let (word, after) = rest.split_at_checked(end).unwrap_or((rest, ""));
        if word.is_empty() {
            return found;
        }
        match after.trim_start_matches([' ', '\t']).strip_prefix('=') {
            // A parameter of the scheme before it.
            Some(value) => {
                let (value, after) = parameter(value.trim_start_matches([' ', '\t']));
                rest = after;
                if let Some((_, parameters)) = found.last_mut() {
                    parameters.push((word.to_owned(), value));
                }
            }
            None => {
                found.push((word.to_owned(), Vec::new()));
                rest = after;
            }
        }
    }
}

/// The value of a parameter, which may be quoted, and what follows it.
fn parameter(text: &str) -> (String, &str) {
    let Some(quoted) = text.strip_prefix('"') else {
        let end = text.find([' ', '\t', ',']).unwrap_or(text.len());
        let (value, after) = text.split_at_checked(end).unwrap_or((text, ""));
        return (value.to_owned(), after);
    };
    let mut value = String::new();
    let mut characters = quoted.char_indices();
    while let Some((at, character)) = characters.next() {
        match character {
            '"' => return (value, quoted.get(at + 1..).unwrap_or_default()),
            '\\' => value.extend(characters.next().map(|(_, escaped)| escaped)),
            character => value.push(character),
        }
    }
    (value, "")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(headers: &[&str], expected: Option<Challenge>) {
        let mut map = HeaderMap::new();
        for header in headers {
            map.append(WWW_AUTHENTICATE, header.parse().unwrap());
        }
        assert_eq!(Challenge::of(&map), expected);
    }

    fn bearer(realm: &str, service: Option<&str>, scope: Option<&str>) -> Option<Challenge> {
        Some(Challenge::Bearer(Bearer {
            realm: realm.to_owned(),
            service: service.map(str::to_owned),
            scope: scope.map(str::to_owned),
        }))
    }

    #[test]
    fn a_challenge_names_a_scheme_and_its_parameters() {
        check(&["Basic realm=\"x\""], Some(Challenge::Basic));
        check(
            &[
                r#"Bearer realm="https://a.example/token",service="r.example",scope="repository:a/b:pull,push""#,
            ],
            bearer("https://a.example/token", Some("r.example"), Some("repository:a/b:pull,push")),
        );
        check(
            &[r#"bearer Realm = "https://x/\"y", error="invalid_token""#],
            bearer("https://x/\"y", None, None),
        );
        check(&[r#"Basic realm="a, b=c", Bearer realm=https://x"#], bearer("https://x", None, None));
        check(&["Basic", "Bearer realm=\"y\""], bearer("y", None, None));
    }

    #[test]
    fn what_is_not_understood_is_no_challenge() {
        for header in
            ["", "Negotiate", "Bearer", "Bearer service=\"x\"", "realm=\"x\"", ",,,", "= = =", "Bearer realm"]
        {
            check(&[header], None);
        }
        check(&[], None);
        check(&["Bearer realm=\"unclosed"], bearer("unclosed", None, None));
    }
}
