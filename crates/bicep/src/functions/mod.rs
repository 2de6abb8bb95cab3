//! The functions that are there without being declared: one row each, one file per family.
//!
//! A row says what a function is called, how it can be called, where, what it gives and what it becomes in the template.
//! Everybody who needs to know something about a function asks its row: the names, the checks, the template, and
//! those who list and explain functions.

mod array;
mod banned;
mod cidr;
mod codec;
mod collection;
mod date;
mod deployment;
mod file;
mod input;
mod lambda;
mod language;
mod logical;
mod numeric;
mod object;
mod reading;
mod resource_id;
mod row;
mod scope;
mod testing;
mod text;
mod this_namespace;
mod uri;

use std::sync::LazyLock;

use rustc_hash::FxHashMap;
use syntax::SourceKind;

pub(crate) use banned::banned;
pub(crate) use reading::{LONGEST_TUPLE, object_of_texts, range, readable, texts};
pub(crate) use row::{Availability, Files, Function, Purity};
pub(crate) use row::{Becomes, Elements, ExpressionRule, ScopeFunction, ValueRule, signature};

use crate::language::{Dialect, Features};
use crate::types::{BuiltIn, Scopes};

/// What a function has to do with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Family {
    Array,
    /// Ranges of IP addresses.
    Cidr,
    /// Encodings: base64, data URIs, JSON.
    Codec,
    /// Strings, arrays and objects alike.
    Collection,
    Date,
    /// The deployment, and what Azure knows of resources.
    Deployment,
    /// Files that are read while the program is compiled.
    File,
    /// What a parameters file gets from outside.
    Input,
    /// Functions that take lambdas.
    Lambda,
    /// What speaks of the program rather than of values.
    Language,
    Logical,
    Numeric,
    Object,
    ResourceId,
    /// What resources and modules can be deployed to.
    Scope,
    /// Functions of test files.
    Testing,
    Text,
    /// The resource whose body calls them.
    This,
    Uri,
}

/// The families with their functions and what they have to do with, in the order of the reference.
pub(crate) static FAMILIES: &[(Family, &str, &[Function])] = &[
    (Family::Array, "Arrays", array::FUNCTIONS),
    (Family::Collection, "Strings, arrays and objects", collection::FUNCTIONS),
    (Family::Text, "Strings", text::FUNCTIONS),
    (Family::Object, "Objects", object::FUNCTIONS),
    (Family::Numeric, "Integers", numeric::FUNCTIONS),
    (Family::Logical, "Truth values", logical::FUNCTIONS),
    (Family::Lambda, "Lambdas", lambda::FUNCTIONS),
    (Family::Date, "Dates and times", date::FUNCTIONS),
    (Family::Codec, "Encodings", codec::FUNCTIONS),
    (Family::Uri, "URIs", uri::FUNCTIONS),
    (Family::Cidr, "Ranges of IP addresses", cidr::FUNCTIONS),
    (Family::Language, "The program", language::FUNCTIONS),
    (Family::File, "Files", file::FUNCTIONS),
    (Family::Input, "Inputs of parameters files", input::FUNCTIONS),
    (Family::Scope, "Scopes", scope::FUNCTIONS),
    (Family::ResourceId, "Resource ids", resource_id::FUNCTIONS),
    (Family::Deployment, "The deployment and its resources", deployment::FUNCTIONS),
    (Family::This, "The resource itself", this_namespace::FUNCTIONS),
    (Family::Testing, "Asserts of test files", testing::FUNCTIONS),
];

/// All functions, by family.
pub(crate) fn all() -> impl Iterator<Item = &'static Function> {
    FAMILIES.iter().flat_map(|(_, _, functions)| functions.iter())
}

/// The function with a name in a namespace; any name of `az` that starts with `list` is one.
#[must_use]
pub(crate) fn find(namespace: BuiltIn, name: &str) -> Option<&'static Function> {
    static NAMES: LazyLock<FxHashMap<(BuiltIn, &'static str), &'static Function>> =
        LazyLock::new(|| all().map(|function| ((function.namespace, function.name), function)).collect());
    let find = |name| NAMES.get(&(namespace, name)).copied();
    find(name).or_else(|| is_list(name).then(|| find(LIST)).flatten())
}

/// The name of the function that stands for all names that start with `list`.
const LIST: &str = "list*";

/// Tells whether a name is one of `list*`: letters behind small ones.
fn is_list(name: &str) -> bool {
    name.strip_prefix("list").is_some_and(|rest| rest.bytes().all(|byte| byte.is_ascii_alphabetic()))
}

/// What decides which functions a file sees.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Visibility {
    /// The kind of the file.
    pub kind: SourceKind,
    /// The scope that the file is deployed to.
    pub target: Scopes,
    /// The experimental features that are on.
    pub features: Features,
    /// The language that the file is written in.
    pub dialect: Dialect,
}

impl Visibility {
    /// The function with a name in a namespace, if the file sees it.
    #[must_use]
    pub(crate) fn function(&self, namespace: BuiltIn, name: &str) -> Option<&'static Function> {
        find(namespace, name).filter(|function| self.sees(function))
    }

    fn sees(&self, function: &Function) -> bool {
        function.files.has(self.kind)
            && function.when.is_enabled(self.features, self.dialect)
            && function.overloads.iter().any(|overload| overload.scopes.contains(self.target))
    }

    /// The names of all functions of a namespace that the file sees.
    pub(crate) fn function_names(&self, namespace: BuiltIn) -> impl Iterator<Item = &'static str> {
        let own = all().filter(move |function| function.namespace == namespace && self.sees(function));
        own.map(|function| function.name).filter(|name| *name != LIST)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::language::Feature;
    use crate::types::Count;

    #[test]
    fn every_function_is_found_by_its_name_and_says_what_it_does() {
        for function in all() {
            assert_eq!(find(function.namespace, function.name), Some(function));
            assert!(function.doc.ends_with('.') && !function.overloads.is_empty(), "{}", function.name);
            for overload in function.overloads {
                let counts: Vec<Count> =
                    overload.parameters.iter().map(|parameter| parameter.count).collect();
                let optional = counts.iter().skip_while(|count| **count == Count::One);
                assert!(optional.skip(1).all(|count| *count == Count::Optional), "{}", function.name);
                assert!(!overload.result().is_error(), "{}", function.name);
            }
        }
        assert_eq!(find(BuiltIn::Az, "listAccountSas").unwrap().name, "list*");
        assert!(find(BuiltIn::Sys, "nothing").is_none());
    }

    #[test]
    fn what_is_worked_out_and_what_becomes_a_call_is_there_in_templates() {
        for function in all() {
            if matches!(function.becomes, Becomes::Call) && function.files.has(SourceKind::Bicep) {
                assert!(arm::functions::find(function.name).is_some(), "{}", function.name);
            }
            if function.overloads.iter().any(|overload| overload.folds) {
                let known = arm::functions::find(function.name).unwrap();
                assert_eq!(known.depends(), arm::functions::Depends::Arguments, "{}", function.name);
            }
        }
    }

    #[test]
    fn what_a_file_sees_depends_on_its_kind_its_scope_and_its_features() {
        let bicep = Visibility {
            kind: SourceKind::Bicep,
            target: Scopes::SUBSCRIPTION,
            features: Features::default(),
            dialect: Dialect::default(),
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
        assert!(params.function(BuiltIn::Sys, "readEnvVar").is_none());
        assert!(params.function(BuiltIn::Az, "resourceGroup").is_none());
        assert!(params.decorator("description").is_some() && params.decorator("secure").is_none());
        let features = Features::default().with(Feature::UserDefinedConstraints);
        assert!(Visibility { features, ..bicep }.decorator("validate").is_some());
    }
}
