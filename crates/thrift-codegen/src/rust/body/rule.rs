//! The checks of single rules, and what is said when one is broken.

use contract::pattern::{Engine, Pattern};
use contract::{Constant, Unit};
use thrift::model::Type;

use super::{Body, LEAVE, RustValue};
use crate::operand::{Expr, ExprKind, Sort};
use crate::plan::{RulePlan, TestPlan, TextTest};
use crate::rust::expr::{Operand, literal, widened};
use crate::rust::support::Helper;
use crate::rust::{byte_quoted, quoted};
use crate::words::{ReportWords, Words};

/// What is known when a rule fails.
struct Failure<'f, 'a> {
    plan: &'f RulePlan<'a>,
    value: Option<RustValue>,
    at: String,
}

impl Failure<'_, '_> {
    fn shown(&self) -> String {
        match &self.value {
            None => "String::new()".to_owned(),
            // Parts may be secrets.
            Some(RustValue {
                real: Type::List(_) | Type::Set(_) | Type::Map(..) | Type::Struct(_), ..
            }) => "String::new()".to_owned(),
            Some(value) => format!("shown({})", value.code),
        }
    }
}

impl<'a> Body<'a, '_> {
    pub(super) fn rule(&mut self, plan: &RulePlan<'a>, value: Option<&RustValue>, at: &str) {
        let at = if at == "at" { "at".to_owned() } else { format!("&{at}") };
        let failure = Failure { plan, value: value.cloned(), at };
        self.prepare(&failure);
        // Only a rule that leaves it needs a block of its own, in which lines are less wide.
        let (temporaries, found) = (self.temporaries, self.diagnostics.len());
        let before = self.lines.set_aside();
        self.test(&failure, value);
        let body = self.lines.put_back(before);
        if !body.contains(LEAVE) {
            return self.lines.raw(&body);
        }
        self.temporaries = temporaries;
        self.diagnostics.truncate(found);
        self.lines.open("'rule: {");
        self.test(&failure, value);
        self.lines.close("}");
    }

    fn test(&mut self, failure: &Failure<'_, 'a>, value: Option<&RustValue>) {
        let left = Operand {
            code: value.map(widened).unwrap_or_default(),
            sort: value.map_or(Sort::Unknown, |value| Sort::of(value.real)),
            constant: None,
        };
        match &failure.plan.test {
            TestPlan::Pattern(pattern) => self.pattern(pattern, &left, failure),
            TestPlan::Unique => self.unique(value, failure),
            TestPlan::Among(wanted, operands) => self.among(*wanted, operands, &left, value, failure),
            TestPlan::Assert(expr) => {
                let operand = self.operand(expr, value);
                self.fail_if(&format!("!{}", operand.code), failure, None);
            }
            TestPlan::Equal(equal, expr) => {
                let right = self.operand(expr, value);
                let condition = match (self.native(value, &right), equal) {
                    (Some((left, right)), true) => format!("{left} != {right}"),
                    (Some((left, right)), false) => format!("{left} == {right}"),
                    (None, _) => self.equality(&left, &right, !*equal),
                };
                self.fail_if(&condition, failure, Some(&right));
            }
            TestPlan::Order(order, expr) => {
                let right = self.operand(expr, value);
                let whole = left.sort == Sort::Int && right.sort == Sort::Int;
                let condition = match self.native(value, &right) {
                    Some((left, right)) => format!("{left} {} {right}", order.opposite()),
                    None if whole => format!("{} {} {}", left.code, order.opposite(), right.code),
                    // No order holds for NaN, so the one that must hold is asked for.
                    None => format!("!({})", self.ordered(*order, &left, &right)),
                };
                self.fail_if(&condition, failure, Some(&right));
            }
            TestPlan::Length { unit, least, bound } => {
                let right = self.operand(bound, value);
                let length = self.measure(*unit, &left);
                let sign = if *least { "<" } else { ">" };
                let condition = match &right.constant {
                    Some(Constant::Int(size)) => format!("{length} {sign} {size}"),
                    _ => format!("({length} as i64) {sign} {}", right.code),
                };
                self.fail_if(&condition, failure, Some(&right));
            }
            TestPlan::Text(test, expr) => {
                let right = self.operand(expr, value);
                let texts = left.sort == Sort::Text && right.sort == Sort::Text;
                let (found, wanted) = match texts {
                    true => (left.code.clone(), right.code.clone()),
                    false => (left.bytes(), right.bytes()),
                };
                let condition = match test {
                    TextTest::Prefix => format!("!{found}.starts_with({wanted})"),
                    TextTest::Suffix => format!("!{found}.ends_with({wanted})"),
                    TextTest::Contains if texts => format!("!{found}.contains({wanted})"),
                    TextTest::NotContains if texts => format!("{found}.contains({wanted})"),
                    TextTest::Contains => format!("!contains({found}, {wanted})"),
                    TextTest::NotContains => format!("contains({found}, {wanted})"),
                };
                if condition.contains("contains(") && !texts {
                    self.helpers.insert(Helper::Contains);
                }
                self.fail_if(&condition, failure, Some(&right));
            }
        }
    }

    /// Both sides of a comparison with a constant in the type of the value.
    fn native(&self, value: Option<&RustValue>, right: &Operand) -> Option<(String, String)> {
        let (value, Some(Constant::Int(number))) = (value?, &right.constant) else { return None };
        let fits = match value.real {
            Type::Enum(_) => i32::try_from(*number).is_ok(),
            real => real.integer_range().is_some_and(|(least, most)| (least..=most).contains(number)),
        };
        fits.then(|| (value.code.clone(), right.code.clone()))
    }

    fn measure(&mut self, unit: Unit, of: &Operand) -> String {
        match (unit, of.sort) {
            (Unit::Scalars, Sort::Bytes) => {
                self.helpers.insert(Helper::Runes);
                format!("runes({})", of.code)
            }
            (Unit::Scalars, _) => format!("{}.chars().count()", of.code),
            _ => format!("{}.len()", of.code),
        }
    }

    fn pattern(&mut self, pattern: &Pattern, left: &Operand, failure: &Failure<'_, 'a>) {
        self.helpers.insert(Helper::Regex);
        // The general case never fails: the engine under contracts is the same one.
        let text = pattern.translate(Engine::Rust).map(|it| it.text).unwrap_or_default();
        let source = quoted(&text);
        let known = self.patterns.iter().position(|known| *known == source);
        let number = known.unwrap_or_else(|| {
            self.patterns.push(source);
            self.patterns.len() - 1
        });
        let subject = match left.sort {
            Sort::Bytes => {
                self.helpers.insert(Helper::Repaired);
                format!("&repaired({})", left.code)
            }
            _ => left.code.clone(),
        };
        self.fail_if(&format!("!PATTERN_{}.is_match({subject})", number + 1), failure, None);
    }

    /// No two elements of a list are equal: sorted, equal ones are neighbours. The sets of Rust hold none.
    fn unique(&mut self, value: Option<&RustValue>, failure: &Failure<'_, 'a>) {
        let Some(RustValue { code: list, real: Type::List(element) }) = value else { return };
        let [keys, item] = ["keys", "x"].map(|prefix| self.temporary(prefix));
        self.lines.line(format!("let mut {keys} = Vec::with_capacity({list}.len());"));
        self.lines.open(format!("for {item} in {list}.iter() {{"));
        let part = self.view(&item, *element, false);
        match part.real {
            // The two zeros are equal, and no number is what is none.
            Type::Double => {
                self.lines.open(format!("if !{}.is_nan() {{", part.code));
                self.lines.line(format!("{keys}.push(({} + 0.0).to_bits());", part.code));
                self.lines.close("}");
            }
            _ => self.lines.line(format!("{keys}.push({});", part.code)),
        }
        self.lines.close("}");
        self.lines.line(format!("{keys}.sort_unstable();"));
        self.fail_if(&format!("{keys}.windows(2).any(|pair| pair[0] == pair[1])"), failure, None);
    }

    fn among(
        &mut self,
        wanted: bool,
        operands: &[Expr],
        left: &Operand,
        value: Option<&RustValue>,
        failure: &Failure<'_, 'a>,
    ) {
        let sign = if wanted { "!" } else { "" };
        if let Some(numbers) = whole_numbers(operands)
            && left.sort == Sort::Int
        {
            let patterns = ranges(numbers);
            if patterns.len() <= 60 {
                self.fail_if(&format!("{sign}matches!({}, {patterns})", left.code), failure, None);
                return;
            }
        }
        if let Some(items) = constants(operands, left.sort) {
            let patterns = items.join(" | ");
            if left.sort == Sort::Text && patterns.chars().count() <= 60 {
                self.fail_if(&format!("{sign}matches!({}, {patterns})", left.code), failure, None);
                return;
            }
            let list = self.temporary("list");
            self.array(&list, &items);
            self.fail_if(&format!("{sign}{list}.contains(&{})", left.code), failure, None);
            return;
        }
        // What has no value leaves its part; what equals the value leaves them all.
        let [all, verdict] = ["'among", "t"].map(|prefix| self.temporary(prefix));
        self.lines.open(format!("let {verdict} = {all}: {{"));
        for operand in operands {
            let part = self.temporary("'part");
            self.lines.open(format!("{part}: {{"));
            let outer = std::mem::replace(&mut self.exit, format!("break {part};"));
            let right = self.operand(operand, value);
            let condition = self.equality(left, &right, true);
            self.exit = outer;
            self.lines.open(format!("if {condition} {{"));
            self.lines.line(format!("break {all} true;"));
            self.lines.close("}");
            self.lines.close("}");
        }
        self.lines.line("false");
        self.lines.close("};");
        self.fail_if(&format!("{sign}{verdict}"), failure, None);
    }

    /// An array, laid out as rustfmt does it.
    fn array(&mut self, name: &str, items: &[String]) {
        let joined = items.join(", ");
        if joined.chars().count() <= 60 {
            let whole = format!("let {name} = [{joined}];");
            if self.lines.width() + whole.chars().count() <= 100 {
                return self.lines.line(whole);
            }
            self.lines.line(format!("let {name} ="));
            self.lines.indent();
            self.lines.line(format!("[{joined}];"));
            return self.lines.dedent();
        }
        self.lines.open(format!("let {name} = ["));
        let short = items.iter().all(|item| item.chars().count() <= 10);
        let mut line = String::new();
        for item in items {
            let room = 100usize.saturating_sub(self.lines.width() + 1);
            if !line.is_empty() && (!short || line.chars().count() + item.chars().count() + 2 > room) {
                self.lines.line(std::mem::take(&mut line));
            }
            if !line.is_empty() {
                line.push(' ');
            }
            line.push_str(item);
            line.push(',');
        }
        self.lines.line(line);
        self.lines.close("];");
    }

    fn fail_if(&mut self, condition: &str, failure: &Failure<'_, 'a>, operand: Option<&Operand>) {
        self.lines.open(format!("if {condition} {{"));
        self.failing(failure, operand);
        self.lines.close("}");
    }

    /// Keeps what a report says when an operand cannot be evaluated.
    fn prepare(&mut self, failure: &Failure<'_, 'a>) {
        let report = ReportWords::of(failure.plan);
        self.report = vec![
            failure.at.clone(),
            quoted(failure.plan.rule.name()),
            self.key(failure.plan.rule.name()),
            failure.shown(),
            quoted(&report.written),
        ];
        self.message = failure.plan.rule.message.as_deref().map(quoted);
    }

    /// Reports that the rule at hand could not be evaluated.
    pub(in crate::rust) fn failed(&mut self, why: &str) {
        let mut arguments = self.report.clone();
        arguments.push(self.message.clone().unwrap_or_else(|| why.to_owned()));
        self.call_lines("found.add", &arguments);
    }

    fn failing(&mut self, failure: &Failure<'_, 'a>, operand: Option<&Operand>) {
        if self.quick {
            return self.lines.line("return false;");
        }
        let report = ReportWords::of(failure.plan);
        let hole = operand.filter(|_| report.wanted.after.is_some());
        if let Some(operand) = hole {
            self.lines.line(format!("let operand = shown({});", operand.code));
        }
        let fill = |words: &Words| match (&words.after, hole) {
            (Some(after), Some(_)) => {
                format!("&[{}, &operand, {}].concat()", quoted(&words.before), quoted(after))
            }
            (after, _) => quoted(&format!("{}{}", words.before, after.as_deref().unwrap_or_default())),
        };
        let wanted = self.named("wanted", fill(&report.wanted));
        let message = self.named("message", fill(&report.message));
        let mut arguments = vec![
            failure.at.clone(),
            quoted(failure.plan.rule.name()),
            self.key(failure.plan.rule.name()),
            failure.shown(),
            wanted,
            message,
        ];
        let head = match (&failure.plan.test, &failure.value) {
            (TestPlan::Length { unit, .. }, Some(value)) if report.measured => {
                let of = Operand { code: value.code.clone(), sort: Sort::of(value.real), constant: None };
                arguments.push(self.measure(*unit, &of));
                "found.add_size"
            }
            _ => "found.add",
        };
        self.call_lines(head, &arguments);
    }

    /// Binds text that is put together to a name.
    fn named(&mut self, name: &str, code: String) -> String {
        match code.strip_prefix("&[") {
            Some(parts) => {
                let parts = parts.trim_end_matches("].concat()");
                let items: Vec<String> = split_items(parts);
                self.array(&format!("{name}_parts"), &items);
                self.lines.line(format!("let {name} = {name}_parts.concat();"));
                format!("&{name}")
            }
            None => code,
        }
    }

    /// A call that hands on the flow, laid out as rustfmt does it.
    pub(super) fn call_lines(&mut self, head: &str, arguments: &[String]) {
        if self.quick {
            return self.lines.line("return false;");
        }
        let joined = arguments.join(", ");
        let width = self.lines.width() + head.len() + joined.chars().count() + 4;
        if joined.chars().count() <= 60 && width <= 100 {
            return self.lines.line(format!("{head}({joined})?;"));
        }
        self.lines.open(format!("{head}("));
        for argument in arguments {
            self.lines.line(format!("{argument},"));
        }
        self.lines.close(")?;");
    }
}

/// Splits `"a", &operand, "b"` into its three parts.
fn split_items(text: &str) -> Vec<String> {
    match text.split_once(", &operand, ") {
        Some((before, after)) => vec![before.to_owned(), "&operand".to_owned(), after.to_owned()],
        None => vec![text.to_owned()],
    }
}

/// Integer constants, if that is all there is.
fn whole_numbers(operands: &[Expr]) -> Option<Vec<i64>> {
    operands
        .iter()
        .map(|operand| match &operand.kind {
            ExprKind::Constant(Constant::Int(value)) => Some(*value),
            _ => None,
        })
        .collect()
}

/// Integers as patterns: `0..=9 | 12`.
fn ranges(mut numbers: Vec<i64>) -> String {
    numbers.sort_unstable();
    numbers.dedup();
    let mut out: Vec<(i64, i64)> = Vec::new();
    for number in numbers {
        match out.last_mut() {
            Some((_, last)) if last.checked_add(1) == Some(number) => *last = number,
            _ => out.push((number, number)),
        }
    }
    let parts: Vec<String> = out
        .into_iter()
        .map(|(first, last)| match first == last {
            true => literal(&Constant::Int(first)),
            false => format!("{}..={}", literal(&Constant::Int(first)), literal(&Constant::Int(last))),
        })
        .collect();
    parts.join(" | ")
}

/// Constants as the elements of an array, if that is all there is.
fn constants(operands: &[Expr], sort: Sort) -> Option<Vec<String>> {
    operands
        .iter()
        .map(|operand| match (&operand.kind, sort) {
            (ExprKind::Constant(Constant::Int(value)), Sort::Double) if value.unsigned_abs() <= 1 << 53 => {
                Some(format!("{value}.0"))
            }
            (ExprKind::Constant(Constant::Int(value)), Sort::Int) => Some(literal(&Constant::Int(*value))),
            (ExprKind::Constant(constant @ Constant::Float(_)), Sort::Double) => Some(literal(constant)),
            (ExprKind::Constant(Constant::Text(text)), Sort::Bytes) => {
                Some(format!("&{}[..]", byte_quoted(text.as_bytes())))
            }
            (ExprKind::Constant(constant @ Constant::Text(_)), Sort::Text) => Some(literal(constant)),
            (ExprKind::Constant(constant @ Constant::Bytes(_)), Sort::Bytes) => Some(literal(constant)),
            (ExprKind::Constant(constant @ Constant::Bool(_)), Sort::Bool) => Some(literal(constant)),
            _ => None,
        })
        .collect()
}
