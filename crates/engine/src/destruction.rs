//! What is deleted, and in which order: what needs something goes before it, what is inside something before that.
//!
//! A plan is made of what the REST API shows of deployments and of the ids of resources, so that it is the same for a state on this
//! machine and for a server.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use arm::{Caseless as _, PROVISIONING_STATE, Value};
use machine::records::deployment_id;

/// What is to be destroyed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DestructionScope<'s> {
    /// What the deployment of an id has made, with the deployments inside it.
    Deployment(&'s str),
    /// What has an id, such as a resource group, and everything inside it.
    Below(&'s str),
    /// Everything that is kept.
    Everything,
}

/// What is deleted, in order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DestructionPlan {
    /// The resources, in the order in which they are deleted.
    pub resources: Vec<DoomedResource>,
    /// The ids of the deployments that are forgotten once their resources are gone.
    pub deployments: Vec<String>,
    /// The ids of deployments among them that are under way, and so cannot be destroyed yet.
    pub active: Vec<String>,
    walk: Vec<WalkStep>,
}

/// A point on the way through a plan: a resource, or a place between the resources of one deployment and those of another.
#[derive(Clone, Debug, PartialEq, Eq)]
struct WalkStep {
    is_resource: bool,
    /// What has to be behind, as points on the way.
    before: Vec<usize>,
}

/// A resource that is deleted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DoomedResource {
    /// The full id of the resource.
    pub id: String,
    /// The ids of other deployments that made it as well.
    pub also_of: Vec<String>,
}

/// What became of a resource that was to be deleted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Destruction<E> {
    /// Nothing of it is left.
    Deleted,
    /// It could not be deleted.
    Failed(E),
    /// It was not tried, because the resource at this place in the plan needs it and is still there.
    Kept(usize),
}

/// What is known of a deployment.
struct Known<'v> {
    id: &'v str,
    root: Option<&'v str>,
    is_active: bool,
    resources: Vec<&'v str>,
    needs: Vec<(&'v str, &'v str)>,
}

fn member<'v>(value: &'v Value, path: &[&str]) -> Option<&'v Value> {
    path.iter().try_fold(value, |value, name| value.as_object()?.get(name))
}

fn text<'v>(value: &'v Value, path: &[&str]) -> Option<&'v str> {
    member(value, path).and_then(Value::as_str)
}

fn items<'v>(value: &'v Value, path: &[&str]) -> &'v [Value] {
    match member(value, path) {
        Some(Value::Array(list)) => list.items(),
        _ => &[],
    }
}

impl<'v> Known<'v> {
    fn of(deployment: &'v Value) -> Option<Known<'v>> {
        let ids = |path: &[&str]| items(deployment, path).iter().filter_map(|it| text(it, &["id"]));
        let needs = items(deployment, &["properties", "dependencies"]).iter().flat_map(|needy| {
            let id = text(needy, &["id"]);
            let needed = items(needy, &["dependsOn"]).iter().filter_map(|it| text(it, &["id"]));
            needed.filter_map(move |needed| Some((id?, needed)))
        });
        let state = text(deployment, &["properties", PROVISIONING_STATE]).unwrap_or_default();
        Some(Known {
            id: text(deployment, &["id"])?,
            root: text(deployment, &["properties", "correlationId"]),
            is_active: ["Running", "Accepted"].iter().any(|active| active.eq_ignore_ascii_case(state)),
            resources: ids(&["properties", "outputResources"]).collect(),
            needs: needs.collect(),
        })
    }
}

/// Whether an id is another one, or inside it.
fn is_inside(id: &str, outer: &str) -> bool {
    id.strip_prefix(outer.trim_end_matches('/')).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// The ids around an id, the nearest first.
fn around(id: &str) -> impl Iterator<Item = &str> {
    std::iter::successors(Some(id), |id| id.rsplit_once('/').map(|(outer, _)| outer)).skip(1)
}

impl DestructionPlan {
    /// Plans a destruction. Of `resources`, ids tell what is there; without them, what the deployments have made is taken to be.
    pub fn new(
        what: DestructionScope<'_>,
        deployments: &[Value],
        resources: Option<&[String]>,
    ) -> DestructionPlan {
        let known: Vec<Known<'_>> = deployments.iter().filter_map(Known::of).collect();
        let (doomed, forgotten) = chosen(what, &known, resources);
        let mut graph = Graph::of(&doomed);
        for deployment in &known {
            graph.add_inside(deployment);
        }
        for deployment in &known {
            for (needy, needed) in &deployment.needs {
                graph.add_need(needy, needed);
            }
        }
        let order = graph.order();
        let gone: BTreeSet<&str> = forgotten.iter().map(|it| it.id).collect();
        let mut makers: BTreeMap<String, Vec<&str>> = BTreeMap::new();
        for other in known.iter().filter(|other| !gone.contains(other.id)) {
            for made in &other.resources {
                makers.entry(made.caseless()).or_default().push(other.id);
            }
        }
        let resources = order.iter().filter_map(|node| graph.ids.get(*node)).map(|id| {
            let also = makers.get(&id.caseless()).into_iter().flatten();
            DoomedResource { id: id.clone(), also_of: also.map(|other| (*other).to_owned()).collect() }
        });
        DestructionPlan {
            resources: resources.collect(),
            walk: graph.walk(&order),
            deployments: forgotten.iter().map(|it| it.id.to_owned()).collect(),
            active: forgotten.iter().filter(|it| it.is_active).map(|it| it.id.to_owned()).collect(),
        }
    }

    /// Whether there is nothing to delete.
    pub fn is_empty(&self) -> bool {
        self.resources.is_empty() && self.deployments.is_empty()
    }

    /// Deletes the resources one after the other. What a resource that could not be deleted needs is kept; everything else goes.
    pub fn run<E>(&self, mut delete: impl FnMut(&DoomedResource) -> Result<(), E>) -> Vec<Destruction<E>> {
        let mut ended: Vec<Destruction<E>> = Vec::with_capacity(self.resources.len());
        let mut obstacles: Vec<Option<usize>> = Vec::with_capacity(self.walk.len());
        let mut resources = self.resources.iter();
        for step in &self.walk {
            let obstacle = step.before.iter().find_map(|before| *obstacles.get(*before)?);
            let resource = if step.is_resource { resources.next() } else { None };
            let Some(resource) = resource else {
                obstacles.push(obstacle);
                continue;
            };
            let end = match obstacle {
                Some(obstacle) => Destruction::Kept(obstacle),
                None => match delete(resource) {
                    Ok(()) => Destruction::Deleted,
                    Err(error) => Destruction::Failed(error),
                },
            };
            let is_there = matches!(end, Destruction::Failed(_)).then_some(ended.len());
            obstacles.push(obstacle.or(is_there));
            ended.push(end);
        }
        ended
    }
}

/// The ids of what is deleted, by their folded form, and the deployments that are forgotten.
fn chosen<'k, 'v>(
    what: DestructionScope<'_>,
    known: &'k [Known<'v>],
    resources: Option<&[String]>,
) -> (BTreeMap<String, String>, Vec<&'k Known<'v>>) {
    let mut wanted: BTreeMap<String, String> = BTreeMap::new();
    let mut want = |id: &str| {
        wanted.entry(id.caseless()).or_insert_with(|| id.to_owned());
    };
    let all = || known.iter().flat_map(|it| &it.resources).copied();
    let forgotten: Vec<&Known<'_>> = match what {
        DestructionScope::Deployment(id) => {
            let id = id.caseless();
            let meant = known.iter().find(|it| it.id.caseless() == id);
            meant.into_iter().flat_map(|it| &it.resources).for_each(|id| want(id));
            let own: BTreeSet<&str> = meant.into_iter().flat_map(|it| &it.resources).copied().collect();
            // Those inside it have the same root, and made nothing else.
            let is_inside = |it: &&Known<'_>| {
                let same_root = |meant: &Known<'_>| it.root.is_some() && it.root == meant.root;
                meant.is_some_and(|meant| it.id == meant.id || same_root(meant))
                    && it.resources.iter().all(|made| own.contains(made))
            };
            known.iter().filter(is_inside).collect()
        }
        DestructionScope::Below(outer) => {
            let outer = outer.caseless();
            all().filter(|id| is_inside(&id.caseless(), &outer)).for_each(&mut want);
            resources
                .into_iter()
                .flatten()
                .filter(|id| is_inside(&id.caseless(), &outer))
                .for_each(|id| want(id));
            if resources.is_none() {
                want(&outer);
            }
            known.iter().filter(|it| is_inside(&it.id.caseless(), &outer)).collect()
        }
        DestructionScope::Everything => {
            all().for_each(&mut want);
            resources.into_iter().flatten().for_each(|id| want(id));
            known.iter().collect()
        }
    };
    if let Some(resources) = resources {
        let there: BTreeSet<String> = resources.iter().map(|id| id.caseless()).collect();
        // What is inside goes with it. Resources of extensions are not in the list, and deleting them twice does no harm.
        for id in resources {
            let folded = id.caseless();
            if around(&folded).any(|outer| wanted.contains_key(outer)) {
                wanted.entry(folded).or_insert_with(|| id.clone());
            }
        }
        wanted.retain(|folded, _| there.contains(folded) || !folded.starts_with('/'));
    }
    // A deployment is no resource that is deleted: it is forgotten.
    let marker = deployment_id("", "").caseless();
    wanted.retain(|folded, _| !folded.contains(&marker));
    (wanted, forgotten)
}

/// What has to go before what. Deployments have two nodes: the first one comes before everything that they made, the second one after it.
struct Graph {
    ids: Vec<String>,
    nodes: BTreeMap<String, usize>,
    /// The first and the second node of each deployment.
    deployments: BTreeMap<String, (usize, usize)>,
    /// What a node comes before.
    next: Vec<Vec<usize>>,
    before: Vec<Vec<usize>>,
}

impl Graph {
    fn of(doomed: &BTreeMap<String, String>) -> Graph {
        let ids: Vec<String> = doomed.values().cloned().collect();
        let nodes: BTreeMap<String, usize> = doomed.keys().cloned().zip(0..).collect();
        let (next, before) = (vec![Vec::new(); ids.len()], vec![Vec::new(); ids.len()]);
        let mut graph = Graph { ids, nodes, deployments: BTreeMap::new(), next, before };
        let inside: Vec<(usize, usize)> = graph
            .nodes
            .iter()
            .filter_map(|(id, node)| around(id).find_map(|outer| Some((*node, *graph.nodes.get(outer)?))))
            .collect();
        inside.into_iter().for_each(|(inner, outer)| graph.add(inner, outer));
        graph
    }

    fn add(&mut self, first: usize, then: usize) {
        if first == then {
            return;
        }
        if let (Some(next), Some(before)) = (self.next.get_mut(first), self.before.get_mut(then)) {
            next.push(then);
            before.push(first);
        }
    }

    fn node(&mut self) -> usize {
        self.next.push(Vec::new());
        self.before.push(Vec::new());
        self.next.len() - 1
    }

    fn add_inside(&mut self, deployment: &Known<'_>) {
        let (first, last) = (self.node(), self.node());
        self.deployments.insert(deployment.id.caseless(), (first, last));
        self.add(first, last);
        for id in &deployment.resources {
            if let Some(node) = self.nodes.get(&id.caseless()).copied() {
                self.add(first, node);
                self.add(node, last);
            }
        }
    }

    /// What needs something goes before it.
    fn add_need(&mut self, needy: &str, needed: &str) {
        let ends = |id: &str| {
            let id = id.caseless();
            let own = self.nodes.get(&id).map(|node| (*node, *node));
            own.or_else(|| self.deployments.get(&id).copied())
        };
        if let (Some((_, last)), Some((first, _))) = (ends(needy), ends(needed)) {
            self.add(last, first);
        }
    }

    /// The nodes in their order. Where resources need each other, the one with the first id begins.
    fn order(&self) -> Vec<usize> {
        let mut waits: Vec<usize> = self.before.iter().map(Vec::len).collect();
        let mut is_done = vec![false; waits.len()];
        let mut ready: VecDeque<usize> =
            (0..waits.len()).filter(|node| waits.get(*node) == Some(&0)).collect();
        let (mut order, mut looked) = (Vec::new(), 0);
        loop {
            let node = match ready.pop_front() {
                Some(node) => node,
                // Only a circle is left, or nothing.
                None => match (looked..waits.len()).find(|node| is_done.get(*node) == Some(&false)) {
                    Some(node) => {
                        looked = node;
                        node
                    }
                    None => return order,
                },
            };
            match is_done.get_mut(node) {
                Some(done) if !*done => *done = true,
                Some(_) | None => continue,
            }
            order.push(node);
            for next in self.next.get(node).into_iter().flatten() {
                if let Some(count) = waits.get_mut(*next) {
                    *count = count.saturating_sub(1);
                    if *count == 0 {
                        ready.push_back(*next);
                    }
                }
            }
        }
    }

    /// The way through the nodes; a point that comes later, because there is a circle, holds nothing up.
    fn walk(&self, order: &[usize]) -> Vec<WalkStep> {
        let mut places = vec![usize::MAX; self.before.len()];
        for (place, node) in order.iter().enumerate() {
            if let Some(at) = places.get_mut(*node) {
                *at = place;
            }
        }
        let step = |(place, node): (usize, &usize)| {
            let before = self.before.get(*node).into_iter().flatten();
            let before = before.filter_map(|it| places.get(*it).copied()).filter(|it| *it < place);
            WalkStep { is_resource: *node < self.ids.len(), before: before.collect() }
        };
        order.iter().enumerate().map(step).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use machine::records::parse;

    /// A deployment of a name in a group, with what it made and what needs what; names are those of resources in the group.
    fn deployment(name: &str, root: &str, made: &[&str], needs: &[(&str, &str)]) -> Value {
        let id = |name: &str| match name.strip_prefix('@') {
            Some(deployment) => format!("/g/providers/Microsoft.Resources/deployments/{deployment}"),
            None => format!("/g/providers/A.B/{name}"),
        };
        let made: Vec<String> = made.iter().map(|name| format!(r#"{{"id":"{}"}}"#, id(name))).collect();
        let needs: Vec<String> = needs
            .iter()
            .map(|(needy, needed)| {
                format!(r#"{{"id":"{}","dependsOn":[{{"id":"{}"}}]}}"#, id(needy), id(needed))
            })
            .collect();
        parse(&format!(
            r#"{{"id":"{}","properties":{{"correlationId":"{root}","provisioningState":"Succeeded","outputResources":[{}],"dependencies":[{}]}}}}"#,
            id(&format!("@{name}")),
            made.join(","),
            needs.join(",")
        ))
        .unwrap()
    }

    fn names(plan: &DestructionPlan) -> Vec<&str> {
        plan.resources.iter().map(|it| it.id.rsplit("A.B/").next().unwrap()).collect()
    }

    #[test]
    fn what_needs_something_goes_before_it() {
        let made = ["t/a", "t/a/u/inner", "t/b", "t/c"];
        let one = deployment("one", "r", &made, &[("t/a", "t/b"), ("t/b", "t/c"), ("t/c", "t/zzz")]);
        let plan = DestructionPlan::new(DestructionScope::Everything, &[one], None);
        assert_eq!(names(&plan), ["t/a/u/inner", "t/a", "t/b", "t/c"]);
        assert_eq!(plan.deployments.len(), 1);
    }

    #[test]
    fn what_needs_a_module_goes_before_everything_in_it() {
        let outer = deployment(
            "outer",
            "r",
            &["t/a", "t/m1", "t/m2", "t/z"],
            &[("t/a", "@module"), ("@module", "t/z")],
        );
        let module = deployment("module", "r", &["t/m1", "t/m2"], &[("t/m2", "t/m1")]);
        let id = "/g/providers/Microsoft.Resources/deployments/OUTER";
        let both = [outer, module];
        let plan = DestructionPlan::new(DestructionScope::Deployment(id), &both, None);
        assert_eq!(names(&plan), ["t/a", "t/m2", "t/m1", "t/z"]);
        assert_eq!(plan.deployments.len(), 2);
        // What holds a resource up holds up what it needs, through the module, and nothing else.
        let ended = plan.run(|it| if it.id.ends_with("t/m2") { Err("locked") } else { Ok(()) });
        let expect =
            [Destruction::Deleted, Destruction::Failed("locked"), Destruction::Kept(1), Destruction::Kept(1)];
        assert_eq!(ended, expect);
        let id = "/g/providers/Microsoft.Resources/deployments/module";
        let plan = DestructionPlan::new(DestructionScope::Deployment(id), &both, None);
        assert_eq!((names(&plan), plan.deployments.len()), (vec!["t/m2", "t/m1"], 1));
        assert_eq!(plan.resources[0].also_of, ["/g/providers/Microsoft.Resources/deployments/outer"]);
    }

    #[test]
    fn a_failure_holds_up_only_what_is_needed() {
        let one = deployment("one", "r", &["t/a", "t/b", "t/c", "t/d"], &[("t/a", "t/b"), ("t/b", "t/c")]);
        let plan = DestructionPlan::new(DestructionScope::Below("/g"), &[one], Some(&[]));
        assert!(plan.resources.is_empty(), "nothing of it is there any more");
        let there: Vec<String> =
            ["t/a", "t/b", "t/c", "t/d", "t/more"].map(|it| format!("/g/providers/A.B/{it}")).into();
        let one = deployment("one", "r", &["t/a", "t/b", "t/c", "t/d"], &[("t/a", "t/b"), ("t/b", "t/c")]);
        let plan = DestructionPlan::new(DestructionScope::Below("/G/"), &[one], Some(&there));
        let mut tried = Vec::new();
        let ended = plan.run(|it| {
            tried.push(it.id.rsplit('/').next().unwrap().to_owned());
            if it.id.ends_with("t/a") { Err(()) } else { Ok(()) }
        });
        // What no deployment made waits for nothing.
        assert_eq!(tried, ["more", "a", "d"]);
        assert_eq!(ended.iter().filter(|it| matches!(it, Destruction::Kept(_))).count(), 2);
    }

    #[test]
    fn resources_that_need_each_other_have_an_order() {
        let one = deployment("one", "r", &["t/a", "t/b"], &[("t/a", "t/b"), ("t/b", "t/a")]);
        let plan = DestructionPlan::new(DestructionScope::Everything, &[one], None);
        assert_eq!(names(&plan), ["t/a", "t/b"]);
        assert_eq!(plan.run(|_| Ok::<(), ()>(())).len(), 2);
    }
}
