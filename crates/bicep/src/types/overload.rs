//! How built-in functions and decorators are called: their parameters and results, as rows state them.
//!
//! A row is data. Where a type depends on more than the types of arguments, it names a rule, which the checker knows.

use super::model::Ty;
use super::{EvaluationPhase, Scopes};

/// One way to call a function.
#[derive(Debug)]
pub(crate) struct Overload {
    /// The parameters, in order.
    pub parameters: &'static [ParameterRow],
    /// The target scopes of files that have it.
    pub scopes: Scopes,
    /// Whether a call with known arguments is worked out while compiling.
    pub folds: bool,
    /// The type of the result.
    pub(crate) gives: Gives,
}

/// A parameter of a function or decorator.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ParameterRow {
    /// The name, for people.
    pub name: &'static str,
    /// How many arguments it stands for.
    pub count: Count,
    /// When the argument must be known.
    pub known: EvaluationPhase,
    /// The type of the argument.
    pub(crate) ty: fn() -> Ty,
    /// The type of the argument where it depends on other arguments.
    pub(crate) depends: Option<ArgumentRule>,
}

/// How many arguments a parameter stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Count {
    /// There is exactly one argument.
    One,
    /// There may be an argument.
    Optional,
    /// Any number, but no fewer than this. Only the last parameter can do so.
    AtLeast(usize),
}

/// The type of the result of a function.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Gives {
    /// The same for all arguments.
    Always(fn() -> Ty),
    /// It depends on the types of the arguments.
    From(fn(&[Ty]) -> Ty),
    /// It depends on more than types, such as a file; and what it is where nothing is known.
    Call(CallRule, fn() -> Ty),
}

/// What the type of an argument that depends on others is worked out from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ArgumentRule {
    /// A lambda that makes a truth value of an element of the first argument and its index.
    ItemPredicate,
    /// A lambda that makes anything of an element and its index.
    ItemMapping,
    /// A lambda that makes anything of an element.
    ItemSelection,
    /// A lambda that makes a string of an element.
    ItemKey,
    /// A lambda that compares two elements.
    ItemOrder,
    /// A lambda that makes anything of the value of a property.
    ValueSelection,
    /// A lambda that adds an element to what the second argument begins with.
    Accumulation,
    /// A place or a length in the text that is the first argument.
    TextPosition,
    /// A lambda that makes a truth value of what is decorated.
    DecoratedPredicate,
}

/// What the type of a call is worked out from, where the types of its arguments do not say enough.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CallRule {
    /// The elements of the arrays in an array, or what is wrong with them.
    FlatArray,
    /// The value that a constant text says as JSON.
    ParsedJson,
    /// The deployment, with the metadata of the file.
    Deployment,
    Provider,
    /// A resource type of a provider.
    ProviderResourceType,
    /// The files of a folder.
    FolderListing,
    /// The bytes of a file.
    FileBytes,
    /// The text of a file.
    FileText,
    /// The value that a JSON file says.
    JsonFile,
    /// The value that a YAML file says.
    YamlFile,
    /// The value of an environment variable.
    EnvironmentVariable,
    /// The name of what is mentioned.
    MentionedName,
    /// The tenant that is deployed to.
    Tenant,
    /// The management group that is deployed to.
    ManagementGroup,
    NamedManagementGroup,
    /// The resource group that is deployed to.
    ResourceGroup,
    NamedResourceGroup,
    /// The subscription that is deployed to.
    Subscription,
    NamedSubscription,
    /// The resource around the call, as it is before the deployment.
    ExistingResource,
}

impl ParameterRow {
    /// A parameter that stands for one argument.
    pub(crate) const fn new(name: &'static str, ty: fn() -> Ty) -> ParameterRow {
        ParameterRow { name, ty, count: Count::One, known: EvaluationPhase::Late, depends: None }
    }

    /// The argument may be left out.
    pub(crate) const fn optional(mut self) -> ParameterRow {
        self.count = Count::Optional;
        self
    }

    /// It stands for any number of arguments, at least for some.
    pub(crate) const fn at_least(mut self, count: usize) -> ParameterRow {
        self.count = Count::AtLeast(count);
        self
    }

    /// The argument must be known early.
    pub(crate) const fn known(mut self, known: EvaluationPhase) -> ParameterRow {
        self.known = known;
        self
    }

    /// The type depends on the other arguments.
    pub(crate) const fn depends(mut self, rule: ArgumentRule) -> ParameterRow {
        self.depends = Some(rule);
        self
    }

    /// The type of the argument, as far as it does not depend on others.
    #[must_use]
    pub(crate) fn ty(&self) -> Ty {
        (self.ty)()
    }
}

impl Overload {
    const fn new(parameters: &'static [ParameterRow], gives: Gives) -> Overload {
        Overload { parameters, gives, scopes: Scopes::all(), folds: false }
    }

    /// A call has the same type whatever the arguments are.
    pub(crate) const fn always(parameters: &'static [ParameterRow], ty: fn() -> Ty) -> Overload {
        Overload::new(parameters, Gives::Always(ty))
    }

    /// The type of a call depends on those of the arguments.
    pub(crate) const fn from(parameters: &'static [ParameterRow], ty: fn(&[Ty]) -> Ty) -> Overload {
        Overload::new(parameters, Gives::From(ty))
    }

    /// The type of a call depends on more than types; `usually` is what it is where nothing is known.
    pub(crate) const fn call(
        parameters: &'static [ParameterRow],
        rule: CallRule,
        usually: fn() -> Ty,
    ) -> Overload {
        Overload::new(parameters, Gives::Call(rule, usually))
    }

    /// A call with known arguments is worked out by the function of the template language.
    pub(crate) const fn folded(mut self) -> Overload {
        self.folds = true;
        self
    }

    /// Only files for these scopes have it.
    pub(crate) const fn at(mut self, scopes: Scopes) -> Overload {
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
                ty(&given.map(ParameterRow::ty).collect::<Vec<_>>())
            }
        }
    }
}
