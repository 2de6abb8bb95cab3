//! What the language server says about files that are not Bicep: the same as the commands that check them.

use bicep::files::ReadError;
use bicep::{FilePath, World};
use diagnostics::{Diagnostic, FileId, Severity};
use document::Document;
use lsp::ForeignCheck;
use radius::{LIMITS, Manifest, ManifestReadOptions, RuleStage, looks_like_manifest};
use thrift::model::{Config, LoadConfig, Loader, load, resolve};
use thrift::rules::{Declarations, Functions, RuleConfig, lower};

use crate::manifests;
use crate::thrift_functions::DECLARATIONS;

/// One row for each language.
pub(super) const CHECKS: &[ForeignCheck] = &[
    ForeignCheck { source: "thrift", endings: &[".thrift"], check: thrift_file },
    ForeignCheck { source: "radius", endings: &[".yaml", ".yml"], check: manifest },
];

/// `tendon thrift check`, for one file as the editor has it.
fn thrift_file(world: &dyn World, path: &FilePath, _text: &str) -> Vec<Diagnostic> {
    let Ok((program, mut found)) = load(path.as_str(), &mut Files(world), &LoadConfig::default()) else {
        return Vec::new();
    };
    let (model, more) = resolve(&program, &Config::default());
    found.extend(more);
    let functions = Functions::default().with(declarations(world, path));
    let (lowered, more) = lower(&model, &RuleConfig::default(), &functions);
    found.extend(more);
    if !found.iter().any(Diagnostic::is_error) {
        found.extend(lowered.findings(&functions));
    }
    // What is wrong with files that it includes is said there.
    found.retain(|it| {
        it.severity != Severity::Info && it.primary.is_none_or(|place| place.file == FileId::FIRST)
    });
    diagnostics::sort(&mut found);
    found
}

/// What the nearest file of declarations says, beside a Thrift file or in a folder above it. What is wrong with it is for
/// `tendon thrift check --functions` to say: this is another file.
fn declarations(world: &dyn World, path: &FilePath) -> Declarations {
    let mut declarations = Declarations::default();
    let folders = std::iter::successors(path.parent(), FilePath::parent);
    let bytes = folders.map(|folder| folder.join(DECLARATIONS)).find_map(|path| world.read(&path).ok());
    if let Some(text) = bytes.as_deref().and_then(|bytes| std::str::from_utf8(bytes).ok()) {
        declarations.read(text, FileId::FIRST);
    }
    declarations
}

/// `tendon resource-type validate`, if the text is a manifest at all.
fn manifest(_world: &dyn World, _path: &FilePath, text: &str) -> Vec<Diagnostic> {
    let Ok(document) = Document::from_yaml(text, FileId::FIRST, &LIMITS) else { return Vec::new() };
    if !looks_like_manifest(document.root()) {
        return Vec::new();
    }
    let read = Manifest::read(
        &document,
        ManifestReadOptions { dialect: radius::ManifestDialect::Tendon, gate: RuleStage::Author },
    );
    let mut found = manifests::findings(&read, FileId::FIRST);
    found.retain(|it| it.severity != Severity::Info);
    found
}

/// Thrift files of the editor and of the machine.
struct Files<'w>(&'w dyn World);

impl Loader for Files<'_> {
    fn read(&mut self, path: &str) -> Result<Option<String>, String> {
        let bytes = self.bytes(path)?;
        bytes.map(String::from_utf8).transpose().map_err(|error| error.to_string())
    }

    fn bytes(&mut self, path: &str) -> Result<Option<Vec<u8>>, String> {
        match self.0.read(&FilePath::new(path)) {
            Ok(bytes) => Ok(Some(bytes.to_vec())),
            Err(ReadError::NotFound) => Ok(None),
            Err(ReadError::Failed(why)) => Err(format!("cannot read `{path}`: {why}")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use bicep::MemoryWorld;

    fn codes(found: &[Diagnostic]) -> Vec<&str> {
        found.iter().map(|it| &*it.code).collect()
    }

    #[test]
    fn rules_of_thrift_files_are_checked_with_what_they_include() {
        let main = "include \"base.thrift\"\nstruct S {\n  1: base.Id id (vt.min_size = \"x\")\n}\n";
        let world = MemoryWorld::default()
            .with_file("/idl/main.thrift", main)
            .with_file("/idl/base.thrift", "typedef string Id\n");
        let found = thrift_file(&world, &FilePath::new("/idl/main.thrift"), main);
        assert_eq!(found.len(), 1, "{found:#?}");
        let place = found.first().and_then(|it| it.primary).unwrap();
        assert!(main.get(place.start as usize..place.end as usize).unwrap().contains('x'), "{place:?}");
        assert!(thrift_file(&world, &FilePath::new("/idl/base.thrift"), "").is_empty());
    }

    #[test]
    fn functions_are_declared_beside_a_thrift_file_or_above_it() {
        let text = "struct S {\n  1: i32 a\n  2: i32 b (vt.le = \"@twice($a)\")\n}\n";
        let path = FilePath::new("/idl/deep/main.thrift");
        let check = |files: &[(&str, &str)]| {
            let world = MemoryWorld::default().with_file("/idl/deep/main.thrift", text);
            let world = files.iter().fold(world, |world, (path, text)| world.with_file(path, text));
            codes(&thrift_file(&world, &path, text)).into_iter().map(ToOwned::to_owned).collect::<Vec<_>>()
        };
        let above = ("/idl/thrift.functions", "twice(i64) -> i64\n");
        assert_eq!(check(&[]), ["thrift/rule-function"]);
        assert_eq!(check(&[above]), [""; 0]);
        // The nearest one counts.
        assert_eq!(
            check(&[above, ("/idl/deep/thrift.functions", "thrice(i64) -> i64")]),
            ["thrift/rule-function"]
        );
    }

    #[test]
    fn manifests_are_checked_and_other_files_are_left_alone() {
        let world = MemoryWorld::default();
        let check = |text: &str| {
            let found = manifest(&world, &FilePath::new("/types.yaml"), text);
            codes(&found).into_iter().map(ToOwned::to_owned).collect::<Vec<_>>()
        };
        assert!(check("kind: Pod\nspec: {}\n").is_empty());
        assert!(check("a: [").is_empty());
        assert!(!check("namespace: My.Types\ntypes:\n  things:\n    apiVersions: 3\n").is_empty());
    }
}
