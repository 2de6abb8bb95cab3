//! Types.

use super::{Code, IdlToken, IdlTokenKind, Keyword, Parse, ParseFailed, Parser};
use crate::idl::{Annotations, BaseType, Literal, TypeKind, TypeRef};

impl Parser<'_> {
    pub(super) fn type_ref(&mut self) -> Parse<TypeRef> {
        self.nested(Self::type_ref_inner)
    }

    fn type_ref_inner(&mut self) -> Parse<TypeRef> {
        let first = self.peek();
        let mut cpp_type = None;
        let kind = match first.kind {
            IdlTokenKind::Keyword(keyword) => match base_type(keyword) {
                Some(base) => {
                    self.bump();
                    if base == BaseType::Uuid {
                        let span = self.span_of(first);
                        self.disagree(Code::UuidType, span, "the type `uuid`");
                    }
                    TypeKind::Base(base)
                }
                None => self.container(keyword, &mut cpp_type)?,
            },
            IdlTokenKind::Name => {
                self.fbthrift_type()?;
                self.removed_type()?;
                TypeKind::Named(self.name().text)
            }
            _ => return Err(self.expected("a type")),
        };
        let span = self.span_from(first);
        let annotations = match self.kind() {
            IdlTokenKind::LParen => self.annotations()?,
            _ => Annotations::default(),
        };
        if let (TypeKind::Named(name), Some(annotation)) = (&kind, annotations.iter().next()) {
            let message = format!("annotations directly behind the named type `{name}`");
            self.disagree(Code::AnnotatedNamedType, annotation.span, message);
        }
        Ok(TypeRef { kind, cpp_type, annotations, span })
    }

    fn container(&mut self, keyword: Keyword, cpp_type: &mut Option<Literal>) -> Parse<TypeKind> {
        let word = keyword.text();
        let first = match keyword {
            Keyword::Map | Keyword::List | Keyword::Set => self.bump(),
            Keyword::Void => {
                let help = "only a function can have the result `void`".to_owned();
                return Err(self.expected_with("a type", Some(help)));
            }
            _ => return Err(self.expected("a type")),
        };
        *cpp_type = self.cpp_type()?;
        if keyword == Keyword::List && cpp_type.is_some() {
            let span = self.span_from(first);
            self.disagree(Code::CppTypePlace, span, "`cpp_type` before the element type of a list");
        }
        if self.eat(IdlTokenKind::Less).is_none() {
            let example = if keyword == Keyword::Map { "map<string, i32>" } else { "<i32>" };
            let example =
                if keyword == Keyword::Map { example.to_owned() } else { format!("{word}{example}") };
            let help = format!("a {word} type is written `{example}`");
            return Err(self.expected_with(&format!("`<` behind `{word}`"), Some(help)));
        }
        let element = Box::new(self.type_ref()?);
        let kind = match keyword {
            Keyword::Map => {
                self.expect(IdlTokenKind::Comma, "between the key type and the value type of a map")?;
                TypeKind::Map(element, Box::new(self.type_ref()?))
            }
            Keyword::Set => TypeKind::Set(element),
            _ => TypeKind::List(element),
        };
        self.expect(IdlTokenKind::Greater, &format!("to end the {word} type"))?;
        if keyword == Keyword::List && cpp_type.is_none() {
            *cpp_type = self.cpp_type()?;
        }
        Ok(kind)
    }

    fn cpp_type(&mut self) -> Parse<Option<Literal>> {
        match self.eat_keyword(Keyword::CppType) {
            Some(_) => self.literal("the C++ type, in quotes").map(Some),
            None => Ok(None),
        }
    }

    /// `slist` went with `senum`.
    fn removed_type(&mut self) -> Parse<()> {
        let token: IdlToken = self.peek();
        if self.text_of(token) != "slist" || self.nth(1).kind == IdlTokenKind::Less {
            return Ok(());
        }
        let span = self.span_of(token);
        let diagnostic = Code::RemovedSyntax.at(span, "`slist` is no longer part of the language");
        self.report(diagnostic.help("use `string` or `list<string>`"));
        Err(ParseFailed)
    }
}

fn base_type(keyword: Keyword) -> Option<BaseType> {
    Some(match keyword {
        Keyword::Bool => BaseType::Bool,
        Keyword::Byte | Keyword::I8 => BaseType::I8,
        Keyword::I16 => BaseType::I16,
        Keyword::I32 => BaseType::I32,
        Keyword::I64 => BaseType::I64,
        Keyword::Double => BaseType::Double,
        Keyword::String => BaseType::String,
        Keyword::Binary => BaseType::Binary,
        Keyword::Uuid => BaseType::Uuid,
        _ => return None,
    })
}
