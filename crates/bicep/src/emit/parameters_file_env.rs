//! What expressions of parameters files see: parameters, variables and functions, of the file and of those it takes from.

use std::cell::{Cell, RefCell};

use arm::evaluate::{
    Cause, EnvironmentValue, EvaluateError, EvaluationLimits, Evaluator, FunctionRole, UserFunction,
};
use arm::{Environment, Expression, Reduced, Value};
use contract::Admitted;
use rustc_hash::FxHashMap;
use syntax::ast::{Expr, For, Statement};

use super::armsource;
use super::emitter::Emitter;
use super::expressions::BASE;
use super::external_inputs::{self, Definitions};
use super::host::EmitHost;
use super::imports::{ImportSource, SymbolNames};
use super::library::{Library, function_key};
use super::unit::{Unit, hoist_name};
use super::values::ExpressionShape;
use crate::config::InputsForm;
use crate::symbols::{ExportKind, Model, SymbolId};

/// How large the expression of a parameter may become.
const MAX_NODES: usize = 100_000;

/// A parameters file, or one that it extends, with all that it imports.
pub(super) struct ParamsFile<'u> {
    pub(super) unit: &'u Unit<'u>,
    pub(super) units: &'u [Unit<'u>],
    pub(super) names: &'u SymbolNames<'u>,
    /// The functions that the file imports, with their types.
    library: Library,
    /// What the functions do when they are called, with the values of variables in them.
    functions: FxHashMap<String, UserFunction>,
    /// The places where values come from, by name.
    assignments: FxHashMap<&'u str, SymbolId>,
    variables: FxHashMap<String, Source>,
}

/// Where a variable's value comes from.
#[derive(Clone, Copy)]
enum Source {
    /// A call that was made when compiling, by its number.
    Hoist(usize),
    /// A declaration of the file.
    Own(SymbolId),
    /// Something that the file imports, by its place.
    Imported(usize),
}

impl<'u> ParamsFile<'u> {
    pub(super) fn new(
        host: &'u dyn EmitHost,
        unit: &'u Unit<'u>,
        units: &'u [Unit<'u>],
        names: &'u SymbolNames<'u>,
    ) -> Self {
        let model: &'u Model = unit.model;
        let mut assignments = FxHashMap::default();
        for symbol in &model.declarations.assignments {
            assignments.entry(model.symbol(*symbol).name.as_str()).or_insert(*symbol);
        }
        let mut variables: FxHashMap<String, Source> = FxHashMap::default();
        for number in 0..unit.hoists.len() {
            variables.entry(hoist_name(number)).or_insert(Source::Hoist(number));
        }
        for symbol in &model.declarations.variables {
            variables.entry(model.symbol(*symbol).name.to_string()).or_insert(Source::Own(*symbol));
        }
        for (place, item) in names.items.iter().enumerate() {
            variables.entry(item.name.to_string()).or_insert(Source::Imported(place));
        }
        let library = Library::of(host, unit, units, names, variables.keys().map(String::as_str));
        let functions = library.calls().collect();
        ParamsFile { unit, units, names, library, functions, assignments, variables }
    }
}

/// All files of a parameters file: itself, what it extends, what that extends, and so on.
pub(super) struct Params<'u> {
    pub(super) host: &'u dyn EmitHost,
    pub(super) files: Vec<ParamsFile<'u>>,
    /// The external inputs that were found.
    pub(super) inputs: RefCell<Definitions>,
    /// How many calls that ask for inputs are being converted, one within another.
    asking: Cell<usize>,
    known: RefCell<FxHashMap<(usize, String), Result<Reduced, EvaluateError>>>,
}

impl<'u> Params<'u> {
    pub(super) fn new(host: &'u dyn EmitHost, files: Vec<ParamsFile<'u>>, form: InputsForm) -> Params<'u> {
        let inputs = RefCell::new(Definitions::new(form));
        let mut params = Params { host, files, inputs, asking: Cell::new(0), known: RefCell::default() };
        params.settle_functions();
        params
    }

    /// Puts the values of variables into the functions that use them: an engine's functions see none.
    fn settle_functions(&mut self) {
        for place in 0..self.files.len() {
            let Some(file) = self.files.get(place) else { continue };
            let bodies = file.functions.iter().map(|(name, function)| (name.clone(), function.body.clone()));
            let mut bodies: Vec<(String, Expression)> =
                bodies.filter(|(_, body)| uses_variables(body)).collect();
            bodies.sort_by(|(a, _), (b, _)| a.cmp(b));
            for (_, body) in &mut bodies {
                let env = FunctionBodyEnv(Env { params: self, file: place, index: None });
                if let Ok(settled) = arm::evaluate::inline(body, &env) {
                    *body = settled;
                }
            }
            let Some(file) = self.files.get_mut(place) else { continue };
            for (name, body) in bodies {
                if let Some(function) = file.functions.get_mut(&name) {
                    function.body = body;
                }
            }
        }
    }

    /// What a parameter is given, by the file at a place or one that it extends.
    pub(super) fn assignment(&self, file: usize, name: &str) -> Option<(usize, SymbolId)> {
        let files = self.files.iter().enumerate().skip(file);
        files.into_iter().find_map(|(place, file)| Some((place, *file.assignments.get(name)?)))
    }

    /// Converts an expression of the file at a place, with keys in the place of external inputs.
    pub(super) fn convert(&self, file: usize, model: &'u Model, expression: Expr<'u>) -> Expression {
        let Some(source) = self.files.get(file) else { return Expression::call("null", []) };
        let mut emitter = Emitter::new(self.host, source.unit, source.units, source.names);
        let converted = emitter.in_model(model, |this| this.convert(expression));
        let converted = self.with_constants(file, emitter.arena.to_expression(converted));
        self.inputs.borrow_mut().collect(&converted);
        self.inputs.borrow().keyed(converted)
    }

    /// The expression with values in the place of what inputs are asked for. What has none is left as it is,
    /// and has been reported.
    fn with_constants(&self, file: usize, expression: Expression) -> Expression {
        /// No program asks for inputs by means of inputs by means of inputs; one that does has been reported.
        const DEEPEST: usize = 4;
        let depth = self.asking.get();
        if depth >= DEEPEST {
            return expression;
        }
        self.asking.set(depth + 1);
        let env = Env { params: self, file, index: None };
        let constant = |argument: &Expression| match argument {
            Expression::Text(_) | Expression::Int(_) | Expression::Secret(_) => argument.clone(),
            Expression::Call(_) | Expression::Access(_) => {
                let reduced =
                    Evaluator::run(&env, EvaluationLimits::DEFAULT, |evaluator| evaluator.reduce(argument));
                reduced.map_or_else(|_| argument.clone(), Reduced::into_expression)
            }
        };
        let settled =
            expression.rewrite(&mut |part| match part.as_call().filter(|call| external_inputs::asks(call)) {
                Some(call) => {
                    let arguments: Vec<Expression> = call.arguments.iter().map(constant).collect();
                    Expression::call(call.name.clone(), arguments)
                }
                None => part,
            });
        self.asking.set(depth);
        settled
    }

    /// The value of an expression of the file at a place, a loop included.
    pub(super) fn value(
        &self,
        file: usize,
        model: &'u Model,
        expression: Expr<'u>,
        evaluator: &Evaluator<'_>,
    ) -> Result<Reduced, EvaluateError> {
        let Some(source) = self.files.get(file) else { return Ok(Reduced::Value(Value::Null)) };
        let emitter = Emitter::new(self.host, source.unit, source.units, source.names);
        if let ExpressionShape::Loop(each) = emitter.shape(expression) {
            return self.repeat(file, model, each, evaluator);
        }
        let converted = self.convert(file, model, expression);
        evaluator.within(&Env { params: self, file, index: None }, |evaluator| evaluator.reduce(&converted))
    }

    fn repeat(
        &self,
        file: usize,
        model: &'u Model,
        each: For<'u>,
        evaluator: &Evaluator<'_>,
    ) -> Result<Reduced, EvaluateError> {
        let source = self.convert(file, model, each.expression());
        let env = Env { params: self, file, index: None };
        let source = evaluator.within(&env, |evaluator| evaluator.reduce(&source))?;
        let body = self.convert(file, model, each.body());
        let list = match &source {
            Reduced::Value(Value::Array(list)) => list.items(),
            Reduced::Value(_) => {
                return Err(EvaluateError::new(Cause::NotIndexable, "a loop needs an array"));
            }
            Reduced::Expression(source) => {
                let body = self.without_functions(file, body)?;
                let mapped = mapped(source, body);
                return evaluator
                    .within(&env, |evaluator| evaluator.inline(&mapped))
                    .map(Reduced::Expression);
            }
        };
        let mut items = Vec::with_capacity(list.len());
        for index in 0..list.len() {
            let env = Env { params: self, file, index: i64::try_from(index).ok() };
            items.push(evaluator.within(&env, |evaluator| evaluator.reduce(&body))?);
        }
        let known = items.iter().map(|item| match item {
            Reduced::Value(value) => Some(value.clone()),
            Reduced::Expression(_) => None,
        });
        Ok(match known.collect() {
            Some(values) => Reduced::Value(Value::array(values)),
            None => {
                let items: Vec<Expression> = items.into_iter().map(Reduced::into_expression).collect();
                Reduced::Expression(Expression::call("createArray", items))
            }
        })
    }

    /// Tells whether an expression is a loop, which is not an expression of a template.
    pub(super) fn is_loop(&self, file: usize, expression: Expr<'u>) -> bool {
        self.files.get(file).is_some_and(|source| {
            let emitter = Emitter::new(self.host, source.unit, source.units, source.names);
            matches!(emitter.shape(expression), ExpressionShape::Loop(_))
        })
    }

    /// The expression without calls of functions of Bicep files, which parameters JSON does not have.
    pub(super) fn without_functions(
        &self,
        file: usize,
        expression: Expression,
    ) -> Result<Expression, EvaluateError> {
        /// Functions cannot call themselves, so that this is only reached by those that double with every call.
        const DEEPEST: usize = 64;
        let Some(source) = self.files.get(file) else { return Ok(expression) };
        let env = Env { params: self, file, index: None };
        Evaluator::run(&env, EvaluationLimits::DEFAULT, |evaluator| {
            self.written_out(source, expression, evaluator, DEEPEST)
        })
    }

    /// The expression with bodies in the place of calls; what is passed to functions and returned by them is held against their types.
    fn written_out(
        &self,
        source: &ParamsFile<'u>,
        expression: Expression,
        evaluator: &Evaluator<'_>,
        levels: usize,
    ) -> Result<Expression, EvaluateError> {
        let mut failure = None;
        let written = expression.rewrite(&mut |part| {
            let named = part.as_call().and_then(|call| Some((call, call.namespace.as_deref()?)));
            let Some((call, namespace)) = named.filter(|_| failure.is_none()) else { return part };
            let Some(function) = source.functions.get(&function_key(namespace, &call.name)) else {
                failure = Some(EvaluateError::not_allowed_here(&call.name));
                return part;
            };
            let arguments = call.arguments.iter().enumerate().map(|(position, argument)| {
                source.library.admit_left(call, FunctionRole::Argument(position), argument.clone(), evaluator)
            });
            let result = arguments.collect::<Result<Vec<_>, _>>().and_then(|arguments| {
                let levels = levels.checked_sub(1).ok_or_else(too_large)?;
                let body = with_arguments(function, &arguments);
                if size(&body) > MAX_NODES {
                    return Err(too_large());
                }
                let body = self.written_out(source, body, evaluator, levels)?;
                source.library.admit_left(call, FunctionRole::Result, body, evaluator)
            });
            result.unwrap_or_else(|error| {
                failure = Some(error);
                part
            })
        });
        match failure {
            Some(error) => Err(error),
            None if size(&written) > MAX_NODES => Err(too_large()),
            None => Ok(written),
        }
    }

    /// The value of a parameter that the file at a place assigns.
    pub(super) fn parameter(&self, file: usize, symbol: SymbolId) -> Result<Reduced, EvaluateError> {
        let env = Env { params: self, file, index: None };
        Evaluator::run(&env, EvaluationLimits::DEFAULT, |evaluator| self.assigned(file, symbol, evaluator))
    }

    fn assigned(
        &self,
        file: usize,
        symbol: SymbolId,
        evaluator: &Evaluator<'_>,
    ) -> Result<Reduced, EvaluateError> {
        self.once("param", file, symbol, |model, value| self.value(file, model, value, evaluator))
    }

    /// Works out what a file assigns to a parameter, once for each thing that is wanted of it; null where nothing is assigned.
    fn once(
        &self,
        wanted: &str,
        file: usize,
        symbol: SymbolId,
        work: impl FnOnce(&'u Model, Expr<'u>) -> Result<Reduced, EvaluateError>,
    ) -> Result<Reduced, EvaluateError> {
        let Some(source) = self.files.get(file) else { return Ok(Reduced::Value(Value::Null)) };
        let model = source.unit.model;
        self.remember((file, format!("{wanted} {}", model.symbol(symbol).name)), || {
            match model.statement_of(symbol) {
                Some(Statement::ParameterAssignment(assignment)) => work(model, assignment.value()),
                _ => Ok(Reduced::Value(Value::Null)),
            }
        })
    }

    /// Tells whether a parameter needs an input of the deployment, so that it has no value before.
    fn is_late(&self, file: usize, symbol: SymbolId) -> bool {
        self.files.get(file).is_some_and(|file| file.unit.inlined.variables.contains(&symbol))
    }

    /// What a parameter without a value is given, with all references in it worked out.
    fn late(
        &self,
        file: usize,
        symbol: SymbolId,
        evaluator: &Evaluator<'_>,
    ) -> Result<Reduced, EvaluateError> {
        self.once("late", file, symbol, |model, value| {
            if self.is_loop(file, value) {
                return self.value(file, model, value, evaluator);
            }
            let converted = self.convert(file, model, value);
            let env = Env { params: self, file, index: None };
            let inlined = evaluator.within(&env, |evaluator| evaluator.inline(&converted))?;
            // It is written out wherever it is used, so each file of a chain can double it.
            if size(&inlined) > MAX_NODES {
                return Err(too_large());
            }
            Ok(Reduced::Expression(inlined))
        })
    }

    /// Remembers results by file and name.
    fn remember(
        &self,
        key: (usize, String),
        make: impl FnOnce() -> Result<Reduced, EvaluateError>,
    ) -> Result<Reduced, EvaluateError> {
        let known = self.known.borrow().get(&key).cloned();
        known.unwrap_or_else(|| {
            let made = make();
            self.known.borrow_mut().insert(key, made.clone());
            made
        })
    }

    fn variable(
        &self,
        file: usize,
        name: &str,
        evaluator: &Evaluator<'_>,
    ) -> Result<Option<Reduced>, EvaluateError> {
        let Some(source) = self.files.get(file) else { return Ok(None) };
        let model = source.unit.model;
        let place = match source.variables.get(name) {
            None => return Ok(None),
            Some(Source::Hoist(number)) => {
                let value = source.unit.hoists.get(*number).and_then(|call| source.unit.loads.get(call));
                return Ok(value.cloned().map(Reduced::Value));
            }
            Some(Source::Own(symbol)) => match model.statement_of(*symbol) {
                Some(Statement::VariableDeclaration(variable)) => {
                    return self.value(file, model, variable.value(), evaluator).map(Some);
                }
                _ => return Ok(None),
            },
            Some(Source::Imported(place)) => *place,
        };
        let Some(item) = source.names.items.get(place) else { return Ok(None) };
        match item.what {
            ImportSource::Symbol(model, symbol) => match model.statement_of(symbol) {
                Some(Statement::VariableDeclaration(variable)) => {
                    self.value(file, model, variable.value(), evaluator).map(Some)
                }
                _ => Ok(None),
            },
            ImportSource::Hoist(model, number) => {
                let unit = source.units.iter().find(|unit| std::ptr::eq(unit.model, model));
                let value = unit.and_then(|unit| unit.loads.get(unit.hoists.get(number)?));
                Ok(value.cloned().map(Reduced::Value))
            }
            ImportSource::Template(template, _) => {
                let rename =
                    |kind, name: &str| source.names.template(template, kind, name).map(str::to_owned);
                let Some(value) = armsource::declaration(template, ExportKind::Variable, &item.original)
                else {
                    return Ok(None);
                };
                let Some(expression) = armsource::expression_of(value, &rename) else { return Ok(None) };
                let env = Env { params: self, file, index: None };
                evaluator.within(&env, |evaluator| evaluator.reduce(&expression)).map(Some)
            }
        }
    }
}

/// A loop over an array that is not known: what the body is for each index.
fn mapped(source: &Expression, body: Expression) -> Expression {
    const INDEX: &str = "index";
    let body =
        body.rewrite(&mut |part| match part.as_call().is_some_and(|call| call.is_call_to("copyIndex")) {
            true => Expression::call("lambdaVariables", [Expression::text(INDEX)]),
            false => part,
        });
    let indices = Expression::call(
        "range",
        [Expression::from_value(&Value::Int(0)), Expression::call("length", [source.clone()])],
    );
    Expression::call("map", [indices, Expression::call("lambda", [Expression::text(INDEX), body])])
}

fn too_large() -> EvaluateError {
    let message = format!("more than {MAX_NODES} parts when everything in it is written out");
    EvaluateError::new(Cause::TooLarge, message)
}

/// The body of a function with arguments in the place of its parameters.
fn with_arguments(function: &UserFunction, arguments: &[Expression]) -> Expression {
    function.body.clone().rewrite(&mut |part| {
        let argument = part.as_call().filter(|call| call.is_call_to("parameters")).and_then(|call| {
            let [Expression::Text(name)] = call.arguments.as_slice() else { return None };
            let position = function.parameters.iter().position(|known| known.eq_ignore_ascii_case(name))?;
            arguments.get(position).cloned()
        });
        argument.unwrap_or(part)
    })
}

fn answer(reduced: Reduced) -> EnvironmentValue {
    match reduced {
        Reduced::Value(value) => EnvironmentValue::Value(value),
        Reduced::Expression(expression) => EnvironmentValue::Expression(expression),
    }
}

/// How many parts an expression has.
fn size(expression: &Expression) -> usize {
    let all = |expressions: &[Expression]| expressions.iter().map(size).sum::<usize>();
    match expression {
        Expression::Text(_) | Expression::Int(_) | Expression::Secret(_) => 1,
        Expression::Call(call) => 1 + all(&call.arguments),
        Expression::Access(access) => size(access.base()) + all(access.path()),
    }
}

/// Tells whether an expression mentions a variable.
fn uses_variables(expression: &Expression) -> bool {
    match expression {
        Expression::Text(_) | Expression::Int(_) | Expression::Secret(_) => false,
        Expression::Call(call) => call.is_call_to("variables") || call.arguments.iter().any(uses_variables),
        Expression::Access(access) => {
            uses_variables(access.base()) || access.path().iter().any(uses_variables)
        }
    }
}

/// What the body of a function sees before it is called: variables, and parameters without values.
struct FunctionBodyEnv<'e, 'u>(Env<'e, 'u>);

impl Environment for FunctionBodyEnv<'_, '_> {
    fn parameter(&self, _: &str, _: &Evaluator<'_>) -> Result<EnvironmentValue, EvaluateError> {
        Ok(EnvironmentValue::Unknown)
    }

    fn variable(&self, name: &str, evaluator: &Evaluator<'_>) -> Result<EnvironmentValue, EvaluateError> {
        self.0.variable(name, evaluator)
    }
}

/// What an expression of the file at a place sees.
pub(super) struct Env<'e, 'u> {
    pub(super) params: &'e Params<'u>,
    pub(super) file: usize,
    /// Which round of the loop around it this is.
    pub(super) index: Option<i64>,
}

impl Environment for Env<'_, '_> {
    fn parameter(&self, name: &str, evaluator: &Evaluator<'_>) -> Result<EnvironmentValue, EvaluateError> {
        let (start, name) = match name.strip_prefix(BASE) {
            Some(name) => (self.file + 1, name),
            None => (self.file, name),
        };
        let Some((place, symbol)) = self.params.assignment(start, name) else {
            return Err(EvaluateError::missing_parameter(name));
        };
        if self.params.is_late(place, symbol) {
            return self.params.late(place, symbol, evaluator).map(answer);
        }
        self.params.assigned(place, symbol, evaluator).map(answer)
    }

    fn variable(&self, name: &str, evaluator: &Evaluator<'_>) -> Result<EnvironmentValue, EvaluateError> {
        let result = self.params.remember((self.file, format!("var {name}")), || {
            match self.params.variable(self.file, name, evaluator)? {
                Some(reduced) => Ok(reduced),
                None => Err(EvaluateError::missing_variable(name)),
            }
        });
        result.map(answer)
    }

    /// The validators of types are functions as they are written, which see the variables of their file.
    fn variable_of_function(
        &self,
        name: &str,
        evaluator: &Evaluator<'_>,
    ) -> Result<EnvironmentValue, EvaluateError> {
        self.variable(name, evaluator)
    }

    fn copy_index(&self, _: Option<&str>) -> Result<EnvironmentValue, EvaluateError> {
        match self.index {
            Some(index) => Ok(EnvironmentValue::Value(Value::Int(index))),
            None => Err(EvaluateError::not_allowed_here("copyIndex")),
        }
    }

    fn function(&self, namespace: &str, name: &str) -> Option<&UserFunction> {
        let key = function_key(namespace, name);
        self.params.files.get(self.file).and_then(|file| file.functions.get(&key))
    }

    fn admit(
        &self,
        call: &arm::expression::FunctionCall,
        role: FunctionRole,
        value: Value,
        evaluator: &Evaluator<'_>,
    ) -> Result<Admitted<Value>, EvaluateError> {
        match self.params.files.get(self.file) {
            Some(file) => file.library.admit(call, role, value, evaluator),
            None => Err(EvaluateError::not_allowed_here(&call.name)),
        }
    }

    fn host(&self, name: &str, _: &[Value], _: &Evaluator<'_>) -> Result<EnvironmentValue, EvaluateError> {
        if name.eq_ignore_ascii_case(external_inputs::WRITTEN) {
            return Ok(EnvironmentValue::Unknown);
        }
        Err(EvaluateError::not_allowed_here(name))
    }
}
