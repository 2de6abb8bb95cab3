//! The archive with the sources of a module, in the form in which editors of the public command show them.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Write as _};

use flate2::{Compression, GzBuilder};
use serde::Serialize;

/// The entry that says what the others are.
const METADATA: &str = "__metadata.json";
/// The version of the form.
const VERSION: u32 = 1;
/// Characters that names of entries do not have, so that they can be unpacked anywhere.
const FORBIDDEN: &str = "\"*:<>?\\|&+[]#";
/// The longest name of an entry, in characters.
const LONGEST: usize = 250;
/// What the name of an entry ends with whose path is too long.
const TOO_LONG: &str = "__path_too_long__";

/// The sources of a module.
#[derive(Clone, Debug)]
pub struct Sources {
    /// The version of the compiler.
    pub version: String,
    /// The path of the file that was published.
    pub entry: String,
    /// All files, each with a path of its own.
    pub files: Vec<PublishedFile>,
}

/// A file of the sources.
#[derive(Clone, Debug)]
pub struct PublishedFile {
    /// Where it was, seen from the folder of the published file.
    pub path: String,
    /// How its text is to be read.
    pub kind: SourceKind,
    /// Its text as it was published.
    pub text: String,
    /// The artifact that it is, if that was published with sources.
    pub artifact: Option<String>,
    /// Where it names other files.
    pub links: Vec<SourceLink>,
}

/// What a file of the sources is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub enum SourceKind {
    /// A Bicep file of the module.
    Bicep,
    /// A template that the module uses as one.
    ArmTemplate,
}

/// A place in a file that names another one. Lines and characters are counted from zero.
#[derive(Clone, Debug)]
pub struct SourceLink {
    /// Line and character where it begins.
    pub start: (usize, usize),
    /// Line and character where it ends.
    pub end: (usize, usize),
    /// The path of the other file.
    pub target: String,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Metadata<'s> {
    metadata_version: u32,
    bicep_version: &'s str,
    entry_point: &'s str,
    source_files: Vec<FileRecord<'s>>,
    document_links: BTreeMap<&'s str, Vec<LinkRecord<'s>>>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct FileRecord<'s> {
    path: &'s str,
    archive_path: String,
    kind: SourceKind,
    source_artifact_id: Option<&'s str>,
}

#[derive(Serialize)]
struct LinkRecord<'s> {
    range: String,
    target: &'s str,
}

impl Sources {
    /// The archive; the same sources give the same bytes.
    pub fn pack(&self) -> io::Result<Vec<u8>> {
        let mut files: Vec<&PublishedFile> = self.files.iter().collect();
        files.sort_by(|a, b| a.path.cmp(&b.path));
        let mut names = BTreeSet::new();
        let mut count = 0;
        let records: Vec<FileRecord<'_>> = files
            .iter()
            .map(|file| FileRecord {
                path: &file.path,
                archive_path: unique(entry_name(&file.path), &mut names, &mut count),
                kind: file.kind,
                source_artifact_id: file.artifact.as_deref(),
            })
            .collect();
        let links = files.iter().filter(|file| !file.links.is_empty());
        let links =
            links.map(|file| (file.path.as_str(), file.links.iter().map(SourceLink::record).collect()));
        let metadata = Metadata {
            metadata_version: VERSION,
            bicep_version: &self.version,
            entry_point: &self.entry,
            document_links: links.collect(),
            source_files: records,
        };
        let json = serde_json::to_vec(&metadata).map_err(io::Error::other)?;
        let gzip = GzBuilder::new().mtime(0).write(Vec::new(), Compression::best());
        let mut tar = tar::Builder::new(gzip);
        append(&mut tar, METADATA, &json)?;
        for (file, record) in files.iter().zip(&metadata.source_files) {
            append(&mut tar, &record.archive_path, file.text.as_bytes())?;
        }
        let mut gzip = tar.into_inner()?;
        gzip.flush()?;
        gzip.finish()
    }
}

impl SourceLink {
    fn record(&self) -> LinkRecord<'_> {
        let ((line, character), (end_line, end_character)) = (self.start, self.end);
        let range = format!("[{line}:{character}]-[{end_line}:{end_character}]");
        LinkRecord { range, target: &self.target }
    }
}

fn append(tar: &mut tar::Builder<impl io::Write>, name: &str, bytes: &[u8]) -> io::Result<()> {
    let mut header = tar::Header::new_ustar();
    header.set_entry_type(tar::EntryType::Regular);
    header.set_mode(0o644);
    header.set_uid(0);
    header.set_gid(0);
    header.set_mtime(0);
    header.set_size(bytes.len() as u64);
    tar.append_data(&mut header, name, bytes)
}

/// The entry of a path.
fn entry_name(path: &str) -> String {
    let plain = path.chars().map(|it| if FORBIDDEN.contains(it) { '_' } else { it });
    let name: String = "files/".chars().chain(plain).collect();
    let length = name.chars().count();
    if length <= LONGEST {
        return name;
    }
    let extension: String =
        name.rfind('.').and_then(|dot| name.get(dot..)).unwrap_or_default().chars().take(10).collect();
    let kept = LONGEST - TOO_LONG.len() - extension.chars().count();
    name.chars().take(kept).chain(TOO_LONG.chars()).chain(extension.chars()).collect()
}

/// A name that no other entry has.
fn unique(name: String, names: &mut BTreeSet<String>, count: &mut usize) -> String {
    let mut unique = name.clone();
    while !names.insert(unique.clone()) {
        *count += 1;
        unique = format!("{name}({count})");
    }
    unique
}

#[cfg(test)]
mod tests {
    use std::io::Read as _;

    use super::*;

    fn file(path: &str, links: Vec<SourceLink>) -> PublishedFile {
        PublishedFile {
            path: path.to_owned(),
            kind: SourceKind::Bicep,
            text: format!("// {path}\n"),
            artifact: None,
            links,
        }
    }

    #[test]
    fn an_archive_says_what_its_files_are() {
        let link = SourceLink { start: (0, 9), end: (0, 21), target: "mod/a.bicep".to_owned() };
        let template = PublishedFile {
            kind: SourceKind::ArmTemplate,
            artifact: Some("br:x.io/a:1".to_owned()),
            ..file("<cache>/br/x.io/a/1$/main.json", vec![])
        };
        let sources = Sources {
            version: "0.1".to_owned(),
            entry: "main.bicep".to_owned(),
            files: vec![file("main.bicep", vec![link]), file("mod/a.bicep", vec![]), template],
        };
        let packed = sources.pack().unwrap();
        assert_eq!(packed, sources.pack().unwrap());
        let mut archive = tar::Archive::new(flate2::read::GzDecoder::new(packed.as_slice()));
        let entries = archive.entries().unwrap().map(|entry| {
            let mut entry = entry.unwrap();
            let mut text = String::new();
            entry.read_to_string(&mut text).unwrap();
            (entry.path().unwrap().display().to_string(), text)
        });
        let entries: Vec<_> = entries.collect();
        let names: Vec<_> = entries.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(
            names,
            [
                "__metadata.json",
                "files/_cache_/br/x.io/a/1$/main.json",
                "files/main.bicep",
                "files/mod/a.bicep"
            ]
        );
        assert_eq!(
            entries[0].1,
            concat!(
                r#"{"metadataVersion":1,"bicepVersion":"0.1","entryPoint":"main.bicep","sourceFiles":["#,
                r#"{"path":"<cache>/br/x.io/a/1$/main.json","archivePath":"files/_cache_/br/x.io/a/1$/main.json","kind":"ArmTemplate","sourceArtifactId":"br:x.io/a:1"},"#,
                r#"{"path":"main.bicep","archivePath":"files/main.bicep","kind":"Bicep","sourceArtifactId":null},"#,
                r#"{"path":"mod/a.bicep","archivePath":"files/mod/a.bicep","kind":"Bicep","sourceArtifactId":null}],"#,
                r#""documentLinks":{"main.bicep":[{"range":"[0:9]-[0:21]","target":"mod/a.bicep"}]}}"#
            )
        );
    }

    #[test]
    fn entries_have_names_of_their_own_that_can_be_unpacked() {
        let (mut names, mut count) = (BTreeSet::new(), 0);
        let mut name = |path: &str| unique(entry_name(path), &mut names, &mut count);
        assert_eq!(name("a#b.bicep"), "files/a_b.bicep");
        assert_eq!(name("a+b.bicep"), "files/a_b.bicep(1)");
        let long = name(&format!("{}.bicep", "x".repeat(300)));
        assert_eq!(long.chars().count(), LONGEST);
        assert!(long.ends_with("x__path_too_long__.bicep"), "{long}");
    }
}
