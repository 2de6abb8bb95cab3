//! The requests of all cases, with the answers that are expected.

use std::collections::BTreeMap;

use thrift::base64;
use thrift::rules::Functions;
use thrift::wire::Protocol;

use crate::cases::{Case, CaseSide, cases};
use crate::protocol::{AnswerVerdict, ExecutorAnswer, Request};
use crate::values::{encode, plain};

/// Every request, in the order of the documents.
#[derive(Clone, Debug)]
pub struct Suite {
    /// The requests with what is expected.
    pub items: Vec<ConformanceItem>,
}

/// A request and the answer that is expected.
#[derive(Clone, Debug)]
pub struct ConformanceItem {
    /// The name of the case: `B04`.
    pub id: String,
    /// What the case is about, with the value: ``sizes: {"n": "abcde"}``.
    pub title: String,
    /// The document that the case is in.
    pub document: String,
    /// The request, as executors get it.
    pub request: Request,
    /// What should be answered.
    pub expected: ExecutorAnswer,
}

impl Suite {
    /// The suite with messages in a protocol, or what is wrong with a document.
    pub fn new(protocol: Protocol) -> Result<Suite, String> {
        Suite::of(&cases()?, protocol)
    }

    /// The requests of some cases, or what is wrong with one.
    pub fn of(cases: &[Case], protocol: Protocol) -> Result<Suite, String> {
        let mut items = Vec::new();
        for case in cases {
            let in_case = |error: String| format!("{}: {error}", case.name);
            add(case, protocol, &mut items).map_err(in_case)?;
        }
        Ok(Suite { items })
    }

    /// Keeps the requests of which the name, the title or the document holds a text.
    pub fn retain(&mut self, text: &str) {
        self.items.retain(|item| {
            [&item.request.case, &item.title, &item.document].iter().any(|part| part.contains(text))
        });
    }
}

fn add(case: &Case, protocol: Protocol, items: &mut Vec<ConformanceItem>) -> Result<(), String> {
    let document = case.name.split(' ').next().unwrap_or_default().to_owned();
    let rule_options = ["pattern", "compat", "elements"];
    let options = case.options.iter().filter(|(key, _)| rule_options.contains(&key.as_str()));
    let options: BTreeMap<String, String> = options.cloned().collect();
    let request = Request {
        case: case.id.clone(),
        idl: case.idl.clone(),
        options,
        ty: None,
        protocol: name(protocol).to_owned(),
        message: None,
        value: None,
    };
    let mut push = |title: String, request: Request, expected: ExecutorAnswer| {
        items.push(ConformanceItem {
            id: case.id.clone(),
            title,
            document: document.clone(),
            request,
            expected,
        });
    };
    if case.refused.is_some() {
        let expected = ExecutorAnswer::new(&case.id, AnswerVerdict::Refused);
        push(case.title.clone(), request, expected);
        return Ok(());
    }
    let read = case.read_as("case.thrift", "cases", &Functions::at(0))?;
    let id = read.structure(&case.root)?;
    for (number, row) in (1..).zip(&case.rows) {
        // No message holds a value that only Go has.
        if row.side == CaseSide::Go {
            continue;
        }
        let value = read.value(id, &row.value)?;
        let name = format!("{}/{number}", case.id);
        let expected = ExecutorAnswer::of(&name, &row.verdict);
        let asked = Request {
            case: name,
            ty: Some(case.root.clone()),
            message: Some(base64::encode(&encode(&read.model, id, &value, protocol)?)),
            value: Some(plain(&read.model, id, &value)?),
            ..request.clone()
        };
        push(format!("{}: {}", case.title, row.text), asked, expected);
    }
    Ok(())
}

/// The name of a protocol.
pub(crate) fn name(protocol: Protocol) -> &'static str {
    match protocol {
        Protocol::Binary => "binary",
        Protocol::Compact => "compact",
        Protocol::Json => "json",
    }
}

/// The protocol of a name.
pub(crate) fn protocol(name: &str) -> Option<Protocol> {
    [Protocol::Binary, Protocol::Compact, Protocol::Json].into_iter().find(|it| self::name(*it) == name)
}
