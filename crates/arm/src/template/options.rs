//! The options that an engine knows: what `@options` of a resource may say without being told to its provider.

use super::{JsonKind, TemplateNode};
use crate::Value;
use crate::functions::duration_in_milliseconds;

/// A row of the table.
pub(crate) struct KnownOption {
    /// The name, which does not depend on case.
    name: &'static str,
    /// Whether it is for existing resources, and not for those that are deployed.
    pub(crate) existing: bool,
    /// What its arguments are.
    pub(crate) wants: &'static str,
    /// Whether arguments that are written out are that; an expression may become anything.
    pub(crate) fits: fn(&[TemplateNode]) -> bool,
}

const KNOWN: [KnownOption; 5] = [
    KnownOption {
        name: "onlyIfNotExists",
        existing: false,
        wants: "no arguments",
        fits: <[TemplateNode]>::is_empty,
    },
    KnownOption {
        name: "deployIfNotExists",
        existing: false,
        wants: "no arguments",
        fits: <[TemplateNode]>::is_empty,
    },
    KnownOption {
        name: "nullIfNotFound",
        existing: true,
        wants: "no arguments",
        fits: <[TemplateNode]>::is_empty,
    },
    KnownOption {
        name: "retryOn",
        existing: false,
        wants: "a list of error codes and, perhaps, a number of further attempts",
        fits: retries,
    },
    KnownOption {
        name: "waitUntil",
        existing: false,
        wants: "a lambda with one argument and an ISO 8601 duration such as `PT20M`",
        fits: waits,
    },
];

/// The option with a name.
pub(crate) fn find(name: &str) -> Option<&'static KnownOption> {
    KNOWN.iter().find(|known| known.name.eq_ignore_ascii_case(name))
}

fn retries(arguments: &[TemplateNode]) -> bool {
    let codes = |codes: &TemplateNode| match &codes.kind {
        JsonKind::Expression(_) => true,
        JsonKind::Value(codes) => {
            codes.as_array().is_some_and(|codes| codes.iter().all(|code| code.as_str().is_some()))
        }
        JsonKind::Array(codes) => {
            codes.iter().all(|code| code.as_expression().is_some() || code.as_str().is_some())
        }
        JsonKind::Object(_) | JsonKind::Template(_) => false,
    };
    let count = |count: &TemplateNode| match &count.kind {
        JsonKind::Expression(_) => true,
        JsonKind::Value(Value::Int(count)) => u32::try_from(*count).is_ok(),
        JsonKind::Value(_) | JsonKind::Array(_) | JsonKind::Object(_) | JsonKind::Template(_) => false,
    };
    match arguments {
        [of] => codes(of),
        [of, times] => codes(of) && count(times),
        _ => false,
    }
}

fn waits(arguments: &[TemplateNode]) -> bool {
    let [lambda, duration] = arguments else { return false };
    let call = lambda.as_expression().and_then(|expression| expression.as_call());
    let is_lambda = call.is_some_and(|call| call.is_call_to("lambda") && call.arguments.len() == 2);
    let is_duration = duration.as_expression().is_some()
        || duration.as_str().is_some_and(|text| duration_in_milliseconds(text).is_some());
    is_lambda && is_duration
}
