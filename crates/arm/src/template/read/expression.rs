//! Expressions, and what can be said about them without evaluating them.

use smol_str::SmolStr;

use super::names::full_name;
use super::problems::ErrorSection;
use super::tree::ExpressionSite;
use super::{Span, TemplateReader};
use crate::expression::{Expression, FunctionCall, parse};
use crate::functions;
use crate::functions::Stage;
use crate::template::version::Feature;
use crate::value::folded;

/// How many variables a lambda may have; no function gives one more than three.
const MOST_VARIABLES: usize = 8;

/// Functions that need not evaluate all of their arguments.
const BRANCHES: &[&str] = &["and", "coalesce", "if", "or"];

impl TemplateReader<'_> {
    /// Reads the text between the brackets of an expression string.
    pub(super) fn expression(
        &mut self,
        text: &str,
        span: Span,
        at: ExpressionSite<'_>,
    ) -> Option<Expression> {
        // Two characters for the brackets.
        if text.len() + 2 > self.limits.expression {
            let length = text.chars().count() + 2;
            if length > self.limits.expression {
                let most = self.limits.expression;
                let message = format!(
                    "the language expression has '{length}' characters, which is more than the limit of '{most}'"
                );
                self.problems.add(span, at.section, message);
                return None;
            }
        }
        match parse(text) {
            Ok(expression) => {
                self.lambda_variables.clear();
                self.check(&expression, span, at, at.lambda);
                Some(expression)
            }
            Err(error) => {
                let shown: String = text.chars().take(80).collect();
                let dots = if shown.len() < text.len() { "…" } else { "" };
                let message = format!("unable to parse language expression '{shown}{dots}': {error}");
                // The bracket and the quote stand before it; escapes before it are not counted.
                let start = (span.start + 2 + error.offset as u32).min(span.end.saturating_sub(1));
                self.problems.add(Span { start, end: span.end }, at.section, message);
                None
            }
        }
    }

    /// Checks an expression and everything inside it. Recursion is bounded by the depth of expressions.
    fn check(&mut self, expression: &Expression, span: Span, at: ExpressionSite<'_>, lambda: bool) {
        match expression {
            Expression::Text(_) | Expression::Int(_) | Expression::Secret(_) => {}
            Expression::Call(call) => self.check_call(call, span, at, lambda),
            Expression::Access(access) => {
                self.check(access.base(), span, at, false);
                for step in access.path() {
                    self.check(step, span, at, false);
                }
            }
        }
    }

    fn check_call(&mut self, call: &FunctionCall, span: Span, at: ExpressionSite<'_>, lambda: bool) {
        if let Some(namespace) = &call.namespace {
            self.check_user_call(namespace, call, span, at);
            for argument in &call.arguments {
                self.check(argument, span, at, false);
            }
            return;
        }
        let Some(function) = functions::find(&call.name) else {
            let message = format!("The template function '{}' is not valid", call.name);
            self.problems.add(span, at.section, message);
            return;
        };
        // Functions may use variables since they may call each other.
        let is_newer = at.stage == Stage::Function && self.version.has(Feature::FunctionsCallFunctions);
        let is_legal = function.stages.contains(at.stage) || is_newer && function.name == "variables";
        if !is_legal {
            self.not_here(&call.name, span, at.section);
        }
        match function.name {
            "lambda" if !lambda => self.not_here(&call.name, span, at.section),
            "lambda" => return self.check_lambda(call, span, at),
            "lambdaVariables" => {
                if let [Expression::Text(name)] = call.arguments.as_slice()
                    && !self.lambda_variables.iter().any(|local| local.eq_ignore_ascii_case(name))
                {
                    let message = format!("The template lambda variable '{name}' is not found");
                    self.problems.add(span, at.section, message);
                }
            }
            "parameters" => self.check_name(
                call,
                "parameter",
                |reader, name| reader.names.parameters.contains(name),
                span,
                at,
            ),
            "variables" => self.check_name(
                call,
                "variable",
                |reader, name| reader.names.variables.contains(name),
                span,
                at,
            ),
            "copyIndex" => self.check_copy_index(call, span, at),
            "references" if !self.version.has(Feature::SymbolicNames) => {
                self.not_here(&call.name, span, at.section);
            }
            _ => {}
        }
        let around = self.in_branch;
        for (position, argument) in call.arguments.iter().enumerate() {
            // All but the first are evaluated only if they are needed.
            self.in_branch = around || position > 0 && BRANCHES.contains(&function.name);
            self.check(argument, span, at, function.takes_lambdas());
        }
        self.in_branch = around;
    }

    fn check_lambda(&mut self, call: &FunctionCall, span: Span, at: ExpressionSite<'_>) {
        let Some((body, names)) = call.arguments.split_last() else {
            self.problems.add(span, at.section, "a lambda has a body: 'lambda('x', ...)'");
            return;
        };
        if names.len() > MOST_VARIABLES {
            let message = format!("a lambda has at most {MOST_VARIABLES} variables, not {}", names.len());
            self.problems.add(span, at.section, message);
            return;
        }
        let outer = self.lambda_variables.len();
        for name in names {
            match name {
                Expression::Text(name) => self.lambda_variables.push(name.clone()),
                _ => self.problems.add(
                    span,
                    at.section,
                    "the variables of a lambda are string literals: 'lambda('x', ...)'",
                ),
            }
        }
        self.check(body, span, at, false);
        self.lambda_variables.truncate(outer);
    }

    fn check_user_call(&mut self, namespace: &str, call: &FunctionCall, span: Span, at: ExpressionSite<'_>) {
        if self.extra.find(namespace, &call.name).is_some() {
            return;
        }
        let Some(count) = self.names.functions.get(&full_name(namespace, &call.name)).copied() else {
            let message = format!("The template function '{namespace}.{}' is not valid", call.name);
            self.problems.add(span, at.section, message);
            return;
        };
        let nested = at.stage == Stage::Function && !self.version.has(Feature::FunctionsCallFunctions);
        if nested || at.stage == Stage::ParametersFile {
            self.not_here(&format!("{namespace}.{}", call.name), span, at.section);
        }
        if count != call.arguments.len() {
            let message = format!(
                "The template function '{namespace}.{}' takes {}, not {}",
                call.name,
                functions::counted(count),
                call.arguments.len()
            );
            self.problems.add(span, at.section, message);
        }
    }

    fn check_name(
        &mut self,
        call: &FunctionCall,
        what: &str,
        is_there: impl Fn(&Self, &SmolStr) -> bool,
        span: Span,
        at: ExpressionSite<'_>,
    ) {
        // What may never be evaluated is looked up when it is, and so is a name that is worked out.
        if self.in_branch {
            return;
        }
        let [Expression::Text(name)] = call.arguments.as_slice() else { return };
        if !is_there(self, &folded(name)) {
            let message = format!("The template {what} '{name}' is not found");
            self.problems.add(span, at.section, message);
        }
    }

    fn check_copy_index(&mut self, call: &FunctionCall, span: Span, at: ExpressionSite<'_>) {
        // Which loops are around a nested deployment is known when it is planned, and what may never be evaluated needs no loop.
        if self.is_outer || self.in_branch {
            return;
        }
        if self.loops.is_empty() {
            self.not_here(&call.name, span, at.section);
            return;
        }
        let Some(Expression::Text(name)) = call.arguments.first() else { return };
        if !self.loops.iter().any(|known| known.eq_ignore_ascii_case(name)) {
            let message = format!("The template copy loop '{name}' is not found around 'copyIndex'");
            self.problems.add(span, at.section, message);
        }
    }

    #[cold]
    fn not_here(&mut self, function: &str, span: Span, section: ErrorSection<'_>) {
        let message = format!("The template function '{function}' is not expected at this location");
        self.problems.add(span, section, message);
    }
}
