//! Paths as text: this crate never touches a file system.

/// Returns the path with `.` and `..` worked out and forward slashes only, without looking at any disk.
pub fn normalize(path: &str) -> String {
    let path = path.replace('\\', "/");
    let absolute = path.starts_with('/');
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." if parts.last().is_some_and(|last| *last != "..") => {
                parts.pop();
            }
            ".." if absolute => {}
            other => parts.push(other),
        }
    }
    let joined = parts.join("/");
    if absolute { format!("/{joined}") } else { joined }
}

/// Returns the directory of a path, empty for a bare file name.
pub(super) fn directory(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(directory, _)| if directory.is_empty() { "/" } else { directory })
}

/// Joins a directory and a path, unless the path is absolute.
pub(super) fn join(directory: &str, path: &str) -> String {
    let absolute = path.starts_with('/') || path.as_bytes().get(1) == Some(&b':');
    if absolute || directory.is_empty() { normalize(path) } else { normalize(&format!("{directory}/{path}")) }
}

/// Returns the prefix that an included file's names have: its file name without `.thrift`.
pub(super) fn prefix(path: &str) -> &str {
    let name = path.rsplit(['/', '\\']).next().unwrap_or(path);
    name.strip_suffix(".thrift").unwrap_or_else(|| name.rsplit_once('.').map_or(name, |(stem, _)| stem))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_worked_out_as_text() {
        for (path, normal) in [
            ("a.thrift", "a.thrift"),
            ("./a/./b.thrift", "a/b.thrift"),
            ("a/../b.thrift", "b.thrift"),
            ("../b.thrift", "../b.thrift"),
            ("../../b", "../../b"),
            ("/../b", "/b"),
            ("a\\b.thrift", "a/b.thrift"),
        ] {
            assert_eq!(normalize(path), normal);
        }
        assert_eq!(join("idl/x", "../base.thrift"), "idl/base.thrift");
        assert_eq!(join("idl", "/abs.thrift"), "/abs.thrift");
        assert_eq!(prefix("shared/base.thrift"), "base");
        assert_eq!(prefix("a.b.thrift"), "a.b");
    }
}
