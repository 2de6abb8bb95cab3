//! What could be written at a place: the list that an editor shows while somebody types.
//!
//! `place` finds what stands around the offset, `recognize` says what can be written there as far as the syntax tells,
//! and a file for each kind of thing adds the items. Nothing here is filtered by what was typed so far: editors do that.

mod bodies;
mod declarations;
mod decorators;
mod directives;
mod expression;
mod extensions;
mod imports;
mod item;
mod known;
mod members;
mod parameters;
mod paths;
mod place;
mod properties;
mod recognize;
mod registry;
mod resource_types;
mod symbols;
mod types;
mod values;
mod wanted;
mod words;

pub use item::{Completion, CompletionEdit, CompletionKind, FollowUp};
pub use registry::describe;

use smol_str::SmolStr;
use syntax::Span;

use self::place::Place;
use self::wanted::Wanted;
use crate::check::Checker;
use crate::config::Feature;
use crate::symbols::{Model, SymbolId};
use crate::{Compiler, FilePath};

/// The things that can be written at an offset of a file, in no order: [`Completion::sort_text`] has it. A file that
/// cannot be read has none, and an offset beyond the text is its end.
#[must_use]
pub fn complete(compiler: &Compiler, path: &FilePath, offset: u32) -> Vec<Completion> {
    let Ok(model) = compiler.model(path) else { return Vec::new() };
    let text = model.file.tree.text();
    let mut offset = usize::try_from(offset).unwrap_or(usize::MAX).min(text.len());
    while !text.is_char_boundary(offset) {
        offset -= 1;
    }
    let offset = u32::try_from(offset).unwrap_or(u32::MAX);
    if let Some(items) = directives::complete(compiler, &model, offset) {
        return items;
    }
    compiler.ask_little(&model, |checker| items(compiler, checker, offset)).unwrap_or_default()
}

fn items(compiler: &Compiler, checker: &mut Checker<'_>, offset: u32) -> Vec<Completion> {
    let model = checker.model;
    let place = Place::find(&model.file.tree, offset);
    if place.is_in_comment(&model.file.tree) {
        return Vec::new();
    }
    let wanted = recognize::recognize(&place, model.features().has(Feature::Assertions));
    let span = place.replaced();
    let mut completer = Completer { compiler, checker, model, place: &place, span, out: Vec::new() };
    for wanted in wanted {
        completer.add(wanted);
    }
    completer.out
}

/// Makes the items for a place.
struct Completer<'c, 'm> {
    compiler: &'c Compiler,
    checker: &'c mut Checker<'m>,
    model: &'m Model,
    place: &'c Place<'m>,
    /// What an item replaces.
    span: Span,
    out: Vec<Completion>,
}

impl<'m> Completer<'_, 'm> {
    fn add(&mut self, wanted: Wanted<'m>) {
        match wanted {
            Wanted::Declaration => self.declarations(),
            Wanted::NestedResource(_) => self.nested_resource(),
            Wanted::Type(place) => self.types(place),
            Wanted::TypeMember(access) => self.type_members(access),
            Wanted::TypeIndex(base) => self.type_index(base),
            Wanted::TypeArgument(node, place) => self.type_argument(node, place),
            Wanted::ResourceType(written) => self.resource_types(written),
            Wanted::Words(words) => self.words(words),
            Wanted::PropertyName { object, has_colon } => self.property_names(object, has_colon),
            Wanted::Member(access) => self.members(access),
            Wanted::Method(call) => self.methods(call.base()),
            Wanted::NestedName(access) => self.nested_names(access),
            Wanted::Index(access) => self.indexes(access),
            Wanted::Value(place) => self.value_at(place),
            Wanted::Symbols => self.expressions(),
            Wanted::Body(statement) => self.body(statement),
            Wanted::Decorator(decorator) => self.decorators(decorator),
            Wanted::Path(kind, written) => self.paths(kind, written),
            Wanted::ImportForm => self.import_forms(),
            Wanted::ImportedName(import) => self.imported_names(import),
            Wanted::ExtensionName => self.extension_names(),
            Wanted::ParameterName => self.parameter_names(),
        }
    }

    /// Tells whether a character follows what an item replaces.
    fn stands_behind(&self, character: char) -> bool {
        let text = self.model.file.tree.text();
        text.get(self.span.end as usize..).is_some_and(|behind| behind.starts_with(character))
    }

    /// The description that a declaration gives of itself.
    fn description(&self, symbol: SymbolId) -> Option<SmolStr> {
        description(self.model, symbol)
    }
}

/// The description that a declaration of a file gives of itself.
fn description(model: &Model, symbol: SymbolId) -> Option<SmolStr> {
    let node = model.node_of(symbol);
    let (_, call) =
        model.decorators(node).filter(|(row, _)| *row == &crate::decorators::DESCRIPTION).last()?;
    match call.argument(0)? {
        syntax::ast::Expr::String(text) => text.constant().map(|text| text.trim().into()),
        _ => None,
    }
}
