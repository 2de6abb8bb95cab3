//! `import` and `extension`.

use super::NEW_LINE;
use crate::diagnostics::{Arg, Code};
use crate::kind::NodeKind;
use crate::parser::{ListMark, Parsed, Parser, Reporting};
use crate::token::{TokenKind as T, TokenSet};
use crate::tree::Slot;

impl Parser<'_> {
    /// Reads what starts with `import`. Before a string it is the old spelling of `extension`.
    pub(super) fn import_or_extension_declaration(&mut self, list: ListMark) -> Parsed {
        match self.peek_ahead(1).kind {
            T::StringLeftPiece | T::StringComplete => Ok(self.extension_declaration(list)),
            _ => self.import_declaration(list),
        }
    }

    pub(super) fn import_declaration(&mut self, list: ListMark) -> Parsed {
        self.push_keyword();
        let imported = match self.kind() {
            T::EndOfFile | T::NewLine | T::Identifier => {
                self.missing_with(Code::ExpectedImportList, Arg::None)
            }
            T::LeftBrace => self.imported_symbols()?,
            T::Asterisk => self.recover(Reporting::Yes, NEW_LINE, Self::wildcard_import),
            _ => self.skip_one(Code::ExpectedImportList),
        };
        self.push(imported);
        let from_clause = self.recover(Reporting::Yes, NEW_LINE, Self::import_source);
        self.push(from_clause);
        Ok(self.node_of_list(list, NodeKind::CompileTimeImportDeclaration))
    }

    fn import_source(&mut self) -> Parsed {
        let keyword = self.expect_keyword("from")?;
        let path = self.recover(Reporting::Yes, NEW_LINE, |p| p.string_or_fail(Code::ExpectedModulePath));
        Ok(self.node(NodeKind::CompileTimeImportFromClause, [keyword, path]))
    }

    fn wildcard_import(&mut self) -> Parsed {
        let wildcard = self.bump();
        let keyword = self.expect_keyword("as")?;
        let alias = self.expect(T::Identifier, Code::ExpectedNamespaceName)?;
        let as_clause = self.node(NodeKind::AliasAsClause, [keyword, alias]);
        Ok(self.node(NodeKind::WildcardImport, [wildcard, as_clause]))
    }

    fn imported_symbols(&mut self) -> Parsed {
        let list = self.list();
        let open = self.bump();
        self.push(open);
        self.separated_by_lines_or_commas(T::RightBrace, Self::imported_symbol);
        let close = self.expect_fixed(T::RightBrace)?;
        self.push(close);
        Ok(self.node_of_list(list, NodeKind::ImportedSymbolsList))
    }

    fn imported_symbol(&mut self) -> Slot {
        let original = match self.kind() {
            T::Identifier => self.bump(),
            T::StringComplete => self.string(NodeKind::String),
            T::StringLeftPiece => {
                let string = self.string(NodeKind::String);
                self.skip_node(string, Code::ConstantRequired)
            }
            _ => self.skip_one(Code::ExpectedExportedName),
        };
        let as_clause = self.import_alias();
        if self.node_kind(original) == Some(NodeKind::String) && as_clause == Slot::NONE {
            return self.skip_node(original, Code::QuotedImportWithoutAlias);
        }
        self.node(NodeKind::ImportedSymbolsListItem, [original, as_clause])
    }

    fn import_alias(&mut self) -> Slot {
        const STOP: TokenSet = TokenSet::of([T::Comma, T::NewLine]);
        let keyword = self.eat_keyword("as");
        if keyword == Slot::NONE {
            return Slot::NONE;
        }
        let alias = self.recover(Reporting::Yes, STOP, |p| p.expect(T::Identifier, Code::ExpectedTypeName));
        self.node(NodeKind::AliasAsClause, [keyword, alias])
    }

    /// Skips the next token and says why.
    fn skip_one(&mut self, code: Code) -> Slot {
        let token = self.bump();
        self.skip_node(token, code)
    }

    /// Puts what was read into skipped text and says why.
    pub(super) fn skip_node(&mut self, slot: Slot, code: Code) -> Slot {
        self.report(code, Arg::None, self.span(slot));
        self.node(NodeKind::Skipped, [slot])
    }

    pub(super) fn extension_declaration(&mut self, list: ListMark) -> Slot {
        let start = self.peek().start;
        self.push_keyword();
        let specification = match self.kind() {
            T::Identifier => self.bump(),
            _ => self.recover(Reporting::Yes, NEW_LINE, |p| {
                p.string_or_fail(Code::ExpectedExtensionSpecification)
            }),
        };
        self.push(specification);
        let with_clause = match self.kind() {
            T::EndOfFile | T::NewLine => self.missing(),
            T::Identifier if self.at_keyword("as") => self.missing(),
            _ => {
                let report = self.report_after(specification);
                self.recover(report, NEW_LINE, |p| {
                    p.with_clause(NodeKind::ExtensionWithClause, Code::ExpectedWithOrAs)
                })
            }
        };
        self.push(with_clause);
        let as_clause = match self.kind() {
            T::EndOfFile | T::NewLine => self.missing(),
            _ => {
                let report = self.report_after(with_clause);
                self.recover(report, NEW_LINE, Self::extension_alias)
            }
        };
        self.push(as_clause);
        self.undecorated(list, start, NodeKind::ExtensionDeclaration)
    }

    fn extension_alias(&mut self) -> Parsed {
        if !self.at_keyword("as") {
            return self.fail(Code::ExpectedWithOrAs, Arg::None);
        }
        let keyword = self.bump();
        let alias =
            self.recover(Reporting::Yes, NEW_LINE, |p| p.expect(T::Identifier, Code::ExpectedExtensionAlias));
        Ok(self.node(NodeKind::AliasAsClause, [keyword, alias]))
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::{check, check_broken};

    #[test]
    fn imports_name_symbols_or_take_all() {
        check(
            "import {a} from 'b'",
            "(CompileTimeImportDeclaration import (ImportedSymbolsList { (ImportedSymbolsListItem a) }) (CompileTimeImportFromClause from (String 'b')))",
        );
        check(
            "import {a as b, 'c' as d} from 'e'",
            "(CompileTimeImportDeclaration import (ImportedSymbolsList { (ImportedSymbolsListItem a (AliasAsClause as b)) , (ImportedSymbolsListItem (String 'c') (AliasAsClause as d)) }) (CompileTimeImportFromClause from (String 'e')))",
        );
        check(
            "import {\n  a\n  b\n} from 'c'",
            "(CompileTimeImportDeclaration import (ImportedSymbolsList { ; (ImportedSymbolsListItem a) ; (ImportedSymbolsListItem b) ; }) (CompileTimeImportFromClause from (String 'c')))",
        );
        check(
            "import * as a from 'b'",
            "(CompileTimeImportDeclaration import (WildcardImport * (AliasAsClause as a)) (CompileTimeImportFromClause from (String 'b')))",
        );
    }

    #[test]
    fn extensions_can_be_configured_and_renamed() {
        check("extension a", "(ExtensionDeclaration extension a (Skipped) (Skipped))");
        check(
            "extension 'b' as c",
            "(ExtensionDeclaration extension (String 'b') (Skipped) (AliasAsClause as c))",
        );
        check(
            "extension a with {\n  b: 1\n} as c",
            "(ExtensionDeclaration extension a (ExtensionWithClause with (Object { ; (ObjectProperty b : (IntegerLiteral 1)) ; })) (AliasAsClause as c))",
        );
        check(
            "import 'a@1' as b",
            "(ExtensionDeclaration import (String 'a@1') (Skipped) (AliasAsClause as b))",
        );
    }

    #[test]
    fn mistakes_in_imports() {
        check_broken(
            "import",
            "(CompileTimeImportDeclaration import (Skipped) (Skipped))",
            &["BCP012 6..6", "BCP354 6..6"],
        );
        check_broken(
            "import a",
            "(CompileTimeImportDeclaration import (Skipped) (Skipped a))",
            &["BCP354 7..7", "BCP012 7..8"],
        );
        check_broken(
            "import 1 from 'b'",
            "(CompileTimeImportDeclaration import (Skipped 1) (CompileTimeImportFromClause from (String 'b')))",
            &["BCP354 7..8"],
        );
        check_broken(
            "import {'a'} from 'b'",
            "(CompileTimeImportDeclaration import (ImportedSymbolsList { (Skipped (String 'a')) }) (CompileTimeImportFromClause from (String 'b')))",
            &["BCP375 8..11"],
        );
        check_broken(
            "import {'${a}' as b} from 'c'",
            "(CompileTimeImportDeclaration import (ImportedSymbolsList { (ImportedSymbolsListItem (Skipped (String '${ (VariableAccess a) }')) (AliasAsClause as b)) }) (CompileTimeImportFromClause from (String 'c')))",
            &["BCP032 8..14"],
        );
        check_broken(
            "import {1} from 'b'",
            "(CompileTimeImportDeclaration import (ImportedSymbolsList { (ImportedSymbolsListItem (Skipped 1)) }) (CompileTimeImportFromClause from (String 'b')))",
            &["BCP355 8..9"],
        );
        check_broken("import {a as 1} from 'b'", "(Skipped import { a as 1 } from 'b')", &["BCP018 24..24"]);
        check_broken(
            "import *",
            "(CompileTimeImportDeclaration import (Skipped *) (Skipped))",
            &["BCP012 8..8", "BCP012 8..8"],
        );
        check_broken(
            "import * as 1",
            "(CompileTimeImportDeclaration import (Skipped * as 1) (Skipped))",
            &["BCP356 12..13", "BCP012 13..13"],
        );
        check_broken(
            "import {a}",
            "(CompileTimeImportDeclaration import (ImportedSymbolsList { (ImportedSymbolsListItem a) }) (Skipped))",
            &["BCP012 10..10"],
        );
        check_broken(
            "import {a} from 1",
            "(CompileTimeImportDeclaration import (ImportedSymbolsList { (ImportedSymbolsListItem a) }) (CompileTimeImportFromClause from (Skipped 1)))",
            &["BCP097 16..17"],
        );
        check_broken("import {a", "(Skipped import { a)", &["BCP018 9..9"]);
    }

    #[test]
    fn mistakes_in_extensions() {
        check_broken(
            "extension",
            "(ExtensionDeclaration extension (Skipped) (Skipped) (Skipped))",
            &["BCP201 9..9"],
        );
        check_broken(
            "extension 1",
            "(ExtensionDeclaration extension (Skipped 1) (Skipped) (Skipped))",
            &["BCP201 10..11"],
        );
        check_broken(
            "extension a b",
            "(ExtensionDeclaration extension a (Skipped b) (Skipped))",
            &["BCP305 12..13"],
        );
        check_broken(
            "extension a with",
            "(ExtensionDeclaration extension a (ExtensionWithClause with (Skipped)) (Skipped))",
            &["BCP018 16..16"],
        );
        check_broken(
            "extension a as",
            "(ExtensionDeclaration extension a (Skipped) (AliasAsClause as (Skipped)))",
            &["BCP202 14..14"],
        );
        check_broken(
            "extension a with {} b",
            "(ExtensionDeclaration extension a (ExtensionWithClause with (Object { })) (Skipped b))",
            &["BCP305 20..21"],
        );
    }
}
