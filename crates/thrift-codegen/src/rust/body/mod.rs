//! The implementation for one type.

mod rule;

use std::collections::BTreeSet;

use contract::{Constant, Form};
use thrift::idl::Requiredness;
use thrift::model::{StructId, StructRole, Type, TypeId};
use thrift::{Code, Diagnostic};

use super::expr::literal;
use super::support::Helper;
use super::{Context, RustTypes, byte_quoted, names, quoted};
use crate::lines::Lines;
use crate::plan::{ElementChecks, FieldPlan, StructPlan, ValueCheck};
use crate::words::key;

/// A value that Rust code has in a variable: scalars as they are, text as `&str`, bytes as `&[u8]`.
#[derive(Clone, Debug)]
pub(super) struct RustValue {
    pub(super) code: String,
    pub(super) real: Type,
}

/// How a reference to a value of somebody's type is looked at.
pub(super) struct View {
    annotation: &'static str,
    expr: String,
}

impl View {
    /// The statement that binds the view to a name.
    pub(super) fn typed(&self, name: &str) -> String {
        format!("let {name}{} = {};", self.annotation, self.expr)
    }
}

/// Writes the implementation for a type.
pub(super) struct Body<'a, 'p> {
    pub(super) context: &'p Context<'a>,
    pub(super) plan: &'p StructPlan<'a>,
    pub(super) helpers: &'p mut BTreeSet<Helper>,
    patterns: &'p mut Vec<String>,
    diagnostics: &'p mut Vec<Diagnostic>,
    pub(super) lines: Lines,
    /// The field that the rules at hand were written on.
    pub(super) own: Option<RustValue>,
    /// The name of that field in the IDL.
    field: Option<&'a str>,
    /// How to leave a rule whose operand has no value.
    pub(super) exit: String,
    /// The arguments of a report about the rule at hand, but its message.
    report: Vec<String>,
    message: Option<String>,
    temporaries: usize,
    pub(super) uses_now: bool,
    /// Whether only yes or no is asked, not what is wrong.
    quick: bool,
}

/// Leaves the rule at hand.
pub(super) const LEAVE: &str = "break 'rule;";

impl<'a, 'p> Body<'a, 'p> {
    pub(super) fn new(
        context: &'p Context<'a>,
        plan: &'p StructPlan<'a>,
        helpers: &'p mut BTreeSet<Helper>,
        patterns: &'p mut Vec<String>,
        diagnostics: &'p mut Vec<Diagnostic>,
    ) -> Body<'a, 'p> {
        Body {
            context,
            plan,
            helpers,
            patterns,
            diagnostics,
            lines: Lines::new("    "),
            own: None,
            field: None,
            exit: LEAVE.to_owned(),
            report: Vec::new(),
            message: None,
            temporaries: 0,
            uses_now: false,
            quick: false,
        }
    }

    pub(super) fn implementation(&mut self, ty: &str) -> String {
        self.quick = true;
        let quick = self.checks();
        self.quick = false;
        self.temporaries = 0;
        let checks = self.checks();
        let mut out = Lines::new("    ");
        out.open(format!("impl Validate for {ty} {{"));
        out.line(format!("const NAME: &'static str = {};", quoted(&self.plan.it.name.text)));
        out.line("");
        for (head, body, end) in [
            ("fn is_valid(&self) -> bool {", quick, "true"),
            ("fn check(&self, at: &At<'_>, found: &mut Found) -> Flow {", checks, "Ok(())"),
        ] {
            if end != "true" {
                out.line("");
            }
            out.open(head);
            if self.uses_now {
                self.helpers.insert(Helper::Now);
                out.line("let now = now();");
            }
            out.raw(&body);
            out.line(end);
            out.close("}");
        }
        out.close("}");
        out.finish()
    }

    fn checks(&mut self) -> String {
        let plan = self.plan;
        self.lines.indent();
        self.lines.indent();
        if plan.it.role == StructRole::Union {
            self.union();
        } else {
            for field in &plan.fields {
                self.field_checks(field);
            }
        }
        self.field = None;
        for rule in &plan.asserts {
            self.rule(rule, None, "at");
        }
        let checks = self.lines.set_aside();
        self.lines.dedent();
        self.lines.dedent();
        checks
    }

    pub(super) fn temporary(&mut self, prefix: &str) -> String {
        self.temporaries += 1;
        format!("{prefix}{}", self.temporaries)
    }

    pub(super) fn leave(&mut self) {
        let exit = self.exit.clone();
        exit.lines().for_each(|line| self.lines.line(line));
    }

    pub(super) fn symbol(&mut self, function: &str) -> String {
        match self.context.options.functions.get(function) {
            Some(path) => path.clone(),
            None => {
                let message = format!("there is no Rust function for `@{function}`");
                let help = "name one in the options: `name=crate::path::function`";
                let span = self.plan.it.name.span;
                self.report_once(Code::RuleFunction.at(span, message).help(help));
                function.to_owned()
            }
        }
    }

    fn key(&self, spelling: &str) -> String {
        quoted(&key(self.plan.it, self.field, spelling))
    }

    /// Takes note of a finding, in one of the two runs over the same rules.
    fn report_once(&mut self, diagnostic: Diagnostic) {
        if !self.quick {
            self.diagnostics.push(diagnostic);
        }
    }

    pub(super) fn field_name(&self, owner: StructId, position: usize) -> String {
        let field = self.context.input.model[owner].fields.get(position);
        field.map(|field| names::field(&field.name.text, self.context.options.types)).unwrap_or_default()
    }

    /// Whether a field is an `Option`.
    pub(super) fn is_option(&self, owner: StructId, position: usize) -> bool {
        let it = &self.context.input.model[owner];
        let required =
            it.fields.get(position).is_some_and(|field| field.requiredness == Requiredness::Required);
        // UPSTREAM: pilota gives the structs of arguments plain fields.
        !required && it.role != StructRole::Arguments
    }

    /// What stands for a field that is absent; containers only where it is an empty one.
    pub(super) fn stand_in(&self, owner: StructId, position: usize) -> Option<Constant> {
        let lowered = self.context.input.lowered;
        let shape = lowered.name(owner).and_then(|name| lowered.definitions.get(name))?;
        let Form::Object(object) = &shape.form else { return None };
        match object.properties.get(position)?.absent.as_deref()? {
            Constant::List(items) if !items.is_empty() => None,
            Constant::Object(members) if !members.is_empty() => None,
            constant => Some(constant.clone()),
        }
    }

    /// How a reference to a value is looked at; `hashed` if it is an element of a set or a key.
    pub(super) fn view_code(&self, reference: &str, ty: TypeId, hashed: bool) -> View {
        let model = self.context.input.model;
        let types = self.context.options.types;
        let mut inner = String::new();
        let mut at = ty;
        // UPSTREAM: pilota makes a new type of a typedef, the Apache compiler a second name.
        while let Type::Typedef(typedef) = model[at].ty {
            if types == RustTypes::Pilota {
                inner.push_str(".0");
            }
            at = model[typedef].target;
        }
        let (place, plain) = match reference.strip_prefix('&') {
            Some(place) => (format!("{place}{inner}"), format!("{place}{inner}")),
            None if inner.is_empty() => (reference.to_owned(), format!("*{reference}")),
            None => (format!("{reference}{inner}"), format!("{reference}{inner}")),
        };
        let whole = match (reference.starts_with('&'), inner.is_empty()) {
            (false, true) => reference.to_owned(),
            _ => format!("&{place}"),
        };
        let (annotation, expr) = match model.real(ty) {
            Type::Double if hashed || types == RustTypes::Apache => ("", format!("{place}.0")),
            Type::Enum(_) if types == RustTypes::Pilota => ("", format!("{place}.inner()")),
            Type::Enum(_) => ("", format!("{place}.0")),
            Type::Bool | Type::I8 | Type::I16 | Type::I32 | Type::I64 | Type::Double => ("", plain),
            Type::String => (": &str", whole),
            Type::Uuid if types == RustTypes::Apache => (": &[u8]", format!("{place}.as_bytes()")),
            Type::Binary | Type::Uuid => (": &[u8]", whole),
            _ => ("", whole),
        };
        View { annotation, expr }
    }

    /// Binds the view of a reference.
    pub(super) fn view(&mut self, reference: &str, ty: TypeId, hashed: bool) -> RustValue {
        let view = self.view_code(reference, ty, hashed);
        let real = self.real(ty);
        let name = self.temporary("v");
        self.lines.line(view.typed(&name));
        RustValue { code: name, real }
    }

    /// Binds the view of an optional field, or what stands in for it.
    pub(super) fn view_or(&mut self, access: &str, ty: TypeId, stand_in: &Constant) -> RustValue {
        let real = self.real(ty);
        if matches!(real, Type::List(_) | Type::Set(_) | Type::Map(..)) {
            let empty = self.temporary("empty");
            let found = self.temporary("x");
            // Only made when it is needed: an empty map has a seed.
            self.lines.line(format!("let {empty};"));
            self.lines.open(format!("let {found} = match &{access} {{"));
            self.lines.line("Some(x) => x,");
            self.lines.open("None => {");
            self.lines.line(format!("{empty} = Default::default();"));
            self.lines.line(format!("&{empty}"));
            self.lines.close("}");
            self.lines.close("};");
            return self.view(&found, ty, false);
        }
        let view = self.view_code("x", ty, false);
        let name = self.temporary("v");
        let stand_in = match (stand_in, real) {
            (Constant::Text(text), Type::Binary | Type::Uuid) => byte_quoted(text.as_bytes()),
            (Constant::Int(value), Type::Double) => format!("{value}.0"),
            (constant, _) => literal(constant),
        };
        self.lines.open(format!("let {name}{} = match &{access} {{", view.annotation));
        self.lines.line(format!("Some(x) => {},", view.expr));
        self.lines.line(format!("None => {stand_in},"));
        self.lines.close("};");
        RustValue { code: name, real }
    }

    fn union(&mut self) {
        let fields = &self.plan.fields;
        if fields.is_empty() {
            return;
        }
        self.lines.open("match self {");
        for field in fields {
            let variant = names::variant(&field.field.name.text, self.context.options.types);
            let found = self.temporary("x");
            self.lines.open(format!("Self::{variant}({found}) => {{"));
            let step = format!("field({})", quoted(&field.field.name.text));
            self.field = Some(&field.field.name.text);
            let at = path("at", &step, is_secret(&field.checks));
            let value = self.view(&found, field.field.ty, false);
            self.own = Some(value.clone());
            self.run(&field.checks, &value, &at);
            self.lines.close("}");
        }
        self.lines.line("_ => {}");
        self.lines.close("}");
    }

    /// Binds the path so far, of which there will be steps.
    fn bind(&mut self, at: &str) -> String {
        if self.quick {
            return at.to_owned();
        }
        let bound = self.temporary("at");
        self.lines.line(format!("let {bound} = {at};"));
        bound
    }

    fn field_checks(&mut self, field: &FieldPlan<'a>) {
        let id = self.plan.id;
        let name = self.field_name(id, field.position);
        let option = self.is_option(id, field.position);
        let at_field = format!("field({})", quoted(&field.field.name.text));
        self.field = Some(&field.field.name.text);
        if field.requires()
            && let Some(requirement) = &field.property.requirement
        {
            match option {
                true => {
                    let message = requirement.message.as_deref().unwrap_or("must be there");
                    self.lines.open(format!("if self.{name}.is_none() {{"));
                    let at = path("at", &at_field, false);
                    let arguments = vec![
                        format!("&{at}"),
                        quoted(&requirement.spelling),
                        self.key(&requirement.spelling),
                        "String::new()".to_owned(),
                        quoted(&field.field.name.text),
                        quoted(message),
                    ];
                    self.call_lines("found.add", &arguments);
                    self.lines.close("}");
                }
                false if !matches!(self.real(field.field.ty), Type::Struct(_)) => self.unseen(field),
                false => {}
            }
        }
        if field.checks.is_empty() {
            return;
        }
        let secret = is_secret(&field.checks);
        let access = format!("self.{name}");
        let stand_in = if option { self.stand_in(id, field.position) } else { None };
        let guarded = option && stand_in.is_none();
        let found = self.temporary("x");
        match guarded {
            true => self.lines.open(format!("if let Some({found}) = &{access} {{")),
            false => self.lines.open("{"),
        }
        let at = path("at", &at_field, secret);
        let value = match &stand_in {
            Some(stand_in) => self.view_or(&access, field.field.ty, stand_in),
            None if guarded => self.view(&found, field.field.ty, false),
            None => self.view(&format!("&{access}"), field.field.ty, false),
        };
        self.own = Some(value.clone());
        self.run(&field.checks, &value, &at);
        self.lines.close("}");
    }

    fn unseen(&mut self, field: &FieldPlan<'_>) {
        let message = format!("Rust code cannot see whether the argument `{}` is set", field.field.name.text);
        let diagnostic = Code::UnseenField.at(field.field.name.span, message);
        self.report_once(diagnostic.help("validate it on the wire"));
    }

    // INVARIANT: checks nest no deeper than types do.
    fn run(&mut self, checks: &[ValueCheck<'a>], value: &RustValue, at: &str) {
        for check in checks {
            for rule in &check.rules {
                self.rule(rule, Some(value), at);
            }
            match &check.inner {
                ElementChecks::Nothing => {}
                ElementChecks::Items(element, checks) => {
                    let at = self.bind(at);
                    let (index, item) = (self.temporary("i"), self.temporary("x"));
                    let set = matches!(value.real, Type::Set(_));
                    let (names, counted) = match self.quick {
                        true => (item.clone(), ""),
                        false => (format!("({index}, {item})"), ".enumerate()"),
                    };
                    self.lines.open(format!("for {names} in {}.iter(){counted} {{", value.code));
                    let at = path(&at, &format!("index({index})"), is_secret(checks));
                    let element = self.view(&item, *element, set);
                    self.run(checks, &element, &at);
                    self.lines.close("}");
                }
                ElementChecks::Entries { key, keys, value: of, values } => {
                    let at = self.bind(at);
                    if !keys.is_empty() {
                        let item = self.temporary("k");
                        self.lines.open(format!("for {item} in {}.keys() {{", value.code));
                        let part = self.view(&item, *key, true);
                        let at = path(&at, &format!("key({})", key_code(&part)), is_secret(keys));
                        self.run(keys, &part, &at);
                        self.lines.close("}");
                    }
                    if !values.is_empty() {
                        let (name, item) = (self.temporary("k"), self.temporary("x"));
                        let at = match self.quick {
                            true => {
                                self.lines.open(format!("for {item} in {}.values() {{", value.code));
                                at
                            }
                            false => {
                                self.lines.open(format!("for ({name}, {item}) in {}.iter() {{", value.code));
                                let key = self.view(&name, *key, true);
                                path(&at, &format!("entry({})", key_code(&key)), is_secret(values))
                            }
                        };
                        let part = self.view(&item, *of, false);
                        self.run(values, &part, &at);
                        self.lines.close("}");
                    }
                }
                ElementChecks::Struct(_) if self.quick => {
                    self.lines.open(format!("if !{}.is_valid() {{", value.code));
                    self.lines.line("return false;");
                    self.lines.close("}");
                }
                ElementChecks::Struct(_) => self.lines.line(format!("{}.check(&{at}, found)?;", value.code)),
            }
        }
    }
}

/// The path to a part of a value. Written where it is needed: making it costs more than most rules.
fn path(from: &str, step: &str, secret: bool) -> String {
    let secret = if secret { ".secret()" } else { "" };
    format!("{from}.{step}{secret}")
}

/// Whether a value must not be printed.
fn is_secret(checks: &[ValueCheck<'_>]) -> bool {
    checks.iter().any(|check| check.secret)
}

/// The key of an entry, for a path.
fn key_code(key: &RustValue) -> String {
    match key.real {
        Type::I64 => format!("Key::Int({})", key.code),
        Type::I8 | Type::I16 | Type::I32 | Type::Enum(_) => format!("Key::Int({}.into())", key.code),
        Type::Bool => format!("Key::Bool({})", key.code),
        Type::Double => format!("Key::Double({})", key.code),
        Type::String => format!("Key::Text({})", key.code),
        Type::Binary | Type::Uuid => format!("Key::Bytes({})", key.code),
        _ => "Key::Other".to_owned(),
    }
}
