//! Options of resources and modules: whatever they are called, a name and its arguments.
//!
//! The types of a declared decorator are not in the template, which the engine reads without its configuration. An argument that is
//! not certain to have its type passes a function of the template that takes and returns that type, so that the engine asks it
//! when the value is there.

use syntax::SyntaxNode;

use super::emitter::Emitter;
use super::tree::{EmitTree, Members, merge};
use crate::decorators::{Applied, ForFile};
use crate::language::Dialect;
use crate::layout::{CarriedMembers, CarriedType, carried, is_certain};

/// The namespace of the functions that have the types of arguments.
const NAMESPACE: &str = "__options";

/// A function that has the type of a parameter.
struct TypeFunction<'u> {
    name: String,
    parameter: String,
    ty: Members<'u>,
}

impl<'u> Emitter<'u> {
    /// Writes the options of a resource or module.
    pub(super) fn options(&mut self, node: SyntaxNode<'u>) {
        let model = self.unit.model;
        let mut found: Vec<_> = model.options(node).collect();
        if found.is_empty() {
            return;
        }
        // In the public compiler, decorators take effect from the declaration upwards.
        if model.dialect == Dialect::Public {
            found.reverse();
        }
        self.out.key("@options");
        self.out.begin_object();
        for (applied, call) in found {
            let name = match applied {
                Applied::BuiltIn(row) => row.name,
                Applied::Configured(own) => own.row.name.as_str(),
                Applied::Declared(_) | Applied::Member(_) => continue,
            };
            self.out.key(name);
            self.out.begin_array();
            for (position, argument) in call.arguments().enumerate() {
                let function = match applied {
                    Applied::Configured(own) if !is_certain(model, argument) => {
                        self.type_function(own, position)
                    }
                    _ => None,
                };
                match function {
                    Some(function) => {
                        let argument = self.convert(argument);
                        let name = format!("{NAMESPACE}.{}", function.name);
                        let call = self.arena.call_named(&name, &[argument]);
                        self.expression(call);
                        self.done();
                    }
                    None => self.value(argument),
                }
            }
            self.out.end_array();
        }
        self.out.end_object();
    }

    /// The function that has the type of a parameter; none for a parameter that takes anything.
    fn type_function(&self, own: &ForFile, position: usize) -> Option<TypeFunction<'u>> {
        let parameter = own.row.parameters.get(position)?;
        let ty = members_of(carried(&parameter.ty).filter(|ty| !ty.is_empty())?);
        let declared = &self.unit.model.declared;
        let called = |other: &&ForFile| other.row.name.eq_ignore_ascii_case(&own.row.name);
        // Two extensions may have decorators of one name.
        let place = declared.iter().filter(called).position(|other| other == own).filter(|place| *place > 0);
        let place = place.map(|place| format!("{}_", place + 1)).unwrap_or_default();
        let name = format!("{}_{place}{}", own.row.name, parameter.name);
        Some(TypeFunction { name, parameter: parameter.name.to_string(), ty })
    }

    /// The functions that the options of the file need.
    fn type_functions(&self) -> Vec<TypeFunction<'u>> {
        let model = self.unit.model;
        let mut functions: Vec<TypeFunction<'u>> = Vec::new();
        for (applied, call) in crate::layout::deployed(model).flat_map(|node| model.options(node)) {
            let Applied::Configured(own) = applied else { continue };
            for (position, argument) in call.arguments().enumerate() {
                let function = self.type_function(own, position).filter(|_| !is_certain(model, argument));
                if let Some(function) = function
                    && !functions.iter().any(|known| known.name == function.name)
                {
                    functions.push(function);
                }
            }
        }
        functions
    }

    /// Tells whether the options of the file need functions.
    pub(super) fn has_type_functions(&self) -> bool {
        !self.type_functions().is_empty()
    }

    /// Writes the functions that the options of the file need, in a namespace of their own.
    pub(super) fn write_type_functions(&mut self) {
        let functions = self.type_functions();
        if functions.is_empty() {
            return;
        }
        self.out.begin_object();
        self.text_member("namespace", NAMESPACE);
        self.out.key("members");
        self.out.begin_object();
        for TypeFunction { name, parameter, ty } in functions {
            self.out.key(&name);
            self.out.begin_object();
            self.out.key("parameters");
            self.out.begin_array();
            let mut members = ty.clone();
            merge(&mut members, "name", EmitTree::text(parameter.clone()));
            self.tree(&EmitTree::Object(members));
            self.out.end_array();
            self.out.key("output");
            self.out.begin_object();
            self.members(&ty);
            self.out.key("value");
            let argument = self.arena.text(&parameter);
            let value = self.arena.call("parameters", &[argument]);
            self.expression(value);
            self.done();
            self.out.end_object();
            self.out.end_object();
        }
        self.out.end_object();
        self.out.end_object();
    }
}

/// The members that say a type. Types nest as deep as what makes them lets them.
fn members_of<'u>(carried: CarriedMembers) -> Members<'u> {
    carried.into_iter().map(|(name, value)| (name.to_string().into(), tree_of(value))).collect()
}

fn tree_of<'u>(carried: CarriedType) -> EmitTree<'u> {
    match carried {
        CarriedType::Bool(value) => EmitTree::Bool(value),
        CarriedType::Int(value) => EmitTree::Int(value),
        CarriedType::Text(text) => EmitTree::text(text.to_string()),
        CarriedType::Object(members) => EmitTree::Object(members_of(members)),
        CarriedType::Array(items) => EmitTree::Array(items.into_iter().map(tree_of).collect()),
    }
}
