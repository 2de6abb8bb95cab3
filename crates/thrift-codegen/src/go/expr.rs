//! Operands as Go expressions, with what must hold before they have a value.

use contract::Constant;
use thrift::model::{StructId, Type};

use super::access::Presence;
use super::body::{Body, GoValue};
use super::quoted;
use super::support::Helper;
use crate::operand::{CalledFunction, Expr, ExprKind, Sort, Start, TextPiece, TypedReference, WayStep};
use crate::plan::Order;

/// Something that stands before the use of an operand.
#[derive(Clone, Debug)]
pub(super) enum Guard {
    /// The head of an `if`: without it the operand has no value.
    If(String),
    Then(Vec<String>),
    /// A statement that gives a variable with a reason for failure.
    Try(String, String),
}

/// An operand as Go.
#[derive(Clone, Debug)]
pub(super) struct Operand {
    pub(super) guards: Vec<Guard>,
    pub(super) code: String,
    pub(super) sort: Sort,
    pub(super) constant: Option<Constant>,
}

impl Operand {
    /// The code as an `int64`, a `float64`, a `string` or a `[]byte`, whatever named type it has.
    pub(super) fn plain(&self) -> String {
        match (&self.constant, self.sort) {
            (Some(_), _) => self.code.clone(),
            (None, Sort::Int) => converted("int64", &self.code),
            (None, Sort::Double) => converted("float64", &self.code),
            (None, Sort::Text) => converted("string", &self.code),
            _ => self.code.clone(),
        }
    }

    /// The code as a string, whether it is text or bytes.
    pub(super) fn text(&self) -> String {
        match self.sort {
            Sort::Bytes if self.constant.is_none() => format!("string({})", self.code),
            _ => self.plain(),
        }
    }
}

/// A conversion, unless it is already one of that type.
pub(super) fn converted(ty: &str, code: &str) -> String {
    match code.strip_prefix(ty).is_some_and(|rest| rest.starts_with('(') && rest.ends_with(')')) {
        true => code.to_owned(),
        false => format!("{ty}({code})"),
    }
}

impl Body<'_, '_> {
    /// Writes an operand; `current` is the value under test.
    // INVARIANT: the reader of annotations limits how deep calls nest.
    pub(super) fn operand(&mut self, expr: &Expr, current: Option<&GoValue>) -> Operand {
        let mut guards = Vec::new();
        let mut constant = None;
        let code = match &expr.kind {
            ExprKind::Constant(value) => {
                constant = Some(value.clone());
                self.literal(value)
            }
            ExprKind::Reference(way) => self.reference(way, current, &mut guards),
            ExprKind::Call(function, arguments) => {
                self.call(*function, arguments, expr.sort, current, &mut guards)
            }
            ExprKind::Format(pieces) => self.format(pieces, current, &mut guards),
            ExprKind::User(name, arguments) => {
                let arguments: Vec<String> = arguments
                    .iter()
                    .map(|argument| self.argument(argument, current, &mut guards).plain())
                    .collect();
                let symbol = self.symbol(name);
                let temporary = self.temporary();
                guards.push(Guard::Then(vec![format!("{temporary} := {symbol}({})", arguments.join(", "))]));
                temporary
            }
        };
        Operand { guards, code, sort: expr.sort, constant }
    }

    /// An argument; its guards become those of the call.
    fn argument(&mut self, expr: &Expr, current: Option<&GoValue>, guards: &mut Vec<Guard>) -> Operand {
        let mut operand = self.operand(expr, current);
        guards.append(&mut operand.guards);
        operand
    }

    pub(super) fn literal(&mut self, constant: &Constant) -> String {
        match constant {
            Constant::Bool(value) => value.to_string(),
            Constant::Int(value) => value.to_string(),
            Constant::Float(value) if value.is_infinite() => {
                self.parts.import("math");
                format!("math.Inf({})", if *value > 0.0 { 1 } else { -1 })
            }
            Constant::Float(value) => format!("{value:?}"),
            Constant::Text(text) => quoted(text.as_bytes()),
            Constant::Bytes(bytes) => quoted(bytes),
            // INVARIANT: rules compare scalars.
            _ => "nil".to_owned(),
        }
    }

    fn reference(
        &mut self,
        way: &TypedReference,
        current: Option<&GoValue>,
        guards: &mut Vec<Guard>,
    ) -> String {
        let mut code = match way.start {
            Start::Field(position) => self.field(self.plan.id, "p", position, guards),
            Start::Own => self.own.clone(),
            Start::Current => current.map(|value| value.code.clone()).unwrap_or_default(),
        };
        let mut element = false;
        for step in &way.steps {
            code = match step {
                WayStep::Item { index, .. } => {
                    guards.push(Guard::If(format!("len({code}) > {index}")));
                    format!("{code}[{index}]")
                }
                WayStep::Entry { key, .. } => {
                    let key = self.literal(key);
                    let temporary = self.temporary();
                    guards.push(Guard::If(format!("{temporary}, ok := {code}[{key}]; ok")));
                    temporary
                }
                WayStep::Member { owner, position } => {
                    // Elements of containers may be values, and then there is always one.
                    if !(element && self.context.options.values_in_containers) {
                        guards.push(Guard::If(format!("{code} != nil")));
                    }
                    self.field(*owner, &code, *position, guards)
                }
            };
            element = !matches!(step, WayStep::Member { .. });
        }
        code
    }

    /// A field of a struct that is there.
    fn field(&self, owner: StructId, of: &str, position: usize, guards: &mut Vec<Guard>) -> String {
        let model = self.context.input.model;
        let name = self.context.names.field(owner, position);
        let code = format!("{of}.{name}");
        let Some(field) = model[owner].fields.get(position) else { return code };
        let absent = self.context.stand_in(owner, position);
        match Presence::of(model, field, absent) {
            Presence::Pointer => {
                guards.push(Guard::If(format!("{code} != nil")));
                format!("*{code}")
            }
            Presence::Nil if !matches!(model.real(field.ty), Type::Struct(_)) => {
                guards.push(Guard::If(format!("{code} != nil")));
                code
            }
            // A struct is asked for nil where it is stepped into.
            Presence::Nil | Presence::Always | Presence::EmptyNil => code,
        }
    }

    fn call(
        &mut self,
        function: CalledFunction,
        arguments: &[Expr],
        sort: Sort,
        current: Option<&GoValue>,
        guards: &mut Vec<Guard>,
    ) -> String {
        if function == CalledFunction::Has {
            return self.has(arguments, current, guards);
        }
        let operands: Vec<Operand> =
            arguments.iter().map(|argument| self.argument(argument, current, guards)).collect();
        let joined = |sign: &str| {
            let codes: Vec<String> = operands.iter().map(|operand| operand.code.clone()).collect();
            codes.join(&format!(" {sign} "))
        };
        let code = match (function, operands.as_slice()) {
            (CalledFunction::Len, [of]) => return format!("int64(len({}))", of.code),
            (CalledFunction::RuneLen, [of]) => {
                self.parts.import("unicode/utf8");
                return match of.sort {
                    Sort::Bytes => format!("int64(utf8.RuneCount({}))", of.code),
                    _ => format!("int64(utf8.RuneCountInString({}))", of.plain()),
                };
            }
            (CalledFunction::NowUnixNano, _) => return self.now(),
            (CalledFunction::NowUnix, _) => format!("{} / 1000000000", self.now()),
            (CalledFunction::Equal, [left, right]) => self.equality(left, right, true),
            (CalledFunction::NotEqual, [left, right]) => self.equality(left, right, false),
            (CalledFunction::Lt, [left, right]) => self.ordered(Order::Lt, left, right, guards),
            (CalledFunction::Le, [left, right]) => self.ordered(Order::Le, left, right, guards),
            (CalledFunction::Gt, [left, right]) => self.ordered(Order::Gt, left, right, guards),
            (CalledFunction::Ge, [left, right]) => self.ordered(Order::Ge, left, right, guards),
            (CalledFunction::And, _) => joined("&&"),
            (CalledFunction::Or, _) => joined("||"),
            (CalledFunction::Not, [of]) => format!("!{}", of.code),
            (CalledFunction::Add, [left, right]) if sort == Sort::Text => {
                format!("{} + {}", left.text(), right.text())
            }
            (_, [left, right]) if sort == Sort::Double => {
                let [left, right] = [left, right].map(|side| match side.sort {
                    Sort::Int => format!("float64({})", side.code),
                    _ => side.plain(),
                });
                match function {
                    CalledFunction::Add => format!("{left} + {right}"),
                    CalledFunction::Sub => format!("{left} - {right}"),
                    CalledFunction::Mul => format!("{left} * {right}"),
                    CalledFunction::Div => format!("{left} / {right}"),
                    _ => {
                        self.parts.import("math");
                        format!("math.Mod({left}, {right})")
                    }
                }
            }
            (_, [left, right]) => {
                let helper = match function {
                    CalledFunction::Add => Helper::Add,
                    CalledFunction::Sub => Helper::Sub,
                    CalledFunction::Mul => Helper::Mul,
                    CalledFunction::Div => Helper::Div,
                    _ => Helper::Mod,
                };
                let helper = self.parts.helper(helper, self.place);
                let result = self.temporary();
                let why = format!("why{}", result.trim_start_matches('t'));
                let call = format!("{result}, {why} := {helper}({}, {})", left.plain(), right.plain());
                guards.push(Guard::Try(call, why));
                return result;
            }
            _ => String::new(),
        };
        let temporary = self.temporary();
        guards.push(Guard::Then(vec![format!("{temporary} := {code}")]));
        temporary
    }

    /// Whether a reference leads somewhere, as a variable.
    fn has(&mut self, arguments: &[Expr], current: Option<&GoValue>, guards: &mut Vec<Guard>) -> String {
        let Some(argument) = arguments.first() else { return "false".to_owned() };
        let mut operand = self.operand(argument, current);
        if let ExprKind::Reference(way) = &argument.kind
            && operand.sort == Sort::Struct
            && !matches!(way.steps.last(), Some(WayStep::Item { .. } | WayStep::Entry { .. }))
        {
            operand.guards.push(Guard::If(format!("{} != nil", operand.code)));
        }
        let temporary = self.temporary();
        let mut lines = vec![format!("{temporary} := false")];
        let mut depth = 0;
        for guard in &operand.guards {
            let indent = "\t".repeat(depth);
            match guard {
                Guard::If(head) => {
                    lines.push(format!("{indent}if {head} {{"));
                    depth += 1;
                }
                Guard::Then(statements) => {
                    lines.extend(statements.iter().map(|line| format!("{indent}{line}")))
                }
                // A failure is not a value either.
                Guard::Try(call, why) => {
                    lines.push(format!("{indent}if {call}; {why} == \"\" {{"));
                    depth += 1;
                }
            }
        }
        let unused = operand.guards.iter().any(
            |guard| matches!(guard, Guard::If(head) if head.starts_with(&format!("{}, ok", operand.code))),
        );
        if unused {
            lines.push(format!("{}_ = {}", "\t".repeat(depth), operand.code));
        }
        lines.push(format!("{}{temporary} = true", "\t".repeat(depth)));
        (0..depth).rev().for_each(|depth| lines.push(format!("{}}}", "\t".repeat(depth))));
        guards.push(Guard::Then(lines));
        temporary
    }

    fn format(&mut self, pieces: &[TextPiece], current: Option<&GoValue>, guards: &mut Vec<Guard>) -> String {
        let mut parts = Vec::new();
        for piece in pieces {
            parts.push(match piece {
                TextPiece::Text(text) => quoted(text.as_bytes()),
                TextPiece::Value(verb, expr) => {
                    let operand = self.argument(expr, current, guards);
                    self.verb(*verb, &operand)
                }
            });
        }
        match parts.as_slice() {
            [] => "\"\"".to_owned(),
            parts => {
                let temporary = self.temporary();
                guards.push(Guard::Then(vec![format!("{temporary} := {}", parts.join(" + "))]));
                temporary
            }
        }
    }

    fn verb(&mut self, verb: char, operand: &Operand) -> String {
        let typed = |ty: &str| match operand.constant {
            Some(_) => operand.code.clone(),
            None => converted(ty, &operand.code),
        };
        match (verb, operand.sort) {
            ('q', _) => {
                self.parts.import("strconv");
                format!("strconv.Quote({})", operand.text())
            }
            ('x', Sort::Text | Sort::Bytes) => {
                self.parts.import("fmt");
                format!("fmt.Sprintf(\"%x\", {})", operand.text())
            }
            ('x', _) => {
                self.parts.import("strconv");
                format!("strconv.FormatInt({}, 16)", typed("int64"))
            }
            (_, Sort::Text | Sort::Bytes) => operand.text(),
            (_, Sort::Int) => {
                self.parts.import("strconv");
                format!("strconv.FormatInt({}, 10)", typed("int64"))
            }
            (verb, Sort::Double) => {
                self.parts.import("strconv");
                let digits = if verb == 'f' { 6 } else { -1 };
                format!("strconv.FormatFloat({}, 'f', {digits}, 64)", typed("float64"))
            }
            _ => {
                self.parts.import("strconv");
                format!("strconv.FormatBool({})", typed("bool"))
            }
        }
    }

    /// The condition that two operands are equal, or differ.
    pub(super) fn equality(&mut self, left: &Operand, right: &Operand, equal: bool) -> String {
        let sign = if equal { "==" } else { "!=" };
        match (left.sort, right.sort) {
            (Sort::Bool, _) => match (&right.constant, left.constant.is_some()) {
                (Some(Constant::Bool(truth)), false) if *truth == equal => left.code.clone(),
                (Some(Constant::Bool(_)), false) => format!("!{}", left.code),
                _ => format!("{} {sign} {}", left.code, right.code),
            },
            (Sort::Text | Sort::Bytes, _) => format!("{} {sign} {}", left.text(), right.text()),
            _ => match number_sides(left, right) {
                Some((left, right)) => format!("{left} {sign} {right}"),
                None => format!("{} {sign} 0", self.exact(left, right).0),
            },
        }
    }

    /// The condition that two numbers are in order; false if one of them is not a number.
    fn ordered(&mut self, order: Order, left: &Operand, right: &Operand, guards: &mut Vec<Guard>) -> String {
        match number_sides(left, right) {
            Some((left, right)) => format!("{left} {} {right}", order.sign()),
            None => {
                let (call, turned) = self.exact(left, right);
                let temporary = self.temporary();
                guards.push(Guard::Then(vec![format!("{temporary} := {call}")]));
                exact_order(if turned { order.turned() } else { order }, &temporary, true)
            }
        }
    }

    /// A call that compares an integer with a double exactly, and whether the sides are exchanged.
    pub(super) fn exact(&mut self, left: &Operand, right: &Operand) -> (String, bool) {
        let helper = self.parts.helper(Helper::Order, self.place);
        match left.sort {
            Sort::Double => (format!("{helper}({}, {})", right.plain(), left.plain()), true),
            _ => (format!("{helper}({}, {})", left.plain(), right.plain()), false),
        }
    }
}

/// Whether the order that a helper found is the one that is asked for, or whether it is not.
pub(super) fn exact_order(order: Order, found: &str, holds: bool) -> String {
    let (sign, joint) = if holds { ("==", "||") } else { ("!=", "&&") };
    match order {
        Order::Lt => format!("{found} {sign} -1"),
        Order::Gt => format!("{found} {sign} 1"),
        Order::Le => format!("{found} {sign} -1 {joint} {found} {sign} 0"),
        Order::Ge => format!("{found} {sign} 1 {joint} {found} {sign} 0"),
    }
}

/// Integers beyond this have neighbours that no double can tell from them.
const EXACT: u64 = 1 << 53;

/// Both sides in one type; `None` if that would lose digits.
pub(super) fn number_sides(left: &Operand, right: &Operand) -> Option<(String, String)> {
    let exact = |operand: &Operand| match &operand.constant {
        Some(Constant::Int(value)) => value.unsigned_abs() <= EXACT,
        _ => false,
    };
    match (left.sort, right.sort) {
        (Sort::Double, Sort::Int) if exact(right) => Some((left.plain(), right.code.clone())),
        (Sort::Int, Sort::Double) if exact(left) => Some((left.code.clone(), right.plain())),
        (Sort::Double, Sort::Int) | (Sort::Int, Sort::Double) => None,
        _ => Some((left.plain(), right.plain())),
    }
}
