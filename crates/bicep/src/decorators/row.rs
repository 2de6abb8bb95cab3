//! What is known about a built-in decorator, and how its row is written.

use syntax::{Span, SyntaxNode};

use super::Family;
use crate::check::Checker;
use crate::compiler::Dialect;
use crate::emit::{Emitter, Members};
use crate::functions::{Files, FunctionFlags, Parameter, When, signature};
use crate::symbols::Call;
use crate::types::{Known, Signature, Ty};

/// A built-in decorator.
#[derive(Debug)]
pub(crate) struct Decorator {
    /// The name.
    pub name: &'static str,
    /// Which decorators it belongs to.
    pub family: Family,
    /// What it does, in one or two sentences.
    pub doc: &'static str,
    /// The parameters, in order.
    pub parameters: &'static [Parameter],
    /// The kinds of declarations that it decorates.
    targets: FunctionFlags,
    /// The kinds of files that have it.
    pub files: Files,
    /// The experimental feature that brings it.
    pub when: When,
    /// The form that a template has to take because of it.
    requires: Requires,
    /// What it makes of the type of what it decorates.
    pub refines: Refines,
    /// The type that values of what it decorates must have; none if any will do.
    pub(crate) attaches: Option<fn() -> Ty>,
    /// What else is asked of its use.
    pub(crate) check: Option<Check>,
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
    /// Any.
    Nothing,
    /// Resources have symbolic names.
    SymbolicNames,
    /// The template needs an experimental deployment engine.
    ExperimentalEngine,
}

/// What a decorator makes of the type of what it decorates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Refines {
    /// Nothing.
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

/// A check of the use of a decorator.
pub(crate) type Check = for<'m> fn(&mut Checker<'m>, &Use<'m>);

/// Writes the members that a decorator adds to those of a declaration or part of a type.
pub(crate) type WriteMembers = for<'u> fn(&mut Emitter<'u>, On<'u>, Call<'u>, &mut Members<'u>);

/// The use of a built-in decorator.
pub(crate) struct Use<'m> {
    /// The decorator.
    pub(crate) decorator: &'static Decorator,
    /// Where it stands.
    pub(crate) at: Span,
    /// Its call.
    pub(crate) call: Call<'m>,
    /// What it decorates.
    pub(crate) target: SyntaxNode<'m>,
    /// The type of what it decorates, null aside.
    pub(crate) ty: Ty,
    /// Whether it can be attached to that type.
    pub(crate) fits: bool,
}

/// What a decorator decorates, when the template is written.
#[derive(Clone, Copy)]
pub(crate) struct On<'u> {
    /// The declaration or part of a type.
    pub(crate) node: SyntaxNode<'u>,
    /// Whether it is a type that other files can import.
    pub(crate) can_export: bool,
}

/// What a decorator writes into the template.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Writes {
    /// Nothing of its own: the text says what it changes.
    Elsewhere(&'static str),
    /// A member of a declaration or part of a type.
    Member(&'static str, WriteMembers),
    /// A part of a member that others write too, which the text describes.
    Part(&'static str, WriteMembers),
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
        parameters: &'static [Parameter],
        writes: Writes,
    ) -> Decorator {
        Decorator {
            name,
            family: Family::Data,
            doc,
            parameters,
            targets: FunctionFlags::DATA_DECORATOR,
            files: Files::Programs,
            when: When::Always,
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
        parameters: &'static [Parameter],
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

    pub(super) const fn when(mut self, when: When) -> Decorator {
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

    pub(super) const fn check(mut self, check: Check) -> Decorator {
        self.check = Some(check);
        self
    }

    /// How it is called. Arguments of options are expressions of the template; the public compiler wants constants.
    pub(crate) fn signature(&self, dialect: Dialect) -> Signature {
        let mut made = signature(self.name, self.parameters, self.targets(dialect));
        if let (Dialect::Tendon, Writes::Options) = (dialect, self.writes) {
            made.parameters.iter_mut().for_each(|parameter| parameter.known = Known::Late);
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
