//! Texts that are put together with `concat` and `format`.

use arm::expression::{Call, Expression};

/// A part of a format string.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Part {
    Text(String),
    /// `{0}`
    Hole(usize),
}

/// Takes a format string apart; none if it has holes that say more than a number.
pub(crate) fn format_parts(format: &str) -> Option<Vec<Part>> {
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
                    parts.push(Part::Text(std::mem::take(&mut text)));
                }
                parts.push(Part::Hole(number.parse().ok()?));
            }
            other => text.push(other),
        }
    }
    if !text.is_empty() {
        parts.push(Part::Text(text));
    }
    Some(parts)
}

/// Tells whether a call puts texts together, not arrays.
pub(crate) fn can_interpolate(call: &Call) -> bool {
    call.is("format")
        || call.is("concat")
            && call.arguments.iter().any(|argument| match argument {
                Expression::Text(_) => true,
                Expression::Call(inner) => can_interpolate(inner),
                Expression::Int(_) | Expression::Access(_) | Expression::Secret(_) => false,
            })
}

/// The same text with a single `concat`, or none if there is only one part.
pub(crate) fn flattened(expression: &Expression) -> Expression {
    let Expression::Call(call) = expression else { return expression.clone() };
    let arguments: Vec<Expression> = if call.is("format") {
        match format_arguments(call) {
            Some(arguments) => arguments,
            None => return expression.clone(),
        }
    } else if call.is("concat") {
        call.arguments.clone()
    } else {
        return expression.clone();
    };
    let mut flat: Vec<Expression> = Vec::new();
    for argument in &arguments {
        match flattened(argument) {
            Expression::Call(inner) if inner.is("concat") => flat.extend(inner.arguments),
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

fn format_arguments(call: &Call) -> Option<Vec<Expression>> {
    let [Expression::Text(format), arguments @ ..] = call.arguments.as_slice() else { return None };
    let parts = format_parts(format)?;
    let part = |part: Part| match part {
        Part::Text(text) => Some(Expression::text(text)),
        Part::Hole(number) => arguments.get(number).cloned(),
    };
    parts.into_iter().map(part).collect()
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
        let text = |text: &str| Part::Text(text.to_owned());
        assert_eq!(format_parts("a{{{0}}}"), Some(vec![text("a{"), Part::Hole(0), text("}")]));
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
    }
}
