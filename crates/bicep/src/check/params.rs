//! Parameters files against the template they are for.

use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};
use smol_str::SmolStr;
use syntax::NodeKind;
use syntax::Span;
use syntax::ast::{AstNode as _, Expr, Program, Statement, UsingDeclaration};

use super::Checker;
use crate::codes;
use crate::language::Feature;
use crate::symbols::{ModuleTarget, SymbolId};
use crate::types::{Object, Property, PropertyFlags as P, Range, Ty, TypeFlags, discriminated, union_of};

impl<'m> Checker<'m> {
    /// Checks a parameters file against its template.
    pub(super) fn params(&mut self) {
        let model = self.model;
        if !model.is_params() {
            return;
        }
        let Some(program) = Program::cast(model.file.tree.root()) else { return };
        let statements: Vec<Statement<'m>> = program.statements().collect();
        let using = statements.iter().find_map(|statement| match statement {
            Statement::UsingDeclaration(it) => Some(*it),
            _ => None,
        });
        self.base_names(&statements);
        for statement in &statements {
            match statement {
                Statement::UsingDeclaration(it) => self.using_with(*it),
                Statement::ExtendsDeclaration(it) if self.parse_errors.is_empty() => {
                    match self.referred(it.node().id()) {
                        Some(Err(error)) => self.out.extend_from_slice(error.findings()),
                        Some(Ok((ModuleTarget::Bicep(target), _))) if target.is_params() => {}
                        Some(Ok(_)) => self.push(codes::EXTENDS_TARGET.at(it.path().span(), &[])),
                        None => {}
                    }
                }
                _ => {}
            }
        }
        let Some(using) = using else {
            self.push(codes::NO_USING.at(Span::new(0, 0), &[]));
            return;
        };
        if matches!(using.path(), Expr::NoneLiteral(_)) {
            return;
        }
        let (target, interface) = match self.referred(using.node().id()) {
            None => return,
            Some(Err(error)) => return self.out.extend_from_slice(error.findings()),
            Some(Ok(found)) => found,
        };
        if let ModuleTarget::Bicep(model) = &target
            && model.is_params()
        {
            return self.push(codes::USING_TARGET.at(using.path().span(), &[]));
        }
        self.assignments(using, &interface);
        if let ModuleTarget::Bicep(model) = &target
            && model.features().has(Feature::ModuleExtensionConfigs)
        {
            self.extension_assignments(using, &interface);
        }
        if interface.has_errors {
            self.push(match target {
                ModuleTarget::Bicep(_) => codes::MODULE_HAS_ERRORS.at(using.path().span(), &[]),
                ModuleTarget::Template(_) => codes::TEMPLATE_HAS_ERRORS.at(using.path().span(), &[]),
            });
        }
    }

    /// What the template of a parameters file offers; none if it has no template that can be read.
    pub(crate) fn using_interface(&mut self) -> Option<Arc<super::Interface>> {
        let program = Program::cast(self.model.file.tree.root())?;
        let using = program.statements().find_map(|statement| match statement {
            Statement::UsingDeclaration(it) => Some(it),
            _ => None,
        })?;
        match self.referred(using.node().id())? {
            Ok((_, interface)) => Some(interface),
            Err(_) => None,
        }
    }

    /// What a file that this one refers to offers.
    pub(crate) fn interface_of(&self, target: &ModuleTarget) -> Arc<super::Interface> {
        self.around.interface(target)
    }

    /// The parameters and variables of a parameters file that have no value because of errors.
    pub(super) fn failed_values(&mut self) -> FxHashSet<SymbolId> {
        let model = self.model;
        if !model.is_params() {
            return FxHashSet::default();
        }
        let all = model.declarations.assignments.iter().chain(&model.declarations.variables).copied();
        all.filter(|symbol| self.symbol_type(*symbol).is_error()).collect()
    }

    fn assignments(&mut self, using: UsingDeclaration<'m>, interface: &super::Interface) {
        let model = self.model;
        let assigned = model.declarations.assignments.clone();
        let inherited: FxHashSet<SmolStr> = self.inherited().into_iter().collect();
        let mut own: FxHashMap<&SmolStr, SymbolId> = FxHashMap::default();
        for id in &assigned {
            own.entry(&model.symbol(*id).name).or_insert(*id);
        }
        let missing = interface.parameters.iter().filter(|(name, parameter)| {
            if !parameter.required {
                return false;
            }
            match own.get(name) {
                Some(id) => self.symbol_type(*id).is_null(),
                None => !inherited.contains(*name),
            }
        });
        let missing: Vec<_> = missing.map(|(name, _)| name.clone()).collect();
        if !missing.is_empty() {
            self.push(codes::MISSING_PARAMETERS.at(using.path().span(), &[&codes::list(missing)]));
        }
        for id in &assigned {
            let name = &model.symbol(*id).name;
            if !interface.parameters.contains_key(name) {
                self.push(codes::UNDECLARED_PARAMETER.at(model.node_of(*id).span(), &[name]));
            }
        }
        for id in assigned {
            let ty = self.symbol_type(id);
            let Some(parameter) = interface.parameters.get(&model.symbol(id).name) else { continue };
            if ty.is_error() || ty.is_null() {
                continue;
            }
            if let Some(Statement::ParameterAssignment(it)) = model.statement_of(id) {
                self.narrow(it.value(), &parameter.ty);
            }
        }
    }

    fn extension_assignments(&mut self, using: UsingDeclaration<'m>, interface: &super::Interface) {
        let model = self.model;
        let assigned = model.declarations.extension_configs.clone();
        let is_given = |alias: &str| assigned.iter().any(|id| model.symbol(*id).name == alias);
        let missing = interface.extensions.iter().filter(|it| it.required && !is_given(&it.alias));
        let mut missing: Vec<_> = missing.map(|extension| extension.alias.clone()).collect();
        missing.sort_unstable();
        if !missing.is_empty() {
            self.push(codes::MISSING_CONFIGURATIONS.at(using.path().span(), &[&codes::list(missing)]));
        }
        for id in assigned {
            let Some(Statement::ExtensionConfigAssignment(it)) = model.statement_of(id) else { continue };
            let name = &model.symbol(id).name;
            let Some(extension) = interface.extensions.iter().find(|known| known.alias == *name) else {
                self.push(codes::UNDECLARED_EXTENSION.at(it.span(), &[name]));
                continue;
            };
            match (&extension.config, it.with_clause()) {
                (None, _) => self.push(codes::NO_CONFIGURATION.at(it.alias().span(), &[name])),
                (Some(config), Some(with)) => drop(self.narrow(with.config(), config)),
                (Some(_), None) if extension.required => {
                    self.push(codes::CONFIGURATION_REQUIRED.at(it.span(), &[name]));
                }
                (Some(_), None) => {}
            }
        }
    }

    /// The parameters that the file takes over from those it extends.
    fn inherited(&self) -> Vec<SmolStr> {
        let mut names = Vec::new();
        let mut at = self.extended(self.model);
        // Files that extend each other in a circle have no models of each other, so that this ends.
        while let Some(model) = at {
            names.extend(model.declarations.assignments.iter().map(|id| model.symbol(*id).name.clone()));
            at = self.extended(model);
        }
        names
    }

    fn extended<'a>(&self, model: &'a crate::Model) -> Option<&'a crate::Model> {
        let program = Program::cast(model.file.tree.root())?;
        let extends = program.statements().find(|it| matches!(it, Statement::ExtendsDeclaration(_)))?;
        let source = model.source_of(extends.node().id())?;
        match source.target.as_ref().ok()? {
            ModuleTarget::Bicep(model) => Some(model),
            ModuleTarget::Template(_) => None,
        }
    }

    fn using_with(&mut self, using: UsingDeclaration<'m>) {
        let on = self.model.features().has(Feature::DeployCommands);
        if let Some(with) = using.with_clause() {
            self.narrow(with.config(), &deployment_config());
        }
        match using.with_clause() {
            Some(with) if !on => self.push(codes::USING_WITH.at(with.span(), &[])),
            None if on && !self.has_parse_errors(using.node()) => {
                self.push(codes::WITH_REQUIRED.at(using.span(), &[]));
            }
            _ => {}
        }
    }

    /// `base` is there only in files that extend another, and cannot be declared.
    fn base_names(&mut self, statements: &[Statement<'m>]) {
        let extends =
            statements.iter().filter(|it| matches!(it, Statement::ExtendsDeclaration(_))).count() == 1;
        if extends {
            let declared = self.model.symbols().filter(|(_, symbol)| {
                symbol.name == "base"
                    && !matches!(
                        symbol.kind,
                        crate::symbols::SymbolKind::Base | crate::symbols::SymbolKind::Inherited
                    )
            });
            let found: Vec<_> = declared
                .filter(|(_, symbol)| !symbol.kind.is_local())
                .map(|(id, _)| codes::BASE_REDECLARED.at(self.model.node_of(id).span(), &[]))
                .collect();
            self.out.extend(found);
            return;
        }
        for node in self.model.file.tree.root().subtree() {
            if node.kind() == NodeKind::VariableAccess
                && let Some(access) = syntax::ast::VariableAccess::cast(node)
                && access.name().text() == "base"
            {
                self.push(codes::BASE_WITHOUT_EXTENDS.at(access.name().span(), &[]));
            }
        }
    }

    /// The type of `base`: the parameters of the file that this one extends.
    pub(super) fn base_type(&mut self) -> Ty {
        let properties =
            self.inherited().into_iter().map(|name| (name, Property::new(Ty::any(), P::READ_ONLY)));
        let properties = properties.collect();
        Ty::object_of(Object { name: "baseParameters".into(), properties, ..Object::default() })
    }
}

/// What `using ... with` takes: how the template is deployed.
fn deployment_config() -> Ty {
    let words = |words: &[&str]| union_of(words.iter().map(Ty::string_literal));
    let optional =
        P::WRITE_ONLY.union(P::DEPLOY_TIME_CONSTANT).union(P::READABLE_AT_DEPLOY_TIME).union(P::DISALLOW_ANY);
    let required = optional.union(P::REQUIRED);
    let strings = || Ty::array_of(Ty::string(), Range::default());
    let length = Range { min: Some(1), max: Some(64) };
    let name = Ty::string_within(length, Some(r"^[-\w._()]+$".into()), TypeFlags::empty());
    let common = || {
        [
            ("name", name.clone(), optional),
            ("scope", Ty::string(), required),
            ("location", Ty::string(), optional),
        ]
    };
    let mode = |mode| ("mode", Ty::string_literal(mode), required);
    let deployment = Ty::closed_object("DeploymentConfig", common().into_iter().chain([mode("deployment")]));
    let action = || words(&["delete", "detach"]);
    let unmanaged = Ty::closed_object(
        "actionOnUnmanage",
        [
            ("resources", action(), required),
            ("resourceGroups", action(), optional),
            ("managementGroups", action(), optional),
        ],
    );
    let deny = Ty::closed_object(
        "denySettings",
        [
            ("applyToChildScopes", Ty::bool(), optional),
            ("excludedActions", strings(), optional),
            ("excludedPrincipals", strings(), optional),
            ("mode", words(&["denyDelete", "denyWriteAndDelete", "none"]), required),
        ],
    );
    let stack = Ty::closed_object(
        "StackConfig",
        common().into_iter().chain([
            mode("stack"),
            ("description", Ty::string(), optional),
            ("actionOnUnmanage", unmanaged, required),
            ("denySettings", deny, required),
        ]),
    );
    discriminated(&"mode".into(), &[deployment, stack], TypeFlags::empty())
}
