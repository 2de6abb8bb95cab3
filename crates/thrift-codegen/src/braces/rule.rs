//! The checks of single rules, and what is said when one is broken.

use contract::pattern::Pattern;
use contract::{Constant, Unit};
use thrift::Code;
use thrift::model::Type;

use super::{Body, BracesValue, ConstantKind, Path, Syntax};
use crate::matcher::PatternProgram;
use crate::operand::{Expr, ExprKind, Sort};
use crate::plan::{Order, RulePlan, TestPlan, TextTest};
use crate::words::{MASK, ReportWords, Words};

/// More constants than this are looked for in a set.
const FEW: usize = 8;

/// An operand in a variable, or a constant.
struct Bound {
    code: String,
    sort: Sort,
    constant: bool,
}

impl<'a, S: Syntax> Body<'a, '_, S> {
    pub(super) fn rule(&mut self, plan: &RulePlan<'a>, value: Option<&BracesValue>) {
        let sort = value.map_or(Sort::Unknown, |value| Sort::of(self.real(value.ty)));
        let name = value.map_or("null", |value| value.name.as_str()).to_owned();
        match &plan.test {
            TestPlan::Pattern(pattern) => self.pattern(pattern, plan, value),
            TestPlan::Unique => {
                let condition = format!("{}({name})", self.syntax.helper("repeats"));
                self.fail(&condition, None, plan, value);
            }
            TestPlan::Among(wanted, operands) => self.among(*wanted, operands, sort, plan, value),
            TestPlan::Assert(expr) => {
                let operand = self.bound(expr, plan, value);
                let condition = self.is_false(&operand.code);
                self.fail(&condition, Some(&operand), plan, value);
            }
            TestPlan::Equal(equal, expr) => {
                let operand = self.bound(expr, plan, value);
                let condition = match plainly(sort, &operand) {
                    true => format!("{name} {} {}", if *equal { "!=" } else { "==" }, operand.code),
                    false => self.question(if *equal { "same" } else { "differ" }, &name, &operand.code),
                };
                self.fail(&condition, Some(&operand), plan, value);
            }
            TestPlan::Order(order, expr) => {
                let operand = self.bound(expr, plan, value);
                let condition = match plainly(sort, &operand) {
                    // No order holds for NaN, so the one that must hold is asked for.
                    true => format!("!({name} {} {})", order.sign(), operand.code),
                    false => self.question(order_name(*order), &name, &operand.code),
                };
                self.fail(&condition, Some(&operand), plan, value);
            }
            TestPlan::Length { unit, least, bound } => {
                let operand = self.bound(bound, plan, value);
                let length = self.measure(*unit, &name);
                let condition = match operand.constant {
                    true => format!("{length} {} {}", if *least { "<" } else { ">" }, operand.code),
                    false => self.question(if *least { "ge" } else { "le" }, &length, &operand.code),
                };
                self.fail(&condition, Some(&operand), plan, value);
            }
            TestPlan::Text(test, expr) => {
                let operand = self.bound(expr, plan, value);
                let function = match test {
                    TextTest::Prefix => "hasPrefix",
                    TextTest::Suffix => "hasSuffix",
                    TextTest::Contains => "contains",
                    TextTest::NotContains => "lacks",
                };
                let condition = self.question(function, &name, &operand.code);
                self.fail(&condition, Some(&operand), plan, value);
            }
        }
    }

    fn is_false(&self, code: &str) -> String {
        format!("{}({code})", self.syntax.helper("isFalse"))
    }

    /// The condition that the answer of a helper is no; it has none if there is no operand.
    fn question(&self, helper: &str, left: &str, right: &str) -> String {
        self.is_false(&format!("{}({left}, {right})", self.syntax.helper(helper)))
    }

    fn measure(&self, unit: Unit, name: &str) -> String {
        let helper = if unit == Unit::Scalars { "runes" } else { "size" };
        format!("{}({name})", self.syntax.helper(helper))
    }

    /// An operand in a variable, unless it is a constant. One that cannot be evaluated is reported, and is `null` then.
    fn bound(&mut self, expr: &Expr, plan: &RulePlan<'a>, value: Option<&BracesValue>) -> Bound {
        self.bound_or(expr, plan, value, None)
    }

    fn bound_or(
        &mut self,
        expr: &Expr,
        plan: &RulePlan<'a>,
        value: Option<&BracesValue>,
        on_failure: Option<&str>,
    ) -> Bound {
        if let ExprKind::Constant(_) = expr.kind {
            return Bound { code: self.operand(expr, value), sort: expr.sort, constant: true };
        }
        let name = self.temporary("o");
        if !expr.is_fallible() {
            let code = self.operand(expr, value);
            let line = self.syntax.declare_operand(&name, expr.sort, &code);
            self.lines.line(line);
            return Bound { code: name, sort: expr.sort, constant: false };
        }
        let line = self.syntax.declare_operand(&name, expr.sort, "null");
        self.lines.line(line);
        self.lines.open("try {");
        let code = self.operand(expr, value);
        self.lines.line(format!("{name} = {code};"));
        let why = self.taken.free("why");
        let catch = self.syntax.catch(&why);
        self.lines.close(catch);
        self.lines.indent();
        let report = ReportWords::of(plan);
        let message = match plan.rule.message.as_deref() {
            Some(own) => self.syntax.text(own),
            None => self.syntax.reason(&why),
        };
        if let Some(line) = on_failure {
            self.lines.line(line);
        }
        let wanted = self.syntax.text(&report.written);
        self.violation(plan, value, wanted, message);
        self.lines.close("}");
        Bound { code: name, sort: expr.sort, constant: false }
    }

    fn pattern(&mut self, pattern: &Pattern, plan: &RulePlan<'a>, value: Option<&BracesValue>) {
        let Some(program) = PatternProgram::of(pattern) else {
            let message = format!(
                "`{}` is too large for {} code once its counts are written out",
                pattern.source(),
                self.syntax.language()
            );
            let span = plan.rule.place.unwrap_or(self.plan.it.name.span);
            return self
                .find(Code::RulePattern.at(span, message).help("check the length with a rule of its own"));
        };
        let [sets, code] = [&program.sets, &program.code].map(|text| self.in_pieces(text));
        let value_of = format!("{}({sets}, {code})", self.syntax.helper("program"));
        let name = self.syntax.constant(ConstantKind::Pattern, value_of);
        let subject = value.map_or("null", |value| value.name.as_str());
        let condition = format!("!{name}.matches({}({subject}))", self.syntax.helper("subject"));
        self.fail(&condition, None, plan, value);
    }

    fn among(
        &mut self,
        wanted: bool,
        operands: &[Expr],
        sort: Sort,
        plan: &RulePlan<'a>,
        value: Option<&BracesValue>,
    ) {
        let name = value.map_or("null", |value| value.name.as_str()).to_owned();
        let constant = operands.iter().all(|operand| matches!(operand.kind, ExprKind::Constant(_)));
        if constant && operands.len() > FEW {
            let set = self.set(operands, value);
            let set = self.syntax.constant(ConstantKind::Set, set);
            let holds = format!("{set}.holds({name})");
            return self.fail(&if wanted { format!("!{holds}") } else { holds }, None, plan, value);
        }
        if constant {
            let mut tests = Vec::new();
            for operand in operands {
                let operand =
                    Bound { code: self.operand(operand, value), sort: operand.sort, constant: true };
                tests.push(match (plainly(sort, &operand), wanted) {
                    (true, true) => format!("{name} != {}", operand.code),
                    (true, false) => format!("{name} == {}", operand.code),
                    (false, true) => self.question("same", &name, &operand.code),
                    (false, false) => self.question("differ", &name, &operand.code),
                });
            }
            let condition = tests.join(if wanted { " && " } else { " || " });
            return self.fail(&condition, None, plan, value);
        }
        let flag = self.temporary("b");
        let line = self.syntax.declare_flag(&flag);
        self.lines.line(line);
        for operand in operands {
            self.lines.open(format!("if (!{flag}) {{"));
            // One report is enough for a list with an element that cannot be evaluated.
            let enough = wanted.then(|| format!("{flag} = true;"));
            let operand = self.bound_or(operand, plan, value, enough.as_deref());
            let same = format!("{}({name}, {})", self.syntax.helper("same"), operand.code);
            self.lines.line(format!("{flag} = {flag} || {}({same});", self.syntax.helper("isTrue")));
            self.lines.close("}");
        }
        // An operand that leads nowhere is none of the list; nothing is one of nothing.
        self.fail(&if wanted { format!("!{flag}") } else { flag }, None, plan, value);
    }

    /// Constants as a set. Whole numbers are written in a text, since a row of them may be more than a method can hold.
    fn set(&mut self, operands: &[Expr], value: Option<&BracesValue>) -> String {
        let numbers: Option<Vec<String>> = operands
            .iter()
            .map(|operand| match &operand.kind {
                ExprKind::Constant(Constant::Int(number)) => Some(number.to_string()),
                _ => None,
            })
            .collect();
        if let Some(numbers) = numbers {
            let text = self.in_pieces(&numbers.join(","));
            return format!("{}({text})", self.syntax.helper("numbers"));
        }
        let codes: Vec<String> = operands.iter().map(|operand| self.operand(operand, value)).collect();
        format!("{}({})", self.syntax.helper("set"), codes.join(", "))
    }

    /// A text that may be longer than a literal.
    fn in_pieces(&self, text: &str) -> String {
        let pieces: Vec<String> = pieces(text).map(|piece| self.syntax.text(piece)).collect();
        format!("{}({})", self.syntax.helper("whole"), pieces.join(", "))
    }

    fn fail(
        &mut self,
        condition: &str,
        operand: Option<&Bound>,
        plan: &RulePlan<'a>,
        value: Option<&BracesValue>,
    ) {
        self.lines.open(format!("if ({condition}) {{"));
        let report = ReportWords::of(plan);
        let wanted = self.filled(&report.wanted, operand);
        let mut message = self.filled(&report.message, operand);
        if let (TestPlan::Length { unit, .. }, Some(value), true) = (&plan.test, value, report.measured)
            && !value.secret
        {
            let length = self.measure(*unit, &value.name);
            message = format!("{message} + {} + {length}", self.syntax.text(", has "));
        }
        self.violation(plan, value, wanted, message);
        self.lines.close("}");
    }

    fn violation(
        &mut self,
        plan: &RulePlan<'a>,
        value: Option<&BracesValue>,
        wanted: String,
        message: String,
    ) {
        let path = value.map_or_else(Path::default, |value| value.path.clone()).written(self.syntax);
        let shown = self.shown(value);
        let rule = self.syntax.text(plan.rule.name());
        let key = self.key(plan.rule.name());
        self.add(vec![path, rule, key, shown, wanted, message]);
    }

    fn shown(&self, value: Option<&BracesValue>) -> String {
        let Some(value) = value else { return self.syntax.text("") };
        match self.real(value.ty) {
            _ if value.secret => self.syntax.text(MASK),
            // Parts may be secrets.
            Type::List(_) | Type::Set(_) | Type::Map(..) | Type::Struct(_) => self.syntax.text(""),
            real => self.syntax.shown(Sort::of(real), &value.name),
        }
    }

    fn filled(&self, words: &Words, operand: Option<&Bound>) -> String {
        match (&words.after, operand) {
            (Some(after), Some(operand)) => {
                let mut parts = vec![self.syntax.shown(operand.sort, &operand.code)];
                if !words.before.is_empty() {
                    parts.insert(0, self.syntax.text(&words.before));
                }
                if !after.is_empty() {
                    parts.push(self.syntax.text(after));
                }
                parts.join(" + ")
            }
            (after, _) => {
                self.syntax.text(&format!("{}{}", words.before, after.as_deref().unwrap_or_default()))
            }
        }
    }
}

/// Whether a value and an operand can be compared by the operators of the language.
fn plainly(sort: Sort, operand: &Bound) -> bool {
    operand.constant && sort == operand.sort && matches!(sort, Sort::Int | Sort::Double | Sort::Bool)
}

fn order_name(order: Order) -> &'static str {
    match order {
        Order::Lt => "lt",
        Order::Le => "le",
        Order::Gt => "gt",
        Order::Ge => "ge",
    }
}

/// How long a text may be in a source file; a Java constant has less than 64 KiB.
const PIECE: usize = 32_000;

fn pieces(text: &str) -> impl Iterator<Item = &str> {
    // INVARIANT: programs and rows of numbers are ASCII.
    let count = text.len().div_ceil(PIECE).max(1);
    (0..count)
        .map(move |index| text.get(index * PIECE..text.len().min((index + 1) * PIECE)).unwrap_or_default())
}
