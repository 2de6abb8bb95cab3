//! What a program compares with: values that are worth trying, because something may be different on either side of them.

use std::collections::BTreeSet;

use arm::Value;
use bicep::files::SourceFile;
use bicep::{Compiler, FilePath};
use syntax::NodeKind;
use syntax::ast::{AstNode as _, Expr};

/// How many values are taken at most.
const MOST: usize = 64;

/// The longest text that is taken.
const LONGEST: usize = 64;

/// The values that are written in the expressions of a program and of its local parts: texts, and integers with both neighbours.
pub(crate) fn literals(
    compiler: &Compiler,
    program: &FilePath,
    is_local: &dyn Fn(&FilePath) -> bool,
) -> Vec<Value> {
    let (mut numbers, mut texts) = (BTreeSet::new(), BTreeSet::new());
    for path in compiler.needed(program).iter().rev().filter(|path| is_local(path)) {
        let Ok(source) = compiler.file(path) else { continue };
        let SourceFile::Bicep(file) = &*source else { continue };
        for node in file.tree.root().subtree() {
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
                    Some(Expr::IntegerLiteral(_)) => {
                        let span = child.span();
                        let written = file.tree.text().get(span.start as usize..span.end as usize);
                        let number = written.and_then(|written| written.parse::<i64>().ok());
                        numbers.extend(number.into_iter().flat_map(|number| {
                            [number.checked_sub(1), Some(number), number.checked_add(1)].into_iter().flatten()
                        }));
                    }
                    _ => {}
                }
            }
        }
    }
    let numbers = numbers.into_iter().map(Value::Int).take(MOST);
    let texts = texts.into_iter().map(|text| Value::text(text.as_str())).take(MOST);
    texts.chain(numbers).collect()
}
