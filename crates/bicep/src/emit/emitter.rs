//! What writing a template needs at hand: the file, the names, the expression under construction, and the text so far.

use std::sync::Arc;

use arm::template_text::{JsonLayout, Layered, TemplateWriter};
use rustc_hash::FxHashMap;
use syntax::ast::{AstNode as _, For};
use syntax::{NodeId, Span};

use super::arena::{Arena, ExprId};
use super::host::EmitHost;
use super::imports::SymbolNames;
use super::literals::KnownLiterals;
use super::unit::Unit;
use crate::codes;
use crate::finding::Finding;
use crate::symbols::{Model, SymbolId};
use crate::work::MAX_TEMPLATE;

/// How deep expressions may nest after everything is written out.
const MAX_DEPTH: usize = 1100;
/// How large one expression may become after everything is written out.
const MAX_NODES: usize = 1_000_000;

pub(crate) struct Emitter<'u> {
    pub(crate) host: &'u dyn EmitHost,
    pub(crate) unit: &'u Unit<'u>,
    pub(crate) names: &'u SymbolNames<'u>,
    /// The files that are imported from, by their models.
    units: FxHashMap<usize, &'u Unit<'u>>,
    main: &'u Unit<'u>,
    pub(crate) arena: Arena,
    /// What loop variables stand for where their loop is not around, the innermost last.
    pub(crate) locals: Vec<(SymbolId, ExprId)>,
    /// The name that loops go by instead of their own.
    pub(crate) copy_name: Option<String>,
    pub(crate) out: TemplateWriter<String>,
    /// The templates of modules, in the order of their holes in the text, and how deep each stands.
    pub(crate) embedded: Vec<(usize, Arc<Layered>)>,
    /// Whether the template became too large.
    is_full: bool,
    pub(crate) findings: Vec<Finding>,
    scratch: String,
    pub(super) depth: usize,
    /// The literals of declared types, each worked out once.
    pub(super) literals: KnownLiterals,
}

impl<'u> Emitter<'u> {
    pub(crate) fn new(
        host: &'u dyn EmitHost,
        unit: &'u Unit<'u>,
        units: &'u [Unit<'u>],
        names: &'u SymbolNames<'u>,
    ) -> Emitter<'u> {
        Emitter {
            host,
            unit,
            names,
            units: units.iter().map(|unit| (std::ptr::from_ref(unit.model).addr(), unit)).collect(),
            main: unit,
            arena: Arena::default(),
            locals: Vec::new(),
            copy_name: None,
            out: TemplateWriter::new(String::new(), JsonLayout::Indented),
            embedded: Vec::new(),
            is_full: false,
            findings: Vec::new(),
            scratch: String::new(),
            depth: 0,
            literals: KnownLiterals::default(),
        }
    }

    /// The file of a model, worked out.
    pub(crate) fn unit_of(&self, model: &Model) -> Option<&'u Unit<'u>> {
        if std::ptr::eq(self.main.model, model) {
            return Some(self.main);
        }
        self.units.get(&std::ptr::from_ref(model).addr()).copied()
    }

    /// Runs `body` as if inside another file.
    pub(crate) fn within<R>(&mut self, unit: &'u Unit<'u>, body: impl FnOnce(&mut Self) -> R) -> R {
        let outer = std::mem::replace(&mut self.unit, unit);
        let locals = std::mem::take(&mut self.locals);
        let result = body(self);
        self.unit = outer;
        self.locals = locals;
        result
    }

    /// Runs `body` one level deeper, unless that is too deep.
    pub(crate) fn deeper(&mut self, span: Span, body: impl FnOnce(&mut Self) -> ExprId) -> ExprId {
        if !self.has_room(span) {
            return self.arena.int(0);
        }
        self.depth += 1;
        let result = body(self);
        self.depth -= 1;
        result
    }

    /// Tells whether one more level can be written. If not, that is a finding, and nothing more is written.
    pub(crate) fn has_room(&mut self, span: Span) -> bool {
        if !self.is_full
            && (self.depth >= MAX_DEPTH
                || self.arena.len() > MAX_NODES
                || self.out.sink().len() > MAX_TEMPLATE)
        {
            self.is_full = true;
            self.too_large(span);
        }
        !self.is_full
    }

    pub(super) fn too_large(&mut self, span: Span) {
        if self.findings.is_empty() {
            self.findings.push(codes::EXPRESSION_TOO_LARGE.at(span, &[]));
        }
    }

    /// Forgets expressions that were written.
    pub(crate) fn done(&mut self) {
        if self.locals.is_empty() {
            self.arena.clear();
        }
    }

    /// Writes an expression as a value.
    pub(crate) fn expression(&mut self, id: ExprId) {
        if let Some(value) = self.arena.as_int(id) {
            return self.out.int(value);
        }
        self.string_expression(id);
    }

    /// Writes an expression as a string, even an integer.
    pub(crate) fn string_expression(&mut self, id: ExprId) {
        let mut scratch = std::mem::take(&mut self.scratch);
        scratch.clear();
        self.arena.print_string(id, &mut scratch);
        self.out.string(&scratch);
        self.scratch = scratch;
    }

    /// Writes the name of a member that an expression gives.
    pub(crate) fn key_expression(&mut self, id: ExprId) {
        let mut scratch = std::mem::take(&mut self.scratch);
        scratch.clear();
        self.arena.print_string(id, &mut scratch);
        self.key_escaped(&scratch);
        self.scratch = scratch;
    }

    /// Writes the name of a member of a value; `copy` would be an instruction and is spelled as an expression.
    pub(crate) fn key(&mut self, name: &str) {
        self.key_escaped(&arm::expression::escape_text(name));
    }

    fn key_escaped(&mut self, name: &str) {
        if name.eq_ignore_ascii_case("copy") {
            self.out.key(&format!("[string('{name}')]"))
        } else {
            self.out.key(name)
        }
    }

    /// Writes a member with a text that is not an expression.
    pub(crate) fn text_member(&mut self, name: &str, text: &str) {
        self.out.key(name);
        self.out.string(&arm::expression::escape_text(text));
    }

    /// A node of the file as a loop.
    pub(crate) fn loop_at(&self, node: NodeId) -> Option<For<'u>> {
        For::cast(self.unit.model.file.node(node))
    }
}
