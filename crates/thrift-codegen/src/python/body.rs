//! The functions for one struct.

use contract::pattern::{Engine, Pattern};
use contract::{Constant, Form, Unit};
use thrift::model::{StructId, StructRole, Type};
use thrift::{Code, Diagnostic};

use super::expr::{Operand, access, literal};
use super::support::call;
use super::{Context, Parts, alias, byte_quoted, quoted};
use crate::lines::Lines;
use crate::operand::{Expr, Sort};
use crate::plan::{ElementChecks, FieldPlan, RulePlan, StructPlan, TestPlan, TextTest, ValueCheck};
use crate::words::{ReportWords, Words, key};

/// Writes the functions for a struct.
pub(super) struct Body<'a, 'p> {
    pub(super) context: &'p Context<'a>,
    pub(super) plan: &'p StructPlan<'a>,
    pub(super) parts: &'p mut Parts,
    diagnostics: &'p mut Vec<Diagnostic>,
    pub(super) lines: Lines,
    /// The variable of the field that the rules at hand were written on.
    pub(super) own: String,
    /// The name of that field in the IDL.
    field: Option<&'a str>,
    temporaries: usize,
}

/// A value in a variable, and the inside of the f-string that leads there.
#[derive(Clone, Debug)]
struct PythonValue {
    name: String,
    real: Type,
    path: String,
    secret: bool,
}

impl<'a, 'p> Body<'a, 'p> {
    pub(super) fn new(
        context: &'p Context<'a>,
        plan: &'p StructPlan<'a>,
        parts: &'p mut Parts,
        diagnostics: &'p mut Vec<Diagnostic>,
    ) -> Body<'a, 'p> {
        Body {
            context,
            plan,
            parts,
            diagnostics,
            lines: Lines::new("    "),
            own: String::new(),
            field: None,
            temporaries: 0,
        }
    }

    pub(super) fn functions(&mut self) -> String {
        let plan = self.plan;
        let name = self.context.name(plan.id);
        let idl = &plan.it.name.text;
        self.lines.raw("\n\n");
        self.lines.open(format!("def validate_{name}(obj):"));
        self.lines.line(format!("\"\"\"Raises the first rule that the {idl} breaks.\"\"\""));
        self.lines.open(format!("for error in violations_{name}(obj):"));
        self.lines.line("raise error");
        self.lines.dedent();
        self.lines.dedent();
        self.lines.raw("\n\n");
        self.lines.open(format!("def violations_{name}(obj, path=\"{idl}\", secret=False):"));
        self.lines.line(format!("\"\"\"Yields every rule that the {idl} breaks.\"\"\""));
        self.lines.open("if obj is None:");
        self.lines.line("return");
        self.lines.dedent();
        for field in &plan.fields {
            self.field_checks(field);
        }
        self.field = None;
        for rule in &plan.asserts {
            let value = PythonValue {
                name: "None".to_owned(),
                real: Type::Error,
                path: "{path}".to_owned(),
                secret: false,
            };
            self.rule(rule, &value);
        }
        // A function without one yields nothing because it would return nothing.
        if plan.fields.is_empty() && plan.asserts.is_empty() {
            self.lines.line("yield from ()");
        }
        self.lines.dedent();
        self.lines.set_aside()
    }

    fn key(&self, spelling: &str) -> String {
        quoted(&key(self.plan.it, self.field, spelling))
    }

    pub(super) fn temporary(&mut self, prefix: &str) -> String {
        self.temporaries += 1;
        format!("{prefix}{}", self.temporaries)
    }

    pub(super) fn symbol(&mut self, function: &str) -> String {
        match self.context.options.functions.get(function) {
            Some(path) => {
                let Some((module, name)) = path.rsplit_once('.') else { return path.clone() };
                if !self.parts.imports.iter().any(|known| known == module) {
                    self.parts.imports.push(module.to_owned());
                }
                match alias(module) {
                    Some(alias) => format!("{alias}.{name}"),
                    None => path.clone(),
                }
            }
            None => {
                let message = format!("there is no Python function for `@{function}`");
                let help = "name one in the options: `name=package.module.function`";
                let span = self.plan.it.name.span;
                self.diagnostics.push(Code::RuleFunction.at(span, message).help(help));
                function.to_owned()
            }
        }
    }

    /// What stands for a field that is not set.
    pub(super) fn stand_in(&self, position: usize) -> Option<String> {
        self.stand_in_of(self.plan.id, position)
    }

    /// What stands for a field of a struct that is there without it.
    pub(super) fn stand_in_of(&self, owner: StructId, position: usize) -> Option<String> {
        let lowered = self.context.input.lowered;
        let shape = lowered.name(owner).and_then(|name| lowered.definitions.get(name))?;
        let Form::Object(object) = &shape.form else { return None };
        let field = self.context.input.model[owner].fields.get(position)?;
        // A struct as a constant is not an object.
        let constant = object.properties.get(position)?.absent.as_deref()?;
        match (self.context.input.model.real(field.ty), constant) {
            (Type::Struct(_), _) => None,
            (Type::Binary | Type::Uuid, Constant::Text(text)) => Some(byte_quoted(text.as_bytes())),
            _ => Some(literal(constant)),
        }
    }

    fn field_checks(&mut self, field: &FieldPlan<'a>) {
        let idl = &field.field.name.text;
        let value = PythonValue {
            name: self.temporary("v"),
            real: self.context.input.model.real(field.field.ty),
            path: format!("{{path}}.{idl}"),
            secret: false,
        };
        self.field = Some(idl);
        if field.required && self.plan.it.role != StructRole::Union {
            self.lines.open(format!("if {} is None:", access(idl)));
            let arguments = vec![
                value.path(),
                quoted("required"),
                self.key("required"),
                "None".to_owned(),
                quoted(idl),
                quoted("must be there"),
            ];
            call(&mut self.lines, "yield ValidationError", &arguments);
            self.lines.dedent();
        }
        if field.requires()
            && let Some(requirement) = &field.property.requirement
            && self.plan.it.role != StructRole::Union
        {
            let message = requirement.message.as_deref().unwrap_or("must be there");
            self.lines.open(format!("if {} is None:", access(idl)));
            let arguments = vec![
                value.path(),
                quoted(&requirement.spelling),
                self.key(&requirement.spelling),
                "None".to_owned(),
                quoted(idl),
                quoted(message),
            ];
            call(&mut self.lines, "yield ValidationError", &arguments);
            self.lines.dedent();
        }
        if field.checks.is_empty() {
            return;
        }
        let code = self.field(field.position);
        self.lines.line(format!("{} = {code}", value.name));
        self.own = value.name.clone();
        let guarded = self.stand_in(field.position).is_none();
        if guarded {
            self.lines.open(format!("if {} is not None:", value.name));
        }
        self.run(&field.checks, &value);
        if guarded {
            self.lines.dedent();
        }
    }

    // INVARIANT: checks nest no deeper than types do.
    fn run(&mut self, checks: &[ValueCheck<'a>], value: &PythonValue) {
        for check in checks {
            let value = PythonValue { secret: value.secret || check.secret, ..value.clone() };
            for rule in &check.rules {
                self.rule(rule, &value);
            }
            let model = self.context.input.model;
            match &check.inner {
                ElementChecks::Nothing => {}
                ElementChecks::Items(element, checks) => {
                    let (index, item) = (self.temporary("i"), self.temporary("v"));
                    self.lines.open(format!("for {index}, {item} in enumerate({}):", value.name));
                    let path = format!("{}[{{{index}}}]", value.path);
                    let part =
                        PythonValue { name: item, real: model.real(*element), path, secret: value.secret };
                    self.run(checks, &part);
                    self.lines.dedent();
                }
                ElementChecks::Entries { key, keys, value: of, values } => {
                    let entry = |name: &str| match value.secret {
                        true => format!("{}[<secret>]", value.path),
                        false => format!("{}{{_key({name})}}", value.path),
                    };
                    if !keys.is_empty() {
                        let name = self.temporary("k");
                        self.lines.open(format!("for {name} in {}:", value.name));
                        let path = format!("{}(key)", entry(&name));
                        let part = PythonValue { name, real: model.real(*key), path, secret: value.secret };
                        self.run(keys, &part);
                        self.lines.dedent();
                    }
                    if !values.is_empty() {
                        let (name, item) = (self.temporary("k"), self.temporary("v"));
                        self.lines.open(format!("for {name}, {item} in {}.items():", value.name));
                        let path = entry(&name);
                        let part =
                            PythonValue { name: item, real: model.real(*of), path, secret: value.secret };
                        self.run(values, &part);
                        self.lines.dedent();
                    }
                }
                ElementChecks::Struct(id) => {
                    let secret = if value.secret { "True" } else { "secret" };
                    let arguments = vec![value.name.clone(), value.path(), secret.to_owned()];
                    let head = format!("yield from violations_{}", self.context.name(*id));
                    call(&mut self.lines, &head, &arguments);
                }
            }
        }
    }

    fn rule(&mut self, plan: &RulePlan<'a>, value: &PythonValue) {
        let current = Some(value.name.as_str());
        let sort = Sort::of(value.real);
        match &plan.test {
            TestPlan::Pattern(pattern) => self.pattern(pattern, plan, value),
            TestPlan::Unique => self.fail(&format!("_repeats({})", value.name), None, plan, value),
            TestPlan::Among(wanted, operands) => self.among(*wanted, operands, sort, plan, value),
            TestPlan::Assert(expr) => {
                let operand = self.bound(expr, None, plan, value);
                self.fail_if(&operand, &format!("{} is not True", operand.code), plan, value);
            }
            TestPlan::Equal(equal, expr) => {
                let operand = self.bound(expr, current, plan, value);
                let (left, right) = sides(&value.name, sort, &operand);
                let sign = if *equal { "!=" } else { "==" };
                self.fail_if(&operand, &format!("{left} {sign} {right}"), plan, value);
            }
            TestPlan::Order(order, expr) => {
                let operand = self.bound(expr, current, plan, value);
                // No order holds for NaN, so the one that must hold is asked for.
                let condition = format!("not {} {} {}", value.name, order.sign(), operand.code);
                self.fail_if(&operand, &condition, plan, value);
            }
            TestPlan::Length { unit, least, bound } => {
                let operand = self.bound(bound, current, plan, value);
                let sign = if *least { "<" } else { ">" };
                let condition = format!("{} {sign} {}", measure(*unit, &value.name, sort), operand.code);
                self.fail_if(&operand, &condition, plan, value);
            }
            TestPlan::Text(test, expr) => {
                let operand = self.bound(expr, current, plan, value);
                let (left, right) = sides(&value.name, sort, &operand);
                let condition = match test {
                    TextTest::Prefix => format!("not {left}.startswith({right})"),
                    TextTest::Suffix => format!("not {left}.endswith({right})"),
                    TextTest::Contains => format!("{right} not in {left}"),
                    TextTest::NotContains => format!("{right} in {left}"),
                };
                self.fail_if(&operand, &condition, plan, value);
            }
        }
    }

    /// An operand in a variable, unless it is a constant.
    fn bound(
        &mut self,
        expr: &Expr,
        current: Option<&str>,
        plan: &RulePlan<'a>,
        value: &PythonValue,
    ) -> Operand {
        if !expr.is_fallible() {
            let operand = self.operand(expr, current);
            if operand.constant || operand.code.starts_with('o') && !operand.code.contains('.') {
                return operand;
            }
            let name = self.temporary("o");
            self.lines.line(format!("{name} = {}", operand.code));
            return Operand { code: name, ..operand };
        }
        self.lines.open("try:");
        let operand = self.operand(expr, current);
        self.lines.dedent();
        self.lines.open("except _Broken as why:");
        self.lines.line(format!("{} = None", operand.code));
        let report = ReportWords::of(plan);
        let message = plan.rule.message.as_deref().map_or_else(|| "str(why)".to_owned(), quoted);
        let arguments = vec![
            value.path(),
            quoted(plan.rule.name()),
            self.key(plan.rule.name()),
            shown(value),
            quoted(&report.written),
            message,
        ];
        call(&mut self.lines, "yield ValidationError", &arguments);
        self.lines.dedent();
        operand
    }

    fn pattern(&mut self, pattern: &Pattern, plan: &RulePlan<'a>, value: &PythonValue) {
        let text = pattern.translate(Engine::Python).map(|it| it.text).unwrap_or_default();
        let name = self.parts.pattern(quoted(&text));
        let condition = format!("not {name}.search(_subject({}))", value.name);
        self.fail(&condition, None, plan, value);
    }

    fn among(
        &mut self,
        wanted: bool,
        operands: &[Expr],
        sort: Sort,
        plan: &RulePlan<'a>,
        value: &PythonValue,
    ) {
        let list = self.temporary("o");
        // Bytes that are no text are compared with bytes.
        let bytes = |operand: &Expr| operand.sort == Sort::Bytes;
        let sort = if sort == Sort::Text && operands.iter().any(bytes) { Sort::Bytes } else { sort };
        let mut items = Vec::new();
        for operand in operands {
            let operand = self.bound(operand, Some(&value.name), plan, value);
            items.push(match (sort, operand.constant) {
                (Sort::Bytes, true) => as_bytes(&operand.code),
                (Sort::Bytes, false) => format!("_call(_bytes, {})", operand.code),
                _ => operand.code,
            });
        }
        // One element needs its comma to be a tuple.
        match items.as_slice() {
            [only] => self.lines.line(format!("{list} = ({only},)")),
            several => call(&mut self.lines, &format!("{list} = "), several),
        }
        let found = match sort {
            Sort::Bytes => format!("_bytes({})", value.name),
            Sort::Text => format!("_text({})", value.name),
            _ => value.name.clone(),
        };
        // Python finds NaN in a list that holds it; no list here does.
        // What has no value is None, which no value is.
        let condition = match wanted {
            true => format!("{found} not in {list}"),
            false => format!("{found} in {list}"),
        };
        self.fail(&condition, None, plan, value);
    }

    fn fail_if(&mut self, operand: &Operand, condition: &str, plan: &RulePlan<'a>, value: &PythonValue) {
        match operand.constant {
            true => self.fail(condition, Some(operand), plan, value),
            false => {
                let condition = format!("{} is not None and {condition}", operand.code);
                self.fail(&condition, Some(operand), plan, value);
            }
        }
    }

    fn fail(&mut self, condition: &str, operand: Option<&Operand>, plan: &RulePlan<'a>, value: &PythonValue) {
        self.lines.open(format!("if {condition}:"));
        let report = ReportWords::of(plan);
        let length = match &plan.test {
            TestPlan::Length { unit, .. } if report.measured && !value.secret => {
                Some(measure(*unit, &value.name, Sort::of(value.real)))
            }
            _ => None,
        };
        let arguments = vec![
            value.path(),
            quoted(plan.rule.name()),
            self.key(plan.rule.name()),
            shown(value),
            filled(&report.wanted, operand, None),
            filled(&report.message, operand, length),
        ];
        call(&mut self.lines, "yield ValidationError", &arguments);
        self.lines.dedent();
    }
}

/// Words with what belongs into them, and the length found behind them.
fn filled(words: &Words, operand: Option<&Operand>, length: Option<String>) -> String {
    let after = words.after.as_deref().unwrap_or_default();
    let mut holes = Vec::new();
    let mut text = match (operand, &words.after) {
        (Some(operand), Some(_)) => {
            holes.push(operand.code.clone());
            format!("{}%s{}", words.before.replace('%', "%%"), after.replace('%', "%%"))
        }
        _ if length.is_some() => format!("{}{after}", words.before).replace('%', "%%"),
        _ => return quoted(&format!("{}{after}", words.before)),
    };
    if let Some(length) = length {
        text.push_str(", has %d");
        holes.push(length);
    }
    match holes.as_slice() {
        [only] => format!("{} % ({only},)", quoted(&text)),
        several => format!("{} % ({})", quoted(&text), several.join(", ")),
    }
}

impl PythonValue {
    /// The path as an expression.
    fn path(&self) -> String {
        match self.path.as_str() {
            "{path}" => "path".to_owned(),
            path => format!("f\"{path}\""),
        }
    }
}

fn shown(value: &PythonValue) -> String {
    match value.secret {
        true => "_SECRET".to_owned(),
        false if value.name == "None" => "None".to_owned(),
        false => format!("_SECRET if secret else {}", value.name),
    }
}

fn measure(unit: Unit, name: &str, sort: Sort) -> String {
    match (unit, sort) {
        (Unit::Scalars, _) => format!("len(_text({name}))"),
        (_, Sort::Text) => format!("_size({name})"),
        _ => format!("len({name})"),
    }
}

fn as_bytes(code: &str) -> String {
    match code.starts_with("b\"") {
        true => code.to_owned(),
        false => format!("_bytes({code})"),
    }
}

/// A value and an operand, both as text or both as bytes where that is what they are.
fn sides(name: &str, sort: Sort, operand: &Operand) -> (String, String) {
    match (sort, operand.sort) {
        (Sort::Text, Sort::Text) if operand.constant => (format!("_text({name})"), operand.code.clone()),
        (Sort::Text, Sort::Text) => (format!("_text({name})"), format!("_text({})", operand.code)),
        (Sort::Text | Sort::Bytes, _) => (format!("_bytes({name})"), as_bytes(&operand.code)),
        _ => (name.to_owned(), operand.code.clone()),
    }
}
