//! How functions are called: parameters, with what their types depend on, and the result.

use smol_str::SmolStr;

use super::model::Ty;
use super::{ArgumentRule, FunctionFlags, Overload};

/// One way to call a function.
#[derive(Clone, Debug)]
pub(crate) struct Signature {
    /// The name; one that ends with `*` stands for all names that start with it.
    pub name: SmolStr,
    /// The parameters with a place of their own.
    pub parameters: Vec<Parameter>,
    /// The type of all further arguments, and how many there must be.
    pub rest: Option<(Ty, usize)>,
    /// The type of the result, where it does not depend on the arguments.
    pub result: Ty,
    /// Where it may be called and what that implies.
    pub flags: FunctionFlags,
    /// The row of a built-in function, which knows more of the result.
    pub(crate) built_in: Option<&'static Overload>,
}

/// A parameter of a function.
#[derive(Clone, Debug)]
pub(crate) struct Parameter {
    pub name: SmolStr,
    /// The type of the argument.
    pub ty: Ty,
    /// Whether an argument must be given.
    pub required: bool,
    /// When the argument must be known.
    pub known: EvaluationPhase,
    /// The type of the argument where it depends on the other arguments.
    pub(crate) depends: Option<ArgumentRule>,
}

/// When a value must be known.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum EvaluationPhase {
    /// During the deployment is early enough.
    #[default]
    Late,
    /// When the deployment starts.
    AtStart,
    /// When the program is compiled.
    Compiling,
}

impl Signature {
    /// The least number of arguments.
    #[must_use]
    pub(crate) fn min(&self) -> usize {
        let required = self.parameters.iter().filter(|parameter| parameter.required).count();
        required + self.rest.as_ref().map_or(0, |(_, count)| *count)
    }

    /// The greatest number of arguments, where there is one.
    #[must_use]
    pub(crate) fn max(&self) -> Option<usize> {
        self.rest.is_none().then_some(self.parameters.len())
    }

    /// The type of an argument.
    #[must_use]
    pub(crate) fn argument(&self, position: usize) -> Ty {
        let own = self.parameters.get(position).map(|parameter| parameter.ty.clone());
        own.or_else(|| self.rest.as_ref().map(|(ty, _)| ty.clone())).unwrap_or_else(Ty::any)
    }

    /// Tells whether the signature is for a name.
    #[must_use]
    pub(crate) fn is_for(&self, name: &str) -> bool {
        match self.name.strip_suffix('*') {
            Some(prefix) => name
                .strip_prefix(prefix)
                .is_some_and(|rest| rest.bytes().all(|byte| byte.is_ascii_alphabetic())),
            None => self.name == name,
        }
    }

    /// The parameters as text.
    #[must_use]
    pub(crate) fn describe(&self) -> String {
        let own = self.parameters.iter().map(|parameter| {
            if parameter.required {
                format!("{}: {}", parameter.name, parameter.ty)
            } else {
                format!("[{}: {}]", parameter.name, parameter.ty)
            }
        });
        let rest = self.rest.iter().map(|(ty, _)| format!("... : {ty}"));
        format!("({}): {}", own.chain(rest).collect::<Vec<_>>().join(", "), self.result)
    }
}
