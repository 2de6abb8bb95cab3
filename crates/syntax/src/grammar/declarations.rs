//! The declarations of templates. Each function starts at its keyword, with the decorators listed.

use super::{Allow, NEW_LINE};
use crate::diagnostics::{Arg, Code};
use crate::kind::NodeKind;
use crate::parser::{ListMark, Parsed, Parser, Reporting};
use crate::token::{TokenKind as T, TokenSet};
use crate::tree::Slot;

/// What can follow the name of a declaration with a path or type string, or the end of the line.
const STRING_START: TokenSet = TokenSet::of([T::StringComplete, T::StringLeftPiece, T::NewLine]);
const ASSIGNMENT: TokenSet = TokenSet::of([T::Assignment, T::NewLine]);
const BODY: TokenSet = TokenSet::of([T::LeftBrace, T::NewLine]);
const NAME: TokenSet = TokenSet::of([T::Identifier, T::NewLine]);

impl Parser<'_> {
    /// Lists the keyword that was seen.
    pub(super) fn push_keyword(&mut self) {
        let keyword = self.bump();
        self.push(keyword);
    }

    /// Lists an identifier, or what is skipped in its place.
    pub(super) fn push_name(&mut self, code: Code, stop: TokenSet) -> Slot {
        let name = self.recover(Reporting::Yes, stop, |p| p.expect(T::Identifier, code));
        self.push(name);
        name
    }

    /// Lists `=`. Nothing is said when `before` is missing.
    pub(super) fn push_assignment(&mut self, before: Slot, stop: TokenSet) -> Slot {
        let report = self.report_after(before);
        let assignment = self.recover(report, stop, |p| p.expect_fixed(T::Assignment));
        self.push(assignment);
        assignment
    }

    /// Lists an expression up to the end of the line. Nothing is said when `before` is missing.
    pub(super) fn push_value(&mut self, before: Slot) {
        let report = self.report_after(before);
        let value = self.recover(report, NEW_LINE, |p| p.expression(Allow::COMPLEX));
        self.push(value);
    }

    /// Lists a string that names a type or a file. Nothing is said when `before` is missing.
    pub(super) fn push_string(&mut self, before: Slot, code: Code, stop: TokenSet) -> Slot {
        let report = self.report_after(before);
        let string = self.recover(report, stop, |p| p.string_or_fail(code));
        self.push(string);
        string
    }

    pub(super) fn target_scope(&mut self, list: ListMark) -> Slot {
        self.push_keyword();
        self.push_assignment(Slot::NONE, NEW_LINE);
        self.push_value(Slot::NONE);
        self.node_of_list(list, NodeKind::TargetScope)
    }

    pub(super) fn metadata_declaration(&mut self, list: ListMark) -> Slot {
        self.named_value(list, NodeKind::MetadataDeclaration, Code::ExpectedMetadataName)
    }

    pub(super) fn assert_declaration(&mut self, list: ListMark) -> Slot {
        self.named_value(list, NodeKind::AssertDeclaration, Code::ExpectedAssertName)
    }

    fn named_value(&mut self, list: ListMark, kind: NodeKind, code: Code) -> Slot {
        self.push_keyword();
        let name = self.push_name(code, ASSIGNMENT);
        let assignment = self.push_assignment(name, NEW_LINE);
        self.push_value(assignment);
        self.node_of_list(list, kind)
    }

    pub(super) fn parameter_declaration(&mut self, list: ListMark) -> Slot {
        const STOP: TokenSet = TokenSet::of([T::Assignment, T::LeftBrace, T::NewLine]);
        self.push_keyword();
        let name = self.push_name(Code::ExpectedParameterName, NAME);
        let report = self.report_after(name);
        let ty = self.recover(report, STOP, |p| p.type_or_resource_type(false));
        self.push(ty);
        let report = self.report_after(ty);
        let modifier = self.recover(report, NEW_LINE, |p| match p.kind() {
            T::NewLine | T::EndOfFile => Ok(Slot::NONE),
            T::Assignment => Ok(p.parameter_default()),
            _ => p.fail(Code::ExpectedParameterContinuation, Arg::None),
        });
        self.push(modifier);
        self.node_of_list(list, NodeKind::ParameterDeclaration)
    }

    fn parameter_default(&mut self) -> Slot {
        let assignment = self.bump();
        let value = self.recover(Reporting::Yes, NEW_LINE, |p| p.expression(Allow::COMPLEX));
        self.node(NodeKind::ParameterDefaultValue, [assignment, value])
    }

    pub(super) fn variable_declaration(&mut self, list: ListMark) -> Slot {
        self.push_keyword();
        let name = self.push_name(Code::ExpectedVariableName, NAME);
        let report = self.report_after(name);
        let ty = self.recover(report, ASSIGNMENT, |p| match p.kind() {
            T::EndOfFile | T::NewLine | T::Assignment => Ok(Slot::NONE),
            _ => p.type_or_resource_type(false),
        });
        self.push(ty);
        let assignment = self.push_assignment(if ty == Slot::NONE { name } else { ty }, NEW_LINE);
        self.push_value(assignment);
        self.node_of_list(list, NodeKind::VariableDeclaration)
    }

    pub(super) fn type_declaration(&mut self, list: ListMark) -> Slot {
        const STOP: TokenSet = TokenSet::of([T::Assignment, T::LeftBrace, T::NewLine]);
        self.push_keyword();
        let name = self.push_name(Code::ExpectedTypeName, ASSIGNMENT);
        self.push_assignment(name, NEW_LINE);
        // UPSTREAM: the value is reported on even when `=` is missing; only a missing name silences it.
        let report = self.report_after(name);
        let value = self.recover(report, STOP, |p| p.type_or_resource_type(false));
        self.push(value);
        self.node_of_list(list, NodeKind::TypeDeclaration)
    }

    pub(super) fn function_declaration(&mut self, list: ListMark) -> Slot {
        self.push_keyword();
        let name = self.push_name(Code::ExpectedVariableName, ASSIGNMENT);
        let report = self.report_after(name);
        let lambda = self.recover(report, NEW_LINE, Self::typed_lambda);
        self.push(lambda);
        self.node_of_list(list, NodeKind::FunctionDeclaration)
    }

    pub(super) fn output_declaration(&mut self, list: ListMark) -> Slot {
        self.push_keyword();
        let name = self.push_name(Code::ExpectedOutputName, NAME);
        let report = self.report_after(name);
        let ty = self.recover(report, ASSIGNMENT, |p| p.type_or_resource_type(true));
        self.push(ty);
        let assignment = self.push_assignment(ty, NEW_LINE);
        self.push_value(assignment);
        self.node_of_list(list, NodeKind::OutputDeclaration)
    }

    pub(super) fn resource_declaration(&mut self, list: ListMark) -> Slot {
        self.push_keyword();
        let name = self.push_name(Code::ExpectedResourceName, STRING_START);
        let ty = self.push_string(name, Code::ExpectedResourceType, ASSIGNMENT);
        let existing = self.eat_keyword("existing");
        self.push(existing);
        let assignment = self.push_assignment(ty, BODY);
        // UPSTREAM: a resource without `=` does not look for `if` on the lines below, a module does.
        let new_lines = if self.is_skipped(assignment) { Slot::NONE } else { self.new_lines_before_if() };
        self.push(new_lines);
        self.push_body(assignment, Allow::RESOURCES);
        self.node_of_list(list, NodeKind::ResourceDeclaration)
    }

    pub(super) fn module_declaration(&mut self, list: ListMark) -> Slot {
        self.push_keyword();
        let name = self.push_name(Code::ExpectedModuleName, STRING_START);
        let path = self.push_string(name, Code::ExpectedModulePath, ASSIGNMENT);
        let assignment = self.push_assignment(path, BODY);
        let new_lines = self.new_lines_before_if();
        self.push(new_lines);
        self.push_body(assignment, Allow::COMPLEX);
        self.node_of_list(list, NodeKind::ModuleDeclaration)
    }

    fn new_lines_before_if(&mut self) -> Slot {
        if self.is_keyword(self.peek_past_new_lines(0), "if") { self.new_lines() } else { Slot::NONE }
    }

    /// Lists the body of a resource or module.
    fn push_body(&mut self, before: Slot, allow: Allow) {
        let report = self.report_after(before);
        let body = self.recover(report, NEW_LINE, |p| match p.kind() {
            T::Identifier if p.at_keyword("if") => Ok(p.if_condition(allow, false)),
            T::LeftBrace => p.object(allow),
            T::LeftSquare => p.for_expression(allow, true),
            _ => p.fail(Code::ExpectedBody, Arg::None),
        });
        self.push(body);
    }

    pub(super) fn test_declaration(&mut self, list: ListMark) -> Slot {
        self.push_keyword();
        let name = self.push_name(Code::ExpectedTestName, STRING_START);
        let path = self.push_string(name, Code::ExpectedTestPath, ASSIGNMENT);
        let assignment = self.push_assignment(path, BODY);
        let report = self.report_after(assignment);
        let body = self.recover(report, NEW_LINE, |p| p.object(Allow::COMPLEX));
        self.push(body);
        self.node_of_list(list, NodeKind::TestDeclaration)
    }

    /// Reads a type where a resource type can stand, `resource 'type@version'`. The string is optional when `optional` is set.
    fn type_or_resource_type(&mut self, optional: bool) -> Parsed {
        if !self.at_keyword("resource") || self.peek_ahead(1).kind == T::LeftChevron {
            return self.type_expression();
        }
        let keyword = self.bump();
        let ty = self.recover(Reporting::Yes, ASSIGNMENT, |p| {
            if optional && !matches!(p.kind(), T::StringComplete | T::StringLeftPiece) {
                return Ok(Slot::NONE);
            }
            p.string_or_fail(Code::ExpectedResourceType)
        });
        Ok(self.node(NodeKind::ResourceType, [keyword, ty]))
    }

    /// Reads a type where a resource type can stand and its string is required.
    pub(super) fn any_type(&mut self) -> Parsed {
        self.type_or_resource_type(false)
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::{check, check_broken};

    #[test]
    fn values_have_a_name_and_an_expression() {
        check("targetScope = 'subscription'", "(TargetScope targetScope = (String 'subscription'))");
        check("metadata owner = 'us'", "(MetadataDeclaration metadata owner = (String 'us'))");
        check(
            "assert small = a < 3",
            "(AssertDeclaration assert small = (BinaryOperation (VariableAccess a) < (IntegerLiteral 3)))",
        );
        check("var a = 1", "(VariableDeclaration var a = (IntegerLiteral 1))");
        check("var a int = 1", "(VariableDeclaration var a (TypeVariableAccess int) = (IntegerLiteral 1))");
    }

    #[test]
    fn parameters_have_a_type_and_perhaps_a_default() {
        check("param a string", "(ParameterDeclaration param a (TypeVariableAccess string))");
        check(
            "param a string = 'x'",
            "(ParameterDeclaration param a (TypeVariableAccess string) (ParameterDefaultValue = (String 'x')))",
        );
        check(
            "param a resource 'T@1'",
            "(ParameterDeclaration param a (ResourceType resource (String 'T@1')))",
        );
    }

    #[test]
    fn outputs_have_a_type_and_a_value() {
        check(
            "output a string = b",
            "(OutputDeclaration output a (TypeVariableAccess string) = (VariableAccess b))",
        );
        check(
            "output a resource = b",
            "(OutputDeclaration output a (ResourceType resource) = (VariableAccess b))",
        );
        check(
            "output a resource 'T@1' = b",
            "(OutputDeclaration output a (ResourceType resource (String 'T@1')) = (VariableAccess b))",
        );
    }

    #[test]
    fn types_are_named() {
        check("type a = string", "(TypeDeclaration type a = (TypeVariableAccess string))");
        check(
            "type a = resource<'T@1'>",
            "(TypeDeclaration type a = (ParameterizedTypeInstantiation resource < (StringTypeLiteral 'T@1') >))",
        );
    }

    #[test]
    fn functions_are_typed_lambdas() {
        check(
            "func f(a string, b int) string => a",
            "(FunctionDeclaration func f (TypedLambda (TypedVariableBlock ( (TypedLocalVariable a (TypeVariableAccess string)) , (TypedLocalVariable b (TypeVariableAccess int)) )) (TypeVariableAccess string) => (VariableAccess a)))",
        );
        check(
            "func f() bool =>\n  true",
            "(FunctionDeclaration func f (TypedLambda (TypedVariableBlock ( )) (TypeVariableAccess bool) => ; (BooleanLiteral true)))",
        );
    }

    #[test]
    fn resources_have_a_type_string_and_a_body() {
        check("resource a 'T@1' = {}", "(ResourceDeclaration resource a (String 'T@1') = (Object { }))");
        check(
            "resource a 'T@1' existing = {}",
            "(ResourceDeclaration resource a (String 'T@1') existing = (Object { }))",
        );
        check(
            "resource a 'T@1' = if (b) {}",
            "(ResourceDeclaration resource a (String 'T@1') = (IfCondition if (ParenthesizedExpression ( (VariableAccess b) )) (Object { })))",
        );
        check(
            "resource a 'T@1' =\nif (b) {}",
            "(ResourceDeclaration resource a (String 'T@1') = ; (IfCondition if (ParenthesizedExpression ( (VariableAccess b) )) (Object { })))",
        );
        check(
            "resource a 'T@1' = [for b in c: {}]",
            "(ResourceDeclaration resource a (String 'T@1') = (For [ for (LocalVariable b) in (VariableAccess c) : (Object { }) ]))",
        );
        check("module a 'b.bicep' = {}", "(ModuleDeclaration module a (String 'b.bicep') = (Object { }))");
        check("test a 'b.bicep' = {}", "(TestDeclaration test a (String 'b.bicep') = (Object { }))");
    }

    #[test]
    fn resources_nest_in_the_bodies_of_resources_only() {
        check(
            "resource a 'T@1' = {\n  resource b 'c' = {}\n  resource: 1\n}",
            "(ResourceDeclaration resource a (String 'T@1') = (Object { ; (ResourceDeclaration resource b (String 'c') = (Object { })) ; (ObjectProperty resource : (IntegerLiteral 1)) ; }))",
        );
        check(
            "resource a 'T@1' = {\n  @d()\n  resource b 'c' = {}\n}",
            "(ResourceDeclaration resource a (String 'T@1') = (Object { ; (ResourceDeclaration (Decorator @ (FunctionCall d ( ))) ; resource b (String 'c') = (Object { })) ; }))",
        );
    }

    #[test]
    fn a_missing_name_silences_the_rest_of_the_line() {
        check_broken("param", "(ParameterDeclaration param (Skipped) (Skipped))", &["BCP013 5..5"]);
        check_broken("var", "(VariableDeclaration var (Skipped) (Skipped) (Skipped))", &["BCP015 3..3"]);
        check_broken("type", "(TypeDeclaration type (Skipped) (Skipped) (Skipped))", &["BCP325 4..4"]);
        check_broken(
            "output",
            "(OutputDeclaration output (Skipped) (Skipped) (Skipped) (Skipped))",
            &["BCP016 6..6"],
        );
        check_broken(
            "resource",
            "(ResourceDeclaration resource (Skipped) (Skipped) (Skipped) (Skipped))",
            &["BCP017 8..8"],
        );
        check_broken(
            "module",
            "(ModuleDeclaration module (Skipped) (Skipped) (Skipped) (Skipped))",
            &["BCP096 6..6"],
        );
        check_broken(
            "metadata",
            "(MetadataDeclaration metadata (Skipped) (Skipped) (Skipped))",
            &["BCP266 8..8"],
        );
        check_broken("assert", "(AssertDeclaration assert (Skipped) (Skipped) (Skipped))", &["BCP344 6..6"]);
        check_broken(
            "test",
            "(TestDeclaration test (Skipped) (Skipped) (Skipped) (Skipped))",
            &["BCP346 4..4"],
        );
        check_broken("func", "(FunctionDeclaration func (Skipped) (Skipped))", &["BCP015 4..4"]);
    }

    #[test]
    fn a_wrong_name_is_skipped_and_the_rest_is_read() {
        check_broken(
            "var 2 = 3",
            "(VariableDeclaration var (Skipped 2 = 3) (Skipped) (Skipped))",
            &["BCP015 4..5", "BCP018 9..9"],
        );
        check_broken(
            "param 2 string",
            "(ParameterDeclaration param (Skipped 2) (TypeVariableAccess string))",
            &["BCP013 6..7"],
        );
        check_broken(
            "output 2 string = a",
            "(OutputDeclaration output (Skipped 2) (TypeVariableAccess string) = (VariableAccess a))",
            &["BCP016 7..8"],
        );
    }

    #[test]
    fn each_missing_part_is_reported_once() {
        check_broken("param a", "(ParameterDeclaration param a (Skipped))", &["BCP279 7..7"]);
        check_broken(
            "param a string b",
            "(ParameterDeclaration param a (TypeVariableAccess string) (Skipped b))",
            &["BCP008 15..16"],
        );
        check_broken("var a", "(VariableDeclaration var a (Skipped) (Skipped))", &["BCP018 5..5"]);
        check_broken("var a =", "(VariableDeclaration var a = (Skipped))", &["BCP009 7..7"]);
        check_broken(
            "var a 2",
            "(VariableDeclaration var a (IntegerTypeLiteral 2) (Skipped) (Skipped))",
            &["BCP018 7..7"],
        );
        check_broken(
            "type a",
            "(TypeDeclaration type a (Skipped) (Skipped))",
            &["BCP018 6..6", "BCP279 6..6"],
        );
        check_broken("type a =", "(TypeDeclaration type a = (Skipped))", &["BCP279 8..8"]);
        check_broken(
            "output a",
            "(OutputDeclaration output a (Skipped) (Skipped) (Skipped))",
            &["BCP279 8..8"],
        );
        check_broken(
            "output a string",
            "(OutputDeclaration output a (TypeVariableAccess string) (Skipped) (Skipped))",
            &["BCP018 15..15"],
        );
        check_broken(
            "resource a",
            "(ResourceDeclaration resource a (Skipped) (Skipped) (Skipped))",
            &["BCP068 10..10"],
        );
        check_broken(
            "resource a 'b'",
            "(ResourceDeclaration resource a (String 'b') (Skipped) (Skipped))",
            &["BCP018 14..14"],
        );
        check_broken(
            "resource a 'b' =",
            "(ResourceDeclaration resource a (String 'b') = (Skipped))",
            &["BCP118 16..16"],
        );
        check_broken(
            "resource a 'b' = 1",
            "(ResourceDeclaration resource a (String 'b') = (Skipped 1))",
            &["BCP118 17..18"],
        );
        check_broken(
            "resource a b = {}",
            "(ResourceDeclaration resource a (Skipped b = { }) (Skipped) (Skipped))",
            &["BCP068 11..12", "BCP018 17..17"],
        );
        check_broken(
            "module a 'b' = 1",
            "(ModuleDeclaration module a (String 'b') = (Skipped 1))",
            &["BCP118 15..16"],
        );
        check_broken(
            "test a 'b' = 1",
            "(TestDeclaration test a (String 'b') = (Skipped 1))",
            &["BCP018 13..14"],
        );
    }

    #[test]
    fn a_nested_declaration_must_be_a_resource() {
        check_broken(
            "resource a 'T@1' = {\n  @d()\n  param b string\n}",
            "(ResourceDeclaration resource a (String 'T@1') = (Object { ; (MissingDeclaration (Decorator @ (FunctionCall d ( ))) ;) (Skipped) (ObjectProperty param (Skipped b string) (Skipped)) ; }))",
            &["BCP236 30..30", "BCP018 36..37", "BCP009 44..44"],
        );
    }
}
