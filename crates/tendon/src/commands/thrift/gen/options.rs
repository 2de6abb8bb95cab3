//! What the options of `tendon thrift gen` mean to the generators, and which of them belong to which language.

use std::collections::BTreeMap;
use std::path::PathBuf;

use clap::ValueEnum;
use serde::Serialize;
use thrift::rules::Declarations;
use thrift_codegen::{go, java, python, rust, typescript};

use super::Arguments;
use crate::exit::CommandError;

/// The languages that can be written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum, Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Language {
    Go,
    Rust,
    Python,
    Java,
    #[value(name = "typescript")]
    TypeScript,
}

/// The compilers that make the types.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum TypeCompiler {
    Thriftgo,
    Kitex,
    Pilota,
    Apache,
    Thriftpy2,
}

/// The methods that Go structs can have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum Method {
    // `Validate() error`, as the proposal has it.
    Validate,
    // `IsValid() error`, as users of thrift-gen-validator know it.
    IsValid,
    // The same under a name that no field has.
    IsStructValid,
    // `ValidateAll() []error`: every broken rule.
    ValidateAll,
}

impl Language {
    const fn name(self) -> &'static str {
        match self {
            Language::Go => "Go",
            Language::Rust => "Rust",
            Language::Python => "Python",
            Language::Java => "Java",
            Language::TypeScript => "TypeScript",
        }
    }

    /// What a comment begins with.
    pub(super) const fn comment(self) -> &'static str {
        match self {
            Language::Go | Language::Rust | Language::Java | Language::TypeScript => "//",
            Language::Python => "#",
        }
    }

    /// The compilers whose types it has; the first one is meant if none is named.
    const fn types(self) -> &'static [TypeCompiler] {
        match self {
            Language::Go => &[TypeCompiler::Thriftgo, TypeCompiler::Kitex],
            Language::Rust => &[TypeCompiler::Pilota, TypeCompiler::Apache],
            Language::Python => &[TypeCompiler::Thriftpy2, TypeCompiler::Apache],
            Language::Java | Language::TypeScript => &[TypeCompiler::Apache],
        }
    }
}

// UPSTREAM: what kitex 0.16 hands to thriftgo by itself, as far as names depend on it.
const KITEX: &[&str] =
    &["naming_style=golint", "ignore_initialisms", "gen_setter", "gen_deep_equal=false", "compatible_names"];

/// A path of modules that every edition of Rust reads: the usual name for generated code is a keyword in some.
fn escaped(path: &str) -> String {
    let part = |part| if part == "gen" { "r#gen" } else { part };
    path.split("::").map(part).collect::<Vec<_>>().join("::")
}

/// What the functions that rules call are called in the language.
fn symbols(declared: &Declarations) -> BTreeMap<String, String> {
    declared.symbols().map(|(name, symbol)| (name.to_owned(), symbol.to_owned())).collect()
}

impl Arguments {
    /// Refuses options that mean nothing in the language.
    pub(super) fn fit_together(&self) -> Result<(), CommandError> {
        let rows: [(&str, bool, &[Language]); 6] = [
            ("--method", !self.methods.is_empty(), &[Language::Go]),
            ("--thriftgo", !self.thriftgo.is_empty(), &[Language::Go]),
            ("--exception", self.exception.is_some(), &[Language::Go]),
            ("--root", self.root.is_some(), &[Language::Rust]),
            (
                "--module",
                self.module.is_some(),
                &[Language::Rust, Language::Python, Language::Java, Language::TypeScript],
            ),
            ("--private-members", self.private_members, &[Language::Java]),
        ];
        let wrong = rows.iter().find(|(_, is_given, languages)| *is_given && !languages.contains(&self.lang));
        if let Some((option, _, languages)) = wrong {
            let names: Vec<&str> = languages.iter().map(|language| language.name()).collect();
            return Err(CommandError::Usage(format!(
                "`{option}` means something in {} only",
                names.join(" and ")
            )));
        }
        if [Method::IsValid, Method::IsStructValid].iter().all(|method| self.methods.contains(method)) {
            let message =
                "`is-valid` and `is-struct-valid` are one method under two names; ask for one of them";
            return Err(CommandError::Usage(message.to_owned()));
        }
        let known = self.lang.types();
        match self.types {
            // UPSTREAM: every struct that Apache's compiler writes in Go has a `Validate` of its own.
            Some(TypeCompiler::Apache) if self.lang == Language::Go => Err(CommandError::Usage(
                "Apache's compiler writes `Validate` into its Go structs by itself; generate for `thriftgo` or `kitex`"
                    .to_owned(),
            )),
            Some(types) if !known.contains(&types) => {
                let names: Vec<String> = known
                    .iter()
                    .filter_map(|types| Some(format!("`{}`", types.to_possible_value()?.get_name())))
                    .collect();
                let message =
                    format!("there are no such types in {}; there are {}", self.lang.name(), names.join(" and "));
                Err(CommandError::Usage(message))
            }
            _ => Ok(()),
        }
    }

    fn types(&self) -> Option<TypeCompiler> {
        self.types.or(self.lang.types().first().copied())
    }

    /// The folder to write to.
    pub(super) fn folder(&self) -> PathBuf {
        let usual = match (self.lang, self.types()) {
            (Language::Go, Some(TypeCompiler::Kitex)) => "kitex_gen",
            (Language::Go, _) => "gen-go",
            (Language::Rust, _) => "gen-rs",
            (Language::Python, _) => "gen-py",
            (Language::Java, _) => "gen-java",
            (Language::TypeScript, _) => "gen-nodejs",
        };
        self.out.clone().unwrap_or_else(|| usual.into())
    }

    pub(super) fn go(&self, declared: &Declarations) -> go::GoOptions {
        let mut options = go::GoOptions { recursive: self.recursive, ..go::GoOptions::default() };
        let kitex = self.types() == Some(TypeCompiler::Kitex);
        let usual = KITEX.iter().copied().filter(|_| kitex);
        options.follow_thriftgo(usual.chain(self.thriftgo.iter().map(String::as_str)));
        let has = |method| self.methods.contains(&method);
        options.validate = self.methods.is_empty() || has(Method::Validate);
        options.validate_all = self.methods.is_empty() || has(Method::ValidateAll);
        options.avoid_name = has(Method::IsStructValid);
        options.is_valid = has(Method::IsValid) || options.avoid_name;
        options.application_exception.clone_from(&self.exception);
        options.functions = symbols(declared);
        options
    }

    pub(super) fn rust(&self, declared: &Declarations) -> rust::RustOptions {
        let usual = rust::RustOptions::default();
        rust::RustOptions {
            types: match self.types() {
                Some(TypeCompiler::Apache) => rust::RustTypes::Apache,
                _ => rust::RustTypes::Pilota,
            },
            root: self.root.as_deref().map_or(usual.root, escaped),
            folder: self.module.clone().unwrap_or(usual.folder),
            functions: symbols(declared),
        }
    }

    pub(super) fn python(&self, declared: &Declarations) -> python::PythonOptions {
        python::PythonOptions { module: self.module.clone(), functions: symbols(declared) }
    }

    pub(super) fn java(&self, declared: &Declarations) -> java::JavaOptions {
        java::JavaOptions {
            package: self.module.clone(),
            private_members: self.private_members,
            functions: symbols(declared),
        }
    }

    pub(super) fn typescript(&self, declared: &Declarations) -> typescript::TypeScriptOptions {
        typescript::TypeScriptOptions { module: self.module.clone(), functions: symbols(declared) }
    }
}
