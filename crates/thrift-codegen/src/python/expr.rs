//! Operands as Python expressions; `None` is a reference that leads nowhere.

use contract::Constant;

use super::body::Body;
use super::support::call as call_lines;
use super::{byte_quoted, quoted};
use crate::operand::{CalledFunction, Expr, ExprKind, Sort, Start, TextPiece, TypedReference, WayStep};

/// An operand as Python.
#[derive(Clone, Debug)]
pub(super) struct Operand {
    pub(super) code: String,
    pub(super) sort: Sort,
    pub(super) constant: bool,
}

impl Body<'_, '_> {
    /// Writes what an operand needs, and returns it; `current` is the variable of the value under test.
    // INVARIANT: the reader of annotations limits how deep calls nest.
    pub(super) fn operand(&mut self, expr: &Expr, current: Option<&str>) -> Operand {
        let code = match &expr.kind {
            ExprKind::Constant(constant) => literal(constant),
            ExprKind::Reference(way) => self.reference(way, current),
            ExprKind::Call(function, arguments) => {
                let codes: Vec<String> =
                    arguments.iter().map(|argument| self.operand(argument, current).code).collect();
                self.call(*function, codes)
            }
            ExprKind::Format(pieces) => {
                let mut codes = vec!["_join".to_owned()];
                for piece in pieces {
                    codes.push(match piece {
                        TextPiece::Text(text) => quoted(text),
                        TextPiece::Value(verb, expr) => {
                            let value = self.operand(expr, current).code;
                            self.bind(vec!["_verb".to_owned(), format!("\"{verb}\""), value])
                        }
                    });
                }
                self.bind(codes)
            }
            ExprKind::User(name, arguments) => {
                let mut codes = vec![self.symbol(name)];
                for argument in arguments {
                    codes.push(self.operand(argument, current).code);
                }
                self.bind(codes)
            }
        };
        Operand { code, sort: expr.sort, constant: matches!(expr.kind, ExprKind::Constant(_)) }
    }

    /// Binds the result of a function, which is nothing if an argument is.
    fn bind(&mut self, function_and_arguments: Vec<String>) -> String {
        let name = self.temporary("o");
        call_lines(&mut self.lines, &format!("{name} = _call"), &function_and_arguments);
        name
    }

    fn reference(&mut self, way: &TypedReference, current: Option<&str>) -> String {
        let mut code = match way.start {
            Start::Field(position) => self.field(position),
            Start::Own => self.own.clone(),
            Start::Current => current.unwrap_or("None").to_owned(),
        };
        for step in &way.steps {
            code = match step {
                WayStep::Item { index } => format!("_item({code}, {index})"),
                WayStep::Entry { key } => format!("_entry({code}, {})", literal(key)),
                WayStep::Member { owner, position } => {
                    let field = self.context.input.model[*owner].fields.get(*position);
                    let name = field.map_or("", |field| field.name.text.as_str());
                    match self.stand_in_of(*owner, *position) {
                        Some(absent) => format!("_get({code}, \"{name}\", {absent})"),
                        None => format!("_get({code}, \"{name}\")"),
                    }
                }
            };
        }
        code
    }

    /// A field of the object, or what stands in for it.
    pub(super) fn field(&self, position: usize) -> String {
        let Some(field) = self.plan.it.fields.get(position) else { return "None".to_owned() };
        let access = access(&field.name.text);
        match self.stand_in(position) {
            Some(stand_in) => format!("_or({access}, {stand_in})"),
            None => access,
        }
    }

    fn call(&mut self, function: CalledFunction, arguments: Vec<String>) -> String {
        let plain = |body: &mut Self, code: String| {
            let name = body.temporary("o");
            body.lines.line(format!("{name} = {code}"));
            name
        };
        let name = match function {
            CalledFunction::NowUnixNano => {
                self.parts.uses_time = true;
                return plain(self, "time.time_ns()".to_owned());
            }
            CalledFunction::NowUnix => {
                self.parts.uses_time = true;
                return plain(self, "time.time_ns() // 1000000000".to_owned());
            }
            CalledFunction::Has => return plain(self, format!("{} is not None", arguments.join(", "))),
            CalledFunction::Len => "_size",
            CalledFunction::RuneLen => "_runes",
            CalledFunction::Equal => "_same",
            CalledFunction::NotEqual => "_differs",
            CalledFunction::Lt => "operator.lt",
            CalledFunction::Le => "operator.le",
            CalledFunction::Gt => "operator.gt",
            CalledFunction::Ge => "operator.ge",
            CalledFunction::And => "_all",
            CalledFunction::Or => "_any",
            CalledFunction::Not => "operator.not_",
            CalledFunction::Add => "_add",
            CalledFunction::Sub => "_sub",
            CalledFunction::Mul => "_mul",
            CalledFunction::Div => "_div",
            CalledFunction::Mod => "_mod",
        };
        self.parts.uses_operator |= name.starts_with("operator.");
        let mut all = vec![name.to_owned()];
        all.extend(arguments);
        self.bind(all)
    }
}

const KEYWORDS: &[&str] = &[
    "False", "None", "True", "and", "as", "assert", "async", "await", "break", "class", "continue", "def",
    "del", "elif", "else", "except", "finally", "for", "from", "global", "if", "import", "in", "is",
    "lambda", "nonlocal", "not", "or", "pass", "raise", "return", "try", "while", "with", "yield",
];

/// A field of `obj`.
pub(super) fn access(name: &str) -> String {
    match KEYWORDS.contains(&name) {
        true => format!("getattr(obj, \"{name}\", None)"),
        false => format!("obj.{name}"),
    }
}

/// A constant as Python.
pub(super) fn literal(constant: &Constant) -> String {
    match constant {
        Constant::Bool(true) => "True".to_owned(),
        Constant::Bool(false) => "False".to_owned(),
        Constant::Int(value) => value.to_string(),
        Constant::Float(value) if value.is_infinite() => {
            format!("float(\"{}inf\")", if *value > 0.0 { "" } else { "-" })
        }
        Constant::Float(value) => format!("{value:?}"),
        Constant::Text(text) => quoted(text),
        Constant::Bytes(bytes) => byte_quoted(bytes),
        Constant::List(items) => {
            let items: Vec<String> = items.iter().map(literal).collect();
            format!("[{}]", items.join(", "))
        }
        Constant::Object(members) => {
            let members: Vec<String> =
                members.iter().map(|(key, value)| format!("{}: {}", literal(key), literal(value))).collect();
            format!("{{{}}}", members.join(", "))
        }
        Constant::Null | Constant::UInt(_) | Constant::Decimal(_) => "None".to_owned(),
    }
}
