//! The steps of a deployment for people who watch: a live tree on a terminal, a line for each step that ended elsewhere.

use std::collections::BTreeMap;
use std::sync::Arc;

use arm::deployment::WhatIfDiagnostic;
use diagnostics::terminal::Style;
use diagnostics::{duration_words, printable};
use engine::core::{RunIndex, RunProgress, StepIndex, StepProgram};
use engine::{AcceptedDeployment, Watcher, add_new};

use super::live::LiveTree;
use super::tree::{Counts, Label, StepNames, StepTree};
use crate::common::{Common, Form};
use crate::output::Streams;

/// Shows steps as they end.
pub(crate) struct Steps {
    shown: ProgressView,
    /// What is told at the end, by deployment.
    counts: BTreeMap<RunIndex, Counts>,
    /// The deployment that a step is: one that is run again takes the place of the one before.
    runs: BTreeMap<(RunIndex, StepIndex), RunIndex>,
    programs: BTreeMap<RunIndex, Arc<dyn StepProgram>>,
    /// What there was to say of the deployments inside.
    diagnostics: Vec<WhatIfDiagnostic>,
    /// How deep a deployment is inside others, by its number.
    depth: BTreeMap<RunIndex, usize>,
    began: BTreeMap<(RunIndex, StepIndex), i64>,
}

enum ProgressView {
    Nothing,
    Lines(Style),
    Tree(LiveTree),
}

impl Steps {
    pub(crate) fn new(accepted: &AcceptedDeployment, streams: &Streams, common: &Common) -> Steps {
        let program: Arc<dyn StepProgram> = Arc::<engine::PlanProgram>::clone(&accepted.program);
        let silent = common.form() != Form::Text || common.quiet;
        let shown = if silent {
            ProgressView::Nothing
        } else if streams.live && !common.verbose {
            let tree = StepTree::new(accepted.key.name(), Box::new(StepLabels::new(&program)));
            ProgressView::Tree(LiveTree::new(tree, streams.error_style))
        } else if streams.watched || common.verbose {
            ProgressView::Lines(streams.error_style)
        } else {
            ProgressView::Nothing
        };
        Steps {
            shown,
            counts: BTreeMap::new(),
            runs: BTreeMap::new(),
            diagnostics: Vec::new(),
            programs: BTreeMap::from([(RunIndex::OUTERMOST, program)]),
            depth: BTreeMap::from([(RunIndex::OUTERMOST, 0)]),
            began: BTreeMap::new(),
        }
    }

    /// Shows the end, and says how many resources there were of each kind.
    pub(crate) fn finish(&mut self) -> Counts {
        if let ProgressView::Tree(live) = &mut self.shown {
            live.finish();
        }
        self.shown = ProgressView::Nothing;
        self.counts.values().fold(Counts::default(), |all, own| all.plus(own))
    }

    /// What there was to say of the deployments inside, each once.
    pub(crate) fn diagnostics(&mut self) -> Vec<WhatIfDiagnostic> {
        std::mem::take(&mut self.diagnostics)
    }

    fn label(&self, (run, step): (RunIndex, StepIndex)) -> Option<Label> {
        self.programs.get(&run).and_then(|program| label(&**program, step))
    }

    /// That a step was there already, and which option says that it is left alone then.
    fn already_exists_note(&self, (run, step): (RunIndex, StepIndex)) -> String {
        self.programs.get(&run).map(|program| already_exists_note(&**program, step)).unwrap_or_default()
    }

    fn line(&self, step: (RunIndex, StepIndex), mark: &str, code: &str, rest: &str) {
        let ProgressView::Lines(style) = self.shown else { return };
        let Some(label) = self.label(step) else { return };
        self.write(step.0, style, mark, code, &format!("{}{rest}", label.text()));
    }

    fn write(&self, run: RunIndex, style: Style, mark: &str, code: &str, text: &str) {
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
struct StepLabels {
    program: Arc<dyn StepProgram>,
    resources: usize,
}

impl StepLabels {
    fn new(program: &Arc<dyn StepProgram>) -> StepLabels {
        let resources =
            StepIndex::first(program.steps()).filter(|step| program.output_resource(*step).is_some()).count();
        StepLabels { program: Arc::clone(program), resources }
    }
}

impl StepNames for StepLabels {
    fn label(&self, step: StepIndex) -> Option<Label> {
        label(&*self.program, step)
    }

    fn resources(&self) -> usize {
        self.resources
    }

    fn already_exists_note(&self, step: StepIndex) -> String {
        already_exists_note(&*self.program, step)
    }
}

/// The name of a step; groups of steps have none.
fn label(program: &dyn StepProgram, step: StepIndex) -> Option<Label> {
    let (id, symbol) = program.subject(step);
    let counts = program.output_resource(step).is_some();
    (!id.is_empty() || symbol.is_some()).then(|| Label::of(id, symbol, counts))
}

/// That a step was there already, and which option says that it is left alone then.
fn already_exists_note(program: &dyn StepProgram, step: StepIndex) -> String {
    match program.left_alone_by(step) {
        Some(option) => format!("was there already ({option})"),
        None => "was there already".to_owned(),
    }
}

impl Watcher for Steps {
    fn on_progress(&mut self, progress: &RunProgress, now: i64) {
        match progress {
            RunProgress::Began { run, within, inside } => {
                let outer = self.depth.get(&within.0).copied().unwrap_or(0);
                self.depth.insert(*run, outer + 1);
                self.programs.insert(*run, Arc::clone(&inside.0));
                add_new(&mut self.diagnostics, inside.0.diagnostics());
                self.began.insert(*within, now);
                if let Some(before) = self.runs.insert(*within, *run) {
                    self.counts.remove(&before);
                }
            }
            RunProgress::Started { step, .. } => {
                self.began.entry(*step).or_insert(now);
            }
            RunProgress::Waiting { step, milliseconds, why } => {
                self.line(*step, "…", "33", &format!(": {why}, again in {} s", milliseconds.div_ceil(1000)));
            }
            RunProgress::Ended { step, failure, skipped } => {
                let took = self.began.remove(step).map_or(0, |began| now - began);
                let took = format!("  {}", duration_words(took));
                match failure {
                    Some(failure) => self.line(*step, "✗", "31", &format!("  {}", failure.code)),
                    None if *skipped => {
                        self.line(*step, "=", "2", &format!("  {}", self.already_exists_note(*step)))
                    }
                    None => self.line(*step, "✓", "32", &took),
                }
                // A module counts by what is inside it, unless it failed before it began.
                let is_whole = failure.is_some() && !self.runs.contains_key(step);
                if self.label(*step).is_some_and(|label| label.counts || is_whole) {
                    let counts = self.counts.entry(step.0).or_default();
                    match failure {
                        Some(_) => counts.failed += 1,
                        None if *skipped => counts.there += 1,
                        None => counts.done += 1,
                    }
                }
            }
            RunProgress::NotStarted { step } => {
                self.line(*step, "-", "2", "  not started");
                let counts = usize::from(self.label(*step).is_some_and(|label| label.counts));
                self.counts.entry(step.0).or_default().not_started += counts;
            }
            RunProgress::Deleted { run, id } => {
                if let ProgressView::Lines(style) = self.shown {
                    self.write(*run, style, "-", "2", &format!("deleted {id}"));
                }
            }
        }
        if let ProgressView::Tree(live) = &self.shown {
            live.change(now, |tree| match progress {
                RunProgress::Began { run, within, inside } => {
                    tree.began(*run, *within, Box::new(StepLabels::new(&inside.0)), now);
                }
                other => tree.see(other, now),
            });
        }
    }
}
