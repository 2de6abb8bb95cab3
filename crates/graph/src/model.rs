//! What a picture shows: resources and modules, and why one comes before another.

use std::collections::BTreeMap;
use std::fmt;

use arm::Caseless as _;

/// How many resources and modules a graph may have.
pub const MAX_NODES: usize = 20_000;

/// How many dependencies a graph may have.
pub const MAX_EDGES: usize = 200_000;

/// The position of a node in its graph.
pub type NodeId = usize;

/// Resources and modules with their dependencies.
///
/// INVARIANT: a node comes behind the module that it is inside of, a dependency is between two nodes of the same module (that is how
/// deployments nest), each pair has at most one, and there is no cycle.
#[derive(Clone, Debug)]
pub struct Graph {
    title: String,
    nodes: Vec<GraphNode>,
    edges: Vec<Edge>,
}

/// A resource, or a module with what it deploys.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GraphNode {
    /// Whether it is a resource, and of which kind, or a module.
    pub kind: GraphNodeKind,
    /// The module that it is inside of.
    pub parent: Option<NodeId>,
    /// What it is called: the symbolic name, or the name.
    pub label: String,
    /// The name of the resource, if it is known and not the label.
    pub name: Option<String>,
    /// The type, such as `Microsoft.Web/sites`.
    pub type_name: String,
    /// The version of the API.
    pub api_version: Option<String>,
    /// How often it is deployed.
    pub repeat: Repeat,
    /// Whether it is deployed.
    pub condition: Condition,
    /// Where it is written.
    pub place: Option<SourceLine>,
    /// The ids of the resources that it stands for, as far as they are known.
    pub ids: Vec<String>,
    /// What becomes or became of it: how many of its resources have each mark.
    pub marks: BTreeMap<ResourceOutcome, usize>,
}

impl GraphNode {
    /// A resource with a name and a type, and nothing else known of it.
    pub fn resource(label: impl Into<String>, type_name: impl Into<String>) -> GraphNode {
        GraphNode {
            kind: GraphNodeKind::Resource,
            parent: None,
            label: label.into(),
            name: None,
            type_name: type_name.into(),
            api_version: None,
            repeat: Repeat::Once,
            condition: Condition::Always,
            place: None,
            ids: Vec::new(),
            marks: BTreeMap::new(),
        }
    }

    /// The mark that counts most; the picture has its colour.
    pub fn mark(&self) -> Option<ResourceOutcome> {
        self.marks.keys().copied().max()
    }

    /// The marks in words: `3 create, 1 keep`, or one word if all are the same.
    pub fn mark_words(&self) -> Option<String> {
        let (first, _) = self.marks.first_key_value()?;
        if self.marks.len() == 1 {
            return Some(format!("{} {}", first.sign(), first.word()));
        }
        let words = self.marks.iter().rev().map(|(mark, count)| format!("{count} {}", mark.word()));
        let sign = self.mark().map_or("", ResourceOutcome::sign);
        Some(format!("{sign} {}", words.collect::<Vec<_>>().join(", ")))
    }
}

/// What a node is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GraphNodeKind {
    /// A resource that is deployed.
    Resource,
    /// A resource that is only read.
    Existing,
    /// A resource of an extension.
    Extension,
    /// A module: a deployment of its own.
    Module,
}

impl GraphNodeKind {
    /// The word for it in JSON and in descriptions.
    pub fn word(self) -> &'static str {
        match self {
            GraphNodeKind::Resource => "resource",
            GraphNodeKind::Existing => "existing",
            GraphNodeKind::Extension => "extension",
            GraphNodeKind::Module => "module",
        }
    }
}

/// How often a node is deployed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Repeat {
    /// Once, outside of loops.
    Once,
    /// In a loop, this often.
    Loop(usize),
    /// In a loop; how often is not known.
    LoopUnknown,
}

/// Whether a node is deployed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Condition {
    /// It has no condition.
    Always,
    /// It has a condition, which is true, or not known yet.
    Conditional,
    /// Its condition is false.
    Never,
}

/// Where something is written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceLine {
    /// The file, as people know it.
    pub file: String,
    /// The line, from 1.
    pub line: u32,
}

impl fmt::Display for SourceLine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.file, self.line)
    }
}

/// What becomes of a resource in a prediction, or became of it in a run. What people have to look at comes last.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ResourceOutcome {
    /// It is not in the template and stays as it is.
    Ignore,
    /// It stays as it is.
    Keep,
    /// It was there already.
    There,
    /// Its step was done.
    Succeeded,
    /// It will be created.
    Create,
    /// It will be changed.
    Change,
    /// Work on it goes on.
    Running,
    /// Its step never started: one before it failed, or the run ended.
    NotStarted,
    /// Its step was stopped because somebody cancelled the deployment.
    Canceled,
    /// It will be deleted, or was.
    Delete,
    /// Its step ended with a failure.
    Failed,
}

impl ResourceOutcome {
    /// All outcomes, in the order of their weight.
    pub const ALL: [ResourceOutcome; 11] = [
        ResourceOutcome::Ignore,
        ResourceOutcome::Keep,
        ResourceOutcome::There,
        ResourceOutcome::Succeeded,
        ResourceOutcome::Create,
        ResourceOutcome::Change,
        ResourceOutcome::Running,
        ResourceOutcome::NotStarted,
        ResourceOutcome::Canceled,
        ResourceOutcome::Delete,
        ResourceOutcome::Failed,
    ];

    /// Its sign, its word, and the class of its colour.
    fn row(self) -> (&'static str, &'static str, &'static str) {
        match self {
            ResourceOutcome::Ignore => ("*", "not in the template", "quiet"),
            ResourceOutcome::Keep => ("=", "keep", "quiet"),
            ResourceOutcome::There => ("=", "was there", "quiet"),
            ResourceOutcome::Succeeded => ("✓", "succeeded", "good"),
            ResourceOutcome::Create => ("+", "create", "good"),
            ResourceOutcome::Change => ("~", "change", "change"),
            ResourceOutcome::Running => ("…", "running", "change"),
            ResourceOutcome::NotStarted => ("–", "not started", "quiet"),
            ResourceOutcome::Canceled => ("–", "canceled", "change"),
            ResourceOutcome::Delete => ("−", "delete", "bad"),
            ResourceOutcome::Failed => ("✗", "failed", "bad"),
        }
    }

    /// A sign, so that colour is not the only difference.
    pub fn sign(self) -> &'static str {
        self.row().0
    }

    /// The word for it.
    pub fn word(self) -> &'static str {
        self.row().1
    }

    /// The class of its colour: `good`, `change`, `bad` or `quiet`.
    pub fn class(self) -> &'static str {
        self.row().2
    }
}

/// That one node comes before another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edge {
    /// The node that comes first.
    pub from: NodeId,
    /// The node that waits for it.
    pub to: NodeId,
    /// Why, the most telling reason first.
    pub reasons: Vec<DependencyReason>,
}

/// Why something depends on something else.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct DependencyReason {
    /// Which part of the template makes it so.
    pub why: Why,
    /// What is read of it, such as `properties.primaryEndpoints.blob`.
    pub reads: Option<String>,
    /// Where it is used, such as `properties.siteConfig`.
    pub at: Option<String>,
}

/// Why something depends on something else. The most telling comes first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Why {
    /// It uses an output of the module.
    Output,
    /// It uses a property that is known when the resource is there.
    Property,
    /// It is a child of the resource.
    Parent,
    /// It uses the id.
    Id,
    /// It uses the name.
    Name,
    /// `dependsOn` names it; whether something is read of it is not known.
    DependsOn,
}

impl Why {
    /// The word for it in JSON.
    pub fn word(self) -> &'static str {
        match self {
            Why::Output => "output",
            Why::Property => "property",
            Why::Parent => "parent",
            Why::Id => "id",
            Why::Name => "name",
            Why::DependsOn => "dependsOn",
        }
    }
}

impl DependencyReason {
    /// A reason without more to say.
    pub fn new(why: Why) -> DependencyReason {
        DependencyReason { why, reads: None, at: None }
    }

    /// The few words that stand at the line.
    pub fn label(&self) -> String {
        let reads = self.reads.as_deref().unwrap_or_default();
        match self.why {
            Why::Output if !reads.is_empty() => reads.to_owned(),
            Why::Property => match reads.strip_prefix("properties.").unwrap_or(reads) {
                "" => "property".to_owned(),
                reads => reads.to_owned(),
            },
            Why::Output | Why::Parent | Why::Id | Why::Name | Why::DependsOn => self.why.word().to_owned(),
        }
    }
}

impl fmt::Display for DependencyReason {
    /// All of it in one line: `properties.id is used in properties.siteId`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let used = match (self.why, self.reads.as_deref()) {
            (Why::Parent, _) => return f.write_str("it is the parent"),
            (Why::DependsOn, _) => return f.write_str("`dependsOn` says so"),
            (Why::Output, Some(reads)) => format!("the output {reads}"),
            (Why::Output, None) => "an output".to_owned(),
            (Why::Property, Some(reads)) => reads.to_owned(),
            (Why::Property, None) => "a property".to_owned(),
            (Why::Id, _) => "the id".to_owned(),
            (Why::Name, _) => "the name".to_owned(),
        };
        match &self.at {
            Some(at) => write!(f, "{used} is used in {at}"),
            None => write!(f, "{used} is used"),
        }
    }
}

impl Edge {
    /// The words at the line, with the number of further reasons.
    pub fn label(&self) -> String {
        let Some(first) = self.reasons.first() else { return String::new() };
        // `dependsOn` beside a reason is how compilers write the reason down.
        let more = self.reasons.iter().skip(1).filter(|reason| reason.why != Why::DependsOn).count();
        if more == 0 { first.label() } else { format!("{} +{more}", first.label()) }
    }
}

/// Why something is not a graph.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum GraphError {
    /// It is larger than pictures can be.
    TooLarge {
        /// What there is too much of.
        what: &'static str,
        /// How many there may be.
        most: usize,
    },
    /// A node names a module that does not come before it, or a dependency names what is not there or is in another module.
    Misplaced,
    /// Some nodes depend on each other.
    Cycle,
}

impl fmt::Display for GraphError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            GraphError::TooLarge { what, most } => write!(f, "there are more than {most} {what}"),
            GraphError::Misplaced => f.write_str("a dependency leads out of its module"),
            GraphError::Cycle => f.write_str("the resources depend on each other"),
        }
    }
}

impl std::error::Error for GraphError {}

impl Graph {
    /// Puts a graph together. Dependencies of the same two nodes become one.
    pub fn new(
        title: impl Into<String>,
        nodes: Vec<GraphNode>,
        edges: Vec<Edge>,
    ) -> Result<Graph, GraphError> {
        if nodes.len() > MAX_NODES {
            return Err(GraphError::TooLarge { what: "resources", most: MAX_NODES });
        }
        for (at, node) in nodes.iter().enumerate() {
            let fits = |parent: NodeId| {
                parent < at && nodes.get(parent).is_some_and(|module| module.kind == GraphNodeKind::Module)
            };
            if !node.parent.is_none_or(fits) {
                return Err(GraphError::Misplaced);
            }
        }
        let mut merged: BTreeMap<(NodeId, NodeId), Vec<DependencyReason>> = BTreeMap::new();
        for edge in edges {
            let parents = (nodes.get(edge.from), nodes.get(edge.to));
            let (Some(from), Some(to)) = parents else { return Err(GraphError::Misplaced) };
            if from.parent != to.parent {
                return Err(GraphError::Misplaced);
            }
            if edge.from == edge.to {
                return Err(GraphError::Cycle);
            }
            merged.entry((edge.from, edge.to)).or_default().extend(edge.reasons);
        }
        if merged.len() > MAX_EDGES {
            return Err(GraphError::TooLarge { what: "dependencies", most: MAX_EDGES });
        }
        let edges: Vec<Edge> = merged
            .into_iter()
            .map(|((from, to), mut reasons)| {
                reasons.sort();
                reasons.dedup();
                Edge { from, to, reasons }
            })
            .collect();
        if has_cycle(nodes.len(), &edges) {
            return Err(GraphError::Cycle);
        }
        Ok(Graph { title: title.into(), nodes, edges })
    }

    /// What the picture is of.
    pub fn title(&self) -> &str {
        &self.title
    }

    /// The nodes; each comes behind the module that it is inside of.
    pub fn nodes(&self) -> &[GraphNode] {
        &self.nodes
    }

    /// The dependencies, in the order of their nodes.
    pub fn edges(&self) -> &[Edge] {
        &self.edges
    }

    /// Gives marks to the resources: `marks` says which one an id has, in lower case. A module that has none gets those of what is inside.
    pub fn mark(&mut self, marks: &BTreeMap<String, ResourceOutcome>) {
        for node in &mut self.nodes {
            node.marks.clear();
            for mark in node.ids.iter().filter_map(|id| marks.get(&id.caseless())) {
                *node.marks.entry(*mark).or_default() += 1;
            }
        }
        // What is inside a module comes behind it.
        let has_own: Vec<bool> = self.nodes.iter().map(|node| !node.marks.is_empty()).collect();
        for at in (0..self.nodes.len()).rev() {
            let Some(node) = self.nodes.get(at) else { continue };
            let (parent, inside) = (node.parent, node.marks.clone());
            let Some(parent) = parent.filter(|parent| has_own.get(*parent) == Some(&false)) else { continue };
            if let Some(parent) = self.nodes.get_mut(parent) {
                for (mark, count) in inside {
                    *parent.marks.entry(mark).or_default() += count;
                }
            }
        }
    }

    /// Adds nodes that depend on nothing, such as resources that will be deleted.
    pub fn add(&mut self, nodes: impl IntoIterator<Item = GraphNode>) -> Result<(), GraphError> {
        for node in nodes {
            if self.nodes.len() >= MAX_NODES {
                return Err(GraphError::TooLarge { what: "resources", most: MAX_NODES });
            }
            self.nodes.push(GraphNode { parent: None, ..node });
        }
        Ok(())
    }

    /// How many resources there are, with all iterations of loops that are known; modules and existing resources do not count.
    pub fn resources(&self) -> usize {
        let counts = self.nodes.iter().map(|node| match (node.kind, node.repeat) {
            (GraphNodeKind::Module | GraphNodeKind::Existing, _) => 0,
            (GraphNodeKind::Resource | GraphNodeKind::Extension, Repeat::Once | Repeat::LoopUnknown) => 1,
            (GraphNodeKind::Resource | GraphNodeKind::Extension, Repeat::Loop(count)) => count,
        });
        counts.fold(0, usize::saturating_add)
    }

    /// The children of every module, and of nothing: by module, the outermost last.
    pub(crate) fn children(&self) -> Vec<Vec<NodeId>> {
        let mut children = vec![Vec::new(); self.nodes.len() + 1];
        for (at, node) in self.nodes.iter().enumerate() {
            let parent = node.parent.unwrap_or(self.nodes.len());
            if let Some(list) = children.get_mut(parent) {
                list.push(at);
            }
        }
        children
    }
}

/// Whether some nodes depend on each other.
fn has_cycle(count: usize, edges: &[Edge]) -> bool {
    let mut waits = vec![0usize; count];
    let mut next = vec![Vec::new(); count];
    for edge in edges {
        if let (Some(slot), Some(list)) = (waits.get_mut(edge.to), next.get_mut(edge.from)) {
            *slot += 1;
            list.push(edge.to);
        }
    }
    let mut ready: Vec<usize> =
        waits.iter().enumerate().filter(|(_, waits)| **waits == 0).map(|(at, _)| at).collect();
    let mut done = 0;
    while let Some(at) = ready.pop() {
        done += 1;
        for to in next.get(at).into_iter().flatten() {
            if let Some(slot) = waits.get_mut(*to) {
                *slot -= 1;
                if *slot == 0 {
                    ready.push(*to);
                }
            }
        }
    }
    done < count
}

#[cfg(test)]
mod tests {
    use super::*;

    fn edge(from: usize, to: usize, why: Why) -> Edge {
        Edge { from, to, reasons: vec![DependencyReason::new(why)] }
    }

    #[test]
    fn dependencies_of_two_nodes_become_one() {
        let nodes = vec![GraphNode::resource("a", "T"), GraphNode::resource("b", "T")];
        let edges = vec![edge(0, 1, Why::DependsOn), edge(0, 1, Why::Id), edge(0, 1, Why::Id)];
        let graph = Graph::new("t", nodes, edges).unwrap();
        assert_eq!(graph.edges().len(), 1);
        let whys: Vec<Why> = graph.edges()[0].reasons.iter().map(|reason| reason.why).collect();
        assert_eq!(whys, [Why::Id, Why::DependsOn]);
        assert_eq!(graph.edges()[0].label(), "id");
    }

    #[test]
    fn a_graph_has_no_cycle_and_dependencies_stay_in_their_module() {
        let nodes = vec![GraphNode::resource("a", "T"), GraphNode::resource("b", "T")];
        let edges = vec![edge(0, 1, Why::Id), edge(1, 0, Why::Id)];
        assert_eq!(Graph::new("t", nodes.clone(), edges).unwrap_err(), GraphError::Cycle);
        assert_eq!(Graph::new("t", nodes.clone(), vec![edge(0, 0, Why::Id)]).unwrap_err(), GraphError::Cycle);
        assert_eq!(Graph::new("t", nodes, vec![edge(0, 2, Why::Id)]).unwrap_err(), GraphError::Misplaced);
        let module = GraphNode { kind: GraphNodeKind::Module, ..GraphNode::resource("m", "T") };
        let inside = GraphNode { parent: Some(0), ..GraphNode::resource("a", "T") };
        let nodes = vec![module, inside.clone(), GraphNode::resource("b", "T")];
        assert_eq!(Graph::new("t", nodes, vec![edge(1, 2, Why::Id)]).unwrap_err(), GraphError::Misplaced);
        assert_eq!(Graph::new("t", vec![inside], vec![]).unwrap_err(), GraphError::Misplaced);
    }

    #[test]
    fn a_module_has_the_marks_of_what_is_inside() {
        let module = GraphNode { kind: GraphNodeKind::Module, ..GraphNode::resource("m", "T") };
        let inside = |id: &str| GraphNode {
            parent: Some(0),
            ids: vec![id.to_owned()],
            ..GraphNode::resource("a", "T")
        };
        let mut graph = Graph::new("t", vec![module, inside("/A"), inside("/b")], Vec::new()).unwrap();
        let marks = [("/a", ResourceOutcome::Create), ("/b", ResourceOutcome::Keep)];
        graph.mark(&marks.into_iter().map(|(id, mark)| (id.to_owned(), mark)).collect());
        assert_eq!(graph.nodes()[0].mark_words().as_deref(), Some("+ 1 create, 1 keep"));
        assert_eq!(graph.nodes()[1].mark(), Some(ResourceOutcome::Create));
    }

    #[test]
    fn marks_are_told_in_words() {
        let mut node = GraphNode::resource("a", "T");
        assert_eq!(node.mark_words(), None);
        node.marks.insert(ResourceOutcome::Create, 2);
        assert_eq!(node.mark_words().as_deref(), Some("+ create"));
        node.marks.insert(ResourceOutcome::Keep, 1);
        assert_eq!(node.mark_words().as_deref(), Some("+ 2 create, 1 keep"));
        assert_eq!(node.mark(), Some(ResourceOutcome::Create));
    }
}
