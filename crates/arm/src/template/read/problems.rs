//! The errors that reading collects, each said as the section that it is in says it.

use diagnostics::Message;
use document::SourceValue;

use crate::template::error::{TemplateError, code};
use crate::template::json::Span;
use crate::template::locate;

/// The section that an error is in.
#[derive(Clone, Copy, Debug)]
pub(super) enum ErrorSection<'a> {
    Template,
    Definition(&'a str),
    Function(&'a str, &'a str),
    Parameter(&'a str),
    Variable(&'a str),
    Extension(&'a str),
    Resource(&'a str, Span),
    Output(&'a str),
    Assert(&'a str),
}

/// The errors so far.
pub(super) struct Problems<'d> {
    root: SourceValue<'d>,
    errors: Vec<TemplateError>,
    /// How many are kept.
    most: usize,
    /// How many there are.
    count: usize,
}

impl<'d> Problems<'d> {
    pub(super) fn new(root: SourceValue<'d>, most: usize) -> Problems<'d> {
        Problems { root, errors: Vec::new(), most: most.max(1), count: 0 }
    }

    /// Notes an error; beyond the limit, they are only counted.
    pub(super) fn add(&mut self, span: Span, section: ErrorSection<'_>, message: impl AsRef<str>) {
        self.add_as(code::INVALID_TEMPLATE, span, section, message);
    }

    /// Notes an error with a code.
    #[cold]
    pub(super) fn add_as(
        &mut self,
        code: &'static str,
        span: Span,
        section: ErrorSection<'_>,
        message: impl AsRef<str>,
    ) {
        self.count += 1;
        if self.errors.len() < self.most {
            let error = match section {
                ErrorSection::Resource(name, resource) => {
                    let before = format!("The template resource '{name}'");
                    let behind = Message::sentence(format!(" is not valid: {}", message.as_ref()));
                    TemplateError::placed(
                        code,
                        &before,
                        self.root.document().position(resource.start),
                        behind,
                    )
                }
                section => TemplateError::new(code, section_message(section, message.as_ref())),
            };
            self.errors.push(error.at(locate::location(self.root, span)));
        }
    }

    /// Notes an error whose message names the place, between two parts of a sentence.
    #[cold]
    pub(super) fn add_placed(&mut self, span: Span, before: &str, behind: Message) {
        self.count += 1;
        if self.errors.len() < self.most {
            let place = self.root.document().position(span.start);
            let error = TemplateError::placed(code::INVALID_TEMPLATE, before, place, behind);
            self.errors.push(error.at(locate::location(self.root, span)));
        }
    }

    /// All errors, if there are any.
    pub(super) fn finish(mut self) -> Result<(), Vec<TemplateError>> {
        if self.count > self.errors.len() {
            let more = self.count - self.errors.len();
            let message = format!("there are {more} more errors");
            self.errors.push(TemplateError::invalid_template(message));
        }
        if self.errors.is_empty() { Ok(()) } else { Err(self.errors) }
    }
}

/// The sentence for a section.
fn section_message(section: ErrorSection<'_>, message: &str) -> Message {
    let what = match section {
        ErrorSection::Template => return diagnostics::sentence(message),
        ErrorSection::Definition(name) => format!("The template definition '{name}'"),
        ErrorSection::Function(namespace, name) => format!("The template function '{namespace}.{name}'"),
        ErrorSection::Parameter(name) => format!("The template parameter '{name}'"),
        ErrorSection::Variable(name) => format!("The template variable '{name}'"),
        ErrorSection::Extension(name) => format!("The template extension '{name}'"),
        // It names the place, too; whoever adds the error has it.
        ErrorSection::Resource(name, _) => format!("The template resource '{name}'"),
        ErrorSection::Output(name) => format!("The template output '{name}'"),
        ErrorSection::Assert(name) => format!("The template assert '{name}'"),
    };
    Message::sentence(format!("{what} is not valid: {message}"))
}
