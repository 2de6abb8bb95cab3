//! Walks over an expression and all its parts.

use super::{Access, Expression, FunctionCall};

impl Expression {
    /// Shows the expression and everything inside it to `look`, outer parts first, in the order of the text.
    pub fn for_each(&self, look: &mut impl FnMut(&Expression)) {
        look(self);
        match self {
            Expression::Text(_) | Expression::Int(_) | Expression::Secret(_) => {}
            Expression::Call(call) => call.arguments.iter().for_each(|argument| argument.for_each(look)),
            Expression::Access(access) => {
                access.base.for_each(look);
                access.path.iter().for_each(|step| step.for_each(look));
            }
        }
    }

    /// About how many bytes of text it is: what an evaluation that left it keeps alive, too, as what was known is inside of it.
    pub(crate) fn written(&self) -> u64 {
        let mut all = 0_u64;
        self.for_each(&mut |part| {
            all = all.saturating_add(match part {
                Expression::Text(text) => text.len() as u64 + 3,
                Expression::Int(_) | Expression::Access(_) => 4,
                Expression::Call(call) => call.name.len() as u64 + 3,
                Expression::Secret(value) => value.written(),
            });
        });
        all
    }

    /// Replaces the expression and everything inside it by what `change` makes of it, inner parts first.
    #[must_use]
    pub fn rewrite(self, change: &mut impl FnMut(Expression) -> Expression) -> Expression {
        let rewritten = match self {
            Expression::Text(_) | Expression::Int(_) | Expression::Secret(_) => self,
            Expression::Call(call) => {
                let FunctionCall { namespace, name, arguments } = *call;
                let arguments = arguments.into_iter().map(|argument| argument.rewrite(change)).collect();
                Expression::Call(Box::new(FunctionCall { namespace, name, arguments }))
            }
            Expression::Access(access) => {
                let Access { base, path } = *access;
                let base = base.rewrite(change);
                path.into_iter().fold(base, |base, step| base.index(step.rewrite(change)))
            }
        };
        change(rewritten)
    }
}

#[cfg(test)]
mod tests {
    use super::super::parse;
    use super::*;

    #[test]
    fn every_part_is_seen_once() {
        let mut seen = Vec::new();
        parse("f('a', g().b[h(1)])").unwrap().for_each(&mut |part| seen.push(part.to_string()));
        assert_eq!(seen, ["f('a', g().b[h(1)])", "'a'", "g().b[h(1)]", "g()", "'b'", "h(1)", "1"]);
    }

    #[test]
    fn parts_are_replaced_from_the_inside() {
        let expression = parse("format('{0}', externalInput('sys.cli', 'x').a[externalInput('y')])").unwrap();
        let mut count = 0;
        let rewritten = expression.rewrite(&mut |part| {
            if !part.as_call().is_some_and(|call| call.is_call_to("externalInput")) {
                return part;
            }
            count += 1;
            Expression::call("externalInputs", [Expression::text(format!("key_{count}"))])
        });
        assert_eq!(
            rewritten.to_string(),
            "format('{0}', externalInputs('key_1').a[externalInputs('key_2')])"
        );
    }
}
