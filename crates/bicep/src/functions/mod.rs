//! The functions and decorators that are there without being declared.

mod flags;
mod tables;

pub use flags::FunctionFlags;

use crate::config::{Feature, Features};
use crate::types::Scopes;
use syntax::SourceKind;

/// One way to call a function: how many arguments it takes and where it may stand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Overload {
    /// The name.
    pub name: &'static str,
    /// The least number of arguments.
    pub min: u8,
    /// The greatest number of arguments; 255 for any number.
    pub max: u8,
    /// Where it may be called and what that implies.
    pub flags: FunctionFlags,
    /// The target scopes of files that see it.
    pub scopes: Scopes,
}

impl Overload {
    const fn new(name: &'static str, min: u8, max: u8, flags: FunctionFlags) -> Overload {
        Overload { name, min, max, flags, scopes: Scopes::ANY }
    }

    const fn at(mut self, scopes: Scopes) -> Overload {
        self.scopes = scopes;
        self
    }
}

/// A namespace that every file has, or that resource bodies have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BuiltIn {
    /// The language itself.
    Sys,
    /// Azure.
    Az,
    /// The resource whose body this is.
    This,
}

impl BuiltIn {
    /// The name of the namespace.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            BuiltIn::Sys => "sys",
            BuiltIn::Az => "az",
            BuiltIn::This => "this",
        }
    }
}

/// A built-in function, with all its overloads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Function {
    /// The namespace it belongs to.
    pub namespace: BuiltIn,
    /// Whether it is a decorator.
    pub is_decorator: bool,
    /// The overloads, at least one.
    pub overloads: &'static [Overload],
}

impl Function {
    /// The name; `list*` for all functions that start with `list`.
    #[must_use]
    pub fn name(&self) -> &'static str {
        self.overloads.first().map_or("", |overload| overload.name)
    }

    /// What any of the overloads implies.
    #[must_use]
    pub fn flags(&self) -> FunctionFlags {
        self.overloads.iter().fold(FunctionFlags::NONE, |flags, overload| flags | overload.flags)
    }

    /// Tells whether this is the function of `sys` with that name.
    #[must_use]
    pub fn is_sys(&self, name: &str) -> bool {
        self.namespace == BuiltIn::Sys && !self.is_decorator && self.name() == name
    }
}

/// What decides which functions a file sees.
#[derive(Clone, Copy, Debug)]
pub struct Visibility {
    /// The kind of the file.
    pub kind: SourceKind,
    /// The scope that the file is deployed to.
    pub target: Scopes,
    /// The experimental features that are on.
    pub features: Features,
}

impl Visibility {
    /// The function with a name in a namespace, if the file sees it.
    #[must_use]
    pub fn function(&self, namespace: BuiltIn, name: &str) -> Option<Function> {
        let made = |overloads| Function { namespace, is_decorator: false, overloads };
        let found = match (namespace, self.kind) {
            (BuiltIn::Sys, SourceKind::Bicep) => find(tables::SYS, name),
            (BuiltIn::Sys, SourceKind::Params) => find(tables::SYS, name)
                .or_else(|| find(tables::SYS_PARAMS, name))
                .filter(|_| self.sees_in_params(name)),
            (BuiltIn::Az, SourceKind::Bicep) => find(tables::AZ, name)
                .filter(|overloads| overloads.iter().any(|overload| overload.scopes.has(self.target)))
                .or_else(|| is_list(name).then_some(std::slice::from_ref(&tables::LIST))),
            (BuiltIn::Az, SourceKind::Params) => find(tables::AZ_PARAMS, name),
            (BuiltIn::This, _) => find(tables::THIS, name),
        };
        found.map(made)
    }

    fn sees_in_params(&self, name: &str) -> bool {
        let deploy_commands = self.features.has(Feature::DeployCommands);
        match name {
            "readEnvironmentVariable" => !deploy_commands,
            "readCliArg" | "readEnvVar" => deploy_commands,
            _ => true,
        }
    }

    /// The decorator with a name, if the file sees it.
    #[must_use]
    pub fn decorator(&self, name: &str) -> Option<Function> {
        let needs = match name {
            "waitUntil" => Some(Feature::WaitUntil),
            "validate" => Some(Feature::UserDefinedConstraints),
            "patch" => Some(Feature::Patch),
            _ => None,
        };
        if needs.is_some_and(|feature| !self.features.has(feature))
            || self.kind == SourceKind::Params && name != "description"
        {
            return None;
        }
        find(tables::DECORATORS, name).map(|overloads| Function {
            namespace: BuiltIn::Sys,
            is_decorator: true,
            overloads,
        })
    }

    /// The names of all functions of a namespace that the file sees, each once, in order.
    pub fn function_names(&self, namespace: BuiltIn) -> impl Iterator<Item = &'static str> {
        let tables: [&'static [Overload]; 2] = match (namespace, self.kind) {
            (BuiltIn::Sys, SourceKind::Bicep) => [tables::SYS, &[]],
            (BuiltIn::Sys, SourceKind::Params) => [tables::SYS, tables::SYS_PARAMS],
            (BuiltIn::Az, SourceKind::Bicep) => [tables::AZ, &[]],
            (BuiltIn::Az, SourceKind::Params) => [tables::AZ_PARAMS, &[]],
            (BuiltIn::This, _) => [tables::THIS, &[]],
        };
        let mut last = "";
        tables
            .into_iter()
            .flatten()
            .map(|overload| overload.name)
            .filter(move |name| std::mem::replace(&mut last, name) != *name)
            .filter(move |name| self.function(namespace, name).is_some())
    }

    /// The names of all decorators that the file sees, in order.
    pub fn decorator_names(&self) -> impl Iterator<Item = &'static str> {
        tables::DECORATORS.iter().map(|row| row.name).filter(|name| self.decorator(name).is_some())
    }
}

/// The code of the hint for a function of the template language that Bicep has a syntax for.
#[must_use]
pub fn banned(name: &str) -> Option<&'static str> {
    let row = tables::BANNED.binary_search_by(|(known, _)| (*known).cmp(name)).ok()?;
    tables::BANNED.get(row).map(|(_, code)| *code)
}

/// Tells whether a name is one of `list*`: letters behind small ones.
fn is_list(name: &str) -> bool {
    name.strip_prefix("list").is_some_and(|rest| rest.bytes().all(|byte| byte.is_ascii_alphabetic()))
}

/// The rows of a name in a sorted table.
fn find(table: &'static [Overload], name: &str) -> Option<&'static [Overload]> {
    let from = table.partition_point(|row| row.name < name);
    let to = table.partition_point(|row| row.name <= name);
    table.get(from..to).filter(|rows| !rows.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_are_sorted_by_name() {
        for table in
            [tables::SYS, tables::SYS_PARAMS, tables::AZ, tables::AZ_PARAMS, tables::THIS, tables::DECORATORS]
        {
            assert!(table.is_sorted_by_key(|row| row.name));
        }
        assert!(tables::BANNED.is_sorted());
    }

    #[test]
    fn what_a_file_sees_depends_on_its_kind_its_scope_and_its_features() {
        let bicep = Visibility {
            kind: SourceKind::Bicep,
            target: Scopes::SUBSCRIPTION,
            features: Features::default(),
        };
        assert_eq!(bicep.function(BuiltIn::Sys, "concat").map(|found| found.overloads.len()), Some(2));
        assert!(bicep.function(BuiltIn::Az, "resourceGroup").is_some());
        assert!(bicep.function(BuiltIn::Az, "listKeys").is_some());
        assert!(bicep.function(BuiltIn::Sys, "externalInput").is_none());
        assert!(bicep.decorator("validate").is_none());
        let tenant = Visibility { target: Scopes::TENANT, ..bicep };
        assert!(tenant.function(BuiltIn::Az, "deployment").is_some());
        let params = Visibility { kind: SourceKind::Params, ..bicep };
        assert!(params.function(BuiltIn::Sys, "readEnvironmentVariable").is_some());
        assert!(params.function(BuiltIn::Az, "resourceGroup").is_none());
        let features = Features::default().with(Feature::UserDefinedConstraints);
        assert!(Visibility { features, ..bicep }.decorator("validate").is_some());
        assert_eq!(banned("createArray"), Some("BCP101"));
    }
}
