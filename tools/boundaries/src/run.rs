//! Runs cells: all of them, or some that cover every pair of a boundary and a class.

use std::collections::{BTreeMap, HashMap};
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use crate::attack::{Attack, Class, Dialect, Must};
use crate::room::{Answer, Room, Shot};
use crate::value::Value;
use crate::world::World;
use crate::{Crossing, Result, adapters, attacks, judge, said};

/// The stack of a thread: values nest deeply here.
const STACK: usize = 256 << 20;

/// Of how many attacks of a class one is run, unless all are.
const STRIDE: usize = 20;

/// One attack at one boundary, and what came of it.
#[derive(Debug)]
pub struct Cell {
    /// The boundary.
    pub boundary: Crossing,
    /// The attack; nothing for what is seen at the end, when the states are read.
    pub attack: String,
    /// Its class.
    pub class: Class,
    /// What is wrong; empty if nothing is.
    pub wrong: Vec<String>,
    /// The beginning of the answer, if something is wrong.
    pub answer: String,
}

/// What is told of a boundary that is done: how long it took, and what came of all so far.
pub type Progress = Box<dyn Fn(Crossing, Duration, &Outcome) + Sync>;

/// What is run.
pub struct Wanted {
    /// Every cell, not only some that cover all pairs of a boundary and a class.
    pub all: bool,
    /// Only boundaries whose name contains this.
    pub boundary: Option<String>,
    /// Only attacks whose name contains this.
    pub attack: Option<String>,
    /// How many threads.
    pub threads: usize,
    /// Called when a boundary is done, with what came of all so far.
    pub progress: Progress,
}

/// What came of all cells.
#[derive(Debug, Default)]
pub struct Outcome {
    /// The cells that were run.
    pub cells: Vec<Cell>,
    /// How many cells were left out, by the reason.
    pub left_out: BTreeMap<&'static str, usize>,
    /// How long each boundary took.
    pub times: Vec<(Crossing, Duration)>,
}

/// Runs cells with a binary.
pub fn run(binary: &Path, wanted: &Wanted) -> Result<Outcome> {
    let path = std::env::temp_dir().join(format!("tendon-boundaries-{}-world", std::process::id()));
    let world = World::new(binary, path)?;
    let attacks = attacks::all();
    let boundaries: Vec<Crossing> = Crossing::all()
        .into_iter()
        .filter(|it| wanted.boundary.as_ref().is_none_or(|part| it.name().contains(part.as_str())))
        .collect();
    let (next, outcome) = (AtomicUsize::new(0), Mutex::new(Outcome::default()));
    std::thread::scope(|scope| {
        for _ in 0..wanted.threads.max(1) {
            let worker = std::thread::Builder::new().stack_size(STACK);
            let started = worker.spawn_scoped(scope, || {
                while let Some(boundary) = boundaries.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let start = Instant::now();
                    let mut job =
                        Job { boundary: *boundary, attacks: &attacks, wanted, found: Outcome::default() };
                    if let Err(error) = job.run(&world) {
                        job.add("", Class::Missing, vec![format!("could not be run: {error}")], "");
                    }
                    let mut all = outcome.lock().unwrap_or_else(PoisonError::into_inner);
                    all.cells.append(&mut job.found.cells);
                    for (reason, count) in job.found.left_out {
                        *all.left_out.entry(reason).or_default() += count;
                    }
                    all.times.push((*boundary, start.elapsed()));
                    (wanted.progress)(*boundary, start.elapsed(), &all);
                }
            });
            started.map(drop).map_err(said)?;
        }
        Ok(())
    })
    .map_err(|error: String| format!("no thread: {error}"))?;
    Ok(outcome.into_inner().unwrap_or_else(PoisonError::into_inner))
}

/// The cells of one boundary.
struct Job<'a> {
    boundary: Crossing,
    attacks: &'a [Attack],
    wanted: &'a Wanted,
    found: Outcome,
}

impl Job<'_> {
    fn add(&mut self, attack: &str, class: Class, wrong: Vec<String>, answer: &str) {
        let (boundary, attack) = (self.boundary, attack.to_owned());
        self.found.cells.push(Cell { boundary, attack, class, wrong, answer: answer.to_owned() });
    }

    /// Whether an attack is among those that are run: of each class one, another one at each boundary, or all of them.
    fn is_wanted(&self, number: usize, attack: &Attack) -> bool {
        if let Some(part) = &self.wanted.attack {
            return attack.name.contains(part.as_str());
        }
        if self.wanted.all {
            return true;
        }
        let of_class = |it: &&Attack| it.class == attack.class && it.dialects == attack.dialects;
        let before = self.attacks.iter().take(number).filter(of_class).count();
        let size = self.attacks.iter().filter(of_class).count();
        let turn = Crossing::all().iter().position(|it| *it == self.boundary).unwrap_or(0);
        // A large class is tried more often than a small one, and a small one at least once.
        (before + turn) % size.clamp(1, STRIDE) == 0
    }

    fn run(&mut self, world: &World) -> Result {
        let mut room = Room::new(world, &self.boundary.name())?;
        let mut twins: HashMap<(Dialect, Value), Option<String>> = HashMap::new();
        let mut refused: Vec<(String, usize)> = Vec::new();
        let mut accepted: Vec<String> = Vec::new();
        let attacks = self.attacks;
        for dialect in self.boundary.dialects() {
            for (number, attack) in attacks.iter().enumerate() {
                if !attack.dialects.contains(dialect) || !self.is_wanted(number, attack) {
                    continue;
                }
                if let Some(reason) = adapters::cannot(self.boundary, *dialect, attack) {
                    *self.found.left_out.entry(reason).or_default() += 1;
                    continue;
                }
                let name = format!("a{number:04}");
                let shot = Shot { name: &name, value: &attack.value, dialect: *dialect, is_attack: true };
                let (mut wrong, mut said) = match self.send(&mut room, &shot) {
                    Ok(answer) => (judge::attack(self.boundary, attack, &answer), beginning(&answer)),
                    Err(error) => (vec![format!("no answer: {error}")], String::new()),
                };
                let key = (*dialect, attack.twin.clone());
                if !twins.contains_key(&key) {
                    let name = format!("t{:04}", twins.len());
                    let shot = Shot { name: &name, value: &attack.twin, dialect: *dialect, is_attack: false };
                    let verdict = match self.send(&mut room, &shot) {
                        Ok(answer) => {
                            judge::twin(&answer).map(|why| format!("{why}: {}", beginning(&answer)))
                        }
                        Err(error) => Some(format!("twin: no answer: {error}")),
                    };
                    if verdict.is_none() {
                        accepted.push(name);
                    }
                    twins.insert(key.clone(), verdict);
                }
                if let Some(Some(why)) = twins.get(&key) {
                    wrong.push(
                        why.lines()
                            .next()
                            .unwrap_or_default()
                            .split(": ")
                            .next()
                            .unwrap_or_default()
                            .to_owned(),
                    );
                    said = format!("{said}\n{why}");
                }
                if attack.must == Must::BeRefused && wrong.is_empty() {
                    refused.push((name, self.found.cells.len()));
                }
                self.add(&attack.name, attack.class, wrong, &said);
            }
        }
        if adapters::keeps(self.boundary) {
            self.look_back(&mut room, &refused, &accepted);
        }
        Ok(())
    }

    /// Reads the states: nothing that was refused is there, and everything that was accepted is.
    fn look_back(&mut self, room: &mut Room<'_>, refused: &[(String, usize)], accepted: &[String]) {
        let has = |kept: &str, name: &str| {
            kept.contains(&format!("kept-{name}")) || kept.contains(&format!("kept{name}"))
        };
        match room.kept(true) {
            Ok(kept) => {
                for (name, cell) in refused {
                    if has(&kept, name)
                        && let Some(cell) = self.found.cells.get_mut(*cell)
                    {
                        cell.wrong.push("refused, and kept".to_owned());
                    }
                }
            }
            Err(error) => {
                self.add("", Class::Depth, vec!["the state cannot be read afterwards".to_owned()], &error)
            }
        }
        match room.kept(false) {
            Ok(kept) => {
                let lost: Vec<&str> =
                    accepted.iter().map(String::as_str).filter(|name| !has(&kept, name)).collect();
                if !lost.is_empty() {
                    self.add(
                        "",
                        Class::Missing,
                        vec!["a twin was accepted, and not kept".to_owned()],
                        &lost.join(" "),
                    );
                }
            }
            Err(error) => {
                self.add("", Class::Depth, vec!["the state of twins cannot be read".to_owned()], &error)
            }
        }
    }

    fn send(&self, room: &mut Room<'_>, shot: &Shot<'_>) -> Result<Answer> {
        let answer = adapters::send(self.boundary, room, shot);
        if room.server_lives() { answer } else { Err("the server ended".to_owned()) }
    }
}

/// The beginning of an answer, for people.
fn beginning(answer: &Answer) -> String {
    let text = String::from_utf8_lossy(&answer.text);
    text.chars().take(600).collect()
}
