//! Which files a file needs, in the order in which they can be understood, and which of them need each other.

use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use super::{FilePath, ReferenceKind, SourceFile};
use crate::finding::UnlocatedFinding;

/// A file that was asked for: its source, or why it cannot be had.
pub type SourceResult = Result<Arc<SourceFile>, UnlocatedFinding>;

/// All files that an entry file needs, itself included.
#[derive(Debug, Default)]
pub struct Closure {
    /// The files; one comes after all files it refers to, except where files refer to each other in a cycle.
    pub order: Vec<FilePath>,
    /// The cycle each file is in, by number. Files of one number refer to each other.
    cycles: FxHashMap<FilePath, usize>,
    /// How many files have a number.
    sizes: FxHashMap<usize, usize>,
    /// Files that refer to themselves.
    own: FxHashSet<FilePath>,
}

impl Closure {
    /// Collects the files that `entry` needs; `load` gives a file by its path.
    pub fn collect(entry: &FilePath, mut load: impl FnMut(&FilePath) -> SourceResult) -> Closure {
        let mut search = Search::default();
        search.open(entry.clone(), &mut load);
        while let Some(top) = search.path.last_mut() {
            match top.targets.pop() {
                Some(target) => search.visit(target, &mut load),
                None => search.close(),
            }
        }
        search.closure
    }

    /// How many files are in the cycle that a file is in, one when it refers to itself; none when it does not need itself.
    #[must_use]
    pub fn cycle(&self, file: &FilePath) -> Option<usize> {
        if self.own.contains(file) {
            return Some(1);
        }
        let size = self.cycles.get(file).and_then(|cycle| self.sizes.get(cycle)).copied();
        size.filter(|size| *size > 1)
    }
}

/// Tarjan's search for strongly connected parts, without recursion.
#[derive(Default)]
struct Search {
    closure: Closure,
    numbers: FxHashMap<FilePath, usize>,
    path: Vec<OpenFile>,
    pending: Vec<FilePath>,
}

/// A file whose references are being followed.
struct OpenFile {
    file: FilePath,
    number: usize,
    /// The smallest number that can be reached from here.
    low: usize,
    /// References still to be followed, the last one next.
    targets: Vec<FilePath>,
}

impl Search {
    fn open(&mut self, file: FilePath, load: &mut impl FnMut(&FilePath) -> SourceResult) {
        let number = self.numbers.len();
        self.numbers.insert(file.clone(), number);
        self.pending.push(file.clone());
        let mut targets: Vec<FilePath> = match load(&file).as_deref() {
            Ok(SourceFile::Bicep(source)) => {
                let needed =
                    source.references.iter().filter(|reference| reference.kind != ReferenceKind::Extension);
                needed.filter_map(|reference| Some(reference.target.as_ref().ok()?.path.clone())).collect()
            }
            Ok(SourceFile::Template(_)) | Err(_) => Vec::new(),
        };
        targets.reverse();
        if targets.contains(&file) {
            self.closure.own.insert(file.clone());
        }
        self.path.push(OpenFile { file, number, low: number, targets });
    }

    fn visit(&mut self, target: FilePath, load: &mut impl FnMut(&FilePath) -> SourceResult) {
        match self.numbers.get(&target) {
            None => self.open(target, load),
            // Finished files are in a cycle of their own and cannot lead back here.
            Some(_) if self.closure.cycles.contains_key(&target) => {}
            Some(number) => {
                let number = *number;
                if let Some(top) = self.path.last_mut() {
                    top.low = top.low.min(number);
                }
            }
        }
    }

    fn close(&mut self) {
        let Some(done) = self.path.pop() else { return };
        if let Some(above) = self.path.last_mut() {
            above.low = above.low.min(done.low);
        }
        if done.low == done.number {
            while let Some(member) = self.pending.pop() {
                let last = member == done.file;
                self.closure.cycles.insert(member, done.number);
                *self.closure.sizes.entry(done.number).or_default() += 1;
                if last {
                    break;
                }
            }
        }
        self.closure.order.push(done.file);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Config;
    use crate::files::{BicepFile, Places};
    use crate::world::MemoryWorld;

    fn collect(files: &[(&str, &[&str])]) -> Closure {
        let config = Arc::new(Config::defaults());
        let world = MemoryWorld::default();
        let places = Places { world: &world, mirrors: &[] };
        Closure::collect(&FilePath::new("/a"), |path| {
            let (_, targets) = files.iter().find(|(name, _)| *name == path.as_str()).unwrap();
            let text: String = targets.iter().map(|target| format!("module x '{target}' = {{}}\n")).collect();
            let file = BicepFile::new(path.clone(), text, config.clone(), places);
            Ok(Arc::new(SourceFile::Bicep(Arc::new(file))))
        })
    }

    #[test]
    fn what_is_needed_comes_first() {
        let closure = collect(&[("/a", &["b", "c"]), ("/b", &["d"]), ("/c", &["d"]), ("/d", &[])]);
        let order: Vec<_> = closure.order.iter().map(FilePath::as_str).collect();
        assert_eq!(order, ["/d", "/b", "/c", "/a"]);
        assert_eq!(closure.cycle(&FilePath::new("/a")), None);
    }

    #[test]
    fn files_that_need_each_other_are_in_one_cycle() {
        let closure = collect(&[("/a", &["b"]), ("/b", &["c", "d"]), ("/c", &["b"]), ("/d", &["d"])]);
        let cycles = ["/a", "/b", "/c", "/d"].map(|path| closure.cycle(&FilePath::new(path)));
        assert_eq!(cycles, [None, Some(2), Some(2), Some(1)]);
        assert_eq!(closure.order.len(), 4);
    }
}
