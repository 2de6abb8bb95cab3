//! What `what-if` predicts is what a deployment does, for templates of every shape on states of every shape.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::Arc;

use arm::Value;
use arm::deployment::{Deployment, DeploymentContext, DeploymentMode};
use arm::template::{Template, TemplateLimits};
use engine::core::{MachineSettings, RunEnd, RunProgress};
use engine::provider::Local;
use engine::records::parse;
use engine::{ChangeKind, Clock, Engine, StartError};
use store::{Key, MemoryStore, Page, Store};
use tokio::sync::mpsc::unbounded_channel;

/// How many states are tried, each with a few deployments; `TENDON_PREDICTIONS` says another number.
const STATES: u64 = 150;
/// How many deployments each of them sees.
const DEPLOYMENTS: usize = 4;
/// The resources that a deployment may name.
const NAMES: usize = 6;

const SCHEMA: &str = "https://schema.management.azure.com/schemas/2019-04-01/deploymentTemplate.json#";

/// Choices that are the same for the same seed.
struct Chance(u64);

impl Chance {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        usize::try_from((mixed ^ (mixed >> 31)) % bound as u64).unwrap()
    }

    fn percent(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }
}

/// Writes a template. Names are taken from a small set, so that deployments meet what earlier ones left.
struct Writer<'c> {
    chance: &'c mut Chance,
    /// The names that are taken.
    taken: Vec<usize>,
    /// The symbols that can be referred to.
    symbols: Vec<String>,
    resources: Vec<String>,
    depth: usize,
    /// What sets the names of different modules apart.
    prefix: String,
}

impl Writer<'_> {
    fn template(mut self) -> String {
        let count = self.chance.below(4) + usize::from(self.depth == 0);
        for _ in 0..count {
            self.resource();
        }
        let mut outputs = String::new();
        for (at, symbol) in self.symbols.iter().enumerate() {
            let comma = if at == 0 { "" } else { ", " };
            write!(outputs, r#"{comma}"o{at}": {{"type": "string", "value": "[reference('{symbol}').p]"}}"#)
                .unwrap();
        }
        format!(
            r#"{{"$schema": "{SCHEMA}", "languageVersion": "2.0", "contentVersion": "1.0.0.0",
            "parameters": {{"count": {{"type": "int"}}, "on": {{"type": "bool"}}, "hidden": {{"type": "securestring"}}, "text": {{"type": "string"}}}},
            "resources": {{{}}}, "outputs": {{{outputs}}}}}"#,
            self.resources.join(",\n")
        )
    }

    /// A name that no other resource of the template has.
    fn name(&mut self) -> Option<String> {
        let at = self.chance.below(NAMES);
        if self.taken.contains(&at) {
            return None;
        }
        self.taken.push(at);
        Some(format!("{}n{at}", self.prefix))
    }

    /// A value of a property: plain, a parameter, a secret, or something of another resource.
    fn value(&mut self) -> String {
        match (self.chance.below(8), self.symbols.len()) {
            (0 | 1, 1..) => {
                let at = self.chance.below(self.symbols.len());
                format!(r#""[reference('{}').p]""#, self.symbols[at])
            }
            (2, _) => r#""[parameters('hidden')]""#.to_owned(),
            (3, _) => r#""[parameters('text')]""#.to_owned(),
            (4, _) => r#"[1, {"a": "[parameters('count')]"}, null]"#.to_owned(),
            (5, _) => r#"{"a": null, "b": "[if(parameters('on'), 'yes', null())]"}"#.to_owned(),
            _ => format!("{}", self.chance.below(3)),
        }
    }

    fn resource(&mut self) {
        let symbol = format!("s{}", self.resources.len());
        let Some(name) = self.name() else { return };
        if self.depth < 2 && self.chance.percent(20) {
            return self.module(&symbol, &name);
        }
        let kind = ["Our.Things/things", "Our.Things/others", "Microsoft.Storage/storageAccounts"];
        let kind = kind[self.chance.below(kind.len())];
        let mut head = format!(r#""type": "{kind}", "apiVersion": "2025-01-01""#);
        if self.chance.percent(10) {
            // It may be there or not; if not, only those who ask for it fail.
            self.resources.push(format!(r#""{symbol}": {{"existing": true, {head}, "name": "{name}"}}"#));
            if self.chance.percent(30) {
                self.symbols.push(symbol);
            }
            return;
        }
        let is_loop = self.chance.percent(25);
        let shown_name = if is_loop { format!("[format('{name}-{{0}}', copyIndex())]") } else { name };
        write!(head, r#", "name": "{shown_name}""#).unwrap();
        if is_loop {
            let serial = if self.chance.percent(30) { r#", "mode": "serial", "batchSize": 1"# } else { "" };
            write!(head, r#", "copy": {{"name": "{symbol}", "count": "[parameters('count')]"{serial}}}"#)
                .unwrap();
        }
        let is_conditional = self.chance.percent(20);
        if is_conditional {
            let condition = ["[parameters('on')]", "[not(parameters('on'))]"][self.chance.below(2)];
            write!(head, r#", "condition": "{condition}""#).unwrap();
        }
        if self.chance.percent(10) {
            head.push_str(r#", "@options": {"onlyIfNotExists": []}"#);
        }
        if self.chance.percent(30) {
            head.push_str(r#", "location": "westus", "tags": {"t": "[parameters('text')]"}"#);
        }
        let (p, q) = (self.chance.below(2), self.value());
        let text = if self.chance.percent(20) { "[parameters('text')]".to_owned() } else { format!("p{p}") };
        self.resources.push(format!(r#""{symbol}": {{{head}, "properties": {{"p": "{text}", "q": {q}}}}}"#));
        if !is_loop && !is_conditional {
            self.symbols.push(symbol);
        }
    }

    fn module(&mut self, symbol: &str, name: &str) {
        let inner = Writer {
            taken: Vec::new(),
            symbols: Vec::new(),
            resources: Vec::new(),
            depth: self.depth + 1,
            prefix: format!("{name}-"),
            chance: self.chance,
        };
        let template = inner.template();
        let mode = if self.depth == 0 && self.chance.percent(5) { "Complete" } else { "Incremental" };
        let text = match self.symbols.len() {
            0 => "[parameters('text')]".to_owned(),
            count => format!("[reference('{}').p]", self.symbols[self.chance.below(count)]),
        };
        self.resources.push(format!(
            r#""{symbol}": {{"type": "Microsoft.Resources/deployments", "apiVersion": "2025-04-01", "name": "{name}", "properties": {{
                "mode": "{mode}", "expressionEvaluationOptions": {{"scope": "inner"}},
                "parameters": {{"count": {{"value": "[parameters('count')]"}}, "on": {{"value": "[parameters('on')]"}}, "hidden": {{"value": "[parameters('hidden')]"}}, "text": {{"value": "{text}"}}}},
                "template": {template}}}}}"#
        ));
    }
}

/// A deployment of a new template, or of the one before with other values.
fn deployment(chance: &mut Chance, last: &mut Option<String>) -> (String, Arc<Deployment>) {
    let again = last.take().filter(|_| chance.percent(60));
    let text = again.unwrap_or_else(|| written(chance));
    *last = Some(text.clone());
    let template = Template::read(text.as_str(), &TemplateLimits::default());
    let template = Arc::new(template.unwrap_or_else(|errors| panic!("{errors:?}\n{text}")));
    let values = [
        ("count".into(), Value::Int(i64::try_from(chance.below(3)).unwrap())),
        ("on".into(), Value::Bool(chance.percent(50))),
        ("hidden".into(), Value::text(format!("hunter{}", chance.below(2)))),
        ("text".into(), Value::text(format!("text{}", chance.below(2)))),
    ];
    let context = DeploymentContext::local(DeploymentContext::local_scope(template.scope), "main");
    let deployment = Deployment::with_values(template, values, context);
    let deployment = deployment.unwrap_or_else(|errors| panic!("{errors:?}\n{text}"));
    (text, Arc::new(deployment))
}

fn written(chance: &mut Chance) -> String {
    let writer = Writer {
        chance,
        taken: Vec::new(),
        symbols: Vec::new(),
        resources: Vec::new(),
        depth: 0,
        prefix: String::new(),
    };
    writer.template()
}

/// What is kept, by id in lower case.
fn kept(store: &MemoryStore) -> BTreeMap<String, Value> {
    let all = store.resources("", Page::ALL).unwrap().into_iter();
    all.map(|it| (it.id.to_ascii_lowercase(), parse(&it.body).unwrap())).collect()
}

fn body(kept: Option<&Value>) -> Option<Value> {
    kept.and_then(|kept| kept.as_object()?.get("body").cloned())
}

/// Predicts and deploys, and holds one against the other; counts the changes by kind.
fn check(
    engine: &Engine,
    store: &MemoryStore,
    chance: &mut Chance,
    last: &mut Option<String>,
    counts: &mut BTreeMap<ChangeKind, usize>,
) {
    let (text, deployment) = deployment(chance, last);
    let mode = if chance.percent(30) { DeploymentMode::Complete } else { DeploymentMode::Incremental };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
    let before = kept(store);
    let predicted = runtime.block_on(engine.what_if(Arc::clone(&deployment), mode));
    assert!(kept(store) == before, "a prediction writes nothing");
    let (_open, cancel) = unbounded_channel();
    let (predicted, accepted) = match (predicted, engine.accept(deployment, mode)) {
        (Ok(predicted), Ok(accepted)) => (predicted, accepted),
        (Err(StartError::Failure(told)), Err(StartError::Failure(done))) => {
            assert_eq!(told, done, "{text}");
            assert!(kept(store) == before, "what is refused writes nothing");
            return;
        }
        (predicted, accepted) => panic!("{predicted:?} and {:?}: {text}", accepted.map(drop)),
    };
    let ended = runtime.block_on(engine.run(accepted, cancel, &mut |_: &RunProgress, _: i64| {})).unwrap();
    let after = kept(store);

    let shown = || format!("{mode:?} {text}\npredicted: {}", predicted.to_value().to_json());
    assert!(!shown().contains("hunter"), "a secret is shown: {}", shown());
    match (&ended.end, &predicted.failure) {
        (RunEnd::Succeeded(_), None) => {}
        (RunEnd::Failed(done), Some(told)) => assert_eq!(done, told, "{}", shown()),
        (end, told) => panic!("{end:?} and {told:?}: {}", shown()),
    }
    let mut told = BTreeMap::new();
    for change in &predicted.changes {
        *counts.entry(change.kind).or_default() += 1;
        assert!(told.insert(change.id.to_ascii_lowercase(), change).is_none(), "{} is told twice", change.id);
    }
    for id in before.keys().chain(after.keys()) {
        let Some(change) = told.get(id) else { panic!("{id} is not told of: {}", shown()) };
        let (was, is) = (before.get(id), after.get(id));
        let expected = match (was, is) {
            (None, _) => ChangeKind::Create,
            (Some(_), None) => ChangeKind::Delete,
            (Some(was), Some(is)) if was.to_json() != is.to_json() => ChangeKind::Modify,
            // Nothing is put, or what is there.
            (Some(_), Some(_)) if change.kind == ChangeKind::Ignore => ChangeKind::Ignore,
            (Some(_), Some(_)) => ChangeKind::NoChange,
        };
        assert_eq!(change.kind, expected, "{id}: {}", shown());
        assert_eq!((&change.before, &change.after), (&body(was), &body(is)), "{id}: {}", shown());
        assert_eq!(change.delta.is_empty(), change.kind != ChangeKind::Modify, "{id}: {}", shown());
    }
    for id in told.keys() {
        assert!(before.contains_key(id) || after.contains_key(id), "{id} is nowhere: {}", shown());
    }
}

#[test]
fn what_is_predicted_is_what_is_done() {
    let states = std::env::var("TENDON_PREDICTIONS").ok().map_or(STATES, |count| count.parse().unwrap());
    let mut counts = BTreeMap::new();
    for seed in 0..states {
        let mut chance = Chance(seed.wrapping_mul(0x2545_f491_4f6c_dd1d));
        let (store, key) = (Arc::new(MemoryStore::new()), Key::random().unwrap());
        let shared: Arc<dyn Store> = Arc::<MemoryStore>::clone(&store);
        let provider = Arc::new(Local::new(Arc::clone(&shared), key.clone()));
        let (settings, clock) = (MachineSettings::default(), Clock::Virtual);
        let engine = Engine { store: shared, key, provider, settings, clock, budgets: Default::default() };
        let mut last = None;
        for _ in 0..DEPLOYMENTS {
            check(&engine, &store, &mut chance, &mut last, &mut counts);
        }
    }
    println!("{states} states, {counts:?}");
    // A test in which nothing happens shows nothing.
    let kinds = [
        ChangeKind::Create,
        ChangeKind::Modify,
        ChangeKind::Delete,
        ChangeKind::NoChange,
        ChangeKind::Ignore,
    ];
    assert!(kinds.iter().all(|kind| counts.get(kind).is_some_and(|count| *count > 20)), "{counts:?}");
}
