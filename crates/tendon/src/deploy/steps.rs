//! The steps of a deployment as they end, for people who watch.

use std::collections::BTreeMap;

use diagnostics::printable;
use diagnostics::terminal::Style;
use engine::core::{Program as _, Progress};
use engine::{Accepted, Watcher};

use crate::cli::{Common, Form};
use crate::output::Streams;

/// Shows steps as they end, on a terminal or where somebody wants to know everything.
pub(crate) struct Steps {
    shown: bool,
    colour: bool,
    /// What the steps of the outermost deployment are called.
    names: Vec<String>,
    /// How deep a deployment is inside others, by its number.
    depth: BTreeMap<usize, usize>,
    began: BTreeMap<(usize, usize), i64>,
}

impl Steps {
    pub(crate) fn new(accepted: &Accepted, streams: &Streams, common: &Common) -> Steps {
        let plan = accepted.program.plan();
        let name = |step: &arm::deployment::Step| match &step.symbol {
            Some(symbol) => match &step.copy {
                Some((_, index)) => format!("{symbol}[{index}] {}", step.type_name),
                None => format!("{symbol} {}", step.type_name),
            },
            None => format!("{} {}", step.name, step.type_name),
        };
        debug_assert!(accepted.program.steps() >= plan.steps().len(), "groups follow the steps");
        Steps {
            shown: common.form() == Form::Text && !common.quiet && (streams.watched || common.verbose),
            colour: streams.error_style == Style::Colour,
            names: plan.steps().iter().map(name).collect(),
            depth: BTreeMap::from([(0, 0)]),
            began: BTreeMap::new(),
        }
    }

    /// Says that there is nothing more to show.
    pub(crate) fn finish(&mut self) {
        self.shown = false;
    }

    fn line(&self, (run, step): (usize, usize), mark: &str, code: &str, rest: &str) {
        if !self.shown {
            return;
        }
        let indent = "  ".repeat(self.depth.get(&run).copied().unwrap_or(0));
        let unnamed = || format!("step {step}");
        let name = if run == 0 { self.names.get(step).cloned().unwrap_or_else(unnamed) } else { unnamed() };
        let mark = if self.colour { format!("\u{1b}[{code}m{mark}\u{1b}[0m") } else { mark.to_owned() };
        let text = format!("{indent}{mark} {}{rest}\n", printable(&name));
        let _ = std::io::Write::write_all(&mut std::io::stderr(), text.as_bytes());
    }
}

impl Watcher for Steps {
    fn see(&mut self, progress: &Progress, now: i64) {
        match progress {
            Progress::Began { run, within } => {
                let outer = self.depth.get(&within.0).copied().unwrap_or(0);
                self.depth.insert(*run, outer + 1);
                self.began.insert(*within, now);
            }
            Progress::Started { step, .. } => {
                self.began.entry(*step).or_insert(now);
            }
            Progress::Waiting { step, milliseconds, why } => {
                self.line(*step, "…", "33", &format!(": {why}, again in {} s", milliseconds.div_ceil(1000)));
            }
            Progress::Ended { step, failure, skipped } => {
                let took = self.began.remove(step).map_or(0, |began| now - began);
                let took = format!(" {}.{:03}s", took / 1000, took.rem_euclid(1000));
                match failure {
                    Some(failure) => self.line(*step, "✗", "31", &format!(" {}", failure.code)),
                    None if *skipped => self.line(*step, "=", "2", " was there already"),
                    None => self.line(*step, "✓", "32", &took),
                }
            }
            Progress::NotStarted { step } => self.line(*step, "-", "2", " not started"),
            Progress::Deleted { run, id } => {
                if self.shown {
                    let indent = "  ".repeat(self.depth.get(run).copied().unwrap_or(0));
                    let text = format!("{indent}- deleted {}\n", printable(id));
                    let _ = std::io::Write::write_all(&mut std::io::stderr(), text.as_bytes());
                }
            }
        }
    }
}
