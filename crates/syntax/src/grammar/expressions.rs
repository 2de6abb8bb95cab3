//! Expressions: operators and primary expressions.

use super::{Allow, CLOSERS};
use crate::diagnostics::{Arg, Code};
use crate::kind::NodeKind;
use crate::literal::integer_value;
use crate::parser::{Parsed, Parser, Reporting};
use crate::token::{TokenKind as T, TokenSet};
use crate::tree::Slot;

/// Returns how tightly a binary operator binds; zero for everything else.
const fn precedence(kind: T) -> u8 {
    match kind {
        T::Modulo | T::Asterisk | T::Slash => 7,
        T::Plus | T::Minus => 6,
        T::RightChevron | T::GreaterThanOrEqual | T::LeftChevron | T::LessThanOrEqual => 5,
        T::Equals | T::NotEquals | T::EqualsInsensitive | T::NotEqualsInsensitive => 4,
        T::LogicalAnd => 3,
        T::LogicalOr => 2,
        T::DoubleQuestion => 1,
        _ => 0,
    }
}

impl Parser<'_> {
    pub(super) fn expression(&mut self, allow: Allow) -> Parsed {
        self.nested(|p| {
            let condition = p.binary_expression(allow, 0)?;
            match p.kind() {
                T::Question => Ok(p.ternary(condition, Slot::NONE, allow)),
                T::NewLine if p.peek_past_new_lines(1).kind == T::Question => {
                    let new_lines = p.new_lines();
                    Ok(p.ternary(condition, new_lines, allow))
                }
                _ => Ok(condition),
            }
        })
    }

    fn ternary(&mut self, condition: Slot, new_lines: Slot, allow: Allow) -> Slot {
        const STOP: TokenSet = CLOSERS.and(TokenSet::of([T::Colon]));
        let question = self.bump();
        let when_true = self.recover(Reporting::Yes, STOP, |p| p.expression(allow));
        let colon_follows = !self.is_skipped(when_true) && self.peek_past_new_lines(0).kind == T::Colon;
        let before_colon = if colon_follows { self.new_lines() } else { Slot::NONE };
        let report = self.report_after(when_true);
        let colon = self.recover(report, CLOSERS, |p| p.expect_fixed(T::Colon));
        let report = self.report_after(colon);
        let when_false = self.recover(report, CLOSERS, |p| p.expression(allow));
        let parts = [condition, new_lines, question, when_true, before_colon, colon, when_false];
        self.node(NodeKind::TernaryOperation, parts)
    }

    fn binary_expression(&mut self, allow: Allow, above: u8) -> Parsed {
        let mut current = self.unary_expression(allow)?;
        loop {
            let precedence = precedence(self.kind());
            if precedence <= above {
                return Ok(current);
            }
            self.check_height(current)?;
            let operator = self.bump();
            let right = self.recover(Reporting::Yes, CLOSERS, |p| p.binary_expression(allow, precedence));
            current = self.node(NodeKind::BinaryOperation, [current, operator, right]);
        }
    }

    fn unary_expression(&mut self, allow: Allow) -> Parsed {
        if !matches!(self.kind(), T::Exclamation | T::Minus) {
            return self.member_expression(allow);
        }
        let operator = self.bump();
        let operand = self.recover(Reporting::Yes, CLOSERS, |p| p.member_expression(allow));
        Ok(self.node(NodeKind::UnaryOperation, [operator, operand]))
    }

    /// Reads an expression without operators around it.
    pub(super) fn primary_expression(&mut self, allow: Allow) -> Parsed {
        match self.kind() {
            T::Identifier => {
                if self.peek_ahead(1).kind == T::Arrow {
                    return Ok(self.lambda_of_one());
                }
                let name = self.bump();
                Ok(self.call_or_access(name, allow))
            }
            T::StringComplete | T::StringLeftPiece => Ok(self.string(NodeKind::String)),
            T::Integer => self.integer(NodeKind::IntegerLiteral),
            T::TrueKeyword | T::FalseKeyword => Ok(self.literal(NodeKind::BooleanLiteral)),
            T::NullKeyword => Ok(self.literal(NodeKind::NullLiteral)),
            T::LeftBrace if allow.complex() => self.object(allow),
            T::LeftSquare if allow.complex() => {
                if self.is_keyword(self.peek_past_new_lines(1), "for") {
                    self.for_expression(allow, false)
                } else {
                    self.array()
                }
            }
            T::LeftBrace | T::LeftSquare => self.fail(Code::ComplexLiteralNotAllowed, Arg::None),
            T::LeftParen => Ok(self.parenthesized_or_lambda(allow)),
            _ => self.fail(Code::ExpectedExpression, Arg::None),
        }
    }

    /// Makes a literal of the next token.
    pub(super) fn literal(&mut self, kind: NodeKind) -> Slot {
        let token = self.bump();
        self.node(kind, [token])
    }

    /// Reads digits, which must fit in 64 bits.
    pub(super) fn integer(&mut self, kind: NodeKind) -> Parsed {
        let token = self.peek();
        // Nineteen digits always fit.
        let fits = token.end - token.start < 20 || integer_value(self.text(token)).is_some();
        let digits = self.bump();
        if fits {
            Ok(self.node(kind, [digits]))
        } else {
            self.fail_at(token, Code::InvalidInteger, Arg::None)
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::{check, check_broken};

    #[test]
    fn literals() {
        check("var a = 1", "(VariableDeclaration var a = (IntegerLiteral 1))");
        check("var a = true", "(VariableDeclaration var a = (BooleanLiteral true))");
        check("var a = null", "(VariableDeclaration var a = (NullLiteral null))");
        check(
            "var a = 18446744073709551615",
            "(VariableDeclaration var a = (IntegerLiteral 18446744073709551615))",
        );
    }

    #[test]
    fn operators_bind_by_precedence_and_to_the_left() {
        check(
            "var a = 1 + 2 * 3 - 4",
            "(VariableDeclaration var a = (BinaryOperation (BinaryOperation (IntegerLiteral 1) + (BinaryOperation (IntegerLiteral 2) * (IntegerLiteral 3))) - (IntegerLiteral 4)))",
        );
        check(
            "var a = b || c && d ?? e",
            "(VariableDeclaration var a = (BinaryOperation (BinaryOperation (VariableAccess b) || (BinaryOperation (VariableAccess c) && (VariableAccess d))) ?? (VariableAccess e)))",
        );
        check(
            "var a = b == c < d",
            "(VariableDeclaration var a = (BinaryOperation (VariableAccess b) == (BinaryOperation (VariableAccess c) < (VariableAccess d))))",
        );
        check(
            "var a = -b + !c",
            "(VariableDeclaration var a = (BinaryOperation (UnaryOperation - (VariableAccess b)) + (UnaryOperation ! (VariableAccess c))))",
        );
    }

    #[test]
    fn ternaries_bind_to_the_right_and_may_break_lines() {
        check(
            "var a = b ? c : d ? e : f",
            "(VariableDeclaration var a = (TernaryOperation (VariableAccess b) ? (VariableAccess c) : (TernaryOperation (VariableAccess d) ? (VariableAccess e) : (VariableAccess f))))",
        );
        check(
            "var a = b\n  ? c\n  : d",
            "(VariableDeclaration var a = (TernaryOperation (VariableAccess b) ; ? (VariableAccess c) ; : (VariableAccess d)))",
        );
        check(
            "var a = b // x\n  // y\n  ? c : d",
            "(VariableDeclaration var a = (TernaryOperation (VariableAccess b) (NewLines ; ;) ? (VariableAccess c) : (VariableAccess d)))",
        );
    }

    #[test]
    fn missing_operands_are_reported_where_they_should_be() {
        check_broken(
            "var a = b +",
            "(VariableDeclaration var a = (BinaryOperation (VariableAccess b) + (Skipped)))",
            &["BCP009 11..11"],
        );
        check_broken(
            "var a = !",
            "(VariableDeclaration var a = (UnaryOperation ! (Skipped)))",
            &["BCP009 9..9"],
        );
        check_broken(
            "var a = b ?",
            "(VariableDeclaration var a = (TernaryOperation (VariableAccess b) ? (Skipped) (Skipped) (Skipped)))",
            &["BCP009 11..11"],
        );
        check_broken(
            "var a = b ? c",
            "(VariableDeclaration var a = (TernaryOperation (VariableAccess b) ? (VariableAccess c) (Skipped) (Skipped)))",
            &["BCP018 13..13"],
        );
        check_broken(
            "var a = b ? c :",
            "(VariableDeclaration var a = (TernaryOperation (VariableAccess b) ? (VariableAccess c) : (Skipped)))",
            &["BCP009 15..15"],
        );
        check_broken(
            "var a = [b +]",
            "(VariableDeclaration var a = (Array [ (BinaryOperation (VariableAccess b) + (Skipped)) ]))",
            &["BCP009 12..13"],
        );
        check_broken(
            "var a = --b",
            "(VariableDeclaration var a = (UnaryOperation - (Skipped - b)))",
            &["BCP009 9..10"],
        );
    }

    #[test]
    fn integers_beyond_64_bits_are_refused() {
        check_broken(
            "var a = 18446744073709551616",
            "(VariableDeclaration var a = (Skipped 18446744073709551616))",
            &["BCP010 8..28"],
        );
    }

    #[test]
    fn operators_do_not_continue_on_the_next_line() {
        check_broken(
            "var a = b\n+ c",
            "(VariableDeclaration var a = (VariableAccess b))",
            &["BCP007 10..11"],
        );
    }
}
