//! In which order `type` declarations are read, how deep they nest, and which of them contain themselves.
//!
//! Programs can chain any number of types. What is worked out here keeps everything that walks through types from
//! walking further than [`MAX_NESTING`].

use rustc_hash::FxHashMap;
use syntax::{NodeKind, SyntaxNode};

use crate::symbols::{Model, SymbolId, SymbolKind};

/// How many types can be inside each other; what is deeper is taken for `any`.
pub(super) const MAX_NESTING: u32 = 64;

/// How many steps are spent on finding the shortest ways around all cycles.
const MAX_STEPS: usize = 1 << 18;

/// The order of `type` declarations in which none comes before what it refers to, cycles aside.
#[derive(Debug, Default)]
pub(super) struct TypeOrder {
    pub(super) order: Vec<SymbolId>,
    /// How many other types are inside a type.
    pub(super) nesting: FxHashMap<SymbolId, u32>,
}

/// A type whose mentions are being looked at.
struct OpenType {
    symbol: SymbolId,
    /// The types it mentions, and whether they are inside it.
    mentions: Vec<(SymbolId, bool)>,
    next: usize,
}

impl TypeOrder {
    pub(super) fn of(model: &Model, types: &[SymbolId]) -> TypeOrder {
        let mut found = TypeOrder::default();
        let mut open: Vec<OpenType> = Vec::new();
        for start in types {
            found.enter(model, *start, &mut open);
            while let Some(top) = open.last_mut() {
                if let Some((next, _)) = top.mentions.get(top.next).copied() {
                    top.next += 1;
                    found.enter(model, next, &mut open);
                    continue;
                }
                let depth = |(it, inside): &(SymbolId, bool)| {
                    found.nesting.get(it).map_or(0, |depth| depth + u32::from(*inside))
                };
                let depth = top.mentions.iter().map(depth).max().unwrap_or_default();
                found.nesting.insert(top.symbol, depth);
                found.order.push(top.symbol);
                open.pop();
            }
        }
        found
    }

    fn enter(&mut self, model: &Model, symbol: SymbolId, open: &mut Vec<OpenType>) {
        if self.nesting.contains_key(&symbol) {
            return;
        }
        // Until it is known, a type counts as flat: that is what ends cycles.
        self.nesting.insert(symbol, 0);
        let mut mentions = Vec::new();
        collect(model, model.node_of(symbol), false, &mut mentions);
        mentions.sort_unstable();
        mentions.dedup();
        open.push(OpenType { symbol, mentions, next: 0 });
    }
}

/// The types that a node mentions, and whether they are inside an object, tuple or array.
fn collect(model: &Model, node: SyntaxNode<'_>, inside: bool, found: &mut Vec<(SymbolId, bool)>) {
    if node.kind() == NodeKind::TypeVariableAccess
        && let Some(symbol) = model.symbol_at(node)
        && model.symbol(symbol).kind == SymbolKind::Type
    {
        found.push((symbol, inside));
    }
    let inside =
        inside || matches!(node.kind(), NodeKind::ArrayType | NodeKind::ObjectType | NodeKind::TupleType);
    for child in node.child_nodes() {
        collect(model, child, inside, found);
    }
}

/// The types that are in cycles, each with the way back to it.
pub(super) fn cycles(edges: &[(SymbolId, Vec<SymbolId>)]) -> Vec<(SymbolId, Vec<SymbolId>)> {
    let places: FxHashMap<SymbolId, usize> =
        edges.iter().enumerate().map(|(place, (symbol, _))| (*symbol, place)).collect();
    let graph: Vec<Vec<usize>> = edges
        .iter()
        .map(|(_, targets)| targets.iter().filter_map(|target| places.get(target).copied()).collect())
        .collect();
    let parts = components(&graph);
    let mut size = vec![0usize; graph.len()];
    for part in &parts {
        if let Some(size) = size.get_mut(*part) {
            *size += 1;
        }
    }
    let mut search = Search { graph: &graph, parts: &parts, from: vec![None; graph.len()], steps: MAX_STEPS };
    let mut found = Vec::new();
    for (place, (symbol, targets)) in edges.iter().enumerate() {
        let many = parts.get(place).and_then(|part| size.get(*part)).is_some_and(|size| *size > 1);
        if !many && !targets.contains(symbol) {
            continue;
        }
        let path = search.way_back(place);
        found.push((*symbol, path.iter().filter_map(|it| edges.get(*it).map(|(it, _)| *it)).collect()));
    }
    found
}

/// The shortest ways from places back to themselves.
struct Search<'g> {
    graph: &'g [Vec<usize>],
    parts: &'g [usize],
    from: Vec<Option<(usize, usize)>>,
    steps: usize,
}

impl Search<'_> {
    fn way_back(&mut self, start: usize) -> Vec<usize> {
        let part = self.parts.get(start);
        let mut queue = std::collections::VecDeque::from([start]);
        while let Some(at) = queue.pop_front() {
            for next in self.graph.get(at).into_iter().flatten() {
                if *next == start {
                    return self.path(start, at);
                }
                self.steps = self.steps.saturating_sub(1);
                if self.steps == 0 {
                    return vec![start, *next];
                }
                if self.parts.get(*next) == part
                    && let Some(from) = self.from.get_mut(*next)
                    && from.is_none_or(|(search, _)| search != start)
                {
                    *from = Some((start, at));
                    queue.push_back(*next);
                }
            }
        }
        vec![start]
    }

    fn path(&self, start: usize, end: usize) -> Vec<usize> {
        let mut path = vec![end];
        let mut at = end;
        while at != start
            && let Some(Some((_, from))) = self.from.get(at)
        {
            at = *from;
            path.push(at);
        }
        path.reverse();
        path
    }
}

/// The strongly connected part that each place of a graph belongs to: Tarjan's search, without recursion.
fn components(graph: &[Vec<usize>]) -> Vec<usize> {
    const NONE: usize = usize::MAX;
    let mut number = vec![NONE; graph.len()];
    let mut low = vec![NONE; graph.len()];
    let mut part = vec![NONE; graph.len()];
    let mut pending: Vec<usize> = Vec::new();
    let mut count = 0;
    let at = |list: &[usize], place: usize| list.get(place).copied().unwrap_or(NONE);
    for start in 0..graph.len() {
        if at(&number, start) != NONE {
            continue;
        }
        let mut open: Vec<(usize, usize)> = vec![(start, 0)];
        while let Some((place, next)) = open.last_mut() {
            let place = *place;
            if *next == 0 {
                for list in [&mut number, &mut low] {
                    if let Some(slot) = list.get_mut(place) {
                        *slot = count;
                    }
                }
                count += 1;
                pending.push(place);
            }
            let target = graph.get(place).and_then(|targets| targets.get(*next)).copied();
            *next += 1;
            let lower = match target {
                Some(target) if at(&number, target) == NONE => {
                    open.push((target, 0));
                    continue;
                }
                // A part that is done is not reached from here.
                Some(target) if at(&part, target) == NONE => at(&number, target),
                Some(_) => continue,
                None => NONE,
            };
            if target.is_some() {
                if let Some(slot) = low.get_mut(place) {
                    *slot = lower.min(*slot);
                }
                continue;
            }
            open.pop();
            let own = at(&low, place);
            if let Some((around, _)) = open.last()
                && let Some(slot) = low.get_mut(*around)
            {
                *slot = own.min(*slot);
            }
            if own == at(&number, place) {
                while let Some(member) = pending.pop() {
                    if let Some(slot) = part.get_mut(member) {
                        *slot = place;
                    }
                    if member == place {
                        break;
                    }
                }
            }
        }
    }
    part
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(edges: &[&[u32]]) -> Vec<(u32, Vec<u32>)> {
        let edges: Vec<(SymbolId, Vec<SymbolId>)> = (0u32..)
            .zip(edges)
            .map(|(at, targets)| (SymbolId(at), targets.iter().map(|target| SymbolId(*target)).collect()))
            .collect();
        let plain = |path: &[SymbolId]| path.iter().map(|it| it.0).collect();
        cycles(&edges).iter().map(|(symbol, path)| (symbol.0, plain(path))).collect()
    }

    #[test]
    fn what_leads_to_a_circle_is_not_in_it() {
        assert_eq!(found(&[&[1], &[2], &[1, 3], &[]]), [(1, vec![1, 2]), (2, vec![2, 1])]);
        assert_eq!(found(&[&[0, 1], &[]]), [(0, vec![0])]);
        assert!(found(&[&[1, 2], &[3], &[3], &[]]).is_empty());
    }

    #[test]
    fn the_way_back_is_the_shortest() {
        assert_eq!(found(&[&[1, 2], &[2], &[0]]).first(), Some(&(0, vec![0, 2])));
        assert_eq!(found(&[&[1], &[0, 2], &[1]]).last(), Some(&(2, vec![2, 1])));
    }

    #[test]
    fn a_circle_of_very_many_is_found_in_few_steps() {
        const MANY: u32 = 20_000;
        let edges: Vec<(SymbolId, Vec<SymbolId>)> =
            (0..MANY).map(|at| (SymbolId(at), vec![SymbolId((at + 1) % MANY)])).collect();
        let found = cycles(&edges);
        assert_eq!(found.len(), MANY as usize);
        assert!(found.iter().all(|(_, path)| path.len() > 1));
        assert!(found.iter().map(|(_, path)| path.len()).sum::<usize>() < 1 << 20);
    }
}
