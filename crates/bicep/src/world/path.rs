//! Paths of files: text with `/` between the parts, compared as it is written.
//!
//! No path here is looked up on a machine. A [`World`](super::World) decides what a path means; this module only
//! joins, splits and relates them, so that the same program has the same meaning in memory, on disk and in an editor.

use std::fmt;
use std::sync::Arc;

/// The path of a file or folder, without `.` and with `..` only at the start of a relative path.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FilePath(Arc<str>);

impl FilePath {
    /// Reads a path; `\` counts as `/`, and `.` and `..` are resolved as far as the text allows.
    #[must_use]
    pub fn new(path: &str) -> FilePath {
        let path = path.replace('\\', "/");
        let (root, rest) = split_root(&path);
        FilePath(resolve(root, std::iter::once(rest)).into())
    }

    /// The path as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The folder that holds the file; the empty path for a lone name.
    #[must_use]
    pub fn folder(&self) -> FilePath {
        let (root, rest) = split_root(&self.0);
        match rest.rsplit_once('/') {
            Some((folder, _)) => FilePath(format!("{root}{folder}").into()),
            None => FilePath(root.into()),
        }
    }

    /// The folder above a folder, or nothing at the root.
    #[must_use]
    pub fn parent(&self) -> Option<FilePath> {
        let (_, rest) = split_root(&self.0);
        (!rest.is_empty() && rest != ".." && !rest.ends_with("/..")).then(|| self.folder())
    }

    /// The last part of the path.
    #[must_use]
    pub fn name(&self) -> &str {
        let (_, rest) = split_root(&self.0);
        rest.rsplit_once('/').map_or(rest, |(_, name)| name)
    }

    /// What stands behind the last dot of the name, with the dot; empty when there is none.
    #[must_use]
    pub fn extension(&self) -> &str {
        let name = self.name();
        name.rfind('.').and_then(|at| name.get(at..)).unwrap_or_default()
    }

    /// The path that `relative` leads to from this folder; an absolute one leads to itself.
    #[must_use]
    pub fn join(&self, relative: &str) -> FilePath {
        let relative = relative.replace('\\', "/");
        let (root, rest) = split_root(&relative);
        if !root.is_empty() {
            return FilePath(resolve(root, std::iter::once(rest)).into());
        }
        let (root, folder) = split_root(&self.0);
        FilePath(resolve(root, [folder, rest].into_iter()).into())
    }

    /// Tells whether a text names a place by itself, wherever it is written.
    #[must_use]
    pub fn is_rooted(text: &str) -> bool {
        !split_root(&text.replace('\\', "/")).0.is_empty()
    }

    /// The way from the folder of `from` to this file, such as `../shared/types.bicep`.
    #[must_use]
    pub fn relative_to(&self, from: &FilePath) -> String {
        let folder = from.folder();
        let (root, rest) = split_root(&folder.0);
        let (own_root, own) = split_root(&self.0);
        if root != own_root {
            return self.0.to_string();
        }
        let mut there = own.split('/').peekable();
        let mut here = rest.split('/').filter(|part| !part.is_empty()).peekable();
        while let (Some(a), Some(b)) = (there.peek(), here.peek())
            && a == b
        {
            there.next();
            here.next();
        }
        let mut way = "../".repeat(here.count());
        for (position, part) in there.enumerate() {
            if position > 0 {
                way.push('/');
            }
            way.push_str(part);
        }
        way
    }
}

/// Splits the root off: `/`, `C:/` or a scheme with its host.
fn split_root(path: &str) -> (&str, &str) {
    let at = if let Some(scheme) = path.find("://") {
        let host = scheme + 3;
        path.get(host..).and_then(|rest| rest.find('/')).map_or(path.len(), |slash| host + slash + 1)
    } else if path.starts_with('/') {
        1
    } else if path.as_bytes().get(1) == Some(&b':') && path.as_bytes().get(2) == Some(&b'/') {
        3
    } else {
        0
    };
    path.split_at_checked(at).unwrap_or(("", path))
}

fn resolve<'p>(root: &str, texts: impl Iterator<Item = &'p str>) -> String {
    let mut parts: Vec<&str> = Vec::new();
    for part in texts.flat_map(|text| text.split('/')) {
        match part {
            "" | "." => {}
            ".." if parts.last().is_some_and(|last| *last != "..") => drop(parts.pop()),
            // Above the root there is only the root.
            ".." if !root.is_empty() => {}
            part => parts.push(part),
        }
    }
    format!("{root}{}", parts.join("/"))
}

impl fmt::Display for FilePath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Debug for FilePath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", &*self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dots_are_resolved_and_never_climb_above_a_root() {
        assert_eq!(FilePath::new("a/./b/../c.bicep").as_str(), "a/c.bicep");
        assert_eq!(FilePath::new("/../a").as_str(), "/a");
        assert_eq!(FilePath::new("../../a").as_str(), "../../a");
        assert_eq!(FilePath::new(r"C:\a\b").as_str(), "C:/a/b");
    }

    #[test]
    fn folders_names_and_extensions_are_parts_of_the_text() {
        let path = FilePath::new("/repo/app/main.bicep");
        assert_eq!(
            (path.folder().as_str(), path.name(), path.extension()),
            ("/repo/app", "main.bicep", ".bicep")
        );
        assert_eq!(FilePath::new("main").folder().as_str(), "");
        assert_eq!(FilePath::new("/").parent(), None);
        assert_eq!(FilePath::new("/a").parent().map(|path| path.to_string()).as_deref(), Some("/"));
    }

    #[test]
    fn a_way_leads_from_one_file_to_another() {
        let way = |to: &str, from: &str| FilePath::new(to).relative_to(&FilePath::new(from));
        assert_eq!(way("/a/b/x.bicep", "/a/b/main.bicep"), "x.bicep");
        assert_eq!(way("/a/x.bicep", "/a/b/c/main.bicep"), "../../x.bicep");
        assert_eq!(way("/a/b/m/x.bicep", "/a/b/main.bicep"), "m/x.bicep");
        assert_eq!(FilePath::new("/a/b").join("../c/x.json").as_str(), "/a/c/x.json");
    }
}
