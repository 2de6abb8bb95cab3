//! URIs: their parts, their escapes, and relative references.

use super::{Arguments, Function, FunctionError, pure};
use crate::value::{Object, ObjectBuilder, Value};

pub(super) const FUNCTIONS: &[Function] = &[
    pure("buildUri", "parts", build_uri, "Puts a URI together from scheme, host, port, path and query."),
    pure("parseUri", "uri", parse_uri, "Takes a URI apart into scheme, host, port, path and query."),
    pure("uri", "base, relative", uri, "Resolves a relative URI against a base."),
    pure("uriComponent", "text", uri_component, "Escapes all characters that a part of a URI cannot have."),
    pure("uriComponentToString", "text", uri_component_to_string, "Resolves the escapes of a part of a URI."),
];

fn uri_component(arguments: Arguments<'_>) -> Result<Value, FunctionError> {
    let text = arguments.str_at(0)?;
    let mut out = String::with_capacity(text.len());
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
            out.push(char::from(byte));
        } else {
            out.push_str(&format!("%{byte:02X}"));
        }
    }
    Ok(out.into())
}

fn uri_component_to_string(arguments: Arguments<'_>) -> Result<Value, FunctionError> {
    Ok(percent_decoded(arguments.str_at(0)?).into())
}

/// The text with its escapes resolved; a `%` that starts none stays.
pub(super) fn percent_decoded(text: &str) -> String {
    percent_encoding::percent_decode_str(text).decode_utf8_lossy().into_owned()
}

/// The parts of a URI reference, as RFC 3986 splits it.
#[derive(Clone, Copy)]
struct UriParts<'t> {
    scheme: Option<&'t str>,
    authority: Option<&'t str>,
    path: &'t str,
    query: Option<&'t str>,
    fragment: Option<&'t str>,
}

impl<'t> UriParts<'t> {
    fn of(text: &'t str) -> UriParts<'t> {
        let (rest, fragment) = split(text, '#');
        let (rest, query) = split(rest, '?');
        let (scheme, rest) = match rest.split_once(':') {
            Some((scheme, rest)) if is_scheme(scheme) => (Some(scheme), rest),
            _ => (None, rest),
        };
        let (authority, path) = match rest.strip_prefix("//") {
            Some(rest) => {
                let (authority, path) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
                (Some(authority), path)
            }
            None => (None, rest),
        };
        UriParts { scheme, authority, path, query, fragment }
    }
}

fn split(text: &str, at: char) -> (&str, Option<&str>) {
    match text.split_once(at) {
        Some((before, behind)) => (before, Some(behind)),
        None => (text, None),
    }
}

fn is_scheme(text: &str) -> bool {
    let mut bytes = text.bytes();
    bytes.next().is_some_and(|first| first.is_ascii_alphabetic())
        && bytes.all(|byte| byte.is_ascii_alphanumeric() || b"+-.".contains(&byte))
}

fn uri(arguments: Arguments<'_>) -> Result<Value, FunctionError> {
    let (base_text, relative) = (arguments.str_at(0)?, arguments.str_at(1)?);
    let base = UriParts::of(base_text.trim());
    // A file is on no host.
    let is_file = base.scheme.is_some_and(|scheme| scheme.eq_ignore_ascii_case("file"));
    let (Some(scheme), Some(authority)) =
        (base.scheme, base.authority.filter(|authority| is_file || !authority.is_empty()))
    else {
        return Err(FunctionError::Argument(format!("the base must be an absolute URI, not `{base_text}`")));
    };
    let reference = UriParts::of(relative.trim());
    let (scheme, authority, path, query) = match reference {
        UriParts { scheme: Some(scheme), authority, path, query, .. } => {
            (scheme, authority.unwrap_or_default(), without_dots(path), query)
        }
        UriParts { authority: Some(authority), path, query, .. } => {
            (scheme, authority, without_dots(path), query)
        }
        UriParts { path: "", query, .. } => {
            (scheme, authority, without_dots(base.path), query.or(base.query))
        }
        UriParts { path, query, .. } if path.starts_with('/') => {
            (scheme, authority, without_dots(path), query)
        }
        UriParts { path, query, .. } => {
            let folder = base.path.rsplit_once('/').map_or("", |(folder, _)| folder);
            (scheme, authority, without_dots(&format!("{folder}/{path}")), query)
        }
    };
    let mut out = format!("{}://{}", scheme.to_ascii_lowercase(), host_and_port(scheme, authority));
    out.push_str(if path.is_empty() { "/" } else { &path });
    for (mark, part) in [('?', query), ('#', reference.fragment)] {
        if let Some(part) = part {
            out.push(mark);
            out.push_str(part);
        }
    }
    Ok(out.into())
}

/// An authority with its host in small letters and without the port that its scheme has anyway.
fn host_and_port(scheme: &str, authority: &str) -> String {
    let (user, host) = match authority.rsplit_once('@') {
        Some((user, host)) => (Some(user), host),
        None => (None, authority),
    };
    let host = host.to_ascii_lowercase();
    let host = default_port(scheme).and_then(|port| host.strip_suffix(&format!(":{port}"))).unwrap_or(&host);
    match user {
        Some(user) => format!("{user}@{host}"),
        None => host.to_owned(),
    }
}

fn default_port(scheme: &str) -> Option<i64> {
    Some(match scheme.to_ascii_lowercase().as_str() {
        "http" | "ws" => 80,
        "https" | "wss" => 443,
        "ftp" => 21,
        _ => return None,
    })
}

/// A path with its `.` and `..` segments resolved.
fn without_dots(path: &str) -> String {
    let mut segments: Vec<&str> = Vec::new();
    let rooted = path.starts_with('/');
    let mut pieces = path.split('/').skip(usize::from(rooted)).peekable();
    while let Some(piece) = pieces.next() {
        let is_last = pieces.peek().is_none();
        match piece {
            "." | ".." => {
                if piece == ".." {
                    segments.pop();
                }
                if is_last {
                    segments.push("");
                }
            }
            piece => segments.push(piece),
        }
    }
    let joined = segments.join("/");
    if rooted { format!("/{joined}") } else { joined }
}

fn parse_uri(arguments: Arguments<'_>) -> Result<Value, FunctionError> {
    let text = arguments.str_at(0)?;
    let parts = UriParts::of(text.trim());
    let (Some(scheme), Some(authority)) = (parts.scheme, parts.authority) else {
        return Err(FunctionError::Argument(format!("the URI must be absolute, not `{text}`")));
    };
    let host_part = authority.rsplit_once('@').map_or(authority, |(_, host)| host);
    let (host, port) = match host_part.rsplit_once(':') {
        Some((host, port)) if !port.contains(']') => (host, Some(port)),
        _ => (host_part, None),
    };
    let port = match port {
        None | Some("") => default_port(scheme),
        Some(port) => match port.parse::<u16>() {
            Ok(port) => Some(port.into()),
            Err(_) => return Err(FunctionError::Argument(format!("`{port}` is not a port"))),
        },
    };
    let mut object = ObjectBuilder::default();
    object.set("scheme".into(), scheme.to_ascii_lowercase().into());
    object.set("host".into(), host.to_ascii_lowercase().into());
    if let Some(port) = port {
        object.set("port".into(), Value::Int(port));
    }
    object.set("path".into(), if parts.path.is_empty() { "/" } else { parts.path }.into());
    object.set("query".into(), parts.query.map_or_else(String::new, |query| format!("?{query}")).into());
    Ok(object.finish())
}

fn build_uri(arguments: Arguments<'_>) -> Result<Value, FunctionError> {
    let parts = arguments.object(0)?;
    let scheme = member(parts, "scheme")?.ok_or_else(|| missing("scheme"))?;
    let host = member(parts, "host")?.ok_or_else(|| missing("host"))?;
    if !is_scheme(scheme) || host.is_empty() {
        return Err(FunctionError::Argument(format!("`{scheme}://{host}` does not start a URI")));
    }
    let mut out = format!("{}://{}", scheme.to_ascii_lowercase(), host.to_ascii_lowercase());
    match parts.get("port") {
        None | Some(Value::Null) => {}
        Some(Value::Int(port)) if (0..=65_535).contains(port) => {
            if default_port(scheme) != Some(*port) {
                out.push_str(&format!(":{port}"));
            }
        }
        Some(other) => return Err(FunctionError::Argument(format!("`{}` is not a port", other.to_json()))),
    }
    let path = member(parts, "path")?.unwrap_or_default();
    if !path.starts_with('/') {
        out.push('/');
    }
    out.push_str(path);
    match member(parts, "query")? {
        None | Some("") => {}
        Some(query) => {
            if !query.starts_with('?') {
                out.push('?');
            }
            out.push_str(query);
        }
    }
    Ok(out.into())
}

fn member<'o>(parts: &'o Object, name: &str) -> Result<Option<&'o str>, FunctionError> {
    match parts.get(name) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::Text(text)) => Ok(Some(text)),
        Some(other) => {
            Err(FunctionError::Argument(format!("`{name}` must be a string, not `{}`", other.to_json())))
        }
    }
}

fn missing(name: &str) -> FunctionError {
    FunctionError::Argument(format!("the property `{name}` is missing"))
}
