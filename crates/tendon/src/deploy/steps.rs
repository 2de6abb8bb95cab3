//! The steps of a deployment for people who watch: a live tree on a terminal, a line for each step that ended elsewhere.

use std::collections::BTreeMap;
use std::sync::Arc;

use arm::deployment::Diagnostic;
use diagnostics::printable;
use diagnostics::terminal::Style;
use engine::core::{Program, Progress};
use engine::{Accepted, Watcher, add_new};

use super::live::Live;
use super::tree::{Counts, Label, Names, Tree};
use crate::cli::{Common, Form};
use crate::output::Streams;

/// Shows steps as they end.
pub(crate) struct Steps {
    shown: Shown,
    /// What is told at the end, by deployment.
    counts: BTreeMap<usize, Counts>,
    /// The deployment that a step is: one that is run again takes the place of the one before.
    runs: BTreeMap<(usize, usize), usize>,
    programs: BTreeMap<usize, Arc<dyn Program>>,
    /// What there was to say of the deployments inside.
    diagnostics: Vec<Diagnostic>,
    /// How deep a deployment is inside others, by its number.
    depth: BTreeMap<usize, usize>,
    began: BTreeMap<(usize, usize), i64>,
}

enum Shown {
    Nothing,
    Lines(Style),
    Tree(Live),
}

impl Steps {
    pub(crate) fn new(accepted: &Accepted, streams: &Streams, common: &Common) -> Steps {
        let program: Arc<dyn Program> = Arc::<engine::PlanProgram>::clone(&accepted.program);
        let silent = common.form() != Form::Text || common.quiet;
        let shown = if silent {
            Shown::Nothing
        } else if streams.live && !common.verbose {
            let tree = Tree::new(accepted.key.name(), Box::new(Named::new(&program)));
            Shown::Tree(Live::new(tree, streams.error_style))
        } else if streams.watched || common.verbose {
            Shown::Lines(streams.error_style)
        } else {
            Shown::Nothing
        };
        Steps {
            shown,
            counts: BTreeMap::new(),
            runs: BTreeMap::new(),
            diagnostics: Vec::new(),
            programs: BTreeMap::from([(0, program)]),
            depth: BTreeMap::from([(0, 0)]),
            began: BTreeMap::new(),
        }
    }

    /// Shows the end, and says how many resources there were of each kind.
    pub(crate) fn finish(&mut self) -> Counts {
        if let Shown::Tree(live) = &mut self.shown {
            live.finish();
        }
        self.shown = Shown::Nothing;
        self.counts.values().fold(Counts::default(), |all, own| all.plus(own))
    }

    /// What there was to say of the deployments inside, each once.
    pub(crate) fn diagnostics(&mut self) -> Vec<Diagnostic> {
        std::mem::take(&mut self.diagnostics)
    }

    fn label(&self, (run, step): (usize, usize)) -> Option<Label> {
        self.programs.get(&run).and_then(|program| label(&**program, step))
    }

    /// That a step was there already, and which option says that it is left alone then.
    fn there(&self, (run, step): (usize, usize)) -> String {
        self.programs.get(&run).map(|program| there(&**program, step)).unwrap_or_default()
    }

    fn line(&self, step: (usize, usize), mark: &str, code: &str, rest: &str) {
        let Shown::Lines(style) = self.shown else { return };
        let Some(label) = self.label(step) else { return };
        self.write(step.0, style, mark, code, &format!("{}{rest}", label.text()));
    }

    fn write(&self, run: usize, style: Style, mark: &str, code: &str, text: &str) {
        let indent = "  ".repeat(self.depth.get(&run).copied().unwrap_or(0));
        let mark = match style {
            Style::Colour => format!("\u{1b}[{code}m{mark}\u{1b}[0m"),
            Style::Plain => mark.to_owned(),
        };
        let text = format!("{indent}{mark} {}\n", printable(text));
        let _ = std::io::Write::write_all(&mut std::io::stderr(), text.as_bytes());
    }
}

/// The names of the steps of a program.
struct Named {
    program: Arc<dyn Program>,
    resources: usize,
}

impl Named {
    fn new(program: &Arc<dyn Program>) -> Named {
        let resources = (0..program.steps()).filter(|step| program.output_resource(*step).is_some()).count();
        Named { program: Arc::clone(program), resources }
    }
}

impl Names for Named {
    fn label(&self, step: usize) -> Option<Label> {
        label(&*self.program, step)
    }

    fn resources(&self) -> usize {
        self.resources
    }

    fn there(&self, step: usize) -> String {
        there(&*self.program, step)
    }
}

/// The name of a step; groups of steps have none.
fn label(program: &dyn Program, step: usize) -> Option<Label> {
    let (id, symbol) = program.subject(step);
    let counts = program.output_resource(step).is_some();
    (!id.is_empty() || symbol.is_some()).then(|| Label::of(id, symbol, counts))
}

/// That a step was there already, and which option says that it is left alone then.
fn there(program: &dyn Program, step: usize) -> String {
    match program.left_alone_by(step) {
        Some(option) => format!("was there already ({option})"),
        None => "was there already".to_owned(),
    }
}

impl Watcher for Steps {
    fn see(&mut self, progress: &Progress, now: i64) {
        match progress {
            Progress::Began { run, within, inside } => {
                let outer = self.depth.get(&within.0).copied().unwrap_or(0);
                self.depth.insert(*run, outer + 1);
                self.programs.insert(*run, Arc::clone(&inside.0));
                add_new(&mut self.diagnostics, inside.0.diagnostics());
                self.began.insert(*within, now);
                if let Some(before) = self.runs.insert(*within, *run) {
                    self.counts.remove(&before);
                }
            }
            Progress::Started { step, .. } => {
                self.began.entry(*step).or_insert(now);
            }
            Progress::Waiting { step, milliseconds, why } => {
                self.line(*step, "…", "33", &format!(": {why}, again in {} s", milliseconds.div_ceil(1000)));
            }
            Progress::Ended { step, failure, skipped } => {
                let took = self.began.remove(step).map_or(0, |began| now - began);
                let took = format!("  {}.{:03}s", took / 1000, took.rem_euclid(1000));
                match failure {
                    Some(failure) => self.line(*step, "✗", "31", &format!("  {}", failure.code)),
                    None if *skipped => self.line(*step, "=", "2", &format!("  {}", self.there(*step))),
                    None => self.line(*step, "✓", "32", &took),
                }
                if self.label(*step).is_some_and(|label| label.counts) {
                    let counts = self.counts.entry(step.0).or_default();
                    match failure {
                        Some(_) => counts.failed += 1,
                        None if *skipped => counts.there += 1,
                        None => counts.done += 1,
                    }
                }
            }
            Progress::NotStarted { step } => {
                self.line(*step, "-", "2", "  not started");
                let counts = usize::from(self.label(*step).is_some_and(|label| label.counts));
                self.counts.entry(step.0).or_default().not_started += counts;
            }
            Progress::Deleted { run, id } => {
                if let Shown::Lines(style) = self.shown {
                    self.write(*run, style, "-", "2", &format!("deleted {id}"));
                }
            }
        }
        if let Shown::Tree(live) = &self.shown {
            live.change(now, |tree| match progress {
                Progress::Began { run, within, inside } => {
                    tree.began(*run, *within, Box::new(Named::new(&inside.0)), now);
                }
                other => tree.see(other, now),
            });
        }
    }
}
