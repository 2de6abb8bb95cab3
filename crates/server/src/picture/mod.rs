//! Pictures of deployments, and the places of their resources in the template. What was made last is kept, because those who follow a deployment ask for
//! it again and again.

pub(crate) mod drawing;

use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet};
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::ops::Range;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use arm::Caseless as _;
use arm::template::ErrorLocation;
use document::{Document, FileId, JsonOptions, ReadLimits, SourceValue};
use engine::{Engine, Failure, state};
use graph::{Graph, NoOrigins, Origins, ResourceOutcome, SourceLine};
use pages::ui::SourcePlace;
use store::{Deployment, RunId};

use drawing::{Drawing, Drawings};

use crate::api_error::ApiError;
use crate::template_secrets as secrets;

/// How many graphs are kept.
const GRAPHS: usize = 16;

/// How many lines of a resource are shown, and how many characters of a line.
const LINES: u32 = 15;
const WIDTH: usize = 160;

/// What was drawn last.
#[derive(Default)]
pub(crate) struct Pictures {
    kept: Mutex<PictureCache>,
}

#[derive(Default)]
struct PictureCache {
    graphs: Vec<(RunId, Arc<Drawn>)>,
    drawings: Drawings<(RunId, u64)>,
}

/// The graph of a deployment, or why there is none.
pub(crate) struct Drawn {
    graph: Result<Graph, String>,
    deployed: Option<arm::deployment::Deployment>,
    template: String,
    /// Where the template has secrets, once somebody asked; none if that cannot be said.
    secrets: OnceLock<Option<Vec<Range<u32>>>>,
}

impl Pictures {
    fn kept(&self) -> MutexGuard<'_, PictureCache> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The graph of a deployment. It is made once, and while nobody else has to wait for it.
    pub(crate) fn graph(&self, engine: &Engine, deployment: &Deployment) -> Result<Arc<Drawn>, ApiError> {
        if let Some((_, found)) = self.kept().graphs.iter().find(|(run, _)| *run == deployment.run) {
            return Ok(Arc::clone(found));
        }
        let drawn = Arc::new(Drawn::of(engine, deployment)?);
        let mut kept = self.kept();
        kept.graphs.push((deployment.run, Arc::clone(&drawn)));
        let over = kept.graphs.len().saturating_sub(GRAPHS);
        kept.graphs.drain(..over);
        Ok(drawn)
    }

    /// The picture with these marks, as SVG, or why there is none.
    pub(crate) fn svg(
        &self,
        run: RunId,
        drawn: &Drawn,
        marks: &BTreeMap<String, ResourceOutcome>,
    ) -> Result<String, String> {
        let mut hasher = DefaultHasher::new();
        for (id, mark) in marks {
            (id, mark.word()).hash(&mut hasher);
        }
        let key = (run, hasher.finish());
        if let Some(found) = self.kept().drawings.find(&key) {
            return found.map(|text| text.to_string());
        }
        let made = drawn.svg(marks);
        self.kept().drawings.keep(key, made.clone());
        made.map(|text| text.to_string())
    }
}

impl Drawn {
    fn of(engine: &Engine, deployment: &Deployment) -> Result<Drawn, ApiError> {
        let none = |why: &str| Drawn {
            graph: Err(why.to_owned()),
            deployed: None,
            template: String::new(),
            secrets: OnceLock::new(),
        };
        let Some(deployed) = state::deployed(&engine.store, deployment)? else {
            return Ok(none("the deployment is a part of another one, whose picture shows it"));
        };
        let graph = match graph::of(deployment.key.name(), &deployed, &NoOrigins) {
            Ok((graph, _)) => graph,
            Err(errors) => {
                let why =
                    errors.first().map_or("the template cannot be read", |error| error.message.fragment());
                return Ok(none(why));
            }
        };
        let template = engine.template_of(deployment)?.unwrap_or_default();
        let template = String::from_utf8_lossy(&template).into_owned();
        Ok(Drawn { graph: Ok(graph), deployed: Some(deployed), template, secrets: OnceLock::new() })
    }

    /// The graph, if it is not too large to be looked at.
    pub(crate) fn drawable(&self) -> Result<&Graph, String> {
        let graph = self.graph.as_ref().map_err(Clone::clone)?;
        drawing::check(graph)?;
        Ok(graph)
    }

    fn svg(&self, marks: &BTreeMap<String, ResourceOutcome>) -> Drawing {
        let mut graph = self.drawable()?.clone();
        graph.mark(marks);
        drawing::draw(&graph)
    }

    /// Where resources are written, by their ids in lower case.
    pub(crate) fn places(&self, ids: &[&str]) -> BTreeMap<String, ErrorLocation> {
        let (Ok(graph), Some(deployed)) = (&self.graph, &self.deployed) else { return BTreeMap::new() };
        let ids: BTreeSet<String> = ids.iter().map(|id| id.caseless()).collect();
        let mut wanted = BTreeMap::new();
        for (at, node) in graph.nodes().iter().enumerate() {
            wanted.extend(
                node.ids.iter().map(|id| id.caseless()).filter(|id| ids.contains(id)).map(|id| (at, id)),
            );
        }
        if wanted.is_empty() {
            return BTreeMap::new();
        }
        // To find a place takes long in a large template, so only those that are asked for are looked for.
        let places = Places { wanted, count: Cell::new(0), found: RefCell::default() };
        let _ = graph::of("", deployed, &places);
        places.found.into_inner()
    }

    /// The place of an error with the lines of its resource: what the error names in it, or its beginning.
    pub(crate) fn source(&self, found: &ErrorLocation, failure: &Failure) -> SourcePlace {
        let (start, end) = (found.span.start as usize, found.span.end as usize);
        let breaks = self.template.get(start..end).map_or(0, |text| text.matches('\n').count());
        let last = found.line.saturating_add(u32::try_from(breaks).unwrap_or(u32::MAX));
        let named = path_of(failure).and_then(|path| Some((path, self.position(found, path)?)));
        let (path, (line, column)) = named.unwrap_or((&found.path, (found.line, found.column)));
        // The line that is meant is among those that are shown.
        let first = line.saturating_sub(LINES / 2).max(found.line);
        let numbers = first..=last.min(first.saturating_add(LINES - 1));
        // Without knowing what is a secret, nothing is shown.
        let hidden = self.secrets.get_or_init(|| secrets::of(&self.template));
        let text = hidden.as_ref().map_or("", |_| self.template.as_str());
        let hidden = hidden.as_deref().unwrap_or_default();
        let mut at = 0;
        let lines = text.split_inclusive('\n').map(|line| {
            let start = at;
            at += line.len();
            (start, line.trim_end_matches(['\n', '\r']))
        });
        let lines = numbers.zip(lines.skip(first.saturating_sub(1) as usize));
        let shown = lines.map(|(number, (start, text))| {
            let before = if number == line { column.saturating_sub(1) as usize } else { 0 };
            let before = text.char_indices().nth(before).map_or(text.len(), |(at, _)| at);
            let before =
                secrets::masked(text.get(..before).unwrap_or_default(), start, hidden).chars().count();
            (number, window(&secrets::masked(text, start, hidden), before + 1))
        });
        let (lines, file) = (shown.collect(), format!("template ({path})"));
        SourcePlace { file, line, column, lines }
    }

    /// The line and column of a path inside of a resource; none if it leads out of it, as in templates inside of this one.
    fn position(&self, found: &ErrorLocation, path: &str) -> Option<(u32, u32)> {
        let text = self.template.as_str();
        let template =
            Document::from_json_with(text, FileId::FIRST, &ReadLimits::DEFAULT, JsonOptions::TEMPLATE)
                .ok()?;
        let offset = offset_of(&template, path)?;
        (found.span.start <= offset && offset < found.span.end).then(|| template.position(offset))
    }
}

/// The path in a template that an error names: `resources[1].properties.sku`.
fn path_of(failure: &Failure) -> Option<&str> {
    failure.additional_info.iter().find_map(|info| {
        let info = info.as_object()?.get("info")?.as_object()?;
        info.get("path")?.as_str()
    })
}

/// Where the end of a path is in a template: the offset of its value.
fn offset_of(template: &Document, path: &str) -> Option<u32> {
    let mut value = template.root();
    for part in path.split('.') {
        let (name, indexes) = part.split_once('[').unwrap_or((part, ""));
        if !name.is_empty() {
            let is_it = |member: SourceValue<'_>| {
                member.as_str().is_some_and(|member| member.eq_ignore_ascii_case(name))
            };
            value = value.members().find(|(member, _)| is_it(*member))?.1;
        }
        for index in indexes.split('[').filter(|index| !index.is_empty()) {
            value = value.items().nth(index.strip_suffix(']')?.parse().ok()?)?;
        }
    }
    Some(value.place().start)
}

/// The part of a line around a column: a template may be one line.
fn window(text: &str, column: usize) -> String {
    let start = column.saturating_sub(1).saturating_sub(WIDTH / 4);
    let start = if column <= WIDTH { 0 } else { start };
    let shown: String = text.chars().skip(start).take(WIDTH).collect();
    let is_cut = text.chars().nth(start + WIDTH).is_some();
    format!("{}{shown}{}", if start > 0 { "…" } else { "" }, if is_cut { "…" } else { "" })
}

/// Finds the places of some nodes, by their numbers.
struct Places {
    wanted: BTreeMap<usize, String>,
    count: Cell<usize>,
    found: RefCell<BTreeMap<String, ErrorLocation>>,
}

impl Origins for Places {
    fn place(
        &self,
        _: &[String],
        _: Option<&str>,
        location: &dyn Fn() -> ErrorLocation,
    ) -> Option<SourceLine> {
        // A graph is always made in the same order.
        let at = self.count.replace(self.count.get() + 1);
        if let Some(id) = self.wanted.get(&at) {
            self.found.borrow_mut().insert(id.clone(), location());
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_lead_through_templates() {
        let text = r#"{"resources": [{"a": 1}, {"b": [[7, {"c": true}]]}]}"#;
        let template =
            Document::from_json_with(text, FileId::FIRST, &ReadLimits::DEFAULT, JsonOptions::TEMPLATE)
                .unwrap();
        let found =
            |path: &str| offset_of(&template, path).and_then(|at| text.get(at as usize..at as usize + 1));
        assert_eq!(found("resources[1].B[0][0]"), Some("7"));
        assert_eq!(found("resources[1].b[0][1].c"), Some("t"));
        for wrong in ["resources[2]", "resources[x]", "other", "resources[0].a.b", "resources[0"] {
            assert_eq!(found(wrong), None, "{wrong}");
        }
    }

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
