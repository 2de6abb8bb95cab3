//! What a type is. Types are shared and never change; making one costs one allocation.

use std::collections::BTreeMap;
use std::sync::{Arc, LazyLock, OnceLock};

use rustc_hash::FxHashMap;
use smol_str::{SmolStr, ToSmolStr as _};
use syntax::NodeId;

use super::member_index::MemberIndex;
use super::{BuiltIn, Methods, PropertyFlags, Scopes, TypeFlags, TypeReference, names};
use crate::finding::Finding;
use crate::symbol_id::SymbolId;

/// How many types can be inside each other; what would be deeper is `any`. Everything that walks through types, and
/// that frees them, can so recurse.
const MAX_NESTING: u16 = 256;

/// A type, shared and not copied when it is cloned.
#[derive(Clone, Debug)]
pub(crate) struct Ty(Arc<Data>);

#[derive(Debug)]
struct Data {
    kind: TyKind,
    flags: TypeFlags,
    /// How many types are inside each other in it.
    nesting: u16,
    name: OnceLock<SmolStr>,
    /// The type of the items of a tuple, or the type without `null`, whichever is asked for.
    derived: OnceLock<Option<Ty>>,
    /// How to find members of a union of very many.
    index: OnceLock<Option<Box<MemberIndex>>>,
}

/// A type that is named by another one. Types can contain themselves, so it may be filled in later.
#[derive(Clone, Debug)]
pub(crate) enum TypeRef {
    Now(Ty),
    /// A type that is known once all declarations of a file were read.
    Later(Arc<LaterType>),
    /// A type that is read from type data when it is first asked for.
    Loaded(Arc<LoadedType>),
}

/// A type that is filled in later, because it may contain the type that names it.
#[derive(Debug)]
pub(crate) struct LaterType {
    cell: OnceLock<Ty>,
    /// What it is called: the name of a type that contains itself would have no end.
    name: SmolStr,
}

impl LaterType {
    /// A type of this name that is not known yet.
    #[must_use]
    pub(crate) fn new(name: SmolStr) -> LaterType {
        LaterType { cell: OnceLock::new(), name }
    }

    /// The type, once it is known.
    #[must_use]
    pub(crate) fn get(&self) -> Option<&Ty> {
        self.cell.get()
    }

    /// Says what the type is. What was said first counts.
    pub(crate) fn fill(&self, ty: Ty) {
        let _first = self.cell.set(ty);
    }
}

/// A type of type data that is read when it is first asked for.
pub(crate) struct LoadedType {
    cell: OnceLock<Ty>,
    /// What it is called, where that is not asked of the type.
    name: Option<SmolStr>,
    load: Box<dyn Fn() -> Ty + Send + Sync>,
}

impl std::fmt::Debug for LoadedType {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("LoadedType").field("cell", &self.cell.get().is_some()).finish_non_exhaustive()
    }
}

impl TypeRef {
    /// A type that `load` gives when it is first asked for.
    pub(crate) fn loaded(load: impl Fn() -> Ty + Send + Sync + 'static) -> TypeRef {
        TypeRef::Loaded(Arc::new(LoadedType { cell: OnceLock::new(), name: None, load: Box::new(load) }))
    }

    /// The same for a type that may contain itself, with the name that it has where it is mentioned.
    pub(crate) fn loaded_as(name: SmolStr, load: impl Fn() -> Ty + Send + Sync + 'static) -> TypeRef {
        let load = Box::new(load);
        TypeRef::Loaded(Arc::new(LoadedType { cell: OnceLock::new(), name: Some(name), load }))
    }

    /// What the type is called in the names of types around it.
    #[must_use]
    pub(crate) fn name(&self) -> SmolStr {
        match self {
            TypeRef::Now(ty) => ty.name().clone(),
            TypeRef::Later(later) => later.name.clone(),
            TypeRef::Loaded(loaded) => loaded.name.clone().unwrap_or_else(|| self.get().name().clone()),
        }
    }

    /// How many types are inside the type, as far as they are known now.
    fn nesting(&self) -> u16 {
        match self {
            TypeRef::Now(ty) => ty.0.nesting,
            TypeRef::Later(_) | TypeRef::Loaded(_) => 0,
        }
    }

    /// The type; `any` while it is not known.
    #[must_use]
    pub(crate) fn get(&self) -> Ty {
        match self {
            TypeRef::Now(ty) => ty.clone(),
            TypeRef::Later(later) => later.get().cloned().unwrap_or_else(Ty::any),
            TypeRef::Loaded(loaded) => loaded.cell.get_or_init(|| (loaded.load)()).clone(),
        }
    }
}

impl From<Ty> for TypeRef {
    fn from(ty: Ty) -> TypeRef {
        TypeRef::Now(ty)
    }
}

/// The kinds of types.
#[derive(Debug)]
pub(crate) enum TyKind {
    Any,
    Null,
    Bool,
    BoolLit(bool),
    Int(Range),
    IntLit(i64),
    Str(LengthBounds),
    StrLit(SmolStr),
    /// A list whose items have one type.
    Array(Array),
    /// A list of known length with a type for each item.
    Tuple(Vec<TypeRef>),
    Object(Object),
    /// An object that is one of several, told apart by the value of one property.
    Discriminated(Discriminated),
    /// One of several types; of none, no value at all.
    Union(Vec<TypeRef>),
    Lambda(Lambda),
    Resource(Box<ResourceTy>),
    Module(Scopes, Ty),
    Test(Ty),
    /// A reference to something that resources can be scoped to.
    ScopeRef(Scopes),
    /// A reference to the parent of a resource of this type.
    ParentOf(TypeReference),
    /// A resource that is passed as a parameter.
    ResourceParameter(TypeReference),
    /// A type that is used as a value.
    TypeOf(Ty),
    /// No type, with what is wrong.
    Error(Arc<[Finding]>),
}

impl TyKind {
    /// How many types are inside each other in a type of this kind.
    fn nesting(&self) -> u16 {
        let deepest = |parts: &[TypeRef]| parts.iter().map(TypeRef::nesting).max().unwrap_or_default();
        let inside = match self {
            TyKind::Any
            | TyKind::Null
            | TyKind::Bool
            | TyKind::BoolLit(_)
            | TyKind::Int(_)
            | TyKind::IntLit(_)
            | TyKind::Str(_)
            | TyKind::StrLit(_)
            | TyKind::ScopeRef(_)
            | TyKind::ParentOf(_)
            | TyKind::ResourceParameter(_)
            | TyKind::Error(_) => return 0,
            TyKind::Array(array) => array.item.nesting(),
            TyKind::Tuple(parts) | TyKind::Union(parts) => deepest(parts),
            TyKind::Object(object) => {
                let parts = object.properties.values().chain(&object.additional);
                parts.map(|property| property.ty.nesting()).max().unwrap_or_default()
            }
            TyKind::Discriminated(object) => {
                object.members.iter().map(|(_, member)| member.nesting()).max().unwrap_or_default()
            }
            TyKind::Lambda(lambda) => {
                deepest(&lambda.required).max(deepest(&lambda.optional)).max(lambda.result.nesting())
            }
            TyKind::Resource(resource) => resource.body.0.nesting,
            TyKind::Module(_, body) | TyKind::Test(body) | TyKind::TypeOf(body) => body.0.nesting,
        };
        inside.saturating_add(1)
    }
}

/// Bounds of a number.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct Range {
    /// The least value, or the least length; none without a bound.
    pub min: Option<i64>,
    /// The greatest value, or the greatest length; none without a bound.
    pub max: Option<i64>,
}

/// Bounds of a text.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct LengthBounds {
    /// Bounds of the length.
    pub length: Range,
    /// A regular expression that it matches.
    pub pattern: Option<SmolStr>,
}

/// A list whose items have one type.
#[derive(Clone, Debug)]
pub(crate) struct Array {
    /// The type of the items.
    pub item: TypeRef,
    /// Bounds of the length.
    pub length: Range,
    /// What it is called, where that is not worked out from the items.
    pub name: Option<SmolStr>,
}

#[derive(Clone, Debug, Default)]
pub(crate) struct Object {
    /// What it is called.
    pub name: SmolStr,
    /// The properties that are known, in the order of their names.
    pub properties: BTreeMap<SmolStr, Property>,
    /// What all other properties are; none when there may be no other.
    pub additional: Option<Property>,
    /// The functions that can be called on it.
    pub methods: Option<Methods>,
    /// What else it is.
    pub role: Role,
    /// Where type data has it. Types that are read twice are one type, also where they contain themselves.
    pub origin: Option<Origin>,
}

/// A place in type data: a file, as long as it lives, and a position in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Origin(pub usize, pub bicep_types::TypeId);

/// A property of an object.
#[derive(Clone, Debug)]
pub(crate) struct Property {
    /// The type of its value.
    pub ty: TypeRef,
    /// What may be done with it.
    pub flags: PropertyFlags,
}

impl Property {
    pub(crate) fn new(ty: impl Into<TypeRef>, flags: PropertyFlags) -> Property {
        Property { ty: ty.into(), flags }
    }
}

/// What an object is besides an object.
#[derive(Clone, Debug, Default)]
pub(crate) enum Role {
    #[default]
    Plain,
    /// The value of `subscription()` and its like: a scope, with the arguments of the call.
    Scope(Scopes, Vec<NodeId>),
    BuiltIn(BuiltIn),
    /// The names that `import * as` brings.
    Wildcard,
    /// The namespace of an extension.
    Extension,
}

/// An object that is one of several, told apart by the value of one property.
#[derive(Clone, Debug)]
pub(crate) struct Discriminated {
    /// What it is called.
    pub name: SmolStr,
    /// The name of the property.
    pub key: SmolStr,
    /// The value of the property, with the object that has it.
    pub members: Vec<(SmolStr, TypeRef)>,
    /// The first member of each value.
    places: FxHashMap<SmolStr, usize>,
}

impl Discriminated {
    /// An object that is one of these.
    pub(crate) fn new(name: SmolStr, key: SmolStr, members: Vec<(SmolStr, TypeRef)>) -> Discriminated {
        let mut places = FxHashMap::default();
        for (place, (value, _)) in members.iter().enumerate() {
            places.entry(value.clone()).or_insert(place);
        }
        Discriminated { name, key, members, places }
    }

    /// The object of which the property has a value.
    #[must_use]
    pub(crate) fn member(&self, value: &str) -> Option<&TypeRef> {
        self.members.get(*self.places.get(value)?).map(|(_, member)| member)
    }
}

#[derive(Clone, Debug)]
pub(crate) struct Lambda {
    /// The types of the arguments that it must take.
    pub required: Vec<TypeRef>,
    /// The types of those that it may take.
    pub optional: Vec<TypeRef>,
    /// The type of its result.
    pub result: TypeRef,
}

impl Lambda {
    /// The type of an argument.
    #[must_use]
    pub(crate) fn argument(&self, position: usize) -> Option<Ty> {
        self.required.iter().chain(&self.optional).nth(position).map(TypeRef::get)
    }

    /// The greatest number of arguments.
    #[must_use]
    pub(crate) fn max(&self) -> usize {
        self.required.len() + self.optional.len()
    }
}

#[derive(Clone, Debug)]
pub(crate) struct ResourceTy {
    /// The type and version.
    pub reference: TypeReference,
    /// The scopes at which it can be.
    pub scopes: Scopes,
    /// Those of them at which it can only be referred to.
    pub read_only_scopes: Scopes,
    /// Whether it can only be referred to.
    pub is_read_only: bool,
    /// Whether it can only be deployed, and not be referred to.
    pub is_write_only: bool,
    /// Whether type data has it.
    pub is_defined: bool,
    /// The extension it belongs to; none for Azure's own.
    pub extension: Option<SymbolId>,
    pub body: Ty,
}

/// Types that are needed everywhere.
macro_rules! shared {
    ($($(#[$doc:meta])* $name:ident = $make:expr;)*) => {
        impl Ty {$(
            $(#[$doc])*
            #[must_use]
            pub(crate) fn $name() -> Ty {
                static SHARED: LazyLock<Ty> = LazyLock::new(|| $make);
                SHARED.clone()
            }
        )*}
    };
}

shared! {
    any = Ty::new(TyKind::Any);
    null = Ty::new(TyKind::Null);
    /// The type without values.
    never = Ty::new(TyKind::Union(Vec::new()));
    bool = Ty::new(TyKind::Bool);
    int = Ty::new(TyKind::Int(Range::default()));
    string = Ty::new(TyKind::Str(LengthBounds::default()));
    array = Ty::array_of(Ty::any(), Range::default());
    object = Ty::new(TyKind::Object(Object {
        name: "object".into(),
        additional: Some(Property::new(Ty::any(), PropertyFlags::empty())),
        ..Object::default()
    }));
    /// A text that is a secret, as a parameter has it.
    secure_string = Ty::string().with_flags(TypeFlags::LOOSE.union(TypeFlags::SECURE));
    /// An error that was reported already.
    failed = Ty::new(TyKind::Error(Arc::from([])));
}

impl Ty {
    #[must_use]
    pub(crate) fn new(kind: TyKind) -> Ty {
        Ty::flagged(kind, TypeFlags::empty())
    }

    /// Makes a type with flags.
    #[must_use]
    pub(crate) fn flagged(kind: TyKind, flags: TypeFlags) -> Ty {
        let nesting = kind.nesting();
        if nesting > MAX_NESTING {
            return Ty::any();
        }
        Ty(Arc::new(Data {
            kind,
            flags,
            nesting,
            name: OnceLock::new(),
            derived: OnceLock::new(),
            index: OnceLock::new(),
        }))
    }

    #[must_use]
    pub(crate) fn kind(&self) -> &TyKind {
        &self.0.kind
    }

    /// How values are checked.
    #[must_use]
    pub(crate) fn flags(&self) -> TypeFlags {
        match self.kind() {
            TyKind::Error(_) | TyKind::TypeOf(_) => TypeFlags::PREVENT,
            TyKind::Object(Object { role: Role::BuiltIn(_) | Role::Wildcard | Role::Extension, .. }) => {
                TypeFlags::PREVENT
            }
            _ => self.0.flags,
        }
    }

    /// What the type is called in messages.
    #[must_use]
    pub(crate) fn name(&self) -> &SmolStr {
        self.0.name.get_or_init(|| names::name(self))
    }

    /// The name as a part of a longer one.
    #[must_use]
    pub(crate) fn compound_name(&self) -> SmolStr {
        names::compound_name(self)
    }

    /// Tells whether two handles are one type.
    #[must_use]
    pub(crate) fn is_same(&self, other: &Ty) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }

    /// A number for the type as long as it lives.
    pub(crate) fn address(&self) -> usize {
        Arc::as_ptr(&self.0).addr()
    }

    /// A value that is worked out once: the type of a tuple's items, or a union without `null`.
    pub(super) fn derived(&self, make: impl FnOnce() -> Option<Ty>) -> Option<Ty> {
        self.0.derived.get_or_init(make).clone()
    }

    /// How to find the members of a union, where that is quicker than looking at each: not in short ones, and not where a
    /// member need not be known yet.
    pub(super) fn member_index(&self) -> Option<&MemberIndex> {
        let TyKind::Union(members) = self.kind() else { return None };
        if members.len() <= MemberIndex::FEW {
            return None;
        }
        self.0.index.get_or_init(|| MemberIndex::new(members).map(Box::new)).as_deref()
    }

    /// Tells whether this is known to be a union of texts, numbers and null alone.
    #[must_use]
    pub(crate) fn is_listed(&self) -> bool {
        self.member_index().is_some_and(|index| index.is_listed)
    }

    /// The same type with other flags; kinds that cannot have any stay as they are.
    #[must_use]
    pub(crate) fn with_flags(&self, flags: TypeFlags) -> Ty {
        if self.0.flags == flags {
            return self.clone();
        }
        let kind = match self.kind() {
            TyKind::Bool => TyKind::Bool,
            TyKind::BoolLit(value) => TyKind::BoolLit(*value),
            TyKind::Int(range) => TyKind::Int(*range),
            TyKind::IntLit(value) => TyKind::IntLit(*value),
            TyKind::Str(text) => TyKind::Str(text.clone()),
            TyKind::StrLit(value) => TyKind::StrLit(value.clone()),
            TyKind::Array(array) => TyKind::Array(array.clone()),
            TyKind::Tuple(items) => TyKind::Tuple(items.clone()),
            TyKind::Object(object) => TyKind::Object(object.clone()),
            TyKind::Discriminated(object) => TyKind::Discriminated(object.clone()),
            _ => return self.clone(),
        };
        Ty::flagged(kind, flags)
    }

    #[must_use]
    pub(crate) fn bool_literal(value: bool) -> Ty {
        Ty::new(TyKind::BoolLit(value))
    }

    #[must_use]
    pub(crate) fn int_literal(value: i64) -> Ty {
        Ty::new(TyKind::IntLit(value))
    }

    #[must_use]
    pub(crate) fn string_literal(value: impl AsRef<str>) -> Ty {
        Ty::new(TyKind::StrLit(value.as_ref().to_smolstr()))
    }

    /// A whole number within bounds; one number when the bounds leave no other.
    #[must_use]
    pub(crate) fn int_within(range: Range, flags: TypeFlags) -> Ty {
        match range {
            Range { min: Some(min), max: Some(max) } if min == max => Ty::flagged(TyKind::IntLit(min), flags),
            Range { min: None, max: None } if flags == TypeFlags::empty() => Ty::int(),
            range => Ty::flagged(TyKind::Int(range), flags),
        }
    }

    /// A text within bounds; the empty one when the bounds leave no other.
    #[must_use]
    pub(crate) fn string_within(length: Range, pattern: Option<SmolStr>, flags: TypeFlags) -> Ty {
        if length.max == Some(0) {
            return Ty::flagged(TyKind::StrLit(SmolStr::default()), flags);
        }
        let text = LengthBounds { length, pattern };
        if text == LengthBounds::default() && flags == TypeFlags::empty() {
            return Ty::string();
        }
        Ty::flagged(TyKind::Str(text), flags)
    }

    #[must_use]
    pub(crate) fn array_of(item: impl Into<TypeRef>, length: Range) -> Ty {
        Ty::array_within(item, length, TypeFlags::empty())
    }

    /// A list within bounds; the empty one when the bounds leave no other.
    #[must_use]
    pub(crate) fn array_within(item: impl Into<TypeRef>, length: Range, flags: TypeFlags) -> Ty {
        if length.max == Some(0) {
            return Ty::flagged(TyKind::Tuple(Vec::new()), flags);
        }
        Ty::flagged(TyKind::Array(Array { item: item.into(), length, name: None }), flags)
    }

    /// A list whose items have a type of this name, which need not be known yet.
    #[must_use]
    pub(crate) fn array_named(item: TypeRef, length: Range, item_name: SmolStr) -> Ty {
        if length.max == Some(0) {
            return Ty::tuple(Vec::new());
        }
        let name = match &item {
            TypeRef::Now(_) => None,
            TypeRef::Later(_) | TypeRef::Loaded(_) => Some(smol_str::format_smolstr!("{item_name}[]")),
        };
        Ty::new(TyKind::Array(Array { item, length, name }))
    }

    /// A list with a type for each item.
    #[must_use]
    pub(crate) fn tuple(items: Vec<TypeRef>) -> Ty {
        Ty::new(TyKind::Tuple(items))
    }

    #[must_use]
    pub(crate) fn object_of(object: Object) -> Ty {
        Ty::new(TyKind::Object(object))
    }

    /// An object with these properties and no others.
    #[must_use]
    pub(crate) fn closed_object(
        name: &str,
        properties: impl IntoIterator<Item = (&'static str, Ty, PropertyFlags)>,
    ) -> Ty {
        let properties = properties.into_iter();
        Ty::object_of(Object {
            name: name.into(),
            properties: properties.map(|(name, ty, flags)| (name.into(), Property::new(ty, flags))).collect(),
            ..Object::default()
        })
    }

    /// An object with any names and values of one type.
    #[must_use]
    pub(crate) fn dictionary(name: &str, value: impl Into<TypeRef>) -> Ty {
        let additional = Some(Property::new(value, PropertyFlags::empty()));
        Ty::object_of(Object { name: name.into(), additional, ..Object::default() })
    }

    #[must_use]
    pub(crate) fn lambda(required: Vec<Ty>, optional: Vec<Ty>, result: Ty) -> Ty {
        let refs = |types: Vec<Ty>| types.into_iter().map(TypeRef::Now).collect();
        Ty::new(TyKind::Lambda(Lambda {
            required: refs(required),
            optional: refs(optional),
            result: result.into(),
        }))
    }

    /// No type, because of this.
    #[must_use]
    pub(crate) fn error(finding: Finding) -> Ty {
        Ty::errors(vec![finding])
    }

    /// No type, because of these.
    #[must_use]
    pub(crate) fn errors(findings: Vec<Finding>) -> Ty {
        Ty::new(TyKind::Error(findings.into()))
    }

    /// What is wrong, for something that is not a type.
    #[must_use]
    pub(crate) fn findings(&self) -> &[Finding] {
        match self.kind() {
            TyKind::Error(findings) => findings,
            TyKind::TypeOf(inner) => inner.findings(),
            _ => &[],
        }
    }

    /// Tells whether this is not a type.
    #[must_use]
    pub(crate) fn is_error(&self) -> bool {
        matches!(self.kind(), TyKind::Error(_))
    }

    /// Tells whether this is `any`.
    #[must_use]
    pub(crate) fn is_any(&self) -> bool {
        matches!(self.kind(), TyKind::Any)
    }

    /// Tells whether this is `null`.
    #[must_use]
    pub(crate) fn is_null(&self) -> bool {
        matches!(self.kind(), TyKind::Null)
    }

    /// The object, if it is one.
    #[must_use]
    pub(crate) fn as_object(&self) -> Option<&Object> {
        match self.kind() {
            TyKind::Object(object) => Some(object),
            _ => None,
        }
    }

    /// The text, if it is one text.
    #[must_use]
    pub(crate) fn as_string_literal(&self) -> Option<&SmolStr> {
        match self.kind() {
            TyKind::StrLit(value) => Some(value),
            _ => None,
        }
    }

    /// The resource, if it is one.
    #[must_use]
    pub(crate) fn as_resource(&self) -> Option<&ResourceTy> {
        match self.kind() {
            TyKind::Resource(resource) => Some(resource),
            _ => None,
        }
    }

    /// The type of the items and the bounds of the length of a list.
    #[must_use]
    pub(crate) fn as_list(&self) -> Option<(Ty, Range)> {
        match self.kind() {
            TyKind::Array(array) => Some((array.item.get(), array.length)),
            TyKind::Tuple(items) => {
                let count = i64::try_from(items.len()).ok();
                let item = self.derived(|| Some(super::union(items.iter().cloned())));
                Some((item.unwrap_or_else(Ty::never), Range { min: count, max: count }))
            }
            _ => None,
        }
    }

    /// The bounds of the length of a list.
    #[must_use]
    pub(crate) fn list_length(&self) -> Option<Range> {
        match self.kind() {
            TyKind::Array(array) => Some(array.length),
            TyKind::Tuple(items) => {
                let count = i64::try_from(items.len()).ok();
                Some(Range { min: count, max: count })
            }
            _ => None,
        }
    }

    /// Tells whether the type is a list.
    #[must_use]
    pub(crate) fn is_list(&self) -> bool {
        matches!(self.kind(), TyKind::Array(_) | TyKind::Tuple(_))
    }

    /// Tells whether the type is that of lambdas.
    #[must_use]
    pub(crate) fn is_lambda(&self) -> bool {
        matches!(self.kind(), TyKind::Lambda(_))
    }

    /// Tells whether resources can be scoped to values of the type.
    #[must_use]
    pub(crate) fn is_scope(&self) -> bool {
        match self.kind() {
            TyKind::Resource(_) | TyKind::Module(..) | TyKind::ScopeRef(_) => true,
            TyKind::Object(object) => matches!(object.role, Role::Scope(..)),
            _ => false,
        }
    }

    /// Tells whether this is a namespace.
    #[must_use]
    pub(crate) fn is_namespace(&self) -> bool {
        let TyKind::Object(object) = self.kind() else { return false };
        matches!(object.role, Role::BuiltIn(_) | Role::Wildcard | Role::Extension)
    }

    /// The body of a resource, module or test; any other type itself.
    #[must_use]
    pub(crate) fn body(&self) -> Ty {
        match self.kind() {
            TyKind::Resource(resource) => resource.body.clone(),
            TyKind::Module(_, body) => body.clone(),
            _ => self.clone(),
        }
    }
}

impl std::fmt::Display for Ty {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        // The alternate form is that of messages.
        if f.alternate() { f.write_str(&names::name_in_message(self)) } else { f.write_str(self.name()) }
    }
}
