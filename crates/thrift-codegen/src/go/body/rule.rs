//! The checks of single rules, and what is said when one is broken.

use contract::pattern::{Engine, Pattern, PatternSyntax};
use contract::{Constant, Unit};
use thrift::model::Type;
use thrift::{Code, Severity};

use super::{Asked, Body, GoValue, PathCode};
use crate::go::expr::{Guard, Operand, converted, exact_order, number_sides};
use crate::go::{GoPackage, quoted};
use crate::operand::{Expr, ExprKind, Sort};
use crate::plan::{Order, RulePlan, TestPlan, TextTest};
use crate::words::{MASK, ReportWords, Words};

/// What is known when a rule fails.
struct FailureBranch<'f, 'a> {
    plan: &'f RulePlan<'a>,
    left: Option<Operand>,
    value: Option<GoValue>,
    path: PathCode,
    secret: bool,
}

impl FailureBranch<'_, '_> {
    fn shown(&self, place: &GoPackage) -> String {
        let shown = place.helper("Shown");
        match &self.value {
            _ if self.secret => quoted(MASK.as_bytes()),
            None => "\"\"".to_owned(),
            // Parts may be secrets.
            Some(GoValue {
                real: Type::List(_) | Type::Set(_) | Type::Map(..) | Type::Struct(_), ..
            }) => "\"\"".to_owned(),
            // The text of a number that is not a member says nothing.
            Some(GoValue { code, real: Type::Enum(_) }) => format!("{shown}(int64({code}))"),
            Some(value) => format!("{shown}({})", value.code),
        }
    }
}

impl<'a> Body<'a, '_> {
    pub(super) fn rule(
        &mut self,
        plan: &RulePlan<'a>,
        value: Option<&GoValue>,
        path: &PathCode,
        secret: bool,
    ) {
        let left = value.map(|value| Operand {
            guards: Vec::new(),
            code: value.code.clone(),
            sort: Sort::of(value.real),
            constant: None,
        });
        let failure =
            FailureBranch { plan, left: left.clone(), value: value.cloned(), path: path.clone(), secret };
        let none = Operand { guards: Vec::new(), code: String::new(), sort: Sort::Unknown, constant: None };
        let left = left.unwrap_or(none);
        match &plan.test {
            TestPlan::Pattern(pattern) => self.pattern(pattern, &left, &failure),
            TestPlan::Unique => self.unique(&left, value, &failure),
            TestPlan::Among(wanted, operands) => self.among(*wanted, operands, &left, value, &failure),
            TestPlan::Assert(expr) => {
                let operand = self.operand(expr, value);
                self.guarded(&operand, &format!("!{}", operand.code), &failure);
            }
            TestPlan::Equal(equal, expr) => {
                let right = self.operand(expr, value);
                if self.in_range(value, &right) {
                    let sign = if *equal { "!=" } else { "==" };
                    self.guarded(&right, &format!("{} {sign} {}", left.code, right.code), &failure);
                    return;
                }
                let condition = self.equality(&left, &right, !*equal);
                self.guarded(&right, &condition, &failure);
            }
            TestPlan::Order(order, expr) => {
                let right = self.operand(expr, value);
                let whole = left.sort == Sort::Int && right.sort == Sort::Int;
                let condition = match number_sides(&left, &right) {
                    _ if self.in_range(value, &right) => {
                        format!("{} {} {}", left.code, order.opposite(), right.code)
                    }
                    Some((l, r)) if whole => format!("{l} {} {r}", order.opposite()),
                    // No order holds for NaN, so the one that must hold is asked for.
                    Some((l, r)) => format!("!({l} {} {r})", order.sign()),
                    None => {
                        let (call, turned) = self.exact(&left, &right);
                        let order = if turned { order.turned() } else { *order };
                        let found = self.temporary();
                        format!("{found} := {call}; {}", exact_order(order, &found, false))
                    }
                };
                self.guarded(&right, &condition, &failure);
            }
            TestPlan::Length { unit, least, bound } => {
                self.length(*unit, *least, bound, &left, value, &failure)
            }
            TestPlan::Text(test, expr) => self.text(*test, expr, &left, value, &failure),
        }
    }

    /// One comparison for a least and a greatest value that are constants, and which of the rules they are.
    pub(super) fn fused(&self, rules: &[RulePlan<'a>], value: &GoValue) -> Option<(String, Vec<usize>)> {
        let constant = |expr: &Expr| match &expr.kind {
            ExprKind::Constant(Constant::Int(number)) => Some(*number),
            _ => None,
        };
        let sized =
            matches!(value.real, Type::List(_) | Type::Set(_) | Type::Map(..) | Type::String | Type::Binary);
        let (mut least, mut most): (Option<i64>, Option<i64>) = (None, None);
        let mut places = Vec::new();
        for (at, plan) in rules.iter().enumerate() {
            let (low, high) = match &plan.test {
                TestPlan::Length { unit: Unit::Scalars, .. } => continue,
                TestPlan::Length { least: true, bound, .. } if sized => (constant(bound), None),
                TestPlan::Length { least: false, bound, .. } if sized => (None, constant(bound)),
                TestPlan::Order(order, bound) if !sized => {
                    let Some(bound) = constant(bound) else { continue };
                    match order {
                        Order::Lt => (None, bound.checked_sub(1)),
                        Order::Le => (None, Some(bound)),
                        Order::Gt => (bound.checked_add(1), None),
                        Order::Ge => (Some(bound), None),
                    }
                }
                _ => continue,
            };
            if low.is_none() && high.is_none() {
                continue;
            }
            least = least.max(low);
            most = [most, high].into_iter().flatten().min();
            places.push(at);
        }
        let (least, most) = (least?, most?);
        let (unsigned, range) = match value.real {
            _ if sized => ("uint", (0, i64::from(i32::MAX))),
            Type::I8 => ("uint8", value.real.integer_range()?),
            Type::I16 => ("uint16", value.real.integer_range()?),
            Type::I32 => ("uint32", value.real.integer_range()?),
            Type::I64 => ("uint64", value.real.integer_range()?),
            _ => return None,
        };
        // What is added must fit, too.
        if least > most || least < range.0.saturating_add(1).min(0) || most > range.1 {
            return None;
        }
        let found = if sized { format!("len({})", value.code) } else { value.code.clone() };
        let moved = match least {
            0 => found,
            1.. => format!("{found}-{least}"),
            _ => format!("{found}+{}", least.unsigned_abs()),
        };
        Some((format!("{unsigned}({moved}) > {}", most.abs_diff(least)), places))
    }

    /// Whether an integer constant fits the Go type of the value, so that both compare as they are.
    fn in_range(&self, value: Option<&GoValue>, right: &Operand) -> bool {
        let (Some(value), Some(Constant::Int(number))) = (value, &right.constant) else { return false };
        match value.real {
            Type::Enum(_) => i32::try_from(*number).is_ok(),
            real => real.integer_range().is_some_and(|(least, most)| (least..=most).contains(number)),
        }
    }

    fn length(
        &mut self,
        unit: Unit,
        least: bool,
        bound: &Expr,
        left: &Operand,
        value: Option<&GoValue>,
        failure: &FailureBranch<'_, 'a>,
    ) {
        let right = self.operand(bound, value);
        let length = self.measure(unit, left);
        let sign = if least { "<" } else { ">" };
        let condition = match &right.constant {
            Some(Constant::Int(size)) if i32::try_from(*size).is_ok() => format!("{length} {sign} {size}"),
            _ => format!("int64({length}) {sign} {}", right.plain()),
        };
        self.guarded(&right, &condition, failure);
    }

    fn measure(&mut self, unit: Unit, of: &Operand) -> String {
        match (unit, of.sort) {
            (Unit::Scalars, Sort::Bytes) => {
                self.parts.import("unicode/utf8");
                format!("utf8.RuneCount({})", of.code)
            }
            (Unit::Scalars, _) => {
                self.parts.import("unicode/utf8");
                format!("utf8.RuneCountInString({})", self.as_string(of))
            }
            _ => format!("len({})", of.code),
        }
    }

    /// Text as a `string`; a typedef may have made it another type.
    fn as_string(&self, of: &Operand) -> String {
        converted("string", &of.code)
    }

    fn text(
        &mut self,
        test: TextTest,
        expr: &Expr,
        left: &Operand,
        value: Option<&GoValue>,
        failure: &FailureBranch<'_, 'a>,
    ) {
        let right = self.operand(expr, value);
        let bytes = left.sort == Sort::Bytes;
        let package = if bytes { "bytes" } else { "strings" };
        self.parts.import(package);
        let wanted = match (bytes, &right.constant, right.sort) {
            (true, Some(_), _) => self.parts.variable(self.place, "Bytes", format!("[]byte({})", right.code)),
            (true, None, Sort::Bytes) => right.code.clone(),
            (true, None, _) => format!("[]byte({})", right.code),
            (false, ..) => right.text(),
        };
        let found = if bytes { left.code.clone() } else { self.as_string(left) };
        let (sign, function) = match test {
            TextTest::Prefix => ("!", "HasPrefix"),
            TextTest::Suffix => ("!", "HasSuffix"),
            TextTest::Contains => ("!", "Contains"),
            TextTest::NotContains => ("", "Contains"),
        };
        self.guarded(&right, &format!("{sign}{package}.{function}({found}, {wanted})"), failure);
    }

    fn pattern(&mut self, pattern: &Pattern, left: &Operand, failure: &FailureBranch<'_, 'a>) {
        // Go before 1.22 does not know every way to write a group that RE2 has.
        let as_written = pattern.dialect() == PatternSyntax::Re2 && !pattern.source().contains("(?<");
        let source = match as_written {
            true => pattern.source().to_owned(),
            false => match pattern.translate(Engine::Go) {
                Some(translation) => {
                    if let Some(difference) = translation.inexact {
                        self.note(
                            failure,
                            Code::PatternDialect,
                            format!("not quite the same in Go: {difference}"),
                            Severity::Warning,
                        );
                    }
                    translation.text
                }
                None => {
                    let message = "Go has no way to repeat something more than 1000 times";
                    self.note(failure, Code::RulePattern, message.to_owned(), Severity::Error);
                    return;
                }
            },
        };
        self.parts.import("regexp");
        let compiled = format!("regexp.MustCompile({})", quoted(source.as_bytes()));
        let variable = self.parts.variable(self.place, "Pattern", compiled);
        let condition = match left.sort {
            Sort::Bytes => format!("!{variable}.Match({})", left.code),
            _ => format!("!{variable}.MatchString({})", self.as_string(left)),
        };
        self.fail_if(&condition, failure, None);
    }

    /// No two elements of a list are equal. Short lists are compared pair by pair, which costs no memory.
    fn unique(&mut self, left: &Operand, value: Option<&GoValue>, failure: &FailureBranch<'_, 'a>) {
        let Some(Type::List(element) | Type::Set(element)) = value.map(|value| value.real) else { return };
        let list = &left.code;
        let (found, key) = match self.context.input.model.real(element) {
            // Bytes are no key of a map.
            Type::Binary => (self.temporary(), "string"),
            _ => (self.temporary(), ""),
        };
        let [at, item, before, other] = ["i", "e", "j", "f"].map(|prefix| format!("{prefix}{found}"));
        let as_key = |code: &str| if key.is_empty() { code.to_owned() } else { format!("{key}({code})") };
        self.lines.line(format!("{found} := false"));
        self.lines.open(format!("if len({list}) <= 16 {{"));
        self.lines.open(format!("for {at}, {item} := range {list} {{"));
        self.lines.open(format!("for _, {other} := range {list}[:{at}] {{"));
        let same = format!("{} == {}", as_key(&item), as_key(&other));
        self.lines.line(format!("{found} = {found} || {same}"));
        self.lines.close("}");
        self.lines.close("}");
        self.lines.close("} else {");
        self.lines.indent();
        self.lines.line(format!("{before} := make(map[interface{{}}]struct{{}}, len({list}))"));
        self.lines.open(format!("for _, {item} := range {list} {{"));
        self.lines.line(format!("{before}[{}] = struct{{}}{{}}", as_key(&item)));
        self.lines.close("}");
        self.lines.line(format!("{found} = len({before}) < len({list})"));
        self.lines.close("}");
        self.fail_if(&found, failure, None);
    }

    fn note(&mut self, failure: &FailureBranch<'_, 'a>, code: Code, message: String, severity: Severity) {
        let span = failure.plan.rule.place.unwrap_or(self.plan.it.name.span);
        self.find(code.at(span, message).with_severity(severity));
    }

    fn among(
        &mut self,
        wanted: bool,
        operands: &[Expr],
        left: &Operand,
        value: Option<&GoValue>,
        failure: &FailureBranch<'_, 'a>,
    ) {
        let plain = operands.iter().all(|operand| matches!(operand.kind, ExprKind::Constant(_)));
        let simple = plain && operands.iter().all(|operand| number_like(operand, left.sort));
        if simple {
            return self.switch(wanted, operands, left, value, failure);
        }
        let operands: Vec<Operand> = operands.iter().map(|operand| self.operand(operand, value)).collect();
        if operands.iter().all(|operand| operand.guards.is_empty()) {
            let tests: Vec<String> =
                operands.iter().map(|right| self.equality(left, right, !wanted)).collect();
            let condition = tests.join(if wanted { " && " } else { " || " });
            return self.fail_if(&condition, failure, None);
        }
        let found = self.temporary();
        self.lines.line(format!("{found} := false"));
        for right in &operands {
            let condition = self.equality(left, right, true);
            self.lines.open(format!("if !{found} {{"));
            // One report is enough for a list with an element that cannot be evaluated.
            self.on_broken = wanted.then(|| format!("{found} = true"));
            let opened = self.open_guards(&right.guards, failure);
            self.lines.line(format!("{found} = {condition}"));
            (0..opened).for_each(|_| self.lines.close("}"));
            self.lines.close("}");
        }
        self.on_broken = None;
        // What has no value is no member; if none has, nothing is one.
        let condition = if wanted { format!("!{found}") } else { found };
        self.fail_if(&condition, failure, None);
    }

    /// Constants of the value's own kind: a switch.
    fn switch(
        &mut self,
        wanted: bool,
        operands: &[Expr],
        left: &Operand,
        value: Option<&GoValue>,
        failure: &FailureBranch<'_, 'a>,
    ) {
        let mut cases: Vec<String> = Vec::new();
        let mut fits = true;
        for operand in operands {
            let right = self.operand(operand, value);
            fits &= left.sort != Sort::Int || self.in_range(value, &right);
            // Go refuses a case that is there twice, however it is written.
            let case = match &right.constant {
                Some(Constant::Float(number)) if number.fract() == 0.0 && number.abs() < 1e15 => {
                    format!("{number}")
                }
                _ => right.code,
            };
            let case = if case == "-0" { "0".to_owned() } else { case };
            if !cases.contains(&case) {
                cases.push(case);
            }
        }
        let code = match left.sort {
            Sort::Bytes => format!("string({})", left.code),
            Sort::Int if !fits => converted("int64", &left.code),
            _ => left.code.clone(),
        };
        self.lines.line(format!("switch {code} {{"));
        self.lines.line(format!("case {}:", cases.join(", ")));
        if wanted {
            self.lines.line("default:");
        }
        self.lines.indent();
        let failing = self.failing(failure, None);
        self.report(&failing);
        self.lines.close("}");
    }

    /// Writes a test behind what its operand needs.
    fn guarded(&mut self, operand: &Operand, condition: &str, failure: &FailureBranch<'_, 'a>) {
        let opened = self.open_guards(&operand.guards, failure);
        self.fail_if(condition, failure, Some(operand));
        (0..opened).for_each(|_| self.lines.close("}"));
    }

    /// Writes guards and returns how many blocks they opened.
    fn open_guards(&mut self, guards: &[Guard], failure: &FailureBranch<'_, 'a>) -> usize {
        let mut opened = 0;
        for guard in guards {
            match guard {
                Guard::If(head) => {
                    self.lines.open(format!("if {head} {{"));
                    opened += 1;
                }
                Guard::Then(lines) => lines.iter().for_each(|line| self.lines.line(line)),
                Guard::Try(call, why) => {
                    self.lines.line(call);
                    self.lines.open(format!("if {why} != \"\" {{"));
                    let failing = self.broken(failure, why);
                    self.report(&failing);
                    match self.asked == Asked::All {
                        true => {
                            if let Some(line) = self.on_broken.clone() {
                                self.lines.line(line);
                            }
                            self.lines.close("} else {");
                            self.lines.indent();
                            opened += 1;
                        }
                        false => self.lines.close("}"),
                    }
                }
            }
        }
        opened
    }

    fn fail_if(&mut self, condition: &str, failure: &FailureBranch<'_, 'a>, operand: Option<&Operand>) {
        self.lines.open(format!("if {condition} {{"));
        let failing = self.failing(failure, operand);
        self.report(&failing);
        self.lines.close("}");
    }

    /// The error for a broken rule.
    fn failing(&mut self, failure: &FailureBranch<'_, 'a>, operand: Option<&Operand>) -> String {
        let report = ReportWords::of(failure.plan);
        let fill = |words: &Words| match (&words.after, operand) {
            (Some(after), Some(operand)) => {
                let shown = format!("{}({})", self.place.helper("Shown"), operand.plain());
                let mut parts = vec![shown];
                if !words.before.is_empty() {
                    parts.insert(0, quoted(words.before.as_bytes()));
                }
                if !after.is_empty() {
                    parts.push(quoted(after.as_bytes()));
                }
                parts.join("+")
            }
            (after, _) => {
                quoted(format!("{}{}", words.before, after.as_deref().unwrap_or_default()).as_bytes())
            }
        };
        let mut message = fill(&report.message);
        if report.measured
            && !failure.secret
            && let (TestPlan::Length { unit, .. }, Some(left)) = (&failure.plan.test, &failure.left)
        {
            self.parts.import("strconv");
            let length = self.measure(*unit, left);
            message = match message.strip_suffix('"') {
                Some(text) => format!("{text}, has \"+strconv.Itoa({length})"),
                None => format!("{message}+\", has \"+strconv.Itoa({length})"),
            };
        }
        let wanted = fill(&report.wanted);
        format!(
            "{}({}, {}, {}, {}, {wanted}, {message})",
            self.place.helper("Violation"),
            failure.path.go(),
            quoted(failure.plan.rule.name().as_bytes()),
            self.key(failure.plan.rule.name()),
            failure.shown(self.place),
        )
    }

    /// The error for a rule that could not be evaluated.
    fn broken(&mut self, failure: &FailureBranch<'_, 'a>, why: &str) -> String {
        let message = match &failure.plan.rule.message {
            Some(own) => quoted(own.as_bytes()),
            None => why.to_owned(),
        };
        let report = ReportWords::of(failure.plan);
        format!(
            "{}({}, {}, {}, {}, {}, {message})",
            self.place.helper("Violation"),
            failure.path.go(),
            quoted(failure.plan.rule.name().as_bytes()),
            self.key(failure.plan.rule.name()),
            failure.shown(self.place),
            quoted(report.written.as_bytes()),
        )
    }
}

/// Whether a constant can stand in a switch on a value of a sort.
fn number_like(operand: &Expr, sort: Sort) -> bool {
    match (operand.sort, sort) {
        (Sort::Int, Sort::Double) => match &operand.kind {
            ExprKind::Constant(Constant::Int(value)) => value.unsigned_abs() < 1 << 53,
            _ => false,
        },
        (Sort::Double, Sort::Int) => false,
        (Sort::Double, Sort::Double) => {
            matches!(&operand.kind, ExprKind::Constant(Constant::Float(value)) if value.is_finite())
        }
        _ => true,
    }
}
