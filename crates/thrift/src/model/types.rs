//! Types, typedefs and enums.

use std::collections::HashMap;

use super::data::{EnumMember, Type, TypeId, TypeNode};
use super::graph;
use super::names::Symbol;
use super::resolve::Resolver;
use crate::idl::{BaseType, MAX_DEPTH, TypeKind, TypeRef};
use crate::{Code, FileId, Span};

/// How deep typedefs lead.
struct Depths {
    /// How deep each nests when typedefs are written out.
    nesting: Vec<usize>,
    /// How many typedefs stand between each and a type that is none.
    chain: Vec<usize>,
}

impl Resolver<'_> {
    /// Resolves a type as written in a file.
    pub(super) fn type_node(&mut self, file: FileId, written: &TypeRef) -> TypeId {
        let node = self.resolve_type(file, written);
        self.model.add_type(node)
    }

    fn resolve_type(&mut self, file: FileId, written: &TypeRef) -> TypeNode {
        // Recursion is bounded: the parser bounds the depth of a written type.
        let ty = match &written.kind {
            TypeKind::Base(BaseType::Uuid) => self.uuid(file),
            TypeKind::Base(base) => base_type(*base),
            TypeKind::Named(name) => self.named_type(file, name, written.span),
            TypeKind::List(element) => Type::List(self.type_node(file, element)),
            TypeKind::Set(element) => Type::Set(self.type_node(file, element)),
            TypeKind::Map(key, value) => Type::Map(self.type_node(file, key), self.type_node(file, value)),
            TypeKind::Error => Type::Error,
        };
        TypeNode {
            ty,
            annotations: written.annotations.clone(),
            cpp_type: written.cpp_type.clone(),
            span: written.span,
        }
    }

    /// `uuid` is a base type for the newer compilers and a free name for the others.
    fn uuid(&self, file: FileId) -> Type {
        match self.names.scope(file).and_then(|scope| scope.symbols.get("uuid")) {
            Some((symbol, _)) => symbol_type(*symbol).unwrap_or(Type::Uuid),
            None => Type::Uuid,
        }
    }

    fn named_type(&mut self, file: FileId, name: &str, span: Span) -> Type {
        match self.names.symbol(self.program, file, name, span, Code::UnknownType) {
            Ok((symbol, defined)) => symbol_type(symbol).unwrap_or_else(|| {
                let message = format!("`{name}` is a service, not a type");
                let diagnostic = Code::NotAType.at(span, message);
                self.report(diagnostic.label(defined, "defined here"));
                Type::Error
            }),
            Err(mut diagnostic) => {
                let constant = self.names.scope(file).and_then(|scope| scope.consts.get(name)).copied();
                if let Some((_, defined)) = constant {
                    let message = format!("`{name}` is a constant, not a type");
                    *diagnostic = Code::NotAType.at(span, message).label(defined, "defined here");
                }
                self.report(*diagnostic);
                Type::Error
            }
        }
    }

    pub(super) fn typedefs(&mut self) {
        let declared = std::mem::take(&mut self.declared.typedefs);
        for (id, tree) in &declared {
            let file = self.model[*id].file;
            let target = self.model[*id].target;
            let node = self.resolve_type(file, &tree.ty);
            if let Some(slot) = self.model.types.get_mut(target.0 as usize) {
                *slot = node;
            }
        }
        let edges: Vec<Vec<usize>> =
            self.model.typedefs.iter().map(|it| self.typedefs_in(it.target)).collect();
        let order = graph::order(&edges);
        for cycle in &order.cycles {
            let name = |at: usize| self.model.typedefs.get(at).map_or("", |it| it.name.text.as_str());
            let message = format!("typedefs stand for each other: {}", graph::describe(cycle, name));
            let Some(last) = cycle.last().and_then(|at| self.model.typedefs.get(*at)) else { continue };
            let diagnostic = Code::TypedefCycle.at(last.name.span, message);
            self.report(diagnostic.help("a typedef must lead to a type that is not a typedef"));
        }
        let mut depths = Depths { nesting: vec![0; edges.len()], chain: vec![0; edges.len()] };
        for at in order.finished {
            let closes = order.closes_cycle.get(at).copied().unwrap_or(false);
            self.finish_typedef(at, closes, &mut depths);
        }
        self.declared.typedefs = declared;
    }

    /// Sets where a typedef ends, once those it mentions are finished.
    fn finish_typedef(&mut self, at: usize, closes_cycle: bool, depths: &mut Depths) {
        let Some((target, span)) = self.model.typedefs.get(at).map(|it| (it.target, it.name.span)) else {
            return;
        };
        let depth = self.depth(target, &depths.nesting);
        let chain = match self.model[target].ty {
            Type::Typedef(inner) => depths.chain.get(inner.0 as usize).map_or(0, |length| length + 1),
            _ => 0,
        };
        if depth > MAX_DEPTH {
            let message = format!("the type is nested more than {MAX_DEPTH} levels deep");
            self.report(Code::TooDeep.at(span, message));
        } else if chain > MAX_DEPTH {
            let message = format!("more than {MAX_DEPTH} typedefs stand for each other in a row");
            self.report(Code::TooDeep.at(span, message));
        }
        let too_deep = depth > MAX_DEPTH || chain > MAX_DEPTH;
        if (too_deep || closes_cycle)
            && let Some(node) = self.model.types.get_mut(target.0 as usize)
        {
            node.ty = Type::Error;
        }
        // What the target leads to is finished already, so one step is enough.
        let real = match self.model[target].ty {
            Type::Typedef(inner) => self.model[inner].real,
            _ => target,
        };
        let depth = self.depth(real, &depths.nesting).min(MAX_DEPTH + 1);
        if let (Some(nesting), Some(length)) = (depths.nesting.get_mut(at), depths.chain.get_mut(at)) {
            *nesting = depth;
            *length = if too_deep { 0 } else { chain };
        }
        if let Some(typedef) = self.model.typedefs.get_mut(at) {
            typedef.real = real;
        }
    }

    /// The typedefs that a written type mentions.
    fn typedefs_in(&self, id: TypeId) -> Vec<usize> {
        let mut found = Vec::new();
        let mut todo = vec![id];
        while let Some(id) = todo.pop() {
            match self.model[id].ty {
                Type::Typedef(typedef) => found.push(typedef.0 as usize),
                Type::List(element) | Type::Set(element) => todo.push(element),
                Type::Map(key, value) => todo.extend([key, value]),
                _ => {}
            }
        }
        found
    }

    /// How deep a type nests when its typedefs are written out.
    fn depth(&self, id: TypeId, typedefs: &[usize]) -> usize {
        match self.model[id].ty {
            Type::Typedef(typedef) => typedefs.get(typedef.0 as usize).copied().unwrap_or(0),
            Type::List(element) | Type::Set(element) => 1 + self.depth(element, typedefs),
            Type::Map(key, value) => 1 + self.depth(key, typedefs).max(self.depth(value, typedefs)),
            _ => 0,
        }
    }

    pub(super) fn enums(&mut self) {
        let declared = std::mem::take(&mut self.declared.enums);
        for (id, tree) in &declared {
            let file = self.model[*id].file;
            let mut members: Vec<EnumMember> = Vec::with_capacity(tree.values.len());
            let mut names: HashMap<&str, Span> = HashMap::new();
            let mut numbers: HashMap<i32, &str> = HashMap::new();
            let mut next: i64 = 0;
            for value in &tree.values {
                let (number, span) = match value.number {
                    Some(number) => (number.value, number.span),
                    None => (next, value.name.span),
                };
                let Ok(number) = i32::try_from(number) else {
                    let message =
                        format!("the number {number} of `{}` does not fit 32 bits", value.name.text);
                    self.report(Code::EnumRange.at(span, message));
                    next = 0;
                    continue;
                };
                next = i64::from(number) + 1;
                if let Some(first) = names.insert(&value.name.text, value.name.span) {
                    let message = format!("the member `{}` is already defined", value.name.text);
                    let diagnostic = Code::DuplicateEnumMember.at(value.name.span, message);
                    self.report(diagnostic.label(first, "first defined here"));
                    continue;
                }
                if let Some(first) = numbers.insert(number, &value.name.text) {
                    let message = format!("`{}` has the number {number} of `{first}`", value.name.text);
                    self.disagree(Code::DuplicateEnumNumber, span, message);
                }
                if let Some(scope) = self.names.scopes.get_mut(file.0 as usize) {
                    scope.members.insert((*id, value.name.text.clone()), members.len());
                }
                members.push(EnumMember {
                    name: value.name.clone(),
                    number,
                    annotations: value.annotations.clone(),
                    comments: value.comments.clone(),
                });
            }
            if let Some(slot) = self.model.enums.get_mut(id.0 as usize) {
                slot.numbers = members.iter().map(|member| member.number).collect();
                slot.numbers.sort_unstable();
                slot.members = members;
            }
        }
        self.declared.enums = declared;
    }
}

fn symbol_type(symbol: Symbol) -> Option<Type> {
    match symbol {
        Symbol::Struct(id) => Some(Type::Struct(id)),
        Symbol::Enum(id) => Some(Type::Enum(id)),
        Symbol::Typedef(id) => Some(Type::Typedef(id)),
        Symbol::Service(_) => None,
    }
}

fn base_type(base: BaseType) -> Type {
    match base {
        BaseType::Bool => Type::Bool,
        BaseType::I8 => Type::I8,
        BaseType::I16 => Type::I16,
        BaseType::I32 => Type::I32,
        BaseType::I64 => Type::I64,
        BaseType::Double => Type::Double,
        BaseType::String => Type::String,
        BaseType::Binary => Type::Binary,
        BaseType::Uuid => Type::Uuid,
    }
}
