//! `dependsOn`: the resources and modules that have to be there first.

use rustc_hash::FxHashSet;
use syntax::NodeId;
use syntax::ast::AstNode as _;
use syntax::ast::{Expr, Statement};

use super::arena::ExprId;
use super::collation;
use super::emitter::Emitter;
use super::references::Index;
use crate::layout::Dependency;
use crate::symbols::{SymbolId, SymbolKind};

/// How many variables and existing resources may lie between two declarations.
const MAX_PATH: usize = 400;

/// One entry of the list, as it is found.
struct DependencyEntry {
    key: String,
    target: SymbolId,
    index: Option<NodeId>,
    weak: bool,
    text: String,
}

/// The search for what a declaration depends on.
#[derive(Default)]
struct Search {
    entries: Vec<DependencyEntry>,
    seen: FxHashSet<(SymbolId, Option<NodeId>, bool, bool)>,
    path: Vec<SymbolId>,
}

impl Emitter<'_> {
    /// Writes the list for a resource or module, if it is not empty.
    pub(super) fn depends_on(&mut self, symbol: SymbolId) {
        let mut search = Search::default();
        for dependency in self.unit.dependencies.get(&symbol).into_iter().flatten() {
            self.follow(*dependency, true, &mut search);
        }
        let entries = distinct(search.entries);
        if entries.is_empty() {
            return;
        }
        self.out.key("dependsOn");
        self.out.begin_array();
        for entry in entries {
            self.out.string(&entry.text);
        }
        self.out.end_array();
        self.done();
    }

    /// Follows a mention to what is deployed; `by_copy` while every step so far picks its element by the own index.
    fn follow(&mut self, dependency: Dependency, by_copy: bool, search: &mut Search) {
        if search.path.len() > MAX_PATH || search.path.contains(&dependency.target) {
            return;
        }
        // Where loop variables stand for something else, the same mention means something else.
        let key = (dependency.target, dependency.index, dependency.weak, by_copy);
        if self.locals.is_empty() && !search.seen.insert(key) {
            return;
        }
        let model = self.unit.model;
        let each = match model.symbol(dependency.target).kind {
            SymbolKind::Resource => model.resource_of(dependency.target).and_then(|it| it.body.each),
            SymbolKind::Module => model.module_of(dependency.target).and_then(|it| it.body.each),
            _ => match model.statement_of(dependency.target) {
                Some(Statement::VariableDeclaration(variable)) => match variable.value() {
                    Expr::For(each) => Some(each.node().id()),
                    _ => None,
                },
                _ => None,
            },
        };
        let index = each.zip(dependency.index).and_then(|(each, index)| {
            let index = Expr::cast(model.file.node(index))?;
            Some(self.index_of(each, index))
        });
        let outer = self.locals.len();
        let by_own_index = index.as_ref().is_some_and(|index| self.arena.mentions(index.index, "copyIndex"));
        let mut picked = index.as_ref().map(|index| index.index);
        let mut target = dependency;
        if by_own_index && !by_copy {
            picked = None;
            target.index = None;
        }
        if let Some(Index { locals, .. }) = index {
            self.locals.extend(locals);
        }
        if self.is_deployed(dependency) {
            self.entry(target, picked, search);
        } else {
            search.path.push(dependency.target);
            for next in self.unit.dependencies.get(&dependency.target).into_iter().flatten() {
                self.follow(*next, by_copy && by_own_index, search);
            }
            search.path.pop();
        }
        self.locals.truncate(outer);
    }

    /// Tells whether a mention ends at something that the template deploys, or names as existing.
    fn is_deployed(&self, dependency: Dependency) -> bool {
        let model = self.unit.model;
        match model.symbol(dependency.target).kind {
            SymbolKind::Module => true,
            SymbolKind::Resource => model.resource_of(dependency.target).is_some_and(|resource| {
                !resource.is_existing || self.unit.settings.symbolic && !dependency.weak
            }),
            _ => false,
        }
    }

    fn entry(&mut self, target: Dependency, index: Option<ExprId>, search: &mut Search) {
        let model = self.unit.model;
        let symbolic = self.unit.settings.symbolic;
        let (key, expression) = match model.resource_id(target.target) {
            Some(id) => {
                let key = self.symbolic_name(id);
                let whole = model.resource(id).body.is_collection() && index.is_none();
                let expression = if symbolic || whole {
                    self.symbolic_name_reference(&key, index)
                } else {
                    self.resource_id_expression(id)
                };
                (key, expression)
            }
            None => {
                let key = model.symbol(target.target).name.to_string();
                let is_collection = model.module_of(target.target).is_some_and(|it| it.body.is_collection());
                let expression = if symbolic || is_collection && index.is_none() {
                    self.symbolic_name_reference(&key, index)
                } else {
                    self.module_id_expression(target.target, index)
                };
                (key, expression)
            }
        };
        let mut text = String::new();
        self.arena.print_string(expression, &mut text);
        search.entries.push(DependencyEntry {
            key,
            target: target.target,
            index: target.index,
            weak: target.weak,
            text,
        });
    }
}

/// Each target once: a whole collection stands for its elements, and elements count by where they are written.
fn distinct(entries: Vec<DependencyEntry>) -> Vec<DependencyEntry> {
    let whole: FxHashSet<SymbolId> =
        entries.iter().filter(|it| it.index.is_none()).map(|it| it.target).collect();
    let mut seen = FxHashSet::default();
    let mut groups: Vec<(SymbolId, Vec<DependencyEntry>)> = Vec::new();
    for entry in entries {
        if whole.contains(&entry.target) && entry.index.is_some() {
            continue;
        }
        let weak = entry.weak && entry.index.is_some();
        if !seen.insert((entry.target, entry.index, weak)) {
            continue;
        }
        match groups.iter_mut().find(|(target, _)| *target == entry.target) {
            Some((_, group)) => group.push(entry),
            None => groups.push((entry.target, vec![entry])),
        }
    }
    let mut entries: Vec<DependencyEntry> = groups.into_iter().flat_map(|(_, group)| group).collect();
    entries.sort_by(|a, b| collation::compare(&a.key, &b.key));
    entries
}
