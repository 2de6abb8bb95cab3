//! What could be written at a place: the list that an editor shows while somebody types.
//!
//! `place` finds what stands around the offset, `recognize` says what can be written there as far as the syntax tells,
//! and a file for each kind of thing adds the items. Nothing here is filtered by what was typed so far: editors do that.

mod bodies;
mod cursor_context;
mod declarations;
mod decorators;
mod directives;
mod expected_syntax;
mod expression;
mod extensions;
mod imports;
mod item;
mod members;
mod parameters;
mod paths;
mod properties;
mod receiver_type;
mod recognize;
mod registry;
mod resource_types;
mod symbols;
mod types;
mod values;
mod words;

pub use item::{Completion, CompletionEdit, CompletionKind, FollowUp};
pub use registry::describe;

use smol_str::SmolStr;
use syntax::Span;

use self::cursor_context::CursorContext;
use self::expected_syntax::ExpectedSyntax;
use crate::check::Checker;
use crate::language::Feature;
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
    let place = CursorContext::find(&model.file.tree, offset);
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
    place: &'c CursorContext<'m>,
    /// What an item replaces.
    span: Span,
    out: Vec<Completion>,
}

impl<'m> Completer<'_, 'm> {
    fn add(&mut self, wanted: ExpectedSyntax<'m>) {
        match wanted {
            ExpectedSyntax::Declaration => self.declarations(),
            ExpectedSyntax::NestedResource(_) => self.nested_resource(),
            ExpectedSyntax::Type(place) => self.types(place),
            ExpectedSyntax::TypeMember(access) => self.type_members(access),
            ExpectedSyntax::TypeIndex(base) => self.type_index(base),
            ExpectedSyntax::TypeArgument(node, place) => self.type_argument(node, place),
            ExpectedSyntax::ResourceType(written) => self.resource_types(written),
            ExpectedSyntax::Words(words) => self.words(words),
            ExpectedSyntax::PropertyName { object, has_colon } => self.property_names(object, has_colon),
            ExpectedSyntax::Member(access) => self.members(access),
            ExpectedSyntax::Method(call) => self.methods(call.base()),
            ExpectedSyntax::NestedName(access) => self.nested_names(access),
            ExpectedSyntax::Index(access) => self.indexes(access),
            ExpectedSyntax::Value(place) => self.value_at(place),
            ExpectedSyntax::Symbols => self.expressions(),
            ExpectedSyntax::Body(statement) => self.body(statement),
            ExpectedSyntax::Decorator(decorator) => self.decorators(decorator),
            ExpectedSyntax::Path(kind, written) => self.paths(kind, written),
            ExpectedSyntax::ImportForm => self.import_forms(),
            ExpectedSyntax::ImportedName(import) => self.imported_names(import),
            ExpectedSyntax::ExtensionName => self.extension_names(),
            ExpectedSyntax::ParameterName => self.parameter_names(),
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
