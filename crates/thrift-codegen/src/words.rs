//! What generated code says when a rule is broken: the words of the contract, with holes for what is only
//! known then.

use thrift::model::Struct;

use crate::operand::{Expr, ExprKind};
use crate::plan::{RulePlan, TestPlan};

/// Stands for the operand in a text that is taken apart again.
const HOLE: char = '\u{1}';

/// Text with at most one hole, for the value of the rule's operand.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Words {
    pub(crate) before: String,
    /// What stands behind the hole; `None` if there is no hole.
    pub(crate) after: Option<String>,
}

impl Words {
    fn plain(text: String) -> Words {
        Words { before: text, after: None }
    }

    fn holed(text: &str) -> Words {
        match text.split_once(HOLE) {
            Some((before, after)) => Words { before: before.to_owned(), after: Some(after.to_owned()) },
            None => Words::plain(text.to_owned()),
        }
    }
}

/// What a rule compares with, and what it demands.
pub(crate) struct ReportWords {
    pub(crate) wanted: Words,
    /// What the rule compares with as it stands in the file, for when its operand has no value.
    pub(crate) written: String,
    pub(crate) message: Words,
    /// Whether the length found belongs behind the message.
    pub(crate) measured: bool,
}

impl ReportWords {
    /// The words for a rule that does not hold.
    pub(crate) fn of(plan: &RulePlan<'_>) -> ReportWords {
        let wanted = match &plan.test {
            TestPlan::Pattern(pattern) => Words::plain(format!("`{}`", pattern.source())),
            TestPlan::Among(_, operands) => {
                Words::plain(operands.iter().map(shown).collect::<Vec<_>>().join(", "))
            }
            TestPlan::Assert(operand) => Words::plain(operand.written.clone()),
            TestPlan::Unique => Words::plain(String::new()),
            TestPlan::Order(_, operand)
            | TestPlan::Equal(_, operand)
            | TestPlan::Text(_, operand)
            | TestPlan::Length { bound: operand, .. } => match &operand.kind {
                ExprKind::Constant(_) => Words::plain(shown(operand)),
                _ => Words::holed(&format!("{HOLE} ({})", operand.written)),
            },
        };
        let written = match &plan.test {
            TestPlan::Order(_, operand)
            | TestPlan::Equal(_, operand)
            | TestPlan::Text(_, operand)
            | TestPlan::Length { bound: operand, .. } => shown(operand),
            TestPlan::Pattern(_) | TestPlan::Among(..) | TestPlan::Assert(_) | TestPlan::Unique => {
                wanted.before.clone()
            }
        };
        let whole = match &wanted.after {
            Some(after) => format!("{}{HOLE}{after}", wanted.before),
            None => wanted.before.clone(),
        };
        let (message, measured) = match &plan.rule.message {
            Some(own) => (Words::plain(own.to_string()), false),
            None => {
                let measured = matches!(plan.test, TestPlan::Length { .. });
                (Words::holed(&plan.rule.test.demand(&whole)), measured)
            }
        };
        ReportWords { wanted, written, message, measured }
    }
}

fn shown(operand: &Expr) -> String {
    match &operand.kind {
        ExprKind::Constant(constant) => constant.to_string(),
        _ => operand.written.clone(),
    }
}

/// What translations of a rule's message can be filed under: the struct, the field and the rule, wherever the
/// value is. It is the same for every prefix that the rule may be written with.
pub(crate) fn key(owner: &Struct, field: Option<&str>, spelling: &str) -> String {
    let rule = spelling.split_once('.').map_or(spelling, |(_, rule)| rule);
    match field {
        Some(field) => format!("{}.{field}.{rule}", owner.name.text),
        None => format!("{}.{rule}", owner.name.text),
    }
}

/// What stands in a message in place of a value that must not be printed.
pub(crate) use contract::MASK;
