//! Properties: the names that an object can still get, and those that can be read of a value.

use smol_str::SmolStr;
use syntax::Span;
use syntax::ast::{ArrayAccess, AstNode as _, Object, PropertyAccess};
use syntax::spelling::is_name;

use super::Completer;
use super::item::{BEFORE_MEMBER, Completion, CompletionKind, Priority, markdown_line};
use crate::types::{Property, PropertyFlags, Ty, TyKind, non_null, quoted, union_of, without_null};

impl<'m> Completer<'_, 'm> {
    /// The names of the properties that an object does not have yet.
    pub(super) fn property_names(&mut self, object: Object<'m>, has_colon: bool) {
        let Some(ty) = self.checker.expected(object.node()) else { return };
        let ty = self.checker.fitting_object(&ty, Some(object));
        let span = self.span;
        for (name, property) in self.properties(&ty) {
            if property.flags.contains(PropertyFlags::READ_ONLY)
                || self.model.property(object, &name).is_some()
            {
                continue;
            }
            let required = is_required(&property);
            let priority = if required { Priority::High } else { Priority::Medium };
            let colon = if has_colon { "" } else { ":" };
            let text = format!("{}{colon}", property_key(&name));
            let item = Completion::plain(CompletionKind::Property, name.clone(), priority, span, text);
            self.out.push(described(item, &name, &property).preselect(required));
        }
    }

    /// The names of the properties that can be read behind a dot.
    pub(super) fn member_properties(&mut self, access: PropertyAccess<'m>, ty: &Ty) {
        let span = self.span;
        for (name, property) in self.properties(&non_null(ty)) {
            if property.flags.contains(PropertyFlags::WRITE_ONLY) {
                continue;
            }
            let is_plain = syntax::spelling::is_name(&name);
            let text = if is_plain {
                name.to_string()
            } else {
                let safe = if access.safe_access().is_some() { "?" } else { "" };
                format!("[{safe}{}]", quoted(&name))
            };
            let item =
                Completion::plain(CompletionKind::Property, name.clone(), Priority::Medium, span, text);
            let mut item = described(item, &name, &property).commit(BEFORE_MEMBER);
            if let Some(dot) = access.dot().filter(|_| !is_plain) {
                let end = access.safe_access().map_or(dot.span().end, |mark| mark.span().end);
                item = item.also(Span::new(dot.span().start, end), "");
            }
            self.out.push(item);
        }
    }

    /// The names of the properties that can be read, in quotes between brackets.
    pub(super) fn indexes(&mut self, access: ArrayAccess<'m>) {
        let ty = self.known_type(access.base());
        let span = self.span;
        for (name, property) in self.properties(&ty) {
            if !property.flags.contains(PropertyFlags::WRITE_ONLY) {
                let text = quoted(&name);
                let item =
                    Completion::plain(CompletionKind::Property, text.clone(), Priority::High, span, text);
                self.out.push(described(item, &name, &property));
            }
        }
    }

    /// The properties of a type that are known by name.
    pub(super) fn properties(&mut self, ty: &Ty) -> Vec<(SmolStr, Property)> {
        let ty = self.checker.fitting_object(ty, None);
        match ty.kind() {
            TyKind::Object(object) => {
                let known = object.properties.iter();
                let known = known.filter(|(_, property)| !property.flags.contains(PropertyFlags::FALLBACK));
                known.map(|(name, property)| (name.clone(), property.clone())).collect()
            }
            // Which of the objects it is has to be said first.
            TyKind::Discriminated(union) => {
                let keys = union_of(union.members.iter().map(|(key, _)| Ty::string_literal(key)));
                vec![(union.key.clone(), Property::new(keys, PropertyFlags::REQUIRED))]
            }
            _ => Vec::new(),
        }
    }
}

/// Tells whether a property must be given.
pub(super) fn is_required(property: &Property) -> bool {
    property.flags.contains(PropertyFlags::REQUIRED) && without_null(&property.ty.get()).is_none()
}

/// The name of a property as it is written in an object.
pub(super) fn property_key(name: &str) -> SmolStr {
    if is_name(name) { name.into() } else { quoted(name) }
}

/// An item for a property, with what is known of it.
pub(super) fn described(item: Completion, name: &str, property: &Property) -> Completion {
    let required = if is_required(property) { " (Required)" } else { "" };
    let mut about = format!("Type: `{}`  \n", property.ty.get());
    let notes = [
        (PropertyFlags::READ_ONLY, "Read-only property"),
        (PropertyFlags::WRITE_ONLY, "Write-only property"),
        (PropertyFlags::CONSTANT, "Requires a compile-time constant value."),
    ];
    for (_, note) in notes.into_iter().filter(|(flag, _)| property.flags.contains(*flag)) {
        about.push_str(&markdown_line(note));
    }
    item.detail(format!("{name}{required}")).documentation(about)
}
