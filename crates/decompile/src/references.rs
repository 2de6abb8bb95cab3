//! Calls that name resources and modules: `reference`, `resourceId`, `list...`.

use arm::expression::{Expression, FunctionCall};

use crate::code::{BicepCode, Reach};
use crate::converter::{Converter, ExpressionContext, Mention};
use crate::problem::Result;
use crate::symbols::DEPLOYMENTS_VERSION;

/// Members of a resource that are not read from its state.
const IDENTITY: [&str; 4] = ["id", "name", "type", "apiVersion"];

/// Tells whether a call gives the resource that it stands in as it is before the deployment.
fn is_own_state(call: &FunctionCall) -> bool {
    matches!(call.arguments.as_slice(), [Expression::Text(full)] if call.is_call_to("target") && full == "full")
}

impl Converter<'_> {
    /// What a call that names a resource or module is in Bicep, and how many of the steps behind it are in that.
    pub(crate) fn reference(
        &mut self,
        call: &FunctionCall,
        path: &[Expression],
    ) -> Result<Option<(BicepCode, usize)>> {
        if self.exact && self.place == ExpressionContext::Apart || call.namespace.is_some() {
            return Ok(None);
        }
        let name = call.name.to_ascii_lowercase();
        match name.as_str() {
            "reference" if self.exact => self.state(call, path),
            "references" if self.exact && self.symbolic => self.states(call),
            "reference" => self.classic_state(call, path),
            "resourceid" if !self.exact => {
                let target = self.classic_target(&Expression::Call(Box::new(call.clone())));
                Ok(target.map(|place| {
                    self.mention(place, None, false);
                    (self.symbol_code(place).dot("id"), 0)
                }))
            }
            "resourceid"
            | "subscriptionresourceid"
            | "tenantresourceid"
            | "extensionresourceid"
            | "managementgroupresourceid"
                if self.exact =>
            {
                let id = Expression::Call(Box::new(call.clone()));
                let found = match self.by_id(&id.to_string()) {
                    Some(place) => Some((place, None)),
                    None => self.element_of(&id).map(|(place, index)| (place, Some(index))),
                };
                let Some((place, index)) = found.filter(|(place, _)| self.may_mention(*place)) else {
                    return Ok(None);
                };
                if self.symbols.get(place).is_some_and(|symbol| symbol.is_module) {
                    return Ok(None);
                }
                Ok(Some((self.element(place, index.as_ref(), true)?.dot("id"), 0)))
            }
            "target" | "not" if self.exact && matches!(self.place, ExpressionContext::Resource(_)) => {
                let method = match call.arguments.as_slice() {
                    _ if is_own_state(call) => "existingResource",
                    [Expression::Call(empty)] if empty.is_call_to("empty") => {
                        match empty.arguments.as_slice() {
                            [Expression::Call(state)] if is_own_state(state) => "exists",
                            _ => return Ok(None),
                        }
                    }
                    _ => return Ok(None),
                };
                Ok(Some((
                    BicepCode::Method(Box::new(BicepCode::raw("this")), method.to_owned(), Vec::new()),
                    0,
                )))
            }
            "listoutputswithsecurevalues" if self.exact => self.secure_outputs(call, path),
            _ if self.exact && name.starts_with("list") => self.method(call),
            _ => Ok(None),
        }
    }

    /// A resource or module by name.
    pub(crate) fn symbol_code(&self, place: usize) -> BicepCode {
        BicepCode::raw(self.symbols.get(place).map_or_else(String::new, |symbol| symbol.name.clone()))
    }

    /// A resource or module, or an element of a collection of them.
    pub(crate) fn element(
        &mut self,
        place: usize,
        index: Option<&Expression>,
        weak: bool,
    ) -> Result<BicepCode> {
        let base = self.symbol_code(place);
        let code = match index {
            Some(index) => base.index(self.expression(index)?),
            None => base,
        };
        self.mention(place, index, weak);
        Ok(code)
    }

    pub(crate) fn mention(&mut self, symbol: usize, index: Option<&Expression>, weak: bool) {
        let index = index.filter(|index| !self.is_local(index)).cloned();
        self.mentions.push(Mention { symbol, index, weak });
    }

    /// Tells whether a mention changes nothing about what the resource that is being written depends on.
    pub(crate) fn may_mention(&self, place: usize) -> bool {
        let ExpressionContext::Resource(allowed) = &self.place else { return true };
        let mut open = vec![place];
        let mut seen = rustc_hash::FxHashSet::default();
        while let Some(place) = open.pop() {
            let Some(symbol) = self.symbols.get(place) else { return false };
            if !symbol.is_existing {
                if !allowed.contains(&place) {
                    return false;
                }
                continue;
            }
            if !seen.insert(place) {
                continue;
            }
            open.extend(symbol.mentioned.iter().copied());
            open.extend(symbol.parent);
        }
        true
    }

    fn is(&self, place: usize, index: Option<&Expression>) -> Option<NameMeaning> {
        let symbol = self.symbols.get(place)?;
        if symbol.version.is_empty() && !symbol.is_module {
            return Some(NameMeaning::Extension).filter(|_| symbol.is_loop == index.is_some());
        }
        match (symbol.is_module, symbol.is_loop, index.is_some()) {
            (true, true, true) | (true, false, false) => Some(NameMeaning::Module),
            (false, true, true) | (false, false, false) => Some(NameMeaning::Resource),
            _ => None,
        }
    }

    /// The expression for `reference(...)` of a resource that the template names.
    fn state(&mut self, call: &FunctionCall, path: &[Expression]) -> Result<Option<(BicepCode, usize)>> {
        let [target, options @ ..] = call.arguments.as_slice() else { return Ok(None) };
        let Some((place, index)) = self.target_of(target) else { return Ok(None) };
        let Some(shape) = self.is(place, index.as_ref()) else { return Ok(None) };
        let Some(symbol) = self.symbols.get(place) else { return Ok(None) };
        let version = match shape {
            NameMeaning::Module => DEPLOYMENTS_VERSION,
            NameMeaning::Resource | NameMeaning::Extension => symbol.version.as_str(),
        };
        let is_version = |text: &Expression| matches!(text, Expression::Text(text) if text == version);
        let is_full = |text: &Expression| matches!(text, Expression::Text(text) if text == "full");
        let full = match options {
            [] if self.symbolic => false,
            [known] if !self.symbolic && is_version(known) => false,
            [known, full] if is_version(known) && is_full(full) => true,
            _ => return Ok(None),
        };
        if !self.symbolic && !self.may_mention(place) {
            return Ok(None);
        }
        let first = match path.first() {
            Some(Expression::Text(name)) => Some(name.as_str()),
            _ => None,
        };
        match shape {
            NameMeaning::Extension => Ok(Some((self.element(place, index.as_ref(), false)?, 0))),
            NameMeaning::Module => {
                let [Expression::Text(outputs), Expression::Text(output), Expression::Text(value), ..] = path
                else {
                    return Ok(None);
                };
                let is_secure = symbol.outputs.get(output.as_str()).copied();
                if full || outputs != "outputs" || value != "value" || is_secure != Some(false) {
                    return Ok(None);
                }
                let code = self.element(place, index.as_ref(), false)?.dot("outputs");
                Ok(Some((code.member(output, Reach::default()), 3)))
            }
            NameMeaning::Resource if full => match first {
                Some(name) if IDENTITY.contains(&name) || name == "properties" => Ok(None),
                _ => Ok(Some((self.element(place, index.as_ref(), false)?, 0))),
            },
            NameMeaning::Resource => {
                Ok(Some((self.element(place, index.as_ref(), false)?.dot("properties"), 0)))
            }
        }
    }

    /// `references(...)`: a whole collection.
    fn states(&mut self, call: &FunctionCall) -> Result<Option<(BicepCode, usize)>> {
        let [target, options @ ..] = call.arguments.as_slice() else { return Ok(None) };
        let Some((place, None)) = self.target_of(target) else { return Ok(None) };
        let Some(symbol) = self.symbols.get(place).filter(|symbol| symbol.is_loop) else { return Ok(None) };
        let fits = match options {
            [] => symbol.is_module,
            [Expression::Text(full)] => !symbol.is_module && full == "full",
            _ => false,
        };
        if !fits {
            return Ok(None);
        }
        Ok(Some((self.element(place, None, false)?, 0)))
    }

    fn classic_state(
        &mut self,
        call: &FunctionCall,
        path: &[Expression],
    ) -> Result<Option<(BicepCode, usize)>> {
        let [target] = call.arguments.as_slice() else { return Ok(None) };
        let place = self.classic_target(target);
        Ok(place.map(|place| {
            self.mention(place, None, false);
            let code = self.symbol_code(place);
            match self.classic_output(place, path) {
                Some(output) => (code.dot("outputs").member(&output, Reach::default()), 3),
                None => (code.dot("properties"), 0),
            }
        }))
    }

    /// The output of a module that `.outputs.NAME.value` means, in whatever capitals.
    fn classic_output(&self, place: usize, path: &[Expression]) -> Option<String> {
        let symbol = self.symbols.get(place).filter(|symbol| symbol.is_module)?;
        let [Expression::Text(outputs), Expression::Text(output), Expression::Text(value), ..] = path else {
            return None;
        };
        if !outputs.eq_ignore_ascii_case("outputs") || !value.eq_ignore_ascii_case("value") {
            return None;
        }
        let declared = symbol.outputs.keys().find(|known| known.eq_ignore_ascii_case(output));
        Some(declared.unwrap_or(output).to_string())
    }

    /// `listKeys(...)` and the like.
    fn method(&mut self, call: &FunctionCall) -> Result<Option<(BicepCode, usize)>> {
        let [target, rest @ ..] = call.arguments.as_slice() else { return Ok(None) };
        let Some((place, index)) = self.target_of(target) else { return Ok(None) };
        if self.is(place, index.as_ref()) != Some(NameMeaning::Resource)
            || !self.symbolic && !self.may_mention(place)
        {
            return Ok(None);
        }
        let version = self.symbols.get(place).map(|symbol| symbol.version.clone()).unwrap_or_default();
        let arguments = match rest {
            [Expression::Text(known)] if *known == version => Vec::new(),
            [] => return Ok(None),
            rest => {
                rest.iter().map(|argument| self.expression(argument)).collect::<Result<Vec<BicepCode>>>()?
            }
        };
        let base = self.element(place, index.as_ref(), true)?;
        Ok(Some((BicepCode::Method(Box::new(base), call.name.to_string(), arguments), 0)))
    }

    /// `listOutputsWithSecureValues(...)`: the outputs of a module that are secure.
    fn secure_outputs(
        &mut self,
        call: &FunctionCall,
        path: &[Expression],
    ) -> Result<Option<(BicepCode, usize)>> {
        let [target, Expression::Text(version)] = call.arguments.as_slice() else { return Ok(None) };
        let Some((place, index)) = self.target_of(target) else { return Ok(None) };
        let is_module = self.is(place, index.as_ref()) == Some(NameMeaning::Module);
        let Some(Expression::Text(output)) = path.first() else { return Ok(None) };
        let is_secure =
            self.symbols.get(place).and_then(|symbol| symbol.outputs.get(output.as_str()).copied());
        if version != DEPLOYMENTS_VERSION || !is_module || is_secure != Some(true) {
            return Ok(None);
        }
        let code = self.element(place, index.as_ref(), false)?.dot("outputs");
        Ok(Some((code.member(output, Reach::default()), 1)))
    }

    /// A safe access to a resource or module, and how many of the steps behind it are in that.
    pub(crate) fn safe_reference(
        &mut self,
        base: &Expression,
        steps: &[Expression],
    ) -> Result<Option<(BicepCode, usize)>> {
        if !self.exact || self.place == ExpressionContext::Apart {
            return Ok(None);
        }
        if let Some(found) = self.safe_output(base, steps)? {
            return Ok(Some(found));
        }
        let Some((place, index, full)) = self.guarded(base) else { return Ok(None) };
        let Some(shape) = self.is(place, index.as_ref()) else { return Ok(None) };
        let safe = Reach { safe: true, from_end: false };
        match (shape, full, steps) {
            (NameMeaning::Module, false, [Expression::Text(outputs)]) if outputs == "outputs" => {
                let code = self.element(place, index.as_ref(), false)?;
                Ok(Some((code.member("outputs", safe), 1)))
            }
            (
                NameMeaning::Module,
                false,
                [Expression::Text(outputs), Expression::Text(output), Expression::Text(value), ..],
            ) if outputs == "outputs" && value == "value" && self.is_output(place, output) => {
                let code = self.element(place, index.as_ref(), false)?.member("outputs", safe);
                Ok(Some((code.member(output, Reach::default()), 3)))
            }
            (NameMeaning::Resource, true, [Expression::Text(name), ..])
                if !IDENTITY.contains(&name.as_str()) =>
            {
                let code = self.element(place, index.as_ref(), false)?;
                Ok(Some((code.member(name, safe), 1)))
            }
            _ => Ok(None),
        }
    }

    /// `module.?outputs.?output`, whose value is one step further in the template.
    fn safe_output(&mut self, base: &Expression, steps: &[Expression]) -> Result<Option<(BicepCode, usize)>> {
        let [Expression::Text(value), ..] = steps else { return Ok(None) };
        let Some(call) = base.as_call().filter(|call| value == "value" && call.is_call_to("tryGet")) else {
            return Ok(None);
        };
        let [outputs, Expression::Text(output)] = call.arguments.as_slice() else { return Ok(None) };
        let safe = Reach { safe: true, from_end: false };
        let (module, reach) = match outputs {
            Expression::Call(outer) if outer.is_call_to("tryGet") => match outer.arguments.as_slice() {
                [module, Expression::Text(outputs)] if outputs == "outputs" => (module, safe),
                _ => return Ok(None),
            },
            Expression::Access(access) => match access.path() {
                [Expression::Text(outputs)] if outputs == "outputs" => (access.base(), Reach::default()),
                _ => return Ok(None),
            },
            _ => return Ok(None),
        };
        let found = if reach.safe { self.guarded(module) } else { self.plain_reference(module) };
        let Some((place, index, false)) = found else { return Ok(None) };
        if self.is(place, index.as_ref()) != Some(NameMeaning::Module) || !self.is_output(place, output) {
            return Ok(None);
        }
        let code = self.element(place, index.as_ref(), false)?.member("outputs", reach);
        Ok(Some((code.member(output, safe), 1)))
    }

    fn is_output(&self, place: usize, output: &str) -> bool {
        self.symbols.get(place).is_some_and(|symbol| symbol.outputs.get(output) == Some(&false))
    }

    /// `if(condition, reference(...), null())` with the condition of what is referred to, or `reference(...)` of what
    /// has none; and whether all of the state is read.
    fn guarded(&self, expression: &Expression) -> Option<(usize, Option<Expression>, bool)> {
        let call = expression.as_call()?;
        if !call.is_call_to("if") {
            let found = self.plain_reference(expression)?;
            return self.symbols.get(found.0).is_some_and(|it| it.condition.is_none()).then_some(found);
        }
        let [condition, reference, Expression::Call(null)] = call.arguments.as_slice() else { return None };
        let found = self.plain_reference(reference).filter(|_| null.is_call_to("null"))?;
        let symbol = self.symbols.get(found.0)?;
        (symbol.condition.as_ref() == Some(condition) && !symbol.is_loop).then_some(found)
    }

    fn plain_reference(&self, expression: &Expression) -> Option<(usize, Option<Expression>, bool)> {
        let call = expression.as_call().filter(|call| call.is_call_to("reference"))?;
        let [target, options @ ..] = call.arguments.as_slice() else { return None };
        let (place, index) = self.target_of(target)?;
        let symbol = self.symbols.get(place)?;
        let version = if symbol.is_module { DEPLOYMENTS_VERSION } else { symbol.version.as_str() };
        let full = match options {
            [] if self.symbolic => false,
            [Expression::Text(known)] if !self.symbolic && known == version => false,
            [Expression::Text(known), Expression::Text(full)] if known == version && full == "full" => true,
            _ => return None,
        };
        (self.symbolic || self.may_mention(place)).then_some((place, index, full))
    }
}

/// What a name stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum NameMeaning {
    Resource,
    Module,
    Extension,
}
