//! What an expression can name: symbols in scope, namespaces and functions.

use rustc_hash::FxHashSet;
use smol_str::SmolStr;
use syntax::ast::AstNode as _;
use syntax::{NodeKind, SyntaxNode};

use super::Completer;
use super::expected_syntax::ValuePlace;
use super::item::{BEFORE_NESTED, Completion, CompletionKind, FollowUp, Priority, markdown_line};
use crate::symbols::{ExportKind, ScopeKind, SymbolId, SymbolKind};
use crate::types::{BuiltIn, FunctionFlags, PropertyFlags, Signature, extension};

impl<'m> Completer<'_, 'm> {
    /// Everything that an expression can begin with.
    pub(super) fn expressions(&mut self) {
        if !self.is_constant() {
            self.symbols();
        }
        let text = "${1:condition} ? ${2:TrueValue} : ${3:FalseValue}";
        let item = Completion::plain(CompletionKind::Snippet, "if-else", Priority::High, self.span, text);
        self.out.push(item.into_snippet().detail("if-else"));
    }

    /// Tells whether the property around the place takes constants only.
    fn is_constant(&mut self) -> bool {
        let Some(property) = self.place.innermost::<syntax::ast::ObjectProperty<'m>>() else { return false };
        let Some(object) = self.model.parent(property.node()).and_then(syntax::ast::Object::cast) else {
            return false;
        };
        let Some(name) = property.key().constant() else { return false };
        let Some(ty) = self.checker.expected(object.node()) else { return false };
        let ty = self.checker.fitting_object(&ty, Some(object));
        let Some(object) = ty.as_object() else { return false };
        let property = object.properties.get(name.as_ref()).or(object.additional.as_ref());
        property.is_some_and(|property| property.flags.contains(PropertyFlags::CONSTANT))
    }

    fn symbols(&mut self) {
        let own = self.enclosing_symbol();
        let mut names: FxHashSet<SmolStr> = FxHashSet::default();
        self.namespaces(&mut names);
        let depends_on = self.is_depends_on();
        for symbol in self.visible() {
            let name = self.model.symbol(symbol).name.clone();
            if Some(symbol) != own && !self.is_below(symbol, own, depends_on) && names.insert(name.clone()) {
                let priority = self.priority_of(symbol, own, depends_on);
                let item = self.symbol_item(symbol, &name, priority);
                self.out.push(item);
            }
        }
        self.nested_resources(own, depends_on, &mut names);
        self.functions(&names);
    }

    /// The symbol that the innermost declaration around the place declares.
    pub(super) fn enclosing_symbol(&self) -> Option<SymbolId> {
        self.model.symbol_at(self.enclosing_declaration()?)
    }

    /// The innermost thing around the place that can have decorators.
    pub(super) fn enclosing_declaration(&self) -> Option<SyntaxNode<'m>> {
        self.place.nodes.iter().rev().find(|node| can_be_decorated(**node)).copied()
    }

    /// The symbols that can be used at the place, from the inside out.
    fn visible(&self) -> Vec<SymbolId> {
        let model = self.model;
        let mut found = Vec::new();
        let mut in_function = false;
        for scope in model.scopes_at(self.place.offset) {
            let symbols = scope.symbols.iter().copied().filter(|id| {
                let symbol = model.symbol(*id);
                let is_valid = !symbol.name.starts_with('<') && symbol.kind.can_be_referenced();
                is_valid && (!in_function || self.is_seen_by_functions(*id))
            });
            found.extend(symbols);
            in_function |= scope.kind == ScopeKind::Function;
        }
        found
    }

    /// Tells whether the body of a function sees a symbol of the file.
    fn is_seen_by_functions(&self, symbol: SymbolId) -> bool {
        match self.model.symbol(symbol).kind {
            SymbolKind::Variable
            | SymbolKind::Function
            | SymbolKind::WildcardImport
            | SymbolKind::Resource => true,
            SymbolKind::Imported(_) => {
                self.model.imported_item(symbol).is_some_and(|(item, _)| item.kind != ExportKind::Type)
            }
            kind => kind.is_local(),
        }
    }

    /// Tells whether the place is an item of `dependsOn`.
    fn is_depends_on(&self) -> bool {
        let property = self.place.innermost::<syntax::ast::ObjectProperty<'m>>();
        let declaration = self.enclosing_declaration().map(SyntaxNode::kind);
        let wanted = super::recognize::recognize(self.place, false);
        property.and_then(|property| property.key().constant()).is_some_and(|name| name == "dependsOn")
            && matches!(declaration, Some(NodeKind::ResourceDeclaration | NodeKind::ModuleDeclaration))
            && wanted.iter().any(|it| matches!(it, super::ExpectedSyntax::Value(ValuePlace::Item(_))))
    }

    /// Tells whether a symbol is a resource below the one that the place is in, which cannot depend on it.
    fn is_below(&self, symbol: SymbolId, own: Option<SymbolId>, depends_on: bool) -> bool {
        let Some(id) = self.model.resource_id(symbol).filter(|_| depends_on) else { return false };
        let ancestors = self.model.ancestors(id);
        ancestors.iter().any(|ancestor| Some(self.model.resource(ancestor.resource).symbol) == own)
    }

    /// Resources and modules come first where only they can stand, unless the place is inside of them.
    fn priority_of(&self, symbol: SymbolId, own: Option<SymbolId>, depends_on: bool) -> Priority {
        let kind = self.model.symbol(symbol).kind;
        if depends_on && matches!(kind, SymbolKind::Resource | SymbolKind::Module) {
            let around = own.and_then(|own| self.model.resource_id(own)).map(|id| self.model.ancestors(id));
            let is_around =
                around.into_iter().flatten().any(|it| self.model.resource(it.resource).symbol == symbol);
            return if is_around { Priority::Medium } else { Priority::VeryHigh };
        }
        match self.is_function(symbol) || kind == SymbolKind::WildcardImport {
            true => Priority::Low,
            false => Priority::Medium,
        }
    }

    fn is_function(&self, symbol: SymbolId) -> bool {
        match self.model.symbol(symbol).kind {
            SymbolKind::Function => true,
            SymbolKind::Imported(_) => {
                self.model.imported_item(symbol).is_some_and(|(item, _)| item.kind == ExportKind::Function)
            }
            _ => false,
        }
    }

    /// The namespaces: built-in ones and those of extensions.
    fn namespaces(&mut self, names: &mut FxHashSet<SmolStr>) {
        for (name, _) in self.namespace_names() {
            names.insert(name.clone());
            self.out.push(self.namespace_item(&name));
        }
    }

    /// The names of namespaces, with the built-in one that each means.
    pub(super) fn namespace_names(&self) -> Vec<(SmolStr, Option<BuiltIn>)> {
        let model = self.model;
        let built_in = model.namespaces.names().into_iter();
        let mut found: Vec<(SmolStr, Option<BuiltIn>)> =
            built_in.map(|name| (name.into(), model.namespaces.named(name))).collect();
        let extensions = model.declarations.extensions.iter().chain(&model.declarations.implicit);
        for symbol in extensions {
            let name = &model.symbol(*symbol).name;
            if !name.starts_with('<') && !found.iter().any(|(known, _)| known == name) {
                found.push((name.clone(), model.namespaces.declared(*symbol)));
            }
        }
        found
    }

    pub(super) fn namespace_item(&self, name: &str) -> Completion {
        let dot = if self.stands_behind('.') { "" } else { "." };
        let text = format!("{name}{dot}");
        Completion::plain(CompletionKind::Folder, name, Priority::Low, self.span, text)
            .detail(name)
            .follow_up(FollowUp::Suggest)
    }

    /// Resources inside of others, by the whole way to them.
    fn nested_resources(&mut self, own: Option<SymbolId>, depends_on: bool, names: &mut FxHashSet<SmolStr>) {
        let model = self.model;
        for (id, resource) in model.all_resources() {
            let ancestors = model.ancestors(id);
            let around =
                ancestors.iter().filter(|it| it.is_nested).map(|it| model.resource(it.resource).symbol);
            let way: Vec<&str> =
                around.chain([resource.symbol]).map(|symbol| model.symbol(symbol).name.as_str()).collect();
            let is_whole = way.len() > 1 && way.iter().all(|name| !name.starts_with('<'));
            if !is_whole || Some(resource.symbol) == own || self.is_below(resource.symbol, own, depends_on) {
                continue;
            }
            let name = SmolStr::from(way.join("::"));
            if names.insert(name.clone()) {
                let priority = self.priority_of(resource.symbol, own, depends_on);
                let item = self.symbol_item(resource.symbol, &name, priority);
                self.out.push(item);
            }
        }
    }

    /// The functions that are there without being declared; a name that means something else needs its namespace.
    fn functions(&mut self, taken: &FxHashSet<SmolStr>) {
        let model = self.model;
        let in_parameter =
            self.enclosing_declaration().is_some_and(|node| node.kind() == NodeKind::ParameterDeclaration);
        let visibility = model.visibility();
        let namespaces = self.namespace_names();
        let mut all: Vec<(SmolStr, &'static str, &'static crate::functions::Function)> = Vec::new();
        for (space, built_in) in &namespaces {
            let Some(built_in) = *built_in else { continue };
            for name in visibility.function_names(built_in) {
                if let Some(function) = visibility.function(built_in, name) {
                    all.push((space.clone(), name, function));
                }
            }
        }
        let mut counts: rustc_hash::FxHashMap<&str, usize> = rustc_hash::FxHashMap::default();
        for (_, name, _) in &all {
            *counts.entry(name).or_default() += 1;
        }
        for (space, name, function) in &all {
            if function.flags.contains(FunctionFlags::PARAM_DEFAULTS_ONLY) && !in_parameter {
                continue;
            }
            let is_ambiguous = taken.contains(*name) || counts.get(name).is_some_and(|count| *count > 1);
            let label = if is_ambiguous { format!("{space}.{name}") } else { (*name).to_owned() };
            let item = self.function_item(function, &label);
            self.out.push(item);
        }
        self.extension_functions(taken);
    }

    /// The functions that extensions bring.
    fn extension_functions(&mut self, taken: &FxHashSet<SmolStr>) {
        let model = self.model;
        let kind = model.file.tree.source_kind();
        for own in &model.extensions {
            let Ok(Some(store)) = &own.types else { continue };
            let space = model.symbol(own.symbol).name.clone();
            let functions = extension::functions(store, kind);
            let mut seen: FxHashSet<&SmolStr> = FxHashSet::default();
            for function in functions.iter().filter(|function| seen.insert(&function.name)) {
                let is_taken = taken.contains(&function.name);
                let label =
                    if is_taken { format!("{space}.{}", function.name) } else { function.name.to_string() };
                let item = self.signatures_item(&function.name, &label, std::slice::from_ref(function), "");
                self.out.push(item);
            }
        }
    }

    /// The functions of a built-in namespace, behind its name.
    pub(super) fn namespace_functions(&mut self, namespace: BuiltIn) {
        let visibility = self.model.visibility();
        let names: Vec<&'static str> = visibility.function_names(namespace).collect();
        for name in names {
            if let Some(function) = visibility.function(namespace, name) {
                let item = self.function_item(function, name);
                self.out.push(item);
            }
        }
    }

    fn function_item(&self, function: &'static crate::functions::Function, label: &str) -> Completion {
        let mut signatures = function.signatures(self.model.target);
        for signature in &mut signatures {
            if let Some(row) = signature.built_in {
                signature.result = row.result();
            }
        }
        self.signatures_item(function.name, label, &signatures, function.doc)
    }

    /// An item for something that is called.
    pub(super) fn signatures_item(
        &self,
        name: &str,
        label: &str,
        signatures: &[Signature],
        about: &str,
    ) -> Completion {
        let takes = signatures.iter().any(|it| !it.parameters.is_empty() || it.rest.is_some());
        // A name that is changed keeps the arguments behind it.
        let is_called = !self.span.is_empty() && self.stands_behind('(');
        let text = match (is_called, takes) {
            (true, _) => label.to_owned(),
            (false, true) => format!("{label}($0)"),
            (false, false) => format!("{label}()$0"),
        };
        let mut shown = String::from("```bicep\n");
        for signature in signatures {
            shown.push_str(&format!("{name}{}\n", signature.describe()));
        }
        shown.push_str(&format!("\n```  \n{about}  \n"));
        let item = Completion::plain(CompletionKind::Function, label, Priority::Low, self.span, text)
            .documentation(shown);
        match (is_called, takes) {
            (true, _) => item,
            (false, true) => item.into_snippet().follow_up(FollowUp::ParameterHints),
            (false, false) => item.into_snippet(),
        }
    }

    /// An item for a symbol of the file.
    pub(super) fn symbol_item(&mut self, symbol: SymbolId, label: &str, priority: Priority) -> Completion {
        if self.is_function(symbol) {
            let signature = match self.model.symbol(symbol).kind {
                SymbolKind::Function => self.checker.function_signature(symbol),
                _ => self.checker.imported_function(symbol),
            };
            let about = self.description(symbol).unwrap_or_default();
            let signatures: Vec<Signature> = signature.into_iter().collect();
            return self.signatures_item(label, label, &signatures, &about);
        }
        let kind = self.kind_of(symbol);
        match self.model.symbol(symbol).kind {
            SymbolKind::WildcardImport => return self.namespace_item(label),
            SymbolKind::This => {
                let sort_text = priority.sort_text(label);
                return Completion {
                    sort_text,
                    kind: CompletionKind::Variable,
                    ..self.namespace_item(label)
                };
            }
            _ => {}
        }
        let mut about = String::new();
        if kind == CompletionKind::Field {
            about = format!("Type: `{}`  \n", self.checker.symbol_type(symbol));
        }
        about.push_str(&markdown_line(&self.description(symbol).unwrap_or_default()));
        let item =
            Completion::plain(kind, label, priority, self.span, label).detail(label).documentation(about);
        if kind == CompletionKind::Interface { item.commit(BEFORE_NESTED) } else { item }
    }

    fn kind_of(&self, symbol: SymbolId) -> CompletionKind {
        match self.model.symbol(symbol).kind {
            SymbolKind::Parameter | SymbolKind::ParameterAssignment | SymbolKind::Inherited => {
                CompletionKind::Field
            }
            SymbolKind::Variable
            | SymbolKind::LoopItem
            | SymbolKind::LoopIndex
            | SymbolKind::LambdaParameter
            | SymbolKind::FunctionParameter
            | SymbolKind::Base => CompletionKind::Variable,
            SymbolKind::Type => CompletionKind::TypeParameter,
            SymbolKind::Function => CompletionKind::Function,
            SymbolKind::Resource => CompletionKind::Interface,
            SymbolKind::Module => CompletionKind::Module,
            SymbolKind::Test => CompletionKind::Keyword,
            SymbolKind::Output => CompletionKind::Value,
            SymbolKind::Extension | SymbolKind::WildcardImport | SymbolKind::This => CompletionKind::Folder,
            SymbolKind::Imported(_) => match self.model.imported_item(symbol).map(|(item, _)| item.kind) {
                Some(ExportKind::Type) => CompletionKind::TypeParameter,
                Some(ExportKind::Variable) => CompletionKind::Variable,
                Some(ExportKind::Function) => CompletionKind::Function,
                None => CompletionKind::Text,
            },
            SymbolKind::Metadata
            | SymbolKind::Assert
            | SymbolKind::ExtensionConfig
            | SymbolKind::FailedImport => CompletionKind::Text,
        }
    }
}

/// Tells whether decorators can stand before something.
fn can_be_decorated(node: SyntaxNode<'_>) -> bool {
    match node.kind() {
        NodeKind::Skipped => false,
        NodeKind::ObjectTypeProperty | NodeKind::ObjectTypeAdditionalProperties | NodeKind::TupleTypeItem => {
            true
        }
        _ => syntax::ast::Statement::cast(node).is_some(),
    }
}
