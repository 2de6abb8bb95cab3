//! Tool functions: the host of Thrift contracts.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

use contract::number::Number;
use contract::{AnyView, Argument, Constant, Custom, Host, Node, Operand, Signature, Test, Tested};

use super::declared::{Declaration, Declarations};

/// A function that the embedding program adds.
pub type UserFunction = Arc<dyn Fn(&[Argument<'_>]) -> Result<Constant, String> + Send + Sync>;

/// The tool functions, with the time of the message, what the embedding program adds, and what is only declared.
#[derive(Clone, Default)]
pub struct Functions {
    /// Nanoseconds since 1970, once somebody has asked.
    now: OnceLock<i64>,
    clock: Option<fn() -> i64>,
    users: BTreeMap<Box<str>, (Signature, UserFunction)>,
    declared: Arc<Declarations>,
    unchecked: Mark,
}

/// Whether something has happened, for those who only read.
#[derive(Default)]
struct Mark(AtomicBool);

impl Clone for Mark {
    fn clone(&self) -> Mark {
        Mark(AtomicBool::new(self.0.load(Ordering::Relaxed)))
    }
}

/// The name of what stands in the place of a rule that cannot run, where such rules pass.
const UNCHECKED: &str = "unchecked";

impl Functions {
    /// The tool functions at a time, in nanoseconds since 1970.
    pub fn at(now: i64) -> Functions {
        Functions { now: OnceLock::from(now), ..Functions::default() }
    }

    /// The tool functions at the time that a clock shows when a rule first asks for it, in nanoseconds since
    /// 1970. It is the same for all rules that ask, and hardly any does.
    pub fn asking(clock: fn() -> i64) -> Functions {
        Functions { clock: Some(clock), ..Functions::default() }
    }

    fn now(&self) -> i64 {
        *self.now.get_or_init(|| self.clock.map_or(0, |clock| clock()))
    }

    /// Adds a function, or replaces one of the same name.
    pub fn register(&mut self, name: &str, signature: Signature, function: UserFunction) {
        self.users.insert(name.into(), (signature, function));
    }

    /// The same functions, and those that are declared. What is only declared has no code here: a rule that calls it
    /// fails, or passes unchecked, as [`UndefinedFunctions`](super::UndefinedFunctions) says.
    #[must_use]
    pub fn with(self, declared: Declarations) -> Functions {
        Functions { declared: Arc::new(declared), ..self }
    }

    /// Whether a rule has passed unchecked since somebody last asked.
    pub fn take_unchecked(&self) -> bool {
        self.unchecked.0.swap(false, Ordering::Relaxed)
    }

    /// What is declared of a function, whether its code is here or not.
    pub fn declared(&self, name: &str) -> Option<&Declaration> {
        self.declared.get(name)
    }

    fn is_undefined(&self, name: &str) -> bool {
        self.declared.get(name).is_some() && !self.users.contains_key(name)
    }

    /// What stands in the place of a rule if it calls a function that has no code here.
    pub(super) fn in_place_of(&self, test: &Test) -> Option<Test> {
        let calls = test.operands().iter().any(|operand| self.calls_undefined(operand));
        calls.then(|| Test::Custom(Custom { name: UNCHECKED.into(), id: 0, arguments: Vec::new() }))
    }

    // INVARIANT: the reader of annotations limits how deep calls nest.
    fn calls_undefined(&self, operand: &Operand) -> bool {
        match operand {
            Operand::Constant(_) | Operand::Reference(_) => false,
            Operand::Call { function, arguments } => {
                self.is_undefined(function) || arguments.iter().any(|argument| self.calls_undefined(argument))
            }
        }
    }
}

impl fmt::Debug for Functions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Functions").field("now", &self.now).field("users", &self.users.keys()).finish()
    }
}

/// What a function gives, for the static check of its use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Gives {
    Int,
    Bool,
    Text,
    /// A number or text, as its arguments.
    Like,
}

type Body = fn(&Functions, &[Argument<'_>]) -> Result<Constant, String>;

/// A function that every tool knows, such as `@len`.
pub struct ToolFunction {
    /// Its name behind the `@`.
    pub name: &'static str,
    /// How many arguments it takes at least.
    pub least: usize,
    /// How many arguments it takes at most.
    pub most: usize,
    /// What it gives, as a noun phrase that completes "Gives".
    pub meaning: &'static str,
    gives: Gives,
    /// Whether the result depends on nothing but the arguments.
    steady: bool,
    body: Body,
}

impl fmt::Debug for ToolFunction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ToolFunction").field("name", &self.name).finish_non_exhaustive()
    }
}

const fn row(
    name: &'static str,
    (least, most): (usize, usize),
    gives: Gives,
    body: Body,
    meaning: &'static str,
) -> ToolFunction {
    ToolFunction { name, least, most, meaning, gives, steady: true, body }
}

const ANY: usize = usize::MAX;

/// All functions that rules can call without a declaration, in the order of the page.
pub static FUNCTIONS: &[ToolFunction] = &[
    row(
        "len",
        (1, 1),
        Gives::Int,
        |_, args| contract::len(first(args)?),
        "the length: bytes of a string or binary, elements of a list or set, entries of a map",
    ),
    row(
        "rune_len",
        (1, 1),
        Gives::Int,
        |_, args| rune_len(first(args)?),
        "the number of characters of a string",
    ),
    row(
        "sprintf",
        (1, ANY),
        Gives::Text,
        |_, args| sprintf(args),
        "a text put together as the format in the first argument says; verbs are `%s %d %v %q %x %f %%`",
    ),
    ToolFunction {
        steady: false,
        ..row(
            "now_unix_nano",
            (0, 0),
            Gives::Int,
            |host, _| Ok(Constant::Int(host.now())),
            "nanoseconds since 1970",
        )
    },
    ToolFunction {
        steady: false,
        ..row(
            "now_unix",
            (0, 0),
            Gives::Int,
            |host, _| Ok(Constant::Int(host.now().div_euclid(1_000_000_000))),
            "seconds since 1970",
        )
    },
    row(
        "equal",
        (2, 2),
        Gives::Bool,
        |_, args| Ok(Constant::Bool(same(args)?)),
        "whether two values are equal",
    ),
    row(
        "not_equal",
        (2, 2),
        Gives::Bool,
        |_, args| Ok(Constant::Bool(!same(args)?)),
        "whether two values differ",
    ),
    row(
        "lt",
        (2, 2),
        Gives::Bool,
        |_, args| order(args, |found| found.is_lt()),
        "whether the first number is less than the second",
    ),
    row(
        "le",
        (2, 2),
        Gives::Bool,
        |_, args| order(args, |found| found.is_le()),
        "whether the first number is at most the second",
    ),
    row(
        "gt",
        (2, 2),
        Gives::Bool,
        |_, args| order(args, |found| found.is_gt()),
        "whether the first number is greater than the second",
    ),
    row(
        "ge",
        (2, 2),
        Gives::Bool,
        |_, args| order(args, |found| found.is_ge()),
        "whether the first number is at least the second",
    ),
    row(
        "and",
        (1, ANY),
        Gives::Bool,
        |_, args| Ok(Constant::Bool(truths(args)?.into_iter().all(|it| it))),
        "whether all are true",
    ),
    row(
        "or",
        (1, ANY),
        Gives::Bool,
        |_, args| Ok(Constant::Bool(truths(args)?.into_iter().any(|it| it))),
        "whether one is true",
    ),
    row(
        "not",
        (1, 1),
        Gives::Bool,
        |_, args| Ok(Constant::Bool(!truths(args)?.contains(&true))),
        "whether it is false",
    ),
    row("add", (2, 2), Gives::Like, |_, args| add(args), "the sum of two numbers, or two texts put together"),
    row(
        "sub",
        (2, 2),
        Gives::Like,
        |_, args| arithmetic("sub", args, i64::checked_sub, |a, b| a - b),
        "the difference of two numbers",
    ),
    row(
        "mul",
        (2, 2),
        Gives::Like,
        |_, args| arithmetic("mul", args, i64::checked_mul, |a, b| a * b),
        "the product of two numbers",
    ),
    row(
        "div",
        (2, 2),
        Gives::Like,
        |_, args| arithmetic("div", args, i64::checked_div, |a, b| a / b),
        "the quotient of two numbers, truncated towards zero for integers; none by zero",
    ),
    row(
        "mod",
        (2, 2),
        Gives::Like,
        |_, args| arithmetic("mod", args, remainder, |a, b| a % b),
        "the rest of a division, with the sign of the first number; none by zero",
    ),
    row(
        "has",
        (1, 1),
        Gives::Bool,
        |_, args| Ok(Constant::Bool(!matches!(args, [Argument::Missing]))),
        "whether a reference leads to a value",
    ),
];

fn find(name: &str) -> Option<&'static ToolFunction> {
    FUNCTIONS.iter().find(|row| row.name == name)
}

/// What a function gives; `None` if there is none of that name among the tool functions.
pub(super) fn gives(name: &str) -> Option<Gives> {
    find(name).map(|row| row.gives)
}

impl Host for Functions {
    fn signature(&self, function: &str) -> Option<Signature> {
        if let Some((signature, _)) = self.users.get(function) {
            return Some(*signature);
        }
        if let Some(declaration) = self.declared.get(function) {
            return Some(declaration.signature());
        }
        find(function).map(|row| Signature { least: row.least, most: row.most, pure_: row.steady })
    }

    fn call(&self, function: &str, arguments: &[Argument<'_>]) -> Result<Constant, String> {
        if let Some((_, user)) = self.users.get(function) {
            return user(arguments);
        }
        match find(function) {
            Some(row) => (row.body)(self, arguments),
            // A rule with a function that nobody knows is not lowered.
            None => Err(format!("`@{function}` is declared only, and cannot run here")),
        }
    }

    fn test(&self, rule: &Custom, _: &dyn AnyView, _: &[Argument<'_>]) -> Tested {
        if &*rule.name == UNCHECKED {
            self.unchecked.0.store(true, Ordering::Relaxed);
            return Tested::Holds;
        }
        Tested::failed(format!("there is no custom rule `{}`", rule.name))
    }

    fn takes_missing(&self, function: &str) -> bool {
        function == "has"
    }

    fn names(&self) -> Vec<&str> {
        let users = self.users.keys().map(AsRef::as_ref);
        users.chain(self.declared.names()).chain(FUNCTIONS.iter().map(|row| row.name)).collect()
    }
}

fn first<'a, 'b>(arguments: &'a [Argument<'b>]) -> Result<&'a Argument<'b>, String> {
    arguments.first().ok_or_else(|| "an argument is missing".to_owned())
}

fn nodes<'a>(arguments: &'a [Argument<'_>]) -> Result<Vec<Node<'a>>, String> {
    arguments
        .iter()
        .map(|argument| argument.node().ok_or_else(|| "an argument has no value".to_owned()))
        .collect()
}

fn rune_len(argument: &Argument<'_>) -> Result<Constant, String> {
    let count = match argument.node() {
        Some(Node::Text(text)) => text.chars().count(),
        Some(Node::Bytes(bytes)) => {
            bytes.utf8_chunks().map(|chunk| chunk.valid().chars().count() + chunk.invalid().len()).sum()
        }
        _ => return Err("`rune_len` needs a string".to_owned()),
    };
    i64::try_from(count).map(Constant::Int).map_err(|_| "length beyond 64 bits".to_owned())
}

fn same(arguments: &[Argument<'_>]) -> Result<bool, String> {
    let nodes = nodes(arguments)?;
    let [left, right] = nodes.as_slice() else { return Err("two arguments are needed".to_owned()) };
    Ok(match (Number::from_node(left), Number::from_node(right)) {
        (Some(left), Some(right)) => Number::compare(&left, &right) == Some(std::cmp::Ordering::Equal),
        _ => match (bytes(left), bytes(right)) {
            (Some(left), Some(right)) => left == right,
            _ => left == right,
        },
    })
}

fn bytes<'v>(node: &Node<'v>) -> Option<&'v [u8]> {
    match node {
        Node::Text(text) => Some(text.as_bytes()),
        Node::Bytes(bytes) => Some(bytes),
        _ => None,
    }
}

fn order(arguments: &[Argument<'_>], holds: fn(std::cmp::Ordering) -> bool) -> Result<Constant, String> {
    let nodes = nodes(arguments)?;
    let [left, right] = nodes.as_slice() else { return Err("two arguments are needed".to_owned()) };
    match (Number::from_node(left), Number::from_node(right)) {
        (Some(left), Some(right)) => Ok(Constant::Bool(Number::compare(&left, &right).is_some_and(holds))),
        _ => Err(format!("only numbers have an order, found {} and {}", left.kind(), right.kind())),
    }
}

fn truths(arguments: &[Argument<'_>]) -> Result<Vec<bool>, String> {
    nodes(arguments)?
        .into_iter()
        .map(|node| match node {
            Node::Bool(truth) => Ok(truth),
            other => Err(format!("a boolean is needed, found {}", other.kind())),
        })
        .collect()
}

fn add(arguments: &[Argument<'_>]) -> Result<Constant, String> {
    let found = nodes(arguments)?;
    if let [left, right] = found.as_slice()
        && let (Some(left), Some(right)) = (bytes(left), bytes(right))
    {
        let joined = [left, right].concat();
        return Ok(match String::from_utf8(joined) {
            Ok(text) => Constant::Text(text.into()),
            Err(error) => Constant::Bytes(error.into_bytes().into()),
        });
    }
    arithmetic("add", arguments, i64::checked_add, |a, b| a + b)
}

/// The rest of a division, which always fits: that of the least integer and -1 is zero.
fn remainder(left: i64, right: i64) -> Option<i64> {
    (right != 0).then(|| left.wrapping_rem(right))
}

fn arithmetic(
    name: &str,
    arguments: &[Argument<'_>],
    whole: fn(i64, i64) -> Option<i64>,
    real: fn(f64, f64) -> f64,
) -> Result<Constant, String> {
    let nodes = nodes(arguments)?;
    match nodes.as_slice() {
        [Node::Int(left), Node::Int(right)] => {
            whole(*left, *right).map(Constant::Int).ok_or_else(|| match (name, right) {
                ("div" | "mod", 0) => format!("`{name}` by zero"),
                _ => format!("`{name}` of {left} and {right} does not fit 64 bits"),
            })
        }
        [left, right] => match (Number::from_node(left), Number::from_node(right)) {
            (Some(left), Some(right)) => Ok(Constant::Float(real(left.as_f64(), right.as_f64()))),
            _ => Err(format!("`{name}` needs numbers, found {} and {}", left.kind(), right.kind())),
        },
        _ => Err(format!("`{name}` takes two arguments")),
    }
}

/// The verbs of `sprintf` that every target language can reproduce.
pub(super) const VERBS: &str = "sdvqxf%";

fn sprintf(arguments: &[Argument<'_>]) -> Result<Constant, String> {
    let found = nodes(arguments)?;
    let Some((format, values)) = found.split_first() else {
        return Err("`sprintf` needs a format".to_owned());
    };
    let format = match format {
        Node::Text(text) => (*text).to_owned(),
        Node::Bytes(bytes) => String::from_utf8_lossy(bytes).into_owned(),
        other => return Err(format!("the format of `sprintf` is text, found {}", other.kind())),
    };
    let mut values = values.iter();
    let mut out = String::with_capacity(format.len());
    let mut rest = format.chars();
    while let Some(letter) = rest.next() {
        if letter != '%' {
            out.push(letter);
            continue;
        }
        match rest.next() {
            Some('%') => out.push('%'),
            Some(verb) if VERBS.contains(verb) => {
                let value = values.next().ok_or_else(|| format!("`%{verb}` has no argument"))?;
                write_verb(&mut out, verb, value)?;
            }
            Some(verb) => return Err(format!("`%{verb}` is not a verb of `sprintf` here")),
            None => return Err("`%` at the end of a format".to_owned()),
        }
    }
    match values.next() {
        Some(_) => Err("`sprintf` has more arguments than verbs".to_owned()),
        None => Ok(Constant::Text(out.into())),
    }
}

fn write_verb(out: &mut String, verb: char, value: &Node<'_>) -> Result<(), String> {
    let text = match value {
        Node::Text(text) => Some((*text).to_owned()),
        Node::Bytes(bytes) => Some(String::from_utf8_lossy(bytes).into_owned()),
        _ => None,
    };
    let wrong = || format!("`%{verb}` cannot write {}", value.kind());
    match (verb, value, text) {
        ('s' | 'v', _, Some(text)) => out.push_str(&text),
        ('q', _, Some(text)) => out.push_str(&format!("{text:?}")),
        ('x', _, Some(text)) => text.bytes().for_each(|byte| out.push_str(&format!("{byte:02x}"))),
        ('x', Node::Int(value), _) if *value < 0 => out.push_str(&format!("-{:x}", value.unsigned_abs())),
        ('x', Node::Int(value), _) => out.push_str(&format!("{value:x}")),
        ('d' | 'v', Node::Int(value), _) => out.push_str(&value.to_string()),
        ('f', Node::Float(value), _) => out.push_str(&format!("{value:.6}")),
        ('v', Node::Float(value), _) => out.push_str(&value.to_string()),
        ('v', Node::Bool(value), _) => out.push_str(&value.to_string()),
        _ => return Err(wrong()),
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(function: &str, arguments: &[Constant], expected: Result<Constant, &str>) {
        let arguments: Vec<Argument<'_>> = arguments.iter().map(Argument::Constant).collect();
        let found = Functions::at(1_500_000_000_123_456_789).call(function, &arguments);
        match expected {
            Ok(expected) => assert_eq!(found, Ok(expected)),
            Err(part) => {
                let reason = found.unwrap_err();
                assert!(reason.contains(part), "{reason}");
            }
        }
    }

    #[test]
    fn lengths_count_bytes_or_characters() {
        check("len", &["éé".into()], Ok(4.into()));
        check("rune_len", &["éé".into()], Ok(2.into()));
        check("len", &[Constant::List(vec![1.into(), 2.into()])], Ok(2.into()));
    }

    #[test]
    fn arithmetic_is_checked() {
        check("add", &[2.into(), 3.into()], Ok(5.into()));
        check("add", &["a".into(), "b".into()], Ok("ab".into()));
        check("add", &[i64::MAX.into(), 1.into()], Err("does not fit"));
        check("mod", &[7.into(), 0.into()], Err("by zero"));
        check("mod", &[i64::MIN.into(), Constant::Int(-1)], Ok(0.into()));
        check("mod", &[Constant::Int(-7), 3.into()], Ok(Constant::Int(-1)));
        check("div", &[i64::MIN.into(), Constant::Int(-1)], Err("does not fit"));
        check("mul", &[1.5.into(), 2.into()], Ok(3.0.into()));
    }

    #[test]
    fn the_time_is_given() {
        check("now_unix_nano", &[], Ok(1_500_000_000_123_456_789i64.into()));
        check("now_unix", &[], Ok(1_500_000_000i64.into()));
    }

    #[test]
    fn sprintf_knows_the_common_verbs() {
        check("sprintf", &["%s_%d%%".into(), "a".into(), 7.into()], Ok("a_7%".into()));
        check(
            "sprintf",
            &["%q %x %f".into(), "a".into(), 255.into(), 0.5.into()],
            Ok("\"a\" ff 0.500000".into()),
        );
        check("sprintf", &["%d".into(), "a".into()], Err("cannot write"));
        check("sprintf", &["%d".into()], Err("no argument"));
        check("sprintf", &["x".into(), 1.into()], Err("more arguments"));
    }

    #[test]
    fn conditions_combine() {
        check("equal", &[1.into(), 1.0.into()], Ok(true.into()));
        check("not_equal", &["a".into(), "b".into()], Ok(true.into()));
        check("lt", &[1.into(), f64::NAN.into()], Ok(false.into()));
        check("and", &[true.into(), false.into()], Ok(false.into()));
        check("or", &[true.into(), false.into()], Ok(true.into()));
        check("not", &[false.into()], Ok(true.into()));
        check("and", &[1.into()], Err("boolean"));
    }
}
