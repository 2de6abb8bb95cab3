//! A small set of types that has every kind, in three files.

use bicep_types::{Error, INDEX_FILE, Result, TypeIndex, read_index};

/// The files of the set, as they are on disk.
pub(crate) const FILES: [(&str, &str); 4] = [
    (INDEX_FILE, include_str!("orchard/index.json")),
    ("types.json", include_str!("orchard/types.json")),
    ("trees/2024-05-01/types.json", include_str!("orchard/trees/2024-05-01/types.json")),
    ("trees/2025-01-01/types.json", include_str!("orchard/trees/2025-01-01/types.json")),
];

/// Reads a file of the set.
pub(crate) fn orchard(path: &str) -> Result<Vec<u8>> {
    let file = FILES.iter().find(|(name, _)| *name == path);
    file.map(|(_, text)| text.as_bytes().to_vec()).ok_or_else(|| Error::MissingFile { file: path.to_owned() })
}

/// The index of the set.
pub(crate) fn orchard_index() -> TypeIndex {
    read_index(INDEX_FILE, &orchard(INDEX_FILE).unwrap()).unwrap()
}
