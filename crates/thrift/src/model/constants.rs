//! Constants in the order they depend on each other, then the defaults of fields.

use super::data::{ConstId, ConstantValue};
use super::graph;
use super::names::Constant;
use super::resolve::Resolver;
use crate::idl::{self, ConstKind, ConstValue};
use crate::{Code, FileId};

/// How deep values may nest when the constants in them are written out.
const MAX_VALUE_DEPTH: usize = 256;

impl Resolver<'_> {
    pub(super) fn constants(&mut self) {
        let declared = std::mem::take(&mut self.declared.consts);
        for (id, tree) in &declared {
            let ty = self.type_node(self.model[*id].file, &tree.ty);
            if let Some(slot) = self.model.consts.get_mut(id.0 as usize) {
                slot.ty = ty;
            }
        }
        let edges: Vec<Vec<usize>> =
            declared.iter().map(|(id, tree)| self.constants_in(self.model[*id].file, &tree.value)).collect();
        let order = graph::order(&edges);
        for cycle in &order.cycles {
            let name = |at: usize| declared.get(at).map_or("", |(_, tree)| tree.name.text.as_str());
            let message = format!("constants are defined by each other: {}", graph::describe(cycle, name));
            if let Some((_, tree)) = cycle.last().and_then(|at| declared.get(*at)) {
                self.report(Code::ConstantCycle.at(tree.value.span, message));
            }
        }
        let mut depths: Vec<usize> = vec![0; edges.len()];
        for at in order.finished {
            // A constant on a cycle has no value; neither has what uses it, without a second complaint.
            if order.closes_cycle.get(at) == Some(&true) {
                continue;
            }
            let depth_below = edges
                .get(at)
                .into_iter()
                .flatten()
                .filter_map(|to| depths.get(*to))
                .max()
                .copied()
                .unwrap_or(0);
            let Some((id, tree)) = declared.get(at) else { continue };
            let depth = depth_below + nesting(&tree.value);
            if let Some(slot) = depths.get_mut(at) {
                *slot = depth;
            }
            self.constant(*id, tree, depth);
        }
        self.declared.consts = declared;
    }

    fn constant(&mut self, id: ConstId, tree: &idl::Const, depth: usize) {
        if depth > MAX_VALUE_DEPTH {
            let message = format!("the value is nested more than {MAX_VALUE_DEPTH} levels deep");
            self.report(Code::TooDeep.at(tree.value.span, message));
            return;
        }
        let (file, ty) = (self.model[id].file, self.model[id].ty);
        let value = self.value(file, &tree.value, ty);
        if let Some(slot) = self.model.consts.get_mut(id.0 as usize) {
            slot.value = value;
        }
    }

    /// The constants that a value mentions. What cannot be found is reported when the value is worked out.
    fn constants_in(&self, file: FileId, value: &ConstValue) -> Vec<usize> {
        let mut found = Vec::new();
        let mut todo = vec![value];
        while let Some(value) = todo.pop() {
            match &value.kind {
                ConstKind::Identifier(name) => {
                    let constant = self.names.constant(self.program, &self.model, file, name, value.span);
                    if let Ok(Constant::Const(id)) = constant {
                        found.push(id.0 as usize);
                    }
                }
                ConstKind::List(items) => todo.extend(items),
                ConstKind::Map(entries) => todo.extend(entries.iter().flat_map(|(key, value)| [key, value])),
                _ => {}
            }
        }
        found
    }

    pub(super) fn defaults(&mut self) {
        for (owner, at, tree) in std::mem::take(&mut self.declared.defaults) {
            let file = self.model[owner].file;
            let Some(ty) = self.model[owner].fields.get(at).map(|field| field.ty) else { continue };
            let value: Option<ConstantValue> = self.value(file, tree, ty);
            let fields = self.model.structs.get_mut(owner.0 as usize).map(|it| &mut it.fields);
            if let Some(field) = fields.and_then(|fields| fields.get_mut(at)) {
                field.default = value;
            }
        }
    }
}

/// How deep a written value nests; the parser bounds it.
fn nesting(value: &ConstValue) -> usize {
    match &value.kind {
        ConstKind::List(items) => 1 + items.iter().map(nesting).max().unwrap_or(0),
        ConstKind::Map(entries) => {
            1 + entries.iter().map(|(key, value)| nesting(key).max(nesting(value))).max().unwrap_or(0)
        }
        _ => 0,
    }
}
