//! Depth-first order of a graph, without recursion: includes, typedefs, constants and services are all
//! graphs that must have no cycle.

/// At most this many cycles are described; a program has few, an attack has many.
const MAX_CYCLES: usize = 50;

/// What a walk found.
#[derive(Debug, Default)]
pub(super) struct Order {
    /// Every node, each behind the nodes it points to (cycles aside).
    pub(super) finished: Vec<usize>,
    /// For each edge that closes a cycle, the nodes of the cycle from the edge's target to its source.
    pub(super) cycles: Vec<Vec<usize>>,
    /// Whether the node is on a cycle's closing edge, as its source.
    pub(super) closes_cycle: Vec<bool>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum VisitState {
    New,
    Open,
    Done,
}

/// Walks a graph given by the targets of each node.
pub(super) fn order(edges: &[Vec<usize>]) -> Order {
    let mut found = Order { closes_cycle: vec![false; edges.len()], ..Order::default() };
    let mut states = vec![VisitState::New; edges.len()];
    for root in 0..edges.len() {
        if states.get(root) != Some(&VisitState::New) {
            continue;
        }
        // The nodes from the root to the current one, each with the number of its next edge.
        let mut path: Vec<(usize, usize)> = vec![(root, 0)];
        set(&mut states, root, VisitState::Open);
        while let Some((node, next)) = path.last_mut() {
            let node = *node;
            let target = edges.get(node).and_then(|targets| targets.get(*next)).copied();
            *next += 1;
            let Some(target) = target else {
                set(&mut states, node, VisitState::Done);
                found.finished.push(node);
                path.pop();
                continue;
            };
            match states.get(target) {
                Some(VisitState::New) => {
                    set(&mut states, target, VisitState::Open);
                    path.push((target, 0));
                }
                Some(VisitState::Open) => {
                    set(&mut found.closes_cycle, node, true);
                    if found.cycles.len() < MAX_CYCLES {
                        let cycle = path.iter().map(|(node, _)| *node).skip_while(|node| *node != target);
                        found.cycles.push(cycle.collect());
                    }
                }
                Some(VisitState::Done) | None => {}
            }
        }
    }
    found
}

fn set<T>(list: &mut [T], at: usize, value: T) {
    if let Some(slot) = list.get_mut(at) {
        *slot = value;
    }
}

/// Writes a cycle as `a -> b -> a`, shortened in the middle.
pub(super) fn describe<'a>(cycle: &[usize], name: impl Fn(usize) -> &'a str) -> String {
    let mut names: Vec<&str> = cycle.iter().take(8).map(|node| name(*node)).collect();
    if cycle.len() > 8 {
        names.push("...");
    }
    names.extend(cycle.first().map(|node| name(*node)));
    names.join(" -> ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nodes_come_behind_what_they_point_to() {
        let order = order(&[vec![1, 2], vec![2], vec![]]);
        assert_eq!(order.finished, [2, 1, 0]);
        assert!(order.cycles.is_empty());
    }

    #[test]
    fn each_closing_edge_is_one_cycle() {
        let order = order(&[vec![1], vec![2], vec![0, 2]]);
        assert_eq!(order.cycles, [vec![0, 1, 2], vec![2]]);
        assert_eq!(order.closes_cycle, [false, false, true]);
    }

    #[test]
    fn a_long_chain_needs_no_stack() {
        let edges: Vec<Vec<usize>> = (0..200_000).map(|node| vec![node + 1]).collect();
        assert_eq!(order(&edges).finished.len(), 200_000);
    }
}
