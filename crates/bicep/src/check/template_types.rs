//! The types that a template in JSON declares, those derived from resource types included.

use std::collections::BTreeMap;
use std::sync::Arc;

use bicep_types::TypeStore;
use contract::Node;
use document::SourceValue;
use rustc_hash::{FxHashMap, FxHashSet};
use smol_str::SmolStr;

use crate::symbols::referenced;
use crate::types::azure::{self, DeclarationFlags, Variant};
use crate::types::{
    LaterType, Object, Property, PropertyFlags, Range, ResourceTy, Ty, TyKind, TypeFlags, TypeRef,
    TypeReference, discriminated, nullable, object_name, union_of,
};

/// How deep types may be nested, definitions not counted.
const MAX_DEPTH: usize = 64;

/// Where a template says which resource type a type comes from.
const DERIVED: &str = "__bicep_resource_derived_type!";

/// Reads the types of one template. A definition is read once, however often it is referred to.
pub(super) struct Reader<'t> {
    root: SourceValue<'t>,
    az_types: Option<Arc<TypeStore>>,
    definitions: FxHashMap<&'t str, Arc<LaterType>>,
    /// Whether properties are required unless they can be null; else the template lists those that are.
    all_required: bool,
}

impl<'t> Reader<'t> {
    pub(super) fn new(root: SourceValue<'t>, az_types: Option<Arc<TypeStore>>) -> Reader<'t> {
        let all_required = root.member("languageVersion").is_some();
        Reader { root, az_types, definitions: FxHashMap::default(), all_required }
    }

    /// The type of a parameter or an output.
    pub(super) fn read(&mut self, value: SourceValue<'t>, loose: bool) -> Ty {
        self.ty(value, loose, 0)
    }

    fn ty(&mut self, value: SourceValue<'t>, loose: bool, depth: usize) -> Ty {
        if depth > MAX_DEPTH {
            return Ty::any();
        }
        if let Some((_, target)) = self.referred(value) {
            let made = self.ty(target, loose, depth + 1);
            return nullable_if(is_true(value, "nullable"), made);
        }
        let made = match self.derived(value) {
            Some(derived) => derived,
            None => self.plain(value, loose, depth),
        };
        nullable_if(is_true(value, "nullable"), made)
    }

    /// The definition that a type refers to, with its address.
    fn referred(&self, value: SourceValue<'t>) -> Option<(&'t str, SourceValue<'t>)> {
        let reference = text(value, "$ref")?;
        Some((reference.strip_prefix('#')?, referenced(self.root, reference)?))
    }

    /// A type that may be worked out later, because it may contain itself, with its name.
    fn part(&mut self, value: SourceValue<'t>, depth: usize) -> (TypeRef, SmolStr) {
        let Some((pointer, target)) = self.referred(value) else {
            let made = self.ty(value, false, depth + 1);
            let name = made.name().clone();
            return (made.into(), name);
        };
        let name: SmolStr = pointer.strip_prefix("/definitions/").unwrap_or(pointer).into();
        let cell = match self.definitions.get(pointer) {
            Some(known) => Arc::clone(known),
            None => {
                let cell = Arc::new(LaterType::new(name.clone()));
                self.definitions.insert(pointer, Arc::clone(&cell));
                let made = self.ty(target, false, depth + 1);
                cell.fill(made);
                cell
            }
        };
        let made = if !is_true(value, "nullable") {
            cell.get().cloned().map_or_else(|| TypeRef::Later(Arc::clone(&cell)), TypeRef::Now)
        } else if let Some(known) = cell.get() {
            nullable(known).into()
        } else {
            TypeRef::loaded_as(name.clone(), move || nullable(&TypeRef::Later(Arc::clone(&cell)).get()))
        };
        (made, name)
    }

    fn plain(&mut self, value: SourceValue<'t>, loose: bool, depth: usize) -> Ty {
        let kind = text(value, "type").unwrap_or_default().to_ascii_lowercase();
        let secure = if kind.starts_with("secure") { TypeFlags::SECURE } else { TypeFlags::empty() };
        let flags = if loose { secure.union(TypeFlags::LOOSE) } else { secure };
        let allowed: Vec<Ty> = value
            .member("allowedValues")
            .into_iter()
            .flat_map(SourceValue::items)
            .filter_map(literal)
            .collect();
        if !allowed.is_empty() && matches!(kind.as_str(), "string" | "securestring" | "int" | "bool") {
            return union_of(allowed.into_iter().filter(|ty| !ty.is_null()));
        }
        let length = Range { min: number(value, "minLength"), max: number(value, "maxLength") };
        match kind.as_str() {
            "string" | "securestring" => Ty::string_within(length, None, flags),
            "int" => {
                let range = Range { min: number(value, "minValue"), max: number(value, "maxValue") };
                Ty::int_within(range, flags)
            }
            "bool" => Ty::bool().with_flags(flags),
            "array" if !allowed.is_empty() => Ty::array_of(union_of(allowed), length),
            "array" => match (value.member("prefixItems"), value.member("items")) {
                (Some(items), _) => {
                    Ty::tuple(items.items().map(|item| self.part(item, depth + 1).0).collect())
                }
                (None, Some(item)) if matches!(item.node(), Node::Object(_)) => {
                    let (item, name) = self.part(item, depth + 1);
                    Ty::array_named(item, length, name)
                }
                _ => Ty::array_of(Ty::any(), length),
            },
            "object" | "secureobject" => self.object(value, depth, secure),
            _ => Ty::any(),
        }
    }

    fn object(&mut self, value: SourceValue<'t>, depth: usize, flags: TypeFlags) -> Ty {
        let Some(choice) = value.member("discriminator") else {
            return self.object_of(&[value], depth, flags);
        };
        let key: SmolStr = text(choice, "propertyName").unwrap_or_default().into();
        let mut variants = Vec::new();
        for (_, variant) in choice.member("mapping").into_iter().flat_map(SourceValue::members) {
            let mut target = variant;
            for _ in 0..MAX_DEPTH {
                match self.referred(target) {
                    Some((_, next)) => target = next,
                    None => break,
                }
            }
            variants.push(self.object_of(&[value, target], depth, flags));
        }
        discriminated(&key, &variants, flags)
    }

    /// An object whose properties are declared in several places, the last of which decides about others.
    fn object_of(&mut self, parts: &[SourceValue<'t>], depth: usize, flags: TypeFlags) -> Ty {
        let additional = parts.iter().rev().find_map(|part| part.member("additionalProperties"));
        if additional.is_none() && parts.iter().all(|part| part.member("properties").is_none()) {
            return Ty::object().with_flags(flags);
        }
        let required: FxHashSet<&str> = parts
            .iter()
            .filter_map(|part| part.member("required"))
            .flat_map(SourceValue::items)
            .filter_map(SourceValue::as_str)
            .collect();
        let mut properties = BTreeMap::new();
        let mut names: Vec<(SmolStr, SmolStr)> = Vec::new();
        for (name, property) in
            parts.iter().filter_map(|part| part.member("properties")).flat_map(SourceValue::members)
        {
            let Some(name) = name.as_str() else { continue };
            let (ty, shown) = self.part(property, depth + 1);
            let is_required =
                if self.all_required { !self.may_be_null(property) } else { required.contains(name) };
            let flags = if is_required { PropertyFlags::REQUIRED } else { PropertyFlags::empty() };
            names.push((name.into(), shown));
            properties.insert(SmolStr::from(name), Property { ty, flags });
        }
        let mut others = None;
        let additional = match additional {
            None => Some(Property::new(Ty::any(), PropertyFlags::FALLBACK)),
            Some(it) if it.node() == Node::Bool(false) => None,
            Some(it) => {
                let (ty, name) = self.part(it, depth + 1);
                others = Some(name);
                Some(Property { ty, flags: PropertyFlags::empty() })
            }
        };
        let name = object_name(names.iter().map(|(name, ty)| (name.as_str(), ty.clone())), others);
        Ty::flagged(TyKind::Object(Object { name, properties, additional, ..Object::default() }), flags)
    }

    /// Tells whether a type, or what it refers to, can be null.
    fn may_be_null(&self, value: SourceValue<'t>) -> bool {
        let mut at = value;
        for _ in 0..MAX_DEPTH {
            if is_true(at, "nullable") {
                return true;
            }
            match self.referred(at) {
                Some((_, next)) => at = next,
                None => return false,
            }
        }
        false
    }

    /// The part of a resource type that a type comes from, if there is such a part.
    fn derived(&self, value: SourceValue<'t>) -> Option<Ty> {
        let (source, variant) = source_of(value)?;
        let (name, pointer) = source.split_once('#').unwrap_or((source, ""));
        let resource = self.resource(name)?;
        let mut at = resource.body;
        let mut segments = pointer.split('/').filter(|segment| !segment.is_empty());
        while let Some(segment) = segments.next() {
            at = match segment.to_ascii_lowercase().as_str() {
                "properties" => {
                    let name = segments.next()?.replace("~1", "/").replace("~0", "~");
                    let object = at.as_object()?;
                    let exact = object.properties.get(name.as_str());
                    let found = exact.or_else(|| {
                        let mut all = object.properties.iter();
                        all.find(|(known, _)| known.eq_ignore_ascii_case(&name)).map(|(_, property)| property)
                    });
                    found?.ty.get()
                }
                "additionalproperties" => at.as_object()?.additional.as_ref()?.ty.get(),
                "discriminator" => {
                    let TyKind::Discriminated(object) = at.kind() else { return None };
                    let _mapping = segments.next()?;
                    let value = segments.next()?;
                    let found = object.members.iter().find(|(known, _)| known == value);
                    found?.1.get()
                }
                "prefixitems" => {
                    let TyKind::Tuple(items) = at.kind() else { return None };
                    items.get(segments.next()?.parse::<usize>().ok()?)?.get()
                }
                "items" => at.as_list()?.0,
                _ => return None,
            };
        }
        Some(azure::variant(&at, variant))
    }

    fn resource(&self, name: &str) -> Option<ResourceTy> {
        let reference = TypeReference::parse(name)?;
        let how = DeclarationFlags::default();
        azure::find(self.az_types.as_ref(), &reference, how).or_else(|| azure::assumed(&reference, how))
    }

    /// The resource types that types in a part of the template come from and that no type data has.
    pub(super) fn unknown_types(&self, part: SourceValue<'t>) -> Vec<SmolStr> {
        let mut unknown: Vec<SmolStr> = Vec::new();
        let mut seen: FxHashSet<&'t str> = FxHashSet::default();
        let mut open = vec![part];
        while let Some(value) = open.pop() {
            if let Some((source, _)) = source_of(value) {
                let name = source.split('#').next().unwrap_or(source);
                let known = self.resource(name).is_some_and(|resource| resource.is_defined);
                if !known && !unknown.iter().any(|it| it == name) {
                    unknown.push(name.into());
                }
                continue;
            }
            if let Some((pointer, target)) = self.referred(value)
                && seen.insert(pointer)
            {
                open.push(target);
            }
            for (name, inner) in value.members() {
                if !matches!(name.as_str(), Some("metadata" | "defaultValue" | "value" | "allowedValues")) {
                    open.push(inner);
                }
            }
            open.extend(value.items());
        }
        unknown.sort();
        unknown
    }
}

/// What a type comes from, as the template says, and how it is used.
fn source_of(value: SourceValue<'_>) -> Option<(&str, Variant)> {
    let derived = value.member("metadata")?.member(DERIVED)?;
    if let Some(source) = text(derived, "source") {
        let output = is_true(derived, "output");
        return Some((source, if output { Variant::Output } else { Variant::Input }));
    }
    Some((derived.as_str()?, Variant::Whole))
}

fn text<'t>(value: SourceValue<'t>, name: &str) -> Option<&'t str> {
    value.member(name).and_then(SourceValue::as_str)
}

fn number(value: SourceValue<'_>, name: &str) -> Option<i64> {
    match value.member(name).map(SourceValue::node) {
        Some(Node::Int(value)) => Some(value),
        _ => None,
    }
}

fn is_true(value: SourceValue<'_>, name: &str) -> bool {
    value.member(name).is_some_and(|it| it.node() == Node::Bool(true))
}

fn nullable_if(condition: bool, ty: Ty) -> Ty {
    if condition { nullable(&ty) } else { ty }
}

fn literal(value: SourceValue<'_>) -> Option<Ty> {
    match value.node() {
        Node::Text(text) => Some(Ty::string_literal(text)),
        Node::Int(number) => Some(Ty::int_literal(number)),
        Node::Bool(value) => Some(Ty::bool_literal(value)),
        Node::Null => Some(Ty::null()),
        _ => None,
    }
}
