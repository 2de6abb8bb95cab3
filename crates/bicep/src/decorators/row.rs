//! What is known about a built-in decorator, and how its row is written.

use super::Family;
use crate::functions::{Availability, Files, signature};
use crate::language::Dialect;
use crate::types::{EvaluationPhase, FunctionFlags, ParameterRow, Signature, Ty};

/// A built-in decorator, as data: what it decorates, takes and demands.
#[derive(Debug)]
pub(crate) struct Decorator {
    pub name: &'static str,
    /// Which decorators it belongs to.
    pub family: Family,
    /// What it does, in one or two sentences.
    pub doc: &'static str,
    /// The parameters, in order.
    pub parameters: &'static [ParameterRow],
    /// The kinds of declarations that it decorates.
    targets: FunctionFlags,
    /// The kinds of files that have it.
    pub files: Files,
    /// The experimental feature that brings it.
    pub when: Availability,
    /// The form that a template has to take because of it.
    requires: Requires,
    /// What it makes of the type of what it decorates.
    pub refines: Refines,
    /// The type that values of what it decorates must have; none if any will do.
    pub(crate) attaches: Option<fn() -> Ty>,
    /// What else is asked of its use.
    pub(crate) check: Option<UseRule>,
    /// What it writes into the template.
    pub(crate) writes: Writes,
}

/// Decorators are told apart by their names.
impl PartialEq for Decorator {
    fn eq(&self, other: &Decorator) -> bool {
        self.name == other.name
    }
}

/// The form that a template has to take because of a decorator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Requires {
    Nothing,
    /// Resources have symbolic names.
    SymbolicNames,
    /// The template needs an experimental deployment engine.
    ExperimentalEngine,
}

/// What a decorator makes of the type of what it decorates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Refines {
    Nothing,
    /// Its values are those that are listed.
    Values,
    /// A property tells which member of a union a value is.
    Discriminator,
    /// It bounds the length of strings and arrays, or the value of integers.
    Bound,
    /// An object has no other properties than those of its type.
    Sealed,
    /// The value is a secret.
    Secret,
    /// The resource may be missing.
    Missing,
}

/// What is asked of the use of a decorator, besides what its row says of parameters and targets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum UseRule {
    /// The type is written out: a name for it would have the limits of another place.
    NoAlias,
    /// The same, and the type is one of texts or objects.
    Secure,
    /// The same, not of literals, and a length is not negative.
    Length,
    /// The values fit the type.
    Allowed,
    /// The values are metadata.
    Metadata,
    /// The type is that of an object, and has no other properties.
    Sealed,
    /// The type is a union that the property tells apart.
    Discriminator,
    /// What is exported needs nothing that cannot be.
    Export,
    /// The size is that of batches of a loop.
    BatchSize,
    /// The resource exists already.
    NullIfNotFound,
    /// The resource is deployed.
    Deployed,
    /// The same, and the duration is one.
    WaitUntil,
}

/// The value of the member that a decorator adds to a declaration or part of a type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum MemberRule {
    FirstArgument,
    /// All its arguments, as an array.
    Arguments,
    /// The values of a parameter.
    AllowedValues,
    /// `false`: there are no other properties.
    Sealed,
    /// The members of its argument, beside what is there.
    Metadata,
}

/// What a decorator changes in a member that others write too.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PartRule {
    /// The type of secrets takes the place of the plain one.
    SecureType,
    /// The metadata says that others can import it.
    Export,
    /// The metadata says what the declaration is for.
    Description,
}

/// What a decorator writes into the template.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Writes {
    /// Nothing of its own: the text says what it changes.
    Elsewhere(&'static str),
    /// A member of a declaration or part of a type.
    Member(&'static str, MemberRule),
    /// A part of a member that others write too, which the text describes.
    Part(&'static str, PartRule),
    /// A member of `@options`, with its arguments.
    Options,
    /// The method with which a resource is sent.
    Method(&'static str),
}

impl Decorator {
    /// A decorator of data: of parameters, outputs and types.
    pub(super) const fn data(
        name: &'static str,
        doc: &'static str,
        parameters: &'static [ParameterRow],
        writes: Writes,
    ) -> Decorator {
        Decorator {
            name,
            family: Family::Data,
            doc,
            parameters,
            targets: FunctionFlags::DATA_DECORATOR,
            files: Files::Programs,
            when: Availability::Always,
            requires: Requires::Nothing,
            refines: Refines::Nothing,
            attaches: None,
            check: None,
            writes,
        }
    }

    /// A decorator of resources.
    pub(super) const fn resource(
        name: &'static str,
        doc: &'static str,
        parameters: &'static [ParameterRow],
        writes: Writes,
    ) -> Decorator {
        Decorator {
            family: Family::Resource,
            targets: FunctionFlags::RESOURCE_DECORATOR,
            ..Decorator::data(name, doc, parameters, writes)
        }
    }

    pub(super) const fn on(mut self, targets: FunctionFlags) -> Decorator {
        self.targets = targets;
        self
    }

    pub(super) const fn also_in_parameters(mut self) -> Decorator {
        self.files = Files::All;
        self
    }

    pub(super) const fn when(mut self, when: Availability) -> Decorator {
        self.when = when;
        self
    }

    pub(super) const fn demands(mut self, requires: Requires) -> Decorator {
        self.requires = requires;
        self
    }

    pub(super) const fn refines(mut self, refines: Refines) -> Decorator {
        self.refines = refines;
        self
    }

    pub(super) const fn attaches(mut self, ty: fn() -> Ty) -> Decorator {
        self.attaches = Some(ty);
        self
    }

    pub(super) const fn check(mut self, check: UseRule) -> Decorator {
        self.check = Some(check);
        self
    }

    /// How it is called. Arguments of options are expressions of the template; the public compiler wants constants.
    pub(crate) fn signature(&self, dialect: Dialect) -> Signature {
        let mut made = signature(self.name, self.parameters, self.targets(dialect));
        if let (Dialect::Tendon, Writes::Options) = (dialect, self.writes) {
            made.parameters.iter_mut().for_each(|parameter| parameter.known = EvaluationPhase::Late);
        }
        made
    }

    /// The kinds of declarations that it decorates. The public compiler has no options for modules.
    pub(crate) fn targets(&self, dialect: Dialect) -> FunctionFlags {
        match (dialect, self.writes) {
            (Dialect::Public, Writes::Options) => self.targets.difference(FunctionFlags::MODULE_DECORATOR),
            (Dialect::Public | Dialect::Tendon, _) => self.targets,
        }
    }

    /// The form that a template has to take because of it.
    pub(crate) fn requires(&self, dialect: Dialect) -> Requires {
        match (dialect, self.writes) {
            (Dialect::Tendon, Writes::Options) => Requires::SymbolicNames,
            (Dialect::Public | Dialect::Tendon, _) => self.requires,
        }
    }

    /// The type that values of what it decorates must have.
    #[must_use]
    pub(crate) fn attachable(&self) -> Ty {
        self.attaches.map_or_else(Ty::any, |ty| ty())
    }
}
