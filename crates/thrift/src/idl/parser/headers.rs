//! `include`, `cpp_include`, `namespace`, and header forms of the past.

use super::{Code, IdlTokenKind, Keyword, Parse, ParseFailed, Parser};
use crate::idl::{Annotations, CppInclude, Header, IdlName, Include, Namespace};

/// `php_namespace x` and its like, replaced by `namespace php x` long ago.
const OLD_NAMESPACES: &[&str] = &[
    "cpp_namespace",
    "php_namespace",
    "py_module",
    "perl_package",
    "ruby_namespace",
    "java_package",
    "cocoa_prefix",
    "csharp_namespace",
    "smalltalk_category",
    "smalltalk_prefix",
    "xsd_namespace",
    "delphi_namespace",
];

impl Parser<'_> {
    pub(super) fn header_body(&mut self, keyword: Keyword) -> Parse<Header> {
        let first = self.bump();
        match keyword {
            Keyword::Include => {
                let path = self.literal("the path of the file to include, in quotes")?;
                self.fbthrift_include_alias();
                Ok(Header::Include(Include { path, span: self.span_from(first) }))
            }
            Keyword::CppInclude => {
                let path = self.literal("the path to include, in quotes")?;
                Ok(Header::CppInclude(CppInclude { path, span: self.span_from(first) }))
            }
            _ => {
                let scope = match self.kind() {
                    IdlTokenKind::Star | IdlTokenKind::Name | IdlTokenKind::Keyword(_) => self.name(),
                    _ => return Err(self.expected("a language or `*`")),
                };
                let name = self.namespace_name(&scope)?;
                for written in [&scope, &name] {
                    if Keyword::find(&written.text).is_some() {
                        let message = format!("`{}` is a keyword", written.text);
                        self.disagree(Code::KeywordName, written.span, message);
                    }
                }
                let annotations = match self.kind() {
                    IdlTokenKind::LParen => self.annotations()?,
                    _ => Annotations::default(),
                };
                let span = self.span_from(first);
                if let Some(token) = self.eat(IdlTokenKind::Semicolon) {
                    let span = self.span_of(token);
                    self.disagree(Code::DefinitionSeparator, span, "a separator behind a namespace");
                }
                Ok(Header::Namespace(Namespace { scope, name, annotations, span }))
            }
        }
    }

    fn namespace_name(&mut self, scope: &IdlName) -> Parse<IdlName> {
        match self.kind() {
            IdlTokenKind::Name | IdlTokenKind::Keyword(_) if !self.peek().new_line => Ok(self.name()),
            IdlTokenKind::Name => Ok(self.name()),
            IdlTokenKind::Literal => {
                let help = "write the namespace without quotes".to_owned();
                Err(self.expected_with("a namespace", Some(help)))
            }
            _ => {
                let help = format!("write `namespace {} some.name`", scope.text);
                Err(self.expected_with("a namespace", Some(help)))
            }
        }
    }

    /// Forms that no compiler accepts any more get a message of their own.
    pub(super) fn removed_top(&mut self) -> Parse<bool> {
        let token = self.peek();
        let text = self.text_of(token);
        if token.kind != IdlTokenKind::Name {
            return Ok(false);
        }
        let (message, help) = if OLD_NAMESPACES.contains(&text) {
            let language = text.split('_').next().unwrap_or("");
            let language = match language {
                "ruby" => "rb",
                "perl" => "perl",
                "smalltalk" => "st",
                other => other,
            };
            (
                format!("`{text}` is no longer part of the language"),
                format!("write `namespace {language} ...`"),
            )
        } else if text == "senum" {
            (
                "`senum` is no longer part of the language".to_owned(),
                "use `enum`, or `string` with a rule".to_owned(),
            )
        } else {
            return Ok(false);
        };
        let span = self.span_of(token);
        self.report(Code::RemovedSyntax.at(span, message).help(help));
        Err(ParseFailed)
    }
}
