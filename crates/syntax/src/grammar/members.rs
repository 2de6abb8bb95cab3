//! What follows a primary expression: properties, calls, indexes, nested resources, assertions.

use super::Allow;
use crate::diagnostics::{Arg, Code};
use crate::kind::NodeKind;
use crate::parser::{Parsed, Parser, Reporting};
use crate::token::{TokenKind as T, TokenSet};
use crate::tree::Slot;

impl Parser<'_> {
    /// Reads a primary expression and everything that hangs on it.
    pub(super) fn member_expression(&mut self, allow: Allow) -> Parsed {
        let mut current = self.primary_expression(allow)?;
        loop {
            current = match self.kind() {
                T::LeftSquare => self.array_access(current, allow)?,
                T::Dot => self.dot_access(current, allow),
                T::DoubleColon => {
                    let double_colon = self.bump();
                    let name = self.member_name();
                    self.node(NodeKind::ResourceAccess, [current, double_colon, name])
                }
                T::Exclamation => {
                    let operator = self.bump();
                    self.node(NodeKind::NonNullAssertion, [current, operator])
                }
                _ => return Ok(current),
            };
            self.check_height(current)?;
        }
    }

    fn array_access(&mut self, base: Slot, allow: Allow) -> Parsed {
        let open = self.bump();
        let safe_access = self.eat(T::Question);
        let from_end = self.eat(T::Hat);
        let index = if self.at(T::RightSquare) {
            self.missing_with(Code::EmptyIndexer, Arg::None)
        } else {
            self.expression(allow)?
        };
        let close = self.expect_fixed(T::RightSquare)?;
        Ok(self.node(NodeKind::ArrayAccess, [base, open, safe_access, from_end, index, close]))
    }

    fn dot_access(&mut self, base: Slot, allow: Allow) -> Slot {
        let dot = self.bump();
        let safe_access = self.eat(T::Question);
        let name = self.member_name();
        if !self.at(T::LeftParen) {
            return self.node(NodeKind::PropertyAccess, [base, dot, safe_access, name]);
        }
        let list = self.list();
        self.push(base);
        self.push(dot);
        let name = if safe_access == Slot::NONE {
            name
        } else {
            self.report(Code::SafeAccessOnCall, Arg::None, self.span(safe_access));
            self.node(NodeKind::Skipped, [safe_access, name])
        };
        self.push(name);
        self.arguments(allow);
        self.node_of_list(list, NodeKind::InstanceFunctionCall)
    }

    /// Makes a call or a plain access of a name that was read.
    pub(super) fn call_or_access(&mut self, name: Slot, allow: Allow) -> Slot {
        if !self.at(T::LeftParen) {
            return self.node(NodeKind::VariableAccess, [name]);
        }
        let list = self.list();
        self.push(name);
        self.arguments(allow);
        self.node_of_list(list, NodeKind::FunctionCall)
    }

    /// Lists the arguments of a call with their parentheses.
    pub(super) fn arguments(&mut self, allow: Allow) {
        const STOP: TokenSet = TokenSet::of([T::NewLine, T::Comma, T::RightParen]);
        let open = self.bump();
        self.push(open);
        self.separated_by_commas(T::RightParen, |p| p.recover(Reporting::Yes, STOP, |p| p.expression(allow)));
        self.push_closer(T::RightParen);
    }

    /// Lists the token that closes a call, or says that it is missing.
    pub(super) fn push_closer(&mut self, kind: T) {
        let close = if self.at(kind) {
            self.bump()
        } else {
            self.missing_with(Code::ExpectedCharacter, Arg::Word(kind.fixed_text().unwrap_or("")))
        };
        self.push(close);
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::{check, check_broken};

    #[test]
    fn members_hang_on_what_stands_before() {
        check(
            "var a = b.c[0]::d!.e(1).?f[?g][^1][?^2]",
            "(VariableDeclaration var a = (ArrayAccess (ArrayAccess (ArrayAccess (PropertyAccess (InstanceFunctionCall (NonNullAssertion (ResourceAccess (ArrayAccess (PropertyAccess (VariableAccess b) . c) [ (IntegerLiteral 0) ]) :: d) !) . e ( (IntegerLiteral 1) )) . ? f) [ ? (VariableAccess g) ]) [ ^ (IntegerLiteral 1) ]) [ ? ^ (IntegerLiteral 2) ]))",
        );
    }

    #[test]
    fn calls_have_arguments_with_free_line_breaks() {
        check("var a = f()", "(VariableDeclaration var a = (FunctionCall f ( )))");
        check(
            "var a = f(b, 'c')",
            "(VariableDeclaration var a = (FunctionCall f ( (VariableAccess b) , (String 'c') )))",
        );
        check(
            "var a = f(\n  b,\n  c\n)",
            "(VariableDeclaration var a = (FunctionCall f ( ; (VariableAccess b) , ; (VariableAccess c) ; )))",
        );
    }

    #[test]
    fn missing_members_are_reported() {
        check_broken(
            "var a = b.",
            "(VariableDeclaration var a = (PropertyAccess (VariableAccess b) . (Skipped)))",
            &["BCP020 10..10"],
        );
        check_broken(
            "var a = b.?",
            "(VariableDeclaration var a = (PropertyAccess (VariableAccess b) . ? (Skipped)))",
            &["BCP020 11..11"],
        );
        check_broken(
            "var a = b::",
            "(VariableDeclaration var a = (ResourceAccess (VariableAccess b) :: (Skipped)))",
            &["BCP020 11..11"],
        );
        check_broken(
            "var a = b[]",
            "(VariableDeclaration var a = (ArrayAccess (VariableAccess b) [ (Skipped) ]))",
            &["BCP117 10..10"],
        );
        check_broken("var a = b[", "(VariableDeclaration var a = (Skipped b [))", &["BCP009 10..10"]);
        check_broken("var a = b[c", "(VariableDeclaration var a = (Skipped b [ c))", &["BCP018 11..11"]);
    }

    #[test]
    fn methods_cannot_be_called_safely() {
        check_broken(
            "var a = b.?c(d)",
            "(VariableDeclaration var a = (InstanceFunctionCall (VariableAccess b) . (Skipped ? c) ( (VariableAccess d) )))",
            &["BCP322 10..11"],
        );
    }

    #[test]
    fn calls_must_close_and_separate() {
        check_broken(
            "var a = f(",
            "(VariableDeclaration var a = (FunctionCall f ( (Skipped)))",
            &["BCP018 10..10"],
        );
        check_broken(
            "var a = f(b",
            "(VariableDeclaration var a = (FunctionCall f ( (VariableAccess b) (Skipped)))",
            &["BCP018 11..11"],
        );
        check_broken(
            "var a = f(b,",
            "(VariableDeclaration var a = (FunctionCall f ( (VariableAccess b) , (Skipped)))",
            &["BCP018 12..12"],
        );
        check_broken(
            "var a = f(b,)",
            "(VariableDeclaration var a = (FunctionCall f ( (VariableAccess b) , (Skipped) )))",
            &["BCP009 12..13"],
        );
        check_broken(
            "var a = f(b c)",
            "(VariableDeclaration var a = (FunctionCall f ( (VariableAccess b) (Skipped) (VariableAccess c) )))",
            &["BCP236 12..12"],
        );
        check_broken(
            "var a = f(b\nc)",
            "(VariableDeclaration var a = (FunctionCall f ( (VariableAccess b) (Skipped) ; (VariableAccess c) )))",
            &["BCP237 11..11"],
        );
        check(
            "var a = f(b // d\n// e\n)",
            "(VariableDeclaration var a = (FunctionCall f ( (VariableAccess b) ; ; )))",
        );
        check_broken(
            "var a = f(b\n",
            "(VariableDeclaration var a = (FunctionCall f ( (VariableAccess b) (Skipped)))",
            &["BCP018 11..11"],
        );
    }
}
