//! Fields, arguments and throws entries.

use super::{Code, IdlToken, IdlTokenKind, Keyword, NamePlace, Parse, Parser};
use crate::idl::{Annotations, ConstValue, Field, Integer, Requiredness, TypeKind, TypeRef, Xsd};

impl Parser<'_> {
    pub(super) fn field(&mut self) -> Parse<Field> {
        let leading = self.leading_comments();
        self.fbthrift_annotations();
        let first = self.peek();
        let id = self.field_id()?;
        let requiredness = self.requiredness();
        if !matches!(self.kind(), IdlTokenKind::Name | IdlTokenKind::Keyword(_)) && id.is_none() {
            return Err(self.expected("a field"));
        }
        let ty = self.type_ref()?;
        if requiredness == Requiredness::Default {
            self.check_required_prefix(&ty);
        }
        let reference = self.reference_marker();
        let name = self.declared_name("the name of the field", NamePlace::Field)?;
        let mut default = match self.eat(IdlTokenKind::Equal) {
            Some(_) => Some(self.const_value()?),
            None => None,
        };
        let xsd = self.xsd_markers()?;
        let mut annotations = self.definition_annotations()?;
        if !annotations.is_empty() && default.is_none() && self.kind() == IdlTokenKind::Equal {
            default = Some(self.late_default()?);
        }
        let mut span = self.span_from(first);
        if self.separator().is_some() && self.kind() == IdlTokenKind::LParen {
            annotations = self.late_annotations(&annotations)?;
            span = self.span_from(first);
        }
        let comments = self.comments_around(leading);
        Ok(Field { id, requiredness, ty, reference, name, default, xsd, annotations, comments, span })
    }

    fn field_id(&mut self) -> Parse<Option<Integer>> {
        if self.kind() != IdlTokenKind::Int {
            return Ok(None);
        }
        let token = self.bump();
        let value = self.field_id_value(token)?;
        if self.eat(IdlTokenKind::Colon).is_none() {
            let help = format!("write `{}: type name`", self.text_of(token));
            return Err(self.expected_with("`:` behind the field id", Some(help)));
        }
        Ok(Some(Integer { value, span: self.span_of(token) }))
    }

    /// UPSTREAM: thriftgo reads ids in decimal, also with leading zeros, and takes anything else for 0.
    fn field_id_value(&mut self, token: IdlToken) -> Parse<i64> {
        if let Ok(decimal) = self.text_of(token).parse() {
            return Ok(decimal);
        }
        let value = self.integer(token)?;
        let message = format!("the field id `{}` is {value} here and 0 to thriftgo", self.text_of(token));
        let diagnostic = Code::FieldIdSpelling.at(self.span_of(token), message);
        self.report(diagnostic.help(format!("write `{value}`")));
        Ok(value)
    }

    fn requiredness(&mut self) -> Requiredness {
        if self.eat_keyword(Keyword::Required).is_some() {
            Requiredness::Required
        } else if self.eat_keyword(Keyword::Optional).is_some() {
            Requiredness::Optional
        } else {
            Requiredness::Default
        }
    }

    /// thriftgo takes the first letters of `requiredX` for the keyword.
    fn check_required_prefix(&mut self, ty: &TypeRef) {
        if let TypeKind::Named(name) = &ty.kind {
            for word in ["required", "optional"] {
                if name.starts_with(word) {
                    let message = format!("the type `{name}` starts with the keyword `{word}`");
                    self.disagree(Code::RequiredPrefix, ty.span, message);
                }
            }
        }
    }

    fn reference_marker(&mut self) -> bool {
        let Some(token) = self.eat(IdlTokenKind::Ampersand) else { return false };
        let span = self.span_of(token);
        self.disagree(Code::ReferenceMarker, span, "the C++ reference marker `&`");
        true
    }

    fn xsd_markers(&mut self) -> Parse<Option<Box<Xsd>>> {
        let first = self.peek();
        let mut xsd = Xsd {
            optional: self.eat_keyword(Keyword::XsdOptional).is_some(),
            nillable: self.eat_keyword(Keyword::XsdNillable).is_some(),
            attributes: Vec::new(),
        };
        let has_attributes = self.eat_keyword(Keyword::XsdAttrs).is_some();
        if !has_attributes && !xsd.optional && !xsd.nillable {
            return Ok(None);
        }
        if has_attributes {
            let open = self.expect(IdlTokenKind::LBrace, "to start the attributes")?;
            xsd.attributes = self.nested(|parser| {
                Ok(parser.members(open, IdlTokenKind::RBrace, "the attributes", Self::field))
            })?;
        }
        let span = self.span_from(first);
        self.disagree(Code::XsdKeyword, span, "an XSD marker");
        Ok(Some(Box::new(xsd)))
    }

    /// `1: i32 a (vt.gt = "0") = 3`
    fn late_default(&mut self) -> Parse<ConstValue> {
        let token = self.bump();
        let value = self.const_value()?;
        let message = "the default value must stand before the annotations";
        let diagnostic = Code::AnnotationBeforeDefault.at(self.span_from(token), message);
        self.report(diagnostic.help("write `type name = value (annotations)`"));
        Ok(value)
    }

    /// `1: i32 a, (vt.gt = "0")`
    fn late_annotations(&mut self, before: &Annotations) -> Parse<Annotations> {
        let token = self.peek();
        let late = self.annotations()?;
        let span = self.span_from(token);
        let message = "annotations must stand before the separator of their field";
        let diagnostic = Code::AnnotationAfterSeparator.at(span, message);
        self.report(diagnostic.help("remove the separator before `(`"));
        self.separator();
        Ok(before.iter().chain(&late).cloned().collect())
    }
}
