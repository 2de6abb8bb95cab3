//! Services and their functions.

use super::{Code, IdlTokenKind, Keyword, NamePlace, Parse, Parser};
use crate::Span;
use crate::idl::{Comment, Function, Service, Throws};

impl Parser<'_> {
    pub(super) fn service(&mut self, leading: Vec<Comment>) -> Parse<Service> {
        let first = self.bump();
        let name = self.declared_name("the name of the service", NamePlace::Elsewhere)?;
        let extends = match self.eat_keyword(Keyword::Extends) {
            Some(_) if matches!(self.kind(), IdlTokenKind::Name | IdlTokenKind::Keyword(_)) => {
                Some(self.name())
            }
            Some(_) => return Err(self.expected("the service to extend")),
            None => None,
        };
        let open =
            self.expect(IdlTokenKind::LBrace, &format!("to start the functions of service `{}`", name.text))?;
        let owner = format!("service `{}`", name.text);
        let functions = self.members(open, IdlTokenKind::RBrace, &owner, Self::function);
        let annotations = self.definition_annotations()?;
        let span = self.span_from(first);
        Ok(Service { name, extends, functions, annotations, comments: self.comments_around(leading), span })
    }

    fn function(&mut self) -> Parse<Function> {
        let leading = self.leading_comments();
        self.fbthrift_annotations();
        self.fbthrift_function()?;
        let first = self.peek();
        let oneway = self.oneway();
        let result = match self.eat_keyword(Keyword::Void) {
            Some(_) => None,
            None if matches!(self.kind(), IdlTokenKind::Name | IdlTokenKind::Keyword(_)) => {
                Some(self.type_ref()?)
            }
            None => return Err(self.expected("a function")),
        };
        if self.kind() == IdlTokenKind::LParen {
            let help = "write the type of the result before the name, or `void`".to_owned();
            return Err(self.expected_with("the name of the function", Some(help)));
        }
        let name = self.declared_name("the name of the function", NamePlace::Elsewhere)?;
        let open =
            self.expect(IdlTokenKind::LParen, &format!("to start the arguments of `{}`", name.text))?;
        let owner = format!("the arguments of `{}`", name.text);
        let arguments = self.members(open, IdlTokenKind::RParen, &owner, Self::field);
        let throws = self.throws(&name.text)?;
        let annotations = self.definition_annotations()?;
        let span = self.span_from(first);
        self.separator();
        let comments = self.comments_around(leading);
        Ok(Function { oneway, result, name, arguments, throws, annotations, comments, span })
    }

    fn oneway(&mut self) -> Option<Span> {
        if let Some(token) = self.eat_keyword(Keyword::Oneway) {
            return Some(self.span_of(token));
        }
        let token = self.eat_keyword(Keyword::Async)?;
        let span = self.span_of(token);
        self.disagree_with(Code::AsyncFunction, span, "`async` is the old word", Some("write `oneway`"));
        Some(span)
    }

    fn throws(&mut self, function: &str) -> Parse<Option<Throws>> {
        let Some(first) = self.eat_keyword(Keyword::Throws) else { return Ok(None) };
        let open = self.expect(IdlTokenKind::LParen, "to start the exceptions")?;
        let owner = format!("the exceptions of `{function}`");
        let fields = self.members(open, IdlTokenKind::RParen, &owner, Self::field);
        Ok(Some(Throws { fields, span: self.span_from(first) }))
    }
}
