//! The functions of the language: one table, one file per family.
//!
//! A row says what a function is called, how many arguments it takes, what it does in one line, and how it
//! runs. The evaluator looks functions up here, and so does everybody who wants to list, explain or complete
//! them. What each one does is specified in `resources/specs`.

mod arguments;
mod array;
mod cidr;
mod codec;
mod collection;
mod compare;
mod date;
mod format;
mod host;
mod lambda;
mod logical;
mod number_format;
mod numeric;
mod object;
mod resource_id;
mod stage;
mod text;
mod uri;

use std::sync::LazyLock;

pub(crate) use arguments::{Arguments, FunctionError};
pub use date::duration_in_milliseconds;
pub use stage::{Stage, Stages};

use crate::evaluate::{Argument, Cause, EvaluateError, Moment, Scope};
use crate::value::Value;
use crate::value::names::{self, NameIndex};

/// A function of the template language, with the check of its use and its implementation.
#[derive(Clone, Copy, Debug)]
pub struct Function {
    /// The name as people write it; any case is understood.
    pub name: &'static str,
    /// The parameters: optional ones end with `?`, the last one may end with `...`.
    pub parameters: &'static str,
    /// What the function does, in one sentence.
    pub doc: &'static str,
    /// Where in templates it may be used.
    pub stages: Stages,
    least: u8,
    most: Option<u8>,
    pub(crate) run: FunctionBody,
}

/// What a function's result depends on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Depends {
    /// On nothing but its arguments.
    Arguments,
    /// On the template: its parameters, variables and loops.
    Template,
    /// On where the template is deployed.
    Scope,
    /// On the clock or on chance.
    Moment,
    /// On what the host knows: the deployment, and resources that exist.
    Host,
}

/// How a function is evaluated.
#[derive(Clone, Copy, Debug)]
pub(crate) enum FunctionBody {
    Pure(fn(Arguments<'_>) -> Result<Value, FunctionError>),
    Lambda(LambdaRun),
    Special(Special),
    /// None if the scope is not known.
    Scoped(fn(Arguments<'_>, &Scope) -> Result<Option<Value>, FunctionError>),
    Clock(fn(Arguments<'_>, Moment) -> Result<Value, FunctionError>),
    NewGuid,
    Host,
}

/// How a function that takes lambdas is evaluated; none if a lambda's result is not known.
pub(crate) type LambdaRun = fn(&[Argument<'_>]) -> Result<Option<Value>, FunctionError>;

/// The functions that the evaluator has to know by themselves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Special {
    And,
    Coalesce,
    CopyIndex,
    If,
    LambdaItself,
    LambdaVariables,
    Or,
    Parameters,
    Variables,
}

/// All functions, by family.
pub fn all() -> impl Iterator<Item = &'static Function> {
    FAMILIES.iter().copied().flatten()
}

/// The function of a name, by whatever case; any name that starts with `list` is one.
pub fn find(name: &str) -> Option<&'static Function> {
    static NAMES: LazyLock<(Vec<&'static Function>, NameIndex)> = LazyLock::new(|| {
        let functions: Vec<&Function> = all().collect();
        let mut table = NameIndex::with_capacity(functions.len());
        for (position, function) in functions.iter().enumerate() {
            table.add(names::hash(function.name), position);
        }
        (functions, table)
    });
    let (functions, table) = &*NAMES;
    let at = |position: usize| functions.get(position).copied();
    let is_it = |position| at(position).is_some_and(|function| function.name.eq_ignore_ascii_case(name));
    let is_list = || name.get(..4).is_some_and(|start| start.eq_ignore_ascii_case("list"));
    table.find(names::hash(name), is_it).and_then(at).or_else(|| is_list().then_some(&host::LIST))
}

const FAMILIES: &[&[Function]] = &[
    array::FUNCTIONS,
    cidr::FUNCTIONS,
    codec::FUNCTIONS,
    collection::FUNCTIONS,
    compare::FUNCTIONS,
    date::FUNCTIONS,
    host::FUNCTIONS,
    lambda::FUNCTIONS,
    logical::FUNCTIONS,
    numeric::FUNCTIONS,
    object::FUNCTIONS,
    resource_id::FUNCTIONS,
    text::FUNCTIONS,
    uri::FUNCTIONS,
];

/// A row of a function that depends on nothing but its arguments.
const fn pure(
    name: &'static str,
    parameters: &'static str,
    run: fn(Arguments<'_>) -> Result<Value, FunctionError>,
    doc: &'static str,
) -> Function {
    Function::new(name, parameters, FunctionBody::Pure(run), doc)
}

/// A row of a function that the evaluator has to know by itself.
const fn special(
    name: &'static str,
    parameters: &'static str,
    special: Special,
    doc: &'static str,
) -> Function {
    Function::new(name, parameters, FunctionBody::Special(special), doc)
}

impl Function {
    const fn new(
        name: &'static str,
        parameters: &'static str,
        run: FunctionBody,
        doc: &'static str,
    ) -> Function {
        let (least, most) = arity(parameters);
        Function { name, parameters, doc, stages: Stages::ALL, least, most, run }
    }

    /// The same function, legal in some places only.
    const fn only(self, stages: Stages) -> Function {
        Function { stages, ..self }
    }

    /// How many arguments a call has at least, and at most if there is a limit.
    pub fn arity(&self) -> (usize, Option<usize>) {
        (self.least.into(), self.most.map(usize::from))
    }

    /// What the result depends on.
    pub fn depends(&self) -> Depends {
        match self.run {
            FunctionBody::Pure(_) | FunctionBody::Lambda(_) => Depends::Arguments,
            FunctionBody::Special(Special::Parameters | Special::Variables | Special::CopyIndex) => {
                Depends::Template
            }
            FunctionBody::Special(_) => Depends::Arguments,
            FunctionBody::Scoped(_) => Depends::Scope,
            FunctionBody::Clock(_) | FunctionBody::NewGuid => Depends::Moment,
            FunctionBody::Host => Depends::Host,
        }
    }

    /// Tells whether the function takes lambdas.
    pub fn takes_lambdas(&self) -> bool {
        matches!(self.run, FunctionBody::Lambda(_))
    }

    /// The result for some arguments; none if it depends on more than them, or on lambdas.
    ///
    /// This is how a compiler that knows the arguments knows the result.
    pub fn apply(&self, arguments: &[Value]) -> Option<Result<Value, EvaluateError>> {
        let FunctionBody::Pure(run) = self.run else { return None };
        Some(
            self.check_count(arguments.len())
                .and_then(|()| run(Arguments(arguments)).map_err(|fault| fault.of(self))),
        )
    }

    pub(crate) fn check_count(&self, count: usize) -> Result<(), EvaluateError> {
        let (least, most) = self.arity();
        if count >= least && most.is_none_or(|most| count <= most) {
            return Ok(());
        }
        let wanted = match most {
            None => format!("at least {}", counted(least)),
            Some(most) if most == least => counted(most),
            Some(most) => format!("{least} to {}", counted(most)),
        };
        let message = format!("`{}` takes {wanted}, not {count}", self.name);
        Err(EvaluateError::new(Cause::ArgumentCount(self.name.into()), message))
    }
}

/// Counts the parameters that must be there, and all of them unless the last one ends with dots.
#[expect(
    clippy::indexing_slicing,
    reason = "evaluated by the compiler, which refuses an index out of bounds"
)]
const fn arity(parameters: &str) -> (u8, Option<u8>) {
    let bytes = parameters.as_bytes();
    let (mut least, mut all, mut at) = (0, 0, 0);
    let mut open_end = false;
    while at < bytes.len() {
        if at + 1 == bytes.len() || bytes[at + 1] == b',' {
            all += 1;
            match bytes[at] {
                b'?' => {}
                b'.' => open_end = true,
                _ => least += 1,
            }
        }
        at += 1;
    }
    (least, if open_end { None } else { Some(all) })
}

/// A number of arguments in words.
pub(crate) fn counted(count: usize) -> String {
    if count == 1 { "1 argument".to_owned() } else { format!("{count} arguments") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_function_is_found_by_its_name() {
        for function in all() {
            assert_eq!(find(&function.name.to_uppercase()).unwrap().name, function.name);
            assert!(function.doc.ends_with('.'), "{}", function.name);
        }
        assert_eq!(find("listAccountSas").unwrap().name, "list*");
        assert!(find("nothing").is_none());
    }

    #[test]
    fn every_function_that_needs_no_host_is_specified() {
        let documents = [
            include_str!("../../resources/specs/arrays.md"),
            include_str!("../../resources/specs/cidr.md"),
            include_str!("../../resources/specs/collections.md"),
            include_str!("../../resources/specs/dates.md"),
            include_str!("../../resources/specs/encodings.md"),
            include_str!("../../resources/specs/lambdas.md"),
            include_str!("../../resources/specs/logic.md"),
            include_str!("../../resources/specs/numbers.md"),
            include_str!("../../resources/specs/objects.md"),
            include_str!("../../resources/specs/references.md"),
            include_str!("../../resources/specs/resource-ids.md"),
            include_str!("../../resources/specs/text.md"),
        ];
        for function in all().filter(|function| function.depends() != Depends::Host) {
            let heading = format!("\n## `{}`\n", function.name);
            assert!(documents.iter().any(|document| document.contains(&heading)), "{}", function.name);
        }
    }

    #[test]
    fn a_function_can_be_applied_without_an_expression() {
        let apply = |name: &str, arguments: &[Value]| find(name).unwrap().apply(arguments);
        assert_eq!(apply("toLower", &["A".into()]), Some(Ok("a".into())));
        assert!(matches!(apply("toLower", &[]), Some(Err(_))));
        assert_eq!(apply("parameters", &["a".into()]), None);
    }

    #[test]
    fn the_parameters_tell_how_many_arguments_there_are() {
        let arity = |name: &str| find(name).unwrap().arity();
        assert_eq!(arity("true"), (0, Some(0)));
        assert_eq!(arity("substring"), (2, Some(3)));
        assert_eq!(arity("concat"), (1, None));
        assert_eq!(arity("createArray"), (0, None));
    }
}
