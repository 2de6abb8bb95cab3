//! Thrift files from disk, with everything they include, and what there is to say about them.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use clap::ValueEnum;
use diagnostics::{Diagnostic, FileId, SourceMap};
use thrift::idl::Strict;
use thrift::model::{
    Config, ImplicitIds, LoadConfig, Loader, Model, SearchOrder, ServiceId, Struct, StructId, ThriftProgram,
    load, resolve,
};
use thrift::rules::{Compat, ElementRecursion, Functions, PatternDialect, RuleConfig, count_rules, lower};

use crate::exit::CommandError;
use crate::files;
use crate::thrift_functions::{DeclarationFiles, FunctionOptions};

/// How Thrift files are read.
#[derive(Clone, Debug, clap::Args)]
#[command(next_help_heading = "Reading Thrift files")]
pub(crate) struct IdlOptions {
    /// Folders to look for included files in, after the folder of the including file
    #[arg(short = 'I', long = "include", value_name = "DIR")]
    include: Vec<PathBuf>,

    /// Accept only what one compiler accepts, instead of what any of them does
    #[arg(long, value_enum, value_name = "COMPILER")]
    strict: Option<Compiler>,

    /// The numbering of fields without a number; an error by default, because compilers disagree
    #[arg(long, value_enum, value_name = "NUMBERING", default_value_t)]
    implicit_ids: Ids,

    /// The implementation to follow where it differs from the proposal
    #[arg(long, value_enum, value_name = "IMPLEMENTATION", default_value_t)]
    compat: Whose,

    /// The dialect of `vt.pattern`
    #[arg(long, value_enum, value_name = "DIALECT", default_value_t)]
    pattern_dialect: Dialect,

    /// Apply the rules of structs to elements of containers
    #[arg(long, value_enum, value_name = "MODE", default_value_t)]
    element_recursion: Recursion,
}

/// Declares an option's values and what they are to the library.
macro_rules! values {
    ($(#[$doc:meta])* $name:ident => $target:ident { $($(#[$default:meta])* $value:ident => $of:ident,)* }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
        enum $name { $($(#[$default])* $value,)* }

        impl From<$name> for $target {
            fn from(value: $name) -> $target {
                match value { $($name::$value => $target::$of,)* }
            }
        }
    };
}

values! {
    /// The compilers that `--strict` knows.
    Compiler => Strict { #[default] Apache => Apache, Thriftgo => Thriftgo, }
}
values! {
    /// The ways to number fields.
    Ids => ImplicitIds { #[default] Error => Error, Apache => Apache, Thriftgo => Thriftgo, }
}
values! {
    /// The implementations of rules.
    Whose => Compat { #[default] Proposal => Proposal, Go => Go, Apache => Apache, }
}
values! {
    /// The dialects of patterns.
    Dialect => PatternDialect { #[default] Re2 => Re2, Bre => Bre, }
}
values! {
    /// When rules go on into elements.
    Recursion => ElementRecursion { #[default] Always => Always, Kitex => Kitex, }
}

impl IdlOptions {
    /// How annotations are read.
    pub(crate) fn rules(&self) -> RuleConfig {
        RuleConfig {
            compat: self.compat.into(),
            elements: self.element_recursion.into(),
            pattern: self.pattern_dialect.into(),
            ..RuleConfig::default()
        }
    }

    fn strict(&self) -> Strict {
        self.strict.map_or(Strict::None, Into::into)
    }
}

/// A Thrift file with everything it includes.
pub(crate) struct Idl {
    pub(crate) program: ThriftProgram,
    pub(crate) model: Model,
    /// What was found so far, as places in the sources.
    pub(crate) findings: Vec<Diagnostic>,
    /// What is added to a file's number in the program to have its number in the sources.
    offset: u32,
}

impl Idl {
    /// Adds findings of the library.
    pub(crate) fn add(&mut self, found: Vec<Diagnostic>) {
        self.findings.extend(found.into_iter().map(|it| it.with_files_after(self.offset)));
    }

    /// A struct by its name, in the file or in one that it includes, or the arguments of a function.
    ///
    /// `base.Req` is a struct of the included file `base.thrift`, `Orders.place` a function of that service.
    pub(crate) fn find(&self, name: &str) -> Option<StructId> {
        let model = &self.model;
        let (before, last) =
            name.rsplit_once('.').map_or((None, name), |(before, last)| (Some(before), last));
        let of_file = |file: FileId| match before {
            None => true,
            Some(before) => self.program.file(file).is_some_and(|it| stem(&it.path) == before),
        };
        let ids = || model.structs.iter().zip((0u32..).map(StructId));
        let named = |it: &Struct| it.name.text == last && of_file(it.file);
        // Names of the first file win; it comes first.
        let declared = ids().find(|(it, _)| it.role.is_declared() && named(it)).map(|(_, id)| id);
        let function = || {
            let services = model.services.iter().zip((0u32..).map(ServiceId));
            let mut fitting = services.filter(|(it, _)| before.is_none_or(|before| it.name.text == before));
            fitting
                .find_map(|(_, id)| model.functions(id).find(|it| it.name.text == last))
                .map(|it| it.arguments)
        };
        // Arguments and results have names of their own, which nobody declares.
        declared.or_else(function).or_else(|| ids().find(|(it, _)| named(it)).map(|(_, id)| id))
    }

    /// The result of a function, `place` or `Orders.place`; none of one that nobody answers.
    pub(crate) fn result(&self, name: &str) -> Option<StructId> {
        let model = &self.model;
        let (service, function) = name.rsplit_once('.').map_or((None, name), |(it, last)| (Some(it), last));
        let services = model.services.iter().zip((0u32..).map(ServiceId));
        let mut fitting = services.filter(|(it, _)| service.is_none_or(|service| it.name.text == service));
        fitting.find_map(|(_, id)| model.functions(id).find(|it| it.name.text == function))?.result
    }

    /// What to say of a name that leads nowhere.
    pub(crate) fn unknown_type(&self, name: &str) -> String {
        let declared = || {
            let structs =
                self.model.structs.iter().filter(|it| it.role.is_declared()).map(|it| &it.name.text);
            let functions =
                self.model.services.iter().flat_map(|it| &it.functions).map(|function| &function.name.text);
            structs.chain(functions).map(String::as_str)
        };
        match diagnostics::suggest(name, declared()) {
            Some(near) => format!("there is no type `{name}`; did you mean `{near}`?"),
            None => {
                format!("there is no type `{name}`; there are {}", declared().collect::<Vec<_>>().join(", "))
            }
        }
    }

    /// What is added to a file's number in the program to have its number in the sources.
    pub(crate) fn offset(&self) -> u32 {
        self.offset
    }

    /// Why the file cannot be used.
    pub(crate) fn errors(self) -> Vec<Diagnostic> {
        self.findings.into_iter().filter(|it| it.is_error()).collect()
    }

    /// Whether the file can be used.
    pub(crate) fn is_usable(&self) -> bool {
        !self.findings.iter().any(Diagnostic::is_error)
    }
}

/// Reads a file and what it includes.
pub(crate) fn read(path: &str, options: &IdlOptions, sources: &mut SourceMap) -> Result<Idl, CommandError> {
    let config = LoadConfig {
        include_dirs: options.include.iter().map(|dir| dir.to_string_lossy().into_owned()).collect(),
        order: match options.strict {
            Some(Compiler::Thriftgo) => SearchOrder::Thriftgo,
            _ => SearchOrder::Apache,
        },
        strict: options.strict(),
    };
    let (program, mut found) = load(path, &mut Disk, &config).map_err(CommandError::Environment)?;
    let offset = u32::try_from(sources.len()).unwrap_or(u32::MAX);
    let resolving = Config { strict: options.strict(), implicit_ids: options.implicit_ids.into() };
    let (model, more) = resolve(&program, &resolving);
    found.extend(more);
    for file in &program.files {
        sources.add(file.path.as_str(), file.text.as_str());
    }
    let mut idl = Idl { program, model, findings: Vec::new(), offset };
    idl.add(found);
    Ok(idl)
}

/// Finds what is wrong with Thrift files, however often others include them.
pub(crate) struct ThriftLinter<'o> {
    options: &'o IdlOptions,
    /// The functions that rules may call.
    declarations: DeclarationFiles<'o>,
    findings: Vec<Diagnostic>,
    /// What was checked, in one line for each file.
    pub(crate) checked: String,
}

impl<'o> ThriftLinter<'o> {
    /// Begins without a file.
    pub(crate) fn new(declarations: &'o FunctionOptions, options: &'o IdlOptions) -> ThriftLinter<'o> {
        let declarations = DeclarationFiles::new(declarations);
        ThriftLinter { options, declarations, findings: Vec::new(), checked: String::new() }
    }

    /// Looks at a file and at what it includes.
    pub(crate) fn add(&mut self, file: &str, sources: &mut SourceMap) -> Result<(), CommandError> {
        let functions = Functions::default().with(self.declarations.of(Path::new(file), sources)?);
        let mut idl = read(file, self.options, sources)?;
        self.checked.push_str(&contents(file, &idl));
        let (lowered, found) = lower(&idl.model, &self.options.rules(), &functions);
        idl.add(found);
        if idl.is_usable() {
            idl.add(lowered.findings(&functions));
        }
        self.findings.extend(idl.findings);
        Ok(())
    }

    /// What was found, in order. A file that several others include is read with each of them, but one report is enough.
    pub(crate) fn findings(mut self, sources: &SourceMap) -> Vec<Diagnostic> {
        self.findings.append(&mut self.declarations.findings);
        diagnostics::sort(&mut self.findings);
        let mut seen = BTreeSet::new();
        self.findings.retain(|finding| {
            let place =
                finding.primary.map(|span| (sources.name(span.file).to_owned(), span.start, span.end));
            seen.insert((place, finding.code.clone(), finding.message.clone()))
        });
        self.findings
    }
}

/// What was checked, in one line.
fn contents(path: &str, idl: &Idl) -> String {
    let many =
        |count: usize, one: &str, more: &str| format!("{count} {}", if count == 1 { one } else { more });
    let model = &idl.model;
    let structs = model.structs.iter().filter(|it| it.role.is_declared()).count();
    let functions = model.services.iter().map(|it| it.functions.len()).sum();
    let parts = [
        many(idl.program.files.len(), "file", "files"),
        many(structs, "struct", "structs"),
        many(model.services.len(), "service", "services"),
        many(functions, "function", "functions"),
        many(count_rules(model), "rule", "rules"),
    ];
    format!("{path}: checked {}\n", parts.join(", "))
}

/// The name of a file without its folder and its ending.
fn stem(path: &str) -> &str {
    let name = path.rsplit('/').next().unwrap_or(path);
    name.strip_suffix(".thrift").unwrap_or(name)
}

/// Nanoseconds since 1970.
pub(crate) fn now() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_nanos()).unwrap_or(i64::MAX)
}

/// Files of the file system.
pub(crate) struct Disk;

impl Loader for Disk {
    fn read(&mut self, path: &str) -> Result<Option<String>, String> {
        let bytes = self.bytes(path)?;
        bytes.map(String::from_utf8).transpose().map_err(|error| error.to_string())
    }

    fn bytes(&mut self, path: &str) -> Result<Option<Vec<u8>>, String> {
        match files::read(Path::new(path)) {
            Ok(bytes) => Ok(Some(bytes)),
            Err(unread) if unread.is_missing() => Ok(None),
            Err(unread) => Err(format!("cannot read `{path}`: {unread}")),
        }
    }

    fn identity(&mut self, path: &str) -> String {
        std::fs::canonicalize(path)
            .map_or_else(|_| thrift::model::normalize(path), |path| path.to_string_lossy().into_owned())
    }
}
