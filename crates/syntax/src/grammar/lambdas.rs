//! Parentheses: around an expression, around the variables of a lambda or loop, around the parameters of a function.

use super::{Allow, CLOSERS};
use crate::Span;
use crate::diagnostics::{Arg, Code};
use crate::kind::NodeKind;
use crate::parser::{ListMark, Parsed, Parser, Reporting};
use crate::token::{TokenKind as T, TokenSet};
use crate::tree::{NodeFlags, Slot};

const BODY: TokenSet = TokenSet::of([T::NewLine, T::RightParen]);

/// Keywords that start a declaration and so cannot start the body of a lambda on a line of its own.
const DECLARATION_KEYWORDS: [&str; 9] =
    ["assert", "import", "metadata", "param", "var", "resource", "output", "module", "type"];

/// What stands between parentheses, while it is still listed.
struct Parens {
    /// The opening parenthesis and all that follows.
    all: ListMark,
    /// What follows the opening parenthesis: items, commas and line breaks.
    items: ListMark,
    open: Slot,
    close: Slot,
}

impl Parser<'_> {
    /// Reads `(value)`.
    pub(super) fn parenthesized(&mut self, allow: Allow) -> Parsed {
        if !self.at(T::LeftParen) {
            return self.expect_fixed(T::LeftParen);
        }
        let parens = self.parens(true, |p| p.expression(allow));
        Ok(self.parenthesized_node(parens, NodeKind::ParenthesizedExpression))
    }

    /// Reads `(type)`.
    pub(super) fn parenthesized_type(&mut self) -> Slot {
        let parens = self.parens(false, Self::type_expression);
        self.parenthesized_node(parens, NodeKind::ParenthesizedType)
    }

    /// Reads `(value)` or `(x, y) => body`.
    pub(super) fn parenthesized_or_lambda(&mut self, allow: Allow) -> Slot {
        let parens = self.parens(true, |p| p.expression(allow));
        if !self.at(T::Arrow) {
            return self.parenthesized_node(parens, NodeKind::ParenthesizedExpression);
        }
        let block = self.variable_block_node(parens);
        self.lambda(block)
    }

    /// Reads `x => body`.
    pub(super) fn lambda_of_one(&mut self) -> Slot {
        let variable = self.literal(NodeKind::LocalVariable);
        self.lambda(variable)
    }

    fn lambda(&mut self, variables: Slot) -> Slot {
        let arrow = self.bump();
        let new_lines = self.new_lines_before_lambda_body();
        let body = self.recover(Reporting::Yes, BODY, |p| p.expression(Allow::COMPLEX));
        self.node(NodeKind::Lambda, [variables, arrow, new_lines, body])
    }

    fn new_lines_before_lambda_body(&mut self) -> Slot {
        if !self.at(T::NewLine) {
            return Slot::NONE;
        }
        let next = self.peek_past_new_lines(0);
        let declares = next.kind == T::Identifier && DECLARATION_KEYWORDS.contains(&self.text(next));
        if declares { Slot::NONE } else { self.new_lines() }
    }

    /// Reads `(a string, b int) string => body`.
    pub(super) fn typed_lambda(&mut self) -> Parsed {
        if !self.at(T::LeftParen) {
            return self.expect_fixed(T::LeftParen);
        }
        let parens = self.parens(true, |p| Ok(p.typed_variable()));
        self.push(parens.close);
        let variables = self.node_of_list(parens.all, NodeKind::TypedVariableBlock);
        let return_type = self.recover(Reporting::Yes, BODY, Self::any_type);
        let arrow = self.recover(Reporting::Yes, BODY, |p| p.expect_fixed(T::Arrow));
        let new_lines = if self.is_skipped(arrow) { Slot::NONE } else { self.new_lines_before_lambda_body() };
        let body = self.recover(Reporting::Yes, BODY, |p| p.expression(Allow::COMPLEX));
        Ok(self.node(NodeKind::TypedLambda, [variables, return_type, arrow, new_lines, body]))
    }

    fn typed_variable(&mut self) -> Slot {
        let name = if self.at(T::Identifier) {
            self.bump()
        } else {
            self.missing_with(Code::ExpectedVariableName, Arg::None)
        };
        let ty = self.recover(Reporting::Yes, BODY.and(TokenSet::of([T::Comma])), Self::any_type);
        self.node(NodeKind::TypedLocalVariable, [name, ty])
    }

    /// Reads `(a, b)` as declarations of variables.
    pub(super) fn variable_block(&mut self, allow: Allow) -> Slot {
        let parens = self.parens(false, |p| p.expression(allow));
        self.variable_block_node(parens)
    }

    /// Returns how many variables a block declares.
    pub(super) fn variable_count(&self, block: Slot) -> u32 {
        let variables =
            self.parts(block).iter().filter(|part| self.node_kind(**part) == Some(NodeKind::LocalVariable));
        variables.count() as u32
    }

    /// Lists an opening parenthesis, items and commas. The token that closes is read but not listed.
    fn parens(&mut self, new_lines: bool, item: impl Fn(&mut Self) -> Parsed) -> Parens {
        const ITEM: TokenSet = CLOSERS.and(TokenSet::of([T::Comma]));
        const CLOSE: TokenSet =
            TokenSet::of([T::StringRightPiece, T::RightBrace, T::RightSquare, T::NewLine]);
        let all = self.list();
        let open = self.bump();
        self.push(open);
        let items = self.list();
        let line_breaks = |p: &mut Self| {
            if new_lines {
                p.push_new_lines();
            }
        };
        line_breaks(self);
        while !self.at(T::RightParen) {
            let read = self.recover(Reporting::Yes, ITEM, &item);
            self.push(read);
            line_breaks(self);
            if !self.at(T::Comma) {
                break;
            }
            let comma = self.bump();
            self.push(comma);
            line_breaks(self);
        }
        let last = self.listed(items).last().copied().unwrap_or(Slot::NONE);
        let report = self.report_after(last);
        let close = self.recover(report, CLOSE, |p| p.expect_fixed(T::RightParen));
        Parens { all, items, open, close }
    }

    /// Makes a node of parentheses that hold one thing.
    fn parenthesized_node(&mut self, parens: Parens, kind: NodeKind) -> Slot {
        match self.listed(parens.items) {
            [] => {
                let at = self.span(parens.open).end;
                self.report(Code::ExpectedOneExpression, Arg::None, Span::empty(at));
                let missing = self.missing_at(at, NodeFlags::empty());
                self.push(missing);
            }
            // UPSTREAM: a line break alone is skipped without a word.
            [only] if only.as_token().is_some() => {
                let skipped = self.node_of_list(parens.items, NodeKind::Skipped);
                self.push(skipped);
            }
            [_] => {}
            _ => {
                let skipped = self.node_of_list(parens.items, NodeKind::Skipped);
                self.report(Code::ExpectedOneExpression, Arg::None, self.span(skipped));
                self.push(skipped);
            }
        }
        self.push(parens.close);
        self.node_of_list(parens.all, kind)
    }

    /// Makes declarations of the names in parentheses; anything else in there is skipped.
    fn variable_block_node(&mut self, parens: Parens) -> Slot {
        for index in 0..self.listed(parens.items).len() {
            let Some(&item) = self.listed(parens.items).get(index) else { break };
            match self.node_kind(item) {
                Some(NodeKind::VariableAccess) => self.rename(item, NodeKind::LocalVariable),
                Some(NodeKind::Skipped) | None => {}
                Some(_) => {
                    let skipped = self.node(NodeKind::Skipped, [item]);
                    self.replace(parens.items, index, skipped);
                }
            }
        }
        self.push(parens.close);
        self.node_of_list(parens.all, NodeKind::VariableBlock)
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::{check, check_broken};

    #[test]
    fn lambdas_take_names() {
        check(
            "var a = f(b => b)",
            "(VariableDeclaration var a = (FunctionCall f ( (Lambda (LocalVariable b) => (VariableAccess b)) )))",
        );
        check(
            "var a = f(() => 1)",
            "(VariableDeclaration var a = (FunctionCall f ( (Lambda (VariableBlock ( )) => (IntegerLiteral 1)) )))",
        );
        check(
            "var a = f((b, c) => b)",
            "(VariableDeclaration var a = (FunctionCall f ( (Lambda (VariableBlock ( (LocalVariable b) , (LocalVariable c) )) => (VariableAccess b)) )))",
        );
        check(
            "var a = f(b =>\n  b)",
            "(VariableDeclaration var a = (FunctionCall f ( (Lambda (LocalVariable b) => ; (VariableAccess b)) )))",
        );
    }

    #[test]
    fn what_is_no_name_is_skipped_among_variables() {
        check(
            "var a = f((b, 1) => b)",
            "(VariableDeclaration var a = (FunctionCall f ( (Lambda (VariableBlock ( (LocalVariable b) , (Skipped (IntegerLiteral 1)) )) => (VariableAccess b)) )))",
        );
        check_broken(
            "var a = f((b c) => b)",
            "(VariableDeclaration var a = (FunctionCall f ( (ParenthesizedExpression ( (VariableAccess b) (Skipped c ) => b ))) (Skipped)))",
            &["BCP018 13..14", "BCP018 21..21"],
        );
    }

    #[test]
    fn parentheses_hold_one_expression() {
        check(
            "var a = (1)",
            "(VariableDeclaration var a = (ParenthesizedExpression ( (IntegerLiteral 1) )))",
        );
        check_broken(
            "var a = ()",
            "(VariableDeclaration var a = (ParenthesizedExpression ( (Skipped) )))",
            &["BCP243 9..9"],
        );
        check_broken(
            "var a = (1, 2)",
            "(VariableDeclaration var a = (ParenthesizedExpression ( (Skipped (IntegerLiteral 1) , (IntegerLiteral 2)) )))",
            &["BCP243 9..13"],
        );
        check_broken(
            "var a = (\n1)",
            "(VariableDeclaration var a = (ParenthesizedExpression ( (Skipped ; (IntegerLiteral 1)) )))",
            &["BCP243 9..11"],
        );
        check_broken(
            "var a = (1",
            "(VariableDeclaration var a = (ParenthesizedExpression ( (IntegerLiteral 1) (Skipped)))",
            &["BCP018 10..10"],
        );
        check("var a = (\n)", "(VariableDeclaration var a = (ParenthesizedExpression ( (Skipped ;) )))");
    }

    #[test]
    fn bodies_of_lambdas_do_not_swallow_declarations() {
        check_broken(
            "var a = f(b =>\nparam c string",
            "(VariableDeclaration var a = (FunctionCall f ( (Lambda (LocalVariable b) => (Skipped)) (Skipped) ; (VariableAccess param) (Skipped) (VariableAccess c) (Skipped) (VariableAccess string) (Skipped)))",
            &["BCP009 14..14", "BCP237 14..14", "BCP236 21..21", "BCP236 23..23", "BCP018 29..29"],
        );
    }

    #[test]
    fn functions_declare_their_types() {
        check_broken(
            "func f(a) int => 1",
            "(FunctionDeclaration func f (TypedLambda (TypedVariableBlock ( (TypedLocalVariable a (Skipped)) )) (TypeVariableAccess int) => (IntegerLiteral 1)))",
            &["BCP279 8..9"],
        );
        check_broken(
            "func f(a string int => 1",
            "(FunctionDeclaration func f (TypedLambda (TypedVariableBlock ( (TypedLocalVariable a (TypeVariableAccess string)) (Skipped int => 1)) (Skipped) (Skipped) (Skipped)))",
            &["BCP018 16..19", "BCP018 24..24", "BCP009 24..24", "BCP279 24..24"],
        );
        check_broken(
            "func f() => 1",
            "(FunctionDeclaration func f (TypedLambda (TypedVariableBlock ( )) (Skipped => 1) (Skipped) (Skipped)))",
            &["BCP279 9..11", "BCP018 13..13", "BCP009 13..13"],
        );
        check_broken(
            "func f() int",
            "(FunctionDeclaration func f (TypedLambda (TypedVariableBlock ( )) (TypeVariableAccess int) (Skipped) (Skipped)))",
            &["BCP018 12..12", "BCP009 12..12"],
        );
        check_broken(
            "func f() int =>",
            "(FunctionDeclaration func f (TypedLambda (TypedVariableBlock ( )) (TypeVariableAccess int) => (Skipped)))",
            &["BCP009 15..15"],
        );
        check_broken("func f", "(FunctionDeclaration func f (Skipped))", &["BCP018 6..6"]);
        check_broken(
            "func f(",
            "(FunctionDeclaration func f (TypedLambda (TypedVariableBlock ( (TypedLocalVariable (Skipped) (Skipped)) (Skipped)) (Skipped) (Skipped) (Skipped)))",
            &["BCP015 7..7", "BCP018 7..7", "BCP018 7..7", "BCP009 7..7", "BCP279 7..7"],
        );
    }
}
