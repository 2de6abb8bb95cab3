//! The resource types of Azure, packed and part of the program.
//!
//! `cargo xtask types DIR` makes `types.pack.lzma` and `source.txt` from a checkout of the public type data; `NOTICE` names where it
//! comes from. The build script inflates it, so nothing is unpacked when the program starts: the pack lies in the file of the
//! program, and the system loads the pages that are used.

/// The pack, for `bicep_types::TypeStore::from_pack`. It holds names, types and flags, and no descriptions.
pub static PACK: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/types.pack"));

/// The commit of the type data.
pub const COMMIT: &str = env!("AZURE_TYPES_COMMIT");

/// The day of that commit, such as `2026-07-29`.
pub const DATE: &str = env!("AZURE_TYPES_DATE");

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use bicep_types::{Pack, TypeStore};

    #[test]
    fn the_pack_is_whole() {
        Pack::open(Arc::new(super::PACK)).unwrap().verify().unwrap();
    }

    #[test]
    fn a_storage_account_has_a_body_and_no_description() {
        let store = TypeStore::from_pack(Arc::new(super::PACK)).unwrap();
        let found =
            store.resource_type("microsoft.storage/storageaccounts", Some("2023-01-01")).unwrap().unwrap();
        let file = store.file(found.location.file).unwrap();
        let body = file.documented(file.resource_type(found.location.id).unwrap().body).unwrap();
        let bicep_types::Type::Object(body) = body else { panic!("the body is not an object") };
        let location = body.property("location").unwrap();
        assert_eq!(location.description, None);
    }

    #[test]
    fn the_day_is_a_date() {
        assert!(super::DATE.len() == 10 && super::DATE.starts_with("20"), "{}", super::DATE);
        assert_eq!(super::COMMIT.len(), 40);
    }
}
