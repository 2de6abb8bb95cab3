//! `for` and `if`.

use super::Allow;
use crate::diagnostics::{Arg, Code};
use crate::kind::NodeKind;
use crate::parser::{Parsed, Parser, Reporting};
use crate::token::{TokenKind as T, TokenSet};
use crate::tree::Slot;

const STOP: TokenSet = TokenSet::of([T::RightSquare, T::NewLine]);

impl Parser<'_> {
    /// Reads `[for item in items: body]`; the body of a resource or module is an object or a condition.
    pub(super) fn for_expression(&mut self, allow: Allow, is_body: bool) -> Parsed {
        let open = self.bump();
        let open_new_lines = self.new_lines();
        let for_keyword = self.expect_keyword("for")?;
        let mark = self.mark();
        let variables = match self.kind() {
            T::Identifier => self.literal(NodeKind::LocalVariable),
            T::LeftParen => self.loop_variables(),
            _ => self.missing_with(Code::ExpectedLoopVariable, Arg::None),
        };
        let report = if self.has_mistake(variables, mark) { Reporting::No } else { Reporting::Yes };
        let in_keyword = self.recover(report, STOP, |p| p.expect_keyword("in"));
        let report = self.report_after(in_keyword);
        let stop = STOP.and(TokenSet::of([T::Colon]));
        let expression = self.recover(report, stop, |p| p.expression(Allow::COMPLEX));
        let report = self.report_after(expression);
        let colon = self.recover(report, STOP, |p| p.expect_fixed(T::Colon));
        let report = self.report_after(colon);
        let body = self.recover(report, STOP, |p| {
            if is_body { p.loop_body(allow) } else { p.expression(allow.with_complex()) }
        });
        let close_new_lines = if self.is_skipped(body) { Slot::NONE } else { self.new_lines() };
        let report = self.report_after(body);
        let close = self.recover(report, STOP, |p| p.expect_fixed(T::RightSquare));
        let parts = [
            open,
            open_new_lines,
            for_keyword,
            variables,
            in_keyword,
            expression,
            colon,
            body,
            close_new_lines,
            close,
        ];
        Ok(self.node(NodeKind::For, parts))
    }

    fn loop_body(&mut self, allow: Allow) -> Parsed {
        match self.kind() {
            T::LeftBrace => self.object(allow),
            T::Identifier if self.at_keyword("if") => Ok(self.if_condition(allow, true)),
            _ => self.fail(Code::ExpectedLoopBody, Arg::None),
        }
    }

    /// Reads `(item, index)`.
    fn loop_variables(&mut self) -> Slot {
        let mark = self.mark();
        let block = self.variable_block(Allow::SIMPLE);
        let found = self.variable_count(block);
        if found == 2 || self.has_mistake(block, mark) {
            return block;
        }
        self.report(Code::ExpectedTwoLoopVariables, Arg::Count(found), self.span(block));
        self.node(NodeKind::Skipped, [block])
    }

    /// Reads `if (condition) {...}`.
    pub(super) fn if_condition(&mut self, allow: Allow, in_loop: bool) -> Slot {
        // In a loop `]` closes the loop and must not be skipped.
        let stop = if in_loop { STOP } else { super::NEW_LINE };
        let keyword = self.bump();
        let brace = TokenSet::of([T::LeftBrace]);
        let condition =
            self.recover(Reporting::Yes, stop.and(brace), |p| p.parenthesized(allow.without_resources()));
        let is_closed = self.node_kind(condition) == Some(NodeKind::ParenthesizedExpression)
            && !self.is_skipped(self.last_part(condition));
        let report = if is_closed { self.report_after(condition) } else { Reporting::No };
        let body = self.recover(report, stop, |p| p.object(allow));
        self.node(NodeKind::IfCondition, [keyword, condition, body])
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::{check, check_broken};

    #[test]
    fn loops_run_over_items_with_or_without_index() {
        check(
            "var a = [for b in c: b]",
            "(VariableDeclaration var a = (For [ for (LocalVariable b) in (VariableAccess c) : (VariableAccess b) ]))",
        );
        check(
            "var a = [for (b, i) in c: {}]",
            "(VariableDeclaration var a = (For [ for (VariableBlock ( (LocalVariable b) , (LocalVariable i) )) in (VariableAccess c) : (Object { }) ]))",
        );
        check(
            "var a = [\n  for b in c: d\n]",
            "(VariableDeclaration var a = (For [ ; for (LocalVariable b) in (VariableAccess c) : (VariableAccess d) ; ]))",
        );
    }

    #[test]
    fn bodies_of_loops_can_be_conditional() {
        check(
            "module a 'b' = [for c in d: if (e) {}]",
            "(ModuleDeclaration module a (String 'b') = (For [ for (LocalVariable c) in (VariableAccess d) : (IfCondition if (ParenthesizedExpression ( (VariableAccess e) )) (Object { })) ]))",
        );
    }

    #[test]
    fn loops_have_one_or_two_variables() {
        check_broken(
            "var a = [for (b) in c: d]",
            "(VariableDeclaration var a = (For [ for (Skipped (VariableBlock ( (LocalVariable b) ))) in (VariableAccess c) : (VariableAccess d) ]))",
            &["BCP249 13..16"],
        );
        check_broken(
            "var a = [for (b, c, d) in e: f]",
            "(VariableDeclaration var a = (For [ for (Skipped (VariableBlock ( (LocalVariable b) , (LocalVariable c) , (LocalVariable d) ))) in (VariableAccess e) : (VariableAccess f) ]))",
            &["BCP249 13..22"],
        );
        check_broken(
            "var a = [for in b: c]",
            "(VariableDeclaration var a = (For [ for (LocalVariable in) (Skipped b : c) (Skipped) (Skipped) (Skipped) ]))",
            &["BCP012 16..17", "BCP009 20..21"],
        );
        check_broken(
            "var a = [for (b, 1) in c: d]",
            "(VariableDeclaration var a = (For [ for (Skipped (VariableBlock ( (LocalVariable b) , (Skipped (IntegerLiteral 1)) ))) in (VariableAccess c) : (VariableAccess d) ]))",
            &["BCP249 13..19"],
        );
    }

    #[test]
    fn missing_parts_of_loops_are_reported_once() {
        check_broken(
            "var a = [for]",
            "(VariableDeclaration var a = (For [ for (Skipped) (Skipped) (Skipped) (Skipped) (Skipped) ]))",
            &["BCP162 12..12"],
        );
        check_broken(
            "var a = [for b]",
            "(VariableDeclaration var a = (For [ for (LocalVariable b) (Skipped) (Skipped) (Skipped) (Skipped) ]))",
            &["BCP012 14..15"],
        );
        check_broken(
            "var a = [for b in]",
            "(VariableDeclaration var a = (For [ for (LocalVariable b) in (Skipped) (Skipped) (Skipped) ]))",
            &["BCP009 17..18"],
        );
        check_broken(
            "var a = [for b in c]",
            "(VariableDeclaration var a = (For [ for (LocalVariable b) in (VariableAccess c) (Skipped) (Skipped) ]))",
            &["BCP018 19..20"],
        );
        check_broken(
            "var a = [for b in c:]",
            "(VariableDeclaration var a = (For [ for (LocalVariable b) in (VariableAccess c) : (Skipped) ]))",
            &["BCP009 20..21"],
        );
        check_broken(
            "var a = [for b in c: d",
            "(VariableDeclaration var a = (For [ for (LocalVariable b) in (VariableAccess c) : (VariableAccess d) (Skipped)))",
            &["BCP018 22..22"],
        );
        check_broken(
            "module a 'b' = [for c in d: e]",
            "(ModuleDeclaration module a (String 'b') = (For [ for (LocalVariable c) in (VariableAccess d) : (Skipped e) ]))",
            &["BCP167 28..29"],
        );
    }

    #[test]
    fn conditions_stand_in_parentheses() {
        check_broken(
            "module a 'b' = if",
            "(ModuleDeclaration module a (String 'b') = (IfCondition if (Skipped) (Skipped)))",
            &["BCP018 17..17"],
        );
        check_broken(
            "module a 'b' = if c",
            "(ModuleDeclaration module a (String 'b') = (IfCondition if (Skipped c) (Skipped)))",
            &["BCP018 18..19"],
        );
        check_broken(
            "module a 'b' = if (",
            "(ModuleDeclaration module a (String 'b') = (IfCondition if (ParenthesizedExpression ( (Skipped) (Skipped)) (Skipped)))",
            &["BCP009 19..19"],
        );
        check_broken(
            "module a 'b' = if (c",
            "(ModuleDeclaration module a (String 'b') = (IfCondition if (ParenthesizedExpression ( (VariableAccess c) (Skipped)) (Skipped)))",
            &["BCP018 20..20"],
        );
        check_broken(
            "module a 'b' = if ()",
            "(ModuleDeclaration module a (String 'b') = (IfCondition if (ParenthesizedExpression ( (Skipped) )) (Skipped)))",
            &["BCP243 19..19", "BCP018 20..20"],
        );
        check_broken(
            "module a 'b' = if (c)",
            "(ModuleDeclaration module a (String 'b') = (IfCondition if (ParenthesizedExpression ( (VariableAccess c) )) (Skipped)))",
            &["BCP018 21..21"],
        );
        check_broken(
            "module a 'b' = if (c) d",
            "(ModuleDeclaration module a (String 'b') = (IfCondition if (ParenthesizedExpression ( (VariableAccess c) )) (Skipped d)))",
            &["BCP018 22..23"],
        );
    }
}
