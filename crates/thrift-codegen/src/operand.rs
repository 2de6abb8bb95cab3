//! The right-hand sides of rules with their types, for languages that must know them.

use contract::{Argument, Base, Constant, Host, Operand, ReferenceStep};
use thrift::Code;
use thrift::model::{Field, Model, Struct, StructId, Type, TypeId};
use thrift::rules::{DeclaredType, Functions};

/// What an operand is, as far as generated code tells values apart. Enums are integers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sort {
    Bool,
    Int,
    Double,
    Text,
    Bytes,
    List,
    Map,
    Struct,
    /// What a function of the user gives: whatever its place asks for.
    Unknown,
}

impl Sort {
    pub(crate) fn of(ty: Type) -> Sort {
        match ty {
            Type::Bool => Sort::Bool,
            Type::I8 | Type::I16 | Type::I32 | Type::I64 | Type::Enum(_) => Sort::Int,
            Type::Double => Sort::Double,
            Type::String => Sort::Text,
            Type::Binary | Type::Uuid => Sort::Bytes,
            Type::List(_) | Type::Set(_) => Sort::List,
            Type::Map(..) => Sort::Map,
            Type::Struct(_) => Sort::Struct,
            Type::Typedef(_) | Type::Error => Sort::Unknown,
        }
    }

    fn given(ty: DeclaredType) -> Sort {
        match ty {
            DeclaredType::Any => Sort::Unknown,
            DeclaredType::Bool => Sort::Bool,
            DeclaredType::Int => Sort::Int,
            DeclaredType::Double => Sort::Double,
            DeclaredType::Text => Sort::Text,
            DeclaredType::Bytes => Sort::Bytes,
            DeclaredType::List => Sort::List,
            DeclaredType::Map => Sort::Map,
            DeclaredType::Struct => Sort::Struct,
        }
    }

    pub(crate) fn is_number(self) -> bool {
        matches!(self, Sort::Int | Sort::Double | Sort::Unknown)
    }

    pub(crate) fn is_text(self) -> bool {
        matches!(self, Sort::Text | Sort::Bytes | Sort::Unknown)
    }

    fn noun(self) -> &'static str {
        match self {
            Sort::Bool => "a bool",
            Sort::Int => "an integer",
            Sort::Double => "a double",
            Sort::Text => "a string",
            Sort::Bytes => "a binary",
            Sort::List => "a list or set",
            Sort::Map => "a map",
            Sort::Struct => "a struct",
            Sort::Unknown => "a value",
        }
    }
}

/// An operand with its type.
#[derive(Clone, Debug)]
pub(crate) struct Expr {
    pub(crate) sort: Sort,
    pub(crate) kind: ExprKind,
    /// The operand as it was written, for messages.
    pub(crate) written: String,
}

impl Expr {
    /// Whether evaluating it can fail, in languages whose integers have no bounds of their own.
    // INVARIANT: the reader of annotations limits how deep calls nest.
    pub(crate) fn is_fallible(&self) -> bool {
        match &self.kind {
            ExprKind::Constant(_) | ExprKind::Reference(_) => false,
            ExprKind::Call(function, arguments) => {
                let checked = matches!(
                    function,
                    CalledFunction::Add
                        | CalledFunction::Sub
                        | CalledFunction::Mul
                        | CalledFunction::Div
                        | CalledFunction::Mod
                );
                (checked && self.sort == Sort::Int) || arguments.iter().any(Expr::is_fallible)
            }
            ExprKind::Format(pieces) => {
                pieces.iter().any(|piece| matches!(piece, TextPiece::Value(_, expr) if expr.is_fallible()))
            }
            ExprKind::User(_, arguments) => arguments.iter().any(Expr::is_fallible),
        }
    }
}

#[derive(Clone, Debug)]
pub(crate) enum ExprKind {
    Constant(Constant),
    Reference(TypedReference),
    Call(CalledFunction, Vec<Expr>),
    /// `sprintf` with its format taken apart.
    Format(Vec<TextPiece>),
    /// A function that the user supplies in the target language.
    User(Box<str>, Vec<Expr>),
}

/// A part of formatted text.
#[derive(Clone, Debug)]
pub(crate) enum TextPiece {
    Text(String),
    /// A value under one of the verbs `s d v q x f`.
    Value(char, Expr),
}

/// A reference with the types on its way.
#[derive(Clone, Debug)]
pub(crate) struct TypedReference {
    pub(crate) start: Start,
    pub(crate) steps: Vec<WayStep>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Start {
    /// A field of the struct around, by its position.
    Field(usize),
    /// The whole value of the field that the rule was written on.
    Own,
    /// The value under test.
    Current,
}

#[derive(Clone, Debug)]
pub(crate) enum WayStep {
    /// An element of a list or set.
    Item { index: usize },
    /// The value of a map's entry; the key is an integer or text, as the map's keys are.
    Entry { key: Constant },
    /// A field of a struct, by its position.
    Member { owner: StructId, position: usize },
}

macro_rules! functions {
    ($($variant:ident $name:literal)*) => {
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(crate) enum CalledFunction {
            $($variant,)*
        }

        impl CalledFunction {
            fn find(name: &str) -> Option<CalledFunction> {
                match name { $($name => Some(CalledFunction::$variant),)* _ => None }
            }
        }
    };
}

functions! {
    Len "len"
    RuneLen "rune_len"
    NowUnixNano "now_unix_nano"
    NowUnix "now_unix"
    Equal "equal"
    NotEqual "not_equal"
    Lt "lt"
    Le "le"
    Gt "gt"
    Ge "ge"
    And "and"
    Or "or"
    Not "not"
    Add "add"
    Sub "sub"
    Mul "mul"
    Div "div"
    Mod "mod"
    Has "has"
}

/// Why a rule has no form in generated code; who asks knows where the rule stands.
#[derive(Debug)]
pub(crate) struct PlanError {
    pub(crate) code: Code,
    pub(crate) message: String,
}

pub(crate) fn fault<T>(code: Code, message: impl Into<String>) -> Result<T, PlanError> {
    Err(PlanError { code, message: message.into() })
}

/// Where an operand stands.
#[derive(Clone, Copy)]
pub(crate) struct Site<'m> {
    pub(crate) model: &'m Model,
    pub(crate) functions: &'m Functions,
    pub(crate) owner: &'m Struct,
    /// The type of the field that the rule was written on; `None` on a whole struct.
    pub(crate) own: Option<TypeId>,
    /// The type of the value under test.
    pub(crate) current: Option<TypeId>,
}

impl Site<'_> {
    /// Reads an operand that is compared with something of a sort.
    pub(crate) fn operand(&self, operand: &Operand, beside: Sort) -> Result<Expr, PlanError> {
        let mut expr = self.expr(operand)?;
        if expr.sort == Sort::Unknown {
            expr.sort = beside;
        }
        Ok(expr)
    }

    // INVARIANT: the reader of annotations limits how deep calls nest.
    fn expr(&self, operand: &Operand) -> Result<Expr, PlanError> {
        let written = operand.to_string();
        let (sort, kind) = match operand {
            Operand::Constant(constant) => (sort_of(constant), ExprKind::Constant(constant.clone())),
            Operand::Reference(reference) => {
                let (way, sort) = self.way(&reference.base, &reference.steps, &written)?;
                (sort, ExprKind::Reference(way))
            }
            Operand::Call { function, arguments } => {
                let arguments: Vec<Expr> =
                    arguments.iter().map(|argument| self.expr(argument)).collect::<Result<_, _>>()?;
                match self.folded(function, &arguments) {
                    Some(constant) => (sort_of(&constant), ExprKind::Constant(constant)),
                    None => self.call(function, arguments)?,
                }
            }
        };
        Ok(Expr { sort, kind, written })
    }

    /// Types a call; what a function of the user gives is known if its declaration says so.
    fn call(&self, function: &str, arguments: Vec<Expr>) -> Result<(Sort, ExprKind), PlanError> {
        let (sort, kind) = call(function, arguments)?;
        let declared = self.functions.declared(function).and_then(|it| it.types.as_ref());
        Ok((declared.map_or(sort, |types| Sort::given(types.gives)), kind))
    }

    /// The result of a call on constants.
    fn folded(&self, function: &str, arguments: &[Expr]) -> Option<Constant> {
        if !self.functions.signature(function)?.pure_ {
            return None;
        }
        let constants: Option<Vec<Argument<'_>>> = arguments
            .iter()
            .map(|argument| match &argument.kind {
                ExprKind::Constant(constant) => Some(Argument::Constant(constant)),
                _ => None,
            })
            .collect();
        self.functions.call(function, &constants?).ok()
    }

    fn way(
        &self,
        base: &Base,
        steps: &[ReferenceStep],
        written: &str,
    ) -> Result<(TypedReference, Sort), PlanError> {
        let (start, mut ty) = match base {
            Base::Field(name) => {
                let found = self.owner.fields.iter().position(|field| *field.name.text == **name);
                match found.and_then(|position| Some((position, self.owner.fields.get(position)?))) {
                    Some((position, field)) => (Start::Field(position), field.ty),
                    None => {
                        let owner = &self.owner.name.text;
                        return fault(Code::RuleReference, format!("`{owner}` has no field `{name}`"));
                    }
                }
            }
            Base::Own => match self.own {
                Some(own) => (Start::Own, own),
                None => return fault(Code::RuleReference, "`$` means nothing on a whole struct"),
            },
            Base::Current => match self.current {
                Some(current) => (Start::Current, current),
                None => return fault(Code::RuleReference, "`$$` means nothing on a whole struct"),
            },
        };
        let mut way = Vec::with_capacity(steps.len());
        for step in steps {
            let (step, next) = self.step(ty, step, written)?;
            way.push(step);
            ty = next;
        }
        Ok((TypedReference { start, steps: way }, Sort::of(self.model.real(ty))))
    }

    fn step(&self, ty: TypeId, step: &ReferenceStep, written: &str) -> Result<(WayStep, TypeId), PlanError> {
        let never = || fault(Code::RuleReference, format!("`{written}` can lead nowhere"));
        match (self.model.real(ty), step) {
            (Type::List(element) | Type::Set(element), ReferenceStep::Index(index)) => {
                let Ok(index) = usize::try_from(*index) else { return never() };
                Ok((WayStep::Item { index }, element))
            }
            (Type::Map(key_id, value), step) => {
                let key_type = self.model.real(key_id);
                let key = match (step, key_type) {
                    (
                        ReferenceStep::Index(index),
                        Type::I8 | Type::I16 | Type::I32 | Type::I64 | Type::Enum(_),
                    ) => Constant::Int(*index),
                    (ReferenceStep::Key(key), Type::String | Type::Binary) => Constant::text(key),
                    _ => return never(),
                };
                Ok((WayStep::Entry { key }, value))
            }
            (Type::Struct(owner), ReferenceStep::Member { number, .. }) => {
                let fields = &self.model[owner].fields;
                let at = |field: &Field| i64::from(field.wire_id()) == *number;
                match fields.iter().position(at).and_then(|position| Some((position, fields.get(position)?)))
                {
                    Some((position, field)) => Ok((WayStep::Member { owner, position }, field.ty)),
                    None => never(),
                }
            }
            _ => never(),
        }
    }
}

fn sort_of(constant: &Constant) -> Sort {
    match constant {
        Constant::Bool(_) => Sort::Bool,
        Constant::Int(_) => Sort::Int,
        Constant::Float(_) => Sort::Double,
        Constant::Text(_) => Sort::Text,
        Constant::Bytes(_) => Sort::Bytes,
        Constant::List(_) => Sort::List,
        Constant::Object(_) => Sort::Map,
        Constant::Null | Constant::UInt(_) | Constant::Decimal(_) => Sort::Unknown,
    }
}

/// Types a call. What would fail for every message fails now.
fn call(name: &str, mut arguments: Vec<Expr>) -> Result<(Sort, ExprKind), PlanError> {
    if name == "sprintf" {
        return Ok((Sort::Text, ExprKind::Format(format_pieces(arguments)?)));
    }
    let Some(function) = CalledFunction::find(name) else {
        return Ok((Sort::Unknown, ExprKind::User(name.into(), arguments)));
    };
    let wrong = |needs: &str, found: &Expr| {
        let message = format!("`@{name}` needs {needs}, `{}` is {}", found.written, found.sort.noun());
        fault(Code::RuleFunction, message)
    };
    let sorts: Vec<Sort> = arguments.iter().map(|argument| argument.sort).collect();
    let all = |test: fn(Sort) -> bool| sorts.iter().all(|sort| test(*sort));
    let odd = |test: fn(Sort) -> bool| arguments.iter().find(|argument| !test(argument.sort));
    let is_bool = |sort| matches!(sort, Sort::Bool | Sort::Unknown);
    let sized = |sort| matches!(sort, Sort::Text | Sort::Bytes | Sort::List | Sort::Map);
    let sort = match function {
        CalledFunction::Len => match odd(sized) {
            Some(found) => return wrong("a string or a container", found),
            None => Sort::Int,
        },
        CalledFunction::RuneLen => match odd(Sort::is_text) {
            Some(found) => return wrong("a string", found),
            None => Sort::Int,
        },
        CalledFunction::NowUnixNano | CalledFunction::NowUnix => Sort::Int,
        CalledFunction::Equal | CalledFunction::NotEqual => {
            match all(Sort::is_number) || all(Sort::is_text) || all(is_bool) {
                true => Sort::Bool,
                false => match arguments.last() {
                    Some(found) => return wrong("two values of one kind", found),
                    None => Sort::Bool,
                },
            }
        }
        CalledFunction::Lt | CalledFunction::Le | CalledFunction::Gt | CalledFunction::Ge => {
            match odd(Sort::is_number) {
                Some(found) => return wrong("numbers", found),
                None => Sort::Bool,
            }
        }
        CalledFunction::And | CalledFunction::Or | CalledFunction::Not => match odd(is_bool) {
            Some(found) => return wrong("bools", found),
            None => Sort::Bool,
        },
        CalledFunction::Add if all(Sort::is_text) => Sort::Text,
        CalledFunction::Add
        | CalledFunction::Sub
        | CalledFunction::Mul
        | CalledFunction::Div
        | CalledFunction::Mod => match odd(Sort::is_number) {
            Some(found) => return wrong("numbers", found),
            None if sorts.contains(&Sort::Double) => Sort::Double,
            None => Sort::Int,
        },
        CalledFunction::Has => Sort::Bool,
    };
    // A user's function gives what the one beside it is, or what the function works on.
    let known = sorts.iter().copied().find(|sort| *sort != Sort::Unknown).unwrap_or(match function {
        CalledFunction::And | CalledFunction::Or | CalledFunction::Not => Sort::Bool,
        CalledFunction::Len | CalledFunction::RuneLen => Sort::Text,
        _ => Sort::Int,
    });
    for argument in &mut arguments {
        if argument.sort == Sort::Unknown {
            argument.sort = known;
        }
    }
    Ok((sort, ExprKind::Call(function, arguments)))
}

/// Takes a format apart, and pairs its verbs with the arguments.
fn format_pieces(arguments: Vec<Expr>) -> Result<Vec<TextPiece>, PlanError> {
    let mut arguments = arguments.into_iter();
    let format = match arguments.next().map(|format| format.kind) {
        Some(ExprKind::Constant(Constant::Text(format))) => format,
        _ => {
            return fault(Code::RuleFunction, "generated code needs a constant as the format of `@sprintf`");
        }
    };
    let mut pieces = Vec::new();
    let mut text = String::new();
    let mut letters = format.chars();
    while let Some(letter) = letters.next() {
        let verb = match letter {
            '%' => letters.next(),
            other => {
                text.push(other);
                continue;
            }
        };
        match verb {
            Some('%') => text.push('%'),
            Some(verb) => {
                let Some(value) = arguments.next() else {
                    return fault(Code::RuleFunction, format!("`%{verb}` has no argument"));
                };
                if !verb_takes(verb, value.sort) {
                    let message = format!("`%{verb}` cannot write {}", value.sort.noun());
                    return fault(Code::RuleFunction, message);
                }
                if !text.is_empty() {
                    pieces.push(TextPiece::Text(std::mem::take(&mut text)));
                }
                pieces.push(TextPiece::Value(verb, value));
            }
            None => return fault(Code::RuleFunction, "`%` at the end of a format"),
        }
    }
    if !text.is_empty() {
        pieces.push(TextPiece::Text(text));
    }
    match arguments.next() {
        Some(_) => fault(Code::RuleFunction, "`@sprintf` has more arguments than verbs"),
        None => Ok(pieces),
    }
}

fn verb_takes(verb: char, sort: Sort) -> bool {
    match verb {
        's' | 'q' => sort.is_text(),
        'v' => sort.is_text() || sort.is_number() || sort == Sort::Bool,
        'x' => sort.is_text() || sort == Sort::Int,
        'd' => matches!(sort, Sort::Int | Sort::Unknown),
        'f' => matches!(sort, Sort::Double | Sort::Unknown),
        _ => false,
    }
}
