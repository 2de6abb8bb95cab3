//! The checks of one struct as statements, for languages with braces and `null`: Java and TypeScript.
//!
//! What the statements do is the same everywhere and written here; how a language declares a variable, reaches a field or
//! walks over a container is said by its [`Syntax`]. Operands are expressions of which `null` means that they lead nowhere.
//! A broken rule is added to a list of findings, which says whether that was enough.

mod expr;
mod rule;
mod taken;

use contract::{Constant, Form};
use thrift::model::{StructId, StructRole, Type, TypeId};
use thrift::{Code, Diagnostic};

use crate::Input;
use crate::lines::Lines;
use crate::operand::Sort;
use crate::plan::{ElementChecks, FieldPlan, StructPlan, ValueCheck};
use crate::words::{MASK, key};

pub(crate) use taken::Taken;

/// Writes a function that users call: it begins a list of findings, checks into it and says what came of it.
pub(crate) fn entry_point(out: &mut Lines, says: &str, head: &str, body: [&str; 3]) {
    out.line("");
    out.line(format!("/** {says} */"));
    out.open(format!("{head} {{"));
    body.iter().for_each(|line| out.line(line));
    out.close("}");
}

/// How a language writes what the statements are made of.
pub(crate) trait Syntax {
    /// The name of the language.
    fn language(&self) -> &'static str;

    /// A helper function that every program has.
    fn helper(&self, name: &str) -> String;

    /// A helper that computes with numbers of a sort.
    fn arithmetic(&self, name: &str, _sort: Sort) -> String {
        self.helper(name)
    }

    /// A value of a sort for a message.
    fn shown(&self, _sort: Sort, code: &str) -> String {
        format!("{}({code})", self.helper("shown"))
    }

    /// The key of an entry in a path.
    fn key(&self, _ty: TypeId, code: &str) -> String {
        format!("{}({code})", self.helper("key"))
    }

    fn text(&self, text: &str) -> String;

    /// A scalar as an operand.
    fn literal(&mut self, constant: &Constant) -> String;

    /// A constant that is made once, for the initial value of a kind of constants.
    fn constant(&mut self, kind: ConstantKind, value: String) -> String;

    /// Declares a variable for a value of a type, with the value.
    fn declare(&self, name: &str, ty: TypeId, code: &str) -> String;

    /// Declares a variable for an operand, which may be `null`, with its first value.
    fn declare_operand(&self, name: &str, sort: Sort, code: &str) -> String;

    /// Declares a variable for a truth value that changes.
    fn declare_flag(&self, name: &str) -> String;

    /// Declares a variable for a position that changes.
    fn declare_index(&self, name: &str) -> String;

    /// Declares a variable for the state of the list of findings.
    fn declare_mark(&self, name: &str, code: &str) -> String;

    /// The head of a loop over the elements of a list or set.
    fn each(&self, element: TypeId, item: &str, list: &str) -> String;

    /// The head of a loop over the entries of a map.
    fn each_entry(&self, key: TypeId, value: TypeId, entry: &str, map: &str) -> String;

    /// The key and the value of an entry.
    fn entry(&self, entry: &str) -> (String, String);

    /// A value as rules look at it, from what a field or an element is; it is not `null`.
    fn view(&self, ty: TypeId, raw: &str) -> String;

    /// The value of a field of a struct that is there, as it is.
    fn field(&self, owner: StructId, position: usize, of: &str) -> String;

    /// The condition that a field of a struct has a value; `None` if it always has.
    fn presence(&self, owner: StructId, position: usize, of: &str) -> Option<String>;

    /// The condition that a field was not set, for rules that ask for that; `None` if nobody can tell.
    fn missing(&self, owner: StructId, position: usize, of: &str) -> Option<String>;

    /// What stands in for a field that has no value; `None` if nothing does.
    fn stand_in(&mut self, owner: StructId, position: usize) -> Option<String>;

    /// A field of a struct that may be `null`, as an operand.
    fn member(&mut self, owner: StructId, position: usize, of: &str) -> String;

    /// An element of a list or set that may be `null`, as an operand.
    fn item(&self, element: TypeId, index: usize, of: &str) -> String;

    /// The value behind a key of a map that may be `null`, as an operand.
    fn lookup(&mut self, key_type: TypeId, value: TypeId, key: &Constant, of: &str) -> String;

    /// A call that checks a struct.
    fn check(&mut self, id: StructId, value: &str, found: &str) -> String;

    /// What begins the block that deals with an operand that cannot be evaluated.
    fn catch(&self, why: &str) -> String;

    /// The text of what was caught.
    fn reason(&self, why: &str) -> String;

    /// The symbol of a function that the user adds.
    fn symbol(&mut self, function: &str) -> Option<String>;

    /// An operand of a sort, which is not `null`, as functions that the user adds expect it.
    fn argument(&self, sort: Sort, name: &str) -> String;

    /// The result of a function that the user adds, as an operand of a sort.
    fn result(&self, sort: Sort, code: &str) -> String;
}

/// Constants that are made once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ConstantKind {
    Bytes,
    /// The program of a pattern.
    Pattern,
    /// Scalars of which a value may be one.
    Set,
}

/// A value in a variable, and the path that leads there from the struct.
#[derive(Clone, Debug)]
pub(crate) struct BracesValue {
    name: String,
    ty: TypeId,
    path: Path,
    secret: bool,
}

/// A path as an expression: texts and pieces that are only known when the code runs.
#[derive(Clone, Debug, Default)]
struct Path {
    parts: Vec<Part>,
}

#[derive(Clone, Debug)]
enum Part {
    Text(String),
    Code(String),
}

impl Path {
    fn text(&self, more: &str) -> Path {
        let mut path = self.clone();
        match path.parts.last_mut() {
            Some(Part::Text(text)) => text.push_str(more),
            _ => path.parts.push(Part::Text(more.to_owned())),
        }
        path
    }

    fn code(&self, code: String) -> Path {
        let mut path = self.clone();
        path.parts.push(Part::Code(code));
        path
    }

    fn written(&self, syntax: &impl Syntax) -> String {
        let part = |part: &Part| match part {
            Part::Text(text) => syntax.text(text),
            Part::Code(code) => code.clone(),
        };
        match self.parts.as_slice() {
            [] => syntax.text(""),
            parts => parts.iter().map(part).collect::<Vec<_>>().join(" + "),
        }
    }
}

/// Writes the checks of a struct.
pub(crate) struct Body<'a, 'p, S> {
    pub(crate) input: Input<'a>,
    pub(crate) plan: &'p StructPlan<'a>,
    pub(crate) syntax: &'p mut S,
    taken: &'p Taken,
    diagnostics: &'p mut Vec<Diagnostic>,
    lines: Lines,
    /// The variable of the struct, and of the list of findings.
    it: String,
    found: String,
    /// The field that the rules at hand were written on, as a variable.
    own: Option<String>,
    own_type: Option<TypeId>,
    /// The name of that field in the IDL.
    field: Option<&'a str>,
    temporaries: usize,
}

/// The statements for one field, or for the struct as a whole.
pub(crate) type Block = String;

impl<'a, 'p, S: Syntax> Body<'a, 'p, S> {
    pub(crate) fn new(
        input: Input<'a>,
        plan: &'p StructPlan<'a>,
        syntax: &'p mut S,
        taken: &'p Taken,
        diagnostics: &'p mut Vec<Diagnostic>,
    ) -> Body<'a, 'p, S> {
        let (it, found) = (taken.free("it"), taken.free("found"));
        Body {
            input,
            plan,
            syntax,
            taken,
            diagnostics,
            lines: Lines::new("  "),
            it,
            found,
            own: None,
            own_type: None,
            field: None,
            temporaries: 0,
        }
    }

    /// The statements for each field with something to check, and for the struct as a whole, at a depth.
    pub(crate) fn blocks(&mut self, depth: usize) -> Vec<Block> {
        let plan = self.plan;
        let mut blocks = Vec::new();
        (0..depth).for_each(|_| self.lines.indent());
        for field in &plan.fields {
            self.temporaries = 0;
            self.field_checks(field);
            blocks.push(self.lines.set_aside());
        }
        self.field = None;
        self.own = None;
        self.own_type = None;
        self.temporaries = 0;
        for rule in &plan.asserts {
            self.rule(rule, None);
        }
        blocks.push(self.lines.set_aside());
        blocks.retain(|block| !block.is_empty());
        blocks
    }

    fn temporary(&mut self, prefix: &str) -> String {
        loop {
            self.temporaries += 1;
            let name = format!("{prefix}{}", self.temporaries);
            if self.taken.is_free(&name) {
                break name;
            }
        }
    }

    fn real(&self, ty: TypeId) -> Type {
        self.input.model.real(ty)
    }

    fn key(&self, spelling: &str) -> String {
        self.syntax.text(&key(self.plan.it, self.field, spelling))
    }

    fn find(&mut self, diagnostic: Diagnostic) {
        self.diagnostics.push(diagnostic);
    }

    fn field_checks(&mut self, field: &FieldPlan<'a>) {
        let idl = &field.field.name.text;
        let path = Path::default().text(&format!(".{idl}"));
        let (owner, position) = (self.plan.id, field.position);
        let it = self.it.clone();
        self.field = Some(idl);
        if self.plan.it.role != StructRole::Union {
            if field.required
                && let Some(missing) = self.syntax.missing(owner, position, &it)
            {
                self.absent(&missing, &path, "required", "must be there");
            }
            if field.requires()
                && let Some(requirement) = &field.property.requirement
            {
                let message = requirement.message.as_deref().unwrap_or("must be there");
                match self.syntax.missing(owner, position, &it) {
                    Some(missing) => self.absent(&missing, &path, &requirement.spelling, message),
                    None => self.unseen(field),
                }
            }
        }
        if field.checks.is_empty() {
            return;
        }
        let ty = field.field.ty;
        let name = self.temporary("v");
        let raw = self.syntax.field(owner, position, &it);
        let view = self.syntax.view(ty, &raw);
        let presence = self.syntax.presence(owner, position, &it);
        let stand_in = self.syntax.stand_in(owner, position);
        let (guard, code) = match (presence, stand_in) {
            (Some(presence), Some(stand_in)) => (None, format!("{presence} ? {view} : {stand_in}")),
            (guard, _) => (guard, view),
        };
        if let Some(guard) = &guard {
            self.lines.open(format!("if ({guard}) {{"));
        }
        let line = self.syntax.declare(&name, ty, &code);
        self.lines.line(line);
        self.own = Some(name.clone());
        self.own_type = Some(ty);
        self.run(&field.checks, &BracesValue { name, ty, path, secret: false });
        if guard.is_some() {
            self.lines.close("}");
        }
    }

    fn absent(&mut self, condition: &str, path: &Path, rule: &str, message: &str) {
        self.lines.open(format!("if ({condition}) {{"));
        let field = self.field.unwrap_or_default();
        let arguments = vec![
            path.written(self.syntax),
            self.syntax.text(rule),
            self.key(rule),
            self.syntax.text(""),
            self.syntax.text(field),
            self.syntax.text(message),
        ];
        self.add(arguments);
        self.lines.close("}");
    }

    fn unseen(&mut self, field: &FieldPlan<'_>) {
        let language = self.syntax.language();
        let message = format!("{language} code cannot see whether `{}` is set", field.field.name.text);
        let diagnostic = Code::UnseenField.at(field.field.name.span, message);
        self.find(diagnostic.help("make the field `optional`, or validate on the wire"));
    }

    /// Adds a finding, and ends if that is enough.
    fn add(&mut self, arguments: Vec<String>) {
        let call = format!("if ({}.add(", self.found);
        let joined = arguments.join(", ");
        match self.lines.width() + call.len() + joined.len() < 110 {
            true => self.lines.open(format!("{call}{joined})) {{")),
            false => {
                self.lines.line(call);
                self.lines.indent();
                self.lines.indent();
                let last = arguments.len().saturating_sub(1);
                for (index, argument) in arguments.iter().enumerate() {
                    let end = if index == last { ")) {" } else { "," };
                    self.lines.line(format!("{argument}{end}"));
                }
                self.lines.dedent();
            }
        }
        self.lines.line("return;");
        self.lines.close("}");
    }

    // INVARIANT: checks nest no deeper than types do.
    fn run(&mut self, checks: &[ValueCheck<'a>], value: &BracesValue) {
        for check in checks {
            let value = BracesValue { secret: value.secret || check.secret, ..value.clone() };
            for rule in &check.rules {
                self.rule(rule, Some(&value));
            }
            match &check.inner {
                ElementChecks::Nothing => {}
                ElementChecks::Items(element, checks) => self.items(*element, checks, &value),
                ElementChecks::Entries { key, keys, value: of, values } => {
                    if !keys.is_empty() {
                        self.entries(*key, *of, keys, true, &value);
                    }
                    if !values.is_empty() {
                        self.entries(*key, *of, values, false, &value);
                    }
                }
                ElementChecks::Struct(id) => self.nested(*id, &value),
            }
        }
    }

    fn items(&mut self, element: TypeId, checks: &[ValueCheck<'a>], value: &BracesValue) {
        let (index, item, name) = (self.temporary("i"), self.temporary("x"), self.temporary("v"));
        let line = self.syntax.declare_index(&index);
        self.lines.line(line);
        let head = self.syntax.each(element, &item, &value.name);
        self.lines.open(head);
        self.lines.line(format!("{index}++;"));
        self.part(element, &item, &name, checks, value.path.text("[").code(index).text("]"), value.secret);
        self.lines.close("}");
    }

    /// The checks of an element, which may be `null`.
    fn part(
        &mut self,
        ty: TypeId,
        raw: &str,
        name: &str,
        checks: &[ValueCheck<'a>],
        path: Path,
        secret: bool,
    ) {
        self.lines.open(format!("if ({raw} == null) {{"));
        self.lines.line("continue;");
        self.lines.close("}");
        let view = self.syntax.view(ty, raw);
        let line = self.syntax.declare(name, ty, &view);
        self.lines.line(line);
        self.run(checks, &BracesValue { name: name.to_owned(), ty, path, secret });
    }

    fn entries(
        &mut self,
        key: TypeId,
        of: TypeId,
        checks: &[ValueCheck<'a>],
        keys: bool,
        value: &BracesValue,
    ) {
        let (entry, name) = (self.temporary("e"), self.temporary("v"));
        let head = self.syntax.each_entry(key, of, &entry, &value.name);
        self.lines.open(head);
        let (key_code, value_code) = self.syntax.entry(&entry);
        let path = match value.secret {
            true => value.path.text(&format!("[{MASK}]")),
            false => value.path.code(self.syntax.key(key, &key_code)),
        };
        match keys {
            true => self.part(key, &key_code, &name, checks, path.text("(key)"), value.secret),
            false => self.part(of, &value_code, &name, checks, path, value.secret),
        }
        self.lines.close("}");
    }

    fn nested(&mut self, id: StructId, value: &BracesValue) {
        let mark = self.temporary("m");
        let line = self.syntax.declare_mark(&mark, &format!("{}.mark()", self.found));
        self.lines.line(line);
        let found = self.found.clone();
        let call = self.syntax.check(id, &value.name, &found);
        self.lines.line(format!("{call};"));
        let path = value.path.written(self.syntax);
        self.lines.open(format!(
            "if ({found}.since({mark}) && {found}.within({mark}, {path}, {})) {{",
            value.secret
        ));
        self.lines.line("return;");
        self.lines.close("}");
    }
}

/// What stands for a field that is absent, as a constant.
pub(crate) fn absent_constant(input: Input<'_>, owner: StructId, position: usize) -> Option<Constant> {
    let shape = input.lowered.name(owner).and_then(|name| input.lowered.definitions.get(name))?;
    let Form::Object(object) = &shape.form else { return None };
    object.properties.get(position)?.absent.as_deref().cloned()
}
