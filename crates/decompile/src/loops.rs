//! Loops: `copy` objects, and what `copyIndex()` stands for inside of them.

use arm::expression::{Expression, FunctionCall};

use crate::code::BicepCode;
use crate::converter::Converter;
use crate::declared::{Loop, Repeats};
use crate::json::Json;
use crate::names::singular;
use crate::problem::{DecompileError, Result, Under as _};

impl Converter<'_> {
    /// A loop around a body.
    pub(crate) fn repeat(
        &mut self,
        repeats: Repeats,
        name: Option<&str>,
        count: &Json,
        body: impl FnOnce(&mut Self) -> Result<BicepCode>,
    ) -> Result<BicepCode> {
        let count = count.expression().under("count")?;
        let source = match &count {
            Expression::Call(call) if call.is_call_to("length") => match call.arguments.as_slice() {
                [source] if self.exact || is_name(source) => Some(source.clone()),
                _ => None,
            },
            _ => None,
        };
        let range =
            source.as_ref().and_then(Expression::as_call).is_some_and(|call| call.is_call_to("range"));
        let (item, index) = self.loop_names(repeats, source.as_ref(), range);
        let source_code = match &source {
            Some(source) => self.expression(source).under("count")?,
            None => self.expression(&count).under("count")?,
        };
        self.loops.push(Loop {
            repeats,
            name: name.map(Into::into),
            source: source.clone(),
            item,
            index,
            item_used: false,
            index_used: false,
        });
        let body = body(self);
        let Some(done) = self.loops.pop() else { return Err(DecompileError::new("a loop has no end")) };
        let body = Box::new(body?);
        if !self.exact && !done.item_used {
            let source_code = match source {
                Some(_) => BicepCode::call(self.function_name("length"), vec![source_code]),
                None => source_code,
            };
            let range =
                Box::new(BicepCode::call(self.function_name("range"), vec![BicepCode::Int(0), source_code]));
            return Ok(BicepCode::For { item: done.index, index: None, source: range, body });
        }
        if source.is_none() {
            self.note(format!(
                "`count` is not the length of an array, which is what Bicep writes: `{count}`"
            ));
            let range =
                Box::new(BicepCode::call(self.function_name("range"), vec![BicepCode::Int(0), source_code]));
            return Ok(BicepCode::For { item: done.index, index: None, source: range, body });
        }
        let index = done.index_used.then_some(done.index);
        Ok(BicepCode::For { item: done.item, index, source: Box::new(source_code), body })
    }

    fn loop_names(&mut self, repeats: Repeats, source: Option<&Expression>, range: bool) -> (String, String) {
        if !self.exact {
            let index = self.free_local(if repeats == Repeats::Member { "j" } else { "i" }, None);
            return (self.free_local("item", Some(&index)), index);
        }
        let item = match source {
            Some(_) if range => "i".to_owned(),
            Some(source) => {
                name_of(source).and_then(|name| singular(&name)).unwrap_or_else(|| "item".to_owned())
            }
            None => "item".to_owned(),
        };
        let item = self.free_local(&item, None);
        let index = self.free_local(if item == "i" { "index" } else { "i" }, Some(&item));
        (item, index)
    }

    /// A name for a variable of a loop that means nothing else here, and that the `other` variable of the loop does not have.
    fn free_local(&mut self, wanted: &str, other: Option<&str>) -> String {
        let Converter { names, loops, exact, .. } = self;
        names.free(wanted, |name| {
            // A name that hides a function would keep it from being called.
            *exact && arm::functions::find(name).is_some()
                || other == Some(name)
                || loops.iter().any(|it| it.item == name || it.index == name)
        })
    }

    /// The loop whose index a call of `copyIndex` gives, and what is added to it.
    fn loop_of<'c>(&self, call: &'c FunctionCall) -> Option<(usize, Option<&'c Expression>)> {
        if !call.is_call_to("copyIndex") {
            return None;
        }
        let (name, offset) = match call.arguments.as_slice() {
            [] => (None, None),
            [Expression::Text(name)] => (Some(name), None),
            [offset] => (None, Some(offset)),
            [Expression::Text(name), offset] => (Some(name), Some(offset)),
            _ => return None,
        };
        let place = match name {
            Some(name) => self
                .loops
                .iter()
                .rposition(|it| it.name.as_ref().is_some_and(|known| known.eq_ignore_ascii_case(name))),
            // Without a name, the loop of the declaration is meant, also inside of others.
            None => {
                let declaration = self.loops.iter().rposition(|it| it.repeats == Repeats::Declaration);
                declaration.or_else(|| self.loops.len().checked_sub(1).filter(|_| !self.exact))
            }
        };
        Some((place?, offset))
    }

    /// The variable that `copyIndex(...)` is.
    pub(crate) fn copy_index(&mut self, call: &FunctionCall) -> Result<BicepCode> {
        let Some((place, offset)) = self.loop_of(call) else {
            return Err(DecompileError::new("`copyIndex` stands outside of the loop that it is for"));
        };
        let index = match self.loops.get_mut(place) {
            Some(known) => {
                known.index_used = true;
                BicepCode::raw(known.index.clone())
            }
            None => return Err(DecompileError::new("`copyIndex` stands outside of a loop")),
        };
        match offset {
            None => Ok(index),
            Some(offset) => {
                let sum = BicepCode::Binary("+", Box::new(index), Box::new(self.expression(offset)?));
                Ok(self.grouped(sum))
            }
        }
    }

    /// The item of a loop that a walk begins with, and the steps behind it: `source[copyIndex()]`.
    pub(crate) fn loop_item<'e>(
        &mut self,
        base: &Expression,
        path: &'e [Expression],
    ) -> Option<(BicepCode, &'e [Expression])> {
        for (position, step) in path.iter().enumerate() {
            let Some(call) = step.as_call().filter(|call| call.is_call_to("copyIndex")) else { continue };
            let Some((place, None)) = self.loop_of(call) else { continue };
            let known = self.loops.get_mut(place)?;
            let before = path.get(..position)?;
            let same = match &known.source {
                Some(Expression::Access(access)) => access.base() == base && access.path() == before,
                Some(source) => source == base && before.is_empty(),
                None => false,
            };
            if same {
                known.item_used = true;
                return Some((BicepCode::raw(known.item.clone()), path.get(position + 1..)?));
            }
        }
        None
    }

    /// Tells whether an expression uses a variable that exists only inside of a declaration's body.
    pub(crate) fn is_local(&self, expression: &Expression) -> bool {
        let mut local = false;
        expression.for_each(&mut |part| {
            if let Some(call) = part.as_call() {
                local |= call.is_call_to("lambdaVariables")
                    || self.loop_of(call).is_some_and(|(place, _)| {
                        self.loops.get(place).is_some_and(|it| it.repeats != Repeats::Declaration)
                    });
            }
        });
        local
    }
}

/// Tells whether an expression is a parameter or variable and nothing more.
fn is_name(expression: &Expression) -> bool {
    expression.as_call().is_some_and(|call| call.is_call_to("parameters") || call.is_call_to("variables"))
}

/// What people would call what an expression gives.
fn name_of(expression: &Expression) -> Option<String> {
    match expression {
        Expression::Access(access) => match access.path().last() {
            Some(Expression::Text(name)) => Some(name.to_string()),
            _ => None,
        },
        Expression::Call(call) => {
            match (call.name.to_ascii_lowercase().as_str(), call.arguments.as_slice()) {
                ("parameters" | "variables" | "lambdavariables", [Expression::Text(name)]) => {
                    Some(name.to_string())
                }
                ("coalesce" | "filter" | "map" | "items" | "sort", [first, ..]) => name_of(first),
                ("tryget", [.., Expression::Text(name)]) => Some(name.to_string()),
                _ => None,
            }
        }
        Expression::Text(_) | Expression::Int(_) | Expression::Secret(_) => None,
    }
}
