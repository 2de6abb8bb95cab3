//! The methods of one struct.

mod rule;

use thrift::model::{StructId, Type, TypeId};
use thrift::{Code, Diagnostic};

use super::access::Presence;
use super::scan::uses;
use super::{ALL, Context, GoPackage, Parts, import_name, quoted};
use crate::lines::Lines;
use crate::plan::{ElementChecks, FieldPlan, StructPlan, ValueCheck};
use crate::words::{MASK, key};

/// A value that Go code has at hand.
#[derive(Clone, Debug)]
pub(super) struct GoValue {
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

/// What a method asks of the rules.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Asked {
    /// Whether all hold. The method says nothing of what is wrong, so it is short, and short methods become part of others.
    Valid,
    /// The first that does not hold.
    First,
    /// All that do not hold.
    All,
}

/// Writes the methods of a struct.
pub(super) struct Body<'a, 'p> {
    pub(super) context: &'a Context<'a>,
    pub(super) plan: &'a StructPlan<'a>,
    pub(super) place: &'a GoPackage,
    pub(super) parts: &'p mut Parts,
    diagnostics: &'p mut Vec<Diagnostic>,
    lines: Lines,
    /// The field that the rules at hand were written on.
    pub(super) own: String,
    /// The name of that field in the IDL.
    field: Option<&'a str>,
    temporaries: usize,
    uses_now: bool,
    /// What is asked for.
    asked: Asked,
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
        place: &'a GoPackage,
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
            asked: Asked::Valid,
            on_broken: None,
        }
    }

    pub(super) fn methods(&mut self) -> String {
        let id = self.plan.id;
        let name = self.context.names.structure(id).to_owned();
        let main = self.context.main_method(id);
        let quick = self.checks(Asked::Valid);
        let [valid, first] = ["Valid", "First"].map(|name| self.place.helper(name));
        let mut out = Lines::new("\t");
        out.line("");
        let error = &self.place.error;
        out.line(format!("// {main} returns the first rule that {name} breaks, as a *{error}."));
        out.open(format!("func (p *{name}) {main}() error {{"));
        if self.plan.busy {
            out.open(format!("if p != nil && p.{valid}() {{"));
            out.line("return nil");
            out.close("}");
            out.line(format!("return p.{first}()"));
        } else {
            out.line("return nil");
        }
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
            let method = self.context.method(id, ALL);
            out.line("");
            out.line(format!("// {method} returns every rule that {name} breaks, each as a *{error}."));
            out.open(format!("func (p *{name}) {method}() []error {{"));
            match self.checks(Asked::All) {
                checks if checks.is_empty() => out.line("return nil"),
                checks => {
                    self.head("nil", &mut out);
                    out.line("var errs []error");
                    out.raw(&checks);
                    out.line("return errs");
                }
            }
            out.close("}");
        }
        // Others call it, also where nothing is left of the rules.
        if self.plan.busy {
            out.line("");
            out.line(format!("// {valid} tells whether all rules hold, as fast as that can be told."));
            out.open(format!("func (p *{name}) {valid}() bool {{"));
            self.head("true", &mut out);
            out.raw(&quick);
            out.line("return true");
            out.close("}");
            out.line("");
            out.line(format!("// {first} returns the first rule that does not hold."));
            out.open(format!("func (p *{name}) {first}() error {{"));
            let checks = self.checks(Asked::First);
            self.head("nil", &mut out);
            out.raw(&checks);
            out.line("return nil");
            out.close("}");
        }
        out.finish()
    }

    /// The lines before the checks.
    fn head(&mut self, nothing: &str, out: &mut Lines) {
        out.open("if p == nil {");
        out.line(format!("return {nothing}"));
        out.close("}");
        if self.uses_now {
            self.parts.import("time");
            out.line("now := time.Now().UnixNano()");
        }
    }

    /// Reports a broken rule.
    fn report(&mut self, error: &str) {
        match self.asked {
            Asked::Valid => self.lines.line("return false"),
            Asked::First => self.lines.line(format!("return {error}")),
            Asked::All => self.lines.line(format!("errs = append(errs, {error})")),
        }
    }

    /// Takes note of a finding, in one of the runs over the same rules.
    fn find(&mut self, diagnostic: Diagnostic) {
        if self.asked == Asked::Valid {
            self.diagnostics.push(diagnostic);
        }
    }

    fn key(&self, spelling: &str) -> String {
        quoted(key(self.plan.it, self.field, spelling).as_bytes())
    }

    fn checks(&mut self, asked: Asked) -> String {
        let plan = self.plan;
        self.asked = asked;
        self.temporaries = 0;
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
                format!("{}.{name}", import_name(path).0)
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
                        "{}({}, {}, {}, \"\", {}, {})",
                        self.place.helper("Violation"),
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
        let value = GoValue {
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

    fn no_sparse(&mut self, field: &FieldPlan<'_>, value: &GoValue, path: &PathCode) {
        let (Some(rule), Type::Map(key, of)) = (field.no_sparse, value.real) else { return };
        let is_struct = matches!(self.context.input.model.real(of), Type::Struct(_));
        if !is_struct || self.context.options.values_in_containers {
            return;
        }
        let inside = self.entry(path, key, "k0", false);
        let error = format!(
            "{}({}, {}, {}, \"\", \"\", \"must be there\")",
            self.place.helper("Violation"),
            inside.go(),
            quoted(rule.as_bytes()),
            self.key(rule),
        );
        let named = self.asked != Asked::Valid && uses(&error, "k0");
        let name = if named { "k0" } else { "_" };
        self.lines.open(format!("for {name}, v0 := range {} {{", value.code));
        self.lines.open("if v0 == nil {");
        self.report(&error);
        self.lines.close("}");
        self.lines.close("}");
    }

    // INVARIANT: checks nest no deeper than types do.
    fn run(&mut self, checks: &[ValueCheck<'a>], value: &GoValue, path: &PathCode, depth: usize) {
        for check in checks {
            let fused = match self.asked {
                Asked::Valid => self.fused(&check.rules, value),
                Asked::First | Asked::All => None,
            };
            if let Some((condition, _)) = &fused {
                self.lines.open(format!("if {condition} {{"));
                self.lines.line("return false");
                self.lines.close("}");
            }
            let bounds = fused.map_or_else(Vec::new, |(_, bounds)| bounds);
            for rule in
                check.rules.iter().enumerate().filter(|(at, _)| !bounds.contains(at)).map(|(_, rule)| rule)
            {
                self.rule(rule, Some(value), path, check.secret);
            }
            match &check.inner {
                ElementChecks::Nothing => {}
                ElementChecks::Items(element, checks) => self.items(*element, checks, value, path, depth),
                ElementChecks::Entries { key, keys, value: of, values } if self.asked == Asked::Valid => {
                    self.whole_entries(*key, keys, *of, values, value, depth);
                }
                ElementChecks::Entries { key, keys, value: of, values } => {
                    if !keys.is_empty() {
                        self.entries(EntrySide::Key, *key, *key, keys, value, path, depth, check.secret);
                    }
                    if !values.is_empty() {
                        self.entries(EntrySide::Value, *key, *of, values, value, path, depth, check.secret);
                    }
                }
                ElementChecks::Struct(id) => self.nested(*id, value, path, check.secret),
            }
        }
    }

    fn items(
        &mut self,
        element: TypeId,
        checks: &[ValueCheck<'a>],
        value: &GoValue,
        path: &PathCode,
        depth: usize,
    ) {
        self.parts.import("strconv");
        let (index, item) = (format!("i{depth}"), format!("e{depth}"));
        let inside = path.text("[").code(format!("strconv.Itoa({index})")).text("]");
        let real = self.context.input.model.real(element);
        let by_value = matches!(real, Type::Struct(_)) && self.context.options.values_in_containers;
        let code = if by_value { format!("{}[{index}]", value.code) } else { item.clone() };
        let element = GoValue { code, real };
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
    fn range(&mut self, first: &str, second: &str, value: &GoValue, body: &str) {
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
        checks: &[ValueCheck<'a>],
        value: &GoValue,
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
        let part = GoValue { code, real };
        let body = self.inside(|body| body.run(checks, &part, &inside, depth + 1));
        self.range(&k, &v, value, &body);
    }

    /// Keys and values in one loop, where nobody asks which of them is wrong: a walk over a map costs more than most rules.
    fn whole_entries(
        &mut self,
        key: TypeId,
        keys: &[ValueCheck<'a>],
        of: TypeId,
        values: &[ValueCheck<'a>],
        value: &GoValue,
        depth: usize,
    ) {
        let (k, v) = (format!("k{depth}"), format!("v{depth}"));
        let [key, of] = [key, of].map(|ty| self.context.input.model.real(ty));
        // A binary key is a string in Go.
        let key = if key == Type::Binary { Type::String } else { key };
        let (key, part) = (GoValue { code: k.clone(), real: key }, GoValue { code: v.clone(), real: of });
        let path = PathCode::default();
        let body = self.inside(|body| {
            body.run(keys, &key, &path, depth + 1);
            body.run(values, &part, &path, depth + 1);
        });
        self.range(&k, &v, value, &body);
    }

    /// The path of an entry.
    fn entry(&mut self, path: &PathCode, key: TypeId, code: &str, secret: bool) -> PathCode {
        if secret {
            return path.text(&format!("[{MASK}]"));
        }
        let place = self.place;
        let mut number = |call: String| {
            self.parts.import("strconv");
            path.text("[").code(call).text("]")
        };
        match self.context.input.model.real(key) {
            Type::I8 | Type::I16 | Type::I32 | Type::I64 | Type::Enum(_) => {
                number(format!("strconv.FormatInt(int64({code}), 10)"))
            }
            Type::Bool => number(format!("strconv.FormatBool(bool({code}))")),
            Type::Double => {
                path.text("[").code(format!("{}(float64({code}))", place.helper("Float"))).text("]")
            }
            Type::String | Type::Binary => path.code(format!("{}(string({code}))", place.helper("Key"))),
            _ => path.text("['<object>']"),
        }
    }

    fn nested(&mut self, id: StructId, value: &GoValue, path: &PathCode, secret: bool) {
        let (method, gives) = match self.asked {
            Asked::All => (self.context.method(id, ALL), "[]error"),
            Asked::Valid | Asked::First => (self.context.main_method(id), "error"),
        };
        let fail = format!("{}({}, err, {secret})", self.place.helper("Within"), path.go());
        let head = |of: &str| match self.asked {
            Asked::Valid => format!("if {of}.{method}() != nil {{"),
            Asked::First => format!("if err := {of}.{method}(); err != nil {{"),
            Asked::All => format!("for _, err := range {of}.{method}() {{"),
        };
        let near = self.context.is_near(id, self.place);
        if self.asked == Asked::Valid && near {
            self.lines.open(format!("if !{}.{}() {{", value.code, self.place.helper("Valid")));
            self.report(&fail);
            self.lines.close("}");
            return;
        }
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
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum EntrySide {
    Key,
    Value,
}
