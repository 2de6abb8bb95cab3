//! A deployment under way as a tree of lines: a picture of a state, for a width and a height.
//!
//! Nothing here knows a terminal or a clock. What does not fit is told in fewer words: loops in one line each, then deployments that
//! ended well, then everything that ended well.

use std::collections::{BTreeMap, BTreeSet};

use diagnostics::duration_words;
use diagnostics::terminal::{Style, cells, fit};
use engine::core::{RunIndex, RunProgress, StepIndex};

/// What the steps of a deployment are called.
pub(crate) trait StepNames: Send {
    /// The name of a step; none if it is nothing that people know.
    fn label(&self, step: StepIndex) -> Option<Label>;

    /// How many resources the deployment has.
    fn resources(&self) -> usize;

    /// That a step was there already, and why it is left alone then.
    fn already_exists_note(&self, _step: StepIndex) -> String {
        "was there already".to_owned()
    }
}

/// What a step is called.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Label {
    /// The symbolic name, which the steps of a loop share.
    pub(crate) symbol: Option<String>,
    pub(crate) name: String,
    pub(crate) kind: String,
    /// Whether it is one of the resources that were counted.
    pub(crate) counts: bool,
}

impl Label {
    /// What an id says of a resource.
    pub(crate) fn of(id: &str, symbol: Option<&str>, counts: bool) -> Label {
        let name = id.rsplit('/').next().unwrap_or_default().to_owned();
        let rest = id.rfind("/providers/").and_then(|at| id.get(at + "/providers/".len()..));
        let kind = match rest {
            Some(rest) => {
                let mut parts = rest.split('/');
                let namespace = parts.next().unwrap_or_default().to_owned();
                parts.step_by(2).fold(namespace, |kind, part| format!("{kind}/{part}"))
            }
            // `/subscriptions/ID/resourceGroups/NAME`
            None => id.rsplit('/').nth(1).unwrap_or_default().to_owned(),
        };
        Label { symbol: symbol.map(str::to_owned), name, kind, counts }
    }

    /// All of it in one line.
    pub(super) fn text(&self) -> String {
        let parts = [self.symbol.as_deref().unwrap_or_default(), self.name.as_str(), self.kind.as_str()];
        parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join("  ")
    }
}

/// How far a step is.
#[derive(Clone, Debug, PartialEq, Eq)]
enum StepStage {
    Working,
    Waiting(String),
    Done,
    There(String),
    Failed(String),
    NotStarted,
}

struct TreeNode {
    label: Label,
    state: StepStage,
    began: i64,
    ended: i64,
    attempt: u32,
    /// The deployment that it is.
    run: Option<RunIndex>,
}

struct Branch {
    names: Box<dyn StepNames>,
    nodes: BTreeMap<StepIndex, TreeNode>,
    deleted: Vec<String>,
}

/// How much is told.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Detail {
    Everything,
    /// A loop is one line.
    Loops,
    /// So is a deployment that ended well.
    Deployments,
    /// So is everything in a deployment that ended well.
    Open,
}

const DETAILS: [Detail; 4] = [Detail::Everything, Detail::Loops, Detail::Deployments, Detail::Open];

/// A deployment under way.
pub(crate) struct StepTree {
    name: String,
    began: Option<i64>,
    branches: BTreeMap<RunIndex, Branch>,
}

/// How the tree is to look.
#[derive(Clone, Copy)]
pub(crate) struct TreeFrame {
    /// The time, on the clock of the events.
    pub(crate) now: i64,
    /// How many cells a line may take.
    pub(crate) width: usize,
    /// How many lines there may be.
    pub(crate) height: usize,
    /// Whether to use colours.
    pub(crate) style: Style,
}

/// How many steps ended, and how.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Counts {
    /// They were done, or found.
    pub(crate) done: usize,
    /// They were there, and nothing had to be done.
    pub(crate) there: usize,
    pub(crate) failed: usize,
    /// They will never start.
    pub(crate) not_started: usize,
    working: usize,
    waiting: usize,
}

impl StepTree {
    /// A deployment of which nothing has happened yet.
    pub(crate) fn new(name: &str, names: Box<dyn StepNames>) -> StepTree {
        let mut tree = StepTree { name: name.to_owned(), began: None, branches: BTreeMap::new() };
        tree.add(RunIndex::OUTERMOST, names);
        tree
    }

    fn add(&mut self, run: RunIndex, names: Box<dyn StepNames>) {
        self.branches.insert(run, Branch { names, nodes: BTreeMap::new(), deleted: Vec::new() });
    }

    /// A deployment inside began.
    pub(crate) fn began(
        &mut self,
        run: RunIndex,
        within: (RunIndex, StepIndex),
        names: Box<dyn StepNames>,
        now: i64,
    ) {
        self.add(run, names);
        self.began.get_or_insert(now);
        let before = self.node(within, now).and_then(|node| {
            node.state = StepStage::Working;
            node.run.replace(run)
        });
        // One that is run again takes the place of the one before.
        if let Some(before) = before {
            self.branches.remove(&before);
        }
    }

    pub(crate) fn see(&mut self, progress: &RunProgress, now: i64) {
        self.began.get_or_insert(now);
        match progress {
            RunProgress::Began { .. } => {}
            RunProgress::Started { step, attempt } => {
                if let Some(node) = self.node(*step, now) {
                    (node.state, node.attempt) = (StepStage::Working, *attempt);
                }
            }
            RunProgress::Waiting { step, why, .. } => {
                if let Some(node) = self.node(*step, now) {
                    node.state = StepStage::Waiting(why.to_string());
                }
            }
            RunProgress::Ended { step, failure, skipped } => {
                let there = self.branches.get(&step.0).map(|branch| branch.names.already_exists_note(step.1));
                if let Some(node) = self.node(*step, now) {
                    node.ended = now;
                    node.state = match failure {
                        Some(failure) => StepStage::Failed(failure.code.to_string()),
                        None if *skipped => StepStage::There(there.unwrap_or_default()),
                        None => StepStage::Done,
                    };
                }
            }
            RunProgress::NotStarted { step } => {
                if let Some(node) = self.node(*step, now) {
                    node.state = StepStage::NotStarted;
                }
            }
            RunProgress::Deleted { run, id } => {
                if let Some(branch) = self.branches.get_mut(run) {
                    branch.deleted.push(id.to_string());
                }
            }
        }
    }

    fn node(&mut self, (run, step): (RunIndex, StepIndex), now: i64) -> Option<&mut TreeNode> {
        let branch = self.branches.get_mut(&run)?;
        if !branch.nodes.contains_key(&step) {
            let label = branch.names.label(step)?;
            let node =
                TreeNode { label, state: StepStage::Working, began: now, ended: now, attempt: 1, run: None };
            branch.nodes.insert(step, node);
        }
        branch.nodes.get_mut(&step)
    }

    /// How many resources there are of each kind, in all deployments.
    pub(crate) fn counts(&self) -> Counts {
        let mut counts = Counts::default();
        for branch in self.branches.values() {
            let nodes = branch.nodes.values().filter(|node| node.label.counts);
            let mut seen = 0;
            for node in nodes {
                seen += 1;
                count(&mut counts, node);
            }
            counts.waiting += branch.names.resources().saturating_sub(seen);
        }
        counts
    }

    /// The lines, at most as many and as wide as the frame says.
    pub(crate) fn lines(&self, frame: TreeFrame) -> Vec<String> {
        let mut lines = Vec::new();
        // What is large anyway is not drawn in full first.
        let nodes: usize = self.branches.values().map(|branch| branch.nodes.len()).sum();
        let skip = usize::from(nodes >= frame.height);
        for detail in DETAILS.into_iter().skip(skip) {
            let mut drawing = Drawing { tree: self, frame, detail, lines: Vec::new() };
            drawing.header();
            drawing.branch(RunIndex::OUTERMOST, "");
            lines = drawing.lines;
            if lines.len() <= frame.height {
                return lines;
            }
        }
        let more = lines.len().saturating_sub(frame.height.saturating_sub(1));
        lines.truncate(frame.height.saturating_sub(1));
        lines.push(fit(&format!("… {more} more"), frame.width));
        lines
    }
}

fn count(counts: &mut Counts, node: &TreeNode) {
    match node.state {
        StepStage::Working | StepStage::Waiting(_) => counts.working += 1,
        StepStage::Done => counts.done += 1,
        StepStage::There(_) => counts.there += 1,
        StepStage::Failed(_) => counts.failed += 1,
        StepStage::NotStarted => counts.not_started += 1,
    }
}

impl Counts {
    pub(crate) fn plus(self, other: &Counts) -> Counts {
        Counts {
            done: self.done + other.done,
            there: self.there + other.there,
            failed: self.failed + other.failed,
            not_started: self.not_started + other.not_started,
            working: self.working + other.working,
            waiting: self.waiting + other.waiting,
        }
    }

    /// What there is of it, in words.
    fn words(&self) -> String {
        let parts = [
            (self.done + self.there, "done"),
            (self.failed, "failed"),
            (self.working, "under way"),
            (self.waiting, "waiting"),
            (self.not_started, "not started"),
        ];
        let parts = parts.iter().filter(|(count, _)| *count > 0);
        parts.map(|(count, what)| format!("{count} {what}")).collect::<Vec<_>>().join(", ")
    }

    fn mark(&self) -> StepGlyph {
        match self {
            _ if self.working > 0 => StepGlyph::Working,
            _ if self.failed > 0 => StepGlyph::Failed,
            _ if self.not_started > 0 => StepGlyph::NotStarted,
            _ => StepGlyph::Done,
        }
    }
}

#[derive(Clone, Copy)]
enum StepGlyph {
    Working,
    Waiting,
    Done,
    There,
    Failed,
    NotStarted,
}

const SPINNER: [&str; 10] = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"];

impl StepGlyph {
    /// The sign, and the code of its colour.
    fn sign(self, now: i64) -> (&'static str, &'static str) {
        match self {
            StepGlyph::Working => {
                let at = usize::try_from(now.rem_euclid(1000) / 100).unwrap_or(0);
                (SPINNER.get(at).copied().unwrap_or("⠋"), "36")
            }
            StepGlyph::Waiting => ("…", "33"),
            StepGlyph::Done => ("✓", "32"),
            StepGlyph::There => ("=", "2"),
            StepGlyph::Failed => ("✗", "31"),
            StepGlyph::NotStarted => ("-", "2"),
        }
    }
}

/// One line of a branch, with the deployment below it.
struct Twig {
    mark: StepGlyph,
    text: String,
    run: Option<RunIndex>,
}

struct Drawing<'t> {
    tree: &'t StepTree,
    frame: TreeFrame,
    detail: Detail,
    lines: Vec<String>,
}

impl Drawing<'_> {
    fn header(&mut self) {
        let counts = self.tree.counts();
        let took = duration_words(self.frame.now - self.tree.began.unwrap_or(self.frame.now));
        let text = format!("{}  {}  {took}", self.tree.name, counts.words());
        self.line("", counts.mark(), &text);
    }

    fn line(&mut self, prefix: &str, mark: StepGlyph, text: &str) {
        let (sign, code) = mark.sign(self.frame.now);
        let left = self.frame.width.saturating_sub(cells(prefix) + 2);
        let text = fit(text, left);
        self.lines.push(match self.frame.style {
            Style::Plain => format!("{prefix}{sign} {text}"),
            Style::Colour => format!("{prefix}\u{1b}[{code}m{sign}\u{1b}[0m {text}"),
        });
    }

    /// The lines of a deployment. Recursion is as deep as deployments may be inside each other.
    fn branch(&mut self, run: RunIndex, prefix: &str) {
        let Some(branch) = self.tree.branches.get(&run) else { return };
        let twigs = self.twigs(branch);
        let last = twigs.len().saturating_sub(1);
        for (at, twig) in twigs.into_iter().enumerate() {
            let (here, below) = if at == last { ("└─ ", "   ") } else { ("├─ ", "│  ") };
            self.line(&format!("{prefix}{here}"), twig.mark, &twig.text);
            if let Some(run) = twig.run {
                self.branch(run, &format!("{prefix}{below}"));
            }
        }
    }

    fn twigs(&self, branch: &Branch) -> Vec<Twig> {
        let mut sizes: BTreeMap<&str, usize> = BTreeMap::new();
        for node in branch.nodes.values() {
            *sizes.entry(node.label.symbol.as_deref().unwrap_or_default()).or_default() += 1;
        }
        let mut twigs = Vec::new();
        let mut told: BTreeSet<&str> = BTreeSet::new();
        let mut ended = 0;
        for node in branch.nodes.values() {
            let ends_well = matches!(node.state, StepStage::Done | StepStage::There(_));
            if self.detail == Detail::Open && ends_well {
                ended += 1;
                continue;
            }
            let symbol = node.label.symbol.as_deref().unwrap_or_default();
            let is_loop = !symbol.is_empty() && sizes.get(symbol).is_some_and(|size| *size > 1);
            if is_loop && self.detail >= Detail::Loops && node.run.is_none() {
                if told.insert(symbol) {
                    twigs.push(collapsed(branch, symbol));
                }
                continue;
            }
            let closed = self.detail >= Detail::Deployments && ends_well;
            twigs.push(Twig { run: node.run.filter(|_| !closed), ..self.twig(node) });
        }
        if ended > 0 {
            twigs.insert(0, Twig { mark: StepGlyph::Done, text: format!("{ended} done"), run: None });
        }
        match branch.deleted.as_slice() {
            [] => {}
            ids if ids.len() > 1 && self.detail >= Detail::Loops => {
                let text = format!("{} deleted", ids.len());
                twigs.push(Twig { mark: StepGlyph::NotStarted, text, run: None });
            }
            ids => twigs.extend(ids.iter().map(|id| Twig {
                mark: StepGlyph::NotStarted,
                text: format!("deleted {}", Label::of(id, None, false).text()),
                run: None,
            })),
        }
        twigs
    }

    fn twig(&self, node: &TreeNode) -> Twig {
        let now = self.frame.now;
        let (mark, rest) = match &node.state {
            StepStage::Working if node.attempt > 1 => (
                StepGlyph::Working,
                format!("attempt {}  {}", node.attempt, duration_words(now - node.began)),
            ),
            StepStage::Working => (StepGlyph::Working, duration_words(now - node.began)),
            StepStage::Waiting(why) => {
                (StepGlyph::Waiting, format!("{why}  {}", duration_words(now - node.began)))
            }
            StepStage::Done => (StepGlyph::Done, duration_words(node.ended - node.began)),
            StepStage::There(why) => (StepGlyph::There, why.clone()),
            StepStage::Failed(code) => {
                (StepGlyph::Failed, format!("{code}  {}", duration_words(node.ended - node.began)))
            }
            StepStage::NotStarted => (StepGlyph::NotStarted, "not started".to_owned()),
        };
        Twig { mark, text: format!("{}  {rest}", node.label.text()), run: None }
    }
}

/// All steps of a loop in one line.
fn collapsed(branch: &Branch, symbol: &str) -> Twig {
    let mut counts = Counts::default();
    let mut kind = "";
    let nodes = branch.nodes.values().filter(|node| node.label.symbol.as_deref() == Some(symbol));
    for node in nodes {
        kind = &node.label.kind;
        count(&mut counts, node);
    }
    Twig { mark: counts.mark(), text: format!("{symbol}[]  {kind}  {}", counts.words()), run: None }
}

#[cfg(test)]
mod tests {
    use engine::Failure;

    use super::*;

    struct Listed(Vec<Option<Label>>);

    impl StepNames for Listed {
        fn label(&self, step: StepIndex) -> Option<Label> {
            self.0.get(step.get()).cloned().flatten()
        }

        fn resources(&self) -> usize {
            self.0.iter().flatten().filter(|label| label.counts).count()
        }
    }

    const GROUP: &str = "/subscriptions/s/resourceGroups/g/providers";

    fn names(all: &[(&str, &str)]) -> Box<dyn StepNames> {
        let label = |(symbol, rest): &(&str, &str)| {
            let counts = !rest.contains("deployments");
            (!symbol.is_empty()).then(|| Label::of(&format!("{GROUP}/{rest}"), Some(symbol), counts))
        };
        Box::new(Listed(all.iter().map(label).collect()))
    }

    fn at(run: usize, step: usize) -> (RunIndex, StepIndex) {
        (RunIndex::new(run), StepIndex::new(step))
    }

    fn started(run: usize, step: usize) -> RunProgress {
        RunProgress::Started { step: at(run, step), attempt: 1 }
    }

    fn ended(run: usize, step: usize) -> RunProgress {
        RunProgress::Ended { step: at(run, step), failure: None, skipped: false }
    }

    fn shop() -> StepTree {
        let mut tree = StepTree::new(
            "shop",
            names(&[
                ("site", "Microsoft.Web/sites/shop"),
                ("queues", "Our.Things/queues/q0"),
                ("queues", "Our.Things/queues/q1"),
                ("", ""),
                ("network", "Microsoft.Resources/deployments/network"),
                ("later", "Our.Things/things/later"),
            ]),
        );
        tree.see(&started(0, 0), 1000);
        tree.see(&started(0, 1), 1000);
        tree.see(&started(0, 2), 1000);
        tree.see(&started(0, 3), 1000);
        tree.see(&ended(0, 1), 1250);
        tree.began(
            RunIndex::new(1),
            at(0, 4),
            names(&[("net", "Microsoft.Network/virtualNetworks/vnet")]),
            1300,
        );
        tree.see(&started(1, 0), 1300);
        tree
    }

    #[track_caller]
    fn check(tree: &StepTree, now: i64, width: usize, height: usize, expect: &[&str]) {
        assert_eq!(tree.lines(TreeFrame { now, width, height, style: Style::Plain }), expect);
    }

    #[test]
    fn deployments_are_branches_and_steps_have_a_mark_and_a_time() {
        check(
            &shop(),
            3000,
            80,
            20,
            &[
                "⠋ shop  1 done, 3 under way, 1 waiting  2 s",
                "├─ ⠋ site  shop  Microsoft.Web/sites  2 s",
                "├─ ✓ queues  q0  Our.Things/queues  250 ms",
                "├─ ⠋ queues  q1  Our.Things/queues  2 s",
                "└─ ⠋ network  network  Microsoft.Resources/deployments  1.7 s",
                "   └─ ⠋ net  vnet  Microsoft.Network/virtualNetworks  1.7 s",
            ],
        );
    }

    #[test]
    fn the_end_shows_what_went_wrong() {
        let mut tree = shop();
        let failure = Some(Failure::new("Conflict", "it is there"));
        tree.see(&RunProgress::Ended { step: at(0, 0), failure, skipped: false }, 2000);
        tree.see(&RunProgress::Ended { step: at(0, 2), failure: None, skipped: true }, 2000);
        tree.see(&ended(1, 0), 2000);
        tree.see(&ended(0, 4), 2000);
        tree.see(&RunProgress::NotStarted { step: at(0, 5) }, 2000);
        tree.see(
            &RunProgress::Deleted {
                run: RunIndex::OUTERMOST,
                id: format!("{GROUP}/Our.Things/things/old").into(),
            },
            2000,
        );
        check(
            &tree,
            62_000,
            80,
            20,
            &[
                "✗ shop  3 done, 1 failed, 1 not started  1 min 1 s",
                "├─ ✗ site  shop  Microsoft.Web/sites  Conflict  1 s",
                "├─ ✓ queues  q0  Our.Things/queues  250 ms",
                "├─ = queues  q1  Our.Things/queues  was there already",
                "├─ ✓ network  network  Microsoft.Resources/deployments  700 ms",
                "│  └─ ✓ net  vnet  Microsoft.Network/virtualNetworks  700 ms",
                "├─ - later  later  Our.Things/things  not started",
                "└─ - deleted old  Our.Things/things",
            ],
        );
        assert_eq!(
            tree.counts(),
            Counts { done: 2, there: 1, failed: 1, not_started: 1, ..Counts::default() }
        );
    }

    #[test]
    fn what_does_not_fit_is_told_in_fewer_lines() {
        let mut tree = shop();
        check(
            &tree,
            3000,
            80,
            5,
            &[
                "⠋ shop  1 done, 3 under way, 1 waiting  2 s",
                "├─ ⠋ site  shop  Microsoft.Web/sites  2 s",
                "├─ ⠋ queues[]  Our.Things/queues  1 done, 1 under way",
                "└─ ⠋ network  network  Microsoft.Resources/deployments  1.7 s",
                "   └─ ⠋ net  vnet  Microsoft.Network/virtualNetworks  1.7 s",
            ],
        );
        for step in [0, 2] {
            tree.see(&ended(0, step), 2000);
        }
        tree.see(&ended(1, 0), 2000);
        tree.see(&ended(0, 4), 2000);
        tree.see(&started(0, 5), 2000);
        check(
            &tree,
            3000,
            80,
            3,
            &["⠋ shop  4 done, 1 under way  2 s", "├─ ✓ 4 done", "└─ ⠋ later  later  Our.Things/things  1 s"],
        );
        check(&tree, 3000, 80, 2, &["⠋ shop  4 done, 1 under way  2 s", "… 2 more"]);
    }

    #[test]
    fn no_line_is_wider_than_the_terminal() {
        for width in 0..100 {
            for line in shop().lines(TreeFrame { now: 3000, width, height: 20, style: Style::Plain }) {
                assert!(cells(&line) <= width.max(8), "{width}: {line}");
            }
        }
        check(&shop(), 3000, 20, 2, &["⠋ shop  1 done, 3 u…", "… 5 more"]);
    }

    #[test]
    fn colours_are_around_marks_alone() {
        let lines = shop().lines(TreeFrame { now: 3000, width: 80, height: 20, style: Style::Colour });
        assert_eq!(lines[2], "├─ \u{1b}[32m✓\u{1b}[0m queues  q0  Our.Things/queues  250 ms");
    }

    #[test]
    fn ids_say_what_a_resource_is() {
        let label = |id: &str| {
            let label = Label::of(id, None, true);
            (label.name, label.kind)
        };
        let expect = |name: &str, kind: &str| (name.to_owned(), kind.to_owned());
        assert_eq!(label("/subscriptions/s/resourceGroups/g"), expect("g", "resourceGroups"));
        assert_eq!(label(&format!("{GROUP}/A.B/c/d/e/f")), expect("f", "A.B/c/e"));
        assert_eq!(label(""), expect("", ""));
    }
}
