//! The type that is asked for at a place: what a value that stands there, or is about to be written there, should be.

use syntax::ast::{
    Array, AstNode as _, Expr, For, IfCondition, Lambda, Object, ObjectProperty, ParameterDeclaration,
    Statement, TernaryOperation, TypedLambda,
};
use syntax::{NodeKind, SyntaxNode};

use super::Checker;
use crate::symbols::CallSyntax;
use crate::types::{Object as ObjectTy, Ty, TyKind, TypeRef, non_null, union_of};

/// One step from a value to a part of it.
enum ExpectedStep<'m> {
    /// To the value of a property.
    Property(Object<'m>, ObjectProperty<'m>),
    /// To an item of an array, by its place.
    Item(usize),
    /// To each value of a loop.
    Each,
    /// From a lambda to its body.
    Result,
}

impl<'m> Checker<'m> {
    /// The type that is asked for where an expression stands; none where nothing is said about it.
    pub(crate) fn expected(&mut self, node: SyntaxNode<'m>) -> Option<Ty> {
        let mut steps: Vec<ExpectedStep<'m>> = Vec::new();
        let mut at = node;
        let mut ty = loop {
            let parent = self.model.parent(at)?;
            match parent.kind() {
                NodeKind::ParenthesizedExpression | NodeKind::NonNullAssertion => {}
                NodeKind::ObjectProperty => {
                    let property = ObjectProperty::cast(parent)?;
                    let object = Object::cast(self.model.parent(parent)?)?;
                    if property.value().node() != at {
                        return None;
                    }
                    steps.push(ExpectedStep::Property(object, property));
                    at = object.node();
                    continue;
                }
                NodeKind::FunctionCall | NodeKind::InstanceFunctionCall if self.merges(parent) => {}
                NodeKind::Array if self.is_merged(parent) => {}
                NodeKind::Array => {
                    let place = Array::cast(parent)?.values().position(|value| value.node() == at);
                    steps.push(ExpectedStep::Item(place?));
                }
                NodeKind::TernaryOperation => {
                    if TernaryOperation::cast(parent)?.condition().node() == at {
                        break Ty::bool();
                    }
                }
                NodeKind::IfCondition => {
                    if IfCondition::cast(parent)?.condition().node() == at {
                        break Ty::bool();
                    }
                }
                NodeKind::For => {
                    if For::cast(parent)?.expression().node() == at {
                        break Ty::array();
                    }
                    steps.push(ExpectedStep::Each);
                }
                NodeKind::Lambda => {
                    if Lambda::cast(parent)?.body().node() != at {
                        return None;
                    }
                    steps.push(ExpectedStep::Result);
                }
                _ => break self.asked_by(parent, at)?,
            }
            at = parent;
        };
        while let Some(step) = steps.pop() {
            ty = self.stepped(&ty, &step)?;
        }
        Some(ty)
    }

    /// Tells whether a node is a call whose result is made of the parts of its arguments, so that what is asked of the
    /// result is asked of them.
    pub(crate) fn merges(&self, node: SyntaxNode<'m>) -> bool {
        let function = self.model.binding(node.id()).function();
        function.is_some_and(|function| matches!(function.name, "union" | "shallowMerge"))
    }

    /// Tells whether a node is a list of objects that a call merges.
    fn is_merged(&self, node: SyntaxNode<'m>) -> bool {
        let around = self.model.parent(node);
        let function = around.and_then(|around| self.model.binding(around.id()).function());
        function.is_some_and(|function| function.name == "shallowMerge")
    }

    /// The type that a declaration or call asks for, of one of its parts.
    fn asked_by(&mut self, parent: SyntaxNode<'m>, part: SyntaxNode<'m>) -> Option<Ty> {
        match parent.kind() {
            NodeKind::ParameterDefaultValue => {
                let declaration = ParameterDeclaration::cast(self.model.parent(parent)?)?;
                self.model.symbol_at(declaration.node()).map(|symbol| self.symbol_type(symbol))
            }
            NodeKind::ExtensionWithClause => {
                let declaration = self.model.parent(parent)?;
                let symbol = self.model.symbol_at(declaration)?;
                if declaration.kind() == NodeKind::ExtensionConfigAssignment {
                    let name = &self.model.symbol(symbol).name;
                    let interface = self.using_interface()?;
                    let found = interface.extensions.iter().find(|extension| extension.alias == *name)?;
                    return found.config.clone();
                }
                self.extension_config(symbol)
            }
            NodeKind::TypedLambda => {
                let lambda = TypedLambda::cast(parent)?;
                (lambda.body().node() == part).then(|| self.written_type(lambda.return_type()))
            }
            NodeKind::FunctionCall | NodeKind::InstanceFunctionCall => {
                let call = CallSyntax::of(Expr::cast(parent)?)?;
                let place = call.arguments().position(|argument| argument.node() == part)?;
                self.argument_type(call, place)
            }
            _ => self.asked_by_statement(Statement::cast(parent)?, part),
        }
    }

    fn asked_by_statement(&mut self, statement: Statement<'m>, part: SyntaxNode<'m>) -> Option<Ty> {
        let value = |value: Expr<'m>| (value.node() == part).then_some(());
        match statement {
            Statement::TargetScope(it) => {
                value(it.value())?;
                let words = ["tenant", "managementGroup", "subscription", "resourceGroup"];
                Some(union_of(words.into_iter().map(Ty::string_literal)))
            }
            Statement::VariableDeclaration(it) => {
                value(it.value())?;
                it.ty()?;
                self.decorated_type(it.node())
            }
            Statement::OutputDeclaration(it) => {
                value(it.value())?;
                self.decorated_type(it.node())
            }
            Statement::AssertDeclaration(it) => value(it.value()).map(|()| Ty::bool()),
            Statement::ResourceDeclaration(it) => {
                value(it.value())?;
                let symbol = self.model.symbol_at(it.node())?;
                let declared = self.declared_resource(symbol);
                Some(looped(declared, it.value()))
            }
            Statement::ModuleDeclaration(it) => {
                value(it.value())?;
                let symbol = self.model.symbol_at(it.node())?;
                let declared = self.declared_module(symbol);
                Some(looped(declared, it.value()))
            }
            Statement::TestDeclaration(it) => {
                value(it.value())?;
                self.expected_test_body(it)
            }
            Statement::ParameterAssignment(it) => {
                value(it.value())?;
                let interface = self.using_interface()?;
                interface.parameters.get(it.name().text()).map(|parameter| parameter.ty.clone())
            }
            Statement::MetadataDeclaration(_)
            | Statement::ParameterDeclaration(_)
            | Statement::TypeDeclaration(_)
            | Statement::FunctionDeclaration(_)
            | Statement::CompileTimeImportDeclaration(_)
            | Statement::ExtensionDeclaration(_)
            | Statement::ExtensionConfigAssignment(_)
            | Statement::UsingDeclaration(_)
            | Statement::ExtendsDeclaration(_)
            | Statement::MissingDeclaration(_)
            | Statement::Skipped(_) => None,
        }
    }

    /// The type that a call asks for as an argument: of all signatures that could be meant.
    pub(crate) fn argument_type(&mut self, call: CallSyntax<'m>, place: usize) -> Option<Ty> {
        let callee = self.callee(call)?;
        if let Some(ty) = self.dependent_type(&callee, call, place) {
            return Some(ty);
        }
        let takes = callee.iter().filter(|signature| signature.max().is_none_or(|max| max > place));
        let types: Vec<Ty> = takes.map(|signature| signature.argument(place)).collect();
        match types.as_slice() {
            [] => None,
            [ty] => Some(ty.clone()),
            _ => Some(union_of(types)),
        }
    }

    /// The type of a part of a value.
    fn stepped(&mut self, ty: &Ty, step: &ExpectedStep<'m>) -> Option<Ty> {
        let ty = non_null(ty);
        match step {
            ExpectedStep::Property(object, property) => {
                let name = property.key().constant()?;
                let found = self.fitting_object(&ty, Some(*object));
                if let TyKind::Discriminated(union) = found.kind()
                    && union.key == name.as_ref()
                {
                    return Some(union_of(union.members.iter().map(|(key, _)| Ty::string_literal(key))));
                }
                let found = found.as_object()?;
                let property = found.properties.get(name.as_ref()).or(found.additional.as_ref())?;
                Some(property.ty.get())
            }
            ExpectedStep::Item(place) => match ty.kind() {
                TyKind::Tuple(items) => items.get(*place).map(TypeRef::get),
                _ => ty.as_list().map(|(item, _)| item),
            },
            ExpectedStep::Each => ty.as_list().map(|(item, _)| item),
            ExpectedStep::Result => match ty.kind() {
                TyKind::Lambda(lambda) => Some(lambda.result.get()),
                _ => None,
            },
        }
    }

    /// The object type that an object is meant to be of: without `null`, and of several the one that its discriminator
    /// chooses, as far as it is written.
    pub(crate) fn fitting_object(&mut self, ty: &Ty, written: Option<Object<'m>>) -> Ty {
        let ty = non_null(&ty.body());
        match ty.kind() {
            TyKind::Discriminated(union) => {
                let given = written.and_then(|object| self.model.property(object, &union.key));
                let given = given.map(|property| self.ty(property.value()));
                let given = given.as_ref().and_then(Ty::as_string_literal);
                let member = union.members.iter().find(|(key, _)| Some(key) == given);
                member.map_or_else(|| ty.clone(), |(_, member)| member.get())
            }
            TyKind::Union(members) => {
                let mut objects = members.iter().map(|member| member.get().body());
                let objects: Vec<Ty> = objects.by_ref().filter(|it| it.as_object().is_some()).collect();
                match objects.as_slice() {
                    [] => ty.clone(),
                    [object] => object.clone(),
                    _ => merged(&objects),
                }
            }
            _ => ty,
        }
    }
}

/// The type of a declaration, which is a list of them if it is a loop.
fn looped(declared: Ty, value: Expr<'_>) -> Ty {
    if matches!(value, Expr::For(_)) { Ty::array_of(declared, Default::default()) } else { declared }
}

/// An object with the properties of all: those that several have can be of either's type.
fn merged(objects: &[Ty]) -> Ty {
    let mut all = ObjectTy { name: "object".into(), ..ObjectTy::default() };
    for object in objects.iter().filter_map(Ty::as_object) {
        for (name, property) in &object.properties {
            match all.properties.get_mut(name) {
                Some(known) => {
                    known.ty = union_of([known.ty.get(), property.ty.get()]).into();
                    known.flags = known.flags.intersection(property.flags);
                }
                None => {
                    all.properties.insert(name.clone(), property.clone());
                }
            }
        }
        all.additional = all.additional.or_else(|| object.additional.clone());
    }
    Ty::object_of(all)
}
