//! The types of a file, kept for questions that come after the check: an editor asks about one place at a time.

use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};
use syntax::NodeId;

use super::{CheckHost, Checker, LOW_TREE, STACK};
use crate::symbols::{Model, SymbolId};
use crate::types::{Ty, TypeRef};

/// What is known of the types of a file when all of its declarations were looked at.
#[derive(Debug, Default)]
pub(crate) struct TypeTable {
    /// The types of expressions and declarations, by node.
    pub(super) types: Vec<Option<Ty>>,
    pub(super) declared: FxHashMap<SymbolId, Ty>,
    pub(super) aliases: FxHashMap<SymbolId, Ty>,
    pub(super) type_nodes: FxHashMap<NodeId, TypeRef>,
    pub(super) type_cycles: FxHashSet<SymbolId>,
    pub(super) nesting: FxHashMap<SymbolId, u32>,
}

/// Types all declarations of a file.
pub(crate) fn typed(model: &Model, around: &(dyn CheckHost + Sync)) -> TypeTable {
    let made = with_stack(model, || {
        let mut checker = Checker::new(model, around);
        checker.aliases();
        checker.names();
        checker.declarations();
        checker.params();
        checker.into_typed()
    });
    made.unwrap_or_default()
}

/// Asks a checker that knows the types of the file. Nothing that it finds is reported. Without a thread for a tree that
/// is too high for this one, there is no answer.
pub(crate) fn ask<T: Send>(
    model: &Model,
    around: &(dyn CheckHost + Sync),
    typed: &Arc<TypeTable>,
    question: impl FnOnce(&mut Checker<'_>) -> T + Send,
) -> Option<T> {
    with_stack(model, || {
        let mut checker = Checker::new(model, around);
        checker.declared.clone_from(&typed.declared);
        checker.aliases.clone_from(&typed.aliases);
        checker.type_cycles.clone_from(&typed.type_cycles);
        checker.nesting.clone_from(&typed.nesting);
        checker.known = Some(Arc::clone(typed));
        question(&mut checker)
    })
}

/// Asks a checker that works out what the question needs and nothing else.
pub(crate) fn ask_fresh<T: Send>(
    model: &Model,
    around: &(dyn CheckHost + Sync),
    question: impl FnOnce(&mut Checker<'_>) -> T + Send,
) -> Option<T> {
    with_stack(model, || {
        let mut checker = Checker::new(model, around);
        checker.aliases();
        question(&mut checker)
    })
}

/// Does something on a stack that is large enough for the tree of a file.
fn with_stack<T: Send>(model: &Model, work: impl FnOnce() -> T + Send) -> Option<T> {
    if model.file.tree.root().height() <= LOW_TREE {
        return Some(work());
    }
    std::thread::scope(|scope| {
        let job = std::thread::Builder::new().stack_size(STACK);
        job.spawn_scoped(scope, work).ok()?.join().ok()
    })
}

impl Checker<'_> {
    fn into_typed(self) -> TypeTable {
        TypeTable {
            types: self.types,
            declared: self.declared,
            aliases: self.aliases,
            type_nodes: self.type_nodes,
            type_cycles: self.type_cycles,
            nesting: self.nesting,
        }
    }
}
