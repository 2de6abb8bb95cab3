//! Array and object literals, and the two ways in which lists are separated.

use super::Allow;
use crate::diagnostics::{Arg, Code};
use crate::kind::NodeKind;
use crate::parser::{Parsed, Parser, Reporting};
use crate::token::{TokenFlags, TokenKind as T, TokenSet};
use crate::tree::Slot;

const ARRAY_ITEM: TokenSet = TokenSet::of([T::NewLine, T::RightSquare]);
const OBJECT_ITEM: TokenSet = TokenSet::of([T::NewLine, T::RightBrace]);
const OBJECT_KEY: TokenSet = OBJECT_ITEM.and(TokenSet::of([T::Colon]));
const COMMA: TokenSet = TokenSet::of([T::Comma]);

impl Parser<'_> {
    /// Reads `[a, b]`.
    pub(super) fn array(&mut self) -> Parsed {
        let list = self.list();
        let open = self.bump();
        self.push(open);
        self.separated_by_lines_or_commas(T::RightSquare, Self::array_item);
        let close = self.expect_fixed(T::RightSquare)?;
        self.push(close);
        Ok(self.node_of_list(list, NodeKind::Array))
    }

    fn array_item(&mut self) -> Slot {
        self.recover(Reporting::Yes, ARRAY_ITEM, |p| {
            if p.at(T::Ellipsis) { Ok(p.spread(ARRAY_ITEM.and(COMMA))) } else { p.expression(Allow::COMPLEX) }
        })
    }

    fn spread(&mut self, stop: TokenSet) -> Slot {
        let ellipsis = self.bump();
        let expression = self.recover(Reporting::Yes, stop, |p| p.expression(Allow::COMPLEX));
        self.node(NodeKind::SpreadExpression, [ellipsis, expression])
    }

    /// Reads `{a: 1, b: 2}`.
    pub(super) fn object(&mut self, allow: Allow) -> Parsed {
        self.nested(|p| {
            let list = p.list();
            let open = p.expect_fixed(T::LeftBrace)?;
            p.push(open);
            p.separated_by_lines_or_commas(T::RightBrace, |p| p.object_item(allow));
            let close = p.expect_fixed(T::RightBrace)?;
            p.push(close);
            Ok(p.node_of_list(list, NodeKind::Object))
        })
    }

    fn object_item(&mut self, allow: Allow) -> Slot {
        // `resource: 1` is a property, `resource name` is a declaration.
        let declares = allow.resources()
            && (self.at(T::At) || (self.at_keyword("resource") && self.peek_ahead(1).kind == T::Identifier));
        if declares {
            return self.declaration(|keyword| keyword == "resource");
        }
        if self.at(T::Ellipsis) {
            return self.spread(OBJECT_ITEM.and(COMMA));
        }
        let key = self.recover(Reporting::Yes, OBJECT_KEY, |p| match p.kind() {
            T::Identifier => Ok(p.bump()),
            T::StringComplete | T::StringLeftPiece => p.string_or_fail(Code::ExpectedPropertyName),
            _ => p.fail(Code::ExpectedPropertyName, Arg::None),
        });
        let report = self.report_after(key);
        let colon = self.recover(report, OBJECT_ITEM, |p| p.expect_fixed(T::Colon));
        let report = self.report_after(colon);
        let value = self.recover(report, OBJECT_ITEM, |p| p.expression(Allow::COMPLEX));
        self.node(NodeKind::ObjectProperty, [key, colon, value])
    }

    /// Lists items up to `close`, with line breaks or one comma between them.
    pub(super) fn separated_by_lines_or_commas(&mut self, close: T, item: impl Fn(&mut Self) -> Slot) {
        if self.at(close) {
            return;
        }
        self.push_new_lines();
        while !self.at_end() && !self.at(close) {
            let item = item(self);
            self.push(item);
            if self.at_end() || self.at(close) {
                return;
            }
            match self.kind() {
                T::NewLine => self.push_new_lines(),
                T::Comma => {
                    let comma = self.bump();
                    self.push(comma);
                    if self.at(T::NewLine) {
                        let doubled = self.missing_separator(Code::NewLineAfterComma);
                        self.push(doubled);
                        let new_line = self.bump();
                        self.push(new_line);
                    }
                }
                _ => {
                    let missing = self.missing_separator(Code::ExpectedNewLineOrComma);
                    self.push(missing);
                }
            }
        }
    }

    /// Lists items up to `close`, with one comma between them; line breaks are free.
    pub(super) fn separated_by_commas(&mut self, close: T, item: impl Fn(&mut Self) -> Slot) {
        if self.at(close) {
            return;
        }
        self.push_new_lines();
        while !self.at_end() && !self.at(close) {
            let read = item(self);
            self.push(read);
            if self.at_end() || self.at(close) {
                return;
            }
            match self.kind() {
                T::NewLine => {
                    let after = self.peek_past_comment_lines();
                    if after == T::EndOfFile {
                        // The line breaks are left alone, so that what is missing is reported before them.
                        return;
                    }
                    if after != close {
                        let missing = self.missing_separator(Code::ExpectedComma);
                        self.push(missing);
                    }
                    self.push_new_lines();
                }
                T::Comma => {
                    let comma = self.bump();
                    self.push(comma);
                    self.push_new_lines();
                    if self.at(close) {
                        // A trailing comma is followed by an item that is missing.
                        let missing = item(self);
                        self.push(missing);
                    }
                }
                _ => {
                    let missing = self.missing_separator(Code::ExpectedNewLineOrComma);
                    self.push(missing);
                }
            }
        }
    }

    /// Returns the kind of the token after the line break at hand and the lines below it that hold only comments.
    fn peek_past_comment_lines(&self) -> T {
        let mut ahead = 1;
        loop {
            let token = self.peek_ahead(ahead);
            if token.kind != T::NewLine || !token.flags.contains(TokenFlags::COMMENT_BEFORE) {
                return token.kind;
            }
            ahead += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::{check, check_broken};

    #[test]
    fn arrays_are_separated_by_commas_or_lines() {
        check("var a = []", "(VariableDeclaration var a = (Array [ ]))");
        check(
            "var a = [1, 2,]",
            "(VariableDeclaration var a = (Array [ (IntegerLiteral 1) , (IntegerLiteral 2) , ]))",
        );
        check(
            "var a = [\n  1\n\n  2\n]",
            "(VariableDeclaration var a = (Array [ ; (IntegerLiteral 1) ; (IntegerLiteral 2) ; ]))",
        );
        check(
            "var a = [...b, 1]",
            "(VariableDeclaration var a = (Array [ (SpreadExpression ... (VariableAccess b)) , (IntegerLiteral 1) ]))",
        );
    }

    #[test]
    fn objects_have_names_or_strings_as_keys() {
        check("var a = {}", "(VariableDeclaration var a = (Object { }))");
        check(
            "var a = {b: 1, 'c': 2, '${d}e': 3}",
            "(VariableDeclaration var a = (Object { (ObjectProperty b : (IntegerLiteral 1)) , (ObjectProperty (String 'c') : (IntegerLiteral 2)) , (ObjectProperty (String '${ (VariableAccess d) }e') : (IntegerLiteral 3)) }))",
        );
        check(
            "var a = {\n  b: 1\n  ...c\n}",
            "(VariableDeclaration var a = (Object { ; (ObjectProperty b : (IntegerLiteral 1)) ; (SpreadExpression ... (VariableAccess c)) ; }))",
        );
    }

    #[test]
    fn commas_and_line_breaks_do_not_mix() {
        check_broken(
            "var a = [1,\n2]",
            "(VariableDeclaration var a = (Array [ (IntegerLiteral 1) , (Skipped) ; (IntegerLiteral 2) ]))",
            &["BCP238 11..11"],
        );
        check_broken(
            "var a = {b: 1,\nc: 2}",
            "(VariableDeclaration var a = (Object { (ObjectProperty b : (IntegerLiteral 1)) , (Skipped) ; (ObjectProperty c : (IntegerLiteral 2)) }))",
            &["BCP238 14..14"],
        );
    }

    #[test]
    fn separators_must_be_there() {
        check_broken(
            "var a = [1 2]",
            "(VariableDeclaration var a = (Array [ (IntegerLiteral 1) (Skipped) (IntegerLiteral 2) ]))",
            &["BCP236 11..11"],
        );
        check_broken(
            "var a = {b: 1 c: 2}",
            "(VariableDeclaration var a = (Object { (ObjectProperty b : (IntegerLiteral 1)) (Skipped) (ObjectProperty c : (IntegerLiteral 2)) }))",
            &["BCP236 14..14"],
        );
    }

    #[test]
    fn items_that_cannot_be_read_are_skipped() {
        check_broken(
            "var a = [,]",
            "(VariableDeclaration var a = (Array [ (Skipped ,) ]))",
            &["BCP009 9..10"],
        );
        check_broken(
            "var a = [1\n+\n2]",
            "(VariableDeclaration var a = (Array [ (IntegerLiteral 1) ; (Skipped +) ; (IntegerLiteral 2) ]))",
            &["BCP009 11..12"],
        );
        check_broken(
            "var a = {b}",
            "(VariableDeclaration var a = (Object { (ObjectProperty b (Skipped) (Skipped)) }))",
            &["BCP018 10..11"],
        );
        check_broken(
            "var a = {b:}",
            "(VariableDeclaration var a = (Object { (ObjectProperty b : (Skipped)) }))",
            &["BCP009 11..12"],
        );
        check_broken(
            "var a = {1: 2}",
            "(VariableDeclaration var a = (Object { (ObjectProperty (Skipped 1) : (IntegerLiteral 2)) }))",
            &["BCP022 9..10"],
        );
        check_broken(
            "var a = {\n  b c\n  d: 1\n}",
            "(VariableDeclaration var a = (Object { ; (ObjectProperty b (Skipped c) (Skipped)) ; (ObjectProperty d : (IntegerLiteral 1)) ; }))",
            &["BCP018 14..15", "BCP009 15..15"],
        );
    }

    #[test]
    fn lists_must_close() {
        check_broken("var a = [1", "(VariableDeclaration var a = (Skipped [ 1))", &["BCP018 10..10"]);
        check_broken("var a = {b: 1", "(VariableDeclaration var a = (Skipped { b : 1))", &["BCP018 13..13"]);
        check_broken(
            "var a = [\n1\nvar b = 2",
            "(VariableDeclaration var a = (Skipped [ ; 1 ; var b = 2))",
            &["BCP018 21..21"],
        );
    }
}
