//! Names: declared once, not reserved, and not told apart by case alone.

use std::borrow::Cow;
use std::collections::BTreeMap;

use rustc_hash::{FxHashMap, FxHashSet};
use smol_str::SmolStr;
use syntax::Span;
use syntax::ast::{
    AliasAsClause, AstNode as _, ImportedSymbolsListItem, LocalVariable, ObjectType, Program, Statement,
    TypedLocalVariable, WildcardImport,
};

use super::{Checker, nodes};
use crate::codes::{self, DiagnosticCode};
use crate::symbols::{ExportKind, ModuleTarget, ScopeId, ScopeKind, SymbolId, SymbolKind};

impl<'m> Checker<'m> {
    /// Reports what is wrong with the names that the file declares.
    pub(super) fn names(&mut self) {
        self.duplicates();
        self.repeated_statements();
        self.repeated_extensions();
        self.imports();
        self.case_clashes();
        self.hidden_secure();
    }

    /// Where the name of a symbol stands, if it has one.
    pub(crate) fn name_span(&self, symbol: SymbolId) -> Option<Span> {
        let node = self.model.node_of(symbol);
        if let Some(name) = Statement::cast(node).and_then(nodes::declared_name) {
            return name.0.is_valid().then(|| name.0.span());
        }
        if let Some(Statement::ExtensionDeclaration(it)) = Statement::cast(node) {
            let alias = it.as_clause().map(AliasAsClause::alias).filter(|name| name.is_valid());
            return Some(alias.map_or_else(|| it.specification().span(), |name| name.span()));
        }
        if let Some(item) = ImportedSymbolsListItem::cast(node) {
            let alias = item.as_clause().map(AliasAsClause::alias);
            return match alias {
                Some(name) => name.is_valid().then(|| name.span()),
                None => Some(item.original_name().span()),
            };
        }
        let name = WildcardImport::cast(node)
            .and_then(|it| it.as_clause().map(AliasAsClause::alias))
            .or_else(|| LocalVariable::cast(node).map(LocalVariable::name))
            .or_else(|| TypedLocalVariable::cast(node).map(TypedLocalVariable::name))?;
        name.is_valid().then(|| name.span())
    }

    fn duplicates(&mut self) {
        let model = self.model;
        let mut symbols: Vec<(ScopeId, SymbolId)> = model
            .symbols()
            .filter(|(_, symbol)| {
                !matches!(symbol.kind, SymbolKind::This | SymbolKind::Base | SymbolKind::Inherited)
            })
            .map(|(id, symbol)| (symbol.scope, id))
            .collect();
        symbols.sort_unstable();
        for symbols in symbols.chunk_by(|(a, _), (b, _)| a == b) {
            let Some((scope, _)) = symbols.first() else { continue };
            let is_file = model.scope(*scope).kind == ScopeKind::File;
            let of = |test: fn(SymbolKind) -> bool| {
                let ids = symbols.iter().map(|(_, id)| *id);
                ids.filter(|id| test(model.symbol(*id).kind)).collect::<Vec<_>>()
            };
            let referable = of(SymbolKind::can_be_referenced);
            self.repeated(&referable, codes::DUPLICATE_NAME);
            self.repeated(&of(|kind| kind == SymbolKind::Output), codes::DUPLICATE_OUTPUT);
            self.repeated(&of(|kind| kind == SymbolKind::Metadata), codes::DUPLICATE_OUTPUT);
            for id in referable {
                let name = &model.symbol(id).name;
                let implicit =
                    || model.declarations.implicit.iter().any(|it| model.symbol(*it).name == *name);
                let reserved =
                    model.namespaces.named(name).is_some() || is_file && name == "this" || implicit();
                if reserved && let Some(at) = self.name_span(id) {
                    let names = codes::list(model.namespaces.names());
                    self.push(codes::RESERVED_NAMESPACE.at(at, &[name, &names]));
                }
            }
        }
        let metadata = model.declarations.metadata.clone();
        for id in metadata {
            let name = &model.symbol(id).name;
            if name.starts_with('_')
                && let Some(at) = self.name_span(id)
            {
                self.push(codes::RESERVED_METADATA.at(at, &[name]));
            }
        }
        let copy = model.declarations.variables.iter().copied();
        let copy = copy
            .filter(|id| model.symbol(*id).name.eq_ignore_ascii_case("copy"))
            .find_map(|id| self.name_span(id));
        if let Some(at) = copy {
            self.push(codes::RESERVED_IDENTIFIER.at(at, &[&"copy"]));
        }
    }

    fn repeated(&mut self, symbols: &[SymbolId], rule: DiagnosticCode) {
        let model = self.model;
        let mut seen: FxHashSet<&SmolStr> = FxHashSet::default();
        // Where no name comes twice, nobody has to know where the names stand.
        if symbols.iter().all(|id| seen.insert(&model.symbol(*id).name)) {
            return;
        }
        let mut counts: FxHashMap<&SmolStr, usize> = FxHashMap::default();
        let named: Vec<(&SmolStr, Span)> =
            symbols.iter().filter_map(|id| Some((&model.symbol(*id).name, self.name_span(*id)?))).collect();
        for (name, _) in &named {
            *counts.entry(name).or_default() += 1;
        }
        let repeated = named.iter().filter(|(name, _)| counts.get(name).is_some_and(|count| *count > 1));
        self.out.extend(repeated.map(|(name, at)| rule.at(*at, &[name])));
    }

    /// Statements that a file has once at most.
    fn repeated_statements(&mut self) {
        let Some(program) = Program::cast(self.model.file.tree.root()) else { return };
        let mut places: [Vec<Span>; 3] = Default::default();
        for statement in program.statements() {
            let (place, keyword) = match statement {
                Statement::TargetScope(it) => (0, it.keyword()),
                Statement::UsingDeclaration(it) => (1, it.keyword()),
                Statement::ExtendsDeclaration(it) => (2, it.keyword()),
                _ => continue,
            };
            if let (Some(list), Some(keyword)) = (places.get_mut(place), keyword) {
                list.push(keyword.span());
            }
        }
        for (list, rule) in
            places.iter().zip([codes::TARGET_SCOPE_TWICE, codes::USING_TWICE, codes::EXTENDS_TWICE])
        {
            if list.len() > 1 {
                self.out.extend(list.iter().map(|at| rule.at(*at, &[])));
            }
        }
    }

    /// Extensions that can be declared only once and are declared more often.
    fn repeated_extensions(&mut self) {
        let model = self.model;
        let mut declared: BTreeMap<&str, Vec<Span>> = BTreeMap::new();
        for extension in &model.extensions {
            let Some(Statement::ExtensionDeclaration(it)) = model.statement_of(extension.symbol) else {
                continue;
            };
            let single = match &extension.types {
                Ok(Some(types)) => types
                    .namespace()
                    .ok()
                    .and_then(|namespace| namespace.settings)
                    .is_some_and(|settings| settings.is_singleton),
                Ok(None) => true,
                Err(_) => false,
            };
            if single && !self.extension_type(extension.symbol).is_error() {
                declared.entry(&extension.name).or_default().push(it.specification().span());
            }
        }
        for (name, places) in declared.into_iter().filter(|(_, places)| places.len() > 1) {
            self.out.extend(places.iter().map(|at| codes::DUPLICATE_NAMESPACE.at(*at, &[&name])));
        }
    }

    /// What imports cannot bring.
    fn imports(&mut self) {
        let model = self.model;
        let mut taken: BTreeMap<(String, SmolStr), Vec<SymbolId>> = BTreeMap::new();
        for (id, symbol) in model.symbols() {
            match symbol.kind {
                SymbolKind::Imported(_) => {
                    if let Some((item, source)) = model.imported_item(id)
                        && let Ok(target) = &source.target
                    {
                        let key = (target.path().to_string(), item.original.clone());
                        taken.entry(key).or_default().push(id);
                        self.broken_source(id, target.clone());
                        let interface = self.around.interface(target);
                        if let Some(unknown) = interface.unknown_exports.get(&item.original) {
                            self.unknown_types(unknown, model.node_of(id).span());
                        }
                        let needs = interface.context_functions.get(&item.original);
                        if model.is_params()
                            && let Some(needs) = needs
                            && let Some(node) = ImportedSymbolsListItem::cast(model.node_of(id))
                        {
                            let at = node.original_name().span();
                            self.push(codes::NEEDS_DEPLOYMENT.at(at, &[&symbol.name, &codes::list(needs)]));
                        }
                    }
                }
                SymbolKind::WildcardImport => {
                    if let Some(Ok(target)) = model.wildcard_source(id).map(|source| source.target.clone()) {
                        let interface = self.around.interface(&target);
                        if let ModuleTarget::Template(template) = &target
                            && !template.ambiguous_exports().is_empty()
                        {
                            let names = codes::list(template.ambiguous_exports());
                            self.push(codes::AMBIGUOUS_EXPORTS.at(model.node_of(id).span(), &[&names]));
                        }
                        self.broken_source(id, target);
                        let mut needs: Vec<&SmolStr> =
                            interface.context_functions.values().flatten().collect();
                        needs.sort();
                        needs.dedup();
                        if model.is_params() && !needs.is_empty() {
                            let at = model.node_of(id).span();
                            self.push(codes::NEEDS_DEPLOYMENT.at(at, &[&symbol.name, &codes::list(needs)]));
                        }
                        let wildcard = WildcardImport::cast(model.node_of(id)).and_then(|it| it.wildcard());
                        if let Some(wildcard) = wildcard {
                            for unknown in interface.unknown_exports.values() {
                                self.unknown_types(unknown, wildcard.span());
                            }
                        }
                    }
                }
                SymbolKind::FailedImport => self.failed_import(id),
                _ => {}
            }
        }
        for ids in taken.values().filter(|ids| ids.len() > 1) {
            let names = codes::list(ids.iter().map(|id| &model.symbol(*id).name));
            let found: Vec<_> =
                ids.iter().map(|id| codes::IMPORTED_TWICE.at(model.node_of(*id).span(), &[&names])).collect();
            self.out.extend(found);
        }
    }

    /// What a symbol is; one that is imported from a file with errors is nothing.
    pub(super) fn kind_of(&self, symbol: SymbolId) -> SymbolKind {
        let model = self.model;
        let kind = model.symbol(symbol).kind;
        let source = match kind {
            SymbolKind::Imported(_) => model.imported_item(symbol).map(|(_, source)| source),
            SymbolKind::WildcardImport => model.wildcard_source(symbol),
            _ => None,
        };
        match source.map(|source| &source.target) {
            Some(Ok(target)) if self.around.interface(target).has_errors => SymbolKind::FailedImport,
            _ => kind,
        }
    }

    /// Nothing can be imported from a file that has errors.
    fn broken_source(&mut self, symbol: SymbolId, target: ModuleTarget) {
        if !self.around.interface(&target).has_errors {
            return;
        }
        let mut at = Some(self.model.node_of(symbol));
        while let Some(node) = at {
            if let Some(Statement::CompileTimeImportDeclaration(it)) = Statement::cast(node)
                && let Some(from) = it.from_clause()
            {
                self.push(match target {
                    ModuleTarget::Bicep(_) => codes::MODULE_HAS_ERRORS.at(from.span(), &[]),
                    ModuleTarget::Template(_) => codes::TEMPLATE_HAS_ERRORS.at(from.span(), &[]),
                });
                return;
            }
            at = self.model.parent(node);
        }
    }

    fn failed_import(&mut self, symbol: SymbolId) {
        let model = self.model;
        let node = model.node_of(symbol);
        let mut declaration = Some(node);
        while let Some(at) = declaration
            && !matches!(Statement::cast(at), Some(Statement::CompileTimeImportDeclaration(_)))
        {
            declaration = model.parent(at);
        }
        let Some(declaration) = declaration else { return };
        let source = model.source_of(declaration.id());
        match (source.map(|source| &source.target), model.file.reference_of(declaration.id())) {
            (Some(Err(fault)), Some(reference)) => self.push(fault.at(reference.span)),
            (None, _) => {
                let from =
                    declaration.slot_from_end(0).map_or_else(|| declaration.span(), |slot| slot.span());
                self.push(codes::NO_IMPORT_PATH.at(from, &[]));
            }
            (Some(Ok(target)), _) => {
                if self.around.interface(target).has_errors {
                    return self.broken_source(symbol, target.clone());
                }
                if let Some(item) = ImportedSymbolsListItem::cast(node) {
                    let name = item.original_name().constant().unwrap_or_default();
                    let ambiguous = match target {
                        ModuleTarget::Template(template) => template.is_ambiguous(&name),
                        ModuleTarget::Bicep(_) => false,
                    };
                    let rule = if ambiguous { codes::IMPORT_HAS_ERRORS } else { codes::IMPORT_NOT_FOUND };
                    self.push(rule.at(item.original_name().span(), &[&name]));
                }
            }
            _ => {}
        }
    }

    fn case_clashes(&mut self) {
        let model = self.model;
        let imported = |wanted: ExportKind| {
            let ids = model.declarations.imported.iter().copied();
            ids.filter(move |id| model.imported_item(*id).is_some_and(|(item, _)| item.kind == wanted))
        };
        let all = &model.declarations;
        let groups: [(&str, Vec<SymbolId>); 6] = [
            ("parameters", all.parameters.clone()),
            ("variables", all.variables.iter().copied().chain(imported(ExportKind::Variable)).collect()),
            ("outputs", all.outputs.clone()),
            ("types", all.types.iter().copied().chain(imported(ExportKind::Type)).collect()),
            ("asserts", all.asserts.clone()),
            ("functions", all.functions.iter().copied().chain(imported(ExportKind::Function)).collect()),
        ];
        for (what, ids) in groups {
            let items = ids.iter().map(|id| {
                let at = self.name_span(*id).unwrap_or_else(|| model.node_of(*id).span());
                (Cow::Borrowed(model.symbol(*id).name.as_str()), at)
            });
            let items = items.collect();
            self.clashing(what, items);
        }
        for object in model.file.tree.root().subtree().filter_map(ObjectType::cast) {
            let items = object
                .properties()
                .filter_map(|property| Some((property.key().constant()?, property.key().span())));
            self.clashing("type properties", items.collect());
        }
    }

    fn clashing(&mut self, what: &str, items: Vec<(Cow<'m, str>, Span)>) {
        let mut groups: FxHashMap<String, Vec<usize>> = FxHashMap::default();
        for (place, (name, _)) in items.iter().enumerate() {
            groups.entry(name.to_lowercase()).or_default().push(place);
        }
        // Most files have none, so that sorting waits until it is known that there are some.
        let mut clashes: Vec<_> = groups.into_iter().filter(|(_, places)| places.len() > 1).collect();
        clashes.sort_unstable();
        for (_, places) in clashes {
            let members: Vec<_> = places.iter().filter_map(|place| items.get(*place)).collect();
            let mut names: Vec<&str> = members.iter().map(|(name, _)| &**name).collect();
            names.sort_unstable();
            names.dedup();
            if names.len() < members.len() {
                continue;
            }
            let list = codes::list(members.iter().map(|(name, _)| name));
            let found: Vec<_> =
                members.iter().map(|(_, at)| codes::CASE_ONLY.at(*at, &[&what, &list])).collect();
            self.out.extend(found);
        }
    }
}
