//! Texts that are put together with `concat` and `format`.

use arm::expression::{Expression, FunctionCall};

/// A part of a format string.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum FormatPart {
    Text(String),
    /// `{0}`
    Hole(usize),
}

/// Takes a format string apart; none if it has holes that say more than a number.
pub(crate) fn format_parts(format: &str) -> Option<Vec<FormatPart>> {
    let mut parts = Vec::new();
    let mut text = String::new();
    let mut characters = format.chars().peekable();
    while let Some(character) = characters.next() {
        match character {
            '{' if characters.peek() == Some(&'{') => {
                characters.next();
                text.push('{');
            }
            '}' => {
                characters.next().filter(|next| *next == '}')?;
                text.push('}');
            }
            '{' => {
                let mut number = String::new();
                loop {
                    match characters.next()? {
                        '}' => break,
                        digit if digit.is_ascii_digit() => number.push(digit),
                        _ => return None,
                    }
                }
                if !text.is_empty() {
                    parts.push(FormatPart::Text(std::mem::take(&mut text)));
                }
                parts.push(FormatPart::Hole(number.parse().ok()?));
            }
            other => text.push(other),
        }
    }
    if !text.is_empty() {
        parts.push(FormatPart::Text(text));
    }
    Some(parts)
}

/// Tells whether a call puts texts together, not arrays.
pub(crate) fn can_interpolate(call: &FunctionCall) -> bool {
    call.is_call_to("format")
        || call.is_call_to("concat")
            && call.arguments.iter().any(|argument| match argument {
                Expression::Text(_) => true,
                Expression::Call(inner) => can_interpolate(inner),
                Expression::Int(_) | Expression::Access(_) | Expression::Secret(_) => false,
            })
}

/// How large the parts may be that a `format` puts together, if they are larger than itself: each hole is a copy of an argument, and copies
/// of copies would have no end.
const MOST_COPIED: usize = 1024;

/// The same text with a single `concat`, or none if there is only one part.
pub(crate) fn flattened(expression: &Expression) -> Expression {
    let Expression::Call(call) = expression else { return expression.clone() };
    if !call.is_call_to("format") && !call.is_call_to("concat") {
        return expression.clone();
    }
    // Each argument once, however many holes it fills.
    let arguments: Vec<Expression> = call.arguments.iter().map(flattened).collect();
    let parts = if call.is_call_to("format") {
        let most = size(expression).max(MOST_COPIED);
        match format_arguments(call, &arguments, most) {
            Some(parts) => parts,
            None => return expression.clone(),
        }
    } else {
        arguments
    };
    let mut flat: Vec<Expression> = Vec::new();
    for part in parts {
        match part {
            Expression::Call(inner) if inner.is_call_to("concat") => flat.extend(inner.arguments),
            other => flat.push(other),
        }
    }
    let mut joined: Vec<Expression> = Vec::new();
    let mut pending = String::new();
    for argument in flat {
        match argument {
            Expression::Text(text) => pending.push_str(&text),
            Expression::Int(number) => pending.push_str(&number.to_string()),
            other => {
                if !pending.is_empty() {
                    joined.push(Expression::text(std::mem::take(&mut pending)));
                }
                joined.push(other);
            }
        }
    }
    if !pending.is_empty() || joined.is_empty() {
        joined.push(Expression::text(pending));
    }
    match joined.as_slice() {
        [one] => one.clone(),
        _ => Expression::call("concat", joined),
    }
}

/// What a `format` puts together of its arguments, which were flattened; none if that is more than `most`.
fn format_arguments(call: &FunctionCall, flat: &[Expression], most: usize) -> Option<Vec<Expression>> {
    let [Expression::Text(format), arguments @ ..] = call.arguments.as_slice() else { return None };
    let flat = flat.get(1..)?;
    let parts = format_parts(format)?;
    let sizes: Vec<usize> = flat.iter().map(size).collect();
    let mut left = most;
    let mut is_used = vec![false; flat.len()];
    let part = |part: FormatPart| match part {
        FormatPart::Text(text) => Some(Expression::text(text)),
        FormatPart::Hole(number) => {
            left = left.checked_sub(*sizes.get(number)?)?;
            // A copy that has copies of its own could stand for any number of them.
            if std::mem::replace(is_used.get_mut(number)?, true) && has_format(arguments.get(number)?) {
                return None;
            }
            flat.get(number).cloned()
        }
    };
    parts.into_iter().map(part).collect()
}

fn has_format(expression: &Expression) -> bool {
    let mut found = false;
    expression.for_each(&mut |part| found |= part.as_call().is_some_and(|call| call.is_call_to("format")));
    found
}

/// How large an expression is: its parts, and the bytes of its texts.
fn size(expression: &Expression) -> usize {
    let mut size = 0_usize;
    expression.for_each(&mut |part| {
        size += match part {
            Expression::Text(text) => 1 + text.len(),
            _ => 1,
        };
    });
    size
}

/// The same expression with every text in it flattened, which makes two ways to write one name comparable.
pub(crate) fn normalized(expression: &Expression) -> Expression {
    expression.clone().rewrite(&mut |part| flattened(&part))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn format_strings_are_taken_apart() {
        let text = |text: &str| FormatPart::Text(text.to_owned());
        assert_eq!(format_parts("a{{{0}}}"), Some(vec![text("a{"), FormatPart::Hole(0), text("}")]));
        assert_eq!(format_parts("{0:x}"), None);
        assert_eq!(format_parts("{"), None);
        assert_eq!(format_parts("}"), None);
    }

    #[test]
    fn texts_are_joined() {
        let flat = |text: &str| flattened(&arm::expression::parse(text).unwrap()).to_string();
        assert_eq!(flat("concat('a', format('b{0}', f()), concat('c'))"), "concat('ab', f(), 'c')");
        assert_eq!(flat("format('{0}', 'x')"), "'x'");
        assert_eq!(flat("concat(f())"), "f()");
        assert_eq!(flat("format('{0}-{0}', concat('a', f()))"), "concat('a', f(), '-a', f())");
    }

    #[test]
    fn copies_of_copies_have_an_end() {
        let doubled = (0..60).fold("f()".to_owned(), |inner, _| format!("format('{{0}}{{0}}', {inner})"));
        let expression = arm::expression::parse(&doubled).unwrap();
        for flat in [flattened(&expression), normalized(&expression)] {
            assert!(size(&flat) <= size(&expression) + MOST_COPIED, "{}", size(&flat));
        }
        let long = format!("format('{}', '{}', f())", "{0}".repeat(10_000), "x".repeat(10_000));
        let expression = arm::expression::parse(&long).unwrap();
        assert_eq!(flattened(&expression), expression);
    }
}
