//! A written value becomes a value of a type.

use std::collections::HashMap;

use super::data::{ConstantValue, EnumId, StructId, Type, TypeId};
use super::names::Constant;
use super::resolve::Resolver;
use crate::idl::{ConstKind, ConstValue};
use crate::suggest::did_you_mean;
use crate::{Code, FileId, Severity, Span};

/// Comparing two types stops after this many steps; they count as different then.
const MAX_COMPARISONS: usize = 10_000;

impl Resolver<'_> {
    /// Works out a value for a type; `None` if something about it was reported.
    pub(super) fn value(&mut self, file: FileId, written: &ConstValue, ty: TypeId) -> Option<ConstantValue> {
        let real = self.model.real(ty);
        let span = written.span;
        match (&written.kind, real) {
            (_, Type::Error) | (ConstKind::Error, _) => None,
            (ConstKind::Identifier(name), _) => self.identifier(file, name, span, ty, real),
            (ConstKind::Bool(value), Type::Bool) => Some(ConstantValue::Bool(*value)),
            // `true` and `false` are the numbers 1 and 0 to the compilers.
            (ConstKind::Bool(value), _) if real.integer_range().is_some() => {
                Some(ConstantValue::Int((*value).into()))
            }
            (ConstKind::Int(number), _) => self.integer(*number, span, ty, real),
            (ConstKind::Double(number), Type::Double) => Some(ConstantValue::Double(*number)),
            (ConstKind::Literal(literal), Type::String | Type::Binary) => {
                Some(ConstantValue::Bytes(literal.value.as_slice().into()))
            }
            (ConstKind::Literal(literal), Type::Uuid) => {
                let parsed = parse_uuid(&literal.value);
                if parsed.is_none() {
                    let message = format!("`{}` is not a uuid", literal.text());
                    let help = "write it as \"00000000-0000-0000-0000-000000000000\"";
                    self.report(Code::ConstantType.at(span, message).help(help));
                }
                parsed.map(ConstantValue::Uuid)
            }
            (ConstKind::List(items), Type::List(element) | Type::Set(element)) => {
                let items: Vec<Option<ConstantValue>> =
                    items.iter().map(|item| self.value(file, item, element)).collect();
                let items: Option<Vec<ConstantValue>> = items.into_iter().collect();
                Some(ConstantValue::List(items?.into()))
            }
            (ConstKind::Map(entries), Type::List(_) | Type::Set(_)) if entries.is_empty() => {
                Some(ConstantValue::List([].into()))
            }
            (ConstKind::Map(entries), Type::Map(key_type, value_type)) => {
                let entries: Vec<Option<(ConstantValue, ConstantValue)>> = entries
                    .iter()
                    .map(|(key, value)| {
                        let key = self.value(file, key, key_type);
                        let value = self.value(file, value, value_type);
                        Some((key?, value?))
                    })
                    .collect();
                let entries: Option<Vec<(ConstantValue, ConstantValue)>> = entries.into_iter().collect();
                Some(ConstantValue::Map(entries?.into()))
            }
            (ConstKind::List(items), Type::Map(..)) if items.is_empty() => {
                Some(ConstantValue::Map([].into()))
            }
            (ConstKind::List(items), Type::Struct(id)) if items.is_empty() => {
                Some(ConstantValue::Struct(id, [].into()))
            }
            (ConstKind::Map(entries), Type::Struct(id)) => self.struct_value(file, entries, id),
            (kind, _) => self.mismatch(kind_name(kind), span, ty),
        }
    }

    fn mismatch(&mut self, found: &str, span: Span, ty: TypeId) -> Option<ConstantValue> {
        let message = format!("expected a value of type `{}`, found {found}", self.model.type_name(ty));
        self.report(Code::ConstantType.at(span, message));
        None
    }

    fn integer(&mut self, number: i64, span: Span, ty: TypeId, real: Type) -> Option<ConstantValue> {
        match real {
            Type::Bool => {
                if !(0..=1).contains(&number) {
                    let message = format!("`{number}` is given to a `bool` and counts as true");
                    let diagnostic = Code::ConstantRange.at(span, message);
                    self.report(diagnostic.with_severity(Severity::Warning).help("write `true`"));
                }
                Some(ConstantValue::Bool(number != 0))
            }
            Type::Double => Some(ConstantValue::Double(number as f64)),
            Type::Enum(id) => self.enum_number(number, span, id),
            _ => match real.integer_range() {
                Some((low, high)) if (low..=high).contains(&number) => Some(ConstantValue::Int(number)),
                Some((low, high)) => {
                    let name = self.model.type_name(ty);
                    let message = format!("`{number}` does not fit `{name}`, which holds {low} to {high}");
                    self.report(Code::ConstantRange.at(span, message));
                    None
                }
                None => self.mismatch("an integer", span, ty),
            },
        }
    }

    fn enum_number(&mut self, number: i64, span: Span, id: EnumId) -> Option<ConstantValue> {
        let Ok(number) = i32::try_from(number) else {
            let message = format!("`{number}` does not fit an enum, which holds 32 bits");
            self.report(Code::ConstantRange.at(span, message));
            return None;
        };
        if !self.model[id].has_number(number) {
            let message = format!("`{number}` is not a member of the enum `{}`", self.model[id].name.text);
            self.disagree(Code::EnumNumber, span, message);
        }
        Some(ConstantValue::Enum(id, number))
    }

    fn identifier(
        &mut self,
        file: FileId,
        name: &str,
        span: Span,
        ty: TypeId,
        real: Type,
    ) -> Option<ConstantValue> {
        let constant = match self.names.constant(self.program, &self.model, file, name, span) {
            Ok(constant) => constant,
            Err(diagnostic) => {
                let found = self.member_by_last_part(name, span, real);
                if found.is_none() {
                    self.report(*diagnostic);
                }
                return found;
            }
        };
        let defined = match constant {
            Constant::Const(id) => self.model[id].name.span,
            Constant::Member(id, _) => self.model[id].name.span,
        };
        if defined.file == file && defined.start > span.start {
            self.disagree(Code::UseBeforeDefinition, span, format!("`{name}` is defined below"));
        }
        match constant {
            Constant::Const(id) => {
                let value = self.model[id].value.clone()?;
                let from = self.model[id].ty;
                self.convert(value, from, span, ty, real)
            }
            Constant::Member(id, at) => {
                let number = self.model[id].members.get(at)?.number;
                match real {
                    Type::Enum(wanted) if wanted == id => Some(ConstantValue::Enum(id, number)),
                    _ => self.convert_member(id, number, span, ty, real),
                }
            }
        }
    }

    /// UPSTREAM: where an enum is wanted, the Apache compiler looks at the part behind the last dot only,
    /// so `Wrong.MEMBER` finds `MEMBER` of the right enum.
    fn member_by_last_part(&mut self, name: &str, span: Span, real: Type) -> Option<ConstantValue> {
        let Type::Enum(id) = real else { return None };
        let (qualifier, last) = name.rsplit_once('.')?;
        let owner = &self.model[id];
        let at = *self.names.scope(owner.file)?.members.get(&(id, last.to_owned()))?;
        let number = owner.members.get(at)?.number;
        let message = format!("`{last}` is a member of `{}`, not of `{qualifier}`", owner.name.text);
        self.disagree(Code::EnumQualifier, span, message);
        Some(ConstantValue::Enum(id, number))
    }

    /// A member of an enum where something else than that enum is wanted.
    fn convert_member(
        &mut self,
        id: EnumId,
        number: i32,
        span: Span,
        ty: TypeId,
        real: Type,
    ) -> Option<ConstantValue> {
        if let Type::Enum(wanted) = real {
            let (found, wanted_name) = (&self.model[id].name.text, &self.model[wanted].name.text);
            let message = format!("a member of `{found}` is given to the enum `{wanted_name}`");
            self.report(Code::ConstantType.at(span, message).with_severity(Severity::Warning));
        }
        match real {
            Type::Enum(_) => self.integer(number.into(), span, ty, real),
            _ if real.integer_range().is_some() => self.integer(number.into(), span, ty, real),
            _ => self.mismatch("an enum member", span, ty),
        }
    }

    /// The value of a constant of one type where another may be wanted.
    fn convert(
        &mut self,
        value: ConstantValue,
        from: TypeId,
        span: Span,
        ty: TypeId,
        real: Type,
    ) -> Option<ConstantValue> {
        match (&value, real) {
            (ConstantValue::Bool(_), Type::Bool)
            | (ConstantValue::Double(_), Type::Double)
            | (ConstantValue::Bytes(_), Type::String | Type::Binary)
            | (ConstantValue::Uuid(_), Type::Uuid) => Some(value),
            (ConstantValue::Bool(truth), _) if real.integer_range().is_some() => {
                Some(ConstantValue::Int((*truth).into()))
            }
            (ConstantValue::Int(number), _) => self.integer(*number, span, ty, real),
            (ConstantValue::Enum(id, _), Type::Enum(wanted)) if *id == wanted => Some(value),
            (ConstantValue::Enum(id, number), _) => self.convert_member(*id, *number, span, ty, real),
            (ConstantValue::List(_) | ConstantValue::Map(_) | ConstantValue::Struct(..), _)
                if self.same(from, ty, &mut { MAX_COMPARISONS }) =>
            {
                Some(value)
            }
            _ => {
                let found = format!("a constant of type `{}`", self.model.type_name(from));
                self.mismatch(&found, span, ty)
            }
        }
    }

    /// Whether two types are the same once typedefs are looked through. Depth is bounded by the depth of
    /// typedefs, breadth by the steps.
    fn same(&self, left: TypeId, right: TypeId, steps: &mut usize) -> bool {
        if left == right {
            return true;
        }
        *steps = steps.saturating_sub(1);
        if *steps == 0 {
            return false;
        }
        match (self.model.real(left), self.model.real(right)) {
            (Type::List(one), Type::List(two)) | (Type::Set(one), Type::Set(two)) => {
                self.same(one, two, steps)
            }
            (Type::Map(key, value), Type::Map(other_key, other_value)) => {
                self.same(key, other_key, steps) && self.same(value, other_value, steps)
            }
            (one, two) => one == two,
        }
    }

    fn struct_value(
        &mut self,
        file: FileId,
        entries: &[(ConstValue, ConstValue)],
        id: StructId,
    ) -> Option<ConstantValue> {
        let positions: HashMap<String, (usize, TypeId)> = self.model[id]
            .fields
            .iter()
            .enumerate()
            .map(|(at, field)| (field.name.text.clone(), (at, field.ty)))
            .collect();
        let mut seen: HashMap<usize, Span> = HashMap::new();
        let mut values = Vec::with_capacity(entries.len());
        let mut complete = true;
        for (key, value) in entries {
            let owner = &self.model[id].name.text;
            let ConstKind::Literal(name) = &key.kind else {
                let message = format!("the fields of `{owner}` are named by strings");
                self.report(Code::ConstantType.at(key.span, message).help("put the name in quotes"));
                complete = false;
                continue;
            };
            let name = name.text();
            let Some((at, ty)) = positions.get(name.as_ref()).copied() else {
                let message = format!("`{owner}` has no field `{name}`");
                let help =
                    did_you_mean(&name, self.model[id].fields.iter().map(|field| field.name.text.as_str()));
                let diagnostic = Code::UnknownConstField.at(key.span, message).maybe_help(help);
                self.report(diagnostic);
                complete = false;
                continue;
            };
            if let Some(first) = seen.insert(at, key.span) {
                let message = format!("the field `{name}` is given twice");
                let diagnostic = Code::DuplicateConstField.at(key.span, message);
                self.report(diagnostic.label(first, "first given here"));
                complete = false;
            }
            match self.value(file, value, ty) {
                Some(value) => values.push((at, value)),
                None => complete = false,
            }
        }
        complete.then(|| ConstantValue::Struct(id, values.into()))
    }
}

fn kind_name(kind: &ConstKind) -> &'static str {
    match kind {
        ConstKind::Bool(_) => "a truth value",
        ConstKind::Int(_) => "an integer",
        ConstKind::Double(_) => "a double",
        ConstKind::Literal(_) => "a string",
        ConstKind::Identifier(_) => "a name",
        ConstKind::List(_) => "a list",
        ConstKind::Map(_) => "a map",
        ConstKind::Error => "something else",
    }
}

/// Reads the usual form of a uuid, with or without dashes and braces.
fn parse_uuid(text: &[u8]) -> Option<[u8; 16]> {
    let text = std::str::from_utf8(text).ok()?;
    let inner = text.strip_prefix('{').and_then(|text| text.strip_suffix('}')).unwrap_or(text);
    let dashed =
        inner.len() == 36 && [8, 13, 18, 23].iter().all(|at| inner.as_bytes().get(*at) == Some(&b'-'));
    let digits: Vec<u8> = inner.bytes().filter(|byte| *byte != b'-').collect();
    if digits.len() != 32 || !(dashed || inner.len() == 32) || !digits.iter().all(u8::is_ascii_hexdigit) {
        return None;
    }
    u128::from_str_radix(std::str::from_utf8(&digits).ok()?, 16).ok().map(u128::to_be_bytes)
}
