//! The external inputs of a parameters file: what each call asks for, which is known when compiling, and their definitions.

use arm::Reduced;
use arm::evaluate::{EvaluationLimits, Evaluator};
use arm::{Expression, Value};
use rustc_hash::FxHashSet;
use syntax::ast::{AstNode as _, Expr};
use syntax::{NodeKind, Span, SyntaxNode};

use super::collation;
use super::external_inputs::Definition;
use super::parameters_file::{ParamsWriter, in_order, mentioned, using_config};
use super::parameters_file_env::Env;
use crate::codes;
use crate::config::InputsForm;
use crate::functions::{Becomes, Family, Purity};
use crate::language::Dialect;
use crate::symbols::{CallSyntax, Model, SymbolId, SymbolKind};
use crate::types::FunctionFlags as F;

impl<'u> ParamsWriter<'u> {
    /// Reports calls that ask for something that is not known when compiling. What is wrong with `failed` was said.
    pub(super) fn check_inputs(&mut self, failed: &FxHashSet<SymbolId>) {
        let model = self.model;
        if model.dialect == Dialect::Public {
            return;
        }
        let late = late_symbols(model);
        let declared = model.declarations.assignments.iter().chain(&model.declarations.variables);
        let declared =
            declared.filter(|symbol| !failed.contains(*symbol)).map(|symbol| model.node_of(*symbol));
        let config = using_config(model).map(|config| config.node());
        for node in declared.chain(config).flat_map(|node| node.descendants()) {
            let function = model.binding(node.id()).function();
            if !function.is_some_and(|function| function.flags.contains(F::EXTERNAL_INPUT)) {
                continue;
            }
            let Some(call) = Expr::cast(node).and_then(CallSyntax::of) else { continue };
            for (position, argument) in call.arguments().enumerate() {
                self.check_argument(position, argument, &late);
            }
        }
    }

    fn check_argument(&mut self, position: usize, argument: Expr<'u>, late: &FxHashSet<SymbolId>) {
        let mut parts = argument.node().descendants();
        let span = argument.span();
        if parts.any(|part| is_late(self.model, part, late) || is_from_around(self.model, part, span)) {
            self.findings.push(codes::CONSTANT_REQUIRED.at(argument.span(), &[]));
            return;
        }
        let env = Env { params: &self.params, file: 0, index: None };
        let result = Evaluator::run(&env, EvaluationLimits::DEFAULT, |evaluator| {
            self.params.value(0, self.model, argument, evaluator)
        });
        match result {
            Ok(Reduced::Value(Value::Text(kind))) if position == 0 && !kind.is_empty() => {}
            Ok(Reduced::Value(_)) if position > 0 => {}
            Ok(Reduced::Value(_)) => {
                self.fail(argument.span(), "the name of an input", &"it must be a string that is not empty");
            }
            Ok(Reduced::Expression(_)) => {
                self.findings.push(codes::CONSTANT_REQUIRED.at(argument.span(), &[]));
            }
            Err(error) => self.fail(argument.span(), "what an input asks for", &error),
        }
    }

    /// Finds the inputs: those of parameters first, then those of variables.
    pub(super) fn collect_inputs(&self) {
        let model = self.model;
        for name in model.assigned_names() {
            if let Some((place, symbol)) = self.params.assignment(0, name)
                && let Some((model, _)) = self.value_of(place, symbol)
            {
                self.collect_in(place, model, model.node_of(symbol));
            }
        }
        for symbol in &model.declarations.variables {
            self.collect_in(0, model, model.node_of(*symbol));
        }
        if let Some(config) = using_config(model) {
            self.collect_in(0, model, config.node());
        }
    }

    fn collect_in(&self, place: usize, model: &'u Model, node: SyntaxNode<'u>) {
        for call in node.descendants() {
            if !matches!(call.kind(), NodeKind::FunctionCall | NodeKind::InstanceFunctionCall) {
                continue;
            }
            let flags =
                model.binding(call.id()).function().map(|function| function.flags).unwrap_or_default();
            let Some(expression) = Expr::cast(call) else { continue };
            let brought = CallSyntax::of(expression).and_then(|call| model.extension_function(call));
            if !flags.contains(F::EXTERNAL_INPUT) && !brought.is_some_and(|it| it.needs_input()) {
                continue;
            }
            // Converting it gives it its key.
            let _converted = self.params.convert(place, model, expression);
        }
    }

    /// Writes the definitions of all inputs that were found.
    pub(super) fn definitions(&mut self) {
        let mut definitions = std::mem::take(&mut self.params.inputs.borrow_mut().all);
        if definitions.is_empty() {
            return;
        }
        match self.form {
            InputsForm::Proposal => {}
            InputsForm::Azure => definitions.sort_by(|a, b| collation::compare(&a.key, &b.key)),
        }
        self.out.key(self.form.section());
        self.out.begin_object();
        for Definition { key, kind, config } in definitions {
            self.out.key(&key);
            self.out.begin_object();
            self.out.key(self.form.kind());
            self.constant(&kind);
            if let Some(config) = config {
                self.out.key("config");
                self.constant(&config);
            }
            self.out.end_object();
        }
        self.out.end_object();
    }

    fn constant(&mut self, expression: &Expression) {
        let env = Env { params: &self.params, file: 0, index: None };
        let value =
            Evaluator::run(&env, EvaluationLimits::DEFAULT, |evaluator| evaluator.evaluate(expression));
        self.out.value(value.unwrap_or(Value::Null).view());
    }
}

/// The parameters and variables whose values depend on inputs, the environment or the time.
fn late_symbols(model: &Model) -> FxHashSet<SymbolId> {
    let mut late = FxHashSet::default();
    for symbol in in_order(model) {
        if model.node_of(symbol).descendants().any(|part| is_late(model, part, &late)) {
            late.insert(symbol);
        }
    }
    late
}

/// Tells whether a part of an expression depends on inputs, the environment or the time.
fn is_late<'m>(model: &'m Model, part: SyntaxNode<'m>, late: &FxHashSet<SymbolId>) -> bool {
    if let Some(function) = model.binding(part.id()).function() {
        let is_loaded = matches!(function.becomes, Becomes::Loaded | Becomes::Value(..));
        return function.family == Family::Input || function.purity == Purity::Impure && !is_loaded;
    }
    mentioned(model, part).is_some_and(|symbol| late.contains(&symbol))
}

/// Tells whether a part of an expression is the item of a loop, or the parameter of a lambda, around the expression.
fn is_from_around<'m>(model: &'m Model, part: SyntaxNode<'m>, expression: Span) -> bool {
    let is_use = part.kind() == NodeKind::VariableAccess;
    let Some(symbol) = model.symbol_at(part).filter(|_| is_use) else { return false };
    let declared = model.node_of(symbol).span();
    let is_inside = expression.start <= declared.start && declared.end <= expression.end;
    let kind = model.symbol(symbol).kind;
    matches!(kind, SymbolKind::LoopItem | SymbolKind::LoopIndex | SymbolKind::LambdaParameter) && !is_inside
}
