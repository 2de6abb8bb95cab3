//! Extension archives.

use std::io::Write;

use bicep_types::{Archive, ArchiveLimits, Error, ExtensionPackage, INDEX_FILE, write_types_archive};
use flate2::Compression;
use flate2::write::GzEncoder;

use crate::orchard::{FILES, orchard};

fn types_archive() -> Vec<u8> {
    write_types_archive(&orchard(INDEX_FILE).unwrap(), &orchard).unwrap()
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

/// A tar entry for a file with these contents.
fn tar_of(entries: &[(&str, &[u8])]) -> Vec<u8> {
    let mut builder = tar::Builder::new(Vec::new());
    for (path, contents) in entries {
        let mut header = tar::Header::new_gnu();
        header.set_size(contents.len() as u64);
        header.set_mode(0o600);
        builder.append_data(&mut header, path, *contents).unwrap();
    }
    builder.into_inner().unwrap()
}

#[test]
fn types_come_out_of_an_archive_as_they_went_in() {
    let archive = Archive::read(&types_archive(), ArchiveLimits::TYPES).unwrap();
    for (path, text) in FILES {
        assert_eq!(archive.get(path), Some(text.as_bytes()), "{path}");
    }
    assert_eq!(archive.paths().count(), FILES.len());
    let store = archive.into_store().unwrap();
    assert!(store.resource_type("orchard.fruit/trees", Some("2024-05-01")).unwrap().is_some());
}

#[test]
fn the_index_is_the_first_entry_and_every_file_has_the_same_bytes_each_time() {
    let bytes = types_archive();
    assert_eq!(types_archive(), bytes);
    let mut archive = tar::Archive::new(flate2::read::GzDecoder::new(bytes.as_slice()));
    let entries: Vec<(String, u64, u32)> = archive
        .entries()
        .unwrap()
        .map(|entry| {
            let entry = entry.unwrap();
            let path = entry.path().unwrap().display().to_string();
            (path, entry.header().mtime().unwrap(), entry.header().mode().unwrap())
        })
        .collect();
    let expected = ["index.json", "trees/2024-05-01/types.json", "trees/2025-01-01/types.json", "types.json"];
    assert_eq!(entries, expected.map(|path| (path.to_owned(), 0, 0o644)));
}

#[test]
fn an_extension_is_its_types_or_a_package_around_them() {
    let types = types_archive();
    let package = ExtensionPackage {
        types: types.clone(),
        binaries: vec![("linux-arm64".into(), vec![1, 2]), ("linux-x64".into(), vec![3])],
    };
    let packed = package.write().unwrap();
    assert_eq!(ExtensionPackage::read(&packed, ArchiveLimits::TYPES).unwrap(), package);
    let plain = Archive::read_extension(&types, ArchiveLimits::TYPES).unwrap();
    assert_eq!(Archive::read_extension(&packed, ArchiveLimits::TYPES).unwrap(), plain);
    assert_eq!(
        ExtensionPackage::read(&types, ArchiveLimits::TYPES).unwrap_err(),
        Error::MissingFile { file: "types.tgz".to_owned() }
    );
}

#[test]
fn long_paths_and_a_leading_dot_are_read() {
    let long = format!("{}/types.json", "folder".repeat(60));
    let bytes = gzip(&tar_of(&[("./index.json", b"{}"), (&long, b"[]")]));
    let archive = Archive::read(&bytes, ArchiveLimits::TYPES).unwrap();
    assert_eq!(archive.get("index.json"), Some(b"{}".as_slice()));
    assert_eq!(archive.get(&long), Some(b"[]".as_slice()));
}

#[test]
fn an_archive_that_unpacks_to_too_much_is_refused() {
    let zeros = vec![b' '; 4 << 20];
    let bytes = gzip(&tar_of(&[("index.json", &zeros)]));
    assert!(bytes.len() < 16 << 10, "the archive itself is small: {}", bytes.len());
    let limits = ArchiveLimits { entries: 10, bytes: 1 << 20 };
    assert_eq!(
        Archive::read(&bytes, limits).unwrap_err().to_string(),
        "cannot read the extension archive: it unpacks to more than 1048576 bytes"
    );
    let many: Vec<String> = (0..12).map(|number| format!("{number}.json")).collect();
    let many: Vec<(&str, &[u8])> = many.iter().map(|path| (path.as_str(), b"".as_slice())).collect();
    assert_eq!(
        Archive::read(&gzip(&tar_of(&many)), limits).unwrap_err().to_string(),
        "cannot read the extension archive: it has more than 10 entries"
    );
}

#[test]
fn an_entry_given_twice_is_refused() {
    let bytes = gzip(&tar_of(&[("a.json", b"1"), ("a.json", b"2")]));
    let error = Archive::read(&bytes, ArchiveLimits::TYPES).unwrap_err();
    assert_eq!(error.to_string(), "cannot read the extension archive: it has the entry `a.json` twice");
}

#[test]
fn damaged_archives_are_errors() {
    let good = types_archive();
    for length in 0..good.len() {
        assert!(
            Archive::read(&good[..length], ArchiveLimits::TYPES).and_then(Archive::into_store).is_err(),
            "{length} bytes"
        );
    }
    let without_index = gzip(&tar_of(&[("types.json", b"[]")]));
    let error = Archive::read(&without_index, ArchiveLimits::TYPES).unwrap().into_store().unwrap_err();
    assert_eq!(error.to_string(), "type data refers to the file `index.json`, which does not exist");
}

#[test]
fn a_file_that_the_index_names_must_be_given() {
    let index = br##"{"resources": {"a@v1": {"$ref": "gone/types.json#/0"}}}"##;
    assert_eq!(
        write_types_archive(index, &orchard).unwrap_err(),
        Error::MissingFile { file: "gone/types.json".to_owned() }
    );
}
