//! The types of Azure's resources that a case brings in its folder `azure`.

use std::sync::Arc;

use bicep_types::TypeStore;
use spec_test::Case;

/// The types of a case; none without such a folder.
pub(crate) fn types(case: &Case) -> Option<Arc<TypeStore>> {
    let index = case.file("azure/index.json")?;
    let index = bicep_types::read_index(&index.name, index.text.as_bytes()).ok()?;
    let files: Vec<(String, String)> =
        case.files.iter().map(|file| (file.name.to_string(), file.text.to_string())).collect();
    let read = move |path: &str| {
        let found = files.iter().find(|(name, _)| name.strip_prefix("azure/") == Some(path));
        let missing = || bicep_types::Error::MissingFile { file: path.to_owned() };
        found.map(|(_, text)| text.clone().into_bytes()).ok_or_else(missing)
    };
    Some(Arc::new(TypeStore::from_index(&index, read)))
}
