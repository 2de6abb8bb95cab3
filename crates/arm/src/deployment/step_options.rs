//! What `@options` of a resource says once it is evaluated, and whether it means something.

use smol_str::SmolStr;

use super::environment::DeploymentEnvironment;
use super::partial::Partial;
use super::walk::{self, Located};
use crate::Value;
use crate::evaluate::{EvaluateError, Evaluator};
use crate::expression::Expression;
use crate::functions::duration_in_milliseconds;
use crate::template::{Resource, ResourceOption, TemplateNode};

/// One member of `@options`.
#[derive(Clone, Debug, PartialEq)]
pub struct StepOption {
    /// Its name as written.
    pub name: SmolStr,
    /// Its arguments in order: values, or lambdas for later.
    pub arguments: Vec<OptionArgument>,
}

/// An argument of a member of `@options`.
#[derive(Clone, Debug, PartialEq)]
pub enum OptionArgument {
    /// A value that is known before the step begins.
    Value(Value),
    /// A lambda; see [`Plan::apply`](super::Plan::apply).
    Lambda(Expression),
}

/// What an option asks of the engine.
#[derive(Clone, Debug, PartialEq)]
pub enum OptionMeaning {
    /// What is there stays as it is.
    OnlyIfMissing,
    /// Certain errors are tried again.
    Retry {
        /// The codes of the errors.
        codes: Vec<SmolStr>,
        /// How often at most; as often as the engine likes if nothing is said.
        attempts: Option<u32>,
    },
    /// The resource is there when a lambda says so.
    Wait {
        /// The lambda, which takes the resource.
        lambda: Expression,
        /// How long is waited at most, in milliseconds.
        milliseconds: u64,
        /// The same as it is written.
        written: SmolStr,
    },
    /// The engine does not know it; the provider is told.
    Other(Value),
}

impl StepOption {
    /// What the option asks for, or what it needs instead of what it has.
    pub fn meaning(&self) -> Result<OptionMeaning, &'static str> {
        let name = self.name.to_ascii_lowercase();
        let is_secret = |argument: &OptionArgument| match argument {
            OptionArgument::Value(value) => value.has_secret(),
            OptionArgument::Lambda(_) => false,
        };
        match (name.as_str(), self.arguments.as_slice()) {
            ("retryon" | "waituntil", arguments) if arguments.iter().any(is_secret) => {
                Err("arguments that people may see; one is made from a secure value")
            }
            ("onlyifnotexists" | "deployifnotexists", []) => Ok(OptionMeaning::OnlyIfMissing),
            ("onlyifnotexists" | "deployifnotexists", _) => Err("no arguments"),
            ("retryon", [OptionArgument::Value(codes), rest @ ..]) => {
                let codes =
                    codes.as_array().map(|codes| codes.iter().map(|code| Some(code.as_str()?.into())));
                let codes = codes.and_then(|codes| codes.collect::<Option<_>>());
                let codes = codes.ok_or("a list of error codes, which are strings")?;
                let attempts = match rest {
                    [] => Ok(None),
                    [OptionArgument::Value(Value::Int(count))] => {
                        u32::try_from(*count).map(Some).map_err(|_| ())
                    }
                    _ => Err(()),
                };
                let attempts = attempts.map_err(|()| "a number of attempts that is not negative")?;
                Ok(OptionMeaning::Retry { codes, attempts })
            }
            ("retryon", _) => Err("a list of error codes"),
            ("waituntil", [OptionArgument::Lambda(lambda), OptionArgument::Value(duration)]) => {
                let written = duration.as_str();
                let milliseconds = written.and_then(duration_in_milliseconds);
                let (written, milliseconds) =
                    written.zip(milliseconds).ok_or("an ISO 8601 duration such as `PT20M`")?;
                Ok(OptionMeaning::Wait { lambda: lambda.clone(), milliseconds, written: written.into() })
            }
            ("waituntil", _) => Err("a lambda and an ISO 8601 duration"),
            _ => {
                let values = self.arguments.iter().map(|argument| match argument {
                    OptionArgument::Value(value) => value.clone(),
                    OptionArgument::Lambda(lambda) => Value::text(format!("[{lambda}]")),
                });
                Ok(OptionMeaning::Other(Value::array(values.collect())))
            }
        }
    }
}

/// What `@options` says; none if something has to be fetched first, which `is_waiting` tells.
pub(super) fn evaluate(
    is_waiting: impl Fn() -> bool,
    around: &DeploymentEnvironment<'_>,
    evaluator: &Evaluator<'_>,
    resource: &Resource,
) -> Result<Option<Vec<StepOption>>, Located> {
    let mut all = Vec::with_capacity(resource.options.len());
    for option in &resource.options {
        match one(around, evaluator, option)? {
            Ok(option) => all.push(option),
            Err(_) if is_waiting() => return Ok(None),
            Err(unknown) => return Err(unknown),
        }
    }
    Ok(Some(all))
}

/// The options that mean nothing, as far as their arguments are known before anything runs: each with what it needs.
pub(super) fn mistakes<'r>(
    around: &DeploymentEnvironment<'_>,
    evaluator: &Evaluator<'_>,
    resource: &'r Resource,
) -> Result<Vec<(&'r ResourceOption, &'static str)>, Located> {
    let mut found = Vec::new();
    for option in &resource.options {
        if let Ok(known) = one(around, evaluator, option)?
            && let Err(needs) = known.meaning()
        {
            found.push((option, needs));
        }
    }
    Ok(found)
}

/// An option; the inner error says which argument is not known.
fn one(
    around: &DeploymentEnvironment<'_>,
    evaluator: &Evaluator<'_>,
    option: &ResourceOption,
) -> Result<Result<StepOption, Located>, Located> {
    let mut arguments = Vec::with_capacity(option.arguments.len());
    for json in &option.arguments {
        arguments.push(match lambda_of(json) {
            Some(lambda) => {
                captured(lambda, evaluator).map_err(|error| Located::new(error, json.span))?;
                OptionArgument::Lambda(lambda.clone())
            }
            None => match walk::reduce(around, evaluator, json)? {
                Partial::Value(value) => OptionArgument::Value(value),
                rest => {
                    let rest = rest.into_reduced().into_expression();
                    return Ok(Err(Located::new(crate::evaluate::unknown(&rest), json.span)));
                }
            },
        });
    }
    Ok(Ok(StepOption { name: option.name.clone(), arguments }))
}

fn lambda_of(json: &TemplateNode) -> Option<&Expression> {
    json.as_expression()
        .filter(|expression| expression.as_call().is_some_and(|call| call.is_call_to("lambda")))
}

/// Asks for the resources that a lambda reads beside its argument, so that they are there when it is applied.
fn captured(lambda: &Expression, evaluator: &Evaluator<'_>) -> Result<(), EvaluateError> {
    let mut reads = Vec::new();
    lambda.for_each(&mut |part| {
        let reads_resource = part.as_call().is_some_and(|call| {
            let name = call.name.to_ascii_lowercase();
            ["reference", "references"].contains(&name.as_str()) || name.starts_with("list")
        });
        let mut depends = false;
        part.for_each(&mut |inner| {
            depends |= inner.as_call().is_some_and(|it| it.is_call_to("lambdaVariables"))
        });
        if reads_resource && !depends {
            reads.push(part.clone());
        }
    });
    reads.iter().try_for_each(|read| evaluator.reduce(read).map(|_| ()))
}
