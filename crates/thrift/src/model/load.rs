//! From a path to a program: reads a file and what it includes, each file once.

use std::collections::HashMap;

use super::graph;
use super::paths::{directory, join, normalize, prefix};
use crate::idl::{Header, IdlFile, Strict, parse};
use crate::{Code, Diagnostic, FileId, Span};

/// No program has more files than this.
const MAX_FILES: usize = 10_000;

/// Where files come from.
pub trait Loader {
    /// Returns the text of a file, `None` if there is no such file, or why it cannot be read.
    fn read(&mut self, path: &str) -> Result<Option<String>, String>;

    /// Returns the bytes of a file, for loaders that cannot say whether they are text.
    fn bytes(&mut self, path: &str) -> Result<Option<Vec<u8>>, String> {
        Ok(self.read(path)?.map(String::into_bytes))
    }

    /// Returns the one name of a file, for files that can be reached by several paths.
    fn identity(&mut self, path: &str) -> String {
        normalize(path)
    }
}

/// Files held in memory.
#[derive(Clone, Debug, Default)]
pub struct MemoryLoader {
    files: HashMap<String, String>,
}

impl MemoryLoader {
    /// Adds a file, or replaces the one at the same path.
    #[must_use]
    pub fn file(mut self, path: &str, text: &str) -> Self {
        self.files.insert(normalize(path), text.to_owned());
        self
    }
}

impl Loader for MemoryLoader {
    fn read(&mut self, path: &str) -> Result<Option<String>, String> {
        Ok(self.files.get(&normalize(path)).cloned())
    }
}

/// In which order the places of an included file are tried.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum SearchOrder {
    /// The directory of the including file, then the include directories.
    #[default]
    Apache,
    /// The path as it is, then the directory of the including file, then the include directories.
    Thriftgo,
}

/// How to load a program.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LoadConfig {
    /// Directories to look for included files in.
    pub include_dirs: Vec<String>,
    /// The order of the search.
    pub order: SearchOrder,
    /// Which compiler the files must satisfy.
    pub strict: Strict,
}

/// A file of a program.
#[derive(Clone, Debug, PartialEq)]
pub struct ThriftFile {
    /// The path it was found at.
    pub path: String,
    /// Its text; empty for a tree that did not come from text.
    pub text: String,
    /// Its syntax tree; what could not be read is missing from it.
    pub document: IdlFile,
    /// Its includes that were found.
    pub includes: Vec<Include>,
}

/// An include that was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Include {
    /// What names of the file are written behind.
    pub prefix: String,
    /// The file that was found for it.
    pub file: FileId,
    /// Where the include is written.
    pub span: Span,
}

/// A file with everything it includes; the first file is the one that was asked for.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ThriftProgram {
    /// The files, by [`FileId`].
    pub files: Vec<ThriftFile>,
}

impl ThriftProgram {
    /// Returns the file with an id; `None` if the id is of another program.
    pub fn file(&self, id: FileId) -> Option<&ThriftFile> {
        self.files.get(id.0 as usize)
    }
}

/// Loads a file and what it includes.
///
/// # Errors
///
/// The file itself cannot be found or read. A missing include is a diagnostic.
pub fn load(
    path: &str,
    loader: &mut dyn Loader,
    config: &LoadConfig,
) -> Result<(ThriftProgram, Vec<Diagnostic>), String> {
    let bytes = loader.bytes(path)?.ok_or_else(|| format!("cannot find `{path}`"))?;
    let mut load = Load {
        program: ThriftProgram::default(),
        known: HashMap::new(),
        diagnostics: Vec::new(),
        loader,
        config,
    };
    let identity = load.loader.identity(path);
    load.add(identity, normalize(path), bytes);
    let mut next = 0;
    while next < load.program.files.len() {
        load.includes_of(next);
        next += 1;
    }
    let Load { program, mut diagnostics, .. } = load;
    report_cycles(&program, &mut diagnostics);
    Ok((program, diagnostics))
}

struct Load<'a> {
    program: ThriftProgram,
    known: HashMap<String, FileId>,
    diagnostics: Vec<Diagnostic>,
    loader: &'a mut dyn Loader,
    config: &'a LoadConfig,
}

impl Load<'_> {
    fn add(&mut self, identity: String, path: String, bytes: Vec<u8>) -> FileId {
        let file = FileId(self.program.files.len() as u32);
        self.known.insert(identity, file);
        let text = self.text(file, bytes);
        let (document, diagnostics) = parse(file, &text, self.config.strict);
        self.diagnostics.extend(diagnostics);
        self.program.files.push(ThriftFile { path, text, document, includes: Vec::new() });
        file
    }

    /// The text of a file. Where it is none, that is reported, and the rest is read for what else there is to say.
    fn text(&mut self, file: FileId, bytes: Vec<u8>) -> String {
        match String::from_utf8(bytes) {
            Ok(text) => text,
            Err(error) => {
                let start = u32::try_from(error.utf8_error().valid_up_to()).unwrap_or(u32::MAX);
                let bad = error.as_bytes().get(start as usize).copied().unwrap_or_default();
                let message = format!("the file is not UTF-8: the byte 0x{bad:02x} is not a character here");
                let span = Span::new(file, start, start.saturating_add(1));
                let help = "save the file as UTF-8, or write bytes in strings as `\\xHH`";
                self.diagnostics.push(Code::NotUtf8.at(span, message).help(help));
                String::from_utf8_lossy(error.as_bytes()).into_owned()
            }
        }
    }

    fn includes_of(&mut self, index: usize) {
        let Some(file) = self.program.files.get(index) else { return };
        let from = file.path.clone();
        let wanted: Vec<(String, Span)> = file
            .document
            .headers
            .iter()
            .filter_map(|header| match header {
                Header::Include(include) => Some((include.path.text().into_owned(), include.path.span)),
                Header::CppInclude(_) | Header::Namespace(_) => None,
            })
            .collect();
        let mut includes: Vec<Include> = Vec::new();
        for (path, span) in wanted {
            let Some(target) = self.find(&from, &path, span) else { continue };
            let prefix = prefix(&path).to_owned();
            if let Some(before) =
                includes.iter().find(|include| include.file == target && include.prefix == prefix)
            {
                let hint = Code::DuplicateInclude.at(span, format!("`{path}` is included twice"));
                self.diagnostics
                    .push(hint.label(before.span, "included here first").help("remove one of the two"));
                continue;
            }
            if let Some(before) = includes.iter().find(|include| include.prefix == prefix) {
                let message = format!("two included files share the prefix `{prefix}`");
                let warning = Code::SameIncludeName.at(span, message);
                self.diagnostics
                    .push(warning.label(before.span, "the other one").help("rename one of the files"));
            }
            includes.push(Include { prefix, file: target, span });
        }
        if let Some(file) = self.program.files.get_mut(index) {
            file.includes = includes;
        }
    }

    /// Finds an included file, reading it if it is new.
    fn find(&mut self, from: &str, path: &str, span: Span) -> Option<FileId> {
        let beside = join(directory(from), path);
        let as_given = normalize(path);
        let mut candidates = match self.config.order {
            SearchOrder::Apache => vec![beside],
            SearchOrder::Thriftgo => vec![as_given, beside],
        };
        candidates.extend(self.config.include_dirs.iter().map(|dir| join(dir, path)));
        for candidate in &candidates {
            let identity = self.loader.identity(candidate);
            if let Some(file) = self.known.get(&identity) {
                return Some(*file);
            }
            match self.loader.bytes(candidate) {
                Ok(Some(_)) if self.program.files.len() >= MAX_FILES => {
                    let message = format!("more than {MAX_FILES} files are included");
                    self.diagnostics.push(Code::TooManyFiles.at(span, message));
                    return None;
                }
                Ok(Some(bytes)) => return Some(self.add(identity, candidate.clone(), bytes)),
                Ok(None) => {}
                Err(problem) => {
                    let message = format!("cannot read `{candidate}`: {problem}");
                    self.diagnostics.push(Code::IncludeUnreadable.at(span, message));
                    return None;
                }
            }
        }
        let looked: Vec<String> = candidates.iter().map(|candidate| format!("`{candidate}`")).collect();
        let message = format!("cannot find the included file `{path}`");
        let diagnostic = Code::IncludeNotFound.at(span, message);
        self.diagnostics.push(diagnostic.help(format!("looked for {}", looked.join(", "))));
        None
    }
}

/// Reports each include that closes a cycle.
fn report_cycles(program: &ThriftProgram, diagnostics: &mut Vec<Diagnostic>) {
    let edges: Vec<Vec<usize>> = program
        .files
        .iter()
        .map(|file| file.includes.iter().map(|include| include.file.0 as usize).collect())
        .collect();
    for cycle in graph::order(&edges).cycles {
        let (Some(first), Some(last)) = (cycle.first(), cycle.last()) else { continue };
        let closing = program
            .files
            .get(*last)
            .and_then(|file| file.includes.iter().find(|include| include.file.0 as usize == *first));
        let Some(closing) = closing else { continue };
        let name = |file: usize| program.files.get(file).map_or("", |file| file.path.as_str());
        let message = format!("files include each other: {}", graph::describe(&cycle, name));
        let help = "move what both need into a third file";
        diagnostics.push(Code::IncludeCycle.at(closing.span, message).help(help));
    }
}
