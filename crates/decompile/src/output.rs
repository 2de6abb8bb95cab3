//! The files that are written, and what is worth knowing about them.

use std::collections::BTreeMap;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::Note;

/// What decompiling made so far.
#[derive(Debug, Default)]
pub(crate) struct Output {
    /// Texts by paths, relative to the first file's folder.
    pub(crate) files: BTreeMap<String, String>,
    /// The paths of the files in the order in which they were written.
    order: Vec<String>,
    /// All paths in small letters, because some machines do not tell them apart.
    taken: FxHashSet<String>,
    /// Where templates that were written before are.
    pub(crate) written: FxHashMap<u64, String>,
    written_order: Vec<u64>,
    /// Which templates stay JSON.
    pub(crate) kept: FxHashSet<u64>,
    /// Which file holds which template.
    pub(crate) sources: BTreeMap<String, u64>,
    pub(crate) notes: Vec<Note>,
    /// The same, to tell each once.
    noted: FxHashSet<Note>,
    /// Which number was the last one behind a path, so that it is not looked for from the beginning each time.
    numbers: FxHashMap<String, usize>,
    /// How many templates are around the one that is written.
    pub(crate) depth: usize,
}

impl Output {
    /// Takes a path that no other file has: the wanted one, or one with a number.
    pub(crate) fn claim(&mut self, stem: &str, extension: &str) -> String {
        let mut path = format!("{stem}{extension}");
        if self.taken.insert(path.to_lowercase()) {
            return path;
        }
        let number = self.numbers.entry(path.to_lowercase()).or_insert(1);
        loop {
            *number += 1;
            path = format!("{stem}_{number}{extension}");
            if self.taken.insert(path.to_lowercase()) {
                return path;
            }
        }
    }

    /// Takes a path; false if another file has it.
    pub(crate) fn take(&mut self, path: &str) -> bool {
        self.taken.insert(path.to_lowercase())
    }

    pub(crate) fn add(&mut self, path: String, text: String) {
        self.order.push(path.clone());
        self.files.insert(path, text);
    }

    /// Remembers where a template is.
    pub(crate) fn remember(&mut self, digest: u64, path: String) {
        self.written_order.push(digest);
        self.written.insert(digest, path);
    }

    /// How far the work is, to come back to when it fails.
    pub(crate) fn mark(&self) -> Checkpoint {
        Checkpoint { files: self.order.len(), written: self.written_order.len(), notes: self.notes.len() }
    }

    /// Forgets what was done since.
    pub(crate) fn back_to(&mut self, mark: Checkpoint) {
        for path in self.order.drain(mark.files..) {
            self.files.remove(&path);
            self.sources.remove(&path);
            self.taken.remove(&path.to_lowercase());
        }
        for digest in self.written_order.drain(mark.written..) {
            self.written.remove(&digest);
        }
        for note in self.notes.drain(mark.notes..) {
            self.noted.remove(&note);
        }
    }

    pub(crate) fn note(&mut self, file: String, message: String) {
        let note = Note { file, message };
        if self.noted.insert(note.clone()) {
            self.notes.push(note);
        }
    }
}

/// How far the work is.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Checkpoint {
    files: usize,
    written: usize,
    notes: usize,
}

/// The way from the folder of one file to another file. Both are relative to the same folder.
pub(crate) fn relative(from: &str, to: &str) -> String {
    let mut from: Vec<&str> = from.split('/').collect();
    from.pop();
    let to: Vec<&str> = to.split('/').collect();
    let common = from.iter().zip(&to).take_while(|(a, b)| a == b && **a != "..").count();
    let up = from.len() - common;
    let mut parts: Vec<&str> = std::iter::repeat_n("..", up).collect();
    parts.extend(to.iter().skip(common));
    parts.join("/")
}

/// A path behind the folder of a file, without `.` and with as few `..` as possible.
pub(crate) fn joined(file: &str, path: &str) -> String {
    let mut parts: Vec<&str> = file.split('/').collect();
    parts.pop();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." if parts.last().is_some_and(|last| *last != "..") => drop(parts.pop()),
            part => parts.push(part),
        }
    }
    parts.join("/")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_lead_from_file_to_file() {
        assert_eq!(relative("main.bicep", "a/b.bicep"), "a/b.bicep");
        assert_eq!(relative("a/main.bicep", "a/b.bicep"), "b.bicep");
        assert_eq!(relative("a/c/main.bicep", "b.bicep"), "../../b.bicep");
        assert_eq!(joined("a/main.bicep", "../b.bicep"), "b.bicep");
        assert_eq!(joined("main.bicep", "../b/./c.bicep"), "../b/c.bicep");
    }
}
