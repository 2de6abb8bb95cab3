//! Values of the type that is asked for: literals, lists, objects, lambdas and files.

use syntax::ast::{AstNode as _, Expr, ObjectProperty};
use syntax::{NodeKind, SyntaxNode};

use super::Completer;
use super::expected_syntax::ValuePlace;
use super::item::{Completion, CompletionKind, Priority};
use crate::symbols::CallSyntax;
use crate::types::azure::dependency;
use crate::types::{Ty, TyKind, union_of};

/// How many types inside each other are looked at.
const MAX_DEPTH: u32 = 64;

impl<'m> Completer<'_, 'm> {
    pub(super) fn value_at(&mut self, place: ValuePlace<'m>) {
        match place {
            ValuePlace::Property(property) => self.property_value(property),
            ValuePlace::Item(array) => {
                let Some(ty) = self.checker.expected(array.node()) else { return };
                let Some((item, _)) = crate::types::non_null(&ty).as_list() else { return };
                // Resources and modules are named, and their names are offered as such.
                if !item.is_same(&dependency()) {
                    self.values(&item, false, 0);
                }
            }
            ValuePlace::Part(node) => {
                if let Some(ty) = self.checker.expected(node) {
                    self.values(&ty, false, 0);
                }
            }
            ValuePlace::Default(parameter) => {
                if let Some(symbol) = self.model.symbol_at(parameter.node()) {
                    let ty = self.checker.symbol_type(symbol);
                    self.values(&ty, false, 0);
                }
            }
            ValuePlace::Variable(variable) => match variable.ty() {
                Some(_) => {
                    if let Some(ty) = self.checker.decorated_type(variable.node()) {
                        self.values(&ty, true, 0);
                    }
                }
                None => self.loops(&Ty::any(), false),
            },
            ValuePlace::Output(output) => {
                if let Some(ty) = self.checker.decorated_type(output.node()) {
                    self.values(&ty, true, 0);
                }
            }
            ValuePlace::Assignment(assignment) => {
                let interface = self.checker.using_interface();
                let parameter = interface
                    .as_ref()
                    .and_then(|interface| interface.parameters.get(assignment.name().text()));
                if let Some(parameter) = parameter {
                    self.values(&parameter.ty, false, 0);
                }
            }
            ValuePlace::TargetScope => {
                let words = ["managementGroup", "resourceGroup", "subscription", "tenant"];
                self.values(&union_of(words.map(Ty::string_literal)), false, 0);
            }
            ValuePlace::Assert => self.values(&Ty::bool(), false, 0),
            ValuePlace::Argument(call, place) => self.argument_values(call, place),
            ValuePlace::ExtensionConfig(extension) => {
                let symbol = self.model.symbol_at(extension.node());
                if let Some(config) = symbol.and_then(|symbol| self.checker.extension_config(symbol)) {
                    self.values(&config, false, 0);
                }
            }
            // Nothing is known of it yet, only that it is an object.
            ValuePlace::UsingConfig(_) => self.values(&Ty::object(), false, 0),
        }
    }

    fn property_value(&mut self, property: ObjectProperty<'m>) {
        let Some(ty) = self.checker.expected(property.value().node()) else { return };
        let loops = !self.is_in_property_loop();
        self.values(&ty, loops, 0);
        let declaration = self.enclosing_declaration().map(SyntaxNode::kind);
        let is_identity = property.key().constant().is_some_and(|name| name == "identity");
        match declaration {
            Some(NodeKind::ResourceDeclaration) if is_identity => self.identities(true),
            Some(NodeKind::ModuleDeclaration) if is_identity => self.identities(false),
            _ => {}
        }
    }

    /// Tells whether the place is in the loop of a property, which can have no other one in it.
    fn is_in_property_loop(&self) -> bool {
        let mut around = None;
        self.place.nodes.iter().any(|node| {
            let is_value = around.replace(node.kind()) == Some(NodeKind::ObjectProperty);
            node.kind() == NodeKind::For && is_value
        })
    }

    /// The usual identities of a resource or module.
    fn identities(&mut self, of_resource: bool) {
        let user = "  userAssignedIdentities: {\n    '${${0:identityId}}': {}\n  }\n";
        let each = "  userAssignedIdentities: toObject(${0:identityIdArray}, x => x, x => {})\n";
        let rows = [
            ("user-assigned-identity", "User assigned identity", "UserAssigned", user, true),
            ("user-assigned-identity-array", "User assigned identity array", "UserAssigned", each, true),
            ("none-identity", "None identity", "None", "", true),
            ("system-assigned-identity", "System assigned identity", "SystemAssigned", "", false),
            (
                "user-and-system-assigned-identity",
                "User and system assigned identity",
                "SystemAssigned,UserAssigned",
                user,
                false,
            ),
        ];
        for (label, detail, kind, more, for_modules) in rows {
            if of_resource || for_modules {
                let text = format!("{{\n  type: '{kind}'\n{more}}}");
                let item = Completion::snippet(label, detail, Priority::High, self.span, &text);
                self.out.push(item.preselect(true));
            }
        }
    }

    fn argument_values(&mut self, call: SyntaxNode<'m>, place: usize) {
        let Some(call) = Expr::cast(call).and_then(CallSyntax::of) else { return };
        if self.file_argument(call, place) {
            return;
        }
        let whole = if self.checker.merges(call.node()) { self.checker.expected(call.node()) } else { None };
        if let Some(ty) = whole.or_else(|| self.checker.argument_type(call, place)) {
            self.values(&ty, false, 0);
        }
    }

    /// The values of a type that can be written out.
    pub(super) fn values(&mut self, ty: &Ty, with_loops: bool, depth: u32) {
        let Some(depth) = depth.checked_add(1).filter(|depth| *depth <= MAX_DEPTH) else { return };
        match ty.kind() {
            TyKind::Bool => {
                for word in ["true", "false"] {
                    self.out.push(Completion::keyword(word, word, Priority::High, self.span).preselect(true));
                }
            }
            TyKind::StrLit(_) | TyKind::IntLit(_) | TyKind::BoolLit(_) => {
                let name = ty.name();
                let item = Completion::plain(
                    CompletionKind::EnumMember,
                    name.clone(),
                    Priority::Medium,
                    self.span,
                    name.as_str(),
                );
                self.out.push(item.detail(name.as_str()).preselect(true));
            }
            TyKind::Array(_) | TyKind::Tuple(_) => {
                let item =
                    Completion::plain(CompletionKind::Value, "[]", Priority::High, self.span, "[\n\t$0\n]");
                self.out.push(item.into_snippet().detail("[]").preselect(true));
                if let Some((item, _)) = ty.as_list().filter(|_| with_loops) {
                    self.loops(&item, false);
                }
            }
            TyKind::Object(_) | TyKind::Discriminated(_) => self.object_bodies(ty),
            TyKind::Union(members) => {
                for member in members {
                    self.values(&member.get(), with_loops, depth);
                }
            }
            TyKind::Lambda(lambda) => self.lambda(lambda.required.len()),
            TyKind::Any
            | TyKind::Null
            | TyKind::Int(_)
            | TyKind::Str(_)
            | TyKind::Resource(_)
            | TyKind::Module(..)
            | TyKind::Test(_)
            | TyKind::ScopeRef(_)
            | TyKind::ParentOf(_)
            | TyKind::ResourceParameter(_)
            | TyKind::TypeOf(_)
            | TyKind::Error(_) => {}
        }
    }

    fn lambda(&mut self, count: usize) {
        let (shown, text) = if count == 1 {
            ("arg".to_owned(), "${1:arg}".to_owned())
        } else {
            let names: Vec<String> = (1..=count).map(|place| format!("arg{place}")).collect();
            let places: Vec<String> = (1..=count).map(|place| format!("${{{place}:arg{place}}}")).collect();
            (format!("({})", names.join(", ")), format!("({})", places.join(", ")))
        };
        let label = format!("{shown} => ...");
        let item = Completion::snippet(&label, &label, Priority::High, self.span, &format!("{text} => $0"));
        self.out.push(item);
    }
}
