//! Values as JSON: structure where JSON has it, expression strings elsewhere.

use arm::Value;
use syntax::SyntaxElement;
use syntax::ast::{Array, AstNode as _, Expr, For, Object, ObjectProperty, Statement};

use super::arena::ExprId;
use super::emitter::Emitter;
use super::expressions::negative_literal;
use crate::symbols::{CallSyntax, SymbolKind};

/// What an expression is once variables that have no place of their own are written out.
pub(crate) enum ExpressionShape<'u> {
    Null,
    Bool(bool),
    Int(i64),
    Text(std::borrow::Cow<'u, str>),
    Object(Object<'u>),
    Array(Array<'u>),
    Loop(For<'u>),
    Loaded(&'u Value),
    Ternary(syntax::ast::TernaryOperation<'u>),
    Other(Expr<'u>),
}

impl<'u> Emitter<'u> {
    /// What an expression is.
    pub(crate) fn shape(&self, expression: Expr<'u>) -> ExpressionShape<'u> {
        let model = self.unit.model;
        let mut expression = expression;
        // Each round looks through one layer that has no meaning at run time; layers are finite without cycles.
        for _ in 0..=syntax::MAX_HEIGHT as usize + model.declarations.variables.len() {
            match expression {
                Expr::ParenthesizedExpression(it) => expression = it.expression(),
                Expr::NonNullAssertion(it) => expression = it.base(),
                Expr::NullLiteral(_) => return ExpressionShape::Null,
                Expr::BooleanLiteral(it) => {
                    return ExpressionShape::Bool(it.literal().is_some_and(|token| token.text() == "true"));
                }
                Expr::IntegerLiteral(it) => {
                    return ExpressionShape::Int(i64::try_from(it.value()).unwrap_or(i64::MAX));
                }
                Expr::UnaryOperation(it) => {
                    return negative_literal(it)
                        .map_or(ExpressionShape::Other(expression), ExpressionShape::Int);
                }
                Expr::String(it) => {
                    return it.constant().map_or(ExpressionShape::Other(expression), ExpressionShape::Text);
                }
                Expr::Object(it) if it.spreads().next().is_none() => return ExpressionShape::Object(it),
                Expr::Array(it) if !it.values().any(|value| matches!(value, Expr::SpreadExpression(_))) => {
                    return ExpressionShape::Array(it);
                }
                Expr::For(it) => return ExpressionShape::Loop(it),
                Expr::TernaryOperation(it) => return ExpressionShape::Ternary(it),
                Expr::VariableAccess(_) => {
                    let Some(symbol) = model.symbol_in(expression) else {
                        return ExpressionShape::Other(expression);
                    };
                    let inlined = self.unit.inlined.variables.contains(&symbol);
                    expression = match model.statement_of(symbol) {
                        Some(Statement::VariableDeclaration(it)) if inlined => it.value(),
                        Some(Statement::ParameterAssignment(it)) if inlined => it.value(),
                        _ => return ExpressionShape::Other(expression),
                    };
                }
                Expr::FunctionCall(_) | Expr::InstanceFunctionCall(_) => {
                    if let Some(argument) = self.any_argument(expression) {
                        expression = argument;
                        continue;
                    }
                    let node = expression.node().id();
                    return match self.unit.loads.get(&node) {
                        Some(value) if self.unit.hoisted(node).is_none() => ExpressionShape::Loaded(value),
                        _ => ExpressionShape::Other(expression),
                    };
                }
                _ => return ExpressionShape::Other(expression),
            }
        }
        ExpressionShape::Other(expression)
    }

    /// Writes an expression as a value, unless the template became too large.
    pub(crate) fn value(&mut self, expression: Expr<'u>) {
        if !self.has_room(expression.span()) {
            return self.out.null();
        }
        self.depth += 1;
        self.value_inside(expression);
        self.depth -= 1;
        self.done();
    }

    fn value_inside(&mut self, expression: Expr<'u>) {
        match self.shape(expression) {
            ExpressionShape::Null => self.out.null(),
            ExpressionShape::Bool(value) => self.out.bool(value),
            ExpressionShape::Int(value) => self.out.int(value),
            ExpressionShape::Text(text) => self.out.string(&arm::expression::escape_text(&text)),
            ExpressionShape::Object(object) => {
                self.out.begin_object();
                self.object_members(object, &[]);
                self.out.end_object();
            }
            ExpressionShape::Array(array) => {
                self.out.begin_array();
                for item in array.values() {
                    self.value(item);
                }
                self.out.end_array();
            }
            ExpressionShape::Loaded(value) => self.loaded_value(value),
            ExpressionShape::Loop(each) => {
                let converted = self.convert(each.body());
                self.expression(converted);
            }
            ExpressionShape::Ternary(it) => {
                let converted = self.convert(Expr::TernaryOperation(it));
                self.expression(converted);
            }
            ExpressionShape::Other(expression) => {
                let converted = self.convert(expression);
                self.expression(converted);
            }
        }
    }

    /// Writes the members of an object: loops first, then the others, without those that are named.
    pub(crate) fn object_members(&mut self, object: Object<'u>, without: &[&str]) {
        let properties = || {
            let nodes = object.items().filter_map(SyntaxElement::node);
            nodes.filter_map(ObjectProperty::cast).filter(|property| {
                without.is_empty() || property.key().constant().is_none_or(|name| !without.contains(&&*name))
            })
        };
        let mut in_copy = false;
        for property in properties() {
            if let ExpressionShape::Loop(each) = self.loop_shape(property.value()) {
                if !in_copy {
                    self.out.key("copy");
                    self.out.begin_array();
                    in_copy = true;
                }
                let name = property.key().constant();
                self.copy_object(name.as_deref(), each, Some(each.body()), None);
            }
        }
        if in_copy {
            self.out.end_array();
        }
        for property in properties() {
            if matches!(self.loop_shape(property.value()), ExpressionShape::Loop(_)) {
                continue;
            }
            match property.key().constant() {
                Some(name) => self.key(&name),
                None => {
                    let key = self.convert_key(property);
                    self.key_expression(key);
                }
            }
            self.value(property.value());
        }
    }

    /// Like [`Emitter::shape`], at no cost for what is plainly no loop.
    pub(crate) fn loop_shape(&self, expression: Expr<'u>) -> ExpressionShape<'u> {
        match expression {
            Expr::For(each) => ExpressionShape::Loop(each),
            Expr::ParenthesizedExpression(_) => self.shape(expression),
            _ => ExpressionShape::Other(expression),
        }
    }

    /// Writes a loop: what it is called, how often it runs, and what it gives.
    pub(crate) fn copy_object(
        &mut self,
        name: Option<&str>,
        each: For<'u>,
        input: Option<Expr<'u>>,
        batch: Option<u64>,
    ) {
        self.out.begin_object();
        if let Some(name) = name {
            self.text_member("name", name);
        }
        self.copy_count(each);
        if let Some(batch) = batch {
            self.text_member("mode", "serial");
            self.out.key("batchSize");
            self.out.int(i64::try_from(batch).unwrap_or(i64::MAX));
        }
        if let Some(input) = input {
            self.out.key("input");
            self.copy_input(input);
        }
        self.out.end_object();
    }

    fn copy_count(&mut self, each: For<'u>) {
        self.out.key("count");
        let source = self.convert(each.expression());
        let length = self.arena.call("length", &[source]);
        let length = self.probed("loop", each.node().span(), length);
        self.string_expression(length);
        self.done();
    }

    /// The engine takes objects and strings only; anything else has to be an expression.
    fn copy_input(&mut self, input: Expr<'u>) {
        match self.shape(input) {
            ExpressionShape::Object(_) | ExpressionShape::Text(_) => self.value(input),
            ExpressionShape::Loaded(value @ (Value::Object(_) | Value::Text(_))) => self.loaded_value(value),
            _ => {
                let converted = self.convert(input);
                let converted = self.arena.as_call(converted);
                self.string_expression(converted);
                self.done();
            }
        }
    }

    /// Writes the input of a loop that is the value of a module's parameter, whose index goes by another name.
    pub(crate) fn value_copy(&mut self, each: For<'u>) {
        self.out.begin_object();
        self.text_member("name", "value");
        self.copy_count(each);
        self.out.key("input");
        let outer = self.copy_name.replace("value".to_owned());
        let converted = self.convert(each.body());
        let converted = match self.shape(each.body()) {
            ExpressionShape::Object(_) | ExpressionShape::Text(_) => converted,
            _ => self.arena.as_call(converted),
        };
        self.string_expression(converted);
        self.done();
        self.copy_name = outer;
        self.out.end_object();
    }

    /// Writes a value that was known when compiling.
    pub(crate) fn loaded_value(&mut self, value: &Value) {
        match value {
            Value::Null => self.out.null(),
            Value::Bool(value) => self.out.bool(*value),
            Value::Int(value) => self.out.int(*value),
            Value::Text(text) => self.out.string(&arm::expression::escape_text(text)),
            // Nothing that a compiler knows is a secret.
            Value::Secret(inner) => self.loaded_value(inner),
            Value::Unknown(_) => self.out.null(),
            Value::Float(_) | Value::Decimal(_) => {
                let converted = self.convert_value(value);
                self.expression(converted);
            }
            Value::Array(list) => {
                self.out.begin_array();
                for item in list.items() {
                    self.loaded_value(item);
                }
                self.out.end_array();
            }
            Value::Object(object) => {
                self.out.begin_object();
                for (name, value) in object.iter() {
                    self.key(name);
                    self.loaded_value(value);
                }
                self.out.end_object();
            }
        }
    }

    /// The value of a module's parameter: what it is, or where its secret lies.
    pub(crate) fn module_parameter(&mut self, value: Expr<'u>) {
        match self.shape(value) {
            ExpressionShape::Ternary(_) => {
                let converted = self.convert_module_parameter(value);
                self.expression(converted);
            }
            _ => {
                self.out.begin_object();
                match self.secret_call(value) {
                    Some(call) => {
                        self.out.key("reference");
                        self.key_vault_reference(call);
                    }
                    None => {
                        self.out.key("value");
                        self.value(value);
                    }
                }
                self.out.end_object();
            }
        }
        self.done();
    }

    fn convert_module_parameter(&mut self, value: Expr<'u>) -> ExprId {
        if let ExpressionShape::Ternary(it) = self.shape(value) {
            let condition = self.convert(it.condition());
            let yes = self.convert_module_parameter(it.true_expression());
            let no = self.convert_module_parameter(it.false_expression());
            return self.arena.call("if", &[condition, yes, no]);
        }
        if let Some(call) = self.secret_call(value) {
            let name = self.arena.text("reference");
            let reference = self.convert_key_vault_reference(call);
            return self.arena.call("createObject", &[name, reference]);
        }
        let name = self.arena.text("value");
        let value = self.convert(value);
        self.arena.call("createObject", &[name, value])
    }

    /// The value of a property of an extension's configuration.
    pub(crate) fn extension_config_value(&mut self, value: Expr<'u>) {
        if let (ExpressionShape::Other(_), Some(call)) = (self.shape(value), self.secret_call(value)) {
            self.out.begin_object();
            self.out.key("keyVaultReference");
            self.key_vault_reference(call);
            self.out.end_object();
        } else if self.is_extension_config(value) || matches!(self.shape(value), ExpressionShape::Ternary(_))
        {
            let converted = self.convert_extension_config(value);
            self.expression(converted);
        } else {
            self.module_parameter(value);
        }
        self.done();
    }

    /// The same as an expression, through the arms of a ternary.
    fn convert_extension_config(&mut self, value: Expr<'u>) -> ExprId {
        if let ExpressionShape::Ternary(ternary) = self.shape(value) {
            let condition = self.convert(ternary.condition());
            let yes = self.convert_extension_config(ternary.true_expression());
            let no = self.convert_extension_config(ternary.false_expression());
            return self.arena.call("if", &[condition, yes, no]);
        }
        if self.is_extension_config(value) {
            return self.convert(value);
        }
        let (name, value) = match self.secret_call(value) {
            Some(call) => ("keyVaultReference", self.convert_key_vault_reference(call)),
            None => ("value", self.convert(value)),
        };
        let name = self.arena.text(name);
        self.arena.call("createObject", &[name, value])
    }

    /// Tells whether a value is taken from the configuration of an extension of this file.
    fn is_extension_config(&self, value: Expr<'u>) -> bool {
        let Expr::PropertyAccess(property) = value else { return false };
        let Expr::PropertyAccess(config) = property.base() else { return false };
        let symbol = self.unit.model.symbol_in(config.base());
        config.name().text() == "config"
            && symbol.is_some_and(|symbol| self.unit.model.symbol(symbol).kind == SymbolKind::Extension)
    }

    /// Writes the configuration of an extension as defaults.
    pub(crate) fn extension_config(&mut self, config: Expr<'u>) {
        let ExpressionShape::Object(object) = self.shape(config) else { return self.value(config) };
        self.out.begin_object();
        for property in object.items().filter_map(SyntaxElement::node).filter_map(ObjectProperty::cast) {
            let Some(name) = property.key().constant() else { continue };
            self.out.key(&name);
            self.out.begin_object();
            self.out.key("defaultValue");
            self.value(property.value());
            self.out.end_object();
        }
        self.out.end_object();
    }

    /// The call of `getSecret` that a value is.
    pub(crate) fn secret_call(&self, value: Expr<'u>) -> Option<CallSyntax<'u>> {
        let ExpressionShape::Other(expression) = self.shape(value) else { return None };
        let Expr::InstanceFunctionCall(instance) = expression else { return None };
        if instance.name().text() != "getSecret" {
            return None;
        }
        let given =
            matches!(instance.base(), Expr::PropertyAccess(output) if self.given_output(output).is_some());
        let is_resource =
            crate::emit::method_symbol(self.unit.model, instance.base()).is_some_and(|symbol| {
                self.unit.model.symbol(symbol).kind == SymbolKind::Resource
                    || self.given_parameter(symbol).is_some()
            });
        (given || is_resource).then_some(CallSyntax::Instance(instance))
    }

    pub(crate) fn key_vault_reference(&mut self, call: CallSyntax<'u>) {
        self.out.begin_object();
        self.out.key("keyVault");
        self.out.begin_object();
        self.out.key("id");
        let id = self.key_vault_id(call);
        self.expression(id);
        self.out.end_object();
        for (position, name) in ["secretName", "secretVersion"].into_iter().enumerate() {
            if let Some(argument) = call.argument(position) {
                self.out.key(name);
                self.value(argument);
            }
        }
        self.out.end_object();
    }

    fn convert_key_vault_reference(&mut self, call: CallSyntax<'u>) -> ExprId {
        let key_vault = self.arena.text("keyVault");
        let id_name = self.arena.text("id");
        let id = self.key_vault_id(call);
        let vault = self.arena.call("createObject", &[id_name, id]);
        let mut members = vec![key_vault, vault];
        for (position, name) in ["secretName", "secretVersion"].into_iter().enumerate() {
            if let Some(argument) = call.argument(position) {
                members.push(self.arena.text(name));
                members.push(self.convert(argument));
            }
        }
        self.arena.call("createObject", &members)
    }

    fn key_vault_id(&mut self, call: CallSyntax<'u>) -> ExprId {
        let CallSyntax::Instance(instance) = call else { return self.arena.text("") };
        match self.method_base(instance.base(), 0) {
            Some(super::references::Reference::Resource { id, index }) => {
                let outer = self.locals.len();
                self.locals.extend(index.into_iter().flat_map(|index| index.locals));
                let id = self.resource_id_expression(id);
                self.locals.truncate(outer);
                id
            }
            Some(super::references::Reference::Given(given)) => self.given_id(&given),
            _ => self.arena.text(""),
        }
    }
}
