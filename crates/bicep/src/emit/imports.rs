//! What a template takes over from other files, and the names that these things get in it.
//!
//! Importing a symbol brings all that it needs. What is imported by name keeps that name; all else is called
//! `_<n>.<name>`, with a number for each file. The order of everything depends on names alone, so that the same program
//! always gives the same template.

use std::borrow::Cow;
use std::collections::VecDeque;

use rustc_hash::{FxHashMap, FxHashSet};
use smol_str::SmolStr;
use syntax::spelling::is_identifier;

use super::armsource;
use super::collation;
use super::unit::{Unit, hoist_name};
use crate::symbols::{ExportKind, Imported, Model, ModuleTarget, SymbolId, SymbolKind, TemplateModel};
use crate::world::{FilePath, Reference};

/// The namespace of functions that have no other.
const OWN_NAMESPACE: &str = "__bicep";

/// Something that a template takes over.
#[derive(Clone, Debug)]
pub(crate) struct TemplateImport<'u> {
    /// Its name in the template.
    pub(crate) name: String,
    /// The file it comes from.
    pub(crate) source: SmolStr,
    /// The name by which the other file exports it.
    pub(crate) original: SmolStr,
    pub(crate) what: ImportSource<'u>,
}

/// Where something that is taken over is declared.
#[derive(Clone, Copy, Debug)]
pub(crate) enum ImportSource<'u> {
    Symbol(&'u Model, SymbolId),
    /// In a program, as the result of a call.
    Hoist(&'u Model, usize),
    Template(&'u TemplateModel, ExportKind),
}

/// The names that the symbols of all files have in a template.
#[derive(Debug, Default)]
pub(crate) struct SymbolNames<'u> {
    symbols: FxHashMap<(usize, SymbolId), String>,
    wildcards: FxHashMap<(usize, SymbolId, SmolStr), String>,
    hoists: FxHashMap<(usize, usize), String>,
    /// Names of things in templates, by template, kind and the name there in small letters.
    templates: FxHashMap<(usize, ExportKind, String), String>,
    /// All that is taken over, sorted by name.
    pub(crate) items: Vec<TemplateImport<'u>>,
}

fn key<T>(model: &T) -> usize {
    std::ptr::from_ref(model) as usize
}

impl<'u> SymbolNames<'u> {
    /// The name of a symbol in the template.
    pub(crate) fn symbol<'n>(&'n self, model: &'n Model, symbol: SymbolId) -> &'n str {
        self.symbols
            .get(&(key(model), symbol))
            .map_or_else(|| model.symbol(symbol).name.as_str(), String::as_str)
    }

    /// The name of a member of an `import * as` symbol.
    pub(crate) fn wildcard<'n>(&'n self, model: &Model, symbol: SymbolId, member: &'n str) -> &'n str {
        self.wildcards.get(&(key(model), symbol, member.into())).map_or(member, String::as_str)
    }

    /// The name of the variable for a call's result, where it is not the usual one.
    pub(crate) fn hoist(&self, model: &Model, number: usize) -> Option<&str> {
        self.hoists.get(&(key(model), number)).map(String::as_str)
    }

    /// A function with its namespace.
    pub(crate) fn function(&self, model: &Model, symbol: SymbolId) -> Cow<'_, str> {
        qualified(self.symbol_owned(model, symbol))
    }

    fn symbol_owned(&self, model: &Model, symbol: SymbolId) -> Cow<'_, str> {
        match self.symbols.get(&(key(model), symbol)) {
            Some(name) => name.as_str().into(),
            None => Cow::Owned(model.symbol(symbol).name.to_string()),
        }
    }

    /// A function of an `import * as` symbol with its namespace.
    pub(crate) fn wildcard_function(&self, model: &Model, symbol: SymbolId, member: &str) -> Cow<'_, str> {
        qualified(match self.wildcards.get(&(key(model), symbol, member.into())) {
            Some(name) => name.as_str().into(),
            None => Cow::Owned(member.to_owned()),
        })
    }

    /// The name that something in a template has in this one.
    pub(crate) fn template(&self, template: &TemplateModel, kind: ExportKind, name: &str) -> Option<&str> {
        self.templates.get(&(key(template), kind, name.to_ascii_lowercase())).map(String::as_str)
    }
}

fn qualified(name: Cow<'_, str>) -> Cow<'_, str> {
    if name.contains('.') { name } else { format!("{OWN_NAMESPACE}.{name}").into() }
}

/// Splits the name of a function into its namespace and the rest.
pub(crate) fn split_function(name: &str) -> (&str, &str) {
    name.split_once('.').unwrap_or((OWN_NAMESPACE, name))
}

/// The programs that a program imports from, directly or through others.
pub(crate) fn imported_models(main: &Model) -> Vec<&Model> {
    let mut found: Vec<&Model> = Vec::new();
    let mut seen = FxHashSet::default();
    let mut open = vec![main];
    while let Some(model) = open.pop() {
        let wildcards =
            model.declarations.wildcards.iter().filter_map(|symbol| model.wildcard_source(*symbol));
        let items = model
            .declarations
            .imported
            .iter()
            .filter_map(|symbol| model.imported_item(*symbol).map(|(_, it)| it));
        for imported in wildcards.chain(items) {
            if let Ok(ModuleTarget::Bicep(target)) = &imported.target
                && seen.insert(key(&**target))
            {
                found.push(target);
                open.push(target);
            }
        }
    }
    found
}

/// Works out what a program takes over, and the names of it all.
pub(crate) fn names<'u>(main: &'u Model, units: &'u [Unit<'u>]) -> SymbolNames<'u> {
    let mut closure = Closure {
        main: &main.file.path,
        units: units.iter().map(|unit| (key(unit.model), unit)).collect(),
        found: Vec::new(),
        known: FxHashMap::default(),
        by_import: Vec::new(),
        by_wildcard: Vec::new(),
        open: VecDeque::new(),
    };
    for symbol in &main.declarations.imported {
        closure.import(main, *symbol);
    }
    for symbol in &main.declarations.wildcards {
        closure.wildcard(main, *symbol);
    }
    closure.run();
    closure.name(main)
}

struct Closure<'u> {
    main: &'u FilePath,
    /// The files that are imported from, by their models.
    units: FxHashMap<usize, &'u Unit<'u>>,
    found: Vec<TemplateImport<'u>>,
    known: FxHashMap<(SmolStr, SmolStr), usize>,
    by_import: Vec<(usize, SymbolId, usize)>,
    by_wildcard: Vec<(usize, SymbolId, SmolStr, usize)>,
    open: VecDeque<usize>,
}

impl<'u> Closure<'u> {
    fn add(&mut self, source: SmolStr, original: SmolStr, what: ImportSource<'u>) -> usize {
        let place = self.found.len();
        let known = *self.known.entry((source.clone(), original.clone())).or_insert(place);
        if known == place {
            self.found.push(TemplateImport { name: String::new(), source, original, what });
            self.open.push_back(place);
        }
        known
    }

    fn source_id(&self, imported: &Imported, target: &ModuleTarget) -> SmolStr {
        match &imported.reference {
            Some(Reference::Local(_)) | None => target.path().relative_to(self.main).into(),
            Some(reference) => reference.full_name().into(),
        }
    }

    /// Follows an item of an import list.
    fn import(&mut self, model: &'u Model, symbol: SymbolId) {
        let Some((item, imported)) = model.imported_item(symbol) else { return };
        if let Ok(target) = &imported.target
            && let Some(place) = self.export(imported, target, &item.original, item.kind)
        {
            self.by_import.push((key(model), symbol, place));
        }
    }

    /// Follows all that an `import * as` brings.
    fn wildcard(&mut self, model: &'u Model, symbol: SymbolId) {
        let Some(imported) = model.wildcard_source(symbol) else { return };
        let Ok(target) = &imported.target else { return };
        let exports: Vec<(SmolStr, ExportKind)> = match target {
            ModuleTarget::Bicep(model) => model.exports().map(|export| (export.name, export.kind)).collect(),
            ModuleTarget::Template(template) => {
                template.exports().map(|(name, kind)| (name.into(), kind)).collect()
            }
        };
        for (name, kind) in exports {
            if let Some(place) = self.export(imported, target, &name, kind) {
                self.by_wildcard.push((key(model), symbol, name, place));
            }
        }
    }

    fn export(
        &mut self,
        imported: &Imported,
        target: &'u ModuleTarget,
        name: &str,
        kind: ExportKind,
    ) -> Option<usize> {
        let source = self.source_id(imported, target);
        match target {
            ModuleTarget::Bicep(model) => {
                let symbol = model.export(name)?.symbol;
                Some(self.add(source, name.into(), ImportSource::Symbol(model, symbol)))
            }
            ModuleTarget::Template(template) => {
                let identifier = armsource::identifier(kind, name);
                Some(self.add(
                    source,
                    armsource::original_name(kind, &identifier).into(),
                    ImportSource::Template(template, kind),
                ))
            }
        }
    }

    fn run(&mut self) {
        let mut imports_seen = FxHashSet::default();
        while let Some(place) = self.open.pop_front() {
            let Some(item) = self.found.get(place).cloned() else { continue };
            match item.what {
                ImportSource::Symbol(model, symbol) => {
                    self.follow(model, symbol, &item.source, &mut imports_seen)
                }
                ImportSource::Template(template, kind) => {
                    let identifier = armsource::identifier(kind, &item.original);
                    for (kind, identifier) in armsource::references(template, kind, &identifier) {
                        let original = armsource::original_name(kind, &identifier).into();
                        self.add(item.source.clone(), original, ImportSource::Template(template, kind));
                    }
                }
                ImportSource::Hoist(..) => {}
            }
        }
    }

    fn follow(
        &mut self,
        model: &'u Model,
        symbol: SymbolId,
        source: &SmolStr,
        seen: &mut FxHashSet<(usize, SymbolId)>,
    ) {
        let node = model.node_of(symbol);
        for mentioned in model.mentions(node) {
            match model.symbol(mentioned).kind {
                SymbolKind::Type | SymbolKind::Variable | SymbolKind::Function => {
                    let name = model.symbol(mentioned).name.clone();
                    self.add(source.clone(), name, ImportSource::Symbol(model, mentioned));
                }
                SymbolKind::Imported(_) if seen.insert((key(model), mentioned)) => {
                    self.import(model, mentioned)
                }
                SymbolKind::WildcardImport if seen.insert((key(model), mentioned)) => {
                    self.wildcard(model, mentioned)
                }
                _ => {}
            }
        }
        let Some(unit) = self.units.get(&key(model)) else { return };
        for (number, call) in unit.hoists.iter().enumerate() {
            if node.span().encloses(model.file.node(*call).span()) {
                self.add(source.clone(), hoist_name(number).into(), ImportSource::Hoist(model, number));
            }
        }
    }

    /// Gives everything its name.
    fn name(mut self, main: &'u Model) -> SymbolNames<'u> {
        for (model, symbol, place) in &self.by_import {
            if *model == key(main)
                && let Some(item) = self.found.get_mut(*place)
            {
                item.name = main.symbol(*symbol).name.to_string();
            }
        }
        let mut order: Vec<usize> = (0..self.found.len()).collect();
        let sort_key =
            |place: &usize| self.found.get(*place).map(|item| format!("{}_{}", item.source, item.original));
        let keys: Vec<Option<String>> = order.iter().map(sort_key).collect();
        let key_at = |place: usize| keys.get(place).and_then(Option::as_deref).unwrap_or_default();
        order.sort_by(|a, b| collation::compare(key_at(*a), key_at(*b)));
        let mut next = 1;
        let mut files: FxHashMap<SmolStr, usize> = FxHashMap::default();
        for place in order {
            let Some(item) = self.found.get_mut(place) else { continue };
            if !item.name.is_empty() {
                continue;
            }
            let file = *files.entry(item.source.clone()).or_insert_with(|| {
                next += 1;
                next - 1
            });
            item.name = if is_identifier(&item.original) {
                format!("_{file}.{}", item.original)
            } else {
                next += 1;
                format!("_{file}._{}", next - 1)
            };
        }
        let mut names = SymbolNames::default();
        let name_at = |place: usize| self.found.get(place).map(|item| item.name.clone()).unwrap_or_default();
        names.symbols = self
            .by_import
            .iter()
            .map(|(model, symbol, place)| ((*model, *symbol), name_at(*place)))
            .collect();
        names.wildcards = self
            .by_wildcard
            .iter()
            .map(|(model, symbol, name, place)| ((*model, *symbol, name.clone()), name_at(*place)))
            .collect();
        for item in &self.found {
            match item.what {
                ImportSource::Symbol(model, symbol) => {
                    drop(names.symbols.insert((key(model), symbol), item.name.clone()))
                }
                ImportSource::Hoist(model, number) => {
                    drop(names.hoists.insert((key(model), number), item.name.clone()))
                }
                ImportSource::Template(template, kind) => {
                    let identifier = armsource::identifier(kind, &item.original).to_ascii_lowercase();
                    names.templates.insert((key(template), kind, identifier), item.name.clone());
                }
            }
        }
        names.items = self.found;
        names.items.sort_by(|a, b| collation::compare(&a.name, &b.name));
        names
    }
}
