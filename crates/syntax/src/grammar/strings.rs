//! Strings with their holes.

use super::Allow;
use crate::diagnostics::{Arg, Code};
use crate::kind::NodeKind;
use crate::parser::{ListMark, Parsed, Parser, Reporting};
use crate::token::{TokenFlags, TokenKind as T, TokenSet};
use crate::tree::Slot;

/// What ends a hole. Holes do not span lines.
const HOLE_END: TokenSet = TokenSet::of([T::StringMiddlePiece, T::StringRightPiece, T::NewLine]);

impl Parser<'_> {
    /// Reads a string, or fails with `code` where it starts.
    pub(super) fn string_or_fail(&mut self, code: Code) -> Parsed {
        let first = self.peek();
        let string = self.string(NodeKind::String);
        if self.is_skipped(string) { self.fail_at(first, code, Arg::None) } else { Ok(string) }
    }

    /// Reads a string as a node of the given kind; what cannot be a string becomes skipped text.
    pub(super) fn string(&mut self, kind: NodeKind) -> Slot {
        let start = self.peek().start;
        let list = self.list();
        let (mut whole, mut left) = (T::StringComplete, T::StringLeftPiece);
        let mut malformed = false;
        loop {
            let piece = self.peek();
            if piece.kind == whole || piece.kind == left {
                let slot = self.bump();
                self.push(slot);
                malformed |= piece.flags.contains(TokenFlags::MALFORMED);
            }
            if piece.kind == whole {
                return if malformed {
                    self.broken_string(list, start)
                } else {
                    self.node_of_list(list, kind)
                };
            }
            if piece.kind == left {
                let hole = self.hole();
                self.push(hole);
                if self.at(T::NewLine) || self.at_end() {
                    return self.broken_string(list, start);
                }
            } else {
                let junk = self.skip_junk(Code::JunkInInterpolation, HOLE_END);
                self.push(junk);
                if !self.at(T::StringMiddlePiece) && !self.at(T::StringRightPiece) {
                    return self.broken_string(list, start);
                }
            }
            (whole, left) = (T::StringRightPiece, T::StringMiddlePiece);
        }
    }

    fn hole(&mut self) -> Slot {
        let expression = self.recover(Reporting::Yes, HOLE_END, |p| p.expression(Allow::SIMPLE));
        if self.at_any(HOLE_END) {
            return expression;
        }
        let junk = self.skip_junk(Code::JunkInInterpolation, HOLE_END);
        self.node(NodeKind::Skipped, [expression, junk])
    }

    /// Makes skipped text of the listed pieces, up to the next token.
    fn broken_string(&mut self, list: ListMark, start: u32) -> Slot {
        let skipped = self.node_of_list(list, NodeKind::Skipped);
        self.set_span(skipped, crate::Span::new(start, self.peek().start));
        skipped
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::{check, check_broken};

    #[test]
    fn strings_have_holes() {
        check("var a = 'b'", "(VariableDeclaration var a = (String 'b'))");
        check(
            "var a = 'b${c}d${e}f'",
            "(VariableDeclaration var a = (String 'b${ (VariableAccess c) }d${ (VariableAccess e) }f'))",
        );
        check(
            "var a = '${'${b}'}'",
            "(VariableDeclaration var a = (String '${ (String '${ (VariableAccess b) }') }'))",
        );
        check(
            "var a = $'''\nb ${c}\n'''",
            "(VariableDeclaration var a = (String $'''\nb ${ (VariableAccess c) }\n'''))",
        );
        check("var a = '''\n${b}\n'''", "(VariableDeclaration var a = (String '''\n${b}\n'''))");
    }

    #[test]
    fn holes_hold_one_simple_expression() {
        check_broken(
            "var a = '${}'",
            "(VariableDeclaration var a = (String '${ (Skipped) }'))",
            &["BCP009 11..13"],
        );
        check_broken(
            "var a = '${b c}d'",
            "(VariableDeclaration var a = (String '${ (Skipped (VariableAccess b) (Skipped c)) }d'))",
            &["BCP064 13..14"],
        );
        check_broken(
            "var a = '${[]}'",
            "(VariableDeclaration var a = (String '${ (Skipped [ ]) }'))",
            &["BCP087 11..12"],
        );
        check_broken(
            "var a = '${{}}'",
            "(VariableDeclaration var a = (Skipped '${ (Skipped (Skipped { } } ') (Skipped))))",
            &["BCP087 11..12", "BCP003 14..15", "BCP064 15..15"],
        );
        check_broken(
            "var a = '${b",
            "(VariableDeclaration var a = (Skipped '${ (Skipped (VariableAccess b) (Skipped))))",
            &["BCP064 12..12"],
        );
    }

    #[test]
    fn strings_end_with_their_line() {
        check_broken(
            "var a = 'b\nvar c = 1",
            "(VariableDeclaration var a = (Skipped 'b))",
            &["BCP004 8..10"],
        );
        check_broken(
            "var a = '${b\nvar c = 1",
            "(VariableDeclaration var a = (Skipped '${ (VariableAccess b) ))",
            &["BCP004 12..12"],
        );
        check_broken(
            "var a = '${'${b\nvar c = 1",
            "(VariableDeclaration var a = (Skipped '${ (Skipped '${ (VariableAccess b) )))",
            &["BCP004 15..15"],
        );
    }

    #[test]
    fn malformed_strings_are_skipped() {
        check_broken("var a = '\\q'", "(VariableDeclaration var a = (Skipped '\\q'))", &["BCP006 9..11"]);
        check_broken(
            "var a = '\\u{110000}${b}'",
            "(VariableDeclaration var a = (Skipped '\\u{110000}${ (VariableAccess b) }'))",
            &["BCP133 9..19"],
        );
    }
}
