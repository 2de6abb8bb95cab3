//! The programs of the folders that are open in the editor: what references and renames look through.

use std::collections::BTreeSet;

use bicep::{FilePath, World};

/// How many programs are looked through at most.
const MAX_FILES: usize = 20_000;

/// How many folders are looked into at most.
const MAX_FOLDERS: usize = 50_000;

/// The programs and parameters files in folders and the folders in them, and those of `open`, by path. What begins with a
/// dot, and what packages of JavaScript bring, is nobody's source. None if `goes_on` says that they are not wanted any more.
pub(crate) fn programs<'o>(
    world: &dyn World,
    folders: &[FilePath],
    open: impl Iterator<Item = &'o FilePath>,
    goes_on: &dyn Fn() -> bool,
) -> Option<Vec<FilePath>> {
    let is_program = |path: &FilePath| {
        let extension = path.extension();
        [".bicep", ".bicepparam", ".biceptest"].iter().any(|known| extension.eq_ignore_ascii_case(known))
    };
    let mut found: BTreeSet<FilePath> = open.filter(|path| is_program(path)).cloned().collect();
    let mut left: Vec<FilePath> = folders.to_vec();
    let mut looked = BTreeSet::new();
    while let Some(folder) = left.pop() {
        if looked.len() >= MAX_FOLDERS || found.len() >= MAX_FILES {
            break;
        }
        if !looked.insert(folder.clone()) {
            continue;
        }
        if !goes_on() {
            return None;
        }
        for entry in world.list(&folder).unwrap_or_default() {
            if entry.name.starts_with('.') || entry.name == "node_modules" {
                continue;
            }
            let path = folder.join(&entry.name);
            if entry.is_folder {
                left.push(path);
            } else if is_program(&path) && found.len() < MAX_FILES {
                found.insert(path);
            }
        }
    }
    Some(found.into_iter().collect())
}

#[cfg(test)]
mod tests {
    use bicep::MemoryWorld;

    use super::*;

    #[test]
    fn programs_are_found_in_folders_and_among_open_documents() {
        let world = MemoryWorld::default()
            .with_file("/a/main.bicep", "")
            .with_file("/a/b/c/x.bicepparam", "")
            .with_file("/a/.git/y.bicep", "")
            .with_file("/a/node_modules/z.bicep", "")
            .with_file("/a/readme.md", "");
        let open = [FilePath::new("/other/open.bicep"), FilePath::new("/other/notes.txt")];
        let found = programs(&world, &[FilePath::new("/a")], open.iter(), &|| true).unwrap();
        let found: Vec<&str> = found.iter().map(FilePath::as_str).collect();
        assert_eq!(found, ["/a/b/c/x.bicepparam", "/a/main.bicep", "/other/open.bicep"]);
        assert_eq!(programs(&world, &[FilePath::new("/a")], open.iter(), &|| false), None);
    }
}
