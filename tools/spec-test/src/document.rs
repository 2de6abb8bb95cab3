//! Turns a scanned document into cases: sections, the files they see, and what is expected of them.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::sync::Arc;

use crate::assertion::{Assertion, assertions};
use crate::markdown::{Fence, FenceRanges, Item, scan};

/// The most files one case may see, inherited ones included.
pub const MAX_FILES: usize = 64;

/// A specification document.
#[derive(Debug)]
pub struct Document {
    /// The cases, in document order.
    pub cases: Vec<Case>,
}

/// One section of a document that is run as a test.
#[derive(Debug, Clone)]
pub struct Case {
    /// The headings from the outermost to the section's own, joined by ` / `.
    pub name: String,
    /// The line of the section's heading in the document, counted from one.
    pub line: usize,
    /// The files the case sees: those of the sections around it first, then its own.
    pub files: Vec<Arc<File>>,
    /// What the runner must produce, in document order.
    pub expectations: Vec<Expectation>,
}

impl Case {
    /// Returns the file with the given name.
    pub fn file(&self, name: &str) -> Option<&File> {
        self.files.iter().find(|file| file.name == name).map(AsRef::as_ref)
    }

    /// Tells whether the case expects an output of the given name, so that a costly one is made only when asked for.
    pub fn expects(&self, output: &str) -> bool {
        self.expectations.iter().any(|expectation| expectation.name == output)
    }
}

/// A fenced block that a case starts from.
#[derive(Debug)]
pub struct File {
    /// The file name; `main.LANGUAGE` when the document gives none.
    pub name: String,
    /// The first word of the block's info string.
    pub language: String,
    /// The text, with the comment assertions still in it.
    pub text: String,
    /// The line of the document that holds the first line of the text, counted from one.
    pub line: usize,
    /// What the comments in the text say about its diagnostics.
    pub assertions: Vec<Assertion>,
}

impl File {
    /// Returns the text with every comment assertion replaced by spaces, for languages without comments such as
    /// JSON. Lines and byte offsets stay what they are in the document.
    pub fn text_without_assertions(&self) -> String {
        let mut bytes = self.text.clone().into_bytes();
        for range in self.assertions.iter().map(|assertion| assertion.range.clone()) {
            if let Some(comment) = bytes.get_mut(range) {
                comment.fill(b' ');
            }
        }
        // Whole comments are blanked, so what remains is still UTF-8.
        String::from_utf8(bytes).unwrap_or_default()
    }
}

/// A fenced block that holds the output a case must produce.
#[derive(Debug, Clone)]
pub struct Expectation {
    /// The name of the output; `output` when the document gives none.
    pub name: String,
    /// The expected text.
    pub text: String,
    /// The line of the document that holds the first line of the text, counted from one.
    pub line: usize,
    pub(crate) place: FenceRanges,
}

/// Something in a document that keeps it from being run, or that a run showed to be wrong.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SpecError {
    /// The line of the document, counted from one.
    pub line: usize,
    /// What is wrong; further lines hold a diff or other detail.
    pub message: String,
}

impl SpecError {
    pub(crate) fn new(line: usize, message: impl Into<String>) -> SpecError {
        SpecError { line, message: message.into() }
    }
}

impl fmt::Display for SpecError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.line, self.message)
    }
}

impl Document {
    /// Reads a document; a document that is not sound in every section is not run at all.
    ///
    /// # Errors
    ///
    /// Returns every problem found, in document order: blocks that are not closed, two sections, files or
    /// expectations of the same name, malformed assertions, a document without a single case.
    pub fn parse(text: &str) -> Result<Document, Vec<SpecError>> {
        let mut builder = Builder::default();
        builder.sections.push(Section::default());
        for item in scan(text)? {
            match item {
                Item::Heading(heading) => builder.heading(heading.level, heading.title, heading.line),
                Item::Fence(fence) => builder.fence(&fence),
            }
        }
        builder.finish()
    }
}

#[derive(Default)]
struct Builder {
    /// The sections that are open, from the document itself (level zero) to the innermost heading.
    sections: Vec<Section>,
    cases: BTreeMap<usize, Case>,
    names: BTreeSet<String>,
    problems: Vec<SpecError>,
}

#[derive(Default)]
struct Section {
    level: usize,
    name: String,
    line: usize,
    /// The files of the sections around this one, without those it redefines.
    inherited: Vec<Arc<File>>,
    own: Vec<Arc<File>>,
    expectations: Vec<Expectation>,
    has_subsections: bool,
}

impl Section {
    fn files(&self) -> Vec<Arc<File>> {
        self.inherited.iter().chain(&self.own).cloned().collect()
    }

    /// A section is run when something is expected of it. Files in a section with subsections and without
    /// expectations are only what the subsections share.
    fn is_case(&self) -> bool {
        !self.expectations.is_empty()
            || self.own.iter().any(|file| !file.assertions.is_empty())
            || (!self.own.is_empty() && !self.has_subsections)
    }
}

impl Builder {
    fn heading(&mut self, level: usize, title: &str, line: usize) {
        self.close(level);
        let Some(parent) = self.sections.last_mut() else { return };
        parent.has_subsections = true;
        let name = if parent.level == 0 { title.to_owned() } else { format!("{} / {title}", parent.name) };
        let inherited = parent.files();
        if !self.names.insert(name.clone()) {
            self.problems.push(SpecError::new(line, format!("a section `{name}` exists already")));
        }
        self.sections.push(Section { level, name, line, inherited, ..Section::default() });
    }

    /// Closes the sections that a heading of the given level ends.
    fn close(&mut self, level: usize) {
        while let Some(section) = self.sections.pop_if(|section| section.level >= level && section.level > 0)
        {
            if section.is_case() {
                let files = section.files();
                let Section { name, line, expectations, .. } = section;
                self.cases.insert(line, Case { name, line, files, expectations });
            }
        }
    }

    fn fence(&mut self, fence: &Fence<'_>) {
        match Role::of(fence) {
            Ok(Role::Illustration) => {}
            Ok(Role::File { language, name }) => self.file(fence, language, name),
            Ok(Role::Expectation { name }) => self.expectation(fence, name),
            Err(message) => self.problems.push(SpecError::new(fence.line, message)),
        }
    }

    fn file(&mut self, fence: &Fence<'_>, language: &str, name: String) {
        let Some(section) = self.sections.last_mut() else { return };
        let line = fence.line + 1;
        if section.own.iter().any(|file| file.name == name) {
            self.problems
                .push(SpecError::new(fence.line, format!("the section has a file `{name}` already")));
            return;
        }
        let assertions = match assertions(language, fence.text) {
            Ok(assertions) => assertions,
            Err(problems) => {
                let placed = problems.into_iter().map(|p| SpecError::new(line + p.line - 1, p.message));
                self.problems.extend(placed);
                return;
            }
        };
        section.inherited.retain(|file| file.name != name);
        if section.inherited.len() + section.own.len() == MAX_FILES {
            let message = format!("the section sees more than {MAX_FILES} files");
            self.problems.push(SpecError::new(fence.line, message));
            return;
        }
        let (language, text) = (language.to_owned(), fence.text.to_owned());
        section.own.push(Arc::new(File { name, language, text, line, assertions }));
    }

    fn expectation(&mut self, fence: &Fence<'_>, name: String) {
        let Some(section) = self.sections.last_mut() else { return };
        if section.level == 0 {
            let message = format!("the output `{name}` stands before the first heading, so no case has it");
            self.problems.push(SpecError::new(fence.line, message));
        } else if section.expectations.iter().any(|expectation| expectation.name == name) {
            let message = format!("the section has an output `{name}` already");
            self.problems.push(SpecError::new(fence.line, message));
        } else {
            section.expectations.push(Expectation {
                name,
                text: fence.text.to_owned(),
                line: fence.line + 1,
                place: fence.place.clone(),
            });
        }
    }

    fn finish(mut self) -> Result<Document, Vec<SpecError>> {
        self.close(0);
        if self.cases.is_empty() && self.problems.is_empty() {
            self.problems.push(SpecError::new(1, "no section of the document is a case"));
        }
        if self.problems.is_empty() {
            Ok(Document { cases: self.cases.into_values().collect() })
        } else {
            Err(self.problems)
        }
    }
}

/// What a fenced block is for, from its info string and the label above it.
enum Role<'a> {
    Illustration,
    File { language: &'a str, name: String },
    Expectation { name: String },
}

impl<'a> Role<'a> {
    fn of(fence: &Fence<'a>) -> Result<Role<'a>, String> {
        let words: Vec<&str> = fence.info.split_whitespace().collect();
        let (language, name) = match words.as_slice() {
            [] => {
                return match fence.label {
                    None => Ok(Role::Illustration),
                    Some(label) => Err(format!("the block `{label}` has no language")),
                };
            }
            ["output"] | [_, "output"] => (None, None),
            ["output", name] | [_, "output", name] => (None, Some(*name)),
            [language] => (Some(*language), None),
            [language, name] => (Some(*language), Some(*name)),
            _ => return Err(format!("`{}` is more than a language and a name", fence.info)),
        };
        let name = match (name, fence.label) {
            (Some(name), Some(label)) => {
                return Err(format!("the block is named twice, `{label}` and `{name}`"));
            }
            (name, label) => name.or(label).map(str::to_owned),
        };
        Ok(match language {
            None => Role::Expectation { name: name.unwrap_or_else(|| "output".to_owned()) },
            Some(language) => {
                Role::File { language, name: name.unwrap_or_else(|| format!("main.{language}")) }
            }
        })
    }
}
