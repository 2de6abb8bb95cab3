//! What the rows of an export have to be before they become a state: readable by whoever reads them later, addressable, each there
//! once, and each resource what its type says.

use std::collections::HashSet;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;

use arm::folded;
use arm::value::MAX_DEPTH;
use contract::Node;
use diagnostics::printable;
use document::{Document, FileId, Limits, Value};
use engine::records::{FORMAT, INPUTS, TEMPLATE};
use radius::registry::{Registry, RegistryError};
use store::{Backup as _, DeploymentKey, Key, MemoryStore, Resource, ResourceId, Row};

use crate::exit::Failure;

/// How deep a record may nest: what the engine writes, it reads.
const LIMITS: Limits = Limits { depth: 2 * MAX_DEPTH, ..Limits::DEFAULT };

/// How much of a name or of a message is shown.
const SHOWN: usize = 300;

/// How many things are said of one row.
const MOST: usize = 20;

/// Lets rows in whose contracts hold.
pub(super) struct Gate {
    /// The types that the rows bring along.
    registry: Registry,
    /// What tells the rows apart that were let in.
    seen: HashSet<u128>,
}

impl Gate {
    /// A gate for an export with some types.
    pub(super) fn new(types: Vec<Resource>) -> Result<Gate, Failure> {
        let broken = |error: &dyn std::fmt::Display| Failure::Environment(error.to_string());
        let store = MemoryStore::new();
        // One that is there twice is refused when its row comes.
        let mut known = HashSet::new();
        let types = types.into_iter().filter(|it| known.insert(ResourceId::new(&it.id)));
        let mut rows = types.map(|it| Ok(Row::Resource(it)));
        store.import(&mut rows, false).map_err(|error| broken(&error))?;
        // Nothing is sealed or opened here.
        let key = Key::random().map_err(|error| broken(&error))?;
        Ok(Gate { registry: Registry::new(Arc::new(store), key), seen: HashSet::new() })
    }

    /// Whether the record of an id says what a type is.
    pub(super) fn is_type(id: &str) -> bool {
        Registry::is_type_record(id)
    }

    /// What is wrong with a row, each with its path; nothing if it may come in.
    pub(super) fn check(&mut self, row: &Row) -> Vec<String> {
        let mut flaws = Flaws::default();
        match row {
            Row::Deployment { deployment, .. } => {
                flaws.format(deployment.format);
                flaws.key(&deployment.key);
                flaws.body(&deployment.body);
            }
            Row::Step(step) => {
                flaws.format(step.format);
                flaws.body(&step.body);
            }
            Row::Operation(operation) => {
                flaws.format(operation.format);
                flaws.body(&operation.body);
            }
            Row::Blob { name, bytes, .. } if [INPUTS, TEMPLATE].contains(&name.as_str()) => {
                match std::str::from_utf8(bytes) {
                    Ok(text) => flaws.body(text),
                    Err(_) => flaws.add("`bytes` is not UTF-8"),
                }
            }
            Row::Blob { .. } => {}
            Row::Resource(resource) => self.resource(resource, &mut flaws),
        }
        if flaws.all.is_empty() && !self.seen.insert(tag(row)) {
            flaws.add("it is there twice");
        }
        flaws.all
    }

    fn resource(&self, resource: &Resource, flaws: &mut Flaws) {
        if store::is_key_check(resource) {
            return flaws.add("the first line says which key there is, and no other");
        }
        flaws.format(resource.format);
        flaws.id(&resource.id);
        let Some(document) = flaws.document(&resource.body) else { return };
        if resource.id.starts_with('/') {
            let root = document.root();
            match root.member("body") {
                None => flaws.add("`body` has no member `body`"),
                Some(body) => flaws.own_id(body, &resource.id),
            }
            for (name, is_fine) in [
                ("digests", root.member("digests").is_none_or(|it| matches!(it.node(), Node::Object(_)))),
                ("sealed", root.member("sealed").is_none_or(|it| it.as_str().is_some())),
            ] {
                if !is_fine {
                    flaws.add(&format!("`body.{name}` is not what it should be"));
                }
            }
        }
        if !flaws.all.is_empty() {
            return;
        }
        match self.registry.check_record(resource) {
            Ok(()) => {}
            Err(RegistryError::Resource(violations)) => {
                violations.iter().for_each(|violation| flaws.add(&violation.to_string()));
            }
            Err(error) => flaws.add(&error.to_string()),
        }
    }
}

/// What tells a row from all others.
fn tag(row: &Row) -> u128 {
    let half = |salt: u8| {
        let mut hasher = DefaultHasher::new();
        salt.hash(&mut hasher);
        match row {
            Row::Deployment { deployment, .. } => (0, &deployment.key).hash(&mut hasher),
            Row::Step(step) => (1, step.run.0, step.number).hash(&mut hasher),
            Row::Operation(operation) => (2, operation.run.0, operation.number).hash(&mut hasher),
            Row::Blob { run, name, .. } => (3, run.0, name).hash(&mut hasher),
            Row::Resource(resource) => (4, ResourceId::new(&resource.id)).hash(&mut hasher),
        }
        u128::from(hasher.finish())
    };
    half(0) << 64 | half(1)
}

/// What is wrong with a row.
#[derive(Default)]
struct Flaws {
    all: Vec<String>,
}

impl Flaws {
    fn add(&mut self, message: &str) {
        match self.all.len() {
            ..MOST => self.all.push(shortened(message)),
            MOST => self.all.push("and more".to_owned()),
            _ => {}
        }
    }

    fn format(&mut self, format: u16) {
        if format > FORMAT {
            self.add(&format!("`format` is {format}, and this program knows those up to {FORMAT}"));
        }
    }

    fn key(&mut self, key: &DeploymentKey) {
        let (scope, name) = (key.scope(), key.name());
        if !scope.is_empty() {
            self.id(scope);
        }
        if name.is_empty() || name.contains(is_unnamable) || name.contains('/') {
            self.add("`name` is not the name of a deployment");
        }
    }

    /// An id that requests can name, and that means one thing.
    fn id(&mut self, id: &str) {
        let is_wrong =
            |part: &str| part.is_empty() || part == "." || part == ".." || part.contains(is_unnamable);
        let is_fine = match id.strip_prefix('/') {
            Some(parts) => !parts.split('/').any(is_wrong),
            // What is the server's own.
            None => !id.is_empty() && !id.contains(char::is_control),
        };
        if !is_fine {
            self.add("`id` is no id that anybody could ask for");
        }
    }

    /// A resource says of itself where it is.
    fn own_id(&mut self, body: Value<'_>, id: &str) {
        let own = body.member("id").filter(|_| matches!(body.node(), Node::Object(_)));
        if let Some(own) = own
            && own.as_str().is_none_or(|own| own.to_lowercase() != id.to_lowercase())
        {
            self.add("`body.body.id` is another id than that of the row");
        }
    }

    fn body(&mut self, body: &str) {
        self.document(body);
    }

    /// The document that a body is, an object of which no two members are alike, and whose numbers every reader can read.
    fn document(&mut self, body: &str) -> Option<Document> {
        let document = match Document::from_json(body, FileId::FIRST, &LIMITS) {
            Ok(document) => document,
            Err(error) => {
                self.add(&format!(
                    "`body` cannot be read: {error} (line {}, column {})",
                    error.line, error.column
                ));
                return None;
            }
        };
        if !matches!(document.root().node(), Node::Object(_)) {
            self.add("`body` is not an object");
            return None;
        }
        self.look(document.root(), &mut "body".to_owned());
        Some(document)
    }

    /// Recursion is bounded by how deep a document may nest.
    fn look(&mut self, value: Value<'_>, path: &mut String) {
        let length = path.len();
        match value.node() {
            Node::Object(_) => {
                let mut names = HashSet::new();
                for (key, member) in value.members() {
                    let name = key.as_str().unwrap_or_default();
                    path.push('.');
                    path.push_str(&shortened(name));
                    if !names.insert(folded(name)) {
                        self.add(&format!("`{path}` is there twice, in another case"));
                    }
                    self.look(member, path);
                    path.truncate(length);
                }
            }
            Node::List(_) => {
                for (index, item) in value.items().enumerate() {
                    path.push_str(&format!("[{index}]"));
                    self.look(item, path);
                    path.truncate(length);
                }
            }
            Node::Decimal(text) => {
                let number: f64 = text.parse().unwrap_or(f64::INFINITY);
                let digits = text.split(['e', 'E']).next().unwrap_or_default();
                let is_zero = !digits.contains(|digit: char| ('1'..='9').contains(&digit));
                if !number.is_finite() || (number == 0.0 && !is_zero) {
                    self.add(&format!("`{path}` is a number beyond what clients can read"));
                }
            }
            _ => {}
        }
    }
}

/// Letters that no part of an id has.
fn is_unnamable(letter: char) -> bool {
    letter == '\\' || letter.is_control()
}

/// A text as errors show it: the start of it, and how long it is.
pub(super) fn shortened(text: &str) -> String {
    match text.char_indices().nth(SHOWN) {
        None => printable(text).into_owned(),
        Some((end, _)) => {
            let start = printable(text.get(..end).unwrap_or_default());
            format!("{start}… ({} bytes)", text.len())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(id: &str, body: &str) -> Vec<String> {
        let row = Row::Resource(Resource { id: id.to_owned(), version: 1, format: 1, body: body.to_owned() });
        Gate::new(Vec::new()).unwrap().check(&row)
    }

    #[test]
    fn what_the_engine_keeps_may_come_in() {
        for (id, body) in [
            ("/a/b", r#"{"body":{"id":"/A/b","n":[1,1.5,1e300,0e999,{"x":1}]},"digests":{}}"#),
            ("/a/b", r#"{"body":null,"digests":{"/x":"00"},"sealed":"AA"}"#),
            ("token:00", r#"{"name":"x"}"#),
        ] {
            assert_eq!(check(id, body), Vec::<String>::new(), "{id} {body}");
        }
    }

    #[test]
    fn what_nobody_could_read_back_stays_outside() {
        for (id, body, said) in [
            ("/a", r#"{"body":{"#, "`body` cannot be read"),
            ("/a", "", "`body` cannot be read"),
            ("/a", "[]", "`body` is not an object"),
            ("/a", r#"{"digests":{}}"#, "`body` has no member `body`"),
            ("/a", r#"{"body":{},"digests":[]}"#, "`body.digests`"),
            ("/a", r#"{"body":{"id":"/b"},"digests":{}}"#, "`body.body.id`"),
            ("/a", r#"{"body":{"id":5},"digests":{}}"#, "`body.body.id`"),
            ("/a", r#"{"body":{"x":{"Size":1,"size":2}},"digests":{}}"#, "`body.body.x.size` is there twice"),
            ("/a", r#"{"body":{"x":[1,1e400]},"digests":{}}"#, "`body.body.x[1]` is a number"),
            ("/a", r#"{"body":{"x":1e-400},"digests":{}}"#, "`body.body.x` is a number"),
            ("", r#"{"body":{},"digests":{}}"#, "`id`"),
            ("/a//b", r#"{"body":{},"digests":{}}"#, "`id`"),
            ("/a/../b", r#"{"body":{},"digests":{}}"#, "`id`"),
            ("/a/b\n", r#"{"body":{},"digests":{}}"#, "`id`"),
            ("/a/", r#"{"body":{},"digests":{}}"#, "`id`"),
            ("seal-key-check", "abc", "the first line says which key"),
        ] {
            let flaws = check(id, body);
            assert!(flaws.first().is_some_and(|flaw| flaw.starts_with(said)), "{id} {body}: {flaws:?}");
        }
    }

    #[test]
    fn a_row_comes_in_once() {
        let mut gate = Gate::new(Vec::new()).unwrap();
        let body = r#"{"body":{},"digests":{}}"#.to_owned();
        let row = |id: &str| {
            Row::Resource(Resource { id: id.to_owned(), version: 1, format: 1, body: body.clone() })
        };
        assert!(gate.check(&row("/a/B")).is_empty());
        assert_eq!(gate.check(&row("/A/b")), ["it is there twice"]);
        assert!(gate.check(&row("/a/c")).is_empty());
    }

    #[test]
    fn an_answer_stays_small() {
        let long = "n".repeat(1 << 20);
        let members: Vec<String> = (0..1000)
            .map(|at| format!("\"{long}{at}\":1e999").replace(&long, if at == 0 { &long } else { "x" }))
            .collect();
        let flaws = check("/a", &format!(r#"{{"body":{{{}}},"digests":{{}}}}"#, members.join(",")));
        assert!(flaws.len() <= MOST + 1 && flaws.iter().all(|flaw| flaw.len() < 1000), "{flaws:?}");
    }
}
