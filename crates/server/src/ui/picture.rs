//! Pictures of deployments, and the places of their resources in the template. What was made last is kept, because those who follow a deployment ask for
//! it again and again.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use arm::template::Location;
use engine::state;
use graph::{Graph, Kind, Mark, Origins, Place, svg};
use pages::ui::SourcePlace;
use store::{Deployment, RunId, Status};

use crate::app::App;
use crate::refusal::Refusal;

/// How many resources a picture on a page has; a larger one is for `tendon graph`.
const MOST: usize = 1_500;

/// How many graphs and how many drawings are kept.
const GRAPHS: usize = 16;
const DRAWINGS: usize = 32;

/// How many lines before and after a place are shown, and how many characters of a line.
const AROUND: u32 = 2;
const WIDTH: usize = 160;

/// What was drawn last.
#[derive(Default)]
pub(super) struct Pictures {
    kept: Mutex<Kept>,
}

/// A picture, or why there is none.
type Drawing = Result<Arc<str>, String>;

#[derive(Default)]
struct Kept {
    graphs: Vec<(RunId, Arc<Drawn>)>,
    drawings: Vec<((RunId, u64), Drawing)>,
}

/// The graph of a deployment, and where its resources are written.
pub(super) struct Drawn {
    graph: Result<Graph, String>,
    places: BTreeMap<String, Location>,
    template: String,
}

impl Pictures {
    fn kept(&self) -> MutexGuard<'_, Kept> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The graph of a deployment. It is made once, and while nobody else has to wait for it.
    pub(super) fn graph(&self, app: &App, deployment: &Deployment) -> Result<Arc<Drawn>, Refusal> {
        if let Some((_, found)) = self.kept().graphs.iter().find(|(run, _)| *run == deployment.run) {
            return Ok(Arc::clone(found));
        }
        let drawn = Arc::new(Drawn::of(app, deployment)?);
        let mut kept = self.kept();
        kept.graphs.push((deployment.run, Arc::clone(&drawn)));
        let over = kept.graphs.len().saturating_sub(GRAPHS);
        kept.graphs.drain(..over);
        Ok(drawn)
    }

    /// The picture with these marks, as SVG, or why there is none.
    pub(super) fn svg(
        &self,
        run: RunId,
        drawn: &Drawn,
        marks: &BTreeMap<String, Mark>,
    ) -> Result<String, String> {
        let mut hasher = DefaultHasher::new();
        for (id, mark) in marks {
            (id, mark.word()).hash(&mut hasher);
        }
        let key = (run, hasher.finish());
        if let Some((_, found)) = self.kept().drawings.iter().find(|(found, _)| *found == key) {
            return found.clone().map(|text| text.to_string());
        }
        let made = drawn.svg(marks);
        let mut kept = self.kept();
        kept.drawings.push((key, made.clone().map(Into::into)));
        let over = kept.drawings.len().saturating_sub(DRAWINGS);
        kept.drawings.drain(..over);
        made
    }
}

impl Drawn {
    fn of(app: &App, deployment: &Deployment) -> Result<Drawn, Refusal> {
        let none = |why: &str| Drawn {
            graph: Err(why.to_owned()),
            places: BTreeMap::new(),
            template: String::new(),
        };
        let engine = app.host.engine();
        let Some(deployed) = state::deployed(&engine.store, deployment)? else {
            return Ok(none("the deployment is a part of another one, whose picture shows it"));
        };
        let origins = Places::default();
        let graph = match graph::of(deployment.key.name(), &deployed, &origins) {
            Ok((graph, _)) => graph,
            Err(errors) => {
                let why =
                    errors.first().map_or("the template cannot be read", |error| error.message.as_str());
                return Ok(none(why));
            }
        };
        let mut places = BTreeMap::new();
        for (node, place) in graph.nodes().iter().zip(origins.0.into_inner()) {
            places.extend(node.ids.iter().map(|id| (id.to_lowercase(), place.clone())));
        }
        let graph = if graph.nodes().len() > MOST {
            Err(format!("it would have more than {MOST} resources; `tendon graph` draws it"))
        } else {
            Ok(graph)
        };
        let template = engine.template_of(deployment)?.unwrap_or_default();
        Ok(Drawn { graph, places, template: String::from_utf8_lossy(&template).into_owned() })
    }

    /// The marks of a deployment that this server did not see run.
    pub(super) fn kept_marks(
        &self,
        app: &App,
        deployment: &Deployment,
    ) -> Result<BTreeMap<String, Mark>, Refusal> {
        let mut marks = BTreeMap::new();
        let Ok(graph) = &self.graph else { return Ok(marks) };
        if deployment.status == Status::Ended {
            let all =
                graph.nodes().iter().filter(|node| node.kind != Kind::Existing).flat_map(|node| &node.ids);
            marks.extend(all.map(|id| (id.to_lowercase(), Mark::NotStarted)));
        }
        for (id, succeeded) in state::ends(app.store(), deployment)? {
            marks.insert(id.to_lowercase(), if succeeded { Mark::Succeeded } else { Mark::Failed });
        }
        Ok(marks)
    }

    fn svg(&self, marks: &BTreeMap<String, Mark>) -> Result<String, String> {
        let mut graph = self.graph.clone()?;
        graph.mark(marks);
        svg::svg(&graph, &svg::Options { with_style: false, prefix: "plan" })
            .map_err(|error| error.to_string())
    }

    /// Where a resource is written.
    pub(super) fn place(&self, id: &str) -> Option<SourcePlace> {
        let found = self.places.get(&id.to_lowercase())?;
        let first = found.line.saturating_sub(AROUND).max(1);
        let lines =
            (first..=found.line.saturating_add(AROUND)).zip(self.template.lines().skip(first as usize - 1));
        let shown = lines.map(|(number, text)| {
            let column = if number == found.line { found.column } else { 1 };
            (number, window(text, column as usize))
        });
        let (lines, line, column) = (shown.collect(), found.line, found.column);
        Some(SourcePlace { file: format!("template ({})", found.path), line, column, lines })
    }
}

/// The part of a line around a column: a template may be one line.
fn window(text: &str, column: usize) -> String {
    let start = column.saturating_sub(1).saturating_sub(WIDTH / 4);
    let start = if column <= WIDTH { 0 } else { start };
    let shown: String = text.chars().skip(start).take(WIDTH).collect();
    let is_cut = text.chars().nth(start + WIDTH).is_some();
    format!("{}{shown}{}", if start > 0 { "…" } else { "" }, if is_cut { "…" } else { "" })
}

/// Remembers the places of the nodes, in their order.
#[derive(Default)]
struct Places(RefCell<Vec<Location>>);

impl Origins for Places {
    fn place(&self, _: &[String], _: Option<&str>, location: &dyn Fn() -> Location) -> Option<Place> {
        self.0.borrow_mut().push(location());
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_line_is_shown_around_its_column() {
        assert_eq!(window("short", 3), "short");
        let long = format!("{}X{}", "a".repeat(1_000), "b".repeat(1_000));
        let shown = window(&long, 1_001);
        assert!(shown.starts_with('…') && shown.ends_with('…') && shown.contains("aXb"));
        assert_eq!(shown.chars().count(), WIDTH + 2);
        assert_eq!(window("", 999), "…");
    }
}
