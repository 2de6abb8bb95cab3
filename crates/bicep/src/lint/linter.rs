//! What rules see of a file, and the walk that takes them to its nodes.

use std::borrow::Cow;

use document::SourceValue;
use smol_str::SmolStr;
use syntax::ast::{AstNode as _, Expr, Object, ObjectProperty};
use syntax::{NodeKind, Span, SyntaxNode};

use super::rule::{LintCheck, NodeCheck};
use super::{LintRule, RULES};
use crate::check::Checker;
use crate::finding::{Finding, Severity};
use crate::functions::Function;
use crate::symbols::{Binding, CallSyntax, Model, Resource, SymbolId};
use crate::types::{BuiltIn, Ty};

/// A file while a rule looks at it.
pub(super) struct Linter<'c, 'm> {
    /// What the checks know, such as the types of expressions.
    pub(super) checker: &'c mut Checker<'m>,
    /// The file with the meaning of its names.
    pub(super) model: &'m Model,
    rule: &'static LintRule,
    severity: Severity,
    used: Option<Vec<bool>>,
}

/// Checks a file for all rules that are not off.
pub(crate) fn check(checker: &mut Checker<'_>) {
    let model = checker.model;
    let Some(first) = RULES.first() else { return };
    let mut linter = Linter { checker, model, rule: first, severity: Severity::Warning, used: None };
    // Which rules want to see which kinds of nodes.
    let mut wanted: Vec<Vec<(&'static LintRule, Severity, NodeCheck)>> = Vec::new();
    for rule in RULES {
        let Some(severity) = rule.level(&model.file.config).severity() else { continue };
        match rule.check {
            LintCheck::File(check) => {
                (linter.rule, linter.severity) = (rule, severity);
                check(&mut linter);
            }
            LintCheck::Nodes(kinds, check) => {
                for kind in kinds {
                    if wanted.len() <= *kind as usize {
                        wanted.resize_with(*kind as usize + 1, Vec::new);
                    }
                    if let Some(row) = wanted.get_mut(*kind as usize) {
                        row.push((rule, severity, check));
                    }
                }
            }
        }
    }
    if wanted.is_empty() {
        return;
    }
    for node in model.file.tree.root().descendants() {
        for (rule, severity, check) in wanted.get(node.kind() as usize).into_iter().flatten() {
            (linter.rule, linter.severity) = (rule, *severity);
            check(&mut linter, node);
        }
    }
}

impl<'m> Linter<'_, 'm> {
    /// Reports that the rule is broken.
    pub(super) fn report(&mut self, span: Span, message: impl Into<Cow<'static, str>>) {
        self.push(self.finding(span, message));
    }

    /// A finding of the rule.
    pub(super) fn finding(&self, span: Span, message: impl Into<Cow<'static, str>>) -> Finding {
        Finding {
            span,
            code: self.rule.name,
            severity: self.severity,
            message: message.into(),
            hint: None,
            fixes: Vec::new(),
        }
    }

    pub(super) fn push(&mut self, finding: Finding) {
        self.checker.push(finding);
    }

    /// The type of an expression.
    pub(super) fn ty(&mut self, expr: Expr<'m>) -> Ty {
        self.checker.quietly(|checker| checker.ty(expr))
    }

    /// The value of a string, also where it has to be worked out.
    pub(super) fn constant(&mut self, expr: Expr<'m>) -> Option<SmolStr> {
        self.ty(expr).as_string_literal().cloned()
    }

    /// Tells whether something in the file refers to a symbol.
    pub(super) fn is_used(&mut self, symbol: SymbolId) -> bool {
        let used = self.used.get_or_insert_with(|| self.model.used_symbols());
        used.get(symbol.index()).copied().unwrap_or_default()
    }

    /// The built-in function that a node calls.
    pub(super) fn built_in(&self, node: SyntaxNode<'m>) -> Option<(&'static Function, CallSyntax<'m>)> {
        match self.model.binding(node.id()) {
            Binding::Function(function) => Some((function, CallSyntax::of(Expr::cast(node)?)?)),
            _ => None,
        }
    }

    /// The call of a function of the language itself that an expression is.
    pub(super) fn call_of(&self, node: SyntaxNode<'m>, name: &str) -> Option<CallSyntax<'m>> {
        let (function, call) = self.built_in(node)?;
        (function.namespace == BuiltIn::Sys && call.name() == name).then_some(call)
    }

    /// The call of a function of Azure that a node is, with the name in lower case.
    pub(super) fn azure_call(&self, node: SyntaxNode<'m>) -> Option<(String, CallSyntax<'m>)> {
        let (function, call) = self.built_in(node)?;
        (function.namespace == BuiltIn::Az).then(|| (call.name().to_ascii_lowercase(), call))
    }

    /// The resources of Azure that the file declares, in the order of their declarations.
    pub(super) fn azure_resources(&self) -> impl Iterator<Item = &'m Resource> + use<'m> {
        self.model.resources.iter().filter(|resource| resource.extension.is_none() && resource.ty.is_some())
    }

    /// The resource that a name stands for, also through variables.
    pub(super) fn resource_named(&mut self, expr: Expr<'m>) -> Option<&'m Resource> {
        let model = self.model;
        let symbol = self.checker.quietly(|checker| checker.resource_behind(expr, 0))?;
        model.resource_of(symbol)
    }

    /// A setting of the rule in the configuration.
    pub(super) fn setting(&self, name: &str) -> Option<SourceValue<'m>> {
        self.model.file.config.get(&["analyzers", "core", "rules", self.rule.name, name])
    }
}

/// Tells whether two parts of a file are written the same, blanks and comments aside.
pub(super) fn is_same(a: SyntaxNode<'_>, b: SyntaxNode<'_>) -> bool {
    a.kind() == b.kind() && a.tokens().map(|it| it.text()).eq(b.tokens().map(|it| it.text()))
}

/// The value of a property, whatever the case of its name.
pub(super) fn value_of<'t>(object: Object<'t>, name: &str) -> Option<Expr<'t>> {
    let named =
        |it: &ObjectProperty<'t>| it.key().constant().is_some_and(|key| key.eq_ignore_ascii_case(name));
    object.properties().find(named).map(|property| property.value())
}

/// The calls of functions.
pub(super) const CALLS: &[NodeKind] = &[NodeKind::FunctionCall, NodeKind::InstanceFunctionCall];
