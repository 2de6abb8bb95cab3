//! Which files have to be looked at again when others change.

use std::collections::BTreeSet;
use std::sync::{PoisonError, RwLock};

use rustc_hash::{FxHashMap, FxHashSet};

use super::FilePath;

/// By file, those that refer to it or load it. Files only come in: one that does not refer to another any more is looked
/// at once too often.
#[derive(Debug, Default)]
pub(crate) struct Dependents(RwLock<Edges>);

#[derive(Debug, Default)]
struct Edges {
    users: FxHashMap<FilePath, FxHashSet<FilePath>>,
    count: usize,
}

impl Dependents {
    /// Remembers that `user` needs `files`.
    pub(crate) fn add<'f>(&self, user: &FilePath, files: impl IntoIterator<Item = &'f FilePath>) {
        let mut files = files.into_iter().peekable();
        if files.peek().is_none() {
            return;
        }
        let mut edges = self.0.write().unwrap_or_else(PoisonError::into_inner);
        for file in files {
            if edges.users.entry(file.clone()).or_default().insert(user.clone()) {
                edges.count += 1;
            }
        }
    }

    /// How many pairs of files are remembered.
    pub(crate) fn count(&self) -> usize {
        self.0.read().unwrap_or_else(PoisonError::into_inner).count
    }

    /// These files and all that need one of them.
    pub(crate) fn of<'f>(&self, files: impl IntoIterator<Item = &'f FilePath>) -> BTreeSet<FilePath> {
        let edges = self.0.read().unwrap_or_else(PoisonError::into_inner);
        let mut found: BTreeSet<FilePath> = BTreeSet::new();
        let mut open: Vec<FilePath> = files.into_iter().cloned().collect();
        while let Some(file) = open.pop() {
            if let Some(users) = edges.users.get(&file) {
                open.extend(users.iter().filter(|user| !found.contains(*user)).cloned());
            }
            found.insert(file);
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_that_need_a_file_are_found_once() {
        let path = FilePath::new;
        let dependents = Dependents::default();
        dependents.add(&path("/b"), [&path("/a")]);
        dependents.add(&path("/c"), [&path("/b"), &path("/a"), &path("/c")]);
        dependents.add(&path("/c"), [&path("/b")]);
        dependents.add(&path("/d"), []);
        let of = |file: &str| -> Vec<String> {
            dependents.of([&path(file)]).iter().map(ToString::to_string).collect()
        };
        assert_eq!(of("/a"), ["/a", "/b", "/c"]);
        assert_eq!(of("/c"), ["/c"]);
        assert_eq!(of("/d"), ["/d"]);
        assert_eq!(dependents.count(), 4);
    }
}
