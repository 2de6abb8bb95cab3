//! Go: methods on the structs that thriftgo and kitex generate.
//!
//! For each IDL file there is one `<file>_validator.go` beside the file that thriftgo writes, and for each
//! package one `validation_error.go` with the type of the error. Nothing but the standard library is
//! imported. A valid struct costs no allocation; a nil receiver, nil elements and unset optional fields are
//! fine everywhere.

mod access;
mod body;
mod expr;
mod names;
mod neighbours;
mod scan;
mod support;

pub use names::{Naming, NamingStyle};

use std::collections::{BTreeMap, BTreeSet};

use thrift::idl::{Header, IdlFile};
use thrift::model::{StructId, StructRole, ThriftProgram};
use thrift::{Code, Diagnostic, FileId};

use crate::lines::Lines;
use crate::plan::{Plan, StructPlan};
use crate::{Generated, GeneratedFile, Input};
use body::Body;
use names::GoNames;
use neighbours::Neighbours;
use support::{HEADER, Helper};

/// What the methods look like.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GoOptions {
    /// The options of thriftgo that names depend on.
    pub naming: Naming,
    /// Whether there is `Validate() error`, as the proposal has it.
    pub validate: bool,
    /// Whether there is `IsValid() error`, as users of thrift-gen-validator know it.
    pub is_valid: bool,
    /// Whether `IsValid` is called `IsStructValid`.
    pub avoid_name: bool,
    /// Whether there is `ValidateAll() []error`.
    pub validate_all: bool,
    /// Whether structs in containers are values: `value_type_in_container`.
    pub values_in_containers: bool,
    /// Whether arguments and results of functions are structs that can have methods.
    pub arguments: bool,
    /// Whether included files get methods too.
    pub recursive: bool,
    /// The import path of a Thrift runtime, if the error shall be a `TApplicationException` of it.
    pub application_exception: Option<String>,
    /// Go symbols of the functions that the user adds: `Name` or `import/path.Name`.
    pub functions: BTreeMap<String, String>,
    /// The Go files that stand in the folders of [`folders`] already, by their path from the root of the output: their names win,
    /// as those of the program do.
    pub neighbours: BTreeMap<String, String>,
}

impl Default for GoOptions {
    fn default() -> GoOptions {
        GoOptions {
            naming: Naming::default(),
            validate: true,
            is_valid: false,
            avoid_name: false,
            validate_all: true,
            values_in_containers: false,
            arguments: true,
            recursive: true,
            application_exception: None,
            functions: BTreeMap::new(),
            neighbours: BTreeMap::new(),
        }
    }
}

impl GoOptions {
    /// Follows the options that thriftgo's own generator was given, each as `key=value` or `key`.
    ///
    /// Those that say nothing about names or types are left alone.
    pub fn follow_thriftgo<'p>(&mut self, parameters: impl IntoIterator<Item = &'p str>) {
        let mut initialisms = false;
        for parameter in parameters {
            let (key, value) = parameter.split_once('=').unwrap_or((parameter, ""));
            let on = value != "false";
            match key {
                // UPSTREAM: choosing a style switches initialisms off, unless an option switched them on before.
                "naming_style" => {
                    self.naming.style = NamingStyle::find(value).unwrap_or(self.naming.style);
                    self.naming.initialisms = initialisms;
                }
                "ignore_initialisms" => {
                    initialisms = !on;
                    self.naming.initialisms = initialisms;
                }
                "compatible_names" => self.naming.compatible_names = on,
                "gen_setter" => self.naming.setters = on,
                "gen_deep_equal" => self.naming.deep_equal = on,
                "keep_unknown_fields" => self.naming.unknown_fields = on,
                "value_type_in_container" => self.values_in_containers = on,
                "template" if value == "raw_struct" => self.arguments = false,
                _ => {}
            }
        }
    }

    /// The names of the methods, the one that the others call first.
    fn methods(&self) -> Vec<&'static str> {
        let valid = if self.avoid_name { "IsStructValid" } else { "IsValid" };
        match (self.validate, self.is_valid) {
            (true, true) => vec!["Validate", valid],
            (false, true) => vec![valid],
            (_, false) => vec!["Validate"],
        }
    }
}

/// The method that returns every broken rule.
const ALL: &str = "ValidateAll";

/// Generates Go for a program.
pub fn generate(input: Input<'_>, options: &GoOptions) -> Generated {
    let mut plan = Plan::of(input);
    let mut diagnostics = std::mem::take(&mut plan.diagnostics);
    let count = u32::try_from(input.program.files.len()).unwrap_or(u32::MAX);
    let names = GoNames::of(input.model, count, &options.naming);
    let mut context = Context {
        input,
        options,
        plan: &plan,
        names: &names,
        generated: BTreeSet::new(),
        methods: options.methods(),
    };
    let wanted = if options.recursive { count } else { count.min(1) };
    context.generated = context.with_methods(wanted);
    let mut files = Vec::new();
    let mut packages = BTreeSet::new();
    let places = Places::of(&context, wanted, &mut diagnostics);
    for (index, place) in places.all.iter().enumerate().take(wanted as usize) {
        let id = FileId(index as u32);
        let text = context.file(id, place, &mut diagnostics);
        files.push(GeneratedFile { path: places.validator(place), text });
        if packages.insert(place.directory.clone()) {
            files.push(GeneratedFile {
                path: places.error_file(place),
                text: support::error_file(place, options.application_exception.as_deref()),
            });
        }
    }
    Generated::new(files, diagnostics)
}

/// The folders that code for a program goes to, from the root of the output.
pub fn folders(program: &ThriftProgram) -> BTreeSet<String> {
    program.files.iter().map(|file| GoPackage::of(&file.path, &file.document).directory).collect()
}

/// Where thriftgo puts the code of each file, and what ours is called there: names of the program win, and so do those of
/// files that stand there already.
struct Places<'o> {
    all: Vec<GoPackage>,
    /// What else is in each folder.
    neighbours: BTreeMap<String, Neighbours<'o>>,
}

impl<'o> Places<'o> {
    fn of(context: &Context<'o>, wanted: u32, diagnostics: &mut Vec<Diagnostic>) -> Places<'o> {
        let input = context.input;
        let all: Vec<GoPackage> =
            input.program.files.iter().map(|file| GoPackage::of(&file.path, &file.document)).collect();
        let mut taken: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        let mut own: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        for (place, file) in all.iter().zip((0..).map(FileId)) {
            let names = context.names.package(input.model, file, &context.options.naming);
            taken.entry(place.directory.clone()).or_default().extend(names);
            own.entry(place.directory.clone()).or_default().insert(place.file_stem().to_lowercase());
        }
        let neighbours = own.iter().map(|(directory, own)| {
            let found = Neighbours::of(&context.options.neighbours, directory, own);
            (directory.clone(), found)
        });
        let mut places = Places { all, neighbours: neighbours.collect() };
        let written: BTreeSet<String> = places
            .all
            .iter()
            .take(wanted as usize)
            .flat_map(|place| [places.validator(place), places.error_file(place)])
            .collect();
        for (directory, found) in &mut places.neighbours {
            found.ours.retain(|(path, _)| !written.contains(*path));
            taken.entry(directory.clone()).or_default().append(&mut found.names);
        }
        for place in &mut places.all {
            let Some(taken) = taken.get(&place.directory) else { continue };
            let found = places.neighbours.get(&place.directory);
            place.name_ours(taken, found.map_or(&[], |found| &found.ours));
        }
        places.tell_apart(context, diagnostics);
        places
    }

    /// Says which files of other runs call helpers that are called otherwise now.
    fn tell_apart(&self, context: &Context<'_>, diagnostics: &mut Vec<Diagnostic>) {
        for (directory, found) in &self.neighbours {
            let mut files = self.all.iter().zip(&context.input.program.files);
            let Some((place, file)) = files.find(|(place, _)| place.directory == *directory) else {
                continue;
            };
            let namespace = file.document.headers.iter().find_map(|header| match header {
                Header::Namespace(it) => Some(it.name.span),
                _ => None,
            });
            let span = namespace.unwrap_or(file.document.span);
            for (path, _) in found.ours.iter().filter(|(_, prefix)| *prefix != place.prefix) {
                let message = format!(
                    "`{path}` knows helpers of the package by names that are taken now; they are called `{}...`",
                    place.prefix
                );
                let diagnostic = Code::GeneratedName.at(span, message);
                diagnostics.push(diagnostic.help("generate that file again"));
            }
        }
    }

    /// The path of our file for a file of the program.
    fn validator(&self, place: &GoPackage) -> String {
        self.beside(place, &format!("{}_validator", place.file_stem()))
    }

    /// The path of the file with the type of the error.
    fn error_file(&self, place: &GoPackage) -> String {
        let known = self.neighbours.get(&place.directory).and_then(|found| found.error_file);
        let stem = known.and_then(|path| path.rsplit('/').next()?.strip_suffix(".go"));
        self.beside(place, stem.unwrap_or("validation_error"))
    }

    /// The path of a file of ours, beside those that thriftgo writes and others. Names that differ only in case may be one file.
    fn beside(&self, place: &GoPackage, stem: &str) -> String {
        let mut stem = stem.to_owned();
        let found = self.neighbours.get(&place.directory);
        let taken = |stem: &str| {
            let is_of = |other: &GoPackage| {
                other.directory == place.directory && other.file_stem().eq_ignore_ascii_case(stem)
            };
            self.all.iter().any(is_of)
                || found.is_some_and(|found| found.stems.contains(&stem.to_lowercase()))
        };
        while taken(&stem) {
            stem.push('_');
        }
        match place.directory.as_str() {
            "" => format!("{stem}.go"),
            directory => format!("{directory}/{stem}.go"),
        }
    }
}

/// Where thriftgo puts the code of a file.
#[derive(Debug)]
struct GoPackage {
    directory: String,
    package: String,
    /// The name of the IDL file, without its ending.
    stem: String,
    /// What the names of helpers begin with.
    prefix: String,
    /// The type of the error.
    error: String,
}

impl GoPackage {
    /// What the names of helpers begin with, unless that is taken.
    const PREFIX: &str = "tendon";

    // UPSTREAM: `namespace go a.b.c` is the directory a/b/c and the package c; `namespace *` serves if there
    // is none for Go, and without either the name of the file does.
    fn of(path: &str, document: &IdlFile) -> GoPackage {
        let stem = path.rsplit('/').next().unwrap_or(path);
        let stem = stem.rsplit_once('.').map_or(stem, |(stem, _)| stem);
        let mut namespace = None;
        for header in &document.headers {
            if let Header::Namespace(it) = header {
                match it.scope.text.as_str() {
                    "go" => {
                        namespace = Some(it.name.text.as_str());
                        break;
                    }
                    "*" => namespace = Some(it.name.text.as_str()),
                    _ => {}
                }
            }
        }
        let lower = stem.to_lowercase();
        let namespace = namespace.unwrap_or(&lower);
        GoPackage {
            directory: namespace.replace('.', "/"),
            package: namespace.rsplit('.').next().unwrap_or(namespace).to_lowercase(),
            stem: stem.to_owned(),
            prefix: GoPackage::PREFIX.to_owned(),
            error: "ValidationError".to_owned(),
        }
    }

    /// Finds names for what is ours in a package; files of other runs may call its helpers.
    fn name_ours(&mut self, taken: &BTreeSet<String>, others: &[(&str, &str)]) {
        let is_free = |prefix: &str| !taken.iter().any(|name| name.starts_with(prefix));
        match others {
            [(_, known), ..] if is_free(known) => self.prefix = (*known).to_owned(),
            _ => {
                while !is_free(&self.prefix) {
                    self.prefix.push('_');
                }
            }
        }
        if taken.contains(&self.error) {
            self.error = "TendonValidationError".to_owned();
        }
        while taken.contains(&self.error) {
            self.error.push('_');
        }
    }

    /// A helper of the package.
    fn helper(&self, name: &str) -> String {
        format!("{}{name}", self.prefix)
    }

    /// The name of thriftgo's file, without `.go`.
    fn file_stem(&self) -> String {
        // Go reads a file that ends in `_test.go` only for tests, so thriftgo puts an underscore behind it.
        let guard = if self.stem.ends_with("_test") { "_" } else { "" };
        format!("{}{guard}", self.stem)
    }

    /// What makes the names of helpers unique within the package, whose files may be generated one by one: two
    /// files never have the same.
    fn tag(&self) -> String {
        let is_plain = |c: char| c.is_ascii_alphanumeric() || c == '_';
        if self.stem.chars().all(is_plain) && !self.stem.starts_with('_') {
            return format!("_{}", self.stem);
        }
        let digits: String = self.stem.bytes().map(|byte| format!("{byte:02x}")).collect();
        format!("__{digits}")
    }
}

/// What the code of every struct needs to know.
struct Context<'a> {
    input: Input<'a>,
    options: &'a GoOptions,
    plan: &'a Plan<'a>,
    names: &'a GoNames,
    /// The structs that get methods in this run.
    generated: BTreeSet<StructId>,
    methods: Vec<&'static str>,
}

impl Context<'_> {
    fn with_methods(&self, files: u32) -> BTreeSet<StructId> {
        let model = self.input.model;
        self.plan
            .structs
            .iter()
            .filter(|plan| {
                let it = &model[plan.id];
                it.file.0 < files
                    && match it.role {
                        StructRole::Struct | StructRole::Union | StructRole::Exception => true,
                        StructRole::Arguments | StructRole::Result => self.options.arguments && plan.busy,
                    }
            })
            .map(|plan| plan.id)
            .collect()
    }

    /// The name of a method on a struct, which may have a field that is in the way.
    fn method(&self, id: StructId, name: &str) -> String {
        let mut method = name.to_owned();
        if self.names.has_field(id, &method) {
            method.push_str("Struct");
        }
        while self.names.has_field(id, &method) {
            method.push('_');
        }
        method
    }

    /// Whether a struct has methods that only its package sees, and that package is ours.
    fn is_near(&self, id: StructId, place: &GoPackage) -> bool {
        let file = self.input.program.files.get(self.input.model[id].file.0 as usize);
        self.generated.contains(&id)
            && file.is_some_and(|file| GoPackage::of(&file.path, &file.document).directory == place.directory)
    }

    /// The name of the method that other methods call.
    fn main_method(&self, id: StructId) -> String {
        self.method(id, self.methods.first().copied().unwrap_or("Validate"))
    }

    fn file(&self, id: FileId, place: &GoPackage, diagnostics: &mut Vec<Diagnostic>) -> String {
        let mut parts = Parts::default();
        let mut methods = Lines::new("\t");
        let here = |plan: &&StructPlan<'_>| plan.it.file == id && self.generated.contains(&plan.id);
        let mut plans: Vec<&StructPlan<'_>> = self.plan.structs.iter().filter(here).collect();
        // thriftgo keeps each kind apart, and so a plugin sees them.
        plans.sort_by_key(|plan| plan.it.role as u8);
        for plan in plans {
            let all = self.options.validate_all.then_some(&ALL);
            for name in self.methods.iter().chain(all) {
                if self.names.has_field(plan.id, name) {
                    let message = format!(
                        "`{}` has a field `{name}`, which is in the way of a method",
                        plan.it.name.text
                    );
                    let diagnostic = Code::GeneratedName.at(plan.it.name.span, message);
                    let method = self.method(plan.id, name);
                    diagnostics.push(diagnostic.help(format!("the method is called `{method}`")));
                }
            }
            let mut body = Body::new(self, plan, place, &mut parts, diagnostics);
            methods.raw(&body.methods());
        }
        parts.put_together(place, &methods.finish())
    }
}

/// What the methods of a file need around them.
#[derive(Default)]
struct Parts {
    imports: BTreeSet<String>,
    helpers: BTreeSet<Helper>,
    /// Package-level variables, with their names and their values.
    variables: Vec<(String, String)>,
}

impl Parts {
    /// A package-level variable with a value; equal values share one.
    fn variable(&mut self, place: &GoPackage, kind: &str, value: String) -> String {
        if let Some((name, _)) = self.variables.iter().find(|(_, known)| *known == value) {
            return name.clone();
        }
        let name = place.helper(&format!("{kind}{}_{}", place.tag(), self.variables.len() + 1));
        self.variables.push((name.clone(), value));
        name
    }

    fn import(&mut self, path: &str) {
        self.imports.insert(path.to_owned());
    }

    fn helper(&mut self, helper: Helper, place: &GoPackage) -> String {
        self.helpers.insert(helper);
        self.imports.extend(helper.imports().iter().map(|path| (*path).to_owned()));
        helper.name(place)
    }

    fn put_together(&self, place: &GoPackage, methods: &str) -> String {
        let mut out = format!("{HEADER}\npackage {}\n", place.package);
        let mut code = methods.to_owned();
        self.variables.iter().for_each(|(_, value)| code.push_str(value));
        self.helpers.iter().for_each(|helper| code.push_str(&helper.text(place)));
        // A rule that turned out to ask for nothing needs nothing.
        let is_used = |path: &&String| scan::uses(&code, &import_name(path).0);
        let spec = |path: &str| match import_name(path) {
            (name, true) => format!("{name} \"{path}\""),
            (_, false) => format!("\"{path}\""),
        };
        let imports: Vec<&String> = self.imports.iter().filter(is_used).collect();
        match imports.as_slice() {
            [] => {}
            [only] => out.push_str(&format!("\nimport {}\n", spec(only))),
            several => {
                out.push_str("\nimport (\n");
                let (standard, others): (Vec<&String>, Vec<&String>) = several
                    .iter()
                    .copied()
                    .partition(|path| !path.split('/').next().is_some_and(|host| host.contains('.')));
                standard.iter().for_each(|path| out.push_str(&format!("\t{}\n", spec(path))));
                if !standard.is_empty() && !others.is_empty() {
                    out.push('\n');
                }
                others.iter().for_each(|path| out.push_str(&format!("\t{}\n", spec(path))));
                out.push_str(")\n");
            }
        }
        for (name, value) in &self.variables {
            out.push_str(&format!("\nvar {name} = {value}\n"));
        }
        out.push_str(methods);
        for helper in &self.helpers {
            out.push('\n');
            out.push_str(&helper.text(place));
        }
        out
    }
}

/// The packages of the library that methods call.
const LIBRARY: &[&str] = &["bytes", "fmt", "math", "regexp", "strconv", "strings", "time", "unicode/utf8"];

/// The name that a package is called by, and whether it must be given it: variables of ours hide packages of the same name, and
/// the last part of a path need not be a name.
fn import_name(path: &str) -> (String, bool) {
    let name = path.rsplit('/').next().unwrap_or(path);
    if LIBRARY.contains(&path) {
        return (name.to_owned(), false);
    }
    let is_name = name.starts_with(|c: char| c.is_ascii_alphabetic())
        && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    let versioned = name.strip_prefix('v').is_some_and(|rest| rest.chars().all(|c| c.is_ascii_digit()));
    let temporary = name.starts_with(['t', 'i', 'e', 'j', 'f', 'k', 'v', 'w'])
        && name.trim_end_matches(|c: char| c.is_ascii_digit()).len() < name.len();
    let ours = matches!(name, "p" | "err" | "errs" | "now" | "ok" | "v")
        || LIBRARY.iter().any(|known| known.rsplit('/').next() == Some(name))
        || PREDECLARED.contains(&name);
    match is_name && !versioned && !temporary && !ours {
        true => (name.to_owned(), false),
        false => {
            let letters: String =
                path.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
            (format!("tendon_{letters}"), true)
        }
    }
}

/// Names of the language that methods use.
const PREDECLARED: &[&str] = &[
    "append", "bool", "byte", "error", "false", "float64", "int", "int32", "int64", "len", "make", "nil",
    "string", "true",
];

/// A Go string literal.
fn quoted(text: &[u8]) -> String {
    let mut out = String::from("\"");
    for chunk in text.utf8_chunks() {
        for c in chunk.valid().chars() {
            match c {
                '"' | '\\' | '\n' | '\r' | '\t' => out.extend(c.escape_default()),
                c if c.is_control() || c == '\u{feff}' || (!c.is_ascii() && c.is_whitespace()) => {
                    out.push_str(&format!("\\u{:04x}", c as u32));
                }
                c => out.push(c),
            }
        }
        chunk.invalid().iter().for_each(|byte| out.push_str(&format!("\\x{byte:02x}")));
    }
    out.push('"');
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_of_a_package_share_no_name_of_a_helper() {
        let stems = [
            "foo_bar", "fooBar", "foo-bar", "foo.bar", "foo__bar", "_foo_bar", "foo", "foo1", "foo_1",
            "foo-1", "1", "_1", "bar", "Bar", "666f6f", "_666f6f", "\u{f6}", "foo bar",
        ];
        let mut seen = BTreeSet::new();
        for stem in stems {
            let place = GoPackage {
                directory: "shop".to_owned(),
                package: "shop".to_owned(),
                stem: stem.to_owned(),
                prefix: "tendon".to_owned(),
                error: "ValidationError".to_owned(),
            };
            let mut names = vec![place.helper(&format!("Div{}", place.tag()))];
            let mut parts = Parts::default();
            names.extend((0..12).map(|value| parts.variable(&place, "Pattern", value.to_string())));
            for name in names {
                assert!(name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_'), "{name}");
                assert!(seen.insert(name.clone()), "{stem}: {name}");
            }
        }
    }
}
