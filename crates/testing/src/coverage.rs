//! Coverage: which parts of programs the tests have reached, counted where they are written.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, PoisonError};

use bicep::FilePath;
use bicep::files::SourceFile;
use diagnostics::LineIndex;
use serde::Serialize;
use serde_json::{Map, Value as Json, json};
use syntax::ast::{AstNode as _, Decorator, Expr, Statement};
use syntax::{NodeKind, Span, SyntaxElement, SyntaxNode};

use crate::mutation::local_programs;
use crate::outcome::PlacePoint;
use crate::places::{point, text_of};
use crate::probes::{Hits, id};
use crate::session::Session;
use crate::template_points::{TemplatePoint, TemplatePoints};

/// The kinds of points, with their labels.
const KINDS: [(&str, &[&str]); 10] = [
    ("resource", &["deployed"]),
    ("condition", &["true", "false"]),
    ("ternary", &["true", "false"]),
    ("coalesce", &["left", "right"]),
    ("logical", &["left", "right"]),
    ("safe", &["value", "null"]),
    ("loop", &["none", "some"]),
    ("validator", &["accepted", "refused"]),
    ("constraint", &["accepted", "refused"]),
    ("function", &["called"]),
];

/// Decorators that bound values.
const CONSTRAINTS: [&str; 5] = ["minValue", "maxValue", "minLength", "maxLength", "allowed"];

/// A place that can be reached.
#[derive(Clone, Debug)]
pub struct CoveragePoint {
    /// The kind of place, as reports name it.
    pub kind: &'static str,
    /// The declaration that it stands in.
    pub name: String,
    /// Its first line and column.
    pub start: PlacePoint,
    /// How often each label was met.
    pub hits: Vec<u64>,
}

/// What was reached of a file.
#[derive(Clone, Debug)]
pub struct CoveredFile {
    /// The file, as people know it.
    pub file: String,
    /// What is written in it.
    pub text: Arc<str>,
    /// Its points, in the order of their places.
    pub points: Vec<CoveragePoint>,
}

/// What was reached of some labels.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct LabelCounts {
    /// Those that were met.
    pub covered: usize,
    /// All, met or not.
    pub total: usize,
}

/// What was reached of all programs.
#[derive(Clone, Debug, Default)]
pub struct CoverageRun {
    /// The files, sorted by name.
    pub files: Vec<CoveredFile>,
}

/// The labels of a point that were not met.
pub(crate) fn missing(point: &CoveragePoint) -> Vec<&'static str> {
    let all = labels(point.kind).iter().zip(&point.hits);
    all.filter(|(_, hits)| **hits == 0).map(|(label, _)| *label).collect()
}

fn labels(kind: &str) -> &'static [&'static str] {
    KINDS.iter().find(|(known, _)| *known == kind).map_or(&[], |(_, labels)| labels)
}

/// What the tests of files have reached.
pub fn coverage(session: &Session<'_>, files: &[FilePath]) -> CoverageRun {
    let hits = session.hits.lock().unwrap_or_else(PoisonError::into_inner);
    let programs = local_programs(session, files);
    let made = programs.into_iter().filter_map(|path| {
        let source = session.compiler.file(&path).ok()?;
        let SourceFile::Bicep(file) = &*source else { return Some(of_template(session, &path, &hits)) };
        let text = file.tree.shared_text();
        let lines = LineIndex::new(Arc::clone(&text));
        let mut finder = PointFinder { path: &path, lines: &lines, hits: &hits, points: Vec::new() };
        finder.program(file.tree.root());
        finder.points.sort_by_key(|point| (point.start.offset, point.kind));
        Some(CoveredFile { file: session.host.shown(&path), text, points: finder.points })
    });
    CoverageRun { files: made.collect() }
}

/// What was reached of a template.
fn of_template(session: &Session<'_>, path: &FilePath, hits: &Hits) -> CoveredFile {
    let text = text_of(session.compiler, path);
    let lines = LineIndex::new(Arc::clone(&text));
    let met = |id: &str| hits.get(id).copied().unwrap_or_default();
    let made = TemplatePoints::of(&text, path).points.into_iter().map(|found| {
        let TemplatePoint { kind, name, start, end, subject } = found;
        let hits: [u64; 2] = match kind {
            "resource" => met(&id(kind, &subject, path)),
            "constraint" | "validator" => {
                [met(&id("accepted", start, path))[0], met(&id("refused", start, path))[1]]
            }
            _ => met(&id(kind, format_args!("{start}-{end}"), path)),
        };
        let hits = hits.into_iter().take(labels(kind).len()).collect();
        CoveragePoint { kind, name, start: point(&lines, start), hits }
    });
    let mut points: Vec<CoveragePoint> = made.collect();
    points.sort_by_key(|point| (point.start.offset, point.kind));
    CoveredFile { file: session.host.shown(path), text, points }
}

struct PointFinder<'p> {
    path: &'p FilePath,
    lines: &'p LineIndex,
    hits: &'p Hits,
    points: Vec<CoveragePoint>,
}

impl PointFinder<'_> {
    fn met(&self, id: &str) -> [u64; 2] {
        self.hits.get(id).copied().unwrap_or_default()
    }

    fn push(&mut self, kind: &'static str, name: &str, at: u32, hits: &[u64]) {
        let hits = hits.iter().copied().take(labels(kind).len()).collect();
        let start = point(self.lines, at);
        self.points.push(CoveragePoint { kind, name: name.to_owned(), start, hits });
    }

    fn probe(&mut self, kind: &'static str, word: &str, name: &str, span: Span) {
        let hits = self.met(&id(word, format_args!("{}-{}", span.start, span.end), self.path));
        self.push(kind, name, span.start, &hits);
    }

    fn program(&mut self, root: SyntaxNode<'_>) {
        let functions = crate::mutants::functions_of(root);
        for node in root.children().filter_map(SyntaxElement::node) {
            let Some(statement) = Statement::cast(node) else { continue };
            let name = match statement {
                Statement::ResourceDeclaration(it) => {
                    if it.existing().is_none() {
                        self.deployed(it.name().text(), it.name().text(), node);
                    }
                    it.name().text()
                }
                Statement::ModuleDeclaration(it) => {
                    self.deployed(it.name().text(), it.name().text(), node);
                    it.name().text()
                }
                Statement::ParameterDeclaration(it) => {
                    self.rules(it.name().text(), node, &functions);
                    it.name().text()
                }
                Statement::TypeDeclaration(it) => {
                    self.rules(it.name().text(), node, &functions);
                    continue;
                }
                Statement::FunctionDeclaration(it) => {
                    self.probe("function", "function", it.name().text(), it.name().span());
                    it.name().text()
                }
                Statement::VariableDeclaration(it) => it.name().text(),
                Statement::OutputDeclaration(it) => it.name().text(),
                Statement::AssertDeclaration(it) => it.name().text(),
                _ => continue,
            };
            self.expressions(name, name, node);
        }
    }

    /// A resource or module, which is called by this symbol where it is deployed.
    fn deployed(&mut self, name: &str, symbol: &str, node: SyntaxNode<'_>) {
        let last = node.decorators().next_back().map(|decorator| decorator.span().end);
        let start = match last {
            // Behind decorators and the line break.
            Some(end) => {
                node.children().map(|child| child.span().start).find(|start| *start > end).unwrap_or(end)
            }
            None => node.span().start,
        };
        let hits = self.met(&id("resource", symbol, self.path));
        self.push("resource", name, start, &hits);
    }

    /// Constraints and validators of a parameter or a type, and of the parts of types in it.
    fn rules(&mut self, name: &str, node: SyntaxNode<'_>, functions: &BTreeSet<String>) {
        for node in node.subtree().filter(|node| node.kind() == NodeKind::Decorator) {
            let word = match Decorator::cast(node).map(Decorator::expression) {
                Some(Expr::FunctionCall(call)) => call.name().text().to_owned(),
                Some(Expr::InstanceFunctionCall(call)) => call.name().text().to_owned(),
                _ => continue,
            };
            let kind = match word.as_str() {
                word if CONSTRAINTS.contains(&word) => "constraint",
                "validate" => "validator",
                word if functions.contains(word) => "validator",
                _ => continue,
            };
            let start = node.span().start;
            let [accepted, _] = self.met(&id("accepted", start, self.path));
            let [_, refused] = self.met(&id("refused", start, self.path));
            self.push(kind, name, start, &[accepted, refused]);
        }
    }

    /// The points in a declaration, which is called by a symbol if it is a resource.
    fn expressions(&mut self, name: &str, symbol: &str, node: SyntaxNode<'_>) {
        let mut open = vec![node];
        while let Some(node) = open.pop() {
            for child in node.children().filter_map(SyntaxElement::node) {
                match child.kind() {
                    NodeKind::Decorator => {}
                    // A resource inside another one has a name of its own.
                    NodeKind::ResourceDeclaration => {
                        if let Some(it) = syntax::ast::ResourceDeclaration::cast(child) {
                            let own = it.name().text();
                            let symbol = format!("{symbol}::{own}");
                            if it.existing().is_none() {
                                self.deployed(own, &symbol, child);
                            }
                            // Recursion is bounded by how deep resources nest.
                            self.expressions(own, &symbol, child);
                        }
                    }
                    _ => {
                        self.expression(name, child);
                        open.push(child);
                    }
                }
            }
        }
    }

    fn expression(&mut self, name: &str, node: SyntaxNode<'_>) {
        let span = node.span();
        match Expr::cast(node) {
            Some(Expr::IfCondition(it)) => {
                self.probe("condition", "condition", name, it.condition().node().span());
            }
            Some(Expr::TernaryOperation(_)) => self.probe("ternary", "ternary", name, span),
            Some(Expr::BinaryOperation(it)) => match it.operator().map(|operator| operator.text()) {
                Some("??") => self.probe("coalesce", "coalesce", name, span),
                Some("&&") => self.probe("logical", "and", name, span),
                Some("||") => self.probe("logical", "or", name, span),
                _ => {}
            },
            Some(Expr::PropertyAccess(it)) if it.safe_access().is_some() => {
                self.probe("safe", "safe", name, span);
            }
            Some(Expr::ArrayAccess(it)) if it.safe_access().is_some() => {
                self.probe("safe", "safe", name, span);
            }
            Some(Expr::For(_)) => self.probe("loop", "loop", name, span),
            _ => {}
        }
    }
}

impl CoverageRun {
    /// What was reached of each kind.
    pub fn totals(&self) -> BTreeMap<&'static str, LabelCounts> {
        let mut totals: BTreeMap<&'static str, LabelCounts> = BTreeMap::new();
        for point in self.files.iter().flat_map(|file| &file.points) {
            let counts = totals.entry(point.kind).or_default();
            counts.total += point.hits.len();
            counts.covered += point.hits.iter().filter(|hits| **hits > 0).count();
        }
        totals
    }

    /// The part of all labels that was met, in percent; all of them if there are none.
    pub fn percent(&self) -> f64 {
        let (covered, total) =
            self.totals().values().fold((0, 0), |all, counts| (all.0 + counts.covered, all.1 + counts.total));
        if total == 0 { 100.0 } else { covered as f64 * 100.0 / total as f64 }
    }

    /// As JSON has it.
    pub fn json(&self) -> Json {
        let point = |point: &CoveragePoint| {
            let labels = labels(point.kind).iter().zip(&point.hits);
            let labels: Map<String, Json> =
                labels.map(|(label, hits)| ((*label).to_owned(), json!(hits))).collect();
            json!({ "kind": point.kind, "name": point.name, "start": point.start, "labels": labels })
        };
        let files: Vec<Json> = self
            .files
            .iter()
            .map(|file| json!({ "file": file.file, "points": file.points.iter().map(point).collect::<Vec<_>>() }))
            .collect();
        json!({ "files": files, "totals": self.totals(), "percent": self.percent() })
    }

    /// For people: what was reached of each file, and what was not.
    pub fn people(&self, all: bool) -> String {
        let mut text = String::new();
        for file in &self.files {
            let one = CoverageRun { files: vec![file.clone()] };
            text.push_str(&format!("coverage: {}: {:.1} %\n", file.file, one.percent()));
            for point in file.points.iter().filter(|_| all) {
                let missing = missing(point);
                if !missing.is_empty() {
                    let (line, column) = (point.start.line, point.start.column);
                    let (kind, missing) = (point.kind, missing.join(", "));
                    text.push_str(&format!(
                        "  {}:{line}:{column}: {kind} of `{}`: not {missing}\n",
                        file.file, point.name
                    ));
                }
            }
        }
        text.push_str(&format!("coverage: {:.1} % of all labels\n", self.percent()));
        text
    }

    /// As the tools of lcov read it.
    pub fn lcov(&self) -> String {
        let mut text = String::new();
        for file in &self.files {
            text.push_str(&format!("TN:\nSF:{}\n", file.file));
            for (line, hits) in lines(file) {
                text.push_str(&format!("DA:{line},{hits}\n"));
            }
            let (mut found, mut hit) = (0, 0);
            for (block, point) in file.points.iter().enumerate().filter(|(_, point)| point.hits.len() == 2) {
                for (branch, hits) in point.hits.iter().enumerate() {
                    found += 1;
                    hit += usize::from(*hits > 0);
                    text.push_str(&format!("BRDA:{},{block},{branch},{hits}\n", point.start.line));
                }
            }
            let all = lines(file);
            let met = all.values().filter(|hits| **hits > 0).count();
            text.push_str(&format!("BRF:{found}\nBRH:{hit}\nLF:{}\nLH:{met}\nend_of_record\n", all.len()));
        }
        text
    }

    /// As the tools of Cobertura read it.
    pub fn cobertura(&self) -> String {
        let escaped = |text: &str| {
            text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
        };
        let rate = |(met, all): (usize, usize)| if all == 0 { 1.0 } else { met as f64 / all as f64 };
        let of_lines = |file: &CoveredFile| {
            let lines = lines(file);
            (lines.values().filter(|hits| **hits > 0).count(), lines.len())
        };
        let of_branches = |file: &CoveredFile| {
            let labels =
                file.points.iter().filter(|point| point.hits.len() == 2).flat_map(|point| &point.hits);
            labels.fold((0, 0), |all, hits| (all.0 + usize::from(*hits > 0), all.1 + 1))
        };
        let sum = |of: &dyn Fn(&CoveredFile) -> (usize, usize)| {
            self.files.iter().map(of).fold((0, 0), |all, one| (all.0 + one.0, all.1 + one.1))
        };
        let (line_sum, branch_sum) = (sum(&of_lines), sum(&of_branches));
        let mut text = format!(
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<coverage line-rate=\"{:.4}\" branch-rate=\"{:.4}\" lines-covered=\"{}\" lines-valid=\"{}\" branches-covered=\"{}\" branches-valid=\"{}\" complexity=\"0\" version=\"1\" timestamp=\"0\">\n  <packages>\n    <package name=\"\" line-rate=\"{:.4}\" branch-rate=\"{:.4}\" complexity=\"0\">\n      <classes>\n",
            rate(line_sum),
            rate(branch_sum),
            line_sum.0,
            line_sum.1,
            branch_sum.0,
            branch_sum.1,
            rate(line_sum),
            rate(branch_sum)
        );
        for file in &self.files {
            let name = escaped(&file.file);
            text.push_str(&format!(
                "        <class name=\"{name}\" filename=\"{name}\" line-rate=\"{:.4}\" branch-rate=\"{:.4}\" complexity=\"0\">\n          <methods/>\n          <lines>\n",
                rate(of_lines(file)),
                rate(of_branches(file))
            ));
            for (line, hits) in lines(file) {
                let here = file.points.iter().filter(|it| it.start.line == line && it.hits.len() == 2);
                let labels: Vec<u64> = here.flat_map(|it| it.hits.iter().copied()).collect();
                if labels.is_empty() {
                    text.push_str(&format!(
                        "            <line number=\"{line}\" hits=\"{hits}\" branch=\"false\"/>\n"
                    ));
                } else {
                    let met = labels.iter().filter(|hits| **hits > 0).count();
                    let percent = met * 100 / labels.len();
                    text.push_str(&format!(
                        "            <line number=\"{line}\" hits=\"{hits}\" branch=\"true\" condition-coverage=\"{percent}% ({met}/{})\"/>\n",
                        labels.len()
                    ));
                }
            }
            text.push_str("          </lines>\n        </class>\n");
        }
        text.push_str("      </classes>\n    </package>\n  </packages>\n</coverage>\n");
        text
    }
}

/// The lines of a file with points: a resource or a function counts for its line, else the first point.
pub(crate) fn lines(file: &CoveredFile) -> BTreeMap<u32, u64> {
    let mut lines: BTreeMap<u32, u64> = BTreeMap::new();
    let is_whole = |point: &&CoveragePoint| matches!(point.kind, "resource" | "function");
    for point in file.points.iter().filter(is_whole).chain(&file.points) {
        lines.entry(point.start.line).or_insert_with(|| point.hits.iter().sum());
    }
    lines
}
