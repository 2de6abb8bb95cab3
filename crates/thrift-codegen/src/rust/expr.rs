//! Operands as Rust expressions.
//!
//! What an operand needs stands before it as statements inside a labelled block; where it has no value, the
//! block is left.

use contract::Constant;
use thrift::model::{Type, TypeId};

use super::body::{Body, LEAVE, RustValue};
use super::support::Helper;
use super::{byte_quoted, quoted};
use crate::operand::{CalledFunction, Expr, ExprKind, Sort, Start, TextPiece, TypedReference, WayStep};
use crate::plan::Order;

/// An operand as Rust: an `i64`, a `f64`, a `bool`, a `&str`, a `&[u8]`, or a reference to a container.
#[derive(Clone, Debug)]
pub(super) struct Operand {
    pub(super) code: String,
    pub(super) sort: Sort,
    pub(super) constant: Option<Constant>,
}

impl Operand {
    /// Text or bytes as bytes.
    pub(super) fn bytes(&self) -> String {
        match (&self.constant, self.sort) {
            (Some(Constant::Text(text)), _) => byte_quoted(text.as_bytes()),
            (Some(Constant::Bytes(bytes)), _) => byte_quoted(bytes),
            (_, Sort::Text) => format!("{}.as_bytes()", self.code),
            _ => self.code.clone(),
        }
    }
}

impl Body<'_, '_> {
    /// Writes what an operand needs, and returns it.
    // INVARIANT: the reader of annotations limits how deep calls nest.
    pub(super) fn operand(&mut self, expr: &Expr, current: Option<&RustValue>) -> Operand {
        let mut constant = None;
        let code = match &expr.kind {
            ExprKind::Constant(value) => {
                constant = Some(value.clone());
                literal(value)
            }
            ExprKind::Reference(way) => return self.reference(way, expr.sort, current),
            ExprKind::Call(function, arguments) => {
                let code = self.call(*function, arguments, expr.sort, current);
                // Bytes that are put together with others are bytes.
                let bytes =
                    *function == CalledFunction::Add && expr.sort == Sort::Text && any_bytes(arguments);
                let sort = if bytes { Sort::Bytes } else { expr.sort };
                return Operand { code, sort, constant: None };
            }
            ExprKind::Format(pieces) => self.format(pieces, current),
            ExprKind::User(name, arguments) => {
                let arguments: Vec<String> =
                    arguments.iter().map(|argument| self.operand(argument, current).code).collect();
                let symbol = self.symbol(name);
                let temporary = self.temporary("t");
                self.lines.line(format!("let {temporary} = {symbol}({});", arguments.join(", ")));
                match expr.sort {
                    Sort::Text => format!("&{temporary}[..]"),
                    Sort::Bytes => format!("&{temporary}[..]"),
                    _ => temporary,
                }
            }
        };
        Operand { code, sort: expr.sort, constant }
    }

    fn reference(&mut self, way: &TypedReference, sort: Sort, current: Option<&RustValue>) -> Operand {
        let plain = |code: String| Operand { code, sort, constant: None };
        let value = match way.start {
            Start::Field(position) => self.field_of("self", self.plan.id, position),
            Start::Own => self.own.clone(),
            Start::Current => current.cloned(),
        };
        let Some(mut value) = value else { return plain(String::new()) };
        for step in &way.steps {
            value = match step {
                WayStep::Item { index } => {
                    let set = matches!(value.real, Type::Set(_));
                    let get = if set { format!("iter().nth({index})") } else { format!("get({index})") };
                    let found = self.take(&format!("{}.{get}", value.code));
                    match value.real {
                        Type::List(element) | Type::Set(element) => self.view(&found, element, set),
                        _ => value,
                    }
                }
                WayStep::Entry { key } => {
                    let Type::Map(key_type, of) = value.real else { return plain(String::new()) };
                    let seen = self.view_code("k", key_type, true);
                    let wanted = match key {
                        Constant::Text(text) if self.context.input.model.real(key_type) == Type::Binary => {
                            byte_quoted(text.as_bytes())
                        }
                        other => literal(other),
                    };
                    let entry = self.temporary("x");
                    self.lines.line(format!("let mut entries = {}.iter();", value.code));
                    self.lines.open(format!("let Some((_, {entry})) = entries.find(|&(k, _)| {{"));
                    self.lines.line(seen.typed("seen"));
                    self.lines.line(format!("seen == {wanted}"));
                    self.lines.close("}) else {");
                    self.lines.indent();
                    self.leave();
                    self.lines.close("};");
                    self.view(&entry, of, false)
                }
                WayStep::Member { owner, position } => {
                    match self.field_of(&value.code.clone(), *owner, *position) {
                        Some(value) => value,
                        None => return plain(String::new()),
                    }
                }
            };
        }
        plain(widened(&value))
    }

    /// The field of a struct; without one the block is left, unless something stands in for it.
    fn field_of(&mut self, of: &str, owner: thrift::model::StructId, position: usize) -> Option<RustValue> {
        let field = self.context.input.model[owner].fields.get(position)?;
        let access = format!("{of}.{}", self.field_name(owner, position));
        Some(match (self.is_option(owner, position), self.stand_in(owner, position)) {
            (false, _) => self.view(&format!("&{access}"), field.ty, false),
            (true, Some(stand_in)) => self.view_or(&access, field.ty, &stand_in),
            (true, None) => {
                let found = self.take(&format!("&{access}"));
                self.view(&found, field.ty, false)
            }
        })
    }

    /// Binds what an option holds, or leaves the block.
    fn take(&mut self, option: &str) -> String {
        let found = self.temporary("x");
        self.lines.open(format!("let Some({found}) = {option} else {{"));
        self.leave();
        self.lines.close("};");
        found
    }

    fn call(
        &mut self,
        function: CalledFunction,
        arguments: &[Expr],
        sort: Sort,
        current: Option<&RustValue>,
    ) -> String {
        if function == CalledFunction::Has {
            return self.has(arguments, current);
        }
        let operands: Vec<Operand> =
            arguments.iter().map(|argument| self.operand(argument, current)).collect();
        let code = match (function, operands.as_slice()) {
            (CalledFunction::Len, [of]) => format!("{}.len() as i64", of.code),
            (CalledFunction::RuneLen, [of]) => match of.sort {
                Sort::Bytes => {
                    self.helpers.insert(Helper::Runes);
                    format!("runes({}) as i64", of.code)
                }
                _ => format!("{}.chars().count() as i64", of.code),
            },
            (CalledFunction::NowUnixNano, _) => {
                self.uses_now = true;
                return "now".to_owned();
            }
            (CalledFunction::NowUnix, _) => {
                self.uses_now = true;
                "now.div_euclid(1_000_000_000)".to_owned()
            }
            (CalledFunction::Equal, [left, right]) => self.equality(left, right, true),
            (CalledFunction::NotEqual, [left, right]) => self.equality(left, right, false),
            (CalledFunction::Lt, [left, right]) => self.ordered(Order::Lt, left, right),
            (CalledFunction::Le, [left, right]) => self.ordered(Order::Le, left, right),
            (CalledFunction::Gt, [left, right]) => self.ordered(Order::Gt, left, right),
            (CalledFunction::Ge, [left, right]) => self.ordered(Order::Ge, left, right),
            (CalledFunction::And, operands) => joined(operands, "&&"),
            (CalledFunction::Or, operands) => joined(operands, "||"),
            (CalledFunction::Not, [of]) => format!("!{}", of.code),
            (CalledFunction::Add, [left, right]) if sort == Sort::Text => {
                let temporary = self.temporary("t");
                self.lines.line(format!("let {temporary} = [{}, {}].concat();", left.bytes(), right.bytes()));
                if left.sort == Sort::Bytes || right.sort == Sort::Bytes {
                    return format!("&{temporary}[..]");
                }
                self.helpers.insert(Helper::Lossy);
                let text = self.temporary("t");
                self.lines.line(format!("let {text} = lossy(&{temporary});"));
                return format!("&{text}[..]");
            }
            (_, [left, right]) if sort == Sort::Double => {
                let [left, right] = [left, right].map(|side| match side.sort {
                    Sort::Int => format!("({} as f64)", side.code),
                    _ => side.code.clone(),
                });
                let sign = match function {
                    CalledFunction::Add => "+",
                    CalledFunction::Sub => "-",
                    CalledFunction::Mul => "*",
                    CalledFunction::Div => "/",
                    _ => "%",
                };
                format!("{left} {sign} {right}")
            }
            (_, [left, right]) => {
                self.helpers.insert(Helper::Arithmetic);
                let (name, method) = match function {
                    CalledFunction::Add => ("add", "checked_add"),
                    CalledFunction::Sub => ("sub", "checked_sub"),
                    CalledFunction::Mul => ("mul", "checked_mul"),
                    CalledFunction::Div => ("div", "checked_div"),
                    // The rest always fits: that of the least integer and -1 is zero.
                    _ => ("mod", "wrapping_rem"),
                };
                let [a, b, result] = ["a", "b", "t"].map(|prefix| self.temporary(prefix));
                self.lines.line(format!("let {a}: i64 = {};", left.code));
                self.lines.line(format!("let {b}: i64 = {};", right.code));
                match method {
                    "wrapping_rem" => {
                        self.lines.line(format!("let sum = ({b} != 0).then(|| {a}.wrapping_rem({b}));"));
                    }
                    _ => self.lines.line(format!("let sum = {a}.{method}({b});")),
                }
                self.lines.open(format!("let {result} = match checked(\"{name}\", {a}, {b}, sum) {{"));
                self.lines.line("Ok(result) => result,");
                self.lines.open("Err(why) => {");
                self.failed("&why");
                self.lines.line(LEAVE);
                self.lines.close("}");
                self.lines.close("};");
                return result;
            }
            _ => "false".to_owned(),
        };
        let temporary = self.temporary("t");
        self.lines.line(format!("let {temporary} = {code};"));
        temporary
    }

    /// Whether a reference leads somewhere.
    fn has(&mut self, arguments: &[Expr], current: Option<&RustValue>) -> String {
        let temporary = self.temporary("t");
        let label = self.temporary("'has");
        self.lines.open(format!("let {temporary} = {label}: {{"));
        let outer = std::mem::replace(&mut self.exit, format!("break {label} false;"));
        if let Some(argument) = arguments.first() {
            self.operand(argument, current);
        }
        self.exit = outer;
        self.lines.line("true");
        self.lines.close("};");
        temporary
    }

    fn format(&mut self, pieces: &[TextPiece], current: Option<&RustValue>) -> String {
        let out = self.temporary("t");
        let mut parts = Vec::new();
        for piece in pieces {
            parts.push(match piece {
                TextPiece::Text(text) => quoted(text),
                TextPiece::Value(verb, expr) => {
                    let operand = self.operand(expr, current);
                    self.verb(*verb, &operand)
                }
            });
        }
        self.lines.line(format!("let mut {out} = String::new();"));
        for part in parts {
            self.lines.line(format!("{out}.push_str({part});"));
        }
        format!("&{out}[..]")
    }

    fn verb(&mut self, verb: char, operand: &Operand) -> String {
        match (verb, operand.sort) {
            ('q', Sort::Bytes) => {
                self.helpers.insert(Helper::Lossy);
                format!("&format!(\"{{:?}}\", lossy({}))", operand.bytes())
            }
            ('q', _) => format!("&format!(\"{{:?}}\", {})", operand.code),
            ('x', Sort::Text | Sort::Bytes) => {
                self.helpers.insert(Helper::Hex);
                format!("&hex({})", operand.bytes())
            }
            ('x', _) => {
                self.helpers.insert(Helper::Hex);
                format!("&hex_int({})", operand.code)
            }
            (_, Sort::Bytes) => {
                self.helpers.insert(Helper::Lossy);
                format!("&lossy({})", operand.bytes())
            }
            (_, Sort::Text) => operand.code.clone(),
            ('f', _) => format!("&format!(\"{{:.6}}\", {})", operand.code),
            _ => format!("&{}.to_string()", operand.code),
        }
    }

    /// The condition that two operands are equal, or differ.
    pub(super) fn equality(&mut self, left: &Operand, right: &Operand, equal: bool) -> String {
        let sign = if equal { "==" } else { "!=" };
        match (left.sort, right.sort) {
            (Sort::Bool, _) => match &right.constant {
                Some(Constant::Bool(truth)) if *truth == equal => left.code.clone(),
                Some(Constant::Bool(_)) => format!("!{}", left.code),
                _ => format!("{} {sign} {}", left.code, right.code),
            },
            (Sort::Text, Sort::Text) => format!("{} {sign} {}", left.code, right.code),
            (Sort::Text | Sort::Bytes, _) => format!("{} {sign} {}", left.bytes(), right.bytes()),
            (Sort::Int, Sort::Double) | (Sort::Double, Sort::Int) => match exact(left, right) {
                Some((left, right)) => format!("{left} {sign} {right}"),
                None => {
                    let (call, _) = self.exact_call(left, right);
                    format!("{call} {sign} Some(std::cmp::Ordering::Equal)")
                }
            },
            _ => format!("{} {sign} {}", left.code, right.code),
        }
    }

    /// The condition that two numbers are in order; false if one of them is not a number.
    pub(super) fn ordered(&mut self, order: Order, left: &Operand, right: &Operand) -> String {
        let mixed = left.sort != right.sort;
        match exact(left, right) {
            Some((left, right)) if mixed => format!("{left} {} {right}", order.sign()),
            None if mixed => {
                let (call, turned) = self.exact_call(left, right);
                let order = if turned { order.turned() } else { order };
                let found = self.temporary("t");
                self.lines.line(format!("let {found} = {call};"));
                let test = match order {
                    Order::Lt => "is_lt",
                    Order::Le => "is_le",
                    Order::Gt => "is_gt",
                    Order::Ge => "is_ge",
                };
                format!("{found}.is_some_and(|it| it.{test}())")
            }
            _ => format!("{} {} {}", left.code, order.sign(), right.code),
        }
    }

    fn exact_call(&mut self, left: &Operand, right: &Operand) -> (String, bool) {
        self.helpers.insert(Helper::Order);
        match left.sort {
            Sort::Double => (format!("order({}, {})", right.code, left.code), true),
            _ => (format!("order({}, {})", left.code, right.code), false),
        }
    }

    /// The type that a typed view has.
    pub(super) fn real(&self, ty: TypeId) -> Type {
        self.context.input.model.real(ty)
    }
}

/// A double and an integer constant as two doubles; `None` if that would lose digits.
fn exact(left: &Operand, right: &Operand) -> Option<(String, String)> {
    let as_double = |operand: &Operand| match &operand.constant {
        Some(Constant::Int(value)) if value.unsigned_abs() <= 1 << 53 => Some(format!("{value}.0")),
        _ => None,
    };
    match (left.sort, right.sort) {
        (Sort::Double, Sort::Int) => Some((left.code.clone(), as_double(right)?)),
        (Sort::Int, Sort::Double) => Some((as_double(left)?, right.code.clone())),
        _ => None,
    }
}

fn joined(operands: &[Operand], sign: &str) -> String {
    let codes: Vec<&str> = operands.iter().map(|operand| operand.code.as_str()).collect();
    codes.join(&format!(" {sign} "))
}

/// Whether bytes are put together that need not be text.
fn any_bytes(arguments: &[Expr]) -> bool {
    arguments.iter().any(|argument| match &argument.kind {
        ExprKind::Call(CalledFunction::Add, inner) if argument.sort == Sort::Text => any_bytes(inner),
        _ => argument.sort == Sort::Bytes,
    })
}

/// A value as an operand: integers become `i64`.
pub(super) fn widened(value: &RustValue) -> String {
    match value.real {
        Type::I8 | Type::I16 | Type::I32 | Type::Enum(_) => format!("i64::from({})", value.code),
        _ => value.code.clone(),
    }
}

/// A constant as Rust.
pub(super) fn literal(constant: &Constant) -> String {
    match constant {
        Constant::Bool(value) => value.to_string(),
        Constant::Int(i64::MIN) => "i64::MIN".to_owned(),
        Constant::Int(value) => value.to_string(),
        Constant::Float(value) if value.is_infinite() => {
            if *value > 0.0 {
                "f64::INFINITY".to_owned()
            } else {
                "f64::NEG_INFINITY".to_owned()
            }
        }
        Constant::Float(value) => format!("{value:?}"),
        Constant::Text(text) => quoted(text),
        Constant::Bytes(bytes) => format!("&{}[..]", byte_quoted(bytes)),
        // INVARIANT: rules compare scalars.
        _ => "()".to_owned(),
    }
}
