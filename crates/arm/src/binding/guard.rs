//! Types that an expression can hold its own value against.
//!
//! An expression that is evaluated elsewhere takes no types with it. The words of types, however, are what some functions ask of their
//! arguments: `add(x, 0)` is `x` if that is an integer, and an error if it is not.

use crate::Expression;
use crate::expression::FunctionCall;
use crate::template::{TypeDefinition, TypeWord};

/// The expression in a form that fails unless its value is of the type; none if there is no such form.
pub(super) fn guarded(ty: &TypeDefinition, expression: Expression) -> Option<Expression> {
    if !ty.plain || ty.nullable || ty.secure {
        return None;
    }
    let word = ty.word?;
    if is_certain(word, &expression) {
        return Some(expression);
    }
    let list = |expression| Expression::call("createArray", [expression]);
    Some(match word {
        TypeWord::String => Expression::call("substring", [expression, Expression::Int(0)]),
        TypeWord::Int => Expression::call("add", [expression, Expression::Int(0)]),
        TypeWord::Bool => Expression::call("not", [Expression::call("not", [expression])]),
        TypeWord::Array => Expression::call("flatten", [list(expression)]),
        TypeWord::Object => Expression::call("shallowMerge", [list(expression)]),
    })
}

/// Functions whose results are always of one type.
const RESULTS: &[(TypeWord, &[&str])] = &[
    (
        TypeWord::String,
        &[
            "base64",
            "base64ToString",
            "dataUri",
            "dataUriToString",
            "format",
            "guid",
            "join",
            "padLeft",
            "replace",
            "string",
            "substring",
            "toLower",
            "toUpper",
            "trim",
            "uniqueString",
            "uri",
            "uriComponent",
            "uriComponentToString",
        ],
    ),
    (TypeWord::Int, &["add", "div", "indexOf", "int", "lastIndexOf", "length", "mod", "mul", "sub"]),
    (
        TypeWord::Bool,
        &[
            "and",
            "bool",
            "contains",
            "empty",
            "endsWith",
            "equals",
            "false",
            "greater",
            "greaterOrEquals",
            "less",
            "lessOrEquals",
            "not",
            "or",
            "startsWith",
            "true",
        ],
    ),
    (TypeWord::Array, &["createArray", "filter", "flatten", "items", "map", "objectKeys", "range", "split"]),
    (TypeWord::Object, &["createObject", "groupBy", "mapValues", "shallowMerge", "toObject"]),
];

/// Tells whether an expression has a value of that kind, or none at all.
fn is_certain(word: TypeWord, expression: &Expression) -> bool {
    let gives = |call: &FunctionCall| {
        let mut rows = RESULTS.iter().filter(|(result, _)| *result == word);
        call.namespace.is_none() && rows.any(|(_, names)| names.iter().any(|name| call.is_call_to(name)))
    };
    match expression {
        Expression::Text(_) => word == TypeWord::String,
        Expression::Int(_) => word == TypeWord::Int,
        Expression::Call(call) => match call.arguments.as_slice() {
            [_, yes, no] if call.is_call_to("if") => is_certain(word, yes) && is_certain(word, no),
            _ => gives(call),
        },
        Expression::Access(_) | Expression::Secret(_) => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evaluate::{EvaluationLimits, Evaluator, Void};
    use crate::expression::parse;
    use crate::value::Value;

    fn word(word: TypeWord) -> TypeDefinition {
        let text =
            document::Document::from_json("{}", document::FileId::FIRST, &document::ReadLimits::DEFAULT)
                .unwrap();
        TypeDefinition {
            node: text.root().id(),
            word: Some(word),
            secure: false,
            nullable: false,
            plain: true,
        }
    }

    const WORDS: &[(TypeWord, &str)] = &[
        (TypeWord::String, "'a'"),
        (TypeWord::String, "''"),
        (TypeWord::Int, "json('-9223372036854775808')"),
        (TypeWord::Bool, "false()"),
        (TypeWord::Array, "createArray(1, createArray(2))"),
        (TypeWord::Object, "createObject('a', createObject('b', 1))"),
    ];

    /// A call that gives its argument, and says nothing of its type.
    fn opaque(text: &str) -> Expression {
        parse(&format!("first(createArray({text}))")).unwrap()
    }

    fn evaluate(expression: &Expression) -> Result<Value, crate::EvaluateError> {
        Evaluator::run(&Void, EvaluationLimits::DEFAULT, |evaluator| evaluator.evaluate(expression))
    }

    #[test]
    fn a_guard_keeps_its_value_and_fails_for_all_others() {
        for (wanted, _) in WORDS {
            for (found, text) in WORDS {
                let guarded = guarded(&word(*wanted), opaque(text)).unwrap();
                match evaluate(&guarded) {
                    Ok(value) => {
                        assert_eq!(wanted, found, "{guarded}");
                        assert_eq!(value, evaluate(&parse(text).unwrap()).unwrap(), "{guarded}");
                    }
                    Err(_) => assert_ne!(wanted, found, "{guarded}"),
                }
            }
            for text in ["null()", "json('1.5')"] {
                let guarded = guarded(&word(*wanted), opaque(text)).unwrap();
                assert!(evaluate(&guarded).is_err(), "{guarded}");
            }
        }
    }

    #[test]
    fn what_an_expression_cannot_say_has_no_guard() {
        let string = word(TypeWord::String);
        for ty in [
            TypeDefinition { plain: false, ..string },
            TypeDefinition { nullable: true, ..string },
            TypeDefinition { secure: true, ..string },
        ] {
            assert!(guarded(&ty, opaque("'a'")).is_none());
        }
    }

    #[test]
    fn what_is_certain_stays_as_it_is() {
        for text in [
            "format('{0}', externalInputs('0'))",
            "if(externalInputs('0'), 'a', toLower(externalInputs('1')))",
        ] {
            let guarded = guarded(&word(TypeWord::String), parse(text).unwrap()).unwrap();
            assert_eq!(guarded.to_string(), text);
        }
    }
}
