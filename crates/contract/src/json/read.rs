//! A contract in JSON to shapes.

mod operands;
mod references;

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use diagnostics::Span;

use crate::flaw::{self, Flaw, FlawCode};
use crate::format::Format;
use crate::operand::Operand;
use crate::pattern::{Pattern, PatternSyntax};
use crate::rules::{Custom, Dependent, Presence, Rule, Test, size};
use crate::shape::{Additional, Definitions, Form, Property, Shape};
use value::Constant;
use value::{Kinds, ValueKind};
use value::{Node, View};

use super::dialect::{SchemaDialect, identifier_word, is_of_standard};
use super::draft::Draft;
use super::resources::{DynamicScope, Resources, resolve, text};
use super::unevaluated::{self, Unevaluated};
use super::words::{ContractWord, Facet, RangeEnd, TYPES, WORDS, word};

/// How deep a constant in a contract may nest.
const CONSTANT_DEPTH: usize = 64;

/// Reads the shapes that a document describes.
pub fn read<'v, V: View<'v>>(document: V) -> Result<(Shape, Definitions), Vec<Flaw>> {
    read_at(document, document)
}

/// Reads the shapes that a part of a document describes; references are to the whole document.
pub fn read_at<'v, V: View<'v>>(document: V, part: V) -> Result<(Shape, Definitions), Vec<Flaw>> {
    read_linked(document, part, &[])
}

/// The same with other documents that references may lead to, each with its address.
pub fn read_linked<'v, V: View<'v>>(
    document: V,
    part: V,
    others: &[(String, V)],
) -> Result<(Shape, Definitions), Vec<Flaw>> {
    let dialect = SchemaDialect::of(document);
    let word = identifier_word(document);
    let address = text(document, word).map(|id| resolve(ROOT, id)).unwrap_or_else(|| ROOT.to_owned());
    let address = address.split('#').next().unwrap_or_default().to_owned();
    let mut documents = vec![(address.clone(), document)];
    if address != ROOT {
        documents.push((ROOT.to_owned(), document));
    }
    documents.extend(others.iter().cloned());
    let resources = Resources::new(&documents, word, dialect == SchemaDialect::OlderStandard);
    let scope = resources.entered(&DynamicScope::new(), &address);
    let mut reader = ContractReader {
        dialect,
        resources,
        base: address,
        scope,
        unevaluated: Vec::new(),
        names: HashMap::new(),
        used: HashSet::new(),
        queue: Vec::new(),
        referred: HashSet::new(),
        ends: HashSet::new(),
        written: Vec::new(),
        flaws: Vec::new(),
        depth: 0,
    };
    let mut root = reader.shape(part);
    let mut definitions = Definitions::new();
    loop {
        while let Some((name, value, base, scope)) = reader.queue.pop() {
            (reader.base, reader.scope) = (base, scope);
            let shape = reader.shape(value);
            definitions.insert(name, shape);
        }
        // What nobody refers to is a part of a contract, and may be wrong, too; the standard does not look at it.
        if reader.dialect != SchemaDialect::Strict || !reader.take_unused() {
            break;
        }
    }
    unevaluated::replace(&mut root, &mut definitions, &reader.unevaluated, &mut reader.flaws);
    if reader.flaws.is_empty() {
        return Ok((root, definitions));
    }
    flaw::in_written_order(&mut reader.flaws);
    Err(reader.flaws)
}

/// The address of a document that has none.
const ROOT: &str = "contract:";

/// The words that refer to another shape.
#[derive(Clone, Copy, PartialEq, Eq)]
enum ReferenceWord {
    /// `$ref`: where it leads depends on the place of the word alone.
    Static,
    /// `$dynamicRef`: to the outermost resource on the way here with that anchor.
    Dynamic,
    /// `$recursiveRef`, which was `$dynamicRef` before 2020-12.
    Recursive,
}

struct ContractReader<'v, V> {
    dialect: SchemaDialect,
    resources: Resources<'v, V>,
    /// The address of the resource that is read.
    base: String,
    /// The outermost resources with dynamic anchors on the way here.
    scope: DynamicScope,
    /// What the words about unevaluated parts say, by the numbers of their marks.
    unevaluated: Vec<Unevaluated>,
    /// The definition that each reference stands for, by what leads to it.
    names: HashMap<(String, String, DynamicScope), Arc<str>>,
    /// The names of definitions that are taken.
    used: HashSet<Arc<str>>,
    /// Definitions that are referred to and not read yet.
    queue: Vec<(Arc<str>, V, String, DynamicScope)>,
    /// Where the shapes stand that references lead to, if they have places.
    referred: HashSet<Span>,
    /// The last two steps of references: most are `$defs` and a name.
    ends: HashSet<(&'v str, String)>,
    /// Definitions as they are written.
    written: Vec<WrittenDefinition<'v, V>>,
    flaws: Vec<Flaw>,
    depth: u32,
}

/// A definition where it is written, which references may lead to.
struct WrittenDefinition<'v, V> {
    /// The word that it stands under.
    word: &'static str,
    name: &'v str,
    shape: V,
    base: String,
    scope: DynamicScope,
}

impl<'v, V: View<'v>> ContractReader<'v, V> {
    /// How deep shapes may nest; the compiler has the same bound.
    const DEEPEST: u32 = 256;

    fn bad(&mut self, place: Option<Span>, message: impl Into<String>) {
        self.flaws.push(Flaw::new(FlawCode::BadKeyword, message).at(place));
    }

    fn shape(&mut self, value: V) -> Shape {
        let form = match value.node() {
            Node::Bool(true) => Form::Any,
            Node::Bool(false) => Form::Never,
            Node::Object(_) if self.depth < Self::DEEPEST => {
                self.depth += 1;
                let shape = self.words(value);
                self.depth -= 1;
                return shape;
            }
            Node::Object(_) => {
                let message = format!("shapes nest deeper than {} levels", Self::DEEPEST);
                self.flaws.push(Flaw::new(FlawCode::TooDeep, message).at(value.place()));
                Form::Any
            }
            other => {
                let message = format!("a shape is an object, `true` or `false`, found {}", other.kind());
                self.bad(value.place(), message);
                Form::Any
            }
        };
        Shape::new(form).at(value.place())
    }

    /// Whether the document is read as the standard says.
    fn is_lenient(&self) -> bool {
        self.dialect != SchemaDialect::Strict
    }

    fn words(&mut self, value: V) -> Shape {
        let older = self.dialect == SchemaDialect::OlderStandard;
        let rules_out = older && value.member("$ref").is_some();
        // What has an address of its own is another resource. What a reference leads to is read from inside of it already.
        let address =
            if self.depth > 1 { self.resources.inside(&self.base, value) } else { self.base.clone() };
        let outer = (address != self.base).then(|| {
            let scope = self.resources.entered(&self.scope, &address);
            (std::mem::replace(&mut self.base, address), std::mem::replace(&mut self.scope, scope))
        });
        let shape = self.own_words(value, rules_out);
        if let Some((base, scope)) = outer {
            (self.base, self.scope) = (base, scope);
        }
        shape
    }

    fn own_words(&mut self, value: V, rules_out: bool) -> Shape {
        let mut draft = Draft::at(value.place());
        draft.lenient = self.is_lenient();
        let mut discriminator = None;
        let mut marked = Unevaluated::default();
        for (key, value) in value.members() {
            let Node::Text(name) = key.node() else { continue };
            if rules_out && name != "$ref" {
                continue;
            }
            match word(name) {
                Some((_, ContractWord::Unevaluated(kind))) => {
                    let shape = self.shape(value);
                    match kind {
                        ValueKind::Object => marked.properties = Some(shape),
                        _ => marked.items = Some(shape),
                    }
                }
                // It speaks of alternatives that may be written below it.
                Some((_, ContractWord::Discriminator)) => discriminator = Some(value),
                Some((name, word)) if !self.is_lenient() || is_of_standard(name) => {
                    self.word(&mut draft, name, *word, value);
                }
                None if name.starts_with("x-") => {}
                _ if self.is_lenient() => {}
                Some(_) => {}
                None => self.unknown(name, key.place().or(value.place())),
            }
        }
        if let Some(discriminator) = discriminator {
            draft.rare().discriminator = self.discriminator(discriminator, &draft);
        }
        if !self.is_lenient() {
            self.undeclared(&draft);
            self.idle_parts(&draft, value);
        }
        if marked.properties.is_some() || marked.items.is_some() {
            let id = u32::try_from(self.unevaluated.len()).unwrap_or(u32::MAX);
            let custom = Custom { name: unevaluated::MARK.into(), id, arguments: Vec::new() };
            draft.rules.push(Rule { place: value.place(), ..Rule::from(Test::Custom(custom)) });
            self.unevaluated.push(marked);
        }
        draft.finish(&mut self.flaws)
    }

    fn unknown(&mut self, name: &str, place: Option<Span>) {
        let mut flaw =
            Flaw::new(FlawCode::UnknownKeyword, format!("`{name}` is not a word of a contract")).at(place);
        let nearest = diagnostics::suggest(name, WORDS.iter().map(|(name, _)| *name));
        flaw.hint = Some(match nearest {
            Some(near) => format!("did you mean `{near}`?"),
            None => "begin the name with `x-` to say something that contracts do not check".to_owned(),
        });
        self.flaws.push(flaw);
    }

    /// Reports required properties that a closed object does not have.
    fn undeclared(&mut self, draft: &Draft<'v>) {
        if draft.additional != Some(Additional::Closed) {
            return;
        }
        let declared = draft.properties.as_deref().unwrap_or_default();
        let index = draft.index(declared, draft.required.len());
        for (name, place) in &draft.required {
            let is_declared = match &index {
                Some(index) => index.get(name.as_bytes()).is_some(),
                None => declared.iter().any(|property| *property.name == **name),
            };
            let known =
                is_declared || draft.patterns().iter().any(|(pattern, _)| pattern.is_match(name.as_bytes()));
            if !known {
                let message =
                    format!("the property `{name}` is required, but no property of that name is allowed");
                self.flaws.push(Flaw::new(FlawCode::Unsatisfiable, message).at(*place));
            }
        }
    }

    /// Reports words about parts that no accepted value has.
    fn idle_parts(&mut self, draft: &Draft<'v>, shape: V) {
        let Some(found) = draft.types.filter(|types| !types.is_empty()) else { return };
        if draft.parts.without(found).is_empty() {
            return;
        }
        for (key, value) in shape.members() {
            let Node::Text(name) = key.node() else { continue };
            let Some((_, ContractWord::Facet(facet))) = word(name) else { continue };
            let spoken_of = facet.parts_of();
            if let Some(kind) = spoken_of.filter(|kind| !found.contains(*kind)) {
                let message = format!("`{name}` says nothing about {found}: it is for {kind}");
                self.flaws.push(Flaw::new(FlawCode::NeverApplies, message).at(value.place()));
            }
        }
    }

    fn word(&mut self, draft: &mut Draft<'v>, name: &'static str, word: ContractWord, value: V) {
        let place = value.place();
        let test = match word {
            ContractWord::Compare(test) => Some(test(self.operand(value))),
            ContractWord::Length(unit, test) => Some(test(unit, self.operand(value))),
            // Nothing is one of none.
            ContractWord::List(_) if self.is_lenient() && len(value) == 0 => {
                Some(Test::Not(Box::new(Shape::any())))
            }
            ContractWord::List(test) if self.is_lenient() => {
                let constants: Vec<Operand> =
                    value.items().filter_map(|item| self.constant(item)).map(Operand::Constant).collect();
                Some(test(constants))
            }
            ContractWord::List(test) => self.operands(name, value).map(test),
            ContractWord::Exclusive(bound, test) => match value.node() {
                Node::Bool(exclude) => {
                    match bound {
                        RangeEnd::Least => draft.exclusive.0 = exclude,
                        RangeEnd::Most => draft.exclusive.1 = exclude,
                    }
                    None
                }
                _ => Some(test(self.operand(value))),
            },
            ContractWord::Pattern(dialect) => self.pattern(name, value, dialect).map(Test::Pattern),
            ContractWord::Shape(test) => Some(test(Box::new(self.shape(value)))),
            ContractWord::Const => self.constant(value).map(Test::Constant),
            ContractWord::Format => {
                let format = self.format(value);
                if let (None, true, Node::Text(name)) = (format, self.is_lenient(), value.node()) {
                    draft.notes.get_or_insert_default().unchecked_format = Some(name.into());
                }
                format.map(Test::Format)
            }
            ContractWord::Unique => match self.flag(name, value) {
                Some(true) => Some(Test::Unique(())),
                _ => None,
            },
            ContractWord::DependentRequired => return self.dependent(draft, name, value, Presence::Requires),
            ContractWord::DependentExcluded => return self.dependent(draft, name, value, Presence::Excludes),
            ContractWord::DependentSchemas => return self.dependent_shapes(draft, name, value),
            ContractWord::Dependencies => {
                for (property, others) in self.members(name, value) {
                    match others.node() {
                        Node::List(_) => self.dependent_on(draft, name, property, others, Presence::Requires),
                        _ => self.dependent_shape(draft, property, others),
                    }
                }
                return;
            }
            ContractWord::AnyRequired => {
                self.names(name, value).map(|names| Test::Presence(Presence::AnyOf(names)))
            }
            ContractWord::OneRequired => {
                self.names(name, value).map(|names| Test::Presence(Presence::OneOf(names)))
            }
            ContractWord::Custom => return self.custom(draft, value),
            ContractWord::Facet(facet) => return self.facet(draft, name, facet, value),
            // The one who reads the shape has taken the discriminator.
            ContractWord::Discriminator | ContractWord::Unevaluated(_) | ContractWord::Remark => None,
        };
        if let Some(test) = test {
            let spelling = (test.info().name != name).then(|| name.into());
            // Most shapes have one rule or two.
            if draft.rules.len() < 2 {
                draft.rules.reserve_exact(1);
            }
            draft.rules.push(Rule { spelling, place, ..Rule::from(test) });
        }
    }

    /// Words that say what a shape is rather than what must hold.
    fn facet(&mut self, draft: &mut Draft<'v>, name: &'static str, facet: Facet, value: V) {
        if let Some(kind) = facet.parts_of() {
            draft.parts = draft.parts | kind.into();
        }
        match facet {
            Facet::Type => draft.types = self.types(value),
            Facet::Nullable => draft.nullable = self.flag(name, value).unwrap_or_default(),
            Facet::Secret => draft.secret = self.flag(name, value).unwrap_or_default(),
            Facet::Default if self.is_lenient() => {
                draft.notes.get_or_insert_default().default = Constant::copy(value, CONSTANT_DEPTH);
            }
            Facet::Examples if self.is_lenient() => {}
            // Nothing is wrong with other words here: they say nothing.
            Facet::Deprecated if matches!(value.node(), Node::Bool(true)) => {
                draft.notes.get_or_insert_default().deprecated = true;
            }
            Facet::ReadOnly if matches!(value.node(), Node::Bool(true)) => {
                draft.notes.get_or_insert_default().read_only = true;
            }
            Facet::Deprecated | Facet::ReadOnly => {}
            Facet::Default => draft.rare().default = self.constant(value).map(Box::new),
            Facet::Example => {
                let example = self.constant(value);
                draft.rare().examples.extend(example);
            }
            Facet::Examples => match value.node() {
                Node::List(_) => {
                    let examples: Vec<Constant> =
                        value.items().filter_map(|item| self.constant(item)).collect();
                    draft.rare().examples.extend(examples);
                }
                other => self.bad(value.place(), format!("`examples` is a list, found {}", other.kind())),
            },
            Facet::Title => draft.title = self.text(name, value).map(Into::into),
            Facet::Description => draft.description = self.text(name, value).map(Into::into),
            Facet::Messages => {
                for (key, message) in self.members(name, value) {
                    if let Some(text) = self.text(name, message) {
                        draft.rare().messages.push((key.into(), text.into(), message.place()));
                    }
                }
            }
            Facet::Properties => {
                let mut properties = Vec::with_capacity(len(value));
                for (name, value) in self.members(name, value) {
                    let shape = self.shape(value);
                    properties.push(Property { place: value.place(), ..Property::optional(name, shape) });
                }
                draft.properties = Some(properties);
            }
            Facet::Required => match value.node() {
                Node::List(len) => {
                    draft.required.reserve_exact(len);
                    for item in value.items() {
                        match item.node() {
                            Node::Text(name) => draft.required.push((name, item.place())),
                            other => self
                                .bad(item.place(), format!("`required` lists names, found {}", other.kind())),
                        }
                    }
                }
                other => self
                    .bad(value.place(), format!("`required` needs a list of names, found {}", other.kind())),
            },
            Facet::Additional => {
                draft.additional = Some(match value.node() {
                    // It evaluates all members.
                    Node::Bool(true) if self.is_lenient() => {
                        Additional::Shape(Box::new(unevaluated::written_any()))
                    }
                    Node::Bool(true) => Additional::Open,
                    Node::Bool(false) => Additional::Closed,
                    _ => Additional::Shape(Box::new(self.shape(value))),
                });
            }
            Facet::PatternProperties => {
                for (pattern, shape) in self.members(name, value) {
                    let read = self.pattern_text(name, pattern, shape.place(), PatternSyntax::Ecma);
                    let shape = self.shape(shape);
                    draft.rare().patterns.extend(read.map(|pattern| (pattern, shape)));
                }
            }
            Facet::Items if matches!(value.node(), Node::List(_)) => {
                draft.rare().items_listed = true;
                draft.rare().prefix = self.shapes(name, value);
            }
            Facet::Items => draft.items = Some(Box::new(self.shape(value))),
            Facet::AdditionalItems => draft.rare().additional_items = Some(Box::new(self.shape(value))),
            Facet::PrefixItems => draft.rare().prefix = self.shapes(name, value),
            Facet::AnyOf => draft.rare().any_of = self.shapes(name, value),
            Facet::OneOf => draft.rare().one_of = self.shapes(name, value),
            Facet::AllOf => draft.rare().all_of = self.shapes(name, value),
            Facet::If => draft.rare().condition = Some((self.shape(value), value.place())),
            Facet::Then => draft.rare().then = Some(self.shape(value)),
            Facet::Else => draft.rare().otherwise = Some(self.shape(value)),
            Facet::Contains => draft.rare().contains = Some((self.shape(value), value.place())),
            Facet::MinContains => {
                draft.rare().least_contained = self.count(name, value).zip(Some(value.place()));
            }
            Facet::MaxContains => {
                draft.rare().most_contained = self.count(name, value).zip(Some(value.place()));
            }
            Facet::Ref => draft.reference = self.reference(value, ReferenceWord::Static),
            Facet::DynamicRef => draft.dynamic = self.reference(value, ReferenceWord::Dynamic),
            Facet::RecursiveRef => draft.dynamic = self.reference(value, ReferenceWord::Recursive),
            // Read when they are referred to, or at the end.
            Facet::Definitions => {
                let members = self.members(name, value);
                let (base, scope) = (&self.base, &self.scope);
                let written = members.into_iter().map(|(key, shape)| WrittenDefinition {
                    word: name,
                    name: key,
                    shape,
                    base: base.clone(),
                    scope: scope.clone(),
                });
                self.written.extend(written);
            }
        }
    }

    fn types(&mut self, value: V) -> Option<Kinds> {
        let mut kinds = Kinds::NONE;
        let (one, several) = match value.node() {
            Node::List(_) => (None, Some(value.items())),
            _ => (Some(value), None),
        };
        for item in one.into_iter().chain(several.into_iter().flatten()) {
            let found = match item.node() {
                Node::Text(name) => ValueKind::ALL.into_iter().find(|kind| kind.name() == name),
                _ => None,
            };
            match (found, item.node()) {
                (Some(kind), _) => kinds = kinds | kind.into(),
                (None, node) => {
                    let mut flaw = Flaw::new(
                        FlawCode::BadKeyword,
                        format!(
                            "`type` is one of {}, found {}",
                            TYPES.join(", "),
                            value::show::node_text(node)
                        ),
                    )
                    .at(item.place());
                    if let Node::Text(name) = node {
                        let near = diagnostics::suggest(name, TYPES.iter().copied());
                        flaw.hint = near.map(|near| format!("did you mean `{near}`?"));
                    }
                    self.flaws.push(flaw);
                }
            }
        }
        Some(kinds)
    }

    fn flag(&mut self, name: &str, value: V) -> Option<bool> {
        match value.node() {
            Node::Bool(flag) => Some(flag),
            other => {
                self.bad(value.place(), format!("`{name}` needs `true` or `false`, found {}", other.kind()));
                None
            }
        }
    }

    /// A number of elements, which may be written with a fraction that is none.
    fn count(&mut self, name: &str, value: V) -> Option<usize> {
        let count = size(value.node()).filter(|count| *count >= 0);
        if count.is_none() {
            let found = value::show::node_text(value.node());
            self.bad(
                value.place(),
                format!("`{name}` needs a whole number that is not negative, found {found}"),
            );
        }
        // No list is longer than memory.
        Some(usize::try_from(count?).unwrap_or(usize::MAX))
    }

    fn text(&mut self, name: &str, value: V) -> Option<&'v str> {
        match value.node() {
            Node::Text(text) => Some(text),
            other => {
                self.bad(value.place(), format!("`{name}` needs a string, found {}", other.kind()));
                None
            }
        }
    }

    fn members(&mut self, name: &str, value: V) -> impl Iterator<Item = (&'v str, V)> + use<'v, V> {
        if !matches!(value.node(), Node::Object(_)) {
            self.bad(value.place(), format!("`{name}` needs an object, found {}", value.node().kind()));
        }
        value.members().filter_map(|(key, value)| match key.node() {
            Node::Text(name) => Some((name, value)),
            _ => None,
        })
    }

    fn names(&mut self, name: &str, value: V) -> Option<Vec<Box<str>>> {
        let names: Option<Vec<Box<str>>> = match value.node() {
            Node::List(_) => value
                .items()
                .map(|item| match item.node() {
                    Node::Text(name) => Some(name.into()),
                    _ => None,
                })
                .collect(),
            _ => None,
        };
        if names.is_none() {
            self.bad(value.place(), format!("`{name}` needs a list of names"));
        }
        names
    }

    fn shapes(&mut self, name: &str, value: V) -> Option<Vec<Shape>> {
        match value.node() {
            Node::List(count @ 1..) => {
                let mut shapes = Vec::with_capacity(count);
                shapes.extend(value.items().map(|item| self.shape(item)));
                Some(shapes)
            }
            Node::List(_) => {
                self.bad(value.place(), format!("`{name}` needs at least one shape"));
                None
            }
            other => {
                self.bad(value.place(), format!("`{name}` needs a list of shapes, found {}", other.kind()));
                None
            }
        }
    }

    fn constant(&mut self, value: V) -> Option<Constant> {
        let constant = Constant::copy(value, CONSTANT_DEPTH);
        if constant.is_none() {
            self.bad(value.place(), format!("a constant nests deeper than {CONSTANT_DEPTH} levels"));
        }
        constant
    }

    fn pattern(&mut self, name: &str, value: V, dialect: PatternSyntax) -> Option<Pattern> {
        let text = self.text(name, value)?;
        self.pattern_text(name, text, value.place(), dialect)
    }

    fn pattern_text(
        &mut self,
        name: &str,
        text: &str,
        place: Option<Span>,
        dialect: PatternSyntax,
    ) -> Option<Pattern> {
        match Pattern::new(dialect, text) {
            Ok(pattern) => Some(pattern),
            Err(error) => {
                let message = format!(
                    "`{name}`: `{text}` is not a pattern: {} at offset {}",
                    error.message, error.offset
                );
                let mut flaw = Flaw::new(FlawCode::BadPattern, message).at(place);
                flaw.hint = error.hint;
                self.flaws.push(flaw);
                None
            }
        }
    }

    fn format(&mut self, value: V) -> Option<Format> {
        let name = self.text("format", value)?;
        let format = Format::parse(name);
        if format.is_none() && !self.is_lenient() {
            let known = || Format::ALL.iter().map(|format| format.name());
            let mut flaw =
                Flaw::new(FlawCode::BadKeyword, format!("there is no format `{name}`")).at(value.place());
            flaw.hint = Some(match diagnostics::suggest(name, known()) {
                Some(near) => format!("did you mean `{near}`?"),
                None => format!("formats are {}", known().collect::<Vec<_>>().join(", ")),
            });
            self.flaws.push(flaw);
        }
        format
    }

    fn dependent(
        &mut self,
        draft: &mut Draft<'v>,
        name: &'static str,
        value: V,
        presence: fn(Box<str>, Vec<Box<str>>) -> Presence,
    ) {
        for (property, others) in self.members(name, value) {
            self.dependent_on(draft, name, property, others, presence);
        }
    }

    fn dependent_on(
        &mut self,
        draft: &mut Draft<'v>,
        name: &'static str,
        property: &str,
        others: V,
        presence: fn(Box<str>, Vec<Box<str>>) -> Presence,
    ) {
        if let Some(others_named) = self.names(name, others) {
            let test = Test::Presence(presence(property.into(), others_named));
            let spelling = Some(name.into());
            draft.rules.push(Rule { spelling, place: others.place(), ..Rule::from(test) });
        }
    }

    fn dependent_shapes(&mut self, draft: &mut Draft<'v>, name: &'static str, value: V) {
        for (property, shape) in self.members(name, value) {
            self.dependent_shape(draft, property, shape);
        }
    }

    fn dependent_shape(&mut self, draft: &mut Draft<'v>, property: &str, shape: V) {
        let dependent = Dependent { property: property.into(), shape: self.shape(shape) };
        let rule = Rule::from(Test::Dependent(Box::new(dependent)));
        draft.rules.push(Rule { place: shape.place(), ..rule });
    }

    /// Custom rules: an object from names to lists of arguments.
    fn custom(&mut self, draft: &mut Draft<'v>, value: V) {
        for (name, arguments) in self.members("custom", value) {
            let arguments_place = arguments.place();
            if let Some(arguments) = self.operands(name, arguments) {
                let test = Test::Custom(Custom { name: name.into(), id: 0, arguments });
                let spelling = Some(name.to_owned().into());
                draft.rules.push(Rule { spelling, place: arguments_place, ..Rule::from(test) });
            }
        }
    }
}

/// How many parts a value has.
fn len<'v, V: View<'v>>(value: V) -> usize {
    match value.node() {
        Node::Object(len) | Node::List(len) => len,
        _ => 0,
    }
}
