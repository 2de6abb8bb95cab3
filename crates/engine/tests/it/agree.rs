//! What is predicted and what is done agree wherever they know the same: over programs that a generator makes, in which modules
//! get what only the run time knows, and use it in conditions, loops, names of branches, variables and outputs.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::Arc;

use arm::Value;
use arm::deployment::{Deployment, DeploymentContext, DeploymentMode, Unresolved, snapshot};
use arm::template::{Template, TemplateError, TemplateLimits};
use engine::core::{MachineSettings, RunEnd, RunProgress};
use engine::provider::Local;
use engine::{Clock, Engine};
use store::{Key, MemoryStore, Page, Store};
use tokio::sync::mpsc::unbounded_channel;

const SCHEMA: &str = "https://schema.management.azure.com/schemas/2019-04-01/deploymentTemplate.json#";

/// How many programs are made; `TENDON_PROGRAMS` says another number.
const PROGRAMS: u64 = 60;

/// Numbers that are the same in every run.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % end as u64) as usize
    }

    fn one_of<'t>(&mut self, all: &[&'t str]) -> &'t str {
        all[self.below(all.len())]
    }
}

/// The kinds of values that programs work with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Text,
    Int,
    Bool,
    List,
    Object,
}

use Kind::{Bool, Int, List, Object, Text};

const KINDS: [(Kind, &str, &str); 5] = [
    (Text, "t", "string"),
    (Int, "n", "int"),
    (Bool, "b", "bool"),
    (List, "l", "array"),
    (Object, "o", "object"),
];

/// Makes expressions over values of every kind that something else gives.
struct Maker<'m> {
    numbers: &'m mut Numbers,
    /// The expression of the value of a kind.
    given: &'m dyn Fn(&str) -> String,
}

impl Maker<'_> {
    fn make(&mut self, kind: Kind, depth: usize) -> String {
        if depth == 0 || self.numbers.below(6) == 0 {
            return self.leaf(kind);
        }
        let mut part = |kind: Kind| self.make(kind, depth - 1);
        match kind {
            Text => {
                let (a, b, c, l, o) = (part(Text), part(Text), part(Bool), part(List), part(Object));
                match self.numbers.below(8) {
                    0 => format!("concat({a}, {b})"),
                    1 => format!("toUpper({a})"),
                    2 => format!("if({c}, {a}, {b})"),
                    3 => format!("coalesce(tryGet({o}, 'k'), {a})"),
                    4 => format!("if(empty({l}), {a}, string(first({l})))"),
                    5 => format!("format('{{0}}-{{1}}', {a}, {c})"),
                    6 => format!("join({l}, '+')"),
                    _ => format!("string({o})"),
                }
            }
            Int => {
                let (a, l, c) = (part(Int), part(List), part(Bool));
                match self.numbers.below(4) {
                    0 => format!("length({l})"),
                    1 => format!("add({a}, 1)"),
                    2 => format!("if({c}, {a}, 2)"),
                    _ => format!("length(string({l}))"),
                }
            }
            Bool => {
                let (a, b, l, o, t) = (part(Bool), part(Bool), part(List), part(Object), part(Text));
                match self.numbers.below(8) {
                    0 => format!("not({a})"),
                    1 => format!("and({a}, {b})"),
                    2 => format!("or({a}, {b})"),
                    3 => format!("empty({l})"),
                    4 => format!("empty({o})"),
                    5 => format!("equals({o}, null())"),
                    6 => format!("contains({l}, {t})"),
                    _ => format!("equals({t}, 'x')"),
                }
            }
            List => {
                let (a, b, t, c, o) = (part(List), part(List), part(Text), part(Bool), part(Object));
                match self.numbers.below(8) {
                    0 => format!("concat({a}, {b})"),
                    1 => format!("map({a}, lambda('i', toUpper(string(lambdaVariables('i')))))"),
                    2 => format!("filter({a}, lambda('i', not(empty(lambdaVariables('i')))))"),
                    3 => format!("if({c}, {a}, {b})"),
                    4 => format!("createArray({t}, 'z')"),
                    5 => format!("split({t}, '-')"),
                    6 => format!("objectKeys({o})"),
                    _ => format!("take({a}, 2)"),
                }
            }
            Object => {
                let (a, b, t, c, l) = (part(Object), part(Object), part(Text), part(Bool), part(List));
                match self.numbers.below(6) {
                    0 => format!("union({a}, {b})"),
                    1 => format!("if(equals({a}, null()), createObject(), {a})"),
                    2 => format!("if({c}, createObject(), createObject('k', {t}))"),
                    3 => format!("createObject('k', {t}, 'm', {l})"),
                    4 => format!("toObject({l}, lambda('i', string(lambdaVariables('i'))))"),
                    _ => format!("if(empty({a}), {b}, {a})"),
                }
            }
        }
    }

    fn leaf(&mut self, kind: Kind) -> String {
        if self.numbers.below(3) > 0 {
            let (_, name, _) = KINDS.iter().find(|(it, ..)| *it == kind).unwrap();
            return (self.given)(name);
        }
        let literal = match kind {
            Text => self.numbers.one_of(&["'x'", "''", "'a-b'", "'[y]'"]),
            Int => self.numbers.one_of(&["0", "1", "3"]),
            Bool => self.numbers.one_of(&["true()", "false()"]),
            List => self.numbers.one_of(&["createArray()", "createArray('x')", "createArray('p', 'q', 'p')"]),
            Object => self.numbers.one_of(&["createObject()", "createObject('k', 'v')"]),
        };
        literal.to_owned()
    }
}

/// A template text: what is in expressions is escaped by nobody, so that it has no quotes.
fn module(numbers: &mut Numbers, depth: usize) -> String {
    let given = |name: &str| format!("parameters('{name}')");
    let mut parameters = String::new();
    for (_, name, word) in KINDS {
        let _ = write!(
            parameters,
            r#"{}"{name}": {{"type": "{word}"}}"#,
            if parameters.is_empty() { "" } else { ", " }
        );
    }
    let mut make = |kind: Kind| Maker { numbers, given: &given }.make(kind, 3);
    let (loop_over, nested_loop, count) = (make(List), make(List), make(List));
    let members: Vec<String> =
        KINDS.iter().map(|(kind, name, _)| format!(r#""{name}": "[{}]""#, make(*kind))).collect();
    let condition = make(Bool);
    let outputs: Vec<String> = KINDS
        .iter()
        .map(|(kind, name, word)| format!(r#""{name}": {{"type": "{word}", "value": "[{}]"}}"#, make(*kind)))
        .collect();
    let output_loop = make(List);
    let inner = match depth {
        0 => String::new(),
        _ => {
            let values: Vec<String> = KINDS
                .iter()
                .map(|(kind, name, _)| format!(r#""{name}": {{"value": "[{}]"}}"#, make(*kind)))
                .collect();
            let template = module(numbers, depth - 1);
            format!(
                r#", "inner": {{"type": "Microsoft.Resources/deployments", "apiVersion": "2025-04-01", "name": "[concat('in-', deployment().name)]", "properties": {{
                "mode": "Incremental", "expressionEvaluationOptions": {{"scope": "inner"}}, "parameters": {{{}}}, "template": {template}}}}}"#,
                values.join(", ")
            )
        }
    };
    format!(
        r#"{{"$schema": "{SCHEMA}", "languageVersion": "2.0", "contentVersion": "1.0.0.0",
        "parameters": {{{parameters}}},
        "variables": {{"copy": [{{"name": "v", "count": "[length({loop_over})]", "input": {{"i": "[copyIndex('v')]", "x": "[{loop_over}[copyIndex('v')]]"}}}}]}},
        "resources": {{
            "all": {{"type": "Our.Things/things", "apiVersion": "2025-01-01", "name": "[concat('all-', deployment().name)]", "properties": {{{},
                "v": "[variables('v')]",
                "copy": [{{"name": "c", "count": "[length({nested_loop})]", "input": "[concat(string(copyIndex('c', 1)), string({nested_loop}[copyIndex('c')]))]"}}]}}}},
            "maybe": {{"condition": "[{condition}]", "type": "Our.Things/things", "apiVersion": "2025-01-01", "name": "[concat('maybe-', deployment().name)]", "properties": {{"n": "[length(variables('v'))]"}}}},
            "many": {{"copy": {{"name": "many", "count": "[length({count})]"}}, "type": "Our.Things/things", "apiVersion": "2025-01-01", "name": "[concat('many-', deployment().name, copyIndex())]", "properties": {{"x": "[{count}[copyIndex()]]"}}}}{inner}
        }},
        "outputs": {{{}, "loop": {{"type": "array", "copy": {{"count": "[length({output_loop})]", "input": "[string({output_loop}[copyIndex()])]"}}}}}}}}"#,
        members.join(", "),
        outputs.join(", ")
    )
}

/// A template with a resource whose properties only the run time knows, and modules that get them.
fn program(seed: u64) -> String {
    let mut numbers = Numbers(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1);
    let known = format!(
        r#""t": "{}", "n": {}, "b": {}, "l": {}, "o": {}"#,
        numbers.one_of(&["", "x", "some-text", "[[z]"]),
        numbers.one_of(&["0", "2", "-1"]),
        numbers.one_of(&["true", "false"]),
        numbers.one_of(&["[]", r#"["x"]"#, r#"["p", "", "q"]"#]),
        numbers.one_of(&["{}", r#"{"k": "v"}"#, r#"{"m": "1", "n": "2"}"#]),
    );
    let given = |name: &str| format!("reference('source').{name}");
    let mut make = |kind: Kind| Maker { numbers: &mut numbers, given: &given }.make(kind, 2);
    let values: Vec<String> = KINDS
        .iter()
        .map(|(kind, name, _)| format!(r#""{name}": {{"value": "[{}]"}}"#, make(*kind)))
        .collect();
    let inner = module(&mut numbers, 1);
    let outputs: Vec<String> = KINDS
        .iter()
        .map(|(_, name, word)| {
            format!(r#""{name}": {{"type": "{word}", "value": "[reference('m').outputs.{name}.value]"}}"#)
        })
        .collect();
    format!(
        r#"{{"$schema": "{SCHEMA}", "languageVersion": "2.0", "contentVersion": "1.0.0.0",
        "resources": {{
            "source": {{"type": "Our.Things/sources", "apiVersion": "2025-01-01", "name": "source", "properties": {{{known}}}}},
            "m": {{"type": "Microsoft.Resources/deployments", "apiVersion": "2025-04-01", "name": "m", "properties": {{
                "mode": "Incremental", "expressionEvaluationOptions": {{"scope": "inner"}}, "parameters": {{{}}}, "template": {inner}}}}}
        }},
        "outputs": {{{}, "loop": {{"type": "array", "value": "[reference('m').outputs.loop.value]"}}}}}}"#,
        values.join(", "),
        outputs.join(", ")
    )
}

fn deployment(text: &str, unresolved: Unresolved) -> Result<Arc<Deployment>, Vec<TemplateError>> {
    let template = Arc::new(Template::read(text, &TemplateLimits::default())?);
    let mut context = DeploymentContext::local(DeploymentContext::local_scope(template.scope), "main");
    context.unresolved = unresolved;
    Ok(Arc::new(Deployment::with_values(template, [], context)?))
}

/// Whether a predicted value has parts that are not known.
fn is_open(value: &Value) -> bool {
    match value {
        Value::Text(text) => text.starts_with('[') && !text.starts_with("[["),
        Value::Array(list) => list.items().iter().any(is_open),
        Value::Object(object) => object.iter().any(|(name, value)| name.starts_with('[') || is_open(value)),
        _ => false,
    }
}

/// A value as a template writes it.
fn escaped(value: &Value) -> Value {
    match value {
        Value::Text(text) if text.starts_with('[') && text.ends_with(']') => Value::text(format!("[{text}")),
        Value::Array(list) => Value::array(list.items().iter().map(escaped).collect()),
        Value::Object(object) => {
            Value::object(object.iter().map(|(name, value)| (name.clone(), escaped(value))))
        }
        other => other.clone(),
    }
}

fn member<'v>(value: &'v Value, path: &[&str]) -> Option<&'v Value> {
    path.iter().try_fold(value, |value, name| value.as_object()?.get(name))
}

#[test]
fn predictions_refuse_nothing_that_is_done_and_say_what_becomes_of_it() {
    let (mut done, mut compared, mut whole) = (0, 0, 0);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
    let programs = std::env::var("TENDON_PROGRAMS").ok().map_or(PROGRAMS, |count| count.parse().unwrap());
    for seed in 1..=programs {
        let text = program(seed);
        let (store, key) = (Arc::new(MemoryStore::new()), Key::random().unwrap());
        let kept: Arc<dyn Store> = Arc::<MemoryStore>::clone(&store);
        let provider = Arc::new(Local::new(Arc::clone(&kept), key.clone()));
        let engine = Engine {
            store: kept,
            key,
            provider,
            settings: MachineSettings::default(),
            clock: Clock::Virtual,
            budgets: Default::default(),
        };
        let real = deployment(&text, Unresolved::Error)
            .unwrap_or_else(|errors| panic!("{seed}: {errors:?}\n{text}"));
        let seen = runtime.block_on(engine.what_if(Arc::clone(&real), DeploymentMode::Incremental));
        let accepted = engine.accept(real, DeploymentMode::Incremental);
        let ended = accepted.and_then(|accepted| {
            let (_keep, cancel) = unbounded_channel();
            runtime.block_on(engine.run(accepted, cancel, &mut |_: &RunProgress, _: i64| {}))
        });
        let foreseen = deployment(&text, Unresolved::Keep).and_then(snapshot);
        let ended = match ended {
            Ok(ended) if matches!(ended.end, RunEnd::Succeeded(_)) => ended,
            _ => {
                let is_refused = seen.is_err() || seen.is_ok_and(|seen| seen.failure.is_some());
                assert!(is_refused, "{seed}: what-if accepts what fails: {ended:?}\n{text}");
                continue;
            }
        };
        done += 1;
        let RunEnd::Succeeded(outputs) = &ended.end else { continue };
        let seen = seen.unwrap_or_else(|refused| panic!("{seed}: what-if: {refused:?}\n{text}"));
        assert!(seen.failure.is_none(), "{seed}: what-if: {:?}\n{text}", seen.failure);
        let foreseen = foreseen.unwrap_or_else(|errors| panic!("{seed}: snapshot: {errors:#?}\n{text}"));
        for (name, value) in foreseen.output_trees.iter().filter(|(_, value)| !is_open(value)) {
            compared += 1;
            let real = member(outputs, &[name, "value"]).map(|value| escaped(&value.expose()));
            assert_eq!(real.as_ref(), Some(value), "{seed}: the output {name}\n{text}");
        }
        let resources: BTreeMap<String, Value> = store
            .resources("", Page::ALL)
            .unwrap()
            .into_iter()
            .map(|it| (it.id.to_ascii_lowercase(), engine::records::parse(&it.body).unwrap()))
            .collect();
        for predicted in &foreseen.resources {
            let id = member(predicted, &["id"]).and_then(Value::as_str).unwrap_or_default();
            let Some(real) = resources.get(&id.to_ascii_lowercase()) else {
                // Whether it would be there was not known, and that was said.
                assert!(
                    foreseen.diagnostics.iter().any(|it| it.code == "ConditionUnknown")
                        && id.contains("maybe-"),
                    "{seed}: {id} is not there\n{text}"
                );
                continue;
            };
            for (name, value) in
                member(predicted, &["properties"]).and_then(Value::as_object).into_iter().flatten()
            {
                if is_open(value) {
                    continue;
                }
                whole += 1;
                let real = member(real, &["body", "properties", name]).map(escaped);
                assert_eq!(real.as_ref(), Some(value), "{seed}: {id} {name}\n{text}");
            }
        }
        let mut created: Vec<String> = seen.changes.iter().map(|it| it.id.to_ascii_lowercase()).collect();
        created.sort();
        let made: Vec<String> = resources.into_keys().collect();
        assert_eq!(created, made, "{seed}: what-if\n{text}");
    }
    // The programs are of use: most of them run, and much of them is known before.
    assert!(
        done > programs / 3 && compared > programs / 10 && whole > programs / 2,
        "{done} ran, {compared} outputs and {whole} properties compared"
    );
}
