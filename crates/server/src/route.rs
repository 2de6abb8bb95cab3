//! From a path to its row. Paths do not depend on case, may end with a slash, and parts of them may be escaped.
//!
//! A pattern is a path in which `{name}` stands for one part, `{name*}` at the end for all that is left, and `{scope}` at the beginning for
//! where something is: the tenant, a management group, a subscription, a resource group, or a group in a plane of Radius.

use std::future::Future;
use std::pin::Pin;

use arm::evaluate::Scope;
use http::Method;
use smol_str::SmolStr;

use crate::access::Access;
use crate::api_error::ApiError;
use crate::response::HttpResponse;
use crate::routed_request::{Captures, RoutedRequest};

/// An answer that may take its time.
pub(crate) type Pending = Pin<Box<dyn Future<Output = Result<HttpResponse, ApiError>> + Send>>;

/// A request that the server knows.
pub(crate) struct HttpRoute {
    /// How it is sent.
    pub(crate) method: Method,
    pub(crate) pattern: &'static str,
    pub(crate) access: Access,
    /// What it is for, in a line.
    pub(crate) about: &'static str,
    pub(crate) handler: fn(RoutedRequest) -> Pending,
}

/// The parts of a path, unescaped.
#[derive(Debug, Default)]
pub(crate) struct Path(Vec<String>);

impl Path {
    /// Takes a path apart. What could be read as another path by somebody else is refused.
    pub(crate) fn parse(path: &str) -> Result<Path, ApiError> {
        let refuse =
            |what: &str| Err(ApiError::new("InvalidRequestUri", format!("the path of the request {what}")));
        let mut parts = Vec::new();
        for part in path.split('/').filter(|part| !part.is_empty()) {
            let Ok(part) = percent_encoding::percent_decode_str(part).decode_utf8() else {
                return refuse("is not UTF-8");
            };
            if part == "." || part == ".." {
                return refuse("has a part `.` or `..`");
            }
            if part.contains(['/', '\\']) || part.contains(char::is_control) {
                return refuse("has a part with a slash, a backslash or a control character");
            }
            parts.push(part.into_owned());
        }
        Ok(Path(parts))
    }

    pub(crate) fn parts(&self) -> &[String] {
        &self.0
    }

    /// The path without its first parts, if it begins with them.
    pub(crate) fn without(self, prefix: &[&str]) -> Path {
        let begins = self.0.len() >= prefix.len()
            && self.0.iter().zip(prefix).all(|(part, prefix)| part.eq_ignore_ascii_case(prefix));
        if begins { Path(self.0.into_iter().skip(prefix.len()).collect()) } else { self }
    }
}

/// The row that a request means.
pub(crate) enum RouteMatch {
    Row(&'static HttpRoute, Captures),
    /// There is such a path, which takes only these methods.
    OtherMethod(Vec<Method>),
    Nothing,
}

/// Finds the row of a request; the first one that fits. `HEAD` is `GET` without a body where it has no row of its own.
pub(crate) fn find<R>(rows: impl Fn() -> R, method: &Method, path: &Path) -> RouteMatch
where
    R: Iterator<Item = &'static HttpRoute>,
{
    let scopes = scopes(path.parts());
    let with = |method: &Method| {
        let mut rows = rows().filter(|row| row.method == *method);
        rows.find_map(|row| {
            fit(row.pattern, path.parts(), &scopes).map(|captures| RouteMatch::Row(row, captures))
        })
    };
    let found = with(method).or_else(|| with(&Method::GET).filter(|_| *method == Method::HEAD));
    found.unwrap_or_else(|| {
        let fitting = rows().filter(|row| fit(row.pattern, path.parts(), &scopes).is_some());
        let mut methods: Vec<Method> = Vec::new();
        for row in fitting {
            if !methods.contains(&row.method) {
                methods.push(row.method.clone());
            }
        }
        if methods.is_empty() { RouteMatch::Nothing } else { RouteMatch::OtherMethod(methods) }
    })
}

/// What a pattern captures of a path; none if it does not fit.
fn fit(pattern: &'static str, path: &[String], scopes: &[(Scope, usize)]) -> Option<Captures> {
    match pattern.strip_prefix("{scope}") {
        // A longer scope is tried first: what looks like a group is one.
        Some(rest) => scopes.iter().find_map(|(scope, taken)| {
            let path = path.get(*taken..)?;
            fits(rest, path).then(|| Captures { scope: scope.clone(), parts: parts(rest, path) })
        }),
        None => fits(pattern, path).then(|| Captures { scope: Scope::Unknown, parts: parts(pattern, path) }),
    }
}

/// The parts of a pattern: a word, or a name for what stands there.
fn pieces(pattern: &'static str) -> impl Iterator<Item = PathSegment> {
    pattern.split('/').filter(|part| !part.is_empty()).map(|part| {
        match part.strip_prefix('{').and_then(|part| part.strip_suffix('}')) {
            None => PathSegment::Word(part),
            Some(name) => match name.strip_suffix('*') {
                None => PathSegment::One(name),
                Some(name) => PathSegment::Rest(name),
            },
        }
    })
}

enum PathSegment {
    Word(&'static str),
    One(&'static str),
    Rest(&'static str),
}

/// Whether a path has the form of a pattern. Most do not, so this allocates nothing.
fn fits(pattern: &'static str, path: &[String]) -> bool {
    let mut path = path.iter();
    for piece in pieces(pattern) {
        let fits = match (piece, path.next()) {
            (PathSegment::Rest(_), first) => return first.is_some(),
            (_, None) => false,
            (PathSegment::One(_), Some(_)) => true,
            (PathSegment::Word(word), Some(part)) => part.eq_ignore_ascii_case(word),
        };
        if !fits {
            return false;
        }
    }
    path.next().is_none()
}

/// What the names of a pattern stand for in a path that fits.
fn parts(pattern: &'static str, path: &[String]) -> Vec<(&'static str, String)> {
    let mut found = Vec::new();
    for (at, piece) in pieces(pattern).enumerate() {
        match piece {
            PathSegment::Word(_) => {}
            PathSegment::One(name) => found.extend(path.get(at).map(|part| (name, part.clone()))),
            PathSegment::Rest(name) => found.extend(path.get(at..).map(|rest| (name, rest.join("/")))),
        }
    }
    found
}

/// The scopes that a path begins with, and how many parts they take; the longest first.
fn scopes(path: &[String]) -> Vec<(Scope, usize)> {
    let is = |at: usize, word: &str| path.get(at).is_some_and(|part| part.eq_ignore_ascii_case(word));
    let text = |at: usize| path.get(at).map(SmolStr::new);
    let mut found = Vec::new();
    if is(0, "planes") && is(1, "radius") {
        if is(3, "resourceGroups")
            && let (Some(plane), Some(group)) = (text(2), text(4))
        {
            found.push((Scope::Plane { plane, group }, 5));
        }
        return found;
    }
    if is(0, "subscriptions")
        && let Some(id) = text(1)
    {
        if is(2, "resourceGroups")
            && let Some(name) = text(3)
        {
            found.push((Scope::ResourceGroup { subscription: id.clone(), name }, 4));
        }
        found.push((Scope::Subscription(id), 2));
    }
    if is(0, "providers")
        && is(1, "Microsoft.Management")
        && is(2, "managementGroups")
        && let Some(name) = text(3)
    {
        found.push((Scope::ManagementGroup(name), 4));
    }
    found.push((Scope::Tenant, 0));
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn captured(pattern: &'static str, path: &str) -> Option<Captures> {
        let path = Path::parse(path).unwrap();
        fit(pattern, path.parts(), &scopes(path.parts()))
    }

    #[test]
    fn patterns_do_not_depend_on_case_or_on_a_slash_at_the_end() {
        let pattern = "{scope}/providers/Microsoft.Resources/deployments/{name}";
        let captures = captured(
            pattern,
            "/SUBSCRIPTIONS/s/resourcegroups/G/PROVIDERS/microsoft.resources/Deployments/d%20x/",
        )
        .unwrap();
        assert_eq!(captures.get("name"), "d x");
        let scope = Scope::ResourceGroup { subscription: "s".into(), name: "G".into() };
        assert_eq!(captures.scope, scope);
    }

    #[test]
    fn scopes_are_told_apart() {
        let pattern = "{scope}/providers/Microsoft.Resources/deployments/{name}";
        let scope = |path: &str| captured(pattern, path).map(|captures| captures.scope);
        let deployments = "/providers/Microsoft.Resources/deployments/d";
        assert_eq!(scope(deployments), Some(Scope::Tenant));
        assert_eq!(
            scope(&format!("/providers/Microsoft.Management/managementGroups/m{deployments}")),
            Some(Scope::ManagementGroup("m".into()))
        );
        assert_eq!(scope(&format!("/subscriptions/s{deployments}")), Some(Scope::Subscription("s".into())));
        assert_eq!(
            scope(&format!("/planes/radius/local/resourcegroups/g{deployments}")),
            Some(Scope::Plane { plane: "local".into(), group: "g".into() })
        );
        assert_eq!(scope("/subscriptions/s/providers/Other/deployments/d"), None);
    }

    #[test]
    fn paths_that_others_may_read_otherwise_are_refused() {
        for path in ["/a/../b", "/a/%2e%2e/b", "/a/b%2Fc", "/a/b%5Cc", "/a/%00", "/a/%ff"] {
            assert!(Path::parse(path).is_err(), "{path}");
        }
    }
}
