//! Operands as expressions; `null` is one that leads nowhere.

use contract::Constant;
use thrift::Code;
use thrift::model::{Type, TypeId};

use super::{Body, BracesValue, ConstantKind, Syntax};
use crate::operand::{CalledFunction, Expr, ExprKind, Start, TextPiece, TypedReference, WayStep};

impl<S: Syntax> Body<'_, '_, S> {
    /// Writes what an operand needs, and returns it.
    // INVARIANT: the reader of annotations limits how deep calls nest.
    pub(super) fn operand(&mut self, expr: &Expr, current: Option<&BracesValue>) -> String {
        match &expr.kind {
            ExprKind::Constant(constant) => self.constant(constant),
            ExprKind::Reference(way) => self.reference(way, current),
            ExprKind::Call(function, arguments) => {
                let arguments: Vec<String> =
                    arguments.iter().map(|argument| self.operand(argument, current)).collect();
                format!("{}({})", self.syntax.arithmetic(name(*function), expr.sort), arguments.join(", "))
            }
            ExprKind::Format(pieces) => {
                let mut codes = Vec::new();
                for piece in pieces {
                    codes.push(match piece {
                        TextPiece::Text(text) => self.syntax.text(text),
                        TextPiece::Value(verb, expr) => {
                            let value = self.operand(expr, current);
                            format!("{}(\"{verb}\", {value})", self.syntax.helper("verb"))
                        }
                    });
                }
                format!("{}({})", self.syntax.helper("join"), codes.join(", "))
            }
            ExprKind::User(name, arguments) => {
                let mut names = Vec::new();
                for argument in arguments {
                    let code = self.operand(argument, current);
                    let bound = self.temporary("a");
                    let line = self.syntax.declare_operand(&bound, argument.sort, &code);
                    self.lines.line(line);
                    names.push(bound);
                }
                let symbol = self.user_symbol(name);
                let given: Vec<String> = arguments
                    .iter()
                    .zip(&names)
                    .map(|(argument, name)| self.syntax.argument(argument.sort, name))
                    .collect();
                let call = self.syntax.result(expr.sort, &format!("{symbol}({})", given.join(", ")));
                let missing: Vec<String> = names.iter().map(|name| format!("{name} == null")).collect();
                match missing.is_empty() {
                    true => call,
                    false => format!("({} ? null : {call})", missing.join(" || ")),
                }
            }
        }
    }

    fn constant(&mut self, constant: &Constant) -> String {
        match constant {
            Constant::Bytes(bytes) => {
                let digits: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
                let value = format!("{}(\"{digits}\")", self.syntax.helper("bytes"));
                self.syntax.constant(ConstantKind::Bytes, value)
            }
            constant => self.syntax.literal(constant),
        }
    }

    fn user_symbol(&mut self, function: &str) -> String {
        if let Some(symbol) = self.syntax.symbol(function) {
            return symbol;
        }
        let message = format!("there is no {} function for `@{function}`", self.syntax.language());
        let span = self.plan.it.name.span;
        self.find(Code::RuleFunction.at(span, message).help("name one with `--function`"));
        function.to_owned()
    }

    fn reference(&mut self, way: &TypedReference, current: Option<&BracesValue>) -> String {
        let model = self.input.model;
        let (mut code, mut ty) = match way.start {
            Start::Field(position) => {
                let Some(field) = self.plan.it.fields.get(position) else { return "null".to_owned() };
                let it = self.it.clone();
                (self.syntax.member(self.plan.id, position, &it), field.ty)
            }
            Start::Own => match (&self.own, self.own_type) {
                (Some(own), Some(ty)) => (own.clone(), ty),
                _ => return "null".to_owned(),
            },
            Start::Current => match current {
                Some(value) => (value.name.clone(), value.ty),
                None => return "null".to_owned(),
            },
        };
        for step in &way.steps {
            let next: TypeId;
            (code, next) = match (step, model.real(ty)) {
                (WayStep::Item { index }, Type::List(element) | Type::Set(element)) => {
                    (self.syntax.item(element, *index, &code), element)
                }
                (WayStep::Entry { key }, Type::Map(key_type, value)) => {
                    (self.syntax.lookup(key_type, value, key, &code), value)
                }
                (WayStep::Member { owner, position }, _) => {
                    let Some(field) = model[*owner].fields.get(*position) else { return "null".to_owned() };
                    (self.syntax.member(*owner, *position, &code), field.ty)
                }
                // INVARIANT: a way has the steps that its types have.
                _ => return "null".to_owned(),
            };
            ty = next;
        }
        code
    }
}

fn name(function: CalledFunction) -> &'static str {
    match function {
        CalledFunction::Len => "length",
        CalledFunction::RuneLen => "characters",
        CalledFunction::NowUnixNano => "nowNano",
        CalledFunction::NowUnix => "now",
        CalledFunction::Equal => "same",
        CalledFunction::NotEqual => "differ",
        CalledFunction::Lt => "lt",
        CalledFunction::Le => "le",
        CalledFunction::Gt => "gt",
        CalledFunction::Ge => "ge",
        CalledFunction::And => "and",
        CalledFunction::Or => "or",
        CalledFunction::Not => "not",
        CalledFunction::Add => "add",
        CalledFunction::Sub => "sub",
        CalledFunction::Mul => "mul",
        CalledFunction::Div => "div",
        CalledFunction::Mod => "mod",
        CalledFunction::Has => "has",
    }
}
