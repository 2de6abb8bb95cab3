//! What is known about a built-in function, and how its row is written.

use arm::Value;
use syntax::ast::AstNode as _;
use syntax::{NodeId, SourceKind};

use super::{Family, FunctionFlags};
use crate::check::Checker;
use crate::compiler::Dialect;
use crate::config::{Feature, Features};
use crate::emit::{Emitter, ExprId};
use crate::layout::ScopeData;
use crate::symbols::{Call, Model};
use crate::types::{self, Known, Scopes, Signature, Ty};

/// A namespace that every file has, or that resource bodies have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum BuiltIn {
    /// The language itself.
    Sys,
    /// Azure.
    Az,
    /// The resource whose body this is.
    This,
}

impl BuiltIn {
    /// All namespaces.
    pub(crate) const ALL: [BuiltIn; 3] = [BuiltIn::Sys, BuiltIn::Az, BuiltIn::This];

    /// The name of the namespace.
    #[must_use]
    pub(crate) const fn name(self) -> &'static str {
        match self {
            BuiltIn::Sys => "sys",
            BuiltIn::Az => "az",
            BuiltIn::This => "this",
        }
    }
}

/// A built-in function.
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
    pub when: When,
    /// Whether the result depends on the arguments alone.
    pub purity: Purity,
    /// What a call becomes in the template.
    pub(crate) becomes: Becomes,
    /// What the result has to do with the elements of the first argument.
    pub(crate) elements: Elements,
    /// What a call means as the value of `scope:`.
    pub(crate) scope: Option<ScopeOf>,
}

/// Functions are told apart by their names.
impl PartialEq for Function {
    fn eq(&self, other: &Function) -> bool {
        (self.namespace, self.name) == (other.namespace, other.name)
    }
}

/// One way to call a function.
#[derive(Debug)]
pub(crate) struct Overload {
    /// The parameters, in order.
    pub parameters: &'static [Parameter],
    /// The target scopes of files that have it.
    pub scopes: Scopes,
    /// Whether a call with known arguments is worked out while compiling.
    pub folds: bool,
    /// The type of the result.
    pub(crate) gives: Gives,
}

/// A parameter of a function or decorator.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Parameter {
    /// The name, for people.
    pub name: &'static str,
    /// How many arguments it stands for.
    pub count: Count,
    /// When the argument must be known.
    pub known: Known,
    /// The type of the argument.
    pub(crate) ty: fn() -> Ty,
    /// The type of the argument where it depends on other arguments.
    pub(crate) depends: Option<ArgumentType>,
}

/// How many arguments a parameter stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Count {
    /// One.
    One,
    /// One or none.
    Optional,
    /// Any number, but no fewer than this. Only the last parameter can do so.
    AtLeast(usize),
}

/// The kinds of files that have a function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Files {
    /// All.
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
pub(crate) enum When {
    /// No feature does.
    Always,
    /// It is there when the feature is on.
    With(Feature),
    /// It is there when the feature is off.
    Without(Feature),
    /// Tendon's language has it; that of the public compiler has it when the feature is on, or not at all.
    Proposed(Option<Feature>),
}

impl When {
    /// Tells whether it is there.
    #[must_use]
    pub(crate) const fn holds(self, features: Features, dialect: Dialect) -> bool {
        match (self, dialect) {
            (When::Always, _) | (When::Proposed(_), Dialect::Tendon) => true,
            (When::With(feature), _) | (When::Proposed(Some(feature)), Dialect::Public) => {
                features.has(feature)
            }
            (When::Without(feature), _) => !features.has(feature),
            (When::Proposed(None), Dialect::Public) => false,
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

/// The type of an argument that depends on others, by its place.
pub(crate) type ArgumentType = for<'m> fn(&mut Checker<'m>, Call<'m>, usize) -> Option<Ty>;

/// The type of the result of a call, from the types of its arguments.
pub(crate) type CallType = for<'m> fn(&mut Checker<'m>, Call<'m>, &[Ty]) -> Ty;

/// A value that is known while compiling.
pub(crate) type KnownValue = for<'m> fn(&'m Model, Call<'m>) -> Option<Value>;

/// The expression that a call becomes.
pub(crate) type Written = for<'u> fn(&mut Emitter<'u>, Call<'u>) -> ExprId;

/// What a call means as a scope, by its arguments.
pub(crate) type ScopeOf = fn(&[NodeId]) -> ScopeData;

/// The type of the result of a function.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Gives {
    /// The same for all arguments.
    Always(fn() -> Ty),
    /// It depends on the types of the arguments.
    From(fn(&[Ty]) -> Ty),
    /// It depends on more than types, such as a file; and what it is where nothing is known.
    Call(CallType, fn() -> Ty),
}

/// What a call becomes in the template.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Becomes {
    /// A call of the function of the same name.
    Call,
    /// Its argument.
    Argument,
    /// What was read while the program was checked.
    Loaded,
    /// A value, where one is known; a call of the function of the same name otherwise. The text describes it.
    Value(KnownValue, &'static str),
    /// A call of `externalInput` with a kind of input.
    Input(&'static str),
    /// A reference to a secret, beside the other parameters.
    SecretReference,
    /// Another expression, which the text describes.
    Expression(Written, &'static str),
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

impl Parameter {
    /// A parameter that stands for one argument.
    pub(crate) const fn new(name: &'static str, ty: fn() -> Ty) -> Parameter {
        Parameter { name, ty, count: Count::One, known: Known::Late, depends: None }
    }

    /// The argument may be left out.
    pub(crate) const fn optional(mut self) -> Parameter {
        self.count = Count::Optional;
        self
    }

    /// It stands for any number of arguments, at least for some.
    pub(crate) const fn at_least(mut self, count: usize) -> Parameter {
        self.count = Count::AtLeast(count);
        self
    }

    /// The argument must be known early.
    pub(crate) const fn known(mut self, known: Known) -> Parameter {
        self.known = known;
        self
    }

    /// The type depends on the other arguments.
    pub(crate) const fn depends(mut self, ty: ArgumentType) -> Parameter {
        self.depends = Some(ty);
        self
    }

    /// The type of the argument, as far as it does not depend on others.
    #[must_use]
    pub(crate) fn ty(&self) -> Ty {
        (self.ty)()
    }
}

impl Overload {
    const fn new(parameters: &'static [Parameter], gives: Gives) -> Overload {
        Overload { parameters, gives, scopes: Scopes::all(), folds: false }
    }

    /// A call has the same type whatever the arguments are.
    pub(super) const fn always(parameters: &'static [Parameter], ty: fn() -> Ty) -> Overload {
        Overload::new(parameters, Gives::Always(ty))
    }

    /// The type of a call depends on those of the arguments.
    pub(super) const fn from(parameters: &'static [Parameter], ty: fn(&[Ty]) -> Ty) -> Overload {
        Overload::new(parameters, Gives::From(ty))
    }

    /// The type of a call depends on more than types; `usually` is what it is where nothing is known.
    pub(super) const fn call(
        parameters: &'static [Parameter],
        ty: CallType,
        usually: fn() -> Ty,
    ) -> Overload {
        Overload::new(parameters, Gives::Call(ty, usually))
    }

    /// A call with known arguments is worked out by the function of the template language.
    pub(super) const fn folded(mut self) -> Overload {
        self.folds = true;
        self
    }

    /// Only files for these scopes have it.
    pub(super) const fn at(mut self, scopes: Scopes) -> Overload {
        self.scopes = scopes;
        self
    }

    /// The type of the result where nothing is known of the arguments but their types.
    #[must_use]
    pub(crate) fn result(&self) -> Ty {
        match self.gives {
            Gives::Always(ty) | Gives::Call(_, ty) => ty(),
            Gives::From(ty) => {
                let given = self.parameters.iter().filter(|parameter| parameter.count != Count::Optional);
                ty(&given.map(Parameter::ty).collect::<Vec<_>>())
            }
        }
    }
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
            when: When::Always,
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

    pub(super) const fn flags(mut self, flags: FunctionFlags) -> Function {
        self.flags = self.flags.union(flags);
        self
    }

    pub(super) const fn only_in(mut self, files: Files) -> Function {
        self.files = files;
        self
    }

    setters!(when: When, purity: Purity, becomes: Becomes, elements: Elements);

    pub(super) const fn scope(mut self, scope: ScopeOf) -> Function {
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
pub(crate) fn signature(name: &str, parameters: &[Parameter], flags: FunctionFlags) -> Signature {
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

/// The nodes of the arguments of a call.
pub(super) fn argument_nodes(call: Call<'_>) -> Vec<NodeId> {
    call.arguments().map(|argument| argument.node().id()).collect()
}
