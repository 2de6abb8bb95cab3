//! The methods of one struct.

use contract::{Constant, Unit};

use super::access::Presence;
use super::expr::{Guard, Operand, converted, exact_order, number_sides};
use super::scan::uses;
use super::{ALL, Context, Parts, Place, quoted};
use crate::codegen::lines::Lines;
use crate::codegen::operand::{Expr, ExprKind, Sort};
use crate::codegen::plan::{Check, FieldPlan, Inner, RulePlan, StructPlan, TestPlan, TextTest};
use crate::codegen::words::{MASK, Report, Words, key};
use crate::model::{StructId, Type, TypeId};
use crate::{Code, Diagnostic, Severity};
use contract::pattern::{Dialect, Engine, Pattern};

/// A value that Go code has at hand.
#[derive(Clone, Debug)]
pub(super) struct Value {
    pub(super) code: String,
    pub(super) real: Type,
}

/// A path as a Go expression: text and pieces that are only known when the code runs.
#[derive(Clone, Debug, Default)]
struct PathCode {
    parts: Vec<PathPart>,
}

#[derive(Clone, Debug, PartialEq)]
enum PathPart {
    Text(String),
    Code(String),
}

impl PathCode {
    fn root(name: &str) -> PathCode {
        PathCode { parts: vec![PathPart::Text(name.to_owned())] }
    }

    fn text(&self, more: &str) -> PathCode {
        let mut path = self.clone();
        match path.parts.last_mut() {
            Some(PathPart::Text(text)) => text.push_str(more),
            _ => path.parts.push(PathPart::Text(more.to_owned())),
        }
        path
    }

    fn code(&self, code: String) -> PathCode {
        let mut path = self.clone();
        path.parts.push(PathPart::Code(code));
        path
    }

    fn go(&self) -> String {
        let parts: Vec<String> = self
            .parts
            .iter()
            .map(|part| match part {
                PathPart::Text(text) => quoted(text.as_bytes()),
                PathPart::Code(code) => code.clone(),
            })
            .collect();
        parts.join("+")
    }
}

/// Writes the methods of a struct.
pub(super) struct Body<'a, 'p> {
    pub(super) context: &'a Context<'a>,
    pub(super) plan: &'a StructPlan<'a>,
    pub(super) place: &'a Place,
    pub(super) parts: &'p mut Parts,
    diagnostics: &'p mut Vec<Diagnostic>,
    lines: Lines,
    /// The field that the rules at hand were written on.
    pub(super) own: String,
    /// The name of that field in the IDL.
    field: Option<&'a str>,
    temporaries: usize,
    uses_now: bool,
    /// Whether every broken rule is asked for, not only the first.
    all: bool,
    /// What else is to be done where an operand cannot be evaluated and every broken rule is asked for.
    on_broken: Option<String>,
}

impl Context<'_> {
    /// Whether something stands for a field that is absent.
    pub(super) fn stand_in(&self, id: StructId, position: usize) -> bool {
        let shape = self.input.lowered.name(id).and_then(|name| self.input.lowered.definitions.get(name));
        match shape.map(|shape| &shape.form) {
            Some(contract::Form::Object(object)) => {
                object.properties.get(position).is_some_and(|property| property.absent.is_some())
            }
            _ => false,
        }
    }
}

impl<'a, 'p> Body<'a, 'p> {
    pub(super) fn new(
        context: &'a Context<'a>,
        plan: &'a StructPlan<'a>,
        place: &'a Place,
        parts: &'p mut Parts,
        diagnostics: &'p mut Vec<Diagnostic>,
    ) -> Body<'a, 'p> {
        Body {
            context,
            plan,
            place,
            parts,
            diagnostics,
            lines: Lines::new("\t"),
            own: String::new(),
            field: None,
            temporaries: 0,
            uses_now: false,
            all: false,
            on_broken: None,
        }
    }

    pub(super) fn methods(&mut self) -> String {
        let id = self.plan.id;
        let name = self.context.names.structure(id).to_owned();
        let main = self.context.main_method(id);
        let checks = self.checks();
        let mut out = Lines::new("\t");
        out.line("");
        out.line(format!("// {main} returns the first rule that {name} breaks, as a *ValidationError."));
        out.open(format!("func (p *{name}) {main}() error {{"));
        if !checks.is_empty() {
            out.open("if p == nil {");
            out.line("return nil");
            out.close("}");
            if self.uses_now {
                self.parts.import("time");
                out.line("now := time.Now().UnixNano()");
            }
            out.raw(&checks);
        }
        out.line("return nil");
        out.close("}");
        for also in self.context.methods.iter().skip(1) {
            let also = self.context.method(id, also);
            out.line("");
            out.line(format!("// {also} is another name of {main}."));
            out.open(format!("func (p *{name}) {also}() error {{"));
            out.line(format!("return p.{main}()"));
            out.close("}");
        }
        if self.context.options.validate_all {
            self.all_method(&name, &mut out);
        }
        out.finish()
    }

    /// The method that goes on behind the first broken rule.
    fn all_method(&mut self, name: &str, out: &mut Lines) {
        let method = self.context.method(self.plan.id, ALL);
        self.all = true;
        self.temporaries = 0;
        let checks = self.checks();
        out.line("");
        out.line(format!("// {method} returns every rule that {name} breaks, each as a *ValidationError."));
        out.open(format!("func (p *{name}) {method}() []error {{"));
        match checks.is_empty() {
            true => out.line("return nil"),
            false => {
                out.open("if p == nil {");
                out.line("return nil");
                out.close("}");
                if self.uses_now {
                    out.line("now := time.Now().UnixNano()");
                }
                out.line("var errs []error");
                out.raw(&checks);
                out.line("return errs");
            }
        }
        out.close("}");
    }

    /// Reports a broken rule.
    fn report(&mut self, error: &str) {
        match self.all {
            true => self.lines.line(format!("errs = append(errs, {error})")),
            false => self.lines.line(format!("return {error}")),
        }
    }

    /// Takes note of a finding, in one of the two runs over the same rules.
    fn find(&mut self, diagnostic: Diagnostic) {
        if !self.all {
            self.diagnostics.push(diagnostic);
        }
    }

    fn key(&self, spelling: &str) -> String {
        quoted(key(self.plan.it, self.field, spelling).as_bytes())
    }

    fn checks(&mut self) -> String {
        let plan = self.plan;
        let root = PathCode::root(&plan.it.name.text);
        self.lines.indent();
        for field in &plan.fields {
            self.field_checks(field, &root);
        }
        self.field = None;
        for rule in &plan.asserts {
            self.rule(rule, None, &root, false);
        }
        self.lines.dedent();
        self.lines.set_aside()
    }

    pub(super) fn temporary(&mut self) -> String {
        self.temporaries += 1;
        format!("t{}", self.temporaries)
    }

    pub(super) fn now(&mut self) -> String {
        self.uses_now = true;
        "now".to_owned()
    }

    /// The Go symbol of a function that the user adds.
    pub(super) fn symbol(&mut self, function: &str) -> String {
        let symbol = match self.context.options.functions.get(function) {
            Some(symbol) => symbol.clone(),
            None => {
                let message = format!("there is no Go function for `@{function}`");
                let help = "name one in the options: `func=name=import/path.Name`";
                let span = self.plan.it.name.span;
                self.find(Code::RuleFunction.at(span, message).help(help));
                return function.to_owned();
            }
        };
        match symbol.rsplit_once('.') {
            Some((path, name)) => {
                self.parts.import(path);
                let package = path.rsplit('/').next().unwrap_or(path);
                format!("{package}.{name}")
            }
            None => symbol,
        }
    }

    fn field_checks(&mut self, field: &FieldPlan<'a>, root: &PathCode) {
        let model = self.context.input.model;
        self.field = Some(&field.field.name.text);
        let name = self.context.names.field(self.plan.id, field.position);
        let code = format!("p.{name}");
        let path = root.text(&format!(".{}", field.field.name.text));
        let presence = Presence::of(model, field.field, field.property.absent.is_some());
        if field.requires()
            && let Some(requirement) = &field.property.requirement
        {
            match presence.can_be_nil() {
                true => {
                    let message = requirement.message.as_deref().unwrap_or("must be there");
                    self.lines.open(format!("if {code} == nil {{"));
                    let error = format!(
                        "tendonViolation({}, {}, {}, \"\", {}, {})",
                        path.go(),
                        quoted(requirement.spelling.as_bytes()),
                        self.key(&requirement.spelling),
                        quoted(field.field.name.text.as_bytes()),
                        quoted(message.as_bytes()),
                    );
                    self.report(&error);
                    self.lines.close("}");
                }
                false => self.unseen(field),
            }
        }
        if field.checks.is_empty() && field.no_sparse.is_none() {
            return;
        }
        let real = model.real(field.field.ty);
        let guarded = match presence {
            Presence::Pointer => true,
            Presence::Nil => !matches!(real, Type::Struct(_)),
            Presence::Always | Presence::EmptyNil => false,
        };
        let value = Value {
            code: if presence == Presence::Pointer { format!("*{code}") } else { code.clone() },
            real,
        };
        self.own = value.code.clone();
        if guarded {
            self.lines.open(format!("if {code} != nil {{"));
        }
        self.no_sparse(field, &value, &path);
        self.run(&field.checks, &value, &path, 0);
        if guarded {
            self.lines.close("}");
        }
    }

    /// Go structs cannot tell whether a plain scalar was set.
    fn unseen(&mut self, field: &FieldPlan<'_>) {
        let message = format!("Go code cannot see whether `{}` is set", field.field.name.text);
        let help = "make the field `optional`, or validate on the wire";
        let diagnostic = Code::UnseenField.at(field.field.name.span, message);
        self.find(diagnostic.help(help));
    }

    fn no_sparse(&mut self, field: &FieldPlan<'_>, value: &Value, path: &PathCode) {
        let (Some(rule), Type::Map(key, of)) = (field.no_sparse, value.real) else { return };
        let is_struct = matches!(self.context.input.model.real(of), Type::Struct(_));
        if !is_struct || self.context.options.values_in_containers {
            return;
        }
        let inside = self.entry(path, key, "k0", false);
        let error = format!(
            "tendonViolation({}, {}, {}, \"\", \"\", \"must be there\")",
            inside.go(),
            quoted(rule.as_bytes()),
            self.key(rule),
        );
        let name = if uses(&error, "k0") { "k0" } else { "_" };
        self.lines.open(format!("for {name}, v0 := range {} {{", value.code));
        self.lines.open("if v0 == nil {");
        self.report(&error);
        self.lines.close("}");
        self.lines.close("}");
    }

    // INVARIANT: checks nest no deeper than types do.
    fn run(&mut self, checks: &[Check<'a>], value: &Value, path: &PathCode, depth: usize) {
        for check in checks {
            for rule in &check.rules {
                self.rule(rule, Some(value), path, check.secret);
            }
            match &check.inner {
                Inner::Nothing => {}
                Inner::Items(element, checks) => self.items(*element, checks, value, path, depth),
                Inner::Entries { key, keys, value: of, values } => {
                    if !keys.is_empty() {
                        self.entries(EntrySide::Key, *key, *key, keys, value, path, depth, check.secret);
                    }
                    if !values.is_empty() {
                        self.entries(EntrySide::Value, *key, *of, values, value, path, depth, check.secret);
                    }
                }
                Inner::Struct(id) => self.nested(*id, value, path, check.secret),
            }
        }
    }

    fn items(&mut self, element: TypeId, checks: &[Check<'a>], value: &Value, path: &PathCode, depth: usize) {
        self.parts.import("strconv");
        let (index, item) = (format!("i{depth}"), format!("e{depth}"));
        let inside = path.text("[").code(format!("strconv.Itoa({index})")).text("]");
        let real = self.context.input.model.real(element);
        let by_value = matches!(real, Type::Struct(_)) && self.context.options.values_in_containers;
        let code = if by_value { format!("{}[{index}]", value.code) } else { item.clone() };
        let element = Value { code, real };
        let body = self.inside(|body| body.run(checks, &element, &inside, depth + 1));
        self.range(&index, &item, value, &body);
    }

    /// What is written inside a block.
    fn inside(&mut self, write: impl FnOnce(&mut Self)) -> String {
        let before = self.lines.set_aside();
        self.lines.indent();
        write(self);
        self.lines.dedent();
        self.lines.put_back(before)
    }

    /// A loop with the variables that its body uses: Go refuses others.
    fn range(&mut self, first: &str, second: &str, value: &Value, body: &str) {
        let names = match (uses(body, first), uses(body, second)) {
            _ if body.is_empty() => return,
            (true, true) => format!("{first}, {second} := "),
            (true, false) => format!("{first} := "),
            (false, true) => format!("_, {second} := "),
            (false, false) => String::new(),
        };
        self.lines.line(format!("for {names}range {} {{", value.code));
        self.lines.raw(body);
        self.lines.line("}");
    }

    #[expect(clippy::too_many_arguments, reason = "what is known of one loop, used twice")]
    fn entries(
        &mut self,
        side: EntrySide,
        key: TypeId,
        of: TypeId,
        checks: &[Check<'a>],
        value: &Value,
        path: &PathCode,
        depth: usize,
        secret: bool,
    ) {
        let (k, v) = (format!("k{depth}"), format!("v{depth}"));
        let mut inside = self.entry(path, key, &k, secret);
        if side == EntrySide::Key {
            inside = inside.text("(key)");
        }
        let real = self.context.input.model.real(of);
        // A binary key is a string in Go.
        let real = if side == EntrySide::Key && real == Type::Binary { Type::String } else { real };
        let code = if side == EntrySide::Key { k.clone() } else { v.clone() };
        let part = Value { code, real };
        let body = self.inside(|body| body.run(checks, &part, &inside, depth + 1));
        self.range(&k, &v, value, &body);
    }

    /// The path of an entry.
    fn entry(&mut self, path: &PathCode, key: TypeId, code: &str, secret: bool) -> PathCode {
        if secret {
            return path.text(&format!("[{MASK}]"));
        }
        let mut number = |call: String| {
            self.parts.import("strconv");
            path.text("[").code(call).text("]")
        };
        match self.context.input.model.real(key) {
            Type::I8 | Type::I16 | Type::I32 | Type::I64 | Type::Enum(_) => {
                number(format!("strconv.FormatInt(int64({code}), 10)"))
            }
            Type::Bool => number(format!("strconv.FormatBool(bool({code}))")),
            Type::Double => path.text("[").code(format!("tendonFloat(float64({code}))")).text("]"),
            Type::String | Type::Binary => path.code(format!("tendonKey(string({code}))")),
            _ => path.text("['<object>']"),
        }
    }

    fn nested(&mut self, id: StructId, value: &Value, path: &PathCode, secret: bool) {
        let (method, gives) = match self.all {
            true => (self.context.method(id, ALL), "[]error"),
            false => (self.context.main_method(id), "error"),
        };
        let fail = format!("tendonWithin({}, err, {secret})", path.go());
        let head = |of: &str| match self.all {
            true => format!("for _, err := range {of}.{method}() {{"),
            false => format!("if err := {of}.{method}(); err != nil {{"),
        };
        if self.context.generated.contains(&id) {
            let head = head(&value.code);
            self.lines.open(head);
            self.report(&fail);
            self.lines.close("}");
            return;
        }
        let head = head("v");
        // A struct of a file that is not generated now has the method if somebody has generated it before.
        let element = value.code.starts_with(['e', 'v', 'k']) || value.code.contains('[');
        let code = match element && self.context.options.values_in_containers {
            true => format!("&{}", value.code),
            false => value.code.clone(),
        };
        self.lines.open(format!(
            "if v, ok := interface{{}}({code}).(interface{{ {method}() {gives} }}); ok && {code} != nil {{"
        ));
        self.lines.open(head);
        self.report(&fail);
        self.lines.close("}");
        self.lines.close("}");
    }

    fn rule(&mut self, plan: &RulePlan<'a>, value: Option<&Value>, path: &PathCode, secret: bool) {
        let left = value.map(|value| Operand {
            guards: Vec::new(),
            code: value.code.clone(),
            sort: Sort::of(value.real),
            constant: None,
        });
        let failure = Failure { plan, left: left.clone(), value: value.cloned(), path: path.clone(), secret };
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

    /// Whether an integer constant fits the Go type of the value, so that both compare as they are.
    fn in_range(&self, value: Option<&Value>, right: &Operand) -> bool {
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
        value: Option<&Value>,
        failure: &Failure<'_, 'a>,
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
        value: Option<&Value>,
        failure: &Failure<'_, 'a>,
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

    fn pattern(&mut self, pattern: &Pattern, left: &Operand, failure: &Failure<'_, 'a>) {
        // Go before 1.22 does not know every way to write a group that RE2 has.
        let as_written = pattern.dialect() == Dialect::Re2 && !pattern.source().contains("(?<");
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
    fn unique(&mut self, left: &Operand, value: Option<&Value>, failure: &Failure<'_, 'a>) {
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

    fn note(&mut self, failure: &Failure<'_, 'a>, code: Code, message: String, severity: Severity) {
        let span = failure.plan.rule.place.unwrap_or(self.plan.it.name.span);
        self.find(code.at(span, message).with_severity(severity));
    }

    fn among(
        &mut self,
        wanted: bool,
        operands: &[Expr],
        left: &Operand,
        value: Option<&Value>,
        failure: &Failure<'_, 'a>,
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
        let can_miss = |operand: &Operand| operand.guards.iter().any(|guard| matches!(guard, Guard::If(_)));
        let found = self.temporary();
        self.lines.line(format!("{found} := false"));
        // A list of which a part is unknown cannot be said to lack the value.
        let known = match wanted && operands.iter().any(can_miss) {
            true => {
                let known = self.temporary();
                self.lines.line(format!("{known} := 0"));
                Some(known)
            }
            false => None,
        };
        for right in &operands {
            let condition = self.equality(left, right, true);
            self.lines.open(format!("if !{found} {{"));
            // One report is enough for a list with an element that cannot be evaluated.
            self.on_broken = wanted.then(|| format!("{found} = true"));
            let opened = self.open_guards(&right.guards, failure);
            if let Some(known) = &known {
                self.lines.line(format!("{known}++"));
            }
            self.lines.line(format!("{found} = {condition}"));
            (0..opened).for_each(|_| self.lines.close("}"));
            self.lines.close("}");
        }
        self.on_broken = None;
        let condition = match (wanted, known) {
            (true, Some(known)) => format!("!{found} && {known} == {}", operands.len()),
            (true, None) => format!("!{found}"),
            (false, _) => found,
        };
        self.fail_if(&condition, failure, None);
    }

    /// Constants of the value's own kind: a switch.
    fn switch(
        &mut self,
        wanted: bool,
        operands: &[Expr],
        left: &Operand,
        value: Option<&Value>,
        failure: &Failure<'_, 'a>,
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
    fn guarded(&mut self, operand: &Operand, condition: &str, failure: &Failure<'_, 'a>) {
        let opened = self.open_guards(&operand.guards, failure);
        self.fail_if(condition, failure, Some(operand));
        (0..opened).for_each(|_| self.lines.close("}"));
    }

    /// Writes guards and returns how many blocks they opened.
    fn open_guards(&mut self, guards: &[Guard], failure: &Failure<'_, 'a>) -> usize {
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
                    match self.all {
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

    fn fail_if(&mut self, condition: &str, failure: &Failure<'_, 'a>, operand: Option<&Operand>) {
        self.lines.open(format!("if {condition} {{"));
        let failing = self.failing(failure, operand);
        self.report(&failing);
        self.lines.close("}");
    }

    /// The error for a broken rule.
    fn failing(&mut self, failure: &Failure<'_, 'a>, operand: Option<&Operand>) -> String {
        let report = Report::of(failure.plan);
        let fill = |words: &Words| match (&words.after, operand) {
            (Some(after), Some(operand)) => {
                let shown = format!("tendonShown({})", operand.plain());
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
            "tendonViolation({}, {}, {}, {}, {wanted}, {message})",
            failure.path.go(),
            quoted(failure.plan.rule.name().as_bytes()),
            self.key(failure.plan.rule.name()),
            failure.shown(),
        )
    }

    /// The error for a rule that could not be evaluated.
    fn broken(&mut self, failure: &Failure<'_, 'a>, why: &str) -> String {
        let message = match &failure.plan.rule.message {
            Some(own) => quoted(own.as_bytes()),
            None => why.to_owned(),
        };
        let report = Report::of(failure.plan);
        let written = match report.wanted.after {
            Some(after) => after.trim_start_matches(" (").trim_end_matches(')').to_owned(),
            None => report.wanted.before,
        };
        format!(
            "tendonViolation({}, {}, {}, {}, {}, {message})",
            failure.path.go(),
            quoted(failure.plan.rule.name().as_bytes()),
            self.key(failure.plan.rule.name()),
            failure.shown(),
            quoted(written.as_bytes()),
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

#[derive(Clone, Copy, PartialEq, Eq)]
enum EntrySide {
    Key,
    Value,
}

/// What is known when a rule fails.
struct Failure<'f, 'a> {
    plan: &'f RulePlan<'a>,
    left: Option<Operand>,
    value: Option<Value>,
    path: PathCode,
    secret: bool,
}

impl Failure<'_, '_> {
    fn shown(&self) -> String {
        match &self.value {
            _ if self.secret => quoted(MASK.as_bytes()),
            None => "\"\"".to_owned(),
            // Parts may be secrets.
            Some(Value { real: Type::List(_) | Type::Set(_) | Type::Map(..) | Type::Struct(_), .. }) => {
                "\"\"".to_owned()
            }
            // The text of a number that is not a member says nothing.
            Some(Value { code, real: Type::Enum(_) }) => format!("tendonShown(int64({code}))"),
            Some(value) => format!("tendonShown({})", value.code),
        }
    }
}
