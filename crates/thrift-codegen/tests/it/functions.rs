//! The cases of functions that the user supplies, with functions of the embedding program in place of generated code's.

use std::sync::Arc;

use contract::{Argument, Constant, Node, Signature};
use thrift::rules::UserFunction;
use thrift::validate::{Rejection, ValidateConfig, Validator, Want};
use thrift::wire::Protocol;

use crate::generated::functions::{cases, declared};

fn int(arguments: &[Argument<'_>]) -> Result<i64, String> {
    match arguments.first().and_then(Argument::node) {
        Some(Node::Int(value)) => Ok(value),
        _ => Err("an integer is needed".to_owned()),
    }
}

/// The cases that generated code is held against, with the functions of the embedding program.
#[test]
fn functions_of_the_embedding_program_agree_with_generated_code() {
    fn texts(arguments: &[Argument<'_>]) -> Vec<u8> {
        match arguments.first().and_then(Argument::node) {
            Some(Node::Text(text)) => text.as_bytes().to_vec(),
            Some(Node::Bytes(bytes)) => bytes.to_vec(),
            other => panic!("{other:?}"),
        }
    }
    let mut functions = declared();
    let any = Signature { least: 0, most: usize::MAX, pure_: true };
    let mut add = |name: &str, function: UserFunction| functions.register(name, any, function);
    add("twice", Arc::new(|arguments| Ok(Constant::Int(int(arguments)? * 2))));
    add(
        "half",
        Arc::new(|arguments| match arguments[0].node() {
            Some(Node::Float(value)) => Ok((value / 2.0).into()),
            other => Err(format!("{other:?}")),
        }),
    );
    add("head", Arc::new(|arguments| Ok(Constant::Bytes(texts(arguments)[..1].into()))));
    add("front", Arc::new(|arguments| Ok(Constant::Bytes(texts(arguments)[..1].into()))));
    add("negated", Arc::new(|arguments| Ok(Constant::Bool(arguments[0].node() == Some(Node::Bool(false))))));
    add(
        "sum",
        Arc::new(|arguments| {
            let parts = arguments.iter().map(|it| int(std::slice::from_ref(it)));
            Ok(Constant::Int(parts.sum::<Result<i64, String>>()?))
        }),
    );
    let cases = cases();
    for case in &cases {
        let read = case.read_as("case.thrift", "cases", &functions).unwrap();
        let (validator, _) = Validator::new(&read.model, &case.config, ValidateConfig::default(), &functions);
        let (validator, id) = (validator.unwrap(), read.structure(&case.root).unwrap());
        for row in &case.rows {
            let value = read.value(id, &row.value).unwrap();
            for protocol in [Protocol::Binary, Protocol::Compact, Protocol::Json] {
                let bytes = thrift_conformance::encode(&read.model, id, &value, protocol).unwrap();
                let found = match validator.validate(id, protocol, &bytes, &functions, Want::First) {
                    Ok(_) => "valid".to_owned(),
                    Err(Rejection::Rules(found)) => {
                        format!("{} @ {}", found[0].rule, found[0].path.dotted("S"))
                    }
                    Err(other) => panic!("{other}"),
                };
                assert_eq!(found, row.verdict.to_string(), "{}: {}", case.name, row.text);
            }
        }
    }
}
