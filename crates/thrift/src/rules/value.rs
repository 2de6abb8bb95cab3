//! What stands behind a validator: constants, lists, references to fields, calls of tool functions.

use contract::{Base, Constant, Operand, Reference, ReferenceStep};

use super::Compat;
use super::absent_value::Absent;
use super::declared::{DeclaredType, DeclaredTypes};
use super::functions::{Functions, Gives, VERBS, gives};
use super::infix::{self, Infix};
use super::listing::{Listing, Spelling};
use super::table::Class;
use crate::Code;
use crate::code::UnlocatedDiagnostic;
use crate::model::{ConstantValue, EnumId, Model, Struct, Type, TypeId};
use contract::Host;

type Read<T> = Result<T, UnlocatedDiagnostic>;

/// What an operand is, as far as it is known before there is a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Sort {
    Int,
    Double,
    Bool,
    Text,
    Enum(EnumId),
    List,
    Map,
    Struct,
    Unknown,
}

impl Sort {
    fn name(self) -> &'static str {
        match self {
            Sort::Int => "an integer",
            Sort::Double => "a double",
            Sort::Bool => "a bool",
            Sort::Text => "a string",
            Sort::Enum(_) => "an enum",
            Sort::List => "a list or set",
            Sort::Map => "a map",
            Sort::Struct => "a struct",
            Sort::Unknown => "a value",
        }
    }

    /// What a function gives that is declared.
    fn given(ty: DeclaredType) -> Sort {
        match ty {
            DeclaredType::Any => Sort::Unknown,
            DeclaredType::Bool => Sort::Bool,
            DeclaredType::Int => Sort::Int,
            DeclaredType::Double => Sort::Double,
            DeclaredType::Text | DeclaredType::Bytes => Sort::Text,
            DeclaredType::List => Sort::List,
            DeclaredType::Map => Sort::Map,
            DeclaredType::Struct => Sort::Struct,
        }
    }

    /// Whether a function that is declared takes it.
    fn is_taken_as(self, wanted: DeclaredType) -> bool {
        match (self, Sort::given(wanted)) {
            (Sort::Unknown, _) | (_, Sort::Unknown) => true,
            (Sort::Enum(_), Sort::Int) => true,
            (found, wanted) => found == wanted,
        }
    }

    fn of(ty: Type) -> Sort {
        match ty {
            Type::Bool => Sort::Bool,
            Type::I8 | Type::I16 | Type::I32 | Type::I64 => Sort::Int,
            Type::Double => Sort::Double,
            Type::String | Type::Binary | Type::Uuid => Sort::Text,
            Type::Enum(id) => Sort::Enum(id),
            Type::List(_) | Type::Set(_) => Sort::List,
            Type::Map(..) => Sort::Map,
            Type::Struct(_) => Sort::Struct,
            Type::Typedef(_) | Type::Error => Sort::Unknown,
        }
    }
}

/// Where a rule stands, for everything that a value can refer to.
#[derive(Clone, Copy)]
pub(super) struct Site<'m> {
    pub(super) model: &'m Model,
    pub(super) functions: &'m Functions,
    pub(super) compat: Compat,
    pub(super) owner: Option<&'m Struct>,
    /// The type of the field that the rule was written on.
    pub(super) own: Option<TypeId>,
    /// The type that the rule tests, typedefs looked through.
    pub(super) tested: Type,
}

impl<'m> Site<'m> {
    /// Reads one operand of the tested type.
    pub(super) fn own_value(&self, text: &[u8], escaped: bool) -> Read<Operand> {
        self.operand(text, self.tested, escaped)
    }

    pub(super) fn size(&self, text: &[u8]) -> Read<Operand> {
        let operand = self.operand(text, Type::I64, false)?;
        match operand {
            Operand::Constant(Constant::Int(size @ ..0)) => Err(UnlocatedDiagnostic::new(
                Code::RuleValue,
                format!("a size cannot be negative, found {size}"),
            )),
            operand => Ok(operand),
        }
    }

    pub(super) fn text(&self, text: &[u8], escaped: bool) -> Read<Operand> {
        self.operand(text, Type::String, escaped)
    }

    /// Reads a list, or one value.
    pub(super) fn list(&self, text: &[u8], escaped: bool) -> Read<Vec<Operand>> {
        let trimmed = text.trim_ascii();
        let is_text = matches!(self.tested, Type::String | Type::Binary);
        if escaped || !trimmed.starts_with(b"[") {
            return Ok(vec![self.operand(text, self.tested, escaped)?]);
        }
        let mut cursor = Cursor { rest: trimmed.get(1..).unwrap_or_default() };
        match self.items(&mut cursor) {
            Ok(items) if items.is_empty() => {
                Err(UnlocatedDiagnostic::new(Code::RuleValue, "an empty list can never hold")
                    .help("write at least one value"))
            }
            // A text that only begins like a list is a text.
            Err(_) if is_text && !trimmed.ends_with(b"]") => {
                Ok(vec![self.operand(text, self.tested, true)?])
            }
            result => result,
        }
    }

    /// How a list, or one value, is written that could be read.
    pub(super) fn listing(&self, text: &[u8], escaped: bool) -> Listing {
        let trimmed = text.trim_ascii();
        let is_text = matches!(self.tested, Type::String | Type::Binary | Type::Uuid);
        let bare = |word: &[u8]| {
            let is_number =
                word.first().is_some_and(|c| c.is_ascii_digit() || matches!(c, b'-' | b'+' | b'.'));
            // All that is not quoted is one form of text.
            if is_number && !is_text { Spelling::Number } else { Spelling::Word }
        };
        let bracketed = !escaped && trimmed.starts_with(b"[") && trimmed.ends_with(b"]");
        let mut listing = Listing { bracketed, constants: Vec::new() };
        if !bracketed {
            let refers = !escaped && matches!(trimmed.first(), Some(b'$' | b'@'));
            listing.constants.extend((!refers).then(|| bare(trimmed)));
            return listing;
        }
        let mut cursor = Cursor { rest: trimmed.get(1..).unwrap_or_default() };
        loop {
            cursor.skip(|c| is_blank(c) || c == ',' || c == ';');
            match cursor.peek() {
                None | Some(']') => return listing,
                Some('$' | '@') if self.expr(&mut cursor, MOST_CALLS).is_ok() => {}
                Some(quote @ ('"' | '\'')) if cursor.quoted(quote).is_ok() => {
                    listing.constants.push(Spelling::Quoted);
                }
                Some(_) => match cursor.take(is_of_word) {
                    b"" => return listing,
                    word => listing.constants.push(bare(word)),
                },
            }
        }
    }

    /// Reads a boolean expression over the fields of the struct.
    pub(super) fn expression(&self, text: &[u8]) -> Read<Operand> {
        let (operand, sort) = self.expr_of(text.trim_ascii())?;
        match sort {
            Sort::Bool | Sort::Unknown => Ok(operand),
            other => Err(UnlocatedDiagnostic::new(
                Code::RuleValue,
                format!("an assertion needs a bool, found {}", other.name()),
            )
            .help("compare the value: `@equal(.., ..)`")),
        }
    }

    fn operand(&self, text: &[u8], wanted: Type, escaped: bool) -> Read<Operand> {
        let is_text = matches!(wanted, Type::String | Type::Binary | Type::Uuid);
        let body = if is_text { text } else { text.trim_ascii() };
        if !escaped && (body.starts_with(b"$") || body.starts_with(b"@")) {
            let (operand, sort) = self.expr_of(body).map_err(|problem| match is_text {
                // Whoever calls a function that is there with the wrong arguments means no text.
                true if problem.help.is_none() && problem.code != Code::RuleFunction => {
                    problem.help("add `_escape` to the validator to take the value literally")
                }
                _ => problem,
            })?;
            return match fits(sort, wanted) {
                true => Ok(operand),
                false => Err(UnlocatedDiagnostic::new(
                    Code::RuleType,
                    format!(
                        "`{}` is {}, the rule compares with {}",
                        String::from_utf8_lossy(body),
                        sort.name(),
                        Sort::of(wanted).name()
                    ),
                )),
            };
        }
        self.literal(body, wanted).map(Operand::Constant)
    }

    fn literal(&self, bytes: &[u8], wanted: Type) -> Read<Constant> {
        if matches!(wanted, Type::String | Type::Binary) {
            return Ok(text_or_bytes(bytes));
        }
        let text = utf8(bytes)?;
        match wanted {
            Type::Bool => match text {
                "true" | "1" => Ok(true.into()),
                "false" | "0" => Ok(false.into()),
                _ => Err(bad_value(text, "`true` or `false`")),
            },
            Type::I8 | Type::I16 | Type::I32 | Type::I64 => {
                let value = integer(text)?;
                match wanted.integer_range() {
                    Some((least, most)) if value < least || value > most => Err(UnlocatedDiagnostic::new(
                        Code::RuleValue,
                        format!("{value} is outside the type: {least} to {most}"),
                    )),
                    _ => Ok(value.into()),
                }
            }
            Type::Double => double(text),
            Type::Uuid => uuid(text),
            Type::Enum(id) => self.enum_member(text, id),
            _ => {
                Err(UnlocatedDiagnostic::new(Code::RuleType, "a container has no constants to compare with"))
            }
        }
    }

    /// `X`, `Enum.X`, `include.Enum.X`, the name of a constant, or a number.
    fn enum_member(&self, text: &str, id: EnumId) -> Read<Constant> {
        let model = self.model;
        let (prefix, name) =
            text.rsplit_once('.').map_or((None, text), |(prefix, name)| (Some(prefix), name));
        let own_name = model[id].name.text.as_str();
        let alias = |prefix: &str| {
            let last = prefix.rsplit('.').next().unwrap_or(prefix);
            last == own_name
                || model.typedefs.iter().any(|typedef| {
                    typedef.name.text == last
                        && matches!(model[typedef.real].ty, Type::Enum(other) if other == id)
                })
        };
        if prefix.is_none_or(alias)
            && let Some(member) = model[id].member(name)
        {
            return Ok(i64::from(member.number).into());
        }
        let constant = model.consts.iter().find(|constant| constant.name.text == name);
        match constant.and_then(|constant| constant.value.as_ref()) {
            Some(ConstantValue::Enum(of, number)) if *of == id => return Ok(i64::from(*number).into()),
            Some(ConstantValue::Int(number)) => return Ok((*number).into()),
            _ => {}
        }
        if text.starts_with(|c: char| c.is_ascii_digit() || c == '-' || c == '+') {
            return integer(text).map(Into::into);
        }
        let names = || model[id].members.iter().map(|member| member.name.text.as_str());
        let problem = UnlocatedDiagnostic::new(
            Code::RuleValue,
            format!("`{text}` is not a member of the enum `{own_name}`"),
        );
        Err(match diagnostics::suggest(name, names()) {
            Some(near) => problem.help(format!("did you mean `{near}`?")),
            None => problem.help(format!("members are {}", names().collect::<Vec<_>>().join(", "))),
        })
    }

    fn items(&self, cursor: &mut Cursor<'_>) -> Read<Vec<Operand>> {
        let mut items = Vec::new();
        loop {
            cursor.skip(|c| is_blank(c) || c == ',' || c == ';');
            match cursor.peek() {
                None => return Err(UnlocatedDiagnostic::new(Code::RuleValue, "the list has no closing `]`")),
                Some(']') => {
                    cursor.bump();
                    cursor.skip(is_blank);
                    return match cursor.rest {
                        b"" => Ok(items),
                        rest => Err(UnlocatedDiagnostic::new(
                            Code::RuleValue,
                            format!("`{}` stands behind the list", String::from_utf8_lossy(rest)),
                        )),
                    };
                }
                Some('$' | '@') => {
                    let (operand, sort) = self.expr(cursor, MOST_CALLS)?;
                    if !fits(sort, self.tested) {
                        return Err(UnlocatedDiagnostic::new(
                            Code::RuleType,
                            format!(
                                "`{}` is {}, the list holds {}",
                                operand,
                                sort.name(),
                                Sort::of(self.tested).name()
                            ),
                        ));
                    }
                    items.push(operand);
                }
                Some(quote @ ('"' | '\'')) => {
                    let text = cursor.quoted(quote)?;
                    items.push(Operand::Constant(self.literal(&text, self.tested)?));
                }
                Some(_) => {
                    let word = cursor.take(is_of_word);
                    if word.is_empty() {
                        return Err(UnlocatedDiagnostic::new(Code::RuleValue, "a list cannot hold a list"));
                    }
                    items.push(Operand::Constant(self.literal(word, self.tested)?));
                }
            }
        }
    }

    fn expr_of(&self, text: &[u8]) -> Read<(Operand, Sort)> {
        let mut cursor = Cursor { rest: text };
        let found = self.expr(&mut cursor, MOST_CALLS)?;
        cursor.skip(is_blank);
        match cursor.rest {
            b"" => Ok(found),
            rest => {
                let message = format!("`{}` stands behind the expression", String::from_utf8_lossy(rest));
                let problem = UnlocatedDiagnostic::new(Code::RuleValue, message);
                let left = text.get(..text.len() - rest.len()).unwrap_or_default();
                Err(match infix::read(rest) {
                    Some(operator) => match self.as_call(left, operator, rest) {
                        Some(call) => problem.help(format!("write `{call}`")),
                        None => problem,
                    },
                    None => problem,
                })
            }
        }
    }

    /// What is written with an operator, as a call; `None` if no value follows the operator.
    fn as_call(&self, left: &[u8], operator: Infix, rest: &[u8]) -> Option<String> {
        let behind = rest.get(operator.written.len()..)?;
        let mut cursor = Cursor { rest: behind };
        self.expr(&mut cursor, MOST_CALLS).ok()?;
        let right = behind.get(..behind.len() - cursor.rest.len())?;
        Some(operator.as_call(left, right))
    }

    fn expr(&self, cursor: &mut Cursor<'_>, depth: u32) -> Read<(Operand, Sort)> {
        cursor.skip(is_blank);
        match cursor.peek() {
            Some('$') => self.reference(cursor),
            Some('@') => self.call(cursor, depth),
            Some(quote @ ('"' | '\'')) => {
                Ok((Operand::Constant(text_or_bytes(&cursor.quoted(quote)?)), Sort::Text))
            }
            Some(c) if c.is_ascii_digit() || matches!(c, '-' | '+' | '.') => {
                let word =
                    utf8(cursor.take(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '+' | '.' | '_')))?;
                match integer(word) {
                    Ok(value) => Ok((Operand::Constant(value.into()), Sort::Int)),
                    Err(_) => Ok((Operand::Constant(double(word)?), Sort::Double)),
                }
            }
            Some(c) if c.is_ascii_alphabetic() || c == '_' => self.word(cursor),
            Some(_) => {
                let rest = String::from_utf8_lossy(cursor.rest);
                let other: String = rest.chars().take(1).collect();
                let problem = UnlocatedDiagnostic::new(Code::RuleValue, format!("`{other}` begins no value"));
                Err(match other.as_str() {
                    "!" => problem.help("write `@not(..)`"),
                    _ => problem,
                })
            }
            None => Err(UnlocatedDiagnostic::new(Code::RuleValue, "a value is missing")),
        }
    }

    /// `true`, `false`, `Enum.X` or the name of a constant.
    fn word(&self, cursor: &mut Cursor<'_>) -> Read<(Operand, Sort)> {
        let word = utf8(cursor.take(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '.')))?;
        match word {
            "true" => return Ok((Operand::from(true), Sort::Bool)),
            "false" => return Ok((Operand::from(false), Sort::Bool)),
            _ => {}
        }
        if let Some((prefix, name)) = word.rsplit_once('.') {
            let of = prefix.rsplit('.').next().unwrap_or(prefix);
            let found = self.model.enums.iter().zip(0u32..).find(|(it, _)| it.name.text == of);
            if let Some((member, id)) = found.and_then(|(it, id)| Some((it.member(name)?, id))) {
                return Ok((Operand::from(i64::from(member.number)), Sort::Enum(EnumId(id))));
            }
        }
        let name = word.rsplit('.').next().unwrap_or(word);
        let constant = self.model.consts.iter().find(|constant| constant.name.text == name);
        match constant.and_then(|constant| constant.value.as_ref()) {
            Some(ConstantValue::Bool(value)) => Ok((Operand::from(*value), Sort::Bool)),
            Some(ConstantValue::Int(value)) => Ok((Operand::from(*value), Sort::Int)),
            Some(ConstantValue::Double(value)) => Ok((Operand::from(*value), Sort::Double)),
            Some(ConstantValue::Bytes(value)) => Ok((Operand::Constant(text_or_bytes(value)), Sort::Text)),
            Some(ConstantValue::Enum(id, number)) => Ok((Operand::from(i64::from(*number)), Sort::Enum(*id))),
            _ => Err(UnlocatedDiagnostic::new(
                Code::RuleValue,
                format!("`{word}` is neither a constant nor a member of an enum"),
            )),
        }
    }

    fn reference(&self, cursor: &mut Cursor<'_>) -> Read<(Operand, Sort)> {
        let start = cursor.rest;
        cursor.bump();
        let mut ty = None;
        let base = match cursor.peek() {
            Some('$') => {
                cursor.bump();
                ty = Some(self.tested);
                Base::Current
            }
            Some(c) if c.is_ascii_alphabetic() || c == '_' => {
                let name = utf8(cursor.take(|c| c.is_ascii_alphanumeric() || c == '_'))?;
                let field = self.owner.and_then(|owner| owner.field(name));
                match (field, self.owner) {
                    (Some(field), _) => ty = Some(self.model.real(field.ty)),
                    (None, Some(owner)) => return Err(self.no_field(name, owner, "$")),
                    // A typedef's rules stand in whatever struct uses it.
                    (None, None) => {}
                }
                Base::Field(name.into())
            }
            _ => {
                ty = self.own.map(|own| self.model.real(own));
                Base::Own
            }
        };
        let steps = self.steps(cursor, start, &mut ty)?;
        Ok((Operand::Reference(Reference { base, steps }), ty.map_or(Sort::Unknown, Sort::of)))
    }

    /// A reference to a field that a struct does not have; `before` is what is written before the name.
    fn no_field(&self, name: &str, owner: &Struct, before: &str) -> UnlocatedDiagnostic {
        let names = owner.fields.iter().map(|field| field.name.text.as_str());
        let problem = UnlocatedDiagnostic::new(
            Code::RuleReference,
            format!("`{}` has no field `{name}`", owner.name.text),
        );
        match diagnostics::suggest(name, names) {
            Some(near) => problem.help(format!("did you mean `{before}{near}`?")),
            None => problem,
        }
    }

    fn steps(
        &self,
        cursor: &mut Cursor<'_>,
        start: &[u8],
        ty: &mut Option<Type>,
    ) -> Read<Vec<ReferenceStep>> {
        let mut steps = Vec::new();
        loop {
            let read = start.get(..start.len() - cursor.rest.len()).unwrap_or_default();
            let before = String::from_utf8_lossy(read);
            match cursor.peek() {
                Some('[') => {
                    cursor.bump();
                    let step = match cursor.peek() {
                        Some(quote @ ('"' | '\'')) => {
                            ReferenceStep::Key(utf8(&cursor.quoted(quote)?)?.into())
                        }
                        _ => ReferenceStep::Index(integer(utf8(cursor.take(|c| c != ']'))?)?),
                    };
                    if cursor.peek() != Some(']') {
                        return Err(UnlocatedDiagnostic::new(
                            Code::RuleValue,
                            "a reference has no closing `]`",
                        ));
                    }
                    cursor.bump();
                    *ty = self.indexed(*ty, &step, &before)?;
                    steps.push(step);
                }
                Some('.') => {
                    cursor.bump();
                    let name = utf8(cursor.take(|c| c.is_ascii_alphanumeric() || c == '_'))?;
                    let Some(Type::Struct(id)) = *ty else {
                        let is = ty.map_or("not known here", |ty| Sort::of(ty).name());
                        let message = format!("`{before}.{name}` needs a struct, `{before}` is {is}");
                        return Err(UnlocatedDiagnostic::new(Code::RuleReference, message));
                    };
                    let owner = &self.model[id];
                    let prefix = format!("{before}.");
                    let field = owner.field(name).ok_or_else(|| self.no_field(name, owner, &prefix))?;
                    *ty = Some(self.model.real(field.ty));
                    // Fields travel by number.
                    let number = i64::from(field.wire_id());
                    let absent = Absent { model: self.model, compat: self.compat }.stand_in(owner, field);
                    steps.push(ReferenceStep::Member {
                        number,
                        name: name.into(),
                        absent: absent.map(Box::new),
                    });
                }
                _ => return Ok(steps),
            }
        }
    }

    /// The type of an element; `before` is what is written before the index.
    fn indexed(&self, ty: Option<Type>, step: &ReferenceStep, before: &str) -> Read<Option<Type>> {
        let wrong = |message: String| Err(UnlocatedDiagnostic::new(Code::RuleReference, message));
        match (ty, step) {
            (None, _) => Ok(None),
            (Some(Type::List(element) | Type::Set(element)), ReferenceStep::Index(0..)) => {
                Ok(Some(self.model.real(element)))
            }
            (Some(Type::List(_) | Type::Set(_)), ReferenceStep::Index(_)) => {
                wrong(format!("an index of `{before}` cannot be negative"))
            }
            (Some(Type::List(_) | Type::Set(_)), ReferenceStep::Key(_) | ReferenceStep::Member { .. }) => {
                wrong(format!("`{before}` is a list or set, and indexed by a number"))
            }
            (Some(Type::Map(key, value)), step) => match (self.model.real(key), step) {
                (Type::I8 | Type::I16 | Type::I32 | Type::I64 | Type::Enum(_), ReferenceStep::Index(_))
                | (Type::String | Type::Binary, ReferenceStep::Key(_)) => Ok(Some(self.model.real(value))),
                (key, _) => wrong(format!(
                    "no key of `{before}` is written like this: each is {}",
                    Sort::of(key).name()
                )),
            },
            (Some(other), _) => {
                wrong(format!("`{before}` is {}, and has no elements", Sort::of(other).name()))
            }
        }
    }

    fn call(&self, cursor: &mut Cursor<'_>, depth: u32) -> Read<(Operand, Sort)> {
        let Some(depth) = depth.checked_sub(1) else {
            return Err(UnlocatedDiagnostic::new(Code::RuleValue, "calls nest too deeply"));
        };
        cursor.bump();
        let name = utf8(cursor.take(|c| c.is_ascii_alphanumeric() || c == '_'))?;
        if cursor.peek() != Some('(') {
            return Err(UnlocatedDiagnostic::new(Code::RuleFunction, format!("`@{name}` is not a call")).help(
                "write `(..)` behind the name, or add `_escape` to the validator to take the value literally",
            ));
        }
        cursor.bump();
        let mut arguments = Vec::new();
        let mut sorts = Vec::new();
        let mut last: &[u8] = b"";
        loop {
            cursor.skip(is_blank);
            match cursor.peek() {
                Some(')') => {
                    cursor.bump();
                    break;
                }
                Some(',' | ';') if !arguments.is_empty() => cursor.bump(),
                None => {
                    return Err(UnlocatedDiagnostic::new(
                        Code::RuleValue,
                        format!("the call of `@{name}` has no closing `)`"),
                    ));
                }
                _ => {
                    // A sign begins a number, and no comma is needed before it.
                    let operator = infix::read(cursor.rest).filter(|it| !it.is_sign() && !last.is_empty());
                    if let Some(operator) = operator
                        && let Some(call) = self.as_call(last, operator, cursor.rest)
                    {
                        let message = format!("`{}` stands behind an argument", operator.written);
                        return Err(UnlocatedDiagnostic::new(Code::RuleValue, message)
                            .help(format!("write `{call}`")));
                    }
                    let start = cursor.rest;
                    let (operand, sort) = self.expr(cursor, depth)?;
                    last = start.get(..start.len() - cursor.rest.len()).unwrap_or_default();
                    arguments.push(operand);
                    sorts.push(sort);
                }
            }
        }
        self.check_call(name, &arguments)?;
        check_sorts(name, &arguments, &sorts)?;
        if let Some(types) = self.functions.declared(name).and_then(|it| it.types.as_ref()) {
            let operand = declared_call(name, types, arguments, &sorts)?;
            return Ok((operand, Sort::given(types.gives)));
        }
        let sort = match gives(name) {
            Some(Gives::Int) => Sort::Int,
            Some(Gives::Bool) => Sort::Bool,
            Some(Gives::Text) => Sort::Text,
            Some(Gives::Like) if sorts.contains(&Sort::Text) => Sort::Text,
            Some(Gives::Like) if sorts.contains(&Sort::Double) => Sort::Double,
            Some(Gives::Like) => Sort::Int,
            None => Sort::Unknown,
        };
        Ok((Operand::Call { function: name.into(), arguments }, sort))
    }

    fn check_call(&self, name: &str, arguments: &[Operand]) -> Read<()> {
        let Some(signature) = self.functions.signature(name) else {
            let names = self.functions.names();
            let problem =
                UnlocatedDiagnostic::new(Code::RuleFunction, format!("there is no function `{name}`"));
            return Err(match diagnostics::suggest(name, names.iter().copied()) {
                Some(near) => problem.help(format!("did you mean `@{near}`?")),
                None => problem.help(format!(
                    "known functions are {}; declare others with `--function`, as in `twice(i64) -> i64`",
                    names.join(", ")
                )),
            });
        };
        if arguments.len() < signature.least || arguments.len() > signature.most {
            let count = signature.least;
            let noun = if count == 1 { "argument" } else { "arguments" };
            let least = if signature.most == count { "" } else { "at least " };
            let message = format!("`{name}` takes {least}{count} {noun}, found {}", arguments.len());
            return Err(UnlocatedDiagnostic::new(Code::RuleFunction, message));
        }
        match (name, arguments.first()) {
            ("sprintf", Some(Operand::Constant(Constant::Text(format)))) => check_verbs(format),
            ("sprintf", Some(Operand::Constant(Constant::Bytes(format)))) => utf8(format).map(|_| ()),
            _ => Ok(()),
        }
    }
}

/// Whether the arguments of a built-in function are what it works on: what would fail for every message fails now.
fn check_sorts(name: &str, arguments: &[Operand], sorts: &[Sort]) -> Read<()> {
    let is_number = |sort: &Sort| matches!(sort, Sort::Int | Sort::Double | Sort::Enum(_) | Sort::Unknown);
    let is_text = |sort: &Sort| matches!(sort, Sort::Text | Sort::Unknown);
    let is_bool = |sort: &Sort| matches!(sort, Sort::Bool | Sort::Unknown);
    let is_sized = |sort: &Sort| matches!(sort, Sort::Text | Sort::List | Sort::Map | Sort::Unknown);
    let odd = match name {
        "len" => sorts.iter().position(|sort| !is_sized(sort)).map(|odd| (odd, "a string or a container")),
        "rune_len" => sorts.iter().position(|sort| !is_text(sort)).map(|odd| (odd, "a string")),
        "and" | "or" | "not" => sorts.iter().position(|sort| !is_bool(sort)).map(|odd| (odd, "bools")),
        "add" if sorts.iter().all(is_text) => None,
        "lt" | "le" | "gt" | "ge" | "add" | "sub" | "mul" | "div" | "mod" => {
            sorts.iter().position(|sort| !is_number(sort)).map(|odd| (odd, "numbers"))
        }
        _ => None,
    };
    match odd.and_then(|(odd, needs)| Some((arguments.get(odd)?, sorts.get(odd)?, needs))) {
        Some((argument, sort, needs)) => {
            let message = format!("`@{name}` needs {needs}, `{argument}` is {}", sort.name());
            Err(UnlocatedDiagnostic::new(Code::RuleFunction, message))
        }
        None => Ok(()),
    }
}

/// The call of a function that is declared, if its arguments have the types that it takes.
fn declared_call(
    name: &str,
    types: &DeclaredTypes,
    arguments: Vec<Operand>,
    sorts: &[Sort],
) -> Read<Operand> {
    let mut taken = Vec::with_capacity(arguments.len());
    for (position, (argument, sort)) in arguments.into_iter().zip(sorts).enumerate() {
        let Some(wanted) = types.parameter(position) else { continue };
        taken.push(match (argument, wanted) {
            // Languages tell the two apart; who writes `2` for a double means 2.0.
            (Operand::Constant(Constant::Int(whole)), DeclaredType::Double) => {
                Operand::Constant((whole as f64).into())
            }
            (argument, _) if sort.is_taken_as(wanted) => argument,
            (argument, _) => {
                let message = format!("`@{name}` takes {}, `{argument}` is {}", wanted.noun(), sort.name());
                return Err(UnlocatedDiagnostic::new(Code::RuleFunction, message));
            }
        });
    }
    Ok(Operand::Call { function: name.into(), arguments: taken })
}

/// How deep calls may nest.
const MOST_CALLS: u32 = 32;

fn check_verbs(format: &str) -> Read<()> {
    let mut letters = format.chars();
    while let Some(letter) = letters.next() {
        if letter == '%' {
            match letters.next() {
                Some(verb) if VERBS.contains(verb) => {}
                other => {
                    let verb: String = other.into_iter().collect();
                    return Err(UnlocatedDiagnostic::new(
                        Code::RuleFunction,
                        format!("`%{verb}` is not a verb of `sprintf` here"),
                    )
                    .help("known verbs are %s %d %v %q %x %f %%"));
                }
            }
        }
    }
    Ok(())
}

/// Whether an operand of a sort can be compared with a value of a type.
fn fits(sort: Sort, wanted: Type) -> bool {
    match (sort, Sort::of(wanted)) {
        (Sort::Unknown, _) | (_, Sort::Unknown) => true,
        (Sort::Int | Sort::Double, Sort::Int | Sort::Double) => true,
        (Sort::Int, Sort::Enum(_)) | (Sort::Enum(_), Sort::Int) => true,
        (found, wanted) => found == wanted && !matches!(found, Sort::List | Sort::Map | Sort::Struct),
    }
}

fn bad_value(text: &str, needs: &str) -> UnlocatedDiagnostic {
    UnlocatedDiagnostic::new(Code::RuleValue, format!("expected {needs}, found `{text}`"))
}

/// Reads an integer: decimal, `0x`, `0o` or `0b`, a sign, underscores between digits.
fn integer(text: &str) -> Read<i64> {
    let bad = || bad_value(text, "an integer");
    let (negative, digits) = match text.as_bytes().first() {
        Some(b'-') => (true, text.get(1..).unwrap_or_default()),
        Some(b'+') => (false, text.get(1..).unwrap_or_default()),
        _ => (false, text),
    };
    let lower = digits.to_ascii_lowercase();
    let (radix, digits) = match lower.as_str() {
        hex if hex.starts_with("0x") => (16, hex.get(2..)),
        octal if octal.starts_with("0o") => (8, octal.get(2..)),
        binary if binary.starts_with("0b") => (2, binary.get(2..)),
        plain
            if plain.len() > 1
                && plain.starts_with('0')
                && plain.bytes().all(|b| b.is_ascii_digit() || b == b'_') =>
        {
            return Err(UnlocatedDiagnostic::new(
                Code::RuleValue,
                format!("`{text}` has a leading zero, which Go reads as octal"),
            )
            .help("leave the zero out, or write `0o`"));
        }
        plain => (10, Some(plain)),
    };
    let digits = digits.unwrap_or_default();
    if digits.is_empty() || digits.starts_with('_') || digits.ends_with('_') || digits.contains("__") {
        return Err(bad());
    }
    let plain: String = digits.chars().filter(|c| *c != '_').collect();
    if !plain.chars().all(|c| c.is_digit(radix)) {
        return Err(bad());
    }
    let magnitude =
        i128::from_str_radix(&plain, radix).map_err(|_| bad_value(text, "an integer of 64 bits"))?;
    let value = if negative { -magnitude } else { magnitude };
    i64::try_from(value).map_err(|_| bad_value(text, "an integer of 64 bits"))
}

/// Reads a double; an integer is one too.
fn double(text: &str) -> Read<Constant> {
    if let Ok(value) = integer(text) {
        return Ok(Constant::Int(value));
    }
    match text.to_ascii_lowercase().as_str() {
        "inf" | "+inf" => return Ok(f64::INFINITY.into()),
        "-inf" => return Ok(f64::NEG_INFINITY.into()),
        "nan" | "+nan" | "-nan" => {
            return Err(UnlocatedDiagnostic::new(Code::RuleValue, "nothing can be compared with NaN"));
        }
        _ => {}
    }
    let plain = text.starts_with(|c: char| c.is_ascii_digit() || matches!(c, '-' | '+' | '.'))
        && text.bytes().all(|b| b.is_ascii_digit() || matches!(b, b'-' | b'+' | b'.' | b'e' | b'E'));
    match text.parse::<f64>() {
        Ok(value) if plain && value.is_finite() => Ok(value.into()),
        _ => Err(bad_value(text, "a number")),
    }
}

/// Reads a uuid as its sixteen bytes.
fn uuid(text: &str) -> Read<Constant> {
    let digits: String = text.chars().filter(|c| *c != '-').collect();
    let bytes: Option<Vec<u8>> = match digits.len() == 32 && digits.is_ascii() {
        true => (0..16).map(|at| u8::from_str_radix(digits.get(at * 2..at * 2 + 2)?, 16).ok()).collect(),
        false => None,
    };
    bytes.map(|bytes| Constant::Bytes(bytes.into())).ok_or_else(|| bad_value(text, "a uuid"))
}

/// Whether a character belongs to a word of a list.
fn is_of_word(c: char) -> bool {
    !is_blank(c) && !matches!(c, ',' | ';' | ']' | '[')
}

fn is_blank(c: char) -> bool {
    c.is_ascii_whitespace()
}

/// Bytes as text, where a rule needs text.
fn utf8(bytes: &[u8]) -> Read<&str> {
    std::str::from_utf8(bytes).map_err(|error| {
        let message = format!("byte {} of the value is not UTF-8", error.valid_up_to() + 1);
        UnlocatedDiagnostic::new(Code::RuleValue, message)
            .help("only values of strings and binaries may hold any bytes")
    })
}

/// A constant of bytes, which are text if they can be.
fn text_or_bytes(bytes: &[u8]) -> Constant {
    match std::str::from_utf8(bytes) {
        Ok(text) => text.into(),
        Err(_) => Constant::Bytes(bytes.into()),
    }
}

/// The rest of a value that is being read. Whatever separates its parts is ASCII, so that texts may be any bytes.
struct Cursor<'t> {
    rest: &'t [u8],
}

impl<'t> Cursor<'t> {
    /// The next byte; one that is not ASCII is some character that separates nothing.
    fn peek(&self) -> Option<char> {
        self.rest.first().map(|byte| char::from(*byte))
    }

    fn bump(&mut self) {
        self.rest = self.rest.get(1..).unwrap_or_default();
    }

    fn skip(&mut self, skipped: impl Fn(char) -> bool) {
        self.take(skipped);
    }

    fn take(&mut self, taken: impl Fn(char) -> bool) -> &'t [u8] {
        let is_end = |byte: &u8| !taken(char::from(*byte));
        let end = self.rest.iter().position(is_end).unwrap_or(self.rest.len());
        let (word, rest) = self.rest.split_at_checked(end).unwrap_or_default();
        self.rest = rest;
        word
    }

    /// A quoted text; a backslash takes the next character as it is.
    fn quoted(&mut self, quote: char) -> Read<Vec<u8>> {
        self.bump();
        let mut out = Vec::new();
        let mut bytes = self.rest.iter();
        while let Some(byte) = bytes.next() {
            match *byte {
                b'\\' => out.extend(bytes.next()),
                byte if char::from(byte) == quote => {
                    self.rest = bytes.as_slice();
                    return Ok(out);
                }
                byte => out.push(byte),
            }
        }
        Err(UnlocatedDiagnostic::new(Code::RuleValue, "a quoted text has no closing quote"))
    }
}

impl Class {
    /// What a value of the class is called.
    pub(super) fn noun(self) -> &'static str {
        match self {
            Class::Bool => "a bool",
            Class::Int => "an integer",
            Class::Double => "a double",
            Class::String => "a string",
            Class::Binary => "a binary",
            Class::Uuid => "a uuid",
            Class::Enum => "an enum",
            Class::List => "a list or set",
            Class::Map => "a map",
            Class::Struct => "a struct",
        }
    }
}
