//! Decorators that fit what they stand on: built-in ones, those of the configuration and of extensions, and functions
//! of the program that validate values.

use rustc_hash::FxHashSet;
use smol_str::SmolStr;
use syntax::ast::{Decorator, Expr};
use syntax::{NodeKind, SyntaxNode};

use super::Completer;
use crate::language::Dialect;
use crate::symbols::{Binding, SymbolId, SymbolKind};
use crate::types::{BuiltIn, FunctionFlags as F, Role, Signature, Ty, assignable, without_null};

/// What decorators are looked for.
struct DecoratorTarget {
    /// The kinds of decorators that can stand here.
    flags: F,
    /// The type of what is decorated, where that matters; without it every type will do.
    ty: Option<Ty>,
}

impl<'m> Completer<'_, 'm> {
    pub(super) fn decorators(&mut self, decorator: Decorator<'m>) {
        let target = self.target();
        let base = match decorator.expression() {
            Expr::PropertyAccess(access) => Some(access.base()),
            Expr::InstanceFunctionCall(call) => Some(call.base()),
            _ => None,
        };
        if let Some(base) = base {
            let binding = self.model.binding(syntax::ast::AstNode::node(base).id());
            match binding {
                Binding::Namespace(BuiltIn::Sys) => self.built_in_decorators(&target, None),
                Binding::Symbol(symbol) => self.decorators_of(symbol, &target),
                _ => {}
            }
            return;
        }
        let model = self.model;
        let declared: FxHashSet<SmolStr> = model
            .symbols()
            .filter(|(_, symbol)| !symbol.kind.is_local() && symbol.kind.can_be_referenced())
            .map(|(_, symbol)| symbol.name.clone())
            .collect();
        let before = self.out.len();
        self.built_in_decorators(&target, Some(&declared));
        if self.out.len() > before {
            let system = self.namespace_names().into_iter().find(|(_, space)| *space == Some(BuiltIn::Sys));
            if let Some((name, _)) = system {
                self.out.push(self.namespace_item(&name));
            }
        }
        self.configured_decorators(&target);
        self.validators(&target);
    }

    /// What the decorator stands on.
    fn target(&mut self) -> DecoratorTarget {
        let Some(node) = self.enclosing_declaration() else {
            return DecoratorTarget { flags: F::ANY_DECORATOR, ty: None };
        };
        let flags = match node.kind() {
            // Nothing follows yet, so it can become anything.
            NodeKind::MissingDeclaration => return DecoratorTarget { flags: F::ANY_DECORATOR, ty: None },
            NodeKind::MetadataDeclaration => F::METADATA_DECORATOR,
            NodeKind::ParameterDeclaration => F::PARAMETER_DECORATOR,
            NodeKind::VariableDeclaration => F::VARIABLE_DECORATOR,
            NodeKind::OutputDeclaration => F::OUTPUT_DECORATOR,
            NodeKind::FunctionDeclaration => F::FUNCTION_DECORATOR,
            NodeKind::ResourceDeclaration => F::RESOURCE_DECORATOR,
            NodeKind::ModuleDeclaration => F::MODULE_DECORATOR,
            NodeKind::ExtensionDeclaration => F::EXTENSION_DECORATOR,
            NodeKind::TypeDeclaration
            | NodeKind::ObjectTypeProperty
            | NodeKind::ObjectTypeAdditionalProperties
            | NodeKind::TupleTypeItem => F::TYPE_DECORATOR,
            _ => F::empty(),
        };
        DecoratorTarget { flags, ty: self.target_type(node) }
    }

    fn target_type(&mut self, node: SyntaxNode<'m>) -> Option<Ty> {
        let declared = self.checker.decorated_type(node);
        let ty = match declared {
            Some(ty) => ty,
            None => self.checker.symbol_type(self.model.symbol_at(node)?),
        };
        let ty = without_null(&ty).unwrap_or(ty);
        (!ty.is_error() && !ty.is_any()).then_some(ty)
    }

    fn built_in_decorators(&mut self, target: &DecoratorTarget, declared: Option<&FxHashSet<SmolStr>>) {
        let (visibility, dialect) = (self.model.visibility(), self.model.dialect);
        let names: Vec<&'static str> = visibility.decorator_names().collect();
        for row in names.into_iter().filter_map(|name| visibility.decorator(name)) {
            let fits = row.targets(dialect).intersects(target.flags)
                && target.ty.as_ref().is_none_or(|ty| assignable(ty, &row.attachable()));
            if fits {
                let is_taken = declared.is_some_and(|declared| declared.contains(row.name));
                let label = if is_taken { format!("sys.{}", row.name) } else { row.name.to_owned() };
                let item = self.signatures_item(row.name, &label, &[row.signature(dialect)], row.doc);
                self.out.push(item);
            }
        }
    }

    /// Decorators that a configuration file or an extension declares.
    fn configured_decorators(&mut self, target: &DecoratorTarget) {
        let model = self.model;
        for own in &model.declared {
            if own.row.targets.intersects(target.flags) {
                let item = self.signatures_item(&own.row.name, &own.row.name, &[own.row.signature()], "");
                self.out.push(item);
            }
        }
    }

    /// Functions of the program that can say whether a value is valid.
    fn validators(&mut self, target: &DecoratorTarget) {
        if self.model.dialect == Dialect::Public || !target.flags.intersects(F::DATA_DECORATOR) {
            return;
        }
        let model = self.model;
        let functions: Vec<SymbolId> = model
            .declarations
            .functions
            .iter()
            .chain(&model.declarations.imported)
            .copied()
            .filter(|symbol| !model.symbol(*symbol).name.starts_with('<'))
            .collect();
        for symbol in functions {
            let signature = match model.symbol(symbol).kind {
                SymbolKind::Function => self.checker.function_signature(symbol),
                _ => self.checker.imported_function(symbol),
            };
            if let Some(signature) = signature {
                let about = self.description(symbol).unwrap_or_default();
                self.validator(&signature, target, &about);
            }
        }
        for symbol in &model.declarations.wildcards {
            self.out.push(self.namespace_item(&model.symbol(*symbol).name));
        }
    }

    /// What a namespace that the program names has: decorators of the language, or functions of another file.
    fn decorators_of(&mut self, symbol: SymbolId, target: &DecoratorTarget) {
        let ty = self.checker.symbol_type(symbol);
        let Some(object) = ty.as_object() else { return };
        match object.role {
            Role::BuiltIn(BuiltIn::Sys) => self.built_in_decorators(target, None),
            Role::Wildcard if self.model.dialect == Dialect::Tendon => {
                for signature in object.methods.iter().flat_map(|methods| methods.iter()) {
                    self.validator(signature, target, "");
                }
            }
            _ => {}
        }
    }

    /// A function whose first parameter takes what is decorated.
    fn validator(&mut self, signature: &Signature, target: &DecoratorTarget, about: &str) {
        let Some((first, rest)) = signature.parameters.split_first() else { return };
        let fits = target.ty.as_ref().is_none_or(|ty| assignable(ty, &first.ty));
        if fits && crate::check::is_verdict(&signature.result) {
            let shown = Signature { parameters: rest.to_vec(), ..signature.clone() };
            let item = self.signatures_item(&signature.name, &signature.name, &[shown], about);
            self.out.push(item);
        }
    }
}
