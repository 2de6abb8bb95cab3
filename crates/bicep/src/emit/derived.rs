//! Types that are parts of resource types: `resourceInput<'...'>.properties.x`.

use std::sync::Arc;

use bicep_types::{BuiltInKind, Location, Type, TypeId, TypeStore, TypesFile};

use super::tree::{EmitTree, Members};
use super::typerefs::escape_segment;
use crate::types::TypeReference;

/// Which side of a resource type is meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Variant {
    /// What is given: `resourceInput<>`.
    Input,
    /// What is read: `resourceOutput<>`.
    Output,
}

/// The kinds of properties that every resource has, where its own type says nothing.
const COMMON: [(&str, &str); 19] = [
    ("apiVersion", "string"),
    ("dependsOn", "array"),
    ("eTag", "string"),
    ("extendedLocation", "object"),
    ("id", "string"),
    ("identity", "object"),
    ("kind", "string"),
    ("location", "string"),
    ("managedBy", "string"),
    ("managedByExtended", "array"),
    ("name", "string"),
    ("placement", "object"),
    ("plan", "object"),
    ("properties", "object"),
    ("scale", "object"),
    ("sku", "object"),
    ("tags", "object"),
    ("type", "string"),
    ("zones", "array"),
];

/// A part of a resource type.
#[derive(Clone, Debug)]
pub(crate) struct Derived {
    store: Option<Arc<TypeStore>>,
    ty: TypeReference,
    variant: Variant,
    pointer: Vec<String>,
    at: DerivedTarget,
}

#[derive(Clone, Debug)]
enum DerivedTarget {
    /// A type of the type data.
    Known(Location),
    /// A common property, by its kind.
    Kind(&'static str),
    /// Nothing is known of it when the template is written.
    Unknown,
}

impl Derived {
    pub(super) fn new(store: Option<Arc<TypeStore>>, ty: TypeReference, variant: Variant) -> Derived {
        let at = store.as_ref().and_then(|store| {
            let found = store.resource_type(&ty.name, ty.version.as_deref()).ok()??;
            let file = store.file(found.location.file).ok()?;
            let body = file.resource_type(found.location.id).ok()?.body;
            Some(DerivedTarget::Known(Location { file: found.location.file, id: body }))
        });
        Derived { store, ty, variant, pointer: Vec::new(), at: at.unwrap_or(DerivedTarget::Unknown) }
    }

    fn file(&self) -> Option<Arc<TypesFile>> {
        match &self.at {
            DerivedTarget::Known(location) => self.store.as_ref()?.file(location.file).ok(),
            DerivedTarget::Kind(_) | DerivedTarget::Unknown => None,
        }
    }

    /// The types one step further, as `select` finds them.
    fn step(mut self, path: &[&str], select: impl FnOnce(&Type, &TypesFile) -> Option<TypeId>) -> Derived {
        let found = match &self.at {
            DerivedTarget::Known(location) => self.file().and_then(|file| {
                let id = select(file.get(location.id).ok()?, &file)?;
                Some(DerivedTarget::Known(Location { file: location.file, id }))
            }),
            DerivedTarget::Kind(_) | DerivedTarget::Unknown => None,
        };
        self.at = found.unwrap_or(DerivedTarget::Unknown);
        self.pointer.extend(path.iter().map(|part| (*part).to_owned()));
        self
    }

    pub(super) fn property(self, name: &str) -> Derived {
        let top = self.pointer.is_empty();
        let mut next = self.step(&["properties", name], |ty, file| match ty {
            Type::Object(object) => object.property(name).map(|property| property.ty),
            Type::DiscriminatedObject(object) => {
                let base =
                    object.base_properties.iter().find(|property| property.name == name).map(|it| it.ty);
                base.or_else(|| {
                    object.elements.iter().find_map(|element| match file.get(element.ty) {
                        Ok(Type::Object(object)) => object.property(name).map(|property| property.ty),
                        _ => None,
                    })
                })
            }
            _ => None,
        });
        if top
            && matches!(next.at, DerivedTarget::Unknown)
            && let Some((_, kind)) = COMMON.iter().find(|(known, _)| *known == name)
        {
            next.at = DerivedTarget::Kind(kind);
        }
        next
    }

    pub(super) fn additional_properties(self) -> Derived {
        self.step(&["additionalProperties"], |ty, _| match ty {
            Type::Object(object) => object.additional_properties,
            _ => None,
        })
    }

    pub(super) fn items(self) -> Derived {
        self.step(&["items"], |ty, _| match ty {
            Type::Array(array) => Some(array.item),
            _ => None,
        })
    }

    pub(super) fn index(self, index: usize) -> Derived {
        self.step(&["prefixItems", &index.to_string()], |_, _| None)
    }

    /// The members that describe the type: its kind, where there is one, and where it comes from.
    pub(super) fn members<'u>(&self) -> Members<'u> {
        let mut source = self.ty.full_name();
        for (position, segment) in self.pointer.iter().enumerate() {
            source.push(if position == 0 { '#' } else { '/' });
            source.push_str(&escape_segment(segment));
        }
        let origin = match self.variant {
            Variant::Input => EmitTree::Object(vec![("source".into(), EmitTree::text(source))]),
            Variant::Output => EmitTree::Object(vec![
                ("source".into(), EmitTree::text(source)),
                ("output".into(), EmitTree::Bool(true)),
            ]),
        };
        let metadata = EmitTree::Object(vec![("__bicep_resource_derived_type!".into(), origin)]);
        let mut members: Members<'u> = Vec::new();
        if let Some(kind) = self.kind() {
            members.push(("type".into(), EmitTree::text(kind)));
        }
        members.push(("metadata".into(), metadata));
        members
    }

    fn kind(&self) -> Option<&'static str> {
        match &self.at {
            DerivedTarget::Known(location) => kind_of(&*self.file()?, location.id, 0),
            DerivedTarget::Kind(kind) => Some(kind),
            DerivedTarget::Unknown => None,
        }
    }

    /// The variants of the type by the value of the property that selects them.
    pub(super) fn variants(&self, property: &str) -> Vec<(String, Derived)> {
        let (DerivedTarget::Known(location), Some(file)) = (&self.at, self.file()) else { return Vec::new() };
        match file.get(location.id) {
            Ok(Type::Object(object)) => {
                let value = object.property(property).and_then(|property| match file.get(property.ty) {
                    Ok(Type::StringLiteral(literal)) => Some(literal.value.to_string()),
                    _ => None,
                });
                value.map(|value| (value, self.clone())).into_iter().collect()
            }
            Ok(Type::DiscriminatedObject(object)) => {
                let mut elements: Vec<_> = object.elements.iter().collect();
                elements.sort_by(|a, b| format!("'{}'", a.value).cmp(&format!("'{}'", b.value)));
                let variant = |element: &&bicep_types::Element| {
                    let mut derived = self.clone();
                    derived.pointer.extend([
                        "discriminator".to_owned(),
                        "mapping".to_owned(),
                        element.value.to_string(),
                    ]);
                    derived.at = DerivedTarget::Known(Location { file: location.file, id: element.ty });
                    (element.value.to_string(), derived)
                };
                elements.iter().map(variant).collect()
            }
            _ => Vec::new(),
        }
    }
}

/// The kind of values that a type has, if it is one.
fn kind_of(file: &TypesFile, id: TypeId, depth: usize) -> Option<&'static str> {
    const MAX_DEPTH: usize = 16;
    match file.get(id).ok()? {
        Type::String(_) | Type::StringLiteral(_) => Some("string"),
        Type::Integer(_) => Some("int"),
        Type::Boolean => Some("bool"),
        Type::Object(_) | Type::DiscriminatedObject(_) => Some("object"),
        Type::Array(_) => Some("array"),
        Type::Union(union) if depth < MAX_DEPTH => {
            let mut kinds = union.elements.iter().map(|element| kind_of(file, *element, depth + 1));
            let first = kinds.next()??;
            kinds.all(|kind| kind == Some(first)).then_some(first)
        }
        Type::BuiltIn(kind) => match kind {
            BuiltInKind::Bool => Some("bool"),
            BuiltInKind::Int => Some("int"),
            BuiltInKind::String => Some("string"),
            BuiltInKind::Object => Some("object"),
            BuiltInKind::Array => Some("array"),
            _ => None,
        },
        _ => None,
    }
}
