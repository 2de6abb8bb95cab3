//! A whole file, and which declaration a line starts.

use super::NEW_LINE;
use crate::SourceKind;
use crate::diagnostics::{Arg, Code};
use crate::kind::NodeKind;
use crate::parser::{ListMark, Parsed, Parser};
use crate::token::TokenKind;
use crate::tree::Slot;

impl Parser<'_> {
    pub(crate) fn program(&mut self) {
        let list = self.list();
        while !self.at_end() {
            let item = self.declaration(|_| true);
            self.push(item);
            // Skipped text ends before a line break and a line break is an item of its own; only after a declaration
            // one must follow.
            let is_declaration = self
                .node_kind(item)
                .is_some_and(|kind| !matches!(kind, NodeKind::Skipped | NodeKind::MissingDeclaration));
            if is_declaration && !self.at_end() {
                let new_line =
                    self.recover_through(NEW_LINE, |p| p.expect(TokenKind::NewLine, Code::ExpectedNewLine));
                self.push(new_line);
            }
        }
        let end = self.bump();
        self.push(end);
        let end = self.span(end).end;
        let program = self.node_of_list(list, NodeKind::Program);
        self.set_span(program, crate::Span::new(0, end));
    }

    /// Reads a declaration with its decorators, or one line break.
    pub(crate) fn declaration(&mut self, accepts: impl Fn(&str) -> bool) -> Slot {
        self.recover(crate::parser::Reporting::Yes, NEW_LINE, |p| {
            let list = p.list();
            p.leading();
            let next = p.peek();
            if next.kind == TokenKind::NewLine {
                return Ok(p.bump());
            }
            let keyword = if next.kind == TokenKind::Identifier { p.text(next) } else { "" };
            let keyword = if accepts(keyword) { keyword } else { "" };
            match p.source_kind {
                SourceKind::Bicep => p.bicep_declaration(keyword, list),
                SourceKind::Params => p.params_declaration(keyword, list),
            }
        })
    }

    fn bicep_declaration(&mut self, keyword: &str, list: ListMark) -> Parsed {
        Ok(match keyword {
            "targetScope" => self.target_scope(list),
            "metadata" => self.metadata_declaration(list),
            "type" => self.type_declaration(list),
            "param" => self.parameter_declaration(list),
            "var" => self.variable_declaration(list),
            "func" => self.function_declaration(list),
            "resource" => self.resource_declaration(list),
            "output" => self.output_declaration(list),
            "module" => self.module_declaration(list),
            "test" => self.test_declaration(list),
            "import" => return self.import_or_extension_declaration(list),
            "extension" => self.extension_declaration(list),
            "assert" => self.assert_declaration(list),
            _ if !self.listed(list).is_empty() => self.node_of_list(list, NodeKind::MissingDeclaration),
            _ => return self.fail(Code::UnknownDeclaration, Arg::None),
        })
    }

    fn params_declaration(&mut self, keyword: &str, list: ListMark) -> Parsed {
        Ok(match keyword {
            "using" => return self.using_declaration(list),
            "extends" => self.extends_declaration(list),
            "param" => self.parameter_assignment(list),
            "var" => self.variable_declaration(list),
            "import" => return self.import_declaration(list),
            "extensionConfig" => self.extension_config_assignment(list),
            "extension" => self.extension_declaration(list),
            "type" => self.type_declaration(list),
            _ => return self.fail(Code::UnknownParamsDeclaration, Arg::None),
        })
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::{check, check_broken};

    #[test]
    fn unknown_words_start_no_declaration() {
        check_broken("bad", "(Skipped bad)", &["BCP007 0..3"]);
        check_broken("'a'", "(Skipped 'a')", &["BCP007 0..3"]);
        check_broken("1\nvar a = 1", "(Skipped 1)", &["BCP007 0..1"]);
    }

    #[test]
    fn a_declaration_ends_with_its_line() {
        check_broken(
            "var a = 1 2\nvar b = 2",
            "(VariableDeclaration var a = (IntegerLiteral 1))",
            &["BCP019 10..11"],
        );
        check("var a = 1 // c\n", "(VariableDeclaration var a = (IntegerLiteral 1))");
        check_broken(
            "type a = int var",
            "(TypeDeclaration type a = (TypeVariableAccess int))",
            &["BCP019 13..16"],
        );
    }
}
