//! Elements of collections that are named by their ids: the compiler writes the id of a collection's resource with the index
//! of the element in the place of `copyIndex()`.

use arm::expression::Expression;

use crate::converter::Converter;

/// How many collections of one type are looked at for one id; a template has at most 800 resources.
pub(crate) const MAX_COLLECTIONS: usize = 1000;

impl Converter<'_> {
    /// The collection that an id names an element of, and the index of that element.
    pub(crate) fn element_of(&self, id: &Expression) -> Option<(usize, Expression)> {
        let collections = self.collections.get(&key(id)?)?;
        collections.iter().take(MAX_COLLECTIONS).find_map(|(place, pattern)| {
            index(std::slice::from_ref(pattern), std::slice::from_ref(id)).map(|index| (*place, index))
        })
    }
}

/// What the ids of all elements of a collection have in common: the function, the type, and how many parts there are.
pub(crate) fn key(id: &Expression) -> Option<String> {
    let call = id.as_call()?;
    let ty = call.arguments.iter().find_map(|argument| match argument {
        Expression::Text(text) if text.contains('/') => Some(text),
        _ => None,
    })?;
    Some(format!("{} {} {ty}", call.name, call.arguments.len()).to_lowercase())
}

/// The index that gives what is `found` if it stands in the place of `copyIndex()` in the `patterns`; none if there is none,
/// or if there is no `copyIndex()`.
pub(crate) fn index(patterns: &[Expression], found: &[Expression]) -> Option<Expression> {
    let mut index = None;
    fit(patterns, found, &mut index).then_some(index).flatten().cloned()
}

fn fit<'e>(patterns: &[Expression], found: &'e [Expression], index: &mut Option<&'e Expression>) -> bool {
    patterns.len() == found.len()
        && patterns.iter().zip(found).all(|(pattern, found)| fits(pattern, found, index))
}

fn fits<'e>(pattern: &Expression, found: &'e Expression, index: &mut Option<&'e Expression>) -> bool {
    match (pattern, found) {
        (Expression::Call(call), found) if call.is_call_to("copyIndex") && call.arguments.is_empty() => {
            *index.get_or_insert(found) == found
        }
        (Expression::Call(pattern), Expression::Call(found)) => {
            pattern.name == found.name
                && pattern.namespace == found.namespace
                && fit(&pattern.arguments, &found.arguments, index)
        }
        (Expression::Access(pattern), Expression::Access(found)) => {
            fits(pattern.base(), found.base(), index) && fit(pattern.path(), found.path(), index)
        }
        (pattern, found) => pattern == found,
    }
}

/// Tells whether an expression means something else in each round of a loop.
pub(crate) fn is_repeated(expressions: &[Expression]) -> bool {
    let mut found = false;
    for expression in expressions {
        expression
            .for_each(&mut |part| found |= part.as_call().is_some_and(|call| call.is_call_to("copyIndex")));
    }
    found
}
