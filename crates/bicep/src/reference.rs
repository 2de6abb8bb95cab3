//! The reference of functions and decorators, made from their rows: `docs/functions.md` and `tendon functions`.

pub use crate::types::Count;
pub use crate::types::EvaluationPhase;

use std::fmt::Write as _;

use crate::decorators::{self, Decorator, Refines, Requires, Writes};
use crate::functions::{self, Availability, Becomes, FAMILIES, Files, Function, Purity};
use crate::language::Dialect;
use crate::types::{BuiltIn, FunctionFlags as F, ParameterRow, Scopes, Ty};

/// What the reference says about a function or decorator.
#[derive(Clone, Debug)]
pub struct ReferenceEntry {
    /// The name; that of a decorator begins with `@`.
    pub name: String,
    /// The namespace it belongs to.
    pub namespace: &'static str,
    /// What it has to do with.
    pub family: &'static str,
    /// What it does, in one sentence.
    pub doc: &'static str,
    /// The ways to call it.
    pub calls: Vec<EntryCall>,
    /// Where it can be used and what holds there, in sentences; nothing if it can be used everywhere.
    pub notes: Vec<String>,
    /// What it becomes in the template, as the end of a sentence.
    pub becomes: String,
    /// Whether the result is known while compiling when the arguments are.
    pub folds: bool,
}

/// One way to call a function or decorator.
#[derive(Clone, Debug)]
pub struct EntryCall {
    /// The parameters in the order of the arguments.
    pub parameters: Vec<EntryParameter>,
    /// The type of the result; decorators have none.
    pub result: Option<String>,
    /// The target scopes of the files that can call it so; nothing if all can.
    pub scopes: Vec<&'static str>,
}

/// A parameter of a function or decorator.
#[derive(Clone, Debug)]
pub struct EntryParameter {
    /// The name in the signature, by which messages refer to it.
    pub name: &'static str,
    /// The type of the argument.
    pub ty: String,
    /// How many arguments it stands for.
    pub count: Count,
    /// When the argument must be known.
    pub known: EvaluationPhase,
}

impl ReferenceEntry {
    fn function(function: &'static Function, family: &'static str) -> ReferenceEntry {
        let calls = function.overloads.iter().map(|overload| EntryCall {
            parameters: overload.parameters.iter().map(EntryParameter::new).collect(),
            result: Some(type_name(&overload.result())),
            scopes: if overload.scopes == Scopes::all() {
                Vec::new()
            } else {
                overload.scopes.names().collect()
            },
        });
        ReferenceEntry {
            name: function.name.to_owned(),
            namespace: function.namespace.name(),
            family,
            doc: function.doc,
            calls: calls.collect(),
            notes: function_notes(function),
            becomes: function_becomes(function),
            folds: function.overloads.iter().any(|overload| overload.folds),
        }
    }

    fn decorator(decorator: &'static Decorator) -> ReferenceEntry {
        let parameters = decorator.parameters.iter().map(EntryParameter::new).collect();
        ReferenceEntry {
            name: format!("@{}", decorator.name),
            namespace: BuiltIn::Sys.name(),
            family: decorator.family.title(),
            doc: decorator.doc,
            calls: vec![EntryCall { parameters, result: None, scopes: Vec::new() }],
            notes: decorator_notes(decorator),
            becomes: decorator_becomes(decorator),
            folds: false,
        }
    }

    /// The ways to call it, as code.
    pub fn signatures(&self) -> impl Iterator<Item = String> {
        self.calls.iter().map(|call| {
            let parameters: Vec<String> = call.parameters.iter().map(EntryParameter::text).collect();
            let mut text = format!("{}({})", self.name, parameters.join(", "));
            if let Some(result) = &call.result {
                text.push_str(": ");
                text.push_str(result);
            }
            if !call.scopes.is_empty() {
                text.push_str("  // ");
                text.push_str(&call.scopes.join(", "));
            }
            text
        })
    }

    /// All that is to say about it, as Markdown.
    #[must_use]
    pub fn page(&self) -> String {
        let mut text = format!("{}\n\n```bicep\n", self.doc);
        for signature in self.signatures() {
            text.push_str(&signature);
            text.push('\n');
        }
        text.push_str("```\n");
        text.push('\n');
        for fact in self.facts() {
            _ = writeln!(text, "- {fact}");
        }
        text
    }

    /// Where it can be used, what holds there and what becomes of it, in sentences.
    pub fn facts(&self) -> impl Iterator<Item = String> {
        let folds = self.folds.then(|| {
            "Where all arguments are constants, the compiler knows the result, and arguments that the function rejects are an error."
                .to_owned()
        });
        let becomes = format!("In the template: {}.", self.becomes);
        self.notes.iter().cloned().chain(folds).chain([becomes])
    }
}

impl EntryParameter {
    fn new(parameter: &ParameterRow) -> EntryParameter {
        EntryParameter {
            name: parameter.name,
            ty: type_name(&parameter.ty()),
            count: parameter.count,
            known: parameter.known,
        }
    }

    fn text(&self) -> String {
        let EntryParameter { name, ty, .. } = self;
        match self.count {
            Count::One => format!("{name}: {ty}"),
            Count::Optional => format!("{name}?: {ty}"),
            Count::AtLeast(_) => format!("...{name}: {ty}"),
        }
    }
}

/// The name of a type; one without values has none.
fn type_name(ty: &Ty) -> String {
    let name = ty.to_string();
    if name.is_empty() { "never".to_owned() } else { name }
}

fn function_notes(function: &Function) -> Vec<String> {
    let mut notes = Vec::new();
    match function.files {
        Files::All => {}
        Files::Programs => notes.push("Only `.bicep` files have it.".to_owned()),
        Files::Parameters => notes.push("Only `.bicepparam` files have it.".to_owned()),
    }
    notes.extend(when_note(function.when));
    let places = [
        (F::PARAM_DEFAULTS_ONLY, "Only in the default value of a parameter."),
        (
            F::REQUIRES_INLINING,
            "Only in resources, modules, variables, outputs and functions, because it needs the deployment.",
        ),
        (F::DIRECT_ASSIGNMENT, "Only as the whole value of a parameter or of a setting of an extension."),
    ];
    notes.extend(
        places.iter().filter(|(flag, _)| function.flags.contains(*flag)).map(|(_, note)| (*note).to_owned()),
    );
    let parameters = function.overloads.iter().flat_map(|overload| overload.parameters);
    notes.extend(known_notes(parameters.map(|parameter| (parameter.name, parameter.known))));
    match function.purity {
        Purity::Pure => {}
        Purity::WithScope(count) => notes.push(format!(
            "Depends on the deployment, unless the {} before the type {}.",
            if count == 1 { "argument" } else { "two arguments" },
            if count == 1 { "names the scope" } else { "name subscription and resource group" },
        )),
        Purity::Impure => {}
    }
    notes
}

fn function_becomes(function: &Function) -> String {
    let hoisted = if function.flags.contains(F::HOIST_ALWAYS) {
        ", in a variable of its own"
    } else if function.flags.contains(F::HOIST_INDIRECT) {
        ", in a variable of its own unless it is the value of one"
    } else {
        ""
    };
    match function.becomes {
        Becomes::Call => format!("a call of `{}`", function.name),
        Becomes::Argument => "the argument".to_owned(),
        Becomes::Loaded => format!("what was read while compiling{hoisted}"),
        Becomes::Value(_, text) | Becomes::Expression(_, text) => text.to_owned(),
        Becomes::Input(kind) => format!("a call of `externalInput('{kind}', ...)`"),
        Becomes::SecretReference => "a `reference` to the vault and the secret".to_owned(),
    }
}

fn decorator_notes(decorator: &Decorator) -> Vec<String> {
    let targets = [
        (F::PARAMETER_DECORATOR, "parameters"),
        (F::OUTPUT_DECORATOR, "outputs"),
        (F::TYPE_DECORATOR, "types (also their properties and items)"),
        (F::VARIABLE_DECORATOR, "variables"),
        (F::FUNCTION_DECORATOR, "functions"),
        (F::RESOURCE_DECORATOR, "resources"),
        (F::MODULE_DECORATOR, "modules"),
        (F::EXTENSION_DECORATOR, "extensions"),
        (F::METADATA_DECORATOR, "metadata"),
    ];
    let targets: Vec<&str> = targets
        .iter()
        .filter(|(flag, _)| decorator.targets(Dialect::Tendon).contains(*flag))
        .map(|(_, name)| *name)
        .collect();
    let mut notes = vec![format!("On {}.", listed(&targets))];
    if decorator.attaches.is_some() {
        notes.push(format!("The type must be `{}`.", decorator.attachable()));
    }
    match decorator.files {
        Files::All => notes.push("Also in `.bicepparam` files.".to_owned()),
        Files::Programs => {}
        Files::Parameters => notes.push("Only `.bicepparam` files have it.".to_owned()),
    }
    notes.extend(when_note(decorator.when));
    let signature = decorator.signature(Dialect::Tendon);
    let parameters = signature.parameters.iter();
    notes.extend(known_notes(parameters.map(|parameter| (parameter.name.as_str(), parameter.known))));
    let refines = match decorator.refines {
        Refines::Nothing => None,
        Refines::Values => Some("Other values are an error while compiling, where they are known."),
        Refines::Discriminator => Some("Access to the members of the union is checked by that property."),
        Refines::Bound => Some("The bound is part of the type: what breaks it is an error while compiling."),
        Refines::Sealed => Some("Properties that the type does not have are errors, not warnings."),
        Refines::Secret => Some("What is computed from the value is a secret, too."),
        Refines::Missing => Some("The type of the resource becomes nullable."),
    };
    notes.extend(refines.map(str::to_owned));
    match decorator.requires(Dialect::Tendon) {
        Requires::Nothing => {}
        Requires::SymbolicNames => notes.push("The template gets symbolic names.".to_owned()),
        Requires::ExperimentalEngine => {
            notes.push("The template needs an experimental deployment engine.".to_owned());
        }
    }
    notes
}

fn decorator_becomes(decorator: &Decorator) -> String {
    match decorator.writes {
        Writes::Elsewhere(text) | Writes::Part(text, _) => text.to_owned(),
        Writes::Member(name, _) => format!("the member `{name}`"),
        Writes::Options => format!("`{}` in `@options`, with the arguments as an array", decorator.name),
        Writes::Method(method) => format!("`\"method\": \"{method}\"`"),
    }
}

fn when_note(when: Availability) -> Option<String> {
    match when {
        Availability::Always | Availability::Proposed(_) => None,
        Availability::With(feature) => Some(format!("Needs the experimental feature `{}`.", feature.name())),
        Availability::Without(feature) => {
            Some(format!("Not there when the experimental feature `{}` is on.", feature.name()))
        }
    }
}

fn known_notes<'p>(parameters: impl Iterator<Item = (&'p str, EvaluationPhase)>) -> Vec<String> {
    let early = parameters.filter_map(|(name, known)| match known {
        EvaluationPhase::Late => None,
        EvaluationPhase::AtStart => Some(format!("`{name}` must be known when the deployment starts.")),
        EvaluationPhase::Compiling => Some(format!("`{name}` must be a constant.")),
    });
    let mut notes: Vec<String> = early.collect();
    notes.dedup();
    notes
}

fn listed(words: &[&str]) -> String {
    match words {
        [] => String::new(),
        [only] => (*only).to_owned(),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
}

/// All functions by family, and then all decorators.
#[must_use]
pub fn entries() -> Vec<ReferenceEntry> {
    let mut all = Vec::new();
    for (_, title, functions) in FAMILIES {
        let mut functions: Vec<&'static Function> = functions.iter().collect();
        functions.sort_unstable_by_key(|function| function.name.to_ascii_lowercase());
        all.extend(functions.into_iter().map(|function| ReferenceEntry::function(function, title)));
    }
    for family in decorators::Family::ALL {
        let mut own: Vec<&'static Decorator> =
            decorators::all().filter(|decorator| decorator.family == family).collect();
        own.sort_unstable_by_key(|decorator| decorator.name.to_ascii_lowercase());
        all.extend(own.into_iter().map(ReferenceEntry::decorator));
    }
    all
}

/// What the reference says under a name: a function, with its namespace or without, or a decorator, with `@` or without.
#[must_use]
pub fn entry(name: &str) -> Option<ReferenceEntry> {
    let bare = name.trim_start_matches('@');
    let (namespaces, plain) = match bare.split_once('.') {
        Some((space, plain)) => {
            (BuiltIn::ALL.into_iter().filter(|known| known.name() == space).collect(), plain)
        }
        None => (BuiltIn::ALL.to_vec(), bare),
    };
    let is_decorator = name.starts_with('@');
    let function =
        namespaces.iter().find_map(|space| functions::find(*space, plain)).filter(|_| !is_decorator);
    let decorator = || {
        let known = namespaces.contains(&BuiltIn::Sys).then(|| decorators::find(plain)).flatten();
        known.map(ReferenceEntry::decorator)
    };
    let title = |function: &'static Function| {
        let own = FAMILIES.iter().find(|(family, ..)| *family == function.family);
        ReferenceEntry::function(function, own.map_or("", |(_, title, _)| title))
    };
    function.map(title).or_else(decorator)
}

/// Tells whether a name is a function of templates that Bicep has a syntax for.
#[must_use]
pub fn has_syntax(name: &str) -> bool {
    functions::banned(name).is_some()
}

/// The page with all functions and decorators.
#[must_use]
pub fn page() -> String {
    let all = entries();
    let mut text = String::from(
        "# Functions and decorators\n\n\
         What a Bicep file can call without declaring it. This page is made from the rows in `crates/bicep/src/functions` and \
         `crates/bicep/src/decorators`; `tendon functions NAME` prints a part of it.\n\n\
         A parameter with `?` may be left out, one with `...` stands for any number of arguments. After `//` are the target \
         scopes of the files that can call a function this way. `sys.` or `az.` before a name says which namespace is meant where a \
         declaration has the same name.\n",
    );
    let mut family = "";
    for entry in &all {
        if entry.family != family {
            family = entry.family;
            _ = write!(text, "\n## {family}\n");
        }
        _ = write!(text, "\n### `{}`\n\n{}", entry.name, entry.page());
    }
    text
}
