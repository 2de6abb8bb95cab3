//! What is known about a built-in function, and how its row is written.

use syntax::SourceKind;

use super::Family;
use crate::language::{Dialect, Feature, Features};
use crate::types::{self, BuiltIn, Count, FunctionFlags, Overload, ParameterRow, Scopes, Signature, Ty};

/// A built-in function, as data: overloads, where it may be called, what it becomes.
#[derive(Debug)]
pub(crate) struct Function {
    /// The name; `list*` for all functions that start with `list`.
    pub name: &'static str,
    /// The namespace it belongs to.
    pub namespace: BuiltIn,
    /// Which functions it belongs to.
    pub family: Family,
    /// What it does, in one or two sentences.
    pub doc: &'static str,
    /// The ways to call it, at least one.
    pub overloads: &'static [Overload],
    /// Where it may be called and what that implies.
    pub flags: FunctionFlags,
    /// The kinds of files that have it.
    pub files: Files,
    /// The experimental feature that brings it or takes it away.
    pub when: Availability,
    /// Whether the result depends on the arguments alone.
    pub purity: Purity,
    /// What a call becomes in the template.
    pub(crate) becomes: Becomes,
    /// What the result has to do with the elements of the first argument.
    pub(crate) elements: Elements,
    /// What a call means as the value of `scope:`.
    pub(crate) scope: Option<ScopeFunction>,
}

/// Functions are told apart by their names.
impl PartialEq for Function {
    fn eq(&self, other: &Function) -> bool {
        (self.namespace, self.name) == (other.namespace, other.name)
    }
}

/// The kinds of files that have a function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Files {
    All,
    /// `.bicep` files.
    Programs,
    /// `.bicepparam` files.
    Parameters,
}

impl Files {
    /// Tells whether files of a kind are meant.
    #[must_use]
    pub(crate) const fn has(self, kind: SourceKind) -> bool {
        match (self, kind) {
            (Files::All, _)
            | (Files::Programs, SourceKind::Bicep)
            | (Files::Parameters, SourceKind::Params) => true,
            (Files::Programs, SourceKind::Params) | (Files::Parameters, SourceKind::Bicep) => false,
        }
    }
}

/// The experimental feature that decides whether a file has a function or decorator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Availability {
    Always,
    /// It is there when the feature is on.
    With(Feature),
    /// It is there when the feature is off.
    Without(Feature),
    /// Tendon's language has it; that of the public compiler has it when the feature is on, or not at all.
    Proposed(Option<Feature>),
}

impl Availability {
    /// Tells whether it is there.
    #[must_use]
    pub(crate) const fn is_enabled(self, features: Features, dialect: Dialect) -> bool {
        match (self, dialect) {
            (Availability::Always, _) | (Availability::Proposed(_), Dialect::Tendon) => true,
            (Availability::With(feature), _) | (Availability::Proposed(Some(feature)), Dialect::Public) => {
                features.has(feature)
            }
            (Availability::Without(feature), _) => !features.has(feature),
            (Availability::Proposed(None), Dialect::Public) => false,
        }
    }
}

/// Whether a function gives the same result wherever it is called.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Purity {
    /// The result depends on the arguments alone.
    Pure,
    /// It does when this many arguments before the type name the whole scope.
    WithScope(usize),
    /// It depends on the deployment, on the clock or on chance.
    Impure,
}

/// What a call becomes in the template.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Becomes {
    /// A call of the function of the same name.
    Call,
    Argument,
    /// What was read while the program was checked.
    Loaded,
    /// A value, where one is known; a call of the function of the same name otherwise. The text describes it.
    Value(ValueRule, &'static str),
    /// A call of `externalInput` with a kind of input.
    Input(&'static str),
    /// A reference to a secret, beside the other parameters.
    SecretReference,
    /// Another expression, which the text describes.
    Expression(ExpressionRule, &'static str),
}

/// A value that a call stands for when it is compiled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ValueRule {
    /// The name of what the argument mentions.
    MentionedName,
    /// An empty object where an argument names another scope, which has no value.
    NothingElsewhere,
}

/// An expression that a call becomes, other than a call of a function of its own name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ExpressionRule {
    /// Whether the resource around the call is there before the deployment.
    ResourceExists,
    /// The resource around the call, as it is before the deployment.
    ExistingResource,
    /// A function of the same name that whoever runs tests adds.
    TestFunction,
}

/// The scope that a call means as the value of `scope:`, which its arguments name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ScopeFunction {
    Tenant,
    /// A management group, by its name.
    ManagementGroup,
    /// A subscription, by its id.
    Subscription,
    /// A resource group, by its name, with the id of a subscription before it.
    ResourceGroup,
}

/// What the result of a function has to do with the elements of its first argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Elements {
    /// Nothing that is followed.
    Other,
    /// It is one of them.
    One,
    /// It is an array of some or all of them.
    Several,
}

/// Methods that give a row another value than the usual one.
macro_rules! setters {
    ($($field:ident: $type:ty),+) => {
        $(pub(super) const fn $field(mut self, $field: $type) -> Function {
            self.$field = $field;
            self
        })+
    };
}

impl Function {
    /// A function of the language, which all files have and which depends on its arguments alone.
    pub(super) const fn sys(
        family: Family,
        name: &'static str,
        doc: &'static str,
        overloads: &'static [Overload],
    ) -> Function {
        Function {
            name,
            namespace: BuiltIn::Sys,
            family,
            doc,
            overloads,
            flags: FunctionFlags::empty(),
            files: Files::All,
            when: Availability::Always,
            purity: Purity::Pure,
            becomes: Becomes::Call,
            elements: Elements::Other,
            scope: None,
        }
    }

    /// A function of Azure, which programs have and which depends on the deployment.
    pub(super) const fn az(
        family: Family,
        name: &'static str,
        doc: &'static str,
        overloads: &'static [Overload],
    ) -> Function {
        Function {
            namespace: BuiltIn::Az,
            files: Files::Programs,
            purity: Purity::Impure,
            ..Function::sys(family, name, doc, overloads)
        }
    }

    pub(super) const fn this(
        name: &'static str,
        doc: &'static str,
        overloads: &'static [Overload],
    ) -> Function {
        Function {
            namespace: BuiltIn::This,
            purity: Purity::Impure,
            flags: FunctionFlags::REQUIRES_INLINING,
            ..Function::sys(Family::This, name, doc, overloads)
        }
    }

    /// A function of test files, whose results are worked out when the tests run.
    pub(super) const fn testing(
        name: &'static str,
        doc: &'static str,
        overloads: &'static [Overload],
    ) -> Function {
        Function {
            namespace: BuiltIn::Testing,
            files: Files::Programs,
            purity: Purity::Impure,
            ..Function::sys(Family::Testing, name, doc, overloads)
        }
    }

    pub(super) const fn flags(mut self, flags: FunctionFlags) -> Function {
        self.flags = self.flags.union(flags);
        self
    }

    pub(super) const fn only_in(mut self, files: Files) -> Function {
        self.files = files;
        self
    }

    setters!(when: Availability, purity: Purity, becomes: Becomes, elements: Elements);

    pub(super) const fn scope(mut self, scope: ScopeFunction) -> Function {
        self.scope = Some(scope);
        self
    }

    /// The ways to call it that a file with this target has.
    pub(crate) fn signatures(&'static self, target: Scopes) -> Vec<Signature> {
        let visible = self.overloads.iter().filter(|overload| overload.scopes.contains(target));
        visible
            .map(|overload| Signature {
                built_in: Some(overload),
                ..signature(self.name, overload.parameters, self.flags)
            })
            .collect()
    }

    /// Tells whether lambdas among the arguments get the elements of the first argument.
    pub(crate) fn gives_elements_to_lambdas(&self) -> bool {
        self.overloads.iter().any(|overload| match overload.parameters {
            [first, rest @ ..] => {
                first.ty().is_list() && rest.iter().any(|parameter| parameter.ty().is_lambda())
            }
            [] => false,
        })
    }
}

/// How a function or decorator with these parameters is called.
pub(crate) fn signature(name: &str, parameters: &[ParameterRow], flags: FunctionFlags) -> Signature {
    let mut own = Vec::new();
    let mut rest = None;
    for parameter in parameters {
        let required = match parameter.count {
            Count::One => true,
            Count::Optional => false,
            Count::AtLeast(count) => {
                rest = Some((parameter.ty(), count));
                continue;
            }
        };
        own.push(types::Parameter {
            name: parameter.name.into(),
            ty: parameter.ty(),
            required,
            known: parameter.known,
            depends: parameter.depends,
        });
    }
    Signature { name: name.into(), parameters: own, rest, result: Ty::any(), flags, built_in: None }
}
