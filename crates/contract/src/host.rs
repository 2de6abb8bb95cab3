//! What a contract cannot know by itself: functions of the embedding program.

use std::any::Any;
use std::fmt;
use std::marker::PhantomData;

use crate::operand::ReferenceStep;
use crate::rules::Custom;
use value::Constant;
use value::{Node, View};

/// Any value behind one pointer, for hosts and references that cannot be generic.
pub trait AnyView {
    /// Reads the value itself.
    fn node(&self) -> Node<'_>;

    /// Follows steps into the value; `None` where one leads nowhere.
    fn walk<'n>(&'n self, steps: &'n [ReferenceStep]) -> Option<Node<'n>>;

    /// Visits every element of a list.
    fn each_item(&self, visit: &mut dyn FnMut(&dyn AnyView));

    /// Visits every member of an object, key first.
    fn each_member(&self, visit: &mut dyn FnMut(&dyn AnyView, &dyn AnyView));

    /// Copies the value, `None` if it nests deeper than `depth` or is not known.
    fn copy(&self, depth: usize) -> Option<Constant>;

    /// The value as its owner has it, if the owner gives it away.
    fn original(&self) -> Option<&dyn Any>;
}

/// Carries a [`View`] across a `dyn` boundary.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Erased<'v, V>(V, PhantomData<&'v ()>);

impl<'v, V: View<'v>> Erased<'v, V> {
    pub(crate) fn new(view: V) -> Erased<'v, V> {
        Erased(view, PhantomData)
    }
}

impl<'v, V: View<'v>> AnyView for Erased<'v, V> {
    fn node(&self) -> Node<'_> {
        self.0.node()
    }

    fn walk<'n>(&'n self, steps: &'n [ReferenceStep]) -> Option<Node<'n>> {
        walk(self.0, steps)
    }

    fn each_item(&self, visit: &mut dyn FnMut(&dyn AnyView)) {
        for item in self.0.items() {
            visit(&Erased::new(item));
        }
    }

    fn each_member(&self, visit: &mut dyn FnMut(&dyn AnyView, &dyn AnyView)) {
        for (key, value) in self.0.members() {
            visit(&Erased::new(key), &Erased::new(value));
        }
    }

    fn copy(&self, depth: usize) -> Option<Constant> {
        Constant::copy(self.0, depth)
    }

    fn original(&self) -> Option<&dyn Any> {
        self.0.original()
    }
}

/// Follows steps into a value; where a member is absent, into what stands for it.
pub(crate) fn walk<'n, 'v: 'n, V: View<'v>>(value: V, steps: &'n [ReferenceStep]) -> Option<Node<'n>> {
    find(value, steps).node(steps)
}

/// Where the steps of a reference led, before what stands for an absent member is looked up.
#[derive(Clone, Copy, Debug)]
pub(crate) enum ReferenceTarget<'v> {
    Value(Node<'v>),
    /// Nowhere: to a member that is absent, by the step with this number.
    Absent(usize),
    /// Nowhere, and nothing stands for it.
    Nothing,
}

impl<'v> ReferenceTarget<'v> {
    /// The value, or what stands for it. The steps are those that were followed.
    pub(crate) fn node<'n>(self, steps: &'n [ReferenceStep]) -> Option<Node<'n>>
    where
        'v: 'n,
    {
        let mut rest = steps;
        let mut found: ReferenceTarget<'n> = self;
        // Each turn has fewer steps than the one before.
        loop {
            match found {
                ReferenceTarget::Value(node) => return Some(node),
                ReferenceTarget::Nothing => return None,
                ReferenceTarget::Absent(at) => {
                    let ReferenceStep::Member { absent: Some(absent), .. } = rest.get(at)? else {
                        return None;
                    };
                    rest = rest.get(at + 1..)?;
                    found = find(&**absent, rest);
                }
            }
        }
    }
}

/// Follows steps into a value.
pub(crate) fn find<'v, V: View<'v>>(value: V, steps: &[ReferenceStep]) -> ReferenceTarget<'v> {
    let mut value = value;
    for (at, step) in steps.iter().enumerate() {
        let next = match (step, value.node()) {
            (ReferenceStep::Index(index), Node::List(_)) => {
                usize::try_from(*index).ok().and_then(|index| value.item(index))
            }
            (ReferenceStep::Index(number) | ReferenceStep::Member { number, .. }, Node::Object(_)) => value
                .members()
                // Readers keep the last of several.
                .filter(|(key, _)| key.node() == Node::Int(*number))
                .last()
                .map(|(_, value)| value),
            (ReferenceStep::Key(key), Node::Object(_)) => value.member(key),
            _ => return ReferenceTarget::Nothing,
        };
        value = match (next, step) {
            (Some(next), _) => next,
            (None, ReferenceStep::Member { .. }) => return ReferenceTarget::Absent(at),
            (None, ReferenceStep::Index(_) | ReferenceStep::Key(_)) => return ReferenceTarget::Nothing,
        };
    }
    ReferenceTarget::Value(value.node())
}

/// An argument of a host function.
pub enum Argument<'a> {
    /// A value that the contract or another function gave.
    Constant(&'a Constant),
    /// A value of the checked document.
    Value(&'a dyn AnyView),
    /// A scalar or the size of a container, read through a reference.
    Node(Node<'a>),
    /// A reference that led nowhere.
    Missing,
}

impl Argument<'_> {
    /// Reads the argument itself; `None` if it is missing.
    pub fn node(&self) -> Option<Node<'_>> {
        match self {
            Argument::Constant(constant) => Some(View::node(*constant)),
            Argument::Value(value) => Some(value.node()),
            Argument::Node(node) => Some(*node),
            Argument::Missing => None,
        }
    }
}

impl fmt::Debug for Argument<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.node() {
            Some(node) => node.fmt(f),
            None => f.write_str("Missing"),
        }
    }
}

/// What a function needs to be called, as the compiler of contracts checks it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Signature {
    /// The fewest arguments it takes.
    pub least: usize,
    /// The most arguments it takes.
    pub most: usize,
    /// Whether equal arguments always give equal results, so that a call on constants is folded.
    pub pure_: bool,
}

/// What a custom rule says about a value.
#[derive(Clone, Debug, PartialEq)]
pub enum Tested {
    /// The value keeps the rule.
    Holds,
    /// The value breaks the rule.
    Broken {
        /// Why, in words; empty if the host keeps them.
        words: String,
        /// The number under which the host keeps why.
        cause: Option<u32>,
    },
    /// The rule itself could not be evaluated, which breaks it too.
    Failed {
        /// Why, in words; empty if the host keeps them.
        words: String,
        /// The number under which the host keeps why.
        cause: Option<u32>,
    },
    /// What it depends on is not known yet.
    Unknown,
}

impl Tested {
    /// A broken rule, in words.
    pub fn broken(words: impl Into<String>) -> Tested {
        Tested::Broken { words: words.into(), cause: None }
    }

    /// A rule that could not be evaluated, in words.
    pub fn failed(words: impl Into<String>) -> Tested {
        Tested::Failed { words: words.into(), cause: None }
    }
}

/// Functions that the embedding program gives to contracts.
pub trait Host {
    /// Describes a function; `None` if there is none of that name.
    fn signature(&self, function: &str) -> Option<Signature>;

    /// Calls a function for an operand. An error breaks the rule that asked, with this reason.
    fn call(&self, function: &str, arguments: &[Argument<'_>]) -> Result<Constant, String>;

    /// Tests a value by a custom rule.
    fn test(&self, rule: &Custom, value: &dyn AnyView, arguments: &[Argument<'_>]) -> Tested {
        let _ = (value, arguments);
        Tested::failed(format!("no host evaluates the custom rule `{}`", rule.name))
    }

    /// Whether a function is called even if an argument refers to something that is not there.
    /// For the others, the rule that asked is then skipped.
    fn takes_missing(&self, function: &str) -> bool {
        let _ = function;
        false
    }

    /// The names of all functions, for suggestions.
    fn names(&self) -> Vec<&str> {
        Vec::new()
    }
}

/// A host that has nothing but `len`, which every dialect shares.
#[derive(Clone, Copy, Debug, Default)]
pub struct Plain;

impl Host for Plain {
    fn signature(&self, function: &str) -> Option<Signature> {
        (function == "len").then_some(Signature { least: 1, most: 1, pure_: true })
    }

    fn call(&self, function: &str, arguments: &[Argument<'_>]) -> Result<Constant, String> {
        match (function, arguments) {
            ("len", [argument]) => len(argument),
            _ => Err(format!("no function `{function}` takes {} arguments", arguments.len())),
        }
    }

    fn names(&self) -> Vec<&str> {
        vec!["len"]
    }
}

/// The length of a value: bytes of a string, elements of a list, members of an object.
pub fn len(argument: &Argument<'_>) -> Result<Constant, String> {
    let length = match argument.node() {
        Some(Node::Text(text)) => text.len(),
        Some(Node::Bytes(bytes)) => bytes.len(),
        Some(Node::List(count) | Node::Object(count)) => count,
        Some(other) => return Err(format!("`len` needs a string or a container, found {}", other.kind())),
        None => return Err("`len` of a missing value".to_owned()),
    };
    i64::try_from(length).map(Constant::Int).map_err(|_| "length beyond 64 bits".to_owned())
}
