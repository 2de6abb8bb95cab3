//! Template expressions to Bicep expressions.

use arm::expression::{Expression, FunctionCall};

use crate::code::{BicepCode, MAX_DEPTH, Member, Reach, as_format, checked, has_literal, is_name};
use crate::converter::Converter;
use crate::flatten::{self, FormatPart};
use crate::names::declared;
use crate::problem::{DecompileError, Result};

/// Functions that are operators in Bicep.
const OPERATORS: [(&str, &str); 13] = [
    ("add", "+"),
    ("sub", "-"),
    ("mul", "*"),
    ("div", "/"),
    ("mod", "%"),
    ("less", "<"),
    ("lessOrEquals", "<="),
    ("greater", ">"),
    ("greaterOrEquals", ">="),
    ("equals", "=="),
    ("and", "&&"),
    ("or", "||"),
    ("coalesce", "??"),
];

/// Functions of the namespace `az`, in small letters; all others are in `sys`.
const AZURE: [&str; 22] = [
    "deployer",
    "deployment",
    "environment",
    "extensionresourceid",
    "getsecret",
    "managementgroup",
    "managementgroupresourceid",
    "pickzones",
    "providers",
    "reference",
    "references",
    "resourcegroup",
    "resourceid",
    "roledefinitions",
    "subscription",
    "subscriptionresourceid",
    "tenant",
    "tenantresourceid",
    "tologicalzone",
    "tologicalzones",
    "tophysicalzone",
    "tophysicalzones",
];

/// The most steps and operands in a row, also those around them: less than what the parser takes.
const MAX_IN_A_ROW: usize = 600;

impl Converter<'_> {
    /// The Bicep form of an expression.
    pub(crate) fn expression(&mut self, expression: &Expression) -> Result<BicepCode> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            self.depth -= 1;
            return Err(DecompileError::new("it is nested too deeply for Bicep"));
        }
        let code = match expression {
            Expression::Text(text) => Ok(BicepCode::text(text.as_str())),
            Expression::Int(number) => Ok(BicepCode::Int(*number)),
            Expression::Call(call) => self.call(call),
            Expression::Access(access) => self.walk(access.base(), access.path()),
            Expression::Secret(_) => Err(DecompileError::new("a template has no secrets of its own")),
        };
        self.depth -= 1;
        code
    }

    fn expressions(&mut self, expressions: &[Expression]) -> Result<Vec<BicepCode>> {
        expressions.iter().map(|it| self.expression(it)).collect()
    }

    /// An operation, in parentheses where the public decompiler writes them.
    pub(crate) fn grouped(&self, code: BicepCode) -> BicepCode {
        if self.exact { code } else { BicepCode::Paren(Box::new(code)) }
    }

    /// What stands before `count` steps or operands in a row, which are read from the left: each is one level more.
    fn in_a_row<R>(&mut self, count: usize, inside: impl FnOnce(&mut Self) -> Result<R>) -> Result<R> {
        self.in_a_row += count;
        let result = if self.in_a_row > MAX_IN_A_ROW {
            Err(DecompileError::new("there are too many steps or operands in a row for Bicep"))
        } else {
            inside(self)
        };
        self.in_a_row -= count;
        result
    }

    /// A value and steps into it.
    fn walk(&mut self, base: &Expression, path: &[Expression]) -> Result<BicepCode> {
        self.in_a_row(path.len(), |this| this.walk_inside(base, path))
    }

    fn walk_inside(&mut self, base: &Expression, path: &[Expression]) -> Result<BicepCode> {
        if let Some((item, rest)) = self.loop_item(base, path) {
            return self.steps(item, rest);
        }
        if let Expression::Call(call) = base
            && let Some((code, used)) = self.reference(call, path)?
        {
            return self.steps(code, path.get(used..).unwrap_or_default());
        }
        let code = self.expression(base)?;
        // What follows a safe access belongs to it, unless there are parentheses.
        let code = if is_safe(&code) { BicepCode::Paren(Box::new(code)) } else { code };
        self.steps(code, path)
    }

    fn steps(&mut self, base: BicepCode, path: &[Expression]) -> Result<BicepCode> {
        path.iter().try_fold(base, |base, step| self.step(base, step, Reach::default()))
    }

    fn step(&mut self, base: BicepCode, step: &Expression, reach: Reach) -> Result<BicepCode> {
        match step {
            Expression::Text(name) => Ok(base.member(name, reach)),
            step => {
                let index = self.expression(step)?;
                Ok(match index.as_text() {
                    Some(name) if !self.exact => base.member(name, reach),
                    _ => BicepCode::Index(Box::new(base), Box::new(index), reach),
                })
            }
        }
    }

    fn call(&mut self, call: &FunctionCall) -> Result<BicepCode> {
        if let Some(namespace) = &call.namespace {
            let arguments = self.expressions(&call.arguments)?;
            let full = format!("{namespace}.{}", call.name);
            let known = self.functions.get(&full.to_lowercase()).cloned();
            return match known {
                Some(name) => Ok(BicepCode::call(name, arguments)),
                None => Err(DecompileError::new(format!("the template has no function `{full}`"))),
            };
        }
        if let Some((code, _)) = self.reference(call, &[])? {
            return Ok(code);
        }
        let name = call.name.to_ascii_lowercase();
        let arguments = call.arguments.as_slice();
        match (name.as_str(), arguments) {
            ("parameters", [Expression::Text(name)]) => self.parameter(name),
            ("variables", [Expression::Text(name)]) => self.variable(name),
            ("parameters" | "variables", _) => Err(DecompileError::new(format!(
                "the name in `{}` is not a constant",
                Expression::Call(Box::new(call.clone()))
            ))),
            ("copyindex", _) => self.copy_index(call),
            ("null", []) => Ok(BicepCode::Null),
            ("true", []) => Ok(BicepCode::Bool(true)),
            ("false", []) => Ok(BicepCode::Bool(false)),
            ("not", [inner]) => self.not(inner),
            ("if", [condition, yes, no]) => {
                let condition = Box::new(self.expression(condition)?);
                let yes = Box::new(self.expression(yes)?);
                let no = Box::new(self.expression(no)?);
                Ok(self.grouped(BicepCode::Ternary(condition, yes, no)))
            }
            ("createarray", items) => Ok(BicepCode::Array(self.expressions(items)?)),
            ("createobject", members) => Ok(BicepCode::Object(self.object(members)?)),
            ("shallowmerge", [Expression::Call(parts)]) if parts.is_call_to("createArray") => {
                self.merged(call, &parts.arguments)
            }
            ("flatten", [Expression::Call(parts)]) if parts.is_call_to("createArray") => {
                self.joined(call, &parts.arguments)
            }
            ("lambda", [names @ .., body]) => self.lambda(names, body),
            ("lambdavariables", [Expression::Text(name)]) => Ok(BicepCode::raw(checked(name)?)),
            ("tryget", [base, steps @ ..]) if !steps.is_empty() => {
                self.safe(base, steps, Reach { safe: true, from_end: false })
            }
            ("tryindexfromend", [base, steps @ ..]) if !steps.is_empty() => {
                self.safe(base, steps, Reach { safe: true, from_end: true })
            }
            ("indexfromend", [base, step]) => {
                let base = self.expression(base)?;
                let base = if is_safe(&base) { BicepCode::Paren(Box::new(base)) } else { base };
                self.step(base, step, Reach { safe: false, from_end: true })
            }
            ("format", _) => self.format(call),
            ("concat", _) if !self.exact && flatten::can_interpolate(call) => self.interpolated(call),
            _ => match OPERATORS.iter().find(|(function, _)| function.eq_ignore_ascii_case(&name)) {
                Some((_, operator)) if arguments.len() >= 2 => self.operation(operator, arguments),
                _ => self.plain_call(call),
            },
        }
    }

    fn plain_call(&mut self, call: &FunctionCall) -> Result<BicepCode> {
        let arguments = self.expressions(&call.arguments)?;
        let name = match arm::functions::find(&call.name) {
            // Capitals count in Bicep.
            Some(known) if !self.exact && known.name.eq_ignore_ascii_case(&call.name) => known.name,
            _ => call.name.as_str(),
        };
        Ok(BicepCode::call(self.function_name(name), arguments))
    }

    /// A built-in function, with its namespace where something else has its name.
    pub(crate) fn function_name(&self, name: &str) -> String {
        if !self.names.is_taken(name) {
            return name.to_owned();
        }
        let lower = name.to_ascii_lowercase();
        let is_azure = lower.starts_with("list") || AZURE.contains(&lower.as_str());
        format!("{}.{name}", if is_azure { "az" } else { "sys" })
    }

    fn parameter(&mut self, name: &str) -> Result<BicepCode> {
        if self.function_parameters.iter().any(|known| known.eq_ignore_ascii_case(name)) {
            return Ok(BicepCode::raw(checked(name)?));
        }
        match self.parameters.get(&name.to_lowercase()) {
            Some(name) => Ok(BicepCode::raw(name.clone())),
            None => Err(DecompileError::new(format!("the template has no parameter `{name}`"))),
        }
    }

    fn variable(&mut self, name: &str) -> Result<BicepCode> {
        if let Some(code) = self.loaded.get(name) {
            return Ok(BicepCode::raw(code.clone()));
        }
        match self.variables.get(&name.to_lowercase()) {
            Some(name) => Ok(BicepCode::raw(name.clone())),
            None => Err(DecompileError::new(format!("the template has no variable `{name}`"))),
        }
    }

    fn operation(&mut self, operator: &'static str, arguments: &[Expression]) -> Result<BicepCode> {
        self.in_a_row(arguments.len(), |this| this.operation_inside(operator, arguments))
    }

    fn operation_inside(&mut self, operator: &'static str, arguments: &[Expression]) -> Result<BicepCode> {
        if operator == "=="
            && let [Expression::Call(left), Expression::Call(right)] = arguments
            && let (Some(left), Some(right)) = (lowered(left), lowered(right))
        {
            let left = Box::new(self.expression(left)?);
            let right = Box::new(self.expression(right)?);
            return Ok(self.grouped(BicepCode::Binary("=~", left, right)));
        }
        let mut codes = self.expressions(arguments)?.into_iter();
        let first = codes.next().ok_or_else(|| DecompileError::new("an operation has no operands"))?;
        let code =
            codes.fold(first, |left, right| BicepCode::Binary(operator, Box::new(left), Box::new(right)));
        Ok(self.grouped(code))
    }

    fn not(&mut self, inner: &Expression) -> Result<BicepCode> {
        if let Some(call) =
            inner.as_call().filter(|call| call.is_call_to("equals") && call.arguments.len() == 2)
        {
            let equal = self.operation("==", &call.arguments)?;
            let equal = match equal {
                BicepCode::Paren(inner) if !self.exact => *inner,
                other => other,
            };
            if let BicepCode::Binary(operator, left, right) = equal {
                let operator = if operator == "=~" { "!~" } else { "!=" };
                return Ok(self.grouped(BicepCode::Binary(operator, left, right)));
            }
        }
        let inner = Box::new(self.expression(inner)?);
        Ok(self.grouped(BicepCode::Not(inner)))
    }

    /// The members of `createObject(...)`.
    fn object(&mut self, arguments: &[Expression]) -> Result<Vec<Member>> {
        let mut members = Vec::new();
        for pair in arguments.chunks(2) {
            let [key, value] = pair else {
                return Err(DecompileError::new("`createObject` has a name without a value"));
            };
            let value_code = self.expression(value)?;
            members.push(Member::named_by(self.expression(key)?, value_code)?);
        }
        Ok(members)
    }

    /// `shallowMerge(createArray(...))`, which is an object with spreads.
    fn merged(&mut self, call: &FunctionCall, parts: &[Expression]) -> Result<BicepCode> {
        if !self.exact || !alternates(parts, "createObject") {
            return self.plain_call(call);
        }
        let mut members = Vec::new();
        for part in parts {
            match part.as_call().filter(|call| call.is_call_to("createObject")) {
                Some(object) => members.append(&mut self.object(&object.arguments)?),
                None => members.push(Member::Spread(self.expression(part)?)),
            }
        }
        Ok(BicepCode::Object(members))
    }

    /// `flatten(createArray(...))`, which is an array with spreads.
    fn joined(&mut self, call: &FunctionCall, parts: &[Expression]) -> Result<BicepCode> {
        if !self.exact || !alternates(parts, "createArray") {
            return self.plain_call(call);
        }
        let mut items = Vec::new();
        for part in parts {
            match part.as_call().filter(|call| call.is_call_to("createArray")) {
                Some(array) => items.append(&mut self.expressions(&array.arguments)?),
                None => items.push(BicepCode::Spread(Box::new(self.expression(part)?))),
            }
        }
        Ok(BicepCode::Array(items))
    }

    fn lambda(&mut self, names: &[Expression], body: &Expression) -> Result<BicepCode> {
        let names: Option<Vec<String>> = names
            .iter()
            .map(|name| match name {
                Expression::Text(name) if is_name(name) => Some(name.to_string()),
                _ => None,
            })
            .collect();
        let names = names.ok_or_else(|| DecompileError::new("a variable of a lambda has no name"))?;
        names.iter().try_for_each(|name| declared(name).map(drop))?;
        Ok(BicepCode::Lambda(names, Box::new(self.expression(body)?)))
    }

    /// `tryGet(base, step, ...)`, where the first step is safe and the rest belongs to it.
    fn safe(&mut self, base: &Expression, steps: &[Expression], reach: Reach) -> Result<BicepCode> {
        self.in_a_row(steps.len(), |this| this.safe_inside(base, steps, reach))
    }

    fn safe_inside(&mut self, base: &Expression, steps: &[Expression], reach: Reach) -> Result<BicepCode> {
        if !reach.from_end
            && let Some((code, used)) = self.safe_reference(base, steps)?
        {
            return self.chained(code, steps.get(used..).unwrap_or_default());
        }
        let [first, rest @ ..] = steps else { return self.expression(base) };
        let base = self.expression(base)?;
        let code = self.step(base, first, reach)?;
        self.chained(code, rest)
    }

    fn chained(&mut self, base: BicepCode, steps: &[Expression]) -> Result<BicepCode> {
        steps.iter().try_fold(base, |base, step| match counted_from_end(step) {
            Some(step) => self.step(base, step, Reach { safe: false, from_end: true }),
            None => self.step(base, step, Reach::default()),
        })
    }

    /// `format(...)`: a string with holes, if it can be one.
    fn format(&mut self, call: &FunctionCall) -> Result<BicepCode> {
        if !self.exact {
            return self.interpolated(call);
        }
        let [Expression::Text(format), arguments @ ..] = call.arguments.as_slice() else {
            return self.plain_call(call);
        };
        let Some(parts) = flatten::format_parts(format) else { return self.plain_call(call) };
        let holes: Vec<usize> = parts
            .iter()
            .filter_map(|part| match part {
                FormatPart::Hole(number) => Some(*number),
                FormatPart::Text(_) => None,
            })
            .collect();
        if arguments.is_empty() || !holes.iter().copied().eq(0..arguments.len()) {
            return self.plain_call(call);
        }
        let codes = self.expressions(arguments)?;
        Ok(self.string(texts(&parts), codes))
    }

    /// Texts and values in a row as one string.
    fn interpolated(&mut self, call: &FunctionCall) -> Result<BicepCode> {
        let flat = flatten::flattened(&Expression::Call(Box::new(call.clone())));
        let arguments = match &flat {
            Expression::Text(text) => return Ok(BicepCode::text(text.as_str())),
            Expression::Call(call) if call.is_call_to("concat") => &call.arguments,
            Expression::Call(call) if call.is_call_to("format") => return self.plain_call(call),
            other => return self.expression(other),
        };
        let mut texts = vec![String::new()];
        let mut holes = Vec::new();
        for argument in arguments {
            match argument {
                Expression::Text(text) => {
                    if let Some(last) = texts.last_mut() {
                        last.push_str(text);
                    }
                }
                other => {
                    holes.push(self.expression(other)?);
                    texts.push(String::new());
                }
            }
        }
        Ok(self.string(texts, holes))
    }

    /// A string with holes, or the call that it is short for where that needs its namespace.
    fn string(&self, texts: Vec<String>, holes: Vec<BicepCode>) -> BicepCode {
        let name = self.function_name("format");
        match name != "format" && holes.iter().any(has_literal) {
            true => as_format(name, &texts, &holes),
            false => BicepCode::Text(texts, holes),
        }
    }
}

/// The texts around the holes.
fn texts(parts: &[FormatPart]) -> Vec<String> {
    let mut texts = vec![String::new()];
    for part in parts {
        match part {
            FormatPart::Text(text) => {
                if let Some(last) = texts.last_mut() {
                    last.push_str(text);
                }
            }
            FormatPart::Hole(_) => texts.push(String::new()),
        }
    }
    texts
}

/// Tells whether code ends with a safe access, to which further steps would belong.
fn is_safe(code: &BicepCode) -> bool {
    match code {
        BicepCode::Dot(base, _, reach) | BicepCode::Index(base, _, reach) => reach.safe || is_safe(base),
        _ => false,
    }
}

/// The argument of `toLower`.
fn lowered(call: &FunctionCall) -> Option<&Expression> {
    match call.arguments.as_slice() {
        [inner] if call.is_call_to("toLower") => Some(inner),
        _ => None,
    }
}

/// The step of `createObject('value', step, 'fromEnd', true())`, in any order.
fn counted_from_end(step: &Expression) -> Option<&Expression> {
    let call = step.as_call().filter(|call| call.is_call_to("createObject") && call.arguments.len() == 4)?;
    let member = |name: &str| {
        call.arguments.chunks(2).find_map(|pair| match pair {
            [Expression::Text(known), value] if known.eq_ignore_ascii_case(name) => Some(value),
            _ => None,
        })
    };
    let from_end = member("fromEnd")?.as_call().is_some_and(|call| call.is_call_to("true"));
    member("value").filter(|_| from_end)
}

/// Tells whether parts are what spreads and literals in turn make: something is spread, and no two literals are
/// side by side or empty.
fn alternates(parts: &[Expression], literal: &str) -> bool {
    let is_literal = |part: &Expression| part.as_call().is_some_and(|call| call.is_call_to(literal));
    let is_empty =
        |part: &Expression| is_literal(part) && part.as_call().is_some_and(|it| it.arguments.is_empty());
    parts.iter().any(|part| !is_literal(part))
        && !parts.iter().any(is_empty)
        && !parts.windows(2).any(|pair| pair.iter().all(is_literal))
}
