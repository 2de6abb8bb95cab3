//! Calls: of functions of the language, of the program, and of resources.

use arm::evaluate::{EnvironmentValue, EvaluateError, Evaluator};
use arm::{Environment, Expression, Reduced, Value};
use syntax::ast::{Expr, InstanceFunctionCall, Statement};

use super::arena::ExprId;
use super::emitter::Emitter;
use super::references::Reference;
use super::unit::hoist_name;
use crate::functions::Becomes;
use crate::symbols::{CallSyntax, ExtensionFunction, SymbolKind};

/// What the functions of extensions see of the deployment while they are written out.
struct EmptyEnvironment;

impl Environment for EmptyEnvironment {
    fn parameter(&self, _: &str, _: &Evaluator<'_>) -> Result<EnvironmentValue, EvaluateError> {
        Ok(EnvironmentValue::Unknown)
    }

    fn variable(&self, _: &str, _: &Evaluator<'_>) -> Result<EnvironmentValue, EvaluateError> {
        Ok(EnvironmentValue::Unknown)
    }

    fn host(&self, _: &str, _: &[Value], _: &Evaluator<'_>) -> Result<EnvironmentValue, EvaluateError> {
        Ok(EnvironmentValue::Unknown)
    }
}

impl<'u> Emitter<'u> {
    pub(super) fn convert_call(&mut self, expression: Expr<'u>) -> ExprId {
        let Some(call) = CallSyntax::of(expression) else { return self.arena.call("null", &[]) };
        let model = self.unit.model;
        let node = call.node().id();
        if let Some(number) = self.unit.hoisted(node) {
            let name = self.names.hoist(model, number).map_or_else(|| hoist_name(number), str::to_owned);
            let name = self.arena.text(&name);
            return self.arena.call("variables", &[name]);
        }
        if let Some(symbol) = model.binding(node).symbol() {
            let name = self.names.function(model, symbol);
            let arguments = self.convert_arguments(call);
            return self.arena.call_named(&name, &arguments);
        }
        if let Some(function) = model.extension_function(call) {
            return self.convert_extension_function(&function, call);
        }
        if let CallSyntax::Instance(instance) = call
            && let Some(result) = self.convert_instance_call(instance, call)
        {
            return result;
        }
        if let Some(value) = self.unit.loads.get(&node) {
            return self.convert_value(value);
        }
        match model.binding(node).function().map(|function| function.becomes) {
            Some(Becomes::Argument) => match call.argument(0) {
                Some(argument) => self.convert(argument),
                None => self.arena.call("null", &[]),
            },
            Some(Becomes::Input(kind)) => {
                let kind = self.arena.text(kind);
                let mut arguments = vec![kind];
                arguments.extend(self.convert_arguments(call));
                self.arena.call("externalInput", &arguments)
            }
            Some(Becomes::Expression(rule, _)) => self.convert_rewritten(rule, call),
            // What was loaded and what is known has been written above.
            Some(Becomes::Call | Becomes::Loaded | Becomes::Value(..) | Becomes::SecretReference) | None => {
                let arguments = self.convert_arguments(call);
                self.arena.call_named(call.name(), &arguments)
            }
        }
    }

    pub(super) fn convert_arguments(&mut self, call: CallSyntax<'u>) -> Vec<ExprId> {
        call.arguments().map(|argument| self.convert(argument)).collect()
    }

    /// A call of a function that an extension brings: what it stands for, worked out as far as it goes.
    fn convert_extension_function(&mut self, function: &ExtensionFunction, call: CallSyntax<'u>) -> ExprId {
        let arguments = self.convert_arguments(call);
        let Some(expression) = &function.expression else {
            return self.arena.call_named(&function.name, &arguments);
        };
        let arguments: Vec<Expression> = arguments.iter().map(|it| self.arena.to_expression(*it)).collect();
        let mut given = |part: Expression| {
            let name = match part.as_call() {
                Some(call) if call.is_call_to("parameters") => match call.arguments.first() {
                    Some(Expression::Text(name)) => name.clone(),
                    _ => return part,
                },
                _ => return part,
            };
            let place = function.parameters.iter().position(|known| *known == name);
            place.and_then(|place| arguments.get(place).cloned()).unwrap_or(part)
        };
        let expression = expression.clone().rewrite(&mut given);
        match arm::evaluate::reduce(&expression, &EmptyEnvironment) {
            Ok(Reduced::Value(value)) => self.convert_value(&value),
            Ok(Reduced::Expression(rest)) => self.arena.add(&rest),
            Err(_) => self.arena.add(&expression),
        }
    }

    /// A call behind a dot, unless what stands before it is a built-in namespace.
    fn convert_instance_call(
        &mut self,
        instance: InstanceFunctionCall<'u>,
        call: CallSyntax<'u>,
    ) -> Option<ExprId> {
        let model = self.unit.model;
        let base = instance.base();
        if let Some(symbol) = model.symbol_in(base)
            && model.symbol(symbol).kind == SymbolKind::WildcardImport
        {
            let name = self.names.wildcard_function(model, symbol, call.name());
            let arguments = self.convert_arguments(call);
            return Some(self.arena.call_named(&name, &arguments));
        }
        let (id, index) = match self.method_base(base, 0)? {
            Reference::Resource { id, index } => (id, index),
            Reference::Given(given) => {
                let arguments = self.convert_arguments(call);
                return Some(self.given_call(&given, call.name(), &arguments));
            }
            Reference::Module { .. } => return None,
        };
        let resource = model.resource(id);
        if resource.extension.is_some() {
            let name = model.symbol(resource.symbol).name.clone();
            let target = self.symbolic_name_reference(&name, index.map(|index| index.index));
            let method = self.arena.text(call.name());
            let arguments = self.convert_arguments(call);
            let arguments = self.arena.call("createArray", &arguments);
            return Some(self.arena.call("invokeResourceMethod", &[target, method, arguments]));
        }
        let arguments = self.convert_arguments(call);
        let outer = self.locals.len();
        self.locals.extend(index.iter().flat_map(|index| index.locals.iter().copied()));
        let target = if self.unit.settings.symbolic {
            self.symbolic_reference(id, index.map(|index| index.index))
        } else {
            self.resource_id_expression(id)
        };
        self.locals.truncate(outer);
        let mut all = vec![target];
        if arguments.is_empty() {
            let version = resource.ty.as_ref().and_then(|ty| ty.version.as_deref()).unwrap_or_default();
            all.push(self.arena.text(version));
        }
        all.extend(arguments);
        Some(self.arena.call_named(call.name(), &all))
    }

    /// The resource whose method is called; a variable can stand for it.
    pub(super) fn method_base(&mut self, base: Expr<'u>, depth: usize) -> Option<Reference> {
        const MAX_VARIABLES: usize = 64;
        if let Some(reference) = self.reference(base) {
            return Some(reference);
        }
        let symbol = self.unit.model.symbol_in(base)?;
        match self.unit.model.statement_of(symbol)? {
            Statement::VariableDeclaration(variable) if depth < MAX_VARIABLES => {
                self.method_base(variable.value(), depth + 1)
            }
            _ => None,
        }
    }
}
