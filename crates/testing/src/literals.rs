//! What a program compares with: values that are worth trying, because something may be different on either side of them.

use std::collections::BTreeSet;

use arm::Value;
use bicep::files::{BicepFile, SourceFile};
use bicep::{Compiler, FilePath};
use syntax::NodeKind;
use syntax::ast::{AstNode as _, Expr, FunctionCall, VariableDeclaration};

/// How many values are taken at most.
const MOST: usize = 64;

/// The longest text that is taken.
const LONGEST: usize = 64;

/// The longest text that is made to be as long as a bound.
const LONGEST_BOUND: i64 = 1_024;

/// Decorators that bound how long something is.
const LENGTHS: [&str; 2] = ["minLength", "maxLength"];

/// The values that are written in the expressions of a program and of its local parts: texts, keys of variables, integers with both neighbours, and
/// texts as long as the bounds of decorators and one longer or shorter. Such a bound may be of a parameter of a module, for which the program's own has none.
pub(crate) fn literals(
    compiler: &Compiler,
    program: &FilePath,
    is_local: &dyn Fn(&FilePath) -> bool,
) -> Vec<Value> {
    let (mut numbers, mut texts) = (BTreeSet::new(), BTreeSet::new());
    let mut lengths = BTreeSet::new();
    for path in compiler.needed(program).iter().rev().filter(|path| is_local(path)) {
        let Ok(source) = compiler.file(path) else { continue };
        let SourceFile::Bicep(file) = &*source else { continue };
        for node in file.tree.root().subtree() {
            if let Some(call) = FunctionCall::cast(node).filter(|call| LENGTHS.contains(&call.name().text()))
            {
                let bounds = call.node().subtree().filter_map(Expr::cast).filter_map(|it| integer(file, it));
                lengths
                    .extend(bounds.flat_map(with_neighbours).filter(|it| (1..=LONGEST_BOUND).contains(it)));
                continue;
            }
            if let Some(variable) = VariableDeclaration::cast(node) {
                texts.extend(keys(variable).filter(|key| key.chars().count() <= LONGEST));
            }
            let is_asked = matches!(
                node.kind(),
                NodeKind::BinaryOperation
                    | NodeKind::FunctionCall
                    | NodeKind::InstanceFunctionCall
                    | NodeKind::ArrayAccess
            );
            if !is_asked {
                continue;
            }
            // Names of members are keys of objects as well.
            for child in node.children().filter_map(syntax::SyntaxElement::node).flat_map(|child| {
                let inner = child.children().filter_map(syntax::SyntaxElement::node);
                std::iter::once(child).chain(inner)
            }) {
                match Expr::cast(child) {
                    Some(Expr::String(text)) => {
                        let text = text.constant().filter(|text| text.chars().count() <= LONGEST);
                        texts.extend(text.map(|text| text.to_string()));
                    }
                    Some(other) => numbers.extend(integer(file, other).into_iter().flat_map(with_neighbours)),
                    None => {}
                }
            }
        }
    }
    let numbers = numbers.into_iter().map(Value::Int).take(MOST);
    let texts = texts.into_iter().map(|text| Value::text(text.as_str())).take(MOST);
    let lengths = lengths.into_iter().filter_map(|length| usize::try_from(length).ok());
    let lengths = lengths.map(|length| Value::text("a".repeat(length))).take(MOST);
    texts.chain(numbers).chain(lengths).collect()
}

/// The keys of a variable that is an object: programs look values up in it.
fn keys(variable: VariableDeclaration<'_>) -> impl Iterator<Item = String> {
    let object = match variable.value() {
        Expr::Object(object) => Some(object),
        _ => None,
    };
    let properties = object.into_iter().flat_map(|object| object.properties());
    properties.filter_map(|property| property.key().constant().map(|key| key.to_string()))
}

/// An integer that is written as such.
fn integer(file: &BicepFile, written: Expr<'_>) -> Option<i64> {
    let Expr::IntegerLiteral(_) = written else { return None };
    let span = written.node().span();
    file.tree.text().get(span.start as usize..span.end as usize)?.parse().ok()
}

/// A number, and those next to it.
fn with_neighbours(number: i64) -> impl Iterator<Item = i64> {
    [number.checked_sub(1), Some(number), number.checked_add(1)].into_iter().flatten()
}
