//! What a request sees: the documents and the compiler as they were when it came. Later edits change neither.

use std::sync::{Arc, OnceLock};

use bicep::files::SourceFile;
use bicep::{Compiler, FilePath};
use diagnostics::LineIndex;
use syntax::Span;

use crate::ForeignCheck;
use crate::client_capabilities::Abilities;
use crate::document::{Documents, Language, offset_of, range_of};
use crate::files::programs;
use crate::message::{ErrorCode, ResponseError};
use crate::protocol::{AtPosition, DocumentId, Location, Range, TextEdit, WorkspaceEdit};
use crate::restore::Restores;
use crate::semantic_token_cache::ToldTokens;
use crate::test_results::TestResults;
use crate::ticket::Ticket;
use crate::uri;

/// Documents and compiler at one moment.
#[derive(Clone)]
pub(crate) struct Snapshot {
    /// The documents that editors have open, as they were when the snapshot was taken.
    pub(crate) documents: Arc<Documents>,
    /// The compiler that sees them.
    pub(crate) compiler: Arc<Compiler>,
    /// The folders that are open in the editor.
    pub(crate) folders: Arc<[FilePath]>,
    /// What the editor can do.
    pub(crate) abilities: Abilities,
    /// The tokens that the editor was told last.
    pub(crate) told: Arc<ToldTokens>,
    /// What tests have found.
    pub(crate) tests: Arc<TestResults>,
    /// What is fetched from registries.
    pub(crate) restores: Arc<Restores>,
    /// What is said about files that the compiler does not read.
    pub(crate) checks: &'static [ForeignCheck],
    /// The programs in them, once somebody asked for them.
    pub(crate) files: Arc<OnceLock<Arc<[FilePath]>>>,
    /// The request that it is for.
    pub(crate) ticket: Arc<Ticket>,
}

impl Snapshot {
    /// Tells whether somebody still waits for the answer. Work on many files asks before each.
    pub(crate) fn is_wanted(&self) -> bool {
        self.ticket.is_open()
    }

    /// The programs of the open folders, and the open ones; some of them once nobody waits any more.
    pub(crate) fn files(&self) -> Arc<[FilePath]> {
        if let Some(known) = self.files.get() {
            return Arc::clone(known);
        }
        let goes_on = || self.is_wanted();
        let found = programs(self.compiler.world(), &self.folders, self.documents.keys(), &goes_on);
        match found {
            Some(found) => Arc::clone(self.files.get_or_init(|| found.into())),
            None => Arc::default(),
        }
    }

    /// Files as long as somebody waits for what is found in them.
    pub(crate) fn until_cancelled<'f>(&'f self, files: &'f [FilePath]) -> impl Iterator<Item = &'f FilePath> {
        files.iter().take_while(|_| self.is_wanted())
    }

    /// Tells whether an open document is one that only has diagnostics.
    pub(crate) fn is_other(&self, uri: &str) -> bool {
        let document = self.documents.get(&uri::path_of(uri, None));
        document.is_some_and(|document| !document.language.is_compiled())
    }

    /// The path of a program or parameters file with an address, and which of both it is. It need not be open: clients ask
    /// about files on the disk as well.
    pub(crate) fn program(&self, id: &DocumentId) -> Result<(FilePath, Language), ResponseError> {
        let open = ["", ".bicep", ".bicepparam", ".biceptest"].iter().find_map(|ending| {
            let path = uri::path_of(&id.uri, Some(ending).filter(|it| !it.is_empty()).copied());
            let language = self.documents.get(&path)?.language;
            Some((path, language))
        });
        let (path, language) =
            open.unwrap_or_else(|| (uri::path_of(&id.uri, None), Language::of("", &id.uri)));
        if !language.is_compiled() {
            let message = format!("`{}` is neither a Bicep file nor a parameters file", id.uri);
            return Err(ResponseError::new(ErrorCode::RequestFailed, message));
        }
        if !self.documents.contains_key(&path)
            && let Err(fault) = self.compiler.file(&path).as_deref()
        {
            return Err(ResponseError::new(ErrorCode::InvalidParams, fault.sentence()));
        }
        Ok((path, language))
    }

    /// The program and the offset in it that a request is about.
    pub(crate) fn place(&self, at: &AtPosition) -> Result<(FilePath, u32), ResponseError> {
        let (path, _) = self.program(&at.text_document)?;
        let offset = offset_of(&self.lines(&path), at.position);
        Ok((path, offset))
    }

    /// The lines of a file as the compiler reads it.
    pub(crate) fn lines(&self, path: &FilePath) -> Arc<LineIndex> {
        match self.documents.get(path) {
            // The compiler leaves out a byte order mark.
            Some(document) if !document.lines.text().starts_with('\u{feff}') => Arc::clone(&document.lines),
            _ => match self.compiler.file(path).as_deref() {
                Ok(SourceFile::Bicep(file)) => Arc::new(LineIndex::new(file.tree.shared_text())),
                Ok(SourceFile::Template(_)) | Err(_) => {
                    let bytes = self.compiler.world().read(path);
                    let text =
                        bytes.map_or_else(|_| String::new(), |it| String::from_utf8_lossy(&it).into_owned());
                    Arc::new(LineIndex::new(text))
                }
            },
        }
    }

    /// The address of a file: as the editor writes it, if it is open.
    pub(crate) fn uri(&self, path: &FilePath) -> String {
        self.documents.get(path).map_or_else(|| uri::uri_of(path), |document| document.uri.clone())
    }

    /// The range of a span in a file.
    pub(crate) fn range(&self, path: &FilePath, span: Span) -> Range {
        range_of(&self.lines(path), span)
    }

    /// Edits of one file.
    pub(crate) fn edit<'e>(
        &self,
        path: &FilePath,
        edits: impl IntoIterator<Item = &'e bicep::Edit>,
    ) -> WorkspaceEdit {
        let lines = self.lines(path);
        let edit =
            |edit: &bicep::Edit| TextEdit { range: range_of(&lines, edit.span), new_text: edit.text.clone() };
        WorkspaceEdit { changes: [(self.uri(path), edits.into_iter().map(edit).collect())].into() }
    }

    /// A span of a file as a place for the editor.
    pub(crate) fn location(&self, path: &FilePath, span: Span) -> Location {
        Location { uri: self.uri(path), range: self.range(path, span) }
    }

    /// Spans of files as places for the editor; those of one file come together.
    pub(crate) fn locations<'f>(&self, found: impl Iterator<Item = (&'f FilePath, Span)>) -> Vec<Location> {
        let mut last: Option<(&FilePath, String, Arc<LineIndex>)> = None;
        let mut all = Vec::new();
        for (path, span) in found {
            let (uri, lines) = match last.take() {
                Some((known, uri, lines)) if known == path => (uri, lines),
                _ => (self.uri(path), self.lines(path)),
            };
            all.push(Location { uri: uri.clone(), range: range_of(&lines, span) });
            last = Some((path, uri, lines));
        }
        all
    }
}
