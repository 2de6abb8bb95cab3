//! Diagnostics about what files in a document cannot be: too large, with marks, not restored, not to be listed.

use std::sync::Arc;

use bicep::files::{FolderEntry, ReadError, Reference, RestoreFailure};
use bicep::{Compiler, CompilerOptions, FilePath, Generator, MemoryWorld, World};

/// A world in which nothing can be restored and folders called `closed` cannot be listed.
struct Broken(MemoryWorld);

impl World for Broken {
    fn read(&self, path: &FilePath) -> Result<Arc<[u8]>, ReadError> {
        self.0.read(path)
    }

    fn exists(&self, path: &FilePath) -> bool {
        self.0.exists(path)
    }

    fn list(&self, folder: &FilePath) -> Result<Vec<FolderEntry>, ReadError> {
        match folder.name() {
            "closed" => Err(ReadError::Failed("permission denied".to_owned())),
            _ => self.0.list(folder),
        }
    }

    fn variable(&self, name: &str) -> Option<String> {
        self.0.variable(name)
    }

    fn cache_root(&self) -> FilePath {
        self.0.cache_root()
    }

    fn restore_failure(&self, reference: &Reference) -> Option<RestoreFailure> {
        Some(match reference.full_name().contains("untrusted") {
            true => RestoreFailure::Untrusted,
            false => RestoreFailure::Failed("the registry does not answer".to_owned()),
        })
    }
}

/// The codes of the language in a program beside another file, each with the text at its place.
fn found(program: &str, file: &str, contents: &str) -> Vec<(&'static str, String)> {
    found_in(program, MemoryWorld::default().with_file(file, contents))
}

fn found_in(program: &str, world: MemoryWorld) -> Vec<(&'static str, String)> {
    let world = world.with_file("/main.bicep", program);
    let generator = Generator { name: "bicep".to_owned(), version: "dev".to_owned() };
    let options = CompilerOptions::new(generator);
    let compiler = Compiler::new(Arc::new(Broken(world)), options);
    let compiled = compiler.compile(&FilePath::new("/main.bicep"));
    let text = |span: syntax::Span| {
        program.get(span.start as usize..span.end as usize).unwrap_or_default().to_owned()
    };
    let findings = compiled.findings.iter().flat_map(|(_, findings)| findings.iter());
    let core = findings.filter(|finding| bicep::lint::is_core(finding.code));
    core.map(|finding| (finding.code, text(finding.span))).collect()
}

#[test]
fn a_file_that_is_too_large_is_not_loaded() {
    let program = "var a = loadTextContent('large.txt')\n";
    let found = found(program, "/large.txt", &"x".repeat(131_073));
    assert_eq!(found, [("BCP184", "'large.txt'".to_owned())]);
}

#[test]
fn a_mark_of_another_encoding_is_mentioned() {
    let program = "var a = loadTextContent('marked.txt', 'us-ascii')\n";
    let found = found(program, "/marked.txt", "\u{feff}text");
    assert_eq!(found, [("BCP185", "'us-ascii'".to_owned())]);
}

#[test]
fn a_module_that_cannot_be_restored_is_an_error_at_its_path() {
    let program = "module a 'br:example.com/a:1' = {\n  name: 'a'\n}\n";
    assert_eq!(found(program, "/b.txt", ""), [("BCP192", "'br:example.com/a:1'".to_owned())]);
    let program = program.replace("example", "untrusted");
    assert_eq!(found(&program, "/b.txt", ""), [("BCP446", "'br:untrusted.com/a:1'".to_owned())]);
}

#[test]
fn a_folder_that_cannot_be_listed_is_an_error_at_its_path() {
    let program = "var a = loadDirectoryFileInfo('closed')\n";
    assert_eq!(found(program, "/b.txt", ""), [("BCP429", "'closed'".to_owned())]);
}

#[test]
fn a_string_that_the_end_of_the_file_cuts_off_is_not_closed() {
    assert_eq!(found("var a = 'half", "/b.txt", ""), [("BCP003", "'half".to_owned())]);
    assert_eq!(found("var a = 'half\\", "/b.txt", ""), [("BCP005", "'half\\".to_owned())]);
}

#[test]
fn a_chain_of_configurations_has_an_end() {
    let link = |number: u32| format!("{{ \"extends\": \"{number}.json\" }}");
    let world = MemoryWorld::default().with_file("/bicepconfig.json", link(0));
    let world =
        (0..70).fold(world, |world, number| world.with_file(&format!("/{number}.json"), link(number + 1)));
    assert_eq!(found_in("var a = 1\n", world), [("BCP455", String::new())]);
}
