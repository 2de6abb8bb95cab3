//! The decorators that are there without being declared: one row each, one file per family.
//!
//! A row says what a decorator is called, what it takes, what it can stand on, what it makes of a type, and what it
//! writes into the template. [`Model::applied`](crate::Model::applied) is where a decorator of a program gets its meaning.

mod data;
mod declared;
mod resource;
mod row;
mod type_text;

pub(crate) use data::{DESCRIPTION, EXPORT, MAX_LENGTH, MAX_VALUE, MIN_LENGTH, MIN_VALUE, SECURE};
pub(crate) use declared::CustomDecorator;
pub(crate) use resource::{BATCH_SIZE, is_existing};
pub(crate) use row::{Decorator, MemberRule, PartRule, Refines, Requires, UseRule, Writes};

use std::sync::Arc;

use syntax::NodeId;

use crate::functions::Visibility;
use crate::symbol_id::SymbolId;

/// What a decorator has to do with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Family {
    /// Parameters, outputs, types and what they say of themselves.
    Data,
    /// How resources and modules are deployed.
    Resource,
}

impl Family {
    /// All families, in the order of the reference.
    pub(crate) const ALL: [Family; 2] = [Family::Data, Family::Resource];

    /// What the family has to do with, in words.
    #[must_use]
    pub(crate) const fn title(self) -> &'static str {
        match self {
            Family::Data => "Decorators of parameters, outputs and types",
            Family::Resource => "Decorators of resources and modules",
        }
    }
}

/// A decorator that is declared outside the language, as a file sees it.
#[derive(Clone, Debug)]
pub(crate) struct ForFile {
    pub(crate) row: Arc<CustomDecorator>,
    /// The declaration of the extension that has it; none if a configuration file has.
    pub(crate) extension: Option<NodeId>,
}

impl PartialEq for ForFile {
    fn eq(&self, other: &ForFile) -> bool {
        Arc::ptr_eq(&self.row, &other.row) && self.extension == other.extension
    }
}

/// What a decorator of a program means.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Applied<'m> {
    BuiltIn(&'static Decorator),
    /// A decorator that a configuration file or an extension declares.
    Configured(&'m ForFile),
    /// A declaration of the program, or something that it imports.
    Declared(SymbolId),
    /// What a file has that is imported as a whole under this name.
    Member(SymbolId),
}

/// All decorators, in the order in which they write into the template.
pub(crate) fn all() -> impl Iterator<Item = &'static Decorator> {
    data::DECORATORS.iter().chain(resource::DECORATORS).copied()
}

/// The decorator with a name.
#[must_use]
pub(crate) fn find(name: &str) -> Option<&'static Decorator> {
    all().find(|decorator| decorator.name == name)
}

impl Visibility {
    /// The built-in decorator with a name, if the file sees it.
    #[must_use]
    pub(crate) fn decorator(&self, name: &str) -> Option<&'static Decorator> {
        find(name).filter(|decorator| self.sees_decorator(decorator))
    }

    fn sees_decorator(&self, decorator: &Decorator) -> bool {
        decorator.files.has(self.kind) && decorator.when.is_enabled(self.features, self.dialect)
    }

    /// The names of all built-in decorators that the file sees.
    pub(crate) fn decorator_names(&self) -> impl Iterator<Item = &'static str> {
        all().filter(|decorator| self.sees_decorator(decorator)).map(|decorator| decorator.name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_decorator_is_found_by_its_name_and_says_what_it_does() {
        for decorator in all() {
            assert_eq!(find(decorator.name), Some(decorator));
            assert!(decorator.doc.ends_with('.'), "{}", decorator.name);
            assert!(decorator.targets(crate::Dialect::Public).is_decorator(), "{}", decorator.name);
        }
        assert!(find("nothing").is_none());
    }
}
