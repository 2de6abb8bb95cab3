//! Bicep expressions to template expressions.

use std::borrow::Cow;

use arm::Value;
use syntax::SyntaxElement;
use syntax::ast::{
    Array, AstNode as _, BinaryOperation, Expr, Lambda, NameOrString, Object, ObjectProperty, Statement,
    UnaryOperation,
};
use syntax::ast::{LocalVariable, VariableBlock};

use super::arena::ExprId;
use super::emitter::Emitter;
use super::values::ExpressionShape;
use crate::files::ReferenceKind;
use crate::symbols::{ModuleTarget, ScopeKind, SymbolId, SymbolKind};

/// What stands before the name of a parameter whose value is taken from the extended file.
pub(super) const BASE: &str = "base.";

impl<'u> Emitter<'u> {
    /// The template expression for a Bicep expression.
    pub(crate) fn convert(&mut self, expression: Expr<'u>) -> ExprId {
        self.deeper(expression.span(), |this| this.convert_expression(expression))
    }

    fn convert_expression(&mut self, expression: Expr<'u>) -> ExprId {
        match expression {
            Expr::String(string) => match string.constant() {
                Some(text) => self.arena.text(&text),
                None => self.convert_interpolation(string),
            },
            Expr::IntegerLiteral(it) => self.arena.int(i64::try_from(it.value()).unwrap_or(i64::MAX)),
            Expr::BooleanLiteral(it) => {
                let is_true = it.literal().is_some_and(|token| token.text() == "true");
                self.arena.call(if is_true { "true" } else { "false" }, &[])
            }
            Expr::ParenthesizedExpression(it) => self.convert(it.expression()),
            Expr::NonNullAssertion(it) => self.convert(it.base()),
            Expr::Object(object) => self.convert_object(object),
            Expr::Array(array) => self.convert_array(array),
            Expr::TernaryOperation(it) => {
                let condition = self.convert(it.condition());
                let condition = self.probed("ternary", it.node().span(), condition);
                let yes = self.convert(it.true_expression());
                let no = self.convert(it.false_expression());
                self.arena.call("if", &[condition, yes, no])
            }
            Expr::BinaryOperation(it) => self.convert_binary(it),
            Expr::UnaryOperation(it) => self.convert_unary(it),
            Expr::FunctionCall(_) | Expr::InstanceFunctionCall(_) => self.convert_call(expression),
            Expr::ArrayAccess(it) => {
                let value = self.convert_element(it);
                if it.safe_access().is_some() { self.probed("safe", it.node().span(), value) } else { value }
            }
            Expr::PropertyAccess(it) => {
                let value = self.convert_property(it);
                if it.safe_access().is_some() { self.probed("safe", it.node().span(), value) } else { value }
            }
            Expr::VariableAccess(_) | Expr::ResourceAccess(_) => self.convert_name(expression),
            Expr::Lambda(lambda) => self.convert_lambda(lambda),
            Expr::SpreadExpression(it) => self.convert(it.expression()),
            // These stand only where they are handled; elsewhere they are errors.
            Expr::NullLiteral(_)
            | Expr::NoneLiteral(_)
            | Expr::For(_)
            | Expr::IfCondition(_)
            | Expr::Skipped(_) => self.arena.call("null", &[]),
        }
    }

    fn convert_interpolation(&mut self, string: syntax::ast::String<'u>) -> ExprId {
        let mut format = String::new();
        for (position, segment) in string.segments().enumerate() {
            if position > 0 {
                format.push_str(&format!("{{{}}}", position - 1));
            }
            push_format(&segment, &mut format);
        }
        let mut arguments = vec![self.arena.text(&format)];
        for hole in string.holes() {
            arguments.push(self.convert(hole));
        }
        self.arena.call("format", &arguments)
    }

    fn convert_binary(&mut self, operation: BinaryOperation<'u>) -> ExprId {
        let left = self.convert(operation.left());
        let operator = operation.operator().map_or("", |token| token.text());
        let probe = match operator {
            "??" => Some("coalesce"),
            "&&" => Some("and"),
            "||" => Some("or"),
            _ => None,
        };
        let left = match probe {
            Some(kind) => self.probed(kind, operation.node().span(), left),
            None => left,
        };
        let right = self.convert(operation.right());
        let arena = &mut self.arena;
        let plain = match operator {
            "||" => "or",
            "&&" => "and",
            "==" => "equals",
            "<" => "less",
            "<=" => "lessOrEquals",
            ">" => "greater",
            ">=" => "greaterOrEquals",
            "+" => "add",
            "-" => "sub",
            "*" => "mul",
            "/" => "div",
            "%" => "mod",
            "??" => "coalesce",
            "!=" => {
                let equals = arena.call("equals", &[left, right]);
                return arena.call("not", &[equals]);
            }
            _ => {
                let left = arena.call("toLower", &[left]);
                let right = arena.call("toLower", &[right]);
                let equals = arena.call("equals", &[left, right]);
                return if operator == "!~" { arena.call("not", &[equals]) } else { equals };
            }
        };
        arena.call(plain, &[left, right])
    }

    fn convert_unary(&mut self, operation: UnaryOperation<'u>) -> ExprId {
        let minus = operation.operator().is_some_and(|token| token.text() == "-");
        if let Some(value) = negative_literal(operation) {
            return self.arena.int(value);
        }
        let operand = self.convert(operation.operand());
        if minus {
            let zero = self.arena.int(0);
            return self.arena.call("sub", &[zero, operand]);
        }
        self.arena.call("not", &[operand])
    }

    fn convert_lambda(&mut self, lambda: Lambda<'u>) -> ExprId {
        let node = lambda.variables().and_then(SyntaxElement::node);
        let lone = node.and_then(LocalVariable::cast);
        let block = node.and_then(VariableBlock::cast);
        let mut arguments = Vec::new();
        for variable in lone.into_iter().chain(block.into_iter().flat_map(VariableBlock::variables)) {
            arguments.push(self.arena.text(variable.name().text()));
        }
        arguments.push(self.convert(lambda.body()));
        self.arena.call("lambda", &arguments)
    }

    /// An array; with spreads it is put together from its parts.
    fn convert_array(&mut self, array: Array<'u>) -> ExprId {
        let mut chunks: Vec<ExprId> = Vec::new();
        let mut chunk: Vec<ExprId> = Vec::new();
        let mut spread = false;
        for value in array.values() {
            if let Expr::SpreadExpression(inner) = value {
                spread = true;
                if !chunk.is_empty() {
                    chunks.push(self.arena.call("createArray", &chunk));
                    chunk.clear();
                }
                chunks.push(self.convert(inner.expression()));
            } else {
                chunk.push(self.convert(value));
            }
        }
        if !spread {
            return self.arena.call("createArray", &chunk);
        }
        if !chunk.is_empty() {
            chunks.push(self.arena.call("createArray", &chunk));
        }
        let parts = self.arena.call("createArray", &chunks);
        self.arena.call("flatten", &[parts])
    }

    /// An object; with spreads it is put together from its parts.
    fn convert_object(&mut self, object: Object<'u>) -> ExprId {
        let mut chunks: Vec<ExprId> = Vec::new();
        let mut chunk: Vec<ExprId> = Vec::new();
        let mut spread = false;
        for node in object.items().filter_map(SyntaxElement::node) {
            if let Some(property) = ObjectProperty::cast(node) {
                let key = self.convert_key(property);
                chunk.push(key);
                chunk.push(self.convert(property.value()));
            } else if let Some(Expr::SpreadExpression(inner)) = Expr::cast(node) {
                spread = true;
                if !chunk.is_empty() {
                    chunks.push(self.arena.call("createObject", &chunk));
                    chunk.clear();
                }
                chunks.push(self.convert(inner.expression()));
            }
        }
        if !spread {
            return self.arena.call("createObject", &chunk);
        }
        if !chunk.is_empty() {
            chunks.push(self.arena.call("createObject", &chunk));
        }
        let parts = self.arena.call("createArray", &chunks);
        self.arena.call("shallowMerge", &[parts])
    }

    /// The name of a property as an expression.
    pub(crate) fn convert_key(&mut self, property: ObjectProperty<'u>) -> ExprId {
        match property.key() {
            NameOrString::Name(name) => self.arena.text(name.text()),
            NameOrString::String(string) => self.convert(Expr::String(string)),
            NameOrString::Skipped(_) => self.arena.text(""),
        }
    }

    fn convert_name(&mut self, expression: Expr<'u>) -> ExprId {
        if let Some(reference) = self.reference(expression) {
            return self.convert_reference(&reference);
        }
        let Some(symbol) = self.unit.model.symbol_in(expression) else { return self.arena.call("null", &[]) };
        match self.unit.model.symbol(symbol).kind {
            SymbolKind::Parameter | SymbolKind::ParameterAssignment
                if !self.unit.inlined.variables.contains(&symbol) =>
            {
                self.named_call("parameters", symbol)
            }
            SymbolKind::ParameterAssignment => match self.unit.model.statement_of(symbol) {
                // A loop is not an expression; whoever evaluates the file unrolls it.
                Some(Statement::ParameterAssignment(assignment)) if self.is_loop(assignment.value()) => {
                    self.named_call("parameters", symbol)
                }
                Some(Statement::ParameterAssignment(assignment)) => self.convert(assignment.value()),
                _ => self.arena.call("null", &[]),
            },
            SymbolKind::Variable if self.unit.inlined.variables.contains(&symbol) => {
                match self.unit.model.statement_of(symbol) {
                    Some(Statement::VariableDeclaration(variable))
                        if self.unit.model.is_params() && self.is_loop(variable.value()) =>
                    {
                        self.named_call("variables", symbol)
                    }
                    Some(Statement::VariableDeclaration(variable)) => self.convert(variable.value()),
                    _ => self.arena.call("null", &[]),
                }
            }
            SymbolKind::Inherited | SymbolKind::Test => self.named_call("parameters", symbol),
            SymbolKind::Base => self.convert_base(),
            SymbolKind::Variable | SymbolKind::Imported(_) => self.named_call("variables", symbol),
            SymbolKind::Extension => self.named_call("extensions", symbol),
            kind if kind.is_local() => self.convert_local(symbol),
            _ => self.arena.call("null", &[]),
        }
    }

    fn is_loop(&self, value: Expr<'u>) -> bool {
        matches!(self.shape(value), ExpressionShape::Loop(_))
    }

    /// All values of the extended parameters file.
    fn convert_base(&mut self) -> ExprId {
        let Some(ModuleTarget::Bicep(parent)) = self.unit.model.target_of(ReferenceKind::Extends) else {
            return self.arena.call("null", &[]);
        };
        let mut members = Vec::new();
        for name in parent.assigned_names() {
            members.push(self.arena.text(name));
            members.push(self.convert_base_member(name));
        }
        self.arena.call("createObject", &members)
    }

    /// One value of the extended parameters file, under a name that no parameter can have.
    pub(super) fn convert_base_member(&mut self, name: &str) -> ExprId {
        let name = self.arena.text(&format!("{BASE}{name}"));
        self.arena.call("parameters", &[name])
    }

    fn named_call(&mut self, function: &'static str, symbol: SymbolId) -> ExprId {
        let name = self.names.symbol(self.unit.model, symbol);
        let name = self.arena.text(name);
        self.arena.call(function, &[name])
    }

    /// A variable of a loop, lambda or function.
    pub(crate) fn convert_local(&mut self, symbol: SymbolId) -> ExprId {
        if let Some((_, value)) = self.locals.iter().rev().find(|(local, _)| *local == symbol) {
            return *value;
        }
        let local = self.unit.model.symbol(symbol);
        let scope = self.unit.model.scope(local.scope);
        if scope.kind != ScopeKind::Loop {
            let function = if scope.kind == ScopeKind::Function { "parameters" } else { "lambdaVariables" };
            let name = self.arena.text(&local.name);
            return self.arena.call(function, &[name]);
        }
        let declaring = scope.declaring;
        let index = self.copy_index(declaring);
        if local.kind == SymbolKind::LoopIndex {
            return index;
        }
        let Some(each) = self.loop_at(declaring) else { return index };
        let source = self.convert(each.expression());
        self.arena.step(source, index)
    }

    /// The call that gives the index of a loop: by the name of what is repeated, unless that is a whole declaration.
    fn copy_index(&mut self, each: syntax::NodeId) -> ExprId {
        let name: Option<Cow<'_, str>> = match self.copy_owner(each) {
            CopyOwner::Unnamed => None,
            CopyOwner::Named(name) => Some(match &self.copy_name {
                Some(copy) => copy.clone().into(),
                None => name,
            }),
        };
        match name {
            None => self.arena.call("copyIndex", &[]),
            Some(name) => {
                let name = self.arena.text(&name);
                self.arena.call("copyIndex", &[name])
            }
        }
    }

    fn copy_owner(&self, each: syntax::NodeId) -> CopyOwner<'u> {
        let model = self.unit.model;
        let Some(parent) = model.file.parent(model.file.node(each)) else { return CopyOwner::Unnamed };
        if let Some(property) = ObjectProperty::cast(parent) {
            return property.key().constant().map_or(CopyOwner::Unnamed, CopyOwner::Named);
        }
        match Statement::cast(parent) {
            Some(Statement::VariableDeclaration(_)) => match model.symbol_at(parent) {
                Some(symbol) => CopyOwner::Named(self.names.symbol(model, symbol).into()),
                None => CopyOwner::Unnamed,
            },
            Some(Statement::ParameterAssignment(assignment)) => {
                CopyOwner::Named(assignment.name().text().into())
            }
            _ => CopyOwner::Unnamed,
        }
    }

    /// A value that is known when compiling, as an expression.
    pub(crate) fn convert_value(&mut self, value: &Value) -> ExprId {
        match value {
            Value::Null => self.arena.call("null", &[]),
            Value::Bool(value) => self.arena.call(if *value { "true" } else { "false" }, &[]),
            Value::Int(value) => self.arena.int(*value),
            Value::Text(text) => self.arena.text(text),
            // Nothing that a compiler knows is a secret.
            Value::Secret(inner) => self.convert_value(inner),
            Value::Unknown(_) => self.arena.call("null", &[]),
            Value::Float(number) => {
                let text = self.arena.text(&arm::template_text::general(*number));
                self.arena.call("json", &[text])
            }
            Value::Decimal(_) => {
                let text = self.arena.text(&value.to_json());
                self.arena.call("json", &[text])
            }
            Value::Array(list) => {
                let items: Vec<ExprId> = list.items().iter().map(|item| self.convert_value(item)).collect();
                self.arena.call("createArray", &items)
            }
            Value::Object(object) => {
                let mut members = Vec::new();
                for (name, value) in object.iter() {
                    members.push(self.arena.text(name));
                    members.push(self.convert_value(value));
                }
                self.arena.call("createObject", &members)
            }
        }
    }
}

enum CopyOwner<'u> {
    Unnamed,
    Named(Cow<'u, str>),
}

/// The value of `-1`: a minus sign right before digits is a part of the number.
pub(crate) fn negative_literal(operation: UnaryOperation<'_>) -> Option<i64> {
    let minus = operation.operator().is_some_and(|token| token.text() == "-");
    match operation.operand() {
        Expr::IntegerLiteral(it) if minus => Some(i64::try_from(-i128::from(it.value())).unwrap_or(i64::MIN)),
        _ => None,
    }
}

/// Appends text to a format string, which needs its braces doubled.
fn push_format(text: &str, format: &mut String) {
    for character in text.chars() {
        if matches!(character, '{' | '}') {
            format.push(character);
        }
        format.push(character);
    }
}
