//! The declarations that only parameters files have.

use super::{Allow, NEW_LINE};
use crate::Span;
use crate::diagnostics::{Arg, Code};
use crate::kind::NodeKind;
use crate::parser::{ListMark, Parsed, Parser, Reporting};
use crate::token::{TokenKind as T, TokenSet};
use crate::tree::Slot;

const NAME: TokenSet = TokenSet::of([T::Identifier, T::NewLine]);

impl Parser<'_> {
    pub(super) fn using_declaration(&mut self, list: ListMark) -> Parsed {
        let start = self.peek().start;
        self.push_keyword();
        let path = match self.kind() {
            T::Identifier => {
                let none = self.expect_keyword("none")?;
                self.node(NodeKind::NoneLiteral, [none])
            }
            T::StringComplete => self.string_or_fail(Code::ExpectedFilePath)?,
            _ => self.missing_with(Code::ExpectedImportList, Arg::None),
        };
        self.push(path);
        let with_clause = match self.kind() {
            T::EndOfFile | T::NewLine => self.missing(),
            _ => {
                let report = self.report_after(path);
                self.recover(report, NEW_LINE, |p| {
                    p.with_clause(NodeKind::UsingWithClause, Code::ExpectedWith)
                })
            }
        };
        self.push(with_clause);
        Ok(self.undecorated(list, start, NodeKind::UsingDeclaration))
    }

    pub(super) fn extends_declaration(&mut self, list: ListMark) -> Slot {
        let start = self.peek().start;
        self.push_keyword();
        self.push_string(Slot::NONE, Code::ExpectedExtendsPath, NEW_LINE);
        self.undecorated(list, start, NodeKind::ExtendsDeclaration)
    }

    pub(super) fn parameter_assignment(&mut self, list: ListMark) -> Slot {
        let start = self.peek().start;
        self.push_keyword();
        let name = self.push_name(Code::ExpectedParameterName, NAME);
        let assignment = self.push_assignment(name, NEW_LINE);
        self.push_value(assignment);
        self.undecorated(list, start, NodeKind::ParameterAssignment)
    }

    pub(super) fn extension_config_assignment(&mut self, list: ListMark) -> Slot {
        let start = self.peek().start;
        self.push_keyword();
        let alias = self.push_name(Code::ExpectedExtensionAlias, NAME);
        let report = self.report_after(alias);
        let with_clause = self.recover(report, NEW_LINE, |p| {
            p.with_clause(NodeKind::ExtensionWithClause, Code::ExpectedKeyword)
        });
        self.push(with_clause);
        self.undecorated(list, start, NodeKind::ExtensionConfigAssignment)
    }

    /// Reads `with {...}`; `code` is the finding when it starts otherwise.
    pub(super) fn with_clause(&mut self, kind: NodeKind, code: Code) -> Parsed {
        if !self.at_keyword("with") {
            return self.fail(code, Arg::Word("with"));
        }
        let keyword = self.bump();
        let config = self.recover(Reporting::Yes, NEW_LINE, |p| p.object(Allow::COMPLEX));
        Ok(self.node(kind, [keyword, config]))
    }

    /// Makes a declaration that begins, as users see it, after its decorators.
    pub(super) fn undecorated(&mut self, list: ListMark, start: u32, kind: NodeKind) -> Slot {
        let declaration = self.node_of_list(list, kind);
        let end = self.span(declaration).end;
        self.set_span(declaration, Span::new(start, end));
        declaration
    }
}

#[cfg(test)]
mod tests {
    use crate::SourceKind;
    use crate::testing::check_kind;

    #[track_caller]
    fn check(text: &str, shape: &str, findings: &[&str]) {
        check_kind(text, SourceKind::Params, shape, findings);
    }

    #[test]
    fn parameter_files_name_their_template() {
        check("using 'main.bicep'", "(UsingDeclaration using (String 'main.bicep') (Skipped))", &[]);
        check("using none", "(UsingDeclaration using (NoneLiteral none) (Skipped))", &[]);
        check(
            "using 'a' with {\n  b: 1\n}",
            "(UsingDeclaration using (String 'a') (UsingWithClause with (Object { ; (ObjectProperty b : (IntegerLiteral 1)) ; })))",
            &[],
        );
        check("extends 'base.bicepparam'", "(ExtendsDeclaration extends (String 'base.bicepparam'))", &[]);
    }

    #[test]
    fn parameter_files_assign() {
        check("param a = 1", "(ParameterAssignment param a = (IntegerLiteral 1))", &[]);
        check("var a = 1", "(VariableDeclaration var a = (IntegerLiteral 1))", &[]);
        check("type a = int", "(TypeDeclaration type a = (TypeVariableAccess int))", &[]);
        check(
            "extensionConfig a with {\n}",
            "(ExtensionConfigAssignment extensionConfig a (ExtensionWithClause with (Object { ; })))",
            &[],
        );
        check(
            "import * as a from 'b'",
            "(CompileTimeImportDeclaration import (WildcardImport * (AliasAsClause as a)) (CompileTimeImportFromClause from (String 'b')))",
            &[],
        );
        check("extension a", "(ExtensionDeclaration extension a (Skipped) (Skipped))", &[]);
    }

    #[test]
    fn decorators_are_no_part_of_an_assignment_as_users_see_it() {
        check(
            "@a()\nparam b = 1",
            "(ParameterAssignment (Decorator @ (FunctionCall a ( ))) ; param b = (IntegerLiteral 1))",
            &[],
        );
    }

    #[test]
    fn missing_parts_of_parameter_files_are_reported() {
        check("using", "(UsingDeclaration using (Skipped) (Skipped))", &["BCP354 5..5"]);
        check("using a", "(Skipped using a)", &["BCP012 6..7"]);
        check("using 'a' b", "(UsingDeclaration using (String 'a') (Skipped b))", &["BCP436 10..11"]);
        check("using '${a}'", "(UsingDeclaration using (Skipped) (Skipped '${ a }'))", &["BCP354 6..6"]);
        check("extends", "(ExtendsDeclaration extends (Skipped))", &["BCP404 7..7"]);
        check("extends 1", "(ExtendsDeclaration extends (Skipped 1))", &["BCP404 8..9"]);
        check("param a", "(ParameterAssignment param a (Skipped) (Skipped))", &["BCP018 7..7"]);
        check("param", "(ParameterAssignment param (Skipped) (Skipped) (Skipped))", &["BCP013 5..5"]);
        check(
            "extensionConfig",
            "(ExtensionConfigAssignment extensionConfig (Skipped) (Skipped))",
            &["BCP202 15..15"],
        );
        check(
            "extensionConfig a",
            "(ExtensionConfigAssignment extensionConfig a (Skipped))",
            &["BCP012 17..17"],
        );
        check("output a string = 1", "(Skipped output a string = 1)", &["BCP337 0..6"]);
        check("@a()\nbad", "(Skipped @ a ( ) ; bad)", &["BCP337 5..8"]);
    }
}
