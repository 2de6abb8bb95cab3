//! What a template takes over from other files: the imports, and the files that they are from.

use std::collections::BTreeMap;

use arm::expression::Expression;
use rustc_hash::{FxHashMap, FxHashSet};
use smol_str::SmolStr;

use crate::code::{checked, formatted, quoted};
use crate::converter::Converter;
use crate::json::Json;
use crate::names::{NameKind, declared, escape};
use crate::output::relative;
use crate::problem::{DecompileError, Result, Under as _};

/// The namespace of functions that have no other.
const OWN_NAMESPACE: &str = "__bicep";

/// Something that is taken over.
#[derive(Clone, Debug)]
struct DecompiledImport {
    /// Its name in the template, with the namespace of a function.
    key: SmolStr,
    is_type: bool,
    /// The name that it is imported by; none if it is only needed by others.
    name: Option<String>,
    source: String,
    original: String,
    declaration: Json,
}

/// The file that a declaration is from.
pub(crate) fn source_of(declaration: &Json) -> Option<&str> {
    declaration.at(&["metadata", "__bicep_imported_from!", "sourceTemplate"]).and_then(Json::as_str)
}

/// How many folders up the path of a file leads; none if it is not a file beside the program.
pub(crate) fn ups(source: &str) -> Option<usize> {
    (!is_artifact(source)).then(|| source.split('/').filter(|part| *part == "..").count())
}

/// Tells whether a source is in a registry.
fn is_artifact(source: &str) -> bool {
    ["br:", "br/", "ts:", "ts/"].iter().any(|scheme| source.starts_with(scheme))
}

/// How a source is written in a program.
fn shown(source: &str) -> String {
    match source.strip_prefix("br:mcr.microsoft.com/bicep/") {
        Some(path) => quoted(&format!("br/public:{path}")),
        None => quoted(source),
    }
}

impl Converter<'_> {
    /// Gives names to functions.
    pub(crate) fn declare_functions(&mut self) -> Result<()> {
        for (space, member, declaration) in self.function_list()? {
            let key = format!("{space}.{member}").to_lowercase();
            if source_of(&declaration).is_some() && space != OWN_NAMESPACE {
                continue;
            }
            let wanted =
                if space == OWN_NAMESPACE { member.to_string() } else { format!("{space}_{member}") };
            let name = self.names.request(NameKind::Function, &escape(&wanted, false));
            let name =
                name.ok_or_else(|| DecompileError::new(format!("two functions are called `{wanted}`")))?;
            self.functions.insert(key, name);
        }
        Ok(())
    }

    /// Gives names to types, own ones and those that are taken over.
    pub(crate) fn declare_imports(&mut self) -> Result<()> {
        for (name, declaration) in self.section("definitions") {
            if source_of(declaration).is_none() {
                self.types.insert(name.clone(), name.to_string());
            }
        }
        Ok(())
    }

    /// All that is taken over.
    fn items(&self) -> Result<Vec<DecompiledImport>> {
        let mut items = Vec::new();
        let item = |key: SmolStr, is_type: bool, short: &str, is_hidden: bool, declaration: &Json| {
            let source = source_of(declaration)?.to_owned();
            let original = declaration.at(&["metadata", "__bicep_imported_from!", "originalIdentifier"]);
            let original = original.map_or_else(|| short.to_owned(), Json::to_text);
            let name = (!is_hidden).then(|| short.to_owned());
            Some(DecompiledImport { key, is_type, name, source, original, declaration: declaration.clone() })
        };
        for (name, declaration) in self.section("definitions") {
            let (hidden, short) = match name.split_once('.') {
                Some((_, short)) => (true, short),
                None => (false, name.as_str()),
            };
            items.extend(item(name.clone(), true, short, hidden, declaration));
        }
        for (space, member, declaration) in self.function_list()? {
            let key = format!("{space}.{member}").into();
            items.extend(item(key, false, &member, space != OWN_NAMESPACE, &declaration));
        }
        Ok(items)
    }

    /// The import statements; files that are imported from are written on the way.
    pub(crate) fn import_lines(&mut self) -> Result<String> {
        let items = self.items()?;
        if items.is_empty() {
            return Ok(String::new());
        }
        for item in &items {
            checked(&item.original)
                .and_then(|_| declared(item.name.as_deref().unwrap_or("_")))
                .under(&item.key)?;
        }
        let by_key: FxHashMap<SmolStr, usize> =
            items.iter().enumerate().map(|(place, item)| (item.key.clone(), place)).collect();
        let needs: Vec<Vec<usize>> = items
            .iter()
            .map(|item| {
                needed(&item.declaration).into_iter().filter_map(|key| by_key.get(&key).copied()).collect()
            })
            .collect();
        let reached = reached(&items, &needs);
        // What others do not need was imported with all of its file.
        let mut whole: FxHashSet<usize> =
            self.used_here().iter().filter_map(|key| by_key.get(key).copied()).collect();
        whole.retain(|place| items.get(*place).is_some_and(|item| item.name.is_none()));
        whole.extend((0..items.len()).filter(|place| !reached.contains(place)));
        let mut lines = String::new();
        let mut by_source: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
        for (place, item) in items.iter().enumerate() {
            by_source.entry(&item.source).or_default().push(place);
        }
        for (source, places) in &by_source {
            let named: Vec<String> = places
                .iter()
                .filter_map(|place| items.get(*place))
                .filter_map(|item| {
                    let name = item.name.as_deref()?;
                    Some(if name == item.original {
                        name.to_owned()
                    } else {
                        format!("{} as {name}", item.original)
                    })
                })
                .collect();
            if !named.is_empty() {
                lines.push_str(&format!("import {{\n{}\n}} from {}\n", named.join("\n"), shown(source)));
            }
            if places.iter().any(|place| whole.contains(place)) {
                let stem = source
                    .rsplit('/')
                    .next()
                    .unwrap_or_default()
                    .split(['.', ':'])
                    .next()
                    .unwrap_or_default();
                let alias = self.names.fresh(&escape(stem, true));
                lines.push_str(&format!("import * as {alias} from {}\n", shown(source)));
                for item in
                    places.iter().filter(|place| whole.contains(place)).filter_map(|place| items.get(*place))
                {
                    let name = format!("{alias}.{}", item.original);
                    self.know(item, name);
                }
            }
        }
        for item in &items {
            if let Some(name) = item.name.clone() {
                self.know(item, name);
            }
        }
        let source_at = |place: usize| items.get(place).map(|item| item.source.as_str());
        let elsewhere: FxHashSet<usize> = needs
            .iter()
            .enumerate()
            .flat_map(|(from, needs)| needs.iter().map(move |to| (from, *to)))
            .filter(|(from, to)| source_at(*from) != source_at(*to))
            .map(|(_, to)| to)
            .collect();
        for (source, places) in by_source {
            if !is_artifact(source) {
                let is_named = |place: usize| items.get(place).is_some_and(|it| it.name.is_some());
                let exported: FxHashSet<usize> = places
                    .iter()
                    .copied()
                    .filter(|place| whole.contains(place) || elsewhere.contains(place) || is_named(*place))
                    .collect();
                self.write_source(source, &places, &exported, &items, &needs).under(source)?;
            }
        }
        Ok(lines)
    }

    fn know(&mut self, item: &DecompiledImport, name: String) {
        if item.is_type {
            self.types.insert(item.key.clone(), name);
        } else {
            self.functions.insert(item.key.to_lowercase(), name);
        }
    }

    /// What the template's own declarations need.
    fn used_here(&self) -> FxHashSet<SmolStr> {
        let mut used = FxHashSet::default();
        for section in ["definitions", "functions", "parameters", "outputs", "variables"] {
            match self.template.find(section) {
                Some(Json::Object(members)) => {
                    for (_, declaration) in members.iter().filter(|(_, it)| source_of(it).is_none()) {
                        used.extend(needed(declaration));
                    }
                }
                Some(Json::List(spaces)) => {
                    let members = spaces
                        .iter()
                        .flat_map(|it| it.find("members").map(Json::members).unwrap_or_default());
                    for (_, declaration) in members.filter(|(_, it)| source_of(it).is_none()) {
                        used.extend(needed(declaration));
                    }
                }
                _ => {}
            }
        }
        used
    }

    /// Writes a file that the program imports from.
    fn write_source(
        &mut self,
        source: &str,
        places: &[usize],
        exported: &FxHashSet<usize>,
        items: &[DecompiledImport],
        needs: &[Vec<usize>],
    ) -> Result<()> {
        let path = self.beside(source);
        if !path.ends_with(".bicep") || !self.output.take(&path) {
            return Err(DecompileError::new(format!("the file `{path}` to import from cannot be written")));
        }
        let types = std::mem::take(&mut self.types);
        let functions = std::mem::take(&mut self.functions);
        let mut taken: FxHashSet<String> = FxHashSet::default();
        for item in places.iter().filter_map(|place| items.get(*place)) {
            taken.insert(item.original.clone());
            self.know(item, item.original.clone());
        }
        let others: FxHashSet<usize> = places
            .iter()
            .filter_map(|place| needs.get(*place))
            .flatten()
            .copied()
            .filter(|place| items.get(*place).is_some_and(|item| item.source != source))
            .collect();
        let mut others: Vec<&DecompiledImport> =
            others.iter().filter_map(|place| items.get(*place)).collect();
        others.sort_by(|a, b| (&a.source, &a.original).cmp(&(&b.source, &b.original)));
        let mut text = String::new();
        for item in others {
            let mut name = item.original.clone();
            let mut number = 1;
            while !taken.insert(name.clone()) {
                number += 1;
                name = format!("{}{number}", item.original);
            }
            let from = if is_artifact(&item.source) {
                shown(&item.source)
            } else {
                quoted(&relative(&path, &self.beside(&item.source)))
            };
            let list =
                if name == item.original { name.clone() } else { format!("{} as {name}", item.original) };
            text.push_str(&format!("import {{ {list} }} from {from}\n"));
            self.know(item, name);
        }
        for place in places {
            let Some(item) = items.get(*place) else { continue };
            let export: Vec<String> =
                exported.contains(place).then(|| "@export()".to_owned()).into_iter().collect();
            if !text.is_empty() {
                text.push('\n');
            }
            text.push_str(&if item.is_type {
                self.type_text(&item.original, &item.declaration, &export).under(&item.original)?
            } else {
                self.function_text(&item.original, &item.declaration, &export).under(&item.original)?
            });
        }
        self.types = types;
        self.functions = functions;
        self.output.add(path, formatted(text, syntax::SourceKind::Bicep));
        Ok(())
    }
}

/// What is imported by name, and all that this needs.
fn reached(items: &[DecompiledImport], needs: &[Vec<usize>]) -> FxHashSet<usize> {
    let mut reached = FxHashSet::default();
    let mut open: Vec<usize> =
        (0..items.len()).filter(|place| items.get(*place).is_some_and(|it| it.name.is_some())).collect();
    while let Some(place) = open.pop() {
        if reached.insert(place) {
            open.extend(needs.get(place).into_iter().flatten());
        }
    }
    reached
}

/// The types and functions that a declaration needs.
fn needed(declaration: &Json) -> FxHashSet<SmolStr> {
    let mut found = FxHashSet::default();
    let mut open = vec![declaration];
    while let Some(json) = open.pop() {
        match json {
            Json::Object(members) => {
                for (name, value) in members {
                    match value.as_str().and_then(|it| it.strip_prefix("#/definitions/")) {
                        Some(path) if name == "$ref" => {
                            let first = path.split('/').next().unwrap_or_default();
                            found.insert(first.replace("~1", "/").replace("~0", "~").into());
                        }
                        _ => open.push(value),
                    }
                }
            }
            Json::List(items) => open.extend(items),
            Json::Text(text) if text.starts_with('[') && text.contains('.') => {
                if let Ok(expression) = json.expression() {
                    expression.for_each(&mut |part| {
                        if let Expression::Call(call) = part
                            && let Some(space) = &call.namespace
                        {
                            found.insert(format!("{space}.{}", call.name).into());
                        }
                    });
                }
            }
            Json::Text(_) | Json::Null | Json::Bool(_) | Json::Int(_) | Json::Number(_) => {}
        }
    }
    found
}
