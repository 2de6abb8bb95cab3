//! `const`, `typedef`, `enum`, `struct`, `union`, `exception`.

use super::{Code, IdlTokenKind, Keyword, NamePlace, Parse, Parser};
use crate::idl::{
    Annotations, Comment, Const, Definition, Enum, EnumValue, Integer, StructKind, StructLike, Typedef,
};

impl Parser<'_> {
    pub(super) fn definition(&mut self, keyword: Keyword) -> Parse<Definition> {
        let leading = self.leading_comments();
        match keyword {
            Keyword::Const => self.constant(leading).map(Definition::Const),
            Keyword::Typedef => self.typedef(leading).map(Definition::Typedef),
            Keyword::Enum => self.enumeration(leading).map(Definition::Enum),
            Keyword::Struct => self.structure(StructKind::Struct, leading).map(Definition::Struct),
            Keyword::Union => self.structure(StructKind::Union, leading).map(Definition::Struct),
            Keyword::Exception => self.structure(StructKind::Exception, leading).map(Definition::Struct),
            _ => self.service(leading).map(Definition::Service),
        }
    }

    fn constant(&mut self, leading: Vec<Comment>) -> Parse<Const> {
        let first = self.bump();
        let ty = self.type_ref()?;
        let name = self.declared_name("the name of the constant", NamePlace::Elsewhere)?;
        self.expect(IdlTokenKind::Equal, "and the value of the constant")?;
        let value = self.const_value()?;
        self.separator();
        let annotations = self.definition_annotations()?;
        if let Some(annotation) = annotations.iter().next() {
            self.disagree(Code::AnnotatedConst, annotation.span, "a constant with annotations");
            self.separator();
        }
        let span = self.span_from(first);
        Ok(Const { ty, name, value, annotations, comments: self.comments_around(leading), span })
    }

    fn typedef(&mut self, leading: Vec<Comment>) -> Parse<Typedef> {
        let first = self.bump();
        let ty = self.type_ref()?;
        let name = self.declared_name("the new name of the type", NamePlace::Elsewhere)?;
        let annotations = self.definition_annotations()?;
        let span = self.span_from(first);
        if let Some(token) = self.separator() {
            let span = self.span_of(token);
            self.disagree(Code::TypedefSeparator, span, "a separator behind a typedef");
        }
        Ok(Typedef { ty, name, annotations, comments: self.comments_around(leading), span })
    }

    fn enumeration(&mut self, leading: Vec<Comment>) -> Parse<Enum> {
        let first = self.bump();
        let name = self.declared_name("the name of the enum", NamePlace::Elsewhere)?;
        let open =
            self.expect(IdlTokenKind::LBrace, &format!("to start the members of enum `{}`", name.text))?;
        let owner = format!("enum `{}`", name.text);
        let values = self.members(open, IdlTokenKind::RBrace, &owner, Self::enum_value);
        let annotations = self.definition_annotations()?;
        let span = self.span_from(first);
        Ok(Enum { name, values, annotations, comments: self.comments_around(leading), span })
    }

    fn enum_value(&mut self) -> Parse<EnumValue> {
        let leading = self.leading_comments();
        self.fbthrift_annotations();
        let first = self.peek();
        let name = self.declared_name("a member of the enum", NamePlace::Elsewhere)?;
        let number = match self.eat(IdlTokenKind::Equal) {
            Some(_) if self.kind() == IdlTokenKind::Int => {
                let token = self.bump();
                Some(Integer { value: self.integer(token)?, span: self.span_of(token) })
            }
            Some(_) => return Err(self.expected("the number of the member")),
            None => None,
        };
        let annotations = self.definition_annotations()?;
        let span = self.span_from(first);
        self.separator();
        Ok(EnumValue { name, number, annotations, comments: self.comments_around(leading), span })
    }

    fn structure(&mut self, kind: StructKind, leading: Vec<Comment>) -> Parse<StructLike> {
        let first = self.bump();
        let word = self.text_of(first).to_owned();
        let name = self.declared_name(&format!("the name of the {word}"), NamePlace::Elsewhere)?;
        if let Some(token) = self.eat_keyword(Keyword::XsdAll) {
            let span = self.span_of(token);
            self.disagree(Code::XsdKeyword, span, "an XSD marker");
        }
        let open =
            self.expect(IdlTokenKind::LBrace, &format!("to start the fields of {word} `{}`", name.text))?;
        let owner = format!("{word} `{}`", name.text);
        let fields = self.members(open, IdlTokenKind::RBrace, &owner, Self::field);
        let annotations = self.definition_annotations()?;
        let span = self.span_from(first);
        Ok(StructLike { kind, name, fields, annotations, comments: self.comments_around(leading), span })
    }

    /// Annotations, if an opening parenthesis follows.
    pub(super) fn definition_annotations(&mut self) -> Parse<Annotations> {
        match self.kind() {
            IdlTokenKind::LParen => self.annotations(),
            _ => Ok(Annotations::default()),
        }
    }
}
