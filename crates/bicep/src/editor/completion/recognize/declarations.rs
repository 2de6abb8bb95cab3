//! What can be written inside of a declaration: between its parts, and in the list that it has.

use syntax::ast::{
    AstNode as _, CompileTimeImportDeclaration, Expr, ExtensionDeclaration, For, IfCondition,
    ModuleDeclaration, OutputDeclaration, ParameterAssignment, ParameterDeclaration, ResourceDeclaration,
    ResourceType, Statement, TestDeclaration, TypeExpr, UsingDeclaration, VariableDeclaration,
};
use syntax::{NodeKind, Span, SyntaxElement, SyntaxNode, SyntaxToken, TokenKind};

use super::super::cursor_context::{is_skipped, is_token, touches};
use super::super::expected_syntax::{ExpectedSyntax, PathKind, TypePlace, ValuePlace, Word};
use super::Recognizer;

impl<'t> Recognizer<'_, 't> {
    pub(super) fn parameter(&mut self, node: SyntaxNode<'t>) {
        let Some(it) = ParameterDeclaration::cast(node) else { return };
        if self.is_between(it.name().span(), it.ty().span()) {
            self.add(ExpectedSyntax::Type(TypePlace::Parameter(it)));
        }
    }

    pub(super) fn parameter_default(&mut self) {
        if let Some(it) = self.place.innermost::<ParameterDeclaration<'t>>() {
            self.value(ValuePlace::Default(it));
        }
    }

    /// `resource` as a type, without the type of the resource.
    pub(super) fn resource_typed(&mut self, node: SyntaxNode<'t>) {
        let Some(it) = ResourceType::cast(node) else { return };
        if it.keyword().is_some_and(|token| self.offset >= token.span().end)
            && it.ty().is_none_or(|ty| ty.node().is_skipped())
        {
            self.add(ExpectedSyntax::ResourceType(None));
        }
    }

    pub(super) fn variable(&mut self, node: SyntaxNode<'t>) {
        let Some(it) = VariableDeclaration::cast(node) else { return };
        let Some(assignment) = node.slot_from_end(1) else { return };
        let before = it.ty().map_or(it.name().span(), |ty| ty.span());
        if self.offset > before.end && self.offset <= assignment.span().start {
            self.add(ExpectedSyntax::Type(TypePlace::Other));
            self.add(ExpectedSyntax::Words(&[Word::Assignment]));
        }
        if it.assignment().is_some_and(|token| self.offset >= token.span().end) {
            self.value(ValuePlace::Variable(it));
        }
    }

    pub(super) fn output(&mut self, node: SyntaxNode<'t>) {
        let Some(it) = OutputDeclaration::cast(node) else { return };
        let Some(assignment) = node.slot_from_end(1) else { return };
        let (offset, ty) = (self.offset, it.ty());
        if self.is_between(it.name().span(), ty.span()) {
            self.add(ExpectedSyntax::Type(TypePlace::Output));
        }
        if let TypeExpr::ResourceType(resource) = ty
            && resource.keyword().is_some_and(|token| offset >= token.span().end)
            && resource.ty().is_none_or(|ty| ty.node().is_skipped())
            && it.assignment().is_none_or(|token| offset <= token.span().start)
        {
            self.add(ExpectedSyntax::ResourceType(None));
        }
        if offset > ty.span().end && offset <= assignment.span().start {
            self.add(ExpectedSyntax::Words(&[Word::Assignment]));
        }
        if it.assignment().is_some_and(|token| offset >= token.span().end) {
            self.value(ValuePlace::Output(it));
        }
    }

    /// The value of a declaration, behind its `=`.
    pub(super) fn value_of(&mut self, node: SyntaxNode<'t>) {
        let is_behind = node
            .slot_from_end(1)
            .and_then(SyntaxElement::token)
            .is_some_and(|token| self.offset >= token.span().end);
        if !is_behind {
            return;
        }
        match Statement::cast(node) {
            Some(Statement::VariableDeclaration(it)) => self.value(ValuePlace::Variable(it)),
            Some(Statement::OutputDeclaration(it)) => self.value(ValuePlace::Output(it)),
            Some(Statement::ParameterAssignment(it)) => self.value(ValuePlace::Assignment(it)),
            Some(Statement::AssertDeclaration(_)) if self.has_asserts => self.value(ValuePlace::Assert),
            _ => {}
        }
    }

    pub(super) fn assignment(&mut self, node: SyntaxNode<'t>) {
        let Some(it) = ParameterAssignment::cast(node) else { return };
        if !it.name().is_valid() {
            self.add(ExpectedSyntax::ParameterName);
        }
        if it.assignment().is_some_and(|token| self.offset >= token.span().end) {
            self.value(ValuePlace::Assignment(it));
        }
    }

    pub(super) fn existing(&mut self, node: SyntaxNode<'t>) {
        let has = ResourceDeclaration::cast(node).is_some_and(|it| it.existing().is_some());
        self.assignment_or(node, 2, if has { &[] } else { &[Word::Existing] });
    }

    pub(super) fn resource(&mut self, node: SyntaxNode<'t>) {
        let Some(it) = ResourceDeclaration::cast(node) else { return };
        let Some(assignment) = node.slot_from_end(2) else { return };
        if self.is_between(it.name().span(), it.ty().span()) {
            self.add(ExpectedSyntax::ResourceType(Some(it.ty().node())));
        }
        if self.offset > it.ty().span().end && self.offset <= assignment.span().start {
            self.existing(node);
        }
        self.empty_body(node, &[it.name().span(), it.ty().span(), assignment.span()]);
    }

    pub(super) fn module(&mut self, node: SyntaxNode<'t>) {
        let Some(it) = ModuleDeclaration::cast(node) else { return };
        let Some(assignment) = node.slot_from_end(2) else { return };
        if self.is_between(it.name().span(), it.path().span()) {
            self.add(ExpectedSyntax::Path(PathKind::Module, Some(it.path().node())));
        }
        if self.offset > it.path().span().end && self.offset <= assignment.span().start {
            self.assignment_or(node, 2, &[]);
        }
        self.empty_body(node, &[it.name().span(), it.path().span(), assignment.span()]);
    }

    pub(super) fn test(&mut self, node: SyntaxNode<'t>) {
        let Some(it) = TestDeclaration::cast(node) else { return };
        let Some(assignment) = node.slot_from_end(1) else { return };
        if self.is_between(it.name().span(), it.path().span()) {
            self.add(ExpectedSyntax::Path(PathKind::Test, Some(it.path().node())));
        }
        self.empty_body(node, &[it.path().span(), assignment.span()]);
    }

    /// The body of a declaration that has none, unless the place belongs to a part before it.
    pub(super) fn empty_body(&mut self, node: SyntaxNode<'t>, parts: &[Span]) {
        let value = node.slot_from_end(0);
        if is_skipped(value)
            && value.is_some_and(|value| value.span().start == self.offset)
            && !parts.iter().any(|part| touches(*part, self.offset))
        {
            self.body_of(node);
        }
    }

    pub(super) fn body_of(&mut self, node: SyntaxNode<'t>) {
        if let Some(statement) = Statement::cast(node) {
            self.add(ExpectedSyntax::Body(statement));
        }
    }

    /// What a loop goes over, or its body, where either is missing.
    pub(super) fn in_loop(&mut self, node: SyntaxNode<'t>) {
        let Some(each) = For::cast(node) else { return };
        let is_behind =
            |token: Option<SyntaxToken<'_>>| token.is_some_and(|token| self.offset >= token.span().end);
        if is_behind(each.colon()) {
            if matches!(each.body(), Expr::Skipped(_)) {
                self.loop_body(each);
            }
        } else if is_behind(each.in_keyword()) && matches!(each.expression(), Expr::Skipped(_)) {
            self.value(ValuePlace::Part(each.expression().node()));
        }
    }

    /// The body behind a condition, where it is missing.
    pub(super) fn condition_body(&mut self, node: SyntaxNode<'t>) {
        let Some(condition) = IfCondition::cast(node) else { return };
        let declaration =
            self.place.nodes.iter().rev().find(|node| {
                matches!(node.kind(), NodeKind::ResourceDeclaration | NodeKind::ModuleDeclaration)
            });
        if matches!(condition.body(), Expr::Skipped(_))
            && self.offset > condition.condition().span().end
            && let Some(declaration) = declaration
        {
            self.body_of(*declaration);
        }
    }

    /// The body of a loop: that of a resource or module, or a value.
    pub(super) fn loop_body(&mut self, each: For<'t>) {
        let node = each.node();
        let around = self.place.nodes.iter().rev().skip_while(|around| **around != node).nth(1).copied();
        match around {
            Some(around)
                if matches!(around.kind(), NodeKind::ResourceDeclaration | NodeKind::ModuleDeclaration)
                    && around.slot_from_end(0) == Some(SyntaxElement::Node(node)) =>
            {
                self.body_of(around);
            }
            _ => self.value(ValuePlace::Part(each.body().node())),
        }
    }

    pub(super) fn using(&mut self, node: SyntaxNode<'t>) {
        let Some(it) = UsingDeclaration::cast(node) else { return };
        let path = it.path();
        if it.keyword().is_some_and(|token| token.span().end < self.offset) && self.offset <= path.span().end
        {
            self.add(ExpectedSyntax::Path(PathKind::Using, Some(path.node())));
        } else if self.offset > path.span().end && it.with_clause().is_none() {
            self.add(ExpectedSyntax::Words(&[Word::With]));
        }
    }

    pub(super) fn import(&mut self, node: SyntaxNode<'t>) {
        let Some(imported) = node.slot_from_end(1) else { return };
        let Some(from) = node.slot_from_end(0) else { return };
        let has_none = is_skipped(Some(from)) && from.span().is_empty();
        if !is_skipped(Some(imported)) {
            if is_skipped(Some(from)) && touches(from.span(), self.offset) {
                self.add(ExpectedSyntax::Words(&[Word::From]));
            }
        } else if has_none {
            let mut tokens = imported.node().into_iter().flat_map(SyntaxNode::children);
            if is_token(tokens.next(), TokenKind::Asterisk) && tokens.next().is_none() {
                self.add(ExpectedSyntax::Words(&[Word::As]));
            } else if touches(imported.span(), self.offset) {
                self.add(ExpectedSyntax::ImportForm);
            }
        }
    }

    pub(super) fn imported_name(&mut self) {
        if let Some(it) = self.place.innermost::<CompileTimeImportDeclaration<'t>>() {
            self.add(ExpectedSyntax::ImportedName(it));
        }
    }

    pub(super) fn extension(&mut self, node: SyntaxNode<'t>) {
        let Some(it) = ExtensionDeclaration::cast(node) else { return };
        let name = it.specification().span();
        let is_behind = it.keyword().is_some_and(|token| token.span().end < self.offset);
        if is_behind && self.offset <= name.end && is_skipped(node.slot_from_end(2)) {
            self.add(ExpectedSyntax::ExtensionName);
        } else if self.offset > name.end {
            match (it.with_clause(), it.as_clause()) {
                (None, None) => self.add(ExpectedSyntax::Words(&[Word::With, Word::As])),
                (Some(with), None) if with.config().node().is_skipped() => self.extension_config(),
                (Some(with), None) if self.offset > with.span().end => {
                    self.add(ExpectedSyntax::Words(&[Word::As]))
                }
                (Some(_), _) | (None, Some(_)) => {}
            }
        }
    }

    pub(super) fn extension_config(&mut self) {
        if let Some(it) = self.place.innermost::<ExtensionDeclaration<'t>>() {
            self.add(ExpectedSyntax::Value(ValuePlace::ExtensionConfig(it)));
        }
    }
}
