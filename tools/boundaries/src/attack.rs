//! What an attack is: a value that breaks a contract, the nearest value that keeps it, and what the refusal must name.

use crate::value::Value;

/// A text that no answer may show: the value of the secret member in every attack.
pub const SECRET: &str = "hush-5f2c9e7b";

/// A kind of contract. An attack says which kinds it breaks; a boundary has one or two.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Dialect {
    /// Types of templates and of Bicep.
    Arm,
    /// A schema of a Radius type.
    Radius,
    /// A type of a Thrift file.
    Thrift,
    /// A contract file.
    Contract,
    /// Entries of parameters: the value is an object of entries by name.
    Entry,
    /// Configurations of extensions: the value is an object of configurations by name.
    Extension,
    /// Schemas as values: what the registration of a type must refuse.
    Schema,
    /// Bodies of requests to the registry: the value is an object of members beside those that are required.
    Registry,
    /// Contract files as values.
    Rules,
    /// Schemas as values, for a type that has a resource.
    Change,
    /// What a provider answers for read-only members.
    Answer,
    /// A resource whose type nobody describes: what readers do not agree on.
    Open,
    /// Members of such a resource beside its properties: the value is an object of them.
    Envelope,
    /// Arguments of options: the value has the error codes, the count and the duration.
    OptionValue,
    /// `@options` as a whole.
    OptionForm,
    /// An argument of a decorator with a type.
    Declared,
    /// A type that nobody registered, or built in without a contract: the value is a resource of it.
    Unregistered,
    /// A type of Radius in a template without extensions: the value is a resource of it.
    Outside,
}

/// A class of attacks, as the report groups them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[expect(missing_docs, reason = "the names say it")]
pub enum Class {
    WrongType,
    Missing,
    Extra,
    OddName,
    TwiceInAnotherCase,
    TwiceExactly,
    Enum,
    Bound,
    Length,
    Pattern,
    Validator,
    Nonsense,
    Discriminator,
    Null,
    Default,
    Number,
    Depth,
    Size,
    Encoding,
    Unicode,
    TextBehind,
    Secret,
    Expression,
    Entry,
    Unregistered,
}

/// What has to happen to the value of an attack.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Must {
    /// It is refused.
    BeRefused,
    /// It is refused, or accepted and read back without harm: near a limit either is right.
    EndWell,
}

/// One row of the matrix.
#[derive(Clone, Debug)]
pub struct Attack {
    /// Its name, which is unique.
    pub name: String,
    /// What it is an example of.
    pub class: Class,
    /// The value that is sent.
    pub value: Value,
    /// The nearest value that keeps the contract.
    pub twin: Value,
    /// What the refusal names, as `list[2]`; nothing where the text itself is wrong or the name is too long to be repeated, so that any place will do.
    pub path: Option<String>,
    /// The contracts it breaks.
    pub dialects: Vec<Dialect>,
    /// What has to happen.
    pub must: Must,
    /// More texts that no answer may show.
    pub hidden: Vec<String>,
    /// Whether it is about text that a template language evaluates, so that it is no attack where the value stands in a template.
    pub is_expression: bool,
    /// Whether it is about a member that is null, which is the same as none in the properties of a resource.
    pub is_null_member: bool,
    /// Whether it is about what JSON does not allow and YAML does.
    pub is_yaml: bool,
}

impl Attack {
    /// An attack on the contracts of all kinds of widgets.
    pub fn new(name: impl Into<String>, class: Class, value: Value, twin: Value) -> Attack {
        use Dialect::{Arm, Contract, Radius, Thrift};
        Attack {
            name: name.into(),
            class,
            value,
            twin,
            path: None,
            dialects: vec![Arm, Radius, Thrift, Contract],
            must: Must::BeRefused,
            hidden: Vec::new(),
            is_expression: false,
            is_yaml: false,
            is_null_member: false,
        }
    }

    /// Says what the refusal names.
    #[must_use]
    pub fn at(mut self, path: impl Into<String>) -> Attack {
        self.path = Some(path.into());
        self
    }

    /// Says which contracts it breaks.
    #[must_use]
    pub fn only(mut self, dialects: &[Dialect]) -> Attack {
        self.dialects = dialects.to_vec();
        self
    }

    /// Says which contract it does not break.
    #[must_use]
    pub fn except(mut self, dialect: Dialect) -> Attack {
        self.dialects.retain(|known| *known != dialect);
        self
    }

    /// The path of the list or the map that it is about an element of.
    pub(crate) fn container(&self) -> Option<&str> {
        let path = self.path.as_deref()?;
        let of_list = path.split_once('[').map(|(list, _)| list);
        of_list.or_else(|| path.strip_prefix("map.").map(|_| "map"))
    }

    /// Says that refusing and accepting are both right.
    #[must_use]
    pub fn either(mut self) -> Attack {
        self.must = Must::EndWell;
        self
    }

    /// Says that it is about a member that is null.
    #[must_use]
    pub fn with_null(mut self) -> Attack {
        self.is_null_member = true;
        self
    }

    /// Says that YAML has a meaning for it.
    #[must_use]
    pub fn unless_yaml(mut self) -> Attack {
        self.is_yaml = true;
        self
    }

    /// Says what else no answer may show.
    #[must_use]
    pub fn hiding(mut self, text: &str) -> Attack {
        self.hidden.push(text.to_owned());
        self
    }
}
